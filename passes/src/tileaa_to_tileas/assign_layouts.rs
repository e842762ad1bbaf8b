//! Assigns a distributed layout to every tile and an atom to every memory op. `tileaa` to `tileas`.
//!
//! In: a function with `num_warps` and `num_ctas` (see [`attach_kernel_spec`](mod@super::attach_kernel_spec)), whose memory
//! ops have their `access` (see [`select_atoms`](mod@crate::tileaa::select_atoms)). Out: the same program, where
//!
//! - all tiles of an elementwise op and of an access through pointers have the same layout; a tiled access may have
//!   any;
//! - of a tile or a scalar that several threads hold, the result of an atomic access and of a load that allows
//!   concurrent stores is the first thread's (`tileas.agree`);
//! - the operand of `tile.reshape` and `tile.permute` has the result's layout, reshaped or permuted back; the operand
//!   of `tile.broadcast` has the result's layout sliced along the broadcast axes, without replicated registers
//!   (`slice`, then `drop_copies(Register)`): none of them moves an element to another thread;
//! - all operands of a reduction have the same layout, and its results that layout without the axis; a scan's operands
//!   and results have one layout;
//! - `tileaa.cat`, `tileaa.extract` and `tileaa.insert` become slices and concatenations of registers (`parts.rs`);
//! - the operands and the result of a product have the layouts that its atom takes: `mma_sync` where the target has an
//!   instruction, else `fma`;
//! - a tile that an op needs in another layout than its own is converted right before the op;
//! - registers, and lanes with warps, of every layout act on different bits of the coordinates;
//! - unused tiles computed from scalars alone are removed, and so are all facts.
//!
//! Refused: a route of a load that cannot be taken, with the numbers (`routes.rs`, `shared.rs`); a missing number of warps, or one that is not a power of two up to 32; a tile of more than
//! [`MAX_REGISTERS`] elements per thread (E0703).

mod accesses;
mod folds;
mod groups;
mod homes;
mod parts;
mod products;
mod routes;
mod settle;
mod shared;
mod tiles;

use rustc_hash::FxHashMap;
use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{
    Block, Body, Field, Func, OpData, OpId, Operation, Origin, Region, Remap, SideTable, Value, ValueType,
};
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::dialects::tile::TileOp;
use tilewright_irs::machine::LANES;
use tilewright_irs::tileaa::{MemoryOp, TileAa, TileAaDialect, TileAaKind, TileAaOp};
use tilewright_irs::tileas::atoms::{Completion, CopyAtom, DESCRIBED_ALIGN, Ld, St};
use tilewright_irs::tileas::{
    Buffer, KernelSpec, Pending, TileAs, TileAsAttrs, TileAsDialect, TileAsOp, TileAsType,
};
use tilewright_layouts::{Dim, LayoutError, LinearLayout};

use accesses::{Access, accesses, thread_route};
use homes::{Layouts, find_layouts};
use parts::Parts;
use routes::check_routes;
use shared::Shared;
use tiles::{is_tile, operand_layout, wrong};

use crate::shared_copies;

/// Limit of a tile's elements per thread, which bounds the number of instructions for an op.
pub const MAX_REGISTERS: u32 = 4096;

/// Assigns the layouts of a function.
///
/// # Errors
/// See the module.
pub fn assign_layouts(func: &Func<TileAa>) -> Result<Func<TileAs>, Vec<Diagnostic<Origin>>> {
    let (Some(num_warps), Some(num_ctas)) = (func.attrs.num_warps, func.attrs.num_ctas) else {
        let message = "the function lacks `num_warps` or `num_ctas`";
        return Err(vec![
            Diagnostic::error(Code::MissingAttribute, message).at(Origin::FUNCTION, ""),
        ]);
    };
    if !num_warps.is_power_of_two() || num_warps > 32 {
        let message = format!("`num_warps` is a power of two from 1 to 32, not {num_warps}");
        return Err(vec![
            Diagnostic::error(Code::AttributeValue, message).at(Origin::FUNCTION, ""),
        ]);
    }
    let body = &func.body;
    let accesses = accesses(body).map_err(|problem| vec![problem])?;
    let shared = Shared::of(body, &accesses, func.attrs.target, num_warps);
    let shared = shared.map_err(|problem| vec![problem])?;
    check_routes(body, &shared, func.attrs.target).map_err(|problem| vec![problem])?;
    let layouts = find_layouts(body, &accesses, &shared, func.attrs.target, num_warps);
    let layouts = layouts.map_err(|problem| vec![problem])?;
    let mut rewrite = Rewrite {
        from: body,
        layouts: &layouts,
        accesses: &accesses,
        shared: &shared,
        to: Body::default(),
        values: body.value_table(),
        used: used(body),
        definitions: body.definitions(),
        place: None,
        num_warps,
    };
    let root = rewrite.to.root();
    rewrite
        .blocks(body.root(), root)
        .map_err(|problem| vec![problem])?;
    let became = body
        .values()
        .map(|(old, _)| (old, rewrite.values.get(old).copied()));
    rewrite.to.follow(body, became);
    let attrs = TileAsAttrs {
        target: func.attrs.target,
        kernel_spec: KernelSpec { num_warps, num_ctas },
        occupancy: func.attrs.occupancy,
        shared_bytes: 0,
        shared_align: None,
    };
    Ok(Func {
        name: func.name.clone(),
        attrs,
        body: rewrite.to.renumbered(),
    })
}

type Rewritten = Result<(), Diagnostic<Origin>>;

struct Rewrite<'a> {
    from: &'a Body<TileAa>,
    layouts: &'a Layouts,
    accesses: &'a SideTable<OpId, Access>,
    shared: &'a Shared,
    to: Body<TileAs>,
    /// The new value of each old one; a tile in its own layout.
    values: SideTable<Value, Value>,
    /// The old values that an op uses.
    used: SideTable<Value, ()>,
    /// The op that defines each old value.
    definitions: SideTable<Value, OpId>,
    /// The insertion block, and the origin of new ops.
    place: Option<(Block, Origin)>,
    num_warps: u32,
}

impl<'a> Rewrite<'a> {
    fn blocks(&mut self, old: Region, new: Region) -> Rewritten {
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

    fn region(&mut self, old: Region) -> Result<Region, Diagnostic<Origin>> {
        let place = self.place;
        let new = self.to.add_region();
        self.blocks(old, new)?;
        self.place = place;
        Ok(new)
    }

    fn bug(&self, message: impl Into<String>) -> Diagnostic<Origin> {
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
    fn ty(&self, value: Value, layout: Option<&LinearLayout>) -> Result<TileAsType, Diagnostic<Origin>> {
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

    fn too_large(&self, shape: &[u32], registers: u32) -> Diagnostic<Origin> {
        let origin = self.place.map_or(Origin::FUNCTION, |(_, origin)| origin);
        let message = format!(
            "a tile of {shape:?} puts {registers} elements into each thread; {MAX_REGISTERS} are the most"
        );
        Diagnostic::error(Code::Registers, message)
            .at(origin, "")
            .help("use smaller tiles or more warps")
    }

    fn append(
        &mut self,
        op: impl Into<TileAsOp>,
        types: Vec<TileAsType>,
    ) -> Result<OpId, Diagnostic<Origin>> {
        let (block, origin) = self.place.ok_or_else(|| self.bug("no block to append to"))?;
        Ok(self.to.add_op(block, op.into(), types, origin, ()))
    }

    /// A value that is not a tile, or a tile in its own layout.
    fn scalar(&self, old: Value) -> Result<Value, Diagnostic<Origin>> {
        let new = self.values.get(old).copied();
        new.ok_or_else(|| self.bug(format!("{old:?} is used before it is rewritten")))
    }

    fn scalars(&self, old: &[Value]) -> Result<Vec<Value>, Diagnostic<Origin>> {
        old.iter().map(|&value| self.scalar(value)).collect()
    }

    fn optional(&self, old: Option<Value>) -> Result<Option<Value>, Diagnostic<Origin>> {
        old.map(|value| self.scalar(value)).transpose()
    }

    /// Fields that have no tiles, with the rewritten values.
    fn fields<F: Field + Clone>(&self, old: &F) -> Result<F, Diagnostic<Origin>> {
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
    fn value(&mut self, old: Value, layout: Option<&LinearLayout>) -> Result<Value, Diagnostic<Origin>> {
        let source = self.scalar(old)?;
        let (true, Some(layout)) = (is_tile(self.from, old), layout) else {
            return Ok(source);
        };
        if self.layouts.of(old) == Some(layout) {
            return Ok(source);
        }
        self.converted(old, source, layout)
    }

    fn optional_tile(
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
                loads_ahead,
                body,
            } => ScfOp::For {
                lower: self.scalar(*lower)?,
                upper: self.scalar(*upper)?,
                step: self.scalar(*step)?,
                inits: self.passed(id, inits)?,
                unsigned: *unsigned,
                loads_ahead: *loads_ahead,
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
    fn finish(
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

    /// The buffer to which threads store a tile in registers.
    fn stored(
        &mut self,
        source: Value,
        layout: &LinearLayout,
        buffer: &Buffer,
    ) -> Result<Value, Diagnostic<Origin>> {
        let atom = shared_copies::store(layout, buffer).map_err(|error| self.no_layout(&error))?;
        let alloc = TileAsDialect::Alloc {
            align: DESCRIBED_ALIGN,
            offset: None,
            depth: None,
        };
        let alloc = self.append(alloc, vec![TileAsType::Buffer(buffer.clone())])?;
        let to = self.to.op(alloc).result(0);
        let to_buffer = Some(to);
        self.append(
            TileAsDialect::Copy {
                source,
                to: to_buffer,
                atom,
            },
            Vec::new(),
        )?;
        Ok(to)
    }

    fn no_layout(&self, error: &LayoutError) -> Diagnostic<Origin> {
        wrong(self.place.map_or(Origin::FUNCTION, |(_, origin)| origin), error)
    }

    /// The new value of an old tile, in this layout; what is in shared memory is read from there.
    fn converted(
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

    fn atom(
        &self,
        id: OpId,
        loads: bool,
        layout: Option<&LinearLayout>,
    ) -> Result<CopyAtom, Diagnostic<Origin>> {
        if let Some(copy) = self.shared.copy(id) {
            return Ok(copy.clone());
        }
        let access = self.accesses.get(id);
        let access = access.ok_or_else(|| self.bug("a memory op has no access"))?;
        let bits = access.bits(layout);
        Ok(match loads {
            true => Ld::new(bits).into(),
            false => St::new(bits).into(),
        })
    }

    fn own(&mut self, id: OpId, own: &TileAaDialect) -> Rewritten {
        if let Some(parts) = Parts::of(own) {
            return self.parts(id, own, &parts);
        }
        let layouts = self.layouts;
        let layout = layouts.access(id);
        let new = match own {
            TileAaDialect::Memref {
                base,
                extents,
                strides,
            } => TileAsDialect::Memref {
                base: self.scalar(*base)?,
                extents: self.scalars(extents)?,
                strides: self.scalars(strides)?,
            },
            TileAaDialect::Load {
                at,
                ordering,
                latency,
                allow_tma,
                access: _,
                route: _,
            } => TileAsDialect::Load {
                at: self.fields(at)?,
                ordering: self.fields(ordering)?,
                latency: *latency,
                allow_tma: *allow_tma,
                atom: self.atom(id, true, layout)?,
                route: thread_route(own).filter(|_| self.shared.copy(id).is_none()),
            },
            TileAaDialect::Store {
                at,
                value,
                ordering,
                latency,
                allow_tma,
                access: _,
                route: _,
            } => TileAsDialect::Store {
                at: self.fields(at)?,
                value: self.value(*value, layout)?,
                ordering: self.fields(ordering)?,
                latency: *latency,
                allow_tma: *allow_tma,
                atom: self.atom(id, false, layout)?,
            },
            TileAaDialect::GatherLoad {
                pointers,
                mask,
                other,
                ordering,
                latency,
                access: _,
                route,
            } => TileAsDialect::GatherLoad {
                pointers: self.value(*pointers, layout)?,
                mask: self.optional_tile(*mask, layout)?,
                other: match self.shared.copy(id) {
                    // Those are zeros.
                    Some(_) => None,
                    None => self.optional_tile(*other, layout)?,
                },
                ordering: self.fields(ordering)?,
                latency: *latency,
                atom: self.atom(id, true, layout)?,
                route: route.filter(|_| self.shared.copy(id).is_none()),
            },
            TileAaDialect::ScatterStore {
                pointers,
                value,
                mask,
                ordering,
                latency,
                access: _,
            } => TileAsDialect::ScatterStore {
                pointers: self.value(*pointers, layout)?,
                value: self.value(*value, layout)?,
                mask: self.optional_tile(*mask, layout)?,
                ordering: self.fields(ordering)?,
                latency: *latency,
                atom: self.atom(id, false, layout)?,
            },
            TileAaDialect::Reduce { identities, .. } | TileAaDialect::Scan { identities, .. } => {
                let (Some(fold), Some(folded)) = (own.fold(), layouts.fold(id)) else {
                    return Err(self.bug("a reduction has no layout"));
                };
                let operands = fold
                    .operands
                    .iter()
                    .map(|&v| self.value(v, Some(&folded.operands)));
                let operands = operands.collect::<Result<Vec<_>, _>>()?;
                let (axis, identities, atom) = (fold.axis, identities.clone(), folded.atom);
                let body = self.region(fold.body)?;
                let new = match own {
                    TileAaDialect::Scan { reverse, .. } => TileAsDialect::Scan {
                        operands,
                        axis,
                        reverse: *reverse,
                        identities,
                        atom,
                        body,
                    },
                    _ => TileAsDialect::Reduce {
                        operands,
                        axis,
                        identities,
                        atom,
                        body,
                    },
                };
                return self.finish(id, new.into(), |_| folded.results.as_ref());
            }
            TileAaDialect::Yield { values } => TileAsDialect::Yield {
                values: self.scalars(values)?,
            },
            TileAaDialect::AtomicRmw {
                pointers,
                value,
                mask,
                op,
                ordering,
                access: _,
            } => TileAsDialect::AtomicRmw {
                pointers: self.value(*pointers, layout)?,
                value: self.value(*value, layout)?,
                mask: self.optional_tile(*mask, layout)?,
                op: *op,
                ordering: self.fields(ordering)?,
            },
            TileAaDialect::AtomicCas {
                pointers,
                compare,
                value,
                mask,
                ordering,
                access: _,
            } => TileAsDialect::AtomicCas {
                pointers: self.value(*pointers, layout)?,
                compare: self.value(*compare, layout)?,
                value: self.value(*value, layout)?,
                mask: self.optional_tile(*mask, layout)?,
                ordering: self.fields(ordering)?,
            },
            TileAaDialect::AtomicTile {
                at,
                value,
                op,
                ordering,
                access: _,
            } => TileAsDialect::AtomicTile {
                at: self.fields(at)?,
                value: self.value(*value, layout)?,
                op: *op,
                ordering: self.fields(ordering)?,
            },
            TileAaDialect::MultimemLoad {
                at,
                op,
                ordering,
                access: _,
            } => TileAsDialect::MultimemLoad {
                at: self.fields(at)?,
                op: *op,
                ordering: self.fields(ordering)?,
                atom: self.atom(id, true, layout)?,
            },
            TileAaDialect::MultimemStore {
                at,
                value,
                ordering,
                access: _,
            } => TileAsDialect::MultimemStore {
                at: self.fields(at)?,
                value: self.value(*value, layout)?,
                ordering: self.fields(ordering)?,
                atom: self.atom(id, false, layout)?,
            },
            TileAaDialect::MultimemReduce {
                at,
                value,
                op,
                ordering,
                access: _,
            } => TileAsDialect::MultimemReduce {
                at: self.fields(at)?,
                value: self.value(*value, layout)?,
                op: *op,
                ordering: self.fields(ordering)?,
                atom: self.atom(id, false, layout)?,
            },
            TileAaDialect::Fence { kind, after } => TileAsDialect::Fence {
                kind: *kind,
                after: self.optional(*after)?,
            },
            TileAaDialect::Barrier {} => TileAsDialect::Barrier {},
            TileAaDialect::Cat { .. } | TileAaDialect::Extract { .. } | TileAaDialect::Insert { .. } => {
                return Err(self.bug("an op about parts of tiles has its own rewriting"));
            }
            TileAaDialect::Dot {
                a,
                b,
                acc,
                signedness_a,
                signedness_b,
                // The atom is chosen.
                fast: _,
                route: _,
            } => {
                let product = layouts.product(id);
                let product = product.ok_or_else(|| self.bug("a product has no layout"))?;
                let a = self.value(*a, product.a.as_ref())?;
                let b = self.value(*b, product.b.as_ref())?;
                let b = match (&product.stored, &product.b) {
                    (Some(buffer), Some(layout)) => self.stored(b, layout, buffer)?,
                    _ => b,
                };
                let new = TileAsDialect::Dot {
                    a,
                    b,
                    acc: self.value(*acc, Some(&product.acc))?,
                    signedness_a: *signedness_a,
                    signedness_b: *signedness_b,
                    atom: product.atom.clone(),
                };
                let new = match product.atom.completion() {
                    Completion::Synchronous => new,
                    Completion::Asynchronous => self.awaited(id, new, &product.acc)?,
                };
                return self.finish(id, new.into(), |_| Some(&product.acc));
            }
            TileAaDialect::CreateMemToken {} => TileAsDialect::CreateMemToken {},
            TileAaDialect::JoinMemTokens { tokens } => TileAsDialect::JoinMemTokens {
                tokens: self.scalars(tokens)?,
            },
            TileAaDialect::Print { format, values } => TileAsDialect::Print {
                format: format.clone(),
                values: self.scalars(values)?,
            },
            TileAaDialect::Assert { condition, message } => TileAsDialect::Assert {
                condition: self.scalar(*condition)?,
                message: message.clone(),
            },
            TileAaDialect::ProgramId { axis } => TileAsDialect::ProgramId { axis: *axis },
            TileAaDialect::NumPrograms { axis } => TileAsDialect::NumPrograms { axis: *axis },
            TileAaDialect::BlockRank {} => TileAsDialect::BlockRank {},
        };
        self.finish(id, new.into(), |_| layout)
    }

    /// Appends an asynchronous product, and gives the op that waits for it.
    fn awaited(
        &mut self,
        id: OpId,
        product: TileAsDialect,
        acc: &LinearLayout,
    ) -> Result<TileAsDialect, Diagnostic<Origin>> {
        let element = self.from.ty(self.from.op(id).result(0)).element();
        let element = element.ok_or_else(|| self.bug("a product without elements"))?;
        let pending = Pending::Tile(element, acc.clone());
        let product = self.append(product, vec![TileAsType::Pending(Some(Box::new(pending)))])?;
        Ok(TileAsDialect::DotWait {
            product: self.to.op(product).result(0),
            in_flight: 0,
        })
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

/// The values that are operands of some op.
fn used(body: &Body<TileAa>) -> SideTable<Value, ()> {
    let mut used = body.value_table();
    for (_, op) in body.ops() {
        op.kind.operands(&mut |value| used.set(value, ()));
    }
    used
}

/// Replaces the operands of an op without regions.
struct Substitute<'a>(&'a FxHashMap<Value, Value>);

impl Remap for Substitute<'_> {
    fn value(&mut self, value: Value) -> Value {
        self.0.get(&value).copied().unwrap_or(value)
    }
}
