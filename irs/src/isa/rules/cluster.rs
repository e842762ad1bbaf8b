//! Warp groups, clusters of blocks, and dependent grids.
//!
//! Source: PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions", "mapa", "barrier.cluster", "griddepcontrol",
//! "clusterlaunchcontrol".

use super::bulk::shared_reduction;
use super::matrix::selects;
use super::{BLACKWELL, when, width_need};
use crate::isa::limits;
use crate::isa::modifiers::*;
use crate::isa::target::{Need, Target};
use crate::isa::types::Type;

const SM_90A: Need = Need::on(8, 0, Target::sm_a(90));

pub(in crate::isa) const WGMMA: Option<Need> = Some(SM_90A);
pub(in crate::isa) const GRID_DEPENDENCE: Option<Need> = Some(Need::new(7, 8, 90));

/// The number of registers of D per thread of the warp group; 16-bit floats are packed in pairs.
pub(super) fn sums(shape: WgmmaShape, ty: MatrixType) -> usize {
    let elements = 64 * usize::from(shape.n) / 128;
    if ty == MatrixType::F16 {
        elements / 2
    } else {
        elements
    }
}

/// The transposition flags, 0 or 1, of the operands in shared memory, as many as the instruction has.
pub(in crate::isa) struct Transposed<'a> {
    pub(in crate::isa) given: &'a [u32],
    /// The number of operands in shared memory.
    pub(in crate::isa) operands: usize,
}

impl Transposed<'_> {
    /// Whether the flags are valid: one for each operand in shared memory if elements have two bytes, else none.
    fn exist(&self, transposable: bool) -> bool {
        let wanted = if transposable { self.operands } else { 0 };
        self.given.len() == wanted && self.given.iter().all(|&transposed| transposed <= 1)
    }
}

pub(in crate::isa) fn wgmma(
    shape: WgmmaShape,
    [d, a, b]: [MatrixType; 3],
    registers: usize,
    transposed: Transposed<'_>,
) -> Option<Need> {
    use MatrixType as M;
    let (k, sum, transposable) = match (a, b) {
        (M::F16, M::F16) => (16, matches!(d, M::F16 | M::F32), true),
        (M::Bf16, M::Bf16) => (16, d == M::F32, true),
        (M::Tf32, M::Tf32) => (8, d == M::F32, false),
        (M::E4m3 | M::E5m2, M::E4m3 | M::E5m2) => (32, matches!(d, M::F16 | M::F32), false),
        _ => return None,
    };
    let columns = shape.n.is_multiple_of(8) && (8..=256).contains(&shape.n);
    when(
        sum && transposed.exist(transposable) && columns && shape.k == k && registers == sums(shape, d),
        SM_90A,
    )
}

/// The modifiers of a matrix product of integers or bits; types are those of D, A and B.
pub(in crate::isa) struct IntegerProduct {
    pub(in crate::isa) shape: WgmmaShape,
    pub(in crate::isa) satfinite: Satfinite,
    pub(in crate::isa) types: [MatrixType; 3],
    pub(in crate::isa) bits: Option<BitProduct>,
    pub(in crate::isa) popc: Popc,
}

pub(in crate::isa) fn wgmma_integer(product: &IntegerProduct, registers: usize) -> Option<Need> {
    use MatrixType as M;
    let &IntegerProduct {
        shape,
        satfinite,
        types: [d, a, b],
        bits,
        popc,
    } = product;
    let (k, words, need) = match (a, b) {
        (M::S8, M::S8) | (M::U8, M::U8) => (32, bits.is_none() && !popc.0, SM_90A),
        (M::S8, M::U8) | (M::U8, M::S8) => (32, bits.is_none() && !popc.0, Need::on(8, 4, Target::sm_a(90))),
        (M::B1, M::B1) => (
            256,
            bits == Some(BitProduct::And) && popc.0 && !satfinite.0,
            SM_90A,
        ),
        _ => return None,
    };
    // Beyond 32 columns, integers have every other shape.
    let columns = match shape.n {
        8 | 24 => true,
        n => n.is_multiple_of(16) && (16..=256).contains(&n),
    };
    when(
        words && d == M::S32 && columns && shape.k == k && registers == sums(shape, d),
        need,
    )
}

/// What sparse products of a warp group need beyond the dense ones.
const SPARSE: Need = Need::on(8, 2, Target::sm_a(90));

/// Whether the selector of the metadata is valid. In products of a warp group, A has four registers per lane.
fn selects_metadata(a: MatrixType, selector: u32) -> bool {
    selects(a, 4, selector)
}

/// A sparse product has the fragments of the dense product with half its K.
pub(in crate::isa) fn wgmma_sparse(
    shape: WgmmaShape,
    types: [MatrixType; 3],
    registers: usize,
    selector: u32,
    transposed: Transposed<'_>,
) -> Option<Need> {
    let need = wgmma(shape.halved()?, types, registers, transposed)?;
    when(selects_metadata(types[1], selector), need.and(SPARSE))
}

pub(in crate::isa) fn wgmma_sparse_integer(
    shape: WgmmaShape,
    satfinite: Satfinite,
    types: [MatrixType; 3],
    registers: usize,
    selector: u32,
) -> Option<Need> {
    let dense = IntegerProduct {
        shape: shape.halved()?,
        satfinite,
        types,
        bits: None,
        popc: Popc(false),
    };
    let need = wgmma_integer(&dense, registers)?;
    when(selects_metadata(types[1], selector), need.and(SPARSE))
}

pub(in crate::isa) fn setmaxnreg(ty: Type, count: u32) -> Option<Need> {
    let counts = limits::SETMAXNREG.contains(count);
    let need = SM_90A
        .or(8, 6, Target::sm_a(100))
        .or(8, 8, Target::sm_f(100))
        .or(8, 7, Target::sm_a(120))
        .or(8, 8, Target::sm_f(120))
        .or(9, 0, Target::sm_f(110));
    when(ty == Type::U32 && counts, need)
}

pub(in crate::isa) fn mapa(space: Option<Space>, ty: Type) -> Option<Need> {
    let exists = match space {
        None => ty == Type::U64,
        Some(Space::SharedCluster) => matches!(ty, Type::U32 | Type::U64),
        Some(_) => false,
    };
    when(exists, Need::new(7, 8, 90))
}

pub(in crate::isa) fn is_space(space: Space) -> Option<Need> {
    match space {
        Space::Global | Space::Shared | Space::Local | Space::Const => Some(Need::BASE),
        Space::SharedCta => Some(Need::new(7, 8, 70)),
        Space::SharedCluster => Some(Need::new(7, 8, 90)),
        Space::Param => Some(Need::new(7, 7, 70)),
    }
}

pub(in crate::isa) fn cluster_arrive(order: Option<Order>) -> Option<Need> {
    match order {
        None => Some(Need::new(7, 8, 90)),
        Some(Order::Release | Order::Relaxed) => Some(Need::new(8, 0, 90)),
        Some(_) => None,
    }
}

pub(in crate::isa) fn cluster_wait(order: Option<Order>) -> Option<Need> {
    match order {
        None => Some(Need::new(7, 8, 90)),
        Some(Order::Acquire) => Some(Need::new(8, 0, 90)),
        Some(_) => None,
    }
}

pub(in crate::isa) fn try_cancel(multicast: MulticastAll, ty: Type) -> Option<Need> {
    let need = if multicast.0 {
        BLACKWELL
    } else {
        Need::new(8, 6, 100)
    };
    when(ty == Type::B128, need)
}

pub(in crate::isa) fn query_cancel(ty: Type) -> Option<Need> {
    when(ty == Type::B128, Need::new(8, 6, 100))
}

pub(in crate::isa) fn st_async(
    order: Option<Order>,
    space: Space,
    completion: Completion,
    width: Option<Width>,
    ty: Type,
    elements: usize,
) -> Option<Need> {
    use Type::*;
    let types = matches!(ty, B32 | U32 | S32 | F32 | B64 | U64 | S64 | F64);
    let exists = types
        && matches!(order, None | Some(Order::Weak))
        && space == Space::SharedCluster
        && completion == Completion::Mbarrier;
    let need = width_need(width, ty, Some(space), elements)?;
    when(exists, need.and(Need::new(8, 1, 90)))
}

pub(in crate::isa) fn red_async(
    order: Option<Order>,
    scope: Option<Scope>,
    space: Space,
    completion: Completion,
    op: BulkReduction,
    ty: Type,
) -> Option<Need> {
    let exists = order == Some(Order::Relaxed)
        && scope == Some(Scope::Cluster)
        && space == Space::SharedCluster
        && completion == Completion::Mbarrier
        && shared_reduction(op, ty);
    when(exists, Need::new(8, 1, 90))
}
