//! The instruction set of the target, declared once for `nvvm`, `ptx` and the simulator.
//!
//! [`Instruction`] has a variant for each form. It is generic over the type of operands ([`Naming`]): registers and
//! labels in `ptx`, SSA values in `nvvm`. A declaration in `instructions.rs` gives everything else: the mnemonic and
//! the modifiers in the order of PTX, the operands with their roles ([`roles`]) and required types ([`Want`]), the
//! effects, and the rule for valid combinations and their target requirements ([`Need`]). Source: the PTX ISA manual;
//! tests of the grammar crate compare the rules with ptxas.

mod accesses;
mod check_form;
mod declare;
mod instructions;
pub mod limits;
mod modifiers;
mod naming;
pub mod orders;
mod raw;
mod registers;
pub mod roles;
pub mod rules;
mod target;
mod target_op;
mod types;
mod visit;
mod want;
mod words;

pub use accesses::{MemoryAccess, Movement};
pub(crate) use check_form::{Held, check_form, nth_source, unfit};
pub use instructions::{DECLARATIONS, Declaration, Instruction};
pub use modifiers::*;
pub use naming::{Naming, OpResult};
pub use raw::{Operands, RawInstruction, RawOperand};
pub use roles::{Accumulators, Results, Sources, VariableAddress, WithPredicate};
pub use target::{Features, IsaVersion, Need, Since, Target};
pub use target_op::TargetOp;
pub use types::{
    Address, Base, Class, Immediate, Kind, Label, Predicate, Register, Special, Symbol, TensorAddress, Type,
    Value,
};
pub use visit::{Access, Renaming, SsaOperand, SsaOperands, Visitor};
pub use want::Want;
pub use words::{Modifier, ReadError, Words};
