//! What an instruction can take as an operand, one type each: reading, printing, and the walk over registers.

use super::declare::{Access, Operand, Operands, RawOperand, ReadError};
use super::types::{Address, Base, Class, Label, Predicate, Register, Special, Symbol, Value};
use std::fmt;

/// A plain register operand is a result.
impl Operand for Register {
    fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }

    fn read(operands: &mut Operands<'_>) -> Result<Self, ReadError> {
        operands.require("a register", RawOperand::register)
    }

    fn registers(&self, visit: &mut dyn FnMut(Register, Access)) {
        visit(*self, Access::Write);
    }
}

impl Operand for Value {
    fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }

    fn read(operands: &mut Operands<'_>) -> Result<Self, ReadError> {
        operands.require("a register or a constant", RawOperand::value)
    }

    fn registers(&self, visit: &mut dyn FnMut(Register, Access)) {
        if let Self::Register(register) = self {
            visit(*register, Access::Read);
        }
    }
}

impl Operand for Option<Value> {
    fn is_absent(&self) -> bool {
        self.is_none()
    }

    fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.map_or(Ok(()), |value| value.print(f))
    }

    fn read(operands: &mut Operands<'_>) -> Result<Self, ReadError> {
        Ok(operands.accept(RawOperand::value))
    }

    fn registers(&self, visit: &mut dyn FnMut(Register, Access)) {
        if let Some(value) = self {
            value.registers(visit);
        }
    }
}

impl RawOperand {
    fn predicate(&self) -> Option<Predicate> {
        match self {
            Self::Register(register) if register.class == Class::Pred => Some(Predicate::from(*register)),
            Self::Negated(register) if register.class == Class::Pred => Some(Predicate::not(*register)),
            _ => None,
        }
    }
}

impl Operand for Predicate {
    fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }

    fn read(operands: &mut Operands<'_>) -> Result<Self, ReadError> {
        operands.require("a predicate register", RawOperand::predicate)
    }

    fn registers(&self, visit: &mut dyn FnMut(Register, Access)) {
        visit(self.register, Access::Read);
    }
}

impl Operand for Option<Predicate> {
    fn is_absent(&self) -> bool {
        self.is_none()
    }

    fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.map_or(Ok(()), |predicate| predicate.print(f))
    }

    fn read(operands: &mut Operands<'_>) -> Result<Self, ReadError> {
        Ok(operands.accept(RawOperand::predicate))
    }

    fn registers(&self, visit: &mut dyn FnMut(Register, Access)) {
        if let Some(predicate) = self {
            predicate.registers(visit);
        }
    }
}

impl Operand for Address {
    fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }

    fn read(operands: &mut Operands<'_>) -> Result<Self, ReadError> {
        operands.require("an address in brackets", |operand| match operand {
            RawOperand::Address(address) => Some(address.clone()),
            _ => None,
        })
    }

    fn registers(&self, visit: &mut dyn FnMut(Register, Access)) {
        if let Base::Register(register) = self.base {
            visit(register, Access::Read);
        }
    }

    fn symbols(&self, visit: &mut dyn FnMut(&Symbol)) {
        if let Base::Symbol(symbol) = &self.base {
            visit(symbol);
        }
    }
}

impl Operand for Label {
    fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }

    fn read(operands: &mut Operands<'_>) -> Result<Self, ReadError> {
        operands.require("a label of this entry", |operand| match operand {
            RawOperand::Label(label) => Some(*label),
            _ => None,
        })
    }

    fn registers(&self, _visit: &mut dyn FnMut(Register, Access)) {}

    fn label(&self) -> Option<Label> {
        Some(*self)
    }
}

/// A result, and a predicate that says more about it, printed `d|p`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WithPredicate {
    /// The result.
    pub register: Register,
    /// The predicate, if asked for.
    pub predicate: Option<Register>,
}

impl From<Register> for WithPredicate {
    fn from(register: Register) -> Self {
        Self {
            register,
            predicate: None,
        }
    }
}

impl Operand for WithPredicate {
    fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.register, f)?;
        self.predicate
            .map_or(Ok(()), |predicate| write!(f, "|{predicate}"))
    }

    fn read(operands: &mut Operands<'_>) -> Result<Self, ReadError> {
        operands.require("a register", |operand| match operand {
            RawOperand::Register(register) => Some(Self::from(*register)),
            RawOperand::Pair(register, predicate) => Some(Self {
                register: *register,
                predicate: Some(*predicate),
            }),
            _ => None,
        })
    }

    fn registers(&self, visit: &mut dyn FnMut(Register, Access)) {
        visit(self.register, Access::Write);
        if let Some(predicate) = self.predicate {
            visit(predicate, Access::Write);
        }
    }
}

fn print_list<T: fmt::Display>(items: &[T], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str("{")?;
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            f.write_str(", ")?;
        }
        item.fmt(f)?;
    }
    f.write_str("}")
}

fn read_list<T>(operand: &RawOperand, read: impl Fn(&RawOperand) -> Option<T>) -> Option<Vec<T>> {
    match operand {
        RawOperand::Vector(items) => items.iter().map(read).collect(),
        _ => None,
    }
}

/// Results: one register, or a braced vector.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Results(pub Vec<Register>);

impl Operand for Results {
    fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_slice() {
            [register] => fmt::Display::fmt(register, f),
            registers => print_list(registers, f),
        }
    }

    fn read(operands: &mut Operands<'_>) -> Result<Self, ReadError> {
        operands.require("a register or a vector of registers", |operand| match operand {
            RawOperand::Register(register) => Some(Self(vec![*register])),
            operand => read_list(operand, RawOperand::register)
                .filter(|list| list.len() > 1)
                .map(Self),
        })
    }

    fn registers(&self, visit: &mut dyn FnMut(Register, Access)) {
        for register in &self.0 {
            visit(*register, Access::Write);
        }
    }
}

/// Sources: one value, or a braced vector.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sources(pub Vec<Value>);

impl Operand for Sources {
    fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_slice() {
            [value] => fmt::Display::fmt(value, f),
            values => print_list(values, f),
        }
    }

    fn read(operands: &mut Operands<'_>) -> Result<Self, ReadError> {
        operands.require("a value or a vector of values", |operand| match operand.value() {
            Some(value) => Some(Self(vec![value])),
            None => read_list(operand, RawOperand::value)
                .filter(|list| list.len() > 1)
                .map(Self),
        })
    }

    fn registers(&self, visit: &mut dyn FnMut(Register, Access)) {
        for value in &self.0 {
            value.registers(visit);
        }
    }
}

/// Source registers that are always braced: the parts that `mov` packs into one wider register.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PackedSources(pub Vec<Value>);

impl Operand for PackedSources {
    fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        print_list(&self.0, f)
    }

    fn read(operands: &mut Operands<'_>) -> Result<Self, ReadError> {
        operands.require("a vector of values", |operand| {
            read_list(operand, RawOperand::value).map(Self)
        })
    }

    fn registers(&self, visit: &mut dyn FnMut(Register, Access)) {
        for value in &self.0 {
            value.registers(visit);
        }
    }
}

/// Result registers that are always braced: the parts that `mov` unpacks a wider register into.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PackedResults(pub Vec<Register>);

impl Operand for PackedResults {
    fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        print_list(&self.0, f)
    }

    fn read(operands: &mut Operands<'_>) -> Result<Self, ReadError> {
        operands.require("a vector of registers", |operand| {
            read_list(operand, RawOperand::register).map(Self)
        })
    }

    fn registers(&self, visit: &mut dyn FnMut(Register, Access)) {
        for register in &self.0 {
            visit(*register, Access::Write);
        }
    }
}

/// What `mov` copies.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MoveSource {
    /// A register or a constant.
    Value(Value),
    /// A special register.
    Special(Special),
    /// The address of a variable in its state space, with bytes added.
    Symbol(Symbol, i32),
}

impl<T: Into<Value>> From<T> for MoveSource {
    fn from(value: T) -> Self {
        Self::Value(value.into())
    }
}

impl From<Special> for MoveSource {
    fn from(special: Special) -> Self {
        Self::Special(special)
    }
}

impl From<Symbol> for MoveSource {
    fn from(symbol: Symbol) -> Self {
        Self::Symbol(symbol, 0)
    }
}

impl Operand for MoveSource {
    fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(value) => fmt::Display::fmt(value, f),
            Self::Special(special) => fmt::Display::fmt(special, f),
            Self::Symbol(symbol, 0) => fmt::Display::fmt(symbol, f),
            Self::Symbol(symbol, offset) => write!(f, "{symbol}+{offset}"),
        }
    }

    fn read(operands: &mut Operands<'_>) -> Result<Self, ReadError> {
        operands.require(
            "a register, a constant or the name of a variable",
            |operand| match operand {
                RawOperand::Special(special) => Some(Self::Special(*special)),
                RawOperand::Symbol(symbol, offset) => Some(Self::Symbol(symbol.clone(), *offset)),
                operand => operand.value().map(Self::Value),
            },
        )
    }

    fn registers(&self, visit: &mut dyn FnMut(Register, Access)) {
        if let Self::Value(value) = self {
            value.registers(visit);
        }
    }

    fn symbols(&self, visit: &mut dyn FnMut(&Symbol)) {
        if let Self::Symbol(symbol, _) = self {
            visit(symbol);
        }
    }
}
