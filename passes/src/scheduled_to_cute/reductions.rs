//! Lowers reductions within a warp: a thread combines its registers along the axis, the smallest step first, and then
//! exchanges the results with the lanes along the axis.
//!
//! A body that is not known to be commutative combines the elements in order: registers and lanes alternate by the size
//! of their steps, and of two lanes that exchange values, both combine the lower one's with the higher one's. All lanes
//! along the axis therefore have the same result.
//!
//! Where the axis takes all lanes of a warp and the target has an instruction that combines the values of all lanes
//! (`redux.sync`: sums, minima, maxima and bitwise operations of i32; minima and maxima of f32 on sm_100a), that
//! replaces the exchanges.

use rustc_hash::FxHashMap;
use tilewright_irs::core::{Body, Flag, OpId, Operation, Translate, Translated, Value, ValueType};
use tilewright_irs::cute_desugared::CuteDesugared;
use tilewright_irs::dialects::arith::{ArithOp, Signedness};
use tilewright_irs::dialects::fold_rules::{Fold, is_commutative};
use tilewright_irs::dialects::gpu::{GpuOp, WarpReduction};
use tilewright_irs::element::ScalarType;
use tilewright_irs::isa::Target;
use tilewright_irs::scheduled::{Scheduled, ScheduledOp};
use tilewright_layouts::{Dim, LinearLayout};

use super::agent::Agent;
use super::emit::{Cx, at, bug};
use super::folds::{Folding, Line, Row, select};
use super::placement::LANE_BITS;
use crate::warp_reductions;

/// Lowers a reduction whose warps hold all of the axis. The body is emitted once for each register and lane bit.
pub(super) fn in_warp(
    pass: &mut impl Translate<Scheduled, CuteDesugared>,
    cx: &mut Cx<'_>,
    id: OpId,
    fold: &Fold<'_>,
    agent: Agent,
    target: Target,
) -> Translated {
    let folding = Folding::new(cx, id, fold, agent)?;
    let commutes = is_commutative(cx.from, fold.body);
    let mut lines = folding.lines(cx, fold.operands);
    let mut bits = folding.bits.clone();
    let mut whole_warp = Vec::new();
    if commutes {
        // The fewest exchanges between lanes.
        bits.sort_by_key(|(dim, _)| *dim);
    }
    let lane_bits = bits.iter().filter(|(dim, _)| *dim == Dim::Lane).count();
    if commutes
        && lane_bits == LANE_BITS as usize
        && let Some(reductions) = reductions_of_warp(cx.from, fold, target)
    {
        bits.retain(|(dim, _)| *dim != Dim::Lane);
        whole_warp = reductions;
    }
    for (dim, bit) in bits {
        match dim {
            Dim::Register => {
                for line in &mut lines {
                    line.rows = pairs(pass, cx, &folding, &line.rows)?;
                }
            }
            Dim::Lane => lanes(pass, cx, &folding, &mut lines, 1 << bit, commutes)?,
            _ => return Err(bug(folding.origin, "a reduction between warps was not split")),
        }
    }
    for line in &mut lines {
        for row in &mut line.rows {
            for (value, &op) in row.iter_mut().zip(&whole_warp) {
                let ty = cx.ty(*value).clone();
                *value = cx.value(GpuOp::WarpReduce { source: *value, op }, ty);
            }
        }
    }
    let from = cx.from;
    let places: FxHashMap<&[u32], &Line> = lines.iter().map(|line| (line.place.as_slice(), line)).collect();
    for (number, result) in from.op(id).results().enumerate() {
        let element = |line: &Line| line.rows.first().and_then(|row| row.get(number)).copied();
        let value = match from.ty(result).layout() {
            None => lines.first().and_then(element),
            Some(layout) => gathered(cx, layout, |place| places.get(place).copied().and_then(element)),
        };
        let value = value.ok_or_else(|| bug(folding.origin, "a reduction leaves out a register"))?;
        cx.bind(result, [value]);
    }
    Ok(())
}

/// The instruction's operation for each operand, if the target has one for all of them. The body is known to combine
/// each operand by one commutative op.
fn reductions_of_warp(body: &Body<Scheduled>, fold: &Fold<'_>, target: Target) -> Option<Vec<WarpReduction>> {
    let end = body.terminator(body.only_block(fold.body)?)?;
    let yielded = body.op(end).kind.operand_list();
    let ops = &body.block(body.only_block(fold.body)?).ops;
    let reduction = |value: Value| {
        let defines = |id: &&OpId| body.op(**id).results().any(|result| result == value);
        let ScheduledOp::Arith(op) = &body.op(*ops.iter().find(defines)?).kind else {
            return None;
        };
        let element = body.ty(value).element()?.scalar()?;
        let found = match (op, element) {
            (ArithOp::AddI { .. }, ScalarType::I32) => WarpReduction::Add,
            (ArithOp::MinI { signedness, .. }, ScalarType::I32) => match signedness {
                Signedness::Signed => WarpReduction::MinSigned,
                Signedness::Unsigned => WarpReduction::MinUnsigned,
            },
            (ArithOp::MaxI { signedness, .. }, ScalarType::I32) => match signedness {
                Signedness::Signed => WarpReduction::MaxSigned,
                Signedness::Unsigned => WarpReduction::MaxUnsigned,
            },
            (ArithOp::AndI { .. }, ScalarType::I32) => WarpReduction::And,
            (ArithOp::OrI { .. }, ScalarType::I32) => WarpReduction::Or,
            (ArithOp::XorI { .. }, ScalarType::I32) => WarpReduction::Xor,
            (
                ArithOp::MinF {
                    propagate_nan,
                    flush_to_zero: Flag(false),
                    ..
                },
                ScalarType::F32,
            ) => match propagate_nan.0 {
                true => WarpReduction::Minimum,
                false => WarpReduction::MinNumber,
            },
            (
                ArithOp::MaxF {
                    propagate_nan,
                    flush_to_zero: Flag(false),
                    ..
                },
                ScalarType::F32,
            ) => match propagate_nan.0 {
                true => WarpReduction::Maximum,
                false => WarpReduction::MaxNumber,
            },
            _ => return None,
        };
        let need = warp_reductions::instruction(found, value, value).need()?;
        target.provides(need).then_some(found)
    };
    yielded.into_iter().map(reduction).collect()
}

/// Combines adjacent rows.
fn pairs(
    pass: &mut impl Translate<Scheduled, CuteDesugared>,
    cx: &mut Cx<'_>,
    folding: &Folding<'_>,
    rows: &[Row],
) -> Result<Vec<Row>, tilewright_diagnostics::Diagnostic<tilewright_irs::core::Origin>> {
    let mut combined = Vec::with_capacity(rows.len() / 2);
    for pair in rows.chunks(2) {
        if let [low, high] = pair {
            combined.push(folding.combine(pass, cx, low, high)?);
        }
    }
    Ok(combined)
}

/// Combines the rows of all lines with those of the lanes whose index differs by `mask`.
fn lanes(
    pass: &mut impl Translate<Scheduled, CuteDesugared>,
    cx: &mut Cx<'_>,
    folding: &Folding<'_>,
    lines: &mut [Line],
    mask: u32,
    commutes: bool,
) -> Translated {
    let own: Vec<Row> = lines.iter().flat_map(|line| line.rows.clone()).collect();
    let others = folding.rows_across(cx, &own, mask);
    let (low, high) = if commutes {
        (own, others)
    } else {
        let is_high: Value = folding.is_set(cx, mask);
        (
            select(cx, is_high, &others, &own),
            select(cx, is_high, &own, &others),
        )
    };
    let mut combined = Vec::with_capacity(low.len());
    for (low, high) in low.iter().zip(&high) {
        combined.push(folding.combine(pass, cx, low, high)?);
    }
    let mut combined = combined.into_iter();
    for line in lines {
        for (row, new) in line.rows.iter_mut().zip(combined.by_ref()) {
            *row = new;
        }
    }
    Ok(())
}

/// The fragment of a result, whose elements are found by their coordinates.
fn gathered(cx: &mut Cx<'_>, layout: &LinearLayout, find: impl Fn(&[u32]) -> Option<Value>) -> Option<Value> {
    let registers = 0..layout.in_size(Dim::Register);
    let elements: Option<Vec<Value>> = registers
        .map(|register| find(&layout.at(register, 0, 0, 0)))
        .collect();
    let mut emit = at(cx);
    emit.fragment(elements?)
}
