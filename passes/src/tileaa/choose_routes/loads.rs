//! The loads that tensor copies can do, issued by other warps than those that compute.

use rustc_hash::FxHashSet;
use tilewright_irs::core::{Body, Func, OpId, Operation, Region, Value};
use tilewright_irs::dialects::memory::Padding;
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::tileaa::{TileAa, TileAaDialect, TileAaKind, TileAaOp, TileAaType};
use tilewright_irs::tileas::Buffer;
use tilewright_irs::tileas::atoms::Tma;

use super::Loads;
use crate::program_slice::{Places, Repeats, program_slice};

/// The loads of a function that tensor copies can do.
pub(super) fn candidates(func: &Func<TileAa>, places: &Places<'_, TileAa>) -> Loads {
    let loads = func.body.walk().into_iter();
    loads
        .filter_map(|id| Some((id, candidate(func, places, id)?)))
        .collect()
}

fn candidate(func: &Func<TileAa>, places: &Places<'_, TileAa>, id: OpId) -> Option<(Tma, Buffer)> {
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
    let (atom, layout) = Tma::plan(memref, &at.dim_map, shape, func.attrs.target).ok()?;
    if ordering
        .after
        .is_some_and(|after| !is_free(places, body, after, &mut FxHashSet::default()))
    {
        return None;
    }
    program_slice(places, &[id], &Apart { body, places })?;
    Some((atom, Buffer::shared(memref.element, layout)))
}

/// What other warps may execute as well as those that compute.
struct Apart<'a> {
    body: &'a Body<TileAa>,
    places: &'a Places<'a, TileAa>,
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
        let is_free = |after: Option<Value>| {
            after.is_none_or(|after| is_free(self.places, self.body, after, &mut FxHashSet::default()))
        };
        is_small
            && match &op.kind {
                TileAaOp::TileAa(
                    TileAaDialect::Load { ordering, .. } | TileAaDialect::GatherLoad { ordering, .. },
                ) => ordering.is_weak() && is_free(ordering.after),
                kind => kind.is_pure(),
            }
    }

    fn needs(&self, value: Value) -> bool {
        self.body.ty(value).kind != TileAaKind::Token
    }
}

fn is_tile(ty: &TileAaType) -> bool {
    matches!(ty.kind, TileAaKind::Tile { .. })
}

/// Whether what is ordered after a token is ordered after weak loads at most.
fn is_free(
    places: &Places<'_, TileAa>,
    body: &Body<TileAa>,
    token: Value,
    seen: &mut FxHashSet<Value>,
) -> bool {
    if !seen.insert(token) {
        return true;
    }
    // The values that are handed to a result or an argument.
    let mut sources = Vec::new();
    match places.definition(token) {
        Some(id) => match &body.op(id).kind {
            TileAaOp::TileAa(own) => match own {
                TileAaDialect::CreateMemToken {} => {}
                TileAaDialect::JoinMemTokens { tokens } => sources.extend(tokens),
                TileAaDialect::Load { ordering, .. } | TileAaDialect::GatherLoad { ordering, .. }
                    if ordering.is_weak() =>
                {
                    sources.extend(ordering.after);
                }
                _ => return false,
            },
            TileAaOp::Scf(scf) => {
                let position = body.op(id).results().position(|result| result == token);
                let Some(handed) = position.and_then(|at| handed(body, scf, at)) else {
                    return false;
                };
                sources.extend(handed);
            }
            TileAaOp::Arith(_) | TileAaOp::Math(_) | TileAaOp::Tile(_) => return false,
        },
        None => {
            let place = places.argument(token);
            let around = place.and_then(|(block, at)| Some((places.around(block)?, at.checked_sub(1)?)));
            let Some((around, at)) = around else {
                return false;
            };
            let TileAaOp::Scf(scf @ ScfOp::For { .. }) = &body.op(around).kind else {
                return false;
            };
            match handed(body, scf, at) {
                Some(handed) => sources.extend(handed),
                None => return false,
            }
        }
    }
    sources
        .into_iter()
        .all(|source| is_free(places, body, source, seen))
}

/// The values that a counted loop or a branch gives as its result at this position; of a loop, also the first one.
fn handed(body: &Body<TileAa>, scf: &ScfOp, position: usize) -> Option<Vec<Value>> {
    let last = |region: Region| {
        let last = body.terminator(body.only_block(region)?)?;
        match &body.op(last).kind {
            TileAaOp::Scf(ScfOp::Continue { values } | ScfOp::Yield { values }) => {
                values.get(position).copied()
            }
            _ => None,
        }
    };
    match scf {
        ScfOp::For { inits, body, .. } => Some(vec![*inits.get(position)?, last(*body)?]),
        ScfOp::If { then, otherwise, .. } => Some(vec![last(*then)?, last(*otherwise)?]),
        _ => None,
    }
}
