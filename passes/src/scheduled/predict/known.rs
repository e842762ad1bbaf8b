//! What is known of integers before a launch: constants, parameters, and what is computed from them, in one block of the grid.

use rustc_hash::FxHashMap;
use tilewright_irs::core::{Body, OpId, Operation, Value, ValueType};
use tilewright_irs::dialects::arith::{ArithOp, Signedness};
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::folding::{self, number, wrapped};
use tilewright_irs::literal::{Dense, Literal};
use tilewright_irs::scheduled::{Scheduled, ScheduledOp};
use tilewright_irs::tileas::TileAsDialect;

use super::timeline::Launch;

/// The integers of a function that are known.
pub(super) struct Known<'a> {
    body: &'a Body<Scheduled>,
    found: FxHashMap<Value, Literal>,
    /// The iterations of other loops.
    launched: Option<u64>,
}

impl<'a> Known<'a> {
    /// What is known in the block with these indices.
    pub(super) fn of(body: &'a Body<Scheduled>, launch: &Launch, block: [u64; 3]) -> Self {
        let mut known = Self {
            body,
            found: FxHashMap::default(),
            launched: launch.iterations,
        };
        for (&param, &value) in body.params().iter().zip(&launch.parameters) {
            let literal = value.and_then(|value| known.integer(param, value));
            known.found.extend(literal.map(|literal| (param, literal)));
        }
        // What is used comes before.
        for id in body.walk() {
            if let Some((value, literal)) = known.compute(id, launch, block) {
                known.found.insert(value, literal);
            }
        }
        known
    }

    /// The iterations of a loop: of a counted one whose bounds are known, or else what the launch says.
    pub(super) fn iterations(&self, id: OpId) -> Option<u64> {
        self.counted(id).or(self.launched)
    }

    fn counted(&self, id: OpId) -> Option<u64> {
        let ScheduledOp::Scf(ScfOp::For {
            lower, upper, step, ..
        }) = &self.body.op(id).kind
        else {
            return None;
        };
        let of = |value: &Value| self.get(*value).map(Literal::signed);
        let (lower, upper, step) = (of(lower)?, of(upper)?, of(step)?);
        let distance = u64::try_from(upper.checked_sub(lower)?).unwrap_or(0);
        Some(distance.div_ceil(u64::try_from(step).ok()?.max(1)))
    }

    fn get(&self, value: Value) -> Option<Literal> {
        self.found.get(&value).copied()
    }

    /// A number in the type of a value, if that is an integer.
    fn integer(&self, value: Value, number: i64) -> Option<Literal> {
        let ty = self.body.ty(value).element()?.scalar()?;
        ty.is_int().then(|| wrapped(ty, i128::from(number)))
    }

    /// The result of an op on what is known.
    fn compute(&self, id: OpId, launch: &Launch, block: [u64; 3]) -> Option<(Value, Literal)> {
        let op = self.body.op(id);
        let result = op.results().next()?;
        let literal = match &op.kind {
            ScheduledOp::Arith(ArithOp::Constant {
                value: Dense::Splat(literal),
            }) => Some(*literal),
            ScheduledOp::Arith(ArithOp::Select { condition, yes, no }) => {
                self.get(if self.holds(*condition)? { *yes } else { *no })
            }
            ScheduledOp::Arith(op) => {
                let operands: Option<Vec<Literal>> = op
                    .operand_list()
                    .iter()
                    .map(|&operand| self.get(operand))
                    .collect();
                folding::fold(op, &operands?, self.body.ty(result).element()?.scalar()?)
            }
            ScheduledOp::TileAs(TileAsDialect::ProgramId { axis }) => {
                let index = block.get(*axis as usize).copied()?;
                self.integer(result, i64::try_from(index).ok()?)
            }
            ScheduledOp::TileAs(TileAsDialect::BlockRank {}) => self.integer(result, 0),
            ScheduledOp::TileAs(TileAsDialect::NumPrograms { axis }) => {
                let extent = launch.grid?.get(*axis as usize).copied()?;
                self.integer(result, i64::try_from(extent).ok()?)
            }
            _ => None,
        };
        Some((result, literal?))
    }

    /// Whether a condition holds.
    pub(super) fn holds(&self, condition: Value) -> Option<bool> {
        let literal = self.get(condition)?;
        Some(number(literal, Signedness::Unsigned) != 0)
    }
}
