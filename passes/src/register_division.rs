//! How the registers of a block may be divided between warps that compute and warps that issue copies (`setmaxnreg`).

use tilewright_irs::isa::rules::forms;
use tilewright_irs::isa::{Target, limits};
use tilewright_irs::machine::{GROUP_WARPS, Multiprocessor, threads};

/// Registers of a thread that issues tensor copies.
const LOADING_REGISTERS: u32 = 40;
/// Those beside them for each vector that a thread copies by `cp.async`: addresses, conditions, and what both are computed from.
const VECTOR_REGISTERS: u32 = 6;
/// The fewest registers that a thread begins with for which `setmaxnreg` is used: ptxas allocates no more than these for the code
/// before it, and refuses a kernel that needs more there (C7602).
const BEGIN_REGISTERS: u32 = 112;

/// The warps that issue copies beside `computing` warps, if a multiprocessor runs `blocks` blocks at a time: a whole group, which can
/// give registers away, or a single warp, where so many blocks then have more registers for each computing thread.
pub(crate) fn loading_warps(target: Target, computing: u32, blocks: u32) -> u32 {
    let registers = |loading| computing_registers(target, [computing, loading], blocks, LOADING_REGISTERS);
    if registers(1) > registers(GROUP_WARPS) {
        1
    } else {
        GROUP_WARPS
    }
}

/// The registers of a thread that issues copies, by `cp.async` so many vectors in each iteration.
pub(crate) fn loading_registers(vectors: u32) -> u32 {
    let registers = LOADING_REGISTERS.saturating_add(VECTOR_REGISTERS.saturating_mul(vectors));
    registers.next_multiple_of(limits::SETMAXNREG.step)
}

/// The registers of a computing thread, in a block with these numbers of computing and of loading warps, of which a multiprocessor
/// runs `blocks` at a time, if a loading thread keeps `kept`.
///
/// They are more than a thread begins with, by those that loading threads give up, if the code before `setmaxnreg` can do with what
/// it begins with. A block never has more registers in total than it begins with.
pub(crate) fn computing_registers(
    target: Target,
    [computing, loading]: [u32; 2],
    blocks: u32,
    kept: u32,
) -> u32 {
    let begin = Multiprocessor::thread_registers(threads(computing + loading), blocks);
    if begin.0 < BEGIN_REGISTERS || begin >= Multiprocessor::THREAD_REGISTERS {
        return begin.0;
    }
    let steps = limits::SETMAXNREG;
    let rest = (threads(computing + loading) * begin.0).saturating_sub(threads(loading) * kept);
    let each = (rest / threads(computing).max(1)).min(steps.most) / steps.step * steps.step;
    let exists = forms::set_max_registers(each).is_some_and(|need| target.provides(need));
    if exists { each.max(begin.0) } else { begin.0 }
}
