//! Memory accesses through pointers, and memory ordering.

use crate::core::{Flag, Value};
use crate::cuda_tile::attrs::{Hints, Symbol};
use crate::cuda_tile::constraint::Constraint::{AnyTile, I1Tile, IntTile, NumberTile, PtrTile, Token};
use crate::cuda_tile::declare::tile_ops;
use crate::cuda_tile::enums::{AtomicRmwMode, MemoryOrdering, MemoryScope};
use crate::cuda_tile::verify;

tile_ops! {
    /// Memory accesses through pointers, and memory ordering.
    pub enum MemoryOp in Memory {
        /// Loads one element through each pointer whose mask is set. Ordered by tokens only.
        LoadPtrTko "load_ptr_tko" = 0x3D since V13_1, Reads(Global) {
            source: Value [of(PtrTile)],
            mask: Option<Value> [of(I1Tile)],
            padding_value: Option<Value> [of(NumberTile)],
            token: Option<Value> [of(Token)],
            ordering: MemoryOrdering [only(&[MemoryOrdering::Weak.code(), MemoryOrdering::Relaxed.code(), MemoryOrdering::Acquire.code()])],
            scope: Option<MemoryScope>,
            /// Hints for each architecture, which never change the results.
            optimization_hints: Option<Hints>,
        } -> 2 [result: AnyTile, result_token: Token],
        checks [verify::memory::load, verify::ordering_and_scope, verify::no_multicast],
        "{ordering}(?scope: {scope}) {source}(?mask:, {mask})(?padding_value:, {padding_value})(?token: token={token})(?optimization_hints: optimization_hints = {optimization_hints}) : {T source}(?mask:, {T mask})(?padding_value:, {T padding_value}) -> {T result}, {T result_token}";

        /// Stores one element through each pointer whose mask is set. Ordered by tokens only.
        StorePtrTko "store_ptr_tko" = 0x65 since V13_1, Writes(Global) {
            destination: Value [of(PtrTile)],
            value: Value [of(AnyTile)],
            mask: Option<Value> [of(I1Tile)],
            token: Option<Value> [of(Token)],
            ordering: MemoryOrdering [only(&[MemoryOrdering::Weak.code(), MemoryOrdering::Relaxed.code(), MemoryOrdering::Release.code()])],
            scope: Option<MemoryScope>,
            /// Hints for each architecture, which never change the results.
            optimization_hints: Option<Hints>,
        } -> 1 [result_token: Token],
        checks [verify::memory::store, verify::ordering_and_scope, verify::no_multicast],
        "{ordering}(?scope: {scope}) {destination}, {value}(?mask:, {mask})(?token: token={token})(?optimization_hints: optimization_hints = {optimization_hints}) : {T destination}, {T value}(?mask:, {T mask}) -> {T result_token}";

        /// Atomic compare and swap.
        AtomicCasTko "atomic_cas_tko" = 0x07 since V13_1, Updates(Global) {
            pointers: Value [of(PtrTile)],
            cmp: Value [of(AnyTile)],
            val: Value [of(AnyTile)],
            mask: Option<Value> [of(I1Tile)],
            token: Option<Value> [of(Token)],
            ordering: MemoryOrdering [only(&[MemoryOrdering::Relaxed.code(), MemoryOrdering::Acquire.code(), MemoryOrdering::Release.code(), MemoryOrdering::AcqRel.code()])],
            scope: MemoryScope,
        } -> 2 [result: AnyTile, result_token: Token],
        checks [verify::memory::compare_and_swap, verify::no_multicast],
        "{ordering} {scope} {pointers}, {cmp}, {val}(?mask:, {mask})(?token: token={token}) : {T pointers}, {T val}(?mask:, {T mask}) -> {T result}, {T result_token}";

        /// Atomic read-modify-write.
        AtomicRmwTko "atomic_rmw_tko" = 0x08 since V13_1, Updates(Global) {
            pointers: Value [of(PtrTile)],
            arg: Value [of(AnyTile)],
            mask: Option<Value> [of(I1Tile)],
            token: Option<Value> [of(Token)],
            ordering: MemoryOrdering [only(&[MemoryOrdering::Relaxed.code(), MemoryOrdering::Acquire.code(), MemoryOrdering::Release.code(), MemoryOrdering::AcqRel.code()])],
            scope: MemoryScope,
            mode: AtomicRmwMode,
        } -> 2 [result: AnyTile, result_token: Token],
        checks [verify::memory::read_modify_write, verify::no_multicast],
        "{ordering} {scope} {pointers}, {mode}, {arg}(?mask:, {mask})(?token: token={token}) : {T pointers}, {T arg}(?mask:, {T mask}) -> {T result}, {T result_token}";

        /// Moves pointers by a number of elements.
        Offset "offset" = 0x51 since V13_1, Pure [elementwise, partial] {
            ptr: Value [of(PtrTile)],
            offset: Value [of(IntTile)],
        } -> 1 [result: PtrTile],
        checks [verify::memory::offset],
        "{ptr}, {offset} : {T ptr}, {T offset} -> {T result}";

        /// Address of a global.
        GetGlobal "get_global" = 0x2C since V13_1, Pure [free] {
            /// The global.
            name: Symbol,
        } -> 1 [result: PtrScalar],
        checks [],
        "{name} : {T result}";

        /// Allocates temporary memory and returns its address.
        Alloca "alloca" = 0x71 since V13_3, Updates(Global) [allocates] {
            /// The number of elements.
            num_elem: i64,
            /// The alignment of the memory, in bytes.
            alignment: i64,
            /// All tile blocks may access it, instead of only the one that allocates it.
            global: Flag,
        } -> 1 [result: PtrScalar],
        checks [verify::memory::alloca],
        "num_elem = {num_elem}, alignment = {alignment}(?global: global) : {T result}";

        /// A token without predecessors.
        MakeToken "make_token" = 0x44 since V13_1, Pure [free] {} -> 1 [result: Token],
        checks [],
        ": {T result}";

        /// A token that orders after all of these.
        JoinTokens "join_tokens" = 0x3C since V13_1, Pure [free] {
            tokens: Vec<Value> [of(Token)],
        } -> 1 [result: Token],
        checks [verify::memory::join_tokens],
        "{tokens} : {T result}";

        /// Orders accesses to the same memory through different addresses.
        MemoryFenceAliasTko "memory_fence_alias_tko" = 0x7A since V13_4, Updates(Global, Barrier) {
            token: Value [of(Token)],
        } -> 1 [result_token: Token],
        checks [],
        "{token}";

        /// Allows the dependent kernel to start.
        GdcLaunchDependentsTko "gdc_launch_dependents_tko" = 0x77 since V13_4, Updates(Global, Barrier) {
            token: Option<Value> [of(Token)],
        } -> 1 [result_token: Token],
        checks [],
        "(?token:token = {token} )-> {T result_token}";

        /// Waits for the kernels that this one depends on.
        GdcWaitTko "gdc_wait_tko" = 0x78 since V13_4, Updates(Global, Barrier) {
            token: Option<Value> [of(Token)],
        } -> 1 [result_token: Token],
        checks [],
        "(?token:token = {token} )-> {T result_token}";
    }
}
