//! Which thread holds which elements, by the types of instructions.

use tilewright_irs::cute_types::{CopyAtom, CuteType, Kind, MmaAtom};
use tilewright_layouts::cute::{CopyEnd, MmaMatrix};

fn copy(text: &str) -> CopyAtom {
    match CuteType::parse(&format!("cute_nvgpu.atom.{text}"))
        .expect(text)
        .kind()
    {
        Kind::Copy(atom) => atom.clone(),
        kind => panic!("{kind:?}"),
    }
}

fn product(text: &str) -> MmaAtom {
    match CuteType::parse(&format!("cute_nvgpu.{text}")).expect(text).kind() {
        Kind::Mma(atom) => atom.clone(),
        kind => panic!("{kind:?}"),
    }
}

/// Copies, with the layouts of source and destination.
const COPIES: &[(&str, &str, &str)] = &[
    ("universal_copy<f16>", "(1,1):(0,0)", "(1,1):(0,0)"),
    ("universal_copy<f16, 128 b>", "(1,8):(0,1)", "(1,8):(0,1)"),
    (
        "simt_async_copy<f32, cache = global, 128 b>",
        "(1,4):(0,1)",
        "(1,4):(0,1)",
    ),
    (
        "ldsm<val_type = f16, mode = <\"(8,8)\">, sz_pattern = u16, num_matrices = 4, n>",
        "(32,8):(8,1)",
        "(32,(2,4)):(2,(1,64))",
    ),
    (
        "ldsm<val_type = f16, mode = <\"(8,8)\">, sz_pattern = u16, num_matrices = 2, t>",
        "((16,2),8):((8,0),1)",
        "((4,8),(1,2,2)):((16,1),(1,8,64))",
    ),
    (
        "ldsm<val_type = i8, mode = <\"(8,8)\">, sz_pattern = u16, num_matrices = 4, t>",
        "(32,16):(16,1)",
        "((4,8),(2,2,4)):((32,2),(1,16,128))",
    ),
    (
        "ldsm<val_type = f32, mode = <\"(8,8)\">, sz_pattern = u16, num_matrices = 1, n>",
        "((8,4),4):((4,0),1)",
        "(32,1):(1,1)",
    ),
    (
        "ldsm<val_type = i8, mode = <\"(16,16)\">, sz_pattern = u8, num_matrices = 2, t>",
        "(32,16):(16,1)",
        "((4,8),(1,4,2,2)):((64,1),(1,16,8,256))",
    ),
    (
        "stsm<f16, mode = <\"(8,8)\">, num_matrices = 4, n>",
        "(32,(2,4)):(2,(1,64))",
        "(32,8):(8,1)",
    ),
    (
        "stsm<i8, mode = <\"(16,8)\">, num_matrices = 4, t>",
        "((4,8),(1,2,2,4)):((32,1),(1,16,8,128))",
        "(32,16):(16,1)",
    ),
    (
        "tmem_load<f32, 32 DP, 32 bit, x16>",
        "(32,512):(0,1)",
        "(32,16):(16,1)",
    ),
    (
        "tmem_store<f16, 32 DP, 32 bit, x1>",
        "(32,2):(2,1)",
        "(32,64):(0,1)",
    ),
];

#[test]
fn copies_say_which_thread_moves_what() {
    for (text, source, destination) in COPIES {
        let layouts = copy(text).layouts().expect(text).expect(text);
        let found = [CopyEnd::Source, CopyEnd::Destination].map(|end| layouts.end(end).to_string());
        assert_eq!(found, [source.to_string(), destination.to_string()], "{text}");
    }
}

/// Products, with the layouts of A, B and C.
const PRODUCTS: &[(&str, [&str; 3])] = &[
    (
        "atom.universal_fma<1x1x1, (f32, f32) -> f32 >",
        ["(1,1):(0,0)", "(1,1):(0,0)", "(1,1):(0,0)"],
    ),
    (
        "sm80.mma<16x8x16, elem_type = (f16, f16, f32) >",
        [
            "((4,8),(2,2,2)):((32,1),(16,8,128))",
            "((4,8),(2,2)):((16,1),(8,64))",
            "((4,8),(2,2)):((32,1),(16,8))",
        ],
    ),
    (
        "sm80.mma<16x8x4, elem_type = (tf32, tf32, f32) >",
        [
            "((4,8),2):((16,1),8)",
            "((4,8),1):((8,1),0)",
            "((4,8),(2,2)):((32,1),(16,8))",
        ],
    ),
    (
        "sm80.mma<8x8x4, elem_type = (f64, f64, f64) >",
        [
            "((4,8),1):((8,1),0)",
            "((4,8),1):((8,1),0)",
            "((4,8),2):((16,1),8)",
        ],
    ),
    (
        "sm80.mma<16x8x32, elem_type = (si8, ui8, si32) >",
        [
            "((4,8),(4,2,2)):((64,1),(16,8,256))",
            "((4,8),(4,2)):((32,1),(8,128))",
            "((4,8),(2,2)):((32,1),(16,8))",
        ],
    ),
    (
        "sm89.mma<16x8x32, elem_type = (f8E4M3FN, f8E5M2, f32) >",
        [
            "((4,8),(4,2,2)):((64,1),(16,8,256))",
            "((4,8),(4,2)):((32,1),(8,128))",
            "((4,8),(2,2)):((32,1),(16,8))",
        ],
    ),
    (
        "sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = rs>",
        [
            "((4,8,4),(2,2,2)):((128,1,16),(64,8,512))",
            "(128,(8,16)):(0,(1,8))",
            "((4,8,4),(2,2)):((128,1,16),(64,8))",
        ],
    ),
    (
        "sm90.mma<64x256x16, ab_major = (k, mn), elem_type = (f16, f16, f32), frag_kind = ss>",
        [
            "(128,(64,16)):(0,(1,64))",
            "(128,(256,16)):(0,(1,256))",
            "((4,8,4),(2,2,32)):((128,1,16),(64,8,512))",
        ],
    ),
    (
        "sm100.mma<256x128x16, num_cta = 2, ab_major = (k, k), elem_type = (bf16, bf16, f32), frag_kind = ss, c_scale_exp = 0>",
        [
            "(2,(128,16)):(128,(1,256))",
            "(2,(64,16)):(64,(1,128))",
            "(2,(128,128)):(128,(1,256))",
        ],
    ),
];

#[test]
fn products_say_which_thread_holds_what() {
    for (text, matrices) in PRODUCTS {
        let layouts = product(text).layouts().expect(text).expect(text);
        let found = MmaMatrix::ALL.map(|matrix| layouts.matrix(matrix).to_string());
        assert_eq!(found, matrices.map(str::to_owned), "{text}");
    }
}
