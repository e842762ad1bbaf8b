//! Rules of rings that several buffers share.

use rustc_hash::FxHashMap;
use tilewright_diagnostics::{Code, counted};

use super::{Scheduled, ScheduledOp};
use crate::core::{Func, Problems};
use crate::tileas::{Buffer, TileAsDialect};

/// Reports buffers that cannot take the stages of their ring in turn: the stages hold each of them, and are of one number.
pub(super) fn verify(func: &Func<Scheduled>, problems: &mut Problems) {
    let mut rings: FxHashMap<u32, (u32, &Buffer)> = FxHashMap::default();
    for (_, op) in func.body.ops() {
        let ScheduledOp::TileAs(TileAsDialect::Alloc {
            depth: Some(depth), ..
        }) = &op.kind
        else {
            continue;
        };
        let (Some(ring), Some(own)) = (depth.ring(), func.body.ty(op.result(0)).buffer()) else {
            continue;
        };
        let (stages, first) = *rings.entry(ring).or_insert((depth.stages(), own));
        if stages != depth.stages() {
            let message = format!(
                "ring {ring} has {} for this buffer and {stages} for another",
                counted(depth.stages(), "stage")
            );
            problems.error(op.origin, Code::AttributeValue, message);
        }
        if !own.shares_bytes_with(first) {
            let message = format!(
                "this buffer has {} of `{}`, another one of ring {ring} {} of `{}`: buffers that share a ring are whole ones \
                 of one size and element type, with linear layouts",
                counted(own.bytes(), "byte"),
                own.element,
                counted(first.bytes(), "byte"),
                first.element
            );
            problems.error(op.origin, Code::TypeMismatch, message);
        }
    }
}
