//! Coordinates to indices and back.

use super::coord::{Coord, CoordOf, SlotOf, too_deep};
use super::error::{Arithmetic, CuteError, Op};
use super::int::Int;
use super::layout::{Layout, LayoutOf, Mode, ModeOf};
use super::leaf::{Leaf, Stride, integer};
use super::tuple::{IntTuple, Nested};

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
        let mut sum = Int::ZERO;
        walk(coord, self.tree(), &mut |coord, mode| {
            if let Some(coord) = coord {
                sum = sum.plus(&coord.times(&mode.stride)?)?;
            }
            Ok(())
        })?;
        Ok(sum)
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
        self.shape().coord_of(&flat.into())
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
        self.hier_coord(&Int::Static(index))
    }
}

impl<L: Leaf> LayoutOf<L> {
    /// The index of a coordinate: an integer, or with basis strides a coordinate of the space that
    /// they span.
    ///
    /// The coordinate is hierarchical, flat, or anything between. An integer for a nested mode is
    /// split with the first leaf fastest, by remainders and quotients; the last leaf takes the rest,
    /// so that coordinates outside of the shape have an index too. A slot `_` counts as 0. (CUTLASS:
    /// `crd2idx`.)
    ///
    /// # Errors
    /// The coordinate does not fit the shape; strides mix integers and basis vectors, or vectors of a
    /// mode and of its submodes; what splits an integer is not decided and not left to run time; or
    /// the index overflows.
    ///
    /// ```
    /// use tilewright_layouts::cute::{CoordOf, Fact, TypeLayout};
    /// let layout: TypeLayout = "((2,4),4):((1@0@0,1@1@0),2@1)".parse()?;
    /// let coord: CoordOf<Fact> = "(5,?)".parse()?;
    /// assert_eq!(layout.index_of(&coord)?.to_string(), "((1,2),?{div=2})");
    /// let rows: TypeLayout = "(8,4):(16,2)".parse()?;
    /// assert_eq!(rows.index_of(&"?{div=16}".parse()?)?.to_string(), "?{div=4}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn index_of(&self, coord: &CoordOf<L>) -> Result<Nested<L>, CuteError> {
        let mut steps = Vec::new();
        walk(coord, self.tree(), &mut |coord, mode| {
            let step = match coord {
                Some(coord) => mode.stride.scaled(coord)?,
                None => mode.stride.scaled(&L::from(0))?,
            };
            let path: Vec<u32> = step.path().iter().rev().copied().collect();
            steps.push((path, step.factor().clone()));
            Ok(())
        })?;
        let steps: Vec<(&[u32], &L)> = steps.iter().map(|(path, step)| (path.as_slice(), step)).collect();
        total(&steps)
    }
}

impl<L: Leaf> LayoutOf<L> {
    /// The coordinate of an index of a compact layout: `index / stride % extent` for each leaf, 0 for
    /// a leaf of extent 1 or stride 0. It inverts [`LayoutOf::index_of`] there. (CUTLASS: `idx2crd` of
    /// a shape and a stride, `get_hier_coord`.)
    ///
    /// NVIDIA's inference knows nothing of such a coordinate but its width, that of the extent and the stride.
    ///
    /// # Errors
    /// A stride is a multiple of a basis vector, or a quotient is not decided and not left to run
    /// time.
    ///
    /// ```
    /// use tilewright_layouts::cute::{Fact, TypeLayout};
    /// let layout: TypeLayout = "(8,(4,1)):(4,(1,0))".parse()?;
    /// assert_eq!(layout.hier_coord(&"?".parse()?)?.to_string(), "(?,(?,0))");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn hier_coord(&self, index: &L) -> Result<Nested<L>, CuteError> {
        self.tree().try_map(&mut |mode: &ModeOf<L>| {
            let part = along(mode, index)?;
            Ok(match mode.shape.is(1) || mode.stride.is(0) {
                true => part,
                false => part.of_width(&[&mode.shape, integer::<L>(&mode.stride, Op::Coordinate)?]),
            })
        })
    }

    /// As [`LayoutOf::integral_coord`], and what is known of the index stays known.
    ///
    /// # Errors
    /// Those of [`LayoutOf::hier_coord`].
    pub(super) fn place_of(&self, index: &L) -> Result<L, CuteError> {
        self.numbered(&self.tree().try_map(&mut |mode: &ModeOf<L>| along(mode, index))?)
    }

    /// The flat coordinate of a coordinate of all leaves.
    fn numbered(&self, coord: &Nested<L>) -> Result<L, CuteError> {
        let (mut sum, mut step) = (L::from(0), L::from(1));
        for (mode, part) in self.tree().leaves().zip(coord.leaves()) {
            sum = sum.plus(&part.times(&step)?)?;
            step = step.times(&mode.shape)?;
        }
        Ok(sum)
    }

    /// As [`LayoutOf::hier_coord`], with one integer for each mode. (CUTLASS: `get_flat_coord`.)
    ///
    /// # Errors
    /// Those of [`LayoutOf::hier_coord`].
    ///
    /// ```
    /// use tilewright_layouts::cute::{Fact, TypeLayout};
    /// let layout: TypeLayout = "(8,(4,2)):(8,(2,1))".parse()?;
    /// assert_eq!(layout.flat_coord(&"?".parse()?)?.to_string(), "(?,?)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn flat_coord(&self, index: &L) -> Result<Nested<L>, CuteError> {
        match self.tree() {
            Nested::Leaf(_) => self.hier_coord(index),
            Nested::Tuple(_) => {
                let modes = self
                    .modes()
                    .map(|mode| mode.integral_coord(index).map(Nested::Leaf));
                modes.collect::<Result<_, _>>().map(Nested::Tuple)
            }
        }
    }

    /// As [`LayoutOf::hier_coord`], as one integer. (CUTLASS: `get_integral_coord`.)
    ///
    /// # Errors
    /// Those of [`LayoutOf::hier_coord`].
    pub fn integral_coord(&self, index: &L) -> Result<L, CuteError> {
        self.numbered(&self.hier_coord(index)?)
    }
}

/// The coordinate of an index along one leaf.
fn along<L: Leaf>(mode: &ModeOf<L>, index: &L) -> Result<L, CuteError> {
    if mode.shape.is(1) || mode.stride.is(0) {
        return Ok(L::from(0));
    }
    let stride = integer::<L>(&mode.stride, Op::Coordinate)?;
    let part = index
        .quotient(stride)
        .and_then(|part| part.remainder(&mode.shape));
    part.ok_or_else(|| {
        let unknown = [stride, &mode.shape].into_iter().find(|leaf| !leaf.is_static());
        CuteError::NeedsStatic {
            op: Op::Coordinate,
            value: unknown.unwrap_or(index).shown(),
        }
    })
}

impl<L: Leaf> Nested<L> {
    /// The coordinate in this shape of an index, an integer or itself a coordinate of outer modes: it
    /// has the profile of the shape, the first mode fastest. (CUTLASS: `idx2crd` of a shape.)
    ///
    /// # Errors
    /// The index does not fit the shape, or what splits an integer is not decided and not left to run
    /// time.
    ///
    /// ```
    /// use tilewright_layouts::cute::{Fact, Nested};
    /// let shape: Nested<Fact> = "(8,(4,?))".parse()?;
    /// assert_eq!(shape.coord_of(&"?{div=8}".parse()?)?.to_string(), "(0,(?,?))");
    /// assert_eq!(shape.coord_of(&"(3,?{div=4})".parse()?)?.to_string(), "(3,(0,?))");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn coord_of(&self, index: &Nested<L>) -> Result<Nested<L>, CuteError> {
        match (index, self) {
            (Nested::Leaf(index), _) => spread(index, self, Op::Coordinate),
            (Nested::Tuple(indices), Nested::Tuple(modes)) if indices.len() == modes.len() => {
                let parts = modes.iter().zip(indices);
                let parts = parts.map(|(mode, index)| mode.coord_of(index));
                parts.collect::<Result<_, _>>().map(Nested::Tuple)
            }
            (Nested::Tuple(_), _) => Err(CuteError::NotCongruent {
                left: Box::new(index.shown()),
                right: Box::new(self.shown()),
            }),
        }
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

/// Calls `visit` with each leaf and the coordinate within it, `None` for a slot `_`.
fn walk<L: Leaf>(
    coord: &CoordOf<L>,
    tree: &Nested<ModeOf<L>>,
    visit: &mut impl FnMut(Option<&L>, &ModeOf<L>) -> Result<(), CuteError>,
) -> Result<(), CuteError> {
    match (coord, tree) {
        (Nested::Leaf(SlotOf::All), _) => tree.leaves().try_for_each(|mode| visit(None, mode)),
        (Nested::Leaf(SlotOf::At(flat)), _) => {
            let coord = spread(flat, &tree.map(&mut |mode| mode.shape.clone()), Op::Index)?;
            let mut parts = coord.leaves().zip(tree.leaves());
            parts.try_for_each(|(coord, mode)| visit(Some(coord), mode))
        }
        (Nested::Tuple(slots), Nested::Tuple(modes)) if slots.len() == modes.len() => {
            let mut parts = slots.iter().zip(modes);
            parts.try_for_each(|(slot, mode)| walk(slot, mode, visit))
        }
        (Nested::Tuple(slots), Nested::Tuple(modes)) => Err(CuteError::Rank {
            op: Op::Index,
            found: slots.len(),
            limit: modes.len(),
        }),
        (Nested::Tuple(_), Nested::Leaf(_)) => Err(too_deep(tree)),
    }
}

/// The coordinate of a flat one in a shape. CUTLASS splits it mode by mode, and the part of a mode again,
/// which decides what a type remembers; leaf by leaf, fewer extents have to be known.
fn spread<L: Leaf>(flat: &L, shape: &Nested<L>, op: Op) -> Result<Nested<L>, CuteError> {
    let mut rest = flat.clone();
    match shape {
        Nested::Leaf(_) => Ok(Nested::Leaf(rest)),
        Nested::Tuple(modes) if !L::STRICT => {
            let last = modes.len().saturating_sub(1);
            let parts = modes.iter().enumerate().map(|(number, mode)| {
                let part = match number == last {
                    true => rest.clone(),
                    false => split(&mut rest, &mode.product()?, op)?,
                };
                spread(&part, mode, op)
            });
            parts.collect::<Result<_, _>>().map(Nested::Tuple)
        }
        Nested::Tuple(_) => {
            let mut left = shape.leaves().count();
            shape.try_map(&mut |extent| {
                left -= 1;
                match left {
                    0 => Ok(rest.clone()),
                    _ => split(&mut rest, extent, op),
                }
            })
        }
    }
}

/// Removes the coordinate within an extent from a flat coordinate.
fn split<L: Leaf>(rest: &mut L, extent: &L, op: Op) -> Result<L, CuteError> {
    match (rest.remainder(extent), rest.quotient(extent)) {
        (Some(part), Some(quotient)) => {
            *rest = quotient;
            Ok(part)
        }
        _ => Err(CuteError::NeedsStatic {
            op,
            value: if rest.is_static() { extent } else { &*rest }.shown(),
        }),
    }
}

/// The sum of steps along basis vectors, each by its path from the outermost mode. Integers of value 0
/// are along any.
fn total<L: Leaf>(steps: &[(&[u32], &L)]) -> Result<Nested<L>, CuteError> {
    let modes = steps.iter().filter_map(|(path, _)| path.first());
    let Some(last) = modes.max() else {
        let mut sum = steps.iter().map(|(_, step)| *step);
        let sum = sum.try_fold(L::from(0), |sum, step| sum.plus(step))?;
        return Ok(Nested::Leaf(sum));
    };
    if let Some((_, step)) = steps.iter().find(|(path, step)| path.is_empty() && !step.is(0)) {
        return Err(CuteError::Layout {
            op: Op::Index,
            layout: step.to_string(),
            needed: "a multiple of the basis vector of a mode without further modes",
        });
    }
    let mut parts = vec![Vec::new(); *last as usize + 1];
    for (path, step) in steps {
        if let Some((mode, path)) = path.split_first()
            && let Some(part) = parts.get_mut(*mode as usize)
        {
            part.push((path, *step));
        }
    }
    let parts = parts.iter().map(|part| total(part));
    parts.collect::<Result<_, _>>().map(Nested::Tuple)
}
