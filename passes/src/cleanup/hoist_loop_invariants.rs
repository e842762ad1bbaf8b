//! Hoists loop-invariant ops out of loops. Any language with structured control flow, to itself.
//!
//! In: any function. Out: the same function, where a pure op directly in the body of a loop, whose operands are
//! defined outside of it, is moved before the loop, out of as many loops as possible. An op that may be undefined is
//! hoisted only if the loop certainly executes it; an op that the policy considers cheaper to recompute than to keep
//! in registers, only if a hoisted op needs it. Ops within a branch are not moved.
//!
//! Loops, pure ops and early exits are determined by the declarations ([`Effects`](tilewright_irs::core::Effects));
//! language-specific questions by a [`HoistPolicy`].

use rustc_hash::FxHashSet;
use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{
    Block, Body, Cost, Flow, Func, Language, OpId, Operation, Origin, SideTable, Value, WholeEffects,
};

/// A body with the definitions of its values.
#[derive(Clone, Copy, Debug)]
pub struct Defined<'a, L: Language> {
    /// The body.
    pub body: &'a Body<L>,
    definitions: &'a SideTable<Value, OpId>,
}

impl<'a, L: Language> Defined<'a, L> {
    /// The op that defines a value; a block argument has none.
    pub fn op(&self, value: Value) -> Option<&'a L::Op> {
        self.definitions.get(value).map(|&id| &self.body.op(id).kind)
    }
}

/// The language-specific part of hoisting.
pub trait HoistPolicy<L: Language> {
    /// Whether the first iteration of this loop certainly begins.
    fn runs(&self, _: Defined<'_, L>, _: OpId) -> bool {
        false
    }
    /// Whether a pure op is defined for all possible operands, given those that are known.
    fn is_defined(&self, known: Defined<'_, L>, id: OpId) -> bool {
        known.body.op(id).kind.effects().is_speculatable()
    }
    /// Whether keeping the op's results live throughout a loop is cheaper than recomputing them in each iteration.
    fn pays(&self, body: &Body<L>, id: OpId) -> bool {
        body.op(id).kind.spec().properties.cost != Cost::Free
    }
}

/// Hoists invariants out of loops; see [the module](self).
///
/// # Errors
/// None; the type is that of all passes.
pub fn hoist_loop_invariants<L: Language>(
    func: &Func<L>,
    policy: &impl HoistPolicy<L>,
) -> Result<Func<L>, Vec<Diagnostic<Origin>>> {
    let body = func.body.clone();
    let mut hoist = Hoist {
        definitions: body.definitions(),
        effects: WholeEffects::of(&body),
        homes: body.value_table(),
        body,
        policy,
    };
    let root = hoist.body.root();
    for block in hoist.body.region(root).blocks.clone() {
        hoist.block(block);
    }
    Ok(Func {
        name: func.name.clone(),
        attrs: func.attrs.clone(),
        body: hoist.body.renumbered(),
    })
}

struct Hoist<'a, L: Language, P> {
    body: Body<L>,
    definitions: SideTable<Value, OpId>,
    effects: WholeEffects,
    /// The block that defines each value.
    homes: SideTable<Value, Block>,
    policy: &'a P,
}

impl<L: Language, P: HoistPolicy<L>> Hoist<'_, L, P> {
    /// Visits the ops of a block; an op hoisted out of a loop may be hoisted out of the enclosing loop as well.
    fn block(&mut self, block: Block) {
        let data = self.body.block(block).clone();
        for &arg in &data.args {
            self.homes.set(arg, block);
        }
        let mut ops = Vec::with_capacity(data.ops.len());
        for &id in &data.ops {
            let op = self.body.op(id);
            let is_loop = op.kind.effects().flow == Flow::Loop;
            let results = op.results();
            for region in op.kind.region_list() {
                for inner in self.body.region(region).blocks.clone() {
                    self.block(inner);
                }
                if let (true, Some(inner)) = (is_loop, self.body.only_block(region)) {
                    ops.extend(self.leaving(id, inner, block));
                }
            }
            results.for_each(|result| self.homes.set(result, block));
            ops.push(id);
        }
        self.body.arrange_ops(block, ops);
    }

    /// Removes the invariant ops from a loop's body, in order, for insertion into the enclosing block.
    fn leaving(&mut self, id: OpId, inner: Block, around: Block) -> Vec<OpId> {
        let found = self.invariants(id, inner);
        if !found.is_empty() {
            let moved: FxHashSet<OpId> = found.iter().copied().collect();
            let mut rest = self.body.block(inner).ops.clone();
            rest.retain(|op| !moved.contains(op));
            self.body.arrange_ops(inner, rest);
            for &op in &found {
                self.body
                    .op(op)
                    .results()
                    .for_each(|result| self.homes.set(result, around));
            }
        }
        found
    }

    fn invariants(&self, id: OpId, inner: Block) -> Vec<OpId> {
        let body = &self.body;
        let known = Defined {
            body,
            definitions: &self.definitions,
        };
        let mut certain = self.policy.runs(known, id);
        let mut found = Vec::new();
        let mut outside: FxHashSet<Value> = FxHashSet::default();
        for &id in &body.block(inner).ops {
            let op = body.op(id);
            let mut invariant = op.kind.is_pure() && (certain || self.policy.is_defined(known, id));
            op.kind.operands(&mut |value| {
                // Operands are in scope here: those of this block are inside of the loop, all others outside.
                invariant &= self.homes.get(value) != Some(&inner) || outside.contains(&value);
            });
            if invariant {
                found.push(id);
                outside.extend(op.results());
            }
            certain = certain && self.effects.get(body, id).goes_on();
        }
        self.worth_moving(found)
    }

    /// The ops, in order, that are profitable to hoist, or needed by one that is.
    fn worth_moving(&self, mut ops: Vec<OpId>) -> Vec<OpId> {
        let body = &self.body;
        let mut needed: FxHashSet<Value> = FxHashSet::default();
        ops.reverse();
        ops.retain(|&id| {
            let op = body.op(id);
            let moves = self.policy.pays(body, id) || op.results().any(|result| needed.contains(&result));
            if moves {
                op.kind.operands(&mut |value| {
                    needed.insert(value);
                });
            }
            moves
        });
        ops.reverse();
        ops
    }
}
