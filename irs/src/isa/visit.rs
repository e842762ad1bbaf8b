//! Walks over the operands of an instruction, whatever names them.

use std::convert::Infallible;

use super::naming::{Naming, OpResult};
use super::types::{Predicate, Register, Symbol, Type, Value};
use super::want::Want;
use crate::core::{self, Remap};

/// Sees the operands of an instruction, in textual order, each with what it must be.
pub trait Visitor<N: Naming> {
    /// A result.
    fn write(&mut self, _: &N::Def, _: Want) {}
    /// A source that must be a register.
    fn read(&mut self, _: &N::Use, _: Want) {}
    /// A register that is read and then written; in SSA form, a source that is tied to a result.
    fn update(&mut self, _: &N::Use, _: Want) {}
    /// A source that may be a constant.
    fn operand(&mut self, _: &N::Operand, _: Want) {}
    /// A predicate that is read.
    fn predicate(&mut self, _: &N::Predicate) {}
    /// The name of a variable, a parameter or a function.
    fn symbol(&mut self, _: &Symbol) {}
    /// A branch target.
    fn label(&mut self, _: &N::Label) {}
    /// A variable that is an argument or a result of a call.
    fn parameter(&mut self, _: &N::Parameter) {}
}

/// Replaces the names of operands, in textual order.
pub trait Renaming<N: Naming, M: Naming> {
    /// The new name of a result.
    fn write(&mut self, old: &N::Def) -> M::Def;
    /// The new name of a source that must be a register.
    fn read(&mut self, old: &N::Use, want: Want) -> M::Use;
    /// The new name of a register that is read and then written.
    fn update(&mut self, old: &N::Use, want: Want) -> M::Use;
    /// The new name of a source that may be a constant.
    fn operand(&mut self, old: &N::Operand, want: Want) -> M::Operand;
    /// The new name of a predicate.
    fn predicate(&mut self, old: &N::Predicate) -> M::Predicate;
    /// The new name of a branch target.
    fn label(&mut self, old: &N::Label) -> M::Label;
    /// The new name of a variable that is an argument or a result of a call.
    fn parameter(&mut self, old: &N::Parameter) -> M::Parameter;
    /// The new name of the register of a memory operand, and the new offset in bytes from it.
    fn address(&mut self, old: &N::Use, offset: i32, want: Want) -> (M::Use, i32) {
        (self.read(old, want), offset)
    }
}

/// What an instruction does with a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Reads it.
    Read,
    /// Writes it.
    Write,
    /// Reads it, then writes it.
    Update,
}

/// A visitor that calls a function for each register.
pub(super) struct Registers<'a>(pub(super) &'a mut dyn FnMut(Register, Access, Want));

impl Visitor<Register> for Registers<'_> {
    fn write(&mut self, register: &Register, want: Want) {
        (self.0)(*register, Access::Write, want);
    }
    fn read(&mut self, register: &Register, want: Want) {
        (self.0)(*register, Access::Read, want);
    }
    fn update(&mut self, register: &Register, want: Want) {
        (self.0)(*register, Access::Update, want);
    }
    fn operand(&mut self, value: &Value, want: Want) {
        if let Value::Register(register) = value {
            (self.0)(*register, Access::Read, want);
        }
    }
    fn predicate(&mut self, predicate: &Predicate) {
        (self.0)(predicate.register, Access::Read, Want::Exactly(Type::Pred));
    }
}

/// An operand of an instruction in SSA form, with what it must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SsaOperand {
    /// A value that is read.
    Source(core::Value, Want),
    /// The next result.
    Result(Want),
}

/// A visitor that calls a function for each source and each result.
pub struct SsaOperands<'a>(pub &'a mut dyn FnMut(SsaOperand));

impl Visitor<core::Value> for SsaOperands<'_> {
    fn write(&mut self, _: &OpResult, want: Want) {
        (self.0)(SsaOperand::Result(want));
    }
    fn read(&mut self, value: &core::Value, want: Want) {
        (self.0)(SsaOperand::Source(*value, want));
    }
    fn update(&mut self, value: &core::Value, want: Want) {
        (self.0)(SsaOperand::Source(*value, want));
        (self.0)(SsaOperand::Result(want));
    }
    fn operand(&mut self, value: &core::Value, want: Want) {
        (self.0)(SsaOperand::Source(*value, want));
    }
    fn predicate(&mut self, value: &core::Value) {
        (self.0)(SsaOperand::Source(*value, Want::Exactly(Type::Pred)));
    }
}

/// Replaces SSA values by others.
pub(super) struct Remapped<'a>(pub(super) &'a mut dyn Remap);

impl Renaming<core::Value, core::Value> for Remapped<'_> {
    fn write(&mut self, _: &OpResult) -> OpResult {
        OpResult
    }
    fn read(&mut self, old: &core::Value, _: Want) -> core::Value {
        self.0.value(*old)
    }
    fn update(&mut self, old: &core::Value, _: Want) -> core::Value {
        self.0.value(*old)
    }
    fn operand(&mut self, old: &core::Value, _: Want) -> core::Value {
        self.0.value(*old)
    }
    fn predicate(&mut self, old: &core::Value) -> core::Value {
        self.0.value(*old)
    }
    fn label(&mut self, old: &Infallible) -> Infallible {
        *old
    }
    fn parameter(&mut self, old: &Infallible) -> Infallible {
        *old
    }
}
