//! A warp: registers, and groups of converged lanes.
//!
//! A group runs in lock step. A divergent branch splits it; groups at the same position are merged. The group that is
//! furthest behind in the text runs first, so that the lanes of structured code reconverge at the join; periodically
//! the one that has waited longest runs, so that a loop that waits for another lane terminates.

use crate::clock::Who;
use crate::row::Row;
use crate::warp_group::GroupRegisters;

/// The state of a group of lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Runnable.
    Ready,
    /// Waits at a collective for the lanes of this mask.
    Gathering { wanted: u32 },
    /// Waits at a barrier for other warps.
    AtBarrier { number: u32 },
    /// Waits for a phase of an mbarrier, or for time to pass.
    Polling { mbarrier: u64, phase: u64 },
    /// Waits for what other warps do, and then executes its instruction again.
    Blocked(Blocked),
}

/// What a group waits for that other warps do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Blocked {
    /// The cluster's barrier.
    Cluster,
    /// The other warps of its warp group, of which so many have committed the matrix products.
    Products { committed: u32 },
    /// So many registers that others release.
    Registers { wanted: u32 },
}

/// Lanes at the same position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    pub(crate) at: u32,
    pub(crate) lanes: u32,
    pub(crate) state: State,
    /// When it last ran.
    pub(crate) ran: u64,
    /// Its wait for an mbarrier has timed out: the next test is final.
    pub(crate) out_of_time: bool,
}

impl Group {
    /// A runnable group.
    pub(crate) fn ready(at: u32, lanes: u32, ran: u64) -> Self {
        Self {
            at,
            lanes,
            state: State::Ready,
            ran,
            out_of_time: false,
        }
    }
}

/// A warp of one block.
#[derive(Debug)]
pub(crate) struct Warp {
    pub(crate) index: usize,
    /// As a party of races.
    pub(crate) party: Who,
    pub(crate) rows: Vec<Row>,
    /// The lanes that have written each register.
    pub(crate) written: Vec<u32>,
    pub(crate) bits: Vec<u32>,
    pub(crate) bits_written: Vec<u32>,
    pub(crate) groups: Vec<Group>,
    /// Lanes that have not exited.
    pub(crate) live: u32,
    /// The local memory of all lanes, consecutively.
    pub(crate) local: Vec<u8>,
    pub(crate) local_written: Vec<bool>,
    /// The registers that matrix products of its warp group use, if the kernel has any.
    pub(crate) products: Option<Box<GroupRegisters>>,
}

impl Warp {
    pub(crate) fn new((index, party): (usize, Who), slots: usize, bits: usize, local: usize) -> Self {
        Self {
            index,
            party,
            rows: vec![[0; 32]; slots],
            written: vec![0; slots],
            bits: vec![0; bits],
            bits_written: vec![0; bits],
            groups: Vec::new(),
            live: 0,
            local: vec![0; local * 32],
            local_written: vec![false; local * 32],
            products: None,
        }
    }

    /// Starts a block with these lanes.
    pub(crate) fn start(&mut self, lanes: u32) {
        self.written.fill(0);
        self.bits_written.fill(0);
        self.local_written.fill(false);
        if let Some(products) = &mut self.products {
            products.reset(self.rows.len());
        }
        self.live = lanes;
        self.groups.clear();
        if lanes != 0 {
            self.groups.push(Group::ready(0, lanes, 0));
        }
    }

    /// Merges groups that are at the same position and do not wait for other warps.
    pub(crate) fn merge(&mut self) {
        let mut first = 0;
        while first < self.groups.len() {
            let mut second = first + 1;
            while second < self.groups.len() {
                let (a, b) = (self.groups[first], self.groups[second]);
                let waits = |group: &Group| match group.state {
                    State::AtBarrier { .. } | State::Polling { .. } | State::Blocked(_) => true,
                    State::Ready | State::Gathering { .. } => false,
                };
                if a.at == b.at && !waits(&a) && !waits(&b) {
                    let group = &mut self.groups[first];
                    *group = Group::ready(a.at, a.lanes | b.lanes, a.ran);
                    self.groups.swap_remove(second);
                } else {
                    second += 1;
                }
            }
            first += 1;
        }
    }

    /// The ready group to run next: the furthest behind, or the one that has waited longest.
    pub(crate) fn choose(&self, fair: bool) -> Option<usize> {
        let ready = self
            .groups
            .iter()
            .enumerate()
            .filter(|(_, group)| group.state == State::Ready);
        if fair {
            ready.min_by_key(|(_, group)| group.ran).map(|(at, _)| at)
        } else {
            ready.min_by_key(|(_, group)| group.at).map(|(at, _)| at)
        }
    }

    /// Lanes exit.
    pub(crate) fn exit(&mut self, lanes: u32) {
        self.live &= !lanes;
        for group in &mut self.groups {
            group.lanes &= !lanes;
            // Collectives do not wait for lanes that have exited.
            if let State::Gathering { wanted } = &mut group.state {
                *wanted &= !lanes;
                if *wanted & !group.lanes == 0 {
                    group.state = State::Ready;
                }
            }
        }
        self.groups.retain(|group| group.lanes != 0);
    }
}
