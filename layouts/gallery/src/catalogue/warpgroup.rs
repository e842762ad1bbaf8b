//! Named fragments of `wgmma` and of accesses to tensor memory.

use tilewright_layouts::ElementWidth;
use tilewright_layouts::distributed::tcgen05::{Repeat, TmemAccess, TmemShape, TmemValues};
use tilewright_layouts::distributed::{WgmmaA, WgmmaAccumulator, WgmmaElement, WgmmaN};

use super::words::Words;
use super::{CatalogueError, Named, Reason};

/// The rows of one instruction.
const M: u32 = 64;

/// The names of the linear fragments, those whose N is a power of two.
pub(super) fn wgmma_names() -> Vec<String> {
    let accumulators = WgmmaN::all().map(WgmmaN::get).filter(|n| n.is_power_of_two());
    let operands = WgmmaElement::ALL
        .into_iter()
        .map(|element| format!("wgmma.m{M}k{}.b{}.a", element.k(), element.bits()));
    accumulators
        .map(|n| format!("wgmma.m{M}n{n}.c"))
        .chain(operands)
        .collect()
}

/// Parses names such as `.m64n128.c`, `.m64k16.b16.a`.
pub(super) fn wgmma(words: &mut Words<'_>) -> Result<Named, CatalogueError> {
    const SHAPE: &str = "m64n and a multiple of 8 up to 256, or m64k16";
    const WIDTH: &str =
        "the width of an element that the shape has: b1 for k256, b8 for k32, b16 for k16, b32 for k8";
    let shape = words.part(SHAPE)?;
    if let Ok(n) = shape.number_after("m64n", SHAPE) {
        const MATRIX: &str = "the accumulator, c";
        let matrix = words.part(MATRIX)?;
        if matrix.text != "c" {
            return Err(matrix.unknown(MATRIX));
        }
        let accumulator = WgmmaN::new(n).map(|n| WgmmaAccumulator {
            n,
            warpgroups: [1, 1],
        });
        let layout = accumulator.and_then(|accumulator| accumulator.to_linear([M, n]));
        return Ok(Named {
            layout: layout.map_err(|error| CatalogueError {
                at: shape.at,
                reason: Reason::Layout(error),
            })?,
            width: Some(ElementWidth::B32),
        });
    }
    let k = shape.number_after("m64k", SHAPE)?;
    let width = words.part(WIDTH)?;
    let element = WgmmaElement::ALL
        .into_iter()
        .find(|element| element.k() == k && format!("b{}", element.bits()) == width.text)
        .ok_or_else(|| width.unknown(WIDTH))?;
    const MATRIX: &str = "the operand, a";
    let matrix = words.part(MATRIX)?;
    if matrix.text != "a" {
        return Err(matrix.unknown(MATRIX));
    }
    let operand = WgmmaA {
        element,
        warpgroups: [1, 1],
    };
    Ok(Named {
        layout: operand
            .to_linear([M, k])
            .map_err(|error| words.impossible(error))?,
        width: ElementWidth::of_bits(element.bits()),
    })
}

/// The names of all shapes with all repeat counts; the split shape with adjacent halves.
pub(super) fn tcgen05_names() -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    names.extend(Repeat::all().map(|repeat| TmemShape::Lanes32x32b(repeat).to_string()));
    names.extend(Repeat::all().map(|repeat| TmemShape::Lanes16x64b(repeat).to_string()));
    names.extend(Repeat::all().map(|repeat| TmemShape::Lanes16x128b(repeat).to_string()));
    names.extend(Repeat::all().map(|repeat| TmemShape::Lanes16x256b(repeat).to_string()));
    names.push("16x32bx2.x8".to_owned());
    names.push("32x32b.x8.pack16".to_owned());
    names.into_iter().map(|name| format!("tcgen05.{name}")).collect()
}

/// Parses names such as `.32x32b.x8`, `.16x256b.x2.pack16`.
pub(super) fn tcgen05(words: &mut Words<'_>) -> Result<Named, CatalogueError> {
    const SHAPE: &str = "a shape of tcgen05.ld: 32x32b, 16x64b, 16x128b, 16x256b or 16x32bx2";
    const REPEAT: &str = "a repeat count that the shape has: x1, x2, x4 and so on";
    let name = words.part(SHAPE)?;
    if !["32x32b", "16x64b", "16x128b", "16x256b", "16x32bx2"].contains(&name.text) {
        return Err(name.unknown(SHAPE));
    }
    let count = words.part(REPEAT)?;
    let repeat = count.number_after("x", REPEAT)?;
    let shape = match name.text {
        "32x32b" => Repeat::of(repeat).map(TmemShape::Lanes32x32b),
        "16x64b" => Repeat::of(repeat).map(TmemShape::Lanes16x64b),
        "16x128b" => Repeat::of(repeat).map(TmemShape::Lanes16x128b),
        "16x256b" => Repeat::of(repeat).map(TmemShape::Lanes16x256b),
        _ => Repeat::of(repeat).map(|repeat| TmemShape::Lanes16x32bx2 {
            repeat,
            split: repeat.get(),
        }),
    };
    let shape = shape.ok_or_else(|| count.unknown(REPEAT))?;
    let values = match words.dotted() {
        None => TmemValues::Whole,
        Some(word) if word.text == "pack16" => TmemValues::Pairs16,
        Some(word) => return Err(word.unknown("pack16, for 16-bit values")),
    };
    let layout = TmemAccess { shape, values }.to_linear();
    Ok(Named {
        layout: layout.map_err(|error| words.impossible(error))?,
        width: Some(match values {
            TmemValues::Whole => ElementWidth::B32,
            TmemValues::Pairs16 => ElementWidth::B16,
        }),
    })
}
