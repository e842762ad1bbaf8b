//! Unknown integers: the dynamic leaves of a tuple.

use std::num::NonZeroU64;
use std::sync::Arc;

/// The name of a dynamic integer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Name {
    /// A number. In a text the first unnamed `?` is number 0, the next number 1.
    Number(u32),
    /// An identifier, as in `?{M}`.
    Named(Arc<str>),
}

/// The integer type of a dynamic integer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Width {
    /// 32 bits, the default in text.
    #[default]
    I32,
    /// 64 bits, written `i64`.
    I64,
}

/// A dynamic integer: a positive integer known only at run time.
///
/// Two symbols denote the same integer if all three parts are equal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol {
    name: Name,
    divisor: NonZeroU64,
    width: Width,
}

impl Symbol {
    /// Constructs a 32-bit dynamic integer of that name, without a known divisor.
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

    /// Constructs a 32-bit dynamic integer of that number, without a known divisor.
    pub fn numbered(number: u32) -> Self {
        Self {
            name: Name::Number(number),
            divisor: NonZeroU64::MIN,
            width: Width::I32,
        }
    }

    /// Declares the dynamic integer a multiple of `divisor`, and so at least that large.
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

    /// Changes the integer type.
    pub fn of_width(self, width: Width) -> Self {
        Self { width, ..self }
    }

    /// Whether `value` is possible: a positive multiple of the divisor.
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

    /// The name.
    pub fn name(&self) -> &Name {
        &self.name
    }

    /// The largest known divisor; 1 if there is none.
    pub fn divisor(&self) -> NonZeroU64 {
        self.divisor
    }

    /// The integer type.
    pub fn width(&self) -> Width {
        self.width
    }

    /// Whether more is known of it than its name.
    pub(super) fn has_attributes(&self) -> bool {
        self.divisor != NonZeroU64::MIN || self.width != Width::I32
    }
}
