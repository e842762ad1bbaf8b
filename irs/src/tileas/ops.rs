//! Ops of `tileas`.

use super::atoms::{CopyAtom, ProductAtom, ReduceAtom};
use super::depth::Depth;
use crate::core::{Flag, Region, Value};
use crate::dialects::arith::{ArithOp, Signedness};
use crate::dialects::fast_math::language_has_fast_math;
use crate::dialects::math::MathOp;
use crate::dialects::memory::{AtomicOp, AtomicOrdering, FenceKind, Ordering, TileAccess};
use crate::dialects::route::ThreadRoute;
use crate::dialects::scf::ScfOp;
use crate::dialects::tile::TileOp;
use crate::literal::Literal;

crate::dialect! {
    /// Memory, buffers, products and reductions with their atoms; tokens and the grid.
    ///
    /// Accesses to global memory are ordered by tokens, accesses to buffers by program order.
    pub enum TileAsDialect: "tileas" {
        /// An array with its base address, and the extents and strides that are dynamic in its type, in order.
        Memref "memref" { base: Value, extents: Vec<Value>, strides: Vec<Value> } -> 1, Pure, Free [free];
        /// Loads a tile, like `tileaa.load`, with an atom. If it allows concurrent stores, the first of several threads
        /// that hold an element loads it (see `tileas.agree`). With an asynchronous atom the result is a buffer, which
        /// `lower_routes` allocates and waits for. The `route` is how the tile gets to products; `slice_products` obeys it.
        Load "load" {
            at: TileAccess, ordering: Ordering, latency in Staging: Option<u32>, allow_tma in Staging: Option<bool>,
            atom: CopyAtom, route: Option<ThreadRoute>
        } -> 2, Reads(Global), Free;
        /// Stores a tile, like `tileaa.store`, with an atom. With an asynchronous atom it is copied through a buffer, which
        /// `lower_routes` allocates.
        Store "store" {
            at: TileAccess, value: Value, ordering: Ordering, latency in Staging: Option<u32>, allow_tma in Staging: Option<bool>,
            atom: CopyAtom
        } -> 1, Writes(Global), Free;
        /// Loads from one pointer per element, like `tileaa.gather_load`, with an atom; concurrently like
        /// `tileas.load`.
        GatherLoad "gather_load" {
            pointers: Value, mask: Option<Value>, other: Option<Value>, ordering: Ordering, latency in Staging: Option<u32>, atom: CopyAtom,
            route: Option<ThreadRoute>
        } -> 2, Reads(Global), Free;
        /// Stores to one pointer per element, like `tileaa.scatter_store`, with an atom.
        ScatterStore "scatter_store" {
            pointers: Value, value: Value, mask: Option<Value>, ordering: Ordering, latency in Staging: Option<u32>, atom: CopyAtom
        } -> 1, Writes(Global), Free;

        /// Allocates a buffer, aligned to `align` bytes. `offset` is its byte address in the block's shared memory,
        /// set by `allocate_shared`, or its first column in tensor memory; `depth`, set by `schedule_loops`, the number of stages of the ring that takes its place: `6`, or
        /// `shared<3, ring = 0>`, whose stages the copies to several buffers of the same size take in turn.
        Alloc "alloc" { align: u32, offset in Layout: Option<u32>, depth in Staging: Option<Depth> } -> 1, Pure, Free [free, allocates];
        /// A view of a buffer: the stage of this index, an i32, or all stages; of each stage the box that begins at
        /// `offsets`, or all of it.
        Subview "subview" { buffer: Value, stage: Option<Value>, offsets: Vec<u32> } -> 1, Pure, Free;
        /// A view of the buffer with its axes permuted: axis `i` of the result is axis `permutation[i]`.
        Transpose "transpose" { buffer: Value, permutation: Vec<u32> } -> 1, Pure, Free [free];
        /// A view of the same bytes with another element type, shape and layout.
        Reinterpret "reinterpret" { buffer: Value } -> 1, Pure, Free [free];
        /// Copies within the block: a tile to the buffer `to`, a buffer to a tile (the result), a buffer to another.
        /// With an asynchronous atom the result is pending.
        Copy "copy" { source: Value, to: Option<Value>, atom: CopyAtom } -> *, Updates(Shared, Tensor), Free [convergent];
        /// The tensor map of an array, by which `tma` copies boxes of it from or to buffers, made in 128 bytes of shared
        /// memory. Copies of the same agent use it.
        TensorMap "tensor_map" { memref: Value, scratch: Value, dim_map in Layout: Vec<u32>, atom: CopyAtom } -> 1, Updates(Global, Shared, Barrier), Free [convergent];
        /// Copies the tile of an array that `tileas.load` would load to the buffer `to`, asynchronously; `tma` by the
        /// array's tensor map. Where the scalar `mask` is 0, the whole tile counts as out of bounds. Yields the pending
        /// buffer and a token.
        CopyIn "copy_in" {
            at: TileAccess, to: Value, map: Option<Value>, mask: Option<Value>, after: Option<Value>,
            latency in Staging: Option<u32>, atom: CopyAtom
        } -> 2, Reads(Global) + Updates(Shared, Barrier), Free [convergent];
        /// Copies what `tileas.gather_load` would load through a tile of pointers to the buffer `to`, asynchronously;
        /// zeros where the mask is 0. Each thread copies the elements whose pointers it holds. Yields the pending buffer
        /// and a token.
        GatherIn "gather_in" {
            pointers: Value, to: Value, mask: Option<Value>, after: Option<Value>, latency in Staging: Option<u32>, atom: CopyAtom
        } -> 2, Reads(Global) + Updates(Shared, Barrier), Free [convergent];
        /// Copies a buffer to the tile of an array that `tileas.store` would store it to, asynchronously, by the array's
        /// tensor map. Yields a pending value, whose wait permits writing the buffer again, and a token. With `after`, the
        /// agent's copies of this kind before it are complete in memory when it begins.
        CopyOut "copy_out" {
            at: TileAccess, source: Value, map: Option<Value>, after: Option<Value>, atom: CopyAtom
        } -> 2, Reads(Shared) + Updates(Global, Barrier), Free [convergent];
        /// Waits for an asynchronous copy, until at most `in_flight` later ones are pending. Yields the tile or the
        /// buffer that may then be read, if the copy produces one.
        CopyWait "copy_wait" { copy: Value, in_flight in Staging: u32 } -> *, Updates(Global, Shared, Tensor, Barrier), Free [convergent];
        /// A barrier of all threads of the agent; memory accesses before it are visible to all threads after it.
        Barrier "barrier" {} -> 0, Updates(Global, Shared, Tensor, Barrier), Free [convergent];
        /// A barrier where, by its extents and strides, two elements of the array may have the same address. It separates
        /// accesses to tiles that are the same or apart, where each thread accesses the same elements of every tile.
        OverlapBarrier "overlap_barrier" { memref: Value } -> 0, Updates(Global, Shared, Tensor, Barrier), Free [convergent];

        /// Converts a tile to another layout. In `scheduled`, no element moves to another thread.
        ConvertLayout "convert_layout" { source: Value } -> 1, Pure, Free;
        /// Converts a tile to another layout by shuffles: no element moves to another warp.
        Exchange "exchange" { source: Value } -> 1, Pure, Free [convergent];
        /// The box of a tile that begins at `offsets`, multiples of the result's extents. No element moves to another
        /// thread.
        ExtractSlice "extract_slice" { source: Value, offsets: Vec<u32> } -> 1, Pure, Free [free];
        /// Concatenates tiles along an axis. The threads that hold an element of the result hold it in its part.
        Concat "concat" { parts: Vec<Value>, axis: u32 } -> 1, Pure, Free;

        /// The matrix product of `a`, `m x k`, and `b`, `k x n`, added to `acc`; leading axes are batch axes. The
        /// result has `acc`'s type, or is pending with an asynchronous atom, which also adds to a pending product.
        Dot "dot" {
            a: Value, b: Value, acc: Value, signedness_a: Signedness, signedness_b: Signedness, atom: ProductAtom
        } -> 1, Reads(Shared) + Updates(Tensor), Free [convergent, expensive];
        /// Waits for an asynchronous product, until at most `in_flight` later ones are pending. Yields the product, unless
        /// a later one accumulates onto it.
        DotWait "dot_wait" { product: Value, in_flight in Staging: u32 } -> *, Updates(Shared, Tensor, Barrier), Free [convergent];
        /// Reduces along an axis, which the results lack. The body takes the accumulated value of each operand, then
        /// the next element of each, and yields the combinations; it is associative, and the order of combination is
        /// unspecified.
        Reduce "reduce" {
            operands: Vec<Value>, axis: u32, identities: Vec<Literal>, atom: ReduceAtom, body: Region
        } -> *, Regions, Free [convergent, expensive];
        /// Inclusive scan along an axis, with a body like that of `tileas.reduce`; from the last element on if
        /// `reverse`.
        Scan "scan" {
            operands: Vec<Value>, axis: u32, reverse: Flag, identities: Vec<Literal>, atom: ReduceAtom, body: Region
        } -> *, Regions, Free [convergent, expensive];
        /// Ends the body of a reduction or a scan.
        Yield "yield" { values: Vec<Value> } -> 0, Terminator, Free;

        /// The elements of a tile, or a scalar, as the first of the threads that hold each of them has it: the one in
        /// which all bits of the thread index that only select replicas are 0. The others may hold anything.
        Agree "agree" { source: Value } -> 1, Pure, Same [convergent];

        /// Atomically replaces the target of each pointer by `op` of it and the value, where the mask is not 0, once
        /// for each element of the tile. Yields the old values and a token. Of several threads that hold an element,
        /// the first accesses it and knows the old value (see `tileas.agree`).
        AtomicRmw "atomic_rmw" {
            pointers: Value, value: Value, mask: Option<Value>, op: AtomicOp, ordering: AtomicOrdering
        } -> 2, Updates(Global, Barrier), Free;
        /// Atomic compare-and-swap: replaces the target of each pointer by the value if its bits are those of
        /// `compare`. Yields the old values, `compare` where the mask is 0, and a token; in the first of several
        /// threads that hold an element, as with `tileas.atomic_rmw`.
        AtomicCas "atomic_cas" {
            pointers: Value, compare: Value, value: Value, mask: Option<Value>, ordering: AtomicOrdering
        } -> 2, Updates(Global, Barrier), Free;
        /// Atomically replaces the target of each pointer like `tileas.atomic_rmw`, if nobody asks for the old values, with an
        /// atom. Each element of a vector is replaced by itself.
        AtomicScatter "atomic_scatter" {
            pointers: Value, value: Value, mask: Option<Value>, op: AtomicOp, ordering: AtomicOrdering, atom: CopyAtom
        } -> 1, Updates(Global, Barrier), Free;
        /// Atomically replaces the elements of an array that `tileas.store` would store to by `op` of them and the
        /// value, with an atom like `tileas.atomic_scatter`.
        AtomicTile "atomic_tile" {
            at: TileAccess, value: Value, op: AtomicOp, ordering: AtomicOrdering, atom: CopyAtom
        } -> 1, Updates(Global, Barrier), Free;
        /// Loads a tile like `tileas.load`, through a multicast address: each element is `op` of all its replicas.
        MultimemLoad "multimem_load" {
            at: TileAccess, op: AtomicOp, ordering: Ordering, atom: CopyAtom
        } -> 2, Reads(Global), Free;
        /// Stores a tile like `tileas.store`, through a multicast address: to all replicas.
        MultimemStore "multimem_store" {
            at: TileAccess, value: Value, ordering: Ordering, atom: CopyAtom
        } -> 1, Writes(Global), Free;
        /// Atomically replaces, in all replicas behind a multicast address, the elements that `tileas.store` would store to
        /// by `op` of them and the value.
        MultimemReduce "multimem_reduce" {
            at: TileAccess, value: Value, op: AtomicOp, ordering: Ordering, atom: CopyAtom
        } -> 1, Updates(Global, Barrier), Free;
        /// Prints the text, in which each `%` form is replaced by a value, once per block: a scalar, or all elements of
        /// a tile or of a buffer as nested lists. After `stage_prints` there are at most 32 elements, of scalars and
        /// buffers.
        Print "print" { format: String, values: Vec<Value> } -> 0, Reads(Shared) + Writes(Output), Free [convergent];
        /// Prints the elements of a buffer in row-major order, each in the `%` form, with the commas and brackets around
        /// them: they are those from `first` on of a tile of this shape, in row-major order.
        PrintElements "print_elements" { buffer: Value, form: String, shape: Vec<u32>, first: u32 } -> 0, Reads(Shared) + Writes(Output), Free [convergent];
        /// Prints the message and traps if an element of the condition is 0.
        Assert "assert" { condition: Value, message: String } -> 0, Writes(Output, Control), Free [convergent];
        /// For each warp, the index in row-major order of the first 0 among the elements that it holds, or -1 if there is
        /// none. The result has one i32 for each warp, held by all of its lanes.
        FirstZero "first_zero" { source: Value } -> 1, Pure, Free [convergent];
        /// Prints the message and traps unless all elements of the buffer `places` are -1. The others are indices in
        /// row-major order into a tile of this shape; the message names the element of the smallest.
        TrapAt "trap_at" { places: Value, shape: Vec<u32>, message: String } -> 0, Reads(Shared) + Writes(Output, Control), Free [convergent];

        /// Synchronises with what is outside of the block; every thread executes it. Yields a token.
        Fence "fence" { kind: FenceKind, after: Option<Value> } -> 1, Updates(Global, Barrier), Free;
        /// A token without predecessors.
        CreateMemToken "create_mem_token" {} -> 1, Pure, Free [free];
        /// A token that orders after all of these.
        JoinMemTokens "join_mem_tokens" { tokens: Vec<Value> } -> 1, Pure, Free [free];
        /// The tile block's coordinate in the grid along axis 0, 1 or 2. The blocks of a cluster have one tile block.
        ProgramId "program_id" { axis: u32 } -> 1, Pure, Free;
        /// The number of tile blocks of the grid along axis 0, 1 or 2.
        NumPrograms "num_programs" { axis: u32 } -> 1, Pure, Free;
        /// The rank of the block among the blocks of its cluster, which have parts of one tile block: an i32 below `num_ctas`.
        BlockRank "block_rank" {} -> 1, Pure, Free;
    }
}

crate::language_ops! {
    /// The ops of `tileas`.
    pub enum TileAsOp {
        /// Arithmetic.
        Arith(ArithOp),
        /// Elementary functions.
        Math(MathOp),
        /// Structured control flow.
        Scf(ScfOp),
        /// Shapes.
        Tile(TileOp),
        /// Memory, buffers, products, reductions, layouts, tokens and the grid.
        TileAs(TileAsDialect),
    }
}

language_has_fast_math!(TileAsOp: Arith | Math);

crate::fold_accessor!(TileAsDialect, [Reduce, Scan], "tileas.yield");
