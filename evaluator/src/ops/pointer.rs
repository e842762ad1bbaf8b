//! Memory accesses with a pointer for each element: loads, stores, atomics.
//!
//! An access through a view is one through pointers, with addresses computed from the view.

use tilewright_irs::core::Value;
use tilewright_irs::cuda_tile::{AtomicRmwMode, MemoryOrdering, MemoryScope, RoundingMode, Signedness};
use tilewright_irs::element::ScalarType;

use crate::fault::{Fault, Outcome};
use crate::frame::{Frame, Op};
use crate::memory::{ABSENT, Access, Memory};
use crate::number::nudge::Nudge;
use crate::number::{Format, float, int};
use crate::tile::{Runtime, TileValue, place};
use crate::unspecified::{Mark, MarkList, Marks};

/// The memory access of an op.
pub(crate) fn access(
    frame: &Frame<'_>,
    op: &Op,
    writes: bool,
    ordering: MemoryOrdering,
    scope: Option<MemoryScope>,
) -> Access {
    let weak = ordering == MemoryOrdering::Weak;
    Access {
        origin: op.origin,
        block: frame.place.number,
        writes,
        updates: false,
        scope: scope.filter(|_| !weak),
        acquires: matches!(ordering, MemoryOrdering::Acquire | MemoryOrdering::AcqRel),
        releases: matches!(ordering, MemoryOrdering::Release | MemoryOrdering::AcqRel),
    }
}

/// The memory access of an atomic update.
pub(crate) fn atomic(frame: &Frame<'_>, op: &Op, ordering: MemoryOrdering, scope: MemoryScope) -> Access {
    Access {
        updates: true,
        ..access(frame, op, true, ordering, Some(scope))
    }
}

/// The addresses of a tile of pointers; masked-out ones are [`ABSENT`].
fn addresses(frame: &Frame<'_>, pointers: &TileValue, mask: Option<Value>) -> Outcome<Vec<u64>> {
    let mut addresses = pointers.bits.clone();
    if let Some(mask) = mask {
        let mask = frame.tile(mask)?;
        frame.decides(&mask, "the mask")?;
        for (address, _) in addresses.iter_mut().zip(&mask.bits).filter(|(_, set)| **set == 0) {
            *address = ABSENT;
        }
    }
    let unspecified = (0..addresses.len()).find(|&at| {
        let accessed = addresses.get(at).is_some_and(|&address| address != ABSENT);
        accessed && pointers.marks.get(at).is_set()
    });
    match unspecified {
        None => Ok(addresses),
        Some(at) => {
            let what = format!("the address{}", pointers.place(at));
            Err(frame.unspecified(&what, pointers.marks.get(at)))
        }
    }
}

fn pointee(pointers: &TileValue) -> Outcome<ScalarType> {
    let pointer = pointers
        .element
        .pointer()
        .ok_or_else(|| Fault::broken("an access through no pointer"))?;
    if pointer.pointee.bytes().is_none() {
        return Err(Fault::unsupported(format_args!(
            "accesses through pointers to {}, of which two share a byte",
            pointer.pointee
        )));
    }
    Ok(pointer.pointee)
}

/// Adds the faulting element of an access to a message.
pub(crate) fn of_element(tile: &TileValue, at: usize) -> impl Fn(Box<Fault>) -> Box<Fault> + '_ {
    move |fault| match place(&tile.shape, at) {
        nothing if nothing.is_empty() => fault,
        place => fault.note(format!("this is the access{place}")),
    }
}

/// `load_ptr_tko`: the operands are the pointers, the mask and the padding.
pub(crate) fn load(
    frame: &mut Frame<'_>,
    op: &Op,
    [source, mask, padding]: [Option<Value>; 3],
    token: Option<Value>,
    access: Access,
) -> Outcome<Vec<Runtime>> {
    let source = source.ok_or_else(|| Fault::broken("a load from nowhere"))?;
    let pointers = frame.tile(source)?;
    let ty = pointee(&pointers)?;
    let addresses = addresses(frame, &pointers, mask)?;
    let padding = padding.map(|value| frame.tile(value)).transpose()?;
    let shape = frame.result_tile(op)?.shape.clone();
    let target = match padding {
        Some(padding) => TileValue::new(ty, shape, padding.bits.clone()).marked(padding.marks.clone()),
        None => {
            let mark = frame.mark(op, "an element that the mask leaves out, without a padding value");
            TileValue::new(ty, shape, vec![unspecified(ty); addresses.len()])
                .marked(Marks::all(mark, addresses.len()))
        }
    };
    let read = |memory: &mut Memory, address| memory.read(address, ty, &access);
    load_from(frame, &addresses, target, token, access, read)
}

/// The value of an unspecified element: a recognisable pattern.
pub(crate) fn unspecified(ty: ScalarType) -> u64 {
    0xa5a5_a5a5_a5a5_a5a5 & ty.mask()
}

/// Reads each element that has an address into the tile, and returns the tile and the token.
pub(crate) fn load_from(
    frame: &mut Frame<'_>,
    addresses: &[u64],
    mut tile: TileValue,
    token: Option<Value>,
    access: Access,
    read: impl Fn(&mut Memory, u64) -> Outcome<(u64, Mark)>,
) -> Outcome<Vec<Runtime>> {
    let after = frame.token(token)?;
    let memory = &mut frame.machine.memory;
    let event = memory.begin(after, access)?;
    let mut bits = std::mem::take(&mut tile.bits);
    let mut found = MarkList::over(&tile.marks, bits.len());
    for (at, (slot, &address)) in bits.iter_mut().zip(addresses).enumerate() {
        if address != ABSENT {
            let (new, mark) = read(memory, address).map_err(of_element(&tile, at))?;
            *slot = new;
            found.set(at, mark);
        }
    }
    tile.bits = bits;
    tile.marks = found.finish();
    memory.end(event);
    Ok(vec![tile.into(), event.into()])
}

/// `store_ptr_tko`: the operands are the pointers and the values.
pub(crate) fn store(
    frame: &mut Frame<'_>,
    [destination, value]: [Value; 2],
    mask: Option<Value>,
    token: Option<Value>,
    access: Access,
) -> Outcome<Vec<Runtime>> {
    let pointers = frame.tile(destination)?;
    let ty = pointee(&pointers)?;
    let addresses = addresses(frame, &pointers, mask)?;
    let write = |memory: &mut Memory, address, element| memory.write(address, ty, element, &access);
    store_to(frame, &addresses, value, token, access, write)
}

/// Writes each element that has an address, and returns the token.
pub(crate) fn store_to(
    frame: &mut Frame<'_>,
    addresses: &[u64],
    value: Value,
    token: Option<Value>,
    access: Access,
    write: impl Fn(&mut Memory, u64, (u64, Mark)) -> Outcome<()>,
) -> Outcome<Vec<Runtime>> {
    let values = frame.tile(value)?;
    let after = frame.token(token)?;
    let memory = &mut frame.machine.memory;
    let event = memory.begin(after, access)?;
    for (at, (&bits, &address)) in values.bits.iter().zip(addresses).enumerate() {
        if address != ABSENT {
            write(memory, address, (bits, values.marks.get(at))).map_err(of_element(&values, at))?;
        }
    }
    memory.end(event);
    Ok(vec![event.into()])
}

/// `atomic_rmw_tko`: the operands are the pointers and the arguments.
pub(crate) fn read_modify_write(
    frame: &mut Frame<'_>,
    op: &Op,
    [pointers, argument]: [Value; 2],
    mask: Option<Value>,
    token: Option<Value>,
    access: Access,
    mode: AtomicRmwMode,
) -> Outcome<Vec<Runtime>> {
    let pointers = frame.tile(pointers)?;
    let ty = pointee(&pointers)?;
    let addresses = addresses(frame, &pointers, mask)?;
    let left_out = frame.mark(op, "an element that the mask leaves out of an atomic op");
    let nudge = frame.machine.nudge;
    let new = |old, argument| combine(mode, ty, nudge, old, argument);
    let elements = Elements {
        addresses: &addresses,
        ty,
    };
    update(frame, elements, argument, token, access, left_out, new)
}

/// Elements in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Elements<'a> {
    /// Their addresses; [`ABSENT`] for those that are not accessed.
    pub(crate) addresses: &'a [u64],
    /// Their type.
    pub(crate) ty: ScalarType,
}

/// Combines each element that has an address with memory, in row-major order, and returns the old values and the
/// token.
pub(crate) fn update(
    frame: &mut Frame<'_>,
    Elements { addresses, ty }: Elements<'_>,
    argument: Value,
    token: Option<Value>,
    access: Access,
    left_out: Mark,
    new: impl Fn(u64, u64) -> u64,
) -> Outcome<Vec<Runtime>> {
    let arguments = frame.tile(argument)?;
    let after = frame.token(token)?;
    let memory = &mut frame.machine.memory;
    let event = memory.begin(after, access)?;
    let mut before = vec![unspecified(ty); arguments.bits.len()];
    let mut marks = MarkList::over(&Marks::NONE, before.len());
    for (at, ((&argument, &address), slot)) in
        arguments.bits.iter().zip(addresses).zip(&mut before).enumerate()
    {
        if address == ABSENT {
            marks.set(at, left_out);
            continue;
        }
        let mark = arguments.marks.get(at);
        let new = |(old, was): (u64, Mark)| (new(old, argument), was.or(mark));
        let (old, was) = memory
            .update(address, ty, &access, new)
            .map_err(of_element(&arguments, at))?;
        *slot = old;
        marks.set(at, was);
    }
    memory.end(event);
    let result = arguments.like(ty, before).marked(marks.finish());
    Ok(vec![result.into(), event.into()])
}

/// `atomic_cas_tko`: the operands are the pointers, the compared values, and the stored values.
pub(crate) fn compare_and_swap(
    frame: &mut Frame<'_>,
    [pointers, compared, new]: [Value; 3],
    mask: Option<Value>,
    token: Option<Value>,
    access: Access,
) -> Outcome<Vec<Runtime>> {
    let pointers = frame.tile(pointers)?;
    let ty = pointee(&pointers)?;
    let addresses = addresses(frame, &pointers, mask)?;
    let (compared, new) = (frame.tile(compared)?, frame.tile(new)?);
    let after = frame.token(token)?;
    let memory = &mut frame.machine.memory;
    let event = memory.begin(after, access)?;
    // For a masked-out element the result is its compared value.
    let mut before = compared.bits.clone();
    let mut marks = MarkList::over(&compared.marks, before.len());
    let news = new.bits.iter().enumerate();
    for ((slot, (at, &bits)), &address) in before.iter_mut().zip(news).zip(&addresses) {
        if address == ABSENT {
            continue;
        }
        let (wanted, doubt, mark) = (*slot, compared.marks.get(at), new.marks.get(at));
        let swap = |(old, was): (u64, Mark)| {
            let same = old == wanted;
            let kept = was.or(doubt).or(if same { mark } else { Mark::NONE });
            (if same { bits } else { old }, kept)
        };
        let (old, was) = memory
            .update(address, ty, &access, swap)
            .map_err(of_element(&compared, at))?;
        *slot = old;
        marks.set(at, was);
    }
    memory.end(event);
    let result = compared.like(ty, before).marked(marks.finish());
    Ok(vec![result.into(), event.into()])
}

/// The new value of an atomic op. A sum of `f32` flushes subnormal numbers, as the instructions of the hardware do and
/// the language says of its implementation.
pub(crate) fn combine(
    mode: AtomicRmwMode,
    ty: ScalarType,
    nudge: Option<Nudge>,
    old: u64,
    argument: u64,
) -> u64 {
    match mode {
        AtomicRmwMode::And => int::and(ty, old, argument),
        AtomicRmwMode::Or => int::or(ty, old, argument),
        AtomicRmwMode::Xor => int::xor(ty, old, argument),
        AtomicRmwMode::Add => int::add(ty, old, argument).bits,
        AtomicRmwMode::AddF => match Format::of(ty) {
            Some(format) => {
                let flush_to_zero = ty == ScalarType::F32;
                let sum = float::add(format, RoundingMode::NearestEven, flush_to_zero, old, argument);
                // Blocks add in any order.
                nudge.map_or(sum, |nudge| nudge.by_units(format, sum, 1.0))
            }
            // The verifier allows only floats here.
            None => old,
        },
        AtomicRmwMode::Max => int::max(ty, Signedness::Signed, old, argument),
        AtomicRmwMode::Min => int::min(ty, Signedness::Signed, old, argument),
        AtomicRmwMode::UMax => int::max(ty, Signedness::Unsigned, old, argument),
        AtomicRmwMode::UMin => int::min(ty, Signedness::Unsigned, old, argument),
        AtomicRmwMode::Xchg => argument,
    }
}
