//! The layouts of reductions and scans: those of their operands if they take them, else layouts that they do take.

use tilewright_irs::core::{Body, OpData};
use tilewright_irs::machine::LANES;
use tilewright_irs::tileaa::{TileAa, TileAaDialect, TileAaOp};
use tilewright_irs::tileas::{ReduceAtom, reduced_layout};
use tilewright_layouts::{Blocked, LayoutError, LinearLayout};

use super::tiles::default_layout;

/// The layouts of a reduction or a scan.
#[derive(Clone, Debug)]
pub(super) struct FoldLayouts {
    /// That of its operands.
    pub(super) operands: LinearLayout,
    /// That of its results; `None` if they are single elements.
    pub(super) results: Option<LinearLayout>,
    /// Its scope.
    pub(super) atom: ReduceAtom,
    axis: usize,
}

impl FoldLayouts {
    /// The layouts for operands whose own layout is `home`, if they have one; `None` if the op is no reduction or scan.
    ///
    /// # Errors
    /// A limit of the layouts is exceeded.
    pub(super) fn of(
        body: &Body<TileAa>,
        op: &OpData<TileAa>,
        home: Option<&LinearLayout>,
        num_warps: u32,
    ) -> Result<Option<Self>, LayoutError> {
        let TileAaOp::TileAa(own) = &op.kind else {
            return Ok(None);
        };
        let (operands, axis, scans) = match own {
            TileAaDialect::Reduce { operands, axis, .. } => (operands, *axis as usize, false),
            TileAaDialect::Scan { operands, axis, .. } => (operands, *axis as usize, true),
            _ => return Ok(None),
        };
        let takes = |layout: &LinearLayout| match scans {
            false => ReduceAtom::takes(layout, axis),
            true => ReduceAtom::takes_in_order(layout, axis),
        };
        let Some(&first) = operands.first() else {
            return Ok(None);
        };
        let layout = match home.filter(|home| takes(home)) {
            Some(home) => home.clone(),
            None if scans => in_order(body.ty(first).shape().unwrap_or_default(), axis, num_warps)?,
            None => default_layout(body, first, num_warps)?,
        };
        let results = match (scans, layout.shape().len()) {
            (true, _) => Some(layout.clone()),
            (false, 1) => None,
            (false, _) => Some(reduced_layout(&layout, axis)?),
        };
        let atom = ReduceAtom::least(&layout, axis);
        Ok(Some(Self {
            operands: layout,
            results,
            atom,
            axis,
        }))
    }

    /// The cost for a warp, without conversions.
    pub(super) fn cost(&self) -> u64 {
        self.atom.weight(&self.operands, self.axis)
    }
}

/// The axis along which a reduction or a scan combines elements.
pub(super) fn fold_axis(op: &TileAaOp) -> Option<usize> {
    match op {
        TileAaOp::TileAa(TileAaDialect::Reduce { axis, .. } | TileAaDialect::Scan { axis, .. }) => {
            Some(*axis as usize)
        }
        _ => None,
    }
}

/// A layout for a scan: along the axis, consecutive elements in each thread, then in the lanes, then in the warps that
/// the other axes do not need.
fn in_order(shape: &[u32], axis: usize, num_warps: u32) -> Result<LinearLayout, LayoutError> {
    let length = shape.get(axis).copied().unwrap_or(1);
    let others = shape.iter().map(|&n| u64::from(n)).product::<u64>() / u64::from(length.max(1));
    let spare = num_warps
        / u32::try_from(others)
            .unwrap_or(u32::MAX)
            .clamp(1, num_warps.max(1));
    let registers = (length / (LANES * spare.max(1))).max(1);
    let lanes = (length / registers).min(LANES);
    let warps = length / registers / lanes;
    let mut order: Vec<usize> = vec![axis];
    order.extend((0..shape.len()).rev().filter(|&other| other != axis));
    let mut left = shape.to_vec();
    let mut along = |first: u32, mut rest: u32| {
        let mut counts = vec![1; shape.len()];
        for &other in &order {
            let Some(extent) = left.get_mut(other) else {
                continue;
            };
            let count = if other == axis { first } else { rest.min(*extent) };
            rest /= if other == axis { 1 } else { count };
            *extent /= count;
            if let Some(slot) = counts.get_mut(other) {
                *slot = count;
            }
        }
        // The remaining threads hold copies.
        if let Some(slot) = order.last().and_then(|&last| counts.get_mut(last)) {
            *slot *= rest;
        }
        counts
    };
    let blocked = Blocked {
        size_per_thread: along(registers, 1),
        threads_per_warp: along(lanes, LANES / lanes),
        warps_per_cta: along(warps, num_warps / warps.max(1)),
        order: order.clone(),
    };
    blocked.to_linear(shape)
}
