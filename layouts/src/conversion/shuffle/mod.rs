//! Conversions within a warp, by shuffles.
//!
//! In one *round* each lane provides one word and receives one from a lane of its choice
//! (`shfl.sync.idx`). Let `A` and `B` be the spans of the source's and of the target's registers,
//! modulo the elements packed into a word.
//!
//! A round gives every lane `l` one of its target words, chosen linearly by the lane, and the words
//! of all lanes span a subspace `Y` that has one vector of each coset of `B` that some lane needs.
//! Two lanes may read from the same lane only if they read the same word, which means that `Y`
//! intersects `A` trivially. Such a `Y` exists unless `A` has more dimensions within the warp's
//! target elements than `B`; then it is chosen to intersect `A` in as few dimensions as possible, and
//! a round is repeated for each element of the intersection. (Two subspaces have a common complement,
//! see `optimal_swizzle.rs`.) The other rounds are translates of the first by elements of `B`.
//!
//! If every lane holds one of its target words itself, `Y` consists of such words; the rounds for the
//! elements of `A ∩ B` then stay within each lane and need no shuffle.
//!
//! Every lane receives each word once, and no word has more elements that both lanes keep together
//! than `A ∩ B`: without repeated rounds their number is minimal. (arXiv 2505.23819, §5.4, exchanges
//! the basis of `A` with that of `B` in the same way, and requires them to be of equal size.)

mod rounds;
mod steps;

use crate::bank::BankModel;
use crate::error::LayoutError;
use crate::linear::{LinearLayout, RegisterMap};
use steps::Words;

/// Bits of the lane index.
const LANE_BITS: usize = 5;
/// Bytes per lane of one shuffle, as a power of two.
const WORD_BITS: u32 = BankModel::NVIDIA.word_bits;

/// A conversion in which every value stays in its warp: the words that each thread sends and
/// receives, and their positions, in rounds.
///
/// A *word* is `2^n` registers that are sent together. To execute the plan, for every round `k` below
/// [`rounds`](Self::rounds) and in every thread at once:
///
/// 1. provide word [`send`](Self::send)`(k, lane, warp, block)` of the source,
/// 2. receive the word of lane [`from`](Self::from)`(k, lane, warp, block)` of the warp: the lane
///    itself, in the first [`local_rounds`](Self::local_rounds) rounds,
/// 3. if [`keep`](Self::keep)`(k, lane, warp, block)` is zero, that is word
///    [`land`](Self::land)`(k, lane, warp, block)` of the result, the element received at position `p` in
///    position `p ^ `[`turn`](Self::turn)`(k, lane, warp, block)`.
///
/// The maps are linear, with the round in place of [`Dim::Register`](crate::Dim::Register) on their input side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneShuffles {
    /// Elements of a word, 1 for elements of 4 bytes and more.
    pub word_elements: u32,
    /// The register of the source that is element `n % word_elements` of word `n / word_elements`.
    pub source_words: RegisterMap,
    /// The element of the result's words, counted likewise, that each wanted register is.
    pub wanted_words: RegisterMap,
    /// The number of rounds.
    pub rounds: u32,
    /// The number of leading rounds without a shuffle.
    pub local_rounds: u32,
    /// The word that a thread provides: to [`Dim::Register`](crate::Dim::Register).
    pub send: LinearLayout,
    /// The lane that a thread receives from: to [`Dim::Lane`](crate::Dim::Lane).
    pub from: LinearLayout,
    /// The word of the result that a thread receives: to [`Dim::Register`](crate::Dim::Register).
    pub land: LinearLayout,
    /// The exclusive or applied to the positions in a word: to
    /// [`Dim::Register`](crate::Dim::Register).
    pub turn: LinearLayout,
    /// Zero if the received word is one of the target: to [`Dim::Register`](crate::Dim::Register).
    pub keep: LinearLayout,
    /// `shfl.sync` instructions: one for each exchange of 4 bytes or less.
    pub shuffles: u64,
    /// Upper bound of further instructions: selections of the word to send, of its position and of
    /// the words to keep, and byte permutations to pack and rotate words.
    pub selects: u64,
}

impl LaneShuffles {
    /// Plans the shuffles of a tile of elements of `element_bytes` bytes, if possible within warps:
    /// each warp of `wanted` contains only elements that the same warp contains in `source`.
    ///
    /// `None` if a value has to change warps or blocks, a warp has more than 32 lanes, or a layout has
    /// in-dimensions other than register, lane, warp and block.
    ///
    /// # Errors
    /// The layouts are of different tensors, or `element_bytes` is not a power of two from 1 to 16.
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
