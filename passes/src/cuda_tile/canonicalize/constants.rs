//! Places each constant once, before all other ops.

use rustc_hash::FxHashMap;
use tilewright_irs::core::{Block, Body, OpId};
use tilewright_irs::cuda_tile::{CudaTile, ShapeOp, TileOp, TileType};
use tilewright_irs::literal::Dense;

use super::look::Cx;

/// The constants of the function and of enclosing bodies of reductions and scans, the innermost last. Such a body has
/// its own, so that it can be moved as a whole.
pub(super) struct Constants {
    scopes: Vec<Scope>,
}

#[derive(Default)]
struct Scope {
    /// The block for constants: that of the first op of the scope.
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
    /// Enters a body with its own constants.
    pub(super) fn enter(&mut self) {
        self.scopes.push(Scope::default());
    }

    /// Leaves it.
    pub(super) fn leave(&mut self) {
        self.scopes.pop();
    }

    /// Sets the current block; the first one of a scope receives its constants.
    pub(super) fn stand_in(&mut self, block: Block) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.block.get_or_insert(block);
        }
    }

    /// The op of a constant, created if necessary, before the insertion point.
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

/// Moves the constants of the function's own block to its start: those that were there already, preceded by those
/// found later, the last one first. Returns whether anything moved.
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
