//! Promotes f16 and bf16 arithmetic that the target lacks to f32.
//!
//! In: `llvm_like`. Out: no op on f16 and bf16 that is not [`native`], except rounding to nearest with ties away from
//! zero, which no target has.
//!
//! Results are correctly rounded. To nearest: f32 has at least 2p + 2 bits for the p bits of f16 (11) and bf16 (8),
//! so that double rounding of sums, differences, products, quotients and square roots is innocuous (Figueroa, "When
//! is double rounding innocuous?", 1995); `arith.fma` to nearest is native everywhere and never promoted. In a
//! directed mode: double rounding in the same direction equals single rounding, since every value of the narrow type
//! is one of f32.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Body, Func, OpData, OpId, Operation, Origin, Value, ValueType};
use tilewright_irs::dialects::arith::{ArithOp, FloatRounding, Precision, Predicate, Signedness};
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::llvm::{Llvm, LlvmOp, LlvmType};
use tilewright_irs::nvvm::native;
use tilewright_irs::ptx::Target;

use super::rewrite::{Rewrite, Rewriter, Rewritten, has_element, rewrite};
use super::scalars::{InOrder, Scalars};

/// Promotes the arithmetic of small floats; see [the module](self).
pub fn legalize_small_floats(func: &Func<Llvm>) -> Result<Func<Llvm>, Vec<Diagnostic<Origin>>> {
    let target = func.attrs.target;
    rewrite(func, &mut LegalizeSmallFloats { target })
}

struct LegalizeSmallFloats {
    target: Target,
}

const F32: ScalarType = ScalarType::F32;
const I32: ScalarType = ScalarType::I32;

fn is_small(scalar: ScalarType) -> bool {
    matches!(scalar, ScalarType::F16 | ScalarType::BF16)
}

/// The rounding of the f32 result to the small type.
fn rounding(op: &ArithOp) -> FloatRounding {
    let of = |precision: Precision| match precision {
        Precision::NearestEven | Precision::Approx | Precision::Full => FloatRounding::NearestEven,
        Precision::Zero => FloatRounding::Zero,
        Precision::Down => FloatRounding::Down,
        Precision::Up => FloatRounding::Up,
    };
    match op {
        ArithOp::AddF { rounding, .. }
        | ArithOp::SubF { rounding, .. }
        | ArithOp::MulF { rounding, .. }
        | ArithOp::Fma { rounding, .. }
        | ArithOp::FToF { rounding, .. }
        | ArithOp::IToF { rounding, .. } => *rounding,
        ArithOp::DivF { precision, .. } | ArithOp::SqrtF { precision, .. } => of(*precision),
        // Exact, or an approximation anyway.
        _ => FloatRounding::NearestEven,
    }
}

impl Rewriter for LegalizeSmallFloats {
    fn concerns(&self, body: &Body<Llvm>, op: &OpData<Llvm>) -> bool {
        has_element(body, op, is_small)
    }

    fn op(&mut self, cx: &mut Rewrite<'_>, id: OpId) -> Rewritten {
        let old = cx.old(id);
        let scalar = |value: Value| cx.from.ty(value).element().and_then(ElementType::scalar);
        let LlvmOp::Arith(op) = &old.kind else {
            cx.keep(id);
            return Ok(());
        };
        let result = old.result(0);
        let operands = op.operand_list();
        let to = scalar(result);
        let from = operands.first().copied().and_then(scalar).or(to);
        let (Some(from), Some(to)) = (from, to) else {
            cx.keep(id);
            return Ok(());
        };
        let same = |known: bool| {
            known
                || matches!(
                    op,
                    ArithOp::Constant { .. } | ArithOp::Select { .. } | ArithOp::Bitcast { .. }
                )
        };
        let small = is_small(from) || is_small(to);
        if !small || same(native(op, from, to, self.target)) || rounding(op) == FloatRounding::NearestAway {
            cx.keep(id);
            return Ok(());
        }
        let values: Vec<Value> = operands.iter().map(|&value| cx.new_value(value)).collect();
        let new = self.widened(&mut Scalars(cx), op, &values, to);
        cx.bind(result, new);
        Ok(())
    }
}

impl LegalizeSmallFloats {
    fn widened(&self, s: &mut Scalars<'_, '_>, op: &ArithOp, values: &[Value], to: ScalarType) -> Value {
        let rounding = rounding(op);
        let wide: Vec<Value> = values
            .iter()
            .map(|&value| match s.0.ty(value) {
                LlvmType::Scalar(scalar) if is_small(scalar) => {
                    s.float(value, FloatRounding::NearestEven, F32)
                }
                _ => value,
            })
            .collect();
        if let (ArithOp::FToF { .. }, [source]) = (op, wide.as_slice()) {
            let wide = s.float(*source, rounding, F32);
            return self.narrowed(s, wide, rounding, to);
        }
        let mut op = op.clone();
        op.remap(&mut InOrder(wide.into_iter()));
        if !is_small(to) {
            return s.op(op, to);
        }
        let wide = s.op(op, F32);
        self.narrowed(s, wide, rounding, to)
    }

    /// Converts an f32 to a small float.
    fn narrowed(
        &self,
        s: &mut Scalars<'_, '_>,
        source: Value,
        rounding: FloatRounding,
        to: ScalarType,
    ) -> Value {
        if to == F32 {
            return source;
        }
        let convert = ArithOp::FToF { source, rounding };
        let up = match rounding {
            FloatRounding::Up => true,
            FloatRounding::Down => false,
            FloatRounding::NearestEven | FloatRounding::NearestAway | FloatRounding::Zero => {
                return s.op(convert, to);
            }
        };
        if to != ScalarType::BF16 || native(&convert, F32, to, self.target) {
            return s.op(convert, to);
        }
        // A bf16 is the high half of an f32; the low half decides whether the magnitude is incremented.
        let unsigned = Signedness::Unsigned;
        let bits = s.bits(source, I32);
        let low = s.constant(I32, 0xFFFF);
        let zero = s.constant(I32, 0);
        let rest = s.and(bits, low);
        let inexact = s.compare(rest, Predicate::NotEqual, zero, unsigned);
        let toward = if up {
            Predicate::GreaterEqual
        } else {
            Predicate::Less
        };
        let grows = s.compare(bits, toward, zero, Signedness::Signed);
        let grows = s.and(inexact, grows);
        let unit = s.constant(I32, 0x1_0000);
        let larger = s.add(bits, unit);
        let bits_rounded = s.select(grows, larger, bits);
        let magnitude = s.constant(I32, 0x7FFF_FFFF);
        let magnitude = s.and(bits, magnitude);
        let infinity = s.constant(I32, 0x7F80_0000);
        let nan = s.compare(magnitude, Predicate::Greater, infinity, unsigned);
        let quiet = s.constant(I32, 0x7FC0_0000);
        let bits = s.select(nan, quiet, bits_rounded);
        let sixteen = s.constant(I32, 16);
        let high = s.shr(bits, sixteen);
        let high = s.truncate(high, ScalarType::I16);
        s.bits(high, to)
    }
}
