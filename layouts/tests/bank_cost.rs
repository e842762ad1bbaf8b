//! Bank cycles: by serialization of words, by enumeration, and by rank.

use proptest::prelude::*;
use tilewright_layouts::bank::{Access, BankModel, access_cost, layout_cost, matrix_cost};
use tilewright_layouts::{Dim, LayoutError, LinearLayout};

/// Serializes by words: in one cycle every bank delivers one word to all lanes that request it.
fn served(groups: &[Vec<u32>]) -> u64 {
    let mut cycles = 0;
    for words in groups {
        let mut waiting = words.clone();
        while !waiting.is_empty() {
            let mut serving = [None; 32];
            for word in &waiting {
                serving[*word as usize % 32].get_or_insert(*word);
            }
            waiting.retain(|word| serving[*word as usize % 32] != Some(*word));
            cycles += 1;
        }
    }
    cycles
}

fn words_of(addresses: &[u32], bytes: u32) -> Vec<u32> {
    addresses
        .iter()
        .flat_map(|a| (0..bytes.max(4) / 4).map(move |word| a / 4 + word))
        .collect()
}

fn expected(access: Access, addresses: &[u32; 32], bytes: u32) -> (u64, u64) {
    let mut lanes_at_once = if bytes <= 4 { 32 } else { 128 / bytes as usize };
    let neighbours = (0..32).all(|l| addresses[l] == addresses[l ^ 1]);
    let next_but_one = (0..32).all(|l| addresses[l] == addresses[l ^ 2]);
    if access == Access::Load && bytes > 4 && (neighbours || next_but_one) {
        lanes_at_once *= 2;
    }
    let groups: Vec<_> = addresses
        .chunks(lanes_at_once)
        .map(|group| words_of(group, bytes))
        .collect();
    (served(&groups), groups.len() as u64)
}

fn access() -> impl Strategy<Value = Access> {
    prop_oneof![Just(Access::Load), Just(Access::Store)]
}

/// Any linear map from registers and lanes to offsets, often with copies and single bits.
fn offsets(vector_bits: u32) -> impl Strategy<Value = LinearLayout> {
    let word = prop_oneof![Just(0u32), (0u32..12).prop_map(|bit| 1 << bit), 0u32..1 << 12];
    let aligned = word.prop_map(move |word| word >> vector_bits << vector_bits);
    let columns = |most| prop::collection::vec(aligned.clone(), 0..=most);
    (columns(2), columns(5)).prop_map(move |(rest, lanes)| {
        let vectors = |columns: &[u32]| columns.iter().map(|column| vec![*column]).collect::<Vec<_>>();
        let own: Vec<u32> = (0..vector_bits).map(|bit| 1 << bit).collect();
        let bases = [
            (Dim::Register, vectors(&[own, rest].concat())),
            (Dim::Lane, vectors(&lanes)),
        ];
        LinearLayout::from_bases(&bases, &[(Dim::Offset, 1 << 12)]).unwrap()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn cycles_are_what_serving_takes(
        units in prop::collection::vec(0u32..512, 32), log_bytes in 0u32..5, access in access(), pairs in 0u32..4,
    ) {
        let bytes = 1 << log_bytes;
        // No pairs, or equal addresses in lanes `l` and `l ^ 1`, or `l` and `l ^ 2`, or both.
        let addresses: [u32; 32] = std::array::from_fn(|lane| units[lane & !(pairs as usize)] * bytes);
        let cost = access_cost(access, &addresses, bytes).unwrap();
        prop_assert_eq!((cost.cycles, cost.minimum), expected(access, &addresses, bytes));
    }

    #[test]
    fn ranks_count_what_enumeration_counts(
        (vector_bits, layout) in (0u32..5).prop_flat_map(|bits| (Just(bits), offsets(bits))),
        element_bits in 0u32..5, access in access(),
    ) {
        prop_assume!(vector_bits + element_bits <= 4);
        let (vector, bytes) = (1u32 << vector_bits, 1u32 << element_bits);
        let mut by_enumeration = (0, 0);
        for register in (0..layout.in_size(Dim::Register)).step_by(vector as usize) {
            let addresses = std::array::from_fn(|lane| layout.at(register, lane as u32, 0, 0)[0] * bytes);
            let (cycles, minimum) = expected(access, &addresses, vector * bytes);
            by_enumeration = (by_enumeration.0 + cycles, by_enumeration.1 + minimum);
        }
        let cost = layout_cost(access, &layout, vector, bytes).unwrap();
        prop_assert_eq!((cost.cycles, cost.minimum), by_enumeration);
    }

    #[test]
    fn other_machines_agree_with_themselves(
        layout in offsets(0), lane_bits in 0u32..6, word_bits in 0u32..4, access in access(),
    ) {
        let model = BankModel::new(lane_bits, word_bits, word_bits).unwrap();
        let bytes = 1 << word_bits;
        let addresses: Vec<u32> = (0..1 << lane_bits).map(|lane| layout.at(0, lane, 0, 0)[0] * bytes).collect();
        let once = model.access_cost(access, &addresses, bytes).unwrap();
        let all = model.layout_cost(access, &layout, 1, bytes).unwrap();
        prop_assert_eq!(all, once.times(u64::from(layout.in_size(Dim::Register))));
    }

    #[test]
    fn a_matrix_is_a_phase(rows in prop::collection::vec(0u32..512, 32), matrices in 0u32..3) {
        let addresses: Vec<u32> = rows.iter().take(8 << matrices).map(|row| row * 16).collect();
        let groups: Vec<_> = addresses.chunks(8).map(|rows| words_of(rows, 16)).collect();
        let cost = matrix_cost(&addresses).unwrap();
        prop_assert_eq!((cost.cycles, cost.minimum), (served(&groups), groups.len() as u64));
    }
}

#[test]
fn refusals_name_the_value_and_the_limit() {
    let refused =
        |result: Result<_, LayoutError>| result.map(|_: tilewright_layouts::BankCost| ()).unwrap_err();
    assert_eq!(
        refused(access_cost(Access::Load, &[2; 32], 4)),
        LayoutError::Misaligned { address: 2, bytes: 4 }
    );
    assert_eq!(
        refused(access_cost(Access::Load, &[0; 32], 32)),
        LayoutError::ElementBytes { bytes: 32 }
    );
    assert_eq!(
        refused(access_cost(Access::Load, &[0; 32], 12)),
        LayoutError::ElementBytes { bytes: 12 }
    );
    assert_eq!(
        refused(matrix_cost(&[0; 9])),
        LayoutError::LengthMismatch {
            found: 9,
            expected: 8
        }
    );
    assert_eq!(
        refused(matrix_cost(&[8; 8])),
        LayoutError::Misaligned {
            address: 8,
            bytes: 16
        }
    );
    let odd = LinearLayout::identity_1d(32, Dim::Lane, Dim::Offset).unwrap();
    assert_eq!(
        refused(layout_cost(Access::Load, &odd, 2, 2)),
        LayoutError::Misaligned { address: 2, bytes: 4 }
    );
    // A vector that the registers do not hold, or not all at aligned offsets.
    let vector = |found: Vec<Vec<u32>>, warps: Vec<Vec<u32>>| {
        let lanes = (2..7).map(|bit| vec![1 << bit]).collect();
        let bases = [(Dim::Register, found), (Dim::Lane, lanes), (Dim::Warp, warps)];
        let layout = LinearLayout::from_bases(&bases, &[(Dim::Offset, 256)]).unwrap();
        layout_cost(Access::Store, &layout, 4, 4).map(|cost| cost.cycles)
    };
    assert_eq!(vector(vec![vec![1], vec![2], vec![128]], vec![]), Ok(8));
    let parameter = Err(LayoutError::Parameter {
        name: "vector",
        value: 4,
        allowed: "the length of aligned runs of consecutive registers and offsets",
    });
    assert_eq!(vector(vec![vec![1]], vec![]), parameter);
    assert_eq!(vector(vec![vec![2], vec![1]], vec![]), parameter);
    assert_eq!(vector(vec![vec![1], vec![2], vec![129]], vec![]), parameter);
    assert_eq!(vector(vec![vec![1], vec![2]], vec![vec![130]]), parameter);
    let tensor = LinearLayout::identity_1d(32, Dim::Lane, Dim::Axis(0)).unwrap();
    assert_eq!(
        refused(layout_cost(Access::Load, &tensor, 1, 4)),
        LayoutError::MissingDim { dim: Dim::Offset }
    );
}
