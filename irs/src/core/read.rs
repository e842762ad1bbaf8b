//! Builds a function of a language from a syntax tree.

use rustc_hash::FxHashMap;
use tilewright_diagnostics::{Code, Diagnostic, counted};

use super::body::{Body, Func};
use super::entity::{Block, Origin, Region, Value};
use super::language::{Attributes, Language, Operation, ResultCount, Tag};
use super::reader::{Reader, Scope};
use super::term::{Mark, Name, Term, TermCodec};
use super::tree::{BlockTree, FuncTree, OpTree, RegionTree};

/// A parsed function, with the mark of each op by its origin.
#[derive(Clone, Debug)]
pub struct ReadFunc<L: Language> {
    /// The function. Each op is its own origin.
    pub func: Func<L>,
    /// The mark of the function's name.
    pub mark: Mark,
    /// The mark of each op's name, by origin.
    pub marks: Vec<Mark>,
}

/// Builds a function. Returns the errors if there are any.
pub fn read_func<L: Language>(tree: &FuncTree) -> Result<ReadFunc<L>, Vec<Diagnostic<Mark>>> {
    let mut reader = BodyReader::<L> {
        body: Body::default(),
        values: FxHashMap::default(),
        log: Vec::new(),
        blocks: Vec::new(),
        marks: Vec::new(),
        problems: Vec::new(),
    };
    let attrs = reader.read_attrs(tree);
    let root = reader.body.root();
    let entry = reader.body.add_block(root);
    reader.read_args(entry, &tree.params);
    reader.read_blocks(root, Some(entry), &tree.body);
    match attrs {
        Some(attrs) if reader.problems.is_empty() => Ok(ReadFunc {
            func: Func {
                name: tree.name.text.clone(),
                attrs,
                body: reader.body.renumbered(),
            },
            mark: tree.name.mark,
            marks: reader.marks,
        }),
        _ => Err(reader.problems),
    }
}

struct BodyReader<L: Language> {
    body: Body<L>,
    /// Values in scope; `None` if the definition was malformed, so that uses are not reported too.
    values: FxHashMap<String, (Option<Value>, Mark)>,
    /// Names in order of definition, so that those of a region can be removed at its end.
    log: Vec<String>,
    blocks: Vec<FxHashMap<String, Block>>,
    marks: Vec<Mark>,
    problems: Vec<Diagnostic<Mark>>,
}

impl<L: Language> BodyReader<L> {
    fn read_attrs(&mut self, tree: &FuncTree) -> Option<L::FuncAttrs> {
        let mut reader = Reader {
            owner: &tree.keyword,
            operands: [].into(),
            attrs: tree.attrs.iter().collect(),
            regions: [].into(),
            results: 0,
            scope: self,
        };
        let attrs = L::FuncAttrs::read(&mut reader);
        reader.finish();
        attrs
    }

    fn define(&mut self, name: &Name, value: Option<Value>) {
        if let Some((_, first)) = self.values.get(&name.text) {
            self.problems.push(
                Diagnostic::error(Code::Redefinition, format!("`%{}` is defined twice", name.text))
                    .at(name.mark, "defined again here")
                    .also(*first, "first defined here"),
            );
            return;
        }
        self.values.insert(name.text.clone(), (value, name.mark));
        self.log.push(name.text.clone());
    }

    fn read_type(&mut self, term: &Term) -> Option<L::Type> {
        match L::Type::read(term) {
            Ok(ty) => Some(ty),
            Err(error) => {
                let message = format!("not a type of `{}`: expected {}", L::NAME, error.expected);
                let label = format!("expected {}", error.expected);
                self.problems
                    .push(Diagnostic::error(Code::UnknownType, message).at(error.mark, label));
                None
            }
        }
    }

    fn read_args(&mut self, block: Block, args: &[(Name, Term)]) {
        for (name, term) in args {
            let value = self.read_type(term).map(|ty| self.body.add_arg(block, ty));
            self.define(name, value);
        }
    }

    fn read_blocks(&mut self, region: Region, entry: Option<Block>, tree: &RegionTree) {
        let mut names = FxHashMap::default();
        let mut blocks = Vec::with_capacity(tree.blocks.len());
        for (i, block_tree) in tree.blocks.iter().enumerate() {
            let block = match entry {
                Some(entry) if i == 0 => entry,
                _ => self.body.add_block(region),
            };
            blocks.push(block);
            if let Some(name) = &block_tree.name
                && names.insert(name.text.clone(), block).is_some()
            {
                let message = format!("block `^{}` is defined twice", name.text);
                self.problems
                    .push(Diagnostic::error(Code::Redefinition, message).at(name.mark, "defined again here"));
            }
        }
        self.blocks.push(names);
        for (block, block_tree) in blocks.into_iter().zip(&tree.blocks) {
            self.read_block(block, block_tree);
        }
        self.blocks.pop();
    }

    fn read_block(&mut self, block: Block, tree: &BlockTree) {
        self.read_args(block, &tree.args);
        for op in &tree.ops {
            self.read_op(block, op);
        }
    }

    fn read_op(&mut self, block: Block, tree: &OpTree) {
        let origin = Origin(u32::try_from(self.marks.len()).unwrap_or(u32::MAX - 1));
        self.marks.push(tree.name.mark);
        let mut reader = Reader {
            owner: &tree.name,
            operands: tree.operands.iter().collect(),
            attrs: tree.attrs.iter().collect(),
            regions: tree.regions.iter().collect(),
            results: tree.results.len(),
            scope: self,
        };
        let kind = match L::Op::read(&tree.name.text, &mut reader) {
            None => {
                let message = format!("unknown op `{}` in language `{}`", tree.name.text, L::NAME);
                let mut problem = Diagnostic::error(Code::UnknownOp, message).at(tree.name.mark, "not an op");
                if let Some(near) = nearest(&tree.name.text, L::Op::specs().iter().map(|spec| spec.name)) {
                    problem = problem.help(format!("there is an op `{near}`"));
                }
                reader.scope.report(problem);
                None
            }
            Some(None) => None,
            Some(Some(kind)) => {
                let tag = L::Tag::read(&mut reader);
                reader.finish();
                Some((kind, tag))
            }
        };
        let types: Option<Vec<_>> = {
            let types: Vec<_> = tree.types.iter().map(|term| self.read_type(term)).collect();
            types.into_iter().collect()
        };
        let mut results = vec![None; tree.results.len()];
        if let (Some((kind, tag)), Some(types)) = (kind, types) {
            if let Some(problem) = result_count(tree, kind.spec().results) {
                self.problems.push(problem);
            } else {
                let op = self.body.add_op(block, kind, types, origin, tag);
                results = self.body.op(op).results().map(Some).collect();
            }
        }
        for (name, value) in tree.results.iter().zip(results) {
            self.define(name, value);
        }
    }
}

fn result_count(tree: &OpTree, expected: ResultCount) -> Option<Diagnostic<Mark>> {
    let (names, types) = (tree.results.len(), tree.types.len());
    if names != types {
        let message = format!(
            "`{}` names {} and gives {}",
            tree.name.text,
            counted(names, "result"),
            counted(types, "type")
        );
        return Some(Diagnostic::error(Code::ResultCount, message).at(tree.name.mark, "one type a result"));
    }
    match expected {
        ResultCount::Exactly(n) if n != names => {
            let message = format!("`{}` has {}, not {names}", tree.name.text, counted(n, "result"));
            Some(Diagnostic::error(Code::ResultCount, message).at(tree.name.mark, "wrong number of results"))
        }
        ResultCount::Exactly(_) | ResultCount::Any => None,
    }
}

impl<L: Language> Scope for BodyReader<L> {
    fn value(&mut self, name: &Name) -> Option<Value> {
        match self.values.get(&name.text) {
            Some((value, _)) => *value,
            None => {
                self.problems.push(
                    Diagnostic::error(
                        Code::UndefinedValue,
                        format!("`%{}` is not defined here", name.text),
                    )
                    .at(name.mark, "no definition before this use"),
                );
                None
            }
        }
    }

    fn block(&mut self, name: &Name) -> Option<Block> {
        let found = self
            .blocks
            .last()
            .and_then(|names| names.get(&name.text))
            .copied();
        if found.is_none() {
            self.problems.push(
                Diagnostic::error(
                    Code::UndefinedValue,
                    format!("there is no block `^{}`", name.text),
                )
                .at(name.mark, "not a block of this region"),
            );
        }
        found
    }

    fn region(&mut self, tree: &RegionTree) -> Region {
        let region = self.body.add_region();
        let outer = self.log.len();
        self.read_blocks(region, None, tree);
        for name in self.log.drain(outer..) {
            self.values.remove(&name);
        }
        region
    }

    fn report(&mut self, problem: Diagnostic<Mark>) {
        self.problems.push(problem);
    }
}

/// The candidate closest to `word`, if it is close enough to be a typing error.
pub fn nearest<'c>(word: &str, candidates: impl Iterator<Item = &'c str>) -> Option<&'c str> {
    let limit = (word.chars().count() / 3).clamp(1, 4);
    candidates
        .map(|candidate| (edit_distance(word, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, candidate)| candidate)
}

fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &cb) in b.iter().enumerate() {
            let replace = diagonal + usize::from(ca != cb);
            diagonal = row[j + 1];
            row[j + 1] = replace.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
