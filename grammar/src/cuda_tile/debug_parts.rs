//! The parts of debug attributes, `name = value`.

use tilewright_irs::cuda_tile::{DebugAttr, DebugId};

use super::cursor::{Cursor, Parse};
use super::locations::Locations;
use super::types::integer;
use super::values::string;

/// What the scope of a place is.
pub(super) const SCOPE: &str = "`#cuda_tile.di_subprogram` or `#cuda_tile.di_lexical_block`";

fn is_file(attr: &DebugAttr) -> bool {
    matches!(attr, DebugAttr::File { .. })
}

fn is_unit(attr: &DebugAttr) -> bool {
    matches!(attr, DebugAttr::CompileUnit { .. })
}

pub(super) fn is_scope(attr: &DebugAttr) -> bool {
    matches!(
        attr,
        DebugAttr::Subprogram { .. } | DebugAttr::LexicalBlock { .. }
    )
}

pub(super) fn is_place(attr: &DebugAttr) -> bool {
    !is_file(attr) && !is_unit(attr) && !is_scope(attr)
}

/// The named parts of a debug attribute.
#[derive(Default)]
pub(super) struct Parts {
    /// The names that are there.
    pub(super) given: Vec<String>,
    file: Option<DebugId>,
    scope: Option<DebugId>,
    unit: Option<DebugId>,
    line: Option<u64>,
    column: Option<u64>,
    scope_line: Option<u64>,
    name: Option<String>,
    linkage_name: Option<String>,
    declaration: bool,
}

impl Parts {
    pub(super) fn compile_unit(self) -> Option<DebugAttr> {
        Some(DebugAttr::CompileUnit { file: self.file? })
    }

    pub(super) fn subprogram(self) -> Option<DebugAttr> {
        Some(DebugAttr::Subprogram {
            file: self.file?,
            line: self.line?,
            name: self.name?,
            linkage_name: self.linkage_name?,
            compile_unit: self.unit?,
            scope_line: self.scope_line.unwrap_or(0),
            declaration: self.declaration,
        })
    }

    pub(super) fn block(self) -> Option<DebugAttr> {
        Some(DebugAttr::LexicalBlock {
            scope: self.scope?,
            file: self.file?,
            line: self.line?,
            column: self.column.unwrap_or(0),
        })
    }
}

impl<'t, 'input> Locations<'t, 'input> {
    /// `name = value` up to the closing bracket.
    pub(super) fn parts(&mut self, cursor: &mut Cursor<'t, 'input>, depth: usize) -> Parse<Parts> {
        let mut parts = Parts::default();
        cursor.list(">", |cursor| {
            if !cursor.peek().starts_with(|c: char| c.is_ascii_alphabetic()) {
                return cursor.wrong("the name of a parameter");
            }
            let name = cursor.take();
            parts.given.push(name.to_owned());
            cursor.expect("=")?;
            match name {
                "file" => parts.file = Some(self.part(cursor, depth + 1, is_file, "`#cuda_tile.di_file`")?),
                "scope" => parts.scope = Some(self.part(cursor, depth + 1, is_scope, SCOPE)?),
                "compileUnit" => {
                    let what = "`#cuda_tile.di_compile_unit`";
                    parts.unit = Some(self.part(cursor, depth + 1, is_unit, what)?);
                }
                "line" => parts.line = Some(integer(cursor)?),
                "column" => parts.column = Some(integer(cursor)?),
                "scopeLine" => parts.scope_line = Some(integer(cursor)?),
                "name" => parts.name = Some(string(cursor)?),
                "linkageName" => parts.linkage_name = Some(string(cursor)?),
                "flags" => {
                    cursor.expect("declaration")?;
                    parts.declaration = true;
                }
                _ => return cursor.wrong("a parameter that this attribute has"),
            }
            Ok(())
        })?;
        Ok(parts)
    }
}
