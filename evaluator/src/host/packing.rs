//! The bytes of an argument as a kernel takes them.

use tilewright_irs::cute_types::Passing;
use tilewright_irs::mlir::Type;

use super::value::{Address, Field};
use super::{Packed, PackedAddress};

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

    fn value(&mut self, passing: &Passing, fields: &[Field]) {
        match passing {
            Passing::Field(number) => {
                if let Some(field) = fields.get(*number) {
                    self.field(field);
                }
            }
            Passing::Struct(members) => {
                let mut inner = Self::new();
                members.iter().for_each(|member| inner.value(member, fields));
                self.append(inner);
            }
        }
    }
}

/// The bytes of a value of this type; no bytes if its type says it all.
pub(super) fn packed(ty: &Type, fields: &[Field]) -> Packed {
    let passing = match ty {
        Type::Cute(ty) => ty.kind().passing(fields.len()),
        _ => Passing::Struct((0..fields.len()).map(Passing::Field).collect()),
    };
    let mut writer = Writer::new();
    writer.value(&passing, fields);
    writer.packed
}
