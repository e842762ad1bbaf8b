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

/// What is wrong with an access to a byte.
enum Hazard {
    Unwritten(usize),
    Race { at: usize, other: u8, wrote: bool },
}

/// The shared memory of one block.
#[derive(Debug)]
pub(crate) struct Shared {
    bytes: Vec<u8>,
    states: Vec<Byte>,
    /// Where a byte has several readers: the clock of each warp's last read, one row for each byte.
    read_clocks: Vec<u32>,
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
            read_clocks: Vec::new(),
            synchronised: FxHashMap::default(),
            clocks,
        }
    }

    /// Forgets everything, for the next block.
    pub(crate) fn reset(&mut self) {
        self.states.fill(UNTOUCHED);
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

    fn explain(&self, hazard: Hazard, size: u64, writes: bool) -> FaultKind {
        match hazard {
            Hazard::Unwritten(at) => FaultKind::Uninitialised {
                address: at as u64,
                size,
                nearest: self.nearest(),
            },
            Hazard::Race { at, other, wrote } => FaultKind::Race {
                address: at as u64,
                other_warp: u32::from(other),
                other_wrote: wrote,
                writes,
            },
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
        let now = clock[warp];
        let me = warp as u8;
        let mut found = Ok(());
        for (at, state) in range.clone().zip(&mut self.states[range.clone()]) {
            if state.reader == me && state.read_clock == now && state.written {
                // Read before, and nothing has happened since.
                continue;
            }
            if !state.written {
                found = Err(Hazard::Unwritten(at));
                break;
            }
            if access == Access::Synchronising {
                continue;
            }
            if state.writer != me
                && state.writer != NONE
                && state.write_clock > clock[usize::from(state.writer)]
            {
                found = Err(Hazard::Race {
                    at,
                    other: state.writer,
                    wrote: true,
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
            let warps = self.clocks.len();
            if self.read_clocks.is_empty() {
                self.read_clocks = vec![0; self.bytes.len() * warps];
            }
            let row = &mut self.read_clocks[at * warps..(at + 1) * warps];
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
        let now = clock[warp];
        let me = warp as u8;
        let warps = self.clocks.len();
        let mut found = Ok(());
        for (at, state) in range.clone().zip(&mut self.states[range.clone()]) {
            if access == Access::Synchronising {
                *state = Byte {
                    written: true,
                    ..UNTOUCHED
                };
                continue;
            }
            if state.writer != me
                && state.writer != NONE
                && state.write_clock > clock[usize::from(state.writer)]
            {
                found = Err(Hazard::Race {
                    at,
                    other: state.writer,
                    wrote: true,
                });
                break;
            }
            let unordered = match state.reader {
                NONE => None,
                MANY => {
                    let row = &self.read_clocks[at * warps..(at + 1) * warps];
                    let mut others = row.iter().zip(clock).enumerate();
                    others
                        .find(|(other, (read, known))| *other != warp && read > known)
                        .map(|(other, _)| other as u8)
                }
                reader => (reader != me && state.read_clock > clock[usize::from(reader)]).then_some(reader),
            };
            if let Some(other) = unordered {
                found = Err(Hazard::Race {
                    at,
                    other,
                    wrote: false,
                });
                break;
            }
            *state = Byte {
                written: true,
                writer: me,
                reader: NONE,
                write_clock: now,
                read_clock: 0,
            };
        }
        found.map_err(|hazard| self.explain(hazard, size, true))?;
        self.bytes[range].copy_from_slice(&value.to_le_bytes()[..size as usize]);
        Ok(())
    }
}
