//! Branches and barriers.

use super::{Decoded, Decoder};
use crate::program::Op;
use tilewright_irs::ptx::{Label, Type, Value};

impl Decoder<'_> {
    pub(super) fn branch(&self, target: Label, uniform: bool) -> Decoded<Op> {
        let target = self
            .labels
            .get(&target)
            .copied()
            .ok_or_else(|| format!("no label {target}"))?;
        Ok(Op::Branch { target, uniform })
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
