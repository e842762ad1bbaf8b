//! Names, each kept once, however many values are called so.

use rustc_hash::FxHashMap;

/// A name, by its number among all that were ever suggested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Word(usize);

/// All names that were suggested for a module's values, each once, and which of them are in use where the namer is.
#[derive(Debug, Default)]
pub(super) struct Words {
    numbers: FxHashMap<Box<str>, Word>,
    texts: Vec<Box<str>>,
    used: Vec<bool>,
}

impl Words {
    pub(super) fn word(&mut self, text: &str) -> Word {
        if let Some(&word) = self.numbers.get(text) {
            return word;
        }
        let word = Word(self.texts.len());
        self.numbers.insert(text.into(), word);
        self.texts.push(text.into());
        self.used.push(false);
        word
    }

    pub(super) fn text(&self, word: Word) -> &str {
        self.texts.get(word.0).map_or("", |text| text)
    }

    /// Takes a name, unless it is taken.
    pub(super) fn take(&mut self, word: Word) -> bool {
        let free = self.used.get_mut(word.0);
        free.is_some_and(|used| !std::mem::replace(used, true))
    }

    pub(super) fn release(&mut self, word: Word) {
        if let Some(used) = self.used.get_mut(word.0) {
            *used = false;
        }
    }
}
