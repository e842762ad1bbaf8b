//! Computes the bounds of the two loops.

use tilewright_irs::core::{Translation, Value};
use tilewright_irs::cuda_tile::{
    ComparisonPredicate, CudaTile, IntOp, IntegerOverflow, RoundingMode, ShapeOp, Signedness, TileType,
};
use tilewright_irs::element::ScalarType;
use tilewright_irs::literal::{Dense, Literal};

use super::super::behaviour::{is_in_range, number};

type Cx<'a> = Translation<'a, CudaTile, CudaTile>;

/// The constants of a loop and its condition, if known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub(super) lower: Option<Literal>,
    pub(super) step: Option<Literal>,
    pub(super) limit: Option<Literal>,
}

/// Writes the bounds of the two loops.
pub(super) struct Bounds<'a, 'b> {
    pub(super) cx: &'b mut Cx<'a>,
    pub(super) ty: TileType,
    pub(super) signedness: Signedness,
    pub(super) lower: Value,
    pub(super) upper: Value,
    pub(super) step: Value,
    pub(super) limit: Value,
    /// Whether the limit belongs to the first loop.
    pub(super) includes_limit: bool,
    pub(super) known: Known,
}

const OVERFLOW: IntegerOverflow = IntegerOverflow::None;

impl Bounds<'_, '_> {
    /// The end of the first loop and the start of the second one.
    pub(super) fn write(&mut self) -> (Value, Value) {
        let each = self.known.step.is_some_and(|step| step.bits == 1);
        match self.exact() {
            Some(middle) if each => self.around(middle),
            Some(middle) => {
                let turn = self.rounded_up(middle);
                self.around(turn)
            }
            None => {
                let middle = self.between();
                let turn = if each { middle } else { self.turn_from(middle) };
                (middle, turn)
            }
        }
    }

    /// The first number after the first loop, if it and the next counter value cannot overflow.
    fn exact(&mut self) -> Option<Value> {
        let each = self.known.step.is_some_and(|step| step.bits == 1);
        let as_number = |literal: Option<Literal>| literal.map(|literal| number(literal, self.signedness));
        let scalar = self.scalar();
        let fits = |value: i128| is_in_range(scalar, self.signedness, value);
        let middle = as_number(self.known.limit).map(|limit| limit + i128::from(self.includes_limit));
        if self.includes_limit && !middle.is_some_and(fits) {
            return None;
        }
        if !each {
            let (middle, lower, step) = (middle?, as_number(self.known.lower)?, as_number(self.known.step)?);
            let span = middle - lower;
            if step <= 0 || !fits(span) {
                return None;
            }
            let whole = (span + step - 1).div_euclid(step) * step;
            if !fits(whole) || !fits(lower + whole) {
                return None;
            }
        }
        if !self.includes_limit {
            return Some(self.limit);
        }
        let one = self.constant(1);
        Some(self.sum(self.limit, one))
    }

    /// The first counter value from a number on, without overflow.
    fn rounded_up(&mut self, middle: Value) -> Value {
        let (lower, step, signedness) = (self.lower, self.step, self.signedness);
        let span = self.difference(middle, lower);
        let turns = self.int(IntOp::DivI {
            lhs: span,
            rhs: step,
            signedness,
            rounding: RoundingMode::PositiveInf,
        });
        let whole = self.int(IntOp::MulI {
            lhs: turns,
            rhs: step,
            overflow: OVERFLOW,
        });
        self.sum(lower, whole)
    }

    /// The bounds at a number that may be outside of the loop's range: each loop stays within the range.
    fn around(&mut self, middle: Value) -> (Value, Value) {
        let signedness = self.signedness;
        let end = self.int(IntOp::MinI {
            lhs: middle,
            rhs: self.upper,
            signedness,
        });
        let begin = self.int(IntOp::MaxI {
            lhs: middle,
            rhs: self.lower,
            signedness,
        });
        (end, begin)
    }

    /// The first number after the first loop, clamped to the bounds: the lower one when the range is empty.
    fn between(&mut self) -> Value {
        let signedness = self.signedness;
        let capped = if self.includes_limit {
            // Below the upper bound, the increment cannot overflow.
            let one = self.constant(1);
            let next = self.sum(self.limit, one);
            let below = self.compare(ComparisonPredicate::LessThan, self.limit, self.upper);
            self.select(below, next, self.upper)
        } else {
            self.int(IntOp::MinI {
                lhs: self.limit,
                rhs: self.upper,
                signedness,
            })
        };
        self.int(IntOp::MaxI {
            lhs: capped,
            rhs: self.lower,
            signedness,
        })
    }

    /// The first counter value from `middle` on, or the upper bound if there is none.
    fn turn_from(&mut self, middle: Value) -> Value {
        let signedness = Signedness::Unsigned;
        let (lower, upper, step) = (self.lower, self.upper, self.step);
        let span = self.difference(middle, lower);
        let rest = self.int(IntOp::RemI {
            lhs: span,
            rhs: step,
            signedness,
        });
        let zero = self.constant(0);
        let on_a_turn = self.compare(ComparisonPredicate::Equal, rest, zero);
        let gap = self.difference(step, rest);
        let gap = self.select(on_a_turn, zero, gap);
        let room = self.difference(upper, middle);
        let skip = self.int(IntOp::MinI {
            lhs: gap,
            rhs: room,
            signedness,
        });
        self.sum(middle, skip)
    }

    fn int(&mut self, op: IntOp) -> Value {
        self.cx.value(op, self.ty.clone())
    }

    fn sum(&mut self, lhs: Value, rhs: Value) -> Value {
        self.int(IntOp::AddI {
            lhs,
            rhs,
            overflow: OVERFLOW,
        })
    }

    fn difference(&mut self, lhs: Value, rhs: Value) -> Value {
        self.int(IntOp::SubI {
            lhs,
            rhs,
            overflow: OVERFLOW,
        })
    }

    fn compare(&mut self, predicate: ComparisonPredicate, lhs: Value, rhs: Value) -> Value {
        let signedness = self.signedness;
        let op = IntOp::CmpI {
            lhs,
            rhs,
            predicate,
            signedness,
        };
        self.cx.value(op, TileType::scalar(ScalarType::I1))
    }

    fn select(&mut self, cond: Value, val_if_true: Value, val_if_false: Value) -> Value {
        let op = ShapeOp::Select {
            cond,
            val_if_true,
            val_if_false,
        };
        self.cx.value(op, self.ty.clone())
    }

    fn scalar(&self) -> ScalarType {
        let scalar = self.ty.as_tile().and_then(|tile| tile.element.scalar());
        scalar.unwrap_or(ScalarType::I32)
    }

    fn constant(&mut self, bits: u64) -> Value {
        let value = Dense::Splat(Literal::new(self.scalar(), bits));
        self.cx.value(ShapeOp::Constant { value }, self.ty.clone())
    }
}
