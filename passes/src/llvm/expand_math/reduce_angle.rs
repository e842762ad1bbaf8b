//! Reduces an angle to a multiple of pi / 2 and a rest of at most pi / 4.
//!
//! Up to a limit the multiple is subtracted in three parts (Cody and Waite): of a number n less than the limit, the first
//! step is exact, since the difference is below 1 and both numbers are multiples of the last bit of pi / 2.
//!
//! Beyond the limit (Payne and Hanek), with |x| = m 2^e, m an integer of the type's size, x (2 / pi) modulo 4 needs only
//! those bits of 2 / pi whose product with 2^e is below 4: three words of m's size from there on give two bits before
//! the point and at least two words less two bits after it, of which the angles nearest to a multiple of pi / 2 cancel
//! less than one.

use tilewright_irs::core::{Flag, Value};
use tilewright_irs::dialects::arith::{ArithOp, FloatRounding, Predicate, Signedness};
use tilewright_irs::element::ScalarType;
use tilewright_irs::llvm::{LlvmDialect, LlvmType};

use super::floats::{Floats, Format, Pair};
use super::tables::{HALF_PI, TWO_OVER_PI, TWO_OVER_PI_BITS};
use crate::llvm::rewrite::Rewrite;

/// Half of pi in f32: the first part is cut off, so that its product with a number of quadrants below the limit is exact
/// in the fused multiply-add (the parts of CUDA's library).
const HALF_PI_TRUNCATED: [f64; 3] = [1.570796251296997, 7.549789415861596e-08, 5.390302953474238e-15];

const F64: ScalarType = ScalarType::F64;
const I64: ScalarType = ScalarType::I64;
const UNSIGNED: Signedness = Signedness::Unsigned;

/// An angle: a number of right angles, in the low bits of an integer, and the rest.
pub(super) struct Reduced {
    pub(super) quadrant: Value,
    pub(super) rest: Rest,
}

/// A number, or a sum of two where one is not accurate enough: in f64.
pub(super) struct Rest {
    pub(super) high: Value,
    pub(super) low: Option<Value>,
}

impl From<Pair> for Rest {
    fn from(Pair { high, low }: Pair) -> Self {
        let low = Some(low);
        Self { high, low }
    }
}

impl Rest {
    fn values(&self) -> impl Iterator<Item = Value> {
        std::iter::once(self.high).chain(self.low)
    }
}

/// The first angle that is too large for the subtraction.
fn limit(format: Format) -> f64 {
    match format {
        Format::F64 => 2_f64.powi(29),
        _ => 105_615.0,
    }
}

/// Reduces an angle; the rest of an infinity or NaN is NaN. Continues in another block.
pub(super) fn reduce(m: &mut Floats<'_, '_>, x: Value) -> Reduced {
    let near = subtract(m, x);
    let (float, int) = (m.format.float, m.format.int);
    let size = m.abs(x);
    // False for a NaN.
    let large = m.compare_to(size, Predicate::GreaterEqual, limit(m.format));
    let (far_block, _) = m.s.0.new_block(&[]);
    let passed = |angle: &Reduced| -> Vec<Value> {
        let first = std::iter::once(angle.quadrant);
        first.chain(angle.rest.values()).collect()
    };
    let near_args = passed(&near);
    let types = std::iter::once(int).chain(near.rest.values().map(|_| float));
    let types: Vec<LlvmType> = types.map(LlvmType::Scalar).collect();
    let (join, args) = m.s.0.new_block(&types);
    let yes = Rewrite::to(far_block, []);
    let no = Rewrite::to(join, near_args);
    let branch = LlvmDialect::CondBr {
        unroll: None,
        condition: large,
        yes,
        no,
    };
    m.s.0.build().effect(branch);
    m.s.0.go_on_in(far_block);
    let far = multiply(m, x, size);
    let target = Rewrite::to(join, passed(&far));
    m.s.0.build().effect(LlvmDialect::Br { target });
    m.s.0.go_on_in(join);
    match *args.as_slice() {
        [quadrant, high, ref low @ ..] => Reduced {
            quadrant,
            rest: Rest {
                high,
                low: low.first().copied(),
            },
        },
        [_] | [] => near,
    }
}

/// The angle less the nearest multiple of pi / 2, in parts.
fn subtract(m: &mut Floats<'_, '_>, x: Value) -> Reduced {
    let factor = m.part(&TWO_OVER_PI, 0);
    let quotient = m.mul(x, factor);
    let (n, quadrant) = m.nearest(quotient);
    let parts = match m.format {
        Format::F64 => m.format.of(&HALF_PI),
        _ => &HALF_PI_TRUNCATED,
    };
    let [first, second, third] = [0, 1, 2].map(|part| m.number(parts.get(part).copied().unwrap_or(0.0)));
    let rest = m.fma_negated(n, first, x);
    let rest = if m.format == Format::F64 {
        let product = m.two_product(n, second);
        let negated = m.neg(product.high);
        let sum = m.two_sum(rest, negated);
        let low = m.sub(sum.low, product.low);
        let low = m.fma_negated(n, third, low);
        m.ordered_sum(sum.high, low).into()
    } else {
        let rest = m.fma_negated(n, second, rest);
        let high = m.fma_negated(n, third, rest);
        Rest { high, low: None }
    };
    Reduced { quadrant, rest }
}

/// Bits of 2 / pi in words of a type, after one word of zeros.
fn words(format: Format) -> Vec<u64> {
    let bits = TWO_OVER_PI_BITS.iter();
    if format == Format::F64 {
        return std::iter::once(0).chain(bits.copied()).collect();
    }
    let halves = bits.flat_map(|word| [word >> 32, word & 0xFFFF_FFFF]);
    std::iter::once(0).chain(halves).take(7).collect()
}

/// Three words of 2 / pi from a bit on.
fn window(m: &mut Floats<'_, '_>, position: Value) -> [Value; 3] {
    let (format, int) = (m.format, m.format.int);
    let width = int.bits();
    let words = words(format);
    let mut level: Vec<Value> = words.iter().map(|&word| m.s.constant(int, word)).collect();
    let shift = m.int(i64::from(width.ilog2()));
    let index = m.s.shr(position, shift);
    // A selection for each bit of the index, from the top one down: 16 starts in f64, 4 in f32.
    let starts = level.len() - 3;
    let zero = m.int(0);
    for bit in (0..starts.ilog2()).rev() {
        let distance = 1 << bit;
        let mask = m.int(distance);
        let set = m.s.and(index, mask);
        let set = m.s.compare(set, Predicate::NotEqual, zero, UNSIGNED);
        let keep = usize::try_from(distance).unwrap_or(1) + 3;
        level = (0..keep.min(level.len()))
            .map(|i| match (level.get(i + keep - 3), level.get(i)) {
                (Some(&later), Some(&word)) => m.select(set, later, word),
                (None, Some(&word)) => word,
                (_, None) => zero,
            })
            .collect();
    }
    let (mask, width) = (m.int(i64::from(width - 1)), m.int(i64::from(width)));
    let offset = m.s.and(position, mask);
    let rest = m.s.sub(width, offset);
    [0, 1, 2].map(|i| {
        let at = |i: usize| level.get(i).copied().unwrap_or(zero);
        let high = m.s.shl(at(i), offset);
        // Zero for an offset of zero: all bits are shifted out.
        let low = m.s.shr(at(i + 1), rest);
        m.s.or(high, low)
    })
}

/// The angle times 2 / pi, modulo 4, times pi / 2.
fn multiply(m: &mut Floats<'_, '_>, x: Value, size: Value) -> Reduced {
    let Format {
        int, stored, bias, ..
    } = m.format;
    let bits = m.bits_of(size);
    let (shift, one) = (m.int(i64::from(stored)), 1 << stored);
    let exponent = m.s.shr(bits, shift);
    let (mask, leading) = (m.int(one - 1), m.int(one));
    let fraction = m.s.and(bits, mask);
    let significand = m.s.or(fraction, leading);
    let top = m.int(i64::from(int.bits() - 1 - stored));
    let significand = m.s.shl(significand, top);
    // The position in the bits of 2 / pi whose product with the significand has weight 2, after the word of zeros.
    let start = m.int(i64::from(bias) + 1);
    let position = m.s.sub(exponent, start);
    let words = window(m, position);
    let (quadrant, rest) = if m.format == Format::F64 {
        product_64(m, significand, words)
    } else {
        product_32(m, significand, words)
    };
    let negative = m.is_negative(x);
    let zero = m.int(0);
    let opposite = m.s.sub(zero, quadrant);
    let quadrant = m.s.select(negative, opposite, quadrant);
    let mut signed = |number: Value| {
        let negated = m.neg(number);
        m.select(negative, negated, number)
    };
    let (high, low) = (signed(rest.high), rest.low.map(signed));
    let infinity = m.number(f64::INFINITY);
    let finite = m.compare(size, Predicate::Less, infinity);
    let nan = m.number(f64::NAN);
    let high = m.select(finite, high, nan);
    Reduced {
        quadrant,
        rest: Rest { high, low },
    }
}

/// Splits a number modulo 4, with 62 bits after the point: the nearest integer, and the signed rest.
fn split(m: &mut Floats<'_, '_>, number: Value) -> (Value, Value) {
    let half = m.s.constant(I64, 1 << 61);
    let (top, two) = (m.s.constant(I64, 62), m.s.constant(I64, 2));
    let rounded = m.s.add(number, half);
    let whole = m.s.shr(rounded, top);
    let up = m.s.shl(number, two);
    (whole, m.s.shr_signed(up, two))
}

/// A signed i64 as a float.
fn of_i64(m: &mut Floats<'_, '_>, source: Value, signedness: Signedness) -> Value {
    let rounding = FloatRounding::NearestEven;
    let op = ArithOp::IToF {
        source,
        signedness,
        rounding,
    };
    m.s.op(op, m.format.float)
}

/// A signed i64 as a float, and what rounding loses.
fn of_i64_in_parts(m: &mut Floats<'_, '_>, source: Value) -> (Value, Value) {
    let first = of_i64(m, source, Signedness::Signed);
    let exact = ArithOp::FToI {
        source: first,
        signedness: Signedness::Signed,
        saturating: Flag(true),
    };
    let exact = m.s.op(exact, I64);
    let lost = m.s.sub(source, exact);
    (first, of_i64(m, lost, Signedness::Signed))
}

/// The quadrant and the rest in f32.
fn product_32(m: &mut Floats<'_, '_>, significand: Value, words: [Value; 3]) -> (Value, Rest) {
    let factor = m.s.extend(significand, UNSIGNED, I64);
    let half = m.s.constant(I64, 32);
    let [first, second, third] = words.map(|word| {
        let word = m.s.extend(word, UNSIGNED, I64);
        m.s.mul(word, factor)
    });
    let (first, third) = (m.s.shl(first, half), m.s.shr(third, half));
    let sum = m.s.add(first, second);
    let sum = m.s.add(sum, third);
    let (whole, rest) = split(m, sum);
    let quadrant = m.s.truncate(whole, ScalarType::I32);
    // Rounded twice, as CUDA's library does: to f64, and as a product to f32.
    let turns = ArithOp::IToF {
        source: rest,
        signedness: Signedness::Signed,
        rounding: FloatRounding::NearestEven,
    };
    let turns = m.s.op(turns, F64);
    let unit = std::f64::consts::FRAC_PI_2 * 2_f64.powi(-62);
    let unit = m.s.constant(F64, unit.to_bits());
    let rest = m.s.mul_float(turns, unit);
    let high = m.s.float(rest, FloatRounding::NearestEven, ScalarType::F32);
    (quadrant, Rest { high, low: None })
}

/// The quadrant and the rest in f64.
fn product_64(m: &mut Floats<'_, '_>, significand: Value, words: [Value; 3]) -> (Value, Rest) {
    let [first, second, third] = words;
    let head = m.s.mul(first, significand);
    let middle = m.s.mul_high(second, significand);
    let low = m.s.mul(second, significand);
    let tail = m.s.mul_high(third, significand);
    let low = m.s.add(low, tail);
    let carry = m.s.compare(low, Predicate::Less, tail, UNSIGNED);
    let carry = m.s.extend(carry, UNSIGNED, I64);
    let high = m.s.add(head, middle);
    let high = m.s.add(high, carry);
    let (quadrant, rest) = split(m, high);
    // The rest is `rest * 2^64 + low`: the first part exact, the other one rounded.
    let (first, lost) = of_i64_in_parts(m, rest);
    let low = of_i64(m, low, UNSIGNED);
    let (word, unit) = (m.number(2_f64.powi(64)), m.number(2_f64.powi(-126)));
    let low = m.fma(lost, word, low);
    let first = m.mul(first, word);
    let sum = m.ordered_sum(first, low);
    let turns = Pair {
        high: m.mul(sum.high, unit),
        low: m.mul(sum.low, unit),
    };
    let right_angle = Pair {
        high: m.part(&HALF_PI, 0),
        low: m.part(&HALF_PI, 1),
    };
    (quadrant, m.pair_product(turns, right_angle).into())
}
