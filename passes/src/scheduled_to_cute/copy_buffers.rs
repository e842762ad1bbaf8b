//! Lowers buffers in shared memory, and copies between them and registers.

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{OpId, Origin, Translated, Value};
use tilewright_irs::cute_desugared::DesugaredType;
use tilewright_irs::dialects::fragment::FragmentOp;
use tilewright_irs::dialects::memory::MemoryOrder;
use tilewright_irs::element::ElementType;
use tilewright_irs::tileas::{Buffer, TileAsType};
use tilewright_layouts::Dim;
use tilewright_layouts::bank::Access as Way;
use tilewright_layouts::conversion::SharedAccess;

use super::address_tiles::owner;
use super::agent::Agent;
use super::emit::{Cx, at, bug, count, gathered, unsupported};
use super::shared_offsets::SharedOffsets;

/// An allocation: the address of its first byte.
pub(super) fn alloc(cx: &mut Cx<'_>, id: OpId, offset: Option<u32>) -> Translated {
    let (origin, result) = (cx.origin(), cx.old(id).result(0));
    let Some(buffer) = cx.from.ty(result).buffer() else {
        return Err(bug(origin, "an allocation of something that is no buffer"));
    };
    let Some(offset) = offset else {
        let message = "a buffer has no place in shared memory: run `allocate_shared` first";
        return Err(Diagnostic::error(Code::MissingAttribute, message).at(origin, ""));
    };
    let ty = DesugaredType::SharedPtr(buffer.element);
    let pointer = cx.value(FragmentOp::SharedPtr { offset }, ty);
    cx.bind(result, [pointer]);
    Ok(())
}

/// A view of a stage or of a box: the address of the stage. The type of a slice has its start, which accesses combine
/// with their own offsets.
pub(super) fn subview(cx: &mut Cx<'_>, id: OpId, source: Value, stage: Option<Value>) -> Translated {
    let (origin, result) = (cx.origin(), cx.old(id).result(0));
    let Some(buffer) = cx.from.ty(source).buffer() else {
        return Err(bug(origin, "a view of something that is no buffer"));
    };
    let bytes = u64::from((buffer.element_bits() / 8).max(1));
    let mut pointer = cx.one(source);
    if let Some(stage) = stage {
        let stage = cx.one(stage);
        let step = u32::try_from(buffer.stage_bytes() / bytes)
            .map_err(|_| unsupported(origin, "a stage of 4 GiB or more"))?;
        let mut emit = at(cx);
        let step = emit.i32(step);
        let elements = emit.mul(stage, step);
        pointer = emit.add_offset(pointer, elements);
    }
    cx.bind(result, [pointer]);
    Ok(())
}

/// The plan for moving a tile's registers to or from a buffer, `bits` at a time, and where a slice begins.
fn plan(
    way: Way,
    origin: Origin,
    tile: &TileAsType,
    buffer: &Buffer,
    bits: u32,
) -> Result<(SharedAccess, u32), Diagnostic<Origin>> {
    let (Some(layout), Some(memory)) = (tile.layout(), buffer.linear()) else {
        let message = "a copy between registers and a buffer with a CuTe layout is not supported yet";
        return Err(unsupported(origin, message));
    };
    let Some(bytes) = buffer.element.bytes() else {
        let message = format!("a buffer of `{}` is not supported yet", buffer.element);
        return Err(unsupported(origin, message));
    };
    let vector = (bits / (8 * bytes)).max(1);
    let wrong = |error| bug(origin, format!("a copy between registers and a buffer: {error}"));
    let tile = buffer.in_whole(layout).map_err(wrong)?;
    let access = SharedAccess::plan(way, &tile, memory, bytes, Some(vector)).map_err(wrong)?;
    let begin = buffer.offsets_of(layout).map_err(wrong)?;
    Ok((access, begin.map_or(0, |(_, begin)| begin)))
}

/// Stores a tile to a buffer.
pub(super) fn store(cx: &mut Cx<'_>, source: Value, to: Value, bits: u32, agent: Agent) -> Translated {
    let origin = cx.origin();
    let Some(buffer) = cx.from.ty(to).buffer() else {
        return Err(bug(origin, "a copy to something that is no buffer"));
    };
    let (plan, begin) = plan(Way::Store, origin, cx.from.ty(source), buffer, bits)?;
    let (value, base) = (cx.one(source), cx.one(to));
    let owner = owner(cx, Some(&plan.offsets), agent);
    let stored: Vec<u32> = plan.registers.sources().collect();
    let offsets = SharedOffsets::new(&plan.offsets, begin);
    for access in accesses(&offsets, plan.offsets.in_size(Dim::Register), plan.vector) {
        let pointer = offsets.pointer(cx, base, access.flipped, agent);
        let mut emit = at(cx);
        let registers = access.registers.iter();
        let registers = registers.filter_map(|register| stored.get(*register as usize).copied());
        let value = emit.rearrange(value, registers.collect());
        emit.0.effect(FragmentOp::Store {
            pointer,
            value,
            pred: owner,
            offsets: access.offsets,
            vector: plan.vector,
            order: MemoryOrder::Weak,
            scope: None,
            cache_policy: None,
            cache: None,
        });
    }
    Ok(())
}

/// Loads a tile from a buffer.
pub(super) fn load(cx: &mut Cx<'_>, id: OpId, source: Value, bits: u32, agent: Agent) -> Translated {
    let (origin, result) = (cx.origin(), cx.old(id).result(0));
    let Some(buffer) = cx.from.ty(source).buffer() else {
        return Err(bug(origin, "a copy from something that is no buffer"));
    };
    let (plan, begin) = plan(Way::Load, origin, cx.from.ty(result), buffer, bits)?;
    let base = cx.one(source);
    let mut places = vec![None; plan.offsets.in_size(Dim::Register) as usize];
    let offsets = SharedOffsets::new(&plan.offsets, begin);
    for access in accesses(&offsets, plan.offsets.in_size(Dim::Register), plan.vector) {
        let pointer = offsets.pointer(cx, base, access.flipped, agent);
        let loaded = cx.value(
            FragmentOp::Load {
                pointer,
                pred: None,
                other: None,
                offsets: access.offsets,
                vector: plan.vector,
                order: MemoryOrder::Weak,
                scope: None,
                cache_policy: None,
                cache: None,
                prefetch: None,
            },
            DesugaredType::Fragment(count(access.registers.len()), ElementType::Scalar(buffer.element)),
        );
        for (&register, i) in access.registers.iter().zip(0..) {
            if let Some(place) = places.get_mut(register as usize) {
                *place = Some((loaded, i));
            }
        }
    }
    let places: Option<Vec<(Value, u32)>> = plan
        .registers
        .sources()
        .map(|register| places.get(register as usize).copied().flatten())
        .collect();
    let value = places
        .and_then(|places| gathered(cx, &places))
        .ok_or_else(|| bug(origin, "a copy from a buffer leaves out a register"))?;
    cx.bind(result, [value]);
    Ok(())
}

/// The vectors whose offsets differ by constants in every thread.
struct Access {
    /// The contribution (exclusive or) of the registers to the thread's own offset bits.
    flipped: u32,
    registers: Vec<u32>,
    offsets: Vec<i64>,
}

/// Groups registers by their contribution to the offset bits that depend on the thread; a swizzle gives several
/// groups.
fn accesses(offsets: &SharedOffsets<'_>, registers: u32, vector: u32) -> Vec<Access> {
    let registers: Vec<u32> = (0..registers).collect();
    let mut list: Vec<Access> = Vec::new();
    for group in registers.chunks(vector as usize) {
        let Some(&first) = group.first() else { continue };
        let (flipped, rest) = offsets.of_register(first);
        match list.iter_mut().find(|access| access.flipped == flipped) {
            Some(access) => {
                access.registers.extend(group);
                access.offsets.push(rest);
            }
            None => list.push(Access {
                flipped,
                registers: group.to_vec(),
                offsets: vec![rest],
            }),
        }
    }
    list
}
