//! What a multiprocessor has room for, and how fast a GPU is.

use tilewright_irs::isa::Target;

/// The 32-bit registers of a multiprocessor.
const REGISTERS: u32 = 65536;
/// The registers of a warp are allocated in units of this many.
const REGISTER_UNIT: u32 = 256;
/// Shared memory that the system takes of each block, in bytes.
const RESERVED: u64 = 1024;

/// The room of a multiprocessor. Source: CUDA C++ Programming Guide, technical specifications per compute capability.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Room {
    warps: u32,
    blocks: u32,
    shared: u64,
}

fn room(target: Target) -> Option<Room> {
    let (warps, blocks, kilobytes) = match target.sm {
        80 => (64, 32, 164),
        86 => (48, 16, 100),
        87 => (48, 16, 164),
        89 => (48, 24, 100),
        90 | 100 | 103 => (64, 32, 228),
        110 => (48, 24, 228),
        120 | 121 => (48, 24, 100),
        _ => return None,
    };
    Some(Room {
        warps,
        blocks,
        shared: kilobytes << 10,
    })
}

/// The warps of a multiprocessor that a kernel keeps resident, and the most that there is room for; `None` for a target whose
/// room is not known.
pub(super) fn occupancy(target: Target, threads: u32, registers: u32, shared: u64) -> Option<(u32, u32)> {
    let room = room(target)?;
    let warps = threads.div_ceil(32).max(1);
    let by_registers = {
        let warp = (registers.max(1) * 32).next_multiple_of(REGISTER_UNIT);
        REGISTERS / (warp * warps)
    };
    let by_shared = u32::try_from(room.shared / (shared + RESERVED)).unwrap_or(u32::MAX);
    let blocks = room
        .blocks
        .min(room.warps / warps)
        .min(by_registers)
        .min(by_shared);
    Some((blocks * warps, room.warps))
}

/// The speed of a GPU.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Speed {
    /// Bytes of memory a second.
    pub(super) memory: f64,
    /// Operations of matrix products with 16-bit operands a second, without sparsity.
    pub(super) products: f64,
    /// Other operations with 32-bit floats a second, a multiplication and an addition counted as two.
    pub(super) floats: f64,
}

/// The speed of the usual GPU of a target: A100 80GB, RTX 3090, L40S, H100 SXM, B200 and RTX 5090, as their data sheets say.
pub(super) fn speed(target: Target) -> Option<Speed> {
    let (gigabytes, products, floats) = match target.sm {
        80 => (2039.0, 312.0, 19.5),
        86 => (936.0, 71.0, 35.6),
        89 => (864.0, 362.0, 91.6),
        90 => (3350.0, 989.0, 66.9),
        100 => (8000.0, 2250.0, 80.0),
        120 => (1792.0, 209.5, 104.8),
        _ => return None,
    };
    Some(Speed {
        memory: gigabytes * 1e9,
        products: products * 1e12,
        floats: floats * 1e12,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_resource_limits_the_blocks_of_a_multiprocessor() {
        let hopper = Target::sm(90);
        // Eight warps with 32 registers each: only the warps limit them.
        assert_eq!(occupancy(hopper, 256, 32, 0), Some((64, 64)));
        // 65536 registers are those of two blocks of 256 threads with 128.
        assert_eq!(occupancy(hopper, 256, 128, 0), Some((16, 64)));
        // 228 KiB are twice 100 KiB and what is reserved.
        assert_eq!(occupancy(hopper, 128, 32, 100 << 10), Some((8, 64)));
        // No more than 32 blocks.
        assert_eq!(occupancy(hopper, 32, 32, 0), Some((32, 64)));
        assert_eq!(occupancy(Target::sm(86), 32, 32, 0), Some((16, 48)));
    }
}
