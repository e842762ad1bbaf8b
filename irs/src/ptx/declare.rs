//! The declaration of instructions: one line gives the variant, its printing, its reading, the walk over its
//! registers, and what it needs of the target.

use super::target::Need;
use super::types::{Address, Immediate, Label, Register, Special, Symbol, Value};
use std::fmt;

/// An instruction as the parser sees it: words and operands with names already resolved.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RawInstruction {
    /// The mnemonic and its modifiers, split at the dots.
    pub words: Vec<String>,
    /// The operands, in order.
    pub operands: Vec<RawOperand>,
}

/// An operand before it is known what the instruction takes there.
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
}

/// Where and why an instruction could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ReadError {
    /// No instruction has this mnemonic.
    UnknownMnemonic,
    /// The word at this index is not a modifier the mnemonic takes there; past the end, one is missing.
    Modifier(usize),
    /// The operand at this index is not what is wanted there; past the end, one is missing.
    Operand(usize, &'static str),
    /// Modifiers, types and operands do not go together.
    NoSuchForm,
}

impl ReadError {
    /// How far reading got: of several failed readings, the furthest says most.
    fn progress(&self) -> (u8, usize) {
        match self {
            Self::UnknownMnemonic => (0, 0),
            Self::Modifier(at) => (1, *at),
            Self::Operand(at, _) => (2, *at),
            Self::NoSuchForm => (3, 0),
        }
    }
}

/// A cursor over the words of an instruction.
#[derive(Debug)]
pub struct Words<'a> {
    words: &'a [String],
    at: usize,
}

impl Words<'_> {
    /// Takes the next word if `read` knows it.
    pub fn accept<T>(&mut self, read: impl FnOnce(&str) -> Option<T>) -> Option<T> {
        let value = read(self.words.get(self.at)?)?;
        self.at += 1;
        Some(value)
    }

    /// Takes the next word, which `read` must know.
    pub fn require<T>(&mut self, read: impl FnOnce(&str) -> Option<T>) -> Result<T, ReadError> {
        let at = self.at;
        self.accept(read).ok_or(ReadError::Modifier(at))
    }
}

/// A cursor over the operands of an instruction.
#[derive(Debug)]
pub struct Operands<'a> {
    operands: &'a [RawOperand],
    at: usize,
}

impl Operands<'_> {
    pub(super) fn accept<T>(&mut self, read: impl FnOnce(&RawOperand) -> Option<T>) -> Option<T> {
        let value = read(self.operands.get(self.at)?)?;
        self.at += 1;
        Some(value)
    }

    pub(super) fn require<T>(
        &mut self,
        wanted: &'static str,
        read: impl FnOnce(&RawOperand) -> Option<T>,
    ) -> Result<T, ReadError> {
        let at = self.at;
        self.accept(read).ok_or(ReadError::Operand(at, wanted))
    }
}

/// What a modifier's type can do.
pub trait Modifier: Sized {
    /// Prints the modifier with its dot, or nothing when it is absent.
    fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
    /// Reads the modifier at the cursor.
    fn read(words: &mut Words<'_>) -> Result<Self, ReadError>;
}

/// What an instruction does with a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Reads it.
    Read,
    /// Writes it.
    Write,
}

/// What an operand's type can do.
pub trait Operand: Sized {
    /// Whether nothing is printed.
    fn is_absent(&self) -> bool {
        false
    }
    /// Prints the operand.
    fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
    /// Reads the operand at the cursor.
    fn read(operands: &mut Operands<'_>) -> Result<Self, ReadError>;
    /// Visits every register in the operand.
    fn registers(&self, visit: &mut dyn FnMut(Register, Access));
    /// Visits every variable named in the operand.
    fn symbols(&self, _visit: &mut dyn FnMut(&Symbol)) {}
    /// The label in the operand.
    fn label(&self) -> Option<Label> {
        None
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

/// What the declaration of one form of instruction says, as data.
#[derive(Clone, Copy, Debug)]
pub struct Declaration {
    /// The variant's name.
    pub name: &'static str,
    /// The mnemonic, with its fixed words.
    pub mnemonic: &'static str,
    /// What it does.
    pub doc: &'static str,
    /// The names of its modifiers, in order.
    pub modifiers: &'static [&'static str],
    /// The names of its operands, in order.
    pub operands: &'static [&'static str],
    pub(crate) read: fn(&RawInstruction) -> Result<super::Instruction, ReadError>,
}

/// Starts reading an instruction with the given mnemonic; `None` when it has another one.
pub(crate) fn start<'a>(raw: &'a RawInstruction, mnemonic: &str) -> Option<(Words<'a>, Operands<'a>)> {
    let mut at = 0;
    for word in mnemonic.split('.') {
        if raw.words.get(at)? != word {
            return None;
        }
        at += 1;
    }
    Some((
        Words {
            words: &raw.words,
            at,
        },
        Operands {
            operands: &raw.operands,
            at: 0,
        },
    ))
}

/// Checks that nothing is left over, and that the instruction exists in PTX.
pub(crate) fn finish(
    words: &Words<'_>,
    operands: &Operands<'_>,
    instruction: super::Instruction,
) -> Result<super::Instruction, ReadError> {
    if operands.at < operands.operands.len() {
        return Err(ReadError::Operand(operands.at, "nothing"));
    }
    debug_assert_eq!(
        words.at,
        words.words.len(),
        "modifiers are checked before operands"
    );
    instruction
        .need()
        .map_or(Err(ReadError::NoSuchForm), |_: Need| Ok(instruction))
}

/// Checks that every modifier was read.
pub(crate) fn no_more_words(words: &Words<'_>) -> Result<(), ReadError> {
    if words.at < words.words.len() {
        Err(ReadError::Modifier(words.at))
    } else {
        Ok(())
    }
}

/// Reads with every declaration that has the mnemonic; the first success, or the failure that got furthest.
pub(crate) fn read_any(
    declarations: &[Declaration],
    raw: &RawInstruction,
) -> Result<super::Instruction, ReadError> {
    let mut furthest = ReadError::UnknownMnemonic;
    for declaration in declarations {
        match (declaration.read)(raw) {
            Ok(instruction) => return Ok(instruction),
            Err(error) if error.progress() >= furthest.progress() => furthest = error,
            Err(_) => {}
        }
    }
    Err(furthest)
}

/// Declares the instruction set.
macro_rules! instructions {
    ($(
        $(#[doc = $doc:literal])*
        $name:ident $mnemonic:literal [$($modifier:ident: $modifier_type:ty),*] ($($operand:ident: $operand_type:ty),*)
        needs $need:expr;
    )*) => {
        /// One PTX instruction: its modifiers in the order they are printed, then its operands.
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub enum Instruction {
            $(
                $(#[doc = $doc])*
                $name {
                    $(
                        #[doc = concat!("The modifier `", stringify!($modifier), "`.")]
                        $modifier: $modifier_type,
                    )*
                    $(
                        #[doc = concat!("The operand `", stringify!($operand), "`.")]
                        $operand: $operand_type,
                    )*
                },
            )*
        }

        /// Every form of instruction, as data.
        pub static DECLARATIONS: &[Declaration] = &[$(
            Declaration {
                name: stringify!($name),
                mnemonic: $mnemonic,
                doc: concat!($($doc),*),
                modifiers: &[$(stringify!($modifier)),*],
                operands: &[$(stringify!($operand)),*],
                read: |raw| {
                    #[allow(unused_mut)]
                    let Some((mut words, mut operands)) = start(raw, $mnemonic) else {
                        return Err(ReadError::UnknownMnemonic);
                    };
                    $(let $modifier = <$modifier_type as Modifier>::read(&mut words)?;)*
                    no_more_words(&words)?;
                    $(let $operand = <$operand_type as Operand>::read(&mut operands)?;)*
                    finish(&words, &operands, Instruction::$name { $($modifier,)* $($operand,)* })
                },
            },
        )*];

        impl Instruction {
            /// The mnemonic, with its fixed words and without modifiers.
            pub const fn mnemonic(&self) -> &'static str {
                match self { $(Self::$name { .. } => $mnemonic,)* }
            }

            /// The place of the instruction's form in [`DECLARATIONS`].
            pub fn declaration(&self) -> Option<&'static Declaration> {
                let name = match self { $(Self::$name { .. } => stringify!($name),)* };
                DECLARATIONS.iter().find(|declaration| declaration.name == name)
            }

            /// The least PTX ISA and GPU that know this form; `None` when PTX has no such form.
            #[allow(unused_variables)]
            pub fn need(&self) -> Option<Need> {
                match self { $(Self::$name { $($modifier,)* $($operand,)* } => $need,)* }
            }

            /// Visits every register, in textual order.
            #[allow(unused_variables)]
            pub fn registers(&self, visit: &mut dyn FnMut(Register, Access)) {
                match self { $(Self::$name { $($modifier,)* $($operand,)* } => { $($operand.registers(visit);)* })* }
            }

            /// Visits every variable or parameter named.
            #[allow(unused_variables)]
            pub fn symbols(&self, visit: &mut dyn FnMut(&Symbol)) {
                match self { $(Self::$name { $($modifier,)* $($operand,)* } => { $($operand.symbols(visit);)* })* }
            }

            /// The label that the instruction branches to.
            #[allow(unused_variables)]
            pub fn target(&self) -> Option<Label> {
                match self { $(Self::$name { $($modifier,)* $($operand,)* } => None$(.or($operand.label()))*,)* }
            }

            /// Reads an instruction whose names are resolved.
            ///
            /// # Errors
            /// The furthest place that any form of the mnemonic could be read to.
            pub fn read(raw: &RawInstruction) -> Result<Self, ReadError> {
                read_any(DECLARATIONS, raw)
            }
        }

        impl fmt::Display for Instruction {
            #[allow(unused_variables, unused_mut, unused_assignments)]
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.mnemonic())?;
                let mut separator = " ";
                match self {$(
                    Self::$name { $($modifier,)* $($operand,)* } => {
                        $($modifier.print(f)?;)*
                        $(
                            if !$operand.is_absent() {
                                f.write_str(separator)?;
                                $operand.print(f)?;
                                separator = ", ";
                            }
                        )*
                    }
                )*}
                f.write_str(";")
            }
        }
    };
}
pub(crate) use instructions;
