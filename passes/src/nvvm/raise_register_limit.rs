//! Raises the register limit of a thread where a hint for the occupancy cannot be met. `nvvm` to `nvvm`.
//!
//! In: any function. Out: the same function. Its `nvvm.maxnreg`, which lets as many blocks share a multiprocessor as a
//! hint asks for, is raised where that many cannot, or should not:
//!
//! - where shared memory does not suffice for so many blocks, to the registers that the blocks that fit leave to each
//!   other;
//! - where more values are live than the limit has registers for, to that of the largest number of blocks with which
//!   they fit. Spilled values cost more than another block's warps gain.
//!
//! The pressure is an estimate (`pressure.rs`). A kernel without a limit, or with that of a single block, stays as it is; so
//! does one whose warp groups change their numbers of registers, which sum up to those that the block begins with, or have
//! products: their blocks were chosen by the registers of the accumulators.

use tilewright_diagnostics::counted;
use tilewright_irs::core::{Func, Origin};
use tilewright_irs::cuda_tile::Hint;
use tilewright_irs::isa::Instruction;
use tilewright_irs::nvvm::{Nvvm, NvvmOp};

use crate::hints::{Cause, HintUse, Warned, Wish};

use super::pressure::{
    Pressure, SHARE, blocks_in_shared_memory, blocks_with, has_group_products, has_products, peak,
    registers_with,
};

/// The pressure with which a limit is kept without matrix products, in percent of its registers. ptxas then moves loads
/// and what depends on them towards their uses, and needs far fewer registers than the given order does: kernels of the
/// gated delta rule begin to spill between 181 and 216 percent.
const SHARE_WITHOUT_PRODUCTS: u32 = 160;

/// Raises the register limit of a kernel; see [the module](self).
pub fn raise_register_limit(func: &Func<Nvvm>) -> Warned<Func<Nvvm>> {
    let mut func = func.clone();
    let mut hints = Vec::new();
    let divides = |op: &NvvmOp| {
        matches!(
            op,
            NvvmOp::Target(op) if matches!(op.instruction, Instruction::SetMaxRegisters { .. })
        )
    };
    if let Some(limit) = func.attrs.maxnreg
        && !func.body.ops().any(|(_, op)| divides(&op.kind))
        && !has_group_products(&func.body)
    {
        let needed = limit.max(registers_needed(&func, limit));
        let blocks = blocks_with(&func.attrs, needed);
        let is_less = blocks < blocks_with(&func.attrs, limit);
        let why = match is_less {
            true => format!(
                "a block has {} bytes of shared memory, and its threads need about {needed} registers each",
                func.attrs.shared_bytes
            ),
            false => format!(
                "with {needed} registers, {} share a multiprocessor as well",
                counted(blocks, "block")
            ),
        };
        let made = |hint: Wish, asked, used, cause| HintUse {
            origin: Origin::FUNCTION,
            hint,
            asked,
            used,
            why: why.clone(),
            cause,
        };
        if is_less {
            hints.push(made(Hint::Occupancy.into(), None, blocks, Cause::Forbidden));
        }
        hints.push(made(Wish::MaxRegisters, Some(limit), needed, Cause::Free));
        func.attrs.maxnreg = Some(needed);
    }
    Warned { func, hints }
}

/// The registers of a thread with which the values of a kernel fit, if its blocks on a multiprocessor leave them; at
/// least the given ones.
fn registers_needed(func: &Func<Nvvm>, limit: u32) -> u32 {
    let attrs = &func.attrs;
    let mut blocks = blocks_with(attrs, limit);
    if blocks == 1 {
        return limit;
    }
    blocks = blocks.min(blocks_in_shared_memory(attrs)).max(1);
    let pressure = peak(&func.body);
    let share = if has_products(&func.body) {
        SHARE
    } else {
        SHARE_WITHOUT_PRODUCTS
    };
    let fits = |blocks| pressure <= Pressure::of_registers(registers_with(attrs, blocks)).percent(share);
    while blocks > 1 && !fits(blocks) {
        blocks -= 1;
    }
    registers_with(attrs, blocks)
}
