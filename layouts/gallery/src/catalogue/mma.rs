//! Named fragments of `mma.sync`.

use tilewright_layouts::ElementWidth;
use tilewright_layouts::distributed::{
    Encoding, MajorOrder, MmaOperand, MmaSync, MmaTile, MmaVolta, VoltaAccumulator,
};

use super::words::{Word, Words};
use super::{CatalogueError, Named};

/// The letter of a matrix in a name.
fn letter(operand: MmaOperand) -> &'static str {
    match operand {
        MmaOperand::A => "a",
        MmaOperand::B => "b",
        MmaOperand::Accumulator => "c",
    }
}

/// The matrix that a word names.
fn operand(word: &Word<'_>) -> Result<MmaOperand, CatalogueError> {
    let named = |operand: &MmaOperand| letter(*operand) == word.text;
    let found = MmaOperand::ALL.into_iter().find(named);
    found.ok_or_else(|| word.unknown("the matrix: a, b or c"))
}

/// The names of all fragments.
pub(super) fn names() -> Vec<String> {
    let fragments = MmaSync::ALL.into_iter().flat_map(|instruction| {
        MmaOperand::ALL
            .into_iter()
            .map(move |operand| format!("mma.{instruction}.{}", letter(operand)))
    });
    let tile = "mma.m16n8k16.b16.c([2,2],[1,0]) 64x64".to_owned();
    fragments.chain([tile]).collect()
}

/// Parses names such as `.m16n8k16.b16.a`, `.m16n8k16.b16.c([2,2],[1,0]) 64x64`.
pub(super) fn mma(words: &mut Words<'_>) -> Result<Named, CatalogueError> {
    const SHAPE: &str = "a shape of mma.sync, such as m16n8k16";
    const WIDTH: &str =
        "the width of the elements of A and B that the shape has: b1, b4, b8, b16, b32 or b64";
    let shape = words.part(SHAPE)?;
    let of_shape = |instruction: &MmaSync| instruction.shape().to_string() == shape.text;
    if !MmaSync::ALL.iter().any(of_shape) {
        return Err(shape.unknown(SHAPE));
    }
    let width = words.part(WIDTH)?;
    let instruction = MmaSync::ALL
        .into_iter()
        .find(|instruction| of_shape(instruction) && instruction.width().to_string() == width.text)
        .ok_or_else(|| width.unknown(WIDTH))?;
    let operand = operand(&words.part("the matrix: .a, .b or .c")?)?;
    let layout = if words.take("(") {
        let warps_per_cta = words.list()?;
        words.comma()?;
        let order = words.axes()?;
        words.close()?;
        let shape = words.shape()?;
        let tile = MmaTile {
            instruction,
            operand,
            warps_per_cta,
            order,
        };
        tile.to_linear(&shape)
    } else {
        instruction.fragment(operand)
    };
    let width = match operand {
        MmaOperand::A | MmaOperand::B => instruction.width(),
        // The most common accumulator type.
        MmaOperand::Accumulator => instruction.width().max(ElementWidth::B32),
    };
    Ok(Named {
        layout: layout.map_err(|error| words.impossible(error))?,
        width: Some(width),
    })
}

/// The names of all fragments of `m8n8k4` on `f16`.
pub(super) fn volta_names() -> Vec<String> {
    ["a.row", "a.col", "b.row", "b.col", "c.f16", "c.f32"]
        .map(|name| format!("volta.{name}"))
        .to_vec()
}

/// Parses names such as `.a.row`, `.c.f32`.
pub(super) fn volta(words: &mut Words<'_>) -> Result<Named, CatalogueError> {
    let operand = operand(&words.part("the matrix: .a, .b or .c")?)?;
    let mut mma = MmaVolta {
        a: MajorOrder::Row,
        b: MajorOrder::Column,
        accumulator: VoltaAccumulator::F32,
    };
    let width = match operand {
        MmaOperand::A | MmaOperand::B => {
            const ORDER: &str = "the order of the matrix: row or col";
            let word = words.part(ORDER)?;
            let order = match word.text {
                "row" => MajorOrder::Row,
                "col" => MajorOrder::Column,
                _ => return Err(word.unknown(ORDER)),
            };
            (mma.a, mma.b) = (order, order);
            ElementWidth::B16
        }
        MmaOperand::Accumulator => {
            const TYPE: &str = "the type of the accumulator: f16 or f32";
            let word = words.part(TYPE)?;
            let (accumulator, width) = match word.text {
                "f16" => (VoltaAccumulator::F16, ElementWidth::B16),
                "f32" => (VoltaAccumulator::F32, ElementWidth::B32),
                _ => return Err(word.unknown(TYPE)),
            };
            mma.accumulator = accumulator;
            width
        }
    };
    Ok(Named {
        layout: mma.fragment(operand).map_err(|error| words.impossible(error))?,
        width: Some(width),
    })
}
