//! Integer ops.

use crate::run::{Case, TARGETS, check};
use crate::values::{integers, rows};

const TYPES: [(&str, u32); 4] = [("i1", 1), ("i16", 16), ("i32", 32), ("i64", 64)];

fn signed(value: u64, bits: u32) -> i128 {
    let shift = 64 - bits;
    i128::from((value << shift).cast_signed() >> shift)
}

fn cut(value: i128, bits: u32) -> u64 {
    (value & ((1i128 << bits) - 1)) as u64
}

/// The value as interpreted by an op of this signedness.
fn read(value: u64, bits: u32, signedness: &str) -> i128 {
    if signedness == "signed" {
        signed(value, bits)
    } else {
        i128::from(value)
    }
}

fn case(
    ops: String,
    inputs: Vec<&'static str>,
    output: &'static str,
    expected: impl Fn(&[u64]) -> Option<u64> + 'static,
) -> Case {
    Case {
        ops,
        inputs,
        output,
        expected: Box::new(expected),
        same: |a, b| a == b,
    }
}

fn run(case: &Case, lists: &[Vec<u64>]) {
    let rows = rows(lists, 3000);
    for target in TARGETS {
        assert!(check(case, &rows, target), "{target} has no {}", case.ops);
    }
}

type Binary = fn(i128, i128, u32) -> Option<i128>;

#[test]
fn binary_ops() {
    let plain: [(&str, &str, Binary); 7] = [
        ("addi", " {overflow = wraps}", |a, b, _| Some(a + b)),
        ("subi", " {overflow = wraps}", |a, b, _| Some(a - b)),
        ("muli", " {overflow = wraps}", |a, b, _| Some(a.wrapping_mul(b))),
        ("mulhiu", "", |a, b, bits| {
            Some(((a as u128 * b as u128) >> bits) as i128)
        }),
        ("andi", "", |a, b, _| Some(a & b)),
        ("ori", "", |a, b, _| Some(a | b)),
        ("xori", "", |a, b, _| Some(a ^ b)),
    ];
    let by_sign: [(&str, &str, Binary); 4] = [
        ("divi", ", rounding = zero", |a, b, _| a.checked_div(b)),
        ("remi", "", |a, b, _| a.checked_rem(b)),
        ("mini", "", |a, b, _| Some(a.min(b))),
        ("maxi", "", |a, b, _| Some(a.max(b))),
    ];
    for (ty, bits) in TYPES {
        let lists = [integers(bits, 20), integers(bits, 20)];
        for (name, attrs, op) in plain {
            let ops = format!("  %r = arith.{name} %x0, %x1{attrs} : {ty}\n");
            let expected = move |x: &[u64]| op(x[0].into(), x[1].into(), bits).map(|r| cut(r, bits));
            run(&case(ops, vec![ty, ty], ty, expected), &lists);
        }
        for (name, attrs, op) in by_sign {
            for signedness in ["signed", "unsigned"] {
                let ops =
                    format!("  %r = arith.{name} %x0, %x1 {{signedness = {signedness}{attrs}}} : {ty}\n");
                let expected = move |x: &[u64]| {
                    let (a, b) = (read(x[0], bits, signedness), read(x[1], bits, signedness));
                    let result = op(a, b, bits)?;
                    // A signed quotient out of range is undefined.
                    let fits = signedness == "unsigned" || signed(cut(result, bits), bits) == result;
                    fits.then(|| cut(result, bits))
                };
                run(&case(ops, vec![ty, ty], ty, expected), &lists);
            }
        }
    }
}

#[test]
fn unary_ops() {
    for (ty, bits) in TYPES {
        let lists = [integers(bits, 300)];
        let ops = format!("  %r = arith.negi %x0 {{overflow = wraps}} : {ty}\n");
        run(
            &case(ops, vec![ty], ty, move |x| Some(cut(-i128::from(x[0]), bits))),
            &lists,
        );
        let ops = format!("  %r = arith.absi %x0 : {ty}\n");
        run(
            &case(ops, vec![ty], ty, move |x| {
                Some(cut(signed(x[0], bits).abs(), bits))
            }),
            &lists,
        );
    }
}

#[test]
fn shifts() {
    for (ty, bits) in TYPES {
        let lists = [integers(bits, 20), integers(bits, 20)];
        let ops = format!("  %r = arith.shli %x0, %x1 {{overflow = wraps}} : {ty}\n");
        let left = move |x: &[u64]| {
            Some(if x[1] >= u64::from(bits) {
                0
            } else {
                cut(i128::from(x[0]) << x[1], bits)
            })
        };
        run(&case(ops, vec![ty, ty], ty, left), &lists);
        for signedness in ["signed", "unsigned"] {
            let ops = format!("  %r = arith.shri %x0, %x1 {{signedness = {signedness}}} : {ty}\n");
            let right = move |x: &[u64]| Some(cut(read(x[0], bits, signedness) >> x[1].min(100), bits));
            run(&case(ops, vec![ty, ty], ty, right), &lists);
        }
        // Constant amounts, including those beyond the width.
        for amount in [0u64, 1, 15, 16, 40, 64, 200] {
            if bits == 1 || (bits < 64 && amount >> (bits - 1) != 0) {
                continue;
            }
            let ops = format!(
                "  %c = arith.constant {{value = {ty}<{amount}>}} : {ty}\n  %r = arith.shri %x0, %c {{signedness = signed}} : {ty}\n"
            );
            let right = move |x: &[u64]| Some(cut(signed(x[0], bits) >> amount.min(100), bits));
            run(&case(ops, vec![ty], ty, right), &[integers(bits, 100)]);
        }
    }
}

#[test]
fn comparisons_and_selections() {
    type Holds = fn(i128, i128) -> bool;
    let predicates: [(&str, Holds); 6] = [
        ("eq", |a, b| a == b),
        ("ne", |a, b| a != b),
        ("lt", |a, b| a < b),
        ("le", |a, b| a <= b),
        ("gt", |a, b| a > b),
        ("ge", |a, b| a >= b),
    ];
    for (ty, bits) in TYPES {
        for (name, holds) in predicates {
            for signedness in ["signed", "unsigned"] {
                let ops = format!(
                    "  %r = arith.cmpi %x0, %x1 {{predicate = {name}, signedness = {signedness}}} : i1\n"
                );
                let expected = move |x: &[u64]| {
                    Some(u64::from(holds(
                        read(x[0], bits, signedness),
                        read(x[1], bits, signedness),
                    )))
                };
                run(
                    &case(ops, vec![ty, ty], "i1", expected),
                    &[integers(bits, 20), integers(bits, 20)],
                );
            }
        }
    }
    for (ty, bits) in [
        ("i1", 1),
        ("i8", 8),
        ("i16", 16),
        ("i32", 32),
        ("i64", 64),
        ("f16", 16),
        ("bf16", 16),
        ("f32", 32),
        ("f64", 64),
    ] {
        let ops = format!("  %r = arith.select %x0, %x1, %x2 : {ty}\n");
        let lists = [integers(1, 0), integers(bits, 10), integers(bits, 10)];
        run(
            &case(ops, vec!["i1", ty, ty], ty, |x| {
                Some(if x[0] != 0 { x[1] } else { x[2] })
            }),
            &lists,
        );
    }
}

#[test]
fn a_product_and_a_sum_are_one_instruction() {
    for (ty, bits) in [("i16", 16), ("i32", 32), ("i64", 64)] {
        for sum in ["%m, %x2", "%x2, %m"] {
            let ops = format!(
                "  %m = arith.muli %x0, %x1 {{overflow = wraps}} : {ty}\n  %r = arith.addi {sum} {{overflow = wraps}} : {ty}\n"
            );
            let expected = move |x: &[u64]| {
                Some(cut(
                    i128::from(x[0])
                        .wrapping_mul(x[1].into())
                        .wrapping_add(x[2].into()),
                    bits,
                ))
            };
            let list = integers(bits, 20);
            run(
                &case(ops, vec![ty, ty, ty], ty, expected),
                &[list.clone(), list.clone(), list],
            );
        }
    }
}

#[test]
fn extensions_and_truncations() {
    let all = [("i1", 1), ("i8", 8), ("i16", 16), ("i32", 32), ("i64", 64)];
    for (from, narrow) in all {
        for (to, wide) in all {
            if narrow < wide {
                for signedness in ["signed", "unsigned"] {
                    let ops = format!("  %r = arith.exti %x0 {{signedness = {signedness}}} : {to}\n");
                    let expected = move |x: &[u64]| Some(cut(read(x[0], narrow, signedness), wide));
                    run(&case(ops, vec![from], to, expected), &[integers(narrow, 300)]);
                    // From a register with other high bits.
                    if narrow == 8 {
                        let ops = format!(
                            "  %c = arith.trunci %x0 : i8\n  %r = arith.exti %c {{signedness = {signedness}}} : {to}\n"
                        );
                        let expected = move |x: &[u64]| Some(cut(read(x[0] & 255, 8, signedness), wide));
                        run(&case(ops, vec!["i16"], to, expected), &[integers(16, 300)]);
                    }
                }
            } else if narrow > wide {
                let ops = format!("  %r = arith.trunci %x0 : {to}\n");
                run(
                    &case(ops, vec![from], to, move |x| Some(cut(x[0].into(), wide))),
                    &[integers(narrow, 300)],
                );
            }
        }
    }
}

#[test]
fn any_byte_but_zero_is_true() {
    let ops = "  %r = arith.exti %x0 {signedness = unsigned} : i32\n".to_owned();
    run(
        &case(ops, vec!["i1"], "i32", |x| Some(u64::from(x[0] != 0))),
        &[integers(8, 50)],
    );
}

#[test]
fn products_of_extended_numbers() {
    let extend = |name: &str, x: &str, signedness: &str| {
        format!("  {name} = arith.exti {x} {{signedness = {signedness}}} : i64\n")
    };
    let multiply = "  %m = arith.muli %ea, %eb {overflow = wraps} : i64\n";
    for first in ["signed", "unsigned"] {
        for second in ["signed", "unsigned"] {
            let ops = extend("%ea", "%x0", first)
                + &extend("%eb", "%x1", second)
                + multiply
                + "  %r = arith.addi %m, %x2 {overflow = wraps} : i64\n";
            let expected = move |x: &[u64]| {
                let product = read(x[0], 32, first) * read(x[1], 32, second);
                Some(cut(product + i128::from(x[2]), 64))
            };
            let lists = [integers(32, 20), integers(32, 20), integers(64, 20)];
            run(&case(ops, vec!["i32", "i32", "i64"], "i64", expected), &lists);
        }
        for constant in [
            0i64,
            3,
            -5,
            0x7FFF_FFFF,
            -0x8000_0000,
            0x8000_0000,
            0xFFFF_FFFF,
            1 << 40,
        ] {
            let ops = extend("%ea", "%x0", first)
                + &format!("  %eb = arith.constant {{value = i64<{constant}>}} : i64\n")
                + &multiply.replace("%m", "%r");
            let expected = move |x: &[u64]| Some(cut(read(x[0], 32, first) * i128::from(constant), 64));
            run(&case(ops, vec!["i32"], "i64", expected), &[integers(32, 100)]);
        }
    }
}
