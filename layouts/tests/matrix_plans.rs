//! Plans of `ldmatrix` and `stmatrix` against an execution of the instruction, and an exhaustive search for a
//! register numbering.

use std::collections::BTreeMap;

use proptest::prelude::*;
use tilewright_layouts::distributed::{
    ByteSource, MatrixCount, MatrixMove, MatrixPlan, MmaOperand, MmaSync, NotServed, PairCount,
};
use tilewright_layouts::{Dim, ElementWidth, LinearLayout};

use crate::matrix_forms::{forms, ptx};

/// A tile that a form can move, modified by a few random steps, after which it often cannot.
fn tiles() -> impl Strategy<Value = (MatrixMove, ElementWidth, LinearLayout)> {
    let form = prop::sample::select(forms());
    let mixing = prop::collection::vec((0usize..12, 0usize..12), 0..8);
    let renumbering = prop::collection::vec((0usize..8, 0usize..8), 0..6);
    let damage = prop::collection::vec((0usize..16, 0u32..1 << 12, any::<bool>()), 0..2);
    (form, 0usize..3, 0usize..2, mixing, renumbering, damage).prop_map(
        |((instruction, width), more, warps, mixing, renumbering, damage)| {
            let fragment = instruction.fragment(width).unwrap().unwrap();
            let column_bits = fragment.out_bits(Dim::Axis(2)).unwrap();
            // The positions of whole rows: distinct offsets above a row, combined with one another.
            let mut places: Vec<u32> = (0..12).map(|bit| 1 << (column_bits + bit)).collect();
            for (a, b) in mixing.into_iter().filter(|(a, b)| a != b) {
                places[a] ^= places[b];
            }
            let mut places = places.into_iter();
            let mut vectors = |dim| -> Vec<u32> {
                let of_fragment = fragment.bases(dim).map(|vector| vector[2]).collect::<Vec<_>>();
                of_fragment
                    .into_iter()
                    .map(|column| {
                        if column == 0 {
                            places.next().unwrap()
                        } else {
                            column
                        }
                    })
                    .collect()
            };
            let (mut registers, lanes) = (vectors(Dim::Register), vectors(Dim::Lane));
            registers.extend(places.by_ref().take(more));
            let mut all = [registers, lanes, places.take(warps).collect()];
            let count = all[0].len();
            for (a, b) in renumbering
                .into_iter()
                .filter(|(a, b)| a != b && *a < count && *b < count)
            {
                // A permutation and a sum of bits are both renumberings of the same registers.
                all[0].swap(a, b);
                all[0][a] ^= all[0][b];
            }
            for (at, value, add) in damage {
                let total: usize = all.iter().map(Vec::len).sum();
                let vector = all.iter_mut().flatten().nth(at % total).unwrap();
                *vector = if add { *vector ^ value } else { value };
            }
            let [registers, lanes, warps] = all.map(|vectors| vectors.into_iter().map(|v| vec![v]).collect());
            let bases = [(Dim::Register, registers), (Dim::Lane, lanes), (Dim::Warp, warps)];
            let offsets = LinearLayout::from_bases(&bases, &[(Dim::Offset, 1 << 24)]).unwrap();
            (instruction, width, offsets)
        },
    )
}

/// Whether some assignment of registers to instructions and elements, linear or not, makes
/// instructions of this form move every register of the tile, copies excepted, exactly once.
fn some_numbering_exists(instruction: MatrixMove, width: ElementWidth, offsets: &LinearLayout) -> bool {
    let copies = offsets
        .sublayout(&[Dim::Register], &[Dim::Offset])
        .free_mask(Dim::Register);
    let registers: Vec<u32> = (0..offsets.in_size(Dim::Register))
        .filter(|register| register & copies == 0)
        .collect();
    let fragment = instruction.fragment(width).unwrap().unwrap();
    let search = Search {
        fragment,
        offsets,
        row: 128 / width.bits(),
    };
    search.cover(&registers)
}

struct Search<'a> {
    fragment: LinearLayout,
    offsets: &'a LinearLayout,
    row: u32,
}

impl Search<'_> {
    fn cover(&self, left: &[u32]) -> bool {
        let Some(first) = left.first() else { return true };
        self.extend(*first, left, &mut Vec::new(), &BTreeMap::new())
    }

    /// Tries every register as the next element of an instruction that has to move `first`.
    fn extend(
        &self,
        first: u32,
        left: &[u32],
        taken: &mut Vec<u32>,
        addresses: &BTreeMap<(u32, u32, u32), u32>,
    ) -> bool {
        let elements = self.fragment.in_size(Dim::Register);
        if taken.len() as u32 == elements {
            let rest: Vec<u32> = left.iter().copied().filter(|r| !taken.contains(r)).collect();
            return taken.contains(&first) && self.cover(&rest);
        }
        left.iter().any(|register| {
            if taken.contains(register) {
                return false;
            }
            let mut addresses = addresses.clone();
            let element = taken.len() as u32;
            let fits = (0..self.offsets.in_size(Dim::Warp)).all(|warp| {
                (0..32).all(|lane| {
                    let [matrix, row, column] = self.fragment.at(element, lane, 0, 0)[..] else {
                        panic!()
                    };
                    let at = self.offsets.at(*register, lane, warp, 0)[0];
                    at % self.row == column
                        && *addresses.entry((warp, matrix, row)).or_insert(at - column) == at - column
                })
            });
            if !fits {
                return false;
            }
            taken.push(*register);
            let found = self.extend(first, left, taken, &addresses);
            taken.pop();
            found
        })
    }
}

/// Executes the plan: the contents of each lane's registers after the loads, and the registers
/// loaded.
fn check_execution(plan: &MatrixPlan, width: ElementWidth, offsets: &LinearLayout) {
    let row = 128 / width.bits();
    let addresses = plan.instruction.addresses().unwrap();
    let mut moved = vec![0; offsets.in_size(Dim::Register) as usize];
    for instruction in 0..plan.instructions() {
        for warp in 0..offsets.in_size(Dim::Warp) {
            let mut rows = BTreeMap::new();
            for lane in 0..32 {
                let [matrix, row_number] = addresses.at(0, lane, 0, 0)[..] else {
                    panic!()
                };
                let address = plan.addresses.at(instruction, lane, warp, 0)[0];
                assert_eq!(address % row, 0);
                let known = *rows.entry((matrix, row_number)).or_insert(address);
                assert_eq!(known, address, "lanes that are ignored supply copies");
            }
            for lane in 0..32 {
                for element in 0..plan.elements() {
                    let [matrix, row_number, column] = ptx(plan.instruction, width, lane, element);
                    let register = plan.register(instruction, element);
                    let expected = offsets.at(register, lane, warp, 0)[0];
                    assert_eq!(rows[&(matrix, row_number)] + column, expected);
                }
            }
        }
        for element in 0..plan.elements() {
            moved[plan.register(instruction, element) as usize] += 1;
        }
    }
    for (register, times) in (0..).zip(moved) {
        assert_eq!(
            times,
            u32::from(register & plan.copies() == 0),
            "register {register}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]
    #[test]
    fn a_plan_moves_every_register((instruction, width, offsets) in tiles()) {
        if let Ok(plan) = MatrixPlan::new(instruction, &offsets, width) {
            check_execution(&plan, width, &offsets);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, max_global_rejects: 10_000, ..ProptestConfig::default() })]
    #[test]
    fn a_plan_exists_exactly_if_a_search_finds_one((instruction, width, offsets) in tiles()) {
        // The search takes factorial time.
        let elements = instruction.fragment(width).unwrap().unwrap().in_size(Dim::Register);
        let few = elements <= 4 || instruction == MatrixMove::LoadM16N16Trans(PairCount::X1, ByteSource::B8);
        prop_assume!(few && offsets.in_size(Dim::Register) <= 8);
        let planned = MatrixPlan::new(instruction, &offsets, width);
        prop_assert_eq!(
            planned.is_ok(), some_numbering_exists(instruction, width, &offsets), "{:?}", planned
        );
    }
}

/// Typical use: operands of a product from row-major and column-major buffers.
#[test]
fn operands_are_loaded_with_the_fewest_instructions() {
    let best = |mma: MmaSync, operand, turned: bool| {
        let fragment = mma.fragment(operand).unwrap();
        let fragment = if turned {
            fragment.permute_axes(&[1, 0]).unwrap()
        } else {
            fragment
        };
        let offsets = fragment.flatten_outs(Dim::Offset).unwrap();
        let plan = MatrixPlan::best(MatrixMove::LOADS, &offsets, mma.width());
        plan.map(|plan| (plan.instruction, plan.instructions()))
    };
    use MmaOperand::{A, B};
    let (plain, turned) = (MatrixMove::LoadM8N8, MatrixMove::LoadM8N8Trans);
    assert_eq!(
        best(MmaSync::M16N8K16B16, A, false),
        Some((plain(MatrixCount::X4), 1))
    );
    assert_eq!(
        best(MmaSync::M16N8K16B16, A, true),
        Some((turned(MatrixCount::X4), 1))
    );
    assert_eq!(
        best(MmaSync::M16N8K32B8, A, false),
        Some((plain(MatrixCount::X4), 1))
    );
    assert_eq!(
        best(MmaSync::M16N8K8B32, A, false),
        Some((plain(MatrixCount::X4), 1))
    );
    // Rows of B are along N: a register's two elements are in different rows.
    assert_eq!(
        best(MmaSync::M16N8K16B16, B, false),
        Some((turned(MatrixCount::X2), 1))
    );
    assert_eq!(
        best(MmaSync::M16N8K16B16, B, true),
        Some((plain(MatrixCount::X2), 1))
    );
    // Bytes cannot be transposed by m8n8, and doubles are too wide.
    assert_eq!(best(MmaSync::M16N8K32B8, A, true), None);
    assert_eq!(best(MmaSync::M16N8K16B64, A, false), None);
}

#[test]
fn refusals_name_what_does_not_fit() {
    let load = MatrixMove::LoadM8N8(MatrixCount::X1);
    let plan = |layout: &str, width| MatrixPlan::new(load, &layout.parse().unwrap(), width).unwrap_err();
    let b16 = ElementWidth::B16;
    let rows = "linear<register = [[1]], lane = [[2], [4], [8], [16], [32]], outs = {offset: 64}>";
    let tensor = "linear<register = [[1]], lane = [[2], [4], [8], [16], [32]], shape = [64]>";
    assert_eq!(
        plan(rows, ElementWidth::B64),
        NotServed::Width {
            instruction: load,
            width: ElementWidth::B64
        }
    );
    assert_eq!(plan(tensor, b16), NotServed::NotOffsets);
    let swapped = "linear<register = [[1]], lane = [[4], [2], [8], [16], [32]], outs = {offset: 64}>";
    assert_eq!(
        plan(swapped, b16),
        NotServed::Lane {
            bit: 0,
            found: 4,
            expected: 2
        }
    );
    let apart = "linear<register = [[64]], lane = [[2], [4], [8], [16], [32]], outs = {offset: 128}>";
    assert_eq!(plan(apart, b16), NotServed::Register { offset: 1 });
    let inside = "linear<register = [[1]], lane = [[2], [4], [8], [17], [32]], outs = {offset: 64}>";
    let unaligned = NotServed::Unaligned {
        dim: Dim::Lane,
        bit: 3,
        offset: 17,
        row: 8,
    };
    assert_eq!(plan(inside, b16), unaligned);
    assert_eq!(
        unaligned.to_string(),
        "bit 3 of lane steps by 17 elements, inside a row of 8"
    );
    // Every register of every thread, including other warps and blocks.
    for dim in [Dim::Warp, Dim::Block] {
        let text = rows.replace("outs", &format!("{dim} = [[32], [4]], outs"));
        let unaligned = NotServed::Unaligned {
            dim,
            bit: 1,
            offset: 4,
            row: 8,
        };
        assert_eq!(plan(&text, b16), unaligned);
    }
    let x4 = MatrixMove::LoadM8N8(MatrixCount::X4);
    assert_eq!(
        MatrixPlan::new(x4, &rows.parse().unwrap(), b16),
        Err(NotServed::TooFew {
            found_bits: 1,
            needed_bits: 3
        })
    );
    let wide = "linear<lane = [[2], [4], [8], [16], [32], [64]], outs = {offset: 128}>";
    assert_eq!(plan(wide, b16), NotServed::Lanes { lanes: 64 });
}
