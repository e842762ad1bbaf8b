//! Bytecode of `cuda_tile`, versions 13.1 to 13.5: reader and writer, with debug information.
//!
//! The encoding of an op follows from its declaration (see [`tilewright_irs::cuda_tile::declare`]) by five rules:
//!
//! 1. The types of the results come first, with a count if any operand or result is a list.
//! 2. A number of presence bits, if any field is optional: one for each flag and optional attribute, then one for
//!    each optional operand, in the order of the declaration. It is left out if all of these are newer than the file.
//! 3. The attributes, in order; optional ones if their bit is set, and none that are newer than the file.
//! 4. The operands, as value numbers. With one list and nothing optional, one common count comes first; otherwise
//!    each list has its own.
//! 5. The regions.
//!
//! The tables of strings, types and constants may be in any order, and so may the sections. [`write()`] numbers
//! entries in the order of first use; [`write_arranged`] keeps the order of the file that was read.
//!
//! The reader does not trust its input: every length is checked against the rest of the file before allocation,
//! nesting is bounded, and memory use is bounded by a multiple of the file's size.

mod arrangement;
mod constants;
mod container;
mod layout;
mod read;
mod sink;
mod write;

pub use arrangement::Arrangement;
pub use read::{Bytecode, FuncOffsets, read, read_with};
pub use write::{write, write_arranged};

/// The eight bytes that begin every file.
pub const MAGIC: [u8; 8] = [0x7F, b'T', b'i', b'l', b'e', b'I', b'R', 0];
