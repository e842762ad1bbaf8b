//! Modules and functions in MLIR's generic form, with properties in a dictionary.

use tilewright_diagnostics::{Code, Span, counted};
use tilewright_irs::core::{Attributes, Flag};
use tilewright_irs::cuda_tile::{Attr, Dict, EntryAttrs, Global, TileType};
use tilewright_irs::element::ScalarType;

use super::ModuleReader;
use super::cursor::{Cursor, Parse, fail};
use super::entries::Entries;
use super::functions::{NewFunc, PlacedHints, attrs};
use super::generic::{regions, result_types};
use super::literals::string;
use super::places::Places;
use super::tree::{Region, block_label};
use super::types::{integer, value_type};
use super::values::{attr, dict};

/// The attributes of globals and of functions.
const GLOBAL: [&str; 5] = ["sym_name", "sym_visibility", "value", "alignment", "constant"];
const FUNCTION: [&str; 5] = [
    "sym_name",
    "sym_visibility",
    "function_type",
    "arg_attrs",
    "optimization_hints",
];

/// The parts of a module or function in the generic form.
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

/// Whether a symbol is hidden from the host.
fn private(entries: &Entries<'_, '_>) -> Parse<bool> {
    match entries.get("sym_visibility") {
        Some(mut word) => Ok(string(&mut word)? == "private"),
        None => Ok(false),
    }
}

impl<'t, 'input> ModuleReader<'t, 'input> {
    pub(super) fn generic_module(
        &mut self,
        cursor: &mut Cursor<'t, 'input>,
        at: Span,
        own: bool,
    ) -> Parse<()> {
        let Frame { entries, region } = frame(cursor)?;
        let whole = self.module_of(&entries, region, at, own)?;
        self.module_place(cursor, whole)
    }

    /// `() <{…}> : () -> ()`
    pub(super) fn generic_global(&mut self, cursor: &mut Cursor<'t, 'input>, at: Span) -> Parse<()> {
        let mut entries = Entries::default();
        for token in ["(", ")", "<"] {
            cursor.expect(token)?;
        }
        entries.read(cursor)?;
        for token in [">", ":", "(", ")", "->", "(", ")"] {
            cursor.expect(token)?;
        }
        self.locations.trailing(cursor)?;
        cursor.finish()?;
        let (Some(mut name), Some(mut value)) = (entries.get("sym_name"), entries.get("value")) else {
            return fail(
                Code::MissingAttribute,
                "a global lacks `sym_name` or `value`",
                at,
                "incomplete",
            );
        };
        let name = string(&mut name)?;
        let sound = self.name_once(&name, at);
        if sound {
            self.partial.symbols.insert(name.clone());
        }
        let Attr::Dense(ty, value) = attr(&mut value, ScalarType::I64)? else {
            return fail(
                Code::AttributeKind,
                "the value of a global is no `dense`",
                at,
                "no elements",
            );
        };
        let alignment = match entries.get("alignment") {
            Some(mut alignment) => integer(&mut alignment)?,
            None => 0,
        };
        self.parsed.diagnostics.extend(entries.ignored(&GLOBAL));
        let global = Global {
            name,
            ty,
            value,
            alignment,
            private: private(&entries)?,
            constant: entries.get("constant").is_some(),
        };
        self.add_global(global, at, sound);
        Ok(())
    }

    /// An entry, or a function of NVIDIA's tests.
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
        let sound = self.name_once(&name, at);
        let Some(mut types) = entries.get("function_type") else {
            return fail(
                Code::MissingAttribute,
                "a function lacks `function_type`",
                at,
                "no type",
            );
        };
        let (inputs, results) = signature(&mut types)?;
        let mut parts = Vec::new();
        let mut dicts = Vec::new();
        if let Some(mut list) = entries.get("arg_attrs") {
            list.expect("[")?;
            let of = EntryAttrs::part("arg_attrs");
            let mut number = 0usize;
            dicts = list.list("]", |cursor| {
                let start = cursor.span();
                let mut places = Places::new(of.entry(number));
                number = number.saturating_add(1);
                let dict = dict(cursor, ScalarType::I64, &mut places)?;
                parts.push((places.of, cursor.since(start)));
                parts.append(&mut places.list);
                Ok(dict)
            })?;
        }
        dicts.resize(inputs.len(), Dict::default());
        let mut hints = PlacedHints::default();
        if let Some(mut given) = entries.get("optimization_hints") {
            hints.read(&mut given)?;
        }
        parts.append(&mut hints.parts);
        let private = private(&entries)?;
        self.parsed.diagnostics.extend(entries.ignored(&FUNCTION));
        if region.items.is_empty() {
            let message = format!("the region of `@{name}` has 0 blocks, expected 1");
            return fail(Code::RegionCount, message, at, "expected 1 block");
        }
        let mut reader = self.body_reader(at);
        reader.place_attributes(parts);
        let entry = reader.body.add_block(reader.body.root());
        let (label, items) = block_label(region);
        if let Some(label) = label {
            match reader.label_arguments(label) {
                Ok(args) => reader.arguments(entry, tilewright_irs::core::Origin::FUNCTION, args),
                Err(failure) => {
                    reader.report(failure);
                    reader.lost_arguments(entry, label);
                }
            }
        }
        let params: Vec<_> = reader
            .body
            .params()
            .iter()
            .map(|&value| reader.body.ty(value).clone())
            .collect();
        if params != inputs && !reader.broken {
            let message = format!(
                "the function type of `@{name}` has {}, its block {}: expected the same types",
                counted(inputs.len(), "input"),
                counted(params.len(), "argument")
            );
            let problem = tilewright_diagnostics::Diagnostic::error(Code::BlockArguments, message);
            reader.report(Some(Box::new(
                problem.at(at, "other arguments than the type says"),
            )));
        }
        reader.items(entry, items, (region.start, region.end), None);
        reader.broken |= !sound;
        let func = NewFunc {
            name,
            at,
            attrs: attrs(Flag(private), hints.given, dicts),
            tests: test.then_some(results),
        };
        self.function(func, reader, region.end, |reader| {
            let place = reader.locations.trailing(cursor)?;
            cursor.finish()?;
            Ok(place)
        });
        Ok(())
    }
}
