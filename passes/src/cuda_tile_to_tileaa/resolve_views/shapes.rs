//! Ops on whole tiles. A scalar that is broadcast in several steps becomes one splat.

use tilewright_irs::core::{Flag, OpId, Translated, Value};
use tilewright_irs::cuda_tile::ShapeOp;
use tilewright_irs::dialects::arith::ArithOp;
use tilewright_irs::dialects::tile::TileOp;
use tilewright_irs::tileaa::{TileAaDialect, TileAaType};

use super::pass::{Lowering, Pass};

impl Pass<'_> {
    pub(super) fn shape(&mut self, cx: &mut Lowering<'_>, id: OpId, op: &ShapeOp, name: &str) -> Translated {
        match op {
            ShapeOp::Constant { value } => Self::replace(cx, id, ArithOp::Constant { value: value.clone() }),
            ShapeOp::Iota {} => Self::replace(cx, id, TileOp::Iota {}),
            ShapeOp::Reshape { source } => {
                let source = cx.one(*source);
                let ty = Self::result_type(cx, id)?;
                if *cx.ty(source).shape().unwrap_or_default() == *ty.shape().unwrap_or_default() {
                    cx.bind(cx.old(id).result(0), vec![source]);
                    return Ok(());
                }
                self.spread(cx, id, source, ty, TileOp::Reshape { source })
            }
            ShapeOp::Broadcast { source } => {
                let source = cx.one(*source);
                let ty = Self::result_type(cx, id)?;
                self.spread(cx, id, source, ty, TileOp::Broadcast { source })
            }
            ShapeOp::Permute { source, permutation } => {
                let source = cx.one(*source);
                let permutation = permutation
                    .iter()
                    // The language refuses a negative axis, the next verifier one that does not exist.
                    .map(|&axis| u32::try_from(axis).unwrap_or(u32::MAX))
                    .collect();
                Self::replace(cx, id, TileOp::Permute { source, permutation })
            }
            ShapeOp::Select {
                cond,
                val_if_true,
                val_if_false,
            } => {
                let lowered = ArithOp::Select {
                    condition: cx.one(*cond),
                    yes: cx.one(*val_if_true),
                    no: cx.one(*val_if_false),
                };
                Self::replace(cx, id, lowered)
            }
            ShapeOp::Reduce {
                operands,
                dim,
                identities,
                body,
            } => {
                let folded = self.fold(cx, operands, *dim, identities, *body, name)?;
                Self::replace(
                    cx,
                    id,
                    TileAaDialect::Reduce {
                        operands: folded.operands,
                        axis: folded.axis,
                        identities: folded.identities,
                        body: folded.body,
                    },
                )
            }
            ShapeOp::Scan {
                operands,
                dim,
                reverse,
                identities,
                body,
            } => {
                let folded = self.fold(cx, operands, *dim, identities, *body, name)?;
                Self::replace(
                    cx,
                    id,
                    TileAaDialect::Scan {
                        operands: folded.operands,
                        axis: folded.axis,
                        reverse: Flag(*reverse),
                        identities: folded.identities,
                        body: folded.body,
                    },
                )
            }
            ShapeOp::Cat { lhs, rhs, dim } => {
                let parts = vec![cx.one(*lhs), cx.one(*rhs)];
                // The language refuses an axis that does not exist.
                let axis = u32::try_from(*dim).unwrap_or(u32::MAX);
                Self::replace(cx, id, TileAaDialect::Cat { parts, axis })
            }
            ShapeOp::Extract { source, indices } => {
                let (source, index) = (
                    cx.one(*source),
                    indices.iter().map(|&i| cx.one(i)).collect::<Vec<_>>(),
                );
                if index.is_empty() {
                    // A scalar is its only part.
                    cx.bind(cx.old(id).result(0), vec![source]);
                    return Ok(());
                }
                Self::replace(cx, id, TileAaDialect::Extract { source, index })
            }
            ShapeOp::Insert {
                source,
                destination,
                indices,
            } => {
                let (source, destination) = (cx.one(*source), cx.one(*destination));
                let index: Vec<Value> = indices.iter().map(|&index| cx.one(index)).collect();
                if index.is_empty() {
                    cx.bind(cx.old(id).result(0), vec![source]);
                    return Ok(());
                }
                let insert = TileAaDialect::Insert {
                    source,
                    destination,
                    index,
                };
                Self::replace(cx, id, insert)
            }
            ShapeOp::MmaF {
                lhs,
                rhs,
                acc,
                fast_acc,
            } => Self::float_product(cx, id, [*lhs, *rhs, *acc], *fast_acc),
            ShapeOp::MmaFScaled {
                lhs,
                rhs,
                acc,
                lhs_scale,
                rhs_scale,
            } => Self::scaled_product(cx, id, [*lhs, *rhs, *acc], [*lhs_scale, *rhs_scale]),
            ShapeOp::MmaI {
                lhs,
                rhs,
                acc,
                signedness_lhs,
                signedness_rhs,
            } => Self::integer_product(cx, id, [*lhs, *rhs, *acc], [*signedness_lhs, *signedness_rhs]),
            ShapeOp::Assume { value, predicate } => self.assume(cx, id, *value, predicate),
        }
    }

    /// A splat if the source is a splat or a scalar, else the given op.
    fn spread(
        &mut self,
        cx: &mut Lowering<'_>,
        id: OpId,
        source: Value,
        ty: TileAaType,
        otherwise: TileOp,
    ) -> Translated {
        let scalar = match self.splats.get(&source) {
            Some(&scalar) => Some(scalar),
            None if cx.ty(source).shape().is_some_and(<[u32]>::is_empty) => Some(source),
            None => None,
        };
        let result = cx.old(id).result(0);
        let new = match scalar {
            Some(scalar) if ty.shape().is_some_and(<[u32]>::is_empty) => scalar,
            Some(scalar) => {
                let new = cx.value(TileOp::Splat { source: scalar }, ty);
                self.splats.insert(new, scalar);
                new
            }
            None => cx.value(otherwise, ty),
        };
        cx.bind(result, vec![new]);
        Ok(())
    }
}
