//! Limits the registers of a thread so that more blocks share a multiprocessor. `nvvm` to `nvvm`.
//!
//! In: any function. Out: the same function, with the blocks that are to share a multiprocessor in `nvvm.minctasm`, if the values
//! of a thread fit in the registers that so many blocks leave to it; ptxas keeps within them. By itself ptxas gives a thread
//! all the registers with which it can issue loads early, a few of which may cost the last block. Up to half of the warps of
//! a multiprocessor, another block hides more latency than those registers do: a Fourier transform with 142 registers takes 0.69
//! of the time with 128, where two blocks fit, and a normalisation of rows with 72 takes 0.93 of it with 64.
//!
//! These stay as they are:
//!
//! - kernels with a limit or another number of blocks than 1, or whose warps change their numbers of registers, which is decided
//!   already; without a number it is left to ptxas;
//! - kernels with products of warp groups: their blocks were chosen by the registers of the accumulators;
//! - kernels that read how many blocks there are: they may be persistent, with one block a multiprocessor.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Body, Func, Origin};
use tilewright_irs::isa::Instruction;
use tilewright_irs::llvm::KernelAttrs;
use tilewright_irs::machine::{LANES, Machine};
use tilewright_irs::nvvm::{Nvvm, NvvmOp};

use super::order::lowest_peak;
use super::pressure::{Pressure, blocks_in_shared_memory, has_group_products, peak, registers_with};

/// The pressure, in the order in which it is lowest, with which ptxas hardly spills, in percent of the registers of a
/// thread. It derives values, such as addresses, from each other, which the pressure counts one by one. (With 106, a normalisation
/// of rows of bf16 that are loaded through pointers spills 90 bytes, and takes 1.7 times as long on an H200.)
const SHARE: u32 = 105;

/// The same for the second block, which doubles the warps: that is worth a few spills.
const SHARE_OF_TWO: u32 = 120;

/// The warps for which registers are limited, in eighths of those of a multiprocessor.
const EIGHTHS: [u32; 3] = [4, 3, 2];

/// The pressure in the given order from which ptxas may take more registers than the limit, in percent of it. (With 88 live at
/// once, a loop with reductions of four tiles takes 172.)
const BINDING: u32 = 80;

/// Limits the registers of a thread where another block fits; see [the module](self).
///
/// # Errors
/// None; the type is that of all passes.
pub fn limit_registers(func: &Func<Nvvm>) -> Result<Func<Nvvm>, Vec<Diagnostic<Origin>>> {
    let mut func = func.clone();
    let is_free = func.attrs.maxnreg.is_none() && func.attrs.minctasm == Some(1);
    if is_free
        && !is_decided(&func.body)
        && let Some(blocks) = blocks(&func)
    {
        func.attrs.minctasm = Some(blocks);
    }
    Ok(func)
}

/// Whether the number of blocks, or of registers, is decided elsewhere.
fn is_decided(body: &Body<Nvvm>) -> bool {
    let decides = |op: &NvvmOp| match op {
        NvvmOp::Target(op) => match op.instruction {
            Instruction::SetMaxRegisters { .. } => true,
            Instruction::ReadSpecial { register, .. } => register.is_of_grid(),
            _ => false,
        },
        NvvmOp::Nvvm(_) => false,
    };
    has_group_products(body) || body.ops().any(|(_, op)| decides(&op.kind))
}

/// The most blocks that leave a thread registers in which its values fit, if ptxas might take more than the most blocks leave.
fn blocks(func: &Func<Nvvm>) -> Option<u32> {
    let attrs = &func.attrs;
    let share = |registers, percent| Pressure::of_registers(registers).percent(percent);
    let given = peak(&func.body);
    let binds = |blocks: &u32| given > share(registers_with(attrs, *blocks), BINDING);
    let numbers = numbers_of_blocks(attrs);
    if !numbers.iter().any(binds) {
        return None;
    }
    let lowest = lowest_peak(&func.body);
    let fits = |blocks: &u32| {
        let percent = if *blocks == 2 { SHARE_OF_TWO } else { SHARE };
        lowest <= share(registers_with(attrs, *blocks), percent)
    };
    numbers.into_iter().find(fits)
}

/// The numbers of blocks that come into question, the largest first. Each has several more warps than the next: for fewer, the
/// loads that ptxas issues early are worth more.
fn numbers_of_blocks(attrs: &KernelAttrs) -> Vec<u32> {
    let multiprocessor = Machine::of(attrs.target).multiprocessor;
    let by_shared = blocks_in_shared_memory(attrs);
    let warps = attrs.threads().div_ceil(LANES).max(1);
    let numbers = EIGHTHS.map(|eighths| multiprocessor.warps * eighths / 8 / warps);
    let numbers = numbers
        .into_iter()
        .map(|blocks| blocks.min(by_shared).min(multiprocessor.blocks));
    numbers.filter(|&blocks| blocks > 1).collect()
}
