//! Copies by hardware: tensor copies and the maps that they read, bulk copies, descriptors of matrices, cache policies.
//!
//! Ops of our own, with plain pointers and numbers as operands.

use tilewright_layouts::SwizzleMode;

use crate::core::{Flag, Value};
use crate::isa::rules::forms::Elements;
use crate::isa::{BulkReduction, L2Eviction, TensorMode, TensorRank};

crate::keywords! {
    /// The elements of an array that a tensor copy moves, if they are not a box. (PTX ISA, "Tensors".)
    pub enum TmaMode {
        /// Pixels, each of so many channels, in the order in which a filter meets them.
        Im2col = "im2col",
        /// Four rows, loaded one below the other.
        TileGather4 = "tile_gather4",
        /// Four rows, each stored where its coordinate says.
        TileScatter4 = "tile_scatter4",
    }
}

crate::keywords! {
    /// A tensor map among the parameters of a kernel: 128 bytes, which tensor copies read where they are.
    pub enum TmaDescriptor {
        /// One of boxes.
        Tiled = "cute_nvgpu.tma_descriptor_tiled",
        /// One of pixels.
        Im2col = "cute_nvgpu.tma_descriptor_im2col",
    }
}

crate::dialect! {
    /// Copies by hardware, and what they need.
    pub enum CopiesOp: "copies" {
        /// The descriptor, an i64, of a matrix in shared memory that begins at a pointer; the byte offsets are those of
        /// its canonical layout. (PTX ISA, "Matrix descriptor format" of `wgmma`.)
        MakeGmmaSmemDesc "make_gmma_smem_desc" { pointer: Value, leading: u32, stride: u32, swizzle: SwizzleMode } -> 1, Pure, Free;
        /// Writes a tensor map to 128 bytes of shared memory: an array at `base` with these extents, the innermost first,
        /// and distances in bytes, without that of the innermost, all i64; a copy moves `box_extents` elements along each axis.
        /// If `rounded`, loads round numbers of type `f32` to nearest, ties to even, as numbers of type `tf32`. (PTX ISA,
        /// `tensormap.replace`.)
        MakeTmaDescTiledAt "make_tma_desc_tiled_at" {
            to: Value, base: Value, extents: Vec<Value>, strides: Vec<Value>, box_extents: Vec<u32>, swizzle: SwizzleMode,
            rounded: Flag
        } -> 0, Updates(Shared), Free;
        /// A slot, an i32, that no other block holds until it is released: bit `b` of word `w` of the flags is slot
        /// `w * slots + b`. (For memory that a block keeps while it runs: a block has no index of its own among those
        /// that run.)
        ClaimSlot "claim_slot" { flags: Value, words: u32, slots: u32 } -> 1, Updates(Global, Barrier, Control), Free;
        /// Releases a slot.
        ReleaseSlot "release_slot" { flags: Value, slot: Value, slots: u32 } -> 0, Updates(Global, Barrier), Free;
        /// The entry of a key in a table of tensor maps in global memory: its index, an i32, whether it is complete, and, if it
        /// is not, whether the caller is to fill it, both i1. The key is all that the maps are made from: addresses and i64. One
        /// thread executes it.
        FindTmaDescs "find_tma_descs" { at: Value, key: Vec<Value>, maps: u32, entries: u32 } -> 3, Updates(Global, Barrier), Free;
        /// Completes an entry whose tensor maps have been published: other blocks find it from then on.
        CompleteTmaDescs "complete_tma_descs" { entry: Value, key: Vec<Value>, maps: u32 } -> 0, Updates(Global, Barrier), Free;
        /// Copies a tensor map from shared to global memory, for tensor copies to read; all lanes of a warp execute it.
        /// (PTX ISA, `tensormap.cp_fenceproxy`.)
        PublishTmaDesc "publish_tma_desc" { from: Value, to: Value } -> 0, Reads(Shared) + Updates(Global, Barrier), Free [convergent];
        /// Makes a published tensor map visible to this thread's tensor copies. (PTX ISA, `fence.proxy.tensormap`.)
        AcquireTmaDesc "acquire_tma_desc" { desc: Value } -> 0, Updates(Global, Shared, Barrier), Free;
        /// Fetches a tensor map into the cache. (PTX ISA, `prefetch.tensormap`.)
        PrefetchTmaDesc "prefetch_tma_desc" { desc: Value } -> 0, Writes(Barrier), Free;
        /// Copies the box of an array that begins at a coordinate, i32 with the innermost first, to shared memory, and
        /// counts its bytes at an mbarrier; with a mask, an i16, in each of these blocks of the cluster. In mode `im2col` the
        /// pixels are at `offsets`, i16, from those that begin at the coordinate; in mode `tile_gather4` the coordinate is a
        /// column and four rows. A cache policy, of any copy, is that of `create_policy`. One thread executes it. (PTX
        /// ISA, `cp.async.bulk.tensor`.)
        TmaLoad "tma_load" {
            desc: Value, to: Value, barrier: Value, coord: Vec<Value>, offsets: Vec<Value>, multicast_mask: Option<Value>,
            cache_policy: Option<Value>, mode: Option<TmaMode>
        } -> 0, Reads(Global) + Updates(Shared, Barrier), Free;
        /// Copies a box from shared memory to an array, in a group of bulk copies; in mode `im2col` pixels; in mode
        /// `tile_scatter4` four rows, whose coordinate is a column and each row.
        TmaStore "tma_store" {
            desc: Value, from: Value, coord: Vec<Value>, cache_policy: Option<Value>, mode: Option<TmaMode>
        } -> 0, Reads(Shared) + Updates(Global, Barrier), Free;
        /// Combines a box, or pixels, in shared memory with those of an array, in a group of bulk copies.
        TmaReduce "tma_reduce" {
            desc: Value, from: Value, coord: Vec<Value>, cache_policy: Option<Value>, kind: BulkReduction, mode: Option<TmaMode>
        } -> 0, Reads(Shared) + Updates(Global, Barrier), Free;
        /// Fetches what the load with the same operands copies into the L2 cache. (PTX ISA,
        /// `cp.async.bulk.prefetch.tensor`.)
        TmaPrefetch "tma_prefetch" {
            desc: Value, coord: Vec<Value>, offsets: Vec<Value>, cache_policy: Option<Value>, mode: Option<TmaMode>
        } -> 0, Writes(Barrier), Free;
        /// Copies `size` bytes of global to shared memory, and counts them at an mbarrier; with a mask, an i16, in each of
        /// these blocks of the cluster. Addresses and sizes of this op and the next ones are multiples of 16. One thread
        /// executes it. (PTX ISA, `cp.async.bulk`.)
        BulkCopyG2s "bulk_copy_g2s" {
            from: Value, to: Value, barrier: Value, multicast_mask: Option<Value>, cache_policy: Option<Value>, size: u32
        } -> 0, Reads(Global) + Updates(Shared, Barrier), Free;
        /// Copies `size` bytes of shared to global memory, in a group of bulk copies.
        BulkCopyS2g "bulk_copy_s2g" { from: Value, to: Value, cache_policy: Option<Value>, size: u32 } -> 0, Reads(Shared) + Updates(Global, Barrier), Free;
        /// Copies `size` bytes of shared memory to the place `to` in that of the block of rank `cta_rank`, an i32, whose
        /// mbarrier at the place `barrier` counts them.
        BulkCopyS2s "bulk_copy_s2s" { from: Value, to: Value, barrier: Value, cta_rank: Value, size: u32 } -> 0, Updates(Shared, Barrier), Free;
        /// Fetches `size` bytes of global memory, a multiple of 16, into the L2 cache. (PTX ISA, `cp.async.bulk.prefetch`.)
        BulkPrefetch "bulk_prefetch" { from: Value, cache_policy: Option<Value>, size: u32 } -> 0, Writes(Barrier), Free;
        /// A cache policy, an i64: the priority of a copy's lines when lines of the L2 cache are evicted; with a fraction, an
        /// f32, that of so many of them, while the others have `otherwise`, the usual one without. (PTX ISA,
        /// `createpolicy.fractional`.)
        CreatePolicy "create_policy" { fraction: Option<Value>, eviction: L2Eviction, otherwise: Option<L2Eviction> } -> 1, Pure, Free;
    }
}

impl CopiesOp {
    /// The mode of a tensor copy, if it moves no box.
    pub const fn mode(&self) -> Option<TmaMode> {
        match self {
            Self::TmaLoad { mode, .. }
            | Self::TmaPrefetch { mode, .. }
            | Self::TmaStore { mode, .. }
            | Self::TmaReduce { mode, .. } => *mode,
            _ => None,
        }
    }

    /// The cache policy of a copy.
    pub const fn cache_policy(&self) -> Option<Value> {
        match self {
            Self::TmaLoad { cache_policy, .. }
            | Self::TmaStore { cache_policy, .. }
            | Self::TmaReduce { cache_policy, .. }
            | Self::TmaPrefetch { cache_policy, .. }
            | Self::BulkCopyG2s { cache_policy, .. }
            | Self::BulkCopyS2g { cache_policy, .. }
            | Self::BulkPrefetch { cache_policy, .. } => *cache_policy,
            _ => None,
        }
    }

    /// The elements that a tensor copy moves, as its instruction says it; `None` for other ops, and for ranks that tensors
    /// do not have.
    pub fn elements(&self) -> Option<Elements> {
        let mode = self.mode();
        let (coord, offsets) = match self {
            Self::TmaLoad { coord, offsets, .. } | Self::TmaPrefetch { coord, offsets, .. } => {
                (coord, Some(offsets.len()))
            }
            Self::TmaStore { coord, .. } | Self::TmaReduce { coord, .. } => (coord, None),
            _ => return None,
        };
        let rows = |mode| (Some(mode), Some(TensorRank::D2));
        let of_coord = TensorRank::of(coord.len());
        let (named, rank) = match (mode, offsets) {
            (None, _) | (Some(TmaMode::Im2col), Some(_)) => (None, of_coord),
            (Some(TmaMode::Im2col), None) => (Some(TensorMode::Im2colNoOffs), of_coord),
            (Some(TmaMode::TileGather4), _) => rows(TensorMode::Gather4),
            (Some(TmaMode::TileScatter4), _) => rows(TensorMode::Scatter4),
        };
        Some(Elements {
            rank: rank?,
            mode: named,
            coordinates: coord.len(),
            offsets: offsets.filter(|_| mode == Some(TmaMode::Im2col)),
        })
    }
}
