//! Reads the text of `cuda_tile` (NVIDIA's syntax) to a module and its debug information.
//!
//! Op names may have the dialect's prefix or not, the module a wrapper or not. An error is reported once; parsing
//! continues at the next statement. An entry with errors is left out of the result; its readable parts are verified
//! here, so that one run reports all errors and none that only follow from another.

mod aliases;
mod alternatives;
mod attributes;
mod body;
mod by_hand;
mod completion;
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
mod places;
mod preview;
mod preview_call;
mod preview_functions;
mod progress;
mod recording;
mod scope;
mod tree;
mod types;
mod values;

use std::rc::Rc;

use lalrpop_util::lalrpop_mod;
use rustc_hash::FxHashMap;
use tilewright_diagnostics::{Code, Diagnostic, FileId, Span};
use tilewright_irs::core::{Func, nearest};
use tilewright_irs::cuda_tile::preview::Features;
use tilewright_irs::cuda_tile::{CudaTile, DebugInfo, EntryAttrs, TileModule, TileType, Version};

pub use completion::{Expected, ExpectedValue, ExpectedWord, WordKind, expected_after};

use crate::expected::{self, Found};
use crate::snapshot::without_snapshot_header;
use crate::stages::{FuncSpans, MAX_TEXT, show_definitions};
use crate::statements::lex;
use body::{Implicit, LostNames};
use completion::Recorder;
use cursor::{Cursor, Fail, Parse};
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

/// What stands in a module.
const MODULE_ITEMS: &[&str] = &["entry", "global"];

/// A parsed text.
#[derive(Clone, Debug)]
pub struct TileParsed {
    /// The globals and the entries without errors. Each op is its own origin.
    pub module: TileModule,
    /// The source locations of ops in the user's program.
    pub debug: DebugInfo,
    /// The spans of the module's functions, in the module's order.
    pub spans: Vec<FuncSpans>,
    /// The spans of the names of the module's globals, in the module's order.
    pub globals: Vec<Span>,
    /// The spans of the names of the module's external functions, in the module's order.
    pub externals: Vec<Span>,
    /// The readable parts of functions with errors.
    pub partial: Vec<(Func<CudaTile>, FuncSpans)>,
    /// The functions of NVIDIA's tests in the module; see [`TextOptions::testing`].
    pub tests: Vec<TestFunction>,
    /// The errors, in textual order, including the verifier's errors about functions that are not in the module.
    pub diagnostics: Vec<Diagnostic<Span>>,
}

/// Enabled extensions of the language.
#[derive(Clone, Copy, Debug, Default)]
pub struct TextOptions {
    /// Enables the syntax of NVIDIA's own tests: functions `testing$func` with parameters and results of any types,
    /// ops of other dialects in the generic form, and ops outside of all functions.
    pub testing: bool,
    /// The enabled preview content.
    pub preview: Features,
}

/// A function of NVIDIA's tests.
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

/// Parses a text with extensions of the language.
pub fn parse_tile_text_with(text: &str, file: FileId, options: TextOptions) -> TileParsed {
    parse_recording(text, file, options, None)
}

/// Parses a text, and records what is looked for at its end.
fn parse_recording(
    text: &str,
    file: FileId,
    options: TextOptions,
    recorder: Option<&Recorder>,
) -> TileParsed {
    let mut reader = ModuleReader {
        file,
        options,
        recorder,
        locations: Locations::new(file),
        parsed: TileParsed {
            module: TileModule::new(Version::LATEST),
            debug: DebugInfo::default(),
            spans: Vec::new(),
            globals: Vec::new(),
            externals: Vec::new(),
            partial: Vec::new(),
            tests: Vec::new(),
            diagnostics: Vec::new(),
        },
        symbols: FxHashMap::default(),
        partial: Partial::default(),
        lost: Rc::default(),
        read_to: 0,
        head: 0,
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
    if let Some(recorder) = recorder {
        recorder.begin(&lexed);
    }
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
        // Only the first invalid character of a statement is reported.
        if matches!(found, Found::Bad | Found::OpenString)
            && bad.replace(statement.start) == Some(statement.start)
        {
            continue;
        }
        // Nothing is expected instead of invalid characters in an otherwise readable statement.
        if !expected.is_empty() {
            let tokens = lexed.tokens.get(statement.clone()).unwrap_or_default();
            for (at, token, _) in tokens {
                if let Token::Value(name) = token {
                    let name = name.trim_start_matches('%');
                    lost.names.entry(name).or_default().push(*at);
                }
            }
            if let Some((at, token, _)) = tokens.first()
                && !matches!(token, Token::Value(_))
            {
                lost.nameless.push(*at);
            }
        }
        let mut problem = expected::unexpected(file, text, (*start, *end), expected, found);
        let before = at.checked_sub(1).and_then(|before| lexed.tokens.get(before));
        if let Some(&(start, Token::Alias(name), _)) =
            before.filter(|_| expected.iter().any(|one| one == "\"=\""))
        {
            problem = cursor::comment(problem, Span::new(file, start, start + name.len()));
        }
        reader.parsed.diagnostics.push(problem);
    }
    reader.parsed.module.producer = without_snapshot_header(text)
        .strip_prefix("// Producer: ")
        .map(|rest| {
            let line = rest.lines().next().unwrap_or_default();
            line.to_owned()
        });
    // Aliases are defined at the end of the file and used before.
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
    let places = lost.names.values_mut().chain([&mut lost.nameless]);
    places.for_each(|places| places.sort_unstable());
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
    let read = parsed.partial.iter().map(|(_, spans)| spans);
    show_definitions(text, &mut parsed.diagnostics, parsed.spans.iter().chain(read));
    parsed
        .diagnostics
        .sort_by_key(|problem| problem.primary.as_ref().map(|label| label.at.start));
    once(text, &functions, &mut parsed.diagnostics);
    parsed
}

struct ModuleReader<'t, 'input> {
    file: FileId,
    options: TextOptions,
    recorder: Option<&'t Recorder>,
    locations: Locations<'t, 'input>,
    parsed: TileParsed,
    /// The entries and globals, with their spans.
    symbols: FxHashMap<String, Span>,
    frame: Frame,
    /// The readable parts of functions with errors.
    partial: Partial,
    /// The names of values in unreadable lines.
    lost: Rc<LostNames<'input>>,
    /// The end of the last region that has been parsed.
    read_to: usize,
    /// The start of the current item of the module.
    head: usize,
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
                        self.head = region.start;
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

    /// Parses the regions of a statement that have not been parsed, to report their errors; `lost` tells that another
    /// part of it is unreadable.
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

    /// Ops outside of all functions, as the body of a function of NVIDIA's tests.
    fn loose(&mut self, statements: Vec<&'t Statement<'input>>) {
        let Some(&first) = statements.first() else { return };
        let at = Span::new(self.file, first.start, first.end);
        let mut reader = self.body_reader(at);
        reader.outside = true;
        let entry = reader.body.add_block(reader.body.root());
        for statement in statements {
            reader.statement(entry, statement);
        }
        reader.items(entry, &[], (first.start, first.end), Some(Implicit::Return));
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
        self.head = statement.start;
        let mut cursor = Cursor::new(&statement.clauses, self.file, statement.end)
            .allowing(self.options.preview)
            .recording(self.recorder);
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
                let problem =
                    Diagnostic::error(Code::MisplacedOp, message).at(at, "expected `entry` or `global`");
                Err(Some(Box::new(
                    match nearest(name, MODULE_ITEMS.iter().copied()) {
                        Some(near) => problem.meant(at, near),
                        None => problem,
                    },
                )))
            }
        }
    }

    /// A symbol that is defined here, and whether it is the first definition.
    fn name(&mut self, cursor: &mut Cursor<'t, 'input>) -> Parse<(String, Span, bool)> {
        let at = cursor.span();
        let name = symbol(cursor)?;
        let first = self.name_once(&name, at);
        Ok((name, at, first))
    }

    /// Records a symbol that is defined here; returns whether it is the first of its name.
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
