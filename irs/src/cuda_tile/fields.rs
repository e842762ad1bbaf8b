//! The kinds of fields and attributes of ops, and generic access to a field without knowing its op.

use super::attrs::{Attr, Hints, Predicate, Symbol};
use super::enums::{
    AtomicRmwMode, ComparisonOrdering, ComparisonPredicate, EnumSpec, IntegerOverflow, MemoryOrdering,
    MemoryScope, MultimemReduction, RoundingMode, Signedness,
};
use super::preview::Expr;
use crate::core::{Flag, Region, Value};
use crate::literal::Dense;

/// The kind of an attribute, which determines its encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttrKind {
    /// One case of an enumeration.
    Enum(&'static EnumSpec),
    /// A 64-bit integer.
    I64,
    /// A 32-bit integer.
    I32,
    /// A Boolean.
    Bool,
    /// A string.
    String,
    /// A reference to a global or a function.
    Symbol,
    /// A list of 32-bit integers.
    I32s,
    /// A list of Booleans.
    Bools,
    /// The elements of the op's result.
    Dense,
    /// A predicate of `assume`.
    Predicate,
    /// A list of self-describing values.
    Attrs,
    /// Hints.
    Hints,
    /// A list of symbolic expressions.
    Exprs,
}

/// The kind of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// One operand.
    Operand,
    /// An optional operand.
    OptionalOperand,
    /// Any number of operands.
    Operands,
    /// A region of one block (or of none, if the declaration's checks allow it).
    Region,
    /// A Boolean property.
    Flag,
    /// An attribute.
    Attr(AttrKind),
    /// An optional attribute.
    OptionalAttr(AttrKind),
}

/// A field of an op, borrowed.
#[derive(Clone, Copy, Debug)]
pub enum FieldRef<'a> {
    /// An operand.
    Operand(Value),
    /// An optional operand.
    OptionalOperand(Option<Value>),
    /// Any number of operands.
    Operands(&'a [Value]),
    /// A region.
    Region(Region),
    /// A flag.
    Flag(bool),
    /// An attribute; `None` if it is absent.
    Attr(Option<AttrRef<'a>>),
}

/// An attribute of an op, borrowed.
#[derive(Clone, Copy, Debug)]
pub enum AttrRef<'a> {
    /// The number of an enumeration's case.
    Enum(u8),
    /// A 64-bit integer.
    I64(i64),
    /// A 32-bit integer.
    I32(i32),
    /// A Boolean.
    Bool(bool),
    /// A string.
    String(&'a str),
    /// A reference to a global or a function.
    Symbol(&'a str),
    /// A list of 32-bit integers.
    I32s(&'a [i32]),
    /// A list of Booleans.
    Bools(&'a [bool]),
    /// Elements.
    Dense(&'a Dense),
    /// A predicate of `assume`.
    Predicate(&'a Predicate),
    /// A list of self-describing values.
    Attrs(&'a [Attr]),
    /// Hints.
    Hints(&'a Hints),
    /// A list of symbolic expressions.
    Exprs(&'a [Expr]),
}

/// A field of an op under construction.
#[derive(Clone, Debug, Default)]
pub enum FieldValue {
    /// Nothing yet, or an absent optional field.
    #[default]
    Absent,
    /// An operand.
    Operand(Value),
    /// Any number of operands.
    Operands(Vec<Value>),
    /// A region.
    Region(Region),
    /// A flag.
    Flag(bool),
    /// The number of an enumeration's case.
    Enum(u8),
    /// A 64-bit integer.
    I64(i64),
    /// A 32-bit integer.
    I32(i32),
    /// A Boolean.
    Bool(bool),
    /// A string.
    String(String),
    /// A reference to a global or a function.
    Symbol(String),
    /// A list of 32-bit integers.
    I32s(Vec<i32>),
    /// A list of Booleans.
    Bools(Vec<bool>),
    /// Elements.
    Dense(Dense),
    /// A predicate of `assume`.
    Predicate(Predicate),
    /// A list of self-describing values.
    Attrs(Vec<Attr>),
    /// Hints.
    Hints(Hints),
    /// A list of symbolic expressions.
    Exprs(Vec<Expr>),
}

/// A Rust type of fields of `cuda_tile` ops.
pub trait TileField: Sized {
    /// The kind of field.
    const KIND: FieldKind;
    /// A borrowed view of it.
    fn borrow(&self) -> FieldRef<'_>;
    /// Converts a field from a reader; `None` if it is of another kind.
    fn take(value: FieldValue) -> Option<Self>;
}

impl TileField for Value {
    const KIND: FieldKind = FieldKind::Operand;
    fn borrow(&self) -> FieldRef<'_> {
        FieldRef::Operand(*self)
    }
    fn take(value: FieldValue) -> Option<Self> {
        if let FieldValue::Operand(v) = value {
            Some(v)
        } else {
            None
        }
    }
}

impl TileField for Option<Value> {
    const KIND: FieldKind = FieldKind::OptionalOperand;
    fn borrow(&self) -> FieldRef<'_> {
        FieldRef::OptionalOperand(*self)
    }
    fn take(value: FieldValue) -> Option<Self> {
        match value {
            FieldValue::Absent => Some(None),
            other => Value::take(other).map(Some),
        }
    }
}

impl TileField for Vec<Value> {
    const KIND: FieldKind = FieldKind::Operands;
    fn borrow(&self) -> FieldRef<'_> {
        FieldRef::Operands(self)
    }
    fn take(value: FieldValue) -> Option<Self> {
        if let FieldValue::Operands(v) = value {
            Some(v)
        } else {
            None
        }
    }
}

impl TileField for Region {
    const KIND: FieldKind = FieldKind::Region;
    fn borrow(&self) -> FieldRef<'_> {
        FieldRef::Region(*self)
    }
    fn take(value: FieldValue) -> Option<Self> {
        if let FieldValue::Region(r) = value {
            Some(r)
        } else {
            None
        }
    }
}

impl TileField for Flag {
    const KIND: FieldKind = FieldKind::Flag;
    fn borrow(&self) -> FieldRef<'_> {
        FieldRef::Flag(self.0)
    }
    fn take(value: FieldValue) -> Option<Self> {
        match value {
            FieldValue::Absent => Some(Self(false)),
            FieldValue::Flag(set) => Some(Self(set)),
            _ => None,
        }
    }
}

/// Attribute types as fields, required and optional.
macro_rules! attr_fields {
    ($($ty:ty: $kind:expr, |$this:ident| $borrow:expr, $pattern:pat => $take:expr;)+) => {$(
        impl TileField for $ty {
            const KIND: FieldKind = FieldKind::Attr($kind);
            fn borrow(&self) -> FieldRef<'_> {
                let $this = self;
                FieldRef::Attr(Some($borrow))
            }
            fn take(value: FieldValue) -> Option<Self> {
                if let $pattern = value { $take } else { None }
            }
        }

        impl TileField for Option<$ty> {
            const KIND: FieldKind = FieldKind::OptionalAttr($kind);
            fn borrow(&self) -> FieldRef<'_> {
                FieldRef::Attr(self.as_ref().map(|$this| $borrow))
            }
            fn take(value: FieldValue) -> Option<Self> {
                match value {
                    FieldValue::Absent => Some(None),
                    other => <$ty as TileField>::take(other).map(Some),
                }
            }
        }
    )+};
}

macro_rules! enum_fields {
    ($($ty:ident),+ $(,)?) => {$(
        attr_fields! {
            $ty: AttrKind::Enum($ty::SPEC), |x| AttrRef::Enum(x.code()), FieldValue::Enum(c) => $ty::from_code(c);
        }
    )+};
}

enum_fields!(
    Signedness,
    IntegerOverflow,
    RoundingMode,
    ComparisonPredicate,
    ComparisonOrdering,
    AtomicRmwMode,
    MemoryOrdering,
    MemoryScope,
    MultimemReduction
);

attr_fields! {
    i64: AttrKind::I64, |x| AttrRef::I64(*x), FieldValue::I64(v) => Some(v);
    i32: AttrKind::I32, |x| AttrRef::I32(*x), FieldValue::I32(v) => Some(v);
    bool: AttrKind::Bool, |x| AttrRef::Bool(*x), FieldValue::Bool(v) => Some(v);
    String: AttrKind::String, |x| AttrRef::String(x), FieldValue::String(v) => Some(v);
    Symbol: AttrKind::Symbol, |x| AttrRef::Symbol(&x.0), FieldValue::Symbol(v) => Some(Self(v));
    Vec<i32>: AttrKind::I32s, |x| AttrRef::I32s(x), FieldValue::I32s(v) => Some(v);
    Vec<bool>: AttrKind::Bools, |x| AttrRef::Bools(x), FieldValue::Bools(v) => Some(v);
    Dense: AttrKind::Dense, |x| AttrRef::Dense(x), FieldValue::Dense(v) => Some(v);
    Predicate: AttrKind::Predicate, |x| AttrRef::Predicate(x), FieldValue::Predicate(v) => Some(v);
    Vec<Attr>: AttrKind::Attrs, |x| AttrRef::Attrs(x), FieldValue::Attrs(v) => Some(v);
    Hints: AttrKind::Hints, |x| AttrRef::Hints(x), FieldValue::Hints(v) => Some(v);
    Vec<Expr>: AttrKind::Exprs, |x| AttrRef::Exprs(x), FieldValue::Exprs(v) => Some(v);
}
