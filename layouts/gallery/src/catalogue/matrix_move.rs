//! Named fragments of `ldmatrix` and `stmatrix`.

use tilewright_layouts::ElementWidth;
use tilewright_layouts::distributed::{ByteSource, MatrixCount, MatrixMove, NarrowSource, PairCount};

use super::words::Words;
use super::{CatalogueError, Named};

/// Every form with its name, without the width.
fn forms() -> Vec<(String, MatrixMove)> {
    let count = |count: MatrixCount| match count {
        MatrixCount::X1 => "x1",
        MatrixCount::X2 => "x2",
        MatrixCount::X4 => "x4",
    };
    let mut forms = Vec::new();
    for matrices in MatrixCount::ALL {
        let x = count(matrices);
        forms.extend([
            (format!("ldmatrix.{x}"), MatrixMove::LoadM8N8(matrices)),
            (format!("ldmatrix.{x}.trans"), MatrixMove::LoadM8N8Trans(matrices)),
            (
                format!("ldmatrix.m8n16.{x}.b6x16_p32"),
                MatrixMove::LoadM8N16(matrices, NarrowSource::B6x16P32),
            ),
            (
                format!("ldmatrix.m8n16.{x}.b4x16_p64"),
                MatrixMove::LoadM8N16(matrices, NarrowSource::B4x16P64),
            ),
            (format!("stmatrix.{x}"), MatrixMove::StoreM8N8(matrices)),
            (
                format!("stmatrix.{x}.trans"),
                MatrixMove::StoreM8N8Trans(matrices),
            ),
            (
                format!("stmatrix.m16n8.{x}.trans"),
                MatrixMove::StoreM16N8Trans(matrices),
            ),
        ]);
    }
    for matrices in PairCount::ALL {
        let x = match matrices {
            PairCount::X1 => "x1",
            PairCount::X2 => "x2",
        };
        forms.extend([
            (
                format!("ldmatrix.m16n16.{x}.trans"),
                MatrixMove::LoadM16N16Trans(matrices, ByteSource::B8),
            ),
            (
                format!("ldmatrix.m16n16.{x}.trans.b6x16_p32"),
                MatrixMove::LoadM16N16Trans(matrices, ByteSource::Narrow(NarrowSource::B6x16P32)),
            ),
            (
                format!("ldmatrix.m16n16.{x}.trans.b4x16_p64"),
                MatrixMove::LoadM16N16Trans(matrices, ByteSource::Narrow(NarrowSource::B4x16P64)),
            ),
        ]);
    }
    forms
}

/// The widths that a form supports, the most usual one first.
fn widths(form: MatrixMove) -> impl Iterator<Item = ElementWidth> {
    let usual = [ElementWidth::B16, ElementWidth::B8];
    let others = ElementWidth::ALL
        .into_iter()
        .filter(move |width| !usual.contains(width));
    usual
        .into_iter()
        .chain(others)
        .filter(move |width| form.fragment(*width).is_some())
}

fn names(first: &str) -> Vec<String> {
    let forms = forms().into_iter().filter(|(name, _)| name.starts_with(first));
    forms
        .flat_map(|(name, form)| widths(form).map(move |width| format!("{name}.{width}")))
        .collect()
}

/// The names of all forms with all widths.
pub(super) fn ldmatrix_names() -> Vec<String> {
    names("ldmatrix.")
}

/// The names of all forms with all widths.
pub(super) fn stmatrix_names() -> Vec<String> {
    names("stmatrix.")
}

/// Parses names such as `.x4`, `.x4.trans`, `.m16n16.x2.trans.b8`.
pub(super) fn ldmatrix(words: &mut Words<'_>) -> Result<Named, CatalogueError> {
    matrix_move("ldmatrix", words)
}

/// Parses names such as `.x4`, `.m16n8.x4.trans.b8`.
pub(super) fn stmatrix(words: &mut Words<'_>) -> Result<Named, CatalogueError> {
    matrix_move("stmatrix", words)
}

/// Parses the words of a form, then a width.
fn matrix_move(first: &str, words: &mut Words<'_>) -> Result<Named, CatalogueError> {
    const PART: &str =
        "x1, x2 or x4, with trans or without, or one of the shapes m8n16, m16n16 and m16n8 before it";
    const WIDTH: &str = "the width of an element that the form can move";
    let forms = forms();
    let mut name = first.to_owned();
    let mut width = None;
    while let Some(word) = words.dotted() {
        let longer = format!("{name}.{}", word.text);
        let leads = |(known, _): &(String, MatrixMove)| {
            known
                .strip_prefix(&longer)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        if forms.iter().any(leads) {
            name = longer;
            continue;
        }
        let Some((_, form)) = forms.iter().find(|(known, _)| *known == name) else {
            return Err(word.unknown(PART));
        };
        let of_width = |width: &ElementWidth| width.to_string() == word.text;
        width = Some(widths(*form).find(of_width).ok_or_else(|| word.unknown(WIDTH))?);
        break;
    }
    let form = forms.into_iter().find(|(known, _)| *known == name);
    let (_, form) = form.ok_or_else(|| words.expected(PART))?;
    let width = width.or_else(|| widths(form).next());
    let layout = width.and_then(|width| form.fragment(width));
    let layout = layout.ok_or_else(|| words.expected(WIDTH))?;
    Ok(Named {
        layout: layout.map_err(|error| words.impossible(error))?,
        width,
    })
}
