//! Gives fragments their registers.
//!
//! In: `cute`. Out: `cute` without `mma.make_fragment` and `copy.make_fragment`: a fragment in registers is a
//! `memref.alloca` of its type, which has the layout that the instruction wants; one that is where its tensor is, is the
//! tensor.
//! Ill-formed: fragments that are descriptors of shared memory or in tensor memory are "not supported yet".

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{Func, OpId, Origin, Translate, Translated};
use tilewright_irs::cute_types::Space;
use tilewright_irs::mlir::dialects::CuteOp;
use tilewright_irs::mlir::{Mlir, MlirOp, Type};

use super::emit::{Cx, Emit, Problem, carry, refused, translate_if, view_of};

/// Gives fragments registers; see [the module](self).
///
/// # Errors
/// Fragments that are not in registers.
pub fn expand_fragments(func: &Func<Mlir>) -> Result<Func<Mlir>, Vec<Diagnostic<Origin>>> {
    let concerns = |op: &MlirOp| {
        matches!(
            op,
            MlirOp::Cute(CuteOp::MmaMakeFragment { .. } | CuteOp::CopyMakeFragment { .. })
        )
    };
    translate_if(func, concerns, &mut ExpandFragments)
}

struct ExpandFragments;

impl Translate<Mlir, Mlir> for ExpandFragments {
    fn types(&mut self, ty: &Type) -> Result<Vec<Type>, Problem> {
        Ok(vec![ty.clone()])
    }

    fn op(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        let old = cx.old(id);
        let (input, atom) = match &old.kind {
            MlirOp::Cute(
                CuteOp::MmaMakeFragment { atom, input, .. } | CuteOp::CopyMakeFragment { atom, input, .. },
            ) => (*input, *atom),
            _ => return carry(cx, id, self),
        };
        let ty = cx.from.ty(old.result(0)).clone();
        let value = match view_of(&ty) {
            Some(view) if view.pointer.space() == Space::Register => {
                if !view.layout.layout().is_static() {
                    let message = format!("registers of the layout {} have no number", view.layout.layout());
                    return Err(refused(Code::OperandType, old.origin, message));
                }
                Emit::at(cx).value(CuteOp::MemrefAlloca { layout: None }, ty)
            }
            Some(_) if *cx.from.ty(input) == ty => cx.one(input),
            _ => {
                let atom = cx.from.ty(atom);
                let message =
                    format!("a fragment of type `{ty}` of `{atom}`, not in registers, is not lowered yet");
                return Err(refused(Code::UnsupportedFeature, old.origin, message));
            }
        };
        cx.bind_results(id, [value]);
        Ok(())
    }
}
