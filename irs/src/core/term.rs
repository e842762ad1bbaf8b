//! Terms: the syntax of types and attribute values.

use tilewright_diagnostics::{Code, Diagnostic};

use super::family::{Family, Key};
use super::spelling::nearest;

/// A node's mark: given by the parser, handed back in errors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mark(pub u32);

/// A name with its mark.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Name {
    /// The text, without a sigil.
    pub text: String,
    /// Where it stands.
    pub mark: Mark,
}

impl Name {
    /// A name that stands nowhere.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            mark: Mark::default(),
        }
    }
}

/// A term of the syntax tree.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Term {
    /// Its form.
    pub kind: TermKind,
    /// Its position.
    pub mark: Mark,
}

/// The forms of a term.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TermKind {
    /// `-3`
    Int(i128),
    /// `1.5e0`: a decimal number, kept as written.
    Float(String),
    /// `0x7fc0`: a bit pattern.
    Bits(u64),
    /// `"text"`
    Str(String),
    /// `weak`; with dots, `shared.cta`.
    Word(String),
    /// `@name`
    Symbol(String),
    /// `?`: dynamic.
    Unknown,
    /// `word<args>`
    Call(String, Vec<Arg>),
    /// `4x?xf32`: extents before a term.
    Dims(Vec<Option<u64>>, Box<Term>),
    /// `[a, b]`
    List(Vec<Term>),
    /// `(a, b)`
    Tuple(Vec<Term>),
    /// `{name = term, flag}`
    Dict(Vec<NamedTerm>),
    /// `#name`: stands for a term defined at the top of the file; only the printer and the parser see it.
    Alias(String),
}

/// `name = term`, or a name alone for a flag.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NamedTerm {
    /// The attribute's name.
    pub name: Name,
    /// Its value; a flag has none.
    pub value: Option<Term>,
}

impl NamedTerm {
    /// An attribute with a value.
    pub fn new(name: &str, value: Term) -> Self {
        Self {
            name: Name::new(name),
            value: Some(value),
        }
    }

    /// A flag.
    pub fn flag(name: &str) -> Self {
        Self {
            name: Name::new(name),
            value: None,
        }
    }
}

/// An argument of a call: `term` or `name = term`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Arg {
    /// The name, when there is one.
    pub name: Option<Name>,
    /// The value.
    pub value: Term,
}

impl From<Term> for Arg {
    fn from(value: Term) -> Self {
        Self { name: None, value }
    }
}

impl Arg {
    /// A named argument.
    pub fn named(name: &str, value: Term) -> Self {
        Self {
            name: Some(Name::new(name)),
            value,
        }
    }
}

impl From<TermKind> for Term {
    fn from(kind: TermKind) -> Self {
        Self {
            kind,
            mark: Mark::default(),
        }
    }
}

impl Term {
    /// An integer.
    pub fn int(value: impl Into<i128>) -> Self {
        TermKind::Int(value.into()).into()
    }

    /// A word.
    pub fn word(word: &str) -> Self {
        TermKind::Word(word.to_owned()).into()
    }

    /// `word<args>`.
    pub fn call(word: &str, args: Vec<Arg>) -> Self {
        TermKind::Call(word.to_owned(), args).into()
    }

    /// `[items]`.
    pub fn list(items: impl IntoIterator<Item = Self>) -> Self {
        TermKind::List(items.into_iter().collect()).into()
    }

    /// `[1, 2]`.
    pub fn ints<T: Into<i128> + Copy>(items: &[T]) -> Self {
        Self::list(items.iter().map(|&i| Self::int(i)))
    }

    /// The word or the word of a call, with its arguments.
    pub fn as_call(&self) -> Option<(&str, &[Arg])> {
        match &self.kind {
            TermKind::Word(word) => Some((word, &[])),
            TermKind::Call(word, args) => Some((word, args)),
            _ => None,
        }
    }

    /// An error about this term.
    pub fn wrong(&self, expected: impl Into<String>) -> TermError {
        TermError {
            mark: self.mark,
            expected: expected.into(),
            meant: None,
        }
    }

    /// An error about this term, where one of these words was expected.
    pub fn wrong_word(&self, expected: impl Into<String>, words: &[&'static str]) -> TermError {
        let meant = match &self.kind {
            TermKind::Word(word) => nearest(word, words.iter().copied()),
            _ => None,
        };
        TermError {
            meant,
            ..self.wrong(expected)
        }
    }

    /// The items of a list.
    pub fn items(&self, expected: &str) -> Result<&[Self], TermError> {
        match &self.kind {
            TermKind::List(items) => Ok(items),
            _ => Err(self.wrong(expected)),
        }
    }

    /// An integer within the range of `T`.
    pub fn to_int<T: TryFrom<i128>>(&self, expected: &str) -> Result<T, TermError> {
        match self.kind {
            TermKind::Int(value) => T::try_from(value).map_err(|_| self.wrong(expected)),
            _ => Err(self.wrong(expected)),
        }
    }

    /// A list of integers within the range of `T`.
    pub fn to_ints<T: TryFrom<i128>>(&self, expected: &str) -> Result<Vec<T>, TermError> {
        self.items(expected)?
            .iter()
            .map(|item| item.to_int(expected))
            .collect()
    }
}

/// The arguments of a call, consumed one by one: positional ones first, named ones by name.
#[derive(Debug)]
pub struct Args<'a> {
    owner: &'a Term,
    positional: std::collections::VecDeque<&'a Term>,
    named: Vec<(&'a Name, &'a Term)>,
}

impl<'a> Args<'a> {
    /// The arguments of `owner`, a call.
    pub fn new(owner: &'a Term, args: &'a [Arg]) -> Self {
        let mut positional = std::collections::VecDeque::new();
        let mut named = Vec::new();
        for arg in args {
            match &arg.name {
                None => positional.push_back(&arg.value),
                Some(name) => named.push((name, &arg.value)),
            }
        }
        Self {
            owner,
            positional,
            named,
        }
    }

    /// The next positional argument.
    pub fn next(&mut self, expected: &str) -> Result<&'a Term, TermError> {
        self.positional
            .pop_front()
            .ok_or_else(|| self.owner.wrong(expected))
    }

    /// The next positional argument, if there is one.
    pub fn next_if_any(&mut self) -> Option<&'a Term> {
        self.positional.pop_front()
    }

    /// Whether the next positional argument is this word.
    ///
    /// # Errors
    /// There is another one.
    pub fn has(&mut self, word: &str) -> Result<bool, TermError> {
        match self.next_if_any() {
            None => Ok(false),
            Some(term) if term.kind == TermKind::Word(word.to_owned()) => Ok(true),
            Some(term) => Err(term.wrong(format!("`{word}`"))),
        }
    }

    /// The argument of this name, if there is one.
    pub fn named(&mut self, name: &str) -> Option<&'a Term> {
        let at = self.named.iter().position(|(n, _)| n.text == name)?;
        Some(self.named.remove(at).1)
    }

    /// The argument of this name.
    pub fn required(&mut self, name: &str) -> Result<&'a Term, TermError> {
        self.named(name)
            .ok_or_else(|| self.owner.wrong(format!("an argument `{name} = …`")))
    }

    /// An error if an argument is left over.
    pub fn finish(self) -> Result<(), TermError> {
        if let Some((name, _)) = self.named.first() {
            return Err(TermError {
                mark: name.mark,
                expected: format!("no argument `{}`", name.text),
                meant: None,
            });
        }
        match self.positional.front() {
            Some(term) => Err(term.wrong("no further argument")),
            None => Ok(()),
        }
    }
}

/// A term is not what its place wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TermError {
    /// The term.
    pub mark: Mark,
    /// What was expected, as a noun.
    pub expected: String,
    /// The word that the term was probably meant to be, if it is a misspelt one.
    pub meant: Option<&'static str>,
}

impl TermError {
    /// This error if it tells which word was meant, else another one about the whole.
    #[must_use]
    pub fn or(self, whole: Self) -> Self {
        if self.meant.is_some() { self } else { whole }
    }

    /// The error as a diagnostic.
    pub(super) fn diagnostic(self, code: Code, message: impl Into<String>) -> Diagnostic<Mark> {
        let label = format!("expected {}", self.expected);
        let problem = Diagnostic::error(code, message).at(self.mark, label);
        match self.meant {
            Some(word) => problem.meant(self.mark, word),
            None => problem,
        }
    }
}

/// A word of an enumeration, and what it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keyword {
    /// The word.
    pub word: &'static str,
    /// Its meaning.
    pub doc: &'static str,
}

/// What can be written as a term and read back from it: `read(write(x)) == x`.
pub trait TermCodec: Sized {
    /// The words that it may be, if it is one of several.
    const KEYWORDS: &'static [Keyword] = &[];
    /// What such an attribute is about.
    const FAMILY: Family = Family::Meaning;
    /// The attributes in it, if it is a dictionary of known ones.
    const KEYS: &'static [Key] = &[];
    /// The term.
    fn write(&self) -> Term;
    /// The value of a term.
    fn read(term: &Term) -> Result<Self, TermError>;
}

macro_rules! int_codec {
    ($($ty:ty)*) => {$(
        impl TermCodec for $ty {
            fn write(&self) -> Term {
                Term::int(i128::from(*self))
            }
            fn read(term: &Term) -> Result<Self, TermError> {
                term.to_int(concat!("an integer that fits ", stringify!($ty)))
            }
        }
    )*};
}
int_codec!(u8 u16 u32 u64 i32 i64);

impl TermCodec for bool {
    fn write(&self) -> Term {
        Term::word(if *self { "true" } else { "false" })
    }
    fn read(term: &Term) -> Result<Self, TermError> {
        match &term.kind {
            TermKind::Word(w) if w == "true" => Ok(true),
            TermKind::Word(w) if w == "false" => Ok(false),
            _ => Err(term.wrong("`true` or `false`")),
        }
    }
}

impl TermCodec for String {
    fn write(&self) -> Term {
        TermKind::Str(self.clone()).into()
    }
    fn read(term: &Term) -> Result<Self, TermError> {
        match &term.kind {
            TermKind::Str(text) => Ok(text.clone()),
            _ => Err(term.wrong("a quoted string")),
        }
    }
}

impl<T: TermCodec> TermCodec for Vec<T> {
    fn write(&self) -> Term {
        Term::list(self.iter().map(TermCodec::write))
    }
    fn read(term: &Term) -> Result<Self, TermError> {
        term.items("a list in brackets")?.iter().map(T::read).collect()
    }
}

/// Declares an enumeration of keywords, with its text form and, after `in`, its family.
#[macro_export]
macro_rules! keywords {
    ($(#[$doc:meta])* pub enum $name:ident $(: $effects:ident)? $(in $family:ident)? {
        $($(#[doc = $vdoc:literal])* $variant:ident = $word:literal),+ $(,)?
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[doc = $vdoc])* $variant),+ }

        impl $name {
            /// Every variant, in order of declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The keyword of each variant, in order of declaration.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// The variant's keyword.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// What the variant means.
            pub const fn doc(self) -> &'static str {
                match self { $(Self::$variant => concat!($($vdoc),*)),+ }
            }

            /// The variant with this keyword.
            pub fn from_word(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)+ _ => None }
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(self.word())
            }
        }

        impl $crate::core::TermCodec for $name {
            const KEYWORDS: &'static [$crate::core::Keyword] = &[
                $($crate::core::Keyword { word: $word, doc: concat!($($vdoc),*) }),+
            ];
            $(const FAMILY: $crate::core::Family = $crate::core::Family::$family;)?
            fn write(&self) -> $crate::core::Term {
                $crate::core::Term::word(self.word())
            }
            fn read(term: &$crate::core::Term) -> Result<Self, $crate::core::TermError> {
                match &term.kind {
                    $crate::core::TermKind::Word(word) => Self::from_word(word),
                    _ => None,
                }
                .ok_or_else(|| term.wrong_word(concat!("one of", $(" `", $word, "`"),+), Self::WORDS))
            }
        }

        $crate::attribute_field!($name $(: $effects)?);
    };
}
