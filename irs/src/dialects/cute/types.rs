//! Types of the layout algebra.

use std::fmt::Display;
use std::num::NonZeroU64;
use std::str::FromStr;

use tilewright_layouts::cute::{
    Composed, Coord, Int, IntTuple, Layout, Name, Slot, Swizzle, Symbol, Tiler, Width,
};

use crate::core::{Arg, Args, Term, TermCodec, TermError, TermKind};
use crate::dialects::cute_nvgpu::Atom;
use crate::element::ScalarType;

crate::keywords! {
    /// The memory that a pointer points to.
    pub enum CuteSpace {
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

/// A pointer: `cute.ptr<f16, smem, align<16>, S<3,4,3>>`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pointer {
    /// The element type.
    pub element: ScalarType,
    /// The memory.
    pub space: CuteSpace,
    /// The address is a multiple of this many bytes.
    pub align: u32,
    /// A swizzle of the byte address, applied at each access.
    pub swizzle: Swizzle,
}

/// A tensor in memory: pointer and layout.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct View {
    /// The address of the element of index 0.
    pub pointer: Pointer,
    /// The map from a coordinate to an index. For a plain layout its swizzle is the identity.
    pub layout: Composed,
}

/// A type of CuTe's layout algebra.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AlgebraType {
    /// A nested tuple of integers.
    IntTuple(IntTuple),
    /// A coordinate; `_` selects a whole mode.
    Coord(Coord),
    /// Extents.
    Shape(IntTuple),
    /// Strides.
    Stride(IntTuple),
    /// A tiler: the divisor of a layout.
    Tile(Tiler),
    /// A layout.
    Layout(Layout),
    /// A composition of a swizzle, an offset and a layout.
    ComposedLayout(Composed),
    /// A pointer.
    Pointer(Pointer),
    /// A tensor.
    Memref(View),
    /// The implementation of a copy or a product.
    Atom(Atom),
}

impl AlgebraType {
    /// The dynamic integers of a value, in the order of its run-time content: extents, an offset, strides.
    pub fn dynamic_leaves(&self) -> Vec<Int> {
        let mut leaves = Vec::new();
        match self {
            Self::IntTuple(tuple) | Self::Shape(tuple) | Self::Stride(tuple) => {
                tuple_leaves(tuple, &mut leaves)
            }
            Self::Coord(coord) => leaves.extend(coord.leaves().filter_map(|slot| match slot {
                Slot::At(int) if !int.is_static() => Some(int.clone()),
                Slot::At(_) | Slot::All => None,
            })),
            Self::Tile(tiler) => tiler_leaves(tiler, &mut leaves),
            Self::Layout(layout) => layout_leaves(layout, &mut leaves),
            Self::ComposedLayout(layout) => composed_leaves(layout, &mut leaves),
            Self::Memref(view) => composed_leaves(&view.layout, &mut leaves),
            Self::Pointer(_) | Self::Atom(_) => {}
        }
        leaves
    }

    /// Whether it is a plain pointer to global memory, which may be a kernel parameter.
    pub fn is_global_pointer(&self) -> bool {
        matches!(self, Self::Pointer(pointer)
            if pointer.space == CuteSpace::Global && pointer.swizzle.is_identity())
    }

    /// Whether the type determines its value.
    pub fn is_static(&self) -> bool {
        match self {
            Self::Pointer(_) | Self::Memref(_) => false,
            Self::Atom(_) => true,
            Self::IntTuple(_)
            | Self::Coord(_)
            | Self::Shape(_)
            | Self::Stride(_)
            | Self::Tile(_)
            | Self::Layout(_)
            | Self::ComposedLayout(_) => self.dynamic_leaves().is_empty(),
        }
    }
}

fn tuple_leaves(tuple: &IntTuple, leaves: &mut Vec<Int>) {
    leaves.extend(tuple.leaves().filter(|leaf| !leaf.is_static()).cloned());
}

fn layout_leaves(layout: &Layout, leaves: &mut Vec<Int>) {
    tuple_leaves(&layout.shape(), leaves);
    tuple_leaves(&layout.stride(), leaves);
}

fn composed_leaves(layout: &Composed, leaves: &mut Vec<Int>) {
    tuple_leaves(&layout.shape(), leaves);
    leaves.extend(Some(layout.offset().clone()).filter(|offset| !offset.is_static()));
    tuple_leaves(&layout.layout().stride(), leaves);
}

fn tiler_leaves(tiler: &Tiler, leaves: &mut Vec<Int>) {
    match tiler {
        Tiler::All => {}
        Tiler::Layout(layout) => layout_leaves(layout, leaves),
        Tiler::Modes(modes) => modes.iter().for_each(|mode| tiler_leaves(mode, leaves)),
    }
}

/// The integer type of an expression: the widest among its operands.
fn width(int: &Int) -> Width {
    match int {
        Int::Static(_) => Width::I32,
        Int::Dynamic(dynamic) => dynamic.width(),
    }
}

/// Renumbers the unknowns of a type from 0 and drops their definitions: only the divisor and the width of a leaf are
/// part of a type.
struct Sealing(u32);

impl Sealing {
    fn int(&mut self, int: &Int) -> Int {
        if int.is_static() {
            return int.clone();
        }
        let divisor = NonZeroU64::new(int.known_divisor()).unwrap_or(NonZeroU64::MIN);
        let symbol = Symbol::numbered(self.0);
        self.0 += 1;
        Int::from(symbol.divisible_by(divisor).of_width(width(int)))
    }

    fn tuple(&mut self, tuple: &IntTuple) -> IntTuple {
        tuple.map(&mut |leaf| self.int(leaf))
    }

    fn layout(&mut self, layout: &Layout) -> Option<Layout> {
        let shape = self.tuple(&layout.shape());
        Layout::new(shape, self.tuple(&layout.stride())).ok()
    }

    fn composed(&mut self, layout: &Composed) -> Option<Composed> {
        let shape = self.tuple(&layout.shape());
        let offset = self.int(layout.offset());
        let stride = self.tuple(&layout.layout().stride());
        Some(Composed::new(
            layout.swizzle(),
            offset,
            Layout::new(shape, stride).ok()?,
        ))
    }

    fn tiler(&mut self, tiler: &Tiler) -> Option<Tiler> {
        Some(match tiler {
            Tiler::All => Tiler::All,
            Tiler::Layout(layout) => Tiler::Layout(self.layout(layout)?),
            Tiler::Modes(modes) => {
                Tiler::Modes(modes.iter().map(|mode| self.tiler(mode)).collect::<Option<_>>()?)
            }
        })
    }
}

impl AlgebraType {
    /// The type that a value has after sealing: with renumbered unknowns. `None` if a shape and a stride are not
    /// congruent, which no value's type allows.
    pub fn sealed(&self) -> Option<Self> {
        let mut sealing = Sealing(0);
        Some(match self {
            Self::IntTuple(tuple) => Self::IntTuple(sealing.tuple(tuple)),
            Self::Shape(tuple) => Self::Shape(sealing.tuple(tuple)),
            Self::Stride(tuple) => Self::Stride(sealing.tuple(tuple)),
            Self::Coord(coord) => Self::Coord(coord.map(&mut |slot| match slot {
                Slot::All => Slot::All,
                Slot::At(int) => Slot::At(sealing.int(int)),
            })),
            Self::Tile(tiler) => Self::Tile(sealing.tiler(tiler)?),
            Self::Layout(layout) => Self::Layout(sealing.layout(layout)?),
            Self::ComposedLayout(layout) => Self::ComposedLayout(sealing.composed(layout)?),
            Self::Memref(view) => Self::Memref(View {
                pointer: view.pointer.clone(),
                layout: sealing.composed(&view.layout)?,
            }),
            Self::Pointer(_) | Self::Atom(_) => self.clone(),
        })
    }
}

fn text(value: &impl Display) -> Vec<Arg> {
    vec![Term::from(TermKind::Str(value.to_string())).into()]
}

fn parse<T: FromStr>(term: &Term, args: &[Arg], expected: &str) -> Result<T, TermError>
where
    T::Err: Display,
{
    let mut args = Args::new(term, args);
    let quoted = args.next(expected)?;
    let TermKind::Str(text) = &quoted.kind else {
        return Err(quoted.wrong(format!("{expected} in quotes")));
    };
    let value = text
        .parse()
        .map_err(|error| quoted.wrong(format!("{expected} ({error})")))?;
    args.finish()?;
    Ok(value)
}

/// A swizzle in the notation of CuTe's IR.
fn write_swizzle(swizzle: Swizzle) -> String {
    format!("S<{},{},{}>", swizzle.bits(), swizzle.base(), swizzle.shift())
}

fn write_layout(layout: &Composed) -> String {
    match layout.as_plain() {
        Some(plain) => plain.to_string(),
        None => format!(
            "{} o {} o {}",
            write_swizzle(layout.swizzle()),
            layout.offset(),
            layout.layout()
        ),
    }
}

/// Parses a quoted layout; the swizzle's name is `S` in CuTe's IR and `Sw` in CUTLASS's output.
fn read_layout(term: &Term) -> Result<Composed, TermError> {
    let TermKind::Str(text) = &term.kind else {
        return Err(term.wrong("a layout in quotes"));
    };
    let known = match text.strip_prefix("S<") {
        Some(rest) => format!("Sw<{rest}"),
        None => text.clone(),
    };
    known
        .parse()
        .map_err(|error| term.wrong(format!("a layout ({error})")))
}

impl Pointer {
    /// The pointer `offset` elements further, whose alignment may be smaller.
    #[must_use]
    pub fn after(&self, offset: &Int) -> Self {
        let bytes = u64::from(self.element.bytes().unwrap_or(1));
        let step = offset.known_divisor().saturating_mul(bytes);
        // The largest power of two that divides the distance; a distance of 0 changes nothing.
        let align = match step & step.wrapping_neg() {
            0 => self.align,
            power => self.align.min(u32::try_from(power).unwrap_or(u32::MAX)),
        };
        Self {
            align,
            ..self.clone()
        }
    }

    fn write(&self) -> Vec<Arg> {
        let mut args: Vec<Arg> = vec![self.element.write().into(), self.space.write().into()];
        if self.align != self.element.bytes().unwrap_or(1) {
            args.push(Term::call("align", vec![Term::int(self.align).into()]).into());
        }
        if self.swizzle != Swizzle::IDENTITY {
            let numbers = [
                i128::from(self.swizzle.bits()),
                i128::from(self.swizzle.base()),
                i128::from(self.swizzle.shift()),
            ];
            args.push(Term::call("S", numbers.map(|n| Term::int(n).into()).to_vec()).into());
        }
        args
    }

    /// Parses the element type, the space, and the optional alignment and swizzle. Also returns the first term after
    /// these.
    fn read<'a>(args: &mut Args<'a>) -> Result<(Self, Option<&'a Term>), TermError> {
        let element_term = args.next("an element type")?;
        let element = ScalarType::read(element_term)?;
        let Some(bytes) = element.bytes() else {
            return Err(element_term.wrong("an element type of whole bytes"));
        };
        let space = CuteSpace::read(args.next("a memory space")?)?;
        let mut pointer = Self {
            element,
            space,
            align: bytes,
            swizzle: Swizzle::IDENTITY,
        };
        while let Some(term) = args.next_if_any() {
            match term.as_call() {
                Some(("align", [align])) => {
                    pointer.align = align.value.to_int("a power of two")?;
                    if !pointer.align.is_power_of_two() {
                        return Err(align.value.wrong("a power of two"));
                    }
                }
                Some(("S", [bits, base, shift])) => {
                    let swizzle = Swizzle::new(
                        bits.value.to_int("a number of bits")?,
                        base.value.to_int("a number of bits")?,
                        shift.value.to_int("a number of bits")?,
                    );
                    pointer.swizzle = swizzle.map_err(|error| term.wrong(format!("a swizzle ({error})")))?;
                }
                _ => return Ok((pointer, Some(term))),
            }
        }
        Ok((pointer, None))
    }
}

impl TermCodec for AlgebraType {
    fn write(&self) -> Term {
        match self {
            Self::IntTuple(tuple) => Term::call("cute.int_tuple", text(tuple)),
            Self::Coord(coord) => Term::call("cute.coord", text(coord)),
            Self::Shape(shape) => Term::call("cute.shape", text(shape)),
            Self::Stride(stride) => Term::call("cute.stride", text(stride)),
            Self::Tile(tiler) => Term::call("cute.tile", text(tiler)),
            Self::Layout(layout) => Term::call("cute.layout", text(layout)),
            Self::ComposedLayout(layout) => Term::call("cute.composed_layout", text(&write_layout(layout))),
            Self::Pointer(pointer) => Term::call("cute.ptr", pointer.write()),
            Self::Memref(view) => {
                let mut args = view.pointer.write();
                args.extend(text(&write_layout(&view.layout)));
                Term::call("cute.memref", args)
            }
            Self::Atom(atom) => atom.write(),
        }
    }

    fn read(term: &Term) -> Result<Self, TermError> {
        let ty = read_algebra(term)?;
        ty.sealed().ok_or_else(|| term.wrong("a type of `cute`"))
    }
}

fn read_algebra(term: &Term) -> Result<AlgebraType, TermError> {
    use AlgebraType as Ty;
    let Some((word, list)) = term.as_call() else {
        return Err(term.wrong("a type of `cute`"));
    };
    match word {
        "cute.int_tuple" => parse(term, list, "a tuple of integers").map(Ty::IntTuple),
        "cute.coord" => parse(term, list, "a coordinate").map(Ty::Coord),
        "cute.shape" => parse(term, list, "a shape").map(Ty::Shape),
        "cute.stride" => parse(term, list, "a stride").map(Ty::Stride),
        "cute.tile" => parse(term, list, "a tile").map(Ty::Tile),
        "cute.layout" => parse(term, list, "a layout").map(Ty::Layout),
        "cute.composed_layout" => {
            let mut args = Args::new(term, list);
            let quoted = args.next("a swizzle, an offset and a layout")?;
            args.finish()?;
            let layout = read_layout(quoted)?;
            match layout.as_plain() {
                Some(_) => Err(quoted.wrong("a swizzle, an offset and a layout with ` o ` between them")),
                None => Ok(Ty::ComposedLayout(layout)),
            }
        }
        "cute.ptr" => {
            let mut args = Args::new(term, list);
            let (pointer, rest) = Pointer::read(&mut args)?;
            if let Some(rest) = rest {
                return Err(rest.wrong("`align<…>` or `S<…>`"));
            }
            args.finish()?;
            Ok(Ty::Pointer(pointer))
        }
        "cute.memref" => {
            let mut args = Args::new(term, list);
            let (pointer, rest) = Pointer::read(&mut args)?;
            let layout = read_layout(rest.ok_or_else(|| term.wrong("a layout in quotes"))?)?;
            args.finish()?;
            Ok(Ty::Memref(View { pointer, layout }))
        }
        _ => Atom::read(term)
            .map(Ty::Atom)
            .map_err(|error| match word.starts_with("cute_nvgpu.") {
                true => error,
                false => term.wrong("a type of `cute` or an atom of `cute_nvgpu`"),
            }),
    }
}

/// The low bits of an unknown's number hold the index of its leaf; a type has at most 4096 leaves.
const LEAF_BITS: u32 = 16;

/// The operand that an unknown belongs to, and the index of its dynamic leaf there.
pub fn operand_leaf(symbol: &Symbol) -> Option<(usize, usize)> {
    match symbol.name() {
        Name::Number(number) => Some((
            (number >> LEAF_BITS) as usize,
            (number & ((1 << LEAF_BITS) - 1)) as usize,
        )),
        Name::Named(_) => None,
    }
}

/// An unknown of an operand, renumbered to be distinct from those of other operands; see [`operand_leaf`].
fn apart(int: &Int, operand: u32) -> Int {
    let Int::Dynamic(dynamic) = int else {
        return int.clone();
    };
    match dynamic.as_symbol().map(|symbol| (symbol, symbol.name())) {
        Some((symbol, Name::Number(number))) => {
            let renamed = Symbol::numbered(operand << LEAF_BITS | number)
                .divisible_by(symbol.divisor())
                .of_width(symbol.width());
            Int::from(renamed)
        }
        _ => int.clone(),
    }
}

pub(super) fn apart_tuple(tuple: &IntTuple, operand: u32) -> IntTuple {
    tuple.map(&mut |leaf| apart(leaf, operand))
}

pub(super) fn apart_coord(coord: &Coord, operand: u32) -> Coord {
    coord.map(&mut |slot| match slot {
        Slot::All => Slot::All,
        Slot::At(int) => Slot::At(apart(int, operand)),
    })
}

pub(super) fn apart_layout(layout: &Layout, operand: u32) -> Option<Layout> {
    Layout::new(
        apart_tuple(&layout.shape(), operand),
        apart_tuple(&layout.stride(), operand),
    )
    .ok()
}

pub(super) fn apart_composed(layout: &Composed, operand: u32) -> Option<Composed> {
    let inner = apart_layout(layout.layout(), operand)?;
    Some(Composed::new(
        layout.swizzle(),
        apart(layout.offset(), operand),
        inner,
    ))
}

pub(super) fn apart_tiler(tiler: &Tiler, operand: u32) -> Option<Tiler> {
    Some(match tiler {
        Tiler::All => Tiler::All,
        Tiler::Layout(layout) => Tiler::Layout(apart_layout(layout, operand)?),
        Tiler::Modes(modes) => {
            let modes = modes.iter().map(|mode| apart_tiler(mode, operand));
            Tiler::Modes(modes.collect::<Option<_>>()?)
        }
    })
}
