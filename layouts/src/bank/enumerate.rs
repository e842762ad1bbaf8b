//! The cost of an access, by enumeration of its words.

use super::{Access, BankCost, BankModel};
use crate::error::LayoutError;

/// Bytes of a row of an 8 by 8 matrix of 16-bit elements.
const ROW_BYTES: u32 = 16;
/// Rows of a matrix, each at the address of one lane.
const ROWS: usize = 8;

impl BankModel {
    /// [`access_cost`](super::access_cost) on this machine: one address for each lane.
    ///
    /// # Errors
    /// As there, or the number of addresses differs from that of lanes.
    pub fn access_cost(
        self,
        access: Access,
        addresses: &[u32],
        access_bytes: u32,
    ) -> Result<BankCost, LayoutError> {
        let lanes = 1 << self.lane_bits;
        if addresses.len() != lanes {
            return Err(LayoutError::LengthMismatch {
                found: addresses.len(),
                expected: lanes,
            });
        }
        let width_bits = self.width_bits(access_bytes)?;
        check_aligned(addresses, access_bytes)?;
        let equal = |distance: usize| {
            (0..lanes)
                .all(|lane| lane ^ distance < lanes && addresses.get(lane) == addresses.get(lane ^ distance))
        };
        let (lane_bits, phase_bits) = self.phases(access, width_bits, equal(1) || equal(2));
        Ok(BankCost {
            cycles: addresses
                .chunks(1 << lane_bits)
                .map(|phase| self.phase_cycles(phase, access_bytes))
                .sum(),
            minimum: 1 << phase_bits,
        })
    }

    /// The cycles of one phase: the maximum number of distinct words in a bank.
    fn phase_cycles(self, addresses: &[u32], access_bytes: u32) -> u64 {
        let words_each = access_bytes.div_ceil(1 << self.word_bits);
        let mut words: Vec<u32> = addresses
            .iter()
            .flat_map(|address| {
                let first = address >> self.word_bits;
                (0..words_each).map(move |word| first.saturating_add(word))
            })
            .collect();
        words.sort_unstable();
        words.dedup();
        let banks = 1 << self.bank_bits;
        let load = |bank| words.iter().filter(|word| **word % banks == bank).count() as u64;
        (0..banks).map(load).max().unwrap_or(0)
    }
}

/// The cost of one `ldmatrix` or `stmatrix`: 8, 16 or 32 byte addresses of rows of 16 bytes, in the
/// order of the lanes that provide them. Each matrix, eight rows, is a phase, equivalent to an access
/// of 16 bytes by a quarter-warp. (PTX ISA, `ldmatrix`.)
///
/// # Errors
/// Not 8, 16 or 32 rows, or an address is not a multiple of 16.
///
/// ```
/// use tilewright_layouts::bank::matrix_cost;
/// // Rows of 64 bytes, one after the other: rows 0, 2, 4 and 6 begin in bank 0.
/// let plain: [u32; 8] = std::array::from_fn(|row| row as u32 * 64);
/// assert_eq!(matrix_cost(&plain)?.cycles, 4);
/// // The 64-byte swizzle adds bits 7 and 8 of the address to bits 4 and 5.
/// let swizzled = plain.map(|address| address ^ (address >> 3 & 0x30));
/// assert_eq!(matrix_cost(&swizzled)?.cycles, 1);
/// # Ok::<(), tilewright_layouts::LayoutError>(())
/// ```
pub fn matrix_cost(rows: &[u32]) -> Result<BankCost, LayoutError> {
    if ![ROWS, 2 * ROWS, 4 * ROWS].contains(&rows.len()) {
        return Err(LayoutError::LengthMismatch {
            found: rows.len(),
            expected: ROWS,
        });
    }
    check_aligned(rows, ROW_BYTES)?;
    let matrices = rows.chunks(ROWS);
    Ok(BankCost {
        minimum: matrices.len() as u64,
        cycles: matrices
            .map(|matrix| BankModel::NVIDIA.phase_cycles(matrix, ROW_BYTES))
            .sum(),
    })
}

fn check_aligned(addresses: &[u32], bytes: u32) -> Result<(), LayoutError> {
    match addresses.iter().find(|address| **address % bytes != 0) {
        Some(&address) => Err(LayoutError::Misaligned { address, bytes }),
        None => Ok(()),
    }
}
