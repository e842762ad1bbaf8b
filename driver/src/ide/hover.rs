//! What is said of the value or op under the cursor: its type, its layout, and the instructions that it became.

use std::collections::BTreeMap;
use std::fmt::Write;

use tilewright_diagnostics::Span;
use tilewright_irs::core::Origin;

use super::functions::{Function, function_at, op_at};
use super::names::name_at;
use super::stage_view::StageView;
use crate::database::Compiler;
use crate::inputs::{Options, Source};
use crate::units::Language;

/// A text for the place under the cursor, in Markdown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// The place.
    pub at: Option<Span>,
    /// The text.
    pub markdown: String,
}

/// Lines of a stage that are shown of one op.
const SHOWN: usize = 6;

/// The hover at an offset.
pub fn hover(db: &Compiler, source: Source, options: Options, offset: usize) -> Option<Hover> {
    let function = function_at(db, source, offset)?;
    let name = name_at(db, source, offset);
    let mut markdown = String::new();
    let at = name.as_ref().map(|name| name.at);
    let mut origin = op_at(&function, offset);
    if let Some(name) = &name
        && let Some(found) = function.places.names().find(|found| found.at == name.at)
    {
        if let Some(ty) = function.type_of(found.value) {
            // Writing to a string does not fail.
            let _ = writeln!(markdown, "```\n{}: {ty}\n```", name.text);
        }
        // Of a use, the op that defines it.
        let defined = usize::try_from(found.defined.start).ok()?;
        origin = op_at_line_of(&function, db, source, defined).or(origin);
    } else if let Some((op, doc)) = origin.and_then(|origin| function.op_doc(origin)) {
        let _ = writeln!(markdown, "**{op}**: {}\n", doc.trim());
    }
    if let Some(origin) = origin.and_then(|origin| u32::try_from(origin).ok()) {
        markdown += &became(db, &function, options, Origin(origin));
    }
    (!markdown.is_empty()).then_some(Hover { at, markdown })
}

/// The first op that begins on the line of an offset: the one that defines the values at its start.
fn op_at_line_of(function: &Function<'_>, db: &Compiler, source: Source, offset: usize) -> Option<usize> {
    let text = std::str::from_utf8(source.bytes(db)).ok()?;
    let rest = text.get(offset..)?;
    let end = offset + rest.find('\n').unwrap_or(rest.len());
    let spans = function.places.op_spans();
    let spans = spans.filter_map(|(at, span)| Some((at, usize::try_from(span.start).ok()?)));
    let here = spans.filter(|&(_, start)| offset <= start && start < end);
    here.min_by_key(|&(_, start)| start).map(|(at, _)| at)
}

/// What an op became in `tileas`, with layouts, and in PTX.
fn became(db: &Compiler, function: &Function<'_>, options: Options, origin: Origin) -> String {
    let mut said = String::new();
    let own = function.body.language();
    if own < Language::TileAs
        && let Some(view) = StageView::of(db, function, options, Language::TileAs)
    {
        let lines: Vec<_> = view.lines_of(origin).map(|(_, line)| line.trim()).collect();
        if !lines.is_empty() {
            let _ = writeln!(said, "tileas:\n```");
            for line in lines.iter().take(SHOWN) {
                let _ = writeln!(said, "{line}");
            }
            if lines.len() > SHOWN {
                let _ = writeln!(said, "… {} more", lines.len() - SHOWN);
            }
            let _ = writeln!(said, "```");
        }
    }
    if own < Language::Ptx
        && let Some(view) = StageView::of(db, function, options, Language::Ptx)
    {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, line) in view.lines_of(origin) {
            *counts.entry(mnemonic(line)).or_default() += 1;
        }
        if !counts.is_empty() {
            let words: Vec<_> = counts
                .into_iter()
                .map(|(mnemonic, count)| match count {
                    1 => format!("`{mnemonic}`"),
                    count => format!("{count} × `{mnemonic}`"),
                })
                .collect();
            let _ = writeln!(said, "PTX: {}", words.join(", "));
        }
    }
    said
}

/// The mnemonic of a line of PTX, without its guard.
pub(super) fn mnemonic(line: &str) -> &str {
    let words = line.split_whitespace().find(|word| !word.starts_with('@'));
    words.unwrap_or_default().trim_end_matches(';')
}
