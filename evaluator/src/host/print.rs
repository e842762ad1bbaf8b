//! `cute.print`: a text with `{}` for each value.

use std::fmt::Write;

use tilewright_irs::core::Value;
use tilewright_irs::cuda_tile::Signedness;
use tilewright_irs::cute_types::Kind;
use tilewright_irs::format::{Piece, pieces};
use tilewright_irs::mlir::Type;

use super::frame::Frame;
use super::leaves::{numbered, open_numbers};
use super::value::{Field, Integer};
use crate::fault::Outcome;
use crate::number::convert;
use crate::ops::print::Conversion;

/// An integer as it is printed: with its sign, except a truth value and where the op says that it has none.
fn integer(of: Integer, signed: bool) -> String {
    match signed && of.width() > 1 {
        true => of.signed().to_string(),
        false => of.unsigned().to_string(),
    }
}

fn field(of: &Field, signed: bool) -> String {
    match of {
        Field::Integer(of) => integer(*of, signed),
        Field::Float(format, bits) => {
            format!("{:.6}", convert::to_f64(format.ty(), Signedness::Signed, *bits))
        }
        Field::Address(address) => match address.base {
            Some(argument) => format!("argument {argument} + {} bytes", address.offset),
            None => format!("{:#x}", address.offset),
        },
        Field::Vector(elements) => {
            let elements: Vec<_> = elements.iter().map(|element| field(element, signed)).collect();
            format!("[{}]", elements.join(", "))
        }
        Field::Map(_) => "a tensor map".to_owned(),
    }
}

/// A value as it is printed: one of `cute` as its type writes it, with its numbers.
fn value(frame: &Frame<'_>, value: Value, signed: bool) -> Outcome<String> {
    let fields = frame.fields(value)?;
    if let Type::Cute(ty) = frame.ty(value) {
        let numbered = numbered(ty, &open_numbers(frame.ty(value), fields)?);
        let tuple = match numbered.kind() {
            Kind::IntTuple(of) | Kind::Shape(of) | Kind::CoordIterator(of) => Some(of.to_string()),
            Kind::Coord(of) => Some(of.to_string()),
            Kind::Stride(of) => Some(of.to_string()),
            Kind::Layout(of) => Some(of.to_string()),
            Kind::Integer(_) => None,
            _ => return Ok(numbered.to_string()),
        };
        if let Some(tuple) = tuple {
            return Ok(tuple);
        }
    }
    let fields: Vec<_> = fields.iter().map(|one| field(one, signed)).collect();
    Ok(fields.join(", "))
}

/// The text, with the values in the places of `{}` and of conversions in their order, and those that are left after it.
pub(super) fn format(
    frame: &Frame<'_>,
    values: &[Value],
    text: Option<&str>,
    signs: &[bool],
) -> Outcome<String> {
    let mut out = String::new();
    let mut values = values.iter().enumerate();
    let signed = |at: usize| signs.get(at).copied().unwrap_or(true);
    for piece in pieces(text.unwrap_or_default()) {
        let form = match piece {
            Piece::Text(text) => {
                out.push_str(&text);
                continue;
            }
            Piece::Place => None,
            Piece::Conversion(form) => Some(form),
        };
        let Some((at, &one)) = values.next() else {
            continue;
        };
        match (form, frame.fields(one)?) {
            (Some(form), [Field::Integer(number)]) => {
                out.push_str(&Conversion::of(&form).integer(number.signed(), number.unsigned()));
            }
            (Some(form), [Field::Float(format, bits)]) => {
                let real = convert::to_f64(format.ty(), Signedness::Signed, *bits);
                out.push_str(&Conversion::of(&form).real(real));
            }
            _ => out.push_str(&value(frame, one, signed(at))?),
        }
    }
    for (at, &one) in values {
        // A text without places has the values after it.
        let _ = write!(out, " {}", value(frame, one, signed(at))?);
    }
    Ok(out)
}
