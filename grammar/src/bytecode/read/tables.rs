//! The tables of strings and constants, and the memory budget of a file.

use tilewright_diagnostics::{Code, counted};

use super::super::arrangement::Items;
use super::cursor::{Cursor, Read, fault};

/// A table of items of varying length: offsets first, then the data.
#[derive(Clone, Copy, Debug)]
pub(super) struct Table<'a> {
    /// The number of items.
    pub(super) len: usize,
    offsets: &'a [u8],
    data: &'a [u8],
    /// The offset of the data in the file.
    at: usize,
    width: usize,
    /// The padding after the count of an empty table.
    padding: usize,
}

impl<'a> Table<'a> {
    /// An empty table.
    pub(super) const EMPTY: Self = Self {
        len: 0,
        offsets: &[],
        data: &[],
        at: 0,
        width: 4,
        padding: 0,
    };

    /// Reads a table with offsets of `width` bytes.
    pub(super) fn read(cursor: &mut Cursor<'a>, origin: usize, width: usize, what: &str) -> Read<Self> {
        let start = cursor.at();
        let len = cursor.varint(what)?;
        if len == 0 {
            return Ok(Self {
                padding: cursor.remaining(),
                ..Self::EMPTY
            });
        }
        cursor.align(width, origin, what)?;
        let bytes = usize::try_from(len).ok().and_then(|len| len.checked_mul(width));
        match (bytes, usize::try_from(len)) {
            (Some(bytes), Ok(len)) if bytes <= cursor.remaining() => Ok(Self {
                len,
                offsets: cursor.bytes(bytes, what)?,
                data: cursor.rest(),
                at: cursor.at(),
                width,
                padding: 0,
            }),
            _ => fault(
                start,
                Code::BadSectionLength,
                format!(
                    "{what} is {len}, with only {} left",
                    counted(cursor.remaining(), "byte")
                ),
            ),
        }
    }

    /// The items in order. An item with invalid offsets, which nothing may refer to, is empty.
    pub(super) fn items(self) -> Items {
        let item = |index| self.get(index, "item").ok().flatten();
        let items = (0..self.len as u64).map(|index| item(index).map_or(&[][..], |item| item.rest()));
        let mut items: Items = items.collect();
        items.padding = self.padding;
        items
    }

    fn offset(&self, index: usize) -> Option<usize> {
        let bytes = self.offsets.get(index * self.width..)?;
        match self.width {
            4 => usize::try_from(u32::from_le_bytes(*bytes.first_chunk()?)).ok(),
            _ => usize::try_from(u64::from_le_bytes(*bytes.first_chunk()?)).ok(),
        }
    }

    /// The item of this index; `None` if there is none, an error if its offsets are invalid.
    pub(super) fn get(&self, index: u64, what: &str) -> Read<Option<Cursor<'a>>> {
        let Some(index) = usize::try_from(index).ok().filter(|&index| index < self.len) else {
            return Ok(None);
        };
        let start = self.offset(index);
        let end = if index + 1 < self.len {
            self.offset(index + 1)
        } else {
            Some(self.data.len())
        };
        match (start, end) {
            (Some(start), Some(end)) => match self.data.get(start..end) {
                Some(bytes) => Ok(Some(Cursor::new(bytes, self.at + start))),
                None => fault(
                    self.at,
                    Code::BadSectionLength,
                    format!(
                        "{what} {index} lies at {start}..{end} of {}",
                        counted(self.data.len(), "byte")
                    ),
                ),
            },
            _ => fault(
                self.at,
                Code::BadSectionLength,
                format!("{what} {index} has no offset"),
            ),
        }
    }
}

/// The memory budget of a file: a small file can refer to one long string, constant or type many times.
#[derive(Clone, Debug)]
pub(super) struct Budget {
    left: u64,
}

impl Budget {
    /// The budget of a file of this size.
    pub(super) fn for_file(bytes: usize) -> Self {
        Self {
            left: (bytes as u64).saturating_mul(128).saturating_add(4 << 20),
        }
    }

    /// The share of a part.
    pub(super) fn share(&self, part: usize, whole: usize) -> Self {
        let share = u128::from(self.left) * part as u128 / whole.max(1) as u128;
        Self {
            left: u64::try_from(share).unwrap_or(self.left),
        }
    }

    pub(super) fn spend(&mut self, bytes: usize, at: usize) -> Read<()> {
        match self.left.checked_sub(bytes as u64) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => fault(
                at,
                Code::InputTooLarge,
                "the file refers to its strings, constants and types so often that it would take too much memory",
            ),
        }
    }
}

/// The strings.
#[derive(Clone, Copy, Debug)]
pub(super) struct Strings<'a> {
    pub(super) table: Table<'a>,
}

impl<'a> Strings<'a> {
    pub(super) fn read(mut cursor: Cursor<'a>) -> Read<Self> {
        let origin = cursor.at();
        let table = Table::read(&mut cursor, origin, 4, "the number of strings")?;
        Ok(Self { table })
    }

    /// The string of this index, which is at offset `at`.
    pub(super) fn get(&self, index: u64, at: usize) -> Read<&'a str> {
        let Some(item) = self.table.get(index, "string")? else {
            let message = format!("string index {index} out of bounds (size={})", self.table.len);
            return fault(at, Code::StringIndex, message);
        };
        std::str::from_utf8(item.rest()).or_else(|error| {
            let offset = item.at() + error.valid_up_to();
            fault(
                offset,
                Code::InvalidUtf8,
                format!("string {index} is not valid UTF-8"),
            )
        })
    }
}

/// The constants: bytes, to be decoded by the user's type.
#[derive(Clone, Copy, Debug)]
pub(super) struct Constants<'a> {
    pub(super) table: Table<'a>,
}

impl<'a> Constants<'a> {
    pub(super) fn read(cursor: Option<Cursor<'a>>) -> Read<Self> {
        let Some(mut cursor) = cursor else {
            return Ok(Self { table: Table::EMPTY });
        };
        let origin = cursor.at();
        let table = Table::read(&mut cursor, origin, 8, "the number of constants")?;
        Ok(Self { table })
    }

    /// The bytes of a constant with their offset in the file.
    pub(super) fn get(&self, index: u64, at: usize) -> Read<Cursor<'a>> {
        let Some(mut item) = self.table.get(index, "constant")? else {
            let message = format!("constant index {index} out of bounds (size={})", self.table.len);
            return fault(at, Code::ConstantIndex, message);
        };
        let length = item.count(1, "the length of a constant")?;
        let from = item.at();
        Ok(Cursor::new(item.bytes(length, "a constant")?, from))
    }
}
