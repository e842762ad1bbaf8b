//! Target instructions of `llvm_like`, whose operands are replaced by registers.

use rustc_hash::FxHashMap;
use tilewright_irs::core::{OpId, Operation, Remap, Value};
use tilewright_irs::isa::{Instruction, TargetOp, Type};
use tilewright_irs::llvm::LlvmType;
use tilewright_irs::nvvm::{NvvmDialect, NvvmType};

use super::selector::{Bound, Problem, Selector};

/// Replaces operands by their registers.
struct Registers(FxHashMap<Value, Value>);

impl Remap for Registers {
    fn value(&mut self, value: Value) -> Value {
        self.0.get(&value).copied().unwrap_or(value)
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
        let mut registers = FxHashMap::default();
        for value in op.operand_list() {
            registers.insert(value, self.register(value)?);
        }
        let mut op = op.clone();
        op.remap(&mut Registers(registers));
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
