//! Shared parts of the encodings: counts along axes, and the order in which axes are covered.

use crate::dim::{Dim, MAX_RANK};
use crate::error::LayoutError;

/// The next basis step of 1, 2, 4, … along an axis; `None` if the axis is covered.
pub(super) fn next(covered: &mut [u64], shape: &[u32], axis: usize) -> Option<u64> {
    let (at, size) = (covered.get_mut(axis)?, shape.get(axis)?);
    let step = *at;
    (step < u64::from(*size)).then(|| {
        *at *= 2;
        step
    })
}

/// The basis vector with `step` along one axis.
pub(super) fn unit(rank: usize, axis: usize, step: u64) -> Vec<u64> {
    (0..rank)
        .map(|index| if index == axis { step } else { 0 })
        .collect()
}

pub(super) fn power_of_two(dim: Dim, size: u32) -> Result<(), LayoutError> {
    if size.is_power_of_two() {
        Ok(())
    } else {
        Err(LayoutError::NotPowerOfTwo {
            dim,
            size: u64::from(size),
        })
    }
}

/// Checks that every size of a tile is a power of two and that the rank is within the limit.
pub(super) fn check_shape(shape: &[u32]) -> Result<(), LayoutError> {
    if shape.len() > MAX_RANK {
        return Err(LayoutError::RankTooLarge { rank: shape.len() });
    }
    (0..)
        .map(Dim::Axis)
        .zip(shape)
        .try_for_each(|(dim, size)| power_of_two(dim, *size))
}

/// Checks that `order` is a permutation of the axes.
pub(super) fn check_order(order: &[usize], rank: usize) -> Result<(), LayoutError> {
    if rank > MAX_RANK {
        return Err(LayoutError::RankTooLarge { rank });
    }
    crate::linear::check_permutation(order, rank)
}

/// Checks that there is one power of two per axis.
pub(super) fn check_counts(dim: Dim, counts: &[u32], rank: usize) -> Result<(), LayoutError> {
    if counts.len() != rank {
        return Err(LayoutError::LengthMismatch {
            found: counts.len(),
            expected: rank,
        });
    }
    counts.iter().try_for_each(|count| power_of_two(dim, *count))
}
