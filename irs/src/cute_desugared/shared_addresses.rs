//! The addresses in shared memory that are constants.

use super::CuteDesugared;
use super::ops::CuteDesugaredOp;
use crate::core::{Body, OpId, SideTable, Value};
use crate::dialects::arith::ArithOp;
use crate::dialects::fragment::FragmentOp;
use crate::literal::Dense;

/// The addresses in shared memory that are constants.
pub(super) struct SharedAddresses<'a> {
    body: &'a Body<CuteDesugared>,
    definitions: SideTable<Value, OpId>,
}

impl<'a> SharedAddresses<'a> {
    pub(super) fn new(body: &'a Body<CuteDesugared>) -> Self {
        let definitions = body.definitions();
        Self { body, definitions }
    }

    fn definition(&self, value: Value) -> Option<&'a CuteDesugaredOp> {
        Some(&self.body.op(*self.definitions.get(value)?).kind)
    }

    /// The offset in the block's shared memory where a pointer points.
    pub(super) fn of(&self, pointer: Value) -> Option<u32> {
        let CuteDesugaredOp::Fragment(op) = self.definition(pointer)? else {
            return None;
        };
        match op {
            FragmentOp::SharedPtr { offset } => Some(*offset),
            FragmentOp::AddOffset { pointer, offset } => {
                let begin = self.of(*pointer)?;
                let CuteDesugaredOp::Arith(ArithOp::Constant {
                    value: Dense::Splat(elements),
                }) = self.definition(*offset)?
                else {
                    return None;
                };
                let bytes = i64::from(self.body.ty(*pointer).pointee()?.bytes()?);
                let distance = elements.signed().checked_mul(bytes)?;
                u32::try_from(i64::from(begin).checked_add(distance)?).ok()
            }
            _ => None,
        }
    }
}
