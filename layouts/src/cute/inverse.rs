//! Right and left inverses.

use super::coalesce::coalesced;
use super::error::{CuteError, Op};
use super::layout::{LayoutOf, ModeOf};
use super::leaf::{Leaf, integer};
use super::open;
use super::tuple::Nested;

impl<L: Leaf> LayoutOf<L> {
    /// The right inverse: a layout `R` with `self(R(i)) = i` for every `i` below its size. It
    /// consists of the contiguous whole modes of the coalesced layout, starting at index 0; at least
    /// `1:0`.
    ///
    /// If the layout is a bijection onto `0..size`, `R` is its inverse. Among modes with equal
    /// strides the leftmost is used (in the C++ headers the choice depends on their sort). Modes of
    /// stride 0 and of dynamic stride are skipped; `pycute` stops at a stride of 0 and returns `1:0`.
    /// In the open dialect strides may be multiples of basis vectors.
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
    pub fn right_inverse(&self) -> Result<LayoutOf<L>, CuteError> {
        if L::OPEN {
            return open::right_inverse(self);
        }
        let mut modes = numbered(self, Op::RightInverse)?;
        modes.retain(|(_, stride, _)| stride.is_static());
        modes.sort_by_key(|(_, stride, _)| stride.known());
        let (mut reach, mut result) = (L::from(1), Vec::new());
        for (shape, stride, position) in modes {
            if stride.same(&reach) {
                reach = shape.times(&stride)?;
                let stride = position.into();
                result.push(Nested::Leaf(ModeOf { shape, stride }));
            }
        }
        Ok(LayoutOf::from_tree(Nested::Tuple(result)).coalesce())
    }

    /// The left inverse: a layout `R` with `R(self(i)) = i` for every `i` below the size, if the
    /// layout has no stride of 0. With strides of 0 it is a quasi-inverse, `self(R(self(i))) =
    /// self(i)`, which returns the coordinate with 0 in those modes.
    ///
    /// It exists as a layout of this form if, in the order of the strides, each stride is a multiple
    /// of the one before and at least the end of the modes before it. The C++ headers do not check
    /// the latter, and their result for overlapping modes is no inverse. `pycute` fills the gaps
    /// between modes differently; on indices of `self` the results agree. In the open dialect strides may
    /// be multiples of basis vectors, and a stride may begin within the modes before it. (CUTLASS:
    /// `left_inverse`.)
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
    pub fn left_inverse(&self) -> Result<LayoutOf<L>, CuteError> {
        if L::OPEN {
            return open::left_inverse(self);
        }
        let mut modes = numbered(self, Op::LeftInverse)?;
        if let Some((_, stride, _)) = modes.iter().find(|(_, stride, _)| !stride.is_static()) {
            return Err(needs_static(stride, Op::LeftInverse));
        }
        modes.sort_by_key(|(_, stride, _)| stride.known());
        let mut result = Vec::with_capacity(modes.len() + 1);
        // The end of the modes so far, the stride of the last of them, and its position in the
        // domain.
        let (mut reach, mut before, mut position) = (L::from(1), L::from(1), L::from(0));
        let mut extent = L::from(1);
        for (shape, step, next_position) in modes {
            extent = shape.clone();
            if step.is(0) {
                continue;
            }
            match reach.provably_le(&step) {
                Some(true) => (),
                Some(false) => {
                    return Err(CuteError::Overlap {
                        op: Op::LeftInverse,
                        stride: step.shown(),
                        reach: reach.shown(),
                    });
                }
                None => return Err(needs_static(&reach, Op::LeftInverse)),
            }
            let Some(gap) = step.exact_quotient(&before) else {
                return Err(CuteError::StrideMultiple {
                    op: Op::LeftInverse,
                    stride: step.shown(),
                    divisor: before.shown(),
                });
            };
            let stride = std::mem::replace(&mut position, next_position).into();
            result.push(Nested::Leaf(ModeOf { shape: gap, stride }));
            reach = shape.times(&step)?;
            before = step;
        }
        result.push(Nested::Leaf(ModeOf {
            shape: extent,
            stride: position.into(),
        }));
        Ok(LayoutOf::from_tree(Nested::Tuple(result)).coalesce())
    }
}

/// The extent and stride of each mode of the coalesced layout, with the flat coordinate of its first
/// step.
fn numbered<L: Leaf>(layout: &LayoutOf<L>, op: Op) -> Result<Vec<(L, L, L)>, CuteError> {
    let mut position = L::from(1);
    let modes = coalesced(layout.tree(), false).into_iter().map(|mode| {
        if !L::STRICT && !mode.shape.is_static() {
            return Err(needs_static(&mode.shape, op));
        }
        let next = position.times(&mode.shape)?;
        let stride = integer::<L>(&mode.stride, op)?.clone();
        Ok((mode.shape, stride, std::mem::replace(&mut position, next)))
    });
    modes.collect()
}

fn needs_static<L: Leaf>(value: &L, op: Op) -> CuteError {
    CuteError::NeedsStatic {
        op,
        value: value.shown(),
    }
}
