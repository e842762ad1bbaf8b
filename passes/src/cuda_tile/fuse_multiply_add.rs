//! Fuses multiplications with additions and subtractions into `fma`, which rounds once instead of twice.
//!
//! In and out: `cuda_tile`. It changes results, so it runs only with the flag `contract` of `--fast-math`, which `--fmad` sets.
//!
//! - `a * b + c` and `c + a * b` become `fma(a, b, c)`, `a * b - c` becomes `fma(a, b, -c)`, and `c - a * b` becomes
//!   `fma(-a, b, c)`. Negation is exact, so each result is the exact one rounded once.
//! - Both ops have the same rounding and `flush_to_zero`, which the fused op takes over.
//! - The product has no other use and is in the same block, so that no op is duplicated.
//! - In a sum of two products, the left one is fused.

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{
    Body, Flag, Func, OpId, Operation, Origin, Translate, Translated, Translation, Value, translate_func,
};
use tilewright_irs::cuda_tile::{CudaTile, FloatOp, RoundingMode, TileOp, TileType};

use crate::uses::use_counts;

type Cx<'a> = Translation<'a, CudaTile, CudaTile>;

/// Fuses products with sums.
///
/// # Errors
/// None; the type is that of all passes.
pub fn fuse_multiply_add(func: &Func<CudaTile>) -> Result<Func<CudaTile>, Vec<Diagnostic<Origin>>> {
    let mut pass = Fuse::search(&func.body);
    translate_func(func, func.attrs.clone(), &mut pass)
}

/// A sum or difference: its operands, whether it is a difference, and its rounding.
struct Sum {
    lhs: Value,
    rhs: Value,
    subtracts: bool,
    rounding: (RoundingMode, Flag),
}

fn sum(op: &TileOp) -> Option<Sum> {
    match *op {
        TileOp::Float(FloatOp::AddF {
            lhs,
            rhs,
            rounding_mode,
            flush_to_zero,
        }) => Some(Sum {
            lhs,
            rhs,
            subtracts: false,
            rounding: (rounding_mode, flush_to_zero),
        }),
        TileOp::Float(FloatOp::SubF {
            lhs,
            rhs,
            rounding_mode,
            flush_to_zero,
        }) => Some(Sum {
            lhs,
            rhs,
            subtracts: true,
            rounding: (rounding_mode, flush_to_zero),
        }),
        _ => None,
    }
}

/// A product's factors and its rounding.
fn product(op: &TileOp) -> Option<(Value, Value, (RoundingMode, Flag))> {
    match *op {
        TileOp::Float(FloatOp::MulF {
            lhs,
            rhs,
            rounding_mode,
            flush_to_zero,
        }) => Some((lhs, rhs, (rounding_mode, flush_to_zero))),
        _ => None,
    }
}

struct Fuse {
    /// The product that is fused into each sum.
    products: FxHashMap<OpId, OpId>,
    /// The fused products.
    fused: FxHashSet<OpId>,
}

impl Fuse {
    fn search(body: &Body<CudaTile>) -> Self {
        let uses = use_counts(body);
        let mut found = Self {
            products: FxHashMap::default(),
            fused: FxHashSet::default(),
        };
        let mut regions = vec![body.root()];
        while let Some(region) = regions.pop() {
            for &block in &body.region(region).blocks {
                let mut here: FxHashMap<Value, OpId> = FxHashMap::default();
                for &id in &body.block(block).ops {
                    let op = body.op(id);
                    regions.extend(op.kind.region_list());
                    if product(&op.kind).is_some() {
                        here.insert(op.result(0), id);
                    }
                    let Some(sum) = sum(&op.kind) else { continue };
                    let fits = |value: Value| {
                        let of = *here.get(&value)?;
                        let (_, _, rounding) = product(&body.op(of).kind)?;
                        (uses.get(value) == Some(&1) && rounding == sum.rounding).then_some(of)
                    };
                    if let Some(of) = fits(sum.lhs).or_else(|| fits(sum.rhs)) {
                        found.products.insert(id, of);
                        found.fused.insert(of);
                    }
                }
            }
        }
        found
    }
}

impl Translate<CudaTile, CudaTile> for Fuse {
    fn types(&mut self, ty: &TileType) -> Result<Vec<TileType>, Diagnostic<Origin>> {
        Ok(vec![ty.clone()])
    }

    fn op(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        if self.fused.contains(&id) {
            return Ok(());
        }
        let old = cx.old(id);
        let fused = self.products.get(&id).map(|&of| cx.old(of));
        let parts = fused.and_then(|fused| Some((sum(&old.kind)?, product(&fused.kind)?, fused.result(0))));
        let Some((sum, (lhs, rhs, rounding), taken)) = parts else {
            return cx.carry(id, &old.kind, self);
        };
        let result = old.result(0);
        let ty = cx.from.ty(result).clone();
        let is_left = taken == sum.lhs;
        let (mut lhs, rhs) = (cx.one(lhs), cx.one(rhs));
        let mut acc = cx.one(if is_left { sum.rhs } else { sum.lhs });
        if sum.subtracts {
            let negated = if is_left { &mut acc } else { &mut lhs };
            *negated = cx.value(FloatOp::NegF { source: *negated }, ty.clone());
        }
        let (rounding_mode, flush_to_zero) = rounding;
        let op = FloatOp::Fma {
            lhs,
            rhs,
            acc,
            rounding_mode,
            flush_to_zero,
        };
        let value = cx.value(op, ty);
        cx.bind(result, vec![value]);
        Ok(())
    }
}
