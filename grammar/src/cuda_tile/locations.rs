//! Locations after ops, and the aliases at the end of the file that they name.

use rustc_hash::FxHashMap;
use tilewright_diagnostics::{Code, FileId, Span};
use tilewright_irs::core::Entity;
use tilewright_irs::cuda_tile::{DebugAttr, DebugId};

use super::cursor::{Cursor, Fail, Parse, fail};
use super::debug_parts::{Parts, is_file, is_place, is_scope, is_unit};
use super::tree::Clause;
use super::types::integer;
use super::values::string;

/// Aliases of aliases, and what they stand for, nest no deeper than this.
const MAX_DEPTH: usize = 256;

/// A location that was read: an entry of the table, or a place that belongs to no function.
#[derive(Clone, Debug)]
enum Place {
    Unknown,
    /// The file, the line and the column.
    Plain(String, u64, u64),
    Known(DebugId),
}

/// The table of debug attributes, as the text's aliases and locations fill it.
#[derive(Debug)]
pub(crate) struct Locations<'t, 'input> {
    file: FileId,
    aliases: FxHashMap<&'input str, (&'t [Clause<'input>], Span)>,
    places: FxHashMap<&'input str, Place>,
    numbers: FxHashMap<DebugAttr, DebugId>,
    pub(crate) attrs: Vec<DebugAttr>,
    /// How deep each attribute is nested: blocks in blocks, calls in calls.
    depths: Vec<usize>,
    /// Whether one is nested too deep, which has been said.
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

    /// Notes an alias; it is read when it is first used.
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

    /// Reads the locations and debug attributes that have a name and no use, to see what is wrong with them.
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

    /// `loc(…)` at the end of a statement, if it is there.
    pub(crate) fn trailing(&mut self, cursor: &mut Cursor<'t, 'input>) -> Parse<Option<DebugId>> {
        if cursor.peek() != "loc" {
            return Ok(None);
        }
        match self.place(cursor, 0)? {
            Place::Known(id) => Ok(Some(id)),
            // A place without a function has no entry in the table.
            Place::Unknown | Place::Plain(..) => Ok(None),
        }
    }

    /// Adds an attribute, which stands at the cursor or before it, unless it is there.
    fn add(&mut self, attr: DebugAttr, cursor: &Cursor<'t, 'input>) -> Parse<DebugId> {
        if let Some(id) = self.numbers.get(&attr) {
            return Ok(*id);
        }
        let depth = |id: &DebugId| self.depths.get(id.index()).map_or(0, |depth| depth + 1);
        let depth = match &attr {
            DebugAttr::LexicalBlock { scope, .. } => depth(scope),
            DebugAttr::CallSite { callee, caller } => depth(callee).max(depth(caller)),
            DebugAttr::Unknown
            | DebugAttr::CompileUnit { .. }
            | DebugAttr::File { .. }
            | DebugAttr::Loc { .. }
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

    /// Says once that something is nested too deep; what is made of it is an unknown place.
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

    /// A part that must be an entry of the table; a place without a function is an unknown one there.
    fn known(&mut self, cursor: &mut Cursor<'t, 'input>, depth: usize) -> Parse<DebugId> {
        Ok(match self.place(cursor, depth)? {
            Place::Known(id) => id,
            Place::Unknown | Place::Plain(..) => self.add(DebugAttr::Unknown, cursor)?,
        })
    }

    /// A part that must be an entry of a certain kind.
    fn part(
        &mut self,
        cursor: &mut Cursor<'t, 'input>,
        depth: usize,
        kind: &str,
        is: fn(&DebugAttr) -> bool,
    ) -> Parse<DebugId> {
        let at = cursor.span();
        let id = self.known(cursor, depth)?;
        if self.attrs.get(id.index()).is_some_and(is) {
            return Ok(id);
        }
        let message = format!("a part of a place is of the wrong kind, expected {kind}");
        fail(Code::MalformedDebugInfo, message, at, "of another kind")
    }

    /// A location or a debug attribute, by itself or by an alias.
    fn place(&mut self, cursor: &mut Cursor<'t, 'input>, depth: usize) -> Parse<Place> {
        if depth > MAX_DEPTH {
            self.too_deep(cursor)?;
            return Ok(Place::Unknown);
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
                Ok(Place::Known(
                    self.add(DebugAttr::File { name, directory }, cursor)?,
                ))
            }
            "#cuda_tile.di_loc" => {
                cursor.take();
                cursor.expect("<")?;
                let at = cursor.span();
                let place = self.place(cursor, depth + 1)?;
                cursor.expect("in")?;
                let scope = self.part(cursor, depth + 1, "a scope", is_scope)?;
                cursor.expect(">")?;
                match place {
                    Place::Plain(file, line, column) => {
                        let attr = DebugAttr::Loc {
                            scope,
                            file: file.into(),
                            line,
                            column,
                        };
                        Ok(Place::Known(self.add(attr, cursor)?))
                    }
                    Place::Unknown | Place::Known(_) => fail(
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
                    _ => &["scope", "file", "line", "column"],
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
                    Some(attr) => Ok(Place::Known(self.add(attr, cursor)?)),
                    None => {
                        let lacks = lacks.copied().unwrap_or("a part");
                        let message = format!("`{word}` lacks the parameter named `{lacks}`");
                        fail(Code::MalformedDebugInfo, message, at, "a parameter is missing")
                    }
                }
            }
            _ if word.starts_with('#') => self.alias(cursor, depth),
            // A location in another one needs no word before it.
            "unknown" | "callsite" | "fused" => self.location(cursor, depth + 1),
            _ if word.starts_with('"') => self.location(cursor, depth + 1),
            _ => cursor.wrong("a location"),
        }
    }

    fn alias(&mut self, cursor: &mut Cursor<'t, 'input>, depth: usize) -> Parse<Place> {
        let at = cursor.span();
        let name = cursor.take();
        if let Some(place) = self.places.get(name) {
            return Ok(place.clone());
        }
        let Some(&(clauses, defined)) = self.aliases.get(name) else {
            return fail(
                Code::UndefinedValue,
                format!("`{name}` is not defined"),
                at,
                "no definition in this file",
            );
        };
        let after = usize::try_from(defined.end).unwrap_or(usize::MAX);
        let mut inner = Cursor::new(clauses, self.file, after);
        let place = self.place(&mut inner, depth + 1)?;
        inner.finish()?;
        self.places.insert(name, place.clone());
        Ok(place)
    }

    /// What stands inside of `loc(…)`.
    fn location(&mut self, cursor: &mut Cursor<'t, 'input>, depth: usize) -> Parse<Place> {
        if cursor.eat("unknown") {
            return Ok(Place::Unknown);
        }
        if cursor.eat("callsite") {
            cursor.expect("(")?;
            let callee = self.part(cursor, depth, "a place", is_place)?;
            cursor.expect("at")?;
            let caller = self.part(cursor, depth, "a place", is_place)?;
            cursor.expect(")")?;
            let call = DebugAttr::CallSite { callee, caller };
            return Ok(Place::Known(self.add(call, cursor)?));
        }
        if cursor.eat("fused") {
            return self.fused(cursor, depth);
        }
        if cursor.peek().starts_with('"') {
            let text = string(cursor)?;
            if cursor.eat("(") {
                // A name for a place, which stands for the place.
                let place = self.place(cursor, depth + 1)?;
                cursor.expect(")")?;
                return Ok(place);
            }
            if cursor.peek() != ":" {
                return Ok(Place::Unknown);
            }
            cursor.expect(":")?;
            let line = integer(cursor)?;
            cursor.expect(":")?;
            let column = integer(cursor)?;
            if cursor.eat("to") {
                // A range stands for its beginning.
                if cursor.peek() != ":" {
                    integer::<u64>(cursor)?;
                }
                cursor.expect(":")?;
                integer::<u64>(cursor)?;
            }
            return Ok(Place::Plain(text, line, column));
        }
        self.place(cursor, depth)
    }

    /// `<metadata>[place, …]` after `fused`: stands for the first place in a function, or else for the first one.
    fn fused(&mut self, cursor: &mut Cursor<'t, 'input>, depth: usize) -> Parse<Place> {
        if cursor.eat("<") {
            cursor.skip_value();
            cursor.expect(">")?;
        }
        cursor.expect("[")?;
        let places = cursor.list("]", |cursor| self.place(cursor, depth + 1))?;
        let known = places.iter().find(|place| matches!(place, Place::Known(_)));
        Ok(known.or(places.first()).cloned().unwrap_or(Place::Unknown))
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
                "file" => parts.file = Some(self.part(cursor, depth + 1, "a file", is_file)?),
                "scope" => parts.scope = Some(self.part(cursor, depth + 1, "a scope", is_scope)?),
                "compileUnit" => {
                    parts.unit = Some(self.part(cursor, depth + 1, "a compile unit", is_unit)?);
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
}
