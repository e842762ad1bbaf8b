//! Buffer aliasing: the allocations of each view, and the buffers that an op accesses.

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_irs::core::{Block, Body, OpId, Operation, Region, SideTable, Value};
use tilewright_irs::dialects::arith::ArithOp;
use tilewright_irs::dialects::pipe::PipeOp;
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::literal::Dense;
use tilewright_irs::scheduled::{Scheduled, ScheduledOp};
use tilewright_irs::tileas::atoms::Completion;
use tilewright_irs::tileas::{Pending, TileAsDialect, TileAsType};

/// The part of an allocation that a buffer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    /// All of it, or it is not known which.
    All,
    /// The stage of this number.
    Stage(u32),
    /// The stage that a loop passes to this argument, among stages that rotate through its arguments.
    Rotating {
        /// The loop.
        around: OpId,
        /// The argument.
        argument: Value,
    },
}

impl Part {
    /// Whether two parts of one allocation have no bytes in common.
    pub(super) fn is_apart(self, other: Self) -> bool {
        match (self, other) {
            (Self::Stage(one), Self::Stage(other)) => one != other,
            (
                Self::Rotating { around, argument },
                Self::Rotating {
                    around: other_loop,
                    argument: other,
                },
            ) => around == other_loop && argument != other,
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

/// The locations of each buffer and of each pending value: one for a view, those of all operands for a pending
/// product; none for a buffer from a pipe.
///
/// A counted loop may pass stages of rings on from iteration to iteration, each to another of its arguments: then each
/// argument is one stage in every iteration, another one than the other arguments. Other buffers that are passed
/// through control flow may be any.
pub(super) struct Allocations {
    locations: SideTable<Value, Vec<Location>>,
    /// Buffers passed through control flow, which may alias any allocation.
    carried: SideTable<Value, ()>,
    /// The loops through which stages rotate.
    rotations: FxHashMap<OpId, Rotation>,
}

/// The stages that rotate through a loop.
#[derive(Default)]
pub(super) struct Rotation {
    /// The stages that the loop begins with, and their arguments.
    pub(super) begins: Vec<(Location, Value)>,
    /// The argument to which the stage of each argument is passed on.
    pub(super) next: FxHashMap<Value, Value>,
}

impl Allocations {
    /// Propagates locations through views, and through the loops in which stages rotate.
    pub(super) fn of(body: &Body<Scheduled>) -> Self {
        let mut others = FxHashSet::default();
        let products_read = products_read(body);
        loop {
            let mut find = Find {
                body,
                definitions: body.definitions(),
                others: &others,
                found: Self {
                    locations: body.value_table(),
                    carried: body.value_table(),
                    rotations: FxHashMap::default(),
                },
                products_read,
                loops: Vec::new(),
                failed: None,
            };
            find.region(body.root());
            match find.failed {
                // What was taken for a rotation is none, and neither may be one that depends on it.
                Some(id) => others.insert(id),
                None => return find.found,
            };
        }
    }

    /// The locations of a buffer or a pending value.
    pub(super) fn locations(&self, value: Value) -> &[Location] {
        self.locations.get(value).map_or(&[], Vec::as_slice)
    }

    /// The allocations of a buffer or a pending value.
    pub(super) fn roots(&self, value: Value) -> impl Iterator<Item = OpId> {
        self.locations(value).iter().map(|location| location.root)
    }

    /// Whether the buffer is passed through control flow, so that it may alias any.
    pub(super) fn is_carried(&self, value: Value) -> bool {
        self.carried.get(value).is_some()
    }

    /// How stages rotate through a loop, if all of its buffers do.
    pub(super) fn rotation(&self, around: OpId) -> Option<&Rotation> {
        self.rotations.get(&around)
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

/// Whether an asynchronous product reads a buffer that is no stage of a pipe.
fn products_read(body: &Body<Scheduled>) -> bool {
    let mut stages: FxHashSet<Value> = FxHashSet::default();
    for id in body.walk() {
        let op = body.op(id);
        match &op.kind {
            ScheduledOp::Pipe(PipeOp::Acquire { .. } | PipeOp::Wait { .. }) => stages.extend(op.results()),
            ScheduledOp::TileAs(
                TileAsDialect::Subview { buffer, .. }
                | TileAsDialect::Transpose { buffer, .. }
                | TileAsDialect::Reinterpret { buffer },
            ) if stages.contains(buffer) => stages.extend(op.results()),
            ScheduledOp::TileAs(TileAsDialect::Dot { a, b, atom, .. })
                if atom.completion() == Completion::Asynchronous =>
            {
                let read = |value: &Value| body.ty(*value).buffer().is_some() && !stages.contains(value);
                if [a, b].into_iter().any(read) {
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}

struct Find<'a> {
    body: &'a Body<Scheduled>,
    definitions: SideTable<Value, OpId>,
    /// Loops that pass buffers on otherwise.
    others: &'a FxHashSet<OpId>,
    found: Allocations,
    /// Whether asynchronous products read buffers that are no stages of pipes.
    products_read: bool,
    /// The enclosing loops, with the first of their arguments that is carried.
    loops: Vec<(OpId, Block, usize)>,
    /// A loop that was taken for a rotation and is none.
    failed: Option<OpId>,
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
            ScheduledOp::Scf(ScfOp::For { inits, body, .. }) => {
                let Some(block) = self.body.only_block(*body) else {
                    return;
                };
                let rotates = !self.others.contains(&id) && self.enter(id, block, inits);
                let carried = self.body.block(block).args.iter().copied().chain(op.results());
                if !rotates {
                    carried.for_each(|value| self.carry(value));
                }
                self.loops.push((id, block, 1));
                self.region(*body);
                self.loops.pop();
            }
            ScheduledOp::Scf(ScfOp::Loop { body, .. }) => {
                let Some(block) = self.body.only_block(*body) else {
                    return;
                };
                let carried = self.body.block(block).args.iter().copied().chain(op.results());
                carried.for_each(|value| self.carry(value));
                self.loops.push((id, block, 0));
                self.region(*body);
                self.loops.pop();
            }
            ScheduledOp::Scf(ScfOp::Continue { values }) => self.pass_on(values),
            ScheduledOp::Arith(_)
            | ScheduledOp::Math(_)
            | ScheduledOp::Scf(_)
            | ScheduledOp::Tile(_)
            | ScheduledOp::Pipe(_)
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
        if self.is_buffer(value) {
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

    /// Whether a loop begins with a different stage in each argument that is a buffer; each argument is then a stage
    /// of its own.
    fn enter(&mut self, id: OpId, block: Block, inits: &[Value]) -> bool {
        let args = self.body.block(block).args.iter().skip(1);
        let passed: Vec<(Value, Value, Value)> = args
            .zip(inits)
            .zip(self.body.op(id).results())
            .filter(|((arg, _), _)| self.is_buffer(**arg))
            .map(|((&arg, &init), result)| (arg, init, result))
            .collect();
        let mut stages = Vec::new();
        for (_, init, _) in &passed {
            match self.found.locations(*init) {
                [
                    location @ Location {
                        part: Part::Stage(_), ..
                    },
                ] if !stages.contains(location) => {
                    stages.push(*location);
                }
                _ => return false,
            }
        }
        if passed.is_empty() {
            return false;
        }
        let mut rotation = Rotation::default();
        for ((argument, _, result), stage) in passed.into_iter().zip(stages) {
            let root = stage.root;
            rotation.begins.push((stage, argument));
            let part = Part::Rotating { around: id, argument };
            self.found.locations.set(argument, vec![Location { root, part }]);
            let all = Location {
                root,
                part: Part::All,
            };
            self.found.locations.set(result, vec![all]);
        }
        self.found.rotations.insert(id, rotation);
        true
    }

    /// The values that an iteration passes on to the next one.
    fn pass_on(&mut self, values: &[Value]) {
        let Some(&(around, block, first)) = self.loops.last() else {
            return;
        };
        if !self.found.rotations.contains_key(&around) {
            return;
        }
        let args = self.body.block(block).args.iter().skip(first);
        let mut next: FxHashMap<Value, Value> = FxHashMap::default();
        for (&arg, &value) in args.zip(values) {
            if !self.is_buffer(arg) {
                continue;
            }
            let root = |value: Value| match self.found.locations(value) {
                [location] => Some(*location),
                _ => None,
            };
            let stage = match (root(value), root(arg)) {
                (
                    Some(Location {
                        root,
                        part:
                            Part::Rotating {
                                around: from,
                                argument,
                            },
                    }),
                    Some(own),
                ) if from == around && own.root == root => Some(argument),
                _ => None,
            };
            let is_new = stage.is_some_and(|stage| next.insert(stage, arg).is_none());
            if !is_new {
                self.failed = Some(around);
            }
        }
        if let Some(known) = self.found.rotations.get_mut(&around) {
            if !known.next.is_empty() && known.next != next {
                self.failed = Some(around);
            }
            known.next = next;
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
    /// An asynchronous copy, which this thread began earlier, has written it.
    Ends,
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
