//! `cute`: per-thread code on tensors and layouts, as written by CuTe's users, with all sugar.
//!
//! The second input language. Names, types and semantics of the ops are the public ones of NVIDIA/cutlass; the syntax
//! is the regular one of all inner languages.

mod sugar;
mod types;

use tilewright_diagnostics::Code;

use crate::core::{Func, Language, Origin, Part, Problems};
use crate::dialects::arith::ArithOp;
use crate::dialects::arith_rules;
use crate::dialects::cute::{CuteOp as Primitive, check_cached, check_inferred, check_primitive};
use crate::dialects::cute_nvgpu::CuteNvgpuOp;
use crate::dialects::fast_math::language_has_fast_math;
use crate::dialects::gpu::GpuOp;
use crate::dialects::memory_rules::check_scope;
use crate::dialects::pipe::{self, PipeOp};
use crate::dialects::scf::{self, ScfOp};
use crate::element::ElementType;
use crate::tileas::TileAsAttrs;

pub use sugar::{SugarOp, infer_sugar};
pub use types::CuteType;

/// The language `cute`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Cute;

crate::language_ops! {
    /// The ops of `cute`.
    pub enum CuteOp {
        /// Arithmetic on scalars.
        Arith(ArithOp),
        /// Structured control flow.
        Scf(ScfOp),
        /// Layout algebra.
        Cute(Primitive),
        /// Layout algebra on whole layouts and tensors.
        Sugar(SugarOp),
        /// Architecture ops of a thread.
        CuteNvgpu(CuteNvgpuOp),
        /// Rings of stages.
        Pipe(PipeOp),
        /// Thread and block indices, barriers.
        Gpu(GpuOp),
    }
}

language_has_fast_math!(CuteOp: Arith);

impl Language for Cute {
    const NAME: &'static str = "cute";
    type Type = CuteType;
    type Op = CuteOp;
    type Tag = ();
    type FuncAttrs = TileAsAttrs;

    fn verify(func: &Func<Self>, problems: &mut Problems) {
        func.attrs.verify(problems);
        let body = &func.body;
        let wrong = body.params().iter().position(|&param| match body.ty(param) {
            CuteType::Scalar(_) => false,
            CuteType::Algebra(ty) => !ty.is_global_pointer(),
            CuteType::Pipe(_) => true,
        });
        if let Some(wrong) = wrong {
            let message = "a parameter is a number or a pointer to global memory without a swizzle";
            problems.error_at(
                Origin::FUNCTION,
                Part::argument(wrong),
                Code::OperandType,
                message,
            );
        }
        let integer = |ty: &CuteType| matches!(ty, CuteType::Scalar(ElementType::Scalar(s)) if s.is_int());
        scf::verify(
            body,
            scf::Planning::Done,
            problems,
            &|op| if let CuteOp::Scf(op) = op { Some(op) } else { None },
            &integer,
        );
        for id in body.walk() {
            let op = body.op(id);
            let checked = match &op.kind {
                CuteOp::Arith(arith) => {
                    arith_rules::verify(body, op, arith, Some(1), problems);
                    Ok(())
                }
                CuteOp::Scf(_) | CuteOp::CuteNvgpu(_) => Ok(()),
                CuteOp::Cute(own) => {
                    check_cached(body, op, own, problems);
                    check_primitive(body, op, own)
                }
                CuteOp::Sugar(own) => check_inferred(body, op, |operands| infer_sugar(own, operands)),
                CuteOp::Pipe(own) => pipe::check(body, op, own),
                CuteOp::Gpu(own) => {
                    check_scope(op, own.field().copied(), func.attrs.target, problems);
                    crate::dialects::gpu::check(body, op, own, &|_| None)
                }
            };
            if let Err((code, message)) = checked {
                problems.error(op.origin, code, message);
            }
        }
    }
}
