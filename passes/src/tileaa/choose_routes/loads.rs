//! The loads that tensor copies can do, issued by other warps than those that compute.

use tilewright_irs::core::{Body, Func, OpId, Operation, Value, ValueType};
use tilewright_irs::dialects::boxes::Boxes;
use tilewright_irs::dialects::memory::{Memref, Ordering, Padding, TileAccess};
use tilewright_irs::dialects::route::CopyRoute;
use tilewright_irs::ptx::Target;
use tilewright_irs::tileaa::{TileAa, TileAaDialect, TileAaKind, TileAaOp, TileAaType};
use tilewright_irs::tileas::Buffer;

use super::Loads;
use crate::program_slice::{Obstacle, Places, Repeats, is_after_loads, program_slice};
use crate::tileaa::reason::Reason;

/// The loads of a function that tensor copies by other warps can do, and why others cannot be done so.
pub(super) fn candidates(func: &Func<TileAa>, places: &Places<'_, TileAa>) -> Loads {
    loads(func, places, true)
}

/// The loads of a function that tensor copies can do, guarded, and why others cannot be done so.
pub(super) fn possible(func: &Func<TileAa>, places: &Places<'_, TileAa>) -> Loads {
    loads(func, places, false)
}

fn loads(func: &Func<TileAa>, places: &Places<'_, TileAa>, is_apart: bool) -> Loads {
    let loads = func.body.walk().into_iter();
    loads
        .filter_map(|id| Some((id, candidate(func, places, id, is_apart)?)))
        .collect()
}

/// `None` for other ops, and for loads with a route.
fn candidate(
    func: &Func<TileAa>,
    places: &Places<'_, TileAa>,
    id: OpId,
    is_apart: bool,
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
    let copy = apart.copy(array, (at, ordering), *allow_tma, (id, func.attrs.target));
    Some(copy.and_then(|(mut boxes, buffer)| {
        match is_apart {
            true => apart.check_slice(id)?,
            false => boxes.guarded = true,
        }
        Ok((CopyRoute::Tma(boxes), buffer))
    }))
}

impl Apart<'_> {
    fn copy(
        &self,
        array: &Memref,
        (at, ordering): (&TileAccess, &Ordering),
        allow_tma: Option<bool>,
        (id, target): (OpId, Target),
    ) -> Result<(Boxes, Buffer), Reason> {
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
        let tile = body.ty(body.op(id).result(0));
        let shape = tile.shape().unwrap_or_default();
        self.check_index(at, shape)?;
        let (mut boxes, layout) = Boxes::plan(array, &at.dim_map, shape, target)
            .map_err(|refused| Reason::no_boxes(array, refused))?;
        at.check_loaded_units(array)
            .map_err(|limit| Reason::vectors(array, limit))?;
        if !is_after_loads(places, self, ordering.after) {
            return Err(Reason::AfterStore);
        }
        boxes.rounded = tile.element() != Some(array.element.into());
        let element = boxes.element(array.element);
        Ok((boxes, Buffer::shared(element, layout)))
    }

    /// Checks that other warps can execute what a load needs.
    fn check_slice(&self, id: OpId) -> Result<(), Reason> {
        let slice = program_slice(self.places, &[id], self);
        slice.map(drop).map_err(|obstacle| match obstacle {
            Obstacle::Op(id) => Reason::NeedsOp(self.body.op(id).kind.name()),
            Obstacle::LeavesEarly(_) => Reason::IterationEndsEarly,
            Obstacle::Control => Reason::ControlFlow,
        })
    }

    /// Checks that no tile that counts as outside of the array has elements inside: an index is unsigned, and one that is negative
    /// as a signed number may begin less than a tile before the array where tiles overlap.
    pub(super) fn check_index(&self, at: &TileAccess, shape: &[u32]) -> Result<(), Reason> {
        let along = at.index.iter().zip(&at.steps).zip(shape).enumerate();
        for (axis, ((&index, step), extent)) in along {
            let is_known = self.body.ty(index).facts.min.is_some_and(|least| least >= 0);
            if step < extent && !is_known {
                return Err(Reason::Overlap(axis));
            }
        }
        Ok(())
    }

    /// Checks that the array is described in no loop: its tensor map is made once.
    pub(super) fn check_array(&self, at: &TileAccess) -> Result<(), Reason> {
        match self.places.definition(at.memref) {
            Some(made) if self.places.is_in_loop(made) => Err(Reason::ArrayInLoop),
            Some(_) | None => Ok(()),
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
    fn may_repeat(&self, id: OpId) -> bool {
        let op = self.body.op(id);
        let is_small = op.results().all(|result| !is_large(self.body.ty(result)));
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

/// Whether a tile has several elements: one element is the same in all threads.
fn is_large(ty: &TileAaType) -> bool {
    let elements = |shape: &[u32]| shape.iter().any(|&extent| extent > 1);
    matches!(ty.kind, TileAaKind::Tile { .. }) && ty.shape().is_some_and(elements)
}
