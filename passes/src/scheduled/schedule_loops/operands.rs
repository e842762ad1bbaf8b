//! Stages for loops in which threads prepare operands of products: they read tiles that another agent has copied, convert or turn
//! them, and store them to shared memory again. In a single stage, tensor cores would wait for that. With two, the threads prepare
//! the operands of an iteration, in rings of two stages, while tensor cores compute the products of the iteration before. Operands
//! that they only read are then in registers of two iterations.
//!
//! A product that adds to the result of another one of its iteration begins when that is done: such products are in rounds, one after
//! the other. The operands of a round are prepared while the round before is under way, those of the first one while the last one of
//! the iteration before is.

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_irs::core::{Block, Func, OpId, Value, ValueType};
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::scheduled::{Scheduled, ScheduledOp, Slot, uses};
use tilewright_irs::tileas::atoms::Completion;
use tilewright_irs::tileas::{TileAsDialect, TileAsType};
use tilewright_layouts::Dim;

use super::iteration::{definitions, may_move};
use crate::scheduled::copy_groups::filled;

/// The elements of operands that threads read for the next iteration although they only read them: products of bytes gain nothing.
const TF32: ElementType = ElementType::Scalar(ScalarType::TF32);

/// Stages of a ring of operands: one is filled while products read the other.
const STAGES: u32 = 2;

/// 32-bit registers of a thread beside the sums and the operands that it only reads: a loop has few addresses then.
const BESIDE_READS: u64 = 40;

/// The preparation of a loop's operands.
pub(super) struct Preparation<'a> {
    ops: &'a [OpId],
    /// The rounds of products, one after the other.
    rounds: Vec<Round>,
    /// The allocations of the buffers that threads fill.
    allocs: Vec<OpId>,
    /// Registers of a thread for the sums of products whose operands it reads, and for those of two iterations.
    registers: u64,
}

/// Products that begin together.
#[derive(Default)]
struct Round {
    /// The products, and what else they need to begin.
    products: FxHashSet<OpId>,
    /// The ops that prepare operands while the round before is under way.
    preparation: FxHashSet<OpId>,
    /// Registers of a thread for the operands that it only reads.
    reads: u64,
}

impl<'a> Preparation<'a> {
    /// That of a loop's body. `None` if threads prepare no operand, or cannot do so for the next iteration while products of one are
    /// under way.
    pub(super) fn of(func: &'a Func<Scheduled>, block: Block) -> Option<Self> {
        let body = &func.body;
        let (&last, ops) = body.block(block).ops.split_last()?;
        let ScheduledOp::Scf(ScfOp::Continue { values }) = &body.op(last).kind else {
            return None;
        };
        let definitions = definitions(body, ops);
        let counter = body.block(block).args.first().copied();
        let carried: FxHashSet<Value> = body.block(block).args.iter().skip(1).copied().collect();
        let kind = |id: OpId| &body.op(id).kind;
        let fills: FxHashMap<OpId, OpId> = ops
            .iter()
            .filter_map(|&id| match kind(id) {
                op @ ScheduledOp::TileAs(TileAsDialect::Copy { .. }) => {
                    Some((*definitions.get(&filled(op)?)?, id))
                }
                _ => None,
            })
            .collect();
        let products: Vec<OpId> = ops.iter().copied().filter(|&id| is_product(kind(id))).collect();
        let (mut early, mut allocs) = (FxHashSet::default(), Vec::new());
        let mut prepared: Vec<FxHashSet<OpId>> = Vec::new();
        for &id in &products {
            let ScheduledOp::TileAs(TileAsDialect::Dot { a, b, .. }) = kind(id) else {
                return None;
            };
            let (mut own, mut open) = (FxHashSet::default(), vec![*a, *b]);
            while let Some(value) = open.pop() {
                if carried.contains(&value) {
                    return None;
                }
                let Some(&id) = definitions.get(&value).filter(|_| Some(value) != counter) else {
                    continue;
                };
                if !own.insert(id) {
                    continue;
                }
                if is_product(kind(id)) || is_wait(kind(id)) {
                    return None;
                }
                open.extend(uses(body, id));
                if let Some(&fill) = fills.get(&id) {
                    allocs.extend((!early.contains(&id)).then_some(id));
                    own.insert(fill);
                    open.extend(uses(body, fill));
                }
            }
            early.extend(own.iter().copied());
            prepared.push(own);
        }
        let held = |value: Value| match body.ty(value) {
            TileAsType::Tile { layout, .. } => u64::from(layout.in_size(Dim::Register)),
            _ => 0,
        };
        let position = |id: OpId| ops.iter().position(|&other| other == id);
        let mut rounds: Vec<Round> = Vec::new();
        let mut round_of: FxHashMap<OpId, usize> = FxHashMap::default();
        let mut sums = 0;
        for (&id, preparation) in products.iter().zip(prepared) {
            let needed = needed(&definitions, &early, id, |id| uses(body, id));
            let before = needed.iter().filter_map(|id| round_of.get(id)).max().copied();
            let begun = round_of.iter().filter(|&(_, &round)| Some(round) == before);
            let begun = begun.filter_map(|(&id, _)| position(id)).max();
            let round = before.map_or(0, |before| before + 1);
            round_of.insert(id, round);
            // What is waited for before the round before begins may be in one stage of a pipe with the operands of that.
            let mut waits = preparation.iter().filter(|&&id| is_copy_wait(kind(id)));
            let prepared = if waits.all(|&id| position(id) > begun) {
                round
            } else {
                0
            };
            rounds.resize_with(rounds.len().max(round + 1), Round::default);
            if let Some(own) = rounds.get_mut(round) {
                own.products.extend(needed);
            }
            let is_read = |a: &Value| {
                let read = definitions.get(a).filter(|read| preparation.contains(read));
                read.is_some_and(|read| is_read(kind(*read), body.ty(*a)))
            };
            let reads = match kind(id) {
                ScheduledOp::TileAs(TileAsDialect::Dot { a, acc, .. }) if is_read(a) => {
                    sums += if round == 0 { held(*acc) } else { 0 };
                    held(*a)
                }
                _ => 0,
            };
            if let Some(own) = rounds.get_mut(prepared) {
                own.preparation.extend(preparation);
                own.reads += reads;
            }
        }
        let next = rounds.iter().cycle().skip(1);
        let reads = rounds
            .iter()
            .zip(next)
            .map(|(round, next)| round.reads + next.reads);
        let registers = match reads.max() {
            Some(reads) if reads > 0 => sums + reads,
            _ => 0,
        };
        let movable = |id: &OpId| match kind(*id) {
            ScheduledOp::TileAs(TileAsDialect::Copy { .. }) => early.contains(id),
            _ => may_move(body, *id),
        };
        let computed = values.iter().all(|value| definitions.contains_key(value));
        if (allocs.is_empty() && registers == 0) || !computed || !ops.iter().all(movable) {
            return None;
        }
        Some(Self {
            ops,
            rounds,
            allocs,
            registers,
        })
    }

    /// Whether threads with so many registers have those for operands that they only read, of two iterations.
    pub(super) fn fits(&self, registers: u32) -> bool {
        !self.allocs.is_empty() || self.registers + BESIDE_READS <= u64::from(registers)
    }

    /// The allocations that become rings, with their numbers of stages.
    pub(super) fn depths(&self) -> impl Iterator<Item = (OpId, u32)> + '_ {
        self.allocs.iter().map(|&id| (id, STAGES))
    }

    /// The stages and the order of the ops of a step: the products of a round begin, the operands of the next round are prepared,
    /// and then the products are waited for. The next round of the last one is the first one of the next iteration.
    pub(super) fn slots(&self) -> Vec<(OpId, Slot)> {
        let last = self.rounds.len();
        // The round in which an op is placed, whether it begins that, and its stage.
        let place = |id: OpId| {
            let prepared = self
                .rounds
                .iter()
                .position(|round| round.preparation.contains(&id));
            let begun = self.rounds.iter().position(|round| round.products.contains(&id));
            match (prepared, begun) {
                (Some(0), _) => (last, false, 0),
                (Some(round), _) => (round, false, 1),
                (None, begun) => (begun.unwrap_or(last + 1), true, 1),
            }
        };
        let mut ops: Vec<OpId> = self.ops.to_vec();
        ops.sort_by_cached_key(|&id| {
            let (round, begins, _) = place(id);
            (round, begins)
        });
        let slot = |(order, id): (u32, OpId)| {
            let (.., stage) = place(id);
            let slot = Slot {
                agent: None,
                stage,
                order,
            };
            (id, slot)
        };
        (0..).zip(ops).map(slot).collect()
    }
}

/// The ops that an op needs in the same stage, and the op itself.
fn needed(
    definitions: &FxHashMap<Value, OpId>,
    early: &FxHashSet<OpId>,
    id: OpId,
    uses: impl Fn(OpId) -> Vec<Value>,
) -> FxHashSet<OpId> {
    let (mut found, mut open) = (FxHashSet::default(), vec![id]);
    while let Some(id) = open.pop() {
        if found.insert(id) {
            let used = uses(id).into_iter();
            let used = used.filter_map(|value| definitions.get(&value).copied());
            open.extend(used.filter(|id| !early.contains(id)));
        }
    }
    found
}

fn is_product(op: &ScheduledOp) -> bool {
    matches!(
        op,
        ScheduledOp::TileAs(TileAsDialect::Dot { atom, .. }) if atom.completion() == Completion::Asynchronous
    )
}

/// Whether an op reads an operand to registers whose reads are worth it by themselves.
fn is_read(op: &ScheduledOp, ty: &TileAsType) -> bool {
    matches!(op, ScheduledOp::TileAs(TileAsDialect::Copy { to: None, .. })) && ty.element() == Some(TF32)
}

fn is_wait(op: &ScheduledOp) -> bool {
    matches!(op, ScheduledOp::TileAs(TileAsDialect::DotWait { .. }))
}

fn is_copy_wait(op: &ScheduledOp) -> bool {
    matches!(op, ScheduledOp::TileAs(TileAsDialect::CopyWait { .. }))
}
