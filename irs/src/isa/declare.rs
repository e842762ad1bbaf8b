//! The declaration of instructions: one line gives the variant, its text in PTX and in `nvvm`, the walk over its
//! operands and what each must be, its effect, and what it needs of the target.

use crate::core::{Effects, ResultCount};

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
    /// A result that is not wanted, `_`.
    Sink,
    /// A tensor map and coordinates.
    Tensor(Register, Vec<RawOperand>),
    /// Names in parentheses.
    Group(Vec<Symbol>),
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
    /// Takes the next operand if `read` knows it.
    pub fn accept<T>(&mut self, read: impl FnOnce(&RawOperand) -> Option<T>) -> Option<T> {
        let value = read(self.operands.get(self.at)?)?;
        self.at += 1;
        Some(value)
    }

    /// Takes the next operand, which `read` must know; `wanted` says what it should be.
    pub fn require<T>(
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
    /// What an instruction may do because of such a modifier, at most.
    const EFFECTS: Effects = Effects::PURE;
    /// What an instruction with this modifier does, of what its declaration allows.
    fn refine(&self, effects: Effects) -> Effects {
        effects
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
    pub(crate) read: fn(&RawInstruction) -> Result<super::Instruction<Register>, ReadError>,
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
    instruction: super::Instruction<Register>,
) -> Result<super::Instruction<Register>, ReadError> {
    if operands.at < operands.operands.len() {
        return Err(ReadError::Operand(operands.at, "nothing"));
    }
    debug_assert_eq!(
        words.at,
        words.words.len(),
        "modifiers are checked before operands"
    );
    if instruction.need().is_some() {
        Ok(instruction)
    } else {
        Err(ReadError::NoSuchForm)
    }
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
) -> Result<super::Instruction<Register>, ReadError> {
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

/// How many results the op of `nvvm` has, from those that each operand stands for.
pub(crate) const fn result_count(operands: &[Option<usize>]) -> ResultCount {
    let mut total = 0;
    let mut at = 0;
    while at < operands.len() {
        match operands[at] {
            Some(count) => total += count,
            None => return ResultCount::Any,
        }
        at += 1;
    }
    ResultCount::Exactly(total)
}

/// Declares the instruction set.
///
/// ```text
/// /// What it does.
/// Name "mnemonic.fixed" as "name in nvvm" [modifier: Type, …] (operand: Role = what it must be, …)
///     Effects [properties], which combinations exist and what they need;
/// ```
/// An operand that is there when a modifier is says so: `policy if hint: If<Src> = Type::B64`.
/// Effects and properties are the words of [`dialect!`](crate::dialect).
/// Modifiers and operands stand in the order of PTX. In the expressions, modifiers are values and operands references.
macro_rules! instructions {
    ($(
        $(#[doc = $doc:literal])*
        $name:ident $mnemonic:literal $(as $ssa:literal)?
        [$($modifier:ident: $modifier_type:ty),*] ($($operand:ident $(if $when:ident)?: $role:ty = $want:expr),*)
        $effect:ident $(($($resource:ident),+))? $(+ $more:ident ($($touched:ident),+))*
        $([$($property:ident),*])?, $need:expr;
    )*) => {
        /// One target instruction: its modifiers in the order of PTX, then its operands.
        ///
        /// `N` says how operands are named: by registers in `ptx`, by SSA values in `nvvm`.
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub enum Instruction<N: Naming> {
            $(
                $(#[doc = $doc])*
                $name {
                    $(
                        #[doc = concat!("The modifier `", stringify!($modifier), "`.")]
                        $modifier: $modifier_type,
                    )*
                    $(
                        #[doc = concat!("The operand `", stringify!($operand), "`.")]
                        $operand: <$role as Role>::Of<N>,
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
                    $(let $operand = instructions!(@parse $role, operands $(, $when)?);)*
                    finish(&words, &operands, Instruction::$name { $($modifier,)* $($operand,)* })
                },
            },
        )*];

        #[allow(unused_variables, clippy::redundant_closure_call)]
        impl<N: Naming> Instruction<N> {
            /// The place of the instruction's form in [`DECLARATIONS`].
            const fn index(&self) -> usize {
                #[allow(non_camel_case_types)]
                #[repr(usize)]
                enum Index { $($name),* }
                match self { $(Self::$name { .. } => Index::$name as usize),* }
            }

            /// The declaration of the instruction's form.
            pub fn declaration(&self) -> &'static Declaration {
                &DECLARATIONS[self.index()]
            }

            /// The mnemonic, with its fixed words and without modifiers.
            pub const fn mnemonic(&self) -> &'static str {
                match self { $(Self::$name { .. } => $mnemonic,)* }
            }

            /// What the form needs of the target; `None` when PTX has no such form.
            pub fn need(&self) -> Option<Need> {
                match self { $(Self::$name { $($modifier,)* $($operand,)* } => {
                    $(let $modifier = *$modifier;)*
                    $($(if $operand.is_some() != $when.0 {
                        return None;
                    })?)*
                    $need
                })* }
            }

            /// What the instruction does beside giving its results.
            pub fn effects(&self) -> core::Effects {
                let effects = SPECS[self.index()].properties.effects;
                match self { $(Self::$name { $($modifier,)* $($operand,)* } => {
                    $(let effects = Modifier::refine($modifier, effects);)*
                    $(let effects = <$role as Role>::refine::<N>($operand, effects);)*
                    effects
                })* }
            }

            /// Shows the visitor every operand, in the order of PTX.
            pub fn visit(&self, visitor: &mut dyn Visitor<N>) {
                match self { $(Self::$name { $($modifier,)* $($operand,)* } => {
                    $(let $modifier = *$modifier;)*
                    $({
                        let want = Want::from($want);
                        <$role as Role>::visit::<N>($operand, want, visitor);
                    })*
                })* }
            }

            /// The same instruction with other names for its operands.
            pub fn rename<M: Naming>(&self, renaming: &mut dyn Renaming<N, M>) -> Instruction<M> {
                match self { $(Self::$name { $($modifier,)* $($operand,)* } => {
                    $(let $modifier = *$modifier;)*
                    // All of them before any name is taken: a later one may ask an earlier operand.
                    let ($($operand,)*) = ($(($operand, Want::from($want)),)*);
                    Instruction::$name {
                        $($modifier,)*
                        $($operand: <$role as Role>::rename::<N, M>($operand.0, $operand.1, renaming),)*
                    }
                })* }
            }
        }

        impl Instruction<Register> {
            /// Reads an instruction of PTX whose names are resolved.
            ///
            /// # Errors
            /// The furthest place that any form of the mnemonic could be read to.
            pub fn read(raw: &RawInstruction) -> Result<Self, ReadError> {
                read_any(DECLARATIONS, raw)
            }
        }

        impl fmt::Display for Instruction<Register> {
            #[allow(unused_variables, unused_mut, unused_assignments)]
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.mnemonic())?;
                let mut separator = " ";
                match self {$(
                    Self::$name { $($modifier,)* $($operand,)* } => {
                        $(Modifier::print($modifier, f)?;)*
                        $(
                            if !<$role as Role>::is_absent($operand) {
                                f.write_str(separator)?;
                                <$role as Role>::print($operand, f)?;
                                separator = ", ";
                            }
                        )*
                    }
                )*}
                f.write_str(";")
            }
        }

        /// The declarations as those of ops of `nvvm`.
        static SPECS: &[core::OpSpec] = &[$(
            core::OpSpec {
                name: instructions!(@ssa $mnemonic $($ssa)?),
                doc: concat!($($doc, "\n"),*),
                fields: &[
                    $(core::FieldSpec {
                        name: stringify!($modifier),
                        ty: stringify!($modifier_type),
                        doc: "",
                    },)*
                    $(core::FieldSpec {
                        name: stringify!($operand),
                        ty: stringify!($role),
                        doc: "",
                    },)*
                ],
                results: result_count(&[$(<$role as Role>::RESULTS),*]),
                properties: core::Properties::new(
                    crate::dialect!(@effects $effect $($($resource)+)?)
                        $(.union(crate::dialect!(@effects $more $($touched)+)))*
                        $(.union(<$modifier_type as Modifier>::EFFECTS))*
                        $(.union(<$role as Role>::EFFECTS))*
                )$($(.$property())*)?,
                rule: core::TypeRule::Free,
            }
        ),*];

        #[allow(unused_variables, clippy::redundant_closure_call)]
        impl core::Operation for Instruction<core::Value> {
            fn spec(&self) -> &'static core::OpSpec {
                &SPECS[self.index()]
            }
            fn specs() -> Vec<&'static core::OpSpec> {
                const IN_SSA: &[bool] = &[$(true $(&& <$role as Role>::IN_SSA)*),*];
                SPECS.iter().zip(IN_SSA).filter_map(|(spec, in_ssa)| in_ssa.then_some(spec)).collect()
            }
            fn effects(&self) -> core::Effects {
                Instruction::effects(self)
            }
            fn operands(&self, visit: &mut dyn FnMut(core::Value)) {
                self.visit(&mut Uses(visit));
            }
            fn regions(&self, _: &mut dyn FnMut(core::Region)) {}
            fn successors(&self, _: &mut dyn FnMut(&core::Successor)) {}
            fn remap(&mut self, map: &mut dyn core::Remap) {
                *self = self.rename(&mut Remapped(map));
            }
            fn write(&self, writer: &mut dyn core::FieldWriter, tree: &mut core::OpTree) {
                match self { $(Self::$name { $($modifier,)* $($operand,)* } => {
                    $(core::AttributeField::write_attr($modifier, stringify!($modifier), &mut tree.attrs);)*
                    $(<$role as Role>::write($operand, instructions!(@field $operand), writer, tree);)*
                })* }
            }
            fn read(name: &str, reader: &mut core::Reader<'_>) -> Option<Option<Self>> {
                match name {
                    $(instructions!(@ssa $mnemonic $($ssa)?) if true $(&& <$role as Role>::IN_SSA)* => {
                        // Every field is read before any error ends the op, so that one run shows them all.
                        $(let $modifier = <$modifier_type as core::AttributeField>::read_attr(stringify!($modifier), reader);)*
                        $(let $operand = instructions!(@read $role, reader, instructions!(@field $operand) $(, $when)?);)*
                        let build = || Some(Self::$name { $($modifier: $modifier?,)* $($operand: $operand?,)* });
                        Some(build())
                    })*
                    _ => None,
                }
            }
        }
    };
    (@ssa $mnemonic:literal) => { concat!("nvvm.", $mnemonic) };
    (@ssa $mnemonic:literal $ssa:literal) => { concat!("nvvm.", $ssa) };
    (@parse $role:ty, $operands:ident) => { <$role as Role>::parse(&mut $operands)? };
    (@parse $role:ty, $operands:ident, $when:ident) => {
        if $when.0 { <$role as Role>::parse(&mut $operands)? } else { None }
    };
    (@read $role:ty, $reader:ident, $field:expr) => { <$role as Role>::read($field, $reader) };
    (@read $role:ty, $reader:ident, $field:expr, $when:ident) => {
        match $when {
            Some(there) if there.0 => <$role as Role>::read($field, $reader),
            Some(_) => Some(None),
            None => None,
        }
    };
    // The usual name of the only address.
    (@field a) => {
        FieldName { operand: "a", offset: "offset" }
    };
    (@field $operand:ident) => {
        FieldName { operand: stringify!($operand), offset: concat!(stringify!($operand), "_offset") }
    };
}
pub(crate) use instructions;
