//! Literals: constant elements, stored as bits.

use crate::core::{Arg, Term, TermCodec, TermError, TermKind};
use crate::element::ScalarType;

/// One number: its type and its bits, the unused high ones zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Literal {
    /// The type.
    pub ty: ScalarType,
    /// The bits.
    pub bits: u64,
}

impl Literal {
    /// A literal of the low bits of `bits`.
    pub const fn new(ty: ScalarType, bits: u64) -> Self {
        Self {
            ty,
            bits: bits & ty.mask(),
        }
    }

    /// A 32-bit integer.
    #[allow(clippy::cast_sign_loss)]
    pub const fn i32(value: i32) -> Self {
        Self::new(ScalarType::I32, value as u64)
    }

    /// A 64-bit integer.
    #[allow(clippy::cast_sign_loss)]
    pub const fn i64(value: i64) -> Self {
        Self::new(ScalarType::I64, value as u64)
    }

    /// A Boolean.
    pub const fn i1(value: bool) -> Self {
        Self::new(ScalarType::I1, value as u64)
    }

    /// The value of an integer literal, read as signed (an i1 as 0 or 1).
    pub const fn signed(self) -> i64 {
        if matches!(self.ty, ScalarType::I1) {
            return (self.bits & 1).cast_signed();
        }
        let shift = 64 - self.ty.bits();
        (self.bits << shift).cast_signed() >> shift
    }

    /// The value of a float literal of a type up to 64 bits that Rust can widen exactly.
    pub fn float(self) -> Option<f64> {
        match self.ty {
            ScalarType::F16 => Some(half::f16::from_bits((self.bits & 0xFFFF) as u16).to_f64()),
            ScalarType::BF16 => Some(half::bf16::from_bits((self.bits & 0xFFFF) as u16).to_f64()),
            ScalarType::F32 => Some(f64::from(f32::from_bits((self.bits & 0xFFFF_FFFF) as u32))),
            ScalarType::F64 => Some(f64::from_bits(self.bits)),
            _ => None,
        }
    }

    /// The literal of a float type up to 64 bits that is nearest to a number, ties to even. `None` for other types.
    pub fn of_float(ty: ScalarType, value: f64) -> Option<Self> {
        let bits = match ty {
            ScalarType::F16 => u64::from(half::f16::from_f64(value).to_bits()),
            ScalarType::BF16 => u64::from(half::bf16::from_f64(value).to_bits()),
            #[allow(clippy::cast_possible_truncation)]
            ScalarType::F32 => u64::from((value as f32).to_bits()),
            ScalarType::F64 => value.to_bits(),
            _ => return None,
        };
        Some(Self::new(ty, bits))
    }

    /// The shortest decimal number that parses to the same bits, if there is one.
    fn decimal(self) -> Option<String> {
        if !self.float()?.is_finite() {
            return None;
        }
        let text = match self.ty {
            ScalarType::F32 => format!("{:?}", f32::from_bits((self.bits & 0xFFFF_FFFF) as u32)),
            ScalarType::F64 => format!("{:?}", f64::from_bits(self.bits)),
            ScalarType::F16 | ScalarType::BF16 => format!("{:?}", self.float()?),
            _ => return None,
        };
        (Self::parse_float(self.ty, &text) == Some(self)).then_some(text)
    }

    /// Parses a decimal number, correctly rounded, or one of the words `inf`, `Infinity`, `nan` and `NaN` with or without a
    /// sign. `None` for types without rounding in Rust.
    pub fn parse_float(ty: ScalarType, text: &str) -> Option<Self> {
        let special = match text.trim_start_matches('-') {
            "inf" | "Infinity" => Some(f64::INFINITY),
            "nan" | "NaN" => Some(f64::NAN),
            _ => None,
        };
        if let Some(value) = special {
            let sign = if text.starts_with('-') { -1.0 } else { 1.0 };
            return Self::of_float(ty, value.copysign(sign));
        }
        // Of the other words that Rust parses, none is accepted.
        if !text
            .bytes()
            .all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'-' | b'+' | b'e' | b'E'))
        {
            return None;
        }
        let bits = match ty {
            ScalarType::F32 => u64::from(text.parse::<f32>().ok()?.to_bits()),
            ScalarType::F64 => text.parse::<f64>().ok()?.to_bits(),
            ScalarType::F16 => u64::from(half::f16::from_f64(text.parse().ok()?).to_bits()),
            ScalarType::BF16 => u64::from(half::bf16::from_f64(text.parse().ok()?).to_bits()),
            _ => return None,
        };
        Some(Self::new(ty, bits))
    }

    fn number(self) -> Term {
        match self.ty {
            ScalarType::I1 => (self.bits != 0).write(),
            ty if ty.is_int() => Term::int(self.signed()),
            _ => match self.decimal() {
                Some(text) => TermKind::Float(text).into(),
                None => TermKind::Bits(self.bits).into(),
            },
        }
    }

    fn read_number(ty: ScalarType, term: &Term) -> Result<Self, TermError> {
        let expected = || term.wrong(format!("a number of type `{ty}`"));
        match &term.kind {
            TermKind::Word(_) if ty == ScalarType::I1 => bool::read(term).map(Self::i1),
            TermKind::Int(value) if ty.is_int() && ty != ScalarType::I1 => {
                let limit = 1i128 << ty.bits();
                if *value < -(limit / 2) || *value >= limit {
                    return Err(expected());
                }
                // In range, so the low 64 bits hold the value.
                Ok(Self::new(ty, (*value & i128::from(u64::MAX)) as u64))
            }
            TermKind::Bits(bits) if *bits <= ty.mask() => Ok(Self::new(ty, *bits)),
            TermKind::Float(text) | TermKind::Word(text) => Self::parse_float(ty, text).ok_or_else(expected),
            _ => Err(expected()),
        }
    }
}

impl TermCodec for Literal {
    fn write(&self) -> Term {
        Term::call(self.ty.word(), vec![self.number().into()])
    }

    fn read(term: &Term) -> Result<Self, TermError> {
        if let Some((word, [Arg { name: None, value }])) = term.as_call()
            && let Some(ty) = ScalarType::from_word(word)
        {
            return Self::read_number(ty, value);
        }
        Err(term.wrong("a literal such as `f32<1.5>`"))
    }
}

/// The elements of a constant tile, in row-major order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Dense {
    /// All elements equal.
    Splat(Literal),
    /// Each element by its bits.
    Elements(ScalarType, Vec<u64>),
}

impl Dense {
    /// A constant of these elements. A list of equal elements is normalised to a splat.
    pub fn of_elements(ty: ScalarType, bits: Vec<u64>) -> Self {
        match bits.split_first() {
            Some((&first, rest)) if rest.iter().all(|&other| other == first) => {
                Self::Splat(Literal::new(ty, first))
            }
            _ => Self::Elements(ty, bits),
        }
    }

    /// The element type.
    pub fn ty(&self) -> ScalarType {
        match self {
            Self::Splat(literal) => literal.ty,
            Self::Elements(ty, _) => *ty,
        }
    }
}

impl TermCodec for Dense {
    fn write(&self) -> Term {
        match self {
            Self::Splat(literal) => literal.write(),
            Self::Elements(ty, bits) => {
                let items = bits.iter().map(|&b| Literal::new(*ty, b).number());
                Term::call(ty.word(), vec![Term::list(items).into()])
            }
        }
    }

    fn read(term: &Term) -> Result<Self, TermError> {
        if let Some((word, [Arg { name: None, value }])) = term.as_call()
            && let (Some(ty), TermKind::List(items)) = (ScalarType::from_word(word), &value.kind)
        {
            let bits = items
                .iter()
                .map(|item| Literal::read_number(ty, item).map(|l| l.bits));
            return Ok(Self::Elements(ty, bits.collect::<Result<_, _>>()?));
        }
        Literal::read(term).map(Self::Splat)
    }
}

crate::attribute_field!(Literal, Vec<Literal>, Dense);
