//! Fragments: the elements of a tile held by one thread, and addresses from linear layouts.

use super::cute_nvgpu::{MatrixOrder, MmaSync};
use super::memory::{AtomicOp, AtomicOrder, LoadPolicy, MemoryOrder, MemoryScope, PrefetchSize, StorePolicy};
use super::warpgroup_mma::WarpgroupMma;
use crate::core::{Flag, Value};

crate::dialect! {
    /// Fragments (a thread's registers as a vector), and the map of a linear layout.
    pub enum FragmentOp: "fragment" {
        /// Applies a linear layout to a coordinate (an i32): the exclusive or of `bases[i]` over the set bits `i`.
        /// The bases may have any sign; bits beyond the last basis are ignored.
        LinearIndex "linear_index" { coord: Value, bases: Vec<i64> } -> 1, Pure, Free;
        /// A fragment of one repeated value.
        Splat "splat" { source: Value } -> 1, Pure, Free [free];
        /// A fragment whose element `i` is element `from[i]` of the source.
        Rearrange "rearrange" { source: Value, from: Vec<u32> } -> 1, Pure, Free [free];
        /// Element `index` of a fragment.
        Extract "extract" { source: Value, index: u32 } -> 1, Pure, Free [free];
        /// A fragment of these elements.
        Make "make" { elements: Vec<Value> } -> 1, Pure, Free [free];
        /// The address of a byte offset in the block's shared memory.
        SharedPtr "shared_ptr" { offset: u32 } -> 1, Pure, Free [free];
        /// Moves a pointer (or each of a fragment of pointers) by a signed number of elements, an i32 or an i64.
        AddOffset "add_offset" { pointer: Value, offset: Value } -> 1, Pure, Free [elementwise];
        /// Loads vectors of `vector` consecutive elements: group `g` of the result comes from `pointer + offsets[g]`
        /// (in elements), where `pointer` is one pointer, or a fragment with one per group. The predicate, one i1 or
        /// one per group, selects the groups that are loaded; the others are `other`, or unspecified without one. The cache
        /// policy is the i64 of a policy of the L2 cache, as for tensor copies.
        Load "load" {
            pointer: Value, pred: Option<Value>, other: Option<Value>, cache_policy: Option<Value>,
            offsets: Vec<i64>, vector in Layout: u32, order: MemoryOrder, scope: Option<MemoryScope>, cache: Option<LoadPolicy>,
            prefetch: Option<PrefetchSize>
        } -> 1, Reads(Global, Shared), Free;
        /// Stores vectors like `fragment.load`.
        Store "store" {
            pointer: Value, value: Value, pred: Option<Value>, cache_policy: Option<Value>,
            offsets: Vec<i64>, vector in Layout: u32, order: MemoryOrder, scope: Option<MemoryScope>, cache: Option<StorePolicy>
        } -> 0, Writes(Global, Shared), Free;
        /// Atomically replaces each element that `fragment.store` would store to by `op` of it and the value's, and yields the
        /// old elements. Each element of a vector is accessed by itself. Where the predicate is false, nothing is accessed
        /// and the result is unspecified.
        AtomicRmw "atomic_rmw" {
            pointer: Value, value: Value, pred: Option<Value>,
            offsets: Vec<i64>, vector in Layout: u32, op: AtomicOp, order: AtomicOrder, scope: MemoryScope
        } -> 1, Updates(Global, Barrier), Free;
        /// Atomic compare-and-swap, one pointer for each element: stores the value if memory holds the bits of
        /// `compare`, and yields the old elements; `compare` where the predicate is false.
        AtomicCas "atomic_cas" {
            pointer: Value, compare: Value, value: Value, pred: Option<Value>, order: AtomicOrder, scope: MemoryScope
        } -> 1, Updates(Global, Barrier), Free;
        /// Loads vectors like `fragment.load` through a multicast address: each element is `op` of all its replicas. (PTX
        /// ISA, `multimem.ld_reduce`.)
        MultimemLoad "multimem_load" {
            pointer: Value, pred: Option<Value>, other: Option<Value>,
            offsets: Vec<i64>, vector in Layout: u32, op: AtomicOp, order: MemoryOrder, scope: Option<MemoryScope>
        } -> 1, Reads(Global), Free;
        /// Stores vectors like `fragment.store` to all replicas behind a multicast address. (PTX ISA, `multimem.st`.)
        MultimemStore "multimem_store" {
            pointer: Value, value: Value, pred: Option<Value>,
            offsets: Vec<i64>, vector in Layout: u32, order: MemoryOrder, scope: Option<MemoryScope>
        } -> 0, Writes(Global), Free;
        /// Atomically replaces each element that `fragment.multimem_store` would store to by `op` of it and the value's, in
        /// all replicas. (PTX ISA, `multimem.red`.)
        MultimemReduce "multimem_reduce" {
            pointer: Value, value: Value, pred: Option<Value>,
            offsets: Vec<i64>, vector in Layout: u32, op: AtomicOp, order: MemoryOrder, scope: Option<MemoryScope>
        } -> 0, Updates(Global, Barrier), Free;
        /// Copies vectors of `vector` consecutive elements from global to shared memory, asynchronously: group `g`
        /// from `source + source_offsets[g]` to `to + offsets[g]`, each with one pointer or one per group. Where the
        /// predicate, one i1 or one per group, is false, zeros are stored. With `sizes`, one i32 or one per group, only so many bytes
        /// of a group are read, and zeros are stored for the others. (PTX ISA, `cp.async`.)
        CopyAsync "copy_async" {
            to: Value, source: Value, pred: Option<Value>, sizes: Option<Value>, cache_policy: Option<Value>, offsets: Vec<i64>,
            source_offsets: Vec<i64>, vector in Layout: u32, prefetch: Option<PrefetchSize>
        } -> 0, Reads(Global) + Writes(Shared, Barrier), Free;
        /// Loads matrices of 8 rows of 16 bytes, to which the warp's lanes point, 4 bytes of each per thread: matrices from
        /// `g * count` on from `pointer + offsets[g]`. Elements have 8, 16 or 32 bits; transposed ones 16. (PTX ISA,
        /// `ldmatrix`.)
        LoadMatrix "load_matrix" { pointer: Value, offsets: Vec<i64>, count: u32, order: MatrixOrder } -> 1, Reads(Shared), Free [convergent];
        /// Stores 8x8 matrices of 16-bit elements to rows that the warp's lanes point to, two elements of each from a
        /// thread: matrices `g * count` and on at `pointer + offsets[g]`; all threads of a warp have the same `pred`.
        /// (PTX ISA, `stmatrix`.)
        StoreMatrix "store_matrix" { pointer: Value, value: Value, pred: Option<Value>, offsets: Vec<i64>, count: u32, order: MatrixOrder } -> 0, Writes(Shared), Free [convergent];
        /// The product of a warp's fragments, `a * b + c`, in the order of the instruction's registers.
        Mma "mma" { a: Value, b: Value, c: Value, atom: MmaSync } -> 1, Pure, Free [convergent, expensive];
        /// Separates accesses to registers from the warp group's products that follow. Yields the 32-bit registers of each
        /// value, for products to read or update. (PTX ISA, `wgmma.fence`.)
        WgmmaFence "wgmma_fence" { values: Vec<Value> } -> *, Updates(Shared, Barrier), Free [convergent];
        /// Begins the product of a warp group, `a * b + c`: `b` is a matrix descriptor, and so is `a` unless it is in
        /// registers that a fence gave; `c` are registers that a fence or another product gave. Nothing but
        /// a further product may use the result before the wait. A `first` product of a sum does not add `c`, which only
        /// says in which registers the sum is. (PTX ISA, `wgmma.mma_async`.)
        Wgmma "wgmma" { a: Value, b: Value, c: Value, atom: WarpgroupMma, first: Flag } -> 1, Reads(Shared) + Writes(Barrier), Free [convergent, expensive];
        /// Makes a group of the products since the last one. (PTX ISA, `wgmma.commit_group`.)
        WgmmaCommit "wgmma_commit" {} -> 0, Writes(Barrier), Free [convergent];
        /// Waits until at most `in_flight` of the latest groups of products are pending. Yields the elements of results
        /// that are then complete. (PTX ISA, `wgmma.wait_group`.)
        WgmmaWait "wgmma_wait" { values: Vec<Value>, in_flight in Staging: u32 } -> *, Updates(Shared, Barrier), Free [convergent];
    }
}
