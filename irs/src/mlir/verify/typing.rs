//! The rules of `cute` by its classes of ops. What inference asks of operands is not asked again here.

use tilewright_diagnostics::Code;

use super::accesses;
use super::leaves::{layout_of_leaves, made_of, static_type};
use super::op::{Checked, Op, of};
use super::products;
use crate::core::Value;
use crate::cute_types::{CuteType, Dialect, DivisorWidth, Kind, Space, Stored};
use crate::mlir::dialects::CuteOp;
use crate::mlir::types::{Signedness, Type};

pub(super) fn cute(op: Op<'_>, kind: &CuteOp) -> Checked {
    match kind {
        CuteOp::TileToShape { ord_shape: None, .. } | CuteOp::Complement { cotarget: None, .. }
            if op.dialect == Dialect::Library =>
        {
            op.refuse(
                Code::OperandCount,
                format_args!("the last operand of `{}` may be left out in the open dialect alone", op.name()),
            )
        }
        // Pure algebra: inference says all, except of what is made of leaves.
        CuteOp::MakeCoord { dynamic_elements } => {
            made_of(op, dynamic_elements, "a coordinate", |kind| matches!(kind, Kind::Coord(_)))
        }
        CuteOp::MakeIntTuple { dynamic_elements } => {
            made_of(op, dynamic_elements, "a tuple of integers", |kind| matches!(kind, Kind::IntTuple(_)))
        }
        CuteOp::MakeStride { dynamic_elements } => {
            made_of(op, dynamic_elements, "a stride", |kind| matches!(kind, Kind::Stride(_)))
        }
        CuteOp::MakeShape { dynamic_elements } => {
            made_of(op, dynamic_elements, "a shape", |kind| matches!(kind, Kind::Shape(_)))
        }
        CuteOp::MakeTile { dynamic_elements } => {
            made_of(op, dynamic_elements, "a tile", |kind| matches!(kind, Kind::Tile(_)))
        }
        CuteOp::MakeLayout { shape, stride } => layout_of_leaves(op, *shape, *stride),
        CuteOp::Static {} => static_type(op),
        CuteOp::ToIntTuple { .. }
        | CuteOp::GetLeaves { .. }
        | CuteOp::GetShape { .. }
        | CuteOp::GetStride { .. }
        | CuteOp::Size { .. }
        | CuteOp::Cosize { .. }
        | CuteOp::Get { .. }
        | CuteOp::Select { .. }
        | CuteOp::AppendToRank { .. }
        | CuteOp::PrependToRank { .. }
        | CuteOp::GroupModes { .. }
        | CuteOp::ElemLess { .. }
        | CuteOp::Equal { .. }
        | CuteOp::TupleAdd { .. }
        | CuteOp::TupleSub { .. }
        | CuteOp::TupleMul { .. }
        | CuteOp::TupleDiv { .. }
        | CuteOp::TupleMod { .. }
        | CuteOp::TupleProduct { .. }
        | CuteOp::TupleProductEach { .. }
        | CuteOp::ComposedGetInner { .. }
        | CuteOp::ComposedGetOffset { .. }
        | CuteOp::ComposedGetOuter { .. }
        | CuteOp::FilterZeros { .. }
        | CuteOp::Filter { .. }
        | CuteOp::GetLayoutsFromTile { .. }
        | CuteOp::IncrementCoord { .. }
        | CuteOp::KernelSmemSize { .. }
        | CuteOp::SmemPartitionSize { .. }
        // Operands under many conditions, which inference asks.
        | CuteOp::Slice { .. }
        | CuteOp::Dice { .. }
        | CuteOp::Crd2idx { .. }
        | CuteOp::Idx2crd { .. }
        | CuteOp::GetHierCoord { .. }
        | CuteOp::GetFlatCoord { .. }
        | CuteOp::GetIntegralCoord { .. }
        | CuteOp::Composition { .. }
        | CuteOp::Complement { .. }
        | CuteOp::Coalesce { .. }
        | CuteOp::RightInverse { .. }
        | CuteOp::LeftInverse { .. }
        | CuteOp::RecastLayout { .. }
        | CuteOp::LogicalDivide { .. }
        | CuteOp::ZippedDivide { .. }
        | CuteOp::TiledDivide { .. }
        | CuteOp::FlatDivide { .. }
        | CuteOp::LogicalProduct { .. }
        | CuteOp::ZippedProduct { .. }
        | CuteOp::TiledProduct { .. }
        | CuteOp::FlatProduct { .. }
        | CuteOp::BlockedProduct { .. }
        | CuteOp::RakedProduct { .. }
        | CuteOp::TileToShape { .. }
        | CuteOp::LocalTile { .. }
        | CuteOp::LocalPartition { .. }
        | CuteOp::CeilDiv { .. }
        | CuteOp::ShapeDiv { .. }
        | CuteOp::MakeOrderedLayout { .. }
        | CuteOp::MakeLayoutLike { .. }
        | CuteOp::MakeFragmentLike { .. }
        | CuteOp::MakeIdentityLayout { .. }
        | CuteOp::MakeIdentityTensor { .. }
        | CuteOp::MakeComposedLayout { .. }
        | CuteOp::TiledCopyPartitionS { .. }
        | CuteOp::TiledCopyPartitionD { .. }
        | CuteOp::TiledCopyRetile { .. }
        | CuteOp::TiledMmaPartition { .. }
        | CuteOp::TiledMmaPartitionShape { .. }
        // Pointers, views and atoms whose types are inferred.
        | CuteOp::GetIter { .. }
        | CuteOp::GetLayout { .. }
        | CuteOp::DerefArithTupleIter { .. }
        | CuteOp::AddOffset { .. }
        | CuteOp::ApplySwizzle { .. }
        | CuteOp::MmaMakeFragment { .. }
        | CuteOp::CopyMakeFragment { .. }
        // Helpers.
        | CuteOp::GetScalars { .. }
        | CuteOp::FastDivmodGetAux { .. }
        | CuteOp::FastDivmodGetDivisor { .. } => Ok(()),
        CuteOp::StencilDivide {
            input,
            stencil,
            padding_upper,
            padding_lower,
            traversal_stride,
        } => {
            let tensor = matches!(
                op.kind(*input),
                Some(Kind::Layout(_) | Kind::Composed(_) | Kind::View(_) | Kind::CoordTensor(_))
            );
            op.needs(*input, "a layout or a tensor", tensor)?;
            op.needs(*stencil, "a tile", matches!(op.kind(*stencil), Some(Kind::Tile(_))))?;
            for &padding in padding_upper.iter().chain(padding_lower) {
                op.needs(padding, "a shape", matches!(op.kind(padding), Some(Kind::Shape(_))))?;
            }
            traversal_stride.map_or(Ok(()), |stride| {
                op.needs(stride, "a stride", matches!(op.kind(stride), Some(Kind::Stride(_))))
            })
        }
        CuteOp::Reduce { .. } => products::reduce(op, kind),
        CuteOp::MakeView { iter, layout } => make_view(op, *iter, *layout),
        CuteOp::MakeAtom { .. } => op.gives(0, "an atom", |ty| {
            matches!(ty, Type::Cute(ty) if matches!(ty.kind(), Kind::Copy(_) | Kind::Mma(_)))
        }),
        CuteOp::MakeTiledCopy { atom } | CuteOp::MakeTiledCopyV2 { atom } => {
            op.needs(*atom, "a copy", matches!(op.kind(*atom), Some(Kind::Copy(_))))?;
            let own = op.kind(*atom);
            op.gives(0, "a tiled copy of that atom", |ty| {
                matches!((ty, own), (Type::Cute(ty), Some(Kind::Copy(own))) if matches!(ty.kind(), Kind::TiledCopy(tiled) if tiled.atom == *own))
            })
        }
        CuteOp::MakeTiledMma { atom } => {
            op.needs(*atom, "a product", matches!(op.kind(*atom), Some(Kind::Mma(_))))?;
            let own = op.kind(*atom);
            op.gives(0, "a tiled product of that atom", |ty| {
                matches!((ty, own), (Type::Cute(ty), Some(Kind::Mma(own))) if matches!(ty.kind(), Kind::TiledMma(tiled) if tiled.atom == *own))
            })
        }
        CuteOp::MakeArithTupleIter { value } => {
            op.gives(0, "an iterator of coordinates", |ty| {
                matches!(ty, Type::Cute(ty) if matches!(ty.kind(), Kind::CoordIterator(_)))
            })?;
            let Some(value) = *value else { return Ok(()) };
            let Some(Kind::IntTuple(tuple)) = op.kind(value) else {
                return op.needs(value, "a tuple of integers", false);
            };
            op.gives_all(&of(Kind::CoordIterator(tuple.clone())))
        }
        CuteOp::RecastIter { src } => recast_iter(op, *src),
        CuteOp::Assume { src } => assume(op, *src),
        CuteOp::Derefine { src } => derefine(op, *src),
        CuteOp::Inttoptr { src } => inttoptr(op, *src),
        CuteOp::Ptrtoint { src } => {
            op.pointer(*src)?;
            op.gives(0, "an integer", |ty| matches!(ty, Type::Integer(Signedness::Signless, _)))
        }
        CuteOp::MakeSparseElem { physical_storage } => {
            let stored = op.ty(*physical_storage).to_string();
            op.gives(0, &format!("a sparse element that is stored as `{stored}`"), |ty| {
                let Type::Cute(ty) = ty else { return false };
                match ty.kind() {
                    Kind::Sparse(sparse) => match &sparse.stored {
                        Stored::One(number) => number.to_string() == stored,
                        Stored::Several(count, number) => format!("vector<{count}x{number}>") == stored,
                    },
                    _ => false,
                }
            })
        }
        // Their types are not among those of this release.
        CuteOp::MakeDescIter { .. } | CuteOp::DerefDescIter { .. } => Ok(()),
        CuteOp::MakeTuple { values } => op.gives_all(&Type::Tuple(values.iter().map(|&value| op.ty(value).clone()).collect())),
        CuteOp::UnpackTuple { tuple } => {
            let Type::Tuple(members) = op.ty(*tuple) else {
                return op.needs(*tuple, "a tuple of values", false);
            };
            let results = op.results();
            op.count("result", results.len(), members.len())?;
            (0..).zip(members.iter()).try_for_each(|(number, member)| {
                op.gives(number, &format!("`{member}`"), |ty| ty == member)
            })
        }
        CuteOp::Symbolic { .. } | CuteOp::RandomDelay {} => Ok(()),
        CuteOp::FastDivmodCreateDivisor { divisor } => {
            let ty = op.ty(*divisor).clone();
            op.gives(0, &format!("a divisor of `{ty}`"), |result| divides(result).as_ref() == Some(&ty))
        }
        CuteOp::FastDivmodCompute { dividend, divisor } | CuteOp::FastDivmodDivide { dividend, divisor } => {
            let Some(ty) = divides(op.ty(*divisor)) else {
                return op.needs(*divisor, "a divisor", false);
            };
            op.all([*dividend], &ty)?;
            op.gives_all(&ty)
        }
        CuteOp::FastDivmodMakeDivisor {
            divisor,
            multiplier,
            sh1,
            sh2,
        } => {
            let ty = op.ty(*divisor).clone();
            op.all([*multiplier], &ty)?;
            op.all([*sh1, *sh2], &Type::I8)?;
            op.gives(0, &format!("a divisor of `{ty}`"), |result| divides(result).as_ref() == Some(&ty))
        }
        // Accesses of memory.
        CuteOp::MemrefLoad { .. }
        | CuteOp::MemrefStore { .. }
        | CuteOp::MemrefLoadVec { .. }
        | CuteOp::MemrefStoreVec { .. }
        | CuteOp::MemrefAlloca { .. }
        | CuteOp::MemrefAllocSmem {}
        | CuteOp::PtrLoad { .. }
        | CuteOp::PtrStore { .. }
        | CuteOp::LoadScaledIndex { .. }
        | CuteOp::Print { .. }
        | CuteOp::PrintView { .. }
        | CuteOp::PrintTmaDescIm2col { .. }
        | CuteOp::PrintTmaDescTiled { .. } => accesses::verify(op, kind),
        CuteOp::Copy { .. }
        | CuteOp::CopyAtomCall { .. }
        | CuteOp::Gemm { .. }
        | CuteOp::MmaAtomCall { .. }
        | CuteOp::Prefetch { .. }
        | CuteOp::PrefetchAtomCall { .. } => products::verify(op, kind),
    }
}

/// The type that a divisor divides.
fn divides(ty: &Type) -> Option<Type> {
    let Type::Cute(ty) = ty else { return None };
    match ty.kind() {
        Kind::FastDivisor(divisor) => Some(match divisor.width {
            DivisorWidth::B32 => Type::I32,
            DivisorWidth::B64 => Type::I64,
        }),
        _ => None,
    }
}

/// An iterator and a layout as a view.
fn make_view(op: Op<'_>, iter: Value, layout: Option<Value>) -> Checked {
    let result = op.result()?;
    let (own_iter, own_layout) = match op.kind(result) {
        Some(Kind::View(view)) => (Kind::Pointer(view.pointer.clone()), Kind::from(&view.layout)),
        Some(Kind::CoordTensor(tensor)) => (
            Kind::CoordIterator(tensor.origin.clone()),
            Kind::Layout(tensor.layout.clone()),
        ),
        Some(Kind::DescriptorView(view)) => (Kind::Descriptor(view.descriptor), Kind::from(&view.layout)),
        _ => return op.gives(0, "a tensor", |_| false),
    };
    op.all([iter], &of(own_iter))?;
    match layout {
        Some(layout) => op.all([layout], &of(own_layout)),
        None if super::leaves::is_static(&own_layout) => Ok(()),
        None => op.refuse(
            Code::OperandCount,
            format_args!(
                "the layout of `{}` is dynamic, and no operand gives it",
                op.ty(result)
            ),
        ),
    }
}

fn recast_iter(op: Op<'_>, src: Value) -> Checked {
    let from = op.pointer(src)?;
    let result = op.result()?;
    let Some(Kind::Pointer(to)) = op.kind(result) else {
        return op.gives(0, "a pointer", |_| false);
    };
    let spaces = [from.space(), to.space()];
    if from.space() != to.space() && !spaces.contains(&Space::Generic) {
        return op.gives(0, "a pointer into the same memory", |_| false);
    }
    op.gives(0, &format!("a pointer aligned to {} bytes", from.align()), |_| {
        from.align() == to.align()
    })
}

/// An integer with a divisor, of the same width.
fn assume(op: Op<'_>, src: Value) -> Checked {
    let bits = match op.ty(src) {
        Type::Integer(Signedness::Signless, bits) => *bits,
        _ => return op.needs(src, "an integer", false),
    };
    op.gives(
        0,
        &format!("an integer of {bits} bits with facts"),
        |ty| match ty {
            Type::Cute(ty) => matches!(ty.kind(), Kind::Integer(integer) if integer.width.count() == bits),
            _ => false,
        },
    )
}

/// A value of a type of the same kind that says less.
fn derefine(op: Op<'_>, src: Value) -> Checked {
    let result = op.result()?;
    match (op.kind(src), op.kind(result)) {
        (Some(Kind::Integer(from)), None) => {
            let bits = from.width.count();
            op.gives(0, &format!("`i{bits}`"), |ty| *ty == Type::signless(bits))
        }
        (Some(Kind::Pointer(from)), Some(Kind::Pointer(to))) => {
            let divides = from.align().get() % to.align().get() == 0;
            op.gives(
                0,
                &format!("a pointer whose alignment divides {}", from.align()),
                |_| divides,
            )
        }
        (Some(from), Some(to)) if std::mem::discriminant(from) == std::mem::discriminant(to) => Ok(()),
        (Some(from), _) => op.gives(0, &format!("a `!{}`", of_word(from)), |_| false),
        (None, _) => op.needs(src, "a value of a type of `cute`", false),
    }
}

/// The word of a kind's type.
fn of_word(kind: &Kind) -> &'static str {
    CuteType::from(kind.clone()).word()
}

/// An integer that is known to be as aligned as the pointer.
fn inttoptr(op: Op<'_>, src: Value) -> Checked {
    let result = op.result()?;
    let Some(Kind::Pointer(to)) = op.kind(result) else {
        return op.gives(0, "a pointer", |_| false);
    };
    let divisor = match (op.ty(src), op.kind(src)) {
        (_, Some(Kind::Integer(integer))) => integer.divisor.get(),
        (Type::Integer(Signedness::Signless, _), _) => 1,
        _ => return op.needs(src, "an integer", false),
    };
    let align = to.align().get();
    match divisor % align == 0 {
        true => Ok(()),
        false => op.refuse(
            Code::OperandType,
            format_args!("the pointer is aligned to {align} bytes, and its operand is known to be a multiple of {divisor}"),
        ),
    }
}
