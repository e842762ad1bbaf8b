//! The loads that tensor copies can do, issued by other warps than those that compute.

use tilewright_irs::core::{Body, Func, OpId, Operation, Value};
use tilewright_irs::dialects::boxes::Boxes;
use tilewright_irs::dialects::memory::{Memref, Ordering, Padding, TileAccess};
use tilewright_irs::dialects::route::CopyRoute;
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::ptx::Target;
use tilewright_irs::tileaa::{TileAa, TileAaDialect, TileAaKind, TileAaOp, TileAaType};
use tilewright_irs::tileas::Buffer;

use super::Loads;
use crate::program_slice::{Obstacle, Places, Repeats, is_after_loads, program_slice};
use crate::tileaa::reason::Reason;

/// The loads of a function that tensor copies can do, and why others cannot be done so.
pub(super) fn candidates(func: &Func<TileAa>, places: &Places<'_, TileAa>) -> Loads {
    let loads = func.body.walk().into_iter();
    loads
        .filter_map(|id| Some((id, candidate(func, places, id)?)))
        .collect()
}

/// `None` for other ops, and for loads with a route.
fn candidate(
    func: &Func<TileAa>,
    places: &Places<'_, TileAa>,
    id: OpId,
) -> Option<Result<(CopyRoute, Buffer), Reason>> {
    let TileAaOp::TileAa(TileAaDialect::Load {
        at,
        ordering,
        allow_tma,
        route: None,
        ..
    }) = &func.body.op(id).kind
    else {
        return None;
    };
    let array = func.body.ty(at.memref).memref()?;
    let apart = Apart {
        body: &func.body,
        places,
    };
    Some(apart.copy(array, (at, ordering), *allow_tma, (id, func.attrs.target)))
}

impl Apart<'_> {
    fn copy(
        &self,
        array: &Memref,
        (at, ordering): (&TileAccess, &Ordering),
        allow_tma: Option<bool>,
        (id, target): (OpId, Target),
    ) -> Result<(CopyRoute, Buffer), Reason> {
        let Self { body, places } = self;
        check_hint(allow_tma)?;
        let pads = at.inbounds.iter().any(|inside| !inside);
        if !ordering.is_weak() {
            return Err(Reason::Order(ordering.order));
        }
        if let Some(padding) = at.padding.filter(|&padding| pads && padding != Padding::Zero) {
            return Err(Reason::Padding(padding));
        }
        self.check_array(at)?;
        let shape = body.ty(body.op(id).result(0)).shape().unwrap_or_default();
        let (boxes, layout) = Boxes::plan(array, &at.dim_map, shape, target)
            .map_err(|refused| Reason::no_boxes(array, refused))?;
        if !is_after_loads(places, self, ordering.after) {
            return Err(Reason::AfterStore);
        }
        program_slice(places, &[id], self).map_err(|obstacle| match obstacle {
            Obstacle::Op(id) => Reason::NeedsOp(body.op(id).kind.name()),
            Obstacle::LeavesEarly(_) => Reason::IterationEndsEarly,
            Obstacle::Control => Reason::ControlFlow,
        })?;
        Ok((CopyRoute::Tma(boxes), Buffer::shared(array.element, layout)))
    }

    /// Checks that the array is described before all loops, where its tensor map is made once.
    pub(super) fn check_array(&self, at: &TileAccess) -> Result<(), Reason> {
        let made = self.places.definition(at.memref);
        let made = made.and_then(|id| self.places.block(id));
        match made == self.body.entry() {
            true => Ok(()),
            false => Err(Reason::ArrayInControlFlow),
        }
    }
}

/// Checks the hint of an access.
pub(super) fn check_hint(allow_tma: Option<bool>) -> Result<(), Reason> {
    match allow_tma {
        None | Some(true) => Ok(()),
        Some(false) => Err(Reason::Forbidden),
    }
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
