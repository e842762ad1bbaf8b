//! Ops of layout algebra that stay, for the conversion to `llvm` to compute.

use tilewright_irs::core::{OpId, Translated, Value};
use tilewright_irs::cute_desugared::DesugaredType;
use tilewright_irs::cute_types::{CuteType, Kind};
use tilewright_irs::dialects::arith::{ArithOp, Overflow, QuotientRounding, Signedness};
use tilewright_irs::dialects::cute::{AlgebraOp, AlgebraValue, CuteOp, DivisionOp, PublicType, division};
use tilewright_irs::element::ScalarType;
use tilewright_irs::isa::{Instruction, OpResult, Type};
use tilewright_irs::mlir::dialects::CuteOp as Cute;

use super::instructions::of;
use super::leaves::flat;
use super::state::{Cx, not_lowered};
use super::values::algebra;
use super::views::pointer_of;
use crate::leaf_arithmetic::{constant, resized};

/// Lowers an op that stays; `None` for another.
pub(super) fn lower(cx: &mut Cx<'_>, id: OpId, op: &Cute) -> Option<Translated> {
    Some(match op {
        Cute::Crd2idx { coord, layout } => {
            let (coord, layout) = (cx.one(*coord), cx.one(*layout));
            hand_on(cx, id, AlgebraOp::Crd2Idx { coord, layout })
        }
        Cute::TiledDivide { input, tiler } => {
            let tiler = cx.one(*tiler);
            of_layout(cx, id, *input, |layout| AlgebraOp::TiledDivide { layout, tiler })
        }
        Cute::ShapeDiv { a, b } => {
            let (shape, divisor) = (cx.one(*a), cx.one(*b));
            hand_on(cx, id, AlgebraOp::ShapeDiv { shape, divisor })
        }
        Cute::CeilDiv { input, tiler } => {
            let (shape, tiler) = (cx.one(*input), cx.one(*tiler));
            hand_on(cx, id, AlgebraOp::CeilDiv { shape, tiler })
        }
        Cute::FilterZeros {
            input,
            target_profile: None,
        } => of_layout(cx, id, *input, |layout| AlgebraOp::FilterZeros { layout }),
        Cute::GroupModes { input, begin, end } => {
            let (Ok(begin), Ok(end)) = (u32::try_from(*begin), u32::try_from(*end)) else {
                return Some(Err(not_lowered(cx, id)));
            };
            of_layout(cx, id, *input, |tuple| AlgebraOp::GroupModes {
                tuple,
                begin,
                end,
            })
        }
        Cute::Coalesce {
            input,
            target_profile,
        } => {
            let profile = target_profile.map(|profile| cx.one(profile));
            of_layout(cx, id, *input, |layout| AlgebraOp::Coalesce { layout, profile })
        }
        Cute::Complement {
            input,
            cotarget: Some(cotarget),
        } => {
            let (layout, within) = (cx.one(*input), cx.one(*cotarget));
            hand_on(cx, id, AlgebraOp::Complement { layout, within })
        }
        Cute::LocalPartition { input, tiler, index } => {
            let [tensor, threads, thread] = [*input, *tiler, *index].map(|operand| cx.one(operand));
            let op = AlgebraOp::LocalPartition {
                tensor,
                threads,
                thread,
            };
            hand_on(cx, id, op)
        }
        Cute::TiledCopyPartitionS {
            tiled_copy,
            input,
            coord,
        } => partition(
            cx,
            id,
            *tiled_copy,
            [*input, *coord],
            |[tensor, thread], tiled| AlgebraOp::PartitionSource {
                tensor,
                thread,
                tiled,
            },
        ),
        Cute::TiledCopyPartitionD {
            tiled_copy,
            input,
            coord,
        } => partition(
            cx,
            id,
            *tiled_copy,
            [*input, *coord],
            |[tensor, thread], tiled| AlgebraOp::PartitionDestination {
                tensor,
                thread,
                tiled,
            },
        ),
        Cute::FastDivmodCompute { dividend, divisor } => {
            let [dividend, divisor] = [*dividend, *divisor].map(|operand| cx.one(operand));
            divide(cx, id, dividend, divisor)
        }
        Cute::FastDivmodCreateDivisor { divisor } => {
            let divisor = cx.one(*divisor);
            prepare(cx, id, divisor)
        }
        _ => return None,
    })
}

/// The result of an op: of a type that says it all, no op is needed.
fn value(cx: &mut Cx<'_>, op: AlgebraOp, ty: CuteType) -> Value {
    match ty.kind().dynamic_leaves().is_empty() && ty.kind().has_no_address() {
        true => flat(cx, ty, Vec::new()),
        false => cx.value(op, DesugaredType::Cute(ty)),
    }
}

/// Hands an op on.
fn hand_on(cx: &mut Cx<'_>, id: OpId, op: AlgebraOp) -> Translated {
    let result = cx.old(id).result(0);
    let ty = algebra(cx, result)?.clone();
    let value = value(cx, op, ty);
    cx.bind(result, [value]);
    Ok(())
}

/// Hands an op on; of a tensor in memory that of its layout, which with the same pointer makes the result.
fn of_layout(cx: &mut Cx<'_>, id: OpId, input: Value, op: impl FnOnce(Value) -> AlgebraOp) -> Translated {
    let from = cx.one(input);
    let result = cx.old(id).result(0);
    let (Kind::View(whole), Kind::View(made)) = (algebra(cx, input)?.kind(), algebra(cx, result)?.kind())
    else {
        return hand_on(cx, id, op(from));
    };
    let ty = DesugaredType::Cute(Kind::from(&whole.layout).into());
    let layout = cx.value(CuteOp::GetLayout { view: from }, ty);
    let layout = value(cx, op(layout), Kind::from(&made.layout).into());
    let iter = pointer_of(cx, from, whole);
    let iter = super::views::as_type(cx, iter, Kind::Pointer(made.pointer.clone()).into());
    let ty = DesugaredType::Cute(Kind::View(made.clone()).into());
    let tensor = cx.value(CuteOp::MakeView { iter, layout }, ty);
    cx.bind(result, [tensor]);
    Ok(())
}

/// Quotient and remainder by a prepared divisor.
fn divide(cx: &mut Cx<'_>, id: OpId, dividend: Value, divisor: Value) -> Translated {
    let number = match cx.ty(divisor).algebra().map(CuteType::kind) {
        Some(Kind::FastDivisor(divisor)) => division::number(divisor),
        _ => return Err(not_lowered(cx, id)),
    };
    let dividend = resized(cx, dividend, number);
    let ty = DesugaredType::Scalar(number.into());
    let op = cx
        .build()
        .op(DivisionOp::Divide { dividend, divisor }, [ty.clone(), ty]);
    let made: Vec<Value> = cx.new_body().op(op).results().collect();
    cx.bind_results(id, made);
    Ok(())
}

/// Prepares a divisor `d` of 32 bits: with `l` the binary logarithm of `d`, rounded up, the multiplier is
/// `2^32 * (2^l - d) / d + 1`, and the shifts are the lesser of `l` and 1, and the rest of `l`.
fn prepare(cx: &mut Cx<'_>, id: OpId, divisor: Value) -> Translated {
    use ScalarType::{I8, I32, I64};
    let result = cx.old(id).result(0);
    let ty = algebra(cx, result)?.clone();
    let number = match ty.kind() {
        Kind::FastDivisor(divisor) => division::number(divisor),
        _ => return Err(not_lowered(cx, id)),
    };
    if number != I32 {
        return Err(not_lowered(cx, id));
    }
    let (overflow, signedness) = (Overflow::Wraps, Signedness::Unsigned);
    let divisor = resized(cx, divisor, I32);
    let (narrow, wide) = (of(I32), of(I64));
    let one = constant(cx, I32, 1);
    let below = ArithOp::SubI {
        lhs: divisor,
        rhs: one,
        overflow,
    };
    let below = cx.value(below, narrow.clone());
    let zeros = Instruction::Clz {
        ty: Type::B32,
        d: OpResult,
        a: below,
    };
    let (lhs, rhs) = (constant(cx, I32, 32), cx.value(zeros, narrow.clone()));
    let log = cx.value(ArithOp::SubI { lhs, rhs, overflow }, narrow.clone());
    let mut extended = |source: Value| cx.value(ArithOp::ExtI { source, signedness }, wide.clone());
    let (shift, broad) = (extended(log), extended(divisor));
    let lhs = constant(cx, I64, 1);
    let power = ArithOp::ShlI {
        lhs,
        rhs: shift,
        overflow,
    };
    let lhs = cx.value(power, wide.clone());
    let rhs = broad;
    let rest = cx.value(ArithOp::SubI { lhs, rhs, overflow }, wide.clone());
    let by = constant(cx, I64, 32);
    let scaled = ArithOp::ShlI {
        lhs: rest,
        rhs: by,
        overflow,
    };
    let quotient = ArithOp::DivI {
        lhs: cx.value(scaled, wide.clone()),
        rhs: broad,
        signedness,
        rounding: QuotientRounding::Zero,
    };
    let source = cx.value(quotient, wide);
    let lhs = cx.value(ArithOp::TruncI { source }, narrow.clone());
    let (rhs, lesser) = (one, one);
    let multiplier = cx.value(ArithOp::AddI { lhs, rhs, overflow }, narrow.clone());
    let first = ArithOp::MinI {
        lhs: log,
        rhs: lesser,
        signedness,
    };
    let first = cx.value(first, narrow.clone());
    let second = ArithOp::SubI {
        lhs: log,
        rhs: first,
        overflow,
    };
    let second = cx.value(second, narrow);
    let (shift1, shift2) = (resized(cx, first, I8), resized(cx, second, I8));
    let made = DivisionOp::MakeDivisor {
        divisor,
        multiplier,
        shift1,
        shift2,
    };
    let made = cx.value(made, DesugaredType::Cute(ty));
    cx.bind(result, [made]);
    Ok(())
}

/// Hands on the partition of a tensor among the threads of a tiled copy, which is its type.
fn partition(
    cx: &mut Cx<'_>,
    id: OpId,
    tiled: Value,
    operands: [Value; 2],
    op: impl FnOnce([Value; 2], PublicType) -> AlgebraOp,
) -> Translated {
    let tiled = PublicType(algebra(cx, tiled)?.clone());
    let operands = operands.map(|operand| cx.one(operand));
    hand_on(cx, id, op(operands, tiled))
}
