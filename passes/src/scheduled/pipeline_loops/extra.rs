//! Executes stages for iterations that do not exist, without an effect that anything observes.

use rustc_hash::FxHashMap;
use tilewright_irs::core::{Body, OpId, Operation, Translated, Value, ValueType};
use tilewright_irs::dialects::arith::{ArithOp, Overflow};
use tilewright_irs::dialects::memory::Padding;
use tilewright_irs::dialects::pipe::{PipeKind, PipeOp, PipeType, PipeValue};
use tilewright_irs::dialects::tile::TileOp;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::literal::{Dense, Literal};
use tilewright_irs::scheduled::{Scheduled, ScheduledOp, StagedLoop, pipes_of_tokens, uses};
use tilewright_irs::tileas::{TileAsDialect, TileAsType};

use super::Pipelining;
use crate::branches::branch;
use crate::program_slice::Places;
use crate::scheduled::loop_parts::{Cx, less};
use crate::scheduled::speculation::is_speculatable;

/// A step whose stage 0 executes the iteration that is `ahead` iterations after the one with this counter.
#[derive(Clone, Copy)]
pub(super) struct Extra {
    pub(super) counter: Value,
    pub(super) upper: Value,
    pub(super) step: Value,
    pub(super) unsigned: bool,
    pub(super) ahead: u32,
    /// Whether `counter` is that of the first iteration, which may not exist either.
    pub(super) is_first: bool,
}

/// For each stage of a step, the counter of its iteration and the predicate of its existence.
#[derive(Default)]
pub(super) struct Masks {
    left: Option<Value>,
    begins: Option<Value>,
    of: FxHashMap<u32, (Value, Option<Value>)>,
}

impl Masks {
    /// The counter of a stage's iteration, and an i1 that says whether the iteration exists; `None` if it always does.
    pub(super) fn of(&mut self, cx: &mut Cx<'_>, extra: Extra, stage: u32) -> (Value, Option<Value>) {
        let ahead = extra.ahead.saturating_sub(stage);
        if let Some(&known) = self.of.get(&ahead) {
            return known;
        }
        let begins = extra.is_first.then(|| match self.begins {
            Some(begins) => begins,
            None => less(cx, extra.counter, extra.upper, extra.unsigned),
        });
        self.begins = begins;
        let found = match ahead {
            0 => (extra.counter, begins),
            _ => {
                let ty = cx.ty(extra.counter).clone();
                let left = match self.left {
                    Some(left) => left,
                    None => {
                        let left = ArithOp::SubI {
                            lhs: extra.upper,
                            rhs: extra.counter,
                            overflow: Overflow::Wraps,
                        };
                        cx.value(left, ty.clone())
                    }
                };
                self.left = Some(left);
                let distance = distance(cx, extra, ahead);
                let at = ArithOp::AddI {
                    lhs: extra.counter,
                    rhs: distance,
                    overflow: Overflow::Wraps,
                };
                let at = cx.value(at, ty);
                let exists = less(cx, distance, left, true);
                let exists = match begins {
                    Some(begins) => both(cx, begins, exists),
                    None => exists,
                };
                (at, Some(exists))
            }
        };
        self.of.insert(ahead, found);
        found
    }
}

/// The distance between two counters that are this many iterations apart.
fn distance(cx: &mut Cx<'_>, extra: Extra, iterations: u32) -> Value {
    let ty = cx.ty(extra.step).clone();
    let scalar = match ty.element() {
        Some(ElementType::Scalar(scalar)) => scalar,
        Some(ElementType::Ptr(_)) | None => ScalarType::I32,
    };
    let value = Dense::Splat(Literal::new(scalar, u64::from(iterations)));
    let rhs = cx.value(ArithOp::Constant { value }, ty.clone());
    let product = ArithOp::MulI {
        lhs: extra.step,
        rhs,
        overflow: Overflow::Wraps,
    };
    cx.value(product, ty)
}

fn both(cx: &mut Cx<'_>, lhs: Value, rhs: Value) -> Value {
    let ty = cx.ty(lhs).clone();
    cx.value(ArithOp::AndI { lhs, rhs }, ty)
}

/// How an op is executed for an iteration that may not exist.
enum Extraneous {
    /// Unchanged: what it yields or writes is read by ops of the same iteration only.
    AsItIs,
    /// As an asynchronous copy with a mask.
    Masked,
    /// In a branch, since it reads memory.
    Guarded,
    /// Not at all.
    Never,
}

/// Whether an agent fills and reads the stages of a pipe, or of the pipe of a token, itself.
fn is_own(body: &Body<Scheduled>, value: Value) -> bool {
    body.ty(value).pipe().and_then(PipeType::kind) == Some(PipeKind::CpAsyncGroup)
}

fn extraneous(body: &Body<Scheduled>, places: &Places<'_, Scheduled>, id: OpId) -> Extraneous {
    match &body.op(id).kind {
        ScheduledOp::Pipe(op) => match op {
            PipeOp::Acquire { pipe: value, .. }
            | PipeOp::Wait { pipe: value, .. }
            | PipeOp::Commit { token: value, .. }
            | PipeOp::Release { token: value }
                if is_own(body, *value) =>
            {
                Extraneous::AsItIs
            }
            PipeOp::Advance { .. } | PipeOp::Index { .. } => Extraneous::AsItIs,
            _ => Extraneous::Never,
        },
        // Where their mask is 0, copies by each thread store zeros.
        ScheduledOp::TileAs(TileAsDialect::CopyIn { atom, .. } | TileAsDialect::GatherIn { atom, .. })
            if atom.threads().is_some() =>
        {
            Extraneous::Masked
        }
        // Within the block: to a stage that this iteration has, or from it.
        ScheduledOp::TileAs(TileAsDialect::Copy { .. } | TileAsDialect::CopyWait { .. }) => {
            Extraneous::AsItIs
        }
        kind => {
            let effects = kind.effects();
            let is_plain = is_speculatable(body, places, id);
            let reads = effects.writes.is_empty() && !effects.allocates && !effects.convergent;
            let results = body.op(id).results();
            let mut values = results.filter(|&result| *body.ty(result) != TileAsType::Token);
            let are_numbers =
                values.all(|value| body.ty(value).element().is_some_and(|of| of.scalar().is_some()));
            match (is_plain, reads && are_numbers) {
                (true, _) => Extraneous::AsItIs,
                (false, true) => Extraneous::Guarded,
                (false, false) => Extraneous::Never,
            }
        }
    }
}

/// Whether all stages but the last may be executed for iterations that do not exist, and depend on other iterations only through
/// the states of pipes.
pub(super) fn is_harmless(
    body: &Body<Scheduled>,
    places: &Places<'_, Scheduled>,
    staged: &StagedLoop,
) -> bool {
    let last = staged.stages - 1;
    let mut early = staged.ops.iter().filter(|(_, stage)| *stage < last);
    early.all(|&(id, _)| !matches!(extraneous(body, places, id), Extraneous::Never))
}

/// Whether an op needs the counter, or the predicate for the existence of its iteration.
pub(super) fn depends_on_iteration(
    body: &Body<Scheduled>,
    places: &Places<'_, Scheduled>,
    id: OpId,
    counter: Value,
) -> bool {
    matches!(
        extraneous(body, places, id),
        Extraneous::Masked | Extraneous::Guarded
    ) || uses(body, id).contains(&counter)
}

/// Writes an op such that it has no effect if its iteration does not exist.
pub(super) fn masked(cx: &mut Cx<'_>, id: OpId, exists: Value, pass: &mut Pipelining<'_>) -> Translated {
    let old = cx.old(id);
    match extraneous(cx.from, pass.places, id) {
        Extraneous::AsItIs | Extraneous::Never => pass.carry(cx, id, &old.kind),
        Extraneous::Masked => copy(cx, id, exists, pass),
        Extraneous::Guarded => guarded(cx, id, exists, pass),
    }
}

/// Writes a copy that stores zeros if its iteration does not exist.
fn copy(cx: &mut Cx<'_>, id: OpId, exists: Value, pass: &mut Pipelining<'_>) -> Translated {
    let old = cx.old(id);
    let all = match &old.kind {
        ScheduledOp::TileAs(TileAsDialect::GatherIn { pointers, mask, .. }) => {
            let pointers = cx.one(*pointers);
            let ty = cx.ty(pointers).with_element(ElementType::I1);
            let splat = cx.value(TileOp::Splat { source: exists }, ty);
            mask.map_or(splat, |mask| {
                let mask = cx.one(mask);
                both(cx, splat, mask)
            })
        }
        ScheduledOp::TileAs(TileAsDialect::CopyIn { mask: Some(mask), .. }) => {
            let mask = cx.one(*mask);
            both(cx, exists, mask)
        }
        _ => exists,
    };
    pass.carry(cx, id, &old.kind)?;
    let block = cx.current();
    let Some(new) = cx.new_body().block(block).ops.last().copied() else {
        return Ok(());
    };
    match &mut cx.body_mut().op_mut(new).kind {
        ScheduledOp::TileAs(TileAsDialect::CopyIn { at, mask, .. }) => {
            *mask = Some(all);
            at.padding.get_or_insert(Padding::Zero);
        }
        ScheduledOp::TileAs(TileAsDialect::GatherIn { mask, .. }) => *mask = Some(all),
        _ => {}
    }
    Ok(())
}

/// Writes an op in a branch, which yields zeros if its iteration does not exist.
fn guarded(cx: &mut Cx<'_>, id: OpId, exists: Value, pass: &mut Pipelining<'_>) -> Translated {
    let old = cx.old(id);
    let types: Vec<TileAsType> = old.results().map(|result| cx.from.ty(result).clone()).collect();
    let results: Vec<Value> = old.results().collect();
    branch(cx, &results, exists, |cx, holds| {
        if holds {
            pass.carry(cx, id, &old.kind)?;
            return Ok(results.iter().map(|&result| cx.one(result)).collect());
        }
        let zero = |ty: &TileAsType| match ty.element() {
            Some(ElementType::Scalar(scalar)) => {
                let value = Dense::Splat(Literal::new(scalar, 0));
                cx.value(ArithOp::Constant { value }, ty.clone())
            }
            Some(ElementType::Ptr(_)) | None => cx.value(TileAsDialect::CreateMemToken {}, ty.clone()),
        };
        Ok(types.iter().map(zero).collect())
    })
}

/// The pipes of kind `cp_async_group` that a loop fills, each with the state of its next stage.
pub(super) fn filled(body: &Body<Scheduled>, staged: &StagedLoop) -> Vec<(Value, Value)> {
    let ops = staged.ops.iter().map(|&(id, _)| &body.op(id).kind);
    let filled = ops.filter_map(|kind| match kind {
        ScheduledOp::Pipe(PipeOp::Acquire { pipe, state }) => is_own(body, *pipe).then_some((*pipe, *state)),
        _ => None,
    });
    filled.collect()
}

/// For each wait for a stage of a `cp_async_group` pipe, the number of groups that are begun between the stage's own and the
/// wait. Groups of later pipeline stages do not count, since the first steps do not begin any.
pub(super) fn groups_in_flight(body: &Body<Scheduled>, staged: &StagedLoop) -> FxHashMap<OpId, u32> {
    // The commits in the order of a step, with their stages and pipes.
    let pipes = pipes_of_tokens(body);
    let mut commits: Vec<(usize, u32, Value)> = Vec::new();
    let mut waits: Vec<(usize, u32, OpId, Value)> = Vec::new();
    for (position, &(id, stage)) in staged.ops.iter().enumerate() {
        let op = body.op(id);
        match &op.kind {
            ScheduledOp::Pipe(PipeOp::Commit { token, copies }) if !copies.is_empty() => {
                let own = pipes.get(token).filter(|pipe| is_own(body, **pipe));
                commits.extend(own.map(|&pipe| (position, stage, pipe)));
            }
            ScheduledOp::Pipe(PipeOp::Wait { pipe, .. }) => waits.push((position, stage, id, *pipe)),
            _ => {}
        }
    }
    let mut counts = FxHashMap::default();
    for (position, stage, id, pipe) in waits {
        let Some(&(begun, begun_in, _)) = commits.iter().find(|(_, _, of)| *of == pipe) else {
            continue;
        };
        let counted = || commits.iter().filter(move |(_, of, _)| *of <= begun_in);
        let after = counted().filter(|(at, ..)| *at > begun).count();
        let before = counted().filter(|(at, ..)| *at < position).count();
        let count = match stage.saturating_sub(begun_in) {
            0 => (before + after).saturating_sub(counted().count()),
            steps => after + before + (steps as usize - 1) * counted().count(),
        };
        counts.insert(id, u32::try_from(count).unwrap_or(0));
    }
    counts
}
