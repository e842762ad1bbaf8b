//! Loads, stores, and copies that go on by themselves.

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{Flag, OpId, Origin, Translated, Value};
use tilewright_irs::cute_desugared::DesugaredType;
use tilewright_irs::dialects::arith::ArithOp;
use tilewright_irs::dialects::fragment::FragmentOp;
use tilewright_irs::dialects::gpu::GpuOp;
use tilewright_irs::dialects::memory::{FenceOrder, MemoryScope};
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::isa::{
    self, CacheHint, CopyCache, Eviction, Instruction, LoadCache, MatrixCount, MatrixShape, OpResult, Order,
    PrefetchLevel, ReadOnly, Results, Scope, Sources, Space, StoreCache, TargetOp, Trans, Type, Width,
};
use tilewright_irs::mlir::dialects::NvvmOp;
use tilewright_irs::mlir::enums::{
    AtomicOrdering, CacheLevel, CachePriority, CopyModifier, EvictKind, L2Prefetch, LoadFormat, LoadModifier,
    LoadShape, MatrixLayout, MemOrder, MemScope, SharedSpace, StoreModifier, StoreShape,
};
use tilewright_irs::nvvm::memory_scope;

use crate::cute_to_cute_desugared::instructions::{I32, address, effect, emit, of};
use crate::cute_to_cute_desugared::state::{Cx, Desugar, not_lowered};
use crate::cute_to_cute_desugared::types::number;

/// Lowers an op.
pub(super) fn lower(pass: &Desugar, cx: &mut Cx<'_>, id: OpId, op: &NvvmOp) -> Translated {
    match op {
        NvvmOp::Prefetch {
            addr,
            predicate,
            level,
            evict,
            tensormap: Flag(false),
            uniform: Flag(false),
            parameter: Flag(false),
        } => {
            let level = match (level, evict) {
                (Some(CacheLevel::L1), None) => PrefetchLevel::L1,
                (Some(CacheLevel::L2), None) => PrefetchLevel::L2,
                (Some(CacheLevel::L2), Some(CachePriority::Normal)) => PrefetchLevel::L2EvictNormal,
                (Some(CacheLevel::L2), Some(CachePriority::Last)) => PrefetchLevel::L2EvictLast,
                (Some(_), Some(evict)) => {
                    let message = format!("no line is brought into this cache with `{}`", evict.word());
                    return Err(Diagnostic::error(Code::AttributeValue, message).at(cx.origin(), ""));
                }
                (None, _) => return Err(not_lowered(cx, id)),
            };
            let pointer = cx.one(*addr);
            let (a, space) = address(cx, pointer)?;
            let prefetch = TargetOp {
                instruction: Instruction::PrefetchLine { space, level, a },
                guard: predicate.map(|predicate| cx.one(predicate)),
                otherwise: Vec::new(),
            };
            effect(cx, pass.target, prefetch)
        }
        NvvmOp::LoadExt {
            addr,
            cache_hint: None,
            order,
            scope,
            prefetch,
            evict,
            modifier,
            space,
            ..
        } if *space != Some(SharedSpace::Cluster) => {
            let access = Access::of(cx, id, (*order, *scope, *evict))?;
            let cache = match modifier {
                None | Some(LoadModifier::None) => None,
                Some(LoadModifier::Ca) => Some(LoadCache::Ca),
                Some(LoadModifier::Cg) => Some(LoadCache::Cg),
                Some(LoadModifier::Cs) => Some(LoadCache::Cs),
                Some(LoadModifier::Lu) => Some(LoadCache::Lu),
                Some(LoadModifier::Cv) => Some(LoadCache::Cv),
            };
            let prefetch = match prefetch {
                None | Some(L2Prefetch::None) => None,
                Some(L2Prefetch::Bytes64) => Some(isa::Prefetch::B64),
                Some(L2Prefetch::Bytes128) => Some(isa::Prefetch::B128),
                Some(L2Prefetch::Bytes256) => Some(isa::Prefetch::B256),
                Some(L2Prefetch::Reserved) => return Err(not_lowered(cx, id)),
            };
            load(pass, cx, id, *addr, access, (cache, prefetch))
        }
        NvvmOp::StoreExt {
            value,
            addr,
            cache_hint: None,
            order,
            scope,
            evict,
            modifier,
            space,
        } if *space != Some(SharedSpace::Cluster) => {
            let access = Access::of(cx, id, (*order, *scope, *evict))?;
            let cache = match modifier {
                None | Some(StoreModifier::None) => None,
                Some(StoreModifier::Wb) => Some(StoreCache::Wb),
                Some(StoreModifier::Cg) => Some(StoreCache::Cg),
                Some(StoreModifier::Cs) => Some(StoreCache::Cs),
                Some(StoreModifier::Wt) => Some(StoreCache::Wt),
            };
            store(pass, cx, id, (*value, *addr), access, cache)
        }
        NvvmOp::Ldmatrix {
            ptr,
            num,
            layout,
            shape: LoadShape::M8n8,
            format: LoadFormat::B8,
        } => {
            let pointer = cx.one(*ptr);
            let (a, space) = address(cx, pointer)?;
            let (count, number) = match num {
                1 => (MatrixCount::X1, 1),
                2 => (MatrixCount::X2, 2),
                4 => (MatrixCount::X4, 4),
                _ => return Err(not_lowered(cx, id)),
            };
            let load = Instruction::LdMatrix {
                shape: MatrixShape::M8n8,
                count,
                trans: Trans(*layout == MatrixLayout::Col),
                space,
                ty: Type::B16,
                d: Results(vec![OpResult; number]),
                a,
            };
            let made = emit(cx, pass.target, load, vec![I32; number])?;
            cx.bind(cx.old(id).result(0), made);
            Ok(())
        }
        NvvmOp::Stmatrix {
            ptr,
            sources,
            layout,
            shape: StoreShape::M8n8,
        } => {
            let pointer = cx.one(*ptr);
            let (a, space) = address(cx, pointer)?;
            let count = match sources.len() {
                1 => MatrixCount::X1,
                2 => MatrixCount::X2,
                4 => MatrixCount::X4,
                _ => return Err(not_lowered(cx, id)),
            };
            let b = Sources(sources.iter().map(|&source| cx.one(source)).collect());
            let store = Instruction::StMatrix {
                shape: MatrixShape::M8n8,
                count,
                trans: Trans(*layout == MatrixLayout::Col),
                space,
                ty: Type::B16,
                a,
                b,
            };
            effect(cx, pass.target, store)
        }
        NvvmOp::CpAsyncShared {
            dst,
            src,
            bytes,
            size,
            modifier,
        } => {
            let (to, from) = (cx.one(*dst), cx.one(*src));
            let ((target, _), (source, _)) = (address(cx, to)?, address(cx, from)?);
            let cache = match modifier {
                CopyModifier::Ca => CopyCache::Ca,
                CopyModifier::Cg => CopyCache::Cg,
                CopyModifier::Cs | CopyModifier::Lu | CopyModifier::Cv => return Err(not_lowered(cx, id)),
            };
            let Ok(size) = u32::try_from(*size) else {
                return Err(not_lowered(cx, id));
            };
            let copy = Instruction::CpAsync {
                cache,
                to: Space::Shared,
                from: Space::Global,
                hint: CacheHint(false),
                prefetch: None,
                target,
                source,
                size,
                source_size: bytes.map(|bytes| cx.one(bytes)),
                policy: None,
            };
            effect(cx, pass.target, copy)
        }
        NvvmOp::BulkCommit {} => effect(cx, pass.target, Instruction::BulkCommit {}),
        NvvmOp::BulkWait { group, read } => match u32::try_from(*group) {
            Ok(groups) => {
                let read = ReadOnly(read.0);
                effect(cx, pass.target, Instruction::BulkWait { read, groups })
            }
            Err(_) => Err(not_lowered(cx, id)),
        },
        NvvmOp::CpAsyncCommit {} => {
            cx.build().effect(GpuOp::AsyncCommit {});
            Ok(())
        }
        NvvmOp::CpAsyncWait { n } => match u32::try_from(*n) {
            Ok(in_flight) => {
                cx.build().effect(GpuOp::AsyncWait { in_flight });
                Ok(())
            }
            Err(_) => Err(not_lowered(cx, id)),
        },
        _ => Err(not_lowered(cx, id)),
    }
}

/// When a line leaves the cache, if something is said of it.
fn eviction(kind: Option<EvictKind>) -> Option<Eviction> {
    match kind {
        None | Some(EvictKind::None) => None,
        Some(EvictKind::Normal) => Some(Eviction::Normal),
        Some(EvictKind::First) => Some(Eviction::First),
        Some(EvictKind::Last) => Some(Eviction::Last),
        Some(EvictKind::Unchanged) => Some(Eviction::Unchanged),
        Some(EvictKind::NoAllocate) => Some(Eviction::NoAllocate),
    }
}

/// The order of a load or a store that is not weak.
fn load_order(cx: &Cx<'_>, id: OpId, order: MemOrder) -> Result<Order, Diagnostic<Origin>> {
    match order {
        MemOrder::Relaxed => Ok(Order::Relaxed),
        MemOrder::Acquire => Ok(Order::Acquire),
        MemOrder::Release => Ok(Order::Release),
        MemOrder::Volatile => Ok(Order::Volatile),
        MemOrder::Weak | MemOrder::AcqRel | MemOrder::Sc | MemOrder::Mmio | MemOrder::Constant => {
            Err(not_lowered(cx, id))
        }
    }
}

/// The order of an access, after a fence if it is in one order with all others.
fn after_fence(cx: &mut Cx<'_>, ordering: AtomicOrdering, scope: MemoryScope, strongest: Order) -> Order {
    match ordering {
        AtomicOrdering::NotAtomic | AtomicOrdering::Unordered | AtomicOrdering::Monotonic => Order::Relaxed,
        AtomicOrdering::Acquire | AtomicOrdering::Release | AtomicOrdering::AcqRel => strongest,
        AtomicOrdering::SeqCst => {
            let order = FenceOrder::Sc;
            cx.build().effect(GpuOp::ThreadFence { order, scope });
            strongest
        }
    }
}

/// A load of LLVM's with an order.
pub(in super::super) fn ordered_load(
    pass: &Desugar,
    cx: &mut Cx<'_>,
    id: OpId,
    addr: Value,
    (ordering, scope): (AtomicOrdering, MemoryScope),
) -> Translated {
    let order = after_fence(cx, ordering, scope, Order::Acquire);
    let access = Access {
        order: Some(order),
        scope: Some(memory_scope(scope)),
        eviction: None,
    };
    load(pass, cx, id, addr, access, (None, None))
}

/// A store of LLVM's with an order.
pub(in super::super) fn ordered_store(
    pass: &Desugar,
    cx: &mut Cx<'_>,
    id: OpId,
    access: (Value, Value),
    (ordering, scope): (AtomicOrdering, MemoryScope),
) -> Translated {
    let order = after_fence(cx, ordering, scope, Order::Release);
    let how = Access {
        order: Some(order),
        scope: Some(memory_scope(scope)),
        eviction: None,
    };
    store(pass, cx, id, access, how, None)
}

/// How the elements of a type are moved: the type of one, in which register it is, and how many there are.
fn moved(ty: &DesugaredType) -> Option<(Type, ScalarType, u32)> {
    let (scalar, count) = match ty {
        DesugaredType::Scalar(ElementType::Scalar(scalar)) => (*scalar, 1),
        DesugaredType::Fragment(count, ElementType::Scalar(scalar)) => (*scalar, *count),
        _ => return None,
    };
    let (ty, held) = match scalar {
        ScalarType::F32 => (Type::F32, ScalarType::F32),
        ScalarType::F64 => (Type::F64, ScalarType::F64),
        scalar => match scalar.bits() {
            8 => (Type::B8, ScalarType::I8),
            16 => (Type::B16, ScalarType::I16),
            32 => (Type::B32, ScalarType::I32),
            64 => (Type::B64, ScalarType::I64),
            _ => return None,
        },
    };
    Some((ty, held, count))
}

/// How an access is ordered, and when its line leaves the cache.
#[derive(Clone, Copy)]
struct Access {
    order: Option<Order>,
    scope: Option<Scope>,
    eviction: Option<Eviction>,
}

impl Access {
    /// That of an op with this order, this scope and this eviction.
    fn of(
        cx: &Cx<'_>,
        id: OpId,
        (order, scope, evict): (Option<MemOrder>, Option<MemScope>, Option<EvictKind>),
    ) -> Result<Self, Diagnostic<Origin>> {
        let order = match order {
            None | Some(MemOrder::Weak) => None,
            Some(order) => Some(load_order(cx, id, order)?),
        };
        Ok(Self {
            order,
            scope: scope.map(mem_scope),
            eviction: eviction(evict),
        })
    }
}

/// A load by the instruction.
fn load(
    pass: &Desugar,
    cx: &mut Cx<'_>,
    id: OpId,
    addr: Value,
    Access {
        order,
        scope,
        eviction,
    }: Access,
    (cache, prefetch): (Option<LoadCache>, Option<isa::Prefetch>),
) -> Translated {
    let result = cx.old(id).result(0);
    let Some(own) = number(cx.from.ty(result)) else {
        return Err(not_lowered(cx, id));
    };
    let Some((ty, held, count)) = moved(&own) else {
        return Err(not_lowered(cx, id));
    };
    let lanes = count as usize;
    let Some(width) = Width::of(lanes) else {
        return Err(not_lowered(cx, id));
    };
    let pointer = cx.one(addr);
    let (a, space) = address(cx, pointer)?;
    let load = Instruction::Ld {
        order,
        scope: scope.filter(|_| order.is_some_and(|order| order != Order::Volatile)),
        space,
        cache,
        eviction,
        hint: CacheHint(false),
        prefetch,
        width,
        ty,
        d: Results(vec![OpResult; lanes]),
        a,
        policy: None,
    };
    let made = emit(cx, pass.target, load, vec![of(held); lanes])?;
    let value = match (&own, made.as_slice()) {
        (DesugaredType::Scalar(_), [source]) => match of(held) == own {
            true => *source,
            false => cx.value(ArithOp::Bitcast { source: *source }, own),
        },
        (DesugaredType::Fragment(_, element), _) => {
            let one = DesugaredType::Scalar(*element);
            let mut elements = made;
            if of(held) != one {
                for source in &mut elements {
                    *source = cx.value(ArithOp::Bitcast { source: *source }, one.clone());
                }
            }
            cx.value(FragmentOp::Make { elements }, own)
        }
        _ => return Err(not_lowered(cx, id)),
    };
    cx.bind(result, [value]);
    Ok(())
}

/// A store by the instruction.
fn store(
    pass: &Desugar,
    cx: &mut Cx<'_>,
    id: OpId,
    (value, addr): (Value, Value),
    Access {
        order,
        scope,
        eviction,
    }: Access,
    cache: Option<StoreCache>,
) -> Translated {
    let (source, pointer) = (cx.one(value), cx.one(addr));
    let own = cx.ty(source).clone();
    let Some((ty, held, count)) = moved(&own) else {
        return Err(not_lowered(cx, id));
    };
    let lanes = count as usize;
    let Some(width) = Width::of(lanes) else {
        return Err(not_lowered(cx, id));
    };
    let elements: Vec<Value> = match &own {
        DesugaredType::Fragment(_, element) => {
            let one = DesugaredType::Scalar(*element);
            let each = (0..count).map(|index| cx.value(FragmentOp::Extract { source, index }, one.clone()));
            each.collect()
        }
        _ => vec![source],
    };
    let mut sources = Vec::new();
    for source in elements {
        sources.push(match *cx.ty(source) == of(held) {
            true => source,
            false => cx.value(ArithOp::Bitcast { source }, of(held)),
        });
    }
    let (a, space) = address(cx, pointer)?;
    let store = Instruction::St {
        order,
        scope: scope.filter(|_| order.is_some_and(|order| order != Order::Volatile)),
        space,
        cache,
        eviction,
        hint: CacheHint(false),
        width,
        ty,
        a,
        b: Sources(sources),
        policy: None,
    };
    effect(cx, pass.target, store)
}

pub(super) const fn mem_scope(scope: MemScope) -> Scope {
    match scope {
        MemScope::Cta => Scope::Cta,
        MemScope::Cluster => Scope::Cluster,
        MemScope::Gpu => Scope::Gpu,
        MemScope::Sys => Scope::Sys,
    }
}
