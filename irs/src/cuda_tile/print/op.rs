//! The text of ops: by the notation of their declarations, and by hand for those with regions or lists of both
//! numbers and values.

use std::fmt::{Display, Write};

use super::locations::Locations;
use super::names::Names;
use super::{write_attrs, write_dense, write_hints, write_string, write_symbol};
use crate::core::{Body, OpData, OpId, Region, Value};
use crate::cuda_tile::attrs::{Attr, Predicate};
use crate::cuda_tile::declare::{AttrKind, AttrRef, DefaultValue, FieldKind, FieldRef, TileOpSpec};
use crate::cuda_tile::module::CudaTile;
use crate::cuda_tile::ops::{ControlOp, ShapeOp, TileOp, ViewOp};
use crate::cuda_tile::syntax::{Piece, syntax};
use crate::cuda_tile::types::TileType;

/// Prints the ops of one function.
pub(super) struct BodyPrinter<'a> {
    pub(super) out: &'a mut String,
    pub(super) body: &'a Body<CudaTile>,
    pub(super) names: &'a Names,
    /// The locations, and the function's index in the module.
    pub(super) locations: Option<(&'a Locations, usize)>,
}

/// Whether the op is left out at the end of a region that ends with `implicit` when nothing is said.
pub(super) fn is_implicit(op: &TileOp, implicit: &str) -> bool {
    match op {
        TileOp::Control(ControlOp::Yield { operands } | ControlOp::Continue { operands }) => {
            operands.is_empty() && op.tile_spec().name == implicit
        }
        _ => false,
    }
}

/// The terminator that the text leaves out at the end of the op's regions, if it passes no values.
pub(super) fn implicit_terminator(op: &TileOp) -> &'static str {
    match op {
        TileOp::Control(ControlOp::For { .. } | ControlOp::Loop { .. }) => "continue",
        TileOp::Control(ControlOp::If { .. }) => "yield",
        _ => "",
    }
}

impl BodyPrinter<'_> {
    /// The ops of a region, without its braces.
    pub(super) fn region(&mut self, region: Region, depth: usize, implicit: &str) {
        let body = self.body;
        for &block in &body.region(region).blocks {
            let ops = &body.block(block).ops;
            for (i, &op) in ops.iter().enumerate() {
                if i + 1 < ops.len() || !is_implicit(&body.op(op).kind, implicit) {
                    self.op(op, depth);
                }
            }
        }
    }

    fn op(&mut self, op: OpId, depth: usize) {
        let data = self.body.op(op);
        self.indent(depth);
        if data.results().len() > 0 {
            let results = self.names.results(data.results());
            let _ = write!(self.out, "{results} = ");
        }
        let spec = data.kind.tile_spec();
        self.out.push_str(spec.name);
        match syntax(spec) {
            Some(pieces) => {
                let before = self.out.len();
                self.out.push(' ');
                self.pieces(data, spec, pieces);
                if self.out.len() == before + 1 {
                    self.out.truncate(before);
                }
            }
            None => self.by_hand(data, depth),
        }
        if let Some((locations, func)) = self.locations {
            locations.place(func, data.origin, self.out);
        }
        self.out.push('\n');
    }

    fn indent(&mut self, depth: usize) {
        for _ in 0..depth {
            self.out.push_str("  ");
        }
    }

    fn put(&mut self, text: impl Display) {
        let _ = write!(self.out, "{text}");
    }

    fn value(&mut self, value: Value) {
        let name = self.names.value(value);
        self.put(format_args!("%{name}"));
    }

    fn list<T>(&mut self, items: impl IntoIterator<Item = T>, mut write: impl FnMut(&mut Self, T)) {
        for (i, item) in items.into_iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            write(self, item);
        }
    }

    fn values(&mut self, values: &[Value]) {
        self.list(values, |this, &value| this.value(value));
    }

    fn types<'t>(&mut self, types: impl IntoIterator<Item = &'t TileType>) {
        self.list(types, |this, ty| this.put(ty));
    }

    fn types_of(&mut self, values: impl IntoIterator<Item = Value>) {
        let body = self.body;
        self.types(values.into_iter().map(|value| body.ty(value)));
    }

    fn pieces(&mut self, data: &OpData<CudaTile>, spec: &'static TileOpSpec, pieces: &[Piece]) {
        let fields = data.kind.fields();
        for piece in pieces {
            match piece {
                Piece::Text(text) => self.out.push_str(text),
                Piece::Field(index) => {
                    if let (Some(field), Some(declared)) = (fields.get(*index), spec.fields.get(*index)) {
                        self.field(*field, declared.kind);
                    }
                }
                Piece::Wrapped(index, word) => {
                    if self.present(spec, *index, &fields)
                        && let (Some(field), Some(declared)) = (fields.get(*index), spec.fields.get(*index))
                    {
                        self.put(format_args!("{word}<"));
                        self.field(*field, declared.kind);
                        self.out.push('>');
                    }
                }
                Piece::Types(name) => {
                    let values = self.named(data, spec, name);
                    self.types_of(values);
                }
                Piece::FirstType(name) => {
                    let values = self.named(data, spec, name);
                    self.types_of(values.into_iter().take(1));
                }
                Piece::IndexTypes(name) => {
                    let values = self.named(data, spec, name);
                    let shown = if self.one_index_type(data, &values) {
                        1
                    } else {
                        values.len()
                    };
                    self.types_of(values.into_iter().take(shown));
                }
                Piece::Group(index, inner) => {
                    if self.present(spec, *index, &fields) {
                        self.pieces(data, spec, inner);
                    }
                }
            }
        }
    }

    /// Whether the indices of a view have one type in common, which is then written once. The positions along the
    /// sparse dimension of a gather-scatter view are a type of their own, so all are written.
    fn one_index_type(&self, data: &OpData<CudaTile>, indices: &[Value]) -> bool {
        let sparse = data.kind.fields().iter().any(|field| match field {
            FieldRef::Operand(value) => {
                matches!(self.body.ty(*value), TileType::GatherScatterView(_))
            }
            _ => false,
        });
        let mut types = indices.iter().map(|&value| self.body.ty(value));
        let first = types.next();
        !sparse && types.all(|ty| Some(ty) == first)
    }

    /// The values of an operand, or the results of this name.
    fn named(&self, data: &OpData<CudaTile>, spec: &TileOpSpec, name: &str) -> Vec<Value> {
        if let Some(index) = spec.field(name) {
            return match data.kind.fields().get(index) {
                Some(FieldRef::Operand(value) | FieldRef::OptionalOperand(Some(value))) => vec![*value],
                Some(FieldRef::Operands(values)) => values.to_vec(),
                _ => Vec::new(),
            };
        }
        let results: Vec<_> = data.results().collect();
        if matches!(spec.result_count, crate::core::ResultCount::Any) {
            return results;
        }
        let at = spec.results.iter().position(|result| result.name == name);
        at.and_then(|at| results.get(at)).copied().into_iter().collect()
    }

    /// Whether the text mentions a field.
    fn present(&self, spec: &TileOpSpec, index: usize, fields: &[FieldRef<'_>]) -> bool {
        let default = spec.fields.get(index).and_then(|field| field.default);
        match fields.get(index) {
            None => false,
            Some(FieldRef::Operand(_) | FieldRef::Region(_)) => true,
            Some(FieldRef::OptionalOperand(value)) => value.is_some(),
            Some(FieldRef::Operands(values)) => !values.is_empty(),
            Some(FieldRef::Flag(set)) => *set,
            Some(FieldRef::Attr(None)) => false,
            Some(FieldRef::Attr(Some(AttrRef::Enum(code)))) => default != Some(DefaultValue::Code(*code)),
            Some(FieldRef::Attr(Some(AttrRef::Bools(items)))) => items.contains(&true),
            Some(FieldRef::Attr(Some(_))) => true,
        }
    }

    fn field(&mut self, field: FieldRef<'_>, kind: FieldKind) {
        match field {
            FieldRef::Operand(value) | FieldRef::OptionalOperand(Some(value)) => self.value(value),
            FieldRef::Operands(values) => self.values(values),
            FieldRef::OptionalOperand(None)
            | FieldRef::Region(_)
            | FieldRef::Flag(_)
            | FieldRef::Attr(None) => {}
            FieldRef::Attr(Some(attr)) => self.attr(attr, kind),
        }
    }

    fn attr(&mut self, attr: AttrRef<'_>, kind: FieldKind) {
        match attr {
            AttrRef::Enum(code) => {
                if let FieldKind::Attr(AttrKind::Enum(cases)) | FieldKind::OptionalAttr(AttrKind::Enum(cases)) =
                    kind
                    && let Some(case) = cases.by_code(u64::from(code))
                {
                    self.out.push_str(case.word);
                }
            }
            AttrRef::I64(value) => self.put(value),
            AttrRef::I32(value) => self.put(value),
            AttrRef::Bool(value) => self.put(value),
            AttrRef::String(text) => write_string(self.out, text),
            AttrRef::Symbol(name) => write_symbol(self.out, name),
            AttrRef::I32s(items) => self.bracketed(items),
            AttrRef::Bools(items) => self.bracketed(items),
            // Only a constant has one, and its text is written by hand.
            AttrRef::Dense(dense) => write_dense(self.out, dense, &[]),
            AttrRef::Predicate(predicate) => write_predicate(self.out, predicate),
            AttrRef::Attrs(items) => {
                self.out.push('[');
                write_attrs(self.out, items);
                self.out.push(']');
            }
            AttrRef::Hints(hints) => write_hints(self.out, hints),
        }
    }

    fn bracketed<T: Display>(&mut self, items: &[T]) {
        self.out.push('[');
        self.list(items, |this, item| this.put(item));
        self.out.push(']');
    }

    fn by_hand(&mut self, data: &OpData<CudaTile>, depth: usize) {
        match &data.kind {
            TileOp::Shape(ShapeOp::Constant { value }) => {
                let ty = data.results().next().map(|result| self.body.ty(result));
                self.out.push(' ');
                let shape = ty.and_then(TileType::as_tile).map_or(&[][..], |tile| &tile.shape);
                write_dense(self.out, value, shape);
                self.out.push_str(" : ");
                self.types(ty);
            }
            TileOp::Shape(ShapeOp::Reduce {
                operands,
                dim,
                identities,
                body,
            }) => self.fold(
                data,
                operands,
                format_args!("dim={dim}"),
                identities,
                *body,
                depth,
            ),
            TileOp::Shape(ShapeOp::Scan {
                operands,
                dim,
                reverse,
                identities,
                body,
            }) => {
                let words = format_args!("dim={dim} reverse={reverse}");
                self.fold(data, operands, words, identities, *body, depth);
            }
            TileOp::View(ViewOp::MakeTensorView {
                base,
                dynamic_shape,
                dynamic_strides,
            }) => self.make_tensor_view(data, *base, dynamic_shape, dynamic_strides),
            TileOp::Control(ControlOp::For {
                lower_bound,
                upper_bound,
                step,
                init_values,
                unsigned_cmp,
                body,
            }) => {
                let args = self.arguments(*body);
                let (index, carried) = match args.split_first() {
                    Some((index, carried)) => (Some(*index), carried),
                    None => (None, &[][..]),
                };
                self.out.push_str(if unsigned_cmp.0 { " unsigned " } else { " " });
                self.values(index.as_slice());
                self.out.push_str(" in (");
                self.value(*lower_bound);
                self.out.push_str(" to ");
                self.value(*upper_bound);
                self.out.push_str(", step ");
                self.value(*step);
                self.out.push_str(") : ");
                self.types_of([*lower_bound]);
                if !init_values.is_empty() {
                    self.iter_values(carried, init_values);
                    self.out.push_str(" -> (");
                    self.types_of(data.results());
                    self.out.push(')');
                }
                self.out.push(' ');
                self.braces(*body, depth, "continue");
            }
            TileOp::Control(ControlOp::If {
                condition,
                then_region,
                else_region,
            }) => {
                self.out.push(' ');
                self.value(*condition);
                if data.results().len() > 0 {
                    self.out.push_str(" -> (");
                    self.types_of(data.results());
                    self.out.push(')');
                }
                self.out.push(' ');
                self.braces(*then_region, depth, "yield");
                if !self.body.region(*else_region).blocks.is_empty() {
                    self.out.push_str(" else ");
                    self.braces(*else_region, depth, "yield");
                }
            }
            TileOp::Control(ControlOp::Loop { init_values, body }) => {
                if !init_values.is_empty() {
                    let args = self.arguments(*body);
                    self.iter_values(&args, init_values);
                    self.out.push_str(" : ");
                    self.types_of(init_values.iter().copied());
                }
                if data.results().len() > 0 {
                    self.out
                        .push_str(if init_values.is_empty() { " : " } else { " -> " });
                    self.types_of(data.results());
                }
                self.out.push(' ');
                self.braces(*body, depth, "continue");
            }
            // Every other op has its text in its declaration, which a test of the declarations makes sure of.
            TileOp::Float(_)
            | TileOp::Int(_)
            | TileOp::Cast(_)
            | TileOp::Shape(_)
            | TileOp::Memory(_)
            | TileOp::View(_)
            | TileOp::Control(_) => {}
        }
    }

    fn arguments(&self, region: Region) -> Vec<Value> {
        let entry = self.body.region(region).blocks.first();
        entry.map_or_else(Vec::new, |&block| self.body.block(block).args.clone())
    }

    /// ` iter_values(%arg = %init, …)`
    fn iter_values(&mut self, args: &[Value], inits: &[Value]) {
        self.out.push_str(" iter_values(");
        self.list(args.iter().zip(inits), |this, (&arg, &init)| {
            this.value(arg);
            this.out.push_str(" = ");
            this.value(init);
        });
        self.out.push(')');
    }

    fn braces(&mut self, region: Region, depth: usize, implicit: &str) {
        self.out.push_str("{\n");
        self.region(region, depth + 1, implicit);
        self.indent(depth);
        self.out.push('}');
    }

    /// What `reduce` and `scan` have in common. The region's arguments stand on a line of their own, after a space.
    fn fold(
        &mut self,
        data: &OpData<CudaTile>,
        operands: &[Value],
        words: impl Display,
        identities: &[Attr],
        body: Region,
        depth: usize,
    ) {
        self.out.push(' ');
        self.values(operands);
        self.put(format_args!(" {words} identities=["));
        write_attrs(self.out, identities);
        self.out.push_str("] : ");
        self.types_of(operands.iter().copied());
        self.out.push_str(" -> ");
        self.types_of(data.results());
        self.out.push_str(" \n");
        self.indent(depth);
        self.out.push('(');
        let args = self.arguments(body);
        self.list(args, |this, arg| {
            this.value(arg);
            this.out.push_str(": ");
            this.types_of([arg]);
        });
        self.out.push_str(") ");
        self.braces(body, depth, "");
    }

    fn make_tensor_view(&mut self, data: &OpData<CudaTile>, base: Value, shape: &[Value], strides: &[Value]) {
        let ty = data.results().next().map(|result| self.body.ty(result));
        let tensor = ty.and_then(TileType::as_tensor_view);
        self.out.push(' ');
        self.value(base);
        self.out.push_str(", shape = [");
        self.mixed(tensor.map_or(&[], |tensor| &tensor.shape), shape);
        self.out.push_str("], strides = [");
        self.mixed(tensor.map_or(&[], |tensor| &tensor.strides), strides);
        self.out.push_str("] : ");
        // A plain pointer's type follows from the tensor's.
        let pointer = self
            .body
            .ty(base)
            .as_tile()
            .and_then(|tile| tile.element.pointer());
        let kind = pointer.and_then(|pointer| pointer.attr).map(|_| base);
        let dynamic = shape.first().or(strides.first()).copied();
        if kind.is_some() || dynamic.is_some() {
            self.types_of(kind.into_iter().chain(dynamic));
            self.out.push_str(" -> ");
        }
        self.types(ty);
    }

    /// Numbers that the type has, and values for those that it leaves open.
    fn mixed(&mut self, known: &[Option<u64>], dynamic: &[Value]) {
        let mut dynamic = dynamic.iter();
        self.list(known, |this, known| match known {
            Some(number) => this.put(number),
            None => {
                if let Some(&value) = dynamic.next() {
                    this.value(value);
                }
            }
        });
    }
}

/// `div_by<16>`, `bounded<0, ?>`
pub(super) fn write_predicate(out: &mut String, predicate: &Predicate) {
    let bound = |bound: &Option<i64>| bound.map_or("?".to_owned(), |bound| bound.to_string());
    let _ = match predicate {
        Predicate::DivBy {
            divisor,
            every,
            along,
        } => {
            let _ = write!(out, "div_by<{divisor}");
            if let Some(every) = every {
                let _ = write!(out, ", every {every}");
            }
            if let Some(along) = along {
                let _ = write!(out, "{} along {along}", if every.is_none() { "," } else { "" });
            }
            out.write_char('>')
        }
        Predicate::SameElements(groups) => write!(
            out,
            "same_elements<[{}]>",
            groups.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")
        ),
        Predicate::Bounded { lower, upper } => write!(out, "bounded<{}, {}>", bound(lower), bound(upper)),
    };
}
