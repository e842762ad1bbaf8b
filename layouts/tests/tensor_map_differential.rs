//! Recorded verdicts of the implementation named in the record on tensor maps. `tests/gpu/tensor_maps.py` compares
//! many more cases and records these.

use crate::tensor_map_questions as questions;

#[test]
fn judged_as_recorded() {
    let mut counts = std::collections::BTreeMap::new();
    for record in include_str!("data/tensor_maps.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
    {
        let (question, expected) = record.split_once(" => ").expect("a question and an answer");
        let answer = questions::answer(question).expect("a description");
        assert_eq!(answer == "ok", expected == "ok", "{question}: {answer}");
        assert!(["ok", "refused"].contains(&expected), "{record}");
        let mode = question.split(' ').next().unwrap_or_default();
        *counts.entry((mode, expected)).or_insert(0) += 1;
    }
    for mode in ["tiled", "im2col"] {
        for expected in ["ok", "refused"] {
            assert!(counts[&(mode, expected)] >= 50, "{counts:?}");
        }
    }
}

#[test]
fn fields_are_named_and_lines_refused() {
    let legal = "tiled ; 0 ; FLOAT16 ; 4096 ; 4096 8192 ; 8192 ; 1 1 ; NONE ; 128B ; L2_128B ; NONE ; 64 128";
    assert_eq!(questions::answer(legal).as_deref(), Ok("ok"));
    let (start, _) = legal.rsplit_once(';').expect("fields");
    let answer = questions::answer(&format!("{start}; 72 0"));
    assert_eq!(answer.as_deref(), Ok("boxDim[1]; boxDim[0] in bytes"));
    for (from, to) in [
        ("tiled", "im2col"),
        ("FLOAT16", "FLOAT8"),
        ("64 128", "64 -1"),
        ("4096 8192", "4096 18446744073709551616"),
        ("NONE ; 128B", "NONE ; 96B"),
        ("; L2_128B", ""),
    ] {
        assert!(questions::answer(&legal.replacen(from, to, 1)).is_err(), "{to}");
    }
    assert!(questions::answer("").is_err());
}
