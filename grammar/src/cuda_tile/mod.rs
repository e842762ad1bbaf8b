//! The text of `cuda_tile`: from NVIDIA's textual form to a module and its debug information.
//!
//! Op names may have the dialect's prefix or not, the module a wrapper or not. One mistake gives one error; parsing
//! goes on at the next statement. An entry with a mistake is left out of the result; what could be read of it is verified
//! here, so that one run tells all mistakes and none that only follows from another.

mod aliases;
mod attributes;
mod body;
mod by_hand;
mod cursor;
mod debug_parts;
mod dense;
mod entries;
mod functions;
mod generic;
mod generic_module;
mod lexer;
mod literals;
mod locations;
mod lost;
mod module;
mod ops;
mod optional;
mod partial;
mod preview;
mod preview_call;
mod preview_functions;
mod progress;
mod scope;
mod tree;
mod types;
mod values;

use std::rc::Rc;

use lalrpop_util::lalrpop_mod;
use rustc_hash::FxHashMap;
use tilewright_diagnostics::{Code, Diagnostic, FileId, Span};
use tilewright_irs::cuda_tile::preview::Features;
use tilewright_irs::cuda_tile::{DebugInfo, EntryAttrs, TileModule, TileType, Version};

use crate::expected::{self, Found};
use crate::stages::{FuncSpans, MAX_TEXT};
use crate::statements::lex;
use body::LostNames;
use cursor::{Cursor, Fail, Parse, fail};
use functions::{NewFunc, frame_name, in_frame};
use lexer::{EXTERN_FUNC, EXTERN_IMPL, Lexer, TEST_FUNC, Token, is_preview, quoted_name};
use literals::symbol;
use locations::Locations;
use module::Frame;
use partial::{Partial, once};
use tree::{Clause, Item, Statement, has_bad_token, regions_of};

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
    /// Where the name of each global of the module is, in the module's order.
    pub globals: Vec<Span>,
    /// Where the name of each function is that is implemented outside of the module, in the module's order.
    pub externals: Vec<Span>,
    /// The functions of the module that are of the kind of tests; see [`TextOptions::testing`].
    pub tests: Vec<TestFunction>,
    /// What is wrong, in the order of the text; of functions that are not in the module also what the verifier says.
    pub diagnostics: Vec<Diagnostic<Span>>,
}

/// What a text may have beside the language itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct TextOptions {
    /// What NVIDIA's own tests have: functions `testing$func` with parameters and results of any types, ops of other
    /// dialects in the generic form, and ops outside of all functions.
    pub testing: bool,
    /// The preview content that it may have.
    pub preview: Features,
}

/// A function of the kind that only tests have.
#[derive(Clone, Debug)]
pub struct TestFunction {
    /// Its name.
    pub name: String,
    /// The types of its results.
    pub results: Vec<TileType>,
}

/// Parses a text. The module is not verified; its version is the latest one.
pub fn parse_tile_text(text: &str, file: FileId) -> TileParsed {
    parse_tile_text_with(text, file, TextOptions::default())
}

/// Parses a text that may have more than the language itself.
pub fn parse_tile_text_with(text: &str, file: FileId, options: TextOptions) -> TileParsed {
    let mut reader = ModuleReader {
        file,
        options,
        locations: Locations::new(file),
        parsed: TileParsed {
            module: TileModule::new(Version::LATEST),
            debug: DebugInfo::default(),
            spans: Vec::new(),
            globals: Vec::new(),
            externals: Vec::new(),
            tests: Vec::new(),
            diagnostics: Vec::new(),
        },
        symbols: FxHashMap::default(),
        partial: Partial::default(),
        lost: Rc::default(),
        read_to: 0,
        frame: Frame::Nothing,
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
    let (items, mut misnamed) = aliases::expand(items, file, text.len());
    reader.parsed.diagnostics.append(&mut lexed.problems);
    reader.parsed.diagnostics.append(&mut misnamed);
    let mut lost = LostNames::default();
    let mut bad = None;
    let mut statement = 0..0;
    for (start, end, expected) in &cx.errors {
        let found = lexed.found(*start, *end);
        let at = lexed.position(*start, *end);
        if !statement.contains(&at) {
            statement = lexed.statement(at);
        }
        if matches!(found, Found::Bad | Found::OpenString) {
            // Of several such characters in one statement the first is enough.
            if bad.replace(statement.start) == Some(statement.start) {
                continue;
            }
        } else {
            for (at, token, _) in lexed.tokens.get(statement.clone()).unwrap_or_default() {
                if let Token::Value(name) = token {
                    lost.entry(name.trim_start_matches('%')).or_default().push(*at);
                }
            }
        }
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
    lost.values_mut().for_each(|places| places.sort_unstable());
    reader.lost = Rc::new(lost);
    reader.items(&items, true);
    let unused = reader.locations.check_unused();
    reader
        .parsed
        .diagnostics
        .extend(unused.into_iter().flatten().map(|problem| *problem));
    let ModuleReader {
        locations,
        mut parsed,
        partial,
        ..
    } = reader;
    parsed.debug.attrs = locations.attrs;
    let functions = parsed.spans.iter().chain(&partial.spans);
    let mut functions: Vec<u32> = functions.map(|spans| spans.name.start).collect();
    functions.sort_unstable();
    partial.verify(&mut parsed);
    parsed
        .diagnostics
        .sort_by_key(|problem| problem.primary.as_ref().map(|label| label.at.start));
    once(text, &functions, &mut parsed.diagnostics);
    parsed
}

struct ModuleReader<'t, 'input> {
    file: FileId,
    options: TextOptions,
    locations: Locations<'t, 'input>,
    parsed: TileParsed,
    /// The entries and globals, and where they are.
    symbols: FxHashMap<String, Span>,
    frame: Frame,
    /// What could not be read as a whole.
    partial: Partial,
    /// The names of values in lines that could not be read.
    lost: Rc<LostNames<'input>>,
    /// The end of the last region that has been read.
    read_to: usize,
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
        let mut loose = Vec::new();
        for item in items {
            match item {
                Item::Statement(statement) => {
                    if self.options.testing && !in_frame(statement.name) {
                        loose.push(statement);
                        continue;
                    }
                    let read = self.statement(statement);
                    let lost = read.is_err();
                    if let Err(failure) = read {
                        self.fail(failure.filter(|_| !has_bad_token(&statement.clauses)));
                    }
                    self.lost_statement(statement, lost);
                }
                Item::Alias { start, end, .. } if !top => {
                    let at = Span::new(self.file, *start, *end);
                    let message = "an alias is defined outside of all braces";
                    self.fail(Some(Box::new(
                        Diagnostic::error(Code::MisplacedOp, message).at(at, "not here"),
                    )));
                }
                Item::Broken(regions) => {
                    for region in regions {
                        let at = Span::new(self.file, region.start, region.end);
                        self.lost_function(&[], region, at);
                    }
                }
                Item::Alias { .. } => {}
            }
        }
        if !loose.is_empty() {
            self.loose(loose);
        }
    }

    /// Reads the regions of a statement that have not been read, to see what is wrong with them; `lost` says that
    /// something else of it could not be read.
    fn lost_statement(&mut self, statement: &'t Statement<'input>, lost: bool) {
        let at = Span::new(self.file, statement.start, statement.end);
        let name = frame_name(statement.name);
        for region in regions_of(&statement.clauses) {
            if region.end <= self.read_to {
                continue;
            }
            if name == "module" {
                self.items(&region.items, false);
            } else {
                self.lost_function(&statement.clauses, region, at);
            }
            self.read_to = region.end;
        }
        if lost && matches!(name, "global" | EXTERN_FUNC | EXTERN_IMPL) {
            let named = statement.clauses.iter().any(|clause| match clause {
                Clause::Token { text, .. } => {
                    let name = text.trim_matches(['@', '"']);
                    self.partial.symbols.contains(name) || self.symbols.contains_key(name)
                }
                Clause::Region(_) | Clause::Bad { .. } => false,
            });
            self.partial.any_symbol |= !named;
        }
    }

    /// Ops outside of all functions, as the body of a function of tests.
    fn loose(&mut self, statements: Vec<&'t Statement<'input>>) {
        let Some(&first) = statements.first() else { return };
        let at = Span::new(self.file, first.start, first.end);
        let mut reader = self.body_reader(at);
        reader.outside = true;
        let entry = reader.body.add_block(reader.body.root());
        for statement in statements {
            reader.statement(entry, statement);
        }
        reader.items(entry, &[], (first.start, first.end), Some("return"));
        let func = NewFunc {
            name: format!("loose{}", self.parsed.module.funcs.len()),
            at,
            attrs: EntryAttrs::default(),
            tests: Some(Vec::new()),
        };
        self.function(func, reader, self.read_to, |_| Ok(None));
    }

    fn statement(&mut self, statement: &'t Statement<'input>) -> Parse<()> {
        let at = Span::new(self.file, statement.start, statement.end);
        let mut cursor =
            Cursor::new(&statement.clauses, self.file, statement.end).allowing(self.options.preview);
        let generic = quoted_name(statement.name);
        let name = frame_name(statement.name);
        if in_frame(statement.name) && name != "module" {
            self.in_module(at)?;
        }
        let around = matches!(statement.name, "module" | "builtin.module" | "\"builtin.module\"");
        match name {
            "module" if generic.is_some() => self.generic_module(&mut cursor, at, !around),
            "module" => self.module(&mut cursor, at, !around),
            "entry" if generic.is_some() => self.generic_function(&mut cursor, at, false),
            TEST_FUNC if self.options.testing && generic.is_some() => {
                self.generic_function(&mut cursor, at, true)
            }
            "entry" => self.entry(&mut cursor, false),
            TEST_FUNC if self.options.testing => self.entry(&mut cursor, true),
            "global" if generic.is_some() => self.generic_global(&mut cursor, at),
            "global" => self.global(&mut cursor),
            name if is_preview(statement.name) && !self.options.preview.simt => cursor::preview(name, at),
            EXTERN_FUNC => self.extern_func(&mut cursor),
            EXTERN_IMPL => self.extern_impl(&mut cursor),
            name => {
                let message = format!("`{name}` does not belong here: expected `entry` or `global`");
                fail(Code::MisplacedOp, message, at, "expected `entry` or `global`")
            }
        }
    }

    /// A symbol that is defined here, and whether that is so for the first time.
    fn name(&mut self, cursor: &mut Cursor<'t, 'input>) -> Parse<(String, Span, bool)> {
        let at = cursor.span();
        let name = symbol(cursor)?;
        let first = self.name_once(&name, at);
        Ok((name, at, first))
    }

    /// Notes a symbol that is defined here; whether it is the first of its name.
    fn name_once(&mut self, name: &str, at: Span) -> bool {
        if let Some(first) = self.symbols.get(name) {
            let problem = Diagnostic::error(Code::DuplicateSymbol, format!("`@{name}` is defined twice"))
                .at(at, "defined again here")
                .also(*first, "first defined here");
            self.fail(Some(Box::new(problem)));
            return false;
        }
        self.symbols.insert(name.to_owned(), at);
        true
    }
}
