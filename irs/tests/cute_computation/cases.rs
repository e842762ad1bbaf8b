//! Ops with operands whose leaves are dynamic, and what values these have.

/// An op, and operands of which it is asked how its results are computed.
pub(crate) struct Case {
    pub(crate) op: &'static str,
    /// See `attributes`.
    pub(crate) attributes: &'static str,
    /// Types with ` | ` between them.
    pub(crate) operands: &'static str,
    /// For each input the values that it may have: a range, a choice, or `wide`.
    pub(crate) values: &'static str,
}

/// Ops whose results have no leaves, or none that follow.
pub(crate) const WITHOUT: &[&str] = &[
    // Only of static layouts.
    "cute.left_inverse",
    "cute_nvgpu.atom.make_tmem_copy",
    "cute_nvgpu.atom.make_s2t_copy",
    "cute_nvgpu.atom.get_copy_s2t_smem_desc_view",
    "cute_nvgpu.atom.sm107.get_copy_s2t_smem_desc_view",
    // What is in memory, in a divisor, or asked of the machine.
    "cute.fast_divmod.get_divisor",
    "cute.fast_divmod.get_aux",
    "cute.load_scaled_index",
    "cute.apply_swizzle",
    "cute.ptr.load",
    "cute.memref.load_vec",
    "cute.kernel_smem_size",
    "cute.smem_partition_size",
    "cute_nvgpu.arch.get_dyn_smem_size",
    "cute_nvgpu.get_grid_constant_pointer",
    "cute_nvgpu.make_gmma_smem_desc",
    "cute_nvgpu.make_umma_smem_desc",
    "cute_nvgpu.sm103.make_umma_smem_desc_circular",
    "cute_nvgpu.sm107.make_umma_smem_desc",
    "cute_nvgpu.sm107.make_umma_smem_desc_circular",
    "cute_nvgpu.arch.make_warp_uniform",
    "cute_nvgpu.atom.set_value",
    "cute_nvgpu.atom.make_exec_tma",
    "cute.reduce",
];

macro_rules! cases {
    ($($op:literal { $attributes:literal } $operands:literal of $values:literal;)+) => {
        pub(crate) const CASES: &[Case] = &[$(Case {
            op: $op,
            attributes: $attributes,
            operands: $operands,
            values: $values,
        }),+];
    };
}

cases! {
    // Parts of values.
    "cute.get_iter" {""} "!cute.coord_tensor<\"(?,?{i64})\", \"(8,?):(1@0,?{i64}@1)\">" of "-9..9 wide 1..9 wide";
    "cute.get_iter" {""} "!cute.memref<f16, gmem, \"(?,8):(?{i64},1)\">" of "1..9 wide";
    "cute.get_layout" {""} "!cute.memref<f16, gmem, \"(?,8):(?{i64 div=8},1)\">" of "1..9 wide";
    "cute.get_shape" {""} "!cute.layout<\"(?,(8,?{i64})):(?{i64},(1,?))\">" of "1..99 wide wide 1..9";
    "cute.get_shape" {""} "!cute.tile<\"[?:?{i64};(8,?):(?,1)]\">" of "1..99 wide 1..9 1..9";
    "cute.get_stride" {""} "!cute.layout<\"(?,(8,?{i64})):(?{i64},(1,?))\">" of "1..99 wide wide -9..9";
    "cute.composed_get_inner" {""} "!cute.composed_layout<\"(?,8):(?{i64},?) o (0,?) o (4,?):(1@0,1@1)\">"
        of "1..9 wide 1..9 0..9 1..9";
    "cute.composed_get_offset" {""} "!cute.composed_layout<\"(?,8):(?{i64},?) o (?,?) o (4,?):(1@0,1@1)\">"
        of "1..9 wide 1..9 0..9 0..9 1..9";
    "cute.composed_get_outer" {""} "!cute.composed_layout<\"S<2,4,3> o ?{div=64} o (4,?):(?{i64},1)\">"
        of "0..999 1..9 wide";
    "cute.get_layouts_from_tile" {""} "!cute.tile<\"[?:?{i64};_;(4,?):(1,?)]\">" of "1..9 wide 1..9 1..9";
    "cute.get_leaves" {""} "!cute.shape<\"(?,(8,?{i64}))\">" of "1..9 wide";
    "cute.get_leaves" {""} "!cute.stride<\"(?{i64},(?@1,2))\">" of "wide 1..9";
    "cute.get_leaves" {""} "!cute.coord<\"(?{i64},(_,?))\">" of "wide -9..9";
    "cute.get_leaves" {""} "!cute.tile<\"[?:?{i64};_]\">" of "1..9 wide";
    "cute.get_scalars" {""} "!cute.int_tuple<\"(3,(?{i64},?))\">" of "wide -9..9";
    "cute.get_scalars" {"only_dynamic"} "!cute.coord<\"(?{i64},?)\">" of "wide -9..9";
    "cute.get_scalars" {"only_dynamic"} "!cute.stride<\"(?{i64},?)\">" of "wide -9..9";
    "cute.deref_arith_tuple_iter" {""} "!cute.arith_tuple_iter<\"(?,(0,?{i64}))\">" of "-9..9 wide";
    "cute.to_int_tuple" {""} "!cute.coord<\"(?,(0,?{i64}))\">" of "-9..9 wide";
    // Modes.
    "cute.get" {"mode = 1 0"} "!cute.layout<\"(4,(?,8)):(?,(?{i64},1))\">" of "1..9 1..9 wide";
    "cute.get" {"mode = 1"} "!cute.tile<\"[4:1;?:?]\">" of "1..9 1..9";
    "cute.select" {"mode = 2 0"} "!cute.layout<\"(?,4,?):(1,?,?{i64})\">" of "1..9 1..9 1..9 wide";
    "cute.group_modes" {"begin = 1; end = 3"} "!cute.memref<f16, gmem, \"(?,4,?):(1,?,?{i64})\">"
        of "1..9 1..9 1..9 wide";
    "cute.append_to_rank" {"rank = 3"} "!cute.layout<\"?:?{i64}\"> | !cute.layout<\"?:0\">" of "1..9 wide 1..9";
    "cute.prepend_to_rank" {"rank = 3"} "!cute.shape<\"(?,?)\"> | !cute.shape<\"(2,?)\">" of "1..9 1..9 1..9";
    "cute.dice" {"coord = \"(_,1)\""} "!cute.layout<\"(?,?):(?,?{i64})\">" of "1..9 1..9 1..9 wide";
    // Slices.
    "cute.slice" {""} "!cute.memref<f16, gmem, \"(?,(8,?)):(?{i64 div=8},(1,?))\"> | !cute.coord<\"(?,(_,?))\">"
        of "1..9 1..9 wide 1..99 0..9 0..9";
    "cute.slice" {""} "!cute.memref<f16, gmem, \"(8,?,(4,?)):(?{i64},1,(?,64))\"> | !cute.coord<\"(_,?,?{i64})\">"
        of "1..9 1..9 wide 1..99 0..9 0..99";
    "cute.slice" {""} "!cute.layout<\"(?,?):(?{i64},1)\"> | !cute.coord<\"(_,?)\">" of "1..9 1..9 wide 0..9";
    "cute.slice" {""} "!cute.coord_tensor<\"(0,?)\", \"(?,4):(32@0,?{i64}@1)\"> | !cute.coord<\"(?,?)\">"
        of "0..9 1..9 wide 0..9 0..4";
    "cute.slice" {""} "!cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, \"(1,4,?):(0,?,512)\"> | !cute.coord<\"(_,?,?)\">"
        of "1..9 2..99 0..4 0..9";
    "cute.slice" {""} "!cute.composed_layout<\"(?,?):(?{i64},1) o (0,?) o (8,?):(1@0,1@1)\"> | !cute.coord<\"(?,_)\">"
        of "1..9 1..9 wide 0..9 1..9 0..8";
    // The swizzle stays, or goes over into strides.
    "cute.slice" {""} "!cute.memref<f16, smem, align<1024>, \"S<3,3,3> o 0 o (8,64,4):(64,1,512)\"> | !cute.coord<\"(_,_,?)\">"
        of "0..4";
    "cute.slice" {""} "!cute.memref<f16, smem, align<1024>, \"S<3,3,3> o 0 o (8,64):(64,1)\"> | !cute.coord<\"(?,_)\">"
        of "0..8";
    "cute.slice" {""} "!cute.memref<f16, smem, align<1024>, \"S<3,3,3> o 0 o (8,64):(64,1)\"> | !cute.coord<\"(_,?)\">"
        of "0..64";
    "cute.slice" {""} "!cute.memref<f16, smem, align<1024>, \"S<3,3,3> o 0 o (8,(8,8)):(64,(1,8))\"> | !cute.coord<\"(?,(_,?))\">"
        of "0..8 0..8";
    "cute.slice" {""} "!cute.memref<f16, smem, align<1024>, \"S<3,3,3> o ?{div=8} o (8,8,?):(64,1,512)\"> | !cute.coord<\"(?,_,?)\">"
        of "0..64 1..9 0..8 0..9";
    "cute.slice" {""} "!cute.memref<f16, smem, align<1024>, \"S<3,3,3> o ?{div=64} o (64,8):(1,512)\"> | !cute.coord<\"(_,?)\">"
        of "0..512 0..8";
    "cute.slice" {""} "!cute.memref<f16, smem, align<1024>, \"S<2,3,-3> o 0 o (64,64):(64,1)\"> | !cute.coord<\"(_,?)\">"
        of "0..64";
    "cute.slice" {""} "!cute.memref<f16, smem, align<1024>, \"S<2,3,-3> o 0 o (64,64):(64,1)\"> | !cute.coord<\"(?,_)\">"
        of "0..64";
    "cute.slice" {""} "!cute.composed_layout<\"S<3,3,3> o 0 o (8,64):(64,1)\"> | !cute.coord<\"(?,_)\">" of "0..8";
    "cute.slice" {""} "!cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, \"S<2,3,3> o 0 o (8,?):(1,64)\"> | !cute.coord<\"(_,?)\">"
        of "1..9 0..9";
    // Layouts from layouts.
    "cute.composition" {""} "!cute.memref<f32, gmem, \"(64,?):(?{i64},1)\"> | !cute.layout<\"((4,2),8):((1,16),64)\">"
        of "8..99 wide";
    "cute.composition" {""} "!cute.layout<\"(?{div=8},?):(?{i64},?)\"> | !cute.tile<\"[(4,2):(2,1);?:1]\">"
        of "8..99 4..9 wide 1..99 1..4";
    "cute.composition" {""} "!cute.layout<\"(8,?):(?,?{i64})\"> | !cute.layout<\"(?,2):(?,4)\">"
        of "8..99 1..9 wide 1..9 8|16|24";
    "cute.composition" {""} "!cute.layout<\"(?,8):(1,?{i64})\"> | !cute.layout<\"(16,?):(1,16)\">"
        of "16|32|48 wide 1|2|3";
    "cute.composition" {""} "!cute.coord_tensor<\"(0,?)\", \"(?,16):(1@0,?{i64}@1)\"> | !cute.tile<\"[?:2;(2,?):(8,1)]\">"
        of "0..9 64..99 wide 1..9 1..8";
    "cute.coalesce" {""} "!cute.layout<\"(2,(?,4),?):(?,(?{i64},?),1)\">" of "1..9 1..9 1..9 wide 1..9";
    "cute.coalesce" {""} "!cute.memref<f16, gmem, \"((8,?),(4,2)):((?,?{i64}),(1,4))\"> | !cute.coord<\"(1,1)\">"
        of "1..9 1..9 wide";
    "cute.coalesce" {""} "!cute.layout<\"(?,4,2):(1,?,?)\">" of "2..9 1|2|4 4|8|16";
    "cute.filter" {""} "!cute.layout<\"(?,(?,4),2):(?,(0,?{i64}),0)\">" of "2..9 2..9 1..9 wide";
    "cute.filter_zeros" {""} "!cute.layout<\"(?,(?,4),2):(?,(0,?{i64}),0)\">" of "1..9 1..9 1..9 wide";
    "cute.complement" {""} "!cute.layout<\"(4,2):(1,8)\"> | !cute.shape<\"(?,?{i64})\">" of "16|32|48 wide";
    "cute.complement" {""} "!cute.layout<\"8:?\"> | !cute.shape<\"?{i64}\">" of "1..9 wide";
    "cute.complement" {""} "!cute.layout<\"?:1\"> | !cute.layout<\"(?,?):(1,?)\">" of "1..9 1..99 1..9 1..9";
    "cute.right_inverse" {""} "!cute.layout<\"(4,8,2):(8,1,?)\">" of "64|128|96";
    "cute.recast_layout" {"new_type_bits = 32; old_type_bits = 8"} "!cute.layout<\"(?,64):(?{i64 div=4},1)\">"
        of "1..9 wide";
    "cute.recast_layout" {"new_type_bits = 8; old_type_bits = 32"} "!cute.layout<\"(?,?):(?{i64},1)\">" of "1..9 1..9 wide";
    "cute.recast_layout" {"new_type_bits = 24; old_type_bits = 16"} "!cute.layout<\"(?{div=3},?):(1,?{div=3})\">"
        of "3..99 1..9 6..99";
    "cute.recast_layout" {"new_type_bits = 16; old_type_bits = 8"}
        "!cute.composed_layout<\"S<3,4,3> o ?{div=128} o (8,?):(128,1)\">" of "0..999 2|4|6|8";
    "cute.tile_to_shape" {""} "!cute.layout<\"(8,32):(32,1)\"> | !cute.shape<\"(?,?{i64})\"> | !cute.int_tuple<\"(0,1)\">"
        of "8..99 wide";
    "cute.logical_divide" {""} "!cute.layout<\"(?{div=16},?):(?{i64},?)\"> | !cute.tile<\"[16:1;_]\">"
        of "16..99 1..9 wide 1..9";
    "cute.logical_divide" {""} "!cute.layout<\"?:?{i64}\"> | !cute.layout<\"?:1\">" of "1..99 wide 1..9";
    "cute.zipped_divide" {""} "!cute.memref<f16, gmem, \"(?,?):(?{i64},1)\"> | !cute.tile<\"[16:1;8:1]\">"
        of "1..99 1..99 wide";
    "cute.zipped_divide" {""} "!cute.layout<\"(?,?):(?{i64},1)\"> | !cute.tile<\"[?:1;(2,4):(4,1)]\">"
        of "1..99 8..99 wide 1..9";
    "cute.tiled_divide" {""} "!cute.layout<\"(?,?):(?{i64},1)\"> | !cute.tile<\"[16:1;8:1]\">" of "1..99 1..99 wide";
    "cute.flat_divide" {""} "!cute.coord_tensor<\"(0,?)\", \"(?,?):(1@0,1@1)\"> | !cute.tile<\"[16:1;?:1]\">"
        of "0..9 1..99 1..99 1..9";
    "cute.logical_product" {""} "!cute.layout<\"(8,4):(4,1)\"> | !cute.layout<\"(?,?):(?,1)\">" of "1..9 1..9 1..9";
    "cute.zipped_product" {""} "!cute.layout<\"8:2\"> | !cute.layout<\"?:1\">" of "1..9";
    "cute.tiled_product" {""} "!cute.layout<\"8:1\"> | !cute.layout<\"(?,?{i64}):(1,?)\">" of "1..9 1..9 1..9";
    "cute.flat_product" {""} "!cute.layout<\"(8,4):(4,1)\"> | !cute.layout<\"(?,2):(2,1)\">" of "1..9";
    "cute.blocked_product" {""} "!cute.layout<\"(8,4):(4,1)\"> | !cute.layout<\"(?,2):(2,1)\">" of "1..9";
    "cute.raked_product" {""} "!cute.layout<\"(8,4):(4,1)\"> | !cute.layout<\"(?,?):(1,?)\">" of "1..9 1..9 1..9";
    "cute.stencil_divide" {""} "!cute.layout<\"(?,?{i64}):(?{i64},1)\"> | !cute.tile<\"[?:1;4:2]\"> | !cute.shape<\"(?,1)\"> | \
         !cute.stride<\"(2,?)\">" of "9..99 wide wide 1..9 1..9 1..9";
    // Tiles and threads.
    "cute.local_tile" {"proj = \"(1,_,1)\""}
        "!cute.memref<f16, gmem, align<16>, \"(?,?):(?{i64 div=8},1)\"> | !cute.tile<\"[128:1;64:1;32:1]\"> | !cute.coord<\"(?,?,_)\">"
        of "1152..9999 576..999 wide 0..9 0..9";
    "cute.local_tile" {""} "!cute.coord_tensor<\"(?,0)\", \"(?,?):(1@0,1@1)\"> | !cute.tile<\"[?:1;32:1]\"> | !cute.coord<\"(?,?{i64})\">"
        of "0..9 900..999 288..999 1..99 0..9 0..9";
    "cute.local_tile" {""} "!cute.memref<f16, gmem, \"(?,?):(1,?{i64})\"> | !cute.tile<\"[16:1;32:1]\"> | !cute.coord<\"(?,?)\">"
        of "160..999 160..999 wide 0..9 0..4";
    "cute.local_partition" {""} "!cute.memref<f32, gmem, \"(?,?):(?{i64},1)\"> | !cute.layout<\"(2,4):(1,2)\"> | i32"
        of "1..99 1..99 wide 0..8";
    "cute.local_partition" {""} "!cute.memref<f32, gmem, \"(64,?):(?{i64},1)\"> | !cute.layout<\"(2,?):(?,1)\"> | i64"
        of "1..99 wide 1|2|4 1|2|4 0..8";
    "cute.tiled.copy.partition_S" {""}
        "!cute.tiled_copy<!cute_nvgpu.atom.universal_copy<f32>, layout_copy_tv = <\"((32,4),(4,4)):((64,4),(16,1))\">, \
         tiler_mn = <\"[16:1;128:1]\">> | !cute.memref<f32, gmem, align<16>, \"(?,?):(?{i64 div=4},1)\"> | !cute.coord<\"?\">"
        of "1..99 1..999 wide 0..128";
    "cute.tiled.copy.partition_D" {""}
        "!cute.tiled_copy<!cute_nvgpu.atom.universal_copy<f16, 128 b>, layout_copy_tv = <\"((4,32),8):((256,1),32)\">, \
         tiler_mn = <\"[32:1;32:1]\">> | !cute.memref<f16, smem, align<1024>, \"S<2,3,3> o 0 o (128,32,?):(32,1,4096)\"> | !cute.coord<\"?\">"
        of "1..9 0..128";
    "cute.tiled.copy.retile" {""}
        "!cute.tiled_copy<!cute_nvgpu.atom.ldsm<val_type = f16, mode = <\"(8,8)\">, sz_pattern = u16, num_matrices = 4, n>, \
         layout_copy_tv = <\"((4,8,2,2),((2,2),(2,1))):((64,1,0,8),((32,256),(16,0)))\">, tiler_mn = <\"[32:1;16:1]\">> | \
         !cute.memref<f16, rmem, align<8>, \"((2,2),?,?):((1,2),?,?)\">" of "2|4|8 1..9 4|8|12 1..99";
    "cute.tiled.mma.partition" {"operand_id = 0"}
        "!cute.tiled_mma<!cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >, atom_layout_MNK = <\"(2,2,1):(1,2,0)\">, \
         permutation_MNK = <\"[32:1;32:1;16:1]\">> | !cute.memref<f16, gmem, align<16>, \"(?,?,?):(?{i64 div=8},1,?)\"> | !cute.coord<\"?\">"
        of "32..99 16..99 1..9 wide 1..99 0..128";
    "cute.tiled.mma.partition" {"operand_id = 2"}
        "!cute.tiled_mma<!cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >, atom_layout_MNK = <\"(2,2,1):(1,2,0)\">, \
         permutation_MNK = <\"[32:1;32:1;16:1]\">> | !cute.coord_tensor<\"(?,?)\", \"(128,?):(1@0,1@1)\"> | !cute.coord<\"?\">"
        of "0..9 0..9 32..99 0..128";
    "cute.tiled.mma.partition_shape" {"operand_id = 2"}
        "!cute.tiled_mma<!cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >, atom_layout_MNK = <\"(4,1,1):(1,0,0)\">, \
         permutation_MNK = <\"[64:1;16:1;16:1]\">> | !cute.shape<\"(?,?)\">" of "64..999 16..999";
    "cute.mma.make_fragment" {"operand_id = 2"}
        "!cute.tiled_mma<!cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >, atom_layout_MNK = <\"(2,2,1):(1,2,0)\">, \
         permutation_MNK = <\"[32:1;32:1;16:1]\">> | !cute.shape<\"((2,2),?,?)\">" of "2..9 2..9";
    "cute.mma.make_fragment" {"operand_id = 0"}
        "!cute.tiled_mma<!cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>, \
         atom_layout_MNK = <\"(1,1,1):(0,0,0)\">, permutation_MNK = <\"[_;_;_]\">> | \
         !cute.memref<f16, smem, align<1024>, S<3,4,3>, \"((64,16),1,(4,?)):((64,1),0,(16,?{div=64}))\">" of "1..9 64..9999";
    "cute.copy.make_fragment" {"operand_id = 1"}
        "!cute_nvgpu.atom.simt_async_copy<f32, cache = always, 32 b> | !cute.memref<f32, smem, \"(1,?):(0,?)\">" of "1..9 1..9";
    // Coordinates and indices.
    "cute.crd2idx" {""} "!cute.coord<\"(?,?{i64})\"> | !cute.layout<\"((8,?),4):((1,?{i64}),?)\">"
        of "0..999 0..999 1..9 wide 1..99";
    "cute.crd2idx" {""} "!cute.coord<\"(?,(_,?))\"> | !cute.layout<\"(?,(4,?)):(1@0,(?@1,1@2@1))\">"
        of "0..9 0..9 1..9 1..9 1..9";
    "cute.crd2idx" {""} "!cute.coord<\"(?,?)\"> | !cute.composed_layout<\"S<3,3,3> o 0 o (8,64):(64,1)\">" of "0..8 0..64";
    "cute.crd2idx" {""} "!cute.coord<\"(?,?)\"> | !cute.composed_layout<\"S<3,3,-3> o ?{div=8} o (8,?):(?,1)\">"
        of "0..8 0..64 0..999 1..99 1..99";
    "cute.crd2idx" {""} "!cute.coord<\"?\"> | !cute.composed_layout<\"(?,8):(?{i64},?) o (?,0) o (4,8):(1@0,1@1)\">"
        of "0..32 1..9 wide 1..99 0..9";
    "cute.idx2crd" {""} "!cute.int_tuple<\"?{i64}\"> | !cute.shape<\"(?,(8,?))\">" of "wide 1..9 1..9";
    "cute.idx2crd" {""} "!cute.int_tuple<\"(?{div=8},?)\"> | !cute.shape<\"(8,(?,4))\">" of "0..99 0..99 1..9";
    "cute.get_hier_coord" {""} "i64 | !cute.layout<\"((8,?),1,4):((1,?),0,?{i64})\">" of "wide 1..9 1..99 wide";
    "cute.get_flat_coord" {""} "i32 | !cute.layout<\"((8,?),4):((1,?),?)\">"
        of "0..9999 1..9 1..99 1..99";
    "cute.get_integral_coord" {""} "i32 | !cute.layout<\"((8,?),4):((1,?),?)\">" of "0..9999 1..9 1..99 1..99";
    "cute.increment_coord" {""} "!cute.coord<\"(?,(?,?),?)\"> | !cute.shape<\"(4,(?,8),?)\">"
        of "2..5 0..3 6..9 0..9 1..4 1..9";
    "cute.increment_coord" {""} "!cute.coord<\"(3,?,2,?{i64})\"> | !cute.shape<\"(?,8,3,9)\">" of "4..9 7 wide";
    "cute.increment_coord" {""} "!cute.coord<\"(3,?,2,?{i64})\"> | !cute.shape<\"(4,?,3,9)\">" of "0..4 wide 1..4";
    // Arithmetic.
    "cute.tuple_add" {""} "!cute.int_tuple<\"(?{div=8},(4,?{i64}))\"> | !cute.int_tuple<\"(?,(?,?))\">"
        of "-99..99 wide -99..99 -99..99 -99..99";
    "cute.tuple_sub" {""} "!cute.int_tuple<\"(?,?{i64})\"> | !cute.int_tuple<\"(?,4)\">" of "-99..99 wide -99..99";
    "cute.tuple_mul" {""} "!cute.int_tuple<\"(?{div=8},?{i64})\"> | !cute.int_tuple<\"(?,4)\">" of "-99..99 wide -99..99";
    "cute.tuple_div" {""} "!cute.int_tuple<\"(?{div=8},?{i64},7)\"> | !cute.int_tuple<\"(4,?,?)\">"
        of "-99..99 wide -9..9 -9..9";
    "cute.tuple_mod" {""} "!cute.int_tuple<\"(?{div=8},?{i64},7)\"> | !cute.int_tuple<\"(4,?,?)\">"
        of "-99..99 wide -9..9 -9..9";
    "cute.tuple.product" {""} "!cute.int_tuple<\"(?,(3,?{i64}))\">" of "-9..9 wide";
    "cute.tuple.product_each" {""} "!cute.int_tuple<\"((?,?),(3,?{i64}),?)\">" of "-9..9 1..9 wide 1..9";
    "cute.shape_div" {""} "!cute.shape<\"(?{div=8},(?,8))\"> | !cute.shape<\"(4,(?,?))\">" of "8..99 1..9 1..9 1..9";
    "cute.shape_div" {""} "!cute.shape<\"(?,(4,8))\"> | !cute.shape<\"?{i64}\">" of "1..9 1..99";
    "cute.ceil_div" {""} "!cute.int_tuple<\"(?{i64},?)\"> | !cute.tile<\"[64:1;?:1]\">" of "wide 1..999 1..9";
    "cute.ceil_div" {""} "!cute.shape<\"(?{i64},?)\"> | !cute.tile<\"64:1\">" of "wide 1..99";
    "cute.elem_less" {""} "!cute.coord<\"(?,(?{i64},3))\"> | !cute.coord<\"(?,(64,?))\">" of "0..9 wide 0..9 0..9";
    "cute.equal" {""} "!cute.int_tuple<\"(?,?{i64})\"> | !cute.int_tuple<\"(?,7)\">" of "0..9 wide 0..9";
    "cute.size" {"mode = 1"} "!cute.memref<f16, gmem, \"(?,(?,?{i64})):(1,(?,4))\">" of "1..9 1..9 wide 1..9";
    "cute.cosize" {""} "!cute.layout<\"(?,(?,4)):(1,(?{i64},0))\">" of "1..9 1..9 wide";
    // Making.
    "cute.make_ordered_layout" {""} "!cute.shape<\"(?,(8,?{i64}))\"> | !cute.int_tuple<\"(2,(0,1))\">" of "2..9 wide";
    "cute.make_ordered_layout" {""} "!cute.shape<\"(?,8,4)\"> | !cute.int_tuple<\"(1,?,0)\">" of "2..9 2..9";
    "cute.make_layout_like" {""} "!cute.layout<\"(?,8,?):(?{i64},1,8)\">" of "2..9 2..9 9..9999";
    "cute.make_fragment_like" {""} "!cute.layout<\"((4,2),8,?):((2,1),?,8)\">" of "2..9 1..8";
    "cute.make_identity_layout" {""} "!cute.shape<\"(?,(8,?{i64}))\">" of "1..9 wide";
    "cute.make_identity_tensor" {""} "!cute.shape<\"(?,(8,?{i64}))\">" of "1..9 wide";
    "cute.make_composed_layout" {""} "!cute.layout<\"(?,8):(?{i64},1)\"> | !cute.int_tuple<\"(?,0)\"> | !cute.layout<\"(4,?):(1@0,1@1)\">"
        of "1..9 wide 0..9 1..9";
    // Iterators.
    "cute.add_offset" {""} "!cute.ptr<i64, smem, align<1024>> | !cute.int_tuple<\"?{div=4}\">" of "-99..99";
    "cute.add_offset" {""} "!cute.arith_tuple_iter<\"(0,?)\"> | !cute.int_tuple<\"(?{i64},3)\">" of "0..9 wide";
    "cute.memref.load" {""} "!cute.memref<f16, gmem, \"(?,?):(?{i64},1)\"> | !cute.coord<\"(?,?)\">"
        of "1..9 1..9 wide 0..9 0..9";
    "cute.memref.load" {""} "!cute.memref<f16, smem, \"S<3,3,3> o 0 o (8,64):(64,1)\"> | !cute.coord<\"(?,?)\">" of "0..8 0..64";
    "cute.memref.load" {""} "!cute.coord_tensor<\"(0,?)\", \"(?,4):(32@0,?{i64}@1)\"> | !cute.coord<\"(?,?)\">"
        of "0..9 1..9 wide 0..9 0..4";
    // Tensor maps.
    "cute_nvgpu.atom.make_non_exec_tiled_tma_load" {"kind = sm_90"}
        "!cute.memref<f16, gmem, align<16>, \"(?,?,?):(?{i64},1,?{i64})\"> | \
         !cute.composed_layout<\"S<3,4,3> o 0 o ((8,16),(64,2)):((64,512),(1,8192))\"> | !cute.layout<\"(128,128):(1@0,1@1)\">"
        of "128..999 128..999 2..9 wide wide";
    "cute_nvgpu.atom.make_non_exec_tiled_tma_store" {""}
        "!cute.memref<f16, gmem, align<16>, \"(?,?):(?{i64},1)\"> | \
         !cute.composed_layout<\"S<3,4,3> o 0 o ((8,16),(64,2)):((64,512),(1,8192))\"> | !cute.layout<\"(128,128):(1@0,1@1)\">"
        of "128..999 128..999 wide";
    "cute_nvgpu.atom.make_non_exec_tiled_tma_reduce" {"kind = ADD"}
        "!cute.memref<f16, gmem, align<16>, \"(?,?):(?{i64},1)\"> | \
         !cute.composed_layout<\"S<3,4,3> o 0 o ((8,16),(64,2)):((64,512),(1,8192))\"> | !cute.layout<\"(128,128):(1@0,1@1)\">"
        of "128..999 128..999 wide";
    "cute_nvgpu.atom.get_coord_tensor" {""}
        "!cute_nvgpu.atom.tma_store<f16, copy_bits = 65536, mode = tiled, g_stride = <\"(1@1,8@0)\"> \
         tma_gbasis = <\"(64,64):(1@0,1@1)\">> | !cute.shape<\"(?,?{i64})\">" of "1..9 wide";
    "cute_nvgpu.atom.make_tma_residue_tensor" {""}
        "!cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f16, copy_bits = 65536, tma_gbasis = <\"(64,64):(1@0,1@1)\">, \
         tma_format = F16_RN> | !cute.memref<f16, gmem, align<16>, \"(?,?):(?{i64 div=8},1)\">" of "2..999 2..999 wide";
    "cute_nvgpu.atom.tma_partition" {""}
        "!cute_nvgpu.atom.non_exec_tiled_tma_store<bf16, copy_bits = 32768, tma_gbasis = <\"(64,32):(1@0,1@1)\">, \
         tma_format = BF16_RN> | !cute.coord<\"?\"> | !cute.layout<\"2:1\"> | \
         !cute.memref<bf16, smem, align<1024>, S<3,4,3>, \"(((64,1),(8,4)),2):(((1,0),(64,512)),2048)\"> | \
         !cute.coord_tensor<\"(?,0)\", \"((64,32),?):((1@0,1@1),64@0)\">" of "0..2 0..999 1..9";
    // The open dialect.
    "cute_open.to_coord" {""} "!cute.int_tuple<\"(?,(0,?{i64}))\">" of "-9..9 wide";
    "cute_open.to_shape" {""} "!cute.int_tuple<\"(?,(4,?{i64}))\">" of "1..9 1..9";
    "cute_open.to_stride" {""} "!cute.int_tuple<\"(?,(0,?{i64}))\">" of "1..9 wide";
    "cute_open.flatten" {""} "!cute.layout<\"(4,(?,8)):(?,(?{i64},1))\">" of "1..9 1..9 wide";
    "cute_open.dice" {""} "!cute.shape<\"(?,(4,?))\"> | !cute.coord<\"(_,0)\">" of "1..9 1..9";
    "cute_open.crd2idx" {""} "!cute.coord<\"(?,2)\"> | !cute.shape<\"(?,4)\">" of "0..3 4..9";
}
