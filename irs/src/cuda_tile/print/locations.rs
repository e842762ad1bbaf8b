//! Aliases for the locations of a module's ops: equal locations share an alias, parts are defined first.

use std::fmt::Write;

use rustc_hash::FxHashMap;

use super::implicit::{implicit_terminator, is_implicit};
use super::location_nodes::{Collector, Node};
use super::{push_number, write_attr, write_string};
use crate::core::{Body, Operation, Origin, Region};
use crate::cuda_tile::debug::DebugInfo;
use crate::cuda_tile::module::{CudaTile, TileModule};

/// The locations of a module.
#[derive(Debug)]
pub(super) struct Locations<'a> {
    /// The targets of aliases, parts first.
    nodes: Vec<Node<'a>>,
    /// The number of each node's alias among those with the same prefix.
    names: Vec<usize>,
    /// The nodes in the order of the text.
    order: Vec<usize>,
    /// The node of each function, and of each op by origin.
    places: Vec<(usize, Vec<Option<usize>>)>,
    /// The node of the module's own location, if known.
    module: Option<usize>,
    /// The node of each external function.
    externals: Vec<usize>,
    /// The node of the unknown location, if used.
    unknown: Option<usize>,
}

impl<'a> Locations<'a> {
    /// Collects the locations of everything in the text, in textual order.
    pub(super) fn new(module: &TileModule, debug: &'a DebugInfo) -> Self {
        let mut collector = Collector::new(debug);
        if !module.globals.is_empty() {
            collector.node(Node::Unknown);
        }
        let mut places = Vec::new();
        let mut externals = Vec::new();
        let mut place_externals = |collector: &mut Collector<'a>, before: usize| {
            for (number, _) in module.externals_before(before) {
                externals.push(collector.location(debug.externals.get(number).copied().flatten()));
            }
        };
        for (index, func) in module.funcs.iter().enumerate() {
            place_externals(&mut collector, index);
            let own = collector.location(debug.id(index, Origin::FUNCTION));
            let known = debug.funcs.get(index).map_or(0, |known| known.ops.len());
            let mut ops = vec![None; known];
            walk(&func.body, func.body.root(), "", &mut |origin| {
                let node = collector.location(debug.id(index, origin));
                if let Some(place) = ops.get_mut(origin.0 as usize) {
                    *place = Some(node);
                }
            });
            places.push((own, ops));
        }
        place_externals(&mut collector, module.funcs.len());
        let module = debug.module.map(|id| collector.location(Some(id)));
        let unknown = collector.unknown();
        let nodes = collector.nodes;
        let (names, order) = name(&nodes);
        Self {
            nodes,
            names,
            order,
            places,
            module,
            externals,
            unknown,
        }
    }

    /// ` loc(#loc1)` for an external function.
    pub(super) fn external(&self, index: usize, out: &mut String) {
        if let Some(&node) = self.externals.get(index) {
            self.place_of(node, out);
        }
    }

    /// ` loc(#loc1)` for an op, or for the function itself.
    pub(super) fn place(&self, func: usize, origin: Origin, out: &mut String) {
        let node = self.places.get(func).and_then(|(own, ops)| {
            if origin == Origin::FUNCTION {
                Some(*own)
            } else {
                // Ops without debug information have an unknown location.
                ops.get(origin.0 as usize).copied().flatten().or(self.unknown)
            }
        });
        if let Some(node) = node {
            self.place_of(node, out);
        }
    }

    fn place_of(&self, node: usize, out: &mut String) {
        out.push_str(" loc(#");
        self.write_alias(node, out);
        out.push(')');
    }

    /// Whether the module's own location is known.
    pub(super) fn has_module(&self) -> bool {
        self.module.is_some()
    }

    /// The module's own location.
    pub(super) fn of_module(&self, out: &mut String) {
        if let Some(node) = self.module {
            self.place_of(node, out);
        }
    }

    /// The unknown location.
    pub(super) fn unknown(&self, out: &mut String) {
        if let Some(node) = self.unknown {
            self.place_of(node, out);
        }
    }

    /// The definitions of all aliases.
    pub(super) fn definitions(&self, out: &mut String) {
        for &number in &self.order {
            if let Some(node) = self.nodes.get(number) {
                out.push('#');
                self.write_alias(number, out);
                out.push_str(" = ");
                self.definition(node, out);
                out.push('\n');
            }
        }
    }

    /// The alias of a node, without its `#`.
    fn write_alias(&self, node: usize, out: &mut String) {
        out.push_str(self.nodes.get(node).map_or("loc", |node| node.base()));
        match self.names.get(node) {
            None | Some(0) => {}
            Some(&count) => push_number(out, count as u64),
        }
    }

    fn alias(&self, number: usize) -> impl std::fmt::Display {
        let mut text = String::new();
        self.write_alias(number, &mut text);
        text
    }

    fn definition(&self, node: &Node<'_>, out: &mut String) {
        // Writing to a string does not fail.
        let _ = match node {
            Node::Unknown => out.write_str("loc(unknown)"),
            Node::File { name, directory } => {
                out.push_str("#cuda_tile.di_file<");
                write_string(out, name);
                out.push_str(" in ");
                write_string(out, directory);
                out.write_char('>')
            }
            Node::Place {
                file,
                line,
                column,
                end,
            } => {
                out.push_str("loc(");
                write_string(out, file);
                let _ = write!(out, ":{line}:{column}");
                let _ = match end {
                    Some((last, end)) if last == line => write!(out, " to :{end}"),
                    Some((last, end)) => write!(out, " to {last}:{end}"),
                    None => Ok(()),
                };
                out.write_char(')')
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
                let _ = write!(out, ", compileUnit = #{unit}");
                if *scope_line != 0 {
                    let _ = write!(out, ", scopeLine = {scope_line}");
                }
                write!(out, "{flags}>")
            }
            Node::Block {
                scope,
                file,
                line,
                column,
            } => {
                let (scope, file) = (self.alias(*scope), self.alias(*file));
                let _ = write!(
                    out,
                    "#cuda_tile.di_lexical_block<scope = #{scope}, file = #{file}, line = {line}"
                );
                if *column != 0 {
                    let _ = write!(out, ", column = {column}");
                }
                out.write_char('>')
            }
            Node::Scoped { place, scope } => {
                out.push_str("#cuda_tile.di_loc<#");
                self.write_alias(*place, out);
                out.push_str(" in #");
                self.write_alias(*scope, out);
                out.write_char('>')
            }
            Node::Call { callee, caller } => {
                write!(
                    out,
                    "loc(callsite(#{} at #{}))",
                    self.alias(*callee),
                    self.alias(*caller)
                )
            }
            Node::Name { name, place } => {
                out.push_str("loc(");
                write_string(out, name);
                if let Some(place) = place {
                    let _ = write!(out, "(#{})", self.alias(*place));
                }
                out.write_char(')')
            }
            Node::Fused { metadata, places } => {
                out.push_str("loc(fused");
                if let Some(metadata) = metadata {
                    out.push('<');
                    write_attr(out, metadata);
                    out.push('>');
                }
                out.push('[');
                for (i, &place) in places.iter().enumerate() {
                    out.push_str(if i > 0 { ", #" } else { "#" });
                    self.write_alias(place, out);
                }
                out.write_str("])")
            }
        };
    }
}

/// Visits the origins of the ops in the text, in textual order.
fn walk(body: &Body<CudaTile>, region: Region, implicit: &str, visit: &mut dyn FnMut(Origin)) {
    for &block in &body.region(region).blocks {
        let ops = &body.block(block).ops;
        for (i, &op) in ops.iter().enumerate() {
            let data = body.op(op);
            if i + 1 == ops.len() && is_implicit(&data.kind, implicit) {
                continue;
            }
            visit(data.origin);
            data.kind
                .regions(&mut |inner| walk(body, inner, implicit_terminator(&data.kind), visit));
        }
    }
}

/// The numbers of the nodes' aliases, and the order of nodes: by depth, then by prefix, then by first use.
fn name(nodes: &[Node<'_>]) -> (Vec<usize>, Vec<usize>) {
    let mut depths: Vec<usize> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let mut depth = 0;
        node.parts(&mut |part| depth = depth.max(depths.get(part).map_or(0, |depth| depth + 1)));
        depths.push(depth);
    }
    let mut order: Vec<(usize, &str, usize)> = nodes
        .iter()
        .zip(&depths)
        .enumerate()
        .map(|(number, (node, &depth))| (depth, node.base(), number))
        .collect();
    order.sort_unstable();
    let mut names = vec![0; nodes.len()];
    let mut counts: FxHashMap<&str, usize> = FxHashMap::default();
    for &(_, base, number) in &order {
        let count = counts.entry(base).or_default();
        if let Some(name) = names.get_mut(number) {
            *name = *count;
        }
        *count += 1;
    }
    (names, order.into_iter().map(|(_, _, number)| number).collect())
}
