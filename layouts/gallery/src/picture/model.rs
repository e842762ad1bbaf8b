//! The picture model: produced by views, drawn by renderers.

use std::collections::BTreeSet;

use super::color::Tone;

/// A grid of labelled cells, with what is needed to read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// What is shown.
    pub title: String,
    /// The layout, as text or by name; empty where the caller has yet to say it.
    pub subtitle: String,
    /// The rows, from the top.
    pub rows: Axis,
    /// The columns, from the left.
    pub columns: Axis,
    /// Row by row, one cell for each column.
    pub cells: Vec<Cell>,
    /// What the colours mean.
    pub legend: Legend,
    /// What else has to be said: copies, what is left out, costs.
    pub notes: Vec<String>,
}

/// One side of a grid.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Axis {
    /// What the labels count.
    pub title: String,
    /// One for each row or column.
    pub labels: Vec<String>,
    /// A gap is left after every so many; 0 for none.
    pub group: usize,
}

/// One cell of a grid.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// What is in the cell, the most important part first: `T5`, `R2`.
    pub parts: Vec<String>,
    /// The colour; none where there is nothing.
    pub tone: Option<Tone>,
    /// Whether what is here is a copy of what an earlier place has.
    pub copy: bool,
    /// How many places have what is here, if more than are named in `parts`.
    pub times: u64,
    /// The same at length, for a reader who points at the cell.
    pub detail: String,
}

/// What the colours mean.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Legend {
    /// What the entries are.
    pub title: String,
    /// The colours, with what each stands for.
    pub entries: Vec<(Vec<Tone>, String)>,
}

impl Cell {
    /// A cell of which nothing is known.
    pub(super) fn empty(detail: impl Into<String>) -> Cell {
        Cell {
            detail: detail.into(),
            ..Cell::default()
        }
    }

    /// The parts in one word, such as `W1:T5:R2`, with `×4` after what is there four times and `*`
    /// after a copy; a dot for nothing.
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
    /// The cells of each row in turn.
    pub fn lines(&self) -> impl Iterator<Item = &[Cell]> {
        self.cells.chunks(self.columns.labels.len().max(1))
    }

    /// Drops colours from the legend that no cell has.
    pub(super) fn used_colors(mut self) -> Picture {
        let used: BTreeSet<Tone> = self.cells.iter().filter_map(|cell| cell.tone).collect();
        for (tones, _) in &mut self.legend.entries {
            tones.retain(|tone| used.contains(tone));
        }
        self.legend.entries.retain(|(tones, _)| !tones.is_empty());
        self
    }

    /// The picture with this subtitle, which usually is the layout's name or text.
    #[must_use]
    pub fn subtitle(mut self, subtitle: impl Into<String>) -> Picture {
        self.subtitle = subtitle.into();
        self
    }
}

/// A stretch of rows or columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The first that is shown.
    pub start: u64,
    /// How many are shown, at most [`Window::LARGEST`].
    pub len: u64,
}

impl Window {
    /// The most rows or columns of one picture.
    pub const LARGEST: u64 = 256;

    /// What is left of the window on a side of `size`, and a note if something is left out.
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

/// Whether neighbours that belong together are drawn as one cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Merge {
    /// Where the picture would otherwise have more than sixteen columns.
    #[default]
    Wide,
    /// Always.
    Always,
    /// Never: one cell for each element.
    Never,
}

impl Merge {
    /// More columns than this are merged by [`Merge::Wide`].
    const WIDE: u64 = 16;

    /// How many neighbours to merge, of `columns` in all, if `run` belong together.
    pub(super) fn run(self, run: u64, columns: u64) -> u64 {
        match self {
            Merge::Wide if columns <= Self::WIDE => 1,
            Merge::Never => 1,
            Merge::Wide | Merge::Always => run.clamp(1, columns.max(1)),
        }
    }
}

/// What to draw of a layout, and how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Which rows.
    pub rows: Window,
    /// Which columns.
    pub columns: Window,
    /// Whether neighbours are merged.
    pub merge: Merge,
    /// The dimension that gives the colours; the view chooses one if there is none.
    pub color_by: Option<tilewright_layouts::Dim>,
}
