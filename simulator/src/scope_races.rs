//! Atomic and ordered accesses of global memory in the scope of a block, which another block of its cluster does not see as such.
//!
//! Two accesses of a word by different blocks of a cluster, one of which writes, race if one of them is in the scope of its block
//! only, unless the cluster has synchronised in between: by its barrier or an mbarrier, which the clocks of warps tell, or by accesses
//! of one word in a wider scope, which are taken to order all that was before them. So some races are missed; there are no false
//! positives. (PTX ISA, "Memory Consistency Model".)

use rustc_hash::FxHashMap;

use crate::clock::{Clock, Parties, Who};
use crate::shared::Access;

/// The last access of a word by a block.
#[derive(Clone, Copy, Debug)]
struct Last {
    who: Who,
    /// The time of the warp.
    time: u32,
    /// The number of the access.
    number: u64,
    access: Access,
    wrote: bool,
}

/// The accesses of the running cluster.
#[derive(Clone, Debug, Default)]
pub(crate) struct ScopeRaces {
    words: FxHashMap<u64, Vec<Last>>,
    /// Accesses so far.
    count: u64,
    /// The accesses up to this one are ordered before all that come.
    ordered: u64,
}

impl ScopeRaces {
    /// The next cluster begins.
    pub(crate) fn begin_cluster(&mut self) {
        *self = Self::default();
    }

    /// An access that synchronises, by a warp with this clock.
    ///
    /// # Errors
    /// The warp of another block whose access is concurrent, and out of the scope of this one, or this one out of its scope.
    pub(crate) fn access(
        &mut self,
        parties: Parties,
        (who, clock): (Who, &Clock),
        address: u64,
        writes: bool,
        access: Access,
    ) -> Result<(), Who> {
        self.count += 1;
        let block = |who| parties.warp_of(who).0;
        let word = self.words.entry(address).or_default();
        for last in word.iter().filter(|last| block(last.who) != block(who)) {
            if access == Access::Synchronising && last.access == Access::Synchronising {
                self.ordered = self.ordered.max(last.number);
            } else if (writes || last.wrote) && last.number > self.ordered && last.time > clock.time(last.who)
            {
                return Err(last.who);
            }
        }
        word.retain(|last| block(last.who) != block(who));
        word.push(Last {
            who,
            time: clock.time(who),
            number: self.count,
            access,
            wrote: writes,
        });
        Ok(())
    }
}
