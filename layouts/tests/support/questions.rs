//! Queries about linear layouts in lines of text, and this crate's answers.
//!
//! A query is the name of an operation and its operands separated by semicolons. Layouts are in their text form,
//! dimensions by name, sizes in decimal:
//!
//! ```text
//! apply ; LAYOUT ; lane 3 ; warp 1      [1, 2]: one coordinate for each out-dimension
//! identity ; SIZE ; IN ; OUT            a layout, as all below up to pseudo_inverse
//! strided ; SIZE ; STRIDE ; IN ; OUT
//! zeros ; SIZE ; IN ; OUT ; OUT_SIZE
//! compose ; FIRST ; THEN
//! product ; INNER ; OUTER
//! invert ; LAYOUT
//! invert_and_compose ; LAYOUT ; OUTER
//! pseudo_inverse ; LAYOUT
//! is_surjective ; LAYOUT                true or false, as below
//! is_injective ; LAYOUT
//! is_invertible ; LAYOUT
//! ```
//!
//! A record is a query, `=>`, and the answer of another implementation.

use tilewright_layouts::{Dim, LinearLayout};

/// The answer to a query, or the reason why there is none.
pub(crate) fn answer(question: &str) -> Result<String, String> {
    let mut fields = question.split(';').map(str::trim);
    let operation = fields.next().unwrap_or_default();
    let operands: Vec<&str> = fields.collect();
    match (operation, operands.as_slice()) {
        ("apply", [layout, position @ ..]) => {
            let named = position
                .iter()
                .map(|entry| entry_of(entry))
                .collect::<Result<Vec<_>, _>>()?;
            Ok(format!("{:?}", layout_of(layout)?.apply(&named)))
        }
        ("identity", [size, input, output]) => text(LinearLayout::identity_1d(
            number(size)?,
            dim(input)?,
            dim(output)?,
        )),
        ("strided", [size, stride, input, output]) => text(LinearLayout::strided_1d(
            number(size)?,
            number(stride)?,
            dim(input)?,
            dim(output)?,
        )),
        ("zeros", [size, input, output, out_size]) => text(LinearLayout::zeros_1d(
            number(size)?,
            dim(input)?,
            dim(output)?,
            number(out_size)?,
        )),
        ("compose", [first, then]) => text(layout_of(first)?.compose(&layout_of(then)?)),
        ("product", [inner, outer]) => text(layout_of(inner)?.product(&layout_of(outer)?)),
        ("invert", [layout]) => text(layout_of(layout)?.invert()),
        ("invert_and_compose", [layout, outer]) => {
            text(layout_of(layout)?.invert_and_compose(&layout_of(outer)?))
        }
        ("pseudo_inverse", [layout]) => text(layout_of(layout)?.pseudo_inverse()),
        ("is_surjective", [layout]) => Ok(layout_of(layout)?.is_surjective().to_string()),
        ("is_injective", [layout]) => Ok(layout_of(layout)?.is_injective().to_string()),
        ("is_invertible", [layout]) => Ok(layout_of(layout)?.is_invertible().to_string()),
        _ => Err(format!("`{question}` is not a question")),
    }
}

fn layout_of(text: &str) -> Result<LinearLayout, String> {
    text.parse().map_err(|error| format!("{error}: {text}"))
}

fn dim(name: &str) -> Result<Dim, String> {
    name.parse().map_err(|error| format!("{error}"))
}

fn number(digits: &str) -> Result<u32, String> {
    digits.parse().map_err(|error| format!("{error}: {digits}"))
}

/// A dimension and a position along it.
fn entry_of(entry: &str) -> Result<(Dim, u32), String> {
    let (name, value) = entry
        .split_once(' ')
        .ok_or_else(|| format!("no position in `{entry}`"))?;
    Ok((dim(name)?, number(value)?))
}

fn text(layout: Result<LinearLayout, tilewright_layouts::LayoutError>) -> Result<String, String> {
    layout
        .map(|layout| layout.to_string())
        .map_err(|error| error.to_string())
}
