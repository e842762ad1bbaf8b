//! Exact sums of products.

use crate::soft::Number;

/// A class of non-finite numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Finite,
    Infinity { negative: bool },
    Nan,
}

/// `sig * 2^exp`, or a non-finite number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Exact {
    sig: i64,
    exp: i32,
    class: Class,
}

impl Default for Exact {
    fn default() -> Self {
        Self::ZERO
    }
}

impl Exact {
    pub(super) const ZERO: Self = Self::finite(0, 0);
    pub(super) const NAN: Self = Self {
        sig: 0,
        exp: 0,
        class: Class::Nan,
    };

    pub(super) const fn finite(sig: i64, exp: i32) -> Self {
        Self {
            sig,
            exp,
            class: Class::Finite,
        }
    }

    pub(super) const fn infinity(negative: bool) -> Self {
        Self {
            sig: if negative { -1 } else { 1 },
            exp: 0,
            class: Class::Infinity { negative },
        }
    }

    pub(super) const fn is_finite(self) -> bool {
        matches!(self.class, Class::Finite)
    }

    /// The product, for significands of up to 31 bits.
    #[inline]
    pub(super) fn times(self, other: Self) -> Self {
        let class = match (self.class, other.class) {
            (Class::Finite, Class::Finite) => Class::Finite,
            (Class::Nan, _) | (_, Class::Nan) => Class::Nan,
            _ if self.sig == 0 || other.sig == 0 => Class::Nan,
            _ => Class::Infinity {
                negative: (self.sig < 0) != (other.sig < 0),
            },
        };
        Self {
            sig: self.sig * other.sig,
            exp: self.exp + other.exp,
            class,
        }
    }
}

/// `sum(a[i] * b[i]) + c` without rounding, with a sticky lowest bit beyond 126 bits.
pub(super) fn dot(a: &[Exact], b: &[Exact], c: Exact) -> Number {
    let products = || a.iter().zip(b).map(|(a, b)| a.times(*b)).chain([c]);
    if !products().all(Exact::is_finite) {
        return special(products());
    }
    // The range of exponents: of the lowest bit of any term, and above the highest.
    let (mut low, mut high) = (i32::MAX, i32::MIN);
    for Exact { sig, exp, .. } in products() {
        if sig != 0 {
            low = low.min(exp);
            high = high.max(exp + 64 - sig.unsigned_abs().leading_zeros().cast_signed());
        }
    }
    if low > high {
        return Number::integer(0);
    }
    if high - low <= 112 {
        // Room for the carries of 2^14 terms.
        let sum: i128 = products()
            .filter(|term| term.sig != 0)
            .map(|Exact { sig, exp, .. }| i128::from(sig) << (exp - low))
            .sum();
        return Number::Finite {
            negative: sum < 0,
            exp: low,
            sig: sum.unsigned_abs(),
        };
    }
    let mut wide = Wide::default();
    for Exact { sig, exp, .. } in products() {
        wide.add(sig, exp);
    }
    wide.number()
}

/// A sum with non-finite terms.
fn special(terms: impl Iterator<Item = Exact>) -> Number {
    let (mut up, mut down) = (false, false);
    for term in terms {
        match term.class {
            Class::Nan => return Number::Nan,
            Class::Infinity { negative } => {
                up |= !negative;
                down |= negative;
            }
            Class::Finite => {}
        }
    }
    match (up, down) {
        (true, true) => Number::Nan,
        (_, negative) => Number::Infinity { negative },
    }
}

/// A fixed-point number in two's complement, wide enough for every sum of scaled products.
#[derive(Default)]
struct Wide([u64; Wide::LIMBS]);

impl Wide {
    const LIMBS: usize = 11;
    /// The exponent of the lowest bit. The smallest product is one of scaled subnormal `e5m2`, 2^-286.
    const LOWEST: i32 = -320;

    fn add(&mut self, sig: i64, exp: i32) {
        if sig == 0 {
            return;
        }
        let at = usize::try_from(exp - Self::LOWEST).unwrap_or(0);
        let term = i128::from(sig) << (at % 64);
        let extension = if sig < 0 { u64::MAX } else { 0 };
        let mut carry = false;
        for (place, limb) in self.0.iter_mut().enumerate().skip(at / 64) {
            let part = match place - at / 64 {
                0 => term as u64,
                1 => (term >> 64) as u64,
                _ => extension,
            };
            (*limb, carry) = {
                let (sum, first) = limb.overflowing_add(part);
                let (sum, second) = sum.overflowing_add(u64::from(carry));
                (sum, first | second)
            };
        }
    }

    fn number(mut self) -> Number {
        let negative = self.0[Self::LIMBS - 1] >> 63 == 1;
        if negative {
            let mut carry = true;
            for limb in &mut self.0 {
                (*limb, carry) = (!*limb).overflowing_add(u64::from(carry));
            }
        }
        let Some(top) = (0..Self::LIMBS).rev().find(|place| self.0[*place] != 0) else {
            return Number::integer(0);
        };
        // The highest limb and the one below it, and whether any lower one is not zero.
        let next = top.checked_sub(1).map_or(0, |place| self.0[place]);
        let lost = self.0[..top.saturating_sub(1)].iter().any(|limb| *limb != 0);
        Number::Finite {
            negative,
            exp: Self::LOWEST + 64 * top as i32 - 64,
            sig: u128::from(self.0[top]) << 64 | u128::from(next) | u128::from(lost),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::soft::{Direction, F32};

    fn rounded(terms: &[(i64, i32)]) -> f32 {
        let one = vec![Exact::finite(1, 0); terms.len()];
        let terms: Vec<Exact> = terms.iter().map(|(sig, exp)| Exact::finite(*sig, *exp)).collect();
        let bits = F32.pack(dot(&terms, &one, Exact::ZERO), Direction::NearestEven);
        f32::from_bits(bits as u32)
    }

    #[test]
    fn sums_are_exact_over_the_whole_range() {
        // After cancellation the small term remains, however small it is.
        for small in [-140, -100, -20] {
            let got = rounded(&[(1, 250), (3, small), (-1, 250)]);
            assert_eq!(got, 3.0 * 2f32.powi(small));
        }
        // A term far below decides a tie.
        assert_eq!(rounded(&[(1 << 24, 0), (1, 0)]), 16_777_216.0);
        assert_eq!(rounded(&[(1 << 24, 0), (1, 0), (1, -200)]), 16_777_218.0);
        assert_eq!(rounded(&[(1 << 24, 0), (1, 0), (-1, -200)]), 16_777_216.0);
        assert_eq!(rounded(&[(-(1 << 24), 0), (-1, 0), (-1, -200)]), -16_777_218.0);
    }

    #[test]
    fn what_is_not_finite_follows_ieee() {
        let infinite = Exact::infinity(false);
        let one = Exact::finite(1, 0);
        let is = |a: Exact, b: Exact, c: Exact| dot(&[a], &[b], c);
        assert_eq!(is(infinite, one, one), Number::Infinity { negative: false });
        assert_eq!(
            is(infinite, Exact::finite(-1, 0), one),
            Number::Infinity { negative: true }
        );
        assert_eq!(is(infinite, Exact::ZERO, one), Number::Nan);
        assert_eq!(is(infinite, one, Exact::infinity(true)), Number::Nan);
        assert_eq!(is(one, one, Exact::NAN), Number::Nan);
    }
}
