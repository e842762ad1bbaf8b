//! Splits matrix products along K into steps whose operands are read from shared memory. `tileas` to `tileas`.
//!
//! In: any function. Out: the same program, where an operand of a synchronous product (`mma_sync`, `fma`) that had to be
//! converted between threads stays in a buffer, and the product reads it slice by slice:
//!
//! ```text
//! %b = tileas.alloc {align = 128} : buffer<128x64xf16, shared, #swizzled>
//! tileas.copy %tile, to %b {atom = st<128b>}
//! %s0 = tileas.subview %b {offsets = [0, 0]} : buffer<128x16xf16, shared, #swizzled, at = [0, 0]>
//! %a0 = tileas.copy %s0 {atom = ldmatrix<x4>} : tile<128x16xf16, #fragment>
//! %r0 = tileas.dot %a0, %b0, %acc {atom = mma_sync<m16n8k16, b16>}
//! ```
//!
//! so that a thread holds one or two slices of the operands, not all of them. The buffer is where the conversion was:
//! after the load in a loop, or before the loop for an operand that stays the same. Slices are as deep along K as the
//! instruction, those of `fma` as registers allow. With `double_buffered`, the slices of a step are read before the
//! product of the step before it, so that their latency is hidden. An operand that is in the right threads already is
//! sliced in registers. Of one that is rounded, or computed from a tile that is copied asynchronously, the buffer keeps that
//! tile, and its slices are computed after they are read (`computed.rs`).
//!
//! The layout of the buffer, with its swizzle, and the atoms of the copies are those with the fewest cycles of shared
//! memory (`SharedSlices` of `layouts`): `ldmatrix`, transposing where the operand is contiguous along the other axis, or
//! vectors.
//!
//! The route of the load says how the tile gets to the buffer. With `staged`, or without one, as above; with `cp_async` by an
//! asynchronous copy, from where the load was to where the conversion was (`copies.rs`):
//!
//! ```text
//! %to = tileas.alloc {align = 128} : #buffer
//! %copy, %token = tileas.copy_in %array, [%x, %i], %to {atom = cp_async<128b, #threads>}
//! %b = tileas.copy_wait %copy {in_flight = 0} : #buffer
//! ```
//!
//! That is correct by itself; `schedule_loops` issues the copies ahead. Tiles with these routes that other ops need in other
//! threads get there in the same way, and are read as a whole (`whole.rs`).
//!
//! So are tiles with the route `cp_async` from which threads compute operands (`read_back.rs`).
//!
//! Operands that are views of one tile share its buffer, if it can have the same layout for all (`sharing.rs`).
//!
//! Unchanged: operands whose loads have the route `direct`, operands whose elements do not fill bytes, and operands for which
//! shared memory does not suffice (`budget.rs`). [`lower_conversions`](mod@super::lower_conversions) converts those as a whole.

mod budget;
mod computed;
mod copies;
mod memory;
mod read_back;
mod sharing;
mod whole;

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{
    Body, Func, OpId, Operation, Origin, SideTable, Translate, Translated, Translation, Value, ValueType,
    translate_func,
};
use tilewright_irs::dialects::route::ThreadRoute;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::machine::Machine;
use tilewright_irs::tileas::atoms::{Completion, CopyAtom, ProductAtom};
use tilewright_irs::tileas::{Buffer, TileAs, TileAsDialect, TileAsOp, TileAsType, slice_layout};
use tilewright_layouts::{Dim, LayoutError, LinearLayout};

use budget::Budget;
use computed::{Computed, computed, rounded};
use copies::{Copied, Loads, Source};
use memory::OperandMemory;
use read_back::find_read_back;
use sharing::share;
use whole::find_whole;

use crate::shared_copies;

/// Alignment of buffers, in bytes: a row of all banks.
const ALIGN: u32 = 128;
/// Registers of a thread for the operands of one step of an `fma` product.
const FMA_REGISTERS: u32 = 32;
/// The most elements along K of one step of an `fma` product: a vector of 16 bytes.
const FMA_DEPTH: u32 = 4;

/// Splits products whose operands come through shared memory.
///
/// # Errors
/// A layout exceeds a limit of the layouts (E0408), with the origin of the op.
pub fn slice_products(
    func: &Func<TileAs>,
    double_buffered: bool,
) -> Result<Func<TileAs>, Vec<Diagnostic<Origin>>> {
    let loads = Loads::of(func);
    let mut operands = find_operands(&func.body, &loads).map_err(|problem| vec![problem])?;
    let limit = Machine::of(func.attrs.target).multiprocessor.shared_static.0;
    Budget::of(&func.body, limit).restrict(&mut operands);
    share(&loads, &mut operands);
    let whole = find_whole(func, &loads, &operands).map_err(|problem| vec![problem])?;
    let both = || operands.iter().chain(&whole);
    let owned = both().filter(|(_, operand)| operand.owner.is_none());
    let copies = owned.filter_map(|(&value, operand)| Some((operand.copy.as_ref()?.load, value)));
    let copied = both().filter_map(|(_, operand)| operand.copy.as_ref());
    let views = copied.flat_map(|copy| &copy.views);
    let mut unused = find_unused(&func.body, &loads, &operands);
    unused.extend(views.map(|&view| func.body.op(view).result(0)));
    let copies: FxHashMap<OpId, Value> = copies.collect();
    let read_back = find_read_back(&loads, limit, |load| copies.contains_key(&load));
    let mut pass = Slice {
        unused,
        read_back: read_back.map_err(|problem| vec![problem])?,
        copies,
        pending: FxHashMap::default(),
        operands,
        whole,
        buffers: func.body.value_table(),
        double_buffered,
    };
    translate_func(func, func.attrs.clone(), &mut pass)
}

type Cx<'a> = Translation<'a, TileAs, TileAs>;

/// An operand that is kept in a buffer: the result of a conversion between threads.
#[derive(Clone)]
struct Operand {
    memory: OperandMemory,
    /// The tile that is stored.
    source: Value,
    /// How slices of the operand are computed from those of the tile, if it is not the operand itself.
    computed: Option<Computed>,
    /// Whether the tile has uses other than products.
    used_whole: bool,
    /// The copy of the tile from global memory to the buffer, in the place of the load and of the store.
    copy: Option<Copied>,
    /// The operand whose buffer has the same tile, seen otherwise.
    owner: Option<Value>,
}

impl Operand {
    /// One of which no use but products' is known.
    fn new(memory: OperandMemory, source: Value, computed: Option<Computed>, copy: Option<Copied>) -> Self {
        Self {
            memory,
            source,
            computed,
            used_whole: false,
            copy,
            owner: None,
        }
    }
}

/// A product that is split along K.
struct Product<'a> {
    operands: [Value; 2],
    acc: Value,
    atom: &'a ProductAtom,
    /// K, and that of a step.
    depth: u32,
    step: u32,
}

impl<'a> Product<'a> {
    /// The product of an op, if its atom is synchronous.
    fn of(body: &Body<TileAs>, op: &'a TileAsOp) -> Option<Self> {
        let TileAsOp::TileAs(TileAsDialect::Dot { a, b, acc, atom, .. }) = op else {
            return None;
        };
        if atom.completion() == Completion::Asynchronous {
            return None;
        }
        let [of_a, of_b] = [*a, *b].map(|operand| body.ty(operand).layout());
        let (of_a, of_b) = (of_a?, of_b?);
        let depth = *of_a.shape().last()?;
        let step = match atom.depth() {
            Some(depth) => depth,
            None => {
                let held = of_a.in_size(Dim::Register) + of_b.in_size(Dim::Register);
                let each = (held / depth).max(1);
                (FMA_REGISTERS / each).clamp(1, FMA_DEPTH)
            }
        };
        let step = (1 << step.max(1).ilog2()).min(depth);
        let (operands, acc) = ([*a, *b], *acc);
        Some(Self {
            operands,
            acc,
            atom,
            depth,
            step,
        })
    }

    /// The extents of a slice of the left (0) or right (1) operand of these extents.
    fn extents(&self, operand: usize, shape: &[u32]) -> Vec<u32> {
        let mut extents = shape.to_vec();
        if let Some(slot) = extents.get_mut(depth_axis(operand, shape.len())) {
            *slot = self.step;
        }
        extents
    }
}

/// The axis of the left (0) or right (1) operand that is K.
fn depth_axis(operand: usize, rank: usize) -> usize {
    rank - if operand == 0 { 1 } else { 2 }
}

fn wrong(origin: Origin, error: &LayoutError) -> Diagnostic<Origin> {
    let message = format!("no layout for a slice of a product's operand: {error}");
    Diagnostic::error(Code::BadLayout, message).at(origin, "")
}

/// The operands that are kept in buffers, by the results of the conversions that they replace.
type Operands = FxHashMap<Value, Operand>;

/// An operand of a product that is emitted step by step.
struct Sliced {
    /// The old operand.
    value: Value,
    /// Whether there is only one step.
    whole: bool,
    /// The axis along K.
    axis: usize,
    extents: Vec<u32>,
    /// The type of a slice.
    ty: TileAsType,
    /// The copy of a slice from the operand's buffer; `None` if the operand is in registers.
    load: Option<CopyAtom>,
}

/// The operands that are converted between threads.
fn find_operands(body: &Body<TileAs>, loads: &Loads<'_>) -> Result<Operands, Diagnostic<Origin>> {
    let definitions = body.definitions();
    let whole = used_whole(body);
    let mut operands = Operands::default();
    for id in body.walk() {
        let op = body.op(id);
        let Some(product) = Product::of(body, &op.kind) else {
            continue;
        };
        for (n, value) in product.operands.into_iter().enumerate() {
            if operands.contains_key(&value) {
                continue;
            }
            let (Some(&definition), Some(ElementType::Scalar(scalar))) =
                (definitions.get(value), body.ty(value).element())
            else {
                continue;
            };
            let TileAsOp::TileAs(TileAsDialect::ConvertLayout { source: converted }) =
                &body.op(definition).kind
            else {
                continue;
            };
            let (Some(from), Some(to)) = (body.ty(*converted).layout(), body.ty(value).layout()) else {
                continue;
            };
            if to.registers_from(from).is_some() {
                continue;
            }
            let extents = product.extents(n, &to.shape());
            let slice = slice_layout(to, &extents).map_err(|error| wrong(op.origin, &error))?;
            let kept = |source: Value, computed_from: Option<Source<'_>>, stored: ScalarType| {
                let plan = |along| {
                    OperandMemory::plan(from, &slice, stored, along).map_err(|error| wrong(op.origin, &error))
                };
                loads.kept(definition, source, computed_from, to.shape().len(), plan)
            };
            let of_slices = computed(loads, &definitions, *converted, to).filter(|_| !whole.contains(&value));
            if let Some(computed) = of_slices {
                let source_of = |id| computed.source_of(id);
                let from = Source {
                    loaded: computed.source,
                    source_of: &source_of,
                };
                if let Some((memory, Some(copy))) = kept(*converted, Some(from), computed.stored)? {
                    let source = computed.source;
                    operands.insert(value, Operand::new(memory, source, Some(computed), Some(copy)));
                    continue;
                }
            }
            let rounded = rounded(body, &definitions, *converted);
            let (source, stored) = match &rounded {
                Some(rounded) => (rounded.source, rounded.stored),
                None => (*converted, scalar),
            };
            if loads.route(source) == Some(ThreadRoute::Direct) {
                continue;
            }
            if let Some((memory, copy)) = kept(source, None, stored)? {
                let is_free = loads.is_used_once(*converted)
                    || rounded.is_none() && loads.is_only_converted(*converted);
                let copy = copy.filter(|_| is_free);
                operands.insert(value, Operand::new(memory, source, rounded, copy));
            }
        }
    }
    for (value, operand) in &mut operands {
        if whole.contains(value) {
            operand.used_whole = true;
            operand.copy = None;
        }
    }
    Ok(operands)
}

/// The values that ops use otherwise than as operands of products.
fn used_whole(body: &Body<TileAs>) -> FxHashSet<Value> {
    let mut whole = FxHashSet::default();
    for (_, op) in body.ops() {
        match Product::of(body, &op.kind) {
            Some(product) => {
                whole.insert(product.acc);
            }
            None => op.kind.operands(&mut |value| {
                whole.insert(value);
            }),
        }
    }
    whole
}

/// The tiles that are computed slice by slice only, and views of tiles that are copied.
fn find_unused(body: &Body<TileAs>, loads: &Loads<'_>, operands: &Operands) -> FxHashSet<Value> {
    let of_slices: FxHashSet<Value> = operands
        .iter()
        .filter(|(_, operand)| !operand.used_whole)
        .map(|(&value, _)| value)
        .collect();
    let copies = operands.values().filter_map(|operand| operand.copy.as_ref());
    let views = copies.flat_map(|copy| &copy.views);
    let mut unused: FxHashSet<Value> = views.map(|&view| body.op(view).result(0)).collect();
    let computed = operands.values().filter_map(|operand| operand.computed.as_ref());
    for id in computed.flat_map(|computed| computed.ops().rev()) {
        let tile = body.op(id).result(0);
        let is_replaced = |&user: &OpId| {
            let mut results = body.op(user).results();
            results.all(|result| of_slices.contains(&result) || unused.contains(&result))
        };
        if loads.users(tile).iter().all(is_replaced) {
            unused.insert(tile);
        }
    }
    unused
}

struct Slice {
    operands: Operands,
    /// The tiles that are read from their buffers as a whole.
    whole: Operands,
    /// The tiles that threads read from their buffers as they would load them, by their loads.
    read_back: FxHashMap<OpId, (OperandMemory, Copied)>,
    /// The operands that are copied to their buffers, by their loads.
    copies: FxHashMap<OpId, Value>,
    /// The copies under way, by the operands.
    pending: FxHashMap<Value, Value>,
    /// Tiles that are not computed: their slices are.
    unused: FxHashSet<Value>,
    /// The buffer of each operand, in the new body.
    buffers: SideTable<Value, Value>,
    double_buffered: bool,
}

impl Translate<TileAs, TileAs> for Slice {
    fn types(&mut self, ty: &TileAsType) -> Result<Vec<TileAsType>, Diagnostic<Origin>> {
        Ok(vec![ty.clone()])
    }

    fn op(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        let op = cx.old(id);
        if op.results().any(|result| self.unused.contains(&result)) {
            return Ok(());
        }
        if let Some(&operand) = self.copies.get(&id) {
            let kept = self.operands.get(&operand).or(self.whole.get(&operand));
            let copy = kept.and_then(|kept| kept.copy.as_ref());
            if let Some(pending) = copy.and_then(|copy| copy.begin(cx)) {
                self.pending.insert(operand, pending);
            }
            return Ok(());
        }
        if let Some((memory, copy)) = self.read_back.get(&id)
            && let Some(pending) = copy.begin(cx)
        {
            let buffer = copy.wait(cx, pending, TileAsType::Buffer(memory.buffer.clone()));
            return read_whole(cx, op.result(0), buffer, memory);
        }
        if let TileAsOp::TileAs(TileAsDialect::ConvertLayout { .. }) = &op.kind
            && let Some(operand) = self.operands.get(&op.result(0)).cloned()
        {
            let buffer = self.filled(cx, op.result(0), &operand);
            self.buffers.set(op.result(0), buffer);
            if !operand.used_whole {
                return Ok(());
            }
        }
        if let TileAsOp::TileAs(TileAsDialect::ConvertLayout { .. }) = &op.kind
            && let Some(operand) = self.whole.get(&op.result(0)).cloned()
        {
            let buffer = self.filled(cx, op.result(0), &operand);
            return read_whole(cx, op.result(0), buffer, &operand.memory);
        }
        if let Some(product) = Product::of(cx.from, &op.kind)
            && product
                .operands
                .iter()
                .any(|&operand| self.buffers.get(operand).is_some())
        {
            return self.product(cx, id, &product);
        }
        cx.carry(id, &op.kind, self)
    }
}

impl Slice {
    /// The buffer of an operand, with its tile.
    fn filled(&self, cx: &mut Cx<'_>, value: Value, operand: &Operand) -> Value {
        let ty = TileAsType::Buffer(operand.memory.buffer.clone());
        if let Some(&buffer) = operand.owner.and_then(|owner| self.buffers.get(owner)) {
            return match *cx.ty(buffer) == ty {
                true => buffer,
                false => cx.value(TileAsDialect::Reinterpret { buffer }, ty),
            };
        }
        if let (Some(copy), Some(&pending)) = (&operand.copy, self.pending.get(&value)) {
            return copy.wait(cx, pending, ty);
        }
        let source = cx.one(operand.source);
        let alloc = TileAsDialect::Alloc {
            align: ALIGN,
            offset: None,
            depth: None,
        };
        let buffer = cx.value(alloc, ty);
        cx.build().effect(TileAsDialect::Copy {
            source,
            to: Some(buffer),
            atom: operand.memory.store.into(),
        });
        buffer
    }

    /// Emits a product step by step.
    fn product(&self, cx: &mut Cx<'_>, id: OpId, product: &Product<'_>) -> Translated {
        let op = cx.old(id);
        let TileAsOp::TileAs(TileAsDialect::Dot {
            signedness_a,
            signedness_b,
            ..
        }) = &op.kind
        else {
            return Ok(());
        };
        let ty = cx.from.ty(op.result(0)).clone();
        let [a, b] = product.operands;
        let operands = [self.sliced(cx, product, 0, a)?, self.sliced(cx, product, 1, b)?];
        let mut acc = cx.one(product.acc);
        let mut next = None;
        for begin in (0..product.depth).step_by(product.step as usize) {
            let [a, b] = match next.take() {
                Some(slices) => slices,
                None => self.slices(cx, &operands, begin)?,
            };
            let after = begin + product.step;
            if self.double_buffered && after < product.depth {
                next = Some(self.slices(cx, &operands, after)?);
            }
            let dot = TileAsDialect::Dot {
                a,
                b,
                acc,
                signedness_a: *signedness_a,
                signedness_b: *signedness_b,
                atom: product.atom.clone(),
            };
            acc = cx.value(dot, ty.clone());
        }
        cx.bind(op.result(0), [acc]);
        Ok(())
    }

    /// The operands of the step that begins here along K.
    fn slices(
        &self,
        cx: &mut Cx<'_>,
        operands: &[Sliced; 2],
        begin: u32,
    ) -> Result<[Value; 2], Diagnostic<Origin>> {
        let [a, b] = operands;
        Ok([self.slice(cx, a, begin)?, self.slice(cx, b, begin)?])
    }

    /// How an operand of a product is sliced.
    fn sliced(
        &self,
        cx: &Cx<'_>,
        product: &Product<'_>,
        operand: usize,
        value: Value,
    ) -> Result<Sliced, Diagnostic<Origin>> {
        let ty = cx.from.ty(value);
        let shape = ty.layout().map(LinearLayout::shape).unwrap_or_default();
        let extents = product.extents(operand, &shape);
        let (Some(layout), Some(element)) = (ty.layout(), ty.element()) else {
            let message = "a product of something that is no tile";
            return Err(Diagnostic::error(Code::OperandType, message).at(cx.origin(), ""));
        };
        let layout = slice_layout(layout, &extents).map_err(|error| wrong(cx.origin(), &error))?;
        let load = match (self.buffers.get(value), self.operands.get(&value)) {
            (Some(_), Some(kept)) => {
                let part = part_of(cx, &kept.memory.buffer, &vec![0; shape.len()], &extents)?;
                Some(shared_copies::load(&layout, &part).map_err(|error| wrong(cx.origin(), &error))?)
            }
            _ => None,
        };
        Ok(Sliced {
            value,
            whole: extents == shape,
            axis: depth_axis(operand, shape.len()),
            extents,
            ty: TileAsType::tile(element, layout),
            load,
        })
    }

    fn slice(&self, cx: &mut Cx<'_>, sliced: &Sliced, begin: u32) -> Result<Value, Diagnostic<Origin>> {
        let mut offsets = vec![0; sliced.extents.len()];
        if let Some(slot) = offsets.get_mut(sliced.axis) {
            *slot = begin;
        }
        let ty = sliced.ty.clone();
        let (Some(&buffer), Some(kept), Some(atom)) = (
            self.buffers.get(sliced.value),
            self.operands.get(&sliced.value),
            sliced.load.clone(),
        ) else {
            let source = cx.one(sliced.value);
            return Ok(match sliced.whole {
                true => source,
                false => cx.value(TileAsDialect::ExtractSlice { source, offsets }, ty),
            });
        };
        let source = match sliced.whole {
            true => buffer,
            false => {
                let part = part_of(cx, &kept.memory.buffer, &offsets, &sliced.extents)?;
                let stage = None;
                let view = TileAsDialect::Subview {
                    buffer,
                    stage,
                    offsets,
                };
                cx.value(view, TileAsType::Buffer(part))
            }
        };
        let to = None;
        let copy = TileAsDialect::Copy { source, to, atom };
        Ok(match (&kept.computed, sliced.ty.layout()) {
            (Some(computed), Some(layout)) => {
                let stored = ElementType::Scalar(kept.memory.buffer.element);
                let from = cx.value(copy, sliced.ty.with_element(stored));
                computed.slice(cx, from, layout)
            }
            _ => cx.value(copy, ty),
        })
    }
}

/// Reads a tile from its buffer as a whole.
fn read_whole(cx: &mut Cx<'_>, tile: Value, source: Value, memory: &OperandMemory) -> Translated {
    let ty = cx.from.ty(tile).clone();
    let atom = match ty.layout() {
        Some(layout) => shared_copies::load(layout, &memory.buffer),
        None => Err(LayoutError::NotTensor),
    };
    let atom = atom.map_err(|error| wrong(cx.origin(), &error))?;
    let read = cx.value(
        TileAsDialect::Copy {
            source,
            to: None,
            atom,
        },
        ty,
    );
    cx.bind(tile, [read]);
    Ok(())
}

/// A slice of a buffer.
fn part_of(
    cx: &Cx<'_>,
    buffer: &Buffer,
    offsets: &[u32],
    extents: &[u32],
) -> Result<Buffer, Diagnostic<Origin>> {
    let part = buffer.slice(offsets, extents);
    part.map_err(|message| Diagnostic::error(Code::BadLayout, message).at(cx.origin(), ""))
}
