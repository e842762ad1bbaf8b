//! Parses expressions, in their short and their long form.

use tilewright_diagnostics::{Code, Span};
use tilewright_irs::cuda_tile::preview::{BinaryOp, Expr, Layout, MAX_EXPR_DEPTH};

use super::super::cursor::{Cursor, Parse, fail};
use super::super::literals::string;
use super::super::places::Places;
use super::super::types::integer;
use super::types::{any_type, at_any_type, at_function_type};

/// Checks an expression, but not its operands, which have been checked before.
fn checked(expr: Expr, at: Span) -> Parse<Expr> {
    match expr.check() {
        Ok(()) => Ok(expr),
        Err((code, message)) => fail(code, message, at, "not allowed"),
    }
}

fn not_too_deep(depth: usize, at: Span) -> Parse<()> {
    if depth > MAX_EXPR_DEPTH {
        let message = format!("an expression is nested deeper than {MAX_EXPR_DEPTH}");
        return fail(Code::NestingTooDeep, message, at, "too deep");
    }
    Ok(())
}

/// An arithmetic expression in the short form, or any expression in the long form.
pub(super) fn expr(cursor: &mut Cursor<'_, '_>) -> Parse<Expr> {
    let at = cursor.span();
    let expr = sum(cursor, 0)?;
    not_nested_too_deep(&expr, cursor.since(at))?;
    Ok(expr)
}

/// Checks the depth of a complete expression: in `a + b + c` each sign nests the operands on its left one level deeper.
/// In a tuple, such as extents, the expression may be as deep as in bytecode.
pub(super) fn not_nested_too_deep(expr: &Expr, at: Span) -> Parse<()> {
    not_too_deep(expr.depth().saturating_add(1), at)
}

/// `<[3, (8, 4), f32, "text"]>`; `None` if there is none.
pub(in super::super) fn constants(
    cursor: &mut Cursor<'_, '_>,
    places: &mut Places,
) -> Parse<Option<Vec<Expr>>> {
    if cursor.peek() != "<" {
        return Ok(None);
    }
    cursor.take();
    cursor.expect("[")?;
    let list = places.entries("]", cursor, constant)?;
    cursor.expect(">")?;
    Ok(Some(list))
}

/// An entry of a list of constants.
pub(in super::super) fn constant(cursor: &mut Cursor<'_, '_>) -> Parse<Expr> {
    let text = cursor.peek();
    if text.starts_with('"') {
        return string(cursor).map(Expr::Str);
    }
    if at_any_type(cursor) || at_function_type(cursor) {
        return any_type(cursor).map(|ty| Expr::Type(Box::new(ty)));
    }
    expr(cursor)
}

/// The op of a sign, if it has this precedence.
fn sign(text: &str, binds: u8) -> Option<BinaryOp> {
    let mut ops = BinaryOp::ALL.iter();
    ops.find(|op| op.sign() == Some(text) && op.binds() == binds)
        .copied()
}

fn sum(cursor: &mut Cursor<'_, '_>, depth: usize) -> Parse<Expr> {
    let at = cursor.span();
    let mut left = product(cursor, None, depth)?;
    let mut depth = depth;
    loop {
        // `N-4` is a name and a number with a sign.
        let digits = cursor
            .peek()
            .strip_prefix('-')
            .filter(|digits| !digits.is_empty());
        let (op, number) = match (sign(cursor.peek(), 1), digits) {
            (Some(op), _) => (op, None),
            (None, Some(digits)) if digits.starts_with(|c: char| c.is_ascii_digit()) => {
                (BinaryOp::Sub, Some(digits))
            }
            (None, _) => return Ok(left),
        };
        depth += 1;
        not_too_deep(depth, cursor.since(at))?;
        cursor.take();
        let right = product(cursor, number, depth)?;
        left = checked(Expr::binary(op, left, right), cursor.since(at))?;
    }
}

/// A product. `number` is its first factor, if that has been read already as part of a sign and a number.
fn product(cursor: &mut Cursor<'_, '_>, number: Option<&str>, depth: usize) -> Parse<Expr> {
    let at = cursor.span();
    let mut left = match number {
        Some(digits) => match digits.parse() {
            Ok(number) => Expr::Int(number),
            Err(_) => {
                let message = format!("`{digits}` does not fit 64 bits");
                return fail(Code::BadLiteral, message, at, "too large");
            }
        },
        None => factor(cursor, depth)?,
    };
    let mut depth = depth;
    while let Some(op) = sign(cursor.peek(), 2) {
        depth += 1;
        not_too_deep(depth, cursor.since(at))?;
        cursor.take();
        let right = factor(cursor, depth)?;
        left = checked(Expr::binary(op, left, right), cursor.since(at))?;
    }
    Ok(left)
}

fn factor(cursor: &mut Cursor<'_, '_>, depth: usize) -> Parse<Expr> {
    let at = cursor.span();
    not_too_deep(depth, at)?;
    let deeper = depth + 1;
    let text = cursor.peek();
    match text {
        "-" => {
            cursor.take();
            Ok(Expr::Neg(Box::new(factor(cursor, deeper)?)))
        }
        "(" => {
            cursor.take();
            tuple(cursor, deeper)
        }
        "#cuda_tile" => long(cursor, deeper),
        _ if text.starts_with(|c: char| c.is_ascii_digit() || c == '-') => integer(cursor).map(Expr::Int),
        _ if text.starts_with('"') => {
            let name = string(cursor)?;
            checked(Expr::Var(name), at)
        }
        _ if text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') => {
            cursor.take();
            let name = text.to_owned();
            let named = if name.contains('.') {
                Expr::Builtin(name)
            } else {
                Expr::Var(name)
            };
            checked(named, at)
        }
        _ => cursor.wrong("an expression"),
    }
}

/// What follows an opening parenthesis: a parenthesised expression, or a tuple, which is empty or has a comma.
fn tuple(cursor: &mut Cursor<'_, '_>, depth: usize) -> Parse<Expr> {
    let mut items = Vec::new();
    while !cursor.eat(")") {
        items.push(sum(cursor, depth)?);
        if cursor.eat(",") {
            continue;
        }
        cursor.expect(")")?;
        return Ok(match (items.pop(), items.is_empty()) {
            // In parentheses stands what `-` is written before: it is a sign itself.
            (Some(Expr::Int(number)), true) if number < 0 && number > i64::MIN => {
                Expr::Neg(Box::new(Expr::Int(number.saturating_neg())))
            }
            (Some(only), true) => only,
            (last, _) => {
                items.extend(last);
                Expr::Tuple(items)
            }
        });
    }
    Ok(Expr::Tuple(items))
}

/// `#cuda_tile<preview$expr_int<3>>`
fn long(cursor: &mut Cursor<'_, '_>, depth: usize) -> Parse<Expr> {
    let at = cursor.span();
    cursor.expect("#cuda_tile")?;
    cursor.expect("<")?;
    let Some(word) = cursor.peek().strip_prefix("preview$") else {
        return cursor.wrong("an expression, `preview$expr_…`");
    };
    cursor.take();
    let expr = long_inside(cursor, word, depth)?;
    cursor.expect(">")?;
    checked(expr, cursor.since(at))
}

/// An expression in the long form after its word, up to the bracket that closes the word's.
pub(super) fn long_inside(cursor: &mut Cursor<'_, '_>, word: &str, depth: usize) -> Parse<Expr> {
    let at = cursor.span();
    not_too_deep(depth, at)?;
    let deeper = depth + 1;
    cursor.expect("<")?;
    let expr = match word {
        "expr_int" => Expr::Int(integer(cursor)?),
        "expr_var" => Expr::Var(string(cursor)?),
        "expr_const_str" => Expr::Str(string(cursor)?),
        "expr_builtin" => {
            let name = string(cursor)?;
            cursor.expect(",")?;
            cursor.expect("index")?;
            Expr::Builtin(name)
        }
        "concrete_type" => Expr::Type(Box::new(any_type(cursor)?)),
        "expr_neg" => Expr::Neg(Box::new(long(cursor, deeper)?)),
        "symbolic_tuple" => {
            cursor.expect("[")?;
            Expr::Tuple(cursor.list("]", |cursor| long(cursor, deeper))?)
        }
        word => match word.strip_prefix("expr_").and_then(BinaryOp::from_word) {
            Some(op) => {
                let left = long(cursor, deeper)?;
                cursor.expect(",")?;
                Expr::binary(op, left, long(cursor, deeper)?)
            }
            None => {
                let message = format!("there is no symbolic expression `preview${word}`");
                return fail(Code::UnknownAttribute, message, at, "unknown");
            }
        },
    };
    cursor.expect(">")?;
    checked(expr, cursor.since(at))
}

/// `<(8, 4):(4, 1)>`, or the same in the long form.
pub(super) fn layout(cursor: &mut Cursor<'_, '_>) -> Parse<Layout> {
    let at = cursor.span();
    cursor.expect("<")?;
    let layout = if cursor.eat("shapes") {
        cursor.expect("=")?;
        let shape = long_tuple(cursor)?;
        for token in [",", "strides", "="] {
            cursor.expect(token)?;
        }
        Layout {
            shape,
            stride: long_tuple(cursor)?,
        }
    } else {
        cursor.expect("(")?;
        let shape = cursor.list(")", expr)?;
        cursor.expect(":")?;
        cursor.expect("(")?;
        Layout {
            shape,
            stride: cursor.list(")", expr)?,
        }
    };
    cursor.expect(">")?;
    match layout.check() {
        Ok(()) => Ok(layout),
        Err((code, message)) => fail(code, message, cursor.since(at), "no layout"),
    }
}

fn long_tuple(cursor: &mut Cursor<'_, '_>) -> Parse<Vec<Expr>> {
    let at = cursor.span();
    match long(cursor, 0)? {
        Expr::Tuple(items) => Ok(items),
        _ => fail(
            Code::AttributeKind,
            "the extents and the strides of a layout are tuples",
            cursor.since(at),
            "no tuple",
        ),
    }
}
