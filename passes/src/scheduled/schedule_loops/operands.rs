//! Stages for loops in which threads prepare operands of products: they read tiles that another agent has copied, convert or turn
//! them, and store them to shared memory again. In a single stage, tensor cores would wait for that. With two, the threads prepare
//! the operands of an iteration, in rings of two stages, while tensor cores compute the products of the iteration before. Operands
//! that they only read are then in registers of two iterations.

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
    /// The ops that prepare operands.
    early: FxHashSet<OpId>,
    /// The products, and what else they need, that begin before the next operands are prepared.
    first: FxHashSet<OpId>,
    /// The allocations of the buffers that threads fill.
    allocs: Vec<OpId>,
    /// Registers of a thread for the sums of products whose operands it reads, and for those of two iterations.
    registers: u64,
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
        let mut open: Vec<Value> = Vec::new();
        for &id in &products {
            if let ScheduledOp::TileAs(TileAsDialect::Dot { a, b, .. }) = kind(id) {
                open.extend([*a, *b]);
            }
        }
        let (mut early, mut allocs) = (FxHashSet::default(), Vec::new());
        while let Some(value) = open.pop() {
            if carried.contains(&value) {
                return None;
            }
            let Some(&id) = definitions.get(&value).filter(|_| Some(value) != counter) else {
                continue;
            };
            if !early.insert(id) {
                continue;
            }
            if is_product(kind(id)) || is_wait(kind(id)) {
                return None;
            }
            open.extend(uses(body, id));
            if let Some(&fill) = fills.get(&id) {
                allocs.push(id);
                early.insert(fill);
                open.extend(uses(body, fill));
            }
        }
        let held = |value: Value| match body.ty(value) {
            TileAsType::Tile { layout, .. } => u64::from(layout.in_size(Dim::Register)),
            _ => 0,
        };
        let registers = products.iter().map(|&id| match kind(id) {
            ScheduledOp::TileAs(TileAsDialect::Dot { a, acc, .. }) => match definitions.get(a) {
                Some(read) if early.contains(read) && is_read(kind(*read), body.ty(*a)) => {
                    held(*acc) + u64::from(STAGES) * held(*a)
                }
                _ => 0,
            },
            _ => 0,
        });
        let registers: u64 = registers.sum();
        let movable = |id: &OpId| match kind(*id) {
            ScheduledOp::TileAs(TileAsDialect::Copy { .. }) => early.contains(id),
            _ => may_move(body, *id),
        };
        let computed = values.iter().all(|value| definitions.contains_key(value));
        if (allocs.is_empty() && registers == 0) || !computed || !ops.iter().all(movable) {
            return None;
        }
        let mut first = FxHashSet::default();
        for id in products {
            let needed = needed(&definitions, &early, id, |id| uses(body, id));
            if !needed.iter().any(|&id| is_wait(kind(id))) {
                first.extend(needed);
            }
        }
        Some(Self {
            ops,
            early,
            first,
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

    /// The stages and the order of the ops of a step: the products of an iteration begin, the operands of the next one are
    /// prepared, and then the products are waited for.
    pub(super) fn slots(&self) -> Vec<(OpId, Slot)> {
        let mut ops: Vec<OpId> = self.ops.to_vec();
        ops.sort_by_key(|id| match (self.first.contains(id), self.early.contains(id)) {
            (true, _) => 0,
            (false, true) => 1,
            (false, false) => 2,
        });
        let slot = |(order, id): (u32, OpId)| {
            let slot = Slot {
                agent: None,
                stage: u32::from(!self.early.contains(&id)),
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
