//! Takes out of loops what is the same in every turn. Any language of structured control flow, to itself.
//!
//! In: any function whose regions are of one block each. Out: the same function, where a pure op that stands directly
//! in the body of a loop, and whose operands are defined outside of it, stands before the loop. What the language says
//! may be undefined is moved only where the loop would certainly have executed it; what the language says is cheaper to
//! do again than to keep, only where an op that moves needs it. Ops within a branch stay there.

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{
    Block, Body, Func, Language, OpId, Operation, Origin, Region, SideTable, Translate, Translated,
    Translation, Value, translate_func,
};

/// A body and what defines its values.
#[derive(Debug)]
pub struct Defined<'a, L: Language> {
    /// The body.
    pub body: &'a Body<L>,
    definitions: SideTable<Value, OpId>,
}

impl<'a, L: Language> Defined<'a, L> {
    /// Looks at a body.
    pub fn new(body: &'a Body<L>) -> Self {
        Self {
            body,
            definitions: body.definitions(),
        }
    }

    /// The op that defines a value; a block argument has none.
    pub fn op(&self, value: Value) -> Option<&'a L::Op> {
        self.definitions.get(value).map(|&id| &self.body.op(id).kind)
    }
}

/// What the pass must know of a language.
pub trait Loops<L: Language> {
    /// The body of an op that runs a region again and again.
    fn body(&self, op: &L::Op) -> Option<Region>;
    /// Whether the first turn of this loop certainly begins.
    fn runs(&self, known: &Defined<'_, L>, op: &L::Op) -> bool;
    /// Whether the op has a result whatever its operands are, as far as they are not known.
    fn is_defined(&self, known: &Defined<'_, L>, op: &L::Op) -> bool;
    /// Whether it is better to keep the op's results throughout a loop than to compute them in each turn.
    fn pays(&self, body: &Body<L>, op: OpId) -> bool;
    /// Whether what follows the op in its block is certainly executed after it.
    fn goes_on(&self, body: &Body<L>, op: &L::Op) -> bool;
}

/// Moves invariants out of loops.
///
/// # Errors
/// None; the type is that of all passes.
pub fn hoist_loop_invariants<L: Language>(
    func: &Func<L>,
    loops: &impl Loops<L>,
) -> Result<Func<L>, Vec<Diagnostic<Origin>>> {
    let mut func = func.clone();
    // What leaves a loop may leave the loop around it as well. No nest is deeper than the function has ops.
    for _ in 0..=func.body.op_count() {
        let invariants = Search::run(&func.body, loops);
        if invariants.is_empty() {
            break;
        }
        func = translate_func(&func, func.attrs.clone(), &mut Hoist { invariants })?;
    }
    Ok(func)
}

/// The ops that can leave each loop, in order.
type Invariants = FxHashMap<OpId, Vec<OpId>>;

/// The block that defines each value.
fn defining_blocks<L: Language>(body: &Body<L>) -> SideTable<Value, Block> {
    let mut table = body.value_table();
    let mut open = vec![body.root()];
    while let Some(region) = open.pop() {
        for &block in &body.region(region).blocks {
            for &arg in &body.block(block).args {
                table.set(arg, block);
            }
            for &id in &body.block(block).ops {
                let op = body.op(id);
                for result in op.results() {
                    table.set(result, block);
                }
                open.extend(op.kind.region_list());
            }
        }
    }
    table
}

struct Search<'a, L: Language, P> {
    known: Defined<'a, L>,
    homes: SideTable<Value, Block>,
    loops: &'a P,
}

impl<'a, L: Language, P: Loops<L>> Search<'a, L, P> {
    fn run(body: &'a Body<L>, loops: &'a P) -> Invariants {
        let all = body.walk();
        let regions = all
            .into_iter()
            .filter_map(|id| Some((id, loops.body(&body.op(id).kind)?)));
        let regions: Vec<_> = regions.collect();
        if regions.is_empty() {
            return Invariants::default();
        }
        let search = Self {
            known: Defined::new(body),
            homes: defining_blocks(body),
            loops,
        };
        let found = regions
            .into_iter()
            .map(|(id, region)| (id, search.invariants(id, region)));
        found.filter(|(_, list)| !list.is_empty()).collect()
    }

    fn invariants(&self, id: OpId, region: Region) -> Vec<OpId> {
        let body = self.known.body;
        let Some(block) = body.only_block(region) else {
            return Vec::new();
        };
        let mut certain = self.loops.runs(&self.known, &body.op(id).kind);
        let mut found = Vec::new();
        let mut outside: FxHashSet<Value> = FxHashSet::default();
        for &inner in &body.block(block).ops {
            let op = body.op(inner);
            let mut invariant =
                op.kind.is_pure() && (certain || self.loops.is_defined(&self.known, &op.kind));
            op.kind.operands(&mut |value| {
                // Operands are visible here: those of this block are inside of the loop, all others around it.
                invariant &= self.homes.get(value) != Some(&block) || outside.contains(&value);
            });
            if invariant {
                found.push(inner);
                outside.extend(op.results());
            }
            certain = certain && self.loops.goes_on(body, &op.kind);
        }
        self.worth_moving(found)
    }

    /// Those of the ops, in their order, that pay, or that one of these needs.
    fn worth_moving(&self, mut ops: Vec<OpId>) -> Vec<OpId> {
        let body = self.known.body;
        let mut needed: FxHashSet<Value> = FxHashSet::default();
        ops.reverse();
        ops.retain(|&id| {
            let op = body.op(id);
            let moves = self.loops.pays(body, id) || op.results().any(|result| needed.contains(&result));
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

struct Hoist {
    invariants: Invariants,
}

impl<L: Language> Translate<L, L> for Hoist {
    fn types(&mut self, ty: &L::Type) -> Result<Vec<L::Type>, Diagnostic<Origin>> {
        Ok(vec![ty.clone()])
    }

    fn op(&mut self, cx: &mut Translation<'_, L, L>, id: OpId) -> Translated {
        let old = cx.old(id);
        if old.results().len() > 0 && old.results().all(|result| !cx.all(result).is_empty()) {
            // It stands before the loop already.
            return Ok(());
        }
        for inner in self.invariants.remove(&id).unwrap_or_default() {
            let op = cx.old(inner);
            cx.set_origin(op.origin);
            cx.set_tag(op.tag.clone());
            cx.carry(inner, &op.kind, self)?;
        }
        cx.set_origin(old.origin);
        cx.set_tag(old.tag.clone());
        cx.carry(id, &old.kind, self)
    }
}
