//! The arrangement of a file: the order of its sections and tables, which is not part of the module.

use tilewright_irs::cuda_tile::Version;

use super::container::Section;

/// The arrangement of a file, kept beside the module, so that [`write_arranged`](super::write_arranged) reproduces
/// its bytes; it is not part of the equality of modules.
///
/// It records the sections in their order with their alignments, the strings, types and constants in the order of
/// their tables, including unused entries, and the bytes after the last function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrangement {
    /// The version that determines the encoding of types.
    pub(super) version: Version,
    /// Whether the header announces preview content.
    pub(super) preview: bool,
    /// The sections with the alignments that the file states.
    pub(super) sections: Vec<(Section, Option<usize>)>,
    /// The strings.
    pub(super) strings: Items,
    /// The types.
    pub(super) types: Items,
    /// The constants, each with its length before it.
    pub(super) constants: Items,
    /// Constants in another encoding than the canonical one, such as a list of equal elements: the canonical
    /// encoding, and the index of the constant.
    pub(super) other_constants: Vec<(Vec<u8>, u64)>,
    /// The bytes after the last function.
    pub(super) after_functions: Vec<u8>,
}

/// The items of a table, in one allocation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Items {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    /// The padding bytes after the count of an empty table, which some writers add.
    pub(super) padding: usize,
}

impl Items {
    pub(super) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let ranges = starts.zip(self.ends.iter().copied());
        ranges.filter_map(|(start, end)| self.bytes.get(start..end))
    }
}

impl<'a> FromIterator<&'a [u8]> for Items {
    fn from_iter<I: IntoIterator<Item = &'a [u8]>>(items: I) -> Self {
        let mut all = Self::default();
        for item in items {
            all.bytes.extend_from_slice(item);
            all.ends.push(all.bytes.len());
        }
        all
    }
}
