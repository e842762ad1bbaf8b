//! Where the algebra of the open dialect differs from that of CUTLASS's library: what it makes of layouts whose strides are
//! multiples of basis vectors, and of modes with one element.
//!
//! A layout with such strides maps into a space of several dimensions. Complements and inverses are those along each basis vector,
//! nested as the space is.

use super::coalesce::{merged, of_modes};
use super::error::{CuteError, Op};
use super::layout::{LayoutOf, ModeOf};
use super::leaf::{Leaf, Stride};
use super::tuple::Nested;

/// A mode along a basis vector, with its flat coordinate in the domain.
struct Placed<L> {
    shape: L,
    stride: L,
    position: L,
}

/// The modes of a layout along each basis vector; a leaf, if strides are integers.
type Space<L> = Nested<Vec<Placed<L>>>;

/// The path of a stride's basis vector, the outermost mode first.
fn path<L: Leaf>(stride: &L::Stride) -> Vec<usize> {
    stride.path().iter().rev().map(|&mode| mode as usize).collect()
}

/// The part of a space at a path, which is made if it is not there.
fn at<'a, L>(space: &'a mut Space<L>, path: &[usize]) -> &'a mut Space<L> {
    let Some((&first, rest)) = path.split_first() else {
        return space;
    };
    if matches!(space, Nested::Leaf(_)) {
        *space = Nested::Tuple(Vec::new());
    }
    if let Nested::Tuple(modes) = space {
        while modes.len() <= first {
            modes.push(Nested::Leaf(Vec::new()));
        }
    }
    match space {
        Nested::Tuple(modes) => at(&mut modes[first], rest),
        Nested::Leaf(_) => space,
    }
}

/// Puts modes into the space that a layout maps into, in the order of their strides. A mode of stride 0 or of one element is left
/// out: it reaches nothing.
fn placed<L: Leaf>(layout: &LayoutOf<L>, modes: Vec<ModeOf<L>>, op: Op) -> Result<Space<L>, CuteError> {
    let mut space = Nested::Leaf(Vec::new());
    for mode in layout.tree().leaves() {
        at(&mut space, &path::<L>(&mode.stride));
    }
    let mut position = L::from(1);
    let mut all = Vec::with_capacity(modes.len());
    for ModeOf { shape, stride } in modes {
        let next = position.times(&shape)?;
        let position = std::mem::replace(&mut position, next);
        if !shape.is(1) && !stride.factor().is(0) {
            let path = path::<L>(&stride);
            let stride = stride.factor().clone();
            all.push((
                path,
                Placed {
                    shape,
                    stride,
                    position,
                },
            ));
        }
    }
    if all.len() > 1
        && let Some((_, mode)) = all.iter().find(|(_, mode)| !mode.stride.is_static())
    {
        return Err(needs_static(&mode.stride, op));
    }
    all.sort_by_key(|(_, mode)| mode.stride.known());
    for (path, mode) in all {
        match at(&mut space, &path) {
            Nested::Leaf(modes) => modes.push(mode),
            Nested::Tuple(_) => return Err(mixed(layout, op)),
        }
    }
    Ok(space)
}

/// A layout of what is made of the modes along each basis vector, with integer strides.
fn gathered<L: Leaf>(
    space: &Space<L>,
    part: &impl Fn(&[Placed<L>]) -> Result<LayoutOf<L>, CuteError>,
) -> Result<LayoutOf<L>, CuteError> {
    match space {
        Nested::Leaf(modes) => part(modes),
        Nested::Tuple(parts) => {
            let parts = parts.iter().map(|space| gathered(space, part));
            Ok(LayoutOf::from_modes(parts.collect::<Result<Vec<_>, _>>()?))
        }
    }
}

/// The modes between those of a layout along one basis vector, of increasing strides. The last one has one element, at the end of
/// what the layout reaches.
fn gaps<L: Leaf>(modes: &[Placed<L>]) -> Result<Vec<ModeOf<L>>, CuteError> {
    let mut reach = L::from(1);
    let mut gaps = Vec::with_capacity(modes.len() + 1);
    for mode in modes {
        let gap = mode.stride.quotient(&reach).filter(|gap| !gap.is(0));
        let shape = gap.ok_or_else(|| CuteError::Overlap {
            op: Op::Complement,
            stride: mode.stride.shown(),
            reach: reach.shown(),
        })?;
        let next = mode.stride.times(&mode.shape)?;
        let stride = std::mem::replace(&mut reach, next).into();
        gaps.push(ModeOf { shape, stride });
    }
    gaps.push(ModeOf {
        shape: L::from(1),
        stride: reach.into(),
    });
    Ok(merged(&LayoutOf::from_leaves(gaps)))
}

/// A layout of integer strides along the basis vector at a path, the outermost mode first.
fn along<L: Leaf>(layout: &LayoutOf<L>, path: &[u32]) -> Result<LayoutOf<L>, CuteError> {
    let inner: Vec<u32> = path.iter().rev().copied().collect();
    layout.rearranged(|tree| {
        tree.try_map(&mut |mode: &ModeOf<L>| {
            let stride = mode.stride.along(&inner);
            let stride = stride.ok_or_else(|| mixed(layout, Op::Complement))?;
            let shape = mode.shape.clone();
            Ok(ModeOf { shape, stride })
        })
    })
}

fn free<L: Leaf>(space: &Space<L>, path: &mut Vec<u32>) -> Result<LayoutOf<L>, CuteError> {
    match space {
        Nested::Leaf(modes) => along(&of_modes(gaps(modes)?), path),
        Nested::Tuple(parts) => {
            let mut modes = Vec::with_capacity(parts.len());
            for (number, part) in (0..).zip(parts) {
                path.push(number);
                modes.push(free(part, path)?);
                path.pop();
            }
            Ok(LayoutOf::from_modes(modes))
        }
    }
}

impl<L: Leaf> LayoutOf<L> {
    /// The complement without a bound: what lies between the modes of the layout, and where it ends, as a mode of one element. Along
    /// each basis vector there is one of its own.
    ///
    /// # Errors
    /// Modes overlap, or are more than one and one of them has a dynamic stride.
    ///
    /// ```
    /// use tilewright_layouts::cute::{Open, TypeLayout};
    /// let layout: TypeLayout = "(2,3):(2@0,4@1)".parse()?;
    /// let layout = layout.map_leaves(&mut |leaf| Open(*leaf));
    /// let free = layout.intrinsic_complement()?.map_leaves(&mut |leaf| leaf.0);
    /// assert_eq!(free.to_string(), "((2,1),(4,1)):((1@0,4@0),(1@1,12@1))");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn intrinsic_complement(&self) -> Result<LayoutOf<L>, CuteError> {
        let modes = self.tree().leaves().cloned().collect();
        free(&placed(self, modes, Op::Complement)?, &mut Vec::new())
    }
}

/// What a tile leaves of a shape.
pub(super) fn rest<L: Leaf>(tile: &LayoutOf<L>, shape: &Nested<L>) -> Result<LayoutOf<L>, CuteError> {
    let modes = tile.tree().leaves().cloned().collect();
    let space = placed(tile, modes, Op::Divide)?;
    extended(tile, Some(&space), shape, &mut Vec::new())
}

/// The complement along each basis vector, up to the end of the shape's mode of that vector. Where the tile has no modes along one
/// (`None`), that is all of the mode.
fn extended<L: Leaf>(
    tile: &LayoutOf<L>,
    space: Option<&Space<L>>,
    shape: &Nested<L>,
    path: &mut Vec<u32>,
) -> Result<LayoutOf<L>, CuteError> {
    let parts = match (space, shape) {
        (Some(Nested::Leaf(modes)), _) => {
            let mut modes = gaps(modes)?;
            let end = modes.pop().ok_or_else(|| mixed(tile, Op::Divide))?;
            let mut taken = end.stride.factor().clone();
            let mut stride = taken.clone();
            for extent in shape.leaves() {
                let shape = extent.ceil_div(&taken)?;
                taken = taken.ceil_div(extent)?;
                let next = stride.times(&shape)?;
                let stride = std::mem::replace(&mut stride, next).into();
                modes.push(ModeOf { shape, stride });
            }
            return along(&of_modes(modes).coalesce(), path);
        }
        (None, Nested::Leaf(extent)) => {
            return along(&LayoutOf::leaf(extent.clone(), L::from(1).into()), path);
        }
        (None, Nested::Tuple(_)) => &[],
        (Some(Nested::Tuple(parts)), _) => parts.as_slice(),
    };
    let modes = match shape {
        Nested::Tuple(modes) if parts.len() <= modes.len() => modes,
        _ => {
            return Err(CuteError::Rank {
                op: Op::Divide,
                found: parts.len(),
                limit: shape.rank(),
            });
        }
    };
    let mut result = Vec::with_capacity(modes.len());
    for (number, mode) in modes.iter().enumerate() {
        path.push(u32::try_from(number).unwrap_or(u32::MAX));
        result.push(extended(tile, parts.get(number), mode, path)?);
        path.pop();
    }
    Ok(LayoutOf::from_modes(result))
}

/// See [`LayoutOf::right_inverse`]. Modes of a dynamic stride are left out.
pub(super) fn right_inverse<L: Leaf>(layout: &LayoutOf<L>) -> Result<LayoutOf<L>, CuteError> {
    static_shapes(layout, Op::RightInverse)?;
    let known = layout.rearranged(|tree| {
        let known = tree.map(&mut |mode: &ModeOf<L>| match mode.stride.factor().is_static() {
            true => mode.clone(),
            false => ModeOf {
                shape: mode.shape.clone(),
                stride: L::from(0).into(),
            },
        });
        Ok::<_, CuteError>(known)
    })?;
    let space = placed(layout, merged(&known), Op::RightInverse)?;
    gathered(&space, &|modes| {
        let (mut reach, mut result) = (L::from(1), Vec::new());
        for mode in modes {
            if mode.stride.same(&reach) {
                reach = mode.shape.times(&mode.stride)?;
                let (shape, stride) = (mode.shape.clone(), mode.position.clone().into());
                result.push(ModeOf { shape, stride });
            }
        }
        Ok(LayoutOf::from_leaves(result).coalesce())
    })
}

/// See [`LayoutOf::left_inverse`].
pub(super) fn left_inverse<L: Leaf>(layout: &LayoutOf<L>) -> Result<LayoutOf<L>, CuteError> {
    static_shapes(layout, Op::LeftInverse)?;
    let strides: Vec<&L> = layout.tree().leaves().map(|mode| mode.stride.factor()).collect();
    if strides.len() > 1
        && let Some(stride) = strides.iter().find(|stride| !stride.is_static())
    {
        return Err(needs_static(*stride, Op::LeftInverse));
    }
    let space = placed(layout, merged(layout), Op::LeftInverse)?;
    gathered(&space, &|modes| {
        let mut before = L::from(1);
        let mut last = ModeOf {
            shape: L::from(1),
            stride: L::from(0).into(),
        };
        let mut result = Vec::with_capacity(modes.len() + 1);
        for mode in modes {
            let divides = before.is(1) || mode.stride.remainder(&before).is_some_and(|rest| rest.is(0));
            let gap = mode.stride.quotient(&before).filter(|_| divides);
            last.shape = gap.ok_or_else(|| CuteError::StrideMultiple {
                op: Op::LeftInverse,
                stride: mode.stride.shown(),
                divisor: before.shown(),
            })?;
            before = before.times(&last.shape)?;
            let next = ModeOf {
                shape: mode.shape.clone(),
                stride: mode.position.clone().into(),
            };
            result.push(std::mem::replace(&mut last, next));
        }
        result.push(last);
        Ok(of_modes(merged(&LayoutOf::from_leaves(result))))
    })
}

fn static_shapes<L: Leaf>(layout: &LayoutOf<L>, op: Op) -> Result<(), CuteError> {
    let dynamic = layout.tree().leaves().find(|mode| !mode.shape.is_static());
    dynamic.map_or(Ok(()), |mode| Err(needs_static(&mode.shape, op)))
}

fn needs_static<L: Leaf>(value: &L, op: Op) -> CuteError {
    CuteError::NeedsStatic {
        op,
        value: value.shown(),
    }
}

fn mixed<L: Leaf>(layout: &LayoutOf<L>, op: Op) -> CuteError {
    let strides: Vec<String> = layout
        .tree()
        .leaves()
        .map(|mode| mode.stride.to_string())
        .collect();
    CuteError::Layout {
        op,
        layout: strides.join(","),
        needed: "strides into a space of one nesting",
    }
}
