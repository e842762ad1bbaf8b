//! Atomic accesses.

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{OpId, Origin, Translated, Value};
use tilewright_irs::cute_desugared::DesugaredType;
use tilewright_irs::dialects::arith::ArithOp;
use tilewright_irs::dialects::fragment::FragmentOp;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::isa::{self, CasWord, Instruction, Noftz, OpResult, Results, Scope, Sources, Type};
use tilewright_irs::mlir::dialects::NvvmOp;
use tilewright_irs::mlir::enums::{AtomicKind, AtomicScope, MemOrder};

use super::accesses::mem_scope;
use crate::cute_to_cute_desugared::inline_ptx;
use crate::cute_to_cute_desugared::instructions::{I32, address, effect, of, one};
use crate::cute_to_cute_desugared::state::{Cx, Desugar, not_lowered, unsupported};
use crate::leaf_arithmetic::constant;

/// Lowers an op.
pub(super) fn lower(pass: &Desugar, cx: &mut Cx<'_>, id: OpId, op: &NvvmOp) -> Translated {
    match op {
        NvvmOp::AtomicRmw {
            op: kind,
            ptr,
            a,
            b,
            order,
            scope,
        } => atomic(pass, cx, id, (*kind, *ptr, *a, *b), (*order, *scope)),
        NvvmOp::Red {
            a: ptr,
            b: value,
            cache_hint: None,
            op: kind,
            ty,
            order,
            scope,
        } => {
            let order = match order {
                None => None,
                Some(order) => Some(atomic_order(cx, *order)?),
            };
            let (pointer, value) = (cx.one(*ptr), cx.one(*value));
            let (a, space) = address(cx, pointer)?;
            let (Some(op), Some(ty)) = (isa::AtomicOp::from_word(kind.word()), Type::from_word(ty.word()))
            else {
                return Err(not_lowered(cx, id));
            };
            let noftz = Noftz(matches!(ty, Type::F16 | Type::F16x2 | Type::Bf16 | Type::Bf16x2));
            let value = exchanged(cx, value)?;
            let red = Instruction::Red {
                order,
                scope: scope.map(mem_scope),
                space,
                op,
                noftz,
                width: None,
                ty,
                a,
                b: Sources(vec![value]),
            };
            effect(cx, pass.target, red)
        }
        _ => Err(not_lowered(cx, id)),
    }
}

/// The order of an access that changes what is there.
fn atomic_order(cx: &Cx<'_>, order: MemOrder) -> Result<isa::AtomicOrder, Diagnostic<Origin>> {
    match order {
        MemOrder::Weak | MemOrder::Relaxed => Ok(isa::AtomicOrder::Relaxed),
        MemOrder::Acquire => Ok(isa::AtomicOrder::Acquire),
        MemOrder::Release => Ok(isa::AtomicOrder::Release),
        MemOrder::AcqRel => Ok(isa::AtomicOrder::AcqRel),
        MemOrder::Sc | MemOrder::Mmio | MemOrder::Volatile | MemOrder::Constant => {
            let message = format!("an atomic access has no order `{}`", order.word());
            Err(Diagnostic::error(Code::AttributeValue, message).at(cx.origin(), ""))
        }
    }
}

/// The number of an atomic access in a register: two halves side by side in one.
fn exchanged(cx: &mut Cx<'_>, source: Value) -> Result<Value, Diagnostic<Origin>> {
    match *cx.ty(source) {
        DesugaredType::Scalar(ElementType::Scalar(_)) => Ok(source),
        DesugaredType::Fragment(2, ElementType::Scalar(scalar)) if scalar.bits() == 16 => {
            let mut halves = Vec::new();
            for index in 0..2 {
                let source = cx.value(FragmentOp::Extract { source, index }, of(scalar));
                halves.push(cx.value(ArithOp::Bitcast { source }, of(ScalarType::I16)));
            }
            let (ty, d, a) = (Type::B32, OpResult, Sources(halves));
            Ok(cx.value(Instruction::Pack { ty, d, a }, I32))
        }
        _ => Err(unsupported(cx.origin(), "an atomic access of such a value")),
    }
}

/// An access that changes what is at an address; what was there.
fn atomic(
    pass: &Desugar,
    cx: &mut Cx<'_>,
    id: OpId,
    (kind, ptr, value, other): (AtomicKind, Value, Value, Option<Value>),
    (order, scope): (MemOrder, AtomicScope),
) -> Translated {
    let result = cx.old(id).result(0);
    let order = Some(atomic_order(cx, order)?);
    let scope = Some(match scope {
        AtomicScope::Cta => Scope::Cta,
        AtomicScope::Cluster => Scope::Cluster,
        AtomicScope::Gpu => Scope::Gpu,
        AtomicScope::Sys => Scope::Sys,
    });
    let (pointer, value) = (cx.one(ptr), cx.one(value));
    let (a, space) = address(cx, pointer)?;
    let own = cx.ty(value).clone();
    let scalar = match own {
        DesugaredType::Scalar(ElementType::Scalar(scalar)) => scalar,
        DesugaredType::Fragment(2, ElementType::Scalar(scalar)) if kind == AtomicKind::Fadd => {
            let ty = match scalar {
                ScalarType::F16 => Type::F16x2,
                _ => Type::Bf16x2,
            };
            let both = inline_ptx::packed(cx, value, 2, scalar)?;
            let add = Instruction::Atom {
                order,
                scope,
                space,
                op: isa::AtomicOp::Add,
                noftz: Noftz(true),
                width: None,
                ty,
                d: Results(vec![OpResult]),
                a,
                b: Sources(vec![both]),
            };
            let old = one(cx, pass.target, add, I32)?;
            let old = inline_ptx::unpacked(cx, old, 2, scalar)?;
            cx.bind(result, [old]);
            return Ok(());
        }
        _ => return Err(not_lowered(cx, id)),
    };
    let bits = match scalar.bits() {
        16 => (Type::B16, ScalarType::I16),
        32 => (Type::B32, ScalarType::I32),
        64 => (Type::B64, ScalarType::I64),
        _ => return Err(not_lowered(cx, id)),
    };
    let as_bits = |cx: &mut Cx<'_>, source: Value, to: ScalarType| match *cx.ty(source) == of(to) {
        true => source,
        false => cx.value(ArithOp::Bitcast { source }, of(to)),
    };
    if kind == AtomicKind::Cas {
        let Some(other) = other else {
            return Err(not_lowered(cx, id));
        };
        let (ty, held) = bits;
        let other = cx.one(other);
        let (b, c) = (as_bits(cx, value, held), as_bits(cx, other, held));
        let (cas, d) = (CasWord, OpResult);
        let swap = Instruction::AtomCas {
            order,
            scope,
            space,
            cas,
            ty,
            d,
            a,
            b,
            c,
        };
        let old = one(cx, pass.target, swap, of(held))?;
        let old = as_bits(cx, old, scalar);
        cx.bind(result, [old]);
        return Ok(());
    }
    let wide = scalar.bits() == 64;
    let integer = |narrow, broad| match (scalar.is_int(), wide) {
        (true, false) => Some((narrow, ScalarType::I32)),
        (true, true) => Some((broad, ScalarType::I64)),
        (false, _) => None,
    };
    let mut value = value;
    let (op, form) = match kind {
        AtomicKind::Cas => return Err(not_lowered(cx, id)),
        AtomicKind::And => (isa::AtomicOp::And, integer(Type::B32, Type::B64)),
        AtomicKind::Or => (isa::AtomicOp::Or, integer(Type::B32, Type::B64)),
        AtomicKind::Xor => (isa::AtomicOp::Xor, integer(Type::B32, Type::B64)),
        AtomicKind::Exch => (isa::AtomicOp::Exch, Some(bits)),
        AtomicKind::Add => (isa::AtomicOp::Add, integer(Type::U32, Type::U64)),
        AtomicKind::Sub => {
            let lhs = constant(cx, scalar, 0);
            let overflow = tilewright_irs::dialects::arith::Overflow::Wraps;
            if scalar.is_int() {
                let rhs = value;
                value = cx.value(ArithOp::SubI { lhs, rhs, overflow }, own);
            }
            (isa::AtomicOp::Add, integer(Type::U32, Type::U64))
        }
        AtomicKind::Inc => (isa::AtomicOp::Inc, integer(Type::U32, Type::U64)),
        AtomicKind::Dec => (isa::AtomicOp::Dec, integer(Type::U32, Type::U64)),
        AtomicKind::Min => (isa::AtomicOp::Min, integer(Type::S32, Type::S64)),
        AtomicKind::Max => (isa::AtomicOp::Max, integer(Type::S32, Type::S64)),
        AtomicKind::Umin => (isa::AtomicOp::Min, integer(Type::U32, Type::U64)),
        AtomicKind::Umax => (isa::AtomicOp::Max, integer(Type::U32, Type::U64)),
        AtomicKind::Fadd => {
            let form = match scalar {
                ScalarType::F16 => Some((Type::F16, scalar)),
                ScalarType::BF16 => Some((Type::Bf16, scalar)),
                ScalarType::F32 => Some((Type::F32, scalar)),
                ScalarType::F64 => Some((Type::F64, scalar)),
                _ => None,
            };
            (isa::AtomicOp::Add, form)
        }
    };
    let Some((ty, held)) = form else {
        let message = format!("no atomic access computes `{}` of `{scalar}`", kind.word());
        return Err(Diagnostic::error(Code::OperandType, message).at(cx.origin(), ""));
    };
    let value = as_bits(cx, value, held);
    let noftz = Noftz(matches!(ty, Type::F16 | Type::Bf16));
    let change = Instruction::Atom {
        order,
        scope,
        space,
        op,
        noftz,
        width: None,
        ty,
        d: Results(vec![OpResult]),
        a,
        b: Sources(vec![value]),
    };
    let old = one(cx, pass.target, change, of(held))?;
    let old = as_bits(cx, old, scalar);
    cx.bind(result, [old]);
    Ok(())
}
