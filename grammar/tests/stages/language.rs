//! A test language with every kind of field, for tests of the regular syntax.

use tilewright_irs::core::{
    Flag, Func, Language, Problems, Region, Successor, Term, TermCodec, TermError, TermKind, Value, ValueType,
};
use tilewright_irs::element::ElementType;
use tilewright_irs::literal::{Dense, Literal};
use tilewright_irs::{attributes, dialect, keywords, language_ops};

/// The test language.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Toy;

/// A type of the test language.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Type {
    /// One element.
    Single(ElementType),
    /// `4x?xf32`, wrapped in `tile<…>`, with any term as its layout.
    Tile(Vec<Option<u64>>, ElementType, Option<Term>),
}

impl TermCodec for Type {
    fn write(&self) -> Term {
        match self {
            Self::Single(element) => element.write(),
            Self::Tile(extents, element, layout) => {
                let dims = TermKind::Dims(extents.clone(), Box::new(element.write())).into();
                let mut args = vec![Term::into(dims)];
                args.extend(layout.clone().map(Into::into));
                Term::call("tile", args)
            }
        }
    }

    fn read(term: &Term) -> Result<Self, TermError> {
        match term.as_call() {
            Some(("tile", [tile, layout @ ..])) if layout.len() < 2 => match &tile.value.kind {
                TermKind::Dims(extents, element) => Ok(Self::Tile(
                    extents.clone(),
                    ElementType::read(element)?,
                    layout.first().map(|arg| without_marks(&arg.value)),
                )),
                _ => Err(tile.value.wrong("extents and an element type")),
            },
            _ => ElementType::read(term).map(Self::Single),
        }
    }
}

/// The term without its marks, so that read terms are equal to made ones.
pub(crate) fn without_marks(term: &Term) -> Term {
    let strip = without_marks;
    let kind = match &term.kind {
        TermKind::Call(word, args) => TermKind::Call(
            word.clone(),
            args.iter()
                .map(|arg| match &arg.name {
                    Some(name) => tilewright_irs::core::Arg::named(&name.text, strip(&arg.value)),
                    None => strip(&arg.value).into(),
                })
                .collect(),
        ),
        TermKind::Dims(extents, element) => TermKind::Dims(extents.clone(), Box::new(strip(element))),
        TermKind::List(items) => TermKind::List(items.iter().map(strip).collect()),
        TermKind::Tuple(items) => TermKind::Tuple(items.iter().map(strip).collect()),
        TermKind::Dict(items) => TermKind::Dict(
            items
                .iter()
                .map(|item| match &item.value {
                    Some(value) => tilewright_irs::core::NamedTerm::new(&item.name.text, strip(value)),
                    None => tilewright_irs::core::NamedTerm::flag(&item.name.text),
                })
                .collect(),
        ),
        other => other.clone(),
    };
    kind.into()
}

impl ValueType for Type {
    fn element(&self) -> Option<ElementType> {
        match self {
            Self::Single(element) | Self::Tile(_, element, _) => Some(*element),
        }
    }
    fn with_element(&self, element: ElementType) -> Self {
        match self {
            Self::Single(_) => Self::Single(element),
            Self::Tile(extents, _, layout) => Self::Tile(extents.clone(), element, layout.clone()),
        }
    }
    fn is_single(&self) -> bool {
        matches!(self, Self::Single(_))
    }
}

keywords! {
    /// A choice among words.
    pub enum Width {
        /// A word that begins with digits.
        Wide = "128b",
        /// A word with a dot.
        Shared = "shared.cta",
        /// A word with a dollar.
        Odd = "odd$1",
    }
}

/// An attribute that is any term.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct AnyTerm(pub Term);

impl TermCodec for AnyTerm {
    fn write(&self) -> Term {
        self.0.clone()
    }
    fn read(term: &Term) -> Result<Self, TermError> {
        Ok(Self(without_marks(term)))
    }
}

tilewright_irs::attribute_field!(AnyTerm);

dialect! {
    /// Every kind of field.
    pub enum ToyOp: "toy" {
        /// One operand after the other.
        Add "add" { lhs: Value, rhs: Value } -> 1, Pure, Same;
        /// Operands that may be absent, and a list.
        Load "load" { base: Value, indices: Vec<Value>, mask: Option<Value>, after: Option<Value>, width: Option<Width>, volatile: Flag } -> *, Reads(Global), Free;
        /// An attribute of every type.
        Attr "attr" { term: AnyTerm, words: Vec<String>, number: i64, small: Option<u8>, yes: bool, literal: Literal, dense: Option<Dense> } -> 1, Pure, Free;
        /// A region, or two.
        If "if" { condition: Value, then: Region, r#else: Region } -> *, Regions, Free;
        /// One region after operands and attributes.
        Loop "loop" { from: Value, inits: Vec<Value>, unsigned: Flag, body: Region } -> *, Regions, Free;
        /// The terminator of a region.
        Yield "yield" { values: Vec<Value> } -> 0, Terminator, Free;
        /// A branch to one of two blocks.
        Branch "branch" { condition: Value, yes: Successor, no: Successor } -> 0, Terminator, Free;
        /// No field.
        Return "return" {} -> 0, Terminator, Free;
    }
}

language_ops! {
    /// The ops.
    pub enum Op {
        /// The only dialect.
        Toy(ToyOp),
    }
}

attributes! {
    /// The attributes of a function.
    pub struct Attrs {
        /// An optional term.
        spec in Meaning: Option<AnyTerm>,
        /// A flag.
        kernel in Meaning: Flag,
    }
}

impl Language for Toy {
    const NAME: &'static str = "toy";
    type Type = Type;
    type Op = Op;
    type Tag = ();
    type FuncAttrs = Attrs;
    fn verify(_: &Func<Self>, _: &mut Problems) {}
}
