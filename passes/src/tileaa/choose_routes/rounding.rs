//! Loads that round. Tensor copies can give numbers of type `f32` as the nearest ones of type `tf32`: a tile that products read as
//! `tf32` in shared memory is there at once, and passes through no registers on its way.

use std::borrow::Cow;

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_irs::core::{Body, Func, OpId, Operation, Region, SideTable, Value, ValueType};
use tilewright_irs::dialects::arith::{ArithOp, FloatRounding};
use tilewright_irs::dialects::route::{OperandPlace, ProductRoute};
use tilewright_irs::dialects::tile::TileOp;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::tileaa::{TileAa, TileAaDialect, TileAaOp};

use super::Decided;
use crate::cleanup::substitute::Substitute;
use crate::uses::users_of;

const F32: ElementType = ElementType::Scalar(ScalarType::F32);
const TF32: ElementType = ElementType::Scalar(ScalarType::TF32);

/// The loads of a function that round.
pub(super) struct Rounding {
    loads: FxHashSet<OpId>,
    /// The loads that would, if products could read their tiles in shared memory.
    pub(super) turned: FxHashSet<OpId>,
}

impl Rounding {
    /// The loads whose tiles have no other use than to be rounded, to nearest even, for products of two such tiles.
    pub(super) fn of(func: &Func<TileAa>) -> Self {
        let mut loads = FxHashSet::default();
        if func.body.ops().any(|(id, _)| rounds(&func.body, id).is_some()) {
            let uses = Uses::of(&func.body);
            let found = uses.products.values().flatten().copied();
            loads = found
                .filter(|&id| uses.is_only_multiplied(func.body.op(id).result(0), false))
                .collect();
        }
        Self {
            loads,
            turned: FxHashSet::default(),
        }
    }

    /// The function in which the loads give tiles of `tf32`, without the conversions. The handles of its ops are those of the
    /// function without.
    pub(super) fn applied<'a>(&self, func: &'a Func<TileAa>) -> Cow<'a, Func<TileAa>> {
        if self.loads.is_empty() {
            return Cow::Borrowed(func);
        }
        let mut func = func.clone();
        let mut rewrite = Rewrite {
            loads: &self.loads,
            rounded: FxHashSet::default(),
            replaced: func.body.value_table(),
            body: func.body,
        };
        rewrite.region(rewrite.body.root());
        rewrite
            .body
            .follow_replaced(|value| rewrite.replaced.get(value).copied());
        func.body = rewrite.body;
        Cow::Owned(func)
    }

    /// Keeps the loads that tensor copies do, for products that read both operands in shared memory, or that are turned, by what was
    /// decided for the function in which they round. Whether these are all.
    ///
    /// A product that reads one there, while threads turn the other for the next one and store it, would hold the stage of the first
    /// and wait for that of the second: a ring would need a stage more for as many loads under way.
    pub(super) fn keep(&mut self, func: &Func<TileAa>, decided: Option<&Decided>) -> bool {
        let body = &func.body;
        let before = self.loads.len();
        let is_copied = |id: &OpId| Some(decided?.loads.get(id)?.as_ref().ok()?.0.boxes().is_some());
        self.loads.retain(|id| is_copied(id) == Some(true));
        let definitions = body.definitions();
        for id in body.walk() {
            let TileAaOp::TileAa(TileAaDialect::Dot { a, b, .. }) = &body.op(id).kind else {
                continue;
            };
            let chosen = decided.and_then(|decided| decided.products.get(&id)?.as_ref().ok());
            let route = chosen.map(|chosen| chosen.route);
            let places = route.map_or([None; 2], |ProductRoute::Wgmma { a, b, .. }| [Some(a), Some(b)]);
            let is_turned = matches!(route, Some(ProductRoute::Wgmma { turned: true, .. }));
            if is_turned || places == [Some(OperandPlace::Shared); 2] {
                continue;
            }
            for (operand, place) in [*a, *b].into_iter().zip(places) {
                if let Some(load) = viewed(body, &definitions, operand)
                    && self.loads.remove(&load)
                    && place == Some(OperandPlace::Registers)
                {
                    self.turned.insert(load);
                }
            }
        }
        self.loads.len() == before
    }
}

/// The source of an op that rounds a tile of `f32` to `tf32` as tensor copies do.
fn rounds(body: &Body<TileAa>, id: OpId) -> Option<Value> {
    let op = body.op(id);
    let TileAaOp::Arith(ArithOp::FToF {
        source,
        rounding: FloatRounding::NearestEven,
    }) = &op.kind
    else {
        return None;
    };
    let is_rounding =
        body.ty(*source).element() == Some(F32) && body.ty(op.result(0)).element() == Some(TF32);
    is_rounding.then_some(*source)
}

/// The op that defines the tile of which another one is a view.
fn viewed(body: &Body<TileAa>, definitions: &SideTable<Value, OpId>, tile: Value) -> Option<OpId> {
    let id = *definitions.get(tile)?;
    match &body.op(id).kind {
        TileAaOp::Tile(TileOp::Reshape { source } | TileOp::Permute { source, .. }) => {
            viewed(body, definitions, *source)
        }
        _ => Some(id),
    }
}

/// The uses of tiles in products.
struct Uses<'a> {
    body: &'a Body<TileAa>,
    users: FxHashMap<Value, Vec<OpId>>,
    /// The products of two loaded tiles that are rounded, with the loads.
    products: FxHashMap<OpId, [OpId; 2]>,
}

impl<'a> Uses<'a> {
    fn of(body: &'a Body<TileAa>) -> Self {
        let definitions = body.definitions();
        let load = |operand: Value| {
            let source = rounds(body, viewed(body, &definitions, operand)?)?;
            let load = viewed(body, &definitions, source)?;
            let is_load = matches!(
                body.op(load).kind,
                TileAaOp::TileAa(TileAaDialect::Load { route: None, .. })
            );
            is_load.then_some(load)
        };
        let product = |id: OpId| match &body.op(id).kind {
            TileAaOp::TileAa(TileAaDialect::Dot {
                a, b, route: None, ..
            }) => Some((id, [load(*a)?, load(*b)?])),
            _ => None,
        };
        Self {
            body,
            users: users_of(body),
            products: body.walk().into_iter().filter_map(product).collect(),
        }
    }

    /// Whether all uses of a tile, which is of `tf32` if it `is_rounded`, lead to such products.
    fn is_only_multiplied(&self, tile: Value, is_rounded: bool) -> bool {
        let mut users = self.users.get(&tile).into_iter().flatten();
        users.all(|&user| match &self.body.op(user).kind {
            TileAaOp::Tile(TileOp::Reshape { .. } | TileOp::Permute { .. }) => {
                self.is_only_multiplied(self.body.op(user).result(0), is_rounded)
            }
            TileAaOp::TileAa(TileAaDialect::Dot { .. }) => is_rounded && self.products.contains_key(&user),
            _ => {
                rounds(self.body, user).is_some()
                    && self.is_only_multiplied(self.body.op(user).result(0), true)
            }
        })
    }
}

/// Makes loads round.
struct Rewrite<'a> {
    body: Body<TileAa>,
    loads: &'a FxHashSet<OpId>,
    /// The tiles of such loads, and views of them.
    rounded: FxHashSet<Value>,
    /// What takes the place of the conversions.
    replaced: SideTable<Value, Value>,
}

impl Rewrite<'_> {
    fn region(&mut self, region: Region) {
        for block in self.body.region(region).blocks.clone() {
            let mut ops = self.body.block(block).ops.clone();
            ops.retain(|&id| self.op(id));
            self.body.arrange_ops(block, ops);
        }
    }

    /// Rewrites an op; whether it stays.
    fn op(&mut self, id: OpId) -> bool {
        let op = self.body.op_mut(id);
        op.kind.remap(&mut Substitute(&self.replaced));
        let regions = op.kind.region_list();
        let is_rounded = match &op.kind {
            TileAaOp::TileAa(TileAaDialect::Load { .. }) => self.loads.contains(&id),
            TileAaOp::Tile(TileOp::Reshape { source } | TileOp::Permute { source, .. }) => {
                self.rounded.contains(source)
            }
            TileAaOp::Arith(ArithOp::FToF { source, .. }) if self.rounded.contains(source) => {
                let (result, source) = (op.result(0), *source);
                self.replaced.set(result, source);
                return false;
            }
            _ => false,
        };
        if is_rounded {
            let tile = op.result(0);
            let ty = self.body.ty(tile).with_element(TF32);
            self.body.set_ty(tile, ty);
            self.rounded.insert(tile);
        }
        for region in regions {
            self.region(region);
        }
        true
    }
}
