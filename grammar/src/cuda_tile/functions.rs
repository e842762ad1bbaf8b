//! Parses entries, and functions of NVIDIA's tests.

use std::rc::Rc;

use tilewright_diagnostics::{Code, Span};
use tilewright_irs::core::{Attributes, Flag, Func, Origin, Part};
use tilewright_irs::cuda_tile::{
    Attr, DebugId, Dict, EntryAttrs, FuncLocations, Hints, PartialFunc, TileType,
};
use tilewright_irs::element::ScalarType;

use super::body::{Argument, BodyReader, Implicit, argument_name};
use super::cursor::{Cursor, Parse, fail};
use super::entries::dictionary;
use super::generic::result_types;
use super::lexer::{EXTERN_FUNC, EXTERN_IMPL, TEST_FUNC, quoted_name, short};
use super::locations::Locations;
use super::places::Places;
use super::tree::{Clause, Region};
use super::types::value_type;
use super::values::{dict, hints};
use super::{FuncSpans, ModuleReader, TestFunction};

impl<'t, 'input> ModuleReader<'t, 'input> {
    pub(super) fn entry(&mut self, cursor: &mut Cursor<'t, 'input>, test: bool) -> Parse<()> {
        let at = cursor.span();
        let private = Flag(cursor.eat("private"));
        let mut head = Head {
            name: "?".to_owned(),
            at: cursor.span(),
            params: Vec::new(),
            dicts: Vec::new(),
            nameless: 0,
            tests: None,
            hints: PlacedHints::default(),
            parts: Vec::new(),
        };
        if private.0 {
            head.parts.push((EntryAttrs::part("private"), at));
        }
        let sound = match self.head(cursor, test, &mut head) {
            Ok(sound) => sound,
            Err(failure) => {
                self.fail(failure);
                cursor.skip_to_region();
                false
            }
        };
        let Head {
            name,
            at,
            params,
            dicts,
            nameless,
            tests,
            mut hints,
            mut parts,
        } = head;
        parts.append(&mut hints.parts);
        let attrs = attrs(private, hints.given, dicts);
        let region: &'t Region<'input> = match sound {
            true => cursor.region()?,
            // What is wrong with the head has been reported.
            false => cursor.region().map_err(|_| None)?,
        };
        let mut reader = self.body_reader(at);
        reader.nameless = nameless;
        let entry = reader.body.add_block(reader.body.root());
        reader.place_attributes(parts);
        reader.arguments(entry, Origin::FUNCTION, params);
        reader.items(
            entry,
            &region.items,
            (region.start, region.end),
            Some(Implicit::Return),
        );
        reader.broken |= !sound;
        let func = NewFunc {
            name,
            at,
            attrs,
            tests,
        };
        self.function(func, reader, region.end, |reader| {
            let entries = dictionary(cursor)?;
            reader.parsed.diagnostics.extend(entries.ignored(&[]));
            let place = reader.locations.trailing(cursor)?;
            cursor.finish()?;
            Ok(place)
        });
        Ok(())
    }

    /// Parses everything before the body of a function. Returns whether it is without errors; `head` has what is readable.
    fn head(&mut self, cursor: &mut Cursor<'t, 'input>, test: bool, head: &mut Head<'input>) -> Parse<bool> {
        let mut sound = match self.name(cursor) {
            Ok((name, at, first)) => {
                (head.name, head.at) = (name, at);
                first
            }
            Err(failure) => {
                self.fail(failure);
                false
            }
        };
        let named = head.name != "?";
        if !named || !cursor.eat("(") {
            let failure = if named { cursor.unexpected() } else { Err(None) };
            sound = false;
            self.report(failure);
            if !cursor.skip_to_argument() {
                return Err(None);
            }
        }
        if !self.parameters(cursor, head)? {
            sound = false;
        }
        let tests = test.then_some(&mut head.tests);
        self.before_body(cursor, &head.name, tests, &mut head.hints)?;
        Ok(sound)
    }

    /// Parses parameters up to the parenthesis after them. After an error, those from the next name on are read. Returns whether
    /// there was none.
    fn parameters(&mut self, cursor: &mut Cursor<'t, 'input>, head: &mut Head<'input>) -> Parse<bool> {
        let mut sound = true;
        if cursor.eat(")") {
            return Ok(sound);
        }
        loop {
            let read = self.parameter(cursor, head);
            let failure = match read {
                Ok(()) if cursor.eat(")") => return Ok(sound),
                Ok(()) if cursor.eat(",") => continue,
                Ok(()) => cursor.unexpected(),
                failed => failed,
            };
            sound = false;
            self.report(failure);
            if !cursor.skip_to_argument() {
                return Err(None);
            }
        }
    }

    /// Parses a parameter; one of unreadable type has a name.
    fn parameter(&mut self, cursor: &mut Cursor<'t, 'input>, head: &mut Head<'input>) -> Parse<()> {
        let at = cursor.span();
        let name = argument_name(cursor).inspect_err(|_| head.nameless += 1)?;
        // A name that is written twice is one parameter.
        head.params.pop_if(|last| last.name == name && last.ty.is_none());
        head.params.push(Argument { name, at, ty: None });
        cursor.expect(":")?;
        let ty = value_type(cursor)?;
        if let Some(argument) = head.params.last_mut() {
            argument.ty = Some(ty);
        }
        head.dicts.push(match cursor.peek() {
            "{" => {
                let start = cursor.span();
                let mut places = Places::new(EntryAttrs::part("arg_attrs").entry(head.dicts.len()));
                let dict = dict(cursor, ScalarType::I64, &mut places)?;
                head.parts.push((places.of, cursor.since(start)));
                head.parts.append(&mut places.list);
                dict
            }
            _ => Dict::default(),
        });
        self.locations.trailing(cursor)?;
        Ok(())
    }

    /// Parses the parts between the parameters and the body.
    fn before_body(
        &mut self,
        cursor: &mut Cursor<'t, 'input>,
        name: &str,
        tests: Option<&mut Option<Vec<TileType>>>,
        optimization_hints: &mut PlacedHints,
    ) -> Parse<()> {
        match tests {
            Some(tests) => {
                *tests = Some(if cursor.eat("->") {
                    result_types(cursor)?
                } else {
                    Vec::new()
                });
            }
            None if cursor.peek() == "->" => {
                let message = format!("the entry `@{name}` returns values: a kernel has no results");
                return fail(Code::UnexpectedToken, message, cursor.span(), "no results");
            }
            None => {}
        }
        if cursor.eat("optimization_hints") {
            cursor.expect("=")?;
            optimization_hints.read(cursor)?;
            // Hints without architectures are dropped.
            optimization_hints.given.take_if(|hints| hints.0.is_empty());
        }
        if cursor.at_region() {
            return Ok(());
        }
        cursor.wrong("a region in braces")
    }

    /// Parses the body of a function whose head is unreadable, to report its errors.
    pub(super) fn lost_function(
        &mut self,
        clauses: &'t [Clause<'input>],
        tree: &'t Region<'input>,
        at: Span,
    ) {
        let mut reader = self.body_reader(at);
        let block = reader.body.add_block(reader.body.root());
        let region = reader.lost_region(clauses, tree);
        reader.lost_ops(block, &[region], Origin::FUNCTION);
        reader.lost_end(block, (tree.start, tree.end));
        reader.broken = true;
        let func = NewFunc {
            name: "?".to_owned(),
            at,
            attrs: EntryAttrs::default(),
            tests: None,
        };
        reader.unknown.signature = true;
        self.function(func, reader, tree.end, |_| Ok(None));
    }

    /// A reader of a function's body, which owns the locations until [`function`](Self::function).
    pub(super) fn body_reader(&mut self, at: Span) -> BodyReader<'t, 'input> {
        let locations = std::mem::replace(&mut self.locations, Locations::new(self.file));
        let mut reader = BodyReader::new(self.file, locations, self.options);
        reader.lost = Rc::clone(&self.lost);
        reader.recorder = self.recorder;
        reader.start = usize::try_from(at.start).unwrap_or(usize::MAX);
        reader
    }

    /// Ends a function, whose body ends at `end`; `tail` parses the rest.
    pub(super) fn function(
        &mut self,
        func: NewFunc,
        reader: BodyReader<'t, 'input>,
        end: usize,
        tail: impl FnOnce(&mut Self) -> Parse<Option<DebugId>>,
    ) {
        let BodyReader {
            body,
            locations,
            spans,
            mut parts,
            places,
            mut problems,
            mut broken,
            mut lost_place,
            mut unknown,
            mut names,
            ..
        } = reader;
        self.read_to = end;
        self.locations = locations;
        self.parsed.diagnostics.append(&mut problems);
        let place = tail(self).unwrap_or_else(|failure| {
            self.fail(failure);
            (broken, lost_place) = (true, true);
            None
        });
        let name = func.at;
        let locations = FuncLocations {
            func: place,
            ops: places,
        };
        parts.sort_unstable_by_key(|&(origin, part, _)| (origin, part));
        let (body, renamed) = match broken {
            // What is unknown is known by the handles as they are.
            true => (body, None),
            false => {
                let (body, renamed) = body.renumbered_with_values();
                (body, Some(renamed))
            }
        };
        if let Some(renamed) = renamed {
            names.iter_mut().for_each(|name| name.value = renamed(name.value));
        }
        names.sort_by_key(|name| name.at.start);
        let spans = FuncSpans {
            name,
            ops: spans,
            whole: Span::new(self.file, self.head, end),
            names,
            parts,
        };
        if broken {
            unknown.signature |= func.tests.is_some();
            let func = Func {
                name: func.name,
                attrs: func.attrs,
                body,
            };
            self.partial.funcs.push(PartialFunc { func, unknown });
            self.partial.spans.push(spans);
            self.partial.places.push((!lost_place).then_some(locations));
            return;
        }
        if let Some(results) = func.tests {
            self.parsed.tests.push(TestFunction {
                name: func.name.clone(),
                results,
            });
        }
        self.parsed.module.funcs.push(Func {
            name: func.name,
            attrs: func.attrs,
            body,
        });
        self.parsed.debug.funcs.push(locations);
        self.parsed.spans.push(spans);
    }
}

/// What stands before the body of a function.
struct Head<'input> {
    name: String,
    at: Span,
    params: Vec<Argument<'input>>,
    dicts: Vec<Dict>,
    /// The number of parameters without a readable name.
    nameless: usize,
    /// The types of the results, for a function of NVIDIA's tests.
    tests: Option<Vec<TileType>>,
    hints: PlacedHints,
    /// The spans of the attributes before the hints.
    parts: Vec<(Part, Span)>,
}

/// The hints of a function, with the spans of their entries.
#[derive(Default)]
pub(super) struct PlacedHints {
    pub(super) given: Option<Hints>,
    pub(super) parts: Vec<(Part, Span)>,
}

impl PlacedHints {
    pub(super) fn read(&mut self, cursor: &mut Cursor<'_, '_>) -> Parse<()> {
        cursor.eat("#cuda_tile.optimization_hints");
        let start = cursor.span();
        let mut places = Places::new(EntryAttrs::part("optimization_hints"));
        self.given = Some(hints(cursor, &mut places)?);
        self.parts.push((places.of, cursor.since(start)));
        self.parts.append(&mut places.list);
        Ok(())
    }
}

/// A function whose body is being parsed.
pub(super) struct NewFunc {
    pub(super) name: String,
    pub(super) at: Span,
    pub(super) attrs: EntryAttrs,
    /// The types of the results, for a function of NVIDIA's tests.
    pub(super) tests: Option<Vec<TileType>>,
}

pub(super) fn attrs(private: Flag, optimization_hints: Option<Hints>, dicts: Vec<Dict>) -> EntryAttrs {
    let any = dicts.iter().any(|dict| !dict.0.is_empty());
    EntryAttrs {
        private,
        optimization_hints,
        arg_attrs: any.then(|| dicts.into_iter().map(Attr::Dict).collect()),
    }
}

/// The name of an op without quotes and dialect; MLIR's own module counts as one of this dialect.
pub(super) fn frame_name(name: &str) -> &str {
    match quoted_name(name).unwrap_or_else(|| short(name)) {
        "builtin.module" => "module",
        name => name,
    }
}

/// Whether an op of this name is outside of all functions.
pub(super) fn in_frame(name: &str) -> bool {
    matches!(
        frame_name(name),
        "module" | "entry" | "global" | EXTERN_FUNC | EXTERN_IMPL | TEST_FUNC
    )
}
