//! Types and attributes as terms of the regular syntax: their text in quotes.

use crate::core::{Family, NamedTerm, Reader, Tag, Term, TermCodec, TermError, TermKind, ValueType};
use crate::element::{ElementType, ScalarType};

use super::attribute::{Attribute, Dictionary, SymbolRef};
use super::reader::TextReader;
use super::types::{FloatFormat, Type};

/// Makes types whose text is that of an attribute usable where terms are written.
macro_rules! text_codec {
    ($($ty:ty, $expected:literal, $read:expr;)+) => {$(
        impl TermCodec for $ty {
            const FAMILY: Family = Family::Meaning;
            fn write(&self) -> Term {
                TermKind::Str(self.to_string()).into()
            }
            fn read(term: &Term) -> Result<Self, TermError> {
                match &term.kind {
                    TermKind::Str(text) => TextReader::whole(text, $read).map_err(|_| term.wrong($expected)),
                    _ => Err(term.wrong($expected)),
                }
            }
        }
        crate::attribute_field!($ty);
    )+};
}
text_codec! {
    Type, "a type of MLIR, in quotes", TextReader::ty;
    Attribute, "an attribute of MLIR, in quotes", TextReader::attribute;
    SymbolRef, "a symbol, in quotes", TextReader::symbol;
    Dictionary, "a dictionary of MLIR, in quotes", TextReader::dictionary;
}
/// The attributes of an op that its declaration does not have: kept, and printed again.
impl Tag for Dictionary {
    fn write(&self, attrs: &mut Vec<NamedTerm>) {
        if !self.is_empty() {
            attrs.push(NamedTerm::new("discardable", TermCodec::write(self)));
        }
    }
    fn read(reader: &mut Reader<'_>) -> Self {
        reader.optional_attr("discardable").flatten().unwrap_or_default()
    }
}

crate::attribute_field!(Vec<Type>);

impl ValueType for Type {
    fn element(&self) -> Option<ElementType> {
        match self.scalar() {
            Self::Integer(_, 1) => Some(ScalarType::I1.into()),
            Self::Integer(_, 8) => Some(ScalarType::I8.into()),
            Self::Integer(_, 16) => Some(ScalarType::I16.into()),
            Self::Integer(_, 32) => Some(ScalarType::I32.into()),
            Self::Integer(_, 64) => Some(ScalarType::I64.into()),
            Self::Float(format) => format.decimal().map(Into::into),
            _ => None,
        }
    }

    fn with_element(&self, element: ElementType) -> Self {
        let ElementType::Scalar(scalar) = element else {
            return self.clone();
        };
        let float = match scalar {
            ScalarType::F16 => Some(FloatFormat::F16),
            ScalarType::BF16 => Some(FloatFormat::Bf16),
            ScalarType::F32 => Some(FloatFormat::F32),
            ScalarType::F64 => Some(FloatFormat::F64),
            _ => None,
        };
        self.with_scalar(match float {
            Some(format) => Self::Float(format),
            None => Self::signless(scalar.bits()),
        })
    }

    fn is_single(&self) -> bool {
        !matches!(self, Self::Vector(_))
    }
}
