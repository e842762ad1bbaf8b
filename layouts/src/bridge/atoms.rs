//! Instructions as CuTe atoms, from the fragments of the distributed layouts.

use super::error::BridgeError;
use super::naming::{LANES, Naming};
use crate::cute::{IntTuple, Layout, MmaAtom};
use crate::dim::Dim;
use crate::distributed::{MmaOperand, MmaSync, WgmmaElement, WgmmaN};
use crate::linear::LinearLayout;

/// `mma.sync` as an atom of CuTe, whose B is N by K.
///
/// # Errors
/// None in practice: the fragments are linear layouts with disjoint columns.
///
/// ```
/// use tilewright_layouts::{bridge, cute::MmaMatrix, distributed::MmaSync};
/// let atom = bridge::mma_atom(MmaSync::M16N8K16B16)?;
/// assert_eq!(atom.matrix(MmaMatrix::A).to_string(), "((4,8),(2,2,2)):((32,1),(16,8,128))");
/// assert_eq!(atom.matrix(MmaMatrix::B).to_string(), "((4,8),(2,2)):((16,1),(8,64))");
/// assert_eq!(atom.matrix(MmaMatrix::C).to_string(), "((4,8),(2,2)):((32,1),(16,8))");
/// # Ok::<(), tilewright_layouts::bridge::BridgeError>(())
/// ```
pub fn mma_atom(instruction: MmaSync) -> Result<MmaAtom, BridgeError> {
    let layout = |operand, axes: [u8; 2]| fragment(&instruction.fragment(operand)?, axes);
    let a = layout(MmaOperand::A, [0, 1])?;
    // The fragment's axes are K and N.
    let b = layout(MmaOperand::B, [1, 0])?;
    let c = layout(MmaOperand::Accumulator, [0, 1])?;
    let shape = instruction.shape();
    let shape = [shape.m, shape.n, shape.k].map(u64::from);
    Ok(MmaAtom::new(
        shape,
        Layout::strided(u64::from(LANES), 1)?,
        [a, b, c],
    )?)
}

/// A fragment from (lane, register) to the colexicographic index along these axes.
fn fragment(linear: &LinearLayout, axes: [u8; 2]) -> Result<Layout, BridgeError> {
    let modes = [Dim::Lane, Dim::Register].map(|dim| vec![(dim, linear.in_size(dim))]);
    let index = axes.map(|axis| (Dim::Axis(axis), linear.out_size(Dim::Axis(axis)).unwrap_or(1)));
    let layout = super::from_linear(linear, &Naming::new(&modes, &index)?)?;
    Ok(layout.layout().clone())
}

/// `wgmma` with A and B in shared memory as a CuTe atom: all 128 threads participate in all of A and
/// B.
///
/// Thread `t` of warp `w` holds in value `(i, j, q)` of C row `16 w + t / 4 + 8 j` and column `8 q +
/// 2 (t % 4) + i`. (PTX ISA, "Register Fragments" of `wgmma`, accumulator D; any N, which need not be
/// a power of two.)
///
/// # Errors
/// None in practice.
///
/// ```
/// use tilewright_layouts::{bridge, cute::MmaMatrix, distributed::{WgmmaElement, WgmmaN}};
/// let atom = bridge::wgmma_atom(WgmmaN::new(24)?, WgmmaElement::B16)?;
/// assert_eq!(atom.shape(), [64, 24, 16]);
/// assert_eq!(atom.matrix(MmaMatrix::C).to_string(), "((4,8,4),(2,2,3)):((128,1,16),(64,8,512))");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn wgmma_atom(n: WgmmaN, element: WgmmaElement) -> Result<MmaAtom, BridgeError> {
    let (n, k) = (u64::from(n.get()), u64::from(element.k()));
    let threads = 4 * u64::from(LANES);
    let shared = |rows: u64| {
        let all = Layout::column_major(&[rows, k].into())?;
        Ok::<_, BridgeError>(Layout::from_modes([Layout::strided(threads, 0)?, all]))
    };
    let nested = |threads: [u64; 3], values: [u64; 3]| IntTuple::from([threads, values].map(IntTuple::from));
    let c = Layout::new(
        nested([4, 8, 4], [2, 2, n / 8]),
        nested([128, 1, 16], [64, 8, 512]),
    )?;
    let matrices = [shared(ROWS)?, shared(n)?, c];
    Ok(MmaAtom::new(
        [ROWS, n, k],
        Layout::strided(threads, 1)?,
        matrices,
    )?)
}

/// Rows of the accumulator of `wgmma`.
const ROWS: u64 = 64;
