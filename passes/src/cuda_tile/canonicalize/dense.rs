//! Elementwise folding of constants.

use tilewright_irs::element::ScalarType;
use tilewright_irs::literal::{Dense, Literal};

/// Size limit of lists that are folded, in elements.
const MAX_ELEMENTS: usize = 1 << 16;

/// Applies a function to the elements of constants of the same shape. `None` if it fails for an element.
///
/// Splats give a splat, and so do lists whose results are all equal.
pub(super) fn map(
    sources: &[&Dense],
    to: ScalarType,
    element: impl Fn(&[Literal]) -> Option<Literal>,
) -> Option<Dense> {
    let count = sources.iter().find_map(|source| match source {
        Dense::Splat(_) => None,
        Dense::Elements(_, bits) => Some(bits.len()),
    });
    let item = |at: usize| -> Option<Literal> {
        let items: Option<Vec<Literal>> = sources.iter().map(|source| get(source, at)).collect();
        element(&items?)
    };
    match count {
        None => item(0).map(Dense::Splat),
        Some(count) if count <= MAX_ELEMENTS => {
            let bits: Option<Vec<u64>> = (0..count)
                .map(|at| item(at).map(|literal| literal.bits))
                .collect();
            Some(Dense::of_elements(to, bits?))
        }
        Some(_) => None,
    }
}

/// The element at a row-major index of a constant.
pub(super) fn get(source: &Dense, at: usize) -> Option<Literal> {
    match source {
        Dense::Splat(literal) => Some(*literal),
        Dense::Elements(ty, bits) => bits.get(at).map(|&bits| Literal::new(*ty, bits)),
    }
}

/// The elements at these indices, in this order. Never makes a list with more elements than the source.
pub(super) fn gather(source: &Dense, count: usize, index: impl Fn(usize) -> Option<usize>) -> Option<Dense> {
    match source {
        Dense::Splat(literal) => Some(Dense::Splat(*literal)),
        Dense::Elements(ty, bits) => {
            if count > bits.len() || count > MAX_ELEMENTS {
                return None;
            }
            let picked: Option<Vec<u64>> = (0..count).map(|at| bits.get(index(at)?).copied()).collect();
            Some(Dense::of_elements(*ty, picked?))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(count: usize) -> Dense {
        let bits = (0..count).map(|at| u64::from(at % 2 == 0)).collect();
        Dense::of_elements(ScalarType::I8, bits)
    }

    #[test]
    fn the_longest_list_is_folded_and_a_longer_one_is_not() {
        let other = |items: &[Literal]| Some(Literal::new(ScalarType::I8, 1 - items.first()?.bits));
        for (count, folds) in [(MAX_ELEMENTS, true), (MAX_ELEMENTS + 1, false)] {
            let list = numbers(count);
            let mapped = map(&[&list], ScalarType::I8, other);
            let turned = gather(&list, count, |at| Some(count - 1 - at));
            assert_eq!(mapped.is_some(), folds, "{count}");
            assert_eq!(turned.is_some(), folds, "{count}");
            if let (Some(mapped), Some(turned)) = (mapped, turned) {
                // An even number of alternating elements: swapping the two equals reversing the list.
                assert_eq!(mapped, turned);
                assert_ne!(mapped, list);
            }
        }
    }
}
