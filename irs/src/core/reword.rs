//! An op with another attribute, for messages that say which one would do.

use tilewright_diagnostics::Diagnostic;

use super::element::ElementType;
use super::entity::{Block, Entity, Region, Value};
use super::language::{FieldWriter, Operation};
use super::reader::{Reader, Scope};
use super::term::{Mark, Name, NamedTerm};
use super::tree::{OpTree, RegionTree};

/// The attributes of an op, as texts have them.
pub fn own_attributes<O: Operation>(op: &O) -> Vec<NamedTerm> {
    let mut tree = OpTree::new(op.spec().name);
    op.write(&mut Alone, &mut tree);
    tree.attrs
}

/// An op, which has so many results, with another attribute of this name, or without it. `None` if there is no such op, and for one
/// with regions or branch targets.
pub fn reworded<O: Operation>(op: &O, results: usize, name: &str, attr: Option<NamedTerm>) -> Option<O> {
    let mut tree = OpTree::new(op.spec().name);
    op.write(&mut Alone, &mut tree);
    tree.attrs.retain(|attr| attr.name.text != name);
    tree.attrs.extend(attr);
    O::read(op.spec().name, &mut Reader::of_op(&tree, results, &mut Alone))?
}

/// An op without what is around it: values are named by their numbers.
struct Alone;

impl FieldWriter for Alone {
    fn value(&self, value: Value) -> String {
        value.index().to_string()
    }
    fn block(&self, block: Block) -> String {
        block.index().to_string()
    }
    fn region(&mut self, _: Region) -> RegionTree {
        RegionTree::default()
    }
}

impl Scope for Alone {
    fn value(&mut self, name: &Name) -> Option<Value> {
        name.text.parse().ok().map(Value::new)
    }
    fn fields(&self, _: &str) -> Vec<&'static str> {
        Vec::new()
    }
    fn element(&self, _: &Name) -> Option<ElementType> {
        None
    }
    fn block(&mut self, _: &Name) -> Option<Block> {
        None
    }
    fn region(&mut self, _: &RegionTree) -> Region {
        Region::new(0)
    }
    fn report(&mut self, _: Diagnostic<Mark>) {}
}
