//! Simplifies float ops as far as their fast-math flags allow.
//!
//! In and out: `llvm_like`. An op is replaced by the right side of a row if it has all flags of the row. Without flags
//! nothing changes.
//!
//! | op | becomes | flags |
//! |---|---|---|
//! | `x + 0`, `x - 0` | `x` | `nsz` |
//! | `0 - x` | `-x` | `nsz` |
//! | `a * b + 0`, rounded once | `a * b` | `nsz` |
//! | `x - x` | 0 | `nnan` |
//! | `x * 0`, `0 / x` | 0 | `nnan`, `nsz` |
//! | `0 * b + c`, rounded once | `c` | `nnan`, `nsz` |
//! | `x / x` | 1 | `nnan` |
//! | a comparison of `x` with `x` | its result for numbers | `nnan` |
//! | an unordered comparison | the ordered one | `nnan` |
//! | a minimum or a maximum that propagates NaN | one that need not | `nnan` |
//! | the minimum of `x` and infinity, the maximum of `x` and its negative | `x` | `nnan` |
//! | a comparison of `x` with an infinity | its result for finite numbers | `ninf`, and `nnan` unless that of NaN is the same |
//! | `(x + c) + d`, `(x * c) * d`, of constants `c` and `d` | `x + (c + d)`, `x * (c * d)` | `reassoc` of both ops |
//!
//! An op that flushes subnormal numbers to zero is not replaced by its operand, which it may flush. Constants are combined
//! only where the result is finite, and for a product normal.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Body, Flag, Func, OpData, OpId, Origin, SideTable, Value};
use tilewright_irs::dialects::arith::{ArithOp, FloatRounding, Ordering};
use tilewright_irs::dialects::fast_math::{FastMath, FastMathFlag, FastMathOf, HasFastMath};
use tilewright_irs::element::ScalarType;
use tilewright_irs::folding::holds;
use tilewright_irs::literal::{Dense, Literal};
use tilewright_irs::llvm::{Llvm, LlvmOp, LlvmType};

use super::rewrite::{Rewrite, Rewriter, Rewritten, rewrite};
use super::scalars::product_or_sum;

const NNAN: FastMathFlag = FastMathFlag::NoNan;
const NSZ: FastMathFlag = FastMathFlag::NoSignedZero;
const NINF: FastMathFlag = FastMathFlag::NoInfinity;
const REASSOC: FastMathFlag = FastMathFlag::Reassociate;

/// Simplifies float ops; see [the module](self).
pub fn simplify_floats(func: &Func<Llvm>) -> Result<Func<Llvm>, Vec<Diagnostic<Origin>>> {
    let definitions = func.body.value_table();
    rewrite(func, &mut SimplifyFloats { definitions })
}

struct SimplifyFloats {
    /// The definition of each new value.
    definitions: SideTable<Value, ArithOp>,
}

/// What an op is replaced by.
enum Simpler {
    Value(Value),
    /// A number of the type of the first operand.
    Number(f64),
    Truth(bool),
    Op(ArithOp),
    WithConstant(WithConstant),
}

impl Rewriter for SimplifyFloats {
    fn concerns(&self, _: &Body<Llvm>, op: &OpData<Llvm>) -> bool {
        matches!(&op.kind, LlvmOp::Arith(op) if !op.fast_math().is_empty())
    }

    fn op(&mut self, cx: &mut Rewrite<'_>, id: OpId) -> Rewritten {
        let LlvmOp::Arith(op) = cx.renamed(id) else {
            cx.keep(id);
            return Ok(());
        };
        let result = cx.old(id).result(0);
        let ty = *cx.from.ty(result);
        let new = match self.simpler(&op) {
            None => self.emit(cx, op, ty),
            Some(Simpler::Value(value)) => value,
            Some(Simpler::Op(op)) => self.emit(cx, op, ty),
            Some(Simpler::Truth(truth)) => self.constant(cx, Literal::i1(truth)),
            Some(Simpler::Number(number)) => self.number(cx, number, ty),
            Some(Simpler::WithConstant(parts)) => {
                let number = self.number(cx, parts.number, ty);
                self.emit(cx, parts.op(number), ty)
            }
        };
        cx.bind(result, new);
        Ok(())
    }
}

impl SimplifyFloats {
    fn emit(&mut self, cx: &mut Rewrite<'_>, op: ArithOp, ty: LlvmType) -> Value {
        let value = cx.value(op.clone(), ty);
        self.definitions.set(value, op);
        value
    }

    fn constant(&mut self, cx: &mut Rewrite<'_>, literal: Literal) -> Value {
        let value = Dense::Splat(literal);
        self.emit(cx, ArithOp::Constant { value }, LlvmType::Scalar(literal.ty))
    }

    fn number(&mut self, cx: &mut Rewrite<'_>, number: f64, ty: LlvmType) -> Value {
        let scalar = ty.scalar().unwrap_or(ScalarType::F64);
        let literal = Literal::of_float(scalar, number);
        self.constant(cx, literal.unwrap_or(Literal::new(scalar, 0)))
    }

    fn literal(&self, value: Value) -> Option<Literal> {
        match self.definitions.get(value) {
            Some(ArithOp::Constant {
                value: Dense::Splat(literal),
            }) => Some(*literal),
            _ => None,
        }
    }

    fn known(&self, value: Value) -> Option<f64> {
        self.literal(value)?.float()
    }

    fn is_zero(&self, value: Value) -> bool {
        self.known(value) == Some(0.0)
    }

    fn simpler(&self, op: &ArithOp) -> Option<Simpler> {
        let flags = op.fast_math();
        if flags.is_empty() {
            return None;
        }
        let has = |flag| flags.has(flag);
        match *op {
            ArithOp::AddF {
                lhs,
                rhs,
                flush_to_zero: Flag(false),
                ..
            } if has(NSZ) && self.is_zero(rhs) => Some(Simpler::Value(lhs)),
            ArithOp::AddF {
                lhs,
                rhs,
                flush_to_zero: Flag(false),
                ..
            } if has(NSZ) && self.is_zero(lhs) => Some(Simpler::Value(rhs)),
            ArithOp::SubF {
                lhs,
                rhs,
                flush_to_zero: Flag(false),
                ..
            } if has(NSZ) && self.is_zero(rhs) => Some(Simpler::Value(lhs)),
            ArithOp::SubF {
                lhs,
                rhs: source,
                flush_to_zero: Flag(false),
                ..
            } if has(NSZ) && self.is_zero(lhs) => Some(Simpler::Op(ArithOp::NegF {
                source,
                fast_math: FastMathOf::of(flags),
            })),
            // Rounded down, it is the negative zero.
            ArithOp::SubF {
                lhs, rhs, rounding, ..
            } if lhs == rhs && has(NNAN) && (rounding != FloatRounding::Down || has(NSZ)) => {
                Some(Simpler::Number(0.0))
            }
            ArithOp::MulF { lhs, rhs, .. }
                if has(NNAN) && has(NSZ) && (self.is_zero(lhs) || self.is_zero(rhs)) =>
            {
                Some(Simpler::Number(0.0))
            }
            ArithOp::DivF { lhs, rhs, .. } if lhs == rhs && has(NNAN) => Some(Simpler::Number(1.0)),
            ArithOp::DivF { lhs, .. } if has(NNAN) && has(NSZ) && self.is_zero(lhs) => {
                Some(Simpler::Number(0.0))
            }
            ArithOp::Fma {
                lhs,
                rhs,
                acc,
                flush_to_zero: Flag(false),
                ..
            } if has(NNAN) && has(NSZ) && (self.is_zero(lhs) || self.is_zero(rhs)) => {
                Some(Simpler::Value(acc))
            }
            ArithOp::Fma {
                lhs,
                rhs,
                acc,
                rounding,
                flush_to_zero,
                ..
            } if has(NSZ) && self.is_zero(acc) => Some(Simpler::Op(ArithOp::MulF {
                lhs,
                rhs,
                rounding,
                flush_to_zero,
                fast_math: FastMathOf::of(flags),
            })),
            ArithOp::MinF { .. } | ArithOp::MaxF { .. } if has(NNAN) => self.extreme(op),
            ArithOp::CmpF { .. } => self.comparison(op, flags),
            ArithOp::AddF { .. } | ArithOp::SubF { .. } | ArithOp::MulF { .. } => self.reassociated(op),
            _ => None,
        }
    }

    /// A minimum or a maximum of numbers.
    fn extreme(&self, op: &ArithOp) -> Option<Simpler> {
        let (lhs, rhs, neutral, flushes) = match *op {
            ArithOp::MinF {
                lhs,
                rhs,
                flush_to_zero,
                ..
            } => (lhs, rhs, f64::INFINITY, flush_to_zero.0),
            ArithOp::MaxF {
                lhs,
                rhs,
                flush_to_zero,
                ..
            } => (lhs, rhs, f64::NEG_INFINITY, flush_to_zero.0),
            _ => return None,
        };
        let is_neutral = |value| !flushes && self.known(value) == Some(neutral);
        if is_neutral(rhs) {
            return Some(Simpler::Value(lhs));
        }
        if is_neutral(lhs) {
            return Some(Simpler::Value(rhs));
        }
        let mut op = op.clone();
        let (ArithOp::MinF { propagate_nan, .. } | ArithOp::MaxF { propagate_nan, .. }) = &mut op else {
            return None;
        };
        std::mem::take(&mut propagate_nan.0).then_some(Simpler::Op(op))
    }

    fn comparison(&self, op: &ArithOp, flags: FastMath) -> Option<Simpler> {
        let &ArithOp::CmpF {
            lhs,
            rhs,
            predicate,
            ordering,
            ..
        } = op
        else {
            return None;
        };
        // With a NaN, a comparison tells only its ordering.
        let may_be = |truth: bool| flags.has(NNAN) || truth == (ordering == Ordering::Unordered);
        if lhs == rhs && flags.has(NNAN) {
            return Some(Simpler::Truth(holds(predicate, &0.0, &0.0)));
        }
        let infinite = |value| self.known(value).filter(|number| number.is_infinite());
        let with_finite = match (infinite(lhs), infinite(rhs)) {
            (None, Some(infinity)) => Some(holds(predicate, &0.0, &infinity)),
            (Some(infinity), None) => Some(holds(predicate, &infinity, &0.0)),
            _ => None,
        };
        if let Some(truth) = with_finite.filter(|&truth| flags.has(NINF) && may_be(truth)) {
            return Some(Simpler::Truth(truth));
        }
        (flags.has(NNAN) && ordering == Ordering::Unordered).then(|| {
            Simpler::Op(ArithOp::CmpF {
                lhs,
                rhs,
                predicate,
                ordering: Ordering::Ordered,
                fast_math: FastMathOf::of(flags),
            })
        })
    }

    /// The constants of two sums, or of two products, combined.
    fn reassociated(&self, op: &ArithOp) -> Option<Simpler> {
        let outer = self.with_constant(op)?;
        let inner = self.with_constant(self.definitions.get(outer.value)?)?;
        if (outer.is_product, outer.flush) != (inner.is_product, inner.flush) {
            return None;
        }
        let flags = outer.flags.and(inner.flags);
        let number = if outer.is_product {
            outer.number * inner.number
        } else {
            outer.number + inner.number
        };
        let number = Literal::of_float(outer.ty, number)?.float()?;
        let fits = number.is_finite() && (!outer.is_product || is_normal(outer.ty, number));
        let (value, number) = fits.then_some((inner.value, number))?;
        if !outer.is_product && number == 0.0 && flags.has(NSZ) && !outer.flush.0 {
            return Some(Simpler::Value(value));
        }
        Some(Simpler::WithConstant(WithConstant {
            value,
            number,
            flags,
            ..outer
        }))
    }

    /// The parts of a sum, a difference or a product of a value and a constant that may be reassociated.
    fn with_constant(&self, op: &ArithOp) -> Option<WithConstant> {
        let (lhs, rhs, rounding, flush, is_product, sign) = match *op {
            ArithOp::AddF {
                lhs,
                rhs,
                rounding,
                flush_to_zero,
                ..
            } => (lhs, rhs, rounding, flush_to_zero, false, 1.0),
            ArithOp::SubF {
                lhs,
                rhs,
                rounding,
                flush_to_zero,
                ..
            } => (lhs, rhs, rounding, flush_to_zero, false, -1.0),
            ArithOp::MulF {
                lhs,
                rhs,
                rounding,
                flush_to_zero,
                ..
            } => (lhs, rhs, rounding, flush_to_zero, true, 1.0),
            _ => return None,
        };
        let flags = op.fast_math();
        if !flags.has(REASSOC) || rounding != FloatRounding::NearestEven {
            return None;
        }
        let (value, literal) = match (self.literal(lhs), self.literal(rhs)) {
            (None, Some(literal)) => (lhs, literal),
            (Some(literal), None) if sign > 0.0 => (rhs, literal),
            _ => return None,
        };
        Some(WithConstant {
            value,
            number: sign * literal.float()?,
            ty: literal.ty,
            is_product,
            flush,
            flags,
        })
    }
}

/// A value and a number that is added to it, or multiplied by it.
struct WithConstant {
    value: Value,
    number: f64,
    ty: ScalarType,
    is_product: bool,
    flush: Flag,
    flags: FastMath,
}

impl WithConstant {
    /// The op, with its number as this value.
    fn op(&self, rhs: Value) -> ArithOp {
        product_or_sum(self.is_product, [self.value, rhs], self.flush, self.flags)
    }
}

/// Whether a number of a type is neither zero nor subnormal nor infinite.
pub(super) fn is_normal(ty: ScalarType, number: f64) -> bool {
    let least = match ty {
        ScalarType::F16 => 2_f64.powi(-14),
        ScalarType::BF16 | ScalarType::F32 => f64::from(f32::MIN_POSITIVE),
        _ => f64::MIN_POSITIVE,
    };
    number.is_finite() && number.abs() >= least
}
