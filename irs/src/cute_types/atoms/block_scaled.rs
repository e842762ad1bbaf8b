//! Block-scaled products by one warp.

use std::num::NonZeroU32;

use tilewright_layouts::cute::{CuteError, Fact, MmaAtomOf};

use super::layouts::warp;
use super::mma_parts::{Elements, MmaShape};
use crate::cute_types::element::Number;
use crate::cute_types::reader::part;

part! {
    /// `mma.sync.block_scale`: `!cute_nvgpu.SM120.mma_bs<16x8x64, vec_size = 32, elem_type = (…), sf_type = …, …>`.
    pub struct Sm120BlockScaledMma {
        /// M, N and K.
        shape: MmaShape,
        /// The elements of one scale.
        block: NonZeroU32,
        /// Of A, B and C.
        elements: Elements,
        /// The scales.
        scale: Number,
        /// Whether the scales have a layout of threads and values.
        scale_layout: bool,
    }
    shape ", vec_size = " block ", elem_type = " elements ", sf_type = " scale ", use_sf_layout_TV = " scale_layout
}

impl Sm120BlockScaledMma {
    pub(super) fn layouts(&self) -> Result<MmaAtomOf<Fact>, CuteError> {
        warp(self.shape, &self.elements)
    }
}
