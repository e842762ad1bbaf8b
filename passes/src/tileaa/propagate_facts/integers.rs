//! Facts of arithmetic results: divisors, runs and equal elements. Bounds are in [`super::bounds`].

use tilewright_irs::core::{Operation, Value};
use tilewright_irs::dialects::arith::{ArithOp, Predicate, QuotientRounding, Signedness};
use tilewright_irs::element::ElementType;
use tilewright_irs::literal::{Dense, Literal};
use tilewright_irs::tileaa::MAX_DIVISOR;

use super::bounds;
use super::lattice::{Axis, Kind, Known, low_bit};

/// The facts of the result of an arithmetic op.
pub(super) fn arith(op: &ArithOp, kind: &Kind, operand: &dyn Fn(Value) -> (Kind, Known)) -> Known {
    let known = |v: &Value| operand(*v).1;
    // For any op, equal operands give equal results.
    let plain = || {
        let mut same = vec![u64::MAX; kind.extents.len()];
        op.operands(&mut |v| {
            let (from, known) = operand(v);
            // A scalar condition applies to all elements.
            if from.extents.len() == same.len() && from.extents == kind.extents {
                for (same, axis) in same.iter_mut().zip(&known.axes) {
                    *same = axis.same.min(*same);
                }
            }
        });
        Known::with_same(kind, same)
    };
    let one_bit = kind.range() == (0, 1);
    match op {
        ArithOp::Constant { value } => constant(value, kind),
        // On single bits these are logic, not numbers; only equality is tracked.
        ArithOp::AddI { .. }
        | ArithOp::SubI { .. }
        | ArithOp::MulI { .. }
        | ArithOp::MulHiU { .. }
        | ArithOp::DivI { .. }
        | ArithOp::RemI { .. }
        | ArithOp::MinI { .. }
        | ArithOp::MaxI { .. }
        | ArithOp::NegI { .. }
        | ArithOp::AbsI { .. }
        | ArithOp::ShlI { .. }
        | ArithOp::ShrI { .. }
            if one_bit =>
        {
            plain()
        }
        ArithOp::AddI { lhs, rhs, overflow } => {
            let (a, b) = (known(lhs), known(rhs));
            let sum = zip(&a, &b, |a, b| {
                let contig = a.contig.min(b.same).max(a.same.min(b.contig));
                Axis {
                    div: a.start_div(contig, 1).min(b.start_div(contig, 1)),
                    contig,
                    same: a.same.min(b.same),
                }
            });
            bounded(sum, bounds::add(&a, &b, *overflow, kind))
        }
        ArithOp::SubI { lhs, rhs, overflow } => {
            let (a, b) = (known(lhs), known(rhs));
            let difference = zip(&a, &b, |a, b| {
                let contig = a.contig.min(b.same);
                Axis {
                    div: a.start_div(contig, 1).min(b.start_div(contig, 1)),
                    contig,
                    // Two contiguous runs with the same step keep their distance.
                    same: a.same.min(b.same).max(a.contig.min(b.contig)),
                }
            });
            bounded(difference, bounds::sub(&a, &b, *overflow, kind))
        }
        ArithOp::MulI { lhs, rhs, overflow } => {
            let (a, b) = (known(lhs), known(rhs));
            let product = match (a.constant(), b.constant()) {
                (Some(1), _) => b.axes.clone(),
                (_, Some(1)) => a.axes.clone(),
                _ => {
                    let div = a.every_div(1).saturating_mul(b.every_div(1)).min(MAX_DIVISOR);
                    zip(&a, &b, |a, b| Axis {
                        div,
                        contig: 1,
                        same: a.same.min(b.same),
                    })
                }
            };
            bounded(product, bounds::mul(&a, &b, *overflow, kind))
        }
        ArithOp::MulHiU { lhs, rhs } => {
            let (a, b) = (known(lhs), known(rhs));
            let limits = bounds::mul_high(&a, &b, kind);
            bounded(plain().axes, limits)
        }
        ArithOp::DivI {
            lhs,
            rhs,
            signedness,
            rounding,
        } => {
            let (a, b) = (known(lhs), known(rhs));
            let floors =
                *signedness == Signedness::Unsigned || a.low >= 0 || *rounding == QuotientRounding::Down;
            let exact = |shift: u32| a.every_div(1) >> shift >= 1;
            let axes = match power_of_two(&b, kind, *signedness) {
                Some(shift) if exact(shift) || (floors && *rounding != QuotientRounding::Up) => {
                    shifted_right(&a, shift)
                }
                _ => plain().axes,
            };
            bounded(axes, bounds::div(&a, &b, *signedness, *rounding, kind))
        }
        ArithOp::RemI { lhs, rhs, signedness } => {
            let (a, b) = (known(lhs), known(rhs));
            let natural = *signedness == Signedness::Unsigned || a.low >= 0;
            let axes = match power_of_two(&b, kind, *signedness) {
                Some(shift) if natural => low_bits(&a, shift),
                _ => {
                    let div = a.every_div(1).min(b.every_div(1));
                    zip(&a, &b, |a, b| Axis {
                        div,
                        contig: 1,
                        same: a.same.min(b.same),
                    })
                }
            };
            bounded(axes, bounds::rem(&a, &b, *signedness, kind))
        }
        ArithOp::MinI { lhs, rhs, signedness } | ArithOp::MaxI { lhs, rhs, signedness } => {
            let (a, b) = (known(lhs), known(rhs));
            let div = a.every_div(1).min(b.every_div(1));
            let axes = zip(&a, &b, |a, b| Axis {
                div,
                contig: 1,
                same: a.same.min(b.same),
            });
            let larger = matches!(op, ArithOp::MaxI { .. });
            bounded(axes, bounds::extreme(&a, &b, larger, *signedness))
        }
        ArithOp::NegI { source, .. } | ArithOp::AbsI { source } => {
            let a = known(source);
            let div = a.every_div(1);
            let axes = a.axes.iter().map(|a| Axis {
                div,
                contig: 1,
                same: a.same,
            });
            let range = match op {
                ArithOp::NegI { overflow, .. } => bounds::negate(&a, *overflow, kind),
                _ => bounds::magnitude(&a, kind),
            };
            bounded(axes.collect(), range)
        }
        ArithOp::AndI { lhs, rhs } => {
            let (a, b) = (known(lhs), known(rhs));
            let mask = |known: &Known| known.constant().filter(|_| !one_bit);
            let axes = match (mask(&a), mask(&b)) {
                (_, Some(mask)) => masked(&a, mask, &plain().axes),
                (Some(mask), _) => masked(&b, mask, &plain().axes),
                (None, None) => {
                    let div = a.every_div(1).max(b.every_div(1));
                    zip(&a, &b, |a, b| Axis {
                        div,
                        contig: 1,
                        same: a.same.min(b.same),
                    })
                }
            };
            bounded(axes, bounds::and(&a, &b))
        }
        ArithOp::OrI { lhs, rhs } | ArithOp::XorI { lhs, rhs } => {
            let (a, b) = (known(lhs), known(rhs));
            let div = a.every_div(1).min(b.every_div(1));
            let axes = zip(&a, &b, |a, b| Axis {
                div,
                contig: 1,
                same: a.same.min(b.same),
            });
            bounded(axes, bounds::or(&a, &b, kind))
        }
        ArithOp::ShlI { lhs, rhs, overflow } => {
            let (a, b) = (known(lhs), known(rhs));
            let amount = shift_amount(&b);
            let axes = match amount {
                Some(0) => a.axes.clone(),
                _ => {
                    let least = amount
                        .unwrap_or_else(|| u32::try_from(b.low).unwrap_or(0))
                        .min(62);
                    let div = a.every_div(1).saturating_mul(1 << least).min(MAX_DIVISOR);
                    zip(&a, &b, |a, b| Axis {
                        div,
                        contig: 1,
                        same: a.same.min(b.same),
                    })
                }
            };
            bounded(axes, bounds::shl(&a, amount, *overflow, kind))
        }
        ArithOp::ShrI { lhs, rhs, signedness } => {
            let (a, b) = (known(lhs), known(rhs));
            let amount = shift_amount(&b);
            let axes = match amount {
                Some(shift) if u64::from(shift) < u64::from(kind.element.bits()) => shifted_right(&a, shift),
                _ => plain().axes,
            };
            bounded(axes, bounds::shr(&a, amount, *signedness, kind))
        }
        ArithOp::CmpI {
            lhs,
            rhs,
            predicate,
            signedness,
        } => {
            let (from, a) = operand(*lhs);
            let b = known(rhs);
            compare(&from, &a, &b, *predicate, *signedness)
        }
        ArithOp::Select { condition, yes, no } => {
            let (condition_kind, condition) = operand(*condition);
            let (a, b) = (known(yes), known(no));
            let unit = kind.unit();
            match condition.constant() {
                Some(0) => b,
                Some(_) => a,
                None => {
                    let mut chosen = a.either(&b, unit);
                    if condition_kind.extents == kind.extents {
                        for (axis, (condition, (a, b))) in chosen
                            .axes
                            .iter_mut()
                            .zip(condition.axes.iter().zip(a.axes.iter().zip(&b.axes)))
                        {
                            let contig = axis.contig.min(condition.same);
                            *axis = Axis {
                                div: a.start_div(contig, unit).min(b.start_div(contig, unit)),
                                contig,
                                same: axis.same.min(condition.same),
                            };
                        }
                    }
                    chosen
                }
            }
        }
        ArithOp::ExtI { source, signedness } => {
            let (from, a) = operand(*source);
            match (from.range(), signedness) {
                ((0, 1), Signedness::Signed) => bounded(plain().axes, Some((-a.high, -a.low))),
                ((0, 1), Signedness::Unsigned) => bounded(plain().axes, Some((a.low, a.high))),
                (_, Signedness::Signed) => sign_extended(&from, &a),
                (_, Signedness::Unsigned) => zero_extended(&from, &a),
            }
        }
        ArithOp::TruncI { source } => {
            let a = known(source);
            let (low, high) = kind.range();
            let fits = a.low >= low && a.high <= high;
            let limits = fits.then_some((a.low, a.high));
            // A multi-bit number becomes a bit.
            let axes = if one_bit { plain().axes } else { a.axes };
            bounded(axes, limits)
        }
        ArithOp::Bitcast { source } => {
            let (from, a) = operand(*source);
            if from.element == kind.element { a } else { plain() }
        }
        ArithOp::PtrToInt { source } | ArithOp::IntToPtr { source } | ArithOp::PtrToPtr { source } => {
            let (from, a) = operand(*source);
            if from.unit() == kind.unit() {
                return bounded(a.axes, None);
            }
            let div = a.every_div(from.unit());
            let axes = a.axes.iter().map(|a| Axis {
                div,
                contig: 1,
                same: a.same,
            });
            bounded(axes.collect(), None)
        }
        // Floats, for which no values are tracked.
        _ if op.spec().properties.elementwise => plain(),
        _ => Known::nothing(kind),
    }
}

fn zip(a: &Known, b: &Known, combine: impl Fn(&Axis, &Axis) -> Axis) -> Vec<Axis> {
    a.axes.iter().zip(&b.axes).map(|(a, b)| combine(a, b)).collect()
}

/// Axes with bounds; unbounded if there are none (the caller's normal form clamps them to the type).
fn bounded(axes: Vec<Axis>, limits: Option<(i64, i64)>) -> Known {
    let (low, high) = limits.unwrap_or((i64::MIN, i64::MAX));
    Known { axes, low, high }
}

/// The exponent, if every element is the same power of two.
fn power_of_two(known: &Known, kind: &Kind, signedness: Signedness) -> Option<u32> {
    let value = known.constant()?;
    let value = match signedness {
        Signedness::Signed => u64::try_from(value).ok()?,
        Signedness::Unsigned => value.cast_unsigned() & kind.int()?.mask(),
    };
    value.is_power_of_two().then(|| value.trailing_zeros())
}

/// The shift amount in bits, if it is constant; amounts beyond any type's width are clamped.
fn shift_amount(amount: &Known) -> Option<u32> {
    let amount = amount.constant()?;
    Some(u32::try_from(amount).unwrap_or(u32::MAX))
}

/// Every element rounded down to a multiple of a power of two and divided by it.
fn shifted_right(a: &Known, shift: u32) -> Vec<Axis> {
    if shift == 0 {
        return a.axes.clone();
    }
    let step = if shift < 63 { 1u64 << shift } else { MAX_DIVISOR };
    let every = a.every_div(1);
    a.axes
        .iter()
        .map(|axis| {
            let run = axis.aligned_contig().min(step);
            let start = if run > 1 { axis.start_div(run, 1) } else { every };
            Axis {
                div: start.checked_shr(shift).unwrap_or(1).max(1),
                contig: 1,
                same: axis.same.max(run),
            }
        })
        .collect()
}

/// The low bits of every element.
fn low_bits(a: &Known, bits: u32) -> Vec<Axis> {
    let step = if bits < 63 { 1u64 << bits } else { MAX_DIVISOR };
    a.axes
        .iter()
        .map(|axis| {
            let contig = axis.aligned_contig().min(step);
            let start = axis.start_div(contig, 1);
            Axis {
                div: if start >= step { MAX_DIVISOR } else { start },
                contig,
                same: axis.same,
            }
        })
        .collect()
}

/// The bitwise and of every element with a constant.
fn masked(a: &Known, mask: i64, plain: &[Axis]) -> Vec<Axis> {
    let above = mask.wrapping_add(1);
    if mask > 0 && (above & mask) == 0 && above > 0 {
        return low_bits(a, mask.trailing_ones());
    }
    let cut = low_bit(mask);
    let high_bits = mask < 0 && mask != i64::MIN && mask.unsigned_abs().is_power_of_two();
    let every = a.every_div(1).max(cut);
    a.axes
        .iter()
        .zip(plain)
        .map(|(axis, plain)| {
            let run = if high_bits {
                axis.aligned_contig().min(cut)
            } else {
                1
            };
            Axis {
                div: every,
                contig: 1,
                same: plain.same.max(run),
            }
        })
        .collect()
}

/// Sign extension.
pub(super) fn sign_extended(from: &Kind, a: &Known) -> Known {
    let (low, high) = from.range();
    // A run that wraps contains both the maximum and the minimum.
    let wraps = a.low <= low && a.high >= high;
    Known {
        axes: unwrapped(a, wraps, high),
        low: a.low,
        high: a.high,
    }
}

fn zero_extended(from: &Kind, a: &Known) -> Known {
    // A run that wraps contains -1 and 0.
    let wraps = a.low < 0 && a.high >= 0;
    let (low, high) = from.range();
    let (low, high) = match (a.low >= 0, a.high < 0) {
        (true, _) => (a.low, a.high),
        // `high - low` is all ones; negative numbers go to the upper half.
        (false, true) => {
            let all = high.saturating_sub(low).saturating_add(1);
            (a.low.saturating_add(all), a.high.saturating_add(all))
        }
        (false, false) => (0, high.saturating_sub(low)),
    };
    Known {
        axes: unwrapped(a, wraps, from.range().1),
        low,
        high,
    }
}

/// Splits runs where a number might wrap: at multiples of their own length, none longer than half the range.
fn unwrapped(a: &Known, wraps: bool, high: i64) -> Vec<Axis> {
    if !wraps {
        return a.axes.clone();
    }
    let half = high.cast_unsigned().saturating_add(1);
    a.axes
        .iter()
        .map(|axis| axis.with_contig(axis.aligned_contig().min(half), 1))
        .collect()
}

/// If a contiguous run is compared with a bound that is a multiple of the run's length, the result is constant over
/// the run.
fn compare(from: &Kind, a: &Known, b: &Known, predicate: Predicate, signedness: Signedness) -> Known {
    // Whether the result changes between `bound - 1` and `bound`, with the contiguous run on the left and on the right.
    let (left, right) = match predicate {
        Predicate::Less | Predicate::GreaterEqual => (true, false),
        Predicate::LessEqual | Predicate::Greater => (false, true),
        Predicate::Equal | Predicate::NotEqual => (false, false),
    };
    let half = from.range().1.cast_unsigned().saturating_add(1);
    let numbers = from.range() != (0, 1);
    let aligned = |run: &Axis, bound: &Axis| {
        let run = run.aligned_contig().min(bound.same).min(half);
        run.min(bound.start_div(1, 1))
    };
    let axes = zip(a, b, |a, b| {
        let mut same = a.same.min(b.same);
        if numbers && left {
            same = same.max(aligned(a, b));
        }
        if numbers && right {
            same = same.max(aligned(b, a));
        }
        Axis {
            div: 1,
            contig: 1,
            same,
        }
    });
    bounded(axes, Some(bounds::compare(a, b, predicate, signedness, numbers)))
}

fn constant(value: &Dense, kind: &Kind) -> Known {
    match value {
        Dense::Splat(literal) => {
            let mut known = Known::with_same(kind, kind.extents.iter().copied());
            if kind.int().is_some() {
                (known.low, known.high) = (literal.signed(), literal.signed());
            }
            known
        }
        Dense::Elements(ty, bits) => {
            let mut known = Known::nothing(kind);
            let mask = ty.mask();
            let mut stride = 1usize;
            for (axis, &extent) in known.axes.iter_mut().zip(&kind.extents).rev() {
                let Ok(extent) = usize::try_from(extent) else {
                    return Known::nothing(kind);
                };
                *axis = Axis {
                    div: MAX_DIVISOR,
                    contig: extent as u64,
                    same: extent as u64,
                };
                let place = |i: usize| (i / stride) % extent.max(1);
                // A run must not extend over a break, so its length divides the position of the break.
                for (i, &element) in bits.iter().enumerate() {
                    let at = place(i);
                    let Some(&before) = i.checked_sub(stride).and_then(|j| bits.get(j)).filter(|_| at > 0)
                    else {
                        continue;
                    };
                    let length = 1u64 << at.trailing_zeros();
                    if element != before {
                        axis.same = axis.same.min(length);
                    }
                    if element != before.wrapping_add(1) & mask {
                        axis.contig = axis.contig.min(length);
                    }
                }
                if matches!(kind.element, ElementType::Scalar(s) if s.is_int()) {
                    for (i, &element) in bits.iter().enumerate() {
                        if (place(i) as u64).is_multiple_of(axis.contig) {
                            axis.div = axis.div.min(low_bit(Literal::new(*ty, element).signed()));
                        }
                    }
                } else {
                    axis.contig = 1;
                    axis.div = 1;
                }
                stride = stride.saturating_mul(extent.max(1));
            }
            if kind.int().is_some() {
                let signed = || bits.iter().map(|&b| Literal::new(*ty, b).signed());
                if let (Some(low), Some(high)) = (signed().min(), signed().max()) {
                    (known.low, known.high) = (low, high);
                }
            }
            known
        }
    }
}
