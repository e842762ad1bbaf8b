//! The printer: modules, functions, regions, and ops in both forms.

use std::fmt::{self, Write as _};

use super::values::Values;
use crate::core::{Block, Body, Func, OpId, Region, Value};
use crate::cute_types::Dialect;
use crate::mlir::attribute::{Attribute, Dictionary, Entry, write_entry, write_symbol};
use crate::mlir::declare::MlirOpSpec;
use crate::mlir::module::{Item, Mlir, MlirModule};
use crate::mlir::open::OPEN_MARK;
use crate::mlir::ops::Views;
use crate::mlir::property::{FieldKind, FieldView};
use crate::mlir::scan::write_string;
use crate::mlir::syntax::{Mentioned, Piece, Syntax, syntax};
use crate::mlir::types::{FunctionType, Type, write_results, write_types};

/// How ops are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// All in the same way, with the types of all operands and results.
    Generic,
    /// Each op in its own way.
    Custom,
}

/// Prints a module in the assembly of its dialect.
pub fn print_module(module: &MlirModule, form: Form) -> String {
    let mut out = String::new();
    // A string takes any text.
    let _ = write_module(module, form, &mut out);
    out
}

/// The attributes of a function that are its properties.
const FUNCTION_PROPERTIES: [&str; 4] = ["arg_attrs", "res_attrs", "sym_visibility", "cu_func_attrs"];

/// How a text is written.
#[derive(Clone, Copy)]
struct Style {
    form: Form,
    dialect: Dialect,
}

fn write_module(module: &MlirModule, form: Form, out: &mut String) -> fmt::Result {
    let dialect = module.dialect();
    let style = Style { form, dialect };
    // Parts without a module around them are of the open dialect.
    if dialect == Dialect::Open && module.attributes.is_empty() {
        return write_items(&module.items, style, 0, out);
    }
    let mark = match dialect {
        Dialect::Library => Dictionary::default(),
        Dialect::Open => Dictionary::new(vec![(OPEN_MARK.into(), Attribute::Unit)]),
    };
    match form {
        Form::Generic => {
            out.push_str("\"builtin.module\"()");
            if !mark.is_empty() {
                write!(out, " <{mark}>")?;
            }
            out.push_str(" ({\n");
        }
        Form::Custom => {
            out.push_str("module");
            let entries = mark.entries().iter().chain(module.attributes.entries());
            write_attributes(" attributes ", &Dictionary::new(entries.cloned().collect()), out)?;
            out.push_str(" {\n");
        }
    }
    write_items(&module.items, style, 1, out)?;
    out.push('}');
    end_generic(&module.attributes, form, out)
}

/// The parts of a module.
fn write_items(items: &[Item], style: Style, depth: usize, out: &mut String) -> fmt::Result {
    let indent = "  ".repeat(depth);
    for item in items {
        match item {
            Item::Function(function) => write_function("func.func", function, style, depth, out)?,
            Item::Gpu(gpu) => {
                match style.form {
                    Form::Generic => {
                        write!(out, "{indent}\"gpu.module\"() <{{sym_name = ")?;
                        write_string(&gpu.name, out)?;
                        out.push_str("}> ({\n");
                    }
                    Form::Custom => {
                        write!(out, "{indent}gpu.module ")?;
                        write_symbol(&gpu.name, out)?;
                        write_attributes(" attributes ", &gpu.attributes, out)?;
                        out.push_str(" {\n");
                    }
                }
                for kernel in &gpu.kernels {
                    write_function("cuda.kernel", kernel, style, depth + 1, out)?;
                }
                write!(out, "{indent}}}")?;
                end_generic(&gpu.attributes, style.form, out)?;
            }
        }
    }
    Ok(())
}

/// The end of an op with one region and no results.
fn end_generic(attributes: &Dictionary, form: Form, out: &mut String) -> fmt::Result {
    if form == Form::Generic {
        out.push(')');
        write_attributes(" ", attributes, out)?;
        out.push_str(" : () -> ()");
    }
    out.push('\n');
    Ok(())
}

fn write_attributes(before: &str, attributes: &Dictionary, out: &mut String) -> fmt::Result {
    if attributes.is_empty() {
        return Ok(());
    }
    write!(out, "{before}{attributes}")
}

fn write_function(
    word: &str,
    function: &Func<Mlir>,
    style: Style,
    depth: usize,
    out: &mut String,
) -> fmt::Result {
    let body = &function.body;
    let form = style.form;
    let mut printer = Printer {
        body,
        values: Values::new(body.value_count()),
        style,
        depth,
        out,
    };
    printer.indent();
    let attributes = function.attrs.attributes.entries().iter().cloned();
    let (properties, others): (Vec<_>, Vec<_>) = match form {
        Form::Generic => attributes.partition(|(name, _)| FUNCTION_PROPERTIES.contains(&&**name)),
        Form::Custom => attributes.partition(|(name, _)| matches!(&**name, "arg_attrs" | "sym_visibility")),
    };
    let (properties, others) = (Dictionary::new(properties), Dictionary::new(others));
    match form {
        Form::Generic => {
            write!(printer.out, "\"{word}\"() <{{")?;
            let ty = FunctionType {
                arguments: body
                    .params()
                    .iter()
                    .map(|&param| body.ty(param).clone())
                    .collect(),
                results: function.attrs.results.clone(),
            };
            let mut entries = properties.entries().to_vec();
            entries.push(("function_type".into(), Attribute::Type(Type::Function(ty.into()))));
            entries.push((
                "sym_name".into(),
                Attribute::String(function.name.as_str().into()),
            ));
            printer.entries(Dictionary::new(entries).entries())?;
            printer.out.push_str("}> (");
            printer.region(body.root(), true)?;
            end_generic(&others, form, printer.out)
        }
        Form::Custom => {
            write!(printer.out, "{word} ")?;
            if let Some(Attribute::String(visibility)) = properties.get("sym_visibility") {
                write!(printer.out, "{visibility} ")?;
            }
            write_symbol(&function.name, printer.out)?;
            printer.out.push('(');
            let of_arguments = match properties.get("arg_attrs") {
                Some(Attribute::Array(items)) => items.to_vec(),
                _ => Vec::new(),
            };
            for (i, &param) in body.params().iter().enumerate() {
                printer.out.push_str(if i > 0 { ", " } else { "" });
                printer.values.define(std::iter::once(param));
                printer.argument(param)?;
                if let Some(Attribute::Dictionary(own)) = of_arguments.get(i) {
                    write_attributes(" ", own, printer.out)?;
                }
            }
            printer.out.push(')');
            if !function.attrs.results.is_empty() {
                printer.out.push_str(" -> ");
                write_results(&function.attrs.results, printer.out)?;
            }
            write_attributes(" attributes ", &others, printer.out)?;
            printer.out.push(' ');
            printer.block_in_braces(body.root(), false)?;
            printer.out.push('\n');
            Ok(())
        }
    }
}

/// What an op is printed from.
pub(super) struct OpText<'a> {
    pub(super) spec: &'static MlirOpSpec,
    pub(super) views: Views<'a>,
    pub(super) results: Vec<Value>,
    pub(super) discardable: &'a Dictionary,
}

impl OpText<'_> {
    /// The operands of a field.
    pub(super) fn operands_of(&self, field: usize) -> &[Value] {
        match self.views.get(field) {
            Some(FieldView::Operands(values)) => values,
            _ => &[],
        }
    }

    /// Every operand.
    fn operands(&self) -> impl Iterator<Item = Value> {
        let lists = self.views.iter().filter_map(|view| match view {
            FieldView::Operands(values) => Some(*values),
            _ => None,
        });
        lists.flatten().copied()
    }

    /// The property of a field.
    pub(super) fn property(&self, field: usize) -> Option<&Attribute> {
        match self.views.get(field)? {
            FieldView::Property(attribute) => Some(attribute),
            _ => None,
        }
    }

    /// Whether a field is given and is not its default.
    fn is_given(&self, field: usize) -> bool {
        match self.views.get(field) {
            Some(FieldView::Operands(values)) => !values.is_empty(),
            Some(FieldView::Property(attribute)) => match self.spec.fields.get(field).map(|field| field.kind)
            {
                Some(FieldKind::Property(kind)) => (kind.missing)().as_ref() != Some(attribute),
                _ => true,
            },
            _ => false,
        }
    }
}

pub(super) struct Printer<'a> {
    pub(super) body: &'a Body<Mlir>,
    pub(super) values: Values,
    style: Style,
    depth: usize,
    pub(super) out: &'a mut String,
}

impl Printer<'_> {
    fn indent(&mut self) {
        for _ in 0..self.depth {
            self.out.push_str("  ");
        }
    }

    fn argument(&mut self, value: Value) -> fmt::Result {
        self.values.write(value, self.out)?;
        write!(self.out, ": {}", self.body.ty(value))
    }

    /// Values with commas between them.
    pub(super) fn list(&mut self, values: impl IntoIterator<Item = Value>) -> fmt::Result {
        for (i, value) in values.into_iter().enumerate() {
            self.out.push_str(if i > 0 { ", " } else { "" });
            self.values.write(value, self.out)?;
        }
        Ok(())
    }

    /// Their types.
    pub(super) fn types(&mut self, values: impl IntoIterator<Item = Value>) -> fmt::Result {
        let body = self.body;
        write_types(values.into_iter().map(|value| body.ty(value)), self.out)
    }

    /// The type of a value without its word, if it is one of `cute`.
    fn type_body(&mut self, value: Value) -> fmt::Result {
        match self.body.ty(value) {
            Type::Cute(ty) => write!(self.out, "{}", ty.body()),
            ty => write!(self.out, "{ty}"),
        }
    }

    /// The types of results.
    pub(super) fn result_types(&mut self, results: &[Value]) -> fmt::Result {
        let types: Vec<Type> = results
            .iter()
            .map(|&result| self.body.ty(result).clone())
            .collect();
        write_results(&types, self.out)
    }

    fn entries(&mut self, entries: &[Entry]) -> fmt::Result {
        for (i, (name, value)) in entries.iter().enumerate() {
            self.out.push_str(if i > 0 { ", " } else { "" });
            write_entry(name, value, self.out)?;
        }
        Ok(())
    }

    /// A region in braces, its block with the name of a block if it has arguments that are not named before.
    fn region(&mut self, region: Region, own_arguments: bool) -> fmt::Result {
        self.out.push_str("{\n");
        let body = self.body;
        for (i, &block) in body.region(region).blocks.iter().enumerate() {
            let arguments = &body.block(block).args;
            if own_arguments && (i > 0 || !arguments.is_empty()) {
                self.indent();
                write!(self.out, "^bb{i}")?;
                if !arguments.is_empty() {
                    self.out.push('(');
                    for (i, &argument) in arguments.iter().enumerate() {
                        self.out.push_str(if i > 0 { ", " } else { "" });
                        self.values.define(std::iter::once(argument));
                        self.argument(argument)?;
                    }
                    self.out.push(')');
                }
                self.out.push_str(":\n");
            }
            self.ops(block, false)?;
        }
        self.indent();
        self.out.push('}');
        Ok(())
    }

    /// The ops of a region's block in braces, without a last op that says nothing, if `implied`.
    pub(super) fn block_in_braces(&mut self, region: Region, implied: bool) -> fmt::Result {
        self.out.push_str("{\n");
        let body = self.body;
        for &block in &body.region(region).blocks {
            self.ops(block, implied)?;
        }
        self.indent();
        self.out.push('}');
        Ok(())
    }

    /// A region in braces, with the name of its block if that has arguments.
    pub(super) fn labelled_block_in_braces(&mut self, region: Region) -> fmt::Result {
        self.region(region, true)
    }

    fn ops(&mut self, block: Block, implied: bool) -> fmt::Result {
        let body = self.body;
        self.depth += 1;
        let ops = &body.block(block).ops;
        for (i, &op) in ops.iter().enumerate() {
            let last = i + 1 == ops.len();
            if implied
                && last
                && body
                    .op(op)
                    .kind
                    .views()
                    .iter()
                    .all(|view| matches!(view, FieldView::Operands([])))
            {
                continue;
            }
            self.indent();
            self.op(op)?;
            self.out.push('\n');
        }
        self.depth -= 1;
        Ok(())
    }

    fn op(&mut self, id: OpId) -> fmt::Result {
        let op = self.body.op(id);
        let text = OpText {
            spec: op.kind.mlir_spec(),
            views: op.kind.views(),
            results: op.results().collect(),
            discardable: &op.tag,
        };
        if !text.results.is_empty() {
            let number = self.values.define(op.results());
            write!(self.out, "%{number}")?;
            if text.results.len() > 1 {
                write!(self.out, ":{}", text.results.len())?;
            }
            self.out.push_str(" = ");
        }
        let dialect = self.style.dialect;
        let name = text.spec.shown_in(dialect);
        let written = match self.style.form {
            Form::Generic => &Syntax::Generic,
            Form::Custom => syntax(text.spec, dialect),
        };
        match written {
            Syntax::Generic => self.generic(&text, name),
            Syntax::ByHand => {
                self.out.push_str(name);
                self.by_hand(&text)
            }
            Syntax::Pieces(pieces, mentioned) => {
                self.out.push_str(match name {
                    "func.return" | "cuda.return" => "return",
                    name => name,
                });
                self.pieces(&text, pieces, *mentioned)
            }
        }
    }

    fn generic(&mut self, text: &OpText<'_>, name: &str) -> fmt::Result {
        write!(self.out, "\"{name}\"(")?;
        self.list(text.operands())?;
        self.out.push(')');
        let mut properties = Vec::new();
        for (field, view) in text.spec.fields.iter().zip(&text.views) {
            if let FieldView::Property(attribute) = view {
                properties.push((field.name.into(), attribute.clone()));
            }
        }
        if text.spec.has_segments() {
            let counts = text
                .spec
                .operands()
                .map(|(field, _)| text.operands_of(field).len());
            let counts = counts
                .map(|count| i64::try_from(count).unwrap_or(i64::MAX))
                .collect();
            let numbers = Attribute::Numbers(crate::mlir::attribute::ArrayType::I32, counts);
            properties.push(("operandSegmentSizes".into(), numbers));
        }
        if !properties.is_empty() {
            self.out.push_str(" <{");
            self.entries(Dictionary::new(properties).entries())?;
            self.out.push_str("}>");
        }
        let regions: Vec<Region> = text
            .views
            .iter()
            .filter_map(|view| match view {
                FieldView::Region(region) => Some(*region),
                _ => None,
            })
            .collect();
        if !regions.is_empty() {
            self.out.push_str(" (");
            for (i, region) in regions.into_iter().enumerate() {
                self.out.push_str(if i > 0 { ", " } else { "" });
                self.region(region, true)?;
            }
            self.out.push(')');
        }
        write_attributes(" ", text.discardable, self.out)?;
        self.out.push_str(" : (");
        self.types(text.operands())?;
        self.out.push_str(") -> ");
        self.result_types(&text.results)
    }

    /// The attributes that have no place of their own, in braces, after a blank.
    pub(super) fn attributes(&mut self, text: &OpText<'_>, mentioned: impl Fn(usize) -> bool) -> fmt::Result {
        let mut entries = text.discardable.entries().to_vec();
        for (index, (field, view)) in text.spec.fields.iter().zip(&text.views).enumerate() {
            if let FieldView::Property(attribute) = view
                && !mentioned(index)
                && text.is_given(index)
            {
                entries.push((field.name.into(), attribute.clone()));
            }
        }
        write_attributes(" ", &Dictionary::new(entries), self.out)
    }

    fn pieces(&mut self, text: &OpText<'_>, pieces: &[Piece], mentioned: Mentioned) -> fmt::Result {
        for piece in pieces {
            match piece {
                Piece::Text(literal) => self.out.push_str(literal),
                Piece::Blank => self.out.push(' '),
                Piece::Field(field) => match (text.views.get(*field), text.spec.fields.get(*field)) {
                    (Some(FieldView::Operands(values)), _) => self.list(values.iter().copied())?,
                    (Some(FieldView::Property(attribute)), Some(spec)) => match spec.kind {
                        FieldKind::Property(kind) | FieldKind::OptionalProperty(kind) => {
                            (kind.write)(attribute, self.out)?;
                        }
                        _ => self.out.push_str(spec.name),
                    },
                    _ => {}
                },
                Piece::Operands => self.list(text.operands())?,
                Piece::OperandTypes => self.types(text.operands())?,
                Piece::Types(field) => self.types(text.operands_of(*field).iter().copied())?,
                Piece::Listed(field) => match text.operands_of(*field) {
                    [only] => self.values.write(*only, self.out)?,
                    several => {
                        self.out.push('[');
                        self.list(several.iter().copied())?;
                        self.out.push(']');
                    }
                },
                Piece::ListedTypes(field) => match text.operands_of(*field) {
                    [only] => self.types([*only])?,
                    several => {
                        self.out.push('[');
                        self.types(several.iter().copied())?;
                        self.out.push(']');
                    }
                },
                Piece::Body(field) => {
                    if let [only] = text.operands_of(*field) {
                        self.type_body(*only)?;
                    }
                }
                Piece::Results => self.result_types(&text.results)?,
                Piece::ResultList => self.types(text.results.iter().copied())?,
                Piece::FirstResult => self.types(text.results.first().copied())?,
                Piece::ResultBody(_) => {
                    if let [only] = text.results.as_slice() {
                        self.type_body(*only)?;
                    }
                }
                Piece::Attributes => self.attributes(text, |field| mentioned.has(field))?,
                Piece::Group(field, inner) => {
                    if text.is_given(*field) {
                        self.pieces(text, inner, mentioned)?;
                    }
                }
                Piece::ResultGroup(inner) => {
                    if !text.results.is_empty() {
                        self.pieces(text, inner, mentioned)?;
                    }
                }
            }
        }
        Ok(())
    }
}
