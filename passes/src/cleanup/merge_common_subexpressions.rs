//! Computes equal values once. Any language, to itself.
//!
//! In: any function, of structured control flow or of blocks with branches. Out: the same function, where a pure op
//! that repeats one that is certainly executed before it is gone, and its users take the earlier one's results. Two ops
//! repeat each other when they are equal in operands, attributes and result types; the first two operands of a
//! commutative op may be in either order. The earlier op's origin stays.
//!
//! Ops that read, that allocate, or that threads execute together are no repetition of another
//! ([`Effects::is_pure`](tilewright_irs::core::Effects::is_pure)).

use rustc_hash::FxHashMap;
use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{
    Block, Body, Commutes, Dominators, Func, Language, OpId, Operation, Origin, Region, SideTable, Value,
};

use super::substitute::{Substitute, commuted};

/// Merges pure ops that compute the same; see [the module](self).
///
/// # Errors
/// None; the type is that of all passes.
pub fn merge_common_subexpressions<L: Language>(func: &Func<L>) -> Result<Func<L>, Vec<Diagnostic<Origin>>> {
    let mut merge = Merge {
        from: &func.body,
        to: func.body.clone(),
        scopes: Vec::new(),
        values: func.body.value_table(),
    };
    merge.region(func.body.root());
    let mut body = merge.to;
    // A branch back passes values to a block that was visited before them.
    for id in body.walk() {
        body.op_mut(id).kind.remap(&mut Substitute(&merge.values));
    }
    Ok(Func {
        name: func.name.clone(),
        attrs: func.attrs.clone(),
        body: body.renumbered(),
    })
}

/// Ops with their result types, and where they were computed, with the results.
type Known<L> = FxHashMap<(<L as Language>::Op, Vec<<L as Language>::Type>), Vec<(Block, Vec<Value>)>>;

/// A region that is being visited.
struct Scope<L: Language> {
    /// `None` where there is one block.
    dominators: Option<Dominators>,
    /// The block that is being visited.
    block: Block,
    known: Known<L>,
}

struct Merge<'a, L: Language> {
    from: &'a Body<L>,
    to: Body<L>,
    /// The regions around, the innermost last.
    scopes: Vec<Scope<L>>,
    /// The earlier values that others repeat.
    values: SideTable<Value, Value>,
}

impl<L: Language> Merge<'_, L> {
    fn region(&mut self, region: Region) {
        let from = self.from;
        let (order, dominators) = match from.only_block(region) {
            Some(block) => (vec![block], None),
            None => {
                let dominators = Dominators::new(from, region);
                (
                    tilewright_irs::core::reverse_postorder(from, region),
                    Some(dominators),
                )
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
            let mut ops = from.block(block).ops.clone();
            ops.retain(|&id| !self.repeats(id));
            self.to.arrange_ops(block, ops);
        }
        self.scopes.pop();
    }

    /// Whether an op repeats another, whose results then stand for its own.
    fn repeats(&mut self, id: OpId) -> bool {
        let op = self.from.op(id);
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
        let types: Vec<L::Type> = op.results().map(|value| self.from.ty(value).clone()).collect();
        let key = (kind, types);
        if let Some(known) = self.scopes.iter().rev().find_map(|scope| scope.find(&key)) {
            for (repeated, first) in op.results().zip(known) {
                self.values.set(repeated, *first);
            }
            return true;
        }
        if let Some(scope) = self.scopes.last_mut() {
            let place = (scope.block, op.results().collect());
            scope.known.entry(key).or_default().push(place);
        }
        false
    }
}

impl<L: Language> Scope<L> {
    /// The results of the same op where it is certainly executed before the place that is being visited.
    fn find(&self, key: &(L::Op, Vec<L::Type>)) -> Option<&Vec<Value>> {
        let dominates = |block: Block| match &self.dominators {
            Some(dominators) => dominators.dominates(block, self.block),
            None => true,
        };
        let places = self.known.get(key)?;
        places
            .iter()
            .find(|(block, _)| dominates(*block))
            .map(|(_, results)| results)
    }
}
