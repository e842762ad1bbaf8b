//! Clusters: the barrier of their blocks, and their shared memory.
//!
//! (PTX ISA, "barrier.cluster", "mapa", "Distributed shared memory".)

use crate::block::{Block, Stop};
use crate::execute::write;
use crate::fault::{FaultKind, Party};
use crate::memory::SHARED_WINDOW;
use crate::program::{Source, Target, lanes};
use crate::shared_address::{OFFSET_BITS, address_in};
use crate::warp::{Blocked, Warp};

fn misuse(reason: &str) -> Stop {
    let reason = reason.to_owned();
    FaultKind::BarrierMisuse { reason }.into()
}

impl Block<'_> {
    /// Arrives at the cluster's barrier; with `releases`, earlier accesses are ordered before later ones of those who
    /// wait.
    pub(crate) fn cluster_arrive(
        &mut self,
        warp: &Warp,
        aligned: bool,
        releases: bool,
        active: u32,
    ) -> Result<(), Stop> {
        if aligned && active != warp.live {
            return Err(Stop::Gather(warp.live));
        }
        let at = usize::from(warp.party);
        let barrier = &mut self.cluster;
        if (barrier.arrived[at] | barrier.may_leave[at]) & active != 0 {
            return Err(misuse(
                "a thread arrives at the cluster's barrier twice without a wait between",
            ));
        }
        barrier.arrived[at] |= active;
        if releases {
            let clock = &mut self.clocks[at];
            barrier.arriving.join(clock);
            clock.tick(warp.party);
        }
        Ok(())
    }

    /// Waits at the cluster's barrier.
    pub(crate) fn cluster_wait(&mut self, warp: &Warp, aligned: bool, active: u32) -> Result<(), Stop> {
        if aligned && active != warp.live {
            return Err(Stop::Gather(warp.live));
        }
        let at = usize::from(warp.party);
        let barrier = &mut self.cluster;
        if active & !(barrier.arrived[at] | barrier.may_leave[at]) != 0 {
            return Err(misuse(
                "a thread waits at the cluster's barrier and has not arrived there",
            ));
        }
        if active & barrier.arrived[at] != 0 {
            return Err(Stop::Block(Blocked::Cluster));
        }
        barrier.may_leave[at] &= !active;
        self.clocks[at].join(&barrier.complete);
        Ok(())
    }

    /// Completes the phase of the cluster's barrier, if all threads that have not exited have arrived.
    pub(crate) fn complete_cluster_barrier(&mut self) {
        let barrier = &mut self.cluster;
        if barrier.arrived.iter().all(|lanes| *lanes == 0) {
            return;
        }
        let mut warps = std::iter::once(&self.here)
            .chain(&self.peers)
            .flat_map(|cta| &cta.warps);
        if !warps.all(|warp| warp.live & !barrier.arrived[usize::from(warp.party)] == 0) {
            return;
        }
        for (may_leave, arrived) in barrier.may_leave.iter_mut().zip(&mut barrier.arrived) {
            *may_leave |= std::mem::take(arrived);
        }
        barrier.complete = std::mem::take(&mut barrier.arriving);
        self.wakes = true;
    }

    /// Maps an address of the block's own shared memory to the block of a rank.
    pub(crate) fn map_address(
        &mut self,
        warp: &mut Warp,
        d: Target,
        (a, rank, generic): (Source, Source, bool),
        active: u32,
    ) -> Result<(), Stop> {
        let window = if generic { SHARED_WINDOW } else { 0 };
        let mut out = self.read_row(warp, a, active)?;
        let ranks = self.read_row(warp, rank, active)?;
        for lane in lanes(active) {
            let rank = ranks[lane] & 0xffff_ffff;
            let offset = out[lane].wrapping_sub(window) & ((1 << OFFSET_BITS) - 1);
            if rank >= self.parties.blocks as u64 {
                let blocks = self.parties.blocks as u32;
                let rank = rank as u32;
                return Err(Stop::Fault(FaultKind::NoSuchBlock { rank, blocks }, Some(lane)));
            }
            out[lane] = window + address_in(rank, offset);
        }
        write(warp, d, active, |lane| out[lane]);
        Ok(())
    }

    /// The rank of the block that an address of shared memory is in.
    pub(crate) fn rank_of_address(
        &mut self,
        warp: &mut Warp,
        d: Target,
        (a, generic): (Source, bool),
        active: u32,
    ) -> Result<(), Stop> {
        let window = if generic { SHARED_WINDOW } else { 0 };
        let row = self.read_row(warp, a, active)?;
        let own = self.here.rank as u64;
        write(warp, d, active, |lane| {
            let named = row[lane].wrapping_sub(window) >> OFFSET_BITS;
            named.checked_sub(1).unwrap_or(own)
        });
        Ok(())
    }

    /// A warp accesses the memory of the block of a rank, which must not end before.
    pub(crate) fn note_visit(&mut self, warp: &Warp, rank: usize) {
        if rank != self.here.rank {
            let time = self.clocks[usize::from(warp.party)].time(warp.party);
            self.peers[rank].visits.insert(warp.party, time);
        }
    }

    /// The running block ends: the accesses of its memory by others are ordered before the exit of one of its threads.
    pub(crate) fn check_visits(&self) -> Result<(), FaultKind> {
        let first = usize::from(self.parties.warp(self.here.rank, 0));
        let own = &self.clocks[first..first + self.parties.warps];
        let known = |who, time| own.iter().any(|clock| clock.time(who) >= time);
        let unordered = self
            .here
            .visits
            .iter()
            .filter(|(who, time)| !known(**who, **time));
        match unordered.map(|(who, _)| *who).min() {
            None => Ok(()),
            Some(who) => {
                let rank = self.here.rank as u32;
                let (by, warp) = self.parties.warp_of(who);
                Err(FaultKind::EarlyEnd {
                    rank,
                    other: Party::Peer {
                        rank: by as u32,
                        warp: warp as u32,
                    },
                })
            }
        }
    }

    /// The block that an address of shared memory is in, and the offset in its memory, for an access by a warp: the
    /// block must have begun, and not have ended.
    pub(crate) fn locate_block(&self, warp: &Warp, address: u64) -> Result<(usize, u64), FaultKind> {
        let offset = address & ((1 << OFFSET_BITS) - 1);
        let Some(rank) = (address >> OFFSET_BITS).checked_sub(1) else {
            return Ok((self.here.rank, offset));
        };
        let blocks = self.parties.blocks;
        let at = usize::try_from(rank).ok().filter(|rank| *rank < blocks);
        let Some(at) = at else {
            let rank = u32::try_from(rank).unwrap_or(u32::MAX);
            let blocks = blocks as u32;
            return Err(FaultKind::NoSuchBlock { rank, blocks });
        };
        if at != self.here.rank {
            let rank = at as u32;
            let warps = at * self.parties.warps..(at + 1) * self.parties.warps;
            if !self.clocks[usize::from(warp.party)].knows(warps) {
                return Err(FaultKind::AbsentBlock { rank, ended: false });
            }
            if self.peers[at].ended {
                return Err(FaultKind::AbsentBlock { rank, ended: true });
            }
        }
        Ok((at, offset))
    }
}
