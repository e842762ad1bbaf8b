//! Simplification: fewer modes, the same function.

use super::error::{CuteError, Op};
use super::layout::{LayoutOf, ModeOf};
use super::leaf::{Leaf, Stride};
use super::tuple::Nested;

/// Merges contiguous leaves and drops those of extent 1. With `open_end` the last leaf counts as
/// unbounded: it is never dropped, and its extent in the result is meaningless.
pub(super) fn coalesced<L: Leaf>(tree: &Nested<ModeOf<L>>, open_end: bool) -> Vec<ModeOf<L>> {
    let mut last = open_end.then(|| tree.leaves().count());
    let mut result: Vec<ModeOf<L>> = Vec::with_capacity(4);
    tree.each(&mut |mode| {
        if let Some(left) = &mut last {
            *left -= 1;
        }
        if mode.shape.is(1) && last != Some(0) {
            return;
        }
        if let Some(before) = result.last_mut()
            && let Some(joined) = joined(before, mode)
        {
            before.shape = joined;
            return;
        }
        result.push(mode.clone());
    });
    result
}

/// The extent of the two modes merged, if `after` is contiguous with `before`. A dynamic extent of
/// `after` is not merged, so that the known factors of `before` stay visible, as in CUTLASS; in the open dialect nothing dynamic is.
pub(super) fn joined<L: Leaf>(before: &ModeOf<L>, after: &ModeOf<L>) -> Option<L> {
    let dynamic = |mode: &ModeOf<L>| !mode.shape.is_static() || !mode.stride.factor().is_static();
    if !after.shape.is_static() || L::OPEN && (dynamic(before) || dynamic(after)) {
        return None;
    }
    let continues = before.stride.scaled(&before.shape).ok()?.same(&after.stride);
    continues.then(|| before.shape.times(&after.shape).ok()).flatten()
}

/// Merged modes of the open dialect: the last one is kept whatever its extent.
pub(super) fn merged<L: Leaf>(layout: &LayoutOf<L>) -> Vec<ModeOf<L>> {
    coalesced(layout.tree(), true)
}

/// A layout of these modes, which may be none.
pub(super) fn of_modes<L: Leaf>(modes: Vec<ModeOf<L>>) -> LayoutOf<L> {
    match modes.is_empty() {
        true => LayoutOf::from_tree(Nested::Tuple(Vec::new())),
        false => LayoutOf::from_leaves(modes),
    }
}

/// [`LayoutOf::coalesce`] of the open dialect.
fn open<L: Leaf>(layout: &LayoutOf<L>) -> LayoutOf<L> {
    let mut modes = merged(layout);
    if modes.len() > 1 && modes.last().is_some_and(|last| last.shape.is(1)) {
        modes.pop();
    }
    of_modes(modes)
}

impl<L: Leaf> LayoutOf<L> {
    /// Coalesces the layout: the same function of flat coordinates below the size with the fewest
    /// leaves. The result has depth at most 1, no extent 1 (except for the whole, `1:0`), and no mode
    /// that is contiguous with the one before it. The size is unchanged. Linear in the number of
    /// leaves.
    ///
    /// A mode of dynamic extent is not merged with the one before it. In the open dialect a single mode of extent 1 keeps its stride,
    /// and a layout without modes stays one.
    /// (CUTLASS documentation: *CuTe Layout Algebra*, Coalesce.)
    ///
    /// ```
    /// use tilewright_layouts::cute::Layout;
    /// let layout: Layout = "(2,(1,6)):(1,(6,2))".parse()?;
    /// assert_eq!(layout.coalesce().to_string(), "12:1");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn coalesce(&self) -> LayoutOf<L> {
        match L::OPEN {
            true => open(self),
            false => LayoutOf::from_leaves(coalesced(self.tree(), false)),
        }
    }

    /// Coalesces the layout by mode: each part at a leaf of `profile` separately, so that coordinates
    /// of that profile stay valid. Modes that `profile` lacks are unchanged.
    ///
    /// # Errors
    /// `profile` has more modes than the layout.
    ///
    /// ```
    /// use tilewright_layouts::cute::{IntTuple, Layout};
    /// let layout: Layout = "(2,(1,6)):(1,(6,2))".parse()?;
    /// let profile: IntTuple = "(1,1)".parse()?;
    /// assert_eq!(layout.coalesce_by(&profile)?.to_string(), "(2,6):(1,2)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn coalesce_by<T>(&self, profile: &Nested<T>) -> Result<LayoutOf<L>, CuteError> {
        self.at_profile(profile, Op::Coalesce, &|part| Ok(part.coalesce()))
    }

    /// Applies `change` to the parts of the layout at the leaves of `profile`.
    pub(super) fn at_profile<T>(
        &self,
        profile: &Nested<T>,
        op: Op,
        change: &impl Fn(&LayoutOf<L>) -> Result<LayoutOf<L>, CuteError>,
    ) -> Result<LayoutOf<L>, CuteError> {
        let Nested::Tuple(profiles) = profile else {
            return change(self);
        };
        if profiles.len() > self.rank() {
            return Err(CuteError::Rank {
                op,
                found: profiles.len(),
                limit: self.rank(),
            });
        }
        let modes = self.modes().enumerate().map(|(number, mode)| {
            let profile = profiles.get(number);
            profile.map_or_else(
                || Ok(mode.clone()),
                |profile| mode.at_profile(profile, op, change),
            )
        });
        Ok(LayoutOf::from_modes(modes.collect::<Result<Vec<_>, _>>()?))
    }
}
