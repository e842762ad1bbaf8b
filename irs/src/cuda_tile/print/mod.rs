//! Prints modules as NVIDIA's disassembler does: without a wrapper around the module, with suggested value names,
//! with or without locations.

mod by_hand;
mod external;
mod generic;
mod implicit;
mod location_nodes;
mod locations;
mod names;
mod number;
mod op;
mod words;

use std::fmt::Write;

use super::attrs::{Attr, Dict, Hints};
use super::debug::DebugInfo;
use super::module::{CudaTile, Global, TileModule};
use super::write::{write_number as write_natural, write_quoted};
use crate::core::{Func, Origin, in_pieces, is_plain_word};
use crate::element::ScalarType;
use crate::literal::{Dense, Literal};
use locations::Locations;
use names::Names;

pub use generic::print_tile_module_generic;
pub use number::{float_text, parse_float};

/// The text of a module; with `debug`, each op is followed by its location.
pub fn print_tile_module(module: &TileModule, debug: Option<&DebugInfo>) -> String {
    let locations = debug.map(|debug| Locations::new(module, debug));
    framed(module, locations.as_ref(), |mut out| {
        let ops = op_count(&module.funcs);
        let pieces = in_pieces(&module.funcs, ops, |first, funcs| {
            entries(first, funcs, module, locations.as_ref())
        });
        match <[String; 1]>::try_from(pieces) {
            // A single piece needs no copy.
            Ok([mut piece]) => {
                piece.insert_str(0, &out);
                out = piece;
            }
            Err(pieces) => {
                out.reserve(pieces.iter().map(String::len).sum());
                out.extend(pieces);
            }
        }
        write_externals(&mut out, module, module.funcs.len(), locations.as_ref());
        out
    })
}

/// The text of one kernel as a part of a module's text; [`join_tile_entries`] joins them.
pub fn print_tile_entry(func: &Func<CudaTile>) -> String {
    let mut printer = Printer {
        out: String::new(),
        names: Names::default(),
        locations: None,
    };
    printer.entry(0, func);
    printer.out
}

/// The text of a module with these texts of kernels. Kernels of `module` itself are not printed.
pub fn join_tile_entries<'a>(module: &TileModule, entries: impl IntoIterator<Item = &'a str>) -> String {
    framed(module, None, |mut out| {
        let mut externals = module.externals.iter().peekable();
        for (index, entry) in entries.into_iter().enumerate() {
            while let Some(external) = externals.next_if(|external| external.before <= index) {
                external::write_external(&mut out, external);
                out.push('\n');
            }
            out.push_str(entry);
        }
        for external in externals {
            external::write_external(&mut out, external);
            out.push('\n');
        }
        out
    })
}

/// The text of a module around its kernels; `kernels` appends those and the external functions.
fn framed(
    module: &TileModule,
    locations: Option<&Locations<'_>>,
    kernels: impl FnOnce(String) -> String,
) -> String {
    let mut out = String::new();
    let producer = module.producer.as_deref().unwrap_or_default();
    // A comment cannot contain a line break: such a producer is printed as an attribute of the module.
    let broken = producer.contains(['\n', '\r']);
    if !broken && !producer.is_empty() {
        let _ = writeln!(out, "// Producer: {producer}");
    }
    let placed = locations.filter(|locations| locations.has_module());
    let framed = broken || placed.is_some();
    if framed {
        out.push_str("cuda_tile.module @kernels ");
        if broken {
            out.push_str("attributes {producer = ");
            write_string(&mut out, producer);
            out.push_str("} ");
        }
        out.push_str("{\n");
    }
    for global in &module.globals {
        write_global(&mut out, global, locations);
    }
    let mut out = kernels(out);
    if framed {
        out.push('}');
        if let Some(locations) = placed {
            locations.of_module(&mut out);
        }
        out.push('\n');
    }
    if let Some(locations) = locations {
        locations.definitions(&mut out);
    }
    if out.is_empty() {
        out.push('\n');
    }
    out
}

fn op_count(funcs: &[Func<CudaTile>]) -> usize {
    funcs.iter().map(|func| func.body.op_count()).sum()
}

/// The texts of kernels, of which the first has this index in its module.
fn entries(
    first: usize,
    funcs: &[Func<CudaTile>],
    module: &TileModule,
    locations: Option<&Locations<'_>>,
) -> String {
    /// Typical text length of an op.
    const BYTES_PER_OP: usize = 100;
    let mut printer = Printer {
        out: String::with_capacity(op_count(funcs).saturating_mul(BYTES_PER_OP)),
        names: Names::default(),
        locations,
    };
    for (index, func) in (first..).zip(funcs) {
        write_externals(&mut printer.out, module, index, locations);
        printer.entry(index, func);
    }
    printer.out
}

/// The external functions before the kernel of this index, one per line.
fn write_externals(out: &mut String, module: &TileModule, kernel: usize, locations: Option<&Locations<'_>>) {
    for (index, external) in module.externals_before(kernel) {
        external::write_external(out, external);
        if let Some(locations) = locations {
            locations.external(index, out);
        }
        out.push('\n');
    }
}

fn write_global(out: &mut String, global: &Global, locations: Option<&Locations<'_>>) {
    out.push_str("global ");
    if global.private {
        out.push_str("private ");
    }
    out.push(' ');
    if global.constant {
        out.push_str("constant ");
    }
    write_symbol(out, &global.name);
    if global.alignment != 0 {
        let _ = write!(out, " alignment = {}", global.alignment);
    }
    out.push(' ');
    write_dense(out, &global.value, &global.ty.shape);
    let _ = write!(out, " : {}", global.ty);
    if let Some(locations) = locations {
        locations.unknown(out);
    }
    out.push('\n');
}

struct Printer<'a> {
    out: String,
    names: Names,
    locations: Option<&'a Locations<'a>>,
}

impl Printer<'_> {
    fn entry(&mut self, index: usize, func: &Func<CudaTile>) {
        self.names.name(&func.body);
        self.out.push_str("entry ");
        if func.attrs.private.0 {
            self.out.push_str("private ");
        }
        write_symbol(&mut self.out, &func.name);
        self.out.push('(');
        for (i, &param) in func.body.params().iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            self.names.write(param, &mut self.out);
            self.out.push_str(": ");
            // Writing to a string does not fail.
            let _ = func.body.ty(param).write_text(&mut self.out);
            if let Some(Attr::Dict(dict)) = func.attrs.arg_attrs.as_ref().and_then(|attrs| attrs.get(i))
                && !dict.0.is_empty()
            {
                self.out.push(' ');
                write_dict(&mut self.out, dict);
            }
        }
        self.out.push(')');
        if let Some(hints) = &func.attrs.optimization_hints {
            self.out.push_str(" optimization_hints=");
            write_hints(&mut self.out, hints);
        }
        self.out.push_str(" {\n");
        let mut body = op::BodyPrinter {
            out: &mut self.out,
            body: &func.body,
            names: &self.names,
            locations: self.locations.map(|locations| (locations, index)),
        };
        body.region(func.body.root(), 1, "");
        self.out.push('}');
        if let Some(locations) = self.locations {
            locations.place(index, Origin::FUNCTION, &mut self.out);
        }
        self.out.push('\n');
    }
}

/// Writes a number that is not negative.
fn push_number(out: &mut String, number: u64) {
    // Writing to a string does not fail.
    let _ = write_natural(out, number);
}

/// Writes an integer.
fn push_integer(out: &mut String, number: i64) {
    if number < 0 {
        out.push('-');
    }
    // Writing to a string does not fail.
    let _ = write_natural(out, number.unsigned_abs());
}

fn write_symbol(out: &mut String, name: &str) {
    out.push('@');
    if is_plain_word(name) {
        out.push_str(name);
    } else {
        write_string(out, name);
    }
}

/// A quoted string; bytes that are not printable ASCII are escaped.
fn write_string(out: &mut String, text: &str) {
    // Writing to a string does not fail.
    let _ = write_quoted(out, text);
}

/// Constants with more elements than this are printed as bytes.
const MAX_LISTED: usize = 100;

/// `"0x00010203"`: each element in as few bytes as hold it, the lowest first.
fn write_bytes(out: &mut String, ty: ScalarType, bits: &[u64]) {
    let width = usize::try_from(ty.bits().div_ceil(8)).unwrap_or(8);
    out.push_str("\"0x");
    for element in bits {
        for byte in element.to_le_bytes().iter().take(width) {
            let _ = write!(out, "{byte:02X}");
        }
    }
    out.push('"');
}

/// `<f32: VALUE>`; a list is nested by the dimensions of `shape`.
fn write_dense(out: &mut String, dense: &Dense, shape: &[u64]) {
    let ty = dense.ty();
    out.push('<');
    out.push_str(ty.word());
    out.push_str(": ");
    match splat(dense) {
        Some(literal) => write_number(out, literal),
        None => {
            if let Dense::Elements(_, bits) = dense {
                if bits.len() > MAX_LISTED {
                    write_bytes(out, ty, bits);
                    out.push('>');
                    return;
                }
                let mut rest = bits.as_slice();
                write_nested(out, shape, &mut |out| {
                    if let Some((&first, others)) = rest.split_first() {
                        rest = others;
                        write_number(out, Literal::new(ty, first));
                    }
                });
            }
        }
    }
    out.push('>');
}

fn write_nested(out: &mut String, shape: &[u64], element: &mut dyn FnMut(&mut String)) {
    let Some((&extent, inner)) = shape.split_first() else {
        return element(out);
    };
    out.push('[');
    for i in 0..extent {
        if i > 0 {
            out.push_str(", ");
        }
        write_nested(out, inner, element);
    }
    out.push(']');
}

/// The common value of all elements, if they are equal.
fn splat(dense: &Dense) -> Option<Literal> {
    match dense {
        Dense::Splat(literal) => Some(*literal),
        Dense::Elements(ty, bits) => {
            let (&first, rest) = bits.split_first()?;
            rest.iter().all(|&b| b == first).then(|| Literal::new(*ty, first))
        }
    }
}

/// A number without its type.
fn write_number(out: &mut String, literal: Literal) {
    if literal.ty.is_float() {
        out.push_str(&float_text(literal));
    } else if literal.ty.bits() == 1 {
        out.push_str(if literal.bits == 0 { "false" } else { "true" });
    } else {
        push_integer(out, literal.signed());
    }
}

/// A value with its type.
fn write_attr(out: &mut String, attr: &Attr) {
    match attr {
        Attr::Number(literal) => {
            write_number(out, *literal);
            if literal.ty.bits() != 1 {
                let _ = write!(out, " : {}", literal.ty);
            }
        }
        Attr::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Attr::Type(ty) => _ = ty.write_prefixed(out),
        Attr::String(text) => write_string(out, text),
        Attr::Array(items) => {
            out.push('[');
            write_attrs(out, items);
            out.push(']');
        }
        Attr::Dense(tile, dense) => {
            out.push_str("dense");
            write_dense(out, dense, &tile.shape);
            let _ = write!(out, " : {tile}");
        }
        Attr::Predicate(predicate) => {
            out.push_str("#cuda_tile.");
            op::write_predicate(out, predicate);
        }
        Attr::Dict(dict) => write_dict(out, dict),
        Attr::Hints(hints) => {
            out.push_str("#cuda_tile.optimization_hints");
            write_hints(out, hints);
        }
        Attr::Reduction(kind) => {
            let _ = write!(out, "#cuda_tile.multimem_reduction_kind<{kind}>");
        }
        Attr::Preview(attr) => _ = attr.write_text(out),
    }
}

/// The elements of a list, without its brackets. The type of a 64-bit number is left out, unless it is a float that
/// is written as its bits, which would be parsed as an integer.
fn write_attrs(out: &mut String, items: &[Attr]) {
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        let before = out.len();
        match item {
            Attr::Number(literal) if matches!(literal.ty, ScalarType::I64 | ScalarType::F64) => {
                write_number(out, *literal);
                if literal.ty.is_float() && out.get(before..).is_some_and(|text| text.starts_with("0x")) {
                    let _ = write!(out, " : {}", literal.ty);
                }
            }
            other => write_attr(out, other),
        }
    }
}

/// Entries sorted by name.
fn sorted<T>(entries: &[(String, T)]) -> Vec<&(String, T)> {
    let mut entries: Vec<_> = entries.iter().collect();
    entries.sort_by(|a, b| a.0.cmp(&b.0));
    entries
}

fn write_dict(out: &mut String, dict: &Dict) {
    out.push('{');
    for (i, (key, value)) in sorted(&dict.0).into_iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        write_key(out, key);
        out.push_str(" = ");
        write_attr(out, value);
    }
    out.push('}');
}

fn write_key(out: &mut String, key: &str) {
    if is_plain_word(key) {
        out.push_str(key);
    } else {
        write_string(out, key);
    }
}

/// `<sm_90 = {latency = 3}>`: numbers without types.
fn write_hints(out: &mut String, hints: &Hints) {
    out.push('<');
    for (i, (architecture, dict)) in sorted(&hints.0).into_iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        write_key(out, architecture);
        out.push_str(" = {");
        for (i, (key, value)) in sorted(&dict.0).into_iter().enumerate() {
            if i > 0 {
                out.push_str(", ");
            }
            write_key(out, key);
            out.push_str(" = ");
            match value {
                Attr::Number(literal) => {
                    let start = out.len();
                    write_number(out, *literal);
                    // Without its type, the bits of a float would be parsed as an integer.
                    if literal.ty.is_float() && out.get(start..).is_some_and(|text| text.starts_with("0x")) {
                        let _ = write!(out, " : {}", literal.ty);
                    }
                }
                other => write_attr(out, other),
            }
        }
        out.push('}');
    }
    out.push('>');
}
