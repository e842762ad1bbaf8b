//! Splits a counted loop in two where a condition on its counter changes.
//!
//! In and out: `cuda_tile`. `for i in lo..hi step s { if i < c {A} else {B} … }` becomes two consecutive loops: the
//! first one executes A, the second one B.
//!
//! - The condition is an integer comparison `<`, `<=`, `>` or `>=` of the counter with a value from outside of the
//!   loop, in either order, with the loop's signedness. It is in the loop's body, and anywhere within the loop an
//!   `if` on it has a region with more than a terminator. One condition for each loop is used, that of the first such
//!   `if`.
//! - An `if` on it directly in the loop's body is replaced by the region that is taken. All other uses see a
//!   constant, and [`canonicalize`](super::canonicalize()) does the rest.
//! - If the bounds and the limit imply that the condition is constant, there is one loop, with that constant.
//! - The second loop begins at the first counter value that the first one does not execute. No computation of it
//!   overflows, for any bounds, condition and step.
//! - Nested loops are split as well, until the function has grown to about twice its size.

mod bounds;
mod conditions;

use rustc_hash::FxHashMap;
use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{
    Block, Flag, Func, OpId, Origin, Region, SideTable, Translate, Translated, Translation, Value,
    translate_func,
};
use tilewright_irs::cuda_tile::{ControlOp, CudaTile, ShapeOp, Signedness, TileOp, TileType};
use tilewright_irs::element::ScalarType;
use tilewright_irs::literal::{Dense, Literal};

use self::bounds::{Bounds, Known};
use self::conditions::{Condition, always, find, op_count, signedness};
use super::behaviour::splat;

type Cx<'a> = Translation<'a, CudaTile, CudaTile>;

/// Functions with fewer ops may grow as if they had this number.
const SMALL: usize = 256;

/// Splits loops.
///
/// # Errors
/// None; the type is that of all passes.
pub fn split_loops(func: &Func<CudaTile>) -> Result<Func<CudaTile>, Vec<Diagnostic<Origin>>> {
    let mut pass = Split {
        definitions: func.body.definitions(),
        known: FxHashMap::default(),
        taken: FxHashMap::default(),
        budget: func.body.op_count().max(SMALL),
    };
    translate_func(func, func.attrs.clone(), &mut pass)
}

struct Split {
    /// The op that defines each value.
    definitions: SideTable<Value, OpId>,
    /// The values of comparisons in the current copy of a loop.
    known: FxHashMap<OpId, bool>,
    /// The branches on such a comparison in its body, and whether their first region is taken.
    taken: FxHashMap<OpId, bool>,
    /// How many ops may still be added.
    budget: usize,
}

/// A candidate loop.
struct Counted {
    id: OpId,
    lower: Value,
    upper: Value,
    step: Value,
    body: Region,
    block: Block,
    signedness: Signedness,
}

impl Translate<CudaTile, CudaTile> for Split {
    fn types(&mut self, ty: &TileType) -> Result<Vec<TileType>, Diagnostic<Origin>> {
        Ok(vec![ty.clone()])
    }

    fn op(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        let old = cx.old(id);
        if let Some(&known) = self.known.get(&id) {
            let value = Dense::Splat(Literal::i1(known));
            let ty = TileType::scalar(ScalarType::I1);
            let value = cx.value(ShapeOp::Constant { value }, ty);
            cx.bind(old.result(0), vec![value]);
            return Ok(());
        }
        if let Some(&first) = self.taken.get(&id) {
            return self.take(cx, id, first);
        }
        if let Some(counted) = counted(cx, id)
            && let Some(condition) = find(cx.from, counted.block, counted.signedness)
        {
            return self.counted(cx, &counted, &condition);
        }
        cx.carry(id, &old.kind, self)
    }
}

fn counted(cx: &Cx<'_>, id: OpId) -> Option<Counted> {
    let TileOp::Control(ControlOp::For {
        lower_bound,
        upper_bound,
        step,
        unsigned_cmp,
        body,
        ..
    }) = cx.old(id).kind
    else {
        return None;
    };
    // The counter's type must be wide enough for a meaningful condition.
    let scalar = cx.from.ty(lower_bound).as_tile()?.element.scalar()?;
    if !scalar.is_int() || scalar.bits() < 8 {
        return None;
    }
    Some(Counted {
        id,
        lower: lower_bound,
        upper: upper_bound,
        step,
        body,
        block: cx.from.only_block(body)?,
        signedness: signedness(unsigned_cmp),
    })
}

impl Split {
    fn counted(&mut self, cx: &mut Cx<'_>, counted: &Counted, condition: &Condition) -> Translated {
        let bounds = (counted.lower, counted.upper);
        let body = cx.from;
        let defined = &self.definitions;
        let find = |value: Value| defined.get(value).map(|&id| &body.op(id).kind);
        let inits = initial(cx, counted.id);
        if let Some(known) = always(&find, condition, bounds, counted.signedness) {
            let (lower, upper) = (cx.one(counted.lower), cx.one(counted.upper));
            let values = self.copy(cx, counted, condition, (known, lower, upper), inits)?;
            cx.bind_results(counted.id, values);
            return Ok(());
        }
        let size = op_count(cx.from, counted.body);
        if size > self.budget {
            let old = cx.old(counted.id);
            return cx.carry(counted.id, &old.kind, self);
        }
        self.budget -= size;
        let known = Known {
            lower: splat(&find, counted.lower),
            step: splat(&find, counted.step),
            limit: splat(&find, condition.limit),
        };
        let (lower, upper) = (cx.one(counted.lower), cx.one(counted.upper));
        let (end, begin) = Bounds {
            ty: cx.from.ty(counted.lower).clone(),
            signedness: counted.signedness,
            lower,
            upper,
            step: cx.one(counted.step),
            limit: cx.one(condition.limit),
            includes_limit: condition.includes_limit,
            known,
            cx: &mut *cx,
        }
        .write();
        let first = self.copy(cx, counted, condition, (condition.first, lower, end), inits)?;
        let second = self.copy(cx, counted, condition, (!condition.first, begin, upper), first)?;
        cx.bind_results(counted.id, second);
        Ok(())
    }

    /// Writes a copy of a loop with a known condition, and returns its results.
    fn copy(
        &mut self,
        cx: &mut Cx<'_>,
        counted: &Counted,
        condition: &Condition,
        (known, lower_bound, upper_bound): (bool, Value, Value),
        init_values: Vec<Value>,
    ) -> Result<Vec<Value>, Diagnostic<Origin>> {
        let old = cx.old(counted.id);
        self.known.insert(condition.op, known);
        self.taken
            .extend(condition.branches.iter().map(|&branch| (branch, known)));
        let body = cx.region(counted.body, self)?;
        self.known.remove(&condition.op);
        for branch in &condition.branches {
            self.taken.remove(branch);
        }
        cx.set_origin(old.origin);
        let copy = ControlOp::For {
            lower_bound,
            upper_bound,
            step: cx.one(counted.step),
            init_values,
            unsigned_cmp: Flag(counted.signedness == Signedness::Unsigned),
            body,
        };
        let types: Vec<_> = old.results().map(|result| cx.from.ty(result).clone()).collect();
        let copy = cx.build().op(copy, types);
        Ok(cx.new_body().op(copy).results().collect())
    }

    /// Inlines the taken region of a branch.
    fn take(&mut self, cx: &mut Cx<'_>, id: OpId, first: bool) -> Translated {
        let TileOp::Control(ControlOp::If {
            then_region,
            else_region,
            ..
        }) = cx.old(id).kind
        else {
            return Ok(());
        };
        let region = if first { then_region } else { else_region };
        // Without an else region there are no results.
        let Some(block) = cx.from.only_block(region) else {
            return Ok(());
        };
        if let Some(values) = cx.inline(id, block, [], self)? {
            cx.bind_results(id, values);
        }
        Ok(())
    }
}

fn initial(cx: &Cx<'_>, id: OpId) -> Vec<Value> {
    match &cx.old(id).kind {
        TileOp::Control(ControlOp::For { init_values, .. }) => {
            init_values.iter().map(|&value| cx.one(value)).collect()
        }
        _ => Vec::new(),
    }
}
