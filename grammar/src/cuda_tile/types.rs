//! Parses types, with or without the dialect's prefix.

use std::sync::Arc;

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::cuda_tile::{
    Element, GatherScatterView, PaddingValue, PartitionView, Pointer, PtrAttr, Shape, StridedView,
    TensorView, Tile, TileType, TypeWord, ViewPart, check_type,
};
use tilewright_irs::element::ScalarType;

use super::aliases::undefined;
use super::alternatives::Alternative;
use super::cursor::{Cursor, Parse, fail};
use super::lexer::{is_type_alias, short};

/// The label of an invalid type.
pub(crate) const NO_SUCH_TYPE: &str = "no such type";

/// The words that types of values begin with.
const TYPES: &[&str] = TypeWord::WORDS;

/// Whether a type begins here.
pub(crate) fn at_type(cursor: &Cursor<'_, '_>) -> bool {
    TYPES.contains(&short(cursor.peek()))
}

/// The type of a value, which must be valid.
pub(crate) fn value_type(cursor: &mut Cursor<'_, '_>) -> Parse<TileType> {
    let start = cursor.span();
    let ty = any_value_type(cursor)?;
    let Err((code, message)) = check_type(&ty) else {
        return Ok(ty);
    };
    let at = cursor.since(start);
    let mut problem = Diagnostic::error(code, message).at(at, NO_SUCH_TYPE);
    if code == Code::ExtentNotPowerOfTwo
        && let Some(near) = ty.rounded_up().filter(|near| check_type(near).is_ok())
    {
        problem = problem.fix(at, near.to_string(), format!("change to `{near}`"));
    }
    Err(Some(Box::new(problem)))
}

fn any_value_type(cursor: &mut Cursor<'_, '_>) -> Parse<TileType> {
    match short(cursor.peek()) {
        "token" => {
            cursor.take();
            Ok(TileType::Token)
        }
        "tile" => tile(cursor).map(TileType::Tile),
        "tensor_view" => tensor_view(cursor).map(|tensor| TileType::TensorView(Arc::new(tensor))),
        kind @ ("partition_view" | "strided_view" | "gather_scatter_view") => view(cursor, kind),
        _ if is_type_alias(cursor.peek()) => undefined(cursor.peek(), cursor.span()),
        _ => cursor.wrong(Alternative::Type("a type", TYPES)),
    }
}

/// `tile<4x8xf32>`
pub(crate) fn tile(cursor: &mut Cursor<'_, '_>) -> Parse<Tile> {
    if short(cursor.peek()) != "tile" {
        return cursor.wrong(Alternative::Type("a tile type", &["tile"]));
    }
    cursor.take();
    cursor.expect("<")?;
    let at = cursor.span();
    let mut shape = Vec::new();
    for extent in extents(cursor)? {
        match extent {
            Some(extent) => shape.push(extent),
            None => {
                return fail(
                    Code::UnknownType,
                    "the extents of a tile are numbers: its shape is static",
                    at,
                    "not a number",
                );
            }
        }
    }
    let element = element(cursor)?;
    cursor.expect(">")?;
    Ok(Tile::new(Shape::from(shape), element))
}

/// `4x?x`, if present.
fn extents(cursor: &mut Cursor<'_, '_>) -> Parse<Vec<Option<u64>>> {
    let text = cursor.peek();
    if text.starts_with("0x") {
        let message =
            "the first extent is 0, expected a positive number: the shape of a type has no dimension of 0";
        return fail(Code::UnknownType, message, cursor.span(), "an extent of 0");
    }
    let is_extents = text.ends_with('x') && text.starts_with(|c: char| c.is_ascii_digit() || c == '?');
    if !is_extents {
        return Ok(Vec::new());
    }
    let at = cursor.span();
    cursor.take();
    let read = |extent: &str| match extent {
        "?" => Some(None),
        digits => digits.parse().ok().map(Some),
    };
    match text.split_terminator('x').map(read).collect() {
        Some(extents) => Ok(extents),
        None => fail(
            Code::BadLiteral,
            "an extent does not fit 64 bits",
            at,
            "too large",
        ),
    }
}

pub(crate) fn scalar(cursor: &mut Cursor<'_, '_>) -> Parse<ScalarType> {
    scalar_or(cursor, "an element type")
}

/// An element type; `what` describes its use.
fn scalar_or(cursor: &mut Cursor<'_, '_>, what: &'static str) -> Parse<ScalarType> {
    match ScalarType::from_word(short(cursor.peek())) {
        Some(scalar) => {
            cursor.take();
            Ok(scalar)
        }
        None if is_type_alias(cursor.peek()) => undefined(cursor.peek(), cursor.span()),
        None => cursor.wrong(Alternative::Element(what, ScalarType::WORDS)),
    }
}

fn element(cursor: &mut Cursor<'_, '_>) -> Parse<Element> {
    if short(cursor.peek()) == "ptr" {
        pointer(cursor).map(Element::Ptr)
    } else {
        cursor.note(Alternative::Text("ptr"));
        scalar_or(cursor, "an element type").map(Element::Scalar)
    }
}

/// `ptr<f32>`, `ptr<f32, <multicast>>`
pub(crate) fn pointer(cursor: &mut Cursor<'_, '_>) -> Parse<Pointer> {
    cursor.take();
    pointee(cursor)
}

/// The rest of a pointer type after its keyword.
pub(crate) fn pointee(cursor: &mut Cursor<'_, '_>) -> Parse<Pointer> {
    cursor.expect("<")?;
    let pointee = scalar_or(cursor, "the element type of the pointee")?;
    let attr = if cursor.eat(",") {
        Some(ptr_attr(cursor)?)
    } else {
        None
    };
    cursor.expect(">")?;
    Ok(Pointer { pointee, attr })
}

fn at_ptr_attr(cursor: &Cursor<'_, '_>) -> bool {
    matches!(cursor.peek(), "<" | "#cuda_tile.ptr_attr")
}

/// `<unicast>`, with or without the attribute's name.
fn ptr_attr(cursor: &mut Cursor<'_, '_>) -> Parse<PtrAttr> {
    cursor.eat("#cuda_tile.ptr_attr");
    cursor.expect("<")?;
    let attr = word(cursor, PtrAttr::from_word, PtrAttr::WORDS)?;
    cursor.expect(">")?;
    Ok(attr)
}

/// A keyword.
pub(crate) fn word<T>(
    cursor: &mut Cursor<'_, '_>,
    read: impl FnOnce(&str) -> Option<T>,
    words: &'static [&'static str],
) -> Parse<T> {
    match read(cursor.peek()) {
        Some(value) => {
            cursor.take();
            Ok(value)
        }
        None => cursor.wrong(Alternative::Words(words)),
    }
}

/// A number of any integer type.
pub(crate) fn integer<T: std::str::FromStr>(cursor: &mut Cursor<'_, '_>) -> Parse<T> {
    let text = cursor.peek();
    if !text
        .strip_prefix('-')
        .unwrap_or(text)
        .bytes()
        .all(|b| b.is_ascii_digit())
        || text.is_empty()
    {
        return cursor.wrong("an integer");
    }
    let at = cursor.span();
    cursor.take();
    match text.parse() {
        Ok(value) => Ok(value),
        Err(_) => fail(
            Code::BadLiteral,
            format!("`{text}` is out of range here"),
            at,
            "out of range",
        ),
    }
}

/// `?`, or a positive number.
fn stride(cursor: &mut Cursor<'_, '_>) -> Parse<Option<u64>> {
    if cursor.eat("?") {
        return Ok(None);
    }
    if !cursor
        .peek()
        .starts_with(|c: char| c.is_ascii_digit() || c == '-')
    {
        return cursor.wrong("a 64-bit integer or `?`");
    }
    bounded(cursor, "stride", 1).map(Some)
}

/// A number of at least `least`.
fn bounded<T: TryFrom<i64>>(cursor: &mut Cursor<'_, '_>, what: &str, least: i64) -> Parse<T> {
    let text = cursor.peek();
    let at = cursor.span();
    let number = Some(integer::<i64>(cursor)?).filter(|number| *number >= least);
    match number.map(T::try_from) {
        Some(Ok(number)) => Ok(number),
        Some(Err(_)) | None => {
            let message = format!("a {what} is {text}, expected an integer of {least} or more");
            fail(Code::BadLiteral, message, at, "out of range")
        }
    }
}

/// `tensor_view<?x16xf32, strides=[?,1]>`
fn tensor_view(cursor: &mut Cursor<'_, '_>) -> Parse<TensorView> {
    if short(cursor.peek()) != "tensor_view" {
        return cursor.wrong(Alternative::Type("a type `tensor_view<…>`", &["tensor_view"]));
    }
    cursor.take();
    cursor.expect("<")?;
    let mut tensor = TensorView {
        shape: extents(cursor)?,
        element: scalar(cursor)?,
        strides: Vec::new(),
        attr: None,
    };
    while cursor.eat(",") {
        if cursor.eat("strides") {
            let at = cursor.span();
            cursor.expect("=")?;
            cursor.expect("[")?;
            tensor.strides = cursor.list("]", stride)?;
            if tensor.shape.is_empty() {
                let message = "a tensor of rank 0 has no strides";
                return fail(
                    Code::UnknownType,
                    message,
                    cursor.since(at),
                    "strides without dimensions",
                );
            }
        } else if at_ptr_attr(cursor) {
            tensor.attr = Some(ptr_attr(cursor)?);
        } else if tensor.shape.is_empty() {
            return cursor.wrong("a pointer's attribute after the element type in a 0-d tensor_view");
        } else {
            return cursor.wrong("a pointer's attribute");
        }
    }
    cursor.expect(">")?;
    Ok(tensor)
}

/// `4x8` in parentheses.
fn tile_shape(cursor: &mut Cursor<'_, '_>) -> Parse<Shape> {
    let at = cursor.span();
    cursor.expect("(")?;
    let mut shape = Vec::new();
    if !cursor.eat(")") {
        for extent in extents(cursor)? {
            match extent {
                Some(extent) => shape.push(extent),
                None => {
                    return fail(
                        Code::UnknownType,
                        "the extents of a tile are numbers",
                        at,
                        "not a number",
                    );
                }
            }
        }
        shape.push(integer(cursor)?);
        cursor.expect(")")?;
    }
    if let Some(i) = shape.iter().position(|&extent| i32::try_from(extent).is_err()) {
        let message = format!(
            "dimension {i} of the tile is {}, expected a positive i32, which is at most {}",
            shape.get(i).copied().unwrap_or_default(),
            i32::MAX
        );
        return fail(Code::UnknownType, message, cursor.since(at), "too large");
    }
    Ok(Shape::from(shape))
}

/// The words that the parts of the type of a view begin with.
fn view_parts(kind: &str) -> &'static [&'static str] {
    use ViewPart::{DimMap, Padding, SparseDim, TensorView, Tile, TraversalStrides};
    const GATHER_SCATTER: &[&str] = &[Tile.word(), TensorView.word(), Padding.word(), SparseDim.word()];
    const STRIDED: &[&str] = &[
        Tile.word(),
        TensorView.word(),
        Padding.word(),
        DimMap.word(),
        TraversalStrides.word(),
    ];
    const PARTITION: &[&str] = &[Tile.word(), TensorView.word(), Padding.word(), DimMap.word()];
    match kind {
        "gather_scatter_view" => GATHER_SCATTER,
        "strided_view" => STRIDED,
        _ => PARTITION,
    }
}

/// A view of tiles, with its parts in any order.
fn view(cursor: &mut Cursor<'_, '_>, kind: &str) -> Parse<TileType> {
    cursor.take();
    cursor.expect("<")?;
    let at = cursor.span();
    let mut tile = None;
    let mut tensor = None;
    let mut padding = None;
    let mut dim_map = None;
    let mut strides = None;
    let mut sparse_dim = None;
    cursor.list(">", |cursor| {
        let part = short(cursor.peek());
        if part == "tensor_view" {
            tensor = Some(tensor_view(cursor)?);
            return Ok(());
        }
        if at_type(cursor) && part != "tile" {
            let at = cursor.span();
            let ty = any_value_type(cursor)?;
            let message = format!("a view is over a `tensor_view`, but the type is `{ty}`");
            return fail(Code::UnknownType, message, cursor.since(at), "not a tensor_view");
        }
        let parts = view_parts(kind);
        if !parts.contains(&part) {
            return cursor.wrong(Alternative::Type("a part of the view's type", parts));
        }
        cursor.take();
        cursor.expect("=")?;
        match part {
            "tile" => tile = Some(tile_shape(cursor)?),
            "padding_value" => {
                padding = Some(word(cursor, PaddingValue::from_word, PaddingValue::WORDS)?);
            }
            "dim_map" => {
                cursor.expect("[")?;
                dim_map = Some(cursor.list("]", |cursor| bounded(cursor, "dimension of `dim_map`", 0))?);
            }
            "traversal_strides" => {
                cursor.expect("[")?;
                strides = Some(cursor.list("]", |cursor| bounded(cursor, "traversal stride", 1))?);
            }
            _ => sparse_dim = Some(integer(cursor)?),
        }
        Ok(())
    })?;
    let at = cursor.since(at);
    let missing = |part: &str| {
        fail(
            Code::UnknownType,
            format!("a `{kind}` needs `{part}`"),
            at,
            "a part is missing",
        )
    };
    let Some(tile) = tile else {
        return missing("tile=(…)");
    };
    let Some(tensor) = tensor else {
        return missing("tensor_view<…>");
    };
    let identity = |tile: &Shape| (0u32..).take(tile.len()).collect();
    Ok(match (kind, strides, sparse_dim) {
        ("partition_view", ..) => TileType::PartitionView(Arc::new(PartitionView {
            dim_map: dim_map.unwrap_or_else(|| identity(&tile)),
            tile,
            tensor,
            padding,
        })),
        ("strided_view", Some(traversal_strides), _) => TileType::StridedView(Arc::new(StridedView {
            dim_map: dim_map.unwrap_or_else(|| identity(&tile)),
            tile,
            traversal_strides,
            tensor,
            padding,
        })),
        ("strided_view", None, _) => return missing("traversal_strides=[…]"),
        (_, _, Some(sparse_dim)) => TileType::GatherScatterView(Arc::new(GatherScatterView {
            tile,
            tensor,
            sparse_dim,
            padding,
        })),
        (_, _, None) => return missing("sparse_dim=…"),
    })
}
