//! Builds a function of a language from a syntax tree.

use rustc_hash::FxHashMap;
use tilewright_diagnostics::{Code, Diagnostic};

use super::body::{Body, Func, Origin};
use super::entity::{Block, Region, Value};
use super::language::{Attributes, Language, Operation, ResultCount, Tag};
use super::term::{Term, TermCodec};
use super::tree::{BlockTree, FuncTree, Mark, Name, NamedTerm, OpTree, OperandTree, RegionTree};

/// A term that is not of the expected form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TermError {
    /// The term.
    pub mark: Mark,
    /// What was expected, as a noun.
    pub expected: String,
}

/// The state of reading one op or one attribute record.
pub struct Reader<'a> {
    owner: &'a Name,
    operands: std::collections::VecDeque<&'a OperandTree>,
    attrs: Vec<&'a NamedTerm>,
    regions: std::collections::VecDeque<&'a (Name, RegionTree)>,
    /// Results that belong to no field yet.
    results: usize,
    scope: &'a mut dyn Scope,
}

impl std::fmt::Debug for Reader<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Reader of {}", self.owner.text)
    }
}

/// The enclosing function, as a reader needs it.
trait Scope {
    fn value(&mut self, name: &Name) -> Option<Value>;
    fn block(&mut self, name: &Name) -> Option<Block>;
    fn region(&mut self, tree: &RegionTree) -> Region;
    fn report(&mut self, problem: Diagnostic<Mark>);
}

impl<'a> Reader<'a> {
    /// Reports an error about the op's name.
    pub fn report(&mut self, code: Code, message: String, label: &str) {
        self.scope
            .report(Diagnostic::error(code, message).at(self.owner.mark, label));
    }

    fn report_term(&mut self, name: &str, error: TermError) {
        let message = format!(
            "attribute `{name}` of `{}` must be {}",
            self.owner.text, error.expected
        );
        let label = format!("expected {}", error.expected);
        self.scope
            .report(Diagnostic::error(Code::AttributeKind, message).at(error.mark, label));
    }

    /// The number of results of the op that belong to no field yet.
    pub fn results_left(&self) -> usize {
        self.results
    }

    /// Assigns this many results to a field.
    pub fn take_results(&mut self, count: usize) {
        self.results = self.results.saturating_sub(count);
    }

    fn missing_operand(&mut self, field: &str) {
        let message = format!("`{}` has no operand `{field}`", self.owner.text);
        self.report(Code::OperandCount, message, "too few operands");
    }

    /// The next operand, a value.
    pub fn value(&mut self, field: &str) -> Option<Value> {
        match self.operands.pop_front() {
            Some(OperandTree::Value(name)) => self.scope.value(name),
            Some(other) => {
                let mark = operand_mark(other);
                let message = format!("operand `{field}` of `{}` must be one value", self.owner.text);
                self.scope
                    .report(Diagnostic::error(Code::OperandCount, message).at(mark, "expected one `%value`"));
                None
            }
            None => {
                self.missing_operand(field);
                None
            }
        }
    }

    /// The next operand, a list.
    pub fn values(&mut self, field: &str) -> Option<Vec<Value>> {
        match self.operands.pop_front() {
            Some(OperandTree::List(names, _)) => {
                let values: Vec<_> = names.iter().map(|name| self.scope.value(name)).collect();
                values.into_iter().collect()
            }
            Some(other) => {
                let mark = operand_mark(other);
                let message = format!(
                    "operand `{field}` of `{}` must be a list in brackets",
                    self.owner.text
                );
                self.scope
                    .report(Diagnostic::error(Code::OperandCount, message).at(mark, "expected `[…]`"));
                None
            }
            None => {
                self.missing_operand(field);
                None
            }
        }
    }

    /// The operand written `field %value`, if present. The outer `None` is an error.
    pub fn optional_value(&mut self, field: &str) -> Option<Option<Value>> {
        match self.operands.front() {
            Some(OperandTree::Named(label, name)) if label.text == field => {
                self.operands.pop_front();
                self.scope.value(name).map(Some)
            }
            _ => Some(None),
        }
    }

    /// The next operand, if it is a list; else `None`. The outer `None` is an error.
    pub fn optional_values(&mut self, field: &str) -> Option<Vec<Value>> {
        match self.operands.front() {
            Some(OperandTree::List(..)) => self.values(field),
            _ => Some(Vec::new()),
        }
    }

    /// The next operand, a branch target.
    pub fn successor(&mut self, field: &str) -> Option<super::language::Successor> {
        match self.operands.pop_front() {
            Some(OperandTree::Successor(name, args)) => {
                let block = self.scope.block(name);
                let args: Vec<_> = args.iter().map(|name| self.scope.value(name)).collect();
                let args: Option<Vec<_>> = args.into_iter().collect();
                Some(super::language::Successor {
                    block: block?,
                    args: args?,
                })
            }
            Some(other) => {
                let mark = operand_mark(other);
                let message = format!("operand `{field}` of `{}` must be a block", self.owner.text);
                self.scope
                    .report(Diagnostic::error(Code::OperandCount, message).at(mark, "expected `^block(…)`"));
                None
            }
            None => {
                self.missing_operand(field);
                None
            }
        }
    }

    /// The region labelled `field`.
    pub fn region(&mut self, field: &str) -> Option<Region> {
        match self.regions.pop_front() {
            Some((label, tree)) if label.text == field => Some(self.scope.region(tree)),
            Some((label, _)) => {
                let message = format!("`{}` has a region `{field}` here", self.owner.text);
                self.scope.report(
                    Diagnostic::error(Code::RegionCount, message)
                        .at(label.mark, format!("expected `{field} {{`")),
                );
                None
            }
            None => {
                let message = format!("`{}` has no region `{field}`", self.owner.text);
                self.report(Code::RegionCount, message, "too few regions");
                None
            }
        }
    }

    fn take_attr(&mut self, field: &str) -> Option<&'a NamedTerm> {
        let at = self.attrs.iter().position(|attr| attr.name.text == field)?;
        Some(self.attrs.remove(at))
    }

    /// The attribute `field`, if present. The outer `None` is an error.
    pub fn optional_attr<T: TermCodec>(&mut self, field: &str) -> Option<Option<T>> {
        let Some(attr) = self.take_attr(field) else {
            return Some(None);
        };
        let Some(term) = &attr.value else {
            self.report_term(
                field,
                TermError {
                    mark: attr.name.mark,
                    expected: "given a value".to_owned(),
                },
            );
            return None;
        };
        match T::read(term) {
            Ok(value) => Some(Some(value)),
            Err(error) => {
                self.report_term(field, error);
                None
            }
        }
    }

    /// The required attribute `field`.
    pub fn attr<T: TermCodec>(&mut self, field: &str) -> Option<T> {
        match self.optional_attr(field)? {
            Some(value) => Some(value),
            None => {
                let message = format!("`{}` needs the attribute `{field}`", self.owner.text);
                self.report(Code::MissingAttribute, message, "an attribute is missing");
                None
            }
        }
    }

    /// Whether the flag `field` is set. `None` is an error.
    pub fn flag(&mut self, field: &str) -> Option<bool> {
        match self.take_attr(field) {
            None => Some(false),
            Some(NamedTerm { value: None, .. }) => Some(true),
            Some(NamedTerm { name, .. }) => {
                self.report_term(
                    field,
                    TermError {
                        mark: name.mark,
                        expected: "a flag without a value".to_owned(),
                    },
                );
                None
            }
        }
    }

    /// Reports everything that belongs to no field.
    fn finish(mut self) {
        if let Some(operand) = self.operands.pop_front() {
            let message = format!("`{}` takes fewer operands", self.owner.text);
            self.scope.report(
                Diagnostic::error(Code::OperandCount, message)
                    .at(operand_mark(operand), "no operand belongs here"),
            );
        }
        for attr in std::mem::take(&mut self.attrs) {
            let message = format!("`{}` has no attribute `{}`", self.owner.text, attr.name.text);
            self.scope.report(
                Diagnostic::error(Code::UnknownAttribute, message).at(attr.name.mark, "not known here"),
            );
        }
        if let Some((label, _)) = self.regions.pop_front() {
            let message = format!("`{}` has no region `{}`", self.owner.text, label.text);
            self.scope
                .report(Diagnostic::error(Code::RegionCount, message).at(label.mark, "not known here"));
        }
    }
}

fn operand_mark(operand: &OperandTree) -> Mark {
    match operand {
        OperandTree::Value(name) | OperandTree::Named(name, _) | OperandTree::Successor(name, _) => name.mark,
        OperandTree::List(_, mark) => *mark,
    }
}

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
            "`{}` names {names} results and gives {types} types",
            tree.name.text
        );
        return Some(Diagnostic::error(Code::ResultCount, message).at(tree.name.mark, "one type a result"));
    }
    match expected {
        ResultCount::Exactly(n) if n != names => {
            let message = format!("`{}` has {n} results, not {names}", tree.name.text);
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
