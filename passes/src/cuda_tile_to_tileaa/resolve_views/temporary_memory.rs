//! `alloca`: temporary memory of a block.
//!
//! All threads of a block may access it, and other blocks too if it is global, so it is in global memory. The sizes are
//! known, and the memory of one op is free again when control comes back to it: every op has a fixed place in the block's
//! frame. The frames are slots of one array. A block takes a slot when it starts, by a compare-and-swap of the slot's
//! flag, and frees it when it ends, so that no two blocks that run at once have the same, in one launch or in several.
//! There are as many slots as blocks run at once on the largest GPU, if these do not exceed the array's limit; else a
//! block may have to wait for another one's.

use tilewright_irs::core::{Flag, OpId, Translated, Value};
use tilewright_irs::dialects::arith::{ArithOp, Overflow, Predicate, Signedness};
use tilewright_irs::dialects::memory::{AtomicOp, AtomicOrder, AtomicOrdering, MemoryScope};
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::dialects::tile::TileOp;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::literal::{Dense, Literal};
use tilewright_irs::tileaa::{TileAaDialect, TileAaKind, TileAaType};

use super::frame::Slot;
use super::pass::{Lowering, Pass};
use super::views::{constant, resized};

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
        // Tokens of accesses within loops and branches may not reach the end.
        cx.build().effect(TileAaDialect::Barrier {});
        let exchange = TileAaDialect::AtomicScatter {
            pointers: slot.flag,
            value: constant(cx, 0, &i32_type()),
            mask: None,
            op: AtomicOp::Exchange,
            ordering: AtomicOrdering {
                after: None,
                order: AtomicOrder::Release,
                scope: MemoryScope::Device,
            },
            access: None,
        };
        cx.build().op(exchange, [TileAaType::new(TileAaKind::Token)]);
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
            ordering: AtomicOrdering {
                after: None,
                order: AtomicOrder::Acquire,
                scope: MemoryScope::Device,
            },
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
