//! The loops and branches of an agent, which carry the states of the pipes that are used in them.

use tilewright_irs::core::{Block, OpId, Translated, Value};
use tilewright_irs::dialects::pipe::PipeEnd;
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::scheduled::{Role, ScheduledOp};
use tilewright_irs::tileas::TileAsType;

use super::{Cx, End, Expansion, end_of};

/// The values that the terminator of a loop's body or of a branch passes on.
pub(super) enum Frame {
    /// Its own operands, unchanged.
    Plain,
    /// Its operands at the positions `kept`, then the states of these ends of pipes.
    States { kept: Vec<usize>, ends: Vec<End> },
}

impl Expansion<'_> {
    /// Translates structured control flow through which the agent carries states of pipes. `None` for ops that carry
    /// none.
    pub(super) fn control(&mut self, cx: &mut Cx<'_>, id: OpId) -> Option<Translated> {
        let ScheduledOp::Scf(scf) = &cx.old(id).kind else {
            return None;
        };
        match scf {
            ScfOp::For { .. } | ScfOp::If { .. } | ScfOp::Loop { .. } => {
                let own = self.own.get(&id).filter(|_| self.role == Role::Compute);
                let own = own.cloned().unwrap_or_default();
                let rings = self.inside.get(&id).into_iter().flatten();
                let mut ends: Vec<End> = rings.map(|&ring| (ring, end_of(self.role))).collect();
                for &ring in &own {
                    if let Err(problem) = self.own_ring(cx, ring) {
                        return Some(Err(problem));
                    }
                    ends.extend([(ring, PipeEnd::Producer), (ring, PipeEnd::Consumer)]);
                }
                let translated = match (scf, self.role) {
                    (ScfOp::If { .. }, Role::Load) => self.branched(cx, id, ends),
                    (_, Role::Load) => self.looped(cx, id, ends),
                    (_, Role::Compute) if ends.is_empty() => {
                        self.frames.push(Frame::Plain);
                        let carried = cx.carry(id, scf, self);
                        self.frames.pop();
                        carried
                    }
                    (ScfOp::If { .. }, Role::Compute) => self.branched(cx, id, ends),
                    (_, Role::Compute) => self.looped(cx, id, ends),
                };
                for ring in own {
                    self.drain_stores(cx, ring);
                }
                Some(translated)
            }
            ScfOp::Continue { values } => {
                let values = self.handed(cx, values)?;
                cx.build().effect(ScfOp::Continue { values });
                Some(Ok(()))
            }
            ScfOp::Yield { values } => {
                let values = self.handed(cx, values)?;
                cx.build().effect(ScfOp::Yield { values });
                Some(Ok(()))
            }
            ScfOp::Break { .. } | ScfOp::Return {} => None,
        }
    }

    /// The positions in a list of the values that the agent also has.
    fn kept(&self, values: impl Iterator<Item = Value>) -> Vec<usize> {
        let keeps = |value: &Value| match self.role {
            Role::Compute => true,
            Role::Load => self.slice.values.contains(value),
        };
        let kept = values.enumerate().filter(|(_, value)| keeps(value));
        kept.map(|(at, _)| at).collect()
    }

    /// Translates a counted loop, which carries the states of the pipes used in it.
    fn looped(&mut self, cx: &mut Cx<'_>, id: OpId, ends: Vec<End>) -> Translated {
        let old = cx.old(id);
        let ScheduledOp::Scf(looped @ ScfOp::For { inits, body, .. }) = &old.kind else {
            return Ok(());
        };
        let Some(block) = cx.from.only_block(*body) else {
            return Ok(());
        };
        let args = cx.from.block(block).args.as_slice();
        let kept = self.kept(args.iter().skip(1).copied());
        let old_inits = kept.iter().filter_map(|&at| inits.get(at));
        let mut new_inits: Vec<Value> = old_inits.map(|&init| cx.one(init)).collect();
        new_inits.extend(self.states_of(&ends));
        let region = cx.body_mut().add_region();
        let inner = cx.body_mut().add_block(region);
        let counter = args.first().copied().into_iter();
        let carried = kept.iter().filter_map(|&at| args.get(at + 1).copied());
        for arg in counter.chain(carried) {
            let ty = self.own_type(cx.from.ty(arg));
            let new = cx.body_mut().add_arg(inner, ty);
            cx.bind(arg, [new]);
        }
        for &end in &ends {
            self.argument(cx, inner, end);
        }
        let origin = cx.origin();
        self.frames.push(Frame::States {
            kept: kept.clone(),
            ends: ends.clone(),
        });
        let translated = cx.within(inner, |cx| cx.block_ops(block, self));
        self.frames.pop();
        translated?;
        cx.set_origin(origin);
        if let Some(new) = looped.over_range(|bound| cx.one(bound), new_inits, region) {
            self.finish(cx, id, new, &kept, &ends);
        }
        Ok(())
    }

    /// Translates a branch, which yields the states of the pipes used in it.
    fn branched(&mut self, cx: &mut Cx<'_>, id: OpId, ends: Vec<End>) -> Translated {
        let old = cx.old(id);
        let ScheduledOp::Scf(ScfOp::If {
            condition,
            then,
            otherwise,
        }) = &old.kind
        else {
            return Ok(());
        };
        let kept = self.kept(old.results());
        let before = self.states.clone();
        let mut branches = [*then, *otherwise];
        for branch in &mut branches {
            self.states.clone_from(&before);
            self.frames.push(Frame::States {
                kept: kept.clone(),
                ends: ends.clone(),
            });
            let translated = cx.region(*branch, self);
            self.frames.pop();
            *branch = translated?;
        }
        let [then, otherwise] = branches;
        let new = ScfOp::If {
            condition: cx.one(*condition),
            then,
            otherwise,
        };
        self.states = before;
        self.finish(cx, id, new, &kept, &ends);
        Ok(())
    }

    fn states_of(&self, ends: &[End]) -> Vec<Value> {
        ends.iter()
            .filter_map(|end| self.states.get(end).copied())
            .collect()
    }

    /// Adds an argument to a block for the state of a pipe's end.
    fn argument(&mut self, cx: &mut Cx<'_>, block: Block, end: End) {
        if let Some(state) = self.states.get_mut(&end) {
            let ty = cx.ty(*state).clone();
            *state = cx.body_mut().add_arg(block, ty);
        }
    }

    /// Appends a loop or a branch; its results are the old ones at the positions `kept`, then the states of these ends.
    fn finish(&mut self, cx: &mut Cx<'_>, id: OpId, new: ScfOp, kept: &[usize], ends: &[End]) {
        let results: Vec<Value> = cx.old(id).results().collect();
        let results: Vec<Value> = kept.iter().filter_map(|&at| results.get(at).copied()).collect();
        let states = self.states_of(ends);
        let own = results.iter().map(|&result| self.own_type(cx.from.ty(result)));
        let mut types: Vec<TileAsType> = own.collect();
        types.extend(states.iter().map(|&state| cx.ty(state).clone()));
        let new = cx.build().op(new, types);
        let made: Vec<Value> = cx.new_body().op(new).results().collect();
        let (values, states) = made.split_at(results.len().min(made.len()));
        for (&result, &value) in results.iter().zip(values) {
            cx.bind(result, [value]);
        }
        self.states
            .extend(ends.iter().copied().zip(states.iter().copied()));
    }

    /// The operands of a terminator in the agent; `None` if they are unchanged.
    fn handed(&self, cx: &Cx<'_>, values: &[Value]) -> Option<Vec<Value>> {
        let Some(Frame::States { kept, ends }) = self.frames.last() else {
            return None;
        };
        let kept = kept.iter().filter_map(|&at| values.get(at));
        let mut handed: Vec<Value> = kept.map(|&value| cx.one(value)).collect();
        handed.extend(self.states_of(ends));
        Some(handed)
    }
}
