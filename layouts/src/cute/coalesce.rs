//! Simplification: fewer modes, the same function.

use super::error::{CuteError, Op};
use super::int::Int;
use super::layout::{Layout, Mode};
use super::tuple::Nested;

/// Merges contiguous leaves and drops those of extent 1. With `open_end` the last leaf counts as
/// unbounded: it is never dropped, and its extent in the result is meaningless.
pub(super) fn coalesced(tree: &Nested<Mode>, open_end: bool) -> Vec<Mode> {
    let mut last = open_end.then(|| tree.leaves().count());
    let mut result: Vec<Mode> = Vec::with_capacity(4);
    tree.each(&mut |mode| {
        if let Some(left) = &mut last {
            *left -= 1;
        }
        if mode.shape == Int::ONE && last != Some(0) {
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
/// `after` is not merged, so that the known factors of `before` stay visible, as in CUTLASS.
fn joined(before: &Mode, after: &Mode) -> Option<Int> {
    if !after.shape.is_static() {
        return None;
    }
    let continues = before.shape.times(&before.stride).ok()? == after.stride;
    continues.then(|| before.shape.times(&after.shape).ok()).flatten()
}

impl Layout {
    /// Coalesces the layout: the same function of flat coordinates below the size with the fewest
    /// leaves. The result has depth at most 1, no extent 1 (except for the whole, `1:0`), and no mode
    /// that is contiguous with the one before it. The size is unchanged. Linear in the number of
    /// leaves.
    ///
    /// A mode of dynamic extent is not merged with the one before it.
    /// (CUTLASS documentation: *CuTe Layout Algebra*, Coalesce.)
    ///
    /// ```
    /// use tilewright_layouts::cute::Layout;
    /// let layout: Layout = "(2,(1,6)):(1,(6,2))".parse()?;
    /// assert_eq!(layout.coalesce().to_string(), "12:1");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn coalesce(&self) -> Layout {
        Layout::from_leaves(coalesced(self.tree(), false))
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
    pub fn coalesce_by<T>(&self, profile: &Nested<T>) -> Result<Layout, CuteError> {
        self.at_profile(profile, Op::Coalesce, &|part| Ok(part.coalesce()))
    }

    /// Applies `change` to the parts of the layout at the leaves of `profile`.
    pub(super) fn at_profile<T>(
        &self,
        profile: &Nested<T>,
        op: Op,
        change: &impl Fn(&Layout) -> Result<Layout, CuteError>,
    ) -> Result<Layout, CuteError> {
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
        Ok(Layout::from_modes(modes.collect::<Result<Vec<_>, _>>()?))
    }
}
