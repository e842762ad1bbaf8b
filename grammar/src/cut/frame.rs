//! The frame of a text: everything but its functions.

use rustc_hash::FxHashMap;

use super::Alone;

/// Everything in a text but its functions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// The first line, if it names the producer.
    pub(super) producer: String,
    /// The beginnings of the modules.
    pub(super) modules: String,
    /// The closing braces of the modules.
    pub(super) closers: String,
    /// The definitions, in textual order.
    pub(super) items: Vec<Item>,
    /// The number of the last function, if the text ends with modules open: a brace of theirs may have closed it.
    pub(super) open_end: Option<usize>,
}

/// A definition in the frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Item {
    /// The name; every function needs an item without one.
    pub(super) name: Option<String>,
    /// Its text, without comments.
    pub(super) text: String,
    /// The number of functions before it.
    pub(super) after: usize,
    /// Whether it stands in the innermost module.
    pub(super) inside: bool,
}

impl Frame {
    /// Whether what a function is read with depends on its number.
    pub fn depends_on_number(&self) -> bool {
        !self.items.is_empty() || self.open_end.is_some()
    }

    /// A text of one function, which has the given bytes and the given number, with the definitions that it uses.
    pub fn alone(&self, function: &str, number: usize) -> Alone {
        let used = self.used(function);
        let mut text = self.producer.clone();
        text.reserve(self.modules.len() + function.len() + self.closers.len() + 1);
        let put = |text: &mut String, before: bool, inside: bool| {
            for (item, _) in self.items.iter().zip(&used).filter(|(_, used)| **used) {
                if item.inside == inside && (item.after <= number) == before {
                    text.push_str(&item.text);
                    text.push('\n');
                }
            }
        };
        put(&mut text, true, false);
        text.push_str(&self.modules);
        put(&mut text, true, true);
        let start = text.len();
        text.push_str(function);
        let end = text.len();
        text.push('\n');
        put(&mut text, false, true);
        if self.open_end != Some(number) {
            text.push_str(&self.closers);
        }
        put(&mut text, false, false);
        Alone {
            text: text.into(),
            at: start..end,
        }
    }

    /// Which items a function uses, by itself or through others.
    fn used(&self, function: &str) -> Vec<bool> {
        let mut used: Vec<bool> = self.items.iter().map(|item| item.name.is_none()).collect();
        if used.iter().all(|used| *used) {
            return used;
        }
        let mut by_name: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
        for (at, item) in self.items.iter().enumerate() {
            if let Some(name) = &item.name {
                by_name.entry(name).or_default().push(at);
            }
        }
        let mut texts: Vec<&str> = self
            .items
            .iter()
            .filter(|item| item.name.is_none())
            .map(|item| item.text.as_str())
            .collect();
        texts.push(function);
        while let Some(text) = texts.pop() {
            for name in mentions(text) {
                for at in by_name.remove(name).into_iter().flatten() {
                    if let (Some(used), Some(item)) = (used.get_mut(at), self.items.get(at)) {
                        *used = true;
                        texts.push(&item.text);
                    }
                }
            }
        }
        used
    }
}

/// The names of aliases and symbols in a text.
fn mentions(text: &str) -> impl Iterator<Item = &str> {
    let bytes = text.as_bytes();
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$');
    let starts = memchr::memchr3_iter(b'#', b'!', b'@', bytes);
    starts.filter_map(move |start| {
        let rest = bytes.get(start + 1..)?;
        let length = rest.iter().take_while(|byte| is_name(byte)).count();
        text.get(start..start + 1 + length).filter(|_| length > 0)
    })
}
