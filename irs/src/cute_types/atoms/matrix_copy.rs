//! `ldmatrix` and `stmatrix`: matrices between shared memory and the registers of a warp.

use std::num::NonZeroU32;

use tilewright_layouts::ElementWidth;
use tilewright_layouts::cute::{CopyAtomOf, CopyEnd, CuteError, Fact, LayoutOf, MatrixCount, Nested};

use super::layouts::{mode as single, modes};
use crate::cute_types::element::Element;
use crate::cute_types::reader::{part, words};

words! {
    /// The elements of a matrix in shared memory, and what becomes of them.
    pub enum MatrixPattern {
        /// 16 bits.
        U16 = "u16",
        /// 8 bits.
        U8 = "u8",
        /// 4 bits, to unsigned 8.
        U4To8 = "u4to8",
        /// 4 bits, to signed 8.
        S4To8 = "s4to8",
        /// 2 bits, to unsigned 4.
        U2To4 = "u2to4",
        /// 2 bits, to signed 4.
        S2To4 = "s2to4",
        /// 16 elements of 4 bits with 64 bits of padding, to 8.
        U4Padded = "u4x16p64to8",
        /// 16 elements of 6 bits with 32 bits of padding, to 8.
        U6Padded = "u6x16p32to8",
    }

    /// Whether a matrix is transposed.
    pub enum MatrixOrder {
        /// No.
        Normal = "n",
        /// Yes.
        Transposed = "t",
    }
}

part! {
    /// `ldmatrix`: `!cute_nvgpu.atom.ldsm<val_type = f16, mode = <"(8,8)">, sz_pattern = u16, num_matrices = 4, n>`.
    pub struct LoadMatrix {
        /// The elements of the tensors.
        value: Element,
        /// The extents of a matrix.
        mode: Nested<Fact>,
        /// The elements in shared memory.
        pattern: MatrixPattern,
        /// The number of matrices.
        matrices: NonZeroU32,
        /// Whether they are transposed.
        order: MatrixOrder,
    }
    "val_type = " value ", mode = <" mode ">, sz_pattern = " pattern ", num_matrices = " matrices ", " order
}

part! {
    /// `stmatrix`: `!cute_nvgpu.atom.stsm<f16, mode = <"(8,8)">, num_matrices = 4, n>`.
    pub struct StoreMatrix {
        /// The elements of the tensors.
        value: Element,
        /// The extents of a matrix.
        mode: Nested<Fact>,
        /// The number of matrices.
        matrices: NonZeroU32,
        /// Whether they are transposed.
        order: MatrixOrder,
    }
    value ", mode = <" mode ">, num_matrices = " matrices ", " order
}

/// Threads address rows; each then has parts of rows, or of columns.
fn layouts(
    value: &Element,
    mode: &Nested<Fact>,
    matrices: NonZeroU32,
    order: MatrixOrder,
) -> Option<Result<CopyAtomOf<Fact>, CuteError>> {
    let extents: Vec<Option<i64>> = mode.leaves().map(|leaf| leaf.value()).collect();
    let count = MatrixCount::ALL
        .into_iter()
        .find(|count| count.get() == matrices.get())?;
    let transposed = order == MatrixOrder::Transposed;
    match extents.as_slice() {
        [Some(8), Some(8 | 16)] => {
            let width = ElementWidth::of_bits(value.bits())?;
            Some(CopyAtomOf::ldmatrix(count, transposed, width))
        }
        [Some(16), Some(8 | 16)] if transposed && value.bits() == 8 => Some(matrices_of_bytes(
            extents.last() == Some(&Some(16)),
            matrices.get().into(),
        )),
        _ => None,
    }
}

/// Transposed matrices of bytes, 16 rows high: 16 or 8 wide.
fn matrices_of_bytes(wide: bool, matrices: u64) -> Result<CopyAtomOf<Fact>, CuteError> {
    let rows = match (wide, matrices) {
        (true, 1) => modes(&[(16, 16), (2, 0)])?,
        (true, _) => single(32, 16)?,
        (false, _) => modes(&[(2, 16), (2, 128), (4, 32), (2, 256)])?,
    };
    let source = LayoutOf::from_modes([rows, single(16, 1)?]);
    let (lanes, mut values) = match wide {
        true => (64, vec![(1, 1), (4, 16), (2, 8)]),
        false => (32, vec![(1, 1), (2, 16), (2, 8)]),
    };
    if matrices > 1 {
        values.push((matrices, if wide { 256 } else { 128 }));
    }
    let destination = LayoutOf::from_modes([modes(&[(4, lanes), (8, 1)])?, modes(&values)?]);
    CopyAtomOf::new(source, destination.clone(), destination)
}

impl LoadMatrix {
    pub(super) fn layouts(&self) -> Option<Result<CopyAtomOf<Fact>, CuteError>> {
        layouts(&self.value, &self.mode, self.matrices, self.order)
    }
}

impl StoreMatrix {
    /// Those of the load with source and destination exchanged; narrow matrices of bytes are addressed row by row.
    pub(super) fn layouts(&self) -> Option<Result<CopyAtomOf<Fact>, CuteError>> {
        let load = layouts(&self.value, &self.mode, self.matrices, self.order)?;
        Some(load.and_then(|load| {
            let parts = load.end(CopyEnd::Destination).clone();
            let rows = load.end(CopyEnd::Source).clone();
            let narrow = matches!(self.mode.leaves().next(), Some(Fact::Static(16)));
            let rows = match narrow {
                true => LayoutOf::from_modes([single(32, 16)?, single(16, 1)?]),
                false => rows,
            };
            CopyAtomOf::new(parts.clone(), rows, parts)
        }))
    }
}
