//! Converts the syntax tree to a module: resolves names, and decodes instructions by their declarations.

mod operands;

use super::Parsed;
use super::directives::{self, Pieces, PlacedParameter, Refusal};
use super::lexer::{Spanned, Token};
use super::locations::{self, DebugStrings};
use super::names::{Declaration, Declared, Named, Names, Refused, Scope};
use super::tree::{self, Item, Word};
use lalrpop_util::ParseError;
use tilewright_diagnostics::{Code, Diagnostic, FileId, Span, counted};
use tilewright_irs::core::nearest;
use tilewright_irs::isa::DECLARATIONS;
use tilewright_irs::ptx::{
    Class, Directive, Entry, EntryLinkage, Function, Instruction, IsaVersion, Launch, Line, Linkage, Module,
    Predicate, RawInstruction, ReadError, SourceFile, Statement, Symbol, Target,
};

/// Converts a parse error to a diagnostic.
pub(super) fn syntax_error(file: FileId, error: &ParseError<usize, Token<'_>, ()>) -> Diagnostic<Span> {
    let (start, token, end) = match error {
        ParseError::UnrecognizedToken { token, .. } | ParseError::ExtraToken { token } => *token,
        ParseError::UnrecognizedEof { location, .. } | ParseError::InvalidToken { location } => {
            let message = "the text ends too early";
            return Diagnostic::error(Code::UnexpectedEnd, message)
                .at(Span::new(file, *location, *location), "more is expected here");
        }
        ParseError::User { error: () } => {
            return Diagnostic::error(Code::UnexpectedToken, "unexpected token");
        }
    };
    let span = Span::new(file, start, end);
    match token {
        Token::Bad => {
            Diagnostic::error(Code::BadToken, "these characters begin no token of PTX").at(span, "")
        }
        Token::EndOfLine => Diagnostic::error(Code::UnexpectedToken, "the line ends too early")
            .at(span, "something is missing here, perhaps a semicolon"),
        token => Diagnostic::error(Code::UnexpectedToken, format!("unexpected {}", token.describe()))
            .at(span, "cannot stand here"),
    }
}

/// Builds the module from the parsed items; `tokens` are those of all of the text.
pub(super) fn resolve(
    file: FileId,
    items: Vec<Item<'_>>,
    tokens: &[Spanned<'_>],
    diagnostics: Vec<Diagnostic<Span>>,
) -> Parsed {
    let parsed = Parsed {
        module: Module::new(Target::sm(80)),
        missing: vec![Directive::Version, Directive::Target],
        entries: Vec::new(),
        launches: Vec::new(),
        names: Names::default(),
        statements: Vec::new(),
        diagnostics,
    };
    let mut resolver = Resolver {
        file,
        tokens,
        parsed,
        strings: DebugStrings::default(),
        globals: Vec::new(),
    };
    // It ends a file, and the entries before it refer to it.
    for item in &items {
        if let Item::Section(section) = item
            && section.head.first.text == "section"
        {
            resolver.section(section);
        }
    }
    resolver.parsed.module.inlined_functions = resolver.strings.names();
    // Whether the head of an entry has an error: what follows up to its body is a part of it.
    let mut failed = false;
    for item in &items {
        match item {
            Item::Failed(failure) => {
                if !failed {
                    resolver.failed_item(failure);
                }
                failed = true;
            }
            Item::Line(line) if is_entry(line) => {
                let at = line.rest.last().map_or(line.first.end, |last| last.end);
                let message = "expected `(` and the parameters of the entry".to_owned();
                resolver.report(
                    Code::UnexpectedToken,
                    (at.saturating_sub(1), at),
                    message,
                    "after this",
                );
                failed = true;
            }
            Item::Line(line) => {
                if !(failed && is_entry_line(line))
                    && let Err(refusal) = resolver.module_line(line)
                {
                    resolver.refuse(refusal);
                }
            }
            Item::Entry(entry) => {
                failed = false;
                resolver.entry(entry);
            }
            Item::Headless(entry) => {
                if !std::mem::take(&mut failed) {
                    resolver.failed_item(&entry.failure);
                }
                resolver.headless(entry);
            }
            Item::Section(section) => {
                if !std::mem::take(&mut failed) && section.head.first.text != "section" {
                    resolver.section(section);
                }
            }
            Item::Function(function) => {
                if let Err(refusal) = resolver.function(function) {
                    resolver.refuse(refusal);
                }
            }
        }
    }
    let Parsed { diagnostics, .. } = &mut resolver.parsed;
    diagnostics.sort_by_key(|problem| problem.primary.as_ref().map(|label| label.at.start));
    resolver.parsed
}

/// Whether a directive begins an entry.
fn is_entry(line: &tree::Line<'_>) -> bool {
    let second = line.rest.first().map(|piece| piece.token);
    let second = second.and_then(|token| match token {
        Token::Dotted(word) => Directive::from_word(word),
        _ => None,
    });
    [Directive::from_word(line.first.text), second].contains(&Some(Directive::Entry))
}

/// Whether a directive is allowed only in an entry.
fn is_entry_line(line: &tree::Line<'_>) -> bool {
    let directive = Directive::from_word(line.first.text);
    let variable = matches!(line.first.text, "local" | "shared" | "param");
    variable
        || matches!(directive, Some(Directive::Reg | Directive::Loc))
        || directives::launch(line, &mut Launch::default()) != Ok(None)
}

struct Resolver<'a> {
    file: FileId,
    /// The tokens of the text.
    tokens: &'a [Spanned<'a>],
    parsed: Parsed,
    strings: DebugStrings,
    /// The functions and variables of the file so far.
    globals: Vec<(Symbol, Declaration)>,
}

/// The start of a parse error.
fn start(tree::Failure(recovery): &tree::Failure<'_>) -> usize {
    match &recovery.error {
        ParseError::UnrecognizedToken { token, .. } | ParseError::ExtraToken { token } => token.0,
        ParseError::UnrecognizedEof { location, .. } | ParseError::InvalidToken { location } => *location,
        ParseError::User { error: () } => 0,
    }
}

impl<'a> Resolver<'a> {
    /// The tokens of the text before a place, from the last one that ends a statement or a body on; with `entry`, those of the
    /// last head of an entry.
    fn before(&self, place: usize, entry: bool) -> &'a [Spanned<'a>] {
        let end = self.tokens.partition_point(|(start, ..)| *start < place);
        let before = self.tokens.get(..end).unwrap_or_default();
        let is_border = |(_, token, _): &Spanned<'_>| match entry {
            true => matches!(token, Token::Begin | Token::End | Token::Dotted("entry")),
            false => matches!(
                token,
                Token::Begin | Token::End | Token::Semicolon | Token::EndOfLine
            ),
        };
        let from = before.iter().rposition(is_border);
        let from = from.map_or(0, |at| if entry { at } else { at + 1 });
        before.get(from..).unwrap_or_default()
    }

    /// The names in a statement that cannot be parsed.
    fn names_of(&self, failure: &tree::Failure<'_>) -> impl Iterator<Item = &'a str> {
        let at = start(failure);
        let before = self.before(at, false);
        let from = self.tokens.partition_point(|(start, ..)| *start < at);
        let after = self.tokens.get(from..).unwrap_or_default();
        let after = after
            .iter()
            .take_while(|(_, token, _)| !matches!(token, Token::Semicolon | Token::EndOfLine | Token::End));
        before
            .iter()
            .chain(after)
            .filter_map(|(_, token, _)| match token {
                Token::Name(name) => Some(*name),
                _ => None,
            })
    }

    /// Reports an item that cannot be parsed.
    fn failed_item(&mut self, failure: &tree::Failure<'_>) {
        let at = start(failure);
        let head = self.before(at, true);
        let found = self
            .tokens
            .get(self.tokens.partition_point(|(start, ..)| *start < at));
        let mut head = head.iter().chain(found);
        let is_entry = matches!(head.next(), Some((_, Token::Dotted("entry"), _)));
        let name = head.next().filter(|_| is_entry);
        let open = head.next();
        let wrong = match (name, open) {
            (Some(&(start, token, end)), _) if !matches!(token, Token::Name(_)) => {
                Some((start, end, "expected the name of the entry"))
            }
            (Some(_), Some(&(start, token, end))) if token != Token::OpenParen => {
                Some((start, end, "expected `(` and the parameters of the entry"))
            }
            _ => None,
        };
        match wrong {
            Some((start, end, message)) => {
                self.report(Code::UnexpectedToken, (start, end), message.to_owned(), "here");
            }
            None => {
                let problem = syntax_error(self.file, &failure.0.error);
                self.parsed.diagnostics.push(problem);
            }
        }
    }

    /// Checks the body of an entry whose head cannot be parsed.
    fn headless(&mut self, tree: &tree::Headless<'_>) {
        let mut names = self.globals();
        let head = self.before(tree.start, true);
        names.lose_symbol(head.iter().filter_map(|(_, token, _)| match token {
            Token::Name(name) => Some(*name),
            _ => None,
        }));
        let mut entry = Entry::new(Symbol::from("?"));
        self.body(&tree.body, None, &mut names, &mut entry);
    }

    fn span(&self, (start, end): (usize, usize)) -> Span {
        Span::new(self.file, start, end)
    }

    /// Records a declaration.
    fn declare(
        &mut self,
        name: Word<'_>,
        whole: (usize, usize),
        what: Named,
        within: Option<Declaration>,
    ) -> Declaration {
        let (at, whole) = (self.span((name.start, name.end)), self.span(whole));
        self.parsed.names.declare(Declared {
            at,
            whole,
            what,
            within,
        })
    }

    fn report(&mut self, code: Code, range: (usize, usize), message: String, label: &str) {
        let span = self.span(range);
        self.parsed
            .diagnostics
            .push(Diagnostic::error(code, message).at(span, label));
    }

    fn refuse(&mut self, refusal: Refusal) {
        self.report(
            refusal.code,
            (refusal.start, refusal.end),
            refusal.message,
            "here",
        );
    }

    /// A directive at file scope.
    fn module_line(&mut self, line: &tree::Line<'_>) -> Result<(), Refusal> {
        match (Directive::from_word(line.first.text), line.first.text) {
            (Some(Directive::Version), _) => {
                // What is unreadable allows everything.
                self.parsed.module.version = IsaVersion::LATEST;
                self.parsed.module.version = directives::version(line)?;
                self.parsed.missing.retain(|one| *one != Directive::Version);
            }
            (Some(Directive::Target), _) => {
                let (target, ended) = directives::target(line)?;
                self.parsed.module.target = target;
                self.parsed.missing.retain(|one| *one != Directive::Target);
                ended?;
            }
            (Some(Directive::AddressSize), _) => {
                let mut pieces = Pieces::of(line);
                if pieces.number::<u32>()? != 64 {
                    self.report(
                        Code::UnsupportedFeature,
                        (line.first.start, line.first.end),
                        "only 64-bit addresses are supported".to_owned(),
                        "",
                    );
                }
                pieces.finish()?;
            }
            (Some(Directive::File), _) => {
                let mut pieces = Pieces::of(line);
                let index = pieces.number()?;
                let name = unescape(pieces.string()?);
                // An optional time stamp and size are ignored.
                self.parsed.module.files.push(SourceFile { index, name });
            }
            (Some(Directive::Visible | Directive::Extern | Directive::Weak), _)
            | (None, "global" | "const" | "shared") => {
                let (variable, name) = directives::variable(line)?;
                if self
                    .parsed
                    .module
                    .variables
                    .iter()
                    .any(|other| other.name == variable.name)
                {
                    self.duplicate(name);
                }
                let declaration = self.declare(name, line.range(), Named::Variable(variable.space), None);
                self.globals.push((variable.name.clone(), declaration));
                self.parsed.module.variables.push(variable);
            }
            (_, word) => self.report(
                Code::UnknownAttribute,
                (line.first.start, line.first.end),
                format!("`.{word}` is no directive of a module"),
                "not known here",
            ),
        }
        Ok(())
    }

    fn duplicate(&mut self, name: Word<'_>) {
        let message = format!("`{}` is declared twice", name.text);
        self.report(
            Code::DuplicateSymbol,
            (name.start, name.end),
            message,
            "the second declaration",
        );
    }

    /// `.extern .func (result) name(parameters);`
    fn function(&mut self, tree: &tree::Function<'_>) -> Result<(), Refusal> {
        let mut pieces = Pieces::of(&tree.head);
        let words = [Some(tree.head.first.text), pieces.dotted()];
        let words = words.map(|word| word.and_then(Directive::from_word));
        if words != [Some(Directive::Extern), Some(Directive::Func)] {
            return Err(Refusal {
                code: Code::UnexpectedToken,
                start: tree.head.first.start,
                end: tree.head.first.end,
                message: "only `.extern .func` may have no body".to_owned(),
            });
        }
        let name = match tree.name {
            Some(name) => name,
            None => pieces.name()?,
        };
        pieces.finish()?;
        let all = |pieces, end| {
            directives::parameters(pieces, end)
                .map(|read| read.map_err(|(refusal, _)| refusal))
                .collect::<Result<Vec<_>, _>>()
        };
        let result = all(tree.result.as_slice(), name.start)?;
        let parameters = all(tree.parameters.as_slice(), name.end)?;
        if let Some((_, second, _)) = result.get(1) {
            return Err(Refusal {
                code: Code::UnexpectedToken,
                start: second.start,
                end: second.end,
                message: "a function gives back at most one number".to_owned(),
            });
        }
        if self
            .parsed
            .module
            .functions
            .iter()
            .any(|other| other.name.0 == name.text)
        {
            self.duplicate(name);
        }
        let whole = (tree.head.first.start, tree.end);
        let declaration = self.declare(name, whole, Named::Function, None);
        self.globals.push((Symbol::from(name.text), declaration));
        for &(_, name, whole) in result.iter().chain(&parameters) {
            self.declare(name, whole, Named::Parameter, Some(declaration));
        }
        let plain = |(parameter, ..): PlacedParameter<'_>| parameter;
        self.parsed.module.functions.push(Function {
            name: Symbol::from(name.text),
            result: result.into_iter().map(plain).next(),
            parameters: parameters.into_iter().map(plain).collect(),
        });
        Ok(())
    }

    fn entry(&mut self, tree: &tree::Entry<'_>) {
        let Some((linkage, name)) = self.entry_name(&tree.head) else {
            return;
        };
        let own = self.declare(name, (tree.head.first.start, tree.end), Named::Entry, None);
        let mut names = self.globals();
        let mut entry = Entry::new(Symbol::from(name.text));
        entry.linkage = linkage;
        for parameter in directives::parameters(&tree.parameters, tree.head.first.end) {
            match parameter {
                Ok((parameter, word, whole)) => {
                    let declaration = self.declare(word, whole, Named::Parameter, Some(own));
                    if !names.declare_symbol(word.text, declaration) {
                        self.duplicate(word);
                    }
                    entry.parameters.push(parameter);
                }
                Err((refusal, pieces)) => {
                    names.lose_symbol(directives::names(pieces));
                    self.refuse(refusal);
                }
            }
        }
        let mut launch = Vec::new();
        for line in &tree.directives {
            if let Some(directive) = self.launch_line(line, &mut entry.launch) {
                let at = self.span(line.range());
                let first = launch.iter().find(|(other, _)| *other == directive);
                if let Some(&(_, first)) = first {
                    let message = format!("`.{directive}` is given twice");
                    self.parsed.diagnostics.push(
                        Diagnostic::error(Code::Redefinition, message)
                            .at(at, "given again here")
                            .also(first, "first given here"),
                    );
                }
                launch.push((directive, at));
            }
        }
        self.parsed.launches.push(launch);
        let spans = self.body(&tree.body, Some(own), &mut names, &mut entry);
        self.parsed.module.entries.push(entry);
        self.parsed.entries.push(own);
        self.parsed.statements.push(spans);
    }

    /// The names that all entries know.
    fn globals(&self) -> Scope {
        let mut names = Scope::default();
        for (name, declaration) in &self.globals {
            names.declare_symbol(&name.0, *declaration);
        }
        names
    }

    /// Adds the statements of a body to an entry, which is declared unless its head is unreadable; returns their spans.
    fn body(
        &mut self,
        body: &[tree::Statement<'_>],
        own: Option<Declaration>,
        names: &mut Scope,
        entry: &mut Entry,
    ) -> Vec<Span> {
        self.declarations(body, own, names, entry);
        entry.registers = names.counts();
        let mut spans = Vec::new();
        for statement in body {
            let read = match statement {
                tree::Statement::Label(word) => names
                    .label(word.text)
                    .map(|(label, _)| (Statement::Label(label), (word.start, word.end))),
                tree::Statement::Instruction(instruction) => {
                    let range = (instruction.start, instruction.end);
                    self.instruction(instruction, names)
                        .map(|line| (Statement::Instruction(line), range))
                }
                tree::Statement::Line(line) => self
                    .location(line)
                    .map(|location| (location, (line.first.start, line.first.end))),
                tree::Statement::Failed(tree::Failure(recovery)) => {
                    self.parsed
                        .diagnostics
                        .push(syntax_error(self.file, &recovery.error));
                    None
                }
            };
            if let Some((statement, range)) = read {
                entry.body.push(statement);
                spans.push(self.span(range));
            }
        }
        spans
    }

    fn entry_name<'s>(&mut self, head: &tree::Line<'s>) -> Option<(EntryLinkage, Word<'s>)> {
        let mut pieces = Pieces::of(head);
        let mut word = Directive::from_word(head.first.text);
        let linkage = match word {
            Some(Directive::Visible) => EntryLinkage::Visible,
            Some(Directive::Weak) => EntryLinkage::Weak,
            _ => EntryLinkage::Internal,
        };
        if linkage != EntryLinkage::Internal {
            word = pieces.dotted().and_then(Directive::from_word);
        }
        if let (Some(Directive::Visible | Directive::Weak), Some(second)) = (word, head.rest.first()) {
            let message = format!(
                "an entry has one linkage, and this one begins with `.{}`",
                head.first.text
            );
            let range = (second.start, second.end);
            self.report(Code::UnexpectedToken, range, message, "a second linkage");
            return None;
        }
        if word != Some(Directive::Entry) {
            let message = "only `.entry` may have parameters and a body".to_owned();
            self.report(
                Code::UnexpectedToken,
                (head.first.start, head.first.end),
                message,
                "not an entry",
            );
            return None;
        }
        let name = match pieces.name().and_then(|name| pieces.finish().map(|()| name)) {
            Ok(name) => name,
            Err(refusal) => {
                self.refuse(refusal);
                return None;
            }
        };
        if self.parsed.module.entry(name.text).is_some() {
            self.duplicate(name);
            return None;
        }
        Some((linkage, name))
    }

    /// Adds a launch directive; returns which one it is.
    fn launch_line(&mut self, line: &tree::Line<'_>, launch: &mut Launch) -> Option<Directive> {
        match directives::launch(line, launch) {
            Ok(Some(directive)) => return Some(directive),
            Ok(None) => self.report(
                Code::UnknownAttribute,
                (line.first.start, line.first.end),
                format!("`.{}` is no launch directive", line.first.text),
                "not known here",
            ),
            Err(refusal) => self.refuse(refusal),
        }
        None
    }

    /// Declares registers, variables and labels, anywhere in the body.
    fn declarations(
        &mut self,
        body: &[tree::Statement<'_>],
        own: Option<Declaration>,
        names: &mut Scope,
        entry: &mut Entry,
    ) {
        let mut labels = Vec::new();
        for statement in body {
            match statement {
                tree::Statement::Label(word) => {
                    let declaration = self.declare(*word, (word.start, word.end), Named::Label, own);
                    labels.push((*word, declaration));
                }
                tree::Statement::Line(line) => {
                    if let Err(refusal) = self.declaration(line, own, names, entry) {
                        names.lose_registers(directives::names(&line.rest));
                        self.refuse(refusal);
                    }
                }
                tree::Statement::Failed(failure) => names.lose_symbol(self.names_of(failure)),
                // Without operands, it may be a label with another sign than its colon.
                tree::Statement::Instruction(plain) if plain.operands.is_empty() => {
                    names.lose(std::iter::once(plain.mnemonic.text));
                }
                tree::Statement::Instruction(_) => {}
            }
        }
        let texts: Vec<_> = labels
            .iter()
            .map(|(word, declaration)| (word.text, *declaration))
            .collect();
        for at in names.declare_labels(&texts) {
            if let Some((word, _)) = labels.get(at) {
                self.duplicate(*word);
            }
        }
    }

    fn declaration(
        &mut self,
        line: &tree::Line<'_>,
        own: Option<Declaration>,
        names: &mut Scope,
        entry: &mut Entry,
    ) -> Result<(), Refusal> {
        match (Directive::from_word(line.first.text), line.first.text) {
            (Some(Directive::Reg), _) => {
                let (class, declared) = directives::registers(line)?;
                for (name, count) in declared {
                    let what = count.map_or(Named::Register(class), |count| Named::Registers(class, count));
                    let declaration = self.declare(name, line.range(), what, own);
                    match names.declare_registers(name.text, class, count, declaration) {
                        Ok(()) => {}
                        Err(Refused::Taken) => self.duplicate(name),
                        Err(Refused::TooMany) => self.report(
                            Code::InputTooLarge,
                            (name.start, name.end),
                            "too many registers".to_owned(),
                            "declared here",
                        ),
                    }
                }
            }
            (_, "shared" | "local") => {
                let (variable, name) = directives::variable(line)?;
                if variable.bytes.is_none() || variable.linkage != Linkage::Internal {
                    return Err(Refusal {
                        code: Code::UnexpectedToken,
                        start: name.start,
                        end: name.end,
                        message: "a variable of an entry has a size".to_owned(),
                    });
                }
                let what = Named::Variable(variable.space);
                let declaration = self.declare(name, line.range(), what, own);
                if !names.declare_symbol(name.text, declaration) {
                    self.duplicate(name);
                }
                entry.variables.push(variable);
            }
            (_, "param") => {
                let (parameter, name) = directives::call_parameter(line)?;
                let declaration = self.declare(name, line.range(), Named::Parameter, own);
                if !names.declare_symbol(name.text, declaration) {
                    self.duplicate(name);
                }
                entry.call_parameters.push(parameter);
            }
            (Some(Directive::Loc), _) => {}
            (_, word) => {
                return Err(Refusal {
                    code: Code::UnknownAttribute,
                    start: line.first.start,
                    end: line.first.end,
                    message: format!("`.{word}` is no directive of a body"),
                });
            }
        }
        Ok(())
    }

    /// `.loc`; other directives of a body produce no statement.
    fn location(&mut self, line: &tree::Line<'_>) -> Option<Statement> {
        if Directive::from_word(line.first.text) != Some(Directive::Loc) {
            return None;
        }
        let functions = &mut self.parsed.module.inlined_functions;
        match locations::location(line, &self.strings, functions) {
            Ok(statement) => Some(statement),
            Err(refusal) => {
                self.refuse(refusal);
                None
            }
        }
    }

    /// A section of debug information.
    fn section(&mut self, section: &tree::Section<'_>) {
        let mut refused = Vec::new();
        self.strings.add(section, &mut |refusal| refused.push(refusal));
        for refusal in refused {
            self.refuse(refusal);
        }
        for statement in &section.body {
            if let tree::Statement::Failed(tree::Failure(recovery)) = statement {
                let problem = syntax_error(self.file, &recovery.error);
                self.parsed.diagnostics.push(problem);
            }
        }
    }

    /// Reads an instruction; `None` if it has an error, or a name that is unknown.
    fn instruction(&mut self, tree: &tree::Instruction<'_>, names: &mut Scope) -> Option<Line> {
        let errors = self.parsed.diagnostics.len();
        let mut unknown = false;
        let guard = tree.guard.and_then(|(negated, word)| {
            let register = self.register(word, names);
            unknown = register.is_none();
            let register = register?;
            if register.class != Class::Pred {
                let message = format!("the guard `{}` is no predicate register", word.text);
                self.report(
                    Code::OperandType,
                    (word.start, word.end),
                    message,
                    "declared with another type",
                );
            }
            Some(Predicate { register, negated })
        });
        // Predicate logic has its type in the mnemonic: see `AndPred`.
        let words = std::iter::once(tree.mnemonic.text)
            .chain(tree.modifiers.iter().map(|word| word.text))
            .map(str::to_owned)
            .collect();
        let operands: Vec<_> = tree
            .operands
            .iter()
            .filter_map(|operand| self.operand(operand, names))
            .collect();
        unknown |= operands.len() < tree.operands.len();
        if unknown || self.parsed.diagnostics.len() > errors {
            return None;
        }
        let raw = RawInstruction { words, operands };
        match Instruction::read(&raw) {
            Ok(instruction) => Some(Line {
                guard,
                instruction,
                origin: None,
            }),
            Err(error) => {
                self.unreadable(tree, &raw, &error);
                None
            }
        }
    }

    fn unreadable(&mut self, tree: &tree::Instruction<'_>, raw: &RawInstruction, error: &ReadError) {
        let word = |at: usize| match at.checked_sub(1) {
            None => Some(tree.mnemonic),
            Some(at) => tree.modifiers.get(at).copied(),
        };
        let mnemonic = tree.mnemonic.text;
        let whole = (tree.start, tree.end);
        match *error {
            ReadError::UnknownMnemonic => {
                let words: Vec<_> = tree.modifiers.iter().take(2).map(|word| word.text).collect();
                let all = [&[mnemonic], words.as_slice()].concat().join(".");
                let message = format!("there is no instruction `{all}`");
                let at = self.span((tree.mnemonic.start, tree.mnemonic.end));
                let problem = Diagnostic::error(Code::UnknownOp, message).at(at, "unknown mnemonic");
                // A mnemonic may be declared with modifiers.
                let known = DECLARATIONS
                    .iter()
                    .filter_map(|known| known.mnemonic.split('.').next());
                self.parsed.diagnostics.push(match nearest(mnemonic, known) {
                    Some(near) if near != mnemonic => problem.meant(at, near),
                    Some(_) | None => problem,
                });
            }
            ReadError::Modifier(at) => match word(at) {
                Some(found) => {
                    let message = format!("`{mnemonic}` takes no `.{}` here", found.text);
                    self.report(
                        Code::UnknownAttribute,
                        (found.start, found.end),
                        message,
                        "unknown here, or out of order",
                    );
                }
                None => {
                    let message = format!("`{mnemonic}` lacks a modifier or its type");
                    self.report(Code::MissingAttribute, whole, message, "");
                }
            },
            ReadError::Operand(at, wanted) => match tree.operands.get(at) {
                Some(_) if wanted == "nothing" => {
                    let message = format!("`{mnemonic}` takes {} here", counted(at, "operand"));
                    self.report(Code::OperandCount, whole, message, "too many operands");
                }
                Some(operand) => {
                    let message = format!("operand {} of `{mnemonic}` must be {wanted}", at + 1);
                    self.report(Code::OperandType, operand.range(), message, "something else");
                }
                None => {
                    let message = format!("`{mnemonic}` lacks operand {}: {wanted}", at + 1);
                    self.report(Code::OperandCount, whole, message, "too few operands");
                }
            },
            ReadError::NoSuchForm => {
                let message = format!("PTX has no such form of `{mnemonic}`");
                let exists_without = |at: &usize| {
                    let mut raw = raw.clone();
                    raw.words.remove(*at);
                    Instruction::read(&raw).is_ok()
                };
                let surplus = (1..raw.words.len()).find(exists_without).and_then(word);
                let (at, label) = match surplus {
                    Some(word) => ((word.start, word.end), "without this one there is one"),
                    None => (whole, "these modifiers, types and operands do not go together"),
                };
                self.report(Code::AttributeValue, at, message, label);
            }
        }
    }
}

/// The inverse of the printer's escaping of file names; a `%` without a byte value is literal.
fn unescape(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('%') {
        bytes.extend(before.bytes());
        match after
            .get(..2)
            .and_then(|digits| u8::from_str_radix(digits, 16).ok())
        {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(b'%');
                rest = after;
            }
        }
    }
    bytes.extend(rest.bytes());
    String::from_utf8_lossy(&bytes).into_owned()
}
