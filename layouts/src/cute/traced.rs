//! Integers with what is known of them and how they are computed.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use super::basis::Scaled;
use super::error::CuteError;
use super::fact::{Bits, Fact};
use super::int::Int;
use super::leaf::Leaf;

/// An operation that the algebra leaves to run time, on signed integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RunTime {
    /// `a + b`.
    Sum,
    /// `a - b`.
    Difference,
    /// `a * b`.
    Product,
    /// `a / b`, rounded towards 0.
    Quotient,
    /// `a % b`, with the sign of `a`.
    Remainder,
    /// `a / b`, rounded up; both are positive.
    CeilQuotient,
    /// The smaller one.
    Lesser,
    /// `a & b`, bit by bit.
    And,
    /// `a ^ b`, bit by bit.
    ExclusiveOr,
    /// `a >> b` with copies of the sign; `b` is at least 0 and below the width.
    ShiftRight,
    /// 1 where `a < b`, otherwise 0.
    Less,
}

impl RunTime {
    /// The result for two numbers; `None` if it overflows, divides by 0 or shifts too far.
    ///
    /// ```
    /// use tilewright_layouts::cute::RunTime;
    /// assert_eq!(RunTime::Quotient.of(-7, 2), Some(-3));
    /// assert_eq!(RunTime::CeilQuotient.of(7, 2), Some(4));
    /// ```
    pub fn of(self, a: i64, b: i64) -> Option<i64> {
        match self {
            Self::Sum => a.checked_add(b),
            Self::Difference => a.checked_sub(b),
            Self::Product => a.checked_mul(b),
            Self::Quotient => a.checked_div(b),
            Self::Remainder => a.checked_rem(b),
            Self::CeilQuotient => {
                let up = i64::from(a.checked_rem(b)? != 0 && (a < 0) == (b < 0));
                a.checked_div(b)?.checked_add(up)
            }
            Self::Lesser => Some(a.min(b)),
            Self::And => Some(a & b),
            Self::ExclusiveOr => Some(a ^ b),
            Self::ShiftRight => a.checked_shr(u32::try_from(b).ok()?),
            Self::Less => Some(i64::from(a < b)),
        }
    }
}

/// How an integer is computed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Term {
    /// A number.
    Static(i64),
    /// A value from outside, by number.
    Input(u32),
    /// The result of an operation.
    Apply(RunTime, Traced, Traced),
}

/// A target of [`Traced::emit`], such as the ops of a program, or numbers.
pub trait Emit {
    /// An integer of the target, which knows its width.
    type Value: Clone;
    /// Emits a number, which takes the width of what it is used with.
    fn number(&mut self, value: i64) -> Self::Value;
    /// Emits a value from outside, of which its type knows `fact`.
    fn input(&mut self, input: u32, fact: Fact) -> Self::Value;
    /// Emits an operation of that width on signed integers; a narrower operand is extended.
    fn apply(&mut self, op: RunTime, width: Bits, a: Self::Value, b: Self::Value) -> Self::Value;
}

/// What has been emitted of computations; see [`Traced::emit`].
#[derive(Clone, Debug)]
pub struct Emitted<V>(HashMap<*const Term, (Arc<Term>, V)>);

impl<V> Default for Emitted<V> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

/// An integer of which a type knows a [`Fact`], and which is computed by a [`Term`].
///
/// The algebra decides on the fact alone, so that the type of a result, the program that computes it
/// and the numbers that an evaluator finds agree by construction.
///
/// ```
/// use tilewright_layouts::cute::{Fact, Leaf, Traced};
/// let rows = Traced::input("?{div=8}".parse()?, 0);
/// let tiles = rows.ceil_div(&Traced::from(128))?;
/// assert_eq!(tiles.fact().to_string(), "?");
/// assert_eq!(tiles.evaluate(&|_| 1000), Some(8));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Traced {
    fact: Fact,
    term: Arc<Term>,
}

impl From<u64> for Traced {
    fn from(value: u64) -> Self {
        Self::input(Fact::from(value), 0)
    }
}

/// Without the computation, whose parts may be shared many times over.
impl fmt::Debug for Traced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Traced").field(&self.fact).finish()
    }
}

impl fmt::Display for Traced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fact.fmt(f)
    }
}

impl Traced {
    /// The value from outside of that number, of which `fact` is known. A static fact is its number.
    pub fn input(fact: Fact, input: u32) -> Self {
        let term = match fact {
            Fact::Static(value) => Term::Static(value),
            Fact::Dynamic { .. } => Term::Input(input),
        };
        let term = Arc::new(term);
        Self { fact, term }
    }

    /// What is known of it.
    pub fn fact(&self) -> Fact {
        self.fact
    }

    /// How it is computed.
    pub fn term(&self) -> &Arc<Term> {
        &self.term
    }

    /// The same integer of which only `fact` is known.
    #[must_use]
    pub fn with_fact(&self, fact: Fact) -> Self {
        let term = Arc::clone(&self.term);
        Self { fact, term }
    }

    /// Emits the computation. `emitted` holds what has been emitted, so that shared parts are emitted
    /// once. The width of the result is not that of the [fact](Self::fact) where inference forgets the
    /// operands, as in [`LayoutOf::hier_coord`](super::LayoutOf::hier_coord).
    pub fn emit<E: Emit>(&self, form: &mut E, emitted: &mut Emitted<E::Value>) -> E::Value {
        let key = Arc::as_ptr(&self.term);
        if let Some((_, value)) = emitted.0.get(&key) {
            return value.clone();
        }
        let value = match &*self.term {
            Term::Static(value) => form.number(*value),
            Term::Input(input) => form.input(*input, self.fact),
            Term::Apply(op, a, b) => {
                let width = a.fact.wider(b.fact);
                let a = a.emit(form, emitted);
                let b = b.emit(form, emitted);
                form.apply(*op, width, a, b)
            }
        };
        // The term is kept with its value, so that no other one can be at its place.
        emitted.0.insert(key, (Arc::clone(&self.term), value.clone()));
        value
    }

    /// The value for numbers of the inputs; `None` if an operation overflows or divides by 0.
    pub fn evaluate(&self, input: &impl Fn(u32) -> i64) -> Option<i64> {
        struct Numbers<'a, F>(&'a F);
        impl<F: Fn(u32) -> i64> Emit for Numbers<'_, F> {
            type Value = Option<i64>;
            fn number(&mut self, value: i64) -> Option<i64> {
                Some(value)
            }
            fn input(&mut self, input: u32, _: Fact) -> Option<i64> {
                Some(self.0(input))
            }
            fn apply(&mut self, op: RunTime, _: Bits, a: Option<i64>, b: Option<i64>) -> Option<i64> {
                op.of(a?, b?)
            }
        }
        self.emit(&mut Numbers(input), &mut Emitted::default())
    }

    /// The result of an operation of which `fact` is known.
    pub(super) fn of(fact: Fact, op: RunTime, a: &Traced, b: &Traced) -> Traced {
        let same = |of: &Traced| of.with_fact(fact);
        match (fact, op, a.fact, b.fact) {
            (Fact::Static(_), ..) => Traced::input(fact, 0),
            (_, RunTime::Sum | RunTime::ExclusiveOr, Fact::Static(0), _)
            | (_, RunTime::Product, Fact::Static(1), _) => same(b),
            (
                _,
                RunTime::Sum | RunTime::Difference | RunTime::ExclusiveOr | RunTime::ShiftRight,
                _,
                Fact::Static(0),
            ) => same(a),
            (_, RunTime::Product | RunTime::Quotient | RunTime::CeilQuotient, _, Fact::Static(1)) => same(a),
            _ => {
                let term = Arc::new(Term::Apply(op, a.clone(), b.clone()));
                Traced { fact, term }
            }
        }
    }
}

impl Leaf for Traced {
    type Stride = Scaled<Traced>;
    const STRICT: bool = false;

    fn known(&self) -> Option<i128> {
        self.fact.known()
    }
    fn plus(&self, other: &Self) -> Result<Self, CuteError> {
        let fact = self.fact.plus(&other.fact)?;
        Ok(Self::of(fact, RunTime::Sum, self, other))
    }
    fn minus(&self, other: &Self) -> Result<Self, CuteError> {
        let fact = self.fact.minus(&other.fact)?;
        Ok(Self::of(fact, RunTime::Difference, self, other))
    }
    fn times(&self, other: &Self) -> Result<Self, CuteError> {
        let fact = self.fact.times(&other.fact)?;
        Ok(Self::of(fact, RunTime::Product, self, other))
    }
    fn ceil_div(&self, other: &Self) -> Result<Self, CuteError> {
        let fact = self.fact.ceil_div(&other.fact)?;
        Ok(Self::of(fact, RunTime::CeilQuotient, self, other))
    }
    fn shape_div(&self, other: &Self) -> Result<Self, CuteError> {
        let fact = self.fact.shape_div(&other.fact)?;
        Ok(Self::of(fact, RunTime::CeilQuotient, self, other))
    }
    fn quotient(&self, other: &Self) -> Option<Self> {
        let fact = self.fact.quotient(&other.fact)?;
        Some(Self::of(fact, RunTime::Quotient, self, other))
    }
    fn remainder(&self, other: &Self) -> Option<Self> {
        let fact = self.fact.remainder(&other.fact)?;
        Some(Self::of(fact, RunTime::Remainder, self, other))
    }
    fn lesser(&self, other: &Self) -> Option<Self> {
        let fact = self.fact.lesser(&other.fact)?;
        Some(Self::of(fact, RunTime::Lesser, self, other))
    }
    fn exact_quotient(&self, other: &Self) -> Option<Self> {
        let fact = self.fact.exact_quotient(&other.fact)?;
        Some(Self::of(fact, RunTime::Quotient, self, other))
    }
    fn provably_le(&self, other: &Self) -> Option<bool> {
        self.fact.provably_le(&other.fact)
    }
    fn same(&self, other: &Self) -> bool {
        self.fact.same(&other.fact)
    }
    fn of_width(&self, others: &[&Self]) -> Self {
        let facts: Vec<&Fact> = others.iter().map(|other| &other.fact).collect();
        // A static number is computed too where its type forgets it.
        self.with_fact(self.fact.of_width(&facts))
    }
    fn shown(&self) -> Int {
        self.fact.shown()
    }
}
