//! Prints functions: converts a function to its syntax tree, whose text [`super::text`] writes.

use rustc_hash::FxHashMap;

use super::body::{Body, Func, Module};
use super::entity::{Block, Entity, Origin, Region, Value};
use super::language::{Attributes, FieldWriter, Language, Operation, Tag};
use super::term::{Mark, Name};
use super::term::{Term, TermCodec};
use super::text::{FuncText, join_texts};
use super::tree::{BlockTree, FuncTree, OpTree, RegionTree};

/// The text of a module.
pub fn print_module<L: Language>(module: &Module<L>) -> String {
    let texts: Vec<_> = module.funcs.iter().map(func_text).collect();
    join_texts(&texts)
}

/// The text of one function, with a comment after each op for whose origin `remark` returns one.
pub fn print_func<L: Language>(func: &Func<L>, remark: &dyn Fn(Origin) -> Option<String>) -> String {
    join_texts([&FuncText::new(&func_tree(func), remark)])
}

/// The text of one function as a part of a file; [`join_texts`] joins them.
pub fn func_text<L: Language>(func: &Func<L>) -> FuncText {
    FuncText::new(&func_tree(func), &|_| None)
}

/// The syntax tree of a function. An op's mark is its origin.
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

/// The value of an op's attribute, by the name that it is printed with.
pub fn attribute<O: Operation>(op: &O, name: &str) -> Option<Term> {
    let mut tree = OpTree::new(op.name());
    op.write(&mut AttributesAlone, &mut tree);
    let mut attrs = tree.attrs.into_iter();
    attrs.find(|own| own.name.text == name)?.value
}

/// Writes no names and no regions, for a reader of attributes.
struct AttributesAlone;

impl FieldWriter for AttributesAlone {
    fn value(&self, _: Value) -> String {
        String::new()
    }
    fn block(&self, _: Block) -> String {
        String::new()
    }
    fn region(&mut self, _: Region) -> RegionTree {
        RegionTree {
            blocks: Vec::new(),
            end: Mark::default(),
        }
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
