//! Buffers: tiles in shared or tensor memory.

use tilewright_diagnostics::{counted, counted_as};
use tilewright_layouts::cute::{Composed, Int};
use tilewright_layouts::legality::{TMEM_COLUMNS, TMEM_LANES};
use tilewright_layouts::{Dim, LayoutError, LinearLayout};

use crate::core::{Arg, Args, Term, TermCodec, TermError, TermKind};
use crate::element::ScalarType;

/// Alignment of a stage in shared memory, in bytes.
const STAGE_ALIGN: u64 = 16;
/// The most elements of a stage: more than any memory holds.
const MAX_ELEMENTS: u64 = 1 << 24;

crate::keywords! {
    /// The memory that a buffer is in.
    pub enum Space {
        /// Shared memory of the block.
        Shared = "shared",
        /// Tensor memory of the multiprocessor: 128 lanes of 512 columns of 32 bits.
        Tensor = "tensor",
    }
}

/// The layout of one stage of a buffer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum BufferLayout {
    /// From place to element: from the offset in elements (shared memory), or from lane and column (tensor memory),
    /// to the coordinates, including the swizzle. Places that a view leaves out have a zero basis.
    Linear(LinearLayout),
    /// From element to offset in elements, in CuTe's notation: for extents that are padded or not powers of two.
    /// Shared memory only.
    Cute(Composed),
}

/// A tile in shared or tensor memory, or a ring of them (stages): `buffer<64x32xf16, shared, linear<offset = […],
/// shape = [64, 32]>, stages = 4>`; or a slice of one: `buffer<64x16xf16, shared, linear<…, shape = [64, 32]>,
/// at = [0, 16]>`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Buffer {
    /// The element type.
    pub element: ScalarType,
    /// The extents of one stage.
    pub shape: Vec<u32>,
    /// The memory.
    pub space: Space,
    /// The layout of a stage; of a slice, the layout of the whole tile that it is cut from.
    pub layout: BufferLayout,
    /// The number of stages, stored one after the other.
    pub stages: u32,
    /// For a slice, the position of its box in the tile that `layout` stores; empty for a whole tile.
    pub at: Vec<u32>,
}

impl Buffer {
    /// A buffer of one stage in shared memory; `memory` maps its offsets to coordinates.
    pub fn shared(element: ScalarType, memory: LinearLayout) -> Self {
        Self {
            element,
            shape: memory.shape(),
            space: Space::Shared,
            layout: BufferLayout::Linear(memory),
            stages: 1,
            at: Vec::new(),
        }
    }

    /// Bits of an element in memory.
    pub fn element_bits(&self) -> u32 {
        self.element
            .bytes()
            .map_or_else(|| self.element.bits(), |bytes| 8 * bytes)
    }

    /// Bytes from one stage to the next in shared memory; 0 for a buffer in tensor memory.
    pub fn stage_bytes(&self) -> u64 {
        let places = match &self.layout {
            BufferLayout::Linear(layout) => 1 << layout.in_bits(Dim::Offset),
            BufferLayout::Cute(layout) => match layout.cosize() {
                Ok(Int::Static(places)) => places,
                Ok(_) | Err(_) => 0,
            },
        };
        match self.space {
            Space::Shared => {
                let bits = u64::from(self.element_bits()).saturating_mul(places);
                let bytes = bits.div_ceil(8);
                if self.stages > 1 {
                    bytes.next_multiple_of(STAGE_ALIGN)
                } else {
                    bytes
                }
            }
            Space::Tensor => 0,
        }
    }

    /// Size of all stages in shared memory, in bytes.
    pub fn bytes(&self) -> u64 {
        self.stage_bytes().saturating_mul(u64::from(self.stages))
    }

    /// Size of all stages in tensor memory, in columns; 0 for a buffer in shared memory.
    pub fn columns(&self) -> u64 {
        match (&self.layout, self.space) {
            (BufferLayout::Linear(layout), Space::Tensor) => {
                u64::from(layout.in_size(Dim::TmemColumn)).saturating_mul(u64::from(self.stages))
            }
            (BufferLayout::Linear(_) | BufferLayout::Cute(_), Space::Shared | Space::Tensor) => 0,
        }
    }

    /// Whether the buffer is a slice: a box of a larger tile.
    pub fn is_slice(&self) -> bool {
        !self.at.is_empty()
    }

    /// Whether a stage can hold this buffer and the other one in turn: both are whole, of one size and element type, with linear
    /// layouts.
    pub fn shares_bytes_with(&self, other: &Self) -> bool {
        let whole = |buffer: &Self| buffer.linear().is_some() && !buffer.is_slice();
        whole(self)
            && whole(other)
            && (self.space, self.element, self.bytes()) == (other.space, other.element, other.bytes())
    }

    /// The map from positions of `tile`, a layout with the buffer's extents, to offsets in elements; and the offset of
    /// a slice's first element, to be combined with each of them by exclusive or. `None` for a buffer with a CuTe
    /// layout.
    ///
    /// # Errors
    /// The tile has other extents.
    pub fn offsets_of(&self, tile: &LinearLayout) -> Result<Option<(LinearLayout, u32)>, LayoutError> {
        let Some(memory) = self.linear() else {
            return Ok(None);
        };
        let inverse = memory.pseudo_inverse()?;
        let offsets = self.in_whole(tile)?.compose(&inverse)?;
        let at: Vec<(Dim, u32)> = (0..).map(Dim::Axis).zip(self.at.iter().copied()).collect();
        Ok(Some((offsets, inverse.apply(&at).iter().sum())))
    }

    /// Embeds `tile`, a layout with the buffer's extents, in the tile that `layout` stores, as that tile's first box.
    ///
    /// # Errors
    /// The tile has other extents.
    pub fn in_whole(&self, tile: &LinearLayout) -> Result<LinearLayout, LayoutError> {
        let whole = self.linear().filter(|_| self.is_slice()).map(LinearLayout::shape);
        let axes = (0..).map(Dim::Axis).zip(whole.into_iter().flatten());
        axes.into_iter()
            .try_fold(tile.clone(), |tile, (axis, extent)| tile.resize_out(axis, extent))
    }

    /// The linear layout from places to coordinates; `None` if the layout is CuTe's.
    pub fn linear(&self) -> Option<&LinearLayout> {
        match &self.layout {
            BufferLayout::Linear(layout) => Some(layout),
            BufferLayout::Cute(_) => None,
        }
    }

    /// Whether the layout is a bijection: required of an allocation, not of a view.
    pub fn is_whole(&self) -> bool {
        match &self.layout {
            BufferLayout::Linear(layout) => layout.is_invertible() && !self.is_slice(),
            BufferLayout::Cute(_) => true,
        }
    }

    /// The type of one stage of the buffer.
    pub fn stage(&self) -> Self {
        Self {
            stages: 1,
            ..self.clone()
        }
    }

    /// The buffer with its axes permuted: axis `i` of the result is axis `permutation[i]` of this buffer.
    ///
    /// # Errors
    /// A message for the user: not a permutation of the axes, or the modes of a CuTe layout do not match them.
    pub fn permuted(&self, permutation: &[usize]) -> Result<Self, String> {
        let mut sorted = permutation.to_vec();
        sorted.sort_unstable();
        if !sorted.iter().copied().eq(0..self.shape.len()) {
            return Err(format!(
                "{permutation:?} is not a permutation of {}",
                counted_as(self.shape.len(), "axis", "axes")
            ));
        }
        let permute = |list: &[u32]| -> Vec<u32> {
            let axes = permutation.iter();
            axes.filter_map(|&axis| list.get(axis).copied()).collect()
        };
        let layout = match &self.layout {
            BufferLayout::Linear(layout) => {
                BufferLayout::Linear(layout.permute_axes(permutation).map_err(|e| e.to_string())?)
            }
            BufferLayout::Cute(_) => {
                return Err(
                    "the axes of a CuTe layout are written in their order; change the layout".to_owned(),
                );
            }
        };
        Ok(Self {
            shape: permute(&self.shape),
            at: permute(&self.at),
            layout,
            ..self.clone()
        })
    }

    /// The buffer of the same elements in row-major order under another shape.
    ///
    /// # Errors
    /// A message for the user: the layout is not linear, or the number of elements changes.
    pub fn reshaped(&self, shape: &[u32]) -> Result<Self, String> {
        let Some(layout) = self.linear().filter(|_| !self.is_slice()) else {
            return Err("only a whole buffer with a linear layout is reshaped".to_owned());
        };
        let layout = layout.reshape_outs(shape).map_err(|error| error.to_string())?;
        Ok(Self {
            shape: shape.to_vec(),
            layout: BufferLayout::Linear(layout),
            ..self.clone()
        })
    }

    /// The box of extents `shape` at `offsets`, which are multiples of the extents (powers of two).
    ///
    /// # Errors
    /// A message for the user: there are several stages, the layout is not linear, or the box does not lie in the
    /// buffer at a multiple of its extents.
    pub fn slice(&self, offsets: &[u32], shape: &[u32]) -> Result<Self, String> {
        if shape == self.shape && offsets.iter().all(|&offset| offset == 0) {
            return Ok(self.clone());
        }
        if self.linear().is_none() || self.space != Space::Shared {
            return Err("only a buffer in shared memory with a linear layout has slices".to_owned());
        }
        if self.stages != 1 {
            return Err(format!("a slice is of one stage, the buffer has {}", self.stages));
        }
        if !lies_in(offsets, shape, &self.shape) {
            return Err(format!(
                "a slice of {shape:?} at {offsets:?} does not lie in {:?} at a multiple of its extents",
                self.shape
            ));
        }
        let at = match self.is_slice() {
            true => self
                .at
                .iter()
                .zip(offsets)
                .map(|(at, offset)| at + offset)
                .collect(),
            false => offsets.to_vec(),
        };
        Ok(Self {
            shape: shape.to_vec(),
            at,
            ..self.clone()
        })
    }

    /// Checks the invariants of the type.
    fn check(&self) -> Result<(), String> {
        if self.stages == 0 || self.stages > 1 << 16 {
            return Err(format!("{} stages; there are 1 to 65536", self.stages));
        }
        let count: u64 = self.shape.iter().map(|&n| u64::from(n)).product();
        if count == 0 || count > MAX_ELEMENTS {
            return Err(format!(
                "a stage of {count} elements; there are 1 to {MAX_ELEMENTS}"
            ));
        }
        match (&self.layout, self.space) {
            (BufferLayout::Linear(layout), space) => {
                let (allowed, places): (&[Dim], _) = match space {
                    Space::Shared => (&[Dim::Offset], "`offset`"),
                    Space::Tensor => (&[Dim::TmemLane, Dim::TmemColumn], "`tmem_lane` and `tmem_column`"),
                };
                if let Some((dim, _)) = layout.in_dims().find(|(dim, _)| !allowed.contains(dim)) {
                    return Err(format!("a layout from {places}; this one is from `{dim}`"));
                }
                let whole = layout.shape();
                if self.is_slice() {
                    if space == Space::Tensor || self.stages != 1 || !lies_in(&self.at, &self.shape, &whole) {
                        return Err(format!(
                            "a slice of one stage in shared memory that lies in {whole:?} at a multiple of its extents"
                        ));
                    }
                } else if whole != self.shape {
                    return Err(format!("a layout of shape {:?}", self.shape));
                }
                if !layout.is_surjective() {
                    return Err("a layout that has a place for every element".to_owned());
                }
                let (lanes, columns) = (layout.in_size(Dim::TmemLane), layout.in_size(Dim::TmemColumn));
                if lanes > TMEM_LANES || columns > TMEM_COLUMNS {
                    return Err(format!(
                        "at most {TMEM_LANES} lanes and {TMEM_COLUMNS} columns, not {lanes} and {columns}"
                    ));
                }
                Ok(())
            }
            (BufferLayout::Cute(_), Space::Tensor) => Err("a linear layout for tensor memory".to_owned()),
            (BufferLayout::Cute(_), Space::Shared) if self.is_slice() => {
                Err("a linear layout for a slice".to_owned())
            }
            (BufferLayout::Cute(layout), Space::Shared) => {
                let size = layout
                    .size()
                    .map_err(|e| format!("a CuTe layout with a size ({e})"))?;
                if size != Int::Static(count) {
                    return Err(format!(
                        "a CuTe layout of {}, not {size}",
                        counted(count, "element")
                    ));
                }
                match layout.cosize() {
                    Ok(Int::Static(places)) if places <= MAX_ELEMENTS => Ok(()),
                    Ok(places) => Err(format!(
                        "a CuTe layout of at most {MAX_ELEMENTS} places, not {places}"
                    )),
                    Err(error) => Err(format!("a CuTe layout with static strides ({error})")),
                }
            }
        }
    }
}

/// Whether the box of extents `shape` at `offsets` lies in a tile of extents `whole` at a multiple of its own extents,
/// which are powers of two.
fn lies_in(offsets: &[u32], shape: &[u32], whole: &[u32]) -> bool {
    let axes = offsets.iter().zip(shape).zip(whole);
    offsets.len() == whole.len()
        && shape.len() == whole.len()
        && axes.into_iter().all(|((&at, &n), &whole)| {
            n.is_power_of_two() && at.is_multiple_of(n) && at.checked_add(n).is_some_and(|end| end <= whole)
        })
}

impl TermCodec for Buffer {
    fn write(&self) -> Term {
        let extents = self.shape.iter().map(|&n| Some(u64::from(n))).collect();
        let element = TermKind::Dims(extents, Box::new(self.element.write()));
        let layout = match &self.layout {
            BufferLayout::Linear(layout) => layout.write(),
            BufferLayout::Cute(layout) => layout.write(),
        };
        let mut args: Vec<Arg> = vec![
            Term::from(element).into(),
            self.space.write().into(),
            layout.into(),
        ];
        if self.stages != 1 {
            args.push(Arg::named("stages", Term::int(self.stages)));
        }
        if self.is_slice() {
            args.push(Arg::named("at", Term::ints(&self.at)));
        }
        Term::call("buffer", args)
    }

    fn read(term: &Term) -> Result<Self, TermError> {
        let Some(("buffer", args)) = term.as_call() else {
            return Err(term.wrong("`buffer<…>`"));
        };
        let mut args = Args::new(term, args);
        let dims = args.next("extents and an element type")?;
        let TermKind::Dims(extents, element) = &dims.kind else {
            return Err(dims.wrong("extents and an element type, such as `64x32xf16`"));
        };
        let shape = extents
            .iter()
            .map(|extent| extent.and_then(|n| u32::try_from(n).ok()).filter(|&n| n > 0))
            .collect::<Option<Vec<u32>>>()
            .ok_or_else(|| dims.wrong("extents that are known and positive"))?;
        let element = ScalarType::read(element)?;
        let space = Space::read(args.next("`shared` or `tensor`")?)?;
        let layout_term = args.next("a layout")?;
        let layout = match layout_term.as_call() {
            Some(("cute", _)) => BufferLayout::Cute(Composed::read(layout_term)?),
            _ => BufferLayout::Linear(LinearLayout::read(layout_term)?),
        };
        let stages = match args.named("stages") {
            Some(count) => count.to_int("a number of stages")?,
            None => 1,
        };
        let at = match args.named("at") {
            Some(list) => list.to_ints("the start of a slice: one number an axis")?,
            None => Vec::new(),
        };
        args.finish()?;
        let buffer = Self {
            element,
            shape,
            space,
            layout,
            stages,
            at,
        };
        buffer.check().map_err(|expected| layout_term.wrong(expected))?;
        Ok(buffer)
    }
}
