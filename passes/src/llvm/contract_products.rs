//! Rounds products and the sums that they are part of once, where the flag `contract` of both ops allows it.
//!
//! In and out: `llvm_like`. `a * b + c`, `a * b - c` and `c - a * b` become one `fma` each, of which a factor or the sum is
//! negated for a difference. What holds of the ops is as in [`fuse_multiply_add`](fn@crate::cuda_tile::fuse_multiply_add),
//! which does the same to tiles of programs that are compiled with `--fast-math=contract`: one rounding, one use of the
//! product, in its block. f16 and bf16 are fused to nearest only, since no target has the other directions.

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Body, Flag, Func, OpData, OpId, Origin, Value, reverse_postorder};
use tilewright_irs::dialects::arith::{ArithOp, FloatRounding};
use tilewright_irs::dialects::fast_math::{FastMathFlag, FastMathOf, FastMathOfSum};
use tilewright_irs::element::ScalarType;
use tilewright_irs::llvm::{Llvm, LlvmOp};

use super::rewrite::{Rewrite, Rewriter, Rewritten, rewrite};
use crate::uses::use_counts;

/// Fuses products with sums; see [the module](self).
pub fn contract_products(func: &Func<Llvm>) -> Result<Func<Llvm>, Vec<Diagnostic<Origin>>> {
    rewrite(func, &mut ContractProducts::of(&func.body))
}

/// What a product and a sum have in common if they are fused.
type Rules = (FloatRounding, Flag);

/// A sum or a difference that may be fused, or a product.
#[derive(Clone, Copy)]
struct Parts {
    lhs: Value,
    rhs: Value,
    rules: Rules,
    fast_math: FastMathOfSum,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Sum,
    Difference,
    Product,
}

fn parts(op: &LlvmOp) -> Option<Parts> {
    let LlvmOp::Arith(op) = op else { return None };
    let (lhs, rhs, rounding, flush, fast_math, kind) = match *op {
        ArithOp::AddF {
            lhs,
            rhs,
            rounding,
            flush_to_zero,
            fast_math,
        } => (lhs, rhs, rounding, flush_to_zero, fast_math, Kind::Sum),
        ArithOp::SubF {
            lhs,
            rhs,
            rounding,
            flush_to_zero,
            fast_math,
        } => (lhs, rhs, rounding, flush_to_zero, fast_math, Kind::Difference),
        ArithOp::MulF {
            lhs,
            rhs,
            rounding,
            flush_to_zero,
            fast_math,
        } => (lhs, rhs, rounding, flush_to_zero, fast_math, Kind::Product),
        _ => return None,
    };
    fast_math.get().has(FastMathFlag::Contract).then_some(Parts {
        lhs,
        rhs,
        rules: (rounding, flush),
        fast_math,
        kind,
    })
}

struct ContractProducts {
    /// The product that is fused into each sum.
    products: FxHashMap<OpId, OpId>,
    /// The fused products.
    fused: FxHashSet<OpId>,
}

impl ContractProducts {
    fn of(body: &Body<Llvm>) -> Self {
        let uses = use_counts(body);
        let mut found = Self {
            products: FxHashMap::default(),
            fused: FxHashSet::default(),
        };
        for &block in &reverse_postorder(body, body.root()) {
            let mut here: FxHashMap<Value, (OpId, Rules)> = FxHashMap::default();
            for &id in &body.block(block).ops {
                let op = body.op(id);
                let Some(parts) = parts(&op.kind) else { continue };
                let result = op.result(0);
                if parts.kind == Kind::Product {
                    let small = matches!(body.ty(result).scalar(), Some(ScalarType::F16 | ScalarType::BF16));
                    if !small || parts.rules.0 == FloatRounding::NearestEven {
                        here.insert(result, (id, parts.rules));
                    }
                    continue;
                }
                let fits = |value: Value| {
                    let &(of, rules) = here.get(&value)?;
                    (uses.get(value) == Some(&1) && rules == parts.rules).then_some(of)
                };
                if let Some(of) = fits(parts.lhs).or_else(|| fits(parts.rhs)) {
                    found.products.insert(id, of);
                    found.fused.insert(of);
                }
            }
        }
        found
    }
}

impl Rewriter for ContractProducts {
    fn concerns(&self, _: &Body<Llvm>, op: &OpData<Llvm>) -> bool {
        parts(&op.kind).is_some_and(|parts| parts.kind == Kind::Product)
    }

    fn op(&mut self, cx: &mut Rewrite<'_>, id: OpId) -> Rewritten {
        if self.fused.contains(&id) {
            return Ok(());
        }
        let old = cx.old(id);
        let product = self.products.get(&id).map(|&of| cx.old(of));
        let both =
            product.and_then(|product| Some((parts(&old.kind)?, parts(&product.kind)?, product.result(0))));
        let Some((sum, product, taken)) = both else {
            cx.keep(id);
            return Ok(());
        };
        let result = old.result(0);
        let ty = *cx.from.ty(result);
        let is_left = taken == sum.lhs;
        let (mut lhs, rhs) = (cx.new_value(product.lhs), cx.new_value(product.rhs));
        let mut acc = cx.new_value(if is_left { sum.rhs } else { sum.lhs });
        if sum.kind == Kind::Difference {
            let negated = if is_left { &mut acc } else { &mut lhs };
            let negation = ArithOp::NegF {
                source: *negated,
                fast_math: FastMathOf::NONE,
            };
            *negated = cx.value(negation, ty);
        }
        let (rounding, flush_to_zero) = sum.rules;
        let op = ArithOp::Fma {
            lhs,
            rhs,
            acc,
            rounding,
            flush_to_zero,
            fast_math: FastMathOf::of(sum.fast_math.get().and(product.fast_math.get())),
        };
        let value = cx.value(op, ty);
        cx.bind(result, value);
        Ok(())
    }
}
