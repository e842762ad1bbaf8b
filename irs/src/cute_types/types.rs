//! The types of `cute` and `cute_nvgpu`.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use tilewright_layouts::cute::{CoordOf, Fact, Nested, Scaled, Swizzle, TilerOf, TypeLayout};

use super::atoms::{CopyAtom, MmaAtom};
use super::element::{Opaque, SparseElement};
use super::pointer::Pointer;
use super::reader::{Family, Reader, TypeError, by_word};
use super::scalar::{FastDivisor, Integer};
use super::tiled::{TiledCopy, TiledMma};
use super::view::{CoordTensor, Descriptor, DescriptorView, View, ViewLayout};

by_word! {
    /// What a type of `cute` or `cute_nvgpu` says.
    pub enum Kind {
        /// A nested tuple of integers, of any sign: `!cute.int_tuple<"(?,(3,?{i64}))">`.
        IntTuple(Nested<Fact>) = "cute.int_tuple",
        /// A coordinate, where `_` stands for a whole mode: `!cute.coord<"(_,?)">`.
        Coord(CoordOf<Fact>) = "cute.coord",
        /// Extents: `!cute.shape<"(8,?{div=4})">`.
        Shape(Nested<Fact>) = "cute.shape",
        /// Strides: `!cute.stride<"(?{i64},1@0)">`.
        Stride(Nested<Scaled<Fact>>) = "cute.stride",
        /// A tiler: `!cute.tile<"[128:1;_]">`.
        Tile(TilerOf<Fact>) = "cute.tile",
        /// A layout: `!cute.layout<"(8,?):(?,1)">`.
        Layout(TypeLayout) = "cute.layout",
        /// A layout under a swizzle or another layout, or what is left of one: `!cute.composed_layout<"S<3,4,3> o 0 o (8,64):(64,1)">`.
        Composed(ViewLayout) = "cute.composed_layout",
        /// A permutation of the bits of an index: `!cute.swizzle<"S<3,4,3>">`.
        Swizzle(Swizzle) = "cute.swizzle",
        /// A pointer: `!cute.ptr<f16, smem, align<16>>`.
        Pointer(Pointer) = "cute.ptr",
        /// Memory as a tensor: `!cute.memref<f16, smem, "(8,64):(64,1)">`.
        View(View) = "cute.memref",
        /// Where a tensor of coordinates begins: `!cute.arith_tuple_iter<"(0,?{div=128})">`.
        CoordIterator(Nested<Fact>) = "cute.arith_tuple_iter",
        /// A tensor of coordinates: `!cute.coord_tensor<"(0,0)", "(8,4):(1@0,1@1)">`.
        CoordTensor(CoordTensor) = "cute.coord_tensor",
        /// A divisor made ready: `!cute.fast_divmod_divisor<32>`.
        FastDivisor(FastDivisor) = "cute.fast_divmod_divisor",
        /// What is stored of a sparse matrix: `!cute.sparse_elem<2, f16>`.
        Sparse(SparseElement) = "cute.sparse_elem",
        /// A copy of a tile by many threads.
        TiledCopy(TiledCopy) = "cute.tiled_copy",
        /// A product of tiles by many warps.
        TiledMma(TiledMma) = "cute.tiled_mma",
        /// Matrix descriptors as a tensor.
        DescriptorView(DescriptorView) = "cute_nvgpu.smem_desc_view",
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
pub struct CuteType(Arc<Kind>);

impl CuteType {
    /// What the type says.
    pub fn kind(&self) -> &Kind {
        &self.0
    }

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

impl From<Kind> for CuteType {
    fn from(kind: Kind) -> Self {
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

impl fmt::Debug for CuteType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A type printed without its word.
struct Body(CuteType);

impl fmt::Display for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.0.write_after(f)
    }
}
