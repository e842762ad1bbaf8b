//! What the rules look at, and what they answer.

use tilewright_irs::core::{OpId, SideTable, Translation, Value};
use tilewright_irs::cuda_tile::{CudaTile, ShapeOp, Tile, TileOp, TileType};
use tilewright_irs::literal::{Dense, Literal};

use crate::cuda_tile::behaviour::splat;

/// A kernel on its way from `cuda_tile` to `cuda_tile`.
pub(super) type Cx<'a> = Translation<'a, CudaTile, CudaTile>;

/// What an op is instead.
pub(super) enum Simpler {
    /// A value that is there already.
    Value(Value),
    /// A constant.
    Constant(Dense),
    /// Another op.
    Op(TileOp),
    /// An op on a new constant of this type.
    OpOn(Dense, TileType, Box<dyn FnOnce(Value) -> TileOp>),
    /// The negation of a truth value.
    Not(Value),
    /// An op on the negation of a truth value.
    OnNot(Value, Box<dyn FnOnce(Value) -> TileOp>),
}

/// The new body, to look at.
pub(super) struct Look<'a, 'b> {
    pub(super) cx: &'b Cx<'a>,
    pub(super) defined: &'b SideTable<Value, OpId>,
}

impl<'b> Look<'_, 'b> {
    /// The op that defines a value.
    pub(super) fn op(&self, value: Value) -> Option<&'b TileOp> {
        let body = self.cx.new_body();
        self.defined.get(value).map(|&id| &body.op(id).kind)
    }

    /// The constant that a value is.
    pub(super) fn dense(&self, value: Value) -> Option<&'b Dense> {
        match self.op(value)? {
            TileOp::Shape(ShapeOp::Constant { value }) => Some(value),
            _ => None,
        }
    }

    /// The one number that each element of a value is.
    pub(super) fn splat(&self, value: Value) -> Option<Literal> {
        splat(&|value| self.op(value), value)
    }

    pub(super) fn ty(&self, value: Value) -> &'b TileType {
        self.cx.new_body().ty(value)
    }

    pub(super) fn tile(&self, value: Value) -> Option<&'b Tile> {
        self.ty(value).as_tile()
    }
}
