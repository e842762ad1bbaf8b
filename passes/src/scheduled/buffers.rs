//! Aliasing of buffers: the allocations that each view refers to, and the buffers that an op accesses.

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_irs::core::{Body, OpId, Operation, Region, SideTable, Value};
use tilewright_irs::dialects::arith::ArithOp;
use tilewright_irs::dialects::pipe::PipeOp;
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::literal::Dense;
use tilewright_irs::scheduled::{Scheduled, ScheduledOp};
use tilewright_irs::tileas::atoms::Completion;
use tilewright_irs::tileas::{Pending, TileAsDialect, TileAsType};

/// The part of an allocation that a view refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    /// All of it, or an unknown part.
    All,
    /// The stage of this number.
    Stage(u32),
}

impl Part {
    /// Whether two parts of one allocation have no byte in common.
    pub(super) fn is_apart(self, other: Self) -> bool {
        match (self, other) {
            (Self::Stage(one), Self::Stage(other)) => one != other,
            _ => false,
        }
    }
}

/// Bytes of shared memory that a buffer refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Location {
    /// The allocation.
    pub(super) root: OpId,
    /// The part of it.
    pub(super) part: Part,
}

/// The locations that each buffer and each pending value refers to: one for a view; for a pending product those of all its
/// operands; none for a stage of a pipe. A buffer that is passed through control flow may refer to any allocation, unless it is
/// always a stage of a pipe.
pub(super) struct Allocations {
    locations: SideTable<Value, Vec<Location>>,
    /// Buffers passed through control flow, which may alias any allocation.
    carried: SideTable<Value, ()>,
}

impl Allocations {
    /// Propagates locations through views.
    pub(super) fn of(body: &Body<Scheduled>) -> Self {
        let stages = stages(body);
        let mut find = Find {
            body,
            definitions: body.definitions(),
            found: Self {
                locations: body.value_table(),
                carried: body.value_table(),
            },
            products_read: products_read(body, &stages),
            stages,
        };
        find.region(body.root());
        find.found
    }

    /// The locations of a buffer or a pending value.
    pub(super) fn locations(&self, value: Value) -> &[Location] {
        self.locations.get(value).map_or(&[], Vec::as_slice)
    }

    /// The allocations of a buffer or a pending value.
    pub(super) fn roots(&self, value: Value) -> impl Iterator<Item = OpId> {
        self.locations(value).iter().map(|location| location.root)
    }

    /// Whether the buffer is passed through control flow, so that it may alias any allocation.
    pub(super) fn is_carried(&self, value: Value) -> bool {
        self.carried.get(value).is_some()
    }
}

/// The allocations of each pipe's rings.
pub(super) fn rings(body: &Body<Scheduled>, allocations: &Allocations) -> FxHashMap<Value, Vec<OpId>> {
    let mut rings = FxHashMap::default();
    for (_, op) in body.ops() {
        if let ScheduledOp::Pipe(PipeOp::Create { buffers, .. }) = &op.kind {
            let of_pipe = buffers.iter().flat_map(|&buffer| allocations.roots(buffer));
            rings.insert(op.result(0), of_pipe.collect());
        }
    }
    rings
}

/// The stages of pipes and the views of them, also where a counted loop carries them to its next iteration.
fn stages(body: &Body<Scheduled>) -> FxHashSet<Value> {
    // The arguments of loops that may be something else.
    let mut others: FxHashSet<Value> = FxHashSet::default();
    loop {
        let mut stages: FxHashSet<Value> = FxHashSet::default();
        let mut passed: Vec<(Value, Value)> = Vec::new();
        for id in body.walk() {
            let op = body.op(id);
            match &op.kind {
                ScheduledOp::Pipe(PipeOp::Acquire { .. } | PipeOp::Wait { .. }) => {
                    stages.extend(op.results())
                }
                ScheduledOp::TileAs(
                    TileAsDialect::Subview { buffer, .. }
                    | TileAsDialect::Transpose { buffer, .. }
                    | TileAsDialect::Reinterpret { buffer },
                ) if stages.contains(buffer) => stages.extend(op.results()),
                ScheduledOp::Scf(ScfOp::For {
                    inits, body: inner, ..
                }) => {
                    let Some(block) = body.only_block(*inner) else {
                        continue;
                    };
                    let last = body.terminator(block).map(|last| &body.op(last).kind);
                    let Some(ScheduledOp::Scf(ScfOp::Continue { values })) = last else {
                        continue;
                    };
                    let args = body.block(block).args.iter().skip(1);
                    let carried = args.zip(inits).zip(values).zip(op.results());
                    for (((&arg, init), &next), result) in carried {
                        if stages.contains(init) && !others.contains(&arg) {
                            stages.extend([arg, result]);
                            passed.push((arg, next));
                        }
                    }
                }
                _ => {}
            }
        }
        let wrong = passed.iter().filter(|(_, next)| !stages.contains(next));
        let wrong: Vec<Value> = wrong.map(|(arg, _)| *arg).collect();
        if wrong.is_empty() {
            return stages;
        }
        others.extend(wrong);
    }
}

/// Whether an asynchronous product reads a buffer that is not a stage of a pipe.
fn products_read(body: &Body<Scheduled>, stages: &FxHashSet<Value>) -> bool {
    body.ops().any(|(_, op)| match &op.kind {
        ScheduledOp::TileAs(TileAsDialect::Dot { a, b, atom, .. })
            if atom.completion() == Completion::Asynchronous =>
        {
            let read = |value: &Value| body.ty(*value).buffer().is_some() && !stages.contains(value);
            [a, b].into_iter().any(read)
        }
        _ => false,
    })
}

struct Find<'a> {
    body: &'a Body<Scheduled>,
    definitions: SideTable<Value, OpId>,
    found: Allocations,
    /// The stages of pipes.
    stages: FxHashSet<Value>,
    /// Whether asynchronous products read buffers that are not stages of pipes.
    products_read: bool,
}

impl Find<'_> {
    fn region(&mut self, region: Region) {
        for &block in &self.body.region(region).blocks {
            for &id in &self.body.block(block).ops {
                self.op(id);
            }
        }
    }

    fn is_buffer(&self, value: Value) -> bool {
        match self.body.ty(value) {
            TileAsType::Buffer(_) | TileAsType::Pending(None) => true,
            // A product is in registers, but it reads its operands until the wait.
            TileAsType::Pending(Some(what)) => match **what {
                Pending::Buffer(_) => true,
                Pending::Tile(..) => self.products_read,
            },
            _ => false,
        }
    }

    fn op(&mut self, id: OpId) {
        let op = self.body.op(id);
        match &op.kind {
            ScheduledOp::TileAs(own) => self.view(id, own),
            ScheduledOp::Scf(ScfOp::For { body, .. } | ScfOp::Loop { body, .. }) => {
                let block = self.body.only_block(*body);
                let args = block.map_or(&[][..], |block| &self.body.block(block).args);
                let carried = args.iter().copied().chain(op.results());
                carried.for_each(|value| self.carry(value));
                self.region(*body);
            }
            ScheduledOp::Arith(_)
            | ScheduledOp::Math(_)
            | ScheduledOp::Scf(_)
            | ScheduledOp::Tile(_)
            | ScheduledOp::Pipe(_)
            | ScheduledOp::Grid(_)
            | ScheduledOp::Scheduled(_) => {
                if let ScheduledOp::Scf(_) = op.kind {
                    op.results().for_each(|value| self.carry(value));
                }
                for region in op.kind.region_list() {
                    self.region(region);
                }
            }
        }
    }

    fn carry(&mut self, value: Value) {
        if self.is_buffer(value) && !self.stages.contains(&value) {
            self.found.carried.set(value, ());
        }
    }

    fn view(&mut self, id: OpId, op: &TileAsDialect) {
        let results = self.body.op(id).results();
        let results: Vec<Value> = results.filter(|&result| self.is_buffer(result)).collect();
        let locations: Vec<Location> = match op {
            TileAsDialect::Alloc { .. } => vec![Location {
                root: id,
                part: Part::All,
            }],
            TileAsDialect::Subview {
                buffer,
                stage: Some(stage),
                ..
            } if !self.found.is_carried(*buffer) => {
                let number = self.number(*stage);
                let of_stage = |location: &Location| match (location.part, number) {
                    (Part::All, Some(number)) => Location {
                        part: Part::Stage(number),
                        ..*location
                    },
                    _ => *location,
                };
                self.found.locations(*buffer).iter().map(of_stage).collect()
            }
            _ => {
                let operands = op.operand_list();
                if operands.iter().any(|&value| self.found.is_carried(value)) {
                    results.iter().for_each(|&result| self.carry(result));
                }
                let operands = operands.into_iter();
                operands
                    .flat_map(|value| self.found.locations(value).to_vec())
                    .collect()
            }
        };
        if !locations.is_empty() {
            for result in results {
                self.found.locations.set(result, locations.clone());
            }
        }
    }

    /// The value of a constant.
    fn number(&self, value: Value) -> Option<u32> {
        match &self.body.op(*self.definitions.get(value)?).kind {
            ScheduledOp::Arith(ArithOp::Constant {
                value: Dense::Splat(literal),
            }) => u32::try_from(literal.signed()).ok(),
            _ => None,
        }
    }
}

/// The kind of access to a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Touch {
    /// It is read.
    Reads,
    /// It is written.
    Writes,
    /// An asynchronous copy begins to write it.
    Begins,
    /// An asynchronous copy that this thread has begun has finished writing it.
    Ends,
    /// The agent's first warp writes it, and reads it.
    FirstWarp,
}

/// The buffers that an op reads and writes.
pub(super) fn touched(op: &TileAsDialect) -> Vec<(Value, Touch)> {
    match op {
        TileAsDialect::Copy { source, to, .. } => {
            let mut list = vec![(*source, Touch::Reads)];
            list.extend(to.map(|to| (to, Touch::Writes)));
            list
        }
        TileAsDialect::CopyIn { to, .. } | TileAsDialect::GatherIn { to, .. } => vec![(*to, Touch::Begins)],
        TileAsDialect::CopyOut { source, .. } => vec![(*source, Touch::Reads)],
        TileAsDialect::TensorMap { scratch, .. } => vec![(*scratch, Touch::FirstWarp)],
        TileAsDialect::CopyWait { copy, .. } => vec![(*copy, Touch::Ends)],
        // A product reads its operands until the wait.
        TileAsDialect::DotWait { product, .. } => vec![(*product, Touch::Reads)],
        TileAsDialect::Dot { a, b, acc, .. } => {
            vec![(*a, Touch::Reads), (*b, Touch::Reads), (*acc, Touch::Writes)]
        }
        // Scalars among the values are no buffers, and have no bytes.
        TileAsDialect::Print { values, .. } => values.iter().map(|&value| (value, Touch::Reads)).collect(),
        TileAsDialect::PrintElements { buffer, .. } => vec![(*buffer, Touch::Reads)],
        TileAsDialect::TrapAt { places, .. } => vec![(*places, Touch::Reads)],
        _ => Vec::new(),
    }
}
