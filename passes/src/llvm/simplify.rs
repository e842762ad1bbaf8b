//! Folds constants, eliminates common subexpressions and dead code.
//!
//! In and out: `llvm_like`. Folded are integer ops on constants, algebraic
//! identities, and comparisons that bounds decide; integers are compared before they are extended; constant parts of indices
//! move into the offset of `llvm.getelementptr`, so that registers of one tile share their address; branches on
//! constants are resolved, and blocks with a single predecessor are merged into it; stores of values of which nothing is known
//! disappear. [Common
//! subexpressions](crate::cleanup::merge_common_subexpressions()) and [dead code](crate::cleanup::eliminate_dead_code()) are
//! eliminated in between,
//! until nothing changes. Float arithmetic is not changed.

mod comparisons;

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{
    Block, Body, Commutes, Func, OpId, Operation, Origin, SideTable, Successor, Value, reverse_postorder,
};
use tilewright_irs::dialects::arith::{ArithOp, Overflow, Signedness};
use tilewright_irs::dialects::memory::MemoryOrder;
use tilewright_irs::element::ScalarType;
use tilewright_irs::folding::{self, Identity};
use tilewright_irs::literal::{Dense, Literal};
use tilewright_irs::llvm::{Llvm, LlvmDialect, LlvmOp, LlvmType};

use super::loops::ways_in;
use super::rewrite::{Rewrite, rewritten};
use crate::cleanup::substitute::commuted;
use crate::cleanup::{without_common_subexpressions, without_dead_code};

/// Limit of rounds; each one but the last changes something.
const MAX_ROUNDS: u32 = 4;

/// Simplifies a function; see [the module](self).
pub fn simplify(func: &Func<Llvm>) -> Result<Func<Llvm>, Vec<Diagnostic<Origin>>> {
    let mut body = without_dead_code(func.body.clone());
    for round in 0..MAX_ROUNDS {
        let mut pass = Simplify::new(&body);
        let folded = pass.run().map_err(|problem| vec![problem])?;
        let changed = pass.changed;
        // What the round before has left has neither repetitions nor dead code.
        if !changed && round > 0 {
            break;
        }
        let next = without_dead_code(without_common_subexpressions(folded));
        if !changed && next == body {
            break;
        }
        body = next;
    }
    Ok(Func {
        name: func.name.clone(),
        attrs: func.attrs.clone(),
        body,
    })
}

/// Folds the ops of a function while they are copied.
pub(super) struct Simplify<'a> {
    from: &'a Body<Llvm>,
    /// The number of predecessors of each block.
    ways_in: SideTable<Block, u32>,
    /// The definition of each new value.
    definitions: SideTable<Value, ArithOp>,
    /// The old values of which nothing is known.
    undefined: SideTable<Value, ()>,
    /// Whether something was simplified.
    changed: bool,
}

impl<'a> Simplify<'a> {
    pub(super) fn new(from: &'a Body<Llvm>) -> Self {
        let order = reverse_postorder(from, from.root());
        Self {
            from,
            ways_in: ways_in(from, &order),
            definitions: SideTable::new(from.value_count()),
            undefined: from.value_table(),
            changed: false,
        }
    }

    /// The function with its ops folded.
    fn run(&mut self) -> Result<Body<Llvm>, Diagnostic<Origin>> {
        rewritten(
            self.from,
            |ty| ty,
            |cx, order| {
                self.blocks(cx, order);
                Ok(())
            },
        )
    }

    fn blocks(&mut self, cx: &mut Rewrite<'_>, order: &[Block]) {
        let mut merged: SideTable<Block, ()> = SideTable::new(order.len());
        for &block in order {
            if merged.get(block).is_some() {
                continue;
            }
            cx.enter(block);
            let mut next = Some(block);
            while let Some(block) = next.take() {
                merged.set(block, ());
                for &id in &self.from.block(block).ops {
                    cx.at(id);
                    next = self.write(cx, id);
                }
            }
        }
    }

    /// The constant that a new value is, if it is one.
    pub(super) fn literal(&self, value: Value) -> Option<Literal> {
        match self.definitions.get(value) {
            Some(ArithOp::Constant {
                value: Dense::Splat(literal),
            }) => Some(*literal),
            _ => None,
        }
    }

    /// Appends a pure op.
    fn pure(&mut self, cx: &mut Rewrite<'_>, op: LlvmOp, ty: LlvmType) -> Value {
        let value = cx.value(op.clone(), ty);
        if let LlvmOp::Arith(op) = op {
            self.definitions.set(value, op);
        }
        value
    }

    fn arith(&mut self, cx: &mut Rewrite<'_>, op: ArithOp, ty: LlvmType) -> Value {
        match self.reduced(cx, &op, ty) {
            Some(value) => {
                self.changed = true;
                value
            }
            None => {
                let ordered = self.ordered(op.clone());
                self.changed |= ordered != op;
                self.pure(cx, ordered.into(), ty)
            }
        }
    }

    /// A new constant.
    pub(super) fn constant(&mut self, cx: &mut Rewrite<'_>, literal: Literal) -> Value {
        let value = Dense::Splat(literal);
        let ty = LlvmType::Scalar(literal.ty);
        self.pure(cx, ArithOp::Constant { value }.into(), ty)
    }

    /// The simpler equivalent of an op, if any.
    fn reduced(&mut self, cx: &mut Rewrite<'_>, op: &ArithOp, ty: LlvmType) -> Option<Value> {
        if let ArithOp::Select { condition, yes, no } = op {
            if yes == no {
                return Some(*yes);
            }
            let condition = self.literal(*condition)?;
            return Some(if condition.bits == 1 { *yes } else { *no });
        }
        let scalar = ty.scalar()?;
        let operands = op.operand_list();
        let known: Option<Vec<Literal>> = operands.iter().map(|&value| self.literal(value)).collect();
        if let Some(known) = known {
            let folded = folding::fold(op, &known, scalar)?;
            return Some(self.constant(cx, folded));
        }
        if let [source] = *operands.as_slice() {
            return self.reduced_cast(cx, op, source, scalar);
        }
        if let Some(narrow) = self.narrowed(cx, op) {
            return Some(narrow);
        }
        if let Some(holds) = self.decided(op) {
            return Some(self.constant(cx, Literal::new(ScalarType::I1, u64::from(holds))));
        }
        let op = self.ordered(op.clone());
        let [lhs, rhs] = *op.operand_list().as_slice() else {
            return None;
        };
        let equal = (lhs == rhs).then(|| folding::of_equals(&op, scalar)).flatten();
        let right = self.literal(rhs);
        match equal.or_else(|| folding::with_right(&op, right?)) {
            Some(Identity::Left) => Some(lhs),
            Some(Identity::Constant(literal)) => Some(self.constant(cx, literal)),
            None => match right {
                Some(right) => self.reassociated(cx, &op, lhs, right),
                None => self.constant_last(cx, &op, ty),
            },
        }
    }

    /// `x + (y + c)` and `(x + c) + y` to `(x + y) + c`, of 64-bit integers, as indices are: an address has the constant as its
    /// offset, and `x + y` is the same for all registers of a tile.
    fn constant_last(&mut self, cx: &mut Rewrite<'_>, op: &ArithOp, ty: LlvmType) -> Option<Value> {
        let &ArithOp::AddI { lhs, rhs, .. } = op else {
            return None;
        };
        if ty != LlvmType::Scalar(ScalarType::I64) {
            return None;
        }
        let (lhs, rhs, literal) = match self.parts(cx, rhs) {
            Some((inner, literal)) => (lhs, inner, literal),
            None => {
                let (inner, literal) = self.parts(cx, lhs)?;
                (inner, rhs, literal)
            }
        };
        let overflow = Overflow::Wraps;
        let lhs = self.arith(cx, ArithOp::AddI { lhs, rhs, overflow }, ty);
        let rhs = self.constant(cx, literal);
        Some(self.arith(cx, ArithOp::AddI { lhs, rhs, overflow }, ty))
    }

    /// The variable and the constant part of a sum, which may have been extended.
    fn parts(&mut self, cx: &mut Rewrite<'_>, value: Value) -> Option<(Value, Literal)> {
        match *self.definitions.get(value)? {
            ArithOp::AddI { lhs, rhs, .. } => Some((lhs, self.literal(rhs)?)),
            ArithOp::ExtI {
                source,
                signedness: Signedness::Signed,
            } => {
                // A sum that does not overflow can be extended after or before the addition.
                let &ArithOp::AddI {
                    lhs,
                    rhs,
                    overflow: Overflow::NoSigned | Overflow::None,
                } = self.definitions.get(source)?
                else {
                    return None;
                };
                let wide = cx.ty(value);
                let signedness = Signedness::Signed;
                let extended = |source| ArithOp::ExtI { source, signedness };
                let literal = folding::fold(&extended(rhs), &[self.literal(rhs)?], wide.scalar()?)?;
                Some((self.arith(cx, extended(lhs), wide), literal))
            }
            _ => None,
        }
    }

    /// Moves a constant left operand of a commutative op to the right.
    fn ordered(&self, op: ArithOp) -> ArithOp {
        let commutes = op.spec().properties.commutes == Commutes::Always;
        match op.operand_list().as_slice() {
            [lhs, _] if commutes && self.literal(*lhs).is_some() => commuted(&op),
            _ => op,
        }
    }

    /// `(x + c) + d` and `(x + c) - d` to the sum of `x` and one constant, and `x - d` to the sum of `x` and `-d`. It is exact if all
    /// of these are, and so is the constant.
    fn reassociated(
        &mut self,
        cx: &mut Rewrite<'_>,
        op: &ArithOp,
        lhs: Value,
        right: Literal,
    ) -> Option<Value> {
        let is_exact = |overflow| matches!(overflow, Overflow::NoSigned | Overflow::None);
        let (added, exact) = match *op {
            ArithOp::AddI { overflow, .. } => {
                (folding::number(right, Signedness::Signed), is_exact(overflow))
            }
            ArithOp::SubI { overflow, .. } => {
                (-folding::number(right, Signedness::Signed), is_exact(overflow))
            }
            _ => return None,
        };
        let inner = match self.definitions.get(lhs) {
            Some(&ArithOp::AddI { lhs, rhs, overflow }) => {
                self.literal(rhs).map(|left| (lhs, left, overflow))
            }
            _ => None,
        };
        let (lhs, sum, exact) = match (inner, op) {
            (Some((lhs, left, overflow)), _) => {
                let sum = folding::number(left, Signedness::Signed) + added;
                (lhs, sum, exact && is_exact(overflow))
            }
            (None, ArithOp::SubI { .. }) => (lhs, added, exact),
            (None, _) => return None,
        };
        let overflow = match exact && folding::is_in_range(right.ty, Signedness::Signed, sum) {
            true => Overflow::NoSigned,
            false => Overflow::Wraps,
        };
        let rhs = self.constant(cx, folding::wrapped(right.ty, sum));
        let ty = LlvmType::Scalar(right.ty);
        Some(self.arith(cx, ArithOp::AddI { lhs, rhs, overflow }, ty))
    }

    fn reduced_cast(
        &mut self,
        cx: &mut Rewrite<'_>,
        op: &ArithOp,
        source: Value,
        to: ScalarType,
    ) -> Option<Value> {
        let inner = self.definitions.get(source).cloned()?;
        let ty = LlvmType::Scalar(to);
        match (op, inner) {
            // A truncation of an extension.
            (ArithOp::TruncI { .. }, ArithOp::ExtI { source, .. }) if cx.ty(source) == ty => Some(source),
            (
                ArithOp::ExtI { signedness, .. },
                ArithOp::ExtI {
                    source,
                    signedness: first,
                },
            ) if *signedness == first || first == Signedness::Unsigned => {
                let op = ArithOp::ExtI {
                    source,
                    signedness: first,
                };
                Some(self.arith(cx, op, ty))
            }
            _ => None,
        }
    }

    /// Moves the constants of an index into the offset of the address.
    fn address(
        &mut self,
        cx: &mut Rewrite<'_>,
        (base, index): (Value, Option<Value>),
        scale: u32,
        offset: i64,
        ty: LlvmType,
    ) -> Value {
        let literal = index.and_then(|index| self.literal(index));
        let (had_index, had_offset) = (index, offset);
        let (index, offset) = match literal {
            Some(literal) => (None, moved(offset, literal, scale)),
            None => match index.and_then(|index| self.parts(cx, index)) {
                Some((rest, literal)) => (Some(rest), moved(offset, literal, scale)),
                None => (index, offset),
            },
        };
        // An index and an offset become two ops; neither becomes none.
        self.changed |= (index, offset) != (had_index, had_offset) || index.is_some() == (offset != 0);
        let mut base = base;
        if let Some(index) = index {
            let op = LlvmDialect::GetElementPtr {
                base,
                index: Some(index),
                scale,
                offset: 0,
            };
            base = self.pure(cx, op.into(), ty);
        }
        if offset == 0 {
            return base;
        }
        let op = LlvmDialect::GetElementPtr {
            base,
            index: None,
            scale: 1,
            offset,
        };
        self.pure(cx, op.into(), ty)
    }

    /// Emits a branch to an old block, unless it is the block's only predecessor, with which it is merged: then the block is
    /// returned, whose ops come next.
    pub(super) fn branch(&mut self, cx: &mut Rewrite<'_>, target: Successor, old: Block) -> Option<Block> {
        if self.ways_in.get(old) != Some(&1) {
            cx.build().effect(LlvmDialect::Br { target });
            return None;
        }
        self.changed = true;
        for (&arg, &value) in self.from.block(old).args.iter().zip(&target.args) {
            cx.bind(arg, value);
        }
        Some(old)
    }

    /// Emits the simpler equivalent of an op; the old block that is merged with the current one by a branch is returned.
    pub(super) fn write(&mut self, cx: &mut Rewrite<'_>, id: OpId) -> Option<Block> {
        let old = cx.old(id);
        let op = cx.renamed(id);
        match (op, &old.kind) {
            (LlvmOp::Arith(op), _) => {
                let result = old.result(0);
                let ty = *cx.from.ty(result);
                let value = self.arith(cx, op, ty);
                cx.bind(result, value);
            }
            (
                LlvmOp::Llvm(LlvmDialect::GetElementPtr {
                    base,
                    index,
                    scale,
                    offset,
                }),
                _,
            ) => {
                let result = old.result(0);
                let ty = *cx.from.ty(result);
                let value = self.address(cx, (base, index), scale, offset, ty);
                cx.bind(result, value);
            }
            (LlvmOp::Llvm(LlvmDialect::Undef {}), _) => {
                self.undefined.set(old.result(0), ());
                cx.keep(id);
            }
            (_, LlvmOp::Llvm(LlvmDialect::Store { value, order, .. }))
                if *order == MemoryOrder::Weak && self.undefined.get(*value).is_some() =>
            {
                self.changed = true;
            }
            (LlvmOp::Llvm(LlvmDialect::Br { target }), LlvmOp::Llvm(LlvmDialect::Br { target: old })) => {
                return self.branch(cx, target, old.block);
            }
            (
                LlvmOp::Llvm(LlvmDialect::CondBr {
                    condition,
                    yes,
                    no,
                    unroll,
                }),
                LlvmOp::Llvm(LlvmDialect::CondBr { .. }),
            ) => match self.literal(condition) {
                Some(literal) => {
                    self.changed = true;
                    let target = if literal.bits == 1 { yes } else { no };
                    cx.build().effect(LlvmDialect::Br { target });
                }
                None => cx.build().effect(LlvmDialect::CondBr {
                    condition,
                    yes,
                    no,
                    unroll,
                }),
            },
            _ => cx.keep(id),
        }
        None
    }
}

/// `offset + literal * scale`, in bytes; addresses wrap.
fn moved(offset: i64, literal: Literal, scale: u32) -> i64 {
    offset.wrapping_add(literal.signed().wrapping_mul(i64::from(scale)))
}
