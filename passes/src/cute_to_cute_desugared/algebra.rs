//! Ops of pure algebra: computed from the dynamic leaves of their operands by the rules that infer their types.

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{OpId, Operation, Origin, Translated, Value};
use tilewright_irs::cute_desugared::DesugaredType;
use tilewright_irs::cute_types::infer::{Computed, INFERRED};
use tilewright_irs::cute_types::{CuteType, Kind};
use tilewright_irs::dialects::cute::machine_integer;
use tilewright_irs::dialects::cute_nvgpu::CuteNvgpuOp as Architecture;
use tilewright_irs::element::ElementType;
use tilewright_irs::mlir::dialects::{CuteNvgpuOp, CuteOp};
use tilewright_irs::mlir::{Type, compute};
use tilewright_layouts::cute::{Fact, LayoutOf, Leaf, Nested, Traced};

use super::desugar::{Cx, not_lowered, unsupported};
use super::leaves::{all_equal, all_integers, all_less, emit, flat, leaves_of, resized};
use super::types::types;
use super::{atoms, memory, pointers, views};

/// Lowers an op of `cute`.
pub(super) fn lower(cx: &mut Cx<'_>, id: OpId, op: &CuteOp) -> Translated {
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
        CuteOp::GetScalars {
            cute_value,
            only_dynamic,
        } => get_scalars(cx, id, *cute_value, only_dynamic.0),
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
        CuteOp::ApplySwizzle { ptr, .. } => pointers::apply_swizzle(cx, id, *ptr),
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
        _ => computed(cx, id),
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

/// The type of a result that is a value of the algebra.
pub(super) fn algebra<'a>(cx: &Cx<'a>, value: Value) -> Result<&'a CuteType, Diagnostic<Origin>> {
    match cx.from.ty(value) {
        Type::Cute(ty) => Ok(ty),
        ty => Err(unsupported(
            cx.origin(),
            format!("`{ty}` is no type of CuTe's algebra"),
        )),
    }
}

/// Binds a result to the value of these leaves, one for each dynamic leaf of its type.
pub(super) fn bind_flat(cx: &mut Cx<'_>, id: OpId, leaves: Vec<Value>) -> Translated {
    let result = cx.old(id).result(0);
    let value = match types(cx.from.ty(result))?.as_slice() {
        [] => None,
        [DesugaredType::Cute(ty)] => {
            let facts = ty.kind().dynamic_leaves();
            if facts.len() != leaves.len() {
                let message = format!("`{ty}` has {} dynamic leaves, not {}", facts.len(), leaves.len());
                return Err(unsupported(cx.origin(), message));
            }
            let sized: Vec<Value> = leaves
                .into_iter()
                .zip(facts)
                .map(|(leaf, fact)| resized(cx, leaf, machine_integer(fact)))
                .collect();
            Some(flat(cx, ty.clone(), sized))
        }
        // A number.
        [_] => leaves.first().copied(),
        _ => return Err(not_lowered(cx, id)),
    };
    cx.bind(result, value);
    Ok(())
}

/// A value whose dynamic leaves are those of its parts, in order.
fn from_parts(cx: &mut Cx<'_>, id: OpId, parts: &[Value]) -> Translated {
    let mut leaves = Vec::new();
    for &part in parts {
        let values = cx.all(part).to_vec();
        for value in values {
            leaves.extend(leaves_of(cx, value));
        }
    }
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

/// The leaves as integers.
fn get_scalars(cx: &mut Cx<'_>, id: OpId, source: Value, only_dynamic: bool) -> Translated {
    let value = cx.one(source);
    let mut integers = all_integers(cx, value)?;
    if only_dynamic {
        integers.retain(|(fact, _)| fact.value().is_none());
    }
    let results: Vec<Value> = cx.old(id).results().collect();
    for (result, (_, integer)) in results.into_iter().zip(integers) {
        let integer = match types(cx.from.ty(result))?.as_slice() {
            [DesugaredType::Scalar(ElementType::Scalar(scalar))] => resized(cx, integer, *scalar),
            _ => integer,
        };
        cx.bind(result, [integer]);
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
        (Kind::View(_), _) | (_, Kind::View(_)) => return Err(not_lowered(cx, id)),
        _ => {}
    }
    let facts = super::leaves::integers(to.kind());
    let integers = all_integers(cx, value)?;
    let leaves = integers.into_iter().zip(facts);
    let leaves = leaves
        .filter(|(_, fact)| fact.value().is_none())
        .map(|((_, leaf), _)| leaf);
    let leaves = leaves.collect();
    bind_flat(cx, id, leaves)
}

/// The dynamic leaves of the operands, one after the other, as inference numbers them.
pub(super) fn inputs(cx: &mut Cx<'_>, operands: &[Value]) -> Vec<Value> {
    let mut inputs = Vec::new();
    for &operand in operands {
        let values = cx.all(operand).to_vec();
        for value in values {
            inputs.extend(leaves_of(cx, value));
        }
    }
    inputs
}

/// What inference computes for an op.
fn answers(cx: &Cx<'_>, id: OpId) -> Result<Vec<Computed>, Diagnostic<Origin>> {
    let op = &cx.old(id).kind;
    let operands: Vec<Type> = op
        .operand_list()
        .into_iter()
        .map(|value| cx.from.ty(value).clone())
        .collect();
    if !INFERRED.contains(&op.name()) {
        return Err(not_lowered(cx, id));
    }
    compute(op.name(), &operands, &op.properties())
        .map_err(|refusal| Diagnostic::error(Code::OperandType, refusal).at(cx.origin(), ""))
}

/// Computes the results of an op of pure algebra.
pub(super) fn computed(cx: &mut Cx<'_>, id: OpId) -> Translated {
    let answers = answers(cx, id)?;
    let operands = cx.old(id).kind.operand_list();
    let inputs = inputs(cx, &operands);
    let results: Vec<Value> = cx.old(id).results().collect();
    if results.len() != answers.len() {
        return Err(not_lowered(cx, id));
    }
    for (result, answer) in results.into_iter().zip(answers) {
        let traced = &answer.leaves;
        match types(cx.from.ty(result))?.as_slice() {
            [] => cx.bind(result, []),
            [DesugaredType::Cute(ty)] => {
                let leaves = results_of(cx, ty, traced, &inputs)?;
                let value = match ty.kind() {
                    Kind::View(view) => {
                        let Some(&tensor) = operands.iter().find(|&&operand| views::is_memory(cx, operand))
                        else {
                            return Err(not_lowered(cx, id));
                        };
                        let start = match answer.start {
                            Some(Nested::Leaf(start)) => start,
                            Some(Nested::Tuple(_)) => return Err(not_lowered(cx, id)),
                            None => Traced::from(0),
                        };
                        views::part(cx, tensor, view, leaves, &start, &inputs)?
                    }
                    _ => flat(cx, ty.clone(), leaves),
                };
                cx.bind(result, [value]);
            }
            [DesugaredType::Scalar(ElementType::Scalar(scalar))] => {
                let Some(leaf) = traced.first() else {
                    return Err(not_lowered(cx, id));
                };
                let emitted = emit(cx, std::slice::from_ref(leaf), &[leaf.fact()], &inputs);
                let value = emitted.first().map(|value| resized(cx, *value, *scalar));
                cx.bind(result, value);
            }
            _ => return Err(not_lowered(cx, id)),
        }
    }
    Ok(())
}

/// The dynamic leaves of a result whose type may say more of them than inference finds.
fn results_of(
    cx: &mut Cx<'_>,
    ty: &CuteType,
    traced: &[Traced],
    inputs: &[Value],
) -> Result<Vec<Value>, Diagnostic<Origin>> {
    let facts = ty.kind().dynamic_leaves();
    if facts.len() != traced.len() {
        let message = format!(
            "`{ty}` has {} dynamic leaves, and {} are computed",
            facts.len(),
            traced.len()
        );
        return Err(unsupported(cx.origin(), message));
    }
    Ok(emit(cx, traced, &facts, inputs))
}

/// What is known of an integer that is computed.
pub(super) fn known(traced: &Traced) -> Fact {
    match traced.known().and_then(|known| i64::try_from(known).ok()) {
        Some(number) => Fact::Static(number),
        None => traced.fact(),
    }
}
