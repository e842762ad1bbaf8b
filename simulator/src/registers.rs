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
