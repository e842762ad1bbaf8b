//! Limits of barrier objects in shared memory (`mbarrier`).

use std::fmt;

use super::violation::{Checker, Limit, Source, Violations};

/// The largest value of each count of a barrier: 2^20 - 1. (PTX ISA, contents of the mbarrier
/// object.)
pub const MAX_BARRIER_COUNT: u32 = (1 << 20) - 1;

/// The alignment of a barrier object in bytes.
const ALIGNMENT: i128 = 8;

const SIZE: Source = Source::ptx("mbarrier", "size and alignment of the mbarrier object");
const CONTENTS: Source = Source::ptx("mbarrier", "contents of the mbarrier object");
const SPACES: Source = Source::ptx("mbarrier", "mbarrier support with shared memory");

/// A field of a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BarrierField {
    /// The byte address of the object.
    Address,
    /// The expected arrival count of a phase.
    ExpectedArrivals,
    /// The pending arrival count of the current phase.
    PendingArrivals,
    /// The tx-count of the current phase: pending bytes of asynchronous copies.
    TxCount,
    /// The operation performed on the object.
    Operation,
}

impl fmt::Display for BarrierField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BarrierField::Address => "barrier address",
            BarrierField::ExpectedArrivals => "expected arrival count",
            BarrierField::PendingArrivals => "pending arrival count",
            BarrierField::TxCount => "tx-count",
            BarrierField::Operation => "operation",
        })
    }
}

/// The state space of a barrier relative to the thread that operates on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BarrierSpace {
    /// The shared memory of the thread's own block (`.shared::cta`).
    Cta,
    /// The shared memory of another block of the cluster (`.shared::cluster`).
    Cluster,
}

/// An operation on a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BarrierOperation {
    /// `mbarrier.init`.
    Init,
    /// `mbarrier.inval`.
    Invalidate,
    /// `mbarrier.expect_tx`.
    ExpectTx,
    /// `mbarrier.complete_tx`.
    CompleteTx,
    /// `mbarrier.arrive` without a result.
    Arrive,
    /// `mbarrier.arrive` that returns the state of the barrier.
    ArriveWithState,
    /// `mbarrier.arrive_drop`.
    ArriveDrop,
    /// `mbarrier.test_wait`.
    TestWait,
    /// `mbarrier.try_wait`.
    TryWait,
}

impl BarrierOperation {
    /// The name of the instruction.
    pub const fn name(self) -> &'static str {
        match self {
            BarrierOperation::Init => "mbarrier.init",
            BarrierOperation::Invalidate => "mbarrier.inval",
            BarrierOperation::ExpectTx => "mbarrier.expect_tx",
            BarrierOperation::CompleteTx => "mbarrier.complete_tx",
            BarrierOperation::Arrive => "mbarrier.arrive",
            BarrierOperation::ArriveWithState => "mbarrier.arrive with a result",
            BarrierOperation::ArriveDrop => "mbarrier.arrive_drop",
            BarrierOperation::TestWait => "mbarrier.test_wait",
            BarrierOperation::TryWait => "mbarrier.try_wait",
        }
    }

    /// Checks that the operation is supported for a barrier in that space. In the shared memory of
    /// another block, only arrivals without a result and updates of the tx-count are. (PTX ISA,
    /// mbarrier support with shared memory; the sections of `mbarrier.arrive` and
    /// `mbarrier.arrive_drop`.)
    ///
    /// # Errors
    /// The operation is not supported there.
    ///
    /// ```
    /// use tilewright_layouts::legality::{BarrierOperation, BarrierSpace};
    /// assert!(BarrierOperation::Arrive.check(BarrierSpace::Cluster).is_ok());
    /// assert!(BarrierOperation::TryWait.check(BarrierSpace::Cluster).is_err());
    /// ```
    pub fn check(self, space: BarrierSpace) -> Result<(), Violations<BarrierField>> {
        let remote = match self {
            BarrierOperation::Arrive
            | BarrierOperation::ArriveDrop
            | BarrierOperation::ExpectTx
            | BarrierOperation::CompleteTx => true,
            BarrierOperation::Init
            | BarrierOperation::Invalidate
            | BarrierOperation::ArriveWithState
            | BarrierOperation::TestWait
            | BarrierOperation::TryWait => false,
        };
        let mut check = Checker::new();
        check.require(
            remote || space == BarrierSpace::Cta,
            BarrierField::Operation,
            self.name(),
            Limit::Rule("needs a barrier in .shared::cta"),
            SPACES,
        );
        check.finish()
    }
}

/// A barrier object: a `.b64` in shared memory that counts arrivals and bytes.
///
/// ```
/// use tilewright_layouts::legality::Barrier;
/// let barrier = Barrier { address: 0, arrivals: 1 };
/// assert!(barrier.check().is_ok());
/// // A pipeline stage that expects two tiles of 128 by 64 halves.
/// assert!(barrier.check_tx_count(2 * 128 * 64 * 2).is_ok());
/// // Both rules are reported.
/// assert_eq!(Barrier { address: 4, arrivals: 0 }.check().unwrap_err().len(), 2);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Barrier {
    /// The byte address in shared memory.
    pub address: u32,
    /// The expected arrival count of a phase: the operand of `mbarrier.init`.
    pub arrivals: u32,
}

impl Barrier {
    /// Checks the address (a multiple of 8) and the count (from 1 to 2^20 - 1).
    ///
    /// # Errors
    /// Every violated rule.
    pub fn check(&self) -> Result<(), Violations<BarrierField>> {
        let mut check = Checker::new();
        check.multiple_of(BarrierField::Address, self.address, ALIGNMENT, SIZE);
        let max = i128::from(MAX_BARRIER_COUNT);
        check.range(BarrierField::ExpectedArrivals, self.arrivals, 1, max, CONTENTS);
        check.finish()
    }

    /// Checks the pending arrival count of a phase: from 0 to 2^20 - 1.
    ///
    /// # Errors
    /// It is out of range.
    pub fn check_pending(&self, pending: u32) -> Result<(), Violations<BarrierField>> {
        let mut check = Checker::new();
        let max = i128::from(MAX_BARRIER_COUNT);
        check.range(BarrierField::PendingArrivals, pending, 0, max, CONTENTS);
        check.finish()
    }

    /// Checks a tx-count, the difference between expected and completed bytes, which is negative when
    /// copies complete before they are expected: from -(2^20 - 1) to 2^20 - 1.
    ///
    /// # Errors
    /// It is out of range.
    pub fn check_tx_count(&self, tx_count: i64) -> Result<(), Violations<BarrierField>> {
        let mut check = Checker::new();
        let max = i128::from(MAX_BARRIER_COUNT);
        check.range(BarrierField::TxCount, tx_count, -max, max, CONTENTS);
        check.finish()
    }
}
