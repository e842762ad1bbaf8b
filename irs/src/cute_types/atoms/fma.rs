//! The multiply-add of one thread.

use tilewright_layouts::cute::{CuteError, Fact, LayoutOf, MmaAtomOf, TypeLayout};

use super::mma_parts::MmaShape;
use crate::cute_types::element::Number;
use crate::cute_types::reader::part;

part! {
    /// A multiply-add of one thread: `!cute_nvgpu.atom.universal_fma<1x1x1, (f32, f32) -> f32 >`.
    pub struct UniversalFma {
        /// One element each.
        shape: MmaShape,
        /// The elements of A.
        a: Number,
        /// The elements of B.
        b: Number,
        /// The elements of C.
        c: Number,
    }
    shape ", (" a ", " b ") -> " c " "
}

impl UniversalFma {
    pub(super) fn layouts(&self) -> Result<MmaAtomOf<Fact>, CuteError> {
        let one: TypeLayout = LayoutOf::from_modes([LayoutOf::unit(), LayoutOf::unit()]);
        MmaAtomOf::new(
            self.shape.extents(),
            LayoutOf::unit(),
            [one.clone(), one.clone(), one],
        )
    }
}
