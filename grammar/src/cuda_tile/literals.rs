//! Numbers, strings and symbols.

use tilewright_diagnostics::{Code, Diagnostic, Span, counted};
use tilewright_irs::cuda_tile::parse_float;
use tilewright_irs::element::ScalarType;
use tilewright_irs::literal::Literal;
use tilewright_irs::quoted::unescaped;

use super::cursor::{Cursor, Parse, fail};

/// The contents of a quoted string: `\n`, `\t`, `\"`, `\\`, and bytes as two hexadecimal digits.
pub(crate) fn string(cursor: &mut Cursor<'_, '_>) -> Parse<String> {
    let text = cursor.peek();
    let Some(inner) = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) else {
        return cursor.wrong("a string");
    };
    let at = cursor.span();
    cursor.take();
    match unescaped(inner) {
        Some(text) => Ok(text),
        None => fail(
            Code::BadLiteral,
            "a string has an escape that does not exist, or bytes that are no text",
            at,
            "the escapes are `\\n`, `\\t`, `\\\"`, `\\\\` and two hexadecimal digits",
        ),
    }
}

/// `@name`
pub(crate) fn symbol(cursor: &mut Cursor<'_, '_>) -> Parse<String> {
    let text = cursor.peek();
    let Some(name) = text.strip_prefix('@') else {
        return cursor.wrong("a symbol, `@name`");
    };
    let at = cursor.span();
    cursor.take();
    let Some(inner) = name.strip_prefix('"').and_then(|text| text.strip_suffix('"')) else {
        return Ok(name.to_owned());
    };
    match unescaped(inner) {
        Some(name) => Ok(name),
        None => fail(Code::BadLiteral, "the symbol's name is no text", at, "not a name"),
    }
}

/// Whether a number, the name of one, or a Boolean begins here.
pub(crate) fn at_number(cursor: &Cursor<'_, '_>) -> bool {
    let text = cursor.peek();
    text.starts_with(|c: char| c.is_ascii_digit() || c == '-') && text != "->"
        || matches!(text, "true" | "false")
        || is_special(text)
}

/// Whether a text is the name of an infinity or of a NaN.
fn is_special(text: &str) -> bool {
    matches!(
        text.strip_prefix('-').unwrap_or(text),
        "inf" | "Infinity" | "nan" | "NaN"
    )
}

/// A number of type `ty`.
pub(crate) fn number(cursor: &mut Cursor<'_, '_>, ty: ScalarType) -> Parse<Literal> {
    let text = cursor.peek();
    let at = cursor.span();
    if !at_number(cursor) {
        let kind = if ty.is_float() { "a float" } else { "an integer" };
        let failure = cursor.wrong_as(&format!("{kind} of type `{ty}`"));
        return match spelled(ty).filter(|_| means_special(text)) {
            Some(help) => failure.map_err(|problem| problem.map(|problem| Box::new(problem.help(help)))),
            None => failure,
        };
    }
    cursor.take();
    read_number(text, ty).map_or_else(|| not_of_type(text, ty, at), Ok)
}

/// An error that a number is not valid for type `ty`.
pub(crate) fn not_of_type<T>(text: &str, ty: ScalarType, at: Span) -> Parse<T> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let integer = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    let message = if is_special(text) {
        format!("the type `{ty}` has no `{digits}`")
    } else if text == "-" {
        let problem = Diagnostic::error(Code::BadLiteral, "a sign stands without a number");
        let mut problem = problem.at(at, "no number follows");
        problem.help.extend(spelled(ty));
        return Err(Some(Box::new(problem)));
    } else if ty.is_float() && integer {
        let problem = Diagnostic::error(
            Code::BadLiteral,
            format!("unexpected literal `{text}`: an integer, expected a float of type `{ty}`"),
        );
        let problem = problem
            .at(at, "not a float")
            .help(format!("write `{text}.0`"))
            .fix(at, format!("{text}.0"), format!("change to `{text}.0`"));
        return Err(Some(Box::new(problem)));
    } else if integer || digits.starts_with("0x") {
        let kind = if ty.is_float() { "float" } else { "integer" };
        format!(
            "the constant `{text}` is out of range: it is no {kind} of type `{ty}`, which has {}",
            counted(ty.bits(), "bit")
        )
    } else if ty.is_float() {
        format!("`{text}` is no float of type `{ty}`")
    } else {
        format!("`{text}` is no integer of type `{ty}`")
    };
    fail(Code::BadLiteral, message, at, "not a number of its type")
}

/// How the infinities of a type are written, if it has any.
fn spelled(ty: ScalarType) -> Option<String> {
    let bits = |text| parse_float(ty, text).map(|literal| literal.bits);
    let (positive, negative) = (bits("inf")?, bits("-inf")?);
    Some(format!(
        "write an infinity as `inf` or `-inf`, or by its bits: `0x{positive:X}` or `0x{negative:X}`"
    ))
}

/// Whether a word is meant as an infinity or a NaN.
fn means_special(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    let word = word.trim_start_matches(['-', '+']);
    word.starts_with("inf") || word.starts_with("nan")
}

/// Parses a token as a value of type `ty`.
pub(crate) fn read_number(text: &str, ty: ScalarType) -> Option<Literal> {
    if let Some(digits) = text.strip_prefix("0x") {
        let bits = u64::from_str_radix(digits, 16).ok()?;
        return (bits <= ty.mask()).then(|| Literal::new(ty, bits));
    }
    if ty == ScalarType::I1 && matches!(text, "true" | "false") {
        return Some(Literal::i1(text == "true"));
    }
    if ty.is_float() {
        // An integer is no float.
        let point = text.contains(|c: char| !c.is_ascii_digit() && c != '-');
        return if point { parse_float(ty, text) } else { None };
    }
    let value: i128 = match text.strip_prefix("-0x") {
        Some(digits) => i128::from(u64::from_str_radix(digits, 16).ok()?).checked_neg()?,
        None => text.parse().ok()?,
    };
    let limit = 1i128 << ty.bits();
    let fits = value >= -(limit / 2) && value < limit;
    let low = u64::try_from(value & i128::from(u64::MAX)).ok()?;
    fits.then(|| Literal::new(ty, low))
}
