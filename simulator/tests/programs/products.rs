//! Programs with one matrix product each, of every form of sm_90a: on operands with exact sums, and for floats also
//! on others with an error bound.

use super::{Comparison, Program};
use crate::support::Numbers;
use half::{bf16, f16};
use tilewright_simulator::matrix::{
    Accumulator, BitOperation, Element, Major, Product, ProductKind, Row, Shape,
};

/// Operands of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Random bits.
    Bits,
    /// Small integers.
    Integers(Element),
    /// Numbers with many digits, of moderate size.
    Numbers(Element),
    /// Small integers of `f32`, as C.
    SingleIntegers,
    /// Numbers of `f32`.
    SingleNumbers,
}

/// The offsets of the operands of each kind in the input.
pub(crate) struct Pools(Vec<(Kind, usize)>);

/// The number of bytes of the operands of a kind.
const POOL: usize = 8192;
/// The largest number of bytes that a lane reads of an operand, four registers of 64 bits.
const LANE: usize = 64;

const FLOATS: [Element; 6] = [
    Element::F16,
    Element::Bf16,
    Element::Tf32,
    Element::F64,
    Element::E4m3,
    Element::E5m2,
];

/// Adds operands of each kind to the input.
pub(crate) fn pools(bytes: &mut Vec<u8>, numbers: &mut Numbers) -> Pools {
    let mut pools = Vec::new();
    let kinds = [Kind::Bits, Kind::SingleIntegers, Kind::SingleNumbers]
        .into_iter()
        .chain(
            FLOATS
                .into_iter()
                .flat_map(|element| [Kind::Integers(element), Kind::Numbers(element)]),
        );
    for kind in kinds {
        pools.push((kind, bytes.len()));
        let end = bytes.len() + POOL;
        while bytes.len() < end {
            operand(kind, numbers, bytes);
        }
    }
    Pools(pools)
}

/// Generates one operand.
fn operand(kind: Kind, numbers: &mut Numbers, bytes: &mut Vec<u8>) {
    let small = (numbers.next() % 9) as f64 - 4.0;
    // Between a half and one, times a power of two between 2^-3 and 2^3, with a sign.
    let bits = numbers.next();
    let digits = f64::from_bits(bits >> 12 | 1022 << 52);
    let large = digits * 2f64.powi((numbers.next() % 7) as i32 - 3) * if bits & 1 == 1 { -1.0 } else { 1.0 };
    match kind {
        Kind::Bits => bytes.extend(bits.to_le_bytes()),
        Kind::SingleIntegers => bytes.extend(((numbers.next() % 200) as f32 - 100.0).to_le_bytes()),
        Kind::SingleNumbers => bytes.extend((large as f32).to_le_bytes()),
        Kind::Integers(element) => encode(element, small, bytes),
        Kind::Numbers(element) => encode(element, large, bytes),
    }
}

/// Encodes a number in an element's type, truncated if it has too many digits.
fn encode(element: Element, value: f64, bytes: &mut Vec<u8>) {
    match element {
        Element::F16 => bytes.extend(f16::from_f64(value).to_le_bytes()),
        Element::Bf16 => bytes.extend(bf16::from_f64(value).to_le_bytes()),
        Element::Tf32 => bytes.extend(((value as f32).to_bits() & !0x1fff).to_le_bytes()),
        Element::F64 => bytes.extend(value.to_le_bytes()),
        // The upper byte of a half is an e5m2; an e4m3 has one exponent bit less and one fraction bit more.
        Element::E5m2 => bytes.push((f16::from_f64(value).to_bits() >> 8) as u8),
        _ => {
            let half = f16::from_f64(value).to_bits();
            let magnitude = (half & 0x7fff) >> 7;
            let rebiased = magnitude.saturating_sub(8 << 3).min(0x7e);
            bytes.push((half >> 8 & 0x80) as u8 | rebiased as u8);
        }
    }
}

impl Pools {
    fn find(&self, kind: Kind) -> usize {
        self.0
            .iter()
            .find(|(other, _)| *other == kind)
            .map(|(_, at)| *at)
            .expect("a pool of every kind")
    }
}

/// A form of `mma.sync` of sm_90a.
#[derive(Clone, Copy)]
struct Form {
    product: Product,
    /// The modifiers after the shape.
    modifiers: &'static str,
}

/// The forms: for floats, each twice, on operands with exact sums and on others.
fn forms() -> Vec<(Form, bool)> {
    use Accumulator::{F16, F32};
    let shape = |m, k| Shape { m, n: 8, k };
    let float = |c, d| ProductKind::Float { c, d, scaling: None };
    let mut forms = Vec::new();
    let mut add = |m: usize, k: usize, a, b, kind, modifiers| {
        let form = Form {
            product: Product {
                shape: shape(m, k),
                a,
                b,
                kind,
            },
            modifiers,
        };
        forms.push((form, true));
        if matches!(
            kind,
            ProductKind::Float { .. } | ProductKind::Double | ProductKind::QuadPairs { .. }
        ) {
            forms.push((form, false));
        }
    };
    for k in [8, 16] {
        add(
            16,
            k,
            Element::F16,
            Element::F16,
            float(F16, F16),
            "row.col.f16.f16.f16.f16",
        );
        add(
            16,
            k,
            Element::F16,
            Element::F16,
            float(F32, F32),
            "row.col.f32.f16.f16.f32",
        );
        add(
            16,
            k,
            Element::Bf16,
            Element::Bf16,
            float(F32, F32),
            "row.col.f32.bf16.bf16.f32",
        );
    }
    for k in [4, 8] {
        add(
            16,
            k,
            Element::Tf32,
            Element::Tf32,
            float(F32, F32),
            "row.col.f32.tf32.tf32.f32",
        );
    }
    for (m, k) in [(8, 4), (16, 4), (16, 8), (16, 16)] {
        add(
            m,
            k,
            Element::F64,
            Element::F64,
            ProductKind::Double,
            "row.col.f64.f64.f64.f64",
        );
    }
    // The half accumulators of fp8 require PTX ISA 8.7.
    for k in [16, 32] {
        for (a, b, modifiers) in [
            (
                Element::E4m3,
                Element::E4m3,
                ["row.col.f16.e4m3.e4m3.f16", "row.col.f32.e4m3.e4m3.f32"],
            ),
            (
                Element::E4m3,
                Element::E5m2,
                ["row.col.f16.e4m3.e5m2.f16", "row.col.f32.e4m3.e5m2.f32"],
            ),
            (
                Element::E5m2,
                Element::E4m3,
                ["row.col.f16.e5m2.e4m3.f16", "row.col.f32.e5m2.e4m3.f32"],
            ),
            (
                Element::E5m2,
                Element::E5m2,
                ["row.col.f16.e5m2.e5m2.f16", "row.col.f32.e5m2.e5m2.f32"],
            ),
        ] {
            add(16, k, a, b, float(F16, F16), modifiers[0]);
            add(16, k, a, b, float(F32, F32), modifiers[1]);
        }
    }
    let integer = |saturate| ProductKind::Integer { saturate };
    for (shapes, types) in [
        (
            [(8, 16), (16, 16), (16, 32)],
            [
                (
                    Element::S8,
                    Element::S8,
                    ["row.col.s32.s8.s8.s32", "row.col.satfinite.s32.s8.s8.s32"],
                ),
                (
                    Element::S8,
                    Element::U8,
                    ["row.col.s32.s8.u8.s32", "row.col.satfinite.s32.s8.u8.s32"],
                ),
                (
                    Element::U8,
                    Element::S8,
                    ["row.col.s32.u8.s8.s32", "row.col.satfinite.s32.u8.s8.s32"],
                ),
                (
                    Element::U8,
                    Element::U8,
                    ["row.col.s32.u8.u8.s32", "row.col.satfinite.s32.u8.u8.s32"],
                ),
            ],
        ),
        (
            [(8, 32), (16, 32), (16, 64)],
            [
                (
                    Element::S4,
                    Element::S4,
                    ["row.col.s32.s4.s4.s32", "row.col.satfinite.s32.s4.s4.s32"],
                ),
                (
                    Element::S4,
                    Element::U4,
                    ["row.col.s32.s4.u4.s32", "row.col.satfinite.s32.s4.u4.s32"],
                ),
                (
                    Element::U4,
                    Element::S4,
                    ["row.col.s32.u4.s4.s32", "row.col.satfinite.s32.u4.s4.s32"],
                ),
                (
                    Element::U4,
                    Element::U4,
                    ["row.col.s32.u4.u4.s32", "row.col.satfinite.s32.u4.u4.s32"],
                ),
            ],
        ),
    ] {
        for (m, k) in shapes {
            for (a, b, [wrapping, saturating]) in types {
                add(m, k, a, b, integer(false), wrapping);
                add(m, k, a, b, integer(true), saturating);
            }
        }
    }
    for (m, k) in [(8, 128), (16, 128), (16, 256)] {
        let bits = ProductKind::Bits;
        add(
            m,
            k,
            Element::B1,
            Element::B1,
            bits(BitOperation::And),
            "row.col.s32.b1.b1.s32.and.popc",
        );
        add(
            m,
            k,
            Element::B1,
            Element::B1,
            bits(BitOperation::Xor),
            "row.col.s32.b1.b1.s32.xor.popc",
        );
    }
    for (a, b, modifiers) in [
        (
            Major::Row,
            Major::Row,
            ["row.row.f16.f16.f16.f16", "row.row.f32.f16.f16.f32"],
        ),
        (
            Major::Row,
            Major::Column,
            ["row.col.f16.f16.f16.f16", "row.col.f32.f16.f16.f32"],
        ),
        (
            Major::Column,
            Major::Row,
            ["col.row.f16.f16.f16.f16", "col.row.f32.f16.f16.f32"],
        ),
        (
            Major::Column,
            Major::Column,
            ["col.col.f16.f16.f16.f16", "col.col.f32.f16.f16.f32"],
        ),
    ] {
        for (accumulator, modifiers) in [(F16, modifiers[0]), (F32, modifiers[1])] {
            let kind = ProductKind::QuadPairs {
                a,
                b,
                c: accumulator,
                d: accumulator,
            };
            add(8, 4, Element::F16, Element::F16, kind, modifiers);
        }
    }
    forms
}

/// The bytes of a register.
const fn register_bytes(kind: ProductKind) -> usize {
    match kind {
        ProductKind::Double => 8,
        _ => 4,
    }
}

/// The accumulator type.
fn accumulator(product: &Product) -> Option<Accumulator> {
    match product.kind {
        ProductKind::Float { c, .. } | ProductKind::QuadPairs { c, .. } => Some(c),
        ProductKind::Integer { .. } | ProductKind::Bits(_) | ProductKind::Double => None,
    }
}

/// A program for form number `turn`, modulo their count.
pub(crate) fn program(turn: usize, pools: &Pools, inputs: &[u8], numbers: &mut Numbers) -> Program {
    let forms = forms();
    let (Form { product, modifiers }, exact) = forms[turn % forms.len()];
    let Shape { m, n, k } = product.shape;
    let accumulator = accumulator(&product);
    let element_kind = |element| match (product.kind, exact) {
        (ProductKind::Integer { .. } | ProductKind::Bits(_), _) => Kind::Bits,
        (_, true) => Kind::Integers(element),
        (_, false) => Kind::Numbers(element),
    };
    let c_kind = match (accumulator, product.kind) {
        (Some(Accumulator::F16), _) => element_kind(Element::F16),
        (Some(Accumulator::F32), _) if exact => Kind::SingleIntegers,
        (Some(Accumulator::F32), _) => Kind::SingleNumbers,
        (None, ProductKind::Double) => element_kind(Element::F64),
        (None, _) => Kind::Bits,
    };
    let size = register_bytes(product.kind);
    // The registers of a lane are consecutive in the input; operands may overlap.
    let mut place = |kind, registers: usize| {
        let free = POOL - 32 * registers * size;
        pools.find(kind) + numbers.next() as usize % (free / LANE + 1) * LANE
    };
    let (count_a, count_b, count_c) = (
        product.registers_a(),
        product.registers_b(),
        product.registers_c(),
    );
    let at_a = place(element_kind(product.a), count_a);
    let at_b = place(element_kind(product.b), count_b);
    let at_c = place(c_kind, count_c);
    let (class, ty) = if size == 8 { ("%rd", "b64") } else { ("%r", "b32") };
    let mut body =
        String::from("ld.param.u64 %rd30, [in];\nld.param.u64 %rd31, [out];\nmov.u32 %r50, %tid.x;\n");
    // C and D of f32 and f64 are float registers.
    let of_accumulator = match (accumulator, product.kind) {
        (Some(Accumulator::F32), _) => ("%f", "f32"),
        (None, ProductKind::Double) => ("%fd", "f64"),
        _ => ("%r", "b32"),
    };
    let of_element = if product.kind == ProductKind::Double {
        ("%fd", "f64")
    } else {
        (class, ty)
    };
    let mut next = 0;
    let mut registers = |class: &str, count: usize| -> Vec<String> {
        (0..count)
            .map(|_| {
                next += 1;
                format!("{class}{}", next - 1)
            })
            .collect()
    };
    let (a, b) = (registers(of_element.0, count_a), registers(of_element.0, count_b));
    let c = registers(of_accumulator.0, count_c);
    for (names, at, ty) in [
        (&a, at_a, of_element.1),
        (&b, at_b, of_element.1),
        (&c, at_c, of_accumulator.1),
    ] {
        body += &format!("mad.wide.u32 %rd32, %r50, {}, %rd30;\n", names.len() * size);
        for (register, name) in names.iter().enumerate() {
            body += &format!("ld.global.{ty} {name}, [%rd32+{}];\n", at + register * size);
        }
    }
    // D is stored where C was.
    body += &format!(
        "mma.sync.aligned.m{m}n{n}k{k}.{modifiers} {{{d}}}, {{{}}}, {{{}}}, {{{d}}};\n",
        a.join(", "),
        b.join(", "),
        d = c.join(", "),
    );
    body += &format!("mad.wide.u32 %rd32, %r50, {}, %rd31;\n", c.len() * size);
    for (register, name) in c.iter().enumerate() {
        body += &format!(
            "st.global.{} [%rd32+{}], {name};\n",
            of_accumulator.1,
            register * size
        );
    }
    body += "ret;\n";
    let width = match (accumulator, product.kind) {
        (Some(Accumulator::F16), _) => 16,
        (None, ProductKind::Double) => 64,
        _ => 32,
    };
    let comparison = match product.kind {
        ProductKind::Integer { .. } | ProductKind::Bits(_) => Comparison::Bits,
        _ if exact => Comparison::Equal(width),
        _ => {
            let rows = |at, count| fragment(inputs, at, count, size);
            let bounds = bounds(
                &product,
                &rows(at_a, count_a),
                &rows(at_b, count_b),
                &rows(at_c, count_c),
            );
            Comparison::Within(width, bounds)
        }
    };
    let sums = match comparison {
        Comparison::Bits => "",
        Comparison::Equal(_) => ":exact",
        Comparison::Within(..) => ":rounded",
    };
    Program {
        family: format!("mma.m{m}n{n}k{k}.{modifiers}{sums}"),
        threads: 32,
        bytes: 32 * c.len() * size,
        globals: String::new(),
        body,
        comparison,
    }
}

/// The registers that the lanes read from the input.
fn fragment(inputs: &[u8], at: usize, count: usize, size: usize) -> Vec<Row> {
    (0..count)
        .map(|register| {
            std::array::from_fn(|lane| {
                let first = at + (lane * count + register) * size;
                let mut word = [0; 8];
                word[..size].copy_from_slice(&inputs[first..first + size]);
                u64::from_le_bytes(word)
            })
        })
        .collect()
}

/// The registers with every sign bit cleared.
fn magnitudes(rows: &[Row], element: Element) -> Vec<Row> {
    let bits = element.bits();
    let signs = (0..64 / bits).fold(0u64, |mask, at| mask | 1 << (bits * at + bits - 1));
    rows.iter().map(|row| row.map(|word| word & !signs)).collect()
}

/// The error bounds of hardware, one for each element of D in memory order. With M the sum of the magnitudes of all
/// terms, tensor cores truncate each of at most k + 1 terms to about 24 bits below the largest, and for fp8 to 13; D
/// is rounded once more.
fn bounds(product: &Product, a: &[Row], b: &[Row], c: &[Row]) -> Vec<f32> {
    let c_element = match accumulator(product) {
        Some(Accumulator::F16) => Element::F16,
        Some(Accumulator::F32) => Element::Tf32,
        None => Element::F64,
    };
    let sums = product.compute(
        &magnitudes(a, product.a),
        &magnitudes(b, product.b),
        &magnitudes(c, c_element),
        [&[0; 32]; 2],
    );
    let terms = (product.shape.k + 1) as f64;
    let cut = match product.a {
        Element::F64 => 2f64.powi(-52),
        Element::E4m3 | Element::E5m2 => 2f64.powi(-13),
        _ => 2f64.powi(-23),
    };
    let mut bounds = Vec::new();
    for lane in 0..32 {
        for row in &sums {
            let word = row[lane];
            let magnitudes = match accumulator(product) {
                Some(Accumulator::F16) => vec![
                    f16::from_bits((word & 0xffff) as u16).to_f64(),
                    f16::from_bits((word >> 16 & 0xffff) as u16).to_f64(),
                ],
                Some(Accumulator::F32) => vec![f64::from(f32::from_bits(word as u32))],
                None => vec![f64::from_bits(word)],
            };
            let rounding = if accumulator(product) == Some(Accumulator::F16) {
                2f64.powi(-10)
            } else {
                0.0
            };
            bounds.extend(
                magnitudes
                    .iter()
                    .map(|sum| (sum * (terms * cut + rounding)) as f32),
            );
        }
    }
    bounds
}
