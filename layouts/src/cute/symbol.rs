//! Unknown integers: the dynamic leaves of a tuple.

use std::num::NonZeroU64;
use std::sync::Arc;

/// What an unknown is called.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Name {
    /// By number. In a text the first `?` without a name is number 0, the next number 1.
    Number(u32),
    /// By an identifier, as in `?{M}`.
    Named(Arc<str>),
}

/// The integer type that an unknown has in the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Width {
    /// 32 bits, the type of an unknown whose text does not say.
    #[default]
    I32,
    /// 64 bits, written `i64`.
    I64,
}

/// A positive integer that is known only when the program runs.
///
/// Two symbols are the same unknown if all three parts are equal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol {
    name: Name,
    divisor: NonZeroU64,
    width: Width,
}

impl Symbol {
    /// The unknown of that name, of 32 bits, of which no divisor is known.
    ///
    /// ```
    /// use tilewright_layouts::cute::{Int, Symbol};
    /// assert_eq!(Int::from(Symbol::named("M")).to_string(), "?{M}");
    /// ```
    pub fn named(name: &str) -> Self {
        Self {
            name: Name::Named(name.into()),
            divisor: NonZeroU64::MIN,
            width: Width::I32,
        }
    }

    /// The unknown of that number, of 32 bits, of which no divisor is known.
    pub fn numbered(number: u32) -> Self {
        Self {
            name: Name::Number(number),
            divisor: NonZeroU64::MIN,
            width: Width::I32,
        }
    }

    /// The same unknown, known to be a multiple of `divisor` and so at least that large.
    ///
    /// ```
    /// use std::num::NonZeroU64;
    /// use tilewright_layouts::cute::{Int, Symbol};
    ///
    /// let eight = NonZeroU64::new(8).ok_or("zero")?;
    /// let length = Int::from(Symbol::named("M").divisible_by(eight));
    /// assert_eq!(length.to_string(), "?{M div=8}");
    /// assert_eq!(length.ceil_div(&Int::Static(4))?.to_string(), "?{M{div=8}/4}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn divisible_by(self, divisor: NonZeroU64) -> Self {
        Self { divisor, ..self }
    }

    /// The same unknown with another integer type.
    pub fn of_width(self, width: Width) -> Self {
        Self { width, ..self }
    }

    /// Whether it can have this value: a positive multiple of its divisor.
    ///
    /// ```
    /// use std::num::NonZeroU64;
    /// use tilewright_layouts::cute::Symbol;
    /// let length = Symbol::named("M").divisible_by(NonZeroU64::new(8).ok_or("zero")?);
    /// assert!(length.admits(24) && !length.admits(4) && !length.admits(0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn admits(&self, value: u64) -> bool {
        value != 0 && value.is_multiple_of(self.divisor.get())
    }

    /// What it is called.
    pub fn name(&self) -> &Name {
        &self.name
    }

    /// The largest integer that it is known to be a multiple of; 1 if nothing is known.
    pub fn divisor(&self) -> NonZeroU64 {
        self.divisor
    }

    /// Its integer type in the program.
    pub fn width(&self) -> Width {
        self.width
    }

    /// Whether more is known of it than its name.
    pub(super) fn has_attributes(&self) -> bool {
        self.divisor != NonZeroU64::MIN || self.width != Width::I32
    }
}
