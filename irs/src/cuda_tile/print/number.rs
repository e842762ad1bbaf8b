//! Decimal output of floats by the rules of LLVM's printer: six digits if they suffice, else as many as the type
//! needs, else the bits.

use crate::element::ScalarType;
use crate::literal::Literal;

/// The bit layout of a float type.
struct Format {
    mantissa: u32,
    exponent: u32,
    bias: i32,
    signed: bool,
    special: Special,
}

/// The meaning of the largest exponent.
enum Special {
    /// Infinity, or NaN with a nonzero mantissa.
    Ieee,
    /// NaN, if every bit of the mantissa is set.
    AllOnes,
    /// An ordinary number.
    Nothing,
}

fn format_of(ty: ScalarType) -> Option<Format> {
    let format = |exponent, mantissa, bias, signed, special| {
        Some(Format {
            mantissa,
            exponent,
            bias,
            signed,
            special,
        })
    };
    match ty {
        ScalarType::F16 => format(5, 10, 15, true, Special::Ieee),
        ScalarType::BF16 => format(8, 7, 127, true, Special::Ieee),
        ScalarType::F32 => format(8, 23, 127, true, Special::Ieee),
        ScalarType::TF32 => format(8, 10, 127, true, Special::Ieee),
        ScalarType::F64 => format(11, 52, 1023, true, Special::Ieee),
        ScalarType::F8E4M3FN => format(4, 3, 7, true, Special::AllOnes),
        ScalarType::F8E5M2 => format(5, 2, 15, true, Special::Ieee),
        ScalarType::F8E8M0FNU => format(8, 0, 127, false, Special::AllOnes),
        ScalarType::F4E2M1FN => format(2, 1, 1, true, Special::Nothing),
        ScalarType::F8E5M3FNU => format(5, 3, 15, false, Special::AllOnes),
        ScalarType::I1
        | ScalarType::I4
        | ScalarType::I8
        | ScalarType::I16
        | ScalarType::I32
        | ScalarType::I64 => None,
    }
}

/// The value of a float.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum FloatValue {
    /// A number; every one of these types fits an `f64` exactly.
    Finite(f64),
    /// An infinity.
    Infinite,
    /// NaN.
    Nan,
}

/// The value of a float literal; an integer's is not a number.
pub(super) fn value(literal: Literal) -> FloatValue {
    let Some(format) = format_of(literal.ty) else {
        return FloatValue::Nan;
    };
    let mantissa = literal.bits & ((1 << format.mantissa) - 1);
    let top = (1u64 << format.exponent) - 1;
    let exponent = (literal.bits >> format.mantissa) & top;
    let negative = format.signed && (literal.bits >> (format.mantissa + format.exponent)) & 1 == 1;
    if exponent == top {
        match format.special {
            Special::Ieee if mantissa == 0 => return FloatValue::Infinite,
            Special::Ieee => return FloatValue::Nan,
            Special::AllOnes if mantissa == (1 << format.mantissa) - 1 => return FloatValue::Nan,
            Special::AllOnes | Special::Nothing => {}
        }
    }
    // The power-of-two type has neither zero nor subnormals.
    let subnormal = exponent == 0 && format.mantissa > 0;
    let significand = if subnormal {
        mantissa
    } else {
        mantissa | (1 << format.mantissa)
    };
    let power = i32::try_from(exponent.max(u64::from(subnormal))).unwrap_or(0)
        - format.bias
        - i32::try_from(format.mantissa).unwrap_or(0);
    let magnitude = scale(significand, power);
    FloatValue::Finite(if negative { -magnitude } else { magnitude })
}

/// `significand * 2^power`, which is exact: the significand has at most 53 bits, and a smaller number is one of f64.
#[allow(clippy::cast_precision_loss)]
fn scale(significand: u64, power: i32) -> f64 {
    let mut value = significand as f64;
    let mut power = power;
    while power < 0 {
        let step = power.max(-1000);
        value *= 2f64.powi(step);
        power -= step;
    }
    value * 2f64.powi(power)
}

/// The text of a float literal.
pub fn float_text(literal: Literal) -> String {
    let FloatValue::Finite(value) = value(literal) else {
        return bits_text(literal);
    };
    let short = short_text(value);
    if reads_back(&short, literal, value) {
        return short;
    }
    let long = long_text(value, long_digits(literal.ty));
    if long.contains('.') {
        long
    } else {
        bits_text(literal)
    }
}

fn bits_text(literal: Literal) -> String {
    let width = usize::try_from(literal.ty.bits().div_ceil(4)).unwrap_or(16);
    format!("0x{:0width$X}", literal.bits)
}

/// The number of digits that distinguish the numbers of a type: two more than its significand has in decimal.
fn long_digits(ty: ScalarType) -> usize {
    let precision = format_of(ty).map_or(0, |format| format.mantissa + 1);
    usize::try_from(2 + precision * 59 / 196).unwrap_or(17)
}

/// A natural number of any size: 32-bit digits, the lowest first, without leading zeros.
struct Natural(Vec<u32>);

impl Natural {
    fn new(value: u64) -> Self {
        let low = (value & 0xFFFF_FFFF) as u32;
        let mut number = Self(vec![low, (value >> 32) as u32]);
        number.trim();
        number
    }

    fn trim(&mut self) {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }

    fn multiply(&mut self, by: u32) {
        let mut carry = 0u64;
        for limb in &mut self.0 {
            let product = u64::from(*limb) * u64::from(by) + carry;
            *limb = (product & 0xFFFF_FFFF) as u32;
            carry = product >> 32;
        }
        if carry > 0 {
            self.0.push((carry & 0xFFFF_FFFF) as u32);
        }
    }

    fn divide(&mut self, by: u32) {
        let mut rest = 0u64;
        for limb in self.0.iter_mut().rev() {
            let dividend = rest << 32 | u64::from(*limb);
            *limb = (dividend / u64::from(by)) as u32;
            rest = dividend % u64::from(by);
        }
        self.trim();
    }

    fn bits(&self) -> usize {
        self.0
            .last()
            .map_or(0, |top| self.0.len() * 32 - top.leading_zeros() as usize)
    }

    /// The value, if it fits.
    fn to_u64(&self) -> Option<u64> {
        match *self.0.as_slice() {
            [] => Some(0),
            [low] => Some(u64::from(low)),
            [low, high] => Some(u64::from(low) | u64::from(high) << 32),
            _ => None,
        }
    }
}

/// The sign, at most `count` digits without trailing zeros, and the power of ten of the first of them.
///
/// LLVM's printer does not round the exact value: it first removes digits that are superfluous by its estimate from
/// the number of bits, and then rounds half up. The digits here are the same.
fn digits(value: f64, count: usize) -> (bool, Vec<u8>, i32) {
    let negative = value.is_sign_negative();
    if value == 0.0 {
        return (negative, vec![0], 0);
    }
    let bits = value.to_bits();
    let biased = i32::try_from((bits >> 52) & 0x7FF).unwrap_or(0);
    let fraction = bits & ((1 << 52) - 1);
    let significand = if biased == 0 { fraction } else { fraction | 1 << 52 };
    let zeros = significand.trailing_zeros();
    let mut number = Natural::new(significand >> zeros);
    let power = biased.max(1) - 1075 + i32::try_from(zeros).unwrap_or(0);
    // n * 2^-e is n * 5^e * 10^-e.
    for _ in 0..power.unsigned_abs() {
        number.multiply(if power < 0 { 5 } else { 2 });
    }
    let mut last = power.min(0);
    let required = (count * 196).div_ceil(59);
    let removable = number.bits().saturating_sub(required) * 59 / 196;
    for _ in 0..removable {
        number.divide(10);
        last += 1;
    }
    // The rest has few more bits than `count` digits need, and `count` is at most 17.
    let text = number.to_u64().unwrap_or(u64::MAX).to_string();
    let mut digits: Vec<u8> = text.bytes().map(|b| b - b'0').collect();
    let mut first = last + i32::try_from(digits.len()).unwrap_or(0) - 1;
    let up = digits.get(count).is_some_and(|&next| next >= 5);
    digits.truncate(count);
    if up {
        while digits.last() == Some(&9) {
            digits.pop();
        }
        match digits.last_mut() {
            Some(digit) => *digit += 1,
            None => {
                digits.push(1);
                first += 1;
            }
        }
    }
    while digits.len() > 1 && digits.last() == Some(&0) {
        digits.pop();
    }
    (negative, digits, first)
}

fn push_digits(text: &mut String, digits: &[u8]) {
    text.extend(digits.iter().map(|&digit| char::from(b'0' + digit)));
}

/// Six digits in scientific notation, with zeros up to six decimals: `1.500000e+00`.
fn short_text(value: f64) -> String {
    let (negative, mut digits, exponent) = digits(value, 6);
    digits.resize(7, 0);
    let mut text = if negative { "-".to_owned() } else { String::new() };
    if let Some((first, rest)) = digits.split_first() {
        push_digits(&mut text, &[*first]);
        text.push('.');
        push_digits(&mut text, rest);
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    text + &format!("e{sign}{:02}", exponent.unsigned_abs())
}

/// Maximum number of padding zeros before scientific notation is used.
const MAX_PADDING: i32 = 3;

/// At most `count` digits, in plain notation if that needs few more zeros.
fn long_text(value: f64, count: usize) -> String {
    let (negative, digits, exponent) = digits(value, count);
    let length = i32::try_from(digits.len()).unwrap_or(0);
    let count = i32::try_from(count).unwrap_or(0);
    // The power of ten of the last digit.
    let last = exponent - (length - 1);
    let scientific = if last >= 0 {
        last > MAX_PADDING || length + last > count
    } else {
        exponent < 0 && -exponent > MAX_PADDING
    };
    let mut text = if negative { "-".to_owned() } else { String::new() };
    let zeros = |n: i32| "0".repeat(usize::try_from(n).unwrap_or(0));
    if scientific {
        let (first, rest) = digits.split_at(1);
        push_digits(&mut text, first);
        text.push('.');
        push_digits(&mut text, if rest.is_empty() { &[0] } else { rest });
        let sign = if exponent < 0 { '-' } else { '+' };
        text + &format!("E{sign}{}", exponent.unsigned_abs())
    } else if last >= 0 {
        push_digits(&mut text, &digits);
        text + &zeros(last)
    } else if exponent >= 0 {
        let (whole, fraction) = digits.split_at(usize::try_from(exponent + 1).unwrap_or(0).min(digits.len()));
        push_digits(&mut text, whole);
        text.push('.');
        push_digits(&mut text, fraction);
        text
    } else {
        text.push_str("0.");
        text.push_str(&zeros(-exponent - 1));
        push_digits(&mut text, &digits);
        text
    }
}

/// Whether `text` rounds to the literal.
fn reads_back(text: &str, literal: Literal, value: f64) -> bool {
    let same_sign = text.starts_with('-') == value.is_sign_negative();
    same_sign && parse_float(literal.ty, text) == Some(literal)
}

/// The infinity or NaN of a type that a word names: `inf`, `Infinity`, `nan`, `NaN`, each with or without a sign. `None`
/// for another word, and for a type without such a value.
fn parse_special(ty: ScalarType, text: &str) -> Option<Literal> {
    let (negative, word) = match text.strip_prefix('-') {
        Some(word) => (true, word),
        None => (false, text),
    };
    let format = format_of(ty).filter(|format| format.signed || !negative)?;
    let exponent = ((1u64 << format.exponent) - 1) << format.mantissa;
    let magnitude = match (word, format.special) {
        ("inf" | "Infinity", Special::Ieee) => exponent,
        ("nan" | "NaN", Special::Ieee) => exponent | 1 << (format.mantissa - 1),
        ("nan" | "NaN", Special::AllOnes) => exponent | ((1 << format.mantissa) - 1),
        _ => return None,
    };
    let sign = u64::from(negative) << (format.mantissa + format.exponent);
    Some(Literal::new(ty, sign | magnitude))
}

/// The float literal that a decimal number rounds to, ties to even, or that a word such as `-inf` names. `None` if the text
/// is neither, for integer types, and for a number out of the range of a type without infinities.
pub fn parse_float(ty: ScalarType, text: &str) -> Option<Literal> {
    if let Some(special) = parse_special(ty, text) {
        return Some(special);
    }
    let decimal = |b: u8| b.is_ascii_digit() || matches!(b, b'.' | b'-' | b'+' | b'e' | b'E');
    if !text.bytes().all(decimal) {
        return None;
    }
    match ty {
        ScalarType::F64 => return Some(Literal::new(ty, text.parse::<f64>().ok()?.to_bits())),
        ScalarType::F32 => return Some(Literal::new(ty, u64::from(text.parse::<f32>().ok()?.to_bits()))),
        _ => {}
    }
    let format = format_of(ty)?;
    let number: f64 = text.parse().ok()?;
    let sign = u64::from(number.is_sign_negative()) << (format.mantissa + format.exponent);
    if sign != 0 && !format.signed {
        return None;
    }
    let magnitude = number.abs();
    let at = |bits: u64| match value(Literal::new(ty, bits)) {
        FloatValue::Finite(value) => Some(value),
        FloatValue::Infinite | FloatValue::Nan => None,
    };
    // Magnitudes are ordered by their bits: find the last one that is not larger, and its successor.
    let (mut low, mut high) = (0, 1 << (format.mantissa + format.exponent));
    while high - low > 1 {
        let middle = (low + high) / 2;
        if at(middle).is_some_and(|value| value <= magnitude) {
            low = middle;
        } else {
            high = middle;
        }
    }
    let below = at(low)?;
    let step = below - at(low.wrapping_sub(1)).filter(|_| low > 0).unwrap_or(0.0);
    // Beyond the largest number, its successor as if the exponent range continued.
    let above = at(low + 1)
        .filter(|_| high < 1 << (format.mantissa + format.exponent))
        .unwrap_or(below + step);
    let (down, up) = (magnitude - below, above - magnitude);
    let bits = if down < up || (down == up && low & 1 == 0) {
        low
    } else {
        low + 1
    };
    let literal = Literal::new(ty, bits | sign);
    match value(literal) {
        FloatValue::Nan => None,
        FloatValue::Finite(_) | FloatValue::Infinite => Some(literal),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(ty: ScalarType, bits: u64) -> String {
        float_text(Literal::new(ty, bits))
    }

    fn f32_text(value: f32) -> String {
        text(ScalarType::F32, u64::from(value.to_bits()))
    }

    fn f64_text(value: f64) -> String {
        text(ScalarType::F64, value.to_bits())
    }

    #[test]
    fn six_digits_where_they_suffice() {
        assert_eq!(f32_text(1.0), "1.000000e+00");
        assert_eq!(f32_text(0.0), "0.000000e+00");
        assert_eq!(f32_text(-0.0), "-0.000000e+00");
        assert_eq!(f64_text(1e300), "1.000000e+300");
        assert_eq!(f32_text(1.4e-45), "1.401300e-45");
        assert_eq!(text(ScalarType::F16, 0x2E66), "9.997550e-02");
        assert_eq!(text(ScalarType::F16, 0x4248), "3.140630e+00");
        assert_eq!(text(ScalarType::BF16, 0x714A), "1.000260e+30");
        assert_eq!(text(ScalarType::F16, 0x5640), "1.000000e+02");
    }

    #[test]
    fn more_digits_where_six_do_not_suffice() {
        assert_eq!(f32_text(1.0 / 3.0), "0.333333343");
        assert_eq!(f32_text(std::f32::consts::PI), "3.14159274");
        assert_eq!(f32_text(123_456.79), "123456.789");
        assert_eq!(f32_text(1e-5), "9.99999974E-6");
        assert_eq!(f32_text(6e-8), "5.99999978E-8");
        assert_eq!(f32_text(2_147_483_600.0), "2.14748365E+9");
        assert_eq!(f32_text(f32::MAX), "3.40282347E+38");
        assert_eq!(f64_text(1e-40), "9.9999999999999992E-41");
        assert_eq!(f64_text(123_456_789_012_345_680.0), "1.2345678901234568E+17");
        assert_eq!(f64_text(0.1 + 0.2), "0.30000000000000004");
        assert_eq!(f32_text(1_048_576.1), "1048576.13");
    }

    #[test]
    fn bits_are_printed_where_digits_do_not_suffice() {
        assert_eq!(f32_text(16_777_216.0), "0x4B800000");
        assert_eq!(f64_text(2_147_483_648.0), "0x41E0000000000000");
        assert_eq!(f32_text(f32::INFINITY), "0x7F800000");
        assert_eq!(text(ScalarType::F16, 0x7E00), "0x7E00");
        assert_eq!(text(ScalarType::F8E4M3FN, 0x7F), "0x7F");
    }

    #[test]
    fn every_number_of_a_small_type_reads_back() {
        for &ty in ScalarType::ALL {
            if !ty.is_float() || ty.bits() > 16 {
                continue;
            }
            for bits in 0..1u64 << ty.bits() {
                let literal = Literal::new(ty, bits);
                if let FloatValue::Finite(value) = value(literal) {
                    assert_eq!(
                        parse_float(ty, &format!("{value:e}")),
                        Some(literal),
                        "{ty} {bits:x}"
                    );
                    let text = float_text(literal);
                    if !text.starts_with("0x") {
                        assert_eq!(parse_float(ty, &text), Some(literal), "{ty} {text}");
                    }
                }
            }
        }
    }

    #[test]
    fn numbers_that_are_too_large_are_infinite_or_refused() {
        assert_eq!(
            parse_float(ScalarType::F16, "65519"),
            Some(Literal::new(ScalarType::F16, 0x7BFF))
        );
        assert_eq!(
            parse_float(ScalarType::F16, "65520"),
            Some(Literal::new(ScalarType::F16, 0x7C00))
        );
        assert_eq!(parse_float(ScalarType::F8E4M3FN, "1000"), None);
        assert_eq!(parse_float(ScalarType::I32, "1"), None);
    }

    #[test]
    fn infinities_and_nans_have_names() {
        let bits = |ty, text| parse_float(ty, text).map(|literal| literal.bits);
        assert_eq!(bits(ScalarType::F32, "-inf"), Some(0xFF80_0000));
        assert_eq!(bits(ScalarType::F64, "Infinity"), Some(0x7FF0_0000_0000_0000));
        assert_eq!(bits(ScalarType::BF16, "nan"), Some(0x7FC0));
        assert_eq!(bits(ScalarType::F8E4M3FN, "-NaN"), Some(0xFF));
        assert_eq!(bits(ScalarType::F8E4M3FN, "inf"), None);
        assert_eq!(bits(ScalarType::F8E8M0FNU, "-nan"), None);
        assert_eq!(bits(ScalarType::F32, "infinite"), None);
    }

    #[test]
    fn small_formats_have_their_values() {
        let finite = |ty, bits| match value(Literal::new(ty, bits)) {
            FloatValue::Finite(value) => value,
            other => panic!("{other:?}"),
        };
        assert_eq!(finite(ScalarType::F8E4M3FN, 0x7E), 448.0);
        assert_eq!(finite(ScalarType::F8E5M2, 0x7B), 57344.0);
        assert_eq!(finite(ScalarType::F8E8M0FNU, 127), 1.0);
        assert_eq!(finite(ScalarType::F8E8M0FNU, 0), 2f64.powi(-127));
        assert_eq!(finite(ScalarType::F4E2M1FN, 0xF), -6.0);
        assert_eq!(finite(ScalarType::TF32, 0x1FC00), 1.0);
        assert_eq!(finite(ScalarType::F64, 1), f64::from_bits(1));
    }
}
