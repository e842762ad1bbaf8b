//! Rewrites a control-flow graph op by op.
//!
//! Blocks are visited in reverse postorder, so that definitions precede uses; unreachable blocks are dropped. A
//! rewriter may split the current block.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{
    Block, Body, Builder, Few, Func, OpData, OpId, Operation, Origin, Remap, SideTable, Successor, Value,
    ValueType, reverse_postorder,
};
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::llvm::{Llvm, LlvmOp, LlvmType};

/// The result of rewriting an op.
pub(super) type Rewritten = Result<(), Diagnostic<Origin>>;

/// The rewriting of each op by a pass.
pub(super) trait Rewriter {
    /// Whether the pass may replace this op of the body. A function without such ops is left as it is.
    fn concerns(&self, body: &Body<Llvm>, op: &OpData<Llvm>) -> bool;
    /// Emits the replacement of an op, and binds its results.
    fn op(&mut self, cx: &mut Rewrite<'_>, id: OpId) -> Rewritten;

    /// The new type of values of an old type.
    fn ty(ty: LlvmType) -> LlvmType {
        ty
    }
}

/// Whether a result or an operand of an op has an element type for which `is` holds.
pub(super) fn has_element(body: &Body<Llvm>, op: &OpData<Llvm>, is: impl Fn(ScalarType) -> bool) -> bool {
    let is = |value| {
        body.ty(value)
            .element()
            .and_then(ElementType::scalar)
            .is_some_and(&is)
    };
    let mut found = op.results().any(is);
    op.kind.operands(&mut |operand| found |= is(operand));
    found
}

/// A body being rewritten.
pub(super) struct Rewrite<'a> {
    /// The source body.
    pub(super) from: &'a Body<Llvm>,
    to: Body<Llvm>,
    block: Block,
    origin: Origin,
    values: SideTable<Value, Value>,
    blocks: SideTable<Block, Block>,
    /// The new type of values of an old type.
    map: fn(LlvmType) -> LlvmType,
}

/// Rewrites a function.
pub(super) fn rewrite<R: Rewriter>(
    func: &Func<Llvm>,
    pass: &mut R,
) -> Result<Func<Llvm>, Vec<Diagnostic<Origin>>> {
    let body = &func.body;
    let retyped = body.values().any(|(_, ty)| R::ty(*ty) != *ty);
    if !retyped && !body.ops().any(|(_, op)| pass.concerns(body, op)) {
        return Ok(func.clone());
    }
    let body = rewritten(body, R::ty, |cx, order| {
        for &block in order {
            cx.enter(block);
            for &id in &cx.from.block(block).ops {
                cx.at(id);
                pass.op(cx, id)?;
            }
        }
        Ok(())
    });
    let body = body.map_err(|problem| vec![problem])?;
    Ok(Func {
        name: func.name.clone(),
        attrs: func.attrs.clone(),
        body: body.renumbered(),
    })
}

/// A body whose values have types by `map`, and whose blocks `write` writes, given those of the old body in reverse postorder. It is
/// in reverse postorder too, and not [renumbered](Body::renumbered).
pub(super) fn rewritten(
    from: &Body<Llvm>,
    map: fn(LlvmType) -> LlvmType,
    write: impl FnOnce(&mut Rewrite<'_>, &[Block]) -> Rewritten,
) -> Result<Body<Llvm>, Diagnostic<Origin>> {
    let mut to = Body::with_capacity(from.op_count(), from.value_count());
    let root = to.root();
    let order = reverse_postorder(from, from.root());
    let mut blocks = SideTable::new(order.len());
    let mut values = from.value_table();
    for &block in &order {
        let new = to.add_block(root);
        blocks.set(block, new);
        for &arg in &from.block(block).args {
            let ty = map(*from.ty(arg));
            values.set(arg, to.add_arg(new, ty));
        }
    }
    let Some(&first) = order.first().and_then(|block| blocks.get(*block)) else {
        return Ok(to);
    };
    let mut cx = Rewrite {
        from,
        to,
        block: first,
        origin: Origin::FUNCTION,
        values,
        blocks,
        map,
    };
    write(&mut cx, &order)?;
    let mut body = cx.to;
    // New blocks were appended.
    let order = reverse_postorder(&body, body.root());
    body.arrange_blocks(body.root(), order);
    Ok(body)
}

impl<'a> Rewrite<'a> {
    /// The old op.
    pub(super) fn old(&self, id: OpId) -> &'a OpData<Llvm> {
        self.from.op(id)
    }

    /// Continues in the replacement of an old block.
    pub(super) fn enter(&mut self, old: Block) {
        if let Some(&new) = self.blocks.get(old) {
            self.block = new;
        }
    }

    /// Gives what is emitted from here on the origin of an old op.
    pub(super) fn at(&mut self, id: OpId) {
        self.origin = self.from.op(id).origin;
    }

    /// The replacement of an old value.
    pub(super) fn new_value(&self, old: Value) -> Value {
        // Only an ill-formed body has values without one; the verifier reports it.
        self.values.get(old).copied().unwrap_or(old)
    }

    /// Binds an old value to its replacement.
    pub(super) fn bind(&mut self, old: Value, new: Value) {
        self.values.set(old, new);
    }

    /// The old op with its handles replaced.
    pub(super) fn renamed(&self, id: OpId) -> LlvmOp {
        let mut kind = self.from.op(id).kind.clone();
        kind.remap(&mut Rename(self));
        kind
    }

    /// Copies an op.
    pub(super) fn keep(&mut self, id: OpId) {
        let kind = self.renamed(id);
        let old = self.from.op(id);
        let types: Few<LlvmType> = old
            .results()
            .map(|value| (self.map)(*self.from.ty(value)))
            .collect();
        let new = self.build().op(kind, types);
        let results = self.to.op(new).results();
        for (old, new) in old.results().zip(results) {
            self.values.set(old, new);
        }
    }

    /// A builder at the insertion point.
    pub(super) fn build(&mut self) -> Builder<'_, Llvm> {
        Builder::new(&mut self.to, self.block, self.origin)
    }

    /// Appends an op with one result.
    pub(super) fn value(&mut self, kind: impl Into<LlvmOp>, ty: LlvmType) -> Value {
        self.build().value(kind, ty)
    }

    /// The type of a new value.
    pub(super) fn ty(&self, value: Value) -> LlvmType {
        *self.to.ty(value)
    }

    /// A new block with arguments.
    pub(super) fn new_block(&mut self, types: &[LlvmType]) -> (Block, Vec<Value>) {
        let root = self.to.root();
        let block = self.to.add_block(root);
        let args = types.iter().map(|&ty| self.to.add_arg(block, ty)).collect();
        (block, args)
    }

    /// The new block of an old one.
    pub(super) fn new_block_of(&self, old: Block) -> Block {
        // Only an ill-formed body has blocks without one; the verifier reports it.
        self.blocks.get(old).copied().unwrap_or(old)
    }

    /// Gives an old block another new one, with arguments of its own, for a further copy.
    pub(super) fn renew(&mut self, old: Block) {
        let root = self.to.root();
        let new = self.to.add_block(root);
        self.blocks.set(old, new);
        for &arg in &self.from.block(old).args {
            let value = self.to.add_arg(new, (self.map)(*self.from.ty(arg)));
            self.values.set(arg, value);
        }
    }

    /// The insertion point.
    pub(super) const fn block(&self) -> Block {
        self.block
    }

    /// Continues in another block.
    pub(super) fn go_on_in(&mut self, block: Block) {
        self.block = block;
    }

    /// A branch target.
    pub(super) fn to(block: Block, args: impl Into<Vec<Value>>) -> Successor {
        let args = args.into();
        Successor { block, args }
    }
}

struct Rename<'a, 'b>(&'a Rewrite<'b>);

impl Remap for Rename<'_, '_> {
    fn value(&mut self, value: Value) -> Value {
        self.0.new_value(value)
    }
    fn values(&mut self, values: &mut Vec<Value>) {
        for value in values {
            *value = self.0.new_value(*value);
        }
    }
    fn block(&mut self, block: Block) -> Block {
        self.0.new_block_of(block)
    }
}
