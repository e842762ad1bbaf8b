//! Operations by name, for recorded results and `tests/tools/diff_numbers.py`.

use tilewright_evaluator::number::{Format, Overflow, Undefined, convert, float, int, math};
use tilewright_irs::cuda_tile::{ComparisonOrdering, ComparisonPredicate, RoundingMode, Signedness};
use tilewright_irs::element::ScalarType;

use ComparisonOrdering::{Ordered, Unordered};
use ComparisonPredicate::{Equal, LessThan, LessThanOrEqual};
use Signedness::{Signed, Unsigned};

/// What is computed: an operation's name, the type of its operands, that of its result, and how it is rounded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operation<'a> {
    pub(crate) name: &'a str,
    pub(crate) from: ScalarType,
    pub(crate) to: ScalarType,
    pub(crate) mode: RoundingMode,
}

impl<'a> Operation<'a> {
    /// The operation of four words.
    pub(crate) fn read([name, from, to, mode]: [&'a str; 4]) -> Option<Self> {
        Some(Self {
            name,
            from: ScalarType::from_word(from)?,
            to: ScalarType::from_word(to)?,
            mode: RoundingMode::from_word(mode)?,
        })
    }

    /// What it gives; `None` where there is no such operation, type or value.
    pub(crate) fn apply(&self, operands: &[u64]) -> Option<u64> {
        match Format::of(self.from) {
            Some(format) => self.floats(format, operands),
            None => self.integers(operands),
        }
    }

    fn floats(&self, format: Format, operands: &[u64]) -> Option<u64> {
        let Self { to, mode, .. } = *self;
        let format_to = || Format::of(to);
        Some(match (self.name, operands) {
            ("add", &[a, b]) => float::add(format, mode, false, a, b),
            ("sub", &[a, b]) => float::sub(format, mode, false, a, b),
            ("mul", &[a, b]) => float::mul(format, mode, false, a, b),
            ("div", &[a, b]) => float::div(format, mode, false, a, b),
            ("rem", &[a, b]) => float::rem(format, a, b),
            ("fma", &[a, b, c]) => float::fma(format, mode, false, a, b, c),
            ("multiply_accumulate", &[a, b, c]) => float::multiply_accumulate(format, format_to()?, a, b, c),
            ("max", &[a, b]) => float::max(format, false, false, a, b),
            ("min", &[a, b]) => float::min(format, false, false, a, b),
            ("equal", &[a, b]) => float::compare(format, Equal, Ordered, a, b).into(),
            ("less", &[a, b]) => float::compare(format, LessThan, Unordered, a, b).into(),
            ("less_or_equal", &[a, b]) => float::compare(format, LessThanOrEqual, Ordered, a, b).into(),
            ("sqrt", &[a]) => float::sqrt(format, mode, false, a),
            ("rsqrt", &[a]) => float::rsqrt(format, false, a),
            ("ceil", &[a]) => float::ceil(format, a),
            ("floor", &[a]) => float::floor(format, a),
            ("exp", &[a]) => math::exp(format, a),
            ("exp2", &[a]) => math::exp2(format, false, a),
            ("log", &[a]) => math::log(format, a),
            ("log2", &[a]) => math::log2(format, a),
            ("sin", &[a]) => math::sin(format, a),
            ("cos", &[a]) => math::cos(format, a),
            ("tan", &[a]) => math::tan(format, a),
            ("sinh", &[a]) => math::sinh(format, a),
            ("cosh", &[a]) => math::cosh(format, a),
            ("tanh", &[a]) => math::tanh(format, a),
            ("atan2", &[a, b]) => math::atan2(format, a, b),
            ("pow", &[a, b]) => math::pow(format, a, b),
            ("powi", &[a, n]) => math::powi(format, a, ScalarType::I32, n),
            ("ftof", &[a]) => convert::float_to_float(format, format_to()?, mode, Overflow::Ieee, a),
            ("ftof_saturating", &[a]) => {
                convert::float_to_float(format, format_to()?, mode, Overflow::Saturate, a)
            }
            ("ftoi_signed", &[a]) => convert::float_to_int(format, to, Signed, true, a).ok()?,
            ("ftoi_unsigned", &[a]) => convert::float_to_int(format, to, Unsigned, true, a).ok()?,
            _ => return None,
        })
    }

    fn integers(&self, operands: &[u64]) -> Option<u64> {
        let Self { from, to, mode, .. } = *self;
        let defined = |result: Result<u64, Undefined>| result.ok();
        Some(match (self.name, operands) {
            ("add", &[a, b]) => int::add(from, a, b).bits,
            ("sub", &[a, b]) => int::sub(from, a, b).bits,
            ("mul", &[a, b]) => int::mul(from, a, b).bits,
            ("mul_high", &[a, b]) => int::mul_high(from, a, b),
            ("div_signed", &[a, b]) => defined(int::div(from, Signed, mode, a, b))?,
            ("div_unsigned", &[a, b]) => defined(int::div(from, Unsigned, mode, a, b))?,
            ("rem_signed", &[a, b]) => defined(int::rem(from, Signed, a, b))?,
            ("rem_unsigned", &[a, b]) => defined(int::rem(from, Unsigned, a, b))?,
            ("max_signed", &[a, b]) => int::max(from, Signed, a, b),
            ("min_unsigned", &[a, b]) => int::min(from, Unsigned, a, b),
            ("less_signed", &[a, b]) => int::compare(from, Signed, LessThan, a, b).into(),
            ("less_unsigned", &[a, b]) => int::compare(from, Unsigned, LessThan, a, b).into(),
            ("shl", &[a, b]) => int::shl(from, a, b).ok()?.bits,
            ("shr_signed", &[a, b]) => defined(int::shr(from, Signed, a, b))?,
            ("shr_unsigned", &[a, b]) => defined(int::shr(from, Unsigned, a, b))?,
            ("itof_signed", &[a]) => convert::int_to_float(from, Signed, Format::of(to)?, mode, a),
            ("itof_unsigned", &[a]) => convert::int_to_float(from, Unsigned, Format::of(to)?, mode, a),
            _ => return None,
        })
    }
}
