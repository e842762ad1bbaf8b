//! Layout conversions: other registers of the same thread, or a round trip through shared memory.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{OpId, Origin, Translated, Value, ValueType};
use tilewright_irs::cute::{CuteNvgpuDialect, CuteType};
use tilewright_irs::dialects::arith::ArithOp;
use tilewright_irs::dialects::memory::MemoryOrder;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_layouts::SharedRoundTrip;
use tilewright_layouts::{Dim, LinearLayout};

use super::address_tiles::owner;
use super::emit::{Cx, I32, at, bug, count};
use super::lower_fragments::{Agent, barrier};
use super::placement::{register_coordinate, span_mask, thread_bases};

fn layouts<'a>(
    cx: &Cx<'a>,
    id: OpId,
    source: Value,
) -> Result<(&'a LinearLayout, &'a LinearLayout), Diagnostic<Origin>> {
    match (
        cx.from.ty(source).layout(),
        cx.from.ty(cx.old(id).result(0)).layout(),
    ) {
        (Some(from), Some(to)) => Ok((from, to)),
        _ => Err(bug(cx.origin(), "a layout conversion is about tiles")),
    }
}

/// A conversion that the schedule says needs no other thread.
pub(super) fn in_registers(cx: &mut Cx<'_>, id: OpId, source: Value) -> Translated {
    let (from, to) = layouts(cx, id, source)?;
    let Some(map) = to.registers_from(from) else {
        let message = "a layout conversion in registers would move elements between threads";
        return Err(bug(cx.origin(), message).note(format!("from {from} to {to}")));
    };
    let new = cx.one(source);
    let new = at(cx).rearrange(new, map.sources().collect());
    cx.bind(cx.old(id).result(0), [new]);
    Ok(())
}

/// A conversion through shared memory from byte `offset` on: store, meet, load, meet.
pub(super) fn through_shared(
    cx: &mut Cx<'_>,
    id: OpId,
    source: Value,
    offset: u32,
    agent: Agent,
) -> Translated {
    let origin = cx.origin();
    let (from, to) = layouts(cx, id, source)?;
    let result = cx.old(id).result(0);
    let mut value = cx.one(source);
    let Some(element) = cx.ty(value).element() else {
        return Err(bug(origin, "a layout conversion is about elements"));
    };
    // Addresses travel as numbers.
    let scalar = element.scalar().unwrap_or(ScalarType::I64);
    if matches!(element, ElementType::Ptr(_)) {
        let ty = cx.ty(value).with_element(ElementType::I64);
        value = cx.value(ArithOp::PtrToInt { source: value }, ty);
    }
    let Some(bytes) = scalar.bytes() else {
        return Err(bug(origin, format!("`{scalar}` does not fill whole bytes")));
    };
    let plan = SharedRoundTrip::plan(from, to, bytes)
        .map_err(|error| bug(origin, format!("a layout conversion: {error}")))?;
    let base = cx.value(
        CuteNvgpuDialect::SharedPtr { offset },
        CuteType::SharedPtr(scalar),
    );

    let owner = owner(cx, Some(&plan.store), agent);
    let stored: Vec<u32> = plan.store_registers.sources().collect();
    for access in accesses(&plan.store, plan.store_vector) {
        let pointer = access.pointer(cx, base, &plan.store, agent);
        let mut emit = at(cx);
        let registers = access.registers.iter();
        let registers = registers.filter_map(|register| stored.get(*register as usize).copied());
        let value = emit.rearrange(value, registers.collect());
        emit.0.effect(CuteNvgpuDialect::Store {
            pointer,
            value,
            pred: owner,
            offsets: access.offsets,
            vector: plan.store_vector,
            order: MemoryOrder::Weak,
            scope: None,
        });
    }
    barrier(cx, agent);
    let mut places = vec![None; plan.load.in_size(Dim::Register) as usize];
    for access in accesses(&plan.load, plan.load_vector) {
        let pointer = access.pointer(cx, base, &plan.load, agent);
        let loaded = cx.value(
            CuteNvgpuDialect::Load {
                pointer,
                pred: None,
                other: None,
                offsets: access.offsets,
                vector: plan.load_vector,
                order: MemoryOrder::Weak,
                scope: None,
            },
            CuteType::Fragment(count(access.registers.len()), ElementType::Scalar(scalar)),
        );
        for (&register, i) in access.registers.iter().zip(0..) {
            if let Some(place) = places.get_mut(register as usize) {
                *place = Some((loaded, i));
            }
        }
    }
    barrier(cx, agent);
    let places: Vec<Option<(Value, u32)>> = plan
        .load_registers
        .sources()
        .map(|register| places.get(register as usize).copied().flatten())
        .collect();
    let mut value =
        gathered(cx, &places).ok_or_else(|| bug(origin, "a layout conversion leaves out a register"))?;
    if matches!(element, ElementType::Ptr(_)) {
        let ty = cx.ty(value).with_element(element);
        value = cx.value(ArithOp::IntToPtr { source: value }, ty);
    }
    cx.bind(result, [value]);
    Ok(())
}

/// The fragment whose registers are at these places of others.
fn gathered(cx: &mut Cx<'_>, places: &[Option<(Value, u32)>]) -> Option<Value> {
    let places: Vec<(Value, u32)> = places.iter().copied().collect::<Option<_>>()?;
    let (first, _) = *places.first()?;
    let mut emit = at(cx);
    if places.iter().all(|(value, _)| *value == first) {
        return Some(emit.rearrange(first, places.iter().map(|(_, i)| *i).collect()));
    }
    let elements = places.iter().map(|&(value, i)| emit.extract(value, i)).collect();
    emit.fragment(elements)
}

/// The vectors of one access: those whose offsets differ by constants in every thread.
struct Access {
    /// What the registers add (exclusive or) to the thread's own offset bits.
    flipped: u32,
    registers: Vec<u32>,
    offsets: Vec<i64>,
}

/// Groups registers by what they flip among the offset bits that depend on the thread; a swizzle makes several groups.
fn accesses(offsets: &LinearLayout, vector: u32) -> Vec<Access> {
    let registers: Vec<u32> = (0..offsets.in_size(Dim::Register)).collect();
    let mask = u32::try_from(span_mask(&thread_bases(offsets, 0))).unwrap_or(0);
    let mut list: Vec<Access> = Vec::new();
    for group in registers.chunks(vector as usize) {
        let Some(&first) = group.first() else { continue };
        let offset = register_coordinate(offsets, first, 0);
        let flipped = offset & mask;
        let rest = i64::from(offset & !mask);
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

impl Access {
    fn pointer(&self, cx: &mut Cx<'_>, base: Value, offsets: &LinearLayout, agent: Agent) -> Value {
        let mut emit = at(cx);
        let part = emit.crd2idx(agent.thread, thread_bases(offsets, 0), I32);
        let part = match self.flipped {
            0 => part,
            flipped => {
                let flipped = emit.i32(flipped);
                emit.xor(part, flipped)
            }
        };
        emit.add_offset(base, part)
    }
}
