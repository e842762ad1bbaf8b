//! Ops of `llvm_like`.

use crate::core::{Successor, Value};
use crate::dialects::arith::ArithOp;
use crate::dialects::fast_math::language_has_fast_math;
use crate::dialects::math::MathOp;
use crate::dialects::memory::{
    AtomicOp, AtomicOrder, LoadPolicy, MemoryOrder, MemoryScope, PrefetchSize, StorePolicy,
};
pub use crate::dialects::scf::Unrolling;
use crate::isa::{Instruction, Special, TargetOp};
use crate::literal::Literal;

crate::dialect! {
    /// Memory, branches and special registers.
    pub enum LlvmDialect: "llvm" {
        /// `base + index * scale + offset`, in bytes; the index is an i64, read as signed.
        GetElementPtr "getelementptr" { base: Value, index: Option<Value>, scale: u32, offset: i64 } -> 1, Pure, Free;
        /// Loads a scalar, a vector, a pointer or a struct. Where the mask is 0 nothing is read and the result is `other`, or unspecified
        /// without one. An i1 is a byte in memory, true if it is not 0. The cache policy is the i64 of a
        /// policy of the L2 cache.
        Load "load" {
            pointer: Value, mask: Option<Value>, other: Option<Value>, cache_policy: Option<Value>,
            align in Assumption: u32, order: MemoryOrder, scope: Option<MemoryScope>, cache: Option<LoadPolicy>, prefetch: Option<PrefetchSize>
        } -> 1, Reads(Global, Shared, Local), Free;
        /// Stores a scalar, a vector, a pointer or a struct, unless the mask is 0.
        Store "store" {
            pointer: Value, value: Value, mask: Option<Value>, cache_policy: Option<Value>,
            align in Assumption: u32, order: MemoryOrder, scope: Option<MemoryScope>, cache: Option<StorePolicy>
        } -> 0, Writes(Global, Shared, Local), Free;
        /// Atomically replaces a scalar in global memory by `op` of it and the value, and yields the old one. Each element of a
        /// vector, which is aligned to its size, is replaced by itself. Where the mask is 0 nothing is accessed and the result
        /// is unspecified.
        AtomicRmw "atomicrmw" {
            pointer: Value, value: Value, mask: Option<Value>, op: AtomicOp, order: AtomicOrder, scope: MemoryScope
        } -> 1, Updates(Global, Barrier), Free;
        /// Atomic compare-and-swap: stores the value if memory holds the bits of `compare`, and yields what was there;
        /// `compare` where the mask is 0.
        AtomicCas "cmpxchg" {
            pointer: Value, compare: Value, value: Value, mask: Option<Value>, order: AtomicOrder, scope: MemoryScope
        } -> 1, Updates(Global, Barrier), Free;
        /// One element of a vector.
        ExtractElement "extractelement" { vector: Value, index: u32 } -> 1, Pure, Free [free];
        /// A vector of these elements.
        BuildVector "build_vector" { elements: Vec<Value> } -> 1, Pure, Free [free];
        /// A struct of numbers that are known: its leaves in order.
        Constant "constant" { values: Vec<Literal> } -> 1, Pure, Free [free];
        /// A value of which nothing is known; it differs from use to use.
        Undef "undef" {} -> 1, Pure, Free [free];
        /// The struct with the part at `path` replaced: the numbers of fields, the outermost first.
        InsertValue "insertvalue" { value: Value, into: Value, path: Vec<u32> } -> 1, Pure, Free [free];
        /// The part of a struct at `path`.
        ExtractValue "extractvalue" { from: Value, path: Vec<u32> } -> 1, Pure, Free [free];
        /// Reads a special register: an i32, or an i64 for those of 64 bits.
        ReadSpecial "read_special" { register: Special } -> 1, Pure, Free;
        /// A number or a pointer to global memory in a parameter that is passed by value, at an offset in bytes. An i1 is a byte,
        /// true if it is not 0.
        ReadParameter "read_parameter" { parameter: Value, offset: u32 } -> 1, Pure, Free [free];
        /// The base address of the block's shared memory.
        SharedBase "shared_base" {} -> 1, Pure, Free [free];
        /// The address of an array of bytes in the memory of the thread. Ops with the same slot mean the same array, of one size
        /// and one alignment; its contents are unspecified at first.
        Alloca "alloca" { slot: u32, bytes: u32, align: u32 } -> 1, Pure, Free [free];
        /// A pointer to shared memory, or to the memory of the thread, as an i32.
        PtrToInt "ptrtoint" { pointer: Value } -> 1, Pure, Free [free];
        /// An i32 as a pointer to shared memory, or to the memory of the thread.
        IntToPtr "inttoptr" { source: Value } -> 1, Pure, Free [free];
        /// Barrier `id` of `threads` threads of the block; memory accesses before it are visible to all of them after
        /// it.
        Barrier "barrier" { id: u32, threads: u32 } -> 0, Updates(Global, Shared, Barrier), Free [convergent];
        /// The values, in registers that nothing else uses: each result takes the register of its value, which is read
        /// through the result from here on. It separates what an asynchronous instruction does to registers from what
        /// comes before and after, and emits no instruction.
        Hold "hold" { values: Vec<Value> } -> *, Updates(Barrier), Free [convergent];
        /// Prints the text, in which each `%` form is replaced by a value: an i32, an i64 or an f64.
        Printf "printf" { format: String, values: Vec<Value> } -> 0, Writes(Output), Free;
        /// Unconditional branch.
        Br "br" { target: Successor } -> 0, Terminator, Free;
        /// Conditional branch. That which leaves a loop may say how the loop is unrolled.
        CondBr "cond_br" { condition: Value, yes: Successor, no: Successor, unroll: Option<Unrolling> } -> 0, Terminator, Free;
        /// Ends the kernel for this thread.
        Return "return" {} -> 0, LeavesFunction, Free;
    }
}

crate::language_ops! {
    /// The ops of `llvm_like`.
    pub enum LlvmOp {
        /// Arithmetic on scalars.
        Arith(ArithOp),
        /// Elementary functions.
        Math(MathOp),
        /// Memory, branches and special registers.
        Llvm(LlvmDialect),
        /// Target instructions without a generic form.
        Target(Box<TargetOp>),
    }
}

language_has_fast_math!(LlvmOp: Arith | Math);

impl From<Instruction<Value>> for LlvmOp {
    fn from(instruction: Instruction<Value>) -> Self {
        TargetOp::from(instruction).into()
    }
}

impl From<TargetOp> for LlvmOp {
    fn from(op: TargetOp) -> Self {
        Self::Target(Box::new(op))
    }
}
