//! Pointers and what is read through them.

use std::num::NonZeroU32;

use tilewright_layouts::cute::{Nested, TypeLeaf};

use super::question::{Asked, Outcome, Outcomes, Refusal, one};
use super::tensor::{Tensor, moved};
use crate::cute_types::element::Element;
use crate::cute_types::pointer::Pointer;
use crate::cute_types::types::Kind;
use crate::cute_types::value::ValueType;
use crate::cute_types::view::ViewLayout;

pub(super) fn add_offset<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    let offset = asked.tuple(1)?;
    match asked.cute(0)? {
        Kind::Pointer(pointer) => {
            let moved = Kind::Pointer(moved(pointer, &offset)?);
            one(Outcome::starting(moved, offset))
        }
        Kind::CoordIterator(origin) => one(Kind::CoordIterator(origin.plus(&offset)?)),
        Kind::Descriptor(descriptor) => one(Outcome::starting(Kind::Descriptor(*descriptor), offset)),
        _ => Err(asked.wrong(0, "an iterator")),
    }
}

/// The pointer moved by an index in memory times a stride.
pub(super) fn load_scaled_index<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    match asked.cute(0)? {
        Kind::Pointer(pointer) => one(Kind::Pointer(moved(pointer, &Nested::Leaf(asked.integer(3)?))?)),
        _ => Err(asked.wrong(0, "a pointer")),
    }
}

/// The address is another, the type is the same.
pub(super) fn apply_swizzle<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    if let ValueType::Machine(address @ Element::Address(_)) = asked.operand(0)? {
        return one(address.clone());
    }
    match asked.cute(0)? {
        Kind::Pointer(pointer) => one(Kind::Pointer(pointer.clone())),
        _ => Err(asked.wrong(0, "a pointer")),
    }
}

/// An element as a value.
fn value<L: TypeLeaf>(asked: &Asked<'_, L>, pointer: &Pointer) -> Result<Element, Refusal> {
    let element = pointer.element();
    element
        .cloned()
        .ok_or_else(|| asked.wrong(0, "a pointer to elements of a type"))
}

pub(super) fn ptr_load<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    match asked.cute(0)? {
        Kind::Pointer(pointer) => one(value(asked, pointer)?),
        _ => Err(asked.wrong(0, "a pointer")),
    }
}

pub(super) fn load<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    let coord = asked.coord(1)?;
    match asked.tensor(0)? {
        Tensor::Memory(view) => {
            let start = match &view.layout {
                ViewLayout::Plain(layout) => layout.index_of(&coord)?,
                ViewLayout::Composed(composed) => composed.index_of(&coord)?,
            };
            one(Outcome::starting(value(asked, &view.pointer)?, start))
        }
        Tensor::Coords(tensor) => {
            let index = tensor.layout.index_of(&coord)?;
            one(Kind::IntTuple(tensor.origin.plus(&index)?))
        }
        Tensor::Layout(_) | Tensor::Composed(_) | Tensor::Descriptors(_) => {
            Err(asked.wrong(0, "a tensor in memory or of coordinates"))
        }
    }
}

/// All elements of a static layout, as a vector.
pub(super) fn load_vec<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    let Tensor::Memory(view) = asked.tensor(0)? else {
        return Err(asked.wrong(0, "a tensor in memory"));
    };
    let size = view.layout.layout().size()?.known();
    let size = size
        .and_then(|size| u32::try_from(size).ok())
        .and_then(NonZeroU32::new);
    let size = size.ok_or_else(|| asked.wrong(0, "a tensor of a static size"))?;
    match value(asked, &view.pointer)? {
        Element::Number(number) => one(Element::Vector(size, number)),
        _ => Err(asked.wrong(0, "a tensor of numbers")),
    }
}
