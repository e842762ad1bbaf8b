//! Lowers accesses through tiles of pointers: one pointer for each vector.
//!
//! The atom guarantees that consecutive registers of `bits` bits point to consecutive addresses with a common mask.

use tilewright_irs::core::{OpId, Translated, Value, ValueType};
use tilewright_irs::cute_desugared::DesugaredType;
use tilewright_irs::dialects::fragment::FragmentOp;
use tilewright_irs::dialects::memory::Ordering;
use tilewright_irs::element::ElementType;
use tilewright_irs::tileas::atoms::{Ld, St};
use tilewright_layouts::{Dim, LinearLayout};

use super::address_tiles::{loader, owner};
use super::agent::Agent;
use super::emit::{Cx, at, bind_accessed, bug, cache_policy, fragment_type, with_registers};
use super::placement::distinct_registers;

/// The registers that are moved, and the vector width.
pub(super) fn vectors(
    layout: Option<&LinearLayout>,
    element: Option<ElementType>,
    bits: u32,
) -> (Vec<u32>, u32) {
    let Some(layout) = layout else {
        return (vec![0], 1);
    };
    let bytes = element
        .and_then(ElementType::scalar)
        .and_then(tilewright_irs::element::ScalarType::bytes);
    let wanted = (bits / (8 * bytes.unwrap_or(1))).max(1);
    // A vector must not contain replicas of one element.
    let split = layout.free_mask(Dim::Register) & (wanted - 1) != 0;
    let registers = distinct_registers(layout);
    let vector = if split || !registers.len().is_multiple_of(wanted as usize) {
        1
    } else {
        wanted
    };
    (registers, vector)
}

/// The value of each vector's first element, or the scalar itself.
pub(super) fn firsts(cx: &mut Cx<'_>, value: Value, registers: &[u32], vector: u32) -> Value {
    let from = registers.iter().copied().step_by(vector as usize).collect();
    at(cx).rearrange(value, from)
}

/// The predicate of a thread's elements: their mask, if there is one, and a condition on the thread.
pub(super) fn guarded(cx: &mut Cx<'_>, mask: Option<Value>, thread: Option<Value>) -> Option<Value> {
    let mut emit = at(cx);
    match (mask, thread) {
        (Some(mask), Some(thread)) => {
            let thread = match *emit.0.ty(mask) {
                DesugaredType::Fragment(count, element) => emit.splat(thread, count, element),
                DesugaredType::Scalar(_)
                | DesugaredType::SharedPtr(_)
                | DesugaredType::Cute(_)
                | DesugaredType::TileIterator(_)
                | DesugaredType::TmaDescriptor(_)
                | DesugaredType::Pipe(_) => thread,
            };
            Some(emit.and(mask, thread))
        }
        (one, None) | (None, one) => one,
    }
}

/// Lowers a gathering load.
pub(super) fn load(
    cx: &mut Cx<'_>,
    id: OpId,
    (pointers, mask, other): (Value, Option<Value>, Option<Value>),
    &Ordering { order, scope, .. }: &Ordering,
    ld: &Ld,
    agent: Agent,
) -> Translated {
    let old = cx.from.ty(cx.old(id).result(0));
    let layout = old.layout();
    let Some(ty) = fragment_type(old) else {
        return Err(bug(cx.origin(), "a load of something that is no tile"));
    };
    let (registers, vector) = vectors(layout, ty.element(), ld.bits);
    let (pointers, mask, other) = (
        cx.one(pointers),
        mask.map(|mask| cx.one(mask)),
        other.map(|other| cx.one(other)),
    );
    let pointer = firsts(cx, pointers, &registers, vector);
    let mask = mask.map(|mask| firsts(cx, mask, &registers, vector));
    let owner = loader(cx, layout, order, agent);
    let pred = guarded(cx, mask, owner);
    let other = other.map(|other| firsts(cx, other, &registers, 1));
    let data = with_registers(ty, registers.len());
    let cache_policy = cache_policy(cx, ld.l2);
    let loaded = cx.value(
        FragmentOp::Load {
            pointer,
            // Without a mask everything is loaded, and no other value is needed.
            other: pred.and(other),
            pred,
            offsets: vec![0; registers.len() / vector as usize],
            vector,
            order,
            scope,
            cache_policy,
            cache: ld.cache,
            prefetch: ld.prefetch,
        },
        data,
    );
    bind_accessed(cx, id, loaded, &registers)
}

/// The vectors of a thread that are stored, or combined with memory, through pointers.
pub(super) struct Scattered {
    /// One pointer for each vector.
    pub(super) pointer: Value,
    /// The elements, vector by vector.
    pub(super) value: Value,
    /// One predicate, or one for each vector.
    pub(super) pred: Option<Value>,
    /// The offset of each vector.
    pub(super) offsets: Vec<i64>,
    /// Elements of a vector.
    pub(super) vector: u32,
}

impl Scattered {
    /// The vectors of `bits` bits of a tile. Of several threads that hold an element the first has it.
    pub(super) fn of(
        cx: &mut Cx<'_>,
        (pointers, mask, value): (Value, Option<Value>, Value),
        bits: u32,
        agent: Agent,
    ) -> Self {
        let old = cx.from.ty(value);
        let layout = old.layout();
        let (registers, vector) = vectors(layout, old.element(), bits);
        let owner = owner(cx, layout, agent);
        let (pointers, mask, value) = (cx.one(pointers), mask.map(|mask| cx.one(mask)), cx.one(value));
        let pointer = firsts(cx, pointers, &registers, vector);
        let mask = mask.map(|mask| firsts(cx, mask, &registers, vector));
        Self {
            pointer,
            pred: guarded(cx, mask, owner),
            offsets: vec![0; registers.len() / vector as usize],
            vector,
            value: at(cx).rearrange(value, registers),
        }
    }
}

/// Lowers a scattering store.
pub(super) fn store(
    cx: &mut Cx<'_>,
    operands: (Value, Option<Value>, Value),
    &Ordering { order, scope, .. }: &Ordering,
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
    let cache_policy = cache_policy(cx, st.l2);
    cx.build().effect(FragmentOp::Store {
        pointer,
        value,
        pred,
        offsets,
        vector,
        order,
        scope,
        cache_policy,
        cache: st.cache,
    });
    Ok(())
}
