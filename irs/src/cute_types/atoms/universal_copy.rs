//! Loads and stores of one thread, in whatever memory the views are.

use std::num::NonZeroU32;

use tilewright_layouts::cute::{CopyAtomOf, CuteError, Fact, LayoutOf};

use super::layouts::one_thread;
use crate::cute_types::element::Element;
use crate::cute_types::pointer::Space;
use crate::cute_types::reader::part;

part! {
    /// Loads and stores of one thread: `!cute_nvgpu.atom.universal_copy<f16, 128 b>`.
    pub struct UniversalCopy {
        /// The elements.
        value: Element,
        /// The bits of one instruction; those of an element where the type does not say it.
        bits: Option<NonZeroU32>,
        /// The memory of the source, where the type says it.
        source: Option<Space>,
        /// The memory of the destination, where the type says it.
        destination: Option<Space>,
    }
    value [", " bits " b"] [", src_space = " source] [", dst_space = " destination]
}

impl UniversalCopy {
    pub(super) fn layouts(&self) -> Result<CopyAtomOf<Fact>, CuteError> {
        match self.bits {
            Some(bits) => one_thread(bits, &self.value),
            None => {
                let one = LayoutOf::from_modes([LayoutOf::unit(), LayoutOf::unit()]);
                CopyAtomOf::new(one.clone(), one.clone(), one)
            }
        }
    }
}
