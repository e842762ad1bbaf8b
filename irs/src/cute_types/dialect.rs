//! The two dialects `cute`.

crate::keywords! {
    /// Whose `cute` a text or a function is of.
    ///
    /// Types are written alike in both. In the open dialect a type knows nothing of a dynamic leaf but its width, and the algebra of
    /// layouts differs in places (see [`Leaf::OPEN`](tilewright_layouts::cute::Leaf::OPEN)).
    pub enum Dialect {
        /// That of CUTLASS's library for Python.
        Library = "library",
        /// The open one, which NVIDIA publishes as `cute_ir`.
        Open = "open",
    }
}

// The macro takes no attributes of variants.
#[allow(clippy::derivable_impls)]
impl Default for Dialect {
    fn default() -> Self {
        Self::Library
    }
}
