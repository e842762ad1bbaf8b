//! Lowers layout conversions within warps to shuffles, by the plan of [`LaneShuffles`].
//!
//! In each round of a plan a thread sends a word and receives one. Which word, from which lane, and where it goes are
//! numbers with a part that depends on the round and a part that depends on the thread, combined by exclusive or. The former
//! names registers. The latter is the same in all rounds: all words are moved by it before the first round and after the
//! last one, with selections. Rounds in which a thread receives from the same lane are shuffled together, so that narrow
//! elements are packed.

use std::collections::BTreeMap;

use tilewright_irs::core::{OpId, Translated, Value};
use tilewright_irs::cute_desugared::DesugaredType;
use tilewright_irs::dialects::arith::Predicate;
use tilewright_irs::dialects::gpu::GpuOp;
use tilewright_irs::tileas::lane_shuffles;
use tilewright_layouts::{LaneShuffles, LinearLayout};

use super::agent::Agent;
use super::emit::{Cx, I32, at, bug, gathered};
use super::placement::{register_coordinate, thread_bases};

/// A conversion within each warp.
pub(super) fn exchange(cx: &mut Cx<'_>, id: OpId, source: Value, agent: Agent) -> Translated {
    let result = cx.old(id).result(0);
    let Some(plan) = lane_shuffles(cx.from.ty(source), cx.from.ty(result)) else {
        let message = "an exchange would move elements between warps";
        return Err(bug(cx.origin(), message));
    };
    let exchange = Exchange {
        plan: &plan,
        thread: agent.thread,
    };
    let value = cx.one(source);
    let value = at(cx).rearrange(value, plan.source_words.sources().collect());
    let value = exchange.moved(cx, value, &plan.send, plan.word_elements);
    let received = exchange.received(cx, value);
    let Some(value) = exchange.kept(cx, &received) else {
        return Err(bug(cx.origin(), "an exchange of no registers"));
    };
    let value = exchange.moved(cx, value, &plan.turn, 1);
    let value = exchange.moved(cx, value, &plan.land, plan.word_elements);
    let value = at(cx).rearrange(value, plan.wanted_words.sources().collect());
    cx.bind(result, [value]);
    Ok(())
}

struct Exchange<'a> {
    plan: &'a LaneShuffles,
    /// The thread's index in its agent.
    thread: Value,
}

/// The part of a number of the plan that depends on the round.
fn of_round(map: &LinearLayout, round: u32) -> u32 {
    register_coordinate(map, round, 0)
}

impl Exchange<'_> {
    /// The part of a number of the plan that depends on the thread.
    fn of_thread(&self, cx: &mut Cx<'_>, map: &LinearLayout) -> Value {
        at(cx).linear_index(self.thread, thread_bases(map, 0), I32)
    }

    /// The word of each round: the fragment that has it, and its first element there. The words to send are in `words`.
    fn received(&self, cx: &mut Cx<'_>, words: Value) -> BTreeMap<u32, (Value, u32)> {
        let (plan, size) = (self.plan, self.plan.word_elements);
        // The rounds by the part of the lane that depends on them; `None` in those without a shuffle.
        let mut groups: BTreeMap<Option<u32>, Vec<u32>> = BTreeMap::new();
        for round in 0..plan.rounds {
            let lane = (round >= plan.local_rounds).then(|| of_round(&plan.from, round));
            groups.entry(lane).or_default().push(round);
        }
        let mut received = BTreeMap::new();
        for (lane, rounds) in groups {
            let sent = rounds.iter().map(|&round| of_round(&plan.send, round));
            let sent = sent.flat_map(|word| word * size..(word + 1) * size).collect();
            let mut value = at(cx).rearrange(words, sent);
            if let Some(lane) = lane {
                let of_thread = self.of_thread(cx, &plan.from);
                let ty = cx.ty(value).clone();
                let mut emit = at(cx);
                let lane = emit.i32(lane);
                let lane = emit.xor(of_thread, lane);
                value = emit.0.value(GpuOp::ShuffleIdx { value, lane }, ty);
            }
            received.extend(rounds.into_iter().zip((0..).map(|n| (value, n * size))));
        }
        received
    }

    /// The words that a thread keeps of those of several rounds for the same place: by a number of the thread, those of one
    /// class.
    fn kept(&self, cx: &mut Cx<'_>, received: &BTreeMap<u32, (Value, u32)>) -> Option<Value> {
        let plan = self.plan;
        let mut classes: BTreeMap<u32, BTreeMap<u32, (Value, u32)>> = BTreeMap::new();
        for (&round, &(value, first)) in received {
            let places = classes.entry(of_round(&plan.keep, round)).or_default();
            let (word, turn) = (of_round(&plan.land, round), of_round(&plan.turn, round));
            for position in 0..plan.word_elements {
                let place = word * plan.word_elements + (position ^ turn);
                places.insert(place, (value, first + position));
            }
        }
        let mut kept = None;
        for (class, places) in classes {
            let places: Vec<_> = places.into_values().collect();
            let value = gathered(cx, &places)?;
            kept = Some(match kept {
                None => value,
                Some(others) => {
                    let own = self.of_thread(cx, &plan.keep);
                    let mut emit = at(cx);
                    let class = emit.i32(class);
                    let is_kept = emit.compare(own, Predicate::Equal, class);
                    emit.select(is_kept, value, others)
                }
            });
        }
        kept
    }

    /// Moves each unit of `size` elements by the thread's part of a number: unit `n` to `n ^ number`.
    fn moved(&self, cx: &mut Cx<'_>, mut value: Value, map: &LinearLayout, size: u32) -> Value {
        let DesugaredType::Fragment(count, _) = *cx.ty(value) else {
            return value;
        };
        for (step, taken) in independent(&thread_bases(map, 0)) {
            let step = u32::try_from(step).unwrap_or(0) * size;
            let mut emit = at(cx);
            let other = emit.rearrange(value, (0..count).map(|element| element ^ step).collect());
            let (taken, one) = (emit.linear_index(self.thread, taken, I32), emit.i32(1));
            let is_taken = emit.compare(taken, Predicate::Equal, one);
            value = emit.select(is_taken, other, value);
        }
        value
    }
}

/// Linearly independent steps that span these bases, each with the bases of a map to 1 where the step is taken, else to 0.
fn independent(bases: &[i64]) -> Vec<(i64, Vec<i64>)> {
    // The lowest bit of a step is in no other one.
    let lowest = |step: i64| step & step.wrapping_neg();
    let mut steps: Vec<i64> = Vec::new();
    for &basis in bases {
        let rest = steps.iter().fold(basis, |rest, &step| match rest & lowest(step) {
            0 => rest,
            _ => rest ^ step,
        });
        if rest != 0 {
            for step in &mut steps {
                if *step & lowest(rest) != 0 {
                    *step ^= rest;
                }
            }
            steps.push(rest);
        }
    }
    let taken = |step| {
        bases
            .iter()
            .map(move |basis| i64::from(basis & lowest(step) != 0))
    };
    steps
        .into_iter()
        .map(|step| (step, taken(step).collect()))
        .collect()
}
