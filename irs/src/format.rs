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
