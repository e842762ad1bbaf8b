//! Ops of pure algebra: computed from the dynamic leaves of their operands by the rules that infer their types.

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{OpId, Origin, Translated, Value};
use tilewright_irs::cute_desugared::DesugaredType;
use tilewright_irs::cute_types::{Dialect, Kind};
use tilewright_irs::dialects::cute::{CuteOp as Primitive, machine_integer};
use tilewright_irs::dialects::cute_nvgpu::CuteNvgpuOp as Architecture;
use tilewright_irs::mlir::dialects::{CuteNvgpuOp, CuteOp};
use tilewright_layouts::cute::{Fact, LayoutOf, Traced};

use super::computed::computed;
use super::leaves::{all_equal, all_integers, all_less, flat, leaves_of};
use super::state::{Cx, not_lowered};
use super::types::types;
use super::values::{algebra, bind_flat, inputs};
use super::{atoms, memory, pointers, primitives, views};
use crate::leaf_arithmetic::{emit, resized};

/// Lowers an op of `cute`, by the rules of a dialect.
pub(super) fn lower(cx: &mut Cx<'_>, id: OpId, op: &CuteOp, dialect: Dialect) -> Translated {
    // What `cute_desugared` has of layout algebra follows the library's rules.
    if dialect == Dialect::Library
        && let Some(handed_on) = primitives::lower(cx, id, op)
    {
        return handed_on;
    }
    match op {
        CuteOp::Static {} => from_parts(cx, id, &[]),
        CuteOp::MakeCoord {
            dynamic_elements: parts,
        }
        | CuteOp::MakeIntTuple {
            dynamic_elements: parts,
        }
        | CuteOp::MakeShape {
            dynamic_elements: parts,
        }
        | CuteOp::MakeStride {
            dynamic_elements: parts,
        }
        | CuteOp::MakeTile {
            dynamic_elements: parts,
        } => from_parts(cx, id, parts),
        CuteOp::MakeLayout {
            shape,
            stride: Some(stride),
        } => {
            let parts: Vec<Value> = shape.iter().copied().chain([*stride]).collect();
            from_parts(cx, id, &parts)
        }
        CuteOp::MakeLayout {
            shape: None,
            stride: None,
        } => from_parts(cx, id, &[]),
        CuteOp::MakeLayout {
            shape: Some(shape),
            stride: None,
        } => compact(cx, id, *shape),
        CuteOp::ToIntTuple { src } => from_parts(cx, id, &[*src]),
        CuteOp::MakeArithTupleIter { value } => from_parts(cx, id, value.as_slice()),
        CuteOp::DerefArithTupleIter { iter } => from_parts(cx, id, &[*iter]),
        CuteOp::Assume { src } => from_parts(cx, id, &[*src]),
        CuteOp::GetLeaves { input } => get_leaves(cx, id, *input),
        CuteOp::Derefine { src } => derefine(cx, id, *src),
        CuteOp::ElemLess { lhs, rhs } => {
            let (lhs, rhs) = (cx.one(*lhs), cx.one(*rhs));
            let less = all_less(cx, lhs, rhs)?;
            cx.bind(cx.old(id).result(0), [less]);
            Ok(())
        }
        CuteOp::Equal { lhs, rhs } => {
            let (lhs, rhs) = (cx.one(*lhs), cx.one(*rhs));
            let equal = all_equal(cx, lhs, rhs)?;
            cx.bind(cx.old(id).result(0), [equal]);
            Ok(())
        }
        CuteOp::GetIter { source } => views::get_iter(cx, id, *source),
        CuteOp::GetLayout { input } => views::get_layout(cx, id, *input),
        CuteOp::MakeView { iter, layout } => views::make_view(cx, id, *iter, *layout),
        CuteOp::AddOffset { src, offset } => pointers::add_offset(cx, id, *src, *offset),
        CuteOp::RecastIter { src } => pointers::recast(cx, id, *src),
        CuteOp::Inttoptr { src } => pointers::int_to_ptr(cx, id, *src),
        CuteOp::Ptrtoint { src } => pointers::ptr_to_int(cx, id, *src),
        CuteOp::ApplySwizzle { ptr, swizzle } => pointers::apply_swizzle(cx, id, *ptr, *swizzle),
        CuteOp::MemrefAlloca { .. } => memory::alloca(cx, id),
        CuteOp::MemrefLoad { src, coord } => memory::load(cx, id, *src, *coord),
        CuteOp::MemrefStore { dst, coord, value } => memory::store(cx, *dst, *coord, *value),
        CuteOp::PtrLoad { ptr, .. } => memory::load_at(cx, id, *ptr),
        CuteOp::PtrStore { value, ptr, .. } => memory::store_at(cx, *value, *ptr),
        CuteOp::MakeAtom { values } if values.is_empty() => nothing(cx, id),
        CuteOp::MakeTiledCopy { .. } | CuteOp::MakeTiledMma { .. } => nothing(cx, id),
        CuteOp::CopyAtomCall { atom, src, dst, pred } => atoms::copy(cx, id, *atom, (src, dst), *pred),
        CuteOp::MmaAtomCall { atom, d, a, b, c } => atoms::multiply(cx, id, *atom, [*d, *c], [a, b]),
        // What is left is pure algebra, or has no lowering: inference says which.
        _ => computed(cx, id, dialect),
    }
}

/// Lowers an op of `cute_nvgpu`.
pub(super) fn architecture(cx: &mut Cx<'_>, id: OpId, op: &CuteNvgpuOp) -> Translated {
    let result = cx.old(id).results().next();
    match op {
        CuteNvgpuOp::ArchMakeWarpUniform { val } => {
            let source = cx.one(*val);
            let ty = cx.ty(source).clone();
            let uniform = cx.value(Architecture::MakeWarpUniform { source }, ty);
            cx.bind(cx.old(id).result(0), [uniform]);
            Ok(())
        }
        CuteNvgpuOp::ArchGetDynSmem {} => {
            let Some(result) = result else { return Ok(()) };
            let ty = types(cx.from.ty(result))?;
            let [ty] = ty.as_slice() else {
                return Err(not_lowered(cx, id));
            };
            let base = cx.value(Architecture::GetDynSmem {}, ty.clone());
            cx.bind(result, [base]);
            Ok(())
        }
        _ => Err(not_lowered(cx, id)),
    }
}

/// A value that its type says.
fn nothing(cx: &mut Cx<'_>, id: OpId) -> Translated {
    let result = cx.old(id).result(0);
    match types(cx.from.ty(result))?.is_empty() {
        true => {
            cx.bind(result, []);
            Ok(())
        }
        false => Err(not_lowered(cx, id)),
    }
}

/// A value whose dynamic leaves are those of its parts, in order.
fn from_parts(cx: &mut Cx<'_>, id: OpId, parts: &[Value]) -> Translated {
    let leaves = inputs(cx, parts);
    bind_flat(cx, id, leaves)
}

/// The compact layout of a shape, the first mode fastest.
fn compact(cx: &mut Cx<'_>, id: OpId, shape: Value) -> Translated {
    let traced: Kind<Traced> = algebra(cx, shape)?.kind().with_inputs(&mut 0);
    let Kind::Shape(extents) = traced else {
        return Err(not_lowered(cx, id));
    };
    let layout = LayoutOf::column_major(&extents)
        .map_err(|error| Diagnostic::error(Code::OperandType, error.to_string()).at(cx.origin(), ""))?;
    let leaves = Kind::Layout(layout).dynamic_leaves();
    let inputs = inputs(cx, &[shape]);
    let facts: Vec<Fact> = leaves.iter().map(Traced::fact).collect();
    let leaves = emit(cx, &leaves, &facts, &inputs);
    bind_flat(cx, id, leaves)
}

/// Each leaf as a value of its own.
fn get_leaves(cx: &mut Cx<'_>, id: OpId, input: Value) -> Translated {
    let source = cx.one(input);
    let mut dynamic = leaves_of(cx, source).into_iter();
    let results: Vec<Value> = cx.old(id).results().collect();
    for result in results {
        let value = match types(cx.from.ty(result))?.as_slice() {
            [DesugaredType::Cute(ty)] => {
                let count = ty.kind().dynamic_leaves().len();
                let own: Vec<Value> = dynamic.by_ref().take(count).collect();
                Some(flat(cx, ty.clone(), own))
            }
            _ => None,
        };
        cx.bind(result, value);
    }
    Ok(())
}

/// Static leaves become dynamic where the new type forgets them.
fn derefine(cx: &mut Cx<'_>, id: OpId, source: Value) -> Translated {
    let result = cx.old(id).result(0);
    let value = cx.one(source);
    let to = algebra(cx, result)?;
    match (algebra(cx, source)?.kind(), to.kind()) {
        (Kind::Pointer(_), Kind::Pointer(_)) => return pointers::recast(cx, id, source),
        (Kind::View(from), Kind::View(view)) => {
            let iter = views::pointer_of(cx, value, from);
            let iter = views::as_type(cx, iter, Kind::Pointer(view.pointer.clone()).into());
            let own = DesugaredType::Cute(Kind::from(&from.layout).into());
            let layout = cx.value(Primitive::GetLayout { view: value }, own);
            let kind = Kind::from(&view.layout);
            let facts = kind.dynamic_leaves();
            let leaves = forgotten(cx, layout, &kind)?.into_iter().zip(facts);
            let leaves = leaves.map(|(leaf, fact)| resized(cx, leaf, machine_integer(fact)));
            let leaves = leaves.collect();
            let layout = flat(cx, kind.into(), leaves);
            let made = Primitive::MakeView { iter, layout };
            let tensor = cx.value(made, DesugaredType::Cute(to.clone()));
            cx.bind(result, [tensor]);
            return Ok(());
        }
        (Kind::View(_), _) | (_, Kind::View(_)) => return Err(not_lowered(cx, id)),
        _ => {}
    }
    let leaves = forgotten(cx, value, to.kind())?;
    bind_flat(cx, id, leaves)
}

/// The integers of a value that are dynamic leaves of a type that says less.
fn forgotten(cx: &mut Cx<'_>, value: Value, to: &Kind) -> Result<Vec<Value>, Diagnostic<Origin>> {
    let facts = super::leaves::integers(to);
    let integers = all_integers(cx, value)?;
    let leaves = integers.into_iter().zip(facts);
    let leaves = leaves
        .filter(|(_, fact)| fact.value().is_none())
        .map(|((_, leaf), _)| leaf);
    Ok(leaves.collect())
}
