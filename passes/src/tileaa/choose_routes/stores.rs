//! The stores that tensor copies can do: the threads put the tile into shared memory, and go on while it is copied.
//!
//! Such a store completes later than the op. In a loop, the next iteration runs meanwhile; its token must order nothing but
//! other stores of this kind, which wait for it, and it must itself come after nothing but these and loads. Outside of loops
//! nothing runs meanwhile, but a tensor copy stores partial tiles as fast as full ones, where threads would store element by
//! element: the array's rows may end within a vector. `split_full_tiles` stores full tiles directly, so the token must order
//! nothing, and the store must come after nothing but loads.

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_irs::core::{Func, OpId, Value};
use tilewright_irs::dialects::boxes::Boxes;
use tilewright_irs::dialects::route::StoreRoute;
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::tileaa::{TileAa, TileAaDialect, TileAaOp};

use super::loads::Apart;
use crate::program_slice::{Places, Repeats, is_after_loads};

/// Bytes of the smallest tile that is stored this way: threads store a smaller one in a few instructions.
const LEAST_BYTES: u64 = 4096;

/// Bytes of a thread's widest store.
const VECTOR_BYTES: u32 = 16;

/// The stores of a function that tensor copies can do; `users` are the ops that use each value.
pub(super) fn stores(
    func: &Func<TileAa>,
    places: &Places<'_, TileAa>,
    users: &FxHashMap<Value, Vec<OpId>>,
) -> Vec<(OpId, StoreRoute)> {
    let order = func.body.walk();
    let found: FxHashMap<OpId, StoreRoute> = order
        .iter()
        .filter_map(|&id| Some((id, candidate(func, places, id)?)))
        .collect();
    let tokens = |stores: FxHashSet<OpId>| Tokens {
        apart: Apart {
            body: &func.body,
            places,
        },
        users,
        stores,
    };
    let (mut looped, mut last): (FxHashSet<OpId>, Vec<OpId>) = (FxHashSet::default(), Vec::new());
    for &id in found.keys() {
        match places.is_in_loop(id) {
            true => drop(looped.insert(id)),
            false => last.push(id),
        }
    }
    let alone = tokens(FxHashSet::default());
    last.retain(|&id| alone.allow(id));
    loop {
        let tokens = tokens(looped.clone());
        looped.retain(|&id| tokens.allow(id));
        if looped.len() == tokens.stores.len() {
            break;
        }
    }
    let chosen = |id: &OpId| looped.contains(id) || last.contains(id);
    let in_order = order.into_iter().filter(chosen);
    in_order
        .filter_map(|id| Some((id, found.get(&id)?.clone())))
        .collect()
}

/// The copy of a store, apart from its order among other accesses.
fn candidate(func: &Func<TileAa>, places: &Places<'_, TileAa>, id: OpId) -> Option<StoreRoute> {
    let body = &func.body;
    let TileAaOp::TileAa(TileAaDialect::Store {
        at,
        value,
        ordering,
        allow_tma: None | Some(true),
        route: None,
        ..
    }) = &body.op(id).kind
    else {
        return None;
    };
    let memref = body.ty(at.memref).memref()?;
    // The tensor map is made once, before all loops.
    let made = places.definition(at.memref).and_then(|id| places.block(id));
    if !ordering.is_weak() || made != body.entry() {
        return None;
    }
    let shape = body.ty(*value).shape()?;
    let elements: u64 = shape.iter().map(|&extent| u64::from(extent)).product();
    let bytes = elements * u64::from(memref.element.bytes()?);
    let unit = at
        .dim_map
        .iter()
        .position(|&axis| memref.strides.get(axis as usize) == Some(&Some(1)))?;
    let vector = (VECTOR_BYTES / memref.element.bytes()?).max(1);
    let gains = places.is_in_loop(id) || !at.has_vectors(memref, unit, vector.into());
    let (boxes, _) = Boxes::plan(memref, &at.dim_map, shape, func.attrs.target).ok()?;
    (gains && bytes >= LEAST_BYTES).then_some(StoreRoute::Tma(boxes))
}

/// The order of candidates among other accesses.
struct Tokens<'a> {
    apart: Apart<'a>,
    users: &'a FxHashMap<Value, Vec<OpId>>,
    stores: FxHashSet<OpId>,
}

impl Tokens<'_> {
    /// Whether a store comes after nothing but loads and other candidates, and nothing but those after it.
    fn allow(&self, id: OpId) -> bool {
        let op = self.apart.body.op(id);
        let TileAaOp::TileAa(TileAaDialect::Store { ordering, .. }) = &op.kind else {
            return false;
        };
        is_after_loads(self.apart.places, self, ordering.after) && self.orders_stores_only(op.result(0))
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
    fn scf(op: &TileAaOp) -> Option<&ScfOp> {
        Apart::scf(op)
    }

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
