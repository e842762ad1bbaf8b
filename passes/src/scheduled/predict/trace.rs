//! What an agent executes, in order: of each loop a few iterations, of each branch one side.

use tilewright_irs::core::{Body, OpId, Region, Value};
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::scheduled::{Scheduled, ScheduledOp};
use tilewright_irs::tileas::TileAsDialect;

use super::known::Known;
use super::timeline::Launch;

/// A step of an agent.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// An op without regions, or a reduction.
    Op(OpId),
    /// Each of the first values becomes the second one.
    Pass(Vec<(Value, Value)>),
    /// An iteration of a loop begins: the loop's number, and that of the iteration.
    Iteration(usize, u64),
    /// A loop ends.
    End(usize),
}

/// A loop, and how much of it is followed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Followed {
    pub(super) op: OpId,
    pub(super) outer: Option<usize>,
    /// The iterations, if their number is known.
    pub(super) iterations: Option<u64>,
    pub(super) followed: u64,
}

/// The steps of an agent.
#[derive(Clone, Debug, Default)]
pub(super) struct Trace {
    pub(super) steps: Vec<Step>,
    pub(super) loops: Vec<Followed>,
    /// Whether products of warp groups are among the steps.
    pub(super) has_group_products: bool,
}

impl Trace {
    /// The iterations of all loops, those that are followed or not.
    pub(super) fn iterations(&self) -> u64 {
        let own = |each: &Followed| each.iterations.unwrap_or(Launch::ITERATIONS);
        let outer = |number: &usize| self.loops.get(*number).and_then(|each| each.outer);
        let nest = |each: &Followed| {
            let around = std::iter::successors(each.outer, outer).filter_map(|number| self.loops.get(number));
            around.map(own).fold(own(each), u64::saturating_mul)
        };
        self.loops.iter().map(nest).fold(0, u64::saturating_add)
    }
}

/// Iterations that are followed: of innermost loops enough for the deepest ring to be full half of the time, of others two after
/// the first; of loops that are nested deeper than [`DEEP`], one.
const INNER: u64 = 16;
const OUTER: u64 = 3;
const DEEP: usize = 3;
/// Of innermost loops with many ops, fewer iterations are followed, so that they have no more steps than this.
const STEPS: u64 = 1 << 13;

/// Follows an agent's body.
pub(super) fn trace(body: &Body<Scheduled>, region: Region, known: &Known<'_>) -> Trace {
    let mut tracer = Tracer {
        body,
        known,
        trace: Trace::default(),
        numbers: Vec::new(),
    };
    tracer.region(region, None);
    tracer.trace
}

struct Tracer<'a> {
    body: &'a Body<Scheduled>,
    known: &'a Known<'a>,
    trace: Trace,
    /// The number of each loop.
    numbers: Vec<(OpId, usize)>,
}

/// How a region ends.
enum End<'a> {
    /// With these values, for the op around it.
    Values(&'a [Value]),
    /// By leaving a loop or the kernel.
    Away,
}

impl<'a> Tracer<'a> {
    fn region(&mut self, region: Region, around: Option<usize>) -> End<'a> {
        let Some(block) = self.body.only_block(region) else {
            return End::Away;
        };
        for &id in &self.body.block(block).ops {
            match &self.body.op(id).kind {
                ScheduledOp::Scf(ScfOp::Yield { values } | ScfOp::Continue { values }) => {
                    return End::Values(values);
                }
                ScheduledOp::Scf(ScfOp::Break { .. } | ScfOp::Return {}) => return End::Away,
                ScheduledOp::Scf(ScfOp::If {
                    condition,
                    then,
                    otherwise,
                }) => {
                    let taken = match self.known.holds(*condition) {
                        Some(true) => *then,
                        Some(false) => *otherwise,
                        None => self.usual(*then, *otherwise),
                    };
                    if let End::Values(values) = self.region(taken, around) {
                        self.pass(self.body.op(id).results(), values);
                    }
                }
                ScheduledOp::Scf(ScfOp::For { inits, body, .. }) => self.repeat(id, inits, *body, 1, around),
                ScheduledOp::Scf(ScfOp::Loop { inits, body }) => self.repeat(id, inits, *body, 0, around),
                kind => {
                    self.trace.has_group_products |= matches!(kind, ScheduledOp::TileAs(TileAsDialect::Dot { atom, .. }) if atom.is_by_warp_groups());
                    self.trace.steps.push(Step::Op(id));
                }
            }
        }
        End::Away
    }

    /// The side of a branch that is usually taken: the first one, unless it does nothing or leaves.
    fn usual(&self, then: Region, otherwise: Region) -> Region {
        let ops = |region| {
            let block = self.body.only_block(region);
            block.map_or(&[][..], |block| &self.body.block(block).ops)
        };
        let last = ops(then).last().map(|&id| &self.body.op(id).kind);
        let leaves = !matches!(
            last,
            Some(ScheduledOp::Scf(ScfOp::Yield { .. } | ScfOp::Continue { .. }))
        );
        let is_empty = ops(then).len() <= 1 && ops(otherwise).len() > 1;
        if leaves || is_empty { otherwise } else { then }
    }

    /// Whether a loop with these ops only tries an atomic until it succeeds, as one that waits for a lock.
    fn tries(&self, ops: &[OpId]) -> bool {
        let own = || {
            ops.iter().filter_map(|&id| match &self.body.op(id).kind {
                ScheduledOp::TileAs(own) => Some(own),
                _ => None,
            })
        };
        own().any(|own| {
            matches!(
                own,
                TileAsDialect::AtomicCas { .. } | TileAsDialect::AtomicRmw { .. }
            )
        }) && !own().any(|own| {
            matches!(
                own,
                TileAsDialect::Load { .. }
                    | TileAsDialect::Store { .. }
                    | TileAsDialect::GatherLoad { .. }
                    | TileAsDialect::ScatterStore { .. }
                    | TileAsDialect::GatherIn { .. }
                    | TileAsDialect::CopyIn { .. }
                    | TileAsDialect::CopyOut { .. }
                    | TileAsDialect::Dot { .. }
            )
        })
    }

    fn pass(&mut self, to: impl Iterator<Item = Value>, from: &[Value]) {
        let pairs: Vec<_> = to.zip(from.iter().copied()).collect();
        if !pairs.is_empty() {
            self.trace.steps.push(Step::Pass(pairs));
        }
    }

    /// Follows a loop whose body takes `own` arguments before the carried values.
    fn repeat(&mut self, id: OpId, inits: &'a [Value], region: Region, own: usize, around: Option<usize>) {
        let number = match self.numbers.iter().find(|(known, _)| *known == id) {
            Some(&(_, number)) => number,
            None => {
                let walk = self.body.walk_region(region);
                let iterations = match self.tries(&walk) {
                    true => Some(1),
                    false => self.known.iterations(id),
                };
                let is_loop = |id: &OpId| {
                    let kind = &self.body.op(*id).kind;
                    matches!(kind, ScheduledOp::Scf(ScfOp::For { .. } | ScfOp::Loop { .. }))
                };
                let outer = |&number: &usize| self.trace.loops.get(number).and_then(|each| each.outer);
                let most = match walk.iter().any(is_loop) {
                    _ if std::iter::successors(around, outer).count() > DEEP => 1,
                    true => OUTER,
                    false => (STEPS / walk.len().max(1) as u64).clamp(OUTER, INNER),
                };
                self.trace.loops.push(Followed {
                    op: id,
                    outer: around,
                    iterations,
                    followed: iterations.unwrap_or(most).min(most),
                });
                let number = self.trace.loops.len() - 1;
                self.numbers.push((id, number));
                number
            }
        };
        let followed = self.trace.loops.get(number).map_or(0, |each| each.followed);
        let args: Vec<Value> = self
            .body
            .only_block(region)
            .map(|block| self.body.block(block).args.iter().skip(own).copied().collect())
            .unwrap_or_default();
        let mut carried = inits;
        for iteration in 0..followed {
            self.pass(args.iter().copied(), carried);
            self.trace.steps.push(Step::Iteration(number, iteration));
            if let End::Values(values) = self.region(region, Some(number)) {
                carried = values;
            }
        }
        self.pass(self.body.op(id).results(), carried);
        self.trace.steps.push(Step::End(number));
    }
}
