//! Merges consecutive branches on one condition.
//!
//! In and out: `cute_desugared`. Where an `scf.if` without results is followed by another one on the same condition, with only pure
//! ops between them, the branches of the first move to the beginning of those of the second. The ops between them move before both.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Block, Body, Func, OpId, Operation, Origin, Region, Value};
use tilewright_irs::cute_desugared::{CuteDesugared, CuteDesugaredOp};
use tilewright_irs::dialects::scf::ScfOp;

/// Merges branches; see [the module](self).
///
/// # Errors
/// None; the type is that of all passes.
pub fn merge_branches(func: &Func<CuteDesugared>) -> Result<Func<CuteDesugared>, Vec<Diagnostic<Origin>>> {
    let mut body = func.body.clone();
    let mut changed = false;
    let blocks = func.body.walk().into_iter().flat_map(|id| {
        let regions = func.body.op(id).kind.region_list().into_iter();
        regions.filter_map(|region| func.body.only_block(region))
    });
    // The innermost blocks last, which only gain ops when blocks around them are done.
    for block in func.body.entry().into_iter().chain(blocks) {
        changed |= merge_in(&mut body, block);
    }
    Ok(Func {
        name: func.name.clone(),
        attrs: func.attrs.clone(),
        body: if changed { body.renumbered() } else { body },
    })
}

/// A branch, and what it runs.
#[derive(Clone, Copy)]
struct Branch {
    condition: Value,
    blocks: [Block; 2],
}

/// The op as a branch.
fn branch(body: &Body<CuteDesugared>, id: OpId) -> Option<Branch> {
    let CuteDesugaredOp::Scf(ScfOp::If {
        condition,
        then,
        otherwise,
    }) = body.op(id).kind
    else {
        return None;
    };
    let block = |region: Region| body.only_block(region);
    Some(Branch {
        condition,
        blocks: [block(then)?, block(otherwise)?],
    })
}

/// Whether what follows a branch is reached by both of its sides, without values from them.
fn goes_on(body: &Body<CuteDesugared>, id: OpId, branch: Branch) -> bool {
    let yields = |block| {
        let last = body.terminator(block).map(|id| &body.op(id).kind);
        matches!(last, Some(CuteDesugaredOp::Scf(ScfOp::Yield { .. })))
    };
    body.op(id).results().len() == 0 && branch.blocks.into_iter().all(yields)
}

/// Merges the branches among the ops of a block. Whether there are any.
fn merge_in(body: &mut Body<CuteDesugared>, block: Block) -> bool {
    let ops = body.block(block).ops.clone();
    let mut kept: Vec<OpId> = Vec::with_capacity(ops.len());
    // The last branch, after which there are only pure ops, and its place.
    let mut last: Option<(usize, Branch)> = None;
    for &id in &ops {
        if let Some(second) = branch(body, id) {
            if let Some((at, first)) = last
                && first.condition == second.condition
            {
                kept.remove(at);
                for (from, to) in first.blocks.into_iter().zip(second.blocks) {
                    prepend(body, from, to);
                }
            }
            last = goes_on(body, id, second).then_some((kept.len(), second));
        } else if !body.op(id).kind.is_pure() {
            last = None;
        }
        kept.push(id);
    }
    let changed = kept.len() < ops.len();
    if changed {
        body.arrange_ops(block, kept);
    }
    changed
}

/// Moves the ops of one block, without its terminator, to the beginning of another one.
fn prepend(body: &mut Body<CuteDesugared>, from: Block, to: Block) {
    let mut ops = body.block(from).ops.clone();
    let end = ops.pop();
    ops.extend(body.block(to).ops.iter().copied());
    body.arrange_ops(to, ops);
    body.arrange_ops(from, end.into_iter().collect());
}
