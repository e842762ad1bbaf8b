//! Data-race detection: the accesses to each byte.
//!
//! Two accesses to a byte, at least one of them a write, must be ordered by tokens, or both be atomic with scopes
//! that include each other (memory model of Tile IR, "data races"). Accesses of different tile blocks are ordered
//! only if an acquire observed a release.

use rustc_hash::FxHashMap;
use tilewright_irs::core::Origin;
use tilewright_irs::cuda_tile::MemoryScope;

use super::order::{Event, Order};

/// An event's access, without its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Access {
    /// The op.
    pub(crate) origin: Origin,
    /// The number of the tile block.
    pub(crate) block: u32,
    /// Whether it writes; an op that reads and writes does.
    pub(crate) writes: bool,
    /// Whether it is an atomic update, whose written value depends on the one read.
    pub(crate) updates: bool,
    /// The scope; `None` for a weak access.
    pub(crate) scope: Option<MemoryScope>,
    /// Whether it synchronises with a release that it observes.
    pub(crate) acquires: bool,
    /// Whether an acquire that observes it synchronises with it.
    pub(crate) releases: bool,
}

impl Access {
    /// Whether the two may access the same byte concurrently.
    fn agrees_with(&self, other: &Self) -> bool {
        let (Some(mine), Some(theirs)) = (self.scope, other.scope) else {
            return false;
        };
        self.block == other.block || (mine != MemoryScope::TileBlock && theirs != MemoryScope::TileBlock)
    }

    /// Whether it may access a byte concurrently with any access that is atomic beyond a block.
    fn is_strong(&self) -> bool {
        matches!(self.scope, Some(MemoryScope::Device | MemoryScope::System))
    }
}

/// The latest access of a list, the rest of the list, and whether all of them are strong.
#[derive(Clone, Copy, Debug)]
struct Link {
    event: Event,
    rest: u32,
    all_strong: bool,
}

/// The state of some bytes: a list of writes without successors, and a list of the reads since.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Cell {
    writes: u32,
    reads: u32,
}

const PAGE_BITS: u32 = 12;

/// The cells of 4096 bytes; one for each 2^`grain` bytes.
#[derive(Clone, Debug)]
struct Page {
    grain: u32,
    cells: Vec<Cell>,
}

/// The result of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Touch {
    /// No race.
    Fine,
    /// The same event has written the byte before.
    Again,
    /// A race with this event.
    Race(Event),
}

/// The accesses of a launch.
#[derive(Clone, Debug)]
pub(crate) struct Shadow {
    /// By buffer, then by page.
    pages: Vec<Vec<Option<Page>>>,
    links: Vec<Link>,
    accesses: FxHashMap<Event, Access>,
    /// The new state of each cell that the current event accessed, and whether it had accessed it before.
    met: FxHashMap<Cell, Cell>,
    last: Option<(Cell, Cell)>,
    current: Event,
    /// The releases that the current event observed.
    saw: Vec<Event>,
}

impl Shadow {
    pub(crate) fn new() -> Self {
        let none = Link {
            event: Event::NONE,
            rest: 0,
            all_strong: true,
        };
        Self {
            pages: Vec::new(),
            links: vec![none],
            accesses: FxHashMap::default(),
            met: FxHashMap::default(),
            last: None,
            current: Event::NONE,
            saw: Vec::new(),
        }
    }

    /// The access of an event.
    pub(crate) fn access(&self, event: Event) -> Option<&Access> {
        self.accesses.get(&event)
    }

    /// Starts the accesses of this event.
    pub(crate) fn begin(&mut self, event: Event, access: Access) {
        self.accesses.insert(event, access);
        self.current = event;
        self.met.clear();
        self.last = None;
        self.saw.clear();
    }

    /// Drops the state of a freed buffer.
    pub(crate) fn forget(&mut self, buffer: usize) {
        if let Some(pages) = self.pages.get_mut(buffer) {
            *pages = Vec::new();
        }
    }

    /// The releases that the event observed.
    pub(crate) fn end(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.saw)
    }

    /// Records the current event's access to some bytes of a buffer: a power of two of them, aligned.
    pub(crate) fn touch(&mut self, order: &mut Order, buffer: usize, offset: usize, bytes: u32) -> Touch {
        if self.pages.len() <= buffer {
            self.pages.resize_with(buffer + 1, Vec::new);
        }
        let page = offset >> PAGE_BITS;
        let Some(pages) = self.pages.get_mut(buffer) else {
            return Touch::Fine;
        };
        if pages.len() <= page {
            pages.resize_with(page + 1, || None);
        }
        let Some(slot) = pages.get_mut(page) else {
            return Touch::Fine;
        };
        let grain = bytes.trailing_zeros().min(3);
        let mut found = slot.take().unwrap_or_else(|| Page {
            grain,
            cells: vec![Cell::default(); 1 << (PAGE_BITS - grain)],
        });
        if found.grain > grain {
            let copies = 1usize << (found.grain - grain);
            let finer = found
                .cells
                .iter()
                .flat_map(|&cell| std::iter::repeat_n(cell, copies));
            found.cells = finer.collect();
            found.grain = grain;
        }
        let within = offset & ((1 << PAGE_BITS) - 1);
        let first = within >> found.grain;
        let count = (1usize << grain) >> found.grain;
        let mut worst = Touch::Fine;
        for cell in found.cells.iter_mut().skip(first).take(count.max(1)) {
            match self.step(order, cell) {
                Touch::Fine => {}
                Touch::Again => worst = Touch::Again,
                race @ Touch::Race(_) => {
                    worst = race;
                    break;
                }
            }
        }
        if let Some(slot) = self.pages.get_mut(buffer).and_then(|pages| pages.get_mut(page)) {
            *slot = Some(found);
        }
        worst
    }

    fn step(&mut self, order: &mut Order, cell: &mut Cell) -> Touch {
        if let Some((from, to)) = self.last {
            if from == *cell {
                *cell = to;
                return Touch::Fine;
            }
            if to == *cell {
                return Touch::Again;
            }
        }
        if let Some(&to) = self.met.get(cell) {
            self.last = Some((*cell, to));
            *cell = to;
            return Touch::Fine;
        }
        let Some(access) = self.accesses.get(&self.current).copied() else {
            return Touch::Fine;
        };
        let latest = if access.writes { cell.writes } else { cell.reads };
        if latest != 0 && self.link(latest).event == self.current {
            return Touch::Again;
        }
        let to = match self.next(order, *cell, &access) {
            Ok(to) => to,
            Err(other) => return Touch::Race(other),
        };
        self.met.insert(*cell, to);
        self.last = Some((*cell, to));
        *cell = to;
        Touch::Fine
    }

    /// The new state of a cell that the current event accesses, or the event that it races with.
    fn next(&mut self, order: &mut Order, cell: Cell, access: &Access) -> Result<Cell, Event> {
        let mut after_all = self.check(order, cell.writes, access)?;
        if access.acquires {
            self.see_releases(cell.writes);
        }
        if !access.writes {
            let latest = self.link(cell.reads);
            let alone = latest.rest == 0 && order.is_before(latest.event, self.current);
            let rest = if alone { 0 } else { cell.reads };
            return Ok(Cell {
                writes: cell.writes,
                reads: self.push(rest, access),
            });
        }
        after_all &= self.check(order, cell.reads, access)?;
        Ok(if after_all {
            Cell {
                writes: self.push(0, access),
                reads: 0,
            }
        } else {
            Cell {
                writes: self.push(cell.writes, access),
                reads: cell.reads,
            }
        })
    }

    /// Whether all events of a list happen before the current one, or else the one that races with it.
    fn check(&mut self, order: &mut Order, list: u32, access: &Access) -> Result<bool, Event> {
        // Counters that every block increments have long lists, in which nothing can race.
        if self.link(list).all_strong && access.is_strong() && self.link(list).rest != 0 {
            return Ok(false);
        }
        let mut after_all = true;
        let mut at = list;
        while at != 0 {
            let link = self.link(at);
            if !order.is_before(link.event, self.current) {
                let agree = self.accesses.get(&link.event);
                if !agree.is_some_and(|other| other.agrees_with(access)) {
                    return Err(link.event);
                }
                after_all = false;
            }
            at = link.rest;
        }
        Ok(after_all)
    }

    /// The releases observed by a read of the latest write: that write's, and, through updates, those of the writes
    /// that the updates read.
    fn see_releases(&mut self, list: u32) {
        let mut at = list;
        while at != 0 {
            let link = self.link(at);
            let Some(access) = self.accesses.get(&link.event) else {
                break;
            };
            if access.releases {
                self.saw.push(link.event);
            }
            if !access.updates {
                break;
            }
            at = link.rest;
        }
        self.saw.sort_unstable();
        self.saw.dedup();
    }

    fn link(&self, at: u32) -> Link {
        let none = Link {
            event: Event::NONE,
            rest: 0,
            all_strong: true,
        };
        self.links.get(at as usize).copied().unwrap_or(none)
    }

    fn push(&mut self, rest: u32, access: &Access) -> u32 {
        let link = Link {
            event: self.current,
            rest,
            all_strong: access.is_strong() && self.link(rest).all_strong,
        };
        self.links.push(link);
        u32::try_from(self.links.len() - 1).unwrap_or(u32::MAX)
    }
}
