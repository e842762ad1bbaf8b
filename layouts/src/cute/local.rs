//! One tile of a layout, and one thread's partition of it.

use super::composed::Composed;
use super::coord::{Coord, CoordOf, Slot, SlotOf};
use super::error::{CuteError, Op};
use super::int::Int;
use super::layout::{Layout, LayoutOf};
use super::leaf::Leaf;
use super::part::Part;
use super::tiler::{Tiler, TilerOf};
use super::tuple::Nested;

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
        let tile = self.layout().local_tile(tiler, coord)?;
        let start = tile.start()?;
        let offset = start
            .leaves()
            .try_fold(self.offset().clone(), |sum, part| sum.plus(part))?;
        Ok(Composed::new(self.swizzle(), offset, tile.free))
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
        let coord = threads.flat_coord(&Int::Static(thread))?;
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

impl<L: Leaf> LayoutOf<L> {
    /// The tile at `coord`: the tile modes, then the rest modes where `coord` has `_` or no entry. See
    /// [`Composed::local_tile`].
    ///
    /// # Errors
    /// Those of [`LayoutOf::zipped_divide`], or `coord` does not fit the rest modes.
    ///
    /// ```
    /// use tilewright_layouts::cute::TypeLayout;
    /// let grid: TypeLayout = "(?,64):(1@0,1@1)".parse()?;
    /// let tile = grid.local_tile(&"[32:1;16:1]".parse()?, &"(2,_)".parse()?)?;
    /// assert_eq!(tile.start()?.to_string(), "(64,0)");
    /// assert_eq!(tile.free.to_string(), "(32,16,4):(1@0,1@1,16@1)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn local_tile(&self, tiler: &TilerOf<L>, coord: &CoordOf<L>) -> Result<Part<L>, CuteError> {
        let divided = self.zipped_divide(tiler)?;
        let (tile, rest) = (divided.mode(&[0])?, divided.mode(&[1])?);
        let mut modes = match tiler {
            // A tiler of the whole layout has one tile mode.
            TilerOf::All | TilerOf::Layout(_) => vec![tile],
            TilerOf::Modes(_) => tile.modes().collect(),
        };
        let mut whole = coord.clone();
        match &mut whole {
            Nested::Leaf(SlotOf::All) => modes.push(rest.clone()),
            Nested::Leaf(SlotOf::At(_)) => (),
            Nested::Tuple(slots) if slots.len() > rest.rank() => {
                return Err(CuteError::Rank {
                    op: Op::Partition,
                    found: slots.len(),
                    limit: rest.rank(),
                });
            }
            Nested::Tuple(slots) => {
                slots.resize(rest.rank(), Nested::Leaf(SlotOf::All));
                for (mode, slot) in rest.modes().zip(slots) {
                    match slot {
                        Nested::Leaf(SlotOf::All) => modes.push(mode),
                        slot if slot.leaves().any(|slot| matches!(slot, SlotOf::All)) => {
                            modes.push(mode.slice(slot)?);
                        }
                        _ => (),
                    }
                }
            }
        }
        Ok(Part {
            chosen: rest,
            at: whole,
            free: LayoutOf::from_modes(modes),
        })
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

/// The value of an integer that has to be static for partitioning.
pub(super) fn known(value: Int) -> Result<u64, CuteError> {
    value.as_static().ok_or(CuteError::NeedsStatic {
        op: Op::Partition,
        value,
    })
}
