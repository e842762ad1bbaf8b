//! Shorthands for the types and constants of the ops.

use tilewright_irs::core::{Builder, Flag, Value};
use tilewright_irs::cuda_tile::{CudaTile, Element, ShapeOp, TileType};
use tilewright_irs::element::ScalarType as S;
use tilewright_irs::literal::{Dense, Literal};

pub(crate) const OFF: Flag = Flag(false);
pub(crate) const ON: Flag = Flag(true);

pub(crate) fn tile(shape: &[u64], element: impl Into<Element>) -> TileType {
    TileType::tile(shape, element)
}

pub(crate) fn scalar(element: impl Into<Element>) -> TileType {
    TileType::scalar(element)
}

pub(crate) type Build<'a> = Builder<'a, CudaTile>;

pub(crate) fn constant(b: &mut Build<'_>, shape: &[u64], ty: S) -> Value {
    let value = Dense::Splat(Literal::new(ty, 1));
    b.value(ShapeOp::Constant { value }, tile(shape, ty))
}
