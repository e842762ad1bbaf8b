//! SVG output.
//!
//! A picture needs only five kinds of elements, so this module writes them itself and the crate needs
//! no dependency.

use std::collections::BTreeSet;
use std::fmt::{self, Write};

use super::color::{Rgb, Tone};
use super::model::{Axis, Cell, Picture};

/// The width of a character of the monospaced font, in hundredths of its size.
const CHAR: u32 = 61;
/// Font sizes.
const TITLE: u32 = 17;
const TEXT: u32 = 12;
const LABEL: u32 = 11;
/// The margin around the picture.
const MARGIN: u32 = 24;
/// The gaps between two cells, and between two groups of them.
const GAP: u32 = 2;
const GROUP_GAP: u32 = 8;
/// The minimum width of a picture, so that its title fits.
const LEAST_WIDTH: u32 = 420;
/// The longest axis, far above that of any legible picture; sums of a few such lengths do not
/// overflow.
const LONGEST: u32 = 1 << 28;
/// The size of a legend swatch.
const SWATCH: u32 = 14;

/// Draws these pictures below each other in one SVG document.
///
/// Each cell has a tooltip with its content in full.
///
/// ```
/// use tilewright_layout_gallery::picture;
/// use tilewright_layouts::LinearLayout;
/// let layout: LinearLayout = "linear<lane = [[0, 1], [1, 0]], shape = [2, 2]>".parse()?;
/// let svg = picture::to_svg(&[picture::by_element(&layout, &picture::Options::default())]);
/// assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
/// # Ok::<(), tilewright_layouts::ParseLayoutError>(())
/// ```
pub fn to_svg(pictures: &[Picture]) -> String {
    let mut body = String::new();
    let mut tones = BTreeSet::new();
    let (mut width, mut y) = (LEAST_WIDTH, MARGIN);
    for picture in pictures {
        let frame = Frame::of(picture);
        width = width.max(frame.width);
    }
    for picture in pictures {
        y = Frame::of(picture).draw(picture, y, width, &mut body) + 2 * MARGIN;
        for cell in &picture.cells {
            tones.extend(cell.tone);
        }
        for (entry, _) in &picture.legend.entries {
            tones.extend(entry);
        }
    }
    let height = y.saturating_sub(MARGIN);
    let width = width + 2 * MARGIN;
    let name = pictures.first().map_or("", |picture| picture.title.as_str());
    let style = style(&tones);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         role=\"img\" aria-label=\"{}\">\n<style>\n{style}</style>\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"{}\"/>\n{body}</svg>\n",
        Escaped(name),
        Rgb::PAPER,
    )
}

fn style(tones: &BTreeSet<Tone>) -> String {
    let mono = "ui-monospace,SFMono-Regular,Menlo,Consolas,'Liberation Mono','DejaVu Sans Mono',monospace";
    let sans = "system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,'Liberation Sans','DejaVu Sans',sans-serif";
    let mut style = format!(
        "text{{font-family:{sans};font-size:{TEXT}px;fill:#4b5563}}\n\
         .title{{font-size:{TITLE}px;font-weight:600;fill:{ink}}}\n\
         .mono,.label,.main,.sub{{font-family:{mono}}}\n\
         .label{{font-size:{LABEL}px;fill:#6b7280}}\n\
         .axis{{font-weight:600;fill:#374151}}\n\
         .main{{font-weight:600;text-anchor:middle}}\n\
         .sub{{font-size:{LABEL}px;text-anchor:middle}}\n\
         .middle{{text-anchor:middle}}\n.end{{text-anchor:end}}\n\
         .none{{fill:{empty}}}\n.copy{{fill-opacity:.45}}\n",
        ink = Rgb::INK,
        empty = Rgb::EMPTY,
    );
    for tone in tones {
        let color = tone.rgb();
        let class = class(*tone);
        // Writing to a string does not fail.
        let _ = writeln!(
            style,
            ".{class}{{fill:{color}}}\n.{class}t{{fill:{}}}",
            color.text()
        );
    }
    style
}

/// The CSS class of a tone's background; with a `t`, that of text on it.
fn class(tone: Tone) -> String {
    format!("h{}{}", tone.hue(), tone.tint())
}

/// The dimensions of one picture.
struct Frame {
    label: u32,
    cell_width: u32,
    cell_height: u32,
    width: u32,
}

impl Frame {
    fn of(picture: &Picture) -> Frame {
        let lines = picture.cells.iter().flat_map(|cell| {
            let (main, sub) = lines(cell);
            [
                text_width(&main, TEXT),
                text_width(&sub.unwrap_or_default(), LABEL),
            ]
        });
        let heads = picture
            .columns
            .labels
            .iter()
            .map(|label| text_width(label, LABEL));
        let cell_width = lines
            .map(|width| width + 12)
            .chain(heads.map(|width| width + 6))
            .max();
        let cell_width = cell_width.unwrap_or(0).max(26);
        let two = picture.cells.iter().any(|cell| lines_of(cell) == 2);
        let label = picture
            .rows
            .labels
            .iter()
            .map(|label| text_width(label, LABEL))
            .chain([text_width(&picture.rows.title, TEXT) + 14])
            .max()
            .unwrap_or(0);
        let across = extent(&picture.columns, picture.columns.labels.len(), cell_width);
        Frame {
            label,
            cell_width,
            cell_height: if two { 36 } else { 26 },
            width: label + 10 + across,
        }
    }

    /// Draws the picture from `y` on; returns the `y` below it.
    fn draw(&self, picture: &Picture, y: u32, width: u32, out: &mut String) -> u32 {
        let left = MARGIN;
        let mut y = y + TITLE;
        element(out, left, y, "title", &picture.title);
        if !picture.subtitle.is_empty() {
            for line in wrapped(&picture.subtitle, chars(width, TEXT)) {
                y += TEXT + 8;
                element(out, left, y, "mono", &line);
            }
        }
        y += TEXT + 18;
        let grid = left + self.label + 10;
        if !picture.columns.title.is_empty() {
            element(out, grid, y, "axis", &format!("{} →", picture.columns.title));
            y += LABEL + 8;
        }
        if !picture.rows.title.is_empty() {
            element(out, left, y, "axis", &format!("{} ↓", picture.rows.title));
        }
        for (index, label) in picture.columns.labels.iter().enumerate() {
            let x = grid + extent(&picture.columns, index, self.cell_width) + self.cell_width / 2;
            element(out, x, y, "label middle", label);
        }
        y += 8;
        for ((index, cells), label) in picture.lines().enumerate().zip(&picture.rows.labels) {
            let top = y + extent(&picture.rows, index, self.cell_height);
            element(out, grid - 8, top + self.cell_height / 2 + 4, "label end", label);
            for (column, cell) in cells.iter().enumerate() {
                let x = grid + extent(&picture.columns, column, self.cell_width);
                self.cell(out, x, top, cell);
            }
        }
        y += extent(&picture.rows, picture.rows.labels.len(), self.cell_height) + 12;
        y = legend(picture, left, y, width, out);
        for note in &picture.notes {
            for line in wrapped(note, chars(width, TEXT)) {
                y += TEXT + 6;
                element(out, left, y, "", &line);
            }
        }
        y
    }

    fn cell(&self, out: &mut String, x: u32, y: u32, cell: &Cell) {
        let (width, height) = (self.cell_width, self.cell_height);
        let (back, text) = match cell.tone {
            Some(tone) => (class(tone), format!(" {}t", class(tone))),
            None => ("none".to_owned(), String::new()),
        };
        let copy = if cell.copy { " copy" } else { "" };
        // Writing to a string does not fail.
        let _ = write!(
            out,
            "<g><rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"4\" class=\"{back}{copy}\">"
        );
        if !cell.detail.is_empty() {
            let _ = write!(out, "<title>{}</title>", Escaped(&cell.detail));
        }
        out.push_str("</rect>");
        let (main, sub) = lines(cell);
        let center = x + width / 2;
        let middle = y + height / 2;
        match sub {
            Some(sub) => {
                write_text(out, center, middle - 2, &format!("main{text}"), &main);
                write_text(out, center, middle + 12, &format!("sub{text}"), &sub);
            }
            None => write_text(out, center, middle + 4, &format!("main{text}"), &main),
        }
        out.push_str("</g>\n");
    }
}

/// The start of an index of an axis; for the number of entries, the length of the axis.
fn extent(axis: &Axis, index: usize, cell: u32) -> u32 {
    let groups = match axis.group {
        0 => 0,
        group => index.min(axis.labels.len().saturating_sub(1)) / group,
    };
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    count(index)
        .saturating_mul(cell + GAP)
        .saturating_add(count(groups).saturating_mul(GROUP_GAP - GAP))
        .min(LONGEST)
}

/// The text of a cell in one or two lines.
fn lines(cell: &Cell) -> (String, Option<String>) {
    let mut times = if cell.times > 1 {
        format!(" ×{}", cell.times)
    } else {
        String::new()
    };
    if cell.copy {
        times.push('*');
    }
    match cell.parts.split_last() {
        None => ("·".to_owned(), None),
        Some((only, [])) => (format!("{only}{times}"), None),
        Some((last, first)) => (first.join(" "), Some(format!("{last}{times}"))),
    }
}

fn lines_of(cell: &Cell) -> usize {
    if cell.parts.len() > 1 { 2 } else { 1 }
}

fn legend(picture: &Picture, left: u32, y: u32, width: u32, out: &mut String) -> u32 {
    if picture.legend.entries.is_empty() {
        return y;
    }
    let mut y = y + TEXT + 8;
    element(out, left, y, "axis", &picture.legend.title);
    y += 10;
    let mut x = left;
    for (tones, label) in &picture.legend.entries {
        let swatches = u32::try_from(tones.len()).unwrap_or(0) * SWATCH;
        let entry = swatches + 6 + text_width(label, LABEL) + 18;
        if x > left && x + entry > left + width {
            x = left;
            y += SWATCH + 8;
        }
        for (tone, at) in tones.iter().zip(0..) {
            // Writing to a string does not fail.
            let _ = writeln!(
                out,
                "<rect x=\"{}\" y=\"{y}\" width=\"{SWATCH}\" height=\"{SWATCH}\" class=\"{}\"/>",
                x + at * SWATCH,
                class(*tone)
            );
        }
        element(out, x + swatches + 6, y + LABEL, "label", label);
        x += entry;
    }
    y + SWATCH + 4
}

/// The width of a text in the monospaced font, rounded up.
fn text_width(text: &str, size: u32) -> u32 {
    let count = u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
    count.saturating_mul(CHAR * size).div_ceil(100)
}

/// The number of characters that fit into a width.
fn chars(width: u32, size: u32) -> usize {
    let count = u64::from(width) * 100 / u64::from(CHAR * size);
    usize::try_from(count.max(20)).unwrap_or(usize::MAX)
}

/// Wraps a text at blanks into lines of at most `limit` characters, or anywhere if there is no blank.
fn wrapped(text: &str, limit: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        let mut word: Vec<char> = word.chars().collect();
        let used = line.chars().count();
        if used > 0 && used + 1 + word.len() > limit {
            lines.push(std::mem::take(&mut line));
        }
        while word.len() > limit {
            let rest = word.split_off(limit);
            lines.push(word.into_iter().collect());
            word = rest;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.extend(word);
    }
    lines.push(line);
    lines
}

fn element(out: &mut String, x: u32, y: u32, class: &str, text: &str) {
    write_text(out, x, y, class, text);
    out.push('\n');
}

fn write_text(out: &mut String, x: u32, y: u32, class: &str, text: &str) {
    if text.is_empty() {
        return;
    }
    let class = if class.is_empty() {
        String::new()
    } else {
        format!(" class=\"{class}\"")
    };
    // Writing to a string does not fail.
    let _ = write!(out, "<text x=\"{x}\" y=\"{y}\"{class}>{}</text>", Escaped(text));
}

/// A text escaped for element content or an attribute value.
struct Escaped<'a>(&'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\t' | '\n' | '\r' => f.write_char(' ')?,
                // XML 1.0 does not allow other control characters.
                c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => f.write_char('\u{fffd}')?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}
