//! The descriptor of a given shared-memory layout.

use super::MatrixDescriptor;
use super::canonical::{CHUNK_BITS, CHUNK_BYTES, Major, group_lines};
use super::field::{Field, FieldRange, SharedOffset};
use super::refusal::{Axis, Refusal};
use crate::dim::Dim;
use crate::error::LayoutError;
use crate::linear::LinearLayout;
use crate::shared::SwizzleMode;
use crate::units::{Bytes, ElementWidth};

/// The part of a tile that one instruction reads: `mn` rows of A or columns of B, `k` elements of
/// each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Instruction {
    /// M or N of the instruction.
    pub mn: u32,
    /// K of the instruction.
    pub k: u32,
}

/// An operand tile in shared memory with the descriptor of its first instruction, from which those of
/// all others derive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operand<D> {
    /// The descriptor of the instruction that reads element (0, 0).
    pub descriptor: D,
    /// The contiguous axis.
    pub major: Major,
    /// The swizzle of the descriptors.
    pub mode: SwizzleMode,
    instruction: Instruction,
    tile: Matrix,
}

/// The byte offsets of the elements at powers of two along each axis, including the swizzle.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Matrix {
    /// The elements of a 16-byte chunk.
    per_chunk: u32,
    mn: Vec<Place>,
    k: Vec<Place>,
}

/// The position of an element in bits from the start.
type Place = u64;

impl<D: MatrixDescriptor> Operand<D> {
    /// Derives the descriptors of a tile at `start` from the layout `memory`, from [`Dim::Offset`],
    /// in elements of `width`, to the axes `dim0`, which is M or N, and `dim1`, which is K.
    ///
    /// Every element that an instruction reads through a derived descriptor is at its position in
    /// `memory`, and if such a descriptor exists, one is found. Time: a few steps for each bit of the
    /// tile.
    ///
    /// # Errors
    /// The layout is not a bijection of a matrix, the tile is not a whole number of instructions,
    /// `start` is not aligned to the pattern of the swizzle, or no descriptor can represent the
    /// layout; the error then names the field at fault.
    ///
    /// ```
    /// use tilewright_layouts::descriptor::{Instruction, Major, Operand, WgmmaDescriptor};
    /// use tilewright_layouts::{Bytes, Dim, ElementWidth, LinearLayout};
    /// // 8 by 8 core matrices of 16-bit elements, one after the other along K, then along M.
    /// let memory = LinearLayout::from_bases(
    ///     &[(Dim::Offset, vec![
    ///         vec![0, 1], vec![0, 2], vec![0, 4], vec![1, 0], vec![2, 0], vec![4, 0], vec![0, 8],
    ///         vec![8, 0], vec![16, 0], vec![32, 0],
    ///     ])],
    ///     &[(Dim::Axis(0), 64), (Dim::Axis(1), 16)],
    /// )?;
    /// let instruction = Instruction { mn: 64, k: 16 };
    /// let operand = Operand::<WgmmaDescriptor>::derive(&memory, ElementWidth::B16, instruction, Bytes(1024)).unwrap();
    /// assert_eq!(operand.major, Major::K);
    /// assert_eq!(operand.descriptor.leading.bytes(), Bytes(128));
    /// assert_eq!(operand.descriptor.stride.bytes(), Bytes(256));
    /// # Ok::<(), tilewright_layouts::LayoutError>(())
    /// ```
    pub fn derive(
        memory: &LinearLayout,
        width: ElementWidth,
        instruction: Instruction,
        start: Bytes,
    ) -> Result<Operand<D>, Refusal> {
        let tile = Matrix::of(memory, width)?;
        let fits = [
            (Axis::Mn, instruction.mn, tile.mn.len()),
            (Axis::K, instruction.k, tile.k.len()),
        ];
        for (axis, wanted, bits) in fits {
            let size = 1u32 << bits;
            // An N such as 96 may read part of a tile, but only one.
            let whole = size.is_multiple_of(wanted) || (size / 2 < wanted && wanted < size);
            if wanted == 0 || !whole {
                return Err(Refusal::Instruction {
                    axis,
                    tile: size,
                    instruction: wanted,
                });
            }
        }
        let begin = SharedOffset::new(Field::StartAddress, start)?;
        let mut closest: Option<(usize, Refusal)> = None;
        for &mode in D::MODES {
            for major in [Major::K, Major::Mn] {
                let mut candidate = Candidate {
                    tile: &tile,
                    mode,
                    leading: None,
                    stride: None,
                    explained: 0,
                };
                match candidate.explain(major, instruction) {
                    Ok(()) => return candidate.finish(major, instruction, begin),
                    Err(refusal) => {
                        if closest
                            .as_ref()
                            .is_none_or(|(explained, _)| *explained < candidate.explained)
                        {
                            closest = Some((candidate.explained, refusal));
                        }
                    }
                }
            }
        }
        Err(closest.map_or(Refusal::NotMatrix(LayoutError::NotTensor), |(_, refusal)| refusal))
    }

    /// The descriptor of the instruction whose first element is `(mn, k)`; `None` if that is not a
    /// multiple of the instruction's size or outside of the tile.
    ///
    /// # Errors
    /// The start address does not fit its field.
    ///
    /// ```
    /// use tilewright_layouts::descriptor::{Instruction, Operand, WgmmaDescriptor};
    /// use tilewright_layouts::shared::{Nvmma, NvmmaElement, TileOrder};
    /// use tilewright_layouts::{Bytes, ElementWidth, SwizzleMode};
    /// let tile = Nvmma { swizzle: SwizzleMode::B128, element: NvmmaElement::B16, order: TileOrder::RowMajor };
    /// let memory = tile.to_linear(&[64, 64])?;
    /// let instruction = Instruction { mn: 64, k: 16 };
    /// let operand = Operand::<WgmmaDescriptor>::derive(&memory, ElementWidth::B16, instruction, Bytes(1024))?;
    /// // The next 16 columns begin 32 bytes further on.
    /// let next = operand.at(0, 16)?.ok_or("no instruction begins there")?;
    /// assert_eq!(next.start.bytes(), Bytes(1024 + 32));
    /// assert_eq!(operand.at(0, 8)?, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn at(&self, mn: u32, k: u32) -> Result<Option<D>, FieldRange> {
        let starts = |at: u32, step: u32, bits: &[Place]| {
            at.checked_rem(step) == Some(0) && u64::from(at) < 1 << bits.len()
        };
        if !starts(mn, self.instruction.mn, &self.tile.mn) || !starts(k, self.instruction.k, &self.tile.k) {
            return Ok(None);
        }
        let place = place_of(&self.tile.mn, mn) ^ place_of(&self.tile.k, k);
        // Before the swizzle, which the hardware applies to the sum.
        let raw = self.mode.apply(place / 8);
        let start = Bytes(self.descriptor.start().bytes().0 + raw);
        let start = SharedOffset::new(Field::StartAddress, start)?;
        Ok(Some(self.descriptor.starting_at(start)))
    }
}

/// The position of the element at `index` along an axis.
fn place_of(bits: &[Place], index: u32) -> Place {
    crate::span::multiply(bits, u64::from(index))
}

impl Matrix {
    fn of(memory: &LinearLayout, width: ElementWidth) -> Result<Matrix, Refusal> {
        let axes = [Dim::Axis(0), Dim::Axis(1)];
        if let Some((dim, _)) = memory.in_dims().find(|(dim, _)| *dim != Dim::Offset) {
            return Err(Refusal::NotMatrix(LayoutError::SizeMismatch {
                dim,
                found: u64::from(memory.in_size(dim)),
                expected: 1,
            }));
        }
        for dim in axes {
            memory
                .out_bits(dim)
                .ok_or(Refusal::NotMatrix(LayoutError::MissingDim { dim }))?;
        }
        if memory.out_dims().count() != axes.len() {
            return Err(Refusal::NotMatrix(LayoutError::RankTooLarge {
                rank: memory.out_dims().count(),
            }));
        }
        let offsets = memory.invert().map_err(Refusal::NotMatrix)?;
        let along = |dim: Dim| {
            let bits = offsets.bases(dim);
            bits.map(|offset| u64::from(offset.first().copied().unwrap_or(0)) * u64::from(width.bits()))
                .collect()
        };
        let [mn, k] = axes.map(along);
        Ok(Matrix {
            per_chunk: (CHUNK_BITS / width.bits()).max(1),
            mn,
            k,
        })
    }
}

/// A candidate swizzle and the fields determined so far.
struct Candidate<'a> {
    tile: &'a Matrix,
    mode: SwizzleMode,
    leading: Option<u64>,
    stride: Option<u64>,
    /// The bits of the tile matched so far.
    explained: usize,
}

/// The rule for the position of an element at a power of two along an axis.
#[derive(Clone, Copy)]
enum Rule {
    /// A fixed number of bytes from the start.
    Fixed(u64),
    /// A multiple of the leading byte offset.
    Leading(u64),
    /// A multiple of the stride byte offset.
    Stride(u64),
    /// An element of another instruction: any power of two.
    Step,
}

impl Candidate<'_> {
    /// Matches the tile against the canonical layouts of this swizzle and of `major`, and determines
    /// the fields.
    fn explain(&mut self, major: Major, instruction: Instruction) -> Result<(), Refusal> {
        let tile = self.tile;
        let (contiguous, axis, other, other_axis, own, across) = match major {
            Major::K => (
                &tile.k,
                Axis::K,
                &tile.mn,
                Axis::Mn,
                instruction.k,
                instruction.mn,
            ),
            Major::Mn => (
                &tile.mn,
                Axis::Mn,
                &tile.k,
                Axis::K,
                instruction.mn,
                instruction.k,
            ),
        };
        let element = u64::from(CHUNK_BITS / tile.per_chunk);
        let line = self.mode.span().0;
        let lines = match major {
            Major::K => 8,
            Major::Mn => u64::from(group_lines(self.mode)),
        };
        let plain = self.mode == SwizzleMode::None;
        for (bit, place) in (0u32..).zip(contiguous) {
            let index = 1u64 << bit;
            if index < u64::from(tile.per_chunk) {
                self.within_chunk(major, axis, bit, *place, index * element)?;
                continue;
            }
            let chunk = index / u64::from(tile.per_chunk);
            let rule = if index >= u64::from(own) {
                Rule::Step
            } else {
                match (major, plain) {
                    (Major::K, true) => Rule::Leading(chunk),
                    (Major::Mn, true) => Rule::Stride(chunk),
                    (_, false) if chunk * CHUNK_BYTES < line => Rule::Fixed(chunk * CHUNK_BYTES),
                    (Major::Mn, false) => Rule::Leading(chunk * CHUNK_BYTES / line),
                    // An instruction reads 32 bytes along K, which every swizzled line contains.
                    (Major::K, false) => Rule::Fixed(chunk * CHUNK_BYTES),
                }
            };
            self.check(major, axis, bit, *place, rule)?;
        }
        for (bit, place) in (0u32..).zip(other) {
            let index = 1u64 << bit;
            let rule = if index >= u64::from(across) {
                Rule::Step
            } else if index < lines {
                Rule::Fixed(index * line)
            } else {
                match (major, plain) {
                    (Major::Mn, true) => Rule::Leading(index / lines),
                    (Major::K, _) | (Major::Mn, false) => Rule::Stride(index / lines),
                }
            };
            self.check(major, other_axis, bit, *place, rule)?;
        }
        Ok(())
    }

    /// Checks that the elements of one chunk are consecutive.
    fn within_chunk(
        &mut self,
        major: Major,
        axis: Axis,
        bit: u32,
        place: Place,
        needed: Place,
    ) -> Result<(), Refusal> {
        if place == needed {
            self.explained += 1;
            return Ok(());
        }
        Err(self.refuse(major, Field::StartAddress, axis, bit, place / 8, Some(needed / 8)))
    }

    /// Checks one power of two along an axis; the first that depends on a field determines it.
    fn check(&mut self, major: Major, axis: Axis, bit: u32, place: Place, rule: Rule) -> Result<(), Refusal> {
        // The swizzle modes are involutions.
        let raw = self.mode.apply(place / 8);
        let (field, needed) = match rule {
            Rule::Fixed(bytes) => (Field::Swizzle, bytes),
            Rule::Leading(times) => (
                Field::LeadingByteOffset,
                *self.leading.get_or_insert(raw / times) * times,
            ),
            Rule::Stride(times) => (
                Field::StrideByteOffset,
                *self.stride.get_or_insert(raw / times) * times,
            ),
            Rule::Step => (Field::StartAddress, raw),
        };
        if !raw.is_power_of_two() || !place.is_multiple_of(u64::from(CHUNK_BITS)) {
            return Err(self.refuse(major, field, axis, bit, raw, None));
        }
        if raw != needed {
            return Err(self.refuse(major, field, axis, bit, raw, Some(needed)));
        }
        self.explained += 1;
        Ok(())
    }

    fn refuse(
        &self,
        major: Major,
        field: Field,
        axis: Axis,
        bit: u32,
        found: u64,
        needed: Option<u64>,
    ) -> Refusal {
        Refusal::NotCanonical {
            mode: self.mode,
            major,
            field,
            axis,
            index: 1 << bit,
            found: Bytes(found),
            needed: needed.map(Bytes),
        }
    }

    /// Constructs the operand once all bits are matched.
    fn finish<D: MatrixDescriptor>(
        self,
        major: Major,
        instruction: Instruction,
        start: SharedOffset,
    ) -> Result<Operand<D>, Refusal> {
        let alignment = self.mode.repeat();
        if !start.bytes().0.is_multiple_of(alignment.0) {
            return Err(Refusal::StartAlignment {
                start: start.bytes(),
                alignment,
                mode: self.mode,
            });
        }
        // A distance at which an instruction has no element is arbitrary.
        let leading = SharedOffset::new(
            Field::LeadingByteOffset,
            Bytes(self.leading.unwrap_or(CHUNK_BYTES)),
        )?;
        let stride = SharedOffset::new(Field::StrideByteOffset, Bytes(self.stride.unwrap_or(CHUNK_BYTES)))?;
        let descriptor = D::of_fields(start, leading, stride, self.mode);
        Ok(Operand {
            descriptor: descriptor.ok_or(Refusal::NotMatrix(LayoutError::NotTensor))?,
            major,
            instruction,
            tile: self.tile.clone(),
            mode: self.mode,
        })
    }
}
