//! Structured control flow: what regions take and give, and what ends them.

use tilewright_diagnostics::{Code, counted};

use super::op::{Checked, Op};
use crate::core::{Func, Origin, Part, Problems, Region, Value};
use crate::mlir::dialects::{BuiltinOp, CfOp, CudaOp, FuncOp, LlvmOp, ScfOp};
use crate::mlir::enums::AtomicOrdering;
use crate::mlir::types::Type;
use crate::mlir::{Mlir, MlirOp};

/// Checks the values with which a region ends.
fn ends_with(op: Op<'_>, what: &str, found: &[Value], types: &[&Type]) -> Checked {
    if found.len() != types.len() {
        return op.refuse(
            Code::TypeMismatch,
            format_args!(
                "{what} gives {}, where {} are needed",
                counted(found.len(), "value"),
                types.len()
            ),
        );
    }
    for (number, (&value, &ty)) in found.iter().zip(types).enumerate() {
        if op.ty(value) != ty {
            return op.refuse(
                Code::TypeMismatch,
                format_args!(
                    "value {number} that {what} gives is `{}`, where `{ty}` is needed",
                    op.ty(value)
                ),
            );
        }
    }
    Ok(())
}

/// Checks a region that `scf.yield` ends.
fn yields(op: Op<'_>, region: Region, what: &str, takes: &[&Type], gives: &[&Type]) -> Checked {
    let block = op.block(region, what, takes)?;
    match op.end(block) {
        Some(MlirOp::Scf(ScfOp::Yield { results })) => ends_with(op, what, results, gives),
        _ => op.refuse(
            Code::MissingTerminator,
            format_args!("{what} ends with `scf.yield`"),
        ),
    }
}

fn types<'a>(op: Op<'a>, values: &[Value]) -> Vec<&'a Type> {
    values.iter().map(|&value| op.ty(value)).collect()
}

pub(super) fn scf(op: Op<'_>, kind: &ScfOp) -> Checked {
    let results = types(op, &op.results());
    match kind {
        ScfOp::For {
            lower,
            upper,
            step,
            inits,
            body,
            ..
        } => {
            let index = op.ty(*lower);
            let holds = matches!(index, Type::Index | Type::Integer(..));
            op.needs(*lower, "an integer or an index", holds)?;
            op.all([*upper, *step], index)?;
            let carried = types(op, inits);
            same(op, &carried, &results)?;
            let takes: Vec<&Type> = std::iter::once(index).chain(carried).collect();
            yields(op, *body, "the body", &takes, &results)
        }
        ScfOp::If {
            condition,
            then,
            r#else,
        } => {
            op.all([*condition], &Type::I1)?;
            yields(op, *then, "the first region", &[], &results)?;
            if op.body.region(*r#else).blocks.is_empty() {
                return match results.is_empty() {
                    true => Ok(()),
                    false => op.refuse(
                        Code::RegionCount,
                        "it has results and no second region that gives them",
                    ),
                };
            }
            yields(op, *r#else, "the second region", &[], &results)
        }
        ScfOp::While { inits, before, after } => {
            let carried = types(op, inits);
            let block = op.block(*before, "the first region", &carried)?;
            let Some(MlirOp::Scf(ScfOp::Condition { args, .. })) = op.end(block) else {
                return op.refuse(
                    Code::MissingTerminator,
                    "the first region ends with `scf.condition`",
                );
            };
            ends_with(op, "the first region", args, &results)?;
            yields(op, *after, "the second region", &results, &carried)
        }
        ScfOp::Condition { condition, .. } => op.all([*condition], &Type::I1),
        ScfOp::Yield { .. } => Ok(()),
    }
}

/// What a loop carries has the types of its results.
fn same(op: Op<'_>, carried: &[&Type], results: &[&Type]) -> Checked {
    if carried.len() != results.len() {
        return op.refuse(
            Code::ResultCount,
            format_args!(
                "it carries {}, and has {}",
                counted(carried.len(), "value"),
                counted(results.len(), "result")
            ),
        );
    }
    let mut pairs = carried.iter().zip(results).enumerate();
    match pairs.find(|(_, (carried, result))| carried != result) {
        None => Ok(()),
        Some((number, (carried, _))) => op.gives(number, &format!("`{carried}`"), |_| false),
    }
}

pub(super) fn cf(op: Op<'_>, kind: &CfOp) -> Checked {
    match kind {
        CfOp::Assert { arg, .. } => op.all([*arg], &Type::I1),
    }
}

pub(super) fn builtin(op: Op<'_>, kind: &BuiltinOp) -> Checked {
    match kind {
        BuiltinOp::Cast { .. } if op.results().is_empty() => op.refuse(Code::ResultCount, "it has no result"),
        BuiltinOp::Cast { .. } => Ok(()),
    }
}

/// A pointer of LLVM.
fn pointer(op: Op<'_>, value: Value) -> Checked {
    op.needs(value, "a pointer", matches!(op.ty(value), Type::Pointer(_)))
}

/// Checks an alignment that a text gives.
fn alignment(op: Op<'_>, bytes: Option<i64>) -> Checked {
    match bytes {
        Some(bytes) if bytes <= 0 || bytes.count_ones() != 1 => op.refuse(
            Code::AttributeValue,
            format_args!("an alignment is a power of two, not {bytes}"),
        ),
        _ => Ok(()),
    }
}

/// Checks the order of an access, which is none of these.
fn order(op: Op<'_>, order: AtomicOrdering, not: &[AtomicOrdering], aligned: Option<i64>) -> Checked {
    if not.contains(&order) {
        return op.refuse(
            Code::AttributeValue,
            format_args!("it cannot have the order `{}`", order.word()),
        );
    }
    match (order, aligned) {
        (AtomicOrdering::NotAtomic, _) | (_, Some(_)) => Ok(()),
        (_, None) => op.refuse(Code::MissingAttribute, "an atomic access says its `alignment`"),
    }
}

/// Checks that a mask has a Boolean for each element of a vector.
fn masks(op: Op<'_>, mask: Value, elements: &Type) -> Checked {
    let holds = match (op.ty(mask), elements) {
        (Type::Vector(mask), Type::Vector(vector)) => mask.shape == vector.shape && mask.element == Type::I1,
        _ => false,
    };
    op.needs(mask, "a vector of an `i1` for each element", holds)
}

pub(super) fn llvm(op: Op<'_>, kind: &LlvmOp) -> Checked {
    use AtomicOrdering::{AcqRel, Acquire, Monotonic, NotAtomic, Release, Unordered};
    match kind {
        // The text of assembly is its own.
        LlvmOp::InlineAsm { .. } | LlvmOp::Undef {} | LlvmOp::Poison {} => Ok(()),
        LlvmOp::Load {
            addr,
            alignment: bytes,
            ordering,
            ..
        } => {
            pointer(op, *addr)?;
            alignment(op, *bytes)?;
            order(op, *ordering, &[Release, AcqRel], *bytes)
        }
        LlvmOp::Store {
            addr,
            alignment: bytes,
            ordering,
            ..
        } => {
            pointer(op, *addr)?;
            alignment(op, *bytes)?;
            order(op, *ordering, &[Acquire, AcqRel], *bytes)
        }
        LlvmOp::MaskedLoad {
            data,
            mask,
            otherwise,
            alignment: bytes,
            ..
        } => {
            pointer(op, *data)?;
            alignment(op, Some(i64::from(*bytes)))?;
            let result = op.ty(op.result()?);
            op.all(*otherwise, result)?;
            masks(op, *mask, result)
        }
        LlvmOp::MaskedStore {
            value,
            data,
            mask,
            alignment: bytes,
        } => {
            pointer(op, *data)?;
            alignment(op, Some(i64::from(*bytes)))?;
            masks(op, *mask, op.ty(*value))
        }
        LlvmOp::GetElementPtr {
            base,
            dynamic,
            constant,
            ..
        } => {
            pointer(op, *base)?;
            for &index in dynamic {
                op.needs(index, "an integer", matches!(op.ty(index), Type::Integer(..)))?;
            }
            let open = constant.iter().filter(|&&at| at == i32::MIN).count();
            op.count("dynamic number", dynamic.len(), open)?;
            if constant.is_empty() {
                return op.refuse(Code::AttributeValue, "it has no number of elements");
            }
            op.gives_all(op.ty(*base))
        }
        LlvmOp::PtrToInt { arg } => {
            pointer(op, *arg)?;
            op.gives(0, "an integer", |ty| matches!(ty, Type::Integer(..)))
        }
        LlvmOp::IntToPtr { arg } => {
            op.needs(*arg, "an integer", matches!(op.ty(*arg), Type::Integer(..)))?;
            op.gives(0, "a pointer", |ty| matches!(ty, Type::Pointer(_)))
        }
        LlvmOp::Bitcast { arg } => {
            let bits = |ty: &Type| {
                let (count, scalar) = match ty {
                    Type::Vector(vector) => (vector.shape.iter().product::<u64>(), &vector.element),
                    ty => (1, ty),
                };
                match scalar {
                    Type::Integer(_, bits) => count.checked_mul(u64::from(*bits)),
                    Type::Float(format) => count.checked_mul(u64::from(format.bits())),
                    _ => None,
                }
            };
            let own = bits(op.ty(*arg));
            op.needs(*arg, "a number or a vector of numbers", own.is_some())?;
            op.gives(0, "a number or a vector of the same bits", |ty| bits(ty) == own)
        }
        LlvmOp::CallIntrinsic {
            bundles,
            bundle_sizes,
            ..
        } => match bundles.is_empty() && bundle_sizes.is_empty() && op.results().len() < 2 {
            true => Ok(()),
            false => op.refuse(
                Code::UnsupportedOp,
                "an intrinsic with bundles of operands or with several results is not known",
            ),
        },
        LlvmOp::Fence { ordering, .. } => match ordering {
            NotAtomic | Unordered | Monotonic => op.refuse(
                Code::AttributeValue,
                format_args!("it cannot have the order `{}`", ordering.word()),
            ),
            _ => Ok(()),
        },
        // Inference says all.
        LlvmOp::ExtractValue { .. } => Ok(()),
    }
}

/// Checks that a function ends with what it returns.
pub(super) fn returns(func: &Func<Mlir>, problems: &mut Problems) {
    let body = &func.body;
    let last = body
        .only_block(body.root())
        .and_then(|block| body.terminator(block));
    let Some(last) = last else {
        let message = "a function has a body of one block";
        problems.error(Origin::FUNCTION, Code::RegionCount, message);
        return;
    };
    let op = Op::new(func, body.op(last));
    let checked = match &op.data.kind {
        MlirOp::Func(FuncOp::Return { operands: values })
        | MlirOp::Cuda(CudaOp::Return { inputs: values }) => {
            let declared: Vec<&Type> = func.attrs.results.iter().collect();
            ends_with(op, "the function", values, &declared)
        }
        _ => op.refuse(Code::MissingTerminator, "a function ends with a return"),
    };
    if let Err(wrong) = checked {
        problems.error_at(op.data.origin, Part::Op, wrong.code, wrong.message);
    }
}
