//! Float ops.

use crate::exact::{
    BF16, DIRECTIONS, Direction, F16, F32, F64, Format, Number, add, divide, multiply, negate, square_root,
    whole,
};
use crate::run::{Case, TARGETS, check};
use crate::values::{floats, rows};

const FORMATS: [Format; 4] = [F16, BF16, F32, F64];

fn same(format: Format) -> fn(u64, u64) -> bool {
    match format.name {
        "f16" => |a, b| a == b || F16.is_nan(a) && F16.is_nan(b),
        "bf16" => |a, b| a == b || BF16.is_nan(a) && BF16.is_nan(b),
        "f32" => |a, b| a == b || F32.is_nan(a) && F32.is_nan(b),
        _ => |a, b| a == b || F64.is_nan(a) && F64.is_nan(b),
    }
}

/// Runs a case on the targets that support it; returns their number.
fn run(ops: String, format: Format, operands: usize, expected: impl Fn(&[u64]) -> u64 + 'static) -> usize {
    let case = Case {
        ops,
        inputs: vec![format.name; operands],
        output: format.name,
        expected: Box::new(move |x| Some(expected(x))),
        same: same(format),
    };
    let lists = vec![floats(format, if operands == 1 { 1500 } else { 60 }); operands];
    let rows = rows(&lists, 3000);
    TARGETS
        .iter()
        .filter(|&&target| check(&case, &rows, target))
        .count()
}

/// The number of targets that support an op, to detect skipped cases.
fn sum_targets(format: Format, direction: Direction) -> usize {
    match (format.name, direction) {
        ("f32" | "f64", _) | ("f16", Direction::Nearest) => 2,
        ("bf16", Direction::Nearest) => 1,
        _ => 0,
    }
}

#[test]
fn sums_products_and_quotients() {
    type Op = fn(Number, Number, Direction) -> Number;
    let ops: [(&str, Op); 4] = [
        ("addf", add),
        ("subf", |a, b, d| add(a, negate(b), d)),
        ("mulf", |a, b, _| multiply(a, b)),
        ("divf", |a, b, _| divide(a, b)),
    ];
    for format in FORMATS {
        for (direction, word) in DIRECTIONS {
            for (name, op) in ops {
                let slot = if name == "divf" { "precision" } else { "rounding" };
                let text = |flush: &str| {
                    format!(
                        "  %r = arith.{name} %x0, %x1 {{{slot} = {word}{flush}}} : {}\n",
                        format.name
                    )
                };
                let count = run(text(""), format, 2, move |x| {
                    format.round(op(format.decode(x[0]), format.decode(x[1]), direction), direction)
                });
                let wanted = match name {
                    "divf" => {
                        if format.bits > 16 {
                            2
                        } else {
                            0
                        }
                    }
                    _ => sum_targets(format, direction),
                };
                assert_eq!(count, wanted, "{name} {} {word}", format.name);
                if format == F32 {
                    let count = run(text(", flush_to_zero"), format, 2, move |x| {
                        let (a, b) = (format.flushed(x[0]), format.flushed(x[1]));
                        format.flushed(
                            format.round(op(format.decode(a), format.decode(b), direction), direction),
                        )
                    });
                    assert_eq!(count, 2);
                }
            }
        }
    }
}

#[test]
fn fused_products_and_sums() {
    for format in FORMATS {
        for (direction, word) in DIRECTIONS {
            let ops = format!(
                "  %r = arith.fma %x0, %x1, %x2 {{rounding = {word}}} : {}\n",
                format.name
            );
            let count = run(ops, format, 3, move |x| {
                let product = multiply(format.decode(x[0]), format.decode(x[1]));
                format.round(add(product, format.decode(x[2]), direction), direction)
            });
            let wanted = if format.bits > 16 || direction == Direction::Nearest {
                2
            } else {
                0
            };
            assert_eq!(count, wanted, "fma {} {word}", format.name);
        }
    }
}

#[test]
fn square_roots() {
    for format in [F32, F64] {
        for (direction, word) in DIRECTIONS {
            let ops = format!(
                "  %r = arith.sqrtf %x0 {{precision = {word}}} : {}\n",
                format.name
            );
            let count = run(ops, format, 1, move |x| {
                format.round(square_root(format.decode(x[0])), direction)
            });
            assert_eq!(count, 2);
        }
    }
    // Approximations: within a few units in the last place.
    let near = |a: u64, b: u64| F32.is_nan(a) && F32.is_nan(b) || a.abs_diff(b) <= 4;
    type Op = fn(f32) -> f32;
    let approximate: [(&str, Op); 2] = [
        ("arith.sqrtf %x0 {precision = approx}", f32::sqrt),
        ("arith.rsqrtf %x0", |x| (1.0 / f64::from(x).sqrt()) as f32),
    ];
    for (text, op) in approximate {
        let case = Case {
            ops: format!("  %r = {text} : f32\n"),
            inputs: vec!["f32"],
            output: "f32",
            expected: Box::new(move |x| {
                let x = f32::from_bits(x[0] as u32);
                x.is_normal().then(|| u64::from(op(x).to_bits()))
            }),
            same: near,
        };
        for target in TARGETS {
            assert!(check(&case, &rows(&[floats(F32, 1000)], 3000), target));
        }
    }
}

#[test]
fn negation_absolute_values_and_rounding_to_integers() {
    for format in FORMATS {
        let top = 1u64 << (format.bits - 1);
        let text = |op: &str| format!("  %r = arith.{op} %x0 : {}\n", format.name);
        assert_eq!(run(text("negf"), format, 1, move |x| x[0] ^ top), 2);
        assert_eq!(run(text("absf"), format, 1, move |x| x[0] & !top), 2);
        for (op, direction) in [("floorf", Direction::Down), ("ceilf", Direction::Up)] {
            let count = run(text(op), format, 1, move |x| {
                format.round(whole(format.decode(x[0]), direction), Direction::Zero)
            });
            assert_eq!(count, 2, "{op} {}", format.name);
        }
    }
}

/// A sort key with the order of min and max: -0 below +0.
fn key(format: Format, bits: u64) -> i64 {
    let top = 1u64 << (format.bits - 1);
    let magnitude = (bits & !top).cast_signed();
    if bits & top == 0 {
        magnitude
    } else {
        -magnitude - 1
    }
}

#[test]
fn minima_and_maxima() {
    for format in FORMATS {
        for (op, larger) in [("minf", false), ("maxf", true)] {
            for propagate in [false, true] {
                let attrs = if propagate { " {propagate_nan}" } else { "" };
                let ops = format!("  %r = arith.{op} %x0, %x1{attrs} : {}\n", format.name);
                let count = run(ops, format, 2, move |x| {
                    match (format.is_nan(x[0]), format.is_nan(x[1])) {
                        (true, true) => format.nan(),
                        (true, false) | (false, true) if propagate => format.nan(),
                        (true, false) => x[1],
                        (false, true) => x[0],
                        (false, false) => {
                            if (key(format, x[0]) < key(format, x[1])) == larger {
                                x[1]
                            } else {
                                x[0]
                            }
                        }
                    }
                });
                assert_eq!(count, 2, "{op} {}", format.name);
            }
        }
    }
}

#[test]
fn comparisons() {
    use std::cmp::Ordering as O;
    let predicates: [(&str, &[O]); 6] = [
        ("eq", &[O::Equal]),
        ("ne", &[O::Less, O::Greater]),
        ("lt", &[O::Less]),
        ("le", &[O::Less, O::Equal]),
        ("gt", &[O::Greater]),
        ("ge", &[O::Greater, O::Equal]),
    ];
    for format in FORMATS {
        for (predicate, holds) in predicates {
            for ordering in ["ordered", "unordered"] {
                let case = Case {
                    ops: format!(
                        "  %r = arith.cmpf %x0, %x1 {{predicate = {predicate}, ordering = {ordering}}} : i1\n"
                    ),
                    inputs: vec![format.name; 2],
                    output: "i1",
                    expected: Box::new(move |x| {
                        if format.is_nan(x[0]) || format.is_nan(x[1]) {
                            return Some(u64::from(ordering == "unordered"));
                        }
                        let top = 1u64 << (format.bits - 1);
                        let zeros = (x[0] | x[1]) & !top == 0;
                        let order = if zeros {
                            O::Equal
                        } else {
                            key(format, x[0]).cmp(&key(format, x[1]))
                        };
                        Some(u64::from(holds.contains(&order)))
                    }),
                    same: |a, b| a == b,
                };
                for target in TARGETS {
                    assert!(check(&case, &rows(&vec![floats(format, 40); 2], 3000), target));
                }
            }
        }
    }
}
