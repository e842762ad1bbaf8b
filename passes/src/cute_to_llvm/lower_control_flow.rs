//! Lowers structured control flow to blocks and branches.
//!
//! Loops are rotated (tested at their end): the counter of `scf.for` is compared by its distance to the bound, which
//! needs no value past the bound and so cannot overflow. Unreachable code is not emitted: a join or an exit block is
//! created only if it has a predecessor.

use tilewright_irs::core::{Block, Flag, OpId, Region, Successor, Translate, Translated, Value};
use tilewright_irs::cute_desugared::CuteDesugaredOp;
use tilewright_irs::dialects::arith::{ArithOp, Overflow, Predicate, Signedness};
use tilewright_irs::dialects::scf::{ScfOp, Unrolling};
use tilewright_irs::llvm::{LlvmDialect, LlvmType};

use super::emit::{Cx, compare, new_block};
use super::state::{Frame, ScalarizeFragments, Target};

fn all(cx: &Cx<'_>, values: &[Value]) -> Vec<Value> {
    values
        .iter()
        .flat_map(|&value| cx.all(value).iter().copied())
        .collect()
}

fn types(cx: &Cx<'_>, values: &[Value]) -> Vec<LlvmType> {
    values.iter().map(|&value| *cx.ty(value)).collect()
}

fn branch(cx: &mut Cx<'_>, target: Successor) {
    cx.build().effect(LlvmDialect::Br { target });
}

impl ScalarizeFragments {
    pub(super) fn control_flow(&mut self, cx: &mut Cx<'_>, id: OpId, op: &ScfOp) -> Translated {
        match op {
            ScfOp::For {
                lower,
                upper,
                step,
                inits,
                unsigned,
                plan,
                body,
            } => self.counted_loop(
                cx,
                id,
                (*lower, *upper, *step),
                inits,
                (*unsigned, plan.unroll),
                *body,
            ),
            ScfOp::Loop { inits, body } => self.endless_loop(cx, id, inits, *body),
            ScfOp::If {
                condition,
                then,
                otherwise,
            } => self.choice(cx, id, *condition, [*then, *otherwise]),
            ScfOp::Yield { values } => {
                let values = all(cx, values);
                if let Some(Frame::If { join }) = self.frames.last_mut() {
                    let target = join.go(cx, values);
                    branch(cx, target);
                }
                self.dead = true;
                Ok(())
            }
            ScfOp::Continue { values } => {
                let values = all(cx, values);
                if let Some((next, _)) = self.innermost_loop() {
                    let target = next.go(cx, values);
                    branch(cx, target);
                }
                self.dead = true;
                Ok(())
            }
            ScfOp::Break { values } => {
                let values = all(cx, values);
                if let Some((_, exit)) = self.innermost_loop() {
                    let target = exit.go(cx, values);
                    branch(cx, target);
                }
                self.dead = true;
                Ok(())
            }
            ScfOp::Return {} => {
                cx.build().effect(LlvmDialect::Return {});
                self.dead = true;
                Ok(())
            }
        }
    }

    fn innermost_loop(&mut self) -> Option<(&mut Target, &mut Target)> {
        self.frames.iter_mut().rev().find_map(|frame| match frame {
            Frame::Loop { next, exit } => Some((next, exit)),
            Frame::If { .. } => None,
        })
    }

    /// Translates a region's block into `block` of the new body.
    fn region(&mut self, cx: &mut Cx<'_>, region: Region, block: Block) -> Translated {
        self.dead = false;
        if let Some(old) = cx.from.only_block(region) {
            cx.go_on_in(block);
            cx.block_ops(old, self)?;
        }
        Ok(())
    }

    /// Binds the arguments of a region's block to values.
    fn bind_args(&mut self, cx: &mut Cx<'_>, region: Region, mut values: &[Value]) -> Translated {
        let Some(old) = cx.from.only_block(region) else {
            return Ok(());
        };
        let from = cx.from;
        for &arg in &from.block(old).args {
            let count = self.types(from.ty(arg))?.len().min(values.len());
            let (own, rest) = values.split_at(count);
            cx.bind(arg, own.iter().copied());
            values = rest;
        }
        Ok(())
    }

    /// Continues after an op in `target`, whose block arguments are the op's results.
    fn go_on(&mut self, cx: &mut Cx<'_>, id: OpId, target: &Target) -> Translated {
        let Some(block) = target.block else {
            // No predecessor: the following code is unreachable.
            self.dead = true;
            return Ok(());
        };
        self.dead = false;
        cx.go_on_in(block);
        let args = cx.new_body().block(block).args.clone();
        let mut args = args.as_slice();
        let from = cx.from;
        for result in from.op(id).results() {
            let count = self.types(from.ty(result))?.len().min(args.len());
            let (own, rest) = args.split_at(count);
            cx.bind(result, own.iter().copied());
            args = rest;
        }
        Ok(())
    }

    fn choice(&mut self, cx: &mut Cx<'_>, id: OpId, condition: Value, sides: [Region; 2]) -> Translated {
        let mut result_types = Vec::new();
        for result in cx.from.op(id).results() {
            result_types.extend(self.types(cx.from.ty(result))?);
        }
        let condition = cx.one(condition);
        let mut join = Target::new(result_types);
        let [then, otherwise] = sides;
        let yes = new_block(cx, &[]).0;
        // A region that only yields needs no block.
        let empty =
            cx.from
                .only_block(otherwise)
                .and_then(|block| match cx.from.block(block).ops.as_slice() {
                    [only] => match &cx.from.op(*only).kind {
                        CuteDesugaredOp::Scf(ScfOp::Yield { values }) => Some(all(cx, values)),
                        _ => None,
                    },
                    _ => None,
                });
        let no = match &empty {
            Some(values) => join.go(cx, values.clone()),
            None => Successor {
                block: new_block(cx, &[]).0,
                args: Vec::new(),
            },
        };
        let no_block = no.block;
        let yes_target = Successor {
            block: yes,
            args: Vec::new(),
        };
        cx.build().effect(LlvmDialect::CondBr {
            unroll: None,
            condition,
            yes: yes_target,
            no,
        });
        self.frames.push(Frame::If { join });
        self.region(cx, then, yes)?;
        if empty.is_none() {
            self.region(cx, otherwise, no_block)?;
        }
        match self.frames.pop() {
            Some(Frame::If { join }) => self.go_on(cx, id, &join),
            Some(Frame::Loop { .. }) | None => Ok(()),
        }
    }

    fn endless_loop(&mut self, cx: &mut Cx<'_>, id: OpId, inits: &[Value], body: Region) -> Translated {
        let inits = all(cx, inits);
        let carried = types(cx, &inits);
        let mut result_types = Vec::new();
        for result in cx.from.op(id).results() {
            result_types.extend(self.types(cx.from.ty(result))?);
        }
        let (head, args) = new_block(cx, &carried);
        branch(
            cx,
            Successor {
                block: head,
                args: inits,
            },
        );
        self.bind_args(cx, body, &args)?;
        self.frames.push(Frame::Loop {
            next: Target {
                block: Some(head),
                types: carried,
            },
            exit: Target::new(result_types),
        });
        self.region(cx, body, head)?;
        match self.frames.pop() {
            Some(Frame::Loop { exit, .. }) => self.go_on(cx, id, &exit),
            Some(Frame::If { .. }) | None => Ok(()),
        }
    }

    fn counted_loop(
        &mut self,
        cx: &mut Cx<'_>,
        id: OpId,
        (lower, upper, step): (Value, Value, Value),
        inits: &[Value],
        (unsigned, unroll): (Flag, Option<Unrolling>),
        body: Region,
    ) -> Translated {
        let by_one = self.ones.contains(&step);
        let (lower, upper, step) = (cx.one(lower), cx.one(upper), cx.one(step));
        let counter = *cx.ty(lower);
        let inits = all(cx, inits);
        let carried = types(cx, &inits);
        let signedness = if unsigned.0 {
            Signedness::Unsigned
        } else {
            Signedness::Signed
        };
        let mut exit = Target::new(carried.clone());
        let mut body_types = vec![counter];
        body_types.extend(&carried);
        let (head, args) = new_block(cx, &body_types);
        let some = compare(cx, lower, Predicate::Less, upper, signedness);
        let mut first = vec![lower];
        first.extend(&inits);
        let no = exit.go(cx, inits);
        cx.build().effect(LlvmDialect::CondBr {
            unroll: None,
            condition: some,
            yes: Successor {
                block: head,
                args: first,
            },
            no,
        });
        self.bind_args(cx, body, &args)?;
        self.frames.push(Frame::Loop {
            next: Target::new(carried),
            exit,
        });
        self.region(cx, body, head)?;
        let Some(Frame::Loop { next, mut exit }) = self.frames.pop() else {
            return Ok(());
        };
        // The latch of the loop; a body that only returns has none.
        if let (Some(latch), Some(&counter)) = (next.block, args.first()) {
            cx.go_on_in(latch);
            let values = cx.new_body().block(latch).args.clone();
            let overflow = Overflow::Wraps;
            let ty = *cx.ty(counter);
            let (lhs, rhs) = (counter, step);
            let following = cx.value(ArithOp::AddI { lhs, rhs, overflow }, ty);
            let more = if by_one {
                // The counter is below the bound, so the increment does not overflow.
                compare(cx, following, Predicate::Less, upper, signedness)
            } else {
                let (lhs, rhs) = (upper, counter);
                let left = cx.value(ArithOp::SubI { lhs, rhs, overflow }, ty);
                compare(cx, left, Predicate::Greater, step, Signedness::Unsigned)
            };
            let no = exit.go(cx, values.clone());
            let mut args = vec![following];
            args.extend(values);
            cx.build().effect(LlvmDialect::CondBr {
                unroll,
                condition: more,
                yes: Successor { block: head, args },
                no,
            });
        }
        self.go_on(cx, id, &exit)
    }
}
