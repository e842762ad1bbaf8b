//! Rules of the copies by tensor maps that depend on agents and pipes: a copy finds its map in its agent, and loads into a stage
//! of a pipe that counts its bytes. In a function of one agent, which `expand_schedule` has still to divide, it may load into a
//! buffer of its own as well.

use tilewright_diagnostics::Code;

use super::{Scheduled, ScheduledOp, agents, is_single};
use crate::core::{Func, OpId, Operation, Problems, Region, SideTable, Value};
use crate::dialects::pipe::{PipeKind, PipeOp, PipeType, PipeValue};
use crate::tileas::TileAsDialect;
use crate::tileas::atoms::{CopyAtom, Tma};

pub(super) fn verify(func: &Func<Scheduled>, problems: &mut Problems) {
    let mut verifier = Verifier {
        func,
        definitions: func.body.definitions(),
        agent: SideTable::new(func.body.op_count()),
        is_single: is_single(func, &agents(func)),
    };
    verifier.agents(func.body.root(), None);
    for (id, op) in func.body.ops() {
        let ScheduledOp::TileAs(own) = &op.kind else {
            continue;
        };
        let checked = match own {
            TileAsDialect::CopyIn {
                map: Some(map),
                atom: CopyAtom::Tma(atom),
                to,
                ..
            } => verifier
                .map(id, *map)
                .and_then(|()| verifier.stage(op.result(0), *to, atom)),
            TileAsDialect::CopyOut {
                map: Some(map),
                atom: CopyAtom::Tma(atom),
                ..
            } => verifier.map(id, *map).and_then(|()| from_one_block(atom)),
            _ => Ok(()),
        };
        if let Err((code, message)) = checked {
            problems.error(op.origin, code, message);
        }
    }
}

type Checked = Result<(), (Code, String)>;

/// Checks that a copy out of a buffer concerns one block.
fn from_one_block(atom: &Tma) -> Checked {
    match atom.multicast {
        None => Ok(()),
        Some(_) => {
            let message = "`tma` loads into the shared memory of several blocks, and stores from that of one"
                .to_owned();
            Err((Code::AttributeValue, message))
        }
    }
}

struct Verifier<'a> {
    func: &'a Func<Scheduled>,
    definitions: SideTable<Value, OpId>,
    /// Whether one agent executes all.
    is_single: bool,
    /// The agent of each op inside of one.
    agent: SideTable<OpId, OpId>,
}

impl Verifier<'_> {
    fn agents(&mut self, region: Region, agent: Option<OpId>) {
        for &block in &self.func.body.region(region).blocks {
            for &id in &self.func.body.block(block).ops {
                if let Some(agent) = agent {
                    self.agent.set(id, agent);
                }
                let op = &self.func.body.op(id).kind;
                let inner = match op {
                    ScheduledOp::Scheduled(super::ScheduledDialect::Agent { .. }) => Some(id),
                    _ => agent,
                };
                for region in op.region_list() {
                    self.agents(region, inner);
                }
            }
        }
    }

    fn definition(&self, value: Value) -> Option<(OpId, &ScheduledOp)> {
        let id = *self.definitions.get(value)?;
        Some((id, &self.func.body.op(id).kind))
    }

    /// Checks that the map of a copy was made by its agent.
    fn map(&self, id: OpId, map: Value) -> Checked {
        let made = self.definition(map).map(|(made, _)| self.agent.get(made));
        if made.is_some_and(|made| made != self.agent.get(id)) {
            let message = "the tensor map was made by another agent".to_owned();
            return Err((Code::MisplacedOp, message));
        }
        Ok(())
    }

    /// Checks that a load fills a stage of a pipe that counts its bytes.
    fn stage(&self, copy: Value, to: Value, atom: &Tma) -> Checked {
        let acquired = match self.definition(to) {
            Some((_, ScheduledOp::TileAs(TileAsDialect::Alloc { .. })))
                if self.is_single && atom.multicast.is_none() =>
            {
                return Ok(());
            }
            Some((id, ScheduledOp::Pipe(PipeOp::Acquire { .. }))) => self.func.body.op(id).results().last(),
            _ => None,
        };
        let kind_of = |token: Value| match self.func.body.ty(token).pipe() {
            Some(PipeType::Token { kind, .. }) => Some(kind).filter(|kind| kind.counts_bytes()),
            _ => None,
        };
        let Some((token, kind)) = acquired.and_then(|token| Some((token, kind_of(token)?))) else {
            let message =
                "`tma` loads into a whole stage that `pipe.acquire` gave, of a pipe of kind `tma` or \
                           `tma_multicast`: its bytes are counted there"
                    .to_owned();
            return Err((Code::MisplacedOp, message));
        };
        if let Some(mask) = atom.multicast {
            self.multicast(mask, kind, to, atom)?;
        }
        let committed = self.func.body.ops().any(|(_, op)| match &op.kind {
            ScheduledOp::Pipe(PipeOp::Commit {
                token: own, copies, ..
            }) => *own == token && copies.contains(&copy),
            _ => false,
        });
        if committed {
            return Ok(());
        }
        let message = "the copy is not among those with which its stage is committed".to_owned();
        Err((Code::MisplacedOp, message))
    }

    /// Checks that the blocks of a cluster share a load, and that they wait for each other's stages.
    fn multicast(&self, mask: u32, kind: PipeKind, to: Value, atom: &Tma) -> Checked {
        let blocks = self.func.attrs.kernel_spec.num_ctas;
        if kind != PipeKind::TmaMulticast {
            let message = format!(
                "other blocks load into the stage, of a pipe of kind `{kind}`; those of `{}` wait until the stage is empty \
                 in every block",
                PipeKind::TmaMulticast
            );
            return Err((Code::MisplacedOp, message));
        }
        // A cluster of one block is an error of the pipe.
        if blocks > 1 && u32::try_from(1u64.checked_shl(blocks).unwrap_or(0).wrapping_sub(1)) != Ok(mask) {
            let message = format!(
                "all blocks of a cluster share a load; with `num_ctas = {blocks}` the mask {mask:#b} is not that of all"
            );
            return Err((Code::AttributeValue, message));
        }
        let shape = self.func.body.ty(to).buffer().map(|buffer| &buffer.shape);
        let along = shape.into_iter().flatten().zip(&atom.extents);
        let boxes: u32 = along.map(|(extent, part)| extent / (*part).max(1)).product();
        if !blocks.is_power_of_two() || !boxes.is_multiple_of(blocks) {
            let message = format!(
                "blocks of a cluster, a power of two, share the boxes of a tile equally: here {blocks} blocks, {boxes} of {:?}",
                atom.extents
            );
            return Err((Code::AttributeValue, message));
        }
        Ok(())
    }
}
