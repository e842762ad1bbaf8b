//! One line per diagnostic, through codespan-reporting's short form.

use super::one_line;
use super::place::Place;
use crate::{Diagnostic, Files, Location, Severity};
use codespan_reporting::diagnostic as form;
use codespan_reporting::files as form_files;
use codespan_reporting::term::termcolor::{Ansi, NoColor, WriteColor};
use codespan_reporting::term::{self, Config, DisplayStyle, Styles, StylesWriter};
use std::ops::Range;

pub(super) fn render(diagnostics: &[Diagnostic<Location>], files: &Files, color: bool) -> String {
    let mut text = Vec::new();
    for diagnostic in diagnostics {
        if color {
            write(diagnostic, files, &mut Ansi::new(&mut text));
        } else {
            write(diagnostic, files, &mut NoColor::new(&mut text));
        }
    }
    String::from_utf8_lossy(&text).into_owned()
}

/// Writes to memory, and names no file or line but those that `Locus` resolves: no error can arise.
fn write(diagnostic: &Diagnostic<Location>, files: &Files, to: &mut impl WriteColor) {
    let severity = match diagnostic.severity {
        Severity::Error => form::Severity::Error,
        Severity::Warning => form::Severity::Warning,
        Severity::Note => form::Severity::Note,
    };
    let mut entry = form::Diagnostic::new(severity)
        .with_code(diagnostic.code)
        .with_message(one_line(&diagnostic.message));
    let place = diagnostic
        .primary
        .as_ref()
        .map(|label| Place::of(&label.at, files));
    let mut locus = Locus {
        name: String::new(),
        line: 0,
        column: 0,
    };
    match &place {
        None => {}
        // The form does not support byte offsets, so the location is printed before it.
        Some(place @ Place::Byte { .. }) => {
            let _ = write!(to, "{}: ", place.words(files));
        }
        Some(place @ (Place::Text { .. } | Place::Line { .. })) => {
            locus = Locus::of(place, files);
            entry = entry.with_label(form::Label::primary((), 0..0));
        }
    }
    let config = Config {
        display_style: DisplayStyle::Short,
        ..Config::default()
    };
    let styles = Styles::default();
    let _ = term::emit_to_write_style(&mut StylesWriter::new(to, &styles), &config, &locus, &entry);
}

/// The printed location, in the shape of a file.
struct Locus {
    name: String,
    line: usize,
    column: usize,
}

impl Locus {
    fn of(place: &Place<'_>, files: &Files) -> Self {
        let wide = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
        match place {
            Place::Text { file, range } => {
                let at = files.position(*file, range.start);
                let (line, column) = at.map_or((1, 1), |at| (at.line, at.column));
                Locus {
                    name: one_line(files.name(*file)),
                    line,
                    column,
                }
            }
            Place::Line { path, line, column } => Locus {
                name: one_line(path),
                line: wide(*line),
                column: wide(*column).saturating_add(1),
            },
            Place::Byte { file, .. } => Locus {
                name: one_line(files.name(*file)),
                line: 1,
                column: 1,
            },
        }
    }
}

impl<'a> form_files::Files<'a> for Locus {
    type FileId = ();
    type Name = &'a str;
    type Source = &'a str;

    fn name(&'a self, (): ()) -> Result<&'a str, form_files::Error> {
        Ok(&self.name)
    }

    fn source(&'a self, (): ()) -> Result<&'a str, form_files::Error> {
        Ok("")
    }

    fn line_index(&'a self, (): (), _byte: usize) -> Result<usize, form_files::Error> {
        Ok(0)
    }

    fn line_number(&'a self, (): (), _line: usize) -> Result<usize, form_files::Error> {
        Ok(self.line)
    }

    fn column_number(&'a self, (): (), _line: usize, _byte: usize) -> Result<usize, form_files::Error> {
        Ok(self.column)
    }

    fn line_range(&'a self, (): (), _line: usize) -> Result<Range<usize>, form_files::Error> {
        Ok(0..0)
    }
}
