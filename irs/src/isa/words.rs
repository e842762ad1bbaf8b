//! The words of an instruction's name, and how modifiers are read from them.

use std::fmt;

use crate::core::{Effects, Family, Keyword};

/// Where and why an instruction could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ReadError {
    /// No instruction has this mnemonic.
    UnknownMnemonic,
    /// The mnemonic has no such modifier as the word at this index there; past the end, a modifier is missing.
    Modifier(usize),
    /// The operand at this index is not of the expected kind, which is named; past the end, an operand is missing.
    Operand(usize, &'static str),
    /// PTX has no instruction with this combination of modifiers, types and operands.
    NoSuchForm,
}

impl ReadError {
    /// How far reading got. Of several failures, the one that got furthest says most.
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

/// A modifier of an instruction: how it is read and printed, and its effects.
pub trait Modifier: Sized {
    /// The words that it may be; empty for a modifier with numbers in it.
    const KEYWORDS: &'static [Keyword];
    /// What it is about.
    const FAMILY: Family = Family::Meaning;
    /// Prints the modifier with its dot, or nothing when it is absent.
    fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
    /// Reads the modifier at the cursor.
    fn read(words: &mut Words<'_>) -> Result<Self, ReadError>;
    /// The effects that such a modifier may add to an instruction.
    const EFFECTS: Effects = Effects::PURE;
    /// The effects of an instruction with this modifier, given those that its declaration allows.
    fn refine(&self, effects: Effects) -> Effects {
        effects
    }
}
