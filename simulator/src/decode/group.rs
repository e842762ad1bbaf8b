//! Matrix products of warp groups.

use super::matrix::{accumulator, elements};
use super::{Decoded, Decoder};
use crate::matrix::{Contiguous, GroupKind, GroupProduct};
use crate::program::{GroupInstruction, GroupOperand, Op};
use tilewright_irs::ptx::{
    Accumulators, BitProduct, Class, MatrixType, Predicate, Register, Type, Value, WgmmaShape,
};

/// The A of a product: in shared memory by a descriptor, or in registers.
#[derive(Clone, Copy)]
pub(super) enum Left<'a> {
    Descriptor(Register),
    Registers(&'a [Value]),
}

/// A product of floats.
pub(super) fn floats(
    shape: WgmmaShape,
    [d, a, b]: [MatrixType; 3],
    signs: [i32; 2],
) -> Decoded<GroupProduct> {
    let negated = signs[0] * signs[1] < 0;
    let d = accumulator(d)?;
    of_kind(shape, [a, b], GroupKind::Float { d, negated })
}

/// A product of integers or bits.
pub(super) fn integers(
    shape: WgmmaShape,
    types: [MatrixType; 2],
    saturate: bool,
    bits: Option<BitProduct>,
) -> Decoded<GroupProduct> {
    let kind = match bits {
        None => GroupKind::Integer { saturate },
        Some(BitProduct::And) => GroupKind::Bits,
        Some(BitProduct::Xor) => return Err("a product of a warp group with `xor`".to_owned()),
    };
    of_kind(shape, types, kind)
}

fn of_kind(shape: WgmmaShape, [a, b]: [MatrixType; 2], kind: GroupKind) -> Decoded<GroupProduct> {
    let (a, b) = elements(a, b)?;
    Ok(GroupProduct {
        n: usize::from(shape.n),
        k: usize::from(shape.k),
        a,
        b,
        kind,
    })
}

impl Decoder<'_> {
    /// A product of a warp group. The numbers say which operands in shared memory are transposed.
    pub(super) fn group_product(
        &self,
        product: GroupProduct,
        d: &Accumulators,
        (a, b): (Left<'_>, Register),
        accumulate: Predicate,
        transposed: &[u32],
    ) -> Op {
        let descriptor = |register| self.source(Type::B64, Value::Register(register));
        let major = |at: Option<usize>| match at.and_then(|at| transposed.get(at)) {
            None | Some(0) => Contiguous::K,
            Some(_) => Contiguous::Outer,
        };
        // The last number is that of B.
        let last = transposed.len().checked_sub(1);
        Op::GroupProduct(Box::new(GroupInstruction {
            product,
            d: d.0.iter().map(|d| self.target(*d)).collect(),
            a: match a {
                Left::Descriptor(a) => GroupOperand::Shared(descriptor(a), major(Some(0))),
                Left::Registers(a) => {
                    GroupOperand::Registers(a.iter().map(|a| self.source(Type::B32, *a)).collect())
                }
            },
            b: (descriptor(b), major(last)),
            accumulate: self.bit(accumulate),
        }))
    }

    /// The general registers that an instruction accesses.
    pub(super) fn accessed(&self, instruction: &tilewright_irs::ptx::Instruction) -> Box<[u32]> {
        let mut slots = Vec::new();
        instruction.registers(&mut |register, _, _| {
            if register.class != Class::Pred {
                let first = self.slot(register);
                slots.extend(first..first + super::words(register.class));
            }
        });
        slots.into_boxed_slice()
    }
}
