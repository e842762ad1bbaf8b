//! Conversions between numbers.

use crate::exact::{BF16, DIRECTIONS, Direction, F16, F32, F64, Format, integer, truncated};
use crate::run::{Case, TARGETS, check};
use crate::values::{floats, integers, near_middles};

const FORMATS: [Format; 4] = [F16, BF16, F32, F64];
const INTEGERS: [(&str, u32); 5] = [("i1", 1), ("i8", 8), ("i16", 16), ("i32", 32), ("i64", 64)];

fn same(format: Format) -> fn(u64, u64) -> bool {
    match format.name {
        "f16" => |a, b| a == b || F16.is_nan(a) && F16.is_nan(b),
        "bf16" => |a, b| a == b || BF16.is_nan(a) && BF16.is_nan(b),
        "f32" => |a, b| a == b || F32.is_nan(a) && F32.is_nan(b),
        _ => |a, b| a == b || F64.is_nan(a) && F64.is_nan(b),
    }
}

fn run(case: &Case, values: Vec<u64>) -> usize {
    let rows: Vec<Vec<u64>> = values.into_iter().map(|value| vec![value]).collect();
    TARGETS
        .iter()
        .filter(|&&target| check(case, &rows, target))
        .count()
}

/// The number of targets; only sm_90 rounds bf16 down or up.
fn targets(to: Format, direction: Direction) -> usize {
    if to == BF16 && matches!(direction, Direction::Down | Direction::Up) {
        1
    } else {
        2
    }
}

fn signed(value: u64, bits: u32) -> i128 {
    i128::from((value << (64 - bits)).cast_signed() >> (64 - bits))
}

#[test]
fn floats_to_floats() {
    for from in FORMATS {
        for to in FORMATS {
            for (direction, word) in DIRECTIONS {
                let case = Case {
                    ops: format!("  %r = arith.ftof %x0 {{rounding = {word}}} : {}\n", to.name),
                    inputs: vec![from.name],
                    output: to.name,
                    expected: Box::new(move |x| Some(to.round(from.decode(x[0]), direction))),
                    same: same(to),
                };
                let mut values = floats(from, 1500);
                if from == F64 {
                    values.extend(near_middles(to));
                }
                let count = run(&case, values);
                let wanted = if from == to { 2 } else { targets(to, direction) };
                assert_eq!(count, wanted, "{} to {} {word}", from.name, to.name);
            }
        }
    }
}

#[test]
fn integers_to_floats() {
    for (from, bits) in INTEGERS {
        for to in FORMATS {
            for (direction, word) in DIRECTIONS {
                for signedness in ["signed", "unsigned"] {
                    let case = Case {
                        ops: format!(
                            "  %r = arith.itof %x0 {{signedness = {signedness}, rounding = {word}}} : {}\n",
                            to.name
                        ),
                        inputs: vec![from],
                        output: to.name,
                        expected: Box::new(move |x| {
                            let value = if signedness == "signed" {
                                signed(x[0], bits)
                            } else {
                                x[0].into()
                            };
                            Some(to.round(integer(value), direction))
                        }),
                        same: same(to),
                    };
                    let mut values = integers(bits, 1000);
                    // At and near the midpoint of two neighbours.
                    for place in 9..bits.saturating_sub(1) {
                        for odd in [1u64, 3, 0x81, 0x8001] {
                            let middle = odd << place | 1 << (bits - 2);
                            values.extend(
                                [middle, middle + 1, middle - 1].map(|v| v & (u64::MAX >> (64 - bits))),
                            );
                        }
                    }
                    let count = run(&case, values);
                    assert_eq!(count, targets(to, direction), "{from} to {} {word}", to.name);
                }
            }
        }
    }
}

#[test]
fn floats_to_integers() {
    for from in FORMATS {
        for (to, bits) in INTEGERS {
            for signedness in ["signed", "unsigned"] {
                for saturating in [false, true] {
                    let attrs = if saturating { ", saturating" } else { "" };
                    let (low, high) = match signedness {
                        "signed" => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
                        _ => (0, (1i128 << bits) - 1),
                    };
                    let case = Case {
                        ops: format!("  %r = arith.ftoi %x0 {{signedness = {signedness}{attrs}}} : {to}\n"),
                        inputs: vec![from.name],
                        output: to,
                        expected: Box::new(move |x| {
                            let cut = |value: i128| (value & ((1i128 << bits) - 1)) as u64;
                            match truncated(from.decode(x[0])) {
                                None => saturating.then_some(0),
                                Some(value) if (low..=high).contains(&value) => Some(cut(value)),
                                Some(value) => saturating.then(|| cut(value.clamp(low, high))),
                            }
                        }),
                        same: |a, b| a == b,
                    };
                    assert_eq!(run(&case, floats(from, 1500)), 2, "{} to {to}", from.name);
                }
            }
        }
    }
}

#[test]
fn bitcasts_keep_bits() {
    for (a, b, bits) in [
        ("i16", "f16", 16),
        ("i16", "bf16", 16),
        ("f16", "bf16", 16),
        ("i32", "f32", 32),
        ("i64", "f64", 64),
    ] {
        for (from, to) in [(a, b), (b, a)] {
            let case = Case {
                ops: format!("  %r = arith.bitcast %x0 : {to}\n"),
                inputs: vec![from],
                output: to,
                expected: Box::new(|x| Some(x[0])),
                same: |a, b| a == b,
            };
            assert_eq!(run(&case, integers(bits, 300)), 2);
        }
    }
}
