//! Bulk copies, and copies of tensors.
//!
//! Source: PTX ISA, "Asynchronous bulk copies", "Tensor copies" and "tensormap".

use super::{BLACKWELL, scope_need, space_need, when};
use crate::isa::modifiers::*;
use crate::isa::target::{Need, Target};
use crate::isa::types::Type;

/// Features introduced with Hopper.
pub(in crate::isa) const HOPPER: Option<Need> = Some(Need::new(8, 0, 90));

const SM_90: Need = Need::new(8, 0, 90);

/// Copies to the block's own memory rather than the cluster's were introduced later.
fn target_need(to: Space) -> Need {
    match to {
        Space::SharedCta => Need::new(8, 6, 90),
        _ => Need::BASE,
    }
}

pub(in crate::isa) fn bulk_load(
    to: Space,
    from: Space,
    completion: Completion,
    multicast: Multicast,
    hint: CacheHint,
) -> Option<Need> {
    let exists = match from {
        Space::Global => to == Space::SharedCluster || (to == Space::SharedCta && !multicast.0),
        Space::SharedCta => to == Space::SharedCluster && !multicast.0 && !hint.0,
        _ => false,
    };
    when(
        exists && completion == Completion::Mbarrier,
        SM_90.and(target_need(to)),
    )
}

pub(in crate::isa) fn bulk_store(
    to: Space,
    from: Space,
    completion: Completion,
    masked: CopyMask,
) -> Option<Need> {
    let need = if masked.0 { Need::new(8, 6, 100) } else { SM_90 };
    when(
        to == Space::Global && from == Space::SharedCta && completion == Completion::Group,
        need,
    )
}

pub(in crate::isa) fn bulk_reduce(
    to: Space,
    from: Space,
    completion: Completion,
    op: BulkReduction,
    noftz: Noftz,
    ty: Type,
) -> Option<Need> {
    use BulkReduction as R;
    use Type::*;
    let half = matches!(ty, F16 | Bf16);
    let exists = match op {
        R::Add => matches!(ty, U32 | S32 | U64 | F32 | F64) || half,
        R::Min | R::Max => matches!(ty, U32 | S32 | U64 | S64) || half,
        R::Inc | R::Dec => ty == U32,
        R::And | R::Or | R::Xor => matches!(ty, B32 | B64),
    };
    bulk_store(to, from, completion, CopyMask(false)).filter(|_| exists && noftz.0 == (half && op == R::Add))
}

pub(in crate::isa) fn bulk_reduce_cluster(
    to: Space,
    from: Space,
    completion: Completion,
    op: BulkReduction,
    ty: Type,
) -> Option<Need> {
    let spaces = to == Space::SharedCluster && from == Space::SharedCta;
    when(
        spaces && completion == Completion::Mbarrier && shared_reduction(op, ty),
        SM_90,
    )
}

/// The reductions in the cluster's shared memory.
pub(super) fn shared_reduction(op: BulkReduction, ty: Type) -> bool {
    use BulkReduction as R;
    use Type::*;
    match op {
        R::Add => matches!(ty, U32 | S32 | U64),
        R::Min | R::Max => matches!(ty, U32 | S32),
        R::Inc | R::Dec => ty == U32,
        R::And | R::Or | R::Xor => ty == B32,
    }
}

pub(in crate::isa) fn bulk_prefetch(from: Space) -> Option<Need> {
    when(from == Space::Global, SM_90)
}

/// The elements of a tensor that a copy selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Elements {
    /// The rank of the tensor.
    pub rank: TensorRank,
    /// The mode, if the instruction names one.
    pub mode: Option<TensorMode>,
    /// The number of coordinates.
    pub coordinates: usize,
    /// The number of offsets from where a filter begins, in a load of pixels.
    pub offsets: Option<usize>,
}

impl Elements {
    /// The requirements, if it is a box, or the mode of these.
    fn need(self, others: &[TensorMode]) -> Option<Need> {
        let rank = self.rank.dimensions();
        // Beside the spatial dimensions there are that of the channels and that of the batch.
        let spatial = rank.checked_sub(2).filter(|spatial| *spatial > 0);
        let (wanted, exists, need) = match (self.mode, self.offsets) {
            (None | Some(TensorMode::Tile), None) => (rank, true, SM_90),
            (None, Some(offsets)) => (rank, spatial == Some(offsets), SM_90),
            (Some(mode @ TensorMode::Im2colNoOffs), None) => {
                (rank, spatial.is_some() && others.contains(&mode), SM_90)
            }
            // A column and four rows.
            (Some(mode @ (TensorMode::Gather4 | TensorMode::Scatter4)), None) => {
                let need =
                    Need::on(8, 6, Target::sm_a(100))
                        .or(8, 8, Target::sm_f(100))
                        .or(9, 0, Target::sm_f(110));
                (5, rank == 2 && others.contains(&mode), need)
            }
            (Some(_), Some(_)) => return None,
        };
        when(exists && self.coordinates == wanted, need)
    }
}

pub(in crate::isa) fn tensor_load(
    elements: Elements,
    to: Space,
    from: Space,
    completion: Completion,
    multicast: Multicast,
) -> Option<Need> {
    let need = elements.need(&[TensorMode::Gather4])?;
    let to_shared = to == Space::SharedCluster || (to == Space::SharedCta && !multicast.0);
    when(
        from == Space::Global && to_shared && completion == Completion::Mbarrier,
        need.and(target_need(to)),
    )
}

fn from_shared(to: Space, from: Space, completion: Completion) -> bool {
    to == Space::Global && from == Space::SharedCta && completion == Completion::Group
}

pub(in crate::isa) fn tensor_store(
    elements: Elements,
    to: Space,
    from: Space,
    completion: Completion,
) -> Option<Need> {
    let need = elements.need(&[TensorMode::Scatter4, TensorMode::Im2colNoOffs])?;
    when(from_shared(to, from, completion), need)
}

pub(in crate::isa) fn tensor_reduce(
    elements: Elements,
    to: Space,
    from: Space,
    completion: Completion,
) -> Option<Need> {
    let need = elements.need(&[TensorMode::Im2colNoOffs])?;
    when(from_shared(to, from, completion), need)
}

pub(in crate::isa) fn tensor_prefetch(elements: Elements, level: PrefetchLevel, from: Space) -> Option<Need> {
    let need = elements.need(&[TensorMode::Gather4])?;
    when(level == PrefetchLevel::L2 && from == Space::Global, need)
}

/// `tensormap.replace` requires an architecture with a TMA.
fn replace(space: Option<Space>, ty: Type, wanted: Type) -> Option<Need> {
    let spaces = matches!(space, None | Some(Space::Global | Space::SharedCta));
    let need = Need::on(8, 3, Target::sm_a(90))
        .or(8, 6, Target::sm_a(100))
        .or(8, 8, Target::sm_f(100))
        .or(8, 7, Target::sm_a(120))
        .or(8, 8, Target::sm_f(120))
        .or(9, 0, Target::sm_f(110));
    when(spaces && ty == wanted, need)
}

pub(in crate::isa) fn tensormap_field(field: MapField, space: Option<Space>, ty: Type) -> Option<Need> {
    let wanted = match field {
        MapField::GlobalAddress => Type::B64,
        MapField::Rank => Type::B32,
    };
    replace(space, ty, wanted)
}

pub(in crate::isa) fn tensormap_extent(
    field: MapExtent,
    space: Option<Space>,
    ty: Type,
    dimension: u32,
) -> Option<Need> {
    let wanted = match field {
        MapExtent::GlobalStride => Type::B64,
        MapExtent::BoxDim | MapExtent::GlobalDim | MapExtent::ElementStride => Type::B32,
    };
    replace(space, ty, wanted).filter(|_| dimension < 5)
}

pub(in crate::isa) fn tensormap_choice(
    field: MapChoice,
    space: Option<Space>,
    ty: Type,
    choice: u32,
) -> Option<Need> {
    let choices = match field {
        MapChoice::ElementType => 16,
        MapChoice::InterleaveLayout => 3,
        MapChoice::SwizzleMode => 5,
        MapChoice::SwizzleAtomicity => 4,
        MapChoice::FillMode => 2,
    };
    let need = replace(space, ty, Type::B32).filter(|_| choice < choices)?;
    Some(match field {
        MapChoice::SwizzleAtomicity => BLACKWELL,
        MapChoice::SwizzleMode if choice == 4 => BLACKWELL,
        MapChoice::ElementType if choice > 12 => BLACKWELL,
        _ => need,
    })
}

pub(in crate::isa) fn tensormap_publish(scope: Scope, size: u32) -> Option<Need> {
    when(size == 128, Need::new(8, 3, 90).and(scope_need(Some(scope))))
}

pub(in crate::isa) fn prefetch(space: Option<Space>, level: PrefetchLevel) -> Option<Need> {
    use PrefetchLevel as L;
    match (space, level) {
        (None | Some(Space::Global | Space::Local), L::L1 | L::L2) => Some(Need::BASE),
        (Some(Space::Global), L::L2EvictLast | L::L2EvictNormal) => Some(Need::new(7, 4, 80)),
        _ => None,
    }
}

pub(in crate::isa) fn create_policy(second: Option<L2Eviction>, ty: Type) -> Option<Need> {
    let seconds = matches!(second, None | Some(L2Eviction::First | L2Eviction::Unchanged));
    when(ty == Type::B64 && seconds, Need::new(7, 4, 80))
}

pub(in crate::isa) fn fence_proxy(proxy: Proxy, space: Option<Space>) -> Option<Need> {
    match (proxy, space) {
        (Proxy::Alias, None) => Some(Need::new(7, 5, 70)),
        (Proxy::Async, None | Some(Space::Global | Space::SharedCta | Space::SharedCluster)) => {
            Some(SM_90.and(space_need(space)))
        }
        _ => None,
    }
}

pub(in crate::isa) fn fence_tensormap(order: FenceOrder, wanted: FenceOrder, scope: Scope) -> Option<Need> {
    when(order == wanted, Need::new(8, 3, 90).and(scope_need(Some(scope))))
}

pub(in crate::isa) fn fence_restrict(
    order: FenceOrder,
    restrict: SyncRestrict,
    scope: Scope,
) -> Option<Need> {
    let exists = matches!(
        (order, restrict),
        (FenceOrder::Acquire, SyncRestrict::Cluster) | (FenceOrder::Release, SyncRestrict::Cta)
    );
    when(exists && scope == Scope::Cluster, Need::new(8, 6, 90))
}
