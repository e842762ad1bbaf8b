//! Chooses how matrix products and the loads of their operands use the machine. `tileaa` to `tileaa`.
//!
//! In: any function, with facts in its types. Out: the same function, where
//!
//! - a product that `wgmma` can compute has the `route` `wgmma`, with the columns of an instruction and the places of A and B:
//!   shared memory for a tile that is loaded for products only, in a layout that descriptors can express; else registers. B in
//!   registers is computed from such loads or from sums of products, element by element, or with 128 rows or more from several tiles
//!   that tensor copies can load, and then stored to shared memory; or the product is `turned`, if its elements are no 16 bits, B is along N and A along K: threads load B as the left
//!   operand of the transposed product. Warp groups without rows of their own share the columns;
//! - a load whose tile goes to shared memory for such products, or is read from there for their operands in registers, has the
//!   route `tma`, with its box and swizzle;
//! - such a load that tensor copies cannot do, or that is through pointers, has the route `cp_async<16>` (`copies`);
//! - a store of a large tile, in a function with such loads, has the route `tma` too (`stores`);
//! - without products, the loads of persistent loops have the route `tma` (`streams`).
//!
//! All others stay without a route, and go through registers.
//!
//! A load takes the route `tma` if a tensor map can describe the array (alignment and strides by its facts), padding is zero, and
//! other warps than those that compute can issue it: it is weak and ordered after no store and no atomic access, its index
//! follows from counters, parameters and scalars, and no iteration of a loop around it ends early. It takes the route `cp_async<16>`
//! if 16 bytes at a time are contiguous, aligned and masked together, and each thread has some. The tile, views of it
//! (`tile.reshape`, `tile.permute`), and what is computed from it element by element, must have no other use than such products.
//! Threads read others from shared memory to registers, whatever they are used for: a tile from which, with others, they compute an
//! operand; and any tile of a loop with such products that gives each thread a vector, if [`GOOD_STAGES`] of all fit.
//!
//! A tile of `f32` that is only rounded to `tf32`, for products that read it in shared memory or are turned, is rounded by the tensor
//! copy: the load gives a tile of `tf32`, and the conversion goes (`rounding`).
//!
//! A product of 8-bit floats that is not `fast` takes twice the registers: `legalize_products` gives each tile of it a sum of its
//! own, if that has at most 128 products.
//!
//! A load that products and other ops use becomes two if products then have routes (`other_uses`): the tile of one stays in shared
//! memory, that of the other one goes to registers.
//!
//! A function is left alone where the accumulators or the tiles would not fit, or where a kernel may return in a loop: its agents
//! end together.

mod copies;
mod loads;
mod other_uses;
mod products;
mod room;
mod rounding;
mod stores;
mod streams;
mod warps;

use std::borrow::Cow;

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_irs::core::{Body, Func, OpId, Operation, Term, TermCodec, Value, term_text};
use tilewright_irs::cuda_tile::Hint;
use tilewright_irs::dialects::arith::ArithOp;
use tilewright_irs::dialects::boxes::Boxes;
use tilewright_irs::dialects::route::{CopyRoute, ForcedRoute, ProductRoute, StoreRoute};
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::dialects::tile::TileOp;
use tilewright_irs::isa::WgmmaShape;
use tilewright_irs::machine::GROUP_WARPS;
use tilewright_irs::tileaa::{TileAa, TileAaDialect, TileAaOp};
use tilewright_irs::tileas::Buffer;

use super::reason::{Explanation, FasterRoute, Reason, Subject};
use crate::hints::{Cause, HintUse, Warned};
use crate::program_slice::Places;
use crate::uses::users_of;
pub(crate) use products::is_of_sums;
use rounding::Rounding;
use stores::Gain;
pub(crate) use warps::computing_warps;

/// Rows of `wgmma`.
pub(super) const ROWS: u32 = WgmmaShape::ROWS;
/// The most columns of `wgmma`.
pub(super) const MAX_COLUMNS: u32 = 256;
/// The most warps that compute: with another group that loads, each thread has the registers below.
pub(crate) const MAX_WARPS: u32 = 2 * GROUP_WARPS;
/// The most warps of a block without products, if no hint asks for more.
pub(crate) const MAX_CHOSEN_WARPS: u32 = 16;
/// 32-bit registers of a thread for accumulators, and for the sum of one product beside its accumulator, which lives as long as the
/// product takes.
const ACCUMULATOR_REGISTERS: u64 = 192;
/// Stages of a buffer that must fit into shared memory.
pub(super) const LEAST_STAGES: u64 = 2;
/// Those that must fit for tiles that no product reads to take some of it.
const GOOD_STAGES: u64 = 3;

/// Chooses the routes of a function. With a forced one, the loads and stores that can take it do: for `tma`, those that are not
/// operands of products, too; for the others there are no tensor copies, and so no products by `wgmma`.
pub fn choose_routes(func: &Func<TileAa>, forced: Option<ForcedRoute>) -> Warned<Func<TileAa>> {
    let Settled { func, decided, .. } = Settled::of(func, forced);
    let hints = hints(&func, &decided);
    let mut func = func.into_owned();
    let Ok(decided) = decided else {
        return Warned { func, hints };
    };
    for (id, chosen) in decided.loads {
        match (&mut func.body.op_mut(id).kind, chosen) {
            (TileAaOp::TileAa(TileAaDialect::Load { route, .. }), Ok((chosen, _))) => *route = Some(chosen),
            (
                TileAaOp::TileAa(TileAaDialect::GatherLoad { route, .. }),
                Ok((CopyRoute::Threads(chosen), _)),
            ) => *route = Some(chosen),
            _ => {}
        }
    }
    for (id, chosen) in decided.stores {
        if let (TileAaOp::TileAa(TileAaDialect::Store { route, .. }), Ok(chosen)) =
            (&mut func.body.op_mut(id).kind, chosen)
        {
            *route = Some(chosen);
        }
    }
    for (id, chosen) in decided.products {
        if let (TileAaOp::TileAa(TileAaDialect::Dot { route, .. }), Ok(chosen)) =
            (&mut func.body.op_mut(id).kind, chosen)
        {
            *route = Some(chosen.route);
        }
    }
    func.body = func.body.renumbered();
    Warned { func, hints }
}

/// What is decided for a function with loads that round.
struct Settled<'a> {
    func: Cow<'a, Func<TileAa>>,
    /// As [`decided`] says it.
    decided: Result<Decided, Option<Reason>>,
    /// The loads that do not round since products cannot read their tiles in shared memory as they are.
    turned: FxHashSet<OpId>,
}

impl<'a> Settled<'a> {
    /// Where more products have routes if other ops than products get loads of their own, they do.
    fn of(func: &'a Func<TileAa>, forced: Option<ForcedRoute>) -> Self {
        let plain = Self::as_loaded(func, forced);
        let (routed, products) = plain.products();
        if routed == products {
            return plain;
        }
        let Some(apart) = other_uses::with_loads_apart(func, &Places::of(&func.body)) else {
            return plain;
        };
        let apart = Settled::as_loaded(&apart, forced);
        match apart.products().0 > routed {
            true => Self {
                func: Cow::Owned(apart.func.into_owned()),
                decided: apart.decided,
                turned: apart.turned,
            },
            false => plain,
        }
    }

    /// The products that have routes, and all.
    fn products(&self) -> (usize, usize) {
        let products = self.func.body.ops();
        let products =
            products.filter(|(_, op)| matches!(op.kind, TileAaOp::TileAa(TileAaDialect::Dot { .. })));
        let routed = self.decided.iter().flat_map(|decided| decided.products.values());
        (routed.filter(|chosen| chosen.is_ok()).count(), products.count())
    }

    fn as_loaded(func: &'a Func<TileAa>, forced: Option<ForcedRoute>) -> Self {
        let mut rounding = Rounding::of(func);
        loop {
            let rounded = rounding.applied(func);
            let decided = decided(&rounded, &Places::of(&rounded.body), forced);
            if rounding.keep(&rounded, decided.as_ref().ok()) {
                return Self {
                    func: rounded,
                    decided,
                    turned: rounding.turned,
                };
            }
        }
    }
}

/// What is decided for a function.
///
/// # Errors
/// There is nothing to choose (`None`), or the reason why the whole function is left alone.
fn decided(
    func: &Func<TileAa>,
    places: &Places<'_, TileAa>,
    forced: Option<ForcedRoute>,
) -> Result<Decided, Option<Reason>> {
    let by_threads = forced.is_none();
    let chosen = || Chooser::of(func, places, by_threads).and_then(|chooser| chooser.decide());
    match forced {
        None => match chosen() {
            // There are no products.
            Err(None) => streams::streams(func, places),
            chosen => chosen,
        },
        Some(ForcedRoute::Tma) => {
            let mut decided = chosen().unwrap_or_default();
            decided.force(func, places);
            Ok(decided)
        }
        Some(ForcedRoute::CpAsync | ForcedRoute::Staged | ForcedRoute::Direct) => Err(None),
    }
}

/// What is made of the hints `allow_tma = true`: an access is copied so, or cannot be since the target has no such copies or facts
/// forbid them, or is not since nothing is gained.
fn hints(func: &Func<TileAa>, decided: &Result<Decided, Option<Reason>>) -> Vec<HintUse> {
    let lacking = Boxes::check_target(func.attrs.target)
        .map_err(Reason::refused)
        .err();
    let of_access = |id: OpId| {
        let op = func.body.op(id);
        let TileAaOp::TileAa(own) = &op.kind else {
            return None;
        };
        let (is_copied, refused, otherwise) = match own {
            TileAaDialect::Load {
                allow_tma: Some(true),
                route,
                ..
            } => {
                let found = decided.as_ref().ok().and_then(|decided| decided.loads.get(&id));
                let chosen = found
                    .and_then(|found| found.as_ref().ok())
                    .map(|(chosen, _)| chosen);
                let copied = decided.as_ref().ok().and_then(|decided| decided.copied.get(&id));
                (
                    route
                        .as_ref()
                        .or(chosen)
                        .is_some_and(|route| route.boxes().is_some()),
                    copied.or_else(|| found?.as_ref().err()),
                    Reason::NoProduct,
                )
            }
            TileAaDialect::Store {
                allow_tma: Some(true),
                route,
                ..
            } => {
                let found = decided.as_ref().ok().and_then(|decided| decided.stores.get(&id));
                (
                    route.is_some() || found.is_some_and(Result::is_ok),
                    found.and_then(|found| found.as_ref().err()),
                    Reason::NoGroupProducts,
                )
            }
            _ => return None,
        };
        let whole = decided.as_ref().err().and_then(Option::as_ref);
        let reason = lacking.as_ref().or(refused).or(whole).unwrap_or(&otherwise);
        Some(HintUse {
            origin: op.origin,
            hint: Hint::AllowTma.into(),
            asked: Some(1),
            used: is_copied.into(),
            why: reason.to_string(),
            cause: match reason.is_of_target() || reason.is_of_facts() {
                true => Cause::Forbidden,
                false => Cause::Free,
            },
        })
    };
    func.body.walk().into_iter().filter_map(of_access).collect()
}

/// Explains the routes that [`choose_routes`] chooses for a function: of each product, of each load that could be one's operand,
/// and of each store of a kernel with products, in the order of the ops. An op whose route a person wrote has no explanation.
pub fn explain_routes(func: &Func<TileAa>, forced: Option<ForcedRoute>) -> Vec<Explanation> {
    let Settled {
        func,
        decided,
        turned,
    } = Settled::of(func, forced);
    let text = |term: Term| term_text(&term);
    let explained = |id: OpId| {
        let TileAaOp::TileAa(own) = &func.body.op(id).kind else {
            return None;
        };
        let (subject, route, made) = match own {
            TileAaDialect::Dot { route: None, .. } => (
                Subject::Product,
                FasterRoute::Wgmma,
                decided.as_ref().map(|decided| {
                    let chosen = decided.products.get(&id)?.as_ref();
                    Some(chosen.map(|chosen| text(chosen.route.write())))
                }),
            ),
            TileAaDialect::Load { route: None, .. } => (
                Subject::Load,
                FasterRoute::Tma,
                decided.as_ref().map(|decided| match decided.copied.get(&id) {
                    Some(reason) => Some(Err(reason)),
                    None => {
                        let chosen = decided.loads.get(&id)?.as_ref();
                        Some(chosen.map(|(route, _)| text(route.write())))
                    }
                }),
            ),
            TileAaDialect::Store { route: None, .. } => (
                Subject::Store,
                FasterRoute::Tma,
                decided.as_ref().map(|decided| {
                    let chosen = decided.stores.get(&id)?.as_ref();
                    Some(chosen.map(|route| text(route.write())))
                }),
            ),
            _ => return None,
        };
        let outcome = match (made, subject) {
            (Ok(found), _) => found?.map_err(Clone::clone),
            (Err(Some(_)), Subject::Store) => Err(Reason::NoGroupProducts),
            (Err(whole), _) => Err(whole.clone()?),
        };
        Some(Explanation {
            origin: func.body.op(id).origin,
            subject,
            route,
            outcome,
        })
    };
    // Why others are not copied by threads is explained with the loads for products in registers.
    let copied = |id: OpId| {
        let chosen = decided.as_ref().ok()?.loads.get(&id)?.as_ref();
        let (route @ CopyRoute::Threads(_), _) = chosen.ok()? else {
            return None;
        };
        Some(Explanation {
            origin: func.body.op(id).origin,
            subject: Subject::Load,
            route: FasterRoute::CpAsync,
            outcome: Ok(text(route.write())),
        })
    };
    let converted = |id: OpId| {
        let (route, _) = decided.as_ref().ok()?.loads.get(&id)?.as_ref().ok()?;
        (turned.contains(&id) && route.boxes().is_some()).then(|| Explanation {
            origin: func.body.op(id).origin,
            subject: Subject::Load,
            route: FasterRoute::Rounding,
            outcome: Err(Reason::NotAlongK),
        })
    };
    let all = |id: OpId| [explained(id), copied(id), converted(id)].into_iter().flatten();
    func.body.walk().into_iter().flat_map(all).collect()
}

/// Whether a product of a body has a route.
pub(crate) fn has_routes(body: &Body<TileAa>) -> bool {
    body.ops().any(|(_, op)| {
        matches!(
            op.kind,
            TileAaOp::TileAa(TileAaDialect::Dot { route: Some(_), .. })
        )
    })
}

/// The loads that may go to shared memory, with their routes and the type of the tile there, and why others may not.
type Loads = FxHashMap<OpId, Result<(CopyRoute, Buffer), Reason>>;

/// The stores that tensor copies can do, and why others cannot be done so.
type Stores = FxHashMap<OpId, Result<StoreRoute, Reason>>;

/// The products, and why they have no route.
type Products = FxHashMap<OpId, Result<Chosen, Reason>>;

/// What is decided for a function.
#[derive(Default)]
struct Decided {
    loads: Loads,
    /// Why tensor copies cannot do the loads that threads do instead.
    copied: FxHashMap<OpId, Reason>,
    stores: Stores,
    products: Products,
}

impl Decided {
    /// Has all loads and stores done by tensor copies that can be, whether that is faster or not.
    fn force(&mut self, func: &Func<TileAa>, places: &Places<'_, TileAa>) {
        let body = &func.body;
        let returns_once = returns_once(body);
        for (id, forced) in loads::possible(func, places) {
            match self.loads.get(&id) {
                Some(Ok(_)) => {}
                Some(Err(_)) | None => drop(self.loads.insert(id, returns_once.clone().and(forced))),
            }
        }
        let users = users_of(body);
        self.stores = stores::stores(func, places, &users, Gain::Forced);
    }
}

/// Checks that a kernel returns in one place only.
fn returns_once(body: &Body<TileAa>) -> Result<(), Reason> {
    let is_return = |id: &OpId| matches!(body.op(*id).kind, TileAaOp::Scf(ScfOp::Return {}));
    match body.walk().iter().filter(|id| is_return(id)).count() {
        1 => Ok(()),
        returns => Err(Reason::Returns(returns)),
    }
}

/// A product with a route.
struct Chosen {
    route: ProductRoute,
    /// The loads to shared memory from which its operands are read.
    loads: Vec<OpId>,
    /// Bytes of shared memory to which threads store B.
    stored: u64,
    /// 32-bit registers of its accumulator, of all threads, unless that is another product's.
    registers: u64,
    /// Those of a sum of its own beside that.
    own: u64,
}

struct Chooser<'a> {
    func: &'a Func<TileAa>,
    places: &'a Places<'a, TileAa>,
    warps: u32,
    users: FxHashMap<Value, Vec<OpId>>,
    products: Vec<OpId>,
    /// Whether threads may copy tiles of arrays.
    by_threads: bool,
}

impl<'a> Chooser<'a> {
    /// # Errors
    /// There is nothing to choose: there are no products (`None`), or the reason why none has a route.
    fn of(
        func: &'a Func<TileAa>,
        places: &'a Places<'a, TileAa>,
        by_threads: bool,
    ) -> Result<Self, Option<Reason>> {
        let body = &func.body;
        let is_open = |op: &TileAaOp| matches!(op, TileAaOp::TileAa(TileAaDialect::Dot { route: None, .. }));
        let mut products = body.walk();
        products.retain(|&id| is_open(&body.op(id).kind));
        if products.is_empty() {
            return Err(None);
        }
        returns_once(body).map_err(Some)?;
        Ok(Self {
            func,
            places,
            warps: computing_warps(func, places),
            users: users_of(body),
            products,
            by_threads,
        })
    }

    /// # Errors
    /// The reason why the whole function is left alone.
    fn decide(&self) -> Result<Decided, Option<Reason>> {
        let mut loads = loads::candidates(self.func, self.places);
        let possible = loads.clone();
        let mut copied: FxHashMap<OpId, Reason> = FxHashMap::default();
        for (id, made) in copies::candidates(self.func, self.places, self.warps) {
            match (loads.get(&id), &made) {
                (None, _) => drop(loads.insert(id, made)),
                (Some(Err(reason)), Ok(_)) if self.by_threads => {
                    copied.insert(id, reason.clone());
                    loads.insert(id, made);
                }
                // Why tensor copies cannot do it says more than why threads cannot.
                _ => {}
            }
        }
        let products = loop {
            let products: Products = self
                .products
                .iter()
                .map(|&id| (id, self.product(id, &loads, &possible)))
                .collect();
            let used: FxHashSet<OpId> = products
                .values()
                .flatten()
                .flat_map(|chosen| chosen.loads.iter().copied())
                .collect();
            let mut refused = false;
            for (&load, chosen) in loads.iter_mut().filter(|(_, chosen)| chosen.is_ok()) {
                let tile = self.func.body.op(load).result(0);
                let checked = match used.contains(&load) {
                    true => self.is_only_multiplied(tile, load, &products),
                    false => Err(Reason::NoProduct),
                };
                if let Err(reason) = checked {
                    *chosen = Err(copied.remove(&load).unwrap_or(reason));
                    refused = true;
                }
            }
            if !refused {
                break products;
            }
        };
        let has_routes = products.values().any(Result::is_ok);
        if has_routes {
            let read = self.read_for(&products, &possible);
            let beside = self.read_beside(&products, &possible);
            let with_read = with(&loads, &read);
            let with_all = with(&with_read, &beside);
            loads = if self.fits(&with_all, &products, GOOD_STAGES).is_ok() {
                with_all
            } else if self.fits(&with_read, &products, LEAST_STAGES).is_ok() {
                with_read
            } else {
                self.fits(&loads, &products, LEAST_STAGES).map_err(Some)?;
                loads
            };
        }
        Ok(Decided {
            stores: stores::stores(
                self.func,
                self.places,
                &self.users,
                match has_routes {
                    true => Gain::Needed,
                    false => Gain::None,
                },
            ),
            loads,
            copied,
            products,
        })
    }

    fn op(&self, id: OpId) -> &'a TileAaOp {
        &self.func.body.op(id).kind
    }

    /// Checks that all uses of a tile or of views of it are operands of products that read it from shared memory.
    fn is_only_multiplied(&self, tile: Value, load: OpId, products: &Products) -> Result<(), Reason> {
        let users = self.users.get(&tile).map_or(&[][..], Vec::as_slice);
        users.iter().try_for_each(|&user| match self.op(user) {
            TileAaOp::Tile(TileOp::Reshape { .. } | TileOp::Permute { .. }) => {
                self.is_only_multiplied(self.func.body.op(user).result(0), load, products)
            }
            TileAaOp::Arith(op) if is_of_one_tile(op) => {
                self.is_only_multiplied(self.func.body.op(user).result(0), load, products)
            }
            TileAaOp::TileAa(TileAaDialect::Dot { acc, .. })
                if *acc != tile
                    && matches!(products.get(&user), Some(Ok(chosen)) if chosen.loads.contains(&load)) =>
            {
                Ok(())
            }
            _ => Err(Reason::other_use(&self.func.body, user)),
        })
    }
}

/// Loads, with others among them.
fn with(loads: &Loads, others: &Loads) -> Loads {
    let all = loads.iter().chain(others);
    all.map(|(&id, chosen)| (id, chosen.clone())).collect()
}

/// Whether an op computes a tile from one other, element by element.
pub(crate) fn is_of_one_tile(op: &ArithOp) -> bool {
    op.is_pure() && op.operand_list().len() == 1
}
