//! Descriptions of words: ops, attributes, cases of an enumeration, hints, types.

use std::ops::Range;

use tilewright_irs::cuda_tile::Hint;

use super::types;
use crate::ide::ops::{Field, function_attributes, view_parts};
use crate::ide::signature::part_before;
use crate::ide::statements::last_op;
use crate::ide::tokens::{Kind, Token, words};
use crate::units::Language;

/// The word at an offset of a text, and its description.
pub(super) fn of_word(language: Language, text: &str, offset: usize) -> Option<(Range<usize>, String)> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '?' | '!' | '$');
    let (before, after) = text.split_at_checked(offset)?;
    let start = before.trim_end_matches(is_word).len();
    let end = offset + after.len() - after.trim_start_matches(is_word).len();
    let word = text.get(start..end).filter(|word| !word.is_empty())?;
    // Not in comments and strings, and no name.
    let line = text.get(..start)?.rfind('\n').map_or(0, |end| end + 1);
    let rest = text.get(line..)?;
    let mut tokens = words(rest.split_once('\n').map_or(rest, |(line, _)| line));
    let touches = |token: &Token| token.at.start <= offset - line && offset - line <= token.at.end;
    let plain = |token: Token| matches!(token.kind, Kind::Word | Kind::Number | Kind::Alias | Kind::Mark);
    tokens.find(touches).filter(|token| plain(token.clone()))?;
    let follows = text.get(end..)?.trim_start();
    let own = || Some((start..end, of_attribute(language, text, start..end, word)?));
    let ty = || types::at(language, text, start..end, offset);
    match follows.starts_with('=') {
        true => own().or_else(ty),
        false => ty().or_else(own),
    }
}

fn of_attribute(language: Language, text: &str, at: Range<usize>, word: &str) -> Option<String> {
    let follows = text.get(at.end..)?.trim_start();
    let hint = Hint::from_word(word).filter(|_| language == Language::CudaTile && follows.starts_with('='));
    if let Some(hint) = hint {
        let doc = hint.doc().trim();
        return Some(format!("**{word}**, a hint: {doc}\n\nIt is {}.", hint.expected()));
    }
    let before = text.get(..at.end)?;
    let given = text
        .get(..at.start)?
        .trim_end()
        .strip_suffix('=')
        .map(str::trim_end);
    let given = given.and_then(|before| {
        before
            .rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .next()
    });
    for part in view_parts().filter(|_| language == Language::CudaTile) {
        let of = "a view's type";
        if part.name == word && follows.starts_with('=') {
            return Some(of_field(&part, of));
        }
        if given == Some(part.name)
            && let Some(said) = of_case(&part, word, of)
        {
            return Some(said);
        }
    }
    let Some((op, name_end)) = last_op(language, before) else {
        let fields = function_attributes(language);
        let field = fields.iter().find(|field| field.name == word)?;
        return Some(of_field(field, "a function"));
    };
    if name_end == at.end {
        return Some(format!("**{}**: {}\n\n```\n{}\n```", op.name, op.doc, op.form));
    }
    let of = format!("`{}`", op.name);
    // The field that is written here, where several have the word.
    let part = part_before(language, op, before.get(name_end..)?);
    let here = |field: &&Field| given == Some(field.name) || part.as_deref() == Some(field.name);
    let fields = || op.fields.iter();
    let has_case = |field: &&Field| field.cases.iter().any(|case| case.word == word);
    let cased = fields()
        .filter(has_case)
        .find(here)
        .or_else(|| fields().find(has_case));
    if let Some(field) = cased.filter(|_| !follows.starts_with('=')) {
        return of_case(field, word, &of);
    }
    let field = fields().find(|field| field.name == word || field.words.contains(&word))?;
    Some(of_field(field, &of))
}

/// A description of a field and of one of its cases; `None` if the field has no case of this name.
fn of_case(field: &Field, word: &str, of: &str) -> Option<String> {
    let case = field.cases.iter().find(|case| case.word == word)?;
    let is_default = match field.default == Some(word) {
        true => " It is what holds if nothing is written.",
        false => "",
    };
    let (doc, field) = (case.doc.trim(), of_field(field, of));
    Some(format!("**{word}**: {doc}{is_default}\n\n{field}"))
}

/// A description of a field and of its permitted values.
fn of_field(field: &Field, of: &str) -> String {
    let mut text = format!("`{}`, {} of {of}", field.name, field.kind);
    if !field.doc.is_empty() {
        text += &format!(": {}", field.doc);
    }
    if let Some(default) = field.default {
        text += &format!("\n\nWithout it: `{default}`.");
    }
    for (number, case) in field.cases.iter().enumerate() {
        let gap = if number == 0 { "\n\n" } else { "\n" };
        text += &format!("{gap}- `{}`: {}", case.word, case.doc.trim());
    }
    text
}
