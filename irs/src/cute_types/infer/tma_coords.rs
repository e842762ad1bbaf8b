//! Coordinates that tensor maps name: of their tensors, of what an instruction overrides, and of what is left of a tensor.

use std::num::NonZeroU64;

use tilewright_layouts::cute::{CuteError, Fact, LayoutOf, Leaf, Nested, Scaled, SlotOf, Stride, TypeLeaf};

use super::question::{Asked, Outcomes, Refusal, one};
use super::tensor::Tensor;
use crate::cute_types::atoms::{
    CopyAtom, TiledLoad, TiledReduce, TiledStore, TmaFormat, TmaLoad, TmaReduce, TmaStore,
};
use crate::cute_types::types::Kind;
use crate::cute_types::view::{CoordTensor, View};

/// The same memory in elements of a map, of which one is `wide` bits.
pub(super) fn recast<L: TypeLeaf>(
    layout: &LayoutOf<L>,
    narrow: u64,
    wide: u64,
) -> Result<LayoutOf<L>, CuteError> {
    match wide >= narrow {
        true => layout.upcast(wide / narrow.max(1)),
        false => layout.downcast(narrow / wide.max(1)),
    }
}

/// The coordinates of a map as a tensor of the shape of the memory. In the first mode a step is as long as in memory.
pub(super) fn coordinates<L: TypeLeaf>(
    tensor: &LayoutOf<L>,
    memory: &LayoutOf<L>,
    basis: &LayoutOf<L>,
    (narrow, wide): (u64, u64),
) -> Result<CoordTensor<L>, Refusal> {
    let identity = LayoutOf::identity(&tensor.shape())?;
    let leaves = tensor.tree().leaves().zip(memory.tree().leaves());
    let mut leaves = leaves.zip(identity.tree().leaves());
    let stride = tensor.stride().try_map(&mut |_| {
        let Some(((own, leaf), vector)) = leaves.next() else {
            return Ok(Scaled::from(L::from(0)));
        };
        if leaf.shape.is(1) || leaf.stride.is(0) {
            return Ok(Scaled::from(L::from(0)));
        }
        let places = basis.modes().position(|mode| {
            let mut strides = mode.tree().leaves();
            strides.any(|known| known.stride.same(&vector.stride))
        });
        Ok(match places {
            None => Scaled::from(L::from(0)),
            Some(0) => first_step(own.stride.factor(), narrow, wide)?,
            Some(place) => Scaled::new(L::from(1), vec![u32::try_from(place).unwrap_or(u32::MAX)]),
        })
    });
    let layout = LayoutOf::new(
        tensor.shape(),
        stride.map_err(|error: CuteError| Refusal::from(error))?,
    )?;
    let origin = Nested::Tuple(vec![Nested::Leaf(L::from(0)); basis.rank()]);
    Ok(CoordTensor { origin, layout })
}

/// A step along the first mode of a map in elements of the map, of which one is `wide` bits.
fn first_step<L: TypeLeaf>(stride: &L, narrow: u64, wide: u64) -> Result<Scaled<L>, CuteError> {
    let ratio = NonZeroU64::new(wide / narrow.max(1)).unwrap_or(NonZeroU64::MIN);
    let unit = Scaled::new(L::from((narrow / wide).max(1)), vec![0]).over(ratio);
    unit.scaled(stride)
}

/// The coordinates of a shape by the strides that an instruction overrides.
pub(super) fn get_coord_tensor<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    let strides = match asked.cute(0)? {
        Kind::Copy(CopyAtom::TmaLoad(TmaLoad { strides, .. })) => strides,
        Kind::Copy(CopyAtom::TmaStore(TmaStore { strides, .. })) => strides,
        Kind::Copy(CopyAtom::TmaReduce(TmaReduce { strides, .. })) => strides,
        _ => return Err(asked.wrong(0, "a copy by a tensor map that is bound")),
    };
    let Kind::Shape(shape) = asked.cute(1)? else {
        return Err(asked.wrong(1, "a shape"));
    };
    if asked.operands.len() > 2 {
        return Err(Refusal::new(
            "a tensor of coordinates has no layout under another one, which operands 2 and 3 ask for",
        ));
    }
    let strides = strides.try_map(&mut |stride: &Scaled<Fact>| match stride.factor().is_static() {
        true => Ok(stride.map(|factor| L::input(*factor, 0))),
        false => Err(asked.wrong(0, "an instruction with static strides")),
    });
    let layout = LayoutOf::new(shape.clone(), strides?)?;
    let origin = layout.index_of(&Nested::Leaf(SlotOf::All))?;
    one(Kind::CoordTensor(CoordTensor { origin, layout }))
}

/// How much is left of a tensor at each element: the extents of the map's modes, and from there backwards.
pub(super) fn make_residue_tensor<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    let (basis, format): (_, &TmaFormat) = match asked.cute(0)? {
        Kind::Copy(CopyAtom::TiledLoad(TiledLoad { basis, format, .. })) => (basis, format),
        Kind::Copy(CopyAtom::TiledStore(TiledStore { basis, format, .. })) => (basis, format),
        Kind::Copy(CopyAtom::TiledReduce(TiledReduce { basis, format, .. })) => (basis, format),
        _ => return Err(asked.wrong(0, "a tensor map that is not bound")),
    };
    let Tensor::Memory(View { pointer, layout }) = asked.tensor(1)? else {
        return Err(asked.wrong(1, "a tensor in global memory"));
    };
    let (narrow, wide) = (u64::from(pointer.element_bits()), format.bits());
    let tensor = layout.layout();
    let memory = recast(tensor, narrow, wide)?;
    let identity = LayoutOf::identity(&tensor.shape())?;
    let extents = basis.modes().map(|mode| {
        let mut paths = mode.tree().leaves().map(|leaf| leaf.stride.path());
        let path = paths.next().unwrap_or(&[]);
        if paths.any(|other| other != path) {
            return Err(asked.wrong(0, "a tensor map without modes that stand for several"));
        }
        let mut leaves = memory.tree().leaves().zip(identity.tree().leaves());
        let known = leaves.find(|(_, vector)| vector.stride.path() == path);
        let known = known.map(|(leaf, _)| Nested::Leaf(leaf.shape.clone()));
        known.ok_or_else(|| asked.wrong(1, "a tensor with the modes of the tensor map"))
    });
    let origin = Nested::Tuple(extents.collect::<Result<_, _>>()?);
    let basis = basis.map_leaves(&mut |leaf| L::input(*leaf, 0));
    let CoordTensor { layout, .. } = coordinates(tensor, &memory, &basis, (narrow, wide))?;
    let back = L::number(-1);
    let stride = layout.stride().try_map(&mut |stride| stride.scaled(&back))?;
    let layout = LayoutOf::new(layout.shape(), stride)?;
    one(Kind::CoordTensor(CoordTensor { origin, layout }))
}
