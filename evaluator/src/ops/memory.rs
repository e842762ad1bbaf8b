//! Pointers, tokens, and temporary memory.

use tilewright_diagnostics::{Code, counted};
use tilewright_irs::core::Value;
use tilewright_irs::cuda_tile::{Element, MemoryOp, Signedness};
use tilewright_irs::element::ScalarType;

use super::pointer;
use crate::fault::{Fault, Outcome};
use crate::frame::{Frame, Op};
use crate::memory::{Event, Init, Owner, bytes_of};
use crate::number::int;
use crate::tile::{Failed, Runtime, TileValue};

/// Limit of `alloca` for all tile blocks together, in bytes and in buffers.
const MOST_BYTES: u64 = 1 << 32;
const MOST_BUFFERS: usize = 1 << 20;

pub(crate) fn evaluate(frame: &mut Frame<'_>, op: &Op, kind: &MemoryOp) -> Outcome<Vec<Runtime>> {
    match kind {
        MemoryOp::LoadPtrTko {
            source,
            mask,
            padding_value,
            token,
            ordering,
            scope,
            optimization_hints: _,
        } => {
            let access = pointer::access(frame, op, false, *ordering, *scope);
            pointer::load(frame, op, [Some(*source), *mask, *padding_value], *token, access)
        }
        MemoryOp::StorePtrTko {
            destination,
            value,
            mask,
            token,
            ordering,
            scope,
            optimization_hints: _,
        } => {
            let access = pointer::access(frame, op, true, *ordering, *scope);
            pointer::store(frame, [*destination, *value], *mask, *token, access)
        }
        MemoryOp::AtomicCasTko {
            pointers,
            cmp,
            val,
            mask,
            token,
            ordering,
            scope,
        } => {
            let access = pointer::atomic(frame, op, *ordering, *scope);
            pointer::compare_and_swap(frame, [*pointers, *cmp, *val], *mask, *token, access)
        }
        MemoryOp::AtomicRmwTko {
            pointers,
            arg,
            mask,
            token,
            ordering,
            scope,
            mode,
        } => {
            let access = pointer::atomic(frame, op, *ordering, *scope);
            pointer::read_modify_write(frame, op, [*pointers, *arg], *mask, *token, access, *mode)
        }
        MemoryOp::Offset { ptr, offset } => {
            let (pointers, offsets) = (frame.tile(*ptr)?, frame.tile(*offset)?);
            Ok(vec![moved(&pointers, &offsets)?.into()])
        }
        MemoryOp::GetGlobal { name } => {
            let global = frame.machine.globals.iter().find(|(known, _)| *known == name.0);
            let base = global.and_then(|(_, buffer)| frame.machine.memory.buffers.base(*buffer));
            let base = base.ok_or_else(|| Fault::broken(format_args!("no global `{}`", name.0)))?;
            Ok(vec![
                TileValue::scalar(frame.result_tile(op)?.element, base).into(),
            ])
        }
        MemoryOp::Alloca {
            num_elem,
            alignment,
            global,
        } => Ok(vec![alloca(frame, op, *num_elem, *alignment, global.0)?.into()]),
        MemoryOp::MakeToken {} => Ok(vec![Event::NONE.into()]),
        MemoryOp::JoinTokens { tokens } => {
            let events = tokens.iter().map(|&token| frame.token(Some(token)));
            let events = events.collect::<Outcome<Vec<_>>>()?;
            Ok(vec![frame.machine.memory.event(events)?.into()])
        }
        // There is one address for each byte here, so no aliases to fence.
        MemoryOp::MemoryFenceAliasTko { token } => ordered(frame, Some(*token)),
        // One kernel runs at a time, and earlier ones are complete.
        MemoryOp::GdcLaunchDependentsTko { token } | MemoryOp::GdcWaitTko { token } => ordered(frame, *token),
    }
}

fn ordered(frame: &mut Frame<'_>, token: Option<Value>) -> Outcome<Vec<Runtime>> {
    let after = frame.token(token)?;
    Ok(vec![frame.machine.memory.event([after])?.into()])
}

/// `offset`: addresses moved by elements. The product must not overflow as a signed number, the sum as an unsigned one.
fn moved(pointers: &TileValue, offsets: &TileValue) -> Outcome<TileValue> {
    let Element::Ptr(pointer) = pointers.element else {
        return Err(Fault::broken("an offset of what is no pointer"));
    };
    if pointer.pointee.bytes().is_none() {
        return Err(Fault::unsupported(format_args!(
            "`offset` of pointers to {}, of which two share a byte",
            pointer.pointee
        )));
    }
    let size = i64::from(bytes_of(pointer.pointee));
    let ty: ScalarType = offsets.scalar_type()?;
    let result = pointers.try_zip(offsets, |address, offset| {
        let by = i64::try_from(int::value(ty, Signedness::Signed, offset)).unwrap_or(i64::MAX);
        let distance = by.checked_mul(size);
        distance
            .and_then(|distance| address.checked_add_signed(distance))
            .ok_or(by)
    });
    result.map_err(|Failed { at, why }| {
        let message = format!(
            "a pointer is moved by {} of {}{}, which overflows the address",
            counted(why, "element"),
            counted(size, "byte"),
            pointers.place(at)
        );
        Fault::new(Code::OutOfBounds, message)
    })
}

fn alloca(frame: &mut Frame<'_>, op: &Op, elements: i64, alignment: i64, global: bool) -> Outcome<TileValue> {
    let element = frame.result_tile(op)?.element;
    let pointee = element
        .pointer()
        .ok_or_else(|| Fault::broken("an `alloca` that gives no pointer"))?
        .pointee;
    let count = u64::try_from(elements).unwrap_or(0);
    let size = match pointee.bytes() {
        Some(bytes) => count.saturating_mul(u64::from(bytes)),
        None => count.div_ceil(2),
    };
    let memory = &mut frame.machine.memory.buffers;
    if memory.allocated().saturating_add(size) > MOST_BYTES || memory.count() >= MOST_BUFFERS {
        let message = format!(
            "`alloca` of {} traps: memory already has {} in {}",
            counted(size, "byte"),
            counted(memory.allocated(), "byte"),
            counted(memory.count(), "buffer")
        );
        return Err(Fault::new(Code::KernelTrap, message).note(format!(
            "the reference evaluator has at most {MOST_BYTES} bytes and {MOST_BUFFERS} buffers"
        )));
    }
    let size = usize::try_from(size).map_err(|_| Fault::broken("an `alloca` beyond memory"))?;
    let owner = Owner::Block((!global).then_some(frame.place.number));
    let name = format!("an `alloca` of {} of {pointee}", counted(elements, "element"));
    let alignment = u64::try_from(alignment).unwrap_or(1);
    let buffer = memory.allocate(name, Init::Empty(size), alignment, owner);
    let base = memory.base(buffer).unwrap_or(0);
    frame.temporaries.push(buffer);
    Ok(TileValue::scalar(element, base))
}
