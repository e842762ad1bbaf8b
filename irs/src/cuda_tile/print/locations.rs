//! The locations of a module's ops as aliases: what is equal has one name, parts stand before what they are part of.

use std::fmt::Write;

use rustc_hash::FxHashMap;

use super::op::{implicit_terminator, is_implicit};
use super::write_string;
use crate::core::{Body, Operation, Origin, Region};
use crate::cuda_tile::debug::{DebugAttr, DebugId, DebugInfo};
use crate::cuda_tile::module::{CudaTile, TileModule};

/// Debug attributes are nested no deeper than this; what is deeper, or part of itself, is an unknown place.
const MAX_DEPTH: usize = 256;

/// Something that gets an alias, by the numbers of its parts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Node {
    Unknown,
    File {
        name: String,
        directory: String,
    },
    Place {
        file: String,
        line: u64,
        column: u64,
    },
    Unit {
        file: usize,
    },
    Subprogram {
        file: usize,
        line: u64,
        name: String,
        linkage_name: String,
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
}

impl Node {
    fn parts(&self) -> Vec<usize> {
        match self {
            Self::Unknown | Self::File { .. } | Self::Place { .. } => Vec::new(),
            Self::Unit { file } => vec![*file],
            Self::Subprogram { file, unit, .. } => vec![*file, *unit],
            Self::Block { scope, file, .. } => vec![*scope, *file],
            Self::Scoped { place, scope } => vec![*place, *scope],
            Self::Call { callee, caller } => vec![*callee, *caller],
        }
    }

    /// What the alias's name begins with.
    fn base(&self) -> &'static str {
        match self {
            Self::File { .. } => "di_file",
            Self::Unit { .. } => "di_compile_unit",
            Self::Subprogram { .. } => "di_subprogram",
            Self::Block { .. } => "di_lexical_block",
            Self::Unknown | Self::Place { .. } | Self::Scoped { .. } | Self::Call { .. } => "loc",
        }
    }
}

/// The locations of a module.
#[derive(Debug)]
pub(super) struct Locations {
    /// What has an alias, parts before wholes.
    nodes: Vec<Node>,
    /// The alias of each node, without its `#`.
    names: Vec<String>,
    /// The nodes in the order of the text.
    order: Vec<usize>,
    /// The node of each function, and of each op by origin.
    places: Vec<(usize, FxHashMap<Origin, usize>)>,
    /// The node of an unknown place, if anything stands there.
    unknown: Option<usize>,
}

struct Collector<'a> {
    debug: &'a DebugInfo,
    nodes: Vec<Node>,
    numbers: FxHashMap<Node, usize>,
    done: FxHashMap<DebugId, usize>,
}

impl Locations {
    /// Collects the locations of everything that the text shows, in its order.
    pub(super) fn new(module: &TileModule, debug: &DebugInfo) -> Self {
        let mut collector = Collector {
            debug,
            nodes: Vec::new(),
            numbers: FxHashMap::default(),
            done: FxHashMap::default(),
        };
        if !module.globals.is_empty() {
            collector.node(Node::Unknown);
        }
        let mut places = Vec::new();
        for (index, func) in module.funcs.iter().enumerate() {
            let own = collector.location(debug.id(index, Origin::FUNCTION));
            let mut ops = FxHashMap::default();
            let mut shown = Vec::new();
            walk(&func.body, func.body.root(), "", &mut shown);
            for origin in shown {
                let node = collector.location(debug.id(index, origin));
                ops.insert(origin, node);
            }
            places.push((own, ops));
        }
        let Collector { nodes, numbers, .. } = collector;
        let unknown = numbers.get(&Node::Unknown).copied();
        let (names, order) = name(&nodes);
        Self {
            nodes,
            names,
            order,
            places,
            unknown,
        }
    }

    /// ` loc(#loc1)` for an op, or for the function itself.
    pub(super) fn place(&self, func: usize, origin: Origin, out: &mut String) {
        let node = self.places.get(func).and_then(|(own, ops)| {
            if origin == Origin::FUNCTION {
                Some(*own)
            } else {
                ops.get(&origin).copied()
            }
        });
        if let Some(name) = node.and_then(|node| self.names.get(node)) {
            let _ = write!(out, " loc(#{name})");
        }
    }

    /// The location of what has none.
    pub(super) fn unknown(&self, out: &mut String) {
        if let Some(name) = self.unknown.and_then(|node| self.names.get(node)) {
            let _ = write!(out, " loc(#{name})");
        }
    }

    /// The definitions of all aliases.
    pub(super) fn definitions(&self, out: &mut String) {
        for &number in &self.order {
            if let (Some(name), Some(node)) = (self.names.get(number), self.nodes.get(number)) {
                let _ = write!(out, "#{name} = ");
                self.definition(node, out);
                out.push('\n');
            }
        }
    }

    fn alias(&self, number: usize) -> &str {
        self.names.get(number).map_or("loc", String::as_str)
    }

    fn definition(&self, node: &Node, out: &mut String) {
        let _ = match node {
            Node::Unknown => out.write_str("loc(unknown)"),
            Node::File { name, directory } => {
                out.push_str("#cuda_tile.di_file<");
                write_string(out, name);
                out.push_str(" in ");
                write_string(out, directory);
                out.write_char('>')
            }
            Node::Place { file, line, column } => {
                out.push_str("loc(");
                write_string(out, file);
                write!(out, ":{line}:{column})")
            }
            Node::Unit { file } => {
                write!(out, "#cuda_tile.di_compile_unit<file = #{}>", self.alias(*file))
            }
            Node::Subprogram {
                file,
                line,
                name,
                linkage_name,
                unit,
                scope_line,
                declaration,
            } => {
                let _ = write!(
                    out,
                    "#cuda_tile.di_subprogram<file = #{}, line = {line}, name = ",
                    self.alias(*file)
                );
                write_string(out, name);
                out.push_str(", linkageName = ");
                write_string(out, linkage_name);
                let unit = self.alias(*unit);
                let flags = if *declaration { ", flags = declaration" } else { "" };
                write!(out, ", compileUnit = #{unit}, scopeLine = {scope_line}{flags}>")
            }
            Node::Block {
                scope,
                file,
                line,
                column,
            } => {
                let (scope, file) = (self.alias(*scope), self.alias(*file));
                let parts = format!("scope = #{scope}, file = #{file}, line = {line}, column = {column}");
                write!(out, "#cuda_tile.di_lexical_block<{parts}>")
            }
            Node::Scoped { place, scope } => {
                write!(
                    out,
                    "#cuda_tile.di_loc<#{} in #{}>",
                    self.alias(*place),
                    self.alias(*scope)
                )
            }
            Node::Call { callee, caller } => {
                write!(
                    out,
                    "loc(callsite(#{} at #{}))",
                    self.alias(*callee),
                    self.alias(*caller)
                )
            }
        };
    }
}

/// The origins of the ops that the text shows, in its order.
fn walk(body: &Body<CudaTile>, region: Region, implicit: &str, shown: &mut Vec<Origin>) {
    for &block in &body.region(region).blocks {
        let ops = &body.block(block).ops;
        for (i, &op) in ops.iter().enumerate() {
            let data = body.op(op);
            if i + 1 == ops.len() && is_implicit(&data.kind, implicit) {
                continue;
            }
            shown.push(data.origin);
            data.kind
                .regions(&mut |inner| walk(body, inner, implicit_terminator(&data.kind), shown));
        }
    }
}

/// The names of nodes, and their order: by depth, then by the beginning of the name, then by first appearance.
fn name(nodes: &[Node]) -> (Vec<String>, Vec<usize>) {
    let mut depths: Vec<usize> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let parts = node.parts();
        let deepest = parts.iter().filter_map(|&part| depths.get(part)).max();
        depths.push(deepest.map_or(0, |depth| depth + 1));
    }
    let mut order: Vec<(usize, &str, usize)> = nodes
        .iter()
        .zip(&depths)
        .enumerate()
        .map(|(number, (node, &depth))| (depth, node.base(), number))
        .collect();
    order.sort_unstable();
    let mut names = vec![String::new(); nodes.len()];
    let mut counts: FxHashMap<&str, usize> = FxHashMap::default();
    for &(_, base, number) in &order {
        let count = counts.entry(base).or_default();
        if let Some(name) = names.get_mut(number) {
            *name = if *count == 0 {
                base.to_owned()
            } else {
                format!("{base}{count}")
            };
        }
        *count += 1;
    }
    (names, order.into_iter().map(|(_, _, number)| number).collect())
}

impl Collector<'_> {
    fn node(&mut self, node: Node) -> usize {
        if let Some(&number) = self.numbers.get(&node) {
            return number;
        }
        let number = self.nodes.len();
        self.nodes.push(node.clone());
        self.numbers.insert(node, number);
        number
    }

    fn location(&mut self, id: Option<DebugId>) -> usize {
        match id.and_then(|id| self.attr(id, 0)) {
            Some(number) if self.nodes.get(number).is_some_and(|node| node.base() == "loc") => number,
            _ => self.node(Node::Unknown),
        }
    }

    fn attr(&mut self, id: DebugId, depth: usize) -> Option<usize> {
        if let Some(&number) = self.done.get(&id) {
            return Some(number);
        }
        if depth > MAX_DEPTH {
            return None;
        }
        let debug = self.debug;
        let mut part = |id: &DebugId| self.attr(*id, depth + 1);
        let node = match debug.attr(id)? {
            DebugAttr::Unknown => Node::Unknown,
            DebugAttr::CompileUnit { file } => Node::Unit { file: part(file)? },
            DebugAttr::File { name, directory } => Node::File {
                name: name.clone(),
                directory: directory.clone(),
            },
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
                let place = self.node(Node::Place {
                    file: file.clone(),
                    line: *line,
                    column: *column,
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
                name: name.clone(),
                linkage_name: linkage_name.clone(),
                unit: part(compile_unit)?,
                scope_line: *scope_line,
                declaration: *declaration,
            },
            DebugAttr::CallSite { callee, caller } => Node::Call {
                callee: part(callee)?,
                caller: part(caller)?,
            },
        };
        let number = self.node(node);
        self.done.insert(id, number);
        Some(number)
    }
}
