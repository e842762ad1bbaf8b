//! Faults that the simulator reports, with their place.

use std::fmt;

use tilewright_diagnostics::counted;

/// The allocation nearest to a bad address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nearest {
    /// Its name.
    pub name: String,
    /// Its first address.
    pub base: u64,
    /// Its size in bytes.
    pub bytes: u64,
}

/// The other access of a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Party {
    /// A warp of the same block, by an ordinary access.
    Warp(u32),
    /// A completed asynchronous copy of a warp, without a wait in between.
    Copy {
        /// The warp.
        warp: u32,
    },
    /// A pending asynchronous copy of a warp.
    CopyUnderWay {
        /// The warp.
        warp: u32,
    },
    /// A warp of another block of the cluster, by an ordinary access.
    Peer {
        /// The rank of the block.
        rank: u32,
        /// The warp.
        warp: u32,
    },
    /// A completed bulk copy, without a wait in between.
    Transfer {
        /// The offset of the mbarrier at which it is complete.
        mbarrier: u64,
    },
    /// A pending bulk copy.
    TransferUnderWay {
        /// The offset of the mbarrier at which it will be complete.
        mbarrier: u64,
    },
    /// A completed matrix product of a warp group, without a wait in between.
    Product {
        /// The warp group.
        group: u32,
    },
    /// A pending matrix product of a warp group.
    ProductUnderWay {
        /// The warp group.
        group: u32,
    },
    /// Another block of the launch; of a cluster, its first block.
    Block([u32; 3]),
}

impl fmt::Display for Party {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Warp(warp) => write!(f, "warp {warp}"),
            Self::Peer { rank, warp } => write!(f, "warp {warp} of block {rank} of the cluster"),
            Self::Copy { warp } | Self::CopyUnderWay { warp } => {
                write!(f, "an asynchronous copy of warp {warp}")
            }
            Self::Transfer { mbarrier } | Self::TransferUnderWay { mbarrier } => {
                write!(f, "a bulk copy with the mbarrier at {mbarrier:#x}")
            }
            Self::Product { group } | Self::ProductUnderWay { group } => {
                write!(f, "a matrix product of warp group {group}")
            }
            Self::Block(block) => write!(f, "block {block:?}"),
        }
    }
}

/// The event that threads wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitingFor {
    /// A barrier of the block.
    Barrier {
        /// Its index.
        number: u32,
        /// Threads that have arrived.
        arrived: u32,
        /// Threads that must arrive; `None` is all that have not exited.
        count: Option<u32>,
    },
    /// The cluster's barrier.
    Cluster {
        /// Threads that have arrived.
        arrived: u32,
    },
    /// The matrix products of a warp group.
    Products {
        /// The warps of the group that have committed them.
        committed: u32,
    },
    /// Registers that other warps release.
    Registers {
        /// Registers that the warp requests.
        wanted: u32,
        /// Registers in the block's pool.
        free: u32,
    },
    /// A phase of an mbarrier.
    Mbarrier {
        /// The offset of its object in shared memory.
        address: u64,
        /// The phase, counted from zero.
        phase: u64,
        /// Arrivals that are missing.
        pending: u32,
        /// Outstanding transaction bytes.
        bytes: i64,
    },
}

/// Waiting threads of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The rank of the block in its cluster, if that has several blocks.
    pub rank: Option<u32>,
    /// The warp.
    pub warp: u32,
    /// Its lanes.
    pub lanes: u32,
    /// The event.
    pub on: WaitingFor,
}

/// The kind of fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// An access outside every allocation.
    OutOfBounds {
        /// The address.
        address: u64,
        /// The access's size in bytes.
        size: u64,
        /// The nearest allocation.
        nearest: Option<Nearest>,
    },
    /// An access at an address that its size does not divide.
    Misaligned {
        /// The address.
        address: u64,
        /// The access's size in bytes.
        size: u64,
    },
    /// An access, other than by a `multimem` instruction, to memory with several replicas.
    Multicast {
        /// The address.
        address: u64,
        /// The access's size in bytes.
        size: u64,
        /// The allocation.
        nearest: Option<Nearest>,
    },
    /// A read of a byte that was never written.
    Uninitialised {
        /// The address of the byte.
        address: u64,
        /// The access's size in bytes.
        size: u64,
        /// The allocation.
        nearest: Option<Nearest>,
    },
    /// A read of a register that was never written.
    UnwrittenRegister {
        /// The register's name.
        register: String,
    },
    /// Two unordered accesses to a byte, of which at least one writes: of shared memory by two warps, or by a warp
    /// and an asynchronous copy; of global memory by two blocks, or by a warp and a pending copy that reads.
    Race {
        /// The address; in shared memory the offset.
        address: u64,
        /// The earlier access.
        other: Party,
        /// Whether the earlier access was a write.
        other_wrote: bool,
        /// Whether this access is a write.
        writes: bool,
        /// The allocation, in global memory.
        nearest: Option<Nearest>,
    },
    /// An atomic or ordered access of global memory at the same time as that of another block of the cluster, one of them in the
    /// scope of its block only; one of the two writes.
    NarrowScope {
        /// The address.
        address: u64,
        /// The earlier access.
        other: Party,
        /// The allocation.
        nearest: Option<Nearest>,
    },
    /// An access through the async proxy of a byte that was accessed through the generic proxy, with no
    /// `fence.proxy.async` in between; one of the two writes.
    ProxyFence {
        /// The offset in shared memory.
        address: u64,
        /// The earlier access.
        other: Party,
        /// Whether the earlier access was a write. If not, the fence must be one of the warp that read.
        other_wrote: bool,
        /// Whether this access is a write.
        writes: bool,
    },
    /// An access of a register that a pending matrix product reads or writes, or one by a matrix product of a register
    /// that was accessed with no `wgmma.fence` since.
    PendingRegister {
        /// The register's name.
        register: String,
        /// Whether this access is a matrix product's.
        by_product: bool,
    },
    /// Warps of a warp group that do not do the same, or `setmaxnreg` in the wrong direction.
    WarpGroupMisuse {
        /// The violation.
        reason: String,
    },
    /// A bulk copy or tensor map that is not valid.
    CopyMisuse {
        /// The violation.
        reason: String,
    },
    /// A rank that no block of the cluster has.
    NoSuchBlock {
        /// The rank.
        rank: u32,
        /// Blocks of the cluster.
        blocks: u32,
    },
    /// An access of the shared memory of a block that has ended, or may not have begun.
    AbsentBlock {
        /// Its rank in the cluster.
        rank: u32,
        /// Whether it has ended.
        ended: bool,
    },
    /// A block ends, and an access of its shared memory by another block is not ordered before.
    EarlyEnd {
        /// The rank of the block that ends.
        rank: u32,
        /// Who accessed its memory.
        other: Party,
    },
    /// The lanes of a collective do not reach it together.
    DivergentBarrier {
        /// The lanes that reached it.
        here: u32,
        /// The participating lanes.
        wanted: u32,
    },
    /// A barrier used against its protocol.
    BarrierMisuse {
        /// The violation.
        reason: String,
    },
    /// No thread can continue.
    Deadlock {
        /// The waiting threads.
        waits: Vec<Waiting>,
    },
    /// A branch marked uniform diverges.
    NotUniform,
    /// The kernel executed `trap`.
    Trap,
    /// The step limit is exceeded.
    StepLimit {
        /// The limit, in warp instructions.
        limit: u64,
    },
    /// The deadline has passed.
    Late,
    /// Invalid launch parameters.
    Launch {
        /// The error.
        reason: String,
    },
    /// The instruction is not supported.
    Unsupported {
        /// The unsupported feature.
        reason: String,
    },
}

/// A fault with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The kind of fault.
    pub kind: FaultKind,
    /// The kernel.
    pub kernel: String,
    /// The block (x, y, z).
    pub block: [u32; 3],
    /// The thread in the block (x, y, z); `None` if it is not about a single thread.
    pub thread: Option<[u32; 3]>,
    /// The index of the statement in the entry's body.
    pub statement: Option<usize>,
    /// The instruction's text.
    pub instruction: String,
    /// The line of the PTX text, if known.
    pub line: Option<u32>,
    /// The source op of the instruction, if known.
    pub origin: Option<u32>,
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutOfBounds {
                address,
                size,
                nearest,
            } => {
                write!(
                    f,
                    "access of {} at {address:#x} is out of bounds",
                    counted(*size, "byte")
                )?;
                tell_nearest(f, *address, nearest.as_ref())
            }
            Self::Misaligned { address, size } => {
                write!(
                    f,
                    "access of {} at {address:#x} is misaligned",
                    counted(*size, "byte")
                )
            }
            Self::Multicast {
                address,
                size,
                nearest,
            } => {
                write!(
                    f,
                    "access of {} at the multicast address {address:#x}, which only `multimem` instructions may access",
                    counted(*size, "byte")
                )?;
                tell_nearest(f, *address, nearest.as_ref())
            }
            Self::Uninitialised {
                address,
                size,
                nearest,
            } => {
                write!(
                    f,
                    "access of {} reads uninitialised memory at {address:#x}",
                    counted(*size, "byte")
                )?;
                tell_nearest(f, *address, nearest.as_ref())
            }
            Self::UnwrittenRegister { register } => {
                write!(f, "register {register} is read and was never written")
            }
            Self::Race {
                address,
                other,
                other_wrote,
                writes,
                nearest,
            } => {
                let this = if *writes { "writes" } else { "reads" };
                let did = if *other_wrote { "wrote" } else { "read" };
                let doing = if *other_wrote { "writes" } else { "reads" };
                let space = if nearest.is_some() { "global" } else { "shared" };
                write!(f, "race: this warp {this} {space} byte {address:#x}, which ")?;
                match other {
                    Party::Warp(_) | Party::Peer { .. } => {
                        write!(f, "{other} {did} with no barrier between")?;
                    }
                    Party::Copy { .. } | Party::Transfer { .. } | Party::Product { .. } => {
                        write!(f, "{other} {did} and nobody waited for")?;
                    }
                    Party::CopyUnderWay { .. }
                    | Party::TransferUnderWay { .. }
                    | Party::ProductUnderWay { .. } => write!(f, "{other} still {doing}")?,
                    Party::Block(_) => write!(f, "{other} {did} with no atomic access between")?,
                }
                tell_nearest(f, *address, nearest.as_ref())
            }
            Self::NarrowScope {
                address,
                other,
                nearest,
            } => {
                write!(
                    f,
                    "race: this warp accesses global byte {address:#x}, and so does {other}, one of them in the scope of its \
                     block only (`.cta`)"
                )?;
                tell_nearest(f, *address, nearest.as_ref())
            }
            Self::ProxyFence {
                address,
                other,
                other_wrote,
                writes,
            } => {
                let this = if *writes { "writes" } else { "reads" };
                let (did, whose) = match other_wrote {
                    true => ("wrote", ""),
                    false => ("read", " of its own"),
                };
                write!(
                    f,
                    "missing proxy fence: the async proxy {this} shared byte {address:#x}, which {other} {did} with no \
                     `fence.proxy.async`{whose} between"
                )
            }
            Self::PendingRegister {
                register,
                by_product: false,
            } => {
                write!(
                    f,
                    "register {register} is accessed while a matrix product uses it"
                )
            }
            Self::PendingRegister {
                register,
                by_product: true,
            } => {
                write!(
                    f,
                    "a matrix product uses register {register}, which was accessed with no `wgmma.fence` since"
                )
            }
            Self::WarpGroupMisuse { reason } => write!(f, "warp group misuse: {reason}"),
            Self::CopyMisuse { reason } => write!(f, "bad bulk copy: {reason}"),
            Self::NoSuchBlock { rank, blocks } => {
                write!(
                    f,
                    "there is no block {rank} in a cluster of {}",
                    counted(*blocks, "block")
                )
            }
            Self::AbsentBlock { rank, ended: true } => {
                write!(
                    f,
                    "access of the shared memory of block {rank} of the cluster, which has ended"
                )
            }
            Self::AbsentBlock { rank, ended: false } => {
                write!(
                    f,
                    "access of the shared memory of block {rank} of the cluster, which may not have begun: no cluster \
                     barrier was between"
                )
            }
            Self::EarlyEnd { rank, other } => write!(
                f,
                "block {rank} of the cluster ends with no cluster barrier since {other} accessed its shared memory"
            ),
            Self::DivergentBarrier { here, wanted } => {
                write!(
                    f,
                    "divergent barrier or collective: lanes {here:#010x} are here, {wanted:#010x} must be"
                )
            }
            Self::BarrierMisuse { reason } => write!(f, "barrier misuse: {reason}"),
            Self::Deadlock { waits } => {
                write!(f, "deadlock: nobody can go on")?;
                waits.iter().try_for_each(|wait| write!(f, "\n  {wait}"))
            }
            Self::NotUniform => write!(f, "a uniform branch diverges"),
            Self::Trap => write!(f, "the kernel trapped"),
            Self::StepLimit { limit } => {
                write!(f, "step limit of {} reached", counted(*limit, "warp instruction"))
            }
            Self::Late => write!(f, "the kernel has not ended in the time that it has"),
            Self::Launch { reason } => write!(f, "bad launch: {reason}"),
            Self::Unsupported { reason } => write!(f, "not known to the simulator: {reason}"),
        }
    }
}

impl fmt::Display for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            rank,
            warp,
            lanes,
            on,
        } = self;
        if let Some(rank) = rank {
            write!(f, "block {rank} of the cluster, ")?;
        }
        write!(f, "warp {warp}, lanes {lanes:#010x}: at ")?;
        match on {
            WaitingFor::Barrier {
                number,
                arrived,
                count,
            } => {
                write!(f, "barrier {number}, {} arrived of ", counted(*arrived, "thread"))?;
                match count {
                    Some(count) => write!(f, "{count}"),
                    None => write!(f, "all"),
                }
            }
            WaitingFor::Cluster { arrived } => {
                write!(
                    f,
                    "the cluster's barrier, {} arrived of all",
                    counted(*arrived, "thread")
                )
            }
            WaitingFor::Products { committed } => write!(
                f,
                "matrix products of its warp group, which {committed} of its 4 warps have committed"
            ),
            WaitingFor::Registers { wanted, free } => {
                write!(
                    f,
                    "`setmaxnreg` for {}, {free} free",
                    counted(*wanted, "register")
                )
            }
            WaitingFor::Mbarrier {
                address,
                phase,
                pending,
                bytes,
            } if *bytes < 0 => write!(
                f,
                "phase {phase} of the mbarrier at {address:#x}, {} missing and {} too many",
                counted(*pending, "arrival"),
                counted(bytes.unsigned_abs(), "byte")
            ),
            WaitingFor::Mbarrier {
                address,
                phase,
                pending,
                bytes,
            } => write!(
                f,
                "phase {phase} of the mbarrier at {address:#x}, {} and {} missing",
                counted(*pending, "arrival"),
                counted(*bytes, "byte")
            ),
        }
    }
}

fn tell_nearest(f: &mut fmt::Formatter<'_>, address: u64, nearest: Option<&Nearest>) -> fmt::Result {
    let Some(Nearest { name, base, bytes }) = nearest else {
        return Ok(());
    };
    let size = counted(*bytes, "byte");
    if address < *base {
        write!(
            f,
            "; {} before `{name}` of {size}",
            counted(base - address, "byte")
        )
    } else {
        write!(f, "; byte {} of `{name}` of {size}", address - base)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}\n  in kernel {}, block {:?}",
            self.kind, self.kernel, self.block
        )?;
        if let Some(thread) = self.thread {
            write!(f, ", thread {thread:?}")?;
        }
        if let Some(statement) = self.statement {
            write!(f, "\n  at statement {statement}")?;
            if let Some(line) = self.line {
                write!(f, ", line {line}")?;
            }
            write!(f, ": {}", self.instruction)?;
        }
        Ok(())
    }
}

impl std::error::Error for Fault {}
