//! Coordinates, and their conversion from and to indices.

use super::error::{Arithmetic, CuteError, Op};
use super::int::Int;
use super::layout::{Layout, LayoutOf, Mode, ModeOf};
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

impl Layout {
    /// The index of a coordinate: the sum of coordinate times stride over the leaves.
    ///
    /// The coordinate is hierarchical, flat (one integer), or anything between. An integer for a
    /// nested mode is split with the first submode fastest; the last submode takes the remainder, so
    /// that coordinates outside of the shape have an index too. (CUTLASS: `crd2idx`.)
    ///
    /// # Errors
    /// The coordinate does not fit the shape, a dynamic extent determines how an integer is split, or
    /// the index overflows a 64-bit integer.
    ///
    /// ```
    /// use tilewright_layouts::cute::{Coord, Int, Layout};
    /// let layout: Layout = "(3,(2,3)):(3,(12,1))".parse()?;
    /// for coord in ["16", "(1,5)", "(1,(1,2))"] {
    ///     assert_eq!(layout.index(&coord.parse()?)?, Int::Static(17));
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn index(&self, coord: &Coord) -> Result<Int, CuteError> {
        index(coord, self.tree())
    }

    /// The index of a flat coordinate of a static layout.
    ///
    /// # Errors
    /// The layout is not static, or the index overflows a 64-bit integer.
    pub fn at(&self, coord: u64) -> Result<u64, CuteError> {
        let (mut rest, mut sum) = (coord, 0u64);
        let mut pending: Option<(u64, &Mode)> = None;
        let mut result = Ok(());
        self.tree().each(&mut |mode| {
            let before = pending.replace((0, mode));
            if let Some((_, before)) = before {
                match before.shape.as_static().filter(|extent| *extent != 0) {
                    Some(extent) => {
                        let part = rest % extent;
                        rest /= extent;
                        add(&mut sum, part, &before.stride, &mut result);
                    }
                    None => result = Err(needs_static(&before.shape)),
                }
            }
        });
        if let Some((_, last)) = pending {
            add(&mut sum, rest, &last.stride, &mut result);
        }
        result.map(|()| sum)
    }

    /// Splits a flat coordinate into one congruent to the shape, first mode fastest. (CUTLASS:
    /// `idx2crd` of a shape.)
    ///
    /// # Errors
    /// A dynamic extent determines how the integer is split.
    ///
    /// ```
    /// use tilewright_layouts::cute::Layout;
    /// let layout: Layout = "(3,(2,3)):(3,(12,1))".parse()?;
    /// assert_eq!(layout.natural_coord(16)?.to_string(), "(1,(1,2))");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn natural_coord(&self, flat: u64) -> Result<IntTuple, CuteError> {
        let mut rest = flat;
        let mut left = self.tree().leaves().count();
        self.tree().try_map(&mut |mode: &Mode| {
            left -= 1;
            if left == 0 {
                return Ok(Int::Static(rest));
            }
            let part = split(&mut rest, &mode.shape, Op::Coordinate)?;
            Ok(Int::Static(part))
        })
    }

    /// The coordinate of an index of a compact layout (a bijection onto `0..size`), `index / stride %
    /// shape` for each leaf; inverts [`Layout::index`] there. A leaf of extent 1 or stride 0 has
    /// coordinate 0. (CUTLASS: `idx2crd` of a shape and a stride, `get_hier_coord`.)
    ///
    /// # Errors
    /// The layout is not static.
    ///
    /// ```
    /// use tilewright_layouts::cute::Layout;
    /// let layout: Layout = "(4,(2,3)):(6,(3,1))".parse()?;
    /// assert_eq!(layout.coord_of_index(23)?.to_string(), "(3,(1,2))");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn coord_of_index(&self, index: u64) -> Result<IntTuple, CuteError> {
        self.tree().try_map(&mut |mode: &Mode| {
            let known = |value: &Int| {
                value.as_static().ok_or_else(|| CuteError::NeedsStatic {
                    op: Op::Coordinate,
                    value: value.clone(),
                })
            };
            let (shape, stride) = (known(&mode.shape)?, known(&mode.stride)?);
            let quotient = index.checked_div(stride).unwrap_or(0);
            Ok(Int::Static(quotient.checked_rem(shape).unwrap_or(0)))
        })
    }
}

impl<L: Leaf> LayoutOf<L> {
    /// Selects the modes where `coord` has `_`, as a tuple, or the whole layout if `coord` is `_`
    /// itself. (CUTLASS: `slice`; [`Layout::index`] of the same coordinate is the offset.)
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

    /// Selects the modes where `coord` has integers, which [`Layout::slice`] leaves out.
    ///
    /// # Errors
    /// The coordinate does not fit the shape.
    pub fn dice(&self, coord: &CoordOf<L>) -> Result<LayoutOf<L>, CuteError> {
        self.filter_slots(coord, false)
    }

    fn filter_slots(&self, coord: &CoordOf<L>, free: bool) -> Result<LayoutOf<L>, CuteError> {
        match coord {
            Nested::Leaf(slot) if matches!(slot, SlotOf::All) == free => Ok(self.clone()),
            Nested::Leaf(_) | Nested::Tuple(_) => {
                let mut kept = Vec::new();
                keep(coord, self.tree(), free, &mut kept)?;
                Ok(LayoutOf::from_tree(Nested::Tuple(kept)))
            }
        }
    }
}

/// Collects the modes of `tree` at the slots of `coord` that are free, or not free.
fn keep<L: Leaf>(
    coord: &CoordOf<L>,
    tree: &Nested<ModeOf<L>>,
    free: bool,
    kept: &mut Vec<Nested<ModeOf<L>>>,
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
                // A nested coordinate gives a nested result, unless that is empty.
                let mut inner = Vec::new();
                keep(slot, mode, free, &mut inner)?;
                match slot {
                    Nested::Leaf(_) => kept.append(&mut inner),
                    Nested::Tuple(_) if inner.is_empty() => (),
                    Nested::Tuple(_) => kept.push(Nested::Tuple(inner)),
                }
            }
            Ok(())
        }
        (Nested::Tuple(_), Nested::Leaf(_)) => Err(too_deep(tree)),
    }
}

fn add(sum: &mut u64, coord: u64, stride: &Int, result: &mut Result<(), CuteError>) {
    let Some(stride) = stride.as_static() else {
        *result = Err(needs_static(stride));
        return;
    };
    let refusal = |op, left, right| CuteError::Overflow {
        op,
        left: Int::Static(left),
        right: Int::Static(right),
    };
    let Some(step) = coord.checked_mul(stride) else {
        *result = Err(refusal(Arithmetic::Product, coord, stride));
        return;
    };
    match sum.checked_add(step) {
        Some(total) => *sum = total,
        None => *result = Err(refusal(Arithmetic::Sum, *sum, step)),
    }
}

fn needs_static(value: &Int) -> CuteError {
    CuteError::NeedsStatic {
        op: Op::Index,
        value: value.clone(),
    }
}

fn check_rank(found: usize, limit: usize, op: Op) -> Result<(), CuteError> {
    match found == limit {
        true => Ok(()),
        false => Err(CuteError::Rank { op, found, limit }),
    }
}

fn too_deep<L: Leaf>(tree: &Nested<ModeOf<L>>) -> CuteError {
    CuteError::Coordinate {
        shape: Box::new(tree.map(&mut |mode| mode.shape.shown())),
    }
}

/// Removes the coordinate within an extent from a flat coordinate.
fn split(rest: &mut u64, extent: &Int, op: Op) -> Result<u64, CuteError> {
    let within = || match rest.checked_add(1) {
        Some(beyond) => Int::Static(beyond).provably_le(extent) == Some(true),
        None => false,
    };
    match extent {
        Int::Static(extent) => {
            let part = rest.checked_rem(*extent).unwrap_or(0);
            *rest = rest.checked_div(*extent).unwrap_or(0);
            Ok(part)
        }
        Int::Dynamic(_) if within() => Ok(std::mem::take(rest)),
        Int::Dynamic(_) => Err(CuteError::NeedsStatic {
            op,
            value: extent.clone(),
        }),
    }
}

fn index(coord: &Coord, tree: &Nested<Mode>) -> Result<Int, CuteError> {
    match (coord, tree) {
        (Nested::Leaf(Slot::All), _) => Ok(Int::ZERO),
        (Nested::Leaf(Slot::At(coord)), Nested::Leaf(mode)) => coord.times(&mode.stride),
        (Nested::Leaf(Slot::At(Int::Static(flat))), Nested::Tuple(_)) => {
            let (mut rest, mut sum) = (*flat, Int::ZERO);
            let mut leaves = tree.leaves().peekable();
            while let Some(mode) = leaves.next() {
                let part = match leaves.peek() {
                    Some(_) => split(&mut rest, &mode.shape, Op::Index)?,
                    None => rest,
                };
                sum = sum.plus(&Int::Static(part).times(&mode.stride)?)?;
            }
            Ok(sum)
        }
        (Nested::Leaf(Slot::At(unknown)), Nested::Tuple(modes)) => match modes.as_slice() {
            [mode] => index(coord, mode),
            _ => Err(needs_static(unknown)),
        },
        (Nested::Tuple(coords), Nested::Tuple(modes)) => {
            check_rank(coords.len(), modes.len(), Op::Index)?;
            let mut parts = coords.iter().zip(modes);
            parts.try_fold(Int::ZERO, |sum, (coord, mode)| sum.plus(&index(coord, mode)?))
        }
        (Nested::Tuple(_), Nested::Leaf(_)) => Err(too_deep(tree)),
    }
}
