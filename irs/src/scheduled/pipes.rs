//! Rules of pipes: the arrival counts follow from the agents; an access to a stage needs its token, which is consumed
//! exactly once on every path.

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_diagnostics::{Code, counted};
use tilewright_layouts::legality::MAX_BARRIER_COUNT;

use super::agents::{AgentSpec, agents};
use super::{Scheduled, ScheduledOp};
use crate::core::{Block, Body, Func, OpData, OpId, Operation, Origin, Problems, Region, Value};
use crate::dialects::pipe::{self, PipeEnd, PipeKind, PipeOp, PipeType, PipeValue};
use crate::dialects::scf::ScfOp;
use crate::element::ScalarType;
use crate::isa::rules::forms;
use crate::tileas::{Buffer, Space, TileAsDialect, TileAsType};

type Op = OpData<Scheduled>;

/// A pipe, with the attributes of the op that creates it.
struct Ring<'a> {
    buffers: Vec<&'a Buffer>,
    producer: &'a str,
    consumers: &'a [String],
}

pub(super) fn verify(func: &Func<Scheduled>, problems: &mut Problems) {
    let mut verifier = Verifier {
        func,
        agents: agents(func),
        rings: FxHashMap::default(),
        counted: counted_pipes(func),
        agent: None,
        problems,
    };
    verifier.region(func.body.root());
}

struct Verifier<'a, 'p> {
    func: &'a Func<Scheduled>,
    agents: Vec<AgentSpec>,
    /// The pipes, by their value.
    rings: FxHashMap<Value, Ring<'a>>,
    /// The pipes without barriers, whose stages are waited for by counting commits.
    counted: FxHashSet<Value>,
    /// The agent of the current op.
    agent: Option<usize>,
    problems: &'p mut Problems,
}

/// The pipe of each token that an op yields.
pub fn pipes_of_tokens(body: &Body<Scheduled>) -> FxHashMap<Value, Value> {
    let of_op = |(_, op): (OpId, &OpData<Scheduled>)| match op.kind {
        ScheduledOp::Pipe(PipeOp::Acquire { pipe, .. } | PipeOp::Wait { pipe, .. }) => {
            Some((op.results().last()?, pipe))
        }
        _ => None,
    };
    body.ops().filter_map(of_op).collect()
}

/// The pipes without barriers whose stages are filled by copies.
fn counted_pipes(func: &Func<Scheduled>) -> FxHashSet<Value> {
    let body = &func.body;
    let pipes = pipes_of_tokens(body);
    let counted = |op: &ScheduledOp| match op {
        ScheduledOp::Pipe(PipeOp::Commit { token, copies }) if !copies.is_empty() => {
            let kind = |pipe: Value| body.ty(pipe).pipe().and_then(PipeType::kind);
            let pipe = pipes.get(token).copied();
            pipe.filter(|&pipe| kind(pipe) == Some(PipeKind::CpAsyncGroup))
        }
        _ => None,
    };
    body.ops().filter_map(|(_, op)| counted(&op.kind)).collect()
}

impl<'a> Verifier<'a, '_> {
    fn pipe_type(&self, value: Value) -> Option<PipeType> {
        self.func.body.ty(value).pipe()
    }

    fn error(&mut self, origin: Origin, code: Code, message: impl Into<String>) {
        self.problems.error(origin, code, message);
    }

    fn region(&mut self, region: Region) {
        for &block in &self.func.body.region(region).blocks {
            for &id in &self.func.body.block(block).ops {
                let op = self.func.body.op(id);
                if let ScheduledOp::Pipe(own) = &op.kind {
                    self.op(op, own);
                    self.tokens(block, op);
                }
                let agent = self.agents.iter().position(|agent| agent.op == id);
                let outer = self.agent;
                self.agent = agent.or(outer);
                op.kind.regions(&mut |inner| self.region(inner));
                self.agent = outer;
            }
            // A token that a loop carries is live from the loop's body on.
            for &arg in &self.func.body.block(block).args {
                self.held(block, 0, arg);
            }
        }
    }

    fn op(&mut self, op: &'a Op, own: &'a PipeOp) {
        if let Err((code, message)) = pipe::check(&self.func.body, op, own) {
            return self.error(op.origin, code, message);
        }
        match own {
            PipeOp::Create { .. } => self.create(op, own),
            PipeOp::Acquire { pipe, .. } => {
                self.end(op, *pipe, PipeEnd::Producer);
                self.views(op, *pipe);
            }
            PipeOp::Wait { pipe, in_flight, .. } => {
                self.end(op, *pipe, PipeEnd::Consumer);
                self.views(op, *pipe);
                if in_flight.is_none() && self.counted.contains(pipe) {
                    let message = "copies fill the stages of this pipe, which has no barriers: `in_flight` says how many \
                                   later stages may still be pending";
                    self.error(op.origin, Code::AttributeValue, message);
                }
            }
            PipeOp::Drain { pipe, .. } => self.end(op, *pipe, PipeEnd::Producer),
            PipeOp::Commit { copies, .. } => {
                let pending = |value: &Value| matches!(self.func.body.ty(*value), TileAsType::Pending(_));
                if !copies.iter().all(pending) {
                    let message = "what a stage waits for is pending copies";
                    self.error(op.origin, Code::OperandType, message);
                }
            }
            PipeOp::Mutex { agents, .. } => self.mutex(op, agents),
            PipeOp::Lock { mutex } | PipeOp::Unlock { mutex } => self.turn(op, *mutex),
            PipeOp::Barrier { .. } => {
                let message = "`pipe.barrier` belongs to the code of a thread, in `cute_desugared`";
                self.error(op.origin, Code::MisplacedOp, message);
            }
            PipeOp::State { .. } | PipeOp::Advance { .. } | PipeOp::Index { .. } | PipeOp::Release { .. } => {
            }
        }
    }

    fn create(&mut self, op: &'a Op, own: &'a PipeOp) {
        let PipeOp::Create {
            buffers,
            barriers,
            producer,
            consumers,
            in_turns,
            full,
            empty,
            bytes,
        } = own
        else {
            return;
        };
        let origin = op.origin;
        let Some(PipeType::Pipe { kind, stages }) = self.pipe_type(op.result(0)) else {
            return self.error(origin, Code::TypeMismatch, "the result is a `pipe<…>`");
        };
        let target = self.func.attrs.target;
        if let Some(need) = forms::tensor_copy().filter(|_| kind.copies_tensors())
            && !target.provides(need)
        {
            let message = format!("a pipe of kind `{kind}` needs {need}; the target is {target}");
            self.error(origin, Code::TargetLacksFeature, message);
        }
        let rings: Vec<Option<&Buffer>> = buffers
            .iter()
            .map(|&buffer| self.func.body.ty(buffer).buffer())
            .collect();
        let Some(rings) = rings.into_iter().collect::<Option<Vec<&Buffer>>>() else {
            return self.error(
                origin,
                Code::OperandType,
                "a pipe is a ring of stages over buffers",
            );
        };
        for buffer in &rings {
            if buffer.stages != stages {
                let message = format!(
                    "the pipe has {}, a buffer of it {}",
                    counted(stages, "stage"),
                    buffer.stages
                );
                self.error(origin, Code::TypeMismatch, message);
            }
        }
        for &buffer in buffers {
            self.only_use(buffer, op);
        }
        self.storage(op, kind, stages, *barriers);
        let expected: u64 = rings.iter().map(|buffer| buffer.stage_bytes()).sum();
        let ring = Ring {
            buffers: rings,
            producer,
            consumers,
        };
        self.rings.insert(op.result(0), ring);
        match (kind, bytes) {
            (kind, Some(bytes)) if kind.counts_bytes() && u64::from(*bytes) == expected => {}
            (kind, bytes) if kind.counts_bytes() => {
                let have = bytes.map_or("none".to_owned(), |bytes| bytes.to_string());
                let message = format!(
                    "a stage receives {}, `bytes` says {have}",
                    counted(expected, "byte")
                );
                self.error(origin, Code::AttributeValue, message);
            }
            (_, None) => {}
            (_, Some(_)) => {
                let message = format!("a pipe of kind `{kind}` counts no bytes");
                self.error(origin, Code::AttributeValue, message);
            }
        }
        let warps = |name: &str| {
            let agent = self.agents.iter().find(|agent| agent.name == name);
            agent.map(|agent| agent.warps).ok_or_else(|| name.to_owned())
        };
        let filled = warps(producer);
        let emptied: Result<Vec<u32>, String> = consumers.iter().map(|name| warps(name)).collect();
        let (filled, emptied) = match (filled, emptied) {
            (Ok(filled), Ok(emptied)) => (filled, emptied),
            (Err(name), _) | (_, Err(name)) => {
                let message = format!("there is no agent \"{name}\"");
                return self.error(origin, Code::UnknownSymbol, message);
            }
        };
        let alone = matches!(consumers.as_slice(), [only] if only == producer);
        if !kind.has_barriers() && !alone {
            let message = format!("one agent is both ends of a pipe of kind `{kind}`, which has no barriers");
            self.error(origin, Code::AttributeValue, message);
        }
        if kind.has_barriers() && consumers.contains(producer) {
            let message = format!("agent \"{producer}\" cannot fill the stages that it waits for");
            self.error(origin, Code::AttributeValue, message);
        }
        if in_turns.0 && emptied.iter().any(|warps| Some(warps) != emptied.first()) {
            let message = "consumers that take the stages in turns have the same number of warps";
            self.error(origin, Code::AttributeValue, message);
        }
        let (emptied, who_empties) = match in_turns.0 {
            true => (
                emptied.first().copied().unwrap_or(0),
                "the consumer whose turn it is",
            ),
            false => (
                emptied.iter().fold(0u32, |sum, &warps| sum.saturating_add(warps)),
                "the consumers, taken together",
            ),
        };
        let blocks = self.func.attrs.kernel_spec.num_ctas;
        if kind == PipeKind::TmaMulticast && blocks < 2 {
            let message = format!(
                "all blocks of a cluster fill the stages of a pipe of kind `{kind}`; with `num_ctas = {blocks}` there is no \
                 other one"
            );
            return self.error(origin, Code::AttributeValue, message);
        }
        let want = kind.arrivals(filled, emptied, blocks);
        let mut arrivals = |what: &str, who: &str, warps: u32, have: u32, want: u32| {
            if have != want || have > MAX_BARRIER_COUNT {
                let message = format!(
                    "the {what} barrier of a stage is arrived at {} in the text; in a pipe of kind `{kind}` {who}, of {}, \
                     should arrive {}",
                    counted(have, "time"),
                    counted(warps, "warp"),
                    counted(want, "time")
                );
                self.problems.error(origin, Code::AttributeValue, message);
            }
        };
        arrivals("full", "the producer", filled, *full, want.full);
        arrivals("empty", who_empties, emptied, *empty, want.empty);
    }

    /// Checks that a ring's buffer is used by its pipe only, so that stages are accessed through the pipe.
    fn only_use(&mut self, buffer: Value, create: &Op) {
        for (_, other) in self.func.body.ops() {
            if std::ptr::eq(other, create) || !other.kind.operand_list().contains(&buffer) {
                continue;
            }
            let message = format!(
                "`{}` uses a stage without its token: the buffer is a ring of a pipe, whose stages `pipe.acquire` and \
                 `pipe.wait` give",
                other.kind.name()
            );
            self.problems.error(other.origin, Code::MisplacedOp, message);
        }
    }

    fn storage(&mut self, op: &Op, kind: PipeKind, stages: u32, barriers: Option<Value>) {
        match (kind.has_barriers(), barriers) {
            (false, None) => {}
            (false, Some(_)) => {
                let message = format!("a pipe of kind `{kind}` has no barriers to store");
                self.error(op.origin, Code::OperandCount, message);
            }
            (true, None) => {
                let message = format!(
                    "a pipe of kind `{kind}` stores {} barriers of 8 bytes",
                    2 * stages
                );
                self.error(op.origin, Code::OperandCount, message);
            }
            (true, Some(storage)) => {
                let have = self.func.body.ty(storage).buffer();
                let fits = have.is_some_and(|buffer| {
                    buffer.space == Space::Shared
                        && buffer.element == ScalarType::I64
                        && buffer.stages == 1
                        && buffer.bytes() >= 16 * u64::from(stages)
                });
                if !fits {
                    let message = format!(
                        "the {} barriers of {} lie in a buffer of `i64` in shared memory, of at least {} bytes",
                        2 * stages,
                        counted(stages, "stage"),
                        16 * stages
                    );
                    self.error(op.origin, Code::OperandType, message);
                }
                self.only_use(storage, op);
            }
        }
    }

    /// Checks that the op is in an agent that has this end of the pipe.
    fn end(&mut self, op: &Op, pipe: Value, end: PipeEnd) {
        let Some(ring) = self.rings.get(&pipe) else {
            let message = "a pipe is used where `pipe.create` made it, not passed on";
            return self.error(op.origin, Code::OperandType, message);
        };
        let name = self
            .agent
            .and_then(|agent| self.agents.get(agent))
            .map(|agent| &agent.name);
        let fits = name.is_some_and(|name| match end {
            PipeEnd::Producer => ring.producer == name,
            PipeEnd::Consumer => ring.consumers.contains(name),
        });
        if !fits {
            let who = match end {
                PipeEnd::Producer => format!("the producer, agent \"{}\"", ring.producer),
                PipeEnd::Consumer => format!("a consumer, agent \"{}\"", ring.consumers.join("\" or \"")),
            };
            let message = format!("`{}` is done by {who}", op.kind.name());
            self.error(op.origin, Code::MisplacedOp, message);
        }
    }

    /// Checks that the results are a view of the stage in each buffer, by its own layout or by another one, and the token.
    fn views(&mut self, op: &Op, pipe: Value) {
        let Some(ring) = self.rings.get(&pipe) else { return };
        let mut have: Vec<&TileAsType> = op.results().map(|result| self.func.body.ty(result)).collect();
        have.pop();
        let is_stage = |(buffer, view): (&&Buffer, &&TileAsType)| {
            let stage = buffer.stage();
            view.buffer()
                .is_some_and(|view| *view == stage || view.shares_bytes_with(&stage))
        };
        if have.len() != ring.buffers.len() || !ring.buffers.iter().zip(&have).all(is_stage) {
            let message = format!(
                "`{}` gives one stage of each buffer of the pipe, {} in all, and the token; each is as large as the buffer's \
                 stages, of the same elements",
                op.kind.name(),
                ring.buffers.len()
            );
            self.error(op.origin, Code::TypeMismatch, message);
        }
    }

    fn mutex(&mut self, op: &Op, names: &[String]) {
        for (i, name) in names.iter().enumerate() {
            if !self.agents.iter().any(|agent| agent.name == *name) {
                let message = format!("there is no agent \"{name}\"");
                self.error(op.origin, Code::UnknownSymbol, message);
            }
            if names.iter().take(i).any(|other| other == name) {
                let message = format!("agent \"{name}\" is named twice");
                self.error(op.origin, Code::AttributeValue, message);
            }
        }
    }

    fn turn(&mut self, op: &Op, mutex: Value) {
        let made = self
            .func
            .body
            .ops()
            .find(|(_, made)| made.results().any(|result| result == mutex));
        let Some(ScheduledOp::Pipe(PipeOp::Mutex { agents, .. })) = made.map(|(_, made)| &made.kind) else {
            let message = "a mutex is used where `pipe.mutex` made it, not passed on";
            return self.error(op.origin, Code::OperandType, message);
        };
        let name = self
            .agent
            .and_then(|agent| self.agents.get(agent))
            .map(|agent| &agent.name);
        if !name.is_some_and(|name| agents.contains(name)) {
            let message = format!("the mutex orders agents \"{}\"", agents.join("\", \""));
            self.error(op.origin, Code::MisplacedOp, message);
        }
    }

    /// Checks that the token of an op is consumed once, and that the views of the stage are not used after that.
    fn tokens(&mut self, block: Block, op: &Op) {
        let ops = &self.func.body.block(block).ops;
        let at = ops.iter().position(|&id| std::ptr::eq(self.func.body.op(id), op));
        let results: Vec<Value> = op.results().collect();
        if let (Some(at), Some(&token)) = (at, results.last())
            && matches!(self.pipe_type(token), Some(PipeType::Token { .. }))
        {
            let views = results.iter().copied().filter(|&value| value != token);
            self.follow(block, at + 1, token, views.collect());
        }
    }

    fn held(&mut self, block: Block, from: usize, value: Value) {
        if matches!(self.pipe_type(value), Some(PipeType::Token { .. })) {
            self.follow(block, from, value, FxHashSet::default());
        }
    }

    fn follow(&mut self, block: Block, from: usize, token: Value, views: FxHashSet<Value>) {
        let mut path = Path {
            func: self.func,
            token,
            views,
            wrong: Vec::new(),
        };
        if let Some(false) = path.block(block, from, false) {
            let message =
                "a stage is never given back: its token is neither committed nor released, nor carried on";
            if let Some(last) = self.func.body.terminator(block) {
                path.wrong
                    .push((self.func.body.op(last).origin, Code::MisplacedOp, message));
            }
        }
        for (origin, code, message) in path.wrong {
            self.problems.error(origin, code, message);
        }
    }
}

/// A search for the uses of a token and of its stage's views, along every path from the op that yields them.
struct Path<'a> {
    func: &'a Func<Scheduled>,
    token: Value,
    /// The views of the stage, and the views that are derived from them.
    views: FxHashSet<Value>,
    wrong: Vec<(Origin, Code, &'static str)>,
}

impl Path<'_> {
    /// Whether the token has been consumed at the end of the block; `None` if the block does not continue on this path.
    fn block(&mut self, block: Block, from: usize, mut given: bool) -> Option<bool> {
        let func = self.func;
        for &id in func.body.block(block).ops.iter().skip(from) {
            let op = func.body.op(id);
            let operands = op.kind.operand_list();
            if given && operands.iter().any(|value| self.views.contains(value)) {
                let message = "a stage is used without its token, which was given up before";
                self.wrong.push((op.origin, Code::MisplacedOp, message));
            }
            let uses = operands.iter().filter(|&&value| value == self.token).count();
            if uses > 1 || (uses == 1 && given) {
                let message = "a token is given up twice";
                self.wrong.push((op.origin, Code::MisplacedOp, message));
            }
            given |= uses > 0;
            self.derive(op, &operands);
            match &op.kind {
                ScheduledOp::Scf(ScfOp::If { then, otherwise, .. }) => {
                    let ends = [*then, *otherwise].map(|branch| self.branch(branch, given));
                    match ends {
                        [Some(yes), Some(no)] if yes != no => {
                            let message = "a token is given up in one branch and not in the other";
                            self.wrong.push((op.origin, Code::MisplacedOp, message));
                            given = true;
                        }
                        [Some(end), _] | [None, Some(end)] => given = end,
                        [None, None] => return None,
                    }
                }
                ScheduledOp::Scf(ScfOp::For { body, .. } | ScfOp::Loop { body, .. }) => {
                    let before = self.wrong.len();
                    let inside = self.branch(*body, given);
                    if !given && inside != Some(false) && self.gives_up(*body) {
                        self.wrong.truncate(before);
                        let message = "a token is given up in a loop that it was made outside of";
                        self.wrong.push((op.origin, Code::MisplacedOp, message));
                        given = true;
                    }
                }
                ScheduledOp::Scf(ScfOp::Continue { .. } | ScfOp::Break { .. } | ScfOp::Return {}) => {
                    return if given { None } else { Some(false) };
                }
                _ => {}
            }
        }
        Some(given)
    }

    fn branch(&mut self, region: Region, given: bool) -> Option<bool> {
        match self.func.body.only_block(region) {
            Some(block) => self.block(block, 0, given),
            None => Some(given),
        }
    }

    /// Whether an op in the region consumes the token.
    fn gives_up(&self, region: Region) -> bool {
        let blocks = self.func.body.region(region).blocks.iter();
        let mut ops = blocks.flat_map(|&block| &self.func.body.block(block).ops);
        ops.any(|&id| {
            let kind = &self.func.body.op(id).kind;
            kind.operand_list().contains(&self.token)
                || kind.region_list().into_iter().any(|inner| self.gives_up(inner))
        })
    }

    /// Adds a view that the op derives from a view of the stage.
    fn derive(&mut self, op: &Op, operands: &[Value]) {
        let is_view = matches!(
            &op.kind,
            ScheduledOp::TileAs(
                TileAsDialect::Subview { .. }
                    | TileAsDialect::Transpose { .. }
                    | TileAsDialect::Reinterpret { .. }
            )
        );
        if is_view && operands.iter().any(|value| self.views.contains(value)) {
            self.views.extend(op.results());
        }
    }
}
