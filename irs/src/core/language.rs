//! The `Language` trait: types, ops, tags and function attributes.

use std::fmt::Debug;
use std::hash::Hash;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::body::Func;
use super::effects::Effects;
use super::element::ElementType;
use super::entity::{Block, Region, Successor, Value};
use super::family::{Family, Key};
use super::part::Part;
use super::problems::Problems;
use super::properties::{Properties, TypeRule};
use super::reader::Reader;
use super::term::{Keyword, NamedTerm, TermCodec};
use super::tree::{OpTree, RegionTree};

/// A list that is usually short; up to four entries are stored in place.
pub type Few<T> = SmallVec<[T; 4]>;

/// A language of the pipeline.
pub trait Language: Clone + Copy + Debug + Default + Eq + Hash + Send + Sync + 'static {
    /// The language's name, as on the command line.
    const NAME: &'static str;
    /// The type of a value.
    type Type: ValueType;
    /// The ops.
    type Op: Operation;
    /// The data recorded for every op.
    type Tag: Tag;
    /// The attributes of a function.
    type FuncAttrs: Attributes;

    /// The attributes of its modules, by what has them.
    const MODULE: &'static [Owned] = &[];
    /// Whether the language's own rules can be checked in a function that violates the common ones, so that one run
    /// reports more.
    const CHECKS_BROKEN: bool = false;
    /// Whether bodies say which values of the kernel's source theirs hold: up to the language that still has tiles.
    const FOLLOWS_VALUES: bool = false;

    /// Checks the language's rules beyond the declarations.
    fn verify(func: &Func<Self>, problems: &mut Problems);
}

/// The type of a value.
pub trait ValueType: TermCodec + Clone + Debug + Eq + Hash + Send + Sync + 'static {
    /// The parameters of types that have names, by the word that a type begins with.
    const PARAMETERS: &'static [Owned] = &[];
    /// The element type, if values of this type have elements.
    fn element(&self) -> Option<ElementType>;
    /// The same container with elements of another type.
    fn with_element(&self, element: ElementType) -> Self;
    /// Whether a value of this type is one element rather than a container.
    fn is_single(&self) -> bool;
    /// The type without facts.
    fn bare(&self) -> Self {
        self.clone()
    }
}

/// Data that a language records for every op, printed among the op's attributes.
pub trait Tag: Clone + Debug + Default + Eq + Hash + Send + Sync + 'static {
    /// The tag's attributes.
    const SPECS: &'static [FieldSpec] = &[];
    /// The tag as attributes.
    fn write(&self, attrs: &mut Vec<NamedTerm>);
    /// Parses the tag's attributes.
    fn read(reader: &mut Reader<'_>) -> Self;
}

impl Tag for () {
    fn write(&self, _: &mut Vec<NamedTerm>) {}
    fn read(_: &mut Reader<'_>) -> Self {}
}

/// A record of attributes.
pub trait Attributes: Clone + Debug + Eq + Hash + Send + Sync + 'static {
    /// The record as attributes, defaults left out.
    fn write(&self, attrs: &mut Vec<NamedTerm>);
    /// Parses the record's attributes; the reader reports missing ones.
    fn read(reader: &mut Reader<'_>) -> Option<Self>;
    /// Name, type and description of each attribute.
    const SPECS: &'static [FieldSpec];

    /// The attribute of this name as a part; the function as a whole if there is none.
    fn part(name: &str) -> Part {
        let attribute = Self::SPECS.iter().position(|spec| spec.name == name);
        attribute.map_or(Part::Op, Part::field)
    }
}

/// A map of the handles of an op, for a pass or a renumbering. Regions and blocks stay unless it says otherwise.
pub trait Remap {
    /// The new handle of a value.
    fn value(&mut self, value: Value) -> Value;
    /// The new handles of a list of values, which may differ in number.
    fn values(&mut self, values: &mut Vec<Value>) {
        for value in values {
            *value = self.value(*value);
        }
    }
    /// The new handle of a region.
    fn region(&mut self, region: Region) -> Region {
        region
    }
    /// The new handle of a block.
    fn block(&mut self, block: Block) -> Block {
        block
    }
    /// The new handles of a branch target.
    fn successor(&mut self, successor: &mut Successor) {
        successor.block = self.block(successor.block);
        self.values(&mut successor.args);
    }
}

/// The number of an op's results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ResultCount {
    /// Exactly this many.
    Exactly(usize),
    /// Any number.
    Any,
}

/// The attributes of something that is no op: of a type, by the word that it begins with, or of a part of a module.
#[derive(Clone, Copy, Debug)]
pub struct Owned {
    /// What has them.
    pub owner: &'static str,
    /// The attributes.
    pub fields: &'static [FieldSpec],
}

/// Declares attributes of types and modules: `"memref" { align in Assumption: u64 "what it means", … }`.
#[macro_export]
macro_rules! owned {
    ($($owner:literal { $($name:ident in $family:ident: $ty:ty, $doc:literal;)+ })+) => {
        &[$($crate::core::Owned {
            owner: $owner,
            fields: &[$($crate::core::FieldSpec::of::<$ty>(
                stringify!($name),
                stringify!($ty),
                $doc,
                $crate::core::Family::$family,
            )),+],
        }),+]
    };
}

/// One field of a declaration.
#[derive(Clone, Copy, Debug)]
pub struct FieldSpec {
    /// The field's name.
    pub name: &'static str,
    /// The field's Rust type, as declared.
    pub ty: &'static str,
    /// The field's documentation.
    pub doc: &'static str,
    /// The words that it may be, if it is one of several.
    pub keywords: &'static [Keyword],
    /// What it is about; `None` if it is an operand, a region or a branch target.
    pub family: Option<Family>,
    /// The attributes in it, if it is a dictionary of known ones.
    pub keys: &'static [Key],
}

impl FieldSpec {
    /// No field.
    pub(super) const NONE: Self = Self {
        name: "",
        ty: "",
        doc: "",
        keywords: &[],
        family: None,
        keys: &[],
    };

    /// An attribute that no declaration macro declares.
    pub const fn of<T: TermCodec>(
        name: &'static str,
        ty: &'static str,
        doc: &'static str,
        family: Family,
    ) -> Self {
        Self {
            name,
            ty,
            doc,
            keywords: T::KEYWORDS,
            family: Some(family),
            keys: T::KEYS,
        }
    }
}

/// An op's declaration as data.
#[derive(Clone, Copy, Debug)]
pub struct OpSpec {
    /// The mnemonic, with its dialect.
    pub name: &'static str,
    /// The op's documentation.
    pub doc: &'static str,
    /// The fields in the order of the declaration, each group replaced by its members.
    pub fields: &'static [FieldSpec],
    /// The number of results.
    pub results: ResultCount,
    /// Upper bound of its effects, and its other properties.
    pub properties: Properties,
    /// The rule for its types.
    pub rule: TypeRule,
}

/// The declarations of several dialects or languages; `N` is the sum of their lengths.
pub const fn joined_specs<const N: usize>(parts: &[&'static [&'static [OpSpec]]]) -> [&'static [OpSpec]; N] {
    let mut joined: [&'static [OpSpec]; N] = [&[]; N];
    let (mut part, mut within, mut at) = (0, 0, 0);
    while at < N {
        if within < parts[part].len() {
            joined[at] = parts[part][within];
            (within, at) = (within + 1, at + 1);
        } else {
            (part, within) = (part + 1, 0);
        }
    }
    joined
}

/// The ops of a language or of a dialect, implemented by the declaration macros.
pub trait Operation: Clone + Debug + Eq + Hash + Send + Sync + Sized + 'static {
    /// The declarations, by dialects.
    const SPECS: &'static [&'static [OpSpec]];
    /// The op's declaration.
    fn spec(&self) -> &'static OpSpec;
    /// The op's effects, refined by its attributes, without those of its regions.
    fn effects(&self) -> Effects;
    /// Visits the operands in textual order, including branch arguments.
    fn operands(&self, visit: &mut dyn FnMut(Value));
    /// Visits the operands in textual order, each with its part.
    fn operand_parts(&self, visit: &mut dyn FnMut(Part, Value));
    /// Visits the regions in textual order.
    fn regions(&self, visit: &mut dyn FnMut(Region));
    /// Visits the blocks that the op may branch to.
    fn successors(&self, visit: &mut dyn FnMut(&Successor));
    /// Replaces every handle.
    fn remap(&mut self, map: &mut dyn Remap);
    /// Writes the fields to the op's syntax tree; regions are left as handles for the caller.
    fn write(&self, writer: &mut dyn FieldWriter, tree: &mut OpTree);
    /// Parses the op named `name`. `None` if there is no such op, `Some(None)` if its fields are malformed (the
    /// reader has reported them).
    fn read(name: &str, reader: &mut Reader<'_>) -> Option<Option<Self>>;

    /// Every declaration.
    fn specs() -> Vec<&'static OpSpec> {
        Self::SPECS.iter().copied().flatten().collect()
    }

    /// The mnemonic, with its dialect.
    fn name(&self) -> &'static str {
        self.spec().name
    }

    /// Whether the op ends its block.
    fn is_terminator(&self) -> bool {
        self.spec().properties.effects.is_terminator()
    }

    /// Whether an op whose results are unused may be removed, or repeated.
    fn is_pure(&self) -> bool {
        self.effects().is_pure()
    }

    /// The operands, collected.
    fn operand_list(&self) -> Few<Value> {
        let mut list = Few::new();
        self.operands(&mut |v| list.push(v));
        list
    }

    /// The operands without branch arguments.
    fn own_operands(&self) -> Few<Value> {
        let mut passed: FxHashMap<Value, usize> = FxHashMap::default();
        self.successors(&mut |successor| {
            for &arg in &successor.args {
                *passed.entry(arg).or_default() += 1;
            }
        });
        let mut list = self.operand_list();
        if passed.is_empty() {
            return list;
        }
        list.retain(|value| match passed.get_mut(value) {
            Some(times @ 1..) => {
                *times -= 1;
                false
            }
            _ => true,
        });
        list
    }

    /// The regions, collected.
    fn region_list(&self) -> Few<Region> {
        let mut list = Few::new();
        self.regions(&mut |r| list.push(r));
        list
    }
}

/// Ops that are much larger than the others of their language are kept in boxes.
impl<T: Operation> Operation for Box<T> {
    const SPECS: &'static [&'static [OpSpec]] = T::SPECS;
    fn spec(&self) -> &'static OpSpec {
        (**self).spec()
    }
    fn effects(&self) -> Effects {
        (**self).effects()
    }
    fn operands(&self, visit: &mut dyn FnMut(Value)) {
        (**self).operands(visit);
    }
    fn operand_parts(&self, visit: &mut dyn FnMut(Part, Value)) {
        (**self).operand_parts(visit);
    }
    fn regions(&self, visit: &mut dyn FnMut(Region)) {
        (**self).regions(visit);
    }
    fn successors(&self, visit: &mut dyn FnMut(&Successor)) {
        (**self).successors(visit);
    }
    fn remap(&mut self, map: &mut dyn Remap) {
        (**self).remap(map);
    }
    fn write(&self, writer: &mut dyn FieldWriter, tree: &mut OpTree) {
        (**self).write(writer, tree);
    }
    fn read(name: &str, reader: &mut Reader<'_>) -> Option<Option<Self>> {
        T::read(name, reader).map(|op| op.map(Self::new))
    }
}

/// Names of values, blocks and regions, for fields to write.
pub trait FieldWriter {
    /// The name of a value, without its `%`.
    fn value(&self, value: Value) -> String;
    /// The name of a block, without its `^`.
    fn block(&self, block: Block) -> String;
    /// The tree of a region.
    fn region(&mut self, region: Region) -> RegionTree;
}
