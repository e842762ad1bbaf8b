//! Finds kernels in which tensor cores wait for the threads of a block, so that products of another block gain more than stages do.

use tilewright_irs::core::{Block, OpId, ValueType};
use tilewright_irs::dialects::arith::ArithOp;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::scheduled::ScheduledOp;
use tilewright_irs::tileas::TileAsDialect;
use tilewright_layouts::Dim;

use super::stages::needs_another;
use super::{Loops, loop_around};
use crate::scheduled::copy_groups::is_within;
use crate::scheduled::expand_schedule::is_large;

/// Registers of a thread for a tile that is loaded after a loop, if another block is to be worth more than stages.
const LOADED_REGISTERS: u32 = 16;
/// Ops that compute tiles after a loop for which another block is worth more than stages.
const MANY_OPS: usize = 4;

impl Loops<'_> {
    /// Whether tensor cores wait for the threads of a block: where these compute between products, or enough after them, or loops
    /// with copies are repeated. (On an H200, with a single warp that loads and more blocks, such products take 3 to 25 % less time;
    /// others up to 13 % more, since their rings have fewer stages.)
    pub(super) fn has_pauses(&self) -> bool {
        let body = &self.func.body;
        let is_computed = |id: &OpId| {
            let op = body.op(*id);
            let computes = match &op.kind {
                ScheduledOp::Arith(ArithOp::FToF { .. } | ArithOp::Constant { .. }) => false,
                ScheduledOp::Arith(_) | ScheduledOp::Math(_) => true,
                ScheduledOp::TileAs(TileAsDialect::Reduce { .. } | TileAsDialect::Scan { .. }) => true,
                _ => false,
            };
            let is_float = |result| {
                let ty = body.ty(result);
                let scalar = ty.element().and_then(ElementType::scalar);
                scalar.is_some_and(ScalarType::is_float) && ty.layout().is_some_and(is_large)
            };
            computes && op.results().any(is_float)
        };
        // Beside the sums, such a tile would not fit.
        let is_loaded = |id: &OpId| {
            let op = body.op(*id);
            let loads = matches!(
                op.kind,
                ScheduledOp::TileAs(TileAsDialect::Load { .. } | TileAsDialect::GatherLoad { .. })
            );
            let registers = |value| {
                body.ty(value)
                    .layout()
                    .map_or(0, |layout| layout.in_size(Dim::Register))
            };
            loads && op.results().any(|value| registers(value) > LOADED_REGISTERS)
        };
        let blocks = self.looped_blocks();
        let is_repeated = |block: &Block| {
            let around = loop_around(self.func, self.places, *block).and_then(|id| self.places.block(id));
            around.is_some_and(|outer| loop_around(self.func, self.places, outer).is_some())
        };
        let (inside, outside): (Vec<OpId>, Vec<OpId>) = body.walk().into_iter().partition(|&id| {
            let block = self.places.block(id);
            block.is_some_and(|block| blocks.iter().any(|outer| is_within(self.places, block, *outer)))
        });
        blocks
            .iter()
            .any(|&block| needs_another(self.func, &body.block(block).ops))
            || blocks.iter().any(is_repeated)
            // A sum of its own, to which a product is added, is no pause.
            || inside.iter().filter(|id| is_computed(id)).count() > 1
            || outside.iter().filter(|id| is_computed(id)).count() >= MANY_OPS && !outside.iter().any(is_loaded)
    }
}
