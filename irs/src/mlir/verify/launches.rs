//! Launches: their configuration, and that the kernels which they name exist and take what is passed.

use rustc_hash::FxHashMap;
use tilewright_diagnostics::{Code, counted};

use super::op::{Checked, Op};
use crate::core::{Func, OpData, Problem, Problems};
use crate::mlir::attribute::SymbolRef;
use crate::mlir::dialects::{CudaOp, CuteOp, FuncOp};
use crate::mlir::module::{Item, MlirModule};
use crate::mlir::types::Type;
use crate::mlir::{Mlir, MlirOp};

pub(super) fn cuda(op: Op<'_>, kind: &CudaOp) -> Checked {
    let config = |value| {
        let holds = matches!(op.ty(value), Type::LaunchConfig(_));
        op.needs(value, "the configuration of a launch", holds)
    };
    match kind {
        // What a kernel returns is checked with its type.
        CudaOp::Return { .. } => Ok(()),
        CudaOp::Cast { src } => {
            let (from, to) = (op.ty(*src), op.result()?);
            let holds = match (from, op.ty(to)) {
                (Type::LaunchResult, to) => *to == Type::I32,
                (from, Type::Stream) => *from == Type::I64 || matches!(from, Type::Pointer(_)),
                (from, to) => from == to && matches!(from, Type::Integer(..)),
            };
            op.gives(0, &format!("what `{from}` can become"), |_| holds)
        }
        CudaOp::LaunchCfgCreate {
            block_x,
            block_y,
            block_z,
            shared,
            grid_x,
            grid_y,
            grid_z,
            stream,
            max_attributes,
        } => {
            op.all(
                [*block_x, *block_y, *block_z, *grid_x, *grid_y, *grid_z],
                &Type::I32,
            )?;
            op.all([*shared], &Type::I64)?;
            op.all([*stream], &Type::Stream)?;
            let own = u32::try_from(*max_attributes).ok();
            let what = format!("a configuration of {max_attributes} attributes");
            op.gives(
                0,
                &what,
                |ty| matches!(ty, Type::LaunchConfig(count) if Some(*count) == own),
            )
        }
        CudaOp::LaunchCfgClusterDim { launch_cfg, x, y, z } => {
            config(*launch_cfg)?;
            op.all([*x, *y, *z], &Type::I32)
        }
        CudaOp::LaunchCfgCooperative { launch_cfg, value }
        | CudaOp::LaunchCfgProgrammatic { launch_cfg, value } => {
            config(*launch_cfg)?;
            op.all([*value], &Type::I32)
        }
        CudaOp::LaunchEx { launch_cfg, .. } => {
            config(*launch_cfg)?;
            op.gives_all(&Type::LaunchResult)
        }
        CudaOp::ReturnIfError { inputs } => match inputs.first() {
            Some(&first) => op.all([first], &Type::I32),
            None => op.refuse(Code::OperandCount, "it has no operand"),
        },
    }
}

/// Checks what kernels and functions of a module say of each other, and how each kind of them ends; the problems of each
/// function, in the order of the text.
pub fn verify_module(module: &MlirModule) -> Vec<(usize, Problem)> {
    let kernels: FxHashMap<[&str; 2], &Func<Mlir>> = module
        .items
        .iter()
        .filter_map(|item| match item {
            Item::Gpu(gpu) => Some(gpu),
            Item::Function(_) => None,
        })
        .flat_map(|gpu| {
            gpu.kernels
                .iter()
                .map(|kernel| ([gpu.name.as_str(), kernel.name.as_str()], kernel))
        })
        .collect();
    let mut found = Vec::new();
    for (number, (func, is_kernel)) in module.in_order().enumerate() {
        let mut problems = Problems::default();
        for id in func.body.walk() {
            let data = func.body.op(id);
            let op = Op::new(func, data);
            let checked = match &data.kind {
                MlirOp::Cuda(CudaOp::LaunchEx { callee, inputs, .. }) => {
                    let passed: Vec<&Type> = inputs.iter().map(|&input| op.ty(input)).collect();
                    named(op, &kernels, callee).and_then(|kernel| takes(op, kernel, &passed))
                }
                MlirOp::Cute(CuteOp::KernelSmemSize { kernel_name }) => {
                    named(op, &kernels, kernel_name).map(|_| ())
                }
                MlirOp::Func(FuncOp::Return { .. }) if is_kernel => {
                    op.refuse(Code::MisplacedOp, "a kernel ends with `cuda.return`")
                }
                MlirOp::Cuda(CudaOp::Return { .. }) if !is_kernel => op.refuse(
                    Code::MisplacedOp,
                    "a function of the host ends with `func.return`",
                ),
                _ => Ok(()),
            };
            report(data, checked, &mut problems);
        }
        found.extend(problems.list.into_iter().map(|problem| (number, problem)));
    }
    found
}

fn report(data: &OpData<Mlir>, checked: Checked, problems: &mut Problems) {
    if let Err(wrong) = checked {
        problems.error_at(data.origin, wrong.part, wrong.code, wrong.message);
    }
}

/// The kernel of this symbol.
fn named<'a>(
    op: Op<'_>,
    kernels: &FxHashMap<[&str; 2], &'a Func<Mlir>>,
    symbol: &SymbolRef,
) -> Checked<&'a Func<Mlir>> {
    let found = match symbol.0.as_slice() {
        [module, kernel] => kernels.get(&[module.as_str(), kernel.as_str()]),
        _ => None,
    };
    match found {
        Some(kernel) => Ok(kernel),
        None => op.refuse(
            Code::UnknownSymbol,
            format_args!(
                "`{symbol}` is none of the {} of this file",
                counted(kernels.len(), "kernel")
            ),
        ),
    }
}

/// Checks what is passed to a kernel.
fn takes(op: Op<'_>, kernel: &Func<Mlir>, passed: &[&Type]) -> Checked {
    let params = kernel.body.params();
    op.count("argument", passed.len(), params.len())?;
    for (number, (&param, &ty)) in params.iter().zip(passed).enumerate() {
        let own = kernel.body.ty(param);
        if own != ty {
            return op.refuse(
                Code::TypeMismatch,
                format_args!(
                    "argument {number} is `{ty}`, and `@{}` takes `{own}`",
                    kernel.name
                ),
            );
        }
    }
    Ok(())
}
