//! The tiles of which a thread needs the first element of each vector only: pointers to what is accessed in vectors, and masks.

use rustc_hash::FxHashMap;
use tilewright_irs::core::{Body, Operation, Value, ValueType};
use tilewright_irs::dialects::tile::TileOp;
use tilewright_irs::element::ElementType;
use tilewright_irs::scheduled::{Scheduled, ScheduledOp};
use tilewright_irs::tileas::{CopyAtom, TileAsDialect};

/// The elements of the vectors of such tiles.
pub(in crate::scheduled) fn vectors(body: &Body<Scheduled>) -> FxHashMap<Value, u32> {
    let mut found: FxHashMap<Value, u32> = FxHashMap::default();
    // Uses come after definitions.
    for id in body.walk().into_iter().rev() {
        let op = body.op(id);
        let of_result = || op.results().next().and_then(|result| found.get(&result)).copied();
        let (vector, places) = match &op.kind {
            ScheduledOp::TileAs(
                TileAsDialect::GatherIn {
                    pointers, mask, atom, ..
                }
                | TileAsDialect::GatherLoad {
                    pointers, mask, atom, ..
                }
                | TileAsDialect::ScatterStore {
                    pointers, mask, atom, ..
                }
                | TileAsDialect::AtomicScatter {
                    pointers, mask, atom, ..
                },
            ) => (
                elements(body, *pointers, atom),
                [Some(*pointers), *mask].into_iter().flatten().collect(),
            ),
            ScheduledOp::Arith(_) | ScheduledOp::Tile(TileOp::PtrAdd { .. }) => {
                (of_result().unwrap_or(1), op.kind.operand_list().to_vec())
            }
            _ => (1, Vec::new()),
        };
        for operand in op.kind.operand_list() {
            let wanted = if places.contains(&operand) { vector } else { 1 };
            let known = found.entry(operand).or_insert(wanted);
            *known = wanted.min(*known);
        }
    }
    found
}

/// The elements that an access through pointers moves at a time.
fn elements(body: &Body<Scheduled>, pointers: Value, atom: &CopyAtom) -> u32 {
    let bytes = match body.ty(pointers).element() {
        Some(ElementType::Ptr(element)) => element.bytes(),
        _ => None,
    };
    let elements = bytes.zip(atom.bits()).map(|(bytes, bits)| bits / (8 * bytes));
    elements.unwrap_or(1).max(1)
}
