//! Copies tiles that products read from shared memory there by `cp.async`, not through registers. `tileas` to `tileas`.
//!
//! In: any function. Out: the same program, where in loops with matrix products a tile that is only loaded to be stored to a
//! buffer
//!
//! ```text
//! %tile, %token = tileas.load %array, [%x, %i] {atom = ld<128b>}
//! %b = tileas.alloc : #buffer
//! tileas.copy %tile, to %b {atom = st<128b>}
//! ```
//!
//! is copied asynchronously:
//!
//! ```text
//! %to = tileas.alloc : #buffer
//! %copy, %token = tileas.copy_in %array, [%x, %i], %to {atom = cp_async<128b, #threads>}
//! %b = tileas.copy_wait %copy {in_flight = 0} : #buffer
//! ```
//!
//! and likewise one that is loaded through pointers, or has another shape when it is loaded. That is correct by itself;
//! `schedule_loops` issues the copies ahead. The load must be weak, `cp.async` must be able to do it (4, 8 or 16 bytes that are
//! contiguous in the array and in the buffer, padded with zeros), and nothing else may write the buffer.

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{
    Block, Body, Field, Func, OpId, Operation, Origin, Translate, Translated, Translation, Value,
    translate_func,
};
use tilewright_irs::dialects::arith::ArithOp;
use tilewright_irs::dialects::memory::{Ordering, Padding, TileAccess};
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::dialects::tile::TileOp;
use tilewright_irs::dialects::tile_rules::ShapedType;
use tilewright_irs::isa::rules::forms;
use tilewright_irs::literal::Dense;
use tilewright_irs::machine::LANES;
use tilewright_irs::tileas::atoms::{CopyUse, CpAsync, Place};
use tilewright_irs::tileas::{
    Buffer, CopyAtom, Pending, TileAs, TileAsDialect, TileAsOp, TileAsType, shape_operand_layout,
};
use tilewright_layouts::{Blocked, Dim, LinearLayout};

use crate::program_slice::Places;

/// The widths of `cp.async`, in bits, the widest first.
const WIDTHS: [u32; 3] = [128, 64, 32];

/// Copies asynchronously what products read from shared memory.
///
/// # Errors
/// None; the type is that of all passes.
pub fn copy_asynchronously(func: &Func<TileAs>) -> Result<Func<TileAs>, Vec<Diagnostic<Origin>>> {
    let body = &func.body;
    let is_product = |id: &OpId| matches!(body.op(*id).kind, TileAsOp::TileAs(TileAsDialect::Dot { .. }));
    let [widest, ..] = WIDTHS;
    let exists = forms::cp_async(widest / 8).is_some_and(|need| func.attrs.target.provides(need));
    if !exists || !body.walk().iter().any(is_product) {
        return Ok(func.clone());
    }
    let places = Places::of(body);
    let mut users: FxHashMap<Value, Vec<OpId>> = FxHashMap::default();
    for id in body.walk() {
        body.op(id)
            .kind
            .operands(&mut |value| users.entry(value).or_default().push(id));
    }
    let search = Search {
        func,
        places: &places,
        users: &users,
    };
    let mut pass = Copying::default();
    for id in body.walk() {
        if let TileAsOp::Scf(ScfOp::For { body: region, .. }) = &body.op(id).kind
            && body.walk_region(*region).iter().any(is_product)
            && let Some(block) = body.only_block(*region)
        {
            for &copy in &body.block(block).ops {
                if let Some(copied) = search.copied(block, copy) {
                    pass.add(copied);
                }
            }
        }
    }
    if pass.loads.is_empty() {
        return Ok(func.clone());
    }
    translate_func(func, func.attrs.clone(), &mut pass)
}

/// A tile that can be copied asynchronously.
struct Copied {
    /// The store to the buffer, and the buffer's allocation.
    store: OpId,
    alloc: OpId,
    load: OpId,
    /// The ops between load and store that change its shape.
    views: Vec<OpId>,
    /// The buffer as the copy sees it: the tile may have another shape when it is loaded.
    buffer: Buffer,
    atom: CpAsync,
}

struct Search<'a> {
    func: &'a Func<TileAs>,
    places: &'a Places<'a, TileAs>,
    users: &'a FxHashMap<Value, Vec<OpId>>,
}

impl<'a> Search<'a> {
    fn body(&self) -> &'a Body<TileAs> {
        &self.func.body
    }

    fn op(&self, id: OpId) -> &'a TileAsOp {
        &self.body().op(id).kind
    }

    fn users(&self, value: Value) -> &[OpId] {
        self.users.get(&value).map_or(&[], Vec::as_slice)
    }

    /// The op of a block that defines a value.
    fn definition(&self, block: Block, value: Value) -> Option<OpId> {
        let id = self.places.definition(value)?;
        (self.places.block(id) == Some(block)).then_some(id)
    }

    /// What a store to a buffer copies, if `cp.async` can do so.
    fn copied(&self, block: Block, store: OpId) -> Option<Copied> {
        let TileAsOp::TileAs(TileAsDialect::Copy {
            source,
            to: Some(to),
            atom: CopyAtom::St(_),
        }) = self.op(store)
        else {
            return None;
        };
        let alloc = self.definition(block, *to)?;
        let TileAsOp::TileAs(TileAsDialect::Alloc { offset: None, .. }) = self.op(alloc) else {
            return None;
        };
        let buffer = self.body().ty(*to).buffer()?;
        let order = &self.body().block(block).ops;
        let at = |id: OpId| order.iter().position(|&op| op == id);
        let is_later =
            |user: OpId| user == store || at(user).is_none_or(|user| at(store).is_some_and(|at| at < user));
        if buffer.stages != 1 || !self.is_filled_by(store, *to, &is_later) {
            return None;
        }
        self.load(block, *source, buffer, (store, alloc))
    }

    /// Whether a buffer is written by this store only, and read later, by copies and products only.
    fn is_filled_by(&self, store: OpId, buffer: Value, is_later: &impl Fn(OpId) -> bool) -> bool {
        self.users(buffer).iter().all(|&user| {
            is_later(user)
                && match self.op(user) {
                    _ if user == store => true,
                    TileAsOp::TileAs(own) => match own {
                        TileAsDialect::Copy { source, to, .. } => *source == buffer && *to != Some(buffer),
                        TileAsDialect::Subview { .. }
                        | TileAsDialect::Transpose { .. }
                        | TileAsDialect::Reinterpret { .. } => {
                            self.is_filled_by(store, self.body().op(user).result(0), is_later)
                        }
                        _ => false,
                    },
                    _ => false,
                }
        })
    }

    /// The load of a tile, possibly in another shape, that is used once.
    fn load(
        &self,
        block: Block,
        tile: Value,
        buffer: &Buffer,
        (store, alloc): (OpId, OpId),
    ) -> Option<Copied> {
        if self.users(tile).len() != 1 {
            return None;
        }
        let load = self.definition(block, tile)?;
        let own = match self.op(load) {
            TileAsOp::Tile(op @ (TileOp::Reshape { source } | TileOp::Permute { source, .. })) => {
                let shape = self.body().ty(*source).extents()?;
                let layout = shape_operand_layout(op, shape, buffer.linear()?).ok()?;
                let loaded = Buffer::shared(buffer.element, layout);
                let mut copied = self.load(block, *source, &loaded, (store, alloc))?;
                copied.views.push(load);
                return Some(copied);
            }
            TileAsOp::TileAs(own) => own,
            _ => return None,
        };
        if !own.field::<Ordering>()?.is_weak() {
            return None;
        }
        let atom = match own {
            TileAsDialect::Load {
                at,
                atom: CopyAtom::Ld(ld),
                ..
            } => {
                let pads = at.inbounds.iter().any(|inside| !inside);
                if pads && !matches!(at.padding, None | Some(Padding::Zero)) {
                    return None;
                }
                self.copy_atom(tile, at, ld.bits, buffer)?
            }
            TileAsDialect::GatherLoad {
                mask,
                other,
                atom: CopyAtom::Ld(ld),
                ..
            } => {
                if mask.is_some() && other.is_some_and(|other| !self.is_zero(other)) {
                    return None;
                }
                self.gather_atom(tile, ld.bits, buffer)?
            }
            _ => return None,
        };
        Some(Copied {
            store,
            alloc,
            load,
            views: Vec::new(),
            buffer: buffer.clone(),
            atom,
        })
    }

    /// Whether a tile is the constant whose bits are all 0.
    fn is_zero(&self, tile: Value) -> bool {
        let definition = self.places.definition(tile).map(|id| self.op(id));
        matches!(
            definition,
            Some(TileAsOp::Arith(ArithOp::Constant {
                value: Dense::Splat(literal),
            })) if literal.bits == 0
        )
    }

    /// The widest `cp.async` of a tile that is loaded through pointers, of at most `bits`: in the layout of the
    /// pointers, of which consecutive ones point to consecutive elements.
    fn gather_atom(&self, tile: Value, most: u32, buffer: &Buffer) -> Option<CpAsync> {
        let threads = self.body().ty(tile).layout()?;
        let bits = buffer.element_bits();
        let first = threads.bases(Dim::Register).next()?;
        let along = first.iter().position(|&step| step == 1)?;
        let mut widths = WIDTHS.into_iter().filter(|&width| width <= most && width >= bits);
        widths.find_map(|width| {
            let vector = width / bits;
            let contiguous = has_vectors(threads, Dim::Register, along, vector)
                && has_vectors(buffer.linear()?, Dim::Offset, along, vector);
            let atom = CpAsync {
                bits: width,
                threads: Box::new(threads.clone()),
            };
            (contiguous && self.is_once(threads)).then_some(atom)
        })
    }

    /// Whether each element is in one thread.
    fn is_once(&self, threads: &LinearLayout) -> bool {
        threads.is_injective()
            && threads.in_size(Dim::Lane) == LANES
            && threads.in_size(Dim::Warp) == self.func.attrs.kernel_spec.num_warps
    }

    /// The widest `cp.async` of a tile to a buffer, of at most `bits`: every element is copied once, and vectors are
    /// contiguous in the array and in the buffer.
    fn copy_atom(&self, tile: Value, at: &TileAccess, most: u32, buffer: &Buffer) -> Option<CpAsync> {
        let TileAsType::Memref(array) = self.body().ty(at.memref) else {
            return None;
        };
        let warps = self.func.attrs.kernel_spec.num_warps;
        let bits = buffer.element_bits();
        let unit = at
            .dim_map
            .iter()
            .position(|&axis| array.strides.get(axis as usize) == Some(&Some(1)))?;
        let own = self.body().ty(tile).layout()?.drop_copies(Dim::Register);
        let mut order: Vec<usize> = (0..buffer.shape.len())
            .rev()
            .filter(|&axis| axis != unit)
            .collect();
        order.insert(0, unit);
        WIDTHS
            .into_iter()
            .filter(|&width| width <= most && width >= bits)
            .filter(|&width| at.has_vectors(array, unit, (width / bits).into()))
            .find_map(|width| {
                let vector = width / bits;
                let spread = Blocked::coalesced(&buffer.shape, vector, &order, warps);
                let spread = spread.and_then(|blocked| blocked.to_linear(&buffer.shape)).ok();
                [Some(own.clone()), spread]
                    .into_iter()
                    .flatten()
                    .find_map(|threads| {
                        let contiguous = has_vectors(&threads, Dim::Register, unit, vector)
                            && has_vectors(buffer.linear()?, Dim::Offset, unit, vector);
                        if !contiguous || !self.is_once(&threads) {
                            return None;
                        }
                        let atom = CpAsync {
                            bits: width,
                            threads: Box::new(threads),
                        };
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

type Cx<'a> = Translation<'a, TileAs, TileAs>;

#[derive(Default)]
struct Copying {
    /// The tiles, by their loads.
    loads: FxHashMap<OpId, Copied>,
    /// The loads, by the stores to buffers.
    stores: FxHashMap<OpId, OpId>,
    /// Ops that have no translation.
    replaced: FxHashSet<OpId>,
    /// The copies under way, by the loads.
    pending: FxHashMap<OpId, Value>,
}

impl Copying {
    fn add(&mut self, copied: Copied) {
        self.stores.insert(copied.store, copied.load);
        self.replaced
            .extend(copied.views.iter().copied().chain([copied.alloc]));
        self.loads.insert(copied.load, copied);
    }
}

impl Translate<TileAs, TileAs> for Copying {
    fn types(&mut self, ty: &TileAsType) -> Result<Vec<TileAsType>, Diagnostic<Origin>> {
        Ok(vec![ty.clone()])
    }

    fn op(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        if self.replaced.contains(&id) {
            return Ok(());
        }
        if let Some(copied) = self.loads.get(&id) {
            if let Some(pending) = begin(cx, copied) {
                self.pending.insert(id, pending);
            }
            return Ok(());
        }
        let copied = self.stores.get(&id).and_then(|load| self.loads.get(load));
        if let Some(copied) = copied
            && let Some(&copy) = self.pending.get(&copied.load)
        {
            let wait = TileAsDialect::CopyWait { copy, in_flight: 0 };
            let ready = cx.value(wait, TileAsType::Buffer(copied.buffer.clone()));
            let buffer = cx.old(copied.alloc).result(0);
            let ty = cx.from.ty(buffer).clone();
            let view = match *cx.ty(ready) == ty {
                true => ready,
                false => cx.value(TileAsDialect::Reinterpret { buffer: ready }, ty),
            };
            cx.bind(buffer, [view]);
            cx.bind(cx.old(copied.load).result(0), [ready]);
            return Ok(());
        }
        cx.carry(id, &cx.old(id).kind, self)
    }
}

/// Begins the copy of a tile to a new buffer.
fn begin(cx: &mut Cx<'_>, copied: &Copied) -> Option<Value> {
    let alloc = match &cx.old(copied.alloc).kind {
        TileAsOp::TileAs(alloc @ TileAsDialect::Alloc { .. }) => alloc.clone(),
        _ => return None,
    };
    let to = cx.value(alloc, TileAsType::Buffer(copied.buffer.clone()));
    let atom = CopyAtom::from(copied.atom.clone());
    let copy = match &cx.old(copied.load).kind {
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
    let pending = TileAsType::Pending(Some(Box::new(Pending::Buffer(copied.buffer.clone()))));
    let copy = cx.build().op(copy, [pending, TileAsType::Token]);
    let copy = cx.new_body().op(copy);
    let (pending, token) = (copy.result(0), copy.result(1));
    let old = cx.old(copied.load).result(1);
    cx.bind(old, [token]);
    Some(pending)
}
