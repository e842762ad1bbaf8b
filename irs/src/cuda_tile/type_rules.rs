//! Rules of types.

use tilewright_diagnostics::{Code, counted};

use super::enums::PaddingValue;
use super::shape::{MAX_RANK, MAX_TILE_ELEMENTS, Shape};
use super::types::{Element, Pointer, TensorView, Tile, TileType};
use crate::element::ScalarType;
use crate::literal::Dense;

/// Regions of ops nest no deeper than this, in a text or in bytecode, so that what is read in one form can be read in the
/// other.
pub const MAX_REGION_DEPTH: usize = 90;

type Checked = Result<(), (Code, String)>;

fn fail<T>(code: Code, message: String) -> Result<T, (Code, String)> {
    Err((code, message))
}

/// Checks a type.
pub fn check_type(ty: &TileType) -> Checked {
    match ty {
        TileType::Tile(tile) => check_tile(tile),
        TileType::TensorView(tensor) => check_tensor(tensor),
        TileType::PartitionView(view) => {
            check_view(ty, &view.tile, &view.tensor, view.padding)?;
            check_dim_map(ty, &view.dim_map, view.tile.len())
        }
        TileType::StridedView(view) => {
            check_view(ty, &view.tile, &view.tensor, view.padding)?;
            check_dim_map(ty, &view.dim_map, view.tile.len())?;
            if view.traversal_strides.len() != view.tile.len() {
                return fail(
                    Code::RankMismatch,
                    format!(
                        "`{ty}` has {}, but its tile has {}",
                        counted(view.traversal_strides.len(), "traversal stride"),
                        counted(view.tile.len(), "dimension")
                    ),
                );
            }
            match view.traversal_strides.iter().position(|&stride| stride == 0) {
                Some(i) => fail(
                    Code::BadStride,
                    format!("traversal stride {i} of `{ty}` is 0, expected a positive number"),
                ),
                None => Ok(()),
            }
        }
        TileType::GatherScatterView(view) => {
            check_view(ty, &view.tile, &view.tensor, view.padding)?;
            if view.sparse_dim as usize >= view.tile.len() {
                return fail(
                    Code::BadDimMap,
                    format!(
                        "the sparse dimension of `{ty}` is {}, but it has {}",
                        view.sparse_dim,
                        counted(view.tile.len(), "dimension")
                    ),
                );
            }
            Ok(())
        }
        TileType::Token => Ok(()),
    }
}

fn check_rank(what: &str, rank: usize) -> Checked {
    if rank > MAX_RANK {
        return fail(
            Code::RankMismatch,
            format!("{what} has {rank} dimensions; this compiler accepts at most {MAX_RANK}"),
        );
    }
    Ok(())
}

fn check_pointee(pointer: Pointer) -> Checked {
    if pointer.pointee == ScalarType::I4 {
        let message = "a pointer is to i4, expected elements that memory holds one by one".to_owned();
        return fail(Code::BadElementType, message);
    }
    Ok(())
}

fn check_tile(tile: &Tile) -> Checked {
    check_rank("a tile", tile.shape.len())?;
    if let Element::Ptr(pointer) = tile.element {
        check_pointee(pointer)?;
        // A rule of NVIDIA's assembler 13.5: such pointers are ambiguous, since two elements share an address.
        if pointer.pointee.bytes().is_none() && !tile.shape.is_empty() {
            return fail(
                Code::BadElementType,
                format!(
                    "`{tile}` has rank {}, expected 0: two {} share an address",
                    tile.shape.len(),
                    pointer.pointee
                ),
            );
        }
    }
    if tile.element == Element::Scalar(ScalarType::F4E2M1FN) && tile.shape.iter().all(|n| n % 2 == 1) {
        return fail(
            Code::BadElementType,
            format!("`{tile}` needs an even extent: two f4E2M1FN share a byte"),
        );
    }
    let mut extents = tile.shape.iter().copied().enumerate();
    if let Some((i, extent)) = extents.find(|(_, extent)| !extent.is_power_of_two()) {
        if extent == 0 {
            return fail(
                Code::ExtentNotPowerOfTwo,
                format!("extent {i} of `{tile}` is 0, expected a positive number"),
            );
        }
        let near = extent.checked_next_power_of_two();
        let near = near.map(|n| format!("; the next one is {n}")).unwrap_or_default();
        return fail(
            Code::ExtentNotPowerOfTwo,
            format!("extent {i} of `{tile}` is {extent}, which is not a power of two{near}"),
        );
    }
    match tile.shape.elements() {
        Some(n) if n <= MAX_TILE_ELEMENTS => {}
        Some(n) => {
            return fail(
                Code::TooManyElements,
                format!("`{tile}` has {n} elements; a tile holds at most {MAX_TILE_ELEMENTS}"),
            );
        }
        None => {
            return fail(
                Code::TooManyElements,
                format!("`{tile}` has more than 2^64 elements; a tile holds at most {MAX_TILE_ELEMENTS}"),
            );
        }
    }
    Ok(())
}

fn check_tensor(tensor: &TensorView) -> Checked {
    check_rank("a tensor_view", tensor.shape.len())?;
    if tensor.element == ScalarType::I4 {
        let message = format!("`{tensor}` holds i4, expected elements that memory holds one by one");
        return fail(Code::BadElementType, message);
    }
    if tensor.shape.len() != tensor.strides.len() {
        return fail(
            Code::RankMismatch,
            format!(
                "`{tensor}` has {} and {}",
                counted(tensor.shape.len(), "extent"),
                counted(tensor.strides.len(), "stride")
            ),
        );
    }
    for (what, list) in [("extent", &tensor.shape), ("stride", &tensor.strides)] {
        if let Some(i) = list.iter().position(|&n| n == Some(0)) {
            return fail(
                Code::BadStride,
                format!("{what} {i} of `{tensor}` is 0, expected a positive number or `?`"),
            );
        }
    }
    Ok(())
}

fn check_view(ty: &TileType, tile: &Shape, tensor: &TensorView, padding: Option<PaddingValue>) -> Checked {
    check_tensor(tensor)?;
    if tile.is_empty() {
        return fail(
            Code::RankMismatch,
            format!(
                "the tile of `{ty}` has no dimension, expected {}",
                tensor.shape.len().max(1)
            ),
        );
    }
    if tile.len() != tensor.shape.len() {
        return fail(
            Code::RankMismatch,
            format!(
                "the tile of `{ty}` has {}, but its tensor has {}",
                counted(tile.len(), "dimension"),
                tensor.shape.len()
            ),
        );
    }
    check_tile(&Tile::new(tile.clone(), tensor.element))?;
    match padding {
        None | Some(PaddingValue::Zero) => Ok(()),
        Some(
            value @ (PaddingValue::NegZero | PaddingValue::Nan | PaddingValue::PosInf | PaddingValue::NegInf),
        ) => {
            if tensor.element.is_float() {
                return Ok(());
            }
            fail(
                Code::BadPaddingValue,
                format!(
                    "padding value {value} of `{ty}` needs a float element type, not {}",
                    tensor.element
                ),
            )
        }
    }
}

fn check_dim_map(ty: &TileType, dim_map: &[u32], rank: usize) -> Checked {
    if dim_map.len() != rank {
        return fail(
            Code::BadDimMap,
            format!(
                "dim_map of `{ty}` has {}, but the tile has {}",
                counted(dim_map.len(), "entry"),
                counted(rank, "dimension")
            ),
        );
    }
    let mut seen = [false; MAX_RANK];
    for (i, &dim) in dim_map.iter().enumerate() {
        match seen.get_mut(..rank).and_then(|seen| seen.get_mut(dim as usize)) {
            None => {
                return fail(
                    Code::BadDimMap,
                    format!(
                        "entry {i} of dim_map of `{ty}` is {dim}, expected 0 to {}: the tile has {}",
                        rank.saturating_sub(1),
                        counted(rank, "dimension")
                    ),
                );
            }
            Some(true) => {
                return fail(
                    Code::BadDimMap,
                    format!("entry {i} of dim_map of `{ty}` names dimension {dim} a second time"),
                );
            }
            Some(fresh) => *fresh = true,
        }
    }
    Ok(())
}

/// Checks elements against their tile type.
pub fn check_dense(tile: &Tile, dense: &Dense) -> Checked {
    if tile.element != Element::Scalar(dense.ty()) {
        return fail(
            Code::TypeMismatch,
            format!(
                "the constant holds {} elements, but its type is `{tile}`",
                dense.ty()
            ),
        );
    }
    match dense {
        Dense::Splat(_) => Ok(()),
        Dense::Elements(_, bits) if tile.shape.elements() == Some(bits.len() as u64) => Ok(()),
        Dense::Elements(_, bits) => fail(
            Code::ConstantSize,
            format!(
                "the constant has {}, but `{tile}` holds {}",
                counted(bits.len(), "element"),
                tile.shape.elements().unwrap_or(u64::MAX)
            ),
        ),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::cuda_tile::types::{GatherScatterView, PartitionView, StridedView};

    fn code(ty: &TileType) -> Option<Code> {
        check_type(ty).err().map(|(code, _)| code)
    }

    fn tensor(rank: usize, element: ScalarType) -> TensorView {
        TensorView {
            element,
            shape: vec![None; rank],
            strides: vec![Some(1); rank],
            attr: None,
        }
    }

    fn partition(tile: &[u64], dim_map: &[u32], padding: Option<PaddingValue>) -> TileType {
        TileType::PartitionView(Arc::new(PartitionView {
            tile: tile.into(),
            tensor: tensor(tile.len(), ScalarType::I32),
            dim_map: dim_map.to_vec(),
            padding,
        }))
    }

    #[test]
    fn tiles() {
        assert_eq!(code(&TileType::tile([4, 8], ScalarType::F32)), None);
        assert_eq!(
            code(&TileType::tile([4, 3], ScalarType::F32)),
            Some(Code::ExtentNotPowerOfTwo)
        );
        assert_eq!(
            code(&TileType::tile([0], ScalarType::F32)),
            Some(Code::ExtentNotPowerOfTwo)
        );
        assert_eq!(code(&TileType::tile([1 << 24], ScalarType::I8)), None);
        assert_eq!(
            code(&TileType::tile([1 << 24, 2], ScalarType::I8)),
            Some(Code::TooManyElements)
        );
        assert_eq!(
            code(&TileType::tile([1 << 40, 1 << 40], ScalarType::I8)),
            Some(Code::TooManyElements)
        );
        assert_eq!(
            code(&TileType::scalar(ScalarType::F4E2M1FN)),
            Some(Code::BadElementType)
        );
        assert_eq!(
            code(&TileType::tile(vec![1; 65], ScalarType::I8)),
            Some(Code::RankMismatch)
        );
    }

    #[test]
    fn views() {
        assert_eq!(code(&partition(&[4, 8], &[1, 0], None)), None);
        assert_eq!(code(&partition(&[4, 8], &[1, 1], None)), Some(Code::BadDimMap));
        assert_eq!(code(&partition(&[4, 8], &[0, 2], None)), Some(Code::BadDimMap));
        assert_eq!(code(&partition(&[4, 8], &[0], None)), Some(Code::BadDimMap));
        assert_eq!(
            code(&partition(&[4, 6], &[0, 1], None)),
            Some(Code::ExtentNotPowerOfTwo)
        );
        assert_eq!(code(&partition(&[4], &[0], Some(PaddingValue::Zero))), None);
        assert_eq!(
            code(&partition(&[4], &[0], Some(PaddingValue::Nan))),
            Some(Code::BadPaddingValue)
        );
        let strided = |strides: &[u64]| {
            TileType::StridedView(Arc::new(StridedView {
                tile: [4].into(),
                traversal_strides: strides.to_vec(),
                tensor: tensor(1, ScalarType::F32),
                dim_map: vec![0],
                padding: None,
            }))
        };
        assert_eq!(code(&strided(&[3])), None);
        assert_eq!(code(&strided(&[0])), Some(Code::BadStride));
        assert_eq!(code(&strided(&[1, 1])), Some(Code::RankMismatch));
        let gather = |sparse_dim| {
            TileType::GatherScatterView(Arc::new(GatherScatterView {
                tile: [4, 4].into(),
                tensor: tensor(2, ScalarType::F32),
                sparse_dim,
                padding: None,
            }))
        };
        assert_eq!(code(&gather(1)), None);
        assert_eq!(code(&gather(2)), Some(Code::BadDimMap));
    }

    #[test]
    fn constants() {
        let tile = Tile::new([2], ScalarType::I8);
        assert!(check_dense(&tile, &Dense::Elements(ScalarType::I8, vec![1, 2])).is_ok());
        let short = check_dense(&tile, &Dense::Elements(ScalarType::I8, vec![1]));
        assert_eq!(short.map_err(|e| e.0), Err(Code::ConstantSize));
        let other = check_dense(&tile, &Dense::Elements(ScalarType::I16, vec![1, 2]));
        assert_eq!(other.map_err(|e| e.0), Err(Code::TypeMismatch));
    }
}
