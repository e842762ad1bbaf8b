//! Float arithmetic.

use tilewright_irs::core::{Flag, Value};
use tilewright_irs::dialects::arith::{ArithOp, FloatRounding, Ordering, Predicate};
use tilewright_irs::element::ScalarType;
use tilewright_irs::isa::{Comparison, OpResult, Rounding, Type};
use tilewright_irs::literal::Literal;
use tilewright_irs::nvvm::{NvvmType, direction, float_instruction, float_type};

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
        match op {
            ArithOp::FloorF { .. } => return Ok(self.integral(ty, at(0), Rounding::Rmi)),
            ArithOp::CeilF { .. } => return Ok(self.integral(ty, at(0), Rounding::Rpi)),
            _ => {}
        }
        let instruction = float_instruction(op, ty, OpResult, at)
            .ok_or_else(|| self.bug(format!("`{}` has no instruction", op.name())))?;
        let result = NvvmType::of_class(ty.class());
        let computed = self.emit(instruction, result);
        let propagates = matches!(
            op,
            ArithOp::MinF {
                propagate_nan: Flag(true),
                ..
            } | ArithOp::MaxF {
                propagate_nan: Flag(true),
                ..
            }
        );
        if ty != Type::F64 || !propagates {
            return Ok(computed);
        }
        // No instruction does it.
        let unordered = self.setp(Comparison::Nan, ty, at(0), at(1));
        let nan = self.literal(Literal::new(ScalarType::F64, 0x7FF8_0000_0000_0000))?;
        Ok(self.selp(result, nan, computed, unordered))
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
