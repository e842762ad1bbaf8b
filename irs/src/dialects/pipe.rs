//! Pipes: rings of stages that one end fills and the other empties; and mutexes, which order agents.
//!
//! A stage goes from the producer to the consumer and back. The producer's `acquire` waits until it is empty, `commit`
//! hands it over; the consumer's `wait` waits until it is full, `release` gives it back. Between them the end holds a
//! token: a stage is accessed by who holds its token, and the token is given up once. The state of an end is the index
//! of its next stage, the phase of that stage's barrier, and how many stages went by, as in CUTLASS (`PipelineState`).
//!
//! The kind of a pipe says how a stage becomes full, and so who arrives at its two barriers and how often:
//!
//! | kind | full | empty |
//! |---|---|---|
//! | `cp_async_group` | no barrier: the producer, which is the consumer, waits for its own groups of copies | no barrier |
//! | `cp_async_mbarrier` | each thread of the producer, when its copies have arrived | each thread of the consumers |
//! | `tma` | one thread of the producer, with the bytes of a stage expected at `acquire` | one thread of each consumer's warps |
//! | `tma_store` | no barrier: stores are read from stages in groups | no barrier |
//! | `threads` | each thread of the producer | each thread of the consumers |
//! | `umma` | the tensor core, once | each thread of the consumers |

use tilewright_diagnostics::Code;

use crate::core::{
    Arg, Args, Body, Language, OpData, Operation, Term, TermCodec, TermError, Value, ValueType,
};
use crate::element::ElementType;

crate::keywords! {
    /// How a stage of a pipe becomes full.
    pub enum PipeKind {
        /// By `cp.async` of the agent that reads it, in groups.
        CpAsyncGroup = "cp_async_group",
        /// By `cp.async` of another agent, which arrives at a barrier when its copies have.
        CpAsyncMbarrier = "cp_async_mbarrier",
        /// By the tensor memory accelerator, whose bytes a barrier counts.
        Tma = "tma",
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

/// How often the barriers of a stage are arrived at in one phase; a barrier that a kind lacks has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrivals {
    /// At the barrier that says that the stage is full.
    pub full: u32,
    /// At the one that says that it is empty.
    pub empty: u32,
}

impl PipeKind {
    /// What the kind says of a pipe between agents of so many warps.
    pub fn arrivals(self, producer_warps: u32, consumer_warps: u32) -> Arrivals {
        let threads = |warps: u32| warps.saturating_mul(32);
        let (full, empty) = match self {
            Self::CpAsyncGroup | Self::TmaStore => (0, 0),
            Self::CpAsyncMbarrier | Self::Threads => (threads(producer_warps), threads(consumer_warps)),
            Self::Tma => (1, consumer_warps),
            Self::Umma => (1, threads(consumer_warps)),
        };
        Arrivals { full, empty }
    }

    /// Whether stages have barriers.
    pub fn has_barriers(self) -> bool {
        match self {
            Self::CpAsyncGroup | Self::TmaStore => false,
            Self::CpAsyncMbarrier | Self::Tma | Self::Threads | Self::Umma => true,
        }
    }
}

/// A type of this dialect: `pipe<tma, stages = 4>`, `pipe_state<4>`, `pipe_token<tma, producer>`, `mutex<2>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PipeType {
    /// A ring of stages.
    Pipe {
        /// How stages become full.
        kind: PipeKind,
        /// How many there are.
        stages: u32,
    },
    /// Where an end of a pipe of so many stages is: index, phase and count.
    State(u32),
    /// What an end holds while it may access a stage.
    Token {
        /// How stages of the pipe become full.
        kind: PipeKind,
        /// Whose stage it is.
        end: PipeEnd,
    },
    /// An order among so many agents.
    Mutex(u32),
}

/// The most stages of a pipe: more than any shared memory holds.
const MAX_STAGES: u32 = 1 << 10;

impl PipeType {
    /// Whether a word begins one of these types.
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
        /// A ring of stages over buffers, one stage of each. Agents are named; `full` and `empty` say how often the
        /// barriers of a stage are arrived at in a phase, as the kind wants it; `bytes` how many a stage receives, for
        /// `tma`. The barriers, two of 8 bytes a stage, full ones first, lie in the buffer `barriers`.
        Create "create" {
            buffers: Vec<Value>, barriers: Option<Value>,
            producer: String, consumers: Vec<String>, full: u32, empty: u32, bytes: Option<u32>
        } -> 1, Updates(Shared, Barrier), Free [convergent];
        /// The state of an end before its first stage.
        State "state" { end: PipeEnd } -> 1, Pure, Free [free];
        /// The state after one stage more.
        Advance "advance" { state: Value } -> 1, Pure, Free;
        /// The number of the state's stage, an i32.
        Index "index" { state: Value } -> 1, Pure, Free [free];
        /// Waits until the stage is empty. Gives a view of its part of each buffer, and the token.
        Acquire "acquire" { pipe: Value, state: Value } -> *, Updates(Shared, Barrier), Free [convergent];
        /// Hands a stage over to the consumer, full when these copies have arrived.
        Commit "commit" { token: Value, copies: Vec<Value> } -> 0, Updates(Shared, Barrier), Free [convergent];
        /// Waits until the stage is full. Gives a view of its part of each buffer, and the token. In a pipe without
        /// barriers the last `in_flight` stages that were committed may still be under way.
        Wait "wait" { pipe: Value, state: Value, in_flight: Option<u32> } -> *, Updates(Shared, Barrier), Free [convergent];
        /// Gives a stage back to the producer.
        Release "release" { token: Value } -> 0, Updates(Shared, Barrier), Free [convergent];
        /// The producer waits until all its stages are empty again.
        Drain "drain" { pipe: Value, state: Value } -> 0, Updates(Shared, Barrier), Free [convergent];
        /// An order in which agents enter what they may not do at the same time: the first named first, each after the
        /// one before it, the first again after the last. Each agent uses one named barrier from `barrier` on.
        Mutex "mutex" { agents: Vec<String>, barrier: Option<u32> } -> 1, Updates(Barrier), Free [convergent];
        /// Waits for this agent's turn.
        Lock "lock" { mutex: Value } -> 0, Updates(Shared, Barrier), Free [convergent];
        /// Ends this agent's turn.
        Unlock "unlock" { mutex: Value } -> 0, Updates(Shared, Barrier), Free [convergent];
    }
}

/// A value type that may be one of this dialect.
pub trait PipeValue: ValueType {
    /// The type, if it is one of this dialect.
    fn pipe(&self) -> Option<PipeType>;
}

/// The rules that hold wherever there are pipes: which types go together. `scheduled` knows of agents besides.
///
/// # Errors
/// What is wrong with the op.
pub fn check<L: Language<Type: PipeValue>>(
    body: &Body<L>,
    op: &OpData<L>,
    own: &PipeOp,
) -> Result<(), (Code, String)> {
    let name = op.kind.name();
    let ty = |value: Value| body.ty(value).pipe();
    let refuse = |code: Code, message: String| Err((code, message));
    let stages = |state: Value| match ty(state) {
        Some(PipeType::State(stages)) => Ok(stages),
        _ => refuse(
            Code::OperandType,
            format!("`{name}` takes a state of a pipe, a `pipe_state<…>`"),
        )
        .map(|()| 0),
    };
    // The kind of a pipe whose end is in this state.
    let ring = |pipe: Value, state: Value| {
        let have = stages(state)?;
        match ty(pipe) {
            Some(PipeType::Pipe { kind, stages }) if stages == have => Ok(kind),
            Some(PipeType::Pipe { stages, .. }) => Err((
                Code::TypeMismatch,
                format!("the pipe has {stages} stages, the state counts through {have}"),
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
        PipeOp::Advance { state } => match (stages(*state)?, stages(op.result(0))?) {
            (from, to) if from == to => Ok(()),
            (from, to) => refuse(
                Code::TypeMismatch,
                format!("a state that counts through {from} stages becomes one that counts through {to}"),
            ),
        },
        PipeOp::Index { state } => {
            stages(*state)?;
            let result = body.ty(op.result(0));
            match result.is_single() && result.element() == Some(ElementType::I32) {
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
            let most = stages(*state)? - 1;
            match (kind.has_barriers(), in_flight) {
                (true, None) => Ok(()),
                (true, Some(_)) => refuse(
                    Code::AttributeValue,
                    format!("a pipe of kind `{kind}` waits at the stage's barrier, without `in_flight`"),
                ),
                (false, Some(count)) if *count <= most => Ok(()),
                (false, count) => {
                    let have = count.map_or("nothing".to_owned(), |count| count.to_string());
                    let message = format!(
                        "of {} stages 0 to {most} are under way while another is read; `in_flight` says {have}",
                        most + 1
                    );
                    refuse(Code::AttributeValue, message)
                }
            }
        }
        PipeOp::Drain { pipe, state } => ring(*pipe, *state).map(|_| ()),
        PipeOp::Commit { token, .. } => takes(*token, PipeEnd::Producer),
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
