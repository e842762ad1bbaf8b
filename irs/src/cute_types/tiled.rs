//! Instructions spread over threads and tiles.

use tilewright_layouts::cute::{CuteError, Fact, TiledCopyOf, TiledMmaOf, TilerOf, TypeLayout};

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

impl TiledCopy {
    /// The copy as layouts; `None` where the type of the instruction does not say its own.
    pub fn layouts(&self) -> Option<Result<TiledCopyOf<Fact>, CuteError>> {
        let atom = self.atom.layouts()?;
        Some(atom.and_then(|atom| TiledCopyOf::new(atom, self.layout.clone(), self.tiler.clone())))
    }
}

impl TiledMma {
    /// The product as layouts; `None` where the type of the instruction does not say its own.
    pub fn layouts(&self) -> Option<Result<TiledMmaOf<Fact>, CuteError>> {
        let atom = self.atom.layouts()?;
        let mut permutation = match &self.permutation {
            Some(TilerOf::Modes(modes)) => modes.clone(),
            Some(TilerOf::All | TilerOf::Layout(_)) | None => Vec::new(),
        };
        permutation.resize(3, TilerOf::All);
        let [m, n, k] = <[TilerOf<Fact>; 3]>::try_from(permutation).ok()?;
        Some(atom.and_then(|atom| TiledMmaOf::permuted(atom, self.layout.clone(), [m, n, k])))
    }
}
