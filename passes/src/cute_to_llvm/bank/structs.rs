//! How values of CuTe's algebra are packed.
//!
//! Every leaf is a field, static ones too. A tuple is a struct of its modes. A layout is a struct of extent and stride of each mode
//! in turn, where a nested mode is a struct of its own. A tensor in memory is its address and its layout; a tensor of coordinates,
//! a composed layout and a tile are structs of their parts. One integer is itself, and what has no leaves is no value.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Origin, Value};
use tilewright_irs::cute_types::{CuteType, DivisorWidth, Kind, Pointer, Space, ViewLayout};
use tilewright_irs::dialects::cute::machine_integer;
use tilewright_irs::element::ScalarType;
use tilewright_irs::literal::Literal;
use tilewright_irs::llvm::{AddressSpace, LlvmDialect, LlvmType, StructType};
use tilewright_layouts::cute::{
    Bits, Fact, LastOf, ModeOf, Nested, Scaled, SlotOf, Stride, TilerOf, TypeLayout,
};

use crate::cute_to_llvm::emit::{Cx, constant, unsupported};

/// The parts of a value.
#[derive(Clone, Debug)]
enum Parts {
    /// A leaf of the type, by its number among those of the text.
    Leaf(usize, Fact),
    /// An address.
    Address(AddressSpace),
    /// Parts together.
    Struct(Vec<Parts>),
}

/// A leaf of a type, where its struct has it.
#[derive(Clone, Debug)]
pub(super) struct Place {
    number: usize,
    fact: Fact,
    path: Vec<u32>,
}

/// How values of a type are packed.
#[derive(Clone, Debug)]
pub(super) struct Packing {
    /// The type; `None` if there is nothing to pack.
    pub(super) ty: Option<LlvmType>,
    /// The leaves in the order of the struct.
    places: Vec<Place>,
}

/// The address space of a pointer.
///
/// # Errors
/// There is none yet.
pub(super) fn space(pointer: &Pointer) -> Result<AddressSpace, Diagnostic<Origin>> {
    match pointer.space() {
        Space::Global => Ok(AddressSpace::Global),
        Space::Shared => Ok(AddressSpace::Shared),
        Space::Register => Ok(AddressSpace::Local),
        Space::Generic | Space::Tensor | Space::ClusterShared | Space::Constant => {
            let message = format!("a pointer to `{}` is not supported yet", pointer.space().word());
            Err(unsupported(Origin::FUNCTION, message))
        }
    }
}

/// The machine type of values of a type: one, or none.
pub(in super::super) fn types(ty: &CuteType) -> Result<Vec<LlvmType>, Diagnostic<Origin>> {
    Ok(Packing::of(ty)?.ty.into_iter().collect())
}

impl Packing {
    /// The packing of a type.
    pub(super) fn of(ty: &CuteType) -> Result<Self, Diagnostic<Origin>> {
        let mut places = Vec::new();
        let ty = parts(ty)?.pack(&mut Vec::new(), &mut places);
        Ok(Self { ty, places })
    }

    /// The type of the address that a value begins with, if it does.
    pub(super) fn address(&self) -> Option<LlvmType> {
        let first = match self.ty? {
            LlvmType::Struct(all) => all.fields().first().copied()?,
            ty => ty,
        };
        matches!(first, LlvmType::Ptr(_)).then_some(first)
    }

    /// The dynamic leaves in the order of the type's text, each with its path.
    pub(super) fn dynamic(&self) -> Vec<&Place> {
        let mut places: Vec<&Place> = self.places.iter().filter(|place| place.dynamic()).collect();
        places.sort_by_key(|place| place.number);
        places
    }

    /// The value with these dynamic leaves, in the order of the type's text; with an address in front if it has one.
    pub(super) fn pack(&self, cx: &mut Cx<'_>, address: Option<Value>, leaves: &[Value]) -> Option<Value> {
        let ty = self.ty?;
        let LlvmType::Struct(_) = ty else {
            // One integer, or an address alone.
            let fixed = || self.places.first().and_then(Place::literal);
            return address
                .or(leaves.first().copied())
                .or_else(|| Some(constant(cx, fixed()?)));
        };
        if let Some(values) = self.places.iter().map(Place::literal).collect::<Option<Vec<_>>>()
            && address.is_none()
        {
            return Some(cx.value(LlvmDialect::Constant { values }, ty));
        }
        let numbers: Vec<usize> = self.dynamic().iter().map(|place| place.number).collect();
        let mut whole = cx.value(LlvmDialect::Undef {}, ty);
        if let Some(value) = address {
            let (into, path) = (whole, vec![0]);
            whole = cx.value(LlvmDialect::InsertValue { value, into, path }, ty);
        }
        for place in &self.places {
            let dynamic = numbers.iter().position(|number| *number == place.number);
            let value = match (dynamic.and_then(|at| leaves.get(at)), place.literal()) {
                (Some(leaf), _) => *leaf,
                (None, Some(literal)) => constant(cx, literal),
                (None, None) => continue,
            };
            let (into, path) = (whole, place.path.clone());
            whole = cx.value(LlvmDialect::InsertValue { value, into, path }, ty);
        }
        Some(whole)
    }

    /// The dynamic leaves of a value, in the order of the type's text.
    pub(super) fn unpack(&self, cx: &mut Cx<'_>, value: Option<Value>) -> Vec<Value> {
        let Some(from) = value else { return Vec::new() };
        let dynamic = self.dynamic();
        let leaves = dynamic.into_iter().map(|place| match place.path.as_slice() {
            [] => from,
            path => {
                let path = path.to_vec();
                cx.value(
                    LlvmDialect::ExtractValue { from, path },
                    LlvmType::Scalar(place.scalar()),
                )
            }
        });
        leaves.collect()
    }
}

impl Place {
    fn dynamic(&self) -> bool {
        self.fact.value().is_none()
    }

    /// Its machine type.
    pub(super) fn scalar(&self) -> ScalarType {
        scalar(self.fact)
    }

    fn literal(&self) -> Option<Literal> {
        let value = self.fact.value()?;
        Some(Literal::new(self.scalar(), value.cast_unsigned()))
    }
}

/// The machine type of a leaf: a static one has 32 bits if these suffice.
fn scalar(fact: Fact) -> ScalarType {
    match fact.value() {
        Some(value) if i32::try_from(value).is_err() => ScalarType::I64,
        _ => machine_integer(fact),
    }
}

impl Parts {
    /// The machine type; `None` if there is nothing in it. Adds the leaves with their places; `path` is that of the part.
    fn pack(&self, path: &mut Vec<u32>, places: &mut Vec<Place>) -> Option<LlvmType> {
        match self {
            Self::Leaf(number, fact) => {
                places.push(Place {
                    number: *number,
                    fact: *fact,
                    path: path.clone(),
                });
                Some(LlvmType::Scalar(scalar(*fact)))
            }
            Self::Address(space) => Some(LlvmType::Ptr(*space)),
            Self::Struct(parts) => {
                let mut fields = Vec::with_capacity(parts.len());
                let mut next = 0;
                for part in parts {
                    path.push(next);
                    let field = part.pack(path, places);
                    path.pop();
                    next += u32::from(field.is_some());
                    fields.extend(field);
                }
                StructType::new(&fields).map(LlvmType::Struct)
            }
        }
    }
}

/// Numbers leaves in the order of the type's text.
#[derive(Default)]
struct Numbers(usize);

impl Numbers {
    fn next(&mut self) -> usize {
        self.0 += 1;
        self.0 - 1
    }

    fn tuple<T>(&mut self, tuple: &Nested<T>, fact: &impl Fn(&T) -> Option<Fact>) -> Parts {
        match tuple {
            Nested::Leaf(leaf) => match fact(leaf) {
                Some(fact) => Parts::Leaf(self.next(), fact),
                None => Parts::Struct(Vec::new()),
            },
            Nested::Tuple(modes) => Parts::Struct(modes.iter().map(|mode| self.tuple(mode, fact)).collect()),
        }
    }

    fn integers(&mut self, tuple: &Nested<Fact>) -> Parts {
        self.tuple(tuple, &|fact| Some(*fact))
    }

    fn layout(&mut self, layout: &TypeLayout) -> Parts {
        let count = layout.shape().leaves().count();
        let first = self.0;
        self.0 += 2 * count;
        let mut number = first;
        Parts::Struct(modes(layout.tree(), count, &mut number))
    }

    fn view_layout(&mut self, layout: &ViewLayout) -> Parts {
        match layout {
            ViewLayout::Plain(layout) => self.layout(layout),
            ViewLayout::Composed(composed) => {
                let mut parts = Vec::new();
                if let LastOf::Layout(layout) = composed.last() {
                    parts.push(self.layout(layout));
                }
                parts.push(self.integers(composed.offset()));
                parts.push(self.layout(composed.layout()));
                Parts::Struct(parts)
            }
        }
    }

    fn tiler(&mut self, tiler: &TilerOf<Fact>) -> Parts {
        match tiler {
            TilerOf::All => Parts::Struct(Vec::new()),
            TilerOf::Layout(layout) => self.layout(layout),
            TilerOf::Modes(modes) => Parts::Struct(modes.iter().map(|mode| self.tiler(mode)).collect()),
        }
    }
}

/// Extent and stride of each mode; the strides are `count` numbers behind the extents.
fn modes(tree: &Nested<ModeOf<Fact>>, count: usize, number: &mut usize) -> Vec<Parts> {
    match tree {
        Nested::Leaf(mode) => {
            let at = *number;
            *number += 1;
            let stride: &Scaled<Fact> = &mode.stride;
            vec![
                Parts::Leaf(at, mode.shape),
                Parts::Leaf(at + count, *stride.factor()),
            ]
        }
        Nested::Tuple(all) => {
            let fields = all.iter().flat_map(|mode| match mode {
                Nested::Leaf(_) => modes(mode, count, number),
                Nested::Tuple(_) => vec![Parts::Struct(modes(mode, count, number))],
            });
            fields.collect()
        }
    }
}

fn parts(ty: &CuteType) -> Result<Parts, Diagnostic<Origin>> {
    let mut numbers = Numbers::default();
    Ok(match ty.kind() {
        Kind::IntTuple(tuple) | Kind::Shape(tuple) | Kind::CoordIterator(tuple) => numbers.integers(tuple),
        Kind::Coord(coord) => numbers.tuple(coord, &|slot| match slot {
            SlotOf::At(fact) => Some(*fact),
            SlotOf::All => None,
        }),
        Kind::Stride(stride) => numbers.tuple(stride, &|scaled| Some(*scaled.factor())),
        Kind::Tile(tiler) => numbers.tiler(tiler),
        Kind::Layout(layout) => numbers.layout(layout),
        Kind::Composed(layout) => numbers.view_layout(layout),
        Kind::Pointer(pointer) => Parts::Address(space(pointer)?),
        Kind::View(view) => Parts::Struct(vec![
            Parts::Address(space(&view.pointer)?),
            numbers.view_layout(&view.layout),
        ]),
        Kind::CoordTensor(tensor) => Parts::Struct(vec![
            numbers.integers(&tensor.origin),
            numbers.layout(&tensor.layout),
        ]),
        Kind::Swizzle(_) | Kind::TiledCopy(_) | Kind::TiledMma(_) | Kind::Copy(_) | Kind::Mma(_) => {
            Parts::Struct(Vec::new())
        }
        // The number, the multiplier and the two shifts.
        Kind::FastDivisor(divisor) => {
            let number = match divisor.width {
                DivisorWidth::B32 => Bits::B32,
                DivisorWidth::B64 => Bits::B64,
            };
            let widths = [number, number, Bits::B8, Bits::B8];
            Parts::Struct(
                widths
                    .map(|width| Parts::Leaf(numbers.next(), Fact::opaque(width)))
                    .into(),
            )
        }
        Kind::Sparse(_)
        | Kind::DescriptorView(_)
        | Kind::Integer(_)
        | Kind::Descriptor(_)
        | Kind::Opaque(_) => {
            let message = format!("a value of type `{ty}` has no machine type yet");
            return Err(unsupported(Origin::FUNCTION, message));
        }
    })
}
