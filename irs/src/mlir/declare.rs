//! The declaration of an op of MLIR text: what [`dialect!`](crate::dialect) takes, and in addition its properties as
//! MLIR names them, how the types of its results follow, its class, and its text.
//!
//! # The notation of an op's text
//!
//! The string at the end of a declaration is the op's own text after its name. Blanks separate pieces and are not
//! significant where the text is read. Other characters than those listed below are literal.
//!
//! | notation | meaning |
//! |---|---|
//! | `{x}` | the field `x`: `%value`, `%a, %b` for several, a property in its short form |
//! | `{..}` | every operand, with commas |
//! | `{T x}` | the types of the operands of `x`, with commas |
//! | `{T ..}` | the types of every operand, with commas |
//! | `{[x]}`, `{T [x]}` | the operands of `x` and their types, in brackets unless there is one |
//! | `{P x}` | the type of `x`, one of `cute`, without its name: `<f32, gmem>` |
//! | `{R1}` | the type that all results have |
//! | `{R cute.layout}` | the type of the one result, of this word, without its name: `<"8:1">` |
//! | `{R}` | the types of the results: one alone, others in parentheses |
//! | `{R ..}` | the types of the results, with commas |
//! | `{@}` | the attributes that have no place of their own, in braces, if there are any |
//! | `(?x:…)` | the contents, if the field `x` is given and is not its default |
//! | `(?->:…)` | the contents, if there are results |
//! | `{{`, `}}` | braces |
//! | `!` alone | the text is printed and read by hand-written code |
//! | nothing, for an op with fields | the op has no text of its own, and is written in the generic form |
//!
//! Blanks around `{@}` belong to it: without attributes one blank is left.
//!
//! What follows `open` is the op's text in the assembly of the open dialect, see [`super::open`].

use super::ops::MlirOp;
use super::property::{FieldKind, FieldValue};
use crate::core::ResultCount;

/// The classes of ops of `cute`, by what a compiler does with them; ops of other dialects have none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Pure algebra of layouts and tuples.
    Algebra,
    /// Accesses memory or has another effect.
    Memory,
    /// Makes a pointer, a view or an atom of a type that is inferred.
    Typing,
    /// Algebra whose operands must meet many conditions.
    Checked,
    /// A helper without an interface.
    Helper,
    /// An op of another dialect.
    Other,
}

/// How the types of results follow where a text leaves them out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inferred {
    /// The text has them, or there are none.
    Written,
    /// The type of the first operand.
    First,
    /// The type of the second operand.
    Second,
    /// A Boolean for each element of the first operand.
    Boolean,
    /// The part of the struct that the first operand is, at the property `position`.
    Part,
    /// The elements of the first operand.
    Elements,
    /// As many elements of the first operand as the property `mask` has numbers.
    Shuffled,
    /// The extents of both operands, with the elements of the first.
    Outer,
    /// That of the property `value`.
    OfValue,
    /// By the algebra of layouts.
    Algebra,
}

/// A field's declaration.
#[derive(Clone, Copy, Debug)]
pub struct MlirFieldSpec {
    /// The name in the text.
    pub name: &'static str,
    /// Its kind.
    pub kind: FieldKind,
}

/// An op's text in the open dialect.
#[derive(Clone, Copy, Debug)]
pub struct OpenText {
    /// The name, with its dialect.
    pub name: &'static str,
    /// The text after it, in the notation of the module.
    pub syntax: &'static str,
}

/// An op's declaration.
#[derive(Debug)]
pub struct MlirOpSpec {
    /// The name, with its dialect.
    pub name: &'static str,
    /// The fields: operands, properties, regions.
    pub fields: &'static [MlirFieldSpec],
    /// The number of results.
    pub results: ResultCount,
    /// How their types follow.
    pub inferred: Inferred,
    /// The class.
    pub class: Class,
    /// The text, in the notation of [this module](self).
    pub syntax: &'static str,
    /// Its name and text in the assembly of the open dialect, if that has it as its own.
    pub open: Option<OpenText>,
    /// Builds the op from its fields, in order; else the index of the first that is missing or of another kind.
    pub build: fn(&mut [FieldValue]) -> Result<MlirOp, usize>,
}

impl MlirOpSpec {
    /// The position of the field of this name.
    pub fn field(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|field| field.name == name)
    }

    /// Whether the numbers of its operands are written: if several fields may have any number of them.
    pub fn has_segments(&self) -> bool {
        let open =
            |field: &&MlirFieldSpec| matches!(field.kind, FieldKind::OptionalOperand | FieldKind::Operands);
        self.fields.iter().filter(open).count() > 1
    }

    /// The fields that are operands, with their positions.
    pub fn operands(&self) -> impl Iterator<Item = (usize, FieldKind)> {
        let operand = |kind| {
            matches!(
                kind,
                FieldKind::Operand | FieldKind::OptionalOperand | FieldKind::Operands
            )
        };
        let fields = self.fields.iter().enumerate();
        fields
            .map(|(index, field)| (index, field.kind))
            .filter(move |(_, kind)| operand(*kind))
    }

    /// The fields that are regions, with their positions.
    pub fn regions(&self) -> impl Iterator<Item = usize> {
        let fields = self.fields.iter().enumerate();
        fields
            .filter(|(_, field)| matches!(field.kind, FieldKind::Region))
            .map(|(index, _)| index)
    }
}

/// Declares the ops of a dialect of MLIR text:
///
/// ```text
/// Meaning of the op.
/// Variant "mnemonic" { operand: Value, property: i32, other["otherName"]: Option<String>, body: Region }
///     -> COUNT inferred, EFFECTS, class, "text", open as "name" "text";
/// ```
///
/// Effects are those of [`dialect!`](crate::dialect); `inferred` is a variant of [`Inferred`], `class` of [`Class`]. The name
/// after `as` is that of the open dialect, where it is another one; an op that the open dialect lacks has no `open`.
macro_rules! mlir_ops {
    (
        $(#[doc = $edoc:literal])*
        pub enum $enum:ident: $dialect:literal in $group:ident {
            $(
                $(#[doc = $doc:literal])*
                $variant:ident $mnemonic:literal {
                    $($field:ident $([$named:literal])?: $fty:ty),* $(,)?
                } -> $count:tt $inferred:ident,
                $effect:ident $(($($resource:ident),+))? $(+ $more:ident ($($touched:ident),+))*,
                $class:ident, $syntax:expr $(, open $(as $other:literal)? $open:expr)?;
            )*
        }
    ) => {
        crate::dialect! {
            $(#[doc = $edoc])*
            pub enum $enum: $dialect {
                $(
                    $(#[doc = $doc])*
                    $variant $mnemonic { $($field: $fty),* }
                    -> $count, $effect $(($($resource),+))? $(+ $more ($($touched),+))*, Free;
                )*
            }
        }

        impl $enum {
            /// The declarations.
            pub const MLIR_SPECS: &'static [$crate::mlir::MlirOpSpec] = &[$(
                $crate::mlir::MlirOpSpec {
                    name: concat!($dialect, ".", $mnemonic),
                    fields: &[$(
                        $crate::mlir::MlirFieldSpec {
                            name: $crate::mlir::declare::mlir_ops!(@name $field $($named)?),
                            kind: <$fty as $crate::mlir::MlirField>::KIND,
                        }
                    ),*],
                    results: $crate::dialect!(@results $count),
                    inferred: $crate::mlir::Inferred::$inferred,
                    class: $crate::mlir::Class::$class,
                    syntax: $syntax,
                    open: $crate::mlir::declare::mlir_ops!(
                        @open concat!($dialect, ".", $mnemonic) $(, $(as $other)? $open)?
                    ),
                    build: |values| {
                        #[allow(unused_variables)]
                        let mut at = 0usize;
                        #[allow(unused_mut)]
                        let mut take = || {
                            let index = at;
                            at += 1;
                            (index, values.get_mut(index).map(std::mem::take).unwrap_or_default())
                        };
                        let _ = &mut take;
                        Ok($crate::mlir::MlirOp::$group($enum::$variant {
                            $($field: {
                                let (index, value) = take();
                                <$fty as $crate::mlir::MlirField>::take(value).ok_or(index)?
                            }),*
                        }))
                    },
                }
            ),*];

            /// The op's declaration.
            pub fn mlir_spec(&self) -> &'static $crate::mlir::MlirOpSpec {
                #[allow(non_camel_case_types, clippy::enum_variant_names)]
                #[repr(usize)]
                enum Index { $($variant),* }
                let index = match self { $(Self::$variant { .. } => Index::$variant as usize),* };
                &Self::MLIR_SPECS[index]
            }

            /// The op's fields, in the order of the declaration.
            pub fn views(&self) -> $crate::mlir::Views<'_> {
                match self {
                    $(Self::$variant { $($field),* } => {
                        smallvec::smallvec![$($crate::mlir::MlirField::view($field)),*]
                    })*
                }
            }

            /// The op's properties that are not absent, with the names of their fields.
            pub fn properties(&self) -> Vec<(&'static str, $crate::mlir::Attribute)> {
                let fields = self.mlir_spec().fields.iter().zip(self.views());
                fields
                    .filter_map(|(field, view)| match view {
                        $crate::mlir::FieldView::Property(attribute) => Some((field.name, attribute)),
                        $crate::mlir::FieldView::Absent
                        | $crate::mlir::FieldView::Operands(_)
                        | $crate::mlir::FieldView::Region(_) => None,
                    })
                    .collect()
            }
        }
    };
    (@open $name:expr) => { None };
    (@open $name:expr, $open:expr) => {
        Some($crate::mlir::declare::OpenText { name: $name, syntax: $open })
    };
    (@open $name:expr, as $other:literal $open:expr) => {
        Some($crate::mlir::declare::OpenText { name: $other, syntax: $open })
    };
    (@name $field:ident) => { stringify!($field) };
    (@name $field:ident $named:literal) => { $named };
}
pub(super) use mlir_ops;
