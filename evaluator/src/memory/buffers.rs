//! Buffers: addresses, contents, and which bytes are initialised.

use tilewright_diagnostics::{Code, counted};
use tilewright_irs::element::ScalarType;

use super::shadow::Access;
use crate::fault::{Fault, Outcome};
use crate::unspecified::Mark;

/// A buffer of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BufferId(usize);

impl BufferId {
    pub(crate) const fn index(self) -> usize {
        self.0
    }
}

/// The initial contents of a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Init {
    /// These bytes.
    Data(Vec<u8>),
    /// This many uninitialised bytes: reading one before it is written is a fault.
    Empty(usize),
}

/// The owner of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The caller's: an argument.
    Caller,
    /// The module's: a global.
    Module {
        /// Whether the module promises not to write it.
        constant: bool,
    },
    /// An allocation of one tile block, or, without a number, of all.
    Block(Option<u32>),
}

#[derive(Clone, Debug)]
struct Buffer {
    name: String,
    base: u64,
    data: Vec<u8>,
    /// The initialised bytes; `None` if all are.
    written: Option<Vec<bool>>,
    /// The marks of unspecified bytes; `None` if there are none. For two elements in a byte, the last one written
    /// counts.
    marks: Option<Vec<Mark>>,
    /// The number of replicas, stored consecutively in `data`: the target of a multicast address.
    replicas: usize,
    owner: Owner,
    alive: bool,
}

impl Buffer {
    /// The size of one replica, in bytes.
    fn extent(&self) -> usize {
        self.data.len() / self.replicas.max(1)
    }
}

/// Each buffer has 2^40 addresses of its own and starts in their middle, so that an out-of-bounds pointer does not
/// reach another buffer.
const ROOM_BITS: u32 = 40;
/// The alignment of the CUDA driver's allocations.
const ARGUMENT_ALIGNMENT: u64 = 256;
/// The address of an element that is not accessed.
pub(crate) const ABSENT: u64 = u64::MAX;
/// Set in an address of the high half of a byte, for elements of four bits. Addresses are smaller.
pub(crate) const HIGH_HALF: u64 = 1 << 63;

/// The buffers of a device.
#[derive(Clone, Debug, Default)]
pub(crate) struct Buffers {
    list: Vec<Buffer>,
    allocated: u64,
}

/// The location of an element.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) buffer: usize,
    pub(super) offset: usize,
    pub(super) bytes: u32,
    high_half: bool,
}

/// Size of an element in bytes, rounded up.
pub(crate) fn bytes_of(ty: ScalarType) -> u32 {
    ty.bytes().unwrap_or(1)
}

impl Buffers {
    /// Allocates a buffer whose address is a multiple of the alignment, and of nothing larger.
    pub(crate) fn allocate(&mut self, name: String, init: Init, alignment: u64, owner: Owner) -> BufferId {
        let (data, written) = match init {
            Init::Data(data) => (data, None),
            Init::Empty(size) => (vec![0xa5; size], Some(vec![false; size])),
        };
        let room = u64::try_from(self.list.len() + 1).unwrap_or(u64::MAX);
        let base = (room << ROOM_BITS) + (1 << (ROOM_BITS - 1)) + alignment.clamp(1, 1 << 30);
        self.allocated = self
            .allocated
            .saturating_add(u64::try_from(data.len()).unwrap_or(u64::MAX));
        self.list.push(Buffer {
            name,
            base,
            data,
            written,
            marks: None,
            replicas: 1,
            owner,
            alive: true,
        });
        BufferId(self.list.len() - 1)
    }

    /// Allocates a buffer of the caller's.
    pub(crate) fn allocate_argument(&mut self, name: &str, init: Init) -> BufferId {
        self.allocate(name.to_owned(), init, ARGUMENT_ALIGNMENT, Owner::Caller)
    }

    /// Frees a buffer.
    pub(super) fn free(&mut self, buffer: BufferId) {
        if let Some(buffer) = self.list.get_mut(buffer.0) {
            let size = u64::try_from(buffer.data.len()).unwrap_or(u64::MAX);
            self.allocated = self.allocated.saturating_sub(size);
            buffer.alive = false;
            buffer.data = Vec::new();
            buffer.written = None;
            buffer.marks = None;
        }
    }

    /// Divides a buffer into equal replicas, if its size is a multiple of their number.
    pub(crate) fn replicate(&mut self, buffer: BufferId, replicas: usize) -> bool {
        let Some(buffer) = self.list.get_mut(buffer.0) else {
            return false;
        };
        let fits = replicas > 0 && buffer.data.len().is_multiple_of(replicas);
        if fits {
            buffer.replicas = replicas;
        }
        fits
    }

    /// The first unspecified byte of a buffer, the number of such bytes, and the origin of the first.
    pub(crate) fn first_unspecified(&self, buffer: BufferId) -> Option<(usize, usize, Mark)> {
        let marks = self.list.get(buffer.0)?.marks.as_ref()?;
        let mut set = marks.iter().enumerate().filter(|(_, mark)| mark.is_set());
        let (first, mark) = set.next()?;
        Some((first, 1 + set.count(), *mark))
    }

    /// The unspecified bytes of a buffer; empty if there are none.
    pub(crate) fn unspecified(&self, buffer: BufferId) -> Vec<bool> {
        let marks = self.list.get(buffer.0).and_then(|buffer| buffer.marks.as_ref());
        marks.map_or_else(Vec::new, |marks| marks.iter().map(|mark| mark.is_set()).collect())
    }

    /// The live buffers that the caller can read.
    pub(crate) fn visible(&self) -> impl Iterator<Item = BufferId> + '_ {
        let visible = self.list.iter().enumerate().filter(|(_, buffer)| {
            buffer.alive && matches!(buffer.owner, Owner::Caller | Owner::Module { .. })
        });
        visible.map(|(at, _)| BufferId(at))
    }

    /// The name of a buffer, for messages.
    pub(crate) fn name(&self, buffer: usize) -> &str {
        self.list
            .get(buffer)
            .map_or("a buffer", |buffer| buffer.name.as_str())
    }

    /// The total size of all buffers, in bytes.
    pub(crate) fn allocated(&self) -> u64 {
        self.allocated
    }

    /// The number of buffers ever allocated.
    pub(crate) fn count(&self) -> usize {
        self.list.len()
    }

    /// The address of a buffer.
    pub(crate) fn base(&self, buffer: BufferId) -> Option<u64> {
        self.list.get(buffer.0).map(|buffer| buffer.base)
    }

    /// The bytes of a buffer.
    pub(crate) fn data(&self, buffer: BufferId) -> Option<&[u8]> {
        self.list.get(buffer.0).map(|buffer| buffer.data.as_slice())
    }

    /// Describes an address, for a message.
    pub(crate) fn describe(&self, address: u64) -> String {
        match self.room(address) {
            Some((_, buffer)) => {
                let offset = i128::from(address) - i128::from(buffer.base);
                format!(
                    "byte {offset} of {}, which has {}",
                    buffer.name,
                    counted(buffer.extent(), "byte")
                )
            }
            None => format!("address {address:#x}, where there is nothing"),
        }
    }

    fn room(&self, address: u64) -> Option<(usize, &Buffer)> {
        let at = usize::try_from(address >> ROOM_BITS).ok()?.checked_sub(1)?;
        self.list.get(at).map(|buffer| (at, buffer))
    }

    /// Finds an element, or reports why it cannot be accessed.
    pub(super) fn find(&self, address: u64, ty: ScalarType, access: &Access) -> Outcome<Place> {
        let place = self.find_first(address, ty, access)?;
        match self.list.get(place.buffer) {
            Some(buffer) if buffer.replicas > 1 => {
                let message = format!(
                    "{} has {} replicas, and is accessed as if it had one",
                    buffer.name, buffer.replicas
                );
                Err(Fault::new(Code::OutOfBounds, message)
                    .help("only `multimem` ops access memory through a multicast address"))
            }
            Some(_) | None => Ok(place),
        }
    }

    /// Finds an element in every replica of its buffer.
    pub(super) fn find_all(&self, address: u64, ty: ScalarType, access: &Access) -> Outcome<Vec<Place>> {
        let first = self.find_first(address, ty, access)?;
        let (size, replicas) = self
            .list
            .get(first.buffer)
            .map_or((0, 1), |buffer| (buffer.extent(), buffer.replicas));
        let places = (0..replicas).map(|at| Place {
            offset: first.offset + at * size,
            ..first
        });
        Ok(places.collect())
    }

    fn find_first(&self, address: u64, ty: ScalarType, access: &Access) -> Outcome<Place> {
        let bytes = bytes_of(ty);
        let high_half = address & HIGH_HALF != 0;
        let address = address & !HIGH_HALF;
        let what = if access.writes { "written" } else { "read" };
        let are = if bytes == 1 { "is" } else { "are" };
        let Some((at, buffer)) = self.room(address) else {
            let message = format!(
                "{} {are} {what} at {}",
                counted(bytes, "byte"),
                self.describe(address)
            );
            return Err(Fault::new(Code::OutOfBounds, message));
        };
        if !address.is_multiple_of(u64::from(bytes)) {
            let message = format!(
                "{ty} is {what} at {}: the address is no multiple of {bytes}",
                self.describe(address)
            );
            return Err(Fault::new(Code::Misaligned, message));
        }
        let offset = address
            .checked_sub(buffer.base)
            .and_then(|offset| usize::try_from(offset).ok());
        let inside = offset.filter(|offset| {
            offset
                .checked_add(bytes as usize)
                .is_some_and(|end| end <= buffer.extent())
        });
        let Some(offset) = inside else {
            let mut message = format!(
                "{} {are} {what} at {}",
                counted(bytes, "byte"),
                self.describe(address)
            );
            if !buffer.alive {
                message = format!(
                    "{} {are} {what} in {} after its end",
                    counted(bytes, "byte"),
                    buffer.name
                );
            }
            return Err(Fault::new(Code::OutOfBounds, message));
        };
        match buffer.owner {
            Owner::Caller | Owner::Block(None) => {}
            Owner::Module { constant } => {
                if constant && access.writes {
                    let message = format!("{} is constant, and is written", buffer.name);
                    return Err(Fault::new(Code::BrokenPromise, message));
                }
            }
            Owner::Block(Some(block)) => {
                if block != access.block {
                    let message = format!("{} is {what} by another tile block", buffer.name);
                    return Err(Fault::new(Code::OutOfBounds, message)
                        .help("`alloca` without `global` makes memory for one tile block"));
                }
            }
        }
        Ok(Place {
            buffer: at,
            offset,
            bytes,
            high_half,
        })
    }

    /// The contents of memory, if initialised.
    pub(super) fn peek(&self, place: Place, ty: ScalarType) -> Outcome<(u64, Mark)> {
        let gone = || Fault::broken("a buffer that is gone");
        let buffer = self.list.get(place.buffer).ok_or_else(gone)?;
        let range = place.offset..place.offset + place.bytes as usize;
        if let Some(written) = &buffer.written
            && written
                .get(range.clone())
                .is_none_or(|bytes| bytes.contains(&false))
        {
            let message = format!(
                "{ty} is read at byte {} of {}, which nothing has written",
                place.offset, buffer.name
            );
            return Err(Fault::new(Code::Uninitialised, message));
        }
        let marks = buffer.marks.as_ref().and_then(|marks| marks.get(range.clone()));
        let mark = marks.map_or(Mark::NONE, |marks| {
            marks.iter().copied().fold(Mark::NONE, Mark::or)
        });
        let mut wide = [0u8; 8];
        let bytes = buffer.data.get(range).ok_or_else(gone)?;
        if let Some(low) = wide.get_mut(..bytes.len()) {
            low.copy_from_slice(bytes);
        }
        let raw = u64::from_le_bytes(wide);
        let bits = match ty {
            ScalarType::I1 => u64::from(raw != 0),
            ScalarType::I4 | ScalarType::F4E2M1FN if place.high_half => raw >> 4,
            ScalarType::I4 | ScalarType::F4E2M1FN => raw & 0xf,
            ScalarType::TF32 => raw >> 13,
            ScalarType::I8
            | ScalarType::I16
            | ScalarType::I32
            | ScalarType::I64
            | ScalarType::F16
            | ScalarType::BF16
            | ScalarType::F32
            | ScalarType::F64
            | ScalarType::F8E4M3FN
            | ScalarType::F8E5M2
            | ScalarType::F8E8M0FNU
            | ScalarType::F8E5M3FNU => raw,
        };
        Ok((bits, mark))
    }

    /// Writes an element to memory.
    pub(super) fn poke(&mut self, place: Place, ty: ScalarType, bits: u64, mark: Mark) -> Outcome<()> {
        let gone = || Fault::broken("a buffer that is gone");
        let buffer = self.list.get_mut(place.buffer).ok_or_else(gone)?;
        let range = place.offset..place.offset + place.bytes as usize;
        let bytes = buffer.data.get_mut(range.clone()).ok_or_else(gone)?;
        let raw = match ty {
            ScalarType::I4 | ScalarType::F4E2M1FN => {
                let old = u64::from(bytes.first().copied().unwrap_or(0));
                if place.high_half {
                    (old & 0xf) | (bits << 4)
                } else {
                    (old & 0xf0) | bits
                }
            }
            ScalarType::TF32 => bits << 13,
            ScalarType::I1
            | ScalarType::I8
            | ScalarType::I16
            | ScalarType::I32
            | ScalarType::I64
            | ScalarType::F16
            | ScalarType::BF16
            | ScalarType::F32
            | ScalarType::F64
            | ScalarType::F8E4M3FN
            | ScalarType::F8E5M2
            | ScalarType::F8E8M0FNU
            | ScalarType::F8E5M3FNU => bits,
        };
        for (byte, new) in bytes.iter_mut().zip(raw.to_le_bytes()) {
            *byte = new;
        }
        if let Some(written) = buffer
            .written
            .as_mut()
            .and_then(|written| written.get_mut(range.clone()))
        {
            written.fill(true);
        }
        if mark.is_set() || buffer.marks.is_some() {
            let size = buffer.data.len();
            let marks = buffer.marks.get_or_insert_with(|| vec![Mark::NONE; size]);
            if let Some(marks) = marks.get_mut(range) {
                marks.fill(mark);
            }
        }
        Ok(())
    }
}
