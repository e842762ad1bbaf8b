//! Multiplies by the reciprocal where an op's flag `arcp` allows it.
//!
//! In and out: `llvm_like`. A quotient that is rounded to nearest becomes a product with the reciprocal of its divisor
//!
//! - if the divisor is a constant, and it and its reciprocal are normal numbers;
//! - if several quotients of f32 or f64 in one block have the same divisor, whose reciprocal is computed once. The smaller
//!   types have too few exponents: the reciprocals of many of their numbers are infinite or subnormal.
//!
//! While the reciprocal is a normal number, the result is within 1.5 units in the last place of the quotient.

use rustc_hash::FxHashMap;
use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Body, Flag, Func, OpData, OpId, Origin, SideTable, Value, reverse_postorder};
use tilewright_irs::dialects::arith::{ArithOp, FloatRounding, Precision};
use tilewright_irs::dialects::fast_math::{FastMathFlag, FastMathOf, FastMathOfQuotient};
use tilewright_irs::element::ScalarType;
use tilewright_irs::literal::{Dense, Literal};
use tilewright_irs::llvm::{Llvm, LlvmOp, LlvmType};

use super::rewrite::{Rewrite, Rewriter, Rewritten, rewrite};
use super::simplify_floats::is_normal;

/// Multiplies by reciprocals; see [the module](self).
pub fn divide_by_reciprocals(func: &Func<Llvm>) -> Result<Func<Llvm>, Vec<Diagnostic<Origin>>> {
    rewrite(func, &mut DivideByReciprocals::of(&func.body))
}

/// A divisor, as quotients have it in common: in one block, with one accuracy.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Divisor {
    block: usize,
    value: Value,
    precision: Precision,
    flush: Flag,
}

struct Quotient {
    lhs: Value,
    divisor: Divisor,
    fast_math: FastMathOfQuotient,
}

/// A quotient that may be a product, in a block.
fn quotient(op: &LlvmOp, block: usize) -> Option<Quotient> {
    match *op {
        LlvmOp::Arith(ArithOp::DivF {
            lhs,
            rhs,
            precision: precision @ (Precision::NearestEven | Precision::Approx | Precision::Full),
            flush_to_zero,
            fast_math,
        }) if fast_math.get().has(FastMathFlag::Reciprocal) => Some(Quotient {
            lhs,
            divisor: Divisor {
                block,
                value: rhs,
                precision,
                flush: flush_to_zero,
            },
            fast_math,
        }),
        _ => None,
    }
}

struct DivideByReciprocals {
    /// The block of each quotient.
    places: FxHashMap<OpId, usize>,
    /// The number of quotients with a divisor.
    shared: FxHashMap<Divisor, usize>,
    constants: SideTable<Value, Literal>,
    /// The new reciprocals.
    made: FxHashMap<Divisor, Value>,
}

impl DivideByReciprocals {
    fn of(body: &Body<Llvm>) -> Self {
        let mut pass = Self {
            places: FxHashMap::default(),
            shared: FxHashMap::default(),
            constants: body.value_table(),
            made: FxHashMap::default(),
        };
        for (place, &block) in reverse_postorder(body, body.root()).iter().enumerate() {
            for &id in &body.block(block).ops {
                let op = body.op(id);
                if let LlvmOp::Arith(ArithOp::Constant {
                    value: Dense::Splat(literal),
                }) = op.kind
                {
                    pass.constants.set(op.result(0), literal);
                }
                if let Some(quotient) = quotient(&op.kind, place) {
                    pass.places.insert(id, place);
                    *pass.shared.entry(quotient.divisor).or_default() += 1;
                }
            }
        }
        pass
    }

    /// The reciprocal of an old value, if it is better to multiply by it.
    fn reciprocal(
        &mut self,
        cx: &mut Rewrite<'_>,
        Quotient {
            divisor, fast_math, ..
        }: &Quotient,
        ty: LlvmType,
    ) -> Option<Value> {
        let scalar = ty.scalar()?;
        let constant = |number: f64| Literal::of_float(scalar, number).map(Dense::Splat);
        if let Some(literal) = self.constants.get(divisor.value) {
            let number = literal.float().filter(|&number| is_normal(scalar, number))?;
            let value = constant(1.0 / number)?;
            let Dense::Splat(inverse) = value else { return None };
            inverse.float().filter(|&inverse| is_normal(scalar, inverse))?;
            return Some(cx.value(ArithOp::Constant { value }, ty));
        }
        let is_wide = matches!(scalar, ScalarType::F32 | ScalarType::F64);
        if !is_wide || self.shared.get(divisor).is_none_or(|&uses| uses < 2) {
            return None;
        }
        if let Some(&made) = self.made.get(divisor) {
            return Some(made);
        }
        let lhs = cx.value(
            ArithOp::Constant {
                value: constant(1.0)?,
            },
            ty,
        );
        let op = ArithOp::DivF {
            lhs,
            rhs: cx.new_value(divisor.value),
            precision: divisor.precision,
            flush_to_zero: divisor.flush,
            fast_math: *fast_math,
        };
        let made = cx.value(op, ty);
        self.made.insert(*divisor, made);
        Some(made)
    }
}

impl Rewriter for DivideByReciprocals {
    fn concerns(&self, _: &Body<Llvm>, op: &OpData<Llvm>) -> bool {
        quotient(&op.kind, 0).is_some()
    }

    fn op(&mut self, cx: &mut Rewrite<'_>, id: OpId) -> Rewritten {
        let old = cx.old(id);
        let place = self.places.get(&id).copied().unwrap_or_default();
        let Some(quotient) = quotient(&old.kind, place) else {
            cx.keep(id);
            return Ok(());
        };
        let ty = *cx.from.ty(old.result(0));
        let Some(rhs) = self.reciprocal(cx, &quotient, ty) else {
            cx.keep(id);
            return Ok(());
        };
        let op = ArithOp::MulF {
            lhs: cx.new_value(quotient.lhs),
            rhs,
            rounding: FloatRounding::NearestEven,
            flush_to_zero: quotient.divisor.flush,
            fast_math: FastMathOf::of(quotient.fast_math.get()),
        };
        let value = cx.value(op, ty);
        cx.bind(old.result(0), value);
        Ok(())
    }
}
