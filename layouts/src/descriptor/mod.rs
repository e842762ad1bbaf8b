//! Matrix descriptors of tensor cores: the location of an operand in shared memory.
//!
//! `wgmma` and `tcgen05.mma` read an operand through a 64-bit word with a start address, two byte
//! offsets and a swizzle mode. Such a word can describe only the *canonical* layouts. This module
//! encodes and decodes the words ([`WgmmaDescriptor`], [`Tcgen05Descriptor`]), computes the address
//! that the hardware reads for each element ([`Canonical`]), and finds the word for a given
//! shared-memory layout, or the field that cannot represent it ([`Operand::derive`]).
//!
//! Sources: PTX ISA, "Asynchronous warpgroup-level matrix shared memory layout" and "tcgen05 shared
//! memory layout and swizzling" with their sections on canonical layouts, strides and descriptors.

mod canonical;
mod derive;
mod field;
mod instruction;
mod refusal;
mod tcgen05;
mod wgmma;

pub use canonical::{Canonical, Major};
pub use derive::{Instruction, Operand};
pub use field::{BaseOffset, Field, FieldRange, SharedOffset};
pub use instruction::{
    ByteType, Columns, FloatSum, HalfType, InstructionError, InstructionField, Kind, MaxShift,
    MetadataSelector, MmaInstruction, Negate, Rows, SmallFloat, Sparsity, Types,
};
pub use refusal::{Axis, DecodeError, Refusal};
pub use tcgen05::{LeadingMode, Tcgen05Descriptor, Tcgen05Swizzle};
pub use wgmma::{WgmmaDescriptor, WgmmaSwizzle};

use crate::shared::SwizzleMode;

/// A descriptor word that [`Operand::derive`] can construct.
pub trait MatrixDescriptor: Copy {
    /// The swizzles that the word can encode.
    const MODES: &'static [SwizzleMode];

    /// Constructs the word from its fields; `None` for a mode that is not in [`MODES`](Self::MODES).
    fn of_fields(
        start: SharedOffset,
        leading: SharedOffset,
        stride: SharedOffset,
        mode: SwizzleMode,
    ) -> Option<Self>;

    /// Replaces the start address.
    fn starting_at(self, start: SharedOffset) -> Self;

    /// The start address.
    fn start(self) -> SharedOffset;
}
