//! How the registers of a tile meet the offsets of a buffer in shared memory.

use super::shared_round_trip::{Side, map};
use crate::bank::{Access, BankCost, BankModel};
use crate::dim::Dim;
use crate::error::LayoutError;
use crate::linear::{LinearLayout, RegisterMap};
use crate::span::Span;

/// The accesses by which a tile is stored to a buffer, or loaded from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedAccess {
    /// The offset of each register accessed, in elements: from accessed registers, lanes, warps and blocks to
    /// [`Dim::Offset`].
    pub offsets: LinearLayout,
    /// For a store, the register of the tile that each register accessed is; what other registers or threads hold
    /// as well is left out. For a load, the register accessed that each register of the tile is.
    pub registers: RegisterMap,
    /// Elements of one access: accessed registers `n*k` to `n*k + n - 1` have consecutive, aligned offsets.
    pub vector: u32,
    /// The most that `vector` could be.
    pub longest: u32,
    /// Cost of one warp's accesses.
    pub cost: BankCost,
}

impl SharedAccess {
    /// Plans the accesses of a tile in registers to a buffer. `memory` is from [`Dim::Offset`] in elements to the
    /// axes; offsets that it sends nowhere are left out. The accesses have `vector` elements each, or as many as cost
    /// fewest cycles.
    ///
    /// # Errors
    /// The two place different tensors, `memory` leaves elements out, `element_bytes` is not a power of two from 1 to
    /// 16, or `vector` is not possible.
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
