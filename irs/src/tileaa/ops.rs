//! Ops of `tileaa`.

use crate::core::Value;
use crate::dialects::access::Widest;
use crate::dialects::arith::ArithOp;
use crate::dialects::memory::{MemoryOrder, MemoryScope, Padding};
use crate::dialects::scf::ScfOp;
use crate::dialects::tile::TileOp;

crate::dialect! {
    /// Memory, tokens and the grid. Memory operations are ordered by tokens alone, not by their place. How many elements
    /// they can move at once is their `access`, once `select_atoms` has found that.
    pub enum TileAaDialect: "tileaa" {
        /// An array from its base address, and those extents and strides that its type leaves open, in order.
        Memref "memref" { base: Value, extents: Vec<Value>, strides: Vec<Value> } -> 1, Pure, Free [free];
        /// The tile whose first element, along the array's axis `dim_map[i]`, is at `index[i] * steps[i]`.
        /// Elements outside the array are `padding`, or anything without one; along tile axes with `inbounds`
        /// there are none.
        Load "load" {
            memref: Value, index: Vec<Value>, after: Option<Value>,
            dim_map: Vec<u32>, steps: Vec<u32>, padding: Option<Padding>, inbounds: Vec<bool>,
            order: MemoryOrder, scope: Option<MemoryScope>, latency: Option<u32>, allow_tma: Option<bool>, access: Option<Widest>
        } -> 2, Reads(Global), Free;
        /// Stores a tile where `tileaa.load` would load it from; elements outside the array are dropped.
        Store "store" {
            memref: Value, index: Vec<Value>, value: Value, after: Option<Value>,
            dim_map: Vec<u32>, steps: Vec<u32>, inbounds: Vec<bool>,
            order: MemoryOrder, scope: Option<MemoryScope>, latency: Option<u32>, allow_tma: Option<bool>, access: Option<Widest>
        } -> 1, Writes(Global), Free;
        /// One element from each pointer; where the mask is 0, `other`, or anything without one.
        GatherLoad "gather_load" {
            pointers: Value, mask: Option<Value>, other: Option<Value>, after: Option<Value>,
            order: MemoryOrder, scope: Option<MemoryScope>, latency: Option<u32>, access: Option<Widest>
        } -> 2, Reads(Global), Free;
        /// One element to each pointer, except where the mask is 0.
        ScatterStore "scatter_store" {
            pointers: Value, value: Value, mask: Option<Value>, after: Option<Value>,
            order: MemoryOrder, scope: Option<MemoryScope>, latency: Option<u32>, access: Option<Widest>
        } -> 1, Writes(Global), Free;
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
    /// The ops of `tileaa`.
    pub enum TileAaOp {
        /// Arithmetic.
        Arith(ArithOp),
        /// Structured control flow.
        Scf(ScfOp),
        /// Shapes.
        Tile(TileOp),
        /// Memory, tokens and the grid.
        TileAa(TileAaDialect),
    }
}
