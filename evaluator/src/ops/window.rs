//! Run-time views: the addresses of the elements of a tile.

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::Value;
use tilewright_irs::cuda_tile::{PaddingValue, Signedness, TileType};
use tilewright_irs::element::ScalarType;

use super::pointer;
use crate::fault::{Fault, Outcome};
use crate::frame::{Frame, Op};
use crate::memory::{ABSENT, HIGH_HALF};
use crate::number::{Format, int};
use crate::tile::{TileValue, count};
use crate::unspecified::{Mark, Marks};

/// A view along one dimension of its tiles.
pub(crate) struct Dim {
    /// The extent of the tile.
    tile: u64,
    /// The distance between the starts of adjacent tiles, in elements.
    step: u64,
    /// The extent of the tensor.
    pub(crate) extent: u64,
    /// The stride in memory, in elements.
    stride: u64,
    /// The number of tiles; `None` along the dimension of indices.
    pub(crate) tiles: Option<u64>,
}

/// A run-time view of a tensor.
pub(crate) struct Window {
    base: u64,
    pub(crate) element: ScalarType,
    padding: Option<PaddingValue>,
    pub(crate) dims: Vec<Dim>,
}

impl Window {
    pub(crate) fn of(frame: &Frame<'_>, view: Value) -> Outcome<Self> {
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
                // Every index is the position of an element, not of a tile.
                (
                    &view.tile,
                    &view.tensor,
                    vec![1; view.tile.len()],
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

    /// The elements of the tensor at these addresses.
    pub(crate) fn elements<'a>(&self, addresses: &'a [u64]) -> pointer::Elements<'a> {
        pointer::Elements {
            addresses,
            ty: self.element,
        }
    }

    /// A tile of this many elements, all outside of the tensor.
    pub(crate) fn target(&self, frame: &mut Frame<'_>, op: &Op, count: usize) -> Outcome<TileValue> {
        let (padding, mark) = match self.padding {
            Some(padding) => (padded(self.element, padding), Mark::NONE),
            None => (
                pointer::unspecified(self.element),
                frame.mark(op, "an element outside of the tensor, without a padding value"),
            ),
        };
        let tile = frame.result_tile(op)?;
        let target = TileValue::new(tile.element, tile.shape.clone(), vec![padding; count]);
        Ok(target.marked(Marks::all(mark, count)))
    }

    /// The address of each element of a tile; those outside of the tensor are [`ABSENT`].
    pub(crate) fn addresses(
        &self,
        frame: &mut Frame<'_>,
        op: &Op,
        index: &[Value],
        inbounds: &[bool],
    ) -> Outcome<Vec<u64>> {
        // The offset of each element from the base, in elements of the tensor; `None` outside.
        let mut offsets: Vec<Option<i128>> = vec![Some(0)];
        let shape: Vec<u64> = self.dims.iter().map(|dim| dim.tile).collect();
        let total = count(&shape.into())?;
        for (i, (dim, &index)) in self.dims.iter().zip(index).enumerate() {
            let promised = inbounds.get(i).copied().unwrap_or(false);
            let positions = dim.positions(frame, op, i, index, promised)?;
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
    /// The offset of each element of the tile along this dimension; `None` outside.
    fn positions(
        &self,
        frame: &mut Frame<'_>,
        op: &Op,
        i: usize,
        index: Value,
        promised: bool,
    ) -> Outcome<Vec<Option<i128>>> {
        let index = frame.tile(index)?;
        frame.decides(&index, &format!("index {i}"))?;
        let picked: Vec<u64> = match self.tiles {
            None => index.bits.clone(),
            Some(tiles) => {
                let at = index.single()?;
                if at >= tiles && !promised {
                    let ty = index.scalar_type()?;
                    let signed = int::value(ty, Signedness::Signed, at);
                    frame.machine.warn(Code::OutsideOfView, op.origin, || {
                        let message = format!(
                            "index {i} is {signed}, and the view has {tiles} tiles of {} along that dimension",
                            self.tile
                        );
                        Diagnostic::warning(Code::OutsideOfView, message)
                            .at(op.origin, "all of this tile counts as outside of the tensor")
                            .note("an index of a view is unsigned and counts tiles, or elements in a view that gathers")
                    });
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

/// The padding value. Verified views only use values that the type can represent.
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
