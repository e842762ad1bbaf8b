//! Running one kernel: its arguments, the devices, and the comparison with what is expected.

pub mod arguments;
pub mod compare;
pub mod dtype;
pub mod generate;
pub mod gpu;
pub mod npy;
pub mod reference;
pub mod simulate;

use npy::Array;

/// What one kernel parameter is given.
#[derive(Clone, Debug, PartialEq)]
pub enum Parameter {
    /// The bytes of a scalar, little-endian, as many as the parameter has.
    Scalar(Vec<u8>),
    /// An address in a buffer.
    Pointer {
        /// The buffer's index in [`Launch::buffers`].
        buffer: usize,
        /// How far into it the address is, in bytes.
        offset: u64,
    },
}

/// A launch: which kernel, with what, how often.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The kernel's symbol.
    pub kernel: String,
    /// The blocks along x, y and z.
    pub grid: [u32; 3],
    /// One entry for each of the kernel's parameters.
    pub parameters: Vec<Parameter>,
    /// The arrays that pointers point to; what the kernel writes stays in them.
    pub buffers: Vec<Array>,
    /// What faults call each buffer.
    pub names: Vec<String>,
    /// The buffers that hold nothing before the launch: reading what was not written is a fault where there is no GPU.
    pub empty: Vec<usize>,
    /// After how many steps the kernel counts as endless where there is no GPU, if the caller says.
    pub max_steps: Option<u64>,
    /// After the launch: for each buffer, which of its bytes hold something of which the language says nothing. No
    /// entries where nothing is known of that.
    pub unspecified: Vec<Vec<bool>>,
}
