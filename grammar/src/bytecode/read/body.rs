//! Reads the bodies of functions: ops, regions and values. Fields of ops are read in [`fields`](super::fields).

use tilewright_diagnostics::{Code, counted};
use tilewright_irs::core::{Block, Body, Entity, OpId, Operation, Origin, Region, ResultCount, Value};
use tilewright_irs::cuda_tile::declare::MAX_FIELDS;
use tilewright_irs::cuda_tile::{
    ControlOp, CudaTile, FieldKind, FieldValue, MAX_REGION_DEPTH, TileOp, TileOpSpec, TileType, Unknown,
    Version,
};

use super::super::layout::{Layout, layout};
use super::attrs::Tables;
use super::cursor::{Cursor, Fault, Read, fault};

/// Average size of an op; it is smaller in few functions and larger in most.
pub(super) const BYTES_PER_OP: usize = 5;

/// Limit of the capacity that a block reserves for ops before they are read.
const FEW: usize = 64;

/// Reads one function body.
pub(super) struct BodyReader<'r, 'a> {
    pub(super) tables: &'r mut Tables<'a>,
    pub(super) cursor: Cursor<'a>,
    pub(super) body: Body<CudaTile>,
    /// The value of each number that is in scope.
    values: Vec<Value>,
    /// The byte offset of each op, by origin.
    offsets: Vec<u32>,
    depth: usize,
    /// The regions of the current op.
    regions: Vec<Region>,
    /// The parts of the body that could not be read.
    unknown: Unknown,
    /// The first result of the current op, and the op's fields, absent until they are read.
    pub(super) result: Option<Value>,
    pub(super) fields: [FieldValue; MAX_FIELDS],
}

/// A body with the byte offset of each of its ops.
pub(super) struct ReadBody {
    pub(super) body: Body<CudaTile>,
    pub(super) offsets: Vec<u32>,
}

/// A body that could not be read to its end.
pub(super) struct Cut {
    pub(super) fault: Box<Fault>,
    /// The number of ops that were begun.
    pub(super) ops: usize,
    /// The part that was read.
    pub(super) read: ReadBody,
    /// The unknown parts of it.
    pub(super) unknown: Unknown,
}

/// The results of an op: consecutive values, some of which have a number in the file.
#[derive(Clone, Copy)]
struct Results {
    first: usize,
    count: usize,
    numbered: usize,
}

impl<'r, 'a> BodyReader<'r, 'a> {
    pub(super) fn new(tables: &'r mut Tables<'a>, cursor: Cursor<'a>) -> Self {
        let ops = cursor.remaining() / BYTES_PER_OP;
        Self {
            tables,
            cursor,
            body: Body::with_capacity(ops, ops),
            values: Vec::with_capacity(ops),
            offsets: Vec::with_capacity(ops),
            depth: 0,
            regions: Vec::new(),
            unknown: Unknown::default(),
            result: None,
            fields: Default::default(),
        }
    }

    /// Reads the whole body.
    pub(super) fn read(mut self, params: &[TileType]) -> Result<ReadBody, Box<Cut>> {
        let root = self.body.root();
        let entry = self.body.add_block(root);
        self.body.reserve(entry, self.values.capacity());
        for ty in params {
            let value = self.body.add_arg(entry, ty.clone());
            self.values.push(value);
        }
        while !self.cursor.is_empty() {
            if let Err(fault) = self.op(entry) {
                self.cut(entry);
                return Err(Box::new(Cut {
                    fault,
                    ops: self.offsets.len(),
                    read: ReadBody {
                        body: self.body,
                        offsets: self.offsets,
                    },
                    unknown: self.unknown,
                }));
            }
        }
        Ok(ReadBody {
            body: self.body,
            offsets: self.offsets,
        })
    }

    fn op(&mut self, block: Block) -> Read<()> {
        let version = self.tables.version;
        let at = self.cursor.at();
        let opcode = self.cursor.varint("an op")?;
        let spec = known_op(opcode, version, self.tables.types.preview, at)?;
        let layout = layout(spec);
        let origin = Origin(u32::try_from(self.offsets.len()).unwrap_or(u32::MAX - 1));
        self.offsets.push(u32::try_from(at).unwrap_or(u32::MAX));
        let results = self.results(spec, layout, at)?;
        let present = self.flags(spec, layout)?;
        self.attributes(layout, present)?;
        self.operands(spec, layout, present)?;
        if layout.newest > version {
            self.defaults(spec);
        }
        if layout.regions > 0 {
            self.op_with_regions(spec, layout, block, results, origin, at)?;
        } else {
            let kind = self.build(spec, at)?;
            self.body.add_op_of(block, kind, results.count, origin, ());
        }
        for n in 0..results.numbered {
            self.values.push(Value::new(results.first + n));
        }
        Ok(())
    }

    fn build(&mut self, spec: &'static TileOpSpec, at: usize) -> Read<TileOp> {
        match (spec.build)(&mut self.fields) {
            Some(kind) => Ok(kind),
            None => fault(
                at,
                Code::AttributeKind,
                format!("a field of `cuda_tile.{}` is of another kind", spec.name),
            ),
        }
    }

    /// An op is added to the body before the ops of its regions, so that ops and values are numbered in textual
    /// order; its kind is set when the regions are known.
    fn op_with_regions(
        &mut self,
        spec: &'static TileOpSpec,
        layout: &'static Layout,
        block: Block,
        results: Results,
        origin: Origin,
        at: usize,
    ) -> Read<()> {
        let placeholder = TileOp::Control(ControlOp::Return { operands: Vec::new() });
        let id = self.body.add_op_of(block, placeholder, results.count, origin, ());
        let mut fields = std::mem::take(&mut self.fields);
        let start = self.cursor.at();
        let count = self.cursor.varint("a number of regions")?;
        let wanted = layout.regions;
        if count != wanted as u64 {
            let message = format!(
                "`cuda_tile.{}` has {}, expected {wanted}",
                spec.name,
                counted(count, "region")
            );
            return fault(start, Code::RegionCount, message);
        }
        if self.depth >= MAX_REGION_DEPTH {
            return fault(
                start,
                Code::NestingTooDeep,
                format!("regions are nested deeper than {MAX_REGION_DEPTH}"),
            );
        }
        self.depth += 1;
        let before = self.regions.len();
        let mut read = || {
            for (field, place) in spec.fields.iter().zip(&mut fields) {
                if field.kind == FieldKind::Region {
                    *place = self.region()?;
                }
            }
            self.fields = std::mem::take(&mut fields);
            self.build(spec, at)
        };
        let kind = read();
        self.depth -= 1;
        let regions = self.regions.split_off(before);
        match kind {
            Ok(kind) => {
                self.body.op_mut(id).kind = kind;
                Ok(())
            }
            Err(fault) => {
                self.cut_op(id, &regions);
                Err(fault)
            }
        }
    }

    /// Replaces an unreadable op by a placeholder with its regions.
    fn cut_op(&mut self, id: OpId, regions: &[Region]) {
        let Some(entry) = self.body.entry() else { return };
        let mut region = |n: usize| match regions.get(n) {
            Some(&region) => region,
            None => self.body.add_region(),
        };
        let (then_region, else_region) = (region(0), region(1));
        let condition = self.body.add_arg(entry, TileType::Token);
        self.unknown.values.insert(condition);
        self.unknown.values.extend(self.body.op(id).results());
        self.unknown.ops.insert(id);
        self.body.op_mut(id).kind = TileOp::Control(ControlOp::If {
            condition,
            then_region,
            else_region,
        });
    }

    /// Ends a block whose rest could not be read.
    fn cut(&mut self, block: Block) {
        let last = self.body.terminator(block);
        if last.is_some_and(|op| !self.unknown.ops.contains(&op) && self.body.op(op).kind.is_terminator()) {
            return;
        }
        let kind = TileOp::Control(ControlOp::Return { operands: Vec::new() });
        // An origin that no op has.
        let origin = Origin(u32::try_from(self.offsets.len()).unwrap_or(u32::MAX - 1));
        let id = self.body.add_op(block, kind, [], origin, ());
        self.unknown.ops.insert(id);
    }

    fn region(&mut self) -> Read<FieldValue> {
        let region = self.body.add_region();
        self.regions.push(region);
        let at = self.cursor.at();
        match self.cursor.varint("a number of blocks")? {
            0 => return Ok(FieldValue::Region(region)),
            1 => {}
            other => {
                return fault(
                    at,
                    Code::RegionCount,
                    format!("a region has {other} blocks, expected at most 1"),
                );
            }
        }
        let block = self.body.add_block(region);
        let outside = self.values.len();
        for _ in 0..self.cursor.count(1, "a number of block arguments")? {
            let ty = self.tables.value_type(&mut self.cursor)?;
            let value = self.body.add_arg(block, ty);
            self.values.push(value);
        }
        let at = self.cursor.at();
        let ops = self.cursor.count(1, "a number of ops")?;
        if ops == 0 {
            return fault(at, Code::MissingTerminator, "a block has no ops");
        }
        // The count is at most the number of remaining bytes, and an op needs several.
        self.body.reserve(block, ops.min(FEW));
        for _ in 0..ops {
            if let Err(fault) = self.op(block) {
                self.cut(block);
                return Err(fault);
            }
        }
        self.values.truncate(outside);
        Ok(FieldValue::Region(region))
    }

    /// Reads the types of the results, and adds them as values without numbers.
    fn results(&mut self, spec: &'static TileOpSpec, layout: &'static Layout, at: usize) -> Read<Results> {
        let first = self.body.value_count();
        let version = self.tables.version;
        let mut present = spec.results.len();
        if layout.newest > version {
            let known = spec.results.iter().filter(|result| result.since <= version);
            present = known.count();
        }
        let mut numbered = present;
        if layout.variadic {
            numbered = self.cursor.count(1, "a number of results")?;
            if spec.result_count != ResultCount::Any && numbered != present {
                let message = format!(
                    "`cuda_tile.{}` has {}, expected {present}",
                    spec.name,
                    counted(numbered, "result")
                );
                return fault(at, Code::ResultCount, message);
            }
        }
        for _ in 0..numbered {
            let ty = self.tables.value_type(&mut self.cursor)?;
            self.body.add_result(ty);
        }
        // A result newer than the file is added without a number: only tokens were added later.
        if spec.result_count != ResultCount::Any {
            for _ in present..spec.results.len() {
                self.body.add_result(TileType::Token);
            }
        }
        let count = self.body.value_count() - first;
        self.result = (count > 0).then(|| Value::new(first));
        Ok(Results {
            first,
            count,
            numbered,
        })
    }

    #[inline]
    pub(super) fn value(&mut self, spec: &'static TileOpSpec) -> Read<Value> {
        let at = self.cursor.at();
        let index = self.cursor.varint("an operand")?;
        match usize::try_from(index)
            .ok()
            .and_then(|index| self.values.get(index))
        {
            Some(&value) => Ok(value),
            None => fault(
                at,
                Code::ValueIndex,
                format!(
                    "operand index {index} out of bounds (size={}) for `cuda_tile.{}`",
                    self.values.len(),
                    spec.name
                ),
            ),
        }
    }
}

fn known_op(opcode: u64, version: Version, preview: bool, at: usize) -> Read<&'static TileOpSpec> {
    let message = || format!("unsupported opcode {opcode} for bytecode version {version}");
    match TileOp::by_opcode(opcode) {
        Some(spec) if spec.is_preview() && !preview => fault(
            at,
            Code::UnknownOpcode,
            format!(
                "{}: `cuda_tile.{}` is preview content, which the file's header does not say that it has",
                message(),
                spec.name
            ),
        ),
        Some(spec) if spec.since <= version => Ok(spec),
        Some(spec) => fault(
            at,
            Code::OpcodeTooNew,
            format!(
                "{}: `cuda_tile.{}` needs version {}",
                message(),
                spec.name,
                spec.since
            ),
        ),
        None => fault(at, Code::UnknownOpcode, message()),
    }
}
