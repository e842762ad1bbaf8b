//! What an op costs the agent that executes it, and the unit that does it: asked by schedules and by predictions.

mod vectors;

use rustc_hash::FxHashMap;
use tilewright_irs::core::{Cost as Class, Flag, Func, OpId, Operation, Value, ValueType};
use tilewright_irs::dialects::arith::ArithOp;
use tilewright_irs::dialects::math::MathOp;
use tilewright_irs::dialects::memory::{AtomicOrdering, MemoryScope};
use tilewright_irs::dialects::product_rules::extents;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::machine::{Cost, Cycles, LANES, Machine, Multiprocessor, Rates};
use tilewright_irs::scheduled::{Scheduled, ScheduledOp};
use tilewright_irs::tileas::atoms::{Completion, CopyUse, Place};
use tilewright_irs::tileas::{CopyAtom, Pending, TileAsDialect, TileAsType, replicated_lanes};
use tilewright_layouts::Dim;

pub(super) use vectors::vectors;

/// What an op keeps busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unit {
    /// The tensor cores.
    Products,
    /// The tensor memory accelerator: copies by tensor maps.
    Copies,
    /// Accesses of threads to global memory.
    Accesses,
    /// Shared memory, accessed by threads.
    Shared,
    /// Approximations of special functions.
    Special,
    /// Arithmetic.
    Arithmetic,
    /// Nothing: the agent waits for a barrier, or for what is asynchronous.
    Waiting,
}

impl Unit {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Products,
        Self::Copies,
        Self::Accesses,
        Self::Shared,
        Self::Special,
        Self::Arithmetic,
        Self::Waiting,
    ];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Products => "tensor cores",
            Self::Copies => "tensor copies",
            Self::Accesses => "loads and stores",
            Self::Shared => "shared memory",
            Self::Special => "special functions",
            Self::Arithmetic => "arithmetic",
            Self::Waiting => "waiting",
        }
    }

    /// Whether an op that finds the unit busy is put in its queue, and the agent goes on.
    pub(super) const fn has_queue(self) -> bool {
        matches!(self, Self::Copies | Self::Accesses)
    }

    /// The unit whose time it takes: all accesses to global memory share the way there.
    pub(super) const fn shared_with(self) -> Self {
        match self {
            Self::Accesses => Self::Copies,
            unit => unit,
        }
    }
}

/// What an op costs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Work {
    pub(super) unit: Unit,
    /// Cycles of the unit.
    pub(super) busy: u64,
    /// Cycles of the unit for arithmetic, beside another one.
    pub(super) arithmetic: u64,
    /// Cycles in which the agent issues it.
    pub(super) issue: u64,
    /// Cycles from the end of the work to the result.
    pub(super) latency: u64,
    /// Whether it begins with the first elements of its operands, and its first elements are ready before the last.
    pub(super) streams: bool,
    /// Whether the agent goes on while the unit works.
    pub(super) is_asynchronous: bool,
}

/// More than an op takes: costs of what does not exist are cut to it, so that sums stay numbers.
const MOST: u64 = 1 << 32;

impl Work {
    /// Cycles from its begin to its end.
    pub(super) fn length(&self) -> u64 {
        // A scheduler without work for a while issues for fewer warps at a time.
        self.busy.max(self.issue).max(self.arithmetic)
    }

    /// This and another work after it, as one of the longer one's unit.
    pub(super) fn then(self, other: Self) -> Self {
        Self {
            unit: if other.busy > self.busy {
                other.unit
            } else {
                self.unit
            },
            busy: self.busy + other.busy,
            arithmetic: self.arithmetic + other.arithmetic,
            issue: self.issue + other.issue,
            latency: self.latency.max(other.latency),
            streams: false,
            is_asynchronous: false,
        }
    }

    /// Its part for one of so many groups of the agent's warps.
    fn divided(self, groups: u32) -> Self {
        let groups = u64::from(groups.max(1));
        Self {
            busy: self.busy.div_ceil(groups).min(MOST),
            arithmetic: self.arithmetic.div_ceil(groups).min(MOST),
            issue: self.issue.div_ceil(groups).min(MOST),
            latency: self.latency.min(MOST),
            ..self
        }
    }
}

/// The ops of a function, with what is the same for all.
pub(super) struct Works<'a> {
    func: &'a Func<Scheduled>,
    machine: Machine,
    /// Bytes of global memory in a cycle.
    memory: f64,
    known: FxHashMap<(OpId, u32, u32), Option<Work>>,
    /// The elements of the vectors of tiles of which threads compute the first elements only.
    vectors: FxHashMap<Value, u32>,
}

impl<'a> Works<'a> {
    /// The works of a function, to which memory gives so many bytes in a cycle.
    pub(super) fn of(func: &'a Func<Scheduled>, memory: f64, vectors: FxHashMap<Value, u32>) -> Self {
        Self {
            func,
            machine: Machine::of(func.attrs.target),
            memory,
            known: FxHashMap::default(),
            vectors,
        }
    }

    /// The work of an op for one of `groups` groups of the warps of an agent; `None` if it takes no time.
    pub(super) fn get(&mut self, id: OpId, warps: u32, groups: u32) -> Option<Work> {
        if let Some(&known) = self.known.get(&(id, warps, groups)) {
            return known;
        }
        let work = self.work(id, warps).map(|work| work.divided(groups));
        self.known.insert((id, warps, groups), work);
        work
    }

    /// The elements of a tile that a thread computes.
    fn computed(&self, tile: Value) -> u32 {
        let vector = self.vectors.get(&tile).copied().unwrap_or(1);
        (registers(self.ty(tile)) / vector).max(1)
    }

    fn ty(&self, value: Value) -> &'a TileAsType {
        self.func.body.ty(value)
    }

    fn work(&self, id: OpId, warps: u32) -> Option<Work> {
        let op = self.func.body.op(id);
        let costs = &self.machine.costs;
        match &op.kind {
            ScheduledOp::Arith(_) | ScheduledOp::Math(_) | ScheduledOp::Tile(_) => {
                self.elementwise(id, warps)
            }
            ScheduledOp::TileAs(own) => match own {
                TileAsDialect::Load { at, atom, .. } | TileAsDialect::MultimemLoad { at, atom, .. } => {
                    let from = Place::of(self.ty(at.memref))?;
                    self.copy(atom, from, Place::of(self.ty(op.result(0)))?, &at.dim_map, warps)
                }
                TileAsDialect::Store { at, value, atom, .. }
                | TileAsDialect::MultimemStore { at, value, atom, .. }
                | TileAsDialect::MultimemReduce { at, value, atom, .. } => {
                    let to = Place::of(self.ty(at.memref))?;
                    self.copy(atom, Place::of(self.ty(*value))?, to, &at.dim_map, warps)
                }
                TileAsDialect::GatherLoad { atom, .. } => {
                    let to = Place::of(self.ty(op.result(0)))?;
                    self.copy(atom, Place::Pointers, to, &[], warps)
                }
                TileAsDialect::ScatterStore { value, atom, .. } => {
                    let from = Place::of(self.ty(*value))?;
                    self.copy(atom, from, Place::Pointers, &[], warps)
                }
                TileAsDialect::Copy { source, to, atom } => {
                    let to = to.or_else(|| op.results().next())?;
                    let to = match self.ty(to) {
                        TileAsType::Pending(Some(pending)) => &pending.ready(),
                        ty => ty,
                    };
                    self.copy(atom, Place::of(self.ty(*source))?, Place::of(to)?, &[], warps)
                }
                TileAsDialect::CopyIn { at, to, atom, .. } => {
                    let from = Place::of(self.ty(at.memref))?;
                    self.copy(atom, from, Place::of(self.ty(*to))?, &at.dim_map, warps)
                }
                TileAsDialect::GatherIn { to, atom, .. } => {
                    self.copy(atom, Place::Pointers, Place::of(self.ty(*to))?, &[], warps)
                }
                TileAsDialect::CopyOut { at, source, atom, .. } => {
                    let to = Place::of(self.ty(at.memref))?;
                    self.copy(atom, Place::of(self.ty(*source))?, to, &at.dim_map, warps)
                }
                TileAsDialect::AtomicScatter {
                    value,
                    atom,
                    ordering,
                    ..
                } => self.update(*value, (Place::Pointers, &[]), atom, ordering, warps),
                TileAsDialect::AtomicTile {
                    at,
                    value,
                    atom,
                    ordering,
                    ..
                } => {
                    let to = Place::of(self.ty(at.memref))?;
                    self.update(*value, (to, &at.dim_map), atom, ordering, warps)
                }
                TileAsDialect::AtomicRmw { value, ordering, .. }
                | TileAsDialect::AtomicCas { value, ordering, .. } => {
                    let count = u64::from(registers(self.ty(*value)) * warps);
                    let bytes = count * u64::from(LANES) * u64::from(Rates::SECTOR_BYTES);
                    Some(Work {
                        unit: Unit::Accesses,
                        busy: self.transfer(bytes),
                        arithmetic: 0,
                        issue: issue(count) + self.fence(ordering),
                        latency: costs.loads.l2.0,
                        streams: false,
                        is_asynchronous: true,
                    })
                }
                TileAsDialect::TensorMap { .. } => Some(Work {
                    unit: Unit::Accesses,
                    busy: 0,
                    arithmetic: 0,
                    issue: costs.make_tensor_map.0,
                    latency: 0,
                    streams: false,
                    is_asynchronous: false,
                }),
                TileAsDialect::Dot { a, b, acc, atom, .. } => {
                    let extents =
                        extents(&shape(self.ty(*a)), &shape(self.ty(*b)), &shape(self.ty(*acc))).ok()?;
                    let elements = [scalar(self.ty(*a))?, scalar(self.ty(*b))?, scalar(self.ty(*acc))?];
                    let cost = real(atom.cost(elements, extents.matrix, self.func.attrs.target))?;
                    let batch: u64 = extents.batch.iter().copied().map(u64::from).product();
                    let is_asynchronous = atom.completion() == Completion::Asynchronous;
                    let instructions = cost.instructions.saturating_mul(batch);
                    Some(Work {
                        unit: match atom.is_on_tensor_cores() {
                            true => Unit::Products,
                            false => Unit::Arithmetic,
                        },
                        busy: cost.busy.times(batch).0,
                        arithmetic: 0,
                        // Each scheduler issues for its own warps.
                        issue: issue(instructions),
                        latency: cost.latency.0,
                        streams: false,
                        is_asynchronous,
                    })
                }
                TileAsDialect::Reduce { operands, body, .. } | TileAsDialect::Scan { operands, body, .. } => {
                    let operand = self.ty(*operands.first()?);
                    let inside = self.func.body.walk_region(*body).into_iter();
                    let slowest = inside.filter_map(|id| slow(&self.func.body.op(id).kind)).min();
                    self.fold(operand, self.ty(op.result(0)), operands.len(), warps, slowest)
                }
                TileAsDialect::Agree { source } => {
                    let ty = self.ty(*source);
                    let alone = replicated_lanes(ty.layout(), warps) == Some(0);
                    (!alone).then(|| self.shuffles(registers(ty), warps))
                }
                // What lanes do together without memory, they do by shuffles.
                own if own.effects().convergent && own.effects().touches().is_empty() => {
                    let source = own.operand_list().first().copied()?;
                    Some(self.shuffles(registers(self.ty(source)), warps))
                }
                _ => None,
            },
            ScheduledOp::Scf(_) | ScheduledOp::Pipe(_) | ScheduledOp::Grid(_) | ScheduledOp::Scheduled(_) => {
                None
            }
        }
    }

    /// Cycles in which threads wait for their stores before an atomic that tells others of them.
    fn fence(&self, ordering: &AtomicOrdering) -> u64 {
        match ordering.order.releases() && ordering.scope != MemoryScope::Block {
            true => self.machine.costs.gpu_fence.0,
            false => 0,
        }
    }

    /// Cycles for so many bytes of global memory.
    fn transfer(&self, bytes: u64) -> u64 {
        (bytes as f64 / self.memory).ceil() as u64
    }

    fn copy(
        &self,
        atom: &CopyAtom,
        from: Place<'_>,
        to: Place<'_>,
        dim_map: &[u32],
        warps: u32,
    ) -> Option<Work> {
        let cost = real(atom.cost(&CopyUse {
            target: self.func.attrs.target,
            warps,
            from,
            to,
            dim_map,
        }))?;
        let is_global = |place| matches!(place, Place::Global(_) | Place::Pointers);
        let by_map = atom.boxes().is_some();
        // The cost of an atom is that of one warp, or of the thread that copies for all.
        let times = if by_map { 1 } else { u64::from(warps) };
        let instructions = cost.instructions.saturating_mul(times);
        let work = Work {
            unit: Unit::Shared,
            busy: cost.busy.times(times).0,
            arithmetic: 0,
            issue: issue(instructions),
            latency: cost.latency.0,
            streams: false,
            is_asynchronous: false,
        };
        if !is_global(from) && !is_global(to) {
            return Some(work);
        }
        Some(Work {
            unit: if by_map { Unit::Copies } else { Unit::Accesses },
            busy: self.transfer(work.busy.saturating_mul(u64::from(Rates::L2_BYTES))),
            is_asynchronous: true,
            ..work
        })
    }

    /// An atomic access without old values: it moves what a store would.
    fn update(
        &self,
        value: Value,
        (to, dim_map): (Place<'_>, &[u32]),
        atom: &CopyAtom,
        ordering: &AtomicOrdering,
        warps: u32,
    ) -> Option<Work> {
        let work = self.copy(atom, Place::of(self.ty(value))?, to, dim_map, warps)?;
        Some(Work {
            issue: work.issue + self.fence(ordering),
            latency: self.machine.costs.loads.l2.0,
            ..work
        })
    }

    /// An op on each element of its result.
    fn elementwise(&self, id: OpId, warps: u32) -> Option<Work> {
        let op = self.func.body.op(id);
        let properties = op.kind.spec().properties;
        let expensive = properties.cost == Class::Expensive;
        // Shape ops name other registers.
        if properties.cost == Class::Free || expensive && !properties.elementwise {
            return None;
        }
        let result = self.ty(op.result(0));
        let operands = op.kind.operand_list();
        let types = operands.iter().map(|&operand| self.ty(operand)).chain([result]);
        let rates = types
            .filter_map(|ty| self.rate(ty.element()?))
            .chain(slow(&op.kind));
        let costs = &self.machine.costs;
        let (unit, rate, latency) = match expensive {
            true => (Unit::Special, Rates::SPECIAL, costs.special.latency),
            false => (
                Unit::Arithmetic,
                rates.min().unwrap_or(Rates::INTEGER_FMA),
                costs.fma.latency,
            ),
        };
        let work = self.of_lanes(self.computed(op.result(0)), warps, unit, rate, latency);
        // Results and arguments that `ex2` would flush to zero are scaled: two multiplications, a comparison and two selections.
        let scales = matches!(
            op.kind,
            ScheduledOp::Math(
                MathOp::Exp { .. }
                    | MathOp::Exp2 {
                        flush_to_zero: Flag(false),
                        ..
                    }
            )
        );
        if !scales {
            return Some(work);
        }
        let count = u64::from(registers(result)) * u64::from(warps);
        let lanes = count * u64::from(LANES);
        let multiplying = Cycles::of(2 * lanes, self.machine.rates.fma.f32);
        Some(Work {
            arithmetic: multiplying.0
                + Cycles::of(lanes, Rates::COMPARE).0
                + Cycles::of(2 * lanes, Rates::SELECT).0,
            issue: issue(6 * count),
            ..work
        })
    }

    /// The operations of threads in a cycle; `None` for elements that are no numbers.
    fn rate(&self, element: ElementType) -> Option<u32> {
        let fma = self.machine.rates.fma;
        Some(match element.scalar()? {
            ScalarType::F16 | ScalarType::BF16 => fma.f16,
            ScalarType::F64 => fma.f64,
            scalar if scalar.is_float() => fma.f32,
            // Conditions and masks are by-products.
            ScalarType::I1 => return None,
            _ => Rates::INTEGER_FMA,
        })
    }

    /// So many operations of each thread, at a rate of the multiprocessor.
    fn of_lanes(&self, each: u32, warps: u32, unit: Unit, rate: u32, latency: Cycles) -> Work {
        let count = u64::from(each) * u64::from(warps);
        Work {
            unit,
            busy: Cycles::of(count * u64::from(LANES), rate).0,
            arithmetic: 0,
            issue: issue(count),
            latency: latency.0,
            streams: true,
            is_asynchronous: false,
        }
    }

    fn shuffles(&self, each: u32, warps: u32) -> Work {
        let latency = self.machine.costs.shuffle.latency;
        Work {
            streams: false,
            ..self.of_lanes(each, warps, Unit::Shared, Rates::SHUFFLE, latency)
        }
    }

    /// A reduction or a scan: within threads, then between lanes, whose latencies follow each other.
    /// The rate is that of the element, or a lower one of its body.
    fn fold(
        &self,
        from: &TileAsType,
        to: &TileAsType,
        operands: usize,
        warps: u32,
        slowest: Option<u32>,
    ) -> Option<Work> {
        let free = |ty: &TileAsType| {
            ty.layout()
                .map_or(0, |layout| layout.free_mask(Dim::Lane).count_ones())
        };
        let steps = free(to).saturating_sub(free(from));
        let operands = u32::try_from(operands).ok()?;
        let own = registers(from) * operands;
        let exchanged = registers(to) * operands * steps;
        let rate = self.rate(from.element()?).unwrap_or(Rates::INTEGER_FMA);
        let rate = slowest.map_or(rate, |slowest| rate.min(slowest));
        let shuffles = self.shuffles(exchanged, warps);
        let work = self.of_lanes(own, warps, Unit::Arithmetic, rate, Cycles(0));
        let fma = self.machine.costs.fma.latency.0;
        Some(Work {
            busy: work.busy,
            issue: work.issue + shuffles.issue,
            latency: shuffles.busy + u64::from(steps) * (shuffles.latency + fma) + fma,
            streams: false,
            ..work
        })
    }
}

/// The rate of an op whose instructions are slower than multiply-adds.
fn slow(op: &ScheduledOp) -> Option<u32> {
    let ScheduledOp::Arith(op) = op else { return None };
    match op {
        ArithOp::MinI { .. }
        | ArithOp::MaxI { .. }
        | ArithOp::CmpI { .. }
        | ArithOp::MinF { .. }
        | ArithOp::MaxF { .. }
        | ArithOp::CmpF { .. } => Some(Rates::COMPARE),
        ArithOp::Select { .. } => Some(Rates::SELECT),
        ArithOp::FToF { .. } | ArithOp::FToI { .. } | ArithOp::IToF { .. } => Some(Rates::CONVERT),
        _ => None,
    }
}

/// Cycles in which the schedulers issue so many instructions.
fn issue(instructions: u64) -> u64 {
    instructions.div_ceil(u64::from(Multiprocessor::PARTITIONS))
}

/// A cost, unless it is that of what does not exist.
fn real(cost: Cost) -> Option<Cost> {
    (cost != Cost::NEVER && cost.busy != Cycles::NEVER).then_some(cost)
}

/// Elements of each thread.
fn registers(ty: &TileAsType) -> u32 {
    ty.layout().map_or(1, |layout| layout.in_size(Dim::Register))
}

fn shape(ty: &TileAsType) -> Vec<u32> {
    match ty {
        TileAsType::Tile { shape, .. } => shape.clone(),
        TileAsType::Buffer(buffer) => buffer.shape.clone(),
        TileAsType::Pending(Some(pending)) => match &**pending {
            Pending::Tile(_, layout) => layout.shape(),
            Pending::Buffer(buffer) => buffer.shape.clone(),
        },
        _ => Vec::new(),
    }
}

fn scalar(ty: &TileAsType) -> Option<ScalarType> {
    match ty {
        TileAsType::Buffer(buffer) => Some(buffer.element),
        TileAsType::Pending(Some(pending)) => match &**pending {
            Pending::Tile(element, _) => element.scalar(),
            Pending::Buffer(buffer) => Some(buffer.element),
        },
        ty => ty.element()?.scalar(),
    }
}
