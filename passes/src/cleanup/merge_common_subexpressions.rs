//! Eliminates common subexpressions. Any language, to itself.
//!
//! In: any function, with structured control flow or with branches between blocks. Out: the same function, where a
//! pure op that is equal to a dominating one is replaced by it. Two ops are equal if their operands, attributes and
//! result types are; the first two operands of a commutative op may be in either order. The earlier op's origin is
//! kept.
//!
//! Ops that read, allocate, or are convergent are never merged
//! ([`Effects::is_pure`](tilewright_irs::core::Effects::is_pure)).

use rustc_hash::FxHashMap;
use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{
    Block, Body, Commutes, Dominators, Few, Func, Language, OpId, Operation, Origin, Region, SideTable,
    Value, reverse_postorder,
};

use super::substitute::{Substitute, commuted};

/// Merges equal pure ops; see [the module](self).
///
/// # Errors
/// None; the type is that of all passes.
pub fn merge_common_subexpressions<L: Language>(func: &Func<L>) -> Result<Func<L>, Vec<Diagnostic<Origin>>> {
    Ok(Func {
        name: func.name.clone(),
        attrs: func.attrs.clone(),
        body: without_common_subexpressions(func.body.clone()).renumbered(),
    })
}

/// The body without common subexpressions, not [renumbered](Body::renumbered); see [the module](self).
pub(crate) fn without_common_subexpressions<L: Language>(mut body: Body<L>) -> Body<L> {
    let mut merge = Merge {
        body: &body,
        scopes: Vec::new(),
        kept: Vec::new(),
        values: body.value_table(),
    };
    merge.region(body.root());
    let Merge { kept, values, .. } = merge;
    if kept.is_empty() {
        return body;
    }
    for (block, ops) in kept {
        body.arrange_ops(block, ops);
    }
    // A back edge passes values to a block that was visited before them.
    for id in body.walk() {
        body.op_mut(id).kind.remap(&mut Substitute(&values));
    }
    body.follow_replaced(|value| values.get(value).copied());
    body
}

/// An op with its result types.
type Key<L> = (<L as Language>::Op, Few<<L as Language>::Type>);
/// Ops with the blocks of their evaluations.
type Known<L> = FxHashMap<Key<L>, Few<(Block, OpId)>>;

/// A region under visit.
struct Scope<L: Language> {
    /// `None` if there is a single block.
    dominators: Option<Dominators>,
    /// The current block.
    block: Block,
    known: Known<L>,
}

struct Merge<'a, L: Language> {
    body: &'a Body<L>,
    /// The enclosing regions, the innermost last.
    scopes: Vec<Scope<L>>,
    /// The ops that are left of blocks that lose some.
    kept: Vec<(Block, Vec<OpId>)>,
    /// The replacement of each merged value.
    values: SideTable<Value, Value>,
}

impl<L: Language> Merge<'_, L> {
    fn region(&mut self, region: Region) {
        let body = self.body;
        let (order, dominators) = match body.only_block(region) {
            Some(block) => (vec![block], None),
            None => {
                let dominators = Dominators::new(body, region);
                (reverse_postorder(body, region), Some(dominators))
            }
        };
        let Some(&block) = order.first() else { return };
        self.scopes.push(Scope {
            dominators,
            block,
            known: FxHashMap::default(),
        });
        for block in order {
            if let Some(scope) = self.scopes.last_mut() {
                scope.block = block;
            }
            let all = &body.block(block).ops;
            let kept: Vec<OpId> = all.iter().copied().filter(|&id| !self.repeats(id)).collect();
            if kept.len() < all.len() {
                self.kept.push((block, kept));
            }
        }
        self.scopes.pop();
    }

    /// Whether an op is equal to an earlier one, whose results then replace its own.
    fn repeats(&mut self, id: OpId) -> bool {
        let op = self.body.op(id);
        if !op.kind.is_pure() {
            op.kind
                .region_list()
                .into_iter()
                .for_each(|region| self.region(region));
            return false;
        }
        let mut kind = op.kind.clone();
        kind.remap(&mut Substitute(&self.values));
        let commutes = kind.spec().properties.commutes == Commutes::Always;
        if commutes && matches!(kind.operand_list().as_slice(), [lhs, rhs, ..] if lhs > rhs) {
            kind = commuted(&kind);
        }
        let key = (
            kind,
            op.results().map(|value| self.body.ty(value).clone()).collect(),
        );
        if let Some(first) = self.scopes.iter().rev().find_map(|scope| scope.find(&key)) {
            for (repeated, first) in op.results().zip(self.body.op(first).results()) {
                self.values.set(repeated, first);
            }
            return true;
        }
        if let Some(scope) = self.scopes.last_mut() {
            let place = (scope.block, id);
            scope.known.entry(key).or_default().push(place);
        }
        false
    }
}

impl<L: Language> Scope<L> {
    /// An equal op that dominates the current position.
    fn find(&self, key: &Key<L>) -> Option<OpId> {
        let dominates = |block: Block| match &self.dominators {
            Some(dominators) => dominators.dominates(block, self.block),
            None => true,
        };
        let places = self.known.get(key)?;
        places
            .iter()
            .find(|(block, _)| dominates(*block))
            .map(|(_, first)| *first)
    }
}
