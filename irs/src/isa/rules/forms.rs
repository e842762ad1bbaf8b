//! Which forms of instructions exist, for passes that choose one before there are registers.
//!
//! The answers come from the rules of the instructions, with as many registers as each form has.

use super::matrix::{Product, ROW_COL, element_bits, mma, registers};
use super::{cluster, when};
use crate::isa::modifiers::*;
use crate::isa::target::{Need, Target};
use crate::isa::types::Type;

pub use super::bulk::Elements;

/// `mma.sync` of dense matrices without scales, row by column; types are those of D, A, B and C. `None` if PTX does not
/// have it, or one instruction computes several products.
pub fn mma_sync(shape: MmaShape, types: [MatrixType; 4]) -> Option<Need> {
    let [_, a, ..] = types;
    let product = Product {
        shape,
        layouts: ROW_COL,
        kind: None,
        satfinite: Satfinite(false),
        types,
        bits: None,
        popc: Popc(false),
    };
    mma(&product, registers(shape, types, element_bits(a), 1))
}

/// `wgmma.mma_async` of dense matrices in shared memory; types are those of D, A and B.
pub fn wgmma(shape: WgmmaShape, types: [MatrixType; 3]) -> Option<Need> {
    let [d, a, _] = types;
    let count = cluster::sums(shape, d);
    let integers = cluster::IntegerProduct {
        shape,
        satfinite: Satfinite(false),
        types,
        bits: None,
        popc: Popc(false),
    };
    let given: &[u32] = match a {
        MatrixType::F16 | MatrixType::Bf16 => &[0, 0],
        _ => &[],
    };
    let transposed = cluster::Transposed { given, operands: 2 };
    cluster::wgmma(shape, types, count, transposed).or_else(|| cluster::wgmma_integer(&integers, count))
}

/// `createpolicy.fractional`.
pub fn create_policy() -> Option<Need> {
    super::bulk::create_policy(None, Type::B64)
}

/// `ldmatrix` of matrices of 8 rows of 16 bytes.
pub fn ldmatrix(count: MatrixCount, trans: Trans) -> Option<Need> {
    super::ldmatrix(
        MatrixShape::M8n8,
        count,
        trans,
        Some(Space::Shared),
        Type::B16,
        count.count(),
    )
}

/// `stmatrix` of matrices of 8 rows of 16 bytes.
pub fn stmatrix(count: MatrixCount, trans: Trans) -> Option<Need> {
    super::stmatrix(
        MatrixShape::M8n8,
        count,
        trans,
        Some(Space::Shared),
        Type::B16,
        count.count(),
    )
}

/// `cp.async` of `size` bytes to shared memory.
pub fn cp_async(size: u32) -> Option<Need> {
    super::cp_async(
        CopyCache::Ca,
        Space::Shared,
        Space::Global,
        CacheHint(false),
        None,
        size,
    )
}

/// `cp.async.bulk.tensor` of boxes.
pub fn tensor_copy() -> Option<Need> {
    let rank = TensorRank::D2;
    tensor_load(Elements {
        rank,
        mode: None,
        coordinates: rank.dimensions(),
        offsets: None,
    })
}

/// `cp.async.bulk.tensor` of these elements to shared memory.
pub fn tensor_load(elements: Elements) -> Option<Need> {
    let (to, from) = (Space::SharedCluster, Space::Global);
    super::tensor_load(elements, to, from, Completion::Mbarrier, Multicast(false))
}

/// `cp.async.bulk.tensor` of these elements to global memory.
pub fn tensor_store(elements: Elements) -> Option<Need> {
    super::tensor_store(elements, Space::Global, Space::SharedCta, Completion::Group)
}

/// `cp.reduce.async.bulk.tensor` of these elements.
pub fn tensor_reduce(elements: Elements) -> Option<Need> {
    super::tensor_reduce(elements, Space::Global, Space::SharedCta, Completion::Group)
}

/// `cp.async.bulk.prefetch.tensor` of these elements.
pub fn tensor_prefetch(elements: Elements) -> Option<Need> {
    super::tensor_prefetch(elements, PrefetchLevel::L2, Space::Global)
}

/// `cp.async.bulk.prefetch` into the L2 cache.
pub fn bulk_prefetch() -> Option<Need> {
    super::bulk_prefetch(Space::Global)
}

/// `griddepcontrol`: grids that depend on each other.
pub fn grid_dependence() -> Option<Need> {
    super::GRID_DEPENDENCE
}

/// Clusters of blocks: their barriers, and the addresses of each other's shared memory.
pub fn clusters() -> Option<Need> {
    let barrier = super::cluster_arrive(None)?;
    when(true, barrier.and(super::mapa(None, Type::U64)?))
}

impl Target {
    /// Whether blocks form clusters.
    pub fn has_clusters(self) -> bool {
        clusters().is_some_and(|need| self.provides(need))
    }
}

/// `setmaxnreg` to this number of registers.
pub fn set_max_registers(count: u32) -> Option<Need> {
    super::setmaxnreg(Type::U32, count)
}

/// `tensormap.replace`, with which a kernel makes tensor maps.
pub fn tensor_maps() -> Option<Need> {
    super::tensormap_field(MapField::GlobalAddress, Some(Space::SharedCta), Type::B64)
}

/// `elect.sync`, groups of bulk copies, fences of mbarriers and of the asynchronous proxy.
pub fn bulk_copies() -> Option<Need> {
    when(true, super::elect(true)?.and(super::HOPPER?))
}

/// Fences, groups and waits of `wgmma.mma_async`.
pub fn warp_groups() -> Option<Need> {
    super::WGMMA
}
