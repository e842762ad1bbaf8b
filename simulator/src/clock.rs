//! Vector clocks of the blocks of a cluster, for race detection.

/// The maximum number of warps of a block.
pub(crate) const WARPS: usize = 32;

/// A party of race detection, by its index in clocks.
pub(crate) type Who = u16;

/// The party of the objects of mbarriers, which nobody is ever ordered with.
pub(crate) const MBARRIERS: Who = Who::MAX - 4;

/// The parties of a cluster: all warps in the order of their blocks; the matrix products of each warp group; the bulk copies
/// from shared memory of each warp; the asynchronous copies of each warp; and the bulk copies that complete at each mbarrier.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parties {
    /// Warps of a block.
    pub(crate) warps: usize,
    /// Blocks of the cluster.
    pub(crate) blocks: usize,
}

/// What a party is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A warp of a block.
    Warp(usize),
    /// The matrix products of a warp group.
    Products(usize),
    /// The bulk copies from shared memory of a warp.
    Stores(usize),
    /// The asynchronous copies of a warp.
    Copies(usize),
    /// The bulk copies that complete at an mbarrier; the index is that of [`Parties::transfers`].
    Transfers(usize),
}

impl Parties {
    /// The parties that read memory: they come first.
    pub(crate) const fn readers(self) -> usize {
        self.blocks * (2 * self.warps + self.groups())
    }

    /// Warp groups of a block.
    pub(crate) const fn groups(self) -> usize {
        self.warps.div_ceil(4)
    }

    pub(crate) const fn warp(self, rank: usize, warp: usize) -> Who {
        (rank * self.warps + warp) as Who
    }

    pub(crate) const fn products(self, rank: usize, group: usize) -> Who {
        (self.blocks * self.warps + rank * self.groups() + group) as Who
    }

    /// The bulk copies from shared memory of the warp that is party `warp`.
    pub(crate) const fn stores_of(self, warp: Who) -> Who {
        (self.blocks * (self.warps + self.groups())) as Who + warp
    }

    /// The copies of the warp that is party `warp`.
    pub(crate) const fn copies_of(self, warp: Who) -> Who {
        self.readers() as Who + warp
    }

    /// The bulk copies that complete at the mbarrier number `index` of a block, if there are not too many.
    pub(crate) fn transfers(self, rank: usize, index: usize) -> Option<Who> {
        let who = self.readers() + self.blocks * self.warps + index * self.blocks + rank;
        Who::try_from(who).ok().filter(|who| *who < MBARRIERS)
    }

    /// The block and the number in it of a party that is a warp.
    pub(crate) const fn warp_of(self, who: Who) -> (usize, usize) {
        (who as usize / self.warps, who as usize % self.warps)
    }

    /// The block of a party, and what it is.
    pub(crate) const fn describe(self, who: Who) -> (usize, Kind) {
        let who = who as usize;
        let warps = self.blocks * self.warps;
        if who < warps {
            return (who / self.warps, Kind::Warp(who % self.warps));
        }
        let products = self.blocks * self.groups();
        if who < warps + products {
            let who = who - warps;
            return (who / self.groups(), Kind::Products(who % self.groups()));
        }
        if who < self.readers() {
            let who = who - warps - products;
            return (who / self.warps, Kind::Stores(who % self.warps));
        }
        let who = who - self.readers();
        if who < warps {
            return (who / self.warps, Kind::Copies(who % self.warps));
        }
        let who = who - warps;
        (who % self.blocks, Kind::Transfers(who / self.blocks))
    }

    /// Whether the party is a warp.
    pub(crate) const fn is_warp(self, who: Who) -> bool {
        (who as usize) < self.blocks * self.warps
    }

    /// Whether the party accesses memory through the generic proxy.
    pub(crate) const fn is_generic(self, who: Who) -> bool {
        matches!(self.describe(who).1, Kind::Warp(_) | Kind::Copies(_))
    }
}

/// The latest time of every party that something is ordered after. Parties beyond the end have time zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Clock {
    known: Vec<u32>,
    /// The same, of what a fence between the generic and the async proxy separates from it.
    fenced: Vec<u32>,
    /// The same, of what each warp separates from it by a fence of its own.
    own_fenced: Vec<u32>,
}

impl Clock {
    /// The clock of a party that begins.
    pub(crate) fn starting(who: Who) -> Self {
        let mut clock = Self::default();
        clock.learn(who, 1);
        clock
    }

    #[inline]
    pub(crate) fn time(&self, who: Who) -> u32 {
        self.known.get(usize::from(who)).copied().unwrap_or(0)
    }

    /// The time up to which the accesses of a party are ordered before those through the async proxy.
    pub(crate) fn fenced(&self, who: Who) -> u32 {
        self.fenced.get(usize::from(who)).copied().unwrap_or(0)
    }

    /// The time up to which a warp itself has separated its accesses from those through the async proxy.
    pub(crate) fn own_fenced(&self, who: Who) -> u32 {
        self.own_fenced.get(usize::from(who)).copied().unwrap_or(0)
    }

    /// Whether one of these parties is known at all.
    pub(crate) fn knows(&self, parties: std::ops::Range<usize>) -> bool {
        let end = parties.end.min(self.known.len());
        self.known
            .get(parties.start..end)
            .is_some_and(|known| known.iter().any(|time| *time > 0))
    }

    /// A party knows its own next time.
    #[inline]
    pub(crate) fn tick(&mut self, who: Who) {
        self.learn(who, self.time(who) + 1);
    }

    /// Joins the time of a party.
    #[inline]
    pub(crate) fn learn(&mut self, who: Who, time: u32) {
        raise(&mut self.known, who, time);
    }

    /// A fence between the proxies, by `who`.
    pub(crate) fn fence(&mut self, who: Who) {
        join(&mut self.fenced, &self.known);
        let now = self.time(who);
        raise(&mut self.own_fenced, who, now);
        self.tick(who);
    }

    /// Joins another clock.
    pub(crate) fn join(&mut self, other: &Self) {
        join(&mut self.known, &other.known);
        join(&mut self.fenced, &other.fenced);
        join(&mut self.own_fenced, &other.own_fenced);
    }
}

#[inline]
fn raise(times: &mut Vec<u32>, who: Who, time: u32) {
    let who = usize::from(who);
    if who >= times.len() {
        times.resize(who + 1, 0);
    }
    times[who] = times[who].max(time);
}

fn join(times: &mut Vec<u32>, other: &[u32]) {
    if times.len() < other.len() {
        times.resize(other.len(), 0);
    }
    for (own, other) in times.iter_mut().zip(other) {
        *own = (*own).max(*other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_party_has_its_own_index() {
        let parties = Parties { warps: 5, blocks: 3 };
        let mut seen = std::collections::BTreeSet::new();
        for rank in 0..3 {
            for warp in 0..5 {
                let who = parties.warp(rank, warp);
                assert_eq!(parties.describe(who), (rank, Kind::Warp(warp)));
                let copies = parties.copies_of(who);
                assert_eq!(parties.describe(copies), (rank, Kind::Copies(warp)));
                let stores = parties.stores_of(who);
                assert_eq!(parties.describe(stores), (rank, Kind::Stores(warp)));
                assert!(usize::from(stores) < parties.readers());
                assert!(seen.insert(who) && seen.insert(copies) && seen.insert(stores));
            }
            for group in 0..2 {
                let who = parties.products(rank, group);
                assert_eq!(parties.describe(who), (rank, Kind::Products(group)));
                assert!(usize::from(who) < parties.readers() && seen.insert(who));
            }
            for index in 0..4 {
                let who = parties.transfers(rank, index).expect("few");
                assert_eq!(parties.describe(who), (rank, Kind::Transfers(index)));
                assert!(seen.insert(who));
            }
        }
        assert_eq!(parties.transfers(0, 1 << 20), None);
    }

    #[test]
    fn a_fence_covers_what_is_known_before_it() {
        let mut clock = Clock::starting(1);
        clock.learn(4, 7);
        assert_eq!((clock.time(4), clock.fenced(4), clock.time(9)), (7, 0, 0));
        clock.fence(1);
        assert_eq!((clock.fenced(4), clock.fenced(1), clock.time(1)), (7, 1, 2));
        let mut other = Clock::starting(0);
        other.join(&clock);
        assert_eq!((other.time(1), other.fenced(1), other.fenced(0)), (2, 1, 0));
        assert_eq!(
            (other.own_fenced(1), other.own_fenced(4)),
            (1, 0),
            "not for others"
        );
        assert!(other.knows(1..2) && !other.knows(2..4));
    }
}
