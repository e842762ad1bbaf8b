//! Stages for loops in which a product uses values that are computed from another product, as attention multiplies its values by
//! the probabilities that follow from queries and keys. In a single stage, tensor cores and that computation would wait for each
//! other. With several, products of different iterations are under way while threads compute what lies between them: in attention,
//! the first product of an iteration begins before the second one of the iteration before, and the computation on its result
//! overlaps with that second product. (Shah et al., "FlashAttention-3", 2024.)
//!
//! A modulo scheduler (`modulo`) places the ops of an iteration (`dependences`) at intervals from the least one on. Each
//! placement says which products of which iterations meet in a step. A step ends when its products have ended, and may begin with
//! any of them. The other ops follow, in the stage in which fewest registers are passed from one stage to the next. Of all schedules
//! whose tiles fit into registers, and whose rings have a stage for each iteration that reads them, the one with the shortest step
//! is chosen; the order of the text, in one stage, if none is shorter.

use std::cmp::Reverse;

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_irs::core::{Block, Func, OpId, Operation, Value, ValueType};
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::machine::Rates;
use tilewright_irs::scheduled::{Scheduled, ScheduledOp, Slot, uses};
use tilewright_irs::tileas::{Pending, TileAsDialect, TileAsType};
use tilewright_layouts::Dim;

use super::dependences::Dependences;
use super::iteration::{definitions, may_move};
use crate::scheduled::copy_groups::Group;
use crate::scheduled::work::{Works, vectors};

/// The intervals for which ops are placed, at most, and by which part each is longer than the one before.
const INTERVALS: usize = 12;
const LONGER: u64 = 8;
/// The divisions into stages that are compared, at most.
const DIVISIONS: usize = 64;
/// One more stage is worth its registers, its prologue and its epilogue if it makes a step shorter by one in about so many parts.
const PARTS: u64 = 16;

/// Chooses the stages and the order of the ops of a loop's body. `None` if one stage is as good, if the tiles need more registers
/// per thread than there are, or if rings with these depths have too few stages.
pub(super) fn stages(
    func: &Func<Scheduled>,
    block: Block,
    groups: &[(&Group, u32)],
    registers: u64,
) -> Option<Vec<(OpId, Slot)>> {
    let iteration = Iteration::of(func, block, groups)?;
    let chosen = iteration.schedule(registers)?;
    let slot = |(order, (op, stage)): (u32, (usize, u32))| {
        let slot = Slot {
            agent: None,
            stage,
            order,
        };
        (iteration.ops[op].id, slot)
    };
    Some((0..).zip(chosen).map(slot).collect())
}

/// An op of a loop's body.
struct Op {
    id: OpId,
    is_product: bool,
    /// Whether a product is complete after it.
    completes_product: bool,
    /// Whether it depends on a product of the same iteration, or is one.
    is_multiplied: bool,
    /// Whether it may be delayed to save registers, or a stage of a ring.
    may_be_late: bool,
    /// Whether the next iteration uses a result.
    is_handed_on: bool,
    /// The waits for copies of its group, of which it is one: they become one wait for a stage.
    waits: Vec<usize>,
    /// What has the same registers as a product under way, or as its sum: they stay within a stage.
    with_sum: Vec<usize>,
}

/// A tile that an op makes.
struct Tile {
    by: usize,
    /// The number of 32-bit registers per thread.
    words: u64,
    /// Whether it is the sum of a product.
    is_sum: bool,
    /// The ops that use it, of the same iteration or of the next one.
    users: Vec<usize>,
}

/// A group of copies into a ring.
struct Ring {
    waits: Vec<usize>,
    /// The last op that reads a stage.
    last: usize,
    /// The number of stages.
    depth: u32,
}

/// The ops of a loop's body, by their numbers in the order of the text.
struct Iteration {
    ops: Vec<Op>,
    tiles: Vec<Tile>,
    rings: Vec<Ring>,
    dependences: Dependences,
}

impl Iteration {
    /// `None` if the ops [may not be ordered](may_be_ordered).
    fn of(func: &Func<Scheduled>, block: Block, groups: &[(&Group, u32)]) -> Option<Self> {
        let body = &func.body;
        let (&last, ids) = body.block(block).ops.split_last()?;
        let ScheduledOp::Scf(ScfOp::Continue { values }) = &body.op(last).kind else {
            return None;
        };
        if !may_be_ordered(func, block) {
            return None;
        }
        let definitions = definitions(body, ids);
        let args = body.block(block).args.iter().skip(1);
        let carried: FxHashMap<Value, Value> = args.copied().zip(values.iter().copied()).collect();
        let memory = f64::from(Rates::SHARED_L2_BYTES);
        let mut works = Works::of(func, memory, vectors(body));
        let warps = func.attrs.kernel_spec.num_warps;
        let dependences = Dependences::of(body, ids, &carried, (&mut works, warps));

        let numbers: FxHashMap<OpId, usize> = ids.iter().enumerate().map(|(at, &id)| (id, at)).collect();
        let number = |id: OpId| numbers.get(&id).copied();
        let ring = |(group, depth): &(&Group, u32)| {
            let waits = group.copies.iter().filter_map(|copy| number(copy.wait));
            Some(Ring {
                waits: waits.collect(),
                last: number(group.last)?,
                depth: *depth,
            })
        };
        let mut iteration = Self {
            ops: Vec::with_capacity(ids.len()),
            tiles: Vec::new(),
            rings: groups.iter().filter_map(ring).collect(),
            dependences,
        };
        let handed: FxHashMap<Value, Value> = carried.iter().map(|(&arg, &next)| (next, arg)).collect();
        let used: Vec<Vec<Value>> = ids.iter().map(|&id| uses(body, id)).collect();
        for (at, (&id, used)) in ids.iter().zip(&used).enumerate() {
            let op = body.op(id);
            let mut needs = iteration.dependences.needs(at).iter();
            let depends = needs.any(|&(from, back)| back == 0 && iteration.ops[from].is_multiplied);
            let is_product = is_product(&op.kind);
            let made: u64 = op.results().map(|value| words(func, value)).sum();
            let taken: u64 = used.iter().map(|&value| words(func, value)).sum();
            let waits_for_copy = matches!(op.kind, ScheduledOp::TileAs(TileAsDialect::CopyWait { .. }));
            iteration.ops.push(Op {
                id,
                is_product,
                completes_product: match op.kind {
                    ScheduledOp::TileAs(TileAsDialect::DotWait { .. }) => true,
                    _ => is_product && !op.results().any(|result| is_under_way(func, result)),
                },
                is_multiplied: is_product || depends,
                may_be_late: waits_for_copy || op.kind.is_pure() && (!depends || taken < made),
                is_handed_on: op.results().any(|result| handed.contains_key(&result)),
                waits: Vec::new(),
                with_sum: Vec::new(),
            });
        }
        for (at, (&id, values)) in ids.iter().zip(&used).enumerate() {
            let sum = match body.op(id).kind {
                ScheduledOp::TileAs(TileAsDialect::Dot { acc, .. }) => Some(acc),
                _ => None,
            };
            for &value in values {
                let Some(from) = definitions.get(&value).and_then(|&id| number(id)) else {
                    continue;
                };
                let Op {
                    is_product,
                    completes_product,
                    ..
                } = iteration.ops[from];
                let adds = sum == Some(value) && (is_product || completes_product);
                if adds || is_under_way(func, value) {
                    iteration.ops[from].with_sum.push(at);
                    iteration.ops[at].with_sum.push(from);
                }
            }
            for result in body.op(id).results().filter(|&result| words(func, result) > 0) {
                let names = [Some(result), handed.get(&result).copied()];
                let uses = |used: &Vec<Value>| names.iter().flatten().any(|name| used.contains(name));
                let users = used.iter().enumerate().filter(|(_, used)| uses(used));
                iteration.tiles.push(Tile {
                    by: at,
                    words: words(func, result),
                    is_sum: iteration.ops[at].completes_product && !iteration.ops[at].is_product,
                    users: users.map(|(user, _)| user).collect(),
                });
            }
        }
        for ring in &iteration.rings {
            for &wait in &ring.waits {
                iteration.ops[wait].waits.clone_from(&ring.waits);
            }
        }
        Some(iteration)
    }

    /// The ops of a step, in order, each with its stage.
    fn schedule(&self, registers: u64) -> Option<Vec<(usize, u32)>> {
        let text: Vec<(usize, u32)> = (0..self.ops.len()).map(|op| (op, 0)).collect();
        let in_one_stage = self.dependences.interval(&text);
        let divisions = self.divisions(in_one_stage).into_iter();
        let divisions = divisions.filter(|stages| self.fits(stages, registers));
        let orders = divisions.flat_map(|stages| {
            let last = stages.iter().copied().max().unwrap_or(0);
            [false, true].map(|heads_first| (last, self.order(&stages, heads_first)))
        });
        let timed = orders.map(|(last, order)| (self.dependences.interval(&order), last, order));
        let best = timed
            .filter(|&(time, ..)| time < in_one_stage)
            .min_by_key(|&(time, last, _)| time * (PARTS + u64::from(last)));
        best.map(|(.., order)| order)
    }

    /// The stages of the ops as they follow from placements at intervals below a bound.
    fn divisions(&self, bound: u64) -> Vec<Vec<u32>> {
        let products: Vec<usize> = (0..self.ops.len())
            .filter(|&op| self.ops[op].is_product)
            .collect();
        let problem = self.dependences.problem();
        let longer = |&interval: &u64| Some(interval + (interval / LONGER).max(1));
        let intervals = std::iter::successors(Some(problem.least_interval()), longer);
        let mut found: Vec<Vec<u32>> = Vec::new();
        for interval in intervals.take(INTERVALS).take_while(|&interval| interval < bound) {
            let Some(begins) = problem.place(interval) else {
                continue;
            };
            for &first in &products {
                let stage = |&op: &usize| (begins[op] + interval - begins[first] % interval) / interval;
                let mut open: Vec<Vec<u64>> = vec![products.iter().map(stage).collect()];
                while let Some(of_products) = open.pop().filter(|_| found.len() < DIVISIONS) {
                    let stages = self.stages(&products, &of_products);
                    if found.contains(&stages) {
                        continue;
                    }
                    // With two neighbouring stages as one.
                    let last = stages.iter().copied().max().unwrap_or(0);
                    open.extend((1..=last).map(|from| {
                        let merged = |&op: &usize| u64::from(stages[op] - u32::from(stages[op] >= from));
                        products.iter().map(merged).collect()
                    }));
                    found.push(stages);
                }
            }
        }
        found
    }

    /// The stage of each op, where products are in these.
    fn stages(&self, products: &[usize], of_products: &[u64]) -> Vec<u32> {
        let mut stages = vec![0; self.ops.len()];
        for (&product, &stage) in products.iter().zip(of_products) {
            stages[product] = stage;
        }
        self.follow(&mut stages);
        // Without those that have no product.
        let mut used: Vec<u64> = products.iter().map(|&product| stages[product]).collect();
        used.sort_unstable();
        used.dedup();
        let number = |stage: u64| used.iter().take_while(|&&used| used < stage).count();
        let number = |stage: u64| u32::try_from(number(stage)).unwrap_or(u32::MAX);
        let mut stages: Vec<u32> = stages.into_iter().map(number).collect();
        self.delay(&mut stages);
        stages
    }

    /// Moves ops to the stages of what they need, of the same iteration or of the one before, and of what is in one stage with them.
    fn follow(&self, stages: &mut [u64]) {
        loop {
            let mut is_done = true;
            for op in 0..self.ops.len() {
                let needs = self.dependences.needs(op).iter().map(|&(from, _)| from);
                let Op { waits, with_sum, .. } = &self.ops[op];
                let before = needs.chain(waits.iter().chain(with_sum).copied());
                let stage = before.map(|other| stages[other]).fold(stages[op], u64::max);
                is_done &= stage == stages[op];
                stages[op] = stage;
            }
            if is_done {
                return;
            }
        }
    }

    /// Moves an op to the first stage that uses its results, if its own stage does not: it waits for a copy, it does not depend on a
    /// product, or its operands take fewer registers than its results.
    fn delay(&self, stages: &mut [u32]) {
        for op in (0..self.ops.len()).rev() {
            let all = self.together(op);
            let is_handed_on = all.iter().any(|&op| self.ops[op].is_handed_on);
            let users = all.iter().flat_map(|&op| self.users(op));
            let Some(first) = users.map(|user| stages[user]).min() else {
                continue;
            };
            if self.ops[op].may_be_late && !is_handed_on && first > stages[op] {
                all.into_iter().for_each(|op| stages[op] = first);
            }
        }
    }

    /// The waits that become one with an op; for any other op, only the op itself.
    fn together(&self, op: usize) -> Vec<usize> {
        match self.ops[op].waits.as_slice() {
            [] => vec![op],
            waits => waits.to_vec(),
        }
    }

    /// The ops that use a result of an op in the same iteration.
    fn users(&self, op: usize) -> impl Iterator<Item = usize> + '_ {
        (op + 1..self.ops.len()).filter(move |&user| self.dependences.needs(user).contains(&(op, 0)))
    }

    /// Whether there are several stages, the tiles of a step fit into so many registers of a thread, and each ring has a stage for
    /// each of the iterations that read it in a step.
    fn fits(&self, stages: &[u32], registers: u64) -> bool {
        let several = stages.iter().any(|&stage| stage > 0);
        let suffices = |ring: &Ring| {
            let first = ring.waits.iter().map(|&wait| stages[wait]).min();
            ring.depth > stages[ring.last].saturating_sub(first.unwrap_or(0))
        };
        several && self.registers(stages) <= registers && self.rings.iter().all(suffices)
    }

    /// The number of 32-bit registers per thread for the sums of the products of a step, and for the values that stages pass to later
    /// ones.
    fn registers(&self, stages: &[u32]) -> u64 {
        let held = self.tiles.iter().map(|tile| {
            let last = tile.users.iter().map(|&user| stages[user]).max().unwrap_or(0);
            let passed = u64::from(last.saturating_sub(stages[tile.by]));
            tile.words * passed.max(u64::from(tile.is_sum))
        });
        held.sum()
    }

    /// The ops of a step in order. First come the products, each with what it needs in its stage: in the order of the stages or, with
    /// `heads_first`, those that wait for no other product of the step before those that do, and of these, those first that another
    /// one waits for. What remains follows while they are under way, in the order of the stages.
    fn order(&self, stages: &[u32], heads_first: bool) -> Vec<(usize, u32)> {
        let own = |op: usize| {
            let needs = self.dependences.needs(op).iter();
            needs.filter_map(move |&(from, back)| (back == 0 && stages[from] == stages[op]).then_some(from))
        };
        // The products of the step that are waited for one after the other before an op, and that wait for it.
        let mut before = vec![0; self.ops.len()];
        let mut after = vec![0; self.ops.len()];
        for op in 0..self.ops.len() {
            let waits = |from: usize| before[from] + u32::from(self.ops[from].completes_product);
            before[op] = own(op).map(waits).max().unwrap_or(0);
        }
        for op in (0..self.ops.len()).rev() {
            let waits = after[op] + u32::from(self.ops[op].completes_product);
            own(op).for_each(|from| after[from] = waits.max(after[from]));
        }
        let key = |op: usize| match heads_first {
            true => (before[op], Reverse(after[op]), stages[op]),
            false => (0, Reverse(0), stages[op]),
        };
        let mut products: Vec<usize> = (0..self.ops.len())
            .filter(|&op| self.ops[op].is_product)
            .collect();
        products.sort_by_key(|&op| key(op));
        let mut begun = vec![None; self.ops.len()];
        for product in products {
            let mut open = vec![product];
            while let Some(op) = open.pop() {
                if begun[op].is_none() {
                    begun[op] = Some(key(product));
                    open.extend(own(op));
                    open.extend(self.together(op));
                }
            }
        }
        let mut order: Vec<(usize, u32)> = stages.iter().copied().enumerate().collect();
        order.sort_by_key(|&(op, stage)| (begun[op].is_none(), begun[op], stage));
        order
    }
}

/// Whether the ops of a loop's body may be ordered: a product needs another one, all loop-carried values are computed in the body, and
/// the ops do no more than to depend on data.
pub(super) fn may_be_ordered(func: &Func<Scheduled>, block: Block) -> bool {
    let body = &func.body;
    let Some((&last, ids)) = body.block(block).ops.split_last() else {
        return false;
    };
    let ScheduledOp::Scf(ScfOp::Continue { values }) = &body.op(last).kind else {
        return false;
    };
    let definitions = definitions(body, ids);
    let is_computed = values.iter().all(|value| definitions.contains_key(value));
    is_computed && needs_another(func, ids) && ids.iter().all(|&id| may_move(body, id))
}

/// Whether a product of a loop's body has an operand that depends on another product of the same iteration.
pub(super) fn needs_another(func: &Func<Scheduled>, ids: &[OpId]) -> bool {
    let body = &func.body;
    let mut multiplied: FxHashSet<Value> = FxHashSet::default();
    ids.iter().any(|&id| {
        let kind = &body.op(id).kind;
        let operands = match kind {
            ScheduledOp::TileAs(TileAsDialect::Dot { a, b, .. }) => [Some(*a), Some(*b)],
            _ => [None; 2],
        };
        let depends = uses(body, id).iter().any(|value| multiplied.contains(value));
        let found = operands.iter().flatten().any(|value| multiplied.contains(value));
        if depends || is_product(kind) {
            multiplied.extend(body.op(id).results());
        }
        found
    })
}

fn is_product(op: &ScheduledOp) -> bool {
    matches!(op, ScheduledOp::TileAs(TileAsDialect::Dot { .. }))
}

/// Whether a value is a product under way, whose registers stay within a stage.
fn is_under_way(func: &Func<Scheduled>, value: Value) -> bool {
    matches!(func.body.ty(value), TileAsType::Pending(Some(what)) if matches!(**what, Pending::Tile(..)))
}

/// The number of 32-bit registers per thread that hold a tile; 0 for other values.
fn words(func: &Func<Scheduled>, value: Value) -> u64 {
    let ty = func.body.ty(value);
    let (Some(layout), Some(element)) = (ty.layout(), ty.element()) else {
        return 0;
    };
    (u64::from(layout.in_size(Dim::Register)) * u64::from(element.stored_bytes())).div_ceil(4)
}
