//! Ops of `cute_desugared`.

use crate::core::Value;
use crate::dialects::arith::ArithOp;
use crate::dialects::memory::{MemoryOrder, MemoryScope};
use crate::dialects::scf::ScfOp;

crate::dialect! {
    /// Layout algebra on coordinates, and fragments.
    pub enum CuteDialect: "cute" {
        /// The index that a linear layout gives a coordinate: the exclusive or of `bases[i]` over the bits `i` that
        /// are set in the coordinate (an i32). The bases may have any sign; bits past the last basis do not count.
        Crd2Idx "crd2idx" { coord: Value, bases: Vec<i64> } -> 1, Pure, Free;
        /// A fragment of one value.
        Splat "splat" { source: Value } -> 1, Pure, Free [free];
        /// A fragment whose element `i` is element `from[i]` of the source.
        Rearrange "rearrange" { source: Value, from: Vec<u32> } -> 1, Pure, Free [free];
        /// Element `index` of a fragment.
        Extract "extract" { source: Value, index: u32 } -> 1, Pure, Free [free];
        /// A fragment of these elements.
        MakeFragment "make_fragment" { elements: Vec<Value> } -> 1, Pure, Free [free];
        /// Moves a pointer (or each of a fragment of pointers) by a signed number of elements, an i32 or an i64.
        AddOffset "add_offset" { pointer: Value, offset: Value } -> 1, Pure, Free [elementwise];
    }
}

crate::dialect! {
    /// What the GPU does: coordinates, memory, barriers.
    pub enum CuteNvgpuDialect: "cute_nvgpu" {
        /// The thread's number in its block, an i32.
        ThreadIdx "thread_idx" {} -> 1, Pure, Free;
        /// The block's coordinate in the grid along an axis, an i32.
        BlockIdx "block_idx" { axis: u32 } -> 1, Pure, Free;
        /// The grid's extent along an axis, an i32.
        GridDim "grid_dim" { axis: u32 } -> 1, Pure, Free;
        /// A place in the block's shared memory, in bytes from its beginning.
        SharedPtr "shared_ptr" { offset: u32 } -> 1, Pure, Free [free];
        /// Loads `vector` consecutive elements at a time: group `g` of the result comes from
        /// `pointer + offsets[g]` (in elements), where `pointer` is one pointer, or a fragment of one a group.
        /// The predicate, one i1 or one a group, says which groups are loaded; the others are `other`, or anything
        /// without one.
        Load "load" {
            pointer: Value, pred: Option<Value>, other: Option<Value>,
            offsets: Vec<i64>, vector: u32, order: MemoryOrder, scope: Option<MemoryScope>
        } -> 1, Reads(Global, Shared), Free;
        /// Stores what `cute_nvgpu.load` would load.
        Store "store" {
            pointer: Value, value: Value, pred: Option<Value>,
            offsets: Vec<i64>, vector: u32, order: MemoryOrder, scope: Option<MemoryScope>
        } -> 0, Writes(Global, Shared), Free;
        /// `threads` threads of the block meet at barrier `id`; what they did to memory before is seen after.
        Barrier "barrier" { id: u32, threads: u32 } -> 0, Updates(Global, Shared, Barrier), Free [convergent];
    }
}

crate::language_ops! {
    /// The ops of `cute_desugared`.
    pub enum CuteOp {
        /// Arithmetic on scalars and fragments.
        Arith(ArithOp),
        /// Structured control flow.
        Scf(ScfOp),
        /// Layout algebra and fragments.
        Cute(CuteDialect),
        /// What the GPU does.
        CuteNvgpu(CuteNvgpuDialect),
    }
}
