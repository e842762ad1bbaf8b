//! Tensor maps: the tensor in global memory, and the box or the pixels of it that a copy moves.
//!
//! (PTX ISA, "Tensor copies" with "Tiled mode", "im2col mode", "Out-of-bound access", "Swizzling modes"; "tensormap.replace".) The
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
const LOWER: usize = 112;
const UPPER: usize = 118;
const MODE: usize = 124;

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

/// The type of elements that loads round from `f32`.
const ROUNDED: &str = "tf32";

/// The types of elements, numbered as for `tensormap.replace`: the name, the bytes, and the type of reductions. Those that are
/// not supported have no bytes.
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
    (ROUNDED, 4, None),
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

/// What a copy moves.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TensorBox {
    /// A box of these extents.
    Tile(Vec<u32>),
    /// Pixels.
    Pixels(PixelColumn),
}

/// Pixels of images, in the order in which a filter meets them: mode `im2col`. The innermost dimension is that of the
/// channels, the outermost that of the images.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PixelColumn {
    /// Where the bounding box begins along each spatial dimension, from the first pixel of an image.
    pub lower: Vec<i16>,
    /// Where it ends, from the last pixel.
    pub upper: Vec<i16>,
    /// Channels of each pixel.
    pub channels: u32,
    /// The number of pixels.
    pub pixels: u32,
}

/// A tensor map without interleaving. Dimensions are in the order of their strides, the innermost first.
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
    /// What a copy moves.
    pub selected: TensorBox,
    /// Of each dimension, the distance of the elements that are copied. That of the innermost is ignored.
    pub steps: Vec<u32>,
    /// The swizzle.
    pub swizzle: TensorSwizzle,
    /// Whether elements out of bounds are NaN, instead of zero.
    pub fill_nan: bool,
}

impl TensorMap {
    /// The object of 128 bytes, as an argument or the contents of global memory.
    ///
    /// ```
    /// use tilewright_simulator::{TensorBox, TensorMap, TensorSwizzle};
    /// let map = TensorMap {
    ///     address: 0x1000,
    ///     element: "f16".to_owned(),
    ///     extents: vec![100, 30],
    ///     strides: vec![256],
    ///     selected: TensorBox::Tile(vec![64, 8]),
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
        let column;
        let (box_extents, corners): (&[u32], _) = match &self.selected {
            TensorBox::Tile(extents) if extents.len() == rank => (extents, None),
            TensorBox::Pixels(found) => {
                column = [found.channels, found.pixels];
                (&column, Some([(LOWER, &found.lower), (UPPER, &found.upper)]))
            }
            TensorBox::Tile(_) => return None,
        };
        let spatial = rank.checked_sub(2).filter(|spatial| *spatial > 0);
        let lengths = [self.strides.len() + 1, self.steps.len()];
        if rank == 0 || rank > RANK || lengths != [rank; 2] {
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
            (EXTENTS, self.extents.as_slice()),
            (BOX, box_extents),
            (STEPS, &self.steps),
        ] {
            for (field, value) in bytes[first..].chunks_exact_mut(4).zip(values) {
                field.copy_from_slice(&value.to_le_bytes());
            }
        }
        for (field, value) in bytes[STRIDES..].chunks_exact_mut(8).zip(&self.strides) {
            field.copy_from_slice(&value.to_le_bytes());
        }
        bytes[MODE] = u8::from(corners.is_some());
        for (first, corner) in corners.into_iter().flatten() {
            if spatial != Some(corner.len()) {
                return None;
            }
            for (field, value) in bytes[first..].chunks_exact_mut(2).zip(corner) {
                field.copy_from_slice(&value.to_le_bytes());
            }
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
        let corners = |first: usize| {
            let corner = |at| word(first + 2 * at, 2) as i16;
            (0..rank.saturating_sub(2)).map(corner).collect()
        };
        let selected = match bytes[MODE] {
            0 => TensorBox::Tile(extents(BOX)),
            _ => TensorBox::Pixels(PixelColumn {
                lower: corners(LOWER),
                upper: corners(UPPER),
                channels: word(BOX, 4) as u32,
                pixels: word(BOX + 4, 4) as u32,
            }),
        };
        let map = Self {
            address: word(ADDRESS, 8),
            element: name.to_owned(),
            extents: extents(EXTENTS),
            strides: (1..rank).map(|at| word(STRIDES + 8 * (at - 1), 8)).collect(),
            selected,
            steps: extents(STEPS),
            swizzle,
            fill_nan: bytes[FILL] == 1,
        };
        map.check().map_err(refuse)?;
        if let TensorBox::Pixels(_) = map.selected
            && map.steps[rank - 1] != 1
        {
            return Err(unsupported("an element stride along the images".to_owned()));
        }
        if map.pitch() != map.row_bytes() {
            return Err(unsupported(
                "a box whose rows are shorter than its swizzle".to_owned(),
            ));
        }
        Ok(map)
    }

    /// The rules of `cuTensorMapEncodeTiled` and `cuTensorMapEncodeIm2col`.
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
            within("an element stride", u64::from(self.steps[at]), 1, 8)?;
        }
        match &self.selected {
            TensorBox::Tile(extents) => {
                for extent in extents {
                    within("the box", u64::from(*extent), 1, 256)?;
                }
            }
            TensorBox::Pixels(column) => {
                within("the rank", self.extents.len() as u64, 3, RANK as u64)?;
                within("the number of channels", u64::from(column.channels), 1, 256)?;
                within("the number of pixels", u64::from(column.pixels), 1, 1024)?;
                // Of W, of H and W, of D, H and W.
                let end = [1 << 15, 1 << 7, 1 << 4][column.lower.len() - 1];
                for corner in column.lower.iter().chain(&column.upper) {
                    if !(-end..end).contains(&i32::from(*corner)) {
                        return Err(format!(
                            "a corner of its tensor map is {corner}, of -{end} to {}",
                            end - 1
                        ));
                    }
                }
            }
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

    /// Whether loads round numbers of type `f32`: to nearest, ties to even.
    pub(crate) fn rounds(&self) -> bool {
        self.element == ROUNDED
    }

    /// Bytes of a row of the box.
    pub(crate) fn row_bytes(&self) -> u64 {
        u64::from(self.row_elements()) * self.element_bytes()
    }

    /// Elements of a row: the extent of a box, or the channels of a pixel.
    pub(crate) fn row_elements(&self) -> u32 {
        match &self.selected {
            TensorBox::Tile(extents) => extents[0],
            TensorBox::Pixels(column) => column.channels,
        }
    }

    /// Bytes of an element.
    pub(crate) fn element_bytes(&self) -> u64 {
        self.element_type().0
    }

    /// Bytes from a row of the box to the next.
    fn pitch(&self) -> u64 {
        self.span().unwrap_or_else(|| self.row_bytes())
    }

    /// A row of elements out of bounds.
    pub(crate) fn fill(&self) -> Vec<u8> {
        let (size, _) = self.element_type();
        let mut element = vec![0; size as usize];
        if self.fill_nan {
            element.fill(0xff);
            element[size as usize - 1] = 0x7f;
        }
        element.repeat(self.row_elements() as usize)
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
