//! The debug section.

use tilewright_irs::core::{Entity, Origin};
use tilewright_irs::cuda_tile::{DebugAttr, DebugId, DebugInfo, Version};

use super::super::container::debug_tag;
use super::pools::Pools;
use super::sink::Sink;

/// The rows of functions with debug information, and the attributes that they name.
pub(super) struct DebugWriter<'a> {
    info: &'a DebugInfo,
    starts: Vec<u32>,
    indices: Vec<u64>,
}

/// What stands for an attribute in the file: one more than its index, or 0 for none.
fn number(id: Option<DebugId>) -> u64 {
    id.map_or(0, |id| id.index() as u64 + 1)
}

impl<'a> DebugWriter<'a> {
    pub(super) fn new(info: &'a DebugInfo) -> Self {
        Self {
            info,
            starts: Vec::new(),
            indices: Vec::new(),
        }
    }

    /// Adds a row for the module's `func`-th function, with an entry for each of its ops as written. The number of
    /// the row, or 0 when nothing is known of the function.
    pub(super) fn row(&mut self, func: usize, origins: &[Origin]) -> u64 {
        let known = self.info.funcs.get(func);
        if known.is_none_or(|known| known.func.is_none() && known.ops.is_empty()) {
            return 0;
        }
        self.starts
            .push(u32::try_from(self.indices.len()).unwrap_or(u32::MAX));
        self.indices.push(number(self.info.id(func, Origin::FUNCTION)));
        let rows = origins.iter().map(|&origin| number(self.info.id(func, origin)));
        self.indices.extend(rows);
        self.starts.len() as u64
    }

    /// The section, and whether it says anything.
    pub(super) fn finish(self, pools: &mut Pools) -> (bool, Sink) {
        let mut sink = Sink::default();
        sink.len(self.starts.len());
        sink.align(4);
        self.starts
            .iter()
            .for_each(|start| sink.extend(&start.to_le_bytes()));
        sink.len(self.indices.len());
        sink.align(8);
        self.indices
            .iter()
            .for_each(|index| sink.extend(&index.to_le_bytes()));
        let mut items: Vec<Vec<u8>> = self.info.attrs.iter().map(|attr| item(attr, pools)).collect();
        if items.is_empty() {
            // The table must not be empty.
            items.push(item(&DebugAttr::Unknown, pools));
        }
        sink.table(items.iter().map(Vec::as_slice), 4);
        (!self.starts.is_empty() || !self.info.attrs.is_empty(), sink)
    }
}

fn item(attr: &DebugAttr, pools: &mut Pools) -> Vec<u8> {
    let mut sink = Sink::default();
    let mut numbers = |tag: u64, list: &[u64]| {
        sink.varint(tag);
        list.iter().for_each(|&n| sink.varint(n));
    };
    let id = |id: &DebugId| number(Some(*id));
    match attr {
        DebugAttr::Unknown => numbers(debug_tag::UNKNOWN, &[]),
        DebugAttr::CompileUnit { file } => numbers(debug_tag::COMPILE_UNIT, &[id(file)]),
        DebugAttr::File { name, directory } => {
            numbers(debug_tag::FILE, &[pools.string(name), pools.string(directory)]);
        }
        DebugAttr::LexicalBlock {
            scope,
            file,
            line,
            column,
        } => numbers(debug_tag::LEXICAL_BLOCK, &[id(scope), id(file), *line, *column]),
        DebugAttr::Loc {
            scope,
            file,
            line,
            column,
        } => numbers(debug_tag::LOC, &[id(scope), pools.string(file), *line, *column]),
        DebugAttr::Subprogram {
            file,
            line,
            name,
            linkage_name,
            compile_unit,
            scope_line,
            declaration,
        } => {
            let (name, linkage) = (pools.string(name), pools.string(linkage_name));
            let list = [id(file), *line, name, linkage, id(compile_unit), *scope_line];
            numbers(debug_tag::SUBPROGRAM, &list);
            if pools.version >= Version::V13_5 {
                sink.varint(u64::from(*declaration));
            }
        }
        DebugAttr::CallSite { callee, caller } => numbers(debug_tag::CALL_SITE, &[id(callee), id(caller)]),
    }
    sink.bytes
}
