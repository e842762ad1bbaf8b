//! A decoded entry: names, labels and registers are resolved to indices, pure instructions to functions of rows.

use crate::matrix::{Contiguous, GroupProduct, MatrixLoad, MatrixStore, Product};
use crate::row::Row;
use crate::shared::Access;
use tilewright_irs::ptx::{AtomicOp, Boolean, Class, RegisterChange, Shuffle, Special, Type, Vote};

/// The maximum number of sources of a pure instruction.
pub(crate) const SOURCES: usize = 4;

/// Computes a row of results for the lanes of a mask.
pub(crate) type RowFn = Box<dyn Fn(&[Row; SOURCES], u32, &mut Row) + Send + Sync>;

/// Computes a predicate for each lane of a mask.
pub(crate) type BitFn = Box<dyn Fn(&[Row; SOURCES], u32) -> u32 + Send + Sync>;

/// A reduction.
pub(crate) struct Combine {
    /// Initialises the accumulator.
    pub(crate) first: Box<dyn Fn(u64) -> u64 + Send + Sync>,
    /// Combines the accumulator with the next value.
    pub(crate) next: Box<dyn Fn(u64, u64) -> u64 + Send + Sync>,
}

/// The source of a value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source {
    Slot(u32),
    Constant(u64),
}

/// A destination register and its width in bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    pub(crate) slot: u32,
    pub(crate) mask: u64,
}

/// A predicate register to read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bit {
    pub(crate) slot: u32,
    pub(crate) negated: bool,
}

/// The memory of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Generic,
    Global,
    Shared,
    /// The shared memory of all blocks of the cluster.
    Cluster,
    Local,
    Param,
}

/// A memory operand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pointer {
    pub(crate) place: Place,
    pub(crate) base: Source,
    pub(crate) offset: u64,
    /// Whether the base is a 32-bit register.
    pub(crate) narrow: bool,
}

/// An atomic operation.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Atomic {
    Op(AtomicOp),
    Cas,
}

/// What an access through a multicast address does with the replicas of a word.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Multimem {
    /// Loads and combines them.
    Load(AtomicOp),
    /// Replaces them.
    Store,
    /// Combines each with a value.
    Reduce(AtomicOp),
}

/// One instruction.
pub(crate) enum Op {
    Pure {
        f: RowFn,
        d: Target,
        sources: Vec<Source>,
    },
    Compare {
        /// Each result, and the predicate that gets it.
        results: Vec<(BitFn, u32)>,
        sources: Vec<Source>,
        combine: Option<(Boolean, Bit)>,
    },
    Select {
        d: Target,
        a: Source,
        b: Source,
        c: Bit,
    },
    Logic {
        boolean: Boolean,
        d: u32,
        a: Bit,
        b: Bit,
    },
    CopyBit {
        d: u32,
        a: Bit,
    },
    ConstantBit {
        d: u32,
        value: bool,
    },
    Special {
        d: Target,
        register: Special,
    },
    /// Copies words.
    Words {
        d: Vec<Target>,
        a: Vec<Source>,
    },
    Pack {
        d: Target,
        parts: Vec<Source>,
        bits: u32,
    },
    Unpack {
        d: Vec<Target>,
        a: Source,
        bits: u32,
    },
    Load {
        ty: Type,
        bytes: u64,
        d: Vec<Target>,
        pointer: Pointer,
        access: Access,
    },
    Store {
        bytes: u64,
        pointer: Pointer,
        values: Vec<Source>,
        access: Access,
    },
    /// One read-modify-write for each of `b`, at consecutive addresses; `cas` treats all of them as one value.
    Atomic {
        op: Atomic,
        ty: Type,
        bytes: u64,
        d: Vec<Target>,
        pointer: Pointer,
        b: Vec<Source>,
        /// The stored values of `cas`, one for each of `b`.
        c: Vec<Source>,
        access: Access,
    },
    /// An access of consecutive words through a multicast address; `d` are those of a load, `b` those of others.
    Multimem {
        what: Multimem,
        ty: Type,
        bytes: u64,
        d: Vec<Target>,
        pointer: Pointer,
        b: Vec<Source>,
        access: Access,
    },
    Nothing,
    Branch {
        target: u32,
        uniform: bool,
    },
    Exit,
    Trap,
    Barrier {
        number: Source,
        count: Option<Source>,
        waits: bool,
        aligned: bool,
        reduction: Option<Reduction>,
    },
    WarpBarrier {
        mask: Source,
    },
    Shuffle {
        mode: Shuffle,
        d: Target,
        valid: Option<u32>,
        a: Source,
        b: Source,
        c: Source,
        mask: Source,
    },
    Vote {
        mode: Vote,
        d: u32,
        a: Bit,
        mask: Source,
    },
    Ballot {
        d: Target,
        a: Bit,
        mask: Source,
    },
    Match {
        d: Target,
        /// For `match.all`: its predicate.
        all: Option<Option<u32>>,
        a: Source,
        mask: Source,
    },
    Redux {
        combine: Combine,
        d: Target,
        a: Source,
        mask: Source,
    },
    Activemask {
        d: Target,
    },
    Elect {
        d: Target,
        leader: Option<u32>,
        mask: Source,
    },
    Product {
        product: Product,
        d: Vec<Target>,
        a: Vec<Source>,
        b: Vec<Source>,
        c: Vec<Source>,
        scales: [Source; 2],
    },
    LoadMatrix {
        form: MatrixLoad,
        d: Vec<Target>,
        pointer: Pointer,
    },
    StoreMatrix {
        form: MatrixStore,
        pointer: Pointer,
        values: Vec<Source>,
    },
    /// Transposes the 8 by 8 matrix of 16-bit elements held by the lanes.
    Transpose {
        d: Target,
        a: Source,
    },
    Copy {
        to: Pointer,
        from: Pointer,
        bytes: u64,
        /// The number of bytes read; the rest is zero.
        read: Option<Source>,
        /// If true, nothing is read.
        ignore: Option<Bit>,
    },
    CommitCopies,
    /// Waits until at most this number of groups is pending; `None` is for all copies.
    WaitForCopies {
        left: Option<usize>,
    },
    /// An arrival at an mbarrier when the thread's copies are complete; with `counted` it adds to the expected
    /// arrivals.
    TrackCopies {
        pointer: Pointer,
        counted: bool,
    },
    Mbarrier {
        pointer: Pointer,
        op: MbarrierOp,
    },
    ClusterArrive {
        aligned: bool,
        /// Whether earlier accesses are ordered before those after the wait.
        releases: bool,
    },
    ClusterWait {
        aligned: bool,
    },
    /// The address in the block of a rank.
    Mapa {
        d: Target,
        a: Source,
        rank: Source,
        generic: bool,
    },
    /// The rank of the block of an address.
    RankOfAddress {
        d: Target,
        a: Source,
        generic: bool,
    },
    /// A fence between the generic and the async proxy.
    FenceAsync,
    /// A fence after the initialisation of mbarriers.
    FenceMbarriers,
    Bulk(BulkInstruction),
    TensorCopy(Box<TensorInstruction>),
    /// Stores so many bytes at an offset in a tensor map.
    ReplaceField {
        map: Pointer,
        offset: u64,
        bytes: u64,
        value: Source,
    },
    /// Copies a tensor map from shared to global memory and publishes it.
    PublishMap {
        target: Pointer,
        source: Pointer,
    },
    AcquireMap {
        pointer: Pointer,
    },
    GroupFence,
    GroupCommit,
    /// Waits until at most this number of the warp's groups of products is pending.
    GroupWait {
        left: usize,
    },
    GroupProduct(Box<GroupInstruction>),
    SetRegisters {
        change: RegisterChange,
        count: u32,
    },
    /// `vprintf`: the parameters that hold the addresses of its format and arguments, and that of its result.
    Print {
        format: Pointer,
        arguments: Pointer,
        result: Option<Pointer>,
    },
}

/// A product of a warp group, as an instruction.
#[derive(Clone, Debug)]
pub(crate) struct GroupInstruction {
    pub(crate) product: GroupProduct,
    pub(crate) d: Vec<Target>,
    pub(crate) a: GroupOperand,
    pub(crate) b: (Source, Contiguous),
    /// Whether D is added.
    pub(crate) accumulate: Bit,
}

/// The A of a product.
#[derive(Clone, Debug)]
pub(crate) enum GroupOperand {
    /// In shared memory, by its descriptor.
    Shared(Source, Contiguous),
    Registers(Vec<Source>),
}

/// A bulk copy, as an instruction.
#[derive(Clone, Debug)]
pub(crate) enum BulkInstruction {
    /// From global memory, or the block's own, to the shared memory of a block, or of the blocks of a mask.
    Load {
        to: Pointer,
        from: Pointer,
        bytes: Source,
        mbarrier: Pointer,
        blocks: Option<Source>,
    },
    /// From shared to global memory.
    Store {
        to: Pointer,
        from: Pointer,
        bytes: Source,
        reduction: Option<(AtomicOp, Type)>,
    },
    /// Registers, each of so many bytes, to the shared memory of a block.
    StoreWords {
        to: Pointer,
        values: Vec<Source>,
        bytes: u64,
        mbarrier: Pointer,
    },
    /// From global memory into the L2 cache.
    Prefetch {
        from: Pointer,
        bytes: Source,
    },
    Commit,
    /// Waits until at most `left` of the thread's groups are pending; with `read`, until their sources are read.
    Wait {
        left: usize,
        read: bool,
    },
}

/// A copy of a box, of pixels or of rows, as an instruction. A tensor map has a generic address.
#[derive(Clone, Debug)]
pub(crate) struct TensorInstruction {
    pub(crate) map: Pointer,
    pub(crate) coordinates: Vec<Source>,
    pub(crate) elements: Elements,
    /// The offsets of pixels.
    pub(crate) offsets: Vec<Source>,
    pub(crate) direction: Direction,
}

/// The elements of a tensor that are copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Elements {
    /// A box that begins at the coordinates.
    Box,
    /// Pixels, the first of which is at the coordinates.
    Pixels,
    /// Four rows: the coordinates are a column and each row.
    Rows,
}

/// The direction of a copy of a box, of pixels or of rows.
#[derive(Clone, Debug)]
pub(crate) enum Direction {
    /// To the shared memory of a block, or of the blocks of a mask.
    Load {
        to: Pointer,
        mbarrier: Pointer,
        blocks: Option<Source>,
    },
    /// To global memory, combined with what is there.
    Store {
        from: Pointer,
        reduction: Option<AtomicOp>,
    },
    /// Into the L2 cache.
    Prefetch,
}

/// An operation on an mbarrier.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MbarrierOp {
    Init {
        count: Source,
    },
    Inval,
    /// An arrival, after adding `bytes` to the expected transactions.
    Arrive {
        count: Source,
        bytes: Option<Source>,
        drops: bool,
        may_complete: bool,
        state: Option<Target>,
    },
    /// Adds to the expected bytes, or with `complete` to the completed ones.
    Bytes {
        bytes: Source,
        complete: bool,
    },
    /// Tests whether a phase is complete; `parity` tells the meaning of `asked`.
    Test {
        d: u32,
        asked: Source,
        parity: bool,
    },
}

/// A barrier's reduction of predicates.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reduction {
    pub(crate) kind: ReductionKind,
    pub(crate) a: Bit,
}

/// The kind and destination of the reduction.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ReductionKind {
    /// The number of true predicates.
    Count(Target),
    /// The conjunction.
    All(u32),
    /// The disjunction.
    Any(u32),
}

/// An instruction with its guard and position.
pub(crate) struct Step {
    pub(crate) guard: Option<Bit>,
    pub(crate) op: Op,
    /// The index of the statement in the entry's body.
    pub(crate) statement: usize,
}

/// A decoded kernel.
pub(crate) struct Program {
    pub(crate) steps: Vec<Step>,
    /// The general registers that each step accesses other than as a matrix product of a warp group; `None` if the
    /// kernel has no such products.
    pub(crate) accesses: Option<Vec<Box<[u32]>>>,
    /// General registers.
    pub(crate) slots: usize,
    /// Predicate registers.
    pub(crate) bits: usize,
    /// The first slot of each class of general registers.
    pub(crate) classes: Vec<(u32, Class)>,
    pub(crate) shared_bytes: u64,
    pub(crate) local_bytes: u64,
}

impl Program {
    /// The name of a general register.
    pub(crate) fn register_name(&self, slot: u32) -> String {
        match self.classes.iter().rev().find(|(first, _)| *first <= slot) {
            Some((first, class)) => {
                let index = (slot - first) / class.bits().div_ceil(64);
                format!("{}{index}", class.prefix())
            }
            None => format!("#{slot}"),
        }
    }
}

/// Calls `f` for each lane of the mask, in order.
#[inline]
pub(crate) fn each(mask: u32, mut f: impl FnMut(usize)) {
    if mask == u32::MAX {
        for lane in 0..32 {
            f(lane);
        }
        return;
    }
    let mut left = mask;
    while left != 0 {
        f(left.trailing_zeros() as usize);
        left &= left - 1;
    }
}

/// The lanes of a mask, in order.
pub(crate) fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    let mut left = mask;
    std::iter::from_fn(move || {
        let lane = (left != 0).then(|| left.trailing_zeros() as usize)?;
        left &= left - 1;
        Some(lane)
    })
}

pub(crate) fn row1(f: impl Fn(u64) -> u64 + Send + Sync + 'static) -> RowFn {
    Box::new(move |[a, ..], mask, out| each(mask, |lane| out[lane] = f(a[lane])))
}

pub(crate) fn row2(f: impl Fn(u64, u64) -> u64 + Send + Sync + 'static) -> RowFn {
    Box::new(move |[a, b, ..], mask, out| each(mask, |lane| out[lane] = f(a[lane], b[lane])))
}

pub(crate) fn row3(f: impl Fn(u64, u64, u64) -> u64 + Send + Sync + 'static) -> RowFn {
    Box::new(move |[a, b, c, _], mask, out| each(mask, |lane| out[lane] = f(a[lane], b[lane], c[lane])))
}

pub(crate) fn row4(f: impl Fn(u64, u64, u64, u64) -> u64 + Send + Sync + 'static) -> RowFn {
    Box::new(move |[a, b, c, d], mask, out| {
        each(mask, |lane| out[lane] = f(a[lane], b[lane], c[lane], d[lane]));
    })
}

pub(crate) fn bit2(f: impl Fn(u64, u64) -> bool + Send + Sync + 'static) -> BitFn {
    Box::new(move |[a, b, ..], mask| {
        let mut out = 0;
        each(mask, |lane| out |= u32::from(f(a[lane], b[lane])) << lane);
        out
    })
}
