//! The source lane of each lane's word, as linear functions of the lane and of the round.

use super::{LANE_BITS, WORD_BITS};
use crate::conversion::subspace::{Split, extend, intersection, span};
use crate::dim::Dim;
use crate::linear::LinearLayout;
use crate::span::{Span, multiply};

/// The columns of the two layouts, registers as words.
pub(super) struct Words {
    /// The elements of a word.
    pub(super) packed: Vec<u64>,
    pub(super) source: Vec<u64>,
    /// Those that are words of the source, too, come first.
    pub(super) wanted: Vec<u64>,
    pub(super) shared: usize,
    pub(super) source_lanes: [u64; LANE_BITS],
    pub(super) wanted_lanes: [u64; LANE_BITS],
    /// For each bit of the warp and of the block, its contribution to the source and to the target.
    pub(super) others: Vec<(Dim, Vec<(u64, u64)>)>,
}

/// The source of the word that one bit of a position or of a round selects.
#[derive(Clone, Copy)]
pub(super) struct Step {
    /// The change of the target word, of the source word, and of its lane.
    pub(super) wanted: u64,
    pub(super) word: u64,
    pub(super) lane: u64,
    /// The change of position in the word.
    pub(super) turn: u64,
}

/// The steps of all bits.
pub(super) struct Steps {
    pub(super) rounds: Vec<Step>,
    pub(super) lanes: Vec<Step>,
    pub(super) others: Vec<(Dim, Vec<Step>)>,
    /// Whether every lane finds its word in its own registers.
    pub(super) local: bool,
}

impl Words {
    pub(super) fn new(source: &LinearLayout, wanted: &LinearLayout, element_bits: u32) -> Option<Words> {
        let dims = |layout: &LinearLayout| layout.in_dims().map(|(dim, _)| dim).collect::<Vec<_>>();
        for dim in dims(source).into_iter().chain(dims(wanted)) {
            match dim {
                Dim::Register | Dim::Lane | Dim::Warp | Dim::Block => {}
                Dim::Offset | Dim::TmemLane | Dim::TmemColumn | Dim::Axis(_) => return None,
            }
        }
        let lanes = |layout: &LinearLayout| {
            let words = layout.words(Dim::Lane);
            let lane = |bit: usize| words.get(bit).copied().unwrap_or(0);
            (words.len() <= LANE_BITS).then(|| std::array::from_fn(lane))
        };
        let other = |dim: Dim| {
            let (old, new) = (source.words(dim), wanted.words(dim));
            let at = |words: &[u64], bit: usize| words.get(bit).copied().unwrap_or(0);
            let bits = 0..old.len().max(new.len());
            (dim, bits.map(|bit| (at(old, bit), at(new, bit))).collect())
        };
        let (held, asked) = (source.words(Dim::Register), wanted.words(Dim::Register));
        let shared = intersection(held, asked);
        let fit = WORD_BITS.saturating_sub(element_bits) as usize;
        let packed: Vec<u64> = shared.iter().take(fit).copied().collect();
        let source_words = extend(&mut span(packed.iter().copied()), held.iter().copied());
        let mut known = span(packed.iter().copied());
        let mut wanted_words = extend(&mut known, shared);
        let shared = wanted_words.len();
        wanted_words.extend(extend(&mut known, asked.iter().copied()));
        Some(Words {
            packed,
            source: source_words,
            wanted: wanted_words,
            shared,
            source_lanes: lanes(source)?,
            wanted_lanes: lanes(wanted)?,
            others: vec![other(Dim::Warp), other(Dim::Block)],
        })
    }

    /// The words of the source's registers and, above them, its lanes.
    fn held(&self) -> impl Iterator<Item = u64> + '_ {
        self.source.iter().chain(&self.source_lanes).copied()
    }

    /// The vector of a sum of words (low bits) and lanes of the source.
    fn at(&self, place: u64) -> u64 {
        let lanes = place >> self.source.len();
        multiply(&self.source, place & ((1 << self.source.len()) - 1)) ^ multiply(&self.source_lanes, lanes)
    }

    /// The step to `element` by a position in the source that holds it up to target words.
    fn step(&self, element: u64, place: u64) -> Option<Step> {
        let rest = element ^ self.at(place);
        let known = Span::of(self.packed.iter().chain(&self.wanted).copied()).solve(rest)?;
        Some(Step {
            turn: known & ((1 << self.packed.len()) - 1),
            wanted: known >> self.packed.len(),
            word: place & ((1 << self.source.len()) - 1),
            lane: place >> self.source.len(),
        })
    }

    /// All steps, if all target elements are in the warp.
    pub(super) fn steps(self) -> Option<(Words, Steps)> {
        let held = self.held().collect::<Vec<_>>();
        let packed = self.packed.len();
        // The source position of an element up to its position in the word; words before lanes.
        let places = Span::of(self.packed.iter().chain(&held).copied());
        let place = |element: u64| places.solve(element).map(|solution| solution >> packed);
        let rounds = self.wanted.iter().map(|word| {
            let place = place(*word)?;
            let step = self.step(*word, place)?;
            Some(Step { wanted: 0, ..step })
        });
        let mut rounds = rounds.collect::<Option<Vec<_>>>()?;
        for (bit, step) in rounds.iter_mut().enumerate() {
            step.wanted = 1 << bit;
        }

        // In the lane itself, up to target words.
        let own = Span::of(
            self.packed
                .iter()
                .chain(&self.source)
                .chain(&self.wanted)
                .copied(),
        );
        let word_mask = (1u64 << self.source.len()) - 1;
        let in_own = |element: u64| own.solve(element).map(|solution| solution >> packed & word_mask);
        let others = self.others.iter().map(|(dim, bits)| {
            let steps = bits.iter().map(|(old, new)| {
                let element = old ^ new;
                let place = in_own(element).or_else(|| place(element))?;
                self.step(element, place)
            });
            Some((*dim, steps.collect::<Option<Vec<_>>>()?))
        });
        let others = others.collect::<Option<Vec<_>>>()?;
        let stays = others
            .iter()
            .flat_map(|(_, steps)| steps)
            .all(|step| step.lane == 0);
        let lane_pairs = || self.source_lanes.iter().zip(&self.wanted_lanes).zip(0..);
        let at_home = lane_pairs().map(|((old, new), bit)| {
            let word = in_own(old ^ new)?;
            self.step(*new, word | 1 << (self.source.len() + bit))
        });
        let at_home = at_home.collect::<Option<Vec<_>>>().filter(|_| stays);
        let local = at_home.is_some();
        let lanes = match at_home {
            Some(steps) => steps,
            None => {
                let asked = self.wanted_lanes.iter().map(|lane| place(*lane));
                self.apart(&held, &asked.collect::<Option<Vec<_>>>()?)?
            }
        };
        let steps = Steps {
            rounds,
            lanes,
            others,
            local,
        };
        Some((self, steps))
    }

    /// Steps of the lanes such that the number of different words read from one lane is minimal.
    fn apart(&self, held: &[u64], asked: &[u64]) -> Option<Vec<Step>> {
        // Source positions of target words of lane 0, which may be added to a position.
        let wanted = Span::of(self.packed.iter().chain(&self.wanted).copied());
        let mut rows = wanted.clone();
        let offset = self.packed.len() + self.wanted.len();
        let mut free = Vec::new();
        let mut taken: Vec<usize> = Vec::new();
        for (bit, vector) in held.iter().enumerate() {
            match rows.solve(*vector) {
                Some(solution) => {
                    let others = taken.iter().enumerate();
                    let sum = others.filter(|(index, _)| solution >> (offset + index) & 1 == 1);
                    free.push(sum.fold(1u64 << bit, |sum, (_, bit)| sum ^ 1 << bit));
                }
                None => {
                    rows.add(*vector, offset + taken.len());
                    taken.push(bit);
                }
            }
        }
        let mut known = span(free.iter().copied());
        let mut all = free.clone();
        all.extend(extend(&mut known, asked.iter().copied()));
        let registers: Vec<u64> = (0..self.source.len()).map(|bit| 1 << bit).collect();
        let one_lane = intersection(&registers, &all);
        let both = intersection(&one_lane, &free);
        let one_lane = extend(&mut span(both.iter().copied()), one_lane);
        let add = extend(&mut span(both.iter().copied()), free.iter().copied());
        let mut known = span(free.iter().chain(&one_lane).copied());
        let mut chosen = extend(&mut known, asked.iter().copied());
        let partners = add.into_iter().chain(std::iter::repeat(0));
        chosen.extend(one_lane.iter().zip(partners).map(|(a, b)| a ^ b));
        let split = Split::new(&free, &chosen);
        let steps = asked.iter().zip(&self.wanted_lanes);
        steps
            .map(|(place, lane)| self.step(*lane, split.second_part(*place)))
            .collect()
    }
}
