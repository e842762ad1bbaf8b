//! Formats of printed text, as of C's `printf`, of `print_tko` and of the ops that it is lowered to.

use std::fmt;

use tilewright_diagnostics::counted;

/// The most values that a call of `vprintf` takes. (CUDA C++ Programming Guide, "Formatted Output".)
pub const MAX_VALUES: usize = 32;

/// The letters that end a conversion.
pub const LETTERS: &str = "diouxXeEfFgGaAcsSpn";

/// What may stand between `%` and the letter: flags, width, precision and length.
const LAYOUT: &str = "-+ #0123456789.*hlLqjzt'";

/// A part of a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Text, in which `%%` has become `%`.
    Text(String),
    /// The place of a value.
    Conversion(Conversion),
}

/// The form in which a value is printed: `%-8.3f`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conversion {
    /// Flags, width and precision: `-8.3`. A length follows from the type of the value.
    pub layout: String,
    /// The letter: `f`.
    pub letter: char,
}

impl fmt::Display for Conversion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "%{}{}", self.layout, self.letter)
    }
}

/// The parts of a format.
///
/// # Errors
/// The byte offset of a `%` that begins no conversion.
pub fn parse(format: &str) -> Result<Vec<Part>, usize> {
    let mut parts = Vec::new();
    let mut text = String::new();
    let mut rest = format.char_indices();
    while let Some((at, letter)) = rest.next() {
        if letter != '%' {
            text.push(letter);
            continue;
        }
        let mut layout = String::new();
        let end = loop {
            match rest.next() {
                Some((_, c)) if LAYOUT.contains(c) => layout.push(c),
                other => break other,
            }
        };
        match end {
            Some((_, '%')) => text.push('%'),
            Some((_, letter)) if LETTERS.contains(letter) => {
                if !text.is_empty() {
                    parts.push(Part::Text(std::mem::take(&mut text)));
                }
                // A width or a precision that is a value of its own is not supported, and left out.
                layout.retain(|c| "-+ #0123456789.".contains(c));
                parts.push(Part::Conversion(Conversion { layout, letter }));
            }
            Some(_) | None => return Err(at),
        }
    }
    if !text.is_empty() {
        parts.push(Part::Text(text));
    }
    Ok(parts)
}

/// The number of conversions of a format.
///
/// # Errors
/// The byte offset of a `%` that begins no conversion.
pub fn conversions(format: &str) -> Result<usize, usize> {
    let parts = parse(format)?;
    let conversions = parts.iter().filter(|part| matches!(part, Part::Conversion(_)));
    Ok(conversions.count())
}

/// Checks that a format has one conversion for each of `values` values.
///
/// # Errors
/// A message for the user.
pub fn check(format: &str, values: usize) -> Result<(), String> {
    match conversions(format) {
        Ok(count) if count == values => Ok(()),
        Ok(count) => Err(format!(
            "the format has {} for {}",
            counted(count, "conversion"),
            counted(values, "value")
        )),
        Err(at) => Err(format!("the `%` at byte {at} of the format begins no conversion")),
    }
}

/// A part of the text of `cute.print`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Text, in which `%%` has become `%`.
    Text(String),
    /// `{}`, the place of a value in the form of its type.
    Place,
    /// The place of a number.
    Conversion(Conversion),
}

/// The parts of the text of `cute.print`. A `%` that begins no conversion of a number is text; a blank is no flag, so that `100% of`
/// is text too.
pub fn pieces(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut plain = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (piece, after) = if let Some(after) = rest.strip_prefix("{}") {
            (Some(Piece::Place), after)
        } else if let Some(after) = rest.strip_prefix("%%") {
            plain.push('%');
            (None, after)
        } else if let Some((conversion, after)) = rest.strip_prefix('%').and_then(conversion) {
            (Some(Piece::Conversion(conversion)), after)
        } else {
            plain.push(first);
            (None, rest.get(first.len_utf8()..).unwrap_or(""))
        };
        if let Some(piece) = piece {
            if !plain.is_empty() {
                pieces.push(Piece::Text(std::mem::take(&mut plain)));
            }
            pieces.push(piece);
        }
        rest = after;
    }
    if !plain.is_empty() {
        pieces.push(Piece::Text(plain));
    }
    pieces
}

/// The conversion of a number after its `%`, and what follows it.
fn conversion(text: &str) -> Option<(Conversion, &str)> {
    let digits = |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let flags = text.len() - text.trim_start_matches(['-', '+', '#', '0']).len();
    let mut end = flags + digits(text.get(flags..)?);
    if text.get(end..)?.starts_with('.') {
        end += 1 + digits(text.get(end + 1..)?);
    }
    let (layout, rest) = text.split_at_checked(end)?;
    let mut rest = rest.trim_start_matches(['h', 'l']).chars();
    let letter = rest.next().filter(|letter| "diouxXeEfFgG".contains(*letter))?;
    let layout = layout.to_owned();
    Some((Conversion { layout, letter }, rest.as_str()))
}

/// Text as a part of a format: `%` becomes `%%`.
pub fn escaped(text: &str) -> String {
    text.replace('%', "%%")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conversion(layout: &str, letter: char) -> Part {
        let layout = layout.to_owned();
        Part::Conversion(Conversion { layout, letter })
    }

    #[test]
    fn a_printed_text_has_places_and_conversions() {
        let text = |text: &str| Piece::Text(text.to_owned());
        let number = |layout: &str, letter| {
            let layout = layout.to_owned();
            Piece::Conversion(Conversion { layout, letter })
        };
        assert_eq!(
            pieces("a={}, b=%-8.2f%lld"),
            [
                text("a="),
                Piece::Place,
                text(", b="),
                number("-8.2", 'f'),
                number("", 'd')
            ]
        );
        assert_eq!(pieces("100% of %%d {x} %s %"), [text("100% of %d {x} %s %")]);
        assert_eq!(pieces(""), []);
    }

    #[test]
    fn a_format_is_text_and_conversions() {
        assert_eq!(
            parse("a%%b %-8.3lf|%llu%d"),
            Ok(vec![
                Part::Text("a%b ".to_owned()),
                conversion("-8.3", 'f'),
                Part::Text("|".to_owned()),
                conversion("", 'u'),
                conversion("", 'd'),
            ])
        );
        assert_eq!(parse(""), Ok(Vec::new()));
        assert_eq!(conversion("+", 'd'), parse("%+hhd").unwrap().remove(0));
    }

    #[test]
    fn a_sign_without_a_letter_is_refused_where_it_stands() {
        assert_eq!(parse("é %"), Err(3));
        assert_eq!(parse("%d %y"), Err(3));
        assert!(check("%d", 2).unwrap_err().contains("1 conversion for 2 values"));
        assert!(check("%d%%%f", 2).is_ok());
    }

    #[test]
    fn escaped_text_is_printed_as_it_is() {
        assert_eq!(
            parse(&escaped("50% %d")),
            Ok(vec![Part::Text("50% %d".to_owned())])
        );
    }
}
