//! The cost of a tile that is stored once and loaded in slices, against the minimum over all layouts of whole vectors, by
//! enumeration of the subspaces above a row of the banks.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use tilewright_layouts::bank::{Access, matrix_cost};
use tilewright_layouts::conversion::{LoadKind, SharedSlices};
use tilewright_layouts::distributed::{MatrixMove, MatrixPlan, MmaOperand, MmaSync};
use tilewright_layouts::{Blocked, Coordinates, Dim, ElementWidth, LinearLayout};

use crate::side_cost::{Columns, Sizes, side_cost};

/// A tile of two axes, as powers of two.
#[derive(Clone, Copy, Debug)]
struct Tile {
    rows: u32,
    columns: u32,
    element_bits: u32,
    along: usize,
}

impl Tile {
    fn total(self) -> u32 {
        self.rows + self.columns
    }

    /// The row-major index of the element at each power of two of the offset, without a swizzle.
    fn plain(self) -> Vec<u32> {
        let of_axis = |axis| match axis {
            0 => self.columns..self.total(),
            _ => 0..self.columns,
        };
        let bits = of_axis(self.along).chain(of_axis(1 - self.along));
        bits.map(|bit| 1 << bit).collect()
    }

    /// Bits of a vector of 16 bytes, and of a row of the banks of 128.
    fn sizes(self) -> (usize, usize) {
        let total = self.total() as usize;
        let least = |bits: u32| (bits.saturating_sub(self.element_bits) as usize).min(total);
        (least(4), least(7))
    }

    /// The layout of a box of the tile, from positions to row-major indices in the tile.
    fn layout(self, columns: &Columns, rows_of_box: u32, columns_of_box: u32) -> LinearLayout {
        let coordinates = |list: &[u32]| {
            let split = |index: &u32| vec![index >> self.columns, index & ((1 << self.columns) - 1)];
            list.iter().map(split).collect::<Vec<_>>()
        };
        LinearLayout::from_bases(
            &[
                (Dim::Register, coordinates(&columns.registers)),
                (Dim::Lane, coordinates(&columns.lanes)),
                (Dim::Warp, coordinates(&columns.warps)),
            ],
            &[
                (Dim::Axis(0), 1 << rows_of_box),
                (Dim::Axis(1), 1 << columns_of_box),
            ],
        )
        .unwrap()
    }
}

/// A basis of each subspace of `dimension` dimensions of the space of `bits` bits: the reduced echelon forms.
fn subspaces(bits: usize, dimension: usize) -> Vec<Vec<u32>> {
    fn grow(bits: usize, dimension: usize, from: usize) -> Vec<Vec<u32>> {
        if dimension == 0 {
            return vec![Vec::new()];
        }
        let mut all = Vec::new();
        // The lowest bit of a vector is in no later one; the others may have every other bit.
        for lead in from..bits {
            for rest in grow(bits, dimension - 1, lead + 1) {
                let leads: Vec<usize> = rest
                    .iter()
                    .map(|vector| vector.trailing_zeros() as usize)
                    .collect();
                let free: Vec<usize> = (lead + 1..bits).filter(|bit| !leads.contains(bit)).collect();
                for choice in 0..1u32 << free.len() {
                    let set = free.iter().enumerate().filter(|(at, _)| choice >> at & 1 == 1);
                    let vector = set.fold(1u32 << lead, |vector, (_, bit)| vector | 1 << bit);
                    all.push([vec![vector], rest.clone()].concat());
                }
            }
        }
        all
    }
    grow(bits, dimension, 0)
}

#[test]
fn there_are_as_many_subspaces_as_gaussian_binomials_say() {
    assert_eq!(
        [(4, 1), (5, 2), (6, 3), (3, 0), (3, 3)].map(|(bits, count)| subspaces(bits, count).len()),
        [15, 155, 1395, 1, 1]
    );
}

/// The offset of each bit of the row-major index, for every choice of the subspace above a row of the banks.
fn placements(tile: Tile) -> Vec<Vec<u32>> {
    let (vector, row) = tile.sizes();
    let plain = tile.plain();
    let (inside, vectors) = plain.split_at(vector);
    let combine = |set: u32| -> u32 {
        let bits = vectors.iter().enumerate();
        bits.filter(|(bit, _)| set >> bit & 1 == 1)
            .fold(0, |sum, (_, element)| sum ^ element)
    };
    let all = subspaces(vectors.len(), plain.len() - row).into_iter();
    all.map(|subspace| {
        let leads: Vec<u32> = subspace.iter().map(|basis| basis.trailing_zeros()).collect();
        let others = (0..vectors.len() as u32).filter(|bit| !leads.contains(bit));
        let mut basis = inside.to_vec();
        basis.extend(others.map(|bit| combine(1 << bit)));
        basis.extend(subspace.iter().map(|&set| combine(set)));
        inverse(&basis)
    })
    .collect()
}

/// For each bit of an element, the set of basis vectors whose sum it is.
fn inverse(basis: &[u32]) -> Vec<u32> {
    let of = |element: u32| {
        let sum = |set: &u32| {
            let bits = basis.iter().enumerate();
            bits.filter(|(bit, _)| set >> bit & 1 == 1)
                .fold(0, |sum, (_, vector)| sum ^ vector)
        };
        (0..1u32 << basis.len()).find(|set| sum(set) == element).unwrap()
    };
    (0..basis.len()).map(|bit| of(1 << bit)).collect()
}

/// Elements of this size on the hardware.
fn machine(element_bits: u32) -> Sizes {
    Sizes {
        lane_bits: 5,
        word_bits: 2,
        access_bits: 4,
        element_bits,
    }
}

/// Registers, lanes and warps that hold all elements of these bits.
fn columns(bits: Vec<u32>) -> impl Strategy<Value = Columns> {
    let steps = prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 0..6);
    let mixed = (Just(bits.clone()), steps).prop_map(|(mut bits, steps)| {
        for (a, b) in steps {
            let (a, b) = (a.index(bits.len()), b.index(bits.len()));
            if a != b {
                bits[a] ^= bits[b];
            }
        }
        bits
    });
    let plain = Just(bits);
    let shuffled = prop_oneof![mixed.prop_shuffle(), plain.clone().prop_shuffle(), plain];
    (shuffled, 0usize..6, 0usize..3).prop_map(|(bits, registers, warps)| {
        let (registers, rest) = bits.split_at(registers.min(bits.len()));
        let warps = warps.max(rest.len().saturating_sub(5)).min(rest.len());
        let (lanes, warps) = rest.split_at(rest.len() - warps);
        Columns {
            registers: registers.to_vec(),
            lanes: lanes.to_vec(),
            warps: warps.to_vec(),
        }
    })
}

/// A tile with up to three bits of the offset above a row of the banks, a box of it, and layouts of both.
fn cases() -> impl Strategy<Value = (Tile, u32, u32, Columns, Columns)> {
    (0u32..5, 0u32..4, 0usize..2, any::<prop::sample::Index>())
        .prop_flat_map(|(element_bits, above, along, split)| {
            let total = 7 - element_bits + above;
            let columns = split.index(total as usize - 1) as u32 + 1;
            let tile = Tile {
                rows: total - columns,
                columns,
                element_bits,
                along,
            };
            (Just(tile), 0..=tile.rows, 1..=columns)
        })
        .prop_flat_map(|(tile, rows, across)| {
            let in_box = (0..across)
                .chain(tile.columns..tile.columns + rows)
                .map(|bit| 1 << bit);
            let whole = tile.plain();
            (
                Just(tile),
                Just(rows),
                Just(across),
                columns(whole),
                columns(in_box.collect()),
            )
        })
}

#[test]
fn no_layout_of_whole_vectors_is_cheaper() {
    let mut runner = TestRunner::new(Config::with_cases(48));
    let result = runner.run(&cases(), |(tile, rows, across, source, slice)| {
        let (of_source, of_slice) = (
            tile.layout(&source, tile.rows, tile.columns),
            tile.layout(&slice, rows, across),
        );
        let bytes = 1 << tile.element_bits;
        let plan = SharedSlices::plan(&of_source, &of_slice, bytes, &[], Some(tile.along)).unwrap();
        let sizes = machine(tile.element_bits);
        let costs = |columns, access| {
            let all = placements(tile).into_iter();
            all.map(move |placement| side_cost(columns, &placement, access, &sizes))
                .min()
                .unwrap()
        };
        prop_assert_eq!(
            (plan.store_cost.cycles, plan.stores),
            costs(&source, Access::Store)
        );
        prop_assert_eq!(
            (plan.load.cost.cycles, plan.load.instructions),
            costs(&slice, Access::Load)
        );
        prop_assert_eq!(plan.slices, 1 << (tile.total() - rows - across));
        prop_assert!(plan.memory.is_invertible());
        Ok(())
    });
    result.unwrap();
}

/// The cost of a slice by matrices in a buffer: cycles and instructions.
fn matrix_costs(slice: &LinearLayout, memory: &LinearLayout) -> Option<(u64, u64)> {
    let mut axes = memory.out_dims();
    let whole = axes
        .try_fold(slice.clone(), |slice, (axis, extent)| {
            slice.resize_out(axis, extent)
        })
        .unwrap();
    let offsets = whole.invert_and_compose(memory).unwrap();
    let plan = MatrixPlan::best(MatrixMove::LOADS, &offsets, ElementWidth::B16)?;
    let lanes = match plan.instruction {
        MatrixMove::LoadM8N8(count) | MatrixMove::LoadM8N8Trans(count) => 8 * count.get(),
        _ => return None,
    };
    let rows: Vec<u32> = (0..lanes)
        .map(|lane| 2 * plan.addresses.at(0, lane, 0, 0)[0])
        .collect();
    let instructions = u64::from(plan.instructions());
    Some((matrix_cost(&rows).unwrap().cycles * instructions, instructions))
}

#[test]
fn no_layout_of_whole_vectors_is_cheaper_for_matrices() {
    for (operand, rows, across) in [
        (MmaOperand::A, 4, 5),
        (MmaOperand::A, 5, 4),
        (MmaOperand::B, 5, 4),
    ] {
        for along in [0, 1] {
            let tile = Tile {
                rows,
                columns: across,
                element_bits: 1,
                along,
            };
            let slice = MmaSync::M16N8K16B16.fragment(operand).unwrap();
            let shape = [1 << rows, 1 << across];
            let memories: Vec<LinearLayout> = placements(tile)
                .iter()
                .map(|placement| {
                    let axes = [tile.columns..tile.total(), 0..tile.columns];
                    let inputs =
                        axes.map(|bits| bits.map(|bit| vec![placement[bit as usize]]).collect::<Vec<_>>());
                    let [first, second] = inputs;
                    let place = LinearLayout::from_bases(
                        &[(Dim::Axis(0), first), (Dim::Axis(1), second)],
                        &[(Dim::Offset, 1 << tile.total())],
                    );
                    place.unwrap().invert().unwrap()
                })
                .collect();
            let least = memories
                .iter()
                .map(|memory| matrix_costs(&slice, memory).unwrap())
                .min()
                .unwrap();
            for order in [[0, 1], [1, 0]] {
                for vector in [1, 2, 4, 8] {
                    let source = Blocked::coalesced(&shape, vector, &order, 1).unwrap();
                    let source = source.to_linear(&shape).unwrap();
                    let plan =
                        SharedSlices::plan(&source, &slice, 2, &MatrixMove::LOADS, Some(along)).unwrap();
                    assert!(matches!(plan.load.by, LoadKind::Matrices(_)));
                    assert_eq!(
                        (plan.load.cost.cycles, plan.load.instructions),
                        least,
                        "{operand:?} {along}"
                    );
                    assert_eq!(least, matrix_costs(&slice, &plan.memory).unwrap());
                    let stores = memories
                        .iter()
                        .map(|memory| store_cost(&source, memory))
                        .min()
                        .unwrap();
                    assert_eq!(
                        (plan.store_cost.cycles, plan.stores),
                        stores,
                        "{operand:?} {along} {order:?} {vector}"
                    );
                }
            }
        }
    }
}

/// Cycles and instructions of the stores of a tile of 16-bit elements.
fn store_cost(source: &LinearLayout, memory: &LinearLayout) -> (u64, u64) {
    let words = |dim| {
        let bases = source.bases(dim);
        let index = |basis: Coordinates| basis[0] * memory.shape()[1] + basis[1];
        bases.map(index).collect::<Vec<_>>()
    };
    let columns = Columns {
        registers: words(Dim::Register),
        lanes: words(Dim::Lane),
        warps: words(Dim::Warp),
    };
    let basis: Vec<u32> = memory
        .bases(Dim::Offset)
        .map(|basis| basis[0] * memory.shape()[1] + basis[1])
        .collect();
    side_cost(&columns, &inverse(&basis), Access::Store, &machine(1))
}

#[test]
fn the_axis_of_vectors_is_that_of_the_source_or_else_the_cheaper_one() {
    let shape = [64, 32];
    let slice = MmaSync::M16N8K16B16.fragment(MmaOperand::A).unwrap();
    let plan = |vector, order: [usize; 2], along| {
        let source = Blocked::coalesced(&shape, vector, &order, 1).unwrap();
        let source = source.to_linear(&shape).unwrap();
        SharedSlices::plan(&source, &slice, 2, &MatrixMove::LOADS, along).unwrap()
    };
    for axis in [0, 1] {
        let order = [axis, 1 - axis];
        assert_eq!(plan(8, order, None), plan(8, order, Some(axis)));
        let total = |plan: &SharedSlices| {
            plan.store_cost.cycles
                + plan.stores
                + plan.slices * (plan.load.cost.cycles + plan.load.instructions)
        };
        let each = [0, 1].map(|along| total(&plan(2, order, Some(along))));
        assert_eq!(Some(&total(&plan(2, order, None))), each.iter().min());
    }
}

#[test]
fn of_equally_cheap_layouts_the_simplest_is_chosen() {
    // Lanes, then registers, are along the rows, and warps along the columns.
    let plan = |rows: u32, columns: u32| {
        let along = |axis, bits: std::ops::Range<u32>| -> Vec<Vec<u32>> {
            bits.map(|bit| {
                if axis == 0 {
                    vec![1 << bit, 0]
                } else {
                    vec![0, 1 << bit]
                }
            })
            .collect()
        };
        let lanes = rows.min(5);
        let bases = [
            (Dim::Register, along(0, lanes..rows)),
            (Dim::Lane, along(0, 0..lanes)),
            (Dim::Warp, along(1, 0..columns)),
        ];
        let layout =
            LinearLayout::from_bases(&bases, &[(Dim::Axis(0), 1 << rows), (Dim::Axis(1), 1 << columns)]);
        let layout = layout.unwrap();
        SharedSlices::plan(&layout, &layout, 2, &[], Some(1)).unwrap()
    };
    let offsets = |plan: &SharedSlices| -> Vec<Vec<u32>> {
        let bases = plan.memory.bases(Dim::Offset);
        bases.map(|basis| basis.to_vec()).collect()
    };
    // A row of all banks has no conflicts.
    let small = plan(3, 3);
    assert_eq!(small.conflicts(), 0);
    assert_eq!(offsets(&small), [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]);
    // Lanes access 32 rows of 8 vectors, so that at least 4 of them access one bank.
    let large = plan(6, 6);
    assert_eq!(large.store_cost.cycles, 4 * large.store_cost.minimum);
    let swizzled = [[1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]];
    assert_eq!(offsets(&large)[6..], swizzled);
}
