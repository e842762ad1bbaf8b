//! Division by prepared divisors.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{OpId, Origin, Translated, Value};
use tilewright_irs::dialects::arith::{ArithOp, Overflow, Signedness};
use tilewright_irs::dialects::cute::DivisionOp;

use super::leaves::packing;
use crate::cute_to_llvm::emit::{Cx, unsupported};

/// Converts an op.
pub(in super::super) fn convert(cx: &mut Cx<'_>, id: OpId, op: &DivisionOp) -> Translated {
    match op {
        DivisionOp::MakeDivisor {
            divisor,
            multiplier,
            shift1,
            shift2,
        } => make(cx, id, [*divisor, *multiplier, *shift1, *shift2]),
        DivisionOp::Divide { dividend, divisor } => divide(cx, id, *dividend, *divisor),
        DivisionOp::GetDivisor { divisor } => {
            let [number, ..] = parts(cx, *divisor)?;
            cx.bind(cx.old(id).result(0), [number]);
            Ok(())
        }
    }
}

/// A struct of the four numbers.
fn make(cx: &mut Cx<'_>, id: OpId, parts: [Value; 4]) -> Translated {
    let result = cx.old(id).result(0);
    let parts = parts.map(|part| cx.one(part));
    let packed = packing(cx, result)?.pack(cx, None, &parts);
    cx.bind(result, packed);
    Ok(())
}

/// The number, the multiplier and the shifts.
fn parts(cx: &mut Cx<'_>, divisor: Value) -> Result<[Value; 4], Diagnostic<Origin>> {
    let value = cx.one(divisor);
    let parts = packing(cx, divisor)?.unpack(cx, Some(value));
    <[Value; 4]>::try_from(parts).map_err(|_| unsupported(cx.origin(), "a divisor of other parts"))
}

/// With the high half `h` of the product with the multiplier, the quotient of `n` is `(h + (n - h >> s1)) >> s2`.
fn divide(cx: &mut Cx<'_>, id: OpId, dividend: Value, divisor: Value) -> Translated {
    let [number, multiplier, first, second] = parts(cx, divisor)?;
    let n = cx.one(dividend);
    let ty = *cx.ty(n);
    let (overflow, signedness) = (Overflow::Wraps, Signedness::Unsigned);
    let [first, second] = [first, second].map(|source| cx.value(ArithOp::ExtI { source, signedness }, ty));
    let mut value = |op: ArithOp| cx.value(op, ty);
    let high = value(ArithOp::MulHiU {
        lhs: n,
        rhs: multiplier,
    });
    let rest = value(ArithOp::SubI {
        lhs: n,
        rhs: high,
        overflow,
    });
    let rest = value(ArithOp::ShrI {
        lhs: rest,
        rhs: first,
        signedness,
    });
    let sum = value(ArithOp::AddI {
        lhs: high,
        rhs: rest,
        overflow,
    });
    let quotient = value(ArithOp::ShrI {
        lhs: sum,
        rhs: second,
        signedness,
    });
    let product = value(ArithOp::MulI {
        lhs: quotient,
        rhs: number,
        overflow,
    });
    let remainder = value(ArithOp::SubI {
        lhs: n,
        rhs: product,
        overflow,
    });
    cx.bind_results(id, [quotient, remainder]);
    Ok(())
}
