//! Facts of `tileaa` in words.

use tilewright_irs::element::ElementType;
use tilewright_irs::tileaa::Facts;

/// The facts that hold for each of several values of one type; `None` if there are no values.
pub fn common<'a>(all: impl IntoIterator<Item = &'a Facts>) -> Option<Facts> {
    all.into_iter().cloned().reduce(|one, other| {
        let least = |one: &[u64], other: &[u64]| -> Vec<u64> {
            one.iter()
                .zip(other)
                .map(|(one, other)| *one.min(other))
                .collect()
        };
        let contiguity = least(&one.contiguity, &other.contiguity);
        let divisibility = least(&starts(&one, &contiguity), &starts(&other, &contiguity));
        Facts {
            constancy: least(&one.constancy, &other.constancy),
            min: one.min.zip(other.min).map(|(one, other)| one.min(other)),
            max: one.max.zip(other.max).map(|(one, other)| one.max(other)),
            divisibility,
            contiguity,
        }
    })
}

/// For each axis, the divisor of the first element of every run of contiguous elements, if the runs have these lengths.
fn starts(facts: &Facts, contiguity: &[u64]) -> Vec<u64> {
    let axes = facts.divisibility.iter().zip(&facts.contiguity).zip(contiguity);
    axes.map(|((&divisor, &own), &run)| match own == run {
        true => divisor,
        false => divisor.min(run),
    })
    .collect()
}

/// Facts in words, without those that follow from others.
pub fn words(facts: &Facts, element: ElementType) -> Vec<String> {
    if let (Some(min), Some(max)) = (facts.min, facts.max)
        && min == max
    {
        return vec![match element {
            ElementType::I1 => format!("always {}", min != 0),
            ElementType::Scalar(_) | ElementType::Ptr(_) => format!("always {min}"),
        }];
    }
    let mut words = Vec::new();
    let unit = match element {
        ElementType::Scalar(_) => "",
        ElementType::Ptr(_) => " bytes",
    };
    // Only the first element of a run is known to be a multiple.
    let axes = || facts.divisibility.iter().zip(&facts.contiguity).enumerate();
    let of_all = axes().filter(|(_, (_, run))| **run == 1);
    if let Some(divisor) = of_all
        .map(|(_, (&divisor, _))| divisor)
        .max()
        .filter(|&of| of > 1)
    {
        words.push(format!("a multiple of {divisor}{unit}"));
    }
    let along = |axis: usize| match facts.divisibility.len() {
        1 => String::new(),
        _ => format!(" along axis {axis}"),
    };
    for (axis, (&divisor, &run)) in axes().filter(|(_, (_, run))| **run > 1) {
        let mut word = format!("consecutive in runs of {run}{}", along(axis));
        if divisor > 1 {
            word += &format!(" that begin at a multiple of {divisor}{unit}");
        }
        words.push(word);
    }
    for (axis, &run) in facts.constancy.iter().enumerate().filter(|(_, run)| **run > 1) {
        words.push(format!("equal in runs of {run}{}", along(axis)));
    }
    match (facts.min, facts.max) {
        (Some(min), Some(max)) => words.push(format!("from {min} to {max}")),
        (Some(min), None) => words.push(format!("at least {min}")),
        (None, Some(max)) => words.push(format!("at most {max}")),
        (None, None) => {}
    }
    words
}
