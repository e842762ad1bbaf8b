//! The syntax tree of PTX: words with positions, names not resolved.

use super::lexer::Token;
use lalrpop_util::ErrorRecovery;

/// A piece of text with its byte range.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word<'s> {
    /// The text; dotted words lack their dot.
    pub(crate) text: &'s str,
    /// First byte.
    pub(crate) start: usize,
    /// One past the last byte.
    pub(crate) end: usize,
}

/// A token of a directive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece<'s> {
    /// The token.
    pub(crate) token: Token<'s>,
    /// First byte.
    pub(crate) start: usize,
    /// One past the last byte.
    pub(crate) end: usize,
}

/// A directive with its operands.
#[derive(Clone, Debug)]
pub(crate) struct Line<'s> {
    /// Its first word.
    pub(crate) first: Word<'s>,
    /// The rest of the line.
    pub(crate) rest: Vec<Piece<'s>>,
}

impl Line<'_> {
    /// The byte range.
    pub(crate) fn range(&self) -> (usize, usize) {
        let end = self.rest.last().map_or(self.first.end, |last| last.end);
        (self.first.start, end)
    }
}

/// A parse error.
#[derive(Clone, Debug)]
pub(crate) struct Failure<'s>(pub(crate) ErrorRecovery<usize, Token<'s>, ()>);

/// An item at file scope.
#[derive(Clone, Debug)]
pub(crate) enum Item<'s> {
    /// A directive.
    Line(Line<'s>),
    /// A kernel.
    Entry(Entry<'s>),
    /// A function that is defined elsewhere.
    Function(Function<'s>),
    /// A section of debug information.
    Section(Section<'s>),
    /// An unparsable item.
    Failed(Failure<'s>),
    /// A kernel with an unparsable head.
    Headless(Headless<'s>),
}

/// A body after an unparsable head.
#[derive(Clone, Debug)]
pub(crate) struct Headless<'s> {
    /// What is wrong with the head, if that has not been reported.
    pub(crate) failure: Failure<'s>,
    /// The start of the body.
    pub(crate) start: usize,
    /// The body.
    pub(crate) body: Vec<Statement<'s>>,
}

/// A function without a body.
#[derive(Clone, Debug)]
pub(crate) struct Function<'s> {
    /// Linkage and `.func`, and the name if there is no result.
    pub(crate) head: Line<'s>,
    /// The tokens between the first of two pairs of parentheses.
    pub(crate) result: Vec<Piece<'s>>,
    /// The name after a result.
    pub(crate) name: Option<Word<'s>>,
    /// The tokens between the last parentheses.
    pub(crate) parameters: Vec<Piece<'s>>,
    /// One past the last byte.
    pub(crate) end: usize,
}

/// A section of debug information.
#[derive(Clone, Debug)]
pub(crate) struct Section<'s> {
    /// `.section` and the name.
    pub(crate) head: Line<'s>,
    /// Labels and bytes.
    pub(crate) body: Vec<Statement<'s>>,
}

/// A kernel.
#[derive(Clone, Debug)]
pub(crate) struct Entry<'s> {
    /// Linkage, `.entry` and the name.
    pub(crate) head: Line<'s>,
    /// The tokens between the parentheses.
    pub(crate) parameters: Vec<Piece<'s>>,
    /// Launch directives.
    pub(crate) directives: Vec<Line<'s>>,
    /// The body.
    pub(crate) body: Vec<Statement<'s>>,
    /// One past the last byte.
    pub(crate) end: usize,
}

/// A line of a body.
#[derive(Clone, Debug)]
pub(crate) enum Statement<'s> {
    /// A label.
    Label(Word<'s>),
    /// An instruction.
    Instruction(Instruction<'s>),
    /// A directive.
    Line(Line<'s>),
    /// An unparsable line.
    Failed(Failure<'s>),
}

/// An instruction.
#[derive(Clone, Debug)]
pub(crate) struct Instruction<'s> {
    /// Whether the guard is negated, and its register.
    pub(crate) guard: Option<(bool, Word<'s>)>,
    /// The first word of the mnemonic.
    pub(crate) mnemonic: Word<'s>,
    /// The other words.
    pub(crate) modifiers: Vec<Word<'s>>,
    /// The operands.
    pub(crate) operands: Vec<Operand<'s>>,
    /// First byte.
    pub(crate) start: usize,
    /// One past the last byte.
    pub(crate) end: usize,
}

/// An operand.
#[derive(Clone, Debug)]
pub(crate) enum Operand<'s> {
    /// A register, label, variable or constant.
    Scalar(Scalar<'s>),
    /// A negated predicate.
    Negated(Word<'s>),
    /// Two registers with a bar between.
    Pair(Word<'s>, Word<'s>),
    /// A variable with a byte offset.
    Offset(Word<'s>, Word<'s>),
    /// A memory operand, with its byte range.
    Address(Address<'s>, usize, usize),
    /// A vector, with its byte range.
    Vector(Vec<Scalar<'s>>, usize, usize),
    /// A tensor map and coordinates, with their byte range.
    Tensor(Word<'s>, Vec<Scalar<'s>>, usize, usize),
    /// Names in parentheses, with their byte range.
    Group(Vec<Word<'s>>, usize, usize),
}

/// An operand of one word or number.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Scalar<'s> {
    /// A register, label or variable.
    Name(Word<'s>),
    /// A special register with a component, `%tid.x`.
    Special(Word<'s>, Word<'s>),
    /// An integer.
    Integer(Word<'s>),
    /// The bits of a float.
    Float(Word<'s>),
}

/// The contents of a memory operand's brackets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Address<'s> {
    /// A register or variable.
    pub(crate) base: Word<'s>,
    /// Bytes added.
    pub(crate) offset: Option<Word<'s>>,
}

impl Scalar<'_> {
    /// The byte range.
    pub(crate) fn range(&self) -> (usize, usize) {
        match self {
            Self::Name(word) | Self::Integer(word) | Self::Float(word) => (word.start, word.end),
            Self::Special(first, last) => (first.start, last.end),
        }
    }
}

impl Operand<'_> {
    /// The byte range.
    pub(crate) fn range(&self) -> (usize, usize) {
        match self {
            Self::Scalar(scalar) => scalar.range(),
            Self::Negated(word) => (word.start, word.end),
            Self::Pair(first, last) | Self::Offset(first, last) => (first.start, last.end),
            Self::Address(_, start, end)
            | Self::Vector(_, start, end)
            | Self::Tensor(_, _, start, end)
            | Self::Group(_, start, end) => (*start, *end),
        }
    }
}
