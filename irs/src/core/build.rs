//! Building a body op by op.

use super::body::Body;
use super::entity::{Block, OpId, Origin, Region, Value};
use super::language::Language;

/// Appends ops to one block of a body, with the current origin and tag.
#[derive(Debug)]
pub struct Builder<'a, L: Language> {
    /// The body that is being built.
    pub body: &'a mut Body<L>,
    /// The block that ops are appended to.
    pub block: Block,
    /// The origin given to every op.
    pub origin: Origin,
    /// The tag given to every op.
    pub tag: L::Tag,
}

impl<'a, L: Language> Builder<'a, L> {
    /// A builder at the end of `block`.
    pub fn new(body: &'a mut Body<L>, block: Block, origin: Origin) -> Self {
        Self {
            body,
            block,
            origin,
            tag: L::Tag::default(),
        }
    }

    /// Appends an op with results of these types.
    pub fn op(&mut self, kind: impl Into<L::Op>, types: impl IntoIterator<Item = L::Type>) -> OpId {
        self.body
            .add_op(self.block, kind.into(), types, self.origin, self.tag.clone())
    }

    /// Appends an op with one result.
    pub fn value(&mut self, kind: impl Into<L::Op>, ty: L::Type) -> Value {
        let op = self.op(kind, [ty]);
        self.body.op(op).result(0)
    }

    /// Appends an op without results.
    pub fn effect(&mut self, kind: impl Into<L::Op>) {
        self.op(kind, []);
    }

    /// Adds a region of one block with arguments of these types.
    pub fn region(&mut self, args: impl IntoIterator<Item = L::Type>) -> (Region, Block, Vec<Value>) {
        let region = self.body.add_region();
        let block = self.body.add_block(region);
        let args = args.into_iter().map(|ty| self.body.add_arg(block, ty)).collect();
        (region, block, args)
    }

    /// Builds into another block, then returns to the current one.
    pub fn within<T>(&mut self, block: Block, build: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.block, block);
        let result = build(self);
        self.block = outer;
        result
    }

    /// The type of a value.
    pub fn ty(&self, value: Value) -> &L::Type {
        self.body.ty(value)
    }
}
