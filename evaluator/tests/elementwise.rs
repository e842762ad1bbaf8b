//! Elementwise ops, against reference definitions in this file.

#![allow(clippy::type_complexity, reason = "tables of ops and what they compute")]

use crate::support::{Program, Random};
use tilewright_irs::element::ScalarType as S;

/// An op and what it computes.
type Op<F> = (&'static str, F);

const COUNT: usize = 256;
const SHAPE: [u64; 2] = [16, 16];

fn signed(ty: S, bits: u64) -> i128 {
    let unused = 64 - ty.bits();
    i128::from((bits << unused).cast_signed() >> unused)
}

fn cut(ty: S, value: i128) -> u64 {
    (value & i128::from(ty.mask())) as u64
}

/// Runs an op on two tiles of random integers.
fn integers(op: &str, after: &str, want: impl Fn(S, u64, u64) -> u64) {
    for ty in [S::I8, S::I16, S::I32, S::I64] {
        let mut random = Random(0x1234_5678 + u64::from(ty.bits()));
        let (a, b) = (random.elements(ty, COUNT), random.elements(ty, COUNT));
        let mut program = Program::new();
        program.input("a", &SHAPE, ty, &a).input("b", &SHAPE, ty, &b);
        program.line(format!("%r = {op} %a, %b{after} : tile<16x16x{ty}>"));
        let got = program.output("r", &SHAPE, ty).run();
        for ((&a, &b), got) in a.iter().zip(&b).zip(got) {
            assert_eq!(got, want(ty, a, b), "{op}{after} {ty} {a:#x} {b:#x}");
        }
    }
}

#[test]
fn integer_ops_are_those_of_numbers() {
    integers("addi", "", |ty, a, b| cut(ty, i128::from(a) + i128::from(b)));
    integers("subi", "", |ty, a, b| cut(ty, i128::from(a) - i128::from(b)));
    integers("muli", "", |ty, a, b| cut(ty, signed(ty, a) * signed(ty, b)));
    integers("mulhii", "", |ty, a, b| {
        ((u128::from(a) * u128::from(b)) >> ty.bits()) as u64
    });
    integers("andi", "", |_, a, b| a & b);
    integers("ori", "", |_, a, b| a | b);
    integers("xori", "", |_, a, b| a ^ b);
    integers("maxi", " signed", |ty, a, b| {
        cut(ty, signed(ty, a).max(signed(ty, b)))
    });
    integers("maxi", " unsigned", |_, a, b| a.max(b));
    integers("mini", " signed", |ty, a, b| {
        cut(ty, signed(ty, a).min(signed(ty, b)))
    });
    integers("mini", " unsigned", |_, a, b| a.min(b));
}

#[test]
fn shifts_stop_at_the_width() {
    for ty in [S::I8, S::I32, S::I64] {
        let mut random = Random(77);
        let a = random.elements(ty, COUNT);
        let by: Vec<u64> = (0..COUNT as u64).map(|i| i % u64::from(ty.bits() + 3)).collect();
        let run = |op: &str| {
            let mut program = Program::new();
            program.input("a", &SHAPE, ty, &a).input("b", &SHAPE, ty, &by);
            program.line(format!("%r = {op} : tile<16x16x{ty}>"));
            program.output("r", &SHAPE, ty).run()
        };
        let (left, logical, arithmetic) = (
            run("shli %a, %b"),
            run("shri %a, %b unsigned"),
            run("shri %a, %b signed"),
        );
        for (i, (&a, &by)) in a.iter().zip(&by).enumerate() {
            assert_eq!(left[i], cut(ty, i128::from(a) << by), "{a:#x} << {by}");
            assert_eq!(logical[i], cut(ty, i128::from(a) >> by), "{a:#x} >> {by}");
            assert_eq!(
                arithmetic[i],
                cut(ty, signed(ty, a) >> by),
                "{a:#x} >> {by} signed"
            );
        }
    }
}

#[test]
fn quotients_round_as_told() {
    let ty = S::I32;
    let mut random = Random(5);
    let a = random.elements(ty, COUNT);
    // No zero, and no -1 under the least number.
    let b: Vec<u64> = (0..COUNT as u64)
        .map(|i| cut(ty, (i128::from(i % 37) + 2) * if i % 2 == 0 { 1 } else { -1 }))
        .collect();
    let run = |op: &str| {
        let mut program = Program::new();
        program.input("a", &SHAPE, ty, &a).input("b", &SHAPE, ty, &b);
        program.line(format!("%r = {op} : tile<16x16xi32>"));
        program.output("r", &SHAPE, ty).run()
    };
    let (zero, down, up) = (
        run("divi %a, %b signed"),
        run("divi %a, %b signed rounding<negative_inf>"),
        run("divi %a, %b signed rounding<positive_inf>"),
    );
    let (rest, unsigned, unsigned_rest) = (
        run("remi %a, %b signed"),
        run("divi %a, %b unsigned"),
        run("remi %a, %b unsigned"),
    );
    for i in 0..COUNT {
        let (x, y) = (signed(ty, a[i]), signed(ty, b[i]));
        assert_eq!(signed(ty, zero[i]), x / y);
        assert_eq!(signed(ty, rest[i]), x % y);
        assert_eq!(
            signed(ty, down[i]),
            x.div_euclid(y) - i128::from(y < 0 && x.rem_euclid(y) != 0)
        );
        assert_eq!(
            signed(ty, up[i]),
            -((-x).div_euclid(y) - i128::from(y < 0 && (-x).rem_euclid(y) != 0))
        );
        assert_eq!(unsigned[i], a[i] / b[i]);
        assert_eq!(unsigned_rest[i], a[i] % b[i]);
    }
}

/// Runs an op on tiles of random f32 and returns what there is to compare.
fn floats(inputs: usize, op: &str) -> (Vec<Vec<f32>>, Vec<f32>) {
    let mut program = Program::new();
    let mut random = Random(99);
    let mut all = Vec::new();
    for name in ["a", "b", "c"].iter().take(inputs) {
        let bits: Vec<u64> = (0..COUNT)
            .map(|i| match i % 16 {
                0 => u64::from(f32::NAN.to_bits()),
                1 => u64::from(f32::INFINITY.to_bits()),
                2 => u64::from((-0.0f32).to_bits()),
                3 => 1,
                _ => u64::from((random.below(4_000_000) as f32 / 1000.0 - 2000.0).to_bits()),
            })
            .collect();
        program.input(name, &SHAPE, S::F32, &bits);
        all.push(bits.iter().map(|&bits| f32::from_bits(bits as u32)).collect());
    }
    program.line(format!("%r = {op} : tile<16x16xf32>"));
    let got = program.output("r", &SHAPE, S::F32).run();
    (all, got.iter().map(|&bits| f32::from_bits(bits as u32)).collect())
}

fn same(got: f32, want: f32, what: &str) {
    assert!(
        got.to_bits() == want.to_bits() || (got.is_nan() && want.is_nan()),
        "{what}: {got} is not {want}"
    );
}

#[test]
fn float_ops_are_those_of_the_host() {
    let binary: [Op<fn(f32, f32) -> f32>; 7] = [
        ("addf %a, %b", |a, b| a + b),
        ("subf %a, %b", |a, b| a - b),
        ("mulf %a, %b", |a, b| a * b),
        ("divf %a, %b", |a, b| a / b),
        ("remf %a, %b", |a, b| a % b),
        ("maxf %a, %b propagate_nan", |a, b| {
            if a.is_nan() || b.is_nan() {
                f32::NAN
            } else if a == b {
                if a.is_sign_negative() { b } else { a }
            } else {
                a.max(b)
            }
        }),
        ("minf %a, %b", |a, b| {
            if a == b {
                if a.is_sign_negative() { a } else { b }
            } else {
                a.min(b)
            }
        }),
    ];
    for (op, want) in binary {
        let (inputs, got) = floats(2, op);
        for (i, got) in got.into_iter().enumerate() {
            let (a, b) = (inputs[0][i], inputs[1][i]);
            same(got, want(a, b), &format!("{op} {a} {b}"));
        }
    }
    let unary: [Op<fn(f32) -> f32>; 5] = [
        ("absf %a", f32::abs),
        ("negf %a", |a| -a),
        ("ceil %a", f32::ceil),
        ("floor %a", f32::floor),
        ("sqrt %a", f32::sqrt),
    ];
    for (op, want) in unary {
        let (inputs, got) = floats(1, op);
        for (&a, got) in inputs[0].iter().zip(got) {
            same(got, want(a), &format!("{op} {a}"));
        }
    }
    let (inputs, got) = floats(3, "fma %a, %b, %c");
    for (i, got) in got.into_iter().enumerate() {
        same(got, inputs[0][i].mul_add(inputs[1][i], inputs[2][i]), "fma");
    }
}

#[test]
fn functions_are_close_to_those_of_the_host() {
    let unary: [Op<fn(f64) -> f64>; 10] = [
        ("exp", f64::exp),
        ("exp2", f64::exp2),
        ("log", f64::ln),
        ("log2", f64::log2),
        ("sin", f64::sin),
        ("cos", f64::cos),
        ("sinh", f64::sinh),
        ("cosh", f64::cosh),
        ("tanh", f64::tanh),
        ("rsqrt", |a| 1.0 / a.sqrt()),
    ];
    let inputs: Vec<f32> = (0..64u16).map(|i| f32::from(i) * 0.173 + 0.01).collect();
    let bits: Vec<u64> = inputs.iter().map(|a| u64::from(a.to_bits())).collect();
    for (op, want) in unary {
        let mut program = Program::new();
        program.input("a", &[64], S::F32, &bits);
        program.line(format!("%r = {op} %a : tile<64xf32>"));
        let got = program.output("r", &[64], S::F32).run();
        for (&a, got) in inputs.iter().zip(got) {
            let (got, want) = (f64::from(f32::from_bits(got as u32)), want(f64::from(a)));
            assert!(
                (got - want).abs() <= want.abs() * 1e-6,
                "{op} {a}: {got} is not {want}"
            );
        }
    }
}

#[test]
fn two_argument_functions_take_them_in_order() {
    let run = |op: &str| {
        let mut program = Program::new();
        let bits = |a: f64| vec![a.to_bits()];
        program.input("a", &[1], S::F64, &bits(3.0));
        program.input("b", &[1], S::F64, &bits(2.0));
        program.input("n", &[1], S::I32, &[0xffff_fffd]);
        program.line(op);
        f64::from_bits(program.output("r", &[1], S::F64).run()[0])
    };
    assert_eq!(run("%r = fpowf %a, %b : tile<1xf64>"), 9.0);
    assert!((run("%r = fpowi %a, %n : tile<1xf64>, tile<1xi32>") - 3f64.powi(-3)).abs() < 1e-17);
    assert!((run("%r = atan2 %a, %b : tile<1xf64>") - 3f64.atan2(2.0)).abs() < 1e-15);
}

#[test]
fn comparisons_and_choice() {
    let predicates: [Op<fn(i128, i128) -> bool>; 6] = [
        ("equal", |a, b| a == b),
        ("not_equal", |a, b| a != b),
        ("less_than", |a, b| a < b),
        ("less_than_or_equal", |a, b| a <= b),
        ("greater_than", |a, b| a > b),
        ("greater_than_or_equal", |a, b| a >= b),
    ];
    let mut random = Random(8);
    let (a, b) = (random.elements(S::I16, COUNT), random.elements(S::I16, COUNT));
    for (word, want) in predicates {
        for signedness in ["signed", "unsigned"] {
            let mut program = Program::new();
            program
                .input("a", &SHAPE, S::I16, &a)
                .input("b", &SHAPE, S::I16, &b);
            program.line(format!(
                "%c = cmpi {word} %a, %b, {signedness} : tile<16x16xi16> -> tile<16x16xi1>"
            ));
            program.line("%r = select %c, %a, %b : tile<16x16xi1>, tile<16x16xi16>");
            let got = program.output("r", &SHAPE, S::I16).run();
            for i in 0..COUNT {
                let number = |bits| {
                    if signedness == "signed" {
                        signed(S::I16, bits)
                    } else {
                        i128::from(bits)
                    }
                };
                let holds = want(number(a[i]), number(b[i]));
                assert_eq!(got[i], if holds { a[i] } else { b[i] }, "{word} {signedness}");
            }
        }
    }
    let floats = [1.0f32, f32::NAN, -0.0, 0.0];
    let bits: Vec<u64> = floats.iter().map(|a| u64::from(a.to_bits())).collect();
    for (ordering, with_nan) in [("ordered", 0), ("unordered", 1)] {
        let mut program = Program::new();
        program.input("a", &[4], S::F32, &bits);
        program.line("%b = constant <f32: 0.000000e+00> : tile<4xf32>");
        program.line(format!(
            "%r = cmpf equal {ordering} %a, %b : tile<4xf32> -> tile<4xi1>"
        ));
        assert_eq!(program.output("r", &[4], S::I1).run(), [0, with_nan, 1, 1]);
    }
}

#[test]
fn conversions() {
    let run = |values: &[u64], from: S, to: S, op: &str| {
        let count = values.len() as u64;
        let mut program = Program::new();
        program.input("a", &[count], from, values);
        program.line(format!("%r = {op} : tile<{count}x{from}> -> tile<{count}x{to}>"));
        program.output("r", &[count], to).run()
    };
    assert_eq!(
        run(&[0x80, 0x7f], S::I8, S::I32, "exti %a signed"),
        [0xffff_ff80, 0x7f]
    );
    assert_eq!(
        run(&[0x80, 0x7f], S::I8, S::I32, "exti %a unsigned"),
        [0x80, 0x7f]
    );
    assert_eq!(run(&[0x1_2345, 0xffff], S::I32, S::I8, "trunci %a"), [0x45, 0xff]);
    assert_eq!(
        run(&[0x3f80_0000, 0xc000_0000], S::F32, S::I32, "bitcast %a"),
        [0x3f80_0000, 0xc000_0000]
    );
    let half = |x: f32| u64::from(x.to_bits());
    assert_eq!(
        run(&[half(1.0), half(-2.5)], S::F32, S::F16, "ftof %a"),
        [0x3c00, 0xc100]
    );
    assert_eq!(
        run(&[0x3c00, 0xc100], S::F16, S::F64, "ftof %a"),
        [1f64.to_bits(), (-2.5f64).to_bits()]
    );
    assert_eq!(
        run(&[half(2.9), half(-2.9)], S::F32, S::I32, "ftoi %a signed"),
        [2, 0xffff_fffe]
    );
    assert_eq!(
        run(
            &[half(1e10), half(f32::NAN)],
            S::F32,
            S::I32,
            "ftoi %a signed saturating"
        ),
        [0x7fff_ffff, 0]
    );
    assert_eq!(
        run(&[0xffff_ffff, 3], S::I32, S::F32, "itof %a signed"),
        [half(-1.0), half(3.0)]
    );
    assert_eq!(
        run(&[0xffff_ffff, 3], S::I32, S::F32, "itof %a unsigned"),
        [half(4_294_967_296.0), half(3.0)]
    );
}

#[test]
fn bytes_of_a_tile_are_little_endian() {
    let mut program = Program::new();
    program.input("a", &[2], S::I32, &[0x0403_0201, 0x0807_0605]);
    program.line("%r = pack %a : tile<2xi32> -> tile<8xi8>");
    assert_eq!(program.output("r", &[8], S::I8).run(), [1, 2, 3, 4, 5, 6, 7, 8]);
    let mut program = Program::new();
    program.input("a", &[8], S::I8, &[1, 2, 3, 4, 5, 6, 7, 8]);
    program.line("%r = unpack %a : tile<8xi8> -> tile<4xi16>");
    assert_eq!(
        program.output("r", &[4], S::I16).run(),
        [0x201, 0x403, 0x605, 0x807]
    );
    let mut program = Program::new();
    program.input("a", &[4], S::I8, &[0x21, 0x43, 0x65, 0x87]);
    program.line("%n = unpack %a : tile<4xi8> -> tile<8xi4>");
    program.line("%r = exti %n unsigned : tile<8xi4> -> tile<8xi32>");
    assert_eq!(program.output("r", &[8], S::I32).run(), [1, 2, 3, 4, 5, 6, 7, 8]);
}
