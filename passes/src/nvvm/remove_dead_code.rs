//! Removes instructions without effect whose results nothing uses, and blocks that nothing reaches.
//!
//! In: any function of `nvvm`. Out: the same function without them. Loads stay: they may fault, and ordered ones
//! synchronise.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Block, Body, Func, OpId, Operation, Origin, Region, Remap, SideTable, Value};
use tilewright_irs::nvvm::Nvvm;

/// Removes dead instructions and blocks that are not reached.
pub fn remove_dead_code(func: &Func<Nvvm>) -> Result<Func<Nvvm>, Vec<Diagnostic<Origin>>> {
    let from = &func.body;
    let reached = reached(from);
    let live = live(from, &reached);
    let mut to: Body<Nvvm> = Body::default();
    let root = to.root();
    let mut map = Map {
        values: from.value_table(),
        blocks: SideTable::new(0),
    };
    for &block in &reached {
        let new = to.add_block(root);
        map.blocks.set(block, new);
        for &arg in &from.block(block).args {
            let new = to.add_arg(new, *from.ty(arg));
            map.values.set(arg, new);
        }
    }
    // Results first: a definition that dominates its use may come later in the text.
    let mut made: Vec<OpId> = Vec::new();
    for &block in &reached {
        let Some(&new) = map.blocks.get(block) else {
            continue;
        };
        for &id in from.block(block).ops.iter().filter(|&&id| live.contains(&id)) {
            let op = from.op(id);
            let types: Vec<_> = op.results().map(|result| *from.ty(result)).collect();
            let made_op = to.add_op(new, op.kind.clone(), types, op.origin, ());
            for (old, result) in op.results().zip(to.op(made_op).results()) {
                map.values.set(old, result);
            }
            made.push(made_op);
        }
    }
    for id in made {
        let mut kind = to.op(id).kind.clone();
        kind.remap(&mut map);
        to.op_mut(id).kind = kind;
    }
    Ok(Func {
        name: func.name.clone(),
        attrs: func.attrs.clone(),
        body: to.renumbered(),
    })
}

/// The blocks that are reached, in the order of the text.
fn reached(body: &Body<Nvvm>) -> Vec<Block> {
    let blocks = &body.region(body.root()).blocks;
    let mut seen = rustc_hash::FxHashSet::default();
    let mut stack: Vec<Block> = body.entry().into_iter().collect();
    while let Some(block) = stack.pop() {
        if seen.insert(block)
            && let Some(last) = body.terminator(block)
        {
            body.op(last)
                .kind
                .successors(&mut |successor| stack.push(successor.block));
        }
    }
    blocks
        .iter()
        .copied()
        .filter(|block| seen.contains(block))
        .collect()
}

/// The ops that have an effect, and what they need.
fn live(body: &Body<Nvvm>, blocks: &[Block]) -> rustc_hash::FxHashSet<OpId> {
    let definitions = body.definitions();
    let mut live = rustc_hash::FxHashSet::default();
    let mut stack: Vec<OpId> = Vec::new();
    for &block in blocks {
        let ops = body.block(block).ops.iter().copied();
        stack.extend(ops.filter(|&id| !body.op(id).kind.is_pure()));
    }
    while let Some(id) = stack.pop() {
        if live.insert(id) {
            body.op(id)
                .kind
                .operands(&mut |value| stack.extend(definitions.get(value)));
        }
    }
    live
}

struct Map {
    values: SideTable<Value, Value>,
    blocks: SideTable<Block, Block>,
}

impl Remap for Map {
    fn value(&mut self, value: Value) -> Value {
        self.values.get(value).copied().unwrap_or(value)
    }
    fn values(&mut self, values: &mut Vec<Value>) {
        for value in values {
            *value = self.value(*value);
        }
    }
    fn region(&mut self, region: Region) -> Region {
        region
    }
    fn block(&mut self, block: Block) -> Block {
        self.blocks.get(block).copied().unwrap_or(block)
    }
}
