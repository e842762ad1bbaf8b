//! The bytes of an argument as a kernel takes them: the fields of its value as C lays out a struct, nested as the library nests
//! structs.

use tilewright_irs::cute_types::{CuteType, Kind, ViewLayout};
use tilewright_irs::mlir::Type;
use tilewright_layouts::cute::{Fact, LastOf, Leaf, Nested, SlotOf, Stride, TilerOf, TypeLayout};

use super::value::{Address, Field};
use super::{Packed, PackedAddress};

/// A struct, or a field.
enum Group {
    Field,
    Struct(Vec<Group>),
    /// A struct whose members are in the other order than the fields.
    Reversed(Vec<Group>),
}

/// The fields of a group of dynamic leaves: none, one alone, or a struct.
fn leaves(count: usize) -> Group {
    match count {
        1 => Group::Field,
        _ => Group::Struct((0..count).map(|_| Group::Field).collect()),
    }
}

fn tuple(tuple: &Nested<Fact>) -> Group {
    leaves(tuple.leaves().filter(|leaf| !leaf.is_static()).count())
}

fn layout(layout: &TypeLayout) -> Group {
    let stride = layout.stride();
    let strides = stride.leaves().filter(|stride| !stride.factor().is_static());
    Group::Struct(vec![tuple(&layout.shape()), leaves(strides.count())])
}

fn tiler(of: &TilerOf<Fact>) -> Group {
    match of {
        TilerOf::All => Group::Struct(Vec::new()),
        TilerOf::Layout(of) => layout(of),
        TilerOf::Modes(modes) => Group::Struct(modes.iter().map(tiler).collect()),
    }
}

/// Of a composed layout, the library has the layout first, then the offset and what is applied last: the reverse of the text.
fn view_layout(of: &ViewLayout) -> Group {
    match of {
        ViewLayout::Plain(of) => layout(of),
        ViewLayout::Composed(composed) => {
            let last = match composed.last() {
                LastOf::Swizzle(_) => Group::Struct(Vec::new()),
                LastOf::Layout(of) => layout(of),
            };
            Group::Reversed(vec![last, tuple(composed.offset()), layout(composed.layout())])
        }
    }
}

fn of_kind(kind: &Kind, fields: usize) -> Group {
    match kind {
        Kind::IntTuple(of) | Kind::Shape(of) | Kind::CoordIterator(of) => tuple(of),
        Kind::Coord(coord) => leaves(
            coord
                .leaves()
                .filter(|slot| matches!(slot, SlotOf::At(leaf) if !leaf.is_static()))
                .count(),
        ),
        Kind::Stride(stride) => leaves(stride.leaves().filter(|leaf| !leaf.factor().is_static()).count()),
        Kind::Tile(of) => tiler(of),
        Kind::Layout(of) => layout(of),
        Kind::Composed(of) => view_layout(of),
        Kind::View(view) => Group::Struct(vec![Group::Field, view_layout(&view.layout)]),
        Kind::CoordTensor(tensor) => Group::Struct(vec![tuple(&tensor.origin), layout(&tensor.layout)]),
        Kind::DescriptorView(view) => Group::Struct(vec![Group::Field, view_layout(&view.layout)]),
        Kind::Swizzle(_)
        | Kind::Pointer(_)
        | Kind::FastDivisor(_)
        | Kind::Sparse(_)
        | Kind::TiledCopy(_)
        | Kind::TiledMma(_)
        | Kind::Integer(_)
        | Kind::Copy(_)
        | Kind::Mma(_)
        | Kind::Descriptor(_)
        | Kind::Opaque(_) => leaves(fields),
    }
}

/// The bytes of a number, and its alignment.
fn number(bits: u128, width: u32) -> (Vec<u8>, usize) {
    let size = (width.div_ceil(8) as usize).next_power_of_two();
    let bytes = bits.to_le_bytes().into_iter().take(size).collect();
    (bytes, size)
}

/// Bytes that grow.
struct Writer {
    packed: Packed,
}

impl Writer {
    fn new() -> Self {
        let packed = Packed {
            bytes: Vec::new(),
            align: 1,
            addresses: Vec::new(),
        };
        Self { packed }
    }

    /// Goes on to the next multiple of an alignment.
    fn align(&mut self, align: usize) {
        let end = self.packed.bytes.len().next_multiple_of(align);
        self.packed.bytes.resize(end, 0);
        self.packed.align = self.packed.align.max(align);
    }

    fn address(&mut self, address: Address) {
        match address.base {
            None => self.packed.bytes.extend(address.offset.to_le_bytes()),
            Some(argument) => {
                self.packed.addresses.push(PackedAddress {
                    at: self.packed.bytes.len(),
                    argument,
                    offset: address.offset,
                });
                self.packed.bytes.extend([0; 8]);
            }
        }
    }

    fn field(&mut self, field: &Field) {
        match field {
            Field::Integer(integer) => {
                let (bytes, align) = number(integer.unsigned(), integer.width());
                self.align(align);
                self.packed.bytes.extend(bytes);
            }
            Field::Float(format, bits) => {
                let (bytes, align) = number(u128::from(*bits), format.ty().bits());
                self.align(align);
                self.packed.bytes.extend(bytes);
            }
            Field::Address(address) => {
                self.align(8);
                self.address(*address);
            }
            Field::Vector(elements) => {
                let mut inner = Self::new();
                elements.iter().for_each(|element| inner.field(element));
                // A vector is aligned to its size.
                self.align(inner.packed.bytes.len().next_power_of_two());
                self.packed.bytes.extend(inner.packed.bytes);
            }
            Field::Map(map) => {
                self.align(64);
                self.address(map.address);
                let words = map.words.iter().flat_map(|word| word.to_le_bytes());
                self.packed.bytes.extend(words);
            }
        }
    }

    /// Appends a struct.
    fn append(&mut self, mut inner: Self) {
        inner.align(inner.packed.align);
        self.align(inner.packed.align);
        let start = self.packed.bytes.len();
        self.packed.bytes.extend(inner.packed.bytes);
        let moved = inner.packed.addresses.into_iter().map(|address| PackedAddress {
            at: address.at + start,
            ..address
        });
        self.packed.addresses.extend(moved);
    }

    fn group(&mut self, group: &Group, fields: &mut std::slice::Iter<'_, Field>) {
        match group {
            Group::Field => {
                if let Some(field) = fields.next() {
                    self.field(field);
                }
            }
            Group::Struct(members) => {
                let mut inner = Self::new();
                members.iter().for_each(|member| inner.group(member, fields));
                self.append(inner);
            }
            Group::Reversed(members) => {
                let written = members.iter().map(|member| {
                    let mut one = Self::new();
                    one.group(member, fields);
                    one
                });
                let written: Vec<Self> = written.collect();
                let mut inner = Self::new();
                written.into_iter().rev().for_each(|member| inner.append(member));
                self.append(inner);
            }
        }
    }
}

/// The bytes of a value of this type; no bytes if its type says it all.
pub(super) fn packed(ty: &Type, fields: &[Field]) -> Packed {
    let group = match ty {
        Type::Cute(ty) => of_kind(CuteType::kind(ty), fields.len()),
        _ => leaves(fields.len()),
    };
    let mut writer = Writer::new();
    writer.group(&group, &mut fields.iter());
    writer.packed
}
