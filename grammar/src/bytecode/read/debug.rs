//! Reads the debug section.

use tilewright_diagnostics::{Code, counted};
use tilewright_irs::core::Entity;
use tilewright_irs::cuda_tile::{DebugAttr, DebugId, DebugInfo, FuncLocations};

use super::attrs::Tables;
use super::cursor::{Cursor, Read, fault};
use super::debug_attrs::{MAX_DEPTH, check, debug_attrs};
use super::tables::Table;

/// The debug section: attributes, and for each function a row of indices into them.
#[derive(Debug, Default)]
pub(super) struct Debug<'a> {
    /// The attributes, verified.
    pub(super) info: DebugInfo,
    starts: &'a [u8],
    indices: &'a [u8],
    /// The offset of the indices in the file.
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
        let mut items = Vec::with_capacity(table.len);
        for index in 0..table.len as u64 {
            items.extend(table.get(index, "debug attribute")?);
        }
        let attrs = debug_attrs(&items, tables)?;
        check(&attrs, origin)?;
        Ok(Self {
            info: DebugInfo {
                attrs,
                ..DebugInfo::default()
            },
            starts,
            indices,
            at: indices_at,
        })
    }

    /// The row of a function, by the number in the function's entry: 0 for none, or one more than its index.
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

    /// The locations of a function with this number of ops.
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

    /// The subprogram of a scope.
    fn subprogram(&self, mut scope: DebugId) -> Option<DebugId> {
        for _ in 0..=MAX_DEPTH {
            match self.info.attr(scope)? {
                DebugAttr::Subprogram { .. } => return Some(scope),
                DebugAttr::LexicalBlock { scope: outer, .. } => scope = *outer,
                DebugAttr::Unknown
                | DebugAttr::CompileUnit { .. }
                | DebugAttr::File { .. }
                | DebugAttr::Loc { .. }
                | DebugAttr::CallSite { .. }
                | DebugAttr::Place { .. }
                | DebugAttr::Name { .. }
                | DebugAttr::Fused { .. } => return None,
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
    /// The debug attribute of entry `n`; `None` for the number 0.
    pub(super) fn get(&self, n: usize) -> Read<Option<DebugId>> {
        let at = self.at.saturating_add(n.saturating_mul(8));
        let bytes = n
            .checked_mul(8)
            .and_then(|from| self.entries.get(from..)?.first_chunk());
        let Some(bytes) = bytes else {
            let message = format!(
                "a debug row has {}, expected more",
                counted(self.entries.len() / 8, "entry")
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
                "the debug section has {}, with only {} left",
                counted(count, "entry"),
                counted(cursor.remaining(), "byte")
            ),
        ),
    }
}
