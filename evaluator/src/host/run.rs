//! Runs a host function op by op.

use tilewright_diagnostics::Code;
use tilewright_irs::core::{Block, Region};
use tilewright_irs::mlir::dialects::{ArithOp, BuiltinOp, CfOp, FuncOp, MathOp, ScfOp, VectorOp};
use tilewright_irs::mlir::{Attribute, MlirOp, Type};

use super::frame::{Frame, Op, format_of, width_of};
use super::value::{Field, Integer, Runtime};
use super::{algebra, floats, integers, launch, tensor_map, unknown, unsupported};
use crate::fault::{Fault, Outcome};

/// Where the program goes after an op.
pub(super) enum Flow {
    /// To the op around it, with these results.
    Yield(Vec<Runtime>),
    /// To the second region of a `while`, or past it.
    Condition(bool, Vec<Runtime>),
    /// Out of the function, with its results.
    Return(Vec<Runtime>),
}

/// What an op does.
enum Next {
    Values(Vec<Runtime>),
    Leave(Flow),
}

impl Frame<'_> {
    /// Runs a block with values for its arguments.
    pub(super) fn run(&mut self, block: Block, arguments: Vec<Runtime>) -> Outcome<Flow> {
        let body = self.body;
        let data = body.block(block);
        self.define(data.args.iter().copied(), arguments)?;
        for &id in &data.ops {
            let op = body.op(id);
            let next = self.step(op).map_err(|fault| fault.at(op.origin))?;
            match next {
                Next::Leave(flow) => return Ok(flow),
                Next::Values(values) => self
                    .define(op.results(), values)
                    .map_err(|fault| fault.at(op.origin))?,
            }
        }
        Ok(Flow::Yield(Vec::new()))
    }

    /// Runs the only block of a region.
    fn region(&mut self, region: Region, arguments: Vec<Runtime>) -> Outcome<Flow> {
        match self.body.only_block(region) {
            Some(block) => self.run(block, arguments),
            None => Err(Fault::broken("a region that has not one block")),
        }
    }

    fn step(&mut self, op: &Op) -> Outcome<Next> {
        self.spend()?;
        Ok(Next::Values(match &op.kind {
            MlirOp::Scf(kind) => return self.structured(kind),
            MlirOp::Func(FuncOp::Return { operands }) => {
                return Ok(Next::Leave(Flow::Return(self.values(operands)?)));
            }
            MlirOp::Cuda(kind) => match launch::evaluate(self, op, kind)? {
                launch::Done::Values(values) => values,
                launch::Done::Return => return Ok(Next::Leave(Flow::Return(Vec::new()))),
            },
            MlirOp::Arith(ArithOp::MulUiExtended { lhs, rhs }) => {
                let (lhs, rhs) = self.integers(*lhs, *rhs)?;
                integers::halves(lhs, rhs)?.map(Runtime::from).into()
            }
            MlirOp::Arith(kind) => vec![self.arithmetic(op, kind)?],
            MlirOp::Math(MathOp::AbsI { operand }) => {
                vec![integers::absolute(self.integer(*operand)?).into()]
            }
            MlirOp::Cute(kind) => algebra::evaluate(self, op, kind)?,
            MlirOp::Open(_) => algebra::inferred(self, op)?,
            MlirOp::CuteNvgpu(kind) => tensor_map::evaluate(self, op, kind)?,
            MlirOp::Vector(VectorOp::FromElements { elements }) => {
                let elements = elements.iter().map(|&element| self.field(element).cloned());
                vec![Field::Vector(elements.collect::<Outcome<_>>()?).into()]
            }
            MlirOp::Builtin(BuiltinOp::Cast { inputs }) => match inputs.as_slice() {
                [input] => vec![self.value(*input)?.clone()],
                _ => return Err(unknown(op)),
            },
            MlirOp::Cf(CfOp::Assert { arg, msg }) => {
                if self.integer(*arg)?.unsigned() == 0 {
                    let message = format!("an assertion of the host function does not hold: {msg}");
                    return Err(Fault::new(Code::AssertionFailed, message));
                }
                Vec::new()
            }
            MlirOp::Vector(_) | MlirOp::Math(_) | MlirOp::Nvvm(_) | MlirOp::Llvm(_) | MlirOp::Ub(_) => {
                return Err(unknown(op));
            }
        }))
    }

    fn structured(&mut self, op: &ScfOp) -> Outcome<Next> {
        Ok(match op {
            ScfOp::If {
                condition,
                then,
                r#else,
            } => {
                let taken = match self.integer(*condition)?.unsigned() {
                    0 => *r#else,
                    _ => *then,
                };
                if self.body.region(taken).blocks.is_empty() {
                    return Ok(Next::Values(Vec::new()));
                }
                match self.region(taken, Vec::new())? {
                    Flow::Yield(values) => Next::Values(values),
                    flow @ (Flow::Return(_) | Flow::Condition(..)) => Next::Leave(flow),
                }
            }
            ScfOp::For {
                lower,
                upper,
                step,
                inits,
                unsigned,
                body,
            } => {
                let (low, high) = self.integers(*lower, *upper)?;
                let (_, by) = self.integers(*lower, *step)?;
                let number = |of: Integer| match unsigned.0 {
                    true => of.unsigned().cast_signed(),
                    false => of.signed(),
                };
                let (mut at, end, by) = (number(low), number(high), number(by));
                if by <= 0 {
                    let message = format!("the step of a loop is {by}, which is not positive");
                    return Err(Fault::new(Code::UndefinedResult, message));
                }
                let mut carried = self.values(inits)?;
                while at < end {
                    self.spend()?;
                    let mut arguments = vec![Integer::new(low.width(), at).into()];
                    arguments.append(&mut carried);
                    match self.region(*body, arguments)? {
                        Flow::Yield(values) => carried = values,
                        flow @ (Flow::Return(_) | Flow::Condition(..)) => return Ok(Next::Leave(flow)),
                    }
                    at = at.saturating_add(by);
                }
                Next::Values(carried)
            }
            ScfOp::While { inits, before, after } => {
                let mut carried = self.values(inits)?;
                loop {
                    self.spend()?;
                    let passed = match self.region(*before, carried)? {
                        Flow::Condition(true, passed) => passed,
                        Flow::Condition(false, passed) => return Ok(Next::Values(passed)),
                        flow @ Flow::Return(_) => return Ok(Next::Leave(flow)),
                        Flow::Yield(_) => {
                            return Err(Fault::broken("a `scf.while` without a condition"));
                        }
                    };
                    match self.region(*after, passed)? {
                        Flow::Yield(values) => carried = values,
                        flow @ (Flow::Return(_) | Flow::Condition(..)) => return Ok(Next::Leave(flow)),
                    }
                }
            }
            ScfOp::Condition { condition, args } => {
                let holds = self.integer(*condition)?.unsigned() != 0;
                Next::Leave(Flow::Condition(holds, self.values(args)?))
            }
            ScfOp::Yield { results } => Next::Leave(Flow::Yield(self.values(results)?)),
        })
    }

    fn arithmetic(&self, op: &Op, kind: &ArithOp) -> Outcome<Runtime> {
        let result = self.result(op)?;
        match kind {
            ArithOp::Constant { value } => return constant(value, result).map(Runtime::from),
            ArithOp::Select {
                condition,
                on_true,
                on_false,
            } => {
                let taken = match self.integer(*condition)?.unsigned() {
                    0 => *on_false,
                    _ => *on_true,
                };
                return self.value(taken).cloned();
            }
            _ => {}
        }
        if let Some(integer) = integers::evaluate(self, kind)? {
            return Ok(integer.into());
        }
        let width = width_of(result);
        if let Some(width) = width
            && let Some(integer) = integers::cast(self, kind, width)?
        {
            return Ok(integer.into());
        }
        let float = floats::evaluate(self, kind, format_of(result), width)?;
        float.map(Runtime::from).ok_or_else(|| unknown(op))
    }
}

/// The value of a constant of this type.
fn constant(value: &Attribute, ty: &Type) -> Outcome<Field> {
    let unknown = || unsupported(format_args!("the constant `{value}`"));
    Ok(match value {
        Attribute::Bool(value) => Field::Integer(Integer::truth(*value)),
        Attribute::Integer(value, _) => {
            let width = width_of(ty).ok_or_else(unknown)?;
            Field::Integer(Integer::new(width, i128::from(*value)))
        }
        Attribute::Float(bits, _) => Field::Float(format_of(ty).ok_or_else(unknown)?, *bits),
        Attribute::Dense(elements, Type::Vector(vector)) => {
            let count = vector
                .shape
                .iter()
                .try_fold(1u64, |all, &extent| all.checked_mul(extent));
            let count = count.and_then(|count| usize::try_from(count).ok());
            let count = count
                .filter(|&count| count <= MOST_ELEMENTS)
                .ok_or_else(unknown)?;
            let elements = elements.iter().map(|element| constant(element, &vector.element));
            let elements: Vec<Field> = elements.collect::<Outcome<_>>()?;
            Field::Vector(match elements.as_slice() {
                [all] => vec![all.clone(); count],
                _ => elements,
            })
        }
        _ => return Err(unknown()),
    })
}

/// The elements of a vector, at most.
const MOST_ELEMENTS: usize = 64;
