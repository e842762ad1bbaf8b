//! Global memory: a set of allocations with unmapped space between them.

use std::time::Instant;

use crate::fault::{Fault, FaultKind, Nearest};
use crate::transfers::Timing;

/// An allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Buffer(pub(crate) usize);

/// The initial contents of an allocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Init {
    /// These bytes; the rest of the allocation is zero.
    Data(Vec<u8>),
    /// Uninitialised: reading a byte that no kernel has written is a fault.
    Poison,
}

#[derive(Clone, Debug)]
pub(crate) struct Allocation {
    pub(crate) name: String,
    pub(crate) base: u64,
    pub(crate) bytes: Vec<u8>,
    /// The written bytes; `None` if all are initialised.
    pub(crate) written: Option<Vec<bool>>,
    /// The number of equal parts that are replicas of one memory: the first has the address, and an access through a
    /// multicast address reaches all.
    pub(crate) replicas: u64,
}

/// Global memory.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    allocations: Vec<Allocation>,
    next: u64,
}

/// The generic address of shared memory.
pub(crate) const SHARED_WINDOW: u64 = 0x10_0000_0000;
/// The generic address of local memory.
pub(crate) const LOCAL_WINDOW: u64 = 0x11_0000_0000;
/// The generic address of parameters.
pub(crate) const PARAM_WINDOW: u64 = 0x12_0000_0000;
/// Size of each window, in bytes.
pub(crate) const WINDOW: u64 = 0x1_0000_0000;
/// The first address of global memory.
const FIRST: u64 = 0x7f00_0000_0000;
/// Alignment of allocations, as on the device.
const ALIGN: u64 = 256;
/// Unmapped bytes between two allocations, so that small overruns are detected.
const GAP: u64 = 4096;

impl Memory {
    /// Adds an allocation of `bytes` bytes.
    pub fn alloc(&mut self, name: &str, bytes: usize, init: Init) -> Buffer {
        let base = self.next.max(FIRST);
        let size = u64::try_from(bytes).unwrap_or(u64::MAX / 2);
        self.next = (base + size + GAP).next_multiple_of(ALIGN);
        let (bytes, written) = match init {
            Init::Data(mut data) => {
                data.resize(bytes, 0);
                (data, None)
            }
            Init::Poison => (vec![0; bytes], Some(vec![false; bytes])),
        };
        self.allocations.push(Allocation {
            name: name.to_owned(),
            base,
            bytes,
            written,
            replicas: 1,
        });
        Buffer(self.allocations.len() - 1)
    }

    /// Divides an allocation into this many replicas, equal parts of it one after the other, of which the first has the
    /// address. With several of them, only `multimem` instructions can access it. Whether there are so many equal parts.
    pub fn replicate(&mut self, buffer: Buffer, replicas: u64) -> bool {
        let allocation = &mut self.allocations[buffer.0];
        let divides = replicas > 0 && (allocation.bytes.len() as u64).is_multiple_of(replicas);
        if divides {
            allocation.replicas = replicas;
        }
        divides
    }

    /// The bytes of an allocation; unwritten ones are zero.
    pub fn read(&self, buffer: Buffer) -> &[u8] {
        &self.allocations[buffer.0].bytes
    }

    /// The address of an allocation's first byte.
    pub fn address(&self, buffer: Buffer) -> u64 {
        self.allocations[buffer.0].base
    }

    /// Removes the newest allocations, down to `count`.
    pub(crate) fn truncate(&mut self, count: usize) {
        self.allocations.truncate(count);
    }

    pub(crate) fn len(&self) -> usize {
        self.allocations.len()
    }

    /// The bytes from the beginning of one replica to the next, and the number of replicas, of the allocation whose first
    /// replica contains all of `address..address + size`.
    pub(crate) fn replicas(
        &self,
        address: u64,
        size: u64,
        hint: &mut usize,
    ) -> Result<(u64, u64), FaultKind> {
        let offset = self.find(address, size, hint)? as u64;
        let allocation = &self.allocations[*hint];
        let each = allocation.bytes.len() as u64 / allocation.replicas;
        if offset + size <= each {
            return Ok((each, allocation.replicas));
        }
        Err(FaultKind::OutOfBounds {
            address,
            size,
            nearest: self.nearest(address),
        })
    }

    /// Refuses an ordinary access to replicated memory.
    #[inline]
    pub(crate) fn check_single(&self, address: u64, size: u64, hint: usize) -> Result<(), FaultKind> {
        match self.allocations.get(hint) {
            Some(allocation) if allocation.replicas > 1 => Err(FaultKind::Multicast {
                address,
                size,
                nearest: self.nearest(address),
            }),
            Some(_) | None => Ok(()),
        }
    }

    /// Whether all of `address..address + size` is in one allocation without replicas.
    pub(crate) fn check(&self, address: u64, size: u64, hint: &mut usize) -> Result<(), FaultKind> {
        self.find(address, size, hint)?;
        self.check_single(address, size, *hint)
    }

    /// The allocation that contains all of `address..address + size`, and the offset in it.
    #[inline]
    fn find(&self, address: u64, size: u64, hint: &mut usize) -> Result<usize, FaultKind> {
        let holds = |allocation: &Allocation| {
            let offset = address.wrapping_sub(allocation.base);
            let length = allocation.bytes.len() as u64;
            (offset < length && length - offset >= size).then_some(offset as usize)
        };
        if let Some(offset) = self.allocations.get(*hint).and_then(holds) {
            return Ok(offset);
        }
        let at = self
            .allocations
            .partition_point(|allocation| allocation.base <= address);
        if let Some(before) = at.checked_sub(1)
            && let Some(offset) = holds(&self.allocations[before])
        {
            *hint = before;
            return Ok(offset);
        }
        Err(FaultKind::OutOfBounds {
            address,
            size,
            nearest: self.nearest(address),
        })
    }

    /// The allocation nearest to an address.
    pub(crate) fn nearest(&self, address: u64) -> Option<Nearest> {
        let distance = |allocation: &&Allocation| {
            let end = allocation.base + allocation.bytes.len() as u64;
            if address < allocation.base {
                allocation.base - address
            } else {
                address.saturating_sub(end)
            }
        };
        let allocation = self.allocations.iter().min_by_key(distance)?;
        Some(Nearest {
            name: allocation.name.clone(),
            base: allocation.base,
            bytes: allocation.bytes.len() as u64,
        })
    }

    /// Reads up to eight bytes, little-endian.
    #[inline]
    pub(crate) fn load(&self, address: u64, size: u64, hint: &mut usize) -> Result<u64, FaultKind> {
        let offset = self.find(address, size, hint)?;
        let allocation = &self.allocations[*hint];
        let range = offset..offset + size as usize;
        if let Some(written) = &allocation.written
            && let Some(at) = written[range.clone()].iter().position(|written| !written)
        {
            let address = address + at as u64;
            return Err(FaultKind::Uninitialised {
                address,
                size,
                nearest: self.nearest(address),
            });
        }
        Ok(little_endian(&allocation.bytes[range]))
    }

    /// Writes up to eight bytes, little-endian.
    #[inline]
    pub(crate) fn store(
        &mut self,
        address: u64,
        size: u64,
        value: u64,
        hint: &mut usize,
    ) -> Result<(), FaultKind> {
        let offset = self.find(address, size, hint)?;
        let allocation = &mut self.allocations[*hint];
        let range = offset..offset + size as usize;
        allocation.bytes[range.clone()].copy_from_slice(&value.to_le_bytes()[..size as usize]);
        if let Some(written) = &mut allocation.written {
            written[range].fill(true);
        }
        Ok(())
    }
}

#[inline]
pub(crate) fn little_endian(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(word)
}

/// A device: global memory, and limits of launches.
#[derive(Clone, Debug)]
pub struct Device {
    /// Global memory.
    pub memory: Memory,
    /// Step limit of a launch, in warp instructions.
    pub step_limit: u64,
    /// When launches are stopped that have not ended; never if `None`.
    pub deadline: Option<Instant>,
    /// When bulk copies are complete.
    pub timing: Timing,
    /// The shape of a cluster in blocks, for kernels that do not require one.
    pub cluster: Option<[u32; 3]>,
    /// The source line of each statement of the next entry, if known.
    pub lines: Vec<u32>,
    /// The output of `vprintf`, in order.
    pub printed: Vec<u8>,
}

impl Default for Device {
    fn default() -> Self {
        Self {
            memory: Memory::default(),
            step_limit: 500_000_000,
            deadline: None,
            timing: Timing::default(),
            cluster: None,
            lines: Vec::new(),
            printed: Vec::new(),
        }
    }
}

impl Device {
    /// A device without allocations.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an allocation of `bytes` bytes.
    pub fn alloc(&mut self, name: &str, bytes: usize, init: Init) -> Buffer {
        self.memory.alloc(name, bytes, init)
    }

    /// Divides an allocation into replicas; see [`Memory::replicate`].
    pub fn replicate(&mut self, buffer: Buffer, replicas: u64) -> bool {
        self.memory.replicate(buffer, replicas)
    }

    /// The address of an allocation's first byte.
    pub fn address(&self, buffer: Buffer) -> u64 {
        self.memory.address(buffer)
    }

    /// The bytes of an allocation.
    pub fn read(&self, buffer: Buffer) -> &[u8] {
        self.memory.read(buffer)
    }
}

/// The result of executing something on the device.
pub type Outcome<T> = Result<T, Box<Fault>>;
