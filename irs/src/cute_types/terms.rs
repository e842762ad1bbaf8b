//! Types of `cute` as terms of the regular syntax: the public text, without what only a whole MLIR text needs.

use super::types::CuteType;
use crate::core::{Arg, Term, TermCodec, TermError, TermKind};

/// `cute.memref<f16, smem, align<16>, "(8,4):(4,1)">`
impl TermCodec for CuteType {
    fn write(&self) -> Term {
        let text = self.to_string();
        let Some((word, rest)) = text.split_once('<') else {
            return Term::word(&text);
        };
        let inside = rest.strip_suffix('>').unwrap_or(rest);
        Term::call(word, parts(inside).into_iter().map(part).collect())
    }

    fn read(term: &Term) -> Result<Self, TermError> {
        let text = text_of(term).ok_or_else(|| term.wrong("a type of `cute`"))?;
        Self::parse(&text).map_err(|error| term.wrong(format!("a type of `cute` ({})", error.message)))
    }
}

/// The parts of an argument list, apart at its outermost commas.
fn parts(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut quoted, mut start) = (Vec::new(), 0u32, false, 0);
    for (at, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '<' | '(' if !quoted => depth += 1,
            '>' | ')' if !quoted => depth = depth.saturating_sub(1),
            ',' if !quoted && depth == 0 => {
                parts.extend(text.get(start..at));
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.extend(text.get(start..));
    parts.into_iter().map(str::trim).collect()
}

fn part(text: &str) -> Arg {
    let term = if let Some(quoted) = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        TermKind::Str(quoted.to_owned()).into()
    } else if let Ok(number) = text.parse::<i128>() {
        TermKind::Int(number).into()
    } else if let Some((word, rest)) = text.split_once('<') {
        let inside = rest.strip_suffix('>').unwrap_or(rest);
        Term::call(word, parts(inside).into_iter().map(part).collect())
    } else {
        Term::word(text)
    };
    Arg::from(term)
}

/// The public text of a term, if it has the form of a type.
fn text_of(term: &Term) -> Option<String> {
    let list = |args: &[Arg]| -> Option<Vec<String>> { args.iter().map(|arg| text_of(&arg.value)).collect() };
    Some(match &term.kind {
        TermKind::Word(word) => word.clone(),
        TermKind::Int(number) => number.to_string(),
        TermKind::Str(text) => format!("\"{text}\""),
        // The numbers of a swizzle stand without blanks.
        TermKind::Call(word, args) if word == "S" => format!("S<{}>", list(args)?.join(",")),
        TermKind::Call(word, args) => format!("{word}<{}>", list(args)?.join(", ")),
        // Of a vector, `4xf16`.
        TermKind::Dims(extents, element) => {
            let extents: Option<String> = extents
                .iter()
                .map(|extent| Some(format!("{}x", (*extent)?)))
                .collect();
            extents? + &text_of(element)?
        }
        _ => return None,
    })
}

crate::attribute_field!(CuteType);
