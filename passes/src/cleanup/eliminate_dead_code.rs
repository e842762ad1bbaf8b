//! Eliminates dead ops, block arguments and blocks. Any language, to itself.
//!
//! In: any function, with structured control flow or with branches between blocks. Out: the same function without
//!
//! - unreachable blocks;
//! - ops whose results are unused, that write nothing (memory, barriers or output), and that always terminate; an op
//!   with regions is removed if this is true for all ops in them and control does not leave them for elsewhere;
//! - unused arguments of blocks, other than a region's entry, with the operands of branches for them.
//!
//! A load is removed like any other op unless it is ordered ([`Effects`](tilewright_irs::core::Effects)).

use rustc_hash::FxHashMap;
use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{
    Block, Body, Func, Language, OpId, Operation, Origin, Region, Remap, SideTable, Successor, Value,
    WholeEffects, reverse_postorder,
};

/// Eliminates dead code; see [the module](self).
///
/// # Errors
/// None; the type is that of all passes.
pub fn eliminate_dead_code<L: Language>(func: &Func<L>) -> Result<Func<L>, Vec<Diagnostic<Origin>>> {
    Ok(Func {
        name: func.name.clone(),
        attrs: func.attrs.clone(),
        body: without_dead_code(func.body.clone()),
    })
}

/// The body without dead code; see [the module](self).
pub(crate) fn without_dead_code<L: Language>(body: Body<L>) -> Body<L> {
    let live = Mark::run(&body);
    sweep(body, &live)
}

/// The live entities.
struct Live {
    ops: SideTable<OpId, ()>,
    /// Live arguments of blocks.
    args: SideTable<Value, ()>,
    /// Reachable blocks.
    blocks: SideTable<Block, ()>,
}

/// The marking phase.
struct Mark<'a, L: Language> {
    body: &'a Body<L>,
    effects: WholeEffects,
    definitions: SideTable<Value, OpId>,
    /// The branch operands for each argument of a block.
    passed: SideTable<Value, Vec<Value>>,
    live: Live,
    /// Worklist: live values whose definitions have not been visited.
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

    /// Marks a region that is executed: its ops with side effects are live.
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

/// The body with only its live parts.
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

/// Removes the entries for which `keeps` is `false`.
fn retain(values: &mut Vec<Value>, keeps: &[bool]) {
    let mut keeps = keeps.iter();
    values.retain(|_| keeps.next().is_none_or(|&keep| keep));
}

/// Removes branch operands for removed arguments.
struct Trim<'a> {
    /// For blocks that lose arguments, which of them are kept.
    dropped: &'a FxHashMap<Block, Vec<bool>>,
}

impl Remap for Trim<'_> {
    fn value(&mut self, value: Value) -> Value {
        value
    }
    fn values(&mut self, _: &mut Vec<Value>) {}
    fn successor(&mut self, successor: &mut Successor) {
        if let Some(keeps) = self.dropped.get(&successor.block) {
            retain(&mut successor.args, keeps);
        }
    }
}
