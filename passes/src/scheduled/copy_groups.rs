//! Copies that fill a stage of one pipe together, and the rings of their stages: copies by tensor maps, which another agent
//! issues; copies by `cp.async`, and tiles that are stored from registers, by the agent that reads them.

use rustc_hash::FxHashSet;
use tilewright_irs::core::{Block, Func, OpId, Operation, Value};
use tilewright_irs::dialects::pipe::PipeKind;
use tilewright_irs::scheduled::{Scheduled, ScheduledOp};
use tilewright_irs::tileas::atoms::CopyAtom;
use tilewright_irs::tileas::{Buffer, TileAsDialect, TileAsType};

use crate::program_slice::Places;

/// A copy to a stage.
pub(super) struct Copy {
    pub(super) op: OpId,
    /// The allocation of the buffer.
    pub(super) alloc: OpId,
    /// The wait for an asynchronous copy; a store from registers itself.
    pub(super) wait: OpId,
    /// The buffer that is read.
    pub(super) ready: Value,
    /// The alignment of the buffer.
    align: u32,
    /// The number of stages that it is to have.
    depth: u32,
    /// The type of a stage.
    pub(super) stage: Buffer,
}

/// Copies of one block that fill a stage together.
pub(super) struct Group {
    pub(super) copies: Vec<Copy>,
    /// The kind of its pipe.
    pub(super) kind: PipeKind,
    /// The position of its ring among all.
    pub(super) ring: usize,
    /// The block of the copies.
    pub(super) block: Block,
    /// The ops of the copies' block after which no other reads the stage: the last one, or the last wait.
    pub(super) last: OpId,
}

impl Group {
    /// Whether the agent that reads the stages fills them.
    pub(super) fn is_own(&self) -> bool {
        self.kind == PipeKind::CpAsyncGroup
    }
}

/// The stages of a pipe: those of one group, or of several that follow each other in the program, each in a loop of its own,
/// with stages of the same types.
pub(super) struct Ring {
    pub(super) kind: PipeKind,
    /// The buffers of a stage, with their alignments.
    pub(super) stage: Vec<(Buffer, u32)>,
    /// The number of stages.
    pub(super) depth: u32,
    /// The blocks of its groups.
    blocks: Vec<Block>,
}

impl Ring {
    /// The bytes that the copies of a stage transfer.
    pub(super) fn bytes(&self) -> u64 {
        self.stage.iter().map(|(buffer, _)| buffer.bytes()).sum()
    }
}

/// The groups of the copies among `loading`, in textual order, and their rings.
pub(super) fn groups(
    func: &Func<Scheduled>,
    places: &Places<'_, Scheduled>,
    loading: &[OpId],
) -> (Vec<Group>, Vec<Ring>) {
    let body = &func.body;
    let mut groups: Vec<Group> = Vec::new();
    for &id in loading {
        let (Some(copy), Some(block)) = (copy(func, places, id), places.block(id)) else {
            continue;
        };
        match groups
            .last_mut()
            .filter(|group| follows(func, places, group, &copy))
        {
            Some(group) => group.copies.push(copy),
            None => groups.push(Group {
                last: copy.wait,
                kind: kind(&body.op(id).kind),
                copies: vec![copy],
                ring: 0,
                block,
            }),
        }
    }
    let mut rings: Vec<Ring> = Vec::new();
    for group in &mut groups {
        let stage = group.copies.iter().map(|copy| (copy.stage.clone(), copy.align));
        let stage: Vec<(Buffer, u32)> = stage.collect();
        let depth = group.copies.iter().map(|copy| copy.depth).max().unwrap_or(1);
        let kind = group.kind;
        let fits = |ring: &Ring| {
            let apart = |other: &Block| {
                !is_within(places, group.block, *other) && !is_within(places, *other, group.block)
            };
            ring.kind == kind && ring.stage == stage && ring.depth == depth && ring.blocks.iter().all(apart)
        };
        group.ring = rings.iter().position(fits).unwrap_or(rings.len());
        match rings.get_mut(group.ring) {
            Some(ring) => ring.blocks.push(group.block),
            None => rings.push(Ring {
                kind,
                stage,
                depth,
                blocks: vec![group.block],
            }),
        }
    }
    for group in &mut groups {
        let block = group.block;
        let ready = group.copies.iter().map(|copy| copy.ready);
        let readers = readers(func, ready);
        let waits: Vec<OpId> = group.copies.iter().map(|copy| copy.wait).collect();
        let reads = |id: &OpId| {
            let mut inside = vec![*id];
            for region in body.op(*id).kind.region_list() {
                inside.extend(body.walk_region(region));
            }
            waits.contains(id) || inside.iter().any(|id| readers.contains(id))
        };
        if let Some(&last) = body.block(block).ops.iter().rfind(|id| reads(id)) {
            group.last = last;
        }
    }
    (groups, rings)
}

/// Whether a block is another one, or is in a region of one of its ops.
pub(super) fn is_within(places: &Places<'_, Scheduled>, block: Block, outer: Block) -> bool {
    let around = |block: Block| places.around(block).and_then(|op| places.block(op));
    std::iter::successors(Some(block), |&block| around(block)).any(|block| block == outer)
}

/// The copies to buffers that are to become rings, by the agent that reads them.
pub(super) fn own_copies(func: &Func<Scheduled>, places: &Places<'_, Scheduled>) -> Vec<OpId> {
    let body = &func.body;
    let to_ring = |id: &OpId| {
        let alloc = filled(&body.op(*id).kind).and_then(|to| places.definition(to))?;
        let is_ring = matches!(
            body.op(alloc).kind,
            ScheduledOp::TileAs(TileAsDialect::Alloc { depth: Some(_), .. })
        );
        (is_ring && kind(&body.op(*id).kind) == PipeKind::CpAsyncGroup).then_some(())
    };
    body.walk()
        .into_iter()
        .filter(|id| to_ring(id).is_some())
        .collect()
}

/// The buffer that an op fills.
pub(super) fn filled(kind: &ScheduledOp) -> Option<Value> {
    match kind {
        ScheduledOp::TileAs(
            TileAsDialect::CopyIn { to, .. }
            | TileAsDialect::GatherIn { to, .. }
            | TileAsDialect::Copy { to: Some(to), .. },
        ) => Some(*to),
        _ => None,
    }
}

/// The kind of the pipe that an op fills.
fn kind(op: &ScheduledOp) -> PipeKind {
    match op {
        ScheduledOp::TileAs(TileAsDialect::CopyIn {
            atom: CopyAtom::Tma(_),
            ..
        }) => PipeKind::Tma,
        _ => PipeKind::CpAsyncGroup,
    }
}

/// A copy with its allocation and wait.
fn copy(func: &Func<Scheduled>, places: &Places<'_, Scheduled>, id: OpId) -> Option<Copy> {
    let body = &func.body;
    let to = filled(&body.op(id).kind)?;
    let alloc = places.definition(to)?;
    let ScheduledOp::TileAs(TileAsDialect::Alloc { align, depth, .. }) = &body.op(alloc).kind else {
        return None;
    };
    let (wait, ready) = match body.op(id).results().next() {
        Some(pending) => {
            let ops = &body.block(places.block(id)?).ops;
            let wait = ops.iter().copied().find(|&other| {
                matches!(
                    &body.op(other).kind,
                    ScheduledOp::TileAs(TileAsDialect::CopyWait { copy, .. }) if *copy == pending
                )
            })?;
            (wait, body.op(wait).result(0))
        }
        None => (id, to),
    };
    Some(Copy {
        op: id,
        alloc,
        wait,
        ready,
        align: *align,
        depth: depth.unwrap_or(1),
        stage: body.ty(to).buffer()?.clone(),
    })
}

/// Whether a copy follows those of a group in their block, with nothing between their waits that reads a stage or has
/// effects.
fn follows(func: &Func<Scheduled>, places: &Places<'_, Scheduled>, group: &Group, copy: &Copy) -> bool {
    let Some(first) = group.copies.first() else {
        return false;
    };
    let is_stored = |copy: &Copy| copy.op == copy.wait;
    if is_stored(first) || is_stored(copy) || group.kind != kind(&func.body.op(copy.op).kind) {
        return false;
    }
    let ops = &func.body.block(group.block).ops;
    let at = |id: OpId| ops.iter().position(|&op| op == id);
    let (Some(from), Some(to)) = (at(first.wait), at(copy.wait)) else {
        return false;
    };
    places.block(copy.op) == Some(group.block)
        && ops.get(from..to).unwrap_or_default().iter().all(|&id| {
            let kind = &func.body.op(id).kind;
            let moves = matches!(
                kind,
                ScheduledOp::TileAs(
                    TileAsDialect::CopyIn { .. }
                        | TileAsDialect::GatherIn { .. }
                        | TileAsDialect::CopyWait { .. }
                        | TileAsDialect::Alloc { .. }
                )
            );
            moves || (kind.is_pure() && kind.region_list().is_empty())
        })
}

/// The ops that read buffers, views of them, or what is computed of them and still under way.
fn readers(func: &Func<Scheduled>, buffers: impl Iterator<Item = Value>) -> FxHashSet<OpId> {
    let body = &func.body;
    let mut held: FxHashSet<Value> = buffers.collect();
    let mut readers = FxHashSet::default();
    // In textual order, a definition comes before its uses; only loops hand values back, and none of these types.
    for id in body.walk() {
        let op = body.op(id);
        if op.kind.operand_list().iter().any(|value| held.contains(value)) {
            readers.insert(id);
            held.extend(
                op.results().filter(|&result| {
                    matches!(body.ty(result), TileAsType::Buffer(_) | TileAsType::Pending(_))
                }),
            );
        }
    }
    readers
}
