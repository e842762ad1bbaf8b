//! Splits a counted loop in two where a condition on its counter changes.
//!
//! In and out: `cuda_tile`. `for i in lo..hi step s { if i < c {A} else {B} … }` becomes two loops, one after the
//! other: in the first one the condition is the constant `true`, in the second one `false`, and
//! [`canonicalize`](super::canonicalize) puts the branches in place.
//!
//! - The condition is an integer comparison `<`, `<=`, `>` or `>=` of the counter with a value from outside of the loop,
//!   either way round, read as the loop reads its bounds. It stands in the loop's body, and so does an `if` on it whose
//!   regions hold more than a terminator. One condition a loop is taken, the first one.
//! - The second loop begins at the first value of the counter that the first one leaves out. Nothing overflows on the
//!   way there, whatever the bounds, the condition and the step are.
//! - Loops within loops are split as well, while the function grows to about its double at most.

use rustc_hash::FxHashMap;
use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{
    Block, Body, Flag, Func, OpId, Operation, Origin, Region, Translate, Translated, Translation, Value,
    translate_func,
};
use tilewright_irs::cuda_tile::{
    ComparisonPredicate, ControlOp, CudaTile, IntOp, IntegerOverflow, ShapeOp, Signedness, TileOp, TileType,
};
use tilewright_irs::element::ScalarType;
use tilewright_irs::literal::{Dense, Literal};

use super::behaviour::splat;
use super::canonicalize::mirrored;

type Cx<'a> = Translation<'a, CudaTile, CudaTile>;

/// Functions of fewer ops than this may grow as if they had so many.
const SMALL: usize = 256;

/// Splits loops.
///
/// # Errors
/// None; the type is that of all passes.
pub fn split_loops(func: &Func<CudaTile>) -> Result<Func<CudaTile>, Vec<Diagnostic<Origin>>> {
    let mut pass = Split {
        known: FxHashMap::default(),
        budget: func.body.op_count().max(SMALL),
    };
    translate_func(func, func.attrs.clone(), &mut pass)
}

/// Where a loop is split.
struct Condition {
    /// The comparison.
    op: OpId,
    /// The value that the counter is compared with.
    limit: Value,
    /// Whether the first loop takes the counter's value that equals the limit.
    includes_limit: bool,
    /// What the comparison is in the first loop.
    first: bool,
}

struct Split {
    /// What comparisons are in the copy of a loop that is being written.
    known: FxHashMap<OpId, bool>,
    /// How many ops may still be added.
    budget: usize,
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
        if let TileOp::Control(
            op @ ControlOp::For {
                body: region,
                lower_bound,
                unsigned_cmp,
                ..
            },
        ) = &old.kind
            && let Some(block) = cx.from.only_block(*region)
            && let Some(condition) = find(cx.from, block, signedness(*unsigned_cmp))
            && is_counter(cx.from.ty(*lower_bound))
        {
            let size = op_count(cx.from, *region);
            if size <= self.budget {
                self.budget -= size;
                return self.split(cx, id, op, &condition);
            }
        }
        cx.carry(id, &old.kind, self)
    }
}

fn signedness(unsigned: Flag) -> Signedness {
    if unsigned.0 {
        Signedness::Unsigned
    } else {
        Signedness::Signed
    }
}

/// Whether a counter has numbers enough for a condition to make sense.
fn is_counter(ty: &TileType) -> bool {
    let scalar = ty.as_tile().and_then(|tile| tile.element.scalar());
    scalar.is_some_and(|scalar| scalar.is_int() && scalar.bits() >= 8)
}

fn op_count(body: &Body<CudaTile>, region: Region) -> usize {
    let blocks = body.region(region).blocks.iter();
    let ops = blocks.flat_map(|&block| &body.block(block).ops);
    ops.map(|&id| {
        let regions = body.op(id).kind.region_list();
        1 + regions
            .into_iter()
            .map(|region| op_count(body, region))
            .sum::<usize>()
    })
    .sum()
}

/// The first condition that the loop with this body is worth splitting at.
fn find(body: &Body<CudaTile>, block: Block, signedness: Signedness) -> Option<Condition> {
    let data = body.block(block);
    let &counter = data.args.first()?;
    let mut inside: Vec<Value> = data.args.clone();
    let mut conditions: Vec<(Value, Condition)> = Vec::new();
    for &id in &data.ops {
        let op = body.op(id);
        match &op.kind {
            TileOp::Int(IntOp::CmpI {
                lhs,
                rhs,
                predicate,
                signedness: read,
            }) if *read == signedness => {
                let (other, predicate) = if *lhs == counter {
                    (*rhs, *predicate)
                } else {
                    (*lhs, mirrored(*predicate))
                };
                let compares = (*lhs == counter) != (*rhs == counter);
                let (includes_limit, first) = match predicate {
                    ComparisonPredicate::LessThan => (false, true),
                    ComparisonPredicate::LessThanOrEqual => (true, true),
                    ComparisonPredicate::GreaterThan => (true, false),
                    ComparisonPredicate::GreaterThanOrEqual => (false, false),
                    ComparisonPredicate::Equal | ComparisonPredicate::NotEqual => continue,
                };
                if compares && !inside.contains(&other) {
                    let condition = Condition {
                        op: id,
                        limit: other,
                        includes_limit,
                        first,
                    };
                    conditions.push((op.result(0), condition));
                }
            }
            TileOp::Control(ControlOp::If { condition, .. }) => {
                let place = conditions.iter().position(|(value, _)| value == condition);
                let regions = op.kind.region_list();
                let worth = regions.into_iter().any(|region| op_count(body, region) > 1);
                if let (Some(place), true) = (place, worth) {
                    return Some(conditions.swap_remove(place).1);
                }
            }
            _ => {}
        }
        inside.extend(op.results());
    }
    None
}

impl Split {
    fn split(&mut self, cx: &mut Cx<'_>, id: OpId, op: &ControlOp, condition: &Condition) -> Translated {
        let ControlOp::For {
            lower_bound,
            upper_bound,
            step,
            init_values,
            unsigned_cmp,
            body,
        } = op
        else {
            return Ok(());
        };
        let old = cx.old(id);
        let mut bounds = Bounds {
            ty: cx.from.ty(*lower_bound).clone(),
            signedness: signedness(*unsigned_cmp),
            lower: cx.one(*lower_bound),
            upper: cx.one(*upper_bound),
            step: cx.one(*step),
            cx,
        };
        let limit = bounds.cx.one(condition.limit);
        let middle = bounds.end_of_first(limit, condition.includes_limit);
        let (lower, upper, step) = (bounds.lower, bounds.upper, bounds.step);
        let turn = bounds.begin_of_second(middle);
        let mut values: Vec<Value> = init_values.iter().map(|&value| cx.one(value)).collect();
        let parts = [(condition.first, lower, middle), (!condition.first, turn, upper)];
        for (known, lower_bound, upper_bound) in parts {
            self.known.insert(condition.op, known);
            let body = cx.region(*body, self)?;
            cx.set_origin(old.origin);
            let copy = ControlOp::For {
                lower_bound,
                upper_bound,
                step,
                init_values: values,
                unsigned_cmp: *unsigned_cmp,
                body,
            };
            let types: Vec<_> = old.results().map(|result| cx.from.ty(result).clone()).collect();
            let copy = cx.build().op(copy, types);
            values = cx.new_body().op(copy).results().collect();
        }
        self.known.remove(&condition.op);
        for (result, value) in old.results().zip(values) {
            cx.bind(result, vec![value]);
        }
        Ok(())
    }
}

/// Computes where one loop ends and the other begins.
struct Bounds<'a, 'b> {
    cx: &'b mut Cx<'a>,
    ty: TileType,
    signedness: Signedness,
    lower: Value,
    upper: Value,
    step: Value,
}

impl Bounds<'_, '_> {
    fn int(&mut self, op: IntOp) -> Value {
        self.cx.value(op, self.ty.clone())
    }

    fn compare(&mut self, predicate: ComparisonPredicate, lhs: Value, rhs: Value) -> Value {
        let signedness = self.signedness;
        let op = IntOp::CmpI {
            lhs,
            rhs,
            predicate,
            signedness,
        };
        self.cx.value(op, TileType::scalar(ScalarType::I1))
    }

    fn select(&mut self, cond: Value, val_if_true: Value, val_if_false: Value) -> Value {
        let op = ShapeOp::Select {
            cond,
            val_if_true,
            val_if_false,
        };
        self.cx.value(op, self.ty.clone())
    }

    fn constant(&mut self, bits: u64) -> Value {
        let scalar = self.ty.as_tile().and_then(|tile| tile.element.scalar());
        let literal = Literal::new(scalar.unwrap_or(ScalarType::I32), bits);
        let value = Dense::Splat(literal);
        self.cx.value(ShapeOp::Constant { value }, self.ty.clone())
    }

    /// The first value that the first loop leaves out, between the bounds: the lower one when the range is empty.
    fn end_of_first(&mut self, limit: Value, includes_limit: bool) -> Value {
        let (signedness, overflow) = (self.signedness, IntegerOverflow::None);
        let capped = if includes_limit {
            // Below the upper bound there is a next number.
            let one = self.constant(1);
            let next = self.int(IntOp::AddI {
                lhs: limit,
                rhs: one,
                overflow,
            });
            let below = self.compare(ComparisonPredicate::LessThan, limit, self.upper);
            self.select(below, next, self.upper)
        } else {
            self.int(IntOp::MinI {
                lhs: limit,
                rhs: self.upper,
                signedness,
            })
        };
        self.int(IntOp::MaxI {
            lhs: capped,
            rhs: self.lower,
            signedness,
        })
    }

    /// The counter's first value from `middle` on, or the upper bound when there is none.
    fn begin_of_second(&mut self, middle: Value) -> Value {
        let body = self.cx.new_body();
        let definitions = body.definitions();
        let find = |value: Value| definitions.get(value).map(|&id| &body.op(id).kind);
        if splat(&find, self.step).is_some_and(|step| step.bits == 1) {
            return middle;
        }
        let (signedness, overflow) = (Signedness::Unsigned, IntegerOverflow::None);
        let (lower, upper, step) = (self.lower, self.upper, self.step);
        let span = self.int(IntOp::SubI {
            lhs: middle,
            rhs: lower,
            overflow,
        });
        let rest = self.int(IntOp::RemI {
            lhs: span,
            rhs: step,
            signedness,
        });
        let zero = self.constant(0);
        let on_a_turn = self.compare(ComparisonPredicate::Equal, rest, zero);
        let gap = self.int(IntOp::SubI {
            lhs: step,
            rhs: rest,
            overflow,
        });
        let gap = self.select(on_a_turn, zero, gap);
        let room = self.int(IntOp::SubI {
            lhs: upper,
            rhs: middle,
            overflow,
        });
        let skip = self.int(IntOp::MinI {
            lhs: gap,
            rhs: room,
            signedness,
        });
        self.int(IntOp::AddI {
            lhs: middle,
            rhs: skip,
            overflow,
        })
    }
}
