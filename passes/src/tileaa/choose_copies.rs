//! Chooses how the threads copy what matrix products read. `tileaa` to `tileaa`.
//!
//! In: any function whose memory ops have their `access` (see [`select_atoms`](mod@super::select_atoms)). Out: the same function,
//! where loads have a `route`:
//!
//! - `cp_async<16>`, `cp_async<8>` or `cp_async<4>` for a load directly in a loop with products, if the target has `cp.async`
//!   and the load is one that it can do ([`AsyncLoad`]): weak, padded with zeros, with that many bytes contiguous and aligned.
//!   All uses of the tile are operands of products in registers, or there is one use;
//! - `staged` for other loads whose tiles only such products use.
//!
//! The operand of a product may be the tile, a view of it (`tile.reshape`, `tile.permute`), or either rounded to a type of the
//! same size.
//!
//! A load that has a route keeps it, and all others stay without one.
//!
//! This is apart from [`choose_routes`](mod@super::choose_routes), which decides the number of warps: here the widths of
//! accesses are known, and which loads are in branches for full tiles.

use rustc_hash::FxHashMap;
use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Body, Func, OpId, Origin, TermCodec, Value, ValueType, term_text};
use tilewright_irs::dialects::arith::ArithOp;
use tilewright_irs::dialects::route::{CopyRoute, ForcedRoute, ThreadRoute};
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::dialects::tile::TileOp;
use tilewright_irs::element::ElementType;
use tilewright_irs::literal::Dense;
use tilewright_irs::ptx::Target;
use tilewright_irs::tileaa::{TileAa, TileAaDialect, TileAaOp};
use tilewright_irs::tileas::atoms::{AsyncLoad, AsyncSource};

use super::reason::{Explanation, FasterRoute, Reason, Subject};
use crate::program_slice::Places;
use crate::uses::users_of;

/// Chooses the routes of the operands of products in registers. With a forced one, all loads that can take it do.
///
/// # Errors
/// None; the type is that of all passes.
pub fn choose_copies(
    func: &Func<TileAa>,
    forced: Option<ForcedRoute>,
) -> Result<Func<TileAa>, Vec<Diagnostic<Origin>>> {
    let loads = Loads::of(&func.body);
    let chosen = |id: OpId| Some((id, loads.route(id, func.attrs.target, forced)?));
    let chosen: Vec<(OpId, ThreadRoute)> = func.body.walk().into_iter().filter_map(chosen).collect();
    if chosen.is_empty() {
        return Ok(func.clone());
    }
    let mut func = func.clone();
    for (id, chosen) in chosen {
        match &mut func.body.op_mut(id).kind {
            TileAaOp::TileAa(TileAaDialect::Load { route, .. }) => *route = Some(CopyRoute::Threads(chosen)),
            TileAaOp::TileAa(TileAaDialect::GatherLoad { route, .. }) => *route = Some(chosen),
            _ => {}
        }
    }
    Ok(func)
}

/// Explains the routes that [`choose_copies`] chooses for a function: of each load without one that only products in registers use,
/// or that is in a loop with products, in the order of the ops.
pub fn explain_copies(func: &Func<TileAa>, forced: Option<ForcedRoute>) -> Vec<Explanation> {
    let loads = Loads::of(&func.body);
    let explained = |id: OpId| {
        if loads.has_route(id) != Some(false) {
            return None;
        }
        let is_operand = loads.is_multiplied(func.body.op(id).result(0));
        let is_asked = is_operand || loads.is_in_loop(id) || forced == Some(ForcedRoute::CpAsync);
        is_asked.then(|| Explanation {
            origin: func.body.op(id).origin,
            subject: Subject::Load,
            route: FasterRoute::CpAsync,
            outcome: loads
                .copy(id, func.attrs.target, forced)
                .map(|bytes| term_text(&ThreadRoute::CpAsync { bytes }.write())),
        })
    };
    func.body.walk().into_iter().filter_map(explained).collect()
}

/// The loads of a body.
pub(crate) struct Loads<'a> {
    body: &'a Body<TileAa>,
    places: Places<'a, TileAa>,
    users: FxHashMap<Value, Vec<OpId>>,
}

impl<'a> Loads<'a> {
    pub(crate) fn of(body: &'a Body<TileAa>) -> Self {
        Self {
            body,
            places: Places::of(body),
            users: users_of(body),
        }
    }

    /// Whether a load without a route becomes copies of 16 bytes: in a loop whose products all read their operands from registers.
    pub(crate) fn is_copied(&self, id: OpId, target: Target) -> bool {
        let is_routed = |&id: &OpId| {
            matches!(
                self.op(id),
                TileAaOp::TileAa(TileAaDialect::Dot { route: Some(_), .. })
            )
        };
        let copies = || {
            self.copy(id, target, None)
                .is_ok_and(|bytes| bytes == AsyncLoad::WIDTHS[0])
        };
        self.has_route(id) == Some(false) && copies() && !self.products_beside(id).iter().any(is_routed)
    }

    /// The route that is chosen for a load without one.
    fn route(&self, id: OpId, target: Target, forced: Option<ForcedRoute>) -> Option<ThreadRoute> {
        if self.has_route(id) != Some(false) {
            return None;
        }
        let is_possible = || self.in_registers(self.body.op(id).result(0)).is_none();
        match forced {
            Some(ForcedRoute::Direct) => return Some(ThreadRoute::Direct),
            Some(ForcedRoute::Staged) if is_possible() => return Some(ThreadRoute::Staged),
            Some(ForcedRoute::CpAsync | ForcedRoute::Staged | ForcedRoute::Tma) | None => {}
        }
        match self.copy(id, target, forced) {
            Ok(bytes) => Some(ThreadRoute::CpAsync { bytes }),
            Err(_) => self
                .is_multiplied(self.body.op(id).result(0))
                .then_some(ThreadRoute::Staged),
        }
    }

    /// The bytes of the copies by `cp.async` that do a load.
    ///
    /// # Errors
    /// Why there are none.
    fn copy(&self, id: OpId, target: Target, forced: Option<ForcedRoute>) -> Result<u32, Reason> {
        if forced != Some(ForcedRoute::CpAsync) && !self.is_in_loop(id) {
            return Err(Reason::NotInLoop);
        }
        if let Some(user) = self.in_registers(self.body.op(id).result(0)) {
            return Err(Reason::other_use(self.body, user));
        }
        let load = self.asynchronous(id, target).ok_or(Reason::NotInLoop)?;
        load.widest().map_err(|(bytes, refused)| {
            let array = match load.source {
                AsyncSource::Tile { array, .. } => Some(array),
                AsyncSource::Pointers { .. } => None,
            };
            Reason::not_async(array, bytes, refused)
        })
    }

    fn op(&self, id: OpId) -> &'a TileAaOp {
        &self.body.op(id).kind
    }

    /// Whether a load has a route; `None` for other ops.
    fn has_route(&self, id: OpId) -> Option<bool> {
        match self.op(id) {
            TileAaOp::TileAa(TileAaDialect::Load { route, .. }) => Some(route.is_some()),
            TileAaOp::TileAa(TileAaDialect::GatherLoad { route, .. }) => Some(route.is_some()),
            _ => None,
        }
    }

    /// Whether an op is directly in the body of a counted loop that contains products.
    fn is_in_loop(&self, id: OpId) -> bool {
        !self.products_beside(id).is_empty()
    }

    /// The products in the counted loop in whose body an op is.
    fn products_beside(&self, id: OpId) -> Vec<OpId> {
        let around = self.places.block(id).and_then(|block| self.places.around(block));
        let Some(TileAaOp::Scf(ScfOp::For { body: region, .. })) = around.map(|id| self.op(id)) else {
            return Vec::new();
        };
        let inside = self.body.walk_region(*region).into_iter();
        inside
            .filter(|&id| matches!(self.op(id), TileAaOp::TileAa(TileAaDialect::Dot { .. })))
            .collect()
    }

    fn users(&self, tile: Value) -> &[OpId] {
        self.users.get(&tile).map_or(&[], Vec::as_slice)
    }

    /// A use because of which a tile must be in the registers of those that load it: one of several that is no operand of a
    /// product in registers.
    pub(crate) fn in_registers(&self, tile: Value) -> Option<OpId> {
        let several = self.users(tile).len() > 1;
        several.then(|| self.other_use(tile, false)).flatten()
    }

    /// Whether all uses of a tile are operands of products in registers.
    fn is_multiplied(&self, tile: Value) -> bool {
        !self.users(tile).is_empty() && self.other_use(tile, false).is_none()
    }

    /// A use of a tile, which may be rounded already, that is no operand of a product in registers.
    fn other_use(&self, tile: Value, rounded: bool) -> Option<OpId> {
        self.users(tile).iter().find_map(|&user| {
            let result = || self.body.op(user).result(0);
            match self.op(user) {
                TileAaOp::Tile(TileOp::Reshape { .. } | TileOp::Permute { .. }) if !rounded => {
                    self.other_use(result(), false)
                }
                TileAaOp::Arith(ArithOp::FToF { .. })
                    if !rounded && self.bytes(tile) == self.bytes(result()) =>
                {
                    self.other_use(result(), true)
                }
                TileAaOp::TileAa(TileAaDialect::Dot { acc, route: None, .. }) if *acc != tile => None,
                _ => Some(user),
            }
        })
    }

    /// Bytes of an element of a tile, if it fills bytes.
    fn bytes(&self, tile: Value) -> Option<u32> {
        self.body
            .ty(tile)
            .element()
            .and_then(ElementType::scalar)?
            .bytes()
    }

    /// A load as one for `cp.async`; `None` for other ops.
    pub(crate) fn asynchronous(&self, id: OpId, target: Target) -> Option<AsyncLoad<'a>> {
        let TileAaOp::TileAa(own) = self.op(id) else {
            return None;
        };
        let tile = self.body.op(id).result(0);
        let (ordering, source) = match own {
            TileAaDialect::Load { at, ordering, .. } => (
                ordering,
                AsyncSource::Tile {
                    at,
                    array: self.body.ty(at.memref).memref()?,
                    shape: self.body.ty(tile).shape()?,
                },
            ),
            TileAaDialect::GatherLoad {
                mask,
                other,
                ordering,
                access,
                ..
            } => (
                ordering,
                AsyncSource::Pointers {
                    bytes: access.as_ref().map_or(1, |access| access.vector) * self.bytes(tile)?,
                    zeros: mask.is_none()
                        || other.is_none_or(|other| is_zero(self.body, &self.places, other)),
                },
            ),
            _ => return None,
        };
        Some(AsyncLoad {
            target,
            ordering,
            source,
        })
    }
}

/// Whether a tile is the constant whose bits are all 0.
pub(super) fn is_zero(body: &Body<TileAa>, places: &Places<'_, TileAa>, tile: Value) -> bool {
    let definition = places.definition(tile).map(|id| &body.op(id).kind);
    matches!(
        definition,
        Some(TileAaOp::Arith(ArithOp::Constant { value: Dense::Splat(literal) })) if literal.bits == 0
    )
}
