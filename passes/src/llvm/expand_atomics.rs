//! Expands atomic operations that the target lacks: of vectors to those of their elements, of scalars to loops of
//! compare-and-swap.
//!
//! In: `llvm_like`. Out: no `llvm.atomicrmw` that is not [native](native_atomic).
//!
//! ```text
//!   head(%expected):
//!     %new = op(%expected, %value)
//!     %was = llvm.cmpxchg %pointer, %expected, %new
//!     if %was is %expected, leave with %was, else go on with it
//! ```
//!
//! The values are compared as integers, so that a NaN equals itself and zeros of different signs differ. The loop
//! begins with a relaxed load. A swap that fails has the order of the access: an acquire more often than asked for.
//! Lanes leave the loop one after the other; `bar.warp.sync` brings them together, since instructions for whole warps
//! may follow.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Body, Flag, Func, OpData, OpId, Origin, Value};
use tilewright_irs::dialects::arith::{ArithOp, FloatRounding, Overflow, Predicate, Signedness};
use tilewright_irs::dialects::fast_math::FastMathOf;
use tilewright_irs::dialects::memory::{AtomicOp, AtomicOrder, MemoryOrder, MemoryScope};
use tilewright_irs::element::ScalarType;
use tilewright_irs::isa::Instruction;
use tilewright_irs::llvm::{AddressSpace, Llvm, LlvmDialect, LlvmOp, LlvmType};
use tilewright_irs::nvvm::native_atomic;
use tilewright_irs::ptx::Target;

use super::rewrite::{Rewrite, Rewriter, Rewritten, rewrite};
use super::scalars::Scalars;

/// Expands atomic operations; see [the module](self).
pub fn expand_atomics(func: &Func<Llvm>) -> Result<Func<Llvm>, Vec<Diagnostic<Origin>>> {
    let target = func.attrs.target;
    rewrite(func, &mut ExpandAtomics { target })
}

struct ExpandAtomics {
    target: Target,
}

/// An atomic operation, with the values of the new body.
struct Access {
    pointer: Value,
    value: Value,
    mask: Option<Value>,
    op: AtomicOp,
    order: AtomicOrder,
    scope: MemoryScope,
    scalar: ScalarType,
}

impl Access {
    /// The access as one op.
    const fn instruction(&self) -> LlvmDialect {
        LlvmDialect::AtomicRmw {
            pointer: self.pointer,
            value: self.value,
            mask: self.mask,
            op: self.op,
            order: self.order,
            scope: self.scope,
        }
    }
}

impl Rewriter for ExpandAtomics {
    fn concerns(&self, body: &Body<Llvm>, op: &OpData<Llvm>) -> bool {
        match op.kind {
            LlvmOp::Llvm(LlvmDialect::AtomicRmw { value, op, scope, .. }) => numbers(*body.ty(value))
                .is_some_and(|(count, scalar)| !native_atomic(op, scalar, count, scope, self.target)),
            LlvmOp::Llvm(_) | LlvmOp::Arith(_) | LlvmOp::Math(_) | LlvmOp::Target(_) => false,
        }
    }

    fn op(&mut self, cx: &mut Rewrite<'_>, id: OpId) -> Rewritten {
        let old = cx.old(id);
        if let LlvmOp::Llvm(LlvmDialect::AtomicRmw {
            pointer,
            value,
            mask,
            op,
            order,
            scope,
        }) = old.kind
            && let Some((count, scalar)) = numbers(*cx.from.ty(value))
            && self.concerns(cx.from, old)
        {
            let access = Access {
                pointer: cx.new_value(pointer),
                value: cx.new_value(value),
                mask: mask.map(|mask| cx.new_value(mask)),
                op,
                order,
                scope,
                scalar,
            };
            let before = match count {
                1 => swapping(cx, &access),
                _ => self.one_by_one(cx, &access, count),
            };
            cx.bind(old.result(0), before);
            return Ok(());
        }
        cx.keep(id);
        Ok(())
    }
}

impl ExpandAtomics {
    /// Emits the accesses to the elements of a vector. The result is the vector of what was there.
    fn one_by_one(&self, cx: &mut Rewrite<'_>, access: &Access, count: u32) -> Value {
        let (vector, scalar) = (access.value, access.scalar);
        let ty = LlvmType::Scalar(scalar);
        let elements = (0..count).map(|index| {
            let value = cx.value(LlvmDialect::ExtractElement { vector, index }, ty);
            let place = LlvmDialect::GetElementPtr {
                base: access.pointer,
                index: None,
                scale: 1,
                offset: i64::from(index) * i64::from(scalar.bits() / 8),
            };
            let pointer = cx.value(place, LlvmType::Ptr(AddressSpace::Global));
            let own = Access {
                pointer,
                value,
                ..*access
            };
            match native_atomic(own.op, scalar, 1, own.scope, self.target) {
                true => cx.value(own.instruction(), ty),
                false => swapping(cx, &own),
            }
        });
        let elements = elements.collect();
        cx.value(
            LlvmDialect::BuildVector { elements },
            LlvmType::Vector(count, scalar),
        )
    }
}

/// The number of numbers of a type, and their type.
const fn numbers(ty: LlvmType) -> Option<(u32, ScalarType)> {
    match ty {
        LlvmType::Scalar(scalar) => Some((1, scalar)),
        LlvmType::Vector(count, scalar) => Some((count, scalar)),
        LlvmType::Ptr(_) | LlvmType::TensorMap | LlvmType::Passed(_) | LlvmType::Struct(_) => None,
    }
}

/// The integer of a number's size.
fn word(scalar: ScalarType) -> ScalarType {
    match scalar.bits() {
        16 => ScalarType::I16,
        32 => ScalarType::I32,
        _ => ScalarType::I64,
    }
}

/// Emits the loop, and continues after it. The result is what was there, or 0 without an access.
fn swapping(cx: &mut Rewrite<'_>, access: &Access) -> Value {
    let word = word(access.scalar);
    let ty = LlvmType::Scalar(word);
    let (start, _) = cx.new_block(&[]);
    let (head, expected) = cx.new_block(&[ty]);
    let (done, found) = cx.new_block(&[ty]);
    match access.mask {
        Some(condition) => {
            let nothing = Scalars(cx).constant(word, 0);
            let (yes, no) = (Rewrite::to(start, []), Rewrite::to(done, [nothing]));
            cx.build().effect(LlvmDialect::CondBr {
                condition,
                yes,
                no,
                unroll: None,
            });
        }
        None => {
            let target = Rewrite::to(start, []);
            cx.build().effect(LlvmDialect::Br { target });
        }
    }
    cx.go_on_in(start);
    let load = LlvmDialect::Load {
        pointer: access.pointer,
        mask: None,
        other: None,
        align: word.bits() / 8,
        order: MemoryOrder::Relaxed,
        scope: Some(access.scope),
        cache_policy: None,
        cache: None,
        prefetch: None,
    };
    let first = cx.value(load, ty);
    let target = Rewrite::to(head, [first]);
    cx.build().effect(LlvmDialect::Br { target });

    cx.go_on_in(head);
    let compare = expected.first().copied().unwrap_or(first);
    let mut s = Scalars(cx);
    let before = s.bits(compare, access.scalar);
    let after = combined(&mut s, access.op, before, access.value, access.scalar);
    let value = s.bits(after, word);
    let swap = LlvmDialect::AtomicCas {
        pointer: access.pointer,
        compare,
        value,
        mask: None,
        order: access.order,
        scope: access.scope,
    };
    let was = cx.value(swap, ty);
    let condition = Scalars(cx).compare(was, Predicate::Equal, compare, Signedness::Unsigned);
    let (yes, no) = (Rewrite::to(done, [was]), Rewrite::to(head, [was]));
    cx.build().effect(LlvmDialect::CondBr {
        condition,
        yes,
        no,
        unroll: None,
    });

    cx.go_on_in(done);
    let mask = Scalars(cx).constant(ScalarType::I32, u64::from(u32::MAX));
    cx.build().effect(Instruction::BarWarpSync { mask });
    let found = found.first().copied().unwrap_or(was);
    Scalars(cx).bits(found, access.scalar)
}

/// The new contents of memory.
fn combined(s: &mut Scalars<'_, '_>, op: AtomicOp, lhs: Value, rhs: Value, scalar: ScalarType) -> Value {
    let overflow = Overflow::Wraps;
    let least = |signedness| ArithOp::MinI { lhs, rhs, signedness };
    let greatest = |signedness| ArithOp::MaxI { lhs, rhs, signedness };
    let op = match op {
        AtomicOp::Exchange => return rhs,
        AtomicOp::Add => ArithOp::AddI { lhs, rhs, overflow },
        AtomicOp::AddF => ArithOp::AddF {
            lhs,
            rhs,
            rounding: FloatRounding::NearestEven,
            flush_to_zero: Flag(false),
            fast_math: FastMathOf::NONE,
        },
        AtomicOp::MinF => ArithOp::MinF {
            lhs,
            rhs,
            propagate_nan: Flag(false),
            flush_to_zero: Flag(false),
            fast_math: FastMathOf::NONE,
        },
        AtomicOp::MaxF => ArithOp::MaxF {
            lhs,
            rhs,
            propagate_nan: Flag(false),
            flush_to_zero: Flag(false),
            fast_math: FastMathOf::NONE,
        },
        AtomicOp::And => ArithOp::AndI { lhs, rhs },
        AtomicOp::Or => ArithOp::OrI { lhs, rhs },
        AtomicOp::Xor => ArithOp::XorI { lhs, rhs },
        AtomicOp::MinSigned => least(Signedness::Signed),
        AtomicOp::MaxSigned => greatest(Signedness::Signed),
        AtomicOp::MinUnsigned => least(Signedness::Unsigned),
        AtomicOp::MaxUnsigned => greatest(Signedness::Unsigned),
    };
    s.op(op, scalar)
}
