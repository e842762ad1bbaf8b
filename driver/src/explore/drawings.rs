//! Drawings of layouts.

use tilewright_layout_gallery::picture::{Memory, Options, by_element, by_offset, to_svg};
use tilewright_layouts::{Dim, ElementWidth, LinearLayout};

/// An SVG picture of a layout for elements of `bits` bits: by address for a layout of memory, else by element.
///
/// # Errors
/// Why the layout cannot be drawn.
pub(super) fn drawing(layout: &LinearLayout, bits: u32) -> Result<String, String> {
    let options = Options::default();
    let in_memory = layout.in_bits(Dim::Offset) > 0 || layout.out_size(Dim::Offset).is_some();
    let picture = if in_memory {
        let width = ElementWidth::of_bits(bits).ok_or("no element has this width")?;
        let memory = Memory::from_linear(layout, width).map_err(|error| error.to_string())?;
        by_offset(&memory, &options)
    } else {
        by_element(layout, &options)
    };
    Ok(to_svg(&[picture]))
}
