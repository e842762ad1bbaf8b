//! Polynomials in unknowns, in a canonical form so that equal ones compare equal.

use std::collections::BTreeMap;

use super::symbol::Symbol;

/// A factor of a term: a dynamic integer, or the rounded quotient of two expressions.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Atom {
    Symbol(Symbol),
    CeilDiv(Box<Expr>, Box<Expr>),
}

/// A target of [`Int::evaluate`](super::Int::evaluate): integer arithmetic in another form, such as the
/// ops of a program.
pub trait Evaluate {
    /// An integer of the target.
    type Value;
    /// Emits a dynamic integer.
    fn symbol(&mut self, symbol: &Symbol) -> Self::Value;
    /// Emits a constant.
    fn constant(&mut self, value: i128) -> Self::Value;
    /// Emits a sum.
    fn sum(&mut self, lhs: Self::Value, rhs: Self::Value) -> Self::Value;
    /// Emits a product.
    fn product(&mut self, lhs: Self::Value, rhs: Self::Value) -> Self::Value;
    /// Emits a quotient of non-negative integers, rounded up; with `exact`, it has no remainder.
    fn quotient(&mut self, above: Self::Value, below: Self::Value, exact: bool) -> Self::Value;
}

/// A nonzero number `numerator / denominator` in lowest terms. A term with a denominator is still an
/// integer, because of the known divisors of its atoms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Ratio {
    pub(super) numerator: i128,
    pub(super) denominator: i128,
}

/// The largest coefficient or constant: that of a 64-bit integer.
const LIMIT: i128 = u64::MAX as i128;

/// The largest number of terms. Layouts in use have a handful.
const MAX_TERMS: usize = 64;

/// The largest number of dynamic integers and quotients in one expression, counted with repetition,
/// so that repeated squaring cannot exhaust memory.
const MAX_ATOMS: usize = 1024;

/// The largest nesting depth of quotients.
pub(super) const MAX_DEPTH: usize = 31;

/// A sum of terms, each a ratio times a sorted product of atoms. The constant has no atoms.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Expr {
    pub(super) terms: Vec<(Vec<Atom>, Ratio)>,
}

pub(super) fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl Ratio {
    fn new(numerator: i128, denominator: i128) -> Option<Ratio> {
        let common = gcd(numerator, denominator).max(1);
        let ratio = Ratio {
            numerator: numerator / common,
            denominator: denominator / common,
        };
        (ratio.numerator.abs() <= LIMIT && ratio.denominator <= LIMIT).then_some(ratio)
    }

    fn plus(self, other: Ratio) -> Option<Ratio> {
        let left = self.numerator.checked_mul(other.denominator)?;
        let right = other.numerator.checked_mul(self.denominator)?;
        let denominator = self.denominator.checked_mul(other.denominator)?;
        Ratio::new(left.checked_add(right)?, denominator)
    }

    fn times(self, other: Ratio) -> Option<Ratio> {
        // Cross-reduced first, so that the products stay small.
        let first = Ratio::new(self.numerator, other.denominator)?;
        let second = Ratio::new(other.numerator, self.denominator)?;
        Ratio::new(
            first.numerator.checked_mul(second.numerator)?,
            first.denominator.checked_mul(second.denominator)?,
        )
    }
}

impl Atom {
    /// A known divisor.
    fn divisor(&self) -> i128 {
        match self {
            Atom::Symbol(symbol) => i128::from(symbol.divisor().get()),
            Atom::CeilDiv(..) => 1,
        }
    }

    /// The number of dynamic integers and quotients, and the nesting depth of quotients.
    fn extent(&self) -> (usize, usize) {
        match self {
            Atom::Symbol(_) => (1, 0),
            Atom::CeilDiv(above, below) => {
                let ((above, deep), (below, deeper)) = (above.extent(), below.extent());
                (1 + above + below, 1 + deep.max(deeper))
            }
        }
    }

    /// A non-negative lower bound, if one is known.
    fn minimum(&self) -> Option<i128> {
        match self {
            Atom::Symbol(symbol) => Some(i128::from(symbol.divisor().get())),
            Atom::CeilDiv(above, _) => match above.minimum()? {
                least if least < 0 => None,
                least => Some(least.min(1)),
            },
        }
    }
}

/// A known divisor of the product of the atoms, if it is not too large.
fn divisor_of(atoms: &[Atom]) -> Option<i128> {
    let mut divisors = atoms.iter().map(Atom::divisor);
    divisors.try_fold(1i128, i128::checked_mul)
}

/// Whether a positive number divides the product of the atoms for all values of the dynamic integers.
fn divides(number: i128, atoms: &[Atom]) -> bool {
    // The number with the known divisor of each atom divided out.
    let rest = atoms
        .iter()
        .fold(number, |rest, atom| rest / gcd(rest, atom.divisor()).max(1));
    rest == 1
}

impl Expr {
    pub(super) fn constant(value: i128) -> Expr {
        let ratio = Ratio {
            numerator: value,
            denominator: 1,
        };
        Expr {
            terms: if value == 0 {
                Vec::new()
            } else {
                vec![(Vec::new(), ratio)]
            },
        }
    }

    pub(super) fn atom(atom: Atom) -> Expr {
        let one = Ratio {
            numerator: 1,
            denominator: 1,
        };
        Expr {
            terms: vec![(vec![atom], one)],
        }
    }

    /// The value of an expression without dynamic integers.
    pub(super) fn as_constant(&self) -> Option<i128> {
        match self.terms.as_slice() {
            [] => Some(0),
            [(atoms, ratio)] if atoms.is_empty() && ratio.denominator == 1 => Some(ratio.numerator),
            _ => None,
        }
    }

    /// The number of dynamic integers and quotients, and the nesting depth of quotients.
    /// [`MAX_ATOMS`] and [`MAX_DEPTH`] bound both, and so the time of this method.
    fn extent(&self) -> (usize, usize) {
        let atoms = self.terms.iter().flat_map(|(atoms, _)| atoms);
        atoms.fold((0, 0), |(count, depth), atom| {
            let (more, deep) = atom.extent();
            (count + more, depth.max(deep))
        })
    }

    /// The expression, if it is within the limits.
    fn bounded(self) -> Option<Expr> {
        let (count, depth) = self.extent();
        (self.terms.len() <= MAX_TERMS && count <= MAX_ATOMS && depth <= MAX_DEPTH).then_some(self)
    }

    /// The sum of terms in canonical form; `None` if the sum or a coefficient exceeds its limit.
    fn collect(terms: impl IntoIterator<Item = (Vec<Atom>, Ratio)>) -> Option<Expr> {
        let mut sums: BTreeMap<Vec<Atom>, Ratio> = BTreeMap::new();
        for (mut atoms, ratio) in terms {
            atoms.sort();
            let sum = match sums.get(&atoms) {
                Some(known) => known.plus(ratio)?,
                None => ratio,
            };
            sums.insert(atoms, sum);
        }
        let terms: Vec<_> = sums
            .into_iter()
            .filter(|(_, ratio)| ratio.numerator != 0)
            .collect();
        Expr { terms }.bounded()
    }

    pub(super) fn plus(&self, other: &Expr) -> Option<Expr> {
        Self::collect(self.terms.iter().chain(&other.terms).cloned())
    }

    pub(super) fn negated(&self) -> Expr {
        let negate = |(atoms, ratio): &(Vec<Atom>, Ratio)| {
            let numerator = -ratio.numerator;
            (atoms.clone(), Ratio { numerator, ..*ratio })
        };
        Expr {
            terms: self.terms.iter().map(negate).collect(),
        }
    }

    pub(super) fn times(&self, other: &Expr) -> Option<Expr> {
        let mut terms = Vec::new();
        for (left, a) in &self.terms {
            for (right, b) in &other.terms {
                terms.push(([left.as_slice(), right].concat(), a.times(*b)?));
            }
        }
        Self::collect(terms)
    }

    /// A divisor of the value for all values of the dynamic integers; 0 for the constant 0.
    pub(super) fn divisor(&self) -> i128 {
        self.terms.iter().fold(0, |common, (atoms, ratio)| {
            // The product contains the denominator.
            let multiple = divisor_of(atoms).and_then(|divisor| ratio.numerator.checked_mul(divisor));
            gcd(
                common,
                multiple.map_or(1, |multiple| multiple / ratio.denominator),
            )
            .max(1)
        })
    }

    /// `self / other` where it is an integer for all values of the dynamic integers and can be
    /// represented.
    pub(super) fn exact_quotient(&self, other: &Expr) -> Option<Expr> {
        let [(below, ratio)] = other.terms.as_slice() else {
            return (self == other && !other.terms.is_empty()).then(|| Expr::constant(1));
        };
        let inverse = Ratio {
            numerator: ratio.denominator * ratio.numerator.signum(),
            denominator: ratio.numerator.abs(),
        };
        let quotient = |(atoms, ratio): &(Vec<Atom>, Ratio)| {
            let mut atoms = atoms.clone();
            for atom in below {
                let at = atoms.iter().position(|known| known == atom)?;
                atoms.remove(at);
            }
            let ratio = ratio.times(inverse)?;
            // It is in lowest terms, so that only the known divisors of the atoms can cancel the
            // denominator.
            divides(ratio.denominator, &atoms).then_some((atoms, ratio))
        };
        Self::collect(self.terms.iter().map(quotient).collect::<Option<Vec<_>>>()?)
    }

    /// `self / other` rounded up. Terms that divide exactly are moved out of the rounding, common
    /// factors are cancelled, and nested roundings are merged: `ceil(ceil(a/b)/c) = ceil(a/(b*c))`.
    pub(super) fn ceil_div(&self, other: &Expr) -> Option<Expr> {
        if other.as_constant().is_some_and(|divisor| divisor <= 0) {
            return None;
        }
        if let Some(quotient) = self.exact_quotient(other) {
            return Some(quotient);
        }
        let (mut whole, mut rest) = (Expr::constant(0), Vec::new());
        for term in &self.terms {
            let single = Expr {
                terms: vec![term.clone()],
            };
            match single.exact_quotient(other) {
                Some(quotient) => whole = whole.plus(&quotient)?,
                None => rest.push(term.clone()),
            }
        }
        let mut rest = Expr { terms: rest };
        let mut below = other.clone();
        if let (Some(above), Some(below)) = (rest.as_constant(), below.as_constant()) {
            return whole.plus(&Expr::constant(ceil_div(above, below)));
        }
        if let Some(cancelled) = cancelled(&rest, &below) {
            (rest, below) = cancelled;
        }
        let one = Ratio {
            numerator: 1,
            denominator: 1,
        };
        if let [(atoms, ratio)] = rest.terms.as_slice()
            && *ratio == one
            && let [Atom::CeilDiv(inner, by)] = atoms.as_slice()
        {
            return whole.plus(&inner.ceil_div(&by.times(&below)?)?);
        }
        let quotient = Atom::CeilDiv(Box::new(rest), Box::new(below));
        whole.plus(&Expr::atom(quotient).bounded()?)
    }

    /// Multiplies all coefficients by a number; `None` if one exceeds its limit.
    fn scaled(&self, by: Ratio) -> Option<Expr> {
        let scale = |(atoms, ratio): &(Vec<Atom>, Ratio)| Some((atoms.clone(), ratio.times(by)?));
        let terms = self.terms.iter().map(scale).collect::<Option<_>>()?;
        Some(Expr { terms })
    }

    /// A lower bound, if one is known: dynamic integers are positive multiples of their divisors.
    pub(super) fn minimum(&self) -> Option<i128> {
        self.terms.iter().try_fold(0i128, |sum, (atoms, ratio)| {
            if ratio.numerator < 0 && !atoms.is_empty() {
                return None;
            }
            let least = atoms.iter().try_fold(ratio.numerator, |product, atom| {
                product.checked_mul(atom.minimum()?)
            })?;
            sum.checked_add(least / ratio.denominator)
        })
    }

    /// Calls `visit` with each dynamic integer, once per occurrence.
    pub(super) fn each_symbol<'a>(&'a self, visit: &mut impl FnMut(&'a Symbol)) {
        for atom in self.terms.iter().flat_map(|(atoms, _)| atoms) {
            match atom {
                Atom::Symbol(symbol) => visit(symbol),
                Atom::CeilDiv(above, below) => {
                    above.each_symbol(visit);
                    below.each_symbol(visit);
                }
            }
        }
    }

    /// Converts the expression to another form.
    pub(super) fn evaluate<E: Evaluate>(&self, form: &mut E) -> E::Value {
        let mut sum = None;
        for (atoms, ratio) in &self.terms {
            let mut product = None;
            for atom in atoms {
                let factor = match atom {
                    Atom::Symbol(symbol) => form.symbol(symbol),
                    Atom::CeilDiv(above, below) => {
                        let (above, below) = (above.evaluate(form), below.evaluate(form));
                        form.quotient(above, below, false)
                    }
                };
                product = Some(match product {
                    Some(product) => form.product(product, factor),
                    None => factor,
                });
            }
            // Divides first, so that the product stays small; a negative coefficient is multiplied
            // afterwards.
            let mut term = match (product, ratio.denominator) {
                (Some(product), 1) => Some(product),
                (Some(product), denominator) => {
                    let below = form.constant(denominator);
                    Some(form.quotient(product, below, true))
                }
                (None, _) => None,
            };
            if ratio.numerator != 1 || term.is_none() {
                let factor = form.constant(ratio.numerator);
                term = Some(match term {
                    Some(term) => form.product(term, factor),
                    None => factor,
                });
            }
            sum = match (sum, term) {
                (Some(sum), Some(term)) => Some(form.sum(sum, term)),
                (one, other) => one.or(other),
            };
        }
        match sum {
            Some(sum) => sum,
            None => form.constant(0),
        }
    }

    /// Replaces the dynamic integers for which `value` returns a value.
    pub(super) fn substitute(&self, value: &impl Fn(&Symbol) -> Option<u64>) -> Option<Expr> {
        let mut sum = Expr::constant(0);
        for (atoms, ratio) in &self.terms {
            let mut product = Expr {
                terms: vec![(Vec::new(), *ratio)],
            };
            for atom in atoms {
                let factor = match atom {
                    Atom::Symbol(symbol) => match value(symbol) {
                        Some(known) => Expr::constant(i128::from(known)),
                        None => Expr::atom(atom.clone()),
                    },
                    Atom::CeilDiv(above, below) => {
                        above.substitute(value)?.ceil_div(&below.substitute(value)?)?
                    }
                };
                product = product.times(&factor)?;
            }
            sum = sum.plus(&product)?;
        }
        Some(sum)
    }
}

/// The same quotient with coprime integer coefficients.
fn cancelled(above: &Expr, below: &Expr) -> Option<(Expr, Expr)> {
    let ratios = || above.terms.iter().chain(&below.terms).map(|(_, ratio)| ratio);
    let denominator = ratios().try_fold(1i128, |common, ratio| {
        common.checked_mul(ratio.denominator / gcd(common, ratio.denominator))
    })?;
    let factor = ratios().try_fold(0, |common, ratio| {
        let numerator = ratio.numerator.checked_mul(denominator / ratio.denominator)?;
        Some(gcd(common, numerator))
    })?;
    let by = Ratio::new(denominator, factor.max(1))?;
    Some((above.scaled(by)?, below.scaled(by)?))
}

/// `above / below` rounded up. Requires `below > 0`.
fn ceil_div(above: i128, below: i128) -> i128 {
    above.div_euclid(below) + i128::from(above.rem_euclid(below) != 0)
}
