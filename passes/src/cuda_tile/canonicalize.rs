//! Folds constants, simplifies ops and control flow, and canonicalises the rest.
//!
//! In and out: `cuda_tile`. No rule changes a result, a true promise, or an effect; undefined and unspecified
//! behaviour is not exploited. Replaced ops are left for
//! [`eliminate_dead_code`](crate::cleanup::eliminate_dead_code()).
//!
//! - *Constants* ([`integers`], [`floats`], [`conversions`]). Integer ops of every width, wrapping; an op that
//!   violates a promise about overflow, divides by 0, or shifts by its width or more is kept. Float arithmetic in the
//!   op's own format and rounding, including `flush_to_zero`; an op whose result is a NaN is kept, since its payload
//!   depends on the target, and so are approximations. Comparisons, selections, conversions between all formats; a
//!   conversion out of the range of an 8-bit or 4-bit format is kept, since its result is unspecified.
//! - *Splats*: a splat constant stays one through all shape ops, and no rule creates a list of elements from splats.
//! - *Identities*: `x + 0`, `x - 0`, `x * 1`, `x / 1`, `x & ~0`, `x | 0`, `x ^ 0`, shifts by 0, offsets by 0; `x *
//!   0`, `x & 0`, `x | ~0`, `x - x`, `x ^ x`, `x % 1`, `x & x`, minimum and maximum of `x` and `x`; comparisons of an
//!   integer with itself. For floats: `x * 1`, `x / 1`, `x + -0` and `x - +0` if no zero changes its sign and nothing
//!   is flushed, `-(-x)`, `|-x|`, `||x||`. A NaN stays a NaN.
//! - *Combinations*: sums with two constants, consecutive extensions and truncations, pointer-to-integer round trips,
//!   consecutive shape ops ([`shapes`]), nested selections by the same condition, repeated assumptions, joins of one
//!   token.
//! - *Selections* ([`selections`]): of 1 and 0, of two values that the condition implies to be equal, by a negation.
//! - *Operand order*: a constant is the right operand where the op allows it, a product the left operand of a float
//!   sum; other operands of such integer ops are in the order of their definitions. Each constant is defined once,
//!   before all other ops of the function, or of the body of a reduction or a scan.
//! - *Control flow* ([`control`]): branches on a constant, or on the condition of an enclosing branch; a `for` with
//!   no or one iteration; a `loop` that leaves in its first iteration. *Branches* ([`branches`]): two with the same
//!   condition are merged, and a branch that only selects values becomes a selection.
//! - Static extents of a tensor are replaced by constants.

mod branches;
mod constants;
mod control;
mod conversions;
mod dense;
mod floats;
mod identities;
mod integers;
mod look;
mod operands;
mod selections;
mod shapes;
mod state;

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Func, OpId, Operation, Origin, Translate, Translated, Value, translate_func};
use tilewright_irs::cuda_tile::{ControlOp, CudaTile, IntOp, ShapeOp, TileOp, TileType, ViewOp};
use tilewright_irs::element::ScalarType;
use tilewright_irs::literal::{Dense, Literal};

use self::constants::Constants;
use self::look::{Cx, Look, Simpler};
use self::state::Canonicalize;
use crate::cleanup::substitute::substituted;

pub(super) use operands::mirrored;

/// How often the ops are gone through again after branches were changed; the rules end long before.
const MAX_ROUNDS: usize = 16;

/// Canonicalises a kernel.
///
/// # Errors
/// None; the type is that of all passes.
pub fn canonicalize(func: &Func<CudaTile>) -> Result<Func<CudaTile>, Vec<Diagnostic<Origin>>> {
    simplified(func, true)
}

/// Like [`canonicalize`], but without folding of arithmetic, comparisons and conversions: only order, shapes,
/// selections and control flow, as in NVIDIA's pass of this name, for comparison with it.
///
/// # Errors
/// None; the type is that of all passes.
pub fn canonicalize_structure(func: &Func<CudaTile>) -> Result<Func<CudaTile>, Vec<Diagnostic<Origin>>> {
    simplified(func, false)
}

fn simplified(func: &Func<CudaTile>, computes: bool) -> Result<Func<CudaTile>, Vec<Diagnostic<Origin>>> {
    let mut done = ops_simplified(func, computes)?;
    for _ in 0..MAX_ROUNDS {
        if !branches::simplify(&mut done.body) {
            break;
        }
        done = ops_simplified(&done, computes)?;
    }
    done.body = done.body.renumbered();
    Ok(done)
}

fn ops_simplified(func: &Func<CudaTile>, computes: bool) -> Result<Func<CudaTile>, Vec<Diagnostic<Origin>>> {
    let mut pass = Canonicalize {
        computes,
        defined: func.body.value_table(),
        constants: Constants::default(),
        known: Vec::new(),
    };
    let mut done = translate_func(func, func.attrs.clone(), &mut pass)?;
    if constants::first(&mut done.body) {
        done.body = done.body.renumbered();
    }
    Ok(done)
}

/// The most times that one op is rewritten; the rules end long before.
const MAX_STEPS: usize = 64;

impl Translate<CudaTile, CudaTile> for Canonicalize {
    fn types(&mut self, ty: &TileType) -> Result<Vec<TileType>, Diagnostic<Origin>> {
        Ok(vec![ty.clone()])
    }

    fn op(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        self.constants.stand_in(cx.current());
        let old = cx.old(id);
        if let TileOp::Control(op) = &old.kind
            && self.control(cx, id, op)?
        {
            return Ok(());
        }
        if !old.kind.is_pure() {
            return self.keep(cx, id);
        }
        if let TileOp::View(ViewOp::GetTensorShape { src }) = &old.kind {
            return self.extents(cx, id, *src);
        }
        let op = substituted(cx, &old.kind, Vec::new());
        if old.results().len() != 1 {
            return self.keep(cx, id);
        }
        let result = old.result(0);
        let ty = cx.from.ty(result);
        let value = self.simplified(cx, op, ty);
        cx.bind(result, vec![value]);
        Ok(())
    }
}

impl Canonicalize {
    /// Adds an op to the new body, simplified by the rules.
    fn simplified(&mut self, cx: &mut Cx<'_>, mut op: TileOp, ty: &TileType) -> Value {
        for _ in 0..MAX_STEPS {
            let look = Look {
                cx,
                defined: &self.defined,
            };
            match step(&look, &op, ty, self.computes) {
                None => break,
                Some(Simpler::Value(value)) => return value,
                Some(Simpler::Constant(dense)) => return self.constant(cx, dense, ty),
                Some(Simpler::Op(next)) => op = next,
                Some(Simpler::OpOn(dense, ty, build)) => op = build(self.constant(cx, dense, &ty)),
                Some(Simpler::Not(cond)) => op = self.negation(cx, cond),
                Some(Simpler::OnNot(cond, build)) => {
                    let (not, ty) = (self.negation(cx, cond), cx.ty(cond).clone());
                    op = build(self.simplified(cx, not, &ty));
                }
            }
        }
        self.write(cx, op, ty)
    }

    fn negation(&mut self, cx: &mut Cx<'_>, lhs: Value) -> TileOp {
        let ty = cx.ty(lhs).clone();
        let rhs = self.constant(cx, Dense::Splat(Literal::i1(true)), &ty);
        IntOp::XorI { lhs, rhs }.into()
    }

    fn constant(&mut self, cx: &mut Cx<'_>, value: Dense, ty: &TileType) -> Value {
        let id = self.constants.get(cx, value, ty);
        let value = cx.new_body().op(id).result(0);
        self.defined.set(value, id);
        value
    }

    fn write(&mut self, cx: &mut Cx<'_>, op: TileOp, ty: &TileType) -> Value {
        if let TileOp::Shape(ShapeOp::Constant { value }) = op {
            return self.constant(cx, value, ty);
        }
        let id = cx.build().op(op, [ty.clone()]);
        let value = cx.new_body().op(id).result(0);
        self.defined.set(value, id);
        value
    }

    /// Copies an op with its translated regions.
    fn keep(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        let old = cx.old(id);
        let is_fold = matches!(
            old.kind,
            TileOp::Shape(ShapeOp::Reduce { .. } | ShapeOp::Scan { .. })
        );
        let mut regions = Vec::new();
        for (at, region) in old.kind.region_list().into_iter().enumerate() {
            if is_fold {
                self.constants.enter();
            }
            let around = self.known.len();
            if let TileOp::Control(ControlOp::If { condition, .. }) = old.kind {
                self.known.push((cx.one(condition), at == 0));
            }
            regions.push(cx.region(region, self)?);
            self.known.truncate(around);
            if is_fold {
                self.constants.leave();
            }
        }
        cx.set_origin(old.origin);
        let op = substituted(cx, &old.kind, regions);
        let types: Vec<_> = old.results().map(|result| cx.from.ty(result).clone()).collect();
        let id = cx.build().op(op, types);
        let results: Vec<_> = cx.new_body().op(id).results().collect();
        for (old, new) in old.results().zip(results) {
            self.defined.set(new, id);
            cx.bind(old, vec![new]);
        }
        Ok(())
    }

    /// `get_tensor_shape`: replaces static extents by constants.
    fn extents(&mut self, cx: &mut Cx<'_>, id: OpId, tensor: Value) -> Translated {
        let old = cx.old(id);
        self.keep(cx, id)?;
        let Some(tensor) = cx.from.ty(tensor).as_tensor_view() else {
            return Ok(());
        };
        for (result, extent) in old.results().zip(&tensor.shape) {
            let ty = cx.from.ty(result);
            let scalar = ty.as_tile().and_then(|tile| tile.element.scalar());
            if let (Some(extent), Some(scalar)) = (*extent, scalar)
                && extent <= scalar.mask() >> 1
            {
                let dense = Dense::Splat(Literal::new(scalar, extent));
                let value = self.constant(cx, dense, ty);
                cx.bind(result, vec![value]);
            }
        }
        Ok(())
    }
}

/// Applies one rule, if any matches.
fn step(look: &Look<'_, '_>, op: &TileOp, ty: &TileType, computes: bool) -> Option<Simpler> {
    let element = ty.as_tile().and_then(|tile| tile.element.scalar());
    let arithmetic = || {
        let dense = element.and_then(|element| folded(look, op, element));
        dense
            .map(Simpler::Constant)
            .or_else(|| identities::step(look, op, ty))
            .or_else(|| conversions::step(look, op, ty))
    };
    operands::ordered(look, op)
        .or_else(|| computes.then(arithmetic).flatten())
        .or_else(|| shapes::step(look, op, ty))
        .or_else(|| selections::step(look, op, ty))
}

/// Folds an op on constants.
fn folded(look: &Look<'_, '_>, op: &TileOp, element: ScalarType) -> Option<Dense> {
    // There are no 4-bit integer constants.
    if element == ScalarType::I4 {
        return None;
    }
    match op {
        TileOp::Int(op) => integers::fold(look, op, element),
        TileOp::Float(op) => floats::fold(look, op),
        TileOp::Cast(op) => conversions::fold(look, op, element),
        TileOp::Shape(_) | TileOp::Memory(_) | TileOp::View(_) | TileOp::Control(_) | TileOp::Preview(_) => {
            None
        }
    }
}
