//! Text output: an aligned table, and boxes or coloured cells for terminals.

use super::color::{Rgb, Tone};
use super::model::{Axis, Cell, Picture};

/// The colour depth of a terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Depth {
    /// No colours: lines are drawn between cells that would differ in colour.
    #[default]
    Plain,
    /// 256 colours, including the 6×6×6 cube.
    Cube,
    /// 24-bit colours.
    True,
}

impl Picture {
    /// Formats the picture as a table: labels in aligned columns, notes below.
    ///
    /// ```
    /// use tilewright_layout_gallery::picture;
    /// use tilewright_layouts::LinearLayout;
    /// let layout: LinearLayout = "linear<lane = [[0, 1], [1, 0]], shape = [2, 2]>".parse()?;
    /// let table = picture::by_element(&layout, &picture::Options::default()).to_table();
    /// let want = "Who holds each element of the 2×2 tile\n\n      dim1\ndim0   0   1\n   0  T0  T1\n   1  T2  T3\n";
    /// assert_eq!(table, want);
    /// # Ok::<(), tilewright_layouts::ParseLayoutError>(())
    /// ```
    pub fn to_table(&self) -> String {
        let mut text = self.heading();
        let sizes = Sizes::of(self);
        self.head_lines(&mut text, &sizes, 2, right);
        for ((index, cells), label) in self.lines().enumerate().zip(&self.rows.labels) {
            if breaks(&self.rows, index) {
                text.push('\n');
            }
            let mut line = right(label, sizes.label);
            for (column, cell) in cells.iter().enumerate() {
                line.push_str(if breaks(&self.columns, column) {
                    "    "
                } else {
                    "  "
                });
                line.push_str(&right(&cell.label(), sizes.cell));
            }
            push_line(&mut text, &line);
        }
        self.notes_below(&mut text);
        text
    }

    /// Formats the picture for a terminal: cells on coloured backgrounds with the legend below, or,
    /// without colours, in boxes with lines between cells that would differ in colour.
    ///
    /// ```
    /// use tilewright_layout_gallery::picture;
    /// use tilewright_layouts::LinearLayout;
    /// let layout: LinearLayout = "linear<lane = [[1]], shape = [2]>".parse()?;
    /// let picture = picture::by_element(&layout, &picture::Options::default());
    /// let text = picture.to_terminal(picture::Depth::Plain);
    /// assert!(text.contains("T0") && text.contains('│'));
    /// assert!(picture.to_terminal(picture::Depth::True).contains("\u{1b}["));
    /// # Ok::<(), tilewright_layouts::ParseLayoutError>(())
    /// ```
    pub fn to_terminal(&self, depth: Depth) -> String {
        match depth {
            Depth::Plain => self.boxes(),
            Depth::Cube | Depth::True => self.colored(depth),
        }
    }

    fn heading(&self) -> String {
        let mut text = format!("{}\n", self.title);
        if !self.subtitle.is_empty() {
            push_line(&mut text, &self.subtitle);
        }
        text.push('\n');
        text
    }

    fn notes_below(&self, text: &mut String) {
        if !self.notes.is_empty() {
            text.push('\n');
        }
        for note in &self.notes {
            push_line(text, note);
        }
    }

    /// The axes' titles and the labels of the columns, each preceded by `gap` blanks.
    fn head_lines(
        &self,
        text: &mut String,
        sizes: &Sizes,
        gap: usize,
        align: impl Fn(&str, usize) -> String,
    ) {
        if !self.columns.title.is_empty() {
            push_line(
                text,
                &format!("{}{}", blanks(sizes.label + gap), self.columns.title),
            );
        }
        let mut line = right(&self.rows.title, sizes.label);
        for (column, label) in self.columns.labels.iter().enumerate() {
            line.push_str(&blanks(if breaks(&self.columns, column) {
                gap + 2
            } else {
                gap
            }));
            line.push_str(&align(label, sizes.cell));
        }
        if !line.trim().is_empty() {
            push_line(text, &line);
        }
    }

    fn colored(&self, depth: Depth) -> String {
        let mut text = self.heading();
        let sizes = Sizes::of(self);
        let mut head = String::new();
        let wide = Sizes {
            cell: sizes.cell + 2,
            ..sizes
        };
        // Coloured cells are adjacent, with a gap after each group.
        self.head_colored(&mut head, &wide);
        text.push_str(&head);
        for ((index, cells), label) in self.lines().enumerate().zip(&self.rows.labels) {
            if breaks(&self.rows, index) {
                text.push('\n');
            }
            let mut line = format!("{}{}{RESET} ", FAINT, right(label, sizes.label));
            for (column, cell) in cells.iter().enumerate() {
                if breaks(&self.columns, column) {
                    line.push(' ');
                }
                let middle = middle(&cell.label(), wide.cell);
                line.push_str(&painted(&middle, cell.tone, cell.copy, depth));
            }
            push_line(&mut text, &line);
        }
        text.push('\n');
        push_line(&mut text, &self.legend.title);
        let mut line = String::new();
        for (tones, label) in &self.legend.entries {
            if !line.is_empty() {
                line.push_str("   ");
            }
            for tone in tones {
                line.push_str(&painted("  ", Some(*tone), false, depth));
            }
            line.push(' ');
            line.push_str(label);
        }
        push_line(&mut text, &line);
        self.notes_below(&mut text);
        text
    }

    fn head_colored(&self, text: &mut String, wide: &Sizes) {
        if !self.columns.title.is_empty() {
            push_line(
                text,
                &format!("{}{FAINT}{}{RESET}", blanks(wide.label + 2), self.columns.title),
            );
        }
        let mut line = format!("{FAINT}{} ", right(&self.rows.title, wide.label));
        for (column, label) in self.columns.labels.iter().enumerate() {
            if breaks(&self.columns, column) {
                line.push(' ');
            }
            line.push_str(&middle(label, wide.cell));
        }
        push_line(text, &format!("{}{RESET}", line.trim_end()));
    }

    /// Draws boxes around runs of cells of one colour.
    fn boxes(&self) -> String {
        let mut text = self.heading();
        let sizes = Sizes::of(self);
        let columns = self.columns.labels.len();
        let rows: Vec<&[Cell]> = self.lines().collect();
        if !self.columns.title.is_empty() {
            push_line(
                &mut text,
                &format!("{}{}", blanks(sizes.label + 3), self.columns.title),
            );
        }
        let mut head = format!("{} ", right(&self.rows.title, sizes.label));
        for label in &self.columns.labels {
            head.push_str(&format!(" {}", middle(label, sizes.cell + 2)));
        }
        push_line(&mut text, &head);
        // The colour of a cell; all cells outside of the grid have the same.
        let at = |row: Option<usize>, column: Option<usize>| -> Option<(Option<Tone>, bool)> {
            let cell = rows.get(row?)?.get(column?)?;
            Some((cell.tone, cell.copy))
        };
        for row in 0..=rows.len() {
            let above = row.checked_sub(1);
            let mut line = blanks(sizes.label + 1);
            let mut any = false;
            for column in 0..=columns {
                let before = column.checked_sub(1);
                let corners = [
                    at(above, before),
                    at(above, Some(column)),
                    at(Some(row), before),
                    at(Some(row), Some(column)),
                ];
                let [a, b, c, d] = corners;
                line.push(corner(a != b, b != d, c != d, a != c));
                if column < columns {
                    any |= b != d;
                    let dash = if b != d { "─" } else { " " };
                    line.push_str(&dash.repeat(sizes.cell + 2));
                }
            }
            if any {
                push_line(&mut text, &line);
            }
            let (Some(cells), Some(label)) = (rows.get(row), self.rows.labels.get(row)) else {
                continue;
            };
            let mut line = format!("{} ", right(label, sizes.label));
            for column in 0..=columns {
                let edge = at(Some(row), column.checked_sub(1)) != at(Some(row), Some(column));
                line.push(if edge { '│' } else { ' ' });
                if let Some(cell) = cells.get(column) {
                    line.push_str(&middle(&cell.label(), sizes.cell + 2));
                }
            }
            push_line(&mut text, &line);
        }
        self.notes_below(&mut text);
        text
    }
}

/// The corner character with lines up, right, down and left.
fn corner(up: bool, right: bool, down: bool, left: bool) -> char {
    match (up, right, down, left) {
        (false, false, false, false) => ' ',
        (true, true, true, true) => '┼',
        (true, true, true, false) => '├',
        (true, false, true, true) => '┤',
        (false, true, true, true) => '┬',
        (true, true, false, true) => '┴',
        (false, true, true, false) => '┌',
        (false, false, true, true) => '┐',
        (true, true, false, false) => '└',
        (true, false, false, true) => '┘',
        (true, _, _, false) | (_, false, true, false) => '│',
        (false, _, false, _) => '─',
    }
}

const RESET: &str = "\u{1b}[0m";
const FAINT: &str = "\u{1b}[2m";

/// Colours the background of a text.
fn painted(text: &str, tone: Option<Tone>, copy: bool, depth: Depth) -> String {
    let Some(tone) = tone else {
        return format!("{FAINT}{text}{RESET}");
    };
    let (back, fore) = (tone.rgb(), tone.rgb().text());
    let style = if copy { "\u{1b}[3m" } else { "" };
    let escape = |which: u8, color: Rgb| match depth {
        Depth::Plain => String::new(),
        Depth::Cube => format!("\u{1b}[{which};5;{}m", color.cube()),
        Depth::True => format!("\u{1b}[{which};2;{};{};{}m", color.0, color.1, color.2),
    };
    format!("{style}{}{}{text}{RESET}", escape(48, back), escape(38, fore))
}

/// The widths of the columns, in characters.
#[derive(Clone, Copy)]
struct Sizes {
    label: usize,
    cell: usize,
}

impl Sizes {
    fn of(picture: &Picture) -> Sizes {
        let widest = |labels: &[String]| labels.iter().map(|label| length(label)).max().unwrap_or(0);
        let cells = picture.cells.iter().map(|cell| length(&cell.label())).max();
        Sizes {
            label: widest(&picture.rows.labels).max(length(&picture.rows.title)),
            cell: widest(&picture.columns.labels).max(cells.unwrap_or(0)),
        }
    }
}

/// Whether a gap precedes this row or column.
fn breaks(axis: &Axis, index: usize) -> bool {
    index > 0 && axis.group > 0 && index.is_multiple_of(axis.group)
}

/// The length of a text in characters, each of which has width one.
fn length(text: &str) -> usize {
    text.chars().count()
}

fn blanks(count: usize) -> String {
    " ".repeat(count)
}

// Padded explicitly: the standard formatter limits widths to 16 bits.

fn right(text: &str, width: usize) -> String {
    format!("{}{text}", blanks(width.saturating_sub(length(text))))
}

fn middle(text: &str, width: usize) -> String {
    let free = width.saturating_sub(length(text));
    format!("{}{text}{}", blanks(free / 2), blanks(free - free / 2))
}

fn push_line(text: &mut String, line: &str) {
    text.push_str(line.trim_end());
    text.push('\n');
}
