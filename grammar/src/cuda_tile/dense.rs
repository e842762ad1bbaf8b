//! The elements of constants: one for all, nested lists, or bytes.

use tilewright_diagnostics::{Code, Span};
use tilewright_irs::element::ScalarType;
use tilewright_irs::literal::Dense;

use super::cursor::{Cursor, Parse, fail};
use super::types::scalar;
use super::values::number;

/// The elements of a constant as the text gives them.
pub(crate) struct DenseLiteral {
    pub(crate) value: Dense,
    /// How many elements are given, unless it is one for all.
    count: Option<usize>,
    /// The shape of nested lists.
    shape: Option<Vec<u64>>,
}

impl DenseLiteral {
    /// The lists must be those of a tile of this shape.
    pub(crate) fn of_shape(&self, shape: &[u64], at: Span) -> Parse<()> {
        let Some(count) = self.count else {
            return Ok(());
        };
        let size = shape
            .iter()
            .try_fold(1u64, |size, &extent| size.checked_mul(extent));
        let given = u64::try_from(count).ok();
        match &self.shape {
            Some(lists) if lists != shape => {
                let message = format!("the literal has the shape {lists:?}, but its type has {shape:?}");
                fail(Code::ConstantSize, message, at, "another shape than the type")
            }
            _ if given != size => {
                let message = format!("{count} elements are given for a constant of shape {shape:?}");
                fail(Code::ConstantSize, message, at, "wrong number of elements")
            }
            _ => Ok(()),
        }
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
    if cursor.peek() == "[" {
        let mut lists = Lists::default();
        lists.read(cursor, ty, 0)?;
        return Ok(DenseLiteral {
            count: Some(lists.bits.len()),
            value: Dense::of_elements(ty, lists.bits),
            shape: Some(lists.shape),
        });
    }
    let (value, count) = if cursor.peek().starts_with('"') {
        let at = cursor.span();
        match bytes(cursor.take(), ty) {
            Some(bits) => {
                let count = bits.len();
                (Dense::of_elements(ty, bits), Some(count))
            }
            None => {
                let message = format!("the bytes are not those of elements of type `{ty}`");
                return fail(Code::ConstantSize, message, at, "not whole elements");
            }
        }
    } else {
        (Dense::Splat(number(cursor, ty)?), None)
    };
    Ok(DenseLiteral {
        value,
        count,
        shape: None,
    })
}

/// The elements of `"0x00010203"`: each in as few bytes as hold it, the lowest first.
fn bytes(quoted: &str, ty: ScalarType) -> Option<Vec<u64>> {
    let digits = quoted.strip_prefix("\"0x")?.strip_suffix('"')?;
    let width = usize::try_from(ty.bits().div_ceil(8)).ok()? * 2;
    let mut elements = Vec::with_capacity(digits.len() / width);
    for element in digits.as_bytes().chunks(width) {
        let mut bits = 0u64;
        for (i, &digit) in element.iter().enumerate() {
            let digit = u64::from(char::from(digit).to_digit(16)?);
            // Of the two digits of a byte the high one stands first.
            bits |= digit << (4 * (i ^ 1));
        }
        if element.len() != width || bits > ty.mask() {
            return None;
        }
        elements.push(bits);
    }
    Some(elements)
}

/// Nested lists of numbers, all lists of one depth equally long.
#[derive(Default)]
struct Lists {
    shape: Vec<u64>,
    bits: Vec<u64>,
}

impl Lists {
    /// Brackets nest no deeper than the lexer lets them.
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
                let message = format!("a list has {length} entries, and another one of its depth {known}");
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
