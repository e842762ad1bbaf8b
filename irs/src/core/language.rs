//! What makes a language: its types, its ops, and what it records beside them.

use std::fmt::Debug;
use std::hash::Hash;

use rustc_hash::FxHashMap;

use super::body::Func;
use super::effects::Effects;
use super::entity::{Block, Region, Value};
use super::properties::Properties;
use super::read::Reader;
use super::rules::TypeRule;
use super::term::TermCodec;
use super::tree::{NamedTerm, OpTree};
use super::verify::Problems;
use crate::element::ElementType;

/// A language of the cascade.
pub trait Language: Clone + Copy + Debug + Default + Eq + Hash + Send + Sync + 'static {
    /// The language's name, as on the command line.
    const NAME: &'static str;
    /// The type of a value.
    type Type: ValueType;
    /// The ops.
    type Op: Operation;
    /// What is recorded beside every op.
    type Tag: Tag;
    /// What is recorded on a function.
    type FuncAttrs: Attributes;

    /// Whether the language's own rules can be checked in a function that breaks those of every language, so that
    /// one run says more.
    const CHECKS_BROKEN: bool = false;

    /// The language's rules beyond what the declarations say.
    fn verify(func: &Func<Self>, problems: &mut Problems);
}

/// The type of a value.
pub trait ValueType: TermCodec + Clone + Debug + Eq + Hash + Send + Sync + 'static {
    /// The type of one element, when values of this type hold elements.
    fn element(&self) -> Option<ElementType>;
    /// The same container with elements of another type.
    fn with_element(&self, element: ElementType) -> Self;
    /// Whether a value of this type is one element rather than a container of some.
    fn is_single(&self) -> bool;
    /// The type without what is merely known of the value (facts).
    fn bare(&self) -> Self {
        self.clone()
    }
}

/// What a language records beside every op: printed among the op's attributes.
pub trait Tag: Clone + Debug + Default + Eq + Hash + Send + Sync + 'static {
    /// The tag as attributes.
    fn write(&self, attrs: &mut Vec<NamedTerm>);
    /// Takes the tag's attributes from the reader.
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
    /// Takes the record's attributes from the reader, which reports what is missing.
    fn read(reader: &mut Reader<'_>) -> Option<Self>;
    /// Name, type and description of each attribute.
    fn specs() -> &'static [FieldSpec];
}

/// Where a pass or a renumbering sends the handles of an op.
pub trait Remap {
    /// The new handle of a value.
    fn value(&mut self, value: Value) -> Value;
    /// The new handles of a list of values, which may differ in number.
    fn values(&mut self, values: &mut Vec<Value>);
    /// The new handle of a region.
    fn region(&mut self, region: Region) -> Region;
    /// The new handle of a block.
    fn block(&mut self, block: Block) -> Block;
    /// The new handles of a branch target.
    fn successor(&mut self, successor: &mut Successor) {
        successor.block = self.block(successor.block);
        self.values(&mut successor.args);
    }
}

/// How many results an op has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ResultCount {
    /// Exactly this many.
    Exactly(usize),
    /// Any number.
    Any,
}

/// One field of a declaration.
#[derive(Clone, Copy, Debug)]
pub struct FieldSpec {
    /// The field's name.
    pub name: &'static str,
    /// The field's Rust type, as declared.
    pub ty: &'static str,
    /// What the field says.
    pub doc: &'static str,
}

/// An op's declaration, as data.
#[derive(Clone, Copy, Debug)]
pub struct OpSpec {
    /// The mnemonic, with its dialect.
    pub name: &'static str,
    /// What the op does.
    pub doc: &'static str,
    /// The fields in textual order.
    pub fields: &'static [FieldSpec],
    /// The number of results.
    pub results: ResultCount,
    /// What it does at most, and what else holds of it.
    pub properties: Properties,
    /// How its types hang together.
    pub rule: TypeRule,
}

/// The ops of a language or of a dialect. Implemented by the declaration macros alone.
pub trait Operation: Clone + Debug + Eq + Hash + Send + Sync + Sized + 'static {
    /// The op's declaration.
    fn spec(&self) -> &'static OpSpec;
    /// Every declaration.
    fn specs() -> Vec<&'static OpSpec>;
    /// What the op does beside giving its results, its attributes considered. What its regions do is not in it.
    fn effects(&self) -> Effects;
    /// Visits the operands in textual order, branch arguments among them.
    fn operands(&self, visit: &mut dyn FnMut(Value));
    /// Visits the regions in textual order.
    fn regions(&self, visit: &mut dyn FnMut(Region));
    /// Visits the blocks that the op may branch to.
    fn successors(&self, visit: &mut dyn FnMut(&Successor));
    /// Replaces every handle.
    fn remap(&mut self, map: &mut dyn Remap);
    /// Writes the fields into the op's tree; regions are left as handles for the caller.
    fn write(&self, writer: &mut dyn FieldWriter, tree: &mut OpTree);
    /// Reads the op named `name`. `None` when there is no such op, `Some(None)` when its fields are wrong
    /// (the reader has reported them).
    fn read(name: &str, reader: &mut Reader<'_>) -> Option<Option<Self>>;

    /// The mnemonic, with its dialect.
    fn name(&self) -> &'static str {
        self.spec().name
    }

    /// Whether the op ends its block.
    fn is_terminator(&self) -> bool {
        self.spec().properties.effects.is_terminator()
    }

    /// Whether the op may be removed when its results are not used, or repeated.
    fn is_pure(&self) -> bool {
        self.effects().is_pure()
    }

    /// The operands, collected.
    fn operand_list(&self) -> Vec<Value> {
        let mut list = Vec::new();
        self.operands(&mut |v| list.push(v));
        list
    }

    /// The operands without those that the op passes to the blocks that it may branch to.
    fn own_operands(&self) -> Vec<Value> {
        let mut passed: FxHashMap<Value, usize> = FxHashMap::default();
        self.successors(&mut |successor| {
            for &arg in &successor.args {
                *passed.entry(arg).or_default() += 1;
            }
        });
        let mut list = self.operand_list();
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
    fn region_list(&self) -> Vec<Region> {
        let mut list = Vec::new();
        self.regions(&mut |r| list.push(r));
        list
    }
}

/// What fields need to write themselves: the names of values, blocks and regions.
pub trait FieldWriter {
    /// The name of a value, without its `%`.
    fn value(&self, value: Value) -> String;
    /// The name of a block, without its `^`.
    fn block(&self, block: Block) -> String;
    /// The tree of a region.
    fn region(&mut self, region: Region) -> super::tree::RegionTree;
}

/// A branch target with the values for its arguments.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Successor {
    /// The block.
    pub block: Block,
    /// One value for each of the block's arguments.
    pub args: Vec<Value>,
}
