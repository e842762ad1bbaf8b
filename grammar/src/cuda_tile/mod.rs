//! The text of `cuda_tile`: from NVIDIA's textual form to a module and its debug information.
//!
//! Op names may have the dialect's prefix or not, the module a wrapper or not. One mistake gives one error; parsing
//! goes on at the next statement. An entry with a mistake is left out of the result, and the others are read.

mod body;
mod by_hand;
mod cursor;
mod lexer;
mod locations;
mod ops;
mod tree;
mod types;
mod values;

use lalrpop_util::lalrpop_mod;
use rustc_hash::FxHashMap;
use tilewright_diagnostics::{Code, Diagnostic, FileId, Span};
use tilewright_irs::core::{Flag, Func};
use tilewright_irs::cuda_tile::{
    Attr, DebugInfo, Dict, EntryAttrs, FuncLocations, Global, TileModule, Version,
};
use tilewright_irs::element::ScalarType;

use crate::expected;
use crate::stages::{FuncSpans, MAX_TEXT};
use crate::statements::lex;
use body::{Argument, BodyReader};
use by_hand::argument_name;
use cursor::{Cursor, Fail, Parse, fail};
use lexer::{Lexer, short};
use locations::Locations;
use tree::{Item, Region, Statement};
use types::{integer, tile, value_type};
use values::{dense, dict, hints, symbol};

lalrpop_mod!(
    #[allow(
        clippy::all,
        clippy::pedantic,
        unused_imports,
        unused_qualifications,
        unreachable_pub,
        missing_docs,
        missing_debug_implementations
    )]
    grammar,
    "/cuda_tile.rs"
);

/// A text read as a module.
#[derive(Clone, Debug)]
pub struct TileParsed {
    /// The globals and the entries without mistakes. Each op is its own origin.
    pub module: TileModule,
    /// Where the user's program says that each op stems from.
    pub debug: DebugInfo,
    /// Where each function of the module is in the text, in the module's order.
    pub spans: Vec<FuncSpans>,
    /// What is wrong, in the order of the text.
    pub diagnostics: Vec<Diagnostic<Span>>,
}

/// Parses a text. The module is not verified; its version is the latest one.
pub fn parse_tile_text(text: &str, file: FileId) -> TileParsed {
    let mut reader = ModuleReader {
        file,
        locations: Locations::new(file),
        parsed: TileParsed {
            module: TileModule::new(Version::LATEST),
            debug: DebugInfo::default(),
            spans: Vec::new(),
            diagnostics: Vec::new(),
        },
        symbols: FxHashMap::default(),
    };
    if text.len() > MAX_TEXT {
        let message = format!(
            "the text has {} bytes, and at most {MAX_TEXT} are accepted",
            text.len()
        );
        let problem = Diagnostic::error(Code::InputTooLarge, message).at(Span::new(file, 0, 0), "");
        reader.parsed.diagnostics.push(problem);
        return reader.parsed;
    }
    let mut lexed = lex::<Lexer<'_>>(text, file);
    let mut cx = tree::Context::default();
    let tokens = lexed.tokens.iter().copied().map(Ok);
    let items = match grammar::ItemsParser::new().parse(&mut cx, tokens) {
        Ok(items) => items,
        Err(error) => {
            cx.failed(error);
            Vec::new()
        }
    };
    reader.parsed.diagnostics.append(&mut lexed.problems);
    for (start, end, expected) in &cx.errors {
        let found = lexed.found(*start, *end);
        let problem = expected::unexpected(file, text, (*start, *end), expected, found);
        reader.parsed.diagnostics.push(problem);
    }
    reader.parsed.module.producer = text.strip_prefix("// Producer: ").map(|rest| {
        let line = rest.lines().next().unwrap_or_default();
        line.to_owned()
    });
    // Aliases stand at the end of the file and are used before.
    for item in &items {
        if let Item::Alias {
            name,
            start,
            end,
            clauses,
        } = item
        {
            let at = Span::new(file, *start, *end);
            let defined = reader.locations.define(name, clauses, at);
            reader.report(defined);
        }
    }
    reader.items(&items, true);
    let ModuleReader {
        locations,
        mut parsed,
        ..
    } = reader;
    parsed.debug.attrs = locations.attrs;
    parsed
        .diagnostics
        .sort_by_key(|problem| problem.primary.as_ref().map(|label| label.at.start));
    parsed
}

struct ModuleReader<'t, 'input> {
    file: FileId,
    locations: Locations<'t, 'input>,
    parsed: TileParsed,
    /// The entries and globals, and where they are.
    symbols: FxHashMap<String, Span>,
}

impl<'t, 'input> ModuleReader<'t, 'input> {
    fn report(&mut self, result: Parse<()>) {
        if let Err(failure) = result {
            self.fail(failure);
        }
    }

    fn fail(&mut self, failure: Fail) {
        self.parsed.diagnostics.extend(failure.map(|problem| *problem));
    }

    fn items(&mut self, items: &'t [Item<'input>], top: bool) {
        for item in items {
            match item {
                Item::Statement(statement) => {
                    let read = self.statement(statement);
                    self.report(read);
                }
                Item::Alias { start, end, .. } if !top => {
                    let at = Span::new(self.file, *start, *end);
                    let message = "an alias is defined outside of all braces";
                    self.fail(Some(Box::new(
                        Diagnostic::error(Code::MisplacedOp, message).at(at, "not here"),
                    )));
                }
                Item::Alias { .. } | Item::Broken => {}
            }
        }
    }

    fn statement(&mut self, statement: &'t Statement<'input>) -> Parse<()> {
        let at = Span::new(self.file, statement.start, statement.end);
        let mut cursor = Cursor::new(&statement.clauses, self.file, statement.end);
        match short(statement.name) {
            "module" => self.module(&mut cursor),
            "entry" => self.entry(&mut cursor),
            "global" => self.global(&mut cursor),
            name => {
                let message = format!("`{name}` does not belong here: expected `entry` or `global`");
                fail(Code::MisplacedOp, message, at, "expected `entry` or `global`")
            }
        }
    }

    fn module(&mut self, cursor: &mut Cursor<'t, 'input>) -> Parse<()> {
        if cursor.peek().starts_with('@') {
            symbol(cursor)?;
        }
        if cursor.eat("attributes") {
            for (name, value) in dict(cursor, ScalarType::I64)?.0 {
                if let ("producer", Attr::String(producer)) = (name.as_str(), value) {
                    self.parsed.module.producer = Some(producer);
                }
            }
        }
        let region: &Region<'input> = cursor.region()?;
        self.items(&region.items, false);
        self.locations.trailing(cursor)?;
        cursor.finish()
    }

    fn name(&mut self, cursor: &mut Cursor<'t, 'input>) -> Parse<(String, Span)> {
        let at = cursor.span();
        let name = symbol(cursor)?;
        if let Some(first) = self.symbols.get(&name) {
            let problem = Diagnostic::error(Code::DuplicateSymbol, format!("`@{name}` is defined twice"))
                .at(at, "defined again here")
                .also(*first, "first defined here");
            return Err(Some(Box::new(problem)));
        }
        self.symbols.insert(name.clone(), at);
        Ok((name, at))
    }

    fn global(&mut self, cursor: &mut Cursor<'t, 'input>) -> Parse<()> {
        let private = !cursor.eat("public") && cursor.eat("private");
        let constant = cursor.eat("constant");
        let (name, _) = self.name(cursor)?;
        let mut alignment = 0;
        if cursor.eat("alignment") {
            cursor.expect("=")?;
            alignment = integer(cursor)?;
        }
        let value = dense(cursor)?;
        cursor.expect(":")?;
        let ty = tile(cursor)?;
        self.locations.trailing(cursor)?;
        cursor.finish()?;
        self.parsed.module.globals.push(Global {
            name,
            ty,
            value,
            alignment,
            private,
            constant,
        });
        Ok(())
    }

    fn entry(&mut self, cursor: &mut Cursor<'t, 'input>) -> Parse<()> {
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
            Ok(Argument { name, at, ty })
        })?;
        let mut optimization_hints = None;
        if cursor.eat("optimization_hints") {
            cursor.expect("=")?;
            optimization_hints = Some(hints(cursor)?);
        }
        let any = dicts.iter().any(|dict| !dict.0.is_empty());
        let attrs = EntryAttrs {
            private,
            optimization_hints,
            arg_attrs: any.then(|| dicts.into_iter().map(Attr::Dict).collect()),
        };
        let region: &'t Region<'input> = cursor.region()?;
        let locations = std::mem::replace(&mut self.locations, Locations::new(self.file));
        let mut reader = BodyReader::new(self.file, locations);
        let entry = reader.body.add_block(reader.body.root());
        reader.arguments(entry, params);
        reader.items(entry, region, Some("return"));
        let BodyReader {
            body,
            locations,
            spans,
            places,
            mut problems,
            broken,
            ..
        } = reader;
        self.locations = locations;
        self.parsed.diagnostics.append(&mut problems);
        let func = self.locations.trailing(cursor)?;
        cursor.finish()?;
        if !broken {
            self.parsed.module.funcs.push(Func {
                name,
                attrs,
                body: body.renumbered(),
            });
            self.parsed.debug.funcs.push(FuncLocations { func, ops: places });
            self.parsed.spans.push(FuncSpans { name: at, ops: spans });
        }
        Ok(())
    }
}
