//! The instruction descriptor of `tcgen05.mma`: types, shape and transposition in 32 bits.
//!
//! (PTX ISA, "Instruction descriptor" of `tcgen05`. Its layout depends on the kind of the instruction.)

mod types;

use super::canonical::Major;

pub use types::{
    ByteType, Columns, FloatSum, HalfType, InstructionError, InstructionField, Kind, MaxShift,
    MetadataSelector, Negate, Rows, SmallFloat, Sparsity, Types,
};

/// The instruction descriptor of the kinds f16, tf32, f8f6f4 and i8.
///
/// | bits | field |
/// |---|---|
/// | 0, 1 | sparsity selector |
/// | 2 | sparse |
/// | 3 | saturate |
/// | 4, 5 | type of D |
/// | 7 to 9, 10 to 12 | types of A and of B |
/// | 13, 14 | negate A, negate B |
/// | 15, 16 | A is M-major, B is N-major |
/// | 17 to 22 | N / 8 |
/// | 24 to 28 | M / 16 |
/// | 30, 31 | largest shift |
///
/// ```
/// use tilewright_layouts::descriptor::{
///     Columns, FloatSum, HalfType, Kind, Major, MaxShift, MmaInstruction, Negate, Rows, Sparsity, Types,
/// };
/// let word = MmaInstruction {
///     types: Types::F16 { a: HalfType::F16, b: HalfType::F16, d: FloatSum::F32, negate: Negate::default() },
///     sparsity: Sparsity::Dense,
///     major_a: Major::K,
///     major_b: Major::Mn,
///     m: Rows::M128,
///     n: Columns::new(128)?,
///     max_shift: MaxShift::None,
/// };
/// assert_eq!(word.encode(), 136380432);
/// assert_eq!(MmaInstruction::decode(136380432, Kind::F16)?, word);
/// # Ok::<(), tilewright_layouts::descriptor::InstructionError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MmaInstruction {
    /// The kind and its types.
    pub types: Types,
    /// Whether A is sparse.
    pub sparsity: Sparsity,
    /// Which axis of A is contiguous.
    pub major_a: Major,
    /// Which axis of B is contiguous.
    pub major_b: Major,
    /// M.
    pub m: Rows,
    /// N.
    pub n: Columns,
    /// The largest shift of B in weight-stationary mode.
    pub max_shift: MaxShift,
}

/// The code of tf32 as a factor.
const TF32: u32 = 2;
/// The code of s32 as a sum.
const S32: u32 = 2;

impl MmaInstruction {
    /// The word.
    pub fn encode(self) -> u32 {
        let sparsity = match self.sparsity {
            Sparsity::Dense => 0,
            Sparsity::Sparse(selector) => 1 << 2 | selector.code(),
        };
        let factors = |d: u32, a: u32, b: u32| d << 4 | a << 7 | b << 10;
        let types = match self.types {
            Types::F16 { a, b, d, negate } => factors(d.code(), a.code(), b.code()) | negate.bits(),
            Types::Tf32 { negate } => factors(FloatSum::F32.code(), TF32, TF32) | negate.bits(),
            Types::F8f6f4 { a, b, d, negate } => factors(d.code(), a.code(), b.code()) | negate.bits(),
            Types::I8 { a, b, saturate } => factors(S32, a.code(), b.code()) | u32::from(saturate) << 3,
        };
        sparsity
            | types
            | transpose(self.major_a, self.major_b)
            | self.n.code() << 17
            | self.m.code() << 24
            | self.max_shift.code() << 30
    }

    /// The fields of a word for an instruction of that kind.
    ///
    /// # Errors
    /// A field has a value that the kind does not have, or a reserved bit is set. The first such field is
    /// named.
    pub fn decode(word: u32, kind: Kind) -> Result<MmaInstruction, InstructionError> {
        let unused = 1 << 6 | 1 << 23 | 1 << 29;
        reserved(
            word,
            match kind {
                Kind::F16 | Kind::Tf32 | Kind::F8f6f4 => unused | 1 << 3,
                Kind::I8 => unused | 3 << 13,
            },
        )?;
        let selector = MetadataSelector::decode(word & 3, InstructionField::SparsitySelector)?;
        let sparsity = match (word >> 2 & 1, selector) {
            (0, MetadataSelector::Id0) => Sparsity::Dense,
            (0, _) => {
                return Err(InstructionError {
                    field: InstructionField::SparsitySelector,
                    value: selector.code(),
                });
            }
            (_, selector) => Sparsity::Sparse(selector),
        };
        let (d, a, b) = (word >> 4 & 3, word >> 7 & 7, word >> 10 & 7);
        let exactly = |found: u32, wanted: u32, field| {
            if found == wanted {
                Ok(())
            } else {
                Err(InstructionError { field, value: found })
            }
        };
        let negate = Negate::decode(word);
        let types = match kind {
            Kind::F16 => Types::F16 {
                d: FloatSum::decode(d, InstructionField::TypeD)?,
                a: HalfType::decode(a, InstructionField::TypeA)?,
                b: HalfType::decode(b, InstructionField::TypeB)?,
                negate,
            },
            Kind::Tf32 => {
                exactly(d, FloatSum::F32.code(), InstructionField::TypeD)?;
                exactly(a, TF32, InstructionField::TypeA)?;
                exactly(b, TF32, InstructionField::TypeB)?;
                Types::Tf32 { negate }
            }
            Kind::F8f6f4 => Types::F8f6f4 {
                d: FloatSum::decode(d, InstructionField::TypeD)?,
                a: SmallFloat::decode(a, InstructionField::TypeA)?,
                b: SmallFloat::decode(b, InstructionField::TypeB)?,
                negate,
            },
            Kind::I8 => {
                exactly(d, S32, InstructionField::TypeD)?;
                Types::I8 {
                    a: ByteType::decode(a, InstructionField::TypeA)?,
                    b: ByteType::decode(b, InstructionField::TypeB)?,
                    saturate: word >> 3 & 1 == 1,
                }
            }
        };
        let (major_a, major_b) = majors(word);
        Ok(MmaInstruction {
            types,
            sparsity,
            major_a,
            major_b,
            n: columns(word)?,
            m: Rows::decode(word >> 24 & 0x1F, InstructionField::M)?,
            max_shift: MaxShift::decode(word >> 30, InstructionField::Reserved)?,
        })
    }
}

fn transpose(a: Major, b: Major) -> u32 {
    let bit = |major| u32::from(major == Major::Mn);
    bit(a) << 15 | bit(b) << 16
}

fn majors(word: u32) -> (Major, Major) {
    let major = |bit: u32| {
        if word >> bit & 1 == 1 { Major::Mn } else { Major::K }
    };
    (major(15), major(16))
}

fn columns(word: u32) -> Result<Columns, InstructionError> {
    let code = word >> 17 & 0x3F;
    Columns::new(code * 8).map_err(|_| InstructionError {
        field: InstructionField::N,
        value: code,
    })
}

fn reserved(word: u32, mask: u32) -> Result<(), InstructionError> {
    let value = word & mask;
    if value == 0 {
        Ok(())
    } else {
        Err(InstructionError {
            field: InstructionField::Reserved,
            value,
        })
    }
}
