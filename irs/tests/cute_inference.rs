//! The types of results that follow from operands and attributes.

use std::collections::BTreeMap;

use tilewright_irs::cute_types::infer::{Attribute, Question, infer};
use tilewright_irs::cute_types::{Dialect, ValueType};

/// The types in a list with ` | ` between them.
fn types(text: &str) -> Vec<ValueType> {
    let texts = text.split(" | ").filter(|text| !text.is_empty());
    texts
        .map(|text| ValueType::parse(text).unwrap_or_else(|error| panic!("{text}: {error}")))
        .collect()
}

/// Attributes in the generic form: `begin = 1 : i32, mode = array<i32: 0, 1>`.
fn attributes(text: &str) -> Vec<(&str, Attribute)> {
    let mut depth = 0;
    let parts = text.split(|c: char| {
        match c {
            '<' | '(' => depth += 1,
            '>' | ')' => depth -= 1,
            _ => (),
        }
        c == ',' && depth == 0
    });
    let parts = parts.map(str::trim).filter(|part| !part.is_empty());
    let read = parts.map(|part| {
        let Some((name, value)) = part.split_once(" = ") else {
            return (part, Attribute::Unit);
        };
        let between = |open: &str, close: &str| {
            let from = value.find(open).map_or(0, |at| at + open.len());
            let to = value.rfind(close).unwrap_or(value.len());
            value.get(from..to.max(from)).unwrap_or("")
        };
        let value = match value.split(['<', ' ', ':']).next().unwrap_or("") {
            "array" => {
                let numbers = value.split_once(':').map_or("", |(_, numbers)| numbers);
                let numbers = numbers.trim_end_matches('>').split(',').map(str::trim);
                Attribute::Ints(numbers.filter_map(|number| number.parse().ok()).collect())
            }
            "#cute.coord" => Attribute::Coord(between("\"", "\"").parse().expect("a coordinate")),
            first if first.starts_with('#') => Attribute::Word(between("<", ">").to_owned()),
            first => first.parse().map_or(Attribute::Unit, Attribute::Int),
        };
        (name, value)
    });
    read.collect()
}

/// What is inferred, in the form of [`types`].
fn inferred(op: &str, attributes_text: &str, operands: &str) -> Result<String, String> {
    let (operands, attributes) = (types(operands), attributes(attributes_text));
    let question = Question {
        dialect: Dialect::Library,
        operands: &operands,
        attributes: &attributes,
    };
    let answer = infer(op, &question).ok_or("no rule")?;
    let answer = answer.map_err(|refusal| refusal.to_string())?;
    let texts: Vec<String> = answer.iter().map(ToString::to_string).collect();
    Ok(texts.join(" | "))
}

/// Ops with attributes, operands and results, written by hand.
const ROWS: &[(&str, &str, &str, &str)] = &[
    // Parts.
    (
        "cute.get_iter",
        "",
        "!cute.memref<f16, smem, align<16>, S<3,4,3>, \"(8,64):(64,1)\">",
        "!cute.ptr<f16, smem, align<16>, S<3,4,3>>",
    ),
    (
        "cute.get_iter",
        "",
        "!cute.coord_tensor<\"(0,?)\", \"(8,4):(1@0,1@1)\">",
        "!cute.arith_tuple_iter<\"(0,?)\">",
    ),
    (
        "cute.get_layout",
        "",
        "!cute.memref<f32, gmem, \"(?,4):(4,1)\">",
        "!cute.layout<\"(?,4):(4,1)\">",
    ),
    (
        "cute.get_shape",
        "",
        "!cute.tile<\"[128:1;32:1]\">",
        "!cute.shape<\"(128,32)\">",
    ),
    (
        "cute.get_stride",
        "",
        "!cute.layout<\"(4,8):(?{i64},1)\">",
        "!cute.stride<\"(?{i64},1)\">",
    ),
    (
        "cute.composed_get_inner",
        "",
        "!cute.composed_layout<\"S<2,4,3> o 0 o (8,32):(32,1)\">",
        "!cute.swizzle<\"S<2,4,3>\">",
    ),
    (
        "cute.get_leaves",
        "",
        "!cute.shape<\"(?,(4,8))\">",
        "!cute.shape<\"?\"> | !cute.shape<\"4\"> | !cute.shape<\"8\">",
    ),
    (
        "cute.get_leaves",
        "",
        "!cute.tile<\"[4:1;_]\">",
        "!cute.layout<\"4:1\"> | !cute.tile<\"_\">",
    ),
    (
        "cute.get_scalars",
        "",
        "!cute.int_tuple<\"(3,?{i64})\">",
        "i32 | i64",
    ),
    (
        "cute.get_scalars",
        "only_dynamic",
        "!cute.int_tuple<\"(3,?{i64})\">",
        "i64",
    ),
    (
        "cute.get_scalars",
        "only_dynamic",
        "!cute.composed_layout<\"(?,4):(1,?) o ?{i64} o (2,3):(1,2)\">",
        "i64 | i32 | i32",
    ),
    (
        "cute.get_scalars",
        "",
        "!cute.layout<\"(?,2):(?{i64}@1,1@0)\">",
        "i32 | i32 | i64 | i32 | i32 | i32",
    ),
    (
        "cute.cosize",
        "",
        "!cute.layout<\"(16,?):(1,16)\">",
        "!cute.int_tuple<\"?\">",
    ),
    (
        "cute.crd2idx",
        "",
        "!cute.coord<\"(?,?{i64})\"> | !cute.composed_layout<\"S<1,3,3> o ? o (8,4):(4,1)\">",
        "!cute.int_tuple<\"?{i64}\">",
    ),
    (
        "cute.size",
        "mode = array<i32: 1>",
        "!cute.layout<\"(4,(8,?)):(1,(4,32))\">",
        "!cute.int_tuple<\"?{div=8}\">",
    ),
    // Modes.
    (
        "cute.get",
        "mode = array<i32: 1, 0>",
        "!cute.shape<\"(4,(8,?))\">",
        "!cute.shape<\"8\">",
    ),
    (
        "cute.select",
        "mode = array<i32: 1, 0>",
        "!cute.layout<\"(4,8):(1,4)\">",
        "!cute.layout<\"(8,4):(4,1)\">",
    ),
    (
        "cute.group_modes",
        "begin = 1 : i32, end = 3 : i32",
        "!cute.memref<f32, rmem, \"(4,2,3):(1,4,8)\">",
        "!cute.memref<f32, rmem, \"(4,(2,3)):(1,(4,8))\">",
    ),
    (
        "cute.append_to_rank",
        "rank = 3 : si32",
        "!cute.layout<\"4:1\"> | !cute.layout<\"1:0\">",
        "!cute.layout<\"(4,1,1):(1,0,0)\">",
    ),
    (
        "cute.prepend_to_rank",
        "rank = 2 : si32",
        "!cute.shape<\"(4,8)\"> | !cute.shape<\"1\">",
        "!cute.shape<\"(4,8)\">",
    ),
    (
        "cute.dice",
        "coord = #cute.coord<\"(_,1)\">",
        "!cute.layout<\"(4,8):(1,4)\">",
        "!cute.layout<\"(8):(4)\">",
    ),
    // Slices: the iterator moves, and knows less of its alignment.
    (
        "cute.slice",
        "",
        "!cute.memref<f32, rmem, align<32>, \"(2,64):(1,2)\"> | !cute.coord<\"(_,7)\">",
        "!cute.memref<f32, rmem, align<8>, \"(2):(1)\">",
    ),
    (
        "cute.slice",
        "",
        "!cute.coord_tensor<\"(0,?)\", \"(?,4):(32@0,1@1)\"> | !cute.coord<\"(?,_)\">",
        "!cute.coord_tensor<\"(?{div=32},?)\", \"(4):(1@1)\">",
    ),
    (
        "cute.slice",
        "",
        "!cute.memref<f16, smem, align<1024>, \"S<3,3,3> o 0 o (8,64):(64,1)\"> | !cute.coord<\"(?,_)\">",
        "!cute.memref<f16, smem, align<16>, \"((8,2,2,2)):((1,?{div=8},?{div=16},?{div=32}))\">",
    ),
    (
        "cute.local_tile",
        "proj = #cute.coord<\"(1,_,1)\">",
        "!cute.memref<f16, gmem, align<16>, \"(?,?):(?{i64 div=8},1)\"> | !cute.tile<\"[128:1;64:1;32:1]\"> | \
         !cute.coord<\"(?,?,_)\">",
        "!cute.memref<f16, gmem, align<16>, \"(128,32,?):(?{i64 div=8},1,32)\">",
    ),
    // Algebra.
    (
        "cute.composition",
        "",
        "!cute.memref<f32, gmem, \"(64,256):(?{i64},1)\"> | !cute.layout<\"((64,4),(4,16)):((256,16),(64,1))\">",
        "!cute.memref<f32, gmem, \"((64,4),(4,16)):((4,?{i64 div=16}),(1,?{i64}))\">",
    ),
    (
        "cute.coalesce",
        "",
        "!cute.composed_layout<\"S<3,4,3> o 0 o ((8,4),(2,1)):((1,8),(32,0))\"> | !cute.coord<\"(1,1)\">",
        "!cute.composed_layout<\"S<3,4,3> o 0 o (32,2):(1,32)\">",
    ),
    (
        "cute.zipped_divide",
        "",
        "!cute.layout<\"(?{div=4},?):(1,?{i64})\"> | !cute.tile<\"[16:1;8:1]\">",
        "!cute.layout<\"((16,8),(?,?)):((1,?{i64}),(16,?{i64 div=8}))\">",
    ),
    (
        "cute.tile_to_shape",
        "",
        "!cute.composed_layout<\"S<2,4,3> o 0 o (8,32):(32,1)\"> | !cute.shape<\"(16,64)\"> | !cute.int_tuple<\"(0,1)\">",
        "!cute.composed_layout<\"S<2,4,3> o 0 o ((8,2),(32,2)):((32,256),(1,512))\">",
    ),
    (
        "cute.right_inverse",
        "",
        "!cute.layout<\"(4,8):(8,1)\">",
        "!cute.layout<\"(8,4):(4,1)\">",
    ),
    (
        "cute.recast_layout",
        "new_type_bits = 32 : i32, old_type_bits = 8 : i32",
        "!cute.layout<\"(8,64):(64,1)\">",
        "!cute.layout<\"(8,16):(16,1)\">",
    ),
    // Tuples and coordinates.
    (
        "cute.tuple_add",
        "",
        "!cute.int_tuple<\"(?{div=8},4)\"> | !cute.int_tuple<\"(12,?)\">",
        "!cute.int_tuple<\"(?{div=4},?)\">",
    ),
    (
        "cute.ceil_div",
        "",
        "!cute.int_tuple<\"(?{div=128},64)\"> | !cute.tile<\"[64:1;32:1]\">",
        "!cute.int_tuple<\"(?,2)\">",
    ),
    (
        "cute.elem_less",
        "",
        "!cute.coord<\"(?,?)\"> | !cute.coord<\"(?,64)\">",
        "i1",
    ),
    (
        "cute.crd2idx",
        "",
        "!cute.coord<\"(?,_)\"> | !cute.layout<\"(8,4):(?{i64 div=16},1)\">",
        "!cute.int_tuple<\"?{i64 div=16}\">",
    ),
    (
        "cute.idx2crd",
        "",
        "!cute.int_tuple<\"?{div=8}\"> | !cute.shape<\"(8,4)\">",
        "!cute.coord<\"(0,?)\">",
    ),
    (
        "cute.get_flat_coord",
        "",
        "i32 | !cute.layout<\"((8,?),1):((1,?),0)\">",
        "!cute.coord<\"(?,0)\">",
    ),
    // Making.
    (
        "cute.make_identity_tensor",
        "",
        "!cute.shape<\"(?,8)\">",
        "!cute.coord_tensor<\"(0,0)\", \"(?,8):(1@0,1@1)\">",
    ),
    (
        "cute.make_composed_layout",
        "",
        "!cute.swizzle<\"S<3,3,3>\"> | !cute.int_tuple<\"0\"> | !cute.layout<\"(8,64):(64,1)\">",
        "!cute.composed_layout<\"S<3,3,3> o 0 o (8,64):(64,1)\">",
    ),
    // Memory.
    (
        "cute.add_offset",
        "",
        "!cute.ptr<i64, smem, align<1024>> | !cute.int_tuple<\"?{div=4}\">",
        "!cute.ptr<i64, smem, align<32>>",
    ),
    (
        "cute.memref.load",
        "",
        "!cute.memref<bf16, rmem, \"(4,2):(1,4)\"> | !cute.coord<\"(0,?)\">",
        "bf16",
    ),
    (
        "cute.memref.load_vec",
        "",
        "!cute.memref<f32, rmem, \"((2,2),4):((1,2),4)\">",
        "vector<16xf32>",
    ),
    // Threads.
    (
        "cute.tiled.copy.partition_S",
        "",
        "!cute.tiled_copy<!cute_nvgpu.atom.universal_copy<f32>, layout_copy_tv = <\"((32,4),(4,4)):((64,4),(16,1))\">, \
         tiler_mn = <\"[16:1;128:1]\">> | !cute.memref<f32, gmem, align<16>, \"(16,128):(?{i64 div=4},1)\"> | !cute.coord<\"?\">",
        "!cute.memref<f32, gmem, align<16>, \"((1,(4,4)),1,1):((0,(1,?{i64 div=4})),0,0)\">",
    ),
    (
        "cute.tiled.copy.retile",
        "",
        "!cute.tiled_copy<!cute_nvgpu.atom.ldsm<val_type = f16, mode = <\"(8,8)\">, sz_pattern = u16, num_matrices = 4, n>, \
         layout_copy_tv = <\"((4,8,2,2),((2,2),(2,1))):((64,1,0,8),((32,256),(16,0)))\">, tiler_mn = <\"[32:1;16:1]\">> | \
         !cute.memref<f16, rmem, align<8>, \"((2,2),8,4):((1,2),16,4)\">",
        "!cute.memref<f16, rmem, align<8>, \"(((4,2),1),4,4):(((1,16),0),32,4)\">",
    ),
    (
        "cute.tiled.mma.partition_shape",
        "operand_id = 2 : i32",
        "!cute.tiled_mma<!cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >, atom_layout_MNK = <\"(4,1,1):(1,0,0)\">, \
         permutation_MNK = <\"[64:1;16:1;16:1]\">> | !cute.shape<\"(128,64)\">",
        "!cute.shape<\"((2,2),2,8)\">",
    ),
    (
        "cute.tiled.mma.partition",
        "operand_id = 1 : i32",
        "!cute.tiled_mma<!cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >, atom_layout_MNK = <\"(2,2,1):(1,2,0)\">, \
         permutation_MNK = <\"[32:1;32:1;16:1]\">> | !cute.memref<f16, smem, align<128>, S<3,4,3>, \"(128,64):(64,1)\"> | \
         !cute.coord<\"?\">",
        "!cute.memref<f16, smem, align<4>, S<3,4,3>, \"((2,2),8,4):((1,8),1024,16)\">",
    ),
    (
        "cute.mma.make_fragment",
        "operand_id = 0 : i32",
        "!cute.tiled_mma<!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>, \
         atom_layout_MNK = <\"(1,1,1):(0,0,0)\">, permutation_MNK = <\"[_;_;_]\">> | \
         !cute.memref<f16, smem, align<1024>, S<3,4,3>, \"((64,16),1,(4,2)):((64,1),0,(16,4096))\">",
        "!cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, \"(1,1,(4,2)):(0,0,(2,512))\">",
    ),
    (
        "cute.mma.make_fragment",
        "operand_id = 2 : i32",
        "!cute.tiled_mma<!cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >, atom_layout_MNK = <\"(2,2,1):(1,2,0)\">, \
         permutation_MNK = <\"[32:1;32:1;16:1]\">> | !cute.memref<f16, gmem, \"((2,2),4,8):((1,?{i64 div=64}),?{i64},16)\">",
        "!cute.memref<f32, rmem, align<16>, \"((2,2),4,8):((1,2),4,16)\">",
    ),
    // Parts of swizzled layouts: the swizzle stays where both bits of a pair are left, or goes over into strides.
    (
        "cute.slice",
        "",
        "!cute.composed_layout<\"S<3,3,3> o 0 o (8,64):(64,1)\"> | !cute.coord<\"(3,_)\">",
        "!cute.composed_layout<\"((8,4,2)):((1,-8,32))\">",
    ),
    (
        "cute.slice",
        "",
        "!cute.memref<f16, smem, align<1024>, \"S<2,3,-3> o 0 o (64,64):(64,1)\"> | !cute.coord<\"(_,?)\">",
        "!cute.memref<f16, smem, \"((2,2,16)):((?{div=64},?{div=128},256))\">",
    ),
    (
        "cute.slice",
        "",
        "!cute.memref<f16, smem, align<1024>, \"S<3,3,3> o ?{div=64} o (8,64,4):(64,1,512)\"> | !cute.coord<\"(_,_,?)\">",
        "!cute.memref<f16, smem, align<1024>, \"S<3,3,3> o ?{div=64} o (8,64):(64,1)\">",
    ),
    (
        "cute.crd2idx",
        "",
        "!cute.coord<\"(3,7)\"> | !cute.composed_layout<\"S<3,3,3> o 0 o (8,64):(64,1)\">",
        "!cute.int_tuple<\"223\">",
    ),
    (
        "cute.recast_layout",
        "new_type_bits = 8 : i32, old_type_bits = 16 : i32",
        "!cute.composed_layout<\"S<3,3,3> o 64 o (8,64):(64,1)\">",
        "!cute.composed_layout<\"S<3,4,3> o 128 o (8,128):(128,1)\">",
    ),
    (
        "cute.local_partition",
        "",
        "!cute.memref<f32, smem, align<32>, \"(16,?):(1,16)\"> | !cute.layout<\"(2,4):(1,2)\"> | i32",
        "!cute.memref<f32, smem, \"(8,?):(2,64)\">",
    ),
    (
        "cute.increment_coord",
        "",
        "!cute.coord<\"(3,(1,?))\"> | !cute.shape<\"(4,(8,2))\">",
        "!cute.coord<\"(0,(2,?))\">",
    ),
    (
        "cute.increment_coord",
        "",
        "!cute.coord<\"(1,2)\"> | !cute.shape<\"(?,8)\">",
        "!cute.coord<\"(?{div=2},?)\">",
    ),
    (
        "cute.increment_coord",
        "",
        "!cute.coord<\"(?,?,?)\"> | !cute.shape<\"(4,1,9)\">",
        "!cute.coord<\"(?,0,?)\">",
    ),
    (
        "cute.group_modes",
        "begin = 0 : i32, end = -1 : i32",
        "!cute.layout<\"(4,8,2):(1,4,32)\">",
        "!cute.layout<\"((4,8),2):((1,4),32)\">",
    ),
    (
        "cute.fast_divmod.get_aux",
        "",
        "!cute.fast_divmod_divisor<64>",
        "i64 | i8 | i8",
    ),
    (
        "cute.add_offset",
        "",
        "!cute.ptr<f4E2M1FN, gmem, align<16>> | !cute.int_tuple<\"3\">",
        "!cute.ptr<f4E2M1FN, gmem>",
    ),
    (
        "cute.add_offset",
        "",
        "!cute.ptr<f32, gmem, align<12>> | !cute.int_tuple<\"3\">",
        "!cute.ptr<f32, gmem, align<12>>",
    ),
    // Tensor maps.
    (
        "cute_nvgpu.atom.make_non_exec_tiled_tma_load",
        "kind = #cute_nvgpu.tiled_tma_load<sm_90>, num_multicast = 1 : i32",
        "!cute.memref<f16, gmem, align<16>, \"(?,?,?):(?{i64},1,?{i64})\"> | \
         !cute.composed_layout<\"S<3,4,3> o 0 o ((8,16),(64,2)):((64,512),(1,8192))\"> | !cute.layout<\"(128,128):(1@0,1@1)\">",
        "!cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = 131072, tma_gbasis = <\"(64,128,1):(1@1,1@0,1@2)\">, \
         tma_format = F16_RN> | !cute.coord_tensor<\"(0,0,0)\", \"(?,?,?):(1@1,1@0,1@2)\">",
    ),
    (
        "cute_nvgpu.atom.tma_partition",
        "",
        "!cute_nvgpu.atom.non_exec_tiled_tma_store<bf16, copy_bits = 32768, tma_gbasis = <\"(64,32):(1@0,1@1)\">, \
         tma_format = BF16_RN> | !cute.coord<\"0\"> | !cute.layout<\"1:0\"> | \
         !cute.memref<bf16, smem, align<1024>, S<3,4,3>, \"(((64,1),(8,4)),2):(((1,0),(64,512)),2048)\"> | \
         !cute.coord_tensor<\"(?,0)\", \"((64,32),?):((1@0,1@1),64@0)\">",
        "!cute.memref<bf16, smem, align<1024>, S<3,4,3>, \"((2048,1),2):((1,0),2048)\"> | \
         !cute.coord_tensor<\"(?,0)\", \"(((64,32),1),?):(((1@0,1@1),0),64@0)\">",
    ),
    (
        "cute_nvgpu.atom.make_tmem_copy",
        "",
        "!cute_nvgpu.atom.tmem_load<f32, 32 DP, 32 bit, x16> | !cute.memref<f32, tmem, align<16>, \"(128,32):(65536,1)\">",
        "!cute.tiled_copy<!cute_nvgpu.atom.tmem_load<f32, 32 DP, 32 bit, x16>, \
         layout_copy_tv = <\"((32,4),(16,32)):((0,1),(128,4))\">, tiler_mn = <\"[(4,32):(32,1);16:1]\">>",
    ),
    // Windows and reductions.
    (
        "cute.stencil_divide",
        "",
        "!cute.layout<\"(?{div=8},?{i64}):(?{i64 div=8},1)\"> | !cute.tile<\"[3:1;4:2]\"> | !cute.stride<\"(2,?)\">",
        "!cute.layout<\"((3,4),(?,?{i64})):((?{i64 div=8},2),(?{i64 div=16},?))\">",
    ),
    (
        "cute.stencil_divide",
        "",
        "!cute.coord_tensor<\"(0,0)\", \"(8,16):(1@0,1@1)\"> | !cute.tile<\"[3:1;3:2]\"> | !cute.shape<\"(1,1)\"> | \
         !cute.shape<\"(1,?)\">",
        "!cute.coord_tensor<\"(0,0)\", \"((3,3),(8,?)):((1@0,2@1),(1@0,1@1))\">",
    ),
    (
        "cute.stencil_divide",
        "",
        "!cute.layout<\"8:2\"> | !cute.tile<\"3:1\"> | !cute.shape<\"1\"> | !cute.stride<\"2\">",
        "!cute.layout<\"((3,4)):((2,4))\">",
    ),
    (
        "cute.stencil_divide",
        "",
        "!cute.layout<\"(8,16):(1,8)\"> | !cute.tile<\"[4:?{div=4};3:0]\">",
        "!cute.layout<\"((4,3),(?,16)):((?{div=4},0),(1,8))\">",
    ),
    (
        "cute.reduce",
        "reduction_profile = #cute.coord<\"(_,(1,_))\">",
        "vector<24xf16> | !cute.shape<\"(2,(4,3))\"> | f16",
        "vector<6xf16> | !cute.shape<\"(2,3)\">",
    ),
    (
        "cute.reduce",
        "reduction_profile = #cute.coord<\"(1,1)\">",
        "vector<8xf32> | !cute.shape<\"(2,4)\"> | f32",
        "f32",
    ),
    (
        "cute.reduce",
        "reduction_profile = #cute.coord<\"1\">",
        "vector<8xf32> | !cute.shape<\"(2,4)\"> | f32",
        "vector<8xf32> | !cute.shape<\"(2,4)\">",
    ),
    (
        "cute.reduce",
        "",
        "vector<8xf32> | !cute.shape<\"(2,4)\"> | f32",
        "f32",
    ),
    (
        "cute_nvgpu.atom.get_coord_tensor",
        "",
        "!cute_nvgpu.atom.tma_store<f16, copy_bits = 65536, mode = tiled, g_stride = <\"(1@1,(1@0,8@2))\"> \
         tma_gbasis = <\"(64,64):(1@0,1@1)\">> | !cute.shape<\"(2,(4,?))\">",
        "!cute.coord_tensor<\"(0,0,0)\", \"(2,(4,?)):(1@1,(1@0,8@2))\">",
    ),
    (
        "cute_nvgpu.atom.make_tma_residue_tensor",
        "",
        "!cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = 65536, tma_gbasis = <\"(64,128):(1@1,1@0)\">, \
         tma_format = F16_RN> | !cute.memref<f16, gmem, align<16>, \"(?{div=4},?{i64},4):(?{i64},1,0)\">",
        "!cute.coord_tensor<\"(?{i64},?{div=4})\", \"(?{div=4},?{i64},4):(-1@1,-1@0,0)\">",
    ),
    (
        "cute_nvgpu.atom.make_tma_residue_tensor",
        "",
        "!cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = 65536, tma_gbasis = <\"(64,64):(1@0,1@1)\">, \
         tma_format = F16_RN> | !cute.memref<f16, gmem, align<16>, \"(?,?):(?{i64 div=8},1)\">",
        "!cute.coord_tensor<\"(?,?)\", \"(?,?):(?{i64 div=8}@0,-1@1)\">",
    ),
    (
        "cute_nvgpu.atom.make_tma_residue_tensor",
        "",
        "!cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f4E2M1FN, copy_bits = 32768, tma_gbasis = <\"(64,64):(1@1,1@0)\">, \
         tma_format = U8> | !cute.memref<f4E2M1FN, gmem, align<16>, \"(128,256):(256,1)\">",
        "!cute.coord_tensor<\"(128,128)\", \"(128,256):(-1@1,-1/2@0)\">",
    ),
];

#[test]
fn results_follow_from_operands_and_attributes() {
    let wrong = ROWS.iter().filter_map(|(op, attributes, operands, results)| {
        let found = inferred(op, attributes, operands);
        (found.as_deref() != Ok(*results)).then(|| format!("{op} {operands}: {found:?}, not {results}"))
    });
    assert_eq!(wrong.collect::<Vec<_>>(), Vec::<String>::new());
}

#[test]
fn operands_of_other_kinds_are_refused() {
    let refused = [
        (
            "cute.get_iter",
            "",
            "!cute.layout<\"4:1\">",
            "operand 0 is !cute.layout<\"4:1\">, where a tensor is needed",
        ),
        (
            "cute.slice",
            "",
            "!cute.layout<\"(4,8):(1,4)\"> | !cute.coord<\"(_,0,0)\">",
            "3",
        ),
        (
            "cute.group_modes",
            "begin = 1 : i32, end = 5 : i32",
            "!cute.layout<\"(4,8):(1,4)\">",
            "mode 4",
        ),
        (
            "cute.group_modes",
            "end = 2 : i32",
            "!cute.layout<\"(4,8):(1,4)\">",
            "the attribute `begin`",
        ),
        (
            "cute.composition",
            "",
            "!cute.layout<\"4:1\">",
            "operand 1 is missing",
        ),
        ("cute.right_inverse", "", "!cute.layout<\"?:1\">", "?"),
        (
            "cute.memref.load_vec",
            "",
            "!cute.memref<f32, rmem, \"?:1\">",
            "a tensor of a static size",
        ),
        (
            "cute.tiled.copy.partition_S",
            "",
            "!cute.layout<\"4:1\"> | !cute.layout<\"4:1\">",
            "a tiled copy",
        ),
        (
            "cute.stencil_divide",
            "",
            "!cute.layout<\"((2,4),16):((1,2),8)\"> | !cute.tile<\"[3:1;3:1]\">",
            "modes without nesting",
        ),
        (
            "cute.stencil_divide",
            "",
            "!cute.layout<\"(8,16):(1,8)\"> | !cute.tile<\"[3:1;3:1]\"> | !cute.shape<\"1\">",
            "modes without nesting",
        ),
        (
            "cute.stencil_divide",
            "",
            "!cute.layout<\"(8,16):(1,8)\"> | !cute.tile<\"[9:1;3:1]\">",
            "extent",
        ),
        (
            "cute.reduce",
            "",
            "vector<8xf32> | !cute.shape<\"(2,3)\"> | f32",
            "a static shape of as many elements",
        ),
        (
            "cute.reduce",
            "reduction_profile = #cute.coord<\"(1,_,_)\">",
            "vector<8xf32> | !cute.shape<\"(2,4)\"> | f32",
            "does not name modes",
        ),
        (
            "cute_nvgpu.atom.get_coord_tensor",
            "",
            "!cute_nvgpu.atom.tma_store<f16, copy_bits = 65536, mode = tiled, g_stride = <\"()\"> \
             tma_gbasis = <\"(64,64):(1@0,1@1)\">> | !cute.shape<\"(2,4)\">",
            "(2,4)",
        ),
        ("cute.no_such_op", "", "", "no rule"),
    ];
    for (op, attributes, operands, part) in refused {
        let refusal = inferred(op, attributes, operands).expect_err(op);
        assert!(refusal.contains(part), "{op} {operands}: {refusal}");
    }
}

/// Whether a text may say these results where those are inferred.
fn allowed(inferred: &str, written: &str) -> bool {
    let (inferred, written) = (types(inferred), types(written));
    let mut pairs = inferred.iter().zip(&written);
    inferred.len() == written.len() && pairs.all(|(inferred, written)| inferred.allows(written))
}

#[test]
fn a_written_coordinate_may_say_more() {
    let inferred = "!cute.coord<\"(?{div=4},?)\">";
    for written in [
        "!cute.coord<\"(8,3)\">",
        "!cute.coord<\"(0,?{div=2})\">",
        inferred,
    ] {
        assert!(allowed(inferred, written), "{written}");
    }
    let others = [
        "!cute.coord<\"(6,3)\">",
        "!cute.coord<\"(?,?)\">",
        "!cute.coord<\"8\">",
        "!cute.shape<\"(8,3)\">",
        "i32",
    ];
    for written in others {
        assert!(!allowed(inferred, written), "{written}");
    }
}

/// Questions and answers of the library, one a line, from the file that `CUTE_QUESTIONS` names: how often, op, attributes,
/// operands, results, with tabs between them.
#[test]
fn the_library_infers_the_same() {
    let Ok(file) = std::env::var("CUTE_QUESTIONS") else {
        return;
    };
    let questions = std::fs::read_to_string(&file).expect("the file that CUTE_QUESTIONS names");
    let mut counts: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    let mut wrong = String::new();
    for line in questions.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [_, op, attributes, operands, results] = fields.as_slice() else {
            panic!("{line}");
        };
        let found = inferred(op, attributes, operands);
        let place = match &found {
            Ok(found) if found == results => 0,
            Ok(found) if allowed(found, results) => 0,
            Ok(_) => 2,
            Err(_) => 1,
        };
        counts.entry(op).or_default()[place] += 1;
        if place > 0 {
            let found = found.unwrap_or_else(|error| format!("REFUSED {error}"));
            wrong += &format!("{op} {{{attributes}}} {operands}\n   library {results}\n   here    {found}\n");
        }
    }
    let table = counts.iter().map(|(op, [same, refused, other])| {
        format!("{op}: {same} same, {refused} refused, {other} different\n")
    });
    assert!(wrong.is_empty(), "{wrong}\n{}", table.collect::<String>());
}
