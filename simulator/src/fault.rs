//! What can go wrong in a kernel, and where it did.

use std::fmt;

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

/// What went wrong.
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
    /// A read of a byte that nothing was written to.
    Uninitialised {
        /// The address of the byte.
        address: u64,
        /// The access's size in bytes.
        size: u64,
        /// The allocation.
        nearest: Option<Nearest>,
    },
    /// A read of a register that nothing was written to.
    UnwrittenRegister {
        /// The register's name.
        register: String,
    },
    /// Two warps touch the same shared byte without a barrier between, and one of them writes.
    Race {
        /// The offset in shared memory.
        address: u64,
        /// The warp of the earlier access.
        other_warp: u32,
        /// Whether the earlier access was a write.
        other_wrote: bool,
        /// Whether this access is a write.
        writes: bool,
    },
    /// Lanes that must execute a barrier or collective together do not.
    DivergentBarrier {
        /// The lanes that are here.
        here: u32,
        /// The lanes that are wanted.
        wanted: u32,
    },
    /// A barrier used against its protocol.
    BarrierMisuse {
        /// How.
        reason: String,
    },
    /// Nobody can go on.
    Deadlock {
        /// Warps that wait at a barrier.
        waiting_warps: u32,
        /// The barrier this thread waits at.
        barrier: u32,
    },
    /// A branch that promised uniformity diverges.
    NotUniform,
    /// The kernel executed `trap`.
    Trap,
    /// Too many instructions.
    StepLimit {
        /// The limit, in warp instructions.
        limit: u64,
    },
    /// The launch itself is wrong.
    Launch {
        /// How.
        reason: String,
    },
    /// The simulator does not know the instruction.
    Unsupported {
        /// What is missing.
        reason: String,
    },
}

/// A fault and the place where it happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What went wrong.
    pub kind: FaultKind,
    /// The kernel.
    pub kernel: String,
    /// The block (x, y, z).
    pub block: [u32; 3],
    /// The thread in the block (x, y, z); `None` when no single thread is to blame.
    pub thread: Option<[u32; 3]>,
    /// The index of the statement in the entry's body.
    pub statement: Option<usize>,
    /// The instruction's text.
    pub instruction: String,
    /// The line of the PTX text, if known.
    pub line: Option<u32>,
    /// The source op that the instruction stems from, if known.
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
                write!(f, "access of {size} bytes at {address:#x} is out of bounds")?;
                tell_nearest(f, *address, nearest.as_ref())
            }
            Self::Misaligned { address, size } => {
                write!(f, "access of {size} bytes at {address:#x} is misaligned")
            }
            Self::Uninitialised {
                address,
                size,
                nearest,
            } => {
                write!(
                    f,
                    "access of {size} bytes reads uninitialised memory at {address:#x}"
                )?;
                tell_nearest(f, *address, nearest.as_ref())
            }
            Self::UnwrittenRegister { register } => {
                write!(f, "register {register} is read and was never written")
            }
            Self::Race {
                address,
                other_warp,
                other_wrote,
                writes,
            } => {
                let this = if *writes { "writes" } else { "reads" };
                let other = if *other_wrote { "wrote" } else { "read" };
                write!(
                    f,
                    "race: this warp {this} shared byte {address:#x}, which warp {other_warp} {other} with no barrier between"
                )
            }
            Self::DivergentBarrier { here, wanted } => {
                write!(
                    f,
                    "divergent barrier or collective: lanes {here:#010x} are here, {wanted:#010x} must be"
                )
            }
            Self::BarrierMisuse { reason } => write!(f, "barrier misuse: {reason}"),
            Self::Deadlock {
                waiting_warps,
                barrier,
            } => {
                write!(
                    f,
                    "deadlock: {waiting_warps} warps wait, this one at barrier {barrier}"
                )
            }
            Self::NotUniform => write!(f, "a uniform branch diverges"),
            Self::Trap => write!(f, "the kernel trapped"),
            Self::StepLimit { limit } => write!(f, "step limit of {limit} warp instructions reached"),
            Self::Launch { reason } => write!(f, "bad launch: {reason}"),
            Self::Unsupported { reason } => write!(f, "not known to the simulator: {reason}"),
        }
    }
}

fn tell_nearest(f: &mut fmt::Formatter<'_>, address: u64, nearest: Option<&Nearest>) -> fmt::Result {
    let Some(Nearest { name, base, bytes }) = nearest else {
        return Ok(());
    };
    if address < *base {
        write!(f, "; {} bytes before `{name}` of {bytes} bytes", base - address)
    } else {
        write!(f, "; byte {} of `{name}` of {bytes} bytes", address - base)
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
