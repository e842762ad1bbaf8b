//! The text of preview content, as NVIDIA's disassembler writes it.
//!
//! Expressions have a long form, `#cuda_tile<preview$expr_add<…, …>>`, and, in layouts, shapes and lists of constants,
//! a short one, `N + 1`. Expressions that have no short form are written in the long one. The disassembler writes names
//! unquoted; here, a name that could not be read back is quoted or, where a string may stand, written in the long form.

use std::fmt::{self, Write};

use super::PreviewAttr;
use super::expr::{BinaryOp, Expr};
use super::external::{ConstParam, Scratch};
use super::fragment::{Fragment, SymbolicTile, TileElement};
use super::layout::Layout;
use super::types::{ParamKind, PreviewType};
use crate::core::is_plain_word;
use crate::cuda_tile::types::AnyType;
use crate::cuda_tile::write::{write_list, write_quoted};
use crate::element::ScalarType;

/// The white space around a sign in the short form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spacing {
    /// None, in shapes and lists: `N+1`.
    Tight,
    /// Spaces, in layouts: `N + 1`.
    Spaced,
}

/// Whether a word is that of a type.
fn is_type_word(word: &str) -> bool {
    matches!(word, "index" | "none") || ScalarType::from_word(word).is_some()
}

fn write_name(out: &mut impl Write, name: &str) -> fmt::Result {
    if is_plain_word(name) {
        out.write_str(name)
    } else {
        write_quoted(out, name)
    }
}

impl Expr {
    /// Whether it has a short form in layouts.
    fn is_short(&self) -> bool {
        match self {
            Self::Int(_) | Self::Var(_) | Self::Builtin(_) => true,
            Self::Neg(inner) => inner.is_short(),
            Self::Binary(op, parts) => op.sign().is_some() && parts.0.is_short() && parts.1.is_short(),
            Self::Tuple(items) => items.iter().all(Self::is_short),
            Self::Str(_) | Self::Type(_) => false,
        }
    }

    /// Whether it has a short form in lists of constants.
    fn is_short_constant(&self) -> bool {
        fn number(expr: &Expr) -> bool {
            match expr {
                Expr::Int(_) => true,
                Expr::Var(name) => is_plain_word(name) && !is_type_word(name),
                Expr::Neg(inner) => number(inner),
                Expr::Binary(op, parts) => op.sign().is_some() && number(&parts.0) && number(&parts.1),
                Expr::Tuple(items) => items.iter().all(number),
                Expr::Builtin(_) | Expr::Str(_) | Expr::Type(_) => false,
            }
        }
        matches!(self, Self::Str(_) | Self::Type(_)) || number(self)
    }

    /// The precedence of the outermost op in the short form.
    fn binds(&self) -> u8 {
        match self {
            Self::Binary(op, _) => op.binds(),
            Self::Neg(_)
            | Self::Int(_)
            | Self::Var(_)
            | Self::Builtin(_)
            | Self::Str(_)
            | Self::Type(_)
            | Self::Tuple(_) => 3,
        }
    }

    /// Writes the short form.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_short(&self, out: &mut dyn Write, spacing: Spacing) -> fmt::Result {
        let mut out = out;
        match self {
            Self::Int(number) => write!(out, "{number}"),
            Self::Var(name) | Self::Builtin(name) => write_name(&mut out, name),
            Self::Str(text) => write_quoted(&mut out, text),
            Self::Type(ty) => ty.write_prefixed(&mut out),
            Self::Neg(inner) => {
                let alone = matches!(**inner, Self::Int(_) | Self::Var(_) | Self::Builtin(_));
                out.write_char('-')?;
                inner.write_in_parentheses(out, !alone, spacing)
            }
            Self::Binary(op, parts) => {
                let (left, right) = (&parts.0, &parts.1);
                left.write_in_parentheses(out, left.binds() < op.binds(), spacing)?;
                let sign = op.sign().unwrap_or("?");
                match spacing {
                    Spacing::Tight => out.write_str(sign)?,
                    Spacing::Spaced => write!(out, " {sign} ")?,
                }
                right.write_in_parentheses(out, right.binds() <= op.binds(), spacing)
            }
            Self::Tuple(items) => write_tuple(out, items, spacing, ","),
        }
    }

    fn write_in_parentheses(&self, out: &mut dyn Write, needed: bool, spacing: Spacing) -> fmt::Result {
        if !needed {
            return self.write_short(out, spacing);
        }
        out.write_char('(')?;
        self.write_short(out, spacing)?;
        out.write_char(')')
    }

    /// Writes the long form.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_long(&self, out: &mut dyn Write) -> fmt::Result {
        let mut out = out;
        out.write_str("#cuda_tile<preview$")?;
        match self {
            Self::Int(number) => write!(out, "expr_int<{number}>")?,
            Self::Var(name) => {
                out.write_str("expr_var<")?;
                write_quoted(&mut out, name)?;
                out.write_char('>')?;
            }
            Self::Builtin(name) => {
                out.write_str("expr_builtin<")?;
                write_quoted(&mut out, name)?;
                out.write_str(", index>")?;
            }
            Self::Str(text) => {
                out.write_str("expr_const_str<")?;
                write_quoted(&mut out, text)?;
                out.write_char('>')?;
            }
            Self::Type(ty) => {
                out.write_str("concrete_type<")?;
                ty.write_prefixed(&mut out)?;
                out.write_char('>')?;
            }
            Self::Neg(inner) => {
                out.write_str("expr_neg<")?;
                inner.write_long(out)?;
                out.write_char('>')?;
            }
            Self::Binary(op, parts) => {
                write!(out, "expr_{}<", op.word())?;
                parts.0.write_long(out)?;
                out.write_str(", ")?;
                parts.1.write_long(out)?;
                out.write_char('>')?;
            }
            Self::Tuple(items) => {
                out.write_str("symbolic_tuple<[")?;
                write_list(&mut out, ", ", items, |out, item| item.write_long(out))?;
                out.write_str("]>")?;
            }
        }
        out.write_char('>')
    }
}

/// `(8, 4)`; a single item is followed by the text `single`.
fn write_tuple(out: &mut dyn Write, items: &[Expr], spacing: Spacing, single: &str) -> fmt::Result {
    let mut out = out;
    out.write_char('(')?;
    write_list(&mut out, ", ", items, |out, item| item.write_short(out, spacing))?;
    if items.len() == 1 {
        out.write_str(single)?;
    }
    out.write_char(')')
}

/// The constant arguments of a call, `<[3, (8, 4), f32, "text"]>`: all in the short form, or all in the long one.
pub fn expr_list(items: &[Expr]) -> String {
    let short = items.iter().all(Expr::is_short_constant);
    let mut out = "<[".to_owned();
    // Writing to a string does not fail.
    let _ = write_list(&mut out, ", ", items, |out, item| {
        if short {
            item.write_short(out, Spacing::Tight)
        } else {
            item.write_long(out)
        }
    });
    out.push_str("]>");
    out
}

/// Writes constant parameters, `<[N: index]>`.
///
/// # Errors
/// Those of `out`.
pub fn write_const_params(out: &mut impl Write, params: &[ConstParam]) -> fmt::Result {
    out.write_str("<[")?;
    write_list(out, ", ", params, |out, param| {
        write_name(out, &param.name)?;
        out.write_str(": ")?;
        write_kind(out, param.kind)
    })?;
    out.write_str("]>")
}

/// The type of a constant parameter, with the dialect's prefix.
fn write_kind(out: &mut impl Write, kind: ParamKind) -> fmt::Result {
    match kind {
        ParamKind::Index => out.write_str("index"),
        ParamKind::Shape | ParamKind::Datatype | ParamKind::String => {
            write!(out, "!cuda_tile<preview${kind}>")
        }
    }
}

impl Layout {
    /// Writes the layout without its keyword: `(8, 4):(4, 1)`.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_text(&self, out: &mut dyn Write) -> fmt::Result {
        if self.shape.iter().chain(&self.stride).all(Expr::is_short) {
            write_tuple(out, &self.shape, Spacing::Spaced, "")?;
            out.write_char(':')?;
            return write_tuple(out, &self.stride, Spacing::Spaced, "");
        }
        let mut out = out;
        for (name, list) in [("shapes = ", &self.shape), (", strides = ", &self.stride)] {
            out.write_str(name)?;
            out.write_str("#cuda_tile<preview$symbolic_tuple<[")?;
            write_list(&mut out, ", ", list, |out, item| item.write_long(out))?;
            out.write_str("]>>")?;
        }
        Ok(())
    }
}

/// `8x[N]x`
fn write_extents(out: &mut dyn Write, shape: &[Expr]) -> fmt::Result {
    for extent in shape {
        match extent {
            Expr::Int(number) => write!(out, "{number}x")?,
            other => {
                out.write_char('[')?;
                other.write_short(out, Spacing::Tight)?;
                out.write_str("]x")?;
            }
        }
    }
    Ok(())
}

impl SymbolicTile {
    fn write_text(&self, out: &mut dyn Write) -> fmt::Result {
        out.write_str("tile<")?;
        write_extents(out, &self.shape)?;
        match &self.element {
            TileElement::Known(element) => write!(out, "{element}>"),
            TileElement::Symbol(name) => {
                write_symbolic(out, name)?;
                out.write_char('>')
            }
        }
    }
}

fn write_symbolic(out: &mut dyn Write, name: &str) -> fmt::Result {
    let mut out = out;
    out.write_str("preview$sym_t<")?;
    write_name(&mut out, name)?;
    out.write_char('>')
}

impl Fragment {
    fn write_text(&self, out: &mut dyn Write) -> fmt::Result {
        out.write_str("preview$fragment<")?;
        write_extents(out, &self.shape)?;
        write!(out, "{}, {}, mem_layout = <", self.element, self.space)?;
        self.mem_layout.write_text(out)?;
        out.write_str(">, fragmap = <")?;
        self.fragmap.write_text(out)?;
        out.write_char('>')?;
        if self.alignment != Expr::Int(1) {
            out.write_str(", alignment = ")?;
            self.alignment.write_short(out, Spacing::Tight)?;
        }
        out.write_char('>')
    }
}

impl fmt::Display for SymbolicTile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_text(f)
    }
}

impl PreviewType {
    /// Writes the type, without a dialect's prefix.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_text(&self, out: &mut dyn Write) -> fmt::Result {
        match self {
            Self::Symbolic(name) => write_symbolic(out, name),
            Self::Fragment(fragment) => fragment.write_text(out),
            Self::Tile(tile) => tile.write_text(out),
            Self::Param(ParamKind::Index) => out.write_str("index"),
            Self::Param(kind @ (ParamKind::Shape | ParamKind::Datatype | ParamKind::String)) => {
                write!(out, "preview${kind}")
            }
            Self::None => out.write_str("none"),
        }
    }
}

impl AnyType {
    /// Writes the type with the dialect's prefix, as it is written outside of the dialect's own syntax.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_prefixed(&self, out: &mut dyn Write) -> fmt::Result {
        let mut out = out;
        match self {
            Self::Scalar(scalar) => out.write_str(scalar.word()),
            Self::Ptr(pointer) => write!(out, "!cuda_tile.{pointer}"),
            Self::Value(ty) => {
                out.write_str("!cuda_tile.")?;
                ty.write_text(&mut out)
            }
            Self::Func(signature) => {
                out.write_char('(')?;
                write_list(&mut out, ", ", &signature.inputs, |out, ty| {
                    ty.write_prefixed(out)
                })?;
                out.write_str(") -> ")?;
                match signature.results.as_slice() {
                    [one] if !matches!(one, Self::Func(_)) => one.write_prefixed(out),
                    list => {
                        out.write_char('(')?;
                        write_list(&mut out, ", ", list, |out, ty| ty.write_prefixed(out))?;
                        out.write_char(')')
                    }
                }
            }
            Self::Preview(ty) => match ty.as_ref() {
                PreviewType::Tile(tile) => {
                    out.write_str("!cuda_tile.")?;
                    tile.write_text(out)
                }
                PreviewType::Param(ParamKind::Index) | PreviewType::None => ty.write_text(out),
                PreviewType::Symbolic(_) | PreviewType::Fragment(_) | PreviewType::Param(_) => {
                    out.write_str("!cuda_tile<")?;
                    ty.write_text(out)?;
                    out.write_char('>')
                }
            },
        }
    }
}

impl Scratch {
    /// Writes the request without its keyword.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_text(&self, out: &mut dyn Write) -> fmt::Result {
        out.write_str("smem.size = ")?;
        self.size.write_long(out)?;
        out.write_str(", smem.alignment = ")?;
        self.alignment.write_long(out)
    }
}

impl PreviewAttr {
    /// Writes the value.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_text(&self, out: &mut dyn Write) -> fmt::Result {
        let mut out = out;
        match self {
            Self::Expr(expr) => return expr.write_long(out),
            Self::Layout(layout) => {
                out.write_str("#cuda_tile<preview$layout<")?;
                layout.write_text(out)?;
            }
            Self::MemorySpace(space) => write!(out, "#cuda_tile<preview$memory_space<{space}")?,
            Self::Synchronization(level) => write!(out, "#cuda_tile<preview$synchronization<{level}")?,
            Self::Access(access) => write!(out, "#cuda_tile<preview$access<{access}")?,
            Self::Scratch(scratch) => {
                out.write_str("#cuda_tile<preview$scratch_request<")?;
                scratch.write_text(out)?;
            }
            Self::ConstParam(param) => {
                out.write_str("#cuda_tile<preview$const_param<name = ")?;
                write_quoted(&mut out, &param.name)?;
                out.write_str(", type = ")?;
                write_kind(&mut out, param.kind)?;
            }
        }
        out.write_str(">>")
    }
}

impl BinaryOp {
    /// The op with this word in the long form.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|op| op.word() == word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn var(name: &str) -> Expr {
        Expr::Var(name.to_owned())
    }

    fn short(expr: &Expr, spacing: Spacing) -> String {
        let mut out = String::new();
        expr.write_short(&mut out, spacing).expect("a string");
        out
    }

    #[test]
    fn parentheses_stand_where_they_are_needed() {
        use BinaryOp::{Add, CeilDiv, FloorDiv, Mul, Sub};
        let (n, m) = (|| var("N"), || var("M"));
        let two = || Expr::Int(2);
        let of = Expr::binary;
        let neg = |inner| Expr::Neg(Box::new(inner));
        let cases = [
            (of(Add, of(Add, n(), Expr::Int(1)), two()), "N+1+2"),
            (of(Add, n(), of(Add, m(), two())), "N+(M+2)"),
            (of(Sub, n(), of(Sub, m(), two())), "N-(M-2)"),
            (of(Mul, of(Add, n(), two()), m()), "(N+2)*M"),
            (of(Add, of(Mul, n(), m()), of(Mul, m(), n())), "N*M+M*N"),
            (of(Mul, n(), of(FloorDiv, m(), two())), "N*(M/2)"),
            (of(FloorDiv, of(Mul, n(), two()), Expr::Int(3)), "N*2/3"),
            (of(CeilDiv, neg(n()), two()), "-N/+2"),
            (neg(of(Mul, n(), two())), "-(N*2)"),
            (neg(neg(n())), "-(-N)"),
            (neg(Expr::Int(-7)), "--7"),
            (of(Sub, n(), neg(m())), "N--M"),
            (Expr::Tuple(vec![of(Add, Expr::Int(1), two())]), "(1+2,)"),
            (Expr::Tuple(vec![Expr::Tuple(Vec::new()), n()]), "((), N)"),
            (var("a b"), "\"a b\""),
        ];
        for (expr, text) in cases {
            assert_eq!(short(&expr, Spacing::Tight), text);
        }
        let spaced = of(CeilDiv, of(FloorDiv, n(), two()), Expr::Int(3));
        assert_eq!(short(&spaced, Spacing::Spaced), "N / 2 /+ 3");
    }

    #[test]
    fn one_long_constant_makes_all_long() {
        let mut list = vec![
            Expr::Int(3),
            Expr::Str("a\"b".into()),
            Expr::Neg(Box::new(Expr::Int(1))),
        ];
        assert_eq!(expr_list(&list), "<[3, \"a\\22b\", -1]>");
        list.push(Expr::Builtin("context.x".into()));
        assert_eq!(
            expr_list(&list),
            "<[#cuda_tile<preview$expr_int<3>>, #cuda_tile<preview$expr_const_str<\"a\\22b\">>, \
             #cuda_tile<preview$expr_neg<#cuda_tile<preview$expr_int<1>>>>, \
             #cuda_tile<preview$expr_builtin<\"context.x\", index>>]>"
        );
        // A parameter that is called as a type is.
        assert_eq!(
            expr_list(&[var("f32")]),
            "<[#cuda_tile<preview$expr_var<\"f32\">>]>"
        );
    }
}
