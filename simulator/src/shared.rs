//! A block's shared memory with race detection.
//!
//! Races are found by vector clocks of warps (the FastTrack algorithm): a barrier joins the clocks of its
//! participants, and two accesses to a byte are ordered if the later one's warp has the earlier one's time in its
//! clock. Accesses within one warp are not checked. Atomic and volatile accesses are treated as synchronisation: they
//! order, and are never reported.
//!
//! The asynchronous copies of a warp are a separate party: their writes are ordered before an access only after a
//! wait, or an mbarrier that tracks the copy, has joined their time to the clock of the access's warp. While a copy
//! is pending, nobody may access its destination. The bulk copies that complete at an mbarrier are a party as well,
//! and so are the matrix products of a warp group, which only read. What a pending operation reads is held: nobody may
//! write it. The objects of mbarriers belong to one more party, which nobody is ever ordered with, so that every
//! ordinary access to them is reported.
//!
//! An access through the async proxy must be separated by a fence from what was written through the generic one, and a write
//! through it from what was read through the generic one: by a fence of the reading warp, since on hardware an arrival may
//! overtake the read.

use crate::clock::{Clock, Kind, MBARRIERS, Parties, Who};
use crate::fault::{FaultKind, Nearest, Party};
use crate::holds::{Hold, Holder, Holds};
use crate::mbarrier::Mbarrier;
use crate::memory::little_endian;
use rustc_hash::FxHashMap;

/// The time of a pending write, or of one that no access may follow: later than any other.
const UNDER_WAY: u32 = u32::MAX;

/// No party.
const NONE: Who = Who::MAX;
/// Several readers; their clocks are in the side table.
const MANY: Who = Who::MAX - 1;
/// Nobody, and nobody may: the last write left no value.
const VOID: Who = Who::MAX - 3;

#[derive(Clone, Copy, Debug)]
struct Byte {
    writer: Who,
    reader: Who,
    /// The time of the last write; zero if there is none.
    write_clock: u32,
    read_clock: u32,
}

const UNTOUCHED: Byte = Byte {
    writer: NONE,
    reader: NONE,
    write_clock: 0,
    read_clock: 0,
};

/// Written by an atomic access, which is ordered with all.
const SYNCHRONISED: Byte = Byte {
    write_clock: 1,
    ..UNTOUCHED
};

impl Byte {
    const fn written_by(writer: Who, write_clock: u32) -> Self {
        Self {
            writer,
            reader: NONE,
            write_clock,
            read_clock: 0,
        }
    }

    /// Whether there is a value to read.
    #[inline]
    fn is_written(&self) -> bool {
        self.write_clock != 0 && self.reader != VOID
    }

    /// Whether the last write is not ordered before a warp `me` with this clock.
    #[inline]
    fn write_races(&self, me: Who, clock: &Clock) -> bool {
        self.writer != me && self.writer != NONE && self.write_clock > clock.time(self.writer)
    }

    /// Whether a write of `me` with `clock` is ordered after all accesses of the byte at offset `at`.
    #[inline]
    fn check_write(&self, at: usize, me: Who, clock: &Clock, readers: &Readers) -> Result<(), Hazard> {
        if self.write_races(me, clock) {
            return Err(Hazard::Race {
                at,
                other: self.writer,
                wrote: true,
                under_way: self.is_closed(),
            });
        }
        let unordered = match self.reader {
            NONE | VOID => None,
            MANY => readers.unordered(at, me, clock),
            reader => (reader != me && self.read_clock > clock.time(reader)).then_some(reader),
        };
        match unordered {
            None => Ok(()),
            Some(other) => Err(Hazard::Race {
                at,
                other,
                wrote: false,
                under_way: false,
            }),
        }
    }

    /// Whether even synchronising accesses are not allowed.
    #[inline]
    fn is_closed(&self) -> bool {
        self.write_clock == UNDER_WAY
    }

    /// A read by `me`, which is ordered after the last write. The last read of another party is forgotten if it is known,
    /// where `known` has the time up to which reads of a party are.
    #[inline]
    fn read_by(&mut self, at: usize, me: Who, now: u32, known: impl Fn(Who) -> u32, readers: &mut Readers) {
        let ordered = match self.reader {
            NONE | VOID => true,
            MANY => false,
            reader => reader == me || self.read_clock <= known(reader),
        };
        if ordered {
            (self.reader, self.read_clock) = (me, now);
            return;
        }
        let row = readers.row(at);
        if self.reader != MANY {
            row.fill(0);
            row[usize::from(self.reader)] = self.read_clock;
            self.reader = MANY;
        }
        row[usize::from(me)] = now;
    }
}

/// The time of each party's last read, for bytes with several readers, one row for each byte.
#[derive(Debug)]
struct Readers {
    clocks: Vec<u32>,
    parties: usize,
    bytes: usize,
}

impl Readers {
    /// The row of a byte; the table is allocated on first use.
    fn row(&mut self, at: usize) -> &mut [u32] {
        if self.clocks.is_empty() {
            self.clocks = vec![0; self.bytes * self.parties];
        }
        &mut self.clocks[at * self.parties..(at + 1) * self.parties]
    }

    /// A party other than `me` whose read of a byte is not ordered before `clock`.
    fn unordered(&self, at: usize, me: Who, clock: &Clock) -> Option<Who> {
        self.find(at, |other, read| other != me && read > clock.time(other))
    }

    /// A party whose last read of a byte is one of those wanted, by the party and the time.
    fn find(&self, at: usize, wanted: impl Fn(Who, u32) -> bool) -> Option<Who> {
        let row = &self.clocks[at * self.parties..(at + 1) * self.parties];
        let mut reads = (0..).zip(row);
        reads.find(|(who, read)| wanted(*who, **read)).map(|(who, _)| who)
    }
}

/// A violation by an access to a byte.
enum Hazard {
    Unwritten(usize),
    /// An access through the generic proxy, without a fence before one through the async proxy.
    Proxy {
        at: usize,
        other: Who,
        wrote: bool,
    },
    Race {
        at: usize,
        other: Who,
        wrote: bool,
        under_way: bool,
    },
}

/// The shared memory of one block.
#[derive(Debug)]
pub(crate) struct Shared {
    rank: usize,
    parties: Parties,
    bytes: Vec<u8>,
    states: Vec<Byte>,
    readers: Readers,
    synchronised: FxHashMap<usize, Clock>,
    /// The completion time of the latest copy of each warp.
    copy_clocks: Vec<u32>,
    /// The initialised mbarriers, by the offsets of their objects.
    pub(crate) mbarriers: FxHashMap<u64, Mbarrier>,
    /// The offset of each mbarrier's object, and the time of its copies before it was initialised.
    transfers: Vec<(u64, u32)>,
    holds: Holds,
}

/// The synchronisation of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Ordinary: checked for races.
    Plain,
    /// Atomic or ordered in the scope of the block: synchronises its threads.
    InBlock,
    /// Atomic, ordered or volatile in a wider scope: synchronises.
    Synchronising,
}

impl Access {
    /// Whether it synchronises any threads.
    pub(crate) fn synchronises(self) -> bool {
        self != Self::Plain
    }
}

impl Shared {
    /// The memory of the block of a rank.
    pub(crate) fn new(bytes: usize, rank: usize, parties: Parties) -> Self {
        Self {
            rank,
            parties,
            bytes: vec![0; bytes],
            states: vec![UNTOUCHED; bytes],
            readers: Readers {
                clocks: Vec::new(),
                parties: parties.readers(),
                bytes,
            },
            synchronised: FxHashMap::default(),
            copy_clocks: vec![0; parties.warps],
            mbarriers: FxHashMap::default(),
            transfers: Vec::new(),
            holds: Holds::default(),
        }
    }

    /// Resets the state for the next block.
    pub(crate) fn reset(&mut self) {
        self.states.fill(UNTOUCHED);
        self.synchronised.clear();
        self.mbarriers.clear();
        self.transfers.clear();
        self.holds = Holds::default();
        self.copy_clocks.fill(0);
    }

    /// Shared memory, as the place of a fault.
    pub(crate) fn named(&self) -> Nearest {
        Nearest {
            name: "shared memory".to_owned(),
            base: 0,
            bytes: self.bytes.len() as u64,
        }
    }

    pub(crate) fn range(&self, address: u64, size: u64) -> Result<std::ops::Range<usize>, FaultKind> {
        let length = self.bytes.len() as u64;
        if address < length && length - address >= size {
            Ok(address as usize..(address + size) as usize)
        } else {
            Err(FaultKind::OutOfBounds {
                address,
                size,
                nearest: Some(self.named()),
            })
        }
    }

    /// A party as the other one of a race with `me`.
    fn party(&self, me: Who, other: Who, under_way: bool) -> Party {
        let (here, _) = self.parties.describe(me);
        let (rank, kind) = self.parties.describe(other);
        match kind {
            Kind::Warp(warp) if rank == here => Party::Warp(warp as u32),
            Kind::Warp(warp) => Party::Peer {
                rank: rank as u32,
                warp: warp as u32,
            },
            Kind::Stores(warp) => Party::Copy { warp: warp as u32 },
            Kind::Copies(warp) if under_way => Party::CopyUnderWay { warp: warp as u32 },
            Kind::Copies(warp) => Party::Copy { warp: warp as u32 },
            Kind::Products(group) => Party::Product { group: group as u32 },
            Kind::Transfers(index) => {
                let mbarrier = self.transfers.get(index).map_or(0, |(address, _)| *address);
                if under_way {
                    Party::TransferUnderWay { mbarrier }
                } else {
                    Party::Transfer { mbarrier }
                }
            }
        }
    }

    fn explain(&self, me: Who, hazard: Hazard, size: u64, writes: bool) -> FaultKind {
        match hazard {
            Hazard::Unwritten(at) => FaultKind::Uninitialised {
                address: at as u64,
                size,
                nearest: Some(self.named()),
            },
            Hazard::Proxy { at, other, wrote } => FaultKind::ProxyFence {
                address: at as u64,
                other: self.party(me, other, false),
                other_wrote: wrote,
                writes,
            },
            Hazard::Race { at, other, .. } if other == MBARRIERS => FaultKind::BarrierMisuse {
                reason: format!(
                    "shared byte {at:#x} belongs to an mbarrier, and is {} as data",
                    if writes { "written" } else { "read" }
                ),
            },
            Hazard::Race {
                at,
                other,
                wrote,
                under_way,
            } => FaultKind::Race {
                address: at as u64,
                other: self.party(me, other, under_way),
                other_wrote: wrote,
                writes,
                nearest: None,
            },
        }
    }

    /// Joins the clocks of a synchronising access with those stored at the address.
    fn synchronise(&mut self, me: Who, clock: &mut Clock, address: usize) {
        let left = self.synchronised.entry(address).or_default();
        clock.join(left);
        left.clone_from(clock);
        clock.tick(me);
    }

    /// Reads up to eight bytes for the warp `me`.
    pub(crate) fn load(
        &mut self,
        (me, clock): (Who, &mut Clock),
        address: u64,
        size: u64,
        access: Access,
    ) -> Result<u64, FaultKind> {
        let range = self.range(address, size)?;
        if access.synchronises() {
            self.synchronise(me, clock, range.start);
        }
        let clock = &*clock;
        let now = clock.time(me);
        let mut found = Ok(());
        for (at, state) in range.clone().zip(&mut self.states[range.clone()]) {
            if state.reader == me && state.read_clock == now {
                // Read before, without changes since.
                continue;
            }
            if !state.is_written() {
                found = Err(Hazard::Unwritten(at));
                break;
            }
            if access.synchronises() && !state.is_closed() {
                continue;
            }
            if state.write_races(me, clock) {
                found = Err(Hazard::Race {
                    at,
                    other: state.writer,
                    wrote: true,
                    under_way: state.is_closed(),
                });
                break;
            }
            state.read_by(at, me, now, |other| clock.time(other), &mut self.readers);
        }
        found.map_err(|hazard| self.explain(me, hazard, size, false))?;
        Ok(little_endian(&self.bytes[range]))
    }

    /// Writes up to eight bytes for the warp `me`.
    pub(crate) fn store(
        &mut self,
        (me, clock): (Who, &mut Clock),
        address: u64,
        size: u64,
        value: u64,
        access: Access,
    ) -> Result<(), FaultKind> {
        let range = self.range(address, size)?;
        if !self.holds.is_empty() {
            self.check_held(range.clone(), true)?;
        }
        if access.synchronises() {
            self.synchronise(me, clock, range.start);
        }
        let clock = &*clock;
        let ours = Byte::written_by(me, clock.time(me));
        let mut found = Ok(());
        for (at, state) in range.clone().zip(&mut self.states[range.clone()]) {
            if access.synchronises() && !state.is_closed() {
                *state = SYNCHRONISED;
                continue;
            }
            found = state.check_write(at, me, clock, &self.readers);
            if found.is_err() {
                break;
            }
            *state = ours;
        }
        found.map_err(|hazard| self.explain(me, hazard, size, true))?;
        self.bytes[range].copy_from_slice(&value.to_le_bytes()[..size as usize]);
        Ok(())
    }

    /// Refuses a write of what a pending operation reads.
    fn check_held(&self, range: std::ops::Range<usize>, writes: bool) -> Result<(), FaultKind> {
        match self.holds.over(range) {
            None => Ok(()),
            Some((at, holder)) => Err(FaultKind::Race {
                address: at as u64,
                other: match holder {
                    Holder::Copy { warp } => Party::CopyUnderWay { warp },
                    Holder::Product { group } => Party::ProductUnderWay { group },
                },
                other_wrote: false,
                writes,
                nearest: None,
            }),
        }
    }

    /// A copy for `me` begins to write these bytes, as the party `writer`. Until [`Shared::finish_copy`] nobody may
    /// access them. With `through_async`, it writes through the async proxy.
    pub(crate) fn begin_copy(
        &mut self,
        (me, clock): (Who, &Clock),
        (writer, through_async): (Who, bool),
        address: u64,
        size: u64,
    ) -> Result<(), FaultKind> {
        let range = self.range(address, size)?;
        self.check_held(range.clone(), true)?;
        for at in range {
            let state = self.states[at];
            state
                .check_write(at, me, clock, &self.readers)
                .and_then(|()| match through_async {
                    true => self
                        .check_proxy(at, clock)
                        .and_then(|()| self.check_read(at, clock)),
                    false => Ok(()),
                })
                .map_err(|hazard| self.explain(me, hazard, size, true))?;
            self.states[at] = Byte::written_by(writer, UNDER_WAY);
        }
        Ok(())
    }

    /// Completes a copy of the party `writer`: its bytes are visible to clocks with `time`.
    pub(crate) fn finish_copy(&mut self, writer: Who, address: u64, data: &[u8], time: u32) {
        let first = address as usize;
        self.bytes[first..first + data.len()].copy_from_slice(data);
        self.states[first..first + data.len()].fill(Byte::written_by(writer, time));
    }

    /// Whether a fence is between what the generic proxy wrote last to a byte and an access through the async proxy.
    fn check_proxy(&self, at: usize, clock: &Clock) -> Result<(), Hazard> {
        let Byte {
            writer, write_clock, ..
        } = self.states[at];
        let separated =
            writer >= MBARRIERS || !self.parties.is_generic(writer) || write_clock <= clock.fenced(writer);
        if separated {
            Ok(())
        } else {
            Err(Hazard::Proxy {
                at,
                other: writer,
                wrote: true,
            })
        }
    }

    /// Whether each warp that read a byte has executed a fence since, before a write through the async proxy.
    fn check_read(&self, at: usize, clock: &Clock) -> Result<(), Hazard> {
        let Byte {
            reader, read_clock, ..
        } = self.states[at];
        let unfenced = |who: Who, read: u32| self.parties.is_warp(who) && read > clock.own_fenced(who);
        let other = match reader {
            NONE | VOID => None,
            MANY => self.readers.find(at, unfenced),
            reader => unfenced(reader, read_clock).then_some(reader),
        };
        match other {
            None => Ok(()),
            Some(other) => Err(Hazard::Proxy {
                at,
                other,
                wrote: false,
            }),
        }
    }

    /// Reads bytes through the async proxy for the warp `me`. The bytes are not yet marked as read: the reader holds
    /// them, see [`Shared::hold`].
    pub(crate) fn read_async(
        &self,
        (me, clock): (Who, &Clock),
        address: u64,
        size: u64,
    ) -> Result<&[u8], FaultKind> {
        let range = self.range(address, size)?;
        for at in range.clone() {
            let state = &self.states[at];
            let found = if !state.is_written() {
                Err(Hazard::Unwritten(at))
            } else if state.write_races(me, clock) {
                Err(Hazard::Race {
                    at,
                    other: state.writer,
                    wrote: true,
                    under_way: state.is_closed(),
                })
            } else {
                self.check_proxy(at, clock)
            };
            found.map_err(|hazard| self.explain(me, hazard, size, false))?;
        }
        Ok(&self.bytes[range])
    }

    /// A pending operation reads bytes until [`Shared::release`].
    pub(crate) fn hold(&mut self, id: u64, hold: Hold) {
        self.holds.add(id, hold, self.bytes.len());
    }

    /// A pending operation has read what it holds, at a `time` of the party `reader`. Reads of warps that no fence has
    /// separated from it are not forgotten.
    pub(crate) fn release(&mut self, id: u64, (reader, time): (Who, u32), clock: &Clock) {
        let known = |other| match self.parties.is_warp(other) {
            true => clock.own_fenced(other),
            false => clock.time(other),
        };
        for at in self.holds.remove(id).into_iter().flatten() {
            self.states[at].read_by(at, reader, time, known, &mut self.readers);
        }
    }

    /// A pending operation of another block's memory has read what it holds.
    pub(crate) fn drop_hold(&mut self, id: u64) {
        self.holds.remove(id);
    }

    /// Whether a pending operation reads this memory.
    pub(crate) fn is_in_use(&self) -> bool {
        !self.holds.is_empty()
    }

    /// The completion time of the next copies of a warp.
    pub(crate) fn copy_time(&mut self, warp: usize) -> u32 {
        self.copy_clocks[warp] += 1;
        self.copy_clocks[warp]
    }

    /// Size of an mbarrier object, in bytes.
    const MBARRIER_BYTES: u64 = 8;

    /// Initialises an mbarrier; this is ordered after all earlier accesses of its bytes.
    pub(crate) fn open_mbarrier(
        &mut self,
        (me, clock): (Who, &mut Clock),
        address: u64,
        count: u32,
    ) -> Result<(), FaultKind> {
        let misuse = |reason| FaultKind::BarrierMisuse { reason };
        let range = self.range(address, Self::MBARRIER_BYTES)?;
        self.check_held(range.clone(), true)?;
        for at in range {
            if self.states[at].writer == MBARRIERS {
                return Err(misuse(format!(
                    "the mbarrier at {address:#x} is initialised again while it is live; `mbarrier.inval` ends its life"
                )));
            }
            self.states[at]
                .check_write(at, me, clock, &self.readers)
                .map_err(|hazard| self.explain(me, hazard, Self::MBARRIER_BYTES, true))?;
            self.states[at] = Byte::written_by(MBARRIERS, UNDER_WAY);
        }
        let index = self.transfers.iter().position(|(known, _)| *known == address);
        let index = index.unwrap_or_else(|| {
            self.transfers.push((address, 0));
            self.transfers.len() - 1
        });
        let who = (self.parties.transfers(self.rank, index))
            .ok_or_else(|| misuse("there are too many mbarriers".to_owned()))?;
        let transfers = (who, self.transfers[index].1);
        let mbarrier = Mbarrier::new(count, (me, clock.time(me)), transfers).map_err(misuse)?;
        clock.tick(me);
        self.mbarriers.insert(address, mbarrier);
        Ok(())
    }

    /// A warp makes the mbarriers that it has initialised known to the cluster and to the async proxy.
    pub(crate) fn announce_mbarriers(&mut self, me: Who) {
        let own = self
            .mbarriers
            .values_mut()
            .filter(|mbarrier| mbarrier.made.0 == me);
        own.for_each(|mbarrier| mbarrier.announced = true);
    }

    /// Invalidates an mbarrier; its bytes become uninitialised.
    pub(crate) fn close_mbarrier(
        &mut self,
        (me, clock): (Who, &mut Clock),
        address: u64,
    ) -> Result<(), FaultKind> {
        let (_, time) = self.mbarrier((me, clock), address)?.transfers();
        self.mbarriers.remove(&address);
        for (known, before) in &mut self.transfers {
            if *known == address {
                *before = time;
            }
        }
        let first = address as usize;
        let range = first..first + Self::MBARRIER_BYTES as usize;
        self.states[range].fill(Byte {
            reader: VOID,
            ..Byte::written_by(me, clock.time(me))
        });
        Ok(())
    }

    /// The initialised mbarrier at an offset, for a warp that is ordered after its initialisation.
    pub(crate) fn mbarrier(
        &mut self,
        (me, clock): (Who, &Clock),
        address: u64,
    ) -> Result<&mut Mbarrier, FaultKind> {
        let misuse = |reason| FaultKind::BarrierMisuse { reason };
        self.range(address, Self::MBARRIER_BYTES)?;
        let parties = self.parties;
        match self.mbarriers.get_mut(&address) {
            None => Err(misuse(format!(
                "there is no initialised mbarrier at {address:#x}"
            ))),
            Some(mbarrier) => {
                let (maker, time) = mbarrier.made;
                if maker != me && time > clock.time(maker) {
                    let (_, warp) = parties.warp_of(maker);
                    return Err(misuse(format!(
                        "the mbarrier at {address:#x} is used with no barrier since warp {warp} initialised it"
                    )));
                }
                Ok(mbarrier)
            }
        }
    }
}
