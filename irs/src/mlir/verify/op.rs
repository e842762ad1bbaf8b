//! An op as the rules see it: its operands and results with their types.

use tilewright_diagnostics::{Code, counted};

use crate::core::{Block, Body, Func, OpData, Operation as _, Part, Region, Value};
use crate::cute_types::{CuteType, Dialect, Kind, Pointer, View};
use crate::mlir::types::{Signedness, Type};
use crate::mlir::{Mlir, MlirOp};

/// What is wrong with an op.
#[derive(Debug)]
pub(super) struct Wrong {
    pub(super) part: Part,
    pub(super) code: Code,
    pub(super) message: String,
}

/// The result of a check.
pub(super) type Checked<T = ()> = Result<T, Wrong>;

/// An op of a body.
#[derive(Clone, Copy)]
pub(super) struct Op<'a> {
    pub(super) dialect: Dialect,
    pub(super) body: &'a Body<Mlir>,
    pub(super) data: &'a OpData<Mlir>,
}

impl<'a> Op<'a> {
    pub(super) fn new(func: &'a Func<Mlir>, data: &'a OpData<Mlir>) -> Self {
        let dialect = func.attrs.dialect;
        let body = &func.body;
        Self { dialect, body, data }
    }

    pub(super) fn name(self) -> &'static str {
        self.data.kind.mlir_spec().shown_in(self.dialect)
    }

    pub(super) fn ty(self, value: Value) -> &'a Type {
        self.body.ty(value)
    }

    /// What the type of a value says, if it is one of `cute`.
    pub(super) fn kind(self, value: Value) -> Option<&'a Kind> {
        self.ty(value).kind()
    }

    /// The pointer that an operand is.
    pub(super) fn pointer(self, value: Value) -> Checked<&'a Pointer> {
        match self.kind(value) {
            Some(Kind::Pointer(pointer)) => Ok(pointer),
            _ => Err(self.needed(value, "a pointer")),
        }
    }

    /// The view that an operand is.
    pub(super) fn view(self, value: Value) -> Checked<&'a View> {
        match self.kind(value) {
            Some(Kind::View(view)) => Ok(view),
            _ => Err(self.needed(value, "a tensor in memory")),
        }
    }

    pub(super) fn operands(self) -> Vec<Value> {
        let mut operands = Vec::new();
        self.data.kind.operands(&mut |value| operands.push(value));
        operands
    }

    pub(super) fn results(self) -> Vec<Value> {
        self.data.results().collect()
    }

    /// The only result, of an op whose declaration says that it has one.
    pub(super) fn result(self) -> Checked<Value> {
        self.data.results().next().ok_or_else(|| Wrong {
            part: Part::Op,
            code: Code::ResultCount,
            message: format!("`{}` has no result", self.name()),
        })
    }

    pub(super) fn wrong(self, part: Part, code: Code, message: String) -> Wrong {
        Wrong { part, code, message }
    }

    /// An error about the op as a whole.
    pub(super) fn refuse<T>(self, code: Code, what: impl std::fmt::Display) -> Checked<T> {
        let message = format!("`{}`: {what}", self.name());
        Err(self.wrong(Part::Op, code, message))
    }

    /// Checks the type of an operand.
    pub(super) fn needs(self, value: Value, what: &str, holds: bool) -> Checked {
        match holds {
            true => Ok(()),
            false => Err(self.needed(value, what)),
        }
    }

    /// The error about an operand of another type.
    pub(super) fn needed(self, value: Value, what: &str) -> Wrong {
        let message = format!(
            "an operand of `{}` is `{}`, where {what} is needed",
            self.name(),
            self.ty(value)
        );
        self.wrong(self.data.operand(value), Code::OperandType, message)
    }

    /// Checks that operands have a type.
    pub(super) fn all(self, values: impl IntoIterator<Item = Value>, ty: &Type) -> Checked {
        values
            .into_iter()
            .try_for_each(|value| self.needs(value, &format!("`{ty}`"), self.ty(value) == ty))
    }

    /// Checks the type of a result.
    pub(super) fn gives(self, number: usize, what: &str, holds: impl Fn(&Type) -> bool) -> Checked {
        let Some(value) = self.data.results().nth(number) else {
            let message = format!("`{}` has no result {number}", self.name());
            return Err(self.wrong(Part::Op, Code::ResultCount, message));
        };
        if holds(self.ty(value)) {
            return Ok(());
        }
        let message = format!(
            "a result of `{}` is `{}`, where {what} is needed",
            self.name(),
            self.ty(value)
        );
        Err(self.wrong(Part::result(number), Code::TypeMismatch, message))
    }

    /// Checks that every result has a type.
    pub(super) fn gives_all(self, ty: &Type) -> Checked {
        (0..self.data.results().len())
            .try_for_each(|number| self.gives(number, &format!("`{ty}`"), |own| own == ty))
    }

    /// Checks the number of operands in a list.
    pub(super) fn count(self, what: &'static str, found: usize, needed: usize) -> Checked {
        match found == needed {
            true => Ok(()),
            false => self.refuse(
                Code::OperandCount,
                format_args!("it has {}, where {needed} are needed", counted(found, what)),
            ),
        }
    }

    /// Checks that a region has one block, with arguments of these types, and returns it.
    pub(super) fn block(self, region: Region, what: &str, types: &[&Type]) -> Checked<Block> {
        let Some(block) = self.body.only_block(region) else {
            let message = format!("{what} of `{}` has one block", self.name());
            return Err(self.wrong(Part::Op, Code::RegionCount, message));
        };
        let arguments = &self.body.block(block).args;
        if arguments.len() != types.len() {
            let message = format!(
                "{what} of `{}` takes {}, and its block has {}",
                self.name(),
                counted(types.len(), "value"),
                arguments.len()
            );
            return Err(self.wrong(Part::Op, Code::BlockArguments, message));
        }
        for (number, (&argument, &ty)) in arguments.iter().zip(types).enumerate() {
            if self.ty(argument) != ty {
                let message = format!(
                    "argument {number} of {what} of `{}` is `{}`, where `{ty}` is passed",
                    self.name(),
                    self.ty(argument)
                );
                return Err(self.wrong(Part::argument(number), Code::BlockArguments, message));
            }
        }
        Ok(block)
    }

    /// The op that ends a block.
    pub(super) fn end(self, block: Block) -> Option<&'a MlirOp> {
        let last = self.body.terminator(block)?;
        Some(&self.body.op(last).kind)
    }
}

/// A signless integer, or a vector of them.
pub(super) fn integer(ty: &Type) -> bool {
    matches!(ty.scalar(), Type::Integer(Signedness::Signless, _))
}

/// A signless integer or an index, or a vector of them.
pub(super) fn integer_or_index(ty: &Type) -> bool {
    integer(ty) || matches!(ty.scalar(), Type::Index)
}

/// A float, or a vector of them.
pub(super) fn float(ty: &Type) -> bool {
    matches!(ty.scalar(), Type::Float(_))
}

/// The bits of a scalar, where the type says it.
pub(super) fn bits(ty: &Type) -> Option<u32> {
    match ty.scalar() {
        Type::Integer(_, bits) => Some(*bits),
        Type::Float(format) => Some(format.bits()),
        _ => None,
    }
}

/// The type of `cute` that says this.
pub(super) fn of(kind: Kind) -> Type {
    Type::Cute(CuteType::from(kind))
}
