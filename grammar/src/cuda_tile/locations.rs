//! Parses locations after ops, and the aliases at the end of the file that they refer to.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_diagnostics::{Code, FileId, Span};
use tilewright_irs::core::Entity;
use tilewright_irs::cuda_tile::{DebugAttr, DebugId};
use tilewright_irs::element::ScalarType;

use super::cursor::{Cursor, Fail, Parse, fail};
use super::debug_parts::{Parts, SCOPE, is_file, is_place, is_scope, is_unit};
use super::literals::string;
use super::tree::Clause;
use super::types::integer;
use super::values::attr;

/// Nesting limit of aliases and their definitions.
const MAX_DEPTH: usize = 256;

/// A parsed location: an entry of the table, or `None` for an unknown one.
type Place = Option<DebugId>;

/// The table of debug attributes, filled by the text's aliases and locations.
#[derive(Debug)]
pub(crate) struct Locations<'t, 'input> {
    file: FileId,
    aliases: FxHashMap<&'input str, (&'t [Clause<'input>], Span)>,
    /// The location of each alias; `None` if it is unreadable, which has been reported.
    places: FxHashMap<&'input str, Option<Place>>,
    numbers: FxHashMap<DebugAttr, DebugId>,
    pub(crate) attrs: Vec<DebugAttr>,
    /// The nesting depth of each attribute: blocks in blocks, calls in calls, locations in lists.
    depths: Vec<usize>,
    /// Whether one is nested too deeply, which has been reported.
    too_deep: bool,
}

impl<'t, 'input> Locations<'t, 'input> {
    pub(crate) fn new(file: FileId) -> Self {
        Self {
            file,
            aliases: FxHashMap::default(),
            places: FxHashMap::default(),
            numbers: FxHashMap::default(),
            attrs: Vec::new(),
            depths: Vec::new(),
            too_deep: false,
        }
    }

    /// Records an alias; it is parsed on first use.
    pub(crate) fn define(&mut self, name: &'input str, clauses: &'t [Clause<'input>], at: Span) -> Parse<()> {
        if self.aliases.insert(name, (clauses, at)).is_some() {
            return fail(
                Code::Redefinition,
                format!("`{name}` is defined twice"),
                at,
                "defined again here",
            );
        }
        Ok(())
    }

    /// Parses unused aliases, to report their errors.
    pub(crate) fn check_unused(&mut self) -> Vec<Fail> {
        let (attrs, numbers) = (self.attrs.len(), self.numbers.clone());
        let mut unused: Vec<_> = self
            .aliases
            .iter()
            .map(|(name, (clauses, at))| (*name, *clauses, *at))
            .collect();
        unused.sort_by_key(|(_, _, at)| at.start);
        let mut failures = Vec::new();
        for (name, clauses, defined) in unused {
            let after = usize::try_from(defined.end).unwrap_or(usize::MAX);
            let mut cursor = Cursor::new(clauses, self.file, after);
            let is_place = cursor.peek() == "loc" || cursor.peek().starts_with("#cuda_tile.di_");
            if is_place && !self.places.contains_key(name) {
                let read = self.place(&mut cursor, 0).and_then(|_| cursor.finish());
                failures.extend(read.err());
            }
        }
        self.attrs.truncate(attrs);
        self.numbers = numbers;
        failures
    }

    /// `loc(…)` at the end of a statement, if present.
    pub(crate) fn trailing(&mut self, cursor: &mut Cursor<'t, 'input>) -> Parse<Option<DebugId>> {
        if cursor.peek() != "loc" {
            return Ok(None);
        }
        self.place(cursor, 0)
    }

    /// The attribute `id`.
    fn attr(&self, id: DebugId) -> Option<&DebugAttr> {
        self.attrs.get(id.index())
    }

    /// Adds an attribute, which is at the cursor or before it, unless it is in the table.
    fn add(&mut self, attr: DebugAttr, cursor: &Cursor<'t, 'input>) -> Parse<DebugId> {
        if let Some(id) = self.numbers.get(&attr) {
            return Ok(*id);
        }
        let depth = |id: &DebugId| self.depths.get(id.index()).map_or(0, |depth| depth + 1);
        let deepest = |list: &[Option<DebugId>]| list.iter().flatten().map(depth).max().unwrap_or(0);
        let depth = match &attr {
            DebugAttr::LexicalBlock { scope, .. } => depth(scope),
            DebugAttr::CallSite { callee, caller } => deepest(&[*callee, *caller]),
            DebugAttr::Name { place, .. } => deepest(&[*place]),
            DebugAttr::Fused { places, .. } => deepest(places),
            DebugAttr::Unknown
            | DebugAttr::CompileUnit { .. }
            | DebugAttr::File { .. }
            | DebugAttr::Loc { .. }
            | DebugAttr::Place { .. }
            | DebugAttr::Subprogram { .. } => 0,
        };
        if depth > MAX_DEPTH {
            self.too_deep(cursor)?;
            return self.add(DebugAttr::Unknown, cursor);
        }
        let id = DebugId::new(self.attrs.len());
        self.attrs.push(attr.clone());
        self.depths.push(depth);
        self.numbers.insert(attr, id);
        Ok(id)
    }

    /// Reports once that something is nested too deeply, and replaces it by an unknown location.
    fn too_deep(&mut self, cursor: &Cursor<'t, 'input>) -> Parse<()> {
        if std::mem::replace(&mut self.too_deep, true) {
            return Ok(());
        }
        fail(
            Code::InputTooLarge,
            "locations are nested too deep",
            cursor.span(),
            "too deep here",
        )
    }

    /// `name = value` up to the closing bracket.
    fn parts(&mut self, cursor: &mut Cursor<'t, 'input>, depth: usize) -> Parse<Parts> {
        let mut parts = Parts::default();
        cursor.list(">", |cursor| {
            if !cursor.peek().starts_with(|c: char| c.is_ascii_alphabetic()) {
                return cursor.wrong("the name of a parameter");
            }
            let name = cursor.take();
            parts.given.push(name.to_owned());
            cursor.expect("=")?;
            match name {
                "file" => parts.file = Some(self.part(cursor, depth + 1, is_file, "`#cuda_tile.di_file`")?),
                "scope" => parts.scope = Some(self.part(cursor, depth + 1, is_scope, SCOPE)?),
                "compileUnit" => {
                    let what = "`#cuda_tile.di_compile_unit`";
                    parts.unit = Some(self.part(cursor, depth + 1, is_unit, what)?);
                }
                "line" => parts.line = Some(integer(cursor)?),
                "column" => parts.column = Some(integer(cursor)?),
                "scopeLine" => parts.scope_line = Some(integer(cursor)?),
                "name" => parts.name = Some(string(cursor)?),
                "linkageName" => parts.linkage_name = Some(string(cursor)?),
                "flags" => {
                    cursor.expect("declaration")?;
                    parts.declaration = true;
                }
                _ => return cursor.wrong("a parameter that this attribute has"),
            }
            Ok(())
        })?;
        Ok(parts)
    }

    /// A part that must be an attribute of one kind, described by `what`.
    fn part(
        &mut self,
        cursor: &mut Cursor<'t, 'input>,
        depth: usize,
        is_kind: fn(&DebugAttr) -> bool,
        what: &str,
    ) -> Parse<DebugId> {
        let start = cursor.span();
        let found = self.place(cursor, depth)?;
        match found.filter(|&id| self.attr(id).is_some_and(is_kind)) {
            Some(id) => Ok(id),
            None => fail(
                Code::MalformedDebugInfo,
                format!("a part of a place is of the wrong kind, expected {what}"),
                cursor.since(start),
                "of another kind",
            ),
        }
    }

    /// A location or a debug attribute, inline or by an alias.
    fn place(&mut self, cursor: &mut Cursor<'t, 'input>, depth: usize) -> Parse<Place> {
        if depth > MAX_DEPTH {
            self.too_deep(cursor)?;
            return Ok(None);
        }
        let word = cursor.peek();
        match word {
            "loc" => {
                cursor.take();
                cursor.expect("(")?;
                let place = self.location(cursor, depth + 1)?;
                cursor.expect(")")?;
                Ok(place)
            }
            "#cuda_tile.di_file" => {
                cursor.take();
                cursor.expect("<")?;
                let name = string(cursor)?;
                cursor.expect("in")?;
                let directory = string(cursor)?;
                cursor.expect(">")?;
                Ok(Some(self.add(DebugAttr::File { name, directory }, cursor)?))
            }
            "#cuda_tile.di_loc" => {
                cursor.take();
                cursor.expect("<")?;
                let at = cursor.span();
                let place = self.place(cursor, depth + 1)?;
                cursor.expect("in")?;
                let scope = self.part(cursor, depth + 1, is_scope, SCOPE)?;
                cursor.expect(">")?;
                match place.and_then(|id| self.attr(id)) {
                    Some(DebugAttr::Place {
                        file,
                        line,
                        column,
                        end: None,
                    }) => {
                        let (file, line, column) = (Arc::clone(file), *line, *column);
                        Ok(Some(self.add(
                            DebugAttr::Loc {
                                scope,
                                file,
                                line,
                                column,
                            },
                            cursor,
                        )?))
                    }
                    Some(_) | None => fail(
                        Code::MalformedDebugInfo,
                        "a place in a function needs a file, a line and a column",
                        at,
                        "not a place",
                    ),
                }
            }
            "#cuda_tile.di_compile_unit" | "#cuda_tile.di_subprogram" | "#cuda_tile.di_lexical_block" => {
                let at = cursor.span();
                cursor.take();
                cursor.expect("<")?;
                let parts = self.parts(cursor, depth)?;
                let needed: &[&str] = match word {
                    "#cuda_tile.di_compile_unit" => &["file"],
                    "#cuda_tile.di_subprogram" => &["file", "line", "name", "linkageName", "compileUnit"],
                    _ => &["scope", "file", "line"],
                };
                let lacks = needed
                    .iter()
                    .find(|name| !parts.given.iter().any(|given| given == *name));
                let attr = match word {
                    "#cuda_tile.di_compile_unit" => parts.compile_unit(),
                    "#cuda_tile.di_subprogram" => parts.subprogram(),
                    _ => parts.block(),
                };
                match attr {
                    Some(attr) => Ok(Some(self.add(attr, cursor)?)),
                    None => {
                        let lacks = lacks.copied().unwrap_or("a part");
                        let message = format!("`{word}` lacks the parameter named `{lacks}`");
                        fail(Code::MalformedDebugInfo, message, at, "a parameter is missing")
                    }
                }
            }
            _ if word.starts_with('#') => self.alias(cursor, depth),
            // A nested location needs no keyword.
            "unknown" | "callsite" | "fused" => self.location(cursor, depth + 1),
            _ if word.starts_with('"') => self.location(cursor, depth + 1),
            _ => cursor.wrong("a location"),
        }
    }

    fn alias(&mut self, cursor: &mut Cursor<'t, 'input>, depth: usize) -> Parse<Place> {
        let at = cursor.span();
        let name = cursor.take();
        if let Some(place) = self.places.get(name) {
            return place.ok_or(None);
        }
        let Some(&(clauses, defined)) = self.aliases.get(name) else {
            self.places.insert(name, None);
            return fail(
                Code::UndefinedValue,
                format!("`{name}` is not defined"),
                at,
                "no definition in this file",
            );
        };
        let after = usize::try_from(defined.end).unwrap_or(usize::MAX);
        let mut inner = Cursor::new(clauses, self.file, after);
        let place = self.place(&mut inner, depth + 1);
        let place = place.and_then(|place| inner.finish().map(|()| place));
        self.places.insert(name, place.as_ref().ok().copied());
        place
    }

    /// The contents of `loc(…)`.
    fn location(&mut self, cursor: &mut Cursor<'t, 'input>, depth: usize) -> Parse<Place> {
        if cursor.eat("unknown") {
            return Ok(None);
        }
        if cursor.eat("callsite") {
            cursor.expect("(")?;
            let callee = self.inner(cursor, depth)?;
            cursor.expect("at")?;
            let caller = self.inner(cursor, depth)?;
            cursor.expect(")")?;
            return Ok(Some(self.add(DebugAttr::CallSite { callee, caller }, cursor)?));
        }
        if cursor.eat("fused") {
            return self.fused(cursor, depth);
        }
        if !cursor.peek().starts_with('"') {
            return self.place(cursor, depth);
        }
        let name = string(cursor)?;
        if !cursor.eat(":") {
            let mut place = None;
            if cursor.eat("(") {
                place = self.inner(cursor, depth + 1)?;
                cursor.expect(")")?;
            }
            return Ok(Some(self.add(DebugAttr::Name { name, place }, cursor)?));
        }
        let line = integer(cursor)?;
        // A line without a column is its beginning.
        let column = if cursor.eat(":") { integer(cursor)? } else { 0 };
        let mut end = None;
        if cursor.eat("to") {
            let last = if cursor.peek() == ":" {
                line
            } else {
                integer(cursor)?
            };
            cursor.expect(":")?;
            end = Some((last, integer(cursor)?)).filter(|&end| end != (line, column));
        }
        Ok(Some(self.add(
            DebugAttr::Place {
                file: name.into(),
                line,
                column,
                end,
            },
            cursor,
        )?))
    }

    /// A nested location.
    fn inner(&mut self, cursor: &mut Cursor<'t, 'input>, depth: usize) -> Parse<Place> {
        let start = cursor.span();
        let place = self.place(cursor, depth)?;
        let wrong = place.and_then(|id| self.attr(id)).filter(|attr| !is_place(attr));
        if wrong.is_some() {
            let message = "a part of a place is of the wrong kind, expected a place in a file or a call site";
            return fail(
                Code::MalformedDebugInfo,
                message,
                cursor.since(start),
                "not a place",
            );
        }
        Ok(place)
    }

    /// `<metadata>[location, …]` after `fused`. As in MLIR, unknown locations are removed from the list, duplicates
    /// are merged, a nested list with the same metadata is flattened, and a single location needs no list.
    fn fused(&mut self, cursor: &mut Cursor<'t, 'input>, depth: usize) -> Parse<Place> {
        let mut metadata = None;
        if cursor.eat("<") {
            metadata = Some(attr(cursor, ScalarType::I64)?);
            cursor.expect(">")?;
        }
        cursor.expect("[")?;
        let given = cursor.list("]", |cursor| self.inner(cursor, depth + 1))?;
        let mut places: Vec<Option<DebugId>> = Vec::with_capacity(given.len());
        let mut seen = FxHashSet::default();
        for id in given.into_iter().flatten() {
            let inner = match self.attr(id) {
                Some(DebugAttr::Fused {
                    metadata: inner,
                    places,
                }) if *inner == metadata => places.as_slice(),
                Some(_) | None => &[Some(id)],
            };
            places.extend(
                inner
                    .iter()
                    .filter(|place| place.is_some() && seen.insert(**place)),
            );
        }
        if metadata.is_none() && places.len() < 2 {
            return Ok(places.pop().flatten());
        }
        if places.is_empty() {
            places.push(None);
        }
        Ok(Some(self.add(DebugAttr::Fused { metadata, places }, cursor)?))
    }
}
