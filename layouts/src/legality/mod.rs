//! Hardware limits of tensor maps, bulk copies, matrix operands, tensor memory and barriers, as
//! predicates.
//!
//! Many layouts cannot be expressed by instructions: a tensor map has at most five dimensions, a
//! matrix descriptor counts in units of 16 bytes, tensor memory is allocated in powers of two. Each
//! description here has a `check` that returns *every* violated rule, and each [`Violation`] has the
//! field, the value, the limit and the source of the rule, for error messages and for searches over
//! shapes.
//!
//! | subject | description | field |
//! |---|---|---|
//! | tensor maps (`cuTensorMapEncode*`) | [`TensorMap`] | [`TensorMapField`] |
//! | `cp.async.bulk` | [`BulkCopy`] | [`BulkCopyField`] |
//! | `cp.async.bulk.tensor` | [`TensorCopy`] | [`BulkCopyField`] |
//! | `wgmma.mma_async` | [`Wgmma`] | [`MatrixField`] |
//! | `tcgen05.mma` | [`Tcgen05Mma`] | [`MatrixField`] |
//! | matrix descriptors of both | [`DescriptorValues`] | [`DescriptorField`] |
//! | tensor memory (`tcgen05.alloc`, `ld`, `st`) | [`Allocation`], [`TensorMemoryAccess`] | [`TensorMemoryField`] |
//! | `mbarrier` | [`Barrier`] | [`BarrierField`] |
//!
//! The rules are those of the CUDA 13 driver API and of the PTX ISA 9. Undocumented limits are not
//! checked: a description that passes may still be refused by a stricter driver.

mod bulk_copy;
mod matrix_descriptor;
mod matrix_operand;
mod mbarrier;
mod target;
mod tcgen05;
mod tensor_copy;
mod tensor_map;
mod tensor_memory;
mod tiled_tensor;
mod violation;
mod wgmma;

pub use bulk_copy::{BulkCopy, BulkCopyField, Direction};
pub use matrix_descriptor::{DescriptorField, DescriptorFormat, DescriptorValues};
pub use matrix_operand::{MatrixField, OperandPlace};
pub use mbarrier::{Barrier, BarrierField, BarrierOperation, BarrierSpace, MAX_BARRIER_COUNT};
pub use target::Target;
pub use tcgen05::{CtaGroup, Tcgen05Kind, Tcgen05Mma};
pub use tensor_copy::{LoadMode, TensorCopy};
pub use tensor_map::{
    BoxMode, DataType, Im2colWideMode, Interleave, L2Promotion, OobFill, TensorMap, TensorMapField,
};
pub use tensor_memory::{
    Allocation, AllocationEvent, TMEM_COLUMNS, TMEM_LANES, TensorMemoryAccess, TensorMemoryAddress,
    TensorMemoryField, check_allocations, lanes_of_warp,
};
pub use tiled_tensor::TiledTensor;
pub use violation::{Document, Limit, Source, Value, Violation, Violations};
pub use wgmma::{Wgmma, WgmmaAccumulator, WgmmaInput};
