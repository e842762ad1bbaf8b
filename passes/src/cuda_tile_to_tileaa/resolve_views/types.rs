//! Maps types and enumerations of `cuda_tile` to those of `tileaa`.

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::Origin;
use tilewright_irs::cuda_tile::{MemoryOrdering, MemoryScope, PaddingValue, Tile, TileType};
use tilewright_irs::dialects::memory::{self, MemoryOrder, Padding};
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::tileaa::{TileAaKind, TileAaType};
use tilewright_layouts::MAX_RANK;

type Converted<T> = Result<T, Diagnostic<Origin>>;

/// The error for a valid but unsupported construct.
pub(super) fn unsupported(code: Code, what: impl Into<String>) -> Diagnostic<Origin> {
    Diagnostic::error(code, format!("{} is not supported yet", what.into()))
}

/// A tile's type. A tile of rank 0 is a scalar.
pub(super) fn tile(tile: &Tile) -> Converted<TileAaType> {
    let element = tile.element.plain();
    let mut shape = Vec::with_capacity(tile.shape.len());
    for &extent in tile.shape.iter() {
        let Ok(extent) = u32::try_from(extent) else {
            return Err(unsupported(
                Code::UnsupportedType,
                format!("a tile extent of {extent}"),
            ));
        };
        shape.push(extent);
    }
    if shape.len() > MAX_RANK {
        let what = format!("a tile of {} axes (at most {MAX_RANK})", shape.len());
        return Err(unsupported(Code::UnsupportedType, what));
    }
    Ok(TileAaType::tile(&shape, element))
}

/// The type of a value other than a view.
pub(super) fn value(ty: &TileType) -> Converted<TileAaType> {
    match ty {
        TileType::Tile(ty) => tile(ty),
        TileType::Token => Ok(TileAaType::new(TileAaKind::Token)),
        TileType::TensorView(_)
        | TileType::PartitionView(_)
        | TileType::StridedView(_)
        | TileType::GatherScatterView(_) => Err(unsupported(
            Code::UnsupportedFeature,
            format!("a value of type `{ty}` that is not made by a view op"),
        )),
    }
}

/// The element type, if it is not supported yet.
pub(super) fn unsupported_element(ty: &TileType) -> Option<ScalarType> {
    let element = match ty {
        TileType::Tile(tile) => tile.element.plain(),
        TileType::TensorView(tensor) => tensor.element.into(),
        TileType::PartitionView(view) => view.tensor.element.into(),
        TileType::StridedView(view) => view.tensor.element.into(),
        TileType::GatherScatterView(view) => view.tensor.element.into(),
        TileType::Token => return None,
    };
    let (ElementType::Scalar(scalar) | ElementType::Ptr(scalar)) = element;
    match scalar {
        ScalarType::I1
        | ScalarType::I8
        | ScalarType::I16
        | ScalarType::I32
        | ScalarType::I64
        | ScalarType::F16
        | ScalarType::BF16
        | ScalarType::F32
        | ScalarType::F64 => None,
        ScalarType::I4
        | ScalarType::TF32
        | ScalarType::F8E4M3FN
        | ScalarType::F8E5M2
        | ScalarType::F8E8M0FNU
        | ScalarType::F4E2M1FN
        | ScalarType::F8E5M3FNU => Some(scalar),
    }
}

pub(super) fn order(ordering: MemoryOrdering, op: &str) -> Converted<MemoryOrder> {
    match ordering {
        MemoryOrdering::Weak => Ok(MemoryOrder::Weak),
        MemoryOrdering::Relaxed => Ok(MemoryOrder::Relaxed),
        MemoryOrdering::Acquire => Ok(MemoryOrder::Acquire),
        MemoryOrdering::Release => Ok(MemoryOrder::Release),
        MemoryOrdering::AcqRel => Err(unsupported(
            Code::UnsupportedFeature,
            format!("`{op}` with ordering `{ordering}`"),
        )),
    }
}

pub(super) fn scope(scope: MemoryScope) -> memory::MemoryScope {
    match scope {
        MemoryScope::TileBlock => memory::MemoryScope::Block,
        MemoryScope::Device => memory::MemoryScope::Device,
        MemoryScope::System => memory::MemoryScope::System,
    }
}

pub(super) fn padding(padding: PaddingValue) -> Padding {
    match padding {
        PaddingValue::Zero => Padding::Zero,
        PaddingValue::NegZero => Padding::NegZero,
        PaddingValue::Nan => Padding::Nan,
        PaddingValue::PosInf => Padding::PosInf,
        PaddingValue::NegInf => Padding::NegInf,
    }
}
