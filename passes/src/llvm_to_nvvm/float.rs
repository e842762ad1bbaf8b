//! Float arithmetic.

use tilewright_irs::core::{Flag, Value};
use tilewright_irs::dialects::arith::{ArithOp, FloatRounding, Ordering, Predicate};
use tilewright_irs::element::ScalarType;
use tilewright_irs::isa::{Approximation, Comparison, Ftz, Nan, OpResult, Relu, Rounding, Sat, Type};
use tilewright_irs::literal::Literal;
use tilewright_irs::nvvm::{Instruction as I, NvvmType, direction, float_type, precision};

use super::selector::{Problem, Selector};

impl Selector<'_> {
    /// The PTX type of a float value.
    pub(super) fn float_type_of(&self, value: Value) -> Result<Type, Problem> {
        let scalar = self.scalar(value)?;
        float_type(scalar).ok_or_else(|| self.bug(format!("`{scalar}` is no float in a register")))
    }

    /// The rounding mode; an error if the hardware lacks it.
    pub(super) fn rounding(&self, rounding: FloatRounding) -> Result<Rounding, Problem> {
        direction(rounding).ok_or_else(|| self.bug(format!("no instruction rounds `{rounding}`")))
    }

    /// Selects ops whose operands and result have the same float type.
    pub(super) fn float(&mut self, op: &ArithOp) -> Result<Value, Problem> {
        use tilewright_irs::core::Operation;
        let operands = op.operand_list();
        let Some(&first) = operands.first() else {
            return Err(self.bug("a float op without operands"));
        };
        let ty = self.float_type_of(first)?;
        let values = operands
            .iter()
            .map(|&v| self.register(v))
            .collect::<Result<Vec<_>, _>>()?;
        let at = |i: usize| values.get(i).copied().unwrap_or(values[0]);
        let (lhs, rhs) = (at(0), at(1));
        let sat = Sat(false);
        let selected = match *op {
            ArithOp::AddF {
                rounding,
                flush_to_zero: ftz,
                ..
            } => I::Add {
                rounding: Some(self.rounding(rounding)?),
                ftz: Ftz(ftz.0),
                sat,
                ty,
                d: OpResult,
                a: lhs,
                b: rhs,
            },
            ArithOp::SubF {
                rounding,
                flush_to_zero: ftz,
                ..
            } => I::Sub {
                rounding: Some(self.rounding(rounding)?),
                ftz: Ftz(ftz.0),
                sat,
                ty,
                d: OpResult,
                a: lhs,
                b: rhs,
            },
            ArithOp::MulF {
                rounding,
                flush_to_zero: ftz,
                ..
            } => I::Mul {
                part: None,
                rounding: Some(self.rounding(rounding)?),
                ftz: Ftz(ftz.0),
                sat,
                ty,
                d: OpResult,
                a: lhs,
                b: rhs,
            },
            ArithOp::Fma {
                rounding,
                flush_to_zero: ftz,
                ..
            } => I::Fma {
                rounding: self.rounding(rounding)?,
                ftz: Ftz(ftz.0),
                sat,
                relu: Relu(false),
                ty,
                d: OpResult,
                a: lhs,
                b: rhs,
                c: at(2),
            },
            ArithOp::DivF {
                precision: p,
                flush_to_zero: ftz,
                ..
            } => {
                let (approximation, rounding) = precision(p);
                I::Div {
                    approximation,
                    rounding,
                    ftz: Ftz(ftz.0),
                    ty,
                    d: OpResult,
                    a: lhs,
                    b: rhs,
                }
            }
            ArithOp::SqrtF {
                precision: p,
                flush_to_zero: ftz,
                ..
            } => {
                let (approximation, rounding) = precision(p);
                I::Sqrt {
                    approximation,
                    rounding,
                    ftz: Ftz(ftz.0),
                    ty,
                    d: OpResult,
                    a: lhs,
                }
            }
            ArithOp::RsqrtF {
                flush_to_zero: ftz, ..
            } => I::Rsqrt {
                approximation: Approximation::Approx,
                ftz: Ftz(ftz.0),
                ty,
                d: OpResult,
                a: lhs,
            },
            ArithOp::MinF {
                propagate_nan,
                flush_to_zero: ftz,
                ..
            } => {
                return self.min_or_max(ty, lhs, rhs, propagate_nan, |nan| I::Min {
                    ftz: Ftz(ftz.0),
                    nan,
                    ty,
                    d: OpResult,
                    a: lhs,
                    b: rhs,
                });
            }
            ArithOp::MaxF {
                propagate_nan,
                flush_to_zero: ftz,
                ..
            } => {
                return self.min_or_max(ty, lhs, rhs, propagate_nan, |nan| I::Max {
                    ftz: Ftz(ftz.0),
                    nan,
                    ty,
                    d: OpResult,
                    a: lhs,
                    b: rhs,
                });
            }
            ArithOp::NegF { .. } => I::Neg {
                ftz: Ftz(false),
                ty,
                d: OpResult,
                a: lhs,
            },
            ArithOp::AbsF { .. } => I::Abs {
                ftz: Ftz(false),
                ty,
                d: OpResult,
                a: lhs,
            },
            ArithOp::FloorF { .. } => return Ok(self.integral(ty, lhs, Rounding::Rmi)),
            ArithOp::CeilF { .. } => return Ok(self.integral(ty, lhs, Rounding::Rpi)),
            _ => return Err(self.bug(format!("`{}` has no instruction", op.name()))),
        };
        Ok(self.emit(selected, NvvmType::of_class(ty.class())))
    }

    /// Minimum or maximum. The instruction orders zeros as `arith` does; f64 has no form that propagates NaN.
    fn min_or_max(
        &mut self,
        ty: Type,
        lhs: Value,
        rhs: Value,
        propagate: Flag,
        make: impl FnOnce(Nan) -> I,
    ) -> Result<Value, Problem> {
        let result = NvvmType::of_class(ty.class());
        if ty != Type::F64 || !propagate.0 {
            return Ok(self.emit(make(Nan(propagate.0)), result));
        }
        let number = self.emit(make(Nan(false)), result);
        let unordered = self.setp(Comparison::Nan, ty, lhs, rhs);
        let nan = self.literal(Literal::new(ScalarType::F64, 0x7FF8_0000_0000_0000))?;
        Ok(self.selp(result, nan, number, unordered))
    }

    /// Rounds to an integral value. That of a bf16 is a bf16, so conversion through f32 is exact.
    fn integral(&mut self, ty: Type, source: Value, rounding: Rounding) -> Value {
        if ty == Type::Bf16 {
            let wide = self.widen_to_f32(ty, source);
            let whole = self.cvt(Some(rounding), Type::F32, Type::F32, wide);
            return self.cvt(Some(Rounding::Rn), Type::Bf16, Type::F32, whole);
        }
        self.cvt(Some(rounding), ty, ty, source)
    }

    /// Compares floats; bf16 as f32.
    pub(super) fn compare_floats(
        &mut self,
        lhs: Value,
        rhs: Value,
        predicate: Predicate,
        ordering: Ordering,
    ) -> Result<Value, Problem> {
        let mut ty = self.float_type_of(lhs)?;
        let (mut lhs, mut rhs) = (self.register(lhs)?, self.register(rhs)?);
        if ty == Type::Bf16 {
            (lhs, rhs) = (self.widen_to_f32(ty, lhs), self.widen_to_f32(ty, rhs));
            ty = Type::F32;
        }
        let comparison = match (predicate, ordering) {
            (Predicate::Equal, Ordering::Ordered) => Comparison::Eq,
            (Predicate::NotEqual, Ordering::Ordered) => Comparison::Ne,
            (Predicate::Less, Ordering::Ordered) => Comparison::Lt,
            (Predicate::LessEqual, Ordering::Ordered) => Comparison::Le,
            (Predicate::Greater, Ordering::Ordered) => Comparison::Gt,
            (Predicate::GreaterEqual, Ordering::Ordered) => Comparison::Ge,
            (Predicate::Equal, Ordering::Unordered) => Comparison::Equ,
            (Predicate::NotEqual, Ordering::Unordered) => Comparison::Neu,
            (Predicate::Less, Ordering::Unordered) => Comparison::Ltu,
            (Predicate::LessEqual, Ordering::Unordered) => Comparison::Leu,
            (Predicate::Greater, Ordering::Unordered) => Comparison::Gtu,
            (Predicate::GreaterEqual, Ordering::Unordered) => Comparison::Geu,
        };
        Ok(self.setp(comparison, ty, lhs, rhs))
    }
}
