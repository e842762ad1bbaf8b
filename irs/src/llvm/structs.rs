//! Where the parts of structs lie.

use std::ops::Range;

use super::types::{AddressSpace, LlvmType, Passed, StructType};

/// Size and alignment of a type in memory, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryLayout {
    /// Its size, a multiple of the alignment.
    pub bytes: u32,
    /// Its alignment, a power of two.
    pub align: u32,
}

/// A part of a struct that is no struct itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// Its type.
    pub ty: LlvmType,
    /// Its offset in bytes.
    pub offset: u32,
}

impl StructType {
    /// The types of its leaves, in order.
    pub fn leaves(self) -> Vec<LlvmType> {
        self.fields().iter().flat_map(LlvmType::leaves).collect()
    }

    /// The part that is reached by these numbers of fields, the outermost first: its type, and which leaves it has.
    pub fn part(self, path: &[u32]) -> Option<(LlvmType, Range<usize>)> {
        let (&first, rest) = path.split_first()?;
        let at = usize::try_from(first).ok()?;
        let field = *self.fields().get(at)?;
        let before: usize = self.fields().iter().take(at).map(LlvmType::leaf_count).sum();
        let within = match field {
            LlvmType::Struct(inner) if !rest.is_empty() => {
                let (ty, leaves) = inner.part(rest)?;
                return Some((ty, before + leaves.start..before + leaves.end));
            }
            _ if !rest.is_empty() => return None,
            _ => field.leaf_count(),
        };
        Some((field, before..before + within))
    }

    /// Its size and alignment; `None` if a field does not fill whole bytes.
    fn layout(self) -> Option<MemoryLayout> {
        let mut all = MemoryLayout { bytes: 0, align: 1 };
        for field in self.fields() {
            let field = field.layout()?;
            all.bytes = all.bytes.checked_next_multiple_of(field.align)?;
            all.bytes = all.bytes.checked_add(field.bytes)?;
            all.align = all.align.max(field.align);
        }
        all.bytes = all.bytes.checked_next_multiple_of(all.align)?;
        Some(all)
    }

    /// Its leaves with their places in memory; `None` if one does not fill whole bytes.
    pub fn places(self) -> Option<Vec<Leaf>> {
        let mut places = Vec::new();
        let mut end = 0u32;
        for field in self.fields() {
            let MemoryLayout { bytes, align } = field.layout()?;
            let start = end.checked_next_multiple_of(align)?;
            end = start.checked_add(bytes)?;
            match field {
                LlvmType::Struct(inner) => places.extend(inner.places()?.into_iter().map(|leaf| Leaf {
                    offset: leaf.offset + start,
                    ..leaf
                })),
                ty => places.push(Leaf {
                    ty: *ty,
                    offset: start,
                }),
            }
        }
        Some(places)
    }

    /// The parameter that holds such a struct: its leaves are numbers of whole bytes and pointers to global memory. `None` for
    /// others, and for one that is too large.
    pub fn passed(self) -> Option<Passed> {
        let can_be = |ty: &LlvmType| matches!(ty, LlvmType::Scalar(_) | LlvmType::Ptr(AddressSpace::Global));
        let MemoryLayout { bytes, align } = self.layout()?;
        let fits = bytes <= Passed::MOST_BYTES && self.leaves().iter().all(can_be);
        fits.then_some(Passed { bytes, align })
    }
}

impl LlvmType {
    /// The types of the parts that are no structs, in order: of a struct its leaves, of any other type itself.
    pub fn leaves(&self) -> Vec<Self> {
        match self {
            Self::Struct(ty) => ty.leaves(),
            _ => vec![*self],
        }
    }

    /// The number of these parts.
    fn leaf_count(&self) -> usize {
        match self {
            Self::Struct(ty) => ty.fields().iter().map(Self::leaf_count).sum(),
            _ => 1,
        }
    }

    /// Its size and alignment in memory; `None` for what is not kept in memory.
    pub fn layout(&self) -> Option<MemoryLayout> {
        let of = |bytes| MemoryLayout { bytes, align: bytes };
        match self {
            Self::Scalar(scalar) => scalar.bytes().map(of),
            Self::Vector(count, scalar) => scalar.bytes().map(|bytes| of(count * bytes)),
            Self::Ptr(space) => Some(of(if space.is_narrow() { 4 } else { 8 })),
            Self::Struct(ty) => ty.layout(),
            Self::TensorMap | Self::Passed(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::ScalarType;

    #[test]
    fn fields_lie_as_in_c() {
        let [byte, word, long] = [ScalarType::I8, ScalarType::I32, ScalarType::I64].map(LlvmType::Scalar);
        let pointer = LlvmType::Ptr(AddressSpace::Global);
        let of = |fields: &[LlvmType]| LlvmType::Struct(StructType::new(fields).expect("a struct"));
        let inner = of(&[byte, long]);
        let LlvmType::Struct(outer) = of(&[word, inner, byte, pointer]) else {
            panic!("a struct");
        };
        assert_eq!(outer.layout(), Some(MemoryLayout { bytes: 40, align: 8 }));
        let offsets: Vec<u32> = outer
            .places()
            .expect("places")
            .iter()
            .map(|leaf| leaf.offset)
            .collect();
        assert_eq!(offsets, [0, 8, 16, 24, 32]);
        assert_eq!(outer.part(&[1]), Some((inner, 1..3)));
        assert_eq!(outer.part(&[1, 1]), Some((long, 2..3)));
        assert_eq!(outer.part(&[3]), Some((pointer, 4..5)));
        assert_eq!(outer.part(&[4]), None);
        assert_eq!(outer.part(&[0, 0]), None);
        assert_eq!(outer.passed(), Some(Passed { bytes: 40, align: 8 }));
    }

    #[test]
    fn equal_types_share_their_fields() {
        let fields = [LlvmType::Scalar(ScalarType::I32); 3];
        let [first, second] = [(); 2].map(|()| StructType::new(&fields).expect("a struct"));
        assert!(std::ptr::eq(first.fields(), second.fields()));
        assert_eq!(StructType::new(&[]), None);
        assert_eq!(StructType::new(&[LlvmType::TensorMap]), None);
    }
}
