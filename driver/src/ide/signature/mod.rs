//! How the op before the cursor is written, and the part of it that is being typed.

mod form;
mod progress;
mod words;

use std::ops::Range;

use super::ops::Op;
use super::statements::last_op;
use crate::database::Compiler;
use crate::inputs::Source;
use crate::reading;
use crate::units::Language;
use form::Form;

/// How an op is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The op.
    pub op: &'static Op,
    /// Its form, in which names stand for its parts, and optional parts are in brackets.
    pub form: String,
    /// The parts of the form: the range of each in it, and its description.
    pub parts: Vec<(Range<usize>, String)>,
    /// The number of the part that is being typed.
    pub active: Option<usize>,
}

/// How the op of the statement at an offset is written.
pub fn signature(db: &Compiler, source: Source, offset: usize) -> Option<Signature> {
    let text = std::str::from_utf8(source.bytes(db)).ok()?;
    let language = reading::language(db, source)?;
    let before = text.get(..offset)?;
    let (op, name_end) = last_op(language, before)?;
    let form = Form::of(language, op.name)?;
    Some(Signature {
        op,
        active: progress::active(&form, before.get(name_end..)?),
        form: form.text,
        parts: form.parts,
    })
}

/// The name of the part that is being typed at the end of `typed`, the text after the op's name.
pub fn part_before(language: Language, op: &Op, typed: &str) -> Option<String> {
    let form = Form::of(language, op.name)?;
    let (at, _) = form.parts.get(progress::active(&form, typed)?)?;
    let part = form.text.get(at.clone())?;
    Some(part.trim_matches(|c: char| !c.is_ascii_alphanumeric()).to_owned())
}
