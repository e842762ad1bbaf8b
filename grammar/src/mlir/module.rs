//! Modules, modules of the GPU, kernels and functions.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use tilewright_diagnostics::{Code, Diagnostic, FileId, Span};
use tilewright_irs::core::{Body, Func};
use tilewright_irs::cute_types::Dialect;
use tilewright_irs::mlir::open::OPEN_MARK;
use tilewright_irs::mlir::reader::TextReader;
use tilewright_irs::mlir::scan::{Read, Wrong};
use tilewright_irs::mlir::types::FunctionType;
use tilewright_irs::mlir::{
    Attribute, Dictionary, FunctionAttributes, GpuModule, Item, Mlir, MlirModule, Type,
};

use super::body::{Argument, BodyReader};
use super::{ParsedMlir, ReadMlir, diagnostic};
use crate::snapshot::header_length;
use crate::stages::FuncSpans;

/// Reads a file.
pub(super) struct ModuleReader<'a> {
    text: TextReader<'a>,
    file: FileId,
    problems: Vec<Diagnostic<Span>>,
    places: Vec<FuncSpans>,
    partial: Vec<(Func<Mlir>, FuncSpans)>,
}

/// The head of a kernel or of a function.
struct Head<'a> {
    name: String,
    /// The name in the text.
    at: Span,
    arguments: Option<Vec<Argument<'a>>>,
    ty: FunctionType,
    attributes: Vec<(Arc<str>, Attribute)>,
}

/// What stands in a module or in a module of the GPU.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Function,
    Kernel,
    GpuModule,
}

impl<'a> ModuleReader<'a> {
    pub(super) fn new(text: &'a str, file: FileId) -> Self {
        let mut reader = TextReader::new(text);
        reader.scan.move_to(header_length(text));
        Self {
            text: reader,
            file,
            problems: Vec::new(),
            places: Vec::new(),
            partial: Vec::new(),
        }
    }

    pub(super) fn read(mut self) -> ParsedMlir {
        let mut module = MlirModule::default();
        if let Err(wrong) = self.file(&mut module) {
            self.problems.push(diagnostic(*wrong, self.file));
            let items = std::mem::take(&mut module.items).into_iter();
            let functions = items.flat_map(|item| match item {
                Item::Gpu(gpu) => gpu.kernels,
                Item::Function(function) => vec![function],
            });
            self.give_up(functions.collect());
        }
        ParsedMlir {
            read: ReadMlir {
                module,
                places: self.places,
            },
            partial: self.partial,
            diagnostics: self.problems,
        }
    }

    /// Hands on the functions that were read last as such with errors: an error after them ends the reading.
    fn give_up(&mut self, functions: Vec<Func<Mlir>>) {
        let first = self.places.len().saturating_sub(functions.len());
        let places = self.places.split_off(first);
        self.partial.extend(functions.into_iter().zip(places));
    }

    fn file(&mut self, module: &mut MlirModule) -> Read<()> {
        while self.text.alias()? {}
        if self.text.scan.eat("\"builtin.module\"") {
            self.text.scan.expect("(")?;
            self.text.scan.expect(")")?;
            module.attributes = self.properties()?;
            self.unmark(module);
            self.text.scan.expect("(")?;
            self.items_in_braces(&mut module.items)?;
            self.text.scan.expect(")")?;
            let attributes = self.rest_of_generic()?;
            module.attributes = joined(&module.attributes, &attributes);
        } else if self.text.scan.eat_word("module") || self.text.scan.eat_word("builtin.module") {
            let name = match self.text.scan.peek() {
                Some(b'@') => Some(self.text.symbol_name()?),
                _ => None,
            };
            module.attributes = self.keyword_attributes()?;
            if let Some(name) = name {
                let name = Dictionary::new(vec![("sym_name".into(), Attribute::String(name.into()))]);
                module.attributes = joined(&module.attributes, &name);
            }
            self.unmark(module);
            self.items_in_braces(&mut module.items)?;
        } else if self.text.scan.peek_word().contains('.') || self.text.scan.peek() == Some(b'"') {
            self.text.dialect = Dialect::Open;
            return self.items(&mut module.items, |text| text.scan.peek().is_none());
        } else {
            return self.text.scan.wrong("`module` or `\"builtin.module\"`");
        }
        self.location()?;
        // Locations may be defined after their uses.
        while self.text.alias()? {}
        match self.text.scan.peek() {
            None => Ok(()),
            Some(_) => self.text.scan.wrong("the end of the text"),
        }
    }

    fn location(&mut self) -> Read<()> {
        match self.text.scan.eat_word("loc") {
            true => self.text.location(),
            false => Ok(()),
        }
    }

    /// `<{…}>`, if present.
    fn properties(&mut self) -> Read<Dictionary> {
        if !self.text.scan.eat("<") {
            return Ok(Dictionary::default());
        }
        let properties = self.text.dictionary()?;
        self.text.scan.expect(">")?;
        Ok(properties)
    }

    /// `attributes {…}`, if present.
    fn keyword_attributes(&mut self) -> Read<Dictionary> {
        match self.text.scan.eat_word("attributes") {
            true => self.text.dictionary(),
            false => Ok(Dictionary::default()),
        }
    }

    /// `{…} : () -> ()`
    fn rest_of_generic(&mut self) -> Read<Dictionary> {
        let attributes = match self.text.scan.peek() {
            Some(b'{') => self.text.dictionary()?,
            _ => Dictionary::default(),
        };
        for part in [":", "(", ")", "->", "(", ")"] {
            self.text.scan.expect(part)?;
        }
        Ok(attributes)
    }

    /// Takes the mark of the open dialect out of a module's attributes.
    fn unmark(&mut self, module: &mut MlirModule) {
        if module.attributes.get(OPEN_MARK).is_some() {
            module.attributes = without(&module.attributes, &[OPEN_MARK]);
            self.text.dialect = Dialect::Open;
        }
    }

    /// The parts of a module, in braces.
    fn items_in_braces(&mut self, items: &mut Vec<Item>) -> Read<()> {
        self.text.scan.expect("{")?;
        self.items(items, |text| text.scan.eat("}"))
    }

    /// The parts of a module up to its end.
    fn items(
        &mut self,
        items: &mut Vec<Item>,
        mut ends: impl FnMut(&mut TextReader<'a>) -> bool,
    ) -> Read<()> {
        let mut names = FxHashSet::default();
        while !ends(&mut self.text) {
            let start = self.text.scan.at();
            let (kind, generic) = self.kind()?;
            let item = match kind {
                Kind::GpuModule => Some(Item::Gpu(self.gpu_module(generic)?)),
                Kind::Function => self.function(start, generic, "func.return")?.map(Item::Function),
                Kind::Kernel => {
                    let message = "a kernel is in a module of the GPU";
                    return self.text.scan.wrong_since(
                        start,
                        Code::MisplacedOp,
                        message,
                        "not in `gpu.module`",
                    );
                }
            };
            let Some(item) = item else {
                continue;
            };
            let name = match &item {
                Item::Gpu(module) => &module.name,
                Item::Function(function) => &function.name,
            };
            self.unique(&mut names, name, start);
            items.push(item);
        }
        Ok(())
    }

    /// Reports a symbol that is defined twice.
    fn unique(&mut self, names: &mut FxHashSet<String>, name: &str, start: usize) {
        if !names.insert(name.to_owned()) {
            let message = format!("`@{name}` is defined twice");
            let at = Span::new(self.file, start, start);
            let problem = Diagnostic::error(Code::DuplicateSymbol, message).at(at, "defined again here");
            self.problems.push(problem);
        }
    }

    /// What comes next in a module, and whether it is in the generic form.
    fn kind(&mut self) -> Read<(Kind, bool)> {
        let generic = self.text.scan.eat("\"");
        let start = self.text.scan.at();
        let word = self.text.scan.word("a function or a module of the GPU")?;
        let kind = match word {
            "func.func" => Kind::Function,
            "cuda.kernel" => Kind::Kernel,
            "gpu.module" => Kind::GpuModule,
            _ => {
                let message = format!("`{word}` does not stand in a module");
                let label = "expected `func.func`, `gpu.module` or `cuda.kernel`";
                return self
                    .text
                    .scan
                    .wrong_since(start, Code::MisplacedOp, message, label);
            }
        };
        if generic {
            self.text.scan.expect("\"")?;
            self.text.scan.expect("(")?;
            self.text.scan.expect(")")?;
        }
        Ok((kind, generic))
    }

    fn gpu_module(&mut self, generic: bool) -> Read<GpuModule> {
        let (name, attributes) = if generic {
            let properties = self.properties()?;
            self.text.scan.expect("(")?;
            let name = self.own_name(&properties)?;
            (name, without(&properties, &["sym_name"]))
        } else {
            let name = self.text.symbol_name()?;
            (name, self.keyword_attributes()?)
        };
        let mut module = GpuModule {
            name,
            attributes,
            kernels: Vec::new(),
        };
        match self.kernels(generic, &mut module) {
            Ok(()) => Ok(module),
            Err(wrong) => {
                self.give_up(module.kernels);
                Err(wrong)
            }
        }
    }

    /// The kernels of a module of the GPU, and the rest of its text.
    fn kernels(&mut self, generic: bool, module: &mut GpuModule) -> Read<()> {
        self.text.scan.expect("{")?;
        let mut names = FxHashSet::default();
        while !self.text.scan.eat("}") {
            let start = self.text.scan.at();
            let (kind, generic) = self.kind()?;
            if kind != Kind::Kernel {
                let message = "a module of the GPU has kernels only";
                return self
                    .text
                    .scan
                    .wrong_since(start, Code::MisplacedOp, message, "not a `cuda.kernel`");
            }
            if let Some(kernel) = self.function(start, generic, "cuda.return")? {
                self.unique(&mut names, &kernel.name, start);
                module.kernels.push(kernel);
            }
        }
        if generic {
            self.text.scan.expect(")")?;
            let attributes = self.rest_of_generic()?;
            module.attributes = joined(&module.attributes, &attributes);
        }
        self.location()
    }

    /// The property `sym_name`.
    fn own_name(&mut self, properties: &Dictionary) -> Read<String> {
        match properties.get("sym_name") {
            Some(Attribute::String(name)) => Ok(name.to_string()),
            _ => {
                let start = self.text.scan.at();
                let message = "the property `sym_name`, a string, is missing";
                self.text
                    .scan
                    .wrong_since(start, Code::MissingAttribute, message, "no name before this")
            }
        }
    }

    /// A kernel or a function after its op, which begins at `start`; `None` if its body has errors, which are reported.
    fn function(&mut self, start: usize, generic: bool, ending: &'static str) -> Read<Option<Func<Mlir>>> {
        let mut head = if generic {
            self.generic_head()?
        } else {
            self.custom_head()?
        };
        let before = self.problems.len();
        let mut reader = BodyReader::new(&mut self.text, self.file, &mut self.problems, ending);
        let read = reader.function(head.arguments.take(), generic);
        let mut text = reader.into_text();
        let read = read.and_then(|()| self.rest_of_function(generic, &mut head, &text.body));
        let sound = read.is_ok() && self.problems.len() == before;
        let end = match read {
            Ok(()) => self.text.scan.at(),
            // Nothing is read after it.
            Err(_) => self.text.scan.text().len(),
        };
        if sound {
            text = text.renumbered();
        }
        let written = self.text.scan.text().get(start..end).unwrap_or_default();
        let spans = FuncSpans {
            name: head.at,
            ops: text.ops,
            whole: Span::new(self.file, start, start + written.trim_end().len()),
            names: text.names,
            parts: Vec::new(),
        };
        let function = Func {
            name: head.name,
            attrs: FunctionAttributes {
                dialect: self.text.dialect,
                results: head.ty.results,
                attributes: Dictionary::new(head.attributes),
            },
            body: text.body,
        };
        if sound {
            self.places.push(spans);
            return Ok(Some(function));
        }
        self.partial.push((function, spans));
        read.map(|()| None)
    }

    /// What follows the body of a function.
    fn rest_of_function(&mut self, generic: bool, head: &mut Head<'a>, body: &Body<Mlir>) -> Read<()> {
        if generic {
            let arguments = body.params().iter().map(|&param| body.ty(param));
            if !arguments.eq(&head.ty.arguments) {
                let message = format!(
                    "the arguments of `@{}` are not of the types of `function_type`",
                    head.name
                );
                let (start, end) = (head.at.start as usize, head.at.end as usize);
                return Err(Box::new(Wrong {
                    start,
                    end,
                    code: Code::BlockArguments,
                    message,
                    label: "of this function".to_owned(),
                }));
            }
            self.text.scan.expect(")")?;
            let attributes = self.rest_of_generic()?;
            head.attributes.extend(attributes.entries().iter().cloned());
        }
        self.location()
    }

    fn generic_head(&mut self) -> Read<Head<'a>> {
        self.text.scan.skip();
        let start = self.text.scan.at();
        let properties = self.properties()?;
        let name = self.own_name(&properties)?;
        // The name in the text, unless it has escapes there.
        let written = self.text.scan.since(start);
        let quoted = format!("sym_name = \"{name}\"");
        let at = match written.find(&quoted) {
            Some(at) => {
                let end = start + at + quoted.len() - 1;
                Span::new(self.file, end - name.len(), end)
            }
            None => Span::new(self.file, start, self.text.scan.at()),
        };
        let Some(Attribute::Type(Type::Function(ty))) = properties.get("function_type") else {
            let message = "the property `function_type`, the type of a function, is missing";
            return self
                .text
                .scan
                .wrong_since(start, Code::MissingAttribute, message, "among these");
        };
        self.text.scan.expect("(")?;
        Ok(Head {
            name,
            at,
            arguments: None,
            ty: FunctionType::clone(ty),
            attributes: without(&properties, &["sym_name", "function_type"])
                .entries()
                .to_vec(),
        })
    }

    fn custom_head(&mut self) -> Read<Head<'a>> {
        let mut attributes = Vec::new();
        if self.text.scan.at_word() {
            let visibility = self.text.scan.word("the symbol")?;
            attributes.push(("sym_visibility".into(), Attribute::String(visibility.into())));
        }
        let file = self.file;
        self.text.scan.skip();
        let start = self.text.scan.at();
        let name = self.text.symbol_name()?;
        let at = Span::new(file, start, self.text.scan.at());
        self.text.scan.expect("(")?;
        let mut of_arguments = Vec::new();
        let arguments = self.text.list(")", |text| {
            let argument = Argument::read(text, file)?;
            of_arguments.push(match text.scan.peek() {
                Some(b'{') => text.dictionary()?,
                _ => Dictionary::default(),
            });
            Ok(argument)
        })?;
        if of_arguments.iter().any(|own| !own.is_empty()) {
            let items = of_arguments.into_iter().map(Attribute::Dictionary).collect();
            attributes.push(("arg_attrs".into(), Attribute::Array(items)));
        }
        let results = match self.text.scan.eat("->") {
            true => self.text.result_types()?,
            false => Vec::new(),
        };
        attributes.extend(self.keyword_attributes()?.entries().iter().cloned());
        let types = arguments.iter().map(|argument| argument.ty.clone()).collect();
        Ok(Head {
            name,
            at,
            arguments: Some(arguments),
            ty: FunctionType {
                arguments: types,
                results,
            },
            attributes,
        })
    }
}

/// The entries of two dictionaries.
fn joined(a: &Dictionary, b: &Dictionary) -> Dictionary {
    let own = a.entries().iter().cloned();
    let others = b
        .entries()
        .iter()
        .filter(|(name, _)| a.get(name).is_none())
        .cloned();
    Dictionary::new(own.chain(others).collect())
}

/// A dictionary without some entries.
fn without(dictionary: &Dictionary, names: &[&str]) -> Dictionary {
    let entries = dictionary.entries().iter().cloned();
    Dictionary::new(entries.filter(|(name, _)| !names.contains(&&**name)).collect())
}
