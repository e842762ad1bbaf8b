//! A position in a file, and decoding of the primitive encodings.

use tilewright_diagnostics::{Code, counted};

/// An error in a file, with its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// The byte offset.
    pub(super) offset: usize,
    pub(super) code: Code,
    pub(super) message: String,
}

/// Faults are rare, so they are boxed.
pub(super) type Read<T> = Result<T, Box<Fault>>;

#[cold]
pub(super) fn fault<T>(offset: usize, code: Code, message: impl Into<String>) -> Read<T> {
    Err(Box::new(Fault {
        offset,
        code,
        message: message.into(),
    }))
}

/// A window of a file that is read sequentially. Offsets count from the start of the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'a> {
    /// The remaining bytes.
    rest: &'a [u8],
    /// The offset of `rest` in the file.
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { rest: bytes, at }
    }

    /// The offset of the next byte.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn remaining(&self) -> usize {
        self.rest.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(super) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    #[cold]
    fn truncated<T>(&self, what: &str) -> Read<T> {
        fault(
            self.at,
            Code::Truncated,
            format!(
                "the data ends where {what} is expected ({} left)",
                counted(self.rest.len(), "byte")
            ),
        )
    }

    #[inline]
    pub(super) fn u8(&mut self, what: &str) -> Read<u8> {
        match self.rest.split_first() {
            Some((&byte, rest)) => {
                self.rest = rest;
                self.at += 1;
                Ok(byte)
            }
            None => self.truncated(what),
        }
    }

    pub(super) fn bytes(&mut self, count: usize, what: &str) -> Read<&'a [u8]> {
        match self.rest.split_at_checked(count) {
            Some((bytes, rest)) => {
                self.rest = rest;
                self.at += count;
                Ok(bytes)
            }
            None => self.truncated(what),
        }
    }

    fn array<const N: usize>(&mut self, what: &str) -> Read<[u8; N]> {
        match self.rest.split_first_chunk() {
            Some((bytes, rest)) => {
                self.rest = rest;
                self.at += N;
                Ok(*bytes)
            }
            None => self.truncated(what),
        }
    }

    pub(super) fn i32(&mut self, what: &str) -> Read<i32> {
        self.array(what).map(i32::from_le_bytes)
    }

    pub(super) fn i64(&mut self, what: &str) -> Read<i64> {
        self.array(what).map(i64::from_le_bytes)
    }

    /// A varint of up to ten bytes, seven bits each, the lowest first.
    #[inline]
    pub(super) fn varint(&mut self, what: &str) -> Read<u64> {
        if let Some((&byte, rest)) = self.rest.split_first()
            && byte < 0x80
        {
            self.rest = rest;
            self.at += 1;
            return Ok(byte.into());
        }
        self.long_varint(what)
    }

    fn long_varint(&mut self, what: &str) -> Read<u64> {
        // Most varints have two bytes.
        if let [low, high @ ..0x80, ref rest @ ..] = *self.rest
            && low >= 0x80
        {
            self.rest = rest;
            self.at += 2;
            return Ok(u64::from(high) << 7 | u64::from(low & 0x7F));
        }
        let start = self.at;
        let (value, beyond) = self.ten_bytes(what)?;
        if beyond {
            return fault(start, Code::BadVarint, format!("{what} needs more than 64 bits"));
        }
        Ok(value)
    }

    /// The low 64 bits of a varint of up to ten bytes, and whether there are higher ones.
    fn ten_bytes(&mut self, what: &str) -> Read<(u64, bool)> {
        let start = self.at;
        let mut value = 0u64;
        for shift in (0..70).step_by(7) {
            let byte = self.u8(what)?;
            let bits = u64::from(byte & 0x7F);
            value |= bits << shift;
            if byte < 0x80 {
                return Ok((value, shift == 63 && bits > 1));
            }
        }
        fault(
            start,
            Code::BadVarint,
            format!("{what} is a number of more than ten bytes"),
        )
    }

    pub(super) fn zigzag(&mut self, what: &str) -> Read<i64> {
        self.varint(what).map(unfolded)
    }

    /// Like [`zigzag`](Self::zigzag), without bits beyond the 64th: cuTile Python writes the bits of a negative f64 as a
    /// positive number, which takes 65 bits. NVIDIA's reader drops the highest one, so that the number loses its sign.
    pub(super) fn wrapped_zigzag(&mut self, what: &str) -> Read<i64> {
        self.ten_bytes(what).map(|(value, _)| unfolded(value))
    }

    /// A count of items of at least `size` bytes each, which must fit into the remaining bytes.
    #[inline]
    pub(super) fn count(&mut self, size: usize, what: &str) -> Read<usize> {
        let start = self.at;
        let value = self.varint(what)?;
        let count = usize::try_from(value).unwrap_or(usize::MAX);
        if count.saturating_mul(size) <= self.rest.len() {
            Ok(count)
        } else {
            self.too_many(start, value, what)
        }
    }

    #[cold]
    fn too_many<T>(&self, start: usize, value: u64, what: &str) -> Read<T> {
        let message = format!(
            "{what} is {value}, with only {} left",
            counted(self.rest.len(), "byte")
        );
        fault(start, Code::BadSectionLength, message)
    }

    /// A 32-bit index, for values with that limit in the file format.
    pub(super) fn small(&mut self, what: &str) -> Read<u32> {
        let start = self.at;
        let value = self.varint(what)?;
        u32::try_from(value).or_else(|_| {
            fault(
                start,
                Code::BadVarint,
                format!("{what} is {value}, which needs more than 32 bits"),
            )
        })
    }

    /// Skips to a multiple of `alignment`, counted from `origin`.
    pub(super) fn align(&mut self, alignment: usize, origin: usize, what: &str) -> Read<()> {
        let over = self.at.saturating_sub(origin) % alignment.max(1);
        if over != 0 {
            self.bytes(alignment - over, what)?;
        }
        Ok(())
    }
}

/// A number whose sign is in the lowest bit.
fn unfolded(value: u64) -> i64 {
    (value >> 1).cast_signed() ^ -(value & 1).cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn varint(bytes: &[u8]) -> Result<u64, Code> {
        Cursor::new(bytes, 0).varint("it").map_err(|fault| fault.code)
    }

    #[test]
    fn varints() {
        assert_eq!(varint(&[0x7F]), Ok(127));
        assert_eq!(varint(&[0x80, 0x01]), Ok(128));
        assert_eq!(varint(&[0x81, 0x00]), Ok(1));
        assert_eq!(
            varint(&[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01]),
            Ok(u64::MAX)
        );
        assert_eq!(varint(&[0xFF; 11]), Err(Code::BadVarint));
        assert_eq!(varint(&[0x80; 11]), Err(Code::BadVarint));
        assert_eq!(
            varint(&[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02]),
            Err(Code::BadVarint)
        );
        assert_eq!(varint(&[0x80]), Err(Code::Truncated));
    }

    #[test]
    fn zigzag() {
        let read = |byte| Cursor::new(&[byte], 0).zigzag("it").ok();
        assert_eq!([0, 1, 2, 3].map(read), [Some(0), Some(-1), Some(1), Some(-2)]);
    }

    #[test]
    fn the_sign_of_a_wide_number_is_dropped() {
        // Twice the bits of the f64 -inf.
        let bytes = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0xF0, 0xFF, 0x03];
        let read = Cursor::new(&bytes, 0).wrapped_zigzag("it").ok();
        assert_eq!(read.map(i64::cast_unsigned), Some(f64::INFINITY.to_bits()));
        let strict = Cursor::new(&bytes, 0).zigzag("it");
        assert_eq!(strict.map_err(|fault| fault.code), Err(Code::BadVarint));
    }

    #[test]
    fn counts_must_fit_what_is_left() {
        assert_eq!(Cursor::new(&[2, 0, 0], 0).count(1, "it").ok(), Some(2));
        assert_eq!(
            Cursor::new(&[2, 0, 0], 0).count(2, "it").map_err(|f| f.code),
            Err(Code::BadSectionLength)
        );
    }

    #[test]
    fn alignment_counts_from_the_origin() {
        let bytes = [0u8; 16];
        let mut cursor = Cursor::new(&bytes, 5);
        assert!(cursor.align(4, 1, "it").is_ok());
        assert_eq!(cursor.at(), 5);
        assert!(cursor.align(4, 0, "it").is_ok());
        assert_eq!(cursor.at(), 8);
    }
}
