//! The text of a module in MLIR's generic form, with quoted op names and properties by name.

use std::fmt::Write;

use super::names::Names;
use super::{op, write_attr, write_hints, write_string, write_symbol};
use crate::core::{Func, OpId, Operation, Region, Value};
use crate::cuda_tile::attrs::Attr;
use crate::cuda_tile::fields::{AttrKind, AttrRef, FieldKind, FieldRef};
use crate::cuda_tile::module::{CudaTile, Global, TileModule};
use crate::cuda_tile::preview::PreviewAttr;

/// The text of a module in the generic form, without locations.
pub fn print_tile_module_generic(module: &TileModule) -> String {
    let mut out = "\"cuda_tile.module\"() <{sym_name = \"kernels\"".to_owned();
    if let Some(producer) = &module.producer {
        out.push_str(", producer = ");
        write_string(&mut out, producer);
    }
    out.push_str("}> ({\n");
    for global in &module.globals {
        write_global(&mut out, global);
    }
    for (index, func) in module.funcs.iter().enumerate() {
        // They have no generic form.
        super::write_externals(&mut out, module, index, None);
        write_func(&mut out, func);
    }
    super::write_externals(&mut out, module, module.funcs.len(), None);
    out.push_str("}) : () -> ()\n");
    out
}

fn write_global(out: &mut String, global: &Global) {
    out.push_str("  \"cuda_tile.global\"() <{");
    if global.constant {
        out.push_str("constant, ");
    }
    if global.private {
        out.push_str("sym_visibility = \"private\", ");
    }
    if global.alignment != 0 {
        let _ = write!(out, "alignment = {} : i64, ", global.alignment);
    }
    out.push_str("sym_name = ");
    write_string(out, &global.name);
    out.push_str(", value = ");
    write_attr(out, &Attr::Dense(global.ty.clone(), global.value.clone()));
    out.push_str("}> : () -> ()\n");
}

fn write_func(out: &mut String, func: &Func<CudaTile>) {
    out.push_str("  \"cuda_tile.entry\"() <{");
    if func.attrs.private.0 {
        out.push_str("sym_visibility = \"private\", ");
    }
    if let Some(hints) = &func.attrs.optimization_hints {
        out.push_str("optimization_hints = #cuda_tile.optimization_hints");
        write_hints(out, hints);
        out.push_str(", ");
    }
    if let Some(dicts) = &func.attrs.arg_attrs {
        out.push_str("arg_attrs = ");
        write_attr(out, &Attr::Array(dicts.clone()));
        out.push_str(", ");
    }
    out.push_str("sym_name = ");
    write_string(out, &func.name);
    out.push_str(", function_type = (");
    separated(out, func.body.params(), |out, &value| {
        let _ = write!(out, "{}", func.body.ty(value));
    });
    out.push_str(") -> ()}> (");
    let mut names = Names::default();
    names.name(&func.body);
    let printer = Printer { func, names: &names };
    printer.region(out, func.body.root(), 1);
    out.push_str(") : () -> ()\n");
}

fn separated<T>(out: &mut String, items: impl IntoIterator<Item = T>, mut each: impl FnMut(&mut String, T)) {
    for (i, item) in items.into_iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        each(out, item);
    }
}

struct Printer<'a> {
    func: &'a Func<CudaTile>,
    names: &'a Names,
}

impl Printer<'_> {
    fn value(&self, out: &mut String, value: Value) {
        self.names.write(value, out);
    }

    fn ty(&self, out: &mut String, value: Value) {
        let _ = write!(out, "{}", self.func.body.ty(value));
    }

    fn region(&self, out: &mut String, region: Region, depth: usize) {
        let body = &self.func.body;
        let indent = "  ".repeat(depth);
        out.push_str("{\n");
        for &block in &body.region(region).blocks {
            let args = &body.block(block).args;
            if !args.is_empty() {
                let _ = write!(out, "{indent}^bb0(");
                separated(out, args, |out, &arg| {
                    self.value(out, arg);
                    out.push_str(": ");
                    self.ty(out, arg);
                });
                out.push_str("):\n");
            }
            for &id in &body.block(block).ops {
                self.op(out, id, depth + 1);
            }
        }
        let _ = write!(out, "{indent}}}");
    }

    fn op(&self, out: &mut String, id: OpId, depth: usize) {
        let op = self.func.body.op(id);
        let spec = op.kind.tile_spec();
        out.push_str(&"  ".repeat(depth));
        if op.results().len() > 0 {
            self.names.write_results(op.results(), out);
            out.push_str(" = ");
        }
        let _ = write!(out, "\"cuda_tile.{}\"(", spec.name);
        let mut operands = Vec::new();
        op.kind.operands(&mut |value| operands.push(value));
        separated(out, &operands, |out, &value| self.value(out, value));
        out.push(')');
        let properties = self.properties(id);
        if !properties.is_empty() {
            out.push_str(" <{");
            separated(out, &properties, |out, text| out.push_str(text));
            out.push_str("}>");
        }
        let mut regions = Vec::new();
        op.kind.regions(&mut |region| regions.push(region));
        if !regions.is_empty() {
            out.push_str(" (");
            separated(out, &regions, |out, &region| self.region(out, region, depth));
            out.push(')');
        }
        out.push_str(" : (");
        separated(out, &operands, |out, &value| self.ty(out, value));
        out.push_str(") -> (");
        separated(out, op.results(), |out, value| self.ty(out, value));
        out.push_str(")\n");
    }

    /// `name = value` for each attribute that is present, and the number of operands of each field.
    fn properties(&self, id: OpId) -> Vec<String> {
        let op = self.func.body.op(id);
        let spec = op.kind.tile_spec();
        let mut list = Vec::new();
        let mut sizes = Vec::new();
        let mut open = false;
        for (field, value) in spec.fields.iter().zip(op.kind.fields().iter()) {
            match value {
                FieldRef::Operand(_) => sizes.push(1),
                FieldRef::OptionalOperand(value) => {
                    sizes.push(usize::from(value.is_some()));
                    open = true;
                }
                FieldRef::Operands(values) => {
                    sizes.push(values.len());
                    open = true;
                }
                FieldRef::Flag(true) => list.push(field.name.to_owned()),
                FieldRef::Attr(Some(attr)) => {
                    let mut text = format!("{} = ", field.name);
                    self.attribute(&mut text, field.kind, *attr, id);
                    list.push(text);
                }
                FieldRef::Region(_) | FieldRef::Flag(false) | FieldRef::Attr(None) => {}
            }
        }
        if open {
            let sizes: Vec<_> = sizes.iter().map(usize::to_string).collect();
            list.push(format!("operandSegmentSizes = array<i32: {}>", sizes.join(", ")));
        }
        list
    }

    fn attribute(&self, out: &mut String, kind: FieldKind, attr: AttrRef<'_>, id: OpId) {
        let _ = match attr {
            AttrRef::Enum(code) => match kind {
                FieldKind::Attr(AttrKind::Enum(cases)) | FieldKind::OptionalAttr(AttrKind::Enum(cases)) => {
                    let word = cases.by_code(code.into()).map_or("?", |case| case.word);
                    write!(out, "#cuda_tile.{}<{word}>", snake(cases.name))
                }
                _ => Ok(()),
            },
            AttrRef::I64(n) => write!(out, "{n} : i64"),
            AttrRef::I32(n) => write!(out, "{n} : i32"),
            AttrRef::Bool(value) => write!(out, "{value}"),
            AttrRef::String(text) => return write_string(out, text),
            AttrRef::Symbol(name) => return write_symbol(out, name),
            AttrRef::I32s(list) => return array(out, "i32", list),
            AttrRef::Bools(list) => return array(out, "i1", list),
            AttrRef::Dense(dense) => {
                let result = self.func.body.op(id).results().next();
                let tile = result.and_then(|value| self.func.body.ty(value).as_tile());
                if let Some(tile) = tile {
                    write_attr(out, &Attr::Dense(tile.clone(), dense.clone()));
                }
                return;
            }
            AttrRef::Predicate(predicate) => {
                out.push_str("#cuda_tile.");
                return op::write_predicate(out, predicate);
            }
            AttrRef::Attrs(list) => return write_attr(out, &Attr::Array(list.to_vec())),
            AttrRef::Hints(hints) => {
                out.push_str("#cuda_tile.optimization_hints");
                return write_hints(out, hints);
            }
            AttrRef::Exprs(list) => {
                let list = list.iter().cloned().map(PreviewAttr::Expr).map(Attr::from);
                return write_attr(out, &Attr::Array(list.collect()));
            }
        };
    }
}

/// `array<i32: 1, 2>`
fn array<T: std::fmt::Display>(out: &mut String, ty: &str, list: &[T]) {
    let _ = write!(out, "array<{ty}");
    if !list.is_empty() {
        out.push_str(": ");
    }
    separated(out, list, |out, item| {
        let _ = write!(out, "{item}");
    });
    out.push('>');
}

/// `RoundingMode` as `rounding_mode`.
fn snake(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}
