//! `mma.sync`: products by one warp.

use tilewright_layouts::cute::{CuteError, Fact, MmaAtomOf};

use super::layouts::warp;
use super::mma_parts::{Elements, IntOverflow, MmaShape};
use super::tcgen05::SparseFormat;
use crate::cute_types::reader::part;

part! {
    /// `mma.sync`: `!cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >`.
    pub struct Sm80Mma {
        /// M, N and K.
        shape: MmaShape,
        /// Of A, B and C.
        elements: Elements,
        /// What becomes of large sums.
        overflow: Option<IntOverflow>,
    }
    shape ", elem_type = " elements [", int_overflow = <" overflow ">"] " "
}

part! {
    /// `mma.sp.sync`: `!cute_nvgpu.sm80.sparse_mma<16x8x32, elem_type = (f16, f16, f32), md_format = tid >`.
    pub struct Sm80SparseMma {
        /// M, N and K.
        shape: MmaShape,
        /// Of A, B and C.
        elements: Elements,
        /// How the places of A's elements are said.
        format: SparseFormat,
    }
    shape ", elem_type = " elements ", md_format = " format " "
}

part! {
    /// `mma.sync` of 8-bit floats: `!cute_nvgpu.sm89.mma<16x8x32, elem_type = (f8E4M3FN, f8E4M3FN, f32) >`.
    pub struct Sm89Mma {
        /// M, N and K.
        shape: MmaShape,
        /// Of A, B and C.
        elements: Elements,
    }
    shape ", elem_type = " elements " "
}

impl Sm80Mma {
    pub(super) fn layouts(&self) -> Result<MmaAtomOf<Fact>, CuteError> {
        warp(self.shape, &self.elements)
    }
}

impl Sm89Mma {
    pub(super) fn layouts(&self) -> Result<MmaAtomOf<Fact>, CuteError> {
        warp(self.shape, &self.elements)
    }
}
