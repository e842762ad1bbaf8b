//! The layouts of reductions and scans: those of their operands if they take them, else layouts that they do take.

use tilewright_irs::core::{Body, OpData};
use tilewright_irs::machine::LANES;
use tilewright_irs::tileaa::{TileAa, TileAaDialect, TileAaOp};
use tilewright_irs::tileas::{ReduceAtom, reduced_layout};
use tilewright_layouts::{Dim, LayoutError, LinearLayout};

use super::tiles::{default_layout, vector_elements};

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
    scans: bool,
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
            None if scans => {
                let shape = body.ty(first).shape().unwrap_or_default();
                in_order(shape, axis, vector_elements(body, first), num_warps)?
            }
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
            scans,
        }))
    }

    /// The cost for a warp, without conversions.
    pub(super) fn cost(&self) -> u64 {
        match self.scans {
            true => self.atom.scan_weight(&self.operands, self.axis),
            false => self.atom.weight(&self.operands, self.axis),
        }
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

/// A layout for a scan: along the axis, consecutive elements in each thread, then in the lanes, then in registers again, then in
/// the warps that the other axes do not need. Along the last axis, a thread has no more consecutive elements than one access moves:
/// consecutive lanes then access consecutive memory.
fn in_order(shape: &[u32], axis: usize, accessed: u32, num_warps: u32) -> Result<LinearLayout, LayoutError> {
    let length = shape.get(axis).copied().unwrap_or(1);
    let others = shape.iter().map(|&n| u64::from(n)).product::<u64>() / u64::from(length.max(1));
    let spare = num_warps
        / u32::try_from(others)
            .unwrap_or(u32::MAX)
            .clamp(1, num_warps.max(1));
    let registers = (length / (LANES * spare.max(1))).max(1);
    let consecutive = match axis + 1 == shape.len() {
        true => registers.min(accessed),
        false => registers,
    };
    let lanes = (length / registers).min(LANES);
    let warps = length / registers / lanes;
    let mut steps = Steps {
        done: vec![1; shape.len()],
        shape,
    };
    let rest: Vec<usize> = (0..shape.len()).rev().filter(|&other| other != axis).collect();
    let mut register = steps.along(axis, consecutive);
    let mut lane = steps.along(axis, lanes);
    lane.extend(steps.over(&rest, LANES / lanes));
    register.extend(steps.along(axis, registers / consecutive));
    let mut warp = steps.along(axis, warps);
    warp.extend(steps.over(&rest, num_warps / warps.max(1)));
    for &other in &rest {
        let left = steps.left(other);
        register.extend(steps.along(other, left));
    }
    let axes: Vec<(Dim, u32)> = (0..).map(Dim::Axis).zip(shape.iter().copied()).collect();
    LinearLayout::from_bases(
        &[(Dim::Register, register), (Dim::Lane, lane), (Dim::Warp, warp)],
        &axes,
    )
}

/// Basis vectors, each of which doubles what is covered of a tile along an axis.
struct Steps<'a> {
    shape: &'a [u32],
    /// What is covered along each axis.
    done: Vec<u32>,
}

impl Steps<'_> {
    /// What is not covered yet along an axis.
    fn left(&self, axis: usize) -> u32 {
        let extents = self.shape.get(axis).zip(self.done.get(axis));
        extents.map_or(1, |(&extent, &done)| extent / done)
    }

    /// Those that cover so many elements along an axis.
    fn along(&mut self, axis: usize, count: u32) -> Vec<Vec<u32>> {
        let mut bases = Vec::new();
        for _ in 0..count.max(1).ilog2() {
            let mut basis = vec![0; self.shape.len()];
            if let (Some(step), Some(done)) = (basis.get_mut(axis), self.done.get_mut(axis)) {
                *step = *done;
                *done *= 2;
            }
            bases.push(basis);
        }
        bases
    }

    /// Those that distribute the axes over so many units, the first axis first; the units that are left hold copies.
    fn over(&mut self, axes: &[usize], units: u32) -> Vec<Vec<u32>> {
        let (mut bases, mut units) = (Vec::new(), units.max(1));
        for &axis in axes {
            let count = units.min(self.left(axis));
            bases.extend(self.along(axis, count));
            units /= count;
        }
        bases.extend((0..units.ilog2()).map(|_| vec![0; self.shape.len()]));
        bases
    }
}
