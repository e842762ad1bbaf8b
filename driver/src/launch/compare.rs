//! Compares results with expected values.

use tilewright_diagnostics::counted;

use super::dtype::DType;
use super::npy::Array;

/// The tolerance of a comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tolerance<'a> {
    /// Relative to the expected value.
    pub relative: f64,
    /// Absolute.
    pub absolute: f64,
    /// An absolute tolerance for each element, which applies besides the others; empty for none.
    pub elements: &'a [f64],
}

/// The number of mismatches that a report lists.
const LISTED: usize = 5;

/// Compares a result with the expected values; `dtype` is the type of both.
///
/// Without a tolerance, floats must be the same bit by bit; with one, `|got - want| <= absolute + relative * |want|`, or what the
/// element is allowed.
/// Any NaN matches any NaN. An element with a byte marked in `unspecified` is skipped; without marks, every element counts.
/// Returns the number of elements compared.
///
/// # Errors
/// The first mismatches, one per line after a summary.
pub fn compare(
    got: &Array,
    want: &Array,
    dtype: DType,
    tolerance: Tolerance<'_>,
    unspecified: &[bool],
) -> Result<usize, Vec<String>> {
    if got.shape != want.shape {
        return Err(vec![format!(
            "the result has the shape {:?}, and {:?} is expected",
            got.shape, want.shape
        )]);
    }
    if got.dtype.bytes() != want.dtype.bytes() {
        return Err(vec![format!(
            "the result holds {}, and {} is expected",
            got.dtype.name(),
            want.dtype.name()
        )]);
    }
    let (mut count, mut compared) = (0usize, 0usize);
    let mut worst = 0f64;
    let mut lines = Vec::new();
    let pairs = got
        .data
        .chunks_exact(dtype.bytes())
        .zip(want.data.chunks_exact(dtype.bytes()));
    for (at, (have, wish)) in pairs.enumerate() {
        let bytes = at * dtype.bytes()..(at + 1) * dtype.bytes();
        if unspecified.get(bytes).is_some_and(|marks| marks.contains(&true)) {
            continue;
        }
        compared += 1;
        let allowed = tolerance.elements.get(at).copied().unwrap_or(0.0);
        if have == wish || close(have, wish, dtype, tolerance, allowed) {
            continue;
        }
        count += 1;
        if let (Some(a), Some(b)) = (dtype.number(have), dtype.number(wish)) {
            worst = worst.max((a - b).abs());
        }
        if lines.len() < LISTED {
            let place = position(at, &got.shape);
            let most = match allowed {
                0.0 => String::new(),
                allowed => format!(", which may be {allowed:.2e} off"),
            };
            lines.push(format!(
                "{place}: {} instead of {}{most}",
                dtype.text(have),
                dtype.text(wish)
            ));
        }
    }
    if count == 0 {
        return Ok(compared);
    }
    if count > lines.len() {
        lines.push(format!("and {} more", count - lines.len()));
    }
    let differ = if count == 1 { "differs" } else { "differ" };
    lines.insert(
        0,
        format!(
            "{count} of {} {differ}, by at most {worst:e}",
            counted(compared, "element")
        ),
    );
    Err(lines)
}

/// Compares what two compilations of one program have computed; `dtype` is the type of both. Floats may differ as they do when sums
/// are added in another order: by a few steps of the largest element, of wide types by more, whose sums are not added in a wider
/// one. All else is equal.
///
/// # Errors
/// As those of [`compare`].
pub fn agree(got: &Array, want: &Array, dtype: DType) -> Result<usize, Vec<String>> {
    if got == want {
        return Ok(want.len());
    }
    let numbers = want.data.chunks_exact(dtype.bytes());
    let numbers = numbers.filter_map(|bytes| dtype.number(bytes)).map(f64::abs);
    let largest = numbers.filter(|number| number.is_finite()).fold(0.0, f64::max);
    let steps = match dtype {
        DType::F16 | DType::BF16 => 4.0,
        _ => 1024.0,
    };
    let tolerance = Tolerance {
        absolute: steps * dtype.step(largest),
        ..Tolerance::default()
    };
    compare(got, want, dtype, tolerance, &[])
}

fn close(have: &[u8], wish: &[u8], dtype: DType, tolerance: Tolerance<'_>, allowed: f64) -> bool {
    let (Some(have), Some(wish)) = (dtype.number(have), dtype.number(wish)) else {
        return false;
    };
    if have.is_nan() || wish.is_nan() {
        return (have.is_nan() && wish.is_nan()) || allowed.is_infinite();
    }
    if tolerance.relative == 0.0 && tolerance.absolute == 0.0 && allowed == 0.0 {
        return false;
    }
    have == wish || (have - wish).abs() <= tolerance.absolute + tolerance.relative * wish.abs() + allowed
}

/// The index of the `at`-th element: `[2, 3]`.
fn position(at: usize, shape: &[usize]) -> String {
    let mut rest = at;
    let mut index: Vec<_> = shape
        .iter()
        .rev()
        .map(|&extent| {
            let here = rest % extent.max(1);
            rest /= extent.max(1);
            here
        })
        .collect();
    index.reverse();
    format!("{index:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats(values: &[f32]) -> Array {
        Array {
            dtype: DType::F32,
            shape: vec![values.len()],
            data: values.iter().flat_map(|value| value.to_le_bytes()).collect(),
        }
    }

    #[test]
    fn without_a_tolerance_zeros_of_two_signs_differ_and_nans_do_not() {
        let exact = Tolerance::default();
        let nan = f32::from_bits(0x7fc0_0001);
        assert_eq!(
            compare(&floats(&[nan]), &floats(&[f32::NAN]), DType::F32, exact, &[]),
            Ok(1)
        );
        assert!(compare(&floats(&[0.0]), &floats(&[-0.0]), DType::F32, exact, &[]).is_err());
        assert!(compare(&floats(&[1.0]), &floats(&[f32::NAN]), DType::F32, exact, &[]).is_err());
    }

    #[test]
    fn a_tolerance_admits_what_lies_within() {
        let loose = Tolerance {
            relative: 0.1,
            ..Tolerance::default()
        };
        assert_eq!(
            compare(&floats(&[1.05]), &floats(&[1.0]), DType::F32, loose, &[]),
            Ok(1)
        );
        assert!(compare(&floats(&[1.2]), &floats(&[1.0]), DType::F32, loose, &[]).is_err());
        assert!(compare(&floats(&[f32::NAN]), &floats(&[1.0]), DType::F32, loose, &[]).is_err());
    }

    #[test]
    fn an_element_may_have_a_tolerance_of_its_own() {
        let own = Tolerance {
            elements: &[0.0, 0.5],
            ..Tolerance::default()
        };
        let want = floats(&[1.0, 1.0]);
        assert_eq!(compare(&floats(&[1.0, 1.5]), &want, DType::F32, own, &[]), Ok(2));
        let lines = compare(&floats(&[1.5, 1.75]), &want, DType::F32, own, &[]).expect_err("two mismatches");
        assert_eq!(lines[1], "[0]: 1.5 instead of 1");
        assert_eq!(lines[2], "[1]: 1.75 instead of 1, which may be 5.00e-1 off");
    }

    #[test]
    fn sums_in_another_order_agree_and_others_do_not() {
        let want = floats(&[1000.0, 0.001, f32::NAN]);
        for (got, agrees) in [
            ([1000.0, 0.001, f32::NAN], true),
            ([1000.03, -0.02, f32::NAN], true),
            ([1000.1, 0.001, f32::NAN], false),
            ([1000.0, 0.001, 0.0], false),
        ] {
            assert_eq!(agree(&floats(&got), &want, DType::F32).is_ok(), agrees, "{got:?}");
        }
        let integers = |last| Array {
            dtype: DType::Int(4),
            shape: vec![2],
            data: [0, 0, 0, 1, last, 0, 0, 0].to_vec(),
        };
        assert!(agree(&integers(1), &integers(1), DType::Int(4)).is_ok());
        assert!(agree(&integers(2), &integers(1), DType::Int(4)).is_err());
    }

    #[test]
    fn unspecified_elements_are_not_compared() {
        let (got, want) = (floats(&[1.0, 2.0, 3.0]), floats(&[1.0, 9.0, 9.0]));
        let exact = Tolerance::default();
        let mut marks = [false; 12];
        marks[4..8].fill(true);
        let lines = compare(&got, &want, DType::F32, exact, &marks).expect_err("a mismatch");
        assert_eq!(lines[0], "1 of 2 elements differs, by at most 6e0");
        marks[11] = true;
        assert_eq!(compare(&got, &want, DType::F32, exact, &marks), Ok(1));
    }

    #[test]
    fn the_first_mismatches_are_listed_with_their_index() {
        let got = Array {
            shape: vec![2, 3],
            ..floats(&[0.0, 1.0, 2.0, 3.0, 9.0, 5.0])
        };
        let want = Array {
            shape: vec![2, 3],
            ..floats(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0])
        };
        let lines = compare(&got, &want, DType::F32, Tolerance::default(), &[]).expect_err("a mismatch");
        assert_eq!(lines[1], "[1, 1]: 9 instead of 4");
    }
}
