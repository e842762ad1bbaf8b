//! Rules of copies by tensor maps that depend on agents and pipes: the copy's agent makes the map, and a load fills a stage of a
//! pipe that counts its bytes. In a function of one agent, which `expand_schedule` has not yet divided, a load may also fill an
//! ordinary buffer.

use tilewright_diagnostics::Code;
use tilewright_layouts::legality::Direction;

use super::{Role, Scheduled, ScheduledOp, agents, is_single};
use crate::core::{Func, OpId, Operation, Problems, Region, SideTable, Value};
use crate::dialects::arith::ArithOp;
use crate::dialects::boxes::Boxes;
use crate::dialects::memory::TileAccess;
use crate::dialects::pipe::{PipeKind, PipeOp, PipeValue};
use crate::literal::Dense;
use crate::tileas::atoms::TensorPlace;
use crate::tileas::{Buffer, TileAsDialect};

/// Bytes of a barrier.
const BARRIER_BYTES: u64 = 8;

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
        let (atom, map) = match own {
            TileAsDialect::CopyIn { atom, map, .. } | TileAsDialect::CopyOut { atom, map, .. } => (atom, map),
            _ => continue,
        };
        // One without the other is an error of the copy.
        let (Some(boxes), &Some(map)) = (atom.boxes(), map) else {
            continue;
        };
        let checked = verifier.map(id, map).and_then(|()| match own {
            TileAsDialect::CopyIn { at, to, .. } => verifier
                .stage(id, *to, boxes, atom.multicast())
                .and_then(|()| verifier.place(at, *to, boxes, Direction::GlobalToShared)),
            TileAsDialect::CopyOut { at, source, .. } => from_one_block(atom.multicast())
                .and_then(|()| verifier.place(at, *source, boxes, Direction::SharedToGlobal)),
            _ => Ok(()),
        });
        if let Err((code, message)) = checked {
            problems.error(op.origin, code, message);
        }
    }
}

type Checked = Result<(), (Code, String)>;

/// Checks that a copy out of a buffer is not a multicast one.
fn from_one_block(multicast: Option<u32>) -> Checked {
    match multicast {
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
    /// Whether the function has only one agent.
    is_single: bool,
    /// For each op in an agent's body, the agent.
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

    /// Checks that the agent of a copy has made the copy's map.
    fn map(&self, id: OpId, map: Value) -> Checked {
        let made = self.definition(map).map(|(made, _)| self.agent.get(made));
        if made.is_some_and(|made| made != self.agent.get(id)) {
            let message = "the tensor map was made by another agent".to_owned();
            return Err((Code::MisplacedOp, message));
        }
        Ok(())
    }

    /// The allocations of a buffer and of the barriers that count its bytes: its own, or those of the pipe of which it is a
    /// stage.
    fn allocations(&self, buffer: Value) -> Option<[Option<Value>; 2]> {
        let (id, op) = self.definition(buffer)?;
        let pipe = match op {
            ScheduledOp::TileAs(TileAsDialect::Alloc { .. }) => return Some([Some(buffer), None]),
            ScheduledOp::Pipe(PipeOp::Acquire { pipe, .. } | PipeOp::Wait { pipe, .. }) => *pipe,
            _ => return None,
        };
        let number = self
            .func
            .body
            .op(id)
            .results()
            .position(|result| result == buffer)?;
        match self.definition(pipe)?.1 {
            ScheduledOp::Pipe(PipeOp::Create {
                buffers, barriers, ..
            }) => Some([buffers.get(number).copied(), *barriers]),
            _ => None,
        }
    }

    /// A divisor of the addresses of so many bytes each in an allocation.
    fn divisor(&self, allocation: Option<Value>, each: u64) -> u32 {
        let Some((_, ScheduledOp::TileAs(TileAsDialect::Alloc { align, offset, .. }))) =
            allocation.and_then(|allocation| self.definition(allocation))
        else {
            return 0;
        };
        let (mut a, mut b) = (u64::from(offset.unwrap_or(*align)), each);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        u32::try_from(a).unwrap_or(0)
    }

    /// Checks where a copy begins, in the array and in shared memory, as far as that is constant.
    fn place(&self, at: &TileAccess, buffer: Value, boxes: &Boxes, direction: Direction) -> Checked {
        let body = &self.func.body;
        let (Some(memref), Some(own)) = (body.ty(at.memref).memref(), body.ty(buffer).buffer()) else {
            return Ok(());
        };
        let constant = |value: Value| match self.definition(value)?.1 {
            ScheduledOp::Arith(ArithOp::Constant {
                value: Dense::Splat(literal),
            }) => Some(literal.signed()),
            _ => None,
        };
        let coordinate = |axis: usize| {
            let tile_axis = at.dim_map.iter().position(|&mapped| mapped as usize == axis)?;
            let index = constant(*at.index.get(tile_axis)?)?;
            i32::try_from(index.checked_mul(i64::from(*at.steps.get(tile_axis)?))?).ok()
        };
        // An error of the atom.
        let Ok(order) = Boxes::order(memref) else {
            return Ok(());
        };
        let [data, barriers] = self.allocations(buffer).unwrap_or_default();
        // A tile has boxes one after the other, a ring has stages.
        let box_bytes = boxes.bytes(memref.element);
        let is_one = own.stage_bytes() == box_bytes;
        let whole = data
            .and_then(|data| body.ty(data).buffer())
            .map_or(0, Buffer::bytes);
        let place = TensorPlace {
            coordinates: order
                .into_iter()
                .map(|axis| coordinate(axis).unwrap_or(0))
                .collect(),
            shared_address: self.divisor(
                data,
                if is_one && whole == box_bytes {
                    0
                } else {
                    box_bytes
                },
            ),
            barrier: self.divisor(barriers, BARRIER_BYTES),
        };
        boxes
            .check_place(memref, &at.dim_map, direction, self.func.attrs.target, &place)
            .map_err(|refusal| (refusal.code, refusal.message))
    }

    /// Checks that a load fills a stage of a pipe that counts its bytes. A schedule may not be expanded yet: then the buffer will
    /// be one, and a multicast load is placed on the agent `load`.
    fn stage(&self, load: OpId, to: Value, boxes: &Boxes, multicast: Option<u32>) -> Checked {
        let op = self.func.body.op(load);
        let copy = op.result(0);
        let is_placed = op.tag.is_some_and(|slot| slot.agent == Some(Role::Load));
        let acquired = match self.definition(to) {
            Some((_, ScheduledOp::TileAs(TileAsDialect::Alloc { .. })))
                if self.is_single && (multicast.is_none() || is_placed) =>
            {
                return multicast.map_or(Ok(()), |mask| self.shares(mask, to, boxes));
            }
            Some((id, ScheduledOp::Pipe(PipeOp::Acquire { .. }))) => self.func.body.op(id).results().last(),
            _ => None,
        };
        let kind_of = |token: Value| {
            let kind = self.func.body.ty(token).pipe()?.kind();
            kind.filter(|kind| kind.counts_bytes())
        };
        let Some((token, kind)) = acquired.and_then(|token| Some((token, kind_of(token)?))) else {
            let message =
                "`tma` loads into a whole stage that `pipe.acquire` gave, of a pipe of kind `tma` or \
                           `tma_multicast`: its bytes are counted there"
                    .to_owned();
            return Err((Code::MisplacedOp, message));
        };
        if let Some(mask) = multicast {
            self.multicast(mask, kind, to, boxes)?;
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

    /// Checks a multicast load: all blocks of the cluster share it, and the pipe waits until the stage is empty in each of them.
    fn multicast(&self, mask: u32, kind: PipeKind, to: Value, boxes: &Boxes) -> Checked {
        if kind != PipeKind::TmaMulticast {
            let message = format!(
                "other blocks load into the stage, of a pipe of kind `{kind}`; those of `{}` wait until the stage is empty \
                 in every block",
                PipeKind::TmaMulticast
            );
            return Err((Code::MisplacedOp, message));
        }
        // A cluster of one block is an error of the pipe.
        match self.func.attrs.kernel_spec.num_ctas {
            0 | 1 => Ok(()),
            _ => self.shares(mask, to, boxes),
        }
    }

    /// Checks that all blocks of the cluster share a load, each an equal part.
    fn shares(&self, mask: u32, to: Value, boxes: &Boxes) -> Checked {
        let blocks = self.func.attrs.kernel_spec.num_ctas;
        if u32::try_from(1u64.checked_shl(blocks).unwrap_or(0).wrapping_sub(1)) != Ok(mask) {
            let message = format!(
                "all blocks of a cluster share a load; with `num_ctas = {blocks}` the mask {mask:#b} is not that of all"
            );
            return Err((Code::AttributeValue, message));
        }
        let shape = self.func.body.ty(to).buffer().map(|buffer| &buffer.shape);
        let along = shape.into_iter().flatten().zip(&boxes.extents);
        let count: u32 = along.map(|(extent, part)| extent / (*part).max(1)).product();
        if !blocks.is_power_of_two() || !count.is_multiple_of(blocks) {
            let message = format!(
                "blocks of a cluster, a power of two, share the boxes of a tile equally: here {blocks} blocks, {count} of {:?}",
                boxes.extents
            );
            return Err((Code::AttributeValue, message));
        }
        Ok(())
    }
}
