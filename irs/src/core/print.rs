//! Printing: from a function to its tree, and from a tree to text.

use std::fmt::Write;

use rustc_hash::FxHashMap;

use super::body::{Body, Func, Module, Origin};
use super::entity::{Block, Entity, Region, Value};
use super::language::{Attributes, FieldWriter, Language, Operation, Tag};
use super::term::{Arg, Term, TermCodec, TermKind};
use super::tree::{BlockTree, FuncTree, Mark, Name, NamedTerm, OpTree, OperandTree, RegionTree};

/// The text of a module.
pub fn print_module<L: Language>(module: &Module<L>) -> String {
    print_funcs(module.funcs.iter())
}

/// The text of functions, as one file.
pub fn print_funcs<'a, L: Language>(funcs: impl Iterator<Item = &'a Func<L>>) -> String {
    let trees: Vec<_> = funcs.map(func_tree).collect();
    print_trees(&trees, &|_, _| None)
}

/// The text of one function, with a remark after each op whose origin has one.
pub fn print_func<L: Language>(func: &Func<L>, remark: &dyn Fn(Origin) -> Option<String>) -> String {
    print_trees(&[func_tree(func)], &|_, origin| remark(origin))
}

/// The text of one term.
pub fn term_text(term: &Term) -> String {
    let mut text = String::new();
    write_term(&mut text, term);
    text
}

/// The tree of a function. An op's mark is its origin.
pub fn func_tree<L: Language>(func: &Func<L>) -> FuncTree {
    let mut attrs = Vec::new();
    func.attrs.write(&mut attrs);
    let body = &func.body;
    let mut writer = TreeWriter {
        body,
        blocks: FxHashMap::default(),
    };
    let params = match body.entry() {
        Some(entry) => writer.args(entry),
        None => Vec::new(),
    };
    let mut root = writer.region_tree(body.root());
    if let Some(entry) = root.blocks.first_mut() {
        entry.args.clear();
        entry.name = None;
    }
    FuncTree {
        keyword: Name::new(format!("{}.func", L::NAME)),
        name: Name::new(func.name.clone()),
        params,
        attrs,
        body: root,
    }
}

struct TreeWriter<'a, L: Language> {
    body: &'a Body<L>,
    blocks: FxHashMap<Block, usize>,
}

impl<L: Language> TreeWriter<'_, L> {
    fn args(&self, block: Block) -> Vec<(Name, Term)> {
        let args = &self.body.block(block).args;
        args.iter()
            .map(|&v| (Name::new(self.value(v)), self.body.ty(v).write()))
            .collect()
    }

    fn region_tree(&mut self, region: Region) -> RegionTree {
        let blocks = &self.body.region(region).blocks;
        for (i, &block) in blocks.iter().enumerate() {
            self.blocks.insert(block, i);
        }
        let many = blocks.len() > 1;
        let mut trees = Vec::with_capacity(blocks.len());
        for (i, &block) in blocks.iter().enumerate() {
            let name = (many && i > 0).then(|| Name::new(self.block(block)));
            let ops = self.body.block(block).ops.iter().map(|&op| {
                let data = self.body.op(op);
                let mut tree = OpTree::new(data.kind.name());
                tree.name.mark = Mark(data.origin.0);
                tree.results = data.results().map(|v| Name::new(v.index().to_string())).collect();
                tree.types = data.results().map(|v| self.body.ty(v).write()).collect();
                data.kind.write(self, &mut tree);
                data.tag.write(&mut tree.attrs);
                tree
            });
            let ops = ops.collect();
            trees.push(BlockTree {
                name,
                args: self.args(block),
                ops,
            });
        }
        RegionTree {
            blocks: trees,
            end: Mark::default(),
        }
    }
}

impl<L: Language> FieldWriter for TreeWriter<'_, L> {
    fn value(&self, value: Value) -> String {
        value.index().to_string()
    }
    fn block(&self, block: Block) -> String {
        format!("bb{}", self.blocks.get(&block).copied().unwrap_or(0))
    }
    fn region(&mut self, region: Region) -> RegionTree {
        self.region_tree(region)
    }
}

/// Terms longer than this that occur more than once get a name at the top of the file.
const ALIAS_FROM: usize = 24;

/// The words of calls that may get a name at the top of the file.
const ALIASED: &[&str] = &["linear", "facts"];

#[derive(Default)]
struct Aliases {
    /// The name of each aliased call, by its text.
    names: FxHashMap<String, String>,
    /// Names with the text they stand for, in order of first use.
    definitions: Vec<(String, String)>,
    counts: FxHashMap<String, usize>,
}

impl Aliases {
    fn count(&mut self, term: &Term) {
        match &term.kind {
            TermKind::Call(word, args) => {
                if ALIASED.contains(&word.as_str()) {
                    *self.counts.entry(term_text(term)).or_default() += 1;
                }
                args.iter().for_each(|arg| self.count(&arg.value));
            }
            TermKind::Dims(_, element) => self.count(element),
            TermKind::List(items) | TermKind::Tuple(items) => items.iter().for_each(|item| self.count(item)),
            TermKind::Dict(items) => items
                .iter()
                .filter_map(|i| i.value.as_ref())
                .for_each(|t| self.count(t)),
            TermKind::Int(_)
            | TermKind::Float(_)
            | TermKind::Bits(_)
            | TermKind::Str(_)
            | TermKind::Word(_)
            | TermKind::Symbol(_)
            | TermKind::Unknown
            | TermKind::Alias(_) => {}
        }
    }

    fn replace(&mut self, term: &mut Term) {
        if let TermKind::Call(word, _) = &term.kind
            && ALIASED.contains(&word.as_str())
        {
            let text = term_text(term);
            if text.len() >= ALIAS_FROM && self.counts.get(&text).is_some_and(|&n| n > 1) {
                let next = self
                    .definitions
                    .iter()
                    .filter(|(name, _)| name.starts_with(word.as_str()))
                    .count();
                let name = self.names.entry(text.clone()).or_insert_with(|| {
                    let name = format!("{word}{next}");
                    self.definitions.push((name.clone(), text));
                    name
                });
                term.kind = TermKind::Alias(name.clone());
                return;
            }
        }
        match &mut term.kind {
            TermKind::Call(_, args) => args.iter_mut().for_each(|arg| self.replace(&mut arg.value)),
            TermKind::Dims(_, element) => self.replace(element),
            TermKind::List(items) | TermKind::Tuple(items) => items.iter_mut().for_each(|i| self.replace(i)),
            TermKind::Dict(items) => {
                items
                    .iter_mut()
                    .filter_map(|i| i.value.as_mut())
                    .for_each(|t| self.replace(t));
            }
            TermKind::Int(_)
            | TermKind::Float(_)
            | TermKind::Bits(_)
            | TermKind::Str(_)
            | TermKind::Word(_)
            | TermKind::Symbol(_)
            | TermKind::Unknown
            | TermKind::Alias(_) => {}
        }
    }
}

/// Visits every term of a function's tree.
fn each_term(func: &mut FuncTree, visit: &mut dyn FnMut(&mut Term)) {
    fn attrs(list: &mut [NamedTerm], visit: &mut dyn FnMut(&mut Term)) {
        list.iter_mut()
            .filter_map(|attr| attr.value.as_mut())
            .for_each(visit);
    }
    fn region(tree: &mut RegionTree, visit: &mut dyn FnMut(&mut Term)) {
        for block in &mut tree.blocks {
            block.args.iter_mut().for_each(|(_, ty)| visit(ty));
            for op in &mut block.ops {
                attrs(&mut op.attrs, visit);
                op.types.iter_mut().for_each(&mut *visit);
                op.regions.iter_mut().for_each(|(_, tree)| region(tree, visit));
            }
        }
    }
    func.params.iter_mut().for_each(|(_, ty)| visit(ty));
    attrs(&mut func.attrs, visit);
    region(&mut func.body, visit);
}

/// The text of function trees, as one file; `remark` is given the function's index and the op's mark as an origin.
pub fn print_trees(funcs: &[FuncTree], remark: &dyn Fn(usize, Origin) -> Option<String>) -> String {
    let mut funcs = funcs.to_vec();
    let mut aliases = Aliases::default();
    for func in &mut funcs {
        each_term(func, &mut |term| aliases.count(term));
    }
    for func in &mut funcs {
        each_term(func, &mut |term| aliases.replace(term));
    }
    let mut text = String::new();
    for (name, term) in &aliases.definitions {
        let _ = writeln!(text, "#{name} = {term}");
    }
    for (i, func) in funcs.iter().enumerate() {
        if !text.is_empty() {
            text.push('\n');
        }
        let mut printer = TreePrinter {
            text: &mut text,
            remark: &|origin| remark(i, origin),
        };
        printer.func(func);
    }
    text
}

struct TreePrinter<'a> {
    text: &'a mut String,
    remark: &'a dyn Fn(Origin) -> Option<String>,
}

impl TreePrinter<'_> {
    fn func(&mut self, func: &FuncTree) {
        self.text.push_str(&func.keyword.text);
        self.text.push_str(" @");
        write_symbol(self.text, &func.name.text);
        self.args(&func.params);
        if !func.attrs.is_empty() {
            self.text.push(' ');
            write_dict(self.text, &func.attrs);
        }
        self.text.push_str(" body {\n");
        self.region(&func.body, 1);
        self.text.push_str("}\n");
    }

    fn args(&mut self, args: &[(Name, Term)]) {
        self.text.push('(');
        for (i, (name, ty)) in args.iter().enumerate() {
            if i > 0 {
                self.text.push_str(", ");
            }
            let _ = write!(self.text, "%{}: ", name.text);
            write_term(self.text, ty);
        }
        self.text.push(')');
    }

    fn indent(&mut self, depth: usize) {
        for _ in 0..depth {
            self.text.push_str("  ");
        }
    }

    fn region(&mut self, region: &RegionTree, depth: usize) {
        for block in &region.blocks {
            if block.name.is_some() || !block.args.is_empty() {
                self.indent(depth.saturating_sub(1));
                self.text.push('^');
                if let Some(name) = &block.name {
                    self.text.push_str(&name.text);
                }
                if !block.args.is_empty() {
                    self.args(&block.args);
                }
                self.text.push_str(":\n");
            }
            for op in &block.ops {
                self.op(op, depth);
            }
        }
    }

    fn op(&mut self, op: &OpTree, depth: usize) {
        self.indent(depth);
        for (i, name) in op.results.iter().enumerate() {
            let _ = write!(self.text, "{}%{}", if i > 0 { ", " } else { "" }, name.text);
        }
        if !op.results.is_empty() {
            self.text.push_str(" = ");
        }
        self.text.push_str(&op.name.text);
        for (i, operand) in op.operands.iter().enumerate() {
            self.text.push_str(if i > 0 { ", " } else { " " });
            match operand {
                OperandTree::Value(name) => {
                    let _ = write!(self.text, "%{}", name.text);
                }
                OperandTree::List(names, _) => self.names('[', names, ']'),
                OperandTree::Named(label, name) => {
                    let _ = write!(self.text, "{} %{}", label.text, name.text);
                }
                OperandTree::Successor(block, args) => {
                    let _ = write!(self.text, "^{}", block.text);
                    self.names('(', args, ')');
                }
            }
        }
        if !op.attrs.is_empty() {
            self.text.push(' ');
            write_dict(self.text, &op.attrs);
        }
        for (i, ty) in op.types.iter().enumerate() {
            self.text.push_str(if i > 0 { ", " } else { " : " });
            write_term(self.text, ty);
        }
        let remark = (self.remark)(Origin(op.name.mark.0));
        let mut remark = remark.map(|r| format!("  // {r}")).unwrap_or_default();
        for (label, region) in &op.regions {
            let _ = writeln!(self.text, " {} {{{}", label.text, std::mem::take(&mut remark));
            self.region(region, depth + 1);
            self.indent(depth);
            self.text.push('}');
        }
        self.text.push_str(&remark);
        self.text.push('\n');
    }

    fn names(&mut self, open: char, names: &[Name], close: char) {
        self.text.push(open);
        for (i, name) in names.iter().enumerate() {
            let _ = write!(self.text, "{}%{}", if i > 0 { ", " } else { "" }, name.text);
        }
        self.text.push(close);
    }
}

fn write_list<T>(text: &mut String, items: &[T], mut write: impl FnMut(&mut String, &T)) {
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            text.push_str(", ");
        }
        write(text, item);
    }
}

fn write_dict(text: &mut String, items: &[NamedTerm]) {
    text.push('{');
    write_list(text, items, |text, item| {
        text.push_str(&item.name.text);
        if let Some(value) = &item.value {
            text.push_str(" = ");
            write_term(text, value);
        }
    });
    text.push('}');
}

fn write_arg(text: &mut String, arg: &Arg) {
    if let Some(name) = &arg.name {
        text.push_str(&name.text);
        text.push_str(" = ");
    }
    write_term(text, &arg.value);
}

/// Whether a symbol or a word needs no quotes.
pub fn is_plain_word(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$'))
}

fn write_symbol(text: &mut String, symbol: &str) {
    if is_plain_word(symbol) {
        text.push_str(symbol);
    } else {
        write_string(text, symbol);
    }
}

fn write_string(text: &mut String, string: &str) {
    text.push('"');
    for c in string.chars() {
        match c {
            '"' | '\\' => {
                text.push('\\');
                text.push(c);
            }
            '\n' => text.push_str("\\n"),
            '\t' => text.push_str("\\t"),
            c if c.is_control() => {
                let _ = write!(text, "\\u{{{:x}}}", u32::from(c));
            }
            c => text.push(c),
        }
    }
    text.push('"');
}

fn write_term(text: &mut String, term: &Term) {
    match &term.kind {
        TermKind::Int(value) => {
            let _ = write!(text, "{value}");
        }
        TermKind::Float(number) => text.push_str(number),
        TermKind::Bits(bits) => {
            let _ = write!(text, "0x{bits:X}");
        }
        TermKind::Str(string) => write_string(text, string),
        TermKind::Word(word) => text.push_str(word),
        TermKind::Symbol(name) => {
            text.push('@');
            write_symbol(text, name);
        }
        TermKind::Unknown => text.push('?'),
        TermKind::Call(word, args) => {
            text.push_str(word);
            text.push('<');
            write_list(text, args, write_arg);
            text.push('>');
        }
        TermKind::Dims(extents, element) => {
            for extent in extents {
                match extent {
                    Some(n) => {
                        let _ = write!(text, "{n}x");
                    }
                    None => text.push_str("?x"),
                }
            }
            write_term(text, element);
        }
        TermKind::List(items) => {
            text.push('[');
            write_list(text, items, write_term);
            text.push(']');
        }
        TermKind::Tuple(items) => {
            text.push('(');
            write_list(text, items, write_term);
            text.push(')');
        }
        TermKind::Dict(items) => write_dict(text, items),
        TermKind::Alias(name) => {
            text.push('#');
            text.push_str(name);
        }
    }
}
