//! Facts of results of shape ops and pointer offsets.

use tilewright_irs::core::Value;
use tilewright_irs::dialects::tile::TileOp;
use tilewright_irs::tileaa::MAX_DIVISOR;

use super::integers::sign_extended;
use super::lattice::{Axis, Kind, Known};

/// The facts of the result of a shape op.
pub(super) fn shape(op: &TileOp, kind: &Kind, operand: &dyn Fn(Value) -> (Kind, Known)) -> Known {
    match op {
        TileOp::Splat { source } => {
            let (from, known) = operand(*source);
            let div = known.every_div(from.unit());
            let axis = |&extent: &u64| Axis {
                div,
                contig: 1,
                same: extent,
            };
            Known {
                axes: kind.extents.iter().map(axis).collect(),
                ..known
            }
        }
        TileOp::Iota {} => {
            let mut known = Known::nothing(kind);
            if let (Some(axis), Some(&extent)) = (known.axes.first_mut(), kind.extents.first()) {
                *axis = Axis {
                    div: MAX_DIVISOR,
                    contig: extent,
                    same: 1,
                };
                // If the numbers do not fit the type they wrap, and their range is unknown.
                if let Some(last) = i64::try_from(extent - 1).ok().filter(|&last| last <= known.high) {
                    (known.low, known.high) = (0, last);
                }
            }
            known
        }
        TileOp::Broadcast { source } => {
            let (from, known) = operand(*source);
            let mut axes = known.axes.clone();
            for (axis, (&old, &new)) in axes.iter_mut().zip(from.extents.iter().zip(&kind.extents)) {
                if old != new {
                    axis.same = new;
                }
            }
            Known { axes, ..known }
        }
        TileOp::Reshape { source } => {
            let (from, known) = operand(*source);
            Known {
                axes: reshaped(&from, &known, &kind.extents),
                ..known
            }
        }
        TileOp::Permute { source, permutation } => {
            let (_, known) = operand(*source);
            let axis = |&old: &u32| known.axes.get(old as usize).copied().unwrap_or(Axis::UNKNOWN);
            Known {
                axes: permutation.iter().map(axis).collect(),
                ..known
            }
        }
        TileOp::PtrAdd { pointer, offset } => {
            let (from, base) = operand(*pointer);
            let unit = from.unit();
            let (offset_kind, offset) = operand(*offset);
            let offset = sign_extended(&offset_kind, &offset);
            let mut known = Known::nothing(kind);
            for (axis, (a, b)) in known.axes.iter_mut().zip(base.axes.iter().zip(&offset.axes)) {
                let contig = a.contig.min(b.same).max(a.same.min(b.contig));
                let moved = b.start_div(contig, 1).saturating_mul(unit);
                *axis = Axis {
                    div: a.start_div(contig, unit).min(moved).max(1),
                    contig,
                    same: a.same.min(b.same),
                };
            }
            known
        }
    }
}

/// The axes of the same elements in row-major order under other extents.
fn reshaped(from: &Kind, known: &Known, extents: &[u64]) -> Vec<Axis> {
    let unit = from.unit();
    let every = known.every_div(unit);
    let alone = Axis {
        div: every,
        contig: 1,
        same: 1,
    };
    let long = |extents: &[u64]| extents.iter().copied().filter(|&n| n > 1).collect::<Vec<_>>();
    let mut kept = from
        .extents
        .iter()
        .zip(&known.axes)
        .filter(|(extent, _)| **extent > 1)
        .map(|(_, axis)| *axis);
    if long(&from.extents) == long(extents) {
        return extents
            .iter()
            .map(|&extent| {
                if extent > 1 {
                    kept.next().unwrap_or(alone)
                } else {
                    alone
                }
            })
            .collect();
    }
    // Axes are split or joined. Runs along the innermost axis stay runs in row-major order; runs of equal elements
    // continue over the next axis if they fill the innermost one.
    let mut inner = alone;
    let mut filled = 1u64;
    for (&extent, axis) in from.extents.iter().zip(&known.axes).rev() {
        if extent == 1 {
            continue;
        }
        if filled == 1 {
            inner = *axis;
            filled = extent;
        } else if inner.same == filled {
            inner.same = filled.saturating_mul(axis.same);
            filled = filled.saturating_mul(extent);
        } else {
            break;
        }
    }
    let mut axes = vec![alone; extents.len()];
    let mut rest = inner.same;
    let mut innermost = true;
    for (axis, &extent) in axes.iter_mut().zip(extents).rev() {
        if extent == 1 {
            continue;
        }
        axis.same = rest.min(extent);
        rest = (rest / extent).max(1);
        if innermost {
            let same = axis.same;
            *axis = inner.with_contig(inner.contig.min(extent), unit);
            axis.same = same;
            innermost = false;
        }
    }
    axes
}
