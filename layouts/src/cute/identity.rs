//! The layout that maps each coordinate to itself.

use super::basis::Scaled;
use super::error::CuteError;
use super::layout::LayoutOf;
use super::leaf::Leaf;
use super::tuple::Nested;

impl<L: Leaf<Stride = Scaled<L>>> LayoutOf<L> {
    /// The layout that maps each coordinate of a shape to itself: each stride is the basis vector of
    /// its leaf. (CUTLASS: `make_identity_layout`.)
    ///
    /// # Errors
    /// An extent is 0 or less.
    ///
    /// ```
    /// use tilewright_layouts::cute::TypeLayout;
    /// let layout = TypeLayout::identity(&"(?,(2,4))".parse()?)?;
    /// assert_eq!(layout.to_string(), "(?,(2,4)):(1@0,(1@0@1,1@1@1))");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn identity(shape: &Nested<L>) -> Result<LayoutOf<L>, CuteError> {
        LayoutOf::new(shape.clone(), vectors(shape, &mut Vec::new()))
    }
}

/// The basis vector of each leaf. `path` is that of the whole, the outermost mode first.
fn vectors<L: Leaf>(shape: &Nested<L>, path: &mut Vec<u32>) -> Nested<Scaled<L>> {
    match shape {
        Nested::Leaf(_) => Nested::Leaf(Scaled::new(L::from(1), path.iter().rev().copied().collect())),
        Nested::Tuple(modes) => Nested::Tuple(
            (0..)
                .zip(modes)
                .map(|(number, mode)| {
                    path.push(number);
                    let vectors = vectors(mode, path);
                    path.pop();
                    vectors
                })
                .collect(),
        ),
    }
}
