//! Lowers the tables in which the blocks of a kernel share tensor maps.
//!
//! An entry of a table has `maps` tensor maps, then its state, an i32, then its key, i64s, and begins at a multiple of 128 bytes.
//! The state goes from empty to filling to complete, and never back: what a complete entry holds does not change any more, so
//! that blocks read it without counting who does.

use tilewright_irs::core::{Successor, Value};
use tilewright_irs::dialects::arith::{ArithOp, Overflow, Signedness};
use tilewright_irs::dialects::map_table::MapEntry;
use tilewright_irs::dialects::memory::{AtomicOrder, MemoryOrder, MemoryScope};
use tilewright_irs::element::ScalarType;
use tilewright_irs::literal::Literal;
use tilewright_irs::llvm::{AddressSpace, LlvmDialect, LlvmType};

use super::emit::{Cx, I1, I32, I64, constant, equal, i32, new_block};
use super::lower_addresses::{at_byte, generic};

/// The states of an entry.
const EMPTY: u32 = 0;
const FILLING: u32 = 1;
const COMPLETE: u32 = 2;
/// Spreads keys over the entries: 2^32 divided by the golden ratio. (Knuth, "The Art of Computer Programming", volume 3, section
/// 6.4.)
const FACTOR: u32 = 0x9e37_79b1;

/// The words of a key, i64.
fn words(cx: &mut Cx<'_>, key: &[Value]) -> Vec<Value> {
    let mut words = Vec::with_capacity(key.len());
    for &part in key {
        let part = cx.one(part);
        words.push(match cx.ty(part) {
            LlvmType::Scalar(ScalarType::I64) => part,
            _ => generic(cx, part),
        });
    }
    words
}

/// The layout of an entry with a key.
fn layout(maps: u32, key: &[Value]) -> MapEntry {
    let words = u32::try_from(key.len()).unwrap_or(u32::MAX);
    MapEntry { maps, words }
}

/// A load of a word that other blocks may write.
fn load(cx: &mut Cx<'_>, pointer: Value, scalar: ScalarType) -> Value {
    let op = LlvmDialect::Load {
        pointer,
        mask: None,
        other: None,
        align: scalar.bytes().unwrap_or(1),
        order: MemoryOrder::Relaxed,
        scope: Some(MemoryScope::Device),
        cache_policy: None,
        cache: None,
        prefetch: None,
    };
    cx.value(op, LlvmType::Scalar(scalar))
}

fn store(cx: &mut Cx<'_>, pointer: Value, value: Value, align: u32, order: MemoryOrder) {
    cx.build().effect(LlvmDialect::Store {
        pointer,
        value,
        mask: None,
        align,
        order,
        scope: Some(MemoryScope::Device),
        cache_policy: None,
        cache: None,
    });
}

/// A hash of words, in its high bits: the sum of each times a power of a factor. The sum is made in pairs, since all blocks wait for
/// it when they begin.
fn hash(cx: &mut Cx<'_>, words: &[Value]) -> Value {
    let overflow = Overflow::Wraps;
    let factors = std::iter::successors(Some(FACTOR), |factor| Some(factor.wrapping_mul(FACTOR)));
    let mut terms = Vec::with_capacity(words.len());
    for (&source, factor) in words.iter().zip(factors) {
        let lhs = cx.value(ArithOp::TruncI { source }, I32);
        let rhs = i32(cx, factor);
        terms.push(cx.value(ArithOp::MulI { lhs, rhs, overflow }, I32));
    }
    while terms.len() > 1 {
        let mut sums = Vec::with_capacity(terms.len().div_ceil(2));
        for pair in terms.chunks(2) {
            sums.push(match *pair {
                [lhs, rhs] => cx.value(ArithOp::AddI { lhs, rhs, overflow }, I32),
                _ => pair.first().copied().unwrap_or_else(|| i32(cx, 0)),
            });
        }
        terms = sums;
    }
    terms.pop().unwrap_or_else(|| i32(cx, 0))
}

/// Finds the entry of a key: its index, whether it is complete, and else whether the caller is to fill it.
pub(super) fn find(cx: &mut Cx<'_>, at: Value, key: &[Value], maps: u32, entries: u32) -> [Value; 3] {
    let (at, layout) = (cx.one(at), layout(maps, key));
    let words = words(cx, key);
    let signedness = Signedness::Unsigned;
    let hash = hash(cx, &words);
    let rhs = i32(cx, u32::BITS - entries.ilog2());
    let number = cx.value(
        ArithOp::ShrI {
            lhs: hash,
            rhs,
            signedness,
        },
        I32,
    );
    let index = cx.value(
        ArithOp::ExtI {
            source: number,
            signedness,
        },
        I64,
    );
    let place = LlvmDialect::GetElementPtr {
        base: at,
        index: Some(index),
        scale: layout.bytes(),
        offset: 0,
    };
    let entry = cx.value(place, LlvmType::Ptr(AddressSpace::Global));
    let pointer = at_byte(cx, entry, i64::from(layout.state()));
    let state = load(cx, pointer, ScalarType::I32);
    // A key that is read before it is complete differs, or is that of the entry for good.
    let complete = i32(cx, COMPLETE);
    let mut same = equal(cx, state, complete);
    for (number, &word) in (0..).zip(&words) {
        let place = at_byte(cx, entry, i64::from(layout.word(number)));
        let held = load(cx, place, ScalarType::I64);
        let rhs = equal(cx, held, word);
        same = cx.value(ArithOp::AndI { lhs: same, rhs }, I1);
    }
    let (attempt, _) = new_block(cx, &[]);
    let (done, args) = new_block(cx, &[I1]);
    let no = constant(cx, Literal::new(ScalarType::I1, 0));
    let empty = i32(cx, EMPTY);
    let condition = equal(cx, state, empty);
    let go = |block, args| Successor { block, args };
    cx.build().effect(LlvmDialect::CondBr {
        unroll: None,
        condition,
        yes: go(attempt, Vec::new()),
        no: go(done, vec![no]),
    });
    cx.go_on_in(attempt);
    let value = i32(cx, FILLING);
    let before = cx.value(
        LlvmDialect::AtomicCas {
            pointer,
            compare: empty,
            value,
            mask: None,
            order: AtomicOrder::Relaxed,
            scope: MemoryScope::Device,
        },
        I32,
    );
    let mine = equal(cx, before, empty);
    cx.build().effect(LlvmDialect::Br {
        target: go(done, vec![mine]),
    });
    cx.go_on_in(done);
    [number, same, args.first().copied().unwrap_or(no)]
}

/// Completes an entry whose tensor maps have been published.
pub(super) fn complete(cx: &mut Cx<'_>, entry: Value, key: &[Value], maps: u32) {
    let (entry, layout) = (cx.one(entry), layout(maps, key));
    for (number, word) in (0..).zip(words(cx, key)) {
        let pointer = at_byte(cx, entry, i64::from(layout.word(number)));
        store(cx, pointer, word, 8, MemoryOrder::Relaxed);
    }
    let pointer = at_byte(cx, entry, i64::from(layout.state()));
    let value = i32(cx, COMPLETE);
    store(cx, pointer, value, 4, MemoryOrder::Release);
}
