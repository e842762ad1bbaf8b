//! Atomics and reductions, and accesses to replicated memory.
//!
//! Source: PTX ISA, "atom", "red" and "multimem".

use super::{scope_need, space_need, when};
use crate::isa::modifiers::*;
use crate::isa::orders::Ordered;
use crate::isa::target::{Need, Target};
use crate::isa::types::Type::{self, *};

/// The modifiers of an atomic access except for its order, and its number of elements.
pub(in crate::isa) struct Atomic {
    pub(in crate::isa) scope: Option<Scope>,
    pub(in crate::isa) space: Option<Space>,
    pub(in crate::isa) op: AtomicOp,
    pub(in crate::isa) noftz: Noftz,
    pub(in crate::isa) width: Option<Width>,
    pub(in crate::isa) ty: Type,
    pub(in crate::isa) elements: usize,
}

/// What an atomic access with this scope in this space needs.
fn place(scope: Option<Scope>, space: Option<Space>) -> Option<Need> {
    let spaces = matches!(
        space,
        None | Some(Space::Global | Space::Shared | Space::SharedCta | Space::SharedCluster)
    );
    when(spaces, scope_need(scope).and(space_need(space)))
}

pub(in crate::isa) fn atom(access: &Atomic) -> Option<Need> {
    use AtomicOp as A;
    let &Atomic {
        scope,
        space,
        op,
        noftz,
        width,
        ty,
        elements,
    } = access;
    let half = matches!(ty, F16 | F16x2 | Bf16 | Bf16x2);
    let need = match (width, op, ty) {
        (None, A::And | A::Or | A::Xor | A::Exch, B32 | B64) => Need::BASE,
        (None, A::Exch, B128) => Need::new(8, 3, 90),
        (None, A::Add, U32 | S32 | U64 | F32 | F64) => Need::BASE,
        (None, A::Add, F16 | F16x2) => Need::new(6, 3, 70),
        (None, A::Add, Bf16 | Bf16x2) => Need::new(7, 8, 90),
        (None, A::Min | A::Max, U32 | S32 | U64 | S64) => Need::BASE,
        (None, A::Inc | A::Dec, U32) => Need::BASE,
        // Vectors of at most 16 bytes, in global memory.
        (Some(Width::V2 | Width::V4), A::Add, F32)
        | (Some(Width::V2 | Width::V4), A::Add | A::Min | A::Max, F16x2 | Bf16x2)
        | (Some(_), A::Add | A::Min | A::Max, F16 | Bf16)
            if matches!(space, None | Some(Space::Global)) =>
        {
            Need::new(8, 1, 90)
        }
        _ => return None,
    };
    when(
        noftz.0 == half && elements == width.map_or(1, Width::lanes),
        need.and(place(scope, space)?),
    )
}

pub(in crate::isa) fn atom_cas(scope: Option<Scope>, space: Option<Space>, ty: Type) -> Option<Need> {
    let need = match ty {
        B16 => Need::new(6, 3, 70),
        B32 | B64 => Need::BASE,
        B128 => Need::new(8, 3, 90),
        _ => return None,
    };
    Some(need.and(place(scope, space)?))
}

pub(in crate::isa) fn red(order: Option<AtomicOrder>, access: &Atomic) -> Option<Need> {
    let orders = Ordered::Reduction.orders();
    let ordered = order.is_none_or(|order| orders.contains(&order.into()));
    atom(access).filter(|_| ordered && access.op != AtomicOp::Exch)
}

/// The modifiers of a multimem access, and the number of its registers.
pub(in crate::isa) struct Multimem {
    pub(in crate::isa) order: Option<Order>,
    pub(in crate::isa) scope: Option<Scope>,
    pub(in crate::isa) space: Option<Space>,
    pub(in crate::isa) op: AtomicOp,
    pub(in crate::isa) width: Option<Width>,
    pub(in crate::isa) ty: Type,
    pub(in crate::isa) count: usize,
}

/// The requirements of eight-bit floats.
const EIGHT_BIT: Need = Need::on(8, 6, Target::sm_a(100))
    .or(8, 8, Target::sm_f(100))
    .or(8, 7, Target::sm_a(120))
    .or(8, 8, Target::sm_a(121))
    .or(9, 0, Target::sm_f(110));

impl Multimem {
    /// The rules that all forms share: only floats have vectors, of at most 16 bytes.
    fn need(&self, access: Ordered) -> Option<Need> {
        let ordered = match self.order {
            None => self.scope.is_none(),
            Some(Order::Volatile) => false,
            order => access.admits(order, self.scope),
        };
        let lanes = self.width.map_or(1, Width::lanes);
        let floats = matches!(self.ty, F16 | F16x2 | Bf16 | Bf16x2 | F32) || self.is_eight_bit();
        let vector = self.width.is_none() || (floats && lanes * self.ty.bits() as usize <= 128);
        let spaces = matches!(self.space, None | Some(Space::Global));
        when(
            ordered && vector && spaces && lanes == self.count,
            if self.is_eight_bit() {
                EIGHT_BIT.and(scope_need(self.scope))
            } else {
                Need::new(8, 1, 90).and(scope_need(self.scope))
            },
        )
    }

    /// Whether the elements are eight-bit floats. PTX also has vectors of unpacked ones, in eight-bit registers, which
    /// are not declared here.
    fn is_eight_bit(&self) -> bool {
        matches!(self.ty, E4m3x2 | E5m2x2 | E4m3x4 | E5m2x4)
    }

    /// Whether the elements are floats of 8 or 16 bits, which are packed into 32 bits or in vectors.
    fn is_packed(&self) -> bool {
        match self.ty {
            F16x2 | Bf16x2 | E4m3x4 | E5m2x4 => true,
            F16 | Bf16 | E4m3x2 | E5m2x2 => self.width.is_some(),
            _ => false,
        }
    }

    /// Whether the combination exists.
    fn combines(&self) -> bool {
        use AtomicOp as A;
        match self.op {
            A::Add => matches!(self.ty, U32 | S32 | U64 | F32 | F64) || self.is_packed(),
            A::Min | A::Max => matches!(self.ty, U32 | S32 | U64 | S64) || self.is_packed(),
            A::And | A::Or | A::Xor => matches!(self.ty, B32 | B64),
            A::Exch | A::Inc | A::Dec => false,
        }
    }
}

pub(in crate::isa) fn multimem_load(access: &Multimem, acc: Option<SumPrecision>) -> Option<Need> {
    let need = access.need(Ordered::Load)?;
    let sum = access.op == AtomicOp::Add;
    let half = matches!(access.ty, F16 | F16x2 | Bf16 | Bf16x2);
    let (wider, need) = match acc {
        None => (true, need),
        Some(SumPrecision::F16) => (sum && access.is_eight_bit(), need),
        Some(SumPrecision::F32) => (sum && half, need.and(Need::new(8, 2, 90))),
    };
    when(access.combines() && wider, need)
}

pub(in crate::isa) fn multimem_store(access: &Multimem) -> Option<Need> {
    let need = access.need(Ordered::Store)?;
    let whole = matches!(access.ty, B32 | B64 | U32 | U64 | S32 | S64 | F32 | F64);
    when(whole || access.is_packed(), need)
}

pub(in crate::isa) fn multimem_red(access: &Multimem) -> Option<Need> {
    let need = access.need(Ordered::Reduction)?;
    // Unlike loads, these know no minimum and maximum of two halves alone.
    let alone = access.width.is_none() && access.is_packed() && access.op != AtomicOp::Add;
    when(access.combines() && !alone && !access.is_eight_bit(), need)
}
