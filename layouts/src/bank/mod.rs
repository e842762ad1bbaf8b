//! The cost of a warp's access to shared memory.
//!
//! Shared memory has 32 banks of 4-byte words: the word at byte address `a` is in bank `a / 4 % 32`.
//! One cycle serves one word of each bank, to any number of lanes and any of its bytes: lanes that
//! access the same word never conflict, neither in loads nor in stores. An access of up to 4 bytes
//! per lane is one *phase*; of 8 bytes two phases, a half-warp each; of 16 bytes four, a quarter-warp
//! each. A phase takes as many cycles as the largest number of distinct words in a bank. (CUDA C++
//! Programming Guide, shared memory of devices of compute capability 5.x and above; the phases of
//! wide accesses are described by NVIDIA on its developer forum.)
//!
//! A *load* of 8 or 16 bytes in which all lanes `l` and `l ^ 1`, or all lanes `l` and `l ^ 2`, have
//! equal addresses returns half the data: two neighbouring phases are served as one. (Described on
//! NVIDIA's developer forum for compute capability 7.x, and confirmed by measurement on 9.0; no other
//! coincidence of addresses saves phases, and none does in a store.)
//!
//! Two implementations agree: [`access_cost`] takes 32 addresses and enumerates their words;
//! [`layout_cost`] takes a linear layout and computes two ranks over GF(2).

mod enumerate;
mod rank;

use std::ops::Add;

use crate::dim::Dim;
use crate::error::LayoutError;
use crate::linear::LinearLayout;

pub use enumerate::matrix_cost;

/// Lanes of a warp.
const LANES: usize = 32;

/// The kind of access. The two differ in cost if lanes share addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// `ld.shared`.
    Load,
    /// `st.shared`.
    Store,
}

/// The cost of accesses to shared memory, in cycles of the banks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct BankCost {
    /// Cycles taken.
    pub cycles: u64,
    /// Cycles of the same accesses without bank conflicts.
    pub minimum: u64,
}

impl BankCost {
    /// Cycles lost to bank conflicts.
    pub fn conflicts(self) -> u64 {
        self.cycles.saturating_sub(self.minimum)
    }

    /// The cost of `times` repetitions.
    pub fn times(self, times: u64) -> BankCost {
        BankCost {
            cycles: self.cycles.saturating_mul(times),
            minimum: self.minimum.saturating_mul(times),
        }
    }
}

/// The cost of both in sequence.
impl Add for BankCost {
    type Output = BankCost;

    fn add(self, other: BankCost) -> BankCost {
        BankCost {
            cycles: self.cycles.saturating_add(other.cycles),
            minimum: self.minimum.saturating_add(other.minimum),
        }
    }
}

/// The parameters of the cost model, as powers of two.
///
/// Hardware is [`BankModel::NVIDIA`]. Smaller machines with the same rules are used for exhaustive
/// tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BankModel {
    pub(crate) lane_bits: u32,
    pub(crate) bank_bits: u32,
    pub(crate) word_bits: u32,
    pub(crate) access_bits: u32,
}

impl BankModel {
    /// 32 lanes, 32 banks of 4-byte words, accesses of up to 16 bytes.
    pub const NVIDIA: BankModel = BankModel {
        lane_bits: 5,
        bank_bits: 5,
        word_bits: 2,
        access_bits: 4,
    };

    /// A machine of `2^lane_bits` lanes and banks, words of `2^word_bits` bytes and accesses of at
    /// most `2^access_bits` bytes. `None` unless a word fits the widest access, a phase of accesses
    /// of more than a word has at least two lanes (so that lanes whose equal addresses save a phase
    /// are in one phase), and there are at most 64 lanes and words of at most 16 bytes.
    ///
    /// ```
    /// use tilewright_layouts::bank::BankModel;
    /// assert_eq!(BankModel::new(5, 2, 4), Some(BankModel::NVIDIA));
    /// assert_eq!(BankModel::new(1, 0, 2), None);
    /// ```
    pub fn new(lane_bits: u32, word_bits: u32, access_bits: u32) -> Option<BankModel> {
        let words = access_bits.checked_sub(word_bits)?;
        (words < lane_bits.max(1) && lane_bits <= 6 && word_bits <= 4).then_some(BankModel {
            lane_bits,
            bank_bits: lane_bits,
            word_bits,
            access_bits,
        })
    }

    /// The logarithm of the words that an access of this many bytes has, and of the bytes.
    ///
    /// # Errors
    /// Not a power of two, or more than the widest access.
    pub(crate) fn width_bits(self, bytes: u32) -> Result<u32, LayoutError> {
        match bytes.checked_ilog2() {
            Some(bits) if bytes.is_power_of_two() && bits <= self.access_bits => Ok(bits),
            _ => Err(LayoutError::ElementBytes { bytes }),
        }
    }

    /// The number of lanes in a phase and of phases, as powers of two. `paired` tells that all lanes
    /// `l` and `l ^ 1`, or all lanes `l` and `l ^ 2`, have equal addresses.
    pub(crate) fn phases(self, access: Access, width_bits: u32, paired: bool) -> (u32, u32) {
        let words = width_bits.saturating_sub(self.word_bits);
        let merged = match access {
            Access::Load => u32::from(paired && words > 0),
            Access::Store => 0,
        };
        let phases = words.saturating_sub(merged);
        (self.lane_bits.saturating_sub(phases), phases)
    }
}

/// The cost of one access of a warp: lane `i` accesses `access_bytes` bytes at byte `addresses[i]`.
/// Exact, by enumeration; see the [module](self) for the rules.
///
/// # Errors
/// `access_bytes` is not a power of two from 1 to 16, or an address is not a multiple of it.
///
/// ```
/// use tilewright_layouts::bank::{Access, access_cost};
/// // Each lane its own word, but all of them in bank 0.
/// let column: [u32; 32] = std::array::from_fn(|lane| lane as u32 * 128);
/// assert_eq!(access_cost(Access::Load, &column, 4)?.conflicts(), 31);
/// // All lanes the same word: one broadcast.
/// assert_eq!(access_cost(Access::Load, &[64; 32], 4)?.cycles, 1);
/// // Pairs of lanes with equal addresses: a load takes two cycles, a store four.
/// let pairs: [u32; 32] = std::array::from_fn(|lane| lane as u32 / 2 * 16);
/// assert_eq!(access_cost(Access::Load, &pairs, 16)?.cycles, 2);
/// assert_eq!(access_cost(Access::Store, &pairs, 16)?.cycles, 4);
/// # Ok::<(), tilewright_layouts::LayoutError>(())
/// ```
pub fn access_cost(
    access: Access,
    addresses: &[u32; LANES],
    access_bytes: u32,
) -> Result<BankCost, LayoutError> {
    BankModel::NVIDIA.access_cost(access, addresses, access_bytes)
}

/// The cost of moving one warp's part of a tile between registers and shared memory, one access for
/// every `vector` registers, where `offsets` maps (register, lane, …) to [`Dim::Offset`] in elements
/// of `element_bytes`. Registers `vector * k` and up hold elements that are consecutive in memory.
///
/// Exact, without enumerating lanes: the word addresses of a phase are a coset of the span of its
/// lanes' columns, and the bank is a linear function of them, so that every accessed bank has
/// `2^(rank of the words - rank of the banks)` distinct words. Another register or warp flips the
/// same address bits in every lane, which permutes banks but creates no conflicts: all accesses cost
/// the same. Time: a few dozen word operations.
///
/// # Errors
/// `offsets` has no [`Dim::Offset`]; the width of an access, `vector *
/// element_bytes`, is not a power of two from 1 to 16 bytes, or is not a divisor of all addresses; or
/// the registers of an access do not hold consecutive elements.
///
/// ```
/// use tilewright_layouts::{Dim, LinearLayout, bank::{Access, layout_cost}};
/// // Lane i stores a row's 4-byte element at a row stride of 32 elements: all in one bank.
/// let column = LinearLayout::strided_1d(32, 32, Dim::Lane, Dim::Offset)?;
/// assert_eq!(layout_cost(Access::Store, &column, 1, 4)?.conflicts(), 31);
/// # Ok::<(), tilewright_layouts::LayoutError>(())
/// ```
pub fn layout_cost(
    access: Access,
    offsets: &LinearLayout,
    vector: u32,
    element_bytes: u32,
) -> Result<BankCost, LayoutError> {
    BankModel::NVIDIA.layout_cost(access, offsets, vector, element_bytes)
}

/// Checks the size of an element or the width of an access.
pub(crate) fn check_bytes(bytes: u32) -> Result<(), LayoutError> {
    BankModel::NVIDIA.width_bits(bytes).map(|_| ())
}

/// Checks that registers `vector * k` and up hold elements at consecutive, aligned offsets.
pub(crate) fn check_vector(offsets: &LinearLayout, vector: u32) -> Result<(), LayoutError> {
    if offsets.num_consecutive_in_out(Dim::Offset) >= vector {
        return Ok(());
    }
    Err(LayoutError::Parameter {
        name: "vector",
        value: u64::from(vector),
        allowed: "the length of aligned runs of consecutive registers and offsets",
    })
}
