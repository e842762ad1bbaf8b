//! An output buffer with the primitive encodings (varint, padding, tables).

/// The padding byte.
const PADDING: u8 = 0xCB;

/// An output buffer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Sink {
    pub(super) bytes: Vec<u8>,
}

impl Sink {
    pub(super) fn u8(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    pub(super) fn extend(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    pub(super) fn varint(&mut self, mut value: u64) {
        loop {
            let low = (value & 0x7F) as u8;
            value >>= 7;
            if value == 0 {
                self.bytes.push(low);
                return;
            }
            self.bytes.push(low | 0x80);
        }
    }

    pub(super) fn len(&mut self, len: usize) {
        self.varint(len as u64);
    }

    pub(super) fn zigzag(&mut self, value: i64) {
        self.varint((value << 1 ^ value >> 63).cast_unsigned());
    }

    /// Writes this number of padding bytes.
    pub(super) fn pad(&mut self, count: usize) {
        self.bytes.resize(self.bytes.len() + count, PADDING);
    }

    /// Pads to a multiple of `alignment`.
    pub(super) fn align(&mut self, alignment: usize) {
        while !self.bytes.len().is_multiple_of(alignment) {
            self.bytes.push(PADDING);
        }
    }

    /// A table of items of varying length, preceded by their offsets of `width` bytes.
    pub(super) fn table<'i>(&mut self, items: impl ExactSizeIterator<Item = &'i [u8]> + Clone, width: usize) {
        self.len(items.len());
        if items.len() == 0 {
            return;
        }
        self.align(width);
        let mut offset = 0u64;
        for item in items.clone() {
            let bytes = offset.to_le_bytes();
            self.extend(bytes.get(..width).unwrap_or(&bytes));
            offset += item.len() as u64;
        }
        for item in items {
            self.extend(item);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings() {
        let mut sink = Sink::default();
        sink.varint(300);
        sink.zigzag(-2);
        sink.zigzag(i64::MIN);
        assert_eq!(
            sink.bytes,
            [
                0xAC, 0x02, 0x03, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01
            ]
        );
        let mut sink = Sink::default();
        sink.table([b"ab".as_slice(), b"c"].into_iter(), 4);
        assert_eq!(sink.bytes, *b"\x02\xCB\xCB\xCB\0\0\0\0\x02\0\0\0abc");
    }
}
