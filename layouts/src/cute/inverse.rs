//! Right and left inverses.

use super::coalesce::coalesced;
use super::error::{CuteError, Op};
use super::int::Int;
use super::layout::{Layout, Mode};
use super::tuple::Nested;

impl Layout {
    /// The right inverse: a layout `R` with `self(R(i)) = i` for every `i` below its size. It
    /// consists of the contiguous whole modes of the coalesced layout, starting at index 0; at least
    /// `1:0`.
    ///
    /// If the layout is a bijection onto `0..size`, `R` is its inverse. Among modes with equal
    /// strides the leftmost is used (in the C++ headers the choice depends on their sort). Modes of
    /// stride 0 and of dynamic stride are skipped; `pycute` stops at a stride of 0 and returns `1:0`.
    /// (CUTLASS: `right_inverse`.)
    ///
    /// # Errors
    /// A stride of the result overflows a 64-bit integer.
    ///
    /// ```
    /// use tilewright_layouts::cute::Layout;
    /// let layout: Layout = "(2,4,6):(4,1,8)".parse()?;
    /// assert_eq!(layout.right_inverse()?.to_string(), "(4,2,6):(2,1,8)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn right_inverse(&self) -> Result<Layout, CuteError> {
        let mut modes = numbered(self)?;
        modes.retain(|(mode, _)| mode.stride.is_static());
        modes.sort_by(|(a, _), (b, _)| a.stride.cmp(&b.stride));
        let (mut reach, mut result) = (Int::ONE, Vec::new());
        for (mode, position) in modes {
            if mode.stride == reach {
                reach = mode.shape.times(&mode.stride)?;
                result.push(Nested::Leaf(Mode {
                    shape: mode.shape,
                    stride: position,
                }));
            }
        }
        Ok(Layout::from_tree(Nested::Tuple(result)).coalesce())
    }

    /// The left inverse: a layout `R` with `R(self(i)) = i` for every `i` below the size, if the
    /// layout has no stride of 0. With strides of 0 it is a quasi-inverse, `self(R(self(i))) =
    /// self(i)`, which returns the coordinate with 0 in those modes.
    ///
    /// It exists as a layout of this form if, in the order of the strides, each stride is a multiple
    /// of the one before and at least the end of the modes before it. The C++ headers do not check
    /// the latter, and their result for overlapping modes is no inverse. `pycute` fills the gaps
    /// between modes differently; on indices of `self` the results agree. (CUTLASS: `left_inverse`.)
    ///
    /// # Errors
    /// [`CuteError::StrideMultiple`], [`CuteError::Overlap`], or a dynamic stride.
    ///
    /// ```
    /// use tilewright_layouts::cute::Layout;
    /// let layout: Layout = "(2,2):(4,1)".parse()?;
    /// let inverse = layout.left_inverse()?;
    /// assert_eq!(inverse.to_string(), "(4,2):(2,1)");
    /// for i in 0..4 {
    ///     assert_eq!(inverse.at(layout.at(i)?)?, i);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn left_inverse(&self) -> Result<Layout, CuteError> {
        let mut modes = numbered(self)?;
        if let Some((mode, _)) = modes.iter().find(|(mode, _)| !mode.stride.is_static()) {
            return Err(needs_static(&mode.stride));
        }
        modes.sort_by(|(a, _), (b, _)| a.stride.cmp(&b.stride));
        let mut result = Vec::with_capacity(modes.len() + 1);
        // The end of the modes so far, the stride of the last of them, and its position in the
        // domain.
        let (mut reach, mut before, mut position) = (Int::ONE, Int::ONE, Int::ZERO);
        let mut extent = Int::ONE;
        for (mode, next_position) in modes {
            extent = mode.shape.clone();
            if mode.stride == Int::ZERO {
                continue;
            }
            match reach.provably_le(&mode.stride) {
                Some(true) => (),
                Some(false) => {
                    return Err(CuteError::Overlap {
                        op: Op::LeftInverse,
                        stride: mode.stride,
                        reach,
                    });
                }
                None => return Err(needs_static(&reach)),
            }
            let Some(gap) = mode.stride.exact_quotient(&before) else {
                return Err(CuteError::StrideMultiple {
                    op: Op::LeftInverse,
                    stride: mode.stride,
                    divisor: before,
                });
            };
            let stride = std::mem::replace(&mut position, next_position);
            result.push(Nested::Leaf(Mode { shape: gap, stride }));
            reach = mode.shape.times(&mode.stride)?;
            before = mode.stride;
        }
        result.push(Nested::Leaf(Mode {
            shape: extent,
            stride: position,
        }));
        Ok(Layout::from_tree(Nested::Tuple(result)).coalesce())
    }
}

/// The modes of the coalesced layout, each with the flat coordinate of its first step.
fn numbered(layout: &Layout) -> Result<Vec<(Mode, Int)>, CuteError> {
    let mut position = Int::ONE;
    let modes = coalesced(layout.tree(), false).into_iter().map(|mode| {
        let next = position.times(&mode.shape)?;
        Ok((mode, std::mem::replace(&mut position, next)))
    });
    modes.collect()
}

fn needs_static(value: &Int) -> CuteError {
    CuteError::NeedsStatic {
        op: Op::LeftInverse,
        value: value.clone(),
    }
}
