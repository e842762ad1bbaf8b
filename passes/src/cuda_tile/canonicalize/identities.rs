//! Algebraic identities, and combinations of two constants in sums and differences.

use tilewright_irs::core::{Flag, Operation, Value};
use tilewright_irs::cuda_tile::{
    FloatOp, IntOp, IntegerOverflow, RoundingMode, Signedness, TileOp, TileType,
};
use tilewright_irs::folding::{self, Identity, wrapped};
use tilewright_irs::literal::{Dense, Literal};

use super::conversions::widened;
use super::look::{Look, Simpler};
use crate::cuda_tile::as_arith;
use crate::cuda_tile::behaviour::number;

/// Applies one rule, if any matches.
pub(super) fn step(look: &Look<'_, '_>, op: &TileOp, ty: &TileType) -> Option<Simpler> {
    match op {
        TileOp::Int(op) => integer(look, op, ty),
        TileOp::Float(op) => float(look, op)
            .map(Simpler::Value)
            .or_else(|| magnitude(look, op))
            .or_else(|| square(look, op)),
        _ => None,
    }
}

fn integer(look: &Look<'_, '_>, op: &IntOp, ty: &TileType) -> Option<Simpler> {
    let scalar = ty.as_tile()?.element.scalar()?;
    let (arith, operands) = (as_arith::int(op).ok()?, op.operand_list());
    if let [source] = *operands.as_slice() {
        return match (op, look.op(source)?) {
            (IntOp::NegI { .. }, TileOp::Int(IntOp::NegI { source, .. })) => Some(Simpler::Value(*source)),
            _ => None,
        };
    }
    let [lhs, rhs] = *operands.as_slice() else {
        return None;
    };
    let right = look.splat(rhs);
    let equal = (lhs == rhs).then(|| folding::of_equals(&arith, scalar)).flatten();
    match equal.or_else(|| folding::with_right(&arith, right?)) {
        Some(Identity::Left) => Some(Simpler::Value(lhs)),
        Some(Identity::Constant(literal)) => Some(Simpler::Constant(Dense::Splat(literal))),
        None => match *op {
            IntOp::AddI { overflow, .. } => sum(look, lhs, right?, overflow, ty),
            IntOp::XorI { .. } => difference(look, lhs, right?, ty),
            _ => None,
        },
    }
}

/// `(x + c) + d` to `x + (c + d)`, without promises about overflow.
fn sum(
    look: &Look<'_, '_>,
    lhs: Value,
    right: Literal,
    overflow: IntegerOverflow,
    ty: &TileType,
) -> Option<Simpler> {
    let Some(TileOp::Int(IntOp::AddI {
        lhs: inner,
        rhs,
        overflow: IntegerOverflow::None,
    })) = look.op(lhs)
    else {
        return None;
    };
    let left = look.splat(*rhs)?;
    if overflow != IntegerOverflow::None {
        return None;
    }
    let total = number(left, Signedness::Signed) + number(right, Signedness::Signed);
    let (lhs, overflow) = (*inner, IntegerOverflow::None);
    let build = move |rhs| IntOp::AddI { lhs, rhs, overflow }.into();
    Some(Simpler::OpOn(
        Dense::Splat(wrapped(right.ty, total)),
        ty.clone(),
        Box::new(build),
    ))
}

/// `(x ^ c) ^ d` to `x ^ (c ^ d)`.
fn difference(look: &Look<'_, '_>, lhs: Value, right: Literal, ty: &TileType) -> Option<Simpler> {
    let Some(TileOp::Int(IntOp::XorI { lhs: inner, rhs })) = look.op(lhs) else {
        return None;
    };
    let both = Literal::new(right.ty, look.splat(*rhs)?.bits ^ right.bits);
    let lhs = *inner;
    let build = move |rhs| IntOp::XorI { lhs, rhs }.into();
    Some(Simpler::OpOn(Dense::Splat(both), ty.clone(), Box::new(build)))
}

/// The operand that a float op returns unchanged.
fn float(look: &Look<'_, '_>, op: &FloatOp) -> Option<Value> {
    // The other operand, if all its elements have these bits.
    let is = |value: Value, wanted: f64| {
        let literal = look.splat(value)?;
        let bits = rustc_apfloat::Float::to_bits(widened(literal)?);
        (bits == u128::from(wanted.to_bits())).then_some(())
    };
    match *op {
        FloatOp::MulF {
            lhs,
            rhs,
            flush_to_zero,
            ..
        }
        | FloatOp::DivF {
            lhs,
            rhs,
            flush_to_zero,
            ..
        } => {
            is(rhs, 1.0)?;
            (!flush_to_zero.0 && is_exact(op)).then_some(lhs)
        }
        // When rounding down, the sum of zeros of both signs is negative.
        FloatOp::AddF {
            lhs,
            rhs,
            rounding_mode,
            flush_to_zero,
        } => {
            is(rhs, -0.0)?;
            (!flush_to_zero.0 && rounding_mode != RoundingMode::NegativeInf).then_some(lhs)
        }
        FloatOp::SubF {
            lhs,
            rhs,
            rounding_mode,
            flush_to_zero,
        } => {
            is(rhs, 0.0)?;
            (!flush_to_zero.0 && rounding_mode != RoundingMode::NegativeInf).then_some(lhs)
        }
        FloatOp::NegF { source } => match look.op(source)? {
            TileOp::Float(FloatOp::NegF { source }) => Some(*source),
            _ => None,
        },
        FloatOp::AbsF { source } => match look.op(source)? {
            TileOp::Float(FloatOp::AbsF { .. }) => Some(source),
            _ => None,
        },
        _ => None,
    }
}

/// The magnitude of a negation is that of its operand.
fn magnitude(look: &Look<'_, '_>, op: &FloatOp) -> Option<Simpler> {
    match op {
        FloatOp::AbsF { source } => match look.op(*source)? {
            TileOp::Float(FloatOp::NegF { source }) => {
                Some(Simpler::Op(FloatOp::AbsF { source: *source }.into()))
            }
            _ => None,
        },
        _ => None,
    }
}

/// A power with the exponent 2 is a product, which is rounded once.
fn square(look: &Look<'_, '_>, op: &FloatOp) -> Option<Simpler> {
    let base = match *op {
        FloatOp::PowF { source, exponent } => {
            let two = rustc_apfloat::Float::to_bits(widened(look.splat(exponent)?)?);
            (two == u128::from(2f64.to_bits())).then_some(source)?
        }
        FloatOp::PowI { source, exponent } => (look.splat(exponent)?.signed() == 2).then_some(source)?,
        _ => return None,
    };
    let product = FloatOp::MulF {
        lhs: base,
        rhs: base,
        rounding_mode: RoundingMode::NearestEven,
        flush_to_zero: Flag(false),
    };
    Some(Simpler::Op(product.into()))
}

/// Whether a quotient is not an approximation.
fn is_exact(op: &FloatOp) -> bool {
    match op {
        FloatOp::DivF { rounding_mode, .. } => super::floats::rounding(*rounding_mode).is_some(),
        _ => true,
    }
}
