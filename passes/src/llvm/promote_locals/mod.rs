//! Promotes arrays of a thread to values.
//!
//! In and out: `llvm_like`. An array all of whose accesses are at places that are known becomes values: what a load reads is what
//! the stores before it wrote, through branches and loops, where the values become arguments of blocks. Accesses may differ in
//! their widths and types: an array is divided where any of them begins or ends, and numbers are taken apart and put together
//! accordingly. Where nothing was stored, a load gives a value of which nothing is known, and so does one outside of the array; a
//! store outside of it disappears.
//!
//! An array stays in memory, as a whole, if the place of one access depends on the run or lies in it in part, if its address is
//! used for anything but accesses, or if the bytes of a pointer are accessed as something else. A note says which op it is.
//!
//! Stores to an array that nothing reads disappear.
//!
//! The input is [simplified](super::simplify()) first, so that places are known that can be, and dead code is eliminated from the
//! output.

mod accesses;
mod shortcuts;
mod words;

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_diagnostics::{Code, Diagnostic, counted};
use tilewright_irs::core::{
    Block, Body, Builder, Entity, Func, OpId, Operation, Origin, Remap, SideTable, Successor, Value,
    reverse_postorder,
};
use tilewright_irs::dialects::arith::ArithOp;
use tilewright_irs::llvm::{Llvm, LlvmDialect, LlvmOp, LlvmType};

use super::simplify;
use crate::cleanup::substitute::{Substitute, resolved};
use crate::cleanup::without_dead_code;
use accesses::{Access, Arrays, Cell, Element, Obstacle};
use shortcuts::shortcuts;
use words::Words;

/// A function, and notes on the arrays that are still in memory.
#[derive(Debug)]
pub struct Promoted {
    /// The function.
    pub func: Func<Llvm>,
    /// The notes.
    pub notes: Vec<Diagnostic<Origin>>,
}

/// Whether an op makes an array of a thread.
pub(super) const fn is_array(op: &LlvmOp) -> bool {
    matches!(op, LlvmOp::Llvm(LlvmDialect::Alloca { .. }))
}

/// Promotes the arrays of a function; see [the module](self).
///
/// # Errors
/// None; the type is that of all passes.
pub fn promote_locals(func: &Func<Llvm>) -> Result<Promoted, Vec<Diagnostic<Origin>>> {
    if !func.body.ops().any(|(_, op)| is_array(&op.kind)) {
        return Ok(Promoted {
            func: func.clone(),
            notes: Vec::new(),
        });
    }
    let simple = simplify(func)?;
    let arrays = Arrays::of(&simple.body);
    let notes = notes(&arrays);
    if arrays.accesses.is_empty() && arrays.idle.is_empty() {
        let func = func.clone();
        return Ok(Promoted { func, notes });
    }
    let func = Func {
        name: simple.name,
        attrs: simple.attrs,
        body: without_dead_code(Promote::new(simple.body, arrays).run()),
    };
    Ok(Promoted { func, notes })
}

fn substitute(body: &mut Body<Llvm>, values: &SideTable<Value, Value>) {
    for id in body.walk() {
        body.op_mut(id).kind.remap(&mut Substitute(values));
    }
}

/// A note on each array that stays, in the order of their slots.
fn notes(arrays: &Arrays) -> Vec<Diagnostic<Origin>> {
    let mut kept: Vec<_> = arrays.kept.iter().collect();
    kept.sort_unstable_by_key(|(slot, _)| **slot);
    let note = |(_, kept): (&u32, &accesses::Kept)| {
        let message = format!(
            "an array of {} stays in local memory",
            counted(kept.bytes, "byte")
        );
        let label = match kept.obstacle {
            Obstacle::Index => "where this access is depends on the run",
            Obstacle::Escape => "this uses its address",
            Obstacle::Outside => "this access is in part outside of it",
            Obstacle::Pointer => "this accesses bytes of a pointer as something else",
        };
        Diagnostic::remark(Code::ArrayInMemory, message).at(kept.at, label)
    };
    kept.into_iter().map(note).collect()
}

/// A value that an array has where branches meet: an argument of their block.
struct Join {
    block: Block,
    cell: Cell,
    arg: Value,
    /// What each branch passes, in the order of the edges into the block.
    passed: Vec<Value>,
}

struct Promote {
    body: Body<Llvm>,
    arrays: Arrays,
    order: Vec<Block>,
    /// The blocks from which there are edges into a block, once for each edge.
    ways_in: SideTable<Block, Vec<Block>>,
    /// The value of a cell where a block begins, and where it ends if it was stored there.
    starts: FxHashMap<(Block, Cell), Value>,
    ends: FxHashMap<(Block, Cell), Value>,
    joins: Vec<Join>,
    /// The values of which nothing is known, by their types.
    unknown: FxHashMap<LlvmType, Value>,
    unknowns: FxHashSet<Value>,
    /// The ops that make them, first in the function.
    first: Vec<OpId>,
    /// What stands for the results of loads and for superfluous joins.
    replaced: SideTable<Value, Value>,
}

impl Promote {
    fn new(body: Body<Llvm>, arrays: Arrays) -> Self {
        let order = reverse_postorder(&body, body.root());
        let mut ways_in: SideTable<Block, Vec<Block>> = SideTable::new(order.len());
        for &block in &order {
            ways_in.set(block, Vec::new());
        }
        for &block in &order {
            if let Some(last) = body.terminator(block) {
                body.op(last).kind.successors(&mut |successor| {
                    if let Some(ways) = ways_in.get_mut(successor.block) {
                        ways.push(block);
                    }
                });
            }
        }
        Self {
            replaced: body.value_table(),
            body,
            arrays,
            order,
            ways_in,
            starts: FxHashMap::default(),
            ends: FxHashMap::default(),
            joins: Vec::new(),
            unknown: FxHashMap::default(),
            unknowns: FxHashSet::default(),
            first: Vec::new(),
        }
    }

    fn run(mut self) -> Body<Llvm> {
        for block in self.order.clone() {
            self.block(block);
        }
        // What the branches pass may need further joins.
        let mut at = 0;
        while let Some(join) = self.joins.get(at) {
            let (block, cell) = (join.block, join.cell);
            let ways = self.ways_in.get(block).cloned().unwrap_or_default();
            let passed = ways.into_iter().map(|from| self.at_end(from, cell)).collect();
            if let Some(join) = self.joins.get_mut(at) {
                join.passed = passed;
            }
            at += 1;
        }
        self.drop_superfluous_joins();
        // What is unknown is made first in the function.
        if let Some(entry) = self.body.entry() {
            let mut ops = std::mem::take(&mut self.first);
            let old = self.body.block(entry).ops.iter().filter(|id| !ops.contains(id));
            let old: Vec<OpId> = old.copied().collect();
            ops.extend(old);
            self.body.arrange_ops(entry, ops);
        }
        self.pass_joined();
        substitute(&mut self.body, &self.replaced);
        let known = shortcuts(&self.body);
        substitute(&mut self.body, &known);
        let order = reverse_postorder(&self.body, self.body.root());
        self.body.arrange_blocks(self.body.root(), order);
        self.body
    }

    /// The value that stands for another one.
    fn resolved(&self, value: Value) -> Value {
        resolved(&self.replaced, value)
    }

    fn block(&mut self, block: Block) {
        let mut new = Vec::new();
        for id in self.body.block(block).ops.clone() {
            if self.arrays.idle.contains(&id) {
                continue;
            }
            let Some(access) = self.arrays.accesses.get(&id).cloned() else {
                new.push(id);
                continue;
            };
            let before = self.body.block(block).ops.len();
            match self.body.op(id).kind.clone() {
                LlvmOp::Llvm(LlvmDialect::Load { mask, other, .. }) => {
                    self.load(block, id, &access, mask.zip(other))
                }
                LlvmOp::Llvm(LlvmDialect::Store { value, mask, .. }) => {
                    self.store(block, id, &access, value, mask);
                }
                _ => new.push(id),
            }
            new.extend(
                self.body
                    .block(block)
                    .ops
                    .iter()
                    .skip(before)
                    .filter(|id| !self.first.contains(id)),
            );
        }
        self.body.arrange_ops(block, new);
    }

    fn build<T>(
        &mut self,
        block: Block,
        origin: Origin,
        build: impl FnOnce(&mut Builder<'_, Llvm>) -> T,
    ) -> T {
        build(&mut Builder::new(&mut self.body, block, origin))
    }

    /// What a load reads, or, where its mask does not hold, what stands for it.
    fn load(&mut self, block: Block, id: OpId, access: &Access, otherwise: Option<(Value, Value)>) {
        let op = self.body.op(id);
        let (origin, result) = (op.origin, op.result(0));
        let ty = *self.body.ty(result);
        let is_vector = matches!(ty, LlvmType::Vector(..));
        let mut elements = Vec::with_capacity(access.elements.len());
        for (index, &element) in (0..).zip(&access.elements) {
            let mut value = self.read((block, origin), access.slot, element);
            if let Some((condition, other)) = otherwise {
                let (condition, mut no) = (self.resolved(condition), self.resolved(other));
                if is_vector {
                    no = self.element((block, origin), no, index, element.ty);
                }
                value = self.chosen((block, origin), condition, value, no);
            }
            elements.push(value);
        }
        let value = match elements.as_slice() {
            &[only] if !is_vector => only,
            _ => self.build(block, origin, |b| {
                b.value(LlvmDialect::BuildVector { elements }, ty)
            }),
        };
        self.replaced.set(result, value);
    }

    /// An element of a vector.
    fn element(
        &mut self,
        (block, origin): (Block, Origin),
        vector: Value,
        index: u32,
        ty: LlvmType,
    ) -> Value {
        self.build(block, origin, |b| {
            b.value(LlvmDialect::ExtractElement { vector, index }, ty)
        })
    }

    /// `yes` where a condition holds, `no` elsewhere; the other one if nothing is known of either.
    fn chosen(&mut self, (block, origin): (Block, Origin), condition: Value, yes: Value, no: Value) -> Value {
        if self.unknowns.contains(&no) || yes == no {
            return yes;
        }
        if self.unknowns.contains(&yes) {
            return no;
        }
        let ty = *self.body.ty(yes);
        self.build(block, origin, |b| {
            b.value(ArithOp::Select { condition, yes, no }, ty)
        })
    }

    fn read(&mut self, (block, origin): (Block, Origin), slot: u32, element: Element) -> Value {
        let cells = self.arrays.cells_of(slot, element);
        let parts: Vec<(Value, LlvmType, u32)> = cells
            .into_iter()
            .map(|cell| (self.at_end(block, cell), cell.ty, cell.bytes))
            .collect();
        // Of what is unknown in part, as a whole nothing is known.
        if parts.iter().all(|(value, ..)| self.unknowns.contains(value)) {
            return self.unknown(element.ty);
        }
        self.build(block, origin, |b| match *parts.as_slice() {
            [(value, ty, bytes)] => Words(b).converted(value, ty, element.ty, bytes),
            _ => Words(b).joined(&parts, element.ty, element.bytes),
        })
    }

    fn store(&mut self, block: Block, id: OpId, access: &Access, value: Value, mask: Option<Value>) {
        let origin = self.body.op(id).origin;
        let value = self.resolved(value);
        let mask = mask.map(|mask| self.resolved(mask));
        let is_vector = matches!(self.body.ty(value), LlvmType::Vector(..));
        for (index, element) in (0..).zip(&access.elements) {
            let value = match is_vector {
                true => self.element((block, origin), value, index, element.ty),
                false => value,
            };
            let cells = self.arrays.cells_of(access.slot, *element);
            let is_whole = cells.len() == 1;
            for cell in cells {
                let whole = (value, element.ty, element.bytes);
                let before = cell.start - element.start;
                let mut part = self.build(block, origin, |b| match is_whole {
                    true => Words(b).converted(value, element.ty, cell.ty, cell.bytes),
                    false => Words(b).part(whole, before, (cell.ty, cell.bytes)),
                });
                if let Some(mask) = mask {
                    let old = self.at_end(block, cell);
                    part = self.chosen((block, origin), mask, part, old);
                }
                self.ends.insert((block, cell), part);
            }
        }
    }

    /// The value of a cell where a block ends, or so far if it is being visited.
    fn at_end(&mut self, block: Block, cell: Cell) -> Value {
        match self.ends.get(&(block, cell)) {
            Some(&value) => value,
            None => self.at_start(block, cell),
        }
    }

    /// The value of a cell where a block begins: that from the only block before it, or a join.
    fn at_start(&mut self, block: Block, cell: Cell) -> Value {
        let mut through = Vec::new();
        let mut at = block;
        let value = loop {
            if let Some(&value) = self.starts.get(&(at, cell)) {
                break value;
            }
            through.push(at);
            let is_entry = Some(at) == self.body.entry();
            match self.ways_in.get(at).map_or(&[][..], Vec::as_slice) {
                &[before] if !is_entry => {
                    if let Some(&value) = self.ends.get(&(before, cell)) {
                        break value;
                    }
                    at = before;
                }
                [_, _, ..] if !is_entry => {
                    let arg = self.body.add_arg(at, cell.ty);
                    self.joins.push(Join {
                        block: at,
                        cell,
                        arg,
                        passed: Vec::new(),
                    });
                    break arg;
                }
                _ => break self.unknown(cell.ty),
            }
        };
        for block in through {
            self.starts.insert((block, cell), value);
        }
        value
    }

    /// A value of which nothing is known.
    fn unknown(&mut self, ty: LlvmType) -> Value {
        if let Some(&value) = self.unknown.get(&ty) {
            return value;
        }
        let entry = self.order.first().copied().unwrap_or(Block::new(0));
        let value = self.build(entry, Origin::FUNCTION, |b| b.value(LlvmDialect::Undef {}, ty));
        self.first.extend(self.body.block(entry).ops.last());
        self.unknown.insert(ty, value);
        self.unknowns.insert(value);
        value
    }

    /// Replaces the joins to which all branches pass the same value.
    fn drop_superfluous_joins(&mut self) {
        let mut changed = true;
        while changed {
            changed = false;
            for at in 0..self.joins.len() {
                let Some(join) = self.joins.get(at) else { break };
                if self.replaced.get(join.arg).is_some() {
                    continue;
                }
                let mut others: Vec<Value> = join
                    .passed
                    .iter()
                    .map(|&value| self.resolved(value))
                    .filter(|&value| value != join.arg)
                    .collect();
                others.sort_unstable();
                others.dedup();
                if let [only] = *others.as_slice() {
                    self.replaced.set(join.arg, only);
                    changed = true;
                }
            }
        }
        // From here on each value is replaced in one step.
        let replaced: Vec<Value> = self
            .body
            .values()
            .map(|(value, _)| value)
            .filter(|&value| self.replaced.get(value).is_some())
            .collect();
        for value in replaced {
            let last = self.resolved(value);
            self.replaced.set(value, last);
        }
    }

    /// Adds what branches pass to the joins that are left.
    fn pass_joined(&mut self) {
        let mut passed: FxHashMap<(Block, Block), Vec<Value>> = FxHashMap::default();
        let mut dropped = FxHashSet::default();
        for join in &self.joins {
            if self.replaced.get(join.arg).is_some() {
                dropped.insert(join.arg);
                continue;
            }
            let ways = self.ways_in.get(join.block).into_iter().flatten();
            let mut seen = FxHashSet::default();
            for (&from, &value) in ways.zip(&join.passed) {
                // Both edges of a branch pass the same.
                if seen.insert(from) {
                    passed.entry((from, join.block)).or_default().push(value);
                }
            }
        }
        for block in self.order.clone() {
            let mut args = self.body.block(block).args.clone();
            args.retain(|arg| !dropped.contains(arg));
            self.body.arrange_args(block, args);
            if let Some(last) = self.body.terminator(block) {
                let mut pass = Pass {
                    from: block,
                    passed: &passed,
                };
                self.body.op_mut(last).kind.remap(&mut pass);
            }
        }
    }
}

/// Adds operands to a branch.
struct Pass<'a> {
    from: Block,
    passed: &'a FxHashMap<(Block, Block), Vec<Value>>,
}

impl Remap for Pass<'_> {
    fn value(&mut self, value: Value) -> Value {
        value
    }
    fn successor(&mut self, successor: &mut Successor) {
        if let Some(values) = self.passed.get(&(self.from, successor.block)) {
            successor.args.extend(values);
        }
    }
}
