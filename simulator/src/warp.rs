//! A warp: registers, and the groups of lanes that are at the same place.
//!
//! A group runs in lock step. A branch that diverges splits it; groups that meet at the same place become one
//! again. The group that is furthest behind in the text runs first, which brings the lanes of structured code
//! together at the join; now and then the one that has waited longest gets a turn, so that a loop that waits for
//! another lane comes to an end.

use crate::row::Row;

/// What a group of lanes is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// It can run.
    Ready,
    /// It waits at a collective for the lanes of this mask.
    Gathering { wanted: u32 },
    /// It waits at a barrier for other warps.
    AtBarrier { number: u32 },
    /// It waits for a phase of an mbarrier, or for time to pass.
    Polling { mbarrier: u64, phase: u64 },
}

/// Lanes at one place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    pub(crate) at: u32,
    pub(crate) lanes: u32,
    pub(crate) state: State,
    /// When it ran last.
    pub(crate) ran: u64,
    /// Its wait for an mbarrier has lasted long enough: the next answer is final.
    pub(crate) out_of_time: bool,
}

impl Group {
    /// A group that can run.
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
    pub(crate) rows: Vec<Row>,
    /// The lanes in which each register was written.
    pub(crate) written: Vec<u32>,
    pub(crate) bits: Vec<u32>,
    pub(crate) bits_written: Vec<u32>,
    pub(crate) groups: Vec<Group>,
    /// Lanes that have not exited.
    pub(crate) live: u32,
    /// Each lane's local memory, one after the other.
    pub(crate) local: Vec<u8>,
    pub(crate) local_written: Vec<bool>,
}

impl Warp {
    pub(crate) fn new(index: usize, slots: usize, bits: usize, local: usize) -> Self {
        Self {
            index,
            rows: vec![[0; 32]; slots],
            written: vec![0; slots],
            bits: vec![0; bits],
            bits_written: vec![0; bits],
            groups: Vec::new(),
            live: 0,
            local: vec![0; local * 32],
            local_written: vec![false; local * 32],
        }
    }

    /// Begins a block with these lanes.
    pub(crate) fn start(&mut self, lanes: u32) {
        self.written.fill(0);
        self.bits_written.fill(0);
        self.local_written.fill(false);
        self.live = lanes;
        self.groups.clear();
        if lanes != 0 {
            self.groups.push(Group::ready(0, lanes, 0));
        }
    }

    /// Joins groups that are at the same place and do not wait for other warps.
    pub(crate) fn merge(&mut self) {
        let mut first = 0;
        while first < self.groups.len() {
            let mut second = first + 1;
            while second < self.groups.len() {
                let (a, b) = (self.groups[first], self.groups[second]);
                let waits = |group: &Group| match group.state {
                    State::AtBarrier { .. } | State::Polling { .. } => true,
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

    /// Lanes leave.
    pub(crate) fn exit(&mut self, lanes: u32) {
        self.live &= !lanes;
        for group in &mut self.groups {
            group.lanes &= !lanes;
            // Those who gather no longer wait for lanes that are gone.
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
