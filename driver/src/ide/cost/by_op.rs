//! What each op of the source costs, for the margin of a text.

use std::collections::BTreeMap;

use tilewright_irs::core::Origin;

use super::work::Work;
use crate::database::Compiler;
use crate::ide::compiled::Compiled;
use crate::ide::conflicts;
use crate::ide::functions::Function;
use crate::inputs::Options;
use crate::pipeline;
use crate::units::{Language, Stage};

/// The cost of an op of the source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpCost {
    /// The number of registers of a thread that hold its results, as far as these are tiles in registers.
    pub registers: u64,
    /// The bytes that a block moves to and from global memory for it; for an op in a loop, in one iteration.
    pub bytes: u64,
    /// Cycles that a warp loses to bank conflicts in the copies through shared memory that it needs.
    pub conflicts: u64,
}

/// The costs of the ops of a function, as far as it can be compiled. Ops without any cost are left out.
pub fn by_op(db: &Compiler, function: &Function<'_>, options: Options) -> BTreeMap<Origin, OpCost> {
    let mut costs: BTreeMap<Origin, OpCost> = BTreeMap::new();
    let Some(kernel) = function.kernel else {
        return costs;
    };
    if function.body.language() <= Language::TileAa
        && let Some(Stage::TileAa(tiles)) = pipeline::stage(db, kernel, options, Language::TileAa)
    {
        for (origin, bytes) in Work::of(&tiles).by_op {
            costs.entry(origin).or_default().bytes = bytes;
        }
    }
    for copy in conflicts::of(db, kernel, options) {
        costs.entry(copy.origin).or_default().conflicts += copy.cycles;
    }
    let compiled = Compiled::of(db, *function, options);
    for (origin, op) in function.ops() {
        let tiles = op
            .results
            .iter()
            .filter_map(|&result| compiled.held(result)?.tile);
        let registers: u64 = tiles.filter_map(|tile| tile.registers()).sum();
        costs.entry(origin).or_default().registers = registers;
    }
    costs.retain(|_, cost| *cost != OpCost::default());
    costs
}
