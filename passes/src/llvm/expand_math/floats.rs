//! Emits float arithmetic of one type, each op rounded to nearest, and sums of two numbers.

use tilewright_irs::core::{Flag, Value};
use tilewright_irs::dialects::arith::{ArithOp, FloatRounding, Precision, Predicate, Signedness};
use tilewright_irs::dialects::fast_math::FastMathOf;
use tilewright_irs::element::ScalarType;
use tilewright_irs::isa::{Ftz, Instruction, OpResult, Relu, Rounding, Sat, Type};
use tilewright_irs::llvm::LlvmType;

use super::tables::Table;
use crate::llvm::rewrite::Rewrite;
use crate::llvm::scalars::Scalars;

const EXACT: FloatRounding = FloatRounding::NearestEven;
const IEEE: Flag = Flag(false);

/// A type that functions are computed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Format {
    /// The type.
    pub(super) float: ScalarType,
    /// The integer type of the same size.
    pub(super) int: ScalarType,
    /// The number of stored bits of the significand.
    pub(super) stored: u32,
    /// The exponent field of 1.
    pub(super) bias: u32,
}

impl Format {
    pub(super) const F32: Self = Self {
        float: ScalarType::F32,
        int: ScalarType::I32,
        stored: 23,
        bias: 127,
    };
    pub(super) const F64: Self = Self {
        float: ScalarType::F64,
        int: ScalarType::I64,
        stored: 52,
        bias: 1023,
    };

    /// The bits of a number that the type represents.
    pub(super) fn bits(self, number: f64) -> u64 {
        if self.float == ScalarType::F64 {
            number.to_bits()
        } else {
            u64::from((number as f32).to_bits())
        }
    }

    /// The bit of the sign.
    pub(super) fn sign(self) -> u64 {
        1 << (self.int.bits() - 1)
    }

    /// The numbers of a table.
    pub(super) fn of(self, table: &Table) -> &'static [f64] {
        if self.float == ScalarType::F64 {
            table.f64
        } else {
            table.f32
        }
    }
}

/// An unevaluated sum, the second number less than a unit in the last place of the first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub(super) high: Value,
    pub(super) low: Value,
}

/// Emits arithmetic of one float type.
pub(super) struct Floats<'a, 'b> {
    pub(super) s: Scalars<'a, 'b>,
    pub(super) format: Format,
}

impl<'a, 'b> Floats<'a, 'b> {
    pub(super) fn new(cx: &'a mut Rewrite<'b>, format: Format) -> Self {
        Self {
            s: Scalars(cx),
            format,
        }
    }

    /// A number.
    pub(super) fn number(&mut self, number: f64) -> Value {
        self.s.constant(self.format.float, self.format.bits(number))
    }

    /// A part of a constant.
    pub(super) fn part(&mut self, table: &Table, part: usize) -> Value {
        let number = self.format.of(table).get(part).copied().unwrap_or(0.0);
        self.number(number)
    }

    /// An integer of the same size.
    pub(super) fn int(&mut self, number: i64) -> Value {
        let mask = self.format.int.mask();
        self.s.constant(self.format.int, number.cast_unsigned() & mask)
    }

    /// The result of an op of this type.
    fn float(&mut self, op: ArithOp) -> Value {
        self.s.op(op, self.format.float)
    }

    /// An instruction of the hardware.
    pub(super) fn instruction(&mut self, instruction: Instruction<Value>) -> Value {
        self.s.0.value(instruction, LlvmType::Scalar(self.format.float))
    }

    pub(super) fn add(&mut self, lhs: Value, rhs: Value) -> Value {
        self.float(ArithOp::AddF {
            lhs,
            rhs,
            rounding: EXACT,
            flush_to_zero: IEEE,
            fast_math: FastMathOf::NONE,
        })
    }

    pub(super) fn sub(&mut self, lhs: Value, rhs: Value) -> Value {
        self.s.sub_float(lhs, rhs)
    }

    pub(super) fn mul(&mut self, lhs: Value, rhs: Value) -> Value {
        self.s.mul_float(lhs, rhs)
    }

    /// `lhs * rhs + acc`, rounded once.
    pub(super) fn fma(&mut self, lhs: Value, rhs: Value, acc: Value) -> Value {
        self.float(ArithOp::Fma {
            lhs,
            rhs,
            acc,
            rounding: EXACT,
            flush_to_zero: IEEE,
            fast_math: FastMathOf::NONE,
        })
    }

    /// `acc - lhs * rhs`, rounded once.
    pub(super) fn fma_negated(&mut self, lhs: Value, rhs: Value, acc: Value) -> Value {
        let lhs = self.neg(lhs);
        self.fma(lhs, rhs, acc)
    }

    /// `lhs * rhs + acc`, rounded toward negative infinity.
    pub(super) fn fma_down(&mut self, lhs: Value, rhs: Value, acc: Value) -> Value {
        self.float(ArithOp::Fma {
            lhs,
            rhs,
            acc,
            rounding: FloatRounding::Down,
            flush_to_zero: IEEE,
            fast_math: FastMathOf::NONE,
        })
    }

    /// `lhs * rhs + acc` in f32, clamped to 0 and 1; 0 if it is NaN (PTX ISA, "fma").
    pub(super) fn fma_within_one(&mut self, lhs: Value, rhs: Value, acc: Value) -> Value {
        self.instruction(Instruction::Fma {
            rounding: Rounding::Rn,
            ftz: Ftz(false),
            sat: Sat(true),
            relu: Relu(false),
            ty: Type::F32,
            d: OpResult,
            a: lhs,
            b: rhs,
            c: acc,
        })
    }

    /// A correctly rounded quotient.
    pub(super) fn div(&mut self, lhs: Value, rhs: Value) -> Value {
        self.divided(lhs, rhs, Precision::NearestEven)
    }

    /// A quotient that need not be accurate to the last bits; zero for a divisor of more than 2^126 in f32.
    pub(super) fn div_roughly(&mut self, lhs: Value, rhs: Value) -> Value {
        let precision = match self.format {
            Format::F64 => Precision::NearestEven,
            _ => Precision::Approx,
        };
        self.divided(lhs, rhs, precision)
    }

    /// The reciprocal of a number of at least 1, that need not be accurate to the last bits; zero for one of more than 2^126 in f32.
    pub(super) fn reciprocal_roughly(&mut self, one: Value, divisor: Value) -> Value {
        match self.format {
            Format::F32 => self.quotient(one, divisor, Precision::Approx, Flag(true)),
            _ => self.div_roughly(one, divisor),
        }
    }

    fn divided(&mut self, lhs: Value, rhs: Value, precision: Precision) -> Value {
        self.quotient(lhs, rhs, precision, IEEE)
    }

    fn quotient(&mut self, lhs: Value, rhs: Value, precision: Precision, flush_to_zero: Flag) -> Value {
        self.float(ArithOp::DivF {
            lhs,
            rhs,
            precision,
            flush_to_zero,
            fast_math: FastMathOf::NONE,
        })
    }

    pub(super) fn sqrt(&mut self, source: Value) -> Value {
        self.float(ArithOp::SqrtF {
            source,
            precision: Precision::NearestEven,
            flush_to_zero: IEEE,
            fast_math: FastMathOf::NONE,
        })
    }

    pub(super) fn floor(&mut self, source: Value) -> Value {
        self.float(ArithOp::FloorF {
            source,
            fast_math: FastMathOf::NONE,
        })
    }

    pub(super) fn neg(&mut self, source: Value) -> Value {
        self.float(ArithOp::NegF {
            source,
            fast_math: FastMathOf::NONE,
        })
    }

    pub(super) fn abs(&mut self, source: Value) -> Value {
        self.s.abs_float(source)
    }

    /// Compares numbers; false if one is NaN.
    pub(super) fn compare(&mut self, lhs: Value, predicate: Predicate, rhs: Value) -> Value {
        self.s.compare_floats(lhs, predicate, rhs)
    }

    /// Compares with a constant.
    pub(super) fn compare_to(&mut self, lhs: Value, predicate: Predicate, rhs: f64) -> Value {
        let rhs = self.number(rhs);
        self.compare(lhs, predicate, rhs)
    }

    pub(super) fn select(&mut self, condition: Value, yes: Value, no: Value) -> Value {
        self.s.select(condition, yes, no)
    }

    /// The bits of a number.
    pub(super) fn bits_of(&mut self, source: Value) -> Value {
        self.s.bits(source, self.format.int)
    }

    /// The number of these bits.
    pub(super) fn of_bits(&mut self, source: Value) -> Value {
        self.s.bits(source, self.format.float)
    }

    /// Whether the bit of the sign is set.
    pub(super) fn is_negative(&mut self, source: Value) -> Value {
        let (bits, zero) = (self.bits_of(source), self.int(0));
        self.s.compare(bits, Predicate::Less, zero, Signedness::Signed)
    }

    /// The bit of the sign alone.
    pub(super) fn sign_of(&mut self, source: Value) -> Value {
        let (bits, sign) = (self.bits_of(source), self.format.sign());
        let mask = self.s.constant(self.format.int, sign);
        self.s.and(bits, mask)
    }

    /// A number that is not negative, with the sign of another one.
    pub(super) fn with_sign_of(&mut self, magnitude: Value, source: Value) -> Value {
        let sign = self.sign_of(source);
        let bits = self.bits_of(magnitude);
        let signed = self.s.or(bits, sign);
        self.of_bits(signed)
    }

    /// A signed integer of the same size as a number.
    pub(super) fn of_int(&mut self, source: Value) -> Value {
        self.float(ArithOp::IToF {
            source,
            signedness: Signedness::Signed,
            rounding: EXACT,
        })
    }

    /// The nearest integer of a number of at most 2^(stored bits - 2): as a number, and in the low bits of an integer
    /// whose other bits are those of a constant, 0 in the low 22.
    pub(super) fn nearest(&mut self, source: Value) -> (Value, Value) {
        // The last bit of the sum has weight 1.
        let shift = 1.5 * 2_f64.powi(self.format.stored.cast_signed());
        let shift = self.number(shift);
        let sum = self.add(source, shift);
        (self.sub(sum, shift), self.bits_of(sum))
    }

    /// The integer of a [`nearest`](Self::nearest) number.
    pub(super) fn nearest_int(&mut self, bits: Value) -> Value {
        let shift = self
            .format
            .bits(1.5 * 2_f64.powi(self.format.stored.cast_signed()));
        let shift = self.s.constant(self.format.int, shift);
        self.s.sub(bits, shift)
    }

    /// A polynomial, lowest power first, by Horner's rule.
    pub(super) fn polynomial(&mut self, terms: &[f64], at: Value) -> Value {
        let mut terms = terms.iter().rev();
        let mut sum = match terms.next() {
            Some(&last) => self.number(last),
            None => return at,
        };
        for &term in terms {
            let term = self.number(term);
            sum = self.fma(sum, at, term);
        }
        sum
    }

    /// 2^n, for an integer n within the exponents of normal numbers.
    pub(super) fn power_of_two(&mut self, n: Value) -> Value {
        let bias = self.int(i64::from(self.format.bias));
        let stored = self.int(i64::from(self.format.stored));
        let field = self.s.add(n, bias);
        let bits = self.s.shl(field, stored);
        self.of_bits(bits)
    }

    /// A number times 2^n, rounded once; n is within twice the exponents of normal numbers.
    pub(super) fn scaled(&mut self, number: Value, n: Value) -> Value {
        let one = self.int(1);
        let half = self.s.shr_signed(n, one);
        let rest = self.s.sub(n, half);
        // Exact, since it is nearer to 1 than the result.
        let factor = self.power_of_two(half);
        let number = self.mul(number, factor);
        let factor = self.power_of_two(rest);
        self.mul(number, factor)
    }

    /// A sum of two numbers, and its rounding error (Knuth).
    pub(super) fn two_sum(&mut self, a: Value, b: Value) -> Pair {
        let high = self.add(a, b);
        let from_b = self.sub(high, a);
        let from_a = self.sub(high, from_b);
        let (a, b) = (self.sub(a, from_a), self.sub(b, from_b));
        let low = self.add(a, b);
        Pair { high, low }
    }

    /// A sum of two numbers, and its rounding error, if the first is 0 or the greater one (Dekker).
    pub(super) fn ordered_sum(&mut self, a: Value, b: Value) -> Pair {
        let high = self.add(a, b);
        let from_b = self.sub(high, a);
        let low = self.sub(b, from_b);
        Pair { high, low }
    }

    /// A product of two numbers, and its rounding error.
    pub(super) fn two_product(&mut self, a: Value, b: Value) -> Pair {
        let high = self.mul(a, b);
        let negated = self.neg(high);
        let low = self.fma(a, b, negated);
        Pair { high, low }
    }

    /// A product of pairs.
    pub(super) fn pair_product(&mut self, a: Pair, b: Pair) -> Pair {
        let Pair { high, low } = self.two_product(a.high, b.high);
        let low = self.fma(a.high, b.low, low);
        let low = self.fma(a.low, b.high, low);
        self.ordered_sum(high, low)
    }
}
