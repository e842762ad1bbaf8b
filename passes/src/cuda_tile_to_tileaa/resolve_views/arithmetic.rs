//! Elementwise arithmetic, comparisons and conversions, which map to ops of `arith`.

use tilewright_diagnostics::Code;
use tilewright_irs::core::{OpId, Translated, ValueType};
use tilewright_irs::cuda_tile::CastOp;
use tilewright_irs::dialects::arith::{ArithOp, Ordering, Predicate};
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::literal::{Dense, Literal};

use super::pass::{Lowering, Pass};
use super::types;
use crate::cuda_tile::as_arith::{self, Unlike};

impl Pass {
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
                };
                Self::replace(cx, id, compare)
            }
            _ => self.arith(cx, id, as_arith::cast(op), name),
        }
    }
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
