//! List scheduling of a block's instructions from its end, by register pressure.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_irs::core::{Body, OpId, Operation, SideTable, Value};
use tilewright_irs::nvvm::Nvvm;

use super::Pressure;
use super::dependences::Dependences;

/// Which of the instructions that can be placed before those already placed is next.
#[derive(Clone, Copy, Debug)]
pub(super) enum Choice {
    /// The one with which the fewest registers are live before it.
    LowestPressure,
    /// The last in the given order, while the pressure before it is within a limit; else like
    /// [`LowestPressure`](Self::LowestPressure).
    GivenOrderBelow(Pressure),
}

/// The instructions of a block by the values that they define and use.
pub(super) struct Instructions<'a> {
    /// The results of each instruction.
    made: Vec<Vec<Value>>,
    /// The operands of each instruction, without repetition.
    used: Vec<Vec<Value>>,
    /// The values that are live at the end of the block.
    live_after: &'a [Value],
    sizes: &'a SideTable<Value, Pressure>,
}

impl<'a> Instructions<'a> {
    /// The instructions of a block.
    pub(super) fn new(
        body: &Body<Nvvm>,
        ops: &[OpId],
        live_after: &'a [Value],
        sizes: &'a SideTable<Value, Pressure>,
    ) -> Self {
        let operands = |id: &OpId| {
            let mut used = Vec::new();
            body.op(*id).kind.operands(&mut |value| used.push(value));
            used.sort_unstable();
            used.dedup();
            used
        };
        Self {
            made: ops.iter().map(|&id| body.op(id).results().collect()).collect(),
            used: ops.iter().map(operands).collect(),
            live_after,
            sizes,
        }
    }

    /// The maximum pressure in an order of the instructions.
    pub(super) fn peak(&self, order: &[usize]) -> Pressure {
        let mut live = Live::at_end(self);
        let mut peak = live.pressure;
        for &at in order.iter().rev() {
            // Results that are never used take registers for a moment.
            let made = self.made[at].iter();
            let idle: u32 = made
                .filter(|v| !live.values.contains(v))
                .map(|&v| self.size(v).0)
                .sum();
            peak = peak.max(Pressure(live.pressure.0 + idle));
            live.step_before(self, at, |_| {});
            peak = peak.max(live.pressure);
        }
        peak
    }

    /// The instructions in an order that respects the dependences.
    pub(super) fn order(&self, dependences: &Dependences, choice: Choice) -> Vec<usize> {
        let mut users: FxHashMap<Value, Vec<usize>> = FxHashMap::default();
        for (at, used) in self.used.iter().enumerate() {
            for &value in used {
                users.entry(value).or_default().push(at);
            }
        }
        let mut live = Live::at_end(self);
        let mut ready = Ready::default();
        let mut after = dependences.after();
        for at in (0..after.len()).filter(|&at| after[at] == 0) {
            ready.insert(at, live.growth(self, at), 0);
        }
        let mut order = Vec::with_capacity(after.len());
        while let Some(at) = ready.take(|last| match choice {
            Choice::LowestPressure => false,
            Choice::GivenOrderBelow(limit) => {
                i64::from(live.pressure.0) + live.growth(self, last) <= i64::from(limit.0)
            }
        }) {
            order.push(at);
            live.step_before(self, at, |value| {
                for &user in users.get(&value).into_iter().flatten() {
                    ready.shrink(user, self.size(value));
                }
            });
            for &earlier in dependences.before(at) {
                after[earlier] -= 1;
                if after[earlier] == 0 {
                    ready.insert(earlier, live.growth(self, earlier), order.len());
                }
            }
        }
        order.reverse();
        order
    }

    fn size(&self, value: Value) -> Pressure {
        self.sizes.get(value).copied().unwrap_or_default()
    }
}

/// The values that are live at a place of the block.
struct Live {
    values: FxHashSet<Value>,
    pressure: Pressure,
}

impl Live {
    fn at_end(instructions: &Instructions<'_>) -> Self {
        let values: FxHashSet<Value> = instructions.live_after.iter().copied().collect();
        let pressure = Pressure(values.iter().map(|&value| instructions.size(value).0).sum());
        Self { values, pressure }
    }

    /// By how much the pressure before an instruction exceeds that after it.
    fn growth(&self, instructions: &Instructions<'_>, at: usize) -> i64 {
        let sum = |values: &[Value], live: bool| -> i64 {
            let counted = values.iter().filter(|value| self.values.contains(value) == live);
            counted.map(|&value| i64::from(instructions.size(value).0)).sum()
        };
        sum(&instructions.used[at], false) - sum(&instructions.made[at], true)
    }

    /// Goes from after an instruction to before it, with a visit of each value that becomes live.
    fn step_before(&mut self, instructions: &Instructions<'_>, at: usize, mut begins: impl FnMut(Value)) {
        for value in &instructions.made[at] {
            if self.values.remove(value) {
                self.pressure.0 -= instructions.size(*value).0;
            }
        }
        for &value in &instructions.used[at] {
            if self.values.insert(value) {
                self.pressure.0 += instructions.size(value).0;
                begins(value);
            }
        }
    }
}

/// Growth of the pressure; then those that became ready last, so that the operands of one instruction are computed
/// before those of another; then the last in the given order.
type Key = (i64, Reverse<usize>, Reverse<usize>);

/// The instructions that can be placed.
#[derive(Default)]
struct Ready {
    by_key: BTreeSet<Key>,
    keys: FxHashMap<usize, Key>,
    in_order: BTreeSet<usize>,
}

impl Ready {
    fn insert(&mut self, at: usize, growth: i64, since: usize) {
        let key = (growth, Reverse(since), Reverse(at));
        self.by_key.insert(key);
        self.keys.insert(at, key);
        self.in_order.insert(at);
    }

    /// Removes the last instruction in the given order if it is accepted, else the first by key.
    fn take(&mut self, accepts: impl FnOnce(usize) -> bool) -> Option<usize> {
        let last = *self.in_order.last()?;
        let at = if accepts(last) {
            last
        } else {
            let (_, _, Reverse(at)) = *self.by_key.first()?;
            at
        };
        if let Some(key) = self.keys.remove(&at) {
            self.by_key.remove(&key);
        }
        self.in_order.remove(&at);
        Some(at)
    }

    /// Another instruction uses the value of this size too, so that it is live already.
    fn shrink(&mut self, at: usize, size: Pressure) {
        if let Some(key) = self.keys.get_mut(&at) {
            self.by_key.remove(key);
            key.0 -= i64::from(size.0);
            self.by_key.insert(*key);
        }
    }
}
