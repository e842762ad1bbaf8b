//! Instructions that copy and multiply, as the types that choose them.

mod async_copy;
mod block_scaled;
mod bulk_copy;
mod fma;
mod layouts;
mod matrix_copy;
mod mma_parts;
mod mma_sync;
mod scalar_copies;
mod tcgen05;
mod tensor_memory;
mod tma;
mod universal_copy;
mod wgmma;

pub use async_copy::{AsyncCopy, CacheMode};
pub use block_scaled::Sm120BlockScaledMma;
pub use bulk_copy::{BulkLoad, BulkMove, BulkStore, ClusterStore};
pub use fma::UniversalFma;
pub use matrix_copy::{LoadMatrix, MatrixOrder, MatrixPattern, StoreMatrix};
pub use mma_parts::{Collector, Collectors, Elements, FragmentKind, IntOverflow, Major, Majors, MmaShape};
pub use mma_sync::{Sm80Mma, Sm80SparseMma, Sm89Mma};
pub use scalar_copies::{
    Eviction, GlobalLoad, GlobalStore, L2Prefetch, LoadCache, MemoryOrder, MemoryScope, SharedLoad,
    SharedSpace, SharedStore, StoreCache,
};
pub use tcgen05::{
    Sm100BlockScaledMma, Sm100BlockScaledSparseMma, Sm100Mma, Sm100SparseMma, Sm107BlockScaledMma,
    Sm107BlockScaledSparseMma, Sm107Mma, Sm107SparseMma, SparseFormat,
};
pub use tensor_memory::{
    HalfOffset, SharedToTensor, SpreadRows, TensorLoad, TensorLoadCompress, TensorLoadReduce,
    TensorReduction, TensorStore,
};
pub use tma::{
    Gather, GatherArch, Im2colLoad, Im2colStore, Reduction, Scatter, TiledLoad, TiledReduce, TiledStore,
    TmaArch, TmaFormat, TmaLoad, TmaMode, TmaReduce, TmaStore,
};
pub use universal_copy::UniversalCopy;
pub use wgmma::Sm90Mma;

use std::fmt;

use tilewright_layouts::cute::{CopyAtomOf, CuteError, Fact, MmaAtomOf, MmaMatrix};

use super::element::{Float, Number};
use super::reader::{Family, Part, Reader, TypeError, by_word};

by_word! {
    /// A copy instruction.
    pub enum CopyAtom {
        /// Loads and stores of one thread.
        Universal(UniversalCopy) = "cute_nvgpu.atom.universal_copy",
        /// `cp.async`.
        Async(AsyncCopy) = "cute_nvgpu.atom.simt_async_copy",
        /// `ldmatrix`.
        LoadMatrix(LoadMatrix) = "cute_nvgpu.atom.ldsm",
        /// `stmatrix`.
        StoreMatrix(StoreMatrix) = "cute_nvgpu.atom.stsm",
        /// Loads from global memory.
        GlobalLoad(GlobalLoad) = "cute_nvgpu.atom.g2r",
        /// Stores to global memory.
        GlobalStore(GlobalStore) = "cute_nvgpu.atom.r2g",
        /// Loads from shared memory.
        SharedLoad(SharedLoad) = "cute_nvgpu.atom.s2r",
        /// Stores to shared memory.
        SharedStore(SharedStore) = "cute_nvgpu.atom.r2s",
        /// `cp.async.bulk` from global to shared memory.
        BulkLoad(BulkLoad) = "cute_nvgpu.atom.bulk_copy_g2s",
        /// `cp.async.bulk` from shared to global memory.
        BulkStore(BulkStore) = "cute_nvgpu.atom.bulk_copy_s2g",
        /// `cp.async.bulk` to another block's shared memory.
        BulkMove(BulkMove) = "cute_nvgpu.atom.bulk_copy_s2s",
        /// `st.async`: stores to another block's shared memory.
        ClusterStore(ClusterStore) = "cute_nvgpu.atom.dsmem_store",
        /// A tensor map for loads, before it is bound.
        TiledLoad(TiledLoad) = "cute_nvgpu.atom.non_exec_tiled_tma_load",
        /// A tensor map for stores, before it is bound.
        TiledStore(TiledStore) = "cute_nvgpu.atom.non_exec_tiled_tma_store",
        /// A tensor map for reductions, before it is bound.
        TiledReduce(TiledReduce) = "cute_nvgpu.atom.non_exec_tiled_tma_reduce",
        /// A tensor map of an image for loads, before it is bound.
        Im2colLoad(Im2colLoad) = "cute_nvgpu.atom.non_exec_im2col_tma_load",
        /// A tensor map of an image for stores, before it is bound.
        Im2colStore(Im2colStore) = "cute_nvgpu.atom.non_exec_im2col_tma_store",
        /// A tensor map for loads of four rows, before it is bound.
        Gather(Gather) = "cute_nvgpu.atom.non_exec_2d_gather4_tma_load",
        /// A tensor map for stores of four rows, before it is bound.
        Scatter(Scatter) = "cute_nvgpu.atom.non_exec_2d_scatter4_tma_store",
        /// Loads by a tensor map.
        TmaLoad(TmaLoad) = "cute_nvgpu.atom.tma_load",
        /// Stores by a tensor map.
        TmaStore(TmaStore) = "cute_nvgpu.atom.tma_store",
        /// Reductions by a tensor map.
        TmaReduce(TmaReduce) = "cute_nvgpu.atom.tma_reduce",
        /// `tcgen05.ld`.
        TensorLoad(TensorLoad) = "cute_nvgpu.atom.tmem_load",
        /// `tcgen05.ld.red`.
        TensorLoadReduce(TensorLoadReduce) = "cute_nvgpu.atom.tmem_load_red",
        /// `tcgen05.ld` that compresses.
        TensorLoadCompress(TensorLoadCompress) = "cute_nvgpu.atom.tmem_load_spcompress",
        /// `tcgen05.st`.
        TensorStore(TensorStore) = "cute_nvgpu.atom.tmem_store",
        /// `tcgen05.cp`.
        SharedToTensor(SharedToTensor) = "cute_nvgpu.atom.s2t_copy",
    }
}

by_word! {
    /// A matrix-multiply instruction.
    pub enum MmaAtom {
        /// A multiply-add of one thread.
        Fma(UniversalFma) = "cute_nvgpu.atom.universal_fma",
        /// `mma.sync`.
        Sm80(Sm80Mma) = "cute_nvgpu.sm80.mma",
        /// `mma.sp.sync`.
        Sm80Sparse(Sm80SparseMma) = "cute_nvgpu.sm80.sparse_mma",
        /// `mma.sync` of 8-bit floats.
        Sm89(Sm89Mma) = "cute_nvgpu.sm89.mma",
        /// `wgmma`.
        Sm90(Sm90Mma) = "cute_nvgpu.sm90.mma",
        /// `tcgen05.mma`.
        Sm100(Sm100Mma) = "cute_nvgpu.sm100.mma",
        /// `tcgen05.mma.block_scale`.
        Sm100BlockScaled(Sm100BlockScaledMma) = "cute_nvgpu.sm100.mma_bs",
        /// `tcgen05.mma.sp`.
        Sm100Sparse(Sm100SparseMma) = "cute_nvgpu.sm100.mma_sp",
        /// `tcgen05.mma.sp.block_scale`.
        Sm100BlockScaledSparse(Sm100BlockScaledSparseMma) = "cute_nvgpu.sm100.mma_bs_sp",
        /// `tcgen05.mma` of sm_107.
        Sm107(Sm107Mma) = "cute_nvgpu.sm107.mma",
        /// `tcgen05.mma.block_scale` of sm_107.
        Sm107BlockScaled(Sm107BlockScaledMma) = "cute_nvgpu.sm107.mma_bs",
        /// `tcgen05.mma.sp` of sm_107.
        Sm107Sparse(Sm107SparseMma) = "cute_nvgpu.sm107.mma_sp",
        /// `tcgen05.mma.sp.block_scale` of sm_107.
        Sm107BlockScaledSparse(Sm107BlockScaledSparseMma) = "cute_nvgpu.sm107.mma_bs_sp",
        /// `mma.sync.block_scale`.
        Sm120BlockScaled(Sm120BlockScaledMma) = "cute_nvgpu.SM120.mma_bs",
    }
}

impl Part for CopyAtom {
    fn read(reader: &mut Reader<'_>) -> Result<Self, TypeError> {
        Self::read_one(reader, "a copy, as `!cute_nvgpu.atom.universal_copy<f16>`")
    }
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_one(f)
    }
}

impl Part for MmaAtom {
    fn read(reader: &mut Reader<'_>) -> Result<Self, TypeError> {
        Self::read_one(reader, "a product, as `!cute_nvgpu.sm80.mma<…>`")
    }
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_one(f)
    }
}

impl CopyAtom {
    /// Whether something of the instruction is known only at run time, as the address of its tensor map.
    pub fn has_fields(&self) -> bool {
        match self {
            Self::Universal(_)
            | Self::Async(_)
            | Self::LoadMatrix(_)
            | Self::StoreMatrix(_)
            | Self::SharedLoad(_)
            | Self::SharedStore(_)
            | Self::TensorLoad(_)
            | Self::TensorLoadReduce(_)
            | Self::TensorLoadCompress(_)
            | Self::TensorStore(_)
            | Self::SharedToTensor(_) => false,
            Self::GlobalLoad(_)
            | Self::GlobalStore(_)
            | Self::BulkLoad(_)
            | Self::BulkStore(_)
            | Self::BulkMove(_)
            | Self::ClusterStore(_)
            | Self::TiledLoad(_)
            | Self::TiledStore(_)
            | Self::TiledReduce(_)
            | Self::Im2colLoad(_)
            | Self::Im2colStore(_)
            | Self::Gather(_)
            | Self::Scatter(_)
            | Self::TmaLoad(_)
            | Self::TmaStore(_)
            | Self::TmaReduce(_) => true,
        }
    }

    /// Which thread copies which element, at the source, at the destination and as the reference of both. `None` for
    /// instructions whose types do not say it.
    pub fn layouts(&self) -> Option<Result<CopyAtomOf<Fact>, CuteError>> {
        match self {
            Self::Universal(atom) => Some(atom.layouts()),
            Self::Async(atom) => Some(atom.layouts()),
            Self::LoadMatrix(atom) => atom.layouts(),
            Self::StoreMatrix(atom) => atom.layouts(),
            Self::GlobalLoad(atom) => Some(atom.layouts()),
            Self::GlobalStore(atom) => Some(atom.layouts()),
            Self::SharedLoad(atom) => Some(atom.layouts()),
            Self::SharedStore(atom) => Some(atom.layouts()),
            Self::BulkLoad(atom) => Some(atom.layouts()),
            Self::BulkStore(atom) => Some(atom.layouts()),
            Self::BulkMove(atom) => Some(atom.layouts()),
            Self::ClusterStore(atom) => Some(atom.layouts()),
            Self::TensorLoad(atom) => atom.layouts(),
            Self::TensorStore(atom) => atom.layouts(),
            Self::SharedToTensor(atom) => atom.layouts(),
            Self::TiledLoad(_)
            | Self::TiledStore(_)
            | Self::TiledReduce(_)
            | Self::Im2colLoad(_)
            | Self::Im2colStore(_)
            | Self::Gather(_)
            | Self::Scatter(_)
            | Self::TmaLoad(_)
            | Self::TmaStore(_)
            | Self::TmaReduce(_)
            | Self::TensorLoadReduce(_)
            | Self::TensorLoadCompress(_) => None,
        }
    }
}

impl MmaAtom {
    /// Whether something of the instruction is known only at run time, as whether it adds to C.
    pub fn has_fields(&self) -> bool {
        match self {
            Self::Fma(_) | Self::Sm80(_) | Self::Sm89(_) => false,
            Self::Sm80Sparse(_)
            | Self::Sm90(_)
            | Self::Sm100(_)
            | Self::Sm100BlockScaled(_)
            | Self::Sm100Sparse(_)
            | Self::Sm100BlockScaledSparse(_)
            | Self::Sm107(_)
            | Self::Sm107BlockScaled(_)
            | Self::Sm107Sparse(_)
            | Self::Sm107BlockScaledSparse(_)
            | Self::Sm120BlockScaled(_) => true,
        }
    }

    /// The elements of a matrix.
    pub fn element(&self, matrix: MmaMatrix) -> Number {
        let elements = match self {
            Self::Fma(UniversalFma { a, b, c, .. }) => Elements { a: *a, b: *b, c: *c },
            Self::Sm80(Sm80Mma { elements, .. })
            | Self::Sm80Sparse(Sm80SparseMma { elements, .. })
            | Self::Sm89(Sm89Mma { elements, .. })
            | Self::Sm90(Sm90Mma { elements, .. })
            | Self::Sm100(Sm100Mma { elements, .. })
            | Self::Sm100BlockScaled(Sm100BlockScaledMma { elements, .. })
            | Self::Sm100Sparse(Sm100SparseMma { elements, .. })
            | Self::Sm100BlockScaledSparse(Sm100BlockScaledSparseMma { elements, .. })
            | Self::Sm107(Sm107Mma { elements, .. })
            | Self::Sm107BlockScaled(Sm107BlockScaledMma { elements, .. })
            | Self::Sm107Sparse(Sm107SparseMma { elements, .. })
            | Self::Sm107BlockScaledSparse(Sm107BlockScaledSparseMma { elements, .. })
            | Self::Sm120BlockScaled(Sm120BlockScaledMma { elements, .. }) => elements.clone(),
        };
        match matrix {
            MmaMatrix::A => elements.a,
            MmaMatrix::B => elements.b,
            MmaMatrix::C => elements.c,
        }
    }

    /// The elements of a fragment of a matrix. `mma.sync` reads numbers of type `tf32` as the bits that registers have.
    pub fn fragment_element(&self, matrix: MmaMatrix) -> Number {
        match (self, matrix, self.element(matrix)) {
            (Self::Sm80(_), MmaMatrix::A | MmaMatrix::B, Number::Float(Float::TF32)) => Number::I32,
            (_, _, number) => number,
        }
    }

    /// Which thread or block holds which elements of A, B and C. `None` for instructions whose types do not say it.
    pub fn layouts(&self) -> Option<Result<MmaAtomOf<Fact>, CuteError>> {
        match self {
            Self::Fma(atom) => Some(atom.layouts()),
            Self::Sm80(atom) => Some(atom.layouts()),
            Self::Sm89(atom) => Some(atom.layouts()),
            Self::Sm90(atom) => Some(atom.layouts()),
            Self::Sm120BlockScaled(atom) => Some(atom.layouts()),
            Self::Sm100(Sm100Mma { shape, blocks, .. })
            | Self::Sm100BlockScaled(Sm100BlockScaledMma { shape, blocks, .. })
            | Self::Sm107(Sm107Mma { shape, blocks, .. })
            | Self::Sm107BlockScaled(Sm107BlockScaledMma { shape, blocks, .. }) => {
                Some(layouts::blocks(*shape, *blocks))
            }
            Self::Sm80Sparse(_)
            | Self::Sm100Sparse(_)
            | Self::Sm100BlockScaledSparse(_)
            | Self::Sm107Sparse(_)
            | Self::Sm107BlockScaledSparse(_) => None,
        }
    }
}
