//! Conversions of constants, folded as the language defines them, and combinations of conversions.
//!
//! Every float format up to 64 bits converts to f64 without loss, so a constant float is converted by way of f64 and
//! rounded once. A value out of the range of an 8-bit or 4-bit format is not folded.

use rustc_apfloat::ieee::{
    BFloatS, Double, DoubleS, Float8E4M3FNS, Float8E5M2S, HalfS, IeeeFloat, Semantics, SingleS,
};
use rustc_apfloat::{Float, FloatConvert, Round};
use tilewright_irs::core::Operation;
use tilewright_irs::cuda_tile::{CastOp, IntegerOverflow, MemoryOp, Signedness, TileOp, TileType};
use tilewright_irs::element::ScalarType;
use tilewright_irs::folding::{self, range, wrapped};
use tilewright_irs::literal::{Dense, Literal};

use super::dense;
use super::floats::rounding;
use super::look::{Look, Simpler};
use crate::cuda_tile::as_arith::{self, words};
use crate::cuda_tile::behaviour::{is_in_range, number};

/// TensorFloat-32, as the 19 bits that it has.
struct Tf32S;

impl Semantics for Tf32S {
    const BITS: usize = 19;
    const EXP_BITS: usize = 8;
}

/// Folds a conversion of a constant.
pub(super) fn fold(look: &Look<'_, '_>, op: &CastOp, to: ScalarType) -> Option<Dense> {
    let source = look.dense(*op.operand_list().first()?)?;
    dense::map(&[source], to, |items| match items {
        [item] => converted(op, *item, to),
        _ => None,
    })
}

fn converted(op: &CastOp, from: Literal, to: ScalarType) -> Option<Literal> {
    match op {
        CastOp::Bitcast { .. } => (from.ty.bits() == to.bits()).then(|| Literal::new(to, from.bits)),
        CastOp::ExtI { .. } => folding::fold(&as_arith::cast(op).ok()?, &[from], to),
        CastOp::TruncI { overflow, .. } => {
            let (signed, unsigned) = (
                number(from, Signedness::Signed),
                number(from, Signedness::Unsigned),
            );
            folding::kept(to, words::overflow(*overflow), signed, unsigned)
        }
        CastOp::FToF { rounding_mode, .. } => {
            let value = widened(from)?;
            if value.is_nan() {
                return None;
            }
            narrowed(value, to, rounding(*rounding_mode)?)
        }
        CastOp::FToI {
            signedness,
            saturating,
            ..
        } => match widened(from)? {
            // Whether it is not zero; a NaN is not zero.
            value if to == ScalarType::I1 => Some(Literal::new(to, u64::from(!value.is_zero()))),
            value => cut(value, to, *signedness, saturating.0),
        },
        CastOp::IToF { signedness, .. } => {
            // Whether the integer value of true is 1 or -1 is unspecified.
            if from.ty == ScalarType::I1 && *signedness == Signedness::Signed {
                return None;
            }
            of_integer(number(from, *signedness), to)
        }
        // Addresses are unknown, and packed bytes are not folded.
        _ => None,
    }
}

/// A float of any format, exactly.
pub(super) fn widened(from: Literal) -> Option<Double> {
    fn convert<S: Semantics>(from: Literal) -> Double
    where
        IeeeFloat<S>: FloatConvert<Double>,
    {
        let value = IeeeFloat::<S>::from_bits(u128::from(from.bits));
        value.convert_r(Round::NearestTiesToEven, &mut false).value
    }
    Some(match from.ty {
        ScalarType::F16 => convert::<HalfS>(from),
        ScalarType::BF16 => convert::<BFloatS>(from),
        ScalarType::F32 => convert::<SingleS>(from),
        ScalarType::TF32 => convert::<Tf32S>(from),
        ScalarType::F64 => convert::<DoubleS>(from),
        ScalarType::F8E4M3FN => convert::<Float8E4M3FNS>(from),
        ScalarType::F8E5M2 => convert::<Float8E5M2S>(from),
        ScalarType::F8E8M0FNU | ScalarType::F4E2M1FN | ScalarType::F8E5M3FNU => {
            let sign = match from.ty {
                ScalarType::F4E2M1FN => 8,
                _ => 0,
            };
            let magnitude = small(from.ty, from.bits & !sign).unwrap_or(Double::NAN);
            if from.bits & sign == 0 {
                magnitude
            } else {
                -magnitude
            }
        }
        ScalarType::I1
        | ScalarType::I4
        | ScalarType::I8
        | ScalarType::I16
        | ScalarType::I32
        | ScalarType::I64 => return None,
    })
}

/// The value of a code of a format without IEEE's special values, without its sign. `None` for NaN.
fn small(ty: ScalarType, code: u64) -> Option<Double> {
    let (mantissa_bits, bias, codes) = match ty {
        ScalarType::F8E8M0FNU => (0, 127, 255),
        ScalarType::F4E2M1FN => (1, 1, 8),
        ScalarType::F8E5M3FNU => (3, 15, 255),
        _ => return None,
    };
    if code >= codes {
        return None;
    }
    let exponent = i32::try_from(code >> mantissa_bits).ok()?;
    let fraction = code & ((1 << mantissa_bits) - 1);
    // The exponent 0 means a subnormal number, unless the format has only an exponent.
    let (significand, exponent) = if exponent == 0 && mantissa_bits > 0 {
        (fraction, 1)
    } else {
        (fraction | (1 << mantissa_bits), exponent)
    };
    let value = Double::from_u128(u128::from(significand)).value;
    Some(value.scalbn_r(exponent - bias - mantissa_bits, Round::NearestTiesToEven))
}

/// Rounds a number that is not a NaN to a format.
pub(super) fn narrowed(value: Double, to: ScalarType, round: Round) -> Option<Literal> {
    fn convert<S: Semantics>(value: Double, to: ScalarType, round: Round, overflows: bool) -> Option<Literal>
    where
        Double: FloatConvert<IeeeFloat<S>>,
    {
        let converted: IeeeFloat<S> = value.convert_r(round, &mut false).value;
        let kept = !converted.is_nan() && (overflows || (value.is_finite() && converted.is_finite()));
        let bits = u64::try_from(converted.to_bits()).ok()?;
        kept.then(|| Literal::new(to, bits))
    }
    match to {
        ScalarType::F16 => convert::<HalfS>(value, to, round, true),
        ScalarType::BF16 => convert::<BFloatS>(value, to, round, true),
        ScalarType::F32 => convert::<SingleS>(value, to, round, true),
        ScalarType::TF32 => convert::<Tf32S>(value, to, round, true),
        ScalarType::F64 => convert::<DoubleS>(value, to, round, true),
        ScalarType::F8E4M3FN => convert::<Float8E4M3FNS>(value, to, round, false),
        ScalarType::F8E5M2 => convert::<Float8E5M2S>(value, to, round, false),
        ScalarType::F4E2M1FN => {
            let code = nearest(value.abs(), to, 8, round)?;
            let sign = if value.is_negative() { 8 } else { 0 };
            Some(Literal::new(to, code | sign))
        }
        ScalarType::F8E8M0FNU | ScalarType::F8E5M3FNU => {
            if value.is_negative() {
                return None;
            }
            Some(Literal::new(to, nearest(value, to, 255, round)?))
        }
        ScalarType::I1
        | ScalarType::I4
        | ScalarType::I8
        | ScalarType::I16
        | ScalarType::I32
        | ScalarType::I64 => None,
    }
}

/// The code that a magnitude rounds to: codes are ordered like their values.
fn nearest(value: Double, ty: ScalarType, codes: u64, round: Round) -> Option<u64> {
    let (mut low, mut high) = (0, codes - 1);
    if value < small(ty, low)? {
        return None;
    }
    let largest = small(ty, high)?;
    if value > largest {
        // A value beyond half a step above the largest number does not round to it.
        let gap = (largest - small(ty, high - 1)?).value;
        let middle = (largest + gap.scalbn_r(-1, Round::NearestTiesToEven)).value;
        let rounds = value < middle || (value == middle && high % 2 == 0);
        return (round == Round::NearestTiesToEven && rounds).then_some(high);
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if small(ty, middle)? <= value {
            low = middle;
        } else {
            high = middle;
        }
    }
    let (below, above) = (small(ty, low)?, small(ty, high)?);
    if value == below || value == above {
        return Some(if value == below { low } else { high });
    }
    // The mean of two neighbours of a small format is exact in f64.
    let middle = (below + above).value.scalbn_r(-1, Round::NearestTiesToEven);
    match round {
        Round::TowardZero => Some(low),
        Round::TowardPositive => Some(high),
        Round::NearestTiesToEven if value == middle => Some(if low % 2 == 0 { low } else { high }),
        Round::NearestTiesToEven => Some(if value < middle { low } else { high }),
        Round::TowardNegative | Round::NearestTiesToAway => None,
    }
}

/// A float truncated to an integer.
fn cut(value: Double, to: ScalarType, signedness: Signedness, saturating: bool) -> Option<Literal> {
    if to == ScalarType::I1 {
        return None;
    }
    if value.is_nan() {
        return saturating.then(|| Literal::new(to, 0));
    }
    let (low, high) = range(to, words::signedness(signedness));
    // Out of the range of 127 bits, the result is the nearest number in range.
    let number = value.to_i128_r(127, Round::TowardZero, &mut false).value;
    if saturating {
        return Some(wrapped(to, number.clamp(low, high)));
    }
    is_in_range(to, signedness, number).then(|| wrapped(to, number))
}

/// An integer rounded to the nearest float.
fn of_integer(value: i128, to: ScalarType) -> Option<Literal> {
    fn convert<S: Semantics>(value: i128, to: ScalarType, overflows: bool) -> Option<Literal> {
        let float = IeeeFloat::<S>::from_i128_r(value, Round::NearestTiesToEven).value;
        let bits = u64::try_from(float.to_bits()).ok()?;
        (float.is_finite() || (overflows && float.is_infinite())).then(|| Literal::new(to, bits))
    }
    match to {
        ScalarType::F16 => convert::<HalfS>(value, to, true),
        ScalarType::BF16 => convert::<BFloatS>(value, to, true),
        ScalarType::F32 => convert::<SingleS>(value, to, true),
        ScalarType::TF32 => convert::<Tf32S>(value, to, true),
        ScalarType::F64 => convert::<DoubleS>(value, to, true),
        ScalarType::F8E4M3FN => convert::<Float8E4M3FNS>(value, to, false),
        ScalarType::F8E5M2 => convert::<Float8E5M2S>(value, to, false),
        ScalarType::F4E2M1FN | ScalarType::F8E5M3FNU => {
            // All representable values of these formats are exact in f64.
            if value.unsigned_abs() > 1 << 52 {
                return None;
            }
            narrowed(Double::from_i128(value).value, to, Round::NearestTiesToEven)
        }
        ScalarType::F8E8M0FNU
        | ScalarType::I1
        | ScalarType::I4
        | ScalarType::I8
        | ScalarType::I16
        | ScalarType::I32
        | ScalarType::I64 => None,
    }
}

/// Combinations of conversions, pointer offsets of 0, and joins of one token.
pub(super) fn step(look: &Look<'_, '_>, op: &TileOp, ty: &TileType) -> Option<Simpler> {
    match op {
        TileOp::Cast(op) => chain(look, op, ty),
        TileOp::Memory(MemoryOp::Offset { ptr, offset }) => {
            (look.splat(*offset)?.bits == 0).then_some(Simpler::Value(*ptr))
        }
        TileOp::Memory(MemoryOp::JoinTokens { tokens }) => {
            let (first, rest) = tokens.split_first()?;
            rest.iter()
                .all(|token| token == first)
                .then_some(Simpler::Value(*first))
        }
        _ => None,
    }
}

fn chain(look: &Look<'_, '_>, op: &CastOp, ty: &TileType) -> Option<Simpler> {
    let source = *op.operand_list().first()?;
    let keeps_bits = matches!(op, CastOp::Bitcast { .. } | CastOp::PtrToPtr { .. });
    if keeps_bits && look.ty(source) == ty {
        return Some(Simpler::Value(source));
    }
    let Some(TileOp::Cast(inner)) = look.op(source) else {
        return None;
    };
    let same = |value| (look.ty(value) == ty).then_some(Simpler::Value(value));
    match (op, inner) {
        (CastOp::Bitcast { .. }, CastOp::Bitcast { source }) => {
            Some(Simpler::Op(CastOp::Bitcast { source: *source }.into()))
        }
        (CastOp::IntToPtr { .. }, CastOp::PtrToInt { source })
        | (CastOp::PtrToInt { .. }, CastOp::IntToPtr { source })
        | (CastOp::Pack { .. }, CastOp::Unpack { source })
        | (CastOp::Unpack { .. }, CastOp::Pack { source }) => same(*source),
        (CastOp::PtrToPtr { .. }, CastOp::PtrToPtr { source }) => {
            Some(Simpler::Op(CastOp::PtrToPtr { source: *source }.into()))
        }
        (CastOp::PtrToInt { .. }, CastOp::PtrToPtr { source }) => {
            Some(Simpler::Op(CastOp::PtrToInt { source: *source }.into()))
        }
        (
            CastOp::ExtI { signedness, .. },
            CastOp::ExtI {
                from,
                signedness: first,
            },
            // A zero-extended number is not negative.
        ) if signedness == first || *first == Signedness::Unsigned => Some(Simpler::Op(
            CastOp::ExtI {
                from: *from,
                signedness: *first,
            }
            .into(),
        )),
        (
            CastOp::TruncI {
                overflow: IntegerOverflow::None,
                ..
            },
            CastOp::TruncI {
                from,
                overflow: IntegerOverflow::None,
            },
        ) => Some(Simpler::Op(
            CastOp::TruncI {
                from: *from,
                overflow: IntegerOverflow::None,
            }
            .into(),
        )),
        (CastOp::TruncI { .. }, CastOp::ExtI { from, signedness }) => {
            let bits = |ty: &TileType| Some(ty.as_tile()?.element.scalar()?.bits());
            let (narrow, wanted) = (bits(look.ty(*from))?, bits(ty)?);
            let (from, signedness, overflow) = (*from, *signedness, IntegerOverflow::None);
            Some(match narrow.cmp(&wanted) {
                std::cmp::Ordering::Equal => Simpler::Value(from),
                std::cmp::Ordering::Less => Simpler::Op(CastOp::ExtI { from, signedness }.into()),
                std::cmp::Ordering::Greater => Simpler::Op(CastOp::TruncI { from, overflow }.into()),
            })
        }
        _ => None,
    }
}
