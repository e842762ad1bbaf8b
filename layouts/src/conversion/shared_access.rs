//! The map from a tile's registers to the offsets of a buffer in shared memory.

use super::shared_round_trip::{Side, map};
use crate::bank::{Access, BankCost, BankModel};
use crate::dim::Dim;
use crate::error::LayoutError;
use crate::linear::{LinearLayout, RegisterMap};
use crate::span::Span;

/// The accesses that store a tile to a buffer, or load it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedAccess {
    /// The offset of each accessed register, in elements: from accessed registers, lanes, warps and
    /// blocks to [`Dim::Offset`].
    pub offsets: LinearLayout,
    /// For a store, the register of the tile for each accessed register; replicas in other registers
    /// or threads are left out. For a load, the accessed register for each register of the tile.
    pub registers: RegisterMap,
    /// Elements of one access: accessed registers `n*k` to `n*k + n - 1` have consecutive, aligned offsets.
    pub vector: u32,
    /// The maximum of `vector`.
    pub longest: u32,
    /// Cost of one warp's accesses.
    pub cost: BankCost,
}

impl SharedAccess {
    /// The number of accesses of a thread.
    pub fn accesses(&self) -> u64 {
        u64::from(self.offsets.in_size(Dim::Register) / self.vector.max(1))
    }

    /// Plans the accesses of a tile in registers to a buffer. `memory` is from [`Dim::Offset`] in
    /// elements to the axes; offsets with a zero basis are left out. The accesses have `vector`
    /// elements each, or the number with the fewest cycles.
    ///
    /// # Errors
    /// The layouts are of different tensors, `memory` lacks elements, `element_bytes` is not a power
    /// of two from 1 to 16, or `vector` is not possible.
    ///
    /// ```
    /// use tilewright_layouts::bank::Access;
    /// use tilewright_layouts::conversion::SharedAccess;
    /// use tilewright_layouts::shared::Swizzled;
    /// use tilewright_layouts::Blocked;
    /// let rows = Blocked::coalesced(&[32, 32], 4, &[1, 0], 4)?.to_linear(&[32, 32])?;
    /// let memory = Swizzled::plain(&[1, 0]).to_linear(&[32, 32])?;
    /// let store = SharedAccess::plan(Access::Store, &rows, &memory, 4, None)?;
    /// assert_eq!((store.vector, store.cost.conflicts()), (4, 0));
    /// # Ok::<(), tilewright_layouts::LayoutError>(())
    /// ```
    pub fn plan(
        access: Access,
        tile: &LinearLayout,
        memory: &LinearLayout,
        element_bytes: u32,
        vector: Option<u32>,
    ) -> Result<SharedAccess, LayoutError> {
        tile.require_tensor()?;
        let offsets = tile.invert_and_compose(memory)?;
        let bits = memory.in_bits(Dim::Offset);
        let (side, longest) = Side::with_vector(access, &offsets, BankModel::NVIDIA, element_bytes, vector)?;
        let registers = match access {
            Access::Store => {
                let held = Span::of(offsets.words(Dim::Register).iter().copied());
                RegisterMap::new(map(&held, side.registers()), tile.in_bits(Dim::Register))
            }
            Access::Load => {
                let taken = Span::of(side.registers().iter().copied());
                let count = side.registers().len() as u32;
                RegisterMap::new(map(&taken, offsets.words(Dim::Register)), count)
            }
        };
        Ok(SharedAccess {
            registers,
            vector: side.vector(),
            longest,
            cost: side.cost(),
            offsets: side.layout(bits)?,
        })
    }
}
