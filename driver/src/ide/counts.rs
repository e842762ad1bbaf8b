//! What is counted for the ops of a function that has been compiled: bank conflicts and instructions.

use std::collections::BTreeMap;
use std::sync::Arc;

use tilewright_irs::core::Origin;
use tilewright_irs::ptx::Statement;

use super::conflicts;
use crate::database::Db;
use crate::inputs::Options;
use crate::kernel::Kernel;
use crate::pipeline;
use crate::units::{Language, PtxKernel, Stage};

/// The copies and the instructions of a kernel by the ops of its source.
#[derive(Debug)]
pub(super) struct Counts {
    /// Cycles that a warp loses to bank conflicts in copies to and from shared memory.
    conflicts: BTreeMap<Origin, u64>,
    ptx: Option<Arc<PtxKernel>>,
    /// The places of an op's instructions in the body of the PTX.
    instructions: BTreeMap<u32, Vec<usize>>,
}

impl Counts {
    /// Those of a kernel, as far as it can be compiled.
    pub(super) fn of(db: &dyn Db, kernel: Kernel<'_>, options: Options) -> Self {
        let mut conflicts = BTreeMap::new();
        for copy in conflicts::of(db, kernel, options) {
            *conflicts.entry(copy.origin).or_default() += copy.cycles;
        }
        let ptx = match pipeline::stage(db, kernel, options, Language::Ptx) {
            Some(Stage::Ptx(ptx)) if kernel.language(db) < Language::Ptx => Some(ptx),
            _ => None,
        };
        let mut instructions: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (at, statement) in ptx.iter().flat_map(|ptx| ptx.entry.body.iter().enumerate()) {
            if let Statement::Instruction(line) = statement
                && let Some(origin) = line.origin
            {
                instructions.entry(origin).or_default().push(at);
            }
        }
        Self {
            conflicts,
            ptx,
            instructions,
        }
    }

    /// Cycles that a warp loses to bank conflicts in an op's copies; `None` if it has no such copies.
    pub(super) fn conflicts(&self, origin: Origin) -> Option<u64> {
        self.conflicts.get(&origin).copied()
    }

    /// The number of an op's PTX instructions, by mnemonic.
    pub(super) fn instructions(&self, origin: Origin) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        let places = self.instructions.get(&origin.0).into_iter().flatten();
        for (ptx, &at) in places.filter_map(|at| Some((self.ptx.as_ref()?, at))) {
            if let Some(Statement::Instruction(line)) = ptx.entry.body.get(at) {
                let text = line.instruction.to_string();
                let mnemonic = text.split([' ', ';']).next().unwrap_or_default();
                *counts.entry(mnemonic.to_owned()).or_default() += 1;
            }
        }
        counts
    }
}
