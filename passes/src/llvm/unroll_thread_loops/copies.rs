//! Copies of the iterations of a loop.

use rustc_hash::FxHashMap;
use tilewright_irs::core::{
    Block, Body, Builder, Few, Operation, Origin, Remap, Successor, Value, reverse_postorder,
};
use tilewright_irs::dialects::arith::ArithOp;
use tilewright_irs::literal::Dense;
use tilewright_irs::llvm::{Llvm, LlvmDialect, LlvmOp, LlvmType};

use super::Loop;
use super::trips::Trips;

/// The body with copies of a loop's blocks in its place, a set for each iteration. Counters are constants in each.
pub(super) fn unroll(mut body: Body<Llvm>, one: &Loop, trips: &Trips) -> Body<Llvm> {
    let root = body.root();
    let heads: Vec<Block> = trips.counters.iter().map(|_| body.add_block(root)).collect();
    let mut values = FxHashMap::default();
    // The edge into the loop.
    let Some(entered) = body.terminator(one.before) else {
        return body;
    };
    let mut passed = Vec::new();
    let first = heads.first().copied();
    body.op_mut(entered).kind.remap(&mut Rename {
        values: &values,
        blocks: &FxHashMap::default(),
        head: (one.head, first),
        passed: &mut passed,
    });
    let iterations = heads.iter().zip(&trips.counters).enumerate();
    for (at, (&head, counters)) in iterations {
        let next = heads.get(at + 1).copied();
        // In the last iteration, a loop that is left where one begins has nothing after that.
        let copied: &[Block] = match next {
            None if one.exit == one.head => std::slice::from_ref(&one.head),
            _ => &one.blocks,
        };
        let args = body.block(one.head).args.clone();
        for (arg, value) in args.into_iter().zip(std::mem::take(&mut passed)) {
            let value = match counters.get(&arg) {
                Some(&literal) => {
                    let constant = ArithOp::Constant {
                        value: Dense::Splat(literal),
                    };
                    Builder::new(&mut body, head, Origin::FUNCTION)
                        .value(constant, LlvmType::Scalar(literal.ty))
                }
                None => value,
            };
            values.insert(arg, value);
        }
        let mut blocks: FxHashMap<Block, Block> = FxHashMap::default();
        blocks.insert(one.head, head);
        for &block in copied.iter().filter(|&&block| block != one.head) {
            let new = body.add_block(root);
            blocks.insert(block, new);
            for arg in body.block(block).args.clone() {
                let ty = *body.ty(arg);
                values.insert(arg, body.add_arg(new, ty));
            }
        }
        for &block in copied {
            let Some(&new) = blocks.get(&block) else { continue };
            for id in body.block(block).ops.clone() {
                let op = body.op(id).clone();
                let mut kind = op.kind.clone();
                if block == one.exit
                    && let LlvmOp::Llvm(LlvmDialect::CondBr { yes, no, .. }) = &op.kind
                {
                    let leaves_on_yes = yes.block == one.after;
                    let target = if leaves_on_yes == next.is_none() { yes } else { no };
                    let target = target.clone();
                    kind = LlvmDialect::Br { target }.into();
                }
                kind.remap(&mut Rename {
                    values: &values,
                    blocks: &blocks,
                    head: (one.head, next),
                    passed: &mut passed,
                });
                let types: Few<LlvmType> = op.results().map(|result| *body.ty(result)).collect();
                let copy = Builder::new(&mut body, new, op.origin).op(kind, types);
                values.extend(op.results().zip(body.op(copy).results()));
            }
        }
    }
    // After the loop, its values are those of the last iteration.
    let order = reverse_postorder(&body, root);
    for &block in order.iter().filter(|block| !one.blocks.contains(block)) {
        for id in body.block(block).ops.clone() {
            let mut passed = Vec::new();
            body.op_mut(id).kind.remap(&mut Rename {
                values: &values,
                blocks: &FxHashMap::default(),
                head: (one.head, None),
                passed: &mut passed,
            });
        }
    }
    body.arrange_blocks(root, order);
    body
}

/// Replaces handles by those of a copy; the head of the loop takes no arguments there.
struct Rename<'a> {
    values: &'a FxHashMap<Value, Value>,
    blocks: &'a FxHashMap<Block, Block>,
    /// The head of the loop, and its copy in the next iteration.
    head: (Block, Option<Block>),
    /// What is passed to it.
    passed: &'a mut Vec<Value>,
}

impl Remap for Rename<'_> {
    fn value(&mut self, value: Value) -> Value {
        self.values.get(&value).copied().unwrap_or(value)
    }
    fn successor(&mut self, successor: &mut Successor) {
        self.values(&mut successor.args);
        match self.head {
            (head, Some(next)) if successor.block == head => {
                successor.block = next;
                *self.passed = std::mem::take(&mut successor.args);
            }
            _ => {
                if let Some(&block) = self.blocks.get(&successor.block) {
                    successor.block = block;
                }
            }
        }
    }
}
