//! Recorded results of MPFR, numpy, ml_dtypes and Python's integers, from `tests/tools/diff_numbers.py --record`,
//! which also compares many more cases.

use crate::dispatch::Operation;

#[test]
fn recorded_results() {
    let mut count = 0;
    for line in include_str!("recorded.txt").lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let [name, from, to, mode, numbers @ ..] = words.as_slice() else {
            panic!("{line}");
        };
        let numbers: Vec<u64> = numbers
            .iter()
            .map(|word| u64::from_str_radix(word, 16).expect(line))
            .collect();
        let (&expected, operands) = numbers.split_last().expect(line);
        let operation = Operation::read([name, from, to, mode]).expect(line);
        let found = operation.apply(operands).expect(line);
        assert_eq!(found, expected, "found {found:x}: {line}");
        count += 1;
    }
    assert!(count > 2000, "{count} cases");
}
