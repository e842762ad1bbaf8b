//! One thread's part of tensors that many threads copy or multiply.

use tilewright_layouts::cute::{CopyEnd, CuteError, Fact, MmaMatrix, Nested, SlotOf, TypeLayout};

use super::question::{Answer, Question, Refusal, one};
use crate::cute_types::tiled::{TiledCopy, TiledMma};
use crate::cute_types::types::Kind;

/// The number of a thread.
fn thread(asked: &Question<'_>, number: usize) -> Result<Fact, Refusal> {
    match asked.coord(number)? {
        Nested::Leaf(SlotOf::At(thread)) => Ok(thread),
        _ => Err(asked.wrong(number, "the number of a thread")),
    }
}

fn tiled_copy<'a>(asked: &Question<'a>) -> Result<&'a TiledCopy, Refusal> {
    match asked.cute(0)? {
        Kind::TiledCopy(copy) => Ok(copy),
        _ => Err(asked.wrong(0, "a tiled copy")),
    }
}

pub(super) fn tiled_mma<'a>(asked: &Question<'a>) -> Result<&'a TiledMma, Refusal> {
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
pub(super) fn matrix(asked: &Question<'_>) -> Result<MmaMatrix, Refusal> {
    match asked.number("operand_id")? {
        0 => Ok(MmaMatrix::A),
        1 => Ok(MmaMatrix::B),
        2 => Ok(MmaMatrix::C),
        number => Err(Refusal::new(format!(
            "operand {number} of a product is not A, B or C"
        ))),
    }
}

fn copied(asked: &Question<'_>, end: CopyEnd) -> Answer {
    let tensor = asked.tensor(1)?;
    let copy = known(tiled_copy(asked)?.layouts())?;
    one(tensor.part(&copy.part_of(end, tensor.layout(), &thread(asked, 2)?)?)?)
}

pub(super) fn partition_source(asked: &Question<'_>) -> Answer {
    copied(asked, CopyEnd::Source)
}

pub(super) fn partition_destination(asked: &Question<'_>) -> Answer {
    copied(asked, CopyEnd::Destination)
}

pub(super) fn retile(asked: &Question<'_>) -> Answer {
    let copy = known(tiled_copy(asked)?.layouts())?;
    one(asked.tensor(1)?.map(|fragments| copy.retile(fragments))?)
}

pub(super) fn partition(asked: &Question<'_>) -> Answer {
    let tensor = asked.tensor(1)?;
    let mma = known(tiled_mma(asked)?.layouts())?;
    one(tensor.part(&mma.part_of(matrix(asked)?, tensor.layout(), &thread(asked, 2)?)?)?)
}

pub(super) fn partition_shape(asked: &Question<'_>) -> Answer {
    let Kind::Shape(shape) = asked.cute(1)? else {
        return Err(asked.wrong(1, "a shape"));
    };
    let mma = known(tiled_mma(asked)?.layouts())?;
    let whole = TypeLayout::column_major(shape)?;
    let part = mma.part_of(matrix(asked)?, &whole, &Fact::from(0))?;
    one(Kind::Shape(part.free.shape()))
}
