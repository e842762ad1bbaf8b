//! Limits of tensor memory: allocation in columns, and the lanes that each warp can access.
//!
//! Tensor memory is a matrix of 128 lanes and 512 columns of 32-bit cells for each block. It is
//! allocated in whole columns and must be deallocated before the kernel ends. (PTX ISA, tensor
//! memory; `tcgen05.alloc`.)

use std::fmt;
use std::ops::Range;

use super::violation::{Checker, Limit, Source, Violations};

/// The number of lanes of tensor memory.
pub const TMEM_LANES: u32 = 128;
/// The number of columns of tensor memory.
pub const TMEM_COLUMNS: u32 = 512;

/// The smallest number of columns of an allocation; every allocation is a multiple of it.
const UNIT: u32 = 32;
/// The number of lanes that one warp can access.
const WARP_LANES: u32 = 32;
/// The number of warps of a warpgroup.
const WARPS: u32 = 4;

const COLUMNS: Source = Source::ptx("tcgen05.alloc", "nCols");
const ORDER: Source = Source::ptx("tcgen05.alloc", "the number of columns should not increase");
const PERMIT: Source = Source::ptx("tcgen05.relinquish_alloc_permit", "description");
const DEALLOC: Source = Source::ptx("tcgen05.dealloc", "taddr");
const EXIT: Source = Source::ptx("tensor memory", "allocation");
const SPACE: Source = Source::ptx("tensor memory", "512 columns and 128 rows");
const RESTRICTION: Source = Source::ptx("tcgen05.ld and tcgen05.st", "access restrictions");
const SHIFT: Source = Source::ptx("tcgen05.shift", "taddr");

/// A field of a use of tensor memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TensorMemoryField {
    /// The number of columns of an allocation.
    Columns,
    /// The total number of columns of live allocations.
    LiveColumns,
    /// The number of an event's allocation, counted from zero.
    Allocation,
    /// The first lane of an access.
    Lane,
    /// The lane after the last one of an access.
    LaneEnd,
    /// The first column of an access.
    Column,
    /// The column after the last one of an access.
    ColumnEnd,
}

impl fmt::Display for TensorMemoryField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TensorMemoryField::Columns => "columns",
            TensorMemoryField::LiveColumns => "live columns",
            TensorMemoryField::Allocation => "allocation",
            TensorMemoryField::Lane => "lane",
            TensorMemoryField::LaneEnd => "lane end",
            TensorMemoryField::Column => "column",
            TensorMemoryField::ColumnEnd => "column end",
        })
    }
}

/// An allocation of tensor memory: all 128 lanes of some columns.
///
/// ```
/// use tilewright_layouts::legality::Allocation;
/// assert!(Allocation { columns: 256 }.check().is_ok());
/// assert!(Allocation { columns: 96 }.check().is_err());
/// assert_eq!(Allocation::for_columns(96), Some(Allocation { columns: 128 }));
/// assert_eq!(Allocation::for_columns(513), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Allocation {
    /// The number of columns.
    pub columns: u32,
}

impl Allocation {
    /// Checks the number of columns: a power of two from 32 to 512.
    ///
    /// # Errors
    /// Every violated rule.
    pub fn check(&self) -> Result<(), Violations<TensorMemoryField>> {
        let mut check = Checker::new();
        self.rules(&mut check);
        check.finish()
    }

    /// The smallest allocation with at least that many columns; `None` above the capacity.
    pub fn for_columns(columns: u32) -> Option<Allocation> {
        let columns = columns.checked_next_power_of_two()?.max(UNIT);
        (columns <= TMEM_COLUMNS).then_some(Allocation { columns })
    }

    fn rules(&self, check: &mut Checker<TensorMemoryField>) {
        let field = TensorMemoryField::Columns;
        let (min, max) = (i128::from(UNIT), i128::from(TMEM_COLUMNS));
        check.range(field, self.columns, min, max, COLUMNS);
        check.require(
            self.columns.is_power_of_two(),
            field,
            self.columns,
            Limit::PowerOfTwo,
            COLUMNS,
        );
    }
}

/// An allocation event of a block, in order of execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AllocationEvent {
    /// `tcgen05.alloc`. Allocations are numbered from zero in the order of these events.
    Alloc(Allocation),
    /// `tcgen05.dealloc` of the allocation of that number.
    Dealloc(usize),
    /// `tcgen05.relinquish_alloc_permit`.
    Relinquish,
}

/// Checks the lifetimes of all allocations of a block from its first event to its exit: each has a
/// legal size no larger than the one before, none follows the release of the permit, live ones fit
/// into the memory (otherwise `alloc` blocks forever if its own block holds the columns), each is
/// deallocated exactly once, and none is live at the end.
///
/// Time: linear in the number of events.
///
/// # Errors
/// Every violated rule, in the order of events.
///
/// ```
/// use tilewright_layouts::legality::{Allocation, AllocationEvent::*, check_allocations};
/// let (big, small) = (Allocation { columns: 256 }, Allocation { columns: 64 });
/// assert!(check_allocations(&[Alloc(big), Alloc(small), Relinquish, Dealloc(1), Dealloc(0)]).is_ok());
/// let leaked = check_allocations(&[Alloc(big)]).unwrap_err();
/// assert!(leaked[0].to_string().starts_with("allocation is 0; it has to be deallocated"));
/// ```
pub fn check_allocations(events: &[AllocationEvent]) -> Result<(), Violations<TensorMemoryField>> {
    let mut check = Checker::new();
    let mut live: Vec<Option<Allocation>> = Vec::new();
    let (mut last, mut held, mut permit) = (u32::MAX, 0u64, true);
    for event in events {
        match *event {
            AllocationEvent::Alloc(allocation) => {
                let number = live.len();
                allocation.rules(&mut check);
                let smaller = last.min(TMEM_COLUMNS);
                check.require(
                    allocation.columns <= last,
                    TensorMemoryField::Columns,
                    allocation.columns,
                    Limit::AtMost(i128::from(smaller)),
                    ORDER,
                );
                let limit = Limit::Rule("has to come before tcgen05.relinquish_alloc_permit");
                check.require(permit, TensorMemoryField::Allocation, number, limit, PERMIT);
                last = allocation.columns;
                held = held.saturating_add(u64::from(allocation.columns));
                let limit = i128::from(TMEM_COLUMNS);
                check.at_most(TensorMemoryField::LiveColumns, held, limit, SPACE);
                live.push(Some(allocation));
            }
            AllocationEvent::Dealloc(number) => {
                let freed = live.get_mut(number).and_then(Option::take);
                let limit = Limit::Rule("has to be a live allocation when it is deallocated");
                check.require(
                    freed.is_some(),
                    TensorMemoryField::Allocation,
                    number,
                    limit,
                    DEALLOC,
                );
                held = held.saturating_sub(freed.map_or(0, |freed| u64::from(freed.columns)));
            }
            AllocationEvent::Relinquish => permit = false,
        }
    }
    for (number, left) in live.iter().enumerate() {
        let limit = Limit::Rule("has to be deallocated before the kernel exits");
        check.require(left.is_none(), TensorMemoryField::Allocation, number, limit, EXIT);
    }
    check.finish()
}

/// An address in tensor memory: a lane in the upper 16 bits, a column in the lower 16.
///
/// ```
/// use tilewright_layouts::legality::TensorMemoryAddress;
/// let address = TensorMemoryAddress { lane: 32, column: 5 };
/// assert_eq!(address.encode(), 0x0020_0005);
/// assert_eq!(TensorMemoryAddress::decode(0x0020_0005), address);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TensorMemoryAddress {
    /// The lane (row).
    pub lane: u16,
    /// The column.
    pub column: u16,
}

impl TensorMemoryAddress {
    /// The 32-bit address. (PTX ISA, tensor memory addressing.)
    pub fn encode(self) -> u32 {
        u32::from(self.lane) << 16 | u32::from(self.column)
    }

    /// The inverse of [`TensorMemoryAddress::encode`].
    pub fn decode(address: u32) -> TensorMemoryAddress {
        let [c0, c1, l0, l1] = address.to_le_bytes();
        TensorMemoryAddress {
            lane: u16::from_le_bytes([l0, l1]),
            column: u16::from_le_bytes([c0, c1]),
        }
    }
}

/// The lanes that a warp can access with `tcgen05.ld` and `tcgen05.st`: lane `32 * (w % 4)` and the
/// following 31 for warp `w` of the block. (PTX ISA, access restrictions.)
///
/// ```
/// use tilewright_layouts::legality::lanes_of_warp;
/// assert_eq!(lanes_of_warp(3), 96..128);
/// assert_eq!(lanes_of_warp(4), 0..32);
/// ```
pub fn lanes_of_warp(warp: u32) -> Range<u32> {
    let first = warp % WARPS * WARP_LANES;
    first..first + WARP_LANES
}

/// A rectangle of tensor memory that a warp loads or stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TensorMemoryAccess {
    /// The warp, numbered within its block.
    pub warp: u32,
    /// The corner of the rectangle with the smallest lane and column.
    pub address: TensorMemoryAddress,
    /// The lanes of the rectangle: 32 for `.32x32b`, 16 for the other shapes.
    pub lanes: u32,
    /// The columns of the rectangle.
    pub columns: u32,
}

impl TensorMemoryAccess {
    /// Checks that the rectangle is within the memory and within the lanes of the warp.
    ///
    /// # Errors
    /// Every violated rule.
    ///
    /// ```
    /// use tilewright_layouts::legality::{TensorMemoryAccess, TensorMemoryAddress};
    /// let address = TensorMemoryAddress { lane: 32, column: 0 };
    /// assert!(TensorMemoryAccess { warp: 1, address, lanes: 32, columns: 128 }.check().is_ok());
    /// assert!(TensorMemoryAccess { warp: 2, address, lanes: 32, columns: 128 }.check().is_err());
    /// ```
    pub fn check(&self) -> Result<(), Violations<TensorMemoryField>> {
        let mut check = Checker::new();
        let (lane, column) = (u32::from(self.address.lane), u32::from(self.address.column));
        let within = lanes_of_warp(self.warp);
        check.range(
            TensorMemoryField::Lane,
            lane,
            i128::from(within.start),
            i128::from(within.end) - 1,
            RESTRICTION,
        );
        let lane_end = u64::from(lane) + u64::from(self.lanes);
        check.at_most(
            TensorMemoryField::LaneEnd,
            lane_end,
            i128::from(within.end),
            RESTRICTION,
        );
        let columns = i128::from(TMEM_COLUMNS);
        check.below(TensorMemoryField::Column, column, columns, SPACE);
        let column_end = u64::from(column) + u64::from(self.columns);
        check.at_most(TensorMemoryField::ColumnEnd, column_end, columns, SPACE);
        check.finish()
    }
}

impl TensorMemoryAddress {
    /// Checks the operand of `tcgen05.shift`: its lane is a multiple of 32.
    ///
    /// # Errors
    /// The lane is not a multiple of 32, or the address is outside of the memory.
    pub fn check_shift(self) -> Result<(), Violations<TensorMemoryField>> {
        let mut check = Checker::new();
        check.multiple_of(TensorMemoryField::Lane, self.lane, i128::from(WARP_LANES), SHIFT);
        check.below(TensorMemoryField::Lane, self.lane, i128::from(TMEM_LANES), SPACE);
        let columns = i128::from(TMEM_COLUMNS);
        check.below(TensorMemoryField::Column, self.column, columns, SPACE);
        check.finish()
    }
}
