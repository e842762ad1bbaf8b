//! The declaration macros: an op is declared once, and all other code about it is generated.

/// Declares a dialect: its ops, each with a mnemonic, typed fields in textual order, the number of results, its
/// effects, its type rule, and its properties.
///
/// ```text
/// dialect! {
///     /// Purpose of the dialect.
///     pub enum ArithOp: "arith" {
///         /// Meaning of the op.
///         AddI "addi" { lhs: Value, rhs: Value, overflow: Overflow } -> 1, Pure, SameInt [elementwise, commutative];
///         /// Meaning of the op.
///         Copy "copy" { from: Value, to: Value } -> 0, Reads(Global) + Writes(Shared), Free;
///     }
/// }
/// ```
///
/// A field's type gives its role (see [`Field`](crate::core::Field)): `Value`, `Option<Value>` and `Vec<Value>` are
/// operands, `Region` a region, `Successor` a branch target, [`Flag`](crate::core::Flag) and all others attributes. An
/// attribute whose type does not tell its [family](crate::core::Family) gives it: `latency in Staging: Option<u32>`.
///
/// The effects of an op (see [`Effects`](crate::core::Effects)) are one of these words, or several joined by `+`:
///
/// | word | meaning |
/// |---|---|
/// | `Pure` | none |
/// | `Reads(R, …)`, `Writes(R, …)`, `Updates(R, …)` | reads, writes, or both, each [`Resource`](crate::core::Resource) |
/// | `Regions`, `Loop` | the effects of its regions, executed at most once or repeatedly |
/// | `Terminator`, `LeavesLoop`, `LeavesFunction` | ends its block |
/// | `Anything` | all effects |
///
/// These are upper bounds. Fields add effects and, by their values, remove some
/// ([`FieldEffects`](crate::core::FieldEffects)): a memory order synchronises unless it is weak.
///
/// The optional brackets call the methods of [`Properties`](crate::core::Properties): `elementwise`, `commutative`
/// (for floats `commutative_numbers`), `free` or `expensive` (without either, an op is cheap unless it reads or
/// writes a resource), `convergent`, `allocates`, `partial` (undefined for some operands).
#[macro_export]
macro_rules! dialect {
    (
        $(#[doc = $edoc:literal])*
        pub enum $enum:ident: $dialect:literal {
            $(
                $(#[doc = $doc:literal])*
                $variant:ident $mnemonic:literal
                { $($(#[doc = $fdoc:literal])* $field:ident $(in $family:ident)?: $fty:ty),* $(,)? }
                -> $results:tt, $effect:ident $(($($resource:ident),+))? $(+ $more:ident ($($touched:ident),+))*,
                $rule:ident $([$($property:ident),* $(,)?])?;
            )*
        }
    ) => {
        $(#[doc = $edoc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub enum $enum {
            $(
                $(#[doc = $doc])*
                $variant {
                    $(
                        #[doc = concat!("`", stringify!($field), "`")]
                        $(#[doc = $fdoc])*
                        $field: $fty,
                    )*
                },
            )*
        }

        impl $enum {
            const DECLARATIONS: &'static [$crate::core::OpSpec] = &[$(
                $crate::core::OpSpec {
                    name: concat!($dialect, ".", $mnemonic),
                    doc: concat!($($doc, "\n"),*),
                    fields: $crate::field_group!(@specs $($(#[doc = $fdoc])* $field $(in $family)?: $fty),*),
                    results: $crate::dialect!(@results $results),
                    properties: $crate::core::Properties::new(
                        $crate::dialect!(@effects $effect $($($resource)+)?)
                            $(.union($crate::dialect!(@effects $more $($touched)+)))*
                            $(.union(<$fty as $crate::core::Field>::EFFECTS))*
                    )$($(.$property())*)?,
                    rule: $crate::core::TypeRule::$rule,
                }
            ),*];
        }

        #[allow(unused_variables)]
        impl $enum {
            /// The op's first field of this type, such as a group.
            pub fn field<T: 'static>(&self) -> Option<&T> {
                match self { $(Self::$variant { $($field),* } => {
                    $(if let Some(found) = <dyn std::any::Any>::downcast_ref($field) {
                        return Some(found);
                    })*
                    None
                })* }
            }
            /// The op's first field of this type, to be changed.
            pub fn field_mut<T: 'static>(&mut self) -> Option<&mut T> {
                match self { $(Self::$variant { $($field),* } => {
                    $(if let Some(found) = <dyn std::any::Any>::downcast_mut($field) {
                        return Some(found);
                    })*
                    None
                })* }
            }
        }

        // If no op of a dialect has fields, the visitors do not use their arguments.
        #[allow(unused_variables, clippy::redundant_closure_call)]
        impl $crate::core::Operation for $enum {
            const SPECS: &'static [&'static [$crate::core::OpSpec]] = &[Self::DECLARATIONS];
            fn spec(&self) -> &'static $crate::core::OpSpec {
                #[allow(non_camel_case_types, clippy::enum_variant_names)]
                #[repr(usize)]
                enum Index { $($variant),* }
                let index = match self { $(Self::$variant { .. } => Index::$variant as usize),* };
                &Self::DECLARATIONS[index]
            }
            fn effects(&self) -> $crate::core::Effects {
                let effects = self.spec().properties.effects;
                match self { $(Self::$variant { $($field),* } => {
                    $(let effects = $crate::core::Field::refine($field, effects);)*
                    effects
                })* }
            }
            fn operands(&self, visit: &mut dyn FnMut($crate::core::Value)) {
                match self { $(Self::$variant { $($field),* } => { $($crate::core::Field::operands($field, visit);)* })* }
            }
            #[allow(unused_mut, unused_assignments)]
            fn operand_parts(&self, visit: &mut dyn FnMut($crate::core::Part, $crate::core::Value)) {
                match self { $(Self::$variant { $($field),* } => {
                    let mut position = 0usize;
                    $(
                        $crate::core::Field::operand_parts($field, position, visit);
                        position += $crate::core::field_count::<$fty>();
                    )*
                })* }
            }
            fn regions(&self, visit: &mut dyn FnMut($crate::core::Region)) {
                match self { $(Self::$variant { $($field),* } => { $($crate::core::Field::regions($field, visit);)* })* }
            }
            fn successors(&self, visit: &mut dyn FnMut(&$crate::core::Successor)) {
                match self { $(Self::$variant { $($field),* } => { $($crate::core::Field::successors($field, visit);)* })* }
            }
            fn remap(&mut self, map: &mut dyn $crate::core::Remap) {
                match self { $(Self::$variant { $($field),* } => { $($crate::core::Field::remap($field, map);)* })* }
            }
            fn write(&self, writer: &mut dyn $crate::core::FieldWriter, tree: &mut $crate::core::OpTree) {
                match self { $(Self::$variant { $($field),* } => {
                    $($crate::core::Field::write($field, $crate::core::field_name(stringify!($field)), writer, tree);)*
                })* }
            }
            fn read(name: &str, reader: &mut $crate::core::Reader<'_>) -> Option<Option<Self>> {
                match name {
                    $(concat!($dialect, ".", $mnemonic) => {
                        // Every field is read before an error ends the op, so that one run reports them all.
                        $(let $field = <$fty as $crate::core::Field>::read($crate::core::field_name(stringify!($field)), reader);)*
                        let build = || Some(Self::$variant { $($field: $field?),* });
                        Some(build())
                    })*
                    _ => None,
                }
            }
        }
    };
    (@results *) => { $crate::core::ResultCount::Any };
    (@results $n:literal) => { $crate::core::ResultCount::Exactly($n) };
    (@effects Pure) => { $crate::core::Effects::PURE };
    (@effects Terminator) => { $crate::core::Effects::TERMINATOR };
    (@effects LeavesLoop) => { $crate::core::Effects::exit($crate::core::Exit::Loop) };
    (@effects LeavesFunction) => { $crate::core::Effects::exit($crate::core::Exit::Function) };
    (@effects Regions) => { $crate::core::Effects::REGIONS };
    (@effects Loop) => { $crate::core::Effects::LOOP };
    (@effects Anything) => { $crate::core::Effects::ANYTHING };
    (@effects Reads $($resource:ident)+) => {
        $crate::core::Effects::PURE$(.and_reads($crate::core::Resource::$resource))+
    };
    (@effects Writes $($resource:ident)+) => {
        $crate::core::Effects::PURE$(.and_writes($crate::core::Resource::$resource))+
    };
    (@effects Updates $($resource:ident)+) => {
        $crate::core::Effects::PURE$(.and_updates($crate::core::Resource::$resource))+
    };
}

/// Declares the ops of a language as the sum of its dialects.
#[macro_export]
macro_rules! language_ops {
    ($(#[$doc:meta])* pub enum $enum:ident { $($(#[$vdoc:meta])* $variant:ident($dialect:ty)),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub enum $enum { $($(#[$vdoc])* $variant($dialect)),+ }

        $(impl From<$dialect> for $enum {
            fn from(op: $dialect) -> Self {
                Self::$variant(op)
            }
        }

        impl<'a> TryFrom<&'a $enum> for &'a $dialect {
            type Error = &'a $enum;
            fn try_from(op: &'a $enum) -> Result<Self, Self::Error> {
                match op {
                    $enum::$variant(op) => Ok(op),
                    #[allow(unreachable_patterns)]
                    other => Err(other),
                }
            }
        })+

        impl $crate::core::Operation for $enum {
            const SPECS: &'static [&'static [$crate::core::OpSpec]] = {
                const PARTS: &[&[&[$crate::core::OpSpec]]] = &[$(<$dialect as $crate::core::Operation>::SPECS),+];
                const SPECS: [&[$crate::core::OpSpec]; 0 $(+ <$dialect as $crate::core::Operation>::SPECS.len())+] =
                    $crate::core::joined_specs(PARTS);
                &SPECS
            };
            fn spec(&self) -> &'static $crate::core::OpSpec {
                match self { $(Self::$variant(op) => op.spec()),+ }
            }
            fn effects(&self) -> $crate::core::Effects {
                match self { $(Self::$variant(op) => op.effects()),+ }
            }
            fn operands(&self, visit: &mut dyn FnMut($crate::core::Value)) {
                match self { $(Self::$variant(op) => op.operands(visit)),+ }
            }
            fn operand_parts(&self, visit: &mut dyn FnMut($crate::core::Part, $crate::core::Value)) {
                match self { $(Self::$variant(op) => op.operand_parts(visit)),+ }
            }
            fn regions(&self, visit: &mut dyn FnMut($crate::core::Region)) {
                match self { $(Self::$variant(op) => op.regions(visit)),+ }
            }
            fn successors(&self, visit: &mut dyn FnMut(&$crate::core::Successor)) {
                match self { $(Self::$variant(op) => op.successors(visit)),+ }
            }
            fn remap(&mut self, map: &mut dyn $crate::core::Remap) {
                match self { $(Self::$variant(op) => op.remap(map)),+ }
            }
            fn write(&self, writer: &mut dyn $crate::core::FieldWriter, tree: &mut $crate::core::OpTree) {
                match self { $(Self::$variant(op) => op.write(writer, tree)),+ }
            }
            fn read(name: &str, reader: &mut $crate::core::Reader<'_>) -> Option<Option<Self>> {
                $(if let Some(found) = <$dialect as $crate::core::Operation>::read(name, reader) {
                    return Some(found.map(Self::$variant));
                })+
                None
            }
        }
    };
}

/// Declares fields that many ops have together, as one field of their declarations. In the text, in the tables of ops and in
/// the positions of parts, its members stand in its place, each under its own name.
///
/// ```text
/// field_group! {
///     /// Meaning of the group.
///     pub struct Ordering {
///         /// Meaning of the field.
///         after: Option<Value>,
///         /// Meaning of the field.
///         order: MemoryOrder,
///     }
/// }
/// ```
#[macro_export]
macro_rules! field_group {
    (
        $(#[$doc:meta])*
        pub struct $name:ident { $($(#[doc = $fdoc:literal])* $field:ident $(in $family:ident)?: $fty:ty),* $(,)? }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub struct $name { $($(#[doc = $fdoc])* pub $field: $fty),* }

        impl $crate::core::Field for $name {
            const MEMBERS: &'static [$crate::core::FieldSpec] =
                $crate::field_group!(@specs $($(#[doc = $fdoc])* $field $(in $family)?: $fty),*);
            const EFFECTS: $crate::core::Effects =
                $crate::core::Effects::PURE$(.union(<$fty as $crate::core::Field>::EFFECTS))*;
            fn refine(&self, effects: $crate::core::Effects) -> $crate::core::Effects {
                $(let effects = $crate::core::Field::refine(&self.$field, effects);)*
                effects
            }
            fn operands(&self, visit: &mut dyn FnMut($crate::core::Value)) {
                $($crate::core::Field::operands(&self.$field, visit);)*
            }
            #[allow(unused_assignments)]
            fn operand_parts(
                &self,
                mut position: usize,
                visit: &mut dyn FnMut($crate::core::Part, $crate::core::Value),
            ) {
                $(
                    $crate::core::Field::operand_parts(&self.$field, position, visit);
                    position += $crate::core::field_count::<$fty>();
                )*
            }
            fn regions(&self, visit: &mut dyn FnMut($crate::core::Region)) {
                $($crate::core::Field::regions(&self.$field, visit);)*
            }
            fn successors(&self, visit: &mut dyn FnMut(&$crate::core::Successor)) {
                $($crate::core::Field::successors(&self.$field, visit);)*
            }
            fn remap(&mut self, map: &mut dyn $crate::core::Remap) {
                $($crate::core::Field::remap(&mut self.$field, map);)*
            }
            fn write(
                &self,
                _: &'static str,
                writer: &mut dyn $crate::core::FieldWriter,
                tree: &mut $crate::core::OpTree,
            ) {
                $($crate::core::Field::write(
                    &self.$field,
                    $crate::core::field_name(stringify!($field)),
                    writer,
                    tree,
                );)*
            }
            fn read(_: &'static str, reader: &mut $crate::core::Reader<'_>) -> Option<Self> {
                $(let $field = <$fty as $crate::core::Field>::read(
                    $crate::core::field_name(stringify!($field)),
                    reader,
                );)*
                Some(Self { $($field: $field?),* })
            }
        }
    };
    (@specs $($(#[doc = $fdoc:literal])* $field:ident $(in $family:ident)?: $fty:ty),*) => {{
        const FIELDS: [$crate::core::FieldSpec; 0 $(+ $crate::core::field_count::<$fty>())*] = $crate::core::flat_fields(&[$((
            $crate::core::FieldSpec {
                name: $crate::core::field_name(stringify!($field)),
                ty: stringify!($fty),
                doc: concat!($($fdoc, "\n"),*),
                keywords: <$fty as $crate::core::Field>::KEYWORDS,
                family: $crate::field_group!(@family $fty $(, $family)?),
                keys: <$fty as $crate::core::Field>::KEYS,
            },
            <$fty as $crate::core::Field>::MEMBERS,
        )),*]);
        &FIELDS
    }};
    (@family $fty:ty) => { <$fty as $crate::core::Field>::FAMILY };
    (@family $fty:ty, $family:ident) => { Some($crate::core::Family::$family) };
}

/// Declares a record of attributes, such as the attributes of a language's functions. A field is written under its
/// own name, or under the one in brackets. After `in` stands its [family](crate::core::Family).
#[macro_export]
macro_rules! attributes {
    (
        $(#[$doc:meta])*
        pub struct $name:ident { $($(#[doc = $fdoc:literal])* $field:ident $([$written:literal])? in $family:ident: $fty:ty),* $(,)? }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub struct $name { $($(#[doc = $fdoc])* pub $field: $fty),* }

        impl $crate::core::Attributes for $name {
            const SPECS: &'static [$crate::core::FieldSpec] = &[$($crate::core::FieldSpec {
                name: $crate::attributes!(@name $field $($written)?),
                ty: stringify!($fty),
                doc: concat!($($fdoc, "\n"),*),
                keywords: <$fty as $crate::core::AttributeField>::KEYWORDS,
                family: Some($crate::core::Family::$family),
                keys: <$fty as $crate::core::AttributeField>::KEYS,
            }),*];
            fn write(&self, attrs: &mut Vec<$crate::core::NamedTerm>) {
                $($crate::core::AttributeField::write_attr(
                    &self.$field,
                    $crate::attributes!(@name $field $($written)?),
                    attrs,
                );)*
            }
            fn read(reader: &mut $crate::core::Reader<'_>) -> Option<Self> {
                $(let $field = <$fty as $crate::core::AttributeField>::read_attr(
                    $crate::attributes!(@name $field $($written)?),
                    reader,
                );)*
                Some(Self { $($field: $field?),* })
            }
        }
    };
    (@name $field:ident) => { stringify!($field) };
    (@name $field:ident $written:literal) => { $written };
}
