//! The plan of a conversion by shuffles: the sent and received registers of every thread in each
//! round.

use super::steps::{Step, Steps, Words};
use super::{LANE_BITS, LaneShuffles, WORD_BITS};
use crate::conversion::subspace::{extend, span};
use crate::dim::Dim;
use crate::error::LayoutError;
use crate::linear::{LinearLayout, RegisterMap};
use crate::span::{Span, multiply};

impl Words {
    /// The plan of these steps.
    pub(super) fn shuffles(
        self,
        source: &LinearLayout,
        wanted: &LinearLayout,
        steps: Steps,
        element_bytes: u32,
    ) -> Result<LaneShuffles, LayoutError> {
        let lanes_asked = Span::of(steps.lanes.iter().map(|step| step.lane));
        let words: Vec<u64> = steps.lanes.iter().map(|step| step.word).collect();
        // The word that is read from a lane in the first round, as a function of that lane.
        let sent = |lane: u64| multiply(&words, lanes_asked.project(lane));
        // The missing part, if lanes read different words from one lane.
        let missing = |step: &Step| step.word ^ sent(step.lane);
        let repeats = extend(&mut span([]), steps.lanes.iter().map(missing));
        let repeated = Span::of(repeats.iter().copied());
        let classes = 1u64 << repeats.len();

        let per_bit = |round: &dyn Fn(&Step) -> u64, again: &[u64], lane: &dyn Fn(usize, &Step) -> u64| {
            let mut rounds: Vec<u64> = steps.rounds.iter().map(round).collect();
            rounds.extend(again);
            let lanes = steps.lanes.iter().enumerate().map(|(bit, step)| lane(bit, step));
            let mut ins = vec![(Dim::Register, rounds), (Dim::Lane, lanes.collect())];
            for (dim, others) in &steps.others {
                ins.push((*dim, others.iter().map(round).collect()));
            }
            ins
        };
        let none = vec![0; repeats.len()];
        let unit: Vec<u64> = (0..repeats.len()).map(|bit| 1 << bit).collect();
        let send = per_bit(&|step| step.word ^ sent(step.lane), &repeats, &|bit, _| {
            sent(1 << bit)
        });
        let from = per_bit(&|step| step.lane, &none, &|_, step| step.lane);
        let land = per_bit(&|step| step.wanted, &none, &|_, step| step.wanted);
        let turn = per_bit(&|step| step.turn, &none, &|_, step| step.turn);
        let keep = per_bit(&|_| 0, &unit, &|_, step| repeated.project(missing(step)));
        let to = |dim, bits: usize, ins| LinearLayout::from_words(ins, &[(dim, 1 << bits)]);
        let send = to(Dim::Register, self.source.len(), send)?;
        let land = to(Dim::Register, self.wanted.len(), land)?;
        let turn = to(Dim::Register, self.packed.len(), turn)?;

        let rounds = 1u64 << (self.wanted.len() + repeats.len());
        let local_rounds = if steps.local { 1 << self.shared } else { 0 };
        let pieces = u64::from(element_bytes.div_ceil(1 << WORD_BITS));
        let by_thread = |map: &LinearLayout| {
            span(
                [Dim::Lane, Dim::Warp, Dim::Block]
                    .iter()
                    .flat_map(|dim| map.words(*dim))
                    .copied(),
            )
            .rank() as u64
        };
        let (sources, results) = (1u64 << self.source.len(), 1u64 << self.wanted.len());
        let map = |registers: &[u64], vectors: &[u64]| -> Vec<u32> {
            let registers = Span::of(registers.iter().copied());
            // A layout has at most 31 register bits.
            vectors
                .iter()
                .map(|vector| registers.project(*vector) as u32)
                .collect()
        };
        let (old, new) = (
            [&self.packed[..], &self.source].concat(),
            [&self.packed[..], &self.wanted].concat(),
        );
        let source_words = map(source.words(Dim::Register), &old);
        let wanted_words = map(&new, wanted.words(Dim::Register));
        // No byte permutation is needed if a word consists of aligned adjacent registers.
        let in_place = |images: &[u32]| {
            self.packed
                .iter()
                .zip(0..)
                .zip(images)
                .all(|((_, bit), image)| *image == 1 << bit)
        };
        let packing = |words: u64, images: &[u32]| {
            if in_place(images) {
                0
            } else {
                words * ((1 << self.packed.len()) - 1)
            }
        };
        let selects = by_thread(&send) * sources * pieces
            + by_thread(&land) * results * pieces
            + (classes - 1) * results * pieces
            + if by_thread(&turn) > 0 { results } else { 0 }
            + packing(sources, &source_words)
            + packing(results, &wanted_words);
        Ok(LaneShuffles {
            word_elements: 1 << self.packed.len(),
            source_words: RegisterMap::new(source_words, source.in_bits(Dim::Register)),
            wanted_words: RegisterMap::new(wanted_words, new.len() as u32),
            rounds: u32::try_from(rounds).unwrap_or(u32::MAX),
            local_rounds,
            from: to(Dim::Lane, LANE_BITS, from)?,
            keep: to(Dim::Register, repeats.len(), keep)?,
            send,
            land,
            turn,
            shuffles: (rounds - u64::from(local_rounds)) * pieces,
            selects,
        })
    }
}
