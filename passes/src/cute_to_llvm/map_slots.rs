//! Lowers the slots that blocks claim for their tensor maps: a bit for each, in words of flags.

use tilewright_irs::core::{Successor, Value};
use tilewright_irs::dialects::arith::{ArithOp, Overflow, QuotientRounding, Signedness};
use tilewright_irs::dialects::memory::{AtomicOp, AtomicOrder, MemoryScope};
use tilewright_irs::isa::{Instruction, OpResult, Special, Type};
use tilewright_irs::llvm::{AddressSpace, LlvmDialect, LlvmType};

use super::emit::{Cx, I32, I64, equal, i32, new_block};

fn add(cx: &mut Cx<'_>, lhs: Value, rhs: Value) -> Value {
    let overflow = Overflow::Wraps;
    cx.value(ArithOp::AddI { lhs, rhs, overflow }, I32)
}

fn sub(cx: &mut Cx<'_>, lhs: Value, rhs: Value) -> Value {
    let overflow = Overflow::Wraps;
    cx.value(ArithOp::SubI { lhs, rhs, overflow }, I32)
}

fn mul(cx: &mut Cx<'_>, lhs: Value, rhs: Value) -> Value {
    let overflow = Overflow::Wraps;
    cx.value(ArithOp::MulI { lhs, rhs, overflow }, I32)
}

/// The address of a word of flags.
fn flags_at(cx: &mut Cx<'_>, flags: Value, word: Value) -> Value {
    let signedness = Signedness::Unsigned;
    let index = cx.value(
        ArithOp::ExtI {
            source: word,
            signedness,
        },
        I64,
    );
    let place = LlvmDialect::GetElementPtr {
        base: flags,
        index: Some(index),
        scale: 4,
        offset: 0,
    };
    cx.value(place, LlvmType::Ptr(AddressSpace::Global))
}

/// Claims a slot: tries the flags of the multiprocessor's word, then those of the next ones.
pub(super) fn claim(cx: &mut Cx<'_>, flags: Value, words: u32, slots: u32) -> Value {
    let flags = cx.one(flags);
    let go = |block, args| Successor { block, args };
    let (attempt, args) = new_block(cx, &[I32, I32]);
    let (taken, _) = new_block(cx, &[]);
    let (done, _) = new_block(cx, &[]);
    let multiprocessor = cx.value(
        LlvmDialect::ReadSpecial {
            register: Special::Smid,
        },
        I32,
    );
    let mask = i32(cx, words - 1);
    let and = |cx: &mut Cx<'_>, lhs, rhs| cx.value(ArithOp::AndI { lhs, rhs }, I32);
    let first = and(cx, multiprocessor, mask);
    let one = i32(cx, 1);
    cx.build().effect(LlvmDialect::Br {
        target: go(attempt, vec![first, one]),
    });
    cx.go_on_in(attempt);
    let (word, bit) = (args[0], args[1]);
    let pointer = flags_at(cx, flags, word);
    let old = cx.value(
        LlvmDialect::AtomicRmw {
            pointer,
            value: bit,
            mask: None,
            op: AtomicOp::Or,
            order: AtomicOrder::Acquire,
            scope: MemoryScope::Device,
        },
        I32,
    );
    let zero = i32(cx, 0);
    let mine = and(cx, old, bit);
    let condition = equal(cx, mine, zero);
    cx.build().effect(LlvmDialect::CondBr {
        unroll: None,
        condition,
        yes: go(done, Vec::new()),
        no: go(taken, Vec::new()),
    });
    cx.go_on_in(taken);
    let all = i32(cx, u32::MAX >> (32 - slots));
    let inverted = cx.value(ArithOp::XorI { lhs: old, rhs: all }, I32);
    let free = and(cx, inverted, all);
    let negative = sub(cx, zero, free);
    let lowest = and(cx, free, negative);
    let none = equal(cx, free, zero);
    let next = add(cx, word, one);
    let next = and(cx, next, mask);
    let select = |cx: &mut Cx<'_>, yes, no| {
        let condition = none;
        cx.value(ArithOp::Select { condition, yes, no }, I32)
    };
    let word_then = select(cx, next, word);
    let bit_then = select(cx, one, lowest);
    cx.build().effect(LlvmDialect::Br {
        target: go(attempt, vec![word_then, bit_then]),
    });
    cx.go_on_in(done);
    // The index of a bit is the number of those below it.
    let below = sub(cx, bit, one);
    let (ty, d, a) = (Type::B32, OpResult, below);
    let number = cx.value(Instruction::Popc { ty, d, a }, I32);
    let each = i32(cx, slots);
    let first = mul(cx, word, each);
    add(cx, first, number)
}

/// Releases a slot.
pub(super) fn release(cx: &mut Cx<'_>, flags: Value, slot: Value, slots: u32) {
    let (flags, slot) = (cx.one(flags), cx.one(slot));
    let signedness = Signedness::Unsigned;
    let each = i32(cx, slots);
    let word = cx.value(
        ArithOp::DivI {
            lhs: slot,
            rhs: each,
            signedness,
            rounding: QuotientRounding::Zero,
        },
        I32,
    );
    let first = mul(cx, word, each);
    let number = sub(cx, slot, first);
    let one = i32(cx, 1);
    let bit = cx.value(
        ArithOp::ShlI {
            lhs: one,
            rhs: number,
            overflow: Overflow::Wraps,
        },
        I32,
    );
    let ones = i32(cx, u32::MAX);
    let others = cx.value(ArithOp::XorI { lhs: bit, rhs: ones }, I32);
    let pointer = flags_at(cx, flags, word);
    cx.value(
        LlvmDialect::AtomicRmw {
            pointer,
            value: others,
            mask: None,
            op: AtomicOp::And,
            order: AtomicOrder::Release,
            scope: MemoryScope::Device,
        },
        I32,
    );
}
