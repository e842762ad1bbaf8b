//! Folds float ops on constants, in the op's own format and rounding.
//!
//! An op whose result is a NaN is kept, and so is a flushed result that was rounded up to the smallest normal number:
//! whether that counts as subnormal depends on the target.

use rustc_apfloat::ieee::{BFloatS, DoubleS, HalfS, IeeeFloat, Semantics, SingleS};
use rustc_apfloat::{Float, Round, Status, StatusAnd};
use tilewright_irs::core::Operation;
use tilewright_irs::cuda_tile::{ComparisonOrdering, FloatOp, RoundingMode};
use tilewright_irs::element::ScalarType;
use tilewright_irs::folding::holds;
use tilewright_irs::literal::{Dense, Literal};

use super::dense;
use super::look::Look;
use crate::cuda_tile::as_arith::words;

/// Dispatches on the arithmetic format of a type.
macro_rules! in_format {
    ($ty:expr, $format:ident => $body:expr, else $other:expr) => {
        match $ty {
            ScalarType::F16 => {
                type $format = HalfS;
                $body
            }
            ScalarType::BF16 => {
                type $format = BFloatS;
                $body
            }
            ScalarType::F32 => {
                type $format = SingleS;
                $body
            }
            ScalarType::F64 => {
                type $format = DoubleS;
                $body
            }
            ScalarType::I1
            | ScalarType::I4
            | ScalarType::I8
            | ScalarType::I16
            | ScalarType::I32
            | ScalarType::I64
            | ScalarType::TF32
            | ScalarType::F8E4M3FN
            | ScalarType::F8E5M2
            | ScalarType::F8E8M0FNU
            | ScalarType::F4E2M1FN
            | ScalarType::F8E5M3FNU => $other,
        }
    };
}

/// Folds an op on constants.
pub(super) fn fold(look: &Look<'_, '_>, op: &FloatOp) -> Option<Dense> {
    let operands = op.operand_list().into_iter();
    let sources: Option<Vec<&Dense>> = operands.map(|value| look.dense(value)).collect();
    let sources = sources?;
    let ty = sources.first()?.ty();
    let to = match op {
        FloatOp::CmpF { .. } => ScalarType::I1,
        _ => ty,
    };
    dense::map(
        &sources,
        to,
        |items| in_format!(ty, S => evaluate::<S>(op, items), else None),
    )
}

/// The rounding mode; `None` for approximations.
pub(super) fn rounding(mode: RoundingMode) -> Option<Round> {
    match mode {
        RoundingMode::NearestEven => Some(Round::NearestTiesToEven),
        RoundingMode::Zero => Some(Round::TowardZero),
        RoundingMode::NegativeInf => Some(Round::TowardNegative),
        RoundingMode::PositiveInf => Some(Round::TowardPositive),
        RoundingMode::NearestAway => Some(Round::NearestTiesToAway),
        RoundingMode::Approx | RoundingMode::Full | RoundingMode::NearestIntToZero => None,
    }
}

/// Whether a literal of an arithmetic format is a NaN.
pub(super) fn is_nan(literal: Literal) -> bool {
    in_format!(literal.ty, S => float::<S>(literal, false).is_nan(), else false)
}

/// The value of a literal; with `flush`, a subnormal is a zero of its sign.
fn float<S: Semantics>(literal: Literal, flush: bool) -> IeeeFloat<S> {
    let value = IeeeFloat::<S>::from_bits(u128::from(literal.bits));
    if flush && value.is_denormal() {
        IeeeFloat::<S>::ZERO.copy_sign(value)
    } else {
        value
    }
}

fn literal<S: Semantics>(ty: ScalarType, value: IeeeFloat<S>) -> Option<Literal> {
    let bits = u64::try_from(value.to_bits()).ok()?;
    (!value.is_nan()).then(|| Literal::new(ty, bits))
}

fn finished<S: Semantics>(ty: ScalarType, result: StatusAnd<IeeeFloat<S>>, flush: bool) -> Option<Literal> {
    let StatusAnd { status, value } = result;
    if flush && value.is_denormal() {
        return literal(ty, IeeeFloat::<S>::ZERO.copy_sign(value));
    }
    if flush && value.is_smallest_normalized() && status.contains(Status::INEXACT) {
        return None;
    }
    literal(ty, value)
}

fn evaluate<S: Semantics>(op: &FloatOp, items: &[Literal]) -> Option<Literal> {
    let ty = items.first()?.ty;
    let number = |at: usize, flush: bool| items.get(at).map(|&item| float::<S>(item, flush));
    match op {
        FloatOp::AbsF { .. } => literal(ty, number(0, false)?.abs()),
        FloatOp::NegF { .. } => literal(ty, -number(0, false)?),
        FloatOp::Ceil { .. } => literal(
            ty,
            number(0, false)?.round_to_integral(Round::TowardPositive).value,
        ),
        FloatOp::Floor { .. } => literal(
            ty,
            number(0, false)?.round_to_integral(Round::TowardNegative).value,
        ),
        FloatOp::Sqrt {
            rounding_mode,
            flush_to_zero,
            ..
        } => {
            let root = square_root(number(0, flush_to_zero.0)?, rounding(*rounding_mode)?)?;
            finished(ty, root, flush_to_zero.0)
        }
        FloatOp::AddF {
            rounding_mode: mode,
            flush_to_zero: flush,
            ..
        }
        | FloatOp::SubF {
            rounding_mode: mode,
            flush_to_zero: flush,
            ..
        }
        | FloatOp::MulF {
            rounding_mode: mode,
            flush_to_zero: flush,
            ..
        }
        | FloatOp::DivF {
            rounding_mode: mode,
            flush_to_zero: flush,
            ..
        } => {
            let (lhs, rhs) = (number(0, flush.0)?, number(1, flush.0)?);
            let round = rounding(*mode)?;
            let result = match op {
                FloatOp::AddF { .. } => lhs.add_r(rhs, round),
                FloatOp::SubF { .. } => lhs.sub_r(rhs, round),
                FloatOp::MulF { .. } => lhs.mul_r(rhs, round),
                _ => lhs.div_r(rhs, round),
            };
            finished(ty, result, flush.0)
        }
        FloatOp::Fma {
            rounding_mode,
            flush_to_zero: flush,
            ..
        } => {
            let (lhs, rhs, acc) = (number(0, flush.0)?, number(1, flush.0)?, number(2, flush.0)?);
            finished(ty, lhs.mul_add_r(rhs, acc, rounding(*rounding_mode)?), flush.0)
        }
        FloatOp::RemF { .. } => {
            let (lhs, rhs) = (number(0, false)?, number(1, false)?);
            let rest = lhs.c_fmod(rhs).value;
            // A zero remainder has the sign of the dividend.
            literal(ty, if rest.is_zero() { rest.copy_sign(lhs) } else { rest })
        }
        FloatOp::MaxF {
            propagate_nan,
            flush_to_zero: flush,
            ..
        }
        | FloatOp::MinF {
            propagate_nan,
            flush_to_zero: flush,
            ..
        } => {
            let (lhs, rhs) = (number(0, flush.0)?, number(1, flush.0)?);
            if propagate_nan.0 && (lhs.is_nan() || rhs.is_nan()) {
                return None;
            }
            let wants_larger = matches!(op, FloatOp::MaxF { .. });
            literal(ty, extreme(lhs, rhs, wants_larger))
        }
        FloatOp::CmpF {
            predicate, ordering, ..
        } => {
            let (lhs, rhs) = (number(0, false)?, number(1, false)?);
            let holds = if lhs.is_nan() || rhs.is_nan() {
                *ordering == ComparisonOrdering::Unordered
            } else {
                holds(words::predicate(*predicate), &lhs, &rhs)
            };
            Some(Literal::i1(holds))
        }
        // Functions and approximations are not folded.
        _ => None,
    }
}

/// The maximum or the minimum; with one NaN the other operand, and `+0` is larger than `-0`.
fn extreme<S: Semantics>(lhs: IeeeFloat<S>, rhs: IeeeFloat<S>, wants_larger: bool) -> IeeeFloat<S> {
    if lhs.is_nan() {
        return rhs;
    }
    if rhs.is_nan() {
        return lhs;
    }
    let lhs_is_larger = if lhs.is_zero() && rhs.is_zero() {
        !lhs.is_negative()
    } else {
        lhs >= rhs
    };
    if lhs_is_larger == wants_larger { lhs } else { rhs }
}

/// The square root, rounded once: of the significand as an integer with extra bits, with a sticky bit.
fn square_root<S: Semantics>(source: IeeeFloat<S>, round: Round) -> Option<StatusAnd<IeeeFloat<S>>> {
    if source.is_nan() || source.is_zero() || source.is_pos_infinity() {
        return Some(Status::OK.and(source));
    }
    if source.is_negative() {
        return None;
    }
    let precision = i32::try_from(S::PRECISION).ok()?;
    let mut exponent = 0;
    let fraction = source.frexp_r(&mut exponent, Round::TowardZero);
    let significand = fraction.scalbn_r(precision, Round::TowardZero).to_u128(128).value;
    let exponent = exponent - precision;
    // The exponent must be even, and the root gets two bits more than the format has.
    let shift = precision + 4;
    let shift = if (exponent - shift) % 2 == 0 {
        shift
    } else {
        shift + 1
    };
    let square = significand << shift;
    let root = square.isqrt();
    let rest = u128::from(root * root != square);
    let half = (exponent - shift) / 2;
    let rounded = IeeeFloat::<S>::from_u128_r((root << 1) | rest, round);
    Some(rounded.status.and(rounded.value.scalbn_r(half - 1, round)))
}
