//! Bodies of functions: regions, statements, and the names of values.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use tilewright_diagnostics::{Code, Diagnostic, FileId, Span};
use tilewright_irs::core::{
    Block, Body, Entity as _, NameUse, Operation as _, Origin, Region, ResultCount, Value, nearest,
};
use tilewright_irs::cute_types::Dialect;
use tilewright_irs::mlir::dialects::ScfOp;
use tilewright_irs::mlir::reader::TextReader;
use tilewright_irs::mlir::scan::{Read, Wrong};
use tilewright_irs::mlir::{Dictionary, FieldKind, FieldValue, Mlir, MlirOp, MlirOpSpec, Type};

use super::diagnostic;

/// How deep regions may be nested.
const MAX_DEPTH: usize = 100;

/// After so many errors, nothing more is read.
const MAX_PROBLEMS: usize = 1000;

/// The largest number of results in one group.
const MAX_RESULTS: usize = 4096;

/// `%name: type`: an argument of a block.
pub(super) struct Argument<'a> {
    pub(super) name: &'a str,
    pub(super) at: Span,
    pub(super) ty: Type,
}

impl<'a> Argument<'a> {
    pub(super) fn read(text: &mut TextReader<'a>, file: FileId) -> Read<Self> {
        let (name, at) = name(text, file)?;
        text.scan.expect(":")?;
        let ty = text.ty()?;
        Ok(Self { name, at, ty })
    }
}

/// `%name`, without its sigil.
fn name<'a>(text: &mut TextReader<'a>, file: FileId) -> Read<(&'a str, Span)> {
    text.scan.skip();
    let start = text.scan.at();
    if !text.scan.eat("%") {
        return text.scan.wrong("a value");
    }
    match text.scan.name() {
        "" => text.scan.wrong("the name of a value"),
        name => Ok((name, Span::new(file, start, text.scan.at()))),
    }
}

/// `%name` or `%name:3` before an equals sign.
#[derive(Clone, Copy)]
pub(super) struct Group<'a> {
    name: &'a str,
    count: usize,
    at: Span,
}

/// What a name stands for: values that follow each other.
#[derive(Clone, Copy)]
struct Named {
    first: Value,
    count: usize,
    at: Span,
}

/// The body of a function, as far as it was read.
pub(super) struct FunctionText {
    pub(super) body: Body<Mlir>,
    /// Where the ops are, by origin.
    pub(super) ops: Vec<Span>,
    /// The names of values, in textual order.
    pub(super) names: Vec<NameUse<Span>>,
}

impl FunctionText {
    /// The same in textual order, for a function without errors.
    pub(super) fn renumbered(self) -> Self {
        let (body, renamed) = self.body.renumbered_with_values();
        let names = self.names.into_iter().map(|name| NameUse {
            value: renamed(name.value),
            ..name
        });
        Self {
            names: names.collect(),
            ops: self.ops,
            body,
        }
    }
}

/// The parts of an op between its name and its end.
pub(super) struct Parts {
    pub(super) fields: SmallVec<[FieldValue; 8]>,
    pub(super) results: Vec<Type>,
    /// Whether the types of the results are not known, since those of operands are not.
    pub(super) unknown: bool,
    pub(super) discardable: Dictionary,
}

impl Parts {
    pub(super) fn of(spec: &MlirOpSpec) -> Self {
        Self {
            fields: spec.fields.iter().map(|_| FieldValue::Absent).collect(),
            results: Vec::new(),
            unknown: false,
            discardable: Dictionary::default(),
        }
    }

    /// Sets a field.
    pub(super) fn set(&mut self, field: usize, value: FieldValue) {
        if let Some(place) = self.fields.get_mut(field) {
            *place = value;
        }
    }

    /// The operands of a field.
    pub(super) fn operands_of(&self, field: usize) -> &[Value] {
        match self.fields.get(field) {
            Some(FieldValue::Operand(value)) => std::slice::from_ref(value),
            Some(FieldValue::Operands(values)) => values,
            _ => &[],
        }
    }

    /// Every operand.
    pub(super) fn operands(&self, spec: &MlirOpSpec) -> SmallVec<[Value; 8]> {
        let fields = spec
            .operands()
            .flat_map(|(field, _)| self.operands_of(field).iter().copied());
        fields.collect()
    }
}

pub(super) struct BodyReader<'a, 'r> {
    pub(super) text: &'r mut TextReader<'a>,
    pub(super) file: FileId,
    problems: &'r mut Vec<Diagnostic<Span>>,
    pub(super) body: Body<Mlir>,
    values: FxHashMap<&'a str, Named>,
    /// The names that are in scope, in the order of their definitions.
    scope: Vec<&'a str>,
    /// Values of statements that are broken.
    unknown: FxHashSet<Value>,
    ops: Vec<Span>,
    names: Vec<NameUse<Span>>,
    depth: usize,
    /// The op that `return` stands for.
    ending: &'static str,
    /// Whether nothing more is read after an error.
    fatal: bool,
}

impl<'a, 'r> BodyReader<'a, 'r> {
    pub(super) fn new(
        text: &'r mut TextReader<'a>,
        file: FileId,
        problems: &'r mut Vec<Diagnostic<Span>>,
        ending: &'static str,
    ) -> Self {
        Self {
            text,
            file,
            problems,
            body: Body::default(),
            values: FxHashMap::default(),
            scope: Vec::new(),
            unknown: FxHashSet::default(),
            ops: Vec::new(),
            names: Vec::new(),
            depth: 0,
            ending,
            fatal: false,
        }
    }

    /// The body of a function, in braces: with these arguments, or, in the generic form, with those of its block.
    pub(super) fn function(&mut self, arguments: Option<Vec<Argument<'a>>>, generic: bool) -> Read<()> {
        let root = self.body.root();
        let explicit = arguments.unwrap_or_default();
        self.region_into(root, explicit, !generic)?;
        if self.body.entry().is_none() {
            let start = self.text.scan.at();
            let message = "a function has a body of one block";
            return self
                .text
                .scan
                .wrong_since(start, Code::RegionCount, message, "no block before this");
        }
        self.check_end(root);
        Ok(())
    }

    /// What was read.
    pub(super) fn into_text(self) -> FunctionText {
        let mut names = self.names;
        names.sort_by_key(|name| name.at.start);
        FunctionText {
            body: self.body,
            ops: self.ops,
            names,
        }
    }

    fn report(&mut self, wrong: Wrong) {
        self.problems.push(diagnostic(wrong, self.file));
    }

    /// A region in braces. With arguments it has a block even without ops.
    pub(super) fn region(&mut self, arguments: Vec<Argument<'a>>, has_block: bool) -> Read<Region> {
        let region = self.body.add_region();
        self.region_into(region, arguments, has_block)?;
        Ok(region)
    }

    fn region_into(&mut self, region: Region, arguments: Vec<Argument<'a>>, has_block: bool) -> Read<()> {
        let start = self.text.scan.at();
        self.text.scan.expect("{")?;
        if self.depth >= MAX_DEPTH {
            self.fatal = true;
            let message = format!("regions are nested deeper than {MAX_DEPTH}");
            return self
                .text
                .scan
                .wrong_since(start, Code::InputTooLarge, message, "too deep");
        }
        self.depth += 1;
        let scope = self.scope.len();
        let mut block = has_block.then(|| self.body.add_block(region));
        if let Some(block) = block {
            self.arguments(block, arguments);
        }
        loop {
            match self.text.scan.peek() {
                Some(b'}') | None => break,
                Some(b'^') => {
                    let start = self.text.scan.at();
                    let label = self.label()?;
                    if block.is_some_and(|block| !self.body.block(block).ops.is_empty() || !has_block) {
                        let message = "a region has one block";
                        return self.text.scan.wrong_since(
                            start,
                            Code::RegionCount,
                            message,
                            "a further block",
                        );
                    }
                    let own = *block.get_or_insert_with(|| self.body.add_block(region));
                    self.arguments(own, label);
                }
                _ => {
                    let own = *block.get_or_insert_with(|| self.body.add_block(region));
                    self.statement(own)?;
                }
            }
        }
        if !self.text.scan.eat("}") {
            self.fatal = true;
            self.text.scan.move_to(start + 1);
            return self.text.scan.wrong_since(
                start,
                Code::UnclosedDelimiter,
                "a region is not closed",
                "opened here",
            );
        }
        for name in self.scope.drain(scope..) {
            self.values.remove(name);
        }
        self.depth -= 1;
        Ok(())
    }

    /// `^bb0(%a: T):`
    fn label(&mut self) -> Read<Vec<Argument<'a>>> {
        self.text.scan.expect("^")?;
        self.text.scan.name();
        let file = self.file;
        let arguments = match self.text.scan.eat("(") {
            true => self.text.list(")", |text| Argument::read(text, file))?,
            false => Vec::new(),
        };
        self.text.scan.expect(":")?;
        Ok(arguments)
    }

    fn arguments(&mut self, block: Block, arguments: Vec<Argument<'a>>) {
        for Argument { name, at, ty } in arguments {
            let first = self.body.add_arg(block, ty);
            self.define(name, Named { first, count: 1, at });
        }
    }

    fn define(&mut self, name: &'a str, named: Named) {
        if let Some(first) = self.values.get(name) {
            let problem = Diagnostic::error(Code::Redefinition, format!("`%{name}` is defined twice"))
                .at(named.at, "defined again here")
                .also(first.at, "first defined here");
            self.problems.push(problem);
            return;
        }
        for result in 0..named.count {
            self.names.push(NameUse {
                at: named.at,
                defined: named.at,
                value: Value::new(named.first.index() + result),
            });
        }
        self.values.insert(name, named);
        self.scope.push(name);
    }

    /// Whether a value is that of a broken statement.
    pub(super) fn is_unknown(&self, value: Value) -> bool {
        !self.unknown.is_empty() && self.unknown.contains(&value)
    }

    /// A name that is defined before an equals sign or in parentheses.
    pub(super) fn new_name(&mut self) -> Read<(&'a str, Span)> {
        name(self.text, self.file)
    }

    /// A use of a value: `%name` or `%name#1`.
    pub(super) fn value(&mut self) -> Read<Value> {
        let (name, at) = name(self.text, self.file)?;
        let mut result = 0usize;
        if self.text.scan.here() == Some(b'#') {
            self.text.scan.eat("#");
            result = self.text.scan.integer("the number of a result")?;
        }
        match self.values.get(name) {
            Some(named) if result < named.count => {
                let value = Value::new(named.first.index() + result);
                self.names.push(NameUse {
                    at: Span::new(self.file, at.start as usize, self.text.scan.at()),
                    defined: named.at,
                    value,
                });
                Ok(value)
            }
            Some(named) => {
                let message = format!("`%{name}` has {} results, and no result {result}", named.count);
                let start = at.start as usize;
                self.text
                    .scan
                    .wrong_since(start, Code::UndefinedValue, message, "no such result")
            }
            None => {
                let like = nearest(name, self.values.keys().copied());
                let like = like
                    .map(|like| format!("; did you mean `%{like}`?"))
                    .unwrap_or_default();
                let message = format!("`%{name}` is not defined before this use");
                let start = at.start as usize;
                self.text
                    .scan
                    .wrong_since(start, Code::UndefinedValue, message, format!("undefined{like}"))
            }
        }
    }

    /// An op; if it is broken, it is reported and skipped.
    fn statement(&mut self, block: Block) -> Read<()> {
        let start = self.text.scan.at();
        let mut groups = SmallVec::new();
        if let Err(wrong) = self.groups(&mut groups).and_then(|()| self.op(block, &groups)) {
            if self.fatal || self.problems.len() >= MAX_PROBLEMS {
                self.fatal = true;
                return Err(wrong);
            }
            self.report(*wrong);
            self.text.scan.move_to(start);
            self.skip_statement();
            self.define_unknown(&groups);
        }
        Ok(())
    }

    /// Defines the results of a broken statement, so that their uses are not reported.
    fn define_unknown(&mut self, groups: &[Group<'a>]) {
        for group in groups {
            let first = self.body.add_result(Type::None);
            self.unknown.insert(first);
            for _ in 1..group.count {
                let next = self.body.add_result(Type::None);
                self.unknown.insert(next);
            }
            if !self.values.contains_key(group.name) {
                self.define(
                    group.name,
                    Named {
                        first,
                        count: group.count,
                        at: group.at,
                    },
                );
            }
        }
    }

    /// `%a, %b:2 =`, if present.
    fn groups(&mut self, groups: &mut SmallVec<[Group<'a>; 2]>) -> Read<()> {
        if self.text.scan.peek() != Some(b'%') {
            return Ok(());
        }
        loop {
            let (name, at) = self.new_name()?;
            let mut count = 1;
            if self.text.scan.here() == Some(b':') {
                self.text.scan.eat(":");
                let start = self.text.scan.at();
                count = self.text.scan.integer("a number of results")?;
                if !(1..=MAX_RESULTS).contains(&count) {
                    let message = format!("a group has from 1 to {MAX_RESULTS} results");
                    return self.text.scan.wrong_since(
                        start,
                        Code::ResultCount,
                        message,
                        "not such a number",
                    );
                }
            }
            groups.push(Group { name, count, at });
            if !self.text.scan.eat(",") {
                return self.text.scan.expect("=");
            }
        }
    }

    /// An op after the names of its results.
    fn op(&mut self, block: Block, groups: &[Group<'a>]) -> Read<()> {
        let generic = self.text.scan.peek() == Some(b'"');
        let start = self.text.scan.at() + usize::from(generic);
        self.text.scan.move_to(start);
        let word = self.text.scan.word("an op")?;
        let end = self.text.scan.at();
        if generic {
            self.text.scan.expect("\"")?;
        }
        let name = match word {
            "return" => self.ending,
            word => word,
        };
        let Some(spec) = MlirOp::by_mlir_name(name, self.text.dialect) else {
            self.text.scan.move_to(end);
            return self.unknown_op(name, start);
        };
        let index = self.ops.len();
        self.ops.push(Span::new(self.file, start, end));
        let origin = Origin(u32::try_from(index).unwrap_or(u32::MAX - 1));
        let named: usize = groups.iter().map(|group| group.count).sum();
        let read = match generic {
            true => self.generic(spec, start),
            false => self.custom(spec, start, named),
        };
        let parts = match read {
            Ok(parts) => parts,
            Err(wrong) => {
                self.ops.truncate(index);
                return Err(wrong);
            }
        };
        self.text.scan.skip();
        if self.text.scan.rest().starts_with("loc(") {
            self.text.scan.eat_word("loc");
            self.text.location()?;
        }
        self.finish(block, groups, spec, parts, (start, end), origin)
    }

    /// An error about the op whose name begins at `start`.
    pub(super) fn wrong_op<T>(&self, start: usize, code: Code, message: String, label: &str) -> Read<T> {
        let mut name = self.text.scan;
        name.move_to(start);
        name.take_word();
        name.wrong_since(start, code, message, label)
    }

    fn unknown_op<T>(&mut self, name: &str, start: usize) -> Read<T> {
        if matches!(
            name,
            "func.func" | "cuda.kernel" | "gpu.module" | "builtin.module" | "module"
        ) {
            let message = format!("`{name}` does not stand in a function");
            return self
                .text
                .scan
                .wrong_since(start, Code::MisplacedOp, message, "in the wrong place");
        }
        let dialect = name.split('.').next().unwrap_or(name);
        let known = MlirOp::mlir_specs().filter_map(|spec| spec.name_in(self.text.dialect));
        let (message, label) = match (dialect, self.text.dialect) {
            ("cute" | "cute_nvgpu", Dialect::Open) => (
                format!("`{name}` is no op of the open dialect `cute`, of which the text is"),
                "not an op of that dialect",
            ),
            ("cute" | "cute_nvgpu", Dialect::Library) => (
                format!(
                    "`{name}` is no op of `{dialect}` in version 4.8.1 of CUTLASS's library, which is the one read here"
                ),
                "an op of another version",
            ),
            _ => (format!("`{name}` is no op that is known here"), "an unknown op"),
        };
        let like = nearest(name, known).map(|like| format!("; did you mean `{like}`?"));
        let label = format!("{label}{}", like.unwrap_or_default());
        self.text.scan.wrong_since(start, Code::UnknownOp, message, label)
    }

    /// Builds an op and defines its results.
    fn finish(
        &mut self,
        block: Block,
        groups: &[Group<'a>],
        spec: &'static MlirOpSpec,
        mut parts: Parts,
        (start, end): (usize, usize),
        origin: Origin,
    ) -> Read<()> {
        let wrong = |code, message: String, label: &str| {
            Err(Box::new(Wrong {
                start,
                end,
                code,
                message,
                label: label.to_owned(),
            }))
        };
        let named: usize = groups.iter().map(|group| group.count).sum();
        let count = parts.results.len();
        if let ResultCount::Exactly(own) = spec.results
            && own != count
            && !parts.unknown
        {
            let message = format!(
                "`{}` has {own} results, and the text gives {count} types",
                spec.shown_in(self.text.dialect)
            );
            return wrong(Code::ResultCount, message, "another number of results");
        }
        if named != 0 && named != count && !parts.unknown {
            let message = format!(
                "`{}` has {count} results here, and the text names {named}",
                spec.shown_in(self.text.dialect)
            );
            return wrong(Code::ResultCount, message, "another number of names");
        }
        if self
            .body
            .terminator(block)
            .is_some_and(|last| self.body.op(last).kind.is_terminator())
        {
            let message = format!(
                "`{}` comes after the end of its block",
                spec.shown_in(self.text.dialect)
            );
            return wrong(Code::MisplacedOp, message, "never executed");
        }
        let op = match (spec.build)(&mut parts.fields) {
            Ok(op) => op,
            Err(field) => {
                let field = spec.fields.get(field);
                let (code, what) = match field.map(|field| field.kind) {
                    Some(kind) => missing(kind),
                    None => (Code::MissingAttribute, "a part"),
                };
                let name = field.map_or("", |field| field.name);
                return wrong(
                    code,
                    format!("`{}` lacks {what} `{name}`", spec.shown_in(self.text.dialect)),
                    "something is missing",
                );
            }
        };
        if parts.unknown {
            self.define_unknown(groups);
            return Ok(());
        }
        let id = self
            .body
            .add_op(block, op, parts.results, origin, parts.discardable);
        let mut results = self.body.op(id).results();
        for group in groups {
            if let Some(first) = results.next() {
                for _ in 1..group.count {
                    results.next();
                }
                self.define(
                    group.name,
                    Named {
                        first,
                        count: group.count,
                        at: group.at,
                    },
                );
            }
        }
        Ok(())
    }

    /// Ends a block as its op's own text lets it end, without a last op.
    pub(super) fn end_implied(&mut self, region: Region) {
        let Some(&block) = self.body.region(region).blocks.first() else {
            return;
        };
        let ended = self
            .body
            .terminator(block)
            .is_some_and(|last| self.body.op(last).kind.is_terminator());
        if ended {
            return;
        }
        let at = self.text.scan.at();
        let origin = Origin(u32::try_from(self.ops.len()).unwrap_or(u32::MAX - 1));
        self.ops.push(Span::new(self.file, at.saturating_sub(1), at));
        let op = MlirOp::Scf(ScfOp::Yield { results: Vec::new() });
        self.body.add_op(block, op, [], origin, Dictionary::default());
    }

    /// Reports a block that does not end.
    pub(super) fn check_end(&mut self, region: Region) {
        let block = self.body.only_block(region).filter(|_| self.problems.is_empty());
        let Some(block) = block else {
            return;
        };
        let ends = self
            .body
            .terminator(block)
            .is_some_and(|last| self.body.op(last).kind.is_terminator());
        if !ends {
            let end = self.text.scan.at();
            let at = Span::new(self.file, end.saturating_sub(1), end);
            let message = "a block ends with an op that says what follows it";
            self.problems
                .push(Diagnostic::error(Code::MissingTerminator, message).at(at, "no such op before this"));
        }
    }

    /// Skips a statement with the regions in it: up to a line that begins another one, or the brace that ends the region.
    fn skip_statement(&mut self) {
        let mut depth = 0usize;
        let mut at = self.text.scan.at();
        let text = self.text.scan.text();
        let bytes = text.as_bytes();
        let mut quoted = false;
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b'"' => quoted = !quoted,
                b'\\' if quoted => at += 1,
                b'\n' => {
                    quoted = false;
                    if depth == 0 && begins_statement(text.get(at..).unwrap_or_default().trim_start()) {
                        break;
                    }
                }
                b'{' if !quoted => depth += 1,
                b'}' if !quoted => match depth.checked_sub(1) {
                    Some(outer) => depth = outer,
                    None => break,
                },
                _ => {}
            }
            at += 1;
        }
        // A statement has at least one character: what follows is another one.
        let start = self.text.scan.at();
        let first = text
            .get(start..)
            .and_then(|rest| rest.chars().next())
            .map_or(1, char::len_utf8);
        self.text.scan.move_to(at.max(start + first).min(bytes.len()));
    }
}

/// Whether a line begins a statement, or ends a region.
fn begins_statement(line: &str) -> bool {
    let word = line
        .split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '.'))
        .next();
    line.starts_with(['%', '"', '^', '}']) || word.is_some_and(|word| word.contains('.') || word == "return")
}

/// The error about a missing field, and what the field is.
const fn missing(kind: FieldKind) -> (Code, &'static str) {
    match kind {
        FieldKind::Operand | FieldKind::OptionalOperand | FieldKind::Operands => {
            (Code::OperandCount, "the operand")
        }
        FieldKind::Region => (Code::RegionCount, "the region"),
        FieldKind::Flag | FieldKind::Property(_) | FieldKind::OptionalProperty(_) => {
            (Code::MissingAttribute, "the property")
        }
    }
}
