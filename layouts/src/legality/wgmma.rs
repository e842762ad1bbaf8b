//! Limits of `wgmma.mma_async`: shapes, types, major-ness and swizzles.

use super::matrix_operand::{Factor, MatrixField, OperandPlace, major_name};
use super::violation::{Checker, Limit, Source, Violations};
use crate::descriptor::Major;
use crate::shared::SwizzleMode;

const SHAPE: Source = Source::ptx("wgmma", "matrix shape");
const TYPES: Source = Source::ptx("wgmma", "matrix data types");
const TRANSPOSE: Source = Source::ptx("wgmma.mma_async", "imm-trans-a and imm-trans-b");
const SWIZZLE: Source = Source::ptx("wgmma", "matrix descriptor format");
const PLACE: Source = Source::ptx("wgmma", "register fragments and shared memory matrix layouts");

/// The element type of a factor of `wgmma.mma_async`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum WgmmaInput {
    /// `.f16`.
    F16,
    /// `.bf16`.
    BF16,
    /// `.tf32`.
    TF32,
    /// `.e4m3`.
    E4M3,
    /// `.e5m2`.
    E5M2,
    /// `.u8`.
    U8,
    /// `.s8`.
    S8,
    /// `.b1`.
    B1,
}

impl WgmmaInput {
    /// Every type.
    pub const ALL: [WgmmaInput; 8] = [
        WgmmaInput::F16,
        WgmmaInput::BF16,
        WgmmaInput::TF32,
        WgmmaInput::E4M3,
        WgmmaInput::E5M2,
        WgmmaInput::U8,
        WgmmaInput::S8,
        WgmmaInput::B1,
    ];

    /// The number of bits of an element.
    pub const fn bits(self) -> u32 {
        match self {
            WgmmaInput::B1 => 1,
            WgmmaInput::E4M3 | WgmmaInput::E5M2 | WgmmaInput::U8 | WgmmaInput::S8 => 8,
            WgmmaInput::F16 | WgmmaInput::BF16 => 16,
            WgmmaInput::TF32 => 32,
        }
    }

    /// The name in PTX.
    pub const fn name(self) -> &'static str {
        match self {
            WgmmaInput::F16 => ".f16",
            WgmmaInput::BF16 => ".bf16",
            WgmmaInput::TF32 => ".tf32",
            WgmmaInput::E4M3 => ".e4m3",
            WgmmaInput::E5M2 => ".e5m2",
            WgmmaInput::U8 => ".u8",
            WgmmaInput::S8 => ".s8",
            WgmmaInput::B1 => ".b1",
        }
    }

    /// Whether the accumulator is an integer, which restricts N.
    pub const fn is_integer(self) -> bool {
        match self {
            WgmmaInput::U8 | WgmmaInput::S8 | WgmmaInput::B1 => true,
            WgmmaInput::F16 | WgmmaInput::BF16 | WgmmaInput::TF32 | WgmmaInput::E4M3 | WgmmaInput::E5M2 => {
                false
            }
        }
    }

    /// Whether an operand of this type may be MN-major: only those of 16 bits may.
    pub const fn transposes(self) -> bool {
        self.bits() == 16
    }
}

/// The accumulator type of `wgmma.mma_async`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum WgmmaAccumulator {
    /// `.f16`.
    F16,
    /// `.f32`.
    F32,
    /// `.s32`.
    S32,
}

impl WgmmaAccumulator {
    /// The name in PTX.
    pub const fn name(self) -> &'static str {
        match self {
            WgmmaAccumulator::F16 => ".f16",
            WgmmaAccumulator::F32 => ".f32",
            WgmmaAccumulator::S32 => ".s32",
        }
    }
}

/// One `wgmma.mma_async`: `D += A * B` by a warpgroup, with `A` of M by K and `B` of K by N.
///
/// ```
/// use tilewright_layouts::{SwizzleMode, descriptor::Major, legality::*};
/// let shared = |major| OperandPlace::Shared { major, swizzle: SwizzleMode::B128 };
/// let mut wgmma = Wgmma {
///     m: 64, n: 256, k: 16, sparse: false,
///     a_type: WgmmaInput::BF16, b_type: WgmmaInput::BF16, d_type: WgmmaAccumulator::F32,
///     a: shared(Major::K), b: shared(Major::Mn),
/// };
/// assert!(wgmma.check().is_ok());
/// // Bytes cannot be transposed, and K grows as elements shrink.
/// (wgmma.a_type, wgmma.b_type) = (WgmmaInput::E4M3, WgmmaInput::E4M3);
/// let violations = wgmma.check().unwrap_err();
/// assert_eq!(violations[0].to_string(), "K is 16; it has to be 32 (PTX ISA, wgmma, matrix shape)");
/// assert_eq!(violations[1].field, MatrixField::MajorB);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Wgmma {
    /// The rows of A and D.
    pub m: u32,
    /// The columns of B and D.
    pub n: u32,
    /// The columns of A and rows of B; those of the dense matrix if A is sparse.
    pub k: u32,
    /// Whether A is structured-sparse (`.sp`).
    pub sparse: bool,
    /// The element type of A.
    pub a_type: WgmmaInput,
    /// The element type of B.
    pub b_type: WgmmaInput,
    /// The element type of D.
    pub d_type: WgmmaAccumulator,
    /// The location of A.
    pub a: OperandPlace,
    /// The location of B.
    pub b: OperandPlace,
}

impl Wgmma {
    /// The K of a type: 32 bytes of a dense factor, twice that of a sparse one.
    pub const fn k_of(input: WgmmaInput, sparse: bool) -> u32 {
        let dense = 256 / input.bits();
        if sparse { dense * 2 } else { dense }
    }

    /// Checks every rule.
    ///
    /// # Errors
    /// Every violated rule.
    pub fn check(&self) -> Result<(), Violations<MatrixField>> {
        let mut check = Checker::new();
        self.check_shape(&mut check);
        self.check_types(&mut check);
        check_operand(&mut check, Factor::A, self.a_type, self.a);
        check_operand(&mut check, Factor::B, self.b_type, self.b);
        check.require(
            self.b != OperandPlace::Fragment,
            MatrixField::PlaceB,
            "registers",
            Limit::Choice("shared memory"),
            PLACE,
        );
        check.finish()
    }

    fn check_shape(&self, check: &mut Checker<MatrixField>) {
        check.exactly(MatrixField::M, self.m, 64, SHAPE);
        check.range(MatrixField::N, self.n, 8, 256, SHAPE);
        // Integers: 8, 16, 24, 32 and above that only multiples of 16.
        let step = if self.a_type.is_integer() && self.n > 32 {
            16
        } else {
            8
        };
        check.multiple_of(MatrixField::N, self.n, step, SHAPE);
        let k = i128::from(Wgmma::k_of(self.a_type, self.sparse));
        check.exactly(MatrixField::K, self.k, k, SHAPE);
        check.require(
            !(self.sparse && self.a_type == WgmmaInput::B1),
            MatrixField::Sparsity,
            "sparse",
            Limit::Choice("dense for .b1"),
            SHAPE,
        );
    }

    fn check_types(&self, check: &mut Checker<MatrixField>) {
        use WgmmaInput::{B1, BF16, E4M3, E5M2, F16, S8, TF32, U8};
        let (agrees, limit) = match self.a_type {
            E4M3 | E5M2 => (
                matches!(self.b_type, E4M3 | E5M2),
                Limit::Choice(".e4m3 or .e5m2, as that of A"),
            ),
            F16 | BF16 | TF32 | U8 | S8 | B1 => (self.b_type == self.a_type, Limit::Choice("that of A")),
        };
        check.require(agrees, MatrixField::TypeB, self.b_type.name(), limit, TYPES);
        let (exists, limit) = match self.a_type {
            F16 | E4M3 | E5M2 => (
                self.d_type != WgmmaAccumulator::S32,
                Limit::Choice(".f16 or .f32 for this type of A"),
            ),
            BF16 | TF32 => (
                self.d_type == WgmmaAccumulator::F32,
                Limit::Choice(".f32 for this type of A"),
            ),
            U8 | S8 | B1 => (
                self.d_type == WgmmaAccumulator::S32,
                Limit::Choice(".s32 for this type of A"),
            ),
        };
        check.require(exists, MatrixField::TypeD, self.d_type.name(), limit, TYPES);
    }
}

fn check_operand(check: &mut Checker<MatrixField>, factor: Factor, input: WgmmaInput, operand: OperandPlace) {
    let OperandPlace::Shared { major, swizzle } = operand else {
        return;
    };
    check.require(
        major == Major::K || input.transposes(),
        factor.major(),
        major_name(major),
        Limit::Choice("K-major unless elements have 16 bits"),
        TRANSPOSE,
    );
    check.require(
        SwizzleMode::ATOM_16.contains(&swizzle),
        factor.swizzle(),
        swizzle.driver_name(),
        Limit::Choice("none, or 32, 64 or 128 bytes of 16-byte chunks"),
        SWIZZLE,
    );
}
