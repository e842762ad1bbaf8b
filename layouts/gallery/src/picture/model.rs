//! The picture model: produced by views, drawn by renderers.

use std::collections::BTreeSet;

use super::color::Tone;

/// A grid of labelled cells with a legend and notes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// The subject of the picture.
    pub title: String,
    /// The layout, as text or by name; empty until the caller sets it.
    pub subtitle: String,
    /// The rows, from top to bottom.
    pub rows: Axis,
    /// The columns, from left to right.
    pub columns: Axis,
    /// The cells by rows, one for each column.
    pub cells: Vec<Cell>,
    /// The legend of the colours.
    pub legend: Legend,
    /// Further notes: copies, omitted parts, costs.
    pub notes: Vec<String>,
}

/// One side of a grid.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Axis {
    /// The quantity that the labels count.
    pub title: String,
    /// One label for each row or column.
    pub labels: Vec<String>,
    /// The number of entries between gaps; 0 for no gaps.
    pub group: usize,
}

/// One cell of a grid.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// The content of the cell, the most important part first: `T5`, `R2`.
    pub parts: Vec<String>,
    /// The colour; `None` for an empty cell.
    pub tone: Option<Tone>,
    /// Whether the cell is a copy of an earlier one.
    pub copy: bool,
    /// The number of positions with this content, if more than `parts` names.
    pub times: u64,
    /// The content in full, for a tooltip.
    pub detail: String,
}

/// The legend of the colours.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Legend {
    /// The meaning of the entries.
    pub title: String,
    /// The colours with their meanings.
    pub entries: Vec<(Vec<Tone>, String)>,
}

impl Cell {
    /// An empty cell.
    pub(super) fn empty(detail: impl Into<String>) -> Cell {
        Cell {
            detail: detail.into(),
            ..Cell::default()
        }
    }

    /// The parts in one word, such as `W1:T5:R2`, with `×4` after content that occurs four times and
    /// `*` after a copy; a dot for an empty cell.
    pub fn label(&self) -> String {
        if self.parts.is_empty() {
            return "·".to_owned();
        }
        let mut label = self.parts.join(":");
        if self.times > 1 {
            label.push_str(&format!("×{}", self.times));
        }
        if self.copy {
            label.push('*');
        }
        label
    }
}

impl Picture {
    /// The cells by row.
    pub fn lines(&self) -> impl Iterator<Item = &[Cell]> {
        self.cells.chunks(self.columns.labels.len().max(1))
    }

    /// Removes unused colours from the legend.
    pub(super) fn used_colors(mut self) -> Picture {
        let used: BTreeSet<Tone> = self.cells.iter().filter_map(|cell| cell.tone).collect();
        for (tones, _) in &mut self.legend.entries {
            tones.retain(|tone| used.contains(tone));
        }
        self.legend.entries.retain(|(tones, _)| !tones.is_empty());
        self
    }

    /// Sets the subtitle, usually the layout's name or text.
    #[must_use]
    pub fn subtitle(mut self, subtitle: impl Into<String>) -> Picture {
        self.subtitle = subtitle.into();
        self
    }
}

/// A range of rows or columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The first one shown.
    pub start: u64,
    /// The number shown, at most [`Window::LARGEST`].
    pub len: u64,
}

impl Window {
    /// The largest number of rows or columns of one picture.
    pub const LARGEST: u64 = 256;

    /// Clips the window to a side of `size`, and adds a note if part of it is omitted.
    pub(super) fn of(self, size: u64, what: &str, notes: &mut Vec<String>) -> std::ops::Range<u64> {
        let start = self.start.min(size.saturating_sub(1));
        let end = start.saturating_add(self.len.clamp(1, Self::LARGEST)).min(size);
        if end - start < size {
            let last = end.saturating_sub(1);
            notes.push(format!("Only {what} {start}–{last} of {size} are shown."));
        }
        start..end
    }
}

impl Default for Window {
    fn default() -> Window {
        Window { start: 0, len: 64 }
    }
}

/// Whether adjacent elements are drawn as one cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Merge {
    /// Merge if the picture would otherwise have more than sixteen columns.
    #[default]
    Wide,
    /// Merge always.
    Always,
    /// Never merge: one cell for each element.
    Never,
}

impl Merge {
    /// The number of columns above which [`Merge::Wide`] merges.
    const WIDE: u64 = 16;

    /// The number of neighbours to merge, given `columns` in all and runs of `run`.
    pub(super) fn run(self, run: u64, columns: u64) -> u64 {
        match self {
            Merge::Wide if columns <= Self::WIDE => 1,
            Merge::Never => 1,
            Merge::Wide | Merge::Always => run.clamp(1, columns.max(1)),
        }
    }
}

/// The drawing options of a layout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The rows to draw.
    pub rows: Window,
    /// The columns to draw.
    pub columns: Window,
    /// Whether neighbours are merged.
    pub merge: Merge,
    /// The dimension that determines the colours; selected by the view if `None`.
    pub color_by: Option<tilewright_layouts::Dim>,
}
