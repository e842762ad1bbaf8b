//! What a file decides and the module does not say: where its sections stand, and in which order its tables are.

use tilewright_irs::cuda_tile::Version;

use super::container::Section;

/// How a file is arranged. Kept beside the module that was read, so that [`write_arranged`](super::write_arranged)
/// gives the same bytes again; modules that differ in it alone are equal.
///
/// It holds the sections in their order with their alignments, and the strings, types and constants in the order of
/// their tables, with those that nothing refers to, and what follows the last function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrangement {
    /// The version whose encoding the types have.
    pub(super) version: Version,
    /// Whether the header says that there is preview content.
    pub(super) preview: bool,
    /// The sections with the alignments that the file states.
    pub(super) sections: Vec<(Section, Option<usize>)>,
    /// The strings.
    pub(super) strings: Items,
    /// The types.
    pub(super) types: Items,
    /// The constants, each with its length before it.
    pub(super) constants: Items,
    /// Constants that the file has in another form than the one that is written, such as a list of equal elements:
    /// the form that is written, and the number of the constant.
    pub(super) other_constants: Vec<(Vec<u8>, u64)>,
    /// The bytes after the last function.
    pub(super) after_functions: Vec<u8>,
}

/// The items of a table, in one piece of memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Items {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    /// The bytes after the count of a table without items, which some writers pad as they do others.
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
