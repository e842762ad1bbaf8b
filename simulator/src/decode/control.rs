//! Branches, calls and barriers.

use super::{Decoded, Decoder, Located};
use crate::program::{Op, Pointer, Reduction, ReductionKind, Source};
use tilewright_diagnostics::counted;
use tilewright_irs::ptx::{BarrierLogic, Label, Predicate, Register, Symbol, Type, Value};

/// What a barrier answers about the predicates of all who meet there, in the predicate `d`.
pub(super) fn all_or_any(op: BarrierLogic, d: Register) -> ReductionKind {
    match op {
        BarrierLogic::And => ReductionKind::All(d.index),
        BarrierLogic::Or => ReductionKind::Any(d.index),
    }
}

impl Decoder<'_> {
    pub(super) fn branch(&self, target: Label, uniform: bool) -> Decoded<Op> {
        let target = self
            .labels
            .get(&target)
            .copied()
            .ok_or_else(|| format!("no label {target}"))?;
        Ok(Op::Branch { target, uniform })
    }

    /// A barrier with a reduction of predicates.
    pub(super) fn barrier_reduction(
        &self,
        kind: ReductionKind,
        number: Value,
        count: Option<Value>,
        a: Predicate,
        aligned: bool,
    ) -> Op {
        Op::Barrier {
            number: self.source(Type::U32, number),
            count: count.map(|count| self.source(Type::U32, count)),
            waits: true,
            aligned,
            reduction: Some(Reduction { kind, a: self.bit(a) }),
        }
    }

    pub(super) fn barrier(&self, number: Value, count: Option<Value>, waits: bool, aligned: bool) -> Op {
        Op::Barrier {
            number: self.source(Type::U32, number),
            count: count.map(|count| self.source(Type::U32, count)),
            waits,
            aligned,
            reduction: None,
        }
    }

    /// A call. The only function is `vprintf`: a format and a list of arguments, both by address.
    pub(super) fn call(&self, function: &Symbol, results: &[Symbol], arguments: &[Symbol]) -> Decoded<Op> {
        let parameter = |name: &Symbol| -> Decoded<Pointer> {
            let Located { place, address } = self.symbol(name)?;
            Ok(Pointer {
                place,
                base: Source::Constant(address),
                offset: 0,
                narrow: false,
            })
        };
        match (function.0.as_str(), arguments) {
            ("vprintf", [format, list]) if results.len() <= 1 => Ok(Op::Print {
                format: parameter(format)?,
                arguments: parameter(list)?,
                result: results.first().map(parameter).transpose()?,
            }),
            _ => Err(format!(
                "a call of `{function}` with {}",
                counted(arguments.len(), "parameter")
            )),
        }
    }
}
