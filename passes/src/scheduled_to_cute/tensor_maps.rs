//! Lowers tensor maps. The first warp of an agent makes them, in a slot of global memory that no other running block has.

use rustc_hash::FxHashSet;
use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Body, Func, Operation, Region, Translated, Value};
use tilewright_irs::cute_desugared::DesugaredType;
use tilewright_irs::dialects::arith::{ArithOp, Predicate};
use tilewright_irs::dialects::boxes::Boxes;
use tilewright_irs::dialects::cute_nvgpu::CuteNvgpuOp;
use tilewright_irs::dialects::gpu::GpuOp;
use tilewright_irs::dialects::pipe::{PipeKind, PipeOp, PipeType, PipeValue};
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::literal::{Dense, Literal};
use tilewright_irs::machine::{LANES, Machine};
use tilewright_irs::scheduled::{Scheduled, ScheduledOp};
use tilewright_irs::tileas::TileAsDialect;
use tilewright_irs::tileas::atoms::MAP_BYTES;

use super::agent::Agent;
use super::emit::{Cx, I1, I32, at, bug, when};

/// Words of flags for slots: at least as many as a GPU has multiprocessors, so that each has its own.
const WORDS: u32 = 256;
/// The most slots of a word of flags.
const SLOTS: u32 = u32::BITS;
/// The address of an mbarrier.
const BARRIER: DesugaredType = DesugaredType::SharedPtr(ScalarType::I64);
/// The address of a tensor map.
pub(super) const MAP: DesugaredType = DesugaredType::Scalar(ElementType::Ptr(ScalarType::I8));

/// Whether a function copies by tensor maps.
pub(super) fn uses(func: &Func<Scheduled>) -> bool {
    func.body.ops().any(|(_, op)| {
        matches!(&op.kind, ScheduledOp::TileAs(TileAsDialect::TensorMap { .. }))
            || stores_by_map(&op.kind)
            || op
                .results()
                .any(|result| counts_bytes(func.body.ty(result).pipe()))
    })
}

fn stores_by_map(op: &ScheduledOp) -> bool {
    matches!(
        op,
        ScheduledOp::TileAs(TileAsDialect::CopyOut { map: Some(_), .. })
    )
}

fn counts_bytes(ty: Option<PipeType>) -> bool {
    ty.and_then(PipeType::kind).is_some_and(PipeKind::counts_bytes)
}

/// The tensor maps of an agent.
#[derive(Clone, Debug)]
pub(super) struct Maps {
    /// The name of their variables.
    symbol: String,
    /// The number of maps of the agent.
    count: u32,
    /// Slots of each word of flags: the blocks that a multiprocessor runs at once.
    slots: u32,
    /// Whether the agent stores from other buffers than the stages of pipes that it drains.
    stores: bool,
    /// The number of maps so far.
    made: u32,
    /// The agent's slot, in its first warp.
    slot: Option<Value>,
}

impl Maps {
    /// The maps of an agent's body, in a kernel of so many warps. The name is unique in the module.
    pub(super) fn of(func: &Func<Scheduled>, body: Region, warps: u32, name: String) -> Self {
        let room = Machine::of(func.attrs.target).multiprocessor;
        Self {
            symbol: name,
            count: count(func, body),
            slots: (room.warps / warps.max(1)).min(room.blocks).clamp(1, SLOTS),
            stores: stores(&func.body, body),
            made: 0,
            slot: None,
        }
    }

    fn variable(
        &self,
        cx: &mut Cx<'_>,
        suffix: &str,
        element: ScalarType,
        elements: u64,
        align: u32,
    ) -> Value {
        let op = ArithOp::Global {
            symbol: format!("{}_{suffix}", self.symbol),
            value: Dense::Splat(Literal::new(element, 0)),
            elements,
            align,
            visible: tilewright_irs::core::Flag(false),
        };
        cx.value(op, DesugaredType::Scalar(ElementType::Ptr(element)))
    }

    fn flags(&self, cx: &mut Cx<'_>) -> Value {
        self.variable(cx, "slots", ScalarType::I32, u64::from(WORDS), 4)
    }

    /// The slot of the block, which the first thread of the agent claims and tells its warp.
    fn slot(&mut self, cx: &mut Cx<'_>, agent: Agent) -> Value {
        if let Some(slot) = self.slot {
            return slot;
        }
        let flags = self.flags(cx);
        let (words, slots) = (WORDS, self.slots);
        let first = is_first_thread(cx, agent);
        let none = at(cx).i32(0);
        let claimed = when(cx, first, &[(I32, none)], |cx| {
            let slot = cx.value(CuteNvgpuOp::ClaimSlot { flags, words, slots }, I32);
            Ok(vec![slot])
        });
        let claimed = claimed.map_or(none, |values| values.first().copied().unwrap_or(none));
        let lane = at(cx).i32(0);
        let value = claimed;
        let slot = cx.value(GpuOp::ShuffleIdx { value, lane }, I32);
        *self.slot.insert(slot)
    }

    /// Makes the tensor map of an array for these boxes.
    pub(super) fn make(
        &mut self,
        cx: &mut Cx<'_>,
        result: Value,
        (memref, scratch, dim_map): (Value, Value, &[u32]),
        boxes: &Boxes,
        agent: Agent,
    ) -> Translated {
        let origin = cx.origin();
        let Some(ty) = cx.from.ty(memref).memref().cloned() else {
            return Err(bug(origin, "a tensor map of something that is no array"));
        };
        let order = Boxes::order(&ty)
            .map_err(|refusal| Diagnostic::error(refusal.code, refusal.message).at(origin, ""))?;
        let bytes = u64::from(ty.element.bytes().unwrap_or(1));
        // The base address, then the dynamic extents and strides.
        let parts = cx.all(memref).to_vec();
        let mut open = parts.iter().skip(1).copied();
        let mut number = |cx: &mut Cx<'_>, known: Option<u64>| match known {
            Some(known) => at(cx).i64(known),
            None => open.next().unwrap_or(memref),
        };
        let extents: Vec<Value> = ty.extents.iter().map(|&known| number(cx, known)).collect();
        let strides: Vec<Value> = ty.strides.iter().map(|&known| number(cx, known)).collect();
        let base = *parts
            .first()
            .ok_or_else(|| bug(origin, "an array without an address"))?;
        let box_extents: Vec<u32> = order
            .iter()
            .map(|&axis| {
                let tile_axis = dim_map.iter().position(|&mapped| mapped as usize == axis);
                tile_axis
                    .and_then(|axis| boxes.extents.get(axis))
                    .copied()
                    .unwrap_or(1)
            })
            .collect();
        let to = cx.one(scratch);
        let swizzle = boxes.swizzle;
        let own = self.made;
        self.made += 1;
        let size = u64::from(WORDS * self.slots) * u64::from(self.count * MAP_BYTES);
        let all = self.variable(cx, "maps", ScalarType::I8, size, MAP_BYTES);
        // The other warps of the agent issue no copies.
        let mut emit = at(cx);
        let lanes = emit.i32(LANES);
        let first_warp = emit.compare(agent.thread, Predicate::Less, lanes);
        let no_slot = emit.i32(0);
        let made = when(cx, first_warp, &[(MAP, all), (I32, no_slot)], |cx| {
            let slot = self.slot(cx, agent);
            let mut emit = at(cx);
            let each = emit.i32(self.count * MAP_BYTES);
            let begin = emit.mul(slot, each);
            let within = emit.i32(own * MAP_BYTES);
            let offset = emit.add(begin, within);
            let desc = emit.add_offset(all, offset);
            let first = is_first_thread(cx, agent);
            when(cx, first, &[], |cx| {
                let extents = order
                    .iter()
                    .filter_map(|&axis| extents.get(axis))
                    .copied()
                    .collect();
                let outer = order.iter().skip(1).filter_map(|&axis| strides.get(axis));
                let outer: Vec<Value> = outer.copied().collect();
                let strides = outer
                    .into_iter()
                    .map(|stride| at(cx).scale(stride, bytes))
                    .collect();
                cx.build().effect(CuteNvgpuOp::MakeTmaDescTiledAt {
                    to,
                    base,
                    extents,
                    strides,
                    box_extents,
                    swizzle,
                });
                Ok(Vec::new())
            })?;
            cx.build().effect(GpuOp::WarpSync {});
            cx.build()
                .effect(CuteNvgpuOp::PublishTmaDesc { from: to, to: desc });
            cx.build().effect(CuteNvgpuOp::AcquireTmaDesc { desc });
            Ok(vec![desc, slot])
        })?;
        let &[desc, slot] = made.as_slice() else {
            return Err(bug(origin, "a tensor map without an address"));
        };
        self.slot = Some(slot);
        cx.bind(result, [desc]);
        Ok(())
    }

    /// Gives the slot back, at the end of the agent, when no copy reads its maps any more: those of a pipe do not when it is
    /// drained. (PTX ISA, `cp.async.bulk.wait_group`: `.read` waits for the reads of tensor maps and of shared memory, which
    /// the block's end needs too.)
    pub(super) fn release(&self, cx: &mut Cx<'_>, agent: Agent) -> Translated {
        if self.stores {
            let read = tilewright_irs::core::Flag(true);
            cx.build().effect(GpuOp::BulkWait { in_flight: 0, read });
        }
        let Some(slot) = self.slot else {
            return Ok(());
        };
        let flags = self.flags(cx);
        let first = is_first_thread(cx, agent);
        let slots = self.slots;
        when(cx, first, &[], |cx| {
            cx.build().effect(CuteNvgpuOp::ReleaseSlot { flags, slot, slots });
            Ok(Vec::new())
        })?;
        Ok(())
    }
}

/// The number of tensor maps that a region makes.
fn count(func: &Func<Scheduled>, region: Region) -> u32 {
    let blocks = func.body.region(region).blocks.iter();
    let ops = blocks.flat_map(|&block| &func.body.block(block).ops);
    ops.map(|&id| {
        let kind = &func.body.op(id).kind;
        let own = matches!(kind, ScheduledOp::TileAs(TileAsDialect::TensorMap { .. }));
        let inner = kind.region_list().into_iter().map(|region| count(func, region));
        u32::from(own) + inner.sum::<u32>()
    })
    .sum()
}

/// Whether a region stores by tensor maps from other buffers than the stages of pipes that it drains.
fn stores(body: &Body<Scheduled>, region: Region) -> bool {
    let ops = body.walk_region(region);
    let kinds = || ops.iter().map(|&id| (id, &body.op(id).kind));
    let drained: FxHashSet<Value> = kinds()
        .filter_map(|(_, kind)| match kind {
            ScheduledOp::Pipe(PipeOp::Drain { pipe, .. }) => Some(*pipe),
            _ => None,
        })
        .collect();
    let stages: FxHashSet<Value> = kinds()
        .filter(|(_, kind)| {
            matches!(kind, ScheduledOp::Pipe(PipeOp::Wait { pipe, .. }) if drained.contains(pipe))
        })
        .flat_map(|(id, _)| body.op(id).results())
        .collect();
    kinds().any(|(_, kind)| {
        matches!(kind, ScheduledOp::TileAs(TileAsDialect::CopyOut { source, .. }) if !stages.contains(source))
    })
}

fn is_first_thread(cx: &mut Cx<'_>, agent: Agent) -> Value {
    let mut emit = at(cx);
    let zero = emit.i32(0);
    emit.compare(agent.thread, Predicate::Equal, zero)
}

/// An i1 that is true in the thread of the agent that issues its copies.
pub(super) fn issuer(cx: &mut Cx<'_>, thread: Value) -> Value {
    let elected = cx.value(GpuOp::Elect {}, I1);
    let mut emit = at(cx);
    let lanes = emit.i32(LANES);
    let first_warp = emit.compare(thread, Predicate::Less, lanes);
    emit.and(elected, first_warp)
}

/// The barrier that counts the bytes of a stage, by the stage's token.
pub(super) fn bytes_barrier(cx: &mut Cx<'_>, token: Value) -> Value {
    cx.value(PipeOp::Barrier { token }, BARRIER)
}
