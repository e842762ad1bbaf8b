//! Software-pipelined loops, whose ops have stages: each step of the loop executes stage 0 of one iteration together with stage 1
//! of the iteration before, and so on. (Lam, "Software Pipelining", PLDI 1988.)

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_diagnostics::{Code, Diagnostic};

use super::{Scheduled, ScheduledOp, Slot};
use crate::core::{Block, Body, OpId, Operation, Origin, Problems, Value, WholeEffects};
use crate::dialects::pipe::PipeOp;
use crate::dialects::scf::ScfOp;
use crate::tileas::{Pending, TileAsType};

/// The body of a counted loop whose ops have stages.
#[derive(Debug)]
pub struct StagedLoop {
    /// The block of the body.
    pub block: Block,
    /// The number of stages.
    pub stages: u32,
    /// The ops of an iteration except for the terminator, with their stages, in the order of execution within a step.
    pub ops: Vec<(OpId, u32)>,
    /// For each value of the body, the stage of the op that defines it.
    pub defined: FxHashMap<Value, u32>,
    /// The loop-carried values.
    pub carried: Vec<Carried>,
    /// The states of an end of a pipe of which an iteration takes several stages, from each to the loop-carried argument that the
    /// first one is. Stages are taken in the order of execution, whatever iteration they are for: each op takes the next one.
    pub turns: FxHashMap<Value, Value>,
}

/// A loop-carried value.
#[derive(Clone, Copy, Debug)]
pub struct Carried {
    /// The argument of the body that holds it.
    pub arg: Value,
    /// The value that the next iteration receives.
    pub next: Value,
    /// The stage that computes `next`.
    pub stage: u32,
}

impl StagedLoop {
    /// The stages of a loop; `None` if its ops have none.
    ///
    /// # Errors
    /// An op has no stage, though others have one; an op uses a value that is computed in a later stage, or later in its own
    /// stage; an iteration may leave the loop early.
    pub fn of(body: &Body<Scheduled>, id: OpId) -> Result<Option<Self>, Diagnostic<Origin>> {
        let ScheduledOp::Scf(ScfOp::For { body: region, .. }) = &body.op(id).kind else {
            return Ok(None);
        };
        let Some(block) = body.only_block(*region) else {
            return Ok(None);
        };
        let Some((&last, inner)) = body.block(block).ops.split_last() else {
            return Ok(None);
        };
        let own = |slot: &Slot| slot.agent.is_none();
        let slot = |id: OpId| body.op(id).tag;
        if !inner.iter().any(|&id| slot(id).as_ref().is_some_and(own)) {
            return Ok(None);
        }
        let mut ops = Vec::with_capacity(inner.len());
        for &id in inner {
            match slot(id) {
                Some(slot) if own(&slot) => ops.push((id, slot)),
                // Another agent will execute it.
                Some(_) => {}
                None => {
                    let message = "this op has no stage, other ops of the loop's body have one";
                    return Err(Diagnostic::error(Code::MissingAttribute, message).at(body.op(id).origin, ""));
                }
            }
        }
        ops.sort_by_key(|(_, slot)| slot.order);
        let stages = ops.iter().map(|(_, slot)| slot.stage).max().unwrap_or(0) + 1;
        let defined: FxHashMap<Value, u32> = ops
            .iter()
            .flat_map(|&(id, slot)| body.op(id).results().map(move |result| (result, slot.stage)))
            .collect();
        let mut staged = Self {
            block,
            stages,
            ops: ops.into_iter().map(|(id, slot)| (id, slot.stage)).collect(),
            defined,
            carried: Vec::new(),
            turns: FxHashMap::default(),
        };
        staged.carry(body, last)?;
        staged.find_turns(body);
        staged.check(body)?;
        Ok(Some(staged))
    }

    fn carry(&mut self, body: &Body<Scheduled>, last: OpId) -> Result<(), Diagnostic<Origin>> {
        let ScheduledOp::Scf(ScfOp::Continue { values }) = &body.op(last).kind else {
            return Ok(());
        };
        let args = body.block(self.block).args.iter().skip(1);
        for (&arg, &next) in args.zip(values) {
            let Some(&stage) = self.defined.get(&next) else {
                let message = "a loop with stages hands over what an op of its body computes";
                let origin = body.op(last).origin;
                return Err(Diagnostic::error(Code::OperandType, message).at(origin, ""));
            };
            self.carried.push(Carried { arg, next, stage });
        }
        Ok(())
    }

    fn find_turns(&mut self, body: &Body<Scheduled>) {
        let advances = |value: Value| {
            let mut ops = self.ops.iter().map(|&(id, _)| body.op(id));
            let made = ops.find(|op| op.results().any(|result| result == value))?;
            match made.kind {
                ScheduledOp::Pipe(PipeOp::Advance { state, .. }) => Some(state),
                _ => None,
            }
        };
        let chains = self.carried.iter().filter_map(|carried| {
            let states = std::iter::successors(Some(carried.next), |&state| {
                advances(state).filter(|_| state != carried.arg)
            });
            let states: Vec<Value> = states.take(self.ops.len() + 1).collect();
            let is_whole = states.last() == Some(&carried.arg) && states.len() > 2;
            is_whole.then(|| states.into_iter().map(|state| (state, carried.arg)))
        });
        self.turns = chains.flatten().collect();
    }

    /// Checks that each stage that an end takes in turn is its current one: the state is advanced after that, in the same stage of
    /// the loop, and not before by another op.
    fn check_turns(&self, body: &Body<Scheduled>) -> Result<(), Diagnostic<Origin>> {
        let advanced = |id: OpId| match body.op(id).kind {
            ScheduledOp::Pipe(PipeOp::Advance { state, .. }) => Some(state),
            _ => None,
        };
        for (at, &(id, stage)) in self.ops.iter().enumerate() {
            for value in uses(body, id) {
                let Some(end) = self.turns.get(&value) else {
                    continue;
                };
                let of_end = |(id, _): &&(OpId, u32)| {
                    advanced(*id).is_some_and(|state| self.turns.get(&state) == Some(end))
                };
                let next = self.ops.iter().skip(at).find(of_end);
                let is_current = |&(id, of): &(OpId, u32)| of == stage && advanced(id) == Some(value);
                if !next.is_some_and(is_current) {
                    let message = "several ops of an iteration take the stages of this pipe in turn: the state of each is \
                                   advanced in the same stage of the loop, before another one takes its own";
                    return Err(Diagnostic::error(Code::MisplacedOp, message).at(body.op(id).origin, ""));
                }
            }
        }
        Ok(())
    }

    fn check(&self, body: &Body<Scheduled>) -> Result<(), Diagnostic<Origin>> {
        let error = |id: OpId, message: String| {
            Err(Diagnostic::error(Code::AttributeValue, message).at(body.op(id).origin, ""))
        };
        let mut done: FxHashSet<Value> = FxHashSet::default();
        for &(id, stage) in &self.ops {
            if WholeEffects::leaves(body, id) {
                return error(
                    id,
                    "an iteration of a loop with stages does not end early".to_owned(),
                );
            }
            let by_value = |value: &Value| !self.turns.contains_key(value);
            for value in uses(body, id).into_iter().filter(by_value) {
                if let Some(&made) = self.defined.get(&value) {
                    let late = made > stage || made == stage && !done.contains(&value);
                    if late {
                        let message = format!(
                            "this op of stage {stage} comes before what it uses, which is of stage {made}"
                        );
                        return error(id, message);
                    }
                    if made != stage && is_product(body.ty(value)) {
                        let message = format!(
                            "this op of stage {stage} takes a product under way of stage {made}: its registers stay \
                             within a stage"
                        );
                        return error(id, message);
                    }
                }
                let carried = self.carried.iter().find(|carried| carried.arg == value);
                if let Some(carried) = carried.filter(|carried| carried.stage > stage) {
                    let message = format!(
                        "this op of stage {stage} uses what the iteration before computes in stage {}",
                        carried.stage
                    );
                    return error(id, message);
                }
            }
            done.extend(body.op(id).results());
        }
        self.check_turns(body)
    }

    /// The number of steps between the definition of a value of the body and its use in a stage; `None` for a value from outside
    /// of the loop. The counter is defined in stage 0, and a loop-carried value when the iteration before computes it. States that
    /// are used in turn are those of the step.
    pub fn distance(&self, value: Value, stage: u32, counter: Value) -> Option<u32> {
        if self.turns.contains_key(&value) {
            return Some(0);
        }
        if let Some(carried) = self.carried.iter().find(|carried| carried.arg == value) {
            return Some(stage.saturating_sub(carried.stage) + 1);
        }
        let made = self
            .defined
            .get(&value)
            .copied()
            .or((value == counter).then_some(0))?;
        Some(stage.saturating_sub(made))
    }

    /// For each value of the body, including arguments, the number of steps from its definition to its last use; 0 within one
    /// step. A loop-carried value is defined where the iteration before computes it.
    pub fn distances(&self, body: &Body<Scheduled>) -> FxHashMap<Value, u32> {
        let mut distances: FxHashMap<Value, u32> =
            self.carried.iter().map(|carried| (carried.arg, 1)).collect();
        let counter = body.block(self.block).args.first().copied();
        for &(id, stage) in &self.ops {
            for value in uses(body, id) {
                let Some(distance) = counter.and_then(|counter| self.distance(value, stage, counter)) else {
                    continue;
                };
                let most = distances.entry(value).or_default();
                *most = distance.max(*most);
            }
        }
        distances
    }
}

/// Reports loops whose stages are invalid.
pub(super) fn verify(body: &Body<Scheduled>, problems: &mut Problems) {
    for (id, _) in body.ops() {
        if let Err(problem) = StagedLoop::of(body, id) {
            problems.list.push(problem.into());
        }
    }
}

/// The values that an op and the ops in its regions use.
pub fn uses(body: &Body<Scheduled>, id: OpId) -> Vec<Value> {
    let kind = &body.op(id).kind;
    let inner = kind
        .region_list()
        .into_iter()
        .flat_map(|region| body.walk_region(region));
    let inner = inner.flat_map(|id| body.op(id).kind.operand_list());
    kind.operand_list().into_iter().chain(inner).collect()
}

fn is_product(ty: &TileAsType) -> bool {
    matches!(ty, TileAsType::Pending(Some(what)) if matches!(**what, Pending::Tile(..)))
}
