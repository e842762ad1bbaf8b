//! A cursor over a statement's tokens.

use tilewright_diagnostics::{Code, Diagnostic, FileId, Span};
use tilewright_irs::cuda_tile::preview::Features;

use super::alternatives::{Alternative, Tried};
use super::completion::Recorder;
use super::lexer::{is_attribute_alias, short};
use super::tree::{Clause, Region};

/// A parse failure: a diagnostic, or `None` if it has been reported.
pub(crate) type Fail = Option<Box<Diagnostic<Span>>>;

/// The result of parsing.
pub(crate) type Parse<T> = Result<T, Fail>;

/// A place in a statement's tokens.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'t, 'input> {
    clauses: &'t [Clause<'input>],
    file: FileId,
    /// The end of the last token, where errors about missing text are reported.
    last: usize,
    /// The enabled preview content.
    features: Features,
    /// Current nesting depth of types.
    pub(crate) types: u8,
    /// What was looked for at the next token.
    tried: Tried,
    /// What records what is looked for at the end of the text, for completion.
    recorder: Option<&'t Recorder>,
}

impl<'t, 'input> Cursor<'t, 'input> {
    /// The tokens of a statement whose head ends at `after`.
    pub(crate) fn new(clauses: &'t [Clause<'input>], file: FileId, after: usize) -> Self {
        Self {
            clauses,
            file,
            last: after,
            features: Features::NONE,
            types: 0,
            tried: Tried::NONE,
            recorder: None,
        }
    }

    /// The same tokens with preview content enabled.
    pub(crate) fn allowing(mut self, features: Features) -> Self {
        self.features = features;
        self
    }

    /// The same tokens with a recorder.
    pub(crate) fn recording(mut self, recorder: Option<&'t Recorder>) -> Self {
        self.recorder = recorder;
        self
    }

    /// Records what may follow at the end of the text.
    fn record(&self, tried: &Tried, complete: bool) {
        let recorder = self.recorder.filter(|_| self.at_end());
        if let Some(recorder) = recorder.filter(|recorder| recorder.is_at(self.last)) {
            recorder.statement(tried.all(), complete);
        }
    }

    /// Checks that preview content is enabled.
    pub(crate) fn preview(&self, at: Span) -> Parse<()> {
        if self.features.simt {
            return Ok(());
        }
        preview(self.peek(), at)
    }

    /// The text of the next token; empty at a region and at the end.
    pub(crate) fn peek(&self) -> &'input str {
        self.peek_at(0)
    }

    /// The text of the `n`-th token from here.
    pub(crate) fn peek_at(&self, n: usize) -> &'input str {
        match self.clauses.get(n) {
            Some(Clause::Token { text, .. }) => text,
            Some(Clause::Region(_) | Clause::Bad { .. }) | None => "",
        }
    }

    /// Whether nothing is left.
    pub(crate) fn at_end(&self) -> bool {
        self.clauses.is_empty()
    }

    /// The span of the next token, or the position after the last one.
    pub(crate) fn span(&self) -> Span {
        match self.clauses.first() {
            Some(Clause::Token { start, end, .. } | Clause::Bad { start, end }) => {
                Span::new(self.file, *start, *end)
            }
            Some(Clause::Region(_)) | None => Span::new(self.file, self.last, self.last),
        }
    }

    /// The span from `start` to the last token.
    pub(crate) fn since(&self, start: Span) -> Span {
        start.to(Span::new(self.file, self.last, self.last))
    }

    /// Takes the next token.
    pub(crate) fn take(&mut self) -> &'input str {
        match self.clauses.split_first() {
            Some((Clause::Token { text, end, .. }, rest)) => {
                self.clauses = rest;
                self.last = *end;
                self.tried.clear();
                text
            }
            Some((Clause::Region(_) | Clause::Bad { .. }, _)) | None => "",
        }
    }

    /// Takes the next token if it is `text`.
    pub(crate) fn eat(&mut self, text: &'static str) -> bool {
        let found = !text.is_empty() && self.peek() == text;
        if found {
            self.take();
        } else {
            self.note(Alternative::Text(text));
        }
        found
    }

    /// Records that something was looked for at the next token, and is not there.
    pub(crate) fn note(&mut self, alternative: Alternative) {
        self.tried.note(alternative);
    }

    /// Takes the next token, which must be `text`.
    pub(crate) fn expect(&mut self, text: &'static str) -> Parse<()> {
        if self.eat(text) { Ok(()) } else { self.unexpected() }
    }

    /// Skips a value in a list, up to the comma or bracket that ends it.
    pub(crate) fn skip_value(&mut self) {
        let mut depth = 0usize;
        loop {
            match self.peek() {
                "" => return,
                "(" | "[" | "<" | "{" => depth += 1,
                ")" | "]" | ">" | "}" => match depth.checked_sub(1) {
                    Some(outer) => depth = outer,
                    None => return,
                },
                "," if depth == 0 => return,
                _ => {}
            }
            self.take();
        }
    }

    /// Skips to the next argument, `%name:`, before a region; returns whether there is one.
    pub(crate) fn skip_to_argument(&mut self) -> bool {
        while let Some((Clause::Token { .. } | Clause::Bad { .. }, rest)) = self.clauses.split_first() {
            let name = self.peek().strip_prefix('%');
            if name.is_some_and(|name| !name.contains('#')) && self.peek_at(1) == ":" {
                self.tried.clear();
                return true;
            }
            self.clauses = rest;
        }
        false
    }

    /// Whether a region is next.
    pub(crate) fn at_region(&self) -> bool {
        matches!(self.clauses.first(), Some(Clause::Region(_)))
    }

    /// Whether a region is next after a token.
    pub(crate) fn region_follows_word(&self) -> bool {
        matches!(self.clauses, [Clause::Token { .. }, Clause::Region(_), ..])
    }

    /// Skips to the next region, or to the end.
    pub(crate) fn skip_to_region(&mut self) {
        while let Some((Clause::Token { .. } | Clause::Bad { .. }, rest)) = self.clauses.split_first() {
            self.clauses = rest;
        }
    }

    /// Takes a region.
    pub(crate) fn region(&mut self) -> Parse<&'t Region<'input>> {
        match self.clauses.split_first() {
            Some((Clause::Region(region), rest)) => {
                self.clauses = rest;
                self.last = region.end;
                self.tried.clear();
                Ok(region)
            }
            Some((Clause::Token { .. } | Clause::Bad { .. }, _)) | None => self.wrong("a region in braces"),
        }
    }

    /// Items with commas between them, up to `close`, which is taken.
    pub(crate) fn list<T>(
        &mut self,
        close: &'static str,
        mut item: impl FnMut(&mut Self) -> Parse<T>,
    ) -> Parse<Vec<T>> {
        let mut items = Vec::new();
        if self.eat(close) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.eat(close) {
                return Ok(items);
            }
            if !self.eat(",") {
                return self.unexpected();
            }
        }
    }

    /// An error that this was expected here, or what else was looked for.
    pub(crate) fn wrong<T>(&self, expected: impl Into<Alternative>) -> Parse<T> {
        let mut tried = self.tried;
        tried.note(expected.into());
        self.fails(&tried)
    }

    /// An error that something was expected here that was looked for.
    pub(crate) fn unexpected<T>(&self) -> Parse<T> {
        self.fails(&self.tried)
    }

    fn fails<T>(&self, tried: &Tried) -> Parse<T> {
        self.record(tried, false);
        let failure = self.wrong_as(&tried.describe());
        let Some(Clause::Token { text, end, .. }) = self.clauses.first() else {
            return failure;
        };
        let word = short(text).trim_start_matches('#');
        let Some(near) = tried.meant(word) else {
            return failure;
        };
        let at = Span::new(self.file, end.saturating_sub(word.len()), *end);
        failure.map_err(|problem| problem.map(|problem| Box::new(problem.meant(at, near))))
    }

    /// An error that something else was expected here, in words.
    pub(crate) fn wrong_as<T>(&self, expected: &str) -> Parse<T> {
        let label = format!("expected {expected}");
        let problem = match self.clauses.first() {
            Some(Clause::Token { text, .. }) => {
                Diagnostic::error(Code::UnexpectedToken, format!("unexpected `{text}`: {label}"))
            }
            // This has been reported.
            Some(Clause::Bad { .. }) => return Err(None),
            Some(Clause::Region(_)) => {
                Diagnostic::error(Code::UnexpectedToken, format!("unexpected region: {label}"))
            }
            None => Diagnostic::error(
                Code::UnexpectedEnd,
                format!("the statement ends too early: {label}"),
            ),
        };
        Err(Some(Box::new(problem.at(self.span(), label))))
    }

    /// An error if tokens are left.
    pub(crate) fn finish(&self) -> Parse<()> {
        if self.at_end() {
            self.record(&self.tried, true);
            Ok(())
        } else {
            let failure = self.wrong("the end of the statement");
            match is_attribute_alias(self.peek()) {
                true => {
                    failure.map_err(|problem| problem.map(|problem| Box::new(comment(*problem, self.span()))))
                }
                false => failure,
            }
        }
    }
}

/// Adds to a problem that the alias at `at` may be meant as a comment.
pub(crate) fn comment(problem: Diagnostic<Span>, at: Span) -> Diagnostic<Span> {
    let sigil = Span {
        end: at.start.saturating_add(1),
        ..at
    };
    problem
        .help("a comment begins with `//`")
        .fix(sigil, "// ", "make it a comment")
}

/// An error with its own code.
pub(crate) fn fail<T>(code: Code, message: impl Into<String>, at: Span, label: &str) -> Parse<T> {
    Err(Some(Box::new(Diagnostic::error(code, message).at(at, label))))
}

/// The error about preview content.
pub(crate) fn preview<T>(name: &str, at: Span) -> Parse<T> {
    let message = format!(
        "`{name}` is preview content of version 13.5, which is read only when `--preview {}` asks for it",
        Features::SIMT
    );
    fail(Code::UnsupportedFeature, message, at, "not asked for")
}
