//! The stores that tensor copies can do: the threads put the tile into shared memory, and go on while it is copied.
//!
//! Such a store completes later than the op. In a loop, the next iteration runs meanwhile; its token must order nothing but
//! other stores of this kind, which wait for it, and it must itself come after nothing but these and loads. Outside of loops
//! nothing runs meanwhile, and threads store.
//!
//! Copies to global memory write whole units of [`COPY_UNIT`](tilewright_irs::machine::COPY_UNIT) bytes: the rows of a tile
//! must consist of them, also where the array ends.

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_irs::core::{Func, OpId, Value};
use tilewright_irs::dialects::boxes::Boxes;
use tilewright_irs::dialects::memory::Memref;
use tilewright_irs::dialects::route::StoreRoute;
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::tileaa::{TileAa, TileAaDialect, TileAaOp};

use super::Stores;
use super::loads::{Apart, check_hint};
use crate::program_slice::{Places, Repeats, is_after_loads};
use crate::tileaa::reason::Reason;

/// Bytes of the smallest tile that is stored this way: threads store a smaller one in a few instructions.
const LEAST_BYTES: u64 = 4096;

/// What tensor copies of a function's stores gain.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Gain {
    /// Nothing: no product is by warp groups.
    None,
    /// What they need to be chosen.
    Needed,
    /// It is not asked for: copies are guarded.
    Forced,
}

/// The stores of a function that tensor copies can do, and why others cannot be done so; `users` are the ops that use each value.
pub(super) fn stores(
    func: &Func<TileAa>,
    places: &Places<'_, TileAa>,
    users: &FxHashMap<Value, Vec<OpId>>,
    gain: Gain,
) -> Stores {
    let mut found: Stores = func
        .body
        .walk()
        .into_iter()
        .filter_map(|id| Some((id, candidate(func, places, id, gain)?)))
        .collect();
    let tokens = |stores: FxHashSet<OpId>| Tokens {
        apart: Apart {
            body: &func.body,
            places,
        },
        users,
        stores,
    };
    let possible = found.iter().filter(|(_, found)| found.is_ok());
    let (mut looped, last): (FxHashSet<OpId>, FxHashSet<OpId>) =
        possible.map(|(&id, _)| id).partition(|&id| places.is_in_loop(id));
    let alone = tokens(FxHashSet::default());
    let mut refused: Vec<(OpId, Reason)> = last
        .into_iter()
        .filter_map(|id| Some((id, alone.check(id).err()?)))
        .collect();
    loop {
        let tokens = tokens(looped.clone());
        let before = refused.len();
        for &id in &tokens.stores {
            if let Err(reason) = tokens.check(id) {
                looped.remove(&id);
                refused.push((id, reason));
            }
        }
        if refused.len() == before {
            break;
        }
    }
    found.extend(refused.into_iter().map(|(id, reason)| (id, Err(reason))));
    found
}

/// The copy of a store, apart from its order among other accesses. `None` for other ops, and for stores with a route.
fn candidate(
    func: &Func<TileAa>,
    places: &Places<'_, TileAa>,
    id: OpId,
    gain: Gain,
) -> Option<Result<StoreRoute, Reason>> {
    let TileAaOp::TileAa(TileAaDialect::Store {
        at,
        value,
        ordering,
        allow_tma,
        route: None,
        ..
    }) = &func.body.op(id).kind
    else {
        return None;
    };
    let body = &func.body;
    let array = body.ty(at.memref).memref()?;
    let shape = body.ty(*value).shape()?;
    let apart = Apart { body, places };
    let check = || {
        check_hint(*allow_tma)?;
        if gain == Gain::None {
            return Err(Reason::NoGroupProducts);
        }
        if !ordering.is_weak() {
            return Err(Reason::Order(ordering.order));
        }
        apart.check_array(at)?;
        apart.check_index(at, shape)?;
        let (mut boxes, _) = Boxes::plan(array, &at.dim_map, shape, func.attrs.target)
            .map_err(|refused| Reason::no_boxes(array, refused))?;
        at.check_stored_units(array)
            .map_err(|limit| Reason::vectors(array, limit))?;
        if gain == Gain::Needed {
            check_gain(array, shape, places.is_in_loop(id))?;
        }
        boxes.guarded = gain == Gain::Forced;
        Ok(StoreRoute::Tma(boxes))
    };
    Some(check())
}

/// Checks that a tensor copy is faster than the stores of threads.
fn check_gain(array: &Memref, shape: &[u32], is_in_loop: bool) -> Result<(), Reason> {
    let elements: u64 = shape.iter().map(|&extent| u64::from(extent)).product();
    let each = array.element.bytes().ok_or(Reason::Element(array.element))?;
    let bytes = elements * u64::from(each);
    if bytes < LEAST_BYTES {
        return Err(Reason::SmallTile {
            bytes,
            least: LEAST_BYTES,
        });
    }
    match is_in_loop {
        true => Ok(()),
        false => Err(Reason::NothingMeanwhile),
    }
}

/// The order of candidates among other accesses.
struct Tokens<'a> {
    apart: Apart<'a>,
    users: &'a FxHashMap<Value, Vec<OpId>>,
    stores: FxHashSet<OpId>,
}

impl Tokens<'_> {
    /// Checks that a store comes after nothing but loads and other candidates, and nothing but those after it.
    fn check(&self, id: OpId) -> Result<(), Reason> {
        let op = self.apart.body.op(id);
        let TileAaOp::TileAa(TileAaDialect::Store { ordering, .. }) = &op.kind else {
            return Ok(());
        };
        if !is_after_loads(self.apart.places, self, ordering.after) {
            return Err(Reason::AfterStore);
        }
        match self.orders_stores_only(op.result(0)) {
            true => Ok(()),
            false => Err(Reason::OthersWait),
        }
    }

    /// Whether what comes after a token are candidates only.
    fn orders_stores_only(&self, token: Value) -> bool {
        let mut seen = FxHashSet::default();
        let mut open = vec![token];
        while let Some(token) = open.pop() {
            if !seen.insert(token) {
                continue;
            }
            for &user in self.users.get(&token).into_iter().flatten() {
                if self.stores.contains(&user) {
                    continue;
                }
                match self.handed(user, token) {
                    Some(tokens) => open.extend(tokens),
                    None => return false,
                }
            }
        }
        true
    }

    /// The tokens that an op makes of one of its operands; `None` if the op accesses memory.
    fn handed(&self, user: OpId, token: Value) -> Option<Vec<Value>> {
        let body = self.apart.body;
        let op = body.op(user);
        // The loop or branch that takes the values of a terminator, or of a loop's begin, and the positions of this one.
        let positions = |values: &[Value]| -> Vec<usize> {
            let found = values.iter().enumerate();
            found
                .filter(|(_, value)| **value == token)
                .map(|(at, _)| at)
                .collect()
        };
        let (around, positions) = match &op.kind {
            TileAaOp::TileAa(TileAaDialect::JoinMemTokens { .. }) => return Some(vec![op.result(0)]),
            TileAaOp::Scf(ScfOp::For { inits, .. }) => (user, positions(inits)),
            TileAaOp::Scf(ScfOp::Continue { values } | ScfOp::Yield { values }) => {
                let block = self.apart.places.block(user)?;
                (self.apart.places.around(block)?, positions(values))
            }
            _ => return None,
        };
        let args = match &body.op(around).kind {
            TileAaOp::Scf(ScfOp::For { body: region, .. }) => {
                body.block(body.only_block(*region)?).args.get(1..)?
            }
            TileAaOp::Scf(ScfOp::If { .. }) => &[],
            _ => return None,
        };
        let results: Vec<Value> = body.op(around).results().collect();
        let at = |at: usize| [args.get(at), results.get(at)].into_iter().flatten().copied();
        Some(positions.into_iter().flat_map(at).collect())
    }
}

impl Repeats<TileAa> for Tokens<'_> {
    fn may_repeat(&self, id: OpId) -> bool {
        self.apart.may_repeat(id)
    }

    fn needs(&self, value: Value) -> bool {
        self.apart.needs(value)
    }

    /// Candidates count as loads.
    fn loads_after(&self, id: OpId) -> Option<Vec<Value>> {
        match &self.apart.body.op(id).kind {
            TileAaOp::TileAa(TileAaDialect::Store { ordering, .. }) if self.stores.contains(&id) => {
                Some(ordering.after.into_iter().collect())
            }
            _ => self.apart.loads_after(id),
        }
    }
}
