//! Parses the elements of constants: a splat, nested lists, or bytes.

use tilewright_diagnostics::{Code, Span, counted};
use tilewright_irs::element::ScalarType;
use tilewright_irs::literal::{Dense, Literal};

use super::cursor::{Cursor, Parse, fail};
use super::literals::number;
use super::types::scalar;

/// The elements of a constant, before the shape of its type is known.
pub(crate) struct DenseLiteral {
    ty: ScalarType,
    given: Given,
}

enum Given {
    /// A splat.
    Splat(Literal),
    /// Nested lists.
    Lists(Lists),
    /// The bytes of the elements, or of a splat.
    Bytes(Vec<u8>),
}

impl DenseLiteral {
    /// The elements of a tile of this shape; `at` is the span of the literal.
    pub(crate) fn of_shape(self, shape: &[u64], at: Span) -> Parse<Dense> {
        let size = shape
            .iter()
            .try_fold(1u64, |size, &extent| size.checked_mul(extent));
        let bits = match self.given {
            Given::Splat(literal) => return Ok(Dense::Splat(literal)),
            Given::Lists(lists) if lists.shape != shape => {
                let lists = lists.shape;
                let message = format!("the literal has the shape {lists:?}, but its type has {shape:?}");
                return fail(Code::ConstantSize, message, at, "another shape than the type");
            }
            Given::Lists(lists) => lists.bits,
            Given::Bytes(bytes) => {
                let count = size.and_then(|size| usize::try_from(size).ok());
                match from_bytes(&bytes, self.ty, count) {
                    // The bytes of one element are a splat.
                    Some(bits) if bits.len() == 1 => {
                        let bits = bits.first().copied().unwrap_or_default();
                        return Ok(Dense::Splat(Literal::new(self.ty, bits)));
                    }
                    Some(bits) => bits,
                    None => {
                        let ty = self.ty;
                        let message = format!("the bytes are not those of elements of type `{ty}`");
                        return fail(Code::ConstantSize, message, at, "not whole elements");
                    }
                }
            }
        };
        if u64::try_from(bits.len()).ok() != size {
            let message = format!(
                "a constant of shape {shape:?} is given {}",
                counted(bits.len(), "element")
            );
            return fail(Code::ConstantSize, message, at, "wrong number of elements");
        }
        Ok(Dense::of_elements(self.ty, bits))
    }
}

/// `<f32: VALUE>`, `<f32: [[…], […]]>`, or `<f32: "0x…">`.
pub(crate) fn dense(cursor: &mut Cursor<'_, '_>) -> Parse<DenseLiteral> {
    cursor.expect("<")?;
    let ty = scalar(cursor)?;
    cursor.expect(":")?;
    let value = elements(cursor, ty)?;
    cursor.expect(">")?;
    Ok(value)
}

/// A number, nested lists of numbers, or the bytes of numbers.
pub(crate) fn elements(cursor: &mut Cursor<'_, '_>, ty: ScalarType) -> Parse<DenseLiteral> {
    let given = if cursor.peek() == "[" {
        let mut lists = Lists::default();
        lists.read(cursor, ty, 0)?;
        Given::Lists(lists)
    } else if cursor.peek().starts_with('"') {
        let at = cursor.span();
        match bytes(cursor.take()) {
            Some(bytes) => Given::Bytes(bytes),
            None => {
                let message = "the bytes of a constant are two hexadecimal digits each, after `0x`";
                return fail(Code::BadLiteral, message, at, "no bytes");
            }
        }
    } else {
        Given::Splat(number(cursor, ty)?)
    };
    Ok(DenseLiteral { ty, given })
}

/// The bytes of `"0x00010203"`.
fn bytes(quoted: &str) -> Option<Vec<u8>> {
    let digits = quoted.strip_prefix("\"0x")?.strip_suffix('"')?.as_bytes();
    let (pairs, rest) = digits.as_chunks::<2>();
    let digit = |c: u8| {
        char::from(c)
            .to_digit(16)
            .and_then(|digit| u8::try_from(digit).ok())
    };
    let bytes = pairs
        .iter()
        .map(|&[high, low]| Some(digit(high)? << 4 | digit(low)?));
    rest.is_empty().then(|| bytes.collect())?
}

/// The elements of a tile of this count: each in whole bytes, little-endian. Booleans may be packed eight to a byte,
/// the first one in the lowest bit, and a splat may be eight equal bits.
fn from_bytes(bytes: &[u8], ty: ScalarType, count: Option<usize>) -> Option<Vec<u64>> {
    if ty == ScalarType::I1 {
        if bytes == [0xFF] {
            return Some(vec![1]);
        }
        if let Some(count) = count.filter(|&count| count != bytes.len() && count.div_ceil(8) == bytes.len()) {
            let bit = |i: usize| bytes.get(i / 8).map_or(0, |byte| u64::from(byte >> (i % 8) & 1));
            return Some((0..count).map(bit).collect());
        }
    }
    let width = usize::try_from(ty.bits().div_ceil(8)).ok()?;
    let element = |bytes: &[u8]| {
        let bits = bytes
            .iter()
            .rev()
            .fold(0u64, |bits, &byte| bits << 8 | u64::from(byte));
        (bytes.len() == width && bits <= ty.mask()).then_some(bits)
    };
    bytes.chunks(width).map(element).collect()
}

/// Nested lists of numbers; all lists of one depth have the same length.
#[derive(Default)]
struct Lists {
    shape: Vec<u64>,
    bits: Vec<u64>,
}

impl Lists {
    /// The lexer limits the nesting of brackets.
    fn read(&mut self, cursor: &mut Cursor<'_, '_>, ty: ScalarType, depth: usize) -> Parse<()> {
        let start = cursor.span();
        if !cursor.eat("[") {
            if depth != self.shape.len() {
                return ragged("a number stands beside lists", start);
            }
            self.bits.push(number(cursor, ty)?.bits);
            return Ok(());
        }
        let first = depth == self.shape.len();
        if first && !self.bits.is_empty() {
            return ragged("a list stands beside numbers", start);
        }
        if first {
            self.shape.push(0);
        }
        let length = cursor.list("]", |cursor| self.read(cursor, ty, depth + 1))?.len();
        let length = u64::try_from(length).unwrap_or(u64::MAX);
        match self.shape.get_mut(depth) {
            Some(known) if first => *known = length,
            Some(known) if *known != length => {
                let message = format!(
                    "a list has {}, and another one of its depth {known}",
                    counted(length, "entry")
                );
                return ragged(&message, cursor.since(start));
            }
            Some(_) | None => {}
        }
        Ok(())
    }
}

fn ragged(message: &str, at: Span) -> Parse<()> {
    let message = format!("{message}: the lists of a constant have one rank and shape");
    fail(Code::ConstantSize, message, at, "not of the same shape")
}
