//! Parses attributes that only preview content has.

use tilewright_diagnostics::Code;
use tilewright_irs::cuda_tile::preview::{ConstParam, PreviewAttr, Scratch};
use tilewright_irs::cuda_tile::{PreviewAccess, PreviewMemorySpace, PreviewSynchronization};

use super::super::cursor::{Cursor, Parse, fail};
use super::super::literals::string;
use super::super::types::word;
use super::expr::{expr, layout, long_inside, not_nested_too_deep};
use super::types::kind;

/// Whether such an attribute begins here.
pub(in super::super) fn at_preview_attr(cursor: &Cursor<'_, '_>) -> bool {
    cursor.peek() == "#cuda_tile"
}

/// `#cuda_tile<preview$access<in>>`
pub(in super::super) fn preview_attr(cursor: &mut Cursor<'_, '_>) -> Parse<PreviewAttr> {
    let at = cursor.span();
    cursor.expect("#cuda_tile")?;
    cursor.expect("<")?;
    let Some(name) = cursor.peek().strip_prefix("preview$") else {
        return cursor.wrong("an attribute of preview content, `preview$…`");
    };
    cursor.preview(at)?;
    cursor.take();
    let attr = match name {
        "layout" => PreviewAttr::Layout(layout(cursor)?),
        "memory_space" => PreviewAttr::MemorySpace(case(
            cursor,
            PreviewMemorySpace::from_word,
            PreviewMemorySpace::WORDS,
        )?),
        "synchronization" => PreviewAttr::Synchronization(case(
            cursor,
            PreviewSynchronization::from_word,
            PreviewSynchronization::WORDS,
        )?),
        "access" => PreviewAttr::Access(case(cursor, PreviewAccess::from_word, PreviewAccess::WORDS)?),
        "scratch_request" => {
            cursor.expect("<")?;
            let scratch = scratch(cursor)?;
            cursor.expect(">")?;
            PreviewAttr::Scratch(scratch)
        }
        "const_param" => {
            for token in ["<", "name", "="] {
                cursor.expect(token)?;
            }
            let name = string(cursor)?;
            for token in [",", "type", "="] {
                cursor.expect(token)?;
            }
            let kind = kind(cursor)?;
            cursor.expect(">")?;
            PreviewAttr::ConstParam(ConstParam { name, kind })
        }
        name => {
            let expr = long_inside(cursor, name, 0)?;
            not_nested_too_deep(&expr, cursor.since(at))?;
            PreviewAttr::Expr(expr)
        }
    };
    cursor.expect(">")?;
    Ok(attr)
}

fn case<T>(
    cursor: &mut Cursor<'_, '_>,
    read: impl FnOnce(&str) -> Option<T>,
    words: &'static [&'static str],
) -> Parse<T> {
    cursor.expect("<")?;
    let value = word(cursor, read, words)?;
    cursor.expect(">")?;
    Ok(value)
}

/// `smem.size = 128, smem.alignment = 16`
pub(in super::super) fn scratch(cursor: &mut Cursor<'_, '_>) -> Parse<Scratch> {
    let at = cursor.span();
    cursor.expect("smem.size")?;
    cursor.expect("=")?;
    let size = expr(cursor)?;
    for token in [",", "smem.alignment", "="] {
        cursor.expect(token)?;
    }
    let scratch = Scratch {
        size,
        alignment: expr(cursor)?,
    };
    match scratch.check() {
        Ok(()) => Ok(scratch),
        Err((code, message)) => fail(code, message, cursor.since(at), "not allowed"),
    }
}

/// An attribute in a place that requires one of this kind.
pub(in super::super) fn synchronization(cursor: &mut Cursor<'_, '_>) -> Parse<PreviewSynchronization> {
    let at = cursor.span();
    match preview_attr(cursor)? {
        PreviewAttr::Synchronization(level) => Ok(level),
        other => {
            let message = format!("a synchronization is expected, and {} is given", other.describe());
            fail(Code::AttributeKind, message, cursor.since(at), "of another kind")
        }
    }
}
