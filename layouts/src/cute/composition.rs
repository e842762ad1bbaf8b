//! Functional composition.

use super::coalesce::{coalesced, joined};
use super::error::{CuteError, Op};
use super::int::Int;
use super::layout::{LayoutOf, ModeOf};
use super::leaf::{Leaf, Stride};
use super::tiler::TilerOf;
use super::tuple::Nested;

impl<L: Leaf> LayoutOf<L> {
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
    pub fn composition(&self, inner: &LayoutOf<L>) -> Result<LayoutOf<L>, CuteError> {
        let outer = coalesced(self.tree(), true);
        let bounded = outer.split_last().map_or(0, |(_, bounded)| bounded.len());
        let mut reached = vec![L::from(0); bounded];
        let tree = compose_tree(self, &outer, inner.tree(), &mut reached)?;
        if L::STRICT {
            for (mode, reached) in outer.iter().zip(reached) {
                check_carry(&mode.shape, reached)?;
            }
        }
        Ok(LayoutOf::from_tree(tree))
    }

    /// Composes by mode: each mode of the layout with the entry of the tiler. Modes that the tiler
    /// lacks are dropped, as in the C++ headers (`pycute` keeps them).
    ///
    /// # Errors
    /// Those of [`LayoutOf::composition`], or the tiler has more modes than the layout.
    ///
    /// ```
    /// use tilewright_layouts::cute::Layout;
    /// let a: Layout = "(12,(4,8)):(59,(13,1))".parse()?;
    /// let tile = "[3:4;8:2]".parse()?;
    /// assert_eq!(a.composition_by(&tile)?.to_string(), "(3,(2,4)):(236,(26,1))");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn composition_by(&self, tiler: &TilerOf<L>) -> Result<LayoutOf<L>, CuteError> {
        match tiler {
            TilerOf::All => Ok(self.clone()),
            TilerOf::Layout(inner) => self.composition(inner),
            TilerOf::Modes(tilers) => {
                if tilers.len() > self.rank() {
                    return Err(CuteError::Rank {
                        op: Op::Composition,
                        found: tilers.len(),
                        limit: self.rank(),
                    });
                }
                let modes = self.modes().zip(tilers);
                let composed = modes.map(|(mode, tiler)| mode.composition_by(tiler));
                Ok(LayoutOf::from_modes(composed.collect::<Result<Vec<_>, _>>()?))
            }
        }
    }
}

/// Composes every leaf of a tree; adds to `reached` the largest coordinate in each bounded mode of
/// `outer`, the coalesced `whole`.
fn compose_tree<L: Leaf>(
    whole: &LayoutOf<L>,
    outer: &[ModeOf<L>],
    inner: &Nested<ModeOf<L>>,
    reached: &mut [L],
) -> Result<Nested<ModeOf<L>>, CuteError> {
    match inner {
        Nested::Leaf(leaf) => match leaf.stride.as_integer() {
            Some(stride) => compose_leaf(outer, &leaf.shape, stride, reached),
            None => compose_basis(whole, leaf),
        },
        Nested::Tuple(modes) => {
            let modes = modes.iter().map(|mode| compose_tree(whole, outer, mode, reached));
            modes.collect::<Result<_, _>>().map(Nested::Tuple)
        }
    }
}

/// Passes a leaf that steps along a basis vector through the mode that the vector names.
fn compose_basis<L: Leaf>(whole: &LayoutOf<L>, leaf: &ModeOf<L>) -> Result<Nested<ModeOf<L>>, CuteError> {
    let path: Vec<usize> = leaf
        .stride
        .path()
        .iter()
        .rev()
        .map(|mode| *mode as usize)
        .collect();
    let inner = LayoutOf::leaf(leaf.shape.clone(), leaf.stride.factor().clone().into());
    Ok(whole.mode(&path)?.composition(&inner)?.into_tree())
}

/// Passes one leaf through the modes of a coalesced layout, the last of which is unbounded.
fn compose_leaf<L: Leaf>(
    outer: &[ModeOf<L>],
    shape: &L,
    stride: &L,
    reached: &mut [L],
) -> Result<Nested<ModeOf<L>>, CuteError> {
    let Some((last, bounded)) = outer.split_last() else {
        return Ok(constant(shape));
    };
    if stride.is(0) {
        return Ok(constant(shape));
    }
    let (mut extent, mut stride) = (shape.clone(), stride.clone());
    let mut result: Vec<ModeOf<L>> = Vec::new();
    for (mode, reached) in bounded.iter().zip(reached) {
        if extent.is(1) {
            // The extent is 1, so that the stride has no effect; its value follows CUTLASS.
            stride = stride.ceil_div(&mode.shape)?;
            continue;
        }
        let part = mode.shape.ceil_div(&stride)?;
        if extent.provably_le(&part) == Some(true) {
            reach(reached, &extent, &stride)?;
            let stride = mode.stride.scaled(&stride)?;
            result.push(ModeOf {
                shape: extent,
                stride,
            });
            return Ok(tuple_of(result));
        }
        if let Some(part) = mode.shape.exact_quotient(&stride)
            && let Some(rest) = extent.exact_quotient(&part)
        {
            extent = rest;
            if !part.is(1) {
                reach(reached, &part, &stride)?;
                let stride = mode.stride.scaled(&stride)?;
                result.push(ModeOf { shape: part, stride });
            }
            stride = L::from(1);
        } else if let Some(steps) = stride.exact_quotient(&mode.shape) {
            stride = steps;
        } else {
            let (next, rest) = split_at_run_time(mode, &extent, &stride, &part)?;
            let along = mode.stride.scaled(&stride)?;
            if let Some((taken, rest)) = rest {
                result.push(ModeOf {
                    shape: taken,
                    stride: along,
                });
                extent = rest;
            }
            stride = next;
        }
    }
    if !extent.is(1) || result.is_empty() {
        let stride = last.stride.scaled(&stride)?;
        let rest = ModeOf {
            shape: extent,
            stride,
        };
        match result.last_mut().filter(|_| !L::STRICT) {
            Some(before) => match joined(before, &rest) {
                Some(extent) => before.shape = extent,
                None => result.push(rest),
            },
            None => result.push(rest),
        }
    }
    Ok(match L::OPEN && result.len() > 1 {
        true => LayoutOf::from_leaves(result).coalesce().into_tree(),
        false => tuple_of(result),
    })
}

/// What a mode takes of a leaf where that is not known before run time, and the stride of the rest:
/// the smaller of the two extents, as in CUTLASS. Static values that do not divide are refused.
fn split_at_run_time<L: Leaf>(
    mode: &ModeOf<L>,
    extent: &L,
    stride: &L,
    part: &L,
) -> Result<(L, Option<(L, L)>), CuteError> {
    let known = |a: &L, b: &L| a.is_static() && b.is_static();
    let crossing = known(stride, &mode.shape) && mode.shape.provably_le(stride) == Some(true);
    if L::STRICT || crossing {
        return Err(match mode.shape.exact_quotient(stride) {
            Some(part) => indivisible_shape(extent, &part),
            None => indivisible_stride(&mode.shape, stride),
        });
    }
    let next = stride.ceil_div(&mode.shape)?;
    if part.is(1) {
        return Ok((next, None));
    }
    let taken = part
        .lesser(extent)
        .ok_or_else(|| indivisible_shape(extent, part))?;
    if known(extent, &taken) && extent.exact_quotient(&taken).is_none() {
        return Err(indivisible_shape(extent, &taken));
    }
    let rest = extent.quotient(&taken);
    let rest = rest.ok_or_else(|| indivisible_shape(extent, &taken))?;
    Ok((next, Some((taken, rest))))
}

fn reach<L: Leaf>(reached: &mut L, extent: &L, stride: &L) -> Result<(), CuteError> {
    if L::STRICT {
        *reached = reached.plus(&extent.minus(&L::from(1))?.times(stride)?)?;
    }
    Ok(())
}

fn check_carry<L: Leaf>(extent: &L, reached: L) -> Result<(), CuteError> {
    match reached.plus(&L::from(1))?.provably_le(extent) {
        Some(true) => Ok(()),
        Some(false) => Err(CuteError::Carry {
            op: Op::Composition,
            extent: extent.shown(),
            reached: reached.shown(),
        }),
        None => Err(CuteError::NeedsStatic {
            op: Op::Composition,
            value: unknown(extent, &reached).unwrap_or(reached.shown()),
        }),
    }
}

/// A leaf whose index is always 0.
fn constant<L: Leaf>(shape: &L) -> Nested<ModeOf<L>> {
    Nested::Leaf(ModeOf {
        shape: shape.clone(),
        stride: L::from(0).into(),
    })
}

fn tuple_of<L: Leaf>(leaves: Vec<ModeOf<L>>) -> Nested<ModeOf<L>> {
    LayoutOf::from_leaves(leaves).into_tree()
}

fn indivisible_shape<L: Leaf>(extent: &L, part: &L) -> CuteError {
    match unknown(part, extent) {
        Some(value) => CuteError::NeedsStatic {
            op: Op::Composition,
            value,
        },
        None => CuteError::ShapeDivisibility {
            extent: extent.shown(),
            part: part.shown(),
        },
    }
}

fn indivisible_stride<L: Leaf>(extent: &L, stride: &L) -> CuteError {
    match unknown(extent, stride) {
        Some(value) => CuteError::NeedsStatic {
            op: Op::Composition,
            value,
        },
        None => CuteError::StrideDivisibility {
            extent: extent.shown(),
            stride: stride.shown(),
        },
    }
}

fn unknown<L: Leaf>(a: &L, b: &L) -> Option<Int> {
    let unknown = [a, b].into_iter().find(|value| !value.is_static());
    unknown.map(Leaf::shown)
}
