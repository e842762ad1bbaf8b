//! Texts of types: each is printed as it is read, and what is malformed is refused where it goes wrong.

use tilewright_irs::cute_types::{CuteType, Kind, Space};

/// One type of each kind.
const TYPES: &[&str] = &[
    "cute.int_tuple<\"(?,(-3,?{i64}))\">",
    "cute.coord<\"(_,?{div=4},(-1,2))\">",
    "cute.shape<\"(8,?{div=12},())\">",
    "cute.stride<\"(?{i64 div=8},1@0,1/2@1@0)\">",
    "cute.tile<\"[128:1;_;(2,4):(1,16)]\">",
    "cute.layout<\"((4,?),8):((1,?{i64}),4@1)\">",
    "cute.composed_layout<\"S<3,4,3> o ?{div=64} o (8,64):(64,1)\">",
    "cute.swizzle<\"S<2,4,-3>\">",
    "cute.ptr<f16, smem, align<16>, S<3,4,3>>",
    "cute.ptr<f4E2M1FN, gmem>",
    "cute.ptr<f4E2M1FN, gmem, align<1>>",
    "cute.ptr<gmem, align<64>>",
    "cute.ptr<vector<4xf32>, generic>",
    "cute.ptr<!llvm.ptr<3>, gmem>",
    "cute.ptr<!cute.sparse_elem<4, vector<2xi8>>, gmem>",
    "cute.ptr<!cute_nvgpu.tma_descriptor_tiled, generic, align<64>>",
    "cute.memref<si32, tmem, align<16>, \"(128,64):(65536,1)\">",
    "cute.memref<bf16, smem, align<128>, S<3,4,3>, \"(8,64):(64,1)\">",
    "cute.memref<f32, gmem, \"S<3,3,3> o 0 o (8,64):(64,1)\">",
    "cute.arith_tuple_iter<\"(0,?{div=128})\">",
    "cute.coord_tensor<\"(?,?)\", \"((1,4),?):((0,1@0),8@1)\">",
    "cute.i32",
    "cute.i64<divby 12>",
    "cute.i32<pow2, divby 4>",
    "cute.fast_divmod_divisor<32>",
    "cute.fast_divmod_divisor<64, is_pow_2>",
    "cute.sparse_elem<2, f16>",
    "cute.tiled_copy<!cute_nvgpu.atom.universal_copy<f32>, layout_copy_tv = <\"((32,4),4):((4,128),1)\">, \
     tiler_mn = <\"[16:1;32:1]\">>",
    "cute.tiled_mma<!cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >, \
     atom_layout_MNK = <\"(2,2,1):(1,2,0)\">, permutation_MNK = <\"[32:1;32:1;16:1]\">>",
    "cute.tiled_mma<!cute_nvgpu.atom.universal_fma<1x1x1, (f32, f32) -> f32 >, atom_layout_MNK = <\"(16,16,1):(1,16,0)\">>",
    "cute_nvgpu.smem_desc",
    "cute_nvgpu.sm107.smem_desc",
    "cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, \"(1,2,(4,4)):(0,128,(2,256))\">",
    "cute_nvgpu.workid_response",
    "cute_nvgpu.atom.universal_copy<bf16, 128 b>",
    "cute_nvgpu.atom.simt_async_copy<f16, cache = global, 128 b>",
    "cute_nvgpu.atom.ldsm<val_type = f16, mode = <\"(8,8)\">, sz_pattern = u16, num_matrices = 4, t>",
    "cute_nvgpu.atom.stsm<f16, mode = <\"(8,8)\">, num_matrices = 2, n>",
    "cute_nvgpu.atom.g2r<f16 copy_bits = 128 mem_scope = gpu load_cache_mode = global>",
    "cute_nvgpu.atom.r2g<f16 copy_bits = 128>",
    "cute_nvgpu.atom.s2r<f16 copy_bits = 16 mem_order = relaxed mem_scope = cluster>",
    "cute_nvgpu.atom.r2s<f16 copy_bits = 16 shared_space = cluster>",
    "cute_nvgpu.atom.bulk_copy_g2s<f16 copy_bits = 1024 mcast = true>",
    "cute_nvgpu.atom.bulk_copy_s2g<f16 copy_bits = 1024>",
    "cute_nvgpu.atom.bulk_copy_s2s<f16 copy_bits = 1024>",
    "cute_nvgpu.atom.dsmem_store<f16, 64 b>",
    "cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90_multicast, f16, copy_bits = 8192, tma_gbasis = <\"(64,8):(1@0,1@1)\">, \
     tma_format = F16_RN>",
    "cute_nvgpu.atom.non_exec_tiled_tma_store<i8, copy_bits = 8192, tma_gbasis = <\"(64,8):(1@0,1@1)\">, tma_format = U8>",
    "cute_nvgpu.atom.tma_load<f16, copy_bits = 8192, mode = tiled, num_cta = 1, g_stride = <\"()\"> mcast = true \
     tma_gbasis = <\"(64,8):(1@0,1@1)\">>",
    "cute_nvgpu.atom.tma_store<f16, copy_bits = 8192, mode = tiled, g_stride = <\"()\"> tma_gbasis = <\"(64,8):(1@0,1@1)\">>",
    "cute_nvgpu.atom.tmem_load<f32, 32 DP, 32 bit, x128>",
    "cute_nvgpu.atom.tmem_store<f32, 16 DP, 256 bit, x1, expand16b>",
    "cute_nvgpu.atom.tmem_load_red<f32, 16 DP, 32 bit, x128, max, nan, half_split_off=16 : i64>",
    "cute_nvgpu.atom.s2t_copy<f8E8M0FNU, 32 DP, 128 bit, 1 cta, x4>",
    "cute_nvgpu.sm80.mma<16x8x32, elem_type = (si8, ui8, si32), int_overflow = <satfinite> >",
    "cute_nvgpu.sm89.mma<16x8x32, elem_type = (f8E4M3FN, f8E5M2, f32) >",
    "cute_nvgpu.sm90.mma<64x256x16, ab_major = (k, mn), elem_type = (f16, f16, f32), frag_kind = rs>",
    "cute_nvgpu.sm100.mma<128x128x16, num_cta = 1, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss, \
     c_scale_exp = 0>",
    "cute_nvgpu.sm107.mma_bs_sp<128x128x64, num_cta = 2, ab_major = (k, k), elem_type = (f8E4M3FN, f8E4M3FN, f32), \
     sf_type = f8E8M0FNU, sparse_metadata_format = tid, frag_kind = ss, vec_size = 32, ab_collector_op = (fill, use)>",
    "cute_nvgpu.SM120.mma_bs<16x8x32, vec_size = 32, elem_type = (f8E4M3FN, f8E4M3FN, f32), sf_type = f8E8M0FNU, \
     use_sf_layout_TV = false>",
];

#[test]
fn each_type_is_printed_as_it_is_read() {
    for text in TYPES {
        let read = CuteType::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(read.to_string(), *text);
        let (word, body) = (read.word(), read.body().to_string());
        assert_eq!(format!("{word}{body}"), *text);
        assert_eq!(CuteType::parse_body(word, &body), Ok((read, body.len())));
    }
}

#[test]
fn other_texts_of_the_same_type_are_read() {
    let same = [
        ("cute.ptr<f32, gmem, align<4>>", "cute.ptr<f32, gmem>"),
        ("cute.ptr<f32>", "cute.ptr<f32, generic>"),
        (
            "cute.ptr<vector<4xf32>, rmem, align<1>>",
            "cute.ptr<vector<4xf32>, rmem>",
        ),
        (
            "cute.ptr<f32,smem,align< 8 >,S<0,4,3>>",
            "cute.ptr<f32, smem, align<8>>",
        ),
        ("cute.layout<\"(4,8)\">", "cute.layout<\"(4,8):(1,4)\">"),
        ("cute.tile<\"[4;8]\">", "cute.tile<\"[4:1;8:1]\">"),
        ("cute.i32<divby 1>", "cute.i32"),
        (
            "cute_nvgpu.sm80.mma<16x8x16,elem_type=(f16,f16,f32)>",
            "cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >",
        ),
    ];
    for (text, printed) in same {
        let read = CuteType::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(
            (read.to_string(), CuteType::parse(printed)),
            (printed.to_owned(), Ok(read))
        );
    }
}

#[test]
fn malformed_texts_are_refused_where_they_go_wrong() {
    let refused = [
        ("cute.layouts<\"4:1\">", 0, "there is no type `cute.layouts`"),
        ("cute.layout<\"(4,8):(1)\">", 13, "not nested in the same way"),
        ("cute.layout<\"(4,8:(1,4)\">", 17, "expected"),
        ("cute.layout<\"(0,8):(1,4)\">", 13, "extent"),
        ("cute.int_tuple<\"(1,*)\">", 19, "expected"),
        ("cute.int_tuple<\"4\"", 18, "expected `>`"),
        ("cute.int_tuple<\"4\"> f32", 19, "expected the end of the type"),
        ("cute.ptr<f32, gmem, align<0>>", 26, "a number of bytes above 0"),
        ("cute.ptr<f32, gmem, S<3,4,2>>", 20, "shift"),
        ("cute.ptr<f32, smem, S<3,4,3>, align<8>>", 28, "expected `>`"),
        ("cute.ptr<f33, smem>", 9, "expected one of `generic`"),
        ("cute.memref<f32, gmem>", 21, "expected `,`"),
        ("cute.i32<divby 0>", 15, "a divisor above 0"),
        (
            "cute.tiled_copy<!cute_nvgpu.sm80.mma<16x8x16",
            17,
            "expected a copy",
        ),
        ("cute_nvgpu.sm80.mma<16x8, elem_type", 24, "expected `x`"),
        (
            "cute_nvgpu.atom.simt_async_copy<f16, cache = all, 128 b>",
            45,
            "one of `always`",
        ),
    ];
    let wrong = refused
        .iter()
        .filter_map(|(text, offset, part)| match CuteType::parse(text) {
            Ok(read) => Some(format!("{text}: {read}")),
            Err(error) if error.offset == *offset && error.message.contains(part) => None,
            Err(error) => Some(format!("{text}: {error}")),
        });
    assert_eq!(wrong.collect::<Vec<_>>(), Vec::<String>::new());
}

#[test]
fn a_type_says_what_a_pass_needs() {
    let view = CuteType::parse("cute.memref<f16, smem, align<128>, S<3,4,3>, \"(8,?):(?{div=8},1)\">");
    let view = view.expect("a view");
    let Kind::View(view) = view.kind() else {
        panic!("{view} is no view");
    };
    assert_eq!(
        (view.pointer.space(), view.pointer.element_bits()),
        (Space::Shared, 16)
    );
    assert_eq!(
        (view.pointer.align().get(), view.layout.layout().rank()),
        (128, 2)
    );
}

/// Texts that the library printed, one a line, from the file that `CUTE_TYPE_TEXTS` names.
#[test]
fn texts_of_the_library_round_trip() {
    let Ok(file) = std::env::var("CUTE_TYPE_TEXTS") else {
        return;
    };
    let texts = std::fs::read_to_string(&file).expect("the file that CUTE_TYPE_TEXTS names");
    let wrong = texts.lines().filter_map(|text| match CuteType::parse(text) {
        Ok(read) if read.to_string() == text => None,
        Ok(read) => Some(format!("{text}\n  is printed {read}")),
        Err(error) => Some(format!("{text}\n  {error}")),
    });
    let wrong: Vec<String> = wrong.collect();
    let (count, total) = (wrong.len(), texts.lines().count());
    assert!(wrong.is_empty(), "{count} of {total}:\n{}", wrong.join("\n"));
}
