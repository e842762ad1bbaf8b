//! Pipes: rings of stages between a producer and a consumer; and mutexes, by which agents take turns.
//!
//! A stage passes from the producer to the consumer and back. The producer's `acquire` waits until the stage is empty, and
//! `commit` marks it full; the consumer's `wait` waits until it is full, and `release` marks it empty. In between, an end holds a
//! token, without which it cannot access the stage, and which is consumed once. The state of an end is the index of its next
//! stage, the phase of that stage's barrier, and the number of stages passed, as in CUTLASS (`PipelineState`).
//!
//! Each consumer releases every stage. In a pipe with `in_turns` only one consumer does, and the agents keep track of whose turn
//! it is.
//!
//! The kind of a pipe determines how a stage becomes full, and so which threads arrive at its two barriers and how
//! often:
//!
//! | kind | full | empty |
//! |---|---|---|
//! | `cp_async_group` | no barrier: the producer, which is the consumer, waits for its own groups of copies | no barrier |
//! | `cp_async_mbarrier` | each thread of the producer, when its copies have arrived | each thread of the consumers |
//! | `tma` | one thread of the producer, with the bytes of a stage expected at `acquire` | one thread of each consumer's warps |
//! | `tma_multicast` | as `tma` | as `tma`, of all blocks of the cluster: a stage is filled by copies of each of them |
//! | `tma_store` | no barrier: stores are read from stages in groups | no barrier |
//! | `threads` | each thread of the producer | each thread of the consumers |
//! | `umma` | the tensor core, once | each thread of the consumers |

use tilewright_diagnostics::{Code, counted};
use tilewright_layouts::legality::Barrier;

use crate::core::{
    Arg, Args, Body, Flag, Language, OpData, Operation, Term, TermCodec, TermError, Value, ValueType,
};
use crate::element::ElementType;
use crate::machine::threads;

crate::keywords! {
    /// The mechanism that fills a stage of a pipe.
    pub enum PipeKind {
        /// By `cp.async` of the agent that reads it, in groups.
        CpAsyncGroup = "cp_async_group",
        /// By `cp.async` of another agent, which arrives at a barrier when its copies are complete.
        CpAsyncMbarrier = "cp_async_mbarrier",
        /// By the tensor memory accelerator, with transaction bytes counted by a barrier.
        Tma = "tma",
        /// Like `tma`, by all blocks of the cluster together: copies with a multicast atom fill the stage of each block.
        TmaMulticast = "tma_multicast",
        /// By ordinary stores, for the tensor memory accelerator to read.
        TmaStore = "tma_store",
        /// By ordinary stores.
        Threads = "threads",
        /// By matrix products of a tensor core into tensor memory.
        Umma = "umma",
    }
}

crate::keywords! {
    /// An end of a pipe.
    pub enum PipeEnd {
        /// It fills stages.
        Producer = "producer",
        /// It empties them.
        Consumer = "consumer",
    }
}

/// The number of arrivals per phase at the barriers of a stage; 0 for a barrier that the kind lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrivals {
    /// At the full barrier.
    pub full: u32,
    /// At the empty barrier.
    pub empty: u32,
}

impl PipeKind {
    /// The arrivals of a pipe between agents of this many warps, in clusters of this many blocks.
    pub fn arrivals(self, producer_warps: u32, consumer_warps: u32, blocks: u32) -> Arrivals {
        let (full, empty) = match self {
            Self::CpAsyncGroup | Self::TmaStore => (0, 0),
            Self::CpAsyncMbarrier | Self::Threads => (threads(producer_warps), threads(consumer_warps)),
            Self::Tma => (1, consumer_warps),
            Self::TmaMulticast => (1, consumer_warps.saturating_mul(blocks)),
            Self::Umma => (1, threads(consumer_warps)),
        };
        Arrivals { full, empty }
    }

    /// Whether the stages are filled or read by copies through tensor maps.
    pub fn copies_tensors(self) -> bool {
        match self {
            Self::Tma | Self::TmaMulticast | Self::TmaStore => true,
            Self::CpAsyncGroup | Self::CpAsyncMbarrier | Self::Threads | Self::Umma => false,
        }
    }

    /// Whether barriers count the bytes of the copies into stages.
    pub fn counts_bytes(self) -> bool {
        match self {
            Self::Tma | Self::TmaMulticast => true,
            Self::CpAsyncGroup | Self::CpAsyncMbarrier | Self::TmaStore | Self::Threads | Self::Umma => false,
        }
    }

    /// Whether stages have barriers. Without them, one agent both fills and reads the stages.
    pub fn has_barriers(self) -> bool {
        match self {
            Self::CpAsyncGroup | Self::TmaStore => false,
            Self::CpAsyncMbarrier | Self::Tma | Self::TmaMulticast | Self::Threads | Self::Umma => true,
        }
    }
}

/// A type of this dialect: `pipe<tma, stages = 4>`, `pipe_state<4>`, `pipe_token<tma, producer>`, `mutex<2>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PipeType {
    /// A ring of stages.
    Pipe {
        /// The mechanism that fills stages.
        kind: PipeKind,
        /// The number of stages.
        stages: u32,
    },
    /// The state of an end of a pipe with this many stages: index, phase and count.
    State(u32),
    /// The right of an end to access a stage.
    Token {
        /// The mechanism that fills stages of the pipe.
        kind: PipeKind,
        /// The end of the pipe.
        end: PipeEnd,
    },
    /// An order among this many agents.
    Mutex(u32),
}

/// Stage limit of a pipe, beyond the size of shared memory.
const MAX_STAGES: u32 = 1 << 10;

impl PipeType {
    /// Whether a keyword begins one of these types.
    pub fn is_word(word: &str) -> bool {
        matches!(word, "pipe" | "pipe_state" | "pipe_token" | "mutex")
    }
}

impl TermCodec for PipeType {
    fn write(&self) -> Term {
        match self {
            Self::Pipe { kind, stages } => {
                let stages = Arg::named("stages", Term::int(*stages));
                Term::call("pipe", vec![kind.write().into(), stages])
            }
            Self::State(stages) => Term::call("pipe_state", vec![Term::int(*stages).into()]),
            Self::Token { kind, end } => {
                Term::call("pipe_token", vec![kind.write().into(), end.write().into()])
            }
            Self::Mutex(agents) => Term::call("mutex", vec![Term::int(*agents).into()]),
        }
    }

    fn read(term: &Term) -> Result<Self, TermError> {
        let Some((word, list)) = term.as_call() else {
            return Err(term.wrong("a type of `pipe`"));
        };
        let mut args = Args::new(term, list);
        let count = |term: &Term, least: u32, what: &str| -> Result<u32, TermError> {
            let expected = format!("{what}, {least} to {MAX_STAGES}");
            let count: u32 = term.to_int(&expected)?;
            match (least..=MAX_STAGES).contains(&count) {
                true => Ok(count),
                false => Err(term.wrong(expected)),
            }
        };
        let ty = match word {
            "pipe" => Self::Pipe {
                kind: PipeKind::read(args.next("a kind of pipe")?)?,
                stages: count(args.required("stages")?, 1, "a number of stages")?,
            },
            "pipe_state" => Self::State(count(args.next("a number of stages")?, 1, "a number of stages")?),
            "pipe_token" => Self::Token {
                kind: PipeKind::read(args.next("a kind of pipe")?)?,
                end: PipeEnd::read(args.next("`producer` or `consumer`")?)?,
            },
            "mutex" => Self::Mutex(count(args.next("a number of agents")?, 2, "a number of agents")?),
            _ => return Err(term.wrong("`pipe<…>`, `pipe_state<…>`, `pipe_token<…>` or `mutex<…>`")),
        };
        args.finish()?;
        Ok(ty)
    }
}

crate::dialect! {
    /// Rings of stages between agents, and mutexes.
    pub enum PipeOp: "pipe" {
        /// A ring of stages over buffers, one stage of each. Agents are named; `full` and `empty` are the arrivals
        /// per phase at the barriers of a stage, which the kind determines; `bytes` the transaction bytes of a stage,
        /// for `tma` and `tma_multicast`. With `in_turns` only one of the consumers waits for each stage and releases it.
        /// The barriers, two of 8 bytes per stage, full ones first, are in the buffer `barriers`.
        Create "create" {
            buffers: Vec<Value>, barriers: Option<Value>,
            producer in Staging: String, consumers in Staging: Vec<String>, in_turns in Staging: Flag, full in Staging: u32, empty in Staging: u32, bytes in Staging: Option<u32>
        } -> 1, Updates(Shared, Barrier), Free [convergent];
        /// The initial state of an end.
        State "state" { end: PipeEnd } -> 1, Pure, Free [free];
        /// The state of the next stage, or of the stage `count` further on, an i32.
        Advance "advance" { state: Value, count: Option<Value> } -> 1, Pure, Free;
        /// The index of the state's stage, an i32.
        Index "index" { state: Value } -> 1, Pure, Free [free];
        /// Waits until the stage is empty. Yields a view of the stage in each buffer, and the token. Where tiles with different
        /// layouts take the stages in turn, a view has the layout of its tile.
        Acquire "acquire" { pipe: Value, state: Value } -> *, Updates(Shared, Barrier), Free [convergent];
        /// The barrier at which the bytes of a stage's copies are counted, in a pipe of kind `tma` or `tma_multicast`. Per-thread code only.
        Barrier "barrier" { token: Value } -> 1, Pure, Free [free];
        /// Commits a stage, which becomes full when these copies are complete.
        Commit "commit" { token: Value, copies: Vec<Value> } -> 0, Updates(Shared, Barrier), Free [convergent];
        /// Waits until the stage is full. Yields a view of the stage in each buffer, and the token. In a pipe without
        /// barriers the last `in_flight` stages that the agent has committed may still be pending, of this pipe and of
        /// others; without `in_flight` there are no copies to wait for.
        Wait "wait" { pipe: Value, state: Value, in_flight in Staging: Option<u32> } -> *, Updates(Shared, Barrier), Free [convergent];
        /// Releases a stage to the producer.
        Release "release" { token: Value } -> 0, Updates(Shared, Barrier), Free [convergent];
        /// Waits, in the producer, until all stages are empty.
        Drain "drain" { pipe: Value, state: Value } -> 0, Updates(Shared, Barrier), Free [convergent];
        /// An order in which agents enter critical sections: the first named one first, each after the one before it,
        /// the first again after the last. Each agent uses one named barrier from `barrier` on.
        Mutex "mutex" { agents in Staging: Vec<String>, barrier in Staging: Option<u32> } -> 1, Updates(Barrier), Free [convergent];
        /// Waits for this agent's turn.
        Lock "lock" { mutex: Value } -> 0, Updates(Shared, Barrier), Free [convergent];
        /// Passes the turn to the next agent.
        Unlock "unlock" { mutex: Value } -> 0, Updates(Shared, Barrier), Free [convergent];
    }
}

impl PipeType {
    /// The kind of a pipe, or of the pipe of a token.
    pub fn kind(self) -> Option<PipeKind> {
        match self {
            Self::Pipe { kind, .. } | Self::Token { kind, .. } => Some(kind),
            Self::State(_) | Self::Mutex(_) => None,
        }
    }
}

/// A value type that may be one of this dialect.
pub trait PipeValue: ValueType {
    /// The type, if it is one of this dialect.
    fn pipe(&self) -> Option<PipeType>;
}

/// Checks the address in shared memory of a pipe's barriers, as far as `address` knows it.
///
/// # Errors
/// It is not one of a barrier, with the numbers.
pub fn check_barriers(own: &PipeOp, address: &dyn Fn(Value) -> Option<u32>) -> Result<(), (Code, String)> {
    let PipeOp::Create {
        barriers: Some(barriers),
        full,
        ..
    } = own
    else {
        return Ok(());
    };
    let first = Barrier {
        address: address(*barriers).unwrap_or(0),
        arrivals: (*full).max(1),
    };
    first
        .check()
        .map_err(|violations| (Code::HardwareLimit, violations.to_string()))
}

/// Verifies the types of pipe ops in any language; `scheduled` also checks the agents.
///
/// # Errors
/// The error.
pub fn check<L: Language<Type: PipeValue>>(
    body: &Body<L>,
    op: &OpData<L>,
    own: &PipeOp,
) -> Result<(), (Code, String)> {
    let name = op.kind.name();
    let ty = |value: Value| body.ty(value).pipe();
    let refuse = |code: Code, message: String| Err((code, message));
    let is_i32 = |value: Value| {
        let ty = body.ty(value);
        ty.is_single() && ty.element() == Some(ElementType::I32)
    };
    let stages = |state: Value| match ty(state) {
        Some(PipeType::State(stages)) => Ok(stages),
        _ => refuse(
            Code::OperandType,
            format!("`{name}` takes a state of a pipe, a `pipe_state<…>`"),
        )
        .map(|()| 0),
    };
    // The kind of a pipe with an end in this state.
    let ring = |pipe: Value, state: Value| {
        let have = stages(state)?;
        match ty(pipe) {
            Some(PipeType::Pipe { kind, stages }) if stages == have => Ok(kind),
            Some(PipeType::Pipe { stages, .. }) => Err((
                Code::TypeMismatch,
                format!(
                    "the pipe has {}, the state counts through {have}",
                    counted(stages, "stage")
                ),
            )),
            _ => Err((Code::OperandType, format!("`{name}` takes a `pipe<…>`"))),
        }
    };
    // The last result is the token.
    let gives = |kind: PipeKind, end: PipeEnd| match op.results().last().map(&ty) {
        Some(Some(token)) if token == (PipeType::Token { kind, end }) => Ok(()),
        _ => refuse(
            Code::TypeMismatch,
            format!("the last result of `{name}` is a `pipe_token<{kind}, {end}>`"),
        ),
    };
    let takes = |token: Value, want: PipeEnd| match ty(token) {
        Some(PipeType::Token { end, .. }) if end == want => Ok(()),
        _ => refuse(Code::OperandType, format!("`{name}` takes the token of a {want}")),
    };
    match own {
        PipeOp::Create { .. } => match ty(op.result(0)) {
            Some(PipeType::Pipe { .. }) => Ok(()),
            _ => refuse(Code::TypeMismatch, "the result is a `pipe<…>`".to_owned()),
        },
        PipeOp::State { .. } => stages(op.result(0)).map(|_| ()),
        PipeOp::Advance { state, count } => match (stages(*state)?, stages(op.result(0))?) {
            (from, to) if from == to => match count.is_none_or(is_i32) {
                true => Ok(()),
                false => refuse(
                    Code::OperandType,
                    "the number of stages to advance by is an i32".to_owned(),
                ),
            },
            (from, to) => refuse(
                Code::TypeMismatch,
                format!(
                    "a state that counts through {} becomes one that counts through {to}",
                    counted(from, "stage")
                ),
            ),
        },
        PipeOp::Index { state } => {
            stages(*state)?;
            match is_i32(op.result(0)) {
                true => Ok(()),
                false => refuse(Code::TypeMismatch, "the number of a stage is an i32".to_owned()),
            }
        }
        PipeOp::Acquire { pipe, state } => gives(ring(*pipe, *state)?, PipeEnd::Producer),
        PipeOp::Wait {
            pipe,
            state,
            in_flight,
        } => {
            let kind = ring(*pipe, *state)?;
            gives(kind, PipeEnd::Consumer)?;
            // Of all pipes whose stages become full in the order of their commits.
            let all = body.ops().filter_map(|(_, op)| match ty(op.results().next()?) {
                Some(PipeType::Pipe { kind: of, stages }) => (of == kind).then_some(stages),
                _ => None,
            });
            let most = all.sum::<u32>().max(stages(*state)?) - 1;
            match (kind.has_barriers(), in_flight) {
                (true, None) => Ok(()),
                (true, Some(_)) => refuse(
                    Code::AttributeValue,
                    format!("a pipe of kind `{kind}` waits at the stage's barrier, without `in_flight`"),
                ),
                (false, None) => Ok(()),
                (false, Some(count)) if *count <= most => Ok(()),
                (false, Some(count)) => {
                    let message = format!(
                        "of {} 0 to {most} are under way while another is read; `in_flight` says {count}",
                        counted(most + 1, "stage")
                    );
                    refuse(Code::AttributeValue, message)
                }
            }
        }
        PipeOp::Drain { pipe, state } => ring(*pipe, *state).map(|_| ()),
        PipeOp::Commit { token, .. } | PipeOp::Barrier { token } => takes(*token, PipeEnd::Producer),
        PipeOp::Release { token } => takes(*token, PipeEnd::Consumer),
        PipeOp::Mutex { agents, .. } => {
            let count = u32::try_from(agents.len()).unwrap_or(u32::MAX);
            match ty(op.result(0)) {
                Some(PipeType::Mutex(have)) if have == count => Ok(()),
                _ => refuse(
                    Code::TypeMismatch,
                    format!("the result is a `mutex<{count}>`, as many as agents are named"),
                ),
            }
        }
        PipeOp::Lock { mutex } | PipeOp::Unlock { mutex } => match ty(*mutex) {
            Some(PipeType::Mutex(_)) => Ok(()),
            _ => refuse(Code::OperandType, format!("`{name}` takes a `mutex<…>`")),
        },
    }
}
