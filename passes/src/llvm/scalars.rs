//! Helpers that emit scalar ops.

use tilewright_irs::core::{Flag, Remap, Value};
use tilewright_irs::dialects::arith::{ArithOp, FloatRounding, Ordering, Overflow, Predicate, Signedness};
use tilewright_irs::dialects::fast_math::{FastMath, FastMathOf};
use tilewright_irs::element::ScalarType;
use tilewright_irs::literal::{Dense, Literal};
use tilewright_irs::llvm::LlvmType;

use super::rewrite::Rewrite;

/// A product, or else a sum, rounded to nearest, with the flags of these that it can have.
pub(super) fn product_or_sum(
    is_product: bool,
    [lhs, rhs]: [Value; 2],
    flush_to_zero: Flag,
    flags: FastMath,
) -> ArithOp {
    let (rounding, fast_math) = (FloatRounding::NearestEven, FastMathOf::of(flags));
    if is_product {
        ArithOp::MulF {
            lhs,
            rhs,
            rounding,
            flush_to_zero,
            fast_math,
        }
    } else {
        ArithOp::AddF {
            lhs,
            rhs,
            rounding,
            flush_to_zero,
            fast_math,
        }
    }
}

/// Emits scalar ops at the insertion point of a rewrite.
pub(super) struct Scalars<'a, 'b>(pub(super) &'a mut Rewrite<'b>);

impl Scalars<'_, '_> {
    pub(super) fn op(&mut self, op: ArithOp, scalar: ScalarType) -> Value {
        self.0.value(op, LlvmType::Scalar(scalar))
    }

    /// An op whose result has the type of `like`.
    fn like(&mut self, op: ArithOp, like: Value) -> Value {
        let ty = self.0.ty(like);
        self.0.value(op, ty)
    }

    pub(super) fn constant(&mut self, scalar: ScalarType, bits: u64) -> Value {
        let value = Dense::Splat(Literal::new(scalar, bits));
        self.op(ArithOp::Constant { value }, scalar)
    }

    pub(super) fn add(&mut self, lhs: Value, rhs: Value) -> Value {
        let overflow = Overflow::Wraps;
        self.like(ArithOp::AddI { lhs, rhs, overflow }, lhs)
    }

    pub(super) fn sub(&mut self, lhs: Value, rhs: Value) -> Value {
        let overflow = Overflow::Wraps;
        self.like(ArithOp::SubI { lhs, rhs, overflow }, lhs)
    }

    pub(super) fn mul(&mut self, lhs: Value, rhs: Value) -> Value {
        let overflow = Overflow::Wraps;
        self.like(ArithOp::MulI { lhs, rhs, overflow }, lhs)
    }

    pub(super) fn and(&mut self, lhs: Value, rhs: Value) -> Value {
        self.like(ArithOp::AndI { lhs, rhs }, lhs)
    }

    pub(super) fn or(&mut self, lhs: Value, rhs: Value) -> Value {
        self.like(ArithOp::OrI { lhs, rhs }, lhs)
    }

    pub(super) fn xor(&mut self, lhs: Value, rhs: Value) -> Value {
        self.like(ArithOp::XorI { lhs, rhs }, lhs)
    }

    pub(super) fn shr(&mut self, lhs: Value, rhs: Value) -> Value {
        let signedness = Signedness::Unsigned;
        self.like(ArithOp::ShrI { lhs, rhs, signedness }, lhs)
    }

    pub(super) fn shr_signed(&mut self, lhs: Value, rhs: Value) -> Value {
        let signedness = Signedness::Signed;
        self.like(ArithOp::ShrI { lhs, rhs, signedness }, lhs)
    }

    pub(super) fn shl(&mut self, lhs: Value, rhs: Value) -> Value {
        let overflow = Overflow::Wraps;
        self.like(ArithOp::ShlI { lhs, rhs, overflow }, lhs)
    }

    /// The high half of an unsigned product.
    pub(super) fn mul_high(&mut self, lhs: Value, rhs: Value) -> Value {
        self.like(ArithOp::MulHiU { lhs, rhs }, lhs)
    }

    pub(super) fn compare(
        &mut self,
        lhs: Value,
        predicate: Predicate,
        rhs: Value,
        signedness: Signedness,
    ) -> Value {
        let op = ArithOp::CmpI {
            lhs,
            rhs,
            predicate,
            signedness,
        };
        self.op(op, ScalarType::I1)
    }

    /// Compares floats; false if one is NaN.
    pub(super) fn compare_floats(&mut self, lhs: Value, predicate: Predicate, rhs: Value) -> Value {
        let op = ArithOp::CmpF {
            lhs,
            rhs,
            predicate,
            ordering: Ordering::Ordered,
            fast_math: FastMathOf::NONE,
        };
        self.op(op, ScalarType::I1)
    }

    pub(super) fn select(&mut self, condition: Value, yes: Value, no: Value) -> Value {
        self.like(ArithOp::Select { condition, yes, no }, yes)
    }

    pub(super) fn extend(&mut self, source: Value, signedness: Signedness, to: ScalarType) -> Value {
        self.op(ArithOp::ExtI { source, signedness }, to)
    }

    pub(super) fn truncate(&mut self, source: Value, to: ScalarType) -> Value {
        self.op(ArithOp::TruncI { source }, to)
    }

    pub(super) fn bits(&mut self, source: Value, to: ScalarType) -> Value {
        self.op(ArithOp::Bitcast { source }, to)
    }

    /// Converts a float to another type; returns it unchanged if it has that type.
    pub(super) fn float(&mut self, source: Value, rounding: FloatRounding, to: ScalarType) -> Value {
        if self.0.ty(source) == LlvmType::Scalar(to) {
            return source;
        }
        self.op(ArithOp::FToF { source, rounding }, to)
    }

    /// A product of floats, exact or rounded to nearest.
    pub(super) fn mul_float(&mut self, lhs: Value, rhs: Value) -> Value {
        let (rounding, flush_to_zero) = (FloatRounding::NearestEven, Flag(false));
        let op = ArithOp::MulF {
            lhs,
            rhs,
            rounding,
            flush_to_zero,
            fast_math: FastMathOf::NONE,
        };
        self.like(op, lhs)
    }

    pub(super) fn add_float(&mut self, lhs: Value, rhs: Value) -> Value {
        let (rounding, flush_to_zero) = (FloatRounding::NearestEven, Flag(false));
        let op = ArithOp::AddF {
            lhs,
            rhs,
            rounding,
            flush_to_zero,
            fast_math: FastMathOf::NONE,
        };
        self.like(op, lhs)
    }

    pub(super) fn sub_float(&mut self, lhs: Value, rhs: Value) -> Value {
        let (rounding, flush_to_zero) = (FloatRounding::NearestEven, Flag(false));
        let op = ArithOp::SubF {
            lhs,
            rhs,
            rounding,
            flush_to_zero,
            fast_math: FastMathOf::NONE,
        };
        self.like(op, lhs)
    }

    pub(super) fn abs_float(&mut self, source: Value) -> Value {
        self.like(
            ArithOp::AbsF {
                source,
                fast_math: FastMathOf::NONE,
            },
            source,
        )
    }
}

/// Replaces operands in order.
pub(super) struct InOrder(pub(super) std::vec::IntoIter<Value>);

impl Remap for InOrder {
    fn value(&mut self, value: Value) -> Value {
        self.0.next().unwrap_or(value)
    }
}
