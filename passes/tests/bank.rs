//! Layout algebra of `cute_desugared`, converted to `llvm` and run on a reference machine, against its definitions.
//!
//! The programs are the golden inputs of the conversion. Each takes an array and integers, and stores what an op makes of these.

#[allow(dead_code)]
mod machine;

use std::path::Path;

use machine::GLOBAL;
use tilewright_diagnostics::FileId;
use tilewright_grammar::mlir::read_mlir;
use tilewright_grammar::stages::parse_stage;
use tilewright_irs::core::verify;
use tilewright_irs::cute_desugared::CuteDesugared;
use tilewright_irs::isa::Target;
use tilewright_passes::cute_to_cute_desugared::desugar;
use tilewright_passes::cute_to_llvm::scalarize_fragments;
use tilewright_passes::llvm::dissolve_structs;

/// The words of the array.
const WORDS: usize = 512;
/// What a word is before a program.
const BEFORE: i32 = -9;

/// The words that a program stores, each with its position.
fn stored(name: &str, arguments: &[i32]) -> Vec<(usize, i32)> {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../golden/cute_desugared_to_llvm.scalarize_fragments");
    let path = folder.join(format!("{name}.in.cute_desugared"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let parsed = parse_stage::<CuteDesugared>(&text, FileId(0));
    assert!(parsed.diagnostics.is_empty(), "{name}: {:#?}", parsed.diagnostics);
    let func = parsed.module.funcs.into_iter().next().expect("a kernel");
    verify(&func).unwrap_or_else(|problems| panic!("{name}: {problems:#?}"));
    let plain = scalarize_fragments(&func).unwrap_or_else(|problems| panic!("{name}: {problems:#?}"));
    let flat = dissolve_structs(&plain).unwrap_or_else(|problems| panic!("{name}: {problems:#?}"));

    let mut all: Vec<u64> = vec![GLOBAL];
    all.extend(arguments.iter().map(|&value| u64::from(value.cast_unsigned())));
    let [one, other] = [&plain, &flat].map(|func| {
        verify(func).unwrap_or_else(|problems| panic!("{name}: {problems:#?}"));
        let mut bytes: Vec<u8> = std::iter::repeat_n(BEFORE.to_le_bytes(), WORDS)
            .flatten()
            .collect();
        machine::run(func, 1, &all, &mut bytes);
        let words = bytes
            .chunks(4)
            .map(|word| i32::from_le_bytes(word.try_into().expect("4 bytes")));
        let changed: Vec<(usize, i32)> = words.enumerate().filter(|(_, word)| *word != BEFORE).collect();
        changed
    });
    assert_eq!(one, other, "{name}: structs dissolved");
    one
}

/// Runs a program on all combinations of these arguments.
fn check<const N: usize>(name: &str, values: [&[i32]; N], expected: impl Fn([i32; N]) -> Vec<(i32, i32)>) {
    let count: usize = values.iter().map(|all| all.len()).product();
    for mut number in 0..count {
        let arguments = values.map(|all| {
            let value = all[number % all.len()];
            number /= all.len();
            value
        });
        let mut want: Vec<(usize, i32)> = expected(arguments)
            .into_iter()
            .map(|(at, value)| (usize::try_from(at).expect("an index"), value))
            .collect();
        want.sort_unstable();
        assert_eq!(stored(name, &arguments), want, "{name} of {arguments:?}");
    }
}

/// These values at the beginning of the array.
fn first(values: impl IntoIterator<Item = i32>) -> Vec<(i32, i32)> {
    (0..).zip(values).collect()
}

fn ceil_div(a: i32, b: i32) -> i32 {
    (a + b - 1) / b
}

#[test]
fn an_iterator_over_tiles_advances_and_rewinds() {
    check(
        "descriptor_iterator",
        [&[1, 7, 64], &[1, 8], &[0, 5, 100]],
        |[extent, tile, stride]| vec![(2 * stride, ceil_div(extent, tile))],
    );
}

#[test]
fn an_index_is_the_inner_product_of_coordinate_and_strides() {
    check(
        "index_of_coordinate",
        [&[3, 9], &[8, -5], &[0, 2], &[0, 7]],
        |[_, stride, row, column]| first([row * stride + column]),
    );
}

#[test]
fn tiles_of_a_layout_are_quotients_of_extents_and_multiples_of_strides() {
    check(
        "tiled_divide",
        [&[1, 16, 17, 100], &[8, -3]],
        |[extent, stride]| first([ceil_div(extent, 16), stride, 16 * stride]),
    );
}

#[test]
fn the_last_tile_has_the_remainders() {
    check("tiled_remainder", [&[1, 16, 47], &[7, 8, 64]], |[rows, tile]| {
        first([rows % 16, 40 % tile])
    });
}

#[test]
fn a_shape_is_divided_from_its_first_mode_on() {
    check("shape_divided", [&[1, 2, 4, 12], &[4, 8]], |[rows, columns]| {
        first([ceil_div(rows, 4), ceil_div(columns, ceil_div(4, rows))])
    });
}

#[test]
fn tiles_cover_a_shape() {
    check(
        "tiles_that_cover",
        [&[1, 16, 33], &[3, 4, 9]],
        |[rows, columns]| first([ceil_div(rows, 16), ceil_div(columns, 4)]),
    );
}

#[test]
fn a_mode_of_stride_zero_is_one_element() {
    check(
        "zeros_filtered",
        [&[5], &[3, 8], &[2, -4]],
        |[_, extent, stride]| first([extent, stride]),
    );
}

#[test]
fn modes_that_are_grouped_keep_their_leaves() {
    check(
        "modes_grouped",
        [&[5, 6], &[3, 8], &[2, -4]],
        |[extent, one, other]| first([extent, one, other]),
    );
}

#[test]
fn adjacent_modes_are_one() {
    check("layout_coalesced", [&[5, 6], &[1, 11]], |[extent, stride]| {
        first([extent, stride])
    });
}

#[test]
fn a_complement_covers_the_rest() {
    check("complement_of_layout", [&[1, 8, 9, 64]], |[size]| {
        first([ceil_div(size, 8)])
    });
}

#[test]
fn threads_part_a_tensor_in_their_layout() {
    check(
        "part_of_a_thread",
        [&[8, 16], &[16, 24], &[0, 1, 5, 31]],
        |[_, stride, thread]| vec![(thread / 4 * stride + thread % 4, thread)],
    );
}

#[test]
fn threads_of_a_tiled_copy_have_their_elements() {
    for name in ["what_a_thread_has_read", "what_a_thread_has_written"] {
        check(name, [&[32, 48], &[0, 3, 9, 31]], |[stride, thread]| {
            vec![(thread / 8 * stride + thread % 8 * 4, thread)]
        });
    }
}

#[test]
fn values_are_their_leaves() {
    check("values_of_algebra", [&[7, 0], &[5, -2]], |[extent, stride]| {
        first([extent, stride, extent])
    });
}

#[test]
fn pointers_move_and_are_addresses() {
    check("pointers", [&[1, 9, 100]], |[at]| vec![(at, at), (at - 1, at)]);
}

#[test]
fn a_prepared_divisor_divides() {
    check(
        "quotient_and_remainder",
        [&[0, 6, 7, 100, i32::MAX, -1]],
        |[n]| {
            let n = n.cast_unsigned();
            first([(n / 7).cast_signed(), (n % 7).cast_signed(), 7])
        },
    );
}

#[test]
fn desugaring_is_target_neutral() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../golden/cute_to_cute_desugared.desugar");
    for name in ["algebra_of_layouts", "loops", "parts_of_tensors"] {
        let path = folder.join(format!("{name}.in.cute"));
        let text =
            std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let read = read_mlir(&text, FileId(0)).unwrap_or_else(|problems| panic!("{name}: {problems:#?}"));
        let kernel = read.module.kernels().next().expect("a kernel");
        let bodies = [Target::sm(80), Target::sm_a(90), Target::sm_a(100)].map(|target| {
            let made = desugar(kernel, target).unwrap_or_else(|problems| panic!("{name}: {problems:#?}"));
            made.body
        });
        assert!(bodies.iter().all(|body| *body == bodies[0]), "{name}");
    }
}
