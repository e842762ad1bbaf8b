//! Limits of `tcgen05.mma`: shapes, types, major-ness and swizzles.

use super::matrix_operand::{Factor, MatrixField, OperandPlace, major_name};
use super::target::Target;
use super::violation::{Checker, Limit, Source, Violations};
use crate::descriptor::Major;
use crate::shared::SwizzleMode;

const TARGET: Source = Source::ptx("tcgen05.mma", "target ISA notes");
const SHAPE: Source = Source::ptx("tcgen05.mma", "combinations of .kind and shapes");
const TRANSPOSE: Source = Source::ptx("tcgen05.mma", "transpose and negate operations");
const TRANSPOSE_8: Source = Source::ptx("tcgen05.mma", "N shape for 8-bit transpose B");
const COMBINATIONS: Source = Source::ptx("tcgen05.mma", "type-size, major-ness and swizzling");
const ATOMS: Source = Source::ptx("tcgen05.mma", "layout for swizzle atoms");
const MODES: Source = Source::ptx("tcgen05", "shared memory descriptor");
const PLACE: Source = Source::ptx("tcgen05.mma", "memory of the matrices");

/// The kind of a `tcgen05.mma`, which determines its element types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Tcgen05Kind {
    /// `.kind::f16`: f16 and bf16.
    F16,
    /// `.kind::tf32`.
    Tf32,
    /// `.kind::f8f6f4`: any mix of 8-, 6- and 4-bit floating point.
    F8f6f4,
    /// `.kind::i8`.
    I8,
    /// `.kind::mxf8f6f4`: as `F8f6f4`, block-scaled.
    Mxf8f6f4,
    /// `.kind::mxf4`: 4-bit floating point, with blocks of 32 elements.
    Mxf4,
    /// `.kind::mxf4nvf4`: 4-bit floating point, with blocks of 16 or 32 elements.
    Mxf4nvf4,
}

impl Tcgen05Kind {
    /// Every kind.
    pub const ALL: [Tcgen05Kind; 7] = [
        Tcgen05Kind::F16,
        Tcgen05Kind::Tf32,
        Tcgen05Kind::F8f6f4,
        Tcgen05Kind::I8,
        Tcgen05Kind::Mxf8f6f4,
        Tcgen05Kind::Mxf4,
        Tcgen05Kind::Mxf4nvf4,
    ];

    /// The qualifier in PTX.
    pub const fn name(self) -> &'static str {
        match self {
            Tcgen05Kind::F16 => ".kind::f16",
            Tcgen05Kind::Tf32 => ".kind::tf32",
            Tcgen05Kind::F8f6f4 => ".kind::f8f6f4",
            Tcgen05Kind::I8 => ".kind::i8",
            Tcgen05Kind::Mxf8f6f4 => ".kind::mxf8f6f4",
            Tcgen05Kind::Mxf4 => ".kind::mxf4",
            Tcgen05Kind::Mxf4nvf4 => ".kind::mxf4nvf4",
        }
    }

    /// The number of bits of an element in shared memory. 6- and 4-bit elements of the mixed kinds
    /// take a byte each, including padding.
    pub const fn shared_bits(self) -> u32 {
        match self {
            Tcgen05Kind::Mxf4 | Tcgen05Kind::Mxf4nvf4 => 4,
            Tcgen05Kind::F8f6f4 | Tcgen05Kind::I8 | Tcgen05Kind::Mxf8f6f4 => 8,
            Tcgen05Kind::F16 => 16,
            Tcgen05Kind::Tf32 => 32,
        }
    }

    /// Whether elements are block-scaled.
    pub const fn is_block_scaled(self) -> bool {
        match self {
            Tcgen05Kind::Mxf8f6f4 | Tcgen05Kind::Mxf4 | Tcgen05Kind::Mxf4nvf4 => true,
            Tcgen05Kind::F16 | Tcgen05Kind::Tf32 | Tcgen05Kind::F8f6f4 | Tcgen05Kind::I8 => false,
        }
    }

    /// The K of the kind: 32 bytes of a dense factor, twice that of a sparse one.
    pub const fn k(self, sparse: bool) -> u32 {
        let dense = 256 / self.shared_bits();
        if sparse { dense * 2 } else { dense }
    }
}

/// The number of blocks (CTAs) that compute one product together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CtaGroup {
    /// `.cta_group::1`.
    One,
    /// `.cta_group::2`: a pair.
    Two,
}

/// One `tcgen05.mma`: `D += A * B`, with `A` of M by K and `B` of K by N.
///
/// ```
/// use tilewright_layouts::{SwizzleMode, descriptor::Major, legality::*};
/// let shared = |major| OperandPlace::Shared { major, swizzle: SwizzleMode::B128 };
/// let mut mma = Tcgen05Mma {
///     target: Target::Sm100a, kind: Tcgen05Kind::F16, cta_group: CtaGroup::Two,
///     weight_stationary: false, sparse: false, m: 256, n: 256, k: 16,
///     a: shared(Major::K), b: shared(Major::Mn), narrow: false,
/// };
/// assert!(mma.check().is_ok());
/// mma.n = 24;
/// assert_eq!(
///     mma.check().unwrap_err()[0].to_string(),
///     "N is 24; it has to be a multiple of 16 \
///      (PTX ISA, tcgen05.mma, combinations of .kind and shapes)"
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tcgen05Mma {
    /// The target.
    pub target: Target,
    /// The kind, which determines the element types.
    pub kind: Tcgen05Kind,
    /// The number of blocks.
    pub cta_group: CtaGroup,
    /// Weight-stationary mode (`.ws`).
    pub weight_stationary: bool,
    /// Whether A is structured-sparse (`.sp`).
    pub sparse: bool,
    /// The rows of A and D.
    pub m: u32,
    /// The columns of B and D.
    pub n: u32,
    /// The columns of A and rows of B; those of the dense matrix if A is sparse.
    pub k: u32,
    /// The location of A.
    pub a: OperandPlace,
    /// The location of B.
    pub b: OperandPlace,
    /// Whether the elements of A or B have fewer than 8 bits, in a kind with both sizes. Such
    /// operands are K-major.
    pub narrow: bool,
}

impl Tcgen05Mma {
    /// Checks every rule.
    ///
    /// # Errors
    /// Every violated rule.
    pub fn check(&self) -> Result<(), Violations<MatrixField>> {
        let mut check = Checker::new();
        let limit = Limit::Choice("sm_100a, sm_103a or sm_110a");
        let has = self.target.has_tcgen05();
        check.require(has, MatrixField::Target, self.target.name(), limit, TARGET);
        self.check_modes(&mut check);
        self.check_m(&mut check);
        self.check_n(&mut check);
        self.check_k(&mut check);
        self.check_operand(&mut check, Factor::A, self.a);
        self.check_operand(&mut check, Factor::B, self.b);
        check.require(
            self.b != OperandPlace::Fragment,
            MatrixField::PlaceB,
            "tensor memory",
            Limit::Choice("shared memory"),
            PLACE,
        );
        check.finish()
    }

    fn check_modes(&self, check: &mut Checker<MatrixField>) {
        if self.weight_stationary {
            let field = MatrixField::WeightStationary;
            let limit = Limit::Rule("needs a kind that is not block-scaled");
            check.require(!self.kind.is_block_scaled(), field, ".ws", limit, SHAPE);
            let one = self.cta_group == CtaGroup::One;
            let limit = Limit::Exactly(1);
            check.require(one, MatrixField::CtaGroup, 2u32, limit, SHAPE);
        }
    }

    fn check_m(&self, check: &mut Checker<MatrixField>) {
        let allowed: &'static [u32] = if self.weight_stationary {
            &[32, 64, 128]
        } else {
            match (self.cta_group, self.kind.is_block_scaled(), self.sparse) {
                (CtaGroup::One, false, _) => &[64, 128],
                (CtaGroup::One, true, _) => &[128],
                (CtaGroup::Two, true, true) => &[256],
                (CtaGroup::Two, ..) => &[128, 256],
            }
        };
        let limit = Limit::OneOf(allowed);
        check.require(allowed.contains(&self.m), MatrixField::M, self.m, limit, SHAPE);
    }

    fn check_n(&self, check: &mut Checker<MatrixField>) {
        if self.weight_stationary {
            let allowed: &'static [u32] = if self.sparse { &[64, 128] } else { &[64, 128, 256] };
            let limit = Limit::OneOf(allowed);
            check.require(allowed.contains(&self.n), MatrixField::N, self.n, limit, SHAPE);
            return;
        }
        let integer = self.kind == Tcgen05Kind::I8;
        let (min, step) = match (self.cta_group, integer) {
            (CtaGroup::One, false) => (8, 8),
            // 8, 16, 24, 32 and above that only multiples of 16.
            (CtaGroup::One, true) if self.n > 32 => (8, 16),
            (CtaGroup::One, true) => (8, 8),
            (CtaGroup::Two, false) => (16, 16),
            (CtaGroup::Two, true) => (32, 32),
        };
        check.range(MatrixField::N, self.n, min, 256, SHAPE);
        check.multiple_of(MatrixField::N, self.n, step, SHAPE);
        let transposed = matches!(self.b, OperandPlace::Shared { major: Major::Mn, .. });
        if transposed && self.kind.shared_bits() == 8 {
            let step = match self.cta_group {
                CtaGroup::One => 16,
                CtaGroup::Two => 32,
            };
            check.multiple_of(MatrixField::N, self.n, step, TRANSPOSE_8);
        }
    }

    fn check_k(&self, check: &mut Checker<MatrixField>) {
        let wanted = i128::from(self.kind.k(self.sparse));
        let four_bits = self.kind.shared_bits() == 4;
        // 48 bytes of 4-bit elements, supported by one target only.
        let wide = four_bits
            && !self.sparse
            && self.cta_group == CtaGroup::Two
            && self.m == 256
            && self.target == Target::Sm103a;
        if !(wide && self.k == 96) {
            check.exactly(MatrixField::K, self.k, wanted, SHAPE);
        }
    }

    fn check_operand(&self, check: &mut Checker<MatrixField>, factor: Factor, operand: OperandPlace) {
        let OperandPlace::Shared { major, swizzle } = operand else {
            return;
        };
        let name = swizzle.driver_name();
        let exists = match swizzle {
            SwizzleMode::None
            | SwizzleMode::B32
            | SwizzleMode::B64
            | SwizzleMode::B128
            | SwizzleMode::B128Atom32 => true,
            SwizzleMode::B128Atom32Flip8 | SwizzleMode::B128Atom64 => false,
        };
        let limit = Limit::Choice("a mode of the shared memory descriptor");
        check.require(exists, factor.swizzle(), name, limit, MODES);
        let wide_chunks = swizzle == SwizzleMode::B128Atom32;
        match (major, self.kind) {
            (Major::K, _) => {
                // One table of the PTX ISA admits every mode here, but another has no K-major atom of
                // 32-byte chunks.
                let limit = Limit::Choice("of 16-byte chunks for a K-major operand");
                check.require(!wide_chunks, factor.swizzle(), name, limit, ATOMS);
            }
            (Major::Mn, Tcgen05Kind::Tf32) => {
                let limit = Limit::Choice("SWIZZLE_128B_ATOM_32B for an MN-major operand of 32-bit elements");
                check.require(wide_chunks, factor.swizzle(), name, limit, COMBINATIONS);
            }
            (Major::Mn, Tcgen05Kind::Mxf4 | Tcgen05Kind::Mxf4nvf4) => {
                let limit = Limit::Choice("K-major for this kind");
                check.require(false, factor.major(), major_name(major), limit, TRANSPOSE);
            }
            (Major::Mn, kind) => {
                let limit = Limit::Choice("of 16-byte chunks for an MN-major operand of 8 or 16 bits");
                check.require(!wide_chunks, factor.swizzle(), name, limit, COMBINATIONS);
                let mixed = matches!(kind, Tcgen05Kind::F8f6f4 | Tcgen05Kind::Mxf8f6f4);
                let limit = Limit::Choice("K-major for elements of fewer than 8 bits");
                check.require(
                    !(mixed && self.narrow),
                    factor.major(),
                    major_name(major),
                    limit,
                    COMBINATIONS,
                );
            }
        }
    }
}
