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
use super::entries::other_attributes;
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
        let mut parts = Vec::new();
        if private.0 {
            parts.push((EntryAttrs::part("private"), at));
        }
        let (name, at, mut sound) = self.name(cursor)?;
        cursor.expect("(")?;
        let mut dicts = Vec::new();
        let params = cursor.list(")", |cursor| {
            let at = cursor.span();
            let name = argument_name(cursor)?;
            cursor.expect(":")?;
            let start = *cursor;
            let ty = match value_type(cursor) {
                Ok(ty) => Some(ty),
                Err(failure) => {
                    // The parameters after this one are not checked.
                    sound = false;
                    self.fail(failure);
                    *cursor = start;
                    cursor.skip_value();
                    return Ok(Argument { name, at, ty: None });
                }
            };
            dicts.push(match cursor.peek() {
                "{" => {
                    let start = cursor.span();
                    let mut places = Places::new(EntryAttrs::part("arg_attrs").entry(dicts.len()));
                    let dict = dict(cursor, ScalarType::I64, &mut places)?;
                    parts.push((places.of, cursor.since(start)));
                    parts.append(&mut places.list);
                    dict
                }
                _ => Dict::default(),
            });
            self.locations.trailing(cursor)?;
            Ok(Argument { name, at, ty })
        })?;
        let mut tests = None;
        let mut hints = PlacedHints::default();
        let between = self.before_body(cursor, &name, test.then_some(&mut tests), &mut hints);
        if let Err(failure) = between {
            sound = false;
            self.fail(failure);
            cursor.skip_to_region();
        }
        parts.append(&mut hints.parts);
        let attrs = attrs(private, hints.given, dicts);
        let region: &'t Region<'input> = cursor.region()?;
        let mut reader = self.body_reader(at);
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
            other_attributes(cursor)?;
            let place = reader.locations.trailing(cursor)?;
            cursor.finish()?;
            Ok(place)
        });
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
