//! Tensor copies that round: each language says where they cannot.

use std::fs;
use std::path::Path;

use tilewright_diagnostics::{Code, FileId};
use tilewright_grammar::stages::parse_stage;
use tilewright_irs::core::{Func, Language, print_func, verify};
use tilewright_irs::cute_desugared::CuteDesugared;
use tilewright_irs::tileaa::TileAa;
use tilewright_irs::tileas::TileAs;
use tilewright_passes::tileas::lower_routes;

fn golden(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../golden").join(file);
    fs::read_to_string(path).expect("the input")
}

fn parsed<L: Language>(text: &str) -> Func<L> {
    let mut parsed = parse_stage::<L>(text, FileId(0));
    assert_eq!(parsed.diagnostics, [], "{text}");
    parsed.module.funcs.remove(0)
}

/// Replaces parts of a legal text, and expects an error of this code and these words among those that follow.
#[track_caller]
fn refused<L: Language>(text: &str, replaced: &[[&str; 2]], code: Code, words: &str) {
    assert_eq!(verify(&parsed::<L>(text)), Ok(()), "{text}");
    let changed = replaced.iter().fold(text.to_owned(), |text, [from, to]| {
        assert!(text.contains(from), "{from}\n{text}");
        text.replacen(from, to, 1)
    });
    let found = verify(&parsed::<L>(&changed)).expect_err("an error");
    let is_wanted = found
        .iter()
        .any(|error| error.code == code && error.message.contains(words));
    assert!(is_wanted, "{replaced:?}: {found:#?}");
}

#[test]
fn a_load_gives_what_its_copy_rounds_to() {
    let text = golden("tileaa_to_tileas.assign_layouts/rounded.in.tileaa");
    let mismatch = Code::TypeMismatch;
    let route = "tma<box = [64, 32], swizzle = \"128B\", rounded = true>";
    let is_exact = "the array holds `f32`, the tile `tf32`";
    let refused = |replaced: &[[&str; 2]], code, words| refused::<TileAa>(&text, replaced, code, words);
    refused(
        &[["tile<64x32xtf32>", "tile<64x32xf32>"]],
        mismatch,
        "the array holds `f32`, rounded to `tf32`, the tile `f32`",
    );
    refused(&[[", rounded = true", ""]], mismatch, is_exact);
    refused(&[[route, "cp_async<16>"]], mismatch, is_exact);
    refused(
        &[
            ["@rounded(%0: ptr<f32>", "@rounded(%0: ptr<i32>"],
            ["?x?xf32", "?x?xi32"],
        ],
        Code::BadElementType,
        "tensor copies round `f32` to `tf32`; the array holds `i32`",
    );
    refused(
        &[[
            "tileaa.store %7, [%9, %10], %14 {",
            &format!("tileaa.store %7, [%9, %10], %14 {{route = {route}, "),
        ]],
        Code::BadElementType,
        "tensor copies round what they load, not what they store",
    );
    let unread = parse_stage::<TileAa>(&text.replacen("rounded = true", "rounded = 1", 1), FileId(0));
    assert!(
        matches!(unread.diagnostics.as_slice(), [only] if only.message.contains("`true`")),
        "{:#?}",
        unread.diagnostics
    );
}

#[test]
fn a_copy_rounds_if_its_tensor_map_does() {
    let loads = parsed(&golden("tileas.lower_routes/rounded.in.tileas"));
    let copies = lower_routes(&loads).expect("copies");
    let text = print_func(&copies, &|_| None);
    let (copy, exact) = ("copy_in %5, [%15, %21]", "swizzle = \"128B\", rounded = true");
    let at = text.find(copy).expect("a copy");
    let line = text[at..].lines().next().expect("a line");
    refused::<TileAs>(
        &text,
        &[[line, &line.replace(exact, "swizzle = \"128B\"")]],
        Code::TypeMismatch,
        "has boxes of [64, 32] with swizzle CU_TENSOR_MAP_SWIZZLE_128B, rounded, the copy has [64, 32] with \
         CU_TENSOR_MAP_SWIZZLE_128B",
    );
}

#[test]
fn a_tensor_map_that_rounds_is_of_an_array_of_f32() {
    let text = golden("cute_desugared_to_llvm.scalarize_fragments/rounded_map.in.cute_desugared");
    refused::<CuteDesugared>(
        &text,
        &[["ptr<f32>", "ptr<i32>"]],
        Code::BadElementType,
        "tensor copies round numbers of type `f32`",
    );
}
