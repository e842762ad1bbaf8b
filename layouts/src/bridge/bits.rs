//! Bit representations for the bridge: flat modes of shape and stride, and columns of a bit matrix.

use super::error::{BasisVector, BridgeError, IndexBit};
use crate::cute::Swizzle;

/// The columns of the map from the bits of a colexicographic coordinate to an index, for modes of
/// these (sizes, strides): bit `b` of a coordinate along a mode of stride `d` contributes `d 2^b`.
///
/// The sum of the contributions equals their exclusive or for every coordinate exactly if no two of
/// them have a common set bit; otherwise the sum carries.
///
/// # Errors
/// A size is not a power of two, or a contribution is too large or shares a bit with another one.
pub(super) fn columns(modes: &[(u64, u64)]) -> Result<Vec<u64>, BridgeError> {
    let mut columns = Vec::new();
    let mut origin = Vec::new();
    let mut taken = 0;
    for (mode, &(size, stride)) in modes.iter().enumerate() {
        if !size.is_power_of_two() {
            return Err(BridgeError::ShapeNotPowerOfTwo { mode, size });
        }
        for bit in 0..size.ilog2() {
            let value = stride.checked_mul(1 << bit).filter(|value| *value <= MAX_INDEX);
            let value = value.ok_or(BridgeError::StrideTooLarge { mode, stride, bit })?;
            let unit = IndexBit { mode, bit, value };
            if value & taken != 0 {
                let clash = origin.iter().find(|other: &&IndexBit| other.value & value != 0);
                return Err(BridgeError::Carries {
                    first: clash.copied().unwrap_or(unit),
                    second: unit,
                });
            }
            taken |= value;
            origin.push(unit);
            columns.push(value);
        }
    }
    Ok(columns)
}

/// The largest index of a map of the bridge.
const MAX_INDEX: u64 = (1 << 62) - 1;

/// The modes for which [`columns`] gives these columns, coalesced: as few as possible, none of size
/// 1, unless there would be no mode at all.
pub(super) fn modes(columns: &[u64]) -> Vec<(u64, u64)> {
    let mut modes: Vec<(u64, u64)> = Vec::new();
    for &column in columns {
        match modes.last_mut() {
            // The next column along a mode is `size * stride`; a stride of 0 continues with 0.
            Some((size, stride)) if size.checked_mul(*stride) == Some(column) => *size *= 2,
            Some(_) | None => modes.push((2, column)),
        }
    }
    if modes.is_empty() {
        modes.push((1, 0));
    }
    modes
}

/// The first basis vector that shares a set bit with an earlier one, after the first such earlier one.
fn overlap(vectors: &[BasisVector]) -> Option<(BasisVector, BasisVector)> {
    let clash = |second: &BasisVector, earlier: &[BasisVector]| {
        let first = earlier.iter().find(|first| first.value & second.value != 0);
        first.map(|first| (*first, *second))
    };
    let mut numbered = vectors.iter().enumerate();
    numbered.find_map(|(at, second)| clash(second, vectors.get(..at).unwrap_or_default()))
}

/// A swizzle `sw` such that no two of `sw(column)` share a set bit; the columns are then those of `sw`
/// after a layout. Of several, one with the fewest bits, then with the smallest distance between its
/// fields, then with a positive shift, then with the lowest base.
///
/// The fields need not extend beyond the highest set bit: the bits that a swizzle sets beyond it do
/// not make columns disjoint, and without those bits of its fields it is still a swizzle. So the
/// search is complete. Time: cubic in the number of bits, times the columns.
///
/// # Errors
/// There is none: two columns that share a bit.
pub(super) fn find_swizzle(vectors: &[BasisVector]) -> Result<Swizzle, (BasisVector, BasisVector)> {
    let Some(pair) = overlap(vectors) else {
        return Ok(Swizzle::IDENTITY);
    };
    let disjoint = |swizzle: Swizzle| {
        let mut taken = 0;
        vectors.iter().all(|vector| {
            let image = swizzle.apply(vector.value);
            let free = image & taken == 0;
            taken |= image;
            free
        })
    };
    let all = vectors.iter().fold(0, |all, vector| all | vector.value);
    let width = u64::BITS - all.leading_zeros();
    for bits in 1..=width / 2 {
        for distance in bits..=width.saturating_sub(bits) {
            for shift in [distance as i32, -(distance as i32)] {
                for base in 0..=width.saturating_sub(bits + distance) {
                    match Swizzle::new(bits, base, shift) {
                        Ok(swizzle) if disjoint(swizzle) => return Ok(swizzle),
                        Ok(_) | Err(_) => {}
                    }
                }
            }
        }
    }
    Err(pair)
}
