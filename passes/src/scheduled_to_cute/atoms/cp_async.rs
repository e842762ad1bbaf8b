//! `cp_async`: asynchronous copies from global memory to a buffer, by each thread for its elements.

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{OpId, Operation, Translated, Value};
use tilewright_irs::dialects::fragment::FragmentOp;
use tilewright_irs::dialects::gpu::GpuOp;
use tilewright_irs::dialects::memory::Padding;
use tilewright_irs::dialects::pipe::PipeOp;
use tilewright_irs::element::ElementType;
use tilewright_irs::scheduled::ScheduledOp;
use tilewright_irs::tileas::TileAsDialect;
use tilewright_irs::tileas::atoms::CpAsync;

use super::super::address_tiles::{Access, Place, access, owner};
use super::super::agent::Agent;
use super::super::emit::{Cx, at, bug, cache_policy, unsupported, when};
use super::super::function::LowerFragments;
use super::super::gather_scatter;
use super::super::shared_offsets::SharedOffsets;
use super::{LowerAtom, Site};

/// The fewest bytes that an instruction copies. (PTX ISA, `cp.async`.)
const LEAST_BYTES: u32 = 4;

/// The vectors whose shared-memory addresses differ by constants in every thread.
#[derive(Default)]
struct Group {
    /// The contribution (exclusive or) of the registers to the thread's own offset bits.
    flipped: u32,
    /// The indices of the vectors.
    vectors: Vec<u32>,
    /// The constant shared-memory offset of each.
    offsets: Vec<i64>,
}

impl LowerAtom for CpAsync {
    fn lower(
        &self,
        cx: &mut Cx<'_>,
        &Site { id, op, agent }: &Site<'_>,
        pass: &mut LowerFragments<'_>,
    ) -> Option<Translated> {
        match op {
            TileAsDialect::CopyIn {
                at,
                to,
                map: None,
                mask,
                ..
            } => {
                let place = Place {
                    cuts: true,
                    ..pass.place(cx, at, self.bits)
                };
                Some(copy_in(cx, id, &place, (*to, *mask), self, agent))
            }
            TileAsDialect::GatherIn {
                pointers, to, mask, ..
            } => Some(gather_in(cx, id, (*pointers, *mask), *to, self, agent)),
            _ => None,
        }
    }
}

/// Copies a tile of an array to the buffer `to`; zeros where the mask is 0.
fn copy_in(
    cx: &mut Cx<'_>,
    id: OpId,
    place: &Place<'_>,
    (to, mask): (Value, Option<Value>),
    atom: &CpAsync,
    agent: Agent,
) -> Translated {
    let origin = cx.origin();
    if !matches!(place.at.padding, None | Some(Padding::Zero)) {
        return Err(unsupported(origin, "`cp_async` pads with zeros only"));
    }
    let mask = mask.map(|mask| cx.one(mask));
    let tile = access(cx, place, Some(&atom.threads), mask, agent)?;
    copy(cx, id, &tile, to, atom, agent)
}

/// Copies the targets of pointers to the buffer `to`; zeros where the mask is 0.
fn gather_in(
    cx: &mut Cx<'_>,
    id: OpId,
    (pointers, mask): (Value, Option<Value>),
    to: Value,
    atom: &CpAsync,
    agent: Agent,
) -> Translated {
    let element = cx.from.ty(to).buffer().map(|buffer| buffer.element);
    let element = element.map(ElementType::Scalar);
    let (registers, vector) = gather_scatter::vectors(Some(&atom.threads), element, atom.bits);
    let (pointers, mask) = (cx.one(pointers), mask.map(|mask| cx.one(mask)));
    let tile = Access {
        pointer: gather_scatter::firsts(cx, pointers, &registers, vector),
        pred: mask.map(|mask| gather_scatter::firsts(cx, mask, &registers, vector)),
        sizes: None,
        offsets: vec![0; registers.len() / vector as usize],
        registers,
        vector,
    };
    copy(cx, id, &tile, to, atom, agent)
}

/// Copies vectors to the buffer `to`.
fn copy(cx: &mut Cx<'_>, id: OpId, tile: &Access, to: Value, atom: &CpAsync, agent: Agent) -> Translated {
    let (origin, old) = (cx.origin(), cx.old(id));
    let Some(buffer) = cx.from.ty(to).buffer() else {
        return Err(bug(origin, "a copy to something that is no buffer"));
    };
    let bytes = tile.vector * buffer.element.bytes().unwrap_or(1);
    if bytes < LEAST_BYTES {
        let message = format!(
            "`cp_async` copies at least {LEAST_BYTES} bytes at a time; the layout, the alignment and the extents allow \
             {bytes} (PTX ISA, `cp.async`)"
        );
        return Err(Diagnostic::error(Code::HardwareLimit, message).at(origin, ""));
    }
    let offsets = buffer.offsets_of(&atom.threads);
    let offsets = offsets.map_err(|error| bug(origin, format!("the places of a copy: {error}")))?;
    let Some((offsets, begin)) = offsets else {
        return Err(unsupported(
            origin,
            "`cp_async` to a buffer with a CuTe layout is not supported yet",
        ));
    };
    let base = cx.one(to);
    let offsets = SharedOffsets::new(&offsets, begin);
    let cache_policy = cache_policy(cx, atom.l2);
    let issue = |cx: &mut Cx<'_>| issue(cx, tile, (base, &offsets), atom, cache_policy, agent);
    match owner(cx, Some(&atom.threads), agent) {
        Some(owner) => drop(when(cx, owner, &[], |cx| {
            issue(cx);
            Ok(Vec::new())
        })?),
        None => issue(cx),
    }
    // A copy that is not committed by a pipe forms its own group.
    if !is_committed(cx, old.result(0)) {
        cx.build().effect(GpuOp::AsyncCommit {});
    }
    cx.bind(old.result(0), [base]);
    Ok(())
}

/// Issues the copies of a thread to the buffer at `base`.
fn issue(
    cx: &mut Cx<'_>,
    tile: &Access,
    (base, offsets): (Value, &SharedOffsets<'_>),
    atom: &CpAsync,
    cache_policy: Option<Value>,
    agent: Agent,
) {
    for group in groups(offsets, &tile.registers, tile.vector) {
        let pointer = offsets.pointer(cx, base, group.flipped, agent);
        let mut emit = at(cx);
        let source = emit.rearrange(tile.pointer, group.vectors.clone());
        let pred = tile.pred.map(|pred| emit.rearrange(pred, group.vectors.clone()));
        let sizes = tile
            .sizes
            .map(|sizes| emit.rearrange(sizes, group.vectors.clone()));
        let source_offsets = group.vectors.iter();
        let source_offsets = source_offsets.filter_map(|&vector| tile.offsets.get(vector as usize).copied());
        let op = FragmentOp::CopyAsync {
            to: pointer,
            source,
            pred,
            sizes,
            offsets: group.offsets,
            source_offsets: source_offsets.collect(),
            vector: tile.vector,
            cache_policy,
            prefetch: atom.prefetch,
        };
        emit.0.effect(op);
    }
}

/// Whether a stage of a pipe is committed with the copy.
fn is_committed(cx: &Cx<'_>, copy: Value) -> bool {
    cx.from.ops().any(|(_, op)| {
        matches!(&op.kind, ScheduledOp::Pipe(PipeOp::Commit { .. })) && op.kind.operand_list().contains(&copy)
    })
}

fn groups(offsets: &SharedOffsets<'_>, registers: &[u32], vector: u32) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (vector, chunk) in (0..).zip(registers.chunks(vector as usize)) {
        let Some(&first) = chunk.first() else { continue };
        let (flipped, rest) = offsets.of_register(first);
        let at = match groups.iter().position(|group| group.flipped == flipped) {
            Some(at) => at,
            None => {
                groups.push(Group {
                    flipped,
                    ..Group::default()
                });
                groups.len() - 1
            }
        };
        if let Some(group) = groups.get_mut(at) {
            group.vectors.push(vector);
            group.offsets.push(rest);
        }
    }
    groups
}
