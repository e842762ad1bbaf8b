//! Replaces integer divisions by cheaper ops.
//!
//! In and out: `llvm_like`. A signed quotient or remainder of numbers that are not negative, as far as is known, is an unsigned one;
//! by a constant power of two it is a shift or a mask. A remainder whose quotient is computed in the same block is `a - (a / b) * b`.
//! Not negative are the indices and extents of threads, blocks and grids, constants, and what sums and products without overflow,
//! quotients, masks, shifts and extensions make of such numbers.

use rustc_hash::FxHashMap;
use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Block, Body, Func, OpData, OpId, Origin, SideTable, Value, reverse_postorder};
use tilewright_irs::dialects::arith::{ArithOp, Overflow, QuotientRounding, Signedness};
use tilewright_irs::element::ScalarType;
use tilewright_irs::isa::Special;
use tilewright_irs::literal::{Dense, Literal};
use tilewright_irs::llvm::{Llvm, LlvmDialect, LlvmOp, LlvmType};

use super::rewrite::{Rewrite, Rewriter, Rewritten, rewrite};

/// Replaces integer divisions; see [the module](self).
///
/// # Errors
/// None; the type is that of all passes.
pub fn reduce_divisions(func: &Func<Llvm>) -> Result<Func<Llvm>, Vec<Diagnostic<Origin>>> {
    if !func.body.ops().any(|(_, op)| divides(&op.kind)) {
        return Ok(func.clone());
    }
    rewrite(func, &mut ReduceDivisions::of(&func.body))
}

fn divides(op: &LlvmOp) -> bool {
    matches!(op, LlvmOp::Arith(ArithOp::DivI { .. } | ArithOp::RemI { .. }))
}

/// A truncated quotient in a block.
type Quotient = (Block, Value, Value, Signedness);

struct ReduceDivisions {
    literals: SideTable<Value, Literal>,
    /// The old values that are not negative as signed numbers.
    natural: SideTable<Value, ()>,
    /// The block of each remainder.
    home: SideTable<OpId, Block>,
    /// The truncated quotients, by the old values.
    quotients: FxHashMap<Quotient, ()>,
}

impl ReduceDivisions {
    fn of(body: &Body<Llvm>) -> Self {
        let mut found = Self {
            literals: body.value_table(),
            natural: body.value_table(),
            home: SideTable::new(body.op_count()),
            quotients: FxHashMap::default(),
        };
        for block in reverse_postorder(body, body.root()) {
            for &id in &body.block(block).ops {
                found.see(body.op(id), block);
                found.home.set(id, block);
            }
        }
        found
    }

    fn is_natural(&self, value: Value) -> bool {
        self.natural.get(value).is_some()
    }

    fn see(&mut self, op: &OpData<Llvm>, block: Block) {
        let natural = match &op.kind {
            LlvmOp::Arith(ArithOp::Constant {
                value: Dense::Splat(literal),
            }) if literal.ty.is_int() => {
                self.literals.set(op.result(0), *literal);
                literal.signed() >= 0
            }
            LlvmOp::Llvm(LlvmDialect::ReadSpecial { register }) => counts(*register),
            LlvmOp::Arith(arith) => {
                if let ArithOp::DivI {
                    lhs,
                    rhs,
                    signedness,
                    rounding: QuotientRounding::Zero,
                } = *arith
                {
                    self.quotients.insert((block, lhs, rhs, signedness), ());
                }
                self.keeps_sign(arith)
            }
            LlvmOp::Llvm(_) | LlvmOp::Math(_) | LlvmOp::Target(_) => false,
        };
        if natural {
            self.natural.set(op.result(0), ());
        }
    }

    /// Whether the result of an op is not negative because its operands are not.
    fn keeps_sign(&self, op: &ArithOp) -> bool {
        let both = |lhs: &Value, rhs: &Value| self.is_natural(*lhs) && self.is_natural(*rhs);
        match op {
            ArithOp::AddI { lhs, rhs, overflow } | ArithOp::MulI { lhs, rhs, overflow } => {
                matches!(overflow, Overflow::NoSigned | Overflow::None) && both(lhs, rhs)
            }
            ArithOp::DivI { lhs, rhs, .. } | ArithOp::RemI { lhs, rhs, .. } | ArithOp::OrI { lhs, rhs } => {
                both(lhs, rhs)
            }
            ArithOp::AndI { lhs, rhs } => self.is_natural(*lhs) || self.is_natural(*rhs),
            ArithOp::MinI { lhs, rhs, .. } | ArithOp::MaxI { lhs, rhs, .. } => both(lhs, rhs),
            ArithOp::Select { yes, no, .. } => both(yes, no),
            ArithOp::ShrI { lhs, .. } => self.is_natural(*lhs),
            ArithOp::ExtI { source, signedness } => {
                *signedness == Signedness::Unsigned || self.is_natural(*source)
            }
            _ => false,
        }
    }
}

/// Whether a special register counts: its number is not negative.
const fn counts(register: Special) -> bool {
    use Special as S;
    matches!(
        register,
        S::TidX
            | S::TidY
            | S::TidZ
            | S::CtaidX
            | S::CtaidY
            | S::CtaidZ
            | S::NctaidX
            | S::NctaidY
            | S::NctaidZ
            | S::ClusteridX
            | S::ClusteridY
            | S::ClusteridZ
            | S::NclusteridX
            | S::NclusteridY
            | S::NclusteridZ
    )
}

fn constant(cx: &mut Rewrite<'_>, scalar: ScalarType, bits: u64) -> Value {
    let value = Dense::Splat(Literal::new(scalar, bits));
    cx.value(ArithOp::Constant { value }, LlvmType::Scalar(scalar))
}

impl Rewriter for ReduceDivisions {
    fn concerns(&self, _: &Body<Llvm>, op: &OpData<Llvm>) -> bool {
        divides(&op.kind)
    }

    fn op(&mut self, cx: &mut Rewrite<'_>, id: OpId) -> Rewritten {
        let old = cx.old(id);
        let (lhs, rhs, signedness, is_quotient) = match old.kind {
            LlvmOp::Arith(ArithOp::DivI {
                lhs,
                rhs,
                signedness,
                rounding: QuotientRounding::Zero,
            }) => (lhs, rhs, signedness, true),
            LlvmOp::Arith(ArithOp::RemI { lhs, rhs, signedness }) => (lhs, rhs, signedness, false),
            _ => {
                cx.keep(id);
                return Ok(());
            }
        };
        let ty = *cx.from.ty(lhs);
        let (LlvmType::Scalar(scalar), true) = (ty, ty != LlvmType::Scalar(ScalarType::I1)) else {
            cx.keep(id);
            return Ok(());
        };
        let are_natural = self.is_natural(lhs) && self.is_natural(rhs);
        let unsigned = signedness == Signedness::Unsigned || are_natural;
        let power = self
            .literals
            .get(rhs)
            .filter(|literal| unsigned && literal.bits.is_power_of_two());
        let (a, b) = (cx.new_value(lhs), cx.new_value(rhs));
        let signedness_now = if unsigned {
            Signedness::Unsigned
        } else {
            signedness
        };
        let quotient = |lhs, rhs| ArithOp::DivI {
            lhs,
            rhs,
            signedness: signedness_now,
            rounding: QuotientRounding::Zero,
        };
        let known = self.home.get(id).is_some_and(|block| {
            !is_quotient
                && self.literals.get(rhs).is_none()
                && self.quotients.contains_key(&(*block, lhs, rhs, signedness))
        });
        let reduced = match power {
            Some(power) if is_quotient => {
                let by = constant(cx, scalar, u64::from(power.bits.trailing_zeros()));
                let (lhs, rhs, signedness) = (a, by, Signedness::Unsigned);
                cx.value(ArithOp::ShrI { lhs, rhs, signedness }, ty)
            }
            Some(power) => {
                let rhs = constant(cx, scalar, power.bits - 1);
                cx.value(ArithOp::AndI { lhs: a, rhs }, ty)
            }
            None if known => {
                let overflow = Overflow::Wraps;
                let lhs = cx.value(quotient(a, b), ty);
                let rhs = cx.value(
                    ArithOp::MulI {
                        lhs,
                        rhs: b,
                        overflow,
                    },
                    ty,
                );
                cx.value(
                    ArithOp::SubI {
                        lhs: a,
                        rhs,
                        overflow,
                    },
                    ty,
                )
            }
            None if is_quotient => cx.value(quotient(a, b), ty),
            None => {
                let (lhs, rhs, signedness) = (a, b, signedness_now);
                cx.value(ArithOp::RemI { lhs, rhs, signedness }, ty)
            }
        };
        cx.bind(old.result(0), reduced);
        Ok(())
    }
}
