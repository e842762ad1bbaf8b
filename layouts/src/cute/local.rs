//! One tile of a layout, and one thread's partition of it.

use super::composed::Composed;
use super::coord::{Coord, Slot};
use super::error::{CuteError, Op};
use super::int::Int;
use super::layout::Layout;
use super::tiler::Tiler;
use super::tuple::{IntTuple, Nested};

impl Composed {
    /// Selects the tile at `coord`: the tile modes, then the rest modes where `coord` has `_`. Rest
    /// modes that `coord` lacks are kept, too.
    ///
    /// The layout is divided ([`Layout::zipped_divide`]) and its second mode is fixed at `coord`,
    /// which is added to the offset. An integer `coord` is a flat coordinate of all tiles, the first
    /// mode fastest. (CUTLASS: `local_tile`, `inner_partition`.)
    ///
    /// # Errors
    /// Those of [`Layout::zipped_divide`], or `coord` does not fit the rest modes.
    ///
    /// ```
    /// use tilewright_layouts::cute::Composed;
    /// let a: Composed = "(128,64):(64,1)".parse()?;
    /// let tile = a.local_tile(&"[32:1;16:1]".parse()?, &"(2,_)".parse()?)?;
    /// assert_eq!(tile.to_string(), "Sw<0,4,3> o 4096 o (32,16,4):(64,1,16)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn local_tile(&self, tiler: &Tiler, coord: &Coord) -> Result<Composed, CuteError> {
        let divided = self.layout().zipped_divide(tiler)?;
        let (tile, tiles) = (divided.mode(&[0])?, divided.mode(&[1])?);
        let modes = match tiler {
            // A tiler of the whole layout has one tile mode.
            Tiler::All | Tiler::Layout(_) => vec![tile],
            Tiler::Modes(_) => tile.modes().collect(),
        };
        pick(self, modes, &tiles, coord)
    }

    /// Partitions the layout among threads and selects the part of thread `thread`. `threads` maps
    /// coordinates to threads and is repeated over the layout; a thread gets one element of each
    /// copy.
    ///
    /// The layout is divided by the sizes of the modes of `threads`, and the first mode is fixed at
    /// the thread's coordinate. Thread numbers are taken modulo their count. (CUTLASS:
    /// `local_partition`, `outer_partition`.)
    ///
    /// # Errors
    /// Those of [`Layout::zipped_divide`], or `threads` is not static.
    ///
    /// ```
    /// use tilewright_layouts::cute::Composed;
    /// let tile: Composed = "(16,64):(64,1)".parse()?;
    /// // 2 by 16 threads, the second mode fastest: thread 17 is at (1,1).
    /// let part = tile.local_partition(&"(2,16):(16,1)".parse()?, 17)?;
    /// assert_eq!(part.to_string(), "Sw<0,4,3> o 65 o (8,4):(128,16)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn local_partition(&self, threads: &Layout, thread: u64) -> Result<Composed, CuteError> {
        let tilers = threads
            .modes()
            .map(|mode| Ok(Tiler::Layout(Layout::strided(mode.size()?, 1)?)));
        let tiler = match threads.tree() {
            Nested::Leaf(_) => Tiler::Layout(Layout::strided(threads.size()?, 1)?),
            Nested::Tuple(_) => Tiler::Modes(tilers.collect::<Result<_, CuteError>>()?),
        };
        let divided = self.layout().zipped_divide(&tiler)?;
        let (tile, rest) = (divided.mode(&[0])?, divided.mode(&[1])?);
        let coord = flat_coord(threads, thread)?;
        let coord = match tiler {
            Tiler::Modes(_) => coord.into(),
            Tiler::All | Tiler::Layout(_) => match coord {
                Nested::Leaf(leaf) => Nested::Leaf(Slot::At(leaf)),
                Nested::Tuple(_) => Coord::from(0),
            },
        };
        let offset = self.offset().plus(&tile.index(&coord)?)?;
        Ok(Composed::new(self.swizzle(), offset, rest))
    }
}

/// The entries of a tiler or of a coordinate that a projection keeps, like CuTe's `Step<_1,X,_1>`,
/// which applies one tiler over M, N and K to operands that lack one of them.
///
/// ```
/// use tilewright_layouts::cute::{Tiler, projected};
/// let mnk = ["128:1", "64:1", "32:1"].map(|text| text.parse::<Tiler>());
/// let [m, n, k] = mnk;
/// let tiler = Tiler::Modes(projected(&[m?, n?, k?], &[true, false, true]));
/// assert_eq!(tiler.to_string(), "[128:1;32:1]");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn projected<T: Clone>(entries: &[T], keep: &[bool]) -> Vec<T> {
    let kept = entries.iter().zip(keep).filter(|(_, keep)| **keep);
    kept.map(|(entry, _)| entry.clone()).collect()
}

/// The coordinate of an index of a compact layout, one integer for each mode. (CUTLASS: `get_flat_coord`.)
pub(super) fn flat_coord(layout: &Layout, index: u64) -> Result<IntTuple, CuteError> {
    let natural = layout.coord_of_index(index)?;
    if natural.is_leaf() {
        return Ok(natural);
    }
    let modes = layout.modes().zip(natural.modes()).map(|(mode, coord)| {
        let counted = Layout::column_major(&mode.shape())?;
        counted.index(&Coord::from(coord)).map(Nested::Leaf)
    });
    modes.collect::<Result<_, _>>().map(Nested::Tuple)
}

/// Appends to `modes` those modes of `rest` where `coord` has `_` or no entry; its integers are added
/// to the offset.
fn pick(
    whole: &Composed,
    mut modes: Vec<Layout>,
    rest: &Layout,
    coord: &Coord,
) -> Result<Composed, CuteError> {
    let mut offset = whole.offset().clone();
    match coord {
        Nested::Leaf(Slot::All) => modes.push(rest.clone()),
        Nested::Leaf(Slot::At(_)) => offset = offset.plus(&rest.index(coord)?)?,
        Nested::Tuple(slots) => {
            if slots.len() > rest.rank() {
                return Err(CuteError::Rank {
                    op: Op::Partition,
                    found: slots.len(),
                    limit: rest.rank(),
                });
            }
            for (number, mode) in rest.modes().enumerate() {
                match slots.get(number) {
                    None | Some(Nested::Leaf(Slot::All)) => modes.push(mode),
                    Some(slot) => {
                        offset = offset.plus(&mode.index(slot)?)?;
                        if slot.leaves().any(|slot| *slot == Slot::All) {
                            modes.push(mode.slice(slot)?);
                        }
                    }
                }
            }
        }
    }
    Ok(Composed::new(whole.swizzle(), offset, Layout::from_modes(modes)))
}

/// The value of an integer that has to be static for partitioning.
pub(super) fn known(value: Int) -> Result<u64, CuteError> {
    value.as_static().ok_or(CuteError::NeedsStatic {
        op: Op::Partition,
        value,
    })
}
