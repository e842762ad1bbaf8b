//! Lowers prints and assertions. The first thread of the agent prints, all others wait for it at most within its warp.

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{Flag, OpId, Origin, Translated, Value, ValueType};
use tilewright_irs::cute_desugared::DesugaredType;
use tilewright_irs::dialects::arith::{ArithOp, Predicate, Signedness};
use tilewright_irs::dialects::fragment::FragmentOp;
use tilewright_irs::dialects::gpu::{GpuOp, WarpReduction};
use tilewright_irs::dialects::memory::MemoryOrder;
use tilewright_irs::dialects::scf::{LoopPlan, ScfOp};
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::format::{self, MAX_VALUES, Part};
use tilewright_irs::tileas::TileAsType;
use tilewright_layouts::{Dim, LinearLayout};

use super::agent::Agent;
use super::emit::{Cx, I32, at, bug, count};
use super::placement::{LANE_BITS, distinct_registers};
use crate::branches::when;
use crate::vprintf::{Call, fail};

/// The index of an element that there is not.
const NONE: u32 = u32::MAX;

/// Prints scalars, and the elements of buffers.
pub(super) fn print(cx: &mut Cx<'_>, text: &str, values: &[Value], agent: Agent) -> Translated {
    let origin = cx.origin();
    let parts = parsed(text, origin)?;
    if let Some(&tile) = values.iter().find(|&&value| cx.from.ty(value).layout().is_some()) {
        let message = format!(
            "a tile of {:?} is printed from registers: run `stage_prints` first",
            cx.from
                .ty(tile)
                .layout()
                .map(LinearLayout::shape)
                .unwrap_or_default()
        );
        return Err(Diagnostic::error(Code::UnsupportedFeature, message).at(origin, ""));
    }
    first_thread(cx, agent, None, |cx| {
        let mut call = Call::default();
        let mut values = values.iter();
        for part in &parts {
            match part {
                Part::Text(text) => call.text(text),
                Part::Conversion(form) => {
                    let Some(&value) = values.next() else { break };
                    match cx.from.ty(value) {
                        TileAsType::Buffer(buffer) => {
                            let base = cx.one(value);
                            let length: u32 = buffer.shape.iter().product();
                            let elements = loaded(cx, base, buffer.element, length);
                            let sizes = sizes(&buffer.shape);
                            call.elements(cx, form, &elements, buffer.element.into(), &sizes);
                        }
                        ty => {
                            let element = ty.element();
                            let element = element.ok_or_else(|| bug(origin, "no element is printed"))?;
                            let value = cx.one(value);
                            call.value(cx, form, value, element);
                        }
                    }
                }
            }
        }
        call.emit(cx);
        Ok(())
    })
}

fn parsed(text: &str, origin: Origin) -> Result<Vec<Part>, Diagnostic<Origin>> {
    format::parse(text).map_err(|at| bug(origin, format!("no conversion begins at byte {at} of a format")))
}

/// Prints all elements of a buffer, several by each call.
pub(super) fn print_elements(
    cx: &mut Cx<'_>,
    buffer: Value,
    form: &str,
    shape: &[u32],
    first: u32,
    agent: Agent,
) -> Translated {
    let origin = cx.origin();
    let parts = parsed(form, origin)?;
    let ([Part::Conversion(form)], TileAsType::Buffer(ty)) = (parts.as_slice(), cx.from.ty(buffer)) else {
        return Err(bug(origin, "the elements of a buffer are printed in one form"));
    };
    let base = cx.one(buffer);
    let length: u32 = ty.shape.iter().product();
    let chunk = length.min(count(MAX_VALUES));
    let sizes = sizes(shape);
    // Within a chunk the brackets of the short lists are always at the same places.
    let (short, long): (Vec<u32>, Vec<u32>) = sizes.iter().partition(|&&size| size <= chunk);
    let element = ty.element;
    first_thread(cx, agent, None, |cx| {
        let mut emit = at(cx);
        let (lower, upper, step) = (emit.i32(0), emit.i32(length), emit.i32(chunk));
        let (body, block, args) = emit.0.region([I32]);
        let done: Translated = cx.within(block, |cx| {
            let index = *args.first().ok_or_else(|| bug(origin, "a loop has a counter"))?;
            let mut emit = at(cx);
            let offset = emit.i32(first);
            let place = emit.add(index, offset);
            let zero = emit.i32(0);
            let later = emit.compare(place, Predicate::NotEqual, zero);
            when(cx, later, |cx| print_text(cx, ", "))?;
            for &size in long.iter().rev() {
                let begins = is_multiple(cx, place, size);
                when(cx, begins, |cx| print_text(cx, "["))?;
            }
            let pointer = at(cx).add_offset(base, index);
            let elements = loaded(cx, pointer, element, chunk);
            let mut call = Call::default();
            call.elements(cx, form, &elements, element.into(), &short);
            call.emit(cx);
            let mut emit = at(cx);
            let step = emit.i32(chunk);
            let next = emit.add(place, step);
            for &size in &long {
                let ends = is_multiple(cx, next, size);
                when(cx, ends, |cx| print_text(cx, "]"))?;
            }
            cx.build().effect(ScfOp::Continue { values: Vec::new() });
            Ok(())
        });
        done?;
        cx.build().effect(ScfOp::For {
            lower,
            upper,
            step,
            inits: Vec::new(),
            unsigned: Flag(false),
            plan: LoopPlan::default(),
            body,
        });
        Ok(())
    })
}

/// Stops the kernel with a message if the condition, a scalar, is false.
pub(super) fn assert(cx: &mut Cx<'_>, condition: Value, message: &str, agent: Agent) -> Translated {
    let origin = cx.origin();
    if cx.from.ty(condition).layout().is_some() {
        let message = "a tile is asserted in registers: run `stage_prints` first";
        return Err(Diagnostic::error(Code::UnsupportedFeature, message).at(origin, ""));
    }
    let condition = cx.one(condition);
    let mut emit = at(cx);
    let truth = emit.i1(true);
    let fails = emit.xor(condition, truth);
    first_thread(cx, agent, Some(fails), |cx| {
        fail(cx, message, Vec::new());
        Ok(())
    })
}

/// Computes the index of the first 0 that a warp holds of a tile.
pub(super) fn first_zero(cx: &mut Cx<'_>, id: OpId, source: Value, agent: Agent) -> Translated {
    let origin = cx.origin();
    let Some(layout) = cx.from.ty(source).layout() else {
        return Err(bug(origin, "the first 0 of something that is no tile"));
    };
    let (fragment, sizes) = (cx.one(source), sizes(&layout.shape()));
    // A layout is linear, and so is the index, since all extents are powers of two.
    let flat = |place: &[u32]| -> u32 {
        let strides = sizes.iter().rev().skip(1).copied().chain([1]);
        place.iter().zip(strides).map(|(&n, stride)| n * stride).sum()
    };
    let mut bases: Vec<i64> = layout
        .bases(Dim::Lane)
        .map(|basis| i64::from(flat(&basis)))
        .collect();
    bases.resize(LANE_BITS as usize, 0);
    bases.extend(layout.bases(Dim::Warp).map(|basis| i64::from(flat(&basis))));
    let mut emit = at(cx);
    let own = emit.linear_index(agent.thread, bases, I32);
    let none = emit.i32(NONE);
    let mut least = none;
    for register in distinct_registers(layout) {
        let element = emit.extract(fragment, register);
        let part = flat(&layout.at(register, 0, 0, 0));
        let index = match part {
            0 => own,
            part => {
                let part = emit.i32(part);
                emit.xor(own, part)
            }
        };
        let index = emit.select(element, none, index);
        least = emit.min(least, index);
    }
    let least = GpuOp::WarpReduce {
        source: least,
        op: WarpReduction::MinUnsigned,
    };
    let least = emit.0.value(least, I32);
    let least = emit.splat(least, 1, ElementType::I32);
    cx.bind(cx.old(id).result(0), [least]);
    Ok(())
}

/// Stops the kernel with a message if one of the places in a buffer is an element.
pub(super) fn trap_at(
    cx: &mut Cx<'_>,
    places: Value,
    shape: &[u32],
    message: &str,
    agent: Agent,
) -> Translated {
    let origin = cx.origin();
    let Some(buffer) = cx.from.ty(places).buffer() else {
        return Err(bug(origin, "the places of failures are in a buffer"));
    };
    let base = cx.one(places);
    let length: u32 = buffer.shape.iter().product();
    first_thread(cx, agent, None, |cx| {
        let places = loaded(cx, base, ScalarType::I32, length);
        let mut emit = at(cx);
        let none = emit.i32(NONE);
        let least = places
            .into_iter()
            .fold(none, |least, place| emit.min(least, place));
        let fails = emit.compare(least, Predicate::NotEqual, none);
        when(cx, fails, |cx| {
            let sizes = sizes(shape);
            let strides = sizes.iter().rev().skip(1).copied().chain([1]);
            let mut coordinates = Vec::new();
            let mut emit = at(cx);
            for (&extent, stride) in shape.iter().zip(strides) {
                let shift = emit.i32(stride.trailing_zeros());
                let mask = emit.i32(extent - 1);
                let index = emit.0.value(
                    ArithOp::ShrI {
                        lhs: least,
                        rhs: shift,
                        signedness: Signedness::Unsigned,
                    },
                    I32,
                );
                coordinates.push(emit.and(index, mask));
            }
            fail(cx, message, coordinates);
            Ok(())
        })
    })
}

/// The lengths of the lists around an element, from the innermost outwards.
fn sizes(shape: &[u32]) -> Vec<u32> {
    let mut size = 1;
    let outwards = shape.iter().rev();
    outwards
        .map(|extent| {
            size *= extent;
            size
        })
        .collect()
}

/// Consecutive elements in shared memory.
fn loaded(cx: &mut Cx<'_>, pointer: Value, element: ScalarType, length: u32) -> Vec<Value> {
    let ty = DesugaredType::Fragment(length, element.into());
    let load = FragmentOp::Load {
        pointer,
        pred: None,
        other: None,
        offsets: (0..i64::from(length)).collect(),
        vector: 1,
        order: MemoryOrder::Weak,
        scope: None,
        cache_policy: None,
        cache: None,
        prefetch: None,
    };
    let mut emit = at(cx);
    let loaded = emit.0.value(load, ty);
    (0..length).map(|index| emit.extract(loaded, index)).collect()
}

/// Emits code that only the first thread of the agent executes, where the condition holds.
fn first_thread(
    cx: &mut Cx<'_>,
    agent: Agent,
    condition: Option<Value>,
    emit_body: impl FnOnce(&mut Cx<'_>) -> Translated,
) -> Translated {
    let mut emit = at(cx);
    let zero = emit.i32(0);
    let first = emit.compare(agent.thread, Predicate::Equal, zero);
    let chosen = match condition {
        Some(condition) => emit.and(first, condition),
        None => first,
    };
    when(cx, chosen, emit_body)?;
    cx.build().effect(GpuOp::WarpSync {});
    Ok(())
}

/// Whether an index is a multiple of a power of two.
fn is_multiple(cx: &mut Cx<'_>, index: Value, of: u32) -> Value {
    let mut emit = at(cx);
    let mask = emit.i32(of - 1);
    let rest = emit.and(index, mask);
    let zero = emit.i32(0);
    emit.compare(rest, Predicate::Equal, zero)
}

fn print_text(cx: &mut Cx<'_>, text: &str) -> Translated {
    let mut call = Call::default();
    call.text(text);
    call.emit(cx);
    Ok(())
}
