//! Makes matrix products those that instructions of the target compute. `tileaa` to `tileaa`.
//!
//! In: any function. Out: the same program, where every `tileaa.dot` without a route has types that `mma.sync` multiplies on the
//! target and is at least as long along K as the instruction, or multiplies `f32`, `f64` or `i32` into sums of the same type.
//! Floats of 8 bits are widened to `f16` even where they have an instruction, since that adds with fewer bits than
//! `f32`, unless the product is `fast`. A sum of `f16` is kept in `f32` if its operands
//! are, and rounded at the end. Widening is exact.
//!
//! A product whose route is `turned` becomes the transposed one of the transposed operands; `num_warps` is then that for which the
//! route was chosen.
//!
//! A product of 8-bit floats with a route, which reads them from shared memory as they are, is summed on two levels unless it is
//! `fast`: the instruction adds the at most 128 products of a tile, from zero on, and threads add the result to the
//! sum in `f32`, unless that is zero.

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{
    Flag, Func, OpId, Origin, SideTable, Translate, Translated, Translation, Value, ValueType, translate_func,
};
use tilewright_irs::dialects::arith::{ArithOp, FloatRounding, Signedness};
use tilewright_irs::dialects::fast_math::FastMathOf;
use tilewright_irs::dialects::product_rules::extents;
use tilewright_irs::dialects::route::{OperandPlace, ProductRoute};
use tilewright_irs::dialects::tile::TileOp;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::literal::{Dense, Literal};
use tilewright_irs::ptx::Target;
use tilewright_irs::tileaa::{TileAa, TileAaDialect, TileAaOp, TileAaType};
use tilewright_irs::tileas::atoms::MmaSyncAtom;

use super::axis_classes::with_extents;
use super::choose_routes::computing_warps;
use super::own_sums::{MOST_ADDED, adds_with_few_bits, has_own_sum, is_of_8_bits};
use crate::program_slice::Places;

/// Makes products those that instructions compute.
///
/// # Errors
/// An instruction would add too many products of 8-bit floats (E0314).
pub fn legalize_products(func: &Func<TileAa>) -> Result<Func<TileAa>, Vec<Diagnostic<Origin>>> {
    let target = func.attrs.target;
    let mut attrs = func.attrs.clone();
    if func.body.ops().any(|(_, op)| is_turned(&op.kind)) {
        attrs.num_warps = Some(computing_warps(func, &Places::of(&func.body)));
    }
    let definitions = func.body.definitions();
    translate_func(func, attrs, &mut Legalize { target, definitions })
}

/// Whether an op is a product that is to be transposed.
fn is_turned(op: &TileAaOp) -> bool {
    matches!(
        op,
        TileAaOp::TileAa(TileAaDialect::Dot {
            route: Some(ProductRoute::Wgmma { turned: true, .. }),
            ..
        })
    )
}

type Cx<'a> = Translation<'a, TileAa, TileAa>;

struct Legalize {
    target: Target,
    definitions: SideTable<Value, OpId>,
}

impl Translate<TileAa, TileAa> for Legalize {
    fn types(&mut self, ty: &TileAaType) -> Result<Vec<TileAaType>, Diagnostic<Origin>> {
        Ok(vec![ty.clone()])
    }

    fn op(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        let op = cx.old(id);
        if let TileAaOp::TileAa(dot @ TileAaDialect::Dot { route: Some(_), .. }) = &op.kind {
            return self.routed(cx, id, dot);
        }
        if let TileAaOp::TileAa(TileAaDialect::Dot {
            a,
            b,
            acc,
            signedness_a,
            signedness_b,
            fast,
            route: None,
        }) = op.kind
            && let Some([from, _, sums]) = scalars(cx, [a, b, acc])
            && let Some((wide, wide_sums)) = self.widened(cx, [a, b, acc], from, sums, fast)
            && (wide, wide_sums) != (from, sums)
        {
            let a = converted(cx, cx.one(a), wide, signedness_a);
            let b = converted(cx, cx.one(b), wide, signedness_b);
            let acc = converted(cx, cx.one(acc), wide_sums, Signedness::Signed);
            let ty = cx.ty(acc).bare();
            let dot = TileAaDialect::Dot {
                a,
                b,
                acc,
                signedness_a,
                signedness_b,
                fast,
                route: None,
            };
            let product = cx.value(dot, ty);
            let product = converted(cx, product, sums, Signedness::Signed);
            cx.bind(op.result(0), [product]);
            return Ok(());
        }
        cx.carry(id, &op.kind, self)
    }
}

impl Legalize {
    /// A product with a route: transposed if it is turned, and on two levels if instructions add with few bits.
    fn routed(&mut self, cx: &mut Cx<'_>, id: OpId, dot: &TileAaDialect) -> Translated {
        let &TileAaDialect::Dot {
            a,
            b,
            acc,
            signedness_a,
            signedness_b,
            route: Some(ProductRoute::Wgmma { n, turned, .. }),
            ..
        } = dot
        else {
            return Ok(());
        };
        let adds_with_few_bits = adds_with_few_bits(cx.from, dot);
        let has_own_sum = has_own_sum(cx.from, |value| self.definitions.get(value).copied(), dot);
        let added = cx.from.ty(a).shape().and_then(|shape| shape.last()).copied();
        if let Some(added) = added.filter(|&added| adds_with_few_bits && added > MOST_ADDED) {
            let message = format!(
                "a product of 8-bit floats that is not `fast` takes `wgmma` for at most {MOST_ADDED} columns of A, not \
                 {added}: its sums have fewer bits than `f32`"
            );
            return Err(Diagnostic::error(Code::AttributeValue, message).at(cx.origin(), ""));
        }
        let [left, right, sum] = [a, b, acc].map(|value| cx.one(value));
        let sum_type = cx.ty(sum).bare();
        let ty = match turned {
            true => transposed_type(&sum_type),
            false => sum_type.clone(),
        };
        let begin = match (has_own_sum, turned) {
            (true, _) => zeros(cx, ty.clone()),
            (false, true) => transposed(cx, sum),
            (false, false) => sum,
        };
        let mut new = dot.clone();
        if let TileAaDialect::Dot {
            a,
            b,
            acc,
            signedness_a: of_left,
            signedness_b: of_right,
            fast,
            route,
        } = &mut new
        {
            (*a, *b, *acc) = (left, right, begin);
            *fast = Flag(fast.0 || adds_with_few_bits);
            if turned {
                (*a, *b) = (transposed(cx, right), transposed(cx, left));
                (*of_left, *of_right) = (signedness_b, signedness_a);
                *route = Some(ProductRoute::Wgmma {
                    n,
                    a: OperandPlace::Registers,
                    b: OperandPlace::Shared,
                    turned: false,
                });
            }
        }
        let mut product = cx.value(new, ty);
        if turned {
            product = transposed(cx, product);
        }
        if has_own_sum {
            let added = ArithOp::AddF {
                lhs: sum,
                rhs: product,
                rounding: FloatRounding::NearestEven,
                flush_to_zero: Flag(false),
                fast_math: FastMathOf::NONE,
            };
            product = cx.value(added, sum_type);
        }
        cx.bind(cx.old(id).result(0), [product]);
        Ok(())
    }

    /// The types of operands and sums that are multiplied instead.
    fn widened(
        &self,
        cx: &Cx<'_>,
        operands: [Value; 3],
        mut operand: ScalarType,
        mut sum: ScalarType,
        Flag(fast): Flag,
    ) -> Option<(ScalarType, ScalarType)> {
        let [a, b, acc] = operands.map(|value| cx.from.ty(value).shape().unwrap_or_default());
        let matrix = extents(a, b, acc).ok()?.matrix;
        // The instructions for 8-bit floats add with fewer bits than f32 has.
        let allowed = |operand| fast || !is_of_8_bits(operand);
        while !allowed(operand) || MmaSyncAtom::of([operand, operand, sum], matrix, self.target).is_none() {
            let Some(next) = wider(operand) else { break };
            operand = next;
            if operand == ScalarType::F32 {
                sum = ScalarType::F32;
            }
        }
        Some((operand, sum))
    }
}

/// A tile of zeros.
fn zeros(cx: &mut Cx<'_>, ty: TileAaType) -> Value {
    let scalar = ty
        .element()
        .and_then(ElementType::scalar)
        .unwrap_or(ScalarType::F32);
    let value = Dense::Splat(Literal::new(scalar, 0));
    cx.value(ArithOp::Constant { value }, ty)
}

/// A matrix with its axes exchanged.
fn transposed(cx: &mut Cx<'_>, source: Value) -> Value {
    let ty = transposed_type(&cx.ty(source).bare());
    let permutation = vec![1, 0];
    cx.value(TileOp::Permute { source, permutation }, ty)
}

/// The type of a matrix with its axes exchanged.
pub(super) fn transposed_type(ty: &TileAaType) -> TileAaType {
    let mut shape = ty.shape().unwrap_or_default().to_vec();
    shape.reverse();
    with_extents(&ty.bare(), shape)
}

/// The next wider type of multiplicands, which holds all their values; `None` for those that scalar instructions multiply.
fn wider(operand: ScalarType) -> Option<ScalarType> {
    use ScalarType::{BF16, F8E4M3FN, F8E5M2, F16, F32, I4, I8, I32, TF32};
    match operand {
        F8E4M3FN | F8E5M2 => Some(F16),
        F16 | BF16 | TF32 => Some(F32),
        I4 => Some(I8),
        I8 => Some(I32),
        _ => None,
    }
}

/// The element types of some tiles of numbers.
fn scalars(cx: &Cx<'_>, values: [Value; 3]) -> Option<[ScalarType; 3]> {
    let [a, b, acc] = values.map(|value| cx.from.ty(value).element().and_then(ElementType::scalar));
    Some([a?, b?, acc?])
}

/// A tile with its elements converted.
fn converted(cx: &mut Cx<'_>, source: Value, to: ScalarType, signedness: Signedness) -> Value {
    let ty = cx.ty(source).bare();
    if ty.element() == Some(to.into()) {
        return source;
    }
    let op = if to.is_int() {
        ArithOp::ExtI { source, signedness }
    } else {
        let rounding = FloatRounding::NearestEven;
        ArithOp::FToF { source, rounding }
    };
    cx.value(op, ty.with_element(to.into()))
}
