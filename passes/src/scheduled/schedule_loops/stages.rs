//! Stages for loops in which a product uses values that are computed from another product, as attention multiplies its values by
//! the probabilities that follow from queries and keys. In a single stage, tensor cores and that computation would wait for each
//! other. With two stages, the first product of an iteration begins before the second one of the iteration before, and the
//! computation on its result overlaps with that second product. (Shah et al., "FlashAttention-3", 2024.)

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_irs::core::{Block, Func, OpId, Operation, Value, ValueType};
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::scheduled::{Scheduled, ScheduledOp, Slot, uses};
use tilewright_irs::tileas::TileAsDialect;
use tilewright_layouts::Dim;

use super::iteration::{definitions, may_move};
use crate::scheduled::copy_groups::Group;

/// Chooses the stages and the order of the ops of a loop's body. `None` if one stage is as good, if the tiles need more registers
/// per thread than there are, or if rings with these depths have too few stages.
pub(super) fn stages(
    func: &Func<Scheduled>,
    block: Block,
    groups: &[(&Group, u32)],
    registers: u64,
) -> Option<Vec<(OpId, Slot)>> {
    let (&last, ops) = func.body.block(block).ops.split_last()?;
    let ScheduledOp::Scf(ScfOp::Continue { values }) = &func.body.op(last).kind else {
        return None;
    };
    let args = func.body.block(block).args.iter().skip(1);
    let mut iteration = Iteration {
        func,
        ops,
        uses: ops.iter().map(|&id| (id, uses(&func.body, id))).collect(),
        definitions: definitions(&func.body, ops),
        carried: args.copied().zip(values.iter().copied()).collect(),
        groups,
        late: FxHashSet::default(),
        multiplied: FxHashSet::default(),
    };
    let products = |iteration: &Iteration<'_>, late: bool| {
        let mut products = iteration.products();
        products.any(|id| iteration.late.contains(&id) == late)
    };
    if !iteration.may_reorder() {
        return None;
    }
    iteration.find_late();
    if !products(&iteration, true) || !products(&iteration, false) {
        return None;
    }
    iteration.delay();
    (iteration.registers() <= registers && iteration.stages_suffice()).then(|| iteration.slots())
}

/// The ops of a loop's body, and the subset that is in the second of two stages.
struct Iteration<'a> {
    func: &'a Func<Scheduled>,
    ops: &'a [OpId],
    /// The values that each op uses.
    uses: FxHashMap<OpId, Vec<Value>>,
    definitions: FxHashMap<Value, OpId>,
    /// For each loop-carried argument, the value that the next iteration receives.
    carried: FxHashMap<Value, Value>,
    /// The groups of copies into rings, with the rings' numbers of stages.
    groups: &'a [(&'a Group, u32)],
    /// The ops of the second stage.
    late: FxHashSet<OpId>,
    /// The ops that depend on a product of the same iteration.
    multiplied: FxHashSet<OpId>,
}

impl<'a> Iteration<'a> {
    fn kind(&self, id: OpId) -> &'a ScheduledOp {
        &self.func.body.op(id).kind
    }

    fn uses(&self, id: OpId) -> &[Value] {
        self.uses.get(&id).map_or(&[], Vec::as_slice)
    }

    fn products(&self) -> impl Iterator<Item = OpId> + '_ {
        let ops = self.ops.iter().copied();
        ops.filter(|&id| matches!(self.kind(id), ScheduledOp::TileAs(TileAsDialect::Dot { .. })))
    }

    /// The ops that use a result of an op.
    fn users(&self, id: OpId) -> impl Iterator<Item = OpId> + '_ {
        let result = move |value: &Value| self.definitions.get(value) == Some(&id);
        let ops = self.ops.iter().copied();
        ops.filter(move |&user| self.uses(user).iter().any(result))
    }

    /// The waits for copies of the same group, which become one wait for a stage; for any other op, only the op itself.
    fn together(&self, id: OpId) -> Vec<OpId> {
        let mut waits = self
            .groups
            .iter()
            .map(|(group, _)| group.copies.iter().map(|copy| copy.wait));
        let found = waits.find(|waits| waits.clone().any(|wait| wait == id));
        found.map_or_else(|| vec![id], Iterator::collect)
    }

    /// Whether all loop-carried values are computed in the body, and its ops may be executed in any order that respects data
    /// dependences.
    fn may_reorder(&self) -> bool {
        let mut next = self.carried.values();
        next.all(|next| self.definitions.contains_key(next))
            && self.ops.iter().all(|&id| may_move(&self.func.body, id))
    }

    /// Finds the products with an operand that depends on another product of the same iteration, and the ops that depend on them,
    /// in the same iteration or in the next one.
    fn find_late(&mut self) {
        loop {
            let before = self.late.len();
            for &id in self.ops {
                let among = |ops: &FxHashSet<OpId>, value: &Value| {
                    self.definitions.get(value).is_some_and(|id| ops.contains(id))
                };
                let of_product = |value: &Value| among(&self.multiplied, value);
                let (is_product, is_second) = match self.kind(id) {
                    ScheduledOp::TileAs(TileAsDialect::Dot { a, b, .. }) => {
                        (true, [a, b].into_iter().any(of_product))
                    }
                    _ => (false, false),
                };
                let is_late = self
                    .uses(id)
                    .iter()
                    .any(|value| among(&self.late, self.carried.get(value).unwrap_or(value)));
                if is_product || self.uses(id).iter().any(of_product) {
                    self.multiplied.insert(id);
                }
                if is_second || is_late {
                    self.late.insert(id);
                }
            }
            if self.late.len() == before {
                return;
            }
        }
    }

    /// Moves an op to the second stage if only that stage uses its results, and the first stage does not need it: it waits for a
    /// copy, it does not depend on a product, or its operands take fewer registers than its results.
    fn delay(&mut self) {
        for &id in self.ops.iter().rev() {
            let op = self.func.body.op(id);
            let made: u64 = op.results().map(|value| self.words(value)).sum();
            let used: u64 = self.uses(id).iter().map(|&value| self.words(value)).sum();
            let gains = match &op.kind {
                ScheduledOp::TileAs(TileAsDialect::CopyWait { .. }) => true,
                kind => kind.is_pure() && (!self.multiplied.contains(&id) || used < made),
            };
            let together = self.together(id);
            let mut results = together.iter().flat_map(|&id| self.func.body.op(id).results());
            let is_handed_on = results.any(|result| self.carried.values().any(|&next| next == result));
            let users: Vec<OpId> = together.iter().flat_map(|&id| self.users(id)).collect();
            let is_used_late = !users.is_empty() && users.iter().all(|user| self.late.contains(user));
            if gains && !is_handed_on && is_used_late {
                self.late.extend(together);
            }
        }
    }

    /// The number of 32-bit registers per thread that hold a tile; 0 for other values.
    fn words(&self, value: Value) -> u64 {
        let ty = self.func.body.ty(value);
        let (Some(layout), Some(element)) = (ty.layout(), ty.element()) else {
            return 0;
        };
        (u64::from(layout.in_size(Dim::Register)) * u64::from(element.stored_bytes())).div_ceil(4)
    }

    /// The number of 32-bit registers per thread for the products of a step, and for the values that the first stage passes to
    /// the second.
    fn registers(&self) -> u64 {
        let left = |id: OpId| {
            let is_used_late = move |value: &Value| {
                let is_user = |user: &&OpId| self.late.contains(*user) && self.uses(**user).contains(value);
                self.ops.iter().any(|user| is_user(&user))
            };
            let results = self.func.body.op(id).results();
            results
                .filter(is_used_late)
                .map(|value| self.words(value))
                .sum::<u64>()
        };
        let held = self.ops.iter().map(|&id| match self.kind(id) {
            ScheduledOp::TileAs(TileAsDialect::DotWait { .. }) => {
                let results = self.func.body.op(id).results();
                results.map(|value| self.words(value)).sum()
            }
            _ if self.late.contains(&id) => 0,
            _ => left(id),
        });
        held.sum()
    }

    /// Whether each ring that both stages read has a stage for each of the two iterations in flight.
    fn stages_suffice(&self) -> bool {
        self.groups.iter().all(|(group, depth)| {
            let mut waits = group.copies.iter().map(|copy| copy.wait);
            let is_early = waits.any(|wait| !self.late.contains(&wait));
            *depth > 1 || !is_early || !self.late.contains(&group.last)
        })
    }

    /// The stages and the order of the ops of a step: first the products of the first stage, with what they need, then those of
    /// the second stage; then the remaining ops of the first stage, and of the second.
    fn slots(&self) -> Vec<(OpId, Slot)> {
        let mut needed: FxHashSet<OpId> = self.products().collect();
        for &id in self.ops.iter().rev() {
            let feeds = |id: OpId| {
                self.users(id).any(|user| {
                    needed.contains(&user) && self.late.contains(&user) == self.late.contains(&id)
                })
            };
            let together = self.together(id);
            if together.iter().any(|&id| feeds(id)) {
                needed.extend(together);
            }
        }
        let mut ops: Vec<OpId> = self.ops.to_vec();
        ops.sort_by_key(|id| (!needed.contains(id), self.late.contains(id)));
        let slot = |(order, id): (usize, OpId)| {
            let slot = Slot {
                agent: None,
                stage: u32::from(self.late.contains(&id)),
                order: u32::try_from(order).unwrap_or(u32::MAX),
            };
            (id, slot)
        };
        ops.into_iter().enumerate().map(slot).collect()
    }
}
