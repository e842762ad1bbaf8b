//! The cost of accesses to a placement in shared memory, by enumeration.

use tilewright_layouts::bank::{Access, BankModel};

fn sum(columns: &[u32], index: u32) -> u32 {
    let picked = columns
        .iter()
        .enumerate()
        .filter(|(bit, _)| index >> bit & 1 == 1);
    picked.fold(0, |sum, (_, column)| sum ^ column)
}

/// Columns of a layout of one axis: registers, lanes of one access, other threads.
#[derive(Clone, Debug)]
pub(crate) struct Columns {
    pub(crate) registers: Vec<u32>,
    pub(crate) lanes: Vec<u32>,
    pub(crate) warps: Vec<u32>,
}

/// The smallest (cycles, accesses) of one warp through a shared-memory layout, over all vector
/// lengths.
pub(crate) fn side_cost(columns: &Columns, placement: &[u32], access: Access, machine: &Sizes) -> (u64, u64) {
    let at = |columns: &[u32], index| sum(placement, sum(columns, index));
    let distinct = |mut offsets: Vec<u32>| {
        offsets.sort_unstable();
        offsets.dedup();
        offsets.len() as u64
    };
    let threads = [&columns.lanes[..], &columns.warps[..]].concat();
    let held: Vec<u32> = (0..1 << columns.registers.len())
        .map(|r| at(&columns.registers, r))
        .collect();
    let starts: Vec<u32> = (0..1 << threads.len()).map(|t| at(&threads, t)).collect();
    let everything = distinct(
        held.iter()
            .flat_map(|r| starts.iter().map(move |t| r ^ t))
            .collect(),
    );
    let transfers = match access {
        Access::Load => distinct(held.clone()),
        // Each store of all threads writes one element per distinct thread, which gives the lower
        // bound.
        Access::Store => everything / distinct(starts.clone()),
    };
    let mut best = (u64::MAX, u64::MAX);
    for vector_bits in 0..=machine.access_bits - machine.element_bits {
        let vector = 1u32 << vector_bits;
        // The low offset bits may depend on registers only, and every vector has to be whole.
        let aligned = starts.iter().all(|start| start % vector == 0);
        let whole = held
            .iter()
            .all(|offset| (0..vector).all(|low| held.contains(&(offset / vector * vector + low))));
        if !aligned || !whole {
            continue;
        }
        let bytes = 1 << machine.element_bits;
        let addresses: Vec<u32> = (0..1 << machine.lane_bits)
            .map(|lane| at(&columns.lanes, lane) * bytes)
            .collect();
        let once = machine
            .model()
            .access_cost(access, &addresses, vector * bytes)
            .unwrap();
        let accesses = transfers / u64::from(vector);
        best = best.min((once.cycles * accesses, accesses));
    }
    best
}

/// A machine and the size of an element, as powers of two.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    pub(crate) lane_bits: u32,
    pub(crate) word_bits: u32,
    pub(crate) access_bits: u32,
    pub(crate) element_bits: u32,
}

impl Sizes {
    pub(crate) fn model(&self) -> BankModel {
        BankModel::new(self.lane_bits, self.word_bits, self.access_bits).unwrap()
    }
}
