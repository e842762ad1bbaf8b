//! Windows of a layout that overlap.

use super::error::{CuteError, Op};
use super::layout::{LayoutOf, ModeOf};
use super::leaf::{Leaf, Stride, integer};
use super::tiler::TilerOf;
use super::tuple::Nested;

impl<L: Leaf> LayoutOf<L> {
    /// The windows of the tile's extents and strides in a layout without nested modes: of (window, where it begins). A window
    /// begins every `step` elements, in each mode, and ends before the end of the mode and the elements that `padding` adds to
    /// it. (CUTLASS: `cute.stencil_divide`.)
    ///
    /// # Errors
    /// The tile, the padding or the step is not nested as the layout is; no window fits; or a number overflows.
    ///
    /// ```
    /// use tilewright_layouts::cute::TypeLayout;
    /// let image: TypeLayout = "(8,?):(1,8)".parse()?;
    /// let windows = image.stencil_divide(&"[3:1;3:2]".parse()?, Some(&"(2,2)".parse()?), None)?;
    /// assert_eq!(windows.to_string(), "((3,3),(8,?)):((1,16),(1,8))");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn stencil_divide(
        &self,
        tile: &TilerOf<L>,
        padding: Option<&Nested<L>>,
        step: Option<&Nested<L::Stride>>,
    ) -> Result<LayoutOf<L>, CuteError> {
        let flat = CuteError::Layout {
            op: Op::Divide,
            layout: self.shown(),
            needed: "modes without nesting, as many as the tile, the padding and the step have",
        };
        let tiles: Vec<Option<&ModeOf<L>>> = match tile {
            TilerOf::All => vec![None],
            TilerOf::Layout(layout) => vec![as_leaf(layout)],
            TilerOf::Modes(tiles) => tiles.iter().map(tiled).collect(),
        };
        let (modes, count) = (self.tree().modes(), tiles.len());
        let fits = modes.len() == count
            && matches!(tile, TilerOf::Modes(_)) != self.tree().is_leaf()
            && padding.is_none_or(|padding| padding.congruent(self.tree()))
            && step.is_none_or(|step| step.congruent(self.tree()));
        let (mut windows, mut starts) = (Vec::new(), Vec::new());
        for (number, (mode, tile)) in modes.iter().zip(tiles).enumerate() {
            let (true, Nested::Leaf(mode), Some(tile)) = (fits, mode, tile) else {
                return Err(flat);
            };
            let padding = padding.and_then(|padding| leaf_at(padding, number));
            let step = step.and_then(|step| leaf_at(step, number));
            let (window, start) = windows_of(mode, tile, padding, step)?;
            windows.push(window);
            starts.push(start);
        }
        match self.tree() {
            Nested::Leaf(_) => {
                let both = windows.into_iter().chain(starts);
                Ok(LayoutOf::from_modes([LayoutOf::from_modes(both)]))
            }
            Nested::Tuple(_) => Ok(LayoutOf::from_modes([windows, starts].map(LayoutOf::from_modes))),
        }
    }
}

fn as_leaf<L: Leaf>(layout: &LayoutOf<L>) -> Option<&ModeOf<L>> {
    match layout.tree() {
        Nested::Leaf(leaf) => Some(leaf),
        Nested::Tuple(_) => None,
    }
}

fn tiled<L: Leaf>(tile: &TilerOf<L>) -> Option<&ModeOf<L>> {
    match tile {
        TilerOf::Layout(layout) => as_leaf(layout),
        TilerOf::All | TilerOf::Modes(_) => None,
    }
}

fn leaf_at<T>(tuple: &Nested<T>, number: usize) -> Option<&T> {
    match tuple.modes().get(number) {
        Some(Nested::Leaf(leaf)) => Some(leaf),
        Some(Nested::Tuple(_)) | None => None,
    }
}

/// The window of a mode, and where windows begin.
fn windows_of<L: Leaf>(
    mode: &ModeOf<L>,
    tile: &ModeOf<L>,
    padding: Option<&L>,
    step: Option<&L::Stride>,
) -> Result<(LayoutOf<L>, LayoutOf<L>), CuteError> {
    let one = L::from(1);
    let stride = integer::<L>(&tile.stride, Op::Divide)?;
    let padded = match padding {
        Some(padding) => mode.shape.plus(padding)?,
        None => mode.shape.clone(),
    };
    let last = tile.shape.minus(&one)?.times(stride)?;
    let room = padded.minus(&last)?.minus(&one)?;
    let (room, between) = match step {
        Some(step) => {
            let step = integer::<L>(step, Op::Divide)?;
            let steps = room.quotient(step).ok_or_else(|| CuteError::Divisibility {
                op: Op::Divide,
                left: room.shown(),
                right: step.shown(),
            })?;
            (steps, mode.stride.scaled(step)?)
        }
        None => (room, mode.stride.clone()),
    };
    Ok((
        LayoutOf::strided(tile.shape.clone(), mode.stride.scaled(stride)?)?,
        LayoutOf::strided(room.plus(&one)?, between)?,
    ))
}
