//! Limits of bulk copies of plain bytes: `cp.async.bulk`.

use std::fmt;

use super::mbarrier::{Barrier, MAX_BARRIER_COUNT};
use super::target::Target;
use super::violation::{Checker, Limit, Source, Violations};

/// The granularity of sizes and addresses of bulk copies in bytes.
const UNIT: i128 = 16;

const SIZE: Source = Source::ptx("cp.async.bulk", "size");
const ADDRESS: Source = Source::ptx("cp.async.bulk", "dstMem and srcMem");
const TARGET: Source = Source::ptx("cp.async.bulk", "target ISA notes");
const BARRIER: Source = Source::ptx("mbarrier", "size and alignment of the mbarrier object");
const TX_COUNT: Source = Source::ptx("mbarrier", "contents of the mbarrier object");

/// The direction of a bulk copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Direction {
    /// `.shared::cta.global`: to the block's own shared memory; a barrier counts the bytes.
    GlobalToShared,
    /// `.shared::cluster.global`: to shared memory of the cluster; a barrier counts the bytes.
    GlobalToCluster,
    /// `.shared::cluster.shared::cta`: to another block of the cluster; a barrier counts the bytes.
    SharedToCluster,
    /// `.global.shared::cta`: from shared memory; in bulk groups.
    SharedToGlobal,
}

impl Direction {
    /// The qualifiers in PTX.
    pub const fn name(self) -> &'static str {
        match self {
            Direction::GlobalToShared => ".shared::cta.global",
            Direction::GlobalToCluster => ".shared::cluster.global",
            Direction::SharedToCluster => ".shared::cluster.shared::cta",
            Direction::SharedToGlobal => ".global.shared::cta",
        }
    }

    /// Whether completion is signalled on a barrier.
    pub const fn uses_barrier(self) -> bool {
        match self {
            Direction::GlobalToShared | Direction::GlobalToCluster | Direction::SharedToCluster => true,
            Direction::SharedToGlobal => false,
        }
    }
}

/// A field of a bulk copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BulkCopyField {
    /// The target.
    Target,
    /// The number of bytes.
    Size,
    /// The address of the source, in bytes.
    Source,
    /// The address of the destination, in bytes.
    Destination,
    /// The address in shared memory, in bytes.
    SharedAddress,
    /// The address of the barrier, in bytes.
    Barrier,
    /// The number of bytes that the barrier counts.
    TxCount,
    /// The direction of the copy.
    Direction,
    /// The load mode.
    LoadMode,
    /// The number of dimensions of the tensor.
    Rank,
    /// The number of coordinates.
    CoordinateCount,
    /// A coordinate, in elements.
    Coordinate(usize),
    /// The number of im2col offsets.
    OffsetCount,
    /// An offset along entry `i` of W, H, D.
    Offset(usize),
    /// The number of filter halo pixels.
    Halo,
    /// The extent of the box along dimension 1, in elements.
    BoxRows,
    /// The grouping of channels.
    Interleave,
    /// The permutation in shared memory.
    Swizzle,
    /// The element type.
    DataType,
    /// The lower corner of the bounding box, along entry `i` of W, H, D.
    LowerCorner(usize),
    /// The upper corner of the bounding box, along entry `i` of W, H, D.
    UpperCorner(usize),
}

impl fmt::Display for BulkCopyField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BulkCopyField::Target => f.write_str("target"),
            BulkCopyField::Size => f.write_str("size"),
            BulkCopyField::Source => f.write_str("srcMem"),
            BulkCopyField::Destination => f.write_str("dstMem"),
            BulkCopyField::SharedAddress => f.write_str("shared-memory address"),
            BulkCopyField::Barrier => f.write_str("mbar"),
            BulkCopyField::TxCount => f.write_str("tx-count of the copy"),
            BulkCopyField::Direction => f.write_str("direction"),
            BulkCopyField::LoadMode => f.write_str("load mode"),
            BulkCopyField::Rank => f.write_str("tensorRank"),
            BulkCopyField::CoordinateCount => f.write_str("number of tensorCoords"),
            BulkCopyField::Coordinate(index) => write!(f, "tensorCoords[{index}]"),
            BulkCopyField::OffsetCount => f.write_str("number of im2col offsets"),
            BulkCopyField::Offset(index) => write!(f, "im2col offset {index}"),
            BulkCopyField::Halo => f.write_str("wHalo"),
            BulkCopyField::BoxRows => f.write_str("boxDim[1]"),
            BulkCopyField::Interleave => f.write_str("interleave"),
            BulkCopyField::Swizzle => f.write_str("swizzle"),
            BulkCopyField::DataType => f.write_str("tensorDataType"),
            BulkCopyField::LowerCorner(index) => write!(f, "pixelBoxLowerCorner[{index}]"),
            BulkCopyField::UpperCorner(index) => write!(f, "pixelBoxUpperCorner[{index}]"),
        }
    }
}

/// A copy of consecutive bytes: `cp.async.bulk`.
///
/// ```
/// use tilewright_layouts::legality::{BulkCopy, Direction, Target};
/// let mut copy = BulkCopy {
///     target: Target::Sm90a,
///     direction: Direction::GlobalToShared,
///     source: 0x7000_0000,
///     destination: 1024,
///     size: 4096,
///     barrier: 8,
/// };
/// assert!(copy.check().is_ok());
/// copy.size = 40;
/// assert_eq!(
///     copy.check().unwrap_err()[0].to_string(),
///     "size is 40; it has to be a multiple of 16 (PTX ISA, cp.async.bulk, size)"
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BulkCopy {
    /// The target.
    pub target: Target,
    /// The direction.
    pub direction: Direction,
    /// The source address, in bytes, in its state space.
    pub source: u64,
    /// The destination address, in bytes, in its state space.
    pub destination: u64,
    /// The number of bytes.
    pub size: u32,
    /// The address of the barrier in shared memory, if the direction uses one.
    pub barrier: u32,
}

impl BulkCopy {
    /// Checks every rule. The size of a copy with a barrier is also checked against the largest
    /// tx-count.
    ///
    /// # Errors
    /// Every violated rule.
    pub fn check(&self) -> Result<(), Violations<BulkCopyField>> {
        let mut check = Checker::new();
        check_target(&mut check, self.target, TARGET);
        check.multiple_of(BulkCopyField::Size, self.size, UNIT, SIZE);
        check.multiple_of(BulkCopyField::Source, self.source, UNIT, ADDRESS);
        check.multiple_of(BulkCopyField::Destination, self.destination, UNIT, ADDRESS);
        if self.direction.uses_barrier() {
            check_barrier(&mut check, self.barrier, u64::from(self.size));
        }
        check.finish()
    }
}

pub(super) fn check_target(check: &mut Checker<BulkCopyField>, target: Target, source: Source) {
    let limit = Limit::Rule("has to be sm_90 or later");
    check.require(
        target.has_bulk_copy(),
        BulkCopyField::Target,
        target.name(),
        limit,
        source,
    );
}

/// Checks the barrier of a copy of that many bytes.
pub(super) fn check_barrier(check: &mut Checker<BulkCopyField>, address: u32, bytes: u64) {
    let barrier = Barrier { address, arrivals: 1 };
    let limit = Limit::MultipleOf(8);
    check.require(
        barrier.check().is_ok(),
        BulkCopyField::Barrier,
        address,
        limit,
        BARRIER,
    );
    let max = i128::from(MAX_BARRIER_COUNT);
    check.at_most(BulkCopyField::TxCount, bytes, max, TX_COUNT);
}
