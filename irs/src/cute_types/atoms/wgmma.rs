//! `wgmma`: products by four warps.

use tilewright_layouts::cute::{CuteError, Fact, MmaAtomOf};

use super::layouts::warpgroup;
use super::mma_parts::{Elements, FragmentKind, IntOverflow, Majors, MmaShape};
use crate::cute_types::reader::part;

part! {
    /// `wgmma`: `!cute_nvgpu.sm90.mma<64x256x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>`.
    pub struct Sm90Mma {
        /// M, N and K.
        shape: MmaShape,
        /// How A and B lie.
        majors: Majors,
        /// Of A, B and C.
        elements: Elements,
        /// Where A and B are.
        fragments: FragmentKind,
        /// What becomes of large sums of integers.
        overflow: Option<IntOverflow>,
        /// Whether A is negated.
        negate_a: bool,
        /// Whether B is negated.
        negate_b: bool,
    }
    shape ", ab_major = " majors ", elem_type = " elements ", frag_kind = " fragments
    [", int_overflow = <" overflow ">"] [", a_neg" if negate_a] [", b_neg" if negate_b]
}

impl Sm90Mma {
    pub(super) fn layouts(&self) -> Result<MmaAtomOf<Fact>, CuteError> {
        warpgroup(
            self.shape,
            &self.elements,
            self.fragments == FragmentKind::RegisterShared,
        )
    }
}
