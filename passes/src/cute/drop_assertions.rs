//! Drops assertions.
//!
//! In: `cute`. Out: `cute` without `cf.assert`. A program of the library checks what it asserts only where a build asks for checks.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Func, OpId, Origin, Translate, Translated};
use tilewright_irs::mlir::dialects::CfOp;
use tilewright_irs::mlir::{Mlir, MlirOp, Type};

use super::emit::{Cx, Problem, carry, translate_if};

/// Drops assertions; see [the module](self).
///
/// # Errors
/// None; the type is that of all passes.
pub fn drop_assertions(func: &Func<Mlir>) -> Result<Func<Mlir>, Vec<Diagnostic<Origin>>> {
    let concerns = |op: &MlirOp| matches!(op, MlirOp::Cf(CfOp::Assert { .. }));
    translate_if(func, concerns, &mut DropAssertions)
}

struct DropAssertions;

impl Translate<Mlir, Mlir> for DropAssertions {
    fn types(&mut self, ty: &Type) -> Result<Vec<Type>, Problem> {
        Ok(vec![ty.clone()])
    }

    fn op(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        match &cx.old(id).kind {
            MlirOp::Cf(CfOp::Assert { .. }) => Ok(()),
            _ => carry(cx, id, self),
        }
    }
}
