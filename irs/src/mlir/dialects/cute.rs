//! Layout algebra and tensors.

use super::{ACTION, ARROW, CALL, OF_OPERANDS, OF_RESULT, TO};
use crate::core::{Flag, Value};
use crate::mlir::attribute::SymbolRef;
use crate::mlir::declare::mlir_ops;
use crate::mlir::enums::{CopyOperand, MmaOperand, ReductionOp};
use crate::mlir::property::{CoordAttribute, SignedInt, SwizzleAttribute};

/// `(%a) <{mode = [1]}> : (T) -> T`
const MODE: &str = "({..})(?mode: <{{mode = [{mode}]}}>){@} : ({T ..}) -> {R}";
/// `<[1]> (%a) : (T) -> T`
const OPEN_MODE: &str = "(?mode:<[{mode}]>) ({..}){@} : ({T ..}) -> {R}";
/// `A (%a, %b) : (T, T) -> T`
const OPERAND: &str = " {operand_id} ({..}){@} : ({T ..}) -> {R}";

mlir_ops! {
    /// Layout algebra and tensors.
    pub enum CuteOp: "cute" in Cute {
        /// A coordinate of these dynamic leaves.
        MakeCoord "make_coord" { dynamic_elements["dynamicElements"]: Vec<Value> } -> 1 Written, Pure, Algebra, CALL, open CALL;
        /// The leaves of a tuple, each one a result.
        GetLeaves "get_leaves" { input: Value } -> * Algebra, Pure, Algebra, OF_OPERANDS, open OF_OPERANDS;
        /// Where a view begins.
        GetIter "get_iter" { source: Value } -> 1 Algebra, Pure, Typing, OF_OPERANDS;
        /// The leaves as integers: all, or those that are dynamic.
        GetScalars "get_scalars" { cute_value: Value, only_dynamic: Flag } -> * Algebra, Pure, Helper, "({..})(?only_dynamic: <{{only_dynamic}}>){@} : {T ..}", open "(?only_dynamic:<{{only_dynamic}}>) ({..}){@} : {T ..}";
        /// The shape of a layout or a view.
        GetShape "get_shape" { input: Value } -> 1 Written, Pure, Algebra, CALL, open ARROW;
        /// Loads an element of a view.
        MemrefLoad "memref.load" { src: Value, coord: Value } -> 1 Written, Anything, Memory, CALL;
        /// Stores an element of a view.
        MemrefStore "memref.store" { dst: Value, coord: Value, value: Value } -> 0 Written, Anything, Memory, CALL;
        /// The layout of a view.
        GetLayout "get_layout" { input: Value } -> 1 Algebra, Pure, Typing, OF_OPERANDS;
        /// A tuple of these dynamic leaves.
        MakeIntTuple "make_int_tuple" { dynamic_elements["dynamicElements"]: Vec<Value> } -> 1 Written, Pure, Algebra, CALL, open CALL;
        /// The number of elements of the whole, or of a mode.
        Size "size" { input: Value, mode: Vec<i32> } -> 1 Written, Pure, Algebra, MODE, open OPEN_MODE;
        /// The coordinate at which an iterator is.
        DerefArithTupleIter "deref_arith_tuple_iter" { iter: Value } -> 1 Algebra, Pure, Typing, OF_OPERANDS;
        /// The part of a tensor or a tuple that a coordinate leaves free.
        Slice "slice" { input: Value, coord: Value } -> 1 Algebra, Pure, Checked, OF_OPERANDS, open OF_OPERANDS;
        /// A shape of these dynamic leaves.
        MakeShape "make_shape" { dynamic_elements["dynamicElements"]: Vec<Value> } -> 1 Written, Pure, Checked, CALL, open CALL;
        /// A layout of a shape and a stride.
        MakeLayout "make_layout" { shape: Option<Value>, stride: Option<Value> } -> 1 Written, Pure, Checked, OF_RESULT, open CALL;
        /// A tuple of another kind as a tuple of integers.
        ToIntTuple "to_int_tuple" { src: Value } -> 1 Written, Pure, Algebra, TO, open ARROW;
        /// A view: where it begins, and its layout.
        MakeView "make_view" { iter: Value, layout: Option<Value> } -> 1 Written, Pure, Typing, OF_RESULT;
        /// Modes appended until there are so many.
        AppendToRank "append_to_rank" { input: Value, element: Value, rank: SignedInt } -> 1 Algebra, Pure, Algebra, "<{rank}> ({..}){@} : {T ..}", open "<{rank}> ({..}){@} : {T ..}";
        /// A range of modes as one mode.
        GroupModes "group_modes" { input: Value, begin: i32, end: i32 } -> 1 Written, Pure, Algebra, "({..}) <{begin}, {end}>{@} : ({T ..}) -> {R}", open "<{begin}, {end}> ({..}){@} : ({T ..}) -> {R}";
        /// The index of a coordinate in a layout.
        Crd2idx "crd2idx" { coord: Value, layout: Value } -> 1 Written, Pure, Checked, CALL, open as "cute.layout_eval" CALL;
        /// An iterator so many elements further.
        AddOffset "add_offset" { src: Value, offset: Value } -> 1 Written, Pure, Typing, CALL;
        /// A value that its type says.
        Static "static" {} -> 1 Written, Pure, Algebra, "{@} : {R}", open "{@} : {R}";
        /// Copies a tensor, as an atom or a tiled copy does it, where a predicate holds.
        Copy "copy" { copy_atom: Value, src: Vec<Value>, dst: Vec<Value>, pred: Option<Value> } -> 0 Written, Anything, Memory, "({copy_atom}, {[src]}, {[dst]}(?pred:, {pred})){@} : ({T copy_atom}, {T [src]}, {T [dst]}(?pred:, {T pred}))";
        /// A tile of these dynamic leaves.
        MakeTile "make_tile" { dynamic_elements["dynamicElements"]: Vec<Value> } -> 1 Written, Pure, Checked, CALL, open CALL;
        /// Loads a view as a vector.
        MemrefLoadVec "memref.load_vec" { src: Value, mask: Option<Value>, pass_thru: Option<Value> } -> 1 Written, Anything, Memory, CALL;
        /// Stores a vector to a view.
        MemrefStoreVec "memref.store_vec" { value: Value, dst: Value, mask: Option<Value> } -> 0 Written, Anything, Memory, CALL;
        /// The stride of a layout.
        GetStride "get_stride" { input: Value } -> 1 Written, Pure, Algebra, CALL, open "({..}){@} : {P input} -> {R}";
        /// Whether every element of a tuple is less than that of another.
        ElemLess "elem_less" { lhs: Value, rhs: Value } -> 1 Boolean, Pure, Algebra, OF_OPERANDS, open CALL;
        /// A layout after another.
        Composition "composition" { lhs: Value, rhs: Value } -> 1 Written, Pure, Checked, CALL, open CALL;
        /// A tensor in tiles and what is beside them, mode by mode.
        LogicalDivide "logical_divide" { input: Value, tiler: Value } -> 1 Algebra, Pure, Checked, OF_OPERANDS, open CALL;
        /// The sums of the leaves.
        TupleAdd "tuple_add" { lhs: Value, rhs: Value } -> 1 Written, Pure, Algebra, CALL, open CALL;
        /// A divisor, with what makes division by it fast.
        FastDivmodCreateDivisor "fast_divmod.create_divisor" { divisor: Value } -> 1 Written, Pure, Helper, ARROW;
        /// Memory of a thread or of the block.
        MemrefAlloca "memref.alloca" { layout: Option<Value> } -> 1 Written, Anything, Memory, OF_RESULT;
        /// A mode.
        Get "get" { input: Value, mode: Vec<i32> } -> 1 Written, Pure, Algebra, "({..})(?mode: <{{mode = [{mode}]}}>){@} : {T ..} -> {R}", open "(?mode:<[{mode}]>) ({..}){@} : {T ..} -> {R}";
        /// A stride of these dynamic leaves.
        MakeStride "make_stride" { dynamic_elements["dynamicElements"]: Vec<Value> } -> 1 Written, Pure, Algebra, CALL, open CALL;
        /// How many tiles cover a shape.
        CeilDiv "ceil_div" { input: Value, tiler: Value } -> 1 Algebra, Pure, Checked, OF_OPERANDS, open CALL;
        /// An atom, with its fields that are known at run time.
        MakeAtom "make_atom" { values: Vec<Value> } -> 1 Written, Pure, Typing, CALL;
        /// The outer layout of a composed one.
        ComposedGetOuter "composed_get_outer" { input: Value } -> 1 Written, Pure, Algebra, CALL, open "({..}){@} : {P input} -> {R cute.layout}";
        /// An iterator over coordinates.
        MakeArithTupleIter "make_arith_tuple_iter" { value: Option<Value> } -> 1 Written, Pure, Typing, CALL;
        /// The number of elements that a layout spans.
        Cosize "cosize" { input: Value, mode: Vec<i32> } -> 1 Written, Pure, Algebra, MODE, open OPEN_MODE;
        /// The inner layout of a composed one.
        ComposedGetInner "composed_get_inner" { input: Value } -> 1 Written, Pure, Algebra, CALL, open "({..}){@} : {P input} -> {R}";
        /// A pointer to elements of another type.
        RecastIter "recast_iter" { src: Value } -> 1 Written, Pure, Typing, TO;
        /// The products of the leaves.
        TupleMul "tuple_mul" { lhs: Value, rhs: Value } -> 1 Written, Pure, Algebra, CALL;
        /// A compact layout in the order of another.
        MakeLayoutLike "make_layout_like" { src: Value } -> 1 Written, Pure, Checked, TO, open ARROW;
        /// The same function with fewer modes.
        Coalesce "coalesce" { input: Value, target_profile: Option<Value> } -> 1 Written, Pure, Checked, CALL, open CALL;
        /// Multiplies tensors and adds, as an atom or a tiled product does it.
        Gemm "gemm" { mma_atom: Value, d: Value, a: Vec<Value>, b: Vec<Value>, c: Value } -> 0 Written, Anything, Memory, "({mma_atom}, {d}, {[a]}, {[b]}, {c}){@} : ({T mma_atom}, {T d}, {T [a]}, {T [b]}, {T c})";
        /// A layout that a layout undoes.
        RightInverse "right_inverse" { input: Value } -> 1 Written, Pure, Checked, CALL, open CALL;
        /// What a thread of a tiled copy reads.
        TiledCopyPartitionS "tiled.copy.partition_S" { tiled_copy: Value, input: Value, coord: Value } -> 1 Written, Pure, Checked, CALL;
        /// What a thread of a tiled product has of an operand.
        TiledMmaPartition "tiled.mma.partition" { tiled_mma: Value, input: Value, coord: Value, operand_id: MmaOperand } -> 1 Written, Pure, Checked, OPERAND;
        /// The tile of a tensor at a coordinate.
        LocalTile "local_tile" { input: Value, tile: Value, coord: Value, proj: Option<CoordAttribute> } -> 1 Written, Pure, Checked, "({..}(?proj:, {proj})){@} : ({T ..}) -> {R}";
        /// The product of the leaves.
        TupleProduct "tuple.product" { input: Value } -> 1 Written, Pure, Algebra, CALL, open as "cute.tuple_product" CALL;
        /// Registers for a thread's part of an operand.
        MmaMakeFragment "mma.make_fragment" { atom: Value, input: Value, operand_id: MmaOperand } -> 1 Written, Pure, Typing, OPERAND;
        /// The coordinate of an index, nested as a shape.
        GetHierCoord "get_hier_coord" { index: Value, input: Value } -> 1 Written, Pure, Checked, CALL;
        /// A function of a tuple after an offset after a layout.
        MakeComposedLayout "make_composed_layout" { inner: Value, offset: Value, outer: Value } -> 1 Written, Pure, Checked, OF_RESULT, open "({..}){@} : ({T inner}, {P offset}, {P outer}) -> {R cute.composed_layout}";
        /// What a thread of a tiled copy writes.
        TiledCopyPartitionD "tiled.copy.partition_D" { tiled_copy: Value, input: Value, coord: Value } -> 1 Written, Pure, Checked, CALL;
        /// A copy of tiles by an atom.
        MakeTiledCopy "make_tiled_copy" { atom: Value } -> 1 Written, Pure, Typing, OF_RESULT;
        /// The products of the leaves of each mode.
        TupleProductEach "tuple.product_each" { input: Value } -> 1 Written, Pure, Algebra, CALL, open as "cute.tuple_product_each" CALL;
        /// Quotient and remainder by a divisor.
        FastDivmodCompute "fast_divmod.compute" { dividend: Value, divisor: Value } -> 2 Written, Pure, Helper, "({..}){@} : {T ..} -> {R1}";
        /// A layout repeated until it has a shape.
        TileToShape "tile_to_shape" { block: Value, trg_shape: Value, ord_shape: Option<Value> } -> 1 Written, Pure, Checked, CALL, open CALL;
        /// The offset of a composed layout.
        ComposedGetOffset "composed_get_offset" { input: Value } -> 1 Written, Pure, Algebra, CALL, open "({..}){@} : {P input} -> {R}";
        /// The shape of a thread's part of an operand.
        TiledMmaPartitionShape "tiled.mma.partition_shape" { tiled_mma: Value, input: Value, operand_id: MmaOperand } -> 1 Written, Pure, Checked, OPERAND;
        /// A layout that maps every coordinate to itself.
        MakeIdentityLayout "make_identity_layout" { shape: Value } -> 1 Written, Pure, Checked, OF_RESULT, open ARROW;
        /// The differences of the leaves.
        TupleSub "tuple_sub" { lhs: Value, rhs: Value } -> 1 Written, Pure, Algebra, CALL, open CALL;
        /// A tensor of its own coordinates.
        MakeIdentityTensor "make_identity_tensor" { shape: Value } -> 1 Written, Pure, Checked, OF_RESULT;
        /// A product of tiles by an atom.
        MakeTiledMma "make_tiled_mma" { atom: Value } -> 1 Written, Pure, Typing, OF_RESULT;
        /// A thread's registers, in the order of a tiled copy.
        TiledCopyRetile "tiled.copy.retile" { tiled_copy: Value, input: Value } -> 1 Written, Pure, Checked, CALL;
        /// A tensor as tiles, then what is beside them.
        ZippedDivide "zipped_divide" { input: Value, tiler: Value } -> 1 Algebra, Pure, Checked, OF_OPERANDS, open CALL;
        /// Prints values.
        Print "print" { values: Vec<Value>, fmt: Option<String>, operand_signed: Option<Vec<bool>> } -> 0 Written, Anything, Memory, "((?fmt:{fmt})(?values:, {values})){@}(?values: : {T values})", open "({values}) : {T values}{@}";
        /// A number of which more is known.
        Assume "assume" { src: Value } -> 1 Written, Pure, Typing, CALL;
        /// The bytes of shared memory that a kernel has.
        KernelSmemSize "kernel_smem_size" { kernel_name: SymbolRef } -> 1 Written, Pure, Algebra, " {kernel_name}{@} : {R}";
        /// A layout whose modes of stride 0 have extent 1.
        FilterZeros "filter_zeros" { input: Value, target_profile: Option<Value> } -> 1 Algebra, Pure, Algebra, OF_OPERANDS;
        /// A tensor as the modes of a tile, then those of what is beside it.
        FlatDivide "flat_divide" { input: Value, tiler: Value } -> 1 Algebra, Pure, Checked, OF_OPERANDS, open CALL;
        /// The quotients of the leaves.
        TupleDiv "tuple_div" { lhs: Value, rhs: Value } -> 1 Written, Pure, Algebra, CALL;
        /// The coordinate of an index, one number for each mode.
        GetFlatCoord "get_flat_coord" { index: Value, input: Value } -> 1 Written, Pure, Checked, CALL;
        /// A layout repeated, interleaved.
        RakedProduct "raked_product" { input: Value, tiler: Value } -> 1 Written, Pure, Checked, CALL, open CALL;
        /// The part of a tuple that a coordinate keeps.
        Dice "dice" { input: Value, coord: CoordAttribute } -> 1 Written, Pure, Checked, "({..}, {coord}){@} : ({T ..}) -> {R}";
        /// A compact layout whose modes have an order.
        MakeOrderedLayout "make_ordered_layout" { shape: Value, order: Value } -> 1 Written, Pure, Checked, CALL, open CALL;
        /// A tensor as tiles, then the modes of what is beside them.
        TiledDivide "tiled_divide" { input: Value, tiler: Value } -> 1 Algebra, Pure, Checked, OF_OPERANDS, open CALL;
        /// A layout without modes of stride 0 or extent 1.
        Filter "filter" { input: Value } -> 1 Algebra, Pure, Algebra, OF_OPERANDS;
        /// An integer as a pointer.
        Inttoptr "inttoptr" { src: Value } -> 1 Written, Pure, Typing, TO;
        /// A shape divided by another.
        ShapeDiv "shape_div" { a: Value, b: Value } -> 1 Algebra, Pure, Checked, OF_OPERANDS, open CALL;
        /// These modes.
        Select "select" { input: Value, mode: Vec<i32> } -> 1 Written, Pure, Algebra, "<[{mode}]> ({..}){@} : ({T ..}) -> {R}", open "<[{mode}]> ({..}){@} : {T ..} -> {R}";
        /// A layout that undoes a layout.
        LeftInverse "left_inverse" { input: Value } -> 1 Written, Pure, Checked, CALL, open CALL;
        /// A layout of elements of another width.
        RecastLayout "recast_layout" { src: Value, new_type_bits: i32, old_type_bits: i32 } -> 1 Written, Pure, Checked, "<{new_type_bits}, {old_type_bits}> ({..}){@} : {T ..} to {R}", open "<{new_type_bits}, {old_type_bits}> ({..}){@} : {T ..} -> {R}";
        /// The remainders of the leaves.
        TupleMod "tuple_mod" { lhs: Value, rhs: Value } -> 1 Written, Pure, Algebra, CALL;
        /// Modes prepended until there are so many.
        PrependToRank "prepend_to_rank" { input: Value, element: Value, rank: SignedInt } -> 1 Algebra, Pure, Algebra, "<{rank}> ({..}){@} : {T ..}", open "<{rank}> ({..}){@} : {T ..}";
        /// A pointer as an integer.
        Ptrtoint "ptrtoint" { src: Value } -> 1 Written, Pure, Typing, TO;
        /// The address that a swizzle makes of a pointer's.
        ApplySwizzle "apply_swizzle" { ptr: Value, swizzle: Option<SwizzleAttribute> } -> 1 Written, Pure, Typing, "({ptr})(?swizzle: {{ {swizzle} }}){@} : {R}";
        /// A value of a type that says less.
        Derefine "derefine" { src: Value } -> 1 Written, Pure, Typing, TO;
        /// The multiplier and shifts of a divisor.
        FastDivmodGetAux "fast_divmod.get_aux" { divisor: Value } -> 3 Written, Pure, Helper, "!";
        /// The number of a divisor.
        FastDivmodGetDivisor "fast_divmod.get_divisor" { fast_divmod_divisor: Value } -> 1 Algebra, Pure, Helper, OF_OPERANDS;
        /// A divisor of its parts.
        FastDivmodMakeDivisor "fast_divmod.make_divisor" { divisor: Value, multiplier: Value, sh1: Value, sh2: Value } -> 1 Written, Pure, Helper, "({..}){@} : {T divisor} -> {R}";
        /// Loads what a pointer points to.
        PtrLoad "ptr.load" { ptr: Value } -> 1 Algebra, Anything, Memory, " {ptr}{@} : {P ptr}";
        /// A layout repeated, block by block.
        BlockedProduct "blocked_product" { input: Value, tiler: Value } -> 1 Written, Pure, Checked, CALL, open CALL;
        /// A layout of what a layout leaves out.
        Complement "complement" { input: Value, cotarget: Option<Value> } -> 1 Written, Pure, Checked, CALL, open CALL;
        /// Registers for a thread's part of a copy.
        CopyMakeFragment "copy.make_fragment" { atom: Value, input: Value, operand_id: CopyOperand } -> 1 Written, Pure, Typing, " {operand_id}({..}){@} : ({T ..}) -> {R}";
        /// One copy of an atom.
        CopyAtomCall "copy_atom_call" { atom: Value, src: Vec<Value>, dst: Vec<Value>, pred: Option<Value> } -> 0 Written, Anything, Memory, "({atom}, {[src]}, {[dst]}(?pred:, {pred})){@} : ({T atom}, {T [src]}, {T [dst]}(?pred:, {T pred})) -> {R}";
        /// The descriptor at which an iterator is.
        DerefDescIter "deref_desc_iter" { iter: Value } -> 1 Written, Pure, Typing, CALL;
        /// Whether tuples are equal.
        Equal "equal" { lhs: Value, rhs: Value } -> 1 Boolean, Pure, Algebra, OF_OPERANDS, open CALL;
        /// The quotient by a divisor.
        FastDivmodDivide "fast_divmod.divide" { dividend: Value, divisor: Value } -> 1 Written, Pure, Helper, ARROW;
        /// A layout repeated, as flat modes.
        FlatProduct "flat_product" { input: Value, tiler: Value } -> 1 Written, Pure, Checked, CALL, open CALL;
        /// The coordinate of an index, as one number.
        GetIntegralCoord "get_integral_coord" { index: Value, input: Value } -> 1 Written, Pure, Checked, CALL;
        /// The layouts of a tile.
        GetLayoutsFromTile "get_layouts_from_tile" { tile: Value } -> * Algebra, Pure, Algebra, OF_OPERANDS, open "({..}){@} : {P tile}";
        /// The coordinate of an index.
        Idx2crd "idx2crd" { index: Value, shape: Value } -> 1 Written, Pure, Checked, CALL, open CALL;
        /// The next coordinate.
        IncrementCoord "increment_coord" { coord: Value, shape: Value } -> 1 Written, Pure, Algebra, CALL, open CALL;
        /// A pointer, at an index that is loaded and scaled.
        LoadScaledIndex "load_scaled_index" { ptr_a: Value, ptr_b: Value, index: Value, stride: Value } -> 1 Written, Anything, Memory, CALL;
        /// What a thread has of a tensor.
        LocalPartition "local_partition" { input: Value, tiler: Value, index: Value } -> 1 Written, Pure, Checked, CALL;
        /// A layout repeated.
        LogicalProduct "logical_product" { input: Value, tiler: Value } -> 1 Written, Pure, Checked, CALL, open CALL;
        /// An iterator over descriptors.
        MakeDescIter "make_desc_iter" { value: Value } -> 1 Written, Pure, Typing, CALL;
        /// A compact layout for a thread's registers, in the order of another.
        MakeFragmentLike "make_fragment_like" { src: Value } -> 1 Written, Pure, Checked, TO;
        /// An element of a sparse tensor.
        MakeSparseElem "make_sparse_elem" { physical_storage: Value } -> 1 Written, Pure, Typing, CALL;
        /// A copy of tiles by an atom, in its second form.
        MakeTiledCopyV2 "make_tiled_copy_v2" { atom: Value } -> 1 Written, Pure, Typing, OF_RESULT;
        /// A tuple of values.
        MakeTuple "make_tuple" { values: Vec<Value> } -> 1 Written, Pure, Helper, OF_RESULT;
        /// Shared memory.
        MemrefAllocSmem "memref.alloc_smem" {} -> 1 Written, Anything, Memory, OF_RESULT;
        /// One product of an atom.
        MmaAtomCall "mma_atom_call" { atom: Value, d: Value, a: Vec<Value>, b: Vec<Value>, c: Value } -> 0 Written, Anything, Memory, "({atom}, {d}, {[a]}, {[b]}, {c}){@} : ({T atom}, {T d}, {T [a]}, {T [b]}, {T c}) -> {R}";
        /// Fetches a tensor into the cache, as an atom does it.
        Prefetch "prefetch" { prefetch_atom: Value, src: Vec<Value> } -> 0 Written, Anything, Memory, ACTION;
        /// One fetch of an atom.
        PrefetchAtomCall "prefetch_atom_call" { atom: Value, src: Vec<Value> } -> 0 Written, Anything, Memory, CALL;
        /// Prints a tensor map of pixels.
        PrintTmaDescIm2col "print_tma_desc_im2col" { input: Value, fd: Value } -> 0 Written, Anything, Memory, "({..}){@}";
        /// Prints a tensor map of boxes.
        PrintTmaDescTiled "print_tma_desc_tiled" { input: Value, fd: Value } -> 0 Written, Anything, Memory, "({..}){@}";
        /// Prints a view.
        PrintView "print_view" { src: Value, coord: Option<Value>, verbose: Option<bool>, is_signed: Option<bool> } -> 0 Written, Anything, Memory, OF_OPERANDS;
        /// Stores what a pointer points to.
        PtrStore "ptr.store" { value: Value, ptr: Value } -> 0 Written, Anything, Memory, " {value}, {ptr}{@} : {P ptr}";
        /// Waits for a random time.
        RandomDelay "random_delay" {} -> 0 Written, Anything, Memory, "(){@}";
        /// The elements of a vector combined along modes.
        Reduce "reduce" { input: Value, shape: Value, init_val: Value, predication: Option<Value>, reduction_op: ReductionOp, reduction_profile: Option<CoordAttribute> } -> * Written, Pure, Checked, "({..}) {{op = <{reduction_op}>(?reduction_profile:, profile = <{reduction_profile}>)}}{@} : ({T ..}) -> {R}";
        /// The bytes of a part of shared memory.
        SmemPartitionSize "smem_partition_size" { partition_id: i32, cumulative: Flag } -> 1 Written, Pure, Algebra, "<partition_id = {partition_id}(?cumulative:, cumulative)>{@} : {R}";
        /// A tensor as overlapping tiles.
        StencilDivide "stencil_divide" { input: Value, stencil: Value, padding_upper: Option<Value>, padding_lower: Option<Value>, traversal_stride: Option<Value> } -> 1 Written, Pure, Checked, "({input} : {T input}, {stencil} : {P stencil})(?padding_lower: padding_lower({padding_lower} : {T padding_lower}))(?padding_upper: padding_upper({padding_upper} : {T padding_upper}))(?traversal_stride: tstride({traversal_stride} : {T traversal_stride})){@} : {R}";
        /// A number that has only a name.
        Symbolic "symbolic" { name: String } -> 1 Written, Pure, Helper, "({name}){@} : {R}";
        /// A layout repeated, as tiles.
        TiledProduct "tiled_product" { input: Value, tiler: Value } -> 1 Written, Pure, Checked, CALL, open CALL;
        /// The values of a tuple.
        UnpackTuple "unpack_tuple" { tuple: Value } -> * Written, Pure, Helper, "({..}){@} : {R ..}";
        /// A layout repeated, in two modes.
        ZippedProduct "zipped_product" { input: Value, tiler: Value } -> 1 Written, Pure, Checked, CALL, open CALL;
    }
}
