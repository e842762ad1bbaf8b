//! Arithmetic that a target supports natively, or by a short exact sequence of instructions.
//!
//! The passes within `llvm_like` legalise ops that are not native; instruction selection accepts those that are.
//! Where a single instruction decides, the answer comes from its declaration.

use crate::core::{Entity, Flag, Value};
use crate::dialects::arith::{ArithOp, FloatRounding, Precision, QuotientRounding};
use crate::dialects::memory::{AtomicOp, MemoryOrder, MemoryScope, PrefetchSize};
use crate::element::ScalarType as S;
use crate::isa::{
    self, Address, Approximation, AtomicOrder, Comparison, Ftz, Instruction, Naming, Nan, Noftz, OpResult,
    Prefetch, Register, Relu, Results, Rounding, Sat, Scope, Sources, Space, Target, Type, Width,
};
use crate::ptx::Instruction as I;

/// The PTX type of a float; `None` for floats that only conversions support.
pub const fn float_type(scalar: S) -> Option<Type> {
    match scalar {
        S::F16 => Some(Type::F16),
        S::BF16 => Some(Type::Bf16),
        S::F32 => Some(Type::F32),
        S::F64 => Some(Type::F64),
        _ => None,
    }
}

/// The rounding mode in PTX; `None` for rounding to nearest with ties away from zero, which no GPU has.
pub const fn direction(rounding: FloatRounding) -> Option<Rounding> {
    match rounding {
        FloatRounding::NearestEven => Some(Rounding::Rn),
        FloatRounding::Zero => Some(Rounding::Rz),
        FloatRounding::Down => Some(Rounding::Rm),
        FloatRounding::Up => Some(Rounding::Rp),
        FloatRounding::NearestAway => None,
    }
}

/// The approximation or the direction in PTX: exactly one of the two.
const fn precision(precision: Precision) -> (Option<Approximation>, Option<Rounding>) {
    match precision {
        Precision::NearestEven => (None, Some(Rounding::Rn)),
        Precision::Zero => (None, Some(Rounding::Rz)),
        Precision::Down => (None, Some(Rounding::Rm)),
        Precision::Up => (None, Some(Rounding::Rp)),
        Precision::Approx => (Some(Approximation::Approx), None),
        Precision::Full => (Some(Approximation::Full), None),
    }
}

/// The instruction that computes an op of floats, whose operands and result are all of type `ty`. `None` for an op that
/// no single instruction computes, and for a direction of rounding that no GPU has. Of `f64`, the smaller and the larger
/// have no form that propagates NaN: what comes back does not.
pub fn float_instruction<N: Naming>(
    op: &ArithOp,
    ty: Type,
    d: N::Def,
    operand: impl Fn(usize) -> N::Operand,
) -> Option<Instruction<N>> {
    use Instruction as I;
    let sat = Sat(false);
    let keeps_nan = |propagates: Flag| Nan(propagates.0 && ty != Type::F64);
    Some(match *op {
        ArithOp::AddF {
            rounding,
            flush_to_zero,
            ..
        } => I::Add {
            rounding: Some(direction(rounding)?),
            ftz: Ftz(flush_to_zero.0),
            sat,
            ty,
            d,
            a: operand(0),
            b: operand(1),
        },
        ArithOp::SubF {
            rounding,
            flush_to_zero,
            ..
        } => I::Sub {
            rounding: Some(direction(rounding)?),
            ftz: Ftz(flush_to_zero.0),
            sat,
            ty,
            d,
            a: operand(0),
            b: operand(1),
        },
        ArithOp::MulF {
            rounding,
            flush_to_zero,
            ..
        } => I::Mul {
            part: None,
            rounding: Some(direction(rounding)?),
            ftz: Ftz(flush_to_zero.0),
            sat,
            ty,
            d,
            a: operand(0),
            b: operand(1),
        },
        ArithOp::Fma {
            rounding,
            flush_to_zero,
            ..
        } => I::Fma {
            rounding: direction(rounding)?,
            ftz: Ftz(flush_to_zero.0),
            sat,
            relu: Relu(false),
            ty,
            d,
            a: operand(0),
            b: operand(1),
            c: operand(2),
        },
        ArithOp::DivF {
            precision: asked,
            flush_to_zero,
            ..
        } => {
            let (approximation, rounding) = precision(asked);
            I::Div {
                approximation,
                rounding,
                ftz: Ftz(flush_to_zero.0),
                ty,
                d,
                a: operand(0),
                b: operand(1),
            }
        }
        ArithOp::SqrtF {
            precision: asked,
            flush_to_zero,
            ..
        } => {
            let (approximation, rounding) = precision(asked);
            I::Sqrt {
                approximation,
                rounding,
                ftz: Ftz(flush_to_zero.0),
                ty,
                d,
                a: operand(0),
            }
        }
        ArithOp::RsqrtF { flush_to_zero, .. } => I::Rsqrt {
            approximation: Approximation::Approx,
            ftz: Ftz(flush_to_zero.0),
            ty,
            d,
            a: operand(0),
        },
        ArithOp::MinF {
            propagate_nan,
            flush_to_zero,
            ..
        } => I::Min {
            ftz: Ftz(flush_to_zero.0),
            nan: keeps_nan(propagate_nan),
            ty,
            d,
            a: operand(0),
            b: operand(1),
        },
        ArithOp::MaxF {
            propagate_nan,
            flush_to_zero,
            ..
        } => I::Max {
            ftz: Ftz(flush_to_zero.0),
            nan: keeps_nan(propagate_nan),
            ty,
            d,
            a: operand(0),
            b: operand(1),
        },
        ArithOp::NegF { .. } => I::Neg {
            ftz: Ftz(false),
            ty,
            d,
            a: operand(0),
        },
        ArithOp::AbsF { .. } => I::Abs {
            ftz: Ftz(false),
            ty,
            d,
            a: operand(0),
        },
        _ => return None,
    })
}

/// Whether the selection of instructions takes this op on scalars: `source` is the type of the first operand that
/// is no condition (of a constant: its own), `result` that of the result. i8 lives only in loads, stores, constants,
/// selections and conversions.
pub fn native(op: &ArithOp, source: S, result: S, target: Target) -> bool {
    let has = |instruction: I| instruction.need().is_some_and(|need| target.provides(need));
    let whole = |scalar: S| matches!(scalar, S::I1 | S::I16 | S::I32 | S::I64);
    let any_whole = |scalar: S| whole(scalar) || scalar == S::I8;
    let register = |ty: Type| Register {
        class: ty.class(),
        index: 0,
    };
    match op {
        ArithOp::Constant { .. } | ArithOp::Select { .. } => {
            any_whole(result) || float_type(result).is_some()
        }
        ArithOp::AddI { .. }
        | ArithOp::SubI { .. }
        | ArithOp::MulI { .. }
        | ArithOp::MulHiU { .. }
        | ArithOp::RemI { .. }
        | ArithOp::MinI { .. }
        | ArithOp::MaxI { .. }
        | ArithOp::NegI { .. }
        | ArithOp::AbsI { .. }
        | ArithOp::AndI { .. }
        | ArithOp::OrI { .. }
        | ArithOp::XorI { .. }
        | ArithOp::ShlI { .. }
        | ArithOp::ShrI { .. }
        | ArithOp::CmpI { .. } => whole(source),
        ArithOp::DivI { rounding, .. } => {
            whole(source) && (*rounding == QuotientRounding::Zero || source == S::I1)
        }
        ArithOp::AddF { .. }
        | ArithOp::SubF { .. }
        | ArithOp::MulF { .. }
        | ArithOp::Fma { .. }
        | ArithOp::DivF { .. }
        | ArithOp::MinF { .. }
        | ArithOp::MaxF { .. }
        | ArithOp::NegF { .. }
        | ArithOp::AbsF { .. }
        | ArithOp::SqrtF { .. }
        | ArithOp::RsqrtF { .. } => float_type(source).is_some_and(|ty| {
            let d = register(ty);
            float_instruction::<Register>(op, ty, d, |_| d.into()).is_some_and(has)
        }),
        ArithOp::RemF { .. } => false,
        ArithOp::FloorF { .. } | ArithOp::CeilF { .. } => float_type(source).is_some(),
        // bf16 is compared as f32, exactly, where it has no comparison of its own.
        ArithOp::CmpF { .. } => float_type(source).is_some_and(|ty| {
            let ty = if ty == Type::Bf16 { Type::F32 } else { ty };
            has(I::Setp {
                comparison: Comparison::Lt,
                ftz: Ftz(false),
                ty,
                d: register(Type::Pred),
                a: register(ty).into(),
                b: register(ty).into(),
            })
        }),
        ArithOp::ExtI { .. } | ArithOp::TruncI { .. } => any_whole(source) && any_whole(result),
        ArithOp::FToF { rounding, .. } => narrows(source, result, *rounding, target),
        ArithOp::FToI { .. } => float_type(source).is_some() && any_whole(result),
        ArithOp::IToF { rounding, .. } => {
            any_whole(source) && direction(*rounding).is_some() && narrows(S::F64, result, *rounding, target)
        }
        ArithOp::Bitcast { .. } => {
            let known = |scalar| any_whole(scalar) || float_type(scalar).is_some();
            known(source) && known(result)
        }
        ArithOp::Global { .. }
        | ArithOp::IntToPtr { .. }
        | ArithOp::PtrToInt { .. }
        | ArithOp::PtrToPtr { .. } => true,
    }
}

/// The operation in PTX, its `.noftz`, and its type, of an atomic operation on numbers of this type (PTX ISA, `atom`).
pub fn atomic_form(op: AtomicOp, scalar: S) -> Option<(isa::AtomicOp, Noftz, Type)> {
    use isa::AtomicOp as A;
    let sized = |narrow, wide| match scalar.bits() {
        32 => Some(narrow),
        64 => Some(wide),
        _ => None,
    };
    let bits = sized(Type::B32, Type::B64);
    let (signed, unsigned) = (sized(Type::S32, Type::S64), sized(Type::U32, Type::U64));
    let (op, ty) = match op {
        AtomicOp::Exchange => (A::Exch, bits?),
        AtomicOp::And => (A::And, bits?),
        AtomicOp::Or => (A::Or, bits?),
        AtomicOp::Xor => (A::Xor, bits?),
        AtomicOp::Add => (A::Add, unsigned?),
        AtomicOp::AddF => (A::Add, float_type(scalar)?),
        AtomicOp::MinF => (A::Min, float_type(scalar)?),
        AtomicOp::MaxF => (A::Max, float_type(scalar)?),
        AtomicOp::MinSigned => (A::Min, signed?),
        AtomicOp::MaxSigned => (A::Max, signed?),
        AtomicOp::MinUnsigned => (A::Min, unsigned?),
        AtomicOp::MaxUnsigned => (A::Max, unsigned?),
    };
    Some((op, Noftz(matches!(ty, Type::F16 | Type::Bf16)), ty))
}

/// The order modifier of an access (PTX ISA, "Memory Consistency Model"); a weak access has none.
pub const fn memory_order(order: MemoryOrder) -> Option<isa::Order> {
    match order {
        MemoryOrder::Weak => None,
        MemoryOrder::Relaxed => Some(isa::Order::Relaxed),
        MemoryOrder::Acquire => Some(isa::Order::Acquire),
        MemoryOrder::Release => Some(isa::Order::Release),
    }
}

/// The scope modifier of an ordered or atomic access (PTX ISA, "Scope").
pub const fn memory_scope(scope: MemoryScope) -> Scope {
    match scope {
        MemoryScope::Block => Scope::Cta,
        MemoryScope::Cluster => Scope::Cluster,
        MemoryScope::Device => Scope::Gpu,
        MemoryScope::System => Scope::Sys,
    }
}

/// The modifier of a load that has the L2 cache fetch more (PTX ISA, `ld`).
pub const fn prefetch_size(size: PrefetchSize) -> Prefetch {
    match size {
        PrefetchSize::B64 => Prefetch::B64,
        PrefetchSize::B128 => Prefetch::B128,
        PrefetchSize::B256 => Prefetch::B256,
    }
}

/// Whether an instruction performs this atomic operation on a number in global memory, or on each of a vector of so many.
pub fn native_atomic(op: AtomicOp, scalar: S, count: u32, scope: MemoryScope, target: Target) -> bool {
    let (Some((op, noftz, ty)), Some(width)) = (atomic_form(op, scalar), Width::of(count as usize)) else {
        return false;
    };
    // The requirements do not depend on the operands.
    let any = Value::new(0);
    let instruction = Instruction::<Value>::Atom {
        order: Some(AtomicOrder::Relaxed),
        scope: Some(memory_scope(scope)),
        space: Some(Space::Global),
        op,
        noftz,
        width,
        ty,
        d: Results(vec![OpResult; count as usize]),
        a: Address::from((any, 0)),
        b: Sources(vec![any; count as usize]),
    };
    instruction.need().is_some_and(|need| target.provides(need))
}

/// Whether a float conversion supports this rounding. Widening is exact and needs none; conversions to bf16 go
/// through f32, rounded to odd if that is inexact.
fn narrows(source: S, result: S, rounding: FloatRounding, target: Target) -> bool {
    let (Some(from), Some(to)) = (float_type(source), float_type(result)) else {
        return false;
    };
    let exact = from == to || (to.bits() > from.bits());
    let through_f32 = from == Type::Bf16 || to == Type::Bf16;
    let from = if through_f32 { Type::F32 } else { from };
    exact
        || direction(rounding).is_some_and(|rounding| {
            let a = Register {
                class: from.class(),
                index: 0,
            }
            .into();
            let d = Register {
                class: to.class(),
                index: 0,
            };
            I::Cvt {
                rounding: Some(rounding),
                ftz: Ftz(false),
                sat: Sat(false),
                to,
                from,
                d,
                a,
            }
            .need()
            .is_some_and(|need| target.provides(need))
        })
}
