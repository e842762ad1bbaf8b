//! Finds, in loops with matrix products, the tiles that the multiplying agent itself brings to shared memory, by `cp.async` or
//! through registers, and that it can bring there ahead of their iterations.
//!
//! A tile qualifies if the index of its copy, and the token that orders it, depend only on the counter and on values from outside
//! of the loop. A tile that is stored from registers qualifies if it is computed from the counter and from such loads, and if
//! there are registers for a second tile.

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_irs::core::{Block, Flag, Func, OpId, Operation, Value, ValueType};
use tilewright_irs::dialects::memory::Ordering;
use tilewright_irs::dialects::scf::{LoopPlan, ScfOp};
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::scheduled::{Scheduled, ScheduledOp, uses};
use tilewright_irs::tileas::atoms::Completion;
use tilewright_irs::tileas::{Buffer, CopyAtom, Space, TileAsDialect, TileAsType};
use tilewright_layouts::Dim;

use crate::program_slice::Places;
use crate::scheduled::copy_groups::filled;
use crate::scheduled::speculation::{constant, is_speculatable};

/// The most 32-bit registers per thread for a tile that is loaded to registers one iteration ahead.
const MAX_REGISTERS: u64 = 64;
/// The most 32-bit registers per thread for the accumulators of products and two such tiles. The rest of a thread's registers is
/// for slices of the operands, and for addresses.
const REGISTERS: u64 = 144;

/// A tile that each iteration brings to a buffer, and that could be brought there ahead of its iteration.
pub(super) struct Candidate {
    /// The op that fills the buffer.
    pub(super) fill: OpId,
    /// The op that waits until it is filled, if `fill` is asynchronous.
    pub(super) wait: Option<OpId>,
    pub(super) alloc: OpId,
    pub(super) buffer: Buffer,
    /// The ops of the body that compute, from the counter, the index of the copy or the tile that is stored, in order.
    pub(super) slice: Vec<OpId>,
    /// The largest `latency` hint of its loads.
    pub(super) latency: Option<u32>,
}

impl Candidate {
    /// The buffer as the ops that read it name it: the wait's result, else the allocation.
    pub(super) fn ready(&self, func: &Func<Scheduled>) -> Value {
        func.body.op(self.wait.unwrap_or(self.alloc)).result(0)
    }
}

/// The ops that read, from rings, the operands of the first of several products in a loop's body.
#[derive(Default)]
pub(super) struct Leading {
    /// These ops and the views that they read through, in order.
    pub(super) ops: Vec<OpId>,
    /// The last product.
    pub(super) last: Option<OpId>,
}

/// The body of a counted loop with products.
pub(super) struct Loop<'a> {
    pub(super) func: &'a Func<Scheduled>,
    pub(super) places: &'a Places<'a, Scheduled>,
    users: &'a FxHashMap<Value, Vec<OpId>>,
    pub(super) block: Block,
    counter: Value,
    /// The values that are defined in the body, including its arguments.
    inside: FxHashSet<Value>,
}

impl<'a> Loop<'a> {
    /// The loop, if its ops may have stages: it has no inner loops, no early exits, and a constant step.
    pub(super) fn of(
        func: &'a Func<Scheduled>,
        places: &'a Places<'a, Scheduled>,
        users: &'a FxHashMap<Value, Vec<OpId>>,
        id: OpId,
    ) -> Option<Self> {
        let body = &func.body;
        let ScheduledOp::Scf(ScfOp::For {
            step,
            body: region,
            plan:
                LoopPlan {
                    loads_ahead: Flag(false),
                    serial: Flag(false),
                    ..
                },
            ..
        }) = &body.op(id).kind
        else {
            return None;
        };
        let block = body.only_block(*region)?;
        let ops = body.walk_region(*region);
        let (&last, _) = body.block(block).ops.split_last()?;
        let stays = |id: &OpId| match &body.op(*id).kind {
            ScheduledOp::Scf(ScfOp::If { .. } | ScfOp::Yield { .. }) => true,
            ScheduledOp::Scf(_) => *id == last,
            _ => true,
        };
        if !ops.iter().all(stays) || !ops.iter().any(|id| is_product(&body.op(*id).kind)) {
            return None;
        }
        match body.ty(*step) {
            TileAsType::Scalar(ElementType::Scalar(ScalarType::I32 | ScalarType::I64)) => {}
            _ => return None,
        }
        constant(body, places, *step).filter(|step| (1..1 << 24).contains(step))?;
        let mut inside: FxHashSet<Value> = body.block(block).args.iter().copied().collect();
        for &id in &ops {
            inside.extend(body.op(id).results());
            for region in body.op(id).kind.region_list() {
                inside.extend(
                    body.region(region)
                        .blocks
                        .iter()
                        .flat_map(|&block| &body.block(block).args),
                );
            }
        }
        let ScheduledOp::Scf(ScfOp::Continue { values }) = &body.op(last).kind else {
            return None;
        };
        let around = Self {
            func,
            places,
            users,
            block,
            counter: *body.block(block).args.first()?,
            inside,
        };
        let is_own = |id: OpId| body.op(id).tag.is_none();
        let computed = values
            .iter()
            .all(|&value| around.own_definition(value).is_some_and(is_own));
        computed.then_some(around)
    }

    /// The ops of the body except for the terminator.
    pub(super) fn ops(&self) -> &'a [OpId] {
        let ops = &self.func.body.block(self.block).ops;
        ops.split_last().map_or(&[], |(_, ops)| ops)
    }

    pub(super) fn kind(&self, id: OpId) -> &'a ScheduledOp {
        &self.func.body.op(id).kind
    }

    pub(super) fn users(&self, value: Value) -> &'a [OpId] {
        self.users.get(&value).map_or(&[], Vec::as_slice)
    }

    /// The tiles that can be brought to shared memory ahead of their iterations, in the order of the body.
    pub(super) fn candidates(&self) -> Vec<Candidate> {
        self.ops().iter().filter_map(|&id| self.candidate(id)).collect()
    }

    fn candidate(&self, fill: OpId) -> Option<Candidate> {
        let to = filled(self.kind(fill))?;
        let alloc = self.own_definition(to)?;
        let ScheduledOp::TileAs(TileAsDialect::Alloc {
            offset: None,
            depth: None,
            ..
        }) = self.kind(alloc)
        else {
            return None;
        };
        let buffer = self.func.body.ty(to).buffer()?;
        if buffer.space != Space::Shared || buffer.stages != 1 {
            return None;
        }
        let candidate = |wait, (slice, latency)| Candidate {
            fill,
            wait,
            alloc,
            buffer: buffer.clone(),
            slice,
            latency,
        };
        let ScheduledOp::TileAs(own) = self.kind(fill) else {
            return None;
        };
        let (operands, after, latency) = match own {
            TileAsDialect::CopyIn {
                at,
                mask,
                after,
                latency,
                atom,
                ..
            } if !atom.pipe().has_barriers() => {
                let operands = at.index.iter().chain([&at.memref]).chain(mask);
                (operands.copied().collect::<Vec<Value>>(), after, latency)
            }
            TileAsDialect::GatherIn {
                pointers,
                mask,
                after,
                latency,
                ..
            } => ([*pointers].into_iter().chain(*mask).collect(), after, latency),
            TileAsDialect::Copy {
                source,
                atom: CopyAtom::St(_),
                ..
            } => {
                let stored = self.in_registers(*source)?;
                return self.is_filled_by(fill, to).then(|| candidate(None, stored));
            }
            _ => return None,
        };
        let pending = self.func.body.op(fill).result(0);
        let [wait] = self.users(pending) else {
            return None;
        };
        let ready = self.func.body.op(*wait).results().next()?;
        if self.places.block(*wait) != Some(self.block)
            || self.users(to) != [fill]
            || !self.is_filled_by(fill, ready)
            || after.is_some_and(|token| self.inside.contains(&token))
        {
            return None;
        }
        let mut slice = FxHashSet::default();
        for value in operands {
            self.trace(value, false, &mut slice)?;
        }
        Some(candidate(Some(*wait), (self.in_order(&slice), *latency)))
    }

    /// The op, directly in the loop's body, that defines a value.
    pub(super) fn own_definition(&self, value: Value) -> Option<OpId> {
        let id = self.places.definition(value)?;
        (self.places.block(id) == Some(self.block)).then_some(id)
    }

    /// Whether only `fill` writes a buffer, and only copies and products in the loop read it.
    fn is_filled_by(&self, fill: OpId, buffer: Value) -> bool {
        self.users(buffer).iter().all(|&user| match self.kind(user) {
            _ if user == fill => true,
            ScheduledOp::TileAs(own) => match own {
                TileAsDialect::Copy { source, to, .. } => *source == buffer && *to != Some(buffer),
                TileAsDialect::Dot { .. } => true,
                TileAsDialect::Subview { .. }
                | TileAsDialect::Transpose { .. }
                | TileAsDialect::Reinterpret { .. } => {
                    self.is_filled_by(fill, self.func.body.op(user).result(0))
                }
                _ => false,
            },
            _ => false,
        })
    }

    /// The ops that compute a tile from the counter, and the largest hint of their loads. `None` if they cannot be executed one
    /// iteration ahead.
    fn in_registers(&self, tile: Value) -> Option<(Vec<OpId>, Option<u32>)> {
        if self.users(tile).len() != 1 {
            return None;
        }
        let room = REGISTERS.saturating_sub(self.accumulator_registers()) / 2;
        if self.registers(tile)? > room.min(MAX_REGISTERS) {
            return None;
        }
        let mut slice = FxHashSet::default();
        self.trace(tile, true, &mut slice)?;
        let slice = self.in_order(&slice);
        let loads: Vec<OpId> = slice.iter().flat_map(|&id| self.loads(id)).collect();
        if loads.is_empty() {
            return None;
        }
        // What loads is not repeated for users outside of the slice, tokens aside.
        let repeated = slice.iter().any(|&id| {
            let results = self.func.body.op(id).results();
            let mut numbers =
                results.filter(|&result| *self.func.body.ty(result) != TileAsType::Token && result != tile);
            !self.loads(id).is_empty()
                && numbers.any(|result| self.users(result).iter().any(|user| !slice.contains(user)))
        });
        if repeated {
            return None;
        }
        let latency = loads.iter().filter_map(|&id| latency_of(self.kind(id))).max();
        Some((slice, latency))
    }

    /// 32-bit registers of a thread in which a loop carries a number or a tile of numbers.
    pub(super) fn registers(&self, value: Value) -> Option<u64> {
        let ty = self.func.body.ty(value);
        let bits = match ty.element()? {
            ElementType::Scalar(scalar) => scalar.bits(),
            ElementType::Ptr(_) => return None,
        };
        let count = match ty {
            TileAsType::Scalar(_) => 1,
            _ => ty.layout()?.drop_copies(Dim::Register).in_size(Dim::Register),
        };
        // Bytes are in a register each.
        let bits = if bits < 16 { 32 } else { bits };
        Some((u64::from(count) * u64::from(bits)).div_ceil(32))
    }

    /// The loads among an op and the ops in its regions.
    fn loads(&self, id: OpId) -> Vec<OpId> {
        let regions = self.kind(id).region_list().into_iter();
        let inside = regions.flat_map(|region| self.func.body.walk_region(region));
        let is_load = |id: &OpId| {
            matches!(
                self.kind(*id),
                ScheduledOp::TileAs(TileAsDialect::Load { .. } | TileAsDialect::GatherLoad { .. })
            )
        };
        inside.chain([id]).filter(is_load).collect()
    }

    /// Adds to `slice` the ops of the body that compute a value from the counter; `None` if one of them cannot be executed ahead
    /// of its iteration. Loads can if `loads` is set.
    pub(super) fn trace(&self, value: Value, loads: bool, slice: &mut FxHashSet<OpId>) -> Option<()> {
        if value == self.counter || !self.inside.contains(&value) {
            return Some(());
        }
        let id = self.own_definition(value)?;
        if slice.contains(&id) {
            return Some(());
        }
        if !self.is_movable(id, loads) {
            return None;
        }
        let inner = self.kind(id).region_list().into_iter();
        let inner: FxHashSet<OpId> = inner
            .flat_map(|region| self.func.body.walk_region(region))
            .collect();
        for operand in uses(&self.func.body, id) {
            let is_inner = self
                .places
                .definition(operand)
                .is_some_and(|id| inner.contains(&id));
            let is_argument = self
                .places
                .argument(operand)
                .is_some_and(|(block, _)| block != self.block);
            if !is_inner && !is_argument {
                self.trace(operand, loads, slice)?;
            }
        }
        slice.insert(id);
        Some(())
    }

    /// Whether an op may be executed ahead of its iteration: before the current iteration has ended, and even for an iteration
    /// that does not exist, as long as nothing uses its result.
    fn is_movable(&self, id: OpId, loads: bool) -> bool {
        let op = self.kind(id);
        match op {
            ScheduledOp::TileAs(own @ (TileAsDialect::Load { .. } | TileAsDialect::GatherLoad { .. })) => {
                let ordering = own.field::<Ordering>();
                let free = |ordering: &Ordering| {
                    ordering.is_weak() && ordering.after.is_none_or(|token| !self.inside.contains(&token))
                };
                loads && ordering.is_some_and(free)
            }
            ScheduledOp::Scf(ScfOp::If { then, otherwise, .. }) => {
                loads
                    && [then, otherwise].into_iter().all(|&region| {
                        let block = self.func.body.only_block(region);
                        block.is_some_and(|block| {
                            let ops = self.func.body.block(block).ops.iter();
                            ops.clone().all(|&id| {
                                matches!(self.kind(id), ScheduledOp::Scf(ScfOp::Yield { .. }))
                                    || self.is_movable(id, loads)
                            })
                        })
                    })
            }
            _ => op.region_list().is_empty() && is_speculatable(&self.func.body, self.places, id),
        }
    }

    /// The ops that read, from rings, the operands of the first of several products, and the last product.
    pub(super) fn leading(&self, rings: &[Candidate]) -> Leading {
        let is_product = |id: &&OpId| is_product(self.kind(**id));
        let ops = self.ops();
        let mut leading = Leading::default();
        let (Some(&first), Some(&last)) = (ops.iter().find(is_product), ops.iter().rfind(is_product)) else {
            return leading;
        };
        let ScheduledOp::TileAs(TileAsDialect::Dot { a, b, .. }) = self.kind(first) else {
            return leading;
        };
        if first == last {
            return leading;
        }
        leading.last = Some(last);
        let reads = [a, b]
            .into_iter()
            .filter_map(|&operand| self.read_of(operand, rings));
        let slice: FxHashSet<OpId> = reads.flatten().collect();
        leading.ops = self.in_order(&slice);
        leading
    }

    /// 32-bit registers of a thread for the largest accumulator of the loop's products.
    fn accumulator_registers(&self) -> u64 {
        let accumulators = self.ops().iter().filter_map(|&id| match self.kind(id) {
            ScheduledOp::TileAs(TileAsDialect::Dot { acc, .. }) => {
                let ty = self.func.body.ty(*acc);
                let words = if ty.element()?.stored_bytes() > 4 { 2 } else { 1 };
                Some(words * u64::from(ty.layout()?.in_size(Dim::Register)))
            }
            _ => None,
        });
        accumulators.max().unwrap_or(0)
    }

    /// The op that reads a tile with a single user from a ring, after the views that it reads through.
    fn read_of(&self, tile: Value, rings: &[Candidate]) -> Option<Vec<OpId>> {
        let read = self.own_definition(tile)?;
        let ScheduledOp::TileAs(TileAsDialect::Copy { source, to: None, .. }) = self.kind(read) else {
            return None;
        };
        // Bytes that a loop carries are in a register each.
        if self.func.body.ty(tile).element()?.stored_bytes() < 2 || self.users(tile).len() != 1 {
            return None;
        }
        let (mut ops, mut source) = (vec![read], *source);
        while !rings.iter().any(|ring| ring.ready(self.func) == source) {
            let id = self.own_definition(source)?;
            let ScheduledOp::TileAs(
                TileAsDialect::Subview {
                    buffer, stage: None, ..
                }
                | TileAsDialect::Transpose { buffer, .. }
                | TileAsDialect::Reinterpret { buffer },
            ) = self.kind(id)
            else {
                return None;
            };
            ops.push(id);
            source = *buffer;
        }
        Some(ops)
    }

    fn in_order(&self, slice: &FxHashSet<OpId>) -> Vec<OpId> {
        self.ops()
            .iter()
            .copied()
            .filter(|id| slice.contains(id))
            .collect()
    }

    /// The ops that read a buffer, directly or through views, except for the one that fills it.
    pub(super) fn readers(&self, buffer: Value, fill: OpId) -> Vec<OpId> {
        let mut found = Vec::new();
        for &user in self.users(buffer).iter().filter(|&&user| user != fill) {
            found.push(user);
            if let ScheduledOp::TileAs(
                TileAsDialect::Subview { .. }
                | TileAsDialect::Transpose { .. }
                | TileAsDialect::Reinterpret { .. },
            ) = self.kind(user)
            {
                found.extend(self.readers(self.func.body.op(user).result(0), fill));
            }
        }
        found
    }
}

/// Whether an op begins a product that other ops wait for.
pub(super) fn is_begun(op: &ScheduledOp) -> bool {
    matches!(
        op,
        ScheduledOp::TileAs(TileAsDialect::Dot { atom, .. }) if atom.completion() == Completion::Asynchronous
    )
}

pub(super) fn is_product(op: &ScheduledOp) -> bool {
    matches!(op, ScheduledOp::TileAs(TileAsDialect::Dot { .. }))
}

fn latency_of(op: &ScheduledOp) -> Option<u32> {
    match op {
        ScheduledOp::TileAs(
            TileAsDialect::Load { latency, .. } | TileAsDialect::GatherLoad { latency, .. },
        ) => *latency,
        _ => None,
    }
}
