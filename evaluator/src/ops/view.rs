//! Tensors in memory, views over them, and accesses to one tile of a view.

use tilewright_diagnostics::Code;
use tilewright_irs::core::Value;
use tilewright_irs::cuda_tile::{PaddingValue, Signedness, TensorView, TileType, ViewOp};
use tilewright_irs::element::ScalarType;

use super::pointer;
use crate::exec::{Frame, Op};
use crate::fault::{Fault, Outcome};
use crate::memory::{ABSENT, HIGH_HALF};
use crate::number::{Format, int};
use crate::tile::{Runtime, Tensor, TileValue, count};

pub(crate) fn evaluate(frame: &mut Frame<'_>, op: &Op, kind: &ViewOp) -> Outcome<Vec<Runtime>> {
    match kind {
        ViewOp::MakeTensorView {
            base,
            dynamic_shape,
            dynamic_strides,
        } => {
            let result = op
                .results()
                .next()
                .and_then(|value| frame.body.ty(value).as_tensor_view());
            let ty = result.ok_or_else(|| Fault::broken("a tensor of no tensor type"))?;
            Ok(vec![
                tensor(frame, ty, *base, dynamic_shape, dynamic_strides)?.into(),
            ])
        }
        ViewOp::MakePartitionView { tensor_view }
        | ViewOp::MakeStridedView { tensor_view }
        | ViewOp::MakeGatherScatterView { tensor_view } => {
            Ok(vec![Runtime::Tensor(frame.tensor(*tensor_view)?)])
        }
        ViewOp::GetTensorShape { src } => {
            let tensor = frame.tensor(*src)?;
            extents(frame, op, &tensor.extents)
        }
        ViewOp::GetIndexSpaceShape { src } => {
            let window = Window::of(frame, *src)?;
            let spaces: Vec<u64> = window
                .dims
                .iter()
                .map(|dim| dim.tiles.unwrap_or(dim.extent))
                .collect();
            extents(frame, op, &spaces)
        }
        ViewOp::LoadViewTko {
            view,
            index,
            token,
            ordering,
            scope,
            optimization_hints: _,
            inbounds,
        } => {
            let access = pointer::access(frame, op, false, *ordering, *scope);
            let window = Window::of(frame, *view)?;
            let addresses = window.addresses(frame, index, inbounds)?;
            let ty = window.element;
            let padding = window
                .padding
                .map_or(pointer::unspecified(ty), |padding| padded(ty, padding));
            let tile = frame.result_tile(op)?;
            let target = TileValue {
                element: tile.element,
                shape: tile.shape.clone(),
                bits: vec![padding; addresses.len()],
            };
            pointer::load_from(frame, &addresses, ty, target, *token, access)
        }
        ViewOp::StoreViewTko {
            tile,
            view,
            index,
            token,
            ordering,
            scope,
            optimization_hints: _,
            inbounds,
        } => {
            let access = pointer::access(frame, op, true, *ordering, *scope);
            let window = Window::of(frame, *view)?;
            let addresses = window.addresses(frame, index, inbounds)?;
            pointer::store_to(frame, &addresses, window.element, *tile, *token, access)
        }
        ViewOp::AtomicRedViewTko {
            view,
            index,
            value,
            token,
            ordering,
            scope,
            mode,
            inbounds,
        } => {
            let access = pointer::access(frame, op, true, *ordering, Some(*scope));
            let window = Window::of(frame, *view)?;
            let addresses = window.addresses(frame, index, inbounds)?;
            let results = pointer::update(frame, &addresses, window.element, *value, *token, access, *mode)?;
            // What was in memory is not given back.
            Ok(results.into_iter().skip(1).collect())
        }
        ViewOp::MultimemLoadReduceViewTko { .. }
        | ViewOp::MultimemReduceViewTko { .. }
        | ViewOp::MultimemStoreViewTko { .. } => Err(Fault::unsupported(
            "multimem ops: there is one device, whose memory has no replicas",
        )),
    }
}

/// `make_tensor_view`: what the type leaves open is given, as unsigned numbers.
fn tensor(
    frame: &Frame<'_>,
    ty: &TensorView,
    base: Value,
    shape: &[Value],
    strides: &[Value],
) -> Outcome<Tensor> {
    let fill = |known: &[Option<u64>], given: &[Value]| -> Outcome<Vec<u64>> {
        let mut given = given.iter();
        let missing = || Fault::broken("a tensor with an extent that is not given");
        let pick = |known: &Option<u64>| match known {
            Some(number) => Ok(*number),
            None => frame.scalar(*given.next().ok_or_else(missing)?),
        };
        known.iter().map(pick).collect()
    };
    Ok(Tensor {
        base: frame.scalar(base)?,
        extents: fill(&ty.shape, shape)?,
        strides: fill(&ty.strides, strides)?,
    })
}

/// Extents as results, unsigned.
fn extents(frame: &Frame<'_>, op: &Op, extents: &[u64]) -> Outcome<Vec<Runtime>> {
    let ty = frame.result_tile(op)?;
    let scalar = ty
        .element
        .scalar()
        .ok_or_else(|| Fault::broken("an extent that is no number"))?;
    let results = extents.iter().enumerate().map(|(i, &extent)| {
        if extent & !scalar.mask() != 0 {
            let message = format!("extent {i} is {extent}, which {scalar} does not hold");
            return Err(Fault::new(Code::UndefinedResult, message));
        }
        Ok(TileValue::scalar(scalar, extent).into())
    });
    results.collect()
}

/// A view along one dimension of its tiles.
struct Dim {
    /// The extent of the tile.
    tile: u64,
    /// How far apart the starts of tiles are, in elements.
    step: u64,
    /// The extent of the tensor.
    extent: u64,
    /// How far apart neighbours are in memory, in elements.
    stride: u64,
    /// How many tiles there are; `None` where positions are given one by one.
    tiles: Option<u64>,
}

/// A view over a tensor that is there.
struct Window {
    base: u64,
    element: ScalarType,
    padding: Option<PaddingValue>,
    dims: Vec<Dim>,
}

impl Window {
    fn of(frame: &Frame<'_>, view: Value) -> Outcome<Self> {
        let tensor = frame.tensor(view)?;
        let (shape, ty, steps, dim_map, padding, sparse) = match frame.body.ty(view) {
            TileType::PartitionView(view) => (
                &view.tile,
                &view.tensor,
                view.tile.to_vec(),
                Some(&view.dim_map),
                view.padding,
                None,
            ),
            TileType::StridedView(view) => {
                let steps = view.traversal_strides.clone();
                (
                    &view.tile,
                    &view.tensor,
                    steps,
                    Some(&view.dim_map),
                    view.padding,
                    None,
                )
            }
            TileType::GatherScatterView(view) => {
                let sparse = usize::try_from(view.sparse_dim).ok();
                (
                    &view.tile,
                    &view.tensor,
                    view.tile.to_vec(),
                    None,
                    view.padding,
                    sparse,
                )
            }
            TileType::Tile(_) | TileType::TensorView(_) | TileType::Token => {
                return Err(Fault::broken("an access through what is no view"));
            }
        };
        let mut dims = Vec::with_capacity(shape.len());
        for (i, (&tile, &step)) in shape.iter().zip(&steps).enumerate() {
            let own = match dim_map {
                Some(map) => map.get(i).and_then(|&dim| usize::try_from(dim).ok()),
                None => Some(i),
            };
            let own = own.and_then(|dim| Some((*tensor.extents.get(dim)?, *tensor.strides.get(dim)?)));
            let (extent, stride) =
                own.ok_or_else(|| Fault::broken("a view of a dimension that is not there"))?;
            let tiles = (sparse != Some(i)).then(|| extent.div_ceil(step.max(1)));
            dims.push(Dim {
                tile,
                step,
                extent,
                stride,
                tiles,
            });
        }
        Ok(Self {
            base: tensor.base,
            element: ty.element,
            padding,
            dims,
        })
    }

    /// The address of each element of a tile; those outside of the tensor are [`ABSENT`].
    fn addresses(&self, frame: &Frame<'_>, index: &[Value], inbounds: &[bool]) -> Outcome<Vec<u64>> {
        // The offset of each element from the base, in elements of the tensor; `None` outside.
        let mut offsets: Vec<Option<i128>> = vec![Some(0)];
        let shape: Vec<u64> = self.dims.iter().map(|dim| dim.tile).collect();
        let total = count(&shape.into())?;
        for (i, (dim, &index)) in self.dims.iter().zip(index).enumerate() {
            let promised = inbounds.get(i).copied().unwrap_or(false);
            let positions = dim.positions(frame, i, index, promised)?;
            let mut wider = Vec::with_capacity(total.min(offsets.len().saturating_mul(positions.len())));
            for offset in &offsets {
                wider.extend(
                    positions
                        .iter()
                        .map(|position| Some(offset.as_ref()? + position.as_ref()?)),
                );
            }
            offsets = wider;
        }
        let base = i128::from(self.base);
        let addresses = offsets.into_iter().map(|offset| {
            let Some(offset) = offset else { return Ok(ABSENT) };
            let (address, high) = match self.element.bytes() {
                Some(bytes) => (base + offset * i128::from(bytes), 0),
                None => (base + offset / 2, if offset % 2 == 0 { 0 } else { HIGH_HALF }),
            };
            match u64::try_from(address) {
                Ok(address) if address < HIGH_HALF => Ok(address | high),
                Ok(_) | Err(_) => {
                    let message = format!("an element lies at address {address:#x}, beyond all memory");
                    Err(Fault::new(Code::OutOfBounds, message))
                }
            }
        });
        addresses.collect()
    }
}

impl Dim {
    /// How far from the tensor's start each element of the tile is along this dimension; `None` outside.
    fn positions(
        &self,
        frame: &Frame<'_>,
        i: usize,
        index: Value,
        promised: bool,
    ) -> Outcome<Vec<Option<i128>>> {
        let index = frame.tile(index)?;
        let picked: Vec<u64> = match self.tiles {
            None => index.bits.clone(),
            Some(tiles) => {
                let at = index.single()?;
                if at >= tiles {
                    let ty = index.scalar_type()?;
                    let signed = int::value(ty, Signedness::Signed, at);
                    let message = format!(
                        "index {i} is {signed}, and the view has {tiles} tiles of {} along that dimension",
                        self.tile
                    );
                    return Err(Fault::new(Code::IndexOutOfRange, message)
                        .note("an index of a view is unsigned and counts tiles"));
                }
                let start = at.saturating_mul(self.step);
                (0..self.tile).map(|k| start.saturating_add(k)).collect()
            }
        };
        if promised && let Some(outside) = picked.iter().find(|&&position| position >= self.extent) {
            let message = format!(
                "position {outside} along dimension {i} is outside of the tensor, whose extent is {}, and the op \
                 promises `inbounds` there",
                self.extent
            );
            return Err(Fault::new(Code::BrokenPromise, message));
        }
        let place = |position: u64| {
            (position < self.extent).then(|| i128::from(position).saturating_mul(i128::from(self.stride)))
        };
        Ok(picked.into_iter().map(place).collect())
    }
}

/// What an element outside of the tensor is. Types without a value asked for have none of it in a verified view.
fn padded(ty: ScalarType, padding: PaddingValue) -> u64 {
    let Some(format) = Format::of(ty) else { return 0 };
    let infinity = format.infinity().unwrap_or(0);
    match padding {
        PaddingValue::Zero => 0,
        PaddingValue::NegZero => format.with_sign(true, 0),
        PaddingValue::Nan => format.nan(),
        PaddingValue::PosInf => infinity,
        PaddingValue::NegInf => format.with_sign(true, infinity),
    }
}
