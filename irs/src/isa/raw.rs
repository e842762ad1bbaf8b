//! An instruction as the parser sees it.

use super::types::{Address, Immediate, Label, Register, Special, Symbol, Value};
use super::words::ReadError;

/// An instruction as the parser sees it: words and operands with names already resolved.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RawInstruction {
    /// The mnemonic and its modifiers, split at the dots.
    pub words: Vec<String>,
    /// The operands, in order.
    pub operands: Vec<RawOperand>,
}

/// An operand as written, before the instruction's declaration says what belongs there.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RawOperand {
    /// A declared register.
    Register(Register),
    /// A negated predicate register.
    Negated(Register),
    /// A constant.
    Immediate(Immediate),
    /// A special register.
    Special(Special),
    /// A label of the body.
    Label(Label),
    /// The address of a declared variable, with bytes added.
    Symbol(Symbol, i32),
    /// A memory operand.
    Address(Address),
    /// A braced list.
    Vector(Vec<RawOperand>),
    /// Two results separated by a bar.
    Pair(Register, Register),
    /// A discarded result, `_`.
    Sink,
    /// A tensor map and coordinates.
    Tensor(Register, Vec<RawOperand>),
    /// Names in parentheses.
    Group(Vec<Symbol>),
}

/// A cursor over the operands of an instruction.
#[derive(Debug)]
pub struct Operands<'a> {
    pub(super) operands: &'a [RawOperand],
    pub(super) at: usize,
}

impl Operands<'_> {
    /// Takes the next operand if `read` knows it.
    pub fn accept<T>(&mut self, read: impl FnOnce(&RawOperand) -> Option<T>) -> Option<T> {
        let value = read(self.operands.get(self.at)?)?;
        self.at += 1;
        Some(value)
    }

    /// Takes the next operand, which `read` must accept; `wanted` names the expected kind in the error.
    pub fn require<T>(
        &mut self,
        wanted: &'static str,
        read: impl FnOnce(&RawOperand) -> Option<T>,
    ) -> Result<T, ReadError> {
        let at = self.at;
        self.accept(read).ok_or(ReadError::Operand(at, wanted))
    }
}

impl RawOperand {
    pub(super) fn register(&self) -> Option<Register> {
        match self {
            Self::Register(register) => Some(*register),
            _ => None,
        }
    }

    pub(super) fn value(&self) -> Option<Value> {
        match self {
            Self::Register(register) => Some(Value::Register(*register)),
            Self::Immediate(immediate) => Some(Value::Immediate(*immediate)),
            _ => None,
        }
    }
}
