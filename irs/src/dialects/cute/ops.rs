//! The primitive ops.

use crate::core::Value;
use crate::dialects::memory::{LoadPolicy, PrefetchSize};

crate::dialect! {
    /// Values of CuTe's algebra from their leaves and back, iterators, and accesses at an iterator.
    pub enum CuteOp: "cute" {
        /// A value that is fully determined by its type.
        Static "static" {} -> 1, Pure, Free [free];
        /// A tuple, a layout or a tensor of coordinates of these dynamic leaves, in the order of its type's text.
        Flat "flat" { leaves: Vec<Value> } -> 1, Pure, Free [free];
        /// The dynamic leaves of a value as integers, in the order of its type's text.
        GetScalars "get_scalars" { source: Value } -> *, Pure, Free [free];
        /// A tensor in memory: where it begins, and its layout.
        MakeView "make_view" { iter: Value, layout: Value } -> 1, Pure, Free [free];
        /// Where a tensor in memory begins.
        GetIter "get_iter" { view: Value } -> 1, Pure, Free [free];
        /// The layout of a tensor in memory.
        GetLayout "get_layout" { view: Value } -> 1, Pure, Free [free];
        /// A pointer moved by a tuple of one integer, in elements; negative moves it back.
        AddOffset "add_offset" { pointer: Value, offset: Value } -> 1, Pure, Free;
        /// The same address as a pointer to other elements, or of another alignment or swizzle.
        RecastIter "recast_iter" { pointer: Value } -> 1, Pure, Free [free];
        /// An address, an i32 in shared memory and an i64 elsewhere, as a pointer.
        IntToPtr "inttoptr" { source: Value } -> 1, Pure, Free [free];
        /// A pointer as its address, an i32 in shared memory and an i64 elsewhere.
        PtrToInt "ptrtoint" { pointer: Value } -> 1, Pure, Free [free];
        /// The address that an access at a pointer means: bits exchanged as the swizzle of its type says.
        ApplySwizzle "apply_swizzle" { pointer: Value } -> 1, Pure, Free;
        /// The address of a pointer to global or shared memory, for the ops on addresses. It has no swizzle.
        Address "address" { pointer: Value } -> 1, Pure, Free [free];
        /// An array of the thread as a tensor.
        Alloca "memref.alloca" {} -> 1, Pure, Free [allocates];
        /// Loads an element, or several adjacent ones as a fragment, at a pointer without a swizzle, whose alignment its type
        /// says. Where the predicate is false, nothing is read and the result is unspecified.
        PtrLoad "ptr.load" { pointer: Value, pred: Option<Value>, cache: Option<LoadPolicy>, prefetch: Option<PrefetchSize> } -> 1, Reads(Global, Shared, Local), Free;
        /// Stores an element, or several adjacent ones, unless the predicate is false.
        PtrStore "ptr.store" { value: Value, pointer: Value, pred: Option<Value> } -> 0, Writes(Global, Shared, Local), Free;
    }
}
