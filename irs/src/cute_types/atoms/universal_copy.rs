//! Loads and stores of one thread, in whatever memory the views are.

use std::num::NonZeroU32;

use crate::cute_types::element::Element;
use crate::cute_types::reader::part;

part! {
    /// Loads and stores of one thread: `!cute_nvgpu.atom.universal_copy<f16, 128 b>`.
    pub struct UniversalCopy {
        /// The elements.
        value: Element,
        /// The bits of one instruction; those of an element where the type does not say it.
        bits: Option<NonZeroU32>,
    }
    value [", " bits " b"]
}
