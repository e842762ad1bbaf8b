//! The parts of debug attributes, `name = value`.

use tilewright_irs::cuda_tile::{DebugAttr, DebugId};

/// The description of a location's scope, for messages.
pub(super) const SCOPE: &str = "`#cuda_tile.di_subprogram` or `#cuda_tile.di_lexical_block`";

pub(super) fn is_file(attr: &DebugAttr) -> bool {
    matches!(attr, DebugAttr::File { .. })
}

pub(super) fn is_unit(attr: &DebugAttr) -> bool {
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
    /// The names that are present.
    pub(super) given: Vec<String>,
    pub(super) file: Option<DebugId>,
    pub(super) scope: Option<DebugId>,
    pub(super) unit: Option<DebugId>,
    pub(super) line: Option<u64>,
    pub(super) column: Option<u64>,
    pub(super) scope_line: Option<u64>,
    pub(super) name: Option<String>,
    pub(super) linkage_name: Option<String>,
    pub(super) declaration: bool,
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
