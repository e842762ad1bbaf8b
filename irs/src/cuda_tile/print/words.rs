//! Interned names.

use rustc_hash::FxHashMap;

/// A name, by its index among all names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Word(usize);

/// Declares names that are interned in advance.
macro_rules! fixed {
    ($($name:ident = $text:literal),+ $(,)?) => {
        /// The names that every collection begins with.
        const FIXED: &[&str] = &[$($text),+];

        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Index { $($name),+ }

        impl Word {
            $(pub(super) const $name: Self = Self(Index::$name as usize);)+
        }
    };
}

fixed! {
    EMPTY = "",
    RESHAPE = "reshape",
    BCAST = "bcast",
    REDUCE = "reduce",
    RESULT = "result",
    RESULT_TOKEN = "result_token",
    TVIEW = "tview",
    PVIEW = "pview",
    SVIEW = "sview",
    GSVIEW = "gsview",
    TILE = "tile",
    REDUCED_VALUES = "reduced_values",
    FOR = "for",
    BLOCK_ID_X = "blockId_x",
    BLOCK_ID_Y = "blockId_y",
    BLOCK_ID_Z = "blockId_z",
    GRID_SIZE_X = "gridSize_x",
    GRID_SIZE_Y = "gridSize_y",
    GRID_SIZE_Z = "gridSize_z",
}

/// All names suggested for a module's values, and which of them are in scope.
#[derive(Debug)]
pub(super) struct Words {
    numbers: FxHashMap<Box<str>, Word>,
    texts: Vec<Box<str>>,
    used: Vec<bool>,
}

impl Default for Words {
    fn default() -> Self {
        let mut words = Self {
            numbers: FxHashMap::default(),
            texts: Vec::new(),
            used: Vec::new(),
        };
        for text in FIXED {
            words.word(text);
        }
        words
    }
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

    /// Takes a name, unless it is in use.
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
