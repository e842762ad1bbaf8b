//! The complement of a layout.

use super::coalesce::coalesced;
use super::error::{CuteError, Op};
use super::int::Int;
use super::layout::{Layout, Mode, column_major_from};
use super::tuple::{IntTuple, Nested};

impl Layout {
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
    pub fn complement(&self, cotarget: &IntTuple) -> Result<Layout, CuteError> {
        let mut leaves = coalesced(self.filter_zeros().tree(), false);
        if leaves.len() > 1 {
            let unknown = leaves.iter().find(|leaf| !leaf.stride.is_static());
            if let Some(leaf) = unknown {
                return Err(needs_static(&leaf.stride));
            }
            leaves.sort_by(|a, b| a.stride.cmp(&b.stride));
        }
        let mut reach = Int::ONE;
        let mut result = Vec::with_capacity(leaves.len() + 1);
        for leaf in leaves {
            let gap = gap(&leaf.stride, &reach)?;
            let next = leaf.stride.times(&leaf.shape)?;
            let stride = std::mem::replace(&mut reach, next);
            result.push(Nested::Leaf(Mode { shape: gap, stride }));
        }
        let divided = cotarget.ceil_div(&Nested::Leaf(reach.clone()))?;
        let rest = column_major_from(&coalesced_shape(&divided)?, reach)?;
        result.push(rest.into_tree());
        Ok(Layout::from_tree(Nested::Tuple(result)).coalesce())
    }
}

/// The number of times that `reach` fits below `stride`, rounded down.
fn gap(stride: &Int, reach: &Int) -> Result<Int, CuteError> {
    match (stride, reach) {
        (Int::Static(stride_value), Int::Static(reach_value)) => {
            match stride_value.checked_div(*reach_value).unwrap_or(0) {
                0 => Err(CuteError::Overlap {
                    op: Op::Complement,
                    stride: stride.clone(),
                    reach: reach.clone(),
                }),
                gap => Ok(Int::Static(gap)),
            }
        }
        (Int::Dynamic(_), _) | (_, Int::Dynamic(_)) => {
            let quotient = stride.exact_quotient(reach);
            quotient.ok_or_else(|| needs_static(if stride.is_static() { reach } else { stride }))
        }
    }
}

fn needs_static(value: &Int) -> CuteError {
    CuteError::NeedsStatic {
        op: Op::Complement,
        value: value.clone(),
    }
}

/// A shape of the same size with adjacent static extents merged, and adjacent dynamic ones.
fn coalesced_shape(shape: &IntTuple) -> Result<IntTuple, CuteError> {
    let mut result: Vec<Int> = Vec::new();
    for extent in shape.leaves() {
        match result.last_mut() {
            Some(last) if last.is_static() == extent.is_static() => *last = last.times(extent)?,
            Some(_) | None => result.push(extent.clone()),
        }
    }
    Ok(match <[Int; 1]>::try_from(result) {
        Ok([single]) => Nested::Leaf(single),
        Err(result) => Nested::Tuple(result.into_iter().map(Nested::Leaf).collect()),
    })
}
