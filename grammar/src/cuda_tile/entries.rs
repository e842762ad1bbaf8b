//! Dictionaries whose entries' kinds are determined by their names.

use rustc_hash::FxHashSet;
use tilewright_diagnostics::{Code, Diagnostic, Span};
use tilewright_irs::core::instead_of;
use tilewright_irs::cuda_tile::TileFieldSpec;

use super::cursor::{Cursor, Parse, fail};
use super::values::new_key;

/// The entries of a dictionary, which are parsed when their kinds are known.
#[derive(Default)]
pub(crate) struct Entries<'t, 'input> {
    /// Names, where they are, and cursors at their values.
    list: Vec<(String, Span, Cursor<'t, 'input>)>,
}

impl<'t, 'input> Entries<'t, 'input> {
    /// `{name = value, …}`, appended; a bare name is a flag.
    pub(crate) fn read(&mut self, cursor: &mut Cursor<'t, 'input>) -> Parse<()> {
        cursor.expect("{")?;
        let mut keys = FxHashSet::default();
        cursor.list("}", |cursor| {
            let start = cursor.span();
            let name = new_key(cursor, &mut keys)?;
            let at = cursor.since(start);
            cursor.eat("=");
            self.list.push((name, at, *cursor));
            cursor.skip_value();
            Ok(())
        })?;
        Ok(())
    }

    /// A cursor at the value of this name.
    pub(crate) fn get(&self, name: &str) -> Option<Cursor<'t, 'input>> {
        self.list
            .iter()
            .find(|(key, ..)| key == name)
            .map(|(.., cursor)| *cursor)
    }

    /// A cursor at the value of a field, whose entry is removed.
    pub(crate) fn take(&mut self, field: &TileFieldSpec) -> Option<Cursor<'t, 'input>> {
        let at = self.list.iter().position(|(key, ..)| key == field.name)?;
        Some(self.list.swap_remove(at).2)
    }

    /// The names.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.list.iter().map(|(name, ..)| name.as_str())
    }

    /// Checks that the remaining entries are attributes of other dialects, which have a dot in their names.
    pub(crate) fn of_other_dialects(&self, op: &str) -> Parse<()> {
        match self.list.iter().find(|(name, ..)| !name.contains('.')) {
            None => Ok(()),
            Some((name, at, _)) => {
                let message = format!("`{op}` has no attribute `{name}`");
                fail(Code::UnknownAttribute, message, *at, "an attribute of no dialect")
            }
        }
    }

    /// Notes that the remaining entries are ignored, except those with names that are `read`.
    pub(crate) fn ignored(&self, read: &[&str]) -> impl Iterator<Item = Diagnostic<Span>> {
        let rest = self
            .list
            .iter()
            .filter(|(name, ..)| !read.contains(&name.as_str()));
        rest.map(|(name, at, _)| {
            let message =
                format!("the attribute `{name}` is ignored: nothing reads it, and bytecode does not hold it");
            let mut note = Diagnostic::remark(Code::UnknownHint, message).at(*at, "without effect");
            note.help.extend(instead_of(name).map(str::to_owned));
            note
        })
    }

    /// A cursor at the value of a field.
    pub(crate) fn field(&self, field: &TileFieldSpec) -> Option<Cursor<'t, 'input>> {
        self.get(self.name_of(field)?)
    }

    /// The name of a field's entry. The generic form has longer names for some: `comparison_predicate`,
    /// `memory_ordering_semantics`, `unsignedCmp`.
    pub(crate) fn name_of(&self, field: &TileFieldSpec) -> Option<&str> {
        let plain = |name: &str| name.replace('_', "").to_ascii_lowercase();
        let wanted = plain(field.name);
        let own = self.names().find(|name| *name == field.name);
        own.or_else(|| self.names().find(|name| plain(name).contains(&wanted)))
    }
}

/// `{name = value}`, optionally after the word `attributes`; empty if absent.
pub(crate) fn dictionary<'t, 'input>(cursor: &mut Cursor<'t, 'input>) -> Parse<Entries<'t, 'input>> {
    let mut entries = Entries::default();
    if cursor.peek() == "attributes" && cursor.peek_at(1) == "{" {
        cursor.take();
    }
    if cursor.peek() == "{" {
        entries.read(cursor)?;
    }
    Ok(entries)
}
