//! Writes the bodies of functions.

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{Block, Body, OpId, Origin, Region, ResultCount, SideTable, Value};
use tilewright_irs::cuda_tile::{
    AttrKind, AttrRef, CudaTile, DefaultValue, FieldKind, FieldRef, TileFieldSpec, TileOpSpec,
};

use super::super::layout::layout;
use super::super::sink::Sink;
use super::attrs::write_predicate;
use super::pools::{Pools, Written};

/// Writes one function body.
pub(super) struct BodyWriter<'a> {
    pools: &'a mut Pools,
    body: &'a Body<CudaTile>,
    /// The number of each value that has one.
    numbers: SideTable<Value, u64>,
    next: u64,
    problems: Vec<Diagnostic<Origin>>,
    /// The op of each written op's debug information, in the order of writing.
    pub(super) origins: Vec<Origin>,
}

impl<'a> BodyWriter<'a> {
    pub(super) fn new(pools: &'a mut Pools, body: &'a Body<CudaTile>) -> Self {
        Self {
            pools,
            body,
            numbers: body.value_table(),
            next: 0,
            problems: Vec::new(),
            origins: Vec::new(),
        }
    }

    /// The bytes of the body, and the origins of its ops as written; or all errors.
    pub(super) fn write(mut self) -> Result<(Sink, Vec<Origin>), Vec<Diagnostic<Origin>>> {
        let mut sink = Sink::default();
        if let Some(entry) = self.body.entry() {
            self.define_args(entry);
            let body = self.body;
            for &op in &body.block(entry).ops {
                self.op(&mut sink, op);
            }
        }
        if self.problems.is_empty() {
            Ok((sink, self.origins))
        } else {
            Err(self.problems)
        }
    }

    fn define(&mut self, value: Value) {
        self.numbers.set(value, self.next);
        self.next += 1;
    }

    fn define_args(&mut self, block: Block) {
        let body = self.body;
        for &arg in &body.block(block).args {
            self.define(arg);
        }
    }

    fn op(&mut self, sink: &mut Sink, id: OpId) {
        let op = self.body.op(id);
        self.origins.push(op.origin);
        if let Err((code, message)) = self.try_op(sink, id) {
            let message = format!("`cuda_tile.{}`: {message}", op.kind.tile_spec().name);
            self.problems
                .push(Diagnostic::error(code, message).at(op.origin, ""));
        }
        let body = self.body;
        let spec = op.kind.tile_spec();
        let open = spec.result_count == ResultCount::Any;
        for (i, value) in body.op(id).results().enumerate() {
            // The results of an op that is too new get numbers, so that their uses are not reported too.
            let newer = spec.since <= self.pools.version
                && spec
                    .results
                    .get(i)
                    .is_some_and(|result| result.since > self.pools.version);
            if open || !newer {
                self.define(value);
            }
        }
    }

    fn try_op(&mut self, sink: &mut Sink, id: OpId) -> Written<()> {
        let body = self.body;
        let op = body.op(id);
        let spec = op.kind.tile_spec();
        let fields = op.kind.fields();
        if spec.is_preview() {
            self.pools.is_preview(|| "the op".to_owned())?;
        } else {
            self.pools.since(|| "the op".to_owned(), spec.since)?;
        }
        sink.varint(spec.opcode.into());
        self.result_types(sink, id, spec)?;
        let fields = || spec.fields.iter().zip(fields.iter().copied());
        let there = |field: &TileFieldSpec, value: FieldRef<'_>| match (field.kind, value) {
            (FieldKind::Flag, FieldRef::Flag(set)) => set,
            (FieldKind::OptionalAttr(_), FieldRef::Attr(attr)) => attr.is_some(),
            (FieldKind::OptionalOperand, FieldRef::OptionalOperand(value)) => value.is_some(),
            _ => false,
        };
        let (mut flags, mut any) = (0u64, false);
        for (bit, &(i, _)) in layout(spec).flagged.iter().enumerate() {
            let Some((field, value)) = fields().nth(i) else {
                continue;
            };
            let set = there(field, value);
            if set {
                self.pools.since(|| format!("`{}`", field.name), field.since)?;
            }
            flags |= u64::from(set) << bit;
            any |= field.since <= self.pools.version;
        }
        if any {
            sink.varint(flags);
        }
        for (field, value) in fields() {
            if let FieldRef::Attr(Some(attr)) = value {
                self.attribute(sink, spec, field, attr, &fields)?;
            }
        }
        self.operands(sink, spec, fields)?;
        let regions = spec
            .fields
            .iter()
            .filter(|field| field.kind == FieldKind::Region)
            .count();
        if regions > 0 {
            sink.len(regions);
            for (_, value) in fields() {
                if let FieldRef::Region(region) = value {
                    self.region(sink, region)?;
                }
            }
        }
        Ok(())
    }

    fn result_types(&mut self, sink: &mut Sink, id: OpId, spec: &'static TileOpSpec) -> Written<()> {
        let body = self.body;
        let open = spec.result_count == ResultCount::Any;
        let results: Vec<Value> = body
            .op(id)
            .results()
            .enumerate()
            .filter(|(i, _)| open || spec.results.get(*i).is_none_or(|r| r.since <= self.pools.version))
            .map(|(_, value)| value)
            .collect();
        if spec.is_variadic() {
            sink.len(results.len());
        }
        for value in results {
            let ty = self.pools.value_type(body.ty(value))?;
            sink.varint(ty);
        }
        Ok(())
    }

    fn attribute<'f, I: Iterator<Item = (&'static TileFieldSpec, FieldRef<'f>)>>(
        &mut self,
        sink: &mut Sink,
        spec: &'static TileOpSpec,
        field: &TileFieldSpec,
        attr: AttrRef<'_>,
        fields: &impl Fn() -> I,
    ) -> Written<()> {
        if field.since > self.pools.version {
            let is_default = match (field.default, attr) {
                (Some(DefaultValue::Code(default)), AttrRef::Enum(code)) => code == default,
                (Some(DefaultValue::AllFalse(of)), AttrRef::Bools(flags)) => {
                    let list = spec.field(of).and_then(|i| fields().nth(i));
                    let fits =
                        matches!(list, Some((_, FieldRef::Operands(list))) if list.len() == flags.len());
                    fits && flags.iter().all(|flag| !flag)
                }
                _ => false,
            };
            if is_default {
                return Ok(());
            }
            return self.pools.since(|| format!("`{}`", field.name), field.since);
        }
        match attr {
            AttrRef::Enum(code) => {
                if let FieldKind::Attr(AttrKind::Enum(cases)) | FieldKind::OptionalAttr(AttrKind::Enum(cases)) =
                    field.kind
                    && let Some(case) = cases.by_code(code.into())
                {
                    self.pools
                        .since(|| format!("`{}` {}", field.name, case.word), case.since)?;
                }
                sink.varint(code.into());
            }
            AttrRef::I64(value) => sink.varint(value.cast_unsigned()),
            AttrRef::I32(value) => sink.varint(value.cast_unsigned().into()),
            AttrRef::Bool(value) => sink.u8(u8::from(value)),
            AttrRef::String(text) | AttrRef::Symbol(text) => sink.varint(self.pools.string(text)),
            AttrRef::I32s(list) => {
                sink.len(list.len());
                list.iter().for_each(|n| sink.extend(&n.to_le_bytes()));
            }
            AttrRef::Bools(list) => {
                sink.len(list.len());
                list.iter().for_each(|&flag| sink.u8(u8::from(flag)));
            }
            AttrRef::Dense(dense) => sink.varint(self.pools.dense(dense)),
            AttrRef::Predicate(predicate) => write_predicate(sink, predicate),
            AttrRef::Attrs(list) => self.pools.attrs(sink, list)?,
            AttrRef::Hints(hints) => self.pools.hints(sink, hints)?,
            AttrRef::Exprs(list) => self.pools.exprs(sink, list)?,
        }
        Ok(())
    }

    fn operands<'f, I: Iterator<Item = (&'static TileFieldSpec, FieldRef<'f>)>>(
        &self,
        sink: &mut Sink,
        spec: &'static TileOpSpec,
        fields: impl Fn() -> I,
    ) -> Written<()> {
        let kinds = |kind: FieldKind| spec.fields.iter().filter(|field| field.kind == kind).count();
        let together = kinds(FieldKind::Operands) == 1 && kinds(FieldKind::OptionalOperand) == 0;
        if together {
            let listed = fields().find_map(|(_, value)| match value {
                FieldRef::Operands(list) => Some(list.len()),
                _ => None,
            });
            sink.len(listed.unwrap_or(0) + kinds(FieldKind::Operand));
        }
        for (_, value) in fields() {
            match value {
                FieldRef::Operand(value) | FieldRef::OptionalOperand(Some(value)) => {
                    sink.varint(self.number(value)?);
                }
                FieldRef::Operands(list) => {
                    if !together {
                        sink.len(list.len());
                    }
                    for &value in list {
                        sink.varint(self.number(value)?);
                    }
                }
                FieldRef::OptionalOperand(None)
                | FieldRef::Region(_)
                | FieldRef::Flag(_)
                | FieldRef::Attr(_) => {}
            }
        }
        Ok(())
    }

    fn number(&self, value: Value) -> Written<u64> {
        match self.numbers.get(value) {
            Some(&number) => Ok(number),
            None => Err((
                Code::UndefinedValue,
                format!(
                    "an operand has no number in bytecode version {}",
                    self.pools.version
                ),
            )),
        }
    }

    fn region(&mut self, sink: &mut Sink, region: Region) -> Written<()> {
        let body = self.body;
        let blocks = &body.region(region).blocks;
        sink.len(blocks.len());
        for &block in blocks {
            let outside = self.next;
            let data = body.block(block);
            sink.len(data.args.len());
            for &arg in &data.args {
                let ty = self.pools.value_type(body.ty(arg))?;
                sink.varint(ty);
            }
            self.define_args(block);
            sink.len(data.ops.len());
            for &op in &data.ops {
                self.op(sink, op);
            }
            self.next = outside;
        }
        Ok(())
    }
}
