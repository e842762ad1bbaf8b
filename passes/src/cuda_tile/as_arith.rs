//! Maps arithmetic of `cuda_tile` to `arith`.
//!
//! The ops have the same semantics element by element, except for a shift by the width or more, which is undefined in
//! `cuda_tile` and shifts out all bits in `arith`.

pub(crate) mod words;

use tilewright_irs::cuda_tile::{CastOp, FloatOp, IntOp, RoundingMode};
use tilewright_irs::dialects::arith::ArithOp;
use tilewright_irs::dialects::fast_math::FastMathOf;

/// The reason why an op has no equivalent in `arith`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unlike {
    /// There is no such op.
    Op,
    /// The op has no such rounding mode.
    Rounding(RoundingMode),
}

/// A float op, on the same operands.
pub(crate) fn float(op: &FloatOp) -> Result<ArithOp, Unlike> {
    Ok(match *op {
        FloatOp::AddF {
            lhs,
            rhs,
            rounding_mode,
            flush_to_zero,
        } => ArithOp::AddF {
            lhs,
            rhs,
            rounding: words::rounding(rounding_mode)?,
            flush_to_zero,
            fast_math: FastMathOf::NONE,
        },
        FloatOp::SubF {
            lhs,
            rhs,
            rounding_mode,
            flush_to_zero,
        } => ArithOp::SubF {
            lhs,
            rhs,
            rounding: words::rounding(rounding_mode)?,
            flush_to_zero,
            fast_math: FastMathOf::NONE,
        },
        FloatOp::MulF {
            lhs,
            rhs,
            rounding_mode,
            flush_to_zero,
        } => ArithOp::MulF {
            lhs,
            rhs,
            rounding: words::rounding(rounding_mode)?,
            flush_to_zero,
            fast_math: FastMathOf::NONE,
        },
        FloatOp::DivF {
            lhs,
            rhs,
            rounding_mode,
            flush_to_zero,
        } => ArithOp::DivF {
            lhs,
            rhs,
            precision: words::precision(rounding_mode)?,
            flush_to_zero,
            fast_math: FastMathOf::NONE,
        },
        FloatOp::Fma {
            lhs,
            rhs,
            acc,
            rounding_mode,
            flush_to_zero,
        } => ArithOp::Fma {
            lhs,
            rhs,
            acc,
            rounding: words::rounding(rounding_mode)?,
            flush_to_zero,
            fast_math: FastMathOf::NONE,
        },
        FloatOp::RemF { lhs, rhs } => ArithOp::RemF {
            lhs,
            rhs,
            fast_math: FastMathOf::NONE,
        },
        FloatOp::MaxF {
            lhs,
            rhs,
            propagate_nan,
            flush_to_zero,
        } => ArithOp::MaxF {
            lhs,
            rhs,
            propagate_nan,
            flush_to_zero,
            fast_math: FastMathOf::NONE,
        },
        FloatOp::MinF {
            lhs,
            rhs,
            propagate_nan,
            flush_to_zero,
        } => ArithOp::MinF {
            lhs,
            rhs,
            propagate_nan,
            flush_to_zero,
            fast_math: FastMathOf::NONE,
        },
        FloatOp::AbsF { source } => ArithOp::AbsF {
            source,
            fast_math: FastMathOf::NONE,
        },
        FloatOp::NegF { source } => ArithOp::NegF {
            source,
            fast_math: FastMathOf::NONE,
        },
        FloatOp::Ceil { source } => ArithOp::CeilF {
            source,
            fast_math: FastMathOf::NONE,
        },
        FloatOp::Floor { source } => ArithOp::FloorF {
            source,
            fast_math: FastMathOf::NONE,
        },
        FloatOp::Sqrt {
            source,
            rounding_mode,
            flush_to_zero,
        } => ArithOp::SqrtF {
            source,
            precision: words::precision(rounding_mode)?,
            flush_to_zero,
            fast_math: FastMathOf::NONE,
        },
        FloatOp::Rsqrt {
            source,
            flush_to_zero,
        } => ArithOp::RsqrtF {
            source,
            flush_to_zero,
            fast_math: FastMathOf::NONE,
        },
        FloatOp::CmpF {
            lhs,
            rhs,
            predicate,
            ordering,
        } => ArithOp::CmpF {
            lhs,
            rhs,
            predicate: words::predicate(predicate),
            ordering: words::ordering(ordering),
            fast_math: FastMathOf::NONE,
        },
        _ => return Err(Unlike::Op),
    })
}

/// An integer op, on the same operands.
pub(crate) fn int(op: &IntOp) -> Result<ArithOp, Unlike> {
    Ok(match *op {
        IntOp::AddI { lhs, rhs, overflow } => ArithOp::AddI {
            lhs,
            rhs,
            overflow: words::overflow(overflow),
        },
        IntOp::SubI { lhs, rhs, overflow } => ArithOp::SubI {
            lhs,
            rhs,
            overflow: words::overflow(overflow),
        },
        IntOp::MulI { lhs, rhs, overflow } => ArithOp::MulI {
            lhs,
            rhs,
            overflow: words::overflow(overflow),
        },
        IntOp::MulHiI { x, y } => ArithOp::MulHiU { lhs: x, rhs: y },
        IntOp::DivI {
            lhs,
            rhs,
            signedness,
            rounding,
        } => ArithOp::DivI {
            lhs,
            rhs,
            signedness: words::signedness(signedness),
            rounding: words::quotient(rounding)?,
        },
        IntOp::RemI { lhs, rhs, signedness } => ArithOp::RemI {
            lhs,
            rhs,
            signedness: words::signedness(signedness),
        },
        IntOp::NegI { source, overflow } => ArithOp::NegI {
            source,
            overflow: words::overflow(overflow),
        },
        IntOp::AbsI { source } => ArithOp::AbsI { source },
        IntOp::MaxI { lhs, rhs, signedness } => ArithOp::MaxI {
            lhs,
            rhs,
            signedness: words::signedness(signedness),
        },
        IntOp::MinI { lhs, rhs, signedness } => ArithOp::MinI {
            lhs,
            rhs,
            signedness: words::signedness(signedness),
        },
        IntOp::AndI { lhs, rhs } => ArithOp::AndI { lhs, rhs },
        IntOp::OrI { lhs, rhs } => ArithOp::OrI { lhs, rhs },
        IntOp::XorI { lhs, rhs } => ArithOp::XorI { lhs, rhs },
        IntOp::ShlI { lhs, rhs, overflow } => ArithOp::ShlI {
            lhs,
            rhs,
            overflow: words::overflow(overflow),
        },
        IntOp::ShrI { lhs, rhs, signedness } => ArithOp::ShrI {
            lhs,
            rhs,
            signedness: words::signedness(signedness),
        },
        IntOp::CmpI {
            lhs,
            rhs,
            predicate,
            signedness,
        } => ArithOp::CmpI {
            lhs,
            rhs,
            predicate: words::predicate(predicate),
            signedness: words::signedness(signedness),
        },
    })
}

/// A conversion, on the same operand.
pub(crate) fn cast(op: &CastOp) -> Result<ArithOp, Unlike> {
    Ok(match *op {
        CastOp::Bitcast { source } => ArithOp::Bitcast { source },
        CastOp::ExtI { from, signedness } => ArithOp::ExtI {
            source: from,
            signedness: words::signedness(signedness),
        },
        // No op of `arith` has a promise about truncated bits.
        CastOp::TruncI { from, .. } => ArithOp::TruncI { source: from },
        CastOp::FToF { from, rounding_mode } => ArithOp::FToF {
            source: from,
            rounding: words::rounding(rounding_mode)?,
        },
        // The only rounding that the language allows here is toward zero.
        CastOp::FToI {
            from,
            signedness,
            saturating,
            ..
        } => ArithOp::FToI {
            source: from,
            signedness: words::signedness(signedness),
            saturating,
        },
        CastOp::IToF {
            from,
            signedness,
            rounding_mode,
        } => ArithOp::IToF {
            source: from,
            signedness: words::signedness(signedness),
            rounding: words::rounding(rounding_mode)?,
        },
        CastOp::IntToPtr { source } => ArithOp::IntToPtr { source },
        CastOp::PtrToInt { source } => ArithOp::PtrToInt { source },
        CastOp::PtrToPtr { source } => ArithOp::PtrToPtr { source },
        CastOp::Pack { .. } | CastOp::Unpack { .. } => return Err(Unlike::Op),
    })
}
