//! Rules of `nvvm` beyond the declarations.
//!
//! Checked: operands and results have the register types of their instruction; constants are in range; the form
//! exists on the function's target; parameters are neither predicates, which have no form in memory, nor addresses of
//! a block's own memory.

use tilewright_diagnostics::{Code, counted};

use super::ops::{NvvmDialect as N, NvvmOp};
use super::{Nvvm, NvvmType};
use crate::core::{Func, OpData, OpId, Operation, Origin, Part, Problems, SideTable, Value};
use crate::dialects::gpu::check_printf;
use crate::dialects::memory_rules::check_ordering;
use crate::element::{ElementType, ScalarType};
use crate::isa::TargetOp;
use crate::isa::{Class, Immediate, SsaOperand, SsaOperands, Want, check_form};
use crate::llvm::{AddressSpace, check_arrays, check_passed, misuses_passed};

pub(super) fn verify(func: &Func<Nvvm>, problems: &mut Problems) {
    let body = &func.body;
    if func.attrs.cute_kernel.0 || !func.attrs.nvvm_kernel.0 {
        let message = "a function of `nvvm` is marked `nvvm.kernel`, and not `cute.kernel`";
        problems.error(Origin::FUNCTION, Code::AttributeValue, message);
    }
    let mut params = body.params().iter();
    if let Some(wrong) = params.position(|&param| body.ty(param).class() == Class::Pred) {
        let message = "a predicate has no form in memory and cannot be a parameter";
        problems.error_at(
            Origin::FUNCTION,
            Part::argument(wrong),
            Code::OperandType,
            message,
        );
    }
    let mut params = body.params().iter();
    let is_own = |param: &Value| {
        matches!(
            body.ty(*param),
            NvvmType::Ptr(AddressSpace::Shared | AddressSpace::Local)
        )
    };
    if let Some(wrong) = params.position(is_own) {
        let message = "shared and local memory begin with the block: no parameter points there";
        problems.error_at(
            Origin::FUNCTION,
            Part::argument(wrong),
            Code::OperandType,
            message,
        );
    }
    let is_passed = |value: Value| matches!(body.ty(value), NvvmType::Passed(_));
    check_passed(body, is_passed, problems);
    let arrays = body.walk().into_iter().filter_map(|id| {
        let op = body.op(id);
        match op.kind {
            NvvmOp::Nvvm(N::Alloca { slot, bytes, align }) => Some((op, slot, (bytes, align))),
            _ => None,
        }
    });
    check_arrays(arrays, problems);
    let definitions = body.definitions();
    for id in body.walk() {
        let op = body.op(id);
        if misuses_passed(op, is_passed, problems) {
            continue;
        }
        let checked = match &op.kind {
            NvvmOp::Nvvm(own) => check_own(func, op, own),
            NvvmOp::Target(target) => match target.instruction.ordering() {
                Some(ordering) if !check_ordering(op, ordering, problems) => Ok(()),
                _ => {
                    let checked = check_instruction(func, op, target, &definitions);
                    if checked.is_ok() {
                        check_form(op, target, problems);
                    }
                    checked
                }
            },
        };
        if let Err((code, message)) = checked {
            problems.error(op.origin, code, message);
        }
    }
}

type Checked = Result<(), (Code, String)>;

fn check_own(func: &Func<Nvvm>, op: &OpData<Nvvm>, own: &N) -> Checked {
    let ty = |value: Value| *func.body.ty(value);
    let wrong = |what: &str, ty: NvvmType| {
        let ty = crate::core::term_text(&crate::core::TermCodec::write(&ty));
        Err((
            Code::TypeMismatch,
            format!("{what} of `{}` cannot be a `{ty}`", own.name()),
        ))
    };
    match own {
        N::Constant { value } => match NvvmType::of_scalar(value.ty) {
            Some(want) if want.class() == ty(op.result(0)).class() => Ok(()),
            _ => wrong("the result", ty(op.result(0))),
        },
        N::Global { .. } if ty(op.result(0)).class() == Class::B64 => Ok(()),
        N::Global { .. } => wrong("the result", ty(op.result(0))),
        N::ReadParameter { parameter, offset } => {
            let result = ty(op.result(0));
            let bytes = match result {
                NvvmType::B8 => Some(1),
                NvvmType::B16 | NvvmType::B32 | NvvmType::B64 | NvvmType::F32 | NvvmType::F64 => {
                    Some(result.class().bits() / 8)
                }
                NvvmType::Ptr(AddressSpace::Global) => Some(8),
                NvvmType::Ptr(AddressSpace::Shared | AddressSpace::Local)
                | NvvmType::Pred
                | NvvmType::B128
                | NvvmType::TensorMap
                | NvvmType::Passed(_) => None,
            };
            match (ty(*parameter), bytes) {
                (NvvmType::Passed(passed), Some(bytes)) => passed.check_part(*offset, bytes),
                (_, None) => wrong("the result", result),
                (other, Some(_)) => wrong("the operand", other),
            }
        }
        N::Alloca { .. } | N::SharedBase {} if ty(op.result(0)).class() == Class::B32 => Ok(()),
        N::Alloca { .. } | N::SharedBase {} => wrong("the result", ty(op.result(0))),
        N::Cbra { condition, .. } if ty(*condition).class() != Class::Pred => {
            wrong("the condition", ty(*condition))
        }
        N::Printf { format, values } => check_printf(
            format,
            values.iter().map(|&value| match ty(value).class() {
                Class::B32 => Some(ElementType::I32),
                Class::B64 => Some(ElementType::I64),
                Class::F64 => Some(ElementType::Scalar(ScalarType::F64)),
                Class::Pred | Class::B16 | Class::F32 | Class::B128 => None,
            }),
        ),
        N::Hold { values } if !values.iter().map(|&value| ty(value)).eq(op.results().map(ty)) => Err((
            Code::TypeMismatch,
            "`nvvm.hold` gives each of its values".to_owned(),
        )),
        N::Hold { .. } | N::Cbra { .. } | N::Bra { .. } => Ok(()),
    }
}

/// Checks the operands of an instruction, in the order of PTX.
struct Operands<'a> {
    func: &'a Func<Nvvm>,
    op: &'a OpData<Nvvm>,
    definitions: &'a SideTable<Value, OpId>,
    /// The number of sources so far.
    operands: usize,
    /// The number of results so far.
    results: usize,
    wrong: Checked,
}

impl Operands<'_> {
    fn fail(&mut self, code: Code, message: String) {
        if self.wrong.is_ok() {
            self.wrong = Err((code, message));
        }
    }

    fn source(&mut self, value: Value, want: Want) {
        let at = self.operands;
        self.operands += 1;
        let name = self.op.kind.name();
        let constant = self.constant(value);
        let needs_constant = matches!(want, Want::Constant { .. });
        let fits = if needs_constant {
            constant.is_some()
        } else {
            want.admits(self.func.body.ty(value).class())
        };
        if !fits {
            self.fail(
                Code::OperandType,
                format!("operand {at} of `{name}` must be {want}, and is not"),
            );
        } else if let Some(constant) = constant
            && !want.admits_constant(constant)
        {
            self.fail(
                Code::AttributeValue,
                format!("operand {at} of `{name}` must be {want}, not {constant}"),
            );
        }
    }

    fn constant(&self, value: Value) -> Option<Immediate> {
        let definition = *self.definitions.get(value)?;
        match &self.func.body.op(definition).kind {
            NvvmOp::Nvvm(N::Constant { value }) => Immediate::of(*value),
            _ => None,
        }
    }

    fn result(&mut self, want: Want) {
        let at = self.results;
        self.results += 1;
        let name = self.op.kind.name();
        match self.op.results().nth(at) {
            None => self.fail(
                Code::ResultCount,
                format!(
                    "`{name}` has more than {}",
                    counted(self.op.results().len(), "result")
                ),
            ),
            Some(value) if !want.admits(self.func.body.ty(value).class()) => self.fail(
                Code::TypeMismatch,
                format!("result {at} of `{name}` must be {want}, and is not"),
            ),
            Some(_) => {}
        }
    }
}

fn check_instruction(
    func: &Func<Nvvm>,
    op: &OpData<Nvvm>,
    own: &TargetOp,
    definitions: &SideTable<Value, OpId>,
) -> Checked {
    let mut operands = Operands {
        func,
        op,
        definitions,
        operands: 0,
        results: 0,
        wrong: Ok(()),
    };
    own.instruction
        .visit(&mut SsaOperands(&mut |operand| match operand {
            SsaOperand::Source(value, want) => operands.source(value, want),
            SsaOperand::Result(want) => operands.result(want),
        }));
    let (results, name) = (operands.results, own.name());
    operands.wrong?;
    if results != op.results().len() {
        let message = format!(
            "`{name}` has {}, not {}",
            counted(results, "result"),
            op.results().len()
        );
        return Err((Code::ResultCount, message));
    }
    let class = |value: Value| func.body.ty(value).class();
    if let Some(guard) = own.guard {
        if class(guard) != Class::Pred {
            return Err((
                Code::OperandType,
                format!("the guard of `{name}` is no predicate"),
            ));
        }
        if own.is_terminator() {
            return Err((
                Code::AttributeValue,
                format!("`{name}` ends its block and takes no guard"),
            ));
        }
    }
    let given = own.otherwise.len();
    if given > 0 && (own.guard.is_none() || given != results) {
        let message = format!(
            "`{name}` gives {} for where its guard does not hold; it has {}, and needs a guard and one value for each",
            counted(given, "value"),
            counted(results, "result")
        );
        return Err((Code::OperandCount, message));
    }
    for (value, result) in own.otherwise.iter().zip(op.results()) {
        if class(*value) != class(result) {
            let message =
                format!("`{name}` and what stands for it where its guard does not hold differ in type");
            return Err((Code::OperandType, message));
        }
    }
    match own.instruction.need() {
        Some(need) if !func.attrs.target.provides(need) => Err((
            Code::TargetLacksFeature,
            format!(
                "this form of `{name}` needs {need}, the target is {}",
                func.attrs.target
            ),
        )),
        // Without a need there is no such form, which `check_form` says.
        Some(_) | None => Ok(()),
    }
}
