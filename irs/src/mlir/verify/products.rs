//! Copies and products of tensors by atoms: which tensors an atom takes, and where they are.

use tilewright_diagnostics::Code;
use tilewright_layouts::cute::{Fact, MmaMatrix, Nested, Stride as _, TypeLayout};

use super::op::{Checked, Op, of};
use crate::core::Value;
use crate::cute_types::{CacheMode, CopyAtom, Element, FragmentKind, Kind, MmaAtom, Space, View};
use crate::mlir::dialects::CuteOp;
use crate::mlir::property::CoordAttribute;
use crate::mlir::types::Type;

/// The copy of an operand, alone or tiled.
fn copy_of<'a>(op: Op<'a>, atom: Value) -> Checked<&'a CopyAtom> {
    match op.kind(atom) {
        Some(Kind::Copy(atom)) => Ok(atom),
        Some(Kind::TiledCopy(tiled)) => Ok(&tiled.atom),
        _ => Err(op.needed(atom, "a copy")),
    }
}

fn product_of<'a>(op: Op<'a>, atom: Value) -> Checked<&'a MmaAtom> {
    match op.kind(atom) {
        Some(Kind::Mma(atom)) => Ok(atom),
        Some(Kind::TiledMma(tiled)) => Ok(&tiled.atom),
        _ => Err(op.needed(atom, "a product")),
    }
}

/// The layout of a tensor.
fn layout<'a>(op: Op<'a>, value: Value) -> Checked<&'a TypeLayout> {
    match op.kind(value) {
        Some(Kind::View(view)) => Ok(view.layout.layout()),
        Some(Kind::CoordTensor(tensor)) => Ok(&tensor.layout),
        Some(Kind::DescriptorView(view)) => Ok(view.layout.layout()),
        _ => Err(op.needed(value, "a tensor")),
    }
}

/// The sizes of the modes of a static tensor.
fn sizes(op: Op<'_>, value: Value) -> Checked<Vec<i64>> {
    let shape = layout(op, value)?.shape();
    let modes = match &shape {
        Nested::Leaf(_) => std::slice::from_ref(&shape),
        Nested::Tuple(modes) => modes,
    };
    let sizes: Option<Vec<i64>> = modes.iter().map(|mode| mode.product().ok()?.value()).collect();
    sizes.ok_or_else(|| op.needed(value, "a tensor of a static shape"))
}

/// Checks that a tensor has one mode.
fn one_mode(op: Op<'_>, value: Value) -> Checked {
    let rank = layout(op, value)?.rank();
    op.needs(value, "a tensor of one mode", rank == 1)
}

pub(super) fn verify(op: Op<'_>, kind: &CuteOp) -> Checked {
    match kind {
        CuteOp::Copy {
            copy_atom,
            src,
            dst,
            pred,
        } => copy(op, copy_of(op, *copy_atom)?, src, dst, *pred),
        CuteOp::CopyAtomCall { atom, src, dst, pred } => {
            bound(op, copy_of(op, *atom)?)?;
            some(op, "source", src)?;
            some(op, "destination", dst)?;
            src.iter().chain(dst).try_for_each(|&value| one_mode(op, value))?;
            pred.map_or(Ok(()), |pred| op.view(pred).map(|_| ()))
        }
        CuteOp::Gemm { mma_atom, d, a, b, c } => gemm(op, product_of(op, *mma_atom)?, *d, a, b, *c),
        CuteOp::MmaAtomCall { atom, d, a, b, c } => {
            product_of(op, *atom)?;
            some(op, "left factor", a)?;
            some(op, "right factor", b)?;
            let tensors = [d, c].into_iter().chain(a).chain(b);
            tensors.copied().try_for_each(|value| one_mode(op, value))
        }
        CuteOp::Prefetch { prefetch_atom, src } => {
            prefetched(op, *prefetch_atom)?;
            some(op, "source", src)?;
            src.iter().try_for_each(|&value| sizes(op, value).map(|_| ()))
        }
        CuteOp::PrefetchAtomCall { atom, src } => {
            prefetched(op, *atom)?;
            some(op, "source", src)?;
            src.iter().try_for_each(|&value| one_mode(op, value))
        }
        _ => Ok(()),
    }
}

/// Checks that a list of operands is not empty.
fn some(op: Op<'_>, what: &str, values: &[Value]) -> Checked {
    match values {
        [] => op.refuse(Code::OperandCount, format_args!("it has no {what}")),
        _ => Ok(()),
    }
}

/// Checks that a copy can be executed.
fn bound(op: Op<'_>, atom: &CopyAtom) -> Checked {
    match atom {
        CopyAtom::TiledLoad(_)
        | CopyAtom::TiledStore(_)
        | CopyAtom::TiledReduce(_)
        | CopyAtom::Im2colLoad(_)
        | CopyAtom::Im2colStore(_)
        | CopyAtom::Gather(_)
        | CopyAtom::Scatter(_) => op.refuse(
            Code::OperandType,
            "a tensor map is made executable before it is copied by: `cute_nvgpu.atom.make_exec_tma`",
        ),
        _ => Ok(()),
    }
}

/// Checks that a copy can fetch into the cache.
fn prefetched(op: Op<'_>, atom: Value) -> Checked {
    let holds = matches!(copy_of(op, atom)?, CopyAtom::TmaLoad(_) | CopyAtom::BulkLoad(_));
    op.needs(atom, "a copy that can fetch", holds)
}

fn copy(op: Op<'_>, atom: &CopyAtom, src: &[Value], dst: &[Value], pred: Option<Value>) -> Checked {
    bound(op, atom)?;
    some(op, "source", src)?;
    some(op, "destination", dst)?;
    let (Some(&source), Some(&destination)) = (src.first(), dst.first()) else {
        return Ok(());
    };
    let [from, to] = [source, destination].map(|value| sizes(op, value));
    let (from, to) = (from?, to?);
    if from.len() != to.len() {
        return op.refuse(
            Code::RankMismatch,
            format_args!(
                "the source has {} modes, and the destination {}",
                from.len(),
                to.len()
            ),
        );
    }
    // How many values of the first mode one instruction copies, at either end.
    let each = vector_of(atom, op, source);
    let rests = from.iter().zip(&to).enumerate();
    for (mode, (from, to)) in rests {
        let ends_differ = mode == 0 && each.is_none();
        if from != to && !ends_differ {
            return op.refuse(
                Code::OperandType,
                format_args!(
                    "mode {mode} of the source has {from} elements, and that of the destination {to}"
                ),
            );
        }
    }
    if let ([_], [_]) = (src, dst) {
        ends(op, atom, source, destination)?;
    }
    pred.map_or(Ok(()), |pred| predicate(op, pred, &from, each))
}

/// The number of elements that one instruction copies, where its type says it.
fn vector_of(atom: &CopyAtom, op: Op<'_>, source: Value) -> Option<i64> {
    let Some(Kind::View(view)) = op.kind(source) else {
        return None;
    };
    let bits = match atom {
        CopyAtom::Universal(atom) => atom.bits.map_or(atom.value.bits(), std::num::NonZeroU32::get),
        CopyAtom::Async(atom) => atom.bits.get(),
        _ => return None,
    };
    Some(i64::from((bits / view.pointer.element_bits().max(1)).max(1)))
}

/// Checks the truth values of a copy: one for each instruction.
fn predicate(op: Op<'_>, pred: Value, from: &[i64], each: Option<i64>) -> Checked {
    let space = match op.view(pred)?.pointer.space() {
        Space::Register | Space::Shared | Space::Global | Space::Generic => true,
        Space::Tensor | Space::ClusterShared | Space::Constant => false,
    };
    op.needs(pred, "truth values in registers, shared or global memory", space)?;
    let own = sizes(op, pred)?;
    let mut wanted = from.to_vec();
    if let (Some(first), Some(each)) = (wanted.first_mut(), each) {
        *first = (*first / each.max(1)).max(1);
    }
    let same = match each {
        Some(_) => own == wanted,
        None => own.len() == wanted.len() && own.iter().skip(1).eq(wanted.iter().skip(1)),
    };
    match same {
        true => Ok(()),
        false => op.refuse(
            Code::OperandType,
            format_args!("the predicate has modes of {own:?} elements, where {wanted:?} are copied"),
        ),
    }
}

/// Where an end of a copy has to be.
fn at(op: Op<'_>, value: Value, spaces: &[Space], what: &str) -> Checked {
    let own = op.view(value)?.pointer.space();
    op.needs(value, &format!("a tensor in {what}"), spaces.contains(&own))
}

/// Checks that a tensor is aligned as one instruction needs it.
fn aligned(op: Op<'_>, value: Value, bits: u64) -> Checked {
    let align = op.view(value)?.pointer.align().get();
    match align.saturating_mul(8) % bits.max(1) == 0 {
        true => Ok(()),
        false => op.needs(
            value,
            &format!("an alignment of {} bytes", bits.div_ceil(8)),
            false,
        ),
    }
}

const SHARED: (&[Space], &str) = (&[Space::Shared, Space::Generic], "shared memory");
const GLOBAL: (&[Space], &str) = (&[Space::Global, Space::Generic], "global memory");
const REGISTERS: (&[Space], &str) = (&[Space::Register], "registers");
const TENSOR: (&[Space], &str) = (&[Space::Tensor], "tensor memory");
const CLUSTER: (&[Space], &str) = (&[Space::ClusterShared], "shared memory of the cluster");

/// Checks both ends of a copy with one source and one destination.
fn ends(op: Op<'_>, atom: &CopyAtom, source: Value, destination: Value) -> Checked {
    let in_spaces = |from: (&[Space], &str), to: (&[Space], &str)| {
        at(op, source, from.0, from.1)?;
        at(op, destination, to.0, to.1)
    };
    let coordinates = |value| {
        op.needs(
            value,
            "a tensor of coordinates",
            matches!(op.kind(value), Some(Kind::CoordTensor(_))),
        )
    };
    match atom {
        CopyAtom::Universal(atom) => {
            let (from, to) = (op.view(source)?, op.view(destination)?);
            for (value, end) in [(source, from), (destination, to)] {
                op.needs(
                    value,
                    "a tensor outside of tensor memory",
                    end.pointer.space() != Space::Tensor,
                )?;
            }
            let bits = from.pointer.element_bits();
            let what = format!("elements of {bits} bits");
            op.needs(destination, &what, to.pointer.element_bits() == bits)?;
            let Some(vector) = atom.bits else { return Ok(()) };
            for (value, end) in [(source, from), (destination, to)] {
                if end.pointer.space() == Space::Global {
                    aligned(op, value, u64::from(vector.get()))?;
                }
                contiguous(op, value, end, vector.get() / bits.max(1))?;
            }
            Ok(())
        }
        CopyAtom::Async(atom) => {
            in_spaces(
                (&[Space::Global], "global memory"),
                (&[Space::Shared], "shared memory"),
            )?;
            let bits = atom.bits.get();
            let allowed: &[u32] = match atom.cache {
                CacheMode::Always | CacheMode::Streaming | CacheMode::LastUse => &[32, 64, 128],
                CacheMode::Global => &[128],
            };
            if !allowed.contains(&bits) {
                return op.refuse(
                    Code::OperandType,
                    format_args!(
                        "an asynchronous copy with this cache mode is of {allowed:?} bits, not of {bits}"
                    ),
                );
            }
            aligned(op, source, u64::from(bits))?;
            aligned(op, destination, u64::from(bits))
        }
        CopyAtom::LoadMatrix(_) => {
            in_spaces((&[Space::Shared], "shared memory"), REGISTERS)?;
            aligned(op, source, 128)
        }
        CopyAtom::StoreMatrix(_) => {
            in_spaces(REGISTERS, (&[Space::Shared], "shared memory"))?;
            aligned(op, destination, 128)
        }
        CopyAtom::GlobalLoad(_) => in_spaces(GLOBAL, REGISTERS),
        CopyAtom::GlobalStore(_) => in_spaces(REGISTERS, GLOBAL),
        CopyAtom::SharedLoad(_) => in_spaces(SHARED, REGISTERS),
        CopyAtom::SharedStore(_) => in_spaces(REGISTERS, SHARED),
        CopyAtom::BulkLoad(_) => in_spaces(GLOBAL, SHARED),
        CopyAtom::BulkStore(_) => in_spaces(SHARED, GLOBAL),
        CopyAtom::BulkMove(_) => in_spaces(SHARED, (&[Space::ClusterShared, Space::Shared], "shared memory")),
        CopyAtom::ClusterStore(_) => in_spaces(REGISTERS, CLUSTER),
        CopyAtom::TmaLoad(_) => {
            coordinates(source)?;
            at(op, destination, SHARED.0, SHARED.1)
        }
        CopyAtom::TmaStore(_) | CopyAtom::TmaReduce(_) => {
            at(op, source, SHARED.0, SHARED.1)?;
            coordinates(destination)
        }
        CopyAtom::TensorLoad(_) | CopyAtom::TensorLoadReduce(_) | CopyAtom::TensorLoadCompress(_) => {
            in_spaces(TENSOR, REGISTERS)
        }
        CopyAtom::TensorStore(_) => in_spaces(REGISTERS, TENSOR),
        CopyAtom::SharedToTensor(_) => {
            let holds = matches!(op.kind(source), Some(Kind::DescriptorView(_)));
            op.needs(source, "descriptors of shared memory", holds)?;
            at(op, destination, TENSOR.0, TENSOR.1)
        }
        CopyAtom::TiledLoad(_)
        | CopyAtom::TiledStore(_)
        | CopyAtom::TiledReduce(_)
        | CopyAtom::Im2colLoad(_)
        | CopyAtom::Im2colStore(_)
        | CopyAtom::Gather(_)
        | CopyAtom::Scatter(_) => Ok(()),
    }
}

/// Checks that so many elements of the first mode follow each other, as far as strides are static.
fn contiguous(op: Op<'_>, value: Value, view: &View, count: u32) -> Checked {
    let first = match view.layout.layout().mode(&[0]) {
        Ok(first) => first.coalesce(),
        Err(_) => return Ok(()),
    };
    let leaf = first.modes().next().unwrap_or_else(|| first.clone());
    let (shape, stride) = (leaf.shape(), leaf.stride());
    let (Some(extent), Some(stride)) = (shape.leaves().next(), stride.leaves().next()) else {
        return Ok(());
    };
    let whole = extent.divisor() % u64::from(count.max(1)) == 0;
    let follows = stride.factor().value().is_none_or(|stride| stride == 1);
    let what = format!("{count} elements of its first mode that follow each other");
    op.needs(value, &what, count <= 1 || (whole && follows))
}

/// Checks where the tensors of a product are, their elements, and that their extents agree.
fn gemm(op: Op<'_>, atom: &MmaAtom, d: Value, a: &[Value], b: &[Value], c: Value) -> Checked {
    some(op, "left factor", a)?;
    some(op, "right factor", b)?;
    layout(op, c)?;
    let (Some(&a), Some(&b)) = (a.first(), b.first()) else {
        return Ok(());
    };
    let by_descriptor = |value| {
        let holds = matches!(op.kind(value), Some(Kind::DescriptorView(_)));
        op.needs(value, "a tensor of descriptors", holds)
    };
    let registers = |value| at(op, value, REGISTERS.0, REGISTERS.1);
    let tensor = |value| at(op, value, TENSOR.0, TENSOR.1);
    match fragments(atom) {
        None => {
            [d, a, b].into_iter().try_for_each(registers)?;
            for (value, matrix) in [(a, MmaMatrix::A), (b, MmaMatrix::B), (d, MmaMatrix::C)] {
                element(op, atom, value, matrix)?;
            }
        }
        Some(kind) => {
            match atom {
                MmaAtom::Sm90(_) => registers(d)?,
                _ => tensor(d)?,
            }
            match kind {
                FragmentKind::RegisterShared => registers(a)?,
                FragmentKind::TensorShared => tensor(a)?,
                _ => by_descriptor(a)?,
            }
            by_descriptor(b)?;
            element(op, atom, d, MmaMatrix::C)?;
        }
    }
    let mut shapes = [sizes(op, a)?, sizes(op, b)?, sizes(op, d)?];
    // A multiply-add has one value, whose mode may be left out.
    if matches!(atom, MmaAtom::Fma(_)) && shapes[2].len() == 2 {
        shapes.iter_mut().for_each(|shape| shape.insert(0, 1));
    }
    let [a, b, d] = shapes;
    let pairs = [
        ("rows of the left factor and of the result", a.get(1), d.get(1)),
        (
            "columns of the right factor and of the result",
            b.get(1),
            d.get(2),
        ),
        ("extents along K of the factors", a.get(2), b.get(2)),
    ];
    if let Some(rank) = [a.len(), b.len()]
        .into_iter()
        .find(|rank| !(2..=3).contains(rank))
    {
        return op.refuse(
            Code::RankMismatch,
            format_args!("a factor has {rank} modes, where 2 or 3 are needed"),
        );
    }
    for (what, left, right) in pairs {
        if left != right {
            let shown = |size: Option<&i64>| size.map_or("none".to_owned(), ToString::to_string);
            return op.refuse(
                Code::OperandType,
                format_args!("the {what} differ: {} and {}", shown(left), shown(right)),
            );
        }
    }
    Ok(())
}

/// Where the factors of a product are, if not all in registers.
fn fragments(atom: &MmaAtom) -> Option<FragmentKind> {
    match atom {
        MmaAtom::Fma(_)
        | MmaAtom::Sm80(_)
        | MmaAtom::Sm80Sparse(_)
        | MmaAtom::Sm89(_)
        | MmaAtom::Sm120BlockScaled(_) => None,
        MmaAtom::Sm90(atom) => Some(atom.fragments),
        MmaAtom::Sm100(atom) => Some(atom.fragments),
        MmaAtom::Sm100BlockScaled(atom) => Some(atom.fragments),
        MmaAtom::Sm100Sparse(atom) => Some(atom.fragments),
        MmaAtom::Sm100BlockScaledSparse(atom) => Some(atom.fragments),
        MmaAtom::Sm107(atom) => Some(atom.fragments),
        MmaAtom::Sm107BlockScaled(atom) => Some(atom.fragments),
        MmaAtom::Sm107Sparse(atom) => Some(atom.fragments),
        MmaAtom::Sm107BlockScaledSparse(atom) => Some(atom.fragments),
    }
}

/// Checks that a tensor has elements of the width that the atom has.
fn element(op: Op<'_>, atom: &MmaAtom, value: Value, matrix: MmaMatrix) -> Checked {
    let number = atom.element(matrix);
    let bits = op.view(value)?.pointer.element().map_or(0, Element::bits);
    op.needs(
        value,
        &format!("elements as wide as `{number}`"),
        bits == number.bits(),
    )
}

/// Checks the elements of a vector that are combined, and what is left of them.
pub(super) fn reduce(op: Op<'_>, kind: &CuteOp) -> Checked {
    let CuteOp::Reduce {
        input,
        shape,
        init_val,
        reduction_profile,
        ..
    } = kind
    else {
        return Ok(());
    };
    let Type::Vector(vector) = op.ty(*input) else {
        return op.needs(*input, "a vector", false);
    };
    let Some(Kind::Shape(extents)) = op.kind(*shape) else {
        return op.needs(*shape, "a shape", false);
    };
    let size = extents.product().ok().and_then(Fact::value);
    let count = vector.shape.iter().try_fold(1i64, |count, &extent| {
        count.checked_mul(i64::try_from(extent).ok()?)
    });
    op.needs(
        *shape,
        &format!("a shape of {} elements", count.unwrap_or_default()),
        size == count,
    )?;
    op.all([*init_val], &vector.element)?;
    let Some(CoordAttribute(profile)) = reduction_profile else {
        return op.gives(0, &format!("`{}`", vector.element), |ty| *ty == vector.element);
    };
    let profile = crate::cute_types::CuteType::parse(&format!("cute.coord<\"{profile}\">"));
    let kept = match profile.as_ref().map(crate::cute_types::CuteType::kind) {
        Ok(Kind::Coord(profile)) => extents.slice(profile).ok(),
        _ => None,
    };
    let Some(kept) = kept else {
        return op.refuse(
            Code::AttributeValue,
            "its profile is not weakly congruent with the shape",
        );
    };
    let left = kept
        .product()
        .ok()
        .and_then(Fact::value)
        .and_then(|size| u64::try_from(size).ok());
    let shaped = of(Kind::Shape(kept));
    op.gives(0, "a vector of the elements that are left", |ty| {
        matches!(ty, Type::Vector(own) if own.element == vector.element && Some(own.shape.iter().product()) == left)
    })?;
    op.gives(1, &format!("`{shaped}`"), |ty| *ty == shaped)
}
