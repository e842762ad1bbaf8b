//! Elementary functions that are composed of others.
//!
//! f16 and bf16 are computed in f32. The exact ones are exact. The others are accurate to 4 units in the last place, as long as what they
//! are composed of is: exponentials and logarithms near one are corrected by what rounding took from their operands (W. Kahan), cube
//! roots by a step of Newton's method.

use tilewright_irs::core::{Flag, Value, ValueType as _};
use tilewright_irs::cute_desugared::DesugaredType;
use tilewright_irs::dialects::arith::{ArithOp, FloatRounding, Ordering, Precision, Predicate};
use tilewright_irs::dialects::fast_math::FastMathOf;
use tilewright_irs::dialects::math::MathOp;
use tilewright_irs::element::ScalarType;

use super::floats::{copy_sign, float, product};
use super::state::Cx;

/// A function of one float.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Composed {
    /// The next integer towards zero.
    Trunc,
    /// The nearest integer, of two the one that is farther from zero.
    Round,
    /// The nearest integer, of two the even one.
    RoundEven,
    /// The power of Euler's number, less one.
    ExpM1,
    /// The logarithm of a number and one.
    Log1P,
    /// The number whose hyperbolic sine this is.
    Asinh,
    /// The number whose hyperbolic cosine this is.
    Acosh,
    /// The number whose hyperbolic tangent this is.
    Atanh,
    /// The cube root.
    Cbrt,
}

/// The value of a function, of a type of floats; `None` if the type is another.
pub(super) fn composed(
    cx: &mut Cx<'_>,
    function: Composed,
    source: Value,
    ty: &DesugaredType,
) -> Option<Value> {
    let own = ty.element()?.scalar().filter(|scalar| scalar.is_float())?;
    let scalar = match own {
        ScalarType::F64 => own,
        ScalarType::F16 | ScalarType::BF16 | ScalarType::F32 => ScalarType::F32,
        _ => return None,
    };
    let rounding = FloatRounding::NearestEven;
    let wide = ty.with_element(scalar.into());
    let x = match own == scalar {
        true => source,
        false => cx.value(ArithOp::FToF { source, rounding }, wide.clone()),
    };
    let mut of = Floats { cx, ty: wide, scalar };
    let value = match function {
        Composed::Trunc => of.trunc(x)?,
        Composed::Round => of.round(x)?,
        Composed::RoundEven => of.round_even(x)?,
        Composed::ExpM1 => of.exp_m1(x)?,
        Composed::Log1P => of.log_1p(x)?,
        Composed::Asinh => of.asinh(x)?,
        Composed::Acosh => of.acosh(x)?,
        Composed::Atanh => of.atanh(x)?,
        Composed::Cbrt => of.cbrt(x)?,
    };
    Some(match own == scalar {
        true => value,
        false => cx.value(
            ArithOp::FToF {
                source: value,
                rounding,
            },
            ty.clone(),
        ),
    })
}

/// Builds arithmetic of one type.
struct Floats<'c, 'a> {
    cx: &'c mut Cx<'a>,
    ty: DesugaredType,
    scalar: ScalarType,
}

impl Floats<'_, '_> {
    fn number(&mut self, number: f64) -> Option<Value> {
        float(self.cx, &self.ty, number)
    }

    fn value(&mut self, op: ArithOp) -> Value {
        self.cx.value(op, self.ty.clone())
    }

    fn add(&mut self, lhs: Value, rhs: Value) -> Value {
        self.value(ArithOp::AddF {
            lhs,
            rhs,
            rounding: FloatRounding::NearestEven,
            flush_to_zero: Flag(false),
            fast_math: FastMathOf::NONE,
        })
    }

    fn sub(&mut self, lhs: Value, rhs: Value) -> Value {
        self.value(ArithOp::SubF {
            lhs,
            rhs,
            rounding: FloatRounding::NearestEven,
            flush_to_zero: Flag(false),
            fast_math: FastMathOf::NONE,
        })
    }

    fn mul(&mut self, lhs: Value, rhs: Value) -> Value {
        product(self.cx, lhs, rhs, self.ty.clone())
    }

    /// A product and a sum, rounded once.
    fn fma(&mut self, lhs: Value, rhs: Value, acc: Value) -> Value {
        self.value(ArithOp::Fma {
            lhs,
            rhs,
            acc,
            rounding: FloatRounding::NearestEven,
            flush_to_zero: Flag(false),
            fast_math: FastMathOf::NONE,
        })
    }

    fn div(&mut self, lhs: Value, rhs: Value) -> Value {
        self.value(ArithOp::DivF {
            lhs,
            rhs,
            precision: Precision::NearestEven,
            flush_to_zero: Flag(false),
            fast_math: FastMathOf::NONE,
        })
    }

    fn sqrt(&mut self, source: Value) -> Value {
        self.value(ArithOp::SqrtF {
            source,
            precision: Precision::NearestEven,
            flush_to_zero: Flag(false),
            fast_math: FastMathOf::NONE,
        })
    }

    fn abs(&mut self, source: Value) -> Value {
        let fast_math = FastMathOf::NONE;
        self.value(ArithOp::AbsF { source, fast_math })
    }

    fn exp(&mut self, source: Value) -> Value {
        let (approximate, fast_math) = (Flag(false), FastMathOf::NONE);
        let op = MathOp::Exp {
            source,
            approximate,
            fast_math,
        };
        self.cx.value(op, self.ty.clone())
    }

    fn log(&mut self, source: Value) -> Value {
        let fast_math = FastMathOf::NONE;
        self.cx.value(MathOp::Log { source, fast_math }, self.ty.clone())
    }

    /// One of two, as two numbers compare; the second where one of them is no number.
    fn choose(&mut self, (lhs, predicate, rhs): (Value, Predicate, Value), yes: Value, no: Value) -> Value {
        let compare = ArithOp::CmpF {
            lhs,
            rhs,
            predicate,
            ordering: Ordering::Ordered,
            fast_math: FastMathOf::NONE,
        };
        let condition = self
            .cx
            .value(compare, self.ty.with_element(ScalarType::I1.into()));
        self.value(ArithOp::Select { condition, yes, no })
    }

    fn signed(&mut self, magnitude: Value, sign: Value) -> Option<Value> {
        copy_sign(self.cx, magnitude, sign, &self.ty)
    }

    fn trunc(&mut self, x: Value) -> Option<Value> {
        let source = self.abs(x);
        let fast_math = FastMathOf::NONE;
        let below = self.value(ArithOp::FloorF { source, fast_math });
        self.signed(below, x)
    }

    fn round(&mut self, x: Value) -> Option<Value> {
        let source = self.abs(x);
        let fast_math = FastMathOf::NONE;
        let below = self.value(ArithOp::FloorF { source, fast_math });
        // Exact.
        let rest = self.sub(source, below);
        let (half, one) = (self.number(0.5)?, self.number(1.0)?);
        let above = self.add(below, one);
        let nearest = self.choose((rest, Predicate::GreaterEqual, half), above, below);
        self.signed(nearest, x)
    }

    fn round_even(&mut self, x: Value) -> Option<Value> {
        // From there on all floats are integers.
        let size = self.abs(x);
        let limit = self.number(match self.scalar {
            ScalarType::F64 => 4_503_599_627_370_496.0,
            _ => 8_388_608.0,
        })?;
        let shifted = self.add(size, limit);
        let nearest = self.sub(shifted, limit);
        let nearest = self.choose((size, Predicate::Less, limit), nearest, size);
        self.signed(nearest, x)
    }

    fn exp_m1(&mut self, x: Value) -> Option<Value> {
        let one = self.number(1.0)?;
        let power = self.exp(x);
        let less = self.sub(power, one);
        // What `power` is the exact power of, is its logarithm.
        let log = self.log(power);
        let ratio = self.div(x, log);
        let result = self.mul(less, ratio);
        let small = self.choose((power, Predicate::Equal, one), x, result);
        // Far from zero nothing is to be corrected: the ends and what is no number are those of `less`.
        let (far, size) = (self.number(1.0)?, self.abs(x));
        self.choose((size, Predicate::Less, far), small, less).into()
    }

    fn log_1p(&mut self, x: Value) -> Option<Value> {
        let one = self.number(1.0)?;
        let sum = self.add(x, one);
        let log = self.log(sum);
        let rest = self.sub(sum, one);
        let ratio = self.div(x, rest);
        let result = self.mul(log, ratio);
        let small = self.choose((sum, Predicate::Equal, one), x, result);
        let (far, size) = (self.number(1.0)?, self.abs(x));
        self.choose((size, Predicate::Less, far), small, log).into()
    }

    fn asinh(&mut self, x: Value) -> Option<Value> {
        let size = self.abs(x);
        let one = self.number(1.0)?;
        let square = self.mul(size, size);
        let sum = self.add(square, one);
        let root = self.sqrt(sum);
        let below = self.add(root, one);
        let quotient = self.div(square, below);
        let argument = self.add(size, quotient);
        let near = self.log_1p(argument)?;
        let far = self.log_of_double(size)?;
        let limit = self.number(LARGE)?;
        let result = self.choose((size, Predicate::Less, limit), near, far);
        self.signed(result, x)
    }

    fn acosh(&mut self, x: Value) -> Option<Value> {
        let one = self.number(1.0)?;
        let above = self.sub(x, one);
        let two = self.number(2.0)?;
        let sum = self.add(above, two);
        let square = self.mul(above, sum);
        let root = self.sqrt(square);
        let argument = self.add(above, root);
        let near = self.log_1p(argument)?;
        let far = self.log_of_double(x)?;
        let limit = self.number(LARGE)?;
        let result = self.choose((x, Predicate::Less, limit), near, far);
        let none = self.number(f64::NAN)?;
        self.choose((x, Predicate::GreaterEqual, one), result, none)
            .into()
    }

    /// The logarithm of two times a number, which may be too large to be doubled.
    fn log_of_double(&mut self, x: Value) -> Option<Value> {
        let log = self.log(x);
        let two = self.number(std::f64::consts::LN_2)?;
        Some(self.add(log, two))
    }

    fn atanh(&mut self, x: Value) -> Option<Value> {
        let size = self.abs(x);
        let one = self.number(1.0)?;
        let double = self.add(size, size);
        let rest = self.sub(one, size);
        let argument = self.div(double, rest);
        let log = self.log_1p(argument)?;
        let half = self.number(0.5)?;
        let result = self.mul(log, half);
        self.signed(result, x)
    }

    fn cbrt(&mut self, x: Value) -> Option<Value> {
        let size = self.abs(x);
        let one = self.number(1.0)?;
        // Small numbers are scaled, so that cubes are no subnormal numbers.
        let (scale, back) = match self.scalar {
            ScalarType::F64 => (162, -54),
            _ => (72, -24),
        };
        let (scale, back) = (self.number(2f64.powi(scale))?, self.number(2f64.powi(back))?);
        let larger = self.mul(size, scale);
        let scaled = self.choose((size, Predicate::Less, one), larger, size);
        let (source, fast_math) = (scaled, FastMathOf::NONE);
        let log = self.cx.value(MathOp::Log2 { source, fast_math }, self.ty.clone());
        let third = self.number(1.0 / 3.0)?;
        let exponent = self.mul(log, third);
        let power = MathOp::Exp2 {
            source: exponent,
            flush_to_zero: Flag(false),
            fast_math,
        };
        let root = self.cx.value(power, self.ty.clone());
        let square = self.mul(root, root);
        let negative = self.value(ArithOp::NegF {
            source: scaled,
            fast_math: FastMathOf::NONE,
        });
        let excess = self.fma(square, root, negative);
        let three = self.number(3.0)?;
        let slope = self.mul(square, three);
        let step = self.div(excess, slope);
        let better = self.sub(root, step);
        let smaller = self.mul(better, back);
        let result = self.choose((size, Predicate::Less, one), smaller, better);
        // Zeros and infinities are their own roots.
        let zero = self.number(0.0)?;
        let infinite = self.number(f64::INFINITY)?;
        let result = self.choose((size, Predicate::Equal, infinite), size, result);
        let result = self.choose((size, Predicate::Equal, zero), size, result);
        self.signed(result, x)
    }
}

/// From there on the square of a number hides one.
const LARGE: f64 = 1_073_741_824.0;
