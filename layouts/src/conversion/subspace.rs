//! Subspaces of GF(2)^n, represented by lists of vectors.

use crate::span::Span;

/// The span of vectors, without tracking of combinations.
pub(super) fn span(vectors: impl IntoIterator<Item = u64>) -> Span {
    let mut span = Span::of([]);
    extend(&mut span, vectors);
    span
}

/// Adds `candidates` to a span; returns those that were outside of it.
pub(super) fn extend(span: &mut Span, candidates: impl IntoIterator<Item = u64>) -> Vec<u64> {
    candidates
        .into_iter()
        .filter(|vector| span.add(*vector, 0))
        .collect()
}

/// A basis of the intersection of the spans of two lists, in the order of `a` where possible.
///
/// Eliminates in the list of all `(b, 0)` and `(a, a)` by the first half of each pair (Zassenhaus): a
/// row whose first half vanishes has a sum of `a` in its second that is also a sum of `b`.
pub(super) fn intersection(a: &[u64], b: &[u64]) -> Vec<u64> {
    let mut rows = [(0u64, 0u64); 64];
    let mut common = Span::of([]);
    let mut basis = Vec::new();
    for (mut first, mut second) in b.iter().map(|b| (*b, 0)).chain(a.iter().map(|a| (*a, *a))) {
        while let Some(row) = first.checked_ilog2().and_then(|lead| rows.get_mut(lead as usize)) {
            if row.0 == 0 {
                *row = (first, second);
                break;
            }
            first ^= row.0;
            second ^= row.1;
        }
        if first == 0 && common.add(second, 0) {
            basis.push(second);
        }
    }
    basis
}

/// A space as the direct sum of the spans of two lists of independent vectors.
pub(super) struct Split<'a> {
    first: &'a [u64],
    both: Span,
}

impl<'a> Split<'a> {
    pub(super) fn new(first: &'a [u64], second: &[u64]) -> Split<'a> {
        Split {
            first,
            both: Span::of(first.iter().chain(second).copied()),
        }
    }

    /// The part of `vector` in the span of the second list.
    pub(super) fn second_part(&self, vector: u64) -> u64 {
        let combination = self.both.solve(vector).unwrap_or(0);
        vector ^ crate::span::multiply(self.first, combination & ((1 << self.first.len()) - 1))
    }
}
