//! Quoted strings, as the printer of the regular syntax writes them.

/// An unknown escape, with its byte range in the quoted text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EscapeError {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// Unquotes a string: `\n`, `\t`, `\"`, `\\` and `\u{…}` are escapes.
pub(crate) fn unquote(quoted: &str) -> Result<String, EscapeError> {
    let inner = quoted.strip_prefix('"').unwrap_or(quoted);
    let skipped = quoted.len() - inner.len();
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    let mut text = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = rest.find('\\') {
        let (plain, escape) = rest.split_at(at);
        text.push_str(plain);
        let start = skipped + inner.len() - escape.len();
        let (c, length) = read_escape(escape).ok_or_else(|| EscapeError {
            start,
            end: start + escape.chars().take(2).map(char::len_utf8).sum::<usize>(),
        })?;
        text.push(c);
        rest = escape.get(length..).unwrap_or_default();
    }
    text.push_str(rest);
    Ok(text)
}

/// The character of the escape at the start of `text`, and the length of the escape in bytes.
fn read_escape(text: &str) -> Option<(char, usize)> {
    let after = text.strip_prefix('\\')?;
    let simple = match after.chars().next()? {
        'n' => '\n',
        't' => '\t',
        c @ ('"' | '\\') => c,
        'u' => {
            let digits = after.strip_prefix("u{")?.split_once('}')?.0;
            if digits.is_empty() || digits.len() > 6 || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
                return None;
            }
            let c = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
            return Some((c, "\\u{}".len() + digits.len()));
        }
        _ => return None,
    };
    Some((simple, 2))
}

#[cfg(test)]
mod tests {
    use super::{EscapeError, unquote};

    #[test]
    fn escapes_read_back() {
        assert_eq!(
            unquote(r#""a\"b\\c\nd\te\u{1f600}\u{0}""#).unwrap(),
            "a\"b\\c\nd\te\u{1f600}\0"
        );
        assert_eq!(unquote(r#""""#).unwrap(), "");
    }

    #[test]
    fn an_unknown_escape_is_located() {
        let wrong = |start, end| Err(EscapeError { start, end });
        assert_eq!(unquote(r#""ab\q""#), wrong(3, 5));
        assert_eq!(unquote(r#""\u{110000}""#), wrong(1, 3));
        assert_eq!(unquote(r#""\u{+41}""#), wrong(1, 3));
        assert_eq!(unquote(r#""\é""#), wrong(1, 4));
    }
}
