//! Atoms and instructions of NVIDIA's GPUs, as `cute` has them.

use super::{ARROW, CALL, GENERIC, OF_OPERANDS, OF_RESULT};
use crate::core::{Flag, Value};
use crate::mlir::attribute::Attribute;
use crate::mlir::declare::mlir_ops;
use crate::mlir::enums::{
    CollectorOp, GatherTmaLoad, Im2colTmaLoad, Major, TiledTmaLoad, TmaLoadMode, TmaReduceKind, TmaStoreMode,
};
use crate::mlir::property::{Int16, LayoutAttribute, ShapeAttribute};
use crate::mlir::types::Type;

/// `(%a) <{kind = <sm_90> num_multicast = 1}> : (T) -> (T, T)`
const TENSOR_LOAD: &str = "({..}) <{{kind = <{kind}>(?num_multicast: num_multicast = {num_multicast})(?tma_format: tma_format = {tma_format})}}>{@} : ({T ..}) -> {R}";
/// `(%a) <{tma_format = …}> : (T) -> (T, T)`
const TENSOR_STORE: &str = "({..})(?tma_format: <{{tma_format = {tma_format}}}>){@} : ({T ..}) -> {R}";

/// Where a box is loaded to: a tensor map, shared memory, an mbarrier, coordinates.
const TMA_LOAD: &str = "({src_desc} : {T src_desc}, {dsmem_data_addr} : {T dsmem_data_addr}, {dsmem_bar_addr} : {T dsmem_bar_addr}, [{coord}] : {T coord})(?multicast_mask: mask = {multicast_mask})(?offsets: offsets = {offsets})(?cache_policy: cache_policy = {cache_policy}) mode = <{mode}> num_cta = {num_cta} : i32{@}";
/// Where a box is stored from.
const TMA_STORE: &str = "({dst_desc} : {T dst_desc}, {src_smem_data_addr} : {T src_smem_data_addr}, [{coord}] : {T coord})(?cache_policy: cache_policy = {cache_policy}) mode = <{mode}>{@}";
/// The same, combined with what is there.
const TMA_REDUCE: &str = "({dst_desc} : {T dst_desc}, {src_smem_data_addr} : {T src_smem_data_addr}, [{coord}] : {T coord})(?cache_policy: cache_policy = {cache_policy}) mode = <{mode}> kind = <{kind}>{@}";
/// A load with extents of its own.
const TMA_LOAD_OVERRIDE: &str = "({src_desc} : {T src_desc}, {dsmem_data_addr} : {T dsmem_data_addr}, {dsmem_bar_addr} : {T dsmem_bar_addr}, {override_addr} : {T override_addr}, [{coord}] : {T coord}) tensor_size = {tensor_size} lower_stride = {lower_stride}(?upper_stride: upper_stride = {upper_stride})(?multicast_mask: mask = {multicast_mask})(?cache_policy: cache_policy = {cache_policy}) mode = <{mode}> num_cta = {num_cta} : i32{@}";
/// A store with extents of its own.
const TMA_STORE_OVERRIDE: &str = "({dst_desc} : {T dst_desc}, {src_smem_data_addr} : {T src_smem_data_addr}, {override_addr} : {T override_addr}, [{coord}] : {T coord}) tensor_size = {tensor_size} lower_stride = {lower_stride}(?upper_stride: upper_stride = {upper_stride})(?cache_policy: cache_policy = {cache_policy}) mode = <{mode}>{@}";
/// `(%a : T) layout = <"…">, major = <k> -> T`
const MATRIX: &str = "({src} : {T src}) layout = <{layout}>, major = <{major}>{@} -> {R}";
/// The same of one address or two.
const MATRIX_OF_TWO: &str =
    "({src} : {T src}(?nextSrc:, {nextSrc} : {T nextSrc})) layout = <{layout}>, major = <{major}>{@} -> {R}";
/// A product with its types in braces.
const UMMA: &str = "({..}) {{num_cta = {num_cta} : i32, scale = {scale} : i32, ab_type = ({a_type}, {b_type}), shape_k = {shape_k}, ab_collector_op = (<{a_collector_op}>, <{b_collector_op}>)}}{@} : ({T ..}) -> {R}";
/// A product of scaled blocks with its types in braces.
const UMMA_SCALED: &str = "({..}) {{num_cta = {num_cta} : i32, vec_size = {vec_size}, ab_type = ({a_type}, {b_type}), shape_k = {shape_k}, ab_collector_op = (<{a_collector_op}>, <{b_collector_op}>)}}{@} : ({T ..}) -> {R}";
/// A product of scaled blocks in registers.
const MMA_SCALED: &str = " A[{opA}] B[{opB}] C[{opC}] sfA({sfA}) sfB({sfB})(?byte_id_a: byte_id_a({byte_id_a}) : {T byte_id_a})(?byte_id_b: byte_id_b({byte_id_b}) : {T byte_id_b}){{shape_MNK = <{shape_MNK}>, vec_size = {vec_size}, a_type = {a_type}, b_type = {b_type}, sf_type = {sf_type}}}{@} : A[{T opA}] B[{T opB}] C[{T opC}] sfA({T sfA}) sfB({T sfB}) -> {R}";
/// A tensor map of pixels, with what is not left to the tensor.
const IMAGE: &str = "({..}) <{{(?num_multicast:num_multicast = {num_multicast} )(?tma_format:tma_format = {tma_format})}}>{@} : ({T ..}) -> {R}";

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
        ArchCopySM100CopyS2t "arch.copy.SM100.copy_s2t" { src: Value, dst: Value, dp: i32, bits: i32, cta: i32, broadcast: Attribute } -> 0 Written, Anything, Memory, CALL;
        /// Loads a box.
        ArchCopySM100TmaLoad "arch.copy.SM100.tma_load" { src_desc: Value, dsmem_data_addr: Value, dsmem_bar_addr: Value, coord: Vec<Value>, multicast_mask: Option<Value>, offsets: Vec<Value>, cache_policy: Option<Value>, mode: TmaLoadMode, num_cta: i32 } -> 0 Written, Anything, Memory, TMA_LOAD;
        /// Stores a box.
        ArchCopySM100TmaStore "arch.copy.SM100.tma_store" { dst_desc: Value, src_smem_data_addr: Value, coord: Vec<Value>, cache_policy: Option<Value>, mode: TmaStoreMode } -> 0 Written, Anything, Memory, TMA_STORE;
        /// Loads registers from tensor memory.
        ArchCopySM100TmemLoad "arch.copy.SM100.tmem_load" { src: Value, num_dp: i32, num_b: i32, num_rep: i32, pack_16: Flag } -> 1 Written, Anything, Memory, GENERIC;
        /// Stores registers to tensor memory.
        ArchCopySM100TmemStore "arch.copy.SM100.tmem_store" { dst: Value, src: Value, num_dp: i32, num_b: i32, num_rep: i32, expand_16: Flag } -> 0 Written, Anything, Memory, GENERIC;
        /// Where dynamic shared memory begins.
        ArchGetDynSmem "arch.get_dyn_smem" {} -> 1 Written, Pure, Helper, OF_RESULT;
        /// A field of an atom.
        AtomGetValue "atom.get_value" { atom: Value, field: Attribute } -> 1 Written, Pure, Typing, "!";
        /// The address of a tensor map.
        GetTmaDescAddr "get_tma_desc_addr" { src: Value } -> 1 Written, Pure, Helper, "({src} : {T src}){@} -> {R}";
        /// The descriptor of a matrix in shared memory, for Hopper.
        MakeGmmaSmemDesc "make_gmma_smem_desc" { src: Value, layout: LayoutAttribute, major: Major } -> 1 Written, Pure, Typing, MATRIX;
        /// The descriptor of a matrix in shared memory, for Blackwell.
        MakeUmmaSmemDesc "make_umma_smem_desc" { src: Value, next_src["nextSrc"]: Option<Value>, layout: LayoutAttribute, major: Major } -> 1 Written, Pure, Typing, MATRIX_OF_TWO;
        /// Memory of a thread.
        ArchAllocRmem "arch.alloc_rmem" { input: Value } -> 1 Written, Anything, Memory, ARROW;
        /// Shared memory of so many elements.
        ArchAllocSmem "arch.alloc_smem" { input: i32 } -> 1 Written, Anything, Memory, "({input}){@} : {R}";
        /// Combines a box with memory.
        ArchCopySM100TmaReduce "arch.copy.SM100.tma_reduce" { dst_desc: Value, src_smem_data_addr: Value, coord: Vec<Value>, cache_policy: Option<Value>, mode: TmaStoreMode, kind: TmaReduceKind } -> 0 Written, Anything, Memory, TMA_REDUCE;
        /// Loads a box of another extent than its map says.
        ArchCopySM107TmaLoadOverride "arch.copy.SM107.tma_load_override" { src_desc: Value, dsmem_data_addr: Value, dsmem_bar_addr: Value, override_addr: Value, tensor_size: Vec<Value>, lower_stride: Vec<Value>, upper_stride: Option<Value>, coord: Vec<Value>, multicast_mask: Option<Value>, cache_policy: Option<Value>, mode: TmaLoadMode, num_cta: i32 } -> 0 Written, Anything, Memory, TMA_LOAD_OVERRIDE;
        /// Stores a box of another extent than its map says.
        ArchCopySM107TmaStoreOverride "arch.copy.SM107.tma_store_override" { dst_desc: Value, src_smem_data_addr: Value, override_addr: Value, tensor_size: Vec<Value>, lower_stride: Vec<Value>, upper_stride: Option<Value>, coord: Vec<Value>, cache_policy: Option<Value>, mode: TmaStoreMode } -> 0 Written, Anything, Memory, TMA_STORE_OVERRIDE;
        /// Copies bytes from global to shared memory.
        ArchCopySM90BulkCopyG2s "arch.copy.SM90.bulk_copy_g2s" { gmem_data_addr: Value, dsmem_data_addr: Value, dsmem_bar_addr: Value, multicast_mask: Option<Value>, cache_policy: Option<Value>, size: i32 } -> 0 Written, Anything, Memory, "({gmem_data_addr} : {T gmem_data_addr}, {dsmem_data_addr} : {T dsmem_data_addr}, {dsmem_bar_addr} : {T dsmem_bar_addr}) size = {size}(?multicast_mask: mask = {multicast_mask})(?cache_policy: cache_policy = {cache_policy}){@}";
        /// Copies bytes from shared to global memory.
        ArchCopySM90BulkCopyS2g "arch.copy.SM90.bulk_copy_s2g" { smem_data_addr: Value, gmem_data_addr: Value, byte_mask: Option<Value>, cache_policy: Option<Value>, size: i32 } -> 0 Written, Anything, Memory, "({smem_data_addr} : {T smem_data_addr}, {gmem_data_addr} : {T gmem_data_addr}) size = {size}(?byte_mask: byte_mask = {byte_mask})(?cache_policy: cache_policy = {cache_policy}){@}";
        /// Copies bytes to shared memory of another block.
        ArchCopySM90BulkCopyS2s "arch.copy.SM90.bulk_copy_s2s" { smem_data_addr: Value, dsmem_data_addr: Value, dsmem_bar_addr: Value, cta_rank: Value, size: i32 } -> 0 Written, Anything, Memory, "({smem_data_addr} : {T smem_data_addr}, {dsmem_data_addr} : {T dsmem_data_addr}, {dsmem_bar_addr} : {T dsmem_bar_addr}, {cta_rank} : {T cta_rank}) size = {size}{@}";
        /// The bytes of dynamic shared memory.
        ArchGetDynSmemSize "arch.get_dyn_smem_size" {} -> 1 Written, Pure, Helper, OF_RESULT;
        /// A product in tensor memory.
        ArchMmaSM107Umma "arch.mma.SM107.umma" { a: Value, b: Value, cd: Value, idesc: Value, accum: Value, disable_output_lane: Value, num_cta: i32, scale: i32, a_type: Type, b_type: Type, shape_k: i32, a_collector_op: CollectorOp, b_collector_op: CollectorOp } -> 0 Written, Anything, Memory, UMMA;
        /// A product of scaled blocks in tensor memory.
        ArchMmaSM107UmmaBlockScaled "arch.mma.SM107.umma_block_scaled" { a: Value, b: Value, cd: Value, sf_a: Value, sf_b: Value, idesc: Value, accum: Value, num_cta: i32, vec_size: i32, a_type: Type, b_type: Type, shape_k: i32, a_collector_op: CollectorOp, b_collector_op: CollectorOp } -> 0 Written, Anything, Memory, UMMA_SCALED;
        /// A product of scaled blocks in tensor memory, one factor sparse.
        ArchMmaSM107UmmaBlockScaledSparse "arch.mma.SM107.umma_block_scaled_sparse" { a: Value, b: Value, cd: Value, sf_a: Value, sf_b: Value, e_op: Value, idesc: Value, accum: Value, num_cta: i32, vec_size: i32, a_type: Type, b_type: Type, shape_k: i32, a_collector_op: CollectorOp, b_collector_op: CollectorOp } -> 0 Written, Anything, Memory, UMMA_SCALED;
        /// A product in tensor memory, one factor sparse.
        ArchMmaSM107UmmaSparse "arch.mma.SM107.umma_sparse" { a: Value, b: Value, cd: Value, e: Value, idesc: Value, accum: Value, num_cta: i32, scale: i32, a_type: Type, b_type: Type, shape_k: i32, a_collector_op: CollectorOp, b_collector_op: CollectorOp } -> 0 Written, Anything, Memory, UMMA;
        /// A product of scaled blocks in registers.
        ArchMmaSM120BlockScaled "arch.mma.SM120.block_scaled" { op_a["opA"]: Vec<Value>, op_b["opB"]: Vec<Value>, op_c["opC"]: Vec<Value>, sf_a["sfA"]: Value, sf_b["sfB"]: Value, byte_id_a: Option<Value>, byte_id_b: Option<Value>, shape_mnk["shape_MNK"]: ShapeAttribute, vec_size: i32, a_type: Type, b_type: Type, sf_type: Type, thread_id_a: Option<Int16>, thread_id_b: Option<Int16> } -> * Written, Anything, Memory, MMA_SCALED;
        /// Fetches a tensor map.
        ArchPrefetchTmaDesc "arch.prefetch_tma_desc" { tma_descriptor_ptr: Value } -> 0 Written, Anything, Memory, CALL;
        /// The coordinates that an atom copies.
        AtomGetCoordTensor "atom.get_coord_tensor" { atom: Value, shape: Value, base: Vec<Value> } -> 1 Written, Pure, Checked, CALL;
        /// A load of four rows, with its tensor map.
        AtomMakeNonExec2dGather4TmaLoad "atom.make_non_exec_2d_gather4_tma_load" { gmem_tensor: Value, gmem_coord_layout: Value, smem_layout: Value, cta_v_map: Value, kind: GatherTmaLoad, num_multicast: Option<i32>, tma_format: Option<Attribute> } -> 2 Written, Pure, Typing, TENSOR_LOAD;
        /// A store of four rows, with its tensor map.
        AtomMakeNonExec2dScatter4TmaStore "atom.make_non_exec_2d_scatter4_tma_store" { gmem_tensor: Value, gmem_index_layout: Value, smem_layout: Value, cta_v_map: Value, tma_format: Option<Attribute> } -> 2 Written, Pure, Typing, TENSOR_STORE;
        /// A load of pixels, with its tensor map.
        AtomMakeNonExecIm2colTmaLoad "atom.make_non_exec_im2col_tma_load" { gmem_tensor: Value, smem_layout: Value, cta_v_map: Value, lower_corner_whd: Value, upper_corner_whd: Value, lower_padding_whd: Value, upper_padding_whd: Value, stride_whd: Value, lower_srt: Value, stride_srt: Value, kind: Im2colTmaLoad, num_multicast: Option<i32>, tma_format: Option<Attribute> } -> 2 Written, Pure, Typing, TENSOR_LOAD;
        /// A store of pixels, with its tensor map.
        AtomMakeNonExecIm2colTmaStore "atom.make_non_exec_im2col_tma_store" { gmem_tensor: Value, smem_layout: Value, cta_v_map: Value, tma_format: Option<Attribute> } -> 2 Written, Pure, Typing, TENSOR_STORE;
        /// A reduction of boxes, with its tensor map.
        AtomMakeNonExecTiledTmaReduce "atom.make_non_exec_tiled_tma_reduce" { gmem_tensor: Value, smem_layout: Value, cta_v_map: Value, kind: TmaReduceKind, tma_format: Option<Attribute> } -> 2 Written, Pure, Typing, "({..}) <{{kind = <{kind}>(?tma_format: tma_format = {tma_format})}}>{@} : ({T ..}) -> {R}";
        /// How far coordinates are from the end.
        AtomMakeTmaResidueTensor "atom.make_tma_residue_tensor" { tma_atom: Value, gmem_tensor: Value } -> 1 Written, Pure, Checked, CALL;
        /// Descriptors of what is copied to tensor memory, of a later GPU.
        AtomSm107GetCopyS2tSmemDescView "atom.sm107.get_copy_s2t_smem_desc_view" { atom: Value, view: Value } -> 1 Written, Pure, Typing, CALL;
        /// The address of a tensor map as an integer.
        CastTmaDescToInteger "cast_tma_desc_to_integer" { src: Value } -> 1 Written, Pure, Helper, "({src} : {T src}){@} -> {R}";
        /// Copies a tensor map.
        CopyTmaDesc "copy_tma_desc" { atom: Value, tma_desc_ptr: Value } -> 0 Written, Anything, Memory, CALL;
        /// The address of a parameter.
        GetGridConstantPointer "get_grid_constant_pointer" { input: Value } -> 1 Written, Pure, Helper, OF_RESULT;
        /// A tensor map of pixels.
        MakeTmaDescIm2col "make_tma_desc_im2col" { gmem_view: Value, smem_layout: Value, cta_value_tile: Value, lower_corner_whd: Value, upper_corner_whd: Value, lower_padding_whd: Value, upper_padding_whd: Value, stride_whd: Value, lower_srt: Value, stride_srt: Value, num_multicast: Option<i32>, tma_format: Option<Attribute> } -> 1 Written, Pure, Typing, IMAGE;
        /// Writes a tensor map of pixels.
        MakeTmaDescIm2colAt "make_tma_desc_im2col_at" { gmem_view: Value, smem_layout: Value, cta_value_tile: Value, lower_corner_whd: Value, upper_corner_whd: Value, lower_padding_whd: Value, upper_padding_whd: Value, stride_whd: Value, lower_srt: Value, stride_srt: Value, tma_desc_addr: Value, num_multicast: Option<i32>, tma_format: Option<Attribute> } -> 0 Written, Anything, Memory, IMAGE;
        /// A tensor map of boxes.
        MakeTmaDescTiled "make_tma_desc_tiled" { gmem_view: Value, smem_layout: Value, cta_value_tile: Value, traversal_stride: Option<Value>, mode: TmaLoadMode, num_multicast: Option<i32>, tma_format: Option<Attribute> } -> 1 Written, Pure, Typing, "({..}) <{{mode = #cute_nvgpu.tma_load_mode<{mode}>(?num_multicast: num_multicast = {num_multicast})(?tma_format: tma_format = {tma_format})}}>{@} : ({T ..}) -> {R}";
        /// Writes a tensor map of boxes.
        MakeTmaDescTiledAt "make_tma_desc_tiled_at" { gmem_view: Value, smem_layout: Value, cta_value_tile: Value, tma_desc_addr: Value, traversal_stride: Option<Value>, mode: TmaLoadMode, num_multicast: Option<i32>, tma_format: Option<Attribute> } -> 0 Written, Anything, Memory, "({..}) <{{mode = <{mode}>(?num_multicast: num_multicast = {num_multicast})(?tma_format: tma_format = {tma_format})}}>{@} : ({T ..}) -> {R}";
        /// The descriptor of a matrix in a ring in shared memory.
        Sm103MakeUmmaSmemDescCircular "sm103.make_umma_smem_desc_circular" { src: Value, next_src["nextSrc"]: Option<Value>, layout: LayoutAttribute, major: Major } -> 1 Written, Pure, Typing, MATRIX_OF_TWO;
        /// The descriptor of a matrix in shared memory, of a later GPU.
        Sm107MakeUmmaSmemDesc "sm107.make_umma_smem_desc" { src: Value, next_src["nextSrc"]: Option<Value>, layout: LayoutAttribute, major: Major } -> 1 Written, Pure, Typing, MATRIX_OF_TWO;
        /// The descriptor of a matrix in a ring in shared memory, of a later GPU.
        Sm107MakeUmmaSmemDescCircular "sm107.make_umma_smem_desc_circular" { src: Value, next_src["nextSrc"]: Option<Value>, layout: LayoutAttribute, major: Major } -> 1 Written, Pure, Typing, MATRIX_OF_TWO;
        /// Changes the tensor map of an atom.
        UpdateTmaDesc "update_tma_desc" { tma_atom: Value, gmem_tensor: Value, tma_desc_ptr: Value } -> 0 Written, Anything, Memory, CALL;
    }
}
