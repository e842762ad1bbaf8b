//! Races between the blocks of a launch on global memory.
//!
//! Blocks run one after the other here, but concurrently on hardware. Two plain accesses of different blocks to a
//! byte, one of which writes, race unless an atomic or ordered access of the first and a later one of the second to
//! the same address are in between. To keep this cheap, such a synchronisation orders the second block after every
//! block up to the first one's index, so that some races are missed; there are no false positives. Atomic and ordered
//! accesses themselves are never reported.

use rustc_hash::FxHashMap;

/// A block's position in the order of execution, from one; zero is none.
type Ordinal = u32;

/// The last accesses of a word or a byte.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    writer: Ordinal,
    /// The last reader since the last write.
    reader: Ordinal,
    /// The last different reader before that one.
    reader_before: Ordinal,
}

/// The cells of 4096 bytes, one for each word, or one for each byte after a narrower access.
#[derive(Clone, Debug)]
struct Page {
    cells: Vec<Cell>,
    shift: u32,
}

const PAGE_SHIFT: u32 = 12;
const WORD_SHIFT: u32 = 2;

impl Page {
    fn new(shift: u32) -> Self {
        Self {
            cells: vec![Cell::default(); 1 << (PAGE_SHIFT - shift)],
            shift,
        }
    }

    fn split(&mut self) {
        let bytes = self.cells.iter().flat_map(|cell| [*cell; 1 << WORD_SHIFT]);
        *self = Self {
            cells: bytes.collect(),
            shift: 0,
        };
    }
}

/// An earlier access that is not ordered before the current one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Conflict {
    /// The address of the byte.
    pub(crate) address: u64,
    /// The index of the other block in the order of execution, from zero.
    pub(crate) block: u32,
    /// Whether it wrote.
    pub(crate) wrote: bool,
}

/// The accesses of a launch's blocks, as needed for race detection.
#[derive(Clone, Debug, Default)]
pub(crate) struct GridRaces {
    pages: Vec<Page>,
    numbers: FxHashMap<u64, usize>,
    /// The last used page, and its index.
    last: Option<(u64, usize)>,
    /// The last block that synchronised at a word.
    meetings: FxHashMap<u64, Ordinal>,
    /// The running block.
    me: Ordinal,
    /// The blocks up to this one are ordered before the current instruction.
    known: Ordinal,
}

impl GridRaces {
    /// The next block begins.
    pub(crate) fn begin_block(&mut self) {
        self.me += 1;
        self.known = 0;
    }

    /// An atomic or ordered access.
    pub(crate) fn meet(&mut self, address: u64) {
        let last = self.meetings.entry(address >> WORD_SHIFT).or_default();
        if *last != self.me {
            self.known = self.known.max(*last);
            *last = self.me;
        }
    }

    fn page(&mut self, address: u64, narrow: bool) -> &mut Page {
        let key = address >> PAGE_SHIFT;
        let number = match self.last {
            Some((last, number)) if last == key => number,
            _ => {
                let pages = &mut self.pages;
                let number = *self.numbers.entry(key).or_insert_with(|| {
                    pages.push(Page::new(if narrow { 0 } else { WORD_SHIFT }));
                    pages.len() - 1
                });
                self.last = Some((key, number));
                number
            }
        };
        let page = &mut self.pages[number];
        if narrow && page.shift != 0 {
            page.split();
        }
        page
    }

    /// A plain access. It does not cross a page, as its size divides its address.
    pub(crate) fn access(&mut self, address: u64, size: u64, writes: bool) -> Result<(), Conflict> {
        let narrow = size < 1 << WORD_SHIFT;
        let (me, known) = (self.me, self.known);
        let page = self.page(address, narrow);
        let shift = page.shift;
        let offset = address & ((1 << PAGE_SHIFT) - 1);
        let (first, end) = ((offset >> shift) as usize, ((offset + size) >> shift) as usize);
        for (place, cell) in (first..).zip(&mut page.cells[first..end]) {
            let conflict = |other: Ordinal, wrote| Conflict {
                address: address - offset + ((place as u64) << shift),
                block: other - 1,
                wrote,
            };
            let unordered = |other: Ordinal| other != me && other > known;
            if unordered(cell.writer) {
                return Err(conflict(cell.writer, true));
            }
            if writes {
                let other = if cell.reader == me {
                    cell.reader_before
                } else {
                    cell.reader
                };
                if unordered(other) {
                    return Err(conflict(other, false));
                }
                *cell = Cell {
                    writer: me,
                    ..Cell::default()
                };
            } else if cell.reader != me {
                (cell.reader_before, cell.reader) = (cell.reader, me);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conflict(address: u64, block: u32, wrote: bool) -> Result<(), Conflict> {
        Err(Conflict {
            address,
            block,
            wrote,
        })
    }

    #[test]
    fn blocks_may_share_what_nobody_writes() {
        let mut races = GridRaces::default();
        for _ in 0..3 {
            races.begin_block();
            assert_eq!(races.access(0x1000, 4, false), Ok(()));
        }
        races.begin_block();
        assert_eq!(races.access(0x1000, 4, true), conflict(0x1000, 2, false));
        races.begin_block();
        assert_eq!(races.access(0x1000, 4, false), Ok(()));
        assert_eq!(
            races.access(0x1000, 4, true),
            conflict(0x1000, 2, false),
            "the reader before this block"
        );
    }

    #[test]
    fn races_with_writes_of_other_blocks_are_found() {
        let mut races = GridRaces::default();
        races.begin_block();
        assert_eq!(races.access(0x1ff8, 8, true), Ok(()));
        assert_eq!(races.access(0x1ff8, 8, false), Ok(()), "one's own");
        races.begin_block();
        assert_eq!(races.access(0x2000, 4, true), Ok(()));
        assert_eq!(races.access(0x1ffc, 4, false), conflict(0x1ffc, 0, true));
        assert_eq!(races.access(0x1ffc, 4, true), conflict(0x1ffc, 0, true));
    }

    #[test]
    fn bytes_of_a_word_are_distinguished() {
        let mut races = GridRaces::default();
        races.begin_block();
        assert_eq!(races.access(0x1000, 2, true), Ok(()));
        assert_eq!(races.access(0x1008, 8, true), Ok(()));
        races.begin_block();
        assert_eq!(races.access(0x1002, 2, true), Ok(()));
        assert_eq!(races.access(0x1000, 4, false), conflict(0x1000, 0, true));
        // A page of words is converted to one of bytes, and keeps its state.
        let mut races = GridRaces::default();
        races.begin_block();
        assert_eq!(races.access(0x1000, 4, true), Ok(()));
        races.begin_block();
        assert_eq!(races.access(0x1007, 1, true), Ok(()));
        assert_eq!(races.access(0x1003, 1, false), conflict(0x1003, 0, true));
    }

    #[test]
    fn atomics_on_one_address_order_blocks() {
        let mut races = GridRaces::default();
        races.begin_block();
        assert_eq!(races.access(0x1000, 4, true), Ok(()));
        races.meet(0x2000);
        races.begin_block();
        races.meet(0x3000);
        assert_eq!(races.access(0x1000, 4, false), conflict(0x1000, 0, true));
        races.meet(0x2000);
        assert_eq!(races.access(0x1000, 4, false), Ok(()));
        assert_eq!(races.access(0x1000, 4, true), Ok(()));
        races.begin_block();
        assert_eq!(races.access(0x1000, 4, false), conflict(0x1000, 1, true));
    }
}
