//! What the texts of types, ops and preview content have in common.

use std::fmt;

/// Writes a natural number: what `write!` does, without its machinery, since most text of a module is types and names.
pub(super) fn write_number(out: &mut impl fmt::Write, number: u64) -> fmt::Result {
    let digit = |number: u64| char::from(b'0' + (number % 10) as u8);
    // At most ten deep, two digits each.
    if number >= 100 {
        write_number(out, number / 100)?;
    }
    if number >= 10 {
        out.write_char(digit(number / 10))?;
    }
    out.write_char(digit(number))
}

/// Items with a separator between them.
pub(super) fn write_list<T, W: fmt::Write>(
    out: &mut W,
    separator: &str,
    items: &[T],
    mut write: impl FnMut(&mut W, &T) -> fmt::Result,
) -> fmt::Result {
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            out.write_str(separator)?;
        }
        write(out, item)?;
    }
    Ok(())
}

/// A string in quotes; what is not printable ASCII is written as its bytes.
pub(super) fn write_quoted(out: &mut impl fmt::Write, text: &str) -> fmt::Result {
    out.write_char('"')?;
    for byte in text.bytes() {
        match byte {
            b'\\' => out.write_str("\\\\")?,
            b'"' | ..=0x1F | 0x7F.. => write!(out, "\\{byte:02X}")?,
            _ => out.write_char(char::from(byte))?,
        }
    }
    out.write_char('"')
}
