//! The fragments of `ldmatrix` and `stmatrix`: the bytes of each row in each register.
//!
//! A row is 16 bytes of shared memory at an address that one lane supplies. Loads and stores are functions on the
//! rows' bytes, independent of the memory.

use crate::row::Row;

/// Bytes of a row of a matrix in shared memory.
pub(crate) const ROW: usize = 16;

/// Rows of a matrix in memory, as bytes.
pub(crate) type Rows = [[u8; ROW]];

/// The unpacking of narrow elements to bytes (PTX ISA, "Optional Decompression").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unpacking {
    /// None: elements are bytes.
    None,
    /// `.b6x16_p32`: sixteen elements of 6 bits, then 32 bits of padding; to the low 6 bits of a byte.
    B6x16P32,
    /// `.b4x16_p64`: sixteen elements of 4 bits, then 64 bits of padding; to the low 4 bits of a byte.
    B4x16P64,
}

/// A form of `ldmatrix` (PTX ISA, "Warp-level matrix load instruction: ldmatrix").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MatrixLoad {
    /// `.m8n8`: 8 rows of eight 16-bit elements, one register a matrix.
    M8n8 {
        /// `.trans`.
        transposed: bool,
    },
    /// `.m8n16`: 8 rows of 16 narrow elements, one register a matrix.
    M8n16(Unpacking),
    /// `.m16n16.trans`: 16 rows of 16 elements, two registers a matrix.
    M16n16(Unpacking),
}

/// A form of `stmatrix` (PTX ISA, "Warp-level matrix store instruction: stmatrix").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MatrixStore {
    /// `.m8n8`: 8 rows of eight 16-bit elements.
    M8n8 {
        /// `.trans`.
        transposed: bool,
    },
    /// `.m16n8.trans`: a 16 by 8 matrix of bytes, which becomes 8 rows of 16 bytes.
    M16n8,
}

impl Unpacking {
    fn spread(self, row: &[u8; ROW]) -> [u8; ROW] {
        let bits = match self {
            Self::None => return *row,
            Self::B6x16P32 => 6,
            Self::B4x16P64 => 4,
        };
        let word = u128::from_le_bytes(*row);
        std::array::from_fn(|at| (word >> (at * bits) & ((1 << bits) - 1)) as u8)
    }
}

impl MatrixLoad {
    /// The number of rows of one matrix, each with its own address.
    pub const fn rows(self) -> usize {
        match self {
            Self::M8n8 { .. } | Self::M8n16(_) => 8,
            Self::M16n16(_) => 16,
        }
    }

    /// The number of registers of one matrix.
    pub const fn registers(self) -> usize {
        match self {
            Self::M8n8 { .. } | Self::M8n16(_) => 1,
            Self::M16n16(_) => 2,
        }
    }

    /// The registers of one matrix; `rows` has [`MatrixLoad::rows`] entries.
    pub fn fragments(self, rows: &Rows) -> Vec<Row> {
        let bytes = |f: &dyn Fn(usize, usize) -> u8| -> Row {
            std::array::from_fn(|lane| (0..4).fold(0, |word, at| word | u64::from(f(lane, at)) << (8 * at)))
        };
        match self {
            Self::M8n8 { transposed: false } => vec![bytes(&|lane, at| rows[lane / 4][lane % 4 * 4 + at])],
            // Element `at / 2` of a lane is of row `2 * (lane % 4) + at / 2`, column `lane / 4`.
            Self::M8n8 { transposed: true } => {
                vec![bytes(&|lane, at| {
                    rows[lane % 4 * 2 + at / 2][lane / 4 * 2 + at % 2]
                })]
            }
            Self::M8n16(unpacking) => {
                let rows: Vec<_> = rows.iter().map(|row| unpacking.spread(row)).collect();
                vec![bytes(&|lane, at| rows[lane / 4][lane % 4 * 4 + at])]
            }
            Self::M16n16(unpacking) => {
                let rows: Vec<_> = rows.iter().map(|row| unpacking.spread(row)).collect();
                (0..2)
                    .map(|half| bytes(&|lane, at| rows[lane % 4 * 4 + at][lane / 4 + 8 * half]))
                    .collect()
            }
        }
    }
}

impl MatrixStore {
    /// The number of rows of one matrix in memory, each with its own address.
    pub const ROWS: usize = 8;

    /// The rows of one matrix from its register.
    pub fn rows(self, register: &Row) -> [[u8; ROW]; Self::ROWS] {
        let mut rows = [[0; ROW]; Self::ROWS];
        for (lane, word) in register.iter().enumerate() {
            for at in 0..4 {
                let (row, byte) = match self {
                    Self::M8n8 { transposed: false } => (lane / 4, lane % 4 * 4 + at),
                    Self::M8n8 { transposed: true } => (lane % 4 * 2 + at / 2, lane / 4 * 2 + at % 2),
                    // Bytes 0 and 1 of a lane are of row `lane / 4` of the 16 by 8 matrix, 2 and 3 of the row 8 below.
                    Self::M16n8 => (lane % 4 * 2 + at % 2, lane / 4 + at / 2 * 8),
                };
                rows[row][byte] = (word >> (8 * at) & 0xff) as u8;
            }
        }
        rows
    }
}
