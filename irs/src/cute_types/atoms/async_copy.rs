//! `cp.async`: from global to shared memory past the registers.

use std::num::NonZeroU32;

use tilewright_layouts::cute::{CopyAtomOf, CuteError, Fact};

use super::layouts::one_thread;
use crate::cute_types::element::Element;
use crate::cute_types::reader::{part, words};

words! {
    /// Which caches keep what is copied.
    pub enum CacheMode {
        /// All.
        Always = "always",
        /// The second level only.
        Global = "global",
        /// All, to be evicted first.
        Streaming = "streaming",
        /// All, for the last time.
        LastUse = "last_use",
    }
}

part! {
    /// `cp.async`: `!cute_nvgpu.atom.simt_async_copy<f16, cache = global, 128 b>`.
    pub struct AsyncCopy {
        /// The elements.
        value: Element,
        /// Which caches keep them.
        cache: CacheMode,
        /// The bits of one instruction.
        bits: NonZeroU32,
    }
    value ", cache = " cache ", " bits " b"
}

impl AsyncCopy {
    pub(super) fn layouts(&self) -> Result<CopyAtomOf<Fact>, CuteError> {
        one_thread(self.bits, &self.value)
    }
}
