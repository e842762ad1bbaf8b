//! Copy instructions as layouts, and tilings of them over threads and a tile.

use super::composed::Composed;
use super::coord::SlotOf;
use super::error::{CuteError, Op};
use super::int::Int;
use super::layout::{Layout, LayoutOf};
use super::leaf::Leaf;
use super::local::known;
use super::part::Part;
use super::tiler::{Tiler, TilerOf};
use super::tuple::{IntTuple, Nested};
use crate::units::{ElementWidth, MatrixCount};

/// A copy instruction as layouts from (thread, value) to an index within the data that it moves: the
/// source layout, the destination layout, and the reference layout, which assigns elements to
/// threads.
///
/// (CUTLASS: `Copy_Atom`.)
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CopyAtomOf<L: Leaf> {
    source: LayoutOf<L>,
    destination: LayoutOf<L>,
    reference: LayoutOf<L>,
}

/// A copy instruction whose layouts are of integers.
pub type CopyAtom = CopyAtomOf<Int>;

/// An end of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CopyEnd {
    /// The source, which is read.
    Source,
    /// The destination, which is written.
    Destination,
}

impl<L: Leaf> CopyAtomOf<L> {
    /// Constructs a copy from its layouts.
    ///
    /// # Errors
    /// The rank of a layout is not two, or the numbers of threads differ.
    pub fn new(
        source: LayoutOf<L>,
        destination: LayoutOf<L>,
        reference: LayoutOf<L>,
    ) -> Result<CopyAtomOf<L>, CuteError> {
        let atom = CopyAtomOf {
            source,
            destination,
            reference,
        };
        let threads = atom.reference.mode(&[0])?.size()?;
        for layout in [&atom.source, &atom.destination, &atom.reference] {
            if layout.rank() != 2 || layout.mode(&[0])?.size()? != threads {
                return Err(CuteError::Layout {
                    op: Op::Partition,
                    layout: layout.shown(),
                    needed: "a layout of (thread, value) for as many threads as the reference",
                });
            }
        }
        Ok(atom)
    }

    /// The layout of one end, from (thread, value) to an index within the data of the instruction.
    pub fn end(&self, end: CopyEnd) -> &LayoutOf<L> {
        match end {
            CopyEnd::Source => &self.source,
            CopyEnd::Destination => &self.destination,
        }
    }

    /// The layout that assigns elements to threads.
    pub fn reference(&self) -> &LayoutOf<L> {
        &self.reference
    }
}

impl<L: Leaf> CopyAtomOf<L> {
    /// Constructs a copy of `values` contiguous elements by one thread: a vector load or store, or
    /// `cp.async`.
    ///
    /// # Errors
    /// `values` is 0.
    ///
    /// ```
    /// use tilewright_layouts::cute::{CopyAtom, CopyEnd};
    /// assert_eq!(CopyAtom::vector(4)?.end(CopyEnd::Source).to_string(), "(1,4):(0,1)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn vector(values: u64) -> Result<CopyAtomOf<L>, CuteError> {
        let layout = LayoutOf::from_modes([LayoutOf::unit(), LayoutOf::strided(values, L::from(1))?]);
        CopyAtomOf::new(layout.clone(), layout.clone(), layout)
    }

    /// Constructs `ldmatrix` for elements of a width. In the source, thread `8 i + r` addresses row
    /// `r` of matrix `i`, 16 bytes (threads beyond the rows repeat the addresses). In the
    /// destination, thread `t` holds the 32 bits at position `t % 4` of row `t / 4` of each matrix;
    /// with `transposed`, the 16 bits of rows `2 (t % 4)` and `2 (t % 4) + 1` at column `t /
    /// 4`. The reference is the destination. (PTX ISA, "ldmatrix"; CUTLASS, `copy_traits_sm75.hpp`.)
    ///
    /// # Errors
    /// The element width is above 32 bits, or above 16 bits if transposed.
    ///
    /// ```
    /// use tilewright_layouts::{ElementWidth, cute::{CopyAtom, CopyEnd, MatrixCount}};
    /// let atom = CopyAtom::ldmatrix(MatrixCount::X4, false, ElementWidth::B16)?;
    /// assert_eq!(atom.end(CopyEnd::Source).to_string(), "(32,8):(8,1)");
    /// assert_eq!(atom.end(CopyEnd::Destination).to_string(), "(32,(2,4)):(2,(1,64))");
    /// # Ok::<(), tilewright_layouts::cute::CuteError>(())
    /// ```
    pub fn ldmatrix(
        count: MatrixCount,
        transposed: bool,
        width: ElementWidth,
    ) -> Result<CopyAtomOf<L>, CuteError> {
        let rows = 8 * u64::from(count.get());
        let strided = |shape: u64, stride: u64| LayoutOf::<L>::strided(L::from(shape), L::from(stride));
        // In bits first: a row has 128, a matrix 1024.
        let named = match count {
            MatrixCount::X1 | MatrixCount::X2 => {
                LayoutOf::from_modes([strided(rows, 128)?, strided(32 / rows, 0)?])
            }
            MatrixCount::X4 => strided(rows, 128)?,
        };
        let source = LayoutOf::from_modes([named, strided(128, 1)?]);
        let per_matrix = match transposed {
            false => vec![strided(32, 1)?],
            true => vec![strided(16, 1)?, strided(2, 128)?],
        };
        let matrices = match count {
            MatrixCount::X1 => None,
            MatrixCount::X2 | MatrixCount::X4 => Some(strided(u64::from(count.get()), 1024)?),
        };
        let mut values: Vec<_> = per_matrix.into_iter().chain(matrices).collect();
        let values = match values.pop() {
            Some(only) if values.is_empty() => only,
            last => LayoutOf::from_modes(values.into_iter().chain(last)),
        };
        let threads = match transposed {
            false => strided(32, 32)?,
            true => LayoutOf::from_modes([strided(4, 256)?, strided(8, 16)?]),
        };
        let destination = LayoutOf::from_modes([threads, values]);
        if transposed && width > ElementWidth::B16 {
            return Err(CuteError::Layout {
                op: Op::Recast,
                layout: destination.shown(),
                needed: "a layout of elements of at most 16 bits, which is what transposition keeps together",
            });
        }
        let cast = |layout: LayoutOf<L>| layout.recast(ElementWidth::B1, width);
        let (source, destination) = (cast(source)?, cast(destination)?);
        CopyAtomOf::new(source, destination.clone(), destination)
    }

    /// Constructs `stmatrix` for elements of a width: `ldmatrix` with source and destination
    /// exchanged.
    ///
    /// # Errors
    /// As [`CopyAtom::ldmatrix`].
    pub fn stmatrix(
        count: MatrixCount,
        transposed: bool,
        width: ElementWidth,
    ) -> Result<CopyAtomOf<L>, CuteError> {
        let load = CopyAtomOf::ldmatrix(count, transposed, width)?;
        CopyAtomOf::new(load.destination, load.source, load.reference)
    }
}

/// A tiled copy: a copy of a tile by many threads, repeated over a layout.
///
/// (CUTLASS: `TiledCopy`.)
///
/// ```
/// use tilewright_layouts::cute::{Composed, CopyAtom, CopyEnd, TiledCopy};
/// // 32 by 8 threads copy 8 elements of a row each, the second mode fastest.
/// let copy = TiledCopy::from_thread_value(
///     CopyAtom::vector(8)?, &"(32,8):(8,1)".parse()?, &"(1,8):(0,1)".parse()?)?;
/// let tile: Composed = "(128,64):(64,1)".parse()?;
/// let part = copy.partition(CopyEnd::Source, &tile, 9)?;
/// assert_eq!(part.to_string(), "Sw<0,4,3> o 72 o ((8,1),4,1):((1,0),2048,0)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TiledCopyOf<L: Leaf> {
    atom: CopyAtomOf<L>,
    /// From (thread, value) to the colexicographic index in the tile.
    layout: LayoutOf<L>,
    tiler: TilerOf<L>,
}

/// A tiled copy whose layouts are of integers.
pub type TiledCopy = TiledCopyOf<Int>;

impl<L: Leaf> TiledCopyOf<L> {
    /// Constructs a tiled copy from `layout`, which maps (thread, value) to the index in the tile
    /// that `tiler` selects.
    ///
    /// # Errors
    /// The rank of `layout` is not two, or its threads or values are not a multiple of the
    /// instruction's.
    pub fn new(
        atom: CopyAtomOf<L>,
        layout: LayoutOf<L>,
        tiler: TilerOf<L>,
    ) -> Result<TiledCopyOf<L>, CuteError> {
        if layout.rank() != 2 {
            return Err(CuteError::Rank {
                op: Op::Partition,
                found: layout.rank(),
                limit: 2,
            });
        }
        for mode in 0..2 {
            let (left, right) = (
                layout.mode(&[mode])?.size()?,
                atom.reference.mode(&[mode])?.size()?,
            );
            if left.exact_quotient(&right).is_none() {
                return Err(CuteError::Divisibility {
                    op: Op::Partition,
                    left: left.shown(),
                    right: right.shown(),
                });
            }
        }
        Ok(TiledCopyOf { atom, layout, tiler })
    }

    /// The instruction.
    pub fn atom(&self) -> &CopyAtomOf<L> {
        &self.atom
    }

    /// The layout from (thread, value) to the colexicographic index in the tile.
    pub fn layout(&self) -> &LayoutOf<L> {
        &self.layout
    }

    /// The tiler that selects one tile of a layout.
    pub fn tiler(&self) -> &TilerOf<L> {
        &self.tiler
    }

    /// The layout from (thread, (value of the instruction, instruction)) to the index in a tile, at
    /// one end of the copy. (CUTLASS: `get_layoutS_TV`, `get_layoutD_TV`.)
    ///
    /// # Errors
    /// The instruction's layouts do not compose with that of the tiled copy.
    ///
    /// ```
    /// use tilewright_layouts::cute::{CopyAtom, CopyEnd, TiledCopy};
    /// let copy = TiledCopy::from_thread_value(
    ///     CopyAtom::vector(8)?, &"(32,8):(8,1)".parse()?, &"(1,8):(0,1)".parse()?)?;
    /// // Of a tile of 32 by 64: thread t begins at row t / 8, column 8 (t % 8).
    /// let layout = copy.thread_values(CopyEnd::Source)?;
    /// assert_eq!(layout.to_string(), "((8,32),(8,1)):((256,1),(32,0))");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn thread_values(&self, end: CopyEnd) -> Result<LayoutOf<L>, CuteError> {
        let reference = &self.atom.reference;
        let sizes = [reference.mode(&[0])?.size()?, reference.mode(&[1])?.size()?];
        let tilers = sizes.map(|size| LayoutOf::strided(size, L::from(1)).map(TilerOf::Layout));
        let tilers = tilers.into_iter().collect::<Result<_, _>>()?;
        let divided = self.layout.zipped_divide(&TilerOf::Modes(tilers))?;
        let to_reference = reference.right_inverse()?.composition(self.atom.end(end))?;
        let atom = divided.mode(&[0])?.composition(&to_reference)?;
        let rest = divided.mode(&[1])?;
        let threads = LayoutOf::from_modes([atom.mode(&[0])?, rest.mode(&[0])?]).coalesce();
        let values = [atom.mode(&[1])?.coalesce(), rest.mode(&[1])?.coalesce()];
        Ok(LayoutOf::from_modes([threads, LayoutOf::from_modes(values)]))
    }

    /// A thread's part of a layout: ((value of the instruction, instruction), rest of each mode). (CUTLASS: `partition_S`,
    /// `partition_D`, which accept threads beyond those of the copy.)
    ///
    /// # Errors
    /// The layout does not divide into tiles.
    pub fn part_of(&self, end: CopyEnd, layout: &LayoutOf<L>, thread: &L) -> Result<Part<L>, CuteError> {
        let divided = layout.zipped_divide(&self.tiler)?;
        let placed = divided.mode(&[0])?.composition(&self.thread_values(end)?)?;
        let rest = divided.mode(&[1])?;
        // As in CUTLASS, a rest of one mode is not unpacked.
        let rest: Vec<_> = match rest.rank() {
            1 => vec![rest],
            _ => rest.modes().collect(),
        };
        let modes = [placed.mode(&[1])?].into_iter().chain(rest);
        Ok(Part {
            chosen: placed.mode(&[0])?,
            at: Nested::Leaf(SlotOf::At(thread.clone())),
            free: LayoutOf::from_modes(modes),
        })
    }

    /// Regroups the values of one thread, of another copy or a product over the same tile, as this copy takes them:
    /// (value of the instruction, rest of each mode). (CUTLASS: `retile`.)
    ///
    /// # Errors
    /// The number of values is dynamic, or they do not divide into those of this copy.
    ///
    /// ```
    /// use tilewright_layouts::cute::{CopyAtom, TiledCopy};
    /// // 32 by 8 threads copy 8 elements of a row each; the fragments have two by four elements.
    /// let copy = TiledCopy::from_thread_value(
    ///     CopyAtom::vector(8)?, &"(32,8):(8,1)".parse()?, &"(1,8):(0,1)".parse()?)?;
    /// let fragments = "((2,4),4,1):((1,2),8,0)".parse()?;
    /// assert_eq!(copy.retile(&fragments)?.to_string(), "((8,1),4,1):((1,0),8,0)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn retile(&self, fragments: &LayoutOf<L>) -> Result<LayoutOf<L>, CuteError> {
        let whole = |size: &L| LayoutOf::column_major(&Nested::Leaf(size.clone()));
        let values = fragments.mode(&[0])?.size()?;
        let threads = self.layout.mode(&[0])?.size()?;
        // From the coordinate in a tile to a block of values of one thread.
        let extents = self.tiler.sizes()?;
        let numbers = self
            .layout
            .right_inverse()?
            .composition(&LayoutOf::column_major(&extents)?)?;
        let block = threads.times(&values)?.known();
        let block = block.and_then(|block| u64::try_from(block).ok());
        let block = block.ok_or_else(|| CuteError::NeedsStatic {
            op: Op::Partition,
            value: values.shown(),
        })?;
        let blocks = numbers.upcast(block)?;
        // From (value of the instruction, rest) to (value of the fragment, coordinate of the block).
        let of_blocks = whole(&values)?.logical_product(&TilerOf::Layout(blocks.right_inverse()?))?;
        let of_values = self.atom.reference.mode(&[1])?.size()?;
        let order = of_blocks.zipped_divide(&TilerOf::Layout(whole(&of_values)?))?;
        let mut tile = vec![whole(&values).map(TilerOf::Layout)?];
        for extent in blocks.shape().product_each()?.modes() {
            tile.push(TilerOf::from_shape(extent)?);
        }
        let divided = fragments.zipped_divide(&TilerOf::Modes(tile))?;
        let placed = divided.mode(&[0])?.composition(&order)?;
        // The rest of the values' own mode is 1.
        let rest = divided.mode(&[1])?;
        let modes = [placed].into_iter().chain(rest.modes().skip(1));
        Ok(LayoutOf::from_modes(modes))
    }
}

impl TiledCopy {
    /// Constructs a tiled copy from `threads`, which maps coordinates to threads, and `values`, which
    /// maps the coordinates within each thread's block to value numbers. (CUTLASS:
    /// `make_tiled_copy`.)
    ///
    /// # Errors
    /// Their product does not exist, or they are not bijections onto the thread and value numbers.
    pub fn from_thread_value(
        atom: CopyAtom,
        threads: &Layout,
        values: &Layout,
    ) -> Result<TiledCopy, CuteError> {
        // From (M,N) to (thread, value), then inverted.
        let places = threads.raked_product(values)?;
        let counts = IntTuple::Tuple(vec![threads.size()?.into(), values.size()?.into()]);
        let inverse = places.right_inverse()?;
        if inverse.size()? != counts.product()? {
            return Err(CuteError::Layout {
                op: Op::Partition,
                layout: places.to_string(),
                needed: "a bijection onto threads and values",
            });
        }
        let layout = inverse.composition(&Layout::column_major(&counts)?)?;
        let sizes = places.modes().map(|mode| mode.size().map(Nested::Leaf));
        let tiler = Tiler::from_shape(&Nested::Tuple(sizes.collect::<Result<_, _>>()?))?;
        TiledCopy::new(atom, layout, tiler)
    }

    /// Partitions a layout and selects the part that a thread reads or writes: ((value of the
    /// instruction, instruction), rest of each mode).
    ///
    /// # Errors
    /// The thread number is out of range, or the layout does not divide into tiles.
    pub fn partition(&self, end: CopyEnd, layout: &Composed, thread: u64) -> Result<Composed, CuteError> {
        let count = known(self.thread_values(end)?.mode(&[0])?.size()?)?;
        if thread >= count {
            return Err(CuteError::NoThread { thread, count });
        }
        let part = self.part_of(end, layout.layout(), &Int::Static(thread))?;
        let offset = layout.offset().plus(&part.start()?.product()?)?;
        Ok(Composed::new(layout.swizzle(), offset, part.free))
    }
}
