//! Expands pipes by their kind: to mbarriers in shared memory, or to groups of asynchronous copies. `cute_desugared`
//! to `cute_desugared`.
//!
//! In: any function. Out: the same function without pipes. The state of an end becomes three integers: the index of
//! its stage, the parity of the phase that it waits for, and a count; a token becomes the barrier that its consumer
//! arrives at.
//!
//! | op | with barriers | `cp_async_group` | `tma_store` |
//! |---|---|---|---|
//! | create | one thread initialises the barriers; after the last of several pipes a barrier of the block, or of the cluster if one is `tma_multicast` | nothing | nothing |
//! | acquire | waits until the previous phase of the empty barrier is complete | nothing | waits until all groups but those of the other stages have read theirs |
//! | commit | arrives at the full barrier; `cp_async_mbarrier`: when the thread's copies are complete; `tma`, `tma_multicast`: nothing, the bytes of its copies complete the phase | commits a group | orders the stores before copies |
//! | wait | waits until the phase of the full barrier is complete | waits for all groups but the last `in_flight` | nothing |
//! | release | arrives at the empty barrier; `tma`: one thread of each warp; `tma_multicast`: one for each block of the cluster, at its barrier | nothing | commits a group |
//! | drain | acquires each stage | waits for all groups | waits for all groups |
//!
//! A stage is initially empty: the producer's parity begins at 1, and a barrier without a completed phase counts as
//! having completed a phase of parity 1. (CUTLASS: `make_producer_start_state`.)
//! Ill-formed: pipes of kind `umma` are "not supported yet".

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{
    Body, Builder, Flag, Func, OpId, Operation, Origin, Translate, Translated, Translation, Value,
    translate_func,
};
use tilewright_irs::cute_desugared::{CuteDesugared, CuteDesugaredOp, DesugaredType};
use tilewright_irs::dialects::arith::{ArithOp, Overflow, Predicate, QuotientRounding, Signedness};
use tilewright_irs::dialects::fragment::FragmentOp;
use tilewright_irs::dialects::gpu::GpuOp;
use tilewright_irs::dialects::pipe::{PipeEnd, PipeKind, PipeOp, PipeType, PipeValue};
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::literal::{Dense, Literal};
use tilewright_irs::machine::{LANES, threads};

type Cx<'a> = Translation<'a, CuteDesugared, CuteDesugared>;

const I32: DesugaredType = DesugaredType::Scalar(ElementType::I32);
const I1: DesugaredType = DesugaredType::Scalar(ElementType::I1);
const BARRIER: DesugaredType = DesugaredType::SharedPtr(ScalarType::I64);

/// Expands pipes; see [the module](self).
///
/// # Errors
/// A kind of pipe that is not supported yet.
pub fn expand_pipes(func: &Func<CuteDesugared>) -> Result<Func<CuteDesugared>, Vec<Diagnostic<Origin>>> {
    if !func
        .body
        .ops()
        .any(|(_, op)| matches!(op.kind, CuteDesugaredOp::Pipe(_)))
    {
        return Ok(func.clone());
    }
    let mut pass = ExpandPipes {
        threads: threads(func.attrs.kernel_spec.num_warps),
        blocks: func.attrs.kernel_spec.num_ctas,
        barriers: FxHashMap::default(),
        followed: followed(&func.body),
        created: Vec::new(),
    };
    translate_func(func, func.attrs.clone(), &mut pass)
}

/// The ops that create pipes with barriers and are followed by another one, before any op that may use a pipe.
fn followed(body: &Body<CuteDesugared>) -> FxHashSet<OpId> {
    let mut found = FxHashSet::default();
    let mut last: Option<OpId> = None;
    for &id in body.entry().map_or(&[][..], |entry| &body.block(entry).ops) {
        match &body.op(id).kind {
            CuteDesugaredOp::Pipe(PipeOp::Create {
                barriers: Some(_), ..
            }) => {
                found.extend(last.replace(id));
            }
            CuteDesugaredOp::Pipe(PipeOp::Create { barriers: None, .. }) => {}
            CuteDesugaredOp::Pipe(_) => last = None,
            kind if !kind.region_list().is_empty() => last = None,
            _ => {}
        }
    }
    found
}

struct ExpandPipes {
    /// Threads of the block.
    threads: u32,
    /// Blocks of the cluster.
    blocks: u32,
    /// The address of the barriers of each pipe, by the old pipe.
    barriers: FxHashMap<Value, Value>,
    /// The ops that create pipes and are followed by another one, before any op that may use a pipe.
    followed: FxHashSet<OpId>,
    /// The kinds of the pipes whose barriers no thread but the first may use yet.
    created: Vec<PipeKind>,
}

fn unsupported(origin: Origin, message: impl Into<String>) -> Diagnostic<Origin> {
    Diagnostic::error(Code::UnsupportedFeature, message).at(origin, "")
}

fn is_supported(kind: PipeKind) -> bool {
    match kind {
        PipeKind::CpAsyncGroup
        | PipeKind::CpAsyncMbarrier
        | PipeKind::Threads
        | PipeKind::Tma
        | PipeKind::TmaMulticast
        | PipeKind::TmaStore => true,
        PipeKind::Umma => false,
    }
}

fn i32(builder: &mut Builder<'_, CuteDesugared>, value: u32) -> Value {
    let value = Dense::Splat(Literal::new(ScalarType::I32, u64::from(value)));
    builder.value(ArithOp::Constant { value }, I32)
}

fn add(builder: &mut Builder<'_, CuteDesugared>, lhs: Value, rhs: Value) -> Value {
    let overflow = Overflow::Wraps;
    builder.value(ArithOp::AddI { lhs, rhs, overflow }, I32)
}

/// Emits ops for threads in which a condition holds.
fn only_if(
    builder: &mut Builder<'_, CuteDesugared>,
    condition: Value,
    build: impl FnOnce(&mut Builder<'_, CuteDesugared>),
) {
    let (then, then_block, _) = builder.region([]);
    let (otherwise, otherwise_block, _) = builder.region([]);
    builder.within(then_block, |builder| {
        build(builder);
        builder.effect(ScfOp::Yield { values: Vec::new() });
    });
    builder.within(otherwise_block, |builder| {
        builder.effect(ScfOp::Yield { values: Vec::new() });
    });
    builder.effect(ScfOp::If {
        condition,
        then,
        otherwise,
    });
}

/// The barrier with this index.
fn barrier(builder: &mut Builder<'_, CuteDesugared>, base: Value, number: Value) -> Value {
    let (pointer, offset) = (base, number);
    builder.value(FragmentOp::AddOffset { pointer, offset }, BARRIER)
}

/// The index and the parity of the next stage.
fn next(
    builder: &mut Builder<'_, CuteDesugared>,
    stages: u32,
    index: Value,
    parity: Value,
) -> (Value, Value) {
    let one = i32(builder, 1);
    let next = add(builder, index, one);
    let wraps = ArithOp::CmpI {
        lhs: next,
        rhs: i32(builder, stages),
        predicate: Predicate::Equal,
        signedness: Signedness::Unsigned,
    };
    let condition = builder.value(wraps, I1);
    let (yes, no) = (i32(builder, 0), next);
    let index = builder.value(ArithOp::Select { condition, yes, no }, I32);
    let (lhs, rhs) = (parity, one);
    let (yes, no) = (builder.value(ArithOp::XorI { lhs, rhs }, I32), parity);
    let parity = builder.value(ArithOp::Select { condition, yes, no }, I32);
    (index, parity)
}

/// The index and the parity of the stage so many further on.
fn further(
    builder: &mut Builder<'_, CuteDesugared>,
    stages: u32,
    [index, parity]: [Value; 2],
    by: Value,
) -> (Value, Value) {
    let signedness = Signedness::Unsigned;
    let (lhs, rhs) = (add(builder, index, by), i32(builder, stages));
    let rounds = ArithOp::DivI {
        lhs,
        rhs,
        signedness,
        rounding: QuotientRounding::Zero,
    };
    let rounds = builder.value(rounds, I32);
    let index = builder.value(ArithOp::RemI { lhs, rhs, signedness }, I32);
    let one = i32(builder, 1);
    let odd = builder.value(
        ArithOp::AndI {
            lhs: rounds,
            rhs: one,
        },
        I32,
    );
    let (lhs, rhs) = (parity, odd);
    (index, builder.value(ArithOp::XorI { lhs, rhs }, I32))
}

/// The index of the lane in its warp.
fn lane(builder: &mut Builder<'_, CuteDesugared>) -> Value {
    let lhs = builder.value(GpuOp::ThreadIdx { axis: None }, I32);
    let rhs = i32(builder, LANES - 1);
    builder.value(ArithOp::AndI { lhs, rhs }, I32)
}

impl Translate<CuteDesugared, CuteDesugared> for ExpandPipes {
    fn types(&mut self, ty: &DesugaredType) -> Result<Vec<DesugaredType>, Diagnostic<Origin>> {
        Ok(match ty {
            DesugaredType::Pipe(PipeType::State(_)) => vec![I32, I32, I32],
            DesugaredType::Pipe(PipeType::Token { kind, .. }) if kind.has_barriers() => vec![BARRIER],
            DesugaredType::Pipe(_) => Vec::new(),
            DesugaredType::Scalar(_)
            | DesugaredType::SharedPtr(_)
            | DesugaredType::Fragment(..)
            | DesugaredType::Cute(_)
            | DesugaredType::TileIterator(_)
            | DesugaredType::TmaDescriptor(_) => vec![ty.clone()],
        })
    }

    fn op(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        match &cx.old(id).kind {
            CuteDesugaredOp::Pipe(op) => self.pipe(cx, id, op),
            other => cx.carry(id, other, self),
        }
    }
}

impl ExpandPipes {
    /// The kind and the stages of a pipe.
    fn ring(cx: &Cx<'_>, pipe: Value) -> Result<(PipeKind, u32), Diagnostic<Origin>> {
        match cx.from.ty(pipe).pipe() {
            Some(PipeType::Pipe { kind, stages }) if is_supported(kind) => Ok((kind, stages)),
            Some(PipeType::Pipe { kind, .. }) => {
                let message = format!("a pipe of kind `{kind}` is not supported yet");
                Err(unsupported(cx.origin(), message))
            }
            _ => Err(unsupported(
                cx.origin(),
                "an op of a pipe on something that is none",
            )),
        }
    }

    /// The kind of a token's pipe.
    fn kind(cx: &Cx<'_>, token: Value) -> Result<PipeKind, Diagnostic<Origin>> {
        let kind = cx.from.ty(token).pipe().and_then(PipeType::kind);
        kind.ok_or_else(|| unsupported(cx.origin(), "a token of something that is no pipe"))
    }

    /// The full and the empty barrier of a state's stage.
    fn stage(
        &self,
        cx: &mut Cx<'_>,
        pipe: Value,
        state: Value,
    ) -> Result<Option<[Value; 2]>, Diagnostic<Origin>> {
        let (kind, stages) = Self::ring(cx, pipe)?;
        if !kind.has_barriers() {
            return Ok(None);
        }
        let base = self.barriers.get(&pipe).copied();
        let (Some(base), &[index, ..]) = (base, cx.all(state)) else {
            return Err(unsupported(cx.origin(), "a pipe is used where it was not made"));
        };
        let mut builder = cx.build();
        let full = barrier(&mut builder, base, index);
        let stages = i32(&mut builder, stages);
        let empty = barrier(&mut builder, full, stages);
        Ok(Some([full, empty]))
    }

    /// Initialises the barriers of a pipe; after the `last` of several pipes all threads may use them.
    fn create(
        &mut self,
        cx: &mut Cx<'_>,
        pipe: Value,
        barriers: Option<Value>,
        [full, empty]: [u32; 2],
        last: bool,
    ) -> Translated {
        let (kind, stages) = Self::ring(cx, pipe)?;
        cx.bind(pipe, []);
        if !kind.has_barriers() {
            return Ok(());
        }
        let Some(base) = barriers.map(|barriers| cx.one(barriers)) else {
            let message = format!("a pipe of kind `{kind}` has no room for its barriers");
            return Err(unsupported(cx.origin(), message));
        };
        self.barriers.insert(pipe, base);
        self.created.push(kind);
        let created = if last {
            std::mem::take(&mut self.created)
        } else {
            Vec::new()
        };
        let mut builder = cx.build();
        let thread = builder.value(GpuOp::ThreadIdx { axis: None }, I32);
        let zero = i32(&mut builder, 0);
        let first = ArithOp::CmpI {
            lhs: thread,
            rhs: zero,
            predicate: Predicate::Equal,
            signedness: Signedness::Unsigned,
        };
        let condition = builder.value(first, I1);
        only_if(&mut builder, condition, |builder| {
            for number in 0..2 * stages {
                let place = i32(builder, number);
                let barrier = barrier(builder, base, place);
                let count = if number < stages { full } else { empty };
                builder.effect(GpuOp::MbarrierInit { barrier, count });
            }
            if created.iter().any(|kind| kind.counts_bytes()) {
                builder.effect(GpuOp::MbarrierInitFence {});
            }
        });
        let threads = self.threads;
        if created.contains(&PipeKind::TmaMulticast) {
            builder.effect(GpuOp::ClusterBarrier {});
        } else if !created.is_empty() {
            builder.effect(GpuOp::Barrier { id: 0, threads });
        }
        Ok(())
    }

    /// The state of the next stage, or of a later one: index, parity, count.
    fn advance(cx: &mut Cx<'_>, id: OpId, state: Value, by: Option<Value>) -> Translated {
        let result = cx.old(id).result(0);
        let (Some(PipeType::State(stages)), &[index, parity, count]) =
            (cx.from.ty(result).pipe(), cx.all(state))
        else {
            return Err(unsupported(cx.origin(), "a state of something that is no pipe"));
        };
        let by = by.map(|by| cx.one(by));
        let mut builder = cx.build();
        let (index, parity) = match by {
            Some(by) => further(&mut builder, stages, [index, parity], by),
            None => next(&mut builder, stages, index, parity),
        };
        let by = by.unwrap_or_else(|| i32(&mut builder, 1));
        let count = add(&mut builder, count, by);
        cx.bind(result, [index, parity, count]);
        Ok(())
    }

    fn pipe(&mut self, cx: &mut Cx<'_>, id: OpId, op: &PipeOp) -> Translated {
        let old = cx.old(id);
        match op {
            PipeOp::Create {
                barriers,
                full,
                empty,
                ..
            } => {
                let last = !self.followed.contains(&id);
                self.create(cx, old.result(0), *barriers, [*full, *empty], last)
            }
            PipeOp::State { end } => {
                let mut builder = cx.build();
                let zero = i32(&mut builder, 0);
                let parity = match end {
                    PipeEnd::Producer => i32(&mut builder, 1),
                    PipeEnd::Consumer => zero,
                };
                cx.bind(old.result(0), [zero, parity, zero]);
                Ok(())
            }
            PipeOp::Advance { state, count } => Self::advance(cx, id, *state, *count),
            PipeOp::Index { state } => {
                let index = cx.all(*state).first().copied();
                cx.bind(old.result(0), Vec::from_iter(index));
                Ok(())
            }
            PipeOp::Acquire { pipe, state } => {
                let stage = self.stage(cx, *pipe, *state)?;
                let token = old.results().last();
                if let (Some([full, empty]), &[_, parity, _]) = (stage, cx.all(*state)) {
                    let barrier = empty;
                    cx.build().effect(GpuOp::MbarrierWait { barrier, parity });
                    token.into_iter().for_each(|token| cx.bind(token, [full]));
                } else {
                    if let (PipeKind::TmaStore, stages) = Self::ring(cx, *pipe)? {
                        let (in_flight, read) = (stages.saturating_sub(1), Flag(true));
                        cx.build().effect(GpuOp::BulkWait { in_flight, read });
                    }
                    token.into_iter().for_each(|token| cx.bind(token, []));
                }
                Ok(())
            }
            PipeOp::Barrier { token } => {
                let barrier = cx.all(*token).to_vec();
                cx.bind(old.result(0), barrier);
                Ok(())
            }
            PipeOp::Wait {
                pipe,
                state,
                in_flight,
            } => {
                let stage = self.stage(cx, *pipe, *state)?;
                let token = old.results().last();
                if let (Some([full, empty]), &[_, parity, _]) = (stage, cx.all(*state)) {
                    let barrier = full;
                    cx.build().effect(GpuOp::MbarrierWait { barrier, parity });
                    token.into_iter().for_each(|token| cx.bind(token, [empty]));
                } else {
                    // Stages that are stored from registers have no copies to wait for.
                    if let ((PipeKind::CpAsyncGroup, _), Some(in_flight)) =
                        (Self::ring(cx, *pipe)?, *in_flight)
                    {
                        cx.build().effect(GpuOp::AsyncWait { in_flight });
                    }
                    token.into_iter().for_each(|token| cx.bind(token, []));
                }
                Ok(())
            }
            PipeOp::Commit { token, .. } => {
                let kind = Self::kind(cx, *token)?;
                match (kind, cx.all(*token)) {
                    (PipeKind::CpAsyncMbarrier, &[barrier]) => {
                        cx.build().effect(GpuOp::MbarrierArriveAsync { barrier });
                    }
                    (kind, _) if kind.counts_bytes() => {}
                    (PipeKind::TmaStore, _) => cx.build().effect(GpuOp::FenceProxyAsync {}),
                    (_, &[barrier]) => cx.build().effect(GpuOp::MbarrierArrive { barrier }),
                    _ => cx.build().effect(GpuOp::AsyncCommit {}),
                }
                Ok(())
            }
            PipeOp::Release { token } => {
                let kind = Self::kind(cx, *token)?;
                match (kind, cx.all(*token)) {
                    // One lane for each block.
                    (PipeKind::TmaMulticast, &[barrier]) => {
                        let blocks = self.blocks;
                        let mut builder = cx.build();
                        let rank = lane(&mut builder);
                        let condition = ArithOp::CmpI {
                            lhs: rank,
                            rhs: i32(&mut builder, blocks),
                            predicate: Predicate::Less,
                            signedness: Signedness::Unsigned,
                        };
                        let condition = builder.value(condition, I1);
                        only_if(&mut builder, condition, |builder| {
                            builder.effect(GpuOp::MbarrierArriveAt { barrier, rank });
                        });
                    }
                    (PipeKind::Tma, &[barrier]) => {
                        let mut builder = cx.build();
                        let elected = builder.value(GpuOp::Elect {}, I1);
                        only_if(&mut builder, elected, |builder| {
                            builder.effect(GpuOp::MbarrierArrive { barrier });
                        });
                    }
                    (_, &[barrier]) => cx.build().effect(GpuOp::MbarrierArrive { barrier }),
                    (PipeKind::TmaStore, _) => cx.build().effect(GpuOp::BulkCommit {}),
                    _ => {}
                }
                Ok(())
            }
            PipeOp::Drain { pipe, state } => {
                // Waits for each stage as if it were acquired.
                let (kind, stages) = Self::ring(cx, *pipe)?;
                let &[mut index, mut parity, _] = cx.all(*state) else {
                    return Err(unsupported(old.origin, "a state of something that is no pipe"));
                };
                let Some(base) = self.barriers.get(pipe).copied().filter(|_| kind.has_barriers()) else {
                    let read = Flag(true);
                    cx.build().effect(match kind {
                        PipeKind::TmaStore => GpuOp::BulkWait { in_flight: 0, read },
                        _ => GpuOp::AsyncWait { in_flight: 0 },
                    });
                    return Ok(());
                };
                for _ in 0..stages {
                    let mut builder = cx.build();
                    let end = i32(&mut builder, stages);
                    let number = add(&mut builder, index, end);
                    let empty = barrier(&mut builder, base, number);
                    builder.effect(GpuOp::MbarrierWait {
                        barrier: empty,
                        parity,
                    });
                    (index, parity) = next(&mut builder, stages, index, parity);
                }
                Ok(())
            }
            PipeOp::Mutex { .. } | PipeOp::Lock { .. } | PipeOp::Unlock { .. } => {
                let message = "a mutex of agents, of which `cute_desugared` has none";
                Err(unsupported(old.origin, message))
            }
        }
    }
}
