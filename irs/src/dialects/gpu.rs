//! Coordinates of threads and blocks, shared memory, barriers.

crate::dialect! {
    /// What every thread can ask of the GPU: its coordinates, shared memory, barriers.
    pub enum GpuOp: "gpu" {
        /// The thread's number in its block, an i32.
        ThreadIdx "thread_idx" {} -> 1, Pure, Free;
        /// The block's coordinate in the grid along an axis, an i32.
        BlockIdx "block_idx" { axis: u32 } -> 1, Pure, Free;
        /// The grid's extent along an axis, an i32.
        GridDim "grid_dim" { axis: u32 } -> 1, Pure, Free;
        /// A place in the block's shared memory, in bytes from its beginning.
        SharedPtr "shared_ptr" { offset: u32 } -> 1, Pure, Free [free];
        /// `threads` threads of the block meet at barrier `id`; what they did to memory before is seen after.
        Barrier "barrier" { id: u32, threads: u32 } -> 0, Updates(Global, Shared, Barrier), Free [convergent];
    }
}
