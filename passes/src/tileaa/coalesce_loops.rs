//! Makes one loop of nested loops around a product, so that its pipeline is filled once. `tileaa` to `tileaa`.
//!
//! In: any function. Out: the same program, where loops with constant bounds that contain nothing but each other, and what their
//! counters are used for, are one loop:
//!
//! ```text
//! scf.for %0, %3, %1, [%sum] body {                 scf.for %0, %6, %1, [%sum] body {
//! ^(%i: i32, %s: tile<…>):                          ^(%c: i32, %s: tile<…>):
//!   %row = arith.addi %first, %i                      %i = arith.divi %c, %2
//!   %r = scf.for %0, %2, %1, [%s] body {              %j = arith.remi %c, %2
//!   ^(%j: i32, %t: tile<…>):                          %row = arith.addi %first, %i
//!     (loads at %row and %j, a product)               (loads at %row and %j, a product)
//!     scf.continue [%u]                               scf.continue [%u]
//!   }                                               }
//!   scf.continue [%r]
//! }
//! ```
//!
//! This is loop coalescing (Polychronopoulos, "Loop Coalescing", ICPP 1987), for the few iterations of convolutions and blocked
//! operands: the first loads of each inner loop would wait for memory. An inner loop of more than [`MOST_INNER`] iterations fills its
//! own pipeline. What an outer loop computes is computed in each iteration, so it must be pure, and independent of what is carried.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{
    Block, Body, Flag, Func, OpId, Operation, Origin, SideTable, Translate, Translated, Translation, Value,
    ValueType, translate_func,
};
use tilewright_irs::dialects::arith::{ArithOp, Overflow, QuotientRounding, Signedness};
use tilewright_irs::dialects::scf::{LoopPlan, ScfOp};
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::literal::Dense;
use tilewright_irs::tileaa::{TileAa, TileAaDialect, TileAaOp, TileAaType};

use super::persistent_loops::planned;
use crate::scalars::integer;
use crate::uses::use_counts;

/// The most iterations of an inner loop that becomes part of the one around it. (On an H200, convolutions of 3 x 3 by gathers take 26 %
/// less time with inner loops of two iterations in one with the others, and 11 % more with those of four.)
const MOST_INNER: i64 = 3;

/// Makes one loop of nested loops.
///
/// # Errors
/// None; the type is that of all passes.
pub fn coalesce_loops(func: &Func<TileAa>) -> Result<Func<TileAa>, Vec<Diagnostic<Origin>>> {
    let mut pass = Coalesce {
        definitions: func.body.definitions(),
        uses: use_counts(&func.body),
    };
    translate_func(func, func.attrs.clone(), &mut pass)
}

struct Coalesce {
    definitions: SideTable<Value, OpId>,
    uses: SideTable<Value, usize>,
}

type Cx<'a> = Translation<'a, TileAa, TileAa>;

/// A loop with constant bounds.
struct Counted<'a> {
    block: Block,
    counter: Value,
    scalar: ScalarType,
    carried: &'a [Value],
    inits: &'a [Value],
    lower: i64,
    step: i64,
    trips: i64,
}

/// A loop in the only one around it.
struct Nested<'a> {
    id: OpId,
    /// What the one around it computes.
    before: &'a [OpId],
    counted: Counted<'a>,
}

impl Translate<TileAa, TileAa> for Coalesce {
    fn types(&mut self, ty: &TileAaType) -> Result<Vec<TileAaType>, Diagnostic<Origin>> {
        Ok(vec![ty.clone()])
    }

    fn op(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        if let Some(outer) = self.counted(cx.from, id) {
            let nest = self.nest(cx.from, id, &outer);
            if !nest.is_empty() {
                return self.coalesced(cx, id, &outer, &nest);
            }
        }
        cx.carry(id, &cx.old(id).kind, self)
    }
}

impl Coalesce {
    fn number(&self, body: &Body<TileAa>, value: Value) -> Option<i64> {
        match &body.op(*self.definitions.get(value)?).kind {
            TileAaOp::Arith(ArithOp::Constant {
                value: Dense::Splat(number),
            }) => Some(number.signed()),
            _ => None,
        }
    }

    fn counted<'a>(&self, body: &'a Body<TileAa>, id: OpId) -> Option<Counted<'a>> {
        let TileAaOp::Scf(ScfOp::For {
            lower,
            upper,
            step,
            inits,
            unsigned: Flag(false),
            body: region,
            ..
        }) = &body.op(id).kind
        else {
            return None;
        };
        let [lower, upper, step] = [*lower, *upper, *step].map(|value| self.number(body, value));
        let (lower, step) = (lower?, step.filter(|&step| step > 0)?);
        let distance = upper?.checked_sub(lower).filter(|&distance| distance > 0)?;
        let block = body.only_block(*region)?;
        let (&counter, carried) = body.block(block).args.split_first()?;
        Some(Counted {
            block,
            counter,
            scalar: body.ty(counter).element().and_then(ElementType::scalar)?,
            carried,
            inits,
            lower,
            step,
            trips: 1 + (distance - 1) / step,
        })
    }

    /// The loops that become part of the one around them, from the outermost on.
    fn nest<'a>(&self, body: &'a Body<TileAa>, outermost: OpId, outer: &Counted<'a>) -> Vec<Nested<'a>> {
        let mut nest: Vec<Nested<'a>> = Vec::new();
        let most = match outer.scalar {
            ScalarType::I64 => i64::MAX,
            ScalarType::I32 => i64::from(i32::MAX),
            _ => 0,
        };
        let mut trips = outer.trips;
        let mut around = outermost;
        loop {
            let inner = match nest.last() {
                Some(last) => self.inner(body, around, &last.counted),
                None => self.inner(body, around, outer),
            };
            let Some(inner) = inner.filter(|inner| inner.counted.scalar == outer.scalar) else {
                break;
            };
            match trips
                .checked_mul(inner.counted.trips)
                .filter(|&trips| trips <= most)
            {
                Some(all) => trips = all,
                None => break,
            }
            around = inner.id;
            nest.push(inner);
        }
        let has_product = nest.last().is_some_and(|last| {
            let ops = &body.block(last.counted.block).ops;
            let mut kinds = ops.iter().map(|&id| &body.op(id).kind);
            kinds.any(|op| matches!(op, TileAaOp::TileAa(TileAaDialect::Dot { .. })))
        });
        match has_product {
            true => nest,
            false => Vec::new(),
        }
    }

    /// The loop that is all of another one, apart from what is computed before it.
    fn inner<'a>(&self, body: &'a Body<TileAa>, outer: OpId, around: &Counted<'a>) -> Option<Nested<'a>> {
        let [before @ .., id, end] = body.block(around.block).ops.as_slice() else {
            return None;
        };
        let counted = self
            .counted(body, *id)
            .filter(|inner| inner.trips <= MOST_INNER)?;
        let TileAaOp::Scf(ScfOp::Continue { values }) = &body.op(*end).kind else {
            return None;
        };
        let is_planned = planned(&body.op(outer).kind) != LoopPlan::default();
        let is_pure = |&id: &OpId| {
            let op = &body.op(id).kind;
            op.is_pure() && op.region_list().is_empty()
        };
        let is_handed_on = counted.inits == around.carried
            && body.op(*id).results().eq(values.iter().copied())
            && around
                .carried
                .iter()
                .all(|&value| self.uses.get(value) == Some(&1));
        (is_handed_on && !is_planned && before.iter().all(is_pure)).then_some(Nested {
            id: *id,
            before,
            counted,
        })
    }

    fn coalesced(
        &mut self,
        cx: &mut Cx<'_>,
        id: OpId,
        outer: &Counted<'_>,
        nest: &[Nested<'_>],
    ) -> Translated {
        let Some(innermost) = nest.last() else {
            return Ok(());
        };
        let from = cx.from;
        let ty = from.ty(outer.counter).clone();
        let inits: Vec<Value> = outer.inits.iter().map(|&init| cx.one(init)).collect();
        let trips = nest.iter().map(|inner| inner.counted.trips).product::<i64>();
        let [zero, one, upper] = [0, 1, outer.trips * trips].map(|number| integer(cx, outer.scalar, number));
        let region = cx.body_mut().add_region();
        let block = cx.body_mut().add_block(region);
        let counter = cx.body_mut().add_arg(block, ty);
        for &arg in outer.carried {
            let new = cx.body_mut().add_arg(block, from.ty(arg).clone());
            for counted in std::iter::once(outer).chain(nest.iter().map(|inner| &inner.counted)) {
                let at = outer.carried.iter().position(|&value| value == arg);
                if let Some(&arg) = at.and_then(|at| counted.carried.get(at)) {
                    cx.bind(arg, [new]);
                }
            }
        }
        let origin = cx.origin();
        cx.within(block, |cx| -> Translated {
            let mut inside = trips;
            // Of the outermost loop nothing is left over.
            let iteration = quotient(cx, outer.scalar, counter, inside);
            bind_counter(cx, outer, iteration);
            for inner in nest {
                for &id in inner.before {
                    cx.set_origin(from.op(id).origin);
                    self.op(cx, id)?;
                }
                cx.set_origin(origin);
                let rest = remainder(cx, outer.scalar, counter, inside);
                inside /= inner.counted.trips;
                let iteration = quotient(cx, outer.scalar, rest, inside);
                bind_counter(cx, &inner.counted, iteration);
            }
            cx.block_ops(innermost.counted.block, self)
        })?;
        cx.set_origin(origin);
        let op = ScfOp::For {
            lower: zero,
            upper,
            step: one,
            inits,
            unsigned: Flag(false),
            plan: planned(&from.op(innermost.id).kind),
            body: region,
        };
        let types: Vec<TileAaType> = from
            .op(id)
            .results()
            .map(|value| from.ty(value).clone())
            .collect();
        let new = cx.build().op(op, types);
        let results: Vec<Value> = cx.new_body().op(new).results().collect();
        cx.bind_results(id, results);
        Ok(())
    }
}

/// Binds the counter of a loop in this iteration of it.
fn bind_counter(cx: &mut Cx<'_>, counted: &Counted<'_>, iteration: Value) {
    let ty = cx.from.ty(counted.counter).clone();
    let overflow = Overflow::NoSigned;
    let mut value = iteration;
    if counted.step != 1 {
        let (lhs, rhs) = (value, integer(cx, counted.scalar, counted.step));
        value = cx.value(ArithOp::MulI { lhs, rhs, overflow }, ty.clone());
    }
    if counted.lower != 0 {
        let (lhs, rhs) = (value, integer(cx, counted.scalar, counted.lower));
        value = cx.value(ArithOp::AddI { lhs, rhs, overflow }, ty);
    }
    cx.bind(counted.counter, [value]);
}

/// A number that is not negative, divided by a constant.
fn quotient(cx: &mut Cx<'_>, scalar: ScalarType, lhs: Value, by: i64) -> Value {
    if by == 1 {
        return lhs;
    }
    let ty = cx.ty(lhs).clone();
    let rhs = integer(cx, scalar, by);
    let (signedness, rounding) = (Signedness::Unsigned, QuotientRounding::Zero);
    let op = ArithOp::DivI {
        lhs,
        rhs,
        signedness,
        rounding,
    };
    cx.value(op, ty)
}

/// What such a division leaves over.
fn remainder(cx: &mut Cx<'_>, scalar: ScalarType, lhs: Value, by: i64) -> Value {
    let ty = cx.ty(lhs).clone();
    let rhs = integer(cx, scalar, by);
    let signedness = Signedness::Unsigned;
    cx.value(ArithOp::RemI { lhs, rhs, signedness }, ty)
}
