//! Colours of cells: one hue for each group of lanes, warp, register or block.

use tilewright_layouts::Dim;

use super::color::{HUES, TINTS, Tone};
use super::grid::range;
use super::holders::{letter, value};
use super::model::Legend;

/// A colouring of positions: hues by one dimension, and tints by another one if there are enough
/// hues.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coloring {
    by: Dim,
    size: u32,
    /// The dimension shown in tints, with its size.
    tints: Option<(Dim, u32)>,
}

impl Coloring {
    /// Selects the dimension: the requested one, otherwise the warp (with lanes in tints) if there
    /// are several, the lane if there is only one warp, or the first dimension without lanes.
    pub(super) fn of(dims: &[(Dim, u32)], asked: Option<Dim>) -> Coloring {
        let size = |dim: Dim| {
            dims.iter()
                .find(|(known, _)| *known == dim)
                .map(|(_, size)| *size)
        };
        let first = dims.first().map_or(Dim::Register, |(dim, _)| *dim);
        let candidates = [Dim::Warp, Dim::Lane, Dim::TmemLane];
        let by = asked
            .or_else(|| candidates.into_iter().find(|dim| size(*dim).is_some()))
            .unwrap_or(first);
        let lanes = size(Dim::Lane)
            .filter(|lanes| *lanes >= TINTS)
            .map(|lanes| (Dim::Lane, lanes));
        Coloring {
            by,
            size: size(by).unwrap_or(1),
            tints: match by {
                Dim::Warp | Dim::Block if size(by).is_some_and(|size| size <= HUES) => lanes,
                Dim::Warp
                | Dim::Block
                | Dim::Register
                | Dim::Lane
                | Dim::Offset
                | Dim::TmemLane
                | Dim::TmemColumn
                | Dim::Axis(_) => None,
            },
        }
    }

    pub(super) fn tone(&self, position: &[(Dim, u32)]) -> Tone {
        let number = value(position, self.by);
        match self.tints {
            Some((dim, size)) => Tone::new(number, value(position, dim) / (size / TINTS).max(1)),
            None => Tone::of(number, self.size),
        }
    }

    /// The legend of the colours.
    pub(super) fn legend(&self) -> Legend {
        let run = (self.size / HUES).max(1);
        let mut title = format!("colour: {}", self.by);
        if let Some((dim, size)) = self.tints {
            let each = size / TINTS;
            title.push_str(&format!(", from strong to pale in {each} {dim}s each"));
        }
        let shown = self.size.min(HUES);
        let entries = (0..shown).map(|group| {
            let first = group * run;
            let tones: Vec<Tone> = match self.tints {
                Some(_) => (0..TINTS).map(|tint| Tone::new(group, tint)).collect(),
                None => {
                    let steps = run.min(TINTS);
                    (0..steps).map(|tint| Tone::new(group, tint)).collect()
                }
            };
            let numbers = range(u64::from(first), u64::from(run));
            (tones, format!("{}{numbers}", letter(self.by)))
        });
        Legend {
            title,
            entries: entries.collect(),
        }
    }
}
