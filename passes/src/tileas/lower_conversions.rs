//! Lowers layout conversions that cross threads, and agreements, to copies through shared memory. `tileas` to `tileas`.
//!
//! In: any function. Out: the same program, where `tileas.convert_layout` moves no element to another thread, and
//! there is no `tileas.agree`. Any other conversion becomes
//!
//! ```text
//! %b = tileas.alloc {align = 16} : buffer<64x64xf32, shared, #memory>
//! tileas.copy %tile, to %b {atom = st<128b>}
//! tileas.barrier
//! %new = tileas.copy %b {atom = ld<128b>} : tile<64x64xf32, #new>
//! ```
//!
//! with the memory layout and the vector widths that take the fewest shared-memory cycles ([`SharedRoundTrip`]).
//! Pointers are copied as integers, integers below 8 bits as bytes. `tileas.agree` becomes a conversion to the same
//! layout: of several threads that hold an element the first stores it, and all load it.
//!
//! A tile that is larger than the shared memory of a block is copied in slices, boxes that split the highest
//! coordinates of some axes: axes along which a thread of the source holds elements of both sides, so that all
//! threads store a part of each slice; preferably those along which a thread of the result does too, as its threads
//! load every slice and keep their elements.
//!
//! Refused: elements that do not fill bytes (E0502), and a tile whose smallest slice is larger than shared memory
//! (E0702).

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{
    Func, OpId, Origin, Translate, Translated, Translation, Value, ValueType, translate_func,
};
use tilewright_irs::dialects::arith::{ArithOp, Signedness};
use tilewright_irs::dialects::tile::TileOp;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::tileas::atoms::{Ld, St};
use tilewright_irs::tileas::{Buffer, TileAs, TileAsDialect, TileAsOp, TileAsType, slice_layout};
use tilewright_layouts::{Blocked, Dim, LayoutError, LinearLayout, SharedRoundTrip};

/// Alignment of buffers, in bytes: that of the widest access.
const ALIGN: u32 = 16;

/// Lowers the conversions that cross threads.
///
/// # Errors
/// See the module.
pub fn lower_conversions(func: &Func<TileAs>) -> Result<Func<TileAs>, Vec<Diagnostic<Origin>>> {
    let mut pass = Lower {
        warps: func.attrs.kernel_spec.num_warps,
        limit: func.attrs.target.static_shared_bytes(),
        target: func.attrs.target.to_string(),
    };
    translate_func(func, func.attrs.clone(), &mut pass)
}

type Cx<'a> = Translation<'a, TileAs, TileAs>;

struct Lower {
    /// Warps of the block.
    warps: u32,
    /// Shared memory limit of a block in bytes, and its target.
    limit: u32,
    target: String,
}

impl Translate<TileAs, TileAs> for Lower {
    fn types(&mut self, ty: &TileAsType) -> Result<Vec<TileAsType>, Diagnostic<Origin>> {
        Ok(vec![ty.clone()])
    }

    fn op(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        let op = cx.old(id);
        if let TileAsOp::TileAs(TileAsDialect::ConvertLayout { source }) = &op.kind
            && let (TileAsType::Tile { layout: from, .. }, TileAsType::Tile { layout: to, .. }) =
                (cx.from.ty(*source), cx.from.ty(op.result(0)))
            && to.registers_from(from).is_none()
        {
            let tile = cx.one(*source);
            let new = self.exchange(cx, tile, from, to)?;
            cx.bind(op.result(0), [new]);
            return Ok(());
        }
        if let TileAsOp::TileAs(TileAsDialect::Agree { source }) = &op.kind {
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
            return self.exchange(cx, source, layout, layout);
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
        let source = self.exchange(cx, tile, &layout, &layout)?;
        Ok(cx.value(TileOp::Reshape { source }, ty))
    }

    /// Converts the tile through shared memory.
    fn exchange(
        &self,
        cx: &mut Cx<'_>,
        tile: Value,
        from: &LinearLayout,
        to: &LinearLayout,
    ) -> Result<Value, Diagnostic<Origin>> {
        match cx.ty(tile).element() {
            Some(pointer @ ElementType::Ptr(_)) => {
                let ty = cx.ty(tile).with_element(ElementType::I64);
                let source = cx.value(ArithOp::PtrToInt { source: tile }, ty);
                let source = self.numbers(cx, source, ScalarType::I64, from, to)?;
                let ty = TileAsType::tile(pointer, to.clone());
                Ok(cx.value(ArithOp::IntToPtr { source }, ty))
            }
            Some(narrow @ ElementType::Scalar(scalar)) if scalar.is_int() && scalar.bytes().is_none() => {
                let (byte, signedness) = (ScalarType::I8, Signedness::Unsigned);
                let ty = cx.ty(tile).with_element(ElementType::Scalar(byte));
                let source = cx.value(
                    ArithOp::ExtI {
                        source: tile,
                        signedness,
                    },
                    ty,
                );
                let source = self.numbers(cx, source, byte, from, to)?;
                let ty = TileAsType::tile(narrow, to.clone());
                Ok(cx.value(ArithOp::TruncI { source }, ty))
            }
            // As the integer of the same bits.
            Some(narrow @ ElementType::Scalar(scalar)) if scalar.bytes().is_none() => {
                let bits = TileAsType::tile(ElementType::Scalar(ScalarType::I4), from.clone());
                let source = cx.value(ArithOp::Bitcast { source: tile }, bits);
                let source = self.exchange(cx, source, from, to)?;
                Ok(cx.value(ArithOp::Bitcast { source }, TileAsType::tile(narrow, to.clone())))
            }
            Some(ElementType::Scalar(scalar)) => self.numbers(cx, tile, scalar, from, to),
            None => Ok(tile),
        }
    }

    fn numbers(
        &self,
        cx: &mut Cx<'_>,
        tile: Value,
        scalar: ScalarType,
        from: &LinearLayout,
        to: &LinearLayout,
    ) -> Result<Value, Diagnostic<Origin>> {
        let origin = cx.origin();
        let Some(bytes) = scalar.bytes() else {
            let message = format!("elements of `{scalar}` do not fill whole bytes in memory");
            return Err(Diagnostic::error(Code::UnsupportedType, message).at(origin, ""));
        };
        let counts = self.slices(from, to, bytes).map_err(|smallest| {
            let total = u64::from(bytes) << from.total_out_bits();
            // The first words are those of ptxas, which autotuners look for.
            let message = format!(
                "a layout conversion uses too much shared data ({smallest:#x} bytes, {:#x} max): it needs {total} bytes \
                 of shared memory, or {smallest} in slices; a block on {} has at most {}",
                self.limit, self.target, self.limit
            );
            Diagnostic::error(Code::SharedMemory, message)
                .at(origin, "")
                .help("use smaller tiles or a smaller element type")
        })?;
        self.in_slices(cx, tile, scalar, bytes, (from, to), &counts)
            .map_err(|error| {
                let message = format!("no layout for a conversion from `{from}` to `{to}`: {error}");
                Diagnostic::error(Code::BadLayout, message).at(origin, "")
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
        while size > u64::from(self.limit) {
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

    fn in_slices(
        &self,
        cx: &mut Cx<'_>,
        tile: Value,
        scalar: ScalarType,
        bytes: u32,
        (from, to): (&LinearLayout, &LinearLayout),
        counts: &[u32],
    ) -> Result<Value, LayoutError> {
        let element = ElementType::Scalar(scalar);
        let whole = counts.iter().all(|&count| count == 1);
        let extents: Vec<u32> = from
            .shape()
            .iter()
            .zip(counts)
            .map(|(n, count)| n / count)
            .collect();
        let (stored, loaded) = match whole {
            true => (from.clone(), to.clone()),
            false => (slice_layout(from, &extents)?, slice_layout(to, &extents)?),
        };
        let trip = SharedRoundTrip::plan(&stored, &loaded, bytes)?;
        let buffer = Buffer::shared(scalar, offsets_of(&trip.memory, &extents)?);
        let align = ALIGN;
        let buffer = cx.value(
            TileAsDialect::Alloc { align, offset: None },
            TileAsType::Buffer(buffer),
        );
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
            let slice = match whole {
                true => tile,
                false => {
                    let offsets = offsets_of_slice(number, counts, &extents);
                    cx.value(
                        TileAsDialect::ExtractSlice {
                            source: tile,
                            offsets,
                        },
                        stored.clone(),
                    )
                }
            };
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
