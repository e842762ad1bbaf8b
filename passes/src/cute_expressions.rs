//! Lowers expressions in dynamic leaves of CuTe types to arithmetic, for both lowerings around `cute_desugared`.

use tilewright_irs::core::{Builder, Language, Value};
use tilewright_irs::dialects::arith::{ArithOp, Overflow, QuotientRounding, Signedness};
use tilewright_irs::dialects::cute::{leaf_scalar, operand_leaf};
use tilewright_irs::element::ScalarType;
use tilewright_irs::literal::{Dense, Literal};
use tilewright_layouts::cute::{Evaluate, Int, Symbol};

/// Emits the arithmetic of expressions at the insertion point.
struct Arithmetic<'a, 'b, L: Language> {
    builder: &'a mut Builder<'b, L>,
    /// The integer type of the result.
    scalar: ScalarType,
    ty: L::Type,
    /// The dynamic leaves of each operand.
    leaves: &'a [Vec<Value>],
}

impl<L: Language<Op: From<ArithOp>>> Evaluate for Arithmetic<'_, '_, L> {
    type Value = Value;

    fn symbol(&mut self, symbol: &Symbol) -> Value {
        let leaf =
            operand_leaf(symbol).and_then(|(operand, leaf)| self.leaves.get(operand)?.get(leaf).copied());
        match leaf {
            Some(leaf) if *self.builder.ty(leaf) == self.ty => leaf,
            // An i32 leaf in an expression of 64 bits. Extents, strides and indices are not negative.
            Some(source) => {
                let signedness = Signedness::Unsigned;
                let ty = self.ty.clone();
                self.builder.value(ArithOp::ExtI { source, signedness }, ty)
            }
            // Types number their leaves, so each has a value.
            None => self.constant(0),
        }
    }

    fn constant(&mut self, value: i128) -> Value {
        // Wraps like the surrounding arithmetic.
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the low bits"
        )]
        let literal = Literal::new(self.scalar, value as u64);
        let ty = self.ty.clone();
        let value = Dense::Splat(literal);
        self.builder.value(ArithOp::Constant { value }, ty)
    }

    fn sum(&mut self, lhs: Value, rhs: Value) -> Value {
        let (ty, overflow) = (self.ty.clone(), Overflow::Wraps);
        self.builder.value(ArithOp::AddI { lhs, rhs, overflow }, ty)
    }

    fn product(&mut self, lhs: Value, rhs: Value) -> Value {
        let (ty, overflow) = (self.ty.clone(), Overflow::Wraps);
        self.builder.value(ArithOp::MulI { lhs, rhs, overflow }, ty)
    }

    fn quotient(&mut self, above: Value, below: Value, exact: bool) -> Value {
        let op = ArithOp::DivI {
            lhs: above,
            rhs: below,
            signedness: Signedness::Unsigned,
            rounding: if exact {
                QuotientRounding::Zero
            } else {
                QuotientRounding::Up
            },
        };
        let ty = self.ty.clone();
        self.builder.value(op, ty)
    }
}

/// The value of an expression in the dynamic leaves of some operands.
pub(crate) fn evaluate<L: Language<Op: From<ArithOp>>>(
    builder: &mut Builder<'_, L>,
    int: &Int,
    leaves: &[Vec<Value>],
    machine: impl Fn(ScalarType) -> L::Type,
) -> Value {
    let scalar = leaf_scalar(int);
    let mut form = Arithmetic {
        builder,
        scalar,
        ty: machine(scalar),
        leaves,
    };
    int.evaluate(&mut form)
}
