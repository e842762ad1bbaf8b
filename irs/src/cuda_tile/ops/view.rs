//! Tensors in memory, and views for loading and storing tiles of them.

use crate::core::Value;
use crate::cuda_tile::attrs::Hints;
use crate::cuda_tile::constraint::Constraint::{
    AnyTile, IntScalar, IntTile, PartitionView, PtrScalar, TensorView, TileView, Token,
};
use crate::cuda_tile::declare::tile_ops;
use crate::cuda_tile::enums::{AtomicRmwMode, MemoryOrdering, MemoryScope, MultimemReduction};
use crate::cuda_tile::verify;
use crate::cuda_tile::version::Version::{V13_4, V13_5};

tile_ops! {
    /// Tensors in memory, and views for loading and storing tiles of them.
    pub enum ViewOp in View {
        /// A strided tensor in global memory, with its address and the extents and strides that are dynamic in its
        /// type.
        MakeTensorView "make_tensor_view" = 0x43 since V13_1, Pure [free, partial] {
            base: Value [of(PtrScalar)],
            dynamic_shape: Vec<Value> [of(IntScalar)],
            dynamic_strides: Vec<Value> [of(IntScalar)],
        } -> 1 [result: TensorView],
        checks [verify::view::make_tensor],
        "@";

        /// A partition of a tensor into a grid of tiles.
        MakePartitionView "make_partition_view" = 0x42 since V13_1, Pure [free] {
            tensor_view: Value [of(TensorView)],
        } -> 1 [result: PartitionView],
        checks [verify::view::make_view],
        "{tensor_view} : {T result}";

        /// A view of a tensor with tiles that start at multiples of a stride.
        MakeStridedView "make_strided_view" = 0x74 since V13_3, Pure [free] {
            tensor_view: Value [of(TensorView)],
        } -> 1 [result: StridedView],
        checks [verify::view::make_view],
        "{tensor_view} : {T result}";

        /// A view of a tensor whose rows along one dimension are selected by indices.
        MakeGatherScatterView "make_gather_scatter_view" = 0x73 since V13_3, Pure [free] {
            tensor_view: Value [of(TensorView)],
        } -> 1 [result: GatherScatterView],
        checks [verify::view::make_view],
        "{tensor_view} : {T result}";

        /// Extents of a tensor view.
        GetTensorShape "get_tensor_shape" = 0x2F since V13_1, Pure [free] {
            src: Value [of(TensorView)],
        } -> * [result: IntScalar],
        checks [verify::view::tensor_shape],
        "{src} : {T src} -> {T1 result}";

        /// Extents of the index space of a view.
        GetIndexSpaceShape "get_index_space_shape" = 0x2D since V13_1, Pure [free] {
            src: Value [of(TileView)],
        } -> * [result: IntScalar],
        checks [verify::view::index_space_shape],
        "{src} : {T src} -> {T1 result}";

        /// Loads a tile through a view; elements outside of the tensor are padded. Ordered by tokens only.
        LoadViewTko "load_view_tko" = 0x3E since V13_1, Reads(Global) {
            view: Value [of(TileView)],
            index: Vec<Value> [of(IntTile)],
            token: Option<Value> [of(Token)],
            ordering: MemoryOrdering [only(&[MemoryOrdering::Weak.code(), MemoryOrdering::Relaxed.code(), MemoryOrdering::Acquire.code()])],
            scope: Option<MemoryScope>,
            /// Hints for each architecture, which never change the results.
            optimization_hints: Option<Hints>,
            /// For each dimension, whether the tile lies within the tensor there, so that nothing checks it.
            inbounds in Assumption: Vec<bool> [since(V13_4), or_false_per("index")],
        } -> 2 [tile: AnyTile, result_token: Token],
        checks [verify::view::access, verify::ordering_and_scope, verify::no_multicast],
        "{ordering}(?scope: {scope}) {view}[{index}](?token: token = {token})(?optimization_hints: optimization_hints = {optimization_hints})(?inbounds: inbounds = {inbounds}) : {T view}, {TI index} -> {T tile}, {T result_token}";

        /// Stores a tile through a view; elements outside of the tensor are dropped. Ordered by tokens only.
        StoreViewTko "store_view_tko" = 0x66 since V13_1, Writes(Global) {
            tile: Value [of(AnyTile)],
            view: Value [of(TileView)],
            index: Vec<Value> [of(IntTile)],
            token: Option<Value> [of(Token)],
            ordering: MemoryOrdering [only(&[MemoryOrdering::Weak.code(), MemoryOrdering::Relaxed.code(), MemoryOrdering::Release.code()])],
            scope: Option<MemoryScope>,
            /// Hints for each architecture, which never change the results.
            optimization_hints: Option<Hints>,
            /// For each dimension, whether the tile lies within the tensor there, so that nothing checks it.
            inbounds in Assumption: Vec<bool> [since(V13_4), or_false_per("index")],
        } -> 1 [result_token: Token],
        checks [verify::view::access, verify::ordering_and_scope, verify::no_multicast],
        "{ordering}(?scope: {scope}) {tile}, {view}[{index}](?token: token = {token})(?optimization_hints: optimization_hints = {optimization_hints})(?inbounds: inbounds = {inbounds}) : {T tile}, {T view}, {TI index} -> {T result_token}";

        /// Combines a tile with memory through a view, each element atomically.
        AtomicRedViewTko "atomic_red_view_tko" = 0x75 since V13_3, Updates(Global) {
            view: Value [of(TileView)],
            index: Vec<Value> [of(IntTile)],
            value: Value [of(AnyTile)],
            token: Option<Value> [of(Token)],
            ordering: MemoryOrdering [only(&[MemoryOrdering::Relaxed.code()])],
            scope: MemoryScope [only(&[MemoryScope::TileBlock.code(), MemoryScope::Device.code()])],
            mode: AtomicRmwMode [only(&[AtomicRmwMode::And.code(), AtomicRmwMode::Or.code(), AtomicRmwMode::Xor.code(), AtomicRmwMode::Add.code(), AtomicRmwMode::AddF.code(), AtomicRmwMode::Max.code(), AtomicRmwMode::Min.code(), AtomicRmwMode::UMax.code(), AtomicRmwMode::UMin.code()])],
            /// For each dimension, whether the tile lies within the tensor there, so that nothing checks it.
            inbounds in Assumption: Vec<bool> [since(V13_5), or_false_per("index")],
        } -> 1 [result_token: Token],
        checks [verify::view::access, verify::view::atomic_reduction, verify::no_multicast],
        "{ordering} {scope} {view}[{index}], {mode}, {value}(?token: token = {token})(?inbounds: inbounds = {inbounds}) : {T value}, {T view}, {TI index} -> {T result_token}";

        /// Loads a tile from all replicas of multicast memory and reduces it.
        MultimemLoadReduceViewTko "multimem_load_reduce_view_tko" = 0x7B since V13_5, Reads(Global) {
            view: Value [of(PartitionView)],
            index: Vec<Value> [of(IntTile)],
            token: Option<Value> [of(Token)],
            ordering: MemoryOrdering [only(&[MemoryOrdering::Weak.code(), MemoryOrdering::Relaxed.code(), MemoryOrdering::Acquire.code()])],
            scope: Option<MemoryScope>,
            reduction: MultimemReduction [or(MultimemReduction::Add.code())],
            /// For each dimension, whether the tile lies within the tensor there, so that nothing checks it.
            inbounds in Assumption: Vec<bool> [or_false_per("index")],
        } -> 2 [reduced_values: AnyTile, result_token: Token],
        checks [verify::view::access, verify::view::multimem, verify::ordering_and_scope],
        "{ordering}(?scope: {scope}) {view}[{index}](?token: token = {token}) (?inbounds:inbounds = {inbounds})(?reduction: attributes {{reduction = #cuda_tile.multimem_reduction_kind<{reduction}>}}) : {T view}, {TI index}(?token:, {T token}) -> {T reduced_values}, {T result_token}";

        /// Reduces a tile into all replicas of multicast memory.
        MultimemReduceViewTko "multimem_reduce_view_tko" = 0x7C since V13_5, Updates(Global) {
            view: Value [of(PartitionView)],
            tile: Value [of(AnyTile)],
            index: Vec<Value> [of(IntTile)],
            token: Option<Value> [of(Token)],
            ordering: MemoryOrdering [only(&[MemoryOrdering::Relaxed.code(), MemoryOrdering::Release.code()])],
            scope: MemoryScope,
            reduction: MultimemReduction [or(MultimemReduction::Add.code())],
            /// For each dimension, whether the tile lies within the tensor there, so that nothing checks it.
            inbounds in Assumption: Vec<bool> [or_false_per("index")],
        } -> 1 [result_token: Token],
        checks [verify::view::access, verify::view::multimem],
        "{ordering} {scope} {view}, {tile}[{index}](?token: token = {token}) (?inbounds:inbounds = {inbounds})(?reduction: attributes {{reduction = #cuda_tile.multimem_reduction_kind<{reduction}>}}) : {T view}, {T tile}, {TI index}(?token:, {T token}) -> {T result_token}";

        /// Stores a tile to all replicas of multicast memory.
        MultimemStoreViewTko "multimem_store_view_tko" = 0x7D since V13_5, Writes(Global) {
            view: Value [of(PartitionView)],
            tile: Value [of(AnyTile)],
            index: Vec<Value> [of(IntTile)],
            token: Option<Value> [of(Token)],
            ordering: MemoryOrdering [only(&[MemoryOrdering::Weak.code(), MemoryOrdering::Relaxed.code(), MemoryOrdering::Release.code()])],
            scope: Option<MemoryScope>,
            /// For each dimension, whether the tile lies within the tensor there, so that nothing checks it.
            inbounds in Assumption: Vec<bool> [or_false_per("index")],
        } -> 1 [result_token: Token],
        checks [verify::view::access, verify::view::multimem, verify::ordering_and_scope],
        "{ordering}(?scope: {scope}) {view}, {tile}[{index}](?token: token = {token}) (?inbounds:inbounds = {inbounds}) : {T view}, {T tile}, {TI index}(?token:, {T token}) -> {T result_token}";
    }
}
