//! The declaration of a `cuda_tile` op: what [`dialect!`](crate::dialect) takes, and in addition the opcode, the
//! versions of its parts, its text form, its type constraints, and its checks.
//!
//! # The notation of an op's text
//!
//! The string at the end of a declaration is the op's text after its mnemonic (and one space, if not empty).
//! Characters that are not listed below are literal.
//!
//! | notation | meaning |
//! |---|---|
//! | `{x}` | the field `x`: `%value`, `%a, %b` for a list of values, a bare word, a number, a quoted string, `@symbol`, `[1, 0]`, a predicate, `<sm_90 = {latency = 3}>` |
//! | `{x:word}` | `word<case>`, or nothing when the enumeration `x` has its default |
//! | `{T x}` | the types of the operands or results named `x`, with commas |
//! | `{T1 x}` | the type of the first of them only, for lists that have one type in common |
//! | `{TI x}` | the types of the indices `x` of a view: one for all of them, unless they differ or the view is a gather-scatter view |
//! | `(?x:…)` | the contents, if the field `x` is present: an optional one that is given, a flag that is set, a list that is not empty, Booleans not all false, a case that is not the default |
//! | `{{`, `}}` | braces |
//! | `@` alone | the text is printed and parsed by hand-written code |
//!
//! An operand whose type is not written has that of a written operand or result with the same constraint. A result
//! whose type is not written has the type named in its declaration (`= acc`), or is a token.

use super::constraint::Constraint;
use super::fields::{FieldKind, FieldRef, FieldValue};
use super::ops::TileOp;
use super::types::TileType;
use super::verify::Check;
use super::version::Version;
use crate::core::ResultCount;

/// What a field has in files older than the field, and what the text leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefaultValue {
    /// The case with this number.
    Code(u8),
    /// False, once for each entry of the named list of operands.
    AllFalse(&'static str),
}

/// A field's declaration, as data.
#[derive(Clone, Copy, Debug)]
pub struct TileFieldSpec {
    /// The field's name.
    pub name: &'static str,
    /// Its kind.
    pub kind: FieldKind,
    /// The first version that has it.
    pub since: Version,
    /// The constraint on its types, if it is an operand.
    pub constraint: Constraint,
    /// Its default.
    pub default: Option<DefaultValue>,
    /// The cases that the op allows, by their numbers; empty for all.
    pub allowed: &'static [u8],
    /// What it tells. An enumeration or the op itself may say that already.
    pub doc: &'static str,
}

impl TileFieldSpec {
    /// A field with only its kind.
    pub const fn new(name: &'static str, doc: &'static str, kind: FieldKind, since: Version) -> Self {
        Self {
            name,
            doc,
            kind,
            since,
            constraint: Constraint::Any,
            default: None,
            allowed: &[],
        }
    }

    /// Sets the type constraint.
    pub const fn of(mut self, constraint: Constraint) -> Self {
        self.constraint = constraint;
        self
    }

    /// Sets the first version, if it is later than the op's.
    pub const fn since(mut self, version: Version) -> Self {
        self.since = version;
        self
    }

    /// Sets the default of an enumeration.
    pub const fn or(mut self, code: u8) -> Self {
        self.default = Some(DefaultValue::Code(code));
        self
    }

    /// Sets the default of a list of Booleans, one for each operand of the list `of`.
    pub const fn or_false_per(mut self, of: &'static str) -> Self {
        self.default = Some(DefaultValue::AllFalse(of));
        self
    }

    /// Sets the cases that the op allows.
    pub const fn only(mut self, codes: &'static [u8]) -> Self {
        self.allowed = codes;
        self
    }
}

/// A result's declaration, as data.
#[derive(Clone, Copy, Debug)]
pub struct TileResultSpec {
    /// The result's name.
    pub name: &'static str,
    /// The constraint on its type.
    pub constraint: Constraint,
    /// The field or result whose type it has if the text gives none.
    pub like: Option<&'static str>,
    /// The first version that has it.
    pub since: Version,
}

/// An op's declaration, as data.
#[derive(Debug)]
pub struct TileOpSpec {
    /// The mnemonic, without a dialect.
    pub name: &'static str,
    /// The op's documentation.
    pub doc: &'static str,
    /// The opcode.
    pub opcode: u16,
    /// The first version that has it.
    pub since: Version,
    /// The fields: operands, attributes and regions, each of these in the order of the bytecode.
    pub fields: &'static [TileFieldSpec],
    /// The results; if the count is variable, the one entry describes all of them.
    pub results: &'static [TileResultSpec],
    /// The number of results.
    pub result_count: ResultCount,
    /// Its text, in the notation of [this module](self).
    pub syntax: &'static str,
    /// The op's rules beyond type constraints.
    pub checks: &'static [fn(&mut Check<'_>)],
    /// Builds the op from its fields, in order; `None` if one is of the wrong kind.
    pub build: fn(&mut [FieldValue]) -> Option<TileOp>,
}

impl TileOpSpec {
    /// The position of the field of this name.
    pub fn field(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|field| field.name == name)
    }

    /// Whether it is preview content, which has its own range of opcodes.
    pub fn is_preview(&self) -> bool {
        u64::from(self.opcode) >= super::ops::FIRST_PREVIEW
    }

    /// The op of the same meaning for values of another kind, whose name differs in its last letter (`addi`, `addf`), if
    /// its operand of this name may have this type.
    pub fn sibling(&self, operand: &str, ty: &TileType) -> Option<&'static Self> {
        let stem = |name: &'static str| name.get(..name.len().saturating_sub(1));
        TileOp::tile_specs().find(|other| {
            let field = other.field(operand).and_then(|at| other.fields.get(at));
            other.name != self.name
                && stem(other.name) == stem(self.name)
                && field.is_some_and(|field| field.constraint.admits(ty))
        })
    }

    /// Whether any operand or result is a list.
    pub fn is_variadic(&self) -> bool {
        matches!(self.result_count, ResultCount::Any)
            || self.fields.iter().any(|field| field.kind == FieldKind::Operands)
    }
}

/// The maximum number of fields of an op.
pub const MAX_FIELDS: usize = 8;

/// The fields of one op, in the order of its declaration.
#[derive(Clone, Copy, Debug)]
pub struct FieldRefs<'a> {
    items: [FieldRef<'a>; MAX_FIELDS],
    len: usize,
}

impl<'a> FieldRefs<'a> {
    pub(super) fn new<const N: usize>(fields: [FieldRef<'a>; N]) -> Self {
        const { assert!(N <= MAX_FIELDS) };
        let mut fields = fields.into_iter();
        let items = std::array::from_fn(|_| fields.next().unwrap_or(FieldRef::Flag(false)));
        Self { items, len: N }
    }
}

impl<'a> std::ops::Deref for FieldRefs<'a> {
    type Target = [FieldRef<'a>];
    fn deref(&self) -> &[FieldRef<'a>] {
        self.items.get(..self.len).unwrap_or(&self.items)
    }
}

/// Declares a part of the language's ops:
///
/// ```text
/// Meaning of the op.
/// Variant "mnemonic" = OPCODE since VERSION, EFFECTS [PROPERTY, …] {
///     operand: Value [of(Constraint)],
///     What it tells.
///     attribute: Enum [since(VERSION), or(CODE), only(CODES)],
/// } -> COUNT [result: Constraint (= like)?],
/// checks [function, …],
/// "text";
/// ```
///
/// Effects and properties are those of [`dialect!`](crate::dialect). Operands, attributes and regions are in the
/// order of the bytecode, whose encoding follows from the kinds of the fields. The brackets after a field call the
/// methods of [`TileFieldSpec`].
macro_rules! tile_ops {
    (
        $(#[doc = $edoc:literal])*
        pub enum $enum:ident in $group:ident {
            $(
                $(#[doc = $doc:literal])*
                $variant:ident $mnemonic:literal = $opcode:literal since $since:ident,
                $effect:ident $(($($resource:ident),+))? $(+ $more:ident ($($touched:ident),+))*
                $([$($property:ident),* $(,)?])? {
                    $(
                        $(#[doc = $fdoc:literal])*
                        $field:ident $(in $family:ident)?: $fty:ty $([$($prop:ident($($arg:expr),*)),* $(,)?])?
                    ),* $(,)?
                } -> $count:tt [
                    $($result:ident: $rconstraint:ident $(since $rsince:ident)? $(= $like:ident)?),* $(,)?
                ],
                checks [$($check:path),* $(,)?],
                $syntax:literal;
            )*
        }
    ) => {
        crate::dialect! {
            $(#[doc = $edoc])*
            pub enum $enum: "cuda_tile" {
                $(
                    $(#[doc = $doc])*
                    $variant $mnemonic { $($(#[doc = $fdoc])* $field $(in $family)?: $fty),* }
                    -> $count, $effect $(($($resource),+))? $(+ $more ($($touched),+))*,
                    Free $([$($property),*])?;
                )*
            }
        }

        impl $enum {
            /// The declarations.
            pub const TILE_SPECS: &'static [$crate::cuda_tile::TileOpSpec] = &[$(
                $crate::cuda_tile::TileOpSpec {
                    name: $mnemonic,
                    doc: concat!($($doc, "\n"),*),
                    opcode: $opcode,
                    since: $crate::cuda_tile::Version::$since,
                    fields: &[$(
                        $crate::cuda_tile::TileFieldSpec::new(
                            stringify!($field),
                            concat!($($fdoc, "\n"),*),
                            <$fty as $crate::cuda_tile::TileField>::KIND,
                            $crate::cuda_tile::Version::$since,
                        )$($(.$prop($($arg),*))*)?
                    ),*],
                    results: &[$(
                        $crate::cuda_tile::declare::tile_ops!(
                            @result $result, $rconstraint, $since, ($($rsince)?), ($($like)?)
                        )
                    ),*],
                    result_count: $crate::dialect!(@results $count),
                    syntax: $syntax,
                    checks: &[$($check),*],
                    build: |values| {
                        #[allow(unused_variables, unused_mut)]
                        let mut values = values.iter_mut();
                        Some($crate::cuda_tile::TileOp::$group($enum::$variant {
                            $($field: <$fty as $crate::cuda_tile::TileField>::take(
                                ::std::mem::take(values.next()?)
                            )?),*
                        }))
                    },
                }
            ),*];

            /// The op's declaration.
            pub fn tile_spec(&self) -> &'static $crate::cuda_tile::TileOpSpec {
                #[repr(usize)]
                enum Index { $($variant),* }
                let index = match self { $(Self::$variant { .. } => Index::$variant as usize),* };
                &Self::TILE_SPECS[index]
            }

            /// The op's fields, in the order of the declaration.
            pub fn fields(&self) -> $crate::cuda_tile::FieldRefs<'_> {
                match self {
                    $(Self::$variant { $($field),* } => {
                        $crate::cuda_tile::FieldRefs::new([
                            $($crate::cuda_tile::TileField::borrow($field)),*
                        ])
                    })*
                }
            }
        }
    };
    (@result $name:ident, $constraint:ident, $since:ident, ($($rsince:ident)?), ($($like:ident)?)) => {
        $crate::cuda_tile::TileResultSpec {
            name: stringify!($name),
            constraint: $crate::cuda_tile::Constraint::$constraint,
            like: $crate::cuda_tile::declare::tile_ops!(@like $($like)?),
            since: $crate::cuda_tile::declare::tile_ops!(@since $since $($rsince)?),
        }
    };
    (@like) => { None };
    (@like $like:ident) => { Some(stringify!($like)) };
    (@since $since:ident) => { $crate::cuda_tile::Version::$since };
    (@since $since:ident $own:ident) => { $crate::cuda_tile::Version::$own };
}
pub(super) use tile_ops;
