//! Conversions within a warp, by exchanges between its lanes.
//!
//! In one *round* each lane sends one word and receives one from a lane of its choice (`shfl.sync.idx`).
//! Let `A` and `B` be the spans of the source's and of the wanted registers, modulo the elements packed
//! into a word.
//!
//! A round gives every lane `l` a word of its wanted ones, chosen linearly by the lane, and the words
//! of all lanes span a subspace `Y` that has one vector of each coset of `B` that some lane wants. Two
//! lanes may ask the same lane for a word only if it is the same word, which is to say that `Y` meets
//! `A` in zero. Such a `Y` exists unless `A` has more dimensions within what the warp wants than `B`; then
//! it is chosen to meet `A` in as few dimensions as possible, and a round is repeated for each element
//! of the intersection. (Two subspaces have a common complement, see `optimal_swizzle.rs`.) The other
//! rounds are translates of the first by elements of `B`.
//!
//! If every lane holds a word of its wanted ones itself, `Y` is made of such words; the rounds for the
//! elements of `A ∩ B` then stay within each lane and need no exchange.
//!
//! Every lane receives each word once, and no word holds more elements that both lanes keep together
//! than `A ∩ B` has: without repetition of rounds there are as few as possible. (arXiv 2505.23819, §5.4,
//! exchanges the basis of `A` by that of `B` in the same way, and needs their numbers to be equal.)

use super::subspace::{Split, extend, intersection, span};
use crate::bank::BankModel;
use crate::dim::Dim;
use crate::error::LayoutError;
use crate::linear::{LinearLayout, RegisterMap};
use crate::span::{Span, multiply};

/// Bits of the lane number.
const LANE_BITS: usize = 5;
/// Bytes of what one lane sends at once, as a power of two.
const WORD_BITS: u32 = BankModel::NVIDIA.word_bits;

/// A conversion in which every value stays in its warp: what each thread sends, from whom it receives,
/// and where that goes, in rounds.
///
/// A *word* is `2^n` registers that travel together. To carry the plan out, for every round `k` below
/// [`rounds`](Self::rounds) and every thread at once:
///
/// 1. provide word [`send`](Self::send)`(k, lane, warp, block)` of the source,
/// 2. receive what lane [`from`](Self::from)`(k, lane, warp, block)` of the warp provides: itself, in the
///    first [`local_rounds`](Self::local_rounds) rounds,
/// 3. if [`keep`](Self::keep)`(k, lane, warp, block)` is zero, that is word
///    [`land`](Self::land)`(k, lane, warp, block)` of the result, the element received at position `p` in
///    position `p ^ `[`turn`](Self::turn)`(k, lane, warp, block)`.
///
/// The maps are linear, with the round in place of [`Dim::Register`] on their input side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneShuffles {
    /// Elements of a word, 1 for elements of 4 bytes and more.
    pub word_elements: u32,
    /// The register of the source that is element `n % word_elements` of word `n / word_elements`.
    pub source_words: RegisterMap,
    /// The element of the result's words, counted likewise, that each wanted register is.
    pub wanted_words: RegisterMap,
    /// How many rounds there are.
    pub rounds: u32,
    /// How many of them, the first, do without an exchange.
    pub local_rounds: u32,
    /// The word that a thread provides: to [`Dim::Register`].
    pub send: LinearLayout,
    /// The lane that a thread receives from: to [`Dim::Lane`].
    pub from: LinearLayout,
    /// The word of the result that a thread receives: to [`Dim::Register`].
    pub land: LinearLayout,
    /// What is added (exclusive or) to the positions in a word: to [`Dim::Register`].
    pub turn: LinearLayout,
    /// Zero if what a thread receives is what it waits for: to [`Dim::Register`].
    pub keep: LinearLayout,
    /// `shfl.sync` instructions: one for each exchange of 4 bytes or less.
    pub shuffles: u64,
    /// At most so many further instructions: selections of the word to send, of its place and of what
    /// to keep, and permutations of bytes to pack words and to turn them.
    pub selects: u64,
}

impl LaneShuffles {
    /// Plans the exchange of a tile of elements of `element_bytes` bytes, if it is one within warps: each
    /// warp of `wanted` holds nothing that the warp of the same number does not hold in `source`.
    ///
    /// `None` if a value has to change warps or blocks, or a warp has more than 32 lanes.
    ///
    /// # Errors
    /// The two place different tensors, or `element_bytes` is not a power of two from 1 to 16.
    ///
    /// ```
    /// use tilewright_layouts::{LaneShuffles, LinearLayout};
    /// // Lanes have pairs of elements; pairs of lanes exchange one each.
    /// let source: LinearLayout = "linear<register = [[1]], lane = [[2],[4],[8],[16],[32]], shape = [64]>".parse()?;
    /// let wanted: LinearLayout = "linear<register = [[2]], lane = [[1],[4],[8],[16],[32]], shape = [64]>".parse()?;
    /// let plan = LaneShuffles::plan(&source, &wanted, 4)?.expect("one warp");
    /// assert_eq!((plan.rounds, plan.local_rounds, plan.shuffles), (2, 1, 1));
    /// assert_eq!(*plan.from.at(1, 6, 0, 0), [7]);
    /// assert_eq!((plan.send.at(1, 6, 0, 0)[0], plan.send.at(1, 7, 0, 0)[0]), (1, 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn plan(
        source: &LinearLayout,
        wanted: &LinearLayout,
        element_bytes: u32,
    ) -> Result<Option<LaneShuffles>, LayoutError> {
        let element_bits = BankModel::NVIDIA.width_bits(element_bytes)?;
        source.check_same_outs(wanted)?;
        match Words::new(source, wanted, element_bits).and_then(|words| words.steps()) {
            Some((words, steps)) => words.shuffles(source, wanted, steps, element_bytes).map(Some),
            None => Ok(None),
        }
    }
}

/// The columns of the two layouts, registers as words.
struct Words {
    /// The elements of a word.
    packed: Vec<u64>,
    source: Vec<u64>,
    /// Those that are words of the source, too, come first.
    wanted: Vec<u64>,
    shared: usize,
    source_lanes: [u64; LANE_BITS],
    wanted_lanes: [u64; LANE_BITS],
    /// For each bit of the warp and of the block, what it changes in the source and in the wanted.
    others: Vec<(Dim, Vec<(u64, u64)>)>,
}

/// Where the word comes from that one bit of a position or of a round asks for.
#[derive(Clone, Copy)]
struct Step {
    /// The change of the wanted word, of the word of the source, and of its lane.
    wanted: u64,
    word: u64,
    lane: u64,
    /// The change of position in the word.
    turn: u64,
}

/// The steps of all bits.
struct Steps {
    rounds: Vec<Step>,
    lanes: Vec<Step>,
    others: Vec<(Dim, Vec<Step>)>,
    /// Every lane finds a word in its own registers.
    local: bool,
}

impl Words {
    fn new(source: &LinearLayout, wanted: &LinearLayout, element_bits: u32) -> Option<Words> {
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

    /// The step to `element` by way of a place in the source that holds it but for wanted words.
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

    /// All steps, if everything wanted is in the warp.
    fn steps(self) -> Option<(Words, Steps)> {
        let held = self.held().collect::<Vec<_>>();
        let packed = self.packed.len();
        // A place of the source that holds an element up to its position in the word; words before lanes.
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

        // In the own lane, but for wanted words.
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

    /// Steps of the lanes such that as few different words as possible are asked of one lane.
    fn apart(&self, held: &[u64], asked: &[u64]) -> Option<Vec<Step>> {
        // Places of the source that hold wanted words of lane 0: what may be added to a place asked.
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

    fn shuffles(
        self,
        source: &LinearLayout,
        wanted: &LinearLayout,
        steps: Steps,
        element_bytes: u32,
    ) -> Result<LaneShuffles, LayoutError> {
        let lanes_asked = Span::of(steps.lanes.iter().map(|step| step.lane));
        let words: Vec<u64> = steps.lanes.iter().map(|step| step.word).collect();
        // The word that a lane is asked for in the first round, as a function of the lane asked.
        let sent = |lane: u64| multiply(&words, lanes_asked.project(lane));
        // What a lane waits for besides, if lanes ask one lane for different words.
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
        // Bytes are in place if a word is what aligned registers next to each other hold.
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
