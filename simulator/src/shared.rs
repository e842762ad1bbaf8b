//! A block's shared memory with race detection.
//!
//! Races are found by vector clocks of warps (the FastTrack algorithm): a barrier joins the clocks of its
//! participants, and two accesses to a byte are ordered if the later one's warp has the earlier one's time in its
//! clock. Accesses within one warp are not checked. Atomic and volatile accesses are treated as synchronisation: they
//! order, and are never reported.
//!
//! The asynchronous copies of a warp are a separate party: their writes are ordered before an access only after a
//! wait, or an mbarrier that tracks the copy, has joined their time to the clock of the access's warp. While a copy
//! is pending, nobody may access its destination. The objects of mbarriers belong to one more party, which nobody is
//! ever ordered with, so that every ordinary access to them is reported.

use crate::clock::{Clock, MBARRIERS, NOTHING_KNOWN, WARPS, copies_of, join};
use crate::fault::{FaultKind, Nearest, Party};
use crate::mbarrier::Mbarrier;
use crate::memory::little_endian;
use rustc_hash::FxHashMap;

/// The time of a pending write, or of one that no access may follow: later than any other.
const UNDER_WAY: u32 = u32::MAX;

/// No party.
const NONE: u8 = u8::MAX;
/// Several warps; their clocks are in the side table.
const MANY: u8 = u8::MAX - 1;

#[derive(Clone, Copy, Debug)]
struct Byte {
    written: bool,
    writer: u8,
    reader: u8,
    write_clock: u32,
    read_clock: u32,
}

const UNTOUCHED: Byte = Byte {
    written: false,
    writer: NONE,
    reader: NONE,
    write_clock: 0,
    read_clock: 0,
};

impl Byte {
    const fn written_by(writer: u8, write_clock: u32) -> Self {
        Self {
            written: true,
            writer,
            reader: NONE,
            write_clock,
            read_clock: 0,
        }
    }

    /// Whether the last write is not ordered before a warp `me` with this clock.
    #[inline]
    fn write_races(&self, me: u8, clock: &Clock) -> bool {
        self.writer != me && self.writer != NONE && self.write_clock > clock[usize::from(self.writer)]
    }

    /// Whether a write of `warp` with `clock` is ordered after all accesses of the byte at offset `at`.
    #[inline]
    fn check_write(&self, at: usize, warp: usize, clock: &Clock, readers: &Readers) -> Result<(), Hazard> {
        let me = warp as u8;
        if self.write_races(me, clock) {
            return Err(Hazard::Race {
                at,
                other: self.writer,
                wrote: true,
                under_way: self.is_closed(),
            });
        }
        let unordered = match self.reader {
            NONE => None,
            MANY => readers.unordered(at, warp, clock),
            reader => (reader != me && self.read_clock > clock[usize::from(reader)]).then_some(reader),
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
}

/// The clock of each warp's last read, for bytes with several readers, one row for each byte.
#[derive(Debug)]
struct Readers {
    clocks: Vec<u32>,
    warps: usize,
    bytes: usize,
}

impl Readers {
    /// The row of a byte; the table is allocated on first use.
    fn row(&mut self, at: usize) -> &mut [u32] {
        if self.clocks.is_empty() {
            self.clocks = vec![0; self.bytes * self.warps];
        }
        &mut self.clocks[at * self.warps..(at + 1) * self.warps]
    }

    /// A warp other than `warp` whose read of a byte is not ordered before `clock`.
    fn unordered(&self, at: usize, warp: usize, clock: &Clock) -> Option<u8> {
        let row = &self.clocks[at * self.warps..(at + 1) * self.warps];
        let mut others = row.iter().zip(clock).enumerate();
        others
            .find(|(other, (read, known))| *other != warp && read > known)
            .map(|(other, _)| other as u8)
    }
}

/// A violation by an access to a byte.
enum Hazard {
    Unwritten(usize),
    Race {
        at: usize,
        other: u8,
        wrote: bool,
        under_way: bool,
    },
}

/// The shared memory of one block.
#[derive(Debug)]
pub(crate) struct Shared {
    bytes: Vec<u8>,
    states: Vec<Byte>,
    readers: Readers,
    synchronised: FxHashMap<usize, Clock>,
    /// The clock of each warp.
    pub(crate) clocks: Vec<Clock>,
    /// The completion time of the latest copy of each warp.
    copy_clocks: Vec<u32>,
    /// The initialised mbarriers, by the offsets of their objects.
    pub(crate) mbarriers: FxHashMap<u64, Mbarrier>,
}

/// The synchronisation of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Ordinary: checked for races.
    Plain,
    /// Atomic, ordered or volatile: synchronises.
    Synchronising,
}

impl Shared {
    pub(crate) fn new(bytes: usize, warps: usize) -> Self {
        let mut shared = Self {
            bytes: vec![0; bytes],
            states: vec![UNTOUCHED; bytes],
            readers: Readers {
                clocks: Vec::new(),
                warps,
                bytes,
            },
            synchronised: FxHashMap::default(),
            clocks: vec![NOTHING_KNOWN; warps],
            copy_clocks: vec![0; warps],
            mbarriers: FxHashMap::default(),
        };
        shared.reset();
        shared
    }

    /// Resets the state for the next block.
    pub(crate) fn reset(&mut self) {
        self.states.fill(UNTOUCHED);
        self.synchronised.clear();
        self.mbarriers.clear();
        self.copy_clocks.fill(0);
        for (warp, clock) in self.clocks.iter_mut().enumerate() {
            *clock = NOTHING_KNOWN;
            clock[warp] = 1;
        }
    }

    /// Shared memory, as the place of a fault.
    pub(crate) fn named(&self) -> Nearest {
        Nearest {
            name: "shared memory".to_owned(),
            base: 0,
            bytes: self.bytes.len() as u64,
        }
    }

    fn range(&self, address: u64, size: u64) -> Result<std::ops::Range<usize>, FaultKind> {
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

    fn explain(&self, hazard: Hazard, size: u64, writes: bool) -> FaultKind {
        match hazard {
            Hazard::Unwritten(at) => FaultKind::Uninitialised {
                address: at as u64,
                size,
                nearest: Some(self.named()),
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
                other: match u32::from(other).checked_sub(WARPS as u32) {
                    None => Party::Warp(u32::from(other)),
                    Some(warp) if under_way => Party::CopyUnderWay { warp },
                    Some(warp) => Party::Copy { warp },
                },
                other_wrote: wrote,
                writes,
                nearest: None,
            },
        }
    }

    /// Joins the clocks of a synchronising access with those stored at the address.
    fn synchronise(&mut self, warp: usize, address: usize) {
        let left = self.synchronised.entry(address).or_insert(NOTHING_KNOWN);
        let own = &mut self.clocks[warp];
        join(own, left);
        *left = *own;
        own[warp] += 1;
    }

    /// Reads up to eight bytes for `warp`.
    pub(crate) fn load(
        &mut self,
        warp: usize,
        address: u64,
        size: u64,
        access: Access,
    ) -> Result<u64, FaultKind> {
        let range = self.range(address, size)?;
        if access == Access::Synchronising {
            self.synchronise(warp, range.start);
        }
        let clock = &self.clocks[warp];
        let now = clock[warp];
        let me = warp as u8;
        let mut found = Ok(());
        for (at, state) in range.clone().zip(&mut self.states[range.clone()]) {
            if state.reader == me && state.read_clock == now && state.written {
                // Read before, without changes since.
                continue;
            }
            if !state.written {
                found = Err(Hazard::Unwritten(at));
                break;
            }
            if access == Access::Synchronising && !state.is_closed() {
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
            let ordered = match state.reader {
                NONE => true,
                MANY => false,
                reader => reader == me || state.read_clock <= clock[usize::from(reader)],
            };
            if ordered {
                (state.reader, state.read_clock) = (me, now);
                continue;
            }
            let row = self.readers.row(at);
            if state.reader != MANY {
                row.fill(0);
                row[usize::from(state.reader)] = state.read_clock;
                state.reader = MANY;
            }
            row[warp] = now;
        }
        found.map_err(|hazard| self.explain(hazard, size, false))?;
        Ok(little_endian(&self.bytes[range]))
    }

    /// Writes up to eight bytes for `warp`.
    pub(crate) fn store(
        &mut self,
        warp: usize,
        address: u64,
        size: u64,
        value: u64,
        access: Access,
    ) -> Result<(), FaultKind> {
        let range = self.range(address, size)?;
        if access == Access::Synchronising {
            self.synchronise(warp, range.start);
        }
        let clock = &self.clocks[warp];
        let ours = Byte::written_by(warp as u8, clock[warp]);
        let mut found = Ok(());
        for (at, state) in range.clone().zip(&mut self.states[range.clone()]) {
            if access == Access::Synchronising && !state.is_closed() {
                *state = Byte {
                    written: true,
                    ..UNTOUCHED
                };
                continue;
            }
            found = state.check_write(at, warp, clock, &self.readers);
            if found.is_err() {
                break;
            }
            *state = ours;
        }
        found.map_err(|hazard| self.explain(hazard, size, true))?;
        self.bytes[range].copy_from_slice(&value.to_le_bytes()[..size as usize]);
        Ok(())
    }

    /// A copy of `warp` begins to write these bytes. Until [`Shared::finish_copy`] nobody may access them.
    pub(crate) fn begin_copy(&mut self, warp: usize, address: u64, size: u64) -> Result<(), FaultKind> {
        let range = self.range(address, size)?;
        for at in range {
            self.states[at]
                .check_write(at, warp, &self.clocks[warp], &self.readers)
                .map_err(|hazard| self.explain(hazard, size, true))?;
            self.states[at] = Byte::written_by(copies_of(warp), UNDER_WAY);
        }
        Ok(())
    }

    /// The completion time of the next copies of `warp`.
    pub(crate) fn copy_time(&mut self, warp: usize) -> u32 {
        self.copy_clocks[warp] += 1;
        self.copy_clocks[warp]
    }

    /// Completes a copy: its bytes are visible to clocks with `time`.
    pub(crate) fn finish_copy(&mut self, warp: usize, address: u64, data: &[u8], time: u32) {
        let first = address as usize;
        self.bytes[first..first + data.len()].copy_from_slice(data);
        self.states[first..first + data.len()].fill(Byte::written_by(copies_of(warp), time));
    }

    /// Joins the copies of `warp` up to `time` to `clock`.
    pub(crate) fn learn_of_copies(clock: &mut Clock, warp: usize, time: u32) {
        let known = &mut clock[usize::from(copies_of(warp))];
        *known = (*known).max(time);
    }

    /// Size of an mbarrier object, in bytes.
    const MBARRIER_BYTES: u64 = 8;

    /// Initialises an mbarrier; this is ordered after all earlier accesses of its bytes.
    pub(crate) fn open_mbarrier(&mut self, warp: usize, address: u64, count: u32) -> Result<(), FaultKind> {
        let misuse = |reason| FaultKind::BarrierMisuse { reason };
        let range = self.range(address, Self::MBARRIER_BYTES)?;
        for at in range {
            if self.states[at].writer == MBARRIERS {
                return Err(misuse(format!(
                    "the mbarrier at {address:#x} is initialised again while it is live; `mbarrier.inval` ends its life"
                )));
            }
            self.states[at]
                .check_write(at, warp, &self.clocks[warp], &self.readers)
                .map_err(|hazard| self.explain(hazard, Self::MBARRIER_BYTES, true))?;
            self.states[at] = Byte::written_by(MBARRIERS, UNDER_WAY);
        }
        let clock = &mut self.clocks[warp];
        let mbarrier = Mbarrier::new(count, (warp, clock[warp])).map_err(misuse)?;
        clock[warp] += 1;
        self.mbarriers.insert(address, mbarrier);
        Ok(())
    }

    /// Invalidates an mbarrier; its bytes become uninitialised.
    pub(crate) fn close_mbarrier(&mut self, warp: usize, address: u64) -> Result<(), FaultKind> {
        self.mbarrier(warp, address)?;
        self.mbarriers.remove(&address);
        let (first, now) = (address as usize, self.clocks[warp][warp]);
        let range = first..first + Self::MBARRIER_BYTES as usize;
        self.states[range].fill(Byte {
            written: false,
            ..Byte::written_by(warp as u8, now)
        });
        Ok(())
    }

    /// The initialised mbarrier at an offset, for a warp that is ordered after its initialisation; and the warp's
    /// clock.
    pub(crate) fn mbarrier(
        &mut self,
        warp: usize,
        address: u64,
    ) -> Result<(&mut Mbarrier, &mut Clock), FaultKind> {
        let misuse = |reason| FaultKind::BarrierMisuse { reason };
        self.range(address, Self::MBARRIER_BYTES)?;
        let clock = &mut self.clocks[warp];
        match self.mbarriers.get_mut(&address) {
            None => Err(misuse(format!(
                "there is no initialised mbarrier at {address:#x}"
            ))),
            Some(mbarrier) => {
                let (maker, time) = mbarrier.made;
                if maker != warp && time > clock[maker] {
                    return Err(misuse(format!(
                        "the mbarrier at {address:#x} is used with no barrier since warp {maker} initialised it"
                    )));
                }
                Ok((mbarrier, clock))
            }
        }
    }
}
