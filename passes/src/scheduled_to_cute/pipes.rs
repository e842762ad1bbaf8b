//! Lowers stages of pipes to addresses, and mutexes to named barriers; the synchronisation of pipes is lowered later.

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Func, OpId, Origin, Translated, Value};
use tilewright_irs::cute_desugared::DesugaredType;
use tilewright_irs::dialects::gpu::GpuOp;
use tilewright_irs::dialects::pipe::{PipeKind, PipeOp, PipeType, PipeValue};
use tilewright_irs::scheduled::{Scheduled, ScheduledOp, agents};

use super::agent::{Agent, barrier};
use super::emit::{Cx, I32, at, bug, unsupported, when};
use super::tensor_maps;

/// A named barrier, and the number of its threads.
type Meeting = (u32, u32);

/// The named barriers at which an agent waits for its turn in a mutex and passes it on. An agent's turn begins when
/// the previous agent arrives at the agent's barrier. (CUTLASS: `OrderedSequenceBarrier`.)
pub(super) struct Turns {
    /// By mutex and agent: the barrier to wait at, and the barrier of the next agent.
    turns: FxHashMap<(Value, String), (Meeting, Meeting)>,
    /// The agent of the current op.
    agent: String,
}

impl Turns {
    /// The barriers of all agents.
    pub(super) fn of(func: &Func<Scheduled>) -> Self {
        let threads: FxHashMap<String, u32> = agents(func)
            .into_iter()
            .map(|agent| (agent.name.clone(), agent.threads()))
            .collect();
        let mut turns = FxHashMap::default();
        for (_, op) in func.body.ops() {
            let ScheduledOp::Pipe(PipeOp::Mutex {
                agents,
                barrier: Some(first),
            }) = &op.kind
            else {
                continue;
            };
            let count = agents.len();
            let own = |i: usize| {
                agents
                    .get(i)
                    .and_then(|name| threads.get(name))
                    .copied()
                    .unwrap_or(0)
            };
            // The participants of an agent's barrier are the agent and the previous one.
            let meeting = |i: usize| -> Meeting {
                let barrier = first.saturating_add(u32::try_from(i).unwrap_or(u32::MAX));
                (barrier, own(i).saturating_add(own((i + count - 1) % count)))
            };
            for (i, name) in agents.iter().enumerate() {
                let turn = (meeting(i), meeting((i + 1) % count));
                turns.insert((op.result(0), name.clone()), turn);
            }
        }
        Self {
            turns,
            agent: String::new(),
        }
    }

    /// Enters an agent, and returns the previous one.
    pub(super) fn enter(&mut self, name: &str) -> String {
        std::mem::replace(&mut self.agent, name.to_owned())
    }

    /// Returns to this agent.
    pub(super) fn leave(&mut self, outer: String) {
        self.agent = outer;
    }

    /// The prologue of an agent: the last agent of a mutex arrives once, so that the first one may begin.
    pub(super) fn begin(&self, cx: &mut Cx<'_>) {
        let mut firsts: Vec<Meeting> = Vec::new();
        for ((_, name), (wait, next)) in &self.turns {
            // The first barrier of a mutex has the lowest index.
            if *name == self.agent && next.0 < wait.0 {
                firsts.push(*next);
            }
        }
        firsts.sort_unstable();
        for (id, threads) in firsts {
            cx.build().effect(GpuOp::BarrierArrive { id, threads });
        }
    }

    fn turn(&self, mutex: Value, origin: Origin) -> Result<(Meeting, Meeting), Diagnostic<Origin>> {
        let turn = self.turns.get(&(mutex, self.agent.clone()));
        turn.copied().ok_or_else(|| {
            let message = "a mutex has no named barriers: run `assign_barriers` first";
            unsupported(origin, message)
        })
    }
}

/// The addresses of a stage in each buffer of the pipe.
fn views(cx: &mut Cx<'_>, id: OpId, pipe: Value, state: Value) -> Translated {
    let origin = cx.origin();
    let made = cx
        .from
        .ops()
        .find(|(_, op)| op.results().any(|result| result == pipe));
    let Some(ScheduledOp::Pipe(PipeOp::Create { buffers, .. })) = made.map(|(_, op)| &op.kind) else {
        return Err(bug(origin, "a pipe that is used where it was not made"));
    };
    let state = cx.one(state);
    let index = cx.value(PipeOp::Index { state }, I32);
    for (result, &buffer) in cx.old(id).results().zip(buffers) {
        let Some(ring) = cx.from.ty(buffer).buffer() else {
            return Err(bug(origin, "a pipe over something that is no buffer"));
        };
        let bytes = u64::from((ring.element_bits() / 8).max(1));
        let step = u32::try_from(ring.stage_bytes() / bytes)
            .map_err(|_| unsupported(origin, "a stage of 4 GiB or more"))?;
        let base = cx.one(buffer);
        let mut emit = at(cx);
        let step = emit.i32(step);
        let elements = emit.mul(index, step);
        let view = emit.add_offset(base, elements);
        cx.bind(result, [view]);
    }
    Ok(())
}

/// The bytes of the stage's copies are expected by the thread that issues them.
fn expect(cx: &mut Cx<'_>, pipe: Value, token: Value, agent: Agent) -> Translated {
    let origin = cx.origin();
    let made = cx
        .from
        .ops()
        .find(|(_, op)| op.results().any(|result| result == pipe));
    let (
        Some(ScheduledOp::Pipe(PipeOp::Create {
            bytes: Some(bytes), ..
        })),
        Some(issuer),
    ) = (made.map(|(_, op)| &op.kind), agent.issues)
    else {
        return Err(bug(
            origin,
            "a pipe of tensor copies without bytes, or outside of an agent",
        ));
    };
    let bytes = *bytes;
    let barrier = tensor_maps::bytes_barrier(cx, token);
    when(cx, issuer, &[], |cx| {
        cx.build().effect(GpuOp::MbarrierExpectTx { barrier, bytes });
        Ok(Vec::new())
    })?;
    Ok(())
}

/// Whether a buffer is a stage of a pipe of this kind, as its consumer has it.
pub(super) fn is_stage_of(cx: &Cx<'_>, buffer: Value, wanted: PipeKind) -> bool {
    cx.from.ops().any(|(_, op)| {
        matches!(&op.kind, ScheduledOp::Pipe(PipeOp::Wait { .. }))
            && op.results().any(|result| result == buffer)
            && op
                .results()
                .last()
                .is_some_and(|token| cx.from.ty(token).pipe().and_then(PipeType::kind) == Some(wanted))
    })
}

/// The token, the last result of an op.
fn token(cx: &Cx<'_>, id: OpId) -> Result<(Value, PipeType), Diagnostic<Origin>> {
    let last = cx.old(id).results().last();
    last.and_then(|token| Some((token, cx.from.ty(token).pipe()?)))
        .ok_or_else(|| bug(cx.origin(), "an op that gives no token"))
}

/// Lowers an op of a pipe or a mutex. A proxy fence precedes the release of the tokens that are `fenced`.
pub(super) fn lower(
    cx: &mut Cx<'_>,
    id: OpId,
    op: &PipeOp,
    agent: Agent,
    turns: &Turns,
    fenced: &FxHashSet<Value>,
) -> Translated {
    let old = cx.old(id);
    let ty = |cx: &Cx<'_>, value: Value| cx.from.ty(value).pipe().map(DesugaredType::Pipe);
    match op {
        PipeOp::Create {
            barriers,
            producer,
            consumers,
            in_turns,
            full,
            empty,
            bytes,
            ..
        } => {
            let Some(ty) = ty(cx, old.result(0)) else {
                return Err(bug(old.origin, "a pipe of another type"));
            };
            let made = PipeOp::Create {
                buffers: Vec::new(),
                barriers: barriers.map(|barriers| cx.one(barriers)),
                producer: producer.clone(),
                consumers: consumers.clone(),
                in_turns: *in_turns,
                full: *full,
                empty: *empty,
                bytes: *bytes,
            };
            let pipe = cx.value(made, ty);
            cx.bind(old.result(0), [pipe]);
        }
        PipeOp::State { .. } | PipeOp::Advance { .. } => {
            let Some(ty) = ty(cx, old.result(0)) else {
                return Err(bug(old.origin, "a state of another type"));
            };
            let made = match op {
                PipeOp::Advance { state, count } => PipeOp::Advance {
                    state: cx.one(*state),
                    count: count.map(|count| cx.one(count)),
                },
                _ => op.clone(),
            };
            let state = cx.value(made, ty);
            cx.bind(old.result(0), [state]);
        }
        PipeOp::Index { state } => {
            let state = cx.one(*state);
            let index = cx.value(PipeOp::Index { state }, I32);
            cx.bind(old.result(0), [index]);
        }
        PipeOp::Acquire { pipe, state } | PipeOp::Wait { pipe, state, .. } => {
            let (result, token) = token(cx, id)?;
            let (new_pipe, new_state) = (cx.one(*pipe), cx.one(*state));
            let kind = token.kind();
            let made = match op {
                PipeOp::Wait { in_flight, .. } => PipeOp::Wait {
                    pipe: new_pipe,
                    state: new_state,
                    in_flight: *in_flight,
                },
                _ => PipeOp::Acquire {
                    pipe: new_pipe,
                    state: new_state,
                },
            };
            let acquires = matches!(made, PipeOp::Acquire { .. });
            let token = cx.value(made, DesugaredType::Pipe(token));
            match (kind, acquires) {
                // The thread that stores has waited until its copies have read the stage.
                (Some(PipeKind::TmaStore), true) => barrier(cx, agent),
                (Some(kind), true) if kind.counts_bytes() => expect(cx, *pipe, token, agent)?,
                _ => {}
            }
            cx.bind(result, [token]);
            views(cx, id, *pipe, *state)?;
        }
        PipeOp::Barrier { .. } => return Err(bug(old.origin, "an op of per-thread code")),
        PipeOp::Commit { token, copies } => {
            let kind = cx.from.ty(*token).pipe().and_then(PipeType::kind);
            // A group of no copies would count among those in flight.
            if kind == Some(PipeKind::CpAsyncGroup) && copies.is_empty() {
                return Ok(());
            }
            let stores = kind == Some(PipeKind::TmaStore);
            let (token, copies) = (cx.one(*token), Vec::new());
            cx.build().effect(PipeOp::Commit { token, copies });
            // What all threads have stored is then copied by one.
            if stores {
                barrier(cx, agent);
            }
        }
        PipeOp::Release { token } => {
            if fenced.contains(token) {
                cx.build().effect(GpuOp::FenceProxyAsync {});
            }
            let token = cx.one(*token);
            cx.build().effect(PipeOp::Release { token });
        }
        PipeOp::Drain { pipe, state } => {
            let (pipe, state) = (cx.one(*pipe), cx.one(*state));
            cx.build().effect(PipeOp::Drain { pipe, state });
        }
        PipeOp::Mutex { .. } => cx.bind(old.result(0), []),
        PipeOp::Lock { mutex } => {
            let ((id, threads), _) = turns.turn(*mutex, old.origin)?;
            cx.build().effect(GpuOp::Barrier { id, threads });
        }
        PipeOp::Unlock { mutex } => {
            let (_, (id, threads)) = turns.turn(*mutex, old.origin)?;
            cx.build().effect(GpuOp::BarrierArrive { id, threads });
        }
    }
    Ok(())
}
