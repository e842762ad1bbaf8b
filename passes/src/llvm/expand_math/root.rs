//! The reciprocal of the square root in f64.

use tilewright_irs::core::Value;
use tilewright_irs::dialects::arith::Predicate;

use super::floats::Floats;

/// The quotient of rounded numbers, corrected by one step of Newton's method: y + y / 2 (1 - x y^2).
pub(super) fn reciprocal(m: &mut Floats<'_, '_>, x: Value) -> Value {
    let (one, half, zero) = (m.number(1.0), m.number(0.5), m.number(0.0));
    let root = m.sqrt(x);
    let y = m.div(one, root);
    let product = m.two_product(x, y);
    let error = m.fma_negated(product.high, y, one);
    let error = m.fma_negated(product.low, y, error);
    let halved = m.mul(y, half);
    let better = m.fma(halved, error, y);
    // An infinity or zero needs no correction and would give NaN.
    let (size, infinity) = (m.abs(y), m.number(f64::INFINITY));
    let finite = m.compare(size, Predicate::Less, infinity);
    let positive = m.compare(y, Predicate::Greater, zero);
    let usual = m.s.and(finite, positive);
    m.select(usual, better, y)
}
