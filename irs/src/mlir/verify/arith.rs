//! Arithmetic, elementary functions and vectors.

use tilewright_diagnostics::{Code, counted};

use super::op::{Checked, Op, bits, float, integer, integer_or_index};
use crate::core::Value;
use crate::mlir::dialects::{ArithOp, MathOp, VectorOp};
use crate::mlir::enums::CombiningKind;
use crate::mlir::types::Type;

/// All operands and the result have one type, of such elements.
fn alike(op: Op<'_>, what: &str, holds: fn(&Type) -> bool) -> Checked {
    let operands = op.operands();
    let Some(&first) = operands.first() else {
        return Ok(());
    };
    op.needs(first, what, holds(op.ty(first)))?;
    op.all(operands.iter().copied(), op.ty(first))?;
    op.gives_all(op.ty(first))
}

const FLOATS: &str = "a float or a vector of floats";
const INTEGERS: &str = "an integer or a vector of integers";

/// Two operands of one type, of such elements.
fn compared(op: Op<'_>, lhs: Value, rhs: Value, what: &str, holds: fn(&Type) -> bool) -> Checked {
    op.needs(lhs, what, holds(op.ty(lhs)))?;
    op.all([rhs], op.ty(lhs))
}

/// Such elements to such elements in the same container.
fn cast(
    op: Op<'_>,
    source: Value,
    (from, holds): (&str, fn(&Type) -> bool),
    (to, gives): (&str, fn(&Type) -> bool),
) -> Checked {
    let ty = op.ty(source);
    op.needs(source, from, holds(ty))?;
    op.gives(0, to, |result| {
        gives(result) && ty.with_scalar(result.scalar().clone()) == *result
    })
}

/// The bits of the elements of the source and of the result are in this relation.
fn width(op: Op<'_>, source: Value, relation: &str, holds: fn(&u32, &u32) -> bool) -> Checked {
    let result = op.result()?;
    match (bits(op.ty(source)), bits(op.ty(result))) {
        (Some(from), Some(to)) if !holds(&from, &to) => op.refuse(
            Code::TypeMismatch,
            format_args!("its result has {to} bits, where {relation} the {from} of its operand are needed"),
        ),
        _ => Ok(()),
    }
}

pub(super) fn arith(op: Op<'_>, kind: &ArithOp) -> Checked {
    const FLOAT: (&str, fn(&Type) -> bool) = (FLOATS, float);
    const INTEGER: (&str, fn(&Type) -> bool) = (INTEGERS, integer);
    match kind {
        // The type of the result is that of the value.
        ArithOp::Constant { .. } => Ok(()),
        ArithOp::CmpI { lhs, rhs, .. } => compared(op, *lhs, *rhs, INTEGERS, integer_or_index),
        ArithOp::CmpF { lhs, rhs, .. } => compared(op, *lhs, *rhs, FLOATS, float),
        ArithOp::Select {
            condition,
            on_true,
            on_false,
        } => {
            let (condition, ty) = (*condition, op.ty(*on_true));
            let holds = *op.ty(condition) == Type::I1 || *op.ty(condition) == ty.with_scalar(Type::I1);
            op.needs(condition, "`i1`, or one for each element,", holds)?;
            op.all([*on_false], ty)?;
            op.gives_all(ty)
        }
        ArithOp::AddF { .. }
        | ArithOp::SubF { .. }
        | ArithOp::MulF { .. }
        | ArithOp::DivF { .. }
        | ArithOp::RemF { .. }
        | ArithOp::MaximumF { .. }
        | ArithOp::MinimumF { .. }
        | ArithOp::MaxNumF { .. }
        | ArithOp::MinNumF { .. }
        | ArithOp::NegF { .. } => alike(op, FLOATS, float),
        ArithOp::AddI { .. }
        | ArithOp::SubI { .. }
        | ArithOp::MulI { .. }
        | ArithOp::MulUiExtended { .. }
        | ArithOp::ShlI { .. }
        | ArithOp::ShrSI { .. }
        | ArithOp::ShrUI { .. }
        | ArithOp::AndI { .. }
        | ArithOp::OrI { .. }
        | ArithOp::XorI { .. }
        | ArithOp::DivSI { .. }
        | ArithOp::DivUI { .. }
        | ArithOp::RemSI { .. }
        | ArithOp::RemUI { .. }
        | ArithOp::FloorDivSI { .. }
        | ArithOp::CeilDivSI { .. }
        | ArithOp::CeilDivUI { .. }
        | ArithOp::MaxSI { .. }
        | ArithOp::MaxUI { .. }
        | ArithOp::MinSI { .. }
        | ArithOp::MinUI { .. } => alike(op, INTEGERS, integer_or_index),
        ArithOp::ExtUI { source } | ArithOp::ExtSI { source } => {
            cast(op, *source, INTEGER, INTEGER)?;
            width(op, *source, "more than", u32::lt)
        }
        ArithOp::TruncI { source, .. } => {
            cast(op, *source, INTEGER, INTEGER)?;
            width(op, *source, "fewer than", u32::gt)
        }
        ArithOp::IndexCast { source } => {
            let from = matches!(op.ty(*source).scalar(), Type::Index);
            let what: (&str, fn(&Type) -> bool) = match from {
                true => INTEGER,
                false => ("`index`", |ty| matches!(ty.scalar(), Type::Index)),
            };
            cast(op, *source, (INTEGERS, integer_or_index), what)
        }
        ArithOp::SiToFp { source } | ArithOp::UiToFp { source } => cast(op, *source, INTEGER, FLOAT),
        ArithOp::FpToSi { source } | ArithOp::FpToUi { source } => cast(op, *source, FLOAT, INTEGER),
        ArithOp::Bitcast { source } => {
            let any: (&str, fn(&Type) -> bool) =
                ("a number or a vector of numbers", |ty| integer(ty) || float(ty));
            cast(op, *source, any, any)?;
            width(op, *source, "exactly", u32::eq)
        }
        ArithOp::ExtF { source, .. } => {
            cast(op, *source, FLOAT, FLOAT)?;
            width(op, *source, "more than", u32::lt)
        }
        ArithOp::TruncF { source, .. } => {
            cast(op, *source, FLOAT, FLOAT)?;
            width(op, *source, "fewer than", u32::gt)
        }
    }
}

pub(super) fn math(op: Op<'_>, kind: &MathOp) -> Checked {
    match kind {
        MathOp::Exp2 { .. }
        | MathOp::Exp { .. }
        | MathOp::Log { .. }
        | MathOp::Log2 { .. }
        | MathOp::Erf { .. }
        | MathOp::Trunc { .. }
        | MathOp::Round { .. }
        | MathOp::RoundEven { .. }
        | MathOp::ExpM1 { .. }
        | MathOp::Log1P { .. }
        | MathOp::Sinh { .. }
        | MathOp::Cosh { .. }
        | MathOp::Asinh { .. }
        | MathOp::Acosh { .. }
        | MathOp::Atanh { .. }
        | MathOp::Cbrt { .. }
        | MathOp::SinCos { .. }
        | MathOp::Rsqrt { .. }
        | MathOp::Sqrt { .. }
        | MathOp::Sin { .. }
        | MathOp::Cos { .. }
        | MathOp::Tanh { .. }
        | MathOp::AbsF { .. }
        | MathOp::Log10 { .. }
        | MathOp::Tan { .. }
        | MathOp::Asin { .. }
        | MathOp::Acos { .. }
        | MathOp::Atan { .. }
        | MathOp::Atan2 { .. }
        | MathOp::PowF { .. }
        | MathOp::CopySign { .. }
        | MathOp::Ceil { .. }
        | MathOp::Floor { .. }
        | MathOp::Fma { .. } => alike(op, FLOATS, float),
        MathOp::AbsI { .. } | MathOp::Cttz { .. } | MathOp::Ctlz { .. } | MathOp::Ctpop { .. } => {
            alike(op, INTEGERS, integer_or_index)
        }
    }
}

/// The extents of a vector and its element.
fn vector_of(ty: &Type) -> Option<(&[u64], &Type)> {
    match ty {
        Type::Vector(vector) => Some((&vector.shape, &vector.element)),
        _ => None,
    }
}

/// Checks a position in a vector of these extents; the extents of what is there.
fn positions<'a>(op: Op<'_>, dynamic: &[Value], position: &[i64], shape: &'a [u64]) -> Checked<&'a [u64]> {
    let open = position.iter().filter(|&&at| at == i64::MIN).count();
    op.count("dynamic position", dynamic.len(), open)?;
    if position.len() > shape.len() {
        return op.refuse(
            Code::AttributeValue,
            format_args!(
                "it has {} positions in {} dimensions",
                position.len(),
                shape.len()
            ),
        );
    }
    for (&at, &extent) in position.iter().zip(shape) {
        let inside = u64::try_from(at).is_ok_and(|at| at < extent);
        // -1 is no element at all: its value is undefined.
        if !inside && at != i64::MIN && at != -1 {
            return op.refuse(
                Code::IndexOutOfBounds,
                format_args!("position {at} in a dimension of extent {extent}"),
            );
        }
    }
    Ok(shape.get(position.len()..).unwrap_or_default())
}

/// Whether a type is that of a part of these extents, of elements of this type.
fn is_at(ty: &Type, rest: &[u64], element: &Type) -> bool {
    match (rest, vector_of(ty)) {
        ([], None) => ty == element,
        (rest, Some((own, of))) => own == rest && of == element,
        _ => false,
    }
}

/// Whether a vector has a slice of these extents, with steps of 1, from these offsets on.
fn is_slice(op: Op<'_>, shape: &[u64], offsets: &[i64], slice: &[u64], strides: &[i64]) -> Checked {
    op.count("offset", offsets.len(), slice.len())?;
    if let Some(stride) = strides.iter().find(|&&stride| stride != 1) {
        return op.refuse(
            Code::AttributeValue,
            format_args!("strides are 1, and not {stride}"),
        );
    }
    if slice.len() > shape.len() {
        let message = format!(
            "a vector of {} has no such slice",
            counted(shape.len(), "dimension")
        );
        return op.refuse(Code::AttributeValue, message);
    }
    for ((&extent, &offset), &size) in shape.iter().zip(offsets).zip(slice) {
        let end = u64::try_from(offset)
            .ok()
            .and_then(|offset| offset.checked_add(size));
        if size == 0 || end.is_none_or(|end| end > extent) {
            let message = format!(
                "elements {offset} to {} of {extent}",
                offset.saturating_add_unsigned(size)
            );
            return op.refuse(Code::IndexOutOfBounds, message);
        }
    }
    Ok(())
}

pub(super) fn vector(op: Op<'_>, kind: &VectorOp) -> Checked {
    let needs_vector = |value: Value| op.needs(value, "a vector", vector_of(op.ty(value)).is_some());
    match kind {
        VectorOp::Extract {
            source,
            dynamic,
            position,
        } => {
            needs_vector(*source)?;
            op.all(dynamic.iter().copied(), &Type::Index)?;
            let Some((shape, element)) = vector_of(op.ty(*source)) else {
                return Ok(());
            };
            let rest = positions(op, dynamic, position, shape)?;
            op.gives(0, "what is at such a position of the vector", |ty| {
                is_at(ty, rest, element)
            })
        }
        VectorOp::Insert {
            value,
            dest,
            dynamic,
            position,
        } => {
            needs_vector(*dest)?;
            op.all(dynamic.iter().copied(), &Type::Index)?;
            let Some((shape, element)) = vector_of(op.ty(*dest)) else {
                return Ok(());
            };
            let rest = positions(op, dynamic, position, shape)?;
            let what = "what is at such a position of the vector";
            op.needs(*value, what, is_at(op.ty(*value), rest, element))
        }
        VectorOp::ExtractStridedSlice {
            source,
            offsets,
            sizes,
            strides,
        } => {
            needs_vector(*source)?;
            let Some((shape, element)) = vector_of(op.ty(*source)) else {
                return Ok(());
            };
            let sizes = sizes.0.iter().map(|&size| u64::try_from(size).unwrap_or(0));
            let mut slice: Vec<u64> = sizes.collect();
            op.count("stride", strides.0.len(), slice.len())?;
            is_slice(op, shape, &offsets.0, &slice, &strides.0)?;
            slice.extend(shape.iter().skip(slice.len()));
            op.gives(0, "the slice of the vector", |ty| {
                vector_of(ty).is_some_and(|(own, of)| own == slice && of == element)
            })
        }
        VectorOp::InsertStridedSlice {
            value,
            dest,
            offsets,
            strides,
        } => {
            needs_vector(*value)?;
            needs_vector(*dest)?;
            let (Some((slice, of)), Some((shape, element))) =
                (vector_of(op.ty(*value)), vector_of(op.ty(*dest)))
            else {
                return Ok(());
            };
            op.needs(*value, &format!("a vector of `{element}`"), of == element)?;
            op.count("stride", strides.0.len(), slice.len())?;
            // The dimensions that the slice lacks are the first ones of the vector.
            let first = shape.len().saturating_sub(slice.len());
            let whole: Vec<u64> = std::iter::repeat_n(1, first)
                .chain(slice.iter().copied())
                .collect();
            op.count("offset", offsets.0.len(), shape.len())?;
            is_slice(op, shape, &offsets.0, &whole, &strides.0)
        }
        VectorOp::ToElements { source } => needs_vector(*source),
        VectorOp::Shuffle { first, second, mask } => {
            let line = |value: Value| vector_of(op.ty(value)).filter(|(shape, _)| shape.len() == 1);
            let what = "a vector of one dimension";
            op.needs(*first, what, line(*first).is_some())?;
            op.needs(*second, what, line(*second).is_some())?;
            let (Some((own, element)), Some((others, other))) = (line(*first), line(*second)) else {
                return Ok(());
            };
            op.needs(*second, &format!("a vector of `{element}`"), element == other)?;
            let count: u64 = own.iter().chain(others).sum();
            // -1 is no element at all: its value is undefined.
            let wrong = mask
                .iter()
                .find(|&&at| at != -1 && !u64::try_from(at).is_ok_and(|at| at < count));
            match wrong {
                Some(at) => op.refuse(Code::IndexOutOfBounds, format_args!("element {at} of {count}")),
                None if mask.is_empty() => op.refuse(Code::AttributeValue, "it gives no elements"),
                None => Ok(()),
            }
        }
        VectorOp::ShapeCast { source } => {
            needs_vector(*source)?;
            let Some((shape, element)) = vector_of(op.ty(*source)) else {
                return Ok(());
            };
            op.gives(0, "a vector of as many of these elements", |ty| {
                vector_of(ty).is_some_and(|(own, of)| {
                    of == element && own.iter().product::<u64>() == shape.iter().product::<u64>()
                })
            })
        }
        VectorOp::Bitcast { source } => {
            needs_vector(*source)?;
            let bits = |ty: &Type| {
                let (shape, element) = vector_of(ty)?;
                let width = match element {
                    Type::Integer(_, bits) => *bits,
                    Type::Float(format) => format.bits(),
                    _ => return None,
                };
                let (last, outer) = shape.split_last()?;
                Some((outer.to_vec(), last.checked_mul(u64::from(width))?))
            };
            let own = bits(op.ty(*source));
            op.needs(*source, "a vector of numbers", own.is_some())?;
            op.gives(0, "a vector of the same bits", |ty| bits(ty) == own)
        }
        VectorOp::OuterProduct { lhs, rhs, .. } => {
            for value in [*lhs, *rhs] {
                let line = vector_of(op.ty(value)).filter(|(shape, _)| shape.len() == 1);
                op.needs(value, "a vector of one dimension", line.is_some())?;
            }
            let element = op.ty(*lhs).scalar();
            op.needs(
                *rhs,
                &format!("a vector of `{element}`"),
                op.ty(*rhs).scalar() == element,
            )
        }
        VectorOp::FromElements { elements } => {
            let result = op.result()?;
            op.gives(0, "a vector", |ty| vector_of(ty).is_some())?;
            let Some((shape, element)) = vector_of(op.ty(result)) else {
                return Ok(());
            };
            let count = usize::try_from(shape.iter().product::<u64>()).unwrap_or(usize::MAX);
            op.count("element", elements.len(), count)?;
            op.all(elements.iter().copied(), element)
        }
        VectorOp::Broadcast { source } => {
            let ty = op.ty(*source);
            op.gives(0, "a vector of more of these elements", |result| {
                let Some((shape, element)) = vector_of(result) else {
                    return false;
                };
                let own = vector_of(ty).map_or(&[][..], |(shape, _)| shape);
                let inner = shape.len().checked_sub(own.len());
                let inner = inner.and_then(|skip| shape.get(skip..));
                ty.scalar() == element
                    && inner.is_some_and(|inner| {
                        own.iter().zip(inner).all(|(own, wide)| own == wide || *own == 1)
                    })
            })
        }
        VectorOp::MultiReduction {
            source, acc, dims, ..
        } => {
            needs_vector(*source)?;
            let Some((shape, element)) = vector_of(op.ty(*source)) else {
                return Ok(());
            };
            let combined = |at: usize| i64::try_from(at).is_ok_and(|at| dims.contains(&at));
            let known = |dim: &i64| usize::try_from(*dim).is_ok_and(|dim| dim < shape.len());
            if !dims.iter().all(known) {
                let message = format!(
                    "a vector of {} has no such dimension",
                    counted(shape.len(), "dimension")
                );
                return op.refuse(Code::AttributeValue, message);
            }
            let left = shape.iter().enumerate().filter(|(at, _)| !combined(*at));
            let left: Vec<u64> = left.map(|(_, extent)| *extent).collect();
            op.gives(0, "what is left of the vector", |ty| match vector_of(ty) {
                Some((own, of)) => own == left.as_slice() && of == element,
                None => left.is_empty() && ty == element,
            })?;
            let own = op.ty(*acc);
            op.gives(0, "of the accumulator's type", |ty| ty == own)
        }
        VectorOp::Reduction {
            vector, acc, kind, ..
        } => {
            needs_vector(*vector)?;
            let Some((shape, element)) = vector_of(op.ty(*vector)) else {
                return Ok(());
            };
            op.needs(*vector, "a vector of one dimension", shape.len() < 2)?;
            let (what, holds): (&str, fn(&Type) -> bool) = match kind {
                CombiningKind::Add | CombiningKind::Mul => {
                    ("a vector of numbers", |ty| integer(ty) || float(ty))
                }
                CombiningKind::Minnumf
                | CombiningKind::Maxnumf
                | CombiningKind::Minimumf
                | CombiningKind::Maximumf => ("a vector of floats", float),
                CombiningKind::Minui
                | CombiningKind::Minsi
                | CombiningKind::Maxui
                | CombiningKind::Maxsi
                | CombiningKind::And
                | CombiningKind::Or
                | CombiningKind::Xor => ("a vector of integers", integer),
            };
            op.needs(*vector, what, holds(element))?;
            op.all(*acc, element)?;
            op.gives_all(element)
        }
    }
}
