//! Powers: e^(y log(x)), with the logarithm and the product in sums of two numbers.

use tilewright_irs::core::Value;
use tilewright_irs::dialects::arith::{Predicate, Signedness};
use tilewright_irs::element::ScalarType;
use tilewright_irs::llvm::LlvmType;

use super::exponential::{limit, power_of_e, within};
use super::floats::{Floats, Pair};
use super::logarithm::precise;

/// An exponent.
struct Exponent {
    /// Its value; an integer of 32 bits needs both parts in f32.
    value: Pair,
    /// Whether it is an odd integer.
    odd: Value,
    /// Whether it is an integer.
    whole: Value,
}

/// A float to the power of a float.
pub(super) fn float(m: &mut Floats<'_, '_>, x: Value, y: Value) -> Value {
    let (zero, half) = (m.number(0.0), m.number(0.5));
    let floor = m.floor(y);
    let whole = m.compare(floor, Predicate::Equal, y);
    let halved = m.mul(y, half);
    let floor = m.floor(halved);
    let even = m.compare(floor, Predicate::Equal, halved);
    let odd = not(m, even);
    let odd = m.s.and(whole, odd);
    let value = Pair { high: y, low: zero };
    power(m, x, &Exponent { value, odd, whole })
}

/// A float to the power of a signed integer.
pub(super) fn integer(m: &mut Floats<'_, '_>, x: Value, n: Value) -> Value {
    let int = m.format.int;
    let n = match m.s.0.ty(n) {
        LlvmType::Scalar(scalar) if scalar.bits() < int.bits() => m.s.extend(n, Signedness::Signed, int),
        _ => n,
    };
    // Each part is exact: 24 bits and 8 of an i32, 32 bits and 32 of an i64.
    let split = m.int(i64::from(int.bits() / 4));
    let head = m.s.shr_signed(n, split);
    let head = m.s.shl(head, split);
    let tail = m.s.sub(n, head);
    let (head, tail) = (m.of_int(head), m.of_int(tail));
    let value = m.ordered_sum(head, tail);
    let (zero, one) = (m.int(0), m.int(1));
    let last = m.s.and(n, one);
    let odd = m.s.compare(last, Predicate::NotEqual, zero, Signedness::Unsigned);
    let whole = m.s.constant(ScalarType::I1, 1);
    power(m, x, &Exponent { value, odd, whole })
}

fn not(m: &mut Floats<'_, '_>, condition: Value) -> Value {
    let yes = m.s.constant(ScalarType::I1, 1);
    m.s.xor(condition, yes)
}

/// An exponent so small that its product with a logarithm is finite, and so large that every power but 1 is zero or
/// infinite.
fn bounded(m: &mut Floats<'_, '_>, y: Pair) -> Pair {
    let size = m.abs(y.high);
    let most = m.number(2_f64.powi(70));
    let large = m.compare(size, Predicate::Greater, most);
    let most = m.with_sign_of(most, y.high);
    let zero = m.number(0.0);
    Pair {
        high: m.select(large, most, y.high),
        low: m.select(large, zero, y.low),
    }
}

fn power(m: &mut Floats<'_, '_>, x: Value, exponent: &Exponent) -> Value {
    let size = m.abs(x);
    let log = precise(m, size);
    let y = bounded(m, exponent.value);
    let product = m.pair_product(log, y);
    let power = power_of_e(m, product.high, Some(product.low));
    let number = m.scaled(power.number.high, power.exponent);
    let number = within(m, product.high, number, limit(m.format));
    special(m, x, exponent, number)
}

/// The power of a positive number, or what C gives for other bases and for infinite operands.
fn special(m: &mut Floats<'_, '_>, x: Value, exponent: &Exponent, number: Value) -> Value {
    let y = exponent.value.high;
    let (zero, one, infinity) = (m.number(0.0), m.number(1.0), m.number(f64::INFINITY));
    let (size, steps) = (m.abs(x), m.abs(y));
    let without_limit = {
        let none = m.compare(size, Predicate::Equal, zero);
        let all = m.compare(size, Predicate::Equal, infinity);
        let far = m.compare(steps, Predicate::Equal, infinity);
        let ends = m.s.or(none, all);
        m.s.or(ends, far)
    };
    let grows = m.compare(size, Predicate::Greater, one);
    let upward = m.compare(y, Predicate::Greater, zero);
    let vanishes = m.s.xor(grows, upward);
    let end = m.select(vanishes, zero, infinity);
    let number = m.select(without_limit, end, number);
    let negative = m.is_negative(x);
    let flips = m.s.and(negative, exponent.odd);
    let negated = m.neg(number);
    let number = m.select(flips, negated, number);
    // A root of a negative number.
    let below = m.compare(x, Predicate::Less, zero);
    let finite = m.compare(size, Predicate::Less, infinity);
    let broken = not(m, exponent.whole);
    let undefined = m.s.and(below, finite);
    let undefined = m.s.and(undefined, broken);
    let nan = m.number(f64::NAN);
    let number = m.select(undefined, nan, number);
    let (x_known, y_known) = (
        m.compare(x, Predicate::Equal, x),
        m.compare(y, Predicate::Equal, y),
    );
    let known = m.s.and(x_known, y_known);
    let number = m.select(known, number, nan);
    // 1 even where the other operand is a NaN.
    let no_steps = m.compare(y, Predicate::Equal, zero);
    let is_one = m.compare(x, Predicate::Equal, one);
    let far = m.compare(steps, Predicate::Equal, infinity);
    let unit = m.compare(size, Predicate::Equal, one);
    let stays = m.s.and(far, unit);
    let constant = m.s.or(no_steps, is_one);
    let constant = m.s.or(constant, stays);
    m.select(constant, one, number)
}
