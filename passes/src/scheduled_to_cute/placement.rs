//! Queries about a tile's layout for per-thread code.

use rustc_hash::FxHashMap;
use tilewright_layouts::{Dim, LinearLayout};

/// Bits of a lane index.
pub(super) const LANE_BITS: u32 = 5;

/// The contribution (exclusive or) of each bit of the thread index to the coordinate along an axis.
pub(super) fn thread_bases(layout: &LinearLayout, axis: usize) -> Vec<i64> {
    let component = |basis: &[u32]| i64::from(basis.get(axis).copied().unwrap_or(0));
    let mut bases: Vec<i64> = layout.bases(Dim::Lane).map(|basis| component(&basis)).collect();
    bases.resize(LANE_BITS as usize, 0);
    bases.extend(layout.bases(Dim::Warp).map(|basis| component(&basis)));
    bases
}

/// The contribution (exclusive or) of a register to the coordinate along an axis.
pub(super) fn register_coordinate(layout: &LinearLayout, register: u32, axis: usize) -> u32 {
    layout.at(register, 0, 0, 0).get(axis).copied().unwrap_or(0)
}

/// All bits that are set in any of the bases.
pub(super) fn span_mask(bases: &[i64]) -> i64 {
    bases.iter().fold(0, |mask, basis| mask | basis)
}

/// Whether no bit is set in two of the bases, so that their exclusive or is their sum.
pub(super) fn disjoint(bases: &[i64]) -> bool {
    let mut seen = 0;
    bases.iter().all(|&basis| {
        let fresh = seen & basis == 0;
        seen |= basis;
        fresh
    })
}

/// The bits of the thread index that only select replicas of a tile of `warps` warps: each element is held by exactly
/// one thread in which all of them are 0.
pub(super) fn copy_threads(layout: Option<&LinearLayout>, warps: u32) -> u32 {
    let all = warps.saturating_mul(1 << LANE_BITS).saturating_sub(1);
    let Some(layout) = layout else { return all };
    let part = |dim: Dim| layout.free_mask(dim) | !(layout.in_size(dim) - 1);
    let lanes = part(Dim::Lane) & ((1 << LANE_BITS) - 1);
    (part(Dim::Warp) << LANE_BITS | lanes) & all
}

/// The registers of a thread without replicas, in the order of `layout`.
pub(super) fn distinct_registers(layout: &LinearLayout) -> Vec<u32> {
    let copies = layout.free_mask(Dim::Register);
    (0..layout.in_size(Dim::Register))
        .filter(|r| r & copies == 0)
        .collect()
}

/// For each register, the index of its element in `kept`, a list of registers with every element of a thread.
pub(super) fn positions(layout: &LinearLayout, kept: &[u32]) -> Option<Vec<u32>> {
    let held: FxHashMap<u64, u32> = kept
        .iter()
        .zip(0..)
        .map(|(&r, i)| (layout.word_at(r, 0, 0, 0), i))
        .collect();
    (0..layout.in_size(Dim::Register))
        .map(|r| held.get(&layout.word_at(r, 0, 0, 0)).copied())
        .collect()
}
