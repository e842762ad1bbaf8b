//! Numeric conversions. Each rounds once: without a direct instruction, the conversion goes through f32 rounded to
//! odd, which preserves the information for the second rounding (Boldo and Melquiond, "When double rounding is odd",
//! 2005; f32 has more than twice the bits of bf16, and the same exponent range).

use tilewright_irs::core::Value;
use tilewright_irs::dialects::arith::{FloatRounding, Signedness};
use tilewright_irs::element::ScalarType as S;
use tilewright_irs::isa::{Comparison, Ftz, Kind, OpResult, Rounding, Sat, Type};
use tilewright_irs::literal::Literal;
use tilewright_irs::nvvm::{Instruction as I, NvvmType};

use super::integer::int_type;
use super::selector::{Problem, Selector};

impl Selector<'_> {
    /// A conversion instruction.
    pub(super) fn cvt(&mut self, rounding: Option<Rounding>, to: Type, from: Type, source: Value) -> Value {
        let ty = match to {
            Type::U8 | Type::S8 => NvvmType::B8,
            _ => NvvmType::of_class(to.class()),
        };
        self.emit(
            I::Cvt {
                rounding,
                ftz: Ftz(false),
                sat: Sat(false),
                to,
                from,
                d: OpResult,
                a: source,
            },
            ty,
        )
    }

    /// An f16 or bf16 as f32, exactly.
    pub(super) fn widen_to_f32(&mut self, from: Type, source: Value) -> Value {
        self.cvt(None, Type::F32, from, source)
    }

    fn mov_bits(&mut self, ty: Type, source: Value, result: NvvmType) -> Value {
        self.emit(
            I::Mov {
                ty,
                d: OpResult,
                a: source,
            },
            result,
        )
    }

    /// An f64 or an integer converted to f32, rounded to odd: toward zero, with the last bit set if inexact.
    fn odd_f32(&mut self, from: Type, source: Value) -> Result<Value, Problem> {
        let rounded = self.cvt(Some(Rounding::Rz), Type::F32, from, source);
        let back = match from.kind() {
            Kind::Float => self.cvt(None, from, Type::F32, rounded),
            _ => self.cvt(Some(Rounding::Rzi), from, Type::F32, rounded),
        };
        // An ordered comparison: NaN is kept.
        let inexact = self.setp(Comparison::Ne, from, back, source);
        let bits = self.mov_bits(Type::B32, rounded, NvvmType::B32);
        let one = self.literal(Literal::i32(1))?;
        let odd = self.emit(
            I::Or {
                ty: Type::B32,
                d: OpResult,
                a: bits,
                b: one,
            },
            NvvmType::B32,
        );
        let chosen = self.selp(NvvmType::B32, odd, bits, inexact);
        Ok(self.mov_bits(Type::B32, chosen, NvvmType::F32))
    }

    /// A float converted to another float type, rounded once.
    pub(super) fn float_to_float(
        &mut self,
        source: Value,
        result: Value,
        rounding: FloatRounding,
    ) -> Result<Value, Problem> {
        let (from, to) = (self.float_type_of(source)?, self.float_type_of(result)?);
        let value = self.register(source)?;
        if from == to {
            return Ok(value);
        }
        match (from, to) {
            (Type::Bf16, Type::F64) => {
                let wide = self.widen_to_f32(from, value);
                Ok(self.cvt(None, to, Type::F32, wide))
            }
            (Type::F16 | Type::Bf16, Type::F16 | Type::Bf16) => {
                let wide = self.widen_to_f32(from, value);
                let rounding = self.rounding(rounding)?;
                Ok(self.cvt(Some(rounding), to, Type::F32, wide))
            }
            (Type::F64, Type::Bf16) => {
                let rounding = self.rounding(rounding)?;
                let odd = self.odd_f32(from, value)?;
                Ok(self.cvt(Some(rounding), to, Type::F32, odd))
            }
            _ if to.bits() > from.bits() => Ok(self.cvt(None, to, from, value)),
            _ => {
                let rounding = self.rounding(rounding)?;
                Ok(self.cvt(Some(rounding), to, from, value))
            }
        }
    }

    /// A float truncated to an integer.
    ///
    /// The instruction clamps to the range of its type. It converts NaN to zero unless f64 or 64 bits are involved
    /// (PTX ISA, `cvt`), which matters for saturation.
    pub(super) fn float_to_integer(
        &mut self,
        source: Value,
        result: Value,
        signedness: Signedness,
        saturating: bool,
    ) -> Result<Value, Problem> {
        let mut from = self.float_type_of(source)?;
        let mut value = self.register(source)?;
        let to = self.scalar(result)?;
        if from == Type::Bf16 || (from == Type::F16 && matches!(to, S::I8 | S::I1)) {
            value = self.widen_to_f32(from, value);
            from = Type::F32;
        }
        if to == S::I1 {
            return self.float_to_bit(from, value, signedness);
        }
        let Some(ty) = int_type(to, signedness) else {
            return Err(self.bug(format!("no conversion of a float to `{to}`")));
        };
        let clamped = self.cvt(Some(Rounding::Rzi), ty, from, value);
        if !saturating || (from != Type::F64 && to != S::I64) {
            return Ok(clamped);
        }
        let nan = self.setp(Comparison::Nan, from, value, value);
        let zero = self.literal(Literal::new(to, 0))?;
        let ty = *self.to.ty(clamped);
        Ok(self.selp(ty, zero, clamped, nan))
    }

    /// One bit represents 0 and 1, or signed 0 and -1: the integral part is at least 1, or at most -1.
    fn float_to_bit(&mut self, from: Type, value: Value, signedness: Signedness) -> Result<Value, Problem> {
        let (comparison, bound): (_, f32) = match signedness {
            Signedness::Unsigned => (Comparison::Ge, 1.0),
            Signedness::Signed => (Comparison::Le, -1.0),
        };
        let bound = if from == Type::F64 {
            Literal::new(S::F64, f64::from(bound).to_bits())
        } else {
            Literal::new(S::F32, u64::from(bound.to_bits()))
        };
        let bound = self.literal(bound)?;
        Ok(self.setp(comparison, from, value, bound))
    }

    /// An integer converted to a float, rounded once.
    pub(super) fn integer_to_float(
        &mut self,
        source: Value,
        result: Value,
        signedness: Signedness,
        rounding: FloatRounding,
    ) -> Result<Value, Problem> {
        let from = self.scalar(source)?;
        let to = self.float_type_of(result)?;
        let value = self.register(source)?;
        let rounding = self.rounding(rounding)?;
        let Some(ty) = int_type(from, signedness) else {
            return self.bit_to_float(self.scalar(result)?, value, signedness);
        };
        if to != Type::Bf16 {
            return Ok(self.cvt(Some(rounding), to, ty, value));
        }
        let single = match from {
            // Exact in f32.
            S::I8 | S::I16 => self.cvt(Some(Rounding::Rn), Type::F32, ty, value),
            _ => self.odd_f32(ty, value)?,
        };
        Ok(self.cvt(Some(rounding), to, Type::F32, single))
    }

    fn bit_to_float(&mut self, to: S, value: Value, signedness: Signedness) -> Result<Value, Problem> {
        let one = match to {
            S::F16 => 0x3C00,
            S::BF16 => 0x3F80,
            S::F32 => 0x3F80_0000,
            _ => 0x3FF0_0000_0000_0000,
        };
        let sign = match signedness {
            Signedness::Unsigned => 0,
            Signedness::Signed => 1 << (to.bits() - 1),
        };
        let yes = self.literal(Literal::new(to, one | sign))?;
        let no = self.literal(Literal::new(to, 0))?;
        let ty = *self.to.ty(yes);
        Ok(self.selp(ty, yes, no, value))
    }

    /// Sign or zero extension.
    pub(super) fn extend(
        &mut self,
        source: Value,
        result: Value,
        signedness: Signedness,
    ) -> Result<Value, Problem> {
        let (from, to) = (self.scalar(source)?, self.scalar(result)?);
        let value = self.register(source)?;
        let Some(source_type) = int_type(from, signedness) else {
            let ones = if signedness == Signedness::Signed {
                u64::MAX
            } else {
                1
            };
            let yes = self.literal(Literal::new(to, ones))?;
            let no = self.literal(Literal::new(to, 0))?;
            let ty = *self.to.ty(yes);
            return Ok(self.selp(ty, yes, no, value));
        };
        let Some(result_type) = int_type(to, signedness) else {
            return Err(self.bug(format!("no integer extends to `{to}`")));
        };
        Ok(self.cvt(None, result_type, source_type, value))
    }

    /// The low bits of an integer.
    pub(super) fn truncate(&mut self, source: Value, result: Value) -> Result<Value, Problem> {
        let (from, to) = (self.scalar(source)?, self.scalar(result)?);
        let value = self.register(source)?;
        if to == S::I1 {
            return self.low_bit(from, value);
        }
        match (int_type(from, Signedness::Unsigned), to) {
            // The high bits of an i8's register are not significant.
            (Some(Type::U16), S::I8) => Ok(value),
            (Some(wide), S::I8 | S::I16) => Ok(self.cvt(None, Type::U16, wide, value)),
            (Some(wide), S::I32) => Ok(self.cvt(None, Type::U32, wide, value)),
            _ => Err(self.bug(format!("no truncation of `{from}` to `{to}`"))),
        }
    }

    fn low_bit(&mut self, from: S, value: Value) -> Result<Value, Problem> {
        let (scalar, ty) = match from {
            S::I8 | S::I16 => (S::I16, Type::B16),
            S::I32 => (S::I32, Type::B32),
            S::I64 => (S::I64, Type::B64),
            _ => return Err(self.bug(format!("no truncation of `{from}` to `i1`"))),
        };
        let one = self.literal(Literal::new(scalar, 1))?;
        let bit = self.emit(
            I::And {
                ty,
                d: OpResult,
                a: value,
                b: one,
            },
            NvvmType::of_class(ty.class()),
        );
        let zero = self.literal(Literal::new(scalar, 0))?;
        Ok(self.setp(Comparison::Ne, ty, bit, zero))
    }

    /// Moves the bits to a register of the new type.
    pub(super) fn bitcast(&mut self, source: Value, result: Value) -> Result<Value, Problem> {
        let types = self.register_types(self.old_type(result))?;
        let value = self.register(source)?;
        let have = *self.to.ty(value);
        match types.as_slice() {
            [want] if want.class() == have.class() => Ok(value),
            [want] => {
                let ty = if want.class().bits() == 64 {
                    Type::B64
                } else {
                    Type::B32
                };
                Ok(self.mov_bits(ty, value, *want))
            }
            _ => Err(self.bug("a bitcast gives one scalar")),
        }
    }
}
