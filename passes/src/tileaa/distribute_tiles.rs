//! Distributes the tiles of a tile block over the blocks of a cluster. `tileaa` to `tileaa`.
//!
//! In: any function. Out: the same program without `cluster_hint`: where it asked for clusters, each of `num_ctas` blocks computes a
//! part of the tiles, an equal number of elements along one axis.
//!
//! ```text
//! {cluster_hint = 2}                                          {num_ctas = 2}
//!                                                             %rank = tileaa.block_rank
//! %a = tileaa.load %A, [%x, %k] {steps = [256, 64]}           %a = tileaa.load %A, [2 * %x + %rank, %k] {steps = [128, 64]}
//! %b = tileaa.load %B, [%k, %y] {steps = [64, 256]}           (as before: all blocks need it)
//! %c = tileaa.dot %a, %b, %zeros : tile<256x256xf32>          %c = tileaa.dot %a, %b, %zeros : tile<128x256xf32>
//! ```
//!
//! Tiles are halved until there are parts for as many blocks as the hint asks for, each time along the rows of products, of which at
//! least 64 are left, else along their columns, or the first axis of what is stored. All blocks then need the
//! same tiles of the other operand, which one multicast copy loads for all of them.
//!
//! Two blocks of a cluster may then combine the same element with theirs, where tiles overlap or addresses meet. So the scope of an
//! access among the threads of a tile block, `block`, becomes `cluster`.
//!
//! Blocks do not exchange values, so that this is possible if
//!
//! - the elements along the axis are used [one by one](super::axis_classes), and every tile that is stored has the axis: each block
//!   stores what no other one does;
//! - accesses are weak, or relaxed atomic ones of parts;
//! - what a token orders after a store, or before it, are accesses to the same parts of the same array;
//! - nothing is printed, asserted, or ordered with what is outside of the block.
//!
//! Else `num_ctas` is the number of blocks for which it is, and a warning says why.

use std::rc::Rc;

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Body, Func, OpId, Origin, Translate, Translated, Value, translate_func};
use tilewright_irs::cuda_tile::Hint;
use tilewright_irs::dialects::arith::{ArithOp, Signedness};
use tilewright_irs::dialects::memory::{AtomicOrder, AtomicOrdering, MemoryScope, Ordering, TileAccess};
use tilewright_irs::element::ScalarType;
use tilewright_irs::tileaa::{TileAa, TileAaDialect, TileAaOp, TileAaType};

use super::axis_classes::{Classes, ROWS};
use super::choose_routes::{MAX_COLUMNS, ROWS as GROUP_ROWS};
use super::tile_parts::{Cx, Part, TileParts};
use crate::hints::{Cause, HintUse, Warned};
use crate::program_slice::{Places, comes_after_only};
use crate::scalars::integer;

/// The parts of a tile at a time.
const HALVES: u32 = 2;

/// Distributes the tiles of a function over the blocks of a cluster.
pub fn distribute_tiles(func: &Func<TileAa>) -> Warned<Func<TileAa>> {
    let mut func = func.clone();
    let Some(asked) = func.attrs.cluster_hint.take() else {
        return Warned::silent(func);
    };
    let mut blocks = 1;
    let mut why = "the target has no clusters".to_owned();
    while func.attrs.target.has_clusters() && blocks < asked {
        match halves(&func.body) {
            Ok(parts) => func = distributed(&func, Rc::new(parts), blocks.ilog2()),
            Err(reason) => {
                why = reason.to_owned();
                break;
            }
        }
        blocks *= HALVES;
    }
    if blocks > 1 {
        widen_scopes(&mut func.body);
    }
    func.attrs.num_ctas = Some(blocks);
    let hint = HintUse {
        origin: Origin::FUNCTION,
        hint: Hint::NumCtas.into(),
        asked: Some(asked),
        used: blocks,
        why,
        cause: Cause::Forbidden,
    };
    Warned {
        func,
        hints: vec![hint],
    }
}

/// What each half of the blocks computes, or why tiles cannot be halved.
fn halves(body: &Body<TileAa>) -> Result<TileParts, &'static str> {
    let mut classes = Classes::of(body);
    let mut reason = "no tile is stored that the blocks of a cluster could share";
    for prefer in [Prefer::Best, Prefer::Other] {
        let Some(chosen) = choose(body, &mut classes, prefer) else {
            continue;
        };
        let Some(parts) = TileParts::along(body, &mut classes, &chosen, HALVES) else {
            continue;
        };
        match obstacle(body, &parts) {
            None => return Ok(parts),
            Some(found) => reason = found,
        }
    }
    Err(reason)
}

/// Along which axis of products tiles are halved.
#[derive(Clone, Copy)]
enum Prefer {
    Best,
    Other,
}

/// The classes of axes along which tiles are halved: one of each product and of each tile that is stored.
fn choose(body: &Body<TileAa>, classes: &mut Classes, prefer: Prefer) -> Option<Vec<usize>> {
    let (mut products, mut stored) = (Vec::new(), Vec::new());
    for id in body.walk() {
        match &body.op(id).kind {
            TileAaOp::TileAa(TileAaDialect::Dot { .. }) => products.push(body.op(id).result(0)),
            TileAaOp::TileAa(own) => stored.extend(updated(own)),
            _ => {}
        }
    }
    let mut chosen = Vec::new();
    for &tile in products.iter().chain(&stored) {
        let shape = body.ty(tile).shape().unwrap_or_default();
        let own: Vec<Option<usize>> = (0..shape.len())
            .map(|axis| classes.class_of(tile, axis))
            .collect();
        if own.iter().flatten().any(|class| chosen.contains(class)) {
            continue;
        }
        let mut axes = axes_by_preference(shape, products.contains(&tile), prefer).into_iter();
        let class = axes.find_map(|axis| {
            let class = (*own.get(axis)?)?;
            classes.is_separable(class).then_some(class)
        });
        chosen.push(class?);
    }
    (!stored.is_empty()).then_some(chosen)
}

/// The axes along which a tile may be halved, the best first.
fn axes_by_preference(shape: &[u32], is_product: bool, prefer: Prefer) -> Vec<usize> {
    let halved = |axis: &usize| shape.get(*axis).map_or(0, |extent| extent / HALVES);
    let ([before @ .., rows, columns], true) = (shape, is_product) else {
        return (0..shape.len()).filter(|axis| halved(axis) > 0).collect();
    };
    let (row, column) = (before.len(), before.len() + 1);
    let by_rows = rows / HALVES >= GROUP_ROWS && *columns <= MAX_COLUMNS;
    let axes = match (by_rows, prefer) {
        (true, Prefer::Best) | (false, Prefer::Other) => [row, column],
        (false, Prefer::Best) | (true, Prefer::Other) => [column, row],
    };
    axes.into_iter().filter(|axis| halved(axis) >= ROWS).collect()
}

/// The tile that an op stores, or combines with elements in memory.
fn updated(op: &TileAaDialect) -> Option<Value> {
    match op {
        TileAaDialect::Store { value, .. }
        | TileAaDialect::ScatterStore { value, .. }
        | TileAaDialect::AtomicScatter { value, .. }
        | TileAaDialect::AtomicTile { value, .. }
        | TileAaDialect::AtomicRmw { value, .. }
        | TileAaDialect::AtomicCas { value, .. } => Some(*value),
        _ => None,
    }
}

/// What keeps blocks from computing these parts.
fn obstacle(body: &Body<TileAa>, parts: &TileParts) -> Option<&'static str> {
    let places = Places::of(body);
    body.walk().into_iter().find_map(|id| {
        let TileAaOp::TileAa(own) = &body.op(id).kind else {
            return None;
        };
        let of_op = obstacle_of(body, parts, id, own);
        of_op.or_else(|| {
            let after = after(own)?;
            let passed = |before: OpId| match &body.op(before).kind {
                TileAaOp::TileAa(TileAaDialect::CreateMemToken {}) => Some(Vec::new()),
                TileAaOp::TileAa(TileAaDialect::JoinMemTokens { tokens }) => Some(tokens.clone()),
                TileAaOp::TileAa(other) if in_one_block(body, parts, (before, other), (id, own)) => {
                    Some(self::after(other).into_iter().collect())
                }
                _ => None,
            };
            (!comes_after_only(&places, passed, Some(after))).then_some(
                "an access is ordered after one to other elements, which another block of the cluster may execute",
            )
        })
    })
}

/// What keeps blocks from executing parts of an op.
fn obstacle_of(body: &Body<TileAa>, parts: &TileParts, id: OpId, op: &TileAaDialect) -> Option<&'static str> {
    let refuse = |holds: bool, reason| (!holds).then_some(reason);
    let divide = |tile: Value, at: &TileAccess| {
        refuse(
            parts.divide(body, tile, &at.steps),
            "adjacent tiles of an array overlap by less than the part of a block",
        )
    };
    let weak = |ordering: &Ordering| {
        refuse(
            ordering.is_weak(),
            "an access that is ordered with those of other blocks would be executed by each block of the cluster",
        )
    };
    let relaxed = |ordering: &AtomicOrdering| {
        refuse(
            ordering.order == AtomicOrder::Relaxed,
            "an atomic access orders others, which another block of the cluster may execute",
        )
    };
    let whole = |tile: Value| {
        refuse(
            parts.axis(tile).is_some(),
            "a tile is stored that each block of the cluster would compute as a whole",
        )
    };
    match op {
        TileAaDialect::Load { at, ordering, .. } => {
            weak(ordering).or_else(|| divide(body.op(id).result(0), at))
        }
        TileAaDialect::GatherLoad { ordering, .. } => weak(ordering),
        TileAaDialect::Store {
            at, value, ordering, ..
        } => weak(ordering)
            .or_else(|| whole(*value))
            .or_else(|| divide(*value, at)),
        TileAaDialect::ScatterStore { value, ordering, .. } => weak(ordering).or_else(|| whole(*value)),
        TileAaDialect::AtomicTile {
            at, value, ordering, ..
        } => relaxed(ordering)
            .or_else(|| whole(*value))
            .or_else(|| divide(*value, at)),
        TileAaDialect::AtomicScatter { value, ordering, .. }
        | TileAaDialect::AtomicRmw { value, ordering, .. }
        | TileAaDialect::AtomicCas { value, ordering, .. } => relaxed(ordering).or_else(|| whole(*value)),
        TileAaDialect::MultimemLoad { .. }
        | TileAaDialect::MultimemStore { .. }
        | TileAaDialect::MultimemReduce { .. } => Some("it accesses replicas"),
        TileAaDialect::Fence { .. } | TileAaDialect::Barrier {} => {
            Some("it waits for accesses, which another block of the cluster may execute")
        }
        TileAaDialect::Print { .. } | TileAaDialect::Assert { .. } => {
            Some("each block of the cluster would print a message")
        }
        TileAaDialect::BlockRank {}
        | TileAaDialect::Memref { .. }
        | TileAaDialect::Reduce { .. }
        | TileAaDialect::Scan { .. }
        | TileAaDialect::Yield { .. }
        | TileAaDialect::Cat { .. }
        | TileAaDialect::Extract { .. }
        | TileAaDialect::Insert { .. }
        | TileAaDialect::Dot { .. }
        | TileAaDialect::CreateMemToken {}
        | TileAaDialect::JoinMemTokens { .. }
        | TileAaDialect::ProgramId { .. }
        | TileAaDialect::NumPrograms { .. } => None,
    }
}

/// The token after which an op comes.
fn after(op: &TileAaDialect) -> Option<Value> {
    let weak = op.field::<Ordering>().and_then(|ordering| ordering.after);
    weak.or_else(|| op.field::<AtomicOrdering>()?.after)
}

/// Whether each element that one of two accesses stores and the other one accesses belongs to one block, so that its own order is
/// enough.
fn in_one_block(
    body: &Body<TileAa>,
    parts: &TileParts,
    (a_id, a): (OpId, &TileAaDialect),
    (b_id, b): (OpId, &TileAaDialect),
) -> bool {
    let tile = |id: OpId, op: &TileAaDialect| updated(op).unwrap_or_else(|| body.op(id).result(0));
    let stores = updated(a).is_some() || updated(b).is_some();
    if !stores {
        return true;
    }
    let (a_tile, b_tile) = (tile(a_id, a), tile(b_id, b));
    let axis = parts.axis(a_tile);
    let (Some(a), Some(b)) = (a.field::<TileAccess>(), b.field::<TileAccess>()) else {
        return false;
    };
    let shape = body.ty(a_tile).shape().unwrap_or_default();
    // Tiles side by side, of which each element is in the same part whatever the index.
    let is_apart = |axis: usize| {
        let pair = a.steps.get(axis).zip(shape.get(axis));
        pair.is_some_and(|(step, extent)| step.is_multiple_of(*extent))
    };
    axis.is_some_and(is_apart)
        && axis == parts.axis(b_tile)
        && (a.memref, &a.dim_map, &a.steps) == (b.memref, &b.dim_map, &b.steps)
        && Some(shape) == body.ty(b_tile).shape()
}

/// The function where each half of the blocks, by this bit of their rank, computes one part.
fn distributed(func: &Func<TileAa>, parts: Rc<TileParts>, bit: u32) -> Func<TileAa> {
    let mut pass = Distribute {
        parts,
        bit,
        half: None,
    };
    translate_func(func, func.attrs.clone(), &mut pass).unwrap_or_else(|_| func.clone())
}

struct Distribute {
    parts: Rc<TileParts>,
    bit: u32,
    /// The half of this block.
    half: Option<Value>,
}

impl Translate<TileAa, TileAa> for Distribute {
    fn types(&mut self, ty: &TileAaType) -> Result<Vec<TileAaType>, Diagnostic<Origin>> {
        Ok(vec![ty.clone()])
    }

    fn op(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        let bit = self.bit;
        let part = Part::Value(*self.half.get_or_insert_with(|| half(cx, bit)));
        let parts = Rc::clone(&self.parts);
        let begun = parts.begin(cx, id, part);
        cx.carry(id, &begun.kind, self)?;
        parts.end(cx, id, &begun, part);
        Ok(())
    }
}

/// Orders accesses of a tile block among the threads of the cluster, which computes it.
fn widen_scopes(body: &mut Body<TileAa>) {
    let widen = |scope: &mut MemoryScope| {
        if *scope == MemoryScope::Block {
            *scope = MemoryScope::Cluster;
        }
    };
    for id in body.walk() {
        let TileAaOp::TileAa(own) = &mut body.op_mut(id).kind else {
            continue;
        };
        if let Some(ordering) = own.field_mut::<Ordering>() {
            ordering.scope.iter_mut().for_each(widen);
        }
        if let Some(ordering) = own.field_mut::<AtomicOrdering>() {
            widen(&mut ordering.scope);
        }
    }
}

/// A bit of the rank of the block.
fn half(cx: &mut Cx<'_>, bit: u32) -> Value {
    let ty: TileAaType = ScalarType::I32.into();
    let mut lhs = cx.value(TileAaDialect::BlockRank {}, ty.clone());
    if bit > 0 {
        let rhs = integer(cx, ScalarType::I32, bit.into());
        let signedness = Signedness::Unsigned;
        lhs = cx.value(ArithOp::ShrI { lhs, rhs, signedness }, ty.clone());
    }
    let rhs = integer(cx, ScalarType::I32, 1);
    cx.value(ArithOp::AndI { lhs, rhs }, ty)
}
