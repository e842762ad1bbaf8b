//! Operands that are views of one tile, which share a buffer: the tile is stored, or copied from global memory, once.

use rustc_hash::FxHashMap;
use tilewright_irs::core::{Block, Value};
use tilewright_irs::tileas::{TileAsDialect, TileAsOp};
use tilewright_layouts::LinearLayout;

use super::Operands;
use super::copies::Loads;

/// The operands that are views of one tile.
#[derive(Default)]
struct Views {
    operands: Vec<Value>,
    /// Of those, how many could be copied from global memory.
    copied: usize,
    /// The first operand with each buffer, the buffer's layout for the tile, and the block of the conversion.
    owners: Vec<(Value, LinearLayout, Block)>,
}

/// Has operands share the buffer of the first one of them, in textual order, that is a view of the same tile: if their buffers are
/// the same seen as buffers of that tile, and the conversions are in one block.
///
/// A tile that several conversions read is copied from global memory only if all of them could read such a copy, in one buffer.
pub(super) fn share(loads: &Loads<'_>, operands: &mut Operands) {
    let body = loads.body();
    let mut tiles: FxHashMap<Value, Views> = FxHashMap::default();
    for id in body.walk() {
        let TileAsOp::TileAs(TileAsDialect::ConvertLayout { .. }) = body.op(id).kind else {
            continue;
        };
        let value = body.op(id).result(0);
        let stored = operands
            .get_mut(&value)
            .filter(|operand| operand.computed.is_none());
        let (Some(operand), Some(block)) = (stored, loads.block(id)) else {
            continue;
        };
        let seen = operand.memory.buffer.linear().cloned();
        let Some((tile, layout)) = seen.and_then(|layout| loads.root(operand.source, layout)) else {
            continue;
        };
        let views = tiles.entry(tile).or_default();
        views.operands.push(value);
        views.copied += usize::from(operand.copy.is_some());
        let same = |(_, other, at): &&(Value, LinearLayout, Block)| *other == layout && *at == block;
        match views.owners.iter().find(same) {
            Some((owner, ..)) => operand.owner = Some(*owner),
            None => views.owners.push((value, layout, block)),
        }
    }
    for (tile, views) in tiles {
        let readers = loads.conversions_of(tile);
        if readers > 1 && (views.owners.len() > 1 || views.copied < readers) {
            for value in views.operands {
                if let Some(operand) = operands.get_mut(&value) {
                    operand.copy = None;
                }
            }
        }
    }
}
