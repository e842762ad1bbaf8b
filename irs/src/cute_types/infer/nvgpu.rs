//! Ops whose results are of the type of an operand, or always of one type.

use std::num::NonZeroU64;

use tilewright_layouts::cute::TypeLeaf;

use super::divmod::integer;
use super::question::{Asked, Outcomes, one};
use crate::cute_types::element::{Element, Opaque};
use crate::cute_types::pointer::{Pointer, Space};
use crate::cute_types::types::Kind;
use crate::cute_types::value::ValueType;
use crate::cute_types::view::Descriptor;

/// The type of operand 0: of an atom with a field set, of a number that is the same in a warp.
pub(super) fn like_first<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    one(asked.operand(0)?.clone())
}

/// A number of bytes of 64 bits.
pub(super) fn bytes64<L: TypeLeaf>(_: &Asked<'_, L>) -> Outcomes<L> {
    one(integer(64))
}

/// A number of bytes of 32 bits.
pub(super) fn bytes32<L: TypeLeaf>(_: &Asked<'_, L>) -> Outcomes<L> {
    one(integer(32))
}

/// What `wgmma` and `tcgen05` take.
pub(super) fn descriptor<L: TypeLeaf>(_: &Asked<'_, L>) -> Outcomes<L> {
    one(Kind::Descriptor(Descriptor::Plain))
}

/// What `tcgen05` of sm_107 takes.
pub(super) fn descriptor_sm107<L: TypeLeaf>(_: &Asked<'_, L>) -> Outcomes<L> {
    one(Kind::Descriptor(Descriptor::Sm107))
}

/// The bytes that a tensor map is aligned to.
const MAP_ALIGN: u64 = 64;

/// A pointer to a parameter that does not change in the grid.
pub(super) fn grid_constant<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    let (element, align) = match asked.operand(0)? {
        ValueType::Machine(machine) => (machine.clone(), u64::from(machine.bits() / 8)),
        ValueType::Cute(cute) => match cute.kind() {
            Kind::Opaque(opaque @ (Opaque::TiledMap | Opaque::Im2colMap)) => {
                (Element::Opaque(*opaque), MAP_ALIGN)
            }
            _ => return Err(asked.wrong(0, "a number or a tensor map")),
        },
    };
    let align = NonZeroU64::new(align).unwrap_or(NonZeroU64::MIN);
    one(Kind::Pointer(Pointer::new(
        Some(element),
        Space::Generic,
        align,
        None,
    )))
}
