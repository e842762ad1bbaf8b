//! Tensor maps: the tensor in global memory, and the box of it that a copy moves.
//!
//! (PTX ISA, "Tensor copies" with "Tiled mode", "Out-of-bound access", "Swizzling modes"; "tensormap.replace".) The
//! object of 128 bytes is opaque: this encoding is the simulator's own, and `tensormap.replace` writes its fields.

use crate::fault::FaultKind;
use tilewright_irs::ptx::{MapChoice, MapExtent, MapField, Type};

/// Bytes of a tensor map.
pub const TENSOR_MAP_BYTES: usize = 128;
/// The largest rank.
const RANK: usize = 5;
/// Marks the bytes of a tensor map.
pub(crate) const MARK: u16 = 0x4d54;
/// Bytes of a chunk, which swizzles move as a whole.
const CHUNK: u64 = 16;

// The offsets of the fields.
const ADDRESS: usize = 0;
const LAST_DIMENSION: usize = 8;
const ELEMENT: usize = 9;
const INTERLEAVE: usize = 10;
const SWIZZLE: usize = 11;
const ATOMICITY: usize = 12;
const FILL: usize = 13;
pub(crate) const MARKED: usize = 14;
const EXTENTS: usize = 16;
const BOX: usize = 36;
const STEPS: usize = 56;
const STRIDES: usize = 80;

/// The field of a tensor map that an instruction replaces: its offset and its bytes.
pub(crate) const fn field(field: MapField) -> (usize, u64) {
    match field {
        MapField::GlobalAddress => (ADDRESS, 8),
        MapField::Rank => (LAST_DIMENSION, 1),
    }
}

/// The field of a dimension: its offset and its bytes, if there is such a dimension.
pub(crate) fn extent(extent: MapExtent, dimension: u32) -> Option<(usize, u64)> {
    let (first, bytes, count) = match extent {
        MapExtent::GlobalDim => (EXTENTS, 4, RANK),
        MapExtent::BoxDim => (BOX, 4, RANK),
        MapExtent::ElementStride => (STEPS, 4, RANK),
        MapExtent::GlobalStride => (STRIDES, 8, RANK - 1),
    };
    let dimension = dimension as usize;
    (dimension < count).then_some((first + dimension * bytes, bytes as u64))
}

/// The field of an enumeration: its offset; it has one byte.
pub(crate) const fn choice(choice: MapChoice) -> usize {
    match choice {
        MapChoice::ElementType => ELEMENT,
        MapChoice::InterleaveLayout => INTERLEAVE,
        MapChoice::SwizzleMode => SWIZZLE,
        MapChoice::SwizzleAtomicity => ATOMICITY,
        MapChoice::FillMode => FILL,
    }
}

/// The types of elements, numbered as for `tensormap.replace`: the name, the bytes, and the type of reductions. Types
/// that change values as they are copied have no bytes.
const TYPES: [(&str, u64, Option<Type>); 16] = [
    ("u8", 1, None),
    ("u16", 2, None),
    ("u32", 4, Some(Type::U32)),
    ("s32", 4, Some(Type::S32)),
    ("u64", 8, Some(Type::U64)),
    ("s64", 8, Some(Type::S64)),
    ("f16", 2, Some(Type::F16)),
    ("f32", 4, Some(Type::F32)),
    ("f32.ftz", 0, None),
    ("f64", 8, Some(Type::F64)),
    ("bf16", 2, Some(Type::Bf16)),
    ("tf32", 0, None),
    ("tf32.ftz", 0, None),
    ("b4x16", 0, None),
    ("b4x16_p64", 0, None),
    ("b6x16_p32", 0, None),
];

/// The swizzle of a box in shared memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TensorSwizzle {
    /// None.
    #[default]
    None,
    /// Within 32 bytes.
    B32,
    /// Within 64 bytes.
    B64,
    /// Within 128 bytes.
    B128,
}

/// A tensor map in tiled mode, without interleaving. Dimensions are in the order of their strides, the innermost first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TensorMap {
    /// The address of the first element.
    pub address: u64,
    /// The type of elements, by its name in PTX without the dot.
    pub element: String,
    /// The extents of the tensor.
    pub extents: Vec<u32>,
    /// The strides of all dimensions but the innermost, in bytes.
    pub strides: Vec<u64>,
    /// The extents of the box.
    pub box_extents: Vec<u32>,
    /// Of each dimension, the distance of the elements of the box that are copied. That of the innermost is ignored.
    pub steps: Vec<u32>,
    /// The swizzle.
    pub swizzle: TensorSwizzle,
    /// Whether elements out of bounds are NaN, instead of zero.
    pub fill_nan: bool,
}

/// The part of a box along its innermost dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BoxRow {
    /// The offset of the row in the box, in bytes, without swizzle.
    pub(crate) offset: u64,
    /// Bytes of the row that are before the tensor.
    pub(crate) before: u64,
    /// Bytes of the row that are in the tensor.
    pub(crate) inside: u64,
    /// The address of these.
    pub(crate) address: u64,
}

impl TensorMap {
    /// The object of 128 bytes, as an argument or the contents of global memory.
    ///
    /// ```
    /// use tilewright_simulator::{TensorMap, TensorSwizzle};
    /// let map = TensorMap {
    ///     address: 0x1000,
    ///     element: "f16".to_owned(),
    ///     extents: vec![100, 30],
    ///     strides: vec![256],
    ///     box_extents: vec![64, 8],
    ///     steps: vec![1, 1],
    ///     swizzle: TensorSwizzle::B128,
    ///     fill_nan: false,
    /// };
    /// assert_eq!(map.encode().map(|bytes| bytes.len()), Some(128));
    /// ```
    ///
    /// `None` if the type of elements is unknown, or the lists do not have the length that the rank demands.
    pub fn encode(&self) -> Option<[u8; TENSOR_MAP_BYTES]> {
        let rank = self.extents.len();
        let lengths = [self.strides.len() + 1, self.box_extents.len(), self.steps.len()];
        if rank == 0 || rank > RANK || lengths != [rank; 3] {
            return None;
        }
        let element = TYPES.iter().position(|(name, ..)| *name == self.element)?;
        let mut bytes = [0; TENSOR_MAP_BYTES];
        bytes[ADDRESS..ADDRESS + 8].copy_from_slice(&self.address.to_le_bytes());
        bytes[LAST_DIMENSION] = rank as u8 - 1;
        bytes[ELEMENT] = element as u8;
        bytes[SWIZZLE] = self.swizzle as u8;
        bytes[FILL] = u8::from(self.fill_nan);
        bytes[MARKED..MARKED + 2].copy_from_slice(&MARK.to_le_bytes());
        for (first, values) in [
            (EXTENTS, &self.extents),
            (BOX, &self.box_extents),
            (STEPS, &self.steps),
        ] {
            for (field, value) in bytes[first..].chunks_exact_mut(4).zip(values) {
                field.copy_from_slice(&value.to_le_bytes());
            }
        }
        for (field, value) in bytes[STRIDES..].chunks_exact_mut(8).zip(&self.strides) {
            field.copy_from_slice(&value.to_le_bytes());
        }
        Some(bytes)
    }

    /// Decodes the object, and checks the rules of tensor maps that do not depend on a copy.
    pub(crate) fn decode(bytes: &[u8; TENSOR_MAP_BYTES]) -> Result<Self, FaultKind> {
        let refuse = |reason: String| FaultKind::CopyMisuse { reason };
        let word = |at: usize, size: usize| crate::memory::little_endian(&bytes[at..at + size]);
        if word(MARKED, 2) != u64::from(MARK) {
            return Err(refuse("there is no tensor map at its address".to_owned()));
        }
        let rank = word(LAST_DIMENSION, 1) as usize + 1;
        if rank > RANK {
            return Err(refuse(format!(
                "its tensor map has rank {rank}, of at most {RANK}"
            )));
        }
        let unsupported = |reason: String| FaultKind::Unsupported { reason };
        let name = match TYPES.get(usize::from(bytes[ELEMENT])) {
            Some((name, 1.., _)) => *name,
            Some((name, ..)) => return Err(unsupported(format!("a tensor map of {name}"))),
            None => return Err(refuse("its tensor map has no such type of elements".to_owned())),
        };
        let swizzle = match bytes[SWIZZLE] {
            0 => TensorSwizzle::None,
            1 => TensorSwizzle::B32,
            2 => TensorSwizzle::B64,
            3 => TensorSwizzle::B128,
            other => return Err(unsupported(format!("a tensor map with swizzle mode {other}"))),
        };
        if bytes[INTERLEAVE] != 0 || bytes[ATOMICITY] != 0 {
            return Err(unsupported(
                "a tensor map with interleaving or another atom of the swizzle".to_owned(),
            ));
        }
        let extents = |first: usize| (0..rank).map(|at| word(first + 4 * at, 4) as u32).collect();
        let map = Self {
            address: word(ADDRESS, 8),
            element: name.to_owned(),
            extents: extents(EXTENTS),
            strides: (1..rank).map(|at| word(STRIDES + 8 * (at - 1), 8)).collect(),
            box_extents: extents(BOX),
            steps: extents(STEPS),
            swizzle,
            fill_nan: bytes[FILL] == 1,
        };
        map.check().map_err(refuse)?;
        if map.pitch() != map.row_bytes() {
            return Err(unsupported(
                "a box whose rows are shorter than its swizzle".to_owned(),
            ));
        }
        Ok(map)
    }

    /// The rules of `cuTensorMapEncodeTiled`.
    fn check(&self) -> Result<(), String> {
        let within = |what: &str, value: u64, least: u64, most: u64| match (least..=most).contains(&value) {
            true => Ok(()),
            false => Err(format!(
                "{what} of its tensor map is {value}, of {least} to {most}"
            )),
        };
        let multiple = |what: &str, value: u64, of: u64| match value.is_multiple_of(of) {
            true => Ok(()),
            false => Err(format!(
                "{what} of its tensor map is {value}, no multiple of {of}"
            )),
        };
        multiple("the address", self.address, 16)?;
        for stride in &self.strides {
            multiple("a stride", *stride, 16)?;
            within("a stride", *stride, 0, (1 << 40) - 1)?;
        }
        for (at, extent) in self.extents.iter().enumerate() {
            within("an extent", u64::from(*extent), 1, u64::from(u32::MAX))?;
            within("the box", u64::from(self.box_extents[at]), 1, 256)?;
            within("an element stride", u64::from(self.steps[at]), 1, 8)?;
        }
        multiple("a row of the box", self.row_bytes(), CHUNK)?;
        if let Some(span) = self.span() {
            within("a row of the box", self.row_bytes(), 1, span)?;
        }
        if self.fill_nan && !self.element.contains('f') {
            return Err(format!("its tensor map of {} is filled with NaN", self.element));
        }
        Ok(())
    }

    fn span(&self) -> Option<u64> {
        match self.swizzle {
            TensorSwizzle::None => None,
            TensorSwizzle::B32 => Some(32),
            TensorSwizzle::B64 => Some(64),
            TensorSwizzle::B128 => Some(128),
        }
    }

    fn element_type(&self) -> (u64, Option<Type>) {
        let known = TYPES.iter().find(|(name, ..)| *name == self.element);
        known.map_or((1, None), |(_, bytes, ty)| (*bytes, *ty))
    }

    /// The type of reductions.
    pub(crate) fn reduction(&self) -> Option<Type> {
        self.element_type().1
    }

    /// Bytes of a row of the box.
    pub(crate) fn row_bytes(&self) -> u64 {
        u64::from(self.box_extents[0]) * self.element_type().0
    }

    /// Bytes from a row of the box to the next.
    fn pitch(&self) -> u64 {
        self.span().unwrap_or_else(|| self.row_bytes())
    }

    /// The number of elements along each dimension that are copied.
    fn counts(&self) -> Vec<u64> {
        let pairs = self.box_extents.iter().zip(&self.steps).enumerate();
        let count = |(at, (extent, step)): (usize, (&u32, &u32))| match at {
            0 => u64::from(*extent),
            _ => u64::from(extent.div_ceil(*step)),
        };
        pairs.map(count).collect()
    }

    /// Bytes of the box, which an mbarrier counts.
    pub(crate) fn box_bytes(&self) -> u64 {
        self.counts()[1..].iter().product::<u64>() * self.row_bytes()
    }

    /// The rows of the box at coordinates, as many as the rank.
    pub(crate) fn rows(&self, coordinates: &[i32]) -> Vec<BoxRow> {
        let counts = self.counts();
        let (size, _) = self.element_type();
        let first = i64::from(coordinates[0]);
        let extent = i64::from(self.extents[0]);
        let width = counts[0] as i64;
        // The elements of a row that are in the tensor.
        let begin = (-first).clamp(0, width);
        let end = (extent - first).clamp(begin, width);
        let number: u64 = counts[1..].iter().product();
        (0..number)
            .map(|row| {
                let mut rest = row;
                let mut inside = true;
                let mut address = self.address.wrapping_add_signed((first + begin) * size as i64);
                for dimension in 1..counts.len() {
                    let step = rest % counts[dimension] * u64::from(self.steps[dimension]);
                    rest /= counts[dimension];
                    let at = i64::from(coordinates[dimension]) + step as i64;
                    inside &= (0..i64::from(self.extents[dimension])).contains(&at);
                    address = address.wrapping_add((at as u64).wrapping_mul(self.strides[dimension - 1]));
                }
                BoxRow {
                    offset: row * self.row_bytes(),
                    before: begin as u64 * size,
                    inside: if inside { (end - begin) as u64 * size } else { 0 },
                    address,
                }
            })
            .collect()
    }

    /// A row of elements out of bounds.
    pub(crate) fn fill(&self) -> Vec<u8> {
        let (size, _) = self.element_type();
        let mut element = vec![0; size as usize];
        if self.fill_nan {
            element.fill(0xff);
            element[size as usize - 1] = 0x7f;
        }
        element.repeat(self.box_extents[0] as usize)
    }

    /// The bytes from `first` to `end` of a row at an address of shared memory, in parts that a swizzle leaves
    /// together: the address of each and its place in the row.
    pub(crate) fn parts(&self, address: u64, first: u64, end: u64) -> Vec<(u64, std::ops::Range<usize>)> {
        let Some(span) = self.span() else {
            return vec![(address + first, first as usize..end as usize)];
        };
        let mut parts = Vec::new();
        let mut at = first;
        while at < end {
            let next = (at / CHUNK * CHUNK + CHUNK).min(end);
            let place = address + at;
            let swizzled = place ^ ((place >> 7 & (span / CHUNK - 1)) * CHUNK);
            parts.push((swizzled, at as usize..next as usize));
            at = next;
        }
        parts
    }
}
