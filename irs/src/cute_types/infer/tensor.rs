//! What has a layout: layouts themselves, memory, coordinates and descriptors. An operation changes the layout, and where
//! it begins.

use tilewright_layouts::cute::{
    ComposedOf, CoordOf, CuteError, Fact, Leaf, Nested, Part, PartLayout, TypeComposed, TypeLayout,
};

use super::question::{Question, Refusal};
use crate::cute_types::pointer::Pointer;
use crate::cute_types::types::Kind;
use crate::cute_types::value::ValueType;
use crate::cute_types::view::{CoordTensor, DescriptorView, View, ViewLayout};

/// An operand with a layout.
#[derive(Clone)]
pub(super) enum Tensor {
    Layout(TypeLayout),
    Composed(TypeComposed),
    Memory(View),
    Coords(CoordTensor),
    Descriptors(DescriptorView),
}

impl Tensor {
    pub(super) fn of(kind: &Kind) -> Option<Self> {
        match kind {
            Kind::Layout(layout) => Some(Self::Layout(layout.clone())),
            Kind::Composed(composed) => Some(Self::Composed(composed.clone())),
            Kind::View(view) => Some(Self::Memory(view.clone())),
            Kind::CoordTensor(tensor) => Some(Self::Coords(tensor.clone())),
            Kind::DescriptorView(view) => Some(Self::Descriptors(view.clone())),
            _ => None,
        }
    }

    /// The layout that defines the domain.
    pub(super) fn layout(&self) -> &TypeLayout {
        match self {
            Self::Layout(layout) => layout,
            Self::Composed(composed) => composed.layout(),
            Self::Memory(view) => view.layout.layout(),
            Self::Coords(tensor) => &tensor.layout,
            Self::Descriptors(view) => view.layout.layout(),
        }
    }

    /// The layout as a type of its own.
    pub(super) fn whole_layout(&self) -> Kind {
        match self {
            Self::Layout(layout) => Kind::Layout(layout.clone()),
            Self::Composed(composed) => Kind::Composed(composed.clone()),
            Self::Coords(tensor) => Kind::Layout(tensor.layout.clone()),
            Self::Memory(View { layout, .. }) | Self::Descriptors(DescriptorView { layout, .. }) => {
                match layout {
                    ViewLayout::Plain(layout) => Kind::Layout(layout.clone()),
                    ViewLayout::Composed(composed) => Kind::Composed(composed.clone()),
                }
            }
        }
    }

    /// Changes the domain, not where it begins.
    pub(super) fn map(
        &self,
        change: impl FnOnce(&TypeLayout) -> Result<TypeLayout, CuteError>,
    ) -> Result<Self, CuteError> {
        let layout = change(self.layout())?;
        self.with(None, layout)
    }

    /// A part: a slice, a tile, a thread's share.
    pub(super) fn part(&self, part: &Part<Fact>) -> Result<Self, CuteError> {
        match self {
            Self::Memory(View {
                pointer,
                layout: ViewLayout::Composed(composed),
            }) => {
                let (layout, start) = composed.part(part)?;
                let layout = match layout {
                    PartLayout::Plain(layout) => ViewLayout::Plain(layout),
                    PartLayout::Composed(composed) => ViewLayout::Composed(composed),
                };
                let pointer = moved(pointer, &start)?;
                Ok(Self::Memory(View { pointer, layout }))
            }
            Self::Layout(_) | Self::Descriptors(_) => self.with(None, part.free.clone()),
            Self::Composed(_) | Self::Coords(_) | Self::Memory(_) => {
                self.with(Some(&part.start()?), part.free.clone())
            }
        }
    }

    /// The part at a coordinate, of the modes that it leaves free.
    pub(super) fn slice(&self, coord: &CoordOf<Fact>) -> Result<Self, CuteError> {
        self.part(&Part::slice(self.layout(), coord)?)
    }

    /// The layout in units of other elements.
    pub(super) fn recast(&self, old: u64, new: u64) -> Result<Self, CuteError> {
        let factor = match new >= old {
            true => new.checked_div(old),
            false => old.checked_div(new),
        };
        let factor = factor.ok_or(CuteError::ZeroFactor)?;
        self.map(|layout| match new >= old {
            true => layout.upcast(factor),
            false => layout.downcast(factor),
        })
    }

    fn with(&self, start: Option<&Nested<Fact>>, layout: TypeLayout) -> Result<Self, CuteError> {
        Ok(match self {
            Self::Layout(_) => Self::Layout(layout),
            Self::Composed(composed) => Self::Composed(recomposed(composed, start, layout)?),
            Self::Memory(view) => {
                let (pointer, layout) = match &view.layout {
                    ViewLayout::Plain(_) => {
                        let pointer = start.map(|start| moved(&view.pointer, start)).transpose()?;
                        (pointer, ViewLayout::Plain(layout))
                    }
                    ViewLayout::Composed(composed) => {
                        (None, ViewLayout::Composed(recomposed(composed, start, layout)?))
                    }
                };
                let pointer = pointer.unwrap_or_else(|| view.pointer.clone());
                Self::Memory(View { pointer, layout })
            }
            Self::Coords(tensor) => {
                let origin = match start {
                    Some(start) => tensor.origin.plus(start)?,
                    None => tensor.origin.clone(),
                };
                Self::Coords(CoordTensor { origin, layout })
            }
            Self::Descriptors(view) => Self::Descriptors(DescriptorView {
                descriptor: view.descriptor,
                layout: match &view.layout {
                    ViewLayout::Plain(_) => ViewLayout::Plain(layout),
                    ViewLayout::Composed(composed) => {
                        ViewLayout::Composed(recomposed(composed, start, layout)?)
                    }
                },
            }),
        })
    }
}

fn recomposed(
    composed: &TypeComposed,
    start: Option<&Nested<Fact>>,
    layout: TypeLayout,
) -> Result<TypeComposed, CuteError> {
    let offset = match start {
        Some(start) => composed.offset().plus(start)?,
        None => composed.offset().clone(),
    };
    ComposedOf::new(composed.last().clone(), offset, layout)
}

/// The pointer so many elements on: aligned to what divides the distance in bytes too.
pub(super) fn moved(pointer: &Pointer, offset: &Nested<Fact>) -> Result<Pointer, CuteError> {
    let Nested::Leaf(offset) = offset else {
        return Err(CuteError::NotCongruent {
            left: Box::new(Nested::Leaf(Fact::from(0).shown())),
            right: Box::new(offset.map(&mut Leaf::shown)),
        });
    };
    let bits = offset.divisor().saturating_mul(u64::from(pointer.element_bits()));
    let align = pointer.align();
    let known = match bits.trailing_zeros() {
        64.. => u64::MAX,
        zeros => 1 << zeros.saturating_sub(3).min(63),
    };
    Ok(pointer.aligned(align.min(std::num::NonZeroU64::new(known).unwrap_or(align))))
}

impl From<Tensor> for ValueType {
    fn from(tensor: Tensor) -> Self {
        let kind = match tensor {
            Tensor::Layout(layout) => Kind::Layout(layout),
            Tensor::Composed(composed) => Kind::Composed(composed),
            Tensor::Memory(view) => Kind::View(view),
            Tensor::Coords(tensor) => Kind::CoordTensor(tensor),
            Tensor::Descriptors(view) => Kind::DescriptorView(view),
        };
        Self::Cute(kind.into())
    }
}

impl Question<'_> {
    /// An operand with a layout.
    pub(super) fn tensor(&self, number: usize) -> Result<Tensor, Refusal> {
        let wrong = || self.wrong(number, "a layout or a tensor");
        Tensor::of(self.cute(number)?).ok_or_else(wrong)
    }
}
