//! A running host function: its values, and control flow.

use tilewright_diagnostics::Code;
use tilewright_irs::core::{Block, Body, Entity, OpData, Operation, Region, Value};
use tilewright_irs::cute_types::{CuteType, Kind};
use tilewright_irs::mlir::dialects::{BuiltinOp, CfOp, FuncOp, ScfOp, VectorOp};
use tilewright_irs::mlir::types::FloatFormat;
use tilewright_irs::mlir::{Attribute, Mlir, MlirModule, MlirOp, Type};

use super::launch::Config;
use super::value::{Field, Integer, Runtime};
use super::{HostLaunch, algebra, floats, integers, launch, tensor_map, unsupported};
use crate::fault::{Fault, Outcome};
use crate::number::Format;

/// An op of a host function.
pub(super) type Op = OpData<Mlir>;

/// Where the program goes after an op.
pub(super) enum Flow {
    /// To the op around it, with these results.
    Yield(Vec<Runtime>),
    /// To the second region of a `while`, or past it.
    Condition(bool, Vec<Runtime>),
    /// Out of the function.
    Return,
}

/// What an op does.
enum Next {
    Values(Vec<Runtime>),
    Leave(Flow),
}

/// A running host function.
pub(super) struct Frame<'a> {
    /// The module of the function.
    pub(super) module: &'a MlirModule,
    /// What has been said so far of launches.
    pub(super) configs: Vec<Config>,
    /// The launches so far.
    pub(super) launches: Vec<HostLaunch>,
    /// What has been printed.
    pub(super) printed: String,
    /// How many steps are left, and how many there were.
    pub(super) steps: (u64, u64),
    body: &'a Body<Mlir>,
    values: Vec<Option<Runtime>>,
}

/// The format of a float type, if it can be computed with.
pub(super) fn format_of(ty: &Type) -> Option<Format> {
    match ty {
        Type::Float(format) => match format {
            FloatFormat::F16 => Some(Format::F16),
            FloatFormat::Bf16 => Some(Format::BF16),
            FloatFormat::F32 => Some(Format::F32),
            FloatFormat::F64 => Some(Format::F64),
            FloatFormat::Tf32 => Some(Format::TF32),
            FloatFormat::F8E5m2 => Some(Format::F8E5M2),
            FloatFormat::F8E4m3fn => Some(Format::F8E4M3FN),
            FloatFormat::F8E8m0fnu => Some(Format::F8E8M0FNU),
            FloatFormat::F4E2m1fn => Some(Format::F4E2M1FN),
            FloatFormat::F6E2m3fn | FloatFormat::F6E3m2fn => None,
        },
        _ => None,
    }
}

/// The width of an integer type.
pub(super) fn width_of(ty: &Type) -> Option<u32> {
    match ty {
        Type::Integer(_, width) => Some(*width),
        Type::Index => Some(64),
        Type::Cute(ty) => match ty.kind() {
            Kind::Integer(integer) => Some(integer.width.count()),
            _ => None,
        },
        _ => None,
    }
}

impl<'a> Frame<'a> {
    pub(super) fn new(module: &'a MlirModule, body: &'a Body<Mlir>, steps: u64) -> Self {
        Self {
            module,
            configs: Vec::new(),
            launches: Vec::new(),
            printed: String::new(),
            steps: (steps, steps),
            body,
            values: vec![None; body.value_count()],
        }
    }

    /// The type of a value.
    pub(super) fn ty(&self, value: Value) -> &'a Type {
        self.body.ty(value)
    }

    /// The type of a value, which is one of `cute`.
    pub(super) fn cute(&self, value: Value) -> Outcome<&'a CuteType> {
        match self.ty(value) {
            Type::Cute(ty) => Ok(ty),
            other => Err(unsupported(format_args!("an operand `{other}` here"))),
        }
    }

    /// The type of an op's result.
    pub(super) fn result(&self, op: &Op) -> Outcome<&'a Type> {
        let result = op.results().next().map(|value| self.ty(value));
        result.ok_or_else(|| Fault::broken(format_args!("`{}` without a result", op.kind.name())))
    }

    /// A value.
    pub(super) fn value(&self, value: Value) -> Outcome<&Runtime> {
        let found = self.values.get(value.index()).and_then(Option::as_ref);
        found.ok_or_else(|| Fault::broken(format_args!("a use of {value:?} before its definition")))
    }

    /// What a value's type leaves open.
    pub(super) fn fields(&self, value: Value) -> Outcome<&[Field]> {
        match self.value(value)? {
            Runtime::Fields(fields) => Ok(fields),
            Runtime::Stream | Runtime::Config(_) | Runtime::Launched => {
                Err(unsupported(format_args!("an operand `{}` here", self.ty(value))))
            }
        }
    }

    /// The one machine value that a value is.
    pub(super) fn field(&self, value: Value) -> Outcome<&Field> {
        match self.fields(value)? {
            [field] => Ok(field),
            _ => Err(unsupported(format_args!("an operand `{}` here", self.ty(value)))),
        }
    }

    /// An integer.
    pub(super) fn integer(&self, value: Value) -> Outcome<Integer> {
        let integer = self.field(value)?.integer();
        integer.ok_or_else(|| unsupported(format_args!("an operand `{}` here", self.ty(value))))
    }

    /// Two integers of one width.
    pub(super) fn integers(&self, a: Value, b: Value) -> Outcome<(Integer, Integer)> {
        let (x, y) = (self.integer(a)?, self.integer(b)?);
        match x.width() == y.width() {
            true => Ok((x, y)),
            false => Err(self.differ(a, b)),
        }
    }

    /// A float.
    pub(super) fn float(&self, value: Value) -> Outcome<(Format, u64)> {
        match self.field(value)? {
            Field::Float(format, bits) => Ok((*format, *bits)),
            Field::Integer(_) | Field::Address(_) | Field::Vector(_) | Field::Map(_) => {
                Err(unsupported(format_args!("an operand `{}` here", self.ty(value))))
            }
        }
    }

    /// Two floats of one format.
    pub(super) fn floats(&self, a: Value, b: Value) -> Outcome<(Format, u64, u64)> {
        let ((format, x), (other, y)) = (self.float(a)?, self.float(b)?);
        match format == other {
            true => Ok((format, x, y)),
            false => Err(self.differ(a, b)),
        }
    }

    fn differ(&self, a: Value, b: Value) -> Box<Fault> {
        let (a, b) = (self.ty(a), self.ty(b));
        unsupported(format_args!("operands `{a}` and `{b}` of one op"))
    }

    fn values(&self, values: &[Value]) -> Outcome<Vec<Runtime>> {
        values.iter().map(|&value| self.value(value).cloned()).collect()
    }

    fn define(&mut self, values: impl IntoIterator<Item = Value>, runtime: Vec<Runtime>) -> Outcome<()> {
        let mut runtime = runtime.into_iter();
        for value in values {
            let slot = self.values.get_mut(value.index());
            match slot.zip(runtime.next()) {
                Some((slot, item)) => *slot = Some(item),
                None => return Err(Fault::broken(format_args!("no value for {value:?}"))),
            }
        }
        match runtime.next() {
            None => Ok(()),
            Some(_) => Err(Fault::broken("more values than names for them")),
        }
    }

    fn spend(&mut self) -> Outcome<()> {
        let (left, all) = self.steps;
        match left.checked_sub(1) {
            Some(left) => {
                self.steps.0 = left;
                Ok(())
            }
            None => {
                let message = format!("the host function has not ended after {all} ops");
                Err(Fault::new(Code::StepLimit, message))
            }
        }
    }

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
            MlirOp::Func(FuncOp::Return { .. }) => return Ok(Next::Leave(Flow::Return)),
            MlirOp::Cuda(kind) => match launch::evaluate(self, op, kind)? {
                launch::Done::Values(values) => values,
                launch::Done::Return => return Ok(Next::Leave(Flow::Return)),
            },
            MlirOp::Arith(kind) => vec![self.arithmetic(op, kind)?],
            MlirOp::Cute(kind) => algebra::evaluate(self, op, kind)?,
            MlirOp::CuteNvgpu(kind) => tensor_map::evaluate(self, op, kind)?,
            MlirOp::Vector(VectorOp::FromElements { elements }) => {
                let elements = elements.iter().map(|&element| self.field(element).cloned());
                vec![Field::Vector(elements.collect::<Outcome<_>>()?).into()]
            }
            MlirOp::Builtin(BuiltinOp::Cast { inputs }) => match inputs.as_slice() {
                [input] => vec![self.value(*input)?.clone()],
                _ => return Err(super::unknown(op)),
            },
            MlirOp::Cf(CfOp::Assert { arg, msg }) => {
                if self.integer(*arg)?.unsigned() == 0 {
                    let message = format!("an assertion of the host function does not hold: {msg}");
                    return Err(Fault::new(Code::AssertionFailed, message));
                }
                Vec::new()
            }
            MlirOp::Vector(_) | MlirOp::Math(_) | MlirOp::Nvvm(_) | MlirOp::Llvm(_) => {
                return Err(super::unknown(op));
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
                    flow @ (Flow::Return | Flow::Condition(..)) => Next::Leave(flow),
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
                        flow @ (Flow::Return | Flow::Condition(..)) => return Ok(Next::Leave(flow)),
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
                        Flow::Return => return Ok(Next::Leave(Flow::Return)),
                        Flow::Yield(_) => {
                            return Err(Fault::broken("a `scf.while` without a condition"));
                        }
                    };
                    match self.region(*after, passed)? {
                        Flow::Yield(values) => carried = values,
                        flow @ (Flow::Return | Flow::Condition(..)) => return Ok(Next::Leave(flow)),
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

    fn arithmetic(&self, op: &Op, kind: &tilewright_irs::mlir::dialects::ArithOp) -> Outcome<Runtime> {
        use tilewright_irs::mlir::dialects::ArithOp;
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
        float.map(Runtime::from).ok_or_else(|| super::unknown(op))
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
