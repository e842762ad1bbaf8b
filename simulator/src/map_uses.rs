//! The tensor maps, of those that a launch has made, that copies may still read.
//!
//! A copy reads its tensor map until it is complete. Who changes the map must know that: because it has waited, or has
//! synchronised with a thread that did. Clusters run one after the other here and concurrently on hardware: a thread of a
//! later one knows it by an atomic or ordered access of the same address that a thread that knew has written so.

use crate::clock::{Clock, Who};
use rustc_hash::FxHashMap;

/// When copies are complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Until {
    /// For whoever knows this time of a party.
    Known(Who, u32),
    /// When the thread that issued the copy with this number has waited for it.
    Waited(u64),
}

/// Copies that read a map.
#[derive(Clone, Debug)]
struct Use {
    /// Their cluster.
    cluster: u32,
    until: Until,
    /// The addresses at which others can learn that they are complete.
    told: Vec<u64>,
    /// The warps that have learnt it there, in which cluster, and when.
    learnt: Vec<(u32, Who, u32)>,
}

impl Use {
    fn new(cluster: u32, until: Until) -> Self {
        Self {
            cluster,
            until,
            told: Vec::new(),
            learnt: Vec::new(),
        }
    }

    /// Whether a thread of the running cluster knows that the copies are complete.
    fn is_known(&self, running: u32, clock: &Clock) -> bool {
        if self.cluster != running {
            let mut learnt = self.learnt.iter();
            return learnt.any(|&(cluster, who, time)| cluster == running && clock.time(who) >= time);
        }
        match self.until {
            Until::Known(who, time) => clock.time(who) >= time,
            Until::Waited(_) => false,
        }
    }
}

/// The copies that read the maps, by the addresses of the maps.
#[derive(Clone, Debug, Default)]
pub(crate) struct MapUses {
    uses: FxHashMap<u64, Vec<Use>>,
    /// The running cluster.
    cluster: u32,
}

impl MapUses {
    pub(crate) fn begin_cluster(&mut self) {
        self.cluster += 1;
    }

    /// A copy that is complete at a time of the party of the copies to an mbarrier.
    pub(crate) fn load(&mut self, map: u64, (who, time): (Who, u32)) {
        let cluster = self.cluster;
        let uses = self.uses.entry(map).or_default();
        // The copies of a later phase end later.
        uses.retain(|other| {
            other.cluster != cluster || !matches!(other.until, Until::Known(known, _) if known == who)
        });
        uses.push(Use::new(cluster, Until::Known(who, time)));
    }

    /// The copy with this number, to global memory.
    pub(crate) fn store(&mut self, map: u64, id: u64) {
        let uses = self.uses.entry(map).or_default();
        uses.push(Use::new(self.cluster, Until::Waited(id)));
    }

    /// A warp has waited for a copy to global memory.
    pub(crate) fn waited(&mut self, id: u64, (who, time): (Who, u32)) {
        let uses = self.uses.values_mut().flatten();
        uses.filter(|other| other.until == Until::Waited(id))
            .for_each(|other| other.until = Until::Known(who, time));
    }

    /// An atomic or ordered access at an address, by a warp with this clock: it learns what others have told there, and
    /// tells what it knows.
    #[inline]
    pub(crate) fn synchronise(&mut self, address: u64, (who, clock): (Who, &Clock)) {
        for other in self.uses.values_mut().flatten() {
            let is_known = other.is_known(self.cluster, clock);
            match (is_known, other.told.contains(&address)) {
                (true, false) => other.told.push(address),
                (false, true) => other.learnt.push((self.cluster, who, clock.time(who))),
                (true, true) | (false, false) => {}
            }
        }
    }

    /// Whether copies by a map may be under way, for all that a thread with this clock knows.
    pub(crate) fn is_read(&self, map: u64, clock: &Clock) -> bool {
        let mut uses = self.uses.get(&map).into_iter().flatten();
        uses.any(|other| !other.is_known(self.cluster, clock))
    }

    /// A thread with this clock changes a map. Whether it knows that all copies with it are complete.
    pub(crate) fn change(&mut self, map: u64, clock: &Clock) -> bool {
        let uses = self.uses.remove(&map).unwrap_or_default();
        uses.iter().all(|other| other.is_known(self.cluster, clock))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn knowing(who: Who, time: u32) -> Clock {
        let mut clock = Clock::default();
        clock.learn(who, time);
        clock
    }

    #[test]
    fn a_map_is_read_until_the_last_phase_is_known_to_be_complete() {
        let mut uses = MapUses::default();
        uses.begin_cluster();
        uses.load(64, (9, 1));
        uses.load(64, (9, 2));
        assert!(uses.clone().change(128, &Clock::default()), "another map");
        assert!(!uses.clone().change(64, &knowing(9, 1)));
        assert!(uses.change(64, &knowing(9, 2)));
    }

    #[test]
    fn stores_end_when_their_thread_has_waited() {
        let mut uses = MapUses::default();
        uses.begin_cluster();
        uses.store(64, 5);
        assert!(!uses.clone().change(64, &knowing(3, 7)));
        uses.waited(5, (3, 7));
        assert!(!uses.clone().change(64, &knowing(3, 6)));
        assert!(uses.change(64, &knowing(3, 7)));
    }

    #[test]
    fn a_later_cluster_knows_what_it_was_told() {
        let mut uses = MapUses::default();
        uses.begin_cluster();
        uses.load(64, (9, 1));
        uses.load(128, (10, 1));
        uses.synchronise(1000, (0, &knowing(9, 1)));
        uses.synchronise(1004, (1, &knowing(10, 1)));
        uses.begin_cluster();
        uses.synchronise(1000, (2, &knowing(2, 5)));
        assert!(
            !uses.clone().change(64, &knowing(9, 1)),
            "the times are those of another cluster"
        );
        assert!(
            !uses.clone().change(64, &knowing(2, 4)),
            "it is not ordered after who knows"
        );
        assert!(
            !uses.clone().change(128, &knowing(2, 5)),
            "nobody asked at that address"
        );
        assert!(uses.change(64, &knowing(2, 5)));
    }
}
