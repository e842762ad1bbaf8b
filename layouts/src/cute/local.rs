//! One tile of a layout, and one thread's partition of it.

use super::composed::Composed;
use super::coord::{Coord, CoordOf, SlotOf};
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
        let part = self.layout().local_partition(threads, &Int::Static(thread))?;
        let offset = self.offset().plus(&part.start()?.product()?)?;
        Ok(Composed::new(self.swizzle(), offset, part.free))
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

impl<L: Leaf> LayoutOf<L> {
    /// A thread's part of the layout, of which the threads take one element each by turns. See
    /// [`Composed::local_partition`].
    ///
    /// # Errors
    /// Those of [`LayoutOf::zipped_divide`], or what splits the number of the thread is not decided and not left to run
    /// time.
    ///
    /// ```
    /// use tilewright_layouts::cute::{Fact, TypeLayout};
    /// let rows: TypeLayout = "(16,32):(32,1)".parse()?;
    /// let part = rows.local_partition(&"(4,8):(8,1)".parse()?, &"?".parse()?)?;
    /// assert_eq!((part.start()?.to_string(), part.free.to_string()), ("?".into(), "(4,4):(128,8)".into()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn local_partition(&self, threads: &LayoutOf<L>, thread: &L) -> Result<Part<L>, CuteError> {
        // Threads in a line are a tuple of one mode: they divide the first mode.
        let in_tuple = |is_leaf: bool, of: Nested<L>| match is_leaf {
            true => Nested::Tuple(vec![of]),
            false => of,
        };
        let in_line = matches!(threads.tree(), Nested::Leaf(_));
        let sizes = match in_line {
            true => Nested::Leaf(threads.size()?),
            false => threads.shape().product_each()?,
        };
        let tiler = TilerOf::from_shape(&in_tuple(in_line, sizes))?;
        let divided = self.zipped_divide(&tiler)?;
        let place = in_tuple(in_line, threads.flat_coord(thread)?);
        Ok(Part {
            chosen: divided.mode(&[0])?,
            at: place.map(&mut |leaf| SlotOf::At(leaf.clone())),
            free: divided.mode(&[1])?,
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
