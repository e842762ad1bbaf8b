//! Shape ops, reductions, scans and matrix products, against reference definitions in this file.

use crate::support;
use crate::support::{Program, Random, bytes, elements, launch};
use tilewright_evaluator::Init;
use tilewright_irs::element::ScalarType as S;

fn counted(count: u64) -> Vec<u64> {
    (0..count).collect()
}

/// The coordinates of an element.
fn at(shape: &[u64], mut flat: u64) -> Vec<u64> {
    let mut found: Vec<u64> = shape
        .iter()
        .rev()
        .map(|n| {
            let i = flat % n;
            flat /= n;
            i
        })
        .collect();
    found.reverse();
    found
}

fn flat(shape: &[u64], index: &[u64]) -> u64 {
    shape.iter().zip(index).fold(0, |sum, (n, i)| sum * n + i)
}

fn moved(from: &[u64], to: &[u64], op: &str, source: impl Fn(&[u64]) -> Vec<u64>) {
    let mut program = Program::new();
    program.line("%one = constant <i32: 1> : tile<i32>");
    program.input("a", from, S::I32, &counted(from.iter().product()));
    program.line(format!(
        "%r = {op} : {} -> {}",
        support::tile(from, S::I32),
        support::tile(to, S::I32)
    ));
    let got = program.output("r", to, S::I32).run();
    for (i, got) in got.into_iter().enumerate() {
        let want = flat(from, &source(&at(to, i as u64)));
        assert_eq!(got, want, "{op} {i}");
    }
}

#[test]
fn elements_are_moved() {
    moved(&[4, 1, 2], &[4, 8, 2], "broadcast %a", |i| vec![i[0], 0, i[2]]);
    moved(&[1], &[16], "broadcast %a", |_| vec![0]);
    moved(&[2, 4, 8], &[8, 2, 4], "permute %a [2, 0, 1]", |i| {
        vec![i[1], i[2], i[0]]
    });
    moved(&[4, 8], &[8, 4], "permute %a [1, 0]", |i| vec![i[1], i[0]]);
    moved(&[4, 8], &[2, 4], "extract %a[%one, %one]", |i| {
        vec![i[0] + 2, i[1] + 4]
    });
    moved(&[4, 8], &[2, 16], "reshape %a", |i| {
        let flat = i[0] * 16 + i[1];
        vec![flat / 8, flat % 8]
    });
}

#[test]
fn parts_are_joined_and_replaced() {
    for dim in 0..2usize {
        let mut program = Program::new();
        program.input("a", &[2, 4], S::I32, &counted(8));
        program.input("b", &[2, 4], S::I32, &counted(8));
        program.line("%k = constant <i32: 100> : tile<2x4xi32>");
        program.line("%c = addi %b, %k : tile<2x4xi32>");
        let to = if dim == 0 { [4, 4] } else { [2, 8] };
        program.line(format!(
            "%r = cat %a, %c dim = {dim} : tile<2x4xi32>, tile<2x4xi32> -> {}",
            support::tile(&to, S::I32)
        ));
        let got = program.output("r", &to, S::I32).run();
        for (i, got) in got.into_iter().enumerate() {
            let mut index = at(&to, i as u64);
            let second = index[dim] >= [2, 4][dim];
            if second {
                index[dim] -= [2, 4][dim];
            }
            assert_eq!(got, flat(&[2, 4], &index) + if second { 100 } else { 0 });
        }
    }
    let mut program = Program::new();
    program.line("%one = constant <i32: 1> : tile<i32>");
    program.input("a", &[4, 4], S::I32, &counted(16));
    program.line("%p = constant <i32: 99> : tile<2x2xi32>");
    program.line("%r = insert %p, %a[%zero, %one] : tile<2x2xi32>, tile<4x4xi32>");
    let got = program.output("r", &[4, 4], S::I32).run();
    assert_eq!(got, [0, 1, 99, 99, 4, 5, 99, 99, 8, 9, 10, 11, 12, 13, 14, 15]);
}

#[test]
fn iota_counts() {
    let mut program = Program::new();
    program.line("%r = iota : tile<128xi8>");
    assert_eq!(program.output("r", &[128], S::I8).run(), counted(128));
}

/// A sum along a dimension of a 4x8x2 tile.
#[test]
fn sums_along_every_dimension() {
    let shape = [4u64, 8, 2];
    let mut random = Random(3);
    let values = random.elements(S::I32, 64);
    for dim in 0..3usize {
        let mut rest = shape.to_vec();
        rest.remove(dim);
        let (from, to) = (support::tile(&shape, S::I32), support::tile(&rest, S::I32));
        let mut program = Program::new();
        program.input("a", &shape, S::I32, &values);
        program.line(format!(
            "%r = reduce %a dim={dim} identities=[0 : i32] : {from} -> {to}"
        ));
        program
            .line("(%x: tile<i32>, %y: tile<i32>) {\n%s = addi %x, %y : tile<i32>\nyield %s : tile<i32>\n}");
        let got = program.output("r", &rest, S::I32).run();
        let mut want = vec![0u32; got.len()];
        for (i, &value) in values.iter().enumerate() {
            let mut index = at(&shape, i as u64);
            index.remove(dim);
            let slot = &mut want[flat(&rest, &index) as usize];
            *slot = slot.wrapping_add(value as u32);
        }
        assert_eq!(got, want.into_iter().map(u64::from).collect::<Vec<_>>(), "{dim}");

        for reverse in [false, true] {
            let mut program = Program::new();
            program.input("a", &shape, S::I32, &values);
            program.line(format!(
                "%r = scan %a dim={dim} reverse={reverse} identities=[0 : i32] : {from} -> {from}"
            ));
            program.line(
                "(%x: tile<i32>, %y: tile<i32>) {\n%s = addi %x, %y : tile<i32>\nyield %s : tile<i32>\n}",
            );
            let got = program.output("r", &shape, S::I32).run();
            for (i, &got) in got.iter().enumerate() {
                let here = at(&shape, i as u64);
                let want = values.iter().enumerate().fold(0u32, |sum, (j, &value)| {
                    let there = at(&shape, j as u64);
                    let line = (0..3).all(|d| d == dim || here[d] == there[d]);
                    let before = if reverse {
                        there[dim] >= here[dim]
                    } else {
                        there[dim] <= here[dim]
                    };
                    if line && before {
                        sum.wrapping_add(value as u32)
                    } else {
                        sum
                    }
                });
                assert_eq!(got, u64::from(want), "{dim} {reverse} {i}");
            }
        }
    }
}

/// A body that does not commute takes what comes first in the direction of the scan as its first argument: one that yields its
/// first argument gives the first element everywhere, and one that yields its second each element itself.
#[test]
fn scans_combine_what_comes_first_with_what_follows() {
    let values = [5u64, 17, 3, 90];
    for (reverse, first) in [(false, 5), (true, 90)] {
        for (yielded, want) in [("%x", [first; 4]), ("%y", values)] {
            let mut program = Program::new();
            program.input("a", &[4], S::I32, &values);
            program.line(format!(
                "%r = scan %a dim=0 reverse={reverse} identities=[0 : i32] : tile<4xi32> -> tile<4xi32>"
            ));
            program.line(format!(
                "(%x: tile<i32>, %y: tile<i32>) {{\nyield {yielded} : tile<i32>\n}}"
            ));
            assert_eq!(
                program.output("r", &[4], S::I32).run(),
                want,
                "{reverse} {yielded}"
            );
        }
    }
}

/// Two operands at once, a body that branches, and one that does not commute.
#[test]
fn reductions_take_any_body() {
    let values = [5u64, 17, 3, 90, 90, 2, 41, 8];
    let mut program = Program::new();
    program.input("a", &[8], S::I32, &values);
    program.line("%i = iota : tile<8xi32>");
    program.line(
        "%m, %r = reduce %a, %i dim=0 identities=[0 : i32, 0 : i32] : tile<8xi32>, tile<8xi32> -> tile<i32>, tile<i32>",
    );
    program.line("(%x: tile<i32>, %xo: tile<i32>, %k: tile<i32>, %ko: tile<i32>) {");
    program.line("%c = cmpi greater_than_or_equal %x, %xo, signed : tile<i32> -> tile<i1>");
    program
        .line("%b, %bi = if %c -> (tile<i32>, tile<i32>) {\nyield %x, %k : tile<i32>, tile<i32>\n} else {");
    program.line("yield %xo, %ko : tile<i32>, tile<i32>\n}");
    program.line("yield %b, %bi : tile<i32>, tile<i32>\n}");
    assert_eq!(
        program.output("r", &[], S::I32).run(),
        [3],
        "the first of the greatest"
    );

    // The element that was folded before is kept: of a whole line, the first one.
    for (kept, want) in [("%old", 5), ("%new", 8)] {
        let mut program = Program::new();
        program.input("a", &[8], S::I32, &values);
        program.line("%r = reduce %a dim=0 identities=[0 : i32] : tile<8xi32> -> tile<i32>");
        program.line(format!(
            "(%old: tile<i32>, %new: tile<i32>) {{\nyield {kept} : tile<i32>\n}}"
        ));
        assert_eq!(program.output("r", &[], S::I32).run(), [want]);
    }
}

#[test]
fn float_sums_are_trees() {
    // 2^24 + 1 is 2^24: a tree of pairs keeps what a sum from left to right loses.
    let values = [16_777_216f32, 1.0, 1.0, 1.0].map(|x| u64::from(x.to_bits()));
    let mut program = Program::new();
    program.input("a", &[4], S::F32, &values);
    program.line("%r = reduce %a dim=0 identities=[0.0 : f32] : tile<4xf32> -> tile<f32>");
    program.line("(%x: tile<f32>, %y: tile<f32>) {\n%s = addf %x, %y : tile<f32>\nyield %s : tile<f32>\n}");
    let got = program.output("r", &[], S::F32).run();
    assert_eq!(f32::from_bits(got[0] as u32), 16_777_218.0);
}

#[test]
fn matrix_products() {
    let mut random = Random(21);
    let (b, m, k, n) = (2u64, 4u64, 8u64, 2u64);
    let small = |random: &mut Random, count: u64| -> Vec<f32> {
        (0..count).map(|_| random.below(17) as f32 - 8.0).collect()
    };
    let (x, y, z) = (
        small(&mut random, b * m * k),
        small(&mut random, b * k * n),
        small(&mut random, b * m * n),
    );
    let want = |x: &[f32], y: &[f32], z: &[f32]| -> Vec<f32> {
        (0..b * m * n)
            .map(|i| {
                let (batch, row, column) = (i / (m * n), i / n % m, i % n);
                (0..k).fold(z[i as usize], |sum, k1| {
                    sum + x[((batch * m + row) * k + k1) as usize]
                        * y[((batch * k + k1) * n + column) as usize]
                })
            })
            .collect()
    };
    let bits = |v: &[f32]| -> Vec<u64> { v.iter().map(|x| u64::from(x.to_bits())).collect() };
    for ty in [S::F32, S::F16, S::TF32] {
        let mut program = Program::new();
        program.input("x", &[b, m, k], S::F32, &bits(&x));
        program.input("y", &[b, k, n], S::F32, &bits(&y));
        program.input("z", &[b, m, n], S::F32, &bits(&z));
        let (mut p, mut q) = ("%x", "%y");
        if ty != S::F32 {
            program.line(format!("%p = ftof %x : tile<2x4x8xf32> -> tile<2x4x8x{ty}>"));
            program.line(format!("%q = ftof %y : tile<2x8x2xf32> -> tile<2x8x2x{ty}>"));
            (p, q) = ("%p", "%q");
        }
        program.line(format!(
            "%r = mmaf {p}, {q}, %z : tile<2x4x8x{ty}>, tile<2x8x2x{ty}>, tile<2x4x2xf32>"
        ));
        assert_eq!(
            program.output("r", &[b, m, n], S::F32).run(),
            bits(&want(&x, &y, &z)),
            "{ty}"
        );
    }
    for (signs, left, right) in [("signed unsigned", true, false), ("unsigned signed", false, true)] {
        let (x, y) = (random.elements(S::I8, 32), random.elements(S::I8, 16));
        let z = random.elements(S::I32, 8);
        let mut program = Program::new();
        program
            .input("x", &[4, 8], S::I8, &x)
            .input("y", &[8, 2], S::I8, &y);
        program.input("z", &[4, 2], S::I32, &z);
        program.line(format!(
            "%r = mmai %x, %y, %z {signs} : tile<4x8xi8>, tile<8x2xi8>, tile<4x2xi32>"
        ));
        let got = program.output("r", &[4, 2], S::I32).run();
        let number = |bits: u64, signed: bool| {
            if signed {
                i64::from(bits as u8 as i8)
            } else {
                bits as i64
            }
        };
        for (i, got) in got.into_iter().enumerate() {
            let sum = (0..8).fold(i64::from(z[i] as u32 as i32), |sum, k| {
                sum + number(x[i / 2 * 8 + k], left) * number(y[k * 2 + i % 2], right)
            });
            assert_eq!(got, u64::from(sum as u32));
        }
    }
}

#[test]
fn products_keep_more_than_a_half_until_their_end() {
    let half = |value: f32| u64::from(half::f16::from_f32(value).to_bits());
    let mut program = Program::new();
    program.input("x", &[1, 4], S::F16, &[half(1.0); 4]);
    program.input("y", &[4, 1], S::F16, &[half(1.0); 4]);
    program.input("z", &[1, 1], S::F16, &[half(2048.0)]);
    program.line("%r = mmaf %x, %y, %z : tile<1x4xf16>, tile<4x1xf16>, tile<1x1xf16>");
    // Halves from 2048 on are even: 2048 and 1 would be 2048 four times.
    assert_eq!(program.output("r", &[1, 1], S::F16).run(), [half(2052.0)]);
}

#[test]
fn scaled_products_scale_blocks_along_k() {
    // Ones of f8E4M3FN; scales of f8E8M0FNU, where 127 is 1 and each step doubles.
    let one = 0x38u64;
    let mut program = Program::new();
    program.input("x", &[2, 64], S::F8E4M3FN, &[one; 128]);
    program.input("y", &[64, 2], S::F8E4M3FN, &[one; 128]);
    program.input("z", &[2, 2], S::F32, &[0; 4]);
    program.input("xs", &[2, 2], S::F8E8M0FNU, &[127, 128, 129, 130]);
    program.input("ys", &[2, 2], S::F8E8M0FNU, &[127, 126, 125, 127]);
    program.line(
        "%r = mmaf_scaled %x, %y, %z, %xs, %ys : tile<2x64xf8E4M3FN>, tile<64x2xf8E4M3FN>, tile<2x2xf32>, \
         tile<2x2xf8E8M0FNU>, tile<2x2xf8E8M0FNU>",
    );
    let got: Vec<f32> = program
        .output("r", &[2, 2], S::F32)
        .run()
        .iter()
        .map(|&bits| f32::from_bits(bits as u32))
        .collect();
    // Row scales 1 2 and 4 8; column scales 1 1/4 and 1/2 1.
    assert_eq!(got, [32.0 + 16.0, 16.0 + 64.0, 128.0 + 64.0, 64.0 + 256.0]);
}

#[test]
fn each_batch_of_a_scaled_product_has_its_scales() {
    let one = 0x38u64;
    let mut program = Program::new();
    program.input("x", &[2, 1, 32], S::F8E4M3FN, &[one; 64]);
    program.input("y", &[2, 32, 2], S::F8E4M3FN, &[one; 128]);
    program.input("z", &[2, 1, 2], S::F32, &[0; 4]);
    program.input("xs", &[2, 1, 1], S::F8E8M0FNU, &[127, 130]);
    program.input("ys", &[2, 1, 2], S::F8E8M0FNU, &[127, 128, 126, 129]);
    program.line(
        "%r = mmaf_scaled %x, %y, %z, %xs, %ys : tile<2x1x32xf8E4M3FN>, tile<2x32x2xf8E4M3FN>, tile<2x1x2xf32>, \
         tile<2x1x1xf8E8M0FNU>, tile<2x1x2xf8E8M0FNU>",
    );
    let got = program.output("r", &[2, 1, 2], S::F32).run();
    let got: Vec<f32> = got.iter().map(|&bits| f32::from_bits(bits as u32)).collect();
    // Of rows 1 and 8, of columns 1 2 and 1/2 4.
    assert_eq!(got, [32.0, 64.0, 32.0 * 4.0, 32.0 * 32.0]);
}

#[test]
fn scaled_by_every_row() {
    let text = "entry @k(%p: tile<ptr<i32>>) {
        %c = constant <i32: [3, 1, 2, 0]> : tile<4xi32>
        %r = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
        %b = broadcast %r : tile<1xptr<i32>> -> tile<4xptr<i32>>
        %q = offset %b, %c : tile<4xptr<i32>>, tile<4xi32> -> tile<4xptr<i32>>
        %i = iota : tile<4xi32>
        %t = store_ptr_tko weak %q, %i : tile<4xptr<i32>>, tile<4xi32> -> token
        return
    }";
    let got = launch(text, [1, 1, 1], vec![Init::Data(bytes(S::I32, &[9; 4]))]).expect("runs");
    assert_eq!(elements(S::I32, &got[0]), [3, 1, 2, 0]);
}
