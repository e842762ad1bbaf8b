//! Coordinates of threads and blocks, barriers.

use tilewright_diagnostics::Code;

use crate::core::{Body, Language, OpData, Value, ValueType};
use crate::element::ElementType;

crate::dialect! {
    /// What every thread can ask of the GPU: its coordinates and barriers.
    pub enum GpuOp: "gpu" {
        /// The thread's number in its block, an i32.
        ThreadIdx "thread_idx" {} -> 1, Pure, Free;
        /// The block's coordinate in the grid along an axis, an i32.
        BlockIdx "block_idx" { axis: u32 } -> 1, Pure, Free;
        /// The grid's extent along an axis, an i32.
        GridDim "grid_dim" { axis: u32 } -> 1, Pure, Free;
        /// `threads` threads of the block meet at barrier `id`; what they did to memory before is seen after.
        Barrier "barrier" { id: u32, threads: u32 } -> 0, Updates(Global, Shared, Barrier), Free [convergent];
    }
}

/// The rules of these ops.
///
/// # Errors
/// What is wrong with the op.
pub fn check<L: Language>(body: &Body<L>, op: &OpData<L>, own: &GpuOp) -> Result<(), (Code, String)> {
    let is_i32 = |value: Value| {
        let ty = body.ty(value);
        ty.is_single() && ty.element() == Some(ElementType::I32)
    };
    let refuse = |code: Code, message: &str| Err((code, message.to_owned()));
    match own {
        GpuOp::ThreadIdx {} if !is_i32(op.result(0)) => {
            refuse(Code::TypeMismatch, "a thread index is an i32")
        }
        GpuOp::BlockIdx { axis } | GpuOp::GridDim { axis } if *axis >= 3 => {
            refuse(Code::AttributeValue, "a grid has axes 0 to 2")
        }
        GpuOp::BlockIdx { .. } | GpuOp::GridDim { .. } if !is_i32(op.result(0)) => {
            refuse(Code::TypeMismatch, "a grid coordinate is an i32")
        }
        GpuOp::Barrier { id, .. } if *id >= 16 => refuse(
            Code::AttributeValue,
            "there are barriers 0 to 15 (PTX ISA, `barrier`)",
        ),
        GpuOp::Barrier { threads, .. } if threads % 32 != 0 || *threads == 0 => {
            refuse(Code::AttributeValue, "whole warps meet at a barrier")
        }
        GpuOp::ThreadIdx {} | GpuOp::BlockIdx { .. } | GpuOp::GridDim { .. } | GpuOp::Barrier { .. } => {
            Ok(())
        }
    }
}
