//! Loads, stores and atomics.

use crate::block::{Block, Stop};
use crate::execute::write;
use crate::fault::{FaultKind, Nearest, Party};
use crate::integer;
use crate::memory::{LOCAL_WINDOW, PARAM_WINDOW, SHARED_WINDOW, WINDOW, little_endian};
use crate::program::{Atomic, Place, Pointer, Source, Target};
use crate::pure;
use crate::row::Row;
use crate::shared::Access;
use crate::warp::Warp;
use tilewright_irs::ptx::{AtomicOp, Kind, Type};

impl Block<'_> {
    /// The address of each active lane.
    fn addresses(&self, warp: &Warp, pointer: Pointer, active: u32) -> Result<Row, Stop> {
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
        let total = bytes * d.len() as u64;
        let mut left = active;
        while left != 0 {
            let lane = left.trailing_zeros() as usize;
            left &= left - 1;
            let at = |kind| Stop::Fault(kind, Some(lane));
            aligned(addresses[lane], total).map_err(at)?;
            let (place, first) = locate(pointer.place, addresses[lane]);
            for (element, d) in d.iter().enumerate() {
                let address = first.wrapping_add(bytes * element as u64);
                let word = self
                    .load_word(warp, place, lane, address, bytes, access)
                    .map_err(at)?;
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
        let total = bytes * values.len() as u64;
        let mut left = active;
        while left != 0 {
            let lane = left.trailing_zeros() as usize;
            left &= left - 1;
            let at = |kind| Stop::Fault(kind, Some(lane));
            aligned(addresses[lane], total).map_err(at)?;
            let (place, first) = locate(pointer.place, addresses[lane]);
            for (element, row) in rows.iter().enumerate() {
                let address = first.wrapping_add(bytes * element as u64);
                self.store_word(warp, place, lane, address, bytes, row[lane], access)
                    .map_err(at)?;
            }
        }
        Ok(())
    }

    /// Atomics execute lane by lane, in order, and on a vector's elements one by one; `cas` compares all of them.
    #[expect(clippy::too_many_arguments, reason = "the operands of the instruction")]
    pub(crate) fn atomic(
        &mut self,
        warp: &mut Warp,
        op: Atomic,
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
        let access = Access::Synchronising;
        let mut left = active;
        while left != 0 {
            let lane = left.trailing_zeros() as usize;
            left &= left - 1;
            let at = |kind| Stop::Fault(kind, Some(lane));
            aligned(addresses[lane], bytes * b.len() as u64).map_err(at)?;
            let (place, first) = locate(pointer.place, addresses[lane]);
            let address = |element: usize| first.wrapping_add(bytes * element as u64);
            for (element, old) in old.iter_mut().enumerate() {
                old[lane] = self
                    .load_word(warp, place, lane, address(element), bytes, access)
                    .map_err(at)?;
            }
            let equal = old.iter().zip(&b).all(|(old, b)| old[lane] == b[lane]);
            for (element, old) in old.iter().enumerate() {
                let (old, b) = (old[lane], b[element][lane]);
                let new = match op {
                    Atomic::Cas if equal => c[element][lane],
                    Atomic::Cas => old,
                    Atomic::Op(op) => modify(op, ty, place == Place::Global, old, b),
                };
                self.store_word(warp, place, lane, address(element), bytes, new, access)
                    .map_err(at)?;
            }
        }
        for (d, old) in d.iter().zip(&old) {
            write(warp, *d, active, |lane| old[lane]);
        }
        Ok(())
    }

    /// An ordered or atomic access of global memory synchronises with those of other blocks; any other must not race
    /// with them, nor write the source of a pending asynchronous copy.
    fn order_global(
        &mut self,
        address: u64,
        bytes: u64,
        writes: bool,
        access: Access,
    ) -> Result<(), FaultKind> {
        if writes && let Some(warp) = self.copies.reader(address, bytes) {
            return Err(FaultKind::Race {
                address,
                other: Party::CopyUnderWay { warp },
                other_wrote: false,
                writes,
                nearest: self.memory.nearest(address),
            });
        }
        let Some(races) = &mut self.races else {
            return Ok(());
        };
        if access == Access::Synchronising {
            races.meet(address);
            return Ok(());
        }
        races.access(address, bytes, writes).map_err(|conflict| {
            let [x, y, _] = self.shape.grid.map(u64::from);
            let block = u64::from(conflict.block);
            let index = [block % x, block / x % y, block / x / y];
            FaultKind::Race {
                address: conflict.address,
                other: Party::Block(index.map(|index| index as u32)),
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
                self.order_global(at, unit as u64, false, Access::Plain)?;
                part.copy_from_slice(&value.to_le_bytes()[..unit]);
                at += unit as u64;
            }
        }
        Ok(data)
    }

    /// The shared-memory address of each active lane, aligned to `size` bytes.
    pub(crate) fn shared_addresses(
        &self,
        warp: &Warp,
        pointer: Pointer,
        size: u64,
        active: u32,
    ) -> Result<Row, Stop> {
        let mut row = self.addresses(warp, pointer, active)?;
        let mut left = active;
        while left != 0 {
            let lane = left.trailing_zeros() as usize;
            left &= left - 1;
            let at = |kind| Stop::Fault(kind, Some(lane));
            aligned(row[lane], size).map_err(at)?;
            let (place, address) = locate(pointer.place, row[lane]);
            if place != Place::Shared {
                return Err(at(FaultKind::OutOfBounds {
                    address,
                    size,
                    nearest: Some(self.shared.named()),
                }));
            }
            row[lane] = address;
        }
        Ok(row)
    }

    /// The global-memory address of each active lane, aligned to `size` bytes.
    pub(crate) fn global_addresses(
        &self,
        warp: &Warp,
        pointer: Pointer,
        size: u64,
        active: u32,
    ) -> Result<Row, Stop> {
        let row = self.addresses(warp, pointer, active)?;
        let mut left = active;
        while left != 0 {
            let lane = left.trailing_zeros() as usize;
            left &= left - 1;
            let at = |kind| Stop::Fault(kind, Some(lane));
            aligned(row[lane], size).map_err(at)?;
            let (place, address) = locate(pointer.place, row[lane]);
            if place != Place::Global {
                return Err(at(FaultKind::OutOfBounds {
                    address: row[lane],
                    size,
                    nearest: self.memory.nearest(address),
                }));
            }
        }
        Ok(row)
    }

    /// A byte at a generic address.
    pub(crate) fn read_byte(&mut self, warp: &Warp, lane: usize, address: u64) -> Result<u8, FaultKind> {
        let (place, address) = locate(Place::Generic, address);
        let word = self.load_word(warp, place, lane, address, 1, Access::Plain)?;
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
        for (lane, word) in row.iter_mut().enumerate() {
            if active >> lane & 1 == 1 {
                *word = self
                    .load_word(warp, pointer.place, lane, *word, bytes, Access::Plain)
                    .map_err(|kind| Stop::Fault(kind, Some(lane)))?;
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
        for lane in (0..32).filter(|lane| active >> lane & 1 == 1) {
            self.store_word(
                warp,
                pointer.place,
                lane,
                row[lane],
                4,
                values[lane],
                Access::Plain,
            )
            .map_err(|kind| Stop::Fault(kind, Some(lane)))?;
        }
        Ok(())
    }

    fn load_word(
        &mut self,
        warp: &Warp,
        place: Place,
        lane: usize,
        address: u64,
        bytes: u64,
        access: Access,
    ) -> Result<u64, FaultKind> {
        match place {
            Place::Global | Place::Generic => {
                let word = self.memory.load(address, bytes, &mut self.hint)?;
                self.order_global(address, bytes, false, access)?;
                Ok(word)
            }
            Place::Shared => self.shared.load(warp.index, address, bytes, access),
            Place::Local => {
                let range = self.local(address, bytes, lane)?;
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
                    let nearest = Some(Nearest {
                        name: "parameters".to_owned(),
                        base: 0,
                        bytes: length,
                    });
                    Err(FaultKind::OutOfBounds {
                        address,
                        size: bytes,
                        nearest,
                    })
                }
            }
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the operands of the instruction")]
    fn store_word(
        &mut self,
        warp: &mut Warp,
        place: Place,
        lane: usize,
        address: u64,
        bytes: u64,
        value: u64,
        access: Access,
    ) -> Result<(), FaultKind> {
        match place {
            Place::Global | Place::Generic => {
                self.memory.store(address, bytes, value, &mut self.hint)?;
                self.order_global(address, bytes, true, access)
            }
            Place::Shared => self.shared.store(warp.index, address, bytes, value, access),
            Place::Local => {
                let range = self.local(address, bytes, lane)?;
                warp.local[range.clone()].copy_from_slice(&value.to_le_bytes()[..bytes as usize]);
                warp.local_written[range].fill(true);
                Ok(())
            }
            Place::Param => {
                let nearest = Some(Nearest {
                    name: "read-only parameters".to_owned(),
                    base: 0,
                    bytes: 0,
                });
                Err(FaultKind::OutOfBounds {
                    address,
                    size: bytes,
                    nearest,
                })
            }
        }
    }

    fn local_memory(&self) -> Option<Nearest> {
        Some(Nearest {
            name: "local memory".to_owned(),
            base: 0,
            bytes: self.program.local_bytes,
        })
    }

    /// The offset of a lane's local address in its warp's local memory.
    fn local(&self, address: u64, bytes: u64, lane: usize) -> Result<std::ops::Range<usize>, FaultKind> {
        let size = self.program.local_bytes;
        if address < size && size - address >= bytes {
            let first = lane * size as usize + address as usize;
            Ok(first..first + bytes as usize)
        } else {
            Err(FaultKind::OutOfBounds {
                address,
                size: bytes,
                nearest: self.local_memory(),
            })
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
fn locate(place: Place, address: u64) -> (Place, u64) {
    if place != Place::Generic {
        return (place, address);
    }
    for (window, place) in [
        (SHARED_WINDOW, Place::Shared),
        (LOCAL_WINDOW, Place::Local),
        (PARAM_WINDOW, Place::Param),
    ] {
        let offset = address.wrapping_sub(window);
        if offset < WINDOW {
            return (place, offset);
        }
    }
    (Place::Global, address)
}

/// The contents of memory after an atomic operation.
fn modify(op: AtomicOp, ty: Type, global: bool, old: u64, b: u64) -> u64 {
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
