//! Moves what is the same in every turn of a loop before the loop. Any language of structured control flow, to itself.
//!
//! In: any function. Out: the same function, where a pure op that stands directly in the body of a loop, and whose
//! operands are defined outside of it, stands before the loop, out of as many loops as that holds for. What may be
//! undefined is moved only where the loop would certainly have executed it; what the language says is cheaper to do
//! again than to keep, only where an op that moves needs it. Ops within a branch stay there.
//!
//! What is a loop, which ops are pure and after which ones the turn certainly goes on, the declarations say
//! ([`Effects`](tilewright_irs::core::Effects)); what only a language knows is a [`HoistPolicy`].

use rustc_hash::FxHashSet;
use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{
    Block, Body, Cost, Flow, Func, Language, OpId, Operation, Origin, SideTable, Value, WholeEffects,
};

/// A body and what defines its values.
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

/// What the declarations of a language do not say.
pub trait HoistPolicy<L: Language> {
    /// Whether the first turn of this loop certainly begins.
    fn runs(&self, _: Defined<'_, L>, _: OpId) -> bool {
        false
    }
    /// Whether a pure op has a result whatever its operands are, as far as they are not known.
    fn is_defined(&self, known: Defined<'_, L>, id: OpId) -> bool {
        known.body.op(id).kind.effects().is_speculatable()
    }
    /// Whether it is better to keep the op's results throughout a loop than to compute them in each turn.
    fn pays(&self, body: &Body<L>, id: OpId) -> bool {
        body.op(id).kind.spec().properties.cost != Cost::Free
    }
}

/// Moves invariants out of loops; see [the module](self).
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
    /// Visits the ops of a block; what leaves a loop there may leave the loop around it as well.
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

    /// Takes out of a loop's body what can leave it, in order, for a place in the block around it.
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
                // Operands are visible here: those of this block are inside of the loop, all others around it.
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

    /// Those of the ops, in their order, that pay, or that one of these needs.
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
