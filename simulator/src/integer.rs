//! Integer and bit arithmetic as PTX defines it. Values are 64-bit words, of which the low bits are significant.

use tilewright_irs::ptx::{Direction, Kind, Part, PermuteMode, ShiftMode, Type};

/// The low `bits` bits set.
pub(crate) const fn mask(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

/// The value of the low bits of `word` as an integer of type `ty`.
#[inline]
pub(crate) fn value(ty: Type, word: u64) -> i128 {
    let unused = 64 - ty.bits();
    if ty.kind() == Kind::Signed {
        i128::from((word << unused).cast_signed() >> unused)
    } else {
        i128::from(word & mask(ty.bits()))
    }
}

/// The word of an integer, sign-extended to 64 bits.
#[inline]
pub(crate) fn word(value: i128) -> u64 {
    // Two's complement: the low half is the word.
    (value as u128 & u128::from(u64::MAX)) as u64
}

/// The minimum and maximum of an integer type.
pub(crate) fn range(ty: Type) -> (i128, i128) {
    let bits = ty.bits();
    if ty.kind() == Kind::Signed {
        (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
    } else {
        (0, (1i128 << bits) - 1)
    }
}

/// A value clamped to the range of a type.
pub(crate) fn clamp(ty: Type, value: i128) -> u64 {
    let (low, high) = range(ty);
    word(value.clamp(low, high))
}

/// A part of a product.
pub(crate) fn multiply(ty: Type, part: Part, a: u64, b: u64) -> u64 {
    let bits = ty.bits();
    if ty.kind() == Kind::Signed {
        let product = value(ty, a) * value(ty, b);
        match part {
            Part::Lo | Part::Wide => word(product),
            Part::Hi => word(product >> bits),
        }
    } else {
        let product = u128::from(a & mask(bits)) * u128::from(b & mask(bits));
        match part {
            Part::Lo | Part::Wide => (product & u128::from(u64::MAX)) as u64,
            Part::Hi => (product >> bits) as u64,
        }
    }
}

/// Division towards zero. By zero, hardware returns all ones; the minimum divided by -1 wraps.
pub(crate) fn divide(ty: Type, a: u64, b: u64) -> u64 {
    value(ty, a).checked_div(value(ty, b)).map_or(u64::MAX, word)
}

/// The remainder of [`divide`]; by zero it is the dividend.
pub(crate) fn remainder(ty: Type, a: u64, b: u64) -> u64 {
    value(ty, a).checked_rem(value(ty, b)).map_or(a, word)
}

/// Left shift; amounts beyond the width give zero.
pub(crate) fn shift_left(ty: Type, a: u64, amount: u64) -> u64 {
    let amount = (amount & 0xffff_ffff).min(64) as u32;
    if amount >= ty.bits() { 0 } else { a << amount }
}

/// Right shift; amounts beyond the width give copies of the sign, or zero.
pub(crate) fn shift_right(ty: Type, a: u64, amount: u64) -> u64 {
    let amount = (amount & 0xffff_ffff).min(127) as u32;
    word(value(ty, a) >> amount)
}

/// Any bitwise function of three words, by its truth table.
pub(crate) fn lop3(a: u64, b: u64, c: u64, table: u64) -> u64 {
    (0..8).filter(|row| table >> row & 1 == 1).fold(0, |out, row| {
        let pick = |word: u64, bit: u32| if row >> bit & 1 == 1 { word } else { !word };
        out | (pick(a, 2) & pick(b, 1) & pick(c, 0))
    })
}

/// Funnel shift of the 64 bits `high:low`, where `b` is high and `a` is low.
pub(crate) fn funnel(direction: Direction, mode: ShiftMode, a: u64, b: u64, amount: u64) -> u64 {
    let amount = match mode {
        ShiftMode::Clamp => (amount & 0xffff_ffff).min(32),
        ShiftMode::Wrap => amount & 31,
    };
    let pair = (b & 0xffff_ffff) << 32 | (a & 0xffff_ffff);
    match direction {
        Direction::Left if amount == 32 => a,
        Direction::Left => (pair << amount) >> 32,
        Direction::Right => pair >> amount,
    }
}

/// Selects four bytes of `b:a`.
pub(crate) fn permute(mode: Option<PermuteMode>, a: u64, b: u64, selector: u64) -> u64 {
    let pair = (b & 0xffff_ffff) << 32 | (a & 0xffff_ffff);
    let byte = |index: u64| pair >> ((index & 7) * 8) & 0xff;
    let fixed = selector & 3;
    let four = |indices: [u64; 4]| {
        indices
            .iter()
            .enumerate()
            .fold(0, |out, (place, index)| out | byte(*index) << (place * 8))
    };
    match mode {
        None => (0..4).fold(0, |out, place| {
            let pick = selector >> (place * 4) & 0xf;
            let chosen = byte(pick);
            let chosen = match pick & 8 {
                0 => chosen,
                _ if chosen & 0x80 != 0 => 0xff,
                _ => 0,
            };
            out | chosen << (place * 8)
        }),
        Some(PermuteMode::F4e) => four([fixed, fixed + 1, fixed + 2, fixed + 3]),
        Some(PermuteMode::B4e) => four([fixed, fixed + 7, fixed + 6, fixed + 5]),
        Some(PermuteMode::Rc8) => four([fixed; 4]),
        Some(PermuteMode::Ecl) => four([0, 1, 2, 3].map(|place: u64| place.max(fixed))),
        Some(PermuteMode::Ecr) => four([0, 1, 2, 3].map(|place: u64| place.min(fixed))),
        Some(PermuteMode::Rc16) => {
            let half = (fixed & 1) * 2;
            four([half, half + 1, half, half + 1])
        }
    }
}

/// Extracts `length` bits from bit `start` on; signed types sign-extend the field.
pub(crate) fn extract(ty: Type, a: u64, start: u64, length: u64) -> u64 {
    let (bits, start, length) = (u64::from(ty.bits()), start & 0xff, length & 0xff);
    if length == 0 {
        return 0;
    }
    let signed = ty.kind() == Kind::Signed;
    let last = (start + length - 1).min(bits - 1);
    let sign = signed && a >> last & 1 == 1;
    let kept = if start >= bits {
        0
    } else {
        (a & mask(ty.bits())) >> start
    };
    let width = if start >= bits {
        0
    } else {
        (last - start + 1).min(64) as u32
    };
    let low = kept & mask(width);
    if sign { low | !mask(width) } else { low }
}

/// Inserts the low `length` bits of `a` into `b` from bit `start` on.
pub(crate) fn insert(ty: Type, a: u64, b: u64, start: u64, length: u64) -> u64 {
    let (bits, start, length) = (u64::from(ty.bits()), start & 0xff, length & 0xff);
    if start >= bits || length == 0 {
        return b;
    }
    let field = mask(length.min(bits - start) as u32) << start;
    (b & !field) | (a << start & field)
}

/// The number of leading zeros of a word of `bits` bits.
pub(crate) fn leading_zeros(ty: Type, a: u64) -> u64 {
    u64::from((a & mask(ty.bits())).leading_zeros() - (64 - ty.bits()))
}

/// The number of the highest bit that is one, of signed types of the highest that is not the sign; all ones if there is none. Or
/// the number of places by which it is shifted to the top.
pub(crate) fn highest(ty: Type, shift: bool, a: u64) -> u64 {
    let mask = mask(ty.bits());
    let negative = ty.kind() == Kind::Signed && a >> (ty.bits() - 1) & 1 == 1;
    let searched = if negative { !a & mask } else { a & mask };
    match searched.checked_ilog2() {
        None => u64::from(u32::MAX),
        Some(at) if shift => u64::from(ty.bits() - 1 - at),
        Some(at) => u64::from(at),
    }
}

/// The low 24 bits of an integer.
fn low24(ty: Type, a: u64) -> i64 {
    let low = (a & 0xFF_FFFF).cast_signed();
    match ty.kind() == Kind::Signed && low >> 23 == 1 {
        true => low - (1 << 24),
        false => low,
    }
}

/// The lowest 32 bits of the product of the low 24 bits, or those from 16 on.
pub(crate) fn product24(ty: Type, part: Part, a: u64, b: u64) -> u64 {
    let product = low24(ty, a) * low24(ty, b);
    let product = if part == Part::Hi { product >> 16 } else { product };
    product.cast_unsigned() & mask(32)
}

/// The same and a sum, which may be bounded.
pub(crate) fn sum24(ty: Type, part: Part, bounded: bool, a: u64, b: u64, c: u64) -> u64 {
    let product = product24(ty, part, a, b) as u32;
    let c = c as u32;
    u64::from(match bounded {
        true => product
            .cast_signed()
            .saturating_add(c.cast_signed())
            .cast_unsigned(),
        false => product.wrapping_add(c),
    })
}

/// The sum of the products of four bytes, which may have signs, and of `c`.
pub(crate) fn dot4(signed: (bool, bool), a: u64, b: u64, c: u64) -> u64 {
    let byte = |of: u64, at: u32, signed: bool| {
        let byte = (of >> (8 * at)) as u8;
        if signed {
            i64::from(byte.cast_signed())
        } else {
            i64::from(byte)
        }
    };
    let products = (0..4).map(|at| byte(a, at, signed.0) * byte(b, at, signed.1));
    products
        .sum::<i64>()
        .wrapping_add(c.cast_signed())
        .cast_unsigned()
        & mask(32)
}

/// The bits in reverse order.
pub(crate) fn reverse(ty: Type, a: u64) -> u64 {
    a.reverse_bits() >> (64 - ty.bits())
}
