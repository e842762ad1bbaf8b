//! `mma.sync`: D = A * B + C.

use super::element::{Element, Scale, ieee};
use super::exact::{Exact, dot};
use super::fragment::{self, LANES, quad_pair};
use crate::row::Row;
use crate::soft::{Direction, F16, F32, Format};

/// The extents of a product: A is `m` by `k`, B is `k` by `n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Rows of A and D: 8 or 16.
    pub m: usize,
    /// Columns of B and D: 8.
    pub n: usize,
    /// Columns of A and rows of B.
    pub k: usize,
}

/// The type of C or D of a float product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Accumulator {
    /// Two per register.
    F16,
    /// One per register.
    F32,
}

/// The operation on bits in place of multiplication.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BitOperation {
    /// Bitwise and.
    And,
    /// Bitwise exclusive or.
    Xor,
}

/// The direction in which a lane's elements of a matrix of `mma.m8n8k4` are consecutive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Major {
    /// `.row`.
    Row,
    /// `.col`.
    Column,
}

/// The location of the scales of A or B: the byte of a lane's register, and the lanes of a group of four.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ScalingOperand {
    /// The first byte of the 32-bit metadata register.
    pub byte: u32,
    /// For A, the lower or upper two lanes of a group (0 or 1); for B, the lane of a group (0 to 3).
    pub thread: u32,
}

/// Block scales: each `1 / per_row` of k has its own scale for each row of A and column of B.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scaling {
    /// The type of a scale.
    pub scale: Scale,
    /// Scales of one row of A: 1, 2 or 4, the number in `.scale_vec::NX`.
    pub per_row: usize,
    /// The scales of A.
    pub a: ScalingOperand,
    /// The scales of B.
    pub b: ScalingOperand,
}

/// The arithmetic of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProductKind {
    /// Integers, into `s32`.
    Integer {
        /// `.satfinite`: clamped instead of wrapped.
        saturate: bool,
    },
    /// Bits, with a population count into `s32`.
    Bits(BitOperation),
    /// Floats of up to 32 bits.
    Float {
        /// The type of C.
        c: Accumulator,
        /// The type of D.
        d: Accumulator,
        /// `.block_scale`.
        scaling: Option<Scaling>,
    },
    /// `f64` throughout.
    Double,
    /// The four products of `mma.m8n8k4` with `f16`.
    QuadPairs {
        /// The layout of A.
        a: Major,
        /// The layout of B.
        b: Major,
        /// The type of C.
        c: Accumulator,
        /// The type of D.
        d: Accumulator,
    },
}

/// One `mma.sync` (PTX ISA, "Multiply-and-Accumulate Instruction: mma").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Product {
    /// The extents.
    pub shape: Shape,
    /// The type of A's elements.
    pub a: Element,
    /// The type of B's elements.
    pub b: Element,
    /// The arithmetic.
    pub kind: ProductKind,
}

impl Accumulator {
    pub(super) fn value(self, bits: u64) -> Exact {
        match self {
            Self::F16 => ieee(bits & 0xffff, 5, 10),
            Self::F32 => ieee(bits & 0xffff_ffff, 8, 23),
        }
    }

    /// Accumulator elements per register.
    pub(super) const fn packed(self) -> usize {
        match self {
            Self::F16 => 2,
            Self::F32 => 1,
        }
    }

    pub(super) const fn format(self) -> Format {
        match self {
            Self::F16 => F16,
            Self::F32 => F32,
        }
    }

    /// `a * b + c` rounded once.
    fn dot(self, a: &[Exact], b: &[Exact], c: Exact) -> u64 {
        self.format().pack(dot(a, b, c), Direction::NearestEven)
    }
}

/// Element `element` of `bits` bits of a register.
pub(super) fn field(register: u64, bits: u32, element: usize) -> u64 {
    if bits == 64 {
        return register;
    }
    register >> (element as u32 * bits) & ((1 << bits) - 1)
}

/// Element `index` of accumulator registers with `packed` elements each.
pub(super) fn accumulator_field(registers: &[Row], packed: usize, lane: usize, index: usize) -> u64 {
    let bits = if packed == 2 { 16 } else { 64 };
    field(registers[index / packed][lane], bits, index % packed)
}

/// Sets element `index` of accumulator registers with `packed` elements each.
pub(super) fn put(registers: &mut [Row], packed: usize, lane: usize, index: usize, bits: u64) {
    registers[index / packed][lane] |= bits << (16 * (index % packed));
}

impl Product {
    /// Registers per lane for A.
    pub const fn registers_a(&self) -> usize {
        self.products() * self.shape.m * self.shape.k / LANES / self.a.packed()
    }

    /// Registers per lane for B.
    pub const fn registers_b(&self) -> usize {
        self.products() * self.shape.n * self.shape.k / LANES / self.b.packed()
    }

    /// Registers per lane for C.
    pub const fn registers_c(&self) -> usize {
        self.accumulator_registers(match self.kind {
            ProductKind::Float { c, .. } | ProductKind::QuadPairs { c, .. } => c.packed(),
            ProductKind::Integer { .. } | ProductKind::Bits(_) | ProductKind::Double => 1,
        })
    }

    /// Registers per lane for D.
    pub const fn registers_d(&self) -> usize {
        self.accumulator_registers(match self.kind {
            ProductKind::Float { d, .. } | ProductKind::QuadPairs { d, .. } => d.packed(),
            ProductKind::Integer { .. } | ProductKind::Bits(_) | ProductKind::Double => 1,
        })
    }

    const fn accumulator_registers(&self, packed: usize) -> usize {
        self.products() * self.shape.m * self.shape.n / LANES / packed
    }

    /// The number of products that a warp computes at once.
    const fn products(&self) -> usize {
        match self.kind {
            ProductKind::QuadPairs { .. } => 4,
            _ => 1,
        }
    }

    /// The registers of D from those of A, B and C, and the metadata registers of the scales of A and B, which only a
    /// product with block scales reads. The lengths of the slices are `registers_a`, `registers_b` and `registers_c`.
    pub fn compute(&self, a: &[Row], b: &[Row], c: &[Row], scales: [&Row; 2]) -> Vec<Row> {
        let mut d = vec![[0; LANES]; self.registers_d()];
        match self.kind {
            ProductKind::Integer { saturate } => {
                let (a, b) = self.gather(a, b, Element::integer);
                self.each(&mut d, c, (1, 1), |row, column, c| {
                    let sum: i64 = self.pairs(&a, &b, row, column).map(|(a, b)| a * b).sum();
                    let sum = sum + i64::from(c as i32);
                    let low = if saturate {
                        sum.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
                    } else {
                        sum as i32
                    };
                    u64::from(low.cast_unsigned())
                });
            }
            ProductKind::Bits(operation) => {
                let (a, b) = self.gather(a, b, |_, bits| bits);
                self.each(&mut d, c, (1, 1), |row, column, c| {
                    let count: u64 = self
                        .pairs(&a, &b, row, column)
                        .map(|(a, b)| match operation {
                            BitOperation::And => a & b,
                            BitOperation::Xor => a ^ b,
                        })
                        .sum();
                    u64::from((c as u32).wrapping_add(count as u32))
                });
            }
            ProductKind::Float {
                c: from,
                d: to,
                scaling,
            } => {
                let (mut a, mut b) = self.gather(a, b, Element::float);
                if let Some(scaling) = scaling {
                    self.scale(&mut a, &mut b, scaling, scales);
                }
                let k = self.shape.k;
                self.each(&mut d, c, (from.packed(), to.packed()), |row, column, c| {
                    to.dot(&a[row * k..][..k], &b[column * k..][..k], from.value(c))
                });
            }
            ProductKind::Double => {
                let (a, b) = self.gather(a, b, |_, bits| f64::from_bits(bits));
                self.each(&mut d, c, (1, 1), |row, column, c| {
                    let sum = self
                        .pairs(&a, &b, row, column)
                        .fold(f64::from_bits(c), |sum, (a, b)| a.mul_add(b, sum));
                    if sum.is_nan() {
                        crate::soft::F64.nan()
                    } else {
                        sum.to_bits()
                    }
                });
            }
            ProductKind::QuadPairs {
                a: a_major,
                b: b_major,
                c: from,
                d: to,
            } => self.quad_pairs([a, b, c], (a_major, b_major), (from, to), &mut d),
        }
        d
    }

    /// The matrices: A by rows, B by columns.
    fn gather<T: Copy + Default>(
        &self,
        a: &[Row],
        b: &[Row],
        value: impl Fn(Element, u64) -> T,
    ) -> (Vec<T>, Vec<T>) {
        let Shape { m, n, k } = self.shape;
        let (mut left, mut right) = (vec![T::default(); m * k], vec![T::default(); n * k]);
        for lane in 0..LANES {
            for (register, row) in a.iter().enumerate() {
                for element in 0..self.a.packed() {
                    let (i, j) = fragment::a(m, self.a.packed(), lane, register, element);
                    left[i * k + j] = value(self.a, field(row[lane], self.a.bits(), element));
                }
            }
            for (register, row) in b.iter().enumerate() {
                for element in 0..self.b.packed() {
                    let (i, j) = fragment::b(self.b.packed(), lane, register, element);
                    right[j * k + i] = value(self.b, field(row[lane], self.b.bits(), element));
                }
            }
        }
        (left, right)
    }

    fn pairs<'a, T: Copy>(
        &self,
        a: &'a [T],
        b: &'a [T],
        row: usize,
        column: usize,
    ) -> impl Iterator<Item = (T, T)> + 'a {
        let k = self.shape.k;
        let (a, b) = (&a[row * k..][..k], &b[column * k..][..k]);
        a.iter().copied().zip(b.iter().copied())
    }

    /// Computes every element of D; `packed` is the number of elements in a register of C and of D.
    fn each(&self, d: &mut [Row], c: &[Row], packed: (usize, usize), f: impl Fn(usize, usize, u64) -> u64) {
        for lane in 0..LANES {
            for index in 0..self.shape.m * self.shape.n / LANES {
                let (row, column) = fragment::accumulator(lane, index);
                let bits = f(row, column, accumulator_field(c, packed.0, lane, index));
                put(d, packed.1, lane, index, bits);
            }
        }
    }

    /// Multiplies each chunk of k of each row of A and column of B by its scale.
    fn scale(&self, a: &mut [Exact], b: &mut [Exact], scaling: Scaling, [of_a, of_b]: [&Row; 2]) {
        let k = self.shape.k;
        let chunk = k / scaling.per_row;
        let factor = |lane: usize, metadata: &Row, byte: u32, at: usize| {
            let byte = byte as usize + at / chunk;
            scaling.scale.value(metadata[lane] >> (8 * byte) & 0xff)
        };
        for (row, elements) in a.chunks_mut(k).enumerate() {
            let lane = 4 * (row % 8) + 2 * scaling.a.thread as usize + row / 8;
            for (at, element) in elements.iter_mut().enumerate() {
                *element = element.times(factor(lane, of_a, scaling.a.byte, at));
            }
        }
        for (column, elements) in b.chunks_mut(k).enumerate() {
            let lane = 4 * column + scaling.b.thread as usize;
            for (at, element) in elements.iter_mut().enumerate() {
                *element = element.times(factor(lane, of_b, scaling.b.byte, at));
            }
        }
    }

    fn quad_pairs(
        &self,
        [a, b, c]: [&[Row]; 3],
        (a_major, b_major): (Major, Major),
        (from, to): (Accumulator, Accumulator),
        d: &mut [Row],
    ) {
        let Shape { m, n, k } = self.shape;
        // The four products one after the other.
        let mut left = vec![Exact::ZERO; 4 * m * k];
        let mut right = vec![Exact::ZERO; 4 * n * k];
        for lane in 0..LANES {
            let product = quad_pair::product(lane);
            for element in 0..4 {
                let (i, j) = match a_major {
                    Major::Row => quad_pair::along_k(lane, element),
                    Major::Column => quad_pair::across_k(lane, element),
                };
                left[(product * m + i) * k + j] = self.a.float(accumulator_field(a, 2, lane, element));
                let (i, j) = match b_major {
                    Major::Column => quad_pair::along_k(lane, element),
                    Major::Row => quad_pair::across_k(lane, element),
                };
                right[(product * n + i) * k + j] = self.b.float(accumulator_field(b, 2, lane, element));
            }
        }
        let place = |accumulator: Accumulator, lane, index| match accumulator {
            Accumulator::F16 => quad_pair::half_accumulator(lane, index),
            Accumulator::F32 => quad_pair::single_accumulator(lane, index),
        };
        let mut sums = vec![Exact::ZERO; 4 * m * n];
        for lane in 0..LANES {
            for index in 0..8 {
                let (row, column) = place(from, lane, index);
                let bits = accumulator_field(c, from.packed(), lane, index);
                sums[(quad_pair::product(lane) * m + row) * n + column] = from.value(bits);
            }
        }
        for lane in 0..LANES {
            let product = quad_pair::product(lane);
            for index in 0..8 {
                let (row, column) = place(to, lane, index);
                let bits = to.dot(
                    &left[(product * m + row) * k..][..k],
                    &right[(product * n + column) * k..][..k],
                    sums[(product * m + row) * n + column],
                );
                put(d, to.packed(), lane, index, bits);
            }
        }
    }
}
