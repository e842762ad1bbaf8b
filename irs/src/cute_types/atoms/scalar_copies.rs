//! Loads and stores of one thread with an order, a scope and hints for caches.

use std::num::NonZeroU32;

use tilewright_layouts::cute::{CopyAtomOf, CuteError, Fact};

use super::layouts::one_thread;
use crate::cute_types::element::Element;
use crate::cute_types::reader::{part, words};

words! {
    /// How an access is ordered among others.
    pub enum MemoryOrder {
        /// Not at all, which the text leaves out.
        Weak = "weak",
        /// By itself.
        Relaxed = "relaxed",
        /// Before later accesses.
        Acquire = "acquire",
        /// After earlier ones.
        Release = "release",
        /// Both.
        AcqRel = "acq_rel",
        /// In one order with all such accesses.
        Sc = "sc",
        /// As input and output.
        Mmio = "mmio",
        /// Of memory that does not change.
        Constant = "constant",
        /// As written.
        Volatile = "volatile",
    }

    /// Among which threads.
    pub enum MemoryScope {
        /// Of the block, which the text leaves out.
        Cta = "cta",
        /// Of the cluster.
        Cluster = "cluster",
        /// Of the device.
        Gpu = "gpu",
        /// Of the system.
        Sys = "sys",
    }

    /// How much the second level of cache fetches.
    pub enum L2Prefetch {
        /// No more.
        None = "none",
        /// Not in use.
        Reserved = "reserved",
        /// 64 bytes.
        B64 = "size_64b",
        /// 128 bytes.
        B128 = "size_128b",
        /// 256 bytes.
        B256 = "size_256b",
    }

    /// What the first level of cache evicts first.
    pub enum Eviction {
        /// What was used longest ago, which the text leaves out.
        Normal = "evict_normal",
        /// This.
        First = "evict_first",
        /// This last.
        Last = "evict_last",
        /// No change.
        Unchanged = "evict_unchanged",
        /// This is not kept.
        NoAllocate = "no_allocate",
    }

    /// Which caches keep what is loaded.
    pub enum LoadCache {
        /// All, which the text leaves out.
        Always = "always",
        /// The second level.
        Global = "global",
        /// All, to be evicted first.
        Streaming = "streaming",
        /// All, for the last time.
        LastUse = "last_use",
        /// None.
        None = "none",
    }

    /// Which caches keep what is stored.
    pub enum StoreCache {
        /// All, which the text leaves out.
        WriteBack = "write_back",
        /// The second level.
        Global = "global",
        /// All, to be evicted first.
        Streaming = "streaming",
        /// None.
        WriteThrough = "write_through",
        /// No hint.
        None = "none",
    }

    /// Whose shared memory.
    pub enum SharedSpace {
        /// The block's, which the text leaves out.
        Cta = "cta",
        /// The cluster's.
        Cluster = "cluster",
    }
}

part! {
    /// Loads from global memory: `!cute_nvgpu.atom.g2r<f16 copy_bits = 128 load_cache_mode = global>`.
    pub struct GlobalLoad {
        /// The elements.
        value: Element,
        /// The bits of one instruction.
        bits: NonZeroU32,
        /// The order.
        order: Option<MemoryOrder>,
        /// The scope.
        scope: Option<MemoryScope>,
        /// What the second level of cache fetches.
        prefetch: Option<L2Prefetch>,
        /// What the first level evicts.
        eviction: Option<Eviction>,
        /// Which caches keep it.
        cache: Option<LoadCache>,
        /// Whose shared memory.
        shared: Option<SharedSpace>,
        /// Whether the memory does not change.
        invariant: bool,
    }
    value " copy_bits = " bits [" mem_order = " order] [" mem_scope = " scope] [" l2_prefetch_size = " prefetch]
    [" l1_cache_evict_priority = " eviction] [" load_cache_mode = " cache] [" shared_space = " shared]
    [" invariant = true" if invariant]
}

part! {
    /// Stores to global memory: `!cute_nvgpu.atom.r2g<f16 copy_bits = 128>`.
    pub struct GlobalStore {
        /// The elements.
        value: Element,
        /// The bits of one instruction.
        bits: NonZeroU32,
        /// The order.
        order: Option<MemoryOrder>,
        /// The scope.
        scope: Option<MemoryScope>,
        /// What the first level evicts.
        eviction: Option<Eviction>,
        /// Which caches keep it.
        cache: Option<StoreCache>,
        /// Whose shared memory.
        shared: Option<SharedSpace>,
    }
    value " copy_bits = " bits [" mem_order = " order] [" mem_scope = " scope]
    [" l1_cache_evict_priority = " eviction] [" store_cache_mode = " cache] [" shared_space = " shared]
}

part! {
    /// Loads from shared memory: `!cute_nvgpu.atom.s2r<f16 copy_bits = 128>`.
    pub struct SharedLoad {
        /// The elements.
        value: Element,
        /// The bits of one instruction.
        bits: NonZeroU32,
        /// The order.
        order: Option<MemoryOrder>,
        /// The scope.
        scope: Option<MemoryScope>,
        /// Whose shared memory.
        shared: Option<SharedSpace>,
    }
    value " copy_bits = " bits [" mem_order = " order] [" mem_scope = " scope] [" shared_space = " shared]
}

part! {
    /// Stores to shared memory: `!cute_nvgpu.atom.r2s<f16 copy_bits = 128>`.
    pub struct SharedStore {
        /// The elements.
        value: Element,
        /// The bits of one instruction.
        bits: NonZeroU32,
        /// The order.
        order: Option<MemoryOrder>,
        /// The scope.
        scope: Option<MemoryScope>,
        /// Whose shared memory.
        shared: Option<SharedSpace>,
    }
    value " copy_bits = " bits [" mem_order = " order] [" mem_scope = " scope] [" shared_space = " shared]
}

impl GlobalLoad {
    pub(super) fn layouts(&self) -> Result<CopyAtomOf<Fact>, CuteError> {
        one_thread(self.bits, &self.value)
    }
}

impl GlobalStore {
    pub(super) fn layouts(&self) -> Result<CopyAtomOf<Fact>, CuteError> {
        one_thread(self.bits, &self.value)
    }
}

impl SharedLoad {
    pub(super) fn layouts(&self) -> Result<CopyAtomOf<Fact>, CuteError> {
        one_thread(self.bits, &self.value)
    }
}

impl SharedStore {
    pub(super) fn layouts(&self) -> Result<CopyAtomOf<Fact>, CuteError> {
        one_thread(self.bits, &self.value)
    }
}
