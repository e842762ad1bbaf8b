//! Lowers tensor maps. The first warp of an agent makes them, in global memory.
//!
//! Where all blocks of a launch need the same maps, they share them in a table of the kernel, by what the maps are made from: the
//! address, the extents and the strides of the arrays, which are compared in full. The first block fills the entry, also for later
//! launches. A block that finds the entry incomplete, or filled for other arrays, makes its maps in a slot that no other running
//! block has.
//!
//! Only the warp that writes a map acquires it, before the entry is complete: a complete entry never changes, and no copy reads one
//! before. On an H200, `fence.proxy.tensormap` for a map by which another block of the multiprocessor copies at that time makes that
//! copy never complete (observed with PTX of CUDA 13).

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Flag, Func, OpId, Origin, Region, Translated, Value};
use tilewright_irs::cute_desugared::DesugaredType;
use tilewright_irs::dialects::arith::{ArithOp, Predicate};
use tilewright_irs::dialects::boxes::Boxes;
use tilewright_irs::dialects::copies::CopiesOp;
use tilewright_irs::dialects::gpu::GpuOp;
use tilewright_irs::dialects::map_table::MapEntry;
use tilewright_irs::dialects::pipe::PipeOp;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::literal::{Dense, Literal};
use tilewright_irs::machine::{LANES, Machine};
use tilewright_irs::scheduled::Scheduled;
use tilewright_irs::tileas::atoms::MAP_BYTES;
use tilewright_layouts::SwizzleMode;

use super::agent::Agent;
use super::emit::{Cx, I1, I32, at, bug, when};
use super::map_runs::{Run, runs, stores};

/// Words of flags for slots: at least as many as a GPU has multiprocessors, so that each has its own.
const WORDS: u32 = 256;
/// The most slots of a word of flags.
const SLOTS: u32 = u32::BITS;
/// The alignment in bytes of an array that a tensor map describes. (CUDA driver API, `cuTensorMapEncodeTiled`.)
const ARRAY_ALIGN: u32 = 16;
/// In the place of a slot's index.
const NO_SLOT: u32 = u32::MAX;
/// Entries of a table: launches with more different arrays make maps in slots.
const ENTRIES: u32 = 256;
/// The address of an mbarrier.
const BARRIER: DesugaredType = DesugaredType::SharedPtr(ScalarType::I64);
/// The address of a tensor map.
pub(super) const MAP: DesugaredType = DesugaredType::Scalar(ElementType::Ptr(ScalarType::I8));

/// The tensor maps of an agent.
#[derive(Clone, Debug)]
pub(super) struct Maps {
    /// The name of their variables.
    symbol: String,
    /// Slots of each word of flags: the blocks that a multiprocessor runs at once.
    slots: u32,
    /// Whether the agent stores from other buffers than the stages of pipes that it drains.
    stores: bool,
    runs: Vec<Run>,
    /// The maps of the current run so far.
    begun: Vec<Map>,
}

/// What a tensor map is made from.
#[derive(Clone, Debug)]
struct Map {
    /// The map, in the old body.
    result: Value,
    to: Value,
    base: Value,
    /// The extents of the array, and the distances in bytes along all axes but the innermost, from the innermost on.
    extents: Vec<Value>,
    strides: Vec<Value>,
    box_extents: Vec<u32>,
    swizzle: SwizzleMode,
    rounded: bool,
    /// The base address, and the extents and strides that are not constants.
    parts: Vec<Value>,
}

/// Where the variables of a run are.
struct Places {
    /// The slots.
    all: Value,
    /// The bytes of a slot.
    each: u32,
    flags: Value,
}

impl Maps {
    /// The maps of an agent's body, in a kernel of so many warps. The name is unique in the module.
    pub(super) fn of(func: &Func<Scheduled>, body: Region, warps: u32, name: String) -> Self {
        let room = Machine::of(func.attrs.target).multiprocessor;
        Self {
            symbol: name,
            slots: (room.warps / warps.max(1)).min(room.blocks).clamp(1, SLOTS),
            stores: stores(&func.body, body),
            runs: runs(func, body, false),
            begun: Vec::new(),
        }
    }

    fn variable(&self, cx: &mut Cx<'_>, name: &str, element: ScalarType, elements: u64, align: u32) -> Value {
        let op = ArithOp::Global {
            symbol: format!("{}_{name}", self.symbol),
            value: Dense::Splat(Literal::new(element, 0)),
            elements,
            align,
            visible: Flag(false),
        };
        cx.value(op, DesugaredType::Scalar(ElementType::Ptr(element)))
    }

    fn flags(&self, cx: &mut Cx<'_>, run: usize) -> Value {
        self.variable(cx, &format!("slots{run}"), ScalarType::I32, u64::from(WORDS), 4)
    }

    /// What is in the place of an array without elements, since there is no tensor map without any: one zero, as loads pad with. A
    /// map for stores has another one.
    fn nothing(&self, cx: &mut Cx<'_>, id: OpId, element: ScalarType) -> Value {
        let elements = u64::from(ARRAY_ALIGN / element.bytes().unwrap_or(1));
        let run = self.runs.iter().position(|run| run.ops.contains(&id));
        let name = format!("nothing{}_{}", run.unwrap_or(0), self.begun.len());
        self.variable(cx, &name, element, elements, ARRAY_ALIGN)
    }

    /// The variables of a run.
    fn places(&self, cx: &mut Cx<'_>, run: usize) -> Places {
        let count = self.runs.get(run).map_or(0, |run| run.ops.len());
        let each = u32::try_from(count).unwrap_or(u32::MAX) * MAP_BYTES;
        let size = u64::from(WORDS * self.slots) * u64::from(each);
        Places {
            all: self.variable(cx, &format!("maps{run}"), ScalarType::I8, size, MAP_BYTES),
            each,
            flags: self.flags(cx, run),
        }
    }

    /// Claims slots at the beginning of the agent for maps that are made in loops and branches: they are given back at the end.
    pub(super) fn begin(&mut self, cx: &mut Cx<'_>, agent: Agent) -> Translated {
        for number in 0..self.runs.len() {
            if !self.runs.get(number).is_some_and(|run| run.is_nested) {
                continue;
            }
            let places = self.places(cx, number);
            let first_warp = is_first_warp(cx, agent);
            let none = at(cx).i32(NO_SLOT);
            let claimed = when(cx, first_warp, &[(I32, none)], |cx| {
                Ok(vec![self.slot(cx, &places, None, agent)?])
            })?;
            if let Some(run) = self.runs.get_mut(number) {
                run.slot = claimed.first().copied();
            }
        }
        Ok(())
    }

    /// Makes the tensor map of an array for these boxes; those of a run are made by its last op.
    pub(super) fn make(
        &mut self,
        cx: &mut Cx<'_>,
        id: OpId,
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
        let mut extents: Vec<Value> = ty.extents.iter().map(|&known| number(cx, known)).collect();
        let mut emit = at(cx);
        let (none, one) = (emit.i64(0), emit.i64(1));
        let open_extents = extents
            .iter()
            .zip(&ty.extents)
            .filter(|(_, known)| known.is_none());
        let lacks = open_extents.map(|(&extent, _)| emit.compare(extent, Predicate::Equal, none));
        let lacks: Vec<Value> = lacks.collect();
        let is_empty = lacks.into_iter().reduce(|others, lacks| emit.or(others, lacks));
        if let Some(is_empty) = is_empty {
            for extent in &mut extents {
                *extent = emit.select(is_empty, one, *extent);
            }
        }
        let strides: Vec<Value> = ty.strides.iter().map(|&known| number(cx, known)).collect();
        let base = *parts
            .first()
            .ok_or_else(|| bug(origin, "an array without an address"))?;
        let base = match is_empty {
            Some(is_empty) => {
                let nothing = self.nothing(cx, id, ty.element);
                at(cx).select(is_empty, nothing, base)
            }
            None => base,
        };
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
        let outer: Vec<Value> = order
            .iter()
            .skip(1)
            .filter_map(|&axis| strides.get(axis).copied())
            .collect();
        self.begun.push(Map {
            result: cx.old(id).result(0),
            to: cx.one(scratch),
            base,
            extents: order
                .iter()
                .filter_map(|&axis| extents.get(axis).copied())
                .collect(),
            strides: outer
                .into_iter()
                .map(|stride| at(cx).scale(stride, bytes))
                .collect(),
            box_extents,
            swizzle: boxes.swizzle,
            rounded: boxes.rounded,
            parts,
        });
        let is_last = |run: &Run| run.ops.last() == Some(&id);
        match self.runs.iter().position(is_last) {
            Some(run) => self.finish(cx, run, agent),
            None => Ok(()),
        }
    }

    /// Makes the tensor maps of a run.
    fn finish(&mut self, cx: &mut Cx<'_>, run: usize, agent: Agent) -> Translated {
        let maps = std::mem::take(&mut self.begun);
        let count = u32::try_from(maps.len()).unwrap_or(u32::MAX);
        let mut key: Vec<Value> = Vec::new();
        for &part in maps.iter().flat_map(|map| &map.parts) {
            if !key.contains(&part) {
                key.push(part);
            }
        }
        let words = u32::try_from(key.len()).unwrap_or(u32::MAX);
        let (is_of_launch, held) = match self.runs.get(run) {
            Some(run) => (run.is_of_launch && !run.is_nested, run.slot),
            None => (false, None),
        };
        let places = self.places(cx, run);
        let table = (is_of_launch && words <= MapEntry::MOST_WORDS).then(|| {
            let entry = MapEntry { maps: count, words };
            let size = u64::from(ENTRIES) * u64::from(entry.bytes());
            (
                self.variable(cx, &format!("table{run}"), ScalarType::I8, size, MAP_BYTES),
                entry,
            )
        });
        // The other warps of the agent issue no copies.
        let first_warp = is_first_warp(cx, agent);
        let no_slot = at(cx).i32(NO_SLOT);
        let made = when(
            cx,
            first_warp,
            &[(MAP, places.all), (I32, no_slot)],
            |cx| match table {
                Some((table, entry)) => self.find(cx, (table, entry, &key), &places, &maps, agent),
                None => {
                    let slot = match held {
                        Some(slot) => slot,
                        None => self.slot(cx, &places, None, agent)?,
                    };
                    let base = in_slot(cx, &places, slot);
                    write(cx, base, &maps, agent)?;
                    Ok(vec![base, slot])
                }
            },
        )?;
        let &[base, slot] = made.as_slice() else {
            return Err(bug(cx.origin(), "tensor maps without an address"));
        };
        if let Some(run) = self.runs.get_mut(run) {
            run.slot = held.or(Some(slot));
        }
        for (number, map) in (0..).zip(&maps) {
            let desc = map_at(cx, base, number);
            cx.bind(map.result, [desc]);
        }
        Ok(())
    }

    /// Finds the maps in a table, or writes them: to the table if the block is the first with this key, else, while another block
    /// writes the entry or if the entry is that of another key, to a slot. Gives the address of the first map, and the slot.
    fn find(
        &self,
        cx: &mut Cx<'_>,
        (table, entry, key): (Value, MapEntry, &[Value]),
        places: &Places,
        maps: &[Map],
        agent: Agent,
    ) -> Result<Vec<Value>, Diagnostic<Origin>> {
        let count = entry.maps;
        let first = is_first_thread(cx, agent);
        let (none, no) = (at(cx).i32(NO_SLOT), at(cx).i32(0));
        // Flags as i32: shuffles exchange words.
        let found = when(cx, first, &[(I32, no), (I32, no), (I32, no)], |cx| {
            let find = CopiesOp::FindTmaDescs {
                at: table,
                key: key.to_vec(),
                maps: count,
                entries: ENTRIES,
            };
            let find = cx.build().op(find, [I32, I1, I1]);
            let results: Vec<Value> = cx.new_body().op(find).results().collect();
            let mut emit = at(cx);
            let (yes, no) = (emit.i32(1), emit.i32(0));
            let number = |(at, &value): (usize, &Value)| match at {
                0 => value,
                _ => emit.select(value, yes, no),
            };
            Ok(results.iter().enumerate().map(number).collect())
        })?;
        let found: Vec<Value> = found.into_iter().map(|value| of_first_lane(cx, value)).collect();
        let &[number, complete, mine] = found.as_slice() else {
            return Err(bug(cx.origin(), "a table without an entry"));
        };
        let mut emit = at(cx);
        let each = emit.i32(entry.bytes());
        let offset = emit.mul(number, each);
        let entry = emit.add_offset(table, offset);
        let missing = emit.compare(complete, Predicate::Equal, no);
        let mine = emit.compare(mine, Predicate::NotEqual, no);
        when(cx, missing, &[(MAP, entry), (I32, none)], |cx| {
            let slot = self.slot(cx, places, Some(mine), agent)?;
            let own = in_slot(cx, places, slot);
            let base = at(cx).select(mine, entry, own);
            write(cx, base, maps, agent)?;
            cx.build().effect(GpuOp::WarpSync {});
            let fills = at(cx).and(first, mine);
            when(cx, fills, &[], |cx| {
                let (key, maps) = (key.to_vec(), count);
                cx.build().effect(CopiesOp::CompleteTmaDescs { entry, key, maps });
                Ok(Vec::new())
            })?;
            Ok(vec![base, slot])
        })
    }

    /// The slot of the block, which the first thread of the agent claims, unless the warp has a place already, and tells its warp.
    fn slot(
        &self,
        cx: &mut Cx<'_>,
        places: &Places,
        has_place: Option<Value>,
        agent: Agent,
    ) -> Result<Value, Diagnostic<Origin>> {
        let (flags, words, slots) = (places.flags, WORDS, self.slots);
        let first = is_first_thread(cx, agent);
        let mut emit = at(cx);
        let none = emit.i32(NO_SLOT);
        let claims = match has_place {
            Some(has_place) => {
                let no = emit.i1(false);
                emit.select(has_place, no, first)
            }
            None => first,
        };
        let claimed = when(cx, claims, &[(I32, none)], |cx| {
            let slot = cx.value(CopiesOp::ClaimSlot { flags, words, slots }, I32);
            Ok(vec![slot])
        })?;
        let &[claimed] = claimed.as_slice() else {
            return Err(bug(cx.origin(), "a claim without a slot"));
        };
        Ok(of_first_lane(cx, claimed))
    }

    /// Gives the slots back, at the end of the agent, when no copy reads its maps any more: those of a pipe do not when it is
    /// drained. (PTX ISA, `cp.async.bulk.wait_group`: `.read` waits for the reads of tensor maps and of shared memory, which
    /// the block's end needs too.)
    pub(super) fn release(&self, cx: &mut Cx<'_>, agent: Agent) -> Translated {
        if self.stores {
            let read = Flag(true);
            cx.build().effect(GpuOp::BulkWait { in_flight: 0, read });
        }
        let slots = self.slots;
        for (number, run) in self.runs.iter().enumerate() {
            let Some(slot) = run.slot else {
                continue;
            };
            let flags = self.flags(cx, number);
            let first = is_first_thread(cx, agent);
            let mut emit = at(cx);
            let none = emit.i32(NO_SLOT);
            let has_slot = emit.compare(slot, Predicate::NotEqual, none);
            let releases = emit.and(first, has_slot);
            when(cx, releases, &[], |cx| {
                cx.build().effect(CopiesOp::ReleaseSlot { flags, slot, slots });
                Ok(Vec::new())
            })?;
        }
        Ok(())
    }
}

/// An i32 of the first lane of the warp.
fn of_first_lane(cx: &mut Cx<'_>, value: Value) -> Value {
    let lane = at(cx).i32(0);
    cx.value(GpuOp::ShuffleIdx { value, lane }, I32)
}

/// The address of a map behind the first one.
fn map_at(cx: &mut Cx<'_>, base: Value, number: u32) -> Value {
    if number == 0 {
        return base;
    }
    let mut emit = at(cx);
    let offset = emit.i32(number * MAP_BYTES);
    emit.add_offset(base, offset)
}

/// The address of the first map in a slot.
fn in_slot(cx: &mut Cx<'_>, places: &Places, slot: Value) -> Value {
    let mut emit = at(cx);
    let each = emit.i32(places.each);
    let offset = emit.mul(slot, each);
    emit.add_offset(places.all, offset)
}

/// Writes maps to global memory, by way of shared memory, for the copies of this warp.
fn write(cx: &mut Cx<'_>, base: Value, maps: &[Map], agent: Agent) -> Translated {
    for (number, map) in (0..).zip(maps) {
        let first = is_first_thread(cx, agent);
        when(cx, first, &[], |cx| {
            cx.build().effect(CopiesOp::MakeTmaDescTiledAt {
                to: map.to,
                base: map.base,
                extents: map.extents.clone(),
                strides: map.strides.clone(),
                box_extents: map.box_extents.clone(),
                swizzle: map.swizzle,
                rounded: Flag(map.rounded),
            });
            Ok(Vec::new())
        })?;
        cx.build().effect(GpuOp::WarpSync {});
        let (from, to) = (map.to, map_at(cx, base, number));
        cx.build().effect(CopiesOp::PublishTmaDesc { from, to });
        cx.build().effect(CopiesOp::AcquireTmaDesc { desc: to });
        // The next map may be made in the same bytes.
        cx.build().effect(GpuOp::WarpSync {});
    }
    Ok(())
}

fn is_first_warp(cx: &mut Cx<'_>, agent: Agent) -> Value {
    let mut emit = at(cx);
    let lanes = emit.i32(LANES);
    emit.compare(agent.thread, Predicate::Less, lanes)
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
