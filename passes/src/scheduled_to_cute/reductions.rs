//! Lowers reductions within a warp: a thread combines its registers along the axis, the smallest step first, and then
//! exchanges the results with the lanes along the axis.
//!
//! A body that is not known to be commutative combines the elements in order: registers and lanes alternate by the size
//! of their steps, and of two lanes that exchange values, both combine the lower one's with the higher one's. All lanes
//! along the axis therefore have the same result.

use rustc_hash::FxHashMap;
use tilewright_irs::core::{OpId, Translate, Translated, Value};
use tilewright_irs::cute_desugared::CuteDesugared;
use tilewright_irs::dialects::fold_rules::{Fold, is_commutative};
use tilewright_irs::scheduled::Scheduled;
use tilewright_layouts::{Dim, LinearLayout};

use super::agent::Agent;
use super::emit::{Cx, at, bug};
use super::folds::{Folding, Line, Row, select};

/// Lowers a reduction whose warps hold all of the axis. The body is emitted once for each register and lane bit.
pub(super) fn in_warp(
    pass: &mut impl Translate<Scheduled, CuteDesugared>,
    cx: &mut Cx<'_>,
    id: OpId,
    fold: &Fold<'_>,
    agent: Agent,
) -> Translated {
    let folding = Folding::new(cx, id, fold, agent)?;
    let commutes = is_commutative(cx.from, fold.body);
    let mut lines = folding.lines(cx, fold.operands);
    let mut bits = folding.bits.clone();
    if commutes {
        // The fewest exchanges between lanes.
        bits.sort_by_key(|(dim, _)| *dim);
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
