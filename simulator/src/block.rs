//! One block: its warps, its barriers, and their scheduling.

use std::time::Instant;

use crate::clock::{Clock, WARPS};
use crate::copies::Copies;
use crate::fault::{FaultKind, Waiting, WaitingFor};
use crate::grid_races::GridRaces;
use crate::memory::Memory;
use crate::program::{Op, Program, SOURCES, Source};
use crate::row::Row;
use crate::shared::Shared;
use crate::warp::{Group, State, Warp};

/// Instructions that a warp runs before the next warp is scheduled.
const TURN: u32 = 1024;
/// The first instructions of a time slice, which go to a warp's groups in turn rather than to the one furthest behind.
const FAIR: u32 = 16;
/// Number of times that waits for mbarriers are polled while no group can run, before deadlock is reported.
const PATIENCE: u32 = 1 << 12;
/// Barriers of a block.
pub(crate) const BARRIERS: usize = 16;

/// A fault with its lane and step.
#[derive(Debug)]
pub(crate) struct Stopped {
    pub(crate) kind: FaultKind,
    pub(crate) warp: usize,
    pub(crate) lane: Option<usize>,
    pub(crate) step: Option<u32>,
}

/// The reason why an instruction did not complete.
#[derive(Debug)]
pub(crate) enum Stop {
    /// A fault, in one lane or in all.
    Fault(FaultKind, Option<usize>),
    /// It must wait for the lanes of this mask.
    Gather(u32),
    /// It must wait for a phase of an mbarrier, or for time to pass.
    Poll { mbarrier: u64, phase: u64 },
}

impl From<FaultKind> for Stop {
    fn from(kind: FaultKind) -> Self {
        Self::Fault(kind, None)
    }
}

/// Control flow after an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// All lanes continue.
    Advance,
    /// These lanes jump, the others continue.
    Jump { lanes: u32, target: u32 },
    /// These lanes exit.
    Exit { lanes: u32 },
    /// These lanes wait at a barrier, the others continue.
    Wait { lanes: u32, number: u32 },
}

/// A barrier with arrivals.
#[derive(Clone, Debug)]
pub(crate) struct Barrier {
    pub(crate) arrived: [u32; WARPS],
    pub(crate) threads: u32,
    /// The number of participating threads; `None` for the whole block.
    pub(crate) count: Option<u32>,
    pub(crate) joined: Clock,
    /// Arrived threads whose predicate is true.
    pub(crate) yes: u32,
}

/// The grid and block of a launch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) grid: [u32; 3],
    pub(crate) threads: [u32; 3],
    pub(crate) dynamic_shared: u32,
}

/// Execution statistics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Instructions, one for each warp that executes them.
    pub warp_instructions: u64,
    /// Instructions, one for each active thread.
    pub thread_instructions: u64,
    /// Blocks.
    pub blocks: u64,
}

/// A running block.
pub(crate) struct Block<'a> {
    pub(crate) program: &'a Program,
    pub(crate) memory: &'a mut Memory,
    pub(crate) params: &'a [u8],
    pub(crate) shape: Shape,
    pub(crate) index: [u32; 3],
    pub(crate) shared: Shared,
    pub(crate) warps: Vec<Warp>,
    pub(crate) barriers: Vec<Option<Barrier>>,
    pub(crate) stats: Stats,
    pub(crate) step_limit: u64,
    pub(crate) deadline: Option<Instant>,
    /// The last used allocation.
    pub(crate) hint: usize,
    pub(crate) rows: Box<[Row; SOURCES]>,
    pub(crate) copies: Copies,
    /// The accesses of blocks to global memory; `None` if there is a single block.
    pub(crate) races: Option<GridRaces>,
    /// The kernel's output.
    pub(crate) printed: &'a mut Vec<u8>,
    /// Whether the last instruction completed a phase of an mbarrier.
    pub(crate) phase_completed: bool,
    /// Whether the running group's wait for an mbarrier has timed out.
    pub(crate) out_of_time: bool,
    /// Consecutive rounds in which all groups waited for mbarriers without any change.
    pub(crate) idle_rounds: u32,
}

impl Block<'_> {
    /// Runs the block with this index from beginning to end.
    pub(crate) fn run(&mut self, index: [u32; 3]) -> Result<(), Stopped> {
        self.index = index;
        self.shared.reset();
        self.barriers.fill(None);
        self.copies.reset(self.warps.len());
        self.idle_rounds = 0;
        if let Some(races) = &mut self.races {
            races.begin_block();
        }
        let threads: u32 = self.shape.threads.iter().product();
        for (at, warp) in self.warps.iter_mut().enumerate() {
            let left = threads.saturating_sub(32 * at as u32);
            warp.start(if left >= 32 { u32::MAX } else { (1 << left) - 1 });
        }
        loop {
            let mut progress = false;
            for at in 0..self.warps.len() {
                progress |= self.turn(at)?;
            }
            if self.warps.iter().all(|warp| warp.live == 0) {
                self.stats.blocks += 1;
                return Ok(());
            }
            if !progress && !self.let_time_pass() {
                return Err(self.stuck());
            }
        }
    }

    /// Polls the groups that wait for mbarriers, up to a limit without any change; returns whether there are any.
    fn let_time_pass(&mut self) -> bool {
        self.idle_rounds += 1;
        if self.idle_rounds > PATIENCE {
            return false;
        }
        let mut any = false;
        for group in self.warps.iter_mut().flat_map(|warp| &mut warp.groups) {
            if matches!(group.state, State::Polling { .. }) {
                (group.state, group.out_of_time, any) = (State::Ready, true, true);
            }
        }
        any
    }

    /// Wakes the groups that wait for mbarriers, after a phase is complete.
    fn wake_pollers(&mut self) {
        self.idle_rounds = 0;
        for group in self.warps.iter_mut().flat_map(|warp| &mut warp.groups) {
            if matches!(group.state, State::Polling { .. }) {
                group.state = State::Ready;
            }
        }
    }

    /// Runs one warp for its time slice; false if it cannot run.
    fn turn(&mut self, at: usize) -> Result<bool, Stopped> {
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(Stopped {
                kind: FaultKind::Late,
                warp: at,
                lane: None,
                step: None,
            });
        }
        let mut progress = false;
        for step in 0..TURN {
            let warp = &self.warps[at];
            let Some(group) = warp.choose(step < FAIR && warp.groups.len() > 1) else {
                return Ok(progress);
            };
            progress = true;
            self.step(at, group)?;
        }
        Ok(progress)
    }

    /// Runs one instruction of a group.
    fn step(&mut self, at: usize, group: usize) -> Result<(), Stopped> {
        let Group {
            at: place,
            lanes,
            out_of_time,
            ..
        } = self.warps[at].groups[group];
        self.out_of_time = out_of_time;
        let program = self.program;
        let Some(step) = program.steps.get(place as usize) else {
            // The end of the body returns.
            self.exit(at, lanes);
            return Ok(());
        };
        if self.stats.warp_instructions >= self.step_limit {
            return Err(Stopped {
                kind: FaultKind::StepLimit {
                    limit: self.step_limit,
                },
                warp: at,
                lane: None,
                step: Some(place),
            });
        }
        self.stats.warp_instructions += 1;
        // The warp is moved out of the block while it runs, so that both can be mutated.
        let mut warp = std::mem::replace(&mut self.warps[at], Warp::new(at, 0, 0, 0));
        let result = (|| {
            let active = match step.guard {
                None => lanes,
                Some(guard) => read_bit(&warp, guard.slot, guard.negated, lanes)?,
            };
            self.stats.thread_instructions += u64::from(active.count_ones());
            let next = if active == 0 {
                Next::Advance
            } else {
                self.execute(&mut warp, &step.op, active, lanes)?
            };
            Ok(next)
        })();
        let stats = self.stats.warp_instructions;
        let waiting = match result {
            Ok(next) => {
                self.advance(&mut warp, group, next, stats);
                None
            }
            Err(Stop::Gather(wanted)) => Some(State::Gathering { wanted }),
            Err(Stop::Poll { mbarrier, phase }) => Some(State::Polling { mbarrier, phase }),
            Err(Stop::Fault(kind, lane)) => {
                let lane = lane.or((lanes != 0).then(|| lanes.trailing_zeros() as usize));
                self.warps[at] = warp;
                return Err(Stopped {
                    kind,
                    warp: at,
                    lane,
                    step: Some(place),
                });
            }
        };
        if let Some(state) = waiting {
            self.wait(&mut warp, group, state);
        }
        self.warps[at] = warp;
        match step.op {
            Op::Exit | Op::Barrier { .. } => self.complete_barriers(),
            // The warp that completed a phase was not in the block; its other groups are woken here.
            Op::Mbarrier { .. } | Op::TrackCopies { .. } if std::mem::take(&mut self.phase_completed) => {
                self.wake_pollers();
            }
            _ => {}
        }
        Ok(())
    }

    fn exit(&mut self, at: usize, lanes: u32) {
        self.warps[at].exit(lanes);
        self.complete_barriers();
    }

    /// Sets the next positions of a group's lanes.
    fn advance(&mut self, warp: &mut Warp, group: usize, next: Next, now: u64) {
        let Group { at, lanes, .. } = warp.groups[group];
        let alone = warp.groups.len() == 1;
        warp.groups[group].ran = now;
        warp.groups[group].out_of_time = false;
        match next {
            Next::Advance => warp.groups[group].at = at + 1,
            Next::Jump {
                lanes: jumping,
                target,
            } if jumping == lanes => warp.groups[group].at = target,
            Next::Jump {
                lanes: jumping,
                target,
            } => {
                warp.groups[group] = Group::ready(at + 1, lanes & !jumping, now);
                warp.groups.push(Group::ready(target, jumping, now));
            }
            Next::Exit { lanes: leaving } => {
                warp.groups[group].at = at + 1;
                warp.exit(leaving);
            }
            Next::Wait {
                lanes: waiting,
                number,
            } => {
                let rest = lanes & !waiting;
                warp.groups[group].lanes = waiting;
                warp.groups[group].state = State::AtBarrier { number };
                if rest != 0 {
                    warp.groups.push(Group::ready(at + 1, rest, now));
                }
            }
        }
        if !alone || warp.groups.len() > 1 {
            warp.merge();
        }
    }

    /// Suspends a group before its instruction. Lanes whose guard is false continue.
    fn wait(&mut self, warp: &mut Warp, group: usize, state: State) {
        let Group { at, lanes, ran, .. } = warp.groups[group];
        let guard = self.program.steps[at as usize].guard;
        let active = match guard {
            None => lanes,
            Some(guard) => {
                read_bit(warp, guard.slot, guard.negated, lanes).map_or(lanes, |bits| lanes & bits)
            }
        };
        warp.groups[group].lanes = active;
        warp.groups[group].state = state;
        if lanes & !active != 0 {
            warp.groups.push(Group::ready(at + 1, lanes & !active, ran));
            warp.merge();
        }
    }

    /// Reports why no group can run.
    fn stuck(&self) -> Stopped {
        for warp in &self.warps {
            for group in &warp.groups {
                if let State::Gathering { wanted } = group.state {
                    return Stopped {
                        kind: FaultKind::DivergentBarrier {
                            here: group.lanes,
                            wanted,
                        },
                        warp: warp.index,
                        lane: Some(group.lanes.trailing_zeros() as usize),
                        step: Some(group.at),
                    };
                }
            }
        }
        let waiting = self
            .warps
            .iter()
            .flat_map(|warp| warp.groups.iter().map(move |group| (warp.index, group)));
        let first = waiting.clone().next();
        Stopped {
            kind: FaultKind::Deadlock {
                waits: waiting
                    .filter_map(|(warp, group)| self.waiting(warp, group))
                    .collect(),
            },
            warp: first.map_or(0, |(warp, _)| warp),
            lane: first.map(|(_, group)| group.lanes.trailing_zeros() as usize),
            step: first.map(|(_, group)| group.at),
        }
    }

    /// The event that a group waits for.
    fn waiting(&self, warp: usize, group: &Group) -> Option<Waiting> {
        let on = match group.state {
            State::Ready | State::Gathering { .. } => return None,
            State::AtBarrier { number } => {
                let barrier = self.barriers[number as usize].as_ref()?;
                WaitingFor::Barrier {
                    number,
                    arrived: barrier.threads,
                    count: barrier.count,
                }
            }
            State::Polling { mbarrier, phase } => {
                let (pending, bytes) = self.shared.mbarriers.get(&mbarrier)?.missing();
                WaitingFor::Mbarrier {
                    address: mbarrier,
                    phase,
                    pending,
                    bytes,
                }
            }
        };
        Some(Waiting {
            warp: warp as u32,
            lanes: group.lanes,
            on,
        })
    }

    /// Reads a register or constant for the active lanes into source row `at`.
    #[inline]
    pub(crate) fn fetch(&mut self, warp: &Warp, at: usize, source: Source, active: u32) -> Result<(), Stop> {
        match source {
            Source::Constant(value) => self.rows[at] = [value; 32],
            Source::Slot(slot) => {
                self.check_written(warp, slot, active)?;
                self.rows[at] = warp.rows[slot as usize];
            }
        }
        Ok(())
    }

    #[inline]
    fn check_written(&self, warp: &Warp, slot: u32, active: u32) -> Result<(), Stop> {
        match active & !warp.written[slot as usize] {
            0 => Ok(()),
            missing => {
                let register = self.program.register_name(slot);
                let lane = missing.trailing_zeros() as usize;
                Err(Stop::Fault(FaultKind::UnwrittenRegister { register }, Some(lane)))
            }
        }
    }

    /// The value of a register or constant in each active lane.
    pub(crate) fn read_row(&self, warp: &Warp, source: Source, active: u32) -> Result<Row, Stop> {
        match source {
            Source::Constant(value) => Ok([value; 32]),
            Source::Slot(slot) => {
                self.check_written(warp, slot, active)?;
                Ok(warp.rows[slot as usize])
            }
        }
    }

    /// Like [`Block::read_row`], for several sources.
    pub(crate) fn read_rows(&self, warp: &Warp, sources: &[Source], active: u32) -> Result<Vec<Row>, Stop> {
        sources
            .iter()
            .map(|source| self.read_row(warp, *source, active))
            .collect()
    }
}

/// The lanes among `lanes` in which a predicate is true.
pub(crate) fn read_bit(warp: &Warp, slot: u32, negated: bool, lanes: u32) -> Result<u32, Stop> {
    match lanes & !warp.bits_written[slot as usize] {
        0 => {
            let bits = warp.bits[slot as usize];
            Ok(lanes & if negated { !bits } else { bits })
        }
        missing => {
            let register = format!("%p{slot}");
            let lane = missing.trailing_zeros() as usize;
            Err(Stop::Fault(FaultKind::UnwrittenRegister { register }, Some(lane)))
        }
    }
}

/// Writes a predicate in the active lanes.
pub(crate) fn write_bit(warp: &mut Warp, slot: u32, bits: u32, active: u32) {
    let slot = slot as usize;
    warp.bits[slot] = (warp.bits[slot] & !active) | (bits & active);
    warp.bits_written[slot] |= active;
}
