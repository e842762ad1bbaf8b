//! Rules of `cute_desugared` beyond the declarations.

use tilewright_diagnostics::{Code, counted, counted_as};

use super::CuteDesugared;
use super::checked::{Checked, want};
use super::hopper;
use super::instructions;
use super::ops::CuteDesugaredOp;
use super::shared_addresses::SharedAddresses;
use super::types::DesugaredType;
use crate::core::{Body, Func, OpData, Origin, Part, Problems, Value, ValueType};
use crate::dialects::arith_rules;
use crate::dialects::cute;
use crate::dialects::cute_nvgpu::MatrixOrder;
use crate::dialects::fragment::FragmentOp;
use crate::dialects::gpu;
use crate::dialects::memory::AtomicOp;
use crate::dialects::memory_rules::{Caching, check_caching, check_order_and_scope, check_scope};
use crate::dialects::pipe;
use crate::dialects::scf;
use crate::element::{ElementType, ScalarType};
use crate::isa::MatrixCount;

pub(super) fn verify(func: &Func<CuteDesugared>, problems: &mut Problems) {
    let body = &func.body;
    let wrong = body.params().iter().position(|&param| match body.ty(param) {
        DesugaredType::Scalar(_) | DesugaredType::TmaDescriptor(_) | DesugaredType::Cute(_) => false,
        DesugaredType::SharedPtr(_)
        | DesugaredType::Fragment(..)
        | DesugaredType::TileIterator(_)
        | DesugaredType::Pipe(_) => true,
    });
    if let Some(wrong) = wrong {
        let message =
            "a parameter is a number, a pointer to global memory, a value of CuTe's algebra, or a tensor map";
        problems.error_at(
            Origin::FUNCTION,
            Part::argument(wrong),
            Code::OperandType,
            message,
        );
    }
    let integer =
        |ty: &DesugaredType| matches!(ty, DesugaredType::Scalar(ElementType::Scalar(s)) if s.is_int());
    scf::verify(
        body,
        scf::Planning::Done,
        problems,
        &|op| {
            if let CuteDesugaredOp::Scf(op) = op {
                Some(op)
            } else {
                None
            }
        },
        &integer,
    );
    let addresses = SharedAddresses::new(body);
    let definitions = body.definitions();
    for id in body.walk() {
        let op = body.op(id);
        let checked = match &op.kind {
            CuteDesugaredOp::Arith(arith) => {
                let count = u64::from(body.ty(op.result(0)).count());
                arith_rules::verify(body, op, arith, Some(count), problems);
                Ok(())
            }
            CuteDesugaredOp::Math(_) | CuteDesugaredOp::Scf(_) => Ok(()),
            CuteDesugaredOp::Cute(own) => cute::check(body, op, own),
            CuteDesugaredOp::Algebra(own) => cute::algebra::check(body, op, own),
            CuteDesugaredOp::Division(own) => cute::division::check(body, op, own),
            CuteDesugaredOp::Iterator(own) => cute::iterator::check(body, op, own),
            CuteDesugaredOp::CuteNvgpu(_) => Ok(()),
            CuteDesugaredOp::Copies(own) => hopper::copies(body, op, own),
            CuteDesugaredOp::Fragment(own) => {
                let (order, fixed, optional) = (own.field(), own.field(), own.field());
                check_order_and_scope(op, order, fixed, optional, func.attrs.target, problems);
                check_cached(body, op, own, problems);
                check_fragment(body, op, own)
            }
            CuteDesugaredOp::Pipe(own) => {
                pipe::check(body, op, own).and_then(|()| pipe::check_barriers(own, &|at| addresses.of(at)))
            }
            CuteDesugaredOp::Gpu(own) => {
                check_scope(op, own.field().copied(), func.attrs.target, problems);
                gpu::check(body, op, own, &|pointer| addresses.of(pointer))
            }
            CuteDesugaredOp::Grid(own) => own.check(func.attrs.target),
            CuteDesugaredOp::Target(own) => {
                instructions::verify(func, &definitions, op, own, problems);
                Ok(())
            }
        };
        let checked = checked
            .and_then(|()| hopper::target(body, op, func.attrs.target))
            .and_then(|()| hopper::bulk_copy(op, func.attrs.target, &addresses));
        if let Err((code, message)) = checked {
            problems.error(op.origin, code, message);
        }
    }
}

fn is_int(ty: &DesugaredType) -> bool {
    ty.element()
        .and_then(ElementType::scalar)
        .is_some_and(ScalarType::is_int)
}

/// Checks how a load or a store uses the caches, at its attributes.
fn check_cached(
    body: &Body<CuteDesugared>,
    op: &OpData<CuteDesugared>,
    own: &FragmentOp,
    problems: &mut Problems,
) {
    let (pointer, order, caching) = match *own {
        FragmentOp::Load {
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
        FragmentOp::Store {
            pointer,
            order,
            cache,
            cache_policy,
            ..
        } => (pointer, order, Caching::of_store(cache, cache_policy.is_some())),
        _ => return,
    };
    let is_global = !matches!(body.ty(pointer), DesugaredType::SharedPtr(_));
    check_caching(op, caching, order, is_global, problems);
}

fn check_fragment(body: &Body<CuteDesugared>, op: &OpData<CuteDesugared>, own: &FragmentOp) -> Checked {
    let ty = |value: Value| body.ty(value).clone();
    let result = || ty(op.result(0));
    let policy = |policy: Option<Value>| {
        want(
            policy.is_none_or(|policy| ty(policy) == DesugaredType::Scalar(ElementType::I64)),
            Code::OperandType,
            "a cache policy is an i64",
        )
    };
    match own {
        FragmentOp::LinearIndex { coord, bases } => {
            want(
                ty(*coord) == DesugaredType::Scalar(ElementType::I32),
                Code::OperandType,
                "a coordinate is an i32",
            )?;
            want(
                bases.len() <= 32,
                Code::AttributeValue,
                "a coordinate has at most 32 bits",
            )?;
            let index = [
                DesugaredType::Scalar(ElementType::I32),
                DesugaredType::Scalar(ElementType::I64),
            ];
            want(
                index.contains(&result()),
                Code::TypeMismatch,
                "an index is an i32 or an i64",
            )
        }
        FragmentOp::Splat { source } => {
            let fits = ty(*source).is_single()
                && !result().is_single()
                && ty(*source).element() == result().element();
            want(
                fits,
                Code::TypeMismatch,
                "`fragment.splat` makes a fragment of a scalar",
            )
        }
        FragmentOp::Rearrange { source, from } => {
            let fits = ty(*source).element() == result().element()
                && !result().is_single()
                && from.len() == result().count() as usize
                && from.iter().all(|&i| i < ty(*source).count());
            want(
                fits,
                Code::TypeMismatch,
                "`fragment.rearrange` names one element of the source for each of the result",
            )
        }
        FragmentOp::Extract { source, index } => {
            let fits = result().is_single()
                && ty(*source).element() == result().element()
                && *index < ty(*source).count();
            want(
                fits,
                Code::TypeMismatch,
                "`fragment.extract` gives an element of the fragment",
            )
        }
        FragmentOp::Make { elements } => {
            let single = result().element().map(DesugaredType::Scalar);
            let fits = !result().is_single()
                && elements.len() == result().count() as usize
                && elements.iter().all(|&e| Some(ty(e)) == single);
            want(
                fits,
                Code::TypeMismatch,
                "a fragment is made of as many elements of its type as it has",
            )
        }
        FragmentOp::SharedPtr { .. } => want(
            matches!(result(), DesugaredType::SharedPtr(_)),
            Code::TypeMismatch,
            "the result points to shared memory",
        ),
        FragmentOp::AddOffset { pointer, offset } => {
            let pointer = ty(*pointer);
            want(
                pointer.pointee().is_some() && pointer == result(),
                Code::TypeMismatch,
                "`fragment.add_offset` moves pointers",
            )?;
            let offset = ty(*offset);
            let fits = is_int(&offset)
                && offset.count() == pointer.count()
                && offset.is_single() == pointer.is_single();
            want(
                fits,
                Code::OperandType,
                "there is one integer offset for each pointer",
            )
        }
        FragmentOp::Load {
            pointer,
            pred,
            other,
            offsets,
            vector,
            cache_policy,
            ..
        } => {
            let data = result();
            policy(*cache_policy)?;
            check_access(&ty(*pointer), &data, pred.map(ty), offsets, *vector)?;
            want(
                other.is_none_or(|other| ty(other) == data),
                Code::TypeMismatch,
                "`other` has the type of the result",
            )
        }
        FragmentOp::Store {
            pointer,
            value,
            pred,
            offsets,
            vector,
            cache_policy,
            ..
        } => {
            policy(*cache_policy)?;
            check_access(&ty(*pointer), &ty(*value), pred.map(ty), offsets, *vector)
        }
        FragmentOp::MultimemLoad {
            pointer,
            pred,
            other,
            offsets,
            vector,
            op: combination,
            ..
        } => {
            let data = result();
            check_access(&ty(*pointer), &data, pred.map(ty), offsets, *vector)?;
            want(
                other.is_none_or(|other| ty(other) == data),
                Code::TypeMismatch,
                "`other` has the type of the result",
            )?;
            check_replicas(&data, |element| combination.loads_replicas(element))
        }
        FragmentOp::MultimemStore {
            pointer,
            value,
            pred,
            offsets,
            vector,
            ..
        } => {
            check_access(&ty(*pointer), &ty(*value), pred.map(ty), offsets, *vector)?;
            check_replicas(&ty(*value), AtomicOp::has_replicas)
        }
        FragmentOp::MultimemReduce {
            pointer,
            value,
            pred,
            offsets,
            vector,
            op: combination,
            ..
        } => {
            check_access(&ty(*pointer), &ty(*value), pred.map(ty), offsets, *vector)?;
            check_replicas(&ty(*value), |element| combination.updates_replicas(element))
        }
        FragmentOp::AtomicRmw {
            pointer,
            value,
            pred,
            offsets,
            vector,
            op: atomic,
            ..
        } => {
            check_access(&ty(*pointer), &ty(*value), pred.map(ty), offsets, *vector)?;
            check_atomic(&ty(*value), *atomic, &result())
        }
        FragmentOp::AtomicCas {
            pointer,
            compare,
            value,
            pred,
            ..
        } => {
            let offsets = vec![0; ty(*value).count() as usize];
            check_access(&ty(*pointer), &ty(*value), pred.map(ty), &offsets, 1)?;
            want(
                ty(*compare) == ty(*value),
                Code::TypeMismatch,
                "`compare` has the type of the value",
            )?;
            check_atomic(&ty(*value), AtomicOp::Exchange, &result())
        }
        FragmentOp::CopyAsync {
            to,
            source,
            pred,
            sizes,
            offsets,
            source_offsets,
            vector,
            cache_policy,
            ..
        } => {
            policy(*cache_policy)?;
            check_async(
                (&ty(*to), offsets),
                (&ty(*source), source_offsets),
                [(pred.map(ty), ElementType::I1), (sizes.map(ty), ElementType::I32)],
                *vector,
            )
        }
        FragmentOp::LoadMatrix {
            pointer,
            offsets,
            count,
            order,
        } => {
            let bytes: &[u32] = match order {
                MatrixOrder::Normal => &[1, 2, 4],
                MatrixOrder::Transposed => &[1, 2],
            };
            check_matrices(&ty(*pointer), &result(), offsets, *count, bytes)
        }
        FragmentOp::StoreMatrix {
            pointer,
            value,
            pred,
            offsets,
            count,
            ..
        } => {
            want(
                pred.is_none_or(|pred| ty(pred) == DesugaredType::Scalar(ElementType::I1)),
                Code::OperandType,
                "a warp stores matrices where one i1 holds",
            )?;
            check_matrices(&ty(*pointer), &ty(*value), offsets, *count, &[1, 2])
        }
        FragmentOp::Mma { a, b, c, atom } => {
            let ([a_count, b_count, c_count], [of_a, of_b]) = (atom.elements(), atom.operands);
            // The bits of a register may be given for a `tf32`.
            let factor = |value: Value, count: u32, of: ScalarType| {
                let bits = (of == ScalarType::TF32).then_some(ScalarType::I32);
                let mut forms = std::iter::once(of).chain(bits);
                forms.any(|form| ty(value) == DesugaredType::Fragment(count, form.into()))
            };
            let sum = DesugaredType::Fragment(c_count, atom.accumulator.into());
            let message = format!(
                "a thread has {} of A, of `{of_a}`, {b_count} of B, of `{of_b}`, and {c_count} of C and D, of `{}`",
                counted(a_count, "element"),
                atom.accumulator
            );
            let fits =
                factor(*a, a_count, of_a) && factor(*b, b_count, of_b) && ty(*c) == sum && result() == sum;
            want(fits, Code::TypeMismatch, &message)
        }
        FragmentOp::WgmmaFence { values } => hopper::fence(body, op, values),
        FragmentOp::Wgmma { a, b, c, atom, .. } => hopper::product(body, op, [*a, *b, *c], atom),
        FragmentOp::WgmmaWait { values, .. } => hopper::wait(body, op, values),
        FragmentOp::WgmmaCommit {} => Ok(()),
    }
}

/// `sizes`: the sizes of elements that the move has, in bytes.
fn check_matrices(
    pointer: &DesugaredType,
    data: &DesugaredType,
    offsets: &[i64],
    count: u32,
    sizes: &[u32],
) -> Checked {
    want(
        matches!(pointer, DesugaredType::SharedPtr(_)) && data.element() == pointer.pointee().map(Into::into),
        Code::OperandType,
        "matrices lie in shared memory",
    )?;
    let bytes = pointer.pointee().and_then(ScalarType::bytes).unwrap_or(0);
    want(
        sizes.contains(&bytes),
        Code::BadElementType,
        match sizes {
            [1, 2] => "matrices that are transposed or stored have elements of 8 or 16 bits",
            _ => "matrices have elements of 8, 16 or 32 bits",
        },
    )?;
    want(
        MatrixCount::of(count).is_some(),
        Code::AttributeValue,
        "1, 2 or 4 matrices are moved at a time",
    )?;
    let have = u64::from(data.count());
    let wanted = u64::from(4 / bytes * count) * offsets.len() as u64;
    let message = format!(
        "{} times {}: {} a thread, not {have}",
        offsets.len(),
        counted_as(count, "matrix", "matrices"),
        counted(wanted, "element")
    );
    want(have == wanted, Code::TypeMismatch, &message)
}

fn check_access(
    pointer: &DesugaredType,
    data: &DesugaredType,
    pred: Option<DesugaredType>,
    offsets: &[i64],
    vector: u32,
) -> Checked {
    let pointee = pointer.pointee();
    let fits = pointee.is_some() && data.element() == pointee.map(ElementType::Scalar);
    want(fits, Code::TypeMismatch, "the data is what the pointer points to")?;
    want(
        vector.is_power_of_two() && data.count().is_multiple_of(vector),
        Code::AttributeValue,
        "whole vectors are moved",
    )?;
    let bytes = pointee.and_then(ScalarType::bytes).unwrap_or(0);
    want(
        bytes > 0 && vector * bytes <= 16,
        Code::AttributeValue,
        "a vector has 1 to 16 bytes",
    )?;
    let groups = data.count() / vector;
    want(
        offsets.len() == groups as usize,
        Code::AttributeValue,
        "there is one offset for each vector",
    )?;
    want(
        pointer.is_single() || pointer.count() == groups,
        Code::OperandType,
        "there is one pointer, or one for each vector",
    )?;
    let fits = pred.is_none_or(|pred| {
        pred.element() == Some(ElementType::I1) && (pred.is_single() || pred.count() == groups)
    });
    want(
        fits,
        Code::OperandType,
        "there is one predicate, or one for each vector",
    )
}

fn check_atomic(value: &DesugaredType, atomic: AtomicOp, result: &DesugaredType) -> Checked {
    let element = value.element().and_then(ElementType::scalar);
    let message = format!(
        "there is no atomic `{atomic}` of `{}`",
        element.map_or("pointers", |element| element.word())
    );
    let exists = element.is_some_and(|element| atomic.takes(element));
    want(exists, Code::BadElementType, &message)?;
    want(
        result == value,
        Code::TypeMismatch,
        "an atomic access gives what was there, in the type of the value",
    )
}

fn check_replicas(data: &DesugaredType, allows: impl Fn(ScalarType) -> bool) -> Checked {
    let element = data.element().and_then(ElementType::scalar);
    let message = format!(
        "there is no such access to replicas of `{}`",
        element.map_or("pointers", |element| element.word())
    );
    want(element.is_some_and(allows), Code::BadElementType, &message)
}

fn check_async(
    (to, offsets): (&DesugaredType, &[i64]),
    (source, source_offsets): (&DesugaredType, &[i64]),
    limits: [(Option<DesugaredType>, ElementType); 2],
    vector: u32,
) -> Checked {
    let fits = matches!(to, DesugaredType::SharedPtr(_))
        && !matches!(source, DesugaredType::SharedPtr(_))
        && to.pointee().is_some()
        && to.pointee() == source.pointee();
    want(
        fits,
        Code::OperandType,
        "elements are copied from global memory to shared memory",
    )?;
    let bytes = to
        .pointee()
        .and_then(ScalarType::bytes)
        .unwrap_or(0)
        .saturating_mul(vector);
    let message = format!("4, 8 or 16 bytes are copied at a time, not {bytes} (PTX ISA, `cp.async`)");
    want([4, 8, 16].contains(&bytes), Code::AttributeValue, &message)?;
    want(
        offsets.len() == source_offsets.len(),
        Code::AttributeValue,
        "there is one offset on each side for each vector",
    )?;
    let fits = |ty: &DesugaredType| ty.is_single() || ty.count() as usize == offsets.len();
    want(
        fits(source),
        Code::OperandType,
        "there is one pointer, or one for each vector",
    )?;
    let fits = limits
        .into_iter()
        .all(|(ty, element)| ty.is_none_or(|ty| ty.element() == Some(element) && fits(&ty)));
    want(
        fits,
        Code::OperandType,
        "there is one predicate and one size, or one for each vector",
    )
}
