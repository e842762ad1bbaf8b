//! Matrix-multiply instructions as layouts, and tilings of them over warps and over a problem.

use super::composed::Composed;
use super::coord::SlotOf;
use super::error::{CuteError, Op};
use super::int::Int;
use super::layout::{Layout, LayoutOf};
use super::leaf::Leaf;
use super::local::known;
use super::part::Part;
use super::tiler::{Tiler, TilerOf};
use super::tuple::Nested;

/// An operand matrix of `C += A B`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MmaMatrix {
    /// M by K.
    A,
    /// N by K, the transpose of the usual notation, as in CuTe.
    B,
    /// M by N.
    C,
}

impl MmaMatrix {
    /// All three matrices.
    pub const ALL: [MmaMatrix; 3] = [MmaMatrix::A, MmaMatrix::B, MmaMatrix::C];

    /// The positions of the matrix's two modes in M, N, K.
    pub const fn modes(self) -> [usize; 2] {
        match self {
            MmaMatrix::A => [0, 2],
            MmaMatrix::B => [1, 2],
            MmaMatrix::C => [0, 1],
        }
    }
}

/// A matrix-multiply instruction as three layouts from (thread, value) to the index of an element: `m
/// + M k` for A, `n + N k` for B, `m + M n` for C.
///
/// (CUTLASS documentation: *CuTe's support for Matrix Multiply-Accumulate instructions*,
/// `media/docs/cpp/cute/0t_mma_atom.md`.) The bridge constructs them for instructions:
/// [`mma_atom`](crate::bridge::mma_atom), [`wgmma_atom`](crate::bridge::wgmma_atom).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MmaAtomOf<L: Leaf> {
    shape: [u64; 3],
    threads: LayoutOf<L>,
    matrices: [LayoutOf<L>; 3],
}

/// A matrix-multiply instruction whose layouts are of integers.
pub type MmaAtom = MmaAtomOf<Int>;

impl<L: Leaf> MmaAtomOf<L> {
    /// Constructs an instruction of shape `shape` (M, N, K) from the map `threads` of its thread
    /// numbers to threads and the layouts of A, B and C.
    ///
    /// # Errors
    /// The rank of a layout is not two, the size of its first mode differs from that of `threads`, or
    /// it reaches an element outside of its matrix; or an integer is dynamic.
    ///
    /// ```
    /// use tilewright_layouts::cute::{Layout, MmaAtom};
    /// // m8n8k4 on f64: every thread holds one element of A and B and two of C.
    /// let [a, b, c] = ["((4,8),1):((8,1),0)", "((4,8),1):((8,1),0)", "((4,8),2):((16,1),8)"];
    /// let atom = MmaAtom::new([8, 8, 4], "32:1".parse()?, [a.parse()?, b.parse()?, c.parse()?])?;
    /// assert_eq!(atom.shape(), [8, 8, 4]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(
        shape: [u64; 3],
        threads: LayoutOf<L>,
        matrices: [LayoutOf<L>; 3],
    ) -> Result<MmaAtomOf<L>, CuteError> {
        let atom = MmaAtomOf {
            shape,
            threads,
            matrices,
        };
        let count = atom.threads.size()?;
        for matrix in MmaMatrix::ALL {
            let layout = atom.matrix(matrix);
            let [rows, columns] = atom.extents(matrix);
            let elements = L::from(rows).times(&L::from(columns))?;
            let fits = layout.rank() == 2
                && layout.is_static()
                && layout.mode(&[0])?.size()? == count
                && layout.cosize()?.provably_le(&elements) == Some(true);
            if !fits {
                return Err(CuteError::Layout {
                    op: Op::Partition,
                    layout: layout.shown(),
                    needed: "a static layout of (thread, value) for this instruction's threads and matrix",
                });
            }
        }
        Ok(atom)
    }

    /// M, N and K.
    pub fn shape(&self) -> [u64; 3] {
        self.shape
    }

    /// The map from the instruction's thread numbers to threads.
    pub fn threads(&self) -> &LayoutOf<L> {
        &self.threads
    }

    /// The layout of a matrix, from (thread, value) to the index of the element.
    pub fn matrix(&self, matrix: MmaMatrix) -> &LayoutOf<L> {
        let [a, b, c] = &self.matrices;
        match matrix {
            MmaMatrix::A => a,
            MmaMatrix::B => b,
            MmaMatrix::C => c,
        }
    }

    /// The sizes of the modes of a matrix.
    pub fn extents(&self, matrix: MmaMatrix) -> [u64; 2] {
        let [m, n, k] = self.shape;
        match matrix {
            MmaMatrix::A => [m, k],
            MmaMatrix::B => [n, k],
            MmaMatrix::C => [m, n],
        }
    }
}

/// A tiled MMA: an instruction executed by several groups of threads and repeated over a problem.
///
/// (CUTLASS: `TiledMMA`.)
///
/// ```
/// use tilewright_layouts::cute::{Composed, MmaMatrix, TiledMma};
/// use tilewright_layouts::{bridge, distributed::MmaSync};
///
/// // Two by two warps of m16n8k16 on f16: the tile is 32 by 16 by 16.
/// let atom = bridge::mma_atom(MmaSync::M16N8K16B16)?;
/// let mma = TiledMma::new(atom, "(2,2,1):(1,2,0)".parse()?)?;
/// assert_eq!(mma.tile()?, [32, 16, 16]);
/// // Thread 33, lane 1 of the second warp, of a row-major C of 64 by 64.
/// let c: Composed = "(64,64):(64,1)".parse()?;
/// let part = mma.partition(MmaMatrix::C, &c, 33)?;
/// assert_eq!(part.to_string(), "Sw<0,4,3> o 1026 o ((2,2),2,4):((1,512),2048,16)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TiledMmaOf<L: Leaf> {
    atom: MmaAtomOf<L>,
    /// From (thread of the instruction, M, N, K) to thread.
    threads: LayoutOf<L>,
    permutation: [TilerOf<L>; 3],
}

/// A tiled MMA whose layouts are of integers.
pub type TiledMma = TiledMmaOf<Int>;

impl<L: Leaf> TiledMmaOf<L> {
    /// Constructs a tiled MMA with one instruction at each coordinate (M, N, K) of `atoms`, which
    /// maps it to the number of the group of threads that executes it.
    ///
    /// # Errors
    /// The rank of `atoms` is not three, or it does not repeat the atom's threads.
    pub fn new(atom: MmaAtomOf<L>, atoms: LayoutOf<L>) -> Result<TiledMmaOf<L>, CuteError> {
        Self::permuted(atom, atoms, [TilerOf::All, TilerOf::All, TilerOf::All])
    }

    /// As [`TiledMma::new`], with each mode M, N, K of the problem first divided by a tiler, which
    /// selects the elements that the groups of threads cover. [`Tiler::All`] selects consecutive
    /// elements.
    ///
    /// # Errors
    /// As [`TiledMma::new`].
    pub fn permuted(
        atom: MmaAtomOf<L>,
        atoms: LayoutOf<L>,
        permutation: [TilerOf<L>; 3],
    ) -> Result<TiledMmaOf<L>, CuteError> {
        if atoms.rank() != 3 {
            return Err(CuteError::Rank {
                op: Op::Partition,
                found: atoms.rank(),
                limit: 3,
            });
        }
        let threads = atom.threads.tiled_product(&TilerOf::Layout(atoms))?;
        Ok(TiledMmaOf {
            atom,
            threads,
            permutation,
        })
    }

    /// The instruction.
    pub fn atom(&self) -> &MmaAtomOf<L> {
        &self.atom
    }

    /// The map from (thread of the instruction, M, N, K) to the thread.
    pub fn threads(&self) -> &LayoutOf<L> {
        &self.threads
    }

    /// The tiler that first divides mode M, N or K.
    fn tiler(&self, mode: usize) -> Result<TilerOf<L>, CuteError> {
        match self.permutation.get(mode) {
            Some(TilerOf::All) | None => {
                let extent = self.atom.shape.get(mode).copied().unwrap_or(1);
                let size = L::from(extent).times(&self.threads.mode(&[mode + 1])?.size()?)?;
                Ok(TilerOf::Layout(LayoutOf::strided(size, L::from(1))?))
            }
            Some(tiler) => Ok(tiler.clone()),
        }
    }

    /// The layout of a matrix, given as a layout of its two modes, from `((thread of the instruction,
    /// (group along the first mode, along the second)), (value, (rest of the first, of the
    /// second)))`. (CUTLASS: `thrfrg_A`, `thrfrg_B`, `thrfrg_C`.)
    ///
    /// # Errors
    /// The layout does not divide into tiles of these sizes.
    pub fn thread_fragments(
        &self,
        matrix: MmaMatrix,
        layout: &LayoutOf<L>,
    ) -> Result<LayoutOf<L>, CuteError> {
        let modes = matrix.modes();
        let tilers = modes.map(|mode| self.tiler(mode));
        let tiled = layout.logical_divide(&modes_of(tilers)?)?;
        let extents = self.atom.extents(matrix);
        let atoms = extents.map(|extent| LayoutOf::strided(extent, L::from(1)).map(TilerOf::Layout));
        let divided = tiled.zipped_divide(&modes_of(atoms)?)?;
        let atom = divided.mode(&[0])?.composition(self.atom.matrix(matrix))?;
        let groups = modes.map(|mode| {
            let size = self.threads.mode(&[mode + 1])?.size()?;
            LayoutOf::strided(size, L::from(1)).map(TilerOf::Layout)
        });
        let rest = divided.mode(&[1])?.zipped_divide(&modes_of(groups)?)?;
        let part = |which: usize| {
            let modes = [atom.mode(&[which])?, rest.mode(&[which])?];
            Ok::<_, CuteError>(LayoutOf::from_modes(modes))
        };
        Ok(LayoutOf::from_modes([part(0)?, part(1)?]))
    }

    /// A thread's part of a matrix: (value, rest of the first mode, rest of the second). Thread numbers are taken modulo
    /// their count. (CUTLASS: `partition_A`, `partition_B`, `partition_C`.)
    ///
    /// # Errors
    /// As [`TiledMma::thread_fragments`].
    pub fn part_of(&self, matrix: MmaMatrix, layout: &LayoutOf<L>, thread: &L) -> Result<Part<L>, CuteError> {
        let fragments = self.thread_fragments(matrix, layout)?;
        let [first, second] = matrix.modes();
        let at = |mode: usize| {
            let place = self.threads.mode(&[mode])?.place_of(thread)?;
            Ok::<_, CuteError>(Nested::Leaf(SlotOf::At(place)))
        };
        let (value, rest) = (fragments.mode(&[1, 0])?, fragments.mode(&[1, 1])?);
        let modes = [value].into_iter().chain(rest.modes());
        Ok(Part {
            chosen: fragments.mode(&[0])?,
            at: Nested::Tuple(vec![at(0)?, Nested::Tuple(vec![at(first + 1)?, at(second + 1)?])]),
            free: LayoutOf::from_modes(modes),
        })
    }
}

impl TiledMma {
    /// The tile (M, N, K) that all threads compute with one instruction each, or a larger one that
    /// the permutation sets.
    ///
    /// # Errors
    /// It is dynamic or overflows a 64-bit integer.
    pub fn tile(&self) -> Result<[u64; 3], CuteError> {
        let mut sizes = [0; 3];
        for (mode, size) in sizes.iter_mut().enumerate() {
            *size = known(tiler_size(&self.tiler(mode)?)?)?;
        }
        Ok(sizes)
    }

    /// Selects the part of a matrix that a thread holds: (value, rest of the first mode, rest of the
    /// second). The offset is that of the thread's first element. Thread numbers are taken modulo
    /// their count.
    ///
    /// # Errors
    /// As [`TiledMma::thread_fragments`].
    pub fn partition(
        &self,
        matrix: MmaMatrix,
        layout: &Composed,
        thread: u64,
    ) -> Result<Composed, CuteError> {
        let part = self.part_of(matrix, layout.layout(), &Int::Static(thread))?;
        let offset = layout.offset().plus(&part.start()?.product()?)?;
        Ok(Composed::new(layout.swizzle(), offset, part.free))
    }

    /// The layout from (thread, value) to the colexicographic index of the element of a matrix of one
    /// [`TiledMma::tile`]. (CUTLASS: `get_layoutA_TV`, `get_layoutB_TV`, `get_layoutC_TV`.)
    ///
    /// # Errors
    /// As [`TiledMma::thread_fragments`]; or the thread numbering is not compact.
    ///
    /// ```
    /// use tilewright_layouts::cute::{MmaMatrix, TiledMma};
    /// use tilewright_layouts::{bridge, distributed::MmaSync};
    /// let atom = bridge::mma_atom(MmaSync::M16N8K16B16)?;
    /// let mma = TiledMma::new(atom, "(2,2,1):(1,2,0)".parse()?)?;
    /// let layout = mma.thread_values(MmaMatrix::A)?;
    /// // The warps along N, the last mode of threads, hold copies of A.
    /// assert_eq!(layout.to_string(), "((4,8,2,2),(2,2,2)):((64,1,16,0),(32,8,256))");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn thread_values(&self, matrix: MmaMatrix) -> Result<Layout, CuteError> {
        let sizes = self.tile()?;
        let extents = matrix.modes().map(|mode| sizes.get(mode).copied().unwrap_or(1));
        let tile = Layout::column_major(&extents.into())?;
        let fragments = self.thread_fragments(matrix, &tile)?;
        let (thread, groups) = (fragments.mode(&[0, 0])?, fragments.mode(&[0, 1])?);
        // From (thread of the instruction, M, N, K) to elements; the mode that the matrix lacks has
        // stride 0.
        let along = |mode: usize| {
            let place = matrix.modes().iter().position(|known| *known == mode);
            match place {
                Some(place) => groups.mode(&[place]),
                None => Layout::strided(self.threads.mode(&[mode + 1])?.size()?, 0),
            }
        };
        let elements = Layout::from_modes([thread, along(0)?, along(1)?, along(2)?]);
        let by_thread = elements.composition(&self.threads.right_inverse()?)?;
        if by_thread.size()? != self.threads.size()? {
            return Err(CuteError::Layout {
                op: Op::Partition,
                layout: self.threads.to_string(),
                needed: "a bijection onto the threads",
            });
        }
        let flat = |layout: Layout| layout.coalesce();
        Ok(Layout::from_modes([flat(by_thread), flat(fragments.mode(&[1])?)]))
    }
}

fn modes_of<L: Leaf>(tilers: [Result<TilerOf<L>, CuteError>; 2]) -> Result<TilerOf<L>, CuteError> {
    tilers.into_iter().collect::<Result<_, _>>().map(TilerOf::Modes)
}

/// The number of elements of a mode that a tiler selects.
fn tiler_size(tiler: &Tiler) -> Result<Int, CuteError> {
    match tiler {
        Tiler::All => Ok(Int::ONE),
        Tiler::Layout(layout) => layout.size(),
        Tiler::Modes(tilers) => {
            let mut sizes = tilers.iter();
            sizes.try_fold(Int::ONE, |product, tiler| product.times(&tiler_size(tiler)?))
        }
    }
}
