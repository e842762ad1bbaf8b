//! The blocks of a cluster: their warps, their barriers, and their scheduling.

use rustc_hash::{FxHashMap, FxHashSet};
use std::time::Instant;

use crate::clock::{Clock, Parties, WARPS, Who};
use crate::cluster_barrier::ClusterBarrier;
use crate::copies::Copies;
use crate::fault::{FaultKind, Waiting, WaitingFor};
use crate::grid_races::GridRaces;
use crate::map_uses::MapUses;
use crate::memory::Memory;
use crate::program::{Op, Program, SOURCES, Source};
use crate::register_pool::RegisterPool;
use crate::row::Row;
use crate::scope_races::ScopeRaces;
use crate::shared::Shared;
use crate::transfers::{Published, Thread, ThreadStores, Transfers};
use crate::warp::{Blocked, Group, State, Warp};
use crate::warp_group::WarpGroup;

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
    /// It must wait for what other warps do.
    Block(Blocked),
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
    /// Blocks of a cluster.
    pub(crate) cluster: [u32; 3],
    pub(crate) dynamic_shared: u32,
    /// Registers of each thread at the start, if they are known.
    pub(crate) registers: Option<u32>,
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

/// One block of the running cluster.
#[derive(Debug)]
pub(crate) struct Cta {
    /// Its index in the grid.
    pub(crate) index: [u32; 3],
    /// Its rank in the cluster.
    pub(crate) rank: usize,
    /// Whether all its threads have exited.
    pub(crate) ended: bool,
    pub(crate) shared: Shared,
    /// The time of the last access of its memory by each warp of another block.
    pub(crate) visits: FxHashMap<Who, u32>,
    pub(crate) warps: Vec<Warp>,
    pub(crate) barriers: Vec<Option<Barrier>>,
    pub(crate) copies: Copies,
    pub(crate) registers: RegisterPool,
    /// The matrix products of each warp group.
    pub(crate) groups: Vec<WarpGroup>,
    /// The bulk copies to global memory of each thread.
    pub(crate) stores: FxHashMap<Thread, ThreadStores>,
    /// The changed tensor maps that the block has acquired.
    pub(crate) acquired: Published,
}

/// The running block, with the others of its cluster.
pub(crate) struct Block<'a> {
    pub(crate) program: &'a Program,
    pub(crate) memory: &'a mut Memory,
    pub(crate) params: &'a [u8],
    pub(crate) shape: Shape,
    pub(crate) parties: Parties,
    /// The running block.
    pub(crate) here: Cta,
    /// The blocks of the cluster, by rank; without threads or memory in the place of the running one. Empty if there is
    /// only one.
    pub(crate) peers: Vec<Cta>,
    /// The clock of each warp of the cluster.
    pub(crate) clocks: Vec<Clock>,
    pub(crate) cluster: ClusterBarrier,
    /// The pending bulk copies of the cluster.
    pub(crate) transfers: Transfers,
    /// The tensor maps that the launch has changed.
    pub(crate) published: Published,
    /// Those that a block has acquired, and that were changed once: no multiprocessor has read an older version.
    pub(crate) complete: FxHashSet<u64>,
    /// The copies that read tensor maps.
    pub(crate) map_uses: MapUses,
    pub(crate) stats: Stats,
    pub(crate) step_limit: u64,
    pub(crate) deadline: Option<Instant>,
    /// The last used allocation.
    pub(crate) hint: usize,
    pub(crate) rows: Box<[Row; SOURCES]>,
    /// The accesses of clusters to global memory; `None` if there is a single one.
    pub(crate) races: Option<GridRaces>,
    pub(crate) scope_races: ScopeRaces,
    /// The kernel's output.
    pub(crate) printed: &'a mut Vec<u8>,
    /// Whether the last instruction may let a waiting group continue: it completed a phase of an mbarrier, say.
    pub(crate) wakes: bool,
    /// Whether the running group's wait for an mbarrier has timed out.
    pub(crate) out_of_time: bool,
    /// Consecutive rounds in which all groups waited for mbarriers without any change.
    pub(crate) idle_rounds: u32,
}

impl Block<'_> {
    /// Runs the cluster with this index from beginning to end.
    pub(crate) fn run(&mut self, cluster: [u32; 3]) -> Result<(), Stopped> {
        self.begin(cluster);
        let blocks = self.parties.blocks;
        let mut running = blocks;
        while running > 0 {
            let mut progress = false;
            for rank in 0..blocks {
                self.visit(rank);
                for at in 0..self.here.warps.len() {
                    progress |= self.turn(at)?;
                }
                if !self.here.ended && self.here.warps.iter().all(|warp| warp.live == 0) {
                    self.end()?;
                    running -= 1;
                }
            }
            if running > 0 && !progress && !self.let_time_pass() {
                return Err(self.stuck());
            }
        }
        Ok(())
    }

    /// The running block ends.
    fn end(&mut self) -> Result<(), Stopped> {
        let stopped = |kind| Stopped {
            kind,
            warp: 0,
            lane: None,
            step: None,
        };
        self.here.ended = true;
        self.stats.blocks += 1;
        if let Some((group, owned)) = self.here.registers.uneven() {
            let reason = format!(
                "the warps of warp group {group} end with {owned:?} registers: not all executed the same `setmaxnreg`"
            );
            return Err(stopped(FaultKind::WarpGroupMisuse { reason }));
        }
        if let Some(group) = self.here.groups.iter().position(WarpGroup::is_busy) {
            let reason = format!("nobody waits for the last matrix products of warp group {group}");
            return Err(stopped(FaultKind::WarpGroupMisuse { reason }));
        }
        self.check_visits().map_err(stopped)?;
        self.end_transfers().map_err(stopped)
    }

    fn begin(&mut self, cluster: [u32; 3]) {
        self.idle_rounds = 0;
        self.cluster.reset();
        self.map_uses.begin_cluster();
        self.scope_races.begin_cluster();
        if let Some(races) = &mut self.races {
            races.begin_block();
        }
        for (who, clock) in (0..).zip(&mut self.clocks) {
            *clock = Clock::starting(who);
        }
        let threads: u32 = self.shape.threads.iter().product();
        let [w, h, _] = self.shape.cluster;
        for rank in 0..self.parties.blocks {
            self.visit(rank);
            let at = rank as u32;
            let place = [at % w, at / w % h, at / w / h];
            let cta = &mut self.here;
            cta.index = std::array::from_fn(|axis| cluster[axis] * self.shape.cluster[axis] + place[axis]);
            cta.ended = false;
            cta.shared.reset();
            cta.barriers.fill(None);
            cta.copies.reset(cta.warps.len());
            cta.registers.reset();
            cta.groups.fill(WarpGroup::default());
            cta.stores.clear();
            cta.visits.clear();
            cta.acquired.clear();
            for (at, warp) in cta.warps.iter_mut().enumerate() {
                let left = threads.saturating_sub(32 * at as u32);
                warp.start(if left >= 32 { u32::MAX } else { (1 << left) - 1 });
            }
        }
    }

    /// Makes the block of this rank the running one.
    fn visit(&mut self, rank: usize) {
        let here = self.here.rank;
        if here != rank {
            std::mem::swap(&mut self.here, &mut self.peers[here]);
            std::mem::swap(&mut self.here, &mut self.peers[rank]);
        }
    }

    /// The block of this rank.
    pub(crate) fn cta<'b>(here: &'b mut Cta, peers: &'b mut [Cta], rank: usize) -> &'b mut Cta {
        if here.rank == rank { here } else { &mut peers[rank] }
    }

    /// All groups of the cluster's threads.
    fn groups(&mut self) -> impl Iterator<Item = &mut Group> {
        let ctas = std::iter::once(&mut self.here).chain(&mut self.peers);
        ctas.flat_map(|cta| &mut cta.warps)
            .flat_map(|warp| &mut warp.groups)
    }

    /// Polls the groups that wait for mbarriers, up to a limit without any change; returns whether there are any.
    fn let_time_pass(&mut self) -> bool {
        self.idle_rounds += 1;
        if self.idle_rounds > PATIENCE {
            return false;
        }
        let mut any = false;
        for group in self.groups() {
            if matches!(group.state, State::Polling { .. }) {
                (group.state, group.out_of_time, any) = (State::Ready, true, true);
            }
        }
        any
    }

    /// Wakes the groups that wait for mbarriers or other warps, after a change.
    fn wake(&mut self) {
        self.wakes = false;
        self.idle_rounds = 0;
        for group in self.groups() {
            if matches!(group.state, State::Polling { .. } | State::Blocked(_)) {
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
            let warp = &self.here.warps[at];
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
        } = self.here.warps[at].groups[group];
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
        let mut warp = std::mem::replace(&mut self.here.warps[at], Warp::new((at, 0), 0, 0, 0));
        let result = (|| {
            let active = match step.guard {
                None => lanes,
                Some(guard) => read_bit(&warp, guard.slot, guard.negated, lanes)?,
            };
            self.stats.thread_instructions += u64::from(active.count_ones());
            let next = if active == 0 {
                Next::Advance
            } else {
                if let (Some(products), Some(accesses)) = (&mut warp.products, &program.accesses) {
                    products.access(program, &accesses[place as usize])?;
                }
                self.execute(&mut warp, (&step.op, place), active, lanes)?
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
            Err(Stop::Block(on)) => Some(State::Blocked(on)),
            Err(Stop::Fault(kind, lane)) => {
                let lane = lane.or((lanes != 0).then(|| lanes.trailing_zeros() as usize));
                self.here.warps[at] = warp;
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
        self.here.warps[at] = warp;
        match step.op {
            Op::Exit => {
                self.complete_barriers();
                self.complete_cluster_barrier();
            }
            Op::Barrier { .. } => self.complete_barriers(),
            Op::ClusterArrive { .. } => self.complete_cluster_barrier(),
            _ => {}
        }
        // The warp that caused a change was not in the block; its other groups are woken here.
        if self.wakes {
            self.wake();
        }
        Ok(())
    }

    fn exit(&mut self, at: usize, lanes: u32) {
        self.here.warps[at].exit(lanes);
        self.complete_barriers();
        self.complete_cluster_barrier();
        if self.wakes {
            self.wake();
        }
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
    fn stuck(&mut self) -> Stopped {
        let mut waits = Vec::new();
        let mut first = None;
        for rank in 0..self.parties.blocks {
            self.visit(rank);
            for warp in &self.here.warps {
                for group in &warp.groups {
                    let lane = group.lanes.trailing_zeros() as usize;
                    if let State::Gathering { wanted } = group.state {
                        return Stopped {
                            kind: FaultKind::DivergentBarrier {
                                here: group.lanes,
                                wanted,
                            },
                            warp: warp.index,
                            lane: Some(lane),
                            step: Some(group.at),
                        };
                    }
                    first.get_or_insert((rank, warp.index, lane, group.at));
                    waits.extend(self.waiting(warp.index, group));
                }
            }
        }
        self.visit(first.map_or(0, |(rank, ..)| rank));
        Stopped {
            kind: FaultKind::Deadlock { waits },
            warp: first.map_or(0, |(_, warp, ..)| warp),
            lane: first.map(|(_, _, lane, _)| lane),
            step: first.map(|(.., step)| step),
        }
    }

    /// The event that a group waits for.
    fn waiting(&self, warp: usize, group: &Group) -> Option<Waiting> {
        let on = match group.state {
            State::Ready | State::Gathering { .. } => return None,
            State::AtBarrier { number } => {
                let barrier = self.here.barriers[number as usize].as_ref()?;
                WaitingFor::Barrier {
                    number,
                    arrived: barrier.threads,
                    count: barrier.count,
                }
            }
            State::Polling { mbarrier, phase } => {
                let (pending, bytes) = self.here.shared.mbarriers.get(&mbarrier)?.missing();
                WaitingFor::Mbarrier {
                    address: mbarrier,
                    phase,
                    pending,
                    bytes,
                }
            }
            State::Blocked(Blocked::Cluster) => WaitingFor::Cluster {
                arrived: self.cluster.arrived(),
            },
            State::Blocked(Blocked::Products { committed }) => WaitingFor::Products { committed },
            State::Blocked(Blocked::Registers { wanted }) => WaitingFor::Registers {
                wanted,
                free: self.here.registers.free(),
            },
        };
        Some(Waiting {
            rank: (self.parties.blocks > 1).then_some(self.here.rank as u32),
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
