//! Loads, stores and atomics.

use crate::block::{Block, Stop};
use crate::execute::write;
use crate::fault::{FaultKind, Nearest, Party};
use crate::integer;
use crate::memory::{LOCAL_WINDOW, PARAM_WINDOW, SHARED_WINDOW, WINDOW, little_endian};
use crate::program::{Atomic, Multimem, Place, Pointer, Source, Target, lanes};
use crate::pure;
use crate::row::Row;
use crate::shared::Access;
use crate::shared_address::{names_block, own_offset};
use crate::transfers::Usage;
use crate::warp::Warp;
use tilewright_irs::ptx::{AtomicOp, Kind, Type};

/// Bytes of one lane's access: at most eight, in one memory.
#[derive(Clone, Copy)]
struct Cell {
    place: Place,
    lane: usize,
    address: u64,
    bytes: u64,
}

impl Cell {
    /// An error for an access that is not within these bytes.
    fn beyond(self, nearest: Option<Nearest>) -> FaultKind {
        FaultKind::OutOfBounds {
            address: self.address,
            size: self.bytes,
            nearest,
        }
    }
}

/// The elements of a lane's access, each of so many bytes; the whole is aligned to its size.
fn elements(
    place: Place,
    lane: usize,
    address: u64,
    bytes: u64,
    count: usize,
) -> Result<impl Iterator<Item = Cell> + Clone, Stop> {
    aligned(address, bytes * count as u64).map_err(|kind| Stop::Fault(kind, Some(lane)))?;
    let (place, first) = locate(place, address);
    Ok((0..count as u64).map(move |element| Cell {
        place,
        lane,
        address: first.wrapping_add(bytes * element),
        bytes,
    }))
}

impl Block<'_> {
    /// The address of each active lane.
    pub(crate) fn addresses(&self, warp: &Warp, pointer: Pointer, active: u32) -> Result<Row, Stop> {
        let mut row = self.read_row(warp, pointer.base, active)?;
        for address in &mut row {
            *address = address.wrapping_add(pointer.offset);
            if pointer.narrow {
                *address &= 0xffff_ffff;
            }
        }
        Ok(row)
    }

    #[expect(clippy::too_many_arguments, reason = "the operands of the instruction")]
    pub(crate) fn load(
        &mut self,
        warp: &mut Warp,
        ty: Type,
        bytes: u64,
        d: &[Target],
        pointer: Pointer,
        access: Access,
        active: u32,
    ) -> Result<(), Stop> {
        let addresses = self.addresses(warp, pointer, active)?;
        for lane in lanes(active) {
            for (cell, d) in elements(pointer.place, lane, addresses[lane], bytes, d.len())?.zip(d) {
                let word = self.load_word(warp, cell, access)?;
                let word = if ty.kind() == Kind::Signed {
                    integer::word(integer::value(ty, word))
                } else {
                    word
                };
                warp.rows[d.slot as usize][lane] = word & d.mask;
            }
        }
        for d in d {
            warp.written[d.slot as usize] |= active;
        }
        Ok(())
    }

    pub(crate) fn store(
        &mut self,
        warp: &mut Warp,
        bytes: u64,
        pointer: Pointer,
        values: &[Source],
        access: Access,
        active: u32,
    ) -> Result<(), Stop> {
        let addresses = self.addresses(warp, pointer, active)?;
        let rows = self.read_rows(warp, values, active)?;
        for lane in lanes(active) {
            let cells = elements(pointer.place, lane, addresses[lane], bytes, values.len())?;
            for (cell, row) in cells.zip(&rows) {
                self.store_word(warp, cell, row[lane], access)?;
            }
        }
        Ok(())
    }

    /// Atomics execute lane by lane, in order, and on a vector's elements one by one; `cas` compares all of them.
    #[expect(clippy::too_many_arguments, reason = "the operands of the instruction")]
    pub(crate) fn atomic(
        &mut self,
        warp: &mut Warp,
        (op, access): (Atomic, Access),
        ty: Type,
        bytes: u64,
        d: &[Target],
        pointer: Pointer,
        (b, c): (&[Source], &[Source]),
        active: u32,
    ) -> Result<(), Stop> {
        let addresses = self.addresses(warp, pointer, active)?;
        let b = self.read_rows(warp, b, active)?;
        let c = self.read_rows(warp, c, active)?;
        let mut old: Vec<Row> = vec![[0; 32]; b.len()];
        for lane in lanes(active) {
            let cells = elements(pointer.place, lane, addresses[lane], bytes, b.len())?;
            for (cell, old) in cells.clone().zip(&mut old) {
                old[lane] = self.load_word(warp, cell, access)?;
            }
            let equal = old.iter().zip(&b).all(|(old, b)| old[lane] == b[lane]);
            for (element, cell) in cells.enumerate() {
                let (old, b) = (old[element][lane], b[element][lane]);
                let new = match op {
                    Atomic::Cas if equal => c[element][lane],
                    Atomic::Cas => old,
                    Atomic::Op(op) => modify(op, ty, cell.place == Place::Global, old, b),
                };
                self.store_word(warp, cell, new, access)?;
            }
        }
        for (d, old) in d.iter().zip(&old) {
            write(warp, *d, active, |lane| old[lane]);
        }
        Ok(())
    }

    /// Accesses of replicated memory execute lane by lane, word by word and replica by replica, in order.
    #[expect(clippy::too_many_arguments, reason = "the operands of the instruction")]
    pub(crate) fn multimem(
        &mut self,
        warp: &mut Warp,
        (what, ty, bytes): (Multimem, Type, u64),
        d: &[Target],
        pointer: Pointer,
        b: &[Source],
        access: Access,
        active: u32,
    ) -> Result<(), Stop> {
        let addresses = self.addresses(warp, pointer, active)?;
        let b = self.read_rows(warp, b, active)?;
        for lane in lanes(active) {
            let cells = elements(pointer.place, lane, addresses[lane], bytes, d.len().max(b.len()))?;
            for (element, cell) in cells.enumerate() {
                let own = b.get(element).map(|row| row[lane]);
                let loaded = self
                    .replicas(cell, (what, ty), own, access)
                    .map_err(|kind| Stop::Fault(kind, Some(lane)))?;
                if let Some(d) = d.get(element) {
                    warp.rows[d.slot as usize][lane] = loaded & d.mask;
                }
            }
        }
        for d in d {
            warp.written[d.slot as usize] |= active;
        }
        Ok(())
    }

    /// Accesses all replicas of a word. Returns the combination of what was there.
    fn replicas(
        &mut self,
        cell: Cell,
        (what, ty): (Multimem, Type),
        value: Option<u64>,
        access: Access,
    ) -> Result<u64, FaultKind> {
        if cell.place != Place::Global {
            return Err(cell.beyond(self.memory.nearest(cell.address)));
        }
        let Cell { address, bytes, .. } = cell;
        let (apart, count) = self.memory.replicas(address, bytes, &mut self.hint)?;
        let mut loaded: Option<u64> = None;
        for address in (0..count).map(|replica| address + replica * apart) {
            let value = value.unwrap_or(0);
            let stored = match what {
                Multimem::Load(op) => {
                    let word = self.memory.load(address, bytes, &mut self.hint)?;
                    loaded = Some(loaded.map_or(word, |all| modify(op, ty, true, all, word)));
                    None
                }
                Multimem::Store => Some(value),
                Multimem::Reduce(op) => {
                    let word = self.memory.load(address, bytes, &mut self.hint)?;
                    Some(modify(op, ty, true, word, value))
                }
            };
            if let Some(stored) = stored {
                self.memory.store(address, bytes, stored, &mut self.hint)?;
            }
            self.order_global(address, bytes, stored.is_some(), access)?;
        }
        Ok(loaded.unwrap_or(0))
    }

    /// An ordered or atomic access of global memory synchronises with those of other blocks; any other must not race
    /// with them, nor write the source of a pending asynchronous copy.
    #[inline]
    pub(crate) fn order_global(
        &mut self,
        address: u64,
        bytes: u64,
        writes: bool,
        access: Access,
    ) -> Result<(), FaultKind> {
        if writes && let Some(warp) = self.here.copies.reader(address, bytes) {
            return Err(FaultKind::Race {
                address,
                other: Party::CopyUnderWay { warp },
                other_wrote: false,
                writes,
                nearest: self.memory.nearest(address),
            });
        }
        if self.transfers.use_global() {
            let usage = match (writes, access) {
                (_, Access::InBlock | Access::Synchronising) => Usage::Update,
                (true, Access::Plain) => Usage::Write,
                (false, Access::Plain) => Usage::Read,
            };
            self.check_pending(&(address..address + bytes), usage)?;
        }
        let Some(races) = &mut self.races else {
            return Ok(());
        };
        if access.synchronises() {
            races.meet(address);
            return Ok(());
        }
        races.access(address, bytes, writes).map_err(|conflict| {
            // The clusters run in the order of their indices.
            let [x, y, _]: [u32; 3] =
                std::array::from_fn(|axis| self.shape.grid[axis] / self.shape.cluster[axis]);
            let at = conflict.block;
            let cluster = [at % x, at / x % y, at / x / y];
            let index = std::array::from_fn(|axis| cluster[axis] * self.shape.cluster[axis]);
            FaultKind::Race {
                address: conflict.address,
                other: Party::Block(index),
                other_wrote: conflict.wrote,
                writes,
                nearest: self.memory.nearest(conflict.address),
            }
        })
    }

    /// Reads bytes of global memory for an asynchronous copy.
    pub(crate) fn read_source(&mut self, address: u64, bytes: u64) -> Result<[u8; 16], FaultKind> {
        let mut data = [0; 16];
        let mut at = address;
        for word in data[..bytes as usize].chunks_mut(4) {
            // The last word may be partial.
            let unit = if word.len() == 4 { 4 } else { 1 };
            for part in word.chunks_mut(unit) {
                let value = self.memory.load(at, unit as u64, &mut self.hint)?;
                self.memory.check_single(at, unit as u64, self.hint)?;
                self.order_global(at, unit as u64, false, Access::Plain)?;
                part.copy_from_slice(&value.to_le_bytes()[..unit]);
                at += unit as u64;
            }
        }
        Ok(data)
    }

    /// The same bytes, as those of the block's own shared memory if an address names it by its rank.
    fn in_own_memory(&self, cell: Cell) -> Cell {
        match own_offset(self.here.rank, cell.address) {
            Some(address) if cell.place == Place::Cluster => Cell {
                place: Place::Shared,
                address,
                ..cell
            },
            _ => cell,
        }
    }

    /// Where each active lane points in one memory, aligned to `size` bytes.
    pub(crate) fn addresses_in(
        &self,
        wanted: Place,
        warp: &Warp,
        pointer: Pointer,
        size: u64,
        active: u32,
    ) -> Result<Row, Stop> {
        let mut row = self.addresses(warp, pointer, active)?;
        for lane in lanes(active) {
            for cell in elements(pointer.place, lane, row[lane], size, 1)? {
                let cell = self.in_own_memory(cell);
                if cell.place != wanted {
                    let nearest = match wanted {
                        Place::Shared => Some(self.here.shared.named()),
                        _ => self.memory.nearest(cell.address),
                    };
                    return Err(Stop::Fault(cell.beyond(nearest), Some(lane)));
                }
                row[lane] = cell.address;
            }
        }
        Ok(row)
    }

    /// Where each active lane points in the shared memory of the cluster, aligned to `size` bytes: see
    /// [`Block::locate_block`].
    pub(crate) fn shared_addresses(
        &self,
        warp: &Warp,
        pointer: Pointer,
        size: u64,
        active: u32,
    ) -> Result<Row, Stop> {
        let mut row = self.addresses(warp, pointer, active)?;
        for lane in lanes(active) {
            for cell in elements(pointer.place, lane, row[lane], size, 1)? {
                let cell = self.in_own_memory(cell);
                if !matches!(cell.place, Place::Shared | Place::Cluster) {
                    let nearest = Some(self.here.shared.named());
                    return Err(Stop::Fault(cell.beyond(nearest), Some(lane)));
                }
                row[lane] = cell.address;
            }
        }
        Ok(row)
    }

    /// A byte at a generic address.
    pub(crate) fn read_byte(&mut self, warp: &Warp, lane: usize, address: u64) -> Result<u8, FaultKind> {
        let (place, address) = locate(Place::Generic, address);
        let byte = Cell {
            place,
            lane,
            address,
            bytes: 1,
        };
        let word = self.read_cell(warp, byte, Access::Plain)?;
        Ok((word & 0xff) as u8)
    }

    /// The contents of each active lane's parameter of a call.
    pub(crate) fn read_parameter(
        &mut self,
        warp: &Warp,
        pointer: Pointer,
        bytes: u64,
        active: u32,
    ) -> Result<Row, Stop> {
        let mut row = self.addresses(warp, pointer, active)?;
        for lane in lanes(active) {
            for cell in elements(pointer.place, lane, row[lane], bytes, 1)? {
                row[lane] = self.load_word(warp, cell, Access::Plain)?;
            }
        }
        Ok(row)
    }

    /// Sets each active lane's parameter to a 32-bit value.
    pub(crate) fn write_parameter(
        &mut self,
        warp: &mut Warp,
        pointer: Pointer,
        values: &Row,
        active: u32,
    ) -> Result<(), Stop> {
        let row = self.addresses(warp, pointer, active)?;
        for lane in lanes(active) {
            for cell in elements(pointer.place, lane, row[lane], 4, 1)? {
                self.store_word(warp, cell, values[lane], Access::Plain)?;
            }
        }
        Ok(())
    }

    fn load_word(&mut self, warp: &Warp, cell: Cell, access: Access) -> Result<u64, Stop> {
        self.read_cell(warp, cell, access)
            .map_err(|kind| Stop::Fault(kind, Some(cell.lane)))
    }

    fn store_word(&mut self, warp: &mut Warp, cell: Cell, value: u64, access: Access) -> Result<(), Stop> {
        self.write_cell(warp, cell, value, access)
            .map_err(|kind| Stop::Fault(kind, Some(cell.lane)))
    }

    /// An ordered or atomic access of global memory meets those of other threads at the same address.
    fn synchronise(
        &mut self,
        warp: &Warp,
        address: u64,
        writes: bool,
        access: Access,
    ) -> Result<(), FaultKind> {
        if !access.synchronises() {
            return Ok(());
        }
        let me = (warp.party, &self.clocks[usize::from(warp.party)]);
        self.map_uses.synchronise(address, me);
        if self.parties.blocks == 1 {
            return Ok(());
        }
        let met = self.scope_races.access(self.parties, me, address, writes, access);
        met.map_err(|other| {
            let (rank, warp) = self.parties.warp_of(other);
            FaultKind::NarrowScope {
                address,
                other: Party::Peer {
                    rank: rank as u32,
                    warp: warp as u32,
                },
                nearest: self.memory.nearest(address),
            }
        })
    }

    fn read_cell(&mut self, warp: &Warp, cell: Cell, access: Access) -> Result<u64, FaultKind> {
        let Cell { address, bytes, .. } = cell;
        match cell.place {
            Place::Global | Place::Generic => {
                let word = self.memory.load(address, bytes, &mut self.hint)?;
                self.memory.check_single(address, bytes, self.hint)?;
                self.synchronise(warp, address, false, access)?;
                self.order_global(address, bytes, false, access)?;
                Ok(word)
            }
            Place::Shared => {
                let who = (warp.party, &mut self.clocks[usize::from(warp.party)]);
                self.here.shared.load(who, address, bytes, access)
            }
            Place::Cluster => self.load_from_block(warp, cell, access),
            Place::Local => {
                let range = self.local(cell)?;
                match warp.local_written[range.clone()].iter().all(|written| *written) {
                    true => Ok(little_endian(&warp.local[range])),
                    false => Err(FaultKind::Uninitialised {
                        address,
                        size: bytes,
                        nearest: self.local_memory(),
                    }),
                }
            }
            Place::Param => {
                let length = self.params.len() as u64;
                if address < length && length - address >= bytes {
                    let first = address as usize;
                    Ok(little_endian(&self.params[first..first + bytes as usize]))
                } else {
                    Err(cell.beyond(Some(Nearest {
                        name: "parameters".to_owned(),
                        base: 0,
                        bytes: length,
                    })))
                }
            }
        }
    }

    fn write_cell(
        &mut self,
        warp: &mut Warp,
        cell: Cell,
        value: u64,
        access: Access,
    ) -> Result<(), FaultKind> {
        let Cell { address, bytes, .. } = cell;
        match cell.place {
            Place::Global | Place::Generic => {
                self.memory.store(address, bytes, value, &mut self.hint)?;
                self.memory.check_single(address, bytes, self.hint)?;
                self.synchronise(warp, address, true, access)?;
                self.order_global(address, bytes, true, access)
            }
            Place::Shared => {
                let who = (warp.party, &mut self.clocks[usize::from(warp.party)]);
                self.here.shared.store(who, address, bytes, value, access)
            }
            Place::Cluster => self.store_to_block(warp, cell, value, access),
            Place::Local => {
                let range = self.local(cell)?;
                warp.local[range.clone()].copy_from_slice(&value.to_le_bytes()[..bytes as usize]);
                warp.local_written[range].fill(true);
                Ok(())
            }
            Place::Param => Err(cell.beyond(Some(Nearest {
                name: "read-only parameters".to_owned(),
                base: 0,
                bytes: 0,
            }))),
        }
    }

    /// Reads shared memory by an address that names a block.
    #[cold]
    fn load_from_block(&mut self, warp: &Warp, cell: Cell, access: Access) -> Result<u64, FaultKind> {
        let (rank, address) = self.locate_block(warp, cell.address)?;
        self.note_visit(warp, rank);
        let who = (warp.party, &mut self.clocks[usize::from(warp.party)]);
        let cta = Self::cta(&mut self.here, &mut self.peers, rank);
        cta.shared.load(who, address, cell.bytes, access)
    }

    /// Writes shared memory by an address that names a block.
    #[cold]
    fn store_to_block(
        &mut self,
        warp: &Warp,
        cell: Cell,
        value: u64,
        access: Access,
    ) -> Result<(), FaultKind> {
        let (rank, address) = self.locate_block(warp, cell.address)?;
        self.note_visit(warp, rank);
        let who = (warp.party, &mut self.clocks[usize::from(warp.party)]);
        let cta = Self::cta(&mut self.here, &mut self.peers, rank);
        cta.shared.store(who, address, cell.bytes, value, access)
    }

    fn local_memory(&self) -> Option<Nearest> {
        Some(Nearest {
            name: "local memory".to_owned(),
            base: 0,
            bytes: self.program.local_bytes,
        })
    }

    /// Where bytes of a lane's local memory are in its warp's.
    fn local(&self, cell: Cell) -> Result<std::ops::Range<usize>, FaultKind> {
        let size = self.program.local_bytes;
        if cell.address < size && size - cell.address >= cell.bytes {
            let first = cell.lane * size as usize + cell.address as usize;
            Ok(first..first + cell.bytes as usize)
        } else {
            Err(cell.beyond(self.local_memory()))
        }
    }
}

fn aligned(address: u64, size: u64) -> Result<(), FaultKind> {
    if address.is_multiple_of(size) {
        Ok(())
    } else {
        Err(FaultKind::Misaligned { address, size })
    }
}

/// The space of a generic address, and the address in it.
#[inline]
pub(crate) fn locate(place: Place, address: u64) -> (Place, u64) {
    match place {
        Place::Generic => {}
        Place::Cluster if !names_block(address) => return (Place::Shared, address),
        place => return (place, address),
    }
    for (window, place) in [
        (SHARED_WINDOW, Place::Cluster),
        (LOCAL_WINDOW, Place::Local),
        (PARAM_WINDOW, Place::Param),
    ] {
        let offset = address.wrapping_sub(window);
        if offset < WINDOW {
            return locate(place, offset);
        }
    }
    (Place::Global, address)
}

/// The contents of memory after an atomic operation.
pub(crate) fn modify(op: AtomicOp, ty: Type, global: bool, old: u64, b: u64) -> u64 {
    match op {
        AtomicOp::Add => pure::atomic_add(ty, global, old, b),
        AtomicOp::And => old & b,
        AtomicOp::Or => old | b,
        AtomicOp::Xor => old ^ b,
        AtomicOp::Min => pure::atomic_min_max(ty, false, old, b),
        AtomicOp::Max => pure::atomic_min_max(ty, true, old, b),
        AtomicOp::Exch => b,
        AtomicOp::Inc if old >= b => 0,
        AtomicOp::Inc => old + 1,
        AtomicOp::Dec if old == 0 || old > b => b,
        AtomicOp::Dec => old - 1,
    }
}
