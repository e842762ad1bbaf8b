//! The layout of a table in which the blocks of a kernel share tensor maps.

/// Bytes of a tensor map, and their alignment. (PTX ISA, `tensormap.cp_fenceproxy`.)
pub const MAP_BYTES: u32 = 128;

/// An entry of a table: tensor maps, then its state, an i32 in a word of 8 bytes, then its key.
#[derive(Clone, Copy, Debug)]
pub struct MapEntry {
    /// The number of tensor maps.
    pub maps: u32,
    /// The number of words of the key, of 8 bytes.
    pub words: u32,
}

impl MapEntry {
    /// Bytes of a word.
    const WORD: u32 = 8;
    /// The most words of a key: more would take longer to compare than the maps to make.
    pub const MOST_WORDS: u32 = 31;

    /// The distance in bytes from the entry to its state.
    pub fn state(self) -> u32 {
        self.maps * MAP_BYTES
    }

    /// The distance in bytes from the entry to a word of its key.
    pub fn word(self, number: u32) -> u32 {
        self.state() + Self::WORD * (1 + number)
    }

    /// Bytes of an entry, with padding to the alignment of a tensor map.
    pub fn bytes(self) -> u32 {
        self.word(self.words).next_multiple_of(MAP_BYTES)
    }
}
