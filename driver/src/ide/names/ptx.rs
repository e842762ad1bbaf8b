//! Names in PTX, as the reader has resolved them.

use tilewright_diagnostics::Span;
use tilewright_grammar::ptx::{Declaration, Declared, Named, Names, Use};
use tilewright_irs::ptx::{Register, Special};

use super::{Name, Occurrence, What, slice};
use crate::database::Db;
use crate::inputs::Source;
use crate::reading;
use crate::units::Language;

/// The names of a text of PTX; none of any other text.
#[salsa::tracked(returns(ref))]
pub fn names(db: &dyn Db, source: Source) -> Names {
    let text = std::str::from_utf8(source.bytes(db)).unwrap_or_default();
    match reading::language(db, source) {
        Some(Language::Ptx) => tilewright_grammar::ptx::parse(source.file(db), text).names,
        Some(_) | None => Names::default(),
    }
}

/// The text of a declaration, on one line.
pub fn declaration(text: &str, declared: &Declared) -> String {
    let whole = slice(text, declared.whole).unwrap_or_default();
    let words: Vec<_> = whole.split_whitespace().collect();
    words.join(" ")
}

/// A name at an offset: its span, its declaration and, of a use, its register.
pub fn find(names: &Names, offset: usize) -> Option<(Span, Declaration, Option<Register>)> {
    let at = u32::try_from(offset).ok()?;
    let touches = |span: Span| span.start <= at && at <= span.end;
    let uses = names.uses().iter().filter(|found| touches(found.at));
    let mut uses = uses.map(|found| (found.at, found.declaration, found.register));
    uses.next().or_else(|| {
        let mut declared = names.declared().filter(|(_, declared)| touches(declared.at));
        declared.next().map(|(own, declared)| (declared.at, own, None))
    })
}

/// The name at an offset.
pub(super) fn name_at(db: &dyn Db, source: Source, text: &str, offset: usize) -> Option<Name> {
    let names = names(db, source);
    let (at, declaration, register) = find(names, offset)?;
    let declared = names.get(declaration)?;
    let is_it =
        |found: &&Use| found.declaration == declaration && (register.is_none() || found.register == register);
    let uses = names.uses().iter().filter(is_it).map(|found| (found.at, false));
    let mut all: Vec<_> = uses.chain([(declared.at, true)]).collect();
    all.sort_by_key(|(at, _)| at.start);
    let occurrences = all.into_iter().map(|(at, defines)| Occurrence { at, defines });
    Some(Name {
        text: slice(text, at)?.to_owned(),
        at,
        occurrences: occurrences.collect(),
        what: What::Ptx(declaration, declared.what),
    })
}

/// Why a name of PTX cannot be changed to `new`; `None` if it can.
pub(super) fn refusal(names: &Names, text: &str, declaration: Declaration, new: &str) -> Option<String> {
    let rest = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$');
    let begins = |c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '$' | '%');
    let mut chars = new.chars();
    let is_name = chars.next().is_some_and(begins) && chars.all(rest) && new.len() > 1;
    if !(is_name || new.starts_with(|c: char| c.is_ascii_alphabetic()) && new.len() == 1) {
        return Some(format!(
            "`{new}` is no name of PTX: letters, digits, `_` and `$`, with a letter, `_`, `$` or `%` first"
        ));
    }
    let is_special = |special: &&Special| special.word().split('.').next() == Some(new);
    if new == "WARP_SZ" || Special::ALL.iter().any(|special| is_special(&special)) {
        return Some(format!("`{new}` is a name of the language"));
    }
    let own = names.get(declaration)?;
    // What the file declares is known in all kernels.
    let meets =
        |other: &Declared| own.within.is_none() || other.within.is_none() || own.within == other.within;
    let is_taken = |other: &Declared| {
        let name = slice(text, other.at).unwrap_or_default();
        let number = new.strip_prefix(name);
        match other.what {
            Named::Registers(_, count) if number != Some("") => {
                let number = number.and_then(|number| number.parse::<u32>().ok());
                number.is_some_and(|number| number < count)
            }
            _ => name == new,
        }
    };
    let mut others = names.declared().filter(|(other, _)| *other != declaration);
    let taken = others.any(|(_, other)| meets(other) && is_taken(other));
    taken.then(|| format!("`{new}` is declared already"))
}
