//! Rules among the enumerated fields: interleave, swizzle, type and fill.

use crate::legality::violation::{Checker, Limit, Source};
use crate::shared::SwizzleMode;

use super::{BoxMode, DataType, Interleave, OobFill, TensorMap, TensorMapField};

impl TensorMap {
    /// Checks the rules among interleave, swizzle, type and fill.
    pub(super) fn check_modes(&self, check: &mut Checker<TensorMapField>) {
        let wide = matches!(self.mode, BoxMode::Im2colWide { .. });
        let interleave = self.interleave.name();
        if self.data_type == DataType::U6x16Align16 {
            check.require(
                self.interleave == Interleave::None,
                TensorMapField::Interleave,
                interleave,
                Limit::Choice("INTERLEAVE_NONE for 16U6_ALIGN16B"),
                self.source("interleave"),
            );
        }
        if wide {
            check.require(
                self.interleave == Interleave::None,
                TensorMapField::Interleave,
                interleave,
                Limit::Choice("INTERLEAVE_NONE for im2col-wide"),
                Source::ptx("tensors", "interleave layout"),
            );
        }
        let swizzle = self.swizzle.driver_name();
        let source = self.source("swizzle");
        if self.interleave == Interleave::B32 {
            check.require(
                self.swizzle == SwizzleMode::B32,
                TensorMapField::Swizzle,
                swizzle,
                Limit::Choice("SWIZZLE_32B for INTERLEAVE_32B"),
                source,
            );
        }
        let (allowed, limit) = self.swizzles(wide);
        check.require(allowed, TensorMapField::Swizzle, swizzle, limit, source);
        check.require(
            self.oob_fill == OobFill::Zero || self.data_type.is_float(),
            TensorMapField::OobFill,
            "FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA",
            Limit::Choice("FLOAT_OOB_FILL_NONE for a type that is not of floating point"),
            self.source("oobFill"),
        );
    }

    /// Whether the element type admits the swizzle, and the swizzles that it admits.
    fn swizzles(&self, wide: bool) -> (bool, Limit) {
        use SwizzleMode::{B32, B64, B128, B128Atom32, B128Atom32Flip8, B128Atom64, None};
        match (self.data_type, wide) {
            (DataType::U6x16Align16, false) => (
                match self.swizzle {
                    None | B128 | B128Atom32 | B128Atom64 => true,
                    B32 | B64 | B128Atom32Flip8 => false,
                },
                Limit::Choice(
                    "SWIZZLE_NONE, SWIZZLE_128B, SWIZZLE_128B_ATOM_32B or SWIZZLE_128B_ATOM_64B for 16U6_ALIGN16B",
                ),
            ),
            (DataType::U4x16Align16, false) => (
                match self.swizzle {
                    None | B128 | B128Atom32 => true,
                    B32 | B64 | B128Atom32Flip8 | B128Atom64 => false,
                },
                Limit::Choice("SWIZZLE_NONE, SWIZZLE_128B or SWIZZLE_128B_ATOM_32B for 16U4_ALIGN16B"),
            ),
            (DataType::U4x16Align16, true) => (
                match self.swizzle {
                    B128 | B128Atom32 => true,
                    None | B32 | B64 | B128Atom32Flip8 | B128Atom64 => false,
                },
                Limit::Choice("SWIZZLE_128B or SWIZZLE_128B_ATOM_32B for im2col-wide and 16U4_ALIGN16B"),
            ),
            (_, true) => (
                match self.swizzle {
                    B64 | B128 | B128Atom32 => true,
                    None | B32 | B128Atom32Flip8 | B128Atom64 => false,
                },
                Limit::Choice("SWIZZLE_64B, SWIZZLE_128B or SWIZZLE_128B_ATOM_32B for im2col-wide"),
            ),
            (_, false) => (true, Limit::Choice("any swizzle")),
        }
    }
}
