//! Elementwise float arithmetic and functions.

use tilewright_irs::core::Value;
use tilewright_irs::cuda_tile::{FloatOp, RoundingMode};
use tilewright_irs::element::ScalarType;

use crate::fault::{Fault, Outcome};
use crate::frame::Frame;
use crate::number::{Format, float, math};
use crate::tile::{Runtime, TileValue};

pub(crate) fn evaluate(frame: &Frame<'_>, op: &FloatOp) -> Outcome<Vec<Runtime>> {
    let tile = match op {
        FloatOp::AbsF { source } => unary(frame, *source, float::abs)?,
        FloatOp::NegF { source } => unary(frame, *source, float::neg)?,
        FloatOp::AddF {
            lhs,
            rhs,
            rounding_mode,
            flush_to_zero,
        } => binary(frame, *lhs, *rhs, |ty, a, b| {
            float::add(ty, *rounding_mode, flush_to_zero.0, a, b)
        })?,
        FloatOp::SubF {
            lhs,
            rhs,
            rounding_mode,
            flush_to_zero,
        } => binary(frame, *lhs, *rhs, |ty, a, b| {
            float::sub(ty, *rounding_mode, flush_to_zero.0, a, b)
        })?,
        FloatOp::MulF {
            lhs,
            rhs,
            rounding_mode,
            flush_to_zero,
        } => binary(frame, *lhs, *rhs, |ty, a, b| {
            float::mul(ty, *rounding_mode, flush_to_zero.0, a, b)
        })?,
        FloatOp::DivF {
            lhs,
            rhs,
            rounding_mode,
            flush_to_zero,
        } => binary(frame, *lhs, *rhs, |ty, a, b| {
            float::div(ty, *rounding_mode, flush_to_zero.0, a, b)
        })?,
        FloatOp::RemF { lhs, rhs } => binary(frame, *lhs, *rhs, float::rem)?,
        FloatOp::Fma {
            lhs,
            rhs,
            acc,
            rounding_mode,
            flush_to_zero,
        } => {
            let (lhs, rhs, acc) = (frame.tile(*lhs)?, frame.tile(*rhs)?, frame.tile(*acc)?);
            let ty = format(&lhs)?;
            lhs.zip3(&rhs, &acc, |a, b, c| {
                float::fma(ty, *rounding_mode, flush_to_zero.0, a, b, c)
            })
        }
        FloatOp::MaxF {
            lhs,
            rhs,
            propagate_nan,
            flush_to_zero,
        } => binary(frame, *lhs, *rhs, |ty, a, b| {
            float::max(ty, propagate_nan.0, flush_to_zero.0, a, b)
        })?,
        FloatOp::MinF {
            lhs,
            rhs,
            propagate_nan,
            flush_to_zero,
        } => binary(frame, *lhs, *rhs, |ty, a, b| {
            float::min(ty, propagate_nan.0, flush_to_zero.0, a, b)
        })?,
        FloatOp::Ceil { source } => unary(frame, *source, float::ceil)?,
        FloatOp::Floor { source } => unary(frame, *source, float::floor)?,
        FloatOp::Sqrt {
            source,
            rounding_mode,
            flush_to_zero,
        } => unary(frame, *source, |ty, a| {
            float::sqrt(ty, *rounding_mode, flush_to_zero.0, a)
        })?,
        FloatOp::Rsqrt {
            source,
            flush_to_zero,
        } => unary(frame, *source, |ty, a| float::rsqrt(ty, flush_to_zero.0, a))?,
        FloatOp::Exp {
            source,
            rounding_mode: _,
        } => unary(frame, *source, math::exp)?,
        FloatOp::Exp2 {
            source,
            flush_to_zero,
        } => unary(frame, *source, |ty, a| math::exp2(ty, flush_to_zero.0, a))?,
        FloatOp::Log { source } => unary(frame, *source, math::log)?,
        FloatOp::Log2 { source } => unary(frame, *source, math::log2)?,
        FloatOp::PowF { source, exponent } => binary(frame, *source, *exponent, math::pow)?,
        FloatOp::PowI { source, exponent } => {
            let (source, exponent) = (frame.tile(*source)?, frame.tile(*exponent)?);
            let (ty, power) = (format(&source)?, exponent.scalar_type()?);
            source.zip(&exponent, source.element, |a, n| math::powi(ty, a, power, n))
        }
        FloatOp::Sin { source } => unary(frame, *source, math::sin)?,
        FloatOp::Cos { source } => unary(frame, *source, math::cos)?,
        FloatOp::Tan { source } => unary(frame, *source, math::tan)?,
        FloatOp::Sinh { source } => unary(frame, *source, math::sinh)?,
        FloatOp::Cosh { source } => unary(frame, *source, math::cosh)?,
        FloatOp::Tanh {
            source,
            rounding_mode: _,
        } => unary(frame, *source, math::tanh)?,
        FloatOp::Atan2 { x, y } => binary(frame, *x, *y, math::atan2)?,
        FloatOp::CmpF {
            lhs,
            rhs,
            predicate,
            ordering,
        } => {
            let (lhs, rhs) = (frame.tile(*lhs)?, frame.tile(*rhs)?);
            let ty = format(&lhs)?;
            lhs.zip(&rhs, ScalarType::I1, |a, b| {
                u64::from(float::compare(ty, *predicate, *ordering, a, b))
            })
        }
    };
    Ok(vec![nudged(frame, op, tile)?.into()])
}

/// Moves the results of functions that are not exact, and of ops in the body of a fold.
fn nudged(frame: &Frame<'_>, op: &FloatOp, tile: TileValue) -> Outcome<TileValue> {
    let Some(nudge) = frame.machine.nudge else {
        return Ok(tile);
    };
    // Not all tiles are of floats: comparisons are not.
    let Some(ty) = tile.element.scalar().and_then(Format::of) else {
        return Ok(tile);
    };
    let units = error_of(op, ty).max(if is_rounded(op) { frame.slack / 2.0 } else { 0.0 });
    if units == 0.0 {
        return Ok(tile);
    }
    Ok(tile.map(tile.element, |bits| nudge.by_units(ty, bits, units)))
}

/// Whether a result is rounded.
fn is_rounded(op: &FloatOp) -> bool {
    matches!(
        op,
        FloatOp::AddF { .. }
            | FloatOp::SubF { .. }
            | FloatOp::MulF { .. }
            | FloatOp::DivF { .. }
            | FloatOp::Fma { .. }
    )
}

/// The error that an implementation may have, in units in the last place; see [`math`]. The narrow formats are computed
/// in `f32`, and may be rounded to the other side.
fn error_of(op: &FloatOp, format: Format) -> f64 {
    let (single, double) = match op {
        FloatOp::Exp { .. } | FloatOp::Exp2 { .. } | FloatOp::Tanh { .. } | FloatOp::Rsqrt { .. } => {
            (2.0, 1.0)
        }
        FloatOp::Cosh { .. } => (2.0, 1.0),
        FloatOp::Log { .. } | FloatOp::Log2 { .. } => (1.0, 1.0),
        FloatOp::Sin { .. } | FloatOp::Cos { .. } => (2.0, 2.0),
        FloatOp::Tan { .. } => (4.0, 2.0),
        FloatOp::Sinh { .. } | FloatOp::Atan2 { .. } => (3.0, 2.0),
        FloatOp::PowF { .. } | FloatOp::PowI { .. } => (8.0, 2.0),
        FloatOp::DivF { rounding_mode, .. } | FloatOp::Sqrt { rounding_mode, .. } => match rounding_mode {
            RoundingMode::Approx | RoundingMode::Full => (2.0, 0.0),
            _ => (0.0, 0.0),
        },
        FloatOp::AbsF { .. }
        | FloatOp::NegF { .. }
        | FloatOp::AddF { .. }
        | FloatOp::SubF { .. }
        | FloatOp::MulF { .. }
        | FloatOp::RemF { .. }
        | FloatOp::Fma { .. }
        | FloatOp::MaxF { .. }
        | FloatOp::MinF { .. }
        | FloatOp::Ceil { .. }
        | FloatOp::Floor { .. }
        | FloatOp::CmpF { .. } => (0.0, 0.0),
    };
    match format {
        _ if single == 0.0 => 0.0,
        Format::F64 => double,
        Format::F32 | Format::TF32 => single,
        _ => 1.0,
    }
}

fn unary(frame: &Frame<'_>, source: Value, f: impl Fn(Format, u64) -> u64) -> Outcome<TileValue> {
    let source = frame.tile(source)?;
    let ty = format(&source)?;
    Ok(source.map(source.element, |a| f(ty, a)))
}

fn binary(
    frame: &Frame<'_>,
    lhs: Value,
    rhs: Value,
    f: impl Fn(Format, u64, u64) -> u64,
) -> Outcome<TileValue> {
    let (lhs, rhs) = (frame.tile(lhs)?, frame.tile(rhs)?);
    let ty = format(&lhs)?;
    Ok(lhs.zip(&rhs, lhs.element, |a, b| f(ty, a, b)))
}

/// The format of a tile's elements.
pub(crate) fn format(tile: &TileValue) -> Outcome<Format> {
    format_of(tile.scalar_type()?)
}

/// The format of a float type.
pub(crate) fn format_of(ty: ScalarType) -> Outcome<Format> {
    Format::of(ty).ok_or_else(|| Fault::broken(format_args!("{ty} where floats belong")))
}
