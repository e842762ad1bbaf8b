//! Packing of numbers to bytes: `pack` and `unpack`.

use tilewright_irs::element::ScalarType;

const fn is_padded(ty: ScalarType) -> bool {
    matches!(ty, ScalarType::TF32)
}

/// Bits of a packed number: its width, but 32 for `tf32`.
pub const fn packed_bits(ty: ScalarType) -> u32 {
    if is_padded(ty) { 32 } else { ty.bits() }
}

/// The bits of a packed number, as in memory. The sources do not define the position of the 19 bits of a `tf32` in
/// its 32; here it is the `f32` of the same value, as in registers and as NVIDIA's assembler 13.5 stores it.
pub const fn to_packed(ty: ScalarType, bits: u64) -> u64 {
    let shift = if is_padded(ty) { 13 } else { 0 };
    (bits & ty.mask()) << shift
}

/// The number with these packed bits; the low 13 bits of a `tf32` are dropped.
pub const fn from_packed(ty: ScalarType, packed: u64) -> u64 {
    let shift = if is_padded(ty) { 13 } else { 0 };
    (packed >> shift) & ty.mask()
}

/// The bytes of numbers, little-endian; numbers narrower than a byte start at the lowest bits. Unused bits of the
/// last byte are zero; the language has no such case.
pub fn pack(ty: ScalarType, numbers: &[u64]) -> Vec<u8> {
    let width = packed_bits(ty);
    let mut bytes = Vec::new();
    let (mut pending, mut filled) = (0u128, 0);
    for &number in numbers {
        pending |= u128::from(to_packed(ty, number)) << filled;
        filled += width;
        while filled >= 8 {
            bytes.push((pending & 0xFF) as u8);
            pending >>= 8;
            filled -= 8;
        }
    }
    if filled > 0 {
        bytes.push((pending & 0xFF) as u8);
    }
    bytes
}

/// The numbers packed into these bytes; an incomplete last one is dropped.
pub fn unpack(ty: ScalarType, bytes: &[u8]) -> Vec<u64> {
    let width = packed_bits(ty);
    let mask = (1u128 << width) - 1;
    let mut numbers = Vec::new();
    let (mut pending, mut filled) = (0u128, 0);
    for &byte in bytes {
        pending |= u128::from(byte) << filled;
        filled += 8;
        while filled >= width {
            // At most 64 bits.
            numbers.push(from_packed(ty, (pending & mask) as u64));
            pending >>= width;
            filled -= width;
        }
    }
    numbers
}
