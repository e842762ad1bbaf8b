//! How values are passed to kernels, as version 4.8.1 of the library does.

use tilewright_layouts::cute::{Fact, LastOf, Leaf, Nested, SlotOf, Stride, TilerOf, TypeLayout};

use super::types::Kind;
use super::view::ViewLayout;

/// What a kernel's parameter has of a value: the address that the value begins with, if it does, and its dynamic leaves.
///
/// A tuple with one dynamic leaf is that leaf, with more of them a struct of these. A layout is a struct of its extents and its
/// strides, a tensor one of its iterator and its layout, a composed layout one of the layout, the offset and what is applied last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Passing {
    /// A field, by number: 0 is the address, if there is one; then come the dynamic leaves in the order of the type's text.
    Field(usize),
    /// A struct, whose members lie in memory as those of a struct in C do. It may have none.
    Struct(Vec<Passing>),
}

/// Counts fields.
struct Fields(usize);

impl Fields {
    /// So many fields more.
    fn leaves(&mut self, count: usize) -> Passing {
        let first = self.0;
        self.0 += count;
        match count {
            1 => Passing::Field(first),
            _ => Passing::Struct((first..self.0).map(Passing::Field).collect()),
        }
    }

    fn tuple(&mut self, tuple: &Nested<Fact>) -> Passing {
        self.leaves(tuple.leaves().filter(|leaf| !leaf.is_static()).count())
    }

    fn layout(&mut self, layout: &TypeLayout) -> Passing {
        let shape = self.tuple(&layout.shape());
        let stride = layout.stride();
        let strides = stride.leaves().filter(|stride| !stride.factor().is_static());
        Passing::Struct(vec![shape, self.leaves(strides.count())])
    }

    fn tiler(&mut self, tiler: &TilerOf<Fact>) -> Passing {
        match tiler {
            TilerOf::All => Passing::Struct(Vec::new()),
            TilerOf::Layout(layout) => self.layout(layout),
            TilerOf::Modes(modes) => Passing::Struct(modes.iter().map(|mode| self.tiler(mode)).collect()),
        }
    }

    fn view_layout(&mut self, layout: &ViewLayout) -> Passing {
        match layout {
            ViewLayout::Plain(layout) => self.layout(layout),
            ViewLayout::Composed(composed) => {
                let last = match composed.last() {
                    LastOf::Swizzle(_) => Passing::Struct(Vec::new()),
                    LastOf::Layout(layout) => self.layout(layout),
                };
                let offset = self.tuple(composed.offset());
                Passing::Struct(vec![self.layout(composed.layout()), offset, last])
            }
        }
    }
}

impl Kind {
    /// How values of this type are passed to a kernel, of `count` fields where the type does not say how many there are: an
    /// instruction's.
    ///
    /// ```
    /// use tilewright_irs::cute_types::{CuteType, Passing};
    /// let ty: CuteType = "cute.memref<f32, gmem, \"(?{i64},?):(?,1)\">".parse()?;
    /// let field = Passing::Field;
    /// let extents = Passing::Struct(vec![field(1), field(2)]);
    /// let layout = Passing::Struct(vec![extents, field(3)]);
    /// assert_eq!(ty.kind().passing(0), Passing::Struct(vec![field(0), layout]));
    /// # Ok::<(), tilewright_irs::cute_types::TypeError>(())
    /// ```
    pub fn passing(&self, count: usize) -> Passing {
        let mut fields = Fields(0);
        match self {
            Self::IntTuple(tuple) | Self::Shape(tuple) | Self::CoordIterator(tuple) => fields.tuple(tuple),
            Self::Coord(coord) => {
                let slots = coord.leaves();
                let open = slots.filter(|slot| matches!(slot, SlotOf::At(leaf) if !leaf.is_static()));
                fields.leaves(open.count())
            }
            Self::Stride(stride) => {
                let open = stride.leaves().filter(|stride| !stride.factor().is_static());
                fields.leaves(open.count())
            }
            Self::Tile(tiler) => fields.tiler(tiler),
            Self::Layout(layout) => fields.layout(layout),
            Self::Composed(layout) => fields.view_layout(layout),
            Self::View(view) => {
                let address = fields.leaves(1);
                Passing::Struct(vec![address, fields.view_layout(&view.layout)])
            }
            Self::DescriptorView(view) => {
                let descriptor = fields.leaves(1);
                Passing::Struct(vec![descriptor, fields.view_layout(&view.layout)])
            }
            Self::CoordTensor(tensor) => {
                let origin = fields.tuple(&tensor.origin);
                Passing::Struct(vec![origin, fields.layout(&tensor.layout)])
            }
            Self::Pointer(_) | Self::Integer(_) | Self::Descriptor(_) => fields.leaves(1),
            Self::Swizzle(_)
            | Self::FastDivisor(_)
            | Self::Sparse(_)
            | Self::TiledCopy(_)
            | Self::TiledMma(_)
            | Self::Copy(_)
            | Self::Mma(_)
            | Self::Opaque(_) => fields.leaves(count),
        }
    }
}
