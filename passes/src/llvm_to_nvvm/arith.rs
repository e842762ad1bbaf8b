//! Instruction selection for arithmetic ops.

use tilewright_irs::core::{OpId, Operation, Value};
use tilewright_irs::dialects::arith::ArithOp;
use tilewright_irs::element::ScalarType;
use tilewright_irs::isa::OpResult;
use tilewright_irs::llvm::{AddressSpace, LlvmType};
use tilewright_irs::nvvm::{Instruction as I, NvvmDialect, NvvmType, native};

use super::integer::IntOp;
use super::selector::{Bound, Problem, Selector, single};

impl Selector<'_> {
    /// Selects the instructions of an arithmetic op.
    pub(super) fn arith(&mut self, id: OpId, op: &ArithOp) -> Result<(), Problem> {
        let result = self.from.op(id).result(0);
        self.check_native(op, result)?;
        let value = match *op {
            ArithOp::Constant { ref value } => {
                let literal = single(value).ok_or_else(|| self.bug("a scalar constant has one element"))?;
                self.literal(literal)?
            }
            ArithOp::Global {
                ref symbol,
                ref value,
                elements,
                align,
                visible,
            } => {
                let global = NvvmDialect::Global {
                    symbol: symbol.clone(),
                    value: value.clone(),
                    elements,
                    align,
                    visible,
                };
                self.emit(global, NvvmType::Ptr(AddressSpace::Global))
            }
            ArithOp::AddI { lhs, rhs, .. } => self.sum_of_integers(lhs, rhs)?,
            ArithOp::SubI { lhs, rhs, .. } => self.int(IntOp::Sub, lhs, rhs)?,
            ArithOp::MulI { lhs, rhs, .. } => self.product(lhs, rhs)?,
            ArithOp::MulHiU { lhs, rhs } => self.int(IntOp::MulHiU, lhs, rhs)?,
            ArithOp::DivI {
                lhs, rhs, signedness, ..
            } => self.int(IntOp::Div(signedness), lhs, rhs)?,
            ArithOp::RemI { lhs, rhs, signedness } => self.int(IntOp::Rem(signedness), lhs, rhs)?,
            ArithOp::MinI { lhs, rhs, signedness } => self.int(IntOp::Min(signedness), lhs, rhs)?,
            ArithOp::MaxI { lhs, rhs, signedness } => self.int(IntOp::Max(signedness), lhs, rhs)?,
            ArithOp::AndI { lhs, rhs } => self.int(IntOp::And, lhs, rhs)?,
            ArithOp::OrI { lhs, rhs } => self.int(IntOp::Or, lhs, rhs)?,
            ArithOp::XorI { lhs, rhs } => self.int(IntOp::Xor, lhs, rhs)?,
            ArithOp::NegI { source, .. } => self.negated_integer(source)?,
            ArithOp::AbsI { source } => self.absolute_integer(source)?,
            ArithOp::ShlI { lhs, rhs, .. } => self.shift(lhs, rhs, None)?,
            ArithOp::ShrI { lhs, rhs, signedness } => self.shift(lhs, rhs, Some(signedness))?,
            ArithOp::CmpI {
                lhs,
                rhs,
                predicate,
                signedness,
            } => self.compare_integers(lhs, rhs, predicate, signedness)?,
            ArithOp::CmpF {
                lhs,
                rhs,
                predicate,
                ordering,
                ..
            } => self.compare_floats(lhs, rhs, predicate, ordering)?,
            ArithOp::Select { condition, yes, no } => return self.select(result, condition, yes, no),
            ArithOp::ExtI { source, signedness } => self.extend(source, result, signedness)?,
            ArithOp::TruncI { source } => self.truncate(source, result)?,
            ArithOp::FToF { source, rounding } => self.float_to_float(source, result, rounding)?,
            ArithOp::FToI {
                source,
                signedness,
                saturating,
            } => self.float_to_integer(source, result, signedness, saturating.0)?,
            ArithOp::IToF {
                source,
                signedness,
                rounding,
            } => self.integer_to_float(source, result, signedness, rounding)?,
            ArithOp::Bitcast { source } => self.bitcast(source, result)?,
            ArithOp::IntToPtr { source } | ArithOp::PtrToInt { source } | ArithOp::PtrToPtr { source } => {
                self.register(source)?
            }
            _ => self.float(op)?,
        };
        self.bind(result, Bound::Registers(vec![value]));
        Ok(())
    }

    /// Checks that the op is native, which legalisation guarantees.
    fn check_native(&self, op: &ArithOp, result: Value) -> Result<(), Problem> {
        let scalar = |value: Value| match self.old_type(value) {
            LlvmType::Scalar(scalar) => Some(scalar),
            // Pointers are moved and selected like 64-bit integers.
            LlvmType::Ptr(_) | LlvmType::TensorMap | LlvmType::Passed(_) => Some(ScalarType::I64),
            LlvmType::Vector(_, scalar) => matches!(op, ArithOp::Select { .. }).then_some(scalar),
            LlvmType::Struct(_) => None,
        };
        let operands = op.operand_list();
        let source = match op {
            ArithOp::Select { .. } => operands.get(1).copied(),
            _ => operands.first().copied(),
        };
        let known = scalar(source.unwrap_or(result)).zip(scalar(result));
        if known.is_some_and(|(source, result)| native(op, source, result, self.target)) {
            return Ok(());
        }
        let types = known.map_or_else(|| "a vector".to_owned(), |(a, b)| format!("`{a}` to `{b}`"));
        Err(self.bug(format!(
            "`{}` on {types} is not native to {} and was not legalised",
            op.name(),
            self.target
        )))
    }

    /// Elementwise selection between registers.
    fn select(&mut self, result: Value, condition: Value, yes: Value, no: Value) -> Result<(), Problem> {
        let condition = self.register(condition)?;
        let (yes, no) = (self.registers(yes)?, self.registers(no)?);
        let mut chosen = Vec::with_capacity(yes.len());
        for (yes, no) in yes.into_iter().zip(no) {
            let ty = *self.to.ty(yes);
            chosen.push(if ty == NvvmType::Pred {
                self.select_predicate(condition, yes, no)
            } else {
                self.selp(ty, yes, no, condition)
            });
        }
        self.bind(result, Bound::Registers(chosen));
        Ok(())
    }

    /// `yes` if the condition is true, else `no`, all in registers.
    pub(super) fn selp(&mut self, ty: NvvmType, yes: Value, no: Value, condition: Value) -> Value {
        self.emit(
            I::Selp {
                ty: ty.class().declared(),
                d: OpResult,
                a: yes,
                b: no,
                c: condition,
            },
            ty,
        )
    }

    /// Expands a selection between predicates, which has no instruction.
    fn select_predicate(&mut self, condition: Value, yes: Value, no: Value) -> Value {
        let yes = self.both(condition, yes);
        let other = self.not(condition);
        let no = self.both(other, no);
        self.either(yes, no)
    }
}
