//! Small programs, each with one op on elements of one type.

use super::arithmetic::{arithmetic, conversions, products, tiles};
use super::memory::{memory, views};
use super::places::{hints, multimem, unread};
use super::writer::{Program, Writer};

/// The types of elements.
pub(super) const NUMBERS: &[&str] = &[
    "i1",
    "i4",
    "i8",
    "i16",
    "i32",
    "i64",
    "f16",
    "bf16",
    "f32",
    "tf32",
    "f64",
    "f8E4M3FN",
    "f8E5M2",
    "f8E8M0FNU",
    "f4E2M1FN",
    "fnv8E5M3FNU",
];
pub(super) const FLOATS: &[&str] = &["f16", "bf16", "f32", "f64"];
pub(super) const INTS: &[&str] = &["i1", "i8", "i16", "i32", "i64"];
/// The extents of most tiles.
pub(super) const LINE: &[u64] = &[128];

fn tokens(list: &mut Vec<Program>) {
    for op in [
        "%a = gdc_wait_tko token = %tk -> token",
        "%a = gdc_launch_dependents_tko token = %tk -> token",
        "%a = memory_fence_alias_tko %tk",
        "%x, %y, %w = get_tile_block_id : tile<i32>",
        "%x, %y, %w = get_num_tile_blocks : tile<i32>",
        "%c = constant <i1: true> : tile<i1>\n    assert %c, \"never\" : tile<i1>",
        "%a = alloca num_elem = 4, alignment = 16 : tile<ptr<f32>>",
    ] {
        let mut writer = Writer::new();
        writer.line(op);
        list.push(writer.done(op.to_owned()));
    }
}

/// All programs, including illegal ones.
pub(super) fn programs() -> Vec<Program> {
    let mut list = few_programs();
    conversions(&mut list);
    list
}

/// All programs except the conversions between all pairs of types.
pub(super) fn few_programs() -> Vec<Program> {
    let mut list = Vec::new();
    arithmetic(&mut list);
    products(&mut list);
    tiles(&mut list);
    memory(&mut list);
    views(&mut list);
    tokens(&mut list);
    unread(&mut list);
    multimem(&mut list);
    hints(&mut list);
    list
}
