//! One thread's part of tensors that many threads copy or multiply.

use tilewright_layouts::cute::{CopyEnd, CuteError, LayoutOf, MmaMatrix, Nested, SlotOf, TypeLeaf};

use super::question::{Asked, Outcomes, Refusal, one};
use crate::cute_types::tiled::{TiledCopy, TiledMma};
use crate::cute_types::types::Kind;

/// The number of a thread.
fn thread<L: TypeLeaf>(asked: &Asked<'_, L>, number: usize) -> Result<L, Refusal> {
    match asked.coord(number)? {
        Nested::Leaf(SlotOf::At(thread)) => Ok(thread),
        _ => Err(asked.wrong(number, "the number of a thread")),
    }
}

fn tiled_copy<'a, L: TypeLeaf>(asked: &Asked<'a, L>) -> Result<&'a TiledCopy, Refusal> {
    match asked.cute(0)? {
        Kind::TiledCopy(copy) => Ok(copy),
        _ => Err(asked.wrong(0, "a tiled copy")),
    }
}

pub(super) fn tiled_mma<'a, L: TypeLeaf>(asked: &Asked<'a, L>) -> Result<&'a TiledMma, Refusal> {
    match asked.cute(0)? {
        Kind::TiledMma(mma) => Ok(mma),
        _ => Err(asked.wrong(0, "a tiled product")),
    }
}

/// What is known of an instruction, or a refusal.
fn known<T>(layouts: Option<Result<T, CuteError>>) -> Result<T, Refusal> {
    match layouts {
        Some(layouts) => Ok(layouts?),
        None => Err(Refusal::new(
            "the layouts of this instruction do not follow from its type",
        )),
    }
}

/// The matrix of a product that an op is about.
pub(super) fn matrix<L: TypeLeaf>(asked: &Asked<'_, L>) -> Result<MmaMatrix, Refusal> {
    match asked.number("operand_id")? {
        0 => Ok(MmaMatrix::A),
        1 => Ok(MmaMatrix::B),
        2 => Ok(MmaMatrix::C),
        number => Err(Refusal::new(format!(
            "operand {number} of a product is not A, B or C"
        ))),
    }
}

fn copied<L: TypeLeaf>(asked: &Asked<'_, L>, end: CopyEnd) -> Outcomes<L> {
    let tensor = asked.tensor(1)?;
    let copy = known(tiled_copy(asked)?.layouts())?;
    one(tensor.part(&copy.part_of(end, tensor.layout(), &thread(asked, 2)?)?)?)
}

pub(super) fn partition_source<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    copied(asked, CopyEnd::Source)
}

pub(super) fn partition_destination<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    copied(asked, CopyEnd::Destination)
}

pub(super) fn retile<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    let copy = known(tiled_copy(asked)?.layouts())?;
    one(asked.tensor(1)?.map(|fragments| copy.retile(fragments))?)
}

pub(super) fn partition<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    let tensor = asked.tensor(1)?;
    let mma = known(tiled_mma(asked)?.layouts())?;
    one(tensor.part(&mma.part_of(matrix(asked)?, tensor.layout(), &thread(asked, 2)?)?)?)
}

pub(super) fn partition_shape<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    let Kind::Shape(shape) = asked.cute(1)? else {
        return Err(asked.wrong(1, "a shape"));
    };
    let mma = known(tiled_mma(asked)?.layouts())?;
    let whole = LayoutOf::column_major(shape)?;
    let part = mma.part_of(matrix(asked)?, &whole, &L::from(0))?;
    one(Kind::Shape(part.free.shape()))
}
