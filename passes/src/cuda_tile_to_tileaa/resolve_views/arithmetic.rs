//! Elementwise arithmetic, comparisons and conversions, which map to ops of `arith`.

use tilewright_diagnostics::Code;
use tilewright_irs::core::{Flag, OpId, Translated, ValueType};
use tilewright_irs::cuda_tile::{CastOp, FloatOp, RoundingMode};
use tilewright_irs::dialects::arith::{ArithOp, Ordering, Predicate};
use tilewright_irs::dialects::fast_math::FastMathOf;
use tilewright_irs::dialects::math::MathOp;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::literal::{Dense, Literal};

use super::pass::{Lowering, Pass};
use super::types;
use crate::cuda_tile::as_arith::{self, Unlike};

impl Pass<'_> {
    /// The equivalent op of `arith`.
    pub(super) fn arith(
        &mut self,
        cx: &mut Lowering<'_>,
        id: OpId,
        op: Result<ArithOp, Unlike>,
        name: &str,
    ) -> Translated {
        match op {
            Ok(op) => cx.carry(id, &op, self),
            Err(Unlike::Op) => Self::unsupported_op(name),
            Err(Unlike::Rounding(mode)) => Err(types::unsupported(
                Code::UnsupportedFeature,
                format!("`{name}` with rounding `{mode}`"),
            )),
        }
    }

    /// A function of floats, or other arithmetic on them.
    pub(super) fn float(&mut self, cx: &mut Lowering<'_>, id: OpId, op: &FloatOp, name: &str) -> Translated {
        match function(op) {
            Some(op) => cx.carry(id, &op, self),
            None => self.arith(cx, id, as_arith::float(op), name),
        }
    }

    pub(super) fn cast(&mut self, cx: &mut Lowering<'_>, id: OpId, op: &CastOp, name: &str) -> Translated {
        match op {
            // Conversion to a Boolean: whether it is not zero; a NaN is not zero.
            CastOp::FToI { from, .. } if is_truth(cx, id) => {
                let ty = types::value(cx.from.ty(*from))?;
                let scalar = ty.element().and_then(ElementType::scalar);
                let value = Dense::Splat(Literal::new(scalar.unwrap_or(ScalarType::F32), 0));
                let rhs = cx.value(ArithOp::Constant { value }, ty);
                let compare = ArithOp::CmpF {
                    lhs: cx.one(*from),
                    rhs,
                    predicate: Predicate::NotEqual,
                    ordering: Ordering::Unordered,
                    fast_math: FastMathOf::NONE,
                };
                Self::replace(cx, id, compare)
            }
            CastOp::Pack { source } => Self::pack(cx, id, *source),
            CastOp::Unpack { source } => Self::unpack(cx, id, *source),
            _ => self.arith(cx, id, as_arith::cast(op), name),
        }
    }
}

/// The function that an op is, if it is one.
fn function(op: &FloatOp) -> Option<MathOp> {
    let approximate = |mode| Flag(mode == RoundingMode::Approx);
    Some(match *op {
        FloatOp::Exp {
            source,
            rounding_mode,
        } => MathOp::Exp {
            source,
            approximate: approximate(rounding_mode),
            fast_math: FastMathOf::NONE,
        },
        FloatOp::Exp2 {
            source,
            flush_to_zero,
        } => MathOp::Exp2 {
            source,
            flush_to_zero,
            fast_math: FastMathOf::NONE,
        },
        FloatOp::Log { source } => MathOp::Log {
            source,
            fast_math: FastMathOf::NONE,
        },
        FloatOp::Log2 { source } => MathOp::Log2 {
            source,
            fast_math: FastMathOf::NONE,
        },
        FloatOp::Sin { source } => MathOp::Sin {
            source,
            fast_math: FastMathOf::NONE,
        },
        FloatOp::Cos { source } => MathOp::Cos {
            source,
            fast_math: FastMathOf::NONE,
        },
        FloatOp::Tan { source } => MathOp::Tan {
            source,
            fast_math: FastMathOf::NONE,
        },
        FloatOp::Sinh { source } => MathOp::Sinh {
            source,
            fast_math: FastMathOf::NONE,
        },
        FloatOp::Cosh { source } => MathOp::Cosh {
            source,
            fast_math: FastMathOf::NONE,
        },
        FloatOp::Tanh {
            source,
            rounding_mode,
        } => MathOp::Tanh {
            source,
            approximate: approximate(rounding_mode),
            fast_math: FastMathOf::NONE,
        },
        // The language calls the first argument `x`.
        FloatOp::Atan2 { x, y } => MathOp::Atan2 {
            y: x,
            x: y,
            fast_math: FastMathOf::NONE,
        },
        FloatOp::PowF { source, exponent } => MathOp::PowF {
            base: source,
            exponent,
            fast_math: FastMathOf::NONE,
        },
        FloatOp::PowI { source, exponent } => MathOp::PowI {
            base: source,
            exponent,
            fast_math: FastMathOf::NONE,
        },
        FloatOp::AbsF { .. }
        | FloatOp::AddF { .. }
        | FloatOp::SubF { .. }
        | FloatOp::MulF { .. }
        | FloatOp::DivF { .. }
        | FloatOp::RemF { .. }
        | FloatOp::Fma { .. }
        | FloatOp::NegF { .. }
        | FloatOp::MaxF { .. }
        | FloatOp::MinF { .. }
        | FloatOp::Ceil { .. }
        | FloatOp::Floor { .. }
        | FloatOp::Sqrt { .. }
        | FloatOp::Rsqrt { .. }
        | FloatOp::CmpF { .. } => return None,
    })
}

/// Whether the results of an op are Booleans.
fn is_truth(cx: &Lowering<'_>, id: OpId) -> bool {
    let tile = cx
        .old(id)
        .results()
        .next()
        .and_then(|value| cx.from.ty(value).as_tile());
    tile.and_then(|tile| tile.element.scalar()) == Some(ScalarType::I1)
}
