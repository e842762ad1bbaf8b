//! Bulk copies, as instructions of a warp.
//!
//! (PTX ISA, "Asynchronous bulk copies", "Completion mechanisms", "Async proxy".)

use crate::access::modify;
use crate::block::{Block, Stop};
use crate::fault::{FaultKind, Party};
use crate::holds::{Hold, Holder};
use crate::program::{BulkInstruction, Place, lanes};
use crate::shared::Access;
use crate::transfers::{InTheWay, Load, Piece, Store, Usage};
use crate::warp::Warp;
use std::ops::Range;
use tilewright_irs::ptx::{AtomicOp, Type};

/// The granularity of bulk copies, in bytes.
const UNIT: u64 = 16;

/// What a copy to shared memory brings.
#[derive(Clone, Debug, Default)]
pub(crate) struct Incoming {
    /// The data, with offsets in the destination's memory.
    pub(crate) pieces: Vec<Piece>,
    /// The bytes that the mbarrier counts.
    pub(crate) bytes: u64,
    /// The bytes of global memory that are read.
    pub(crate) global: Vec<Range<u64>>,
    /// The bytes of the block's own shared memory that are read.
    pub(crate) shared: Vec<Range<usize>>,
    /// Whether it writes through the async proxy.
    pub(crate) through_async: bool,
    /// The address of the tensor map that it reads, if that is in global memory.
    pub(crate) map: Option<u64>,
}

pub(crate) fn misuse(reason: String) -> FaultKind {
    FaultKind::CopyMisuse { reason }
}

impl Block<'_> {
    pub(crate) fn bulk(
        &mut self,
        warp: &Warp,
        instruction: &BulkInstruction,
        active: u32,
    ) -> Result<(), Stop> {
        match instruction {
            BulkInstruction::Load {
                to,
                from,
                bytes,
                mbarrier,
                blocks,
            } => {
                let target = self.shared_addresses(warp, *to, UNIT, active)?;
                let mbarriers = self.shared_addresses(warp, *mbarrier, 8, active)?;
                let shared = matches!(from.place, Place::Shared | Place::Cluster);
                let source = match shared {
                    true => self.addresses_in(Place::Shared, warp, *from, UNIT, active)?,
                    false => self.addresses_in(Place::Global, warp, *from, UNIT, active)?,
                };
                let bytes = self.read_row(warp, *bytes, active)?;
                let blocks = blocks
                    .map(|blocks| self.read_row(warp, blocks, active))
                    .transpose()?;
                for lane in lanes(active) {
                    let at = |kind| Stop::Fault(kind, Some(lane));
                    let size = whole_units(bytes[lane]).map_err(at)?;
                    let mut incoming = Incoming {
                        bytes: size,
                        through_async: true,
                        ..Incoming::default()
                    };
                    let data = if shared {
                        let first = source[lane] as usize;
                        incoming.shared.push(first..first + size as usize);
                        let who = (warp.party, &self.clocks[usize::from(warp.party)]);
                        let read = self.here.shared.read_async(who, source[lane], size);
                        read.map_err(at)?.to_vec()
                    } else {
                        incoming.global.push(source[lane]..source[lane] + size);
                        self.read_global(source[lane], size).map_err(at)?
                    };
                    incoming.pieces = vec![Piece { to: 0, data }];
                    let places = (target[lane], mbarriers[lane]);
                    let mask = blocks.as_ref().map(|blocks| blocks[lane] as u16);
                    self.deliver(warp, places, mask, &incoming).map_err(at)?;
                }
                Ok(())
            }
            BulkInstruction::StoreWords {
                to,
                values,
                bytes,
                mbarrier,
            } => {
                let size = bytes * values.len() as u64;
                let target = self.shared_addresses(warp, *to, size, active)?;
                let mbarriers = self.shared_addresses(warp, *mbarrier, 8, active)?;
                let rows = self.read_rows(warp, values, active)?;
                for lane in lanes(active) {
                    let words = rows.iter().map(|row| row[lane].to_le_bytes());
                    let data = words
                        .flat_map(|word| word.into_iter().take(*bytes as usize))
                        .collect();
                    let incoming = Incoming {
                        pieces: vec![Piece { to: 0, data }],
                        bytes: size,
                        ..Incoming::default()
                    };
                    self.deliver(warp, (target[lane], mbarriers[lane]), None, &incoming)
                        .map_err(|kind| Stop::Fault(kind, Some(lane)))?;
                }
                Ok(())
            }
            BulkInstruction::Store {
                to,
                from,
                bytes,
                reduction,
            } => {
                let target = self.addresses_in(Place::Global, warp, *to, UNIT, active)?;
                let source = self.addresses_in(Place::Shared, warp, *from, UNIT, active)?;
                let bytes = self.read_row(warp, *bytes, active)?;
                for lane in lanes(active) {
                    let at = |kind| Stop::Fault(kind, Some(lane));
                    let size = whole_units(bytes[lane]).map_err(at)?;
                    let who = (warp.party, &self.clocks[usize::from(warp.party)]);
                    let read = self.here.shared.read_async(who, source[lane], size);
                    let data = read.map_err(at)?.to_vec();
                    let first = source[lane] as usize;
                    let pieces = vec![Piece {
                        to: target[lane],
                        data,
                    }];
                    let ranges = std::iter::once(first..first + size as usize).collect();
                    self.send((warp, lane), pieces, ranges, *reduction, None)
                        .map_err(at)?;
                }
                Ok(())
            }
            BulkInstruction::Prefetch { from, bytes } => {
                let source = self.addresses_in(Place::Global, warp, *from, UNIT, active)?;
                let bytes = self.read_row(warp, *bytes, active)?;
                for lane in lanes(active) {
                    let size = whole_units(bytes[lane]);
                    size.and_then(|size| self.memory.check(source[lane], size, &mut self.hint))
                        .map_err(|kind| Stop::Fault(kind, Some(lane)))?;
                }
                Ok(())
            }
            BulkInstruction::Commit => {
                for lane in lanes(active) {
                    let thread = self.here.stores.entry((warp.party, lane)).or_default();
                    let group = std::mem::take(&mut thread.open);
                    thread.groups.push_back(group);
                }
                Ok(())
            }
            BulkInstruction::Wait { left, read } => {
                for lane in lanes(active) {
                    self.wait_for_stores(warp, lane, *left, *read)
                        .map_err(|kind| Stop::Fault(kind, Some(lane)))?;
                }
                Ok(())
            }
        }
    }

    /// Reads global memory for a bulk copy.
    pub(crate) fn read_global(&mut self, address: u64, size: u64) -> Result<Vec<u8>, FaultKind> {
        let mut data = Vec::with_capacity(size as usize);
        for (at, bytes) in words(address..address + size) {
            let word = self.memory.load(at, bytes, &mut self.hint)?;
            self.memory.check_single(at, bytes, self.hint)?;
            self.order_global(at, bytes, false, Access::Plain)?;
            data.extend(&word.to_le_bytes()[..bytes as usize]);
        }
        Ok(data)
    }

    /// A copy begins to write to the shared memory of a block, or of all blocks of a mask at the same offsets. The
    /// pieces are relative to the target.
    pub(crate) fn deliver(
        &mut self,
        warp: &Warp,
        (target, mbarrier): (u64, u64),
        blocks: Option<u16>,
        incoming: &Incoming,
    ) -> Result<(), FaultKind> {
        let (to, offset) = self.locate_block(warp, target)?;
        let (at, mbarrier) = self.locate_block(warp, mbarrier)?;
        let Some(mask) = blocks else {
            if to != at {
                let reason =
                    format!("its destination is in block {to} of the cluster, its mbarrier in block {at}");
                return Err(misuse(reason));
            }
            return self.deliver_to(warp, to, (offset, mbarrier), incoming);
        };
        if mask == 0 {
            return Err(misuse("it has no destination: the mask is zero".to_owned()));
        }
        for rank in (0..16).filter(|rank| mask >> rank & 1 == 1) {
            // The address in the block of the rank, if that exists and runs.
            let (rank, offset) = self.locate_block(warp, crate::shared_address::address_in(rank, offset))?;
            self.deliver_to(warp, rank, (offset, mbarrier), incoming)?;
        }
        Ok(())
    }

    fn deliver_to(
        &mut self,
        warp: &Warp,
        rank: usize,
        (target, mbarrier): (u64, u64),
        incoming: &Incoming,
    ) -> Result<(), FaultKind> {
        for span in &incoming.global {
            self.check_pending(span, Usage::Read)?;
        }
        let (id, early) = self.transfers.issue();
        let who = (warp.party, &self.clocks[usize::from(warp.party)]);
        let shared = &mut Self::cta(&mut self.here, &mut self.peers, rank).shared;
        let counter = shared.mbarrier(who, mbarrier)?;
        if incoming.through_async {
            counter.check_fence(who.1, mbarrier)?;
        }
        let (writer, time) = counter.transfers();
        let mut pieces = incoming.pieces.clone();
        for piece in &mut pieces {
            piece.to += target;
            let writer = (writer, incoming.through_async);
            shared.begin_copy(who, writer, piece.to, piece.data.len() as u64)?;
        }
        if let Some(map) = incoming.map {
            self.map_uses.load(map, (writer, time));
        }
        let number = warp.index as u32;
        self.transfers
            .begin_use(id, number, Usage::Read, incoming.global.clone());
        if !incoming.shared.is_empty() {
            let hold = Hold {
                by: Holder::Copy { warp: number },
                ranges: incoming.shared.clone(),
            };
            self.here.shared.hold(id, hold);
        }
        let load = Load {
            id,
            mbarrier: (rank, mbarrier),
            pieces,
            bytes: incoming.bytes,
            source: (!incoming.shared.is_empty()).then_some(self.here.rank),
        };
        if early {
            return self.complete_load(&load);
        }
        self.transfers.loads.push(load);
        Ok(())
    }

    /// Completes the copies that an mbarrier of the running block counts.
    pub(crate) fn complete_loads(&mut self, mbarrier: u64) -> Result<(), FaultKind> {
        for load in self.transfers.take_loads((self.here.rank, mbarrier)) {
            self.complete_load(&load)?;
        }
        Ok(())
    }

    fn complete_load(&mut self, load: &Load) -> Result<(), FaultKind> {
        self.transfers.end_use(load.id);
        if let Some(rank) = load.source {
            Self::cta(&mut self.here, &mut self.peers, rank)
                .shared
                .drop_hold(load.id);
        }
        let (rank, address) = load.mbarrier;
        let shared = &mut Self::cta(&mut self.here, &mut self.peers, rank).shared;
        let Some(mbarrier) = shared.mbarriers.get_mut(&address) else {
            return Err(misuse(format!(
                "its mbarrier at {address:#x} has been invalidated"
            )));
        };
        let (writer, time) = mbarrier.transfers();
        let completed = mbarrier.complete_bytes(load.bytes as i64);
        self.wakes |= completed.map_err(|reason| FaultKind::BarrierMisuse { reason })?;
        for piece in &load.pieces {
            shared.finish_copy(writer, piece.to, &piece.data, time);
        }
        Ok(())
    }

    /// A copy begins to write to global memory what it has read from `ranges` of shared memory; `map` is the address of
    /// its tensor map, if that is in global memory.
    pub(crate) fn send(
        &mut self,
        (warp, lane): (&Warp, usize),
        pieces: Vec<Piece>,
        ranges: Vec<Range<usize>>,
        reduction: Option<(AtomicOp, Type)>,
        map: Option<u64>,
    ) -> Result<(), FaultKind> {
        let (usage, access) = match reduction {
            None => (Usage::Write, Access::Plain),
            Some(_) => (Usage::Update, Access::Synchronising),
        };
        let mut spans = Vec::new();
        for piece in &pieces {
            let size = piece.data.len() as u64;
            let span = piece.to..piece.to + size;
            self.memory.check(piece.to, size, &mut self.hint)?;
            self.check_pending(&span, usage)?;
            for (at, bytes) in words(span.clone()) {
                self.order_global(at, bytes, true, access)?;
            }
            spans.push(span);
        }
        let (id, early) = self.transfers.issue();
        if let Some(map) = map {
            self.map_uses.store(map, id);
        }
        let number = warp.index as u32;
        self.transfers.begin_use(id, number, usage, spans);
        let by = Holder::Copy { warp: number };
        self.here.shared.hold(id, Hold { by, ranges });
        let mut store = Store {
            rank: self.here.rank,
            pieces,
            reduction,
            written: false,
            read: false,
        };
        if early {
            self.write_store(&mut store)?;
        }
        self.transfers.stores.insert(id, store);
        let thread = self.here.stores.entry((warp.party, lane)).or_default();
        thread.open.push(id);
        Ok(())
    }

    fn wait_for_stores(
        &mut self,
        warp: &Warp,
        lane: usize,
        left: usize,
        read: bool,
    ) -> Result<(), FaultKind> {
        let thread = self.here.stores.entry((warp.party, lane)).or_default();
        let count = thread.groups.len().saturating_sub(left);
        let due: Vec<u64> = match read {
            true => thread.groups.iter().take(count).flatten().copied().collect(),
            false => thread.groups.drain(..count).flatten().collect(),
        };
        let clock = &mut self.clocks[usize::from(warp.party)];
        let time = clock.time(warp.party);
        let stores = self.parties.stores_of(warp.party);
        clock.learn(stores, time);
        // Either wait is for the reads of the tensor map, too. (PTX ISA, `cp.async.bulk.wait_group`)
        for id in &due {
            self.map_uses.waited(*id, (warp.party, time));
            if let Some(store) = self.transfers.stores.get_mut(id)
                && !std::mem::replace(&mut store.read, true)
            {
                self.here.shared.release(*id, (stores, time), clock);
            }
        }
        if !read {
            for id in due {
                self.finish_store(id)?;
            }
        }
        Ok(())
    }

    fn finish_store(&mut self, id: u64) -> Result<(), FaultKind> {
        self.transfers.end_use(id);
        match self.transfers.stores.remove(&id) {
            Some(mut store) => self.write_store(&mut store),
            None => Ok(()),
        }
    }

    fn write_store(&mut self, store: &mut Store) -> Result<(), FaultKind> {
        if std::mem::replace(&mut store.written, true) {
            return Ok(());
        }
        let width = store
            .reduction
            .and_then(|(_, ty)| ty.bytes())
            .map_or(8, u64::from);
        for Piece { to, data } in &store.pieces {
            for (at, part) in (*to..).step_by(width as usize).zip(data.chunks(width as usize)) {
                let size = part.len() as u64;
                let mut word = crate::memory::little_endian(part);
                if let Some((op, ty)) = store.reduction {
                    let old = self.memory.load(at, size, &mut self.hint)?;
                    word = modify(op, ty, true, old, word);
                }
                self.memory.store(at, size, word, &mut self.hint)?;
            }
        }
        Ok(())
    }

    /// Refuses an access of global memory that a pending copy is in the way of.
    #[cold]
    pub(crate) fn check_pending(&self, span: &Range<u64>, usage: Usage) -> Result<(), FaultKind> {
        match self.transfers.in_the_way(span, usage) {
            None => Ok(()),
            Some(InTheWay {
                address,
                warp,
                writes,
            }) => Err(FaultKind::Race {
                address,
                other: Party::CopyUnderWay { warp },
                other_wrote: writes,
                writes: usage != Usage::Read,
                nearest: self.memory.nearest(address),
            }),
        }
    }

    /// The running block ends: no copy may use its shared memory. Its last writes of global memory are done.
    pub(crate) fn end_transfers(&mut self) -> Result<(), FaultKind> {
        let rank = self.here.rank;
        if self.here.shared.is_in_use() {
            return Err(misuse(
                "the block ends while it still reads the block's shared memory".to_owned(),
            ));
        }
        if self.transfers.loads.iter().any(|load| load.mbarrier.0 == rank) {
            return Err(misuse(
                "the block ends while it still writes the block's shared memory".to_owned(),
            ));
        }
        let stores = self.transfers.stores.iter();
        let mut own: Vec<u64> = stores
            .filter(|(_, store)| store.rank == rank)
            .map(|(id, _)| *id)
            .collect();
        own.sort_unstable();
        own.into_iter().try_for_each(|id| self.finish_store(id))
    }
}

/// A size that bulk copies may have.
fn whole_units(bytes: u64) -> Result<u64, FaultKind> {
    let size = bytes & 0xffff_ffff;
    match size.is_multiple_of(UNIT) {
        true => Ok(size),
        false => Err(misuse(format!(
            "its size of {size} bytes is no multiple of {UNIT}"
        ))),
    }
}

/// The parts of a range of at most eight bytes each, with their sizes; within words of eight if the range begins with
/// one.
fn words(range: Range<u64>) -> impl Iterator<Item = (u64, u64)> {
    let end = range.end;
    let mut next = range.start;
    std::iter::from_fn(move || {
        let at = next;
        let left = end.saturating_sub(at);
        let size = [8, 4, 2, 1]
            .into_iter()
            .find(|size| *size <= left && at.is_multiple_of(*size))?;
        next += size;
        Some((at, size))
    })
}
