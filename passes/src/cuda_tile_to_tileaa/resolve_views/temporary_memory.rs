//! `alloca`: temporary memory of a block.
//!
//! All threads of a block may access it, and other blocks too if it is global, so it is in global memory. The sizes are
//! known, and the memory of one op is free again when control comes back to it: every op has a fixed place in the block's
//! frame. The frames are slots of one array. A block takes a slot when it starts, by a compare-and-swap of the slot's
//! flag, and frees it when it ends, so that no two blocks that run at once have the same, in one launch or in several.
//! There are as many slots as blocks run at once on the largest GPU, if these do not exceed the array's limit; else a
//! block may have to wait for another one's.

use tilewright_diagnostics::Code;
use tilewright_irs::core::{Flag, Func, OpId, SideTable, Translated, Value};
use tilewright_irs::cuda_tile::{CudaTile, Element, MemoryOp, TileOp as SourceOp};
use tilewright_irs::dialects::arith::{ArithOp, Overflow, Predicate, Signedness};
use tilewright_irs::dialects::memory::{AtomicOp, AtomicOrder, MemoryScope};
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::dialects::tile::TileOp;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::literal::{Dense, Literal};
use tilewright_irs::tileaa::{TileAaDialect, TileAaKind, TileAaType};

use super::pass::{Lowering, Pass, Problem};
use super::views::{constant, resized};

/// Blocks that run at once: 32 on each of 160 multiprocessors, rounded down to a power of two. (CUDA C++ Programming
/// Guide, technical specifications per compute capability: "maximum number of resident blocks per SM".)
const MOST_SLOTS: u64 = 4096;
/// Limit of all frames of a kernel, in bytes.
const MOST_BYTES: u64 = 128 << 20;
/// Least alignment of a frame: that of memory which the CUDA driver allocates.
const ALIGN: u64 = 256;

/// The frame of a kernel.
pub(super) struct Frame {
    /// The kernel's name.
    kernel: String,
    /// The place of each `alloca` in the frame, in bytes.
    places: SideTable<OpId, u64>,
    /// The size and the alignment of a frame, in bytes.
    size: u64,
    align: u64,
    /// The block's slot, once the new body takes one.
    slot: Option<Slot>,
}

/// What a block holds.
#[derive(Clone, Copy)]
struct Slot {
    /// The address of its frame.
    frame: Value,
    /// The address of the slot's flag.
    flag: Value,
}

impl Frame {
    /// The frame of a kernel; `None` without an `alloca`.
    ///
    /// # Errors
    /// The frame exceeds the limit (E0710).
    pub(super) fn of(func: &Func<CudaTile>) -> Result<Option<Self>, Problem> {
        let mut places = SideTable::new(func.body.op_count());
        let (mut size, mut most) = (0u64, ALIGN);
        let mut any = false;
        for id in func.body.walk() {
            let op = func.body.op(id);
            let SourceOp::Memory(MemoryOp::Alloca {
                num_elem, alignment, ..
            }) = op.kind
            else {
                continue;
            };
            any = true;
            let result = func.body.ty(op.result(0)).as_tile();
            let bits = result.map_or(8, |tile| match tile.element {
                Element::Ptr(pointer) => pointer.pointee.bytes().map_or(4, |bytes| bytes * 8),
                Element::Scalar(_) => 8,
            });
            let count = u64::try_from(num_elem).unwrap_or(0);
            let bytes = count.saturating_mul(bits.into()).div_ceil(8);
            // The language's verifier refuses what is no power of two.
            let align = u64::try_from(alignment).unwrap_or(1).max(1);
            let place = size.checked_next_multiple_of(align);
            let end = place.and_then(|place| place.checked_add(bytes));
            let Some((place, end)) = place
                .zip(end)
                .filter(|(_, end)| *end <= MOST_BYTES && align <= MOST_BYTES)
            else {
                let message = format!(
                    "`alloca` of {count} elements with alignment {align} after {size} bytes of others exceeds the temporary \
                     memory of a kernel, {MOST_BYTES} bytes"
                );
                return Err(Problem::error(Code::TemporaryMemory, message).at(op.origin, ""));
            };
            places.set(id, place);
            size = end;
            most = most.max(align);
        }
        Ok(any.then(|| Self {
            kernel: func.name.clone(),
            places,
            size: size.max(1).next_multiple_of(most),
            align: most,
            slot: None,
        }))
    }

    /// The number of slots, a power of two.
    fn slots(&self) -> u64 {
        let most = (MOST_BYTES / self.size).clamp(1, MOST_SLOTS);
        1 << most.ilog2()
    }
}

fn pointer(to: ScalarType) -> TileAaType {
    TileAaType::scalar(ElementType::Ptr(to))
}

fn i32_type() -> TileAaType {
    TileAaType::scalar(ScalarType::I32)
}

/// An array of zeros in global memory that the host does not see.
fn array(cx: &mut Lowering<'_>, symbol: String, ty: ScalarType, elements: u64, align: u64) -> Value {
    let global = ArithOp::Global {
        symbol,
        value: Dense::Splat(Literal::new(ty, 0)),
        elements,
        align: u32::try_from(align).unwrap_or(u32::MAX),
        visible: Flag(false),
    };
    cx.value(global, pointer(ty))
}

fn moved(cx: &mut Lowering<'_>, pointer: Value, offset: Value) -> Value {
    let ty = cx.ty(pointer).clone();
    cx.value(TileOp::PtrAdd { pointer, offset }, ty)
}

impl Pass<'_> {
    /// Takes a slot, at the start of a kernel with a frame.
    pub(super) fn take_frame(&mut self, cx: &mut Lowering<'_>) {
        let Some(frame) = self.frame.as_mut().filter(|frame| frame.slot.is_none()) else {
            return;
        };
        let slots = frame.slots();
        let flags = array(cx, format!("{}$taken", frame.kernel), ScalarType::I32, slots, 4);
        let bytes = slots.saturating_mul(frame.size);
        let frames = array(
            cx,
            format!("{}$frames", frame.kernel),
            ScalarType::I8,
            bytes,
            frame.align,
        );
        let mask = constant(cx, slots - 1, &i32_type());
        // Blocks that start together begin at different slots.
        let first = linear_block(cx);
        let first = cx.value(
            ArithOp::AndI {
                lhs: first,
                rhs: mask,
            },
            i32_type(),
        );
        let slot = free_slot(cx, flags, first, mask);
        let wide = TileAaType::scalar(ScalarType::I64);
        let lhs = resized(cx, slot, &wide);
        let rhs = constant(cx, frame.size, &wide);
        let overflow = Overflow::Wraps;
        let place = cx.value(ArithOp::MulI { lhs, rhs, overflow }, wide);
        frame.slot = Some(Slot {
            frame: moved(cx, frames, place),
            flag: moved(cx, flags, slot),
        });
    }

    /// Frees the slot, where the kernel ends.
    pub(super) fn free_frame(&self, cx: &mut Lowering<'_>) {
        let Some(slot) = self.frame.as_ref().and_then(|frame| frame.slot) else {
            return;
        };
        let exchange = TileAaDialect::AtomicRmw {
            pointers: slot.flag,
            value: constant(cx, 0, &i32_type()),
            mask: None,
            after: None,
            op: AtomicOp::Exchange,
            // What the block has accessed comes before.
            order: AtomicOrder::Release,
            scope: MemoryScope::Device,
            access: None,
        };
        cx.build()
            .op(exchange, [i32_type(), TileAaType::new(TileAaKind::Token)]);
    }

    /// Lowers `alloca` to its place in the frame.
    pub(super) fn alloca(&self, cx: &mut Lowering<'_>, id: OpId, name: &str) -> Translated {
        let frame = self.frame.as_ref();
        let place = frame.and_then(|frame| Some((frame.slot?, *frame.places.get(id)?)));
        let Some((slot, place)) = place else {
            return Self::unsupported_op(name);
        };
        let offset = constant(cx, place, &TileAaType::scalar(ScalarType::I64));
        let source = moved(cx, slot.frame, offset);
        Self::replace(cx, id, ArithOp::PtrToPtr { source })
    }
}

/// The number of this block in the grid, axis 0 first.
fn linear_block(cx: &mut Lowering<'_>) -> Value {
    let overflow = Overflow::Wraps;
    let id = |cx: &mut Lowering<'_>, axis| cx.value(TileAaDialect::ProgramId { axis }, i32_type());
    let mut number = id(cx, 2);
    for axis in [1, 0] {
        let count = cx.value(TileAaDialect::NumPrograms { axis }, i32_type());
        let before = ArithOp::MulI {
            lhs: number,
            rhs: count,
            overflow,
        };
        let lhs = cx.value(before, i32_type());
        let rhs = id(cx, axis);
        number = cx.value(ArithOp::AddI { lhs, rhs, overflow }, i32_type());
    }
    number
}

/// The first free slot from this one on, which is taken from then on.
fn free_slot(cx: &mut Lowering<'_>, flags: Value, first: Value, mask: Value) -> Value {
    let (region, block, args) = cx.build().region([i32_type()]);
    let slot = args.first().copied().unwrap_or(first);
    cx.within(block, |cx| {
        let pointers = moved(cx, flags, slot);
        let zero = constant(cx, 0, &i32_type());
        let one = constant(cx, 1, &i32_type());
        let swap = TileAaDialect::AtomicCas {
            pointers,
            compare: zero,
            value: one,
            mask: None,
            after: None,
            order: AtomicOrder::Acquire,
            scope: MemoryScope::Device,
            access: None,
        };
        let swap = cx
            .build()
            .op(swap, [i32_type(), TileAaType::new(TileAaKind::Token)]);
        let old = cx.new_body().op(swap).result(0);
        let free = ArithOp::CmpI {
            lhs: old,
            rhs: zero,
            predicate: Predicate::Equal,
            signedness: Signedness::Unsigned,
        };
        let condition = cx.value(free, TileAaType::scalar(ScalarType::I1));
        let (then, found, _) = cx.build().region([]);
        cx.within(found, |cx| cx.build().effect(ScfOp::Break { values: vec![slot] }));
        let (otherwise, taken, _) = cx.build().region([]);
        cx.within(taken, |cx| cx.build().effect(ScfOp::Yield { values: Vec::new() }));
        cx.build().effect(ScfOp::If {
            condition,
            then,
            otherwise,
        });
        let overflow = Overflow::Wraps;
        let next = cx.value(
            ArithOp::AddI {
                lhs: slot,
                rhs: one,
                overflow,
            },
            i32_type(),
        );
        let next = cx.value(ArithOp::AndI { lhs: next, rhs: mask }, i32_type());
        cx.build().effect(ScfOp::Continue { values: vec![next] });
    });
    let inits = vec![first];
    cx.value(ScfOp::Loop { inits, body: region }, i32_type())
}
