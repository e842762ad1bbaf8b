//! Functions of pure instructions.

use crate::float::{Float, f32_of, fma_single, format, single};
use crate::integer;
use crate::program::{BitFn, Combine, RowFn, bit2, each, row1, row2, row3};
use crate::soft::F16;
use std::cmp::Ordering;
use tilewright_irs::ptx::{Comparison, Kind, Part, Property, Redux, Rounding, Type};

/// Float arithmetic with an instruction's modifiers; `None` for integers.
pub(crate) fn arithmetic(ty: Type, rounding: Option<Rounding>, ftz: bool, sat: bool) -> Option<Float> {
    format(ty).map(|format| Float::new(format, rounding, ftz).saturating(sat))
}

fn packed(ty: Type) -> bool {
    ty.kind() == Kind::PackedFloat
}

/// A unary function, on a number or on both halves.
pub(crate) fn float1(ty: Type, f: impl Fn(u64) -> u64 + Send + Sync + 'static) -> RowFn {
    if packed(ty) {
        row1(crate::float::halves(f))
    } else {
        row1(f)
    }
}

/// A binary function, on numbers or on both halves.
pub(crate) fn float2(ty: Type, f: impl Fn(u64, u64) -> u64 + Send + Sync + 'static) -> RowFn {
    if packed(ty) {
        row2(move |a, b| by_halves(ty, &f, a, b))
    } else {
        row2(f)
    }
}

/// A ternary function, on numbers or on both halves.
pub(crate) fn float3(ty: Type, f: impl Fn(u64, u64, u64) -> u64 + Send + Sync + 'static) -> RowFn {
    if packed(ty) {
        row3(move |a, b, c| {
            f(a & 0xffff, b & 0xffff, c & 0xffff)
                | f(a >> 16 & 0xffff, b >> 16 & 0xffff, c >> 16 & 0xffff) << 16
        })
    } else {
        row3(f)
    }
}

pub(crate) fn add(ty: Type, rounding: Option<Rounding>, ftz: bool, sat: bool) -> RowFn {
    match arithmetic(ty, rounding, ftz, sat) {
        Some(float) if float.is_plain_single() => row2(|a, b| single(f32_of(a) + f32_of(b))),
        Some(float) => float2(ty, move |a, b| float.add(a, b)),
        None if sat => row2(move |a, b| integer::clamp(ty, integer::value(ty, a) + integer::value(ty, b))),
        None => row2(u64::wrapping_add),
    }
}

pub(crate) fn sub(ty: Type, rounding: Option<Rounding>, ftz: bool, sat: bool) -> RowFn {
    match arithmetic(ty, rounding, ftz, sat) {
        Some(float) if float.is_plain_single() => row2(|a, b| single(f32_of(a) - f32_of(b))),
        Some(float) => float2(ty, move |a, b| float.sub(a, b)),
        None if sat => row2(move |a, b| integer::clamp(ty, integer::value(ty, a) - integer::value(ty, b))),
        None => row2(u64::wrapping_sub),
    }
}

pub(crate) fn mul(ty: Type, part: Option<Part>, rounding: Option<Rounding>, ftz: bool, sat: bool) -> RowFn {
    match (arithmetic(ty, rounding, ftz, sat), part) {
        (Some(float), _) if float.is_plain_single() => row2(|a, b| single(f32_of(a) * f32_of(b))),
        (Some(float), _) => float2(ty, move |a, b| float.mul(a, b)),
        (None, Some(Part::Lo)) => row2(u64::wrapping_mul),
        (None, part) => {
            let part = part.unwrap_or(Part::Lo);
            row2(move |a, b| integer::multiply(ty, part, a, b))
        }
    }
}

pub(crate) fn mad(ty: Type, part: Part, sat: bool) -> RowFn {
    match part {
        Part::Lo => row3(|a, b, c| a.wrapping_mul(b).wrapping_add(c)),
        Part::Hi if sat => row3(move |a, b, c| {
            let product = integer::value(ty, integer::multiply(ty, Part::Hi, a, b));
            integer::clamp(ty, product + integer::value(ty, c))
        }),
        Part::Hi | Part::Wide => row3(move |a, b, c| integer::multiply(ty, part, a, b).wrapping_add(c)),
    }
}

pub(crate) fn fma(ty: Type, float: Float) -> RowFn {
    if float.is_plain_single() {
        return row3(|a, b, c| single(fma_single(f32_of(a), f32_of(b), f32_of(c))));
    }
    float3(ty, move |a, b, c| float.fma(a, b, c))
}

pub(crate) fn div(ty: Type, rounding: Option<Rounding>, ftz: bool) -> RowFn {
    match arithmetic(ty, rounding, ftz, false) {
        Some(float) => row2(move |a, b| float.div(a, b)),
        None => row2(move |a, b| integer::divide(ty, a, b)),
    }
}

pub(crate) fn neg(ty: Type, ftz: bool) -> RowFn {
    match arithmetic(ty, None, ftz, false) {
        Some(float) => float1(ty, move |a| float.neg(a)),
        None => row1(u64::wrapping_neg),
    }
}

pub(crate) fn abs(ty: Type, ftz: bool) -> RowFn {
    match arithmetic(ty, None, ftz, false) {
        Some(float) => float1(ty, move |a| float.abs(a)),
        None => row1(move |a| integer::word(integer::value(ty, a).abs())),
    }
}

pub(crate) fn min_max(ty: Type, larger: bool, ftz: bool, nan: bool) -> RowFn {
    match arithmetic(ty, None, ftz, false) {
        Some(float) => float2(ty, move |a, b| float.min_max(a, b, larger, nan)),
        None => row2(move |a, b| {
            if (integer::value(ty, a) < integer::value(ty, b)) == larger {
                b
            } else {
                a
            }
        }),
    }
}

/// A function that is computed in `f64`.
pub(crate) fn approximate(ty: Type, ftz: bool, f: impl Fn(f64) -> f64 + Send + Sync + 'static) -> RowFn {
    match arithmetic(ty, None, ftz, false) {
        Some(float) => float1(ty, move |a| float.through_f64(a, &f)),
        None => row1(|a| a),
    }
}

pub(crate) fn test(ty: Type, property: Property) -> BitFn {
    let float = format(ty).unwrap_or(crate::soft::F32);
    bit2(move |a, _| {
        let magnitude = a & (float.sign_bit() - 1);
        let (nan, infinite) = (float.is_nan(a), magnitude == float.infinity());
        match property {
            Property::Finite => !nan && !infinite,
            Property::Infinite => infinite,
            Property::Number => !nan,
            Property::NotANumber => nan,
            Property::Normal => !nan && !infinite && magnitude != 0 && !float.is_subnormal(a),
            Property::Subnormal => float.is_subnormal(a),
        }
    })
}

/// The result of a comparison for an order; `None` is unordered.
fn holds(comparison: Comparison, order: Option<Ordering>) -> bool {
    use Comparison as C;
    use Ordering::{Equal, Greater, Less};
    match comparison {
        C::Eq => order == Some(Equal),
        C::Ne => matches!(order, Some(Less | Greater)),
        C::Lt | C::Lo => order == Some(Less),
        C::Le | C::Ls => matches!(order, Some(Less | Equal)),
        C::Gt | C::Hi => order == Some(Greater),
        C::Ge | C::Hs => matches!(order, Some(Greater | Equal)),
        C::Equ => matches!(order, None | Some(Equal)),
        C::Neu => order != Some(Equal),
        C::Ltu => matches!(order, None | Some(Less)),
        C::Leu => order != Some(Greater),
        C::Gtu => matches!(order, None | Some(Greater)),
        C::Geu => order != Some(Less),
        C::Num => order.is_some(),
        C::Nan => order.is_none(),
    }
}

/// A comparison of the low halves of packed floats, and one of the high ones.
pub(crate) fn compare_halves(ty: Type, comparison: Comparison, ftz: bool) -> [BitFn; 2] {
    let float = arithmetic(ty, None, ftz, false);
    [0, 16].map(|at| {
        bit2(move |a, b| {
            let part = |word: u64| word >> at & 0xffff;
            float.is_some_and(|float| holds(comparison, float.compare(part(a), part(b))))
        })
    })
}

pub(crate) fn compare(ty: Type, comparison: Comparison, ftz: bool) -> BitFn {
    match arithmetic(ty, None, ftz, false) {
        Some(float) => bit2(move |a, b| holds(comparison, float.compare(a, b))),
        None => bit2(move |a, b| {
            holds(
                comparison,
                Some(integer::value(ty, a).cmp(&integer::value(ty, b))),
            )
        }),
    }
}

/// A comparison's result as a number: 1.0 of `f32`, or all ones.
pub(crate) fn set(to: Type, compare: BitFn) -> RowFn {
    let yes = if to == Type::F32 {
        u64::from(1f32.to_bits())
    } else {
        u64::MAX
    };
    Box::new(move |rows, mask, out| {
        let bits = compare(rows, mask);
        each(mask, |lane| {
            out[lane] = if bits >> lane & 1 == 1 { yes } else { 0 };
        });
    })
}

/// Packs two `f32` as halves, the first into the high one.
pub(crate) fn pack_halves(to: Type, rounding: Rounding, relu: bool, satfinite: bool) -> RowFn {
    let narrow = crate::convert::clamped(to, rounding, relu, satfinite);
    row2(move |a, b| narrow(a) << 16 | narrow(b))
}

/// Converts two packed `f16` to two eight-bit floats.
pub(crate) fn halves_to_eight(to: Type, relu: bool) -> RowFn {
    let eight = crate::convert::Eight::of(to);
    row1(move |a| {
        let narrow = |half| eight.narrow(F16.unpack(half), relu);
        narrow(a >> 16 & 0xffff) << 8 | narrow(a & 0xffff)
    })
}

/// Converts two `f32` to two eight-bit floats, the first into the high byte.
pub(crate) fn singles_to_eight(to: Type, relu: bool) -> RowFn {
    let eight = crate::convert::Eight::of(to);
    row2(move |a, b| {
        let narrow = |bits| eight.narrow(crate::soft::F32.unpack(bits), relu);
        narrow(a) << 8 | narrow(b)
    })
}

/// Converts two eight-bit floats to two `f16`.
pub(crate) fn eight_to_halves(from: Type, relu: bool) -> RowFn {
    let eight = crate::convert::Eight::of(from);
    let clamp = move |half: u64| {
        if relu && half & 0x8000 != 0 && !F16.is_nan(half) {
            0
        } else {
            half
        }
    };
    row1(move |a| clamp(eight.widen(a >> 8 & 0xff)) << 16 | clamp(eight.widen(a & 0xff)))
}

/// A function on a number, or on both halves.
fn by_halves(ty: Type, f: impl Fn(u64, u64) -> u64, a: u64, b: u64) -> u64 {
    if packed(ty) {
        f(a & 0xffff, b & 0xffff) | f(a >> 16 & 0xffff, b >> 16 & 0xffff) << 16
    } else {
        f(a, b)
    }
}

/// An atomic addition. On global memory `f32` is flushed, as on the device.
pub(crate) fn atomic_add(ty: Type, global: bool, a: u64, b: u64) -> u64 {
    match arithmetic(ty, None, global && ty == Type::F32, false) {
        Some(float) => by_halves(ty, |a, b| float.add(a, b), a, b),
        None => a.wrapping_add(b),
    }
}

/// An atomic minimum or, with `larger`, maximum.
pub(crate) fn atomic_min_max(ty: Type, larger: bool, a: u64, b: u64) -> u64 {
    match arithmetic(ty, None, false, false) {
        Some(float) => by_halves(ty, |a, b| float.min_max(a, b, larger, false), a, b),
        None if (integer::value(ty, a) < integer::value(ty, b)) == larger => b,
        None => a,
    }
}

/// `redux`: on integers, or with `abs` and `nan`, minimum and maximum of `f32`.
pub(crate) fn redux(op: Redux, ty: Type, abs: bool, nan: bool) -> Combine {
    let larger = op == Redux::Max;
    let next: Box<dyn Fn(u64, u64) -> u64 + Send + Sync> = match op {
        Redux::Add => Box::new(u64::wrapping_add),
        Redux::And => Box::new(|a, b| a & b),
        Redux::Or => Box::new(|a, b| a | b),
        Redux::Xor => Box::new(|a, b| a ^ b),
        Redux::Min | Redux::Max => match arithmetic(ty, None, false, false) {
            None => Box::new(move |a, b| atomic_min_max(ty, larger, a, b)),
            Some(float) => {
                let magnitude = move |bits| if abs { float.abs(bits) } else { bits };
                let next = move |a, b| float.min_max(magnitude(a), magnitude(b), larger, nan);
                // A single value has its magnitude taken, and its NaN canonicalised, too.
                return Combine {
                    first: Box::new(move |a| next(a, a)),
                    next: Box::new(next),
                };
            }
        },
    };
    Combine {
        first: Box::new(|a| a),
        next,
    }
}
