//! Fragments: the elements of a tile that one thread holds, and the addresses that a linear layout gives them.

use super::cute_nvgpu::{MatrixOrder, MmaSync};
use super::memory::{MemoryOrder, MemoryScope};
use crate::core::Value;

crate::dialect! {
    /// A thread's registers as a vector (a fragment), and the map of a linear layout.
    pub enum FragmentOp: "fragment" {
        /// The index that a linear layout gives a coordinate: the exclusive or of `bases[i]` over the bits `i` that
        /// are set in the coordinate (an i32). The bases may have any sign; bits past the last basis do not count.
        LinearIndex "linear_index" { coord: Value, bases: Vec<i64> } -> 1, Pure, Free;
        /// A fragment of one value.
        Splat "splat" { source: Value } -> 1, Pure, Free [free];
        /// A fragment whose element `i` is element `from[i]` of the source.
        Rearrange "rearrange" { source: Value, from: Vec<u32> } -> 1, Pure, Free [free];
        /// Element `index` of a fragment.
        Extract "extract" { source: Value, index: u32 } -> 1, Pure, Free [free];
        /// A fragment of these elements.
        Make "make" { elements: Vec<Value> } -> 1, Pure, Free [free];
        /// A place in the block's shared memory, in bytes from its beginning.
        SharedPtr "shared_ptr" { offset: u32 } -> 1, Pure, Free [free];
        /// Moves a pointer (or each of a fragment of pointers) by a signed number of elements, an i32 or an i64.
        AddOffset "add_offset" { pointer: Value, offset: Value } -> 1, Pure, Free [elementwise];
        /// Loads `vector` consecutive elements at a time: group `g` of the result comes from
        /// `pointer + offsets[g]` (in elements), where `pointer` is one pointer, or a fragment of one a group.
        /// The predicate, one i1 or one a group, says which groups are loaded; the others are `other`, or anything
        /// without one.
        Load "load" {
            pointer: Value, pred: Option<Value>, other: Option<Value>,
            offsets: Vec<i64>, vector: u32, order: MemoryOrder, scope: Option<MemoryScope>
        } -> 1, Reads(Global, Shared), Free;
        /// Stores what `fragment.load` would load.
        Store "store" {
            pointer: Value, value: Value, pred: Option<Value>,
            offsets: Vec<i64>, vector: u32, order: MemoryOrder, scope: Option<MemoryScope>
        } -> 0, Writes(Global, Shared), Free;
        /// Has `vector` consecutive elements at a time copied from global to shared memory, asynchronously: group `g`
        /// from `source + source_offsets[g]` to `to + offsets[g]`, each pointer one, or a fragment of one a group. Where
        /// the predicate, one i1 or one a group, does not hold, zeros are stored. (PTX ISA, `cp.async`.)
        CopyAsync "copy_async" {
            to: Value, source: Value, pred: Option<Value>, offsets: Vec<i64>, source_offsets: Vec<i64>, vector: u32
        } -> 0, Reads(Global) + Writes(Shared, Barrier), Free;
        /// Loads 8x8 matrices of 16-bit elements that the warp's lanes point to the rows of, two elements of each a
        /// thread: matrices `g * count` and on from `pointer + offsets[g]`. (PTX ISA, `ldmatrix`.)
        LoadMatrix "load_matrix" { pointer: Value, offsets: Vec<i64>, count: u32, order: MatrixOrder } -> 1, Reads(Shared), Free [convergent];
        /// Stores 8x8 matrices of 16-bit elements to rows that the warp's lanes point to, two elements of each from a
        /// thread: matrices `g * count` and on at `pointer + offsets[g]`; all threads of a warp have the same `pred`.
        /// (PTX ISA, `stmatrix`.)
        StoreMatrix "store_matrix" { pointer: Value, value: Value, pred: Option<Value>, offsets: Vec<i64>, count: u32, order: MatrixOrder } -> 0, Writes(Shared), Free [convergent];
        /// The product of a warp's fragments, `a * b + c`, in the order of the instruction's registers.
        Mma "mma" { a: Value, b: Value, c: Value, atom: MmaSync } -> 1, Pure, Free [convergent, expensive];
    }
}
