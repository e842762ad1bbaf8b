//! Integers as a type knows them: a value, or a width and a divisor.

use std::num::NonZeroU64;

use super::basis::Scaled;
use super::error::{Arithmetic, CuteError, Op};
use super::expr::gcd;
use super::int::Int;
use super::leaf::Leaf;
use super::symbol::{Symbol, Width};

/// The width of a dynamic integer in bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Bits {
    /// 8 bits, written `i8`.
    B8,
    /// 16 bits, written `i16`.
    B16,
    /// 32 bits, the default in text.
    #[default]
    B32,
    /// 64 bits, written `i64`.
    B64,
}

impl Bits {
    /// The number of bits.
    pub const fn count(self) -> u32 {
        match self {
            Self::B8 => 8,
            Self::B16 => 16,
            Self::B32 => 32,
            Self::B64 => 64,
        }
    }
}

/// What the type of a CuTe value says of one leaf: `7`, `?`, `?{i64 div=8}`.
///
/// Two dynamic leaves are never taken for the same number, even if the same is known of them. The
/// rules of what an operation remembers are those of NVIDIA's type inference, which forgets more than
/// it has to:
///
/// | operation | divisor of a dynamic result |
/// |---|---|
/// | sum, difference, minimum | the greatest common divisor; a static operand counts with its value |
/// | product | the product |
/// | quotient by a static number that divides the divisor | their quotient |
/// | remainder by a static number that is a multiple of the divisor | the divisor |
/// | any other quotient or remainder, and each quotient that is rounded up | 1 |
///
/// The width of a result is the wider of the two; a static number counts with 32 bits, or 64 if it does
/// not fit. A quotient that is rounded down or a remainder is that of C: `-7 / 2 = -3`.
///
/// ```
/// use tilewright_layouts::cute::{Fact, Leaf};
/// let (rows, wide): (Fact, Fact) = ("?{div=12}".parse()?, "?{i64 div=8}".parse()?);
/// assert_eq!(rows.plus(&wide)?.to_string(), "?{i64 div=4}");
/// assert_eq!(rows.times(&Fact::from(16))?.to_string(), "?{div=192}");
/// assert_eq!(rows.ceil_div(&Fact::from(4))?.to_string(), "?");
/// assert_eq!(wide.remainder(&Fact::from(4)), Some(Fact::from(0)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fact {
    /// A number.
    Static(i64),
    /// A number known at run time.
    Dynamic {
        /// Its width.
        width: Bits,
        /// A number that divides it.
        divisor: NonZeroU64,
    },
}

impl From<u64> for Fact {
    fn from(value: u64) -> Self {
        match i64::try_from(value) {
            Ok(value) => Self::Static(value),
            Err(_) => Self::opaque(Bits::B64),
        }
    }
}

impl Fact {
    /// A dynamic integer of that width of which no more is known.
    pub fn opaque(width: Bits) -> Self {
        Self::Dynamic {
            width,
            divisor: NonZeroU64::MIN,
        }
    }

    /// A dynamic integer of that width and divisor.
    pub fn dynamic(width: Bits, divisor: NonZeroU64) -> Self {
        Self::Dynamic { width, divisor }
    }

    /// The value, if it is static.
    pub fn value(self) -> Option<i64> {
        match self {
            Self::Static(value) => Some(value),
            Self::Dynamic { .. } => None,
        }
    }

    /// The width; that of a static number is the least of 32 and 64 bits that holds it.
    pub fn width(self) -> Bits {
        match self {
            Self::Static(value) if i32::try_from(value).is_ok() => Bits::B32,
            Self::Static(_) => Bits::B64,
            Self::Dynamic { width, .. } => width,
        }
    }

    /// A number that divides the value; 0 for the number 0.
    pub fn divisor(self) -> u64 {
        match self {
            Self::Static(value) => value.unsigned_abs(),
            Self::Dynamic { divisor, .. } => divisor.get(),
        }
    }

    /// A dynamic result of two operands.
    fn of(self, other: Fact, divisor: u64) -> Fact {
        Fact::Dynamic {
            width: self.wider(other),
            divisor: NonZeroU64::new(divisor).unwrap_or(NonZeroU64::MIN),
        }
    }

    /// The width of an operation on both.
    pub(super) fn wider(self, other: Fact) -> Bits {
        self.width().max(other.width())
    }

    fn overflow(self, op: Arithmetic, other: Fact) -> CuteError {
        CuteError::Overflow {
            op,
            left: self.shown(),
            right: other.shown(),
        }
    }
}

fn common(a: Fact, b: Fact) -> u64 {
    let common = gcd(i128::from(a.divisor()), i128::from(b.divisor()));
    u64::try_from(common).unwrap_or(1)
}

impl Leaf for Fact {
    type Stride = Scaled<Fact>;
    const STRICT: bool = false;

    fn known(&self) -> Option<i128> {
        self.value().map(i128::from)
    }

    fn plus(&self, other: &Self) -> Result<Self, CuteError> {
        match (self, other) {
            (Self::Static(a), Self::Static(b)) => {
                let sum = a.checked_add(*b).map(Self::Static);
                sum.ok_or_else(|| self.overflow(Arithmetic::Sum, *other))
            }
            _ => Ok(self.of(*other, common(*self, *other))),
        }
    }

    fn minus(&self, other: &Self) -> Result<Self, CuteError> {
        match (self, other) {
            (Self::Static(a), Self::Static(b)) => {
                let difference = a.checked_sub(*b).map(Self::Static);
                difference.ok_or_else(|| self.overflow(Arithmetic::Difference, *other))
            }
            _ => self.plus(other),
        }
    }

    fn times(&self, other: &Self) -> Result<Self, CuteError> {
        match (self, other) {
            (Self::Static(a), Self::Static(b)) => {
                let product = a.checked_mul(*b).map(Self::Static);
                product.ok_or_else(|| self.overflow(Arithmetic::Product, *other))
            }
            (Self::Static(0), _) | (_, Self::Static(0)) => Ok(Self::Static(0)),
            _ => {
                let (a, b) = (self.divisor(), other.divisor());
                // A divisor that does not fit is forgotten in part: either factor divides the product.
                let product = a.checked_mul(b).filter(|product| i64::try_from(*product).is_ok());
                Ok(self.of(*other, product.unwrap_or(a.max(b))))
            }
        }
    }

    fn ceil_div(&self, other: &Self) -> Result<Self, CuteError> {
        match (self, other) {
            (_, Self::Static(0)) => Err(self.overflow(Arithmetic::Quotient, *other)),
            (Self::Static(a), Self::Static(b)) => {
                let up = i64::from(a % b != 0 && (*a < 0) == (*b < 0));
                let quotient = a.checked_div(*b).and_then(|quotient| quotient.checked_add(up));
                let quotient = quotient.map(Self::Static);
                quotient.ok_or_else(|| self.overflow(Arithmetic::Quotient, *other))
            }
            (_, Self::Static(1)) | (Self::Static(0), _) => Ok(*self),
            _ => Ok(self.of(*other, 1)),
        }
    }

    fn shape_div(&self, other: &Self) -> Result<Self, CuteError> {
        match (self, other) {
            (_, Self::Static(0)) => Err(self.overflow(Arithmetic::Quotient, *other)),
            (Self::Static(a), Self::Static(b)) if a % b == 0 || (*a != 0 && b % a == 0) => {
                self.ceil_div(other)
            }
            (Self::Static(_), Self::Static(_)) => Err(CuteError::Divisibility {
                op: Op::ShapeDiv,
                left: self.shown(),
                right: other.shown(),
            }),
            _ => Ok(self.of(*other, 1)),
        }
    }

    fn quotient(&self, other: &Self) -> Option<Self> {
        match (self, other) {
            (_, Self::Static(0)) => None,
            (Self::Static(a), Self::Static(b)) => a.checked_div(*b).map(Self::Static),
            (Self::Static(0), _) => Some(*self),
            (Self::Dynamic { divisor, .. }, Self::Static(b)) if divisor.get() % b.unsigned_abs() == 0 => {
                Some(self.of(*other, divisor.get() / b.unsigned_abs()))
            }
            _ => Some(self.of(*other, 1)),
        }
    }

    fn remainder(&self, other: &Self) -> Option<Self> {
        match (self, other) {
            (_, Self::Static(0)) => None,
            (Self::Static(a), Self::Static(b)) => a.checked_rem(*b).map(Self::Static),
            (Self::Static(0), _) => Some(*self),
            (Self::Dynamic { divisor, .. }, Self::Static(b)) => {
                let (known, by) = (divisor.get(), b.unsigned_abs());
                Some(match (known % by, by % known) {
                    (0, _) => Self::Static(0),
                    (_, 0) => self.of(*other, known),
                    _ => self.of(*other, 1),
                })
            }
            _ => Some(self.of(*other, 1)),
        }
    }

    fn lesser(&self, other: &Self) -> Option<Self> {
        Some(match (self, other) {
            (Self::Static(a), Self::Static(b)) => Self::Static(*a.min(b)),
            _ => self.of(*other, common(*self, *other)),
        })
    }

    fn exact_quotient(&self, other: &Self) -> Option<Self> {
        match (self, other) {
            (_, Self::Static(0)) => None,
            (Self::Static(a), Self::Static(b)) if a % b == 0 => Some(Self::Static(a / b)),
            _ => None,
        }
    }

    fn provably_le(&self, other: &Self) -> Option<bool> {
        Some(self.value()? <= other.value()?)
    }

    fn same(&self, other: &Self) -> bool {
        self.is_static() && self == other
    }

    fn of_width(&self, others: &[&Self]) -> Self {
        let widths = others.iter().map(|other| other.width());
        Self::opaque(widths.max().unwrap_or_default())
    }

    fn shown(&self) -> Int {
        match self {
            Self::Static(value) => Int::signed(i128::from(*value)),
            Self::Dynamic { width, divisor } => {
                let width = match width {
                    Bits::B64 => Width::I64,
                    Bits::B8 | Bits::B16 | Bits::B32 => Width::I32,
                };
                Int::from(Symbol::numbered(0).divisible_by(*divisor).of_width(width))
            }
        }
    }
}
