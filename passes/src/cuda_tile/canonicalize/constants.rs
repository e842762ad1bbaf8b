//! Each constant once, before all other ops.

use rustc_hash::FxHashMap;
use tilewright_irs::core::{Block, Body, OpId};
use tilewright_irs::cuda_tile::{CudaTile, ShapeOp, TileOp, TileType};
use tilewright_irs::literal::Dense;

use super::look::Cx;

/// The constants of the function and of the bodies of reductions and scans around, the innermost last. Such a body
/// keeps its own, so that it can be carried about as one piece.
pub(super) struct Constants {
    scopes: Vec<Scope>,
}

#[derive(Default)]
struct Scope {
    /// Where constants stand: the block of the first op of the scope.
    block: Option<Block>,
    known: FxHashMap<(Dense, TileType), OpId>,
}

impl Default for Constants {
    fn default() -> Self {
        Self {
            scopes: vec![Scope::default()],
        }
    }
}

impl Constants {
    /// A body begins that keeps its constants.
    pub(super) fn enter(&mut self) {
        self.scopes.push(Scope::default());
    }

    /// It ends.
    pub(super) fn leave(&mut self) {
        self.scopes.pop();
    }

    /// Says which block ops are written to; the first one of a scope has its constants.
    pub(super) fn stand_in(&mut self, block: Block) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.block.get_or_insert(block);
        }
    }

    /// The op that gives a constant, made if there is none. It stands before what is being written.
    pub(super) fn get(&mut self, cx: &mut Cx<'_>, value: Dense, ty: &TileType) -> OpId {
        let key = (value, ty.clone());
        let current = cx.current();
        let Some(scope) = self.scopes.last_mut() else {
            return written(cx, current, key);
        };
        if let Some(&known) = scope.known.get(&key) {
            return known;
        }
        let id = written(cx, scope.block.unwrap_or(current), key.clone());
        scope.known.insert(key, id);
        id
    }
}

fn written(cx: &mut Cx<'_>, block: Block, (value, ty): (Dense, TileType)) -> OpId {
    let op = TileOp::from(ShapeOp::Constant { value });
    cx.within(block, |cx| cx.build().op(op, [ty]))
}

/// Puts the constants of the function's own block first: those that stood there already, and before them each one
/// that was found further on, the last one first. Whether anything moved.
pub(super) fn first(body: &mut Body<CudaTile>) -> bool {
    let Some(entry) = body.entry() else { return false };
    let is_constant = |&id: &OpId| matches!(body.op(id).kind, TileOp::Shape(ShapeOp::Constant { .. }));
    let ops = &body.block(entry).ops;
    let leading = ops.iter().take_while(|id| is_constant(id)).count();
    let (head, rest) = ops.split_at(leading);
    let (mut order, others): (Vec<OpId>, Vec<OpId>) = rest.iter().partition(|id| is_constant(id));
    if order.is_empty() {
        return false;
    }
    order.reverse();
    order.extend(head);
    order.extend(others);
    body.arrange_ops(entry, order);
    true
}
