//! Tensor maps: as the host makes them from tensors, and the parts that one instruction copies.

use tilewright_layouts::cute::{
    CoordOf, CuteError, Fact, LayoutOf, Nested, Part, Scaled, SlotOf, Stride, TilerOf, TypeLayout, TypeLeaf,
};

use super::question::{Asked, Outcome, Outcomes, Refusal, one};
use super::tensor::Tensor;
use super::tma_coords::{coordinates, recast};
use crate::cute_types::atoms::{
    CopyAtom, Im2colLoad, Im2colStore, Reduction, TiledLoad, TiledReduce, TiledStore, TmaArch, TmaFormat,
    TmaLoad, TmaMode, TmaReduce, TmaStore,
};
use crate::cute_types::element::{Element, Float, Number, Sign};
use crate::cute_types::types::Kind;
use crate::cute_types::view::{CoordTensor, View};
use std::num::NonZeroU32;

/// No strides that the instruction overrides.
fn no_strides() -> Nested<Scaled<Fact>> {
    Nested::Tuple(Vec::new())
}

/// The instruction of a tensor map.
pub(super) fn make_exec_tma<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    let Kind::Copy(atom) = asked.cute(0)? else {
        return Err(asked.wrong(0, "a tensor map"));
    };
    let load = |arch: TmaArch, value: &Element, bits: NonZeroU32, basis: &TypeLayout, mode| {
        let (pair, multicast) = match arch {
            TmaArch::Sm90 => (false, false),
            TmaArch::Sm90Multicast => (false, true),
            TmaArch::Sm100Pair => (true, false),
            TmaArch::Sm100PairMulticast => (true, true),
        };
        CopyAtom::TmaLoad(TmaLoad {
            value: value.clone(),
            bits,
            mode,
            blocks: NonZeroU32::MIN.saturating_add(u32::from(pair)),
            strides: no_strides(),
            multicast,
            basis: basis.clone(),
        })
    };
    let store = |value: &Element, bits: NonZeroU32, basis: &TypeLayout, mode| {
        CopyAtom::TmaStore(TmaStore {
            value: value.clone(),
            bits,
            mode,
            strides: no_strides(),
            basis: basis.clone(),
        })
    };
    one(Kind::Copy(match atom {
        CopyAtom::TiledLoad(TiledLoad {
            arch,
            value,
            bits,
            basis,
            ..
        }) => load(*arch, value, *bits, basis, TmaMode::Tiled),
        CopyAtom::Im2colLoad(Im2colLoad {
            arch,
            value,
            bits,
            basis,
            ..
        }) => load(*arch, value, *bits, basis, TmaMode::Im2col),
        CopyAtom::TiledStore(TiledStore {
            value, bits, basis, ..
        }) => store(value, *bits, basis, TmaMode::Tiled),
        CopyAtom::Im2colStore(Im2colStore {
            value, bits, basis, ..
        }) => store(value, *bits, basis, TmaMode::Im2col),
        CopyAtom::TiledReduce(TiledReduce {
            kind,
            value,
            bits,
            basis,
            ..
        }) => CopyAtom::TmaReduce(TmaReduce {
            value: value.clone(),
            bits: *bits,
            mode: TmaMode::Tiled,
            kind: *kind,
            strides: no_strides(),
            basis: basis.clone(),
        }),
        _ => return Err(asked.wrong(0, "a tensor map that is not bound")),
    }))
}

/// The elements as a tensor map says them.
fn format(element: &Element) -> Option<TmaFormat> {
    let Element::Number(number) = element else {
        return None;
    };
    Some(match number {
        Number::Float(Float::F16) => TmaFormat::F16,
        Number::Float(Float::BF16) => TmaFormat::BF16,
        Number::Float(Float::F32) => TmaFormat::F32,
        Number::Float(Float::TF32) => TmaFormat::TF32,
        Number::Float(Float::F64) => TmaFormat::F64,
        Number::Integer { sign, bits } => match (bits.get(), sign) {
            (4, _) => TmaFormat::U4,
            (8, _) => TmaFormat::U8,
            (16, _) => TmaFormat::U16,
            (32, Sign::Signed) => TmaFormat::S32,
            (32, _) => TmaFormat::U32,
            (64, Sign::Signed) => TmaFormat::S64,
            (64, _) => TmaFormat::U64,
            _ => return None,
        },
        Number::Float(float) => match float.bits() {
            4 => TmaFormat::U4,
            8 => TmaFormat::U8,
            _ => return None,
        },
    })
}

/// A tensor map of a tensor in global memory for boxes that fill a layout of shared memory.
struct Map<L: TypeLeaf> {
    value: Element,
    format: TmaFormat,
    /// From an index in the box to a coordinate of the tensor.
    basis: TypeLayout,
    /// The bits of a box.
    bits: NonZeroU32,
    /// The tensor of the map's coordinates.
    coords: CoordTensor<L>,
}

/// The largest extent of a box.
const MAX_BOX: u64 = 256;

/// The most modes of a tensor map.
const MAX_RANK: usize = 5;

fn map_of<L: TypeLeaf>(asked: &Asked<'_, L>) -> Result<Map<L>, Refusal> {
    let Tensor::Memory(View { pointer, layout }) = asked.tensor(0)? else {
        return Err(asked.wrong(0, "a tensor in global memory"));
    };
    let tensor = layout.layout();
    let shared = asked.tensor(1)?;
    let value = pointer.element().cloned();
    let value = value.ok_or_else(|| asked.wrong(0, "a tensor of elements of a type"))?;
    let format = match asked.word("tma_format")? {
        Some(word) => TmaFormat::from_word(word),
        None => format(&value),
    };
    let format = format.ok_or_else(|| Refusal::new(format!("a tensor map has no elements {value}")))?;
    let (wide, narrow) = (format.bits(), u64::from(value.bits()));
    let recast = |layout: &LayoutOf<L>| recast(layout, narrow, wide);
    // From an index in shared memory to a coordinate of the tensor, as long as whole modes begin there.
    let order = shared.layout().right_inverse()?;
    let all = asked.layout(2)?.composition(&order)?.coalesce();
    let whole = all.modes().take_while(|mode| {
        let mut steps = mode.tree().leaves().map(|leaf| leaf.stride.factor().is(1));
        steps.all(|one| one)
    });
    let modes: Vec<LayoutOf<L>> = whole.collect();
    if modes.is_empty() {
        return Err(Refusal::new(
            "the first elements in shared memory are no neighbours in a mode of the tensor",
        ));
    }
    let modes = LayoutOf::from_modes(modes);
    // The same steps through memory, in elements of the map, and as coordinates.
    let steps = recast(&tensor.composition(&modes)?)?;
    let identity = LayoutOf::identity(&tensor.shape())?;
    let through = identity.composition(&modes)?;
    let tile = LayoutOf::new(steps.shape(), through.stride())?;
    let boxes = boxes(&steps)?;
    let boxed = boxes
        .iter()
        .map(|extent| LayoutOf::strided(extent.clone(), L::from(1)));
    let mut start = L::from(1);
    let mut basis = Vec::new();
    for extent in boxed {
        let extent: LayoutOf<L> = extent?;
        let size = extent.size()?;
        let part = LayoutOf::strided(size.clone(), start.clone())?;
        basis.push(tile.composition(&part)?);
        start = start.times(&size)?;
    }
    // Modes of the tensor that the box does not have are of extent 1.
    let memory = recast(tensor)?;
    let has = |basis: &[LayoutOf<L>], vector: &Scaled<L>| {
        let mut strides = basis.iter().flat_map(|mode| mode.tree().leaves());
        strides.any(|leaf| leaf.stride.same(vector))
    };
    let box_rank = basis.len();
    for (leaf, vector) in memory.tree().leaves().zip(identity.tree().leaves()) {
        let counts = !leaf.shape.is(1) && !leaf.stride.is(0);
        if counts && !has(&basis[..box_rank.min(basis.len())], &vector.stride) {
            basis.push(LayoutOf::strided(L::from(1), vector.stride.clone())?);
        }
    }
    let basis: LayoutOf<L> = LayoutOf::from_modes(basis);
    let basis = match basis.rank() >= MAX_RANK {
        true => basis.group(MAX_RANK - 1..basis.rank())?,
        false => basis,
    };
    let coords = coordinates(tensor, &memory, &basis, (narrow, wide))?;
    let size = basis.size()?.known().and_then(|size| u64::try_from(size).ok());
    let bits = size.and_then(|size| u32::try_from(size.checked_mul(wide)?).ok());
    let bits = bits.and_then(NonZeroU32::new);
    let basis = basis.map_leaves(&mut L::fact);
    let bits = bits.ok_or_else(|| Refusal::new(format!("the box {basis} has no static size")))?;
    Ok(Map {
        value,
        format,
        basis,
        bits,
        coords,
    })
}

/// The extents of the modes of a box: modes that go on in memory are one, up to the largest extent.
fn boxes<L: TypeLeaf>(steps: &LayoutOf<L>) -> Result<Vec<L>, CuteError> {
    let mut boxes: Vec<(L, Scaled<L>)> = Vec::new();
    for leaf in steps.tree().leaves() {
        if leaf.shape.is(1) && !boxes.is_empty() {
            continue;
        }
        if let Some((extent, stride)) = boxes.last_mut() {
            let both = extent.times(&leaf.shape)?;
            let fits = both
                .known()
                .is_some_and(|both| both.unsigned_abs() <= u128::from(MAX_BOX));
            if fits && stride.scaled(extent)?.same(&leaf.stride) {
                *extent = both;
                continue;
            }
        }
        boxes.push((leaf.shape.clone(), leaf.stride.clone()));
    }
    Ok(boxes.into_iter().map(|(extent, _)| extent).collect())
}

pub(super) fn make_tiled_load<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    let arch = asked.word("kind")?.and_then(TmaArch::from_word);
    let arch =
        arch.ok_or_else(|| Refusal::new("the attribute `kind` has to be the form of a load, as `sm_90`"))?;
    let Map {
        value,
        format,
        basis,
        bits,
        coords,
    } = map_of(asked)?;
    let atom = CopyAtom::TiledLoad(TiledLoad {
        arch,
        value,
        bits,
        basis,
        format,
    });
    Ok(vec![Kind::Copy(atom).into(), Kind::CoordTensor(coords).into()])
}

pub(super) fn make_tiled_store<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    let Map {
        value,
        format,
        basis,
        bits,
        coords,
    } = map_of(asked)?;
    let atom = CopyAtom::TiledStore(TiledStore {
        value,
        bits,
        basis,
        format,
    });
    Ok(vec![Kind::Copy(atom).into(), Kind::CoordTensor(coords).into()])
}

pub(super) fn make_tiled_reduce<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    let kind = asked.word("kind")?.and_then(Reduction::from_word);
    let kind = kind.ok_or_else(|| Refusal::new("the attribute `kind` has to be a reduction, as `ADD`"))?;
    let Map {
        value,
        format,
        basis,
        bits,
        coords,
    } = map_of(asked)?;
    let atom = CopyAtom::TiledReduce(TiledReduce {
        kind,
        value,
        bits,
        basis,
        format,
    });
    Ok(vec![Kind::Copy(atom).into(), Kind::CoordTensor(coords).into()])
}

/// The elements that one instruction copies.
fn per_instruction<L: TypeLeaf>(asked: &Asked<'_, L>) -> Result<u64, Refusal> {
    let (bits, value) = match asked.cute(0)? {
        Kind::Copy(CopyAtom::TiledLoad(TiledLoad { bits, value, .. })) => (bits, value),
        Kind::Copy(CopyAtom::TiledStore(TiledStore { bits, value, .. })) => (bits, value),
        Kind::Copy(CopyAtom::TiledReduce(TiledReduce { bits, value, .. })) => (bits, value),
        Kind::Copy(CopyAtom::TmaLoad(TmaLoad { bits, value, .. })) => (bits, value),
        Kind::Copy(CopyAtom::TmaStore(TmaStore { bits, value, .. })) => (bits, value),
        Kind::Copy(CopyAtom::TmaReduce(TmaReduce { bits, value, .. })) => (bits, value),
        _ => return Err(asked.wrong(0, "a copy by a tensor map")),
    };
    Ok(u64::from(bits.get() / value.bits().max(1)))
}

/// The boxes of tensors, and of each this block's share: ((box, boxes), rest).
pub(super) fn tma_partition<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    let count = per_instruction(asked)?;
    let (coord, blocks) = (asked.coord(1)?, asked.layout(2)?);
    let shared = asked.tensor(3)?;
    let tile = shared.layout().mode(&[0])?;
    let size = Nested::Leaf(tile.size()?);
    let order = LayoutOf::from_modes([tile.right_inverse()?]);
    let order = order
        .tile_to_shape(&Nested::Tuple(vec![size]), None)?
        .mode(&[0])?;
    let order = order.logical_divide(&TilerOf::Layout(LayoutOf::strided(L::from(count), L::from(1))?))?;
    // The share of a block among those that get a box together.
    let share = match blocks
        .cosize()?
        .known()
        .and_then(|blocks| u64::try_from(blocks).ok())
    {
        Some(blocks) if blocks > 0 => L::from(count / blocks),
        _ => return Err(asked.wrong(2, "a static layout of blocks")),
    };
    let offset = match blocks.index_of(&coord)? {
        Nested::Leaf(block) => block.times(&share)?,
        Nested::Tuple(_) => return Err(asked.wrong(2, "a layout of blocks")),
    };
    let results = (3..asked.operands.len()).map(|number| {
        let tensor = asked.tensor(number)?;
        one_share(&tensor, &order, offset.clone())
    });
    results.collect()
}

fn one_share<L: TypeLeaf>(tensor: &Tensor<L>, order: &LayoutOf<L>, offset: L) -> Result<Outcome<L>, Refusal> {
    let rank = tensor.layout().rank();
    let mut tilers = vec![TilerOf::Layout(order.clone())];
    tilers.resize(rank.max(1), TilerOf::All);
    let leaf = || Nested::Leaf(());
    let profile = Nested::Tuple(vec![Nested::Tuple(vec![leaf(), leaf()])]);
    let boxes = tensor.map(|layout| {
        layout
            .composition_by(&TilerOf::Modes(tilers))?
            .coalesce_by(&profile)
    })?;
    let zero = || Nested::Leaf(SlotOf::At(L::from(0)));
    let mut at: Vec<CoordOf<L>> = vec![Nested::Tuple(vec![Nested::Leaf(SlotOf::At(offset)), zero()])];
    at.resize_with(rank.max(1), zero);
    let part = Part {
        chosen: boxes.layout().clone(),
        at: Nested::Tuple(at),
        free: boxes.layout().clone(),
    };
    Ok(boxes.part(&part)?)
}
