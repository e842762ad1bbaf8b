//! Copies of many bytes by one instruction, and stores to other blocks of a cluster.

use std::num::NonZeroU32;

use tilewright_layouts::cute::{CopyAtomOf, CuteError, Fact};

use super::layouts::one_thread;
use crate::cute_types::element::Element;
use crate::cute_types::reader::part;

part! {
    /// Global to shared memory: `!cute_nvgpu.atom.bulk_copy_g2s<f16 copy_bits = 1024>`.
    pub struct BulkLoad {
        /// The elements.
        value: Element,
        /// The bits of one instruction.
        bits: NonZeroU32,
        /// Whether several blocks get them.
        multicast: bool,
    }
    value " copy_bits = " bits [" mcast = true" if multicast]
}

part! {
    /// Shared to global memory: `!cute_nvgpu.atom.bulk_copy_s2g<f16 copy_bits = 1024>`.
    pub struct BulkStore {
        /// The elements.
        value: Element,
        /// The bits of one instruction.
        bits: NonZeroU32,
        /// Whether a mask says which bytes.
        masked: bool,
    }
    value " copy_bits = " bits [" mask = true" if masked]
}

part! {
    /// To another block's shared memory: `!cute_nvgpu.atom.bulk_copy_s2s<f16 copy_bits = 1024>`.
    pub struct BulkMove {
        /// The elements.
        value: Element,
        /// The bits of one instruction.
        bits: NonZeroU32,
    }
    value " copy_bits = " bits
}

part! {
    /// Registers to another block's shared memory: `!cute_nvgpu.atom.dsmem_store<f16, 128 b>`.
    pub struct ClusterStore {
        /// The elements.
        value: Element,
        /// The bits of one instruction.
        bits: NonZeroU32,
    }
    value ", " bits " b"
}

impl BulkLoad {
    pub(super) fn layouts(&self) -> Result<CopyAtomOf<Fact>, CuteError> {
        one_thread(self.bits, &self.value)
    }
}

impl BulkStore {
    pub(super) fn layouts(&self) -> Result<CopyAtomOf<Fact>, CuteError> {
        one_thread(self.bits, &self.value)
    }
}

impl BulkMove {
    pub(super) fn layouts(&self) -> Result<CopyAtomOf<Fact>, CuteError> {
        one_thread(self.bits, &self.value)
    }
}

impl ClusterStore {
    pub(super) fn layouts(&self) -> Result<CopyAtomOf<Fact>, CuteError> {
        one_thread(self.bits, &self.value)
    }
}
