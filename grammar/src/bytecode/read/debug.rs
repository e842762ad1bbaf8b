//! The debug section.

use tilewright_diagnostics::Code;
use tilewright_irs::core::Entity;
use tilewright_irs::cuda_tile::{DebugAttr, DebugId, DebugInfo, FuncLocations, Version};

use super::super::container::debug_tag;
use super::attrs::Tables;
use super::cursor::{Cursor, Read, fault};
use super::tables::Table;

/// The debug section: attributes, and for each function a row of indices into them.
#[derive(Debug, Default)]
pub(super) struct Debug<'a> {
    /// The attributes, checked.
    pub(super) info: DebugInfo,
    starts: &'a [u8],
    indices: &'a [u8],
    /// Where the indices begin in the file.
    at: usize,
}

impl<'a> Debug<'a> {
    pub(super) fn read(mut cursor: Cursor<'a>, tables: &mut Tables<'a>) -> Read<Self> {
        let origin = cursor.at();
        let at = cursor.at();
        let rows = cursor.varint("the number of debug rows")?;
        cursor.align(4, origin, "padding")?;
        let starts = table_bytes(&mut cursor, rows, 4, at)?;
        let at = cursor.at();
        let count = cursor.varint("the number of debug indices")?;
        cursor.align(8, origin, "padding")?;
        let indices_at = cursor.at();
        let indices = table_bytes(&mut cursor, count, 8, at)?;
        let table = Table::read(&mut cursor, origin, 4, "the number of debug attributes")?;
        let mut attrs = Vec::with_capacity(table.len);
        for index in 0..table.len as u64 {
            let Some(mut item) = table.get(index, "debug attribute")? else {
                break;
            };
            attrs.push(attr(&mut item, tables, table.len)?);
        }
        check(&attrs, table.len, origin)?;
        Ok(Self {
            info: DebugInfo {
                attrs,
                funcs: Vec::new(),
            },
            starts,
            indices,
            at: indices_at,
        })
    }

    /// The row of a function, by its number in the function's entry: 0 for none, or one more than its index.
    pub(super) fn row(&self, number: u64, at: usize) -> Read<Option<Row<'a>>> {
        let Some(index) = number.checked_sub(1) else {
            return Ok(None);
        };
        let starts = self.starts.len() / 4;
        let start = |index: usize| -> Option<usize> {
            let bytes = self.starts.get(index.checked_mul(4)?..)?.first_chunk()?;
            usize::try_from(u32::from_le_bytes(*bytes)).ok()
        };
        let found = usize::try_from(index)
            .ok()
            .filter(|&index| index < starts)
            .and_then(|index| {
                let from = start(index)?.checked_mul(8)?;
                let to = start(index + 1)
                    .and_then(|next| next.checked_mul(8))
                    .filter(|&to| to >= from);
                let all = self.indices.get(from..)?;
                let row = to.and_then(|to| all.get(..to - from)).unwrap_or(all);
                Some(Row {
                    entries: row,
                    at: self.at + from,
                    attrs: self.info.attrs.len(),
                })
            });
        match found {
            Some(row) => Ok(Some(row)),
            None => fault(
                at,
                Code::MalformedDebugInfo,
                format!("debug row {number} out of bounds (size={starts})"),
            ),
        }
    }

    /// The places of a function with so many ops.
    pub(super) fn locations(&self, row: Option<Row<'a>>, name: &str, ops: usize) -> Read<FuncLocations> {
        let Some(row) = row else {
            return Ok(FuncLocations::default());
        };
        let func = row.get(0)?;
        let kernel = func.and_then(|id| self.info.attr(id));
        let scope = match kernel {
            Some(DebugAttr::Loc { scope, .. }) => self.subprogram(*scope),
            Some(DebugAttr::CallSite { .. }) => {
                return fault(
                    row.at,
                    Code::MalformedDebugInfo,
                    format!("the place of `@{name}` is a call"),
                );
            }
            _ => None,
        };
        if let Some(DebugAttr::Subprogram { linkage_name, .. }) = scope.and_then(|id| self.info.attr(id))
            && linkage_name != name
        {
            let message = format!("the place of `@{name}` is in a subprogram of the symbol `{linkage_name}`");
            return fault(row.at, Code::MalformedDebugInfo, message);
        }
        let mut list = Vec::with_capacity(ops.min(row.entries.len() / 8));
        for op in 1..=ops {
            let id = row.get(op)?;
            if let Some(DebugAttr::Loc { scope: own, .. }) = id.and_then(|id| self.info.attr(id)) {
                let own = self.subprogram(*own);
                if own != scope {
                    let message = format!("the place of op {} of `@{name}` is in another subprogram", op - 1);
                    return fault(row.at + 8 * op, Code::MalformedDebugInfo, message);
                }
            }
            list.push(id);
        }
        Ok(FuncLocations { func, ops: list })
    }

    /// The subprogram that a scope lies in.
    fn subprogram(&self, mut scope: DebugId) -> Option<DebugId> {
        for _ in 0..=self.info.attrs.len() {
            match self.info.attr(scope)? {
                DebugAttr::Subprogram { .. } => return Some(scope),
                DebugAttr::LexicalBlock { scope: outer, .. } => scope = *outer,
                DebugAttr::Unknown
                | DebugAttr::CompileUnit { .. }
                | DebugAttr::File { .. }
                | DebugAttr::Loc { .. }
                | DebugAttr::CallSite { .. } => return None,
            }
        }
        None
    }
}

/// The indices of one function: its own, then one for each op.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row<'a> {
    entries: &'a [u8],
    at: usize,
    attrs: usize,
}

impl Row<'_> {
    /// The debug attribute of entry `n`; none for the number 0.
    pub(super) fn get(&self, n: usize) -> Read<Option<DebugId>> {
        let at = self.at.saturating_add(n.saturating_mul(8));
        let bytes = n
            .checked_mul(8)
            .and_then(|from| self.entries.get(from..)?.first_chunk());
        let Some(bytes) = bytes else {
            let message = format!(
                "a debug row has {} entries, expected more",
                self.entries.len() / 8
            );
            return fault(at, Code::MalformedDebugInfo, message);
        };
        let number = u64::from_le_bytes(*bytes);
        let Some(index) = number.checked_sub(1) else {
            return Ok(None);
        };
        match usize::try_from(index).ok().filter(|&index| index < self.attrs) {
            Some(index) => Ok(Some(DebugId::new(index))),
            None => fault(
                at,
                Code::MalformedDebugInfo,
                format!("debug attribute {number} out of bounds (size={})", self.attrs),
            ),
        }
    }
}

fn table_bytes<'a>(cursor: &mut Cursor<'a>, count: u64, width: usize, at: usize) -> Read<&'a [u8]> {
    let bytes = usize::try_from(count)
        .ok()
        .and_then(|count| count.checked_mul(width));
    match bytes {
        Some(bytes) if bytes <= cursor.remaining() => cursor.bytes(bytes, "the debug section"),
        _ => fault(
            at,
            Code::BadSectionLength,
            format!(
                "the debug section has {count} entries, but only {} bytes are left",
                cursor.remaining()
            ),
        ),
    }
}

fn attr<'a>(item: &mut Cursor<'a>, tables: &mut Tables<'a>, len: usize) -> Read<DebugAttr> {
    let id = |item: &mut Cursor<'a>| {
        let at = item.at();
        let number = item.varint("a debug index")?;
        let index = number
            .checked_sub(1)
            .and_then(|index| usize::try_from(index).ok());
        match index.filter(|&index| index < len) {
            Some(index) => Ok(DebugId::new(index)),
            None => fault(
                at,
                Code::MalformedDebugInfo,
                format!("debug attribute {number} out of bounds (size={len})"),
            ),
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
            callee: id(item)?,
            caller: id(item)?,
        },
        _ => DebugAttr::Unknown,
    })
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

/// Attributes refer to others of the right kind, and none to itself.
fn check(attrs: &[DebugAttr], len: usize, at: usize) -> Read<()> {
    let kind = |id: DebugId| attrs.get(id.index());
    let is_scope = |id| {
        matches!(
            kind(id),
            Some(DebugAttr::Subprogram { .. } | DebugAttr::LexicalBlock { .. })
        )
    };
    let is_file = |id| matches!(kind(id), Some(DebugAttr::File { .. }));
    let is_place = |id| {
        matches!(
            kind(id),
            Some(DebugAttr::Loc { .. } | DebugAttr::CallSite { .. } | DebugAttr::Unknown)
        )
    };
    for (i, attr) in attrs.iter().enumerate() {
        let wrong = match attr {
            DebugAttr::Unknown | DebugAttr::File { .. } => None,
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
    if let Some(i) = cycle(attrs, len) {
        let message = format!("debug attribute {} contains itself", i + 1);
        return fault(at, Code::MalformedDebugInfo, message);
    }
    Ok(())
}

/// An attribute that leads back to itself, through scopes or calls.
fn cycle(attrs: &[DebugAttr], len: usize) -> Option<usize> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    let mut states = vec![State::New; len];
    let mut stack = Vec::new();
    for root in 0..len {
        stack.push(root);
        while let Some(&at) = stack.last() {
            let state = states.get_mut(at)?;
            if *state != State::New {
                *state = State::Done;
                stack.pop();
                continue;
            }
            *state = State::Open;
            let parts: [Option<DebugId>; 2] = match attrs.get(at)? {
                DebugAttr::LexicalBlock { scope, .. } => [Some(*scope), None],
                DebugAttr::CallSite { callee, caller } => [Some(*callee), Some(*caller)],
                DebugAttr::Unknown
                | DebugAttr::CompileUnit { .. }
                | DebugAttr::File { .. }
                | DebugAttr::Loc { .. }
                | DebugAttr::Subprogram { .. } => [None, None],
            };
            for part in parts.into_iter().flatten() {
                match states.get(part.index()) {
                    Some(State::New) => stack.push(part.index()),
                    Some(State::Open) => return Some(at),
                    Some(State::Done) | None => {}
                }
            }
        }
    }
    None
}
