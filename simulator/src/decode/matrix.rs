//! Matrix products and matrix moves.

use super::{Decoded, Decoder};
use crate::matrix::{
    Accumulator, BitOperation, Element, Major, MatrixLoad, MatrixStore, Product, ProductKind, Scale, Scaling,
    ScalingOperand, Shape, Unpacking,
};
use crate::program::{Op, Source};
use tilewright_irs::ptx::{
    Address, BitProduct, Immediate, MatrixFormat, MatrixLayout, MatrixShape, MatrixType, MmaKind, MmaShape,
    Register, ScaleType, ScaleVector, Space, Type, Value,
};

/// A form of `ldmatrix`.
pub(super) fn load(shape: MatrixShape, transposed: bool, unpacking: Unpacking) -> Decoded<MatrixLoad> {
    match shape {
        MatrixShape::M8n8 => Ok(MatrixLoad::M8n8 { transposed }),
        MatrixShape::M8n16 => Ok(MatrixLoad::M8n16(unpacking)),
        MatrixShape::M16n16 => Ok(MatrixLoad::M16n16(unpacking)),
        MatrixShape::M16n8 => Err("no load has the shape m16n8".to_owned()),
    }
}

/// A form of `stmatrix`.
pub(super) fn store(shape: MatrixShape, transposed: bool) -> Decoded<MatrixStore> {
    match shape {
        MatrixShape::M8n8 => Ok(MatrixStore::M8n8 { transposed }),
        MatrixShape::M16n8 => Ok(MatrixStore::M16n8),
        MatrixShape::M8n16 | MatrixShape::M16n16 => Err("no store has this shape".to_owned()),
    }
}

pub(super) fn unpacking(from: MatrixFormat) -> Unpacking {
    match from {
        MatrixFormat::B8x16 => Unpacking::None,
        MatrixFormat::B6x16P32 => Unpacking::B6x16P32,
        MatrixFormat::B4x16P64 => Unpacking::B4x16P64,
    }
}

fn shape(shape: MmaShape) -> Shape {
    let [m, n, k] = shape.extents();
    Shape { m, n, k }
}

/// The type of an element of A or B; `None` for that of an accumulator.
fn element(ty: MatrixType) -> Option<Element> {
    match ty {
        MatrixType::F16 => Some(Element::F16),
        MatrixType::Bf16 => Some(Element::Bf16),
        MatrixType::Tf32 => Some(Element::Tf32),
        MatrixType::F64 => Some(Element::F64),
        MatrixType::S8 => Some(Element::S8),
        MatrixType::U8 => Some(Element::U8),
        MatrixType::S4 => Some(Element::S4),
        MatrixType::U4 => Some(Element::U4),
        MatrixType::B1 => Some(Element::B1),
        MatrixType::E4m3 => Some(Element::E4m3),
        MatrixType::E5m2 => Some(Element::E5m2),
        MatrixType::E3m2 => Some(Element::E3m2),
        MatrixType::E2m3 => Some(Element::E2m3),
        MatrixType::E2m1 => Some(Element::E2m1),
        MatrixType::F32 | MatrixType::S32 => None,
    }
}

pub(super) fn accumulator(ty: MatrixType) -> Decoded<Accumulator> {
    match ty {
        MatrixType::F16 => Ok(Accumulator::F16),
        MatrixType::F32 => Ok(Accumulator::F32),
        _ => Err("an accumulator of floats is f16 or f32".to_owned()),
    }
}

fn major(layout: MatrixLayout) -> Major {
    match layout {
        MatrixLayout::Row => Major::Row,
        MatrixLayout::Col => Major::Column,
    }
}

/// The types of A and B.
pub(super) fn elements(a: MatrixType, b: MatrixType) -> Decoded<(Element, Element)> {
    element(a)
        .zip(element(b))
        .ok_or_else(|| "an accumulator's type as an operand's".to_owned())
}

/// `mma` without block scales; the types are those of D, A, B and C.
pub(super) fn product(
    shape_: MmaShape,
    layouts: [MatrixLayout; 2],
    saturate: bool,
    [d, a, b, c]: [MatrixType; 4],
    bits: Option<BitProduct>,
) -> Decoded<Product> {
    let (a, b) = elements(a, b)?;
    let kind = match (a, bits) {
        (_, Some(BitProduct::And)) => ProductKind::Bits(BitOperation::And),
        (_, Some(BitProduct::Xor)) => ProductKind::Bits(BitOperation::Xor),
        (Element::F64, None) => ProductKind::Double,
        (_, None) if d == MatrixType::S32 => ProductKind::Integer { saturate },
        (Element::F16, None) if shape_ == MmaShape::M8n8k4 => ProductKind::QuadPairs {
            a: major(layouts[0]),
            b: major(layouts[1]),
            c: accumulator(c)?,
            d: accumulator(d)?,
        },
        (_, None) => ProductKind::Float {
            c: accumulator(c)?,
            d: accumulator(d)?,
            scaling: None,
        },
    };
    Ok(Product {
        shape: shape(shape_),
        a,
        b,
        kind,
    })
}

/// `mma` with block scales.
pub(super) fn scaled_product(
    shape_: MmaShape,
    kind: MmaKind,
    [d, a, b, c]: [MatrixType; 4],
    scaling: Scaling,
) -> Decoded<Product> {
    let (a, b) = elements(a, b)?;
    // Formats with only e2m1 do not pad it to a byte.
    let packed = |element| match kind {
        MmaKind::Mxf4 | MmaKind::Mxf4nvf4 => Element::PackedE2m1,
        MmaKind::F8f6f4 | MmaKind::Mxf8f6f4 => element,
    };
    Ok(Product {
        shape: shape(shape_),
        a: packed(a),
        b: packed(b),
        kind: ProductKind::Float {
            c: accumulator(c)?,
            d: accumulator(d)?,
            scaling: Some(scaling),
        },
    })
}

/// Block scales, from their selectors `{byte, thread}`.
pub(super) fn scaling(
    kind: MmaKind,
    vector: Option<ScaleVector>,
    ty: ScaleType,
    selectors: [&[Value]; 2],
) -> Decoded<Scaling> {
    let per_row = match (vector, kind) {
        (Some(ScaleVector::X1), _) | (None, MmaKind::F8f6f4 | MmaKind::Mxf8f6f4) => 1,
        (Some(ScaleVector::X2), _) | (None, MmaKind::Mxf4 | MmaKind::Mxf4nvf4) => 2,
        (Some(ScaleVector::X4), _) => 4,
    };
    let operand = |selector: &[Value], threads: i64| match selector {
        [
            Value::Immediate(Immediate::Int(byte)),
            Value::Immediate(Immediate::Int(thread)),
        ] if (0..4).contains(byte) && byte % per_row == 0 && (0..threads).contains(thread) => {
            Ok(ScalingOperand {
                byte: *byte as u32,
                thread: *thread as u32,
            })
        }
        [Value::Immediate(byte), Value::Immediate(thread)] => Err(format!(
            "the selector {{{byte}, {thread}}} of scales, of a byte below 4 that {per_row} divides and a thread below {threads}"
        )),
        _ => Err("selectors of scales that are not constants".to_owned()),
    };
    Ok(Scaling {
        scale: match ty {
            ScaleType::Ue8m0 => Scale::Ue8m0,
            ScaleType::Ue4m3 => Scale::Ue4m3,
        },
        per_row: per_row as usize,
        a: operand(selectors[0], 2)?,
        b: operand(selectors[1], 4)?,
    })
}

impl Decoder<'_> {
    /// `mma`. The number of registers of each fragment must match the product's shape and types.
    pub(super) fn product(
        &self,
        product: Product,
        d: &[Register],
        [a, b, c]: [&[Value]; 3],
        scales: Option<[Value; 2]>,
    ) -> Decoded<Op> {
        let asked = [d.len(), a.len(), b.len(), c.len()];
        let wanted = [
            product.registers_d(),
            product.registers_a(),
            product.registers_b(),
            product.registers_c(),
        ];
        if asked != wanted {
            return Err(format!(
                "a product of {asked:?} registers, which takes {wanted:?}"
            ));
        }
        let ty = match product.kind {
            ProductKind::Double => Type::F64,
            _ => Type::B32,
        };
        let sources = |values: &[Value]| values.iter().map(|value| self.source(ty, *value)).collect();
        Ok(Op::Product {
            product,
            d: d.iter().map(|d| self.target(*d)).collect(),
            a: sources(a),
            b: sources(b),
            c: sources(c),
            scales: scales.map_or([Source::Constant(0); 2], |scales| {
                scales.map(|scale| self.source(Type::B32, scale))
            }),
        })
    }

    pub(super) fn load_matrix(
        &self,
        form: MatrixLoad,
        d: &[Register],
        space: Option<Space>,
        a: &Address,
    ) -> Decoded<Op> {
        Ok(Op::LoadMatrix {
            form,
            d: d.iter().map(|d| self.target(*d)).collect(),
            pointer: self.pointer(space, a)?,
        })
    }

    pub(super) fn store_matrix(
        &self,
        form: MatrixStore,
        space: Option<Space>,
        a: &Address,
        values: &[Value],
    ) -> Decoded<Op> {
        Ok(Op::StoreMatrix {
            form,
            pointer: self.pointer(space, a)?,
            values: values
                .iter()
                .map(|value| self.source(Type::B32, *value))
                .collect(),
        })
    }
}
