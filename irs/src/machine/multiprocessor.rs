//! What a multiprocessor has room for.

use tilewright_layouts::Bytes;

use super::units::Registers;
use super::{LANES, threads};
use crate::isa::limits;

/// The room of a multiprocessor, which its blocks divide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Multiprocessor {
    /// The most resident warps. (Guide, traits.)
    pub warps: u32,
    /// The most resident blocks. (Guide, header.)
    pub blocks: u32,
    /// Shared memory. (Guide, traits.)
    pub shared: Bytes,
    /// The most shared memory of a block, for which its launch must ask. (Guide, traits.)
    pub shared_opt_in: Bytes,
    /// The most shared memory that a kernel declares. Kernels declare all that they use, since their launcher asks for
    /// none: it is 48 KiB without the features of one architecture. (ptxas.)
    pub shared_static: Bytes,
    /// Shared memory that the system takes of each block. (Traits.)
    pub shared_reserved: Bytes,
    /// Shared memory is given to blocks in units of this size. (Header.)
    pub shared_unit: Bytes,
    /// Columns of tensor memory; 0 without. (PTX ISA, "Tensor Memory".)
    pub tensor_columns: u32,
}

/// A block that resides on a multiprocessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resident {
    /// Its warps.
    pub warps: u32,
    /// The registers of each of its threads.
    pub registers: Registers,
    /// The shared memory that it declares.
    pub shared: Bytes,
}

impl Multiprocessor {
    /// The registers of a multiprocessor, and the most of a block. (Guide, traits.)
    pub const REGISTERS: Registers = Registers(65_536);
    /// The most registers of a thread. (Guide.)
    pub const THREAD_REGISTERS: Registers = Registers(255);
    /// The registers of a warp are allocated in units of this many. (Header.)
    pub const WARP_UNIT: Registers = Registers(256);
    /// The same for one thread.
    pub const THREAD_UNIT: Registers = Registers(Self::WARP_UNIT.0 / LANES);
    /// The registers of a thread that one `wgmma` needs beside those of its operands: ptxas refuses a kernel whose threads begin
    /// with fewer, whatever `setmaxnreg` gives them later (C7602, or C7600). (ptxas.)
    pub const BESIDE_WGMMA: Registers = Registers(26);
    /// The parts of a multiprocessor, each with a scheduler, a quarter of the registers, and units of its own. (Header.)
    pub const PARTITIONS: u32 = 4;
    /// The most resident blocks on any target. (Header.)
    pub const MOST_BLOCKS: u32 = 32;
    /// The most warps of a block. (Guide.)
    pub const BLOCK_WARPS: u32 = limits::MOST_THREADS / LANES;

    /// The most registers of a thread, up to a unit, with which `blocks` blocks of `block_threads` threads fit. The registers
    /// of a warp are those of one of the partitions. (Header.)
    pub fn thread_registers(block_threads: u32, blocks: u32) -> Registers {
        let resident = block_threads.div_ceil(LANES).saturating_mul(blocks);
        let in_partition = resident.div_ceil(Self::PARTITIONS).max(1);
        let of_warp =
            Registers(Self::REGISTERS.0 / Self::PARTITIONS / in_partition).round_down(Self::WARP_UNIT);
        Registers(of_warp.0 / LANES).min(Self::THREAD_REGISTERS)
    }

    /// The number of blocks of `block_threads` threads whose registers fit, each in one of the partitions. (Header.)
    pub fn blocks_by_registers(block_threads: u32, each: Registers) -> u32 {
        let of_warp = Registers(each.0.max(1).saturating_mul(LANES)).round_up(Self::WARP_UNIT);
        let in_partition = Self::REGISTERS.0 / Self::PARTITIONS / of_warp.0;
        in_partition * Self::PARTITIONS / block_threads.div_ceil(LANES).max(1)
    }

    /// The number of blocks whose shared memory fits.
    pub fn blocks_by_shared(&self, bytes: Bytes) -> u32 {
        let taken = (bytes.0.saturating_add(self.shared_reserved.0)).next_multiple_of(self.shared_unit.0);
        u32::try_from(self.shared.0 / taken.max(1)).unwrap_or(u32::MAX)
    }

    /// The most shared memory that each of `blocks` blocks may declare.
    pub fn shared_of(&self, blocks: u32) -> Bytes {
        let share = self.shared.0 / u64::from(blocks.max(1)) / self.shared_unit.0 * self.shared_unit.0;
        Bytes(share.saturating_sub(self.shared_reserved.0)).min(self.shared_static)
    }

    /// The number of blocks that reside on a multiprocessor at a time. (Header.)
    pub fn resident(&self, block: &Resident) -> u32 {
        let warps = block.warps.max(1);
        // A launch is refused as if all partitions had as many warps of the block.
        let by_registers = match block.registers > Self::thread_registers(threads(warps), 1) {
            true => 0,
            false => Self::blocks_by_registers(threads(warps), block.registers),
        };
        let by_shared = self.blocks_by_shared(block.shared);
        self.blocks
            .min(self.warps / warps)
            .min(by_registers)
            .min(by_shared)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::Target;
    use crate::machine::Machine;

    fn resident(sm: u16, warps: u32, registers: u32, shared: u64) -> u32 {
        Machine::of(Target::sm(sm)).multiprocessor.resident(&Resident {
            warps,
            registers: Registers(registers),
            shared: Bytes(shared),
        })
    }

    #[test]
    fn each_resource_limits_the_blocks_of_a_multiprocessor() {
        // Eight warps with 32 registers each: only the 64 warps limit them.
        assert_eq!(resident(90, 8, 32, 0), 8);
        // 65536 registers are those of two blocks of 256 threads with 128.
        assert_eq!(resident(90, 8, 128, 0), 2);
        // 228 KiB are twice 100 KiB and what is reserved.
        assert_eq!(resident(90, 4, 32, 100 << 10), 2);
        // Of 113 KiB and 1 KiB two take all, of one byte more only one fits.
        assert_eq!(resident(90, 4, 32, 113 << 10), 2);
        assert_eq!(resident(90, 4, 32, (113 << 10) + 1), 1);
        // No more than so many blocks.
        assert_eq!(resident(90, 1, 32, 0), 32);
        assert_eq!(resident(86, 1, 32, 0), 16);
        assert_eq!(resident(89, 1, 32, 0), 24);
        // A warp with 96 registers has 3072 of the 16384 of a partition: five, and twenty in all.
        assert_eq!(resident(90, 1, 96, 0), 20);
        // 32 warps with 72 registers have 2304 each: 73728 are too many, 65536 with 64 are not.
        assert_eq!(resident(90, 32, 72, 0), 0);
        assert_eq!(resident(90, 32, 64, 0), 1);
    }

    #[test]
    fn blocks_leave_registers_to_each_other() {
        for (threads, blocks, registers) in [
            (128, 1, 255),
            (128, 2, 255),
            // 65536 / 640 is 102.4, 96 in units of eight.
            (128, 5, 96),
            (256, 2, 128),
            // Five warps take as much as eight, fifteen as much as sixteen.
            (160, 1, 255),
            (160, 2, 168),
            (160, 3, 128),
            (288, 1, 168),
            (1024, 1, 64),
            (1024, 32, 0),
            (0, 0, 255),
        ] {
            assert_eq!(
                Multiprocessor::thread_registers(threads, blocks),
                Registers(registers),
                "{threads} {blocks}"
            );
        }
        assert_eq!(Multiprocessor::blocks_by_registers(128, Registers(96)), 5);
        assert_eq!(Multiprocessor::blocks_by_registers(128, Registers(97)), 4);
        assert_eq!(Multiprocessor::blocks_by_registers(1024, Registers(72)), 0);
    }

    #[test]
    fn blocks_leave_shared_memory_to_each_other() {
        let of = |name: &str, blocks| {
            let machine = Machine::of(Target::parse(name).expect("a target"));
            machine.multiprocessor.shared_of(blocks).0
        };
        assert_eq!(of("sm_90a", 1), 227 << 10);
        assert_eq!(of("sm_90a", 2), 113 << 10);
        assert_eq!(of("sm_90a", 3), 76 * 1024 - 1024);
        assert_eq!(of("sm_80", 1), 48 << 10);
        // 100 KiB a third is 34133.3 bytes, 266 units of 128 bytes.
        assert_eq!(of("sm_120a", 3), 34_048 - 1024);
        assert_eq!(of("sm_80", 4), 40 << 10);
        assert_eq!(of("sm_120a", 2), 49 << 10);
    }
}
