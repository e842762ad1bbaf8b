//! What has a layout: layouts themselves, memory, coordinates and descriptors. An operation changes the layout, and where
//! it begins.

use tilewright_layouts::cute::{
    ComposedOf, CoordOf, CuteError, LastOf, LayoutOf, Leaf, Nested, Part, Swizzle, TypeLeaf,
};

use super::question::{Asked, Outcome, Refusal};
use crate::cute_types::pointer::Pointer;
use crate::cute_types::types::Kind;
use crate::cute_types::value::ValueType;
use crate::cute_types::view::{CoordTensor, DescriptorView, View, ViewLayout};

/// An operand with a layout.
#[derive(Clone)]
pub(super) enum Tensor<L: TypeLeaf> {
    Layout(LayoutOf<L>),
    Composed(ViewLayout<L>),
    Memory(View<L>),
    Coords(CoordTensor<L>),
    Descriptors(DescriptorView<L>),
}

impl<L: TypeLeaf> Tensor<L> {
    pub(super) fn of(kind: &Kind<L>) -> Option<Self> {
        match kind {
            Kind::Layout(layout) => Some(Self::Layout(layout.clone())),
            Kind::Composed(composed) => Some(Self::Composed(composed.clone())),
            Kind::View(view) => Some(Self::Memory(view.clone())),
            Kind::CoordTensor(tensor) => Some(Self::Coords(tensor.clone())),
            Kind::DescriptorView(view) => Some(Self::Descriptors(view.clone())),
            _ => None,
        }
    }

    /// A layout, composed or not.
    pub(super) fn layout_of(kind: &Kind<L>) -> Option<Self> {
        Self::of(kind).filter(|tensor| matches!(tensor, Self::Layout(_) | Self::Composed(_)))
    }

    /// The layout that defines the domain.
    pub(super) fn layout(&self) -> &LayoutOf<L> {
        match self {
            Self::Layout(layout) => layout,
            Self::Composed(composed) => composed.layout(),
            Self::Memory(view) => view.layout.layout(),
            Self::Coords(tensor) => &tensor.layout,
            Self::Descriptors(view) => view.layout.layout(),
        }
    }

    /// The layout as a type of its own.
    pub(super) fn whole_layout(&self) -> Kind<L> {
        match self {
            Self::Layout(layout) | Self::Coords(CoordTensor { layout, .. }) => Kind::Layout(layout.clone()),
            Self::Composed(composed) => Kind::Composed(composed.clone()),
            Self::Memory(View { layout, .. }) | Self::Descriptors(DescriptorView { layout, .. }) => {
                match layout {
                    ViewLayout::Plain(layout) => Kind::Layout(layout.clone()),
                    ViewLayout::Composed(_) => Kind::Composed(layout.clone()),
                }
            }
        }
    }

    /// Changes the domain, not where it begins.
    pub(super) fn map(
        &self,
        change: impl FnOnce(&LayoutOf<L>) -> Result<LayoutOf<L>, CuteError>,
    ) -> Result<Self, CuteError> {
        let layout = change(self.layout())?;
        Ok(match self {
            Self::Layout(_) => Self::Layout(layout),
            Self::Composed(composed) => Self::Composed(composed.with(layout)?),
            Self::Memory(view) => Self::Memory(View {
                pointer: view.pointer.clone(),
                layout: view.layout.with(layout)?,
            }),
            Self::Coords(tensor) => Self::Coords(CoordTensor {
                origin: tensor.origin.clone(),
                layout,
            }),
            Self::Descriptors(view) => Self::Descriptors(DescriptorView {
                descriptor: view.descriptor,
                layout: view.layout.with(layout)?,
            }),
        })
    }

    /// A part: a slice, a tile, a thread's share.
    pub(super) fn part(&self, part: &Part<L>) -> Result<Outcome<L>, CuteError> {
        Ok(match self {
            Self::Layout(_) => Self::Layout(part.free.clone()).into(),
            Self::Composed(composed) => Self::Composed(composed.part(part)?.0).into(),
            Self::Memory(View { pointer, layout }) => {
                let (layout, start) = layout.part(part)?;
                let pointer = moved(pointer, &start)?;
                Outcome::starting(Self::Memory(View { pointer, layout }), start)
            }
            Self::Coords(tensor) => Outcome::from(Self::Coords(CoordTensor {
                origin: tensor.origin.plus(&part.start()?)?,
                layout: part.free.clone(),
            })),
            Self::Descriptors(DescriptorView { descriptor, layout }) => {
                let (layout, start) = layout.part(part)?;
                let descriptor = *descriptor;
                Outcome::starting(Self::Descriptors(DescriptorView { descriptor, layout }), start)
            }
        })
    }

    /// The part at a coordinate, of the modes that it leaves free.
    pub(super) fn slice(&self, coord: &CoordOf<L>) -> Result<Outcome<L>, CuteError> {
        self.part(&Part::slice(self.layout(), coord)?)
    }

    /// The layout in units of other elements.
    pub(super) fn recast(&self, old: u64, new: u64) -> Result<Self, CuteError> {
        let (mut common, mut rest) = (old, new);
        while rest > 0 {
            (common, rest) = (rest, common % rest);
        }
        let (up, down) = match common {
            0 => return Err(CuteError::ZeroFactor),
            common => (new / common, old / common),
        };
        let cast = |layout: &LayoutOf<L>| match down {
            1 => layout.upcast(up),
            down => layout.upcast(up)?.downcast(down),
        };
        match self {
            Self::Composed(ViewLayout::Composed(composed)) => {
                let last = match composed.last() {
                    LastOf::Swizzle(swizzle) => LastOf::Swizzle(recast_swizzle(*swizzle, up, down)?),
                    LastOf::Layout(layout) => LastOf::Layout(cast(layout)?),
                };
                let offset = composed.offset().try_map(&mut |leaf: &L| {
                    let narrow = leaf.times(&L::from(down))?;
                    narrow.quotient(&L::from(up)).ok_or(CuteError::ZeroFactor)
                })?;
                let composed = ComposedOf::new(last, offset, cast(composed.layout())?)?;
                Ok(Self::Composed(ViewLayout::Composed(composed)))
            }
            _ => self.map(cast),
        }
    }
}

fn recast_swizzle(swizzle: Swizzle, up: u64, down: u64) -> Result<Swizzle, CuteError> {
    let wide = swizzle.upcast(up).map_err(CuteError::Swizzle)?;
    wide.downcast(down).map_err(CuteError::Swizzle)
}

/// The pointer so many elements on.
pub(super) fn moved<L: TypeLeaf>(pointer: &Pointer, offset: &Nested<L>) -> Result<Pointer, CuteError> {
    match offset {
        Nested::Leaf(offset) => Ok(pointer.moved(
            offset
                .fact()
                .divisor()
                .saturating_mul(u64::from(pointer.element_bits())),
        )),
        Nested::Tuple(_) => Err(CuteError::NotCongruent {
            left: Box::new(Nested::Leaf(L::from(0).shown())),
            right: Box::new(offset.map(&mut Leaf::shown)),
        }),
    }
}

impl<L: TypeLeaf> From<Tensor<L>> for ValueType<L> {
    fn from(tensor: Tensor<L>) -> Self {
        let kind = match tensor {
            Tensor::Layout(layout) => Kind::Layout(layout),
            Tensor::Composed(ViewLayout::Plain(layout)) if L::OPEN => Kind::Layout(layout),
            Tensor::Composed(composed) => Kind::Composed(composed),
            Tensor::Memory(view) => Kind::View(view),
            Tensor::Coords(tensor) => Kind::CoordTensor(tensor),
            Tensor::Descriptors(view) => Kind::DescriptorView(view),
        };
        Self::Cute(kind.into())
    }
}

impl<L: TypeLeaf> Asked<'_, L> {
    /// An operand with a layout.
    pub(super) fn tensor(&self, number: usize) -> Result<Tensor<L>, Refusal> {
        let wrong = || self.wrong(number, "a layout or a tensor");
        Tensor::of(self.cute(number)?).ok_or_else(wrong)
    }

    /// A layout, composed or not.
    pub(super) fn any_layout(&self, number: usize) -> Result<Tensor<L>, Refusal> {
        Tensor::layout_of(self.cute(number)?).ok_or_else(|| self.wrong(number, "a layout"))
    }

    /// A tensor: an iterator with a layout.
    pub(super) fn view(&self, number: usize) -> Result<Tensor<L>, Refusal> {
        match self.tensor(number)? {
            view @ (Tensor::Memory(_) | Tensor::Coords(_) | Tensor::Descriptors(_)) => Ok(view),
            _ => Err(self.wrong(number, "a tensor")),
        }
    }
}
