//! Atoms and instructions of NVIDIA's GPUs, as `cute` has them.

use super::{ARROW, CALL, GENERIC, OF_OPERANDS, OF_RESULT};
use crate::core::{Flag, Value};
use crate::mlir::attribute::Attribute;
use crate::mlir::declare::mlir_ops;
use crate::mlir::enums::TiledTmaLoad;
use crate::mlir::property::{Int16, LayoutAttribute, ShapeAttribute};
use crate::mlir::types::Type;

/// `(%a) <{kind = <sm_90> num_multicast = 1}> : (T) -> (T, T)`
const TENSOR_LOAD: &str = "({..}) <{{kind = <{kind}>(?num_multicast: num_multicast = {num_multicast})(?tma_format: tma_format = {tma_format})}}>{@} : ({T ..}) -> {R}";
/// `(%a) <{tma_format = …}> : (T) -> (T, T)`
const TENSOR_STORE: &str = "({..})(?tma_format: <{{tma_format = {tma_format}}}>){@} : ({T ..}) -> {R}";

mlir_ops! {
    /// Atoms and instructions of NVIDIA's GPUs.
    pub enum CuteNvgpuOp: "cute_nvgpu" in CuteNvgpu {
        /// A value that is the same for the whole warp.
        ArchMakeWarpUniform "arch.make_warp_uniform" { val: Value } -> 1 First, Anything, Memory, OF_OPERANDS;
        /// A tensor copy that can be executed.
        AtomMakeExecTma "atom.make_exec_tma" { input: Value, r#override["override"]: Flag, no_fully_oob_tile: Flag } -> 1 Written, Pure, Typing, CALL;
        /// Sets a field of an atom.
        AtomSetValue "atom.set_value" { atom: Value, value: Value, field: Attribute } -> 1 Written, Pure, Typing, "!";
        /// What a block copies of tensors.
        AtomTmaPartition "atom.tma_partition" { tma_atom: Value, cta_coord: Value, cta_layout: Value, smem_tensor: Value, target_tensors: Vec<Value> } -> * Written, Pure, Checked, CALL;
        /// Fetches the tensor map of an atom.
        PrefetchTmaDesc "prefetch_tma_desc" { atom: Value } -> 0 Written, Anything, Memory, CALL;
        /// A load of boxes, with its tensor map, and its tensor of coordinates.
        AtomMakeNonExecTiledTmaLoad "atom.make_non_exec_tiled_tma_load" { gmem_tensor: Value, smem_layout: Value, cta_v_map: Value, kind: TiledTmaLoad, num_multicast: Option<i32>, tma_format: Option<Attribute> } -> 2 Written, Pure, Typing, TENSOR_LOAD;
        /// A copy of tiles of tensor memory.
        AtomMakeTmemCopy "atom.make_tmem_copy" { atom: Value, tmem_memref: Value } -> 1 Written, Pure, Typing, CALL;
        /// A store of boxes, with its tensor map, and its tensor of coordinates.
        AtomMakeNonExecTiledTmaStore "atom.make_non_exec_tiled_tma_store" { gmem_tensor: Value, smem_layout: Value, cta_v_map: Value, tma_format: Option<Attribute> } -> 2 Written, Pure, Typing, TENSOR_STORE;
        /// The address of tensor memory that was written to shared memory.
        ArchSm100RetrieveTmemPtr "arch.sm100.retrieve_tmem_ptr" { smem_ptr: Value } -> 1 Written, Anything, Memory, ARROW;
        /// Allocates columns of tensor memory.
        ArchSm100AllocTmem "arch.sm100.alloc_tmem" { n_cols: Value, dst_ptr: Value, is_two_cta: Flag, exclusive: Flag } -> 0 Written, Anything, Memory, "!";
        /// Frees columns of tensor memory.
        ArchSm100DeallocTmem "arch.sm100.dealloc_tmem" { tmem_ptr: Value, n_cols: Value, is_two_cta: Flag, exclusive: Flag } -> 0 Written, Anything, Memory, "!";
        /// Says that no more tensor memory is allocated.
        ArchSm100RelinquishTmemAllocPermit "arch.sm100.relinquish_tmem_alloc_permit" { is_two_cta: Flag } -> 0 Written, Anything, Memory, "!";
        /// Descriptors of what is copied to tensor memory.
        AtomGetCopyS2tSmemDescView "atom.get_copy_s2t_smem_desc_view" { atom: Value, view: Value } -> 1 Written, Pure, Typing, CALL;
        /// A copy of tiles from shared to tensor memory.
        AtomMakeS2tCopy "atom.make_s2t_copy" { copy_s2t_atom: Value, tmem_memref: Value } -> 1 Written, Pure, Typing, CALL;
        /// Copies from shared to tensor memory.
        ArchCopySM100CopyS2t "arch.copy.SM100.copy_s2t" { src: Value, dst: Value, dp: Attribute, bits: Attribute, cta: Attribute, broadcast: Attribute } -> 0 Written, Anything, Memory, GENERIC;
        /// Loads a box.
        ArchCopySM100TmaLoad "arch.copy.SM100.tma_load" { src_desc: Value, dsmem_data_addr: Value, dsmem_bar_addr: Value, coord: Vec<Value>, multicast_mask: Option<Value>, offsets: Vec<Value>, cache_policy: Option<Value>, mode: Attribute, num_cta: Attribute } -> 0 Written, Anything, Memory, GENERIC;
        /// Stores a box.
        ArchCopySM100TmaStore "arch.copy.SM100.tma_store" { dst_desc: Value, src_smem_data_addr: Value, coord: Vec<Value>, cache_policy: Option<Value>, mode: Attribute } -> 0 Written, Anything, Memory, GENERIC;
        /// Loads registers from tensor memory.
        ArchCopySM100TmemLoad "arch.copy.SM100.tmem_load" { src: Value, num_dp: Attribute, num_b: Attribute, num_rep: Attribute, pack_16: Flag } -> 1 Written, Anything, Memory, GENERIC;
        /// Stores registers to tensor memory.
        ArchCopySM100TmemStore "arch.copy.SM100.tmem_store" { dst: Value, src: Value, num_dp: Attribute, num_b: Attribute, num_rep: Attribute, expand_16: Flag } -> 0 Written, Anything, Memory, GENERIC;
        /// Where dynamic shared memory begins.
        ArchGetDynSmem "arch.get_dyn_smem" {} -> 1 Written, Pure, Helper, OF_RESULT;
        /// A field of an atom.
        AtomGetValue "atom.get_value" { atom: Value, field: Attribute } -> 1 Written, Pure, Typing, "!";
        /// The address of a tensor map.
        GetTmaDescAddr "get_tma_desc_addr" { src: Value } -> 1 Written, Pure, Helper, "({src} : {T src}){@} -> {R}";
        /// The descriptor of a matrix in shared memory, for Hopper.
        MakeGmmaSmemDesc "make_gmma_smem_desc" { src: Value, layout: LayoutAttribute, major: Attribute } -> 1 Written, Pure, Typing, GENERIC;
        /// The descriptor of a matrix in shared memory, for Blackwell.
        MakeUmmaSmemDesc "make_umma_smem_desc" { src: Value, next_src["nextSrc"]: Option<Value>, layout: LayoutAttribute, major: Attribute } -> 1 Written, Pure, Typing, GENERIC;
        /// Memory of a thread.
        ArchAllocRmem "arch.alloc_rmem" { input: Value } -> 1 Written, Anything, Memory, ARROW;
        /// Shared memory of so many elements.
        ArchAllocSmem "arch.alloc_smem" { input: i32 } -> 1 Written, Anything, Memory, "({input}){@} : {R}";
        /// Combines a box with memory.
        ArchCopySM100TmaReduce "arch.copy.SM100.tma_reduce" { dst_desc: Value, src_smem_data_addr: Value, coord: Vec<Value>, cache_policy: Option<Value>, mode: Attribute, kind: Attribute } -> 0 Written, Anything, Memory, GENERIC;
        /// Loads a box of another extent than its map says.
        ArchCopySM107TmaLoadOverride "arch.copy.SM107.tma_load_override" { src_desc: Value, dsmem_data_addr: Value, dsmem_bar_addr: Value, override_addr: Value, tensor_size: Vec<Value>, lower_stride: Vec<Value>, upper_stride: Option<Value>, coord: Vec<Value>, multicast_mask: Option<Value>, cache_policy: Option<Value>, mode: Attribute, num_cta: Attribute } -> 0 Written, Anything, Memory, GENERIC;
        /// Stores a box of another extent than its map says.
        ArchCopySM107TmaStoreOverride "arch.copy.SM107.tma_store_override" { dst_desc: Value, src_smem_data_addr: Value, override_addr: Value, tensor_size: Vec<Value>, lower_stride: Vec<Value>, upper_stride: Option<Value>, coord: Vec<Value>, cache_policy: Option<Value>, mode: Attribute } -> 0 Written, Anything, Memory, GENERIC;
        /// Copies bytes from global to shared memory.
        ArchCopySM90BulkCopyG2s "arch.copy.SM90.bulk_copy_g2s" { gmem_data_addr: Value, dsmem_data_addr: Value, dsmem_bar_addr: Value, multicast_mask: Option<Value>, cache_policy: Option<Value>, size: i32 } -> 0 Written, Anything, Memory, GENERIC;
        /// Copies bytes from shared to global memory.
        ArchCopySM90BulkCopyS2g "arch.copy.SM90.bulk_copy_s2g" { smem_data_addr: Value, gmem_data_addr: Value, byte_mask: Option<Value>, cache_policy: Option<Value>, size: i32 } -> 0 Written, Anything, Memory, GENERIC;
        /// Copies bytes to shared memory of another block.
        ArchCopySM90BulkCopyS2s "arch.copy.SM90.bulk_copy_s2s" { smem_data_addr: Value, dsmem_data_addr: Value, dsmem_bar_addr: Value, cta_rank: Value, size: i32 } -> 0 Written, Anything, Memory, GENERIC;
        /// The bytes of dynamic shared memory.
        ArchGetDynSmemSize "arch.get_dyn_smem_size" {} -> 1 Written, Pure, Helper, OF_RESULT;
        /// A product in tensor memory.
        ArchMmaSM107Umma "arch.mma.SM107.umma" { a: Value, b: Value, cd: Value, idesc: Value, accum: Value, disable_output_lane: Value, num_cta: Attribute, scale: Attribute, a_type: Type, b_type: Type, shape_k: i32, a_collector_op: Attribute, b_collector_op: Attribute } -> 0 Written, Anything, Memory, GENERIC;
        /// A product of scaled blocks in tensor memory.
        ArchMmaSM107UmmaBlockScaled "arch.mma.SM107.umma_block_scaled" { a: Value, b: Value, cd: Value, sf_a: Value, sf_b: Value, idesc: Value, accum: Value, num_cta: Attribute, vec_size: i32, a_type: Type, b_type: Type, shape_k: i32, a_collector_op: Attribute, b_collector_op: Attribute } -> 0 Written, Anything, Memory, GENERIC;
        /// A product of scaled blocks in tensor memory, one factor sparse.
        ArchMmaSM107UmmaBlockScaledSparse "arch.mma.SM107.umma_block_scaled_sparse" { a: Value, b: Value, cd: Value, sf_a: Value, sf_b: Value, e_op: Value, idesc: Value, accum: Value, num_cta: Attribute, vec_size: i32, a_type: Type, b_type: Type, shape_k: i32, a_collector_op: Attribute, b_collector_op: Attribute } -> 0 Written, Anything, Memory, GENERIC;
        /// A product in tensor memory, one factor sparse.
        ArchMmaSM107UmmaSparse "arch.mma.SM107.umma_sparse" { a: Value, b: Value, cd: Value, e: Value, idesc: Value, accum: Value, num_cta: Attribute, scale: Attribute, a_type: Type, b_type: Type, shape_k: i32, a_collector_op: Attribute, b_collector_op: Attribute } -> 0 Written, Anything, Memory, GENERIC;
        /// A product of scaled blocks in registers.
        ArchMmaSM120BlockScaled "arch.mma.SM120.block_scaled" { op_a["opA"]: Vec<Value>, op_b["opB"]: Vec<Value>, op_c["opC"]: Vec<Value>, sf_a["sfA"]: Value, sf_b["sfB"]: Value, byte_id_a: Option<Value>, byte_id_b: Option<Value>, shape_mnk["shape_MNK"]: ShapeAttribute, vec_size: i32, a_type: Type, b_type: Type, sf_type: Type, thread_id_a: Option<Int16>, thread_id_b: Option<Int16> } -> * Written, Anything, Memory, GENERIC;
        /// Fetches a tensor map.
        ArchPrefetchTmaDesc "arch.prefetch_tma_desc" { tma_descriptor_ptr: Value } -> 0 Written, Anything, Memory, CALL;
        /// The coordinates that an atom copies.
        AtomGetCoordTensor "atom.get_coord_tensor" { atom: Value, shape: Value, offset_b: Option<Value>, layout_b: Option<Value> } -> 1 Written, Pure, Checked, CALL;
        /// A load of four rows, with its tensor map.
        AtomMakeNonExec2dGather4TmaLoad "atom.make_non_exec_2d_gather4_tma_load" { gmem_tensor: Value, gmem_coord_layout: Value, smem_layout: Value, cta_v_map: Value, kind: Attribute, num_multicast: Option<i32>, tma_format: Option<Attribute> } -> 2 Written, Pure, Typing, GENERIC;
        /// A store of four rows, with its tensor map.
        AtomMakeNonExec2dScatter4TmaStore "atom.make_non_exec_2d_scatter4_tma_store" { gmem_tensor: Value, gmem_index_layout: Value, smem_layout: Value, cta_v_map: Value, tma_format: Option<Attribute> } -> 2 Written, Pure, Typing, GENERIC;
        /// A load of pixels, with its tensor map.
        AtomMakeNonExecIm2colTmaLoad "atom.make_non_exec_im2col_tma_load" { gmem_tensor: Value, smem_layout: Value, cta_v_map: Value, lower_corner_whd: Value, upper_corner_whd: Value, lower_padding_whd: Value, upper_padding_whd: Value, stride_whd: Value, lower_srt: Value, stride_srt: Value, kind: Attribute, num_multicast: Option<i32>, tma_format: Option<Attribute> } -> 2 Written, Pure, Typing, GENERIC;
        /// A store of pixels, with its tensor map.
        AtomMakeNonExecIm2colTmaStore "atom.make_non_exec_im2col_tma_store" { gmem_tensor: Value, smem_layout: Value, cta_v_map: Value, tma_format: Option<Attribute> } -> 2 Written, Pure, Typing, GENERIC;
        /// A reduction of boxes, with its tensor map.
        AtomMakeNonExecTiledTmaReduce "atom.make_non_exec_tiled_tma_reduce" { gmem_tensor: Value, smem_layout: Value, cta_v_map: Value, kind: Attribute, tma_format: Option<Attribute> } -> 2 Written, Pure, Typing, GENERIC;
        /// How far coordinates are from the end.
        AtomMakeTmaResidueTensor "atom.make_tma_residue_tensor" { tma_atom: Value, gmem_tensor: Value } -> 1 Written, Pure, Checked, CALL;
        /// Descriptors of what is copied to tensor memory, of a later GPU.
        AtomSm107GetCopyS2tSmemDescView "atom.sm107.get_copy_s2t_smem_desc_view" { atom: Value, view: Value } -> 1 Written, Pure, Typing, CALL;
        /// The address of a tensor map as an integer.
        CastTmaDescToInteger "cast_tma_desc_to_integer" { src: Value } -> 1 Written, Pure, Helper, "({src} : {T src}){@} -> {R}";
        /// Copies a tensor map.
        CopyTmaDesc "copy_tma_desc" { atom: Value, tma_desc_ptr: Value } -> 0 Written, Anything, Memory, CALL;
        /// The address of a parameter.
        GetGridConstantPointer "get_grid_constant_pointer" { input: Value } -> 1 Written, Pure, Helper, GENERIC;
        /// A tensor map of pixels.
        MakeTmaDescIm2col "make_tma_desc_im2col" { gmem_view: Value, smem_layout: Value, cta_value_tile: Value, lower_corner_whd: Value, upper_corner_whd: Value, lower_padding_whd: Value, upper_padding_whd: Value, stride_whd: Value, lower_srt: Value, stride_srt: Value, num_multicast: Option<i32>, tma_format: Option<Attribute> } -> 1 Written, Pure, Typing, GENERIC;
        /// Writes a tensor map of pixels.
        MakeTmaDescIm2colAt "make_tma_desc_im2col_at" { gmem_view: Value, smem_layout: Value, cta_value_tile: Value, lower_corner_whd: Value, upper_corner_whd: Value, lower_padding_whd: Value, upper_padding_whd: Value, stride_whd: Value, lower_srt: Value, stride_srt: Value, tma_desc_addr: Value, num_multicast: Option<i32>, tma_format: Option<Attribute> } -> 0 Written, Anything, Memory, GENERIC;
        /// A tensor map of boxes.
        MakeTmaDescTiled "make_tma_desc_tiled" { gmem_view: Value, smem_layout: Value, cta_value_tile: Value, traversal_stride: Option<Value>, mode: Attribute, num_multicast: Option<i32>, tma_format: Option<Attribute> } -> 1 Written, Pure, Typing, GENERIC;
        /// Writes a tensor map of boxes.
        MakeTmaDescTiledAt "make_tma_desc_tiled_at" { gmem_view: Value, smem_layout: Value, cta_value_tile: Value, tma_desc_addr: Value, traversal_stride: Option<Value>, mode: Attribute, num_multicast: Option<i32>, tma_format: Option<Attribute> } -> 0 Written, Anything, Memory, GENERIC;
        /// The descriptor of a matrix in a ring in shared memory.
        Sm103MakeUmmaSmemDescCircular "sm103.make_umma_smem_desc_circular" { src: Value, next_src["nextSrc"]: Option<Value>, layout: LayoutAttribute, major: Attribute } -> 1 Written, Pure, Typing, GENERIC;
        /// The descriptor of a matrix in shared memory, of a later GPU.
        Sm107MakeUmmaSmemDesc "sm107.make_umma_smem_desc" { src: Value, next_src["nextSrc"]: Option<Value>, layout: LayoutAttribute, major: Attribute } -> 1 Written, Pure, Typing, GENERIC;
        /// The descriptor of a matrix in a ring in shared memory, of a later GPU.
        Sm107MakeUmmaSmemDescCircular "sm107.make_umma_smem_desc_circular" { src: Value, next_src["nextSrc"]: Option<Value>, layout: LayoutAttribute, major: Attribute } -> 1 Written, Pure, Typing, GENERIC;
        /// Changes the tensor map of an atom.
        UpdateTmaDesc "update_tma_desc" { tma_atom: Value, gmem_tensor: Value, tma_desc_ptr: Value } -> 0 Written, Anything, Memory, CALL;
    }
}
