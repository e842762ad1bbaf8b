//! The declaration of instructions: one line gives the variant, its text in PTX and in `nvvm`, the walk over its
//! operands with their required types, its effects, and its target requirements.

use crate::core::{OpSpec, ResultCount};

use super::raw::{Operands, RawInstruction};
use super::words::{ReadError, Words};

/// Starts decoding an instruction with the given mnemonic; `None` if it has another one.
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

/// Checks that no modifier is left over.
pub(crate) fn no_more_words(words: &Words<'_>) -> Result<(), ReadError> {
    if words.at < words.words.len() {
        Err(ReadError::Modifier(words.at))
    } else {
        Ok(())
    }
}

/// The number of results of the `nvvm` op; `operands` has the number of results that each operand stands for.
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

/// How many of these are true.
pub(crate) const fn true_ones(list: &[bool]) -> usize {
    let (mut count, mut at) = (0, 0);
    while at < list.len() {
        count += list[at] as usize;
        at += 1;
    }
    count
}

/// The declarations at the places where `of` is true; `N` is their number.
pub(crate) const fn chosen<const N: usize>(all: &[OpSpec], of: &[bool]) -> [OpSpec; N] {
    let mut list = [all[0]; N];
    let (mut from, mut to) = (0, 0);
    while to < N {
        if of[from] {
            list[to] = all[from];
            to += 1;
        }
        from += 1;
    }
    list
}

/// Declares the instruction set.
///
/// ```text
/// Meaning of the instruction.
/// Name "mnemonic.fixed" as "name in nvvm" [modifier: Type, …] (operand: Role = required type, …)
///     Effects [properties], valid combinations with their requirements;
/// ```
/// An operand that exists only together with a modifier names it: `policy if hint: If<Src> = Type::B64`. Effects and
/// properties are the words of [`dialect!`](crate::dialect). Modifiers and operands are in the order of PTX. In the
/// expressions, modifiers are values and operands are references.
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
        /// `N` is the type of operands: registers in `ptx`, SSA values in `nvvm`.
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
                keywords: &[$(<$modifier_type as Modifier>::KEYWORDS),*],
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
            /// The index of the instruction's form in [`DECLARATIONS`].
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

            /// The target requirements of the form; `None` if PTX has no such form.
            pub fn need(&self) -> Option<Need> {
                match self { $(Self::$name { $($modifier,)* $($operand,)* } => {
                    $(let $modifier = *$modifier;)*
                    $($(if $operand.is_some() != $when.0 {
                        return None;
                    })?)*
                    $need
                })* }
            }

            /// The effects of the instruction.
            pub fn effects(&self) -> core::Effects {
                let effects = SPECS[self.index()].properties.effects;
                match self { $(Self::$name { $($modifier,)* $($operand,)* } => {
                    $(let effects = Modifier::refine($modifier, effects);)*
                    $(let effects = <$role as Role>::refine::<N>($operand, effects);)*
                    effects
                })* }
            }

            /// Visits every operand, in the order of PTX.
            pub fn visit(&self, visitor: &mut dyn Visitor<N>) {
                match self { $(Self::$name { $($modifier,)* $($operand,)* } => {
                    $(let $modifier = *$modifier;)*
                    $({
                        let want = Want::from($want);
                        <$role as Role>::visit::<N>($operand, want, visitor);
                    })*
                })* }
            }

            /// The same instruction with renamed operands.
            pub fn rename<M: Naming>(&self, renaming: &mut dyn Renaming<N, M>) -> Instruction<M> {
                match self { $(Self::$name { $($modifier,)* $($operand,)* } => {
                    $(let $modifier = *$modifier;)*
                    // All wanted types are computed before any operand is moved: a later one may depend on an earlier
                    // operand.
                    let ($($operand,)*) = ($(($operand, Want::from($want)),)*);
                    Instruction::$name {
                        $($modifier,)*
                        $($operand: <$role as Role>::rename::<N, M>($operand.0, $operand.1, renaming),)*
                    }
                })* }
            }
        }

        impl Instruction<Register> {
            /// Decodes an instruction of PTX whose names are resolved.
            ///
            /// # Errors
            /// Of the errors of all forms with this mnemonic, that of the form of which the most words and operands
            /// could be read.
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

        /// The declarations as those of `nvvm` ops.
        const SPECS: &[core::OpSpec] = &[$(
            core::OpSpec {
                name: instructions!(@ssa $mnemonic $($ssa)?),
                doc: concat!($($doc, "\n"),*),
                fields: &[
                    $(core::FieldSpec {
                        name: stringify!($modifier),
                        ty: stringify!($modifier_type),
                        doc: "",
                        keywords: <$modifier_type as Modifier>::KEYWORDS,
                        family: Some(<$modifier_type as Modifier>::FAMILY),
                        keys: &[],
                    },)*
                    $(core::FieldSpec {
                        name: stringify!($operand),
                        ty: stringify!($role),
                        doc: "",
                        keywords: &[],
                        family: None,
                        keys: &[],
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
            const SPECS: &'static [&'static [core::OpSpec]] = {
                const IN_SSA: &[bool] = &[$(true $(&& <$role as Role>::IN_SSA)*),*];
                const OF_SSA: [core::OpSpec; true_ones(IN_SSA)] = chosen(SPECS, IN_SSA);
                &[&OF_SSA]
            };
            fn spec(&self) -> &'static core::OpSpec {
                &SPECS[self.index()]
            }
            fn effects(&self) -> core::Effects {
                Instruction::effects(self)
            }
            fn operands(&self, visit: &mut dyn FnMut(core::Value)) {
                self.visit(&mut SsaOperands(&mut |operand| {
                    if let SsaOperand::Source(value, _) = operand {
                        visit(value);
                    }
                }));
            }
            #[allow(unused_mut, unused_assignments)]
            fn operand_parts(&self, visit: &mut dyn FnMut(core::Part, core::Value)) {
                match self { $(Self::$name { $($modifier,)* $($operand,)* } => {
                    $(let $modifier = *$modifier;)*
                    let mut position = <[&str]>::len(&[$(stringify!($modifier)),*]);
                    $({
                        let mut entry = 0usize;
                        <$role as Role>::visit::<core::Value>($operand, Want::from($want), &mut SsaOperands(&mut |operand| {
                            if let SsaOperand::Source(value, _) = operand {
                                visit(core::Part::field(position).entry(entry), value);
                                entry += 1;
                            }
                        }));
                        position += 1;
                    })*
                })* }
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
                        // Every field is read before an error ends the op, so that one run reports them all.
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
