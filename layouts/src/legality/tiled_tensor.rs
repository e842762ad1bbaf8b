//! The tensor map of a strided tensor and a tile.

use crate::shared::SwizzleMode;

use super::tensor_map::{BoxMode, DataType, Interleave, L2Promotion, OobFill, TensorMap, TensorMapField};
use super::violation::{Checker, Limit, Source, Violations};

const INNER: Source = Source::driver("cuTensorMapEncodeTiled", "globalStrides");
const STRIDES: Source = Source::driver("cuTensorMapEncodeTiled", "globalStrides");

/// A tensor map for the tiles of a strided tensor, with the mode of the tensor for each of its
/// dimensions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TiledTensor {
    /// The tensor map, which passes [`TensorMap::check`].
    pub map: TensorMap,
    /// The mode of the tensor for each dimension of the map. Modes of size 1 in which the tile has
    /// extent 1 are omitted; their coordinate is 0.
    pub modes: Vec<usize>,
}

impl TiledTensor {
    /// Constructs the tensor map of a global tensor of that shape, with strides *in elements* (a CuTe
    /// layout of depth 1), for tiles with these extents along each mode. There is no interleaving,
    /// element strides are 1, and out-of-bounds elements are zero; the fields can be changed and
    /// checked again.
    ///
    /// Dimension 0 is the mode of stride 1; the others follow by ascending stride. The box in shared
    /// memory has the order of the dimensions.
    ///
    /// # Errors
    /// Every reason why there is no such map: no mode of stride 1, strides that are not whole bytes,
    /// or violated rules of [`TensorMap::check`].
    ///
    /// ```
    /// use tilewright_layouts::{SwizzleMode, legality::*};
    /// // A batch of row-major matrices.
    /// let tensor = TiledTensor::new(
    ///     DataType::BF16, 0, &[8, 512, 256], &[512 * 256, 256, 1], &[1, 128, 64], SwizzleMode::B128,
    /// )?;
    /// assert_eq!(tensor.modes, [2, 1, 0]);
    /// assert_eq!(tensor.map.global_strides, [512, 512 * 512]);
    /// // Rows of 250 halves are 500 bytes apart, which is no multiple of 16.
    /// let odd = TiledTensor::new(
    ///     DataType::BF16, 0, &[512, 250], &[250, 1], &[128, 64], SwizzleMode::B128,
    /// );
    /// assert_eq!(odd.unwrap_err()[0].field, TensorMapField::GlobalStride(0));
    /// # Ok::<(), Violations<TensorMapField>>(())
    /// ```
    pub fn new(
        data_type: DataType,
        global_address: u64,
        shape: &[u64],
        strides: &[u64],
        tile: &[u32],
        swizzle: SwizzleMode,
    ) -> Result<TiledTensor, Violations<TensorMapField>> {
        let mut check = Checker::new();
        check.length(TensorMapField::StrideCount, strides.len(), shape.len(), STRIDES);
        let source = Source::driver("cuTensorMapEncodeTiled", "boxDim");
        check.length(TensorMapField::BoxDimCount, tile.len(), shape.len(), source);
        check.finish()?;

        let mut modes: Vec<Mode> = shape
            .iter()
            .zip(strides)
            .zip(tile)
            .enumerate()
            .map(|(index, ((size, stride), extent))| Mode {
                index,
                size: *size,
                stride: *stride,
                extent: *extent,
            })
            .collect();
        let mut check = Checker::new();
        let inner = take_inner(&mut modes, &mut check);
        modes.retain(|mode| mode.size != 1 || mode.extent != 1);
        modes.sort_by_key(|mode| mode.stride);
        let mut global_strides = Vec::with_capacity(modes.len());
        for (index, mode) in modes.iter().enumerate() {
            let bits = u128::from(mode.stride) * u128::from(data_type.bits());
            let bytes = u64::try_from(bits / 8).unwrap_or(u64::MAX);
            let limit = Limit::Rule("has to be a whole number of bytes");
            check.require(
                bits % 8 == 0,
                TensorMapField::GlobalStride(index),
                mode.stride,
                limit,
                STRIDES,
            );
            global_strides.push(bytes);
        }
        modes.splice(0..0, inner);
        let map = TensorMap {
            data_type,
            global_address,
            global_dim: modes.iter().map(|mode| mode.size).collect(),
            global_strides,
            element_strides: vec![1; modes.len()],
            interleave: Interleave::None,
            swizzle,
            l2_promotion: L2Promotion::None,
            oob_fill: OobFill::Zero,
            mode: BoxMode::Tiled {
                box_dim: modes.iter().map(|mode| mode.extent).collect(),
            },
        };
        check.absorb(map.check());
        check.finish()?;
        let modes = modes.into_iter().map(|mode| mode.index).collect();
        Ok(TiledTensor { map, modes })
    }
}

#[derive(Clone, Copy)]
struct Mode {
    index: usize,
    size: u64,
    stride: u64,
    extent: u32,
}

/// Removes the contiguous mode: the one of stride 1, the largest if there are several (all but one
/// then have size 1, or elements overlap), otherwise one of size 1, whose stride is meaningless.
/// Without either, removes the mode of the smallest stride and reports a violation.
fn take_inner(modes: &mut Vec<Mode>, check: &mut Checker<TensorMapField>) -> Option<Mode> {
    let best = |modes: &[Mode], wanted: &dyn Fn(&Mode) -> bool| {
        let candidates = modes.iter().enumerate().filter(|(_, mode)| wanted(mode));
        candidates
            .max_by_key(|(at, mode)| (mode.extent, mode.size, std::cmp::Reverse(*at)))
            .map(|(at, _)| at)
    };
    let at = best(modes, &|mode| mode.stride == 1 && mode.size != 1)
        .or_else(|| best(modes, &|mode| mode.size == 1));
    if let Some(at) = at {
        return Some(modes.remove(at));
    }
    let (at, least) = modes.iter().enumerate().min_by_key(|(_, mode)| mode.stride)?;
    check.exactly(TensorMapField::InnerStride, least.stride, 1, INNER);
    Some(modes.remove(at))
}
