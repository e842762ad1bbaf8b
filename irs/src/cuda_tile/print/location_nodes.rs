//! The location aliases of a text: each location and debug attribute once, with the indices of its parts.

use rustc_hash::FxHashMap;

use crate::core::Entity;
use crate::cuda_tile::attrs::Attr;
use crate::cuda_tile::debug::{DebugAttr, DebugId, DebugInfo};

/// Nesting limit of debug attributes; deeper or recursive ones are printed as unknown locations.
const MAX_DEPTH: usize = 256;

/// The target of an alias, with the indices of its parts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Node<'a> {
    Unknown,
    File {
        name: &'a str,
        directory: &'a str,
    },
    Place {
        file: &'a str,
        line: u64,
        column: u64,
        end: Option<(u64, u64)>,
    },
    Unit {
        file: usize,
    },
    Subprogram {
        file: usize,
        line: u64,
        name: &'a str,
        linkage_name: &'a str,
        unit: usize,
        scope_line: u64,
        declaration: bool,
    },
    Block {
        scope: usize,
        file: usize,
        line: u64,
        column: u64,
    },
    Scoped {
        place: usize,
        scope: usize,
    },
    Call {
        callee: usize,
        caller: usize,
    },
    Name {
        name: &'a str,
        place: Option<usize>,
    },
    Fused {
        metadata: Option<&'a Attr>,
        places: Vec<usize>,
    },
}

impl Node<'_> {
    /// The indices of its parts.
    pub(super) fn parts(&self, visit: &mut dyn FnMut(usize)) {
        match self {
            Self::Unknown | Self::File { .. } | Self::Place { .. } => {}
            Self::Unit { file } => visit(*file),
            Self::Subprogram { file, unit, .. } => [file, unit].into_iter().copied().for_each(visit),
            Self::Block { scope, file, .. } => [scope, file].into_iter().copied().for_each(visit),
            Self::Scoped { place, scope } => [place, scope].into_iter().copied().for_each(visit),
            Self::Call { callee, caller } => [callee, caller].into_iter().copied().for_each(visit),
            Self::Name { place, .. } => place.iter().copied().for_each(visit),
            Self::Fused { places, .. } => places.iter().copied().for_each(visit),
        }
    }

    /// The prefix of the alias's name.
    pub(super) fn base(&self) -> &'static str {
        match self {
            Self::File { .. } => "di_file",
            Self::Unit { .. } => "di_compile_unit",
            Self::Subprogram { .. } => "di_subprogram",
            Self::Block { .. } => "di_lexical_block",
            Self::Unknown
            | Self::Place { .. }
            | Self::Scoped { .. }
            | Self::Call { .. }
            | Self::Name { .. }
            | Self::Fused { .. } => "loc",
        }
    }
}

/// Collects the nodes of a text, in textual order.
pub(super) struct Collector<'a> {
    debug: &'a DebugInfo,
    /// Parts before the nodes that contain them.
    pub(super) nodes: Vec<Node<'a>>,
    numbers: FxHashMap<Node<'a>, usize>,
    /// The node of each attribute that has been visited.
    done: Vec<Option<usize>>,
}

impl<'a> Collector<'a> {
    pub(super) fn new(debug: &'a DebugInfo) -> Self {
        Self {
            debug,
            nodes: Vec::new(),
            numbers: FxHashMap::default(),
            done: vec![None; debug.attrs.len()],
        }
    }

    /// The index of the unknown location, if there is one.
    pub(super) fn unknown(&self) -> Option<usize> {
        self.numbers.get(&Node::Unknown).copied()
    }

    /// The index of a node, which is added unless present.
    pub(super) fn node(&mut self, node: Node<'a>) -> usize {
        if let Some(&number) = self.numbers.get(&node) {
            return number;
        }
        let number = self.nodes.len();
        self.nodes.push(node.clone());
        self.numbers.insert(node, number);
        number
    }

    /// The index of a location, or of the unknown one.
    pub(super) fn location(&mut self, id: Option<DebugId>) -> usize {
        match id.and_then(|id| self.attr(id, 0)) {
            Some(number) if self.nodes.get(number).is_some_and(|node| node.base() == "loc") => number,
            _ => self.node(Node::Unknown),
        }
    }

    fn attr(&mut self, id: DebugId, depth: usize) -> Option<usize> {
        if let Some(known) = self.done.get(id.index()).copied().flatten() {
            return Some(known);
        }
        if depth > MAX_DEPTH {
            return None;
        }
        let debug = self.debug;
        let mut part = |id: &DebugId| self.attr(*id, depth + 1);
        // A part of a location may be unknown.
        let place = |this: &mut Self, id: &Option<DebugId>| match id {
            Some(id) => this.attr(*id, depth + 1),
            None => Some(this.node(Node::Unknown)),
        };
        let node = match debug.attr(id)? {
            DebugAttr::Unknown => Node::Unknown,
            DebugAttr::CompileUnit { file } => Node::Unit { file: part(file)? },
            DebugAttr::File { name, directory } => Node::File { name, directory },
            DebugAttr::LexicalBlock {
                scope,
                file,
                line,
                column,
            } => Node::Block {
                scope: part(scope)?,
                file: part(file)?,
                line: *line,
                column: *column,
            },
            DebugAttr::Loc {
                scope,
                file,
                line,
                column,
            } => {
                // MLIR does not allow empty file names.
                let file = if file.is_empty() { "-" } else { file };
                let place = self.node(Node::Place {
                    file,
                    line: *line,
                    column: *column,
                    end: None,
                });
                let scope = self.attr(*scope, depth + 1)?;
                Node::Scoped { place, scope }
            }
            DebugAttr::Subprogram {
                file,
                line,
                name,
                linkage_name,
                compile_unit,
                scope_line,
                declaration,
            } => Node::Subprogram {
                file: part(file)?,
                line: *line,
                name,
                linkage_name,
                unit: part(compile_unit)?,
                scope_line: *scope_line,
                declaration: *declaration,
            },
            DebugAttr::CallSite { callee, caller } => Node::Call {
                callee: place(self, callee)?,
                caller: place(self, caller)?,
            },
            DebugAttr::Place {
                file,
                line,
                column,
                end,
            } => Node::Place {
                file,
                line: *line,
                column: *column,
                end: *end,
            },
            DebugAttr::Name { name, place: named } => Node::Name {
                name,
                place: match named {
                    Some(id) => Some(part(id)?),
                    None => None,
                },
            },
            DebugAttr::Fused { metadata, places } => {
                let places: Option<Vec<usize>> = places.iter().map(|id| place(self, id)).collect();
                Node::Fused {
                    metadata: metadata.as_ref(),
                    places: places?,
                }
            }
        };
        let number = self.node(node);
        if let Some(known) = self.done.get_mut(id.index()) {
            *known = Some(number);
        }
        Some(number)
    }
}
