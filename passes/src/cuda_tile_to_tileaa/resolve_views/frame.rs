//! The frame of a kernel: the place of each `alloca`, and where the block's own frame is.

use tilewright_diagnostics::{Code, Diagnostic, counted};
use tilewright_irs::core::{Func, OpId, Origin, SideTable, Value};
use tilewright_irs::cuda_tile::{CudaTile, Element, MemoryOp, TileOp};

/// Blocks that run at once: 32 on each of 160 multiprocessors, rounded down to a power of two. (CUDA C++ Programming
/// Guide, technical specifications per compute capability: "maximum number of resident blocks per SM".)
const MOST_SLOTS: u64 = 4096;
/// Limit of all frames of a kernel, in bytes.
const MOST_BYTES: u64 = 128 << 20;
/// Least alignment of a frame: that of memory which the CUDA driver allocates.
const ALIGN: u64 = 256;

/// The frame of a kernel.
pub(super) struct Frame {
    /// The kernel's name.
    pub(super) kernel: String,
    /// The place of each `alloca` in the frame, in bytes.
    pub(super) places: SideTable<OpId, u64>,
    /// The size and the alignment of a frame, in bytes.
    pub(super) size: u64,
    pub(super) align: u64,
    /// The block's slot, once the new body takes one.
    pub(super) slot: Option<Slot>,
}

/// What a block holds.
#[derive(Clone, Copy)]
pub(super) struct Slot {
    /// The address of its frame.
    pub(super) frame: Value,
    /// The address of the slot's flag.
    pub(super) flag: Value,
}

impl Frame {
    /// The frame of a kernel; `None` without an `alloca`.
    ///
    /// # Errors
    /// The frame exceeds the limit (E0710).
    pub(super) fn of(func: &Func<CudaTile>) -> Result<Option<Self>, Diagnostic<Origin>> {
        let mut places = SideTable::new(func.body.op_count());
        let (mut size, mut most) = (0u64, ALIGN);
        let mut any = false;
        for id in func.body.walk() {
            let op = func.body.op(id);
            let TileOp::Memory(MemoryOp::Alloca {
                num_elem, alignment, ..
            }) = op.kind
            else {
                continue;
            };
            any = true;
            let result = func.body.ty(op.result(0)).as_tile();
            let bits = result.map_or(8, |tile| match tile.element {
                Element::Ptr(pointer) => pointer.pointee.bytes().map_or(4, |bytes| bytes * 8),
                Element::Scalar(_) => 8,
            });
            let count = u64::try_from(num_elem).unwrap_or(0);
            let bytes = count.saturating_mul(bits.into()).div_ceil(8);
            // The language's verifier refuses what is no power of two.
            let align = u64::try_from(alignment).unwrap_or(1).max(1);
            let place = size.checked_next_multiple_of(align);
            let end = place.and_then(|place| place.checked_add(bytes));
            let Some((place, end)) = place
                .zip(end)
                .filter(|(_, end)| *end <= MOST_BYTES && align <= MOST_BYTES)
            else {
                let message = format!(
                    "`alloca` of {} with alignment {align} after {} of others exceeds the temporary memory of a kernel, \
                     {MOST_BYTES} bytes",
                    counted(count, "element"),
                    counted(size, "byte")
                );
                return Err(Diagnostic::error(Code::TemporaryMemory, message).at(op.origin, ""));
            };
            places.set(id, place);
            size = end;
            most = most.max(align);
        }
        Ok(any.then(|| Self {
            kernel: func.name.clone(),
            places,
            size: size.max(1).next_multiple_of(most),
            align: most,
            slot: None,
        }))
    }

    /// The number of slots, a power of two.
    pub(super) fn slots(&self) -> u64 {
        let most = (MOST_BYTES / self.size).clamp(1, MOST_SLOTS);
        1 << most.ilog2()
    }
}
