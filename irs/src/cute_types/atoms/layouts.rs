//! Layouts that instructions have in common.

use std::num::NonZeroU32;

use tilewright_layouts::cute::{CopyAtomOf, CuteError, Fact, LayoutOf, MmaAtomOf, TypeLayout};

use super::mma_parts::{Elements, MmaShape};
use crate::cute_types::element::Element;

/// Neighbouring elements of one thread, of so many bits in all.
pub(super) fn one_thread(bits: NonZeroU32, value: &Element) -> Result<CopyAtomOf<Fact>, CuteError> {
    CopyAtomOf::vector(u64::from((bits.get() / value.bits().max(1)).max(1)))
}

/// A leaf.
pub(super) fn mode(extent: u64, stride: u64) -> Result<TypeLayout, CuteError> {
    TypeLayout::strided(Fact::from(extent), Fact::from(stride))
}

/// A tuple of leaves.
pub(super) fn modes(leaves: &[(u64, u64)]) -> Result<TypeLayout, CuteError> {
    let leaves = leaves.iter().map(|(extent, stride)| mode(*extent, *stride));
    Ok(LayoutOf::from_modes(leaves.collect::<Result<Vec<_>, _>>()?))
}

/// The leaves of more than one element, as few modes as possible.
fn brief(leaves: &[(u64, u64)]) -> Result<TypeLayout, CuteError> {
    let kept: Vec<(u64, u64)> = leaves.iter().copied().filter(|(extent, _)| *extent > 1).collect();
    match kept.as_slice() {
        [] => Ok(LayoutOf::unit()),
        [(extent, stride)] => mode(*extent, *stride),
        several => modes(several),
    }
}

/// The elements of a register of 32 bits, at least one.
fn in_register(bits: u32) -> u64 {
    u64::from((32 / bits.max(1)).max(1))
}

/// A in the registers of warps that take 16 rows each, `threads` being the last mode of their threads: lane `4 r + c` has
/// row `r` and every eighth one after it, and the register at column `c` and every fourth one after it.
fn rows_in_registers(
    rows: u64,
    groups: u64,
    shape: MmaShape,
    bits: u32,
    warps: Option<(u64, u64)>,
) -> Result<TypeLayout, CuteError> {
    let [_, _, k] = shape.extents();
    let register = in_register(bits);
    let mut threads = vec![(4, register * rows), (8, 1)];
    threads.extend(warps);
    let values = [
        (register, rows),
        (groups, 8),
        (k / (4 * register), 4 * register * rows),
    ];
    Ok(LayoutOf::from_modes([modes(&threads)?, brief(&values)?]))
}

/// `mma.sync`: A, B and C in the registers of one warp.
pub(super) fn warp(shape: MmaShape, elements: &Elements) -> Result<MmaAtomOf<Fact>, CuteError> {
    let [m, n, _] = shape.extents();
    let a = rows_in_registers(m, m / 8, shape, elements.a.bits(), None)?;
    let b = rows_in_registers(n, n / 8, shape, elements.b.bits(), None)?;
    let values = brief(&[(2, m), (m / 8, 8), (n / 8, 8 * m)])?;
    let c = LayoutOf::from_modes([modes(&[(4, 2 * m), (8, 1)])?, values]);
    MmaAtomOf::new(shape.extents(), mode(32, 1)?, [a, b, c])
}

/// `wgmma`: C in the registers of four warps, B in shared memory, A in either.
pub(super) fn warpgroup(
    shape: MmaShape,
    elements: &Elements,
    a_in_registers: bool,
) -> Result<MmaAtomOf<Fact>, CuteError> {
    let [m, n, k] = shape.extents();
    let shared = |extent: u64| {
        Ok::<_, CuteError>(LayoutOf::from_modes([
            mode(128, 0)?,
            modes(&[(extent, 1), (k, extent)])?,
        ]))
    };
    let a = match a_in_registers {
        true => rows_in_registers(m, 2, shape, elements.a.bits(), Some((4, 16)))?,
        false => shared(m)?,
    };
    let threads = modes(&[(4, 2 * m), (8, 1), (4, 16)])?;
    let c = LayoutOf::from_modes([threads, brief(&[(2, m), (2, 8), (n / 8, 8 * m)])?]);
    MmaAtomOf::new(shape.extents(), mode(128, 1)?, [a, shared(n)?, c])
}

/// `tcgen05.mma`: A and C split among the blocks by rows, B by columns.
pub(super) fn blocks(shape: MmaShape, count: NonZeroU32) -> Result<MmaAtomOf<Fact>, CuteError> {
    let [m, n, k] = shape.extents();
    let count = u64::from(count.get());
    let part = |rows: u64, columns: u64| {
        let own = rows / count;
        let values = modes(&[(own, 1), (columns, rows)])?;
        Ok::<_, CuteError>(LayoutOf::from_modes([mode(count, own)?, values]))
    };
    let threads = match count {
        1 => LayoutOf::unit(),
        count => mode(count, 1)?,
    };
    MmaAtomOf::new(shape.extents(), threads, [part(m, k)?, part(n, k)?, part(m, n)?])
}
