//! Lowers the kernel spec to the `nvvm.*` attributes that become PTX directives.
//!
//! | attribute | from | when |
//! |---|---|---|
//! | `cute.kernel` | | always; `nvvm` renames it |
//! | `nvvm.reqntid` | `block`, or 32 times `num_warps` | always |
//! | `shared_dynamic` | `shared_dynamic` | always |
//! | `nvvm.minctasm` | `min_blocks`, or 1 | unless `min_blocks` is 0 |
//! | `nvvm.maxnreg` | the register file shared by `occupancy` blocks | with an `occupancy` |
//! | `nvvm.cluster_dim` | `num_ctas` | above 1 |
//! | `nvvm.grid_constant` | the parameters that are tensor maps | there are some |
//! | `nvvm.blocksareclusters` | | with `nvvm.cluster_dim`: a launch counts tile blocks, which the blocks of a cluster share |

use tilewright_irs::core::Flag;
use tilewright_irs::cute_desugared::CuteDesugaredAttrs;
use tilewright_irs::llvm::{Extents, KernelAttrs};
use tilewright_irs::machine::Multiprocessor;

/// Registers of a thread with which a kernel is of use. A hint that leaves fewer asks for more blocks than fit.
const LEAST_REGISTERS: u32 = 16;

/// The attributes of the kernel.
pub fn lower_kernel_attributes(attrs: &CuteDesugaredAttrs) -> KernelAttrs {
    let spec = attrs.kernel_spec;
    let block = attrs.block();
    let cluster = spec.num_ctas;
    KernelAttrs {
        target: attrs.target,
        cute_kernel: Flag(true),
        nvvm_kernel: Flag(false),
        maxntid: None,
        reqntid: Some(block),
        minctasm: Some(attrs.min_blocks.unwrap_or(1)).filter(|&blocks| blocks > 0),
        maxnreg: spec.occupancy.map(|blocks| {
            let each = Multiprocessor::thread_registers(block.count(), blocks);
            each.0.max(LEAST_REGISTERS)
        }),
        explicit_cluster: Flag(false),
        cluster_dim: (cluster > 1).then(|| Extents::of(cluster)),
        max_cluster_rank: None,
        blocks_are_clusters: Flag(cluster > 1),
        // With the parameters.
        grid_constant: None,
        shared_bytes: attrs.shared_bytes,
        shared_align: attrs.shared_align,
        shared_dynamic: attrs.shared_dynamic,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilewright_irs::SharedAlign;
    use tilewright_irs::ptx::Target;
    use tilewright_irs::tileas::KernelSpec;

    fn attrs(target: Target, num_warps: u32, num_ctas: u32, occupancy: Option<u32>) -> KernelAttrs {
        lower_kernel_attributes(&given(target, num_warps, num_ctas, occupancy))
    }

    fn given(target: Target, num_warps: u32, num_ctas: u32, occupancy: Option<u32>) -> CuteDesugaredAttrs {
        CuteDesugaredAttrs {
            target,
            kernel_spec: KernelSpec {
                num_warps,
                num_ctas,
                occupancy,
            },
            block: None,
            min_blocks: None,
            shared_bytes: 64,
            shared_align: SharedAlign::new(1024),
            shared_dynamic: Flag(false),
        }
    }

    #[test]
    fn threads_follow_warps() {
        let attrs = attrs(Target::sm_a(90), 4, 1, None);
        assert_eq!(
            (attrs.threads(), attrs.minctasm, attrs.shared_bytes),
            (128, Some(1), 64)
        );
        assert!(attrs.cute_kernel.0 && !attrs.nvvm_kernel.0);
    }

    #[test]
    fn blocks_are_asked_for_unless_none_are() {
        let of = |min_blocks| {
            let given = given(Target::sm_a(90), 4, 1, None);
            lower_kernel_attributes(&CuteDesugaredAttrs { min_blocks, ..given }).minctasm
        };
        assert_eq!([None, Some(0), Some(3)].map(of), [Some(1), None, Some(3)]);
    }

    #[test]
    fn blocks_of_a_cluster_are_counted_from_two_on() {
        assert_eq!(
            attrs(Target::sm_a(90), 4, 2, None).cluster_dim,
            Some(Extents::of(2))
        );
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
