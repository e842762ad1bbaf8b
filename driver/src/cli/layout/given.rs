//! Layouts given by the user: texts, names, files.

use std::fmt::Display;
use std::path::Path;

use clap::Args;
use tilewright_diagnostics::{Code, Diagnostic, FileId, Files, Location, Span};
use tilewright_layout_gallery::catalogue::{self, CatalogueError, Reason};
use tilewright_layout_gallery::picture::{Memory, PictureError};
use tilewright_layouts::bridge::BridgeError;
use tilewright_layouts::cute::{Composed, ParseCuteError};
use tilewright_layouts::{Dim, ElementWidth, LinearLayout, ParseLayoutError, bridge};

use crate::cli::report::{Outcome, Reporter};
use crate::files::read_file;

/// Length limit of a layout's text, in bytes.
const LONGEST: usize = 1 << 16;

/// The texts of the layouts that were read so far, for diagnostics to point into.
#[derive(Debug, Default)]
pub(super) struct Texts {
    files: Files,
}

/// A layout with the text that it was read from.
#[derive(Clone, Debug)]
pub(super) struct Given {
    /// The name or text as given, trimmed.
    pub(super) text: String,
    /// Its span.
    pub(super) span: Span,
    /// The layout.
    pub(super) layout: Place,
    /// The width of the elements, if the name determines it.
    pub(super) width: Option<ElementWidth>,
}

/// A layout, in one of the notations.
#[derive(Clone, Debug)]
pub(super) enum Place {
    /// A linear layout.
    Linear(LinearLayout),
    /// A CuTe layout.
    Cute(Composed),
}

type Refusal = Diagnostic<Location>;

/// The shape of the tile that CuTe layouts of threads refer to.
#[derive(Clone, Debug, Args)]
pub(super) struct Tile {
    /// The shape of the tile that a CuTe layout of (thread, value) distributes
    #[arg(long, value_name = "SHAPE", value_parser = shape)]
    tile: Option<Shape>,
}

/// The elements along each axis of a tile.
#[derive(Clone, Debug)]
struct Shape(Vec<u32>);

/// A shape as `--tile` takes it: sizes with `x` between them.
fn shape(text: &str) -> Result<Shape, String> {
    let sizes = text.split('x').map(|size| size.trim().parse().ok());
    let sizes: Option<Vec<u32>> = sizes.collect();
    sizes
        .map(Shape)
        .ok_or_else(|| "the shape of a tile is written as in 64x32".to_owned())
}

impl Texts {
    /// Reads a layout; `role` names the text in diagnostics.
    pub(super) fn read(&mut self, role: &str, argument: &str) -> Result<Given, Refusal> {
        let (file, text) = match argument.strip_prefix('@') {
            Some(path) => {
                let bytes = read_file(Path::new(path))?;
                let text = String::from_utf8(bytes).map_err(|_| {
                    Diagnostic::error(Code::TextNotUtf8, format!("{path}: the text is not valid UTF-8"))
                })?;
                (self.files.add_text(path, text.clone()), text)
            }
            None => {
                let name = format!("<{role}>");
                (self.files.add_text(name, argument), argument.to_owned())
            }
        };
        if text.len() > LONGEST {
            let message = format!("a layout of {} bytes; at most {LONGEST} are read", text.len());
            return Err(
                Diagnostic::error(Code::InputTooLarge, message).at(Span::new(file, 0, 0).into(), "this text")
            );
        }
        // Spans count from the beginning of the untrimmed text.
        let before = text.len() - text.trim_start().len();
        let bare = text.trim();
        let span = |from: usize, to: usize| Span::new(file, before + from, before + to);
        let whole = span(0, bare.len());
        let (layout, width) = if is_linear(bare) {
            (Place::Linear(linear(bare, file, before)?), None)
        } else if is_cute(bare) {
            let read = bare.parse().map_err(|error| match error {
                ParseCuteError::Syntax { at, expected } => unexpected(bare, at, expected, file, before),
                ParseCuteError::Layout(error) => impossible(whole, &error),
            });
            (Place::Cute(read?), None)
        } else {
            let named = catalogue::find(bare)
                .map_err(|error| unnamed(bare, &error, span(error.at.start, error.at.end)))?;
            (Place::Linear(named.layout), named.width)
        };
        Ok(Given {
            text: bare.split_whitespace().collect::<Vec<_>>().join(" "),
            span: whole,
            layout,
            width,
        })
    }

    /// Reports the error of a command, with spans in the texts.
    pub(super) fn refuse(self, reporter: &Reporter, refusal: Refusal) -> Outcome {
        Ok(reporter.report(&[refusal], self.files))
    }
}

/// Whether a text is meant as a linear layout, in this notation or as an attribute of Triton's IR.
fn is_linear(text: &str) -> bool {
    let ours = text.strip_prefix("linear");
    text.starts_with('#') || ours.is_some_and(|rest| rest.is_empty() || rest.trim_start().starts_with('<'))
}

/// Whether a text is meant as a CuTe layout.
fn is_cute(text: &str) -> bool {
    text.starts_with("Sw<") || text.starts_with(|c: char| c == '(' || c == '?' || c.is_ascii_digit())
}

fn linear(text: &str, file: FileId, before: usize) -> Result<LinearLayout, Refusal> {
    text.parse().map_err(|error| match error {
        ParseLayoutError::Syntax { at, expected } => unexpected(text, at, expected, file, before),
        ParseLayoutError::Layout(error) => {
            let span = Span::new(file, before, before + text.len());
            impossible(span, &error)
        }
    })
}

/// A diagnostic that something else was expected at a byte of a text, which begins at byte `before` of its file.
fn unexpected(text: &str, at: usize, expected: &str, file: FileId, before: usize) -> Refusal {
    let rest = text.get(at..).unwrap_or_default();
    let word = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
    let one = rest.chars().next().map_or(0, char::len_utf8);
    let span = Span::new(file, before + at, before + at + word.max(one));
    Diagnostic::error(Code::UnexpectedToken, format!("expected {expected}")).at(span.into(), "here")
}

fn unnamed(text: &str, error: &CatalogueError, span: Span) -> Refusal {
    let code = match &error.reason {
        Reason::UnknownFamily { .. } => Code::UnknownLayout,
        Reason::Layout(error) => return impossible(span, error),
        _ => Code::UnexpectedToken,
    };
    let refusal = Diagnostic::error(code, error.to_string()).at(span.into(), "here");
    match catalogue::family(text) {
        Some(family) => refusal.help(format!("such names are {}", family.grammar)),
        None => refusal.help(
            "`tilewright layout names` lists the names; a linear layout begins with `linear<`, a CuTe layout with `(` or a \
             number, a file with `@`",
        ),
    }
}

/// A diagnostic that the numbers of a text form no layout.
fn impossible(span: Span, error: &impl Display) -> Refusal {
    Diagnostic::error(Code::ImpossibleLayout, error.to_string()).at(span.into(), "of this layout")
}

impl Given {
    /// The same layout, with a CuTe layout of (thread, value) over a tile of known shape converted to a linear register layout.
    pub(super) fn over(mut self, tile: &Tile) -> Result<Given, Refusal> {
        if let (Place::Cute(layout), Some(Shape(shape))) = (&self.layout, &tile.tile) {
            let linear = bridge::threads_to_linear(layout, shape);
            self.layout = Place::Linear(linear.map_err(|error| self.unlike_linear(&error))?);
        }
        Ok(self)
    }

    /// A diagnostic that this layout has no counterpart in the other notation.
    pub(super) fn unlike_linear(&self, error: &BridgeError) -> Refusal {
        Diagnostic::error(Code::NoSuchView, error.to_string()).at(self.span.into(), "this layout")
    }

    /// Whether the layout is a linear one of shared memory.
    pub(super) fn is_memory(&self) -> bool {
        match &self.layout {
            Place::Linear(layout) => {
                layout.in_bits(Dim::Offset) > 0 || layout.out_size(Dim::Offset).is_some()
            }
            Place::Cute(_) => false,
        }
    }

    /// The layout as a linear register layout.
    pub(super) fn registers(&self) -> Result<&LinearLayout, Refusal> {
        let said = match &self.layout {
            Place::Linear(layout) if !self.is_memory() => return Ok(layout),
            Place::Linear(_) => "the layout is one of shared memory: no thread holds anything",
            Place::Cute(_) => {
                "a CuTe layout says which threads hold what only of a tile: give its shape with --tile"
            }
        };
        Err(Diagnostic::error(Code::NoSuchView, said).at(self.span.into(), "this layout"))
    }

    /// The width of the elements: the one asked for, else that of the named layout.
    pub(super) fn width(&self, asked: Option<ElementWidth>) -> Result<ElementWidth, Refusal> {
        asked.or(self.width).ok_or_else(|| {
            let message = "the width of the elements is not known: say it with --width, in bits";
            Diagnostic::error(Code::BadArgument, message)
        })
    }

    /// The layout as a shared-memory layout.
    pub(super) fn memory(&self, width: ElementWidth) -> Result<Memory, Refusal> {
        let memory = match &self.layout {
            Place::Linear(layout) => Memory::from_linear(layout, width),
            Place::Cute(layout) => Memory::from_cute(layout, width),
        };
        memory.map_err(|error| self.no_view(&error))
    }

    /// A diagnostic that this layout cannot be shown as asked.
    pub(super) fn no_view(&self, error: &PictureError) -> Refusal {
        let code = match error {
            PictureError::Shapes { .. } | PictureError::NotInMemory { .. } => Code::LayoutsDiffer,
            _ => Code::NoSuchView,
        };
        Diagnostic::error(code, error.to_string()).at(self.span.into(), "this layout")
    }
}

/// A width in bits, as `--width` takes it.
pub(super) fn width(text: &str) -> Result<ElementWidth, String> {
    let bits = text.trim_start_matches('b').parse().ok();
    bits.and_then(ElementWidth::of_bits)
        .ok_or_else(|| "the width of an element in bits is 1, 4, 8, 16, 32, 64 or 128".to_owned())
}
