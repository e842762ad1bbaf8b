//! Lowers kernels of `cute` to the primitives of its algebra.
//!
//! In: `cute`, with copies and products expanded to single instructions. Out: `cute_desugared`. Layouts and tuples are computed by
//! the algebra on their dynamic leaves, with `arith`, and put together again by `cute.flat`; an op on a tensor is the same op on its
//! layout, and moves its pointer; an access is `cute.ptr.load` or `cute.ptr.store` at a pointer. Static leaves are part of types.
//! Target neutral. Ill-formed: ops that have no lowering yet, which are refused by name.

use std::cell::Cell;

use rustc_hash::FxHashMap;
use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{Func, OpId, Origin, Translate, Translated, Value, translate_func};
use tilewright_irs::cute_desugared::{CuteDesugared, DesugaredType};
use tilewright_irs::cute_types::{Kind, Space};
use tilewright_irs::isa::Target;
use tilewright_irs::mlir::dialects::{ArithOp, BuiltinOp, CfOp, CudaOp, CuteOp, UbOp};
use tilewright_irs::mlir::{Attribute, Mlir, MlirOp, Type};

use super::attributes::attributes;
use super::computed::computed;
use super::state::{Cx, Desugar, not_lowered};
use super::{algebra, arith, llvm, math, nvvm, prints, types, vector};

/// Lowers a kernel; see [the module](self).
///
/// # Errors
/// Ops without a lowering, and what the target or a block cannot have.
pub fn desugar(func: &Func<Mlir>, target: Target) -> Result<Func<CuteDesugared>, Vec<Diagnostic<Origin>>> {
    let attrs = attributes(func, target).map_err(|problem| vec![problem])?;
    let wrong = func.body.params().iter().enumerate();
    let wrong: Vec<_> = wrong
        .filter_map(|(number, &parameter)| parameter_problem(number, func.body.ty(parameter)))
        .collect();
    if !wrong.is_empty() {
        return Err(wrong);
    }
    let mut pass = Desugar {
        dialect: func.attrs.dialect,
        target,
        threads: attrs.block().count(),
        constants: constants(func),
        frames: Vec::new(),
        carry: Cell::default(),
    };
    translate_func(func, attrs, &mut pass)
}

/// What is wrong with a parameter: a launch has no vectors and structs, and no memory of a block or of a thread.
fn parameter_problem(number: usize, ty: &Type) -> Option<Diagnostic<Origin>> {
    let space = match ty.kind() {
        Some(Kind::Pointer(pointer)) => Some(pointer.space()),
        Some(Kind::View(view)) => Some(view.pointer.space()),
        _ => match ty {
            Type::Pointer(number) => types::space(*number),
            _ => None,
        },
    };
    let is_passed = match space {
        Some(Space::Generic | Space::Global | Space::Constant) => true,
        Some(Space::Shared | Space::ClusterShared | Space::Register | Space::Tensor) => false,
        None => !matches!(ty, Type::Vector(_) | Type::Struct(_)),
    };
    let message = format!("a launch cannot give parameter {number}, `{ty}`, to a kernel");
    (!is_passed).then(|| Diagnostic::error(Code::UnsupportedType, message).at(Origin::FUNCTION, ""))
}

/// The integer constants, whatever their widths became.
fn constants(func: &Func<Mlir>) -> FxHashMap<Value, i64> {
    let mut constants = FxHashMap::default();
    for id in func.body.walk() {
        let op = func.body.op(id);
        let value = match &op.kind {
            MlirOp::Arith(ArithOp::Constant {
                value: Attribute::Integer(value, _),
            }) => Some(*value),
            MlirOp::Arith(ArithOp::IndexCast { source }) => {
                let value = constants.get(source).copied();
                value.filter(|&value| i32::try_from(value).is_ok())
            }
            _ => None,
        };
        if let Some(value) = value {
            constants.insert(op.result(0), value);
        }
    }
    constants
}

impl Translate<Mlir, CuteDesugared> for Desugar {
    fn types(&mut self, ty: &Type) -> Result<Vec<DesugaredType>, Diagnostic<Origin>> {
        types::types(ty)
    }

    fn op(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        match &cx.old(id).kind {
            // Products alone compute with such numbers.
            MlirOp::Arith(_) | MlirOp::Math(_) if types::has_tf32(cx, id) => Err(not_lowered(cx, id)),
            MlirOp::Arith(op) => arith::lower(cx, id, op),
            MlirOp::Math(op) => math::lower(cx, id, op),
            MlirOp::Vector(op) => vector::lower(self, cx, id, op),
            MlirOp::Scf(op) => self.control_flow(cx, id, op),
            MlirOp::Nvvm(op) => nvvm::lower(self, cx, id, op),
            MlirOp::Cute(CuteOp::Print {
                values,
                fmt,
                operand_signed,
            }) => prints::print(
                cx,
                fmt.as_deref(),
                values,
                operand_signed.as_deref().unwrap_or_default(),
            ),
            MlirOp::Cute(op) => algebra::lower(cx, id, op, self.dialect),
            MlirOp::Open(_) => computed(cx, id, self.dialect),
            MlirOp::CuteNvgpu(op) => algebra::architecture(cx, id, op),
            MlirOp::Cuda(CudaOp::Return { .. }) => self.kernel_return(cx),
            MlirOp::Builtin(BuiltinOp::Cast { inputs }) => types::cast(cx, id, inputs),
            MlirOp::Cf(CfOp::Assert { arg, msg }) => prints::assert(cx, *arg, msg),
            MlirOp::Llvm(op) => llvm::lower(self, cx, id, op),
            MlirOp::Ub(UbOp::Poison { .. }) => llvm::anything(cx, id),
            MlirOp::Cuda(_) | MlirOp::Func(_) => Err(not_lowered(cx, id)),
        }
    }
}
