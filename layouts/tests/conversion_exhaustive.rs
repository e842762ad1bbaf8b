//! The cost of the round trip against the minimum over all linear shared-memory layouts, for *every* pair of
//! bijective layouts of eight elements, on small machines.
//!
//! The composition of a shared-memory layout with a bijection is a bijection. The cost of one side is therefore
//! computed only for the 168 bijections of three bits and each assignment of three bits to registers, lanes and
//! warps, and the pair of sides with the smallest sum is looked up in a table.

use std::array::from_fn;

use tilewright_layouts::bank::{Access, BankModel};
use tilewright_layouts::{Dim, LinearLayout, SharedRoundTrip};

/// The images of the powers of two.
type Matrix = [u32; 3];

fn apply(matrix: &Matrix, index: u32) -> u32 {
    (0..3)
        .filter(|bit| index >> bit & 1 == 1)
        .fold(0, |sum, bit| sum ^ matrix[bit])
}

/// The composition `outer ∘ inner`.
fn after(outer: &Matrix, inner: &Matrix) -> Matrix {
    inner.map(|image| apply(outer, image))
}

fn bijections() -> Vec<Matrix> {
    let all = (0..512).map(|code| from_fn(|column| code >> (3 * column) & 7));
    all.filter(|matrix| (1..8).all(|index| apply(matrix, index) != 0))
        .collect()
}

/// The numbers of register, lane and warp bits among three bits.
type Deal = [usize; 3];

fn deals(lane_bits: u32) -> impl Iterator<Item = Deal> {
    let all = (0..=3).flat_map(|registers| (0..=3 - registers).map(move |lanes| (registers, lanes)));
    all.map(|(registers, lanes)| [registers, lanes, 3 - registers - lanes])
        .filter(move |deal| deal[1] <= lane_bits as usize)
}

fn layout(matrix: &Matrix, [registers, lanes, _]: Deal) -> LinearLayout {
    let columns: Vec<Vec<u32>> = matrix.iter().map(|image| vec![*image]).collect();
    let (own, others) = columns.split_at(registers);
    let (lanes, warps) = others.split_at(lanes);
    let bases = [(Dim::Register, own), (Dim::Lane, lanes), (Dim::Warp, warps)];
    LinearLayout::from_bases(
        &bases.map(|(dim, part)| (dim, part.to_vec())),
        &[(Dim::Axis(0), 8)],
    )
    .unwrap()
}

#[derive(Clone, Copy, Debug)]
struct Machine {
    lane_bits: u32,
    word_bits: u32,
    access_bits: u32,
    element_bits: u32,
}

impl Machine {
    fn model(self) -> BankModel {
        BankModel::new(self.lane_bits, self.word_bits, self.access_bits).unwrap()
    }

    /// The smallest (cycles, accesses) of a warp whose register, lane and warp bits are at these
    /// offsets, with vectors that are whole and aligned in every thread.
    fn side(self, access: Access, offsets: &Matrix, [registers, lanes, _]: Deal) -> (u64, u64) {
        let held: Vec<u32> = (0..1 << registers)
            .map(|register| apply(offsets, register))
            .collect();
        let threads = || (0..8 >> registers).map(|thread| apply(offsets, thread << registers));
        let costs = (0..=self.access_bits - self.element_bits).filter_map(|vector_bits| {
            let vector = 1 << vector_bits;
            let whole = held
                .iter()
                .all(|o| (0..vector).all(|low| held.contains(&(o & !(vector - 1) | low))));
            if !whole || threads().any(|offset| offset % vector != 0) {
                return None;
            }
            let addresses: Vec<u32> = (0..1u32 << self.lane_bits)
                .map(|lane| apply(offsets, (lane & ((1 << lanes) - 1)) << registers) << self.element_bits)
                .collect();
            let bytes = vector << self.element_bits;
            let once = self.model().access_cost(access, &addresses, bytes).unwrap();
            let accesses = (1 << registers) / u64::from(vector);
            Some((once.cycles * accesses, accesses))
        });
        costs.min().unwrap()
    }
}

/// Checks every pair of layouts up to a common bijection of the elements, which preserves costs;
/// returns their number.
fn check(machine: Machine) -> usize {
    let all = bijections();
    let index = |matrix: &Matrix| all.iter().position(|known| known == matrix).unwrap();
    let product: Vec<Vec<usize>> = all
        .iter()
        .map(|outer| all.iter().map(|inner| index(&after(outer, inner))).collect())
        .collect();
    let table = |access, deal| {
        all.iter()
            .map(|m| machine.side(access, m, deal))
            .collect::<Vec<_>>()
    };
    let mut pairs = 0;
    for stored in deals(machine.lane_bits) {
        let stores = table(Access::Store, stored);
        let source = layout(&[1, 2, 4], stored);
        for loaded in deals(machine.lane_bits) {
            let loads = table(Access::Load, loaded);
            for (wanted, matrix) in all.iter().enumerate() {
                let both = (0..all.len()).map(|placement| {
                    let (store, load) = (stores[placement], loads[product[placement][wanted]]);
                    (store.0 + load.0, store.1 + load.1)
                });
                let least = both.min().unwrap();
                let wanted = layout(matrix, loaded);
                let bytes = 1 << machine.element_bits;
                let trip = SharedRoundTrip::plan_on(machine.model(), &source, &wanted, bytes).unwrap();
                let found = (trip.cycles(), trip.accesses());
                assert_eq!(found, least, "{machine:?}: {source} to {wanted}");
                pairs += 1;
            }
        }
    }
    pairs
}

#[test]
fn every_pair_of_layouts_of_8_elements_has_the_cheapest_placement() {
    let machine = |lane_bits, word_bits, access_bits, element_bits| Machine {
        lane_bits,
        word_bits,
        access_bits,
        element_bits,
    };
    // Two lanes and banks of single elements; words of two elements; vectors of two and of four
    // words; elements of two words.
    let machines = [
        machine(1, 0, 0, 0),
        machine(1, 1, 1, 0),
        machine(2, 0, 1, 0),
        machine(2, 1, 2, 0),
        machine(2, 0, 1, 1),
        machine(3, 0, 2, 0),
    ];
    assert_eq!(bijections().len(), 168);
    let pairs: usize = machines.into_iter().map(check).sum();
    assert_eq!(pairs, 168 * (2 * 49 + 3 * 81 + 100));
}
