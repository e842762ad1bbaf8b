//! The primitive ops of the layout algebra.

use crate::core::Value;
use crate::dialects::memory::{LoadPolicy, PrefetchSize, StorePolicy};

crate::dialect! {
    /// CuTe's layout algebra without sugar.
    pub enum CuteOp: "cute" {
        /// A value that is fully determined by its type.
        Static "static" {} -> 1, Pure, Free [free];
        /// A tuple; the operands are its dynamic leaves, in order.
        MakeIntTuple "make_int_tuple" { leaves: Vec<Value> } -> 1, Pure, Free [free];
        /// A coordinate; the operands are its dynamic leaves, in order.
        MakeCoord "make_coord" { leaves: Vec<Value> } -> 1, Pure, Free [free];
        /// A shape; the operands are its dynamic leaves, in order.
        MakeShape "make_shape" { leaves: Vec<Value> } -> 1, Pure, Free [free];
        /// A stride; the operands are its dynamic leaves, in order.
        MakeStride "make_stride" { leaves: Vec<Value> } -> 1, Pure, Free [free];
        /// A layout of a shape and a stride; without a stride, column-major (the first mode has stride 1).
        MakeLayout "make_layout" { shape: Value, stride: Option<Value> } -> 1, Pure, Free [free];
        /// A tensor at a pointer.
        MakeView "make_view" { pointer: Value, layout: Value } -> 1, Pure, Free [free];
        /// The pointer of a tensor.
        GetIter "get_iter" { view: Value } -> 1, Pure, Free [free];
        /// The layout of a tensor.
        GetLayout "get_layout" { view: Value } -> 1, Pure, Free [free];
        /// The shape of a layout or of a tensor.
        GetShape "get_shape" { layout: Value } -> 1, Pure, Free [free];
        /// The stride of a layout or of a tensor.
        GetStride "get_stride" { layout: Value } -> 1, Pure, Free [free];
        /// The dynamic leaves of a value as integers, one result each.
        GetScalars "get_scalars" { source: Value } -> *, Pure, Free [free];
        /// The number of elements of a layout, a shape or a tensor.
        Size "size" { layout: Value } -> 1, Pure, Free;
        /// One more than the largest index of a layout.
        Cosize "cosize" { layout: Value } -> 1, Pure, Free;
        /// The index of a coordinate: the inner product of coordinate and stride, after a flat coordinate is
        /// decomposed by the shape.
        Crd2Idx "crd2idx" { coord: Value, layout: Value } -> 1, Pure, Free;
        /// Sum of tuples, leaf by leaf.
        TupleAdd "tuple_add" { lhs: Value, rhs: Value } -> 1, Pure, Free;
        /// Product of tuples, leaf by leaf.
        TupleMul "tuple_mul" { lhs: Value, rhs: Value } -> 1, Pure, Free;
        /// Moves a pointer by a number of elements.
        AddOffset "add_offset" { pointer: Value, offset: Value } -> 1, Pure, Free;
        /// The same address as a pointer to elements of another type, or with other static properties.
        RecastIter "recast_iter" { pointer: Value } -> 1, Pure, Free [free];
        /// Registers of the thread as a tensor.
        MemrefAlloca "memref.alloca" { layout: Value } -> 1, Pure, Free [allocates];
        /// The element of a tensor at a coordinate.
        MemrefLoad "memref.load" { view: Value, coord: Value, cache: Option<LoadPolicy>, prefetch: Option<PrefetchSize> } -> 1, Reads(Global, Shared, Local), Free;
        /// Stores an element of a tensor.
        MemrefStore "memref.store" { view: Value, coord: Value, value: Value, cache: Option<StorePolicy> } -> 0, Writes(Global, Shared, Local), Free;
        /// An atom, determined by its type.
        MakeAtom "make_atom" {} -> 1, Pure, Free [free];
        /// Copies a tensor with a copy atom; the first mode is that of the atom's values.
        Copy "copy" { atom: Value, source: Value, destination: Value } -> 0, Updates(Global, Shared, Local, Barrier), Free [convergent];
        /// `d = a * b + c` on tensors, with the atom of a matrix product.
        Gemm "gemm" { atom: Value, d: Value, a: Value, b: Value, c: Value } -> 0, Updates(Local), Free [convergent, expensive];
    }
}
