//! Plans for moving a tile by `ldmatrix` and `stmatrix`, where possible.

use std::fmt;

use super::matrix_move::{Atom, MatrixMove, Selects};
use crate::bank::{BankCost, matrix_cost};
use crate::dim::Dim;
use crate::error::LayoutError;
use crate::linear::LinearLayout;
use crate::span::Span;
use crate::units::ElementWidth;

/// A plan for moving a tile between registers and shared memory with one form of `ldmatrix` or
/// `stmatrix`.
///
/// The instruction's fragment is a left factor of the map from registers and lanes to shared memory,
/// with the registers numbered as the instruction orders them; the quotient gives the addresses of
/// the rows. (arXiv 2505.23819, §5: generic ldmatrix and stmatrix lowering, by left division.)
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatrixPlan {
    /// The instruction that each warp executes, [`instructions`](Self::instructions) times.
    pub instruction: MatrixMove,
    /// The offset, in elements, that each lane supplies as its address: from the number of the
    /// instruction ([`Dim::Register`]), lane, warp and block to [`Dim::Offset`]. All are multiples of
    /// 16 bytes if the buffer is aligned to 16 bytes.
    pub addresses: LinearLayout,
    /// The register bits of the tile for each bit of an element's number in the fragment, then for
    /// each bit of the instruction's number.
    registers: Vec<u32>,
    /// The number of bits of an element's number in the fragment.
    fragment_bits: u32,
    /// The register bits that select copies.
    copies: u32,
}

/// The reason why a form of `ldmatrix` or `stmatrix` cannot move a tile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotServed {
    /// The form does not support elements of this width.
    Width {
        /// The form.
        instruction: MatrixMove,
        /// The width requested.
        width: ElementWidth,
    },
    /// The layout does not map to offsets in shared memory.
    NotOffsets,
    /// A warp has more than 32 lanes.
    Lanes {
        /// The number of lanes of the layout.
        lanes: u32,
    },
    /// A lane bit does not select the column that the instruction assigns to it.
    Lane {
        /// The lane bit.
        bit: usize,
        /// Its step, an offset in elements.
        found: u32,
        /// The required step.
        expected: u32,
    },
    /// A thread does not hold an element that the instruction assigns to it, at a distance from its
    /// first one.
    Register {
        /// The distance in elements.
        offset: u32,
    },
    /// A position bit has a step smaller than a row, which would require an address within a row.
    Unaligned {
        /// The dimension of the position.
        dim: Dim,
        /// The bit.
        bit: usize,
        /// Its step, an offset in elements.
        offset: u32,
        /// The number of elements of a row.
        row: u32,
    },
    /// A thread holds fewer elements than one instruction moves.
    TooFew {
        /// The base-2 logarithm of the number of elements that a thread holds.
        found_bits: usize,
        /// The base-2 logarithm of the number of elements of a thread that the instruction moves.
        needed_bits: usize,
    },
    /// The layout of the plan cannot be constructed.
    Layout(LayoutError),
}

impl fmt::Display for NotServed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Width { instruction, width } => {
                write!(f, "{instruction} does not move elements of {} bits", width.bits())
            }
            Self::NotOffsets => f.write_str("the out-dimensions of the layout are not `offset` alone"),
            Self::Lanes { lanes } => write!(f, "{lanes} lanes; a warp has 32"),
            Self::Lane { bit, found, expected } => write!(
                f,
                "bit {bit} of the lane steps by {found} elements where the instruction steps by {expected}"
            ),
            Self::Register { offset } => write!(
                f,
                "no register of the thread is {offset} elements away from its first, as the instruction needs"
            ),
            Self::Unaligned {
                dim,
                bit,
                offset,
                row,
            } => write!(
                f,
                "bit {bit} of {dim} steps by {offset} elements, inside a row of {row}"
            ),
            Self::TooFew {
                found_bits,
                needed_bits,
            } => write!(
                f,
                "a thread holds 2^{found_bits} elements; the instruction moves 2^{needed_bits}"
            ),
            Self::Layout(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for NotServed {}

impl From<LayoutError> for NotServed {
    fn from(error: LayoutError) -> Self {
        Self::Layout(error)
    }
}

/// A set of register bits and the offset of their step.
type Step = (u32, u32);

impl MatrixPlan {
    /// Plans the moves of a tile whose positions (register, lane, warp, block) are at these offsets
    /// of a buffer in shared memory, in elements of this width; [`LinearLayout::compose`] and
    /// [`LinearLayout::invert_and_compose`] compute such a layout. For the forms that expand sub-byte
    /// elements, offsets count bytes of the padded rows, and the width is that of a byte.
    ///
    /// Exact: the result is `Ok` if and only if a numbering of registers, the same in all threads,
    /// lets instructions of this form move every register of every thread exactly once. Registers
    /// that hold copies of others are not moved; see [`copies`](Self::copies).
    ///
    /// Time: (register bits)² word operations.
    ///
    /// # Errors
    /// Every case of [`NotServed`].
    ///
    /// ```
    /// use tilewright_layouts::{Dim, ElementWidth, LinearLayout};
    /// use tilewright_layouts::distributed::{MatrixCount, MatrixMove, MatrixPlan, MmaOperand, MmaSync};
    ///
    /// // The left multiplicand of m16n8k16 from a row-major buffer: four matrices, one instruction.
    /// let offsets = MmaSync::M16N8K16B16.fragment(MmaOperand::A)?.flatten_outs(Dim::Offset)?;
    /// let load = MatrixMove::LoadM8N8(MatrixCount::X4);
    /// let plan = MatrixPlan::new(load, &offsets, ElementWidth::B16).unwrap();
    /// assert_eq!(plan.instructions(), 1);
    /// // Lane 9 supplies row 1 of the second matrix, which is row 9 of the tile.
    /// assert_eq!(*plan.addresses.at(0, 9, 0, 0), [9 * 16]);
    /// // From a column-major buffer, with .trans.
    /// let columns = MmaSync::M16N8K16B16.fragment(MmaOperand::A)?.permute_axes(&[1, 0])?;
    /// let columns = columns.flatten_outs(Dim::Offset)?;
    /// let best = MatrixPlan::best(MatrixMove::LOADS, &columns, ElementWidth::B16).unwrap();
    /// assert_eq!(best.instruction, MatrixMove::LoadM8N8Trans(MatrixCount::X4));
    /// # Ok::<(), tilewright_layouts::LayoutError>(())
    /// ```
    pub fn new(
        instruction: MatrixMove,
        offsets: &LinearLayout,
        width: ElementWidth,
    ) -> Result<MatrixPlan, NotServed> {
        let atom = instruction
            .atom(width)
            .ok_or(NotServed::Width { instruction, width })?;
        let only_offsets = offsets.out_dims().all(|(dim, _)| dim == Dim::Offset);
        if !only_offsets || offsets.out_size(Dim::Offset).is_none() {
            return Err(NotServed::NotOffsets);
        }
        let columns = |dim| -> Vec<u32> {
            let vectors = offsets.bases(dim);
            vectors.map(|vector| vector.iter().sum()).collect()
        };
        let mut lanes = columns(Dim::Lane);
        if lanes.len() > atom.lanes.len() {
            return Err(NotServed::Lanes {
                lanes: offsets.in_size(Dim::Lane),
            });
        }
        lanes.resize(atom.lanes.len(), 0);
        let (warps, blocks) = (columns(Dim::Warp), columns(Dim::Block));
        let mut rows = atom.lane_rows(&lanes)?;
        atom.check_aligned(Dim::Warp, &warps)?;
        atom.check_aligned(Dim::Block, &blocks)?;
        let Divided {
            columns: inside,
            steps,
            copies,
        } = atom.divide(&columns(Dim::Register))?;
        let mut steps = steps.into_iter();
        let needed_bits = atom.registers.len() + atom.count_bits as usize;
        let too_few = NotServed::TooFew {
            found_bits: inside.len() + steps.len(),
            needed_bits,
        };
        let mut inside = inside.into_iter();
        let mut registers = Vec::with_capacity(needed_bits + steps.len());
        for selects in &atom.registers {
            match selects {
                Selects::Column(_) => registers.extend(inside.next()),
                Selects::Row(bit) => {
                    let (register, offset) = steps.next().ok_or_else(|| too_few.clone())?;
                    registers.push(register);
                    rows.push((*bit, offset));
                }
            }
        }
        rows.sort_unstable();
        let mut addressing: Vec<u32> = rows.into_iter().map(|(_, offset)| offset).collect();
        for _ in 0..atom.count_bits {
            let (register, offset) = steps.next().ok_or_else(|| too_few.clone())?;
            registers.push(register);
            addressing.push(offset);
        }
        addressing.resize(atom.lanes.len(), 0);
        let repeats: Vec<Step> = steps.collect();
        registers.extend(repeats.iter().map(|(register, _)| *register));
        let wrap = |offsets: Vec<u32>| offsets.into_iter().map(|offset| vec![offset]).collect();
        let bases = [
            (
                Dim::Register,
                wrap(repeats.iter().map(|(_, offset)| *offset).collect()),
            ),
            (Dim::Lane, wrap(addressing)),
            (Dim::Warp, wrap(warps)),
            (Dim::Block, wrap(blocks)),
        ];
        let size = offsets.out_size(Dim::Offset).unwrap_or(1);
        Ok(MatrixPlan {
            instruction,
            addresses: LinearLayout::from_bases(&bases, &[(Dim::Offset, size)])?,
            registers,
            fragment_bits: needed_bits as u32,
            copies,
        })
    }

    /// The plan with the fewest instructions among these forms, the first in case of a tie; `None` if
    /// none of them can move the tile.
    pub fn best(
        candidates: impl IntoIterator<Item = MatrixMove>,
        offsets: &LinearLayout,
        width: ElementWidth,
    ) -> Option<MatrixPlan> {
        let plans = candidates
            .into_iter()
            .filter_map(|instruction| MatrixPlan::new(instruction, offsets, width).ok());
        plans.min_by_key(MatrixPlan::instructions)
    }

    /// The number of instructions of each warp.
    pub fn instructions(&self) -> u32 {
        self.addresses.in_size(Dim::Register)
    }

    /// The cost of a warp's instructions for elements of this size.
    ///
    /// # Errors
    /// Rows are not of 16 bytes, or a matrix does not have 8 of them.
    pub fn bank_cost(&self, element_bytes: u32) -> Result<BankCost, LayoutError> {
        let rows = 0..1 << self.instruction.address_bits();
        let offset = |lane| self.addresses.at(0, lane, 0, 0).iter().sum::<u32>();
        let rows: Vec<u32> = rows.map(|lane| offset(lane) * element_bytes).collect();
        Ok(matrix_cost(&rows)?.times(u64::from(self.instructions())))
    }

    /// The number of elements that one instruction moves for each thread.
    pub fn elements(&self) -> u32 {
        1 << self.fragment_bits
    }

    /// The register of the tile that is element `element` of the fragment of an instruction; see
    /// [`MatrixMove::fragment`] for the order of elements.
    pub fn register(&self, instruction: u32, element: u32) -> u32 {
        let position = u64::from(instruction) << self.fragment_bits | u64::from(element);
        let bits = self.registers.iter().enumerate();
        bits.fold(0, |sum, (bit, image)| {
            if position >> bit & 1 == 1 {
                sum ^ image
            } else {
                sum
            }
        })
    }

    /// The register bits that only select copies. The registers of the plan have them at 0, and a
    /// load has to copy their values to the others.
    pub fn copies(&self) -> u32 {
        self.copies
    }
}

/// A decomposition of the register space.
struct Divided {
    /// The registers for each column bit that registers select, in the order of the fragment.
    columns: Vec<u32>,
    /// A basis of the rest: steps of whole rows.
    steps: Vec<Step>,
    /// The register bits that select copies.
    copies: u32,
}

impl Atom {
    /// The part of an offset within a row.
    fn inside(&self, offset: u32) -> u32 {
        offset & ((1 << self.column_bits) - 1)
    }

    fn unaligned(&self, dim: Dim, bit: usize, offset: u32) -> NotServed {
        NotServed::Unaligned {
            dim,
            bit,
            offset,
            row: 1 << self.column_bits,
        }
    }

    fn check_aligned(&self, dim: Dim, offsets: &[u32]) -> Result<(), NotServed> {
        let inside = offsets
            .iter()
            .enumerate()
            .find(|(_, offset)| self.inside(**offset) != 0);
        inside.map_or(Ok(()), |(bit, offset)| Err(self.unaligned(dim, bit, *offset)))
    }

    /// Checks the lanes that share a row and returns the offset of each row bit that lanes select.
    fn lane_rows(&self, lanes: &[u32]) -> Result<Vec<(u32, u32)>, NotServed> {
        let mut rows = Vec::with_capacity(self.row_bits as usize);
        for (bit, (selects, &found)) in self.lanes.iter().zip(lanes).enumerate() {
            match *selects {
                Selects::Column(column) => {
                    let expected = 1 << column;
                    if found != expected {
                        return Err(NotServed::Lane { bit, found, expected });
                    }
                }
                Selects::Row(_) if self.inside(found) != 0 => {
                    return Err(self.unaligned(Dim::Lane, bit, found));
                }
                Selects::Row(row) => rows.push((row, found)),
            }
        }
        Ok(rows)
    }

    /// Divides the registers of a thread into those within a row and steps between rows.
    ///
    /// The offsets of the thread's registers form a vector space. It is the sum of the columns that
    /// the fragment assigns to a thread and of whole rows if and only if it contains these columns
    /// and the part within a row of each of its members is a sum of them.
    fn divide(&self, registers: &[u32]) -> Result<Divided, NotServed> {
        let span = Span::of(registers.iter().copied().map(u64::from));
        let mut columns: Vec<Step> = Vec::new();
        for selects in &self.registers {
            if let Selects::Column(column) = selects {
                let offset = 1 << column;
                let set = span
                    .solve(u64::from(offset))
                    .and_then(|set| u32::try_from(set).ok());
                columns.push((set.ok_or(NotServed::Register { offset })?, offset));
            }
        }
        let mut known = Span::of([]);
        let mut steps = Vec::new();
        for (bit, &offset) in registers.iter().enumerate() {
            let (mut register, mut step) = (1 << bit, offset);
            for (set, column) in &columns {
                if offset & column != 0 {
                    register ^= set;
                    step ^= column;
                }
            }
            if self.inside(step) != 0 {
                return Err(self.unaligned(Dim::Register, bit, offset));
            }
            if known.add(u64::from(step), bit) {
                steps.push((register, step));
            }
        }
        let mut independent = Span::of([]);
        let copies = registers.iter().enumerate().filter(|(bit, offset)| {
            let offset = u64::from(**offset);
            !independent.add(offset, *bit)
        });
        Ok(Divided {
            copies: copies.fold(0, |mask, (bit, _)| mask | 1 << bit),
            columns: columns.into_iter().map(|(set, _)| set).collect(),
            steps,
        })
    }
}
