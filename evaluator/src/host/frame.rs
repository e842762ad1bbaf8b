//! A running host function: its values, and what it has done.

use tilewright_diagnostics::Code;
use tilewright_irs::core::{Body, Entity, Func, OpData, Operation, Value};
use tilewright_irs::cute_types::{CuteType, Dialect, Kind};
use tilewright_irs::mlir::types::FloatFormat;
use tilewright_irs::mlir::{Mlir, MlirModule, Type};

use super::value::{Config, Field, Integer, Runtime};
use super::{HostLaunch, unsupported};
use crate::fault::{Fault, Outcome};
use crate::number::Format;

/// An op of a host function.
pub(super) type Op = OpData<Mlir>;

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
    /// Whose `cute` the function is of.
    pub(super) dialect: Dialect,
    pub(super) body: &'a Body<Mlir>,
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
    pub(super) fn new(module: &'a MlirModule, function: &'a Func<Mlir>, steps: u64) -> Self {
        let body = &function.body;
        Self {
            module,
            configs: Vec::new(),
            launches: Vec::new(),
            printed: String::new(),
            steps: (steps, steps),
            dialect: function.attrs.dialect,
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

    pub(super) fn values(&self, values: &[Value]) -> Outcome<Vec<Runtime>> {
        values.iter().map(|&value| self.value(value).cloned()).collect()
    }

    pub(super) fn define(
        &mut self,
        values: impl IntoIterator<Item = Value>,
        runtime: Vec<Runtime>,
    ) -> Outcome<()> {
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

    pub(super) fn spend(&mut self) -> Outcome<()> {
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
}
