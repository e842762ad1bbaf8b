//! Descriptions of types and aliases: their meaning, elements and bytes, and how threads hold them.

use std::ops::Range;

use tilewright_diagnostics::counted;
use tilewright_grammar::stages::parse_term;
use tilewright_irs::core::{Term, TermCodec, TermKind};
use tilewright_irs::cuda_tile::TypeWord;
use tilewright_irs::cute_types::CuteType;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_layouts::LinearLayout;

use super::values::{table, told_of_type};
use crate::ide::compiled::bytes_of;
use crate::ide::names::aliases::aliases;
use crate::units::Language;

/// The text for an alias that a text defines.
pub(super) fn of_alias(language: Language, text: &str, name: &str) -> Option<Vec<String>> {
    let all = aliases(text);
    let alias = all.iter().find(|alias| alias.name == name)?;
    let mut parts = vec![format!("```\n{}\n```", text.get(alias.whole.clone())?)];
    if language == Language::Cute {
        parts.extend(of_cute(alias.meaning));
        return Some(parts);
    }
    parts.extend(read(text, alias.meaning).map_or_else(Vec::new, |term| described(language, &term)));
    Some(parts)
}

/// The layouts of the type of `cute` that a text is; none if it is another text.
fn of_cute(text: &str) -> Vec<String> {
    CuteType::parse(text.trim_start_matches('!'))
        .map_or_else(|_| Vec::new(), |ty| told_of_type(&ty, Some(table)))
}

/// The range of the type at an offset, and a description of it.
pub(super) fn at(
    language: Language,
    text: &str,
    word: Range<usize>,
    offset: usize,
) -> Option<(Range<usize>, String)> {
    let mut word = word;
    // `4x?xf32` is an element after extents; those belong to the type around.
    let extents = extents(text.get(word.clone())?);
    if extents > 0 && offset < word.start + extents {
        let around = text.get(..word.start)?.strip_suffix('<')?;
        word = word_before(around)..around.len();
    } else {
        word.start += extents;
    }
    let bare = text.get(word.clone())?.trim_start_matches('!');
    let bare = bare.strip_prefix("cuda_tile.").unwrap_or(bare);
    let whole = word.start..word.end + bracketed(text.get(word.end..)?);
    if language == Language::Cute {
        let parts = of_cute(text.get(whole)?);
        return (!parts.is_empty()).then(|| (word, parts.join("\n\n")));
    }
    let term = read(text, text.get(whole)?.trim_start_matches('!'))?;
    let about = match language {
        Language::CudaTile => TypeWord::from_word(bare),
        _ => None,
    };
    let mut parts: Vec<_> = about
        .into_iter()
        .map(|about| format!("**{bare}**: {}", about.doc().trim()))
        .collect();
    parts.extend(described(language, &term));
    (!parts.is_empty()).then(|| (word, parts.join("\n\n")))
}

/// The length in bytes of the extents, such as `4x?x`, that a word begins with.
fn extents(word: &str) -> usize {
    let extent = |text: &str| match text.strip_prefix("?x") {
        Some(_) => Some(2),
        None => {
            let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let is_extent = digits > 0 && text.get(digits..)?.starts_with('x');
            is_extent.then_some(digits + 1)
        }
    };
    let mut length = 0;
    while let Some(next) = word.get(length..).and_then(extent) {
        length += next;
    }
    length
}

/// The offset of the word that a text ends with.
fn word_before(text: &str) -> usize {
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '!');
    text.trim_end_matches(is_word).len()
}

/// The length in bytes of the bracketed part, `<…>`, that a text begins with, if it does.
fn bracketed(text: &str) -> usize {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return at + if at > 0 { 1 } else { 0 };
        }
    }
    0
}

/// The term of a text, with the aliases that are defined around it.
fn read(text: &str, term: &str) -> Option<Term> {
    let all = aliases(text).into_iter();
    let used = all.filter(|alias| alias.name.starts_with('#') && !alias.is_debug());
    let definitions: Vec<_> = used.filter_map(|alias| text.get(alias.whole)).collect();
    parse_term(&definitions.join("\n"), &term.replace("cuda_tile.", ""))
}

/// A description of a type or a layout, in lines of Markdown.
fn described(language: Language, term: &Term) -> Vec<String> {
    if let Ok(layout) = LinearLayout::read(term) {
        return vec![table(&layout)];
    }
    if let Ok(element) = ElementType::read(term) {
        return vec![of_element(element)];
    }
    let Some(("tile", [inside, rest @ ..])) = term.as_call() else {
        return Vec::new();
    };
    let (extents, element) = match &inside.value.kind {
        TermKind::Dims(extents, element) => (extents.as_slice(), &**element),
        _ => (&[][..], &inside.value),
    };
    let extents: Option<Vec<u64>> = extents.iter().copied().collect();
    let Some((extents, element)) = extents.zip(ElementType::read(element).ok()) else {
        return Vec::new();
    };
    let count = extents
        .iter()
        .try_fold(1_u64, |count, &extent| count.checked_mul(extent));
    let mut parts = Vec::new();
    if let Some((count, bytes)) = count.zip(bytes_of(&extents, element)) {
        let (count, bytes) = (counted(count, "element"), counted(bytes, "byte"));
        parts.push(format!("{count}, {bytes} in all"));
    }
    parts.push(of_element(element));
    let layout = rest.first().and_then(|arg| LinearLayout::read(&arg.value).ok());
    parts.extend(
        layout
            .filter(|_| language != Language::CudaTile)
            .map(|layout| table(&layout)),
    );
    parts
}

fn of_element(element: ElementType) -> String {
    match element {
        ElementType::Scalar(scalar) => of_scalar(scalar),
        ElementType::Ptr(to) => format!(
            "`ptr<{to}>`: the address of numbers of type `{to}` in global memory; {} bytes",
            element.stored_bytes()
        ),
    }
}

fn of_scalar(scalar: ScalarType) -> String {
    let size = match scalar.bytes() {
        Some(bytes) => counted(bytes, "byte").to_string(),
        None => format!("{} bits, two to a byte", scalar.bits()),
    };
    format!("`{scalar}`: {} {size}", ended(scalar.doc().trim()))
}

/// A text that ends with a full stop.
fn ended(text: &str) -> String {
    format!("{}.", text.trim_end_matches('.'))
}
