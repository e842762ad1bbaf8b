//! Prints ops by the notation of their declarations.

use std::fmt::{Display, Write};

use super::implicit::is_implicit;
use super::locations::Locations;
use super::names::Names;
use super::{push_integer, write_attrs, write_dense, write_hints, write_string, write_symbol};
use crate::core::{Body, OpData, OpId, Region, Value};
use crate::cuda_tile::attrs::Predicate;
use crate::cuda_tile::declare::{DefaultValue, TileOpSpec};
use crate::cuda_tile::fields::{AttrKind, AttrRef, FieldKind, FieldRef};
use crate::cuda_tile::module::CudaTile;
use crate::cuda_tile::preview::expr_list;
use crate::cuda_tile::syntax::{Piece, TypedOf, syntax};
use crate::cuda_tile::types::TileType;
use crate::cuda_tile::write::write_number as write_natural;

/// Prints the ops of one function.
pub(super) struct BodyPrinter<'a> {
    pub(super) out: &'a mut String,
    pub(super) body: &'a Body<CudaTile>,
    pub(super) names: &'a Names,
    /// The locations, and the function's index in the module.
    pub(super) locations: Option<(&'a Locations<'a>, usize)>,
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
            self.names.write_results(data.results(), self.out);
            self.out.push_str(" = ");
        }
        let spec = data.kind.tile_spec();
        self.out.push_str(spec.name);
        match syntax(spec) {
            Some(pieces) => {
                let before = self.out.len();
                self.out.push(' ');
                self.pieces(data, spec, &data.kind.fields(), pieces);
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

    pub(super) fn indent(&mut self, depth: usize) {
        for _ in 0..depth {
            self.out.push_str("  ");
        }
    }

    pub(super) fn put(&mut self, text: impl Display) {
        let _ = write!(self.out, "{text}");
    }

    pub(super) fn value(&mut self, value: Value) {
        self.names.write(value, self.out);
    }

    pub(super) fn list<T>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut Self, T),
    ) {
        for (i, item) in items.into_iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            write(self, item);
        }
    }

    pub(super) fn values(&mut self, values: &[Value]) {
        self.list(values, |this, &value| this.value(value));
    }

    pub(super) fn types<'t>(&mut self, types: impl IntoIterator<Item = &'t TileType>) {
        self.list(types, |this, ty| {
            // Writing to a string does not fail.
            let _ = ty.write_text(this.out);
        });
    }

    pub(super) fn types_of(&mut self, values: impl IntoIterator<Item = Value>) {
        let body = self.body;
        self.types(values.into_iter().map(|value| body.ty(value)));
    }

    fn pieces(
        &mut self,
        data: &OpData<CudaTile>,
        spec: &'static TileOpSpec,
        fields: &[FieldRef<'_>],
        pieces: &[Piece],
    ) {
        for piece in pieces {
            match piece {
                Piece::Text(text) => self.out.push_str(text),
                Piece::Field(index) => {
                    if let (Some(field), Some(declared)) = (fields.get(*index), spec.fields.get(*index)) {
                        self.field(*field, declared.kind);
                    }
                }
                Piece::Wrapped(index, word) => {
                    if self.present(spec, *index, fields)
                        && let (Some(field), Some(declared)) = (fields.get(*index), spec.fields.get(*index))
                    {
                        self.out.push_str(word);
                        self.out.push('<');
                        self.field(*field, declared.kind);
                        self.out.push('>');
                    }
                }
                Piece::Types(typed) => self.types_named(data, fields, typed.of, usize::MAX),
                Piece::FirstType(typed) => self.types_named(data, fields, typed.of, 1),
                Piece::IndexTypes(typed) => {
                    let shown = if self.one_index_type(fields, typed.of) {
                        1
                    } else {
                        usize::MAX
                    };
                    self.types_named(data, fields, typed.of, shown);
                }
                Piece::Group(index, inner) => {
                    if self.present(spec, *index, fields) {
                        self.pieces(data, spec, fields, inner);
                    }
                }
            }
        }
    }

    /// The types of the operands of a field or of results, at most `most` of them.
    fn types_named(&mut self, data: &OpData<CudaTile>, fields: &[FieldRef<'_>], of: TypedOf, most: usize) {
        match of {
            TypedOf::Field(index) => match fields.get(index) {
                Some(FieldRef::Operand(value) | FieldRef::OptionalOperand(Some(value))) => {
                    self.types_of([*value]);
                }
                Some(FieldRef::Operands(values)) => self.types_of(values.iter().copied().take(most)),
                Some(
                    FieldRef::OptionalOperand(None)
                    | FieldRef::Region(_)
                    | FieldRef::Flag(_)
                    | FieldRef::Attr(_),
                )
                | None => {}
            },
            TypedOf::Result(index) => self.types_of(data.results().nth(index)),
            TypedOf::Results => self.types_of(data.results().take(most)),
        }
    }

    /// Whether the indices of a view share one type, which is then written once. The indices along the sparse
    /// dimension of a gather-scatter view have their own type, so all are written.
    fn one_index_type(&self, fields: &[FieldRef<'_>], indices: TypedOf) -> bool {
        let indices = match indices {
            TypedOf::Field(index) => match fields.get(index) {
                Some(FieldRef::Operands(values)) => *values,
                _ => &[],
            },
            TypedOf::Result(_) | TypedOf::Results => &[],
        };
        let sparse = fields.iter().any(|field| match field {
            FieldRef::Operand(value) => {
                matches!(self.body.ty(*value), TileType::GatherScatterView(_))
            }
            _ => false,
        });
        let mut types = indices.iter().map(|&value| self.body.ty(value));
        let first = types.next();
        !sparse && types.all(|ty| Some(ty) == first)
    }

    /// Whether a field is printed.
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

    pub(super) fn field(&mut self, field: FieldRef<'_>, kind: FieldKind) {
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
            AttrRef::I64(value) => push_integer(self.out, value),
            AttrRef::I32(value) => push_integer(self.out, value.into()),
            AttrRef::Bool(value) => self.put(value),
            AttrRef::String(text) => write_string(self.out, text),
            AttrRef::Symbol(name) => write_symbol(self.out, name),
            AttrRef::I32s(items) => {
                self.bracketed(items, |this, &item| push_integer(this.out, item.into()));
            }
            AttrRef::Bools(items) => self.bracketed(items, |this, item| this.put(item)),
            // Only a constant has one; its text is hand-written.
            AttrRef::Dense(dense) => write_dense(self.out, dense, &[]),
            AttrRef::Predicate(predicate) => write_predicate(self.out, predicate),
            AttrRef::Attrs(items) => {
                self.out.push('[');
                write_attrs(self.out, items);
                self.out.push(']');
            }
            AttrRef::Hints(hints) => write_hints(self.out, hints),
            // Only a call has them; its text is hand-written.
            AttrRef::Exprs(items) => self.out.push_str(&expr_list(items)),
        }
    }

    fn bracketed<T>(&mut self, items: &[T], write: impl FnMut(&mut Self, &T)) {
        self.out.push('[');
        self.list(items, write);
        self.out.push(']');
    }
}

/// `div_by<16>`, `bounded<0, ?>`
pub(super) fn write_predicate(out: &mut String, predicate: &Predicate) {
    // Writing to a string does not fail.
    let _ = match predicate {
        Predicate::DivBy {
            divisor,
            every,
            along,
        } => {
            out.push_str("div_by<");
            let _ = write_natural(out, *divisor);
            if let Some(every) = every {
                out.push_str(", every ");
                push_integer(out, *every);
            }
            if let Some(along) = along {
                let _ = write!(out, "{} along {along}", if every.is_none() { "," } else { "" });
            }
            out.write_char('>')
        }
        Predicate::SameElements(groups) => {
            out.push_str("same_elements<[");
            for (i, group) in groups.iter().enumerate() {
                let _ = write!(out, "{}{group}", if i > 0 { ", " } else { "" });
            }
            out.write_str("]>")
        }
        Predicate::Bounded { lower, upper } => {
            let bound = |out: &mut String, bound: &Option<i64>| match bound {
                Some(bound) => {
                    push_integer(out, *bound);
                    Ok(())
                }
                None => out.write_char('?'),
            };
            out.push_str("bounded<");
            let _ = bound(out, lower);
            out.push_str(", ");
            let _ = bound(out, upper);
            out.write_char('>')
        }
    };
}
