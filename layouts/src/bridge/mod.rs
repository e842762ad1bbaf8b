//! Exact conversions between CuTe layouts and linear layouts, refused with a reason where there is
//! none.
//!
//! A CuTe layout adds the contributions of a coordinate's bits to an index; a linear layout combines
//! them by exclusive or. The two are the same function exactly if no two contributions have a common
//! bit, and a swizzle is linear over GF(2) by itself. So
//!
//! - a CuTe layout, swizzled or not, is a linear layout exactly if its sizes are powers of two, its
//!   offset is 0, and the contributions `stride * 2^bit` are disjoint as sets of bits. Strides that are
//!   powers of two and do not overlap are the usual case; a stride of 5 along a mode of size 2 is another;
//! - a linear layout is a CuTe layout exactly if its columns are disjoint, and a swizzled one exactly if
//!   they are after some swizzle has been applied, which is its own inverse.
//!
//! [`Naming`] assigns dimensions to the modes and the index. [`memory_to_linear`] and
//! [`memory_from_linear`] convert functions from coordinates to offsets in memory,
//! [`threads_to_linear`] and [`threads_from_linear`] functions from (thread, value) to coordinates of
//! a tile; [`to_linear`] and [`from_linear`] take any naming.
//!
//! ```
//! use tilewright_layouts::{Dim, bridge};
//!
//! // The 128-byte swizzle of eight rows of 64 two-byte elements, row major.
//! let tile = "Sw<3,3,3> o 0 o (8,64):(64,1)".parse()?;
//! let linear = bridge::memory_to_linear(&tile)?;
//! assert_eq!(*linear.apply(&[(Dim::Axis(0), 5), (Dim::Axis(1), 8)]), [5 * 64 + (1 ^ 5) * 8]);
//! assert_eq!(bridge::memory_from_linear(&linear, 2)?, tile);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod atoms;
mod bits;
mod error;
mod memory;
mod naming;
mod threads;

use crate::cute::{Composed, Int, Layout, Nested};
use crate::dim::Dim;
use crate::error::LayoutError;
use crate::linear::LinearLayout;

pub use atoms::{mma_atom, wgmma_atom};
pub use error::{BasisVector, BridgeError, IndexBit};
pub use memory::{memory_from_linear, memory_to_linear};
pub use naming::Naming;
pub use threads::{threads_from_linear, threads_to_linear};

/// Converts a CuTe layout to the linear layout that is the same function, with this naming of modes
/// and index.
///
/// Time: linear in the number of coordinate bits, times the leaves.
///
/// # Errors
/// There is none, with the reason; or the naming does not match the layout.
///
/// ```
/// use tilewright_layouts::{Dim, bridge::{self, BridgeError, Naming}};
/// let naming = Naming::new(&[vec![(Dim::Lane, 4)]], &[(Dim::Offset, 16)])?;
/// let linear = bridge::to_linear(&"4:4".parse()?, &naming)?;
/// assert_eq!(*linear.at(0, 3, 0, 0), [12]);
/// // 3 + 6 is not 3 ^ 6.
/// let error = bridge::to_linear(&"4:3".parse()?, &naming);
/// assert!(matches!(error, Err(BridgeError::Carries { .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn to_linear(layout: &Composed, naming: &Naming) -> Result<LinearLayout, BridgeError> {
    check_modes(layout.layout(), naming)?;
    assemble(&index_columns(layout)?, naming)
}

/// The columns of a layout, from the bits of a flat coordinate to bits of the index.
fn index_columns(layout: &Composed) -> Result<Vec<u64>, BridgeError> {
    let mut leaves = Vec::new();
    for (mode, leaf) in layout.layout().tree().leaves().enumerate() {
        match (leaf.shape.as_static(), leaf.stride.as_static()) {
            (Some(size), Some(stride)) => leaves.push((size, stride)),
            // For a single coordinate the stride does not matter.
            (Some(1), None) => leaves.push((1, 0)),
            (Some(_) | None, _) => return Err(BridgeError::Dynamic { mode }),
        }
    }
    let mut columns = bits::columns(&leaves)?;
    if *layout.offset() != Int::ZERO {
        return Err(BridgeError::Offset {
            offset: layout.offset().clone(),
        });
    }
    let swizzle = layout.swizzle();
    columns
        .iter_mut()
        .for_each(|column| *column = swizzle.apply(*column));
    Ok(columns)
}

/// Checks that the modes have the sizes that the naming gives them.
fn check_modes(layout: &Layout, naming: &Naming) -> Result<(), BridgeError> {
    let (found, expected) = (layout.rank(), naming.modes().len());
    if found != expected {
        return Err(BridgeError::Rank { found, expected });
    }
    for (mode, (part, dims)) in layout.modes().zip(naming.modes()).enumerate() {
        // A dynamic size is refused with a better error when its columns are computed.
        if let Int::Static(found) = part.size()? {
            let expected = naming::product(dims);
            if found != expected {
                return Err(BridgeError::ModeSize {
                    mode,
                    found,
                    expected,
                });
            }
        }
    }
    Ok(())
}

/// The linear layout with these columns, distributed to the dimensions of a naming in order.
fn assemble(columns: &[u64], naming: &Naming) -> Result<LinearLayout, BridgeError> {
    let mut columns = columns.iter();
    let mut bases = Vec::new();
    for &(dim, size) in naming.modes().iter().flatten() {
        let part = columns.by_ref().take(size.ilog2() as usize);
        let vectors = part.map(|column| naming.split(*column));
        bases.push((dim, vectors.collect::<Result<Vec<_>, _>>()?));
    }
    let outs: Vec<_> = naming
        .index()
        .iter()
        .map(|&(dim, size)| (dim, u64::from(size)))
        .collect();
    Ok(LinearLayout::checked(&bases, &outs)?)
}

/// Converts a linear layout to the CuTe layout that is the same function, with this naming of modes
/// and index.
///
/// The result has the fewest leaves in each mode; a single mode of one leaf is not in a tuple. It has
/// no swizzle if none is needed, and otherwise one with the fewest bits, the smallest distance
/// between its fields, a positive shift, and the lowest base, in this order of priority.
///
/// Time: one pass over the columns for each candidate swizzle, whose number is cubic in the number of
/// index bits: below 3000 for 20 bits.
///
/// # Errors
/// Two columns share a bit and no swizzle separates them: no CuTe layout with or without a swizzle is
/// this function. Or the dimensions of the naming and of the layout differ.
///
/// ```
/// use tilewright_layouts::{Dim, LinearLayout, bridge::{self, Naming}};
/// let linear = LinearLayout::from_bases(
///     &[(Dim::Lane, vec![vec![1], vec![2], vec![5], vec![10]])],
///     &[(Dim::Offset, 16)],
/// )?;
/// let naming = Naming::new(&[vec![(Dim::Lane, 16)]], &[(Dim::Offset, 16)])?;
/// let layout = bridge::from_linear(&linear, &naming)?;
/// assert_eq!(layout.to_string(), "Sw<2,0,2> o 0 o 16:1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn from_linear(linear: &LinearLayout, naming: &Naming) -> Result<Composed, BridgeError> {
    check_dims(linear, naming)?;
    let mut vectors = Vec::new();
    for &(dim, _) in naming.modes().iter().flatten() {
        for (bit, vector) in linear.bases(dim).enumerate() {
            let value = naming.column(linear, &vector);
            vectors.push(BasisVector { dim, bit, value });
        }
    }
    let swizzle = bits::find_swizzle(&vectors);
    let swizzle = swizzle.map_err(|(first, second)| BridgeError::NoSwizzle { first, second })?;
    let mut columns = vectors.iter().map(|vector| swizzle.apply(vector.value));
    let mut modes = Vec::new();
    for dims in naming.modes() {
        let count: u32 = dims.iter().map(|(_, size)| size.ilog2()).sum();
        let part: Vec<_> = columns.by_ref().take(count as usize).collect();
        modes.push(coalesced(&part)?);
    }
    let layout = match modes.as_mut_slice() {
        [mode] if mode.depth() == 0 => mode.clone(),
        _ => Layout::from_modes(modes),
    };
    Ok(Composed::new(swizzle, Int::ZERO, layout))
}

/// The mode with these columns, with the fewest leaves.
fn coalesced(columns: &[u64]) -> Result<Layout, BridgeError> {
    let leaves = bits::modes(columns);
    let leaf = |value: u64| Nested::Leaf(Int::Static(value));
    Ok(match leaves.as_slice() {
        [(size, stride)] => Layout::strided(*size, *stride)?,
        leaves => {
            let shape = leaves.iter().map(|(size, _)| leaf(*size)).collect();
            let stride = leaves.iter().map(|(_, stride)| leaf(*stride)).collect();
            Layout::new(Nested::Tuple(shape), Nested::Tuple(stride))?
        }
    })
}

/// Checks that a naming has exactly the dimensions of a linear layout.
fn check_dims(linear: &LinearLayout, naming: &Naming) -> Result<(), BridgeError> {
    let sizes = |dims: &[(Dim, u32)], dim: Dim| {
        dims.iter()
            .find(|(known, _)| *known == dim)
            .map(|(_, size)| *size)
    };
    let mismatch = |dim, found: u32, expected: u32| {
        Err(BridgeError::Layout(LayoutError::SizeMismatch {
            dim,
            found: u64::from(found),
            expected: u64::from(expected),
        }))
    };
    let ins: Vec<_> = naming.modes().iter().flatten().copied().collect();
    for &(dim, size) in &ins {
        if linear.in_size(dim) != size {
            return mismatch(dim, linear.in_size(dim), size);
        }
    }
    for (dim, _) in linear.in_dims() {
        if sizes(&ins, dim).is_none() {
            return Err(BridgeError::UnnamedDim { dim });
        }
    }
    for &(dim, size) in naming.index() {
        match linear.out_size(dim) {
            Some(found) if found == size => {}
            Some(found) => return mismatch(dim, found, size),
            None => return Err(LayoutError::MissingDim { dim }.into()),
        }
    }
    for (dim, _) in linear.out_dims() {
        if sizes(naming.index(), dim).is_none() {
            return Err(BridgeError::UnnamedDim { dim });
        }
    }
    Ok(())
}
