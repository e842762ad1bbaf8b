//! The angle of a point.
//!
//! The quotient q of the smaller and the larger coordinate is at most 1, and its arc tangent q + q^3 P(q^2); the octant
//! gives the rest.

use tilewright_irs::core::Value;
use tilewright_irs::dialects::arith::Predicate;

use super::floats::Floats;
use super::tables::{ATAN, HALF_PI};

pub(super) fn atan2(m: &mut Floats<'_, '_>, y: Value, x: Value) -> Value {
    let (zero, one, two) = (m.number(0.0), m.number(1.0), m.number(2.0));
    let (height, width) = (m.abs(y), m.abs(x));
    let steep = m.compare(height, Predicate::Greater, width);
    let less = m.select(steep, width, height);
    let more = m.select(steep, height, width);
    let quotient = m.div(less, more);
    // Two zeros, and two infinities.
    let both = m.compare(more, Predicate::Equal, zero);
    let quotient = m.select(both, zero, quotient);
    let both = m.compare_to(less, Predicate::Equal, f64::INFINITY);
    let q = m.select(both, one, quotient);
    let z = m.mul(q, q);
    let polynomial = m.polynomial(m.format.of(&ATAN), z);
    let cube = m.mul(q, z);
    let angle = m.fma(cube, polynomial, q);
    let (high, low) = (m.part(&HALF_PI, 0), m.part(&HALF_PI, 1));
    let rest = m.sub(high, angle);
    let rest = m.add(rest, low);
    let angle = m.select(steep, rest, angle);
    let (high, low) = (m.mul(high, two), m.mul(low, two));
    let rest = m.sub(high, angle);
    let rest = m.add(rest, low);
    let left = m.is_negative(x);
    let angle = m.select(left, rest, angle);
    let angle = m.with_sign_of(angle, y);
    // A NaN operand gives NaN, which the comparisons above may have lost.
    let sum = m.add(x, y);
    let (x_known, y_known) = (
        m.compare(x, Predicate::Equal, x),
        m.compare(y, Predicate::Equal, y),
    );
    let known = m.s.and(x_known, y_known);
    m.select(known, angle, sum)
}
