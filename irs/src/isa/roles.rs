//! The roles of operands: the Rust type, the walk over its names, and its text in PTX and in `nvvm`.

use std::fmt::{self, Debug};
use std::hash::Hash;
use std::marker::PhantomData;

use super::naming::{Naming, OpResult};
use super::raw::{Operands, RawOperand};
use super::types::{Address, Base, Class, Immediate, Predicate, Register, Special, Symbol, TensorAddress};
use super::visit::{Renaming, Visitor};
use super::want::Want;
use super::words::ReadError;
use crate::core::{self, Effects, Field, FieldEffects, FieldWriter, NamedTerm, OpTree, Reader, TermCodec};

/// The names of an operand's fields in `nvvm` text.
#[derive(Clone, Copy, Debug)]
pub struct FieldName {
    /// The name of the operand itself.
    pub operand: &'static str,
    /// The name of the attribute with the byte offset of its address.
    pub offset: &'static str,
}

/// The role of an operand.
pub trait Role {
    /// The operand's type.
    type Of<N: Naming>: Clone + Debug + Eq + Hash;
    /// How many results of the `nvvm` op the operand stands for; `None` if the number varies.
    const RESULTS: Option<usize> = Some(0);
    /// Whether instructions with such an operand exist in `nvvm`.
    const IN_SSA: bool = true;

    /// Effects that such an operand may add to its instruction.
    const EFFECTS: Effects = Effects::PURE;

    /// Refines the declared effects of an instruction by the value of this operand.
    fn refine<N: Naming>(_: &Self::Of<N>, effects: Effects) -> Effects {
        effects
    }
    /// Visits the names in the operand.
    fn visit<N: Naming>(of: &Self::Of<N>, want: Want, visitor: &mut dyn Visitor<N>);
    /// The operand with renamed parts.
    fn rename<N: Naming, M: Naming>(
        of: &Self::Of<N>,
        want: Want,
        renaming: &mut dyn Renaming<N, M>,
    ) -> Self::Of<M>;
    /// Whether the operand is absent, so that nothing is printed in PTX.
    fn is_absent(_: &Self::Of<Register>) -> bool {
        false
    }
    /// Prints the operand in PTX.
    fn print(of: &Self::Of<Register>, f: &mut fmt::Formatter<'_>) -> fmt::Result;
    /// Parses the operand of PTX at the cursor.
    fn parse(operands: &mut Operands<'_>) -> Result<Self::Of<Register>, ReadError>;
    /// Writes the operand into an op of `nvvm`.
    fn write(of: &Self::Of<core::Value>, name: FieldName, writer: &mut dyn FieldWriter, tree: &mut OpTree);
    /// Parses the operand of an op of `nvvm`; `None` after a reported error.
    fn read(name: FieldName, reader: &mut Reader<'_>) -> Option<Self::Of<core::Value>>;
}

/// An operand that exists only together with a modifier, which the declaration names.
#[derive(Debug)]
pub struct If<R>(PhantomData<R>);

impl<R: Role> Role for If<R> {
    type Of<N: Naming> = Option<R::Of<N>>;
    const RESULTS: Option<usize> = match R::RESULTS {
        Some(0) => Some(0),
        _ => None,
    };
    const IN_SSA: bool = R::IN_SSA;
    const EFFECTS: Effects = R::EFFECTS;

    fn refine<N: Naming>(of: &Option<R::Of<N>>, effects: Effects) -> Effects {
        of.as_ref().map_or(effects, |of| R::refine::<N>(of, effects))
    }
    fn visit<N: Naming>(of: &Option<R::Of<N>>, want: Want, visitor: &mut dyn Visitor<N>) {
        if let Some(of) = of {
            R::visit::<N>(of, want, visitor);
        }
    }
    fn rename<N: Naming, M: Naming>(
        of: &Option<R::Of<N>>,
        want: Want,
        renaming: &mut dyn Renaming<N, M>,
    ) -> Option<R::Of<M>> {
        of.as_ref().map(|of| R::rename::<N, M>(of, want, renaming))
    }
    fn is_absent(of: &Option<R::Of<Register>>) -> bool {
        of.as_ref().is_none_or(R::is_absent)
    }
    fn print(of: &Option<R::Of<Register>>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        of.as_ref().map_or(Ok(()), |of| R::print(of, f))
    }
    fn parse(operands: &mut Operands<'_>) -> Result<Option<R::Of<Register>>, ReadError> {
        R::parse(operands).map(Some)
    }
    fn write(
        of: &Option<R::Of<core::Value>>,
        name: FieldName,
        writer: &mut dyn FieldWriter,
        tree: &mut OpTree,
    ) {
        if let Some(of) = of {
            R::write(of, name, writer, tree);
        }
    }
    fn read(name: FieldName, reader: &mut Reader<'_>) -> Option<Option<R::Of<core::Value>>> {
        R::read(name, reader).map(Some)
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

/// A result.
#[derive(Debug)]
pub struct Def;

impl Role for Def {
    type Of<N: Naming> = N::Def;
    const RESULTS: Option<usize> = Some(1);

    fn visit<N: Naming>(of: &N::Def, want: Want, visitor: &mut dyn Visitor<N>) {
        visitor.write(of, want);
    }
    fn rename<N: Naming, M: Naming>(of: &N::Def, _: Want, renaming: &mut dyn Renaming<N, M>) -> M::Def {
        renaming.write(of)
    }
    fn print(of: &Register, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(of, f)
    }
    fn parse(operands: &mut Operands<'_>) -> Result<Register, ReadError> {
        operands.require("a register", RawOperand::register)
    }
    fn write(_: &OpResult, _: FieldName, _: &mut dyn FieldWriter, _: &mut OpTree) {}
    fn read(_: FieldName, reader: &mut Reader<'_>) -> Option<OpResult> {
        reader.take_results(1);
        Some(OpResult)
    }
}

/// A result with an additional predicate, printed `d|p`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WithPredicate<N: Naming = Register> {
    /// The result.
    pub register: N::Def,
    /// The predicate, if used.
    pub predicate: Option<N::Def>,
}

impl From<Register> for WithPredicate {
    fn from(register: Register) -> Self {
        Self {
            register,
            predicate: None,
        }
    }
}

/// A result with an additional predicate.
#[derive(Debug)]
pub struct DefAndPredicate;

impl Role for DefAndPredicate {
    type Of<N: Naming> = WithPredicate<N>;
    const RESULTS: Option<usize> = None;

    fn visit<N: Naming>(of: &WithPredicate<N>, want: Want, visitor: &mut dyn Visitor<N>) {
        visitor.write(&of.register, want);
        if let Some(predicate) = &of.predicate {
            visitor.write(predicate, Want::Exactly(super::types::Type::Pred));
        }
    }
    fn rename<N: Naming, M: Naming>(
        of: &WithPredicate<N>,
        _: Want,
        renaming: &mut dyn Renaming<N, M>,
    ) -> WithPredicate<M> {
        WithPredicate {
            register: renaming.write(&of.register),
            predicate: of.predicate.as_ref().map(|predicate| renaming.write(predicate)),
        }
    }
    fn print(of: &WithPredicate, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&of.register, f)?;
        of.predicate.map_or(Ok(()), |predicate| write!(f, "|{predicate}"))
    }
    fn parse(operands: &mut Operands<'_>) -> Result<WithPredicate, ReadError> {
        operands.require("a register", |operand| match operand {
            RawOperand::Register(register) => Some(WithPredicate::from(*register)),
            RawOperand::Pair(register, predicate) => Some(WithPredicate {
                register: *register,
                predicate: Some(*predicate),
            }),
            _ => None,
        })
    }
    fn write(_: &WithPredicate<core::Value>, _: FieldName, _: &mut dyn FieldWriter, _: &mut OpTree) {}
    fn read(_: FieldName, reader: &mut Reader<'_>) -> Option<WithPredicate<core::Value>> {
        let count = reader.results_left();
        reader.take_results(count);
        Some(WithPredicate {
            register: OpResult,
            predicate: (count > 1).then_some(OpResult),
        })
    }
}

/// Results.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Results<N: Naming = Register>(pub Vec<N::Def>);

/// Visits and renames lists of results.
macro_rules! results_role {
    () => {
        type Of<N: Naming> = Results<N>;
        const RESULTS: Option<usize> = None;

        fn visit<N: Naming>(of: &Results<N>, want: Want, visitor: &mut dyn Visitor<N>) {
            of.0.iter().for_each(|result| visitor.write(result, want));
        }
        fn rename<N: Naming, M: Naming>(
            of: &Results<N>,
            _: Want,
            renaming: &mut dyn Renaming<N, M>,
        ) -> Results<M> {
            Results(of.0.iter().map(|result| renaming.write(result)).collect())
        }
        fn write(_: &Results<core::Value>, _: FieldName, _: &mut dyn FieldWriter, _: &mut OpTree) {}
        fn read(_: FieldName, reader: &mut Reader<'_>) -> Option<Results<core::Value>> {
            let count = reader.results_left();
            reader.take_results(count);
            Some(Results(vec![OpResult; count]))
        }
    };
}

/// Results: one register, or a braced vector.
#[derive(Debug)]
pub struct Defs;

impl Role for Defs {
    results_role!();

    fn print(of: &Results, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match of.0.as_slice() {
            [register] => fmt::Display::fmt(register, f),
            registers => print_list(registers, f),
        }
    }
    fn parse(operands: &mut Operands<'_>) -> Result<Results, ReadError> {
        operands.require("a register or a vector of registers", |operand| match operand {
            RawOperand::Register(register) => Some(Results(vec![*register])),
            operand => read_list(operand, RawOperand::register)
                .filter(|list| list.len() > 1)
                .map(Results),
        })
    }
}

/// Results that are always braced.
#[derive(Debug)]
pub struct VectorDef;

impl Role for VectorDef {
    results_role!();

    fn print(of: &Results, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        print_list(&of.0, f)
    }
    fn parse(operands: &mut Operands<'_>) -> Result<Results, ReadError> {
        operands.require("a vector of registers", |operand| {
            read_list(operand, RawOperand::register).map(Results)
        })
    }
}

/// A source that may be a constant.
#[derive(Debug)]
pub struct Src;

impl Role for Src {
    type Of<N: Naming> = N::Operand;

    fn visit<N: Naming>(of: &N::Operand, want: Want, visitor: &mut dyn Visitor<N>) {
        visitor.operand(of, want);
    }
    fn rename<N: Naming, M: Naming>(
        of: &N::Operand,
        want: Want,
        renaming: &mut dyn Renaming<N, M>,
    ) -> M::Operand {
        renaming.operand(of, want)
    }
    fn print(of: &super::types::Value, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(of, f)
    }
    fn parse(operands: &mut Operands<'_>) -> Result<super::types::Value, ReadError> {
        operands.require("a register or a constant", RawOperand::value)
    }
    fn write(of: &core::Value, name: FieldName, writer: &mut dyn FieldWriter, tree: &mut OpTree) {
        Field::write(of, name.operand, writer, tree);
    }
    fn read(name: FieldName, reader: &mut Reader<'_>) -> Option<core::Value> {
        reader.value(name.operand)
    }
}

/// An optional 32-bit source, which may be a constant.
#[derive(Debug)]
pub struct OptSrc;

impl Role for OptSrc {
    type Of<N: Naming> = Option<N::Operand>;

    fn visit<N: Naming>(of: &Option<N::Operand>, want: Want, visitor: &mut dyn Visitor<N>) {
        if let Some(source) = of {
            visitor.operand(source, want);
        }
    }
    fn rename<N: Naming, M: Naming>(
        of: &Option<N::Operand>,
        want: Want,
        renaming: &mut dyn Renaming<N, M>,
    ) -> Option<M::Operand> {
        of.as_ref().map(|source| renaming.operand(source, want))
    }
    fn is_absent(of: &Option<super::types::Value>) -> bool {
        of.is_none()
    }
    fn print(of: &Option<super::types::Value>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        of.map_or(Ok(()), |source| fmt::Display::fmt(&source, f))
    }
    fn parse(operands: &mut Operands<'_>) -> Result<Option<super::types::Value>, ReadError> {
        Ok(operands.accept(|operand| match operand {
            // What follows may be a predicate, or a cache policy of 64 bits.
            RawOperand::Register(register) if register.class.bits() != 32 => None,
            operand => operand.value(),
        }))
    }
    fn write(of: &Option<core::Value>, name: FieldName, writer: &mut dyn FieldWriter, tree: &mut OpTree) {
        Field::write(of, name.operand, writer, tree);
    }
    fn read(name: FieldName, reader: &mut Reader<'_>) -> Option<Option<core::Value>> {
        reader.optional_value(name.operand)
    }
}

/// Sources that may be constants.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sources<N: Naming = Register>(pub Vec<N::Operand>);

/// Visits and renames lists of sources.
macro_rules! sources_role {
    () => {
        type Of<N: Naming> = Sources<N>;

        fn visit<N: Naming>(of: &Sources<N>, want: Want, visitor: &mut dyn Visitor<N>) {
            of.0.iter().for_each(|source| visitor.operand(source, want));
        }
        fn rename<N: Naming, M: Naming>(
            of: &Sources<N>,
            want: Want,
            renaming: &mut dyn Renaming<N, M>,
        ) -> Sources<M> {
            Sources(
                of.0.iter()
                    .map(|source| renaming.operand(source, want))
                    .collect(),
            )
        }
        fn write(
            of: &Sources<core::Value>,
            name: FieldName,
            writer: &mut dyn FieldWriter,
            tree: &mut OpTree,
        ) {
            Field::write(&of.0, name.operand, writer, tree);
        }
        fn read(name: FieldName, reader: &mut Reader<'_>) -> Option<Sources<core::Value>> {
            reader.values(name.operand).map(Sources)
        }
    };
}

/// Sources: one value, or a braced vector.
#[derive(Debug)]
pub struct Srcs;

impl Role for Srcs {
    sources_role!();

    fn print(of: &Sources, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match of.0.as_slice() {
            [source] => fmt::Display::fmt(source, f),
            sources => print_list(sources, f),
        }
    }
    fn parse(operands: &mut Operands<'_>) -> Result<Sources, ReadError> {
        operands.require("a value or a vector of values", |operand| match operand.value() {
            Some(value) => Some(Sources(vec![value])),
            None => read_list(operand, RawOperand::value)
                .filter(|list| list.len() > 1)
                .map(Sources),
        })
    }
}

/// Sources that are always braced.
#[derive(Debug)]
pub struct VectorSrc;

impl Role for VectorSrc {
    sources_role!();

    fn print(of: &Sources, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        print_list(&of.0, f)
    }
    fn parse(operands: &mut Operands<'_>) -> Result<Sources, ReadError> {
        operands.require("a vector of values", |operand| {
            read_list(operand, RawOperand::value).map(Sources)
        })
    }
}

/// A source that must be a register.
#[derive(Debug)]
pub struct Use;

impl Role for Use {
    type Of<N: Naming> = N::Use;

    fn visit<N: Naming>(of: &N::Use, want: Want, visitor: &mut dyn Visitor<N>) {
        visitor.read(of, want);
    }
    fn rename<N: Naming, M: Naming>(of: &N::Use, want: Want, renaming: &mut dyn Renaming<N, M>) -> M::Use {
        renaming.read(of, want)
    }
    fn print(of: &Register, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(of, f)
    }
    fn parse(operands: &mut Operands<'_>) -> Result<Register, ReadError> {
        operands.require("a register", RawOperand::register)
    }
    fn write(of: &core::Value, name: FieldName, writer: &mut dyn FieldWriter, tree: &mut OpTree) {
        Field::write(of, name.operand, writer, tree);
    }
    fn read(name: FieldName, reader: &mut Reader<'_>) -> Option<core::Value> {
        reader.value(name.operand)
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

/// A predicate source.
#[derive(Debug)]
pub struct Pred;

impl Role for Pred {
    type Of<N: Naming> = N::Predicate;

    fn visit<N: Naming>(of: &N::Predicate, _: Want, visitor: &mut dyn Visitor<N>) {
        visitor.predicate(of);
    }
    fn rename<N: Naming, M: Naming>(
        of: &N::Predicate,
        _: Want,
        renaming: &mut dyn Renaming<N, M>,
    ) -> M::Predicate {
        renaming.predicate(of)
    }
    fn print(of: &Predicate, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(of, f)
    }
    fn parse(operands: &mut Operands<'_>) -> Result<Predicate, ReadError> {
        operands.require("a predicate register", RawOperand::predicate)
    }
    fn write(of: &core::Value, name: FieldName, writer: &mut dyn FieldWriter, tree: &mut OpTree) {
        Field::write(of, name.operand, writer, tree);
    }
    fn read(name: FieldName, reader: &mut Reader<'_>) -> Option<core::Value> {
        reader.value(name.operand)
    }
}

/// A memory operand, `[base+offset]`. In `nvvm` the offset is an attribute.
#[derive(Debug)]
pub struct Addr;

impl Role for Addr {
    type Of<N: Naming> = Address<N>;

    fn visit<N: Naming>(of: &Address<N>, want: Want, visitor: &mut dyn Visitor<N>) {
        match &of.base {
            Base::Register(register) => visitor.read(register, want),
            Base::Symbol(symbol) => visitor.symbol(symbol),
        }
    }
    fn rename<N: Naming, M: Naming>(
        of: &Address<N>,
        want: Want,
        renaming: &mut dyn Renaming<N, M>,
    ) -> Address<M> {
        let (base, offset) = match &of.base {
            Base::Register(register) => {
                let (register, offset) = renaming.address(register, of.offset, want);
                (Base::Register(register), offset)
            }
            Base::Symbol(symbol) => (Base::Symbol(symbol.clone()), of.offset),
        };
        Address { base, offset }
    }
    fn print(of: &Address, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(of, f)
    }
    fn parse(operands: &mut Operands<'_>) -> Result<Address, ReadError> {
        operands.require("an address in brackets", |operand| match operand {
            RawOperand::Address(address) => Some(address.clone()),
            _ => None,
        })
    }
    fn write(of: &Address<core::Value>, name: FieldName, writer: &mut dyn FieldWriter, tree: &mut OpTree) {
        match &of.base {
            Base::Register(value) => Field::write(value, name.operand, writer, tree),
            Base::Symbol(symbol) => {
                tree.attrs
                    .push(NamedTerm::new(name.operand, TermCodec::write(&symbol.0)));
            }
        }
        if of.offset != 0 {
            tree.attrs
                .push(NamedTerm::new(name.offset, TermCodec::write(&of.offset)));
        }
    }
    fn read(name: FieldName, reader: &mut Reader<'_>) -> Option<Address<core::Value>> {
        let symbol: Option<String> = reader.optional_attr(name.operand)?;
        let base = match symbol {
            Some(symbol) => Base::Symbol(Symbol(symbol)),
            None => Base::Register(reader.value(name.operand)?),
        };
        let offset: Option<i32> = reader.optional_attr(name.offset)?;
        Some(Address {
            base,
            offset: offset.unwrap_or(0),
        })
    }
}

/// The parts of [`Role`] that all operands without names share: those that are attributes in `nvvm`.
macro_rules! attribute_role {
    ($of:ty) => {
        type Of<N: Naming> = $of;

        fn visit<N: Naming>(_: &$of, _: Want, _: &mut dyn Visitor<N>) {}
        fn rename<N: Naming, M: Naming>(of: &$of, _: Want, _: &mut dyn Renaming<N, M>) -> $of {
            Clone::clone(of)
        }
        fn write(of: &$of, name: FieldName, writer: &mut dyn FieldWriter, tree: &mut OpTree) {
            Field::write(of, name.operand, writer, tree);
        }
        fn read(name: FieldName, reader: &mut Reader<'_>) -> Option<$of> {
            reader.attr(name.operand)
        }
    };
}

/// A register that the hardware sets.
#[derive(Debug)]
pub struct SpecialRegister;

impl Role for SpecialRegister {
    attribute_role!(Special);
    const EFFECTS: Effects = <Special as FieldEffects>::EFFECTS;

    fn refine<N: Naming>(of: &Special, effects: Effects) -> Effects {
        FieldEffects::refine(of, effects)
    }
    fn print(of: &Special, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(of, f)
    }
    fn parse(operands: &mut Operands<'_>) -> Result<Special, ReadError> {
        operands.require("a special register", |operand| match operand {
            RawOperand::Special(special) => Some(*special),
            _ => None,
        })
    }
}

/// The address of a variable in its state space plus a byte offset.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct VariableAddress {
    /// The variable.
    pub symbol: Symbol,
    /// The byte offset.
    pub offset: i32,
}

impl From<Symbol> for VariableAddress {
    fn from(symbol: Symbol) -> Self {
        Self { symbol, offset: 0 }
    }
}

/// The address of a variable.
#[derive(Debug)]
pub struct Variable;

impl Role for Variable {
    type Of<N: Naming> = VariableAddress;

    fn visit<N: Naming>(of: &VariableAddress, _: Want, visitor: &mut dyn Visitor<N>) {
        visitor.symbol(&of.symbol);
    }
    fn rename<N: Naming, M: Naming>(
        of: &VariableAddress,
        _: Want,
        _: &mut dyn Renaming<N, M>,
    ) -> VariableAddress {
        of.clone()
    }
    fn print(of: &VariableAddress, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match of.offset {
            0 => fmt::Display::fmt(&of.symbol, f),
            offset => write!(f, "{}+{offset}", of.symbol),
        }
    }
    fn parse(operands: &mut Operands<'_>) -> Result<VariableAddress, ReadError> {
        operands.require("the name of a variable", |operand| match operand {
            RawOperand::Symbol(symbol, offset) => Some(VariableAddress {
                symbol: symbol.clone(),
                offset: *offset,
            }),
            _ => None,
        })
    }
    fn write(of: &VariableAddress, name: FieldName, _: &mut dyn FieldWriter, tree: &mut OpTree) {
        tree.attrs
            .push(NamedTerm::new(name.operand, TermCodec::write(&of.symbol.0)));
        if of.offset != 0 {
            tree.attrs
                .push(NamedTerm::new(name.offset, TermCodec::write(&of.offset)));
        }
    }
    fn read(name: FieldName, reader: &mut Reader<'_>) -> Option<VariableAddress> {
        let symbol: String = reader.attr(name.operand)?;
        let offset: Option<i32> = reader.optional_attr(name.offset)?;
        Some(VariableAddress {
            symbol: Symbol(symbol),
            offset: offset.unwrap_or(0),
        })
    }
}

/// A branch target; SSA form has none.
#[derive(Debug)]
pub struct Target;

impl Role for Target {
    type Of<N: Naming> = N::Label;
    const IN_SSA: bool = false;

    fn visit<N: Naming>(of: &N::Label, _: Want, visitor: &mut dyn Visitor<N>) {
        visitor.label(of);
    }
    fn rename<N: Naming, M: Naming>(of: &N::Label, _: Want, renaming: &mut dyn Renaming<N, M>) -> M::Label {
        renaming.label(of)
    }
    fn print(of: &super::types::Label, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(of, f)
    }
    fn parse(operands: &mut Operands<'_>) -> Result<super::types::Label, ReadError> {
        operands.require("a label of this entry", |operand| match operand {
            RawOperand::Label(label) => Some(*label),
            _ => None,
        })
    }
    fn write(of: &std::convert::Infallible, _: FieldName, _: &mut dyn FieldWriter, _: &mut OpTree) {
        match *of {}
    }
    fn read(_: FieldName, _: &mut Reader<'_>) -> Option<std::convert::Infallible> {
        // Such instructions do not exist in `nvvm`: see `IN_SSA`.
        None
    }
}

/// A number that is part of the instruction; an attribute in `nvvm`.
#[derive(Debug)]
pub struct Number;

impl Role for Number {
    attribute_role!(u32);
    fn print(of: &u32, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(of, f)
    }
    fn parse(operands: &mut Operands<'_>) -> Result<u32, ReadError> {
        operands.require("a number", |operand| match operand {
            RawOperand::Immediate(Immediate::Int(value)) => u32::try_from(*value).ok(),
            _ => None,
        })
    }
}

/// A discarded result, written `_`.
#[derive(Debug)]
pub struct Sink;

impl Role for Sink {
    type Of<N: Naming> = ();

    fn visit<N: Naming>((): &(), _: Want, _: &mut dyn Visitor<N>) {}
    fn rename<N: Naming, M: Naming>((): &(), _: Want, _: &mut dyn Renaming<N, M>) {}
    fn print((): &(), f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("_")
    }
    fn parse(operands: &mut Operands<'_>) -> Result<(), ReadError> {
        operands.require("`_`", |operand| matches!(operand, RawOperand::Sink).then_some(()))
    }
    fn write((): &(), _: FieldName, _: &mut dyn FieldWriter, _: &mut OpTree) {}
    fn read(_: FieldName, _: &mut Reader<'_>) -> Option<()> {
        Some(())
    }
}

/// Registers that are read and then written, always braced: accumulators, updated in place. In `nvvm`, tied sources
/// and results.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Accumulators<N: Naming = Register>(pub Vec<N::Use>);

/// Accumulators.
#[derive(Debug)]
pub struct Accs;

impl Role for Accs {
    type Of<N: Naming> = Accumulators<N>;
    const RESULTS: Option<usize> = None;

    fn visit<N: Naming>(of: &Accumulators<N>, want: Want, visitor: &mut dyn Visitor<N>) {
        of.0.iter().for_each(|register| visitor.update(register, want));
    }
    fn rename<N: Naming, M: Naming>(
        of: &Accumulators<N>,
        want: Want,
        renaming: &mut dyn Renaming<N, M>,
    ) -> Accumulators<M> {
        Accumulators(
            of.0.iter()
                .map(|register| renaming.update(register, want))
                .collect(),
        )
    }
    fn print(of: &Accumulators, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        print_list(&of.0, f)
    }
    fn parse(operands: &mut Operands<'_>) -> Result<Accumulators, ReadError> {
        operands.require("a vector of registers", |operand| {
            read_list(operand, RawOperand::register).map(Accumulators)
        })
    }
    fn write(
        of: &Accumulators<core::Value>,
        name: FieldName,
        writer: &mut dyn FieldWriter,
        tree: &mut OpTree,
    ) {
        Field::write(&of.0, name.operand, writer, tree);
    }
    fn read(name: FieldName, reader: &mut Reader<'_>) -> Option<Accumulators<core::Value>> {
        let values = reader.values(name.operand)?;
        reader.take_results(values.len());
        Some(Accumulators(values))
    }
}

/// An element of a tensor, the start of a box.
#[derive(Debug)]
pub struct TensorAddr;

impl Role for TensorAddr {
    type Of<N: Naming> = TensorAddress<N>;

    fn visit<N: Naming>(of: &TensorAddress<N>, _: Want, visitor: &mut dyn Visitor<N>) {
        visitor.read(&of.map, Want::Address(None));
        let coordinate = Want::Exactly(super::types::Type::S32);
        of.coordinates
            .iter()
            .for_each(|value| visitor.operand(value, coordinate));
    }
    fn rename<N: Naming, M: Naming>(
        of: &TensorAddress<N>,
        _: Want,
        renaming: &mut dyn Renaming<N, M>,
    ) -> TensorAddress<M> {
        let coordinate = Want::Exactly(super::types::Type::S32);
        TensorAddress {
            map: renaming.read(&of.map, Want::Address(None)),
            coordinates: (of.coordinates.iter())
                .map(|value| renaming.operand(value, coordinate))
                .collect(),
        }
    }
    fn print(of: &TensorAddress, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}, ", of.map)?;
        print_list(&of.coordinates, f)?;
        f.write_str("]")
    }
    fn parse(operands: &mut Operands<'_>) -> Result<TensorAddress, ReadError> {
        operands.require(
            "a tensor map and coordinates in brackets",
            |operand| match operand {
                RawOperand::Tensor(map, coordinates) => Some(TensorAddress {
                    map: *map,
                    coordinates: coordinates.iter().map(RawOperand::value).collect::<Option<_>>()?,
                }),
                _ => None,
            },
        )
    }
    fn write(
        of: &TensorAddress<core::Value>,
        name: FieldName,
        writer: &mut dyn FieldWriter,
        tree: &mut OpTree,
    ) {
        Field::write(&of.map, name.operand, writer, tree);
        Field::write(&of.coordinates, name.operand, writer, tree);
    }
    fn read(name: FieldName, reader: &mut Reader<'_>) -> Option<TensorAddress<core::Value>> {
        Some(TensorAddress {
            map: reader.value(name.operand)?,
            coordinates: reader.values(name.operand)?,
        })
    }
}

/// Names of parameters in parentheses: the arguments or the results of a call. SSA form passes values.
#[derive(Debug)]
pub struct CallParameters;

impl Role for CallParameters {
    type Of<N: Naming> = Vec<N::Parameter>;
    const IN_SSA: bool = false;

    fn visit<N: Naming>(of: &Vec<N::Parameter>, _: Want, visitor: &mut dyn Visitor<N>) {
        of.iter().for_each(|parameter| visitor.parameter(parameter));
    }
    fn rename<N: Naming, M: Naming>(
        of: &Vec<N::Parameter>,
        _: Want,
        renaming: &mut dyn Renaming<N, M>,
    ) -> Vec<M::Parameter> {
        of.iter().map(|parameter| renaming.parameter(parameter)).collect()
    }
    fn is_absent(of: &Vec<Symbol>) -> bool {
        of.is_empty()
    }
    fn print(of: &Vec<Symbol>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, symbol) in of.iter().enumerate() {
            write!(f, "{}{symbol}", if index == 0 { "(" } else { ", " })?;
        }
        f.write_str(")")
    }
    fn parse(operands: &mut Operands<'_>) -> Result<Vec<Symbol>, ReadError> {
        let names = operands.accept(|operand| match operand {
            RawOperand::Group(names) => Some(names.clone()),
            _ => None,
        });
        Ok(names.unwrap_or_default())
    }
    fn write(_: &Vec<std::convert::Infallible>, _: FieldName, _: &mut dyn FieldWriter, _: &mut OpTree) {}
    fn read(_: FieldName, _: &mut Reader<'_>) -> Option<Vec<std::convert::Infallible>> {
        // Such instructions do not exist in `nvvm`: see `IN_SSA`.
        None
    }
}

/// The name of a called function.
#[derive(Debug)]
pub struct Function;

impl Role for Function {
    type Of<N: Naming> = Symbol;

    fn visit<N: Naming>(of: &Symbol, _: Want, visitor: &mut dyn Visitor<N>) {
        visitor.symbol(of);
    }
    fn rename<N: Naming, M: Naming>(of: &Symbol, _: Want, _: &mut dyn Renaming<N, M>) -> Symbol {
        of.clone()
    }
    fn print(of: &Symbol, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(of, f)
    }
    fn parse(operands: &mut Operands<'_>) -> Result<Symbol, ReadError> {
        operands.require("the name of a function", |operand| match operand {
            RawOperand::Symbol(symbol, 0) => Some(symbol.clone()),
            _ => None,
        })
    }
    fn write(of: &Symbol, name: FieldName, _: &mut dyn FieldWriter, tree: &mut OpTree) {
        tree.attrs
            .push(NamedTerm::new(name.operand, TermCodec::write(&of.0)));
    }
    fn read(name: FieldName, reader: &mut Reader<'_>) -> Option<Symbol> {
        reader.attr(name.operand).map(Symbol)
    }
}

/// The factor of an operand: 1 or -1. An attribute in `nvvm`.
#[derive(Debug)]
pub struct Sign;

impl Role for Sign {
    attribute_role!(i32);
    fn print(of: &i32, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(of, f)
    }
    fn parse(operands: &mut Operands<'_>) -> Result<i32, ReadError> {
        operands.require("1 or -1", |operand| match operand {
            RawOperand::Immediate(Immediate::Int(1)) => Some(1),
            RawOperand::Immediate(Immediate::Int(-1)) => Some(-1),
            _ => None,
        })
    }
}

/// Optional numbers at the end of the operands. An attribute in `nvvm`.
#[derive(Debug)]
pub struct OptNumbers;

impl Role for OptNumbers {
    attribute_role!(Vec<u32>);
    fn is_absent(of: &Vec<u32>) -> bool {
        of.is_empty()
    }
    fn print(of: &Vec<u32>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, number) in of.iter().enumerate() {
            write!(f, "{}{number}", if index == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
    fn parse(operands: &mut Operands<'_>) -> Result<Vec<u32>, ReadError> {
        let mut numbers = Vec::new();
        while let Some(number) = operands.accept(|operand| match operand {
            RawOperand::Immediate(Immediate::Int(value)) => u32::try_from(*value).ok(),
            _ => None,
        }) {
            numbers.push(number);
        }
        Ok(numbers)
    }
}
