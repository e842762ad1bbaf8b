//! Matrix products and matrix moves against plain loops, with the fragments defined in the PTX ISA.

#![allow(
    clippy::needless_range_loop,
    reason = "lanes and elements index several fragments at once"
)]

use crate::support::Numbers;
use half::{bf16, f16};
use tilewright_simulator::matrix::{
    Accumulator, BitOperation, Element, Major, MatrixLoad, MatrixStore, Product, ProductKind, Row, Scale,
    Scaling, ScalingOperand, Shape, Unpacking,
};

/// From `groupID`, `threadID_in_group` and an element's index to its (row, column).
type Place = fn(usize, usize, usize) -> (usize, usize);

/// A shape for elements of a width: the elements of A and B of a lane, and their positions.
struct Case {
    m: usize,
    k: usize,
    bits: u32,
    a: (usize, Place),
    b: (usize, Place),
}

/// The formulas of "Matrix Fragments for mma.…", section by section.
const CASES: &[Case] = &[
    Case {
        m: 8,
        k: 4,
        bits: 64,
        a: (1, |g, t, _| (g, t)),
        b: (1, |g, t, _| (t, g)),
    },
    Case {
        m: 8,
        k: 16,
        bits: 8,
        a: (4, |g, t, i| (g, t * 4 + i)),
        b: (4, |g, t, i| (t * 4 + i, g)),
    },
    Case {
        m: 8,
        k: 32,
        bits: 4,
        a: (8, |g, t, i| (g, t * 8 + i)),
        b: (8, |g, t, i| (t * 8 + i, g)),
    },
    Case {
        m: 8,
        k: 128,
        bits: 1,
        a: (32, |g, t, i| (g, t * 32 + i)),
        b: (32, |g, t, i| (t * 32 + i, g)),
    },
    Case {
        m: 16,
        k: 4,
        bits: 32,
        a: (2, |g, t, i| (if i == 0 { g } else { g + 8 }, t)),
        b: (1, |g, t, _| (t, g)),
    },
    Case {
        m: 16,
        k: 4,
        bits: 64,
        a: (2, |g, t, i| (if i == 0 { g } else { g + 8 }, t)),
        b: (1, |g, t, _| (t, g)),
    },
    Case {
        m: 16,
        k: 8,
        bits: 16,
        a: (4, |g, t, i| (if i < 2 { g } else { g + 8 }, t * 2 + (i & 1))),
        b: (2, |g, t, i| (t * 2 + i, g)),
    },
    Case {
        m: 16,
        k: 8,
        bits: 32,
        a: (4, |g, t, i| {
            (
                if i == 0 || i == 2 { g } else { g + 8 },
                if i < 2 { t } else { t + 4 },
            )
        }),
        b: (2, |g, t, i| (if i == 0 { t } else { t + 4 }, g)),
    },
    Case {
        m: 16,
        k: 8,
        bits: 64,
        a: (4, |g, t, i| {
            (
                if i == 0 || i == 2 { g } else { g + 8 },
                if i < 2 { t } else { t + 4 },
            )
        }),
        b: (2, |g, t, i| (if i == 0 { t } else { t + 4 }, g)),
    },
    Case {
        m: 16,
        k: 16,
        bits: 16,
        a: (8, |g, t, i| {
            let row = if i < 2 || (4..6).contains(&i) { g } else { g + 8 };
            (row, t * 2 + (i & 1) + if i < 4 { 0 } else { 8 })
        }),
        b: (4, |g, t, i| (t * 2 + (i & 1) + if i < 2 { 0 } else { 8 }, g)),
    },
    Case {
        m: 16,
        k: 16,
        bits: 64,
        a: (8, |g, t, i| {
            if i % 2 == 0 {
                (g, i * 2 + t)
            } else {
                (g + 8, i * 2 - 2 + t)
            }
        }),
        b: (4, |g, t, i| (t + i * 4, g)),
    },
    Case {
        m: 16,
        k: 16,
        bits: 8,
        a: (8, |g, t, i| (if i < 4 { g } else { g + 8 }, t * 4 + (i & 3))),
        b: (4, |g, t, i| (t * 4 + i, g)),
    },
    Case {
        m: 16,
        k: 32,
        bits: 8,
        a: (16, |g, t, i| {
            let row = if i < 4 || (8..12).contains(&i) { g } else { g + 8 };
            (row, t * 4 + (i & 3) + if i < 8 { 0 } else { 16 })
        }),
        b: (8, |g, t, i| (t * 4 + (i & 3) + if i < 4 { 0 } else { 16 }, g)),
    },
    Case {
        m: 16,
        k: 32,
        bits: 4,
        a: (16, |g, t, i| (if i < 8 { g } else { g + 8 }, t * 8 + (i & 7))),
        b: (8, |g, t, i| (t * 8 + i, g)),
    },
    Case {
        m: 16,
        k: 64,
        bits: 4,
        a: (32, |g, t, i| {
            let row = if i < 8 || (16..24).contains(&i) { g } else { g + 8 };
            (row, t * 8 + (i & 7) + if i < 16 { 0 } else { 32 })
        }),
        b: (16, |g, t, i| (t * 8 + (i & 7) + if i < 8 { 0 } else { 32 }, g)),
    },
    Case {
        m: 16,
        k: 128,
        bits: 1,
        a: (64, |g, t, i| (if i < 32 { g } else { g + 8 }, t * 32 + (i & 31))),
        b: (32, |g, t, i| (t * 32 + i, g)),
    },
    Case {
        m: 16,
        k: 256,
        bits: 1,
        a: (128, |g, t, i| {
            let row = if i < 32 || (64..96).contains(&i) { g } else { g + 8 };
            (row, t * 32 + (i & 31) + if i < 64 { 0 } else { 128 })
        }),
        b: (64, |g, t, i| {
            (t * 32 + (i & 31) + if i < 32 { 0 } else { 128 }, g)
        }),
    },
];

/// The fragments of a matrix; `bits(row, column)` returns an element.
fn fragments(
    elements: usize,
    width: u32,
    place: impl Fn(usize, usize) -> (usize, usize),
    bits: impl Fn(usize, usize) -> u64,
) -> Vec<Row> {
    let packed = (32 / width).max(1) as usize;
    let mut rows = vec![[0; 32]; elements / packed];
    for lane in 0..32 {
        for index in 0..elements {
            let (row, column) = place(lane, index);
            rows[index / packed][lane] |= bits(row, column) << (width as usize * (index % packed));
        }
    }
    rows
}

/// Element `index` of a lane in rows that hold elements of `width` bits.
fn element(rows: &[Row], width: u32, lane: usize, index: usize) -> u64 {
    let packed = (32 / width).max(1) as usize;
    let word = rows[index / packed][lane] >> (width as usize * (index % packed));
    if width == 64 {
        word
    } else {
        word & ((1 << width) - 1)
    }
}

/// The position of an element of C or D.
fn accumulator(lane: usize, index: usize) -> (usize, usize) {
    let (g, t) = (lane >> 2, lane % 4);
    (if index < 2 { g } else { g + 8 }, t * 2 + (index & 1))
}

/// Small integers that every type represents, as (value, bits), for any type of element or accumulator.
fn small(element: Element, numbers: &mut Numbers) -> (f64, u64) {
    let pick = |numbers: &mut Numbers, low: i64, high: i64| {
        low + i64::try_from(numbers.next() % (high - low + 1).cast_unsigned()).expect("small")
    };
    match element {
        Element::B1 => {
            let value = pick(numbers, 0, 1);
            (value as f64, value.cast_unsigned())
        }
        Element::S4 => {
            let value = pick(numbers, -8, 7);
            (value as f64, value.cast_unsigned() & 0xf)
        }
        Element::U4 => {
            let value = pick(numbers, 0, 15);
            (value as f64, value.cast_unsigned())
        }
        Element::S8 => {
            let value = pick(numbers, -128, 127);
            (value as f64, value.cast_unsigned() & 0xff)
        }
        Element::U8 => {
            let value = pick(numbers, 0, 255);
            (value as f64, value.cast_unsigned())
        }
        Element::F16 => {
            let value = pick(numbers, -4, 4) as f64;
            (value, u64::from(f16::from_f64(value).to_bits()))
        }
        Element::Bf16 => {
            let value = pick(numbers, -4, 4) as f64;
            (value, u64::from(bf16::from_f64(value).to_bits()))
        }
        Element::Tf32 => {
            let value = pick(numbers, -4, 4) as f64;
            // Bits below the 19 bits are ignored.
            (
                value,
                u64::from((value as f32).to_bits()) | numbers.next() & 0x1fff,
            )
        }
        Element::F64 => {
            let value = pick(numbers, -4, 4) as f64;
            (value, value.to_bits())
        }
        Element::E4m3
        | Element::E5m2
        | Element::E3m2
        | Element::E2m3
        | Element::E2m1
        | Element::PackedE2m1 => {
            // Zero, one and two with a sign; and the other bits of the element's byte.
            let (at, negative) = (pick(numbers, 0, 2), pick(numbers, 0, 1));
            let (codes, sign, shift, width) = match element {
                Element::E4m3 => ([0, 0x38, 0x40], 0x80, 0, 8),
                Element::E5m2 => ([0, 0x3c, 0x40], 0x80, 0, 8),
                Element::E3m2 => ([0, 0x0c, 0x10], 0x20, 0, 6),
                Element::E2m3 => ([0, 0x08, 0x10], 0x20, 0, 6),
                Element::E2m1 => ([0, 2, 4], 8, 2, 4),
                _ => ([0, 2, 4], 8, 0, 4),
            };
            let bits = codes[at as usize] | if negative == 1 { sign } else { 0 };
            let beside = match element {
                Element::PackedE2m1 => 0,
                _ => numbers.next() & 0xff & !(((1 << width) - 1) << shift),
            };
            let value = at as f64 * if negative == 1 { -1.0 } else { 1.0 };
            (value, bits << shift | beside)
        }
    }
}

fn case(m: usize, k: usize, bits: u32) -> &'static Case {
    CASES
        .iter()
        .find(|case| (case.m, case.k, case.bits) == (m, k, bits))
        .expect("a case")
}

/// A matrix of random small elements: their values, and the fragments of a lane.
struct Matrix {
    values: Vec<Vec<f64>>,
    registers: Vec<Row>,
}

fn random(
    element: Element,
    (rows, columns): (usize, usize),
    (count, place): (usize, Place),
    numbers: &mut Numbers,
) -> Matrix {
    let pairs: Vec<Vec<(f64, u64)>> = (0..rows)
        .map(|_| (0..columns).map(|_| small(element, numbers)).collect())
        .collect();
    let registers = fragments(
        count,
        element.bits(),
        |lane, index| place(lane >> 2, lane % 4, index),
        |row, column| pairs[row][column].1,
    );
    let values = pairs
        .iter()
        .map(|row| row.iter().map(|(value, _)| *value).collect());
    Matrix {
        values: values.collect(),
        registers,
    }
}

const NO_SCALES: [&Row; 2] = [&[0; 32]; 2];

/// Runs a product on random operands and compares every element of D with the loop's sum.
fn check(product: Product, numbers: &mut Numbers) {
    let Shape { m, n, k } = product.shape;
    let case = case(m, k, product.a.bits());
    let a = random(product.a, (m, k), case.a, numbers);
    let b = random(product.b, (k, n), case.b, numbers);
    assert_eq!(a.registers.len(), product.registers_a(), "{product:?}");
    assert_eq!(b.registers.len(), product.registers_b(), "{product:?}");
    let (c_width, d_width) = match product.kind {
        ProductKind::Float { c, d, .. } => {
            let width = |accumulator| if accumulator == Accumulator::F16 { 16 } else { 32 };
            (width(c), width(d))
        }
        ProductKind::Double => (64, 64),
        _ => (32, 32),
    };
    let encode = |value: f64, width: u32| match (product.kind, width) {
        (ProductKind::Integer { .. } | ProductKind::Bits(_), _) => u64::from((value as i32).cast_unsigned()),
        (_, 16) => u64::from(f16::from_f64(value).to_bits()),
        (_, 32) => u64::from((value as f32).to_bits()),
        _ => value.to_bits(),
    };
    let addends: Vec<f64> = (0..m * n)
        .map(|_| (numbers.next() % 200) as f64 - 100.0)
        .collect();
    let c = fragments(m * n / 32, c_width, accumulator, |row, column| {
        encode(addends[row * n + column], c_width)
    });
    let d = product.compute(&a.registers, &b.registers, &c, NO_SCALES);
    for lane in 0..32 {
        for index in 0..m * n / 32 {
            let (row, column) = accumulator(lane, index);
            let products = (0..k).map(|at| {
                let (a, b) = (a.values[row][at], b.values[at][column]);
                match product.kind {
                    ProductKind::Bits(BitOperation::Xor) => f64::from(u8::from(a != b)),
                    _ => a * b,
                }
            });
            let want = products.sum::<f64>() + addends[row * n + column];
            assert_eq!(
                element(&d, d_width, lane, index),
                encode(want, d_width),
                "{product:?} at row {row}, column {column}"
            );
        }
    }
}

fn shape(m: usize, k: usize) -> Shape {
    Shape { m, n: 8, k }
}

#[test]
fn products_of_every_shape_and_type() {
    let mut numbers = Numbers::new(1);
    let float = |c, d| ProductKind::Float { c, d, scaling: None };
    use Accumulator::{F16, F32};
    let mut run = |m, k, a, b, kind| {
        let product = Product {
            shape: shape(m, k),
            a,
            b,
            kind,
        };
        for _ in 0..20 {
            check(product, &mut numbers);
        }
    };
    for k in [8, 16] {
        for (c, d) in [(F16, F16), (F32, F32)] {
            run(16, k, Element::F16, Element::F16, float(c, d));
        }
        run(16, k, Element::Bf16, Element::Bf16, float(F32, F32));
    }
    for k in [4, 8] {
        run(16, k, Element::Tf32, Element::Tf32, float(F32, F32));
    }
    run(8, 4, Element::F64, Element::F64, ProductKind::Double);
    for k in [4, 8, 16] {
        run(16, k, Element::F64, Element::F64, ProductKind::Double);
    }
    for saturate in [false, true] {
        for (m, k) in [(8, 16), (16, 16), (16, 32)] {
            for a in [Element::S8, Element::U8] {
                for b in [Element::S8, Element::U8] {
                    run(m, k, a, b, ProductKind::Integer { saturate });
                }
            }
        }
        for (m, k) in [(8, 32), (16, 32), (16, 64)] {
            for a in [Element::S4, Element::U4] {
                for b in [Element::S4, Element::U4] {
                    run(m, k, a, b, ProductKind::Integer { saturate });
                }
            }
        }
    }
    for (m, k) in [(8, 128), (16, 128), (16, 256)] {
        for operation in [BitOperation::And, BitOperation::Xor] {
            run(m, k, Element::B1, Element::B1, ProductKind::Bits(operation));
        }
    }
    let eight = [
        Element::E4m3,
        Element::E5m2,
        Element::E3m2,
        Element::E2m3,
        Element::E2m1,
    ];
    for a in eight {
        for b in eight {
            for (c, d) in [(F16, F16), (F32, F32)] {
                run(16, 16, a, b, float(c, d));
                run(16, 32, a, b, float(c, d));
            }
        }
    }
    run(16, 64, Element::PackedE2m1, Element::PackedE2m1, float(F32, F32));
}

#[test]
fn integers_wrap_or_saturate() {
    let ones = vec![[0x7f7f_7f7f; 32]; 4];
    let low = vec![[0x8080_8080; 32]; 4];
    let c = |value: i32| vec![[u64::from(value.cast_unsigned()); 32]; 4];
    let product = |saturate| Product {
        shape: shape(16, 32),
        a: Element::S8,
        b: Element::S8,
        kind: ProductKind::Integer { saturate },
    };
    let most = u64::from(i32::MAX.cast_unsigned());
    let least = u64::from(i32::MIN.cast_unsigned());
    let got = product(true).compute(&ones, &ones[..2], &c(i32::MAX - 5), NO_SCALES);
    assert_eq!(got, vec![[most; 32]; 4]);
    let got = product(true).compute(&low, &ones[..2], &c(i32::MIN + 5), NO_SCALES);
    assert_eq!(got, vec![[least; 32]; 4]);
    let got = product(false).compute(&ones, &ones[..2], &c(i32::MAX), NO_SCALES);
    let wrapped = i32::MAX.wrapping_add(32 * 127 * 127).cast_unsigned();
    assert_eq!(got, vec![[u64::from(wrapped); 32]; 4]);
}

#[test]
fn floats_are_rounded_once() {
    // 2048 + 1 is a tie of f16; the smaller terms break it, and cancel in other elements.
    let product = Product {
        shape: shape(16, 8),
        a: Element::F16,
        b: Element::F16,
        kind: ProductKind::Float {
            c: Accumulator::F16,
            d: Accumulator::F16,
            scaling: None,
        },
    };
    let half = |value: f32| u64::from(f16::from_f32(value).to_bits());
    let pair = |value: f32| half(value) | half(value) << 16;
    // Each lane holds two elements of k: a row has 4 lanes with the same values.
    let a = vec![[pair(0.125); 32]; 2];
    let mut b = vec![[pair(0.0); 32]; 1];
    let c = vec![[pair(2048.0); 32]; 2];
    for lane in 0..32 {
        // k = 0 and 1 in the first lane of a group: 0.125 * (8 + x).
        if lane % 4 == 0 {
            b[0][lane] = half(8.0) | half(if lane < 16 { 0.01 } else { 0.0 }) << 16;
        }
    }
    let d = product.compute(&a, &b, &c, NO_SCALES);
    for lane in 0..32 {
        let want = if lane % 4 < 2 { 2050.0 } else { 2048.0 };
        assert_eq!(d[0][lane], pair(want), "lane {lane}");
    }
}

#[test]
fn nan_and_infinity_are_where_they_belong() {
    let product = Product {
        shape: shape(16, 16),
        a: Element::E4m3,
        b: Element::E5m2,
        kind: ProductKind::Float {
            c: Accumulator::F32,
            d: Accumulator::F32,
            scaling: None,
        },
    };
    let mut a = vec![[0x3838_3838; 32]; 2];
    let mut b = vec![[0x3c3c_3c3c; 32]; 1];
    a[0][0] = 0x3838_387f; // Row 0 has NaN.
    a[0][4] = 0x3838_3878; // Row 1 has 256, of the exponent that NaN has.
    a[0][9] = 0x3838_0038; // Row 2 has a zero where column 1 has an infinity.
    b[0][5] = 0x3c3c_fc3c; // Column 1 has negative infinity.
    b[0][8] = 0x3c3c_3c7d; // Column 2 has NaN.
    b[0][12] = 0x3c3c_fc7c; // Column 3 has both infinities.
    let d = product.compute(&a, &b, &[[0; 32]; 4], NO_SCALES);
    let value = |row: usize, column: usize| {
        let (lane, index) = (row % 8 * 4 + column / 2, row / 8 * 2 + column % 2);
        f32::from_bits(d[index][lane] as u32)
    };
    assert_eq!(d[0][0], 0x7fff_ffff, "the canonical NaN");
    assert!(value(0, 1).is_nan() && value(0, 7).is_nan());
    assert_eq!((value(1, 1), value(9, 1)), (f32::NEG_INFINITY, f32::NEG_INFINITY));
    assert_eq!((value(1, 0), value(15, 7)), (271.0, 16.0));
    assert!(value(2, 1).is_nan() && value(3, 2).is_nan() && value(3, 3).is_nan());
}

#[test]
fn a_block_whose_scale_is_nan_is_nan() {
    for (scale, per_row, unit, nan) in [
        (Scale::Ue8m0, 2, 0x7f7f_7f7f, 0xff),
        (Scale::Ue4m3, 4, 0x3838_3838, 0x7f),
    ] {
        let operand = ScalingOperand { byte: 0, thread: 0 };
        let product = Product {
            shape: shape(16, 64),
            a: Element::PackedE2m1,
            b: Element::PackedE2m1,
            kind: ProductKind::Float {
                c: Accumulator::F32,
                d: Accumulator::F32,
                scaling: Some(Scaling {
                    scale,
                    per_row,
                    a: operand,
                    b: operand,
                }),
            },
        };
        let ones = [[0x2222_2222; 32]; 4];
        let ones_below: Row = [unit; 32];
        let mut scales = ones_below;
        scales[0] = unit - (unit & 0xff) + nan; // Of row 0.
        let d = product.compute(&ones, &ones[..2], &[[0; 32]; 4], [&scales, &ones_below]);
        assert!(f32::from_bits(d[0][0] as u32).is_nan(), "{scale:?}");
        assert_eq!(f32::from_bits(d[0][4] as u32), 64.0, "{scale:?}");
    }
}

#[test]
fn scales_come_from_the_lanes_and_bytes_of_the_selectors() {
    let mut numbers = Numbers::new(3);
    let forms = [
        (Element::E4m3, 32, Scale::Ue8m0, 1usize),
        (Element::PackedE2m1, 64, Scale::Ue8m0, 2),
        (Element::PackedE2m1, 64, Scale::Ue4m3, 4),
    ];
    for (kind, k, scale, per_row) in forms {
        for round in 0..16 {
            let case = case(16, k, kind.bits());
            let a = random(kind, (16, k), case.a, &mut numbers);
            let b = random(kind, (k, 8), case.b, &mut numbers);
            let byte = (round * per_row) as u32 % 4;
            let scaling = Scaling {
                scale,
                per_row,
                a: ScalingOperand {
                    byte,
                    thread: round as u32 % 2,
                },
                b: ScalingOperand {
                    byte,
                    thread: round as u32 % 4,
                },
            };
            // Scales of one, two and a half.
            let codes: [(f64, u64); 3] = match scale {
                Scale::Ue8m0 => [(1.0, 127), (2.0, 128), (0.5, 126)],
                Scale::Ue4m3 => [(1.0, 0x38), (2.0, 0x40), (1.5, 0x3c)],
            };
            let mut metadata = [[0u64; 32]; 2];
            for row in metadata.iter_mut().flatten() {
                *row = (0..4).fold(0, |word, at| {
                    word | codes[(numbers.next() % 3) as usize].1 << (8 * at)
                });
            }
            let factor = |matrix: usize, lane: usize, at: usize| {
                let code = metadata[matrix][lane] >> (8 * (byte as usize + at * per_row / k)) & 0xff;
                codes.iter().find(|(_, bits)| *bits == code).expect("a code").0
            };
            let product = Product {
                shape: shape(16, k),
                a: kind,
                b: kind,
                kind: ProductKind::Float {
                    c: Accumulator::F32,
                    d: Accumulator::F32,
                    scaling: Some(scaling),
                },
            };
            let c = vec![[0; 32]; 4];
            let d = product.compute(&a.registers, &b.registers, &c, [&metadata[0], &metadata[1]]);
            for lane in 0..32 {
                for index in 0..4 {
                    let (row, column) = accumulator(lane, index);
                    // thread-id-a 0: the rows of a group's first two lanes; 1: of its last two.
                    let of_a = row % 8 * 4 + row / 8 + 2 * (round % 2);
                    let of_b = column * 4 + round % 4;
                    let want: f64 = (0..k)
                        .map(|at| {
                            a.values[row][at]
                                * factor(0, of_a, at)
                                * b.values[at][column]
                                * factor(1, of_b, at)
                        })
                        .sum();
                    assert_eq!(f32::from_bits(d[index][lane] as u32), want as f32, "{product:?}");
                }
            }
        }
    }
}

#[test]
fn quad_pairs_make_four_products() {
    let mut numbers = Numbers::new(4);
    for round in 0..64 {
        let major = |bit: usize| {
            if round >> bit & 1 == 1 {
                Major::Column
            } else {
                Major::Row
            }
        };
        let accumulator = |bit: usize| {
            if round >> bit & 1 == 1 {
                Accumulator::F16
            } else {
                Accumulator::F32
            }
        };
        let (a_major, b_major, from, to) = (major(0), major(1), accumulator(2), accumulator(3));
        let product = Product {
            shape: Shape { m: 8, n: 8, k: 4 },
            a: Element::F16,
            b: Element::F16,
            kind: ProductKind::QuadPairs {
                a: a_major,
                b: b_major,
                c: from,
                d: to,
            },
        };
        assert_eq!((product.registers_a(), product.registers_b()), (2, 2));
        // (value, bits) of [product][row or column][k], and of C.
        let mut matrix = |count: usize| -> Vec<(f64, u64)> {
            (0..count).map(|_| small(Element::F16, &mut numbers)).collect()
        };
        let (a, b, c) = (matrix(4 * 32), matrix(4 * 32), matrix(4 * 64));
        let upper = |lane: usize| if lane < 16 { 0 } else { 4 };
        let a_place = |lane: usize, i: usize| match a_major {
            Major::Row => (lane % 4 + upper(lane), i),
            Major::Column => (i % 4 + upper(lane), lane % 4),
        };
        let b_place = |lane: usize, i: usize| match b_major {
            Major::Row => (lane % 4, i + upper(lane)),
            Major::Column => (i, lane % 4 + upper(lane)),
        };
        let c_place = |kind: Accumulator, lane: usize, i: usize| match kind {
            Accumulator::F16 => (lane % 4 + upper(lane), i),
            Accumulator::F32 => ((lane & 1) + (i & 2) + upper(lane), (i & 4) + (lane & 2) + (i & 1)),
        };
        let of = |lane: usize| lane / 4 % 4;
        let mut registers = (
            vec![[0; 32]; 2],
            vec![[0; 32]; 2],
            vec![[0; 32]; product.registers_c()],
        );
        for lane in 0..32 {
            for i in 0..4 {
                let (row, at) = a_place(lane, i);
                registers.0[i / 2][lane] |= a[of(lane) * 32 + row * 4 + at].1 << (16 * (i % 2));
                let (at, column) = b_place(lane, i);
                registers.1[i / 2][lane] |= b[of(lane) * 32 + column * 4 + at].1 << (16 * (i % 2));
            }
            for i in 0..8 {
                let (row, column) = c_place(from, lane, i);
                let (value, bits) = c[of(lane) * 64 + row * 8 + column];
                match from {
                    Accumulator::F16 => registers.2[i / 2][lane] |= bits << (16 * (i % 2)),
                    Accumulator::F32 => registers.2[i][lane] = u64::from((value as f32).to_bits()),
                }
            }
        }
        let d = product.compute(&registers.0, &registers.1, &registers.2, NO_SCALES);
        for lane in 0..32 {
            for i in 0..8 {
                let (row, column) = c_place(to, lane, i);
                let want: f64 = c[of(lane) * 64 + row * 8 + column].0
                    + (0..4)
                        .map(|at| a[of(lane) * 32 + row * 4 + at].0 * b[of(lane) * 32 + column * 4 + at].0)
                        .sum::<f64>();
                let got = match to {
                    Accumulator::F16 => f16::from_bits(element(&d, 16, lane, i) as u16).to_f64(),
                    Accumulator::F32 => f64::from(f32::from_bits(d[i][lane] as u32)),
                };
                assert_eq!(got, want, "{product:?}, lane {lane}, element {i}");
            }
        }
    }
}

/// Sixteen rows of distinct bytes.
fn rows() -> Vec<[u8; 16]> {
    (0..16)
        .map(|row| std::array::from_fn(|at| (row * 16 + at) as u8))
        .collect()
}

fn byte(row: &Row, lane: usize, at: usize) -> u8 {
    (row[lane] >> (8 * at) & 0xff) as u8
}

#[test]
fn matrix_loads_spread_rows_over_lanes() {
    let rows = rows();
    let plain = MatrixLoad::M8n8 { transposed: false }.fragments(&rows[..8]);
    let transposed = MatrixLoad::M8n8 { transposed: true }.fragments(&rows[..8]);
    let square = MatrixLoad::M16n16(Unpacking::None).fragments(&rows);
    assert_eq!((plain.len(), transposed.len(), square.len()), (1, 1, 2));
    for lane in 0..32 {
        for at in 0..4 {
            let bytes = |row: usize, column: usize| (row * 16 + column) as u8;
            assert_eq!(byte(&plain[0], lane, at), bytes(lane / 4, lane % 4 * 4 + at));
            // Element (row, column) of 16 bits is where (column, row) of the load without `.trans` would be.
            let (column, row) = (lane / 4, lane % 4 * 2 + at / 2);
            assert_eq!(byte(&transposed[0], lane, at), bytes(row, column * 2 + at % 2));
            for half in 0..2 {
                let (column, row) = (lane / 4 + 8 * half, lane % 4 * 4 + at);
                assert_eq!(byte(&square[half], lane, at), bytes(row, column));
            }
        }
    }
}

#[test]
fn narrow_elements_are_spread_to_bytes() {
    let mut row = [0xee; 16];
    // 0, 1, … 15 as 4 bits each, and as 6 bits with the top one set.
    for at in 0..8 {
        row[at] = (2 * at + ((2 * at + 1) << 4)) as u8;
    }
    let loaded = MatrixLoad::M8n16(Unpacking::B4x16P64).fragments(&[row; 8]);
    for lane in 0..32 {
        for at in 0..4 {
            assert_eq!(byte(&loaded[0], lane, at), (lane % 4 * 4 + at) as u8);
        }
    }
    let word = (0..16u128).fold(0, |word, at| word | (at | 32) << (6 * at));
    let loaded = MatrixLoad::M16n16(Unpacking::B6x16P32).fragments(&[word.to_le_bytes(); 16]);
    for lane in 0..32 {
        for at in 0..4 {
            assert_eq!(byte(&loaded[1], lane, at), (lane / 4 + 8) as u8 | 32);
        }
    }
}

#[test]
fn stores_are_the_inverse_of_loads() {
    let rows = rows();
    for transposed in [false, true] {
        let loaded = MatrixLoad::M8n8 { transposed }.fragments(&rows[..8]);
        let stored = MatrixStore::M8n8 { transposed }.rows(&loaded[0]);
        assert_eq!(stored.as_slice(), &rows[..8]);
    }
    // A 16 by 8 matrix of bytes, each with its row and column, in the accumulator fragment.
    let register: Row = std::array::from_fn(|lane| {
        (0..4).fold(0, |word, at| {
            let (row, column) = accumulator(lane, at);
            word | ((row << 4 | column) as u64) << (8 * at)
        })
    });
    let stored = MatrixStore::M16n8.rows(&register);
    for (column, row_of_memory) in stored.iter().enumerate() {
        for (row, byte) in row_of_memory.iter().enumerate() {
            assert_eq!(usize::from(*byte), row << 4 | column);
        }
    }
}
