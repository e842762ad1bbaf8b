//! The bits of numbers: read as another type, taken apart and put together.

use tilewright_irs::core::{Builder, Value};
use tilewright_irs::dialects::arith::{ArithOp, Overflow, Predicate, Signedness};
use tilewright_irs::element::ScalarType;
use tilewright_irs::literal::{Dense, Literal};
use tilewright_irs::llvm::{Llvm, LlvmType};

use super::accesses::integer;

/// Emits ops on the bits of numbers.
pub(super) struct Words<'a, 'b>(pub(super) &'a mut Builder<'b, Llvm>);

impl Words<'_, '_> {
    fn op(&mut self, op: ArithOp, scalar: ScalarType) -> Value {
        self.0.value(op, LlvmType::Scalar(scalar))
    }

    fn constant(&mut self, scalar: ScalarType, bits: u32) -> Value {
        let value = Dense::Splat(Literal::new(scalar, bits.into()));
        self.op(ArithOp::Constant { value }, scalar)
    }

    /// A number as an integer of its size in memory.
    fn bits(&mut self, source: Value, ty: ScalarType, bytes: u32) -> Value {
        match ty {
            ScalarType::I1 => self.extended(source, ScalarType::I8),
            ty if ty == integer(bytes) => source,
            _ => self.op(ArithOp::Bitcast { source }, integer(bytes)),
        }
    }

    /// An integer as a number of its size in memory.
    fn number(&mut self, source: Value, ty: ScalarType, bytes: u32) -> Value {
        match ty {
            ScalarType::I1 => {
                let rhs = self.constant(ScalarType::I8, 0);
                let (lhs, predicate, signedness) = (source, Predicate::NotEqual, Signedness::Unsigned);
                let op = ArithOp::CmpI {
                    lhs,
                    rhs,
                    predicate,
                    signedness,
                };
                self.op(op, ScalarType::I1)
            }
            ty if ty == integer(bytes) => source,
            _ => self.op(ArithOp::Bitcast { source }, ty),
        }
    }

    fn extended(&mut self, source: Value, to: ScalarType) -> Value {
        let signedness = Signedness::Unsigned;
        self.op(ArithOp::ExtI { source, signedness }, to)
    }

    /// A value of one type, of so many bytes, as one of another.
    pub(super) fn converted(&mut self, value: Value, from: LlvmType, to: LlvmType, bytes: u32) -> Value {
        match (from, to) {
            (LlvmType::Scalar(from), LlvmType::Scalar(to)) if from != to => {
                let bits = self.bits(value, from, bytes);
                self.number(bits, to, bytes)
            }
            // Pointers are accessed as such only.
            _ => value,
        }
    }

    /// The number of so many bytes that parts make, the first in its low bits: each a value of a type and a size.
    pub(super) fn joined(&mut self, parts: &[(Value, LlvmType, u32)], to: LlvmType, bytes: u32) -> Value {
        let whole = integer(bytes);
        let mut sum = None;
        let mut before = 0;
        for &(value, ty, size) in parts {
            let LlvmType::Scalar(scalar) = ty else { continue };
            let bits = self.bits(value, scalar, size);
            let mut term = self.extended(bits, whole);
            if before > 0 {
                let rhs = self.constant(whole, 8 * before);
                let (lhs, overflow) = (term, Overflow::Wraps);
                term = self.op(ArithOp::ShlI { lhs, rhs, overflow }, whole);
            }
            sum = Some(match sum {
                None => term,
                Some(lhs) => self.op(ArithOp::OrI { lhs, rhs: term }, whole),
            });
            before += size;
        }
        let sum = match sum {
            Some(sum) => sum,
            None => self.constant(whole, 0),
        };
        match to {
            LlvmType::Scalar(to) => self.number(sum, to, bytes),
            _ => sum,
        }
    }

    /// A part of a number: that of a type and a size, after so many bytes.
    pub(super) fn part(
        &mut self,
        (value, from, bytes): (Value, LlvmType, u32),
        before: u32,
        (to, size): (LlvmType, u32),
    ) -> Value {
        let (LlvmType::Scalar(from), LlvmType::Scalar(to)) = (from, to) else {
            return value;
        };
        let mut bits = self.bits(value, from, bytes);
        if before > 0 {
            let rhs = self.constant(integer(bytes), 8 * before);
            let (lhs, signedness) = (bits, Signedness::Unsigned);
            bits = self.op(ArithOp::ShrI { lhs, rhs, signedness }, integer(bytes));
        }
        let source = bits;
        let bits = self.op(ArithOp::TruncI { source }, integer(size));
        self.number(bits, to, size)
    }
}
