//! Coordinates, and the modes that they select.

use super::error::{CuteError, Op};
use super::int::Int;
use super::layout::{LayoutOf, ModeOf};
use super::leaf::Leaf;
use super::tuple::{IntTuple, Nested};

/// An entry of a coordinate.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SlotOf<L> {
    /// The whole mode, written `_`: kept by a slice, 0 in an index.
    All,
    /// One element of the mode.
    At(L),
}

/// An entry of a coordinate of integers.
pub type Slot = SlotOf<Int>;

/// A coordinate: nested like the shape that it is used with, or less deeply, where an integer is a
/// flat coordinate of a whole mode, first submode fastest.
pub type CoordOf<L> = Nested<SlotOf<L>>;

/// A coordinate of integers.
pub type Coord = CoordOf<Int>;

impl From<u64> for Coord {
    fn from(value: u64) -> Self {
        Self::Leaf(Slot::At(Int::Static(value)))
    }
}

impl From<IntTuple> for Coord {
    fn from(tuple: IntTuple) -> Self {
        tuple.map(&mut |leaf| Slot::At(leaf.clone()))
    }
}

impl From<&IntTuple> for Coord {
    fn from(tuple: &IntTuple) -> Self {
        tuple.map(&mut |leaf| Slot::At(leaf.clone()))
    }
}

impl<L: Leaf> LayoutOf<L> {
    /// Selects the modes where `coord` has `_`, as a tuple, or the whole layout if `coord` is `_`
    /// itself. (CUTLASS: `slice`; [`LayoutOf::index`] of the same coordinate is the offset.)
    ///
    /// # Errors
    /// The coordinate does not fit the shape.
    ///
    /// ```
    /// use tilewright_layouts::cute::{Int, Layout};
    /// let layout: Layout = "(2,3,4):(1,2,6)".parse()?;
    /// let coord = "(1,_,2)".parse()?;
    /// assert_eq!(layout.slice(&coord)?.to_string(), "(3):(2)");
    /// assert_eq!(layout.index(&coord)?, Int::Static(13));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn slice(&self, coord: &CoordOf<L>) -> Result<LayoutOf<L>, CuteError> {
        self.filter_slots(coord, true)
    }

    /// Selects the modes where `coord` has integers, which [`LayoutOf::slice`] leaves out.
    ///
    /// # Errors
    /// The coordinate does not fit the shape.
    pub fn dice(&self, coord: &CoordOf<L>) -> Result<LayoutOf<L>, CuteError> {
        self.filter_slots(coord, false)
    }

    fn filter_slots(&self, coord: &CoordOf<L>, free: bool) -> Result<LayoutOf<L>, CuteError> {
        let kept = self.tree().slots(coord, free, L::STRICT, &too_deep)?;
        Ok(LayoutOf::from_tree(kept))
    }
}

impl<T: Clone> Nested<T> {
    /// Selects the modes where `coord` has `_`, as a tuple, or the whole tuple if `coord` is `_` itself.
    ///
    /// # Errors
    /// The coordinate does not fit the tuple.
    ///
    /// ```
    /// use tilewright_layouts::cute::{CoordOf, Fact, IntTuple};
    /// let tuple: IntTuple = "(2,(3,4),5)".parse()?;
    /// let coord: CoordOf<Fact> = "(0,(_,1),_)".parse()?;
    /// assert_eq!(tuple.slice(&coord)?.to_string(), "(3,5)");
    /// assert_eq!(tuple.dice(&coord)?.to_string(), "(2,4)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn slice<L>(&self, coord: &CoordOf<L>) -> Result<Nested<T>, CuteError> {
        self.slots(coord, true, false, &no_modes)
    }

    /// Selects the modes where `coord` has integers, which [`Nested::slice`] leaves out.
    ///
    /// # Errors
    /// The coordinate does not fit the tuple.
    pub fn dice<L>(&self, coord: &CoordOf<L>) -> Result<Nested<T>, CuteError> {
        self.slots(coord, false, false, &no_modes)
    }

    /// The modes at slots that are free, or not free; with `nested`, those of a nested coordinate in a mode of their own.
    fn slots<L>(
        &self,
        coord: &CoordOf<L>,
        free: bool,
        nested: bool,
        too_deep: &impl Fn(&Nested<T>) -> CuteError,
    ) -> Result<Nested<T>, CuteError> {
        match coord {
            Nested::Leaf(slot) if matches!(slot, SlotOf::All) == free => Ok(self.clone()),
            Nested::Leaf(_) | Nested::Tuple(_) => {
                let mut kept = Vec::new();
                keep(coord, self, free, nested, too_deep, &mut kept)?;
                Ok(Nested::Tuple(kept))
            }
        }
    }
}

/// Collects the modes of `tree` at the slots of `coord` that are free, or not free.
fn keep<L, T: Clone>(
    coord: &CoordOf<L>,
    tree: &Nested<T>,
    free: bool,
    nested: bool,
    too_deep: &impl Fn(&Nested<T>) -> CuteError,
    kept: &mut Vec<Nested<T>>,
) -> Result<(), CuteError> {
    match (coord, tree) {
        (Nested::Leaf(slot), _) => {
            if matches!(slot, SlotOf::All) == free {
                kept.push(tree.clone());
            }
            Ok(())
        }
        (Nested::Tuple(slots), Nested::Tuple(modes)) => {
            check_rank(slots.len(), modes.len(), Op::Slice)?;
            for (slot, mode) in slots.iter().zip(modes) {
                // A nested coordinate gives a nested result, unless that is empty. In CUTLASS it does
                // not, and the modes that it keeps are those of the whole.
                let mut inner = Vec::new();
                keep(slot, mode, free, nested, too_deep, &mut inner)?;
                match slot {
                    Nested::Tuple(_) if nested && inner.is_empty() => (),
                    Nested::Tuple(_) if nested => kept.push(Nested::Tuple(inner)),
                    Nested::Leaf(_) | Nested::Tuple(_) => kept.append(&mut inner),
                }
            }
            Ok(())
        }
        (Nested::Tuple(_), Nested::Leaf(_)) => Err(too_deep(tree)),
    }
}

fn no_modes<T>(_: &Nested<T>) -> CuteError {
    CuteError::NoMode { mode: 0, rank: 0 }
}

fn check_rank(found: usize, limit: usize, op: Op) -> Result<(), CuteError> {
    match found == limit {
        true => Ok(()),
        false => Err(CuteError::Rank { op, found, limit }),
    }
}

pub(super) fn too_deep<L: Leaf>(tree: &Nested<ModeOf<L>>) -> CuteError {
    CuteError::Coordinate {
        shape: Box::new(tree.map(&mut |mode| mode.shape.shown())),
    }
}
