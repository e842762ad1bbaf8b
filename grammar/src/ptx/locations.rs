//! Reads `.loc` directives, and the section `.debug_str` with the names of inlined functions. (PTX ISA, "Debugging
//! Directives".)

use rustc_hash::FxHashMap;
use tilewright_diagnostics::Code;
use tilewright_irs::ptx::{Inlined, Position, Statement};

use super::directives::{Pieces, Refusal};
use super::lexer::Token;
use super::tree::{self, Line, Section};

/// The contents of `.debug_str`.
#[derive(Debug, Default)]
pub(super) struct DebugStrings {
    bytes: Vec<u8>,
    /// The offset of each label in `bytes`, in the order of the file.
    starts: Vec<usize>,
    /// The index of each label in `starts`.
    labels: FxHashMap<String, usize>,
}

impl DebugStrings {
    /// Adds a section. Other debug sections describe types and variables, which are not represented, and are left out.
    pub(super) fn add(&mut self, section: &Section<'_>, refuse: &mut dyn FnMut(Refusal)) {
        match section_name(&section.head) {
            Ok("debug_str") => {}
            Ok(_) => return,
            Err(refusal) => return refuse(refusal),
        }
        for statement in &section.body {
            match statement {
                tree::Statement::Label(word) => {
                    let index = self.starts.len();
                    self.starts.push(self.bytes.len());
                    if self.labels.insert(word.text.to_owned(), index).is_some() {
                        refuse(Refusal {
                            code: Code::DuplicateSymbol,
                            start: word.start,
                            end: word.end,
                            message: format!("label `{}` is defined twice", word.text),
                        });
                    }
                }
                tree::Statement::Line(line) => {
                    if let Err(refusal) = self.add_bytes(line) {
                        refuse(refusal);
                    }
                }
                tree::Statement::Instruction(instruction) => refuse(Refusal {
                    code: Code::UnexpectedToken,
                    start: instruction.start,
                    end: instruction.end,
                    message: "expected a label or `.b8`".to_owned(),
                }),
                // Reported by the caller.
                tree::Statement::Failed(_) => {}
            }
        }
    }

    fn add_bytes(&mut self, line: &Line<'_>) -> Result<(), Refusal> {
        let mut pieces = Pieces::of(line);
        if line.first.text != "b8" {
            return Err(Refusal {
                code: Code::UnexpectedToken,
                start: line.first.start,
                end: line.first.end,
                message: "expected `.b8`: names are strings of bytes".to_owned(),
            });
        }
        loop {
            self.bytes.push(pieces.number()?);
            if !pieces.accept(Token::Comma) {
                return pieces.finish();
            }
        }
    }

    /// The string at each label, in order.
    pub(super) fn names(&self) -> Vec<String> {
        self.starts.iter().map(|start| self.at(*start)).collect()
    }

    /// The string from an offset up to its zero byte.
    fn at(&self, start: usize) -> String {
        let rest = self.bytes.get(start..).unwrap_or_default();
        let name = rest.split(|byte| *byte == 0).next().unwrap_or_default();
        String::from_utf8_lossy(name).into_owned()
    }

    /// The index in `names` of the string at a label and an offset from there, where it is added if it is not yet there.
    fn index(&self, label: &str, offset: usize, names: &mut Vec<String>) -> Option<usize> {
        let label = *self.labels.get(label)?;
        if offset == 0 {
            return Some(label);
        }
        let start = self.starts.get(label)?.checked_add(offset)?;
        let name = (start < self.bytes.len()).then(|| self.at(start))?;
        Some(names.iter().position(|known| *known == name).unwrap_or_else(|| {
            names.push(name);
            names.len() - 1
        }))
    }
}

/// The name of a section of debug information, without its dot.
fn section_name<'s>(head: &Line<'s>) -> Result<&'s str, Refusal> {
    let mut pieces = Pieces::of(head);
    let name = pieces.dotted().filter(|name| name.starts_with("debug_"));
    match (head.first.text, name) {
        ("section", Some(name)) => pieces.finish().map(|()| name),
        _ => Err(Refusal {
            code: Code::UnexpectedToken,
            start: head.first.start,
            end: head.first.end,
            message: "expected `.section` and the name of a debug section before a body without parameters"
                .to_owned(),
        }),
    }
}

/// `.loc 1 12 5`, or `.loc 2 3 7, function_name $label, inlined_at 1 12 5`. `functions` are the
/// names of `strings`, and others that were named by an offset.
pub(super) fn location(
    line: &Line<'_>,
    strings: &DebugStrings,
    functions: &mut Vec<String>,
) -> Result<Statement, Refusal> {
    let mut pieces = Pieces::of(line);
    let at = position(&mut pieces)?;
    let mut inlined = None;
    if pieces.accept(Token::Comma) {
        pieces.keyword("function_name")?;
        let label = pieces.name()?;
        let offset = match pieces.accept(Token::Plus) {
            true => pieces.number()?,
            false => 0,
        };
        let index = strings
            .index(label.text, offset, functions)
            .ok_or_else(|| Refusal {
                code: Code::UnknownSymbol,
                start: label.start,
                end: label.end,
                message: format!("`{}` with this offset is no string of `.debug_str`", label.text),
            })?;
        pieces.require(Token::Comma)?;
        pieces.keyword("inlined_at")?;
        let called_from = position(&mut pieces)?;
        inlined = Some(Inlined {
            function: u32::try_from(index).unwrap_or(u32::MAX),
            called_from,
        });
    }
    pieces.finish()?;
    Ok(Statement::Location { at, inlined })
}

fn position(pieces: &mut Pieces<'_, '_>) -> Result<Position, Refusal> {
    Ok(Position {
        file: pieces.number()?,
        line: pieces.number()?,
        column: pieces.number()?,
    })
}
