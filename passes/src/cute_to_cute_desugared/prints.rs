//! Prints and assertions: by every thread that comes to them.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Origin, Translated, Value, ValueType};
use tilewright_irs::cute_desugared::DesugaredType;
use tilewright_irs::cute_types::{Kind, Pointer};
use tilewright_irs::dialects::arith::{ArithOp, Predicate, Signedness};
use tilewright_irs::dialects::cute::CuteOp;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::format::{Conversion, Piece, pieces};

use super::leaves::leaves_of;
use super::pointers::address_type;
use super::state::{Cx, unsupported};
use crate::branches::when;
use crate::leaf_arithmetic::constant;
use crate::vprintf::{Call, fail};

/// Prints a text with the values in the places of `{}` and of conversions, `%5.2f`, in their order, and those that are left after it.
/// An integer is unsigned where `signs` says so.
pub(super) fn print(cx: &mut Cx<'_>, text: Option<&str>, values: &[Value], signs: &[bool]) -> Translated {
    let mut call = Call::default();
    let mut values = values.iter().enumerate();
    let signed = |at: usize| signs.get(at).copied().unwrap_or(true);
    for piece in pieces(text.unwrap_or_default()) {
        let form = match piece {
            Piece::Text(text) => {
                call.text(&text);
                continue;
            }
            Piece::Place => None,
            Piece::Conversion(form) => Some(form),
        };
        let Some((at, &value)) = values.next() else {
            continue;
        };
        match (form, cx.all(value)) {
            (Some(form), &[number]) if let DesugaredType::Scalar(element) = *cx.ty(number) => {
                call.value(cx, &form, number, element);
            }
            _ => one(cx, &mut call, value, signed(at))?,
        }
    }
    for (at, &value) in values {
        call.text(" ");
        one(cx, &mut call, value, signed(at))?;
    }
    call.emit(cx);
    Ok(())
}

/// Stops the kernel with a message where a condition does not hold.
pub(super) fn assert(cx: &mut Cx<'_>, condition: Value, message: &str) -> Translated {
    let lhs = cx.one(condition);
    let rhs = constant(cx, ScalarType::I1, 0);
    let fails = ArithOp::CmpI {
        lhs,
        rhs,
        predicate: Predicate::Equal,
        signedness: Signedness::Unsigned,
    };
    let condition = cx.value(fails, DesugaredType::Scalar(ElementType::I1));
    when(cx, condition, |cx| {
        fail(cx, message, Vec::new());
        Ok(())
    })
}

/// Appends a pointer: its address, what it points to, the memory and the alignment in bytes.
fn address(cx: &mut Cx<'_>, call: &mut Call, pointer: Value, ty: &Pointer) -> Translated {
    let element = address_type(ty);
    let address = cx.value(CuteOp::PtrToInt { pointer }, DesugaredType::Scalar(element));
    let form = Conversion {
        layout: "016".to_owned(),
        letter: 'x',
    };
    call.text("raw_ptr(0x");
    call.value(cx, &form, address, element);
    let to = ty.element().map_or_else(|| "i8".to_owned(), ToString::to_string);
    call.text(&format!(": {to}, {}, align<{}>)", ty.space().word(), ty.align()));
    Ok(())
}

/// Appends a value as it is printed: one of `cute` as its type writes it, with its numbers.
fn one(cx: &mut Cx<'_>, call: &mut Call, old: Value, signed: bool) -> Translated {
    let refused = |cx: &Cx<'_>| -> Diagnostic<Origin> {
        let message = format!("a value of type `{}` is not printed yet", cx.from.ty(old));
        unsupported(cx.origin(), message)
    };
    let &[value] = cx.all(old) else {
        return Err(refused(cx));
    };
    let number = |element: ElementType| Conversion {
        layout: String::new(),
        letter: match element {
            ElementType::Scalar(scalar) if scalar.is_float() => 'f',
            _ if signed => 'd',
            _ => 'u',
        },
    };
    match cx.ty(value).clone() {
        DesugaredType::Scalar(element) => call.value(cx, &number(element), value, element),
        DesugaredType::Cute(ty) => {
            let kind = ty.kind();
            let text = match kind {
                Kind::IntTuple(of) | Kind::Shape(of) | Kind::CoordIterator(of) => of.to_string(),
                Kind::Coord(of) => of.to_string(),
                Kind::Stride(of) => of.to_string(),
                Kind::Layout(of) => of.to_string(),
                Kind::Pointer(pointer) => return address(cx, call, value, pointer),
                _ => return Err(refused(cx)),
            };
            let open = kind.dynamic_leaves();
            let leaves = leaves_of(cx, value);
            let mut rest = text.as_str();
            for (fact, leaf) in open.iter().zip(leaves) {
                // The text has the open numbers in the order of the leaves.
                let Some((before, after)) = rest.split_once(&fact.to_string()) else {
                    return Err(refused(cx));
                };
                call.text(before);
                let Some(element) = cx.ty(leaf).element() else {
                    return Err(refused(cx));
                };
                call.value(cx, &number(element), leaf, element);
                rest = after;
            }
            call.text(rest);
        }
        _ => return Err(refused(cx)),
    }
    Ok(())
}
