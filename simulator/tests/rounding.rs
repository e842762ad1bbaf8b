//! Float arithmetic in every rounding direction against exact sums: a result is correct if it is on the right side of
//! the exact value and its neighbour is not. The exact values come from error-free transformations.

use crate::support::{Numbers, compute};
use half::{bf16, f16};
use std::cmp::Ordering;
use tilewright_irs::ptx::Type;

/// Numbers of all magnitudes, including special ones.
fn singles(count: usize, seed: u64) -> Vec<f32> {
    let special = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        f32::MAX,
        f32::MIN_POSITIVE,
        f32::from_bits(1),
        3.0,
        0.1,
        -1e-40,
        16_777_217.0,
    ];
    let mut numbers = Numbers::new(seed);
    let mut all = special.to_vec();
    while all.len() < count {
        let bits = numbers.next();
        // Half of them near one, where carries and cancellations occur.
        let value = f32::from_bits(if bits >> 40 & 1 == 0 {
            bits as u32
        } else {
            0x3f00_0000 | bits as u32 & 0x81ff_ffff
        });
        if value.is_finite() {
            all.push(value);
        }
    }
    all
}

/// `x + y` as a rounded sum and its error (Knuth).
fn two_sum(x: f64, y: f64) -> (f64, f64) {
    let sum = x + y;
    let back = sum - x;
    (sum, (x - (sum - back)) + (y - back))
}

/// The sign of an exact sum, from an expansion with non-overlapping parts.
fn sign(terms: &[f64]) -> Ordering {
    let mut parts: Vec<f64> = Vec::new();
    for term in terms {
        let mut carry = *term;
        for part in &mut parts {
            let (sum, error) = two_sum(carry, *part);
            (*part, carry) = (error, sum);
        }
        parts.push(carry);
    }
    let largest = parts.iter().rev().find(|part| **part != 0.0);
    largest.map_or(Ordering::Equal, |part| part.total_cmp(&0.0))
}

/// Checks that `result` is `exact` (a sum of terms) rounded in the given direction, using its neighbours.
fn check_f64(mode: &str, result: f64, terms: &[f64], what: &str) {
    let against = |value: f64| sign(&[terms, &[-value]].concat());
    let ok = match mode {
        "rm" => against(result).is_ge() && against(result.next_up()).is_lt(),
        "rp" => against(result).is_le() && against(result.next_down()).is_gt(),
        "rz" if result > 0.0 || (result == 0.0 && result.is_sign_positive()) => {
            against(result).is_ge() && against(result.next_up()).is_lt()
        }
        "rz" => against(result).is_le() && against(result.next_down()).is_gt(),
        _ => {
            let (low, high) = (result.next_down(), result.next_up());
            // The exact value is between the midpoints to both neighbours (twice the value against the sum).
            let double: Vec<f64> = terms.iter().map(|term| term * 2.0).collect();
            let beyond = |other: f64| sign(&[double.as_slice(), &[-result, -other]].concat());
            beyond(low).is_ge() && beyond(high).is_le()
        }
    };
    assert!(ok, "{what}.{mode} gives {result:e}");
}

fn check_f32(mode: &str, result: f32, terms: &[f64], what: &str) {
    let against = |value: f32| sign(&[terms, &[-f64::from(value)]].concat());
    let ok = match mode {
        "rm" => against(result).is_ge() && against(result.next_up()).is_lt(),
        "rp" => against(result).is_le() && against(result.next_down()).is_gt(),
        "rz" if result.is_sign_positive() => against(result).is_ge() && against(result.next_up()).is_lt(),
        "rz" => against(result).is_le() && against(result.next_down()).is_gt(),
        _ => {
            let half = |other: f32| (f64::from(result) + f64::from(other)) / 2.0;
            let beyond = |value: f64| sign(&[terms, &[-value]].concat());
            beyond(half(result.next_down())).is_ge() && beyond(half(result.next_up())).is_le()
        }
    };
    assert!(ok, "{what}.{mode} gives {result:e}");
}

const MODES: [&str; 4] = ["rn", "rz", "rm", "rp"];

fn bits(values: &[f32]) -> Vec<u64> {
    values.iter().map(|value| u64::from(value.to_bits())).collect()
}

#[test]
fn single_add_mul_fma_div_and_sqrt_round_exactly() {
    let (a, b, c) = (singles(2000, 1), singles(2000, 2), singles(2000, 3));
    let order = |at: usize| (a[at], b[(at * 7 + 3) % b.len()], c[(at * 11 + 5) % c.len()]);
    let rows: Vec<Vec<u64>> = (0..a.len())
        .map(|at| {
            let (a, b, c) = order(at);
            bits(&[a, b, c])
        })
        .collect();
    for mode in MODES {
        let run = |text: &str, sources: usize| compute(text, Type::F32, &vec![Type::F32; sources], &rows);
        let sums = run(&format!("add.{mode}.f32 $d, $a, $b;"), 2);
        let differences = run(&format!("sub.{mode}.f32 $d, $a, $b;"), 2);
        let products = run(&format!("mul.{mode}.f32 $d, $a, $b;"), 2);
        let fused = run(&format!("fma.{mode}.f32 $d, $a, $b, $c;"), 3);
        let quotients = run(&format!("div.{mode}.f32 $d, $a, $b;"), 2);
        let roots = run(&format!("sqrt.{mode}.f32 $d, $a;"), 1);
        let reciprocals = run(&format!("rcp.{mode}.f32 $d, $a;"), 1);
        for at in 0..rows.len() {
            let (a, b, c) = order(at);
            let (wide_a, wide_b, wide_c) = (f64::from(a), f64::from(b), f64::from(c));
            let finite = |word: u64| Some(f32::from_bits(word as u32)).filter(|value| value.abs() < f32::MAX);
            let about = format!("{a:e} {b:e} {c:e}");
            if let Some(result) = finite(sums[at]) {
                check_f32(mode, result, &[wide_a, wide_b], &format!("add {about}"));
            }
            if let Some(result) = finite(differences[at]) {
                check_f32(mode, result, &[wide_a, -wide_b], &format!("sub {about}"));
            }
            if let Some(result) = finite(products[at]) {
                check_f32(mode, result, &[wide_a * wide_b], &format!("mul {about}"));
            }
            if let Some(result) = finite(fused[at]) {
                check_f32(mode, result, &[wide_a * wide_b, wide_c], &format!("fma {about}"));
            }
            if let Some(result) = finite(quotients[at]) {
                check_quotient(mode, result, wide_a, wide_b);
            }
            if let Some(result) = finite(reciprocals[at]) {
                check_quotient(mode, result, 1.0, wide_a);
            }
            let root = f32::from_bits(roots[at] as u32);
            if a > 0.0 {
                // The root's square is exact in f64, and squaring preserves order.
                let square = |value: f64| (value * value).total_cmp(&wide_a);
                let (low, high) = (f64::from(root.next_down()), f64::from(root.next_up()));
                let root = f64::from(root);
                let ok = match mode {
                    "rm" | "rz" => square(root).is_le() && square(high).is_gt(),
                    "rp" => square(root).is_ge() && square(low).is_lt(),
                    _ => {
                        square(f64::midpoint(root, low)).is_le() && square(f64::midpoint(root, high)).is_ge()
                    }
                };
                assert!(ok, "sqrt.{mode} {a:e} gives {root:e}");
            } else if a == 0.0 {
                assert_eq!(roots[at] as u32, a.to_bits());
            } else {
                assert_eq!(roots[at], 0x7fff_ffff, "sqrt of {a:e} is the canonical NaN");
            }
        }
    }
}

/// Checks `result` against `a / b`, by the exact sign of `a - result * b`.
fn check_quotient(mode: &str, result: f32, a: f64, b: f64) {
    if b == 0.0 {
        return;
    }
    // Whether the exact quotient is above `value`.
    let above = |value: f64| {
        let order = sign(&[a, -(value * b)]);
        if b > 0.0 { order } else { order.reverse() }
    };
    let (low, high) = (f64::from(result.next_down()), f64::from(result.next_up()));
    let positive = result.is_sign_positive();
    let result = f64::from(result);
    let ok = match mode {
        "rm" => above(result).is_ge() && above(high).is_lt(),
        "rp" => above(result).is_le() && above(low).is_gt(),
        "rz" if positive => above(result).is_ge() && above(high).is_lt(),
        "rz" => above(result).is_le() && above(low).is_gt(),
        _ => above(f64::midpoint(result, low)).is_ge() && above(f64::midpoint(result, high)).is_le(),
    };
    assert!(ok, "{a:e} / {b:e} in {mode} gives {result:e}");
}

/// Numbers whose products and errors are far from the limits of the exponent range.
fn doubles(count: usize, seed: u64) -> Vec<f64> {
    let mut numbers = Numbers::new(seed);
    (0..count)
        .map(|at| {
            let word = numbers.next();
            let exponent = if at % 2 == 0 {
                1023 + word % 3
            } else {
                973 + word % 100
            };
            f64::from_bits((word & 0x800f_ffff_ffff_ffff) | exponent << 52)
        })
        .collect()
}

#[test]
fn double_add_mul_fma_div_and_sqrt_round_exactly() {
    let (a, b, c) = (doubles(1500, 4), doubles(1500, 5), doubles(1500, 6));
    let rows: Vec<Vec<u64>> = (0..a.len())
        .map(|at| vec![a[at].to_bits(), b[at].to_bits(), c[at].to_bits()])
        .collect();
    for mode in MODES {
        let run = |text: &str, sources: usize| compute(text, Type::F64, &vec![Type::F64; sources], &rows);
        let sums = run(&format!("add.{mode}.f64 $d, $a, $b;"), 2);
        let products = run(&format!("mul.{mode}.f64 $d, $a, $b;"), 2);
        let fused = run(&format!("fma.{mode}.f64 $d, $a, $b, $c;"), 3);
        let quotients = run(&format!("div.{mode}.f64 $d, $a, $b;"), 2);
        let roots = run(&format!("sqrt.{mode}.f64 $d, $a;"), 1);
        for at in 0..rows.len() {
            let (a, b, c) = (a[at], b[at], c[at]);
            let product = a * b;
            let error = a.mul_add(b, -product);
            check_f64(mode, f64::from_bits(sums[at]), &[a, b], "add");
            check_f64(mode, f64::from_bits(products[at]), &[product, error], "mul");
            check_f64(mode, f64::from_bits(fused[at]), &[error, product, c], "fma");
            let quotient = f64::from_bits(quotients[at]);
            let remainder = (-quotient).mul_add(b, a);
            // The remainder is exact; its sign, relative to the divisor's, gives the side of the quotient.
            let above = if b > 0.0 { remainder } else { -remainder };
            let ulp = quotient.abs().next_up() - quotient.abs();
            assert!(
                remainder.abs() <= (ulp * b).abs(),
                "div.{mode} is within one unit"
            );
            match mode {
                "rm" => assert!(above >= 0.0),
                "rp" => assert!(above <= 0.0),
                "rz" => assert!(if quotient > 0.0 {
                    above >= 0.0
                } else {
                    above <= 0.0
                }),
                _ => assert!(remainder.abs() * 2.0 <= (ulp * b).abs()),
            }
            if a > 0.0 {
                let root = f64::from_bits(roots[at]);
                let rest = (-root).mul_add(root, a);
                match mode {
                    "rm" | "rz" => assert!(rest >= 0.0),
                    "rp" => assert!(rest <= 0.0),
                    _ => assert_eq!(root, a.sqrt()),
                }
            }
        }
    }
}

#[test]
fn half_arithmetic_rounds_once() {
    let mut numbers = Numbers::new(7);
    let rows: Vec<Vec<u64>> = (0..4000)
        .map(|_| (0..3).map(|_| numbers.next() & 0xffff).collect())
        .collect();
    let number = |bits: u64| f64::from(f16::from_bits(bits as u16));
    let check = |text: &str, f: &dyn Fn(&[u64]) -> f64| {
        for (row, got) in rows.iter().zip(compute(text, Type::F16, &[Type::F16; 3], &rows)) {
            let wanted = f(row);
            if wanted.is_nan() {
                assert_eq!(got, 0x7fff, "{text} {row:x?}");
            } else {
                assert_eq!(got, u64::from(f16::from_f64(wanted).to_bits()), "{text} {row:x?}");
            }
        }
    };
    // Sums and products of halves are exact in f64.
    check("add.rn.f16 $d, $a, $b;", &|row| number(row[0]) + number(row[1]));
    check("sub.rn.f16 $d, $a, $b;", &|row| number(row[0]) - number(row[1]));
    check("mul.rn.f16 $d, $a, $b;", &|row| number(row[0]) * number(row[1]));
}

#[test]
fn half_fma_does_not_round_twice() {
    // The exact sum is below the midpoint of two halves by 2^-31, which f32 cannot represent; rounding to f32 first
    // would make it a tie.
    let h = |value: f64| u64::from(f16::from_f64(value).to_bits());
    let odd = 1.0 + 2f64.powi(-10);
    let rows = vec![
        vec![h(odd), h(2f64.powi(-11) * (1.0 - 2f64.powi(-10))), h(odd)],
        vec![h(1.0), h(2f64.powi(-11)), h(odd)],
    ];
    let got = compute("fma.rn.f16 $d, $a, $b, $c;", Type::F16, &[Type::F16; 3], &rows);
    assert_eq!(got, [h(odd), h(1.0 + 2f64.powi(-9))], "the second is a tie");
    let b = |value: f64| u64::from(bf16::from_f64(value).to_bits());
    // 2^-8 and a tiny value, far below the precision of f64 next to 1.
    let rows = vec![vec![
        b(2f64.powi(-120)),
        b(2f64.powi(-10)),
        b(1.0 + 2f64.powi(-7)),
    ]];
    assert_eq!(
        compute("fma.rn.bf16 $d, $a, $b, $c;", Type::Bf16, &[Type::Bf16; 3], &rows),
        [b(1.0 + 2f64.powi(-7))]
    );
}

#[test]
fn bfloat_arithmetic_rounds_like_single_precision_rounded() {
    let mut numbers = Numbers::new(8);
    let mut word = || 0x3e00 + (numbers.next() & 0x83ff);
    let rows: Vec<Vec<u64>> = (0..3000).map(|_| vec![word(), word()]).collect();
    let number = |bits: u64| f64::from(bf16::from_bits(bits as u16));
    let sums = compute("add.rn.bf16 $d, $a, $b;", Type::Bf16, &[Type::Bf16; 2], &rows);
    let products = compute("mul.rn.bf16 $d, $a, $b;", Type::Bf16, &[Type::Bf16; 2], &rows);
    for (at, row) in rows.iter().enumerate() {
        let (a, b) = (number(row[0]), number(row[1]));
        assert_eq!(sums[at], u64::from(bf16::from_f64(a + b).to_bits()), "{a} + {b}");
        assert_eq!(
            products[at],
            u64::from(bf16::from_f64(a * b).to_bits()),
            "{a} * {b}"
        );
    }
}

#[test]
fn packed_halves_are_two_halves() {
    let rows = vec![vec![0x3c00_4000, 0x3c00_c000]];
    assert_eq!(
        compute("add.rn.f16x2 $d, $a, $b;", Type::F16x2, &[Type::F16x2; 2], &rows),
        [0x4000_0000]
    );
    assert_eq!(
        compute("neg.f16x2 $d, $a;", Type::F16x2, &[Type::F16x2], &rows),
        [0xbc00_c000]
    );
    let rows = vec![vec![0x3f80_4000, 0x3f80_3f80, 0xc000_3f80]];
    let got = compute(
        "fma.rn.relu.bf16x2 $d, $a, $b, $c;",
        Type::Bf16x2,
        &[Type::Bf16x2; 3],
        &rows,
    );
    assert_eq!(got, [0x0000_4040], "1 - 2 is cut to zero, 2 + 1 is 3");
}

#[test]
fn flushing_and_saturation_follow_ptx() {
    let f = |value: f32| u64::from(value.to_bits());
    let tiny = f32::from_bits(1);
    let run = |text: &str, rows: Vec<Vec<u64>>| compute(text, Type::F32, &[Type::F32; 2], &rows);
    assert_eq!(run("add.rn.f32 $d, $a, $b;", vec![vec![f(tiny), f(tiny)]]), [2]);
    assert_eq!(
        run("add.rn.ftz.f32 $d, $a, $b;", vec![vec![f(-tiny), f(-0.0)]]),
        [f(-0.0)],
        "the sign stays"
    );
    assert_eq!(
        run(
            "mul.rn.ftz.f32 $d, $a, $b;",
            vec![vec![f(f32::MIN_POSITIVE), f(0.5)]]
        ),
        [0]
    );
    let clamped = vec![
        vec![f(2.0), f(1.0)],
        vec![f(-2.0), f(1.0)],
        vec![f(f32::NAN), f(1.0)],
        vec![f(0.25), f(0.5)],
    ];
    assert_eq!(
        run("add.rn.sat.f32 $d, $a, $b;", clamped),
        [f(1.0), 0, 0, f(0.75)]
    );
    let nan = vec![vec![f(f32::INFINITY), f(f32::NEG_INFINITY)]];
    assert_eq!(run("add.rn.f32 $d, $a, $b;", nan), [0x7fff_ffff]);
    let zeros = vec![vec![f(1.0), f(-1.0)]];
    assert_eq!(
        run("add.rm.f32 $d, $a, $b;", zeros.clone()),
        [f(-0.0)],
        "rounding down, an exact zero is negative"
    );
    assert_eq!(run("add.rn.f32 $d, $a, $b;", zeros), [0]);
    let overflow = vec![vec![f(f32::MAX), f(f32::MAX)], vec![f(-f32::MAX), f(-f32::MAX)]];
    assert_eq!(
        run("add.rz.f32 $d, $a, $b;", overflow.clone()),
        [f(f32::MAX), f(-f32::MAX)]
    );
    assert_eq!(
        run("add.rp.f32 $d, $a, $b;", overflow),
        [f(f32::INFINITY), f(-f32::MAX)]
    );
}

#[test]
fn minimum_and_maximum_follow_ptx() {
    let f = |value: f32| u64::from(value.to_bits());
    let nan = f(f32::NAN);
    let run = |text: &str, a: u64, b: u64| compute(text, Type::F32, &[Type::F32; 2], &[vec![a, b]])[0];
    assert_eq!(run("min.f32 $d, $a, $b;", f(1.0), f(-2.0)), f(-2.0));
    assert_eq!(run("max.f32 $d, $a, $b;", f(1.0), f(-2.0)), f(1.0));
    assert_eq!(run("min.f32 $d, $a, $b;", nan, f(3.0)), f(3.0));
    assert_eq!(run("max.f32 $d, $a, $b;", f(3.0), nan), f(3.0));
    assert_eq!(run("max.f32 $d, $a, $b;", nan, nan), 0x7fff_ffff);
    assert_eq!(run("max.NaN.f32 $d, $a, $b;", f(3.0), nan), 0x7fff_ffff);
    assert_eq!(run("min.f32 $d, $a, $b;", 0, f(-0.0)), f(-0.0));
    assert_eq!(run("max.f32 $d, $a, $b;", f(-0.0), 0), 0);
    let half = compute(
        "min.NaN.f16x2 $d, $a, $b;",
        Type::F16x2,
        &[Type::F16x2; 2],
        &[vec![0x7e00_3c00, 0x3c00_bc00]],
    );
    assert_eq!(half, [0x7fff_bc00]);
}

#[test]
fn approximations_are_close() {
    let values = [0.001f32, 0.5, 1.0, 2.0, 3.75, 10.0];
    let rows: Vec<Vec<u64>> = values.iter().map(|value| bits(&[*value])).collect();
    type Function = fn(f64) -> f64;
    let functions: [(&str, Function); 7] = [
        ("ex2", f64::exp2),
        ("lg2", f64::log2),
        ("sin", f64::sin),
        ("cos", f64::cos),
        ("tanh", f64::tanh),
        ("rsqrt", |x| 1.0 / x.sqrt()),
        ("rcp", f64::recip),
    ];
    for (name, f) in functions {
        let got = compute(
            &format!("{name}.approx.f32 $d, $a;"),
            Type::F32,
            &[Type::F32],
            &rows,
        );
        for (value, got) in values.iter().zip(got) {
            let (got, wanted) = (f64::from(f32::from_bits(got as u32)), f(f64::from(*value)));
            assert!(
                (got - wanted).abs() <= wanted.abs() * 1e-7 + 1e-12,
                "{name} {value}: {got} and {wanted}"
            );
        }
    }
}

#[test]
fn single_fma_does_not_round_twice() {
    // The exact sum is below the midpoint of two singles by 2^-54, which f64 cannot represent next to one.
    let f = |value: f32| u64::from(value.to_bits());
    let odd = 1.0 + 2f32.powi(-23);
    let (a, b) = (2f32.powi(-24) * (1.0 + 2f32.powi(-15)), 1.0 - 2f32.powi(-15));
    let rows = [vec![f(a), f(b), f(odd)], vec![f(-a), f(b), f(-odd)]];
    let got = compute("fma.rn.f32 $d, $a, $b, $c;", Type::F32, &[Type::F32; 3], &rows);
    assert_eq!(got, [f(odd), f(-odd)]);
}

#[test]
fn a_copied_sign_leaves_the_value() {
    let pairs = [
        (1.5, 2.0),
        (-1.5, 2.0),
        (1.5, -2.0),
        (-0.0, 0.25),
        (0.0, -f64::INFINITY),
    ];
    let rows: Vec<Vec<u64>> = pairs
        .iter()
        .map(|(a, b): &(f64, f64)| vec![a.to_bits(), b.to_bits()])
        .collect();
    let got = compute(
        "copysign.f64 $d, $a, $b;",
        Type::F64,
        &[Type::F64, Type::F64],
        &rows,
    );
    let want: Vec<u64> = pairs.iter().map(|(a, b)| b.copysign(*a).to_bits()).collect();
    assert_eq!(got[..pairs.len()], want);
    let rows: Vec<Vec<u64>> = pairs
        .iter()
        .map(|(a, b)| [*a, *b].map(|x| u64::from((x as f32).to_bits())).to_vec())
        .collect();
    let got = compute(
        "copysign.f32 $d, $a, $b;",
        Type::F32,
        &[Type::F32, Type::F32],
        &rows,
    );
    let want: Vec<u64> = pairs
        .iter()
        .map(|(a, b)| u64::from((*b as f32).copysign(*a as f32).to_bits()))
        .collect();
    assert_eq!(got[..pairs.len()], want);
}
