//! Lowers the ops of `cute_nvgpu`: tensor copies, what tensor maps need besides [their fields](super::make_maps), and matrix
//! descriptors.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{OpId, Origin, Translated, Value};
use tilewright_irs::dialects::arith::{ArithOp, Signedness};
use tilewright_irs::dialects::copies::CopiesOp;
use tilewright_irs::dialects::map_table::MAP_BYTES;
use tilewright_irs::isa::rules::forms::Elements;
use tilewright_irs::isa::{
    AlignedWord, CacheHint, Completion, CopyMask, FenceOrder, Im2col, Instruction, Multicast, OpResult,
    PrefetchLevel, Scope, Sources, Space, SyncWord, TensorAddress, Type,
};
use tilewright_layouts::Bytes;
use tilewright_layouts::SwizzleMode;
use tilewright_layouts::descriptor::{Field, MatrixDescriptor, SharedOffset, WgmmaDescriptor};

use super::emit::{Cx, I32, I64, at, i32, i64, unsupported};
use super::lower_addresses::generic;
use super::lower_barriers;
use super::make_maps::{Array, make_map};
use super::map_slots;
use super::map_tables;

/// The descriptor of a matrix that begins at a pointer.
fn matrix_descriptor(
    cx: &mut Cx<'_>,
    pointer: Value,
    [leading, stride]: [u32; 2],
    swizzle: SwizzleMode,
) -> Result<Value, Diagnostic<Origin>> {
    let origin = cx.origin();
    let offset = |field, bytes: u32| {
        SharedOffset::new(field, Bytes(u64::from(bytes)))
            .map_err(|range| unsupported(origin, range.to_string()))
    };
    let word = WgmmaDescriptor::of_fields(
        SharedOffset::default(),
        offset(Field::LeadingByteOffset, leading)?,
        offset(Field::StrideByteOffset, stride)?,
        swizzle,
    )
    .ok_or_else(|| unsupported(origin, "a matrix descriptor with this swizzle"))?;
    let pointer = cx.one(pointer);
    // In a cluster the bits above are the rank of the block.
    let (ty, d, a, b) = (Type::B32, OpResult, pointer, i32(cx, 0x3_FFFF));
    let address = cx.value(Instruction::And { ty, d, a, b }, I32);
    let rhs = i32(cx, 4);
    let signedness = Signedness::Unsigned;
    let units = cx.value(
        ArithOp::ShrI {
            lhs: address,
            rhs,
            signedness,
        },
        I32,
    );
    let start = cx.value(
        ArithOp::ExtI {
            source: units,
            signedness,
        },
        I64,
    );
    let fields = i64(cx, word.encode());
    Ok(cx.value(
        ArithOp::OrI {
            lhs: start,
            rhs: fields,
        },
        I64,
    ))
}

/// The element of an array that is described by a tensor map.
fn tensor(cx: &mut Cx<'_>, desc: Value, coord: &[Value]) -> TensorAddress<Value> {
    let map = cx.one(desc);
    TensorAddress {
        map: generic(cx, map),
        coordinates: coord.iter().map(|&value| cx.one(value)).collect(),
    }
}

/// A bulk copy to shared memory, of the cluster in general: the target, the source and the mbarrier.
fn bulk_load(
    cx: &mut Cx<'_>,
    from: Space,
    [target, source, barrier]: [Value; 3],
    size: u32,
    [blocks, policy]: [Option<Value>; 2],
) {
    let size = i32(cx, size);
    cx.build().effect(Instruction::BulkLoad {
        to: Space::SharedCluster,
        from,
        completion: Completion::Mbarrier,
        multicast: Multicast(blocks.is_some()),
        hint: CacheHint(policy.is_some()),
        target: at(target),
        source: at(source),
        size,
        barrier: at(barrier),
        blocks,
        policy,
    });
}

/// The offsets of pixels, if there are any.
fn pixels(cx: &Cx<'_>, offsets: &[Value]) -> Option<Sources<Value>> {
    (!offsets.is_empty()).then(|| Sources(offsets.iter().map(|&value| cx.one(value)).collect()))
}

/// Lowers an op of `copies`.
pub(super) fn lower(cx: &mut Cx<'_>, id: OpId, op: &CopiesOp) -> Translated {
    let origin = cx.origin();
    let policy = op.cache_policy().map(|policy| cx.one(policy));
    let hint = CacheHint(policy.is_some());
    let elements = || {
        op.elements()
            .ok_or_else(|| unsupported(origin, "a tensor copy of rank other than 1 to 5"))
    };
    match op {
        CopiesOp::MakeGmmaSmemDesc {
            pointer,
            leading,
            stride,
            swizzle,
        } => {
            let word = matrix_descriptor(cx, *pointer, [*leading, *stride], *swizzle)?;
            cx.bind(cx.old(id).result(0), [word]);
        }
        CopiesOp::MakeTmaDescTiledAt {
            to,
            base,
            extents,
            strides,
            box_extents,
            swizzle,
            rounded,
        } => {
            let array = Array {
                base: *base,
                extents,
                strides,
                box_extents,
                swizzle: *swizzle,
                rounded: rounded.0,
            };
            return make_map(cx, *to, &array);
        }
        CopiesOp::ClaimSlot { flags, words, slots } => {
            let slot = map_slots::claim(cx, *flags, *words, *slots);
            cx.bind(cx.old(id).result(0), [slot]);
        }
        CopiesOp::ReleaseSlot { flags, slot, slots } => map_slots::release(cx, *flags, *slot, *slots),
        CopiesOp::FindTmaDescs {
            at,
            key,
            maps,
            entries,
        } => {
            let found = map_tables::find(cx, *at, key, *maps, *entries);
            for (result, value) in cx.old(id).results().zip(found) {
                cx.bind(result, [value]);
            }
        }
        CopiesOp::CompleteTmaDescs { entry, key, maps } => {
            map_tables::complete(cx, *entry, key, *maps);
        }
        CopiesOp::PublishTmaDesc { from, to } => {
            let (source, target) = (at(cx.one(*from)), at(cx.one(*to)));
            cx.build().effect(Instruction::TensormapPublish {
                scope: Scope::Gpu,
                sync: SyncWord,
                aligned: AlignedWord,
                target,
                source,
                size: MAP_BYTES,
            });
        }
        CopiesOp::AcquireTmaDesc { desc } => {
            let pointer = cx.one(*desc);
            let a = at(generic(cx, pointer));
            cx.build().effect(Instruction::FenceTensormapAcquire {
                order: FenceOrder::Acquire,
                scope: Scope::Gpu,
                a,
                size: MAP_BYTES,
            });
        }
        CopiesOp::PrefetchTmaDesc { desc } => {
            let pointer = cx.one(*desc);
            let a = at(generic(cx, pointer));
            cx.build().effect(Instruction::TensormapPrefetch { a });
        }
        CopiesOp::TmaLoad {
            desc,
            to,
            barrier,
            coord,
            multicast_mask,
            offsets,
            ..
        } => {
            let Elements { rank, mode, .. } = elements()?;
            let (target, barrier) = (at(cx.one(*to)), at(cx.one(*barrier)));
            let source = tensor(cx, *desc, coord);
            let offsets = pixels(cx, offsets);
            let blocks = multicast_mask.map(|mask| cx.one(mask));
            cx.build().effect(Instruction::TensorLoad {
                rank,
                to: Space::SharedCluster,
                from: Space::Global,
                mode,
                im2col: Im2col(offsets.is_some()),
                completion: Completion::Mbarrier,
                multicast: Multicast(blocks.is_some()),
                hint,
                target,
                source,
                barrier,
                offsets,
                blocks,
                policy,
            });
        }
        CopiesOp::TmaPrefetch {
            desc, coord, offsets, ..
        } => {
            let Elements { rank, mode, .. } = elements()?;
            let source = tensor(cx, *desc, coord);
            let offsets = pixels(cx, offsets);
            cx.build().effect(Instruction::TensorPrefetch {
                rank,
                level: PrefetchLevel::L2,
                from: Space::Global,
                mode,
                im2col: Im2col(offsets.is_some()),
                hint,
                source,
                offsets,
                policy,
            });
        }
        CopiesOp::BulkCopyG2s {
            from,
            to,
            barrier,
            size,
            multicast_mask,
            ..
        } => {
            let places = [*to, *from, *barrier].map(|pointer| cx.one(pointer));
            let blocks = multicast_mask.map(|mask| cx.one(mask));
            bulk_load(cx, Space::Global, places, *size, [blocks, policy]);
        }
        CopiesOp::BulkCopyS2s {
            from,
            to,
            barrier,
            cta_rank,
            size,
        } => {
            let [to, from, barrier, rank] = [*to, *from, *barrier, *cta_rank].map(|value| cx.one(value));
            let places = [
                lower_barriers::in_block(cx, to, rank),
                from,
                lower_barriers::in_block(cx, barrier, rank),
            ];
            bulk_load(cx, Space::SharedCta, places, *size, [None, None]);
        }
        CopiesOp::BulkCopyS2g { from, to, size, .. } => {
            let (source, target) = (at(cx.one(*from)), at(cx.one(*to)));
            let size = i32(cx, *size);
            cx.build().effect(Instruction::BulkStore {
                to: Space::Global,
                from: Space::SharedCta,
                completion: Completion::Group,
                hint,
                masked: CopyMask(false),
                target,
                source,
                size,
                policy,
                mask: None,
            });
        }
        CopiesOp::CreatePolicy {
            fraction,
            eviction,
            otherwise,
        } => {
            let create = Instruction::CreatePolicy {
                first: *eviction,
                second: *otherwise,
                ty: Type::B64,
                d: OpResult,
                fraction: fraction.map(|part| cx.one(part)),
            };
            let made = cx.value(create, I64);
            cx.bind(cx.old(id).result(0), [made]);
        }
        CopiesOp::BulkPrefetch { from, size, .. } => {
            let (source, size) = (at(cx.one(*from)), i32(cx, *size));
            cx.build().effect(Instruction::BulkPrefetch {
                from: Space::Global,
                hint,
                source,
                size,
                policy,
            });
        }
        CopiesOp::TmaStore {
            desc, from, coord, ..
        } => {
            let Elements { rank, mode, .. } = elements()?;
            let source = at(cx.one(*from));
            let target = tensor(cx, *desc, coord);
            cx.build().effect(Instruction::TensorStore {
                rank,
                to: Space::Global,
                from: Space::SharedCta,
                mode,
                completion: Completion::Group,
                hint,
                target,
                source,
                policy,
            });
        }
        CopiesOp::TmaReduce {
            desc,
            from,
            coord,
            kind,
            ..
        } => {
            let Elements { rank, mode, .. } = elements()?;
            let source = at(cx.one(*from));
            let target = tensor(cx, *desc, coord);
            cx.build().effect(Instruction::TensorReduce {
                rank,
                to: Space::Global,
                from: Space::SharedCta,
                op: *kind,
                mode,
                completion: Completion::Group,
                hint,
                target,
                source,
                policy,
            });
        }
    }
    Ok(())
}
