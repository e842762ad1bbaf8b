//! Checks that layouts that are composed fit.
//!
//! In: `cute`. Out: `cute` in which a `cf.assert` stands before each `composition` of two layouts: that the second one spans no more
//! elements (its `cosize`) than the first one has (its `size`), unless their types say so. (CuTe's layout algebra, "Composition"; the
//! library extends the last mode of the first layout instead.)
//! Ill-formed: a layout that spans more, as its type says.

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{Flag, Func, OpId, Origin, Translate, Translated, Value, translate_func};
use tilewright_irs::cute_types::{Kind, View, ViewLayout};
use tilewright_irs::mlir::dialects::{ArithOp, CfOp, CuteOp};
use tilewright_irs::mlir::enums::IntPredicate;
use tilewright_irs::mlir::{Mlir, MlirOp, Type};
use tilewright_layouts::cute::{Bits, Fact, Leaf, Nested, TypeLayout};

use super::emit::{Cx, Emit, Problem, carry};

/// Checks compositions; see [the module](self).
///
/// # Errors
/// A composition with a layout that spans too much, as the types say (E0315).
pub fn check_compositions(func: &Func<Mlir>) -> Result<Func<Mlir>, Vec<Diagnostic<Origin>>> {
    translate_func(func, func.attrs.clone(), &mut CheckCompositions)
}

struct CheckCompositions;

impl Translate<Mlir, Mlir> for CheckCompositions {
    fn types(&mut self, ty: &Type) -> Result<Vec<Type>, Problem> {
        Ok(vec![ty.clone()])
    }

    fn op(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        if let MlirOp::Cute(CuteOp::Composition { lhs, rhs }) = &cx.old(id).kind {
            check(cx, *lhs, *rhs)?;
        }
        carry(cx, id, self)
    }
}

/// The layout of a layout or a view, if it is a plain one.
fn layout(ty: &Type) -> Option<&TypeLayout> {
    match ty.kind()? {
        Kind::Layout(layout)
        | Kind::View(View {
            layout: ViewLayout::Plain(layout),
            ..
        }) => Some(layout),
        _ => None,
    }
}

/// Asserts what is to hold before two layouts are composed.
fn check(cx: &mut Cx<'_>, lhs: Value, rhs: Value) -> Translated {
    let (Some(first), Some(second)) = (layout(cx.from.ty(lhs)), layout(cx.from.ty(rhs))) else {
        return Ok(());
    };
    let (Ok(size), Ok(cosize)) = (first.size(), second.cosize()) else {
        return Ok(());
    };
    match cosize.provably_le(&size) {
        Some(true) => return Ok(()),
        Some(false) => {
            let message = format!(
                "the layout `{second}` spans {cosize} elements, more than the {size} of `{first}` with which it is composed"
            );
            return Err(Diagnostic::error(Code::OperandType, message).at(cx.origin(), "here"));
        }
        None => {}
    }
    let msg = format!("the layout {second} spans no more elements than {first} has");
    let is_view = matches!(cx.from.ty(lhs).kind(), Some(Kind::View(_)));
    let (first, second) = (cx.one(lhs), cx.one(rhs));
    let mut emit = Emit::at(cx);
    let first = match is_view {
        true => emit.algebra(CuteOp::GetLayout { input: first })?,
        false => first,
    };
    let size = emit.algebra(CuteOp::Size {
        input: first,
        mode: Vec::new(),
    })?;
    let cosize = emit.algebra(CuteOp::Cosize {
        input: second,
        mode: Vec::new(),
    })?;
    let (lhs, rhs) = (number(&mut emit, cosize)?, number(&mut emit, size)?);
    let holds = ArithOp::CmpI {
        lhs,
        rhs,
        predicate: IntPredicate::Sle,
    };
    let arg = emit.value(holds, Type::I1);
    emit.effect(CfOp::Assert { arg, msg });
    Ok(())
}

/// A number of elements as an `i64`.
fn number(emit: &mut Emit<'_>, of: Value) -> Result<Value, Problem> {
    let ty = emit.ty(of).clone();
    let fact = match ty.kind() {
        Some(Kind::IntTuple(Nested::Leaf(fact))) => Some(*fact),
        _ => None,
    };
    let narrow = match fact {
        Some(Fact::Static(_) | Fact::Dynamic { width: Bits::B32, .. }) => true,
        Some(Fact::Dynamic { width: Bits::B64, .. }) => false,
        _ => {
            return Err(emit.refused(
                Code::UnsupportedFeature,
                format!("a number of elements is a `{ty}`"),
            ));
        }
    };
    let scalars = CuteOp::GetScalars {
        cute_value: of,
        only_dynamic: Flag(false),
    };
    match narrow {
        true => {
            let source = emit.value(scalars, Type::I32);
            Ok(emit.value(ArithOp::ExtSI { source }, Type::I64))
        }
        false => Ok(emit.value(scalars, Type::I64)),
    }
}
