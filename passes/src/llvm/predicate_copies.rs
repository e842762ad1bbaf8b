//! Guards asynchronous copies in loops by the condition of their branch, which it removes.
//!
//! In and out: `llvm_like`. A branch in a loop that does nothing but start copies (`cp.async`), as where a pipeline loads ahead
//! unless the loop is about to end, becomes part of the block before it: addresses are computed whether or not they are needed,
//! and each copy has the condition as its guard. `ptxas` converts such a branch in any case; where the condition is the same in all
//! threads, it guards the arithmetic of addresses too, and copies the condition from a uniform predicate before each instruction.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{
    Block, Body, Builder, Func, Operation, Origin, SideTable, Successor, Value, reverse_postorder,
};
use tilewright_irs::dialects::arith::ArithOp;
use tilewright_irs::isa::{Instruction, TargetOp};
use tilewright_irs::llvm::{Llvm, LlvmDialect, LlvmOp};

use super::loops::{Loops, ways_in};
use crate::cleanup::substitute::Resolve;

/// Limit of the ops that are computed in vain where the condition does not hold, for each copy.
const MAX_OPS_PER_COPY: usize = 8;

/// Guards copies; see [the module](self).
///
/// # Errors
/// None; the type is that of all passes.
pub fn predicate_copies(func: &Func<Llvm>) -> Result<Func<Llvm>, Vec<Diagnostic<Origin>>> {
    let copies = |op: &LlvmOp| matches!(op, LlvmOp::Target(op) if is_copy(op));
    if !func.body.ops().any(|(_, op)| copies(&op.kind)) {
        return Ok(func.clone());
    }
    let loops = Loops::of(&func.body);
    let order = reverse_postorder(&func.body, func.body.root());
    let mut ways_in = ways_in(&func.body, &order);
    let mut body = func.body.clone();
    let mut removed: SideTable<Block, ()> = SideTable::new(order.len());
    let mut replaced: SideTable<Value, Value> = body.value_table();
    // A block after those that follow it, so that a branch around another one is seen without it.
    for &block in order.iter().rev() {
        let is_in_loop = loops.around(block).is_some();
        let found = is_in_loop.then(|| branch(&body, &ways_in, block)).flatten();
        if let Some(branch) = found {
            removed.set(branch.copies, ());
            let after = branch.yes.block;
            let ways = ways_in.get(after).copied().unwrap_or(0);
            ways_in.set(after, ways - 1);
            // What follows belongs to the same block, if there is no other way to it.
            if ways == 2 {
                removed.set(after, ());
            }
            branch.remove(&mut body, block, (ways == 2).then_some(&mut replaced));
        }
    }
    let root = body.root();
    let mut kept = body.region(root).blocks.clone();
    let before = kept.len();
    kept.retain(|&block| removed.get(block).is_none());
    if kept.len() == before {
        return Ok(func.clone());
    }
    body.arrange_blocks(root, kept);
    for id in body.walk() {
        body.op_mut(id).kind.remap(&mut Resolve(&replaced));
    }
    Ok(Func {
        name: func.name.clone(),
        attrs: func.attrs.clone(),
        body: body.renumbered(),
    })
}

/// Whether an instruction starts an asynchronous copy of some bytes, in any case.
fn is_copy(op: &TargetOp) -> bool {
    matches!(op.instruction, Instruction::CpAsync { .. }) && op.guard.is_none()
}

/// A branch around copies.
struct Branch {
    condition: Value,
    /// What the block passes on where the condition does not hold.
    no: Successor,
    /// The block with the copies.
    copies: Block,
    /// What it passes on.
    yes: Successor,
}

/// The branch at the end of a block, if it only starts copies.
fn branch(body: &Body<Llvm>, ways_in: &SideTable<Block, u32>, block: Block) -> Option<Branch> {
    let LlvmOp::Llvm(LlvmDialect::CondBr {
        condition,
        yes: into,
        no,
        unroll: None,
    }) = &body.op(body.terminator(block)?).kind
    else {
        return None;
    };
    let LlvmOp::Llvm(LlvmDialect::Br { target: yes }) = &body.op(body.terminator(into.block)?).kind else {
        return None;
    };
    if yes.block != no.block || ways_in.get(into.block) != Some(&1) || !into.args.is_empty() {
        return None;
    }
    let (_, ops) = body.block(into.block).ops.split_last()?;
    let (mut copies, mut others) = (0, 0_usize);
    for &id in ops {
        match &body.op(id).kind {
            LlvmOp::Target(op) if is_copy(op) => copies += 1,
            // Where a promise is broken, the value is used by no copy.
            op if op.effects().without_promises().is_speculatable() => others += 1,
            _ => return None,
        }
    }
    (others <= MAX_OPS_PER_COPY * copies && copies > 0).then(|| Branch {
        condition: *condition,
        no: no.clone(),
        copies: into.block,
        yes: yes.clone(),
    })
}

impl Branch {
    /// Moves the copies to the end of the block, in place of the branch, and what follows them too if the values of its arguments
    /// are asked for.
    fn remove(self, body: &mut Body<Llvm>, block: Block, replaced: Option<&mut SideTable<Value, Value>>) {
        let Self {
            condition,
            no,
            copies,
            yes,
        } = self;
        let mut ops = body.block(block).ops.clone();
        let mut moved = body.block(copies).ops.clone();
        let (Some(old), Some(_)) = (ops.pop(), moved.pop()) else {
            return;
        };
        for &id in &moved {
            if let LlvmOp::Target(op) = &mut body.op_mut(id).kind
                && is_copy(op)
            {
                op.guard = Some(condition);
            }
        }
        ops.extend(moved);
        body.arrange_ops(block, ops);
        let origin = body.op(old).origin;
        let mut build = Builder::new(body, block, origin);
        let mut args = Vec::with_capacity(yes.args.len());
        for (&yes, &no) in yes.args.iter().zip(&no.args) {
            args.push(if yes == no {
                yes
            } else {
                let ty = *build.ty(yes);
                build.value(ArithOp::Select { condition, yes, no }, ty)
            });
        }
        let after = yes.block;
        let Some(replaced) = replaced else {
            let target = Successor { block: after, args };
            build.effect(LlvmDialect::Br { target });
            return;
        };
        for (&argument, value) in body.block(after).args.iter().zip(args) {
            replaced.set(argument, value);
        }
        let mut ops = body.block(block).ops.clone();
        ops.extend(body.block(after).ops.iter().copied());
        body.arrange_ops(block, ops);
    }
}
