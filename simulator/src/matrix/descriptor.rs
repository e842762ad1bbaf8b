//! Matrix descriptors of `wgmma`: where the elements of an operand in shared memory are.
//!
//! (PTX ISA, "Asynchronous Warpgroup Level Matrix Shared Memory Layout": "Matrix Descriptor Format", "Strides" and
//! "Canonical Layouts".) An operand is made of chunks of 16 bytes, each of consecutive elements along its major axis.
//! Written from the manual, independently of the compiler's layouts.

/// Bytes of a chunk.
pub(crate) const CHUNK: u64 = 16;
/// Bits of addresses in descriptors.
const ADDRESS_BITS: u32 = 18;
/// The bits of a descriptor that are in no field.
const UNUSED: u64 = !(0x3fff | 0x3fff << 16 | 0x3fff << 32 | 7 << 49 | 3 << 62);

/// The axis along which elements are consecutive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contiguous {
    /// That of the sum.
    K,
    /// The rows of A, the columns of B.
    Outer,
}

/// A decoded matrix descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Descriptor {
    start: u64,
    /// The leading dimension byte offset.
    leading: u64,
    /// The stride dimension byte offset.
    stride: u64,
    base_offset: u64,
    /// Chunks of a swizzled row: 1 without swizzle, else 2, 4 or 8.
    span: u64,
}

impl Descriptor {
    /// Decodes a descriptor, if all bits outside the fields are zero.
    pub(crate) fn decode(word: u64) -> Option<Self> {
        let offset = |bit: u32| (word >> bit & 0x3fff) * CHUNK;
        let span = match word >> 62 {
            0 => 1,
            1 => 8,
            2 => 4,
            _ => 2,
        };
        (word & UNUSED == 0).then_some(Self {
            start: offset(0),
            leading: offset(16),
            stride: offset(32),
            base_offset: word >> 49 & 7,
            span,
        })
    }

    /// The address of a chunk: number `outer` along the other axis and `k` along that of the sum, each counted in
    /// elements, or in chunks along the contiguous axis.
    pub(crate) fn chunk(&self, contiguous: Contiguous, outer: u64, k: u64) -> u64 {
        let Self {
            start,
            leading,
            stride,
            span,
            ..
        } = *self;
        let row = span * CHUNK;
        let offset = match (contiguous, span) {
            // Eight rows of a chunk are consecutive.
            (Contiguous::K, 1) => outer % 8 * CHUNK + outer / 8 * stride + k * leading,
            (Contiguous::K, _) => outer % 8 * row + outer / 8 * stride + k * CHUNK,
            (Contiguous::Outer, 1) => k % 8 * CHUNK + k / 8 * leading + outer * stride,
            (Contiguous::Outer, _) => {
                k % 8 * row + k / 8 * stride + outer % span * CHUNK + outer / span * leading
            }
        };
        let address = start + offset;
        // The swizzle exchanges chunks by the number of the row of 128 bytes in the pattern, whose start the base offset
        // says if it is not where addresses would have it.
        let row = (address >> 7).wrapping_sub(self.base_offset);
        (address ^ ((row & (span - 1)) * CHUNK)) & ((1 << ADDRESS_BITS) - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_where_the_manual_has_them() {
        let word = 0x123 | 5 << 16 | 7 << 32 | 3 << 49 | 2 << 62;
        let want = Descriptor {
            start: 0x1230,
            leading: 80,
            stride: 112,
            base_offset: 3,
            span: 4,
        };
        assert_eq!(Descriptor::decode(word), Some(want));
        for bit in [14, 15, 30, 31, 46, 48, 52, 61] {
            assert_eq!(Descriptor::decode(word | 1 << bit), None);
        }
    }

    #[test]
    fn the_base_offset_is_the_start_of_the_pattern() {
        // A pattern of 1024 bytes that starts at row 3 of those that addresses define.
        let at = |base: u64| Descriptor {
            start: 0x400 + 128 * base,
            leading: 16,
            stride: 1024,
            base_offset: base,
            span: 8,
        };
        for row in 0..8 {
            for k in 0..8 {
                let aligned = at(0).chunk(Contiguous::K, row, k);
                assert_eq!(at(3).chunk(Contiguous::K, row, k), aligned + 384);
                assert_eq!(aligned, 0x400 + 128 * row + 16 * (k ^ row));
            }
        }
    }
}
