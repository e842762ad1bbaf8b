//! Expands the print of a tensor into loops over its elements.
//!
//! In: `cute`. Out: `cute` without `print_view`: a `print` of the iterator and the layout, and loops that are not to be unrolled:
//! one with the coordinate of each element, its load, and a `print` of both; or, as a matrix (`verbose = false`), loops over
//! matrices, rows and columns, with a `print` of each element. A tensor among the values of a `print` becomes its iterator, its layout
//! and its first elements there. The text is that of version 4.8.1 of the library: numbers that are
//! not negative have a blank before them, and of rows or columns beyond six the first and the last three are printed.
//! Ill-formed: what is no tensor. Tensors with coordinates of their own are "not supported yet".

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{Func, OpId, Origin, Translate, Translated, Value};
use tilewright_irs::cute_types::Kind;
use tilewright_irs::format::{MAX_VALUES, Piece, pieces};
use tilewright_irs::mlir::dialects::{ArithOp, CuteOp};
use tilewright_irs::mlir::enums::{FastMath, FloatPredicate, IntPredicate, Overflow};
use tilewright_irs::mlir::types::FloatFormat;
use tilewright_irs::mlir::{Attribute, Mlir, MlirOp, Type};

use super::emit::{Cx, Emit, Place, Problem, carry, refused, size_of, translate_if, view_of};

/// Expands prints of tensors; see [the module](self).
///
/// # Errors
/// Prints that are ill-formed or not supported yet.
pub fn expand_prints(func: &Func<Mlir>) -> Result<Func<Mlir>, Vec<Diagnostic<Origin>>> {
    let concerns = |op: &MlirOp| matches!(op, MlirOp::Cute(CuteOp::PrintView { .. } | CuteOp::Print { .. }));
    translate_if(func, concerns, &mut ExpandPrints)
}

struct ExpandPrints;

impl Translate<Mlir, Mlir> for ExpandPrints {
    fn types(&mut self, ty: &Type) -> Result<Vec<Type>, Problem> {
        Ok(vec![ty.clone()])
    }

    fn op(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        let old = cx.old(id);
        let (src, coord, verbose, is_signed) = match &old.kind {
            MlirOp::Cute(CuteOp::PrintView {
                src,
                coord,
                verbose,
                is_signed,
            }) => (src, coord, verbose, is_signed),
            MlirOp::Cute(CuteOp::Print {
                values,
                fmt,
                operand_signed,
            }) if values.iter().any(|&value| view_of(cx.from.ty(value)).is_some()) => {
                let values: Vec<Value> = values.iter().map(|&value| cx.one(value)).collect();
                let signs = operand_signed.as_deref().unwrap_or_default();
                return with_tensors(
                    &mut Emit::at(cx),
                    fmt.as_deref().unwrap_or_default(),
                    &values,
                    signs,
                );
            }
            _ => return carry(cx, id, self),
        };
        if coord.is_some() {
            let message = "a tensor is not printed with coordinates of its own yet";
            return Err(refused(Code::UnsupportedFeature, old.origin, message));
        }
        let src = cx.one(*src);
        let (mut emit, signed) = (Emit::at(cx), is_signed.unwrap_or(true));
        match verbose {
            Some(false) => matrices(&mut emit, src, signed),
            Some(true) | None => tensor(&mut emit, src, signed),
        }
    }
}

/// Prints a text with tensors among its values: of each the pointer, the layout, and as many of its first elements as a call has place
/// for.
fn with_tensors(emit: &mut Emit<'_>, fmt: &str, values: &[Value], signs: &[bool]) -> Translated {
    let (mut text, mut all, mut all_signed) = (String::new(), Vec::new(), Vec::new());
    let mut rest = values.iter().enumerate();
    let mut pieces = pieces(fmt);
    let places = pieces
        .iter()
        .filter(|piece| !matches!(piece, Piece::Text(_)))
        .count();
    for _ in places..values.len() {
        pieces.extend([Piece::Text(" ".to_owned()), Piece::Place]);
    }
    for piece in pieces {
        if let Piece::Text(own) = &piece {
            text += &own.replace('%', "%%");
            continue;
        }
        let Some((at, &value)) = rest.next() else {
            continue;
        };
        let signed = signs.get(at).copied().unwrap_or(true);
        let Some(view) = view_of(emit.ty(value)).cloned() else {
            text += &match piece {
                Piece::Conversion(form) => form.to_string(),
                Piece::Text(_) | Piece::Place => "{}".to_owned(),
            };
            all.push(value);
            all_signed.push(signed);
            continue;
        };
        let Some(size) = size_of(view.layout.layout()) else {
            let message =
                "a tensor with a dynamic number of elements is printed by `cute.print_view` alone yet";
            return Err(emit.refused(Code::UnsupportedFeature, message));
        };
        let iter = emit.algebra(CuteOp::GetIter { source: value })?;
        let layout = emit.algebra(CuteOp::GetLayout { input: value })?;
        text += "{} o {} = \n  ( ";
        all.extend([iter, layout]);
        all_signed.extend([true, true]);
        // Each tensor before has left no place for more.
        let room = MAX_VALUES.saturating_sub(all.len().saturating_sub(1)) as u64;
        for element in 0..size.min(room) {
            let coord = emit.coord(&[Place::At(i64::try_from(element).unwrap_or(i64::MAX))]);
            all.push(emit.algebra(CuteOp::MemrefLoad { src: value, coord })?);
            all_signed.push(signed);
            text += if element > 0 { ", {}" } else { "{}" };
        }
        text += if size > room { ", [...] )" } else { " )" };
    }
    print(emit, &text, &all, Some(all_signed));
    Ok(())
}

/// How many rows or columns are printed at each end of those that are too many.
const ENDS: i64 = 3;

/// What is printed before a row, or a column: the first, the others, and the first of the last ones if some are left out.
#[derive(Clone, Copy)]
struct Before {
    first: &'static str,
    next: &'static str,
    gap: &'static str,
}

/// A tensor as matrices: the first mode has the rows, the second the columns, the others count matrices. One of a single mode has a
/// row for each element.
fn matrices(emit: &mut Emit<'_>, src: Value, signed: bool) -> Translated {
    let iter = emit.algebra(CuteOp::GetIter { source: src })?;
    let layout = emit.algebra(CuteOp::GetLayout { input: src })?;
    print(emit, "tensor({} o {}, data=\n", &[iter, layout], None);
    let rank = match emit.ty(layout).kind() {
        Some(Kind::Layout(layout)) => layout.rank(),
        _ => 1,
    };
    match rank {
        0 | 1 => {
            let count = emit.size(layout, &[])?;
            let before = Before {
                first: "       [",
                next: ",\n       [",
                gap: ",\n       ...\n       [",
            };
            each_shown(emit, count, before, |emit, row| {
                let coord = emit.coord(&[row]);
                element(emit, src, coord, signed)?;
                print(emit, "]", &[], None);
                Ok(())
            })?;
        }
        2 => {
            let before = Before {
                first: "       [[",
                next: ",\n        [",
                gap: ",\n        ...\n        [",
            };
            rows(emit, src, layout, before, signed, &[])?;
            print(emit, "]", &[], None);
        }
        _ => {
            let end = i32::try_from(rank).unwrap_or(i32::MAX);
            let input = src;
            let src = match rank {
                3 => src,
                _ => emit.algebra(CuteOp::GroupModes { input, begin: 2, end })?,
            };
            let layout = emit.algebra(CuteOp::GetLayout { input: src })?;
            let count = emit.size(layout, &[2])?;
            emit.each_in_turn(count, |emit, matrix| {
                let start = Before {
                    first: "       [",
                    next: ",\n\n        ",
                    gap: "",
                };
                before(emit, matrix, None, start)?;
                let before = Before {
                    first: "[[",
                    next: ",\n         [",
                    gap: ",\n         ...\n         [",
                };
                rows(emit, src, layout, before, signed, &[matrix])?;
                print(emit, "]", &[], None);
                Ok(())
            })?;
            print(emit, "]", &[], None);
        }
    }
    print(emit, ")\n", &[], None);
    Ok(())
}

/// The rows of a matrix, at the place of the matrix if there are several.
fn rows(
    emit: &mut Emit<'_>,
    src: Value,
    layout: Value,
    before: Before,
    signed: bool,
    matrix: &[Place],
) -> Translated {
    let (rows, columns) = (emit.size(layout, &[0])?, emit.size(layout, &[1])?);
    each_shown(emit, rows, before, |emit, row| {
        let before = Before {
            first: "",
            next: "",
            gap: "..., ",
        };
        each_shown(emit, columns, before, |emit, column| {
            let places: Vec<Place> = [row, column].iter().chain(matrix).copied().collect();
            let coord = emit.coord(&places);
            element(emit, src, coord, signed)
        })?;
        print(emit, "]", &[], None);
        Ok(())
    })
}

/// An element of a matrix.
fn element(emit: &mut Emit<'_>, src: Value, coord: Value, signed: bool) -> Translated {
    let element = emit.algebra(CuteOp::MemrefLoad { src, coord })?;
    with_sign(emit, element, signed, |emit, blank| {
        let text = if blank { " {}, " } else { "{}, " };
        print(emit, text, &[element], Some(vec![signed]));
    })
}

/// What is done for each of so many places; if they are too many, for those at both ends.
fn each_shown(
    emit: &mut Emit<'_>,
    count: Place,
    texts: Before,
    body: impl FnOnce(&mut Emit<'_>, Place) -> Translated,
) -> Translated {
    // How many places are left out.
    let (shown, hidden) = match count {
        Place::At(count) => {
            let shown = count.min(2 * ENDS);
            (Place::At(shown), Place::At(count - shown))
        }
        Place::Of(count) => {
            let most = emit.constant(2 * ENDS);
            let shown = emit.value(
                ArithOp::MinSI {
                    lhs: count,
                    rhs: most,
                },
                Type::I32,
            );
            (Place::Of(shown), Place::Of(difference(emit, count, shown)))
        }
        Place::All => (Place::All, Place::At(0)),
    };
    emit.each_in_turn(shown, |emit, number| {
        let place = match (hidden, number) {
            (Place::At(0), _) | (_, Place::At(_) | Place::All) => number,
            (_, Place::Of(index)) => {
                let hidden = value(emit, hidden);
                let shifted = sum(emit, index, hidden);
                let ends = emit.constant(ENDS);
                let condition = compare(emit, IntPredicate::Slt, index, ends);
                let op = ArithOp::Select {
                    condition,
                    on_true: index,
                    on_false: shifted,
                };
                Place::Of(emit.value(op, Type::I32))
            }
        };
        before(emit, number, Some(hidden), texts)?;
        body(emit, place)
    })
}

/// What is printed before the place of this number.
fn before(emit: &mut Emit<'_>, number: Place, hidden: Option<Place>, texts: Before) -> Translated {
    let text = |emit: &mut Emit<'_>, text: &str| {
        if !text.is_empty() {
            print(emit, text, &[], None);
        }
        Ok(Vec::new())
    };
    let Place::Of(index) = number else {
        // The only one.
        return text(emit, texts.first).map(|_| ());
    };
    let zero = emit.constant(0);
    let is_first = compare(emit, IntPredicate::Eq, index, zero);
    let others = |emit: &mut Emit<'_>| match hidden {
        None | Some(Place::At(0) | Place::All) => text(emit, texts.next),
        Some(hidden) => {
            let ends = emit.constant(ENDS);
            let mut after = compare(emit, IntPredicate::Eq, index, ends);
            if let Place::Of(hidden) = hidden {
                let some = compare(emit, IntPredicate::Sgt, hidden, zero);
                let (lhs, rhs) = (after, some);
                after = emit.value(ArithOp::AndI { lhs, rhs }, Type::I1);
            }
            emit.choose(
                after,
                &[],
                |emit| text(emit, texts.gap),
                |emit| text(emit, texts.next),
            )
        }
    };
    emit.choose(is_first, &[], |emit| text(emit, texts.first), others)
        .map(|_| ())
}

/// A place as a value.
fn value(emit: &mut Emit<'_>, place: Place) -> Value {
    match place {
        Place::Of(value) => value,
        Place::At(number) => emit.constant(number),
        Place::All => emit.constant(0),
    }
}

fn sum(emit: &mut Emit<'_>, lhs: Value, rhs: Value) -> Value {
    let overflow = Overflow::default();
    emit.value(ArithOp::AddI { lhs, rhs, overflow }, Type::I32)
}

fn difference(emit: &mut Emit<'_>, lhs: Value, rhs: Value) -> Value {
    let overflow = Overflow::default();
    emit.value(ArithOp::SubI { lhs, rhs, overflow }, Type::I32)
}

fn compare(emit: &mut Emit<'_>, predicate: IntPredicate, lhs: Value, rhs: Value) -> Value {
    emit.value(ArithOp::CmpI { lhs, rhs, predicate }, Type::I1)
}

fn tensor(emit: &mut Emit<'_>, src: Value, signed: bool) -> Translated {
    let iter = emit.algebra(CuteOp::GetIter { source: src })?;
    let layout = emit.algebra(CuteOp::GetLayout { input: src })?;
    print(emit, "tensor({} o {}, data= (\n", &[iter, layout], None);
    let count = emit.size(layout, &[])?;
    emit.each_in_turn(count, |emit, place| {
        let coord = emit.coord(&[place]);
        let element = emit.algebra(CuteOp::MemrefLoad { src, coord })?;
        let shape = emit.algebra(CuteOp::GetShape { input: layout })?;
        let identity = emit.algebra(CuteOp::MakeIdentityLayout { shape })?;
        let at = emit.algebra(CuteOp::Crd2idx {
            coord,
            layout: identity,
        })?;
        with_sign(emit, element, signed, |emit, blank| {
            let text = if blank { "\t{}= {}\n" } else { "\t{}={}\n" };
            print(emit, text, &[at, element], Some(vec![true, signed]));
        })
    })?;
    print(emit, ")\n", &[], None);
    Ok(())
}

/// Prints a number: with a blank before it, unless it is negative.
fn with_sign(
    emit: &mut Emit<'_>,
    number: Value,
    signed: bool,
    printed: impl Fn(&mut Emit<'_>, bool),
) -> Translated {
    let branch = |emit: &mut Emit<'_>, blank| {
        printed(emit, blank);
        Ok(Vec::new())
    };
    match negative(emit, number, signed) {
        Some(negative) => emit.choose(
            negative,
            &[],
            |emit| branch(emit, false),
            |emit| branch(emit, true),
        ),
        None => branch(emit, true),
    }
    .map(|_| ())
}

fn print(emit: &mut Emit<'_>, text: &str, values: &[Value], operand_signed: Option<Vec<bool>>) {
    emit.effect(CuteOp::Print {
        values: values.to_vec(),
        fmt: Some(text.to_owned()),
        operand_signed,
    });
}

/// Whether a number is negative, or no number; `None` if it cannot be.
fn negative(emit: &mut Emit<'_>, number: Value, signed: bool) -> Option<Value> {
    let ty = emit.ty(number).clone();
    match ty {
        Type::Integer(..) if signed => {
            let rhs = emit.literal(Attribute::Integer(0, ty.clone()), ty);
            let op = ArithOp::CmpI {
                lhs: number,
                rhs,
                predicate: IntPredicate::Slt,
            };
            Some(emit.value(op, Type::I1))
        }
        Type::Float(format) => {
            let narrow = format.bits() < 16;
            let (number, format) = match narrow {
                true => {
                    let op = ArithOp::ExtF {
                        source: number,
                        fastmath: None,
                    };
                    let wide = FloatFormat::F32;
                    (emit.value(op, Type::Float(wide)), wide)
                }
                false => (number, format),
            };
            let rhs = emit.literal(Attribute::Float(0, format), Type::Float(format));
            let op = ArithOp::CmpF {
                lhs: number,
                rhs,
                fastmath: FastMath::default(),
                predicate: FloatPredicate::Ult,
            };
            Some(emit.value(op, Type::I1))
        }
        _ => None,
    }
}
