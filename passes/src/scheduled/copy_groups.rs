//! Groups of copies that fill a stage of one pipe together, and the rings of their stages. Copies by tensor maps are issued by
//! another agent than the one that reads them; `cp.async` copies by either; tiles that are stored from registers, by the agent that
//! reads them. So are the tiles that copies by tensor maps then read from shared memory.

use rustc_hash::FxHashSet;
use tilewright_irs::core::{Block, Body, Func, OpId, Operation, Value};
use tilewright_irs::dialects::pipe::PipeKind;
use tilewright_irs::scheduled::{Scheduled, ScheduledOp};
use tilewright_irs::tileas::{Buffer, CopyAtom, Depth, TileAsDialect, TileAsType};
use tilewright_layouts::Dim;

use crate::program_slice::Places;

/// A copy into a stage of a pipe.
pub(super) struct Copy {
    pub(super) op: OpId,
    /// The allocation of the buffer.
    pub(super) alloc: OpId,
    /// The op that waits for an asynchronous copy; for a store from registers, the store itself.
    pub(super) wait: OpId,
    /// The buffer that is read.
    pub(super) ready: Value,
    /// The alignment of the buffer.
    align: u32,
    /// The ring that takes the buffer's place.
    depth: Depth,
    /// The type of a stage.
    pub(super) stage: Buffer,
}

/// Copies in one block that fill a stage together.
pub(super) struct Group {
    pub(super) copies: Vec<Copy>,
    /// The kind of its pipe.
    pub(super) kind: PipeKind,
    /// The index of its ring in the list of rings.
    pub(super) ring: usize,
    /// The block that contains the copies.
    pub(super) block: Block,
    /// The op of the block that is the last to read the stage; if none reads it, the last wait.
    pub(super) last: OpId,
}

impl Group {
    /// Whether the agent that reads the stages also fills them.
    pub(super) fn is_own(&self) -> bool {
        !self.kind.has_barriers()
    }
}

/// The stages of a pipe. A ring belongs to one group or, if their stages have the same types, to several groups that follow each
/// other in the program, each in a loop of its own, or one after the other if they are stored to global memory. Groups may also take
/// the stages of one ring in turn, in the order in which they are read ([`Depth::Shared`]).
pub(super) struct Ring {
    pub(super) kind: PipeKind,
    /// The buffers of a stage, with their alignments; in a shared ring, those of its first group.
    pub(super) stage: Vec<(Buffer, u32)>,
    /// The number of stages.
    pub(super) depth: u32,
    /// The number of a shared ring.
    shared: Option<u32>,
    /// The blocks that contain its groups.
    blocks: Vec<Block>,
}

impl Ring {
    /// Whether copies to several buffers take its stages in turn.
    pub(super) fn is_shared(&self) -> bool {
        self.shared.is_some()
    }

    /// The bytes that the copies of a stage transfer.
    pub(super) fn bytes(&self) -> u64 {
        self.stage.iter().map(|(buffer, _)| buffer.bytes()).sum()
    }
}

/// The groups of the copies among `loading`, which another agent issues, and then of `own` ones of the agent that reads them, each in
/// textual order, and their rings.
pub(super) fn groups(
    func: &Func<Scheduled>,
    places: &Places<'_, Scheduled>,
    loading: &[OpId],
    own: &[OpId],
) -> (Vec<Group>, Vec<Ring>) {
    let body = &func.body;
    let sent = sent_buffers(body);
    let kind = |op: &ScheduledOp, is_own: bool| match kind(op) {
        PipeKind::CpAsyncGroup if !is_own => PipeKind::CpAsyncMbarrier,
        kind => kind,
    };
    let copies = loading.iter().map(|&id| (id, false));
    let mut groups: Vec<Group> = Vec::new();
    for (id, is_own) in copies.chain(own.iter().map(|&id| (id, true))) {
        let (Some(copy), Some(block)) = (copy(func, places, id), places.block(id)) else {
            continue;
        };
        match groups
            .last_mut()
            .filter(|group| follows(func, places, group, &copy, kind(&body.op(id).kind, is_own)))
        {
            Some(group) => {
                if kind(&body.op(id).kind, is_own) == PipeKind::TmaMulticast {
                    group.kind = PipeKind::TmaMulticast;
                }
                group.copies.push(copy);
            }
            None => groups.push(Group {
                last: copy.wait,
                kind: match sent.contains(&copy.ready) {
                    true => PipeKind::TmaStore,
                    false => kind(&body.op(id).kind, is_own),
                },
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
        let depths = || group.copies.iter().map(|copy| copy.depth);
        let depth = depths().map(Depth::stages).max().unwrap_or(1);
        let shared = depths().find_map(Depth::ring);
        let kind = group.kind;
        let fits = |ring: &Ring| {
            if ring.shared.is_some() || shared.is_some() {
                return ring.kind == kind && ring.shared == shared;
            }
            let apart = |other: &Block| {
                kind == PipeKind::TmaStore && group.block == *other
                    || !is_within(places, group.block, *other) && !is_within(places, *other, group.block)
            };
            ring.kind == kind && ring.stage == stage && ring.depth == depth && ring.blocks.iter().all(apart)
        };
        group.ring = rings.iter().position(fits).unwrap_or(rings.len());
        match rings.get_mut(group.ring) {
            Some(ring) => {
                for ((_, align), (_, own)) in ring.stage.iter_mut().zip(stage) {
                    *align = own.max(*align);
                }
                ring.blocks.push(group.block);
            }
            None => rings.push(Ring {
                kind,
                stage,
                depth,
                shared,
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

/// Of groups that share a ring, the first copy that is waited for before one in front of it: the stages would be filled in another
/// order than they are read in.
pub(super) fn out_of_turn<'a>(
    body: &Body<Scheduled>,
    sharing: impl Iterator<Item = &'a Group>,
) -> Option<OpId> {
    let ops = body.walk();
    let position = |wait: OpId| ops.iter().position(|&id| id == wait);
    let mut latest = None;
    for copy in sharing.flat_map(|group| &group.copies) {
        let waited = position(copy.wait);
        if waited < latest {
            return Some(copy.op);
        }
        latest = waited;
    }
    None
}

/// Whether a block is `outer`, or is nested in it.
pub(super) fn is_within(places: &Places<'_, Scheduled>, block: Block, outer: Block) -> bool {
    let around = |block: Block| places.around(block).and_then(|op| places.block(op));
    std::iter::successors(Some(block), |&block| around(block)).any(|block| block == outer)
}

/// Whether threads do a copy, each its vectors, by `cp.async`.
pub(super) fn is_by_threads(op: &ScheduledOp) -> bool {
    let is_copy = matches!(
        op,
        ScheduledOp::TileAs(TileAsDialect::CopyIn { .. } | TileAsDialect::GatherIn { .. })
    );
    is_copy && kind(op) == PipeKind::CpAsyncGroup
}

/// The vectors of a tile that each thread of the agent copies, if threads do.
pub(super) fn copied_vectors(body: &Body<Scheduled>, id: OpId) -> u32 {
    let ScheduledOp::TileAs(
        TileAsDialect::CopyIn {
            to,
            atom: CopyAtom::CpAsync(atom),
            ..
        }
        | TileAsDialect::GatherIn {
            to,
            atom: CopyAtom::CpAsync(atom),
            ..
        },
    ) = &body.op(id).kind
    else {
        return 0;
    };
    let bits = body.ty(*to).buffer().map_or(1, Buffer::element_bits);
    atom.threads.in_size(Dim::Register) * bits / atom.bits.max(1)
}

/// The copies into buffers that are to become rings, filled by the agent that reads them.
pub(super) fn own_copies(func: &Func<Scheduled>, places: &Places<'_, Scheduled>) -> Vec<OpId> {
    let body = &func.body;
    let to_ring = |id: &OpId| {
        let alloc = filled(&body.op(*id).kind).and_then(|to| places.definition(to))?;
        let is_ring = matches!(
            body.op(alloc).kind,
            ScheduledOp::TileAs(TileAsDialect::Alloc { depth: Some(_), .. })
        );
        let is_own = body.op(*id).tag.is_none_or(|slot| slot.agent.is_none());
        (is_own && is_ring && kind(&body.op(*id).kind) == PipeKind::CpAsyncGroup).then_some(())
    };
    body.walk()
        .into_iter()
        .filter(|id| to_ring(id).is_some())
        .collect()
}

/// The buffers from which copies by tensor maps store to global memory.
pub(super) fn sent_buffers(body: &Body<Scheduled>) -> FxHashSet<Value> {
    let sources = body.ops().filter_map(|(_, op)| match &op.kind {
        ScheduledOp::TileAs(TileAsDialect::CopyOut { source, .. }) => Some(*source),
        _ => None,
    });
    sources.collect()
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

/// The kind of the pipe whose stages an op fills.
fn kind(op: &ScheduledOp) -> PipeKind {
    match op {
        ScheduledOp::TileAs(
            TileAsDialect::CopyIn { atom, .. }
            | TileAsDialect::GatherIn { atom, .. }
            | TileAsDialect::Copy { atom, .. },
        ) => atom.pipe(),
        _ => PipeKind::CpAsyncGroup,
    }
}

/// The description of a copy; `None` if the op is not one into a buffer that can become a ring.
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
        depth: depth.unwrap_or(Depth::Own(1)),
        stage: body.ty(to).buffer()?.clone(),
    })
}

/// Whether an asynchronous copy, by a pipe of the kind `other`, can join a group: that is of the same kind and in the same block, and
/// between the two waits there are only copies, waits, allocations and pure ops.
fn follows(
    func: &Func<Scheduled>,
    places: &Places<'_, Scheduled>,
    group: &Group,
    copy: &Copy,
    other: PipeKind,
) -> bool {
    let Some(first) = group.copies.first() else {
        return false;
    };
    let is_alone = |copy: &Copy| copy.op == copy.wait;
    // Buffers of one ring take its stages in turn, those of two rings have a stage together.
    let rings = || group.copies.iter().map(|copy| copy.depth.ring());
    let own = copy.depth.ring();
    let takes_turns = rings().any(|ring| ring.is_some() != own.is_some() || own.is_some() && ring == own);
    let is_by_tensor_map = |kind: PipeKind| matches!(kind, PipeKind::Tma | PipeKind::TmaMulticast);
    let filled = group.kind;
    let of_one_pipe = filled == other || is_by_tensor_map(filled) && is_by_tensor_map(other);
    if is_alone(first) || is_alone(copy) || !of_one_pipe || takes_turns {
        return false;
    }
    let ops = &func.body.block(group.block).ops;
    let at = |id: OpId| ops.iter().position(|&op| op == id);
    let (Some(from), Some(to)) = (at(first.wait), at(copy.wait)) else {
        return false;
    };
    places.block(copy.op) == Some(group.block)
        // None where the waits are in the other order.
        && ops.get(from..to).is_some_and(|between| between.iter().all(|&id| {
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
        }))
}

/// The ops that read these buffers: directly, through views, or as pending products of them.
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
