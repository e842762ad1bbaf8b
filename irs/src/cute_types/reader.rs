//! Reading and printing of types: the parts of their texts.

use std::fmt;
use std::num::{NonZeroU32, NonZeroU64};
use std::str::FromStr;

use tilewright_layouts::cute::{
    CoordOf, Fact, Nested, ParseCuteError, Scaled, Swizzle, TilerOf, TypeComposed, TypeLayout,
};

/// A text that is no type, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeError {
    /// The byte at which it goes wrong.
    pub offset: usize,
    /// What is wrong there.
    pub message: String,
}

impl fmt::Display for TypeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.message, self.offset)
    }
}

impl std::error::Error for TypeError {}

/// A part of a type with a text of its own.
pub(super) trait Part: Sized {
    fn read(reader: &mut Reader<'_>) -> Result<Self, TypeError>;
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
}

/// A position in the text of a type.
pub(super) struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    /// The byte after the last one that was read.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn skip_space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    pub(super) fn error(&self, message: impl Into<String>) -> TypeError {
        let (offset, message) = (self.at, message.into());
        TypeError { offset, message }
    }

    /// Reads a literal, whose blanks stand for any, or leaves all as it was.
    pub(super) fn take(&mut self, literal: &str) -> bool {
        let start = self.at;
        let found = literal.split_whitespace().all(|piece| {
            self.skip_space();
            let Some(after) = self.rest().strip_prefix(piece) else {
                return false;
            };
            self.at += piece.len();
            !(piece.ends_with(in_word) && after.starts_with(in_word))
        });
        if !found {
            self.at = start;
        }
        found
    }

    /// Reads a literal, whose blanks stand for any.
    pub(super) fn literal(&mut self, literal: &str) -> Result<(), TypeError> {
        match self.take(literal) {
            true => Ok(()),
            false => {
                self.skip_space();
                Err(self.error(format!("expected `{}`", literal.trim())))
            }
        }
    }

    /// Reads a word of letters, digits, underscores and dots, which may be empty.
    pub(super) fn word(&mut self) -> &'a str {
        self.skip_space();
        let rest = self.rest();
        let end = rest.find(|c: char| !in_word(c) && c != '.').unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).unwrap_or("")
    }

    /// Reads something, or nothing.
    pub(super) fn maybe<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let start = self.at;
        let found = read(self);
        if found.is_none() {
            self.at = start;
        }
        found
    }

    /// Reads a word if it means something.
    pub(super) fn maybe_word<T>(&mut self, meaning: impl FnOnce(&str) -> Option<T>) -> Option<T> {
        self.skip_space();
        self.maybe(|reader| meaning(reader.word()))
    }

    /// Reads one character, which may stand between letters and digits.
    pub(super) fn mark(&mut self, mark: char) -> Result<(), TypeError> {
        if !self.rest().starts_with(mark) {
            return Err(self.error(format!("expected `{mark}`")));
        }
        self.at += mark.len_utf8();
        Ok(())
    }

    /// Reads one word of a list.
    pub(super) fn one_of<T>(
        &mut self,
        words: &[&str],
        from: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, TypeError> {
        let found = self.maybe_word(from);
        found.ok_or_else(|| self.error(format!("expected one of `{}`", words.join("`, `"))))
    }

    /// Reads a number without a sign.
    pub(super) fn number<T: FromStr>(&mut self, what: &str) -> Result<T, TypeError> {
        self.skip_space();
        let rest = self.rest();
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let number = rest.get(..digits).and_then(|digits| digits.parse().ok());
        let number = number.ok_or_else(|| self.error(format!("expected {what}")))?;
        self.at += digits;
        Ok(number)
    }

    /// Reads a quoted string of the algebra.
    fn quoted<T: FromStr<Err = ParseCuteError>>(&mut self) -> Result<T, TypeError> {
        self.literal("\"")?;
        let start = self.at;
        let rest = self.rest();
        let end = rest
            .find('"')
            .ok_or_else(|| self.error("expected the end of this string"))?;
        self.at += end + 1;
        rest.get(..end)
            .unwrap_or("")
            .parse()
            .map_err(|error| match error {
                ParseCuteError::Syntax { at, expected } => TypeError {
                    offset: start + at,
                    message: format!("expected {expected}"),
                },
                ParseCuteError::Layout(error) => TypeError {
                    offset: start,
                    message: error.to_string(),
                },
            })
    }
}

fn in_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Strings of the algebra are quoted.
macro_rules! quoted {
    ($($Type:ty),+) => {
        $(impl Part for $Type {
            fn read(reader: &mut Reader<'_>) -> Result<Self, TypeError> {
                reader.quoted()
            }
            fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "\"{self}\"")
            }
        })+
    };
}

quoted!(
    Nested<Fact>,
    Nested<Scaled<Fact>>,
    CoordOf<Fact>,
    TypeLayout,
    TypeComposed,
    TilerOf<Fact>
);

/// Numbers, with what they are called where one is missing.
macro_rules! numbers {
    ($($Type:ty = $what:literal),+) => {
        $(impl Part for $Type {
            fn read(reader: &mut Reader<'_>) -> Result<Self, TypeError> {
                reader.number($what)
            }
            fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{self}")
            }
        })+
    };
}

numbers!(
    u32 = "a number",
    u64 = "a number",
    NonZeroU32 = "a number above 0",
    NonZeroU64 = "a number above 0"
);

impl Part for bool {
    fn read(reader: &mut Reader<'_>) -> Result<Self, TypeError> {
        reader.one_of(&["true", "false"], |word| word.parse().ok())
    }
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// Reads a swizzle without quotes: `S<3,4,3>`.
pub(super) fn read_swizzle(reader: &mut Reader<'_>) -> Result<Swizzle, TypeError> {
    reader.skip_space();
    let start = reader.at;
    reader.literal("S<")?;
    let bits = reader.number("the number of bits")?;
    reader.literal(",")?;
    let base = reader.number("the lowest bit")?;
    reader.literal(",")?;
    let down = reader.take("-");
    let shift: i32 = reader.number("the distance of the bits")?;
    reader.literal(">")?;
    Swizzle::new(bits, base, if down { -shift } else { shift }).map_err(|error| TypeError {
        offset: start,
        message: error.to_string(),
    })
}

/// Writes a swizzle as NVIDIA does, without quotes.
pub(super) fn write_swizzle(swizzle: &Swizzle, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "S<{},{},{}>", swizzle.bits(), swizzle.base(), swizzle.shift())
}

impl Part for Swizzle {
    fn read(reader: &mut Reader<'_>) -> Result<Self, TypeError> {
        reader.literal("\"")?;
        let swizzle = read_swizzle(reader)?;
        reader.literal("\"")?;
        Ok(swizzle)
    }
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        write_swizzle(self, f)?;
        f.write_str("\"")
    }
}

/// The words of an enumeration.
macro_rules! words {
    ($($(#[$doc:meta])* pub enum $Name:ident { $($(#[doc = $vdoc:literal])* $variant:ident = $word:literal),+ $(,)? })+) => {
        $(
            crate::keywords! {
                $(#[$doc])* pub enum $Name { $($(#[doc = $vdoc])* $variant = $word),+ }
            }

            impl $crate::cute_types::reader::Part for $Name {
                fn read(
                    reader: &mut $crate::cute_types::reader::Reader<'_>,
                ) -> Result<Self, $crate::cute_types::reader::TypeError> {
                    reader.one_of(Self::WORDS, Self::from_word)
                }
                fn write(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                    f.write_str(self.word())
                }
            }
        )+
    };
}

/// A part of a type by its fields and its text: literals, fields, `{'x'}` for a character beside digits, `["literal" if
/// field]` for a flag, and `["literal" field]` or `["literal" field "end"]` for a field that may be absent. A part that is
/// generic over its leaves has a text for those that are facts.
macro_rules! part {
    (
        $(#[$doc:meta])*
        pub struct $Name:ident $(<$Leaf:ident>)? {
            $($(#[doc = $fdoc:literal])* $field:ident: $Type:ty),+ $(,)?
        }
        $($piece:tt)+
    ) => {
        part! { @declare [$(#[$doc])*] $Name [$($Leaf)?] [$($(#[doc = $fdoc])* $field: $Type),+] }
        part! { @impl $Name [$($field)+] $($piece)+ }
    };
    (
        @declare [$(#[$doc:meta])*] $Name:ident [$($Leaf:ident)?]
        [$($(#[doc = $fdoc:literal])* $field:ident: $Type:ty),+]
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub struct $Name $(<$Leaf: ::tilewright_layouts::cute::TypeLeaf = ::tilewright_layouts::cute::Fact>)? {
            $($(#[doc = $fdoc])* pub $field: $Type),+
        }
    };
    (@impl $Name:ident [$($field:ident)+] $($piece:tt)+) => {
        impl $crate::cute_types::reader::Part for $Name {
            fn read(
                reader: &mut $crate::cute_types::reader::Reader<'_>,
            ) -> Result<Self, $crate::cute_types::reader::TypeError> {
                $(part!(@read reader $piece);)+
                Ok(Self { $($field),+ })
            }
            fn write(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                let Self { $($field),+ } = self;
                $(part!(@write f $piece);)+
                Ok(())
            }
        }
    };
    (@read $reader:ident $literal:literal) => { $reader.literal($literal)?; };
    (@read $reader:ident $field:ident) => { let $field = $crate::cute_types::reader::Part::read($reader)?; };
    (@read $reader:ident [$literal:literal if $field:ident]) => { let $field = $reader.take($literal); };
    (@read $reader:ident [$literal:literal $field:ident]) => {
        let $field = match $reader.take($literal) {
            true => Some($crate::cute_types::reader::Part::read($reader)?),
            false => None,
        };
    };
    (@read $reader:ident [$literal:literal $field:ident $end:literal]) => {
        let $field = match $reader.take($literal) {
            true => Some($crate::cute_types::reader::Part::read($reader)?),
            false => None,
        };
        if $field.is_some() {
            $reader.literal($end)?;
        }
    };
    (@read $reader:ident {$mark:literal}) => {
        $reader.skip_space();
        $reader.mark($mark)?;
    };
    (@write $f:ident {$mark:literal}) => { write!($f, "{}", $mark)?; };
    (@write $f:ident [$literal:literal $field:ident $end:literal]) => {
        if let Some($field) = $field {
            $f.write_str($literal)?;
            $crate::cute_types::reader::Part::write($field, $f)?;
            $f.write_str($end)?;
        }
    };
    (@write $f:ident $literal:literal) => { $f.write_str($literal)?; };
    (@write $f:ident $field:ident) => { $crate::cute_types::reader::Part::write($field, $f)?; };
    (@write $f:ident [$literal:literal if $field:ident]) => {
        if *$field {
            $f.write_str($literal)?;
        }
    };
    (@write $f:ident [$literal:literal $field:ident]) => {
        if let Some($field) = $field {
            $f.write_str($literal)?;
            $crate::cute_types::reader::Part::write($field, $f)?;
        }
    };
}

/// Types that begin with words of their own.
pub(super) trait Family: Sized {
    /// The word with which the type begins.
    fn word(&self) -> &'static str;

    /// Reads what follows a word, if that is one of these types.
    fn after(word: &str, reader: &mut Reader<'_>) -> Option<Result<Self, TypeError>>;

    /// Writes what follows the word.
    fn write_after(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;

    /// Reads a type of the family after `!`.
    fn read_one(reader: &mut Reader<'_>, what: &str) -> Result<Self, TypeError> {
        reader.literal("!")?;
        let start = reader.at();
        let word = reader.word();
        Self::after(word, reader).unwrap_or_else(|| {
            let message = format!("expected {what}, not `{word}`");
            Err(TypeError {
                offset: start,
                message,
            })
        })
    }

    /// Writes a type of the family after `!`.
    fn write_one(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "!{}", self.word())?;
        self.write_after(f)
    }
}

/// Types by their words, each with its part between `<` and `>`, and families of such types. Those that are generic over
/// their leaves have texts where the leaves are facts.
macro_rules! by_word {
    ($(#[$doc:meta])* pub enum $Name:ident $(<$Leaf:ident>)? {
        $($(#[doc = $vdoc:literal])* $variant:ident($Type:ty) = $word:literal),+ $(,)?
        $(; $($(#[doc = $fdoc:literal])* $family:ident($Family:ty)),+ $(,)?)?
    }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub enum $Name $(<$Leaf: ::tilewright_layouts::cute::TypeLeaf = ::tilewright_layouts::cute::Fact>)? {
            $($(#[doc = $vdoc])* $variant($Type),)+
            $($($(#[doc = $fdoc])* $family($Family),)+)?
        }

        impl $crate::cute_types::reader::Family for $Name {
            fn word(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => $word,)+
                    $($(Self::$family(member) => $crate::cute_types::reader::Family::word(member),)+)?
                }
            }

            fn after(
                word: &str,
                reader: &mut $crate::cute_types::reader::Reader<'_>,
            ) -> Option<Result<Self, $crate::cute_types::reader::TypeError>> {
                match word {
                    $($word => Some($crate::cute_types::reader::in_brackets(reader).map(Self::$variant)),)+
                    _ => {
                        $($(if let Some(read) = <$Family as $crate::cute_types::reader::Family>::after(word, reader) {
                            return Some(read.map(Self::$family));
                        })+)?
                        None
                    }
                }
            }

            fn write_after(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                match self {
                    $(Self::$variant(value) => {
                        f.write_str("<")?;
                        $crate::cute_types::reader::Part::write(value, f)?;
                        f.write_str(">")
                    })+
                    $($(Self::$family(member) => $crate::cute_types::reader::Family::write_after(member, f),)+)?
                }
            }
        }
    };
}

/// Reads a part between `<` and `>`.
pub(super) fn in_brackets<T: Part>(reader: &mut Reader<'_>) -> Result<T, TypeError> {
    reader.literal("<")?;
    let value = T::read(reader)?;
    reader.literal(">")?;
    Ok(value)
}

/// Types that are a word and nothing else.
macro_rules! bare_words {
    ($($Name:ident),+) => {
        $(impl $crate::cute_types::reader::Family for $Name {
            fn word(&self) -> &'static str {
                (*self).word()
            }
            fn after(
                word: &str,
                _: &mut $crate::cute_types::reader::Reader<'_>,
            ) -> Option<Result<Self, $crate::cute_types::reader::TypeError>> {
                Self::from_word(word).map(Ok)
            }
            fn write_after(&self, _: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                Ok(())
            }
        })+
    };
}

pub(super) use {bare_words, by_word, part, words};
