//! Represents the types that only memory and conversions know by types with registers.
//!
//! In: `llvm_like`. Out: no value of an fp8 type, of i4, f4E2M1FN or tf32. Those of up to 8 bits are bytes, 4-bit numbers in the
//! low bits of one, the others zero. A tf32 is the f32 of the same value; memory may hold further bits, which a conversion
//! drops.
//!
//! Conversions to and from these types go through f32, which represents all of their numbers: integer arithmetic on its
//! bits rounds once. f64 and wide integers are first rounded to odd, so that the second rounding is that of the exact
//! number (Boldo and Melquiond, "When double rounding is odd", 2005). Conversions of floats to types of up to 8 bits
//! saturate, infinities included; of integers they overflow to infinity, to NaN if the type has none, to the largest
//! number if it has neither. Where the target has an instruction for a conversion, that is used.

use std::ops::{Deref, DerefMut};

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Body, Flag, Func, OpData, OpId, Operation, Origin, Value};
use tilewright_irs::dialects::arith::{ArithOp, FloatRounding, Predicate, Signedness};
use tilewright_irs::element::ScalarType;
use tilewright_irs::isa::{Ftz, Instruction, OpResult, Relu, Rounding, Sat, Target, Type};
use tilewright_irs::literal::{Dense, Literal};
use tilewright_irs::llvm::{Llvm, LlvmOp, LlvmType};

use super::rewrite::{Rewrite, Rewriter, Rewritten, has_element, rewrite};
use super::scalars::{InOrder, Scalars};

/// Expands types without registers; see [the module](self).
pub fn expand_storage_types(func: &Func<Llvm>) -> Result<Func<Llvm>, Vec<Diagnostic<Origin>>> {
    let target = func.attrs.target;
    rewrite(func, &mut ExpandStorageTypes { target })
}

const F32: ScalarType = ScalarType::F32;
const F64: ScalarType = ScalarType::F64;
const I8: ScalarType = ScalarType::I8;
const I32: ScalarType = ScalarType::I32;
const NEAREST: FloatRounding = FloatRounding::NearestEven;
const UNSIGNED: Signedness = Signedness::Unsigned;
/// The bits of an f32 that is a NaN.
const NAN: u64 = 0x7FC0_0000;
/// The bits of an f32 that a tf32 lacks.
const TF32_REST: u64 = 0x1FFF;

/// A small float format: sign, exponent and fraction from the top bit down, IEEE 754's up to its special codes.
#[derive(Clone, Copy)]
struct Small {
    exponent_bits: u32,
    fraction_bits: u32,
    is_signed: bool,
    /// The codes of the largest number, of a NaN, of infinity.
    largest: u64,
    nan: Option<u64>,
    infinity: Option<u64>,
}

impl Small {
    /// The format of a type; f8E8M0FNU, which has no fraction and no zero, is none of these.
    const fn of(ty: ScalarType) -> Option<Self> {
        let (exponent_bits, fraction_bits, is_signed, largest, nan, infinity) = match ty {
            ScalarType::F8E4M3FN => (4, 3, true, 0x7E, Some(0x7F), None),
            ScalarType::F8E5M2 => (5, 2, true, 0x7B, Some(0x7E), Some(0x7C)),
            ScalarType::F8E5M3FNU => (5, 3, false, 0xFE, Some(0xFF), None),
            ScalarType::F4E2M1FN => (2, 1, true, 0x7, None, None),
            _ => return None,
        };
        Some(Self {
            exponent_bits,
            fraction_bits,
            is_signed,
            largest,
            nan,
            infinity,
        })
    }

    /// The difference of its exponent fields to those of f32.
    const fn rebias(self) -> u64 {
        127 - ((1 << (self.exponent_bits - 1)) - 1)
    }

    /// The fraction bits that it lacks.
    const fn dropped(self) -> u64 {
        23 - self.fraction_bits as u64
    }

    /// The bits of an f32 with the value of a positive normal code.
    const fn widened(self, code: u64) -> u64 {
        (code << self.dropped()) + (self.rebias() << 23)
    }

    /// The place of the sign bit.
    const fn sign(self) -> u64 {
        (self.exponent_bits + self.fraction_bits) as u64
    }
}

/// The type that represents a scalar.
fn carrier(scalar: ScalarType) -> ScalarType {
    match scalar {
        ScalarType::I4
        | ScalarType::F4E2M1FN
        | ScalarType::F8E4M3FN
        | ScalarType::F8E5M2
        | ScalarType::F8E8M0FNU
        | ScalarType::F8E5M3FNU => I8,
        ScalarType::TF32 => F32,
        other => other,
    }
}

/// Whether a float type has negative numbers.
const fn is_signed(ty: ScalarType) -> bool {
    !matches!(ty, ScalarType::F8E8M0FNU | ScalarType::F8E5M3FNU)
}

/// Overflow of a conversion.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Overflow {
    /// Gives the largest number, also for an infinity.
    Saturates,
    /// Gives infinity, or NaN, or the largest number.
    Escapes,
}

struct ExpandStorageTypes {
    target: Target,
}

impl Rewriter for ExpandStorageTypes {
    fn concerns(&self, body: &Body<Llvm>, op: &OpData<Llvm>) -> bool {
        has_element(body, op, |scalar| carrier(scalar) != scalar)
    }

    fn ty(ty: LlvmType) -> LlvmType {
        match ty {
            LlvmType::Scalar(scalar) => LlvmType::Scalar(carrier(scalar)),
            LlvmType::Vector(count, scalar) => LlvmType::Vector(count, carrier(scalar)),
            LlvmType::Ptr(_) | LlvmType::TensorMap | LlvmType::Passed(_) | LlvmType::Struct(_) => ty,
        }
    }

    fn op(&mut self, cx: &mut Rewrite<'_>, id: OpId) -> Rewritten {
        let old = cx.old(id);
        let LlvmOp::Arith(op) = &old.kind else {
            cx.keep(id);
            return Ok(());
        };
        let result = old.result(0);
        let scalar = |value: Value| cx.from.ty(value).scalar();
        let operands = op.operand_list();
        let to = scalar(result);
        let from = operands.first().copied().and_then(scalar).or(to);
        let (Some(from), Some(to)) = (from, to) else {
            cx.keep(id);
            return Ok(());
        };
        if carrier(from) == from && carrier(to) == to {
            cx.keep(id);
            return Ok(());
        }
        let values: Vec<Value> = operands.iter().map(|&value| cx.new_value(value)).collect();
        let mut s = Conversions {
            scalars: Scalars(cx),
            target: self.target,
        };
        match expanded(&mut s, op, &values, from, to) {
            Some(new) => cx.bind(result, new),
            None => cx.keep(id),
        }
        Ok(())
    }
}

/// Emits conversions for a target.
struct Conversions<'a, 'b> {
    scalars: Scalars<'a, 'b>,
    target: Target,
}

impl<'a, 'b> Deref for Conversions<'a, 'b> {
    type Target = Scalars<'a, 'b>;
    fn deref(&self) -> &Self::Target {
        &self.scalars
    }
}

impl DerefMut for Conversions<'_, '_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.scalars
    }
}

impl Conversions<'_, '_> {
    /// The result of an instruction, if the target has it.
    fn instruction(&mut self, instruction: Instruction<Value>, ty: ScalarType) -> Option<Value> {
        let need = instruction.need()?;
        let has = self.target.provides(need);
        has.then(|| self.scalars.0.value(instruction, LlvmType::Scalar(ty)))
    }
}

/// The type of two numbers in a register, of which instructions convert both.
const fn packed(ty: ScalarType) -> Option<Type> {
    match ty {
        ScalarType::F8E4M3FN => Some(Type::E4m3x2),
        ScalarType::F8E5M2 => Some(Type::E5m2x2),
        _ => None,
    }
}

/// The equivalent of an op on carriers; `None` for one that only moves numbers.
fn expanded(
    s: &mut Conversions<'_, '_>,
    op: &ArithOp,
    values: &[Value],
    from: ScalarType,
    to: ScalarType,
) -> Option<Value> {
    let source = values.first().copied();
    Some(match op {
        ArithOp::Constant { value } => {
            let Dense::Splat(literal) = value else { return None };
            let shift = if to == ScalarType::TF32 { 13 } else { 0 };
            let literal = Literal::new(carrier(to), literal.bits << shift);
            s.constant(literal.ty, literal.bits)
        }
        ArithOp::Select { .. } => return None,
        // Numbers of the same size, and so in the same carrier.
        ArithOp::Bitcast { .. } => source?,
        ArithOp::ExtI { signedness, .. } => extended(s, source?, *signedness, from, to),
        ArithOp::TruncI { .. } if to != ScalarType::I4 => s.truncate(source?, to),
        ArithOp::TruncI { .. } => {
            let byte = if from == I8 {
                source?
            } else {
                s.truncate(source?, I8)
            };
            let mask = s.constant(I8, 0xF);
            s.and(byte, mask)
        }
        ArithOp::FToF { rounding, .. } => {
            // The language rounds ties away from zero only to tf32, or if the number is exact.
            let rounding = match rounding {
                FloatRounding::NearestAway if to != ScalarType::TF32 => NEAREST,
                rounding => *rounding,
            };
            let mut source = source?;
            if from == F64 && !is_signed(to) {
                // An unsigned type drops the sign first: the direction is that of the magnitude.
                source = s.abs_float(source);
            }
            let single = to_single(s, source, from, rounding);
            of_single(s, single, rounding, to, Overflow::Saturates)
        }
        ArithOp::IToF {
            signedness, rounding, ..
        } => {
            let single = integer_to_single(s, source?, *signedness, from);
            of_single(s, single, *rounding, to, Overflow::Escapes)
        }
        // Exact in f32: conversions to integers, comparisons.
        _ => {
            let singles: Vec<Value> = values
                .iter()
                .map(|&value| to_single(s, value, from, NEAREST))
                .collect();
            let mut op = op.clone();
            op.remap(&mut InOrder(singles.into_iter()));
            s.op(op, to)
        }
    })
}

/// An integer extended from or to 4 bits.
fn extended(
    s: &mut Conversions<'_, '_>,
    source: Value,
    signedness: Signedness,
    from: ScalarType,
    to: ScalarType,
) -> Value {
    if to == ScalarType::I4 {
        let byte = s.extend(source, signedness, I8);
        let mask = s.constant(I8, 0xF);
        return s.and(byte, mask);
    }
    let byte = if from == ScalarType::I4 && signedness == Signedness::Signed {
        let four = s.constant(I8, 4);
        let high = s.shl(source, four);
        s.shr_signed(high, four)
    } else {
        source
    };
    if to == I8 {
        byte
    } else {
        s.extend(byte, signedness, to)
    }
}

/// A number rounded to f32 such that the result, rounded again, is the number rounded once.
fn odd(s: &mut Conversions<'_, '_>, toward_zero: Value, inexact: Value) -> Value {
    let bits = s.bits(toward_zero, I32);
    let last = s.extend(inexact, UNSIGNED, I32);
    let bits = s.or(bits, last);
    s.bits(bits, F32)
}

/// A float as an f32: exactly, or so that it may be rounded once more.
fn to_single(s: &mut Conversions<'_, '_>, source: Value, from: ScalarType, rounding: FloatRounding) -> Value {
    match from {
        F64 if rounding == NEAREST => {
            let zero = FloatRounding::Zero;
            let cut = s.float(source, zero, F32);
            let back = s.float(cut, NEAREST, F64);
            let inexact = s.compare_floats(back, Predicate::NotEqual, source);
            odd(s, cut, inexact)
        }
        ScalarType::TF32 => {
            let bits = s.bits(source, I32);
            let mask = s.constant(I32, !TF32_REST & I32.mask());
            let bits = s.and(bits, mask);
            s.bits(bits, F32)
        }
        ScalarType::F8E8M0FNU => power_of_two(s, source),
        ScalarType::F8E4M3FN => match (widened(s, source), Small::of(from)) {
            (Some(number), _) => number,
            (None, Some(small)) => decoded(s, source, small),
            (None, None) => source,
        },
        ScalarType::F8E5M2 => {
            // The high byte of the f16 with the same value.
            let wide = s.extend(source, UNSIGNED, ScalarType::I16);
            let eight = s.constant(ScalarType::I16, 8);
            let bits = s.shl(wide, eight);
            let half = s.bits(bits, ScalarType::F16);
            s.float(half, NEAREST, F32)
        }
        _ => match Small::of(from) {
            Some(small) => decoded(s, source, small),
            None => s.float(source, rounding, F32),
        },
    }
}

/// The value of a code of f8E4M3FN, by the instruction that widens two to f16.
fn widened(s: &mut Conversions<'_, '_>, source: Value) -> Option<Value> {
    let pair = s.extend(source, UNSIGNED, ScalarType::I16);
    let widen = Instruction::CvtFromFp8 {
        relu: Relu(false),
        to: Type::F16x2,
        from: Type::E4m3x2,
        d: OpResult,
        a: pair,
    };
    let halves = s.instruction(widen, I32)?;
    let low = s.truncate(halves, ScalarType::I16);
    let half = s.bits(low, ScalarType::F16);
    Some(s.float(half, NEAREST, F32))
}

/// The code of an f32, by the instruction that narrows two with saturation.
fn narrowed(s: &mut Conversions<'_, '_>, source: Value, to: ScalarType, overflow: Overflow) -> Option<Value> {
    let to = packed(to).filter(|_| overflow == Overflow::Saturates)?;
    let zero = s.constant(F32, 0);
    let narrow = Instruction::CvtPackFp8 {
        relu: Relu(false),
        to,
        from: Type::F32,
        d: OpResult,
        a: zero,
        b: source,
    };
    let pair = s.instruction(narrow, ScalarType::I16)?;
    Some(s.truncate(pair, I8))
}

/// The value of a code of f8E8M0FNU: 2^(code - 127).
fn power_of_two(s: &mut Conversions<'_, '_>, source: Value) -> Value {
    let code = s.extend(source, UNSIGNED, I32);
    let place = s.constant(I32, 23);
    let bits = s.shl(code, place);
    let (zero, subnormal) = (s.constant(I32, 0), s.constant(I32, 1 << 22));
    let is_zero = s.compare(code, Predicate::Equal, zero, UNSIGNED);
    let bits = s.select(is_zero, subnormal, bits);
    let (last, nan) = (s.constant(I32, 0xFF), s.constant(I32, NAN));
    let is_last = s.compare(code, Predicate::Equal, last, UNSIGNED);
    let bits = s.select(is_last, nan, bits);
    s.bits(bits, F32)
}

/// The value of a code: its bits at the place of those of an f32, times the power of two that corrects the exponent.
fn decoded(s: &mut Conversions<'_, '_>, source: Value, small: Small) -> Value {
    let code = s.extend(source, UNSIGNED, I32);
    let magnitude = s.constant(I32, (1 << small.sign()) - 1);
    let magnitude = s.and(code, magnitude);
    let place = s.constant(I32, small.dropped());
    let bits = s.shl(magnitude, place);
    let number = s.bits(bits, F32);
    // Exact for subnormal numbers, too.
    let factor = s.constant(F32, (127 + small.rebias()) << 23);
    let mut number = s.mul_float(number, factor);
    if let Some(nan) = small.nan {
        let (last, nan) = (s.constant(I32, nan), s.constant(F32, NAN));
        let is_nan = s.compare(magnitude, Predicate::Equal, last, UNSIGNED);
        number = s.select(is_nan, nan, number);
    }
    if !small.is_signed {
        return number;
    }
    let place = s.constant(I32, 31 - small.sign());
    let sign = s.shl(code, place);
    let mask = s.constant(I32, 1 << 31);
    let sign = s.and(sign, mask);
    let bits = s.bits(number, I32);
    let bits = s.or(bits, sign);
    s.bits(bits, F32)
}

/// An f32 converted to a float type.
fn of_single(
    s: &mut Conversions<'_, '_>,
    source: Value,
    rounding: FloatRounding,
    to: ScalarType,
    overflow: Overflow,
) -> Value {
    match to {
        ScalarType::TF32 => to_tf32(s, source, rounding),
        ScalarType::F8E8M0FNU => to_power_of_two(s, source, rounding, overflow),
        _ => match Small::of(to) {
            Some(small) => match narrowed(s, source, to, overflow) {
                Some(code) => code,
                None => encoded(s, source, small, overflow),
            },
            None => s.float(source, rounding, to),
        },
    }
}

/// An f32 rounded to the bits of a tf32.
fn to_tf32(s: &mut Conversions<'_, '_>, source: Value, rounding: FloatRounding) -> Value {
    let nearest = match rounding {
        FloatRounding::NearestAway => Some(Rounding::Rna),
        FloatRounding::NearestEven => Some(Rounding::Rn),
        FloatRounding::Zero | FloatRounding::Up | FloatRounding::Down => None,
    };
    let convert = Instruction::Cvt {
        rounding: nearest,
        ftz: Ftz(false),
        sat: Sat(false),
        to: Type::Tf32,
        from: Type::F32,
        d: OpResult,
        a: source,
    };
    if let Some(bits) = s.instruction(convert, I32) {
        return s.bits(bits, F32);
    }
    let bits = s.bits(source, I32);
    let bits = match rounding {
        FloatRounding::NearestAway => {
            let half = s.constant(I32, 1 << 12);
            s.add(bits, half)
        }
        FloatRounding::NearestEven => {
            let (below, place, one) = (
                s.constant(I32, (1 << 12) - 1),
                s.constant(I32, 13),
                s.constant(I32, 1),
            );
            let last = s.shr(bits, place);
            let last = s.and(last, one);
            let half = s.add(last, below);
            s.add(bits, half)
        }
        // The language rounds in other directions only if the number is one of tf32.
        FloatRounding::Zero | FloatRounding::Up | FloatRounding::Down => bits,
    };
    let mask = s.constant(I32, !TF32_REST & I32.mask());
    let bits = s.and(bits, mask);
    let rounded = s.bits(bits, F32);
    // The carry would make a number of a NaN.
    let known = s.compare_floats(source, Predicate::Equal, source);
    let nan = s.constant(F32, NAN);
    s.select(known, rounded, nan)
}

/// The magnitude of an f32 rounded to a power of two, up or else down.
fn to_power_of_two(
    s: &mut Conversions<'_, '_>,
    source: Value,
    rounding: FloatRounding,
    overflow: Overflow,
) -> Value {
    let size = s.abs_float(source);
    let bits = s.bits(size, I32);
    let place = s.constant(I32, 23);
    // In the subnormal numbers, 2^-127 has code 0 and is the least.
    let code = match rounding {
        FloatRounding::Up => {
            let least = s.constant(I32, 1 << 22);
            let subnormal = s.constant(I32, 1 << 23);
            let is_subnormal = s.compare(bits, Predicate::Less, subnormal, UNSIGNED);
            let below = s.constant(I32, (1 << 23) - 1);
            let above = s.compare(bits, Predicate::Greater, least, UNSIGNED);
            let small = s.extend(above, UNSIGNED, I32);
            let up = s.add(bits, below);
            let code = s.shr(up, place);
            s.select(is_subnormal, small, code)
        }
        FloatRounding::NearestEven => {
            // Ties go to the even code: up from an odd one.
            let code = s.shr(bits, place);
            let (one, below) = (s.constant(I32, 1), s.constant(I32, (1 << 22) - 1));
            let last = s.and(code, one);
            let half = s.add(last, below);
            let up = s.add(bits, half);
            s.shr(up, place)
        }
        FloatRounding::Zero | FloatRounding::Down | FloatRounding::NearestAway => s.shr(bits, place),
    };
    let most = match overflow {
        Overflow::Saturates => 0xFE,
        Overflow::Escapes => 0xFF,
    };
    let most = s.constant(I32, most);
    let over = s.compare(code, Predicate::Greater, most, UNSIGNED);
    let code = s.select(over, most, code);
    let known = s.compare_floats(source, Predicate::Equal, source);
    let nan = s.constant(I32, 0xFF);
    let code = s.select(known, code, nan);
    s.truncate(code, I8)
}

/// An f32 rounded to the nearest number of a format, ties to even.
fn encoded(s: &mut Conversions<'_, '_>, source: Value, small: Small, overflow: Overflow) -> Value {
    let size = s.abs_float(source);
    // Larger ones round to the largest, or overflow as twice the largest does. A NaN stays as large.
    let most = small.widened(small.largest)
        + match overflow {
            Overflow::Saturates => 0,
            Overflow::Escapes => 1 << 23,
        };
    let most = s.constant(F32, most);
    let larger = s.compare_floats(size, Predicate::Greater, most);
    let bounded = s.select(larger, most, size);
    let bits = s.bits(bounded, I32);
    // Normal: the exponent corrected, and the fraction rounded by a carry.
    let place = s.constant(I32, small.dropped());
    let one = s.constant(I32, 1);
    let last = s.shr(bits, place);
    let last = s.and(last, one);
    let below: u64 = (1 << (small.dropped() - 1)) - 1;
    let correction = s.constant(I32, below.wrapping_sub(small.rebias() << 23) & I32.mask());
    let normal = s.add(bits, correction);
    let normal = s.add(normal, last);
    let normal = s.shr(normal, place);
    // Subnormal: a sum with the number whose last bit has the weight of the format's last one.
    let unit = (small.rebias() + 1 + small.dropped()) << 23;
    let unit_float = s.constant(F32, unit);
    let sum = s.add_float(bounded, unit_float);
    let sum = s.bits(sum, I32);
    let unit = s.constant(I32, unit);
    let subnormal = s.sub(sum, unit);
    let least = s.constant(I32, (small.rebias() + 1) << 23);
    let is_subnormal = s.compare(bits, Predicate::Less, least, UNSIGNED);
    let mut code = s.select(is_subnormal, subnormal, normal);
    if overflow == Overflow::Escapes {
        let largest = s.constant(I32, small.largest);
        let beyond = small.infinity.or(small.nan).unwrap_or(small.largest);
        let beyond = s.constant(I32, beyond);
        let over = s.compare(code, Predicate::Greater, largest, UNSIGNED);
        code = s.select(over, beyond, code);
    }
    let nan = s.constant(I32, small.nan.unwrap_or(small.largest));
    let known = s.compare_floats(source, Predicate::Equal, source);
    if small.is_signed {
        let bits = s.bits(source, I32);
        let place = s.constant(I32, 31);
        let sign = s.shr(bits, place);
        let place = s.constant(I32, small.sign());
        let sign = s.shl(sign, place);
        code = s.or(code, sign);
    }
    let code = s.select(known, code, nan);
    s.truncate(code, I8)
}

/// An integer as an f32 that may be rounded once more.
fn integer_to_single(
    s: &mut Conversions<'_, '_>,
    source: Value,
    signedness: Signedness,
    from: ScalarType,
) -> Value {
    let convert = |rounding| ArithOp::IToF {
        source,
        signedness,
        rounding,
    };
    if from.bits() <= 16 {
        return s.op(convert(NEAREST), F32);
    }
    let cut = s.op(convert(FloatRounding::Zero), F32);
    let back = ArithOp::FToI {
        source: cut,
        signedness,
        saturating: Flag(true),
    };
    let back = s.op(back, from);
    let inexact = s.compare(back, Predicate::NotEqual, source, UNSIGNED);
    odd(s, cut, inexact)
}
