//! Ops of `tileas`.

use super::atoms::{CopyAtom, ProductAtom, ReduceAtom};
use crate::core::{Flag, Region, Value};
use crate::dialects::arith::{ArithOp, Signedness};
use crate::dialects::memory::{AtomicOp, AtomicOrder, MemoryOrder, MemoryScope, Padding};
use crate::dialects::scf::ScfOp;
use crate::dialects::tile::TileOp;
use crate::literal::Literal;

crate::dialect! {
    /// Memory, buffers, products and reductions with their atoms; tokens and the grid.
    ///
    /// Accesses to global memory are ordered by tokens, accesses to buffers by their place.
    pub enum TileAsDialect: "tileas" {
        /// An array from its base address, and those extents and strides that its type leaves open, in order.
        Memref "memref" { base: Value, extents: Vec<Value>, strides: Vec<Value> } -> 1, Pure, Free [free];
        /// As `tileaa.load`, moved by the atom.
        Load "load" {
            memref: Value, index: Vec<Value>, after: Option<Value>,
            dim_map: Vec<u32>, steps: Vec<u32>, padding: Option<Padding>, inbounds: Vec<bool>,
            order: MemoryOrder, scope: Option<MemoryScope>, latency: Option<u32>, allow_tma: Option<bool>,
            atom: CopyAtom
        } -> 2, Reads(Global), Free;
        /// As `tileaa.store`, moved by the atom.
        Store "store" {
            memref: Value, index: Vec<Value>, value: Value, after: Option<Value>,
            dim_map: Vec<u32>, steps: Vec<u32>, inbounds: Vec<bool>,
            order: MemoryOrder, scope: Option<MemoryScope>, latency: Option<u32>, allow_tma: Option<bool>,
            atom: CopyAtom
        } -> 1, Writes(Global), Free;
        /// As `tileaa.gather_load`, moved by the atom.
        GatherLoad "gather_load" {
            pointers: Value, mask: Option<Value>, other: Option<Value>, after: Option<Value>,
            order: MemoryOrder, scope: Option<MemoryScope>, latency: Option<u32>, atom: CopyAtom
        } -> 2, Reads(Global), Free;
        /// As `tileaa.scatter_store`, moved by the atom.
        ScatterStore "scatter_store" {
            pointers: Value, value: Value, mask: Option<Value>, after: Option<Value>,
            order: MemoryOrder, scope: Option<MemoryScope>, latency: Option<u32>, atom: CopyAtom
        } -> 1, Writes(Global), Free;

        /// Memory for a buffer, from a multiple of `align` bytes on. In shared memory it begins at byte `offset` of the
        /// block's, once `allocate_shared` has decided that.
        Alloc "alloc" { align: u32, offset: Option<u32> } -> 1, Pure, Free [free, allocates];
        /// A part of a buffer: the stage of this number, an i32, or all stages; and of each stage the box that
        /// begins at `offsets`, or all of it without any.
        Subview "subview" { buffer: Value, stage: Option<Value>, offsets: Vec<u32> } -> 1, Pure, Free;
        /// The same buffer with its axes in another order: axis `i` of the result is axis `permutation[i]`.
        Transpose "transpose" { buffer: Value, permutation: Vec<u32> } -> 1, Pure, Free [free];
        /// The same bytes as elements of another type, shape and layout.
        Reinterpret "reinterpret" { buffer: Value } -> 1, Pure, Free [free];
        /// Copies within the block: a tile to the buffer `to`, a buffer to a tile (the result), a buffer to another.
        /// With an asynchronous atom the result is pending.
        Copy "copy" { source: Value, to: Option<Value>, atom: CopyAtom } -> *, Updates(Shared, Tensor), Free [convergent];
        /// Copies the tile of an array that `tileas.load` would load to the buffer `to`, asynchronously. Gives the
        /// pending buffer and a token.
        CopyIn "copy_in" {
            memref: Value, index: Vec<Value>, to: Value, after: Option<Value>,
            dim_map: Vec<u32>, steps: Vec<u32>, padding: Option<Padding>, inbounds: Vec<bool>, atom: CopyAtom
        } -> 2, Reads(Global) + Updates(Shared, Barrier), Free [convergent];
        /// Copies a buffer to the tile of an array that `tileas.store` would store it to, asynchronously. Gives what is
        /// pending, after which the buffer may be written, and a token.
        CopyOut "copy_out" {
            memref: Value, index: Vec<Value>, source: Value, after: Option<Value>,
            dim_map: Vec<u32>, steps: Vec<u32>, inbounds: Vec<bool>, atom: CopyAtom
        } -> 2, Reads(Shared) + Updates(Global, Barrier), Free [convergent];
        /// Waits for an asynchronous copy, while `in_flight` later ones may go on. Gives the tile or the buffer that may
        /// then be read, if the copy makes one.
        CopyWait "copy_wait" { copy: Value, in_flight: u32 } -> *, Updates(Global, Shared, Tensor, Barrier), Free [convergent];
        /// All threads of the agent wait for each other; what they did to memory before is seen by all after.
        Barrier "barrier" {} -> 0, Updates(Global, Shared, Tensor, Barrier), Free [convergent];

        /// The same tile in another layout. In `scheduled`, every element stays in its thread.
        ConvertLayout "convert_layout" { source: Value } -> 1, Pure, Free;
        /// The box of a tile that begins at `offsets`, a multiple of the result's extents. Every element stays in its
        /// thread.
        ExtractSlice "extract_slice" { source: Value, offsets: Vec<u32> } -> 1, Pure, Free [free];
        /// Tiles one after the other along an axis. The threads that hold an element of the result hold it in its part.
        Concat "concat" { parts: Vec<Value>, axis: u32 } -> 1, Pure, Free;

        /// The product of `a`, `m x k`, and `b`, `k x n`, added to `acc`; further axes come before and are the same in
        /// all. The result is `acc`'s type, or pending with an asynchronous atom.
        Dot "dot" {
            a: Value, b: Value, acc: Value, signedness_a: Signedness, signedness_b: Signedness, atom: ProductAtom
        } -> 1, Reads(Shared) + Updates(Tensor), Free [convergent, expensive];
        /// Waits for an asynchronous product, while `in_flight` later ones may go on. Gives the product.
        DotWait "dot_wait" { product: Value, in_flight: u32 } -> 1, Updates(Shared, Tensor, Barrier), Free [convergent];
        /// Combines the elements along an axis, which the results lack. The body takes what was combined so far of each
        /// operand, then the next element of each, and yields the combinations; the order is open.
        Reduce "reduce" {
            operands: Vec<Value>, axis: u32, identities: Vec<Literal>, atom: ReduceAtom, body: Region
        } -> *, Regions + Updates(Shared), Free [convergent, expensive];
        /// As `tileas.reduce`, and each element of the results is the combination of all up to it.
        Scan "scan" {
            operands: Vec<Value>, axis: u32, reverse: Flag, identities: Vec<Literal>, atom: ReduceAtom, body: Region
        } -> *, Regions + Updates(Shared), Free [convergent, expensive];
        /// Ends the body of a reduction or a scan.
        Yield "yield" { values: Vec<Value> } -> 0, Terminator, Free;

        /// Replaces what each pointer points to by `op` of it and the value, except where the mask is 0. Gives what was
        /// there, and a token.
        AtomicRmw "atomic_rmw" {
            pointers: Value, value: Value, mask: Option<Value>, after: Option<Value>,
            op: AtomicOp, order: AtomicOrder, scope: MemoryScope
        } -> 2, Updates(Global, Barrier), Free;
        /// Replaces what each pointer points to by the value where it equals `compare`. Gives what was there, and a
        /// token.
        AtomicCas "atomic_cas" {
            pointers: Value, compare: Value, value: Value, mask: Option<Value>, after: Option<Value>,
            order: AtomicOrder, scope: MemoryScope
        } -> 2, Updates(Global, Barrier), Free;
        /// Replaces the elements of an array that `tileas.store` would store to by `op` of them and the value.
        AtomicTile "atomic_tile" {
            memref: Value, index: Vec<Value>, value: Value, after: Option<Value>,
            dim_map: Vec<u32>, steps: Vec<u32>, inbounds: Vec<bool>,
            op: AtomicOp, order: AtomicOrder, scope: MemoryScope
        } -> 1, Updates(Global, Barrier), Free;
        /// Prints the text, in which each `%` form stands for a value, once for the block.
        Print "print" { format: String, values: Vec<Value> } -> 0, Writes(Output), Free;
        /// Ends the program with the message where an element of the condition is 0.
        Assert "assert" { condition: Value, message: String } -> 0, Writes(Control), Free;

        /// A token that waits for nothing.
        CreateMemToken "create_mem_token" {} -> 1, Pure, Free [free];
        /// A token that waits for all of these.
        JoinMemTokens "join_mem_tokens" { tokens: Vec<Value> } -> 1, Pure, Free [free];
        /// This block's coordinate in the grid along axis 0, 1 or 2.
        ProgramId "program_id" { axis: u32 } -> 1, Pure, Free;
        /// The grid's extent along axis 0, 1 or 2.
        NumPrograms "num_programs" { axis: u32 } -> 1, Pure, Free;
    }
}

crate::language_ops! {
    /// The ops of `tileas`.
    pub enum TileAsOp {
        /// Arithmetic.
        Arith(ArithOp),
        /// Structured control flow.
        Scf(ScfOp),
        /// Shapes.
        Tile(TileOp),
        /// Memory, buffers, products, reductions, layouts, tokens and the grid.
        TileAs(TileAsDialect),
    }
}
