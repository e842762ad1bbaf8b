//! Target instructions of `llvm_like`, whose operands are replaced by registers.

use std::convert::Infallible;

use tilewright_irs::core::{OpId, Value};
use tilewright_irs::isa::{Instruction, OpResult, Renaming, TargetOp, Type, Want};
use tilewright_irs::llvm::LlvmType;
use tilewright_irs::nvvm::{NvvmDialect, NvvmType};

use super::selector::{Bound, Problem, Selector};

/// Replaces operands by their registers; those that address memory keep their offset as an immediate.
struct Operands<'s, 'a> {
    selector: &'s mut Selector<'a>,
    /// The first problem; the instruction is not used then.
    problem: Option<Problem>,
}

impl Operands<'_, '_> {
    fn register(&mut self, old: Value) -> Value {
        self.selector.register(old).unwrap_or_else(|problem| {
            self.problem.get_or_insert(problem);
            old
        })
    }
}

impl Renaming<Value, Value> for Operands<'_, '_> {
    fn write(&mut self, _: &OpResult) -> OpResult {
        OpResult
    }
    fn read(&mut self, old: &Value, _: Want) -> Value {
        self.register(*old)
    }
    fn update(&mut self, old: &Value, _: Want) -> Value {
        self.register(*old)
    }
    fn operand(&mut self, old: &Value, _: Want) -> Value {
        self.register(*old)
    }
    fn predicate(&mut self, old: &Value) -> Value {
        self.register(*old)
    }
    fn label(&mut self, old: &Infallible) -> Infallible {
        *old
    }
    fn parameter(&mut self, old: &Infallible) -> Infallible {
        *old
    }
    fn address(&mut self, old: &Value, offset: i32, want: Want) -> (Value, i32) {
        if let Ok(Bound::Address(register, before)) = self.selector.bound(*old)
            && let Some(sum) = before.checked_add(offset)
        {
            return (register, sum);
        }
        (self.read(old, want), offset)
    }
}

impl Selector<'_> {
    /// Copies an instruction.
    pub(super) fn target(&mut self, id: OpId, op: &TargetOp) -> Result<(), Problem> {
        if let (None, Instruction::Pack { ty: Type::B32, a, .. }) = (op.guard, &op.instruction) {
            let parts = a.0.iter().map(|&part| self.register(part));
            let parts = parts.collect::<Result<Vec<_>, _>>()?;
            let word = self.word(&parts)?;
            self.bind(self.from.op(id).result(0), Bound::Registers(vec![word]));
            return Ok(());
        }
        let mut operands = Operands {
            selector: self,
            problem: None,
        };
        let op = TargetOp {
            instruction: op.instruction.rename(&mut operands),
            guard: op.guard.map(|guard| operands.register(guard)),
            otherwise: op
                .otherwise
                .iter()
                .map(|&value| operands.register(value))
                .collect(),
        };
        if let Some(problem) = operands.problem {
            return Err(problem);
        }
        let results: Vec<Value> = self.from.op(id).results().collect();
        let types: Option<Vec<NvvmType>> = results
            .iter()
            .map(|&result| match self.old_type(result) {
                LlvmType::Scalar(scalar) => NvvmType::of_scalar(scalar),
                LlvmType::Ptr(space) => Some(NvvmType::Ptr(space)),
                LlvmType::TensorMap => Some(NvvmType::TensorMap),
                LlvmType::Vector(..) | LlvmType::Passed(_) | LlvmType::Struct(_) => None,
            })
            .collect();
        let types = types.ok_or_else(|| self.bug("an instruction gives vectors"))?;
        let made = self.emit_many(op, types);
        for (result, value) in results.into_iter().zip(made) {
            self.bind(result, Bound::Registers(vec![value]));
        }
        Ok(())
    }

    /// Holds values in their registers.
    pub(super) fn hold(&mut self, id: OpId, values: &[Value]) -> Result<(), Problem> {
        let results: Vec<Value> = self.from.op(id).results().collect();
        let (mut held, mut types, mut counts) = (Vec::new(), Vec::new(), Vec::new());
        for &value in values {
            let registers = self.registers(value)?;
            types.extend(registers.iter().map(|&register| *self.to.ty(register)));
            counts.push(registers.len());
            held.extend(registers);
        }
        let mut made = self
            .emit_many(NvvmDialect::Hold { values: held }, types)
            .into_iter();
        for (result, count) in results.into_iter().zip(counts) {
            self.bind(result, Bound::Registers(made.by_ref().take(count).collect()));
        }
        Ok(())
    }
}
