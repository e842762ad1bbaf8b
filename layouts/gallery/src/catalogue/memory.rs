//! Named layouts of shared memory.

use tilewright_layouts::ElementWidth;
use tilewright_layouts::shared::{Nvmma, NvmmaElement, SwizzleMode, Swizzled, TileOrder};

use super::words::Words;
use super::{CatalogueError, Named};

/// The word for an element in a name.
fn element_name(element: NvmmaElement) -> &'static str {
    match element {
        NvmmaElement::B4 => "b4",
        NvmmaElement::B8 => "b8",
        NvmmaElement::B16 => "b16",
        NvmmaElement::B32 => "b32",
        NvmmaElement::B64 => "b64",
        NvmmaElement::Fp4Padded => "fp4_padded",
    }
}

/// The names of tiles of one atom, for each swizzle and width.
pub(super) fn nvmma_names() -> Vec<String> {
    let mut names = Vec::new();
    for swizzle in SwizzleMode::ALL {
        for element in NvmmaElement::ALL {
            let slots = swizzle.span().0 * 8 / u64::from(element.bits());
            let columns = match element {
                NvmmaElement::Fp4Padded => slots / 2,
                NvmmaElement::B4
                | NvmmaElement::B8
                | NvmmaElement::B16
                | NvmmaElement::B32
                | NvmmaElement::B64 => slots,
            };
            names.push(format!("nvmma.{swizzle}.{} 8x{columns}", element_name(element)));
        }
    }
    names.push("nvmma.128B.b16.col 64x8".to_owned());
    names
}

/// Parses names such as `.128B.b16 8x64`, `.128B.b16.col 64x8`.
pub(super) fn nvmma(words: &mut Words<'_>) -> Result<Named, CatalogueError> {
    const SWIZZLE: &str =
        "the swizzle: none, 32B, 64B, 128B, 128B_ATOM_32B, 128B_ATOM_32B_FLIP_8B or 128B_ATOM_64B";
    const ELEMENT: &str = "the element: b4, b8, b16, b32, b64 or fp4_padded";
    let word = words.part(SWIZZLE)?;
    let swizzle = SwizzleMode::ALL
        .into_iter()
        .find(|swizzle| swizzle.to_string() == word.text)
        .ok_or_else(|| word.unknown(SWIZZLE))?;
    let word = words.part(ELEMENT)?;
    let element = NvmmaElement::ALL
        .into_iter()
        .find(|element| element_name(*element) == word.text)
        .ok_or_else(|| word.unknown(ELEMENT))?;
    let order = match words.dotted() {
        None => TileOrder::RowMajor,
        Some(word) if word.text == "col" => TileOrder::ColumnMajor,
        Some(word) => return Err(word.unknown("col, for a tile whose first axis is contiguous")),
    };
    let shape = words.shape()?;
    let tile = Nvmma {
        swizzle,
        element,
        order,
    };
    Ok(Named {
        layout: tile.to_linear(&shape).map_err(|error| words.impossible(error))?,
        width: ElementWidth::of_bits(element.bits()),
    })
}

/// Parses names such as `(8,1,8,[1,0]) 64x64`.
pub(super) fn swizzled(words: &mut Words<'_>) -> Result<Named, CatalogueError> {
    words.open()?;
    let vec = words.number()?;
    words.comma()?;
    let per_phase = words.number()?;
    words.comma()?;
    let max_phase = words.number()?;
    words.comma()?;
    let order = words.axes()?;
    words.close()?;
    let swizzled = Swizzled {
        vec,
        per_phase,
        max_phase,
        order,
    };
    of(words, &swizzled)
}

/// Parses names such as `([1,0]) 64x64`.
pub(super) fn plain(words: &mut Words<'_>) -> Result<Named, CatalogueError> {
    words.open()?;
    let order = words.axes()?;
    words.close()?;
    of(words, &Swizzled::plain(&order))
}

fn of(words: &mut Words<'_>, swizzled: &Swizzled) -> Result<Named, CatalogueError> {
    let shape = words.shape()?;
    let layout = swizzled.to_linear(&shape);
    Ok(Named {
        layout: layout.map_err(|error| words.impossible(error))?,
        width: None,
    })
}
