//! Parses types of every kind: those of values, their parts, and those that only preview content has.

use tilewright_diagnostics::Code;
use tilewright_irs::cuda_tile::preview::{Expr, Fragment, ParamKind, PreviewType, SymbolicTile, TileElement};
use tilewright_irs::cuda_tile::{AnyType, Element, PreviewMemorySpace, Signature, Tile, check_type};
use tilewright_irs::element::ScalarType;

use super::super::aliases::undefined;
use super::super::cursor::{Cursor, Parse, fail};
use super::super::lexer::{is_type_alias, short};
use super::super::literals::string;
use super::super::types::{at_type, integer, pointer, scalar, value_type, word};
use super::expr::{expr, layout};

/// The word before a type in the dialect's brackets, as in `!cuda_tile<preview$shape>`.
const BRACKETS: &str = "!cuda_tile";

/// The word of a type that a constant parameter stands for.
const SYMBOL: &str = "preview$sym_t";

/// Whether a type begins here; function types do not count.
pub(in super::super) fn at_any_type(cursor: &Cursor<'_, '_>) -> bool {
    let text = short(cursor.peek());
    at_type(cursor)
        || matches!(
            text,
            "ptr" | "index" | "none" | BRACKETS | SYMBOL | "preview$fragment"
        )
        || ScalarType::from_word(text).is_some()
        || param_kind(text).is_some()
}

/// Whether a function type begins here.
pub(super) fn at_function_type(cursor: &Cursor<'_, '_>) -> bool {
    if cursor.peek() != "(" {
        return false;
    }
    let mut after = *cursor;
    after.take();
    loop {
        after.skip_value();
        match after.take() {
            "," => {}
            ")" => return after.peek() == "->",
            _ => return false,
        }
    }
}

fn param_kind(text: &str) -> Option<ParamKind> {
    match text {
        "index" => Some(ParamKind::Index),
        other => match ParamKind::from_word(other.strip_prefix("preview$")?) {
            Some(ParamKind::Index) | None => None,
            kind => kind,
        },
    }
}

/// A type of any kind, with or without the dialect's prefix.
pub(in super::super) fn any_type(cursor: &mut Cursor<'_, '_>) -> Parse<AnyType> {
    let at = cursor.span();
    if cursor.types >= MAX_NESTED {
        let message = format!("types are nested deeper than {MAX_NESTED}");
        return fail(Code::NestingTooDeep, message, at, "too deep");
    }
    cursor.types += 1;
    let ty = type_inside(cursor);
    cursor.types -= 1;
    ty
}

/// How deep types may be nested: less than in bytecode, where the parts of each type count too.
const MAX_NESTED: u8 = 8;

fn type_inside(cursor: &mut Cursor<'_, '_>) -> Parse<AnyType> {
    let at = cursor.span();
    let text = short(cursor.peek());
    match text {
        "(" => return function_type(cursor).map(AnyType::Func),
        "ptr" => return pointer(cursor).map(AnyType::Ptr),
        "tile" if is_symbolic(cursor) => {}
        _ if at_type(cursor) => return value_type(cursor).map(AnyType::Value),
        _ if ScalarType::from_word(text).is_some() => return scalar(cursor).map(AnyType::Scalar),
        _ if is_type_alias(cursor.peek()) => return undefined(cursor.peek(), at),
        _ => {}
    }
    if text == BRACKETS {
        cursor.take();
        cursor.expect("<")?;
        let ty = any_type(cursor)?;
        cursor.expect(">")?;
        return Ok(ty);
    }
    cursor.preview(at)?;
    let ty = match text {
        "tile" => symbolic_tile(cursor)?,
        "preview$fragment" => PreviewType::Fragment(fragment(cursor)?).into(),
        SYMBOL => PreviewType::Symbolic(symbol(cursor)?).into(),
        "none" => {
            cursor.take();
            PreviewType::None.into()
        }
        _ => match param_kind(text) {
            Some(kind) => {
                cursor.take();
                PreviewType::Param(kind).into()
            }
            None => return cursor.wrong("a type"),
        },
    };
    let checked = match &ty {
        AnyType::Preview(ty) => ty.check(),
        AnyType::Value(ty) => check_type(ty),
        AnyType::Scalar(_) | AnyType::Ptr(_) | AnyType::Func(_) => Ok(()),
    };
    match checked {
        Ok(()) => Ok(ty),
        Err((code, message)) => fail(code, message, cursor.since(at), "no such type"),
    }
}

/// `(i32) -> f32`, `() -> (f32, f32)`
fn function_type(cursor: &mut Cursor<'_, '_>) -> Parse<Signature> {
    cursor.expect("(")?;
    let inputs = cursor.list(")", no_function)?;
    cursor.expect("->")?;
    let results = if cursor.eat("(") {
        cursor.list(")", no_function)?
    } else {
        vec![no_function(cursor)?]
    };
    Ok(Signature { inputs, results })
}

fn no_function(cursor: &mut Cursor<'_, '_>) -> Parse<AnyType> {
    if cursor.peek() == "(" {
        return cursor.wrong("a type other than that of a function");
    }
    any_type(cursor)
}

/// `<D>` after the word of a symbolic type: the name of its constant parameter.
fn symbol(cursor: &mut Cursor<'_, '_>) -> Parse<String> {
    cursor.expect(SYMBOL)?;
    cursor.expect("<")?;
    let at = cursor.span();
    let name = match expr(cursor)? {
        Expr::Var(name) => name,
        _ => {
            return fail(
                Code::UnknownType,
                "a symbolic type is no variable",
                at,
                "no variable",
            );
        }
    };
    cursor.expect(">")?;
    Ok(name)
}

/// Whether the tile type here has an extent in brackets, or a symbolic element type.
fn is_symbolic(cursor: &Cursor<'_, '_>) -> bool {
    let inside = if cursor.peek_at(2).starts_with(|c: char| c.is_ascii_digit()) {
        3
    } else {
        2
    };
    [2, inside]
        .iter()
        .any(|&n| matches!(short(cursor.peek_at(n)), "[" | SYMBOL))
}

/// The extents of a type, and the beginning of its element type if that is part of the same word.
struct Extents<'input> {
    shape: Vec<Expr>,
    /// The first word of the element type, if it is one word with an extent or with the `x` after one.
    word: Option<&'input str>,
}

/// `8x[N]x4x`. After a bracket, the lexer gives the rest with the element type as one word, `x4xf32`.
fn extents<'input>(cursor: &mut Cursor<'_, 'input>) -> Parse<Extents<'input>> {
    let mut shape = Vec::new();
    loop {
        let at = cursor.span();
        let text = cursor.peek();
        let mut rest = if text == "[" {
            cursor.take();
            shape.push(expr(cursor)?);
            cursor.expect("]")?;
            match cursor.peek().strip_prefix('x') {
                Some(rest) => rest,
                None => return cursor.wrong("`x`"),
            }
        } else if text.ends_with('x') && text.starts_with(|c: char| c.is_ascii_digit()) {
            text
        } else {
            return Ok(Extents { shape, word: None });
        };
        cursor.take();
        while rest.starts_with(|c: char| c.is_ascii_digit()) {
            let Some((digits, after)) = rest.split_once('x') else {
                break;
            };
            match digits.parse() {
                Ok(number) => shape.push(Expr::Int(number)),
                Err(_) => {
                    return fail(
                        Code::BadLiteral,
                        "an extent does not fit 63 bits",
                        at,
                        "too large",
                    );
                }
            }
            rest = after;
        }
        if !rest.is_empty() {
            return Ok(Extents {
                shape,
                word: Some(rest),
            });
        }
    }
}

/// An element type; `taken` is its first word, if that has been taken already.
fn element(cursor: &mut Cursor<'_, '_>, taken: Option<&str>) -> Parse<AnyType> {
    let Some(first) = taken else {
        return any_type(cursor);
    };
    if let Some(scalar) = ScalarType::from_word(first) {
        return Ok(AnyType::Scalar(scalar));
    }
    if let Some(kind) = param_kind(first) {
        return Ok(PreviewType::Param(kind).into());
    }
    // The word was cut off its token, so that what is left of the type is read by itself.
    match first {
        "none" => Ok(PreviewType::None.into()),
        "token" => Ok(tilewright_irs::cuda_tile::TileType::Token.into()),
        SYMBOL => {
            cursor.expect("<")?;
            let name = match expr(cursor)? {
                Expr::Var(name) => name,
                _ => return cursor.wrong("the name of a symbolic variable"),
            };
            cursor.expect(">")?;
            Ok(PreviewType::Symbolic(name).into())
        }
        "ptr" => super::super::types::pointee(cursor).map(AnyType::Ptr),
        _ => cursor.wrong("an element type that is a number type, a pointer or a symbolic type"),
    }
}

/// `tile<[N]x8xf32>`; without any symbolic part, an ordinary tile type.
fn symbolic_tile(cursor: &mut Cursor<'_, '_>) -> Parse<AnyType> {
    cursor.take();
    cursor.expect("<")?;
    let Extents { shape, word } = extents(cursor)?;
    let at = cursor.span();
    let element = match element(cursor, word)? {
        AnyType::Scalar(scalar) => TileElement::Known(Element::Scalar(scalar)),
        AnyType::Ptr(pointer) => TileElement::Known(Element::Ptr(pointer)),
        AnyType::Preview(ty) => match *ty {
            PreviewType::Symbolic(name) => TileElement::Symbol(name),
            PreviewType::Fragment(_) | PreviewType::Tile(_) | PreviewType::Param(_) | PreviewType::None => {
                return no_element(cursor, at);
            }
        },
        AnyType::Value(_) | AnyType::Func(_) => return no_element(cursor, at),
    };
    cursor.expect(">")?;
    let known = |extent: &Expr| match extent {
        Expr::Int(number @ 1..) => u64::try_from(*number).ok(),
        _ => None,
    };
    if let TileElement::Known(element) = element
        && let Some(shape) = shape.iter().map(known).collect::<Option<Vec<u64>>>()
    {
        return Ok(AnyType::Value(Tile::new(shape, element).into()));
    }
    Ok(PreviewType::Tile(SymbolicTile { shape, element }).into())
}

fn no_element<T>(cursor: &Cursor<'_, '_>, at: tilewright_diagnostics::Span) -> Parse<T> {
    fail(
        Code::BadElementType,
        "a tile holds numbers, pointers, or what a symbolic type is",
        cursor.since(at),
        "not the element type of a tile",
    )
}

/// `preview$fragment<8xf32, local, mem_layout = <…>, fragmap = <…>, alignment = 4>`
fn fragment(cursor: &mut Cursor<'_, '_>) -> Parse<Fragment> {
    cursor.take();
    cursor.expect("<")?;
    let Extents { shape, word: first } = extents(cursor)?;
    let element = element(cursor, first)?;
    cursor.expect(",")?;
    let space = word(cursor, PreviewMemorySpace::from_word, PreviewMemorySpace::WORDS)?;
    for token in [",", "mem_layout", "="] {
        cursor.expect(token)?;
    }
    let mem_layout = layout(cursor)?;
    for token in [",", "fragmap", "="] {
        cursor.expect(token)?;
    }
    let fragmap = layout(cursor)?;
    let mut alignment = Expr::Int(1);
    if cursor.eat(",") {
        cursor.expect("alignment")?;
        cursor.expect("=")?;
        alignment = expr(cursor)?;
    }
    cursor.expect(">")?;
    Ok(Fragment {
        shape,
        element,
        space,
        mem_layout,
        fragmap,
        alignment,
    })
}

/// The type of a constant parameter.
pub(in super::super) fn kind(cursor: &mut Cursor<'_, '_>) -> Parse<ParamKind> {
    let at = cursor.span();
    let expected = "`index`, `!cuda_tile<preview$shape>`, `!cuda_tile<preview$Datatype>` or \
                    `!cuda_tile<preview$string>`";
    if let AnyType::Preview(ty) = any_type(cursor)?
        && let PreviewType::Param(kind) = *ty
    {
        return Ok(kind);
    }
    let message = format!("a constant parameter is of another type, expected {expected}");
    fail(
        Code::AttributeKind,
        message,
        cursor.since(at),
        "not the type of a constant parameter",
    )
}

/// The name of a constant parameter.
pub(in super::super) fn param_name(cursor: &mut Cursor<'_, '_>) -> Parse<String> {
    let at = cursor.span();
    let text = cursor.peek();
    let name = if text.starts_with('"') {
        string(cursor)?
    } else if text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        cursor.take().to_owned()
    } else if text.starts_with(|c: char| c.is_ascii_digit()) {
        integer::<u64>(cursor)?.to_string()
    } else {
        return cursor.wrong("the name of a constant parameter");
    };
    if name.is_empty() {
        return fail(
            Code::AttributeValue,
            "a constant parameter has no name",
            at,
            "empty",
        );
    }
    Ok(name)
}
