//! Views: an iterator and a layout over it.

use std::fmt;

use tilewright_layouts::cute::{ComposedOf, CuteError, Fact, LayoutOf, Nested, Part, PartLayout, TypeLeaf};

use super::pointer::Pointer;
use super::reader::{Part as Text, Reader, TypeError, bare_words, part, words};

/// The layout of a view.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ViewLayout<L: TypeLeaf = Fact> {
    /// A layout.
    Plain(LayoutOf<L>),
    /// A layout under a swizzle of the index, or under another layout.
    Composed(ComposedOf<L>),
}

impl<L: TypeLeaf> ViewLayout<L> {
    /// The layout with other leaves, in the order of the text; see [`LayoutOf::map_leaves`].
    pub fn map_leaves<M: TypeLeaf>(&self, leaf: &mut impl FnMut(&L) -> M) -> ViewLayout<M> {
        match self {
            Self::Plain(layout) => ViewLayout::Plain(layout.map_leaves(leaf)),
            Self::Composed(composed) => ViewLayout::Composed(composed.map_leaves(leaf)),
        }
    }

    /// The layout that defines the domain.
    pub fn layout(&self) -> &LayoutOf<L> {
        match self {
            Self::Plain(layout) => layout,
            Self::Composed(composed) => composed.layout(),
        }
    }

    /// Another layout in the place of the one that defines the domain.
    ///
    /// # Errors
    /// It does not compose with what is applied after it.
    pub fn with(&self, layout: LayoutOf<L>) -> Result<Self, CuteError> {
        match self {
            Self::Plain(_) => Ok(Self::Plain(layout)),
            Self::Composed(composed) => composed.map(|_| Ok(layout)).map(Self::Composed),
        }
    }

    /// A part, and how far from the beginning it is.
    ///
    /// # Errors
    /// Those of [`Part::start`].
    pub fn part(&self, part: &Part<L>) -> Result<(Self, Nested<L>), CuteError> {
        match self {
            Self::Plain(_) => Ok((Self::Plain(part.free.clone()), part.start()?)),
            Self::Composed(composed) => {
                let (layout, start) = composed.part(part)?;
                let layout = match layout {
                    PartLayout::Plain(layout) => Self::Plain(layout),
                    PartLayout::Composed(composed) => Self::Composed(composed),
                };
                Ok((layout, start))
            }
        }
    }
}

impl<L: TypeLeaf> From<LayoutOf<L>> for ViewLayout<L> {
    fn from(layout: LayoutOf<L>) -> Self {
        Self::Plain(layout)
    }
}

impl Text for ViewLayout {
    fn read(reader: &mut Reader<'_>) -> Result<Self, TypeError> {
        let composed = reader.rest().trim_start().get(1..).is_some_and(|rest| {
            let end = rest.find('"').unwrap_or(rest.len());
            rest.get(..end).is_some_and(|text| text.contains(" o "))
        });
        match composed {
            true => Text::read(reader).map(Self::Composed),
            false => Text::read(reader).map(Self::Plain),
        }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain(layout) => layout.write(f),
            Self::Composed(composed) => composed.write(f),
        }
    }
}

part! {
    /// Memory as a tensor: `!cute.memref<f16, smem, align<128>, "(8,64):(64,1)">`.
    pub struct View<L> {
        /// The address of the element of index 0.
        pointer: Pointer,
        /// From a coordinate to an index in elements.
        layout: ViewLayout<L>,
    }
    pointer ", " layout
}

part! {
    /// A tensor whose elements are coordinates: `!cute.coord_tensor<"(0,0)", "(8,4):(1@0,1@1)">`.
    pub struct CoordTensor<L> {
        /// The coordinate of index 0.
        origin: Nested<L>,
        /// From a coordinate of the tensor to what is added to the origin.
        layout: LayoutOf<L>,
    }
    origin ", " layout
}

words! {
    /// What tells a matrix instruction where a matrix lies in shared memory.
    pub enum Descriptor {
        /// The descriptor of `wgmma` and `tcgen05`.
        Plain = "cute_nvgpu.smem_desc",
        /// That of sm_107.
        Sm107 = "cute_nvgpu.sm107.smem_desc",
    }
}

bare_words!(Descriptor);

part! {
    /// Matrix descriptors as a tensor: `!cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(8,64):(64,1)">`.
    pub struct DescriptorView<L> {
        /// The descriptor of index 0.
        descriptor: Descriptor,
        /// From a coordinate to a distance in units of 16 bytes.
        layout: ViewLayout<L>,
    }
    "!" descriptor ", " layout
}
