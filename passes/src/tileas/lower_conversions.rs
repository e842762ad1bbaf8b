//! Lowers layout conversions that cross threads, and agreements, to shuffles or copies through shared memory. `tileas` to
//! `tileas`.
//!
//! In: any function. Out: the same program, where `tileas.convert_layout` moves no element to another thread, and
//! threads of different warps have no `tileas.agree`.
//!
//! A conversion that moves no element to another warp becomes `tileas.exchange`, which shuffles, if that costs all warps of
//! the block together no more time than the way through shared memory ([`Costs::conversions`](tilewright_irs::machine::Costs::conversions)): shuffles and selections of
//! words against the cycles of stores and loads with their bank conflicts, and two barriers, one before the loads and one
//! before the buffer is used again. Any other conversion becomes
//!
//! ```text
//! %b = tileas.alloc {align = 16} : buffer<64x64xf32, shared, #memory>
//! tileas.copy %tile, to %b {atom = st<128b>}
//! tileas.barrier
//! %new = tileas.copy %b {atom = ld<128b>} : tile<64x64xf32, #new>
//! ```
//!
//! with the memory layout and the vector widths that take the fewest shared-memory cycles ([`SharedRoundTrip`]).
//! Pointers are moved as integers, numbers below 8 bits as bytes. `tileas.agree` becomes a conversion to the same
//! layout: of several threads that hold an element the first stores it, and all load it. It stays as it is where those
//! threads are lanes of one warp, which exchange elements by shuffles. Small conversions one after
//! another, as those of a reduction of several tiles, share a barrier.
//!
//! A tile that is larger than the shared memory of a block is copied in slices, boxes that split the highest
//! coordinates of some axes: axes along which a thread of the source holds elements of both sides, so that all
//! threads store a part of each slice; preferably those along which a thread of the result does too, as its threads
//! load every slice and keep their elements.
//!
//! Refused: a tile whose smallest slice is larger than shared memory (E0702).

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{
    Body, Func, OpId, Origin, SideTable, Translate, Translated, Translation, Value, ValueType, translate_func,
};
use tilewright_irs::dialects::arith::{ArithOp, Signedness};
use tilewright_irs::dialects::tile::TileOp;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::machine::Machine;
use tilewright_irs::tileas::atoms::{Ld, St};
use tilewright_irs::tileas::{
    Buffer, TileAs, TileAsDialect, TileAsOp, TileAsType, replicated_lanes, slice_layout,
};
use tilewright_layouts::conversion::{CostModel, Means};
use tilewright_layouts::{Blocked, Bytes, Conversion, Dim, LayoutError, LinearLayout, SharedRoundTrip};

/// Alignment of buffers, in bytes: that of the widest access.
const ALIGN: u32 = 16;
/// Limit of the buffers of conversions that share a barrier, in bytes: larger ones had better reuse memory.
const TOGETHER: u64 = 4096;

/// Lowers the conversions that cross threads.
///
/// # Errors
/// See the module.
pub fn lower_conversions(func: &Func<TileAs>) -> Result<Func<TileAs>, Vec<Diagnostic<Origin>>> {
    let machine = Machine::of(func.attrs.target);
    let warps = func.attrs.kernel_spec.num_warps;
    let limit = machine.multiprocessor.shared_static;
    let mut pass = Lower {
        warps,
        limit: limit.0,
        target: func.attrs.target.to_string(),
        runs: runs(&func.body, limit, machine.costs.conversions(warps)),
    };
    translate_func(func, func.attrs.clone(), &mut pass)
}

type Cx<'a> = Translation<'a, TileAs, TileAs>;

struct Lower {
    /// Warps of the block.
    warps: u32,
    /// Shared memory limit of a block in bytes, and its target.
    limit: u64,
    target: String,
    /// For each conversion through shared memory, those that share its barrier; none for one that is in another's list.
    runs: SideTable<OpId, Vec<OpId>>,
}

/// A conversion that crosses threads.
pub(super) struct Crossing<'a> {
    pub(super) source: Value,
    pub(super) from: &'a LinearLayout,
    pub(super) to: &'a LinearLayout,
}

impl<'a> Crossing<'a> {
    /// The op as such a conversion; `None` for other ops.
    pub(super) fn of(body: &'a Body<TileAs>, id: OpId) -> Option<Self> {
        let op = body.op(id);
        let TileAsOp::TileAs(TileAsDialect::ConvertLayout { source }) = op.kind else {
            return None;
        };
        let (TileAsType::Tile { layout: from, .. }, TileAsType::Tile { layout: to, .. }) =
            (body.ty(source), body.ty(op.result(0)))
        else {
            return None;
        };
        to.registers_from(from)
            .is_none()
            .then_some(Self { source, from, to })
    }

    /// The size of an element in bytes.
    fn element_bytes(&self, body: &Body<TileAs>) -> u32 {
        body.ty(self.source)
            .element()
            .map_or(1, ElementType::stored_bytes)
    }

    /// The size of its buffer in bytes.
    pub(super) fn bytes(&self, body: &Body<TileAs>) -> u64 {
        u64::from(self.element_bytes(body)) << self.from.total_out_bits()
    }

    /// Whether shuffles are the cheapest means, with buffers of at most `limit` bytes.
    pub(super) fn by_shuffles(&self, body: &Body<TileAs>, limit: Bytes, prices: CostModel) -> bool {
        let means = Means {
            lane_shuffles: true,
            shared: Some(limit),
        };
        let plan = Conversion::plan_with(self.from, self.to, self.element_bytes(body), means, prices);
        matches!(plan, Ok(Conversion::LaneShuffles(_)))
    }
}

/// The conversions through shared memory that share barriers: one after another, none of the result of another.
fn runs(body: &Body<TileAs>, limit: Bytes, prices: CostModel) -> SideTable<OpId, Vec<OpId>> {
    let mut runs: SideTable<OpId, Vec<OpId>> = SideTable::new(body.op_count());
    let mut last: Option<(Vec<OpId>, u64)> = None;
    let mut close = |last: &mut Option<(Vec<OpId>, u64)>| {
        if let Some((run, _)) = last.take() {
            for &later in run.iter().skip(1) {
                runs.set(later, Vec::new());
            }
            if let Some(&first) = run.first() {
                runs.set(first, run);
            }
        }
    };
    for id in body.walk() {
        let crossing = Crossing::of(body, id);
        let Some(crossing) = crossing.filter(|it| !it.by_shuffles(body, limit, prices)) else {
            close(&mut last);
            continue;
        };
        let bytes = crossing.bytes(body);
        let joins = last.as_ref().is_some_and(|(run, size)| {
            let results = run.iter().map(|&id| body.op(id).result(0));
            size + bytes <= TOGETHER && results.into_iter().all(|result| result != crossing.source)
        });
        if !joins {
            close(&mut last);
        }
        let (run, size) = last.get_or_insert_with(|| (Vec::new(), 0));
        run.push(id);
        *size += bytes;
    }
    close(&mut last);
    runs
}

/// The type of the numbers that are moved for elements of a type; `None` for those that have none.
fn carrier(element: ElementType) -> Option<ScalarType> {
    Some(match element {
        ElementType::Ptr(_) => ScalarType::I64,
        ElementType::Scalar(scalar) if scalar.bytes().is_none() => ScalarType::I8,
        ElementType::Scalar(scalar) => scalar,
    })
}

impl Translate<TileAs, TileAs> for Lower {
    fn types(&mut self, ty: &TileAsType) -> Result<Vec<TileAsType>, Diagnostic<Origin>> {
        Ok(vec![ty.clone()])
    }

    fn op(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        let op = cx.old(id);
        if let Some(run) = self.runs.get(id) {
            return self.crossings(cx, &run.clone());
        }
        if let Some(Crossing { source, from, to }) = Crossing::of(cx.from, id) {
            let tile = cx.one(source);
            let element = cx.ty(tile).element();
            let source = numbers(cx, tile, from);
            let ty = cx
                .ty(source)
                .element()
                .map(|element| TileAsType::tile(element, to.clone()));
            let new = ty.map_or(source, |ty| cx.value(TileAsDialect::Exchange { source }, ty));
            let new = elements(cx, new, element, to);
            cx.bind(op.result(0), [new]);
            return Ok(());
        }
        if let TileAsOp::TileAs(TileAsDialect::Agree { source }) = &op.kind
            && replicated_lanes(cx.from.ty(*source).layout(), self.warps).is_none()
        {
            let tile = cx.one(*source);
            let new = self.agree(cx, tile)?;
            cx.bind(op.result(0), [new]);
            return Ok(());
        }
        cx.carry(id, &op.kind, self)
    }
}

impl Lower {
    /// Copies a tile or a scalar through shared memory to the layout that it has: of several threads that hold an
    /// element, the first stores it.
    fn agree(&self, cx: &mut Cx<'_>, source: Value) -> Result<Value, Diagnostic<Origin>> {
        let ty = cx.ty(source).clone();
        if let TileAsType::Tile { layout, .. } = &ty {
            return self.through_memory(cx, source, layout, layout);
        }
        let origin = cx.origin();
        let Some(element) = ty.element() else {
            return Ok(source);
        };
        let layout = Blocked::coalesced(&[1], 1, &[0], self.warps)
            .and_then(|blocked| blocked.to_linear(&[1]))
            .map_err(|error| {
                let message = format!("no layout for a single element: {error}");
                Diagnostic::error(Code::BadLayout, message).at(origin, "")
            })?;
        let tile = cx.value(
            TileOp::Splat { source },
            TileAsType::tile(element, layout.clone()),
        );
        let source = self.through_memory(cx, tile, &layout, &layout)?;
        Ok(cx.value(TileOp::Reshape { source }, ty))
    }

    /// Lowers conversions that share a barrier.
    fn crossings(&self, cx: &mut Cx<'_>, run: &[OpId]) -> Translated {
        let from = cx.from;
        let all = run.iter().filter_map(|&id| Some((id, Crossing::of(from, id)?)));
        let all: Vec<_> = all.collect();
        if let [(id, only)] = all.as_slice() {
            let tile = cx.one(only.source);
            let new = self.through_memory(cx, tile, only.from, only.to)?;
            cx.bind(cx.old(*id).result(0), [new]);
            return Ok(());
        }
        let mut stored = Vec::with_capacity(all.len());
        for (id, crossing) in &all {
            cx.set_origin(cx.old(*id).origin);
            let tile = cx.one(crossing.source);
            let numbers = numbers(cx, tile, crossing.from);
            stored.push(self.stored(cx, numbers, crossing.from, crossing.to)?);
        }
        if !stored.is_empty() {
            cx.build().effect(TileAsDialect::Barrier {});
        }
        for ((id, crossing), stored) in all.into_iter().zip(stored) {
            cx.set_origin(cx.old(id).origin);
            let loaded = stored.load(cx);
            let result = cx.old(id).result(0);
            let element = cx.from.ty(result).element();
            let new = elements(cx, loaded, element, crossing.to);
            cx.bind(result, [new]);
        }
        Ok(())
    }

    /// Converts the tile through shared memory.
    fn through_memory(
        &self,
        cx: &mut Cx<'_>,
        tile: Value,
        from: &LinearLayout,
        to: &LinearLayout,
    ) -> Result<Value, Diagnostic<Origin>> {
        let element = cx.ty(tile).element();
        let Some(scalar) = element.and_then(carrier) else {
            return Ok(tile);
        };
        let tile = numbers(cx, tile, from);
        let bytes = scalar.bytes().unwrap_or(1);
        let counts = self.counts(cx, from, to, bytes)?;
        let new = if counts.iter().all(|&count| count == 1) {
            let stored = self.stored(cx, tile, from, to)?;
            cx.build().effect(TileAsDialect::Barrier {});
            stored.load(cx)
        } else {
            let new = Self::in_slices(cx, tile, scalar, bytes, (from, to), &counts);
            new.map_err(|error| no_layout(cx, from, to, &error))?
        };
        Ok(elements(cx, new, element, to))
    }

    /// Stores a tile of numbers in a buffer.
    fn stored<'l>(
        &self,
        cx: &mut Cx<'_>,
        tile: Value,
        from: &LinearLayout,
        to: &'l LinearLayout,
    ) -> Result<Stored<'l>, Diagnostic<Origin>> {
        let scalar = cx.ty(tile).element().and_then(carrier).unwrap_or(ScalarType::I8);
        let bytes = scalar.bytes().unwrap_or(1);
        let planned = SharedRoundTrip::plan(from, to, bytes)
            .and_then(|trip| Ok((offsets_of(&trip.memory, &from.shape())?, trip)));
        let (offsets, trip) = planned.map_err(|error| no_layout(cx, from, to, &error))?;
        let buffer = allocated(cx, scalar, offsets);
        cx.build().effect(TileAsDialect::Copy {
            source: tile,
            to: Some(buffer),
            atom: St::new(trip.store_vector * bytes * 8).into(),
        });
        Ok(Stored {
            buffer,
            scalar,
            ld: Ld::new(trip.load_vector * bytes * 8),
            to,
        })
    }

    /// The number of slices along each axis.
    fn counts(
        &self,
        cx: &Cx<'_>,
        from: &LinearLayout,
        to: &LinearLayout,
        bytes: u32,
    ) -> Result<Vec<u32>, Diagnostic<Origin>> {
        self.slices(from, to, bytes).map_err(|smallest| {
            let total = u64::from(bytes) << from.total_out_bits();
            // The first words are those of ptxas, which autotuners look for.
            let message = format!(
                "a layout conversion uses too much shared data ({smallest:#x} bytes, {:#x} max): it needs {total} bytes \
                 of shared memory, or {smallest} in slices; a block on {} has at most {}",
                self.limit, self.target, self.limit
            );
            Diagnostic::error(Code::SharedMemory, message)
                .at(cx.origin(), "")
                .help("use smaller tiles or a smaller element type")
        })
    }

    /// The number of slices along each axis, or the size of the smallest slice if that is too large.
    fn slices(&self, from: &LinearLayout, to: &LinearLayout, bytes: u32) -> Result<Vec<u32>, u64> {
        let shape = from.shape();
        let mut counts = vec![1; shape.len()];
        let mut size = u64::from(bytes) << from.total_out_bits();
        let in_registers = |layout: &LinearLayout, axis: usize, step: u32| {
            let mut bases = layout.bases(Dim::Register);
            bases.any(|basis| {
                basis
                    .iter()
                    .enumerate()
                    .all(|(i, &n)| n == if i == axis { step } else { 0 })
            })
        };
        while size > self.limit {
            let next = |counts: &[u32], both: bool| {
                (0..shape.len()).find(|&axis| {
                    let left = shape.get(axis).copied().unwrap_or(1) / counts.get(axis).copied().unwrap_or(1);
                    left > 1
                        && in_registers(from, axis, left / 2)
                        && (!both || in_registers(to, axis, left / 2))
                })
            };
            let axis = next(&counts, true).or_else(|| next(&counts, false)).ok_or(size)?;
            if let Some(count) = counts.get_mut(axis) {
                *count *= 2;
            }
            size /= 2;
        }
        Ok(counts)
    }

    /// Converts a tile of numbers that is larger than shared memory, slice by slice.
    fn in_slices(
        cx: &mut Cx<'_>,
        tile: Value,
        scalar: ScalarType,
        bytes: u32,
        (from, to): (&LinearLayout, &LinearLayout),
        counts: &[u32],
    ) -> Result<Value, LayoutError> {
        let element = ElementType::Scalar(scalar);
        let extents: Vec<u32> = from
            .shape()
            .iter()
            .zip(counts)
            .map(|(n, count)| n / count)
            .collect();
        let (stored, loaded) = (slice_layout(from, &extents)?, slice_layout(to, &extents)?);
        let trip = SharedRoundTrip::plan(&stored, &loaded, bytes)?;
        let buffer = allocated(cx, scalar, offsets_of(&trip.memory, &extents)?);
        let (stored, loaded) = (
            TileAsType::tile(element, stored),
            TileAsType::tile(element, loaded),
        );
        let (st, ld) = (
            St::new(trip.store_vector * bytes * 8),
            Ld::new(trip.load_vector * bytes * 8),
        );
        let mut parts = Vec::new();
        for number in 0..counts.iter().product() {
            let offsets = offsets_of_slice(number, counts, &extents);
            let slice = cx.value(
                TileAsDialect::ExtractSlice {
                    source: tile,
                    offsets,
                },
                stored.clone(),
            );
            let mut build = cx.build();
            build.effect(TileAsDialect::Copy {
                source: slice,
                to: Some(buffer),
                atom: st.into(),
            });
            build.effect(TileAsDialect::Barrier {});
            parts.push(build.value(
                TileAsDialect::Copy {
                    source: buffer,
                    to: None,
                    atom: ld.into(),
                },
                loaded.clone(),
            ));
        }
        // Slices are numbered with the last axis fastest.
        let mut extents = extents;
        for (axis, &count) in counts.iter().enumerate().rev().filter(|(_, count)| **count > 1) {
            if let Some(extent) = extents.get_mut(axis) {
                *extent *= count;
            }
            let ty = TileAsType::tile(element, slice_layout(to, &extents)?);
            let axis = u32::try_from(axis).unwrap_or(0);
            parts = parts
                .chunks(count as usize)
                .map(|parts| {
                    let parts = parts.to_vec();
                    cx.value(TileAsDialect::Concat { parts, axis }, ty.clone())
                })
                .collect();
        }
        // The slices are concatenated to a tile with the registers of `to`, possibly without replicas.
        let joined = parts.first().copied().unwrap_or(tile);
        if cx.ty(joined).layout() == Some(to) {
            return Ok(joined);
        }
        let ty = TileAsType::tile(element, to.clone());
        Ok(cx.value(TileAsDialect::ConvertLayout { source: joined }, ty))
    }
}

/// A tile of numbers in a buffer.
struct Stored<'a> {
    buffer: Value,
    scalar: ScalarType,
    ld: Ld,
    to: &'a LinearLayout,
}

impl Stored<'_> {
    /// Loads it, after a barrier.
    fn load(&self, cx: &mut Cx<'_>) -> Value {
        let load = TileAsDialect::Copy {
            source: self.buffer,
            to: None,
            atom: self.ld.into(),
        };
        let ty = TileAsType::tile(ElementType::Scalar(self.scalar), self.to.clone());
        cx.value(load, ty)
    }
}

fn no_layout(cx: &Cx<'_>, from: &LinearLayout, to: &LinearLayout, error: &LayoutError) -> Diagnostic<Origin> {
    let message = format!("no layout for a conversion from `{from}` to `{to}`: {error}");
    Diagnostic::error(Code::BadLayout, message).at(cx.origin(), "")
}

/// A buffer of numbers in shared memory.
fn allocated(cx: &mut Cx<'_>, scalar: ScalarType, offsets: LinearLayout) -> Value {
    let buffer = TileAsType::Buffer(Buffer::shared(scalar, offsets));
    let alloc = TileAsDialect::Alloc {
        align: ALIGN,
        offset: None,
        depth: None,
    };
    cx.value(alloc, buffer)
}

/// The numbers that are moved for the elements of a tile with this layout.
fn numbers(cx: &mut Cx<'_>, source: Value, layout: &LinearLayout) -> Value {
    let Some(element) = cx.ty(source).element() else {
        return source;
    };
    let tile = |scalar| TileAsType::tile(ElementType::Scalar(scalar), layout.clone());
    match element {
        ElementType::Ptr(_) => cx.value(ArithOp::PtrToInt { source }, tile(ScalarType::I64)),
        ElementType::Scalar(scalar) if scalar.bytes().is_none() => {
            // A float as the integer of the same bits.
            let source = match scalar.is_int() {
                true => source,
                false => cx.value(ArithOp::Bitcast { source }, tile(ScalarType::I4)),
            };
            let signedness = Signedness::Unsigned;
            cx.value(ArithOp::ExtI { source, signedness }, tile(ScalarType::I8))
        }
        ElementType::Scalar(_) => source,
    }
}

/// The elements of this type that these numbers were moved for.
fn elements(cx: &mut Cx<'_>, source: Value, element: Option<ElementType>, layout: &LinearLayout) -> Value {
    let Some(element) = element else {
        return source;
    };
    let ty = TileAsType::tile(element, layout.clone());
    match element {
        ElementType::Ptr(_) => cx.value(ArithOp::IntToPtr { source }, ty),
        ElementType::Scalar(scalar) if scalar.bytes().is_none() => {
            let narrow = TileAsType::tile(ElementType::Scalar(ScalarType::I4), layout.clone());
            let source = cx.value(ArithOp::TruncI { source }, narrow);
            match scalar.is_int() {
                true => source,
                false => cx.value(ArithOp::Bitcast { source }, ty),
            }
        }
        ElementType::Scalar(_) => source,
    }
}

/// The start of slice `number`; the last axis varies fastest.
fn offsets_of_slice(number: u32, counts: &[u32], extents: &[u32]) -> Vec<u32> {
    let mut rest = number;
    let mut offsets: Vec<u32> = counts
        .iter()
        .zip(extents)
        .rev()
        .map(|(count, extent)| {
            let at = rest % count * extent;
            rest /= count;
            at
        })
        .collect();
    offsets.reverse();
    offsets
}

/// Inverts a memory layout: from offsets to coordinates.
fn offsets_of(memory: &LinearLayout, shape: &[u32]) -> Result<LinearLayout, LayoutError> {
    let inverse = memory.invert()?;
    let axes: Vec<Dim> = inverse.out_dims().map(|(dim, _)| dim).collect();
    // Axes of size 1 are not part of the inverse.
    let bases = inverse.bases(Dim::Offset).map(|basis| {
        let mut full = vec![0; shape.len()];
        for (dim, &n) in axes.iter().zip(basis.iter()) {
            if let Dim::Axis(axis) = dim
                && let Some(slot) = full.get_mut(usize::from(*axis))
            {
                *slot = n;
            }
        }
        full
    });
    let outs: Vec<(Dim, u32)> = (0..).map(Dim::Axis).zip(shape.iter().copied()).collect();
    LinearLayout::from_bases(&[(Dim::Offset, bases.collect())], &outs)
}
