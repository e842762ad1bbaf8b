//! Entries, and functions of the kind that only tests have.

use tilewright_diagnostics::{Code, Span};
use tilewright_irs::core::{Flag, Func, Origin};
use tilewright_irs::cuda_tile::{Attr, DebugId, Dict, EntryAttrs, FuncLocations, Hints, TileType};
use tilewright_irs::element::ScalarType;

use super::body::{Argument, BodyReader};
use super::by_hand::argument_name;
use super::cursor::{Cursor, Parse, fail};
use super::entries::other_attributes;
use super::generic::result_types;
use super::lexer::{TEST_FUNC, quoted_name, short};
use super::locations::Locations;
use super::tree::Region;
use super::types::value_type;
use super::values::{dict, hints};
use super::{FuncSpans, ModuleReader, TestFunction};

impl<'t, 'input> ModuleReader<'t, 'input> {
    pub(super) fn entry(&mut self, cursor: &mut Cursor<'t, 'input>, test: bool) -> Parse<()> {
        let private = Flag(cursor.eat("private"));
        let (name, at) = self.name(cursor)?;
        cursor.expect("(")?;
        let mut dicts = Vec::new();
        let params = cursor.list(")", |cursor| {
            let at = cursor.span();
            let name = argument_name(cursor)?;
            cursor.expect(":")?;
            let ty = value_type(cursor)?;
            dicts.push(match cursor.peek() {
                "{" => dict(cursor, ScalarType::I64)?,
                _ => Dict::default(),
            });
            self.locations.trailing(cursor)?;
            Ok(Argument { name, at, ty })
        })?;
        let mut tests = None;
        if test {
            tests = Some(if cursor.eat("->") {
                result_types(cursor)?
            } else {
                Vec::new()
            });
        }
        if !test && cursor.peek() == "->" {
            let message = format!("the entry `@{name}` returns values: a kernel has no results");
            return fail(Code::UnexpectedToken, message, cursor.span(), "no results");
        }
        let mut optimization_hints = None;
        if cursor.eat("optimization_hints") {
            cursor.expect("=")?;
            cursor.eat("#cuda_tile.optimization_hints");
            // Hints for no architecture are none.
            optimization_hints = Some(hints(cursor)?).filter(|hints| !hints.0.is_empty());
        }
        let attrs = attrs(private, optimization_hints, dicts);
        let region: &'t Region<'input> = cursor.region()?;
        let mut reader = self.body_reader();
        let entry = reader.body.add_block(reader.body.root());
        reader.arguments(entry, Origin::FUNCTION, params);
        reader.items(entry, &region.items, (region.start, region.end), Some("return"));
        let func = NewFunc {
            name,
            at,
            attrs,
            tests,
        };
        other_attributes(cursor)?;
        self.function(func, reader, |reader| {
            let place = reader.locations.trailing(cursor)?;
            cursor.finish()?;
            Ok(place)
        })
    }

    /// A reader of a function's body, which has the locations until [`function`](Self::function).
    pub(super) fn body_reader(&mut self) -> BodyReader<'t, 'input> {
        let locations = std::mem::replace(&mut self.locations, Locations::new(self.file));
        BodyReader::new(self.file, locations, self.options.testing)
    }

    /// Ends a function: `tail` reads what stands after its body.
    pub(super) fn function(
        &mut self,
        func: NewFunc,
        reader: BodyReader<'t, 'input>,
        tail: impl FnOnce(&mut Self) -> Parse<Option<DebugId>>,
    ) -> Parse<()> {
        let BodyReader {
            body,
            locations,
            spans,
            mut parts,
            places,
            mut problems,
            broken,
            ..
        } = reader;
        self.locations = locations;
        self.parsed.diagnostics.append(&mut problems);
        let place = tail(self)?;
        if broken {
            return Ok(());
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
            body: body.renumbered(),
        });
        self.parsed.debug.funcs.push(FuncLocations {
            func: place,
            ops: places,
        });
        parts.sort_unstable_by_key(|&(origin, part, _)| (origin, part));
        self.parsed.spans.push(FuncSpans {
            name: func.at,
            ops: spans,
            parts,
        });
        Ok(())
    }
}

/// A function whose body is being read.
pub(super) struct NewFunc {
    pub(super) name: String,
    pub(super) at: Span,
    pub(super) attrs: EntryAttrs,
    /// The types of the results, for a function of tests.
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

/// The name of an op without quotes and dialect; a module of MLIR's own counts as one of this dialect.
pub(super) fn frame_name(name: &str) -> &str {
    match quoted_name(name).unwrap_or_else(|| short(name)) {
        "builtin.module" => "module",
        name => name,
    }
}

/// Whether an op of this name stands outside of all functions.
pub(super) fn in_frame(name: &str) -> bool {
    matches!(frame_name(name), "module" | "entry" | "global" | TEST_FUNC)
}
