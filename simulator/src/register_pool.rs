//! The registers of a block. (PTX ISA, "setmaxnreg".)

/// Registers of a multiprocessor.
const ALL: u32 = 1 << 16;
/// The most registers that a thread is given.
const MOST: u32 = 256;
/// Registers are given in multiples of this number.
const UNIT: u32 = 8;

/// The registers of a block.
#[derive(Clone, Debug)]
pub(crate) struct RegisterPool {
    /// Registers of a thread at the start, if that is known.
    pub(crate) initial: Option<u32>,
    /// Released registers.
    pub(crate) free: u32,
    /// Registers of each warp's threads.
    pub(crate) owned: Vec<u32>,
}

/// Registers of a thread at the start: the limit of the kernel, or as many as fit with so many threads and blocks.
pub(crate) fn at_start(limit: Option<u32>, threads: Option<u32>, blocks: u32) -> Option<u32> {
    let limit = limit.map(|limit| limit.next_multiple_of(UNIT));
    let fitting = threads.map(|threads| ALL / threads.max(1) / blocks.max(1) / UNIT * UNIT);
    let least = limit.into_iter().chain(fitting).min()?;
    Some(least.min(MOST))
}

impl RegisterPool {
    pub(crate) fn new(initial: Option<u32>, warps: usize) -> Self {
        Self {
            initial,
            free: 0,
            owned: vec![initial.unwrap_or(0); warps],
        }
    }

    pub(crate) fn reset(&mut self) {
        *self = Self::new(self.initial, self.owned.len());
    }

    /// Registers that nobody owns.
    pub(crate) fn free(&self) -> u32 {
        self.free
    }

    /// A warp group whose warps own different numbers of registers, and these numbers.
    pub(crate) fn uneven(&self) -> Option<(usize, &[u32])> {
        let mut groups = self.owned.chunks(4).enumerate();
        groups.find(|(_, owned)| owned.iter().any(|count| *count != owned[0]))
    }
}
