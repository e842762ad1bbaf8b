//! Modules and functions in MLIR's generic form: what the custom form says by its place stands in a dictionary.

use tilewright_diagnostics::{Code, Span};
use tilewright_irs::core::Flag;
use tilewright_irs::cuda_tile::{Dict, TileType};
use tilewright_irs::element::ScalarType;

use super::cursor::{Cursor, Parse, fail};
use super::generic::{Entries, block_label, regions, result_types};
use super::tree::Region;
use super::types::value_type;
use super::values::{dict, hints, string};
use super::{ModuleReader, NewFunc, attrs};

/// What an op around others says in the generic form.
struct Frame<'t, 'input> {
    entries: Entries<'t, 'input>,
    region: &'t Region<'input>,
}

/// `() <{…}> ({…}) {…} : () -> ()`
fn frame<'t, 'input>(cursor: &mut Cursor<'t, 'input>) -> Parse<Frame<'t, 'input>> {
    cursor.expect("(")?;
    cursor.expect(")")?;
    let mut entries = Entries::default();
    if cursor.eat("<") {
        entries.read(cursor)?;
        cursor.expect(">")?;
    }
    let at = cursor.span();
    let regions = regions(cursor)?;
    let [region] = regions.as_slice() else {
        let message = format!("there are {} regions, expected 1", regions.len());
        return fail(
            Code::RegionCount,
            message,
            cursor.since(at),
            "expected one region",
        );
    };
    if cursor.peek() == "{" {
        entries.read(cursor)?;
    }
    for token in [":", "(", ")", "->", "(", ")"] {
        cursor.expect(token)?;
    }
    Ok(Frame { entries, region })
}

/// `(T, T) -> (T)`
fn signature(cursor: &mut Cursor<'_, '_>) -> Parse<(Vec<TileType>, Vec<TileType>)> {
    cursor.expect("(")?;
    let inputs = cursor.list(")", value_type)?;
    cursor.expect("->")?;
    Ok((inputs, result_types(cursor)?))
}

impl<'t, 'input> ModuleReader<'t, 'input> {
    pub(super) fn generic_module(&mut self, cursor: &mut Cursor<'t, 'input>) -> Parse<()> {
        let Frame { entries, region } = frame(cursor)?;
        if let Some(mut producer) = entries.get("producer") {
            self.parsed.module.producer = Some(string(&mut producer)?);
        }
        self.items(&region.items, false);
        self.locations.trailing(cursor)?;
        cursor.finish()
    }

    /// An entry, or a function of tests.
    pub(super) fn generic_function(
        &mut self,
        cursor: &mut Cursor<'t, 'input>,
        at: Span,
        test: bool,
    ) -> Parse<()> {
        let Frame { entries, region } = frame(cursor)?;
        let Some(mut name) = entries.get("sym_name") else {
            return fail(
                Code::MissingAttribute,
                "a function lacks `sym_name`",
                at,
                "no name",
            );
        };
        let name = string(&mut name)?;
        self.name_once(&name, at)?;
        let Some(mut types) = entries.get("function_type") else {
            return fail(
                Code::MissingAttribute,
                "a function lacks `function_type`",
                at,
                "no type",
            );
        };
        let (inputs, results) = signature(&mut types)?;
        let mut dicts = Vec::new();
        if let Some(mut list) = entries.get("arg_attrs") {
            list.expect("[")?;
            dicts = list.list("]", |cursor| dict(cursor, ScalarType::I64))?;
        }
        dicts.resize(inputs.len(), Dict::default());
        let mut optimization_hints = None;
        if let Some(mut given) = entries.get("optimization_hints") {
            given.eat("#cuda_tile.optimization_hints");
            optimization_hints = Some(hints(&mut given)?);
        }
        let private = match entries.get("sym_visibility") {
            Some(mut word) => string(&mut word)? == "private",
            None => false,
        };
        if region.items.is_empty() {
            let message = format!("the region of `@{name}` has 0 blocks, expected 1");
            return fail(Code::RegionCount, message, at, "expected 1 block");
        }
        let mut reader = self.body_reader();
        let entry = reader.body.add_block(reader.body.root());
        let (label, items) = block_label(region);
        if let Some(label) = label {
            match reader.label_arguments(label) {
                Ok(args) => reader.arguments(entry, args),
                Err(failure) => reader.report(failure),
            }
        }
        let params: Vec<_> = reader
            .body
            .params()
            .iter()
            .map(|&value| reader.body.ty(value).clone())
            .collect();
        if params != inputs {
            let message = format!(
                "the function type of `@{name}` has {} inputs, which are not the {} arguments of its block",
                inputs.len(),
                params.len()
            );
            let problem = tilewright_diagnostics::Diagnostic::error(Code::BlockArguments, message);
            reader.report(Some(Box::new(
                problem.at(at, "other arguments than the type says"),
            )));
        }
        reader.items(entry, items, (region.start, region.end), None);
        let func = NewFunc {
            name,
            at,
            attrs: attrs(Flag(private), optimization_hints, dicts),
            tests: test.then_some(results),
        };
        self.function(func, reader, |reader| {
            let place = reader.locations.trailing(cursor)?;
            cursor.finish()?;
            Ok(place)
        })
    }
}
