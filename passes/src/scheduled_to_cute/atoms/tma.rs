//! `tma`: copies by tensor maps, which one thread of the agent issues, and the maps.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Flag, Origin, Translated, Value};
use tilewright_irs::cute_desugared::DesugaredType;
use tilewright_irs::dialects::arith::{ArithOp, Predicate};
use tilewright_irs::dialects::boxes::Boxes;
use tilewright_irs::dialects::copies::CopiesOp;
use tilewright_irs::dialects::gpu::GpuOp;
use tilewright_irs::dialects::memory::{Padding, TileAccess};
use tilewright_irs::dialects::pipe::{PipeKind, PipeOp};
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::literal::{Dense, Literal};
use tilewright_irs::scheduled::ScheduledOp;
use tilewright_irs::tileas::atoms::Tma;
use tilewright_irs::tileas::{Buffer, TileAsDialect};
use tilewright_layouts::Dim;

use super::super::agent::{Agent, barrier};
use super::super::emit::{Cx, I32, at, bug, cache_policy, unsupported, when};
use super::super::function::LowerFragments;
use super::super::pipes;
use super::super::tensor_maps::bytes_barrier;
use super::{LowerAtom, Site};

/// A mask of the blocks of a cluster.
const I16: DesugaredType = DesugaredType::Scalar(ElementType::Scalar(ScalarType::I16));

impl LowerAtom for Tma {
    fn lower(
        &self,
        cx: &mut Cx<'_>,
        &Site { id, op, agent }: &Site<'_>,
        pass: &mut LowerFragments<'_>,
    ) -> Option<Translated> {
        let copy = |at, map, buffer| Copy {
            at,
            map,
            buffer,
            atom: self,
        };
        Some(match op {
            TileAsDialect::TensorMap {
                memref,
                scratch,
                dim_map,
                ..
            } => {
                let of = (*memref, *scratch, dim_map.as_slice());
                match &mut pass.maps {
                    Some(maps) => maps.make(cx, id, of, &self.boxes, agent),
                    None => Err(unsupported(cx.origin(), "a tensor map is made by an agent")),
                }
            }
            TileAsDialect::CopyIn {
                at,
                to,
                map: Some(map),
                mask: None,
                ..
            } => copy(at, *map, *to).load(cx, cx.old(id).result(0), agent),
            TileAsDialect::CopyOut {
                at,
                source,
                map: Some(map),
                after,
                ..
            } => {
                // The copies that this one comes after.
                if after.is_some() {
                    let (in_flight, read) = (0, Flag(false));
                    cx.build().effect(GpuOp::BulkWait { in_flight, read });
                }
                copy(at, *map, *source).store(cx, agent)
            }
            _ => return None,
        })
    }
}

/// A coordinate that no array reaches, by more than the extent of a box.
const BEYOND: u32 = 0x7FFF_FF00;

/// A box of a tile: its distance in the buffer, in elements, and its first element along each axis of the tile.
struct TileBox {
    offset: u64,
    first: Vec<u32>,
}

/// The boxes of a tile that a block copies.
struct Shares {
    /// Those of the first block.
    first: Vec<TileBox>,
    /// For each bit of a block's rank, how far its boxes are from those of the first.
    by_rank: Vec<TileBox>,
}

/// The boxes of a tile, of which each of `blocks` blocks copies an equal part.
fn shares(buffer: &Buffer, boxes: &Boxes, blocks: u32) -> Option<Shares> {
    let layout = buffer.linear()?;
    let inside: u32 = boxes.extents.iter().map(|extent| extent.ilog2()).sum();
    let outer: Vec<Vec<u32>> = layout
        .bases(Dim::Offset)
        .skip(inside as usize)
        .map(|basis| basis.to_vec())
        .collect();
    let first = |index: u32| {
        let mut first = vec![0; buffer.shape.len()];
        for (bit, basis) in outer.iter().enumerate() {
            if index >> bit & 1 == 1 {
                first.iter_mut().zip(basis).for_each(|(at, step)| *at ^= step);
            }
        }
        first
    };
    let tile_box = |index: u32| TileBox {
        offset: u64::from(index) << inside,
        first: first(index),
    };
    let own = outer.len().checked_sub(blocks.ilog2() as usize)?;
    Some(Shares {
        first: (0..1 << own).map(tile_box).collect(),
        by_rank: (own..outer.len()).map(|bit| tile_box(1 << bit)).collect(),
    })
}

/// What a block's rank adds to a number, if that is anything: `of` for each bit of it.
fn rank_share(cx: &mut Cx<'_>, rank: Option<Value>, of: impl Iterator<Item = u64>) -> Option<Value> {
    let distances: Vec<i64> = of
        .map(|distance| i64::try_from(distance).unwrap_or(i64::MAX))
        .collect();
    let rank = rank.filter(|_| distances.iter().any(|&distance| distance != 0))?;
    Some(at(cx).linear_index(rank, distances, I32))
}

/// Where the coordinates of tiles outside of an array end, as unsigned numbers: those of loads may be negative. A box that is
/// stored begins at none: that is an illegal instruction (measured on an H200).
const LOADED_END: u64 = 1 << 32;
const STORED_END: u64 = 1 << 31;

/// The largest index, an unsigned number, of tiles of this extent, so far apart, that coordinates do not wrap for. No array reaches
/// that tile, so that it stands for all beyond.
fn farthest(end: u64, step: u32, extent: u32) -> u64 {
    (end - u64::from(extent)) / u64::from(step.max(1))
}

/// The coordinate of the first element of a box, the innermost axis first; `shares` are what the block's rank adds along
/// each axis of the tile. Where an array is guarded, and has no elements, the coordinate is beyond all that there can be: the
/// tensor map has an element all the same.
fn coordinate(
    cx: &mut Cx<'_>,
    (at_tile, shape, end): (&TileAccess, &[u32], u64),
    (order, guards): (&[usize], Option<&[Option<Value>]>),
    tile_box: &TileBox,
    shares: &[Option<Value>],
) -> Result<Vec<Value>, Diagnostic<Origin>> {
    let origin = cx.origin();
    let mut coordinate = Vec::new();
    for &axis in order {
        let Some(tile_axis) = at_tile.dim_map.iter().position(|&mapped| mapped as usize == axis) else {
            return Err(bug(
                origin,
                "an axis of an array that no axis of the tile is along",
            ));
        };
        let (Some(&index), Some(&step)) = (at_tile.index.get(tile_axis), at_tile.steps.get(tile_axis)) else {
            return Err(bug(origin, "a tile without an index along each axis"));
        };
        let index = cx.one(index);
        let mut emit = at(cx);
        let extent = shape.get(tile_axis).copied().unwrap_or(1);
        let limit = farthest(end, step, extent);
        let limit = match emit.is_i64(index) {
            true => emit.i64(limit),
            false => emit.i32(u32::try_from(limit).unwrap_or(u32::MAX)),
        };
        let index = emit.min(index, limit);
        let index = match emit.is_i64(index) {
            true => emit.narrow(index),
            false => index,
        };
        let step = emit.i32(step);
        let begin = emit.mul(index, step);
        let within = tile_box.first.get(tile_axis).copied().unwrap_or(0);
        let begin = match within {
            0 => begin,
            within => {
                let within = emit.i32(within);
                emit.add(begin, within)
            }
        };
        let begin = match shares.get(tile_axis).copied().flatten() {
            None => begin,
            Some(share) => emit.add(begin, share),
        };
        let extent = guards.and_then(|extents| extents.get(axis).copied().flatten());
        let is_empty = extent.map(|extent| {
            let none = emit.i64(0);
            emit.compare(extent, Predicate::Equal, none)
        });
        coordinate.push(match is_empty {
            None => begin,
            Some(is_empty) => {
                let beyond = emit.i32(BEYOND);
                emit.select(is_empty, beyond, begin)
            }
        });
    }
    Ok(coordinate)
}

/// The parts of a copy by a tensor map.
struct Copy<'a> {
    at: &'a TileAccess,
    map: Value,
    buffer: Value,
    atom: &'a Tma,
}

impl Copy<'_> {
    /// One copy for each of the block's boxes, by the thread that issues them; `emit` makes the op from the coordinate and
    /// the address in shared memory.
    fn each_box(
        &self,
        cx: &mut Cx<'_>,
        issuer: Value,
        (blocks, end): (u32, u64),
        mut emit_copy: impl FnMut(&mut Cx<'_>, Vec<Value>, Value),
    ) -> Translated {
        let origin = cx.origin();
        let (Some(buffer), Some(memref)) = (
            cx.from.ty(self.buffer).buffer(),
            cx.from.ty(self.at.memref).memref(),
        ) else {
            return Err(bug(origin, "a tensor copy between other things"));
        };
        let order = Boxes::order(memref)
            .map_err(|refusal| Diagnostic::error(refusal.code, refusal.message).at(origin, ""))?;
        let Shares { first, by_rank } = shares(buffer, &self.atom.boxes, blocks)
            .ok_or_else(|| unsupported(origin, "`tma` with a CuTe layout"))?;
        let base = cx.one(self.buffer);
        // The base address, then the dynamic extents and strides.
        let mut open = cx.all(self.at.memref).iter().skip(1).copied();
        let dynamic = |known: &Option<u64>| known.is_none().then(|| open.next()).flatten();
        let extents: Vec<Option<Value>> = memref.extents.iter().map(dynamic).collect();
        let guards = self.atom.boxes.guarded.then_some(extents.as_slice());
        when(cx, issuer, &[], |cx| {
            let rank = (blocks > 1).then(|| cx.value(GpuOp::BlockRank {}, I32));
            let shares: Vec<Option<Value>> = (0..buffer.shape.len())
                .map(|axis| {
                    let along = by_rank.iter().map(|tile_box| tile_box.first.get(axis));
                    rank_share(cx, rank, along.map(|first| first.copied().unwrap_or(0).into()))
                })
                .collect();
            let base = match rank_share(cx, rank, by_rank.iter().map(|tile_box| tile_box.offset)) {
                None => base,
                Some(share) => at(cx).add_offset(base, share),
            };
            for tile_box in &first {
                let coord = coordinate(
                    cx,
                    (self.at, &buffer.shape, end),
                    (&order, guards),
                    tile_box,
                    &shares,
                )?;
                let mut emit = at(cx);
                let address = match u32::try_from(tile_box.offset).unwrap_or(u32::MAX) {
                    0 => base,
                    offset => {
                        let offset = emit.i32(offset);
                        emit.add_offset(base, offset)
                    }
                };
                emit_copy(cx, coord, address);
            }
            Ok(Vec::new())
        })?;
        Ok(())
    }

    /// Loads a tile into a stage of a pipe, which `result` is then.
    fn load(&self, cx: &mut Cx<'_>, result: Value, agent: Agent) -> Translated {
        let origin = cx.origin();
        if !matches!(self.at.padding, None | Some(Padding::Zero)) {
            return Err(unsupported(origin, "`tma` pads with zeros only"));
        }
        let issuer = agent.issuer(cx)?;
        let acquired = cx.from.ops().find(|(_, op)| {
            matches!(&op.kind, ScheduledOp::Pipe(PipeOp::Acquire { .. }))
                && op.results().any(|result| result == self.buffer)
        });
        let token = acquired.and_then(|(_, op)| op.results().last());
        let token = token.ok_or_else(|| {
            let message =
                "a load by `tma` into a buffer of its own: `expand_schedule` makes it a stage of a pipe";
            unsupported(origin, message)
        })?;
        let token = cx.one(token);
        let barrier = bytes_barrier(cx, token);
        let desc = cx.one(self.map);
        let multicast = self.atom.multicast;
        let l2 = self.atom.l2;
        let blocks = multicast.map_or(1, u32::count_ones);
        self.each_box(cx, issuer, (blocks, LOADED_END), |cx, coord, to| {
            let multicast_mask = multicast.map(|mask| {
                let value = Dense::Splat(Literal::new(ScalarType::I16, u64::from(mask)));
                cx.value(ArithOp::Constant { value }, I16)
            });
            let cache_policy = cache_policy(cx, l2);
            cx.build().effect(CopiesOp::TmaLoad {
                desc,
                to,
                barrier,
                coord,
                multicast_mask,
                offsets: Vec::new(),
                cache_policy,
                mode: None,
            });
        })?;
        let stage = cx.all(self.buffer).to_vec();
        cx.bind(result, stage);
        Ok(())
    }

    /// Stores a buffer to a tile, or combines it with what is there. What is no stage of a pipe, which commits, is a group.
    fn store(&self, cx: &mut Cx<'_>, agent: Agent) -> Translated {
        let is_stage = pipes::is_stage_of(cx, self.buffer, PipeKind::TmaStore);
        // What all threads have stored, one of them copies; the commit of a stage has ordered it.
        if !is_stage {
            cx.build().effect(GpuOp::FenceProxyAsync {});
            barrier(cx, agent);
        }
        let issuer = agent.issuer(cx)?;
        let desc = cx.one(self.map);
        let Tma { reduction, l2, .. } = *self.atom;
        self.each_box(cx, issuer, (1, STORED_END), |cx, coord, from| {
            let cache_policy = cache_policy(cx, l2);
            match reduction {
                Some(kind) => cx.build().effect(CopiesOp::TmaReduce {
                    desc,
                    from,
                    coord,
                    kind,
                    cache_policy,
                    mode: None,
                }),
                None => cx.build().effect(CopiesOp::TmaStore {
                    desc,
                    from,
                    coord,
                    cache_policy,
                    mode: None,
                }),
            };
        })?;
        if !is_stage {
            cx.build().effect(GpuOp::BulkCommit {});
        }
        Ok(())
    }
}
