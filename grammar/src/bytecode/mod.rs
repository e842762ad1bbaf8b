//! The bytecode of `cuda_tile`, versions 13.1 to 13.5: from bytes to a module with its debug information, and back.
//!
//! What an op looks like follows from its declaration (see [`tilewright_irs::cuda_tile::declare`]) by five rules:
//!
//! 1. The types of the results come first, with a count if any operand or result is a list.
//! 2. One number of flags, if anything may be absent: a bit for each flag and optional attribute, then one for each
//!    optional operand, in the order of the declaration. It is not there when all of these are newer than the file.
//! 3. The attributes, in order; optional ones if their bit is set, ones newer than the file not at all.
//! 4. The operands, as numbers of values. With one list and nothing optional, one count of all of them comes first;
//!    otherwise each list has its own.
//! 5. The regions.
//!
//! The tables of strings, types and constants may be in any order, and so may the sections. [`write()`] numbers what it
//! needs as it first needs it; [`write_arranged`] does as the file did that was read.
//!
//! The reader trusts nothing: every length is checked against what is left of the file before anything is allocated,
//! nesting is bounded, and what a file can make the compiler hold is bounded by a multiple of its size.

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

/// Whether bytes begin as a file of bytecode does.
pub fn is_bytecode(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}
