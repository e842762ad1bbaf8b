//! Ops of `nvvm`: the instruction set in SSA form, constants and branches.

use crate::core::{Flag, Successor, Value};
use crate::isa::TargetOp;
use crate::literal::{Dense, Literal};

/// An instruction whose operands are SSA values.
pub type Instruction = crate::isa::Instruction<Value>;

crate::dialect! {
    /// Constants, shared memory, and branches with arguments.
    pub enum NvvmDialect: "nvvm" {
        /// A constant.
        Constant "constant" { value: Literal } -> 1, Pure, Free [free];
        /// The address of a variable in global memory, like `arith.global`.
        Global "global" { symbol: String, value: Dense, elements: u64, align: u32, visible: Flag } -> 1, Pure, Free [free];
        /// A part of a parameter that is passed by value, at an offset in bytes.
        ReadParameter "read_parameter" { parameter: Value, offset: u32 } -> 1, Pure, Free [free];
        /// The base address of the block's shared memory.
        SharedBase "shared.base" {} -> 1, Pure, Free [free];
        /// The address of an array of bytes in the memory of the thread. Ops with the same slot mean the same array.
        Alloca "alloca" { slot: u32, bytes: u32, align: u32 } -> 1, Pure, Free [free];
        /// The values, in registers that nothing else uses: each result takes the register of its value, which is read
        /// through the result from here on. It separates what an asynchronous instruction does to registers from what
        /// comes before and after, and emits no instruction.
        Hold "hold" { values: Vec<Value> } -> *, Updates(Barrier), Free [convergent];
        /// Calls `vprintf` with the text, in which each `%` form is replaced by a value of 32 or 64 bits.
        Printf "printf" { format: String, values: Vec<Value> } -> 0, Writes(Output, Local), Free;
        /// Unconditional branch.
        Bra "bra" { target: Successor } -> 0, Terminator, Free;
        /// Conditional branch.
        Cbra "cbra" { condition: Value, yes: Successor, no: Successor } -> 0, Terminator, Free;
    }
}

crate::language_ops! {
    /// The ops of `nvvm`.
    pub enum NvvmOp {
        /// Constants, shared memory, branches.
        Nvvm(NvvmDialect),
        /// Target instructions.
        Target(TargetOp),
    }
}

impl From<Instruction> for NvvmOp {
    fn from(instruction: Instruction) -> Self {
        Self::Target(instruction.into())
    }
}
