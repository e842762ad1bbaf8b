//! Lowers the kernel spec to the `nvvm.*` attributes that become PTX directives.
//!
//! | attribute | from | when |
//! |---|---|---|
//! | `cute.kernel` | | always; `nvvm` renames it |
//! | `nvvm.reqntid` | 32 times `num_warps` | always |
//! | `nvvm.minctasm` | 1 | always |
//! | `nvvm.maxnreg` | the register file shared by `occupancy` blocks | with an `occupancy` |
//! | `nvvm.cluster_dim` | `num_ctas` | above 1, from `sm_90` on |

use tilewright_irs::core::Flag;
use tilewright_irs::llvm::KernelAttrs;
use tilewright_irs::tileas::TileAsAttrs;

/// 32-bit registers of a multiprocessor, the same on every target since `sm_50` (CUDA C++ Programming Guide, technical
/// specifications per compute capability).
const REGISTER_FILE: u32 = 65_536;
/// The maximum number of registers of a thread.
const MAX_REGISTERS: u32 = 255;
/// Registers are allocated to a warp in units of 256, so to a thread in units of 8.
const REGISTER_UNIT: u32 = 8;

/// The attributes of the kernel; see [the module](self).
pub fn lower_kernel_attributes(attrs: &TileAsAttrs) -> KernelAttrs {
    let spec = attrs.kernel_spec;
    let threads = spec.num_warps.saturating_mul(32);
    let cluster = attrs.target.sm >= 90 && spec.num_ctas > 1;
    KernelAttrs {
        target: attrs.target,
        cute_kernel: Flag(true),
        nvvm_kernel: Flag(false),
        reqntid: threads,
        minctasm: Some(1),
        maxnreg: attrs.occupancy.map(|blocks| registers(threads, blocks)),
        cluster_dim: cluster.then_some(spec.num_ctas),
        shared_bytes: attrs.shared_bytes,
        shared_align: attrs.shared_align,
    }
}

/// The register limit of a thread with which `blocks` blocks fit in the register file.
fn registers(threads: u32, blocks: u32) -> u32 {
    let resident = threads.saturating_mul(blocks).max(1);
    let each = REGISTER_FILE / resident / REGISTER_UNIT * REGISTER_UNIT;
    // Fewer than 16 are useless; the hint then asks for more blocks than fit.
    each.clamp(2 * REGISTER_UNIT, MAX_REGISTERS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilewright_irs::SharedAlign;
    use tilewright_irs::ptx::Target;
    use tilewright_irs::tileas::KernelSpec;

    fn attrs(target: Target, num_warps: u32, num_ctas: u32, occupancy: Option<u32>) -> KernelAttrs {
        lower_kernel_attributes(&TileAsAttrs {
            target,
            kernel_spec: KernelSpec { num_warps, num_ctas },
            occupancy,
            shared_bytes: 64,
            shared_align: SharedAlign::new(1024),
        })
    }

    #[test]
    fn threads_follow_warps() {
        let attrs = attrs(Target::sm_a(90), 4, 1, None);
        assert_eq!(
            (attrs.reqntid, attrs.minctasm, attrs.shared_bytes),
            (128, Some(1), 64)
        );
        assert!(attrs.cute_kernel.0 && !attrs.nvvm_kernel.0);
    }

    #[test]
    fn clusters_need_a_target_that_has_them() {
        assert_eq!(attrs(Target::sm(80), 4, 2, None).cluster_dim, None);
        assert_eq!(attrs(Target::sm_a(90), 4, 2, None).cluster_dim, Some(2));
        assert_eq!(attrs(Target::sm_a(90), 4, 1, None).cluster_dim, None);
    }

    #[test]
    fn shared_memory_keeps_its_alignment() {
        let attrs = attrs(Target::sm(80), 4, 1, None);
        assert_eq!(
            (attrs.shared_bytes, attrs.shared_align),
            (64, SharedAlign::new(1024))
        );
    }

    #[test]
    fn registers_are_limited_by_occupancy_alone() {
        assert_eq!(attrs(Target::sm_a(90), 4, 1, None).maxnreg, None);
        assert_eq!(attrs(Target::sm_a(90), 4, 1, Some(1)).maxnreg, Some(255));
        assert_eq!(attrs(Target::sm_a(90), 4, 1, Some(5)).maxnreg, Some(96));
        assert_eq!(attrs(Target::sm_a(90), 32, 1, Some(32)).maxnreg, Some(16));
    }
}
