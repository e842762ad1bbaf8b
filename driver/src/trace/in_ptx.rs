//! What attributes become in the text of PTX.

use std::collections::BTreeSet;

use tilewright_diagnostics::FileId;
use tilewright_grammar::ptx::parse;
use tilewright_irs::core::Origin;
use tilewright_irs::ptx::Statement;

use crate::units::{PtxKernel, Stage};

/// The PTX of a kernel, line by line.
pub(super) struct InPtx {
    /// The name, the value and the line of each launch directive.
    directives: Vec<(&'static str, Option<String>, u32)>,
    /// The origin, the line and the words of each instruction: the mnemonic and its modifiers.
    instructions: Vec<(Origin, u32, String)>,
}

impl InPtx {
    /// The lines of a stage, if it is PTX.
    pub(super) fn of_stage(stage: &Stage) -> Option<Self> {
        match stage {
            Stage::Ptx(kernel) => Some(Self::of(kernel)),
            _ => None,
        }
    }

    fn of(kernel: &PtxKernel) -> Self {
        let text = kernel.module().to_string();
        let parsed = parse(FileId(0), &text);
        let mut directives = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let Some(line) = line.strip_prefix('.') else {
                continue;
            };
            let (word, value) = line.split_once(' ').unwrap_or((line, ""));
            let own = parsed.launches.first().into_iter().flatten();
            let mut own = own.map(|(directive, _)| directive.word());
            if let Some(word) = own.find(|own| *own == word) {
                let value = Some(value.to_owned()).filter(|value| !value.is_empty());
                directives.push((word, value, number));
            }
        }
        let lines = parsed.lines(&text, 0);
        let mut instructions = Vec::new();
        for (statement, line) in kernel.entry.body.iter().zip(lines) {
            if let Statement::Instruction(instruction) = statement
                && let Some(origin) = instruction.origin
            {
                let text = instruction.instruction.to_string();
                let words = text.split([' ', ';']).next().unwrap_or_default();
                instructions.push((Origin(origin), line, words.to_owned()));
            }
        }
        Self {
            directives,
            instructions,
        }
    }

    /// The launch directives: name, value and line.
    pub(super) fn directives(&self) -> impl Iterator<Item = (&'static str, Option<String>, u32)> + '_ {
        self.directives.iter().cloned()
    }

    /// The lines and the words of the instructions of an op that say an attribute of it in `nvvm`: that have one of these words
    /// or, where none has, as for a number, those that its ops are.
    pub(super) fn instructions(
        &self,
        origin: Origin,
        ops: &BTreeSet<String>,
        own: &[&str],
    ) -> Vec<(u32, String)> {
        let of_op = self.instructions.iter().filter(|(of, ..)| *of == origin);
        let of_op: Vec<_> = of_op.map(|(_, line, words)| (*line, words.clone())).collect();
        let says = |words: &str| words.split('.').any(|word| own.contains(&word));
        let names = || ops.iter().filter_map(|op| op.strip_prefix("nvvm."));
        let is_op = |words: &str| names().any(|name| words.starts_with(name));
        // Other instructions of the op of the source may have the word, too.
        let is_alike = |words: &str| names().any(|name| name.split('.').next() == words.split('.').next());
        let said: Vec<_> = of_op.iter().filter(|(_, words)| says(words)).cloned().collect();
        let alike: Vec<_> = said
            .iter()
            .filter(|(_, words)| is_alike(words))
            .cloned()
            .collect();
        match (alike.is_empty(), said.is_empty()) {
            (false, _) => alike,
            (true, false) => said,
            (true, true) => of_op.into_iter().filter(|(_, words)| is_op(words)).collect(),
        }
    }
}
