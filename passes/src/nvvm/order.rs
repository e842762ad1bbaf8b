//! List scheduling of a block's instructions from its end, by register pressure.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use tilewright_irs::core::{Body, Value};
use tilewright_irs::nvvm::Nvvm;

use super::dependences::Dependences;
use super::liveness::Liveness;
use super::pressure::{Instructions, Live, Pressure, sizes};

/// Which of the instructions that can be placed before those already placed is next.
#[derive(Clone, Copy, Debug)]
pub(super) enum Choice {
    /// The one with which the fewest registers are live before it.
    LowestPressure,
    /// The last in the given order, while the pressure before it is within a limit; else like
    /// [`LowestPressure`](Self::LowestPressure).
    GivenOrderBelow(Pressure),
}

/// The least of the maximum pressures of a function among the orders of its instructions that are known.
pub(super) fn lowest_peak(body: &Body<Nvvm>) -> Pressure {
    let (sizes, liveness) = (sizes(body), Liveness::of(body));
    let blocks = body.region(body.root()).blocks.iter();
    let peaks = blocks.map(|&block| {
        let ops = &body.block(block).ops;
        let instructions = Instructions::new(body, ops, liveness.after(block), &sizes);
        let given: Vec<usize> = (0..ops.len()).collect();
        let dependences = Dependences::of(body, ops);
        let other = order(&instructions, &dependences, Choice::LowestPressure);
        instructions.peak(&given).min(instructions.peak(&other))
    });
    peaks.max().unwrap_or_default()
}

/// The instructions in an order that respects the dependences.
pub(super) fn order(
    instructions: &Instructions<'_>,
    dependences: &Dependences,
    choice: Choice,
) -> Vec<usize> {
    let mut users: FxHashMap<Value, Vec<usize>> = FxHashMap::default();
    for (at, used) in instructions.used.iter().enumerate() {
        for &value in used {
            users.entry(value).or_default().push(at);
        }
    }
    let mut live = Live::at_end(instructions);
    let mut ready = Ready::default();
    let mut after = dependences.after();
    for at in (0..after.len()).filter(|&at| after[at] == 0) {
        ready.insert(at, live.growth(instructions, at), 0);
    }
    let mut order = Vec::with_capacity(after.len());
    while let Some(at) = ready.take(|last| match choice {
        Choice::LowestPressure => false,
        Choice::GivenOrderBelow(limit) => {
            i64::from(live.pressure.0) + live.growth(instructions, last) <= i64::from(limit.0)
        }
    }) {
        order.push(at);
        live.step_before(instructions, at, |value| {
            for &user in users.get(&value).into_iter().flatten() {
                ready.shrink(user, instructions.size(value));
            }
        });
        for &earlier in dependences.before(at) {
            after[earlier] -= 1;
            if after[earlier] == 0 {
                ready.insert(earlier, live.growth(instructions, earlier), order.len());
            }
        }
    }
    order.reverse();
    order
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
