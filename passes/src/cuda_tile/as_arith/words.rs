//! Maps enumerations of `cuda_tile` arithmetic to those of `arith`.

use tilewright_irs::cuda_tile::{
    ComparisonOrdering, ComparisonPredicate, IntegerOverflow, RoundingMode, Signedness,
};
use tilewright_irs::dialects::arith::{
    self, FloatRounding, Overflow, Precision, Predicate, QuotientRounding,
};

use super::Unlike;

pub(crate) fn signedness(signedness: Signedness) -> arith::Signedness {
    match signedness {
        Signedness::Unsigned => arith::Signedness::Unsigned,
        Signedness::Signed => arith::Signedness::Signed,
    }
}

pub(crate) fn overflow(overflow: IntegerOverflow) -> Overflow {
    match overflow {
        IntegerOverflow::None => Overflow::Wraps,
        IntegerOverflow::NoSignedWrap => Overflow::NoSigned,
        IntegerOverflow::NoUnsignedWrap => Overflow::NoUnsigned,
        IntegerOverflow::NoWrap => Overflow::None,
    }
}

pub(crate) fn quotient(mode: RoundingMode) -> Result<QuotientRounding, Unlike> {
    match mode {
        RoundingMode::Zero => Ok(QuotientRounding::Zero),
        RoundingMode::NegativeInf => Ok(QuotientRounding::Down),
        RoundingMode::PositiveInf => Ok(QuotientRounding::Up),
        RoundingMode::NearestEven
        | RoundingMode::Approx
        | RoundingMode::Full
        | RoundingMode::NearestIntToZero
        | RoundingMode::NearestAway => Err(Unlike::Rounding(mode)),
    }
}

pub(crate) fn rounding(mode: RoundingMode) -> Result<FloatRounding, Unlike> {
    match mode {
        RoundingMode::NearestEven => Ok(FloatRounding::NearestEven),
        RoundingMode::NearestAway => Ok(FloatRounding::NearestAway),
        RoundingMode::Zero => Ok(FloatRounding::Zero),
        RoundingMode::NegativeInf => Ok(FloatRounding::Down),
        RoundingMode::PositiveInf => Ok(FloatRounding::Up),
        RoundingMode::Approx | RoundingMode::Full | RoundingMode::NearestIntToZero => {
            Err(Unlike::Rounding(mode))
        }
    }
}

pub(crate) fn precision(mode: RoundingMode) -> Result<Precision, Unlike> {
    match mode {
        RoundingMode::NearestEven => Ok(Precision::NearestEven),
        RoundingMode::Zero => Ok(Precision::Zero),
        RoundingMode::NegativeInf => Ok(Precision::Down),
        RoundingMode::PositiveInf => Ok(Precision::Up),
        RoundingMode::Approx => Ok(Precision::Approx),
        RoundingMode::Full => Ok(Precision::Full),
        RoundingMode::NearestIntToZero | RoundingMode::NearestAway => Err(Unlike::Rounding(mode)),
    }
}

pub(crate) fn predicate(predicate: ComparisonPredicate) -> Predicate {
    match predicate {
        ComparisonPredicate::Equal => Predicate::Equal,
        ComparisonPredicate::NotEqual => Predicate::NotEqual,
        ComparisonPredicate::LessThan => Predicate::Less,
        ComparisonPredicate::LessThanOrEqual => Predicate::LessEqual,
        ComparisonPredicate::GreaterThan => Predicate::Greater,
        ComparisonPredicate::GreaterThanOrEqual => Predicate::GreaterEqual,
    }
}

pub(crate) fn ordering(ordering: ComparisonOrdering) -> arith::Ordering {
    match ordering {
        ComparisonOrdering::Unordered => arith::Ordering::Unordered,
        ComparisonOrdering::Ordered => arith::Ordering::Ordered,
    }
}
