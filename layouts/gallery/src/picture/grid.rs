//! Arrangement of a tile of any rank in rows and columns.

use super::holders::coordinate;
use super::model::{Axis, Merge, Options};

/// The number of cells per row of a tile of one axis.
const LINE: u64 = 32;

/// The elements of a tile in rows and columns: the last axis to the right, the others down. A tile of
/// one axis is wrapped into rows.
pub(super) struct Grid {
    shape: Vec<u32>,
    names: Vec<String>,
    /// The number of elements of a cell.
    run: u64,
    /// The number of elements of a row.
    width: u64,
    /// The number of all elements.
    total: u64,
}

impl Grid {
    /// Constructs a grid; `names` are those of the axes, and `run` elements along the last axis may
    /// share a cell.
    pub(super) fn new(shape: &[u32], names: Vec<String>, run: u64, merge: Merge) -> Grid {
        let total = shape
            .iter()
            .fold(1u64, |total, size| total.saturating_mul(u64::from(*size)));
        let last = shape.last().map_or(1, |size| u64::from(*size));
        let run = merge.run(run, last);
        let run = if last.is_multiple_of(run) { run } else { 1 };
        let width = if shape.len() == 1 {
            last.min(LINE.saturating_mul(run))
        } else {
            last
        };
        Grid {
            shape: shape.to_vec(),
            names,
            run,
            width: width.max(1),
            total,
        }
    }

    /// The number of elements of a cell.
    pub(super) fn run(&self) -> u64 {
        self.run
    }

    fn row_count(&self) -> u64 {
        self.total.div_ceil(self.width)
    }

    /// The axes of the part in the windows, and the first element of each cell there by rows; `None`
    /// for a cell past the end of the last row.
    pub(super) fn window(
        &self,
        options: &Options,
        notes: &mut Vec<String>,
    ) -> (Axis, Axis, Vec<Option<u64>>) {
        let rows = options.rows.of(self.row_count(), "rows", notes);
        let columns = options.columns.of(self.width / self.run, "columns", notes);
        let cells = rows
            .clone()
            .flat_map(|row| {
                let columns = columns.clone();
                columns.map(move |column| row.saturating_mul(self.width) + column * self.run)
            })
            .map(|element| (element < self.total).then_some(element))
            .collect();
        let line = self.shape.len() == 1;
        let (last, outer) = match self.names.split_last() {
            Some((last, outer)) => (last.as_str(), outer),
            None => ("", &[][..]),
        };
        let row_axis = Axis {
            title: if line {
                format!("{last} from")
            } else {
                outer.join(", ")
            },
            labels: rows
                .map(|row| match self.shape.len() {
                    0 => String::new(),
                    1 => (row * self.width).to_string(),
                    rank => {
                        let outer = self.shape.get(..rank - 1).unwrap_or_default();
                        joined(&coordinate(row, outer))
                    }
                })
                .collect(),
            group: 8,
        };
        let plus = if line && self.row_count() > 1 { "+" } else { "" };
        let column_axis = Axis {
            title: last.to_owned(),
            labels: columns
                .map(|column| {
                    let first = column * self.run;
                    match self.run {
                        _ if self.shape.is_empty() => String::new(),
                        1 => format!("{plus}{first}"),
                        run => format!("{plus}{first}–{}", first + run - 1),
                    }
                })
                .collect(),
            group: 8,
        };
        (row_axis, column_axis, cells)
    }

    /// The coordinate of the first element of a cell.
    pub(super) fn coordinate(&self, element: u64) -> Vec<u32> {
        coordinate(element, &self.shape)
    }

    /// The name of the elements of a cell, such as `(3, 8–15)`.
    pub(super) fn name(&self, element: u64) -> String {
        coordinates(&self.coordinate(element), self.run)
    }
}

/// Joins numbers with commas.
pub(super) fn joined(numbers: &[u32]) -> String {
    let words: Vec<String> = numbers.iter().map(u32::to_string).collect();
    words.join(",")
}

/// Writes `run` elements from a coordinate on along the last axis: `(3, 8–15)`.
pub(super) fn coordinates(first: &[u32], run: u64) -> String {
    let Some((last, outer)) = first.split_last() else {
        return "()".to_owned();
    };
    let mut words: Vec<String> = outer.iter().map(u32::to_string).collect();
    words.push(range(u64::from(*last), run));
    format!("({})", words.join(", "))
}

/// Writes `run` numbers from `first` on: `8–15`, or a single number.
pub(super) fn range(first: u64, run: u64) -> String {
    match run {
        0 | 1 => first.to_string(),
        _ => format!("{first}–{}", first.saturating_add(run - 1)),
    }
}

/// Writes an enumeration: `a`, `a and b`, `a, b and c`.
pub(super) fn listed(words: &[String]) -> String {
    match words.split_last() {
        None => String::new(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
    }
}
