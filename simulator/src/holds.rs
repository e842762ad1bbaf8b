//! The bytes of shared memory that pending operations read.

use rustc_hash::FxHashMap;
use std::ops::Range;

/// Who reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holder {
    /// A bulk copy that a warp has issued.
    Copy { warp: u32 },
    /// A matrix product of a warp group.
    Product { group: u32 },
}

/// What a pending operation reads.
#[derive(Clone, Debug)]
pub(crate) struct Hold {
    pub(crate) by: Holder,
    pub(crate) ranges: Vec<Range<usize>>,
}

/// What all pending operations read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Holds {
    live: FxHashMap<u64, Hold>,
    /// The number of operations that read each byte.
    counts: Vec<u16>,
}

impl Holds {
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.live.is_empty()
    }

    /// Adds what an operation reads, in a memory of `bytes` bytes.
    pub(crate) fn add(&mut self, id: u64, hold: Hold, bytes: usize) {
        if self.counts.is_empty() {
            self.counts = vec![0; bytes];
        }
        for at in hold.ranges.iter().cloned().flatten() {
            self.counts[at] = self.counts[at].saturating_add(1);
        }
        self.live.insert(id, hold);
    }

    /// Removes an operation, and returns the ranges that it read.
    pub(crate) fn remove(&mut self, id: u64) -> Vec<Range<usize>> {
        let ranges = self.live.remove(&id).map(|hold| hold.ranges).unwrap_or_default();
        for at in ranges.iter().cloned().flatten() {
            self.counts[at] = self.counts[at].saturating_sub(1);
        }
        ranges
    }

    /// A byte of a range that an operation reads, and who that is.
    #[inline]
    pub(crate) fn over(&self, range: Range<usize>) -> Option<(usize, Holder)> {
        if self.live.is_empty() {
            return None;
        }
        let at = range
            .clone()
            .find(|at| self.counts.get(*at).is_some_and(|count| *count > 0))?;
        let holder = self
            .live
            .values()
            .find(|hold| hold.ranges.iter().any(|range| range.contains(&at)))?;
        Some((at, holder.by))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_held_until_the_last_reader_has_read() {
        let mut holds = Holds::default();
        let by = Holder::Product { group: 1 };
        let hold = |ranges: Vec<Range<usize>>| Hold { by, ranges };
        holds.add(1, hold(vec![0..4, 8..12]), 16);
        holds.add(2, hold(vec![2..6, 14..16]), 16);
        assert_eq!(holds.over(5..9), Some((5, by)));
        assert_eq!(holds.over(6..8), None);
        assert_eq!(holds.remove(1), [0..4, 8..12]);
        assert_eq!(holds.over(0..3), Some((2, by)));
        assert_eq!(holds.over(8..12), None);
        holds.remove(2);
        assert!(holds.is_empty());
    }
}
