//! The cost of a warp's access to shared memory.
//!
//! Shared memory is 32 banks of 4-byte words: the word at byte address `a` is in bank `a / 4 % 32`. One
//! cycle serves one word of each bank, to any number of lanes. A warp's access of up to 4 bytes a lane
//! is one phase; of 8 bytes two phases, a half-warp each; of 16 bytes four, a quarter-warp each. A
//! phase takes as many cycles as the busiest bank has distinct words to serve. (CUDA C++ Programming
//! Guide, shared memory of devices of compute capability 5.x and above.)

use crate::dim::Dim;
use crate::error::LayoutError;
use crate::linear::LinearLayout;

/// Lanes of a warp.
const LANES: u32 = 32;
/// Banks of shared memory.
const BANKS: usize = 32;
/// Bytes of a bank's word.
const WORD_BYTES: u32 = 4;
/// The widest access of a lane in bytes.
pub(crate) const MAX_ACCESS_BYTES: u32 = 16;

/// What accesses to shared memory cost, in cycles of the banks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct BankCost {
    /// Cycles taken.
    pub cycles: u64,
    /// Cycles that the same accesses take when no two words of a phase share a bank.
    pub minimum: u64,
}

impl BankCost {
    /// Cycles lost to bank conflicts.
    pub fn conflicts(self) -> u64 {
        self.cycles - self.minimum
    }

    /// The cost of doing this `times` times over.
    pub fn times(self, times: u64) -> BankCost {
        BankCost {
            cycles: self.cycles.saturating_mul(times),
            minimum: self.minimum.saturating_mul(times),
        }
    }
}

/// The cost of one access of a warp: lane `i` accesses `access_bytes` bytes at byte `addresses[i]`.
/// Exact, by counting. The same for loads and for stores.
///
/// # Errors
/// `access_bytes` is not a power of two from 1 to 16, or an address is not a multiple of it.
///
/// ```
/// use tilewright_layouts::bank::access_cost;
/// // Each lane its own word, but all of them in bank 0.
/// let column: [u32; 32] = std::array::from_fn(|lane| lane as u32 * 128);
/// assert_eq!(access_cost(&column, 4)?.conflicts(), 31);
/// // All lanes the same word: one broadcast.
/// assert_eq!(access_cost(&[64; 32], 4)?.conflicts(), 0);
/// # Ok::<(), tilewright_layouts::LayoutError>(())
/// ```
pub fn access_cost(addresses: &[u32; LANES as usize], access_bytes: u32) -> Result<BankCost, LayoutError> {
    check_bytes(access_bytes)?;
    if let Some(address) = addresses.iter().find(|address| **address % access_bytes != 0) {
        return Err(LayoutError::Misaligned {
            address: *address,
            bytes: access_bytes,
        });
    }
    let words_each = access_bytes.div_ceil(WORD_BYTES);
    let phase_lanes = (LANES / words_each) as usize;
    let mut cost = BankCost {
        cycles: 0,
        minimum: u64::from(words_each),
    };
    for phase in addresses.chunks(phase_lanes) {
        let mut words: Vec<u32> = phase
            .iter()
            .flat_map(|address| {
                let first = address / WORD_BYTES;
                first..=first.saturating_add(words_each - 1)
            })
            .collect();
        words.sort_unstable();
        words.dedup();
        let mut load = [0u64; BANKS];
        for word in words {
            if let Some(bank) = load.get_mut(word as usize % BANKS) {
                *bank += 1;
            }
        }
        cost.cycles += load.iter().copied().max().unwrap_or(0);
    }
    Ok(cost)
}

/// The cost of moving one warp's part of a tile between registers and shared memory, one access for
/// every `vector` registers, where `offsets` maps (register, lane, …) to [`Dim::Offset`] in elements of
/// `element_bytes`. Registers `vector * k` and up hold elements that are consecutive in memory.
///
/// One access is counted exactly and taken as many times as there are accesses: another register or
/// warp flips the same address bits in every lane, which moves banks but never makes two words share
/// one that did not.
///
/// # Errors
/// `offsets` has no [`Dim::Offset`], or the width of an access, `vector * element_bytes`, is not a
/// power of two from 1 to 16 bytes, or is not a divisor of all addresses.
///
/// ```
/// use tilewright_layouts::{Dim, LinearLayout, bank::layout_cost};
/// // Lane i stores a row's 4-byte element at a row stride of 32 elements: all in one bank.
/// let column = LinearLayout::strided_1d(32, 32, Dim::Lane, Dim::Offset)?;
/// assert_eq!(layout_cost(&column, 1, 4)?.conflicts(), 31);
/// # Ok::<(), tilewright_layouts::LayoutError>(())
/// ```
pub fn layout_cost(offsets: &LinearLayout, vector: u32, element_bytes: u32) -> Result<BankCost, LayoutError> {
    check_bytes(element_bytes)?;
    if offsets.out_size(Dim::Offset).is_none() {
        return Err(LayoutError::MissingDim { dim: Dim::Offset });
    }
    let flat = offsets.sublayout(&[Dim::Register, Dim::Lane], &[Dim::Offset]);
    let bytes = vector.saturating_mul(element_bytes);
    let mut addresses = [0; LANES as usize];
    for (lane, address) in (0..).zip(&mut addresses) {
        let byte = flat.word_at(0, lane, 0, 0) * u64::from(element_bytes);
        let too_large = LayoutError::DimTooLarge {
            dim: Dim::Offset,
            bits: u64::BITS as usize,
        };
        *address = u32::try_from(byte).map_err(|_| too_large)?;
    }
    let accesses = (flat.in_size(Dim::Register) / vector.max(1)).max(1);
    Ok(access_cost(&addresses, bytes)?.times(u64::from(accesses)))
}

/// Checks the size of an element or the width of an access.
pub(crate) fn check_bytes(bytes: u32) -> Result<(), LayoutError> {
    if bytes.is_power_of_two() && bytes <= MAX_ACCESS_BYTES {
        Ok(())
    } else {
        Err(LayoutError::ElementBytes { bytes })
    }
}
