//! Parts of tiles: `tileaa.cat`, `tileaa.extract`, `tileaa.insert`.
//!
//! The part has some layout, and the whole that layout with one more register for each part, so that parts are other
//! registers of the same threads.

use tilewright_irs::core::{Body, Value};
use tilewright_irs::tileaa::{TileAa, TileAaDialect};
use tilewright_layouts::{Dim, LayoutError, LinearLayout};

use super::tiles::default_layout;

/// The tiles of an op about parts.
pub(super) struct Parts<'a> {
    /// The parts among the operands, or the result.
    parts: &'a [Value],
    /// The whole, if it is an operand.
    whole: Option<Value>,
    /// Whether the result is the whole.
    gives_whole: bool,
}

impl<'a> Parts<'a> {
    /// The tiles of an op; `None` for an op of another kind.
    pub(super) fn of(own: &'a TileAaDialect) -> Option<Self> {
        match own {
            TileAaDialect::Cat { parts, .. } => Some(Self {
                parts,
                whole: None,
                gives_whole: true,
            }),
            TileAaDialect::Extract { source, .. } => Some(Self {
                parts: &[],
                whole: Some(*source),
                gives_whole: false,
            }),
            TileAaDialect::Insert {
                source, destination, ..
            } => Some(Self {
                parts: std::slice::from_ref(source),
                whole: Some(*destination),
                gives_whole: true,
            }),
            _ => None,
        }
    }

    /// The operands, each with whether it is a part.
    pub(super) fn operands(&self) -> impl Iterator<Item = (Value, bool)> {
        let parts = self.parts.iter().map(|&part| (part, true));
        parts.chain(self.whole.map(|whole| (whole, false)))
    }

    /// A part and the whole, of an op with this result.
    pub(super) fn ends(&self, result: Value) -> (Value, Value) {
        let part = self.parts.first().copied().unwrap_or(result);
        let whole = match self.gives_whole {
            true => result,
            false => self.whole.unwrap_or(result),
        };
        (part, whole)
    }

    /// The layouts of a part and of the whole. The part keeps the layout that it has, if any.
    ///
    /// # Errors
    /// A limit of the layouts is exceeded.
    pub(super) fn layouts(
        &self,
        body: &Body<TileAa>,
        result: Value,
        layout_of: impl Fn(Value) -> Option<LinearLayout>,
        num_warps: u32,
    ) -> Result<PartLayouts, LayoutError> {
        let (part, whole) = self.ends(result);
        let layout = match layout_of(part) {
            Some(layout) => layout,
            None => default_layout(body, part, num_warps)?,
        };
        let part = layout.drop_copies(Dim::Register);
        let whole = extended(&part, body.ty(whole).shape().unwrap_or_default())?;
        Ok(PartLayouts { part, whole })
    }

    /// The layout in which the op gives its result.
    pub(super) fn made_in(&self, layouts: PartLayouts) -> LinearLayout {
        if self.gives_whole {
            layouts.whole
        } else {
            layouts.part
        }
    }
}

/// The layouts of a part and of the whole.
pub(super) struct PartLayouts {
    pub(super) part: LinearLayout,
    pub(super) whole: LinearLayout,
}

/// A layout of a part with which the whole has nearly this layout: where a part is in other lanes or warps, their bits and the last
/// ones of the registers change places. `None` if there are too few registers.
///
/// # Errors
/// A limit of the layouts is exceeded.
pub(super) fn part_of(whole: &LinearLayout, extents: &[u32]) -> Result<Option<LinearLayout>, LayoutError> {
    let dims = [Dim::Register, Dim::Lane, Dim::Warp, Dim::Block];
    let mut bases = dims.map(|dim| whole.bases(dim).map(|basis| basis.to_vec()).collect::<Vec<_>>());
    for (axis, (&part, &all)) in extents.iter().zip(&whole.shape()).enumerate() {
        let is_of_parts = |basis: &Vec<u32>| basis.get(axis).is_some_and(|&step| step >= part);
        for step in (0..).map(|bit| part << bit).take_while(|&step| step < all) {
            let mut wanted = vec![0; extents.len()];
            if let Some(slot) = wanted.get_mut(axis) {
                *slot = step;
            }
            let [registers, others @ ..] = &mut bases;
            if let Some(at) = registers.iter().position(|basis| *basis == wanted) {
                registers.remove(at);
                continue;
            }
            let free = registers.iter().rposition(|basis| !is_of_parts(basis));
            let place = others.iter_mut().flatten().find(|basis| **basis == wanted);
            let (Some(free), Some(place)) = (free, place) else {
                return Ok(None);
            };
            *place = registers.remove(free);
        }
    }
    let bases: Vec<(Dim, Vec<Vec<u32>>)> = dims.into_iter().zip(bases).collect();
    let outs: Vec<(Dim, u32)> = (0..).map(Dim::Axis).zip(extents.iter().copied()).collect();
    LinearLayout::from_bases(&bases, &outs).map(Some)
}

/// A layout with a register for each part of a larger tile.
///
/// # Errors
/// A limit of the layouts is exceeded.
pub(super) fn extended(part: &LinearLayout, shape: &[u32]) -> Result<LinearLayout, LayoutError> {
    let extents = part.shape();
    let axes = || (0..).map(Dim::Axis).zip(shape.iter().copied());
    let wide = axes().try_fold(part.clone(), |layout, (axis, extent)| {
        layout.resize_out(axis, extent)
    })?;
    let mut more = Vec::new();
    for (axis, (&from, &to)) in extents.iter().zip(shape).enumerate() {
        let mut step = from;
        while step < to {
            let mut basis = vec![0; shape.len()];
            if let Some(slot) = basis.get_mut(axis) {
                *slot = step;
            }
            more.push(basis);
            step *= 2;
        }
    }
    let bases: Vec<(Dim, Vec<Vec<u32>>)> = [Dim::Register, Dim::Lane, Dim::Warp, Dim::Block]
        .into_iter()
        .map(|dim| {
            let mut bases: Vec<Vec<u32>> = wide.bases(dim).map(|basis| basis.to_vec()).collect();
            if dim == Dim::Register {
                bases.append(&mut more);
            }
            (dim, bases)
        })
        .collect();
    let outs: Vec<(Dim, u32)> = axes().collect();
    LinearLayout::from_bases(&bases, &outs)
}
