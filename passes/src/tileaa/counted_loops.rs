//! Counted loops of which several iterations are executed at once, for passes within `tileaa`.

use tilewright_irs::core::{Body, Flag, Translation, Value, ValueType};
use tilewright_irs::dialects::arith::{ArithOp, Overflow, QuotientRounding, Signedness};
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::literal::{Dense, Literal};
use tilewright_irs::tileaa::{TileAa, TileAaOp, TileAaType};

type Cx<'a> = Translation<'a, TileAa, TileAa>;

/// The largest step, which bounds the counters that are computed.
const MAX_STEP: i64 = 1 << 16;

/// A counted loop with a signed counter, a constant step, and a lower bound that is not negative.
pub(super) struct CountedLoop {
    lower: Value,
    upper: Value,
    /// The step as a number.
    stride: i64,
    /// The counter in the body.
    counter: Value,
    scalar: ScalarType,
    /// The number of iterations, if it is constant.
    pub(super) trips: Option<u64>,
}

impl CountedLoop {
    /// The loop that an op is.
    pub(super) fn of(from: &Body<TileAa>, op: &TileAaOp) -> Option<Self> {
        let TileAaOp::Scf(ScfOp::For {
            lower,
            upper,
            step,
            unsigned: Flag(false),
            body,
            ..
        }) = op
        else {
            return None;
        };
        let stride = number(from, *step).filter(|step| (1..=MAX_STEP).contains(step))?;
        let (least, _) = range(from, *lower);
        least.filter(|&least| least >= 0)?;
        let trips = number(from, *lower)
            .zip(number(from, *upper))
            .map(|(lower, upper)| {
                let distance = i128::from(upper) - i128::from(lower);
                u64::try_from(distance.max(0))
                    .map_or(u64::MAX, |distance| distance.div_ceil(stride.unsigned_abs()))
            });
        let counter = *from.block(from.only_block(*body)?).args.first()?;
        Some(Self {
            lower: *lower,
            upper: *upper,
            stride,
            counter,
            scalar: from.ty(counter).element().and_then(ElementType::scalar)?,
            trips,
        })
    }

    /// The number of iterations, up to so many, that are executed at once; all, if there are no more. Where their number is constant,
    /// it is a multiple of them if possible; otherwise it is a power of two.
    pub(super) fn at_once(&self, most: u64) -> u64 {
        let divides = |&copies: &u64| self.trips.is_some_and(|trips| trips.is_multiple_of(copies));
        match self.trips {
            Some(trips) if trips <= most => trips,
            _ => (2..=most)
                .rev()
                .find(divides)
                .unwrap_or_else(|| most.checked_ilog2().map_or(0, |log| 1 << log)),
        }
    }

    /// Whether the number of iterations is known to be a multiple of `copies`.
    pub(super) fn is_multiple_of(&self, copies: u64) -> bool {
        self.trips.is_some_and(|trips| trips.is_multiple_of(copies))
    }

    /// The step of a loop that executes `copies` iterations at once.
    pub(super) fn step_of(&self, cx: &mut Cx<'_>, copies: u64) -> Value {
        integer(cx, self.scalar, self.stride.wrapping_mul(copies.cast_signed()))
    }

    /// The counter of the iteration `copy` behind the one with the counter `first`.
    pub(super) fn counter_of(&self, cx: &mut Cx<'_>, first: Value, copy: u64) -> Value {
        if copy == 0 {
            return first;
        }
        let ty = cx.from.ty(self.counter).clone();
        let (lhs, rhs) = (first, self.step_of(cx, copy));
        let overflow = Overflow::NoSigned;
        cx.value(ArithOp::AddI { lhs, rhs, overflow }, ty)
    }

    /// The counter after the last iteration of a loop that executes `copies` at once, a power of two: `lower` plus the step times the
    /// largest multiple of them up to the number of iterations.
    pub(super) fn last_even(&self, cx: &mut Cx<'_>, copies: u64) -> Value {
        let lower = cx.one(self.lower);
        let ty: TileAaType = self.scalar.into();
        let (signedness, overflow) = (Signedness::Signed, Overflow::NoSigned);
        let (_, latest) = range(cx.from, self.lower);
        let (least, _) = range(cx.from, self.upper);
        let mut upper = cx.one(self.upper);
        // The lower bound is not negative, so nothing overflows.
        if latest.zip(least).is_none_or(|(lower, upper)| upper < lower) {
            let (lhs, rhs) = (upper, lower);
            upper = cx.value(ArithOp::MaxI { lhs, rhs, signedness }, ty.clone());
        }
        let is_zero = number(cx.from, self.lower) == Some(0);
        let mut trips = if is_zero {
            upper
        } else {
            let (lhs, rhs) = (upper, lower);
            cx.value(ArithOp::SubI { lhs, rhs, overflow }, ty.clone())
        };
        if self.stride > 1 {
            let (lhs, rhs) = (trips, self.step_of(cx, 1));
            let rounding = QuotientRounding::Up;
            let op = ArithOp::DivI {
                lhs,
                rhs,
                signedness,
                rounding,
            };
            trips = cx.value(op, ty.clone());
        }
        let mask = copies.cast_signed().wrapping_neg();
        let (lhs, rhs) = (trips, integer(cx, self.scalar, mask));
        let mut even = cx.value(ArithOp::AndI { lhs, rhs }, ty.clone());
        if self.stride > 1 {
            let (lhs, rhs) = (even, self.step_of(cx, 1));
            even = cx.value(ArithOp::MulI { lhs, rhs, overflow }, ty.clone());
        }
        if is_zero {
            return even;
        }
        let (lhs, rhs) = (even, lower);
        cx.value(ArithOp::AddI { lhs, rhs, overflow }, ty)
    }
}

/// The range of an integer, from its facts.
fn range(from: &Body<TileAa>, value: Value) -> (Option<i64>, Option<i64>) {
    let facts = &from.ty(value).facts;
    (facts.min, facts.max)
}

/// The only value of an integer, from its facts.
fn number(from: &Body<TileAa>, value: Value) -> Option<i64> {
    match range(from, value) {
        (Some(min), Some(max)) if min == max => Some(min),
        _ => None,
    }
}

/// A constant with its value as a fact.
fn integer(cx: &mut Cx<'_>, scalar: ScalarType, number: i64) -> Value {
    let value = Dense::Splat(Literal::new(scalar, number.cast_unsigned()));
    let mut ty: TileAaType = scalar.into();
    (ty.facts.min, ty.facts.max) = (Some(number), Some(number));
    cx.value(ArithOp::Constant { value }, ty)
}
