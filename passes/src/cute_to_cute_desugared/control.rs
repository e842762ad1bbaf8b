//! Structured control flow.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{OpId, Origin, Region, Translate, Translated, Value};
use tilewright_irs::cute_desugared::DesugaredType;
use tilewright_irs::dialects::scf::{LoopPlan, ScfOp, Unrolling};
use tilewright_irs::mlir::dialects::ScfOp as Mlir;
use tilewright_irs::mlir::{Attribute, Dictionary};

use super::state::{Cx, Desugar, Frame, not_lowered};

impl Desugar {
    pub(super) fn control_flow(&mut self, cx: &mut Cx<'_>, id: OpId, op: &Mlir) -> Translated {
        match op {
            Mlir::For {
                lower,
                upper,
                step,
                inits,
                unsigned,
                body,
            } => {
                let inits = all(cx, inits);
                let body = self.framed(cx, Frame::Loop, *body)?;
                let op = ScfOp::For {
                    lower: cx.one(*lower),
                    upper: cx.one(*upper),
                    step: cx.one(*step),
                    inits,
                    unsigned: *unsigned,
                    plan: LoopPlan {
                        unroll: unrolling(&cx.old(id).tag),
                        ..LoopPlan::default()
                    },
                    body,
                };
                self.emit(cx, id, op)
            }
            Mlir::If {
                condition,
                then,
                r#else,
            } => {
                let condition = cx.one(*condition);
                let then = self.framed(cx, Frame::If, *then)?;
                let otherwise = self.framed(cx, Frame::If, *r#else)?;
                self.emit(
                    cx,
                    id,
                    ScfOp::If {
                        condition,
                        then,
                        otherwise,
                    },
                )
            }
            Mlir::While { inits, before, after } => {
                let inits = all(cx, inits);
                let body = self.framed(cx, Frame::Before(*after), *before)?;
                self.emit(cx, id, ScfOp::Loop { inits, body })
            }
            Mlir::Condition { condition, args } => self.condition(cx, id, *condition, args),
            Mlir::Yield { results } => {
                let values = all(cx, results);
                cx.build().effect(match self.frames.last() {
                    Some(Frame::Loop) => ScfOp::Continue { values },
                    Some(Frame::If | Frame::Before(_)) | None => ScfOp::Yield { values },
                });
                Ok(())
            }
        }
    }

    /// The end of the kernel.
    pub(super) fn kernel_return(&mut self, cx: &mut Cx<'_>) -> Translated {
        cx.build().effect(ScfOp::Return {});
        Ok(())
    }

    /// Translates a region of an op. One without a block has one that only yields.
    fn framed(
        &mut self,
        cx: &mut Cx<'_>,
        frame: Frame,
        region: Region,
    ) -> Result<Region, Diagnostic<Origin>> {
        self.frames.push(frame);
        let new = cx.region(region, self);
        self.frames.pop();
        let new = new?;
        if cx.new_body().region(new).blocks.is_empty() {
            let block = cx.body_mut().add_block(new);
            cx.within(block, |cx| cx.build().effect(ScfOp::Yield { values: Vec::new() }));
        }
        Ok(new)
    }

    /// Appends the op, with the results of the old one.
    fn emit(&mut self, cx: &mut Cx<'_>, id: OpId, op: ScfOp) -> Translated {
        let results: Vec<Value> = cx.old(id).results().collect();
        let mut types: Vec<DesugaredType> = Vec::new();
        let mut counts = Vec::new();
        for &result in &results {
            let own = self.types(cx.from.ty(result))?;
            counts.push(own.len());
            types.extend(own);
        }
        let new = cx.build().op(op, types);
        let mut values = cx.new_body().op(new).results();
        for (result, count) in results.into_iter().zip(counts) {
            let own: Vec<Value> = values.by_ref().take(count).collect();
            cx.bind(result, own);
        }
        Ok(())
    }

    /// Leaves the loop if the condition is false; else its second region follows, and then the next iteration.
    fn condition(&mut self, cx: &mut Cx<'_>, id: OpId, condition: Value, args: &[Value]) -> Translated {
        let Some(Frame::Before(after)) = self.frames.last().cloned() else {
            return Err(not_lowered(cx, id));
        };
        let (condition, values) = (cx.one(condition), all(cx, args));
        let region = |cx: &mut Cx<'_>, op: ScfOp| {
            let region = cx.body_mut().add_region();
            let block = cx.body_mut().add_block(region);
            cx.within(block, |cx| cx.build().effect(op));
            region
        };
        let then = region(cx, ScfOp::Yield { values: Vec::new() });
        let otherwise = region(
            cx,
            ScfOp::Break {
                values: values.clone(),
            },
        );
        cx.build().effect(ScfOp::If {
            condition,
            then,
            otherwise,
        });
        let from = cx.from;
        let Some(block) = from.only_block(after) else {
            return Err(not_lowered(cx, id));
        };
        for (&arg, &own) in from.block(block).args.iter().zip(args) {
            let values = cx.all(own).to_vec();
            cx.bind(arg, values);
        }
        self.frames.push(Frame::Loop);
        let translated = cx.block_ops(block, self);
        self.frames.pop();
        translated
    }
}

fn all(cx: &Cx<'_>, values: &[Value]) -> Vec<Value> {
    values.iter().flat_map(|&value| cx.all(value).to_vec()).collect()
}

/// What `loop_annotation` asks of a loop.
fn unrolling(tag: &Dictionary) -> Option<Unrolling> {
    let Some(Attribute::Dialect(text)) = tag.get("loop_annotation") else {
        return None;
    };
    let squeezed: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    if squeezed.contains("full=true") {
        Some(Unrolling::Full)
    } else if squeezed.contains("disable=true") {
        Some(Unrolling::Never)
    } else {
        None
    }
}
