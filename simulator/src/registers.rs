//! `setmaxnreg`: the registers of a block, which its warp groups release and request.
//!
//! (PTX ISA, "setmaxnreg".) All warps start with as many registers a thread as the kernel was compiled for. The pool of
//! the block has what warps have released. Without a directive that says how many there are at the start, the
//! instruction has no effect.

use crate::block::{Block, Stop};
use crate::fault::FaultKind;
use crate::program::lanes;
use crate::warp::{Blocked, Warp};
use tilewright_irs::ptx::RegisterChange;

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
    initial: Option<u32>,
    /// Released registers.
    free: u32,
    /// Registers of each warp's threads.
    owned: Vec<u32>,
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

impl Block<'_> {
    /// Sets the number of registers of a warp's threads; a request waits until there are enough.
    pub(crate) fn set_registers(
        &mut self,
        warp: &Warp,
        change: RegisterChange,
        count: u32,
        active: u32,
    ) -> Result<(), Stop> {
        if active != warp.live {
            return Err(Stop::Gather(warp.live));
        }
        let pool = &mut self.here.registers;
        if pool.initial.is_none() {
            return Ok(());
        }
        let owned = pool.owned[warp.index];
        match change {
            RegisterChange::Dec if count <= owned => {
                pool.free += (owned - count) * 32;
                self.wakes = true;
            }
            RegisterChange::Inc if count >= owned => {
                let wanted = (count - owned) * 32;
                if wanted > pool.free {
                    return Err(Stop::Block(Blocked::Registers { wanted }));
                }
                pool.free -= wanted;
            }
            RegisterChange::Dec | RegisterChange::Inc => {
                let reason = format!("`setmaxnreg.{}` to {count} registers, of {owned}", change.word());
                return Err(Stop::Fault(
                    FaultKind::WarpGroupMisuse { reason },
                    lanes(active).next(),
                ));
            }
        }
        pool.owned[warp.index] = count;
        Ok(())
    }
}
