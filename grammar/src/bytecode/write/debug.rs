//! Writes the debug section.

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{Entity, Origin};
use tilewright_irs::cuda_tile::{DebugAttr, DebugId, DebugInfo, Version};

use super::super::container::debug_tag;
use super::super::sink::Sink;
use super::pools::{Pools, Written};

/// The rows of functions with debug information, and the attributes that they refer to.
pub(super) struct DebugWriter<'a> {
    info: &'a DebugInfo,
    /// The encoding of each attribute.
    numbers: Vec<Number>,
    starts: Vec<u32>,
    indices: Vec<u64>,
}

/// The encoding of an attribute reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Number {
    /// One more than its index in the file's table, or 0 for an unknown location.
    Known(u64),
    /// None: bytecode has no such location.
    Missing(&'static str),
}

fn unsupported(what: &str) -> String {
    format!(
        "unsupported location, got {what}, expected DILocAttr or CallSiteLoc: bytecode holds one place in a function, or \
         one for each call that led there"
    )
}

/// The encodings of all attributes. Those that bytecode does not have are not in its table; a location outside of
/// functions is encoded as unknown.
fn numbers(info: &DebugInfo) -> Vec<Number> {
    let mut numbers: Vec<Number> = Vec::with_capacity(info.attrs.len());
    let mut next = 0;
    for attr in &info.attrs {
        // The parts of a call site precede it, or come from a file, which has no missing ones.
        let missing = |id: &Option<DebugId>| match id.and_then(|id| numbers.get(id.index())) {
            Some(Number::Missing(what)) => Some(*what),
            Some(Number::Known(_)) | None => None,
        };
        let number = match attr {
            DebugAttr::Place { .. } => Number::Known(0),
            DebugAttr::Name { .. } => Number::Missing("NameLoc"),
            DebugAttr::Fused { .. } => Number::Missing("FusedLoc"),
            DebugAttr::CallSite { callee, caller } => match missing(callee).or_else(|| missing(caller)) {
                Some(what) => Number::Missing(what),
                None => {
                    next += 1;
                    Number::Known(next)
                }
            },
            DebugAttr::Unknown
            | DebugAttr::CompileUnit { .. }
            | DebugAttr::File { .. }
            | DebugAttr::LexicalBlock { .. }
            | DebugAttr::Loc { .. }
            | DebugAttr::Subprogram { .. } => {
                next += 1;
                Number::Known(next)
            }
        };
        numbers.push(number);
    }
    numbers
}

impl<'a> DebugWriter<'a> {
    pub(super) fn new(info: &'a DebugInfo) -> Self {
        Self {
            info,
            numbers: numbers(info),
            starts: Vec::new(),
            indices: Vec::new(),
        }
    }

    /// The number of an attribute; 0 for an unknown location.
    fn number(&self, id: Option<DebugId>) -> Result<u64, &'static str> {
        match id.and_then(|id| self.numbers.get(id.index())) {
            Some(Number::Known(number)) => Ok(*number),
            Some(Number::Missing(what)) => Err(what),
            None => Ok(0),
        }
    }

    /// Adds a row for the module's `func`-th function, with an entry for each of its ops as written. Returns the
    /// number of the row, or 0 if the function has no locations.
    ///
    /// # Errors
    /// The ops, or the function, with locations of a kind that bytecode does not have.
    pub(super) fn row(&mut self, func: usize, origins: &[Origin]) -> Result<u64, Vec<Diagnostic<Origin>>> {
        // Unknown locations need no row.
        let nowhere = |number: &Number| *number == Number::Known(0);
        let known = self
            .info
            .funcs
            .get(func)
            .filter(|_| !self.numbers.iter().all(nowhere));
        if known.is_none_or(|known| known.func.is_none() && known.ops.is_empty()) {
            return Ok(0);
        }
        self.starts
            .push(u32::try_from(self.indices.len()).unwrap_or(u32::MAX));
        let mut problems = Vec::new();
        for &origin in [Origin::FUNCTION].iter().chain(origins) {
            match self.number(self.info.id(func, origin)) {
                Ok(number) => self.indices.push(number),
                Err(what) => {
                    problems
                        .push(Diagnostic::error(Code::MalformedDebugInfo, unsupported(what)).at(origin, ""));
                }
            }
        }
        if problems.is_empty() {
            Ok(self.starts.len() as u64)
        } else {
            Err(problems)
        }
    }

    /// Adds a row for an external function. Returns the number of the row, or 0 if the function has no location.
    ///
    /// # Errors
    /// A location of a kind that bytecode does not have.
    pub(super) fn external(&mut self, index: usize) -> Written<u64> {
        let Some(place) = self.info.externals.get(index).copied().flatten() else {
            return Ok(0);
        };
        match self.number(Some(place)) {
            Ok(0) => Ok(0),
            Ok(number) => {
                self.starts
                    .push(u32::try_from(self.indices.len()).unwrap_or(u32::MAX));
                self.indices.push(number);
                Ok(self.starts.len() as u64)
            }
            Err(what) => Err((Code::MalformedDebugInfo, unsupported(what))),
        }
    }

    /// The section, and whether it is not empty.
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
        let attrs = self.info.attrs.iter().zip(&self.numbers);
        let written = attrs.filter(|(_, number)| !matches!(number, Number::Known(0) | Number::Missing(_)));
        let mut items: Vec<Vec<u8>> = written.map(|(attr, _)| self.item(attr, pools)).collect();
        let any = !self.starts.is_empty() || !items.is_empty();
        if items.is_empty() {
            // The table must not be empty.
            items.push(self.item(&DebugAttr::Unknown, pools));
        }
        sink.table(items.iter().map(Vec::as_slice), 4);
        (any, sink)
    }

    fn item(&self, attr: &DebugAttr, pools: &mut Pools) -> Vec<u8> {
        let mut sink = Sink::default();
        let mut numbers = |tag: u64, list: &[u64]| {
            sink.varint(tag);
            list.iter().for_each(|&n| sink.varint(n));
        };
        // The parts of a written attribute have numbers.
        let place = |id: &Option<DebugId>| self.number(*id).unwrap_or_default();
        let id = |id: &DebugId| place(&Some(*id));
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
            DebugAttr::CallSite { callee, caller } => {
                numbers(debug_tag::CALL_SITE, &[place(callee), place(caller)])
            }
            // Not written.
            DebugAttr::Place { .. } | DebugAttr::Name { .. } | DebugAttr::Fused { .. } => {}
        }
        sink.bytes
    }
}
