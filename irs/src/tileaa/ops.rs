//! Ops of `tileaa`.

use crate::core::{Flag, Region, Value};
use crate::dialects::access::Widest;
use crate::dialects::arith::{ArithOp, Signedness};
use crate::dialects::fast_math::language_has_fast_math;
use crate::dialects::math::MathOp;
use crate::dialects::memory::{AtomicOp, AtomicOrdering, FenceKind, Ordering, TileAccess};
use crate::dialects::route::{CopyRoute, ProductRoute, StoreRoute, ThreadRoute};
use crate::dialects::scf::ScfOp;
use crate::dialects::tile::TileOp;
use crate::literal::Literal;

crate::dialect! {
    /// Memory, products, reductions, tokens and the grid. Memory ops are ordered by tokens only, not by program order.
    /// Their `access`, set by `select_atoms`, is the number of elements that they can move at once; the `route` of a load,
    /// a store or a product, set by `choose_routes` and `choose_copies`, is how it uses the machine.
    pub enum TileAaDialect: "tileaa" {
        /// An array with its base address, and the extents and strides that are dynamic in its type, in order.
        Memref "memref" { base: Value, extents: Vec<Value>, strides: Vec<Value> } -> 1, Pure, Free [free];
        /// Loads the tile whose first element, along the array's axis `dim_map[i]`, is at `index[i] * steps[i]`.
        /// Elements outside of the array are `padding`, or unspecified without one; along tile axes with `inbounds`
        /// there are none.
        Load "load" {
            at: TileAccess, ordering: Ordering, latency in Staging: Option<u32>, allow_tma in Staging: Option<bool>, access: Option<Widest>,
            route: Option<CopyRoute>
        } -> 2, Reads(Global), Free;
        /// Stores a tile where `tileaa.load` would load it from; elements outside of the array are dropped.
        Store "store" {
            at: TileAccess, value: Value, ordering: Ordering, latency in Staging: Option<u32>, allow_tma in Staging: Option<bool>, access: Option<Widest>,
            route: Option<StoreRoute>
        } -> 1, Writes(Global), Free;
        /// Loads one element from each pointer; where the mask is 0, the result is `other`, or unspecified without
        /// one.
        GatherLoad "gather_load" {
            pointers: Value, mask: Option<Value>, other: Option<Value>, ordering: Ordering, latency in Staging: Option<u32>, access: Option<Widest>,
            route: Option<ThreadRoute>
        } -> 2, Reads(Global), Free;
        /// Stores one element to each pointer, where the mask is not 0.
        ScatterStore "scatter_store" {
            pointers: Value, value: Value, mask: Option<Value>, ordering: Ordering, latency in Staging: Option<u32>, access: Option<Widest>
        } -> 1, Writes(Global), Free;
        /// Reduces along an axis, which the results lack. The body takes the accumulated value of each operand, then
        /// the next element of each, and yields the combinations; it is associative, and the order of combination is
        /// unspecified.
        Reduce "reduce" { operands: Vec<Value>, axis: u32, identities: Vec<Literal>, body: Region } -> *, Regions, Free [expensive];
        /// Inclusive scan along an axis, with a body like that of `tileaa.reduce`; from the last element on if
        /// `reverse`.
        Scan "scan" {
            operands: Vec<Value>, axis: u32, reverse: Flag, identities: Vec<Literal>, body: Region
        } -> *, Regions, Free [expensive];
        /// Ends the body of a reduction or a scan.
        Yield "yield" { values: Vec<Value> } -> 0, Terminator, Free;
        /// Atomically replaces the target of each pointer by `op` of it and the value, where the mask is not 0. Yields
        /// the old values, unspecified where the mask is 0, and a token.
        AtomicRmw "atomic_rmw" {
            pointers: Value, value: Value, mask: Option<Value>, op: AtomicOp, ordering: AtomicOrdering, access: Option<Widest>
        } -> 2, Updates(Global, Barrier), Free;
        /// Atomic compare-and-swap: replaces the target of each pointer by the value if its bits are those of
        /// `compare`. Yields the old values, `compare` where the mask is 0, and a token.
        AtomicCas "atomic_cas" {
            pointers: Value, compare: Value, value: Value, mask: Option<Value>, ordering: AtomicOrdering, access: Option<Widest>
        } -> 2, Updates(Global, Barrier), Free;
        /// Atomically replaces the target of each pointer by `op` of it and the value, where the mask is not 0, like
        /// `tileaa.atomic_rmw`, if nobody asks for the old values.
        AtomicScatter "atomic_scatter" {
            pointers: Value, value: Value, mask: Option<Value>, op: AtomicOp, ordering: AtomicOrdering, access: Option<Widest>
        } -> 1, Updates(Global, Barrier), Free;
        /// Atomically replaces the elements of an array that `tileaa.store` would store to by `op` of them and the
        /// value.
        AtomicTile "atomic_tile" {
            at: TileAccess, value: Value, op: AtomicOp, ordering: AtomicOrdering, access: Option<Widest>
        } -> 1, Updates(Global, Barrier), Free;
        /// Loads a tile like `tileaa.load`, through a multicast address: each element is `op` of all its replicas.
        MultimemLoad "multimem_load" {
            at: TileAccess, op: AtomicOp, ordering: Ordering, access: Option<Widest>
        } -> 2, Reads(Global), Free;
        /// Stores a tile like `tileaa.store`, through a multicast address: to all replicas.
        MultimemStore "multimem_store" {
            at: TileAccess, value: Value, ordering: Ordering, access: Option<Widest>
        } -> 1, Writes(Global), Free;
        /// Atomically replaces, in all replicas behind a multicast address, the elements that `tileaa.store` would store to
        /// by `op` of them and the value.
        MultimemReduce "multimem_reduce" {
            at: TileAccess, value: Value, op: AtomicOp, ordering: Ordering, access: Option<Widest>
        } -> 1, Updates(Global, Barrier), Free;
        /// Synchronises with what is outside of the block; every thread executes it. Yields a token.
        Fence "fence" { kind: FenceKind, after: Option<Value> } -> 1, Updates(Global, Barrier), Free;
        /// Tiles of one type, side by side along an axis.
        Cat "cat" { parts: Vec<Value>, axis: u32 } -> 1, Pure, Free [expensive];
        /// A part of a tile. Along each axis the index counts parts of the result's extent, as an unsigned number;
        /// undefined if there is no such part.
        Extract "extract" { source: Value, index: Vec<Value> } -> 1, Pure, Free [expensive, partial];
        /// `destination` with one part replaced by `source`. Along each axis the index counts parts of the source's
        /// extent, as an unsigned number; undefined if there is no such part.
        Insert "insert" { source: Value, destination: Value, index: Vec<Value> } -> 1, Pure, Free [expensive, partial];
        /// The matrix product of `a`, `m x k`, and `b`, `k x n`, added to `acc`; leading axes are batch axes. The order
        /// of summation is unspecified. The signedness matters to integers. A `fast` product of 8-bit floats may be
        /// summed with fewer bits than `f32` has.
        Dot "dot" {
            a: Value, b: Value, acc: Value, signedness_a: Signedness, signedness_b: Signedness, fast in FastMath: Flag,
            route: Option<ProductRoute>
        } -> 1, Pure, Free [expensive];
        /// Waits until all threads of the block are here: the accesses before it, with or without tokens, come before
        /// those after it. A program has none: for what the compiler adds where the tokens of a program may be lost.
        Barrier "barrier" {} -> 0, Updates(Global, Barrier), Free [convergent];
        /// A token without predecessors.
        CreateMemToken "create_mem_token" {} -> 1, Pure, Free [free];
        /// A token that orders after all of these.
        JoinMemTokens "join_mem_tokens" { tokens: Vec<Value> } -> 1, Pure, Free [free];
        /// Prints the text, in which each `%` form is replaced by a value, once per block.
        Print "print" { format: String, values: Vec<Value> } -> 0, Writes(Output), Free;
        /// Prints the message and traps if an element of the condition is 0.
        Assert "assert" { condition: Value, message: String } -> 0, Writes(Output, Control), Free;
        /// The tile block's coordinate in the grid along axis 0, 1 or 2. The blocks of a cluster have one tile block.
        ProgramId "program_id" { axis: u32 } -> 1, Pure, Free;
        /// The number of tile blocks of the grid along axis 0, 1 or 2.
        NumPrograms "num_programs" { axis: u32 } -> 1, Pure, Free;
        /// The rank of the block among the blocks of its cluster, which have parts of one tile block: an i32 below `num_ctas`.
        BlockRank "block_rank" {} -> 1, Pure, Free;
    }
}

crate::language_ops! {
    /// The ops of `tileaa`.
    pub enum TileAaOp {
        /// Arithmetic.
        Arith(ArithOp),
        /// Elementary functions.
        Math(MathOp),
        /// Structured control flow.
        Scf(ScfOp),
        /// Shapes.
        Tile(TileOp),
        /// Memory, products, reductions, tokens and the grid.
        TileAa(TileAaDialect),
    }
}

language_has_fast_math!(TileAaOp: Arith | Math);

crate::fold_accessor!(TileAaDialect, [Reduce, Scan], "tileaa.yield");
