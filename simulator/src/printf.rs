//! Format strings of `vprintf`.
//!
//! A conversion is `%[flags][width][.precision][size]type` (C++ programming guide of CUDA, "Formatted Output"); width
//! and precision may be `*`. Arguments are stored consecutively, each aligned to its size: `int` and narrower types
//! take 4 bytes, `long`, `long long`, `size_t`, pointers and `double` take 8.

use crate::block::{Block, Stop};
use crate::fault::FaultKind;
use crate::program::{Pointer, lanes};
use crate::warp::Warp;
use std::fmt::Write as _;

/// The arguments of a call.
pub(crate) trait Arguments {
    /// Why an argument could not be read.
    type Error;
    /// The next `bytes` bytes (4 or 8), aligned to their size, little-endian.
    fn next(&mut self, bytes: u64) -> Result<u64, Self::Error>;
    /// The bytes of a string up to its zero.
    fn string(&mut self, address: u64) -> Result<Vec<u8>, Self::Error>;
    /// Reports a malformed format.
    fn malformed(&self, reason: String) -> Self::Error;
}

/// Flags, width and precision of a conversion.
#[derive(Clone, Copy, Debug, Default)]
struct Layout {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
}

/// The size of an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Size {
    Char,
    Short,
    Int,
    Long,
}

/// Larger widths and precisions are rejected.
const MOST_WIDTH: usize = 1 << 16;

/// Prints a format with its arguments, and returns the number of conversions.
pub(crate) fn print<A: Arguments>(format: &[u8], arguments: &mut A) -> Result<(Vec<u8>, u32), A::Error> {
    let mut out = Vec::new();
    let mut count = 0;
    let mut rest = format;
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first != b'%' {
            out.push(*first);
            continue;
        }
        if let Some(after) = rest.strip_prefix(b"%") {
            rest = after;
            out.push(b'%');
            continue;
        }
        conversion(&mut rest, arguments, &mut out)?;
        count += 1;
    }
    Ok((out, count))
}

/// Parses one conversion at the front of the format, and prints its argument.
fn conversion<A: Arguments>(rest: &mut &[u8], arguments: &mut A, out: &mut Vec<u8>) -> Result<(), A::Error> {
    let mut layout = Layout::default();
    loop {
        match rest.first() {
            Some(b'-') => layout.left = true,
            Some(b'+') => layout.plus = true,
            Some(b' ') => layout.space = true,
            Some(b'#') => layout.alternate = true,
            Some(b'0') => layout.zero = true,
            _ => break,
        }
        *rest = &rest[1..];
    }
    if let Some(width) = number(rest, arguments)? {
        layout.left |= width < 0;
        layout.width = bounded(width.unsigned_abs(), arguments)?;
    }
    if let Some(after) = rest.strip_prefix(b".") {
        *rest = after;
        let precision = number(rest, arguments)?.unwrap_or(0);
        // A negative precision is ignored.
        if precision >= 0 {
            layout.precision = Some(bounded(precision.unsigned_abs(), arguments)?);
        }
    }
    let mut size = Size::Int;
    for (name, named) in [
        (&b"hh"[..], Size::Char),
        (b"h", Size::Short),
        (b"ll", Size::Long),
        (b"l", Size::Long),
        (b"j", Size::Long),
        (b"z", Size::Long),
        (b"t", Size::Long),
    ] {
        if let Some(after) = rest.strip_prefix(name) {
            *rest = after;
            size = named;
            break;
        }
    }
    let Some((kind, after)) = rest.split_first() else {
        return Err(arguments.malformed("the format ends within a conversion".to_owned()));
    };
    *rest = after;
    let bytes = if size == Size::Long { 8 } else { 4 };
    match kind {
        b'd' | b'i' => {
            let word = arguments.next(bytes)?;
            let value = match size {
                Size::Char => i64::from(word as i8),
                Size::Short => i64::from(word as i16),
                Size::Int => i64::from(word as i32),
                Size::Long => word.cast_signed(),
            };
            let digits = with_precision(value.unsigned_abs().to_string(), layout, value == 0);
            layout.number(out, layout.sign(value < 0), &digits, layout.precision.is_none());
        }
        b'u' | b'x' | b'X' | b'o' => {
            let word = arguments.next(bytes)?;
            let value = match size {
                Size::Char => word & 0xff,
                Size::Short => word & 0xffff,
                Size::Int => word & 0xffff_ffff,
                Size::Long => word,
            };
            let (prefix, digits) = match kind {
                b'x' => ("0x", format!("{value:x}")),
                b'X' => ("0X", format!("{value:X}")),
                b'o' => ("0", format!("{value:o}")),
                _ => ("", value.to_string()),
            };
            let mut digits = with_precision(digits, layout, value == 0);
            let mut sign = "";
            if layout.alternate && *kind == b'o' && !digits.starts_with('0') {
                digits.insert(0, '0');
            } else if layout.alternate && *kind != b'o' && value != 0 {
                sign = prefix;
            }
            layout.number(out, sign, &digits, layout.precision.is_none());
        }
        b'f' | b'F' | b'e' | b'E' | b'g' | b'G' => {
            let value = f64::from_bits(arguments.next(8)?);
            let mut text = match kind.to_ascii_lowercase() {
                _ if value.is_nan() => "nan".to_owned(),
                _ if value.is_infinite() => "inf".to_owned(),
                b'f' => fixed(value.abs(), layout.precision.unwrap_or(6), layout.alternate),
                b'e' => scientific(value.abs(), layout.precision.unwrap_or(6), layout.alternate),
                _ => general(value.abs(), layout.precision.unwrap_or(6), layout.alternate),
            };
            if kind.is_ascii_uppercase() {
                text.make_ascii_uppercase();
            }
            layout.number(
                out,
                layout.sign(value.is_sign_negative()),
                &text,
                value.is_finite(),
            );
        }
        b'c' => {
            let byte = arguments.next(4)? as u8;
            layout.pad(out, &[byte]);
        }
        b's' => {
            let address = arguments.next(8)?;
            let mut text = if address == 0 {
                b"(null)".to_vec()
            } else {
                arguments.string(address)?
            };
            text.truncate(layout.precision.unwrap_or(usize::MAX));
            layout.pad(out, &text);
        }
        b'p' => {
            let address = arguments.next(8)?;
            let text = if address == 0 {
                "(nil)".to_owned()
            } else {
                format!("{address:#x}")
            };
            layout.pad(out, text.as_bytes());
        }
        other => {
            let reason = format!("there is no conversion %{}", char::from(*other));
            return Err(arguments.malformed(reason));
        }
    }
    Ok(())
}

/// A number in the format, or an argument for `*`.
fn number<A: Arguments>(rest: &mut &[u8], arguments: &mut A) -> Result<Option<i64>, A::Error> {
    if let Some(after) = rest.strip_prefix(b"*") {
        *rest = after;
        return Ok(Some(i64::from(arguments.next(4)? as i32)));
    }
    let mut value = None;
    while let Some(digit) = rest.first().filter(|byte| byte.is_ascii_digit()) {
        *rest = &rest[1..];
        let sum = value.unwrap_or(0i64) * 10 + i64::from(digit - b'0');
        // Clamped, whatever follows.
        value = Some(sum.min(1 << 32));
    }
    Ok(value)
}

fn bounded<A: Arguments>(value: u64, arguments: &A) -> Result<usize, A::Error> {
    usize::try_from(value)
        .ok()
        .filter(|value| *value <= MOST_WIDTH)
        .ok_or_else(|| {
            arguments.malformed(format!(
                "a width or precision of {value}, of at most {MOST_WIDTH}"
            ))
        })
}

/// Zero-extends to the precision; an empty string for a zero with precision zero.
fn with_precision(digits: String, layout: Layout, is_zero: bool) -> String {
    match layout.precision {
        Some(0) if is_zero => String::new(),
        Some(precision) => format!("{digits:0>precision$}"),
        None => digits,
    }
}

impl Layout {
    fn sign(self, negative: bool) -> &'static str {
        match (negative, self.plus, self.space) {
            (true, _, _) => "-",
            (false, true, _) => "+",
            (false, false, true) => " ",
            (false, false, false) => "",
        }
    }

    /// A number with its sign or prefix; `zeros` enables the flag `0`.
    fn number(self, out: &mut Vec<u8>, sign: &str, digits: &str, zeros: bool) {
        let length = sign.len() + digits.len();
        if self.zero && zeros && !self.left {
            out.extend(sign.bytes());
            out.extend(std::iter::repeat_n(b'0', self.width.saturating_sub(length)));
            out.extend(digits.bytes());
        } else {
            self.pad(out, format!("{sign}{digits}").as_bytes());
        }
    }

    fn pad(self, out: &mut Vec<u8>, text: &[u8]) {
        let fill = std::iter::repeat_n(b' ', self.width.saturating_sub(text.len()));
        if self.left {
            out.extend(text);
            out.extend(fill);
        } else {
            out.extend(fill);
            out.extend(text);
        }
    }
}

/// `%f`: `precision` digits after the point.
fn fixed(value: f64, precision: usize, point: bool) -> String {
    let mut text = format!("{value:.precision$}");
    if point && precision == 0 {
        text.push('.');
    }
    text
}

/// `%e`: one digit before the point, and an exponent of at least two digits.
fn scientific(value: f64, precision: usize, point: bool) -> String {
    let text = format!("{value:.precision$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(exponent) => ('-', exponent),
        None => ('+', exponent),
    };
    let point = if point && precision == 0 { "." } else { "" };
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = write!(out, "{digits}{point}e{sign}{exponent:0>2}");
    out
}

/// `%g`: `%e` where the exponent is below -4 or not below the precision, else `%f`; without trailing zeros.
fn general(value: f64, precision: usize, keep: bool) -> String {
    let precision = precision.max(1);
    let short = scientific(value, precision - 1, keep);
    let (digits, exponent) = short.split_once('e').unwrap_or((&short, "0"));
    let power: i64 = exponent.parse().unwrap_or(0);
    let trimmed = |text: &str| {
        if keep || !text.contains('.') {
            text.to_owned()
        } else {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
    };
    if power < -4 || power >= precision as i64 {
        format!("{}e{exponent}", trimmed(digits))
    } else {
        let decimals = usize::try_from(precision as i64 - 1 - power).unwrap_or(0);
        trimmed(&fixed(value, decimals, keep))
    }
}

/// Length limit of strings.
const MOST_STRING: usize = 1 << 16;

/// The arguments of one lane's call, in generic memory.
struct Call<'a, 'b> {
    block: &'a mut Block<'b>,
    warp: &'a Warp,
    lane: usize,
    base: u64,
    at: u64,
}

impl Arguments for Call<'_, '_> {
    type Error = FaultKind;

    fn next(&mut self, bytes: u64) -> Result<u64, FaultKind> {
        let first = self.at.next_multiple_of(bytes);
        self.at = first + bytes;
        let mut word = 0;
        for byte in 0..bytes {
            let address = self.base.wrapping_add(first + byte);
            word |= u64::from(self.block.read_byte(self.warp, self.lane, address)?) << (8 * byte);
        }
        Ok(word)
    }

    fn string(&mut self, address: u64) -> Result<Vec<u8>, FaultKind> {
        let mut text = Vec::new();
        loop {
            let address = address.wrapping_add(text.len() as u64);
            match self.block.read_byte(self.warp, self.lane, address)? {
                0 => return Ok(text),
                byte => text.push(byte),
            }
            if text.len() > MOST_STRING {
                return Err(self.malformed(format!("a string of more than {MOST_STRING} bytes")));
            }
        }
    }

    fn malformed(&self, reason: String) -> FaultKind {
        FaultKind::Unsupported {
            reason: format!("vprintf: {reason}"),
        }
    }
}

impl Block<'_> {
    /// `vprintf` of each active lane, in order; its result is the number of arguments.
    pub(crate) fn print(
        &mut self,
        warp: &mut Warp,
        format: Pointer,
        arguments: Pointer,
        result: Option<Pointer>,
        active: u32,
    ) -> Result<(), Stop> {
        let formats = self.read_parameter(warp, format, 8, active)?;
        let arguments = self.read_parameter(warp, arguments, 8, active)?;
        let mut counts = [0; 32];
        for lane in lanes(active) {
            let mut call = Call {
                block: self,
                warp,
                lane,
                base: arguments[lane],
                at: 0,
            };
            let printed = call
                .string(formats[lane])
                .and_then(|format| print(&format, &mut call));
            let (text, count) = printed.map_err(|kind| Stop::Fault(kind, Some(lane)))?;
            self.printed.extend(text);
            counts[lane] = u64::from(count);
        }
        match result {
            Some(result) => self.write_parameter(warp, result, &counts, active),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Arguments as bytes, and one string at address 64.
    struct Buffer {
        bytes: Vec<u8>,
        at: usize,
    }

    impl Arguments for Buffer {
        type Error = String;
        fn next(&mut self, bytes: u64) -> Result<u64, String> {
            let size = bytes as usize;
            let first = self.at.next_multiple_of(size);
            self.at = first + size;
            let bytes = self.bytes.get(first..first + size).ok_or("beyond the end")?;
            Ok(crate::memory::little_endian(bytes))
        }
        fn string(&mut self, address: u64) -> Result<Vec<u8>, String> {
            assert_eq!(address, 64);
            Ok(b"tile".to_vec())
        }
        fn malformed(&self, reason: String) -> String {
            reason
        }
    }

    fn text(format: &str, bytes: &[&[u8]]) -> Result<String, String> {
        let mut buffer = Buffer {
            bytes: bytes.concat(),
            at: 0,
        };
        let (text, _) = print(format.as_bytes(), &mut buffer)?;
        Ok(String::from_utf8(text).expect("ASCII"))
    }

    fn int(format: &str, value: i32) -> String {
        text(format, &[&value.to_le_bytes()]).expect("a format")
    }

    fn double(format: &str, value: f64) -> String {
        text(format, &[&value.to_le_bytes()]).expect("a format")
    }

    #[test]
    fn integers_are_printed_as_c_does() {
        let cases = [
            ("%d|", -42, "-42|"),
            ("%i", 7, "7"),
            ("%+d", 7, "+7"),
            ("% d", 7, " 7"),
            ("%5d", -42, "  -42"),
            ("%-5d|", -42, "-42  |"),
            ("%05d", -42, "-0042"),
            ("%-05d|", 42, "42   |"),
            ("%.4d", -42, "-0042"),
            ("%08.4d", 42, "    0042"),
            ("%.0d|", 0, "|"),
            ("%.0u|", 0, "|"),
            ("%.0x|", 9, "9|"),
            ("%.3u", 7, "007"),
            ("%u", -1, "4294967295"),
            ("%x", -1, "ffffffff"),
            ("%X", 0xbeef, "BEEF"),
            ("%#x", 0xbeef, "0xbeef"),
            ("%#x", 0, "0"),
            ("%#08x", 0xbeef, "0x00beef"),
            ("%#o", 8, "010"),
            ("%o", 8, "10"),
            ("%hd", 0x1_ffff, "-1"),
            ("%hu", 0x1_ffff, "65535"),
            ("%hhd", 0x1ff, "-1"),
            ("%hhu", 0x1ff, "255"),
            ("%c", 65, "A"),
            ("%3c|", 65, "  A|"),
            ("100%%", 0, "100%"),
        ];
        for (format, value, want) in cases {
            assert_eq!(int(format, value), want, "{format}");
        }
        let long = |format: &str, value: i64| text(format, &[&value.to_le_bytes()]).expect("a format");
        assert_eq!(long("%ld", i64::MIN), "-9223372036854775808");
        assert_eq!(long("%lld", -5), "-5");
        assert_eq!(long("%lu", -1), "18446744073709551615");
        assert_eq!(long("%zu", 9), "9");
        assert_eq!(long("%llx", -1), "ffffffffffffffff");
        assert_eq!(long("%p", 0x7f00), "0x7f00");
        assert_eq!(long("%6s|", 64), "  tile|");
        assert_eq!(long("%-6.2s|", 64), "ti    |");
    }

    #[test]
    fn floats_are_printed_as_c_does() {
        let cases = [
            ("%f", 1.5, "1.500000"),
            ("%.0f", 2.5, "2"),
            ("%#.0f", 3.0, "3."),
            ("%8.3f", -1.0 / 3.0, "  -0.333"),
            ("%08.3f", -1.0 / 3.0, "-000.333"),
            ("%+.1f", 0.25, "+0.2"),
            ("%e", 12345.678, "1.234568e+04"),
            ("%.2E", 1.0e-100, "1.00E-100"),
            ("%g", 0.0001, "0.0001"),
            ("%g", 0.00001, "1e-05"),
            ("%g", 123456.0, "123456"),
            ("%g", 1_234_567.0, "1.23457e+06"),
            ("%g", 1.0, "1"),
            ("%#g", 1.0, "1.00000"),
            ("%.3g", 99999.0, "1e+05"),
            ("%g", 0.0, "0"),
            ("%g", -0.0, "-0"),
            ("%f", f64::INFINITY, "inf"),
            ("%05f", f64::NEG_INFINITY, " -inf"),
            ("%F", f64::NAN, "NAN"),
        ];
        for (format, value, want) in cases {
            assert_eq!(double(format, value), want, "{format}");
        }
    }

    #[test]
    fn arguments_are_aligned_to_their_size() {
        let bytes: [&[u8]; 4] = [
            &7i32.to_le_bytes(),
            &[0xee; 4],
            &2.5f64.to_le_bytes(),
            &(-1i32).to_le_bytes(),
        ];
        assert_eq!(text("%d %.1f %d\n", &bytes), Ok("7 2.5 -1\n".to_owned()));
        let stars: [&[u8]; 2] = [&6i32.to_le_bytes(), &42i32.to_le_bytes()];
        assert_eq!(text("%*d", &stars), Ok("    42".to_owned()));
        let stars: [&[u8]; 2] = [&(-6i32).to_le_bytes(), &42i32.to_le_bytes()];
        assert_eq!(text("%*d|", &stars), Ok("42    |".to_owned()));
    }

    #[test]
    fn wrong_formats_are_refused() {
        assert!(text("%", &[]).is_err());
        assert!(text("%5", &[]).is_err());
        assert!(text("%k", &[]).is_err());
        assert!(text("%d", &[]).is_err(), "no argument");
        assert!(text("%99999999999999999999d", &[&[0; 4]]).is_err());
    }
}
