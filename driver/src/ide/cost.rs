//! The cost of a kernel, for a line above it: threads, shared memory, instructions, and how wide its memory accesses are.

use std::collections::BTreeMap;

use tilewright_diagnostics::counted;

use super::functions::Function;
use super::hover::mnemonic;
use crate::database::Compiler;
use crate::inputs::Options;
use crate::pipeline;
use crate::units::{Language, Stage};

/// The cost of a kernel, as far as its PTX tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cost {
    /// The GPU.
    pub target: String,
    /// The instructions of its PTX.
    pub instructions: usize,
    /// The instructions that load from global memory, by their widths in bits.
    pub loads: BTreeMap<u32, usize>,
    /// The instructions that store to global memory, by their widths in bits.
    pub stores: BTreeMap<u32, usize>,
    /// The bytes of static shared memory.
    pub shared: u64,
}

/// The cost of a function without errors; `None` if it cannot be compiled.
pub fn cost(db: &Compiler, function: &Function<'_>, options: Options) -> Option<Cost> {
    let Some(Stage::Ptx(ptx)) = pipeline::stage(db, function.kernel?, options, Language::Ptx) else {
        return None;
    };
    let mut cost = Cost {
        target: ptx.target.to_string(),
        instructions: 0,
        loads: BTreeMap::new(),
        stores: BTreeMap::new(),
        shared: tilewright_irs::ptx::shared_bytes(&ptx.module(), &ptx.entry),
    };
    for line in ptx.instructions() {
        cost.instructions += 1;
        let text = line.to_string();
        let name = mnemonic(&text);
        let counts = if name.starts_with("ld.global") {
            &mut cost.loads
        } else if name.starts_with("st.global") {
            &mut cost.stores
        } else {
            continue;
        };
        *counts.entry(width(name)).or_default() += 1;
    }
    Some(cost)
}

/// The bits that an instruction such as `ld.global.v4.f32` moves.
fn width(mnemonic: &str) -> u32 {
    let parts = || mnemonic.split('.');
    let number = |part: &str| {
        part.trim_start_matches(|c: char| c.is_ascii_alphabetic())
            .parse::<u32>()
            .ok()
    };
    let count = parts()
        .find(|part| matches!(*part, "v2" | "v4" | "v8"))
        .and_then(number);
    let bits = parts().next_back().and_then(number).unwrap_or(0);
    bits * count.unwrap_or(1)
}

impl Cost {
    /// One line of words.
    pub fn line(&self) -> String {
        let mut words = vec![
            self.target.clone(),
            counted(self.instructions, "instruction").to_string(),
        ];
        if self.shared > 0 {
            words.push(format!("{} bytes of shared memory", self.shared));
        }
        let accesses: Vec<_> = [(&self.loads, "load"), (&self.stores, "store")]
            .into_iter()
            .flat_map(|(counts, what)| {
                let each = counts.iter().rev();
                each.map(move |(bits, &count)| format!("{} of {bits} bits", counted(count, what)))
            })
            .collect();
        if !accesses.is_empty() {
            words.push(format!("memory: {}", accesses.join(", ")));
        }
        words.join(" · ")
    }
}
