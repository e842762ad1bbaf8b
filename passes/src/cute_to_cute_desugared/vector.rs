//! Vectors as fragments.

use tilewright_irs::core::{Flag, OpId, Translated, Value};
use tilewright_irs::cute_desugared::DesugaredType;
use tilewright_irs::dialects::arith::{ArithOp, FloatRounding, Overflow, Signedness};
use tilewright_irs::dialects::fragment::FragmentOp;
use tilewright_irs::mlir::Type;
use tilewright_irs::mlir::dialects::VectorOp;
use tilewright_irs::mlir::enums::{CombiningKind, FastMath};

use super::arith::flags;
use super::state::{Cx, Desugar, not_lowered};
use super::types::number;

/// Lowers an op.
pub(super) fn lower(pass: &Desugar, cx: &mut Cx<'_>, id: OpId, op: &VectorOp) -> Translated {
    let result = cx.old(id).result(0);
    let Some(ty) = number(cx.from.ty(result)) else {
        return Err(not_lowered(cx, id));
    };
    let value = match op {
        VectorOp::Extract {
            source,
            dynamic,
            position,
        } => {
            let mut dynamic = dynamic.iter();
            let position: Option<Vec<i64>> = position
                .iter()
                .map(|&at| match at {
                    i64::MIN => dynamic.next().and_then(|&value| pass.constant(value)),
                    _ => Some(at),
                })
                .collect();
            let Some(from) = position.and_then(|position| number_at(cx.from.ty(*source), &position)) else {
                return Err(not_lowered(cx, id));
            };
            let source = cx.one(*source);
            match ty {
                DesugaredType::Fragment(count, _) => {
                    let from = (from..from + count).collect();
                    cx.value(FragmentOp::Rearrange { source, from }, ty)
                }
                _ => cx.value(FragmentOp::Extract { source, index: from }, ty),
            }
        }
        VectorOp::FromElements { elements } => {
            let elements = elements.iter().map(|&element| cx.one(element)).collect();
            cx.value(FragmentOp::Make { elements }, ty)
        }
        VectorOp::Broadcast { source } => {
            let source = cx.one(*source);
            let count = ty.count();
            match cx.ty(source).clone() {
                DesugaredType::Fragment(own, _) => {
                    let from = (0..count).map(|i| i % own.max(1)).collect();
                    cx.value(FragmentOp::Rearrange { source, from }, ty)
                }
                _ => cx.value(FragmentOp::Splat { source }, ty),
            }
        }
        VectorOp::Reduction {
            vector,
            acc,
            fastmath,
            kind,
        } => {
            let source = cx.one(*vector);
            let count = cx.ty(source).count();
            let mut parts: Vec<Value> = (0..count)
                .map(|index| cx.value(FragmentOp::Extract { source, index }, ty.clone()))
                .collect();
            if let Some(acc) = acc {
                parts.insert(0, cx.one(*acc));
            }
            combined(cx, parts, *kind, *fastmath, &ty)
        }
    };
    cx.bind(result, [value]);
    Ok(())
}

/// The number of the first element at a position, in row-major order.
fn number_at(ty: &Type, position: &[i64]) -> Option<u32> {
    let Type::Vector(vector) = ty else { return None };
    let mut at = 0u64;
    for (i, &extent) in vector.shape.iter().enumerate() {
        let own = position.get(i).copied().unwrap_or(0);
        at = at
            .checked_mul(extent)?
            .checked_add(u64::try_from(own).ok().filter(|own| *own < extent)?)?;
    }
    u32::try_from(at).ok()
}

/// Combines numbers: sums and products of floats in order unless they may be reordered, all others in a balanced tree.
fn combined(
    cx: &mut Cx<'_>,
    mut parts: Vec<Value>,
    kind: CombiningKind,
    fastmath: FastMath,
    ty: &DesugaredType,
) -> Value {
    let is_float = tilewright_irs::core::ValueType::element(ty).and_then(|element| element.is_float());
    let ordered = matches!(kind, CombiningKind::Add | CombiningKind::Mul)
        && is_float == Some(true)
        && !fastmath.has("reassoc");
    while parts.len() > 1 {
        if ordered {
            let rest = parts.split_off(2);
            let both = pair(cx, &parts, kind, fastmath, ty, is_float == Some(true));
            parts = vec![both];
            parts.extend(rest);
        } else {
            let pairs: Vec<Vec<Value>> = parts.chunks(2).map(<[Value]>::to_vec).collect();
            parts = pairs
                .iter()
                .map(|own| pair(cx, own, kind, fastmath, ty, is_float == Some(true)))
                .collect();
        }
    }
    match parts.first() {
        Some(only) => *only,
        // A vector has at least one element.
        None => cx.value(FragmentOp::Make { elements: Vec::new() }, ty.clone()),
    }
}

fn pair(
    cx: &mut Cx<'_>,
    own: &[Value],
    kind: CombiningKind,
    fastmath: FastMath,
    ty: &DesugaredType,
    is_float: bool,
) -> Value {
    let (lhs, rhs) = match own {
        [lhs, rhs] => (*lhs, *rhs),
        [one] => return *one,
        _ => {
            return cx.value(
                FragmentOp::Make {
                    elements: own.to_vec(),
                },
                ty.clone(),
            );
        }
    };
    let (rounding, flush_to_zero, overflow) = (FloatRounding::NearestEven, Flag(false), Overflow::Wraps);
    let op = match kind {
        CombiningKind::Add if is_float => ArithOp::AddF {
            lhs,
            rhs,
            rounding,
            flush_to_zero,
            fast_math: flags(fastmath),
        },
        CombiningKind::Mul if is_float => ArithOp::MulF {
            lhs,
            rhs,
            rounding,
            flush_to_zero,
            fast_math: flags(fastmath),
        },
        CombiningKind::Add => ArithOp::AddI { lhs, rhs, overflow },
        CombiningKind::Mul => ArithOp::MulI { lhs, rhs, overflow },
        CombiningKind::Minui => ArithOp::MinI {
            lhs,
            rhs,
            signedness: Signedness::Unsigned,
        },
        CombiningKind::Minsi => ArithOp::MinI {
            lhs,
            rhs,
            signedness: Signedness::Signed,
        },
        CombiningKind::Maxui => ArithOp::MaxI {
            lhs,
            rhs,
            signedness: Signedness::Unsigned,
        },
        CombiningKind::Maxsi => ArithOp::MaxI {
            lhs,
            rhs,
            signedness: Signedness::Signed,
        },
        CombiningKind::And => ArithOp::AndI { lhs, rhs },
        CombiningKind::Or => ArithOp::OrI { lhs, rhs },
        CombiningKind::Xor => ArithOp::XorI { lhs, rhs },
        CombiningKind::Minnumf | CombiningKind::Minimumf => ArithOp::MinF {
            lhs,
            rhs,
            propagate_nan: Flag(matches!(kind, CombiningKind::Minimumf)),
            flush_to_zero,
            fast_math: flags(fastmath),
        },
        CombiningKind::Maxnumf | CombiningKind::Maximumf => ArithOp::MaxF {
            lhs,
            rhs,
            propagate_nan: Flag(matches!(kind, CombiningKind::Maximumf)),
            flush_to_zero,
            fast_math: flags(fastmath),
        },
    };
    cx.value(op, ty.clone())
}
