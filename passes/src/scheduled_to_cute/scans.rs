//! Lowers scans within a warp: a thread scans its consecutive registers; the lanes along the axis scan the totals of their threads,
//! each step over twice as many lanes; and every thread combines the total of the lanes before it with its own elements. Where the
//! registers of a thread above its consecutive ones continue the axis, the warp scans the part of each of them so, and combines the
//! totals of the parts before it, which its last lane has.

use rustc_hash::FxHashMap;
use tilewright_irs::core::{OpId, Translate, Translated, Value};
use tilewright_irs::cute_desugared::CuteDesugared;
use tilewright_irs::dialects::arith::Predicate;
use tilewright_irs::dialects::fold_rules::Fold;
use tilewright_irs::scheduled::Scheduled;
use tilewright_irs::tileas::ReduceAtom;
use tilewright_layouts::Dim;

use super::agent::Agent;
use super::emit::{Cx, at, bug};
use super::folds::{Folding, Line, Row, lane_where, select};

/// Lowers a scan whose warps hold all of the axis.
pub(super) fn in_warp(
    pass: &mut impl Translate<Scheduled, CuteDesugared>,
    cx: &mut Cx<'_>,
    id: OpId,
    fold: &Fold<'_>,
    reverse: bool,
    agent: Agent,
) -> Translated {
    let folding = Folding::new(cx, id, fold, agent)?;
    let mut lanes = Vec::new();
    for &(dim, bit) in &folding.bits {
        match dim {
            Dim::Register => {}
            Dim::Lane => lanes.push(1u32 << bit),
            _ => return Err(bug(folding.origin, "a scan between warps was not split")),
        }
    }
    let mut lines = folding.lines(cx, fold.operands);
    let consecutive = ReduceAtom::consecutive(folding.layout, folding.axis) as usize;
    for line in &mut lines {
        if reverse {
            line.registers.reverse();
            line.rows.reverse();
        }
        for part in line.rows.chunks_mut(consecutive) {
            for at in 1..part.len() {
                if let Some([so_far, element]) = part.get(at - 1..=at) {
                    let row = folding.combine(pass, cx, so_far, element)?;
                    if let Some(slot) = part.get_mut(at) {
                        *slot = row;
                    }
                }
            }
        }
    }
    if !lanes.is_empty() {
        scan_parts(pass, cx, &folding, &mut lines, (consecutive, &lanes), reverse)?;
    }
    let from = cx.from;
    // By coordinates: replicated registers have the same value.
    let held: FxHashMap<u64, &Row> = lines
        .iter()
        .flat_map(|line| line.registers.iter().zip(&line.rows))
        .map(|(&register, row)| (folding.layout.word_at(register, 0, 0, 0), row))
        .collect();
    for (number, result) in from.op(id).results().enumerate() {
        let registers = 0..folding.layout.in_size(Dim::Register);
        let elements: Option<Vec<Value>> = registers
            .map(|register| {
                let row = held.get(&folding.layout.word_at(register, 0, 0, 0))?;
                row.get(number).copied()
            })
            .collect();
        let value = elements.and_then(|elements| at(cx).fragment(elements));
        let value = value.ok_or_else(|| bug(folding.origin, "a scan leaves out a register"))?;
        cx.bind(result, [value]);
    }
    Ok(())
}

/// Combines the scans of so many consecutive registers of a thread with what precedes them in the other lanes, and in the parts before.
fn scan_parts(
    pass: &mut impl Translate<Scheduled, CuteDesugared>,
    cx: &mut Cx<'_>,
    folding: &Folding<'_>,
    lines: &mut [Line],
    (consecutive, lanes): (usize, &[u32]),
    reverse: bool,
) -> Translated {
    let parts = lines.iter().flat_map(|line| line.rows.chunks(consecutive));
    let totals: Vec<Row> = parts.filter_map(|part| part.last().cloned()).collect();
    let totals = scan_lanes(pass, cx, folding, totals, lanes, reverse)?;
    let mask = lanes.iter().sum();
    let (before, first) = before(cx, folding, mask, reverse);
    let mut carried = folding.rows_of(cx, &totals, before).into_iter();
    // The totals of whole parts.
    let mut whole = match lines.iter().any(|line| line.rows.len() > consecutive) {
        true => {
            let bits = if reverse { (0, mask) } else { (mask, 0) };
            let last = lane_where(cx, folding.lane, bits);
            folding.rows_of(cx, &totals, last)
        }
        false => Vec::new(),
    }
    .into_iter();
    let mut totals = totals.into_iter();
    for line in lines {
        let mut so_far: Option<Row> = None;
        for part in line.rows.chunks_mut(consecutive) {
            let (Some(total), Some(carried)) = (totals.next(), carried.next()) else {
                return Err(bug(folding.origin, "a part of a scan has no total"));
            };
            let Some((last, others)) = part.split_last_mut() else {
                continue;
            };
            match &so_far {
                None => {
                    for row in others {
                        let combined = folding.combine(pass, cx, &carried, row)?;
                        let own = std::slice::from_ref(row);
                        let new = select(cx, first, own, &[combined]);
                        if let Some(new) = new.into_iter().next() {
                            *row = new;
                        }
                    }
                    *last = total;
                }
                Some(so_far) => {
                    let combined = folding.combine(pass, cx, so_far, &carried)?;
                    let carried = select(cx, first, std::slice::from_ref(so_far), &[combined]);
                    for row in others {
                        if let Some(carried) = carried.first() {
                            *row = folding.combine(pass, cx, carried, row)?;
                        }
                    }
                    *last = folding.combine(pass, cx, so_far, &total)?;
                }
            }
            if let Some(whole) = whole.next() {
                so_far = Some(match &so_far {
                    None => whole,
                    Some(so_far) => folding.combine(pass, cx, so_far, &whole)?,
                });
            }
        }
    }
    Ok(())
}

/// Scans the totals of threads over the lanes along the axis: in each step, the second half of twice as many lanes takes
/// the total of the first half from its last lane.
fn scan_lanes(
    pass: &mut impl Translate<Scheduled, CuteDesugared>,
    cx: &mut Cx<'_>,
    folding: &Folding<'_>,
    mut totals: Vec<Row>,
    lanes: &[u32],
    reverse: bool,
) -> Result<Vec<Row>, tilewright_diagnostics::Diagnostic<tilewright_irs::core::Origin>> {
    let mut lower = 0;
    for &lane in lanes {
        let bits = if reverse { (lane, lower) } else { (lower, lane) };
        let source = lane_where(cx, folding.lane, bits);
        let firsts = folding.rows_of(cx, &totals, source);
        let mut combined = Vec::with_capacity(totals.len());
        for (first, total) in firsts.iter().zip(&totals) {
            combined.push(folding.combine(pass, cx, first, total)?);
        }
        let is_set = folding.is_set(cx, lane);
        totals = if reverse {
            select(cx, is_set, &totals, &combined)
        } else {
            select(cx, is_set, &combined, &totals)
        };
        lower |= lane;
    }
    Ok(totals)
}

/// The lane before this one along the axis, in the scan's direction, and whether this one is the first. `mask` are the
/// bits of the lanes along the axis.
fn before(cx: &mut Cx<'_>, folding: &Folding<'_>, mask: u32, reverse: bool) -> (Value, Value) {
    let mut emit = at(cx);
    let (bits, others) = (emit.i32(mask), emit.i32(!mask));
    let (one, zero) = (emit.i32(1), emit.i32(0));
    let along = emit.and(folding.lane, bits);
    // The carry or the borrow passes through the other bits.
    let (neighbour, end) = if reverse {
        let filled = emit.or(folding.lane, others);
        (emit.add(filled, one), bits)
    } else {
        (emit.sub(along, one), zero)
    };
    let first = emit.compare(along, Predicate::Equal, end);
    let neighbour = emit.and(neighbour, bits);
    let rest = emit.and(folding.lane, others);
    (emit.or(neighbour, rest), first)
}
