//! Instructions spread over threads and tiles.

use tilewright_layouts::cute::{
    CopyAtomOf, CopyEnd, CuteError, Fact, LayoutOf, MmaAtomOf, MmaMatrix, Op, TiledCopyOf, TiledMmaOf,
    TilerOf, TypeLayout, TypeLeaf,
};

use super::atoms::{CopyAtom, MmaAtom};
use super::reader::part;

part! {
    /// A copy of a tile by many threads: `!cute.tiled_copy<ATOM, layout_copy_tv = <"…">, tiler_mn = <"…">>`.
    pub struct TiledCopy {
        /// The instruction.
        atom: CopyAtom,
        /// From (thread, value) to the index in a tile.
        layout: TypeLayout,
        /// What selects a tile.
        tiler: TilerOf<Fact>,
    }
    atom ", layout_copy_tv = <" layout ">, tiler_mn = <" tiler ">"
}

part! {
    /// A product of tiles by many warps: `!cute.tiled_mma<ATOM, atom_layout_MNK = <"…">, permutation_MNK = <"…">>`.
    pub struct TiledMma {
        /// The instruction.
        atom: MmaAtom,
        /// From a place among the instructions along M, N and K to a warp or a warpgroup.
        layout: TypeLayout,
        /// How the elements of each mode are spread over the instructions, where that is not in order.
        permutation: Option<TilerOf<Fact>>,
    }
    atom ", atom_layout_MNK = <" layout ">" [", permutation_MNK = <" permutation ">"]
}

/// A static layout of a type, with leaves of another kind.
fn fixed<L: TypeLeaf>(layout: &TypeLayout) -> Result<LayoutOf<L>, CuteError> {
    match layout.is_static() {
        true => Ok(layout.map_leaves(&mut |leaf| L::input(*leaf, 0))),
        false => Err(CuteError::Layout {
            op: Op::Partition,
            layout: layout.to_string(),
            needed: "a static layout",
        }),
    }
}

fn fixed_tiler<L: TypeLeaf>(tiler: &TilerOf<Fact>) -> Result<TilerOf<L>, CuteError> {
    Ok(match tiler {
        TilerOf::All => TilerOf::All,
        TilerOf::Layout(layout) => TilerOf::Layout(fixed(layout)?),
        TilerOf::Modes(modes) => TilerOf::Modes(modes.iter().map(fixed_tiler).collect::<Result<_, _>>()?),
    })
}

impl TiledCopy {
    /// The copy as layouts; `None` where the type of the instruction does not say its own.
    pub fn layouts<L: TypeLeaf>(&self) -> Option<Result<TiledCopyOf<L>, CuteError>> {
        let atom = self.atom.layouts()?;
        let whole = |atom: CopyAtomOf<Fact>| {
            let end = |end| fixed(atom.end(end));
            let atom = CopyAtomOf::new(
                end(CopyEnd::Source)?,
                end(CopyEnd::Destination)?,
                fixed(atom.reference())?,
            )?;
            TiledCopyOf::new(atom, fixed(&self.layout)?, fixed_tiler(&self.tiler)?)
        };
        Some(atom.and_then(whole))
    }
}

impl TiledMma {
    /// The product as layouts; `None` where the type of the instruction does not say its own.
    pub fn layouts<L: TypeLeaf>(&self) -> Option<Result<TiledMmaOf<L>, CuteError>> {
        let atom = self.atom.layouts()?;
        let mut permutation = match &self.permutation {
            Some(TilerOf::Modes(modes)) => modes.clone(),
            Some(TilerOf::All | TilerOf::Layout(_)) | None => Vec::new(),
        };
        permutation.resize(3, TilerOf::All);
        let [m, n, k] = <[TilerOf<Fact>; 3]>::try_from(permutation).ok()?;
        let whole = |atom: MmaAtomOf<Fact>| {
            let matrix = |matrix| fixed(atom.matrix(matrix));
            let matrices = [
                matrix(MmaMatrix::A)?,
                matrix(MmaMatrix::B)?,
                matrix(MmaMatrix::C)?,
            ];
            let atom = MmaAtomOf::new(atom.shape(), fixed(atom.threads())?, matrices)?;
            let permutation = [fixed_tiler(&m)?, fixed_tiler(&n)?, fixed_tiler(&k)?];
            TiledMmaOf::permuted(atom, fixed(&self.layout)?, permutation)
        };
        Some(atom.and_then(whole))
    }
}
