//! Encodings against Triton's conversion of the same encodings to linear layouts, recorded by
//! `tests/tools/diff_triton_distributed.py`. That script also compares many more cases, through the file in
//! `TRITON_DISTRIBUTED`.

use tilewright_layouts::distributed::{Cluster, Encoding, InCluster, MmaOperand, MmaSync, MmaTile, Slice};
use tilewright_layouts::{Blocked, Dim, LinearLayout};

const RECORDED: &str = include_str!("data/triton_distributed.txt");

fn numbers(field: &str) -> Vec<u32> {
    field.split(',').map(|number| number.parse().unwrap()).collect()
}

fn axes(field: &str) -> Vec<usize> {
    field.split(',').map(|number| number.parse().unwrap()).collect()
}

fn recorded(shape: &str, bases: &[&str]) -> LinearLayout {
    let dims = [Dim::Register, Dim::Lane, Dim::Warp, Dim::Block];
    let vectors = |text: &&str| text.split(';').filter(|v| !v.is_empty()).map(numbers).collect();
    let bases: Vec<_> = dims.into_iter().zip(bases.iter().map(vectors)).collect();
    let outs: Vec<_> = (0..).map(Dim::Axis).zip(numbers(shape)).collect();
    LinearLayout::from_bases(&bases, &outs).unwrap()
}

fn cluster(fields: &[&str]) -> Cluster {
    Cluster {
        ctas: numbers(fields[0]),
        splits: numbers(fields[1]),
        order: axes(fields[2]),
    }
}

fn blocked(fields: &[&str]) -> InCluster<Blocked> {
    let cta = Blocked {
        size_per_thread: numbers(fields[0]),
        threads_per_warp: numbers(fields[1]),
        warps_per_cta: numbers(fields[2]),
        order: axes(fields[3]),
    };
    InCluster {
        cluster: cluster(&fields[4..]),
        cta,
    }
}

fn mma(fields: &[&str], instruction: MmaSync, operand: MmaOperand) -> InCluster<MmaTile> {
    let warps_per_cta = numbers(fields[0]);
    let order = (0..warps_per_cta.len()).rev().collect();
    let cta = MmaTile {
        instruction,
        operand,
        warps_per_cta,
        order,
    };
    InCluster {
        cluster: cluster(&fields[1..]),
        cta,
    }
}

/// Compares every case; returns their number.
fn compare(text: &str) -> usize {
    let accumulator = |fields: &[&str]| mma(fields, MmaSync::M16N8K16B16, MmaOperand::Accumulator);
    let mut cases = 0;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split('|').collect();
        let (kind, rest) = (fields[0], &fields[1..]);
        let (described, found) = rest.split_at(rest.len() - 5);
        let expected = recorded(found[0], &found[1..]);
        let shape = numbers(found[0]);
        let axis = || described[described.len() - 1].parse().unwrap();
        let layout = match kind {
            "blocked" => blocked(described).to_linear(&shape),
            "slice" => Slice {
                parent: blocked(described),
                axis: axis(),
            }
            .to_linear(&shape),
            "accumulator" => accumulator(described).to_linear(&shape),
            "accumulator-slice" => Slice {
                parent: accumulator(described),
                axis: axis(),
            }
            .to_linear(&shape),
            "operand" => {
                let [.., which, packed] = described else {
                    panic!("{line}")
                };
                // Triton names the instruction by the elements of a 32-bit register.
                let instruction = match *packed {
                    "1" => MmaSync::M16N8K8B32,
                    "2" => MmaSync::M16N8K16B16,
                    _ => MmaSync::M16N8K32B8,
                };
                let last = shape.len() - 1;
                let (operand, lacks) = if *which == "0" {
                    (MmaOperand::A, last)
                } else {
                    (MmaOperand::B, last - 1)
                };
                let mut tile = mma(described, instruction, operand);
                tile.cluster = tile.cluster.shared_along(lacks);
                tile.to_linear(&shape)
            }
            _ => panic!("{line}"),
        };
        // Triton keeps a register for each copy in a thread for a small tile; a blocked encoding
        // removes it.
        let (layout, expected) = match kind {
            "blocked" => (layout.unwrap(), expected.drop_copies(Dim::Register)),
            _ => (layout.unwrap(), expected),
        };
        assert_eq!(layout, expected, "{line}");
        cases += 1;
    }
    cases
}

#[test]
fn encodings_are_those_of_triton() {
    assert!(compare(RECORDED) >= 360);
    if let Ok(path) = std::env::var("TRITON_DISTRIBUTED") {
        assert!(compare(&std::fs::read_to_string(path).unwrap()) > 0);
    }
}
