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

use std::rc::Rc;

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Func, OpId, Origin, Translate, Translated, Value, translate_func};
use tilewright_irs::tileaa::{TileAa, TileAaDialect, TileAaKind, TileAaType};

use super::tile_parts::{Cx, Part};
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
        for part in 0..self.plan.parts.count() {
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
        let (parts, part) = (Rc::clone(&self.plan.parts), Part::Number(part));
        let begun = parts.begin(cx, id, part);
        cx.carry(id, &begun.kind, self)?;
        parts.end(cx, id, &begun, part);
        Ok(())
    }
}
