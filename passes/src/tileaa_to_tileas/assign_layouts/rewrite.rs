//! The new function: values in their layouts, control flow, and ops that compute element by element.

use rustc_hash::FxHashMap;
use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{
    Block, Body, Field, OpData, OpId, Operation, Origin, Region, Remap, SideTable, Value,
};
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::dialects::tile::TileOp;
use tilewright_irs::machine::LANES;
use tilewright_irs::tileaa::{MemoryOp, TileAa, TileAaKind, TileAaOp};
use tilewright_irs::tileas::{TileAs, TileAsDialect, TileAsOp, TileAsType};
use tilewright_layouts::{Dim, LayoutError, LinearLayout};

use super::MAX_REGISTERS;
use super::accesses::Access;
use super::homes::Layouts;
use super::shared::Shared;
use super::tiles::{is_tile, operand_layout, wrong};
use crate::shared_copies;

pub(super) type Rewritten = Result<(), Diagnostic<Origin>>;

pub(super) struct Rewrite<'a> {
    pub(super) from: &'a Body<TileAa>,
    pub(super) layouts: &'a Layouts,
    pub(super) accesses: &'a SideTable<OpId, Access>,
    pub(super) shared: &'a Shared,
    pub(super) to: Body<TileAs>,
    /// The new value of each old one; a tile in its own layout.
    pub(super) values: SideTable<Value, Value>,
    /// The old values that an op uses.
    pub(super) used: SideTable<Value, ()>,
    /// The op that defines each old value.
    pub(super) definitions: SideTable<Value, OpId>,
    /// The insertion block, and the origin of new ops.
    pub(super) place: Option<(Block, Origin)>,
    pub(super) num_warps: u32,
}

impl<'a> Rewrite<'a> {
    pub(super) fn blocks(&mut self, old: Region, new: Region) -> Rewritten {
        let from = self.from;
        for &block in &from.region(old).blocks {
            let to = self.to.add_block(new);
            self.place = Some((to, Origin::FUNCTION));
            for &arg in &from.block(block).args {
                let ty = self.ty(arg, self.layouts.of(arg))?;
                let new = self.to.add_arg(to, ty);
                self.values.set(arg, new);
            }
            for &op in &from.block(block).ops {
                self.place = Some((to, from.op(op).origin));
                self.op(op)?;
            }
        }
        Ok(())
    }

    pub(super) fn region(&mut self, old: Region) -> Result<Region, Diagnostic<Origin>> {
        let place = self.place;
        let new = self.to.add_region();
        self.blocks(old, new)?;
        self.place = place;
        Ok(new)
    }

    pub(super) fn bug(&self, message: impl Into<String>) -> Diagnostic<Origin> {
        let origin = self.place.map_or(Origin::FUNCTION, |(_, origin)| origin);
        Diagnostic::bug(
            "tileaa",
            "assign_layouts",
            message,
            "tilewright pass assign_layouts FILE",
        )
        .at(origin, "")
    }

    /// The type of a value; a tile has the given layout.
    pub(super) fn ty(
        &self,
        value: Value,
        layout: Option<&LinearLayout>,
    ) -> Result<TileAsType, Diagnostic<Origin>> {
        let ty = self.from.ty(value);
        match &ty.kind {
            TileAaKind::Scalar(element) => Ok(TileAsType::Scalar(*element)),
            TileAaKind::Memref(memref) => Ok(TileAsType::Memref(memref.clone())),
            TileAaKind::Token => Ok(TileAsType::Token),
            TileAaKind::Tile { element, shape } => {
                if let Some(buffer) = self.shared.buffer(value) {
                    return Ok(TileAsType::Buffer(buffer.clone()));
                }
                let layout = layout.ok_or_else(|| self.bug("a tile has no layout"))?;
                let registers = layout.in_size(Dim::Register);
                if registers > MAX_REGISTERS {
                    return Err(self.too_large(shape, registers));
                }
                Ok(TileAsType::tile(*element, layout.clone()))
            }
        }
    }

    pub(super) fn too_large(&self, shape: &[u32], registers: u32) -> Diagnostic<Origin> {
        let origin = self.place.map_or(Origin::FUNCTION, |(_, origin)| origin);
        let message = format!(
            "a tile of {shape:?} puts {registers} elements into each thread; {MAX_REGISTERS} are the most"
        );
        Diagnostic::error(Code::Registers, message)
            .at(origin, "")
            .help("use smaller tiles or more warps")
    }

    pub(super) fn append(
        &mut self,
        op: impl Into<TileAsOp>,
        types: Vec<TileAsType>,
    ) -> Result<OpId, Diagnostic<Origin>> {
        let (block, origin) = self.place.ok_or_else(|| self.bug("no block to append to"))?;
        Ok(self.to.add_op(block, op.into(), types, origin, ()))
    }

    /// A value that is not a tile, or a tile in its own layout.
    pub(super) fn scalar(&self, old: Value) -> Result<Value, Diagnostic<Origin>> {
        let new = self.values.get(old).copied();
        new.ok_or_else(|| self.bug(format!("{old:?} is used before it is rewritten")))
    }

    pub(super) fn scalars(&self, old: &[Value]) -> Result<Vec<Value>, Diagnostic<Origin>> {
        old.iter().map(|&value| self.scalar(value)).collect()
    }

    pub(super) fn optional(&self, old: Option<Value>) -> Result<Option<Value>, Diagnostic<Origin>> {
        old.map(|value| self.scalar(value)).transpose()
    }

    /// Fields that have no tiles, with the rewritten values.
    pub(super) fn fields<F: Field + Clone>(&self, old: &F) -> Result<F, Diagnostic<Origin>> {
        let mut missing = Ok(());
        let new = old.with_operands(&mut |value| {
            self.scalar(value).unwrap_or_else(|problem| {
                missing = Err(problem);
                value
            })
        });
        missing.map(|()| new)
    }

    /// A value, converted to this layout if it is a tile with another.
    pub(super) fn value(
        &mut self,
        old: Value,
        layout: Option<&LinearLayout>,
    ) -> Result<Value, Diagnostic<Origin>> {
        let source = self.scalar(old)?;
        let (true, Some(layout)) = (is_tile(self.from, old), layout) else {
            return Ok(source);
        };
        if self.layouts.of(old) == Some(layout) {
            return Ok(source);
        }
        self.converted(old, source, layout)
    }

    pub(super) fn optional_tile(
        &mut self,
        old: Option<Value>,
        layout: Option<&LinearLayout>,
    ) -> Result<Option<Value>, Diagnostic<Origin>> {
        old.map(|value| self.value(value, layout)).transpose()
    }

    /// Each value in the layout of the value that it is passed to.
    fn passed(&mut self, id: OpId, values: &[Value]) -> Result<Vec<Value>, Diagnostic<Origin>> {
        let layouts = self.layouts;
        let targets = layouts.passed(id);
        let pairs = values.iter().zip(targets);
        pairs
            .map(|(&value, &target)| self.value(value, layouts.of(target)))
            .collect()
    }

    fn op(&mut self, id: OpId) -> Rewritten {
        let from = self.from;
        let op = from.op(id);
        match &op.kind {
            TileAaOp::Arith(arith) => self.pure(op, TileAsOp::Arith(arith.clone())),
            TileAaOp::Math(math) => self.pure(op, TileAsOp::Math(math.clone())),
            TileAaOp::Tile(tile) => self.pure(op, TileAsOp::Tile(tile.clone())),
            TileAaOp::Scf(scf) => self.control(id, scf),
            TileAaOp::TileAa(own) => self.own(id, own),
        }
    }

    /// Copies a pure op, unless its result is an unused tile.
    fn pure(&mut self, op: &OpData<TileAa>, mut kind: TileAsOp) -> Rewritten {
        let layouts = self.layouts;
        let result = op.result(0);
        if self.shared.buffer(result).is_some() {
            return self.view(op);
        }
        let layout = layouts.of(result);
        if layout.is_none() && is_tile(self.from, result) {
            return Ok(());
        }
        let operands = layout
            .map(|layout| operand_layout(self.from, op, layout))
            .transpose()
            .map_err(|error| self.bug(format!("no layout for an operand: {error}")))?;
        let mut new = FxHashMap::default();
        for old in op.kind.operand_list() {
            new.insert(old, self.value(old, operands.as_ref())?);
        }
        kind.remap(&mut Substitute(&new));
        let ty = self.ty(result, layout)?;
        let op = self.append(kind, vec![ty])?;
        let value = self.to.op(op).result(0);
        self.values.set(result, value);
        Ok(())
    }

    /// A view of a tile in shared memory.
    fn view(&mut self, op: &OpData<TileAa>) -> Rewritten {
        let view = match &op.kind {
            TileAaOp::Tile(TileOp::Permute { source, permutation }) => TileAsDialect::Transpose {
                buffer: self.scalar(*source)?,
                permutation: permutation.clone(),
            },
            TileAaOp::Tile(TileOp::Reshape { source }) => TileAsDialect::Reinterpret {
                buffer: self.scalar(*source)?,
            },
            _ => return Err(self.bug("an op that is no view of a tile in shared memory")),
        };
        let ty = self.ty(op.result(0), None)?;
        let view = self.append(view, vec![ty])?;
        let value = self.to.op(view).result(0);
        self.values.set(op.result(0), value);
        Ok(())
    }

    fn control(&mut self, id: OpId, scf: &ScfOp) -> Rewritten {
        let new = match scf {
            ScfOp::For {
                lower,
                upper,
                step,
                inits,
                unsigned,
                plan,
                body,
            } => ScfOp::For {
                lower: self.scalar(*lower)?,
                upper: self.scalar(*upper)?,
                step: self.scalar(*step)?,
                inits: self.passed(id, inits)?,
                unsigned: *unsigned,
                plan: plan.without_persistent(),
                body: self.region(*body)?,
            },
            ScfOp::Loop { inits, body } => ScfOp::Loop {
                inits: self.passed(id, inits)?,
                body: self.region(*body)?,
            },
            ScfOp::If {
                condition,
                then,
                otherwise,
            } => ScfOp::If {
                condition: self.scalar(*condition)?,
                then: self.region(*then)?,
                otherwise: self.region(*otherwise)?,
            },
            ScfOp::Yield { values } => ScfOp::Yield {
                values: self.passed(id, values)?,
            },
            ScfOp::Continue { values } => ScfOp::Continue {
                values: self.passed(id, values)?,
            },
            ScfOp::Break { values } => ScfOp::Break {
                values: self.passed(id, values)?,
            },
            ScfOp::Return {} => ScfOp::Return {},
        };
        let layouts = self.layouts;
        self.finish(id, new.into(), |result| layouts.of(result))
    }

    /// Appends an op and binds its results. A result with another layout than its own is converted.
    pub(super) fn finish(
        &mut self,
        id: OpId,
        new: TileAsOp,
        made_in: impl Fn(Value) -> Option<&'a LinearLayout>,
    ) -> Rewritten {
        let layouts = self.layouts;
        let results: Vec<Value> = self.from.op(id).results().collect();
        let types = results.iter().map(|&result| self.ty(result, made_in(result)));
        let types = types.collect::<Result<Vec<_>, _>>()?;
        let op = self.append(new, types)?;
        let new: Vec<Value> = self.to.op(op).results().collect();
        for (&old, source) in results.iter().zip(new) {
            let source = self.agreed(id, old, source)?;
            let own = layouts.of(old).filter(|own| Some(*own) != made_in(old));
            let value = match own {
                None => source,
                Some(own) => self.converted(old, source, own)?,
            };
            self.values.set(old, value);
        }
        Ok(())
    }

    pub(super) fn no_layout(&self, error: &LayoutError) -> Diagnostic<Origin> {
        wrong(self.place.map_or(Origin::FUNCTION, |(_, origin)| origin), error)
    }

    /// The new value of an old tile, in this layout; what is in shared memory is read from there.
    pub(super) fn converted(
        &mut self,
        old: Value,
        source: Value,
        layout: &LinearLayout,
    ) -> Result<Value, Diagnostic<Origin>> {
        if let Some(buffer) = self.shared.buffer(old) {
            let atom = shared_copies::load(layout, buffer).map_err(|error| self.no_layout(&error))?;
            let ty = TileAsType::tile(buffer.element.into(), layout.clone());
            let to = None;
            let op = self.append(TileAsDialect::Copy { source, to, atom }, vec![ty])?;
            return Ok(self.to.op(op).result(0));
        }
        let ty = self.ty(old, Some(layout))?;
        let op = self.append(TileAsDialect::ConvertLayout { source }, vec![ty])?;
        Ok(self.to.op(op).result(0))
    }

    /// Several threads that each loaded an element while others may store it would disagree, and an atomic access is
    /// made by one thread only: its value becomes that of all.
    fn agreed(&mut self, id: OpId, result: Value, source: Value) -> Result<Value, Diagnostic<Origin>> {
        let Some(memory) = MemoryOp::of(self.from.op(id)) else {
            return Ok(source);
        };
        let from_memory = memory.loads && memory.concurrent && memory.data == result;
        let used = self.used.get(result).is_some();
        if !(from_memory && used && self.replicated(self.layouts.access(id))) {
            return Ok(source);
        }
        let ty = self.to.ty(source).clone();
        let op = self.append(TileAsDialect::Agree { source }, vec![ty])?;
        Ok(self.to.op(op).result(0))
    }

    /// Whether several threads hold an element of this layout, or a scalar.
    fn replicated(&self, layout: Option<&LinearLayout>) -> bool {
        layout.is_none_or(|layout| {
            layout.free_mask(Dim::Lane) != 0
                || layout.free_mask(Dim::Warp) != 0
                || layout.in_size(Dim::Lane) < LANES
                || layout.in_size(Dim::Warp) < self.num_warps
        })
    }
}

/// Replaces the operands of an op without regions.
struct Substitute<'a>(&'a FxHashMap<Value, Value>);

impl Remap for Substitute<'_> {
    fn value(&mut self, value: Value) -> Value {
        self.0.get(&value).copied().unwrap_or(value)
    }
}
