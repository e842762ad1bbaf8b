//! What an agent needs tensor maps for: the runs in which it makes them, and the copies that read them.

use rustc_hash::FxHashSet;
use tilewright_irs::core::{Body, Func, OpId, Operation, Region, Value};
use tilewright_irs::dialects::pipe::{PipeKind, PipeOp, PipeType, PipeValue};
use tilewright_irs::scheduled::{Scheduled, ScheduledOp};
use tilewright_irs::tileas::TileAsDialect;

/// Whether a function copies by tensor maps.
pub(super) fn uses(func: &Func<Scheduled>) -> bool {
    func.body.ops().any(|(_, op)| {
        matches!(&op.kind, ScheduledOp::TileAs(TileAsDialect::TensorMap { .. }))
            || stores_by_map(&op.kind)
            || op
                .results()
                .any(|result| counts_bytes(func.body.ty(result).pipe()))
    })
}

fn stores_by_map(op: &ScheduledOp) -> bool {
    matches!(
        op,
        ScheduledOp::TileAs(TileAsDialect::CopyOut { map: Some(_), .. })
    )
}

fn counts_bytes(ty: Option<PipeType>) -> bool {
    ty.and_then(PipeType::kind).is_some_and(PipeKind::counts_bytes)
}

/// Tensor maps that are made together.
#[derive(Clone, Debug)]
pub(super) struct Run {
    /// The ops that make them.
    pub(super) ops: Vec<OpId>,
    /// Whether all blocks of a launch make the same maps.
    pub(super) is_of_launch: bool,
    /// Whether they are made in a loop or a branch: then the block has a slot for them from the beginning of the agent on.
    pub(super) is_nested: bool,
    /// The slot of the block, in the agent's first warp; `NO_SLOT` if it has none.
    pub(super) slot: Option<Value>,
}

/// The tensor maps of a region that are made together: nothing between the ops of a run has an effect, or needs one of its maps.
pub(super) fn runs(func: &Func<Scheduled>, region: Region, is_nested: bool) -> Vec<Run> {
    let body = &func.body;
    let mut runs: Vec<Run> = Vec::new();
    for &block in &body.region(region).blocks {
        let mut current: Vec<OpId> = Vec::new();
        for &id in &body.block(block).ops {
            let kind = &body.op(id).kind;
            let mut made = current.iter().flat_map(|&id| body.op(id).results());
            let needs = made.any(|map| kind.operand_list().contains(&map));
            match kind {
                ScheduledOp::TileAs(TileAsDialect::TensorMap { .. }) => current.push(id),
                ScheduledOp::TileAs(TileAsDialect::Alloc { .. }) => {}
                kind if kind.is_pure() && kind.region_list().is_empty() && !needs => {}
                kind => {
                    runs.extend(Run::of(func, std::mem::take(&mut current), is_nested));
                    let inner = kind.region_list().into_iter();
                    runs.extend(inner.flat_map(|region| self::runs(func, region, true)));
                }
            }
        }
        runs.extend(Run::of(func, current, is_nested));
    }
    runs
}

impl Run {
    /// `None` without ops, as between most ops of a body.
    fn of(func: &Func<Scheduled>, ops: Vec<OpId>, is_nested: bool) -> Option<Self> {
        if ops.is_empty() {
            return None;
        }
        let body = &func.body;
        let definitions = body.definitions();
        let args: FxHashSet<Value> = func.body.params().iter().copied().collect();
        let is_of_launch = |value: Value| -> bool {
            let mut open = vec![value];
            while let Some(value) = open.pop() {
                if args.contains(&value) {
                    continue;
                }
                match definitions.get(value).map(|&id| &body.op(id).kind) {
                    Some(kind @ ScheduledOp::Arith(op)) if op.is_pure() => open.extend(kind.operand_list()),
                    Some(kind @ ScheduledOp::TileAs(TileAsDialect::Memref { .. })) => {
                        open.extend(kind.operand_list())
                    }
                    _ => return false,
                }
            }
            true
        };
        let arrays = ops.iter().filter_map(|&id| match &body.op(id).kind {
            ScheduledOp::TileAs(TileAsDialect::TensorMap { memref, .. }) => Some(*memref),
            _ => None,
        });
        let is_of_launch = arrays.into_iter().all(is_of_launch);
        Some(Self {
            ops,
            is_of_launch,
            is_nested,
            slot: None,
        })
    }
}

/// Whether a region stores by tensor maps from other buffers than the stages of pipes that it drains.
pub(super) fn stores(body: &Body<Scheduled>, region: Region) -> bool {
    let ops = body.walk_region(region);
    let kinds = || ops.iter().map(|&id| (id, &body.op(id).kind));
    let drained: FxHashSet<Value> = kinds()
        .filter_map(|(_, kind)| match kind {
            ScheduledOp::Pipe(PipeOp::Drain { pipe, .. }) => Some(*pipe),
            _ => None,
        })
        .collect();
    let stages: FxHashSet<Value> = kinds()
        .filter(|(_, kind)| {
            matches!(kind, ScheduledOp::Pipe(PipeOp::Wait { pipe, .. }) if drained.contains(pipe))
        })
        .flat_map(|(id, _)| body.op(id).results())
        .collect();
    kinds().any(|(_, kind)| {
        matches!(kind, ScheduledOp::TileAs(TileAsDialect::CopyOut { source, .. }) if !stages.contains(source))
    })
}
