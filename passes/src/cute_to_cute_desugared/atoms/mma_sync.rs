//! Products of a warp in registers.

use std::num::NonZeroU32;

use tilewright_irs::core::Translated;
use tilewright_irs::cute_types::{Elements, Float, MmaShape, Number, Sign, Sm80Mma, Sm89Mma};
use tilewright_irs::dialects::arith::Signedness;
use tilewright_irs::dialects::cute_nvgpu::MmaSync;
use tilewright_irs::dialects::fragment::FragmentOp;
use tilewright_irs::element::ScalarType;

use super::elements::Tensor;
use crate::cute_to_cute_desugared::state::{Cx, unsupported};

/// The instruction of an atom, if there is one.
fn instruction(shape: MmaShape, elements: &Elements) -> Option<MmaSync> {
    let shape = [shape.m, shape.n, shape.k].map(NonZeroU32::get);
    let [a, b, c] = [elements.a, elements.b, elements.c].map(|number| match number {
        Number::Float(Float::TF32) => Some(ScalarType::TF32),
        number => number.scalar(),
    });
    let sign = |number: Number| match number {
        Number::Integer {
            sign: Sign::Unsigned, ..
        } => Signedness::Unsigned,
        Number::Integer { .. } | Number::Float(_) => Signedness::Signed,
    };
    let mma = MmaSync::new(shape, [a?, b?], c?)?;
    Some(mma.with_signedness([sign(elements.a), sign(elements.b)]))
}

/// `mma.sync` of sm_80.
pub(super) fn sm80(atom: &Sm80Mma) -> Option<MmaSync> {
    instruction(atom.shape, &atom.elements)
}

/// `mma.sync` of sm_89.
pub(super) fn sm89(atom: &Sm89Mma) -> Option<MmaSync> {
    instruction(atom.shape, &atom.elements)
}

/// One `mma.sync` on a thread's registers, in the order of the operands' values.
pub(super) fn lower(
    cx: &mut Cx<'_>,
    atom: Option<MmaSync>,
    d: &Tensor,
    [a, b]: &[Tensor; 2],
    c: &Tensor,
) -> Translated {
    let Some(atom) = atom else {
        return Err(unsupported(
            cx.origin(),
            "a product of a warp that no instruction computes",
        ));
    };
    let counts = [a, b, c].map(|tensor| u32::try_from(tensor.indices.len()).unwrap_or(u32::MAX));
    if counts != atom.elements() || d.indices.len() != c.indices.len() {
        let message = format!(
            "a product of {counts:?} elements of a thread, where the instruction has {:?}",
            atom.elements()
        );
        return Err(unsupported(cx.origin(), message));
    }
    let (a, b, c) = (a.load(cx, None)?, b.load(cx, None)?, c.load(cx, None)?);
    let ty = d.ty(d.indices.len());
    let product = cx.value(FragmentOp::Mma { a, b, c, atom }, ty);
    d.store(cx, product, None)
}
