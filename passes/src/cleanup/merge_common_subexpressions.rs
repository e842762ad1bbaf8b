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
    Block, Body, Commutes, Dominators, Func, Language, OpId, Operation, Origin, Region, SideTable, Value,
};

use super::substitute::{Substitute, commuted};

/// Merges equal pure ops; see [the module](self).
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
    // A back edge passes values to a block that was visited before them.
    for id in body.walk() {
        body.op_mut(id).kind.remap(&mut Substitute(&merge.values));
    }
    body.follow_replaced(|value| merge.values.get(value).copied());
    Ok(Func {
        name: func.name.clone(),
        attrs: func.attrs.clone(),
        body: body.renumbered(),
    })
}

/// Ops with their result types, and the blocks and results of their evaluations.
type Known<L> = FxHashMap<(<L as Language>::Op, Vec<<L as Language>::Type>), Vec<(Block, Vec<Value>)>>;

/// A region under visit.
struct Scope<L: Language> {
    /// `None` if there is a single block.
    dominators: Option<Dominators>,
    /// The current block.
    block: Block,
    known: Known<L>,
}

struct Merge<'a, L: Language> {
    from: &'a Body<L>,
    to: Body<L>,
    /// The enclosing regions, the innermost last.
    scopes: Vec<Scope<L>>,
    /// The replacement of each merged value.
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

    /// Whether an op is equal to an earlier one, whose results then replace its own.
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
    /// The results of an equal op that dominates the current position.
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
