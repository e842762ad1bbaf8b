//! Expressions over constant parameters: numbers, shapes, types and strings that are known when a call is compiled.

use rustc_hash::FxHashSet;
use tilewright_diagnostics::Code;

use crate::cuda_tile::types::AnyType;

/// How deep an expression may be nested.
pub const MAX_EXPR_DEPTH: usize = 32;

/// The namespace of builtin values.
const BUILTIN: &str = "context.";

/// Declares the binary ops: for each its tag in bytecode, its word in the long form, its sign in the short form, and
/// its precedence.
macro_rules! binary_ops {
    ($($(#[doc = $doc:literal])* $name:ident = $tag:literal $word:literal $sign:expr, $binds:literal;)+) => {
        /// A binary op on numbers.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum BinaryOp { $($(#[doc = $doc])* $name),+ }

        impl BinaryOp {
            /// Every op.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// The tag of the op's expressions in bytecode.
            pub const fn tag(self) -> u64 {
                match self { $(Self::$name => $tag),+ }
            }

            /// The word in the long form.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$name => $word),+ }
            }

            /// The sign in the short form, if it has one.
            pub const fn sign(self) -> Option<&'static str> {
                match self { $(Self::$name => $sign),+ }
            }

            /// The precedence of the sign: higher binds tighter.
            pub const fn binds(self) -> u8 {
                match self { $(Self::$name => $binds),+ }
            }
        }
    };
}

binary_ops! {
    /// The product.
    Mul = 211 "mul" Some("*"), 2;
    /// The quotient. How it is rounded is not specified, so that it is not an integer.
    Div = 212 "div" None, 2;
    /// The sum.
    Add = 213 "add" Some("+"), 1;
    /// The difference.
    Sub = 214 "sub" Some("-"), 1;
    /// The quotient, rounded down.
    FloorDiv = 215 "floor_div" Some("/"), 2;
    /// The quotient, rounded up.
    CeilDiv = 218 "ceil_div" Some("/+"), 2;
}

impl BinaryOp {
    /// Whether it is a division.
    pub const fn divides(self) -> bool {
        match self {
            Self::Div | Self::FloorDiv | Self::CeilDiv => true,
            Self::Mul | Self::Add | Self::Sub => false,
        }
    }
}

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    /// An integer.
    Int(i64),
    /// A constant parameter.
    Var(String),
    /// An integer that the compiler provides, by its name in the namespace `context`.
    Builtin(String),
    /// A string.
    Str(String),
    /// A type.
    Type(Box<AnyType>),
    /// The negation of a number.
    Neg(Box<Expr>),
    /// A binary op on two numbers.
    Binary(BinaryOp, Box<(Expr, Expr)>),
    /// A shape.
    Tuple(Vec<Expr>),
}

impl Expr {
    /// A binary op on two numbers.
    pub fn binary(op: BinaryOp, left: Self, right: Self) -> Self {
        Self::Binary(op, Box::new((left, right)))
    }

    /// The nesting depth: 0 for an expression without operands.
    pub fn depth(&self) -> usize {
        match self {
            Self::Neg(inner) => inner.depth().saturating_add(1),
            Self::Binary(_, parts) => parts.0.depth().max(parts.1.depth()).saturating_add(1),
            Self::Tuple(items) => items
                .iter()
                .map(|item| item.depth().saturating_add(1))
                .max()
                .unwrap_or(0),
            Self::Int(_) | Self::Var(_) | Self::Builtin(_) | Self::Str(_) | Self::Type(_) => 0,
        }
    }

    /// Checks that it may be an integer.
    ///
    /// # Errors
    /// A message about the first operand that is not an integer.
    pub fn check_integer(&self) -> Result<(), String> {
        match self {
            Self::Int(_) | Self::Var(_) | Self::Builtin(_) => Ok(()),
            Self::Neg(inner) => inner.check_integer(),
            Self::Binary(BinaryOp::Div, _) => {
                Err("a quotient that is rounded neither down nor up is no integer".to_owned())
            }
            Self::Binary(
                BinaryOp::Mul | BinaryOp::Add | BinaryOp::Sub | BinaryOp::FloorDiv | BinaryOp::CeilDiv,
                parts,
            ) => {
                parts.0.check_integer()?;
                parts.1.check_integer()
            }
            Self::Str(_) => Err("a string is no integer".to_owned()),
            Self::Type(ty) => Err(format!("the type `{ty}` is no integer")),
            Self::Tuple(_) => Err("a tuple is no integer".to_owned()),
        }
    }

    /// Whether it may be an extent of a tile or a fragment: an integer expression without divisions.
    pub fn is_extent(&self) -> bool {
        match self {
            Self::Int(_) | Self::Var(_) | Self::Builtin(_) => true,
            Self::Neg(inner) => inner.is_extent(),
            Self::Binary(BinaryOp::Mul | BinaryOp::Add | BinaryOp::Sub, parts) => {
                parts.0.is_extent() && parts.1.is_extent()
            }
            Self::Binary(BinaryOp::Div | BinaryOp::FloorDiv | BinaryOp::CeilDiv, _)
            | Self::Str(_)
            | Self::Type(_)
            | Self::Tuple(_) => false,
        }
    }

    /// Calls `found` for each use of a constant parameter in it, also in types.
    pub fn vars<'a>(&'a self, found: &mut impl FnMut(&'a str)) {
        match self {
            Self::Var(name) => found(name),
            Self::Type(ty) => ty.vars(found),
            Self::Neg(inner) => inner.vars(found),
            Self::Binary(_, parts) => {
                parts.0.vars(found);
                parts.1.vars(found);
            }
            Self::Tuple(items) => items.iter().for_each(|item| item.vars(found)),
            Self::Int(_) | Self::Builtin(_) | Self::Str(_) => {}
        }
    }

    /// The first constant parameter that it uses and that is not in `declared`.
    pub fn undeclared<'a>(&'a self, declared: &FxHashSet<&str>) -> Option<&'a str> {
        let mut unknown = None;
        self.vars(&mut |name| {
            if unknown.is_none() && !declared.contains(name) {
                unknown = Some(name);
            }
        });
        unknown
    }

    /// Checks the expression itself, but not its operands.
    ///
    /// # Errors
    /// The code and the message of the error.
    pub fn check(&self) -> Result<(), (Code, String)> {
        match self {
            Self::Var(name) if name.is_empty() => {
                Err((Code::AttributeValue, "a symbolic variable has no name".to_owned()))
            }
            Self::Var(name) if name.contains('.') => {
                let message =
                    format!("the symbolic variable `{name}` has a dot, which names of builtin values have");
                Err((Code::AttributeValue, message))
            }
            Self::Builtin(name) if !name.starts_with(BUILTIN) || name.len() == BUILTIN.len() => {
                let message =
                    format!("the builtin value `{name}` is not in the namespace: expected `{BUILTIN}NAME`");
                Err((Code::AttributeValue, message))
            }
            Self::Binary(op, parts) if op.divides() && parts.1 == Self::Int(0) => {
                Err((Code::AttributeValue, "an expression divides by zero".to_owned()))
            }
            Self::Int(_)
            | Self::Var(_)
            | Self::Builtin(_)
            | Self::Str(_)
            | Self::Type(_)
            | Self::Neg(_)
            | Self::Binary(..)
            | Self::Tuple(_) => Ok(()),
        }
    }

    /// The bytes of heap that a copy takes, roughly.
    pub fn heap_bytes(&self) -> usize {
        match self {
            Self::Int(_) => 0,
            Self::Var(text) | Self::Builtin(text) | Self::Str(text) => text.len(),
            Self::Type(ty) => size_of::<AnyType>() + ty.heap_bytes(),
            Self::Neg(inner) => size_of::<Self>() + inner.heap_bytes(),
            Self::Binary(_, parts) => 2 * size_of::<Self>() + parts.0.heap_bytes() + parts.1.heap_bytes(),
            Self::Tuple(items) => items
                .iter()
                .map(|item| size_of::<Self>() + item.heap_bytes())
                .sum(),
        }
    }
}
