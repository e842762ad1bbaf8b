//! Iterators over the tiles of a tensor: a base address, the number of the tile, and the distance of tiles.

use tilewright_diagnostics::Code;

use super::rules::AlgebraValue;
use crate::core::{Body, Language, OpData, Operation, Value, ValueType as _};
use crate::cute_types::{CuteType, Kind, Pointer};
use crate::element::ElementType;

crate::dialect! {
    /// Iterators over tiles.
    pub enum IteratorOp: "cute" {
        /// An iterator at tile 0 of tiles that begin `stride` elements apart, and how many tiles of `tile` elements cover `extent`
        /// elements; each number is an i32.
        MakeTileIterator "make_tile_iterator" { base: Value, extent: Value, tile: Value, stride: Value } -> 2, Pure, Free;
        /// The iterator so many tiles (an i32) further.
        Advance "advance" { iterator: Value, tiles: Value } -> 1, Pure, Free;
        /// The iterator so many tiles (an i32) back.
        Rewind "rewind" { iterator: Value, tiles: Value } -> 1, Pure, Free;
        /// The pointer to the first element of the tile at which an iterator is.
        DerefTile "deref_tile" { iterator: Value } -> 1, Pure, Free;
    }
}

type Checked = Result<(), (Code, String)>;

/// The pointer that an iterator of this base gives: of any tile, so aligned to an element only.
#[must_use]
pub fn tile_pointer(base: &Pointer) -> Pointer {
    base.moved(u64::from(base.element_bits()))
}

/// Verifies an op.
///
/// # Errors
/// The error.
pub fn check<L: Language<Type: AlgebraValue>>(body: &Body<L>, op: &OpData<L>, own: &IteratorOp) -> Checked {
    let name = own.name();
    let is_count = |value: Value| {
        let ty = body.ty(value);
        match ty.is_single() && ty.element() == Some(ElementType::I32) {
            true => Ok(()),
            false => Err((Code::OperandType, format!("a number of `{name}` is an i32"))),
        }
    };
    let base_of = |value: Value| {
        let base = body.ty(value).tile_iterator();
        base.ok_or_else(|| {
            (
                Code::OperandType,
                format!("`{name}` takes an iterator over tiles"),
            )
        })
    };
    let result_is = |holds: bool, expected: String| match holds {
        true => Ok(()),
        false => Err((
            Code::TypeMismatch,
            format!("the result of `{name}` is `{expected}`"),
        )),
    };
    match own {
        IteratorOp::MakeTileIterator {
            base,
            extent,
            tile,
            stride,
        } => {
            [*extent, *tile, *stride].into_iter().try_for_each(is_count)?;
            let Some(Kind::Pointer(pointer)) = body.ty(*base).algebra().map(CuteType::kind) else {
                let message = format!("`{name}` takes a pointer of `cute`");
                return Err((Code::OperandType, message));
            };
            if pointer.swizzle().is_some() {
                let message = "tiles begin at addresses without a swizzle: apply it first";
                return Err((Code::OperandType, message.to_owned()));
            }
            let expected = CuteType::from(Kind::Pointer(pointer.clone()));
            let holds = body.ty(op.result(0)).tile_iterator() == Some(&expected);
            result_is(holds, format!("tile_iterator<{expected}>"))?;
            is_count(op.result(1))
        }
        IteratorOp::Advance { iterator, tiles } | IteratorOp::Rewind { iterator, tiles } => {
            is_count(*tiles)?;
            let base = base_of(*iterator)?;
            let holds = body.ty(op.result(0)).tile_iterator() == Some(base);
            result_is(holds, format!("tile_iterator<{base}>"))
        }
        IteratorOp::DerefTile { iterator } => match base_of(*iterator)?.kind() {
            Kind::Pointer(base) => {
                let expected = CuteType::from(Kind::Pointer(tile_pointer(base)));
                let holds = body.ty(op.result(0)).algebra() == Some(&expected);
                result_is(holds, expected.to_string())
            }
            _ => Err((
                Code::OperandType,
                format!("`{name}` takes an iterator over tiles"),
            )),
        },
    }
}
