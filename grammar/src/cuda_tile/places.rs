//! The spans of the entries of attributes.

use tilewright_diagnostics::Span;
use tilewright_irs::core::Part;

use super::cursor::{Cursor, Parse};

/// The spans of the entries of an attribute, as they are parsed.
pub(crate) struct Places {
    /// The attribute.
    pub(super) of: Part,
    /// Its entries, and their entries.
    pub(super) list: Vec<(Part, Span)>,
}

impl Places {
    /// Those of an attribute that is this part of its op.
    pub(super) fn new(of: Part) -> Self {
        Self { of, list: Vec::new() }
    }

    /// Those of a value in another one, of which nothing is said.
    pub(super) fn ignored() -> Self {
        Self::new(Part::Op)
    }

    /// Notes the name and the value of the entry of this number.
    pub(super) fn named(&mut self, entry: usize, key: Span, value: Span) {
        self.list
            .extend([(self.of.key(entry), key), (self.of.entry(entry), value)]);
    }

    /// Parses the entry of this number.
    pub(super) fn entry<'t, 'input, T>(
        &mut self,
        entry: usize,
        cursor: &mut Cursor<'t, 'input>,
        read: impl FnOnce(&mut Cursor<'t, 'input>) -> Parse<T>,
    ) -> Parse<T> {
        let start = cursor.span();
        let value = read(cursor)?;
        self.list.push((self.of.entry(entry), cursor.since(start)));
        Ok(value)
    }

    /// Parses entries with commas between them, up to `close`, which is taken.
    pub(super) fn entries<'t, 'input, T>(
        &mut self,
        close: &'static str,
        cursor: &mut Cursor<'t, 'input>,
        mut item: impl FnMut(&mut Cursor<'t, 'input>) -> Parse<T>,
    ) -> Parse<Vec<T>> {
        let mut number = 0usize;
        cursor.list(close, |cursor| {
            let value = self.entry(number, cursor, &mut item)?;
            number = number.saturating_add(1);
            Ok(value)
        })
    }
}
