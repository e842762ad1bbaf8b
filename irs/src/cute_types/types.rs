//! The types of `cute` and `cute_nvgpu`.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use tilewright_layouts::cute::{
    CoordOf, Fact, LayoutOf, Leaf, Nested, Scaled, SlotOf, Swizzle, TilerOf, TypeLeaf,
};

use super::atoms::{CopyAtom, MmaAtom};
use super::element::{Opaque, SparseElement};
use super::pointer::Pointer;
use super::reader::{Family, Reader, TypeError, by_word};
use super::scalar::{FastDivisor, Integer};
use super::tiled::{TiledCopy, TiledMma};
use super::view::{CoordTensor, Descriptor, DescriptorView, View, ViewLayout};

by_word! {
    /// What a type of `cute` or `cute_nvgpu` says, with leaves of which it knows facts.
    pub enum Kind<L> {
        /// A nested tuple of integers, of any sign: `!cute.int_tuple<"(?,(3,?{i64}))">`.
        IntTuple(Nested<L>) = "cute.int_tuple",
        /// A coordinate, where `_` stands for a whole mode: `!cute.coord<"(_,?)">`.
        Coord(CoordOf<L>) = "cute.coord",
        /// Extents: `!cute.shape<"(8,?{div=4})">`.
        Shape(Nested<L>) = "cute.shape",
        /// Strides: `!cute.stride<"(?{i64},1@0)">`.
        Stride(Nested<Scaled<L>>) = "cute.stride",
        /// A tiler: `!cute.tile<"[128:1;_]">`.
        Tile(TilerOf<L>) = "cute.tile",
        /// A layout: `!cute.layout<"(8,?):(?,1)">`.
        Layout(LayoutOf<L>) = "cute.layout",
        /// A layout under a swizzle or another layout, or what is left of one: `!cute.composed_layout<"S<3,4,3> o 0 o (8,64):(64,1)">`.
        Composed(ViewLayout<L>) = "cute.composed_layout",
        /// A permutation of the bits of an index: `!cute.swizzle<"S<3,4,3>">`.
        Swizzle(Swizzle) = "cute.swizzle",
        /// A pointer: `!cute.ptr<f16, smem, align<16>>`.
        Pointer(Pointer) = "cute.ptr",
        /// Memory as a tensor: `!cute.memref<f16, smem, "(8,64):(64,1)">`.
        View(View<L>) = "cute.memref",
        /// Where a tensor of coordinates begins: `!cute.arith_tuple_iter<"(0,?{div=128})">`.
        CoordIterator(Nested<L>) = "cute.arith_tuple_iter",
        /// A tensor of coordinates: `!cute.coord_tensor<"(0,0)", "(8,4):(1@0,1@1)">`.
        CoordTensor(CoordTensor<L>) = "cute.coord_tensor",
        /// A divisor made ready: `!cute.fast_divmod_divisor<32>`.
        FastDivisor(FastDivisor) = "cute.fast_divmod_divisor",
        /// What is stored of a sparse matrix: `!cute.sparse_elem<2, f16>`.
        Sparse(SparseElement) = "cute.sparse_elem",
        /// A copy of a tile by many threads.
        TiledCopy(TiledCopy) = "cute.tiled_copy",
        /// A product of tiles by many warps.
        TiledMma(TiledMma) = "cute.tiled_mma",
        /// Matrix descriptors as a tensor.
        DescriptorView(DescriptorView<L>) = "cute_nvgpu.smem_desc_view",
        ;
        /// An integer with a known divisor: `!cute.i32<divby 4>`.
        Integer(Integer),
        /// A copy instruction.
        Copy(CopyAtom),
        /// A matrix-multiply instruction.
        Mma(MmaAtom),
        /// A matrix descriptor.
        Descriptor(Descriptor),
        /// Memory that only instructions read and write.
        Opaque(Opaque),
    }
}

impl<L: TypeLeaf> Kind<L> {
    /// The type with other leaves, in the order of the text: of a layout first those of the shape, then those of the stride.
    /// Extents have to stay above 0. The leaves of instructions stay as they are.
    pub fn map_leaves<M: TypeLeaf>(&self, leaf: &mut impl FnMut(&L) -> M) -> Kind<M> {
        match self {
            Self::IntTuple(tuple) => Kind::IntTuple(tuple.map(leaf)),
            Self::Coord(coord) => Kind::Coord(coord.map(&mut |slot| match slot {
                SlotOf::All => SlotOf::All,
                SlotOf::At(place) => SlotOf::At(leaf(place)),
            })),
            Self::Shape(shape) => Kind::Shape(shape.map(leaf)),
            Self::Stride(stride) => Kind::Stride(stride.map(&mut |stride| stride.map(&mut *leaf))),
            Self::Tile(tiler) => Kind::Tile(tiler.map_leaves(leaf)),
            Self::Layout(layout) => Kind::Layout(layout.map_leaves(leaf)),
            Self::Composed(layout) => Kind::Composed(layout.map_leaves(leaf)),
            Self::View(View { pointer, layout }) => Kind::View(View {
                pointer: pointer.clone(),
                layout: layout.map_leaves(leaf),
            }),
            Self::CoordIterator(origin) => Kind::CoordIterator(origin.map(leaf)),
            Self::CoordTensor(CoordTensor { origin, layout }) => Kind::CoordTensor(CoordTensor {
                origin: origin.map(leaf),
                layout: layout.map_leaves(leaf),
            }),
            Self::DescriptorView(DescriptorView { descriptor, layout }) => {
                Kind::DescriptorView(DescriptorView {
                    descriptor: *descriptor,
                    layout: layout.map_leaves(leaf),
                })
            }
            Self::Swizzle(swizzle) => Kind::Swizzle(*swizzle),
            Self::Pointer(pointer) => Kind::Pointer(pointer.clone()),
            Self::FastDivisor(divisor) => Kind::FastDivisor(divisor.clone()),
            Self::Sparse(element) => Kind::Sparse(element.clone()),
            Self::TiledCopy(copy) => Kind::TiledCopy(copy.clone()),
            Self::TiledMma(mma) => Kind::TiledMma(mma.clone()),
            Self::Integer(integer) => Kind::Integer(*integer),
            Self::Copy(atom) => Kind::Copy(atom.clone()),
            Self::Mma(atom) => Kind::Mma(atom.clone()),
            Self::Descriptor(descriptor) => Kind::Descriptor(*descriptor),
            Self::Opaque(opaque) => Kind::Opaque(*opaque),
        }
    }

    /// What the type says of its leaves.
    pub fn facts(&self) -> Kind {
        self.map_leaves(&mut L::fact)
    }

    /// The leaves that are not static, in the order of [`Kind::map_leaves`].
    ///
    /// ```
    /// use tilewright_irs::cute_types::CuteType;
    /// let view: CuteType = "cute.memref<f16, gmem, \"(8,?):(?{i64 div=8},1)\">".parse()?;
    /// let leaves: Vec<String> = view.kind().dynamic_leaves().iter().map(ToString::to_string).collect();
    /// assert_eq!(leaves, ["?", "?{i64 div=8}"]);
    /// # Ok::<(), tilewright_irs::cute_types::TypeError>(())
    /// ```
    pub fn dynamic_leaves(&self) -> Vec<L> {
        let mut leaves = Vec::new();
        self.map_leaves(&mut |leaf: &L| {
            if !leaf.is_static() {
                leaves.push(leaf.clone());
            }
            leaf.fact()
        });
        leaves
    }

    /// Whether its dynamic leaves are all that a value of it holds.
    pub fn has_no_address(&self) -> bool {
        match self {
            Self::IntTuple(_)
            | Self::Coord(_)
            | Self::Shape(_)
            | Self::Stride(_)
            | Self::Tile(_)
            | Self::Layout(_)
            | Self::Composed(_)
            | Self::Swizzle(_)
            | Self::CoordIterator(_)
            | Self::CoordTensor(_)
            | Self::TiledCopy(_)
            | Self::TiledMma(_)
            | Self::Copy(_)
            | Self::Mma(_) => true,
            Self::Pointer(_)
            | Self::View(_)
            | Self::FastDivisor(_)
            | Self::Sparse(_)
            | Self::DescriptorView(_)
            | Self::Integer(_)
            | Self::Descriptor(_)
            | Self::Opaque(_) => false,
        }
    }
}

impl Kind {
    /// The type with its dynamic leaves as inputs, in the order of [`Kind::dynamic_leaves`] and numbered from `next` on.
    pub fn with_inputs<L: TypeLeaf>(&self, next: &mut u32) -> Kind<L> {
        self.map_leaves(&mut |fact: &Fact| {
            let number = *next;
            *next += u32::from(!fact.is_static());
            L::input(*fact, number)
        })
    }
}

/// A type of `cute` or `cute_nvgpu`. Its text is NVIDIA's, without the `!`.
///
/// ```
/// use tilewright_irs::cute_types::{CuteType, Kind, Space};
/// let view: CuteType = "cute.memref<f16, smem, align<128>, \"(8,?):(?{div=8},1)\">".parse()?;
/// let Kind::View(parts) = view.kind() else { unreachable!() };
/// assert_eq!((parts.pointer.element_bits(), parts.pointer.space()), (16, Space::Shared));
/// assert_eq!(view.body().to_string(), "<f16, smem, align<128>, \"(8,?):(?{div=8},1)\">");
/// assert!("cute.layout<\"(0,4):(1,2)\">".parse::<CuteType>().is_err());
/// # Ok::<(), tilewright_irs::cute_types::TypeError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct CuteType<L: TypeLeaf = Fact>(Arc<Kind<L>>);

impl<L: TypeLeaf> CuteType<L> {
    /// What the type says.
    pub fn kind(&self) -> &Kind<L> {
        &self.0
    }
}

impl CuteType {
    /// The word with which the type begins: `cute.memref`.
    pub fn word(&self) -> &'static str {
        self.0.word()
    }

    /// The text without that word, which some ops print alone.
    pub fn body(&self) -> impl fmt::Display {
        Body(self.clone())
    }

    /// Reads a whole text, without the `!`.
    ///
    /// # Errors
    /// The text is no type.
    pub fn parse(text: &str) -> Result<Self, TypeError> {
        let (read, end) = Self::parse_prefix(text)?;
        match text.get(end..).is_none_or(|rest| rest.trim().is_empty()) {
            true => Ok(read),
            false => Err(TypeError {
                offset: end,
                message: "expected the end of the type".to_owned(),
            }),
        }
    }

    /// Reads a type at the start of a text, without the `!`, and says where it ends.
    ///
    /// # Errors
    /// No type begins there.
    pub fn parse_prefix(text: &str) -> Result<(Self, usize), TypeError> {
        let mut reader = Reader::new(text);
        let word = reader.word();
        Self::after(word, &mut reader).map(|read| (read, reader.at()))
    }

    /// Reads the text without its word at the start of a text, and says where it ends.
    ///
    /// # Errors
    /// There is no such word, or it does not go on so.
    pub fn parse_body(word: &str, text: &str) -> Result<(Self, usize), TypeError> {
        let mut reader = Reader::new(text);
        Self::after(word, &mut reader).map(|read| (read, reader.at()))
    }

    fn after(word: &str, reader: &mut Reader<'_>) -> Result<Self, TypeError> {
        let read = Kind::after(word, reader).unwrap_or_else(|| {
            let message = format!("there is no type `{word}`");
            Err(TypeError { offset: 0, message })
        });
        read.map(Self::from)
    }
}

/// The layout of a view as a type of its own.
impl<L: TypeLeaf> From<&ViewLayout<L>> for Kind<L> {
    fn from(layout: &ViewLayout<L>) -> Self {
        match layout {
            ViewLayout::Plain(layout) => Self::Layout(layout.clone()),
            ViewLayout::Composed(_) => Self::Composed(layout.clone()),
        }
    }
}

impl<L: TypeLeaf> From<Kind<L>> for CuteType<L> {
    fn from(kind: Kind<L>) -> Self {
        Self(Arc::new(kind))
    }
}

impl FromStr for CuteType {
    type Err = TypeError;

    fn from_str(text: &str) -> Result<Self, TypeError> {
        Self::parse(text)
    }
}

impl fmt::Display for CuteType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())?;
        self.0.write_after(f)
    }
}

impl<L: TypeLeaf> fmt::Debug for CuteType<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&CuteType::from(self.0.facts()), f)
    }
}

/// A type printed without its word.
struct Body(CuteType);

impl fmt::Display for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.0.write_after(f)
    }
}
