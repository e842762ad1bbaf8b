//! Modules, modules of the GPU, kernels and functions.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use tilewright_diagnostics::{Code, Diagnostic, FileId, Span};
use tilewright_irs::core::Func;
use tilewright_irs::cute_types::Dialect;
use tilewright_irs::mlir::open::OPEN_MARK;
use tilewright_irs::mlir::reader::TextReader;
use tilewright_irs::mlir::scan::Read;
use tilewright_irs::mlir::types::FunctionType;
use tilewright_irs::mlir::{
    Attribute, Dictionary, FunctionAttributes, GpuModule, Item, Mlir, MlirModule, Type,
};

use super::body::{Argument, BodyReader, FunctionText};
use super::{ReadMlir, diagnostic};
use crate::snapshot::header_length;

/// Reads a file.
pub(super) struct ModuleReader<'a> {
    text: TextReader<'a>,
    file: FileId,
    problems: Vec<Diagnostic<Span>>,
    places: Vec<Vec<Span>>,
}

/// The head of a kernel or of a function.
struct Head<'a> {
    name: String,
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
        }
    }

    pub(super) fn read(mut self) -> Result<ReadMlir, Vec<Diagnostic<Span>>> {
        let module = match self.file() {
            Ok(module) => module,
            Err(wrong) => {
                self.problems.push(diagnostic(*wrong, self.file));
                return Err(self.problems);
            }
        };
        if self.problems.is_empty() {
            return Ok(ReadMlir {
                module,
                places: self.places,
            });
        }
        Err(self.problems)
    }

    fn file(&mut self) -> Read<MlirModule> {
        while self.text.alias()? {}
        let mut module = MlirModule::default();
        if self.text.scan.eat("\"builtin.module\"") {
            self.text.scan.expect("(")?;
            self.text.scan.expect(")")?;
            module.attributes = self.properties()?;
            self.unmark(&mut module);
            self.text.scan.expect("(")?;
            module.items = self.items_in_braces()?;
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
            self.unmark(&mut module);
            module.items = self.items_in_braces()?;
        } else if self.text.scan.peek_word().contains('.') || self.text.scan.peek() == Some(b'"') {
            self.text.dialect = Dialect::Open;
            module.items = self.items(|text| text.scan.peek().is_none())?;
            return Ok(module);
        } else {
            return self.text.scan.wrong("`module` or `\"builtin.module\"`");
        }
        self.location()?;
        // Locations may be defined after their uses.
        while self.text.alias()? {}
        match self.text.scan.peek() {
            None => Ok(module),
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
    fn items_in_braces(&mut self) -> Read<Vec<Item>> {
        self.text.scan.expect("{")?;
        self.items(|text| text.scan.eat("}"))
    }

    /// The parts of a module up to its end.
    fn items(&mut self, mut ends: impl FnMut(&mut TextReader<'a>) -> bool) -> Read<Vec<Item>> {
        let mut items = Vec::new();
        let mut names = FxHashSet::default();
        while !ends(&mut self.text) {
            let start = self.text.scan.at();
            let (kind, generic) = self.kind()?;
            let item = match kind {
                Kind::GpuModule => Some(Item::Gpu(self.gpu_module(generic)?)),
                Kind::Function => self.function(generic, "func.return")?.map(Item::Function),
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
        Ok(items)
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
        self.text.scan.expect("{")?;
        let mut kernels: Vec<Func<Mlir>> = Vec::new();
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
            if let Some(kernel) = self.function(generic, "cuda.return")? {
                self.unique(&mut names, &kernel.name, start);
                kernels.push(kernel);
            }
        }
        let mut module = GpuModule {
            name,
            attributes,
            kernels,
        };
        if generic {
            self.text.scan.expect(")")?;
            let attributes = self.rest_of_generic()?;
            module.attributes = joined(&module.attributes, &attributes);
        }
        self.location()?;
        Ok(module)
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

    /// A kernel or a function after its op; `None` if its body has errors, which are reported.
    fn function(&mut self, generic: bool, ending: &'static str) -> Read<Option<Func<Mlir>>> {
        let start = self.text.scan.at();
        let mut head = if generic {
            self.generic_head()?
        } else {
            self.custom_head()?
        };
        let before = self.problems.len();
        let mut reader = BodyReader::new(&mut self.text, self.file, &mut self.problems, ending);
        let FunctionText {
            body,
            places,
            arguments,
        } = reader.function(head.arguments.take(), generic)?;
        if generic {
            if arguments != head.ty.arguments {
                let message = format!(
                    "the arguments of `@{}` are not of the types of `function_type`",
                    head.name
                );
                return self
                    .text
                    .scan
                    .wrong_since(start, Code::BlockArguments, message, "of this function");
            }
            self.text.scan.expect(")")?;
            let attributes = self.rest_of_generic()?;
            head.attributes.extend(attributes.entries().iter().cloned());
        }
        self.location()?;
        if self.problems.len() > before {
            return Ok(None);
        }
        self.places.push(places);
        let attrs = FunctionAttributes {
            dialect: self.text.dialect,
            results: head.ty.results,
            attributes: Dictionary::new(head.attributes),
        };
        Ok(Some(Func {
            name: head.name,
            attrs,
            body,
        }))
    }

    fn generic_head(&mut self) -> Read<Head<'a>> {
        let start = self.text.scan.at();
        let properties = self.properties()?;
        let name = self.own_name(&properties)?;
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
        let name = self.text.symbol_name()?;
        self.text.scan.expect("(")?;
        let file = self.file;
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
