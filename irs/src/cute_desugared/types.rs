//! Types of `cute_desugared`.

use crate::core::{Arg, Term, TermCodec, TermError, TermKind, ValueType};
use crate::cute_types::{CuteType, Kind};
use crate::dialects::copies::TmaDescriptor;
use crate::dialects::cute::AlgebraValue;
use crate::dialects::pipe::{PipeType, PipeValue};
use crate::element::{ElementType, ScalarType};

/// A type of `cute_desugared`: `f32`, `ptr<f32>`, `ptr<f32, shared>`, `fragment<8xf32>`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum DesugaredType {
    /// One element; a pointer points to global memory.
    Scalar(ElementType),
    /// An address in the block's shared memory.
    SharedPtr(ScalarType),
    /// A thread's elements of a tile, in register order.
    Fragment(u32, ElementType),
    /// A value of CuTe's algebra.
    Cute(CuteType),
    /// An iterator over tiles, whose base is a pointer of this type: `tile_iterator<cute.ptr<f32, gmem>>`.
    TileIterator(CuteType),
    /// A tensor map that is a parameter of the kernel.
    TmaDescriptor(TmaDescriptor),
    /// A pipe, its states and tokens.
    Pipe(PipeType),
}

impl PipeValue for DesugaredType {
    fn pipe(&self) -> Option<PipeType> {
        match self {
            Self::Pipe(ty) => Some(*ty),
            Self::Scalar(_)
            | Self::SharedPtr(_)
            | Self::Fragment(..)
            | Self::Cute(_)
            | Self::TileIterator(_)
            | Self::TmaDescriptor(_) => None,
        }
    }
}

impl AlgebraValue for DesugaredType {
    fn algebra(&self) -> Option<&CuteType> {
        match self {
            Self::Cute(ty) => Some(ty),
            Self::Scalar(_)
            | Self::SharedPtr(_)
            | Self::Fragment(..)
            | Self::TileIterator(_)
            | Self::TmaDescriptor(_)
            | Self::Pipe(_) => None,
        }
    }

    fn tile_iterator(&self) -> Option<&CuteType> {
        match self {
            Self::TileIterator(base) => Some(base),
            Self::Scalar(_)
            | Self::SharedPtr(_)
            | Self::Fragment(..)
            | Self::Cute(_)
            | Self::TmaDescriptor(_)
            | Self::Pipe(_) => None,
        }
    }

    fn elements(&self) -> Option<(u32, ElementType)> {
        match self {
            Self::Scalar(element) => Some((1, *element)),
            Self::Fragment(count, element) => Some((*count, *element)),
            Self::SharedPtr(_)
            | Self::Cute(_)
            | Self::TileIterator(_)
            | Self::TmaDescriptor(_)
            | Self::Pipe(_) => None,
        }
    }
}

impl DesugaredType {
    /// The element type of a pointer, or of each pointer of a fragment.
    pub fn pointee(&self) -> Option<ScalarType> {
        match self {
            Self::SharedPtr(pointee)
            | Self::Scalar(ElementType::Ptr(pointee))
            | Self::Fragment(_, ElementType::Ptr(pointee)) => Some(*pointee),
            Self::Scalar(ElementType::Scalar(_))
            | Self::Fragment(_, ElementType::Scalar(_))
            | Self::Cute(_)
            | Self::TileIterator(_)
            | Self::TmaDescriptor(_)
            | Self::Pipe(_) => None,
        }
    }

    /// The number of elements of a value.
    pub fn count(&self) -> u32 {
        match self {
            Self::Scalar(_)
            | Self::SharedPtr(_)
            | Self::Cute(_)
            | Self::TileIterator(_)
            | Self::TmaDescriptor(_)
            | Self::Pipe(_) => 1,
            Self::Fragment(count, _) => *count,
        }
    }
}

impl ValueType for DesugaredType {
    fn element(&self) -> Option<ElementType> {
        match self {
            Self::Scalar(element) | Self::Fragment(_, element) => Some(*element),
            Self::SharedPtr(_)
            | Self::Cute(_)
            | Self::TileIterator(_)
            | Self::TmaDescriptor(_)
            | Self::Pipe(_) => None,
        }
    }

    fn with_element(&self, element: ElementType) -> Self {
        match self {
            Self::Scalar(_) | Self::SharedPtr(_) => Self::Scalar(element),
            Self::Fragment(count, _) => Self::Fragment(*count, element),
            Self::Cute(_) | Self::TileIterator(_) | Self::TmaDescriptor(_) | Self::Pipe(_) => self.clone(),
        }
    }

    fn is_single(&self) -> bool {
        !matches!(
            self,
            Self::Fragment(..)
                | Self::Cute(_)
                | Self::TileIterator(_)
                | Self::TmaDescriptor(_)
                | Self::Pipe(_)
        )
    }
}

impl TermCodec for DesugaredType {
    fn write(&self) -> Term {
        match self {
            Self::Scalar(element) => element.write(),
            Self::Cute(ty) => ty.write(),
            Self::TileIterator(base) => Term::call("tile_iterator", vec![base.write().into()]),
            Self::TmaDescriptor(map) => map.write(),
            Self::Pipe(ty) => ty.write(),
            Self::SharedPtr(pointee) => Term::call(
                "ptr",
                vec![pointee.write().into(), Arg::from(Term::word("shared"))],
            ),
            Self::Fragment(count, element) => {
                let dims = TermKind::Dims(vec![Some(u64::from(*count))], Box::new(element.write()));
                Term::call("fragment", vec![Term::from(dims).into()])
            }
        }
    }

    fn read(term: &Term) -> Result<Self, TermError> {
        match term.as_call() {
            Some(("ptr", [pointee, space])) => match &space.value.kind {
                TermKind::Word(word) if word == "shared" => {
                    ScalarType::read(&pointee.value).map(Self::SharedPtr)
                }
                _ => Err(space.value.wrong("`shared`")),
            },
            Some(("fragment", [arg])) => match &arg.value.kind {
                TermKind::Dims(extents, element) => match extents.as_slice() {
                    [Some(count)] if (1..=65_536).contains(count) => {
                        let count = u32::try_from(*count).map_err(|_| term.wrong("a fragment"))?;
                        Ok(Self::Fragment(count, ElementType::read(element)?))
                    }
                    _ => Err(arg.value.wrong("one count, from 1 to 65536")),
                },
                _ => Err(arg.value.wrong("a count and an element type, such as `8xf32`")),
            },
            Some(("tile_iterator", [base])) => {
                let ty = CuteType::read(&base.value)?;
                match ty.kind() {
                    Kind::Pointer(_) => Ok(Self::TileIterator(ty)),
                    _ => Err(base.value.wrong("a pointer of `cute`")),
                }
            }
            Some((word, _)) if PipeType::is_word(word) => PipeType::read(term).map(Self::Pipe),
            Some((word, [])) if let Some(map) = TmaDescriptor::from_word(word) => {
                Ok(Self::TmaDescriptor(map))
            }
            Some((word, _)) if word.starts_with("cute") => CuteType::read(term).map(Self::Cute),
            _ => ElementType::read(term).map(Self::Scalar).map_err(|error| {
                error.or(term.wrong("a scalar type, `ptr<element, shared>` or `fragment<…>`"))
            }),
        }
    }
}
