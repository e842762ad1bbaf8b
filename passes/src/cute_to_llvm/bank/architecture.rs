//! Ops of the architecture: dynamic shared memory, values that are the same for a whole warp.

use tilewright_irs::core::{OpId, Translated};
use tilewright_irs::dialects::cute_nvgpu::CuteNvgpuOp;
use tilewright_irs::isa::Shuffle;
use tilewright_irs::llvm::{AddressSpace, LlvmDialect, LlvmType};

use crate::cute_to_llvm::emit::{Cx, i32};
use crate::cute_to_llvm::lower_shuffles::shuffle;
use crate::cute_to_llvm::lower_warp::Packed;

/// Converts an op of the architecture.
pub(in super::super) fn architecture(
    words: &mut Packed,
    cx: &mut Cx<'_>,
    id: OpId,
    op: &CuteNvgpuOp,
) -> Translated {
    match op {
        CuteNvgpuOp::GetDynSmem {} => {
            let base = cx.value(LlvmDialect::SharedBase {}, LlvmType::Ptr(AddressSpace::Shared));
            cx.bind(cx.old(id).result(0), [base]);
            Ok(())
        }
        // The value of lane 0.
        CuteNvgpuOp::MakeWarpUniform { source } => {
            let lane = i32(cx, 0);
            shuffle(words, cx, id, *source, Shuffle::Idx, lane)
        }
    }
}
