//! Text of functions, printed one by one, and joined to a file with aliases for long terms.

use std::fmt::Write;

use rustc_hash::FxHashMap;

use super::entity::Origin;
use super::term::{Arg, Name, NamedTerm, Term, TermKind};
use super::tree::{FuncTree, OpTree, OperandTree, RegionTree};

/// Terms of at least this length that occur more than once get an alias.
const NAMED_FROM: usize = 24;

/// The calls that may get an alias.
const NAMED: &[&str] = &["linear", "facts"];

/// The text of one function. Terms that may get an alias are left as holes, since that depends on the other
/// functions: [`join_texts`] fills them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FuncText {
    text: Open,
    terms: Vec<OpenTerm>,
}

/// A text with holes for terms.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Open {
    text: String,
    /// For each hole, in order: the byte offset at which it is inserted, and the index of its term.
    holes: Vec<(usize, usize)>,
}

/// A term that may get an alias.
#[derive(Clone, Debug, PartialEq, Eq)]
struct OpenTerm {
    word: String,
    /// The text of the alias's definition.
    whole: String,
    /// The number of uses in the function, including those in other terms.
    uses: usize,
    /// The text in place of an alias.
    open: Open,
}

impl FuncText {
    /// The text of a function's syntax tree; `remark` is called with the mark of each op as an origin.
    pub(super) fn new(func: &FuncTree, remark: &dyn Fn(Origin) -> Option<String>) -> Self {
        let mut printer = Printer {
            terms: Some(Terms::default()),
            ..Printer::default()
        };
        printer.func(func, remark);
        Self {
            text: printer.out,
            terms: printer.terms.unwrap_or_default().list,
        }
    }

    /// Appends a text of this function with its holes filled.
    fn fill<'a>(&'a self, open: &'a Open, names: &mut Names<'a>, out: &mut String) {
        let mut from = 0;
        for &(at, index) in &open.holes {
            out.push_str(open.text.get(from..at).unwrap_or_default());
            from = at;
            let Some(term) = self.terms.get(index) else {
                continue;
            };
            match names.name(term) {
                Some(name) => {
                    out.push('#');
                    out.push_str(name);
                }
                None => self.fill(&term.open, names, out),
            }
        }
        out.push_str(open.text.get(from..).unwrap_or_default());
    }
}

/// The text of a file of these functions.
pub fn join_texts<'a>(funcs: impl IntoIterator<Item = &'a FuncText>) -> String {
    let funcs: Vec<_> = funcs.into_iter().collect();
    let mut names = Names::default();
    for term in funcs.iter().flat_map(|func| &func.terms) {
        *names.uses.entry(&term.whole).or_default() += term.uses;
    }
    let mut body = String::new();
    for (at, func) in funcs.iter().enumerate() {
        if at > 0 {
            body.push('\n');
        }
        func.fill(&func.text, &mut names, &mut body);
    }
    let mut text = String::new();
    for (name, term) in &names.definitions {
        // Writing to a string does not fail.
        let _ = writeln!(text, "#{name} = {term}");
    }
    if text.is_empty() {
        return body;
    }
    text.push('\n');
    text.push_str(&body);
    text
}

/// The aliases of a file.
#[derive(Default)]
struct Names<'a> {
    /// The number of uses of each term in the file.
    uses: FxHashMap<&'a str, usize>,
    /// The alias of each term that has one.
    names: FxHashMap<&'a str, String>,
    /// The number of aliases for each keyword.
    counts: FxHashMap<&'a str, usize>,
    /// Aliases and their definitions, in order of first use.
    definitions: Vec<(String, &'a str)>,
}

impl<'a> Names<'a> {
    /// The alias of a term, if it is used more than once.
    fn name(&mut self, term: &'a OpenTerm) -> Option<&str> {
        if self.uses.get(term.whole.as_str()).is_none_or(|&uses| uses < 2) {
            return None;
        }
        let name = self.names.entry(&term.whole).or_insert_with(|| {
            let count = self.counts.entry(&term.word).or_default();
            let name = format!("{}{count}", term.word);
            *count += 1;
            self.definitions.push((name.clone(), &term.whole));
            name
        });
        Some(name)
    }
}

/// The terms of a function that may get an alias.
#[derive(Default)]
struct Terms {
    list: Vec<OpenTerm>,
    known: FxHashMap<String, usize>,
}

impl Terms {
    /// Counts one more use of a term, and of the terms within it.
    fn count(&mut self, index: usize) {
        let Some(term) = self.list.get_mut(index) else {
            return;
        };
        term.uses += 1;
        let within: Vec<_> = term.open.holes.iter().map(|&(_, index)| index).collect();
        within.into_iter().for_each(|index| self.count(index));
    }
}

/// The text of one term.
pub fn term_text(term: &Term) -> String {
    let mut printer = Printer::default();
    printer.term(term);
    printer.out.text
}

/// Writes a text; with `terms`, it leaves holes for those that may get an alias.
#[derive(Default)]
struct Printer {
    out: Open,
    terms: Option<Terms>,
}

impl Write for Printer {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.push(text);
        Ok(())
    }
}

impl Printer {
    fn push(&mut self, text: &str) {
        self.out.text.push_str(text);
    }

    fn func(&mut self, func: &FuncTree, remark: &dyn Fn(Origin) -> Option<String>) {
        self.push(&func.keyword.text);
        self.push(" @");
        self.symbol(&func.name.text);
        self.args(&func.params);
        if !func.attrs.is_empty() {
            self.push(" ");
            self.dict(&func.attrs);
        }
        self.push(" body {\n");
        self.region(&func.body, 1, remark);
        self.push("}\n");
    }

    fn args(&mut self, args: &[(Name, Term)]) {
        self.push("(");
        self.list(args, |this, (name, ty)| {
            this.push("%");
            this.push(&name.text);
            this.push(": ");
            this.term(ty);
        });
        self.push(")");
    }

    fn indent(&mut self, depth: usize) {
        for _ in 0..depth {
            self.push("  ");
        }
    }

    fn region(&mut self, region: &RegionTree, depth: usize, remark: &dyn Fn(Origin) -> Option<String>) {
        for block in &region.blocks {
            if block.name.is_some() || !block.args.is_empty() {
                self.indent(depth.saturating_sub(1));
                self.push("^");
                if let Some(name) = &block.name {
                    self.push(&name.text);
                }
                if !block.args.is_empty() {
                    self.args(&block.args);
                }
                self.push(":\n");
            }
            for op in &block.ops {
                self.op(op, depth, remark);
            }
        }
    }

    fn op(&mut self, op: &OpTree, depth: usize, remark: &dyn Fn(Origin) -> Option<String>) {
        self.indent(depth);
        self.list(&op.results, Self::value);
        if !op.results.is_empty() {
            self.push(" = ");
        }
        self.push(&op.name.text);
        for (i, operand) in op.operands.iter().enumerate() {
            self.push(if i > 0 { ", " } else { " " });
            match operand {
                OperandTree::Value(name) => self.value(name),
                OperandTree::List(names, _) => {
                    self.push("[");
                    self.list(names, Self::value);
                    self.push("]");
                }
                OperandTree::Named(label, name) => {
                    self.push(&label.text);
                    self.push(" ");
                    self.value(name);
                }
                OperandTree::Successor(block, args) => {
                    self.push("^");
                    self.push(&block.text);
                    self.push("(");
                    self.list(args, Self::value);
                    self.push(")");
                }
            }
        }
        if !op.attrs.is_empty() {
            self.push(" ");
            self.dict(&op.attrs);
        }
        for (i, ty) in op.types.iter().enumerate() {
            self.push(if i > 0 { ", " } else { " : " });
            self.term(ty);
        }
        let words = remark(Origin(op.name.mark.0));
        let mut words = words.map(|words| format!("  // {words}")).unwrap_or_default();
        for (label, region) in &op.regions {
            self.push(" ");
            self.push(&label.text);
            self.push(" {");
            self.push(&std::mem::take(&mut words));
            self.push("\n");
            self.region(region, depth + 1, remark);
            self.indent(depth);
            self.push("}");
        }
        self.push(&words);
        self.push("\n");
    }

    fn value(&mut self, name: &Name) {
        self.push("%");
        self.push(&name.text);
    }

    fn list<T>(&mut self, items: &[T], mut write: impl FnMut(&mut Self, &T)) {
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                self.push(", ");
            }
            write(self, item);
        }
    }

    fn dict(&mut self, items: &[NamedTerm]) {
        self.push("{");
        self.list(items, |this, item| {
            this.push(&item.name.text);
            if let Some(value) = &item.value {
                this.push(" = ");
                this.term(value);
            }
        });
        self.push("}");
    }

    fn call(&mut self, word: &str, args: &[Arg]) {
        self.push(word);
        self.push("<");
        self.list(args, |this, arg| {
            if let Some(name) = &arg.name {
                this.push(&name.text);
                this.push(" = ");
            }
            this.term(&arg.value);
        });
        self.push(">");
    }

    /// Leaves a hole for a call that may get an alias, if it is long enough.
    fn open_call(&mut self, term: &Term, word: &str, args: &[Arg]) {
        let whole = term_text(term);
        let Some(terms) = self.terms.as_mut().filter(|_| whole.len() >= NAMED_FROM) else {
            return self.push(&whole);
        };
        let index = match terms.known.get(&whole) {
            Some(&index) => {
                terms.count(index);
                index
            }
            None => {
                let outside = std::mem::take(&mut self.out);
                self.call(word, args);
                let open = std::mem::replace(&mut self.out, outside);
                let Some(terms) = &mut self.terms else { return };
                let index = terms.list.len();
                terms.known.insert(whole.clone(), index);
                terms.list.push(OpenTerm {
                    word: word.to_owned(),
                    whole,
                    uses: 1,
                    open,
                });
                index
            }
        };
        self.out.holes.push((self.out.text.len(), index));
    }

    fn symbol(&mut self, symbol: &str) {
        if is_plain_word(symbol) {
            self.push(symbol);
        } else {
            self.string(symbol);
        }
    }

    fn string(&mut self, string: &str) {
        let text = &mut self.out.text;
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
                    // Writing to a string does not fail.
                    let _ = write!(text, "\\u{{{:x}}}", u32::from(c));
                }
                c => text.push(c),
            }
        }
        text.push('"');
    }

    fn term(&mut self, term: &Term) {
        // Writing to a string does not fail.
        match &term.kind {
            TermKind::Int(value) => {
                let _ = write!(self, "{value}");
            }
            TermKind::Float(number) => self.push(number),
            TermKind::Bits(bits) => {
                let _ = write!(self, "0x{bits:X}");
            }
            TermKind::Str(string) => self.string(string),
            TermKind::Word(word) => self.push(word),
            TermKind::Symbol(name) => {
                self.push("@");
                self.symbol(name);
            }
            TermKind::Unknown => self.push("?"),
            TermKind::Call(word, args) if self.terms.is_some() && NAMED.contains(&word.as_str()) => {
                self.open_call(term, word, args);
            }
            TermKind::Call(word, args) => self.call(word, args),
            TermKind::Dims(extents, element) => {
                for extent in extents {
                    match extent {
                        Some(n) => {
                            let _ = write!(self, "{n}x");
                        }
                        None => self.push("?x"),
                    }
                }
                self.term(element);
            }
            TermKind::List(items) => {
                self.push("[");
                self.list(items, Self::term);
                self.push("]");
            }
            TermKind::Tuple(items) => {
                self.push("(");
                self.list(items, Self::term);
                self.push(")");
            }
            TermKind::Dict(items) => self.dict(items),
            TermKind::Alias(name) => {
                self.push("#");
                self.push(name);
            }
        }
    }
}

/// Whether a symbol or a word needs no quotes.
pub fn is_plain_word(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$'))
}
