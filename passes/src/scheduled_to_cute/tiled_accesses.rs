//! Lowers tiled loads and stores.

use tilewright_irs::core::{OpId, Translated, Value, ValueType};
use tilewright_irs::dialects::arith::ArithOp;
use tilewright_irs::dialects::fragment::FragmentOp;
use tilewright_irs::dialects::memory::{AtomicOp, Ordering};
use tilewright_irs::element::ElementType;
use tilewright_irs::literal::{Dense, Literal};
use tilewright_irs::tileas::atoms::{Ld, St};

use super::address_tiles::{Access, Place, access, loader, owner};
use super::agent::Agent;
use super::emit::{Cx, at, bind_accessed, bug, cache_policy, fragment_type, with_registers};

/// What a load reads.
#[derive(Clone, Copy)]
pub(super) enum Source {
    /// The elements.
    Memory(Ld),
    /// The elements in all replicas behind a multicast address, combined.
    Replicas(AtomicOp),
}

/// What a store changes.
#[derive(Clone, Copy)]
pub(super) enum Sink {
    /// The elements.
    Memory(St),
    /// The elements in all replicas behind a multicast address: replaced, or combined with the value.
    Replicas(Option<AtomicOp>),
}

/// Lowers a tiled load.
pub(super) fn load(
    cx: &mut Cx<'_>,
    id: OpId,
    place: &Place<'_>,
    source: Source,
    &Ordering { order, scope, .. }: &Ordering,
    agent: Agent,
) -> Translated {
    let old = cx.from.ty(cx.old(id).result(0));
    let layout = old.layout();
    let Some(ty) = fragment_type(old) else {
        return Err(bug(cx.origin(), "a load of something that is no tile"));
    };
    let owner = loader(cx, layout, order, agent);
    let access = access(cx, place, layout, owner, agent)?;
    let data = with_registers(ty, access.registers.len());
    let other = match (access.pred, place.at.padding, data.element()) {
        (Some(_), Some(padding), Some(ElementType::Scalar(scalar))) => padding.bits(scalar).map(|bits| {
            let value = Dense::Splat(Literal::new(scalar, bits));
            cx.value(ArithOp::Constant { value }, data.clone())
        }),
        _ => None,
    };
    let load = match source {
        Source::Memory(ld) => FragmentOp::Load {
            pointer: access.pointer,
            pred: access.pred,
            other,
            offsets: access.offsets,
            vector: access.vector,
            order,
            scope,
            cache_policy: cache_policy(cx, ld.l2),
            cache: ld.cache,
            prefetch: ld.prefetch,
        },
        Source::Replicas(op) => FragmentOp::MultimemLoad {
            pointer: access.pointer,
            pred: access.pred,
            other,
            offsets: access.offsets,
            vector: access.vector,
            op,
            order,
            scope,
        },
    };
    let loaded = cx.value(load, data);
    bind_accessed(cx, id, loaded, &access.registers)
}

/// Lowers a tiled store, or an update without a result.
pub(super) fn store(
    cx: &mut Cx<'_>,
    value: Value,
    place: &Place<'_>,
    sink: Sink,
    &Ordering { order, scope, .. }: &Ordering,
    agent: Agent,
) -> Translated {
    let layout = cx.from.ty(value).layout();
    let owner = owner(cx, layout, agent);
    let access = access(cx, place, layout, owner, agent)?;
    let value = cx.one(value);
    let mut emit = at(cx);
    let value = emit.rearrange(value, access.registers);
    let Access {
        vector,
        pointer,
        offsets,
        pred,
        ..
    } = access;
    let store = match sink {
        Sink::Memory(st) => FragmentOp::Store {
            pointer,
            value,
            pred,
            offsets,
            vector,
            order,
            scope,
            cache_policy: cache_policy(cx, st.l2),
            cache: st.cache,
        },
        Sink::Replicas(None) => FragmentOp::MultimemStore {
            pointer,
            value,
            pred,
            offsets,
            vector,
            order,
            scope,
        },
        Sink::Replicas(Some(op)) => FragmentOp::MultimemReduce {
            pointer,
            value,
            pred,
            offsets,
            vector,
            op,
            order,
            scope,
        },
    };
    cx.build().effect(store);
    Ok(())
}
