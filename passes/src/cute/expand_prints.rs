//! Expands the print of a tensor into a loop over its elements.
//!
//! In: `cute`. Out: `cute` without `print_view`: a `print` of the iterator and the layout, and a loop, that is not to be
//! unrolled, with the coordinate of each element, its load, and a `print` of both. The text is that of version 4.8.1 of the
//! library: numbers that are not negative have a blank before them.
//! Ill-formed: what is no tensor. Tensors printed as matrices (`verbose = false`) or with coordinates of their own are "not
//! supported yet".

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{Func, OpId, Origin, Translate, Translated, Value};
use tilewright_irs::mlir::dialects::{ArithOp, CuteOp};
use tilewright_irs::mlir::enums::{FastMath, FloatPredicate, IntPredicate};
use tilewright_irs::mlir::types::FloatFormat;
use tilewright_irs::mlir::{Attribute, Mlir, MlirOp, Type};

use super::emit::{Cx, Emit, Problem, carry, refused, translate_if};

/// Expands prints of tensors; see [the module](self).
///
/// # Errors
/// Prints that are ill-formed or not supported yet.
pub fn expand_prints(func: &Func<Mlir>) -> Result<Func<Mlir>, Vec<Diagnostic<Origin>>> {
    let concerns = |op: &MlirOp| matches!(op, MlirOp::Cute(CuteOp::PrintView { .. }));
    translate_if(func, concerns, &mut ExpandPrints)
}

struct ExpandPrints;

impl Translate<Mlir, Mlir> for ExpandPrints {
    fn types(&mut self, ty: &Type) -> Result<Vec<Type>, Problem> {
        Ok(vec![ty.clone()])
    }

    fn op(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        let old = cx.old(id);
        let MlirOp::Cute(CuteOp::PrintView {
            src,
            coord,
            verbose,
            is_signed,
        }) = &old.kind
        else {
            return carry(cx, id, self);
        };
        if coord.is_some() || *verbose == Some(false) {
            let message = "a tensor is printed only as a list of all its elements yet";
            return Err(refused(Code::UnsupportedFeature, old.origin, message));
        }
        let src = cx.one(*src);
        tensor(&mut Emit::at(cx), src, is_signed.unwrap_or(true))
    }
}

fn tensor(emit: &mut Emit<'_>, src: Value, signed: bool) -> Translated {
    let iter = emit.algebra(CuteOp::GetIter { source: src })?;
    let layout = emit.algebra(CuteOp::GetLayout { input: src })?;
    print(emit, "tensor({} o {}, data= (\n", &[iter, layout], None);
    let count = emit.size(layout, &[])?;
    emit.each_in_turn(count, |emit, place| {
        let coord = emit.coord(&[place]);
        let element = emit.algebra(CuteOp::MemrefLoad { src, coord })?;
        let shape = emit.algebra(CuteOp::GetShape { input: layout })?;
        let identity = emit.algebra(CuteOp::MakeIdentityLayout { shape })?;
        let at = emit.algebra(CuteOp::Crd2idx {
            coord,
            layout: identity,
        })?;
        let line = |emit: &mut Emit<'_>, text| print(emit, text, &[at, element], Some(vec![true, signed]));
        match negative(emit, element, signed) {
            Some(negative) => emit
                .choose(
                    negative,
                    &[],
                    |emit| {
                        line(emit, "\t{}={}\n");
                        Ok(Vec::new())
                    },
                    |emit| {
                        line(emit, "\t{}= {}\n");
                        Ok(Vec::new())
                    },
                )
                .map(|_| ()),
            None => {
                line(emit, "\t{}= {}\n");
                Ok(())
            }
        }
    })?;
    print(emit, ")\n", &[], None);
    Ok(())
}

fn print(emit: &mut Emit<'_>, text: &str, values: &[Value], operand_signed: Option<Vec<bool>>) {
    emit.effect(CuteOp::Print {
        values: values.to_vec(),
        fmt: Some(text.to_owned()),
        operand_signed,
    });
}

/// Whether a number is negative, or no number; `None` if it cannot be.
fn negative(emit: &mut Emit<'_>, number: Value, signed: bool) -> Option<Value> {
    let ty = emit.ty(number).clone();
    match ty {
        Type::Integer(..) if signed => {
            let rhs = emit.literal(Attribute::Integer(0, ty.clone()), ty);
            let op = ArithOp::CmpI {
                lhs: number,
                rhs,
                predicate: IntPredicate::Slt,
            };
            Some(emit.value(op, Type::I1))
        }
        Type::Float(format) => {
            let narrow = format.bits() < 16;
            let (number, format) = match narrow {
                true => {
                    let op = ArithOp::ExtF {
                        source: number,
                        fastmath: None,
                    };
                    let wide = FloatFormat::F32;
                    (emit.value(op, Type::Float(wide)), wide)
                }
                false => (number, format),
            };
            let rhs = emit.literal(Attribute::Float(0, format), Type::Float(format));
            let op = ArithOp::CmpF {
                lhs: number,
                rhs,
                fastmath: FastMath::default(),
                predicate: FloatPredicate::Ult,
            };
            Some(emit.value(op, Type::I1))
        }
        _ => None,
    }
}
