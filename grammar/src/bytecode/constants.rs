//! Encoding of the elements of constants.

use tilewright_irs::element::ScalarType;
use tilewright_irs::literal::Dense;

use super::sink::Sink;

/// Size of an element of a constant in the file, in bytes.
pub(super) fn constant_bytes(scalar: ScalarType) -> usize {
    match scalar {
        ScalarType::I1
        | ScalarType::I4
        | ScalarType::I8
        | ScalarType::F8E4M3FN
        | ScalarType::F8E5M2
        | ScalarType::F8E8M0FNU
        | ScalarType::F4E2M1FN
        | ScalarType::F8E5M3FNU => 1,
        ScalarType::I16 | ScalarType::F16 | ScalarType::BF16 => 2,
        ScalarType::TF32 => 3,
        ScalarType::I32 | ScalarType::F32 => 4,
        ScalarType::I64 | ScalarType::F64 => 8,
    }
}

/// A constant as an item of its table. A splat Boolean is written as eight equal bits, so that it reads the same as
/// one element and as a list of bits.
pub(super) fn constant_item(dense: &Dense) -> Vec<u8> {
    let mut data = Sink::default();
    match dense {
        Dense::Splat(literal) if literal.ty == ScalarType::I1 => {
            data.u8(if literal.bits == 0 { 0 } else { 0xFF });
        }
        Dense::Splat(literal) => element(&mut data, literal.ty, literal.bits),
        Dense::Elements(ScalarType::I1, bits) => {
            for chunk in bits.chunks(8) {
                let byte = chunk
                    .iter()
                    .rev()
                    .fold(0u8, |byte, &bit| byte << 1 | u8::from(bit != 0));
                data.u8(byte);
            }
        }
        Dense::Elements(ty, bits) => bits.iter().for_each(|&bits| element(&mut data, *ty, bits)),
    }
    let mut item = Sink::default();
    item.len(data.bytes.len());
    item.extend(&data.bytes);
    item.bytes
}

fn element(sink: &mut Sink, ty: ScalarType, bits: u64) {
    let bytes = bits.to_le_bytes();
    sink.extend(bytes.get(..constant_bytes(ty)).unwrap_or(&bytes));
}
