//! Atomics on vectors, and accesses to replicated memory.
//!
//! Source: PTX ISA, "atom", "red" and "multimem".

use super::{order_and_scope, scope_need, when};
use crate::isa::modifiers::*;
use crate::isa::target::Need;
use crate::isa::types::Type::{self, *};

pub(in crate::isa) fn atom_vector(
    _order: Option<AtomicOrder>,
    scope: Option<Scope>,
    space: Option<Space>,
    op: AtomicOp,
    noftz: Noftz,
    width: Width,
    ty: Type,
) -> Option<Need> {
    use AtomicOp as A;
    let half = matches!(ty, F16 | Bf16 | F16x2 | Bf16x2);
    let types = match (op, ty) {
        (A::Add, F32) => width != Width::V8,
        (A::Add | A::Min | A::Max, F16 | Bf16) => true,
        (A::Add | A::Min | A::Max, F16x2 | Bf16x2) => width != Width::V8,
        _ => false,
    };
    when(
        types && noftz.0 == half && matches!(space, None | Some(Space::Global)),
        Need::new(8, 1, 90).and(scope_need(scope)),
    )
}

pub(in crate::isa) fn red_vector(
    order: Option<AtomicOrder>,
    scope: Option<Scope>,
    space: Option<Space>,
    op: AtomicOp,
    noftz: Noftz,
    width: Width,
    ty: Type,
) -> Option<Need> {
    let orders = matches!(order, None | Some(AtomicOrder::Relaxed | AtomicOrder::Release));
    atom_vector(order, scope, space, op, noftz, width, ty).filter(|_| orders)
}

/// The modifiers of an access to replicated memory, and how many registers it has.
pub(in crate::isa) struct Multimem {
    pub(in crate::isa) order: Option<Order>,
    pub(in crate::isa) scope: Option<Scope>,
    pub(in crate::isa) space: Option<Space>,
    pub(in crate::isa) op: AtomicOp,
    pub(in crate::isa) width: Option<Width>,
    pub(in crate::isa) ty: Type,
    pub(in crate::isa) count: usize,
}

impl Multimem {
    /// What all forms share: vectors of floats only, of at most 16 bytes.
    fn need(&self, orders: &[Order]) -> Option<Need> {
        let ordered = self.order.is_none_or(|order| orders.contains(&order));
        let with_scope = match self.order {
            None => self.scope.is_none(),
            order => order_and_scope(order, self.scope),
        };
        let lanes = self.width.map_or(1, Width::lanes);
        let floats = matches!(self.ty, F16 | F16x2 | Bf16 | Bf16x2 | F32 | F64);
        let vector =
            self.width.is_none() || (floats && self.ty != F64 && lanes * self.ty.bits() as usize <= 128);
        let spaces = matches!(self.space, None | Some(Space::Global));
        when(
            ordered && with_scope && vector && spaces && lanes == self.count,
            Need::new(8, 1, 90).and(scope_need(self.scope)),
        )
    }

    /// Whether there is such a combination; halves alone are packed or in vectors.
    fn combines(&self) -> bool {
        use AtomicOp as A;
        let half =
            matches!(self.ty, F16x2 | Bf16x2) || (matches!(self.ty, F16 | Bf16) && self.width.is_some());
        match self.op {
            A::Add => matches!(self.ty, U32 | S32 | U64 | S64 | F32 | F64) || half,
            A::Min | A::Max => matches!(self.ty, U32 | S32 | U64 | S64) || half,
            A::And | A::Or | A::Xor => matches!(self.ty, B32 | B64),
            A::Exch | A::Inc | A::Dec => false,
        }
    }
}

pub(in crate::isa) fn multimem_load(access: &Multimem, acc: AccF32) -> Option<Need> {
    let half = matches!(access.ty, F16 | F16x2 | Bf16 | Bf16x2);
    let wider = !acc.0 || (half && access.op == AtomicOp::Add);
    let need = access.need(&[Order::Weak, Order::Relaxed, Order::Acquire])?;
    let sums = Need::new(8, 2, 90);
    when(
        access.combines() && wider,
        if acc.0 { need.and(sums) } else { need },
    )
}

pub(in crate::isa) fn multimem_store(access: &Multimem) -> Option<Need> {
    let need = access.need(&[Order::Weak, Order::Relaxed, Order::Release])?;
    let types = match access.ty {
        B32 | B64 | U32 | U64 | S32 | S64 | F32 | F64 | F16x2 | Bf16x2 => true,
        F16 | Bf16 => access.width.is_some(),
        _ => false,
    };
    when(types, need)
}

pub(in crate::isa) fn multimem_red(access: &Multimem) -> Option<Need> {
    let need = access.need(&[Order::Relaxed, Order::Release])?;
    when(access.combines(), need)
}
