//! Boxes, the tensor maps of arrays in which they lie, and the limits of both.

use tilewright_diagnostics::{Code, counted};
use tilewright_layouts::legality::{
    BoxMode, DataType, Direction, Interleave, L2Promotion, LoadMode, OobFill, TensorCopy, TensorMap,
    TensorMapField, Violations,
};
use tilewright_layouts::{Dim, LinearLayout, SwizzleMode};

use super::{Allowed, Refusal, limits_of, needs};
use crate::dialects::boxes::Boxes;
use crate::dialects::memory::Memref;
use crate::element::ScalarType;
use crate::isa::Target;
use crate::isa::rules::forms;
use crate::tileas::buffer::Buffer;

/// The most elements of a box along an axis. (CUDA driver API, `cuTensorMapEncodeTiled`.)
const MAX_BOX: u32 = 256;

/// Where the ends of a copy are; what is not known counts as 0, which every rule allows.
#[derive(Clone, Debug, Default)]
pub(crate) struct TensorPlace {
    /// The coordinates of the first box, the innermost first.
    pub(crate) coordinates: Vec<i32>,
    /// The address in shared memory, or a divisor of the addresses of all boxes.
    pub(crate) shared_address: u32,
    /// The address of the barrier, or a divisor of it.
    pub(crate) barrier: u32,
}

impl TensorPlace {
    pub(super) fn check(&self, map: &TensorMap, direction: Direction, target: Target) -> Allowed {
        let copy = TensorCopy {
            target: limits_of(target),
            direction,
            mode: LoadMode::Tile,
            map,
            coordinates: self.coordinates.clone(),
            shared_address: self.shared_address,
            barrier: self.barrier,
        };
        copy.check()
            .map_err(|violations| Refusal::limit("tma", violations))
    }
}

/// Why copies of boxes cannot move a tile of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoBoxes {
    /// No axis of the array has a stride that is known to be 1.
    NoUnitStride,
    /// The elements have no whole bytes.
    Element(ScalarType),
    /// A row of the tile is too short.
    Row {
        /// Its bytes.
        bytes: u32,
    },
    /// A box of the tile is too small.
    Box {
        /// Its bytes.
        bytes: u64,
    },
    /// A tensor map cannot describe the array. Values that are not known are represented by their known divisor.
    Map(Violations<TensorMapField>),
    /// Another reason: the target, the rank, the layout.
    Other(Refusal),
}

impl NoBoxes {
    /// The fewest bytes of a row.
    pub const LEAST_ROW: u32 = 16;
    /// The fewest bytes of a box: the alignment of boxes in shared memory.
    pub const LEAST_BOX: u64 = SwizzleMode::None.alignment().0;
}

impl From<NoBoxes> for Refusal {
    fn from(reason: NoBoxes) -> Self {
        match reason {
            NoBoxes::NoUnitStride => no_unit_stride(),
            NoBoxes::Element(element) => no_copies_of(element),
            NoBoxes::Row { bytes } => {
                let least = NoBoxes::LEAST_ROW;
                let message = format!("`tma` copies rows of at least {least} bytes, not of {bytes}");
                Self::new(Code::HardwareLimit, message)
            }
            NoBoxes::Box { bytes } => {
                let least = NoBoxes::LEAST_BOX;
                let message = format!("`tma` copies boxes of at least {least} bytes, not of {bytes}");
                Self::new(Code::HardwareLimit, message)
            }
            NoBoxes::Map(violations) => Self::limit("tma", violations),
            NoBoxes::Other(refusal) => refusal,
        }
    }
}

fn no_unit_stride() -> Refusal {
    let message = "`tma` needs an array with a stride that is known to be 1";
    Refusal::new(Code::HardwareLimit, message)
}

fn no_copies_of(element: ScalarType) -> Refusal {
    Refusal::new(Code::BadElementType, format!("`tma` copies no `{element}`"))
}

impl Boxes {
    /// Checks that a target has copies of boxes.
    ///
    /// # Errors
    /// It has none.
    pub fn check_target(target: Target) -> Allowed {
        needs("tma", target, forms::tensor_maps())
    }

    /// Checks the limits of the tensor map with which copies of the boxes access an array.
    pub(crate) fn check_map(&self, memref: &Memref, dim_map: &[u32], target: Target) -> Result<(), NoBoxes> {
        Self::check_target(target).map_err(NoBoxes::Other)?;
        self.check_rounding(memref.element, true)
            .map_err(|(code, message)| NoBoxes::Other(Refusal::new(code, message)))?;
        let map = self.tensor_map(memref, dim_map).map_err(NoBoxes::Other)?;
        map.check().map_err(NoBoxes::Map)
    }

    /// The array's axes in the order of the tensor map's dimensions: the contiguous one first.
    ///
    /// # Errors
    /// No axis is known to be contiguous.
    pub fn order(memref: &Memref) -> Result<Vec<usize>, Refusal> {
        fastest_first(memref)
    }

    /// The boxes for copies of a tile of these extents from an array to shared memory, and the tile's layout there: its rows have
    /// the width of the widest swizzle pattern that the boxes fill, so that matrix descriptors can express it.
    ///
    /// # Errors
    /// The array has no contiguous axis along the tile, rows are shorter than 16 bytes, or a tensor map cannot describe
    /// the array.
    pub fn plan(
        memref: &Memref,
        dim_map: &[u32],
        shape: &[u32],
        target: Target,
    ) -> Result<(Self, LinearLayout), NoBoxes> {
        Self::check_target(target).map_err(NoBoxes::Other)?;
        let inner_first = tile_axes(memref, dim_map).map_err(|_| NoBoxes::NoUnitStride)?;
        let (Some(&unit), Some(bytes)) = (inner_first.first(), memref.element.bytes()) else {
            return Err(NoBoxes::Element(memref.element));
        };
        let boxes = Self::of_rows(unit, shape, bytes)?;
        boxes.check_map(memref, dim_map, target)?;
        let layout = boxes.memory(memref, dim_map, shape).map_err(NoBoxes::Other)?;
        Ok((boxes, layout))
    }

    /// The boxes of a tile of these extents, of elements with so many bytes, whose rows are along the axis `unit`.
    ///
    /// # Errors
    /// Rows, or boxes, are too small.
    fn of_rows(unit: usize, shape: &[u32], bytes: u32) -> Result<Self, NoBoxes> {
        let row = shape.get(unit).copied().unwrap_or(1).saturating_mul(bytes);
        if row < NoBoxes::LEAST_ROW {
            return Err(NoBoxes::Row { bytes: row });
        }
        let planned = |swizzle: SwizzleMode| {
            let span = u32::try_from(swizzle.span().0).unwrap_or(u32::MAX) / bytes;
            let widest = match swizzle {
                SwizzleMode::None => MAX_BOX,
                _ => span,
            };
            let extents = shape
                .iter()
                .enumerate()
                .map(|(axis, &extent)| match axis == unit {
                    true => extent.min(widest),
                    false => extent.min(MAX_BOX),
                });
            Self {
                extents: extents.collect(),
                swizzle,
                guarded: false,
                rounded: false,
            }
        };
        // A box, and so a stage of a ring, begins where the swizzle's pattern does.
        let size = |boxes: &Self| {
            let extents = boxes.extents.iter().map(|&extent| u64::from(extent));
            extents.fold(u64::from(bytes), u64::saturating_mul)
        };
        let fits = |boxes: &Self| {
            let swizzle = boxes.swizzle;
            swizzle.span().0 <= u64::from(row) && size(boxes).is_multiple_of(swizzle.alignment().0)
        };
        SwizzleMode::ATOM_16
            .into_iter()
            .rev()
            .map(planned)
            .find(fits)
            .ok_or_else(|| NoBoxes::Box {
                bytes: size(&planned(SwizzleMode::None)),
            })
    }

    /// The layout in shared memory of a tile of these extents, whose boxes are stored one after the other.
    ///
    /// # Errors
    /// The array has no contiguous axis along the tile, or an extent is not a power of two.
    pub fn memory(&self, memref: &Memref, dim_map: &[u32], shape: &[u32]) -> Result<LinearLayout, Refusal> {
        self.laid_out(
            &tile_axes(memref, dim_map)?,
            shape,
            memref.element.bytes().unwrap_or(1),
        )
    }

    /// The layout in shared memory of a tile that threads bring there, of elements with so many bytes, in rows along the axis
    /// `unit`: that of boxes, which matrix descriptors can express.
    ///
    /// # Errors
    /// Rows, or boxes, are too small, or an extent is not a power of two.
    pub fn memory_of_rows(unit: usize, shape: &[u32], bytes: u32) -> Result<LinearLayout, Refusal> {
        let others = (0..shape.len()).rev().filter(|&axis| axis != unit);
        let inner_first: Vec<usize> = std::iter::once(unit).chain(others).collect();
        Self::of_rows(unit, shape, bytes)?.laid_out(&inner_first, shape, bytes)
    }

    /// The same for a tile whose axes are stored in this order, the innermost first, of elements with so many bytes.
    fn laid_out(&self, inner_first: &[usize], shape: &[u32], bytes: u32) -> Result<LinearLayout, Refusal> {
        let mut bases = self.box_bases(inner_first, bytes);
        for &axis in inner_first {
            let (whole, part) = (shape.get(axis), self.extents.get(axis));
            let mut step = part.copied().unwrap_or(1).max(1);
            while whole.is_some_and(|&whole| step < whole) {
                let mut basis = vec![0; shape.len()];
                if let Some(slot) = basis.get_mut(axis) {
                    *slot = step;
                }
                bases.push(basis);
                step = step.saturating_mul(2);
            }
        }
        let outs: Vec<(Dim, u32)> = (0..).map(Dim::Axis).zip(shape.iter().copied()).collect();
        LinearLayout::from_bases(&[(Dim::Offset, bases)], &outs)
            .map_err(|error| Refusal::layout(format!("`tma`: {error}")))
    }

    /// For each bit of the offset within a box, the element that it leads to; elements have `bytes` bytes.
    fn box_bases(&self, inner_first: &[usize], bytes: u32) -> Vec<Vec<u32>> {
        let bits: u32 = self.extents.iter().map(|extent| extent.max(&1).ilog2()).sum();
        let basis = |bit: u32| {
            let mut rest = self.swizzle.apply(u64::from(bytes) << bit) / u64::from(bytes.max(1));
            let mut element = vec![0; self.extents.len()];
            for &axis in inner_first {
                if let (Some(slot), Some(extent)) = (element.get_mut(axis), self.extents.get(axis)) {
                    *slot = u32::try_from(rest % u64::from((*extent).max(1))).unwrap_or(0);
                    rest /= u64::from((*extent).max(1));
                }
            }
            element
        };
        (0..bits).map(basis).collect()
    }

    /// Checks a copy between these places, where they are known.
    pub(crate) fn check_place(
        &self,
        memref: &Memref,
        dim_map: &[u32],
        direction: Direction,
        target: Target,
        place: &TensorPlace,
    ) -> Allowed {
        let map = self.tensor_map(memref, dim_map)?;
        place.check(&map, direction, target)
    }

    /// The tensor map of an array for the boxes, in which dynamic values are represented by their known divisor.
    pub(crate) fn tensor_map(&self, memref: &Memref, dim_map: &[u32]) -> Result<TensorMap, Refusal> {
        let bytes = memref
            .element
            .bytes()
            .map(u64::from)
            .ok_or_else(|| no_copies_of(memref.element))?;
        let rank = memref.rank();
        if dim_map.len() != rank || self.extents.len() != rank {
            let message = format!(
                "a box of {} in an array of {rank}",
                counted(self.extents.len(), "dimension")
            );
            return Err(Refusal::new(Code::RankMismatch, message));
        }
        let stride = |axis: usize| {
            let known = memref.strides.get(axis).copied().flatten();
            known.unwrap_or_else(|| memref.stride_div.get(axis).copied().unwrap_or(1))
        };
        let axes = fastest_first(memref)?;
        let box_of = |axis: usize| {
            let tile_axis = dim_map.iter().position(|&mapped| mapped as usize == axis);
            tile_axis
                .and_then(|axis| self.extents.get(axis))
                .copied()
                .unwrap_or(1)
        };
        Ok(TensorMap {
            data_type: match self.rounded {
                true => DataType::TF32,
                false => data_type(memref.element)?,
            },
            global_address: memref.align,
            global_dim: axes
                .iter()
                .map(|&axis| memref.extents.get(axis).copied().flatten().unwrap_or(1))
                .collect(),
            global_strides: axes
                .iter()
                .skip(1)
                .map(|&axis| stride(axis).saturating_mul(bytes))
                .collect(),
            element_strides: vec![1; rank],
            interleave: Interleave::None,
            swizzle: self.swizzle,
            l2_promotion: L2Promotion::None,
            oob_fill: OobFill::Zero,
            mode: BoxMode::Tiled {
                box_dim: axes.into_iter().map(box_of).collect(),
            },
        })
    }

    /// Checks that the buffer's layout is that of a box in shared memory: the tensor map's dimensions in order, the
    /// contiguous one innermost, with the swizzle.
    pub(super) fn check_buffer(&self, memref: &Memref, dim_map: &[u32], buffer: &Buffer) -> Allowed {
        let element = self.element(memref.element);
        if buffer.element != element {
            let message = format!("`tma` copies `{element}` to a buffer of `{}`", buffer.element);
            return Err(Refusal::new(Code::TypeMismatch, message));
        }
        let Some(layout) = buffer.linear() else {
            return Err(Refusal::layout("`tma` needs a buffer with a linear layout"));
        };
        if buffer.is_slice() {
            return Err(Refusal::layout("`tma` copies to whole buffers, not to slices"));
        }
        let divides = self.extents.len() == buffer.shape.len()
            && self
                .extents
                .iter()
                .zip(&buffer.shape)
                .all(|(&part, &whole)| part.is_power_of_two() && whole.is_multiple_of(part));
        if !divides {
            let message = format!(
                "boxes of {:?} do not make up a tile of {:?}",
                self.extents, buffer.shape
            );
            return Err(Refusal::layout(message));
        }
        let wanted = self.box_bases(&tile_axes(memref, dim_map)?, buffer.element_bits() / 8);
        for (bit, (found, wanted)) in layout.bases(Dim::Offset).zip(wanted).enumerate() {
            if *found != *wanted {
                let message = format!(
                    "`tma` puts element {wanted:?} of a box at offset {}, the buffer's layout has {:?} there",
                    1u64 << bit,
                    &*found
                );
                return Err(Refusal::layout(message));
            }
        }
        Ok(())
    }
}

/// The tile's axes in the order of the tensor map's dimensions.
fn tile_axes(memref: &Memref, dim_map: &[u32]) -> Result<Vec<usize>, Refusal> {
    let tile_axis = |axis: usize| dim_map.iter().position(|&mapped| mapped as usize == axis);
    Ok(fastest_first(memref)?.into_iter().filter_map(tile_axis).collect())
}

/// The array's axes in the order of the tensor map's dimensions: first the contiguous one, whose stride is one element.
fn fastest_first(memref: &Memref) -> Result<Vec<usize>, Refusal> {
    let axes = 0..memref.rank();
    let Some(unit) = axes
        .clone()
        .find(|&axis| memref.strides.get(axis) == Some(&Some(1)))
    else {
        return Err(no_unit_stride());
    };
    let others = axes.rev().filter(|&axis| axis != unit);
    Ok(std::iter::once(unit).chain(others).collect())
}

/// The type of the elements of a tensor map whose copies move their bits.
pub(super) fn data_type(element: ScalarType) -> Result<DataType, Refusal> {
    Ok(match element {
        ScalarType::I1
        | ScalarType::I8
        | ScalarType::F8E4M3FN
        | ScalarType::F8E5M2
        | ScalarType::F8E8M0FNU
        | ScalarType::F8E5M3FNU => DataType::U8,
        ScalarType::I16 => DataType::U16,
        ScalarType::F16 => DataType::F16,
        ScalarType::BF16 => DataType::BF16,
        ScalarType::I32 => DataType::U32,
        ScalarType::F32 | ScalarType::TF32 => DataType::F32,
        ScalarType::I64 => DataType::U64,
        ScalarType::F64 => DataType::F64,
        ScalarType::I4 | ScalarType::F4E2M1FN => {
            return Err(no_copies_of(element));
        }
    })
}
