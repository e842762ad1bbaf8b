//! What an op of the source was compiled to: its results, its ops in `tileas`, its instructions.

use std::collections::BTreeMap;

use tilewright_irs::core::Origin;

use super::compiled::{Compiled, Form, Held, Tile};
use super::functions::Function;
use crate::database::Compiler;
use crate::inputs::Options;

/// What an op of the source was compiled to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Became {
    /// Its results, in order.
    pub results: Vec<Held>,
    /// Its form in `tileas`.
    pub form: Form,
    /// Cycles that a warp loses to bank conflicts in the op's copies to and from shared memory; `None` if it has no such copies.
    pub conflicts: Option<u64>,
    /// The number of its PTX instructions, by mnemonic.
    pub instructions: BTreeMap<String, usize>,
}

impl Became {
    /// What an op of a function was compiled to, as far as the function can be compiled; `None` if there is no such op.
    pub fn of(db: &Compiler, function: &Function<'_>, options: Options, origin: Origin) -> Option<Self> {
        Self::in_compiled(
            db,
            &Compiled::of(db, *function, options),
            function,
            options,
            origin,
        )
    }

    /// The same as [`of`](Self::of), for a function that has been compiled already.
    pub fn in_compiled(
        db: &Compiler,
        compiled: &Compiled<'_>,
        function: &Function<'_>,
        options: Options,
        origin: Origin,
    ) -> Option<Self> {
        let op = function.op(origin)?;
        let mut became = Self {
            results: op
                .results
                .iter()
                .filter_map(|&result| compiled.held(result))
                .collect(),
            form: compiled.form(origin, &op),
            ..Self::default()
        };
        if let Some(counts) = compiled.counts(db, options) {
            became.conflicts = counts.conflicts(origin);
            became.instructions = counts.instructions(origin);
        }
        Some(became)
    }

    /// The first of its results that is a tile in registers.
    pub fn tile(&self) -> Option<&Tile> {
        self.results.iter().find_map(|held| held.tile.as_ref())
    }
}
