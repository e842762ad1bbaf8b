//! Gives every iteration of a counted loop one end: what follows an early one moves into the other branch. `tileaa` to `tileaa`.
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

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{
    Block, Body, Func, OpId, Origin, Translate, Translated, Translation, Value, translate_func,
};
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::tileaa::{TileAa, TileAaOp, TileAaType};

/// Structures the early ends of iterations.
///
/// # Errors
/// None; the type is that of all passes.
pub fn structure_continues(func: &Func<TileAa>) -> Result<Func<TileAa>, Vec<Diagnostic<Origin>>> {
    let ends_early = |id: &OpId| match &func.body.op(*id).kind {
        TileAaOp::Scf(ScfOp::For { body, .. }) => func
            .body
            .only_block(*body)
            .is_some_and(|block| ends_early(&func.body, block)),
        _ => false,
    };
    if !func.body.walk().iter().any(ends_early) {
        return Ok(func.clone());
    }
    translate_func(func, func.attrs.clone(), &mut Structure)
}

type Cx<'a> = Translation<'a, TileAa, TileAa>;

struct Structure;

/// What is executed after a branch.
#[derive(Clone, Copy)]
struct After<'a> {
    branch: OpId,
    rest: &'a [OpId],
    outer: Option<&'a After<'a>>,
}

/// Whether an iteration may end in a branch of its body, on one side of it.
fn ends_early(body: &Body<TileAa>, of: Block) -> bool {
    body.block(of).ops.iter().any(|&id| sides(body, id).is_some())
}

/// The sides of a branch one of which ends the iteration, or both.
fn sides(body: &Body<TileAa>, id: OpId) -> Option<[Block; 2]> {
    let TileAaOp::Scf(ScfOp::If { then, otherwise, .. }) = &body.op(id).kind else {
        return None;
    };
    let sides = [body.only_block(*then)?, body.only_block(*otherwise)?];
    let ends = |side: Block| {
        let last = body.terminator(side).map(|last| &body.op(last).kind);
        match last {
            Some(TileAaOp::Scf(ScfOp::Continue { .. })) => Some(true),
            Some(TileAaOp::Scf(ScfOp::Yield { .. })) => Some(ends_early(body, side)),
            _ => None,
        }
    };
    let [first, second] = [ends(sides[0])?, ends(sides[1])?];
    let goes_on = |side: Block| {
        matches!(
            body.terminator(side).map(|last| &body.op(last).kind),
            Some(TileAaOp::Scf(ScfOp::Yield { .. }))
        )
    };
    let both_go_on = sides.iter().all(|&side| goes_on(side));
    ((first || second) && !both_go_on).then_some(sides)
}

impl Structure {
    /// Writes ops of an iteration, and what follows them, up to its end. Returns what it hands over; `None` where the kernel ends.
    fn iteration(
        &mut self,
        cx: &mut Cx<'_>,
        ops: &[OpId],
        after: Option<&After<'_>>,
    ) -> Result<Option<Vec<Value>>, Diagnostic<Origin>> {
        for (at, &id) in ops.iter().enumerate() {
            let op = cx.old(id);
            cx.set_origin(op.origin);
            match &op.kind {
                TileAaOp::Scf(ScfOp::Continue { values }) => {
                    return Ok(Some(values.iter().map(|&value| cx.one(value)).collect()));
                }
                TileAaOp::Scf(ScfOp::Yield { values }) => {
                    let Some(after) = after else {
                        return Ok(None);
                    };
                    let values: Vec<Value> = values.iter().map(|&value| cx.one(value)).collect();
                    cx.bind_results(after.branch, values);
                    return self.iteration(cx, after.rest, after.outer);
                }
                TileAaOp::Scf(ScfOp::If { condition, .. }) => {
                    if let Some(sides) = sides(cx.from, id) {
                        let rest = After {
                            branch: id,
                            rest: ops.get(at + 1..).unwrap_or_default(),
                            outer: after,
                        };
                        return self.branch(cx, *condition, sides, &rest).map(Some);
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

    /// Writes a branch with what follows it on the side that goes on. Returns what the iteration hands over.
    fn branch(
        &mut self,
        cx: &mut Cx<'_>,
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
                let handed = self.iteration(cx, ops, Some(rest))?;
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
        let old = cx.old(id);
        let TileAaOp::Scf(looped @ ScfOp::For { inits, body, .. }) = &old.kind else {
            return cx.carry(id, &old.kind, self);
        };
        let Some(inner) = cx
            .from
            .only_block(*body)
            .filter(|&inner| ends_early(cx.from, inner))
        else {
            return cx.carry(id, &old.kind, self);
        };
        let region = cx.body_mut().add_region();
        let new = cx.body_mut().add_block(region);
        cx.block_args(inner, new, self)?;
        let ops = cx.from.block(inner).ops.as_slice();
        let origin = cx.origin();
        cx.within(new, |cx| -> Translated {
            if let Some(values) = self.iteration(cx, ops, None)? {
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
