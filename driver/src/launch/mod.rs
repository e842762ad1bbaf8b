//! Runs one kernel: arguments, devices, and the comparison with expected results.

pub mod allowance;
pub mod arguments;
pub mod compare;
pub mod configuration;
pub mod dtype;
pub mod generate;
pub mod gpu;
pub mod hosted;
pub mod invent;
pub mod lists;
pub mod npy;
pub mod reference;
pub mod roles;
pub mod simulate;
mod structs;

use std::time::Instant;

use npy::Array;

/// The argument of one kernel parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Parameter {
    /// The bytes of a scalar, little-endian, of the parameter's size.
    Scalar(Vec<u8>),
    /// An address in a buffer.
    Pointer {
        /// The buffer's index in [`Launch::buffers`].
        buffer: usize,
        /// The offset of the address, in bytes.
        offset: u64,
    },
    /// A struct, passed by value.
    Struct {
        /// Its bytes, little-endian. Those of addresses are zero.
        bytes: Vec<u8>,
        /// The addresses in it.
        pointers: Vec<PointerField>,
    },
}

/// A field of a struct that is an address in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointerField {
    /// The offset of the field, in bytes.
    pub at: usize,
    /// The buffer's index in [`Launch::buffers`].
    pub buffer: usize,
    /// The offset of the address, in bytes.
    pub offset: u64,
}

impl Parameter {
    /// Its bytes on a device, where `address_of` gives the address of a buffer; `None` if there is no such buffer.
    pub fn bytes_on(&self, address_of: impl Fn(usize) -> Option<u64>) -> Option<Vec<u8>> {
        let address = |buffer, offset| {
            let base: u64 = address_of(buffer)?;
            Some(base.wrapping_add(offset).to_le_bytes())
        };
        match self {
            Self::Scalar(bytes) => Some(bytes.clone()),
            Self::Pointer { buffer, offset } => address(*buffer, *offset).map(Vec::from),
            Self::Struct { bytes, pointers } => {
                let mut bytes = bytes.clone();
                for field in pointers {
                    let place = bytes.get_mut(field.at..field.at.checked_add(8)?)?;
                    place.copy_from_slice(&address(field.buffer, field.offset)?);
                }
                Some(bytes)
            }
        }
    }
}

/// An element of a buffer that is the address of another buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// The buffer that has the element.
    pub holder: usize,
    /// The offset of the element, in bytes.
    pub at: usize,
    /// The buffer whose address it is, which comes before the other.
    pub target: usize,
}

/// A launch of a kernel.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The kernel's symbol.
    pub kernel: String,
    /// The blocks along x, y and z; clusters for a kernel with `.blocksareclusters`.
    pub grid: [u32; 3],
    /// The threads of a block along x, y and z, for a kernel that does not require a number.
    pub block: Option<[u32; 3]>,
    /// The shape of a cluster in blocks, for a kernel that does not require one.
    pub cluster: Option<[u32; 3]>,
    /// Bytes of dynamic shared memory, for a kernel that has some.
    pub dynamic_shared: Option<u32>,
    /// Whether all blocks run at the same time, so that they can wait for each other.
    pub cooperative: bool,
    /// Whether it may begin before the launch before it has ended.
    pub programmatic: bool,
    /// One entry for each of the kernel's parameters.
    pub parameters: Vec<Parameter>,
    /// The arrays that pointers point to; the kernel's stores stay in them.
    pub buffers: Vec<Array>,
    /// The elements of buffers that are addresses. Their own bytes are zero.
    pub addresses: Vec<Address>,
    /// The name of each buffer in fault messages.
    pub names: Vec<String>,
    /// The buffers that are uninitialised before the launch: reading unwritten bytes is a fault, except on a GPU.
    pub empty: Vec<usize>,
    /// The step limit, except on a GPU; a default if `None`.
    pub max_steps: Option<u64>,
    /// The time at which the run is stopped, except on a GPU; never if `None`.
    pub deadline: Option<Instant>,
    /// After the launch: the unspecified bytes of each buffer. Empty on devices that do not track them.
    pub unspecified: Vec<Vec<bool>>,
}

impl Launch {
    /// The bytes of a buffer, with its address elements filled in by `address_of`, which gives the address of a buffer
    /// on the device.
    pub fn bytes_on(&self, buffer: usize, address_of: impl Fn(usize) -> Option<u64>) -> Vec<u8> {
        let mut data = self
            .buffers
            .get(buffer)
            .map_or_else(Vec::new, |array| array.data.clone());
        for &Address { at, target, .. } in self.addresses.iter().filter(|address| address.holder == buffer) {
            if let (Some(slot), Some(address)) = (data.get_mut(at..at + 8), address_of(target)) {
                slot.copy_from_slice(&address.to_le_bytes());
            }
        }
        data
    }

    /// Takes the bytes of a buffer from a device. Address elements that the kernel has not changed become zero again.
    pub fn take(&mut self, buffer: usize, mut data: Vec<u8>, address_of: impl Fn(usize) -> Option<u64>) {
        for &Address { at, target, .. } in self.addresses.iter().filter(|address| address.holder == buffer) {
            let address = address_of(target).map(u64::to_le_bytes);
            if let Some(slot) = data.get_mut(at..at + 8)
                && address.is_some_and(|address| slot == address)
            {
                slot.fill(0);
            }
        }
        if let Some(array) = self.buffers.get_mut(buffer) {
            array.data = data;
        }
    }
}
