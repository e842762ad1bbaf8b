//! The loads that tensor copies can do, issued by other warps than those that compute.

use tilewright_irs::core::{Body, Func, OpId, Operation, Value};
use tilewright_irs::dialects::boxes::Boxes;
use tilewright_irs::dialects::memory::Padding;
use tilewright_irs::dialects::route::CopyRoute;
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::tileaa::{TileAa, TileAaDialect, TileAaKind, TileAaOp, TileAaType};
use tilewright_irs::tileas::Buffer;

use super::Loads;
use crate::program_slice::{Places, Repeats, is_after_loads, program_slice};

/// The loads of a function that tensor copies can do.
pub(super) fn candidates(func: &Func<TileAa>, places: &Places<'_, TileAa>) -> Loads {
    let loads = func.body.walk().into_iter();
    loads
        .filter_map(|id| Some((id, candidate(func, places, id)?)))
        .collect()
}

fn candidate(func: &Func<TileAa>, places: &Places<'_, TileAa>, id: OpId) -> Option<(CopyRoute, Buffer)> {
    let body = &func.body;
    let TileAaOp::TileAa(own) = &body.op(id).kind else {
        return None;
    };
    let TileAaDialect::Load {
        at,
        ordering,
        allow_tma: None | Some(true),
        route: None,
        ..
    } = own
    else {
        return None;
    };
    let pads = at.inbounds.iter().any(|inside| !inside);
    if !ordering.is_weak() || pads && !matches!(at.padding, None | Some(Padding::Zero)) {
        return None;
    }
    let memref = body.ty(at.memref).memref()?;
    // The tensor map is made once, before all loops.
    let made = places.definition(at.memref).and_then(|id| places.block(id));
    if made != body.entry() {
        return None;
    }
    let shape = body.ty(body.op(id).result(0)).shape()?;
    let (boxes, layout) = Boxes::plan(memref, &at.dim_map, shape, func.attrs.target).ok()?;
    let apart = Apart { body, places };
    if !is_after_loads(places, &apart, ordering.after) {
        return None;
    }
    program_slice(places, &[id], &apart)?;
    Some((CopyRoute::Tma(boxes), Buffer::shared(memref.element, layout)))
}

/// What other warps may execute as well as those that compute.
pub(super) struct Apart<'a> {
    pub(super) body: &'a Body<TileAa>,
    pub(super) places: &'a Places<'a, TileAa>,
}

impl Repeats<TileAa> for Apart<'_> {
    fn scf(op: &TileAaOp) -> Option<&ScfOp> {
        match op {
            TileAaOp::Scf(scf) => Some(scf),
            _ => None,
        }
    }

    fn may_repeat(&self, id: OpId) -> bool {
        let op = self.body.op(id);
        let is_small = op.results().all(|result| !is_tile(self.body.ty(result)));
        is_small
            && match &op.kind {
                TileAaOp::TileAa(
                    TileAaDialect::Load { ordering, .. } | TileAaDialect::GatherLoad { ordering, .. },
                ) => ordering.is_weak() && is_after_loads(self.places, self, ordering.after),
                kind => kind.is_pure(),
            }
    }

    fn needs(&self, value: Value) -> bool {
        self.body.ty(value).kind != TileAaKind::Token
    }

    fn loads_after(&self, id: OpId) -> Option<Vec<Value>> {
        let TileAaOp::TileAa(own) = &self.body.op(id).kind else {
            return None;
        };
        match own {
            TileAaDialect::CreateMemToken {} => Some(Vec::new()),
            TileAaDialect::JoinMemTokens { tokens } => Some(tokens.clone()),
            TileAaDialect::Load { ordering, .. } | TileAaDialect::GatherLoad { ordering, .. } => {
                ordering.is_weak().then(|| ordering.after.into_iter().collect())
            }
            _ => None,
        }
    }
}

fn is_tile(ty: &TileAaType) -> bool {
    matches!(ty.kind, TileAaKind::Tile { .. })
}
