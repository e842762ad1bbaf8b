//! Selection, grouping and zipping of modes: the same leaves with another nesting.

use std::ops::Range;

use super::error::{CuteError, Op};
use super::layout::{LayoutOf, ModeOf};
use super::leaf::Leaf;
use super::text::MAX_TEXT_LEAVES;
use super::tuple::Nested;

impl<L: Leaf> LayoutOf<L> {
    /// Flattens the layout: the leaves as modes of a tuple of depth 1; a leaf is unchanged. The
    /// function of flat coordinates is unchanged.
    ///
    /// ```
    /// use tilewright_layouts::cute::Layout;
    /// let layout: Layout = "((2,4),8):((1,16),2)".parse()?;
    /// assert_eq!(layout.flatten().to_string(), "(2,4,8):(1,16,2)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn flatten(&self) -> LayoutOf<L> {
        LayoutOf::from_tree(self.tree().flatten())
    }

    /// Nests the modes, one at each leaf of `profile`: inverts [`LayoutOf::flatten`].
    ///
    /// # Errors
    /// The number of modes differs from the number of leaves of `profile`.
    ///
    /// ```
    /// use tilewright_layouts::cute::{IntTuple, Layout};
    /// let layout: Layout = "(2,4,8):(1,16,2)".parse()?;
    /// let profile: IntTuple = "((0,0),0)".parse()?;
    /// assert_eq!(layout.unflatten(&profile)?.to_string(), "((2,4),8):((1,16),2)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn unflatten<T>(&self, profile: &Nested<T>) -> Result<LayoutOf<L>, CuteError> {
        let found = profile.leaves().count();
        let modes = self.tree().modes();
        if found != modes.len() {
            return Err(CuteError::Rank {
                op: Op::Modes,
                found,
                limit: modes.len(),
            });
        }
        let mut modes = modes.iter();
        Ok(LayoutOf::from_tree(hang(profile, &mut modes)))
    }

    /// Groups the modes of a range into one mode.
    ///
    /// # Errors
    /// The range exceeds the modes or is reversed.
    ///
    /// ```
    /// use tilewright_layouts::cute::Layout;
    /// let layout: Layout = "(4,5,6):(1,4,20)".parse()?;
    /// assert_eq!(layout.group(1..3)?.to_string(), "(4,(5,6)):(1,(4,20))");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn group(&self, range: Range<usize>) -> Result<LayoutOf<L>, CuteError> {
        self.rearranged(|tree| tree.group(range))
    }

    /// Selects the modes of a range, as a tuple.
    ///
    /// # Errors
    /// The range exceeds the modes or is reversed.
    ///
    /// ```
    /// use tilewright_layouts::cute::Layout;
    /// let layout: Layout = "(4,5,6):(1,4,20)".parse()?;
    /// assert_eq!(layout.take(1..3)?.to_string(), "(5,6):(4,20)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn take(&self, range: Range<usize>) -> Result<LayoutOf<L>, CuteError> {
        self.rearranged(|tree| tree.take(range))
    }

    /// Selects modes by number, in the given order, as a tuple; a mode may be selected more than
    /// once.
    ///
    /// # Errors
    /// There is no such mode.
    ///
    /// ```
    /// use tilewright_layouts::cute::Layout;
    /// let layout: Layout = "(4,2,8):(1,4,8)".parse()?;
    /// assert_eq!(layout.select(&[2, 0])?.to_string(), "(8,4):(8,1)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn select(&self, modes: &[usize]) -> Result<LayoutOf<L>, CuteError> {
        self.rearranged(|tree| tree.select(modes))
    }

    /// The layout whose tree is made of parts of this one's.
    ///
    /// # Errors
    /// Those of `change`.
    pub fn rearranged<E>(
        &self,
        change: impl FnOnce(&Nested<ModeOf<L>>) -> Result<Nested<ModeOf<L>>, E>,
    ) -> Result<LayoutOf<L>, E> {
        change(self.tree()).map(LayoutOf::from_tree)
    }

    /// Appends a mode.
    ///
    /// ```
    /// use tilewright_layouts::cute::Layout;
    /// let layout: Layout = "4:1".parse()?;
    /// assert_eq!(layout.append(&"8:4".parse()?).to_string(), "(4,8):(1,4)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn append(&self, mode: &LayoutOf<L>) -> LayoutOf<L> {
        LayoutOf::from_modes(self.modes().chain([mode.clone()]))
    }

    /// Prepends a mode.
    ///
    /// ```
    /// use tilewright_layouts::cute::Layout;
    /// let layout: Layout = "4:1".parse()?;
    /// assert_eq!(layout.prepend(&"8:4".parse()?).to_string(), "(8,4):(4,1)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn prepend(&self, mode: &LayoutOf<L>) -> LayoutOf<L> {
        LayoutOf::from_modes([mode.clone()].into_iter().chain(self.modes()))
    }

    /// Appends modes `1:0` up to `rank` modes. A leaf stays a leaf if `rank` is 1.
    ///
    /// # Errors
    /// The layout already has more modes, or lacks more than [`MAX_TEXT_LEAVES`].
    ///
    /// ```
    /// use tilewright_layouts::cute::Layout;
    /// let layout: Layout = "4:1".parse()?;
    /// assert_eq!(layout.append_to_rank(3)?.to_string(), "(4,1,1):(1,0,0)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn append_to_rank(&self, rank: usize) -> Result<LayoutOf<L>, CuteError> {
        self.missing(rank).map(|missing| match missing {
            0 => self.clone(),
            _ => LayoutOf::from_modes(self.modes().chain((0..missing).map(|_| LayoutOf::unit()))),
        })
    }

    /// Prepends modes `1:0` up to `rank` modes. A leaf stays a leaf if `rank` is 1.
    ///
    /// # Errors
    /// The layout already has more modes, or lacks more than [`MAX_TEXT_LEAVES`].
    ///
    /// ```
    /// use tilewright_layouts::cute::Layout;
    /// let layout: Layout = "4:1".parse()?;
    /// assert_eq!(layout.prepend_to_rank(3)?.to_string(), "(1,1,4):(0,0,1)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn prepend_to_rank(&self, rank: usize) -> Result<LayoutOf<L>, CuteError> {
        self.missing(rank).map(|missing| match missing {
            0 => self.clone(),
            _ => LayoutOf::from_modes((0..missing).map(|_| LayoutOf::unit()).chain(self.modes())),
        })
    }

    fn missing(&self, rank: usize) -> Result<usize, CuteError> {
        let refusal = |found, limit| CuteError::Rank {
            op: Op::Modes,
            found,
            limit,
        };
        match rank.checked_sub(self.rank()) {
            None => Err(refusal(self.rank(), rank)),
            Some(missing) if missing > MAX_TEXT_LEAVES => Err(refusal(missing, MAX_TEXT_LEAVES)),
            Some(missing) => Ok(missing),
        }
    }

    /// Zips the modes of two layouts: `((a0,b0),(a1,b1),…)`. A leaf is its own only mode.
    ///
    /// # Errors
    /// The ranks differ.
    ///
    /// ```
    /// use tilewright_layouts::cute::Layout;
    /// let (a, b): (Layout, Layout) = ("(2,4):(1,2)".parse()?, "(3,5):(8,24)".parse()?);
    /// assert_eq!(a.zip(&b)?.to_string(), "((2,3),(4,5)):((1,8),(2,24))");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn zip(&self, other: &LayoutOf<L>) -> Result<LayoutOf<L>, CuteError> {
        if self.rank() != other.rank() {
            return Err(CuteError::Rank {
                op: Op::Modes,
                found: other.rank(),
                limit: self.rank(),
            });
        }
        let pairs = self.modes().zip(other.modes());
        Ok(LayoutOf::from_modes(
            pairs.map(|(mine, other)| LayoutOf::from_modes([mine, other])),
        ))
    }
}

impl<T: Clone> Nested<T> {
    /// Groups the modes of a range into one mode.
    ///
    /// # Errors
    /// The range exceeds the modes or is reversed.
    ///
    /// ```
    /// use tilewright_layouts::cute::IntTuple;
    /// let tuple: IntTuple = "(4,5,6)".parse()?;
    /// assert_eq!(tuple.group(1..3)?.to_string(), "(4,(5,6))");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn group(&self, range: Range<usize>) -> Result<Nested<T>, CuteError> {
        let group = self.take(range.clone())?;
        let before = self.modes().iter().take(range.start).cloned();
        let after = self.modes().iter().skip(range.end).cloned();
        Ok(Nested::Tuple(before.chain([group]).chain(after).collect()))
    }

    /// Selects the modes of a range, as a tuple.
    ///
    /// # Errors
    /// The range exceeds the modes or is reversed.
    pub fn take(&self, range: Range<usize>) -> Result<Nested<T>, CuteError> {
        let modes = self.modes();
        let taken = modes.get(range.clone()).ok_or(CuteError::NoMode {
            mode: range.start.max(range.end.saturating_sub(1)),
            rank: modes.len(),
        })?;
        Ok(Nested::Tuple(taken.to_vec()))
    }

    /// Selects modes by number, in the given order, as a tuple; a mode may be selected more than
    /// once.
    ///
    /// # Errors
    /// There is no such mode.
    ///
    /// ```
    /// use tilewright_layouts::cute::IntTuple;
    /// let tuple: IntTuple = "(4,(2,3),8)".parse()?;
    /// assert_eq!(tuple.select(&[1, 0])?.to_string(), "((2,3),4)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn select(&self, modes: &[usize]) -> Result<Nested<T>, CuteError> {
        let chosen = modes.iter().map(|mode| self.get(&[*mode]).cloned());
        chosen.collect::<Result<_, _>>().map(Nested::Tuple)
    }

    /// The tuple with a mode appended until it has `rank` modes, or as it is if it has more.
    ///
    /// ```
    /// use tilewright_layouts::cute::IntTuple;
    /// let tuple: IntTuple = "4".parse()?;
    /// assert_eq!(tuple.filled_to(3, &"(1,2)".parse()?).to_string(), "(4,(1,2),(1,2))");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn filled_to(&self, rank: usize, mode: &Nested<T>) -> Nested<T> {
        match rank.min(MAX_TEXT_LEAVES).saturating_sub(self.rank()) {
            0 => self.clone(),
            missing => {
                let added = std::iter::repeat_n(mode, missing);
                Nested::Tuple(self.modes().iter().chain(added).cloned().collect())
            }
        }
    }

    /// As [`Nested::filled_to`], with the modes before the others.
    #[must_use]
    pub fn filled_before(&self, rank: usize, mode: &Nested<T>) -> Nested<T> {
        match rank.min(MAX_TEXT_LEAVES).saturating_sub(self.rank()) {
            0 => self.clone(),
            missing => {
                let added = std::iter::repeat_n(mode, missing);
                Nested::Tuple(added.chain(self.modes()).cloned().collect())
            }
        }
    }
}

/// Places modes at the leaves of a profile. The caller ensures that the numbers of both are equal.
fn hang<L: Leaf, T>(
    profile: &Nested<T>,
    modes: &mut std::slice::Iter<'_, Nested<ModeOf<L>>>,
) -> Nested<ModeOf<L>> {
    match profile {
        Nested::Leaf(_) => modes.next().cloned().unwrap_or(Nested::Tuple(Vec::new())),
        Nested::Tuple(profiles) => {
            Nested::Tuple(profiles.iter().map(|profile| hang(profile, modes)).collect())
        }
    }
}
