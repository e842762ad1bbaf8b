//! Field types of op declarations: the operations that printing, parsing and walking need of each.

use super::effects::Effects;
use super::entity::{Region, Successor, Value};
use super::family::{Family, Key};
use super::language::{FieldSpec, FieldWriter, Remap};
use super::part::Part;
use super::reader::Reader;
use super::term::{Keyword, Name, NamedTerm, TermCodec};
use super::tree::{OpTree, OperandTree};

/// A type that an op's declaration may use for a field.
pub trait Field: Sized {
    /// The words that it may be, if it is one of several.
    const KEYWORDS: &'static [Keyword] = &[];
    /// What it is about, if it is an attribute.
    const FAMILY: Option<Family> = None;
    /// The attributes in it, if it is a dictionary of known ones.
    const KEYS: &'static [Key] = &[];
    /// The fields that it stands for, if it is a group: see [`field_group!`](crate::field_group).
    const MEMBERS: &'static [FieldSpec] = &[];
    /// Effects that such a field may add to its op; see [`FieldEffects`].
    const EFFECTS: Effects = Effects::PURE;
    /// Refines the effects of an op by the value of this field.
    fn refine(&self, effects: Effects) -> Effects {
        effects
    }
    /// Visits the operands in it.
    fn operands(&self, _: &mut dyn FnMut(Value)) {}
    /// Visits the operands in it, each with its part; the field, or its first member, has this position.
    fn operand_parts(&self, position: usize, visit: &mut dyn FnMut(Part, Value)) {
        let mut entry = 0usize;
        self.operands(&mut |value| {
            visit(Part::field(position).entry(entry), value);
            entry = entry.saturating_add(1);
        });
    }
    /// Visits the regions in it.
    fn regions(&self, _: &mut dyn FnMut(Region)) {}
    /// Visits the branch targets in it.
    fn successors(&self, _: &mut dyn FnMut(&Successor)) {}
    /// Replaces the handles in it.
    fn remap(&mut self, _: &mut dyn Remap) {}
    /// The field with other operands; its regions and branch targets stay.
    #[must_use]
    fn with_operands(&self, new: &mut dyn FnMut(Value) -> Value) -> Self
    where
        Self: Clone,
    {
        let mut fields = self.clone();
        fields.remap(&mut Operands(new));
        fields
    }
    /// Writes it to the op's syntax tree.
    fn write(&self, name: &'static str, writer: &mut dyn FieldWriter, tree: &mut OpTree);
    /// Parses it; `None` after a reported error.
    fn read(name: &'static str, reader: &mut Reader<'_>) -> Option<Self>;
}

/// Replaces operands one by one.
struct Operands<'a>(&'a mut dyn FnMut(Value) -> Value);

impl Remap for Operands<'_> {
    fn value(&mut self, value: Value) -> Value {
        (self.0)(value)
    }
}

/// An attribute that determines effects of its op. Its type is declared `T: FieldEffects` in
/// [`attribute_field!`](crate::attribute_field) or [`keywords!`](crate::keywords).
pub trait FieldEffects {
    /// Effects that such an attribute may add to its op.
    const EFFECTS: Effects;
    /// Refines the declared effects of an op by the value of this attribute; it never adds any.
    fn refine(&self, effects: Effects) -> Effects;
}

/// A field's name in the text: that of the declaration, without the prefix of a raw identifier (`r#else`).
pub const fn field_name(declared: &'static str) -> &'static str {
    match declared.as_bytes() {
        [b'r', b'#', ..] => declared.split_at(2).1,
        _ => declared,
    }
}

/// How many fields of an op's declaration a field of this type stands for.
pub const fn field_count<F: Field>() -> usize {
    match F::MEMBERS.len() {
        0 => 1,
        members => members,
    }
}

/// The fields of a declaration, each group replaced by its members; `N` is the sum of their counts.
pub const fn flat_fields<const N: usize>(declared: &[(FieldSpec, &'static [FieldSpec])]) -> [FieldSpec; N] {
    let mut flat = [FieldSpec::NONE; N];
    let (mut group, mut member, mut at) = (0, 0, 0);
    while at < N {
        let (own, members) = declared[group];
        flat[at] = if members.is_empty() { own } else { members[member] };
        at += 1;
        member += 1;
        if member >= members.len() {
            (group, member) = (group + 1, 0);
        }
    }
    flat
}

/// A field without handles, which a record of attributes may hold.
pub trait AttributeField: Sized {
    /// The words that it may be, if it is one of several.
    const KEYWORDS: &'static [Keyword] = &[];
    /// What it is about.
    const FAMILY: Family = Family::Meaning;
    /// The attributes in it, if it is a dictionary of known ones.
    const KEYS: &'static [Key] = &[];
    /// Writes it to the attributes, unless it is absent.
    fn write_attr(&self, name: &'static str, attrs: &mut Vec<NamedTerm>);
    /// Parses it; `None` after a reported error.
    fn read_attr(name: &'static str, reader: &mut Reader<'_>) -> Option<Self>;
}

/// A Boolean property of an op.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Flag(pub bool);

impl AttributeField for Flag {
    fn write_attr(&self, name: &'static str, attrs: &mut Vec<NamedTerm>) {
        if self.0 {
            attrs.push(NamedTerm::flag(name));
        }
    }
    fn read_attr(name: &'static str, reader: &mut Reader<'_>) -> Option<Self> {
        reader.flag(name).map(Self)
    }
}

impl<T: TermCodec> AttributeField for Option<T> {
    const KEYWORDS: &'static [Keyword] = T::KEYWORDS;
    const FAMILY: Family = T::FAMILY;
    const KEYS: &'static [Key] = T::KEYS;
    fn write_attr(&self, name: &'static str, attrs: &mut Vec<NamedTerm>) {
        if let Some(value) = self {
            attrs.push(NamedTerm::new(name, value.write()));
        }
    }
    fn read_attr(name: &'static str, reader: &mut Reader<'_>) -> Option<Self> {
        reader.optional_attr(name)
    }
}

/// Makes types with a [`TermCodec`] usable as fields.
#[macro_export]
macro_rules! attribute_field {
    ($($ty:ty $(: $effects:ident)?),+ $(,)?) => {$(
        impl $crate::core::AttributeField for $ty {
            const KEYWORDS: &'static [$crate::core::Keyword] = <$ty as $crate::core::TermCodec>::KEYWORDS;
            const FAMILY: $crate::core::Family = <$ty as $crate::core::TermCodec>::FAMILY;
            const KEYS: &'static [$crate::core::Key] = <$ty as $crate::core::TermCodec>::KEYS;
            fn write_attr(&self, name: &'static str, attrs: &mut Vec<$crate::core::NamedTerm>) {
                attrs.push($crate::core::NamedTerm::new(name, $crate::core::TermCodec::write(self)));
            }
            fn read_attr(name: &'static str, reader: &mut $crate::core::Reader<'_>) -> Option<Self> {
                reader.attr(name)
            }
        }
        $crate::plain_field!($ty $(: $effects)?);
    )+};
}

/// Makes an [`AttributeField`] usable as a [`Field`] without handles.
#[macro_export]
macro_rules! plain_field {
    ($ty:ty $(: $effects:ident)?) => {
        impl $crate::core::Field for $ty {
            const KEYWORDS: &'static [$crate::core::Keyword] = <$ty as $crate::core::AttributeField>::KEYWORDS;
            const FAMILY: Option<$crate::core::Family> = Some(<$ty as $crate::core::AttributeField>::FAMILY);
            const KEYS: &'static [$crate::core::Key] = <$ty as $crate::core::AttributeField>::KEYS;
            $(
                const EFFECTS: $crate::core::Effects = <$ty as $crate::core::$effects>::EFFECTS;
                fn refine(&self, effects: $crate::core::Effects) -> $crate::core::Effects {
                    $crate::core::$effects::refine(self, effects)
                }
            )?
            fn write(
                &self,
                name: &'static str,
                _: &mut dyn $crate::core::FieldWriter,
                tree: &mut $crate::core::OpTree,
            ) {
                $crate::core::AttributeField::write_attr(self, name, &mut tree.attrs);
            }
            fn read(name: &'static str, reader: &mut $crate::core::Reader<'_>) -> Option<Self> {
                $crate::core::AttributeField::read_attr(name, reader)
            }
        }
    };
}

impl<T: TermCodec> Field for Option<T> {
    const KEYWORDS: &'static [Keyword] = T::KEYWORDS;
    const FAMILY: Option<Family> = Some(T::FAMILY);
    const KEYS: &'static [Key] = T::KEYS;
    fn write(&self, name: &'static str, _: &mut dyn FieldWriter, tree: &mut OpTree) {
        self.write_attr(name, &mut tree.attrs);
    }
    fn read(name: &'static str, reader: &mut Reader<'_>) -> Option<Self> {
        Self::read_attr(name, reader)
    }
}

plain_field!(Flag);
attribute_field!(
    u8,
    u16,
    u32,
    u64,
    i32,
    i64,
    bool,
    String,
    Vec<u32>,
    Vec<i64>,
    Vec<bool>,
    Vec<String>
);

impl Field for Value {
    fn operands(&self, visit: &mut dyn FnMut(Value)) {
        visit(*self);
    }
    fn operand_parts(&self, position: usize, visit: &mut dyn FnMut(Part, Value)) {
        visit(Part::field(position), *self);
    }
    fn remap(&mut self, map: &mut dyn Remap) {
        *self = map.value(*self);
    }
    fn write(&self, _: &'static str, writer: &mut dyn FieldWriter, tree: &mut OpTree) {
        tree.operands
            .push(OperandTree::Value(Name::new(writer.value(*self))));
    }
    fn read(name: &'static str, reader: &mut Reader<'_>) -> Option<Self> {
        reader.value(name)
    }
}

impl Field for Option<Value> {
    fn operands(&self, visit: &mut dyn FnMut(Value)) {
        if let Some(value) = self {
            visit(*value);
        }
    }
    fn operand_parts(&self, position: usize, visit: &mut dyn FnMut(Part, Value)) {
        if let Some(value) = self {
            visit(Part::field(position), *value);
        }
    }
    fn remap(&mut self, map: &mut dyn Remap) {
        *self = self.map(|value| map.value(value));
    }
    fn write(&self, name: &'static str, writer: &mut dyn FieldWriter, tree: &mut OpTree) {
        if let Some(value) = self {
            tree.operands.push(OperandTree::Named(
                Name::new(name),
                Name::new(writer.value(*value)),
            ));
        }
    }
    fn read(name: &'static str, reader: &mut Reader<'_>) -> Option<Self> {
        reader.optional_value(name)
    }
}

impl Field for Vec<Value> {
    fn operands(&self, visit: &mut dyn FnMut(Value)) {
        self.iter().copied().for_each(visit);
    }
    fn remap(&mut self, map: &mut dyn Remap) {
        map.values(self);
    }
    fn write(&self, _: &'static str, writer: &mut dyn FieldWriter, tree: &mut OpTree) {
        let names = self.iter().map(|v| Name::new(writer.value(*v))).collect();
        tree.operands.push(OperandTree::List(names, tree.name.mark));
    }
    fn read(name: &'static str, reader: &mut Reader<'_>) -> Option<Self> {
        reader.values(name)
    }
}

impl Field for Region {
    fn regions(&self, visit: &mut dyn FnMut(Region)) {
        visit(*self);
    }
    fn remap(&mut self, map: &mut dyn Remap) {
        *self = map.region(*self);
    }
    fn write(&self, name: &'static str, writer: &mut dyn FieldWriter, tree: &mut OpTree) {
        let region = writer.region(*self);
        tree.regions.push((Name::new(name), region));
    }
    fn read(name: &'static str, reader: &mut Reader<'_>) -> Option<Self> {
        reader.region(name)
    }
}

impl Field for Successor {
    fn operands(&self, visit: &mut dyn FnMut(Value)) {
        self.args.iter().copied().for_each(visit);
    }
    fn successors(&self, visit: &mut dyn FnMut(&Successor)) {
        visit(self);
    }
    fn remap(&mut self, map: &mut dyn Remap) {
        map.successor(self);
    }
    fn write(&self, _: &'static str, writer: &mut dyn FieldWriter, tree: &mut OpTree) {
        let args = self.args.iter().map(|v| Name::new(writer.value(*v))).collect();
        tree.operands
            .push(OperandTree::Successor(Name::new(writer.block(self.block)), args));
    }
    fn read(name: &'static str, reader: &mut Reader<'_>) -> Option<Self> {
        reader.successor(name)
    }
}
