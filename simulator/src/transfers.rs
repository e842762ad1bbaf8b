//! The pending bulk copies of a cluster.
//!
//! A copy reads its source when it is issued, since nobody may write the source before it is complete; and nobody may
//! access its destination. [`Timing`] says when it is complete.

use crate::clock::Who;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::ops::Range;
use tilewright_irs::ptx::{AtomicOp, Type};

/// When bulk copies are complete.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Timing {
    /// At the wait for them, and no sooner.
    #[default]
    Late,
    /// When they are issued.
    Early,
    /// Each at one of these times, as pseudorandom numbers with this seed have it.
    Seeded(u64),
}

/// Data and its destination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) to: u64,
    pub(crate) data: Vec<u8>,
}

/// A copy to shared memory.
#[derive(Clone, Debug)]
pub(crate) struct Load {
    pub(crate) id: u64,
    /// The block of the destination, and the offset of the mbarrier there.
    pub(crate) mbarrier: (usize, u64),
    pub(crate) pieces: Vec<Piece>,
    /// The bytes that the mbarrier counts.
    pub(crate) bytes: u64,
    /// The block that the source is in, if it is in shared memory.
    pub(crate) source: Option<usize>,
}

/// A copy to global memory.
#[derive(Clone, Debug)]
pub(crate) struct Store {
    /// The block of the source.
    pub(crate) rank: usize,
    pub(crate) pieces: Vec<Piece>,
    /// The operation that combines it with what is there.
    pub(crate) reduction: Option<(AtomicOp, Type)>,
    /// Whether the destination has been written.
    pub(crate) written: bool,
    /// Whether the thread has waited until the source was read.
    pub(crate) read: bool,
}

/// The copies to global memory of a thread.
#[derive(Clone, Debug, Default)]
pub(crate) struct ThreadStores {
    /// Copies that are in no group yet.
    pub(crate) open: Vec<u64>,
    /// Pending groups, the oldest first.
    pub(crate) groups: VecDeque<Vec<u64>>,
}

/// How an access uses global memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Usage {
    Read,
    Write,
    /// Atomic.
    Update,
}

impl Usage {
    /// Whether two accesses at once are in order, or need none.
    fn agrees(self, other: Self) -> bool {
        self == other && self != Self::Write
    }
}

/// What a pending copy does in global memory.
#[derive(Clone, Debug)]
struct GlobalUse {
    id: u64,
    warp: u32,
    usage: Usage,
    spans: Vec<Range<u64>>,
    /// All of the spans are in here.
    bounds: Range<u64>,
}

/// A pending copy in the way of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InTheWay {
    pub(crate) address: u64,
    pub(crate) warp: u32,
    pub(crate) writes: bool,
}

/// The pending bulk copies.
#[derive(Clone, Debug, Default)]
pub(crate) struct Transfers {
    timing: Timing,
    random: u64,
    issued: u64,
    pub(crate) loads: Vec<Load>,
    pub(crate) stores: FxHashMap<u64, Store>,
    uses: Vec<GlobalUse>,
}

impl Transfers {
    pub(crate) fn new(timing: Timing) -> Self {
        let random = match timing {
            Timing::Seeded(seed) => seed,
            Timing::Late | Timing::Early => 0,
        };
        Self {
            timing,
            random,
            ..Self::default()
        }
    }

    /// The number of a new copy, and whether it is complete at once.
    pub(crate) fn issue(&mut self) -> (u64, bool) {
        self.issued += 1;
        let early = match self.timing {
            Timing::Late => false,
            Timing::Early => true,
            Timing::Seeded(_) => {
                self.random = (self.random)
                    .wrapping_mul(0x5851_f42d_4c95_7f2d)
                    .wrapping_add(0x1405_7b7e_f767_814f);
                self.random >> 40 & 1 == 1
            }
        };
        (self.issued, early)
    }

    /// A copy begins to use global memory.
    pub(crate) fn begin_use(&mut self, id: u64, warp: u32, usage: Usage, spans: Vec<Range<u64>>) {
        let first = spans.iter().map(|span| span.start).min();
        let end = spans.iter().map(|span| span.end).max();
        if let (Some(first), Some(end)) = (first, end) {
            self.uses.push(GlobalUse {
                id,
                warp,
                usage,
                spans,
                bounds: first..end,
            });
        }
    }

    pub(crate) fn end_use(&mut self, id: u64) {
        self.uses.retain(|other| other.id != id);
    }

    /// Whether a pending copy uses global memory.
    #[inline]
    pub(crate) fn use_global(&self) -> bool {
        !self.uses.is_empty()
    }

    /// A pending copy that is not in order with an access.
    pub(crate) fn in_the_way(&self, span: &Range<u64>, usage: Usage) -> Option<InTheWay> {
        let meets = |other: &Range<u64>| other.start < span.end && span.start < other.end;
        let others = self.uses.iter().filter(|other| !usage.agrees(other.usage));
        others.filter(|other| meets(&other.bounds)).find_map(|other| {
            let found = other.spans.iter().find(|other| meets(other))?;
            Some(InTheWay {
                address: found.start.max(span.start),
                warp: other.warp,
                writes: other.usage != Usage::Read,
            })
        })
    }

    /// Removes the copies that complete at an mbarrier.
    pub(crate) fn take_loads(&mut self, mbarrier: (usize, u64)) -> Vec<Load> {
        if self.loads.iter().all(|load| load.mbarrier != mbarrier) {
            return Vec::new();
        }
        let (due, rest) = std::mem::take(&mut self.loads)
            .into_iter()
            .partition(|load| load.mbarrier == mbarrier);
        self.loads = rest;
        due
    }
}

/// The key of a thread's copies: its warp as a party, and its lane.
pub(crate) type Thread = (Who, usize);

/// The tensor maps in global memory that the launch has changed: how often, by their addresses.
pub(crate) type Published = FxHashMap<u64, u32>;

/// The count of a tensor map that was made and not changed since.
pub(crate) const FIRST_CHANGE: u32 = 1;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accesses_conflict_with_pending_copies_unless_both_read_or_are_atomic() {
        let mut transfers = Transfers::default();
        transfers.begin_use(1, 4, Usage::Read, vec![100..116, 200..216]);
        transfers.begin_use(2, 5, Usage::Update, vec![300..310, 310..316]);
        let ask = |first: u64, usage| transfers.in_the_way(&(first..first + 8), usage);
        assert_eq!(ask(104, Usage::Read), None);
        assert_eq!(ask(116, Usage::Write), None, "between the parts");
        let reader = InTheWay {
            address: 200,
            warp: 4,
            writes: false,
        };
        assert_eq!(ask(196, Usage::Write), Some(reader));
        assert_eq!(ask(308, Usage::Update), None);
        assert_eq!(
            ask(308, Usage::Read).map(|found| (found.warp, found.writes)),
            Some((5, true))
        );
        transfers.end_use(2);
        assert_eq!(transfers.in_the_way(&(300..308), Usage::Write), None);
    }

    #[test]
    fn seeds_decide_when_copies_are_complete() {
        let early = |timing| {
            let mut transfers = Transfers::new(timing);
            (0..64).filter(|_| transfers.issue().1).count()
        };
        assert_eq!((early(Timing::Late), early(Timing::Early)), (0, 64));
        assert!((10..54).contains(&early(Timing::Seeded(3))));
    }
}
