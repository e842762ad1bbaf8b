//! The lexer: tokens, ends of statements, kinds of braces, limits.
//!
//! A statement ends where a line begins that starts another: with a value, an alias, or the name of an op. Braces
//! outside brackets enclose a region, unless they follow the word `attributes` or a region, or the statement is an op
//! without regions or the definition of an alias. In an op of the generic form, whose name is quoted, regions are in
//! parentheses, and other braces enclose attributes.

use logos::Logos;
use tilewright_diagnostics::{Code, Diagnostic, Span};
use tilewright_irs::core::nearest;
use tilewright_irs::cuda_tile::{FieldKind, TileOp, TileOpSpec};

use crate::statements::{self, Bracket, Marks, Statements, defines};

/// A token as classified by its characters alone.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip r"[ \t\r\n]+")]
#[logos(skip(r"//[^\n]*", allow_greedy = true))]
pub(crate) enum Raw {
    #[regex(r"%([0-9]+|[A-Za-z_.$-][A-Za-z0-9_.$-]*)(#[0-9]+)?")]
    Value,
    #[regex(r"@[A-Za-z_][A-Za-z0-9_.$]*")]
    #[regex(r#"@"([^"\\\n]|\\[^\n])*""#)]
    Symbol,
    #[regex(r"#[A-Za-z_][A-Za-z0-9_.$]*")]
    Alias,
    #[regex(r"\^[A-Za-z0-9_.$-]+")]
    Block,
    #[regex(r"-?[0-9]+")]
    Int,
    #[regex(r"-?[0-9]+(\.[0-9]*([eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)", priority = 20)]
    #[regex(r"-(inf|Infinity|nan|NaN)", priority = 20)]
    Float,
    #[regex(r"-?0x[0-9A-Fa-f]+", priority = 20)]
    Bits,
    #[regex(r"(([0-9]+|\?)x)+")]
    Dims,
    #[regex(r"!?[A-Za-z_][A-Za-z0-9_.$]*")]
    Word,
    #[regex(r#""([^"\\\n]|\\[^\n])*""#)]
    Str,
    #[regex(r#"@?"([^"\\\n]|\\[^\n])*"#)]
    OpenStr,
    /// A comment of another language, to the end of its line.
    #[regex(r"#([ \t#!][^\n]*)?", allow_greedy = true)]
    HashComment,
    /// A comment of another language, and whether nothing follows on its last line.
    #[token("/*", block_comment)]
    BlockComment(bool),
    #[token("?")]
    Question,
    #[token("+")]
    #[token("-")]
    #[token("*")]
    #[token("/")]
    #[token("/+")]
    Sign,
    #[token(",")]
    Comma,
    #[token(":")]
    Colon,
    #[token("=")]
    Equals,
    #[token("->")]
    Arrow,
    #[token("(")]
    #[token("[")]
    #[token("<")]
    Open,
    #[token(")")]
    #[token("]")]
    #[token(">")]
    Close,
    #[token("{")]
    BraceOpen,
    #[token("}")]
    BraceClose,
}

/// Reads the rest of a comment in `/*` and `*/`; an open one ends with its line. Returns whether nothing follows on the line.
fn block_comment<'s>(lexer: &mut logos::Lexer<'s, Raw>) -> bool {
    let rest = lexer.remainder();
    let line = rest.find('\n').unwrap_or(rest.len());
    let end = rest.find("*/").map_or(line, |end| end + 2);
    lexer.bump(end);
    let after = lexer.remainder().split('\n').next().unwrap_or_default();
    after.trim().is_empty()
}

/// A token of the grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token<'input> {
    /// `%0`, `%for#1`
    Value(&'input str),
    /// `#loc1`
    Alias(&'input str),
    /// `-3`
    Int(&'input str),
    /// Any other token, which only the op's own text interprets.
    Leaf(&'input str),
    /// The word at the head of a statement.
    OpWord(&'input str),
    /// `,`
    Comma,
    /// `:`
    Colon,
    /// `=`
    Equals,
    /// `{` of a region
    RegionOpen,
    /// `}` of a region
    RegionClose,
    /// The inserted start of a region whose opening brace is missing.
    RegionAssumed,
    /// The inserted end of a region that the text leaves open.
    RegionMissing,
    /// The end of a statement (an empty token).
    End,
    /// Characters that begin no token.
    Bad,
    /// A string that is not closed on its line.
    OpenStr,
}

impl Marks for Token<'_> {
    const END: Self = Self::End;
    const REGION_MISSING: Self = Self::RegionMissing;
    const REGION_OPEN: Self = Self::RegionOpen;
    const REGION_ASSUMED: Self = Self::RegionAssumed;
    const REGION_CLOSE: Self = Self::RegionClose;
    const BAD: Self = Self::Bad;
    const OPEN_STR: Self = Self::OpenStr;

    fn is_region(self) -> bool {
        matches!(
            self,
            Self::RegionOpen | Self::RegionAssumed | Self::RegionClose | Self::RegionMissing
        )
    }
}

/// Whether a word is an alias of a type; types of the language have a dot.
pub(crate) fn is_type_alias(word: &str) -> bool {
    word.starts_with('!') && is_own(word)
}

/// Whether a word is an alias of an attribute or a location.
pub(crate) fn is_attribute_alias(word: &str) -> bool {
    word.starts_with('#') && is_own(word)
}

/// Whether a name is not one of the language: those have a dot, or the dialect followed by brackets.
pub(crate) fn is_own(word: &str) -> bool {
    !word.contains('.') && !matches!(word, "!cuda_tile" | "#cuda_tile")
}

/// Words of the module structure that begin a statement.
const FRAME: &[&str] = &["module", "builtin.module", "entry", "global", TEST_FUNC];

/// The name of functions in NVIDIA's own tests.
pub(crate) const TEST_FUNC: &str = "testing$func";

/// The declaration of an external function.
pub(crate) const EXTERN_FUNC: &str = "preview$func";

/// An implementation of an external function.
pub(crate) const EXTERN_IMPL: &str = "preview$extern_impl";

/// Whether a word names preview content of 13.5.
pub(crate) fn is_preview(name: &str) -> bool {
    quoted_name(name)
        .unwrap_or_else(|| short(name))
        .starts_with("preview$")
}

/// A name without the dialect's prefix.
pub(crate) fn short(name: &str) -> &str {
    let prefix = |prefix| name.strip_prefix(prefix);
    prefix("cuda_tile.")
        .or_else(|| prefix("!cuda_tile."))
        .unwrap_or(name)
}

/// The op of a quoted name, if it is one of this dialect.
pub(crate) fn quoted_op(name: &str) -> Option<&'static TileOpSpec> {
    TileOp::by_name_in_text(quoted_name(name)?)
}

/// A quoted name without quotes and dialect, if the dialect is this one.
pub(crate) fn quoted_name(name: &str) -> Option<&str> {
    let name = name.strip_prefix('"')?.strip_suffix('"')?;
    if name == "builtin.module" {
        return Some("module");
    }
    name.strip_prefix("cuda_tile.")
}

/// The name of an op without quotes and dialect.
fn bare(word: &str) -> &str {
    quoted_name(word).unwrap_or_else(|| short(word))
}

fn is_module(word: &str) -> bool {
    matches!(bare(word), "module" | "builtin.module")
}

/// Whether a word is the head of an item of a module, which cannot be in a function.
fn begins_function(word: &str) -> bool {
    matches!(
        bare(word),
        "entry" | "global" | EXTERN_FUNC | EXTERN_IMPL | TEST_FUNC
    )
}

fn begins_statement(word: &str) -> bool {
    let word = short(word);
    FRAME.contains(&word) || word.starts_with("preview$") || TileOp::by_name_in_text(word).is_some()
}

/// Whether a word is probably a misspelt head of a statement, or an op of another dialect.
fn resembles_statement(word: &str) -> bool {
    if let Some((_, name)) = word.rsplit_once('.') {
        return TileOp::by_name_in_text(name).is_some();
    }
    let ops = TileOp::tile_specs().map(|spec| spec.name);
    // Shorter words are too alike to tell.
    word.len() > 3 && nearest(word, ops.chain(FRAME.iter().copied())).is_some()
}

/// Whether a word is the head of a statement with a region.
fn has_region(word: &str) -> bool {
    matches!(short(word), "entry" | TEST_FUNC)
        || is_module(word)
        || TileOp::by_name_in_text(short(word)).is_some_and(|spec| {
            let mut fields = spec.fields.iter();
            fields.any(|field| field.kind == FieldKind::Region)
        })
}

/// Whether a word is an op whose braces enclose attributes.
fn has_no_region(word: &str) -> bool {
    let word = short(word);
    matches!(word, "global" | EXTERN_FUNC | EXTERN_IMPL)
        || TileOp::by_name_in_text(word).is_some_and(|spec| {
            let mut fields = spec.fields.iter();
            fields.all(|field| field.kind != FieldKind::Region)
        })
}

pub(crate) struct Lexer<'input> {
    out: Statements<Token<'input>>,
    /// The last token as classified by its characters, and its text.
    last: Option<(Raw, &'input str)>,
    /// For the file and each open region, whether braces in the statement enclose attributes unless they are in
    /// parentheses.
    generic: Vec<bool>,
    /// Whether the statement is the label of a block, which ends with its colon.
    label: bool,
    /// Whether the statement is a module.
    module: bool,
    /// Whether the statement has a region, which has not begun.
    expects_region: bool,
    /// The number of open regions that are bodies of modules: the outermost ones.
    modules: usize,
}

impl<'input> Lexer<'input> {
    /// Whether a statement may begin with this token.
    fn begins(&self, raw: Raw, text: &str) -> bool {
        match raw {
            Raw::Value | Raw::Alias => true,
            Raw::Block | Raw::Str => self.out.in_statement(),
            Raw::Word => {
                begins_statement(text)
                    || text.starts_with('!') && self.out.at_top()
                    || self.out.in_statement() && self.out.outdented() && resembles_statement(text)
            }
            _ => false,
        }
    }

    /// Whether the previous token requires a continuation, so that a new line does not end the statement. `begins` tells that
    /// the line begins with the name of an op.
    fn continues(&self, raw: Raw, begins: bool) -> bool {
        let inside = !self.out.in_statement();
        match self.last {
            Some((Raw::Comma, _)) => inside || raw == Raw::Value,
            Some((Raw::Equals, _)) => inside || raw == Raw::Word,
            Some((Raw::Colon | Raw::Arrow, _)) => inside || raw != Raw::Value && !begins,
            Some((Raw::Open, _)) => !(begins && self.expects_region),
            Some((Raw::BraceOpen, _)) => inside,
            Some((Raw::Word, word)) => inside && matches!(word, "to" | "step" | "in" | "at"),
            _ => false,
        }
    }

    /// Records the form of the statement that begins here.
    fn begin(&mut self, generic: bool) {
        let depth = self.out.regions();
        self.generic.resize(depth + 1, false);
        if let Some(last) = self.generic.last_mut() {
            *last = generic;
        }
    }

    /// Whether a brace here is that of a region.
    fn opens_region(&self) -> bool {
        if self.generic.get(self.out.regions()).copied().unwrap_or(false) {
            return match self.last {
                Some((Raw::Open, text)) => text == "(",
                Some((Raw::Comma, _)) => self.out.before_last() == Some(Token::RegionClose),
                _ => false,
            };
        }
        // Braces directly after a region enclose attributes, as do those of a value.
        self.out.in_statement()
            && self
                .last
                .is_none_or(|(_, word)| !matches!(word, "attributes" | "="))
            && (self.out.fresh() || self.out.last() != Some(Token::RegionClose))
    }

    /// Reports a comment of another language.
    fn foreign_comment(&mut self, raw: Raw, text: &str, start: usize, end: usize) {
        let sigil = if raw == Raw::HashComment { "#" } else { "/*" };
        self.out.report((start, start + sigil.len()), |at| {
            let message = format!("`{sigil}` begins no comment: a comment begins with `//`");
            let problem = Diagnostic::error(Code::BadToken, message)
                .at(at, "expected `//`")
                .help("did you mean `//`?");
            let lines = text
                .trim_start_matches(['#', '/', '*'])
                .trim_end_matches(['*', '/']);
            let lines: Vec<_> = lines
                .lines()
                .map(|line| format!("// {}", line.trim()).trim_end().to_owned())
                .collect();
            match raw {
                // What follows would be in the comment.
                Raw::BlockComment(false) => problem,
                _ => {
                    let whole = Span::new(at.file, start, end);
                    problem.fix(whole, lines.join("\n"), "change to `//`")
                }
            }
        });
    }

    /// Begins a statement with the first token of a line: ends the one before, or begins the region that it lacks the brace of.
    fn new_statement(&mut self, raw: Raw, text: &str) {
        let nested = self.module || raw != Raw::Word || !begins_function(text);
        if nested && self.out.turn_into_region() {
            self.region_begins();
        } else if nested && self.expects_region && !self.out.outdented() {
            self.out.assume_region();
            self.region_begins();
        } else {
            self.out.end_statement();
            self.expects_region = false;
        }
    }

    /// Records that a region has been opened.
    fn region_begins(&mut self) {
        self.modules += usize::from(self.module && self.out.regions() == self.modules + 1);
        self.module = false;
        self.expects_region = false;
    }

    fn close_brace(&mut self, text: &'input str, start: usize, end: usize) {
        // The statement's own region has not begun, and the one around it ends on another line.
        if self.out.close_dict() || self.expects_region && self.out.is_amid_line(start) {
            return self.out.push(Token::Leaf(text), start, end);
        }
        self.expects_region = false;
        let token = match self.out.close_region(start) {
            true => Token::RegionClose,
            false => Token::Leaf(text),
        };
        self.out.push(token, start, end);
        self.modules = self.modules.min(self.out.regions());
    }
}

impl<'input> statements::Lexer<'input> for Lexer<'input> {
    type Raw = Raw;
    type Token = Token<'input>;

    fn new(out: Statements<Token<'input>>) -> Self {
        Self {
            out,
            last: None,
            generic: Vec::new(),
            label: false,
            module: false,
            expects_region: false,
            modules: 0,
        }
    }

    fn statements(&mut self) -> &mut Statements<Token<'input>> {
        &mut self.out
    }

    fn token(
        &mut self,
        raw: Option<Raw>,
        text: &'input str,
        start: usize,
        end: usize,
        line: Option<&'input str>,
    ) {
        let Some(raw) = raw else {
            self.out.push(Token::Bad, start, end);
            return;
        };
        if let Raw::HashComment | Raw::BlockComment(_) = raw {
            return self.foreign_comment(raw, text, start, end);
        }
        if let Some(line) = line
            && !self.out.fresh()
            && self.begins(raw, text)
            && (!self.continues(raw, raw == Raw::Word && begins_statement(text)) || defines(line))
        {
            self.new_statement(raw, text);
        }
        match raw {
            Raw::Value => {
                // Until its op is known.
                if self.out.fresh() {
                    self.begin(false);
                }
                self.out.push(Token::Value(text), start, end);
            }
            Raw::Alias => {
                // Braces in an alias definition enclose attributes.
                if self.out.fresh() {
                    self.begin(true);
                }
                self.out.push(Token::Alias(text), start, end);
            }
            Raw::Int => self.out.push(Token::Int(text), start, end),
            Raw::Word | Raw::Str | Raw::Block => {
                let after_results = self.out.in_statement()
                    && matches!(self.last, Some((Raw::Equals, _)))
                    && matches!(self.out.before_last(), Some(Token::Value(_) | Token::Int(_)));
                // Functions are not nested: the bodies before should have been closed.
                if line.is_some()
                    && self.out.fresh()
                    && begins_function(text)
                    && self.out.regions() > self.modules
                {
                    self.out.close_to(self.modules);
                }
                let head = self.out.fresh() || after_results;
                let token = if head {
                    self.module = is_module(text);
                    self.expects_region = raw == Raw::Word && has_region(text);
                    self.begin(raw == Raw::Str || is_type_alias(text) || has_no_region(text));
                    self.label = raw == Raw::Block;
                    Token::OpWord(text)
                } else {
                    self.expects_region |= text == "else" && self.out.last() == Some(Token::RegionClose);
                    Token::Leaf(text)
                };
                self.out.push(token, start, end);
            }
            Raw::Symbol | Raw::Float | Raw::Bits | Raw::Dims | Raw::Question | Raw::Sign | Raw::Arrow => {
                self.out.push(Token::Leaf(text), start, end)
            }
            // These have been reported.
            Raw::HashComment | Raw::BlockComment(_) => {}
            Raw::OpenStr => self.out.push(Token::OpenStr, start, end),
            Raw::Comma => self.out.push(Token::Comma, start, end),
            Raw::Colon => {
                self.out.push(Token::Colon, start, end);
                if self.label && self.out.in_statement() {
                    self.out.end_statement();
                    self.label = false;
                }
            }
            Raw::Equals => self.out.push(Token::Equals, start, end),
            Raw::Open => {
                self.out.open(Bracket::Other, start, end);
                self.out.push(Token::Leaf(text), start, end);
            }
            Raw::Close if self.out.stands_for_brace(start) => {
                self.out.report_wrong_brace(text, start, end);
                self.close_brace(text, start, end);
            }
            Raw::Close => {
                self.out.close();
                self.out.push(Token::Leaf(text), start, end);
            }
            Raw::BraceOpen if self.out.at_region_start() => self.out.report_second_brace(start, end),
            Raw::BraceOpen => {
                let region = self.opens_region();
                let kind = if region { Bracket::Region } else { Bracket::Dict };
                self.out.open(kind, start, end);
                self.out.push(
                    if region {
                        Token::RegionOpen
                    } else {
                        Token::Leaf(text)
                    },
                    start,
                    end,
                );
                if region {
                    self.out.begin();
                    self.region_begins();
                }
            }
            Raw::BraceClose => self.close_brace(text, start, end),
        }
        self.last = Some((raw, text));
    }

    fn stray_brace(&mut self, text: &'input str, start: usize, end: usize) {
        self.out.push(Token::Leaf(text), start, end);
        self.last = Some((Raw::BraceClose, text));
    }
}

#[cfg(test)]
mod tests {
    use tilewright_irs::cuda_tile::AttrKind;

    use super::*;

    #[test]
    fn no_word_of_an_op_s_text_is_taken_for_a_misspelt_op() {
        for spec in TileOp::tile_specs() {
            let words = spec
                .syntax
                .split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            let names: Vec<_> = spec.fields.iter().map(|field| field.name).collect();
            for word in words.filter(|word| !names.contains(word) && !begins_statement(word)) {
                assert!(!resembles_statement(word), "{word} of {}", spec.name);
            }
            for field in spec.fields {
                if let FieldKind::Attr(AttrKind::Enum(cases))
                | FieldKind::OptionalAttr(AttrKind::Enum(cases)) = field.kind
                {
                    let mut words = cases.cases.iter().map(|case| case.word);
                    assert!(
                        words.all(|word| begins_statement(word) || !resembles_statement(word)),
                        "{}",
                        cases.name
                    );
                }
            }
        }
    }
}
