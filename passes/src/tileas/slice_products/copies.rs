//! Operands that get to their buffers by `cp.async`, as the routes of their loads say.
//!
//! Besides what holds of the load ([`AsyncLoad`]), layouts decide whether that is possible: the load is in the block of the
//! conversion, what is copied at once is contiguous in the buffer, and all threads copy, in the layout of the load or, if that does
//! not have such vectors, in one that spreads them over all threads. Of tiles that threads read as they load them (`read_back.rs`),
//! one of the threads that hold an element copies it.

use rustc_hash::FxHashMap;
use tilewright_irs::core::{Block, Body, Field, Func, OpId, Translation, Value};
use tilewright_irs::dialects::arith::ArithOp;
use tilewright_irs::dialects::memory::{Padding, TileAccess};
use tilewright_irs::dialects::route::ThreadRoute;
use tilewright_irs::dialects::tile::TileOp;
use tilewright_irs::dialects::tile_rules::ShapedType;
use tilewright_irs::literal::Dense;
use tilewright_irs::machine::LANES;
use tilewright_irs::tileas::atoms::{AsyncLoad, AsyncSource, CopyUse, CpAsync, Ld, Place};
use tilewright_irs::tileas::{
    Buffer, CopyAtom, Pending, TileAs, TileAsDialect, TileAsOp, TileAsType, shape_operand_layout,
};
use tilewright_layouts::{Blocked, Dim, LinearLayout};

use super::ALIGN;
use super::memory::OperandMemory;
use crate::program_slice::Places;
use crate::uses::users_of;

/// A tile that is copied by `cp.async`.
#[derive(Clone)]
pub(super) struct Copied {
    pub(super) load: OpId,
    /// The ops between load and conversion that change its shape.
    pub(super) views: Vec<OpId>,
    /// The buffer as the copy sees it: the tile may have another shape when it is loaded.
    buffer: Buffer,
    atom: CpAsync,
}

/// What a tile is computed from, op by op.
#[derive(Clone, Copy)]
pub(super) struct Source<'s> {
    /// The tile that is loaded, or a view of it.
    pub(super) loaded: Value,
    /// The tile that each of the ops takes; `None` for other ops.
    pub(super) source_of: &'s dyn Fn(OpId) -> Option<Value>,
}

/// The loads of a function.
pub(super) struct Loads<'a> {
    func: &'a Func<TileAs>,
    places: Places<'a, TileAs>,
    /// The ops that use each value.
    users: FxHashMap<Value, Vec<OpId>>,
}

impl<'a> Loads<'a> {
    pub(super) fn of(func: &'a Func<TileAs>) -> Self {
        Self {
            func,
            places: Places::of(&func.body),
            users: users_of(&func.body),
        }
    }

    pub(super) fn body(&self) -> &'a Body<TileAs> {
        &self.func.body
    }

    fn op(&self, id: OpId) -> &'a TileAsOp {
        &self.body().op(id).kind
    }

    /// The route of a tile that is loaded, possibly in another shape.
    pub(super) fn route(&self, tile: Value) -> Option<ThreadRoute> {
        match self.op(self.places.definition(tile)?) {
            TileAsOp::Tile(TileOp::Reshape { source } | TileOp::Permute { source, .. }) => {
                self.route(*source)
            }
            TileAsOp::TileAs(TileAsDialect::Load { route, .. } | TileAsDialect::GatherLoad { route, .. }) => {
                *route
            }
            _ => None,
        }
    }

    /// The buffer of a tile that `reader` needs, or of what it is computed from, and its copy if its route is `cp_async` and
    /// layouts allow it: the one that is planned, or else one whose vectors are along another of the last two axes, as those of
    /// the copy may be.
    pub(super) fn kept<E>(
        &self,
        reader: OpId,
        tile: Value,
        from: Option<Source<'_>>,
        rank: usize,
        plan: impl Fn(Option<usize>) -> Result<Option<OperandMemory>, E>,
    ) -> Result<Option<(OperandMemory, Option<Copied>)>, E> {
        let Some(planned) = plan(None)? else {
            return Ok(None);
        };
        let loaded = from.map_or(tile, |from| from.loaded);
        if !matches!(self.route(loaded), Some(ThreadRoute::CpAsync { .. })) {
            return Ok(Some((planned, None)));
        }
        let block = self.places.block(reader);
        let copied = |buffer: &Buffer| self.copied(block?, tile, from, buffer);
        if let Some(copy) = copied(&planned.buffer) {
            return Ok(Some((planned, Some(copy))));
        }
        for axis in (rank.saturating_sub(2)..rank).rev() {
            if let Some(other) = plan(Some(axis))?
                && let Some(copy) = copied(&other.buffer)
            {
                return Ok(Some((other, Some(copy))));
            }
        }
        Ok(Some((planned, None)))
    }

    /// Whether a value has one use.
    pub(super) fn is_used_once(&self, value: Value) -> bool {
        self.users(value).len() == 1
    }

    /// Whether all uses of a tile and of views of it are conversions.
    pub(super) fn is_only_converted(&self, tile: Value) -> bool {
        self.users(tile).iter().all(|&user| match self.op(user) {
            TileAsOp::Tile(TileOp::Reshape { .. } | TileOp::Permute { .. }) => {
                self.is_only_converted(self.body().op(user).result(0))
            }
            TileAsOp::TileAs(TileAsDialect::ConvertLayout { .. }) => true,
            _ => false,
        })
    }

    /// The conversions of a tile and of views of it.
    pub(super) fn conversions_of(&self, tile: Value) -> usize {
        let counts = self.users(tile).iter().map(|&user| match self.op(user) {
            TileAsOp::Tile(TileOp::Reshape { .. } | TileOp::Permute { .. }) => {
                self.conversions_of(self.body().op(user).result(0))
            }
            TileAsOp::TileAs(TileAsDialect::ConvertLayout { .. }) => 1,
            _ => 0,
        });
        counts.sum()
    }

    /// The tile of which another one is a view.
    pub(super) fn root_of(&self, tile: Value) -> Value {
        match self.places.definition(tile).map(|id| self.op(id)) {
            Some(TileAsOp::Tile(TileOp::Reshape { source } | TileOp::Permute { source, .. })) => {
                self.root_of(*source)
            }
            _ => tile,
        }
    }

    /// The tile of which another one is a view, and the layout there of a buffer of the other one.
    pub(super) fn root(&self, tile: Value, layout: LinearLayout) -> Option<(Value, LinearLayout)> {
        match self.places.definition(tile).map(|id| self.op(id)) {
            Some(TileAsOp::Tile(op @ (TileOp::Reshape { source } | TileOp::Permute { source, .. }))) => {
                let shape = self.body().ty(*source).extents()?;
                self.root(*source, shape_operand_layout(op, shape, &layout).ok()?)
            }
            _ => Some((tile, layout)),
        }
    }

    /// The block of an op.
    pub(super) fn block(&self, id: OpId) -> Option<Block> {
        self.places.block(id)
    }

    /// The op around an op.
    pub(super) fn around(&self, id: OpId) -> Option<&'a TileAsOp> {
        let around = self.places.around(self.places.block(id)?)?;
        Some(self.op(around))
    }

    pub(super) fn users(&self, value: Value) -> &[OpId] {
        self.users.get(&value).map_or(&[], Vec::as_slice)
    }

    /// The copy of a tile, or of what it is computed from, to its buffer, which an op of this block needs.
    fn copied(&self, block: Block, tile: Value, from: Option<Source<'_>>, buffer: &Buffer) -> Option<Copied> {
        let load = self.places.definition(tile)?;
        let is_free = self.is_used_once(tile) || from.is_none() && self.is_only_converted(tile);
        if !is_free || self.places.block(load) != Some(block) {
            return None;
        }
        if let Some(source) = from.and_then(|from| (from.source_of)(load)) {
            return self.copied(block, source, from, buffer);
        }
        match self.op(load) {
            TileAsOp::Tile(op @ (TileOp::Reshape { source } | TileOp::Permute { source, .. })) => {
                let shape = self.body().ty(*source).extents()?;
                let layout = shape_operand_layout(op, shape, buffer.linear()?).ok()?;
                let loaded = Buffer::shared(buffer.element, layout);
                let mut copied = self.copied(block, *source, from, &loaded)?;
                copied.views.push(load);
                Some(copied)
            }
            // A tile that is read as a whole may be smaller than what all threads copy at once.
            TileAsOp::TileAs(_) => {
                let by_some = || {
                    from.is_none()
                        .then(|| self.copied_load(load, buffer, false))
                        .flatten()
                };
                self.copied_load(load, buffer, true).or_else(by_some)
            }
            _ => None,
        }
    }

    /// The copy of what is loaded to a buffer; with `spread`, all threads copy.
    pub(super) fn copied_load(&self, load: OpId, buffer: &Buffer, spread: bool) -> Option<Copied> {
        let TileAsOp::TileAs(own) = self.op(load) else {
            return None;
        };
        let tile = self.body().op(load).result(0);
        let mut widths = AsyncLoad::WIDTHS.into_iter();
        let atom = match own {
            TileAsDialect::Load {
                at,
                ordering,
                route: Some(ThreadRoute::CpAsync { bytes: most }),
                ..
            } => {
                let TileAsType::Memref(array) = self.body().ty(at.memref) else {
                    return None;
                };
                let load = AsyncLoad {
                    target: self.func.attrs.target,
                    ordering,
                    source: AsyncSource::Tile {
                        at,
                        array,
                        shape: &buffer.shape,
                    },
                };
                widths.find_map(|bytes| {
                    let allowed = bytes <= *most && load.check(bytes).is_ok();
                    let atom = || self.tile_atom(tile, at, bytes, buffer, spread);
                    allowed.then(atom).flatten()
                })?
            }
            TileAsDialect::GatherLoad {
                mask,
                other,
                ordering,
                atom: CopyAtom::Ld(ld),
                route: Some(ThreadRoute::CpAsync { bytes: most }),
                ..
            } => {
                let load = AsyncLoad {
                    target: self.func.attrs.target,
                    ordering,
                    source: AsyncSource::Pointers {
                        bytes: ld.bits / 8,
                        zeros: mask.is_none() || other.is_none_or(|other| self.is_zero(other)),
                    },
                };
                widths.find_map(|bytes| {
                    let allowed = bytes <= *most && load.check(bytes).is_ok();
                    allowed.then(|| self.gather_atom(tile, bytes, buffer)).flatten()
                })?
            }
            _ => return None,
        };
        let ld = match own.field() {
            Some(CopyAtom::Ld(ld)) => *ld,
            _ => Ld::new(atom.bits),
        };
        // Asynchronous copies have no such policy.
        ld.cache.is_none().then(|| Copied {
            load,
            views: Vec::new(),
            buffer: buffer.clone(),
            atom: CpAsync {
                prefetch: ld.prefetch,
                l2: ld.l2,
                ..atom
            },
        })
    }

    /// Whether a tile is the constant whose bits are all 0.
    fn is_zero(&self, tile: Value) -> bool {
        let definition = self.places.definition(tile).map(|id| self.op(id));
        matches!(
            definition,
            Some(TileAsOp::Arith(ArithOp::Constant { value: Dense::Splat(literal) })) if literal.bits == 0
        )
    }

    /// The copies of this width of a tile that is loaded through pointers: in the layout of the pointers, of which
    /// consecutive ones point to consecutive elements.
    fn gather_atom(&self, tile: Value, bytes: u32, buffer: &Buffer) -> Option<CpAsync> {
        let threads = self.body().ty(tile).layout()?;
        let first = threads.bases(Dim::Register).next()?;
        let along = first.iter().position(|&step| step == 1)?;
        let vector = 8 * bytes / buffer.element_bits();
        let contiguous = has_vectors(threads, Dim::Register, along, vector)
            && has_vectors(buffer.linear()?, Dim::Offset, along, vector);
        (contiguous && self.is_once(threads)).then(|| CpAsync::new(8 * bytes, threads.clone()))
    }

    /// Whether each element is in one thread.
    fn is_once(&self, threads: &LinearLayout) -> bool {
        threads.is_injective()
            && threads.in_size(Dim::Lane) == LANES
            && threads.in_size(Dim::Warp) == self.func.attrs.kernel_spec.num_warps
    }

    /// The copies of this width of a tile of an array.
    fn tile_atom(
        &self,
        tile: Value,
        at: &TileAccess,
        bytes: u32,
        buffer: &Buffer,
        spread: bool,
    ) -> Option<CpAsync> {
        let TileAsType::Memref(array) = self.body().ty(at.memref) else {
            return None;
        };
        let warps = self.func.attrs.kernel_spec.num_warps;
        let unit = at.unit_axis(array)?;
        let vector = 8 * bytes / buffer.element_bits();
        if !has_vectors(buffer.linear()?, Dim::Offset, unit, vector) {
            return None;
        }
        let own = self.body().ty(tile).layout()?.drop_copies(Dim::Register);
        let others = (0..buffer.shape.len()).rev().filter(|&axis| axis != unit);
        let order: Vec<usize> = std::iter::once(unit).chain(others).collect();
        let other = Blocked::coalesced(&buffer.shape, vector, &order, warps);
        let other = other.and_then(|blocked| blocked.to_linear(&buffer.shape)).ok();
        [Some(own), other].into_iter().flatten().find_map(|threads| {
            if !has_vectors(&threads, Dim::Register, unit, vector) || spread && !self.is_once(&threads) {
                return None;
            }
            let atom = CpAsync::new(8 * bytes, threads);
            let copy = CopyUse {
                target: self.func.attrs.target,
                warps,
                from: Place::Global(array),
                to: Place::Buffer(buffer),
                dim_map: &at.dim_map,
            };
            let allowed = CopyAtom::from(atom.clone()).check(&copy).is_ok();
            allowed.then_some(atom)
        })
    }
}

/// Whether the first `vector` places of a layout are side by side along an axis.
fn has_vectors(layout: &LinearLayout, places: Dim, axis: usize, vector: u32) -> bool {
    let wanted = vector.trailing_zeros();
    let bases = layout.bases(places).take(wanted as usize);
    layout.in_bits(places) >= wanted
        && bases.zip(0..).all(|(basis, bit)| {
            let mut along = basis.iter().enumerate();
            along.all(|(i, &step)| step == if i == axis { 1 << bit } else { 0 })
        })
}

impl Copied {
    /// Begins the copy to a new buffer, at the load. Gives the pending buffer, and binds the token of the load.
    pub(super) fn begin(&self, cx: &mut Translation<'_, TileAs, TileAs>) -> Option<Value> {
        let alloc = TileAsDialect::Alloc {
            align: ALIGN,
            offset: None,
            depth: None,
        };
        let to = cx.value(alloc, TileAsType::Buffer(self.buffer.clone()));
        let atom = CopyAtom::from(self.atom.clone());
        let copy = match &cx.old(self.load).kind {
            TileAsOp::TileAs(TileAsDialect::Load {
                at,
                ordering,
                latency,
                ..
            }) => TileAsDialect::CopyIn {
                at: TileAccess {
                    padding: Some(Padding::Zero),
                    ..at.with_operands(&mut |value| cx.one(value))
                },
                to,
                map: None,
                mask: None,
                after: ordering.after.map(|after| cx.one(after)),
                latency: *latency,
                atom,
            },
            TileAsOp::TileAs(TileAsDialect::GatherLoad {
                pointers,
                mask,
                ordering,
                latency,
                ..
            }) => TileAsDialect::GatherIn {
                pointers: cx.one(*pointers),
                to,
                mask: mask.map(|mask| cx.one(mask)),
                after: ordering.after.map(|after| cx.one(after)),
                latency: *latency,
                atom,
            },
            _ => return None,
        };
        let pending = TileAsType::Pending(Some(Box::new(Pending::Buffer(self.buffer.clone()))));
        let copy = cx.build().op(copy, [pending, TileAsType::Token]);
        let copy = cx.new_body().op(copy);
        let (pending, token) = (copy.result(0), copy.result(1));
        cx.bind(cx.old(self.load).result(1), [token]);
        Some(pending)
    }

    /// Waits for the copy; gives the buffer, of the type `ty`.
    pub(super) fn wait(
        &self,
        cx: &mut Translation<'_, TileAs, TileAs>,
        copy: Value,
        ty: TileAsType,
    ) -> Value {
        let wait = TileAsDialect::CopyWait { copy, in_flight: 0 };
        let ready = cx.value(wait, TileAsType::Buffer(self.buffer.clone()));
        cx.bind(cx.old(self.load).result(0), [ready]);
        match *cx.ty(ready) == ty {
            true => ready,
            false => cx.value(TileAsDialect::Reinterpret { buffer: ready }, ty),
        }
    }
}
