//! Pointers: an element, a space, an alignment, a swizzle.

use std::fmt;
use std::num::NonZeroU64;

use tilewright_layouts::cute::Swizzle;

use super::element::Element;
use super::reader::{Part, Reader, TypeError, read_swizzle, words, write_swizzle};

words! {
    /// The memory that a pointer points to.
    pub enum Space {
        /// Any.
        Generic = "generic",
        /// Global memory.
        Global = "gmem",
        /// Shared memory of the block.
        Shared = "smem",
        /// Registers of the thread.
        Register = "rmem",
        /// Tensor memory.
        Tensor = "tmem",
        /// Shared memory of the blocks of a cluster.
        ClusterShared = "dsmem",
        /// Constant memory.
        Constant = "cmem",
    }
}

/// A pointer: `!cute.ptr<f16, smem, align<16>, S<3,4,3>>`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pointer {
    element: Option<Element>,
    space: Space,
    /// Bytes; 0 for elements that share a byte where no more is known.
    align: u64,
    swizzle: Option<Swizzle>,
}

impl Pointer {
    /// A pointer to an element, or to bytes of no type, whose address is a multiple of so many bytes.
    pub fn new(element: Option<Element>, space: Space, align: NonZeroU64, swizzle: Option<Swizzle>) -> Self {
        Self {
            element,
            space,
            align: align.get(),
            swizzle: swizzle.filter(|swizzle| !swizzle.is_identity()),
        }
    }

    /// What it points to, unless that is bytes of no type.
    pub fn element(&self) -> Option<&Element> {
        self.element.as_ref()
    }

    /// The bits of an element in memory; 8 for a truth value, and where elements have no type.
    pub fn element_bits(&self) -> u32 {
        match self.element.as_ref().map_or(8, Element::bits) {
            1 => 8,
            bits => bits,
        }
    }

    /// The memory.
    pub fn space(&self) -> Space {
        self.space
    }

    /// The address is a multiple of this many bytes.
    pub fn align(&self) -> NonZeroU64 {
        NonZeroU64::new(self.align).unwrap_or(NonZeroU64::MIN)
    }

    /// The pointer a multiple of so many bits on: its alignment divides the distance too. 0 is no distance.
    #[must_use]
    pub fn moved(&self, bits: u64) -> Self {
        let (mut align, mut rest) = (self.align.saturating_mul(8), bits);
        if self.align == 0 {
            align = u64::from(self.element_bits());
        }
        while rest > 0 {
            (align, rest) = (rest, align % rest);
        }
        Self {
            align: if align % 8 == 0 { align / 8 } else { 0 },
            ..self.clone()
        }
    }

    /// A swizzle of the byte address, applied at each access; never the identity.
    pub fn swizzle(&self) -> Option<Swizzle> {
        self.swizzle
    }

    /// The pointer to where the swizzle leads.
    #[must_use]
    pub fn without_swizzle(&self) -> Self {
        Self {
            swizzle: None,
            ..self.clone()
        }
    }

    /// The alignment that the text leaves out: that of a number, otherwise that of a byte.
    fn natural(&self) -> u64 {
        match &self.element {
            Some(Element::Vector(..) | Element::Address(_) | Element::Opaque(_)) => 1,
            Some(Element::Number(_) | Element::Sparse(_)) | None => u64::from(self.element_bits() / 8),
        }
    }
}

/// What stands between the brackets, which a view goes on with its layout.
impl Part for Pointer {
    fn read(reader: &mut Reader<'_>) -> Result<Self, TypeError> {
        let element = Element::maybe(reader)?;
        let space = match &element {
            Some(_) => reader.maybe(|reader| {
                let more = reader.take(",");
                reader.maybe_word(Space::from_word).filter(|_| more)
            }),
            None => Some(reader.one_of(Space::WORDS, Space::from_word)?),
        };
        let mut pointer = Self::new(element, space.unwrap_or(Space::Generic), NonZeroU64::MIN, None);
        pointer.align = match reader.take(", align<") {
            true => {
                let align: NonZeroU64 = reader.number("a number of bytes above 0")?;
                reader.literal(">")?;
                align.get()
            }
            false => pointer.natural(),
        };
        let swizzled = |reader: &mut Reader<'_>| {
            let more = reader.take(",");
            reader.skip_space();
            (more && reader.rest().starts_with("S<")).then_some(())
        };
        if reader.maybe(swizzled).is_some() {
            pointer.swizzle = Some(read_swizzle(reader)?).filter(|swizzle| !swizzle.is_identity());
        }
        Ok(pointer)
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(element) = &self.element {
            write!(f, "{element}, ")?;
        }
        f.write_str(self.space.word())?;
        if self.align != self.natural() {
            write!(f, ", align<{}>", self.align)?;
        }
        if let Some(swizzle) = &self.swizzle {
            f.write_str(", ")?;
            write_swizzle(swizzle, f)?;
        }
        Ok(())
    }
}
