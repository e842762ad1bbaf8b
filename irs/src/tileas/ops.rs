//! Ops of `tileas`.

use super::atoms::{CopyAtom, Exchange};
use crate::core::Value;
use crate::dialects::arith::ArithOp;
use crate::dialects::memory::{MemoryOrder, MemoryScope, Padding};
use crate::dialects::scf::ScfOp;
use crate::dialects::tile::TileOp;

crate::dialect! {
    /// Memory with atoms, layout conversions, tokens and the grid.
    pub enum TileAsDialect: "tileas" {
        /// An array from its base address, and those extents and strides that its type leaves open, in order.
        Memref "memref" { base: Value, extents: Vec<Value>, strides: Vec<Value> } -> 1, Pure, Free [free];
        /// As `tileaa.load`, moved by the atom.
        Load "load" {
            memref: Value, index: Vec<Value>, after: Option<Value>,
            dim_map: Vec<u32>, steps: Vec<u32>, padding: Option<Padding>, inbounds: Vec<bool>,
            order: MemoryOrder, scope: Option<MemoryScope>, atom: CopyAtom
        } -> 2, Reads(Global), Free;
        /// As `tileaa.store`, moved by the atom.
        Store "store" {
            memref: Value, index: Vec<Value>, value: Value, after: Option<Value>,
            dim_map: Vec<u32>, steps: Vec<u32>, inbounds: Vec<bool>,
            order: MemoryOrder, scope: Option<MemoryScope>, atom: CopyAtom
        } -> 1, Writes(Global), Free;
        /// As `tileaa.gather_load`, moved by the atom.
        GatherLoad "gather_load" {
            pointers: Value, mask: Option<Value>, other: Option<Value>, after: Option<Value>,
            order: MemoryOrder, scope: Option<MemoryScope>, atom: CopyAtom
        } -> 2, Reads(Global), Free;
        /// As `tileaa.scatter_store`, moved by the atom.
        ScatterStore "scatter_store" {
            pointers: Value, value: Value, mask: Option<Value>, after: Option<Value>,
            order: MemoryOrder, scope: Option<MemoryScope>, atom: CopyAtom
        } -> 1, Writes(Global), Free;
        /// The same tile in another layout. Through shared memory it uses the bytes from `offset` on.
        ConvertLayout "convert_layout" { source: Value, through: Exchange, offset: Option<u32> } -> 1, Pure, Free [expensive];
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
        /// Memory, layouts, tokens and the grid.
        TileAs(TileAsDialect),
    }
}
