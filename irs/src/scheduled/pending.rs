//! Rules of asynchronous products: the registers of a pending product may be used by one later op only, which
//! accumulates onto it or waits for it.

use tilewright_diagnostics::Code;

use super::{Scheduled, ScheduledOp};
use crate::core::{Func, OpId, Operation, Problems, SideTable, Value};
use crate::tileas::{Pending, TileAsDialect, TileAsType};

pub(super) fn verify(func: &Func<Scheduled>, problems: &mut Problems) {
    let body = &func.body;
    let is_product = |value: Value| matches!(body.ty(value), TileAsType::Pending(Some(what)) if matches!(**what, Pending::Tile(..)));
    let mut taken: SideTable<Value, OpId> = body.value_table();
    for id in body.walk() {
        let op = body.op(id);
        // A wait without a result leaves the registers to a product that adds to them.
        if let ScheduledOp::TileAs(TileAsDialect::DotWait { .. }) = &op.kind
            && op.results().len() == 0
        {
            continue;
        }
        for value in op
            .kind
            .operand_list()
            .into_iter()
            .filter(|&value| is_product(value))
        {
            if taken.get(value).is_some() {
                let message = "the registers of this product have been given to another op: one product adds to \
                               them, or one wait gives their tile";
                problems.error(op.origin, Code::MisplacedOp, message);
            }
            taken.set(value, id);
        }
    }
}
