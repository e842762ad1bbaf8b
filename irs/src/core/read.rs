//! Builds a function of a language from a syntax tree.

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_diagnostics::{Code, Diagnostic, counted};

use super::body::{Body, Func};
use super::element::ElementType;
use super::entity::{Block, Origin, Region, Value};
use super::language::{Attributes, FieldSpec, Language, Operation, ResultCount, Tag, ValueType};
use super::part::Part;
use super::reader::{Reader, Scope};
use super::spelling::{MAX_SUGGESTED, nearest_op, nearest_value};
use super::term::{Mark, Name, NamedTerm, Term, TermCodec, TermKind};
use super::tree::{BlockTree, FuncTree, OpTree, OperandTree, RegionTree};

/// A parsed function, with the mark of each op by its origin.
#[derive(Clone, Debug)]
pub struct ReadFunc<L: Language> {
    /// The function. Each op is its own origin.
    pub func: Func<L>,
    /// The mark of the function's name.
    pub mark: Mark,
    /// The mark of each op's name, by origin.
    pub marks: Vec<Mark>,
    /// The names of values, in textual order.
    pub names: Vec<NameUse<Mark>>,
    /// The marks of parts of ops.
    pub parts: Vec<(Origin, Part, Mark)>,
}

/// A name of a value, where it is defined or where it is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NameUse<At> {
    /// The name.
    pub at: At,
    /// The name at its definition: the same as `at` if this is the definition.
    pub defined: At,
    /// The value.
    pub value: Value,
}

/// A function with errors.
#[derive(Clone, Debug)]
pub struct Unread<L: Language> {
    /// The errors.
    pub problems: Vec<Diagnostic<Mark>>,
    /// The parts without errors: ops are missing, and the verifier would refuse it. `None` if the attributes are unreadable.
    pub rest: Option<ReadFunc<L>>,
}

/// Builds a function.
///
/// # Errors
/// The errors, and the parts that are without any.
pub fn read_func<L: Language>(tree: &FuncTree) -> Result<ReadFunc<L>, Unread<L>> {
    let mut reader = BodyReader::<L> {
        body: Body::default(),
        values: FxHashMap::default(),
        log: Vec::new(),
        blocks: Vec::new(),
        marks: Vec::new(),
        names: Vec::new(),
        parts: Vec::new(),
        current: Origin::FUNCTION,
        problems: Vec::new(),
        undefined: FxHashSet::default(),
        suggested: 0,
    };
    let attrs = reader.read_attrs(tree);
    let root = reader.body.root();
    let entry = reader.body.add_block(root);
    reader.read_args(entry, &tree.params);
    reader.read_blocks(root, Some(entry), &tree.body);
    let (body, renamed) = reader.body.renumbered_with_values();
    let mut names = reader.names;
    names.iter_mut().for_each(|name| name.value = renamed(name.value));
    let read = attrs.map(|attrs| ReadFunc {
        func: Func {
            name: tree.name.text.clone(),
            attrs,
            body,
        },
        mark: tree.name.mark,
        marks: reader.marks,
        names,
        parts: reader.parts,
    });
    match read {
        Some(read) if reader.problems.is_empty() => Ok(read),
        rest => Err(Unread {
            problems: reader.problems,
            rest,
        }),
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
    names: Vec<NameUse<Mark>>,
    parts: Vec<(Origin, Part, Mark)>,
    /// The op whose regions are read.
    current: Origin,
    problems: Vec<Diagnostic<Mark>>,
    /// The undefined names, which have been reported.
    undefined: FxHashSet<String>,
    /// The undefined names for which a defined one was looked for.
    suggested: usize,
}

impl<L: Language> BodyReader<L> {
    fn read_attrs(&mut self, tree: &FuncTree) -> Option<L::FuncAttrs> {
        let mut reader = Reader::of_attrs(&tree.keyword, &tree.attrs, self);
        let attrs = L::FuncAttrs::read(&mut reader);
        reader.finish();
        self.place_attrs(
            Origin::FUNCTION,
            L::FuncAttrs::SPECS,
            &tree.attrs,
            tree.keyword.mark,
        );
        attrs
    }

    /// Records the marks of attributes and of their entries. Those of an alias, which is defined before `start`, are at its
    /// definition: its name's is taken.
    fn place_attrs(&mut self, origin: Origin, fields: &[FieldSpec], attrs: &[NamedTerm], start: Mark) {
        for (at, field) in fields.iter().enumerate() {
            let Some(attr) = attrs.iter().find(|attr| attr.name.text == field.name) else {
                continue;
            };
            let own = |term: &Term| {
                if term.mark < start {
                    attr.name.mark
                } else {
                    term.mark
                }
            };
            let part = Part::field(at);
            let mark = attr.value.as_ref().map_or(attr.name.mark, own);
            self.parts.push((origin, part, mark));
            if let Some(TermKind::List(entries)) = attr.value.as_ref().map(|value| &value.kind) {
                let entries = entries.iter().enumerate();
                self.parts
                    .extend(entries.map(|(entry, term)| (origin, part.entry(entry), own(term))));
            }
        }
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
        if let Some(value) = value {
            self.names.push(NameUse {
                at: name.mark,
                defined: name.mark,
                value,
            });
        }
        self.values.insert(name.text.clone(), (value, name.mark));
        self.log.push(name.text.clone());
    }

    fn read_type(&mut self, term: &Term) -> Option<L::Type> {
        match L::Type::read(term) {
            Ok(ty) => Some(ty),
            Err(error) => {
                let message = format!("not a type of `{}`: expected {}", L::NAME, error.expected);
                self.problems.push(error.diagnostic(Code::UnknownType, message));
                None
            }
        }
    }

    fn read_args(&mut self, block: Block, args: &[(Name, Term)]) {
        for (at, (name, term)) in args.iter().enumerate() {
            self.parts.push((self.current, Part::argument(at), name.mark));
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

    /// Records the marks of the parts of an op. `taken` are those of its operands, in textual order.
    fn place_op(&mut self, origin: Origin, kind: &L::Op, taken: &[Mark], tree: &OpTree) {
        let mut marks = taken.iter();
        kind.operand_parts(&mut |part, _| {
            self.parts.extend(marks.next().map(|&mark| (origin, part, mark)));
        });
        self.place_attrs(origin, kind.spec().fields, &tree.attrs, tree.name.mark);
        for (at, (name, ty)) in tree.results.iter().zip(&tree.types).enumerate() {
            let mark = if ty.mark < tree.name.mark {
                name.mark
            } else {
                ty.mark
            };
            self.parts.push((origin, Part::result(at), mark));
        }
    }

    fn read_op(&mut self, block: Block, tree: &OpTree) {
        let origin = Origin(u32::try_from(self.marks.len()).unwrap_or(u32::MAX - 1));
        self.marks.push(tree.name.mark);
        let outer = std::mem::replace(&mut self.current, origin);
        let mut reader = Reader::of_op(tree, tree.results.len(), self);
        let kind = match L::Op::read(&tree.name.text, &mut reader) {
            None => {
                let message = format!("unknown op `{}` in language `{}`", tree.name.text, L::NAME);
                let mut problem = Diagnostic::error(Code::UnknownOp, message).at(tree.name.mark, "not an op");
                let operand = tree.operands.iter().find_map(|operand| match operand {
                    OperandTree::Value(name) => reader.scope.element(name),
                    OperandTree::List(..) | OperandTree::Named(..) | OperandTree::Successor(..) => None,
                });
                let specs = L::Op::specs();
                let names = specs.iter().map(|spec| spec.name);
                if let Some(near) =
                    nearest_op(&tree.name.text, names, operand.and_then(ElementType::is_float))
                {
                    problem = problem.meant(tree.name.mark, near);
                }
                reader.scope.report(problem);
                None
            }
            Some(None) => None,
            Some(Some(kind)) => {
                let tag = L::Tag::read(&mut reader);
                let taken = std::mem::take(&mut reader.taken);
                reader.finish();
                self.place_op(origin, &kind, &taken, tree);
                Some((kind, tag))
            }
        };
        self.current = outer;
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
            Some(&(value, defined)) => {
                if let Some(value) = value {
                    self.names.push(NameUse {
                        at: name.mark,
                        defined,
                        value,
                    });
                }
                value
            }
            None => {
                if !self.undefined.insert(name.text.clone()) {
                    return None;
                }
                let mut problem = Diagnostic::error(
                    Code::UndefinedValue,
                    format!("`%{}` is not defined here", name.text),
                )
                .at(name.mark, "no definition before this use");
                if self.suggested < MAX_SUGGESTED {
                    self.suggested += 1;
                    let near = nearest_value(&name.text, self.values.keys().map(String::as_str));
                    if let Some(near) = near {
                        problem = problem.meant(name.mark, format!("%{near}"));
                    }
                }
                self.problems.push(problem);
                None
            }
        }
    }

    fn fields(&self, op: &str) -> Vec<&'static str> {
        let specs = L::Op::specs();
        let spec = specs.iter().find(|spec| spec.name == op);
        spec.map_or(&[][..], |spec| spec.fields)
            .iter()
            .map(|field| field.name)
            .collect()
    }

    fn element(&self, name: &Name) -> Option<ElementType> {
        let (value, _) = self.values.get(&name.text)?;
        self.body.ty((*value)?).element()
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
