//! The words of an instruction's name, and what its modifiers make of them.

use std::fmt;

use crate::core::{Effects, Keyword};

/// Where and why an instruction could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ReadError {
    /// No instruction has this mnemonic.
    UnknownMnemonic,
    /// The word at this index is not a modifier the mnemonic takes there; past the end, one is missing.
    Modifier(usize),
    /// The operand at this index is not what is wanted there; past the end, one is missing.
    Operand(usize, &'static str),
    /// Modifiers, types and operands do not go together.
    NoSuchForm,
}

impl ReadError {
    /// How far reading got: of several failed readings, the furthest says most.
    pub(super) fn progress(&self) -> (u8, usize) {
        match self {
            Self::UnknownMnemonic => (0, 0),
            Self::Modifier(at) => (1, *at),
            Self::Operand(at, _) => (2, *at),
            Self::NoSuchForm => (3, 0),
        }
    }
}

/// A cursor over the words of an instruction.
#[derive(Debug)]
pub struct Words<'a> {
    pub(super) words: &'a [String],
    pub(super) at: usize,
}

impl Words<'_> {
    /// Takes the next word if `read` knows it.
    pub fn accept<T>(&mut self, read: impl FnOnce(&str) -> Option<T>) -> Option<T> {
        let value = read(self.words.get(self.at)?)?;
        self.at += 1;
        Some(value)
    }

    /// Takes the next word, which `read` must know.
    pub fn require<T>(&mut self, read: impl FnOnce(&str) -> Option<T>) -> Result<T, ReadError> {
        let at = self.at;
        self.accept(read).ok_or(ReadError::Modifier(at))
    }
}

/// What a modifier's type can do.
pub trait Modifier: Sized {
    /// The words that it may be; none for one that has numbers in it.
    const KEYWORDS: &'static [Keyword];
    /// Prints the modifier with its dot, or nothing when it is absent.
    fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
    /// Reads the modifier at the cursor.
    fn read(words: &mut Words<'_>) -> Result<Self, ReadError>;
    /// What an instruction may do because of such a modifier, at most.
    const EFFECTS: Effects = Effects::PURE;
    /// What an instruction with this modifier does, of what its declaration allows.
    fn refine(&self, effects: Effects) -> Effects {
        effects
    }
}
