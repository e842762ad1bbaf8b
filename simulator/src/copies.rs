//! Pending asynchronous copies of a block: groups of each thread, and the mbarriers that track them.
//!
//! A copy reads its source when it is issued, since nobody may write the source before it is complete. It completes
//! at its thread's wait for its group, or at a test of the mbarrier that tracks it, and no sooner, so that accesses
//! without synchronisation are detected.

use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// One copy to shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AsyncCopy {
    /// The destination address.
    pub(crate) to: u64,
    /// The data; only the first `bytes`.
    pub(crate) data: [u8; 16],
    /// 4, 8 or 16.
    pub(crate) bytes: usize,
    /// The source address.
    pub(crate) from: u64,
    /// The number of bytes read.
    pub(crate) from_bytes: u64,
}

/// The copies of a thread.
#[derive(Clone, Debug, Default)]
struct Thread {
    /// Copies that are not in a group yet.
    open: Vec<u64>,
    /// Pending groups, the oldest first.
    groups: VecDeque<Vec<u64>>,
}

/// A pending arrival at an mbarrier that tracks copies.
#[derive(Clone, Debug)]
struct Arrival {
    mbarrier: u64,
    warp: usize,
    copies: Vec<u64>,
}

/// The copies of a block.
#[derive(Clone, Debug, Default)]
pub(crate) struct Copies {
    under_way: FxHashMap<u64, AsyncCopy>,
    issued: u64,
    threads: Vec<Thread>,
    arrivals: Vec<Arrival>,
    /// The words that copies read: the number of copies, and the warp of one of them.
    sources: FxHashMap<u64, (u32, u32)>,
}

/// Bytes of an entry of `sources`.
const WORD: u64 = 4;

/// The words that contain a range of bytes.
fn words(address: u64, bytes: u64) -> std::ops::Range<u64> {
    address / WORD..(address + bytes).div_ceil(WORD)
}

impl Copies {
    /// Resets the state for a block of `warps` warps.
    pub(crate) fn reset(&mut self, warps: usize) {
        *self = Self {
            threads: vec![Thread::default(); warps * 32],
            ..Self::default()
        };
    }

    /// A thread issues a copy.
    pub(crate) fn issue(&mut self, warp: usize, lane: usize, copy: AsyncCopy) {
        for word in words(copy.from, copy.from_bytes) {
            let (count, by) = self.sources.entry(word).or_default();
            *count += 1;
            *by = warp as u32;
        }
        self.issued += 1;
        self.under_way.insert(self.issued, copy);
        self.threads[warp * 32 + lane].open.push(self.issued);
    }

    /// Commits a thread's pending copies to a group.
    pub(crate) fn commit(&mut self, warp: usize, lane: usize) {
        let thread = &mut self.threads[warp * 32 + lane];
        let group = std::mem::take(&mut thread.open);
        thread.groups.push_back(group);
    }

    /// Waits until at most `left` of a thread's groups are pending, and returns the completed copies.
    pub(crate) fn wait_groups(&mut self, warp: usize, lane: usize, left: usize) -> Vec<AsyncCopy> {
        let groups = &mut self.threads[warp * 32 + lane].groups;
        let count = groups.len().saturating_sub(left);
        let copies: Vec<u64> = groups.drain(..count).flatten().collect();
        self.finish(&copies)
    }

    /// Waits for all copies of a thread.
    pub(crate) fn wait_all(&mut self, warp: usize, lane: usize) -> Vec<AsyncCopy> {
        self.commit(warp, lane);
        self.wait_groups(warp, lane, 0)
    }

    /// Adds an arrival at the mbarrier `mbarrier` when all copies issued by the thread are complete.
    pub(crate) fn track(&mut self, warp: usize, lane: usize, mbarrier: u64) {
        let thread = &self.threads[warp * 32 + lane];
        let copies = thread.groups.iter().flatten().chain(&thread.open);
        self.arrivals.push(Arrival {
            mbarrier,
            warp,
            copies: copies.copied().collect(),
        });
    }

    /// Completes the copies that an mbarrier tracks: returns the arrivals, each with its warp and copies.
    pub(crate) fn complete_tracked(&mut self, mbarrier: u64) -> Vec<(usize, Vec<AsyncCopy>)> {
        let (due, rest) = std::mem::take(&mut self.arrivals)
            .into_iter()
            .partition(|arrival: &Arrival| arrival.mbarrier == mbarrier);
        self.arrivals = rest;
        due.into_iter()
            .map(|arrival| (arrival.warp, self.finish(&arrival.copies)))
            .collect()
    }

    /// The warp of a pending copy that reads one of these bytes.
    pub(crate) fn reader(&self, address: u64, bytes: u64) -> Option<u32> {
        if self.sources.is_empty() {
            return None;
        }
        words(address, bytes).find_map(|word| self.sources.get(&word).map(|(_, warp)| *warp))
    }

    /// Removes the given copies that are pending, and returns them.
    fn finish(&mut self, copies: &[u64]) -> Vec<AsyncCopy> {
        let done: Vec<AsyncCopy> = copies
            .iter()
            .filter_map(|copy| self.under_way.remove(copy))
            .collect();
        for word in done.iter().flat_map(|copy| words(copy.from, copy.from_bytes)) {
            if let Some((count, _)) = self.sources.get_mut(&word) {
                *count -= 1;
                if *count == 0 {
                    self.sources.remove(&word);
                }
            }
        }
        done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copy(to: u64) -> AsyncCopy {
        AsyncCopy {
            to,
            data: [0; 16],
            bytes: 4,
            from: 1000 + to,
            from_bytes: 4,
        }
    }

    fn started() -> Copies {
        let mut copies = Copies::default();
        copies.reset(2);
        copies
    }

    fn places(copies: &[AsyncCopy]) -> Vec<u64> {
        copies.iter().map(|copy| copy.to).collect()
    }

    #[test]
    fn groups_complete_from_the_oldest() {
        let mut copies = started();
        for to in [0, 4, 8] {
            copies.issue(1, 3, copy(to));
            copies.commit(1, 3);
        }
        copies.issue(1, 3, copy(12));
        assert_eq!(copies.wait_groups(1, 4, 0), [], "another thread's");
        assert_eq!(places(&copies.wait_groups(1, 3, 2)), [0]);
        assert_eq!(copies.wait_groups(1, 3, 2), []);
        assert_eq!(places(&copies.wait_groups(1, 3, 0)), [4, 8]);
        assert_eq!(places(&copies.wait_all(1, 3)), [12]);
    }

    #[test]
    fn an_empty_group_counts() {
        let mut copies = started();
        copies.issue(0, 0, copy(0));
        copies.commit(0, 0);
        copies.commit(0, 0);
        assert_eq!(places(&copies.wait_groups(0, 0, 1)), [0]);
    }

    #[test]
    fn an_mbarrier_tracks_all_copies_so_far() {
        let mut copies = started();
        copies.issue(0, 0, copy(0));
        copies.commit(0, 0);
        copies.issue(0, 0, copy(4));
        copies.track(0, 0, 64);
        copies.issue(0, 0, copy(8));
        assert_eq!(copies.complete_tracked(72).len(), 0);
        let due = copies.complete_tracked(64);
        assert_eq!(due.len(), 1);
        assert_eq!((due[0].0, places(&due[0].1)), (0, vec![0, 4]));
        assert_eq!(copies.complete_tracked(64).len(), 0, "an arrival happens once");
        assert_eq!(places(&copies.wait_all(0, 0)), [8]);
    }

    #[test]
    fn sources_are_held_while_a_copy_reads_them() {
        let mut copies = started();
        copies.issue(1, 0, copy(0));
        copies.issue(1, 1, copy(0));
        assert_eq!(copies.reader(1003, 1), Some(1));
        assert_eq!(copies.reader(1004, 4), None);
        copies.wait_all(1, 0);
        assert_eq!(copies.reader(1000, 4), Some(1), "the other still reads");
        copies.wait_all(1, 1);
        assert_eq!(copies.reader(1000, 4), None);
    }
}
