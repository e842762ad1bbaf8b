//! Conditions on the counter of a loop.

use rustc_hash::FxHashSet;
use tilewright_irs::core::{Block, Body, Flag, OpId, Operation, Region, Value};
use tilewright_irs::cuda_tile::{ComparisonPredicate, ControlOp, CudaTile, IntOp, Signedness, TileOp};

use super::super::behaviour::{Find, number, splat};
use super::super::canonicalize::mirrored;

/// The position of a split.
pub(super) struct Condition {
    /// The comparison.
    pub(super) op: OpId,
    /// The value compared with the counter.
    pub(super) limit: Value,
    /// Whether the counter value that equals the limit belongs to the first loop.
    pub(super) includes_limit: bool,
    /// The value of the comparison in the first loop.
    pub(super) first: bool,
    /// The branches on it directly in the loop's body.
    pub(super) branches: Vec<OpId>,
}

/// The signedness of a loop's bounds.
pub(super) fn signedness(unsigned: Flag) -> Signedness {
    if unsigned.0 {
        Signedness::Unsigned
    } else {
        Signedness::Signed
    }
}

/// The number of ops in a region.
pub(super) fn op_count(body: &Body<CudaTile>, region: Region) -> usize {
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

/// The first condition at which splitting the loop with this body pays.
pub(super) fn find(body: &Body<CudaTile>, block: Block, signedness: Signedness) -> Option<Condition> {
    let comparisons = comparisons(body, block, signedness);
    if comparisons.is_empty() {
        return None;
    }
    let chosen = first_worth(body, block, &comparisons)?;
    let (value, mut condition) = comparisons.into_iter().nth(chosen)?;
    let asks = |id: &OpId| branch_on(body, *id) == Some(value);
    condition.branches = body.block(block).ops.iter().copied().filter(asks).collect();
    Some(condition)
}

/// The comparisons of the counter with a value from outside, directly in a loop's body, with their results.
fn comparisons(body: &Body<CudaTile>, block: Block, signedness: Signedness) -> Vec<(Value, Condition)> {
    let data = body.block(block);
    let mut found = Vec::new();
    let Some(&counter) = data.args.first() else {
        return found;
    };
    let mut inside: FxHashSet<Value> = data.args.iter().copied().collect();
    for &id in &data.ops {
        let op = body.op(id);
        if let TileOp::Int(IntOp::CmpI {
            lhs,
            rhs,
            predicate,
            signedness: read,
        }) = op.kind
            && read == signedness
            && (lhs == counter) != (rhs == counter)
        {
            let (limit, predicate) = if lhs == counter {
                (rhs, predicate)
            } else {
                (lhs, mirrored(predicate))
            };
            if let (Some((includes_limit, first)), false) = (sides(predicate), inside.contains(&limit)) {
                let condition = Condition {
                    op: id,
                    limit,
                    includes_limit,
                    first,
                    branches: Vec::new(),
                };
                found.push((op.result(0), condition));
            }
        }
        inside.extend(op.results());
    }
    found
}

/// Whether the limit belongs to the first loop, and the value of the comparison in it.
fn sides(predicate: ComparisonPredicate) -> Option<(bool, bool)> {
    match predicate {
        ComparisonPredicate::LessThan => Some((false, true)),
        ComparisonPredicate::LessThanOrEqual => Some((true, true)),
        ComparisonPredicate::GreaterThan => Some((true, false)),
        ComparisonPredicate::GreaterThanOrEqual => Some((false, false)),
        ComparisonPredicate::Equal | ComparisonPredicate::NotEqual => None,
    }
}

/// The condition of a branch.
fn branch_on(body: &Body<CudaTile>, id: OpId) -> Option<Value> {
    match body.op(id).kind {
        TileOp::Control(ControlOp::If { condition, .. }) => Some(condition),
        _ => None,
    }
}

/// The comparison of the first branch with more than a terminator in it, at any depth.
fn first_worth(body: &Body<CudaTile>, block: Block, known: &[(Value, Condition)]) -> Option<usize> {
    for &id in &body.block(block).ops {
        let regions = body.op(id).kind.region_list();
        if let Some(asked) = branch_on(body, id)
            && let Some(at) = known.iter().position(|(value, _)| *value == asked)
            && regions.iter().any(|&region| op_count(body, region) > 1)
        {
            return Some(at);
        }
        for region in regions {
            for &block in &body.region(region).blocks {
                if let Some(at) = first_worth(body, block, known) {
                    return Some(at);
                }
            }
        }
    }
    None
}

/// The constant value of the condition, if the bounds and the limit imply it.
pub(super) fn always(
    find: Find<'_>,
    condition: &Condition,
    (lower, upper): (Value, Value),
    signedness: Signedness,
) -> Option<bool> {
    let known = |value: Value| splat(find, value).map(|literal| number(literal, signedness));
    let middle = known(condition.limit)? + i128::from(condition.includes_limit);
    if known(lower).is_some_and(|lower| middle <= lower) {
        return Some(!condition.first);
    }
    known(upper)
        .is_some_and(|upper| middle >= upper)
        .then_some(condition.first)
}
