//! The complement of a layout.

use super::coalesce::coalesced;
use super::error::{CuteError, Op};
use super::layout::{LayoutOf, ModeOf, column_major_from};
use super::leaf::{Leaf, integer};
use super::tuple::Nested;

impl<L: Leaf> LayoutOf<L> {
    /// The complement: the layout `R` that repeats `self` through `0..size(cotarget)`.
    ///
    /// - *Disjoint*: the only index that `self` and `R` share is 0, and `(self, R)` reaches no index
    ///   twice other than by strides of 0 in `self`.
    /// - *Ordered*: the strides of `R` increase, and so do its indices; it has depth at most 1.
    /// - *Covering*: `size(filter(self)) * size(R) >= size(cotarget)` if each stride of `self` is a
    ///   multiple of the end of the modes of smaller stride; the last mode of `R` is the shortest
    ///   that satisfies this.
    ///
    /// Where a stride is no such multiple, the gap is rounded down, as in CUTLASS, and some indices
    /// are not reached. Modes that overlap or interleave are refused (`pycute` accepts some and
    /// returns an extent of 0). Static and dynamic extents of a cotarget stay separate in the result.
    /// In the open dialect a rest of one element has the stride that follows.
    /// (CUTLASS documentation: *CuTe Layout Algebra*, Complement.)
    ///
    /// # Errors
    /// [`CuteError::Overlap`]; two or more modes, one of which has a dynamic stride or puts the start
    /// of the next at a dynamic index ([`CuteError::NeedsStatic`]); or a result that overflows.
    ///
    /// ```
    /// use tilewright_layouts::cute::Layout;
    /// let layout: Layout = "(2,2):(1,6)".parse()?;
    /// assert_eq!(layout.complement(&24.into())?.to_string(), "(3,2):(2,12)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn complement(&self, cotarget: &Nested<L>) -> Result<LayoutOf<L>, CuteError> {
        let leaves = coalesced(self.filter_zeros().tree(), false).into_iter();
        let leaves = leaves.map(|leaf| {
            let stride = integer::<L>(&leaf.stride, Op::Complement)?.clone();
            Ok((leaf.shape, stride))
        });
        let mut leaves = leaves.collect::<Result<Vec<_>, CuteError>>()?;
        if leaves.len() > 1 {
            let unknown = leaves.iter().find(|(_, stride)| !stride.is_static());
            if let Some((_, stride)) = unknown {
                return Err(needs_static(stride));
            }
            leaves.sort_by_key(|(_, stride)| stride.known());
        }
        if leaves.is_empty() && !L::STRICT {
            let whole = LayoutOf::column_major(&cotarget.flatten())?.coalesce();
            return Ok(match L::OPEN && whole.size()?.is(1) {
                true => LayoutOf::leaf(L::from(1), L::from(1).into()),
                false => whole,
            });
        }
        let mut reach = L::from(1);
        let mut result = Vec::with_capacity(leaves.len() + 1);
        for (shape, stride) in leaves {
            let gap = gap(&stride, &reach)?;
            let next = stride.times(&shape)?;
            let stride = std::mem::replace(&mut reach, next).into();
            result.push(Nested::Leaf(ModeOf { shape: gap, stride }));
        }
        let divided = cotarget.ceil_div(&Nested::Leaf(reach.clone()))?;
        let divided = coalesced_shape(&divided)?;
        let rest = match L::OPEN && divided.product()?.is(1) {
            true => LayoutOf::leaf(L::from(1), reach.into()),
            false => column_major_from(&divided, reach)?,
        };
        result.push(rest.into_tree());
        Ok(LayoutOf::from_tree(Nested::Tuple(result)).coalesce())
    }
}

/// The number of times that `reach` fits below `stride`, rounded down.
fn gap<L: Leaf>(stride: &L, reach: &L) -> Result<L, CuteError> {
    let fits = match (stride.known(), reach.known()) {
        (Some(_), Some(_)) => stride.quotient(reach),
        _ if L::STRICT => stride.exact_quotient(reach),
        _ => stride.quotient(reach),
    };
    match fits {
        Some(gap) if !gap.is(0) => Ok(gap),
        _ if stride.is_static() && reach.is_static() => Err(CuteError::Overlap {
            op: Op::Complement,
            stride: stride.shown(),
            reach: reach.shown(),
        }),
        _ => Err(needs_static(if stride.is_static() { reach } else { stride })),
    }
}

fn needs_static<L: Leaf>(value: &L) -> CuteError {
    CuteError::NeedsStatic {
        op: Op::Complement,
        value: value.shown(),
    }
}

/// A shape of the same size with adjacent static extents merged, and adjacent dynamic ones.
fn coalesced_shape<L: Leaf>(shape: &Nested<L>) -> Result<Nested<L>, CuteError> {
    let mut result: Vec<L> = Vec::new();
    for extent in shape.leaves() {
        match result.last_mut() {
            Some(last) if last.is_static() == extent.is_static() => *last = last.times(extent)?,
            Some(_) | None => result.push(extent.clone()),
        }
    }
    Ok(match <[L; 1]>::try_from(result) {
        Ok([single]) => Nested::Leaf(single),
        Err(result) => Nested::Tuple(result.into_iter().map(Nested::Leaf).collect()),
    })
}
