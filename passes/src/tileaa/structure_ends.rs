//! Gives every iteration of a counted loop, and a kernel with products, one end: what follows an early one moves into the other
//! branch. `tileaa` to `tileaa`.
//!
//! In: any function. Out: the same program, where in
//!
//! ```text
//! scf.for … body {
//! ^(%i: i32, %sum: …):
//!   scf.if %skip then {
//!     scf.continue [%sum]
//!   } otherwise {
//!     scf.yield []
//!   }
//!   (the rest)
//!   scf.continue [%next]
//! }
//! ```
//!
//! the branch hands over what either end did:
//!
//! ```text
//!   %last = scf.if %skip : … then {
//!     scf.yield [%sum]
//!   } otherwise {
//!     (the rest)
//!     scf.yield [%next]
//!   }
//!   scf.continue [%last]
//! ```
//!
//! so that passes which move work between iterations, or to other agents, need not know of early ends. (If-conversion of a
//! structured exit.) A branch both of whose sides go on is left alone, since the rest would be copied into both.
//!
//! A branch that returns from a kernel with products becomes one around the rest of the kernel in the same way, and a loop that is
//! executed once, since every way through it breaks, becomes branches without a loop: so clients write functions that return early.
//! Scalars and descriptions of arrays are computed before such a branch, where tensor maps are made of them, if they need nothing of
//! it. A `return` in a loop stays.

use rustc_hash::FxHashSet;
use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{
    Block, Body, Func, OpId, Operation, Origin, Region, Translate, Translated, Translation, Value,
    translate_func,
};
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::tileaa::{TileAa, TileAaDialect, TileAaKind, TileAaOp, TileAaType};

/// Structures the early ends of iterations and of kernels.
///
/// # Errors
/// None; the type is that of all passes.
pub fn structure_ends(func: &Func<TileAa>) -> Result<Func<TileAa>, Vec<Diagnostic<Origin>>> {
    let body = &func.body;
    let ends_early = |id: &OpId| match &body.op(*id).kind {
        TileAaOp::Scf(ScfOp::For { body: inner, .. }) => body
            .only_block(*inner)
            .is_some_and(|block| End::Iteration.is_early(body, block)),
        TileAaOp::Scf(ScfOp::Loop { .. }) => executed_once(body, *id).is_some(),
        _ => false,
    };
    let is_product = |op: &TileAaOp| matches!(op, TileAaOp::TileAa(TileAaDialect::Dot { .. }));
    let multiplies = body.ops().any(|(_, op)| is_product(&op.kind));
    let returns = body
        .entry()
        .filter(|&entry| multiplies && End::Kernel.is_early(body, entry));
    if returns.is_none() && !body.walk().iter().any(ends_early) {
        return Ok(func.clone());
    }
    translate_func(
        func,
        func.attrs.clone(),
        &mut Structure {
            returns,
            done: FxHashSet::default(),
        },
    )
}

type Cx<'a> = Translation<'a, TileAa, TileAa>;

struct Structure {
    /// The block of the kernel, if it returns early.
    returns: Option<Block>,
    /// The ops of a kernel that were translated before a branch.
    done: FxHashSet<OpId>,
}

/// What is executed after a branch.
#[derive(Clone, Copy)]
struct After<'a> {
    branch: OpId,
    rest: &'a [OpId],
    outer: Option<&'a After<'a>>,
}

/// What ends early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// An iteration of a counted loop.
    Iteration,
    /// A kernel.
    Kernel,
    /// A loop that is executed once.
    Loop,
}

impl End {
    /// Whether it may come in a branch of a block, on one side of it.
    fn is_early(self, body: &Body<TileAa>, of: Block) -> bool {
        body.block(of)
            .ops
            .iter()
            .any(|&id| self.sides(body, id).is_some())
    }

    /// The sides of a branch at the end of one of which it comes, or of both.
    fn sides(self, body: &Body<TileAa>, id: OpId) -> Option<[Block; 2]> {
        let TileAaOp::Scf(ScfOp::If { then, otherwise, .. }) = &body.op(id).kind else {
            return None;
        };
        let sides = [body.only_block(*then)?, body.only_block(*otherwise)?];
        let last = |side: Block| body.terminator(side).map(|last| &body.op(last).kind);
        let ends = |side: Block| match (last(side), self) {
            (Some(TileAaOp::Scf(ScfOp::Continue { .. })), Self::Iteration)
            | (Some(TileAaOp::Scf(ScfOp::Return {})), Self::Kernel)
            | (Some(TileAaOp::Scf(ScfOp::Break { .. })), Self::Loop) => Some(true),
            (Some(TileAaOp::Scf(ScfOp::Yield { .. })), _) => Some(self.is_early(body, side)),
            _ => None,
        };
        let [first, second] = [ends(sides[0])?, ends(sides[1])?];
        let goes_on = |side: &Block| matches!(last(*side), Some(TileAaOp::Scf(ScfOp::Yield { .. })));
        let both_go_on = sides.iter().all(goes_on);
        ((first || second) && !both_go_on).then_some(sides)
    }
}

/// The block of a loop whose first iteration leaves it in any case, wherever that is in its branches.
fn executed_once(body: &Body<TileAa>, id: OpId) -> Option<Block> {
    let TileAaOp::Scf(ScfOp::Loop { body: inner, .. }) = &body.op(id).kind else {
        return None;
    };
    let block = body.only_block(*inner)?;
    let last = &body.op(body.terminator(block)?).kind;
    let is_break = matches!(last, TileAaOp::Scf(ScfOp::Break { .. }));
    (is_break && always_leaves(body, block)).then_some(block)
}

/// Whether all jumps of a block are breaks that its branches [can hand on](End::sides).
fn always_leaves(body: &Body<TileAa>, block: Block) -> bool {
    body.block(block).ops.iter().all(|&id| {
        let op = &body.op(id).kind;
        match (op, End::Loop.sides(body, id)) {
            (TileAaOp::Scf(ScfOp::Continue { .. } | ScfOp::Return {}), _) => false,
            (_, Some(sides)) => sides.iter().all(|&side| always_leaves(body, side)),
            (TileAaOp::Scf(ScfOp::If { .. }), None) => {
                op.region_list().iter().all(|&region| !jumps(body, region, true))
            }
            _ => op.region_list().iter().all(|&region| !jumps(body, region, false)),
        }
    })
}

/// Whether a region returns from the kernel, or jumps out of a loop around it that is `near`.
fn jumps(body: &Body<TileAa>, region: Region, near: bool) -> bool {
    let mut blocks = body.region(region).blocks.iter();
    blocks.any(|&block| {
        body.block(block).ops.iter().any(|&id| {
            let op = &body.op(id).kind;
            let near = near && !matches!(op, TileAaOp::Scf(ScfOp::For { .. } | ScfOp::Loop { .. }));
            let jump = match op {
                TileAaOp::Scf(ScfOp::Return {}) => true,
                TileAaOp::Scf(ScfOp::Continue { .. } | ScfOp::Break { .. }) => near,
                _ => false,
            };
            jump || op.region_list().iter().any(|&region| jumps(body, region, near))
        })
    })
}

impl Structure {
    /// Writes ops, and what follows them, up to an end. Returns what it hands over; `None` where the kernel ends in an iteration.
    fn up_to(
        &mut self,
        cx: &mut Cx<'_>,
        end: End,
        ops: &[OpId],
        after: Option<&After<'_>>,
    ) -> Result<Option<Vec<Value>>, Diagnostic<Origin>> {
        for (at, &id) in ops.iter().enumerate() {
            if self.done.contains(&id) {
                continue;
            }
            let op = cx.old(id);
            cx.set_origin(op.origin);
            match &op.kind {
                TileAaOp::Scf(ScfOp::Continue { values }) => {
                    return Ok(Some(values.iter().map(|&value| cx.one(value)).collect()));
                }
                TileAaOp::Scf(ScfOp::Return {}) if end == End::Kernel => return Ok(Some(Vec::new())),
                TileAaOp::Scf(ScfOp::Break { values }) if end == End::Loop => {
                    return Ok(Some(values.iter().map(|&value| cx.one(value)).collect()));
                }
                TileAaOp::Scf(ScfOp::Yield { values }) => {
                    let Some(after) = after else {
                        return Ok(None);
                    };
                    let values: Vec<Value> = values.iter().map(|&value| cx.one(value)).collect();
                    cx.bind_results(after.branch, values);
                    return self.up_to(cx, end, after.rest, after.outer);
                }
                TileAaOp::Scf(ScfOp::If { condition, .. }) => {
                    if let Some(sides) = end.sides(cx.from, id) {
                        if end != End::Iteration {
                            self.hoist(cx, ops.get(at + 1..).unwrap_or_default())?;
                            cx.set_origin(op.origin);
                        }
                        let rest = After {
                            branch: id,
                            rest: ops.get(at + 1..).unwrap_or_default(),
                            outer: after,
                        };
                        return self.branch(cx, end, *condition, sides, &rest).map(Some);
                    }
                    self.op(cx, id)?;
                }
                _ => self.op(cx, id)?,
            }
            if cx.has_ended() {
                return Ok(None);
            }
        }
        Ok(None)
    }

    /// Writes the pure ops of these that give scalars or descriptions of arrays, and need nothing but values that are known.
    fn hoist(&mut self, cx: &mut Cx<'_>, ops: &[OpId]) -> Translated {
        for &id in ops {
            let op = cx.old(id);
            let is_small = |value: Value| {
                matches!(
                    cx.from.ty(value).kind,
                    TileAaKind::Scalar(_) | TileAaKind::Memref(_)
                )
            };
            let is_known = |value: &Value| !cx.all(*value).is_empty();
            if op.kind.is_pure()
                && op.kind.region_list().is_empty()
                && op.results().all(is_small)
                && op.kind.operand_list().iter().all(is_known)
            {
                cx.set_origin(op.origin);
                self.op(cx, id)?;
                self.done.insert(id);
            }
        }
        Ok(())
    }

    /// Writes a branch with what follows it on the side that goes on. Returns what is handed over at the end.
    fn branch(
        &mut self,
        cx: &mut Cx<'_>,
        end: End,
        condition: Value,
        sides: [Block; 2],
        rest: &After<'_>,
    ) -> Result<Vec<Value>, Diagnostic<Origin>> {
        let origin = cx.origin();
        let mut types: Vec<TileAaType> = Vec::new();
        let mut regions = Vec::new();
        for side in sides {
            let region = cx.body_mut().add_region();
            let new = cx.body_mut().add_block(region);
            let ops = cx.from.block(side).ops.as_slice();
            let handed = cx.within(new, |cx| -> Result<Option<Vec<Value>>, Diagnostic<Origin>> {
                let handed = self.up_to(cx, end, ops, Some(rest))?;
                if let Some(values) = handed.clone() {
                    cx.build().effect(ScfOp::Yield { values });
                }
                Ok(handed)
            })?;
            if let Some(values) = handed {
                types = values.iter().map(|&value| cx.ty(value).clone()).collect();
            }
            regions.push(region);
        }
        cx.set_origin(origin);
        let condition = cx.one(condition);
        let &[then, otherwise] = regions.as_slice() else {
            return Ok(Vec::new());
        };
        let branch = ScfOp::If {
            condition,
            then,
            otherwise,
        };
        let branch = cx.build().op(branch, types);
        Ok(cx.new_body().op(branch).results().collect())
    }
}

impl Translate<TileAa, TileAa> for Structure {
    fn types(&mut self, ty: &TileAaType) -> Result<Vec<TileAaType>, Diagnostic<Origin>> {
        Ok(vec![ty.clone()])
    }

    fn op(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        if let Some(block) = self.returns.take() {
            let ops = cx.from.block(block).ops.as_slice();
            self.up_to(cx, End::Kernel, ops, None)?;
            cx.build().effect(ScfOp::Return {});
            self.done.extend(ops);
        }
        if self.done.contains(&id) {
            return Ok(());
        }
        let old = cx.old(id);
        if let Some(block) = executed_once(cx.from, id)
            && let TileAaOp::Scf(ScfOp::Loop { inits, .. }) = &old.kind
        {
            for (&arg, &init) in cx.from.block(block).args.iter().zip(inits) {
                let value = cx.one(init);
                cx.bind(arg, [value]);
            }
            let ops = cx.from.block(block).ops.as_slice();
            let values = self.up_to(cx, End::Loop, ops, None)?.unwrap_or_default();
            cx.bind_results(id, values);
            return Ok(());
        }
        let TileAaOp::Scf(looped @ ScfOp::For { inits, body, .. }) = &old.kind else {
            return cx.carry(id, &old.kind, self);
        };
        let Some(inner) = cx
            .from
            .only_block(*body)
            .filter(|&inner| End::Iteration.is_early(cx.from, inner))
        else {
            return cx.carry(id, &old.kind, self);
        };
        let region = cx.body_mut().add_region();
        let new = cx.body_mut().add_block(region);
        cx.block_args(inner, new, self)?;
        let ops = cx.from.block(inner).ops.as_slice();
        let origin = cx.origin();
        cx.within(new, |cx| -> Translated {
            if let Some(values) = self.up_to(cx, End::Iteration, ops, None)? {
                cx.build().effect(ScfOp::Continue { values });
            }
            Ok(())
        })?;
        cx.set_origin(origin);
        let inits = inits.iter().map(|&init| cx.one(init)).collect();
        let Some(looped) = looped.over_range(|bound| cx.one(bound), inits, region) else {
            return Ok(());
        };
        let types: Vec<TileAaType> = old.results().map(|result| cx.from.ty(result).clone()).collect();
        let looped = cx.build().op(looped, types);
        let results: Vec<Value> = cx.new_body().op(looped).results().collect();
        cx.bind_results(id, results);
        Ok(())
    }
}
