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

/// Whether two elements share a byte.
pub(super) const fn is_packed(element: ScalarType) -> bool {
    element.bytes().is_none()
}

/// Refuses an access through pointers to elements of which two share a byte: they address whole bytes.
pub(super) fn whole_bytes(pointers: &TileType, op: &str) -> Converted<()> {
    let element = pointers.as_tile().map(|tile| tile.element.plain());
    match element {
        Some(ElementType::Ptr(pointee)) if is_packed(pointee) => Err(unsupported(
            Code::UnsupportedType,
            format!("`{op}` of pointers to `{pointee}`, of which two share a byte,"),
        )
        .help("use a view of the array, or pointers to i8 and `unpack`")),
        Some(ElementType::Ptr(_) | ElementType::Scalar(_)) | None => Ok(()),
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
