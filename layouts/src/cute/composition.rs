//! Functional composition.

use super::coalesce::coalesced;
use super::error::{CuteError, Op};
use super::int::Int;
use super::layout::{Layout, Mode};
use super::tiler::Tiler;
use super::tuple::Nested;

impl Layout {
    /// Composes two layouts: `R(c) = self(inner(c))` for every coordinate `c` of `inner`. The shape
    /// of the result refines that of `inner`: `compatible(inner, R)`.
    ///
    /// Each leaf `s:d` of `inner` passes through the modes of the coalesced `self`, from the first. A
    /// mode of extent `n` (the last one is unbounded)
    /// - contains the whole leaf, if `(s - 1) * d < n`; or
    /// - is skipped, if `n` divides `d`; or
    /// - is filled, if `d` divides `n` (*stride divisibility*) and `n / d` divides `s` (*shape
    ///   divisibility*); the rest of the leaf continues with stride 1 in the next mode.
    ///
    /// In addition, the largest coordinates of all leaves in each mode but the last sum to less than
    /// `n`, so that nothing carries into the next mode. Otherwise the composition is refused.
    ///
    /// CUTLASS checks these conditions only in part. It accepts a `d` that does not divide `n` where
    /// `n` is skipped, as in `(4,2):(1,10)` after `4:3`, and carries, as in the same layout after
    /// `(2,2):(3,1)`; its result there is a different function. `pycute` refuses leaves contained in
    /// one mode if neither of `n` and `d` divides the other. A layout may exist where the conditions
    /// fail, as it does for any leaf of two elements. A condition that depends on a dynamic value is
    /// refused, too.
    ///
    /// Linear in the leaves of `inner` times the modes of `self`. (CUTLASS documentation: *CuTe
    /// Layout Algebra*, Composition.)
    ///
    /// # Errors
    /// [`CuteError::StrideDivisibility`], [`CuteError::ShapeDivisibility`], [`CuteError::Carry`],
    /// [`CuteError::NeedsStatic`], or a stride of the result overflows a 64-bit integer.
    ///
    /// ```
    /// use tilewright_layouts::cute::Layout;
    /// let a: Layout = "(6,2):(8,2)".parse()?;
    /// let b: Layout = "(4,3):(3,1)".parse()?;
    /// assert_eq!(a.composition(&b)?.to_string(), "((2,2),3):((24,2),8)");
    /// let crossing: Layout = "4:4".parse()?;
    /// assert_eq!(
    ///     a.composition(&crossing).unwrap_err().to_string(),
    ///     "composition: a stride of 4 neither divides an extent of 6 nor is divided by it"
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn composition(&self, inner: &Layout) -> Result<Layout, CuteError> {
        let outer = coalesced(self.tree(), true);
        let bounded = outer.split_last().map_or(0, |(_, bounded)| bounded.len());
        let mut reached = vec![Int::ZERO; bounded];
        let tree = compose_tree(&outer, inner.tree(), &mut reached)?;
        for (mode, reached) in outer.iter().zip(reached) {
            check_carry(&mode.shape, reached)?;
        }
        Ok(Layout::from_tree(tree))
    }

    /// Composes by mode: each mode of the layout with the entry of the tiler. Modes that the tiler
    /// lacks are dropped, as in the C++ headers (`pycute` keeps them).
    ///
    /// # Errors
    /// Those of [`Layout::composition`], or the tiler has more modes than the layout.
    ///
    /// ```
    /// use tilewright_layouts::cute::Layout;
    /// let a: Layout = "(12,(4,8)):(59,(13,1))".parse()?;
    /// let tile = "[3:4;8:2]".parse()?;
    /// assert_eq!(a.composition_by(&tile)?.to_string(), "(3,(2,4)):(236,(26,1))");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn composition_by(&self, tiler: &Tiler) -> Result<Layout, CuteError> {
        match tiler {
            Tiler::All => Ok(self.clone()),
            Tiler::Layout(inner) => self.composition(inner),
            Tiler::Modes(tilers) => {
                if tilers.len() > self.rank() {
                    return Err(CuteError::Rank {
                        op: Op::Composition,
                        found: tilers.len(),
                        limit: self.rank(),
                    });
                }
                let modes = self.modes().zip(tilers);
                let composed = modes.map(|(mode, tiler)| mode.composition_by(tiler));
                Ok(Layout::from_modes(composed.collect::<Result<Vec<_>, _>>()?))
            }
        }
    }
}

/// Composes every leaf of a tree; adds to `reached` the largest coordinate in each bounded mode of
/// `outer`.
fn compose_tree(
    outer: &[Mode],
    inner: &Nested<Mode>,
    reached: &mut [Int],
) -> Result<Nested<Mode>, CuteError> {
    match inner {
        Nested::Leaf(leaf) => compose_leaf(outer, leaf, reached),
        Nested::Tuple(modes) => {
            let modes = modes.iter().map(|mode| compose_tree(outer, mode, reached));
            modes.collect::<Result<_, _>>().map(Nested::Tuple)
        }
    }
}

/// Passes one leaf through the modes of a coalesced layout, the last of which is unbounded.
fn compose_leaf(outer: &[Mode], leaf: &Mode, reached: &mut [Int]) -> Result<Nested<Mode>, CuteError> {
    let Some((last, bounded)) = outer.split_last() else {
        return Ok(constant(leaf));
    };
    if leaf.stride == Int::ZERO {
        return Ok(constant(leaf));
    }
    let (mut extent, mut stride) = (leaf.shape.clone(), leaf.stride.clone());
    let mut result: Vec<Mode> = Vec::new();
    for (mode, reached) in bounded.iter().zip(reached) {
        if leaf.shape == Int::ONE {
            // The extent is 1, so that the stride has no effect; its value follows CUTLASS.
            stride = stride.ceil_div(&mode.shape)?;
            continue;
        }
        let part = mode.shape.ceil_div(&stride)?;
        if extent.provably_le(&part) == Some(true) {
            reach(reached, &extent, &stride)?;
            let stride = stride.times(&mode.stride)?;
            result.push(Mode {
                shape: extent,
                stride,
            });
            return Ok(tuple_of(result));
        }
        if let Some(part) = mode.shape.exact_quotient(&stride) {
            extent = match extent.exact_quotient(&part) {
                Some(rest) => rest,
                None => return Err(indivisible_shape(extent, part)),
            };
            if part != Int::ONE {
                reach(reached, &part, &stride)?;
                let stride = stride.times(&mode.stride)?;
                result.push(Mode { shape: part, stride });
            }
            stride = Int::ONE;
        } else if let Some(steps) = stride.exact_quotient(&mode.shape) {
            stride = steps;
        } else {
            return Err(indivisible_stride(&mode.shape, stride));
        }
    }
    if extent != Int::ONE || result.is_empty() {
        let stride = stride.times(&last.stride)?;
        result.push(Mode {
            shape: extent,
            stride,
        });
    }
    Ok(tuple_of(result))
}

fn reach(reached: &mut Int, extent: &Int, stride: &Int) -> Result<(), CuteError> {
    *reached = reached.plus(&extent.minus(&Int::ONE)?.times(stride)?)?;
    Ok(())
}

fn check_carry(extent: &Int, reached: Int) -> Result<(), CuteError> {
    match reached.plus(&Int::ONE)?.provably_le(extent) {
        Some(true) => Ok(()),
        Some(false) => Err(CuteError::Carry {
            op: Op::Composition,
            extent: extent.clone(),
            reached,
        }),
        None => Err(CuteError::NeedsStatic {
            op: Op::Composition,
            value: unknown(extent, &reached).unwrap_or(reached),
        }),
    }
}

/// A leaf whose index is always 0.
fn constant(leaf: &Mode) -> Nested<Mode> {
    Nested::Leaf(Mode {
        shape: leaf.shape.clone(),
        stride: Int::ZERO,
    })
}

fn tuple_of(leaves: Vec<Mode>) -> Nested<Mode> {
    Layout::from_leaves(leaves).into_tree()
}

fn indivisible_shape(extent: Int, part: Int) -> CuteError {
    match unknown(&part, &extent) {
        Some(value) => CuteError::NeedsStatic {
            op: Op::Composition,
            value,
        },
        None => CuteError::ShapeDivisibility { extent, part },
    }
}

fn indivisible_stride(extent: &Int, stride: Int) -> CuteError {
    match unknown(extent, &stride) {
        Some(value) => CuteError::NeedsStatic {
            op: Op::Composition,
            value,
        },
        None => CuteError::StrideDivisibility {
            extent: extent.clone(),
            stride,
        },
    }
}

fn unknown(a: &Int, b: &Int) -> Option<Int> {
    [a, b].into_iter().find(|value| !value.is_static()).cloned()
}
