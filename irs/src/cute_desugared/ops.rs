//! Ops of `cute_desugared`.

use crate::core::Value;
use crate::dialects::arith::ArithOp;
use crate::dialects::copies::CopiesOp;
use crate::dialects::cute::{AlgebraOp, CuteOp, DivisionOp, IteratorOp};
use crate::dialects::cute_nvgpu::CuteNvgpuOp;
use crate::dialects::fast_math::language_has_fast_math;
use crate::dialects::fragment::FragmentOp;
use crate::dialects::gpu::{GpuOp, GridOp};
use crate::dialects::math::MathOp;
use crate::dialects::pipe::PipeOp;
use crate::dialects::scf::ScfOp;
use crate::isa::{Instruction, TargetOp};

crate::language_ops! {
    /// The ops of `cute_desugared`.
    pub enum CuteDesugaredOp {
        /// Arithmetic on scalars and fragments.
        Arith(ArithOp),
        /// Elementary functions.
        Math(MathOp),
        /// Structured control flow.
        Scf(ScfOp),
        /// Values of layout algebra, and accesses.
        Cute(CuteOp),
        /// Layout algebra.
        Algebra(AlgebraOp),
        /// Division by prepared divisors.
        Division(DivisionOp),
        /// Iterators over tiles.
        Iterator(IteratorOp),
        /// Architecture ops of a thread.
        CuteNvgpu(CuteNvgpuOp),
        /// Copies by hardware.
        Copies(CopiesOp),
        /// Fragments and linear layouts.
        Fragment(FragmentOp),
        /// Rings of stages.
        Pipe(PipeOp),
        /// Thread and block indices, barriers.
        Gpu(GpuOp),
        /// Grids before and after.
        Grid(GridOp),
        /// Target instructions that the program names itself.
        Target(Box<TargetOp>),
    }
}

impl From<TargetOp> for CuteDesugaredOp {
    fn from(op: TargetOp) -> Self {
        Self::Target(Box::new(op))
    }
}

impl From<Instruction<Value>> for CuteDesugaredOp {
    fn from(instruction: Instruction<Value>) -> Self {
        TargetOp::from(instruction).into()
    }
}

language_has_fast_math!(CuteDesugaredOp: Arith | Math);
