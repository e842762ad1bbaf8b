//! Ops of `llvm_like`.

use crate::core::{Successor, Value};
use crate::dialects::arith::ArithOp;
use crate::dialects::memory::{MemoryOrder, MemoryScope};
use crate::isa::{Instruction, Special, TargetOp};

crate::dialect! {
    /// Memory, branches and what the hardware says of a thread.
    pub enum LlvmDialect: "llvm" {
        /// `base + index * scale + offset`, in bytes; the index is an i64, read as signed.
        GetElementPtr "getelementptr" { base: Value, index: Option<Value>, scale: u32, offset: i64 } -> 1, Pure, Free;
        /// A scalar or a vector from memory. Where the mask is 0 nothing is read and the result is `other`, or
        /// anything without one. An i1 is a byte in memory, true when it is not 0.
        Load "load" {
            pointer: Value, mask: Option<Value>, other: Option<Value>,
            align: u32, order: MemoryOrder, scope: Option<MemoryScope>
        } -> 1, Reads(Global, Shared), Free;
        /// A scalar or a vector to memory, unless the mask is 0.
        Store "store" {
            pointer: Value, value: Value, mask: Option<Value>,
            align: u32, order: MemoryOrder, scope: Option<MemoryScope>
        } -> 0, Writes(Global, Shared), Free;
        /// One element of a vector.
        ExtractElement "extractelement" { vector: Value, index: u32 } -> 1, Pure, Free [free];
        /// A vector of these elements.
        BuildVector "build_vector" { elements: Vec<Value> } -> 1, Pure, Free [free];
        /// A register that the hardware sets: an i32, or an i64 for those of 64 bits.
        ReadSpecial "read_special" { register: Special } -> 1, Pure, Free;
        /// Where the block's shared memory begins.
        SharedBase "shared_base" {} -> 1, Pure, Free [free];
        /// `threads` threads of the block meet at barrier `id`; what they did to memory before is seen after.
        Barrier "barrier" { id: u32, threads: u32 } -> 0, Updates(Global, Shared, Barrier), Free [convergent];
        /// Goes on in a block.
        Br "br" { target: Successor } -> 0, Terminator, Free;
        /// Goes on in one of two blocks.
        CondBr "cond_br" { condition: Value, yes: Successor, no: Successor } -> 0, Terminator, Free;
        /// Ends the kernel for this thread.
        Return "return" {} -> 0, LeavesFunction, Free;
    }
}

crate::language_ops! {
    /// The ops of `llvm_like`.
    pub enum LlvmOp {
        /// Arithmetic on scalars.
        Arith(ArithOp),
        /// Memory, branches and what the hardware says of a thread.
        Llvm(LlvmDialect),
        /// Target instructions, for what has no generic form.
        Target(TargetOp),
    }
}

impl From<Instruction<Value>> for LlvmOp {
    fn from(instruction: Instruction<Value>) -> Self {
        Self::Target(instruction.into())
    }
}
