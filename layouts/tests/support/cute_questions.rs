//! Queries about CuTe layouts in lines of text, and this crate's answers.
//!
//! A query is the name of an operation and its operands separated by ` ; `, in their text forms:
//!
//! ```text
//! index ; LAYOUT ; COORD            an integer, as size and cosize
//! coord ; LAYOUT ; FLAT             the natural coordinate of a flat one
//! coord_of_index ; LAYOUT ; INDEX
//! size ; LAYOUT
//! cosize ; LAYOUT
//! coalesce ; LAYOUT                 a layout, as all below
//! filter ; LAYOUT
//! right_inverse ; LAYOUT
//! left_inverse ; LAYOUT
//! complement ; LAYOUT ; COTARGET
//! composition ; LAYOUT ; TILER
//! logical_divide ; LAYOUT ; TILER   and zipped_, tiled_, flat_divide
//! logical_product ; LAYOUT ; TILER  and zipped_, tiled_, flat_product
//! swizzle ; SWIZZLE ; INDEX         an integer
//! swizzled ; SWIZZLED LAYOUT ; FLAT an integer
//! ```
//!
//! A record is a query, ` => `, and the answer of another implementation.

use std::fmt::Display;
use std::str::FromStr;

use tilewright_layouts::cute::{Composed, CuteError, Layout, Swizzle};

/// The answer to a query, or the reason why there is none.
pub(crate) fn answer(question: &str) -> Result<String, String> {
    let fields: Vec<&str> = question.split(" ; ").map(str::trim).collect();
    match fields.as_slice() {
        ["swizzle", swizzle, index] => Ok(parsed::<Swizzle>(swizzle)?.apply(number(index)?).to_string()),
        ["swizzled", layout, coord] => text(parsed::<Composed>(layout)?.at(number(coord)?)),
        [operation, layout] => one(operation, &parsed(layout)?),
        [operation, layout, operand] => two(operation, &parsed(layout)?, operand),
        _ => Err(format!("`{question}` is not a question")),
    }
}

fn one(operation: &str, layout: &Layout) -> Result<String, String> {
    match operation {
        "size" => text(layout.size()),
        "cosize" => text(layout.cosize()),
        "coalesce" => text(Ok(layout.coalesce())),
        "filter" => text(Ok(layout.filter())),
        "right_inverse" => text(layout.right_inverse()),
        "left_inverse" => text(layout.left_inverse()),
        _ => Err(format!("`{operation}` is no operation on a layout")),
    }
}

fn two(operation: &str, layout: &Layout, operand: &str) -> Result<String, String> {
    match operation {
        "index" => text(layout.index(&parsed(operand)?)),
        "coord" => text(layout.natural_coord(number(operand)?)),
        "coord_of_index" => text(layout.coord_of_index(number(operand)?)),
        "complement" => text(layout.complement(&parsed(operand)?)),
        "composition" => text(layout.composition_by(&parsed(operand)?)),
        "logical_divide" => text(layout.logical_divide(&parsed(operand)?)),
        "zipped_divide" => text(layout.zipped_divide(&parsed(operand)?)),
        "tiled_divide" => text(layout.tiled_divide(&parsed(operand)?)),
        "flat_divide" => text(layout.flat_divide(&parsed(operand)?)),
        "logical_product" => text(layout.logical_product(&parsed(operand)?)),
        "zipped_product" => text(layout.zipped_product(&parsed(operand)?)),
        "tiled_product" => text(layout.tiled_product(&parsed(operand)?)),
        "flat_product" => text(layout.flat_product(&parsed(operand)?)),
        _ => Err(format!(
            "`{operation}` is no operation on a layout and an operand"
        )),
    }
}

fn text(answer: Result<impl Display, CuteError>) -> Result<String, String> {
    answer
        .map(|answer| answer.to_string())
        .map_err(|error| error.to_string())
}

fn parsed<T: FromStr<Err: Display>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|error: T::Err| error.to_string())
}

fn number(text: &str) -> Result<u64, String> {
    parsed(text)
}
