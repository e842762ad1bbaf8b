//! A block's shared memory: bytes, which of them were written, and by whom in which order.
//!
//! Races are found by vector clocks of warps (the scheme known as FastTrack): a barrier joins the clocks of those
//! who take part, and two accesses to a byte are ordered when the later one's warp knows of the earlier one.
//! Accesses within one warp are not checked. Atomic and volatile accesses are taken as synchronisation: they
//! order, and are never reported.

use crate::fault::{FaultKind, Nearest};
use crate::memory::little_endian;
use rustc_hash::FxHashMap;

/// The most warps of a block.
pub(crate) const WARPS: usize = 32;

/// What each warp knows of the others' progress.
pub(crate) type Clock = [u32; WARPS];

/// Nobody.
const NONE: u8 = u8::MAX;
/// Several warps; which ones is in the side table.
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

/// The shared memory of one block.
#[derive(Debug)]
pub(crate) struct Shared {
    bytes: Vec<u8>,
    states: Vec<Byte>,
    readers: FxHashMap<usize, Clock>,
    synchronised: FxHashMap<usize, Clock>,
    pub(crate) clocks: Vec<Clock>,
}

/// How an access takes part in synchronisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Ordinary: checked for races.
    Plain,
    /// Atomic, ordered or volatile: synchronises.
    Synchronising,
}

impl Shared {
    pub(crate) fn new(bytes: usize, warps: usize) -> Self {
        let mut clocks = vec![[0; WARPS]; warps];
        for (warp, clock) in clocks.iter_mut().enumerate() {
            clock[warp] = 1;
        }
        Self {
            bytes: vec![0; bytes],
            states: vec![UNTOUCHED; bytes],
            readers: FxHashMap::default(),
            synchronised: FxHashMap::default(),
            clocks,
        }
    }

    /// Forgets everything, for the next block.
    pub(crate) fn reset(&mut self) {
        self.states.fill(UNTOUCHED);
        self.readers.clear();
        self.synchronised.clear();
        for (warp, clock) in self.clocks.iter_mut().enumerate() {
            *clock = [0; WARPS];
            clock[warp] = 1;
        }
    }

    fn nearest(&self) -> Option<Nearest> {
        Some(Nearest {
            name: "shared memory".to_owned(),
            base: 0,
            bytes: self.bytes.len() as u64,
        })
    }

    fn range(&self, address: u64, size: u64) -> Result<std::ops::Range<usize>, FaultKind> {
        let length = self.bytes.len() as u64;
        if address < length && length - address >= size {
            Ok(address as usize..(address + size) as usize)
        } else {
            Err(FaultKind::OutOfBounds {
                address,
                size,
                nearest: self.nearest(),
            })
        }
    }

    /// Joins the clocks of a synchronising access with those left at the address.
    fn synchronise(&mut self, warp: usize, address: usize) {
        let left = self.synchronised.entry(address).or_insert([0; WARPS]);
        let own = &mut self.clocks[warp];
        for (own, left) in own.iter_mut().zip(left.iter_mut()) {
            let joined = (*own).max(*left);
            (*own, *left) = (joined, joined);
        }
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
        let me = warp as u8;
        for at in range.clone() {
            let state = &mut self.states[at];
            if !state.written {
                let nearest = self.nearest();
                return Err(FaultKind::Uninitialised {
                    address: at as u64,
                    size,
                    nearest,
                });
            }
            if access == Access::Synchronising {
                continue;
            }
            if state.writer != me
                && state.writer != NONE
                && state.write_clock > clock[usize::from(state.writer)]
            {
                return Err(FaultKind::Race {
                    address: at as u64,
                    other_warp: u32::from(state.writer),
                    other_wrote: true,
                    writes: false,
                });
            }
            let ordered = match state.reader {
                NONE => true,
                MANY => false,
                reader => reader == me || state.read_clock <= clock[usize::from(reader)],
            };
            if ordered {
                (state.reader, state.read_clock) = (me, clock[warp]);
            } else {
                let readers = self.readers.entry(at).or_insert([0; WARPS]);
                if state.reader != MANY {
                    *readers = [0; WARPS];
                    readers[usize::from(state.reader)] = state.read_clock;
                    state.reader = MANY;
                }
                readers[warp] = clock[warp];
            }
        }
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
        let me = warp as u8;
        for at in range.clone() {
            let state = &mut self.states[at];
            if access == Access::Synchronising {
                *state = Byte {
                    written: true,
                    ..UNTOUCHED
                };
                continue;
            }
            let race = |other: usize, other_wrote| FaultKind::Race {
                address: at as u64,
                other_warp: other as u32,
                other_wrote,
                writes: true,
            };
            if state.writer != me
                && state.writer != NONE
                && state.write_clock > clock[usize::from(state.writer)]
            {
                return Err(race(usize::from(state.writer), true));
            }
            match state.reader {
                NONE => {}
                MANY => {
                    let readers = self.readers.get(&at).copied().unwrap_or([0; WARPS]);
                    let unordered =
                        (0..WARPS).find(|other| *other != warp && readers[*other] > clock[*other]);
                    if let Some(other) = unordered {
                        return Err(race(other, false));
                    }
                }
                reader if reader == me => {}
                reader => {
                    if state.read_clock > clock[usize::from(reader)] {
                        return Err(race(usize::from(reader), false));
                    }
                }
            }
            *state = Byte {
                written: true,
                writer: me,
                reader: NONE,
                write_clock: clock[warp],
                read_clock: 0,
            };
        }
        self.bytes[range].copy_from_slice(&value.to_le_bytes()[..size as usize]);
        Ok(())
    }
}
