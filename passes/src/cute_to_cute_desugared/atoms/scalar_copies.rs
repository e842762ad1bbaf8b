//! Loads and stores of one thread with an order, a scope and hints for caches.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Origin, Translated, Value};
use tilewright_irs::cute_types::{
    Eviction, GlobalLoad, GlobalStore, L2Prefetch, LoadCache, MemoryOrder as WrittenOrder,
    MemoryScope as WrittenScope, SharedLoad, SharedSpace, SharedStore, StoreCache,
};
use tilewright_irs::dialects::fragment::FragmentOp;
use tilewright_irs::dialects::memory::{LoadPolicy, MemoryOrder, MemoryScope, PrefetchSize, StorePolicy};

use super::elements::Tensor;
use crate::cute_to_cute_desugared::state::{Cx, unsupported};

type Found<T> = Result<T, Diagnostic<Origin>>;

/// How an access is made.
struct Access<P> {
    order: MemoryOrder,
    scope: Option<MemoryScope>,
    cache: Option<P>,
    prefetch: Option<PrefetchSize>,
}

/// An access to the shared memory of the block or to global memory, without hints. A volatile one is a relaxed one of the system, as in
/// PTX.
fn access<P>(
    cx: &Cx<'_>,
    order: Option<WrittenOrder>,
    scope: Option<WrittenScope>,
    shared: Option<SharedSpace>,
) -> Found<Access<P>> {
    match shared.unwrap_or(SharedSpace::Cta) {
        SharedSpace::Cta => {}
        SharedSpace::Cluster => {
            return Err(unsupported(
                cx.origin(),
                "a copy of one thread with the shared memory of a cluster",
            ));
        }
    }
    let scope = match scope.unwrap_or(WrittenScope::Cta) {
        WrittenScope::Cta => MemoryScope::Block,
        WrittenScope::Cluster => MemoryScope::Cluster,
        WrittenScope::Gpu => MemoryScope::Device,
        WrittenScope::Sys => MemoryScope::System,
    };
    let (order, scope) = match order.unwrap_or(WrittenOrder::Weak) {
        WrittenOrder::Weak => (MemoryOrder::Weak, None),
        WrittenOrder::Relaxed => (MemoryOrder::Relaxed, Some(scope)),
        WrittenOrder::Acquire => (MemoryOrder::Acquire, Some(scope)),
        WrittenOrder::Release => (MemoryOrder::Release, Some(scope)),
        WrittenOrder::Volatile => (MemoryOrder::Relaxed, Some(MemoryScope::System)),
        order @ (WrittenOrder::AcqRel | WrittenOrder::Sc | WrittenOrder::Mmio | WrittenOrder::Constant) => {
            let message = format!("a copy of one thread with the order `{}`", order.word());
            return Err(unsupported(cx.origin(), message));
        }
    };
    Ok(Access {
        order,
        scope,
        cache: None,
        prefetch: None,
    })
}

/// The only hint of two, of which an instruction has one.
fn either<P>(cx: &Cx<'_>, priority: Option<P>, operation: Option<P>) -> Found<Option<P>> {
    match (priority, operation) {
        (Some(_), Some(_)) => Err(unsupported(
            cx.origin(),
            "a copy of one thread with an eviction priority and a cache mode",
        )),
        (priority, operation) => Ok(priority.or(operation)),
    }
}

/// Loads the elements from an address, and writes them to registers.
fn load(
    cx: &mut Cx<'_>,
    source: &Tensor,
    destination: &Tensor,
    pred: Option<Value>,
    access: Access<LoadPolicy>,
) -> Translated {
    let vector = vector(cx, source, destination)?;
    let op = FragmentOp::Load {
        pointer: source.address(cx)?,
        pred,
        other: None,
        cache_policy: None,
        offsets: vec![0],
        vector,
        order: access.order,
        scope: access.scope,
        cache: access.cache,
        prefetch: access.prefetch,
    };
    let loaded = cx.value(op, source.ty(source.indices.len()));
    destination.store(cx, loaded, pred)
}

/// Reads the elements from registers, and stores them to an address.
fn store(
    cx: &mut Cx<'_>,
    source: &Tensor,
    destination: &Tensor,
    pred: Option<Value>,
    access: Access<StorePolicy>,
) -> Translated {
    let vector = vector(cx, destination, source)?;
    let value = source.load(cx, None)?;
    let pointer = destination.address(cx)?;
    cx.build().effect(FragmentOp::Store {
        pointer,
        value,
        pred,
        cache_policy: None,
        offsets: vec![0],
        vector,
        order: access.order,
        scope: access.scope,
        cache: access.cache,
    });
    Ok(())
}

/// The number of elements that one instruction moves between memory and registers.
fn vector(cx: &Cx<'_>, memory: &Tensor, registers: &Tensor) -> Found<u32> {
    let (count, own) = (memory.indices.len(), registers.indices.len());
    if count != own || memory.scalar != registers.scalar || !memory.is_contiguous() {
        let message = format!("a copy of one thread of {count} elements, to or from {own} of a register");
        return Err(unsupported(cx.origin(), message));
    }
    Ok(u32::try_from(count).unwrap_or(u32::MAX))
}

/// `g2r`
pub(super) fn global_load(
    cx: &mut Cx<'_>,
    atom: &GlobalLoad,
    [source, destination]: [&Tensor; 2],
    pred: Option<Value>,
) -> Translated {
    let access = access(cx, atom.order, atom.scope, atom.shared)?;
    let priority = atom.eviction.and_then(|eviction| match eviction {
        Eviction::Normal => None,
        Eviction::First => Some(LoadPolicy::EvictFirst),
        Eviction::Last => Some(LoadPolicy::EvictLast),
        Eviction::Unchanged => Some(LoadPolicy::EvictUnchanged),
        Eviction::NoAllocate => Some(LoadPolicy::NoAllocate),
    });
    let operation = atom.cache.and_then(|cache| match cache {
        LoadCache::Always => None,
        LoadCache::Global => Some(LoadPolicy::Global),
        LoadCache::Streaming => Some(LoadPolicy::Streaming),
        LoadCache::LastUse => Some(LoadPolicy::LastUse),
        LoadCache::None => Some(LoadPolicy::Volatile),
    });
    let prefetch = atom.prefetch.and_then(|prefetch| match prefetch {
        L2Prefetch::None | L2Prefetch::Reserved => None,
        L2Prefetch::B64 => Some(PrefetchSize::B64),
        L2Prefetch::B128 => Some(PrefetchSize::B128),
        L2Prefetch::B256 => Some(PrefetchSize::B256),
    });
    let access = Access {
        cache: either(cx, priority, operation)?,
        prefetch,
        ..access
    };
    load(cx, source, destination, pred, access)
}

/// `r2g`
pub(super) fn global_store(
    cx: &mut Cx<'_>,
    atom: &GlobalStore,
    [source, destination]: [&Tensor; 2],
    pred: Option<Value>,
) -> Translated {
    let access = access(cx, atom.order, atom.scope, atom.shared)?;
    let priority = atom.eviction.and_then(|eviction| match eviction {
        Eviction::Normal => None,
        Eviction::First => Some(StorePolicy::EvictFirst),
        Eviction::Last => Some(StorePolicy::EvictLast),
        Eviction::Unchanged => Some(StorePolicy::EvictUnchanged),
        Eviction::NoAllocate => Some(StorePolicy::NoAllocate),
    });
    let operation = atom.cache.and_then(|cache| match cache {
        StoreCache::WriteBack | StoreCache::None => None,
        StoreCache::Global => Some(StorePolicy::Global),
        StoreCache::Streaming => Some(StorePolicy::Streaming),
        StoreCache::WriteThrough => Some(StorePolicy::WriteThrough),
    });
    let access = Access {
        cache: either(cx, priority, operation)?,
        ..access
    };
    store(cx, source, destination, pred, access)
}

/// `s2r`
pub(super) fn shared_load(
    cx: &mut Cx<'_>,
    atom: &SharedLoad,
    [source, destination]: [&Tensor; 2],
    pred: Option<Value>,
) -> Translated {
    let access = access(cx, atom.order, atom.scope, atom.shared)?;
    load(cx, source, destination, pred, access)
}

/// `r2s`
pub(super) fn shared_store(
    cx: &mut Cx<'_>,
    atom: &SharedStore,
    [source, destination]: [&Tensor; 2],
    pred: Option<Value>,
) -> Translated {
    let access = access(cx, atom.order, atom.scope, atom.shared)?;
    store(cx, source, destination, pred, access)
}
