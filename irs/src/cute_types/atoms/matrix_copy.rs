//! `ldmatrix` and `stmatrix`: matrices between shared memory and the registers of a warp.

use std::num::NonZeroU32;

use tilewright_layouts::cute::{Fact, Nested};

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
