//! Removes ops, block arguments and blocks that nothing needs. Any language, to itself.
//!
//! In: any function, of structured control flow or of blocks with branches. Out: the same function without
//!
//! - blocks that control does not reach;
//! - ops whose results nobody uses and that write nothing, neither memory nor barriers nor output, and always end;
//!   an op with regions goes when this holds of all that is in them and control does not leave them for elsewhere;
//! - arguments of blocks, other than a region's first, that nobody uses, and what branches pass for them.
//!
//! A load goes like any other op unless it is ordered ([`Effects`](tilewright_irs::core::Effects)).

use rustc_hash::FxHashMap;
use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{
    Block, Body, Func, Language, OpId, Operation, Origin, Region, Remap, SideTable, Successor, Value,
    WholeEffects, reverse_postorder,
};

/// Removes what nothing needs; see [the module](self).
///
/// # Errors
/// None; the type is that of all passes.
pub fn eliminate_dead_code<L: Language>(func: &Func<L>) -> Result<Func<L>, Vec<Diagnostic<Origin>>> {
    let live = Mark::run(&func.body);
    Ok(Func {
        name: func.name.clone(),
        attrs: func.attrs.clone(),
        body: sweep(func.body.clone(), &live),
    })
}

/// What is needed.
struct Live {
    ops: SideTable<OpId, ()>,
    /// Arguments of blocks.
    args: SideTable<Value, ()>,
    /// Blocks that control reaches.
    blocks: SideTable<Block, ()>,
}

/// Finds what is needed.
struct Mark<'a, L: Language> {
    body: &'a Body<L>,
    effects: WholeEffects,
    definitions: SideTable<Value, OpId>,
    /// What branches pass for each argument of a block.
    passed: SideTable<Value, Vec<Value>>,
    live: Live,
    /// Values that are needed, and whose definitions are still to be looked at.
    open: Vec<Value>,
}

impl<'a, L: Language> Mark<'a, L> {
    fn run(body: &'a Body<L>) -> Live {
        let mut mark = Self {
            body,
            effects: WholeEffects::of(body),
            definitions: body.definitions(),
            passed: body.value_table(),
            live: Live {
                ops: SideTable::new(body.op_count()),
                args: body.value_table(),
                blocks: SideTable::new(0),
            },
            open: Vec::new(),
        };
        mark.region(body.root());
        while let Some(value) = mark.open.pop() {
            match mark.definitions.get(value) {
                Some(&id) => mark.op(id),
                None => mark.arg(value),
            }
        }
        mark.live
    }

    /// A region that runs: what is in it and does something is needed.
    fn region(&mut self, region: Region) {
        let body = self.body;
        let reached = match body.only_block(region) {
            Some(block) => vec![block],
            None => reverse_postorder(body, region),
        };
        for &block in &reached {
            self.live.blocks.set(block, ());
            for &id in &body.block(block).ops {
                body.op(id)
                    .kind
                    .successors(&mut |successor| self.branch(successor));
            }
        }
        if let Some(&first) = reached.first() {
            self.open.extend(&body.block(first).args);
        }
        for &block in &reached {
            for &id in &body.block(block).ops {
                if !self.effects.get(body, id).is_removable() {
                    self.op(id);
                }
            }
        }
    }

    fn branch(&mut self, successor: &Successor) {
        let args = &self.body.block(successor.block).args;
        for (&arg, &value) in args.iter().zip(&successor.args) {
            match self.passed.get_mut(arg) {
                Some(list) => list.push(value),
                None => self.passed.set(arg, vec![value]),
            }
            if self.live.args.get(arg).is_some() {
                self.open.push(value);
            }
        }
    }

    fn op(&mut self, id: OpId) {
        if self.live.ops.get(id).is_some() {
            return;
        }
        self.live.ops.set(id, ());
        let kind = &self.body.op(id).kind;
        self.open.extend(kind.own_operands());
        for region in kind.region_list() {
            self.region(region);
        }
    }

    fn arg(&mut self, value: Value) {
        if self.live.args.get(value).is_none() {
            self.live.args.set(value, ());
            self.open.extend(self.passed.get(value).into_iter().flatten());
        }
    }
}

/// The body with what is needed alone.
fn sweep<L: Language>(mut body: Body<L>, live: &Live) -> Body<L> {
    let mut dropped = FxHashMap::default();
    let mut regions = vec![body.root()];
    while let Some(region) = regions.pop() {
        let blocks = &body.region(region).blocks;
        let blocks: Vec<Block> = blocks
            .iter()
            .copied()
            .filter(|&block| live.blocks.get(block).is_some())
            .collect();
        for &block in &blocks {
            let data = body.block(block);
            let keeps: Vec<bool> = data
                .args
                .iter()
                .map(|&arg| live.args.get(arg).is_some())
                .collect();
            let mut args = data.args.clone();
            retain(&mut args, &keeps);
            let mut ops = data.ops.clone();
            ops.retain(|&id| live.ops.get(id).is_some());
            for &id in &ops {
                regions.extend(body.op(id).kind.region_list());
            }
            body.arrange_args(block, args);
            body.arrange_ops(block, ops);
            if keeps.contains(&false) {
                dropped.insert(block, keeps);
            }
        }
        body.arrange_blocks(region, blocks);
    }
    if !dropped.is_empty() {
        for id in body.walk() {
            body.op_mut(id).kind.remap(&mut Trim { dropped: &dropped });
        }
    }
    body.renumbered()
}

/// Drops those for which there is a `false`.
fn retain(values: &mut Vec<Value>, keeps: &[bool]) {
    let mut keeps = keeps.iter();
    values.retain(|_| keeps.next().is_none_or(|&keep| keep));
}

/// Drops what branches pass for arguments that are gone.
struct Trim<'a> {
    /// For blocks that lose arguments, which of them stay.
    dropped: &'a FxHashMap<Block, Vec<bool>>,
}

impl Remap for Trim<'_> {
    fn value(&mut self, value: Value) -> Value {
        value
    }
    fn values(&mut self, _: &mut Vec<Value>) {}
    fn region(&mut self, region: Region) -> Region {
        region
    }
    fn block(&mut self, block: Block) -> Block {
        block
    }
    fn successor(&mut self, successor: &mut Successor) {
        if let Some(keeps) = self.dropped.get(&successor.block) {
            retain(&mut successor.args, keeps);
        }
    }
}
