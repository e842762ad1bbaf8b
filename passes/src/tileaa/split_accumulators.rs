//! Computes tiles whose accumulators do not fit in registers in parts, one after the other. `tileaa` to `tileaa`.
//!
//! In: any function. Out: the same program, where a loop of products whose accumulators need more than
//! [`plan::ACCUMULATOR_BYTES`] is repeated for each half of their rows or columns, with all that the tiles are computed from
//! and all that is computed from them; and again for the halves of these. A product of 8-bit floats that `legalize_products` may
//! sum on two levels counts twice.
//!
//! ```text
//! %c = scf.for ..., [%zeros] : tile<256x256xf32> body {...}    %c0 = (the loop for rows 0 to 127)
//! %h = arith.ftof %c : tile<256x256xf16>                       %h0 = arith.ftof %c0 : tile<128x256xf16>
//! %t = tileaa.store %C, [%x, %y], %h {steps = [256, 256]}      %t0 = tileaa.store %C, [2 * %x, %y], %h0 {steps = [128, 256]}
//!                                                              %c1 = (the loop for rows 128 to 255)
//!                                                              ...
//!                                                              %t = tileaa.join_mem_tokens [%t0, %t1]
//! ```
//!
//! Else most of the accumulators would be in local memory, and every product would read and write them there. What is
//! repeated, the other operand's loads, costs much less.
//!
//! Parts are possible if the elements along the axis are used [one by one](super::axis_classes) by ops of one block and
//! the loops and branches in it, which have no effects but weak loads and stores, and if no op of them is ordered after
//! another one by a token: the first part may then be finished before the second one begins.

mod plan;

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{
    Func, OpId, Operation, Origin, Translate, Translated, Translation, Value, ValueType, translate_func,
};
use tilewright_irs::dialects::arith::{ArithOp, Overflow, Signedness};
use tilewright_irs::dialects::tile::TileOp;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::literal::{Dense, Literal};
use tilewright_irs::tileaa::{TileAa, TileAaDialect, TileAaKind, TileAaOp, TileAaType};

use super::axis_classes::with_extents;
use plan::{Plan, plan};

/// Splits the accumulators of products that do not fit in registers.
///
/// # Errors
/// None; the type is that of all passes.
pub fn split_accumulators(func: &Func<TileAa>) -> Result<Func<TileAa>, Vec<Diagnostic<Origin>>> {
    let mut func = func.clone();
    while let Some(plan) = plan(&func) {
        let mut pass = Split { plan, part: None };
        func = translate_func(&func, func.attrs.clone(), &mut pass)?;
    }
    Ok(func)
}

type Cx<'a> = Translation<'a, TileAa, TileAa>;

struct Split {
    plan: Plan,
    /// The part that is being written.
    part: Option<u32>,
}

impl Translate<TileAa, TileAa> for Split {
    fn types(&mut self, ty: &TileAaType) -> Result<Vec<TileAaType>, Diagnostic<Origin>> {
        Ok(vec![ty.clone()])
    }

    fn op(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        if let Some(part) = self.part {
            return self.part_of(cx, id, part);
        }
        if self.plan.split.first() == Some(&id) {
            self.all_parts(cx)?;
        }
        if self.plan.moved.contains(&id) {
            return Ok(());
        }
        cx.carry(id, &cx.old(id).kind, self)
    }
}

impl Split {
    /// The ops that are split, part after part.
    fn all_parts(&mut self, cx: &mut Cx<'_>) -> Translated {
        for id in self.plan.hoisted.clone() {
            cx.set_origin(cx.old(id).origin);
            cx.carry(id, &cx.old(id).kind, self)?;
        }
        let (leaves, split) = (self.plan.leaves.clone(), self.plan.split.clone());
        let made = leaves.iter().map(|&id| cx.old(id).result(0));
        let made: Vec<(Value, Value)> = made.map(|old| (old, cx.one(old))).collect();
        let tokens = split.iter().flat_map(|&id| cx.old(id).results());
        let tokens: Vec<Value> = tokens
            .filter(|&value| cx.from.ty(value).kind == TileAaKind::Token)
            .collect();
        let mut joined: Vec<Vec<Value>> = vec![Vec::new(); tokens.len()];
        for part in 0..self.plan.parts {
            self.part = Some(part);
            for &id in leaves.iter().chain(&split) {
                cx.set_origin(cx.old(id).origin);
                self.op(cx, id)?;
            }
            for (&old, joined) in tokens.iter().zip(&mut joined) {
                joined.push(cx.one(old));
            }
        }
        self.part = None;
        for (old, new) in made {
            cx.bind(old, [new]);
        }
        for (old, tokens) in tokens.into_iter().zip(joined) {
            let op = TileAaDialect::JoinMemTokens { tokens };
            let token = cx.value(op, TileAaType::new(TileAaKind::Token));
            cx.bind(old, [token]);
        }
        Ok(())
    }

    /// An op for one part.
    fn part_of(&mut self, cx: &mut Cx<'_>, id: OpId, part: u32) -> Translated {
        let old = cx.old(id);
        let mut kind = old.kind.clone();
        let accessed = match &mut kind {
            TileAaOp::TileAa(TileAaDialect::Load { at, .. }) => Some((old.result(0), at)),
            TileAaOp::TileAa(TileAaDialect::Store { at, value, .. }) => Some((*value, at)),
            _ => None,
        };
        // The part's index replaces that of the whole tile while the access is copied.
        let replaced = accessed.and_then(|(tile, at)| {
            let &axis = self.plan.axes.get(tile)?;
            let (&index, step) = (at.index.get(axis)?, at.steps.get_mut(axis)?);
            // Tiles of parts are side by side.
            let factor = std::mem::replace(step, self.plan.extent) / self.plan.extent;
            let narrow = self.plan.narrow.get(at.memref) == Some(&true);
            Some((axis, self.index_of_part(cx, index, factor, part, narrow)))
        });
        cx.carry(id, &kind, self)?;
        if let Some((axis, new)) = replaced {
            self.set_index(cx, axis, new);
        }
        self.narrow_results(cx, id);
        if let TileAaOp::Tile(TileOp::Iota {}) = &old.kind
            && self.plan.axes.get(old.result(0)).is_some()
        {
            self.offset(cx, old.result(0), part);
        }
        Ok(())
    }

    /// Sets an index of the access that was written last.
    fn set_index(&self, cx: &mut Cx<'_>, axis: usize, new: Value) {
        let block = cx.current();
        let Some(&last) = cx.new_body().block(block).ops.last() else {
            return;
        };
        if let TileAaOp::TileAa(TileAaDialect::Load { at, .. } | TileAaDialect::Store { at, .. }) =
            &mut cx.body_mut().op_mut(last).kind
            && let Some(slot) = at.index.get_mut(axis)
        {
            *slot = new;
        }
    }

    /// The index of a part of a tile among parts, of which `factor` begin between this tile and the next one: as a 32-bit
    /// number, limited so that what is outside of an array of fewer than 2^31 elements stays outside, or as a 64-bit
    /// number.
    fn index_of_part(&self, cx: &mut Cx<'_>, index: Value, factor: u32, part: u32, narrow: bool) -> Value {
        let mut new = cx.one(index);
        let element = cx.from.ty(index).element();
        let is_i32 = element == Some(ElementType::Scalar(ScalarType::I32));
        let signedness = Signedness::Signed;
        let scalar = if is_i32 && narrow {
            ScalarType::I32
        } else {
            ScalarType::I64
        };
        let ty: TileAaType = scalar.into();
        if scalar == ScalarType::I32 {
            let limit = i64::from(i32::MAX) / i64::from(factor.max(1)) - 1;
            let (lhs, rhs) = (new, integer(cx, scalar, limit));
            new = cx.value(ArithOp::MinI { lhs, rhs, signedness }, ty.clone());
            let (lhs, rhs) = (new, integer(cx, scalar, -limit));
            new = cx.value(ArithOp::MaxI { lhs, rhs, signedness }, ty.clone());
        } else if element != Some(ElementType::Scalar(ScalarType::I64)) {
            new = cx.value(
                ArithOp::ExtI {
                    source: new,
                    signedness,
                },
                ty.clone(),
            );
        }
        let overflow = Overflow::Wraps;
        if factor != 1 {
            let (lhs, rhs) = (new, integer(cx, scalar, factor.into()));
            new = cx.value(ArithOp::MulI { lhs, rhs, overflow }, ty.clone());
        }
        if part != 0 {
            let (lhs, rhs) = (new, integer(cx, scalar, part.into()));
            new = cx.value(ArithOp::AddI { lhs, rhs, overflow }, ty);
        }
        new
    }

    /// Adds the number of elements before a part to a part of 0, 1, 2, ….
    fn offset(&self, cx: &mut Cx<'_>, old: Value, part: u32) {
        if part == 0 {
            return;
        }
        let lhs = cx.one(old);
        let ty = TileAaType::new(cx.ty(lhs).kind.clone());
        let Some(ElementType::Scalar(scalar)) = ty.element() else {
            return;
        };
        let source = integer(cx, scalar, i64::from(part) * i64::from(self.plan.extent));
        let rhs = cx.value(TileOp::Splat { source }, ty.clone());
        let overflow = Overflow::Wraps;
        let moved = cx.value(ArithOp::AddI { lhs, rhs, overflow }, ty);
        cx.bind(old, [moved]);
    }

    /// Gives the results of an op, and the arguments of its regions, the extent of a part.
    fn narrow_results(&self, cx: &mut Cx<'_>, id: OpId) {
        let op = cx.old(id);
        let mut values: Vec<Value> = op.results().collect();
        for region in op.kind.region_list() {
            let blocks = cx.from.region(region).blocks.iter();
            values.extend(blocks.flat_map(|&block| &cx.from.block(block).args));
        }
        for old in values {
            let Some(&axis) = self.plan.axes.get(old) else {
                continue;
            };
            let ty = cx.from.ty(old).clone();
            let mut extents = ty.shape().unwrap_or_default().to_vec();
            if let Some(extent) = extents.get_mut(axis) {
                *extent = self.plan.extent;
            }
            let new = cx.one(old);
            cx.body_mut().set_ty(new, with_extents(&ty, extents));
        }
    }
}

/// A constant.
fn integer(cx: &mut Cx<'_>, scalar: ScalarType, number: i64) -> Value {
    let value = Dense::Splat(Literal::new(scalar, number.cast_unsigned()));
    cx.value(ArithOp::Constant { value }, scalar.into())
}
