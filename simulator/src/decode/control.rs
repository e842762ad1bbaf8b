//! Branches and barriers.

use super::{Decoded, Decoder};
use crate::program::{Op, Reduction, ReductionKind};
use tilewright_irs::ptx::{Label, Predicate, Type, Value};

impl Decoder<'_> {
    pub(super) fn branch(&self, target: Label, uniform: bool) -> Decoded<Op> {
        let target = self
            .labels
            .get(&target)
            .copied()
            .ok_or_else(|| format!("no label {target}"))?;
        Ok(Op::Branch { target, uniform })
    }

    /// A barrier that tells what it finds of the predicates of all who meet there.
    pub(super) fn barrier_reduction(
        &self,
        kind: ReductionKind,
        number: Value,
        count: Option<Value>,
        a: Predicate,
    ) -> Op {
        Op::Barrier {
            number: self.source(Type::U32, number),
            count: count.map(|count| self.source(Type::U32, count)),
            waits: true,
            aligned: true,
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
}
