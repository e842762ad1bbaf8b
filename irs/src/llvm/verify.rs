//! Rules of `llvm_like` beyond the declarations.

use tilewright_diagnostics::{Code, counted};

use super::Llvm;
use super::arrays::check_arrays;
use super::ops::{LlvmDialect, LlvmOp};
use super::passed::{check_passed, misuses_passed};
use super::types::{AddressSpace, LlvmType};
use crate::core::{Body, Func, OpData, Operation, Origin, Part, Problems, Value, ValueType};
use crate::dialects::arith::ArithOp;
use crate::dialects::arith_rules;
use crate::dialects::gpu::check_printf;
use crate::dialects::memory::MemoryOrder;
use crate::dialects::memory_rules::{Caching, check_caching, check_order_and_scope, check_ordering};
use crate::element::ScalarType;
use crate::isa::{Class, Held, Immediate, check_form, nth_source, unfit};
use crate::literal::Dense;
use crate::machine::{LANES, NAMED_BARRIERS};

/// The most bytes that an access moves. (PTX ISA, `ld`.)
const MAX_BYTES: u32 = 16;

pub(super) fn verify(func: &Func<Llvm>, problems: &mut Problems) {
    let body = &func.body;
    for (at, &param) in body.params().iter().enumerate() {
        let (LlvmType::Ptr(AddressSpace::Shared | AddressSpace::Local)
        | LlvmType::Vector(..)
        | LlvmType::Struct(_)) = body.ty(param)
        else {
            continue;
        };
        if let LlvmType::Struct(ty) = body.ty(param)
            && ty.passed().is_some()
        {
            continue;
        }
        let message = "a parameter is a number, a pointer to global memory, a tensor map, passed by value, or a struct of such numbers and pointers";
        problems.error_at(Origin::FUNCTION, Part::argument(at), Code::OperandType, message);
    }
    let is_passed = |value: Value| matches!(body.ty(value), LlvmType::Passed(_));
    check_passed(body, is_passed, problems);
    let arrays = body.walk().into_iter().filter_map(|id| {
        let op = body.op(id);
        match op.kind {
            LlvmOp::Llvm(LlvmDialect::Alloca { slot, bytes, align }) => Some((op, slot, (bytes, align))),
            _ => None,
        }
    });
    check_arrays(arrays, problems);
    let definitions = body.definitions();
    for id in body.walk() {
        let op = body.op(id);
        if misuses_passed(op, is_passed, problems) {
            continue;
        }
        match &op.kind {
            LlvmOp::Arith(arith) => arith_rules::verify(body, op, arith, Some(1), problems),
            LlvmOp::Math(_) => {}
            LlvmOp::Target(own) => {
                let constant = |value: Value| match &body.op(*definitions.get(value)?).kind {
                    LlvmOp::Arith(ArithOp::Constant {
                        value: Dense::Splat(literal),
                    }) => Immediate::of(*literal),
                    _ => None,
                };
                if let Some((at, want)) = unfit(own, |value| held(body.ty(value)), constant) {
                    let message = format!("operand {at} of `{}` must be {want}, and is not", own.name());
                    problems.error_at(op.origin, nth_source(own, at), Code::OperandType, message);
                }
                if let Some(ordering) = own.instruction.ordering()
                    && !check_ordering(op, ordering, problems)
                {
                    continue;
                }
                check_form(op, own, problems);
                if let Some(guard) = own.guard
                    && *body.ty(guard) != LlvmType::Scalar(ScalarType::I1)
                {
                    let message = format!("the guard of `{}` is no i1", own.name());
                    problems.error_at(op.origin, own.guard_part(), Code::OperandType, message);
                }
                let mut pairs = own.otherwise.iter().zip(op.results());
                if pairs.any(|(&value, result)| register(body.ty(value)) != register(body.ty(result))) {
                    let message = format!(
                        "`{}` and what stands for it where its guard does not hold differ in type",
                        own.name()
                    );
                    problems.error(op.origin, Code::OperandType, message);
                }
            }
            LlvmOp::Llvm(own) => {
                let (order, fixed, optional) = (own.field(), own.field(), own.field());
                check_order_and_scope(op, order, fixed, optional, func.attrs.target, problems);
                check_cached(body, op, own, problems);
                if let Err((code, message)) = check(body, op, own) {
                    problems.error(op.origin, code, message);
                }
            }
        }
    }
}

/// The register of a value; `None` if `llvm_to_nvvm` decides.
fn register(ty: &LlvmType) -> Option<Class> {
    match ty {
        LlvmType::Scalar(ScalarType::I1) => Some(Class::Pred),
        LlvmType::Scalar(ScalarType::I16 | ScalarType::F16 | ScalarType::BF16) => Some(Class::B16),
        LlvmType::Scalar(ScalarType::I32) => Some(Class::B32),
        LlvmType::Scalar(ScalarType::I64) | LlvmType::Ptr(AddressSpace::Global) | LlvmType::TensorMap => {
            Some(Class::B64)
        }
        LlvmType::Scalar(ScalarType::F32) => Some(Class::F32),
        LlvmType::Scalar(ScalarType::F64) => Some(Class::F64),
        LlvmType::Scalar(_)
        | LlvmType::Ptr(_)
        | LlvmType::Vector(..)
        | LlvmType::Passed(_)
        | LlvmType::Struct(_) => None,
    }
}

/// In what a value is held as a source of an instruction.
fn held(ty: &LlvmType) -> Held {
    match ty {
        LlvmType::Vector(..) | LlvmType::Struct(_) => Held::Nowhere,
        LlvmType::Scalar(ScalarType::I8) => Held::Byte,
        _ => register(ty).map_or(Held::Later, Held::In),
    }
}

type Checked = Result<(), (Code, String)>;

fn want(holds: bool, code: Code, message: &str) -> Checked {
    if holds {
        Ok(())
    } else {
        Err((code, message.to_owned()))
    }
}

/// Checks how a load or a store uses the caches, at its attributes.
fn check_cached(body: &Body<Llvm>, op: &OpData<Llvm>, own: &LlvmDialect, problems: &mut Problems) {
    let (pointer, order, caching) = match *own {
        LlvmDialect::Load {
            pointer,
            order,
            cache,
            prefetch,
            cache_policy,
            ..
        } => (
            pointer,
            order,
            Caching::of_load(cache, prefetch, cache_policy.is_some()),
        ),
        LlvmDialect::Store {
            pointer,
            order,
            cache,
            cache_policy,
            ..
        } => (pointer, order, Caching::of_store(cache, cache_policy.is_some())),
        _ => return,
    };
    let is_global = *body.ty(pointer) == LlvmType::Ptr(AddressSpace::Global);
    check_caching(op, caching, order, is_global, problems);
}

fn check(body: &Body<Llvm>, op: &OpData<Llvm>, own: &LlvmDialect) -> Checked {
    let ty = |value: Value| *body.ty(value);
    let is = |value: Value, scalar: ScalarType| ty(value) == LlvmType::Scalar(scalar);
    let pointer = |value: Value| matches!(ty(value), LlvmType::Ptr(_));
    let policy = |policy: Option<Value>| {
        want(
            policy.is_none_or(|policy| is(policy, ScalarType::I64)),
            Code::OperandType,
            "a cache policy is an i64",
        )
    };
    let scalar = |value: Value| match ty(value) {
        LlvmType::Scalar(scalar) => Some(scalar),
        LlvmType::Vector(..)
        | LlvmType::Ptr(_)
        | LlvmType::TensorMap
        | LlvmType::Passed(_)
        | LlvmType::Struct(_) => None,
    };
    match own {
        LlvmDialect::GetElementPtr { base, index, .. } => {
            want(
                pointer(*base),
                Code::OperandType,
                "the base of `llvm.getelementptr` is a pointer",
            )?;
            let index = index.is_none_or(|index| is(index, ScalarType::I64));
            want(
                index,
                Code::OperandType,
                "the index of `llvm.getelementptr` is an i64",
            )?;
            want(
                ty(op.result(0)) == ty(*base),
                Code::TypeMismatch,
                "the result points where the base does",
            )
        }
        LlvmDialect::Load {
            pointer: from,
            mask,
            other,
            align,
            cache_policy,
            order,
            ..
        } => {
            want(
                pointer(*from),
                Code::OperandType,
                "`llvm.load` loads from a pointer",
            )?;
            policy(*cache_policy)?;
            weak_if_own(ty(*from), ty(op.result(0)), *order)?;
            access(ty(op.result(0)), *align)?;
            let mask = mask.is_none_or(|mask| is(mask, ScalarType::I1));
            want(mask, Code::OperandType, "the mask is an i1")?;
            let other = other.is_none_or(|other| ty(other) == ty(op.result(0)));
            want(other, Code::TypeMismatch, "`other` has the type of the result")
        }
        LlvmDialect::Store {
            pointer: to,
            value,
            mask,
            align,
            cache_policy,
            order,
            ..
        } => {
            want(
                pointer(*to),
                Code::OperandType,
                "`llvm.store` stores to a pointer",
            )?;
            policy(*cache_policy)?;
            weak_if_own(ty(*to), ty(*value), *order)?;
            access(ty(*value), *align)?;
            let mask = mask.is_none_or(|mask| is(mask, ScalarType::I1));
            want(mask, Code::OperandType, "the mask is an i1")
        }
        LlvmDialect::AtomicRmw {
            pointer,
            value,
            mask,
            op: atomic,
            ..
        } => {
            let exists = match ty(*value) {
                LlvmType::Scalar(scalar) | LlvmType::Vector(_, scalar) => atomic.takes(scalar),
                LlvmType::Ptr(_) | LlvmType::TensorMap | LlvmType::Passed(_) | LlvmType::Struct(_) => false,
            };
            want(
                exists,
                Code::BadElementType,
                &format!("there is no atomic `{atomic}` of this type"),
            )?;
            access(ty(*value), MAX_BYTES)?;
            atomic_access(ty(*pointer), ty(*value), ty(op.result(0)), mask.map(ty))
        }
        LlvmDialect::AtomicCas {
            pointer,
            compare,
            value,
            mask,
            ..
        } => {
            let swaps = scalar(*value).is_some_and(|scalar| matches!(scalar.bits(), 16 | 32 | 64));
            want(
                swaps,
                Code::BadElementType,
                "numbers of 16, 32 and 64 bits are compared and swapped (PTX ISA, `atom`)",
            )?;
            want(
                ty(*compare) == ty(*value),
                Code::TypeMismatch,
                "`compare` has the type of the value",
            )?;
            atomic_access(ty(*pointer), ty(*value), ty(op.result(0)), mask.map(ty))
        }
        LlvmDialect::ExtractElement { vector, index } => match ty(*vector) {
            LlvmType::Vector(count, scalar) => {
                want(
                    *index < count,
                    Code::AttributeValue,
                    "the index lies within the vector",
                )?;
                want(
                    is(op.result(0), scalar),
                    Code::TypeMismatch,
                    "the result is an element of the vector",
                )
            }
            LlvmType::Scalar(_)
            | LlvmType::Ptr(_)
            | LlvmType::TensorMap
            | LlvmType::Passed(_)
            | LlvmType::Struct(_) => Err((
                Code::OperandType,
                "`llvm.extractelement` takes a vector".to_owned(),
            )),
        },
        LlvmDialect::BuildVector { elements } => match ty(op.result(0)) {
            LlvmType::Vector(count, scalar) => {
                let fits = elements.len() == count as usize && elements.iter().all(|&e| is(e, scalar));
                want(
                    fits,
                    Code::TypeMismatch,
                    "a vector is built of as many elements of its type as it has",
                )
            }
            LlvmType::Scalar(_)
            | LlvmType::Ptr(_)
            | LlvmType::TensorMap
            | LlvmType::Passed(_)
            | LlvmType::Struct(_) => Err((
                Code::TypeMismatch,
                "`llvm.build_vector` gives a vector".to_owned(),
            )),
        },
        LlvmDialect::Constant { values } => {
            let leaves = match ty(op.result(0)) {
                LlvmType::Struct(fields) => fields.leaves(),
                _ => return Err((Code::TypeMismatch, "`llvm.constant` gives a struct".to_owned())),
            };
            let types = values.iter().map(|literal| LlvmType::Scalar(literal.ty));
            want(
                types.eq(leaves),
                Code::TypeMismatch,
                "a constant struct has a literal for each of its leaves, of its type",
            )
        }
        LlvmDialect::Undef {} => want(
            !matches!(ty(op.result(0)), LlvmType::TensorMap | LlvmType::Passed(_)),
            Code::TypeMismatch,
            "an unknown value is no parameter",
        ),
        LlvmDialect::InsertValue { value, into, path } => {
            let part = part(ty(*into), path, "llvm.insertvalue")?;
            want(
                part == ty(*value),
                Code::TypeMismatch,
                "what is inserted has the type of the part that it replaces",
            )?;
            want(
                ty(op.result(0)) == ty(*into),
                Code::TypeMismatch,
                "the result is a struct like the one that is changed",
            )
        }
        LlvmDialect::ExtractValue { from, path } => want(
            part(ty(*from), path, "llvm.extractvalue")? == ty(op.result(0)),
            Code::TypeMismatch,
            "the result has the type of the part",
        ),
        LlvmDialect::ReadSpecial { register } => {
            let (scalar, message) = match register.ty().bits() {
                64 => (ScalarType::I64, "this special register is an i64"),
                _ => (ScalarType::I32, "this special register is an i32"),
            };
            want(is(op.result(0), scalar), Code::TypeMismatch, message)
        }
        LlvmDialect::ReadParameter { parameter, offset } => {
            let LlvmType::Passed(passed) = ty(*parameter) else {
                let message = "`llvm.read_parameter` reads a parameter that is passed by value";
                return Err((Code::OperandType, message.to_owned()));
            };
            let bytes = match ty(op.result(0)) {
                LlvmType::Scalar(scalar) => scalar.bytes(),
                LlvmType::Ptr(AddressSpace::Global) => Some(8),
                LlvmType::Ptr(AddressSpace::Shared | AddressSpace::Local)
                | LlvmType::Vector(..)
                | LlvmType::TensorMap
                | LlvmType::Passed(_)
                | LlvmType::Struct(_) => None,
            };
            let message = "parts of a parameter are numbers of whole bytes and pointers to global memory";
            let bytes = bytes.ok_or_else(|| (Code::TypeMismatch, message.to_owned()))?;
            passed.check_part(*offset, bytes)
        }
        LlvmDialect::SharedBase {} => {
            let shared = ty(op.result(0)) == LlvmType::Ptr(AddressSpace::Shared);
            want(shared, Code::TypeMismatch, "shared memory begins at a `ptr<3>`")
        }
        LlvmDialect::Alloca { .. } => {
            let local = ty(op.result(0)) == LlvmType::Ptr(AddressSpace::Local);
            want(local, Code::TypeMismatch, "an array of a thread is at a `ptr<5>`")
        }
        LlvmDialect::PtrToInt { pointer: address } | LlvmDialect::IntToPtr { source: address } => {
            let (from, to) = (ty(*address), ty(op.result(0)));
            let (pointer, number) = match own {
                LlvmDialect::PtrToInt { .. } => (from, to),
                _ => (to, from),
            };
            let fits = matches!(pointer, LlvmType::Ptr(space) if space.is_narrow())
                && number == LlvmType::Scalar(ScalarType::I32);
            want(
                fits,
                Code::TypeMismatch,
                "an i32 is the address of a `ptr<3>` or a `ptr<5>`",
            )
        }
        LlvmDialect::Barrier { id, threads } => {
            want(
                *id < NAMED_BARRIERS,
                Code::AttributeValue,
                &format!(
                    "there are barriers 0 to {} (PTX ISA, `barrier`)",
                    NAMED_BARRIERS - 1
                ),
            )?;
            want(
                threads % LANES == 0 && *threads > 0,
                Code::AttributeValue,
                "whole warps meet at a barrier",
            )
        }
        LlvmDialect::Printf { format, values } => {
            check_printf(format, values.iter().map(|&value| ty(value).element()))
        }
        LlvmDialect::CondBr { condition, .. } => want(
            is(*condition, ScalarType::I1),
            Code::OperandType,
            "a branch depends on an i1",
        ),
        LlvmDialect::Hold { values } => want(
            values.iter().map(|&value| ty(value)).eq(op.results().map(ty)),
            Code::TypeMismatch,
            "`llvm.hold` gives each of its values",
        ),
        LlvmDialect::Br { .. } | LlvmDialect::Return {} => Ok(()),
    }
}

/// Checks that an access of local memory is weak, and so is one of a struct, which becomes several.
fn weak_if_own(pointer: LlvmType, value: LlvmType, order: MemoryOrder) -> Checked {
    let is_weak = order == MemoryOrder::Weak;
    want(
        is_weak || pointer != LlvmType::Ptr(AddressSpace::Local),
        Code::AttributeValue,
        "an access of local memory is weak: no other thread sees it",
    )?;
    want(
        is_weak || !matches!(value, LlvmType::Struct(_)),
        Code::AttributeValue,
        "an access of a struct is weak: it becomes one of each field",
    )
}

/// The part of a struct that a path names.
fn part(ty: LlvmType, path: &[u32], name: &str) -> Result<LlvmType, (Code, String)> {
    let LlvmType::Struct(fields) = ty else {
        return Err((Code::OperandType, format!("`{name}` takes a struct")));
    };
    let found = fields.part(path).map(|(ty, _)| ty);
    found.ok_or_else(|| {
        (
            Code::AttributeValue,
            format!("the struct has no part at {path:?}"),
        )
    })
}

/// Checks the types of an atomic access.
fn atomic_access(pointer: LlvmType, value: LlvmType, result: LlvmType, mask: Option<LlvmType>) -> Checked {
    want(
        pointer == LlvmType::Ptr(AddressSpace::Global),
        Code::OperandType,
        "an atomic access goes through a pointer to global memory",
    )?;
    want(
        mask.is_none_or(|mask| mask == LlvmType::Scalar(ScalarType::I1)),
        Code::OperandType,
        "the mask is an i1",
    )?;
    want(
        result == value,
        Code::TypeMismatch,
        "an atomic access gives what was there, in the type of the value",
    )
}

/// Checks that an access moves at least 1 byte, and not too many, and is aligned to its size; one of a struct is aligned as the struct.
fn access(ty: LlvmType, align: u32) -> Checked {
    let Some(layout) = ty.layout() else {
        let message = match ty {
            LlvmType::Scalar(scalar) | LlvmType::Vector(_, scalar) => {
                return Err((
                    Code::BadElementType,
                    format!("`{scalar}` does not fill whole bytes"),
                ));
            }
            LlvmType::Struct(_) => "a field of the struct does not fill whole bytes",
            LlvmType::Ptr(_) | LlvmType::TensorMap | LlvmType::Passed(_) => {
                "parameters are not kept in memory"
            }
        };
        return Err((Code::OperandType, message.to_owned()));
    };
    let (size, least) = (layout.bytes, layout.align);
    if size > MAX_BYTES && !matches!(ty, LlvmType::Struct(_)) {
        return Err((
            Code::TypeMismatch,
            format!("an access moves at most {MAX_BYTES} bytes, this one {size}"),
        ));
    }
    if !align.is_power_of_two() || align < least {
        return Err((
            Code::AttributeValue,
            format!(
                "an access of {} is aligned to {least}, not {align}",
                counted(size, "byte")
            ),
        ));
    }
    Ok(())
}
