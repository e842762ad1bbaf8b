//! Lowers atomic accesses: one for each element of a thread, or one for each vector if the old values do not matter. Of several
//! threads that hold an element the first accesses it.

use tilewright_irs::core::{OpId, Translated, Value};
use tilewright_irs::dialects::fragment::FragmentOp;
use tilewright_irs::dialects::memory::{AtomicOp, AtomicOrdering};
use tilewright_irs::tileas::atoms::St;

use super::address_tiles::{self, Place, owner};
use super::agent::Agent;
use super::emit::{Cx, at, bind_accessed};
use super::gather_scatter::{Scattered, firsts, guarded};
use super::placement::distinct_registers;

/// The registers of a thread's elements, without replicas.
fn registers(cx: &Cx<'_>, data: Value) -> Vec<u32> {
    cx.from
        .ty(data)
        .layout()
        .map_or_else(|| vec![0], distinct_registers)
}

/// The predicate of an access: the mask in these registers, and that no earlier thread holds the same elements.
fn predicate(
    cx: &mut Cx<'_>,
    data: Value,
    mask: Option<Value>,
    registers: &[u32],
    agent: Agent,
) -> Option<Value> {
    let owner = owner(cx, cx.from.ty(data).layout(), agent);
    let mask = mask.map(|mask| cx.one(mask));
    let mask = mask.map(|mask| firsts(cx, mask, registers, 1));
    guarded(cx, mask, owner)
}

/// Lowers an atomic read-modify-write through pointers.
pub(super) fn read_modify_write(
    cx: &mut Cx<'_>,
    id: OpId,
    (pointers, value, mask): (Value, Value, Option<Value>),
    op: AtomicOp,
    &AtomicOrdering { order, scope, .. }: &AtomicOrdering,
    agent: Agent,
) -> Translated {
    let registers = registers(cx, value);
    let pred = predicate(cx, value, mask, &registers, agent);
    let (pointer, value) = (cx.one(pointers), cx.one(value));
    let pointer = firsts(cx, pointer, &registers, 1);
    let value = firsts(cx, value, &registers, 1);
    let ty = at(cx).0.ty(value).clone();
    let access = FragmentOp::AtomicRmw {
        pointer,
        value,
        pred,
        offsets: vec![0; registers.len()],
        vector: 1,
        op,
        order,
        scope,
    };
    let before = cx.value(access, ty);
    bind_accessed(cx, id, before, &registers)
}

/// Lowers an atomic compare-and-swap through pointers.
pub(super) fn compare_and_swap(
    cx: &mut Cx<'_>,
    id: OpId,
    [pointers, compare, value]: [Value; 3],
    mask: Option<Value>,
    &AtomicOrdering { order, scope, .. }: &AtomicOrdering,
    agent: Agent,
) -> Translated {
    let registers = registers(cx, value);
    let pred = predicate(cx, value, mask, &registers, agent);
    let [pointer, compare, value] = [pointers, compare, value].map(|operand| {
        let operand = cx.one(operand);
        firsts(cx, operand, &registers, 1)
    });
    let ty = at(cx).0.ty(value).clone();
    let access = FragmentOp::AtomicCas {
        pointer,
        compare,
        value,
        pred,
        order,
        scope,
    };
    let before = cx.value(access, ty);
    bind_accessed(cx, id, before, &registers)
}

/// Lowers an atomic access through pointers without old values.
pub(super) fn scatter(
    cx: &mut Cx<'_>,
    operands: (Value, Option<Value>, Value),
    op: AtomicOp,
    &AtomicOrdering { order, scope, .. }: &AtomicOrdering,
    st: &St,
    agent: Agent,
) -> Translated {
    let Scattered {
        pointer,
        value,
        pred,
        offsets,
        vector,
    } = Scattered::of(cx, operands, st.bits, agent);
    let ty = at(cx).0.ty(value).clone();
    let access = FragmentOp::AtomicRmw {
        pointer,
        value,
        pred,
        offsets,
        vector,
        op,
        order,
        scope,
    };
    cx.value(access, ty);
    Ok(())
}

/// Lowers an atomic reduction into a tile of an array.
pub(super) fn reduce(
    cx: &mut Cx<'_>,
    value: Value,
    place: &Place<'_>,
    op: AtomicOp,
    &AtomicOrdering { order, scope, .. }: &AtomicOrdering,
    agent: Agent,
) -> Translated {
    let layout = cx.from.ty(value).layout();
    let owner = owner(cx, layout, agent);
    let access = address_tiles::access(cx, place, layout, owner, agent)?;
    let value = cx.one(value);
    let value = at(cx).rearrange(value, access.registers);
    let ty = at(cx).0.ty(value).clone();
    let access = FragmentOp::AtomicRmw {
        pointer: access.pointer,
        value,
        pred: access.pred,
        offsets: access.offsets,
        vector: access.vector,
        op,
        order,
        scope,
    };
    cx.value(access, ty);
    Ok(())
}
