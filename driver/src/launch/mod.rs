//! Runs one kernel: arguments, devices, and the comparison with expected results.

pub mod allowance;
pub mod arguments;
pub mod compare;
pub mod dtype;
pub mod generate;
pub mod gpu;
pub mod invent;
pub mod npy;
pub mod reference;
pub mod roles;
pub mod simulate;

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
}

/// A launch of a kernel.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The kernel's symbol.
    pub kernel: String,
    /// The blocks along x, y and z.
    pub grid: [u32; 3],
    /// One entry for each of the kernel's parameters.
    pub parameters: Vec<Parameter>,
    /// The arrays that pointers point to; the kernel's stores stay in them.
    pub buffers: Vec<Array>,
    /// The name of each buffer in fault messages.
    pub names: Vec<String>,
    /// The buffers that are uninitialised before the launch: reading unwritten bytes is a fault, except on a GPU.
    pub empty: Vec<usize>,
    /// The step limit, except on a GPU; a default if `None`.
    pub max_steps: Option<u64>,
    /// When it is stopped if it has not ended, except on a GPU; never if `None`.
    pub deadline: Option<Instant>,
    /// After the launch: the unspecified bytes of each buffer. Empty on devices that do not track them.
    pub unspecified: Vec<Vec<bool>>,
}
