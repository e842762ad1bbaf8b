//! Types of `cute`.

use crate::core::{Term, TermCodec, TermError, ValueType};
use crate::dialects::cute::{AlgebraType, AlgebraValue};
use crate::dialects::pipe::{PipeType, PipeValue};
use crate::element::ElementType;

/// A type of `cute`: `i32`, `ptr<f32>`, `cute.layout<"(4,8):(8,1)">`, `cute.ptr<f32, gmem>`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CuteType {
    /// A number, or a pointer that is a kernel parameter.
    Scalar(ElementType),
    /// A value of the layout algebra.
    Algebra(AlgebraType),
    /// A pipe, its states and tokens.
    Pipe(PipeType),
}

impl PipeValue for CuteType {
    fn pipe(&self) -> Option<PipeType> {
        match self {
            Self::Pipe(ty) => Some(*ty),
            Self::Scalar(_) | Self::Algebra(_) => None,
        }
    }
}

impl AlgebraValue for CuteType {
    fn algebra(&self) -> Option<&AlgebraType> {
        match self {
            Self::Algebra(ty) => Some(ty),
            Self::Scalar(_) | Self::Pipe(_) => None,
        }
    }
}

impl ValueType for CuteType {
    fn element(&self) -> Option<ElementType> {
        match self {
            Self::Scalar(element) => Some(*element),
            Self::Algebra(_) | Self::Pipe(_) => None,
        }
    }

    fn with_element(&self, element: ElementType) -> Self {
        match self {
            Self::Scalar(_) => Self::Scalar(element),
            Self::Algebra(_) | Self::Pipe(_) => self.clone(),
        }
    }

    fn is_single(&self) -> bool {
        matches!(self, Self::Scalar(_))
    }
}

impl TermCodec for CuteType {
    fn write(&self) -> Term {
        match self {
            Self::Scalar(element) => element.write(),
            Self::Algebra(ty) => ty.write(),
            Self::Pipe(ty) => ty.write(),
        }
    }

    fn read(term: &Term) -> Result<Self, TermError> {
        match term.as_call() {
            Some((word, _)) if PipeType::is_word(word) => PipeType::read(term).map(Self::Pipe),
            Some((word, _)) if word.starts_with("cute") => AlgebraType::read(term).map(Self::Algebra),
            _ => ElementType::read(term).map(Self::Scalar).map_err(|error| {
                error.or(term.wrong("a scalar type, or a type of `cute` such as `cute.layout<…>`"))
            }),
        }
    }
}
