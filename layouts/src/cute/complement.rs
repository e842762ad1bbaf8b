//! The complement of a layout.

use super::coalesce::coalesced;
use super::error::{CuteError, Op};
use super::int::Int;
use super::layout::{Layout, Mode, column_major_from};
use super::tuple::{IntTuple, Nested};

impl Layout {
    /// The layout `R` that repeats `self` through `0..size(cotarget)`.
    ///
    /// - *Disjoint*: the only index that `self` and `R` share is 0, and `(self, R)` reaches no index
    ///   twice other than by strides of 0 in `self`.
    /// - *Ordered*: the strides of `R` grow, and so do its indices; it has depth at most 1.
    /// - *Covering*: `size(filter(self)) * size(R) >= size(cotarget)` if each stride of `self` is a
    ///   multiple of where the smaller ones end; and the last mode of `R` is as short as that allows.
    ///
    /// Where a stride is no such multiple, the gap is rounded down, as in CUTLASS: then some indices
    /// stay unreached. Modes that overlap or interleave are refused (`pycute` lets some pass and then
    /// has an extent of 0). A cotarget that mixes static and unknown extents keeps them apart in the
    /// result. (CUTLASS documentation: *CuTe Layout Algebra*, Complement.)
    ///
    /// # Errors
    /// [`CuteError::Overlap`]; two modes or more, of which one has an unknown stride or makes the next
    /// begin at an unknown index ([`CuteError::NeedsStatic`]); or too large a result.
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

/// How often `reach` fits below `stride`.
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

/// A shape of the same size with neighbouring static extents joined, and neighbouring unknown ones.
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
