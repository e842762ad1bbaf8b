//! Operands that are views of one tile, which share a buffer: the tile is stored, or copied from global memory, once.

use rustc_hash::FxHashMap;
use tilewright_irs::core::{Block, OpId, Value};
use tilewright_irs::tileas::{TileAsDialect, TileAsOp};
use tilewright_layouts::LinearLayout;

use super::Operands;
use super::copies::Loads;

/// Has operands share the buffer of the first one of them, in textual order, that is a view of the same tile: if their buffers are
/// the same seen as buffers of that tile, and the conversions are in one block.
///
/// A tile that several conversions read is copied from global memory only if all of them share a buffer.
pub(super) fn share(loads: &Loads<'_>, operands: &mut Operands) {
    let body = loads.body();
    let mut owners: FxHashMap<(Value, Block), Vec<(Value, LinearLayout)>> = FxHashMap::default();
    let mut shared: FxHashMap<Value, usize> = FxHashMap::default();
    let conversions: Vec<(OpId, Value)> = body
        .walk()
        .into_iter()
        .filter_map(|id| match body.op(id).kind {
            TileAsOp::TileAs(TileAsDialect::ConvertLayout { .. }) => Some((id, body.op(id).result(0))),
            _ => None,
        })
        .collect();
    for (id, value) in conversions {
        let Some(operand) = operands
            .get_mut(&value)
            .filter(|operand| operand.rounding.is_none())
        else {
            continue;
        };
        let seen = operand.memory.buffer.linear().cloned();
        let Some((root, layout)) = seen.and_then(|layout| loads.root(operand.source, layout)) else {
            continue;
        };
        let Some(block) = loads.block(id) else { continue };
        *shared.entry(root).or_default() += 1;
        let known = owners.entry((root, block)).or_default();
        match known.iter().find(|(_, other)| *other == layout) {
            Some((owner, _)) => operand.owner = Some(*owner),
            None => known.push((value, layout)),
        }
    }
    let alone: Vec<Value> = operands
        .iter()
        .filter(|(_, operand)| operand.copy.is_some())
        .filter(|(_, operand)| {
            let root = loads.root_of(operand.source);
            let together = owners.iter().filter(|((other, _), _)| *other == root);
            let buffers: usize = together.map(|(_, buffers)| buffers.len()).sum();
            let readers = loads.conversions_of(root);
            readers > 1 && (buffers != 1 || shared.get(&root) != Some(&readers))
        })
        .map(|(&value, _)| value)
        .collect();
    for value in alone {
        if let Some(operand) = operands.get_mut(&value) {
            operand.copy = None;
        }
    }
}
