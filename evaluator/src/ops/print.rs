//! `print_tko`: a format as for C's `printf`, with a whole tile for each conversion.

use std::fmt::Write;
use std::rc::Rc;

use tilewright_irs::cuda_tile::{Element, Signedness};

use crate::number::{convert, int};
use crate::tile::TileValue;

/// Limit of printed elements of a tile.
const MOST_ELEMENTS: usize = 1 << 16;
/// Limit of padding of a field.
const MOST_WIDTH: usize = 256;

/// A conversion.
#[derive(Clone, Debug, Default)]
pub(crate) struct Conversion {
    left: bool,
    plus: bool,
    zeros: bool,
    width: usize,
    precision: Option<usize>,
    kind: char,
}

/// The formatted text, with `?` for unspecified elements. A conversion that does not match its operand's type is
/// replaced by that type's own.
pub(crate) fn format(text: &str, args: &[Rc<TileValue>]) -> String {
    let mut out = String::new();
    let mut args = args.iter();
    let mut rest = text.chars().peekable();
    while let Some(letter) = rest.next() {
        if letter != '%' {
            out.push(letter);
            continue;
        }
        if rest.next_if_eq(&'%').is_some() {
            out.push('%');
            continue;
        }
        let conversion = Conversion::read(&mut rest);
        if let Some(tile) = args.next() {
            print_tile(&mut out, &conversion, tile);
        }
    }
    out
}

impl Conversion {
    /// Reads what stands after the `%`.
    fn read(rest: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Self {
        let mut conversion = Self::default();
        while let Some(flag) = rest.next_if(|c| matches!(c, '-' | '+' | '0' | ' ' | '#')) {
            conversion.left |= flag == '-';
            conversion.plus |= flag == '+';
            conversion.zeros |= flag == '0';
        }
        conversion.width = number(rest).unwrap_or(0);
        if rest.next_if_eq(&'.').is_some() {
            conversion.precision = Some(number(rest).unwrap_or(0));
        }
        while rest
            .next_if(|c| matches!(c, 'l' | 'h' | 'j' | 'z' | 't' | 'L'))
            .is_some()
        {}
        conversion.kind = rest.next().unwrap_or('d');
        conversion
    }

    /// As the text of a format says.
    pub(crate) fn of(form: &tilewright_irs::format::Conversion) -> Self {
        Self::read(&mut form.to_string().get(1..).unwrap_or_default().chars().peekable())
    }

    /// An integer in this form.
    pub(crate) fn integer(&self, signed: i128, unsigned: u128) -> String {
        self.padded(match self.kind {
            'u' => unsigned.to_string(),
            'x' => format!("{unsigned:x}"),
            'X' => format!("{unsigned:X}"),
            'o' => format!("{unsigned:o}"),
            _ => signed.to_string(),
        })
    }

    /// A float in this form.
    pub(crate) fn real(&self, value: f64) -> String {
        self.padded(real(self, value))
    }

    /// With a sign, blanks and zeros.
    fn padded(&self, text: String) -> String {
        let text = match self.plus && !text.starts_with('-') {
            true => format!("+{text}"),
            false => text,
        };
        let missing = self.width.saturating_sub(text.chars().count());
        if self.left {
            return format!("{text}{}", " ".repeat(missing));
        }
        if self.zeros && text.chars().any(|c| c.is_ascii_digit()) {
            let digits = text.trim_start_matches(['+', '-']);
            let sign = text.strip_suffix(digits).unwrap_or_default();
            return format!("{sign}{}{digits}", "0".repeat(missing));
        }
        format!("{}{text}", " ".repeat(missing))
    }
}

fn number(rest: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Option<usize> {
    let mut value = None;
    while let Some(digit) = rest.peek().and_then(|c| c.to_digit(10)) {
        rest.next();
        let more = value
            .unwrap_or(0usize)
            .saturating_mul(10)
            .saturating_add(digit as usize);
        value = Some(more.min(MOST_WIDTH));
    }
    value
}

/// A tile as nested lists, `[[1, 2], [3, 4]]`; a scalar without brackets.
fn print_tile(out: &mut String, conversion: &Conversion, tile: &TileValue) {
    // The number of elements before each closing bracket.
    let mut sizes: Vec<usize> = Vec::new();
    let mut size = 1usize;
    for &extent in tile.shape.iter().rev() {
        size = size.saturating_mul(usize::try_from(extent).unwrap_or(usize::MAX));
        sizes.push(size);
    }
    for (at, &bits) in tile.bits.iter().take(MOST_ELEMENTS).enumerate() {
        let opens = sizes
            .iter()
            .filter(|&&size| at.is_multiple_of(size.max(1)))
            .count();
        if at > 0 {
            out.push_str(", ");
        }
        out.extend(std::iter::repeat_n('[', opens));
        if tile.marks.get(at).is_set() {
            out.push('?');
        } else {
            out.push_str(&element(conversion, tile.element, bits));
        }
        let closes = sizes
            .iter()
            .filter(|&&size| (at + 1).is_multiple_of(size.max(1)))
            .count();
        out.extend(std::iter::repeat_n(']', closes));
    }
    if tile.bits.len() > MOST_ELEMENTS {
        let _ = write!(out, ", and {} more", tile.bits.len() - MOST_ELEMENTS);
    }
}

fn element(conversion: &Conversion, element: Element, bits: u64) -> String {
    let text = match element {
        Element::Ptr(_) => format!("{bits:#x}"),
        Element::Scalar(ty) if ty.is_float() => {
            real(conversion, convert::to_f64(ty, Signedness::Signed, bits))
        }
        Element::Scalar(ty) => match conversion.kind {
            'u' => int::value(ty, Signedness::Unsigned, bits).to_string(),
            'x' => format!("{bits:x}"),
            'X' => format!("{bits:X}"),
            'o' => format!("{bits:o}"),
            _ if ty.bits() == 1 => bits.to_string(),
            _ => int::value(ty, Signedness::Signed, bits).to_string(),
        },
    };
    conversion.padded(text)
}

fn real(conversion: &Conversion, value: f64) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    if value.is_infinite() {
        return if value < 0.0 { "-inf" } else { "inf" }.to_owned();
    }
    let precision = conversion.precision.unwrap_or(6);
    match conversion.kind {
        'e' | 'E' => {
            let text = format!("{value:.precision$e}");
            let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
            let exponent: i32 = exponent.parse().unwrap_or(0);
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{digits}{}{sign}{:02}", conversion.kind, exponent.unsigned_abs())
        }
        'f' | 'F' => format!("{value:.precision$}"),
        _ => value.to_string(),
    }
}
