//! Removes ops and block arguments whose values nobody uses.
//!
//! In and out: `llvm_like`. Kept are stores, barriers, terminators, loads that order other accesses, and what these
//! need; a block argument is needed when an op that is kept uses it, and only then are the values that branches pass.
//! Blocks that nothing reaches are dropped.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{
    Block, Body, Func, OpId, Operation, Origin, Region, Remap, SideTable, Successor, Value, reverse_postorder,
};
use tilewright_irs::llvm::{Llvm, LlvmDialect, LlvmOp, LlvmType};

/// Removes what has no effect; see [the module](self).
pub fn eliminate_dead_code(func: &Func<Llvm>) -> Result<Func<Llvm>, Vec<Diagnostic<Origin>>> {
    let body = &func.body;
    let order = reverse_postorder(body, body.root());
    let live = Live::of(body, &order);
    let mut sweep = Sweep {
        from: body,
        to: Body::default(),
        values: body.value_table(),
        blocks: SideTable::new(order.len()),
        live: &live,
    };
    sweep.run(&order);
    Ok(Func {
        name: func.name.clone(),
        attrs: func.attrs.clone(),
        body: sweep.to.renumbered(),
    })
}

/// Whether an op stays for its own sake.
fn is_root(op: &LlvmOp) -> bool {
    !op.effects().is_removable()
}

/// Which values are needed.
struct Live {
    values: SideTable<Value, ()>,
}

impl Live {
    fn of(body: &Body<Llvm>, order: &[Block]) -> Self {
        let definitions = body.definitions();
        // What branches pass for each block argument.
        let mut passed: SideTable<Value, Vec<Value>> = body.value_table();
        let mut open: Vec<Value> = Vec::new();
        for &block in order {
            for &id in &body.block(block).ops {
                let op = &body.op(id).kind;
                op.successors(&mut |successor| {
                    for (&arg, &value) in body.block(successor.block).args.iter().zip(&successor.args) {
                        let mut list = passed.get(arg).cloned().unwrap_or_default();
                        list.push(value);
                        passed.set(arg, list);
                    }
                });
                match op {
                    LlvmOp::Llvm(LlvmDialect::Br { .. }) => {}
                    LlvmOp::Llvm(LlvmDialect::CondBr { condition, .. }) => open.push(*condition),
                    _ if is_root(op) => op.operands(&mut |value| open.push(value)),
                    _ => {}
                }
            }
        }
        open.extend(body.params());
        let mut values = body.value_table();
        while let Some(value) = open.pop() {
            if values.get(value).is_some() {
                continue;
            }
            values.set(value, ());
            match definitions.get(value) {
                Some(&id) => body.op(id).kind.operands(&mut |operand| open.push(operand)),
                None => open.extend(passed.get(value).into_iter().flatten()),
            }
        }
        Self { values }
    }

    fn has(&self, value: Value) -> bool {
        self.values.get(value).is_some()
    }
}

struct Sweep<'a> {
    from: &'a Body<Llvm>,
    to: Body<Llvm>,
    values: SideTable<Value, Value>,
    blocks: SideTable<Block, Block>,
    live: &'a Live,
}

impl Sweep<'_> {
    fn run(&mut self, order: &[Block]) {
        let root = self.to.root();
        for &block in order {
            let new = self.to.add_block(root);
            self.blocks.set(block, new);
            for &arg in &self.from.block(block).args {
                if self.live.has(arg) {
                    let new = self.to.add_arg(new, *self.from.ty(arg));
                    self.values.set(arg, new);
                }
            }
        }
        for &block in order {
            for &id in &self.from.block(block).ops {
                self.op(block, id);
            }
        }
    }

    fn op(&mut self, block: Block, id: OpId) {
        let old = self.from.op(id);
        if !is_root(&old.kind) && !old.results().any(|result| self.live.has(result)) {
            return;
        }
        let mut kind = old.kind.clone();
        match &mut kind {
            LlvmOp::Llvm(LlvmDialect::Br { target }) => self.trim(target),
            LlvmOp::Llvm(LlvmDialect::CondBr { yes, no, .. }) => {
                self.trim(yes);
                self.trim(no);
            }
            LlvmOp::Llvm(_) | LlvmOp::Arith(_) => {}
        }
        kind.remap(self);
        let types: Vec<LlvmType> = old.results().map(|value| *self.from.ty(value)).collect();
        let Some(&block) = self.blocks.get(block) else {
            return;
        };
        let new = self.to.add_op(block, kind, types, old.origin, ());
        let results = self.to.op(new).results();
        for (old, new) in old.results().zip(results) {
            self.values.set(old, new);
        }
    }

    /// Drops what is passed for arguments that are gone.
    fn trim(&self, successor: &mut Successor) {
        let args = &self.from.block(successor.block).args;
        let passed = std::mem::take(&mut successor.args);
        let needed = args.iter().zip(passed).filter(|(arg, _)| self.live.has(**arg));
        successor.args = needed.map(|(_, value)| value).collect();
    }
}

impl Remap for Sweep<'_> {
    fn value(&mut self, value: Value) -> Value {
        self.values.get(value).copied().unwrap_or(value)
    }
    fn values(&mut self, values: &mut Vec<Value>) {
        for value in values {
            *value = self.values.get(*value).copied().unwrap_or(*value);
        }
    }
    fn region(&mut self, region: Region) -> Region {
        region
    }
    fn block(&mut self, block: Block) -> Block {
        self.blocks.get(block).copied().unwrap_or(block)
    }
}
