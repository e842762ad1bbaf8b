//! `cute_desugared`: per-thread code.
//!
//! Tiles are fragments (a thread's elements in register order), addresses are computed from the thread index by
//! layout algebra, memory accesses are vectors. Control flow is structured.
//!
//! Removed: tiles, tokens, agents, layouts in types.

mod checked;
mod hopper;
mod instructions;
mod ops;
mod shared_addresses;
mod types;
mod verify;

use tilewright_diagnostics::{Code, counted};

use crate::Extents;
use crate::core::{Attributes, Func, Language, Origin, Problems};
use crate::machine::{LANES, threads};
use crate::shared_size::verify_shared_size;
use crate::tileas::{KernelSpec, TileAsAttrs, verify_clusters};

pub use ops::CuteDesugaredOp;
pub use types::DesugaredType;

/// The language `cute_desugared`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CuteDesugared;

crate::attributes! {
    /// Function attributes of `cute_desugared`.
    pub struct CuteDesugaredAttrs {
        /// The target GPU.
        target in Capability: crate::isa::Target,
        /// The number of warps and blocks, and of blocks to fit on one multiprocessor.
        kernel_spec in KernelSpec: KernelSpec,
        /// The threads of a block along each axis, if these are not 32 times `num_warps` along the first.
        block in LaunchShape: Option<Extents>,
        /// The blocks for which the registers of a multiprocessor must suffice; 0 leaves that to ptxas, and 1 is meant if absent.
        min_blocks in LaunchShape: Option<u32>,
        /// Bytes of shared memory that the body uses.
        shared_bytes in LaunchShape: u32,
        /// Alignment of shared memory in bytes: a power of two up to 65536; 16 if absent.
        shared_align in LaunchShape: Option<crate::SharedAlign>,
        /// The launch says how many bytes of shared memory there are; excludes `shared_bytes`.
        shared_dynamic in LaunchShape: crate::core::Flag,
    }
}

impl From<TileAsAttrs> for CuteDesugaredAttrs {
    fn from(attrs: TileAsAttrs) -> Self {
        Self {
            target: attrs.target,
            kernel_spec: attrs.kernel_spec,
            block: None,
            min_blocks: None,
            shared_bytes: attrs.shared_bytes,
            shared_align: attrs.shared_align,
            shared_dynamic: crate::core::Flag(false),
        }
    }
}

impl CuteDesugaredAttrs {
    /// The threads of a block along each axis.
    pub fn block(&self) -> Extents {
        self.block
            .unwrap_or_else(|| Extents::of(threads(self.kernel_spec.num_warps)))
    }

    fn verify(&self, problems: &mut Problems) {
        let dynamic = Self::part("shared_dynamic");
        verify_shared_size(self.shared_dynamic, self.shared_bytes, dynamic, problems);
        verify_clusters(
            self.target,
            self.kernel_spec.num_ctas,
            Self::part("kernel_spec"),
            problems,
        );
        let warps = self.block().count().div_ceil(LANES);
        if warps != self.kernel_spec.num_warps {
            let message = format!(
                "a block of {} has {}, and `num_warps` is {}",
                counted(self.block().count(), "thread"),
                counted(warps, "warp"),
                self.kernel_spec.num_warps
            );
            problems.error_at(
                Origin::FUNCTION,
                Self::part("block"),
                Code::ConflictingAttributes,
                message,
            );
        }
    }
}

impl Language for CuteDesugared {
    const NAME: &'static str = "cute_desugared";
    type Type = DesugaredType;
    type Op = CuteDesugaredOp;
    type Tag = ();
    type FuncAttrs = CuteDesugaredAttrs;

    fn verify(func: &Func<Self>, problems: &mut Problems) {
        func.attrs.verify(problems);
        verify::verify(func, problems);
    }
}
