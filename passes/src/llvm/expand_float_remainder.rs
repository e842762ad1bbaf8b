//! Expands `arith.remf` to a loop of exact subtractions.
//!
//! In: `llvm_like`. Out: no `arith.remf`. The result is exact for every pair of operands: the sign of `lhs`, NaN for
//! a zero divisor, an infinite dividend or a NaN, `lhs` itself for an infinite divisor.
//!
//! The dividend r and the divisor d are made positive and extended to f64. While r is not below d, t is d times the
//! power of two with t <= r < 2t, and r - t is exact (Sterbenz' lemma: r/2 < t <= r). Each step clears the leading
//! bit of r, so the number of steps is at most the difference of the exponents, 2100.
//! In f64 a subnormal divisor cannot be scaled by its exponent field. There the reduction is done twice: first by d
//! scaled up by 2^500, which is a multiple of d, then of the scaled remainder by the scaled d; all scalings are
//! exact.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Body, Func, OpData, OpId, Origin, Value};
use tilewright_irs::dialects::arith::{ArithOp, FloatRounding, Predicate};
use tilewright_irs::element::ScalarType;
use tilewright_irs::llvm::{Llvm, LlvmDialect, LlvmOp, LlvmType};

use super::rewrite::{Rewrite, Rewriter, Rewritten, rewrite};
use super::scalars::Scalars;

/// Expands float remainders; see [the module](self).
pub fn expand_float_remainder(func: &Func<Llvm>) -> Result<Func<Llvm>, Vec<Diagnostic<Origin>>> {
    rewrite(func, &mut ExpandFloatRemainder)
}

const F64: ScalarType = ScalarType::F64;
const I64: ScalarType = ScalarType::I64;
const SIGN: u64 = 1 << 63;
const EXPONENT: u64 = 0x7FF << 52;
const MANTISSA: u64 = (1 << 52) - 1;
const NAN: u64 = 0x7FF8 << 48;
/// The bits of 2^n.
const fn power(n: i64) -> u64 {
    ((n + 1023) as u64) << 52
}

struct ExpandFloatRemainder;

impl Rewriter for ExpandFloatRemainder {
    fn concerns(&self, _: &Body<Llvm>, op: &OpData<Llvm>) -> bool {
        matches!(op.kind, LlvmOp::Arith(ArithOp::RemF { .. }))
    }

    fn op(&mut self, cx: &mut Rewrite<'_>, id: OpId) -> Rewritten {
        let old = cx.old(id);
        if let LlvmOp::Arith(ArithOp::RemF { lhs, rhs, .. }) = old.kind
            && let LlvmType::Scalar(scalar) = *cx.from.ty(lhs)
        {
            let (lhs, rhs) = (cx.new_value(lhs), cx.new_value(rhs));
            let rest = remainder(cx, lhs, rhs, scalar);
            cx.bind(old.result(0), rest);
            return Ok(());
        }
        cx.keep(id);
        Ok(())
    }
}

fn remainder(cx: &mut Rewrite<'_>, lhs: Value, rhs: Value, scalar: ScalarType) -> Value {
    let exact = FloatRounding::NearestEven;
    let mut s = Scalars(cx);
    let wide = s.float(lhs, exact, F64);
    let divisor = s.float(rhs, exact, F64);
    let dividend = s.abs_float(wide);
    let divisor = s.abs_float(divisor);
    let (zero, one) = (s.constant(F64, 0), s.constant(F64, power(0)));
    let infinity = s.constant(F64, EXPONENT);
    // Also false if an operand is NaN.
    let finite = s.compare_floats(dividend, Predicate::Less, infinity);
    let positive = s.compare_floats(divisor, Predicate::Greater, zero);
    let defined = s.and(finite, positive);
    // Operands for which the loop ends at once, where the result is NaN anyway.
    let dividend = s.select(defined, dividend, zero);
    let divisor = s.select(defined, divisor, one);
    let rest = if scalar == F64 {
        let limit = s.constant(F64, power(-500));
        let small = s.compare_floats(divisor, Predicate::Less, limit);
        let (up, down) = (s.constant(F64, power(500)), s.constant(F64, power(-500)));
        let up = s.select(small, up, one);
        let down = s.select(small, down, one);
        let divisor = s.mul_float(divisor, up);
        let rest = reduce(cx, dividend, divisor);
        let rest = Scalars(cx).mul_float(rest, up);
        let rest = reduce(cx, rest, divisor);
        Scalars(cx).mul_float(rest, down)
    } else {
        reduce(cx, dividend, divisor)
    };
    let mut s = Scalars(cx);
    let nan = s.constant(F64, NAN);
    let rest = s.select(defined, rest, nan);
    let magnitude = s.bits(rest, I64);
    let sign = s.bits(wide, I64);
    let mask = s.constant(I64, SIGN);
    let sign = s.and(sign, mask);
    let signed = s.or(magnitude, sign);
    let signed = s.bits(signed, F64);
    // A NaN does not take the sign of `lhs`.
    let rest = s.select(defined, signed, nan);
    s.float(rest, exact, scalar)
}

/// Subtracts multiples of the divisor until the remainder is less. Continues in the loop's exit block.
fn reduce(cx: &mut Rewrite<'_>, dividend: Value, divisor: Value) -> Value {
    let float = LlvmType::Scalar(F64);
    let (head, args) = cx.new_block(&[float]);
    let rest = args.first().copied().unwrap_or(dividend);
    let (body, _) = cx.new_block(&[]);
    let (exit, _) = cx.new_block(&[]);
    let target = Rewrite::to(head, [dividend]);
    cx.build().effect(LlvmDialect::Br { target });
    cx.go_on_in(head);
    let condition = Scalars(cx).compare_floats(rest, Predicate::GreaterEqual, divisor);
    let (yes, no) = (Rewrite::to(body, []), Rewrite::to(exit, []));
    cx.build().effect(LlvmDialect::CondBr {
        condition,
        yes,
        no,
        unroll: None,
    });
    cx.go_on_in(body);
    let mut s = Scalars(cx);
    let (divisor_bits, rest_bits) = (s.bits(divisor, I64), s.bits(rest, I64));
    let (mantissa, exponent) = (s.constant(I64, MANTISSA), s.constant(I64, EXPONENT));
    let mantissa = s.and(divisor_bits, mantissa);
    let exponent = s.and(rest_bits, exponent);
    let aligned = s.or(mantissa, exponent);
    let aligned = s.bits(aligned, F64);
    let half = s.constant(F64, power(-1));
    let halved = s.mul_float(aligned, half);
    let too_large = s.compare_floats(aligned, Predicate::Greater, rest);
    let step = s.select(too_large, halved, aligned);
    let less = s.sub_float(rest, step);
    let target = Rewrite::to(head, [less]);
    cx.build().effect(LlvmDialect::Br { target });
    cx.go_on_in(exit);
    rest
}
