//! Filters: removal of modes that do not change the index.

use super::coalesce::coalesced;
use super::error::{CuteError, Op};
use super::layout::{LayoutOf, ModeOf};
use super::leaf::{Leaf, Stride};
use super::tuple::Nested;

impl<L: Leaf> LayoutOf<L> {
    /// Sets the extent of each leaf of stride 0 to 1; the profile and the strides are unchanged.
    ///
    /// ```
    /// use tilewright_layouts::cute::Layout;
    /// let layout: Layout = "(4,(2,8)):(1,(0,4))".parse()?;
    /// assert_eq!(layout.filter_zeros().to_string(), "(4,(1,8)):(1,(0,4))");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn filter_zeros(&self) -> LayoutOf<L> {
        let mut one = |mode: &ModeOf<L>| match mode.stride.is(0) {
            true => ModeOf {
                shape: L::from(1),
                stride: mode.stride.clone(),
            },
            false => mode.clone(),
        };
        LayoutOf::from_tree(self.tree().map(&mut one))
    }

    /// Removes leaves of stride 0 or extent 1 and coalesces: the same set of indices, with none
    /// repeated by a stride of 0. `1:0` if no leaf remains.
    ///
    /// ```
    /// use tilewright_layouts::cute::Layout;
    /// let layout: Layout = "(4,(2,8)):(1,(0,4))".parse()?;
    /// assert_eq!(layout.filter().to_string(), "32:1");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn filter(&self) -> LayoutOf<L> {
        LayoutOf::from_leaves(coalesced(self.filter_zeros().tree(), false))
    }

    /// Filters by mode: each part of the layout at a leaf of `profile`. Modes that `profile` lacks
    /// are unchanged.
    ///
    /// # Errors
    /// `profile` has more modes than the layout.
    ///
    /// ```
    /// use tilewright_layouts::cute::{IntTuple, Layout};
    /// let layout: Layout = "(4,(2,8)):(1,(0,4))".parse()?;
    /// let profile: IntTuple = "(1,1)".parse()?;
    /// assert_eq!(layout.filter_by(&profile)?.to_string(), "(4,8):(1,4)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn filter_by<T>(&self, profile: &Nested<T>) -> Result<LayoutOf<L>, CuteError> {
        self.at_profile(profile, Op::Filter, &|part| Ok(part.filter()))
    }
}
