//! Reads and verifies the attributes of the debug section.

use tilewright_diagnostics::Code;
use tilewright_irs::core::{Entity, in_pieces};
use tilewright_irs::cuda_tile::{DebugAttr, DebugId, Version};

use super::super::container::debug_tag;
use super::attrs::Tables;
use super::cursor::{Cursor, Read, fault};

/// Nesting limit of attributes: blocks in blocks, calls in calls.
pub(super) const MAX_DEPTH: usize = 256;

/// All attributes of a file, at these positions.
pub(super) fn debug_attrs<'a>(items: &[Cursor<'a>], tables: &mut Tables<'a>) -> Read<Vec<DebugAttr>> {
    match side_by_side(items, tables) {
        Some(attrs) => Ok(attrs),
        None => attrs(items, tables, items.len()),
    }
}

/// Reads all attributes in parallel; `None` if one of them has an error, or if a piece exceeds its share of the
/// memory budget.
fn side_by_side<'a>(items: &[Cursor<'a>], tables: &Tables<'a>) -> Option<Vec<DebugAttr>> {
    // An attribute is about as much work as an op.
    let pieces = in_pieces(items, items.len(), |_, piece| {
        let mut tables = tables.for_piece(piece.len(), items.len());
        attrs(piece, &mut tables, items.len()).ok()
    });
    let mut pieces = pieces.into_iter().collect::<Option<Vec<_>>>()?;
    match pieces.as_mut_slice() {
        [only] => Some(std::mem::take(only)),
        _ => Some(pieces.into_iter().flatten().collect()),
    }
}

/// A piece of the attributes, of this total number.
fn attrs<'a>(items: &[Cursor<'a>], tables: &mut Tables<'a>, len: usize) -> Read<Vec<DebugAttr>> {
    let mut attrs = Vec::with_capacity(items.len());
    for item in items {
        attrs.push(attr(&mut { *item }, tables, len)?);
    }
    Ok(attrs)
}

fn attr<'a>(item: &mut Cursor<'a>, tables: &mut Tables<'a>, len: usize) -> Read<DebugAttr> {
    // The number 0 is an unknown location.
    let place = |item: &mut Cursor<'a>| {
        let at = item.at();
        let number = item.varint("a debug index")?;
        let Some(index) = number.checked_sub(1) else {
            return Ok(None);
        };
        match usize::try_from(index).ok().filter(|&index| index < len) {
            Some(index) => Ok(Some(DebugId::new(index))),
            None => out_of_bounds(at, number, len),
        }
    };
    let id = |item: &mut Cursor<'a>| {
        let at = item.at();
        match place(item)? {
            Some(id) => Ok(id),
            None => out_of_bounds(at, 0, len),
        }
    };
    Ok(match item.varint("a debug attribute's tag")? {
        debug_tag::COMPILE_UNIT => DebugAttr::CompileUnit { file: id(item)? },
        debug_tag::FILE => DebugAttr::File {
            name: tables.string(item)?,
            directory: tables.string(item)?,
        },
        debug_tag::LEXICAL_BLOCK => DebugAttr::LexicalBlock {
            scope: id(item)?,
            file: id(item)?,
            line: item.varint("a line")?,
            column: item.varint("a column")?,
        },
        debug_tag::LOC => DebugAttr::Loc {
            scope: id(item)?,
            file: tables.shared(item)?,
            line: item.varint("a line")?,
            column: item.varint("a column")?,
        },
        debug_tag::SUBPROGRAM => DebugAttr::Subprogram {
            file: id(item)?,
            line: item.varint("a line")?,
            name: tables.string(item)?,
            linkage_name: tables.string(item)?,
            compile_unit: id(item)?,
            scope_line: item.varint("a line")?,
            declaration: tables.version >= Version::V13_5 && declaration(item)?,
        },
        debug_tag::CALL_SITE => DebugAttr::CallSite {
            callee: place(item)?,
            caller: place(item)?,
        },
        _ => DebugAttr::Unknown,
    })
}

fn out_of_bounds<T>(at: usize, number: u64, len: usize) -> Read<T> {
    let message = format!("debug attribute {number} out of bounds (size={len})");
    fault(at, Code::MalformedDebugInfo, message)
}

fn declaration(item: &mut Cursor<'_>) -> Read<bool> {
    let at = item.at();
    match item.varint("a subprogram's flags")? {
        0 => Ok(false),
        1 => Ok(true),
        other => fault(
            at,
            Code::UnknownFlags,
            format!("a subprogram has the flags {other:#x}, expected 0 or 1"),
        ),
    }
}

/// Checks that attributes refer to others of the right kind, and not to themselves.
pub(super) fn check(attrs: &[DebugAttr], at: usize) -> Read<()> {
    let kind = |id: DebugId| attrs.get(id.index());
    let is_scope = |id| {
        matches!(
            kind(id),
            Some(DebugAttr::Subprogram { .. } | DebugAttr::LexicalBlock { .. })
        )
    };
    let is_file = |id| matches!(kind(id), Some(DebugAttr::File { .. }));
    let is_place = |id: Option<DebugId>| {
        id.is_none_or(|id| {
            matches!(
                kind(id),
                Some(DebugAttr::Loc { .. } | DebugAttr::CallSite { .. } | DebugAttr::Unknown)
            )
        })
    };
    for (i, attr) in attrs.iter().enumerate() {
        let wrong = match attr {
            DebugAttr::Unknown
            | DebugAttr::File { .. }
            | DebugAttr::Place { .. }
            | DebugAttr::Name { .. }
            | DebugAttr::Fused { .. } => None,
            DebugAttr::CompileUnit { file } => (!is_file(*file)).then_some("file"),
            DebugAttr::LexicalBlock { scope, file, .. } => {
                let file = (!is_file(*file)).then_some("file");
                file.or((!is_scope(*scope)).then_some("scope"))
            }
            DebugAttr::Loc { scope, .. } => (!is_scope(*scope)).then_some("scope"),
            DebugAttr::Subprogram {
                file, compile_unit, ..
            } => {
                let unit = matches!(kind(*compile_unit), Some(DebugAttr::CompileUnit { .. }));
                (!is_file(*file))
                    .then_some("file")
                    .or((!unit).then_some("compile unit"))
            }
            DebugAttr::CallSite { callee, caller } => {
                let callee = (!is_place(*callee)).then_some("callee");
                callee.or((!is_place(*caller)).then_some("caller"))
            }
        };
        if let Some(part) = wrong {
            let message = format!("the {part} of debug attribute {} is of another kind", i + 1);
            return fault(at, Code::MalformedDebugInfo, message);
        }
    }
    nesting(attrs, at)
}

/// Checks that attributes are acyclic through scopes and calls, and not nested too deeply.
fn nesting(attrs: &[DebugAttr], at: usize) -> Read<()> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done(usize),
    }
    let bad = |index: usize, what: &str| {
        let message = format!("debug attribute {} {what}", index + 1);
        fault(at, Code::MalformedDebugInfo, message)
    };
    let mut states = vec![State::New; attrs.len()];
    let mut stack = Vec::new();
    for root in 0..attrs.len() {
        stack.push(root);
        while let Some(&index) = stack.last() {
            let parts = attrs.get(index).map_or([None, None], parts);
            let known = |part: DebugId| states.get(part.index()).copied();
            let state = known(DebugId::new(index));
            let next = match state {
                Some(State::New) => State::Open,
                Some(State::Open) => {
                    let depth = parts.into_iter().flatten().filter_map(|part| match known(part) {
                        Some(State::Done(depth)) => Some(depth + 1),
                        Some(State::New | State::Open) | None => None,
                    });
                    let depth = depth.max().unwrap_or(0);
                    if depth > MAX_DEPTH {
                        return bad(index, &format!("is nested deeper than {MAX_DEPTH}"));
                    }
                    State::Done(depth)
                }
                Some(done @ State::Done(_)) => done,
                None => State::Done(0),
            };
            if let Some(state) = states.get_mut(index) {
                *state = next;
            }
            if next != State::Open {
                stack.pop();
                continue;
            }
            for part in parts.into_iter().flatten() {
                match states.get(part.index()) {
                    Some(State::New) => stack.push(part.index()),
                    Some(State::Open) => return bad(index, "contains itself"),
                    Some(State::Done(_)) | None => {}
                }
            }
        }
    }
    Ok(())
}

/// The parts of an attribute that may be nested.
fn parts(attr: &DebugAttr) -> [Option<DebugId>; 2] {
    match attr {
        DebugAttr::LexicalBlock { scope, .. } => [Some(*scope), None],
        DebugAttr::CallSite { callee, caller } => [*callee, *caller],
        DebugAttr::Unknown
        | DebugAttr::Place { .. }
        | DebugAttr::Name { .. }
        | DebugAttr::Fused { .. }
        | DebugAttr::CompileUnit { .. }
        | DebugAttr::File { .. }
        | DebugAttr::Loc { .. }
        | DebugAttr::Subprogram { .. } => [None, None],
    }
}
