//! Limits of matrix descriptors: the values that their fields can hold.

use std::fmt;

use super::matrix_operand::major_name;
use super::target::Target;
use super::violation::{Checker, Limit, Source, Violations};
use crate::descriptor::{
    BaseOffset, Field, LeadingMode, Major, MatrixDescriptor, SharedOffset, Tcgen05Descriptor, WgmmaDescriptor,
};
use crate::shared::SwizzleMode;
use crate::units::Bytes;

const WGMMA: Source = Source::ptx("wgmma", "matrix descriptor format");
const WGMMA_TARGET: Source = Source::ptx("wgmma.mma_async", "target ISA notes");
const TCGEN05: Source = Source::ptx("tcgen05", "shared memory descriptor");
const TCGEN05_TARGET: Source = Source::ptx("tcgen05.mma", "target ISA notes");
const ABSOLUTE: Source = Source::ptx(
    "tcgen05",
    "restrictions on the leading dimension absolute address stride",
);
const ABSOLUTE_TARGET: Source = Source::ptx("tcgen05", "shared memory descriptor, target ISA note");

/// A field of a matrix descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DescriptorField {
    /// The target.
    Target,
    /// The start address of the operand, in bytes.
    StartAddress,
    /// The leading dimension byte offset (LBO), or address.
    LeadingByteOffset,
    /// The meaning of the leading byte offset.
    LeadingMode,
    /// The stride dimension byte offset (SBO).
    StrideByteOffset,
    /// The start of the swizzle's pattern.
    BaseOffset,
    /// The permutation in shared memory.
    Swizzle,
    /// The contiguous axis.
    Major,
}

impl fmt::Display for DescriptorField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DescriptorField::Target => "target",
            DescriptorField::StartAddress => "matrix start address",
            DescriptorField::LeadingByteOffset => "leading dimension byte offset",
            DescriptorField::LeadingMode => "leading dimension stride mode",
            DescriptorField::StrideByteOffset => "stride dimension byte offset",
            DescriptorField::BaseOffset => "matrix base offset",
            DescriptorField::Swizzle => "swizzling mode",
            DescriptorField::Major => "major-ness",
        })
    }
}

/// The format of a matrix descriptor, by instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DescriptorFormat {
    /// `wgmma.mma_async`.
    Wgmma,
    /// `tcgen05.mma` and `tcgen05.cp`.
    Tcgen05 {
        /// The meaning of the leading byte offset.
        leading: LeadingMode,
    },
}

/// The values of a matrix descriptor before they are encoded.
///
/// [`Operand::derive`](crate::descriptor::Operand::derive) computes them for a layout; this type
/// checks whether given values can be encoded.
///
/// ```
/// use tilewright_layouts::{SwizzleMode, descriptor::Major, legality::*};
/// let mut values = DescriptorValues {
///     target: Target::Sm90a, format: DescriptorFormat::Wgmma, major: Major::K, swizzle: SwizzleMode::B128,
///     start: 2048, leading: 16, stride: 1024, base_offset: 0,
/// };
/// assert_eq!(values.encode(), Ok(0x4000_0040_0001_0080));
/// values.stride = 1032;
/// assert_eq!(
///     values.check().unwrap_err()[0].to_string(),
///     "stride dimension byte offset is 1032; it has to be a multiple of 16 \
///      (PTX ISA, wgmma, matrix descriptor format)"
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DescriptorValues {
    /// The target.
    pub target: Target,
    /// The format.
    pub format: DescriptorFormat,
    /// The contiguous axis of the operand.
    pub major: Major,
    /// The permutation in shared memory.
    pub swizzle: SwizzleMode,
    /// The start address of the operand in shared memory, in bytes.
    pub start: u64,
    /// LBO, in bytes; see [`Canonical`](crate::descriptor::Canonical).
    pub leading: u64,
    /// SBO, in bytes.
    pub stride: u64,
    /// Bits 7 to 9 of the start address of the swizzle's pattern.
    pub base_offset: u32,
}

impl DescriptorValues {
    /// Checks every rule.
    ///
    /// # Errors
    /// Every violated rule.
    pub fn check(&self) -> Result<(), Violations<DescriptorField>> {
        let mut check = Checker::new();
        let source = match self.format {
            DescriptorFormat::Wgmma => WGMMA,
            DescriptorFormat::Tcgen05 { .. } => TCGEN05,
        };
        let end = i128::from(SharedOffset::LIMIT.0);
        for (field, bytes) in [
            (DescriptorField::StartAddress, self.start),
            (DescriptorField::LeadingByteOffset, self.leading),
            (DescriptorField::StrideByteOffset, self.stride),
        ] {
            check.multiple_of(field, bytes, i128::from(SharedOffset::UNIT.0), source);
            check.below(field, bytes, end, source);
        }
        check.below(DescriptorField::BaseOffset, self.base_offset, 8, source);
        match self.format {
            DescriptorFormat::Wgmma => self.check_wgmma(&mut check),
            DescriptorFormat::Tcgen05 { leading } => self.check_tcgen05(&mut check, leading),
        }
        check.finish()
    }

    fn check_wgmma(&self, check: &mut Checker<DescriptorField>) {
        let limit = Limit::Choice("sm_90a");
        let target = self.target;
        let runs = target == Target::Sm90a;
        check.require(runs, DescriptorField::Target, target.name(), limit, WGMMA_TARGET);
        self.check_swizzle(check, WgmmaDescriptor::MODES, WGMMA);
        if self.swizzle == SwizzleMode::None {
            check.exactly(DescriptorField::BaseOffset, self.base_offset, 0, WGMMA);
        }
    }

    fn check_tcgen05(&self, check: &mut Checker<DescriptorField>, leading: LeadingMode) {
        let limit = Limit::Choice("sm_100a, sm_103a or sm_110a");
        let target = self.target;
        let runs = target.has_tcgen05();
        check.require(
            runs,
            DescriptorField::Target,
            target.name(),
            limit,
            TCGEN05_TARGET,
        );
        self.check_swizzle(check, Tcgen05Descriptor::MODES, TCGEN05);
        match leading {
            LeadingMode::Relative => {}
            LeadingMode::Absolute => {
                check.require(
                    self.target == Target::Sm103a,
                    DescriptorField::LeadingMode,
                    "absolute",
                    Limit::Choice("relative on targets other than sm_103a"),
                    ABSOLUTE_TARGET,
                );
                check.require(
                    self.swizzle == SwizzleMode::B128,
                    DescriptorField::Swizzle,
                    self.swizzle.driver_name(),
                    Limit::Choice("SWIZZLE_128B for an absolute leading address"),
                    ABSOLUTE,
                );
                check.require(
                    self.major == Major::K,
                    DescriptorField::Major,
                    major_name(self.major),
                    Limit::Choice("K-major for an absolute leading address"),
                    ABSOLUTE,
                );
                check.exactly(DescriptorField::BaseOffset, self.base_offset, 0, ABSOLUTE);
            }
        }
    }

    fn check_swizzle(&self, check: &mut Checker<DescriptorField>, modes: &[SwizzleMode], source: Source) {
        let limit = Limit::Choice("a mode that the descriptor has a code for");
        check.require(
            modes.contains(&self.swizzle),
            DescriptorField::Swizzle,
            self.swizzle.driver_name(),
            limit,
            source,
        );
    }

    /// Encodes the descriptor.
    ///
    /// # Errors
    /// Every violated rule, as in [`DescriptorValues::check`].
    pub fn encode(&self) -> Result<u64, Violations<DescriptorField>> {
        self.check()?;
        // Checked values can be encoded: the defaults below are never used.
        let field = |field, bytes| SharedOffset::new(field, Bytes(bytes)).unwrap_or_default();
        let start = field(Field::StartAddress, self.start);
        let leading = field(Field::LeadingByteOffset, self.leading);
        let stride = field(Field::StrideByteOffset, self.stride);
        let base_offset = BaseOffset::of_pattern_start(Bytes(u64::from(self.base_offset) << 7));
        Ok(match self.format {
            DescriptorFormat::Wgmma => {
                let word = WgmmaDescriptor::of_fields(start, leading, stride, self.swizzle);
                WgmmaDescriptor {
                    base_offset,
                    ..word.unwrap_or_default()
                }
                .encode()
            }
            DescriptorFormat::Tcgen05 { leading: mode } => {
                let word = Tcgen05Descriptor::of_fields(start, leading, stride, self.swizzle);
                Tcgen05Descriptor {
                    base_offset,
                    leading_mode: mode,
                    ..word.unwrap_or_default()
                }
                .encode()
            }
        })
    }
}
