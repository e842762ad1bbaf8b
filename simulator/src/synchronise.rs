//! Asynchronous copies and mbarriers, as instructions of a warp.

use crate::block::{Block, Stop};
use crate::block::{read_bit, write_bit};
use crate::clock::{Clock, Who};
use crate::copies::AsyncCopy;
use crate::execute::write;
use crate::fault::FaultKind;
use crate::mbarrier::Asked;
use crate::program::{Bit, MbarrierOp, Place, Pointer, Source, lanes};
use crate::row::Row;
use crate::warp::Warp;

/// Size and alignment of an mbarrier object, in bytes.
const MBARRIER_BYTES: u64 = 8;

fn misuse(reason: String) -> FaultKind {
    FaultKind::BarrierMisuse { reason }
}

impl Block<'_> {
    /// Issues a copy in each active lane: `bytes` bytes, of which those beyond `read` are zero.
    pub(crate) fn copy(
        &mut self,
        warp: &Warp,
        (to, from): (Pointer, Pointer),
        bytes: u64,
        read: Option<Source>,
        ignore: Option<Bit>,
        active: u32,
    ) -> Result<(), Stop> {
        let to = self.addresses_in(Place::Shared, warp, to, bytes, active)?;
        let ignored = match ignore {
            None => 0,
            Some(ignore) => read_bit(warp, ignore.slot, ignore.negated, active)?,
        };
        let read = match read {
            None => [bytes; 32],
            Some(read) => self.read_row(warp, read, active)?,
        };
        // If nothing is read, the address may be invalid.
        let reading =
            lanes(active & !ignored).fold(0, |mask, lane| mask | u32::from(read[lane] != 0) << lane);
        let from = self.addresses_in(Place::Global, warp, from, bytes, reading)?;
        for lane in lanes(active) {
            let at = |kind| Stop::Fault(kind, Some(lane));
            let from_bytes = if reading >> lane & 1 == 1 { read[lane] } else { 0 };
            if from_bytes > bytes {
                let reason = format!("a copy of {bytes} bytes reads {from_bytes}");
                return Err(at(misuse(reason)));
            }
            let data = self.read_source(from[lane], from_bytes).map_err(at)?;
            let who = (warp.party, &self.clocks[usize::from(warp.party)]);
            let writer = (self.parties.copies_of(warp.party), false);
            self.here
                .shared
                .begin_copy(who, writer, to[lane], bytes)
                .map_err(at)?;
            self.here.copies.issue(
                warp.index,
                lane,
                AsyncCopy {
                    to: to[lane],
                    data,
                    bytes: bytes as usize,
                    from: from[lane],
                    from_bytes,
                },
            );
        }
        Ok(())
    }

    pub(crate) fn commit_copies(&mut self, warp: &Warp, active: u32) {
        lanes(active).for_each(|lane| self.here.copies.commit(warp.index, lane));
    }

    /// Waits, in each active lane, until at most `left` of its groups are pending, or for all its copies.
    pub(crate) fn wait_for_copies(&mut self, warp: &Warp, left: Option<usize>, active: u32) {
        let time = self.here.shared.copy_time(warp.index);
        for lane in lanes(active) {
            let done = match left {
                Some(left) => self.here.copies.wait_groups(warp.index, lane, left),
                None => self.here.copies.wait_all(warp.index, lane),
            };
            self.finish(warp.party, &done, time);
        }
        self.clocks[usize::from(warp.party)].learn(self.parties.copies_of(warp.party), time);
    }

    fn finish(&mut self, warp: Who, copies: &[AsyncCopy], time: u32) {
        let writer = self.parties.copies_of(warp);
        for copy in copies {
            self.here
                .shared
                .finish_copy(writer, copy.to, &copy.data[..copy.bytes], time);
        }
    }

    /// Adds an arrival at the mbarrier of each active lane when the lane's copies are complete.
    pub(crate) fn track_copies(
        &mut self,
        warp: &Warp,
        pointer: Pointer,
        counted: bool,
        active: u32,
    ) -> Result<(), Stop> {
        let addresses = self.addresses_in(Place::Shared, warp, pointer, MBARRIER_BYTES, active)?;
        for lane in lanes(active) {
            let at = |kind| Stop::Fault(kind, Some(lane));
            let who = (warp.party, &self.clocks[usize::from(warp.party)]);
            let mbarrier = self.here.shared.mbarrier(who, addresses[lane]).map_err(at)?;
            if counted {
                mbarrier.add_pending().map_err(misuse).map_err(at)?;
            }
            self.here.copies.track(warp.index, lane, addresses[lane]);
        }
        Ok(())
    }

    /// Completes the copies that the mbarrier tracks, and arrives.
    fn complete_tracked(&mut self, warp: &Warp, address: u64) -> Result<(), FaultKind> {
        for (copier, copies) in self.here.copies.complete_tracked(address) {
            let time = self.here.shared.copy_time(copier);
            let copier = self.parties.warp(self.here.rank, copier);
            self.finish(copier, &copies, time);
            let mut clock = Clock::default();
            clock.learn(self.parties.copies_of(copier), time);
            let who = (warp.party, &self.clocks[usize::from(warp.party)]);
            let mbarrier = self.here.shared.mbarrier(who, address)?;
            self.wakes |= mbarrier.arrive(1, &clock).map_err(misuse)?;
        }
        Ok(())
    }

    pub(crate) fn mbarrier(
        &mut self,
        warp: &mut Warp,
        pointer: Pointer,
        op: MbarrierOp,
        active: u32,
    ) -> Result<(), Stop> {
        let addresses = self.shared_addresses(warp, pointer, MBARRIER_BYTES, active)?;
        let me = warp.party;
        match op {
            MbarrierOp::Init { count } => {
                let count = self.read_row(warp, count, active)?;
                for lane in lanes(active) {
                    let who = (me, &mut self.clocks[usize::from(me)]);
                    self.here
                        .shared
                        .open_mbarrier(who, addresses[lane], count[lane] as u32)
                        .map_err(|kind| Stop::Fault(kind, Some(lane)))?;
                }
                Ok(())
            }
            MbarrierOp::Inval => {
                for lane in lanes(active) {
                    let who = (me, &mut self.clocks[usize::from(me)]);
                    self.here
                        .shared
                        .close_mbarrier(who, addresses[lane])
                        .map_err(|kind| Stop::Fault(kind, Some(lane)))?;
                }
                Ok(())
            }
            MbarrierOp::Arrive {
                count,
                bytes,
                drops,
                may_complete,
                state,
            } => {
                let count = self.read_row(warp, count, active)?;
                let bytes = bytes
                    .map(|bytes| self.read_row(warp, bytes, active))
                    .transpose()?;
                let mut states: Row = [0; 32];
                for lane in lanes(active) {
                    let at = |kind| Stop::Fault(kind, Some(lane));
                    let (rank, address) = self.locate_block(warp, addresses[lane]).map_err(at)?;
                    self.note_visit(warp, rank);
                    let clock = &mut self.clocks[usize::from(me)];
                    let cta = Self::cta(&mut self.here, &mut self.peers, rank);
                    let mbarrier = cta.shared.mbarrier((me, clock), address).map_err(at)?;
                    states[lane] = mbarrier.state();
                    let count = count[lane] as u32;
                    let completed = (|| {
                        if let Some(bytes) = &bytes {
                            mbarrier.expect_bytes(i64::from(bytes[lane] as u32))?;
                        }
                        if drops {
                            mbarrier.drop_expected(count)?;
                        }
                        if may_complete {
                            mbarrier.arrive(count, clock)
                        } else {
                            mbarrier.arrive_no_complete(count, clock).map(|()| false)
                        }
                    })();
                    clock.tick(me);
                    self.wakes |= completed.map_err(misuse).map_err(at)?;
                }
                if let Some(d) = state {
                    write(warp, d, active, |lane| states[lane]);
                }
                Ok(())
            }
            MbarrierOp::Bytes { bytes, complete } => {
                let bytes = self.read_row(warp, bytes, active)?;
                for lane in lanes(active) {
                    let at = |kind| Stop::Fault(kind, Some(lane));
                    let (rank, address) = self.locate_block(warp, addresses[lane]).map_err(at)?;
                    self.note_visit(warp, rank);
                    let clock = &self.clocks[usize::from(me)];
                    let cta = Self::cta(&mut self.here, &mut self.peers, rank);
                    let mbarrier = cta.shared.mbarrier((me, clock), address).map_err(at)?;
                    let bytes = i64::from(bytes[lane] as u32);
                    self.wakes |= mbarrier
                        .expect_bytes(if complete { -bytes } else { bytes })
                        .map_err(misuse)
                        .map_err(at)?;
                }
                Ok(())
            }
            MbarrierOp::Test { d, asked, parity } => {
                self.test_mbarriers(warp, &addresses, d, (asked, parity), active)
            }
        }
    }

    /// Tests phases. If none is complete, the lanes wait until one may be, or time has passed.
    fn test_mbarriers(
        &mut self,
        warp: &mut Warp,
        addresses: &Row,
        d: u32,
        (asked, parity): (Source, bool),
        active: u32,
    ) -> Result<(), Stop> {
        let asked = self.read_row(warp, asked, active)?;
        let me = usize::from(warp.party);
        let mut complete = 0;
        let mut waits = None;
        for lane in lanes(active) {
            let at = |kind| Stop::Fault(kind, Some(lane));
            let address = addresses[lane];
            self.here
                .shared
                .mbarrier((warp.party, &self.clocks[me]), address)
                .map_err(at)?;
            self.complete_tracked(warp, address).map_err(at)?;
            self.complete_loads(address).map_err(at)?;
            let mbarrier = self
                .here
                .shared
                .mbarrier((warp.party, &self.clocks[me]), address)
                .map_err(at)?;
            let question = if parity {
                if asked[lane] as u32 > 1 {
                    let reason = format!("{} is no parity of a phase", asked[lane] as u32);
                    return Err(at(misuse(reason)));
                }
                Asked::Parity(asked[lane] & 1 == 1)
            } else {
                Asked::State(asked[lane])
            };
            let thread = u32::from(warp.party) * 32 + lane as u32;
            match mbarrier
                .test(thread, question, &mut self.clocks[me])
                .map_err(misuse)
                .map_err(at)?
            {
                true => complete |= 1 << lane,
                false => {
                    waits.get_or_insert((address, mbarrier.phase()));
                }
            }
        }
        if let (0, false, Some((mbarrier, phase))) = (complete, self.out_of_time, waits) {
            return Err(Stop::Poll { mbarrier, phase });
        }
        write_bit(warp, d, complete, active);
        Ok(())
    }
}
