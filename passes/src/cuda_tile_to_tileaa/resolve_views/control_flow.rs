//! Structured control flow, grid coordinates, prints and assertions.

use tilewright_irs::core::{OpId, Region, Translated, Value};
use tilewright_irs::cuda_tile::ControlOp;
use tilewright_irs::dialects::scf::{LoopPlan, ScfOp};
use tilewright_irs::tileaa::{TileAaDialect, TileAaKind, TileAaType};

use super::pass::{Lowering, Pass, Problem};

impl Pass<'_> {
    pub(super) fn control(&mut self, cx: &mut Lowering<'_>, id: OpId, op: &ControlOp) -> Translated {
        let all = |cx: &Lowering<'_>, list: &[Value]| list.iter().map(|&v| cx.one(v)).collect::<Vec<_>>();
        match op {
            ControlOp::For {
                lower_bound,
                upper_bound,
                step,
                init_values,
                unsigned_cmp,
                body,
            } => {
                let body = self.region(cx, *body)?;
                let lowered = ScfOp::For {
                    lower: cx.one(*lower_bound),
                    upper: cx.one(*upper_bound),
                    step: cx.one(*step),
                    inits: all(cx, init_values),
                    unsigned: *unsigned_cmp,
                    plan: LoopPlan::default(),
                    body,
                };
                Self::replace(cx, id, lowered)
            }
            ControlOp::Loop { init_values, body } => {
                let body = self.region(cx, *body)?;
                let inits = all(cx, init_values);
                Self::replace(cx, id, ScfOp::Loop { inits, body })
            }
            ControlOp::If {
                condition,
                then_region,
                else_region,
            } => {
                let then = self.region(cx, *then_region)?;
                let otherwise = self.region(cx, *else_region)?;
                let condition = cx.one(*condition);
                Self::replace(
                    cx,
                    id,
                    ScfOp::If {
                        condition,
                        then,
                        otherwise,
                    },
                )
            }
            ControlOp::Yield { operands } => {
                let values = all(cx, operands);
                if self.fold_ends.contains(&id) {
                    return Self::replace(cx, id, TileAaDialect::Yield { values });
                }
                Self::replace(cx, id, ScfOp::Yield { values })
            }
            ControlOp::Continue { operands } => {
                let values = all(cx, operands);
                Self::replace(cx, id, ScfOp::Continue { values })
            }
            ControlOp::Break { operands } => {
                let values = all(cx, operands);
                Self::replace(cx, id, ScfOp::Break { values })
            }
            // A kernel returns nothing.
            ControlOp::Return { .. } => {
                self.free_frame(cx);
                Self::replace(cx, id, ScfOp::Return {})
            }
            ControlOp::GetTileBlockId {} => Self::per_axis(cx, id, |axis| TileAaDialect::ProgramId { axis }),
            ControlOp::GetNumTileBlocks {} => {
                Self::per_axis(cx, id, |axis| TileAaDialect::NumPrograms { axis })
            }
            ControlOp::Assert { condition, message } => {
                let assertion = TileAaDialect::Assert {
                    condition: cx.one(*condition),
                    message: message.clone(),
                };
                Self::replace(cx, id, assertion)
            }
            ControlOp::PrintTko { args, token, str } => {
                let print = TileAaDialect::Print {
                    format: str.clone(),
                    values: all(cx, args),
                };
                cx.build().effect(print);
                // A print accesses no memory: whatever is ordered after it is ordered after its token.
                for result in cx.old(id).results() {
                    let new = match token {
                        Some(token) => cx.one(*token),
                        None => cx.value(
                            TileAaDialect::CreateMemToken {},
                            TileAaType::new(TileAaKind::Token),
                        ),
                    };
                    cx.bind(result, vec![new]);
                }
                Ok(())
            }
        }
    }

    /// Lowers a region. Assumptions inside of it say nothing of values outside, nor do later ones of earlier values:
    /// control may never come back from the region.
    fn region(&mut self, cx: &mut Lowering<'_>, region: Region) -> Result<Region, Problem> {
        self.dominated_from = cx.new_body().value_count();
        let empty = cx.from.region(region).blocks.is_empty();
        let new = if empty {
            let (new, block, _) = cx.build().region([]);
            cx.within(block, |cx| cx.build().effect(ScfOp::Yield { values: Vec::new() }));
            new
        } else {
            cx.region(region, self)?
        };
        self.dominated_from = cx.new_body().value_count();
        Ok(new)
    }

    fn per_axis(cx: &mut Lowering<'_>, id: OpId, op: impl Fn(u32) -> TileAaDialect) -> Translated {
        for (axis, result) in (0u32..).zip(cx.old(id).results()) {
            let ty = super::types::value(cx.from.ty(result))?;
            let new = cx.value(op(axis), ty);
            cx.bind(result, vec![new]);
        }
        Ok(())
    }
}
