//! Finds, in loops with asynchronous products, loads of few registers that can be issued one iteration ahead: the factors by which
//! a product is scaled arrive while the one before is computed.
//!
//! A load qualifies if its address, its mask and the token that orders it depend only on the counter and on values from outside of
//! the loop.

use rustc_hash::FxHashSet;
use tilewright_irs::core::OpId;
use tilewright_irs::scheduled::ScheduledOp;
use tilewright_irs::tileas::TileAsDialect;

use super::own_rings::{Candidate, Loop, is_begun};

/// The most 32-bit registers of a thread for the loads of a loop.
const MAX_REGISTERS: u64 = 16;

impl Loop<'_> {
    /// These loads, with the ops that compute their addresses; none of the loads that fill rings.
    pub(super) fn register_loads(&self, rings: &[Candidate]) -> FxHashSet<OpId> {
        let mut found = FxHashSet::default();
        if !self.ops().iter().any(|&id| is_begun(self.kind(id))) {
            return found;
        }
        let fills = |id: OpId| rings.iter().any(|ring| ring.slice.contains(&id));
        let mut room = MAX_REGISTERS;
        for &id in self.ops() {
            let op = self.func.body.op(id);
            let ScheduledOp::TileAs(TileAsDialect::Load { .. } | TileAsDialect::GatherLoad { .. }) = op.kind
            else {
                continue;
            };
            let loaded = op.result(0);
            let registers = self.registers(loaded).filter(|&registers| registers <= room);
            let (Some(registers), None, false) = (registers, op.tag, fills(id)) else {
                continue;
            };
            let mut slice = found.clone();
            if self.trace(loaded, true, &mut slice).is_some() {
                found = slice;
                room -= registers;
            }
        }
        found
    }
}
