//! Matrix products of a warp, and moves of their operands.
//!
//! Source: PTX ISA, "Warp Level Matrix Multiply-Accumulate Instructions".

use super::{BLACKWELL, space_need, when};
use crate::isa::modifiers::*;
use crate::isa::target::{Need, Target};
use crate::isa::types::Type;

/// Features of sm_120a and its family.
const SM_120: Need = Need::on(8, 7, Target::sm_a(120)).or(8, 8, Target::sm_f(120));
fn shared(space: Option<Space>) -> Option<Need> {
    when(
        matches!(space, None | Some(Space::Shared | Space::SharedCta)),
        space_need(space),
    )
}

pub(in crate::isa) fn ldmatrix(
    shape: MatrixShape,
    count: MatrixCount,
    trans: Trans,
    space: Option<Space>,
    ty: Type,
    registers: usize,
) -> Option<Need> {
    let (need, wanted) = match (shape, ty) {
        (MatrixShape::M8n8, Type::B16) => (Need::new(6, 5, 75), count.count()),
        (MatrixShape::M16n16, Type::B8) if trans.0 && count != MatrixCount::X4 => {
            (BLACKWELL, 2 * count.count())
        }
        _ => return None,
    };
    when(registers == wanted, need.and(shared(space)?))
}

pub(in crate::isa) fn ldmatrix_widen(
    shape: MatrixShape,
    count: MatrixCount,
    trans: Trans,
    space: Option<Space>,
    to: MatrixFormat,
    from: MatrixFormat,
    registers: usize,
) -> Option<Need> {
    let wanted = match shape {
        MatrixShape::M8n16 if !trans.0 => count.count(),
        MatrixShape::M16n16 if trans.0 && count != MatrixCount::X4 => 2 * count.count(),
        _ => return None,
    };
    let formats = to == MatrixFormat::B8x16 && from != MatrixFormat::B8x16;
    when(formats && registers == wanted, BLACKWELL.and(shared(space)?))
}

pub(in crate::isa) fn stmatrix(
    shape: MatrixShape,
    count: MatrixCount,
    trans: Trans,
    space: Option<Space>,
    ty: Type,
    registers: usize,
) -> Option<Need> {
    let need = match (shape, ty) {
        (MatrixShape::M8n8, Type::B16) => Need::new(7, 8, 90),
        (MatrixShape::M16n8, Type::B8) if trans.0 => BLACKWELL,
        _ => return None,
    };
    when(registers == count.count(), need.and(shared(space)?))
}

pub(in crate::isa) fn movmatrix(ty: Type) -> Option<Need> {
    when(ty == Type::B16, Need::new(7, 8, 75))
}

/// The modifiers of a matrix product; the types are those of D, A, B and C.
pub(in crate::isa) struct Product {
    pub(in crate::isa) shape: MmaShape,
    pub(in crate::isa) layouts: [MatrixLayout; 2],
    pub(in crate::isa) kind: Option<MmaKind>,
    pub(in crate::isa) satfinite: Satfinite,
    pub(in crate::isa) types: [MatrixType; 4],
    pub(in crate::isa) bits: Option<BitProduct>,
    pub(in crate::isa) popc: Popc,
}

/// Registers per lane of D, A, B and C, where elements of A and B have `bits` bits. 16-bit floats of C and D are packed
/// in pairs.
pub(super) fn registers(shape: MmaShape, types: [MatrixType; 4], bits: usize, copies: usize) -> [usize; 4] {
    let [m, n, k] = shape.extents();
    let sum = |ty| match ty {
        MatrixType::F16 => m * n / 64,
        _ => m * n / 32,
    };
    let factor = |elements: usize| elements * bits / 32 / bits.max(32);
    [
        copies * sum(types[0]),
        factor(copies * m * k),
        factor(copies * k * n),
        copies * sum(types[3]),
    ]
}

pub(super) const ROW_COL: [MatrixLayout; 2] = [MatrixLayout::Row, MatrixLayout::Col];

/// Bits of an element of A or B in its register.
pub(super) const fn element_bits(ty: MatrixType) -> usize {
    use MatrixType as M;
    match ty {
        M::F64 => 64,
        M::F32 | M::Tf32 | M::S32 => 32,
        M::F16 | M::Bf16 => 16,
        M::S8 | M::U8 | M::E4m3 | M::E5m2 | M::E3m2 | M::E2m3 | M::E2m1 => 8,
        M::S4 | M::U4 => 4,
        M::B1 => 1,
    }
}

/// Whether the operands have as many registers as the fragments of the product.
fn counted(product: &Product, bits: usize, given: [usize; 4]) -> bool {
    // For 8x8x4 products of halves, each quarter of the warp computes one.
    let quarters = product.shape == MmaShape::M8n8k4 && product.types[1] == MatrixType::F16;
    registers(product.shape, product.types, bits, if quarters { 4 } else { 1 }) == given
}

pub(in crate::isa) fn mma(product: &Product, given: [usize; 4]) -> Option<Need> {
    use MatrixType as M;
    use MmaShape as S;
    let Product {
        shape,
        layouts,
        kind,
        satfinite,
        types: [d, a, b, c],
        bits: combine,
        popc,
    } = *product;
    let row_col = layouts == ROW_COL;
    let floats = !satfinite.0 && d == c && matches!(d, M::F16 | M::F32);
    let (need, bits, valid) = match (kind, a, b) {
        (None, M::F16, M::F16) if shape == S::M8n8k4 => {
            let sums = matches!((d, c), (M::F16 | M::F32, M::F16) | (M::F32, M::F32));
            (Need::new(6, 4, 70), 16, sums && !satfinite.0)
        }
        (None, M::F16, M::F16) => {
            let need = match shape {
                S::M16n8k8 => Need::new(6, 5, 75),
                S::M16n8k16 => Need::new(7, 0, 80),
                _ => return None,
            };
            (need, 16, floats && row_col)
        }
        (None, M::Bf16, M::Bf16) => {
            let shapes = matches!(shape, S::M16n8k8 | S::M16n8k16);
            (
                Need::new(7, 0, 80),
                16,
                shapes && floats && d == M::F32 && row_col,
            )
        }
        (None, M::Tf32, M::Tf32) => {
            let shapes = matches!(shape, S::M16n8k4 | S::M16n8k8);
            (
                Need::new(7, 0, 80),
                32,
                shapes && floats && d == M::F32 && row_col,
            )
        }
        (None, M::F64, M::F64) => {
            let need = match shape {
                S::M8n8k4 => Need::new(7, 0, 80),
                S::M16n8k4 | S::M16n8k8 | S::M16n8k16 => Need::new(7, 8, 90),
                _ => return None,
            };
            (need, 64, d == M::F64 && c == M::F64 && !satfinite.0 && row_col)
        }
        (None, M::E4m3 | M::E5m2, M::E4m3 | M::E5m2) => {
            let need = match (shape, d) {
                (S::M16n8k32, M::F32) => Need::new(8, 4, 89),
                (S::M16n8k32 | S::M16n8k16, _) => Need::new(8, 7, 89),
                _ => return None,
            };
            (need, 8, floats && row_col)
        }
        (Some(MmaKind::F8f6f4), a, b) if is_narrow(a) && is_narrow(b) => {
            (SM_120, 8, shape == S::M16n8k32 && floats && row_col)
        }
        (None, M::S8 | M::U8, M::S8 | M::U8) => {
            let need = match shape {
                S::M8n8k16 => Need::new(6, 5, 75),
                S::M16n8k16 | S::M16n8k32 => Need::new(7, 0, 80),
                _ => return None,
            };
            (need, 8, d == M::S32 && c == M::S32 && row_col)
        }
        (None, M::S4 | M::U4, M::S4 | M::U4) => {
            let need = match shape {
                S::M8n8k32 => Need::new(6, 5, 75),
                S::M16n8k32 | S::M16n8k64 => Need::new(7, 0, 80),
                _ => return None,
            };
            (need, 4, d == M::S32 && c == M::S32 && row_col)
        }
        (None, M::B1, M::B1) => {
            let need = match (shape, combine?) {
                (S::M8n8k128, BitProduct::Xor) => Need::new(7, 0, 75),
                (S::M16n8k128 | S::M16n8k256, BitProduct::Xor) => Need::new(7, 0, 80),
                (S::M8n8k128 | S::M16n8k128 | S::M16n8k256, BitProduct::And) => Need::new(7, 1, 80),
                _ => return None,
            };
            let sums = d == M::S32 && c == M::S32 && !satfinite.0;
            (need, 1, sums && row_col)
        }
        _ => return None,
    };
    let counts_bits = a == M::B1;
    let bit_words = combine.is_some() == counts_bits && popc.0 == counts_bits;
    when(valid && bit_words && counted(product, bits, given), need)
}

const fn is_narrow(ty: MatrixType) -> bool {
    use MatrixType as M;
    matches!(ty, M::E4m3 | M::E5m2 | M::E3m2 | M::E2m3 | M::E2m1)
}

/// The modifiers of a block-scaled matrix product; types are those of D, A, B and C.
pub(in crate::isa) struct ScaledProduct {
    pub(in crate::isa) shape: MmaShape,
    pub(in crate::isa) layouts: [MatrixLayout; 2],
    pub(in crate::isa) kind: MmaKind,
    pub(in crate::isa) scale_vector: Option<ScaleVector>,
    pub(in crate::isa) types: [MatrixType; 4],
    pub(in crate::isa) scale_type: ScaleType,
}

pub(in crate::isa) fn mma_block_scaled(
    product: &ScaledProduct,
    given: [usize; 4],
    selectors: [usize; 2],
) -> Option<Need> {
    use MatrixType as M;
    let [d, a, b, c] = product.types;
    let four_bits = a == M::E2m1 && b == M::E2m1 && product.shape == MmaShape::M16n8k64;
    let (bits, valid) = match (product.kind, product.scale_vector, product.scale_type) {
        (MmaKind::Mxf8f6f4, None | Some(ScaleVector::X1), ScaleType::Ue8m0) => {
            let shape = product.shape == MmaShape::M16n8k32;
            (8, shape && is_narrow(a) && is_narrow(b))
        }
        (MmaKind::Mxf4, None | Some(ScaleVector::X2), ScaleType::Ue8m0)
        | (MmaKind::Mxf4nvf4, Some(ScaleVector::X2), ScaleType::Ue8m0)
        | (MmaKind::Mxf4nvf4, Some(ScaleVector::X4), ScaleType::Ue4m3) => (4, four_bits),
        _ => return None,
    };
    let sums = d == M::F32 && c == M::F32;
    let counts = registers(product.shape, product.types, bits, 1) == given && selectors == [2, 2];
    when(valid && sums && counts && product.layouts == ROW_COL, SM_120)
}

/// The registers of the dense product with half the K that has the fragments of this sparse one: B has half as many
/// registers.
fn halved([d, a, b, c]: [usize; 4]) -> Option<[usize; 4]> {
    b.is_multiple_of(2).then_some([d, a, b / 2, c])
}

fn sparsity_need(sparsity: Sparsity) -> Need {
    match sparsity {
        Sparsity::Any => Need::new(7, 1, 80),
        Sparsity::Ordered => Need::new(8, 5, 80),
    }
}

/// Whether a sparsity selector is valid. Depending on the type and the registers of A, one, two or all of four lanes
/// hold the metadata; the selector says which.
pub(super) fn selects(a: MatrixType, registers: usize, selector: u32) -> bool {
    use MatrixType as M;
    let choices = match (a, registers) {
        (M::F16 | M::Bf16 | M::Tf32, 2) => 4,
        (M::F16 | M::Bf16 | M::Tf32, _) | (_, 2) => 2,
        _ => 1,
    };
    selector < choices
}

/// A sparse product has the fragments of A, C and D of the dense product with half its K, and the fragment of B for all
/// of K.
pub(in crate::isa) fn mma_sparse(
    product: &Product,
    given: [usize; 4],
    sparsity: Sparsity,
    selector: u32,
) -> Option<Need> {
    use MatrixType as M;
    let shape = product.shape.halved()?;
    let [d, a, ..] = product.types;
    let need = mma(&Product { shape, ..*product }, halved(given)?)?;
    let eight_bits = matches!(a, M::E4m3 | M::E5m2) && product.kind.is_none();
    let exists = match a {
        M::F64 | M::B1 => false,
        _ if product.kind.is_some() => sparsity == Sparsity::Ordered,
        _ => !eight_bits || shape == MmaShape::M16n8k32,
    };
    let need = if eight_bits && d == M::F16 {
        SM_120
    } else {
        need.and(sparsity_need(sparsity))
    };
    when(exists && selects(a, given[1], selector), need)
}

pub(in crate::isa) fn mma_sparse_block_scaled(
    product: &ScaledProduct,
    given: [usize; 4],
    selectors: [usize; 2],
    sparsity: Sparsity,
    selector: u32,
) -> Option<Need> {
    let shape = product.shape.halved()?;
    let dense = ScaledProduct { shape, ..*product };
    let exists = sparsity == Sparsity::Ordered && selects(product.types[1], given[1], selector);
    mma_block_scaled(&dense, halved(given)?, selectors).filter(|_| exists)
}
