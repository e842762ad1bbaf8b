//! Expands the comparison of layouts and views into that of their shapes and strides.
//!
//! In: `cute`. Out: `cute` whose `equal` has tuples only: layouts, and the layouts of views, are equal if both their shapes and
//! their strides are. Pointers are not compared. (The library compares no views; the seed does.)
//! Ill-formed: layouts under a swizzle or another layout, which are "not supported yet".

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{Func, OpId, Origin, Translate, Translated, Value};
use tilewright_irs::cute_types::{Kind, View, ViewLayout};
use tilewright_irs::mlir::dialects::{ArithOp, CuteOp};
use tilewright_irs::mlir::{Mlir, MlirOp, Type};

use super::emit::{Cx, Emit, Problem, carry, translate_if};

/// Expands comparisons of layouts and views; see [the module](self).
///
/// # Errors
/// Comparisons that are not supported yet.
pub fn expand_comparisons(func: &Func<Mlir>) -> Result<Func<Mlir>, Vec<Diagnostic<Origin>>> {
    let concerns = |op: &MlirOp| matches!(op, MlirOp::Cute(CuteOp::Equal { .. }));
    translate_if(func, concerns, &mut ExpandComparisons)
}

struct ExpandComparisons;

impl Translate<Mlir, Mlir> for ExpandComparisons {
    fn types(&mut self, ty: &Type) -> Result<Vec<Type>, Problem> {
        Ok(vec![ty.clone()])
    }

    fn op(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        let MlirOp::Cute(CuteOp::Equal { lhs, rhs }) = &cx.old(id).kind else {
            return carry(cx, id, self);
        };
        let compared = [*lhs, *rhs].map(|value| Compared::of(cx.from.ty(value)));
        if compared == [Compared::Tuple; 2] {
            return carry(cx, id, self);
        }
        let values = [cx.one(*lhs), cx.one(*rhs)];
        let mut emit = Emit::at(cx);
        let mut layouts = Vec::new();
        for (value, compared) in values.into_iter().zip(compared) {
            layouts.push(match compared {
                Compared::Layout => value,
                Compared::View => emit.algebra(CuteOp::GetLayout { input: value })?,
                Compared::Tuple | Compared::Other => {
                    let message = format!("`{}` is compared with no layout yet", emit.ty(value));
                    return Err(emit.refused(Code::UnsupportedFeature, message));
                }
            });
        }
        let shapes = of_each(&mut emit, &layouts, |input| CuteOp::GetShape { input })?;
        let strides = of_each(&mut emit, &layouts, |input| CuteOp::GetStride { input })?;
        let both = ArithOp::AndI {
            lhs: shapes,
            rhs: strides,
        };
        let both = emit.value(both, Type::I1);
        cx.bind_results(id, [both]);
        Ok(())
    }
}

/// What is compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Compared {
    Tuple,
    Layout,
    View,
    Other,
}

impl Compared {
    fn of(ty: &Type) -> Self {
        match ty.kind() {
            Some(Kind::IntTuple(_) | Kind::Shape(_) | Kind::Stride(_) | Kind::Coord(_)) => Self::Tuple,
            Some(Kind::Layout(_)) => Self::Layout,
            Some(Kind::View(View {
                layout: ViewLayout::Plain(_),
                ..
            })) => Self::View,
            _ => Self::Other,
        }
    }
}

/// Whether a part of the one layout equals that of the other.
fn of_each(emit: &mut Emit<'_>, layouts: &[Value], part: impl Fn(Value) -> CuteOp) -> Result<Value, Problem> {
    let parts = layouts.iter().map(|&layout| emit.algebra(part(layout)));
    let parts: Vec<Value> = parts.collect::<Result<_, _>>()?;
    match parts.as_slice() {
        &[lhs, rhs] => Ok(emit.value(CuteOp::Equal { lhs, rhs }, Type::I1)),
        _ => Err(emit.refused(Code::OperandCount, "two layouts are compared")),
    }
}
