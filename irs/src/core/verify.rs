//! The verifier rules shared by all languages; each language adds its own.
//!
//! Checked here: every block ends with its only terminator; every operand's definition dominates its use; the
//! arguments of a branch match its target in number and types; result counts and type rules of the declarations.
//! Not checked here: op-specific rules.

use tilewright_diagnostics::{Code, Diagnostic, Label, counted};

use super::body::{Body, Func};
use super::entity::{Block, Entity, OpId, Origin, Region, SideTable, Value};
use super::language::{Language, Operation, ResultCount, ValueType};
use super::part::Part;
use super::problems::{Problem, Problems};
use super::term::TermCodec;
use super::text::term_text;

/// Checks a function against its language.
///
/// # Errors
/// All errors.
pub fn verify<L: Language>(func: &Func<L>) -> Result<(), Vec<Diagnostic<Origin>>> {
    verify_parts(func).map_err(|list| list.into_iter().map(|problem| problem.diagnostic).collect())
}

/// Verifies a function, and reports the part of the op for each error.
///
/// # Errors
/// All errors.
pub fn verify_parts<L: Language>(func: &Func<L>) -> Result<(), Vec<Problem>> {
    let mut problems = verify_structure(func);
    // The language's own rules may rely on the checks above.
    if problems.list.is_empty() || L::CHECKS_BROKEN {
        L::verify(func, &mut problems);
    }
    if problems.list.is_empty() {
        Ok(())
    } else {
        Err(problems.list)
    }
}

/// Checks the common rules, without the language's own.
pub fn verify_structure<L: Language>(func: &Func<L>) -> Problems {
    let mut verifier = Verifier {
        body: &func.body,
        visible: Visible(vec![false; func.body.value_count()]),
        scope: Vec::with_capacity(func.body.value_count()),
        problems: Problems::default(),
    };
    verifier.region(func.body.root());
    verifier.problems
}

/// The values in scope.
struct Visible(Vec<bool>);

impl Visible {
    /// Adds a value; returns whether it is new.
    fn insert(&mut self, value: Value) -> bool {
        let place = self.0.get_mut(value.index());
        place.is_some_and(|place| !std::mem::replace(place, true))
    }

    fn remove(&mut self, value: Value) {
        if let Some(place) = self.0.get_mut(value.index()) {
            *place = false;
        }
    }

    fn contains(&self, value: Value) -> bool {
        self.0.get(value.index()) == Some(&true)
    }
}

struct Verifier<'a, L: Language> {
    body: &'a Body<L>,
    visible: Visible,
    /// The values in scope, in order of insertion.
    scope: Vec<Value>,
    problems: Problems,
}

impl<L: Language> Verifier<'_, L> {
    fn region(&mut self, region: Region) {
        let blocks = &self.body.region(region).blocks;
        let dominators = (blocks.len() > 1).then(|| Dominators::new(self.body, region));
        let mut defined: Vec<(Block, Vec<Value>)> = Vec::new();
        for &block in blocks {
            // Definitions of dominating blocks are in scope, and no others of the region.
            let outside = self.scope.len();
            if let Some(dominators) = &dominators {
                for (earlier, values) in &defined {
                    if dominators.dominates(*earlier, block) {
                        values.iter().for_each(|&value| self.define(value));
                    }
                }
            }
            let inherited = self.scope.len();
            self.block(block);
            if dominators.is_some() {
                defined.push((block, self.scope.iter().copied().skip(inherited).collect()));
            }
            for value in self.scope.drain(outside..) {
                self.visible.remove(value);
            }
        }
    }

    /// Adds a value to the scope until its region ends.
    fn define(&mut self, value: Value) {
        if self.visible.insert(value) {
            self.scope.push(value);
        }
    }

    fn block(&mut self, block: Block) {
        let data = self.body.block(block);
        data.args.iter().for_each(|&arg| self.define(arg));
        let Some((&last, _)) = data.ops.split_last() else {
            self.problems
                .error(Origin::FUNCTION, Code::MissingTerminator, "a block has no ops");
            return;
        };
        for &id in &data.ops {
            self.op(id, id == last);
            self.body.op(id).results().for_each(|result| self.define(result));
        }
    }

    fn op(&mut self, id: OpId, last: bool) {
        let op = self.body.op(id);
        let spec = op.kind.spec();
        let origin = op.origin;
        match (op.kind.is_terminator(), last) {
            (true, false) => {
                let message = format!("`{}` ends its block, but ops follow it", spec.name);
                self.problems.error(origin, Code::MisplacedOp, message);
            }
            (false, true) => {
                let message = format!("the block ends with `{}`, which is no terminator", spec.name);
                self.problems.error(origin, Code::MissingTerminator, message);
            }
            (true, true) | (false, false) => {}
        }
        let mut undefined = None;
        op.kind.operand_parts(&mut |part, value| {
            if undefined.is_none() && !self.visible.contains(value) {
                undefined = Some((part, value));
            }
        });
        if let Some((part, value)) = undefined {
            let message = format!("an operand of `{}` is not defined at its use", spec.name);
            self.problems
                .error_at(origin, part, Code::UndefinedValue, message);
            let mut ops = self.body.ops();
            let definition = ops.find(|(_, op)| op.results().any(|result| result == value));
            if let (Some((_, definition)), Some(problem)) = (definition, self.problems.list.last_mut()) {
                problem.diagnostic.secondary.push(Label {
                    at: definition.origin,
                    message: "defined here".to_owned(),
                });
            }
            return;
        }
        if let ResultCount::Exactly(n) = spec.results
            && op.results().len() != n
        {
            let message = format!(
                "`{}` has {}, not {}",
                spec.name,
                counted(n, "result"),
                op.results().len()
            );
            self.problems.error(origin, Code::ResultCount, message);
            return;
        }
        let passed = passed(&op.kind);
        let mut passed = passed.into_iter();
        op.kind.successors(&mut |successor| {
            let own: Vec<_> = passed.by_ref().take(successor.args.len()).collect();
            let part = |i: usize| own.get(i).copied().unwrap_or(Part::Op);
            let wanted = &self.body.block(successor.block).args;
            if wanted.len() != successor.args.len() {
                let message = format!(
                    "`{}` passes {} to a block that takes {}",
                    spec.name,
                    counted(successor.args.len(), "value"),
                    wanted.len()
                );
                self.problems
                    .error_at(origin, part(wanted.len()), Code::BlockArguments, message);
                return;
            }
            for (i, (&arg, &value)) in wanted.iter().zip(&successor.args).enumerate() {
                let (want, have) = (self.body.ty(arg), self.body.ty(value));
                if want.bare() != have.bare() {
                    let message = format!(
                        "argument {i} of a block is `{}`, but `{}` passes `{}`",
                        term_text(&want.write()),
                        spec.name,
                        term_text(&have.write())
                    );
                    self.problems
                        .error_at(origin, part(i), Code::BlockArguments, message);
                }
            }
        });
        if let Err((part, code, message)) = spec.rule.check(self.body, op) {
            self.problems.error_at(origin, part, code, message);
        }
        op.kind.regions(&mut |region| self.region(region));
    }
}

/// The parts of the values that an op passes to other blocks, which are its last operands.
fn passed<O: Operation>(op: &O) -> Vec<Part> {
    let mut count = 0usize;
    op.successors(&mut |successor| count = count.saturating_add(successor.args.len()));
    if count == 0 {
        return Vec::new();
    }
    let mut parts = Vec::new();
    op.operand_parts(&mut |part, _| parts.push(part));
    parts.split_off(parts.len().saturating_sub(count))
}

/// The successors of a block.
fn successors<L: Language>(body: &Body<L>, block: Block) -> Vec<Block> {
    let mut list = Vec::new();
    if let Some(op) = body.terminator(block) {
        body.op(op).kind.successors(&mut |s| list.push(s.block));
    }
    list
}

/// The reachable blocks of a region, in reverse postorder: the first of two branch targets directly follows the
/// branch if possible.
pub fn reverse_postorder<L: Language>(body: &Body<L>, region: Region) -> Vec<Block> {
    let mut seen: SideTable<Block, ()> = SideTable::new(0);
    let mut postorder = Vec::new();
    let mut stack = Vec::new();
    if let Some(&entry) = body.region(region).blocks.first() {
        seen.set(entry, ());
        stack.push((entry, successors(body, entry)));
    }
    while let Some((block, rest)) = stack.last_mut() {
        match rest.pop() {
            Some(next) => {
                if seen.get(next).is_none() {
                    seen.set(next, ());
                    stack.push((next, successors(body, next)));
                }
            }
            None => {
                postorder.push(*block);
                stack.pop();
            }
        }
    }
    postorder.reverse();
    postorder
}

/// The dominator tree of a region with branches.
///
/// Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm", 2001.
#[derive(Debug)]
pub struct Dominators {
    /// The reverse postorder number of each block; `None` if it is unreachable.
    number: Vec<Option<usize>>,
    /// The immediate dominator of each block, by reverse postorder number.
    parent: Vec<usize>,
}

impl Dominators {
    /// Computes the dominators of a region's blocks.
    pub fn new<L: Language>(body: &Body<L>, region: Region) -> Self {
        let order = reverse_postorder(body, region);
        let successors = |block: Block| successors(body, block);
        let size = order.iter().map(|b| b.index() + 1).max().unwrap_or(0);
        let mut number = vec![None; size];
        for (i, block) in order.iter().enumerate() {
            number[block.index()] = Some(i);
        }
        let mut predecessors = vec![Vec::new(); order.len()];
        for (i, &block) in order.iter().enumerate() {
            for next in successors(block) {
                if let Some(Some(j)) = number.get(next.index()) {
                    predecessors[*j].push(i);
                }
            }
        }
        const NONE: usize = usize::MAX;
        let mut parent = vec![NONE; order.len()];
        if let Some(first) = parent.first_mut() {
            *first = 0;
        }
        let mut changed = true;
        while changed {
            changed = false;
            for i in 1..order.len() {
                let mut new = NONE;
                for &p in predecessors[i].iter().filter(|&&p| parent[p] != NONE) {
                    new = if new == NONE {
                        p
                    } else {
                        Self::meet(&parent, new, p)
                    };
                }
                if new != parent[i] {
                    parent[i] = new;
                    changed = true;
                }
            }
        }
        Self { number, parent }
    }

    fn meet(parent: &[usize], mut a: usize, mut b: usize) -> usize {
        while a != b {
            while a > b {
                a = parent[a];
            }
            while b > a {
                b = parent[b];
            }
        }
        a
    }

    /// Whether every path to `b` passes through `a`. An unreachable block is dominated by none.
    pub fn dominates(&self, a: Block, b: Block) -> bool {
        let find = |block: Block| self.number.get(block.index()).copied().flatten();
        let (Some(a), Some(mut b)) = (find(a), find(b)) else {
            return false;
        };
        while b > a {
            b = self.parent[b];
        }
        a == b
    }
}
