//! Output formats of pictures: table, colours, SVG, JSON.

use std::env;
use std::io::{self, IsTerminal};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use tilewright_diagnostics::{Diagnostic, Location};
use tilewright_layout_gallery::picture::{Depth, Merge, Options, Picture, Window, to_svg};
use tilewright_layouts::Dim;

use super::json;
use crate::cli::input::write_output;

/// How to write a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// Labels in aligned columns
    Table,
    /// Coloured cells; boxes where there are no colours
    Picture,
    /// An image
    Svg,
    /// Rows, columns, cells and notes, for programs
    Json,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// The dimension that colours stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ColorBy {
    /// A thread's registers
    Register,
    /// The threads of a warp
    Lane,
    /// The warps of a block
    Warp,
    /// The blocks of a cluster
    Block,
}

impl ColorBy {
    fn dim(self) -> Dim {
        match self {
            ColorBy::Register => Dim::Register,
            ColorBy::Lane => Dim::Lane,
            ColorBy::Warp => Dim::Warp,
            ColorBy::Block => Dim::Block,
        }
    }
}

/// The output file of a command that writes text.
#[derive(Debug, Args)]
pub(super) struct TextOutput {
    /// The output file [default: standard output]
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
}

impl TextOutput {
    /// Writes the text.
    pub(super) fn write(&self, text: &str) -> Result<(), Diagnostic<Location>> {
        write_output(self.output.as_ref(), text.as_bytes())
    }
}

/// The options of every command that draws.
#[derive(Debug, Args)]
pub(super) struct Output {
    /// The output format [default: by the extension of the output file, else picture on a terminal, else table]
    #[arg(long = "as", value_name = "FORM", value_enum)]
    form: Option<Form>,
    /// Which rows to show, such as 0..16; at most 256 [default: the first 64]
    #[arg(long, value_name = "FROM..TO", value_parser = window)]
    rows: Option<Window>,
    /// Which columns to show, likewise
    #[arg(long, value_name = "FROM..TO", value_parser = window)]
    cols: Option<Window>,
    /// Draw each element in its own cell, without merging neighbours
    #[arg(long, conflicts_with = "merge")]
    each: bool,
    /// Merge neighbours into one cell even if there are few columns
    #[arg(long)]
    merge: bool,
    /// The dimension shown by colours [default: warps if there are several, else lanes]
    #[arg(long, value_name = "DIM", value_enum)]
    color_by: Option<ColorBy>,
    /// When to use colours
    #[arg(long, value_name = "WHEN", value_enum, default_value = "auto")]
    color: Color,
    /// The output file [default: standard output]
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
}

impl Output {
    /// What to draw.
    pub(super) fn options(&self) -> Options {
        Options {
            rows: self.rows.unwrap_or_default(),
            columns: self.cols.unwrap_or_default(),
            merge: match (self.each, self.merge) {
                (true, _) => Merge::Never,
                (false, true) => Merge::Always,
                (false, false) => Merge::Wide,
            },
            color_by: self.color_by.map(ColorBy::dim),
        }
    }

    /// Writes pictures, with these lines before them where the form is text.
    pub(super) fn write(
        &self,
        facts: &[(&str, String)],
        pictures: &[Picture],
    ) -> Result<(), Diagnostic<Location>> {
        let text = match self.form() {
            Form::Table => texts(facts, pictures, Picture::to_table),
            Form::Picture => {
                let depth = self.depth();
                texts(facts, pictures, |picture| picture.to_terminal(depth))
            }
            Form::Svg => to_svg(pictures),
            Form::Json => json::document(facts, pictures),
        };
        write_output(self.output.as_ref(), text.as_bytes())
    }

    /// Whether an image is written, which has no lines of text beside it.
    pub(super) fn is_image(&self) -> bool {
        self.form() == Form::Svg
    }

    fn to_terminal(&self) -> bool {
        self.output.is_none() && io::stdout().is_terminal()
    }

    fn form(&self) -> Form {
        let by_name = || {
            let extension = self.output.as_ref()?.extension()?;
            match extension.to_str()? {
                "svg" => Some(Form::Svg),
                "json" => Some(Form::Json),
                _ => None,
            }
        };
        let default = if self.to_terminal() {
            Form::Picture
        } else {
            Form::Table
        };
        self.form.or_else(by_name).unwrap_or(default)
    }

    fn depth(&self) -> Depth {
        let set = |name: &str| env::var(name).unwrap_or_default();
        let wanted = match self.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => self.to_terminal() && set("NO_COLOR").is_empty() && set("TERM") != "dumb",
        };
        // Terminals with 24-bit colour announce it in this variable.
        let deep = matches!(set("COLORTERM").as_str(), "truecolor" | "24bit");
        match (wanted, deep) {
            (false, _) => Depth::Plain,
            (true, false) => Depth::Cube,
            (true, true) => Depth::True,
        }
    }
}

fn texts(facts: &[(&str, String)], pictures: &[Picture], draw: impl Fn(&Picture) -> String) -> String {
    let width = facts.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let mut parts: Vec<String> = Vec::new();
    if !facts.is_empty() {
        parts.push(
            facts
                .iter()
                .map(|(name, fact)| format!("{name:<width$}  {fact}\n"))
                .collect(),
        );
    }
    parts.extend(pictures.iter().map(draw));
    parts.join("\n")
}

/// `0..16`, `16..`, `..16`.
fn window(text: &str) -> Result<Window, String> {
    let bad = || "a range is two numbers with two dots between, such as 0..16".to_owned();
    let (from, to) = text.split_once("..").ok_or_else(bad)?;
    let start = if from.is_empty() {
        0
    } else {
        from.parse().map_err(|_| bad())?
    };
    let end = match to {
        "" => Window::LARGEST.saturating_add(start),
        _ => to.parse().map_err(|_| bad())?,
    };
    match end.checked_sub(start) {
        None | Some(0) => Err(format!("the range {text} is empty")),
        Some(len) => Ok(Window { start, len }),
    }
}
