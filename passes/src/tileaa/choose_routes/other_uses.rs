//! Loads that products and other ops use: the others get a load of their own, so that the tile of the first can stay in shared memory.

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_irs::core::{Block, Body, Func, OpId, Operation, Remap, Value};
use tilewright_irs::dialects::tile::TileOp;
use tilewright_irs::tileaa::{TileAa, TileAaDialect, TileAaOp, TileAaType};

use super::is_of_one_tile;
use crate::program_slice::Places;
use crate::tileaa::early_loads::is_weak_load_to_registers;
use crate::uses::users_of;

/// The function with two loads for each one whose tile products and other ops use; `None` if there are none.
///
/// Both read the same, since no store is ordered between them. What is ordered after the first one is ordered after both.
pub(super) fn with_loads_apart(func: &Func<TileAa>, places: &Places<'_, TileAa>) -> Option<Func<TileAa>> {
    let users = users_of(&func.body);
    let uses = Uses {
        body: &func.body,
        users: &users,
    };
    let is_used_by_both = |id: &OpId| {
        let op = func.body.op(*id);
        let is_load = matches!(op.kind, TileAaOp::TileAa(TileAaDialect::Load { .. }));
        is_load && is_weak_load_to_registers(&op.kind) && uses.of(op.result(0)) == Kinds::BOTH
    };
    let mut loads = func.body.walk();
    loads.retain(is_used_by_both);
    if loads.is_empty() {
        return None;
    }
    let mut split = Split {
        body: func.body.clone(),
        places,
        uses,
        added: FxHashMap::default(),
    };
    for load in loads {
        split.load(load);
    }
    let blocks: FxHashSet<Block> = split.added.keys().filter_map(|&id| places.block(id)).collect();
    for block in blocks {
        let old = func.body.block(block).ops.iter();
        let order = old.flat_map(|&id| {
            let added = split.added.get(&id).into_iter().flatten().copied();
            std::iter::once(id).chain(added)
        });
        let order = order.collect();
        split.body.arrange_ops(block, order);
    }
    let mut func = func.clone();
    func.body = split.body.renumbered();
    Some(func)
}

/// What uses a tile, views of it, and what is computed from it alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Kinds {
    products: bool,
    others: bool,
}

impl Kinds {
    const BOTH: Self = Self {
        products: true,
        others: true,
    };
}

/// The uses of tiles.
#[derive(Clone, Copy)]
struct Uses<'a> {
    body: &'a Body<TileAa>,
    users: &'a FxHashMap<Value, Vec<OpId>>,
}

impl<'a> Uses<'a> {
    fn users(self, value: Value) -> &'a [OpId] {
        self.users.get(&value).map_or(&[], Vec::as_slice)
    }

    /// The tile that an op makes of another one alone, element by element or as a view of it.
    fn made(self, user: OpId) -> Option<Value> {
        let op = self.body.op(user);
        match &op.kind {
            TileAaOp::Tile(TileOp::Reshape { .. } | TileOp::Permute { .. }) => Some(op.result(0)),
            TileAaOp::Arith(arith) if is_of_one_tile(arith) => Some(op.result(0)),
            _ => None,
        }
    }

    /// Whether an op is a product of a tile.
    fn multiplies(self, user: OpId, tile: Value) -> bool {
        matches!(&self.body.op(user).kind, TileAaOp::TileAa(TileAaDialect::Dot { acc, .. }) if *acc != tile)
    }

    fn of(self, tile: Value) -> Kinds {
        let mut kinds = Kinds::default();
        for &user in self.users(tile) {
            let found = match self.made(user) {
                Some(made) => self.of(made),
                None => {
                    let products = self.multiplies(user, tile);
                    Kinds {
                        products,
                        others: !products,
                    }
                }
            };
            kinds.products |= found.products;
            kinds.others |= found.others;
        }
        kinds
    }
}

/// Adds the loads.
struct Split<'a> {
    body: Body<TileAa>,
    places: &'a Places<'a, TileAa>,
    /// The uses in the function as it was.
    uses: Uses<'a>,
    /// What is to follow an op.
    added: FxHashMap<OpId, Vec<OpId>>,
}

impl Split<'_> {
    /// Adds a load that is equal to another one, for the uses of its tile that are no products.
    fn load(&mut self, load: OpId) {
        let Some(own) = self.copy(load, None) else {
            return;
        };
        let [token, of_own] = [load, own].map(|id| self.body.op(id).result(1));
        if !self.uses.users(token).is_empty() {
            let kind = TileAaDialect::JoinMemTokens {
                tokens: vec![token, of_own],
            };
            let ty = self.body.ty(token).clone();
            if let Some(both) = self.add(load, kind.into(), vec![ty]) {
                let both = self.body.op(both).result(0);
                for &user in self.uses.users(token) {
                    self.replace(user, token, both);
                }
            }
        }
    }

    /// Adds an op after another one that makes the same of another operand, and has the uses of its tile that are no products use it.
    fn copy(&mut self, id: OpId, operand: Option<(Value, Value)>) -> Option<OpId> {
        let mut kind = self.body.op(id).kind.clone();
        if let Some((old, new)) = operand {
            kind.remap(&mut Instead { old, new });
        }
        let types = self
            .body
            .op(id)
            .results()
            .map(|result| self.body.ty(result).clone());
        let types = types.collect();
        let copy = self.add(id, kind, types)?;
        let [old, new] = [id, copy].map(|id| self.body.op(id).result(0));
        for &user in self.uses.users(old) {
            match self.uses.made(user).map(|made| self.uses.of(made)) {
                Some(Kinds::BOTH) => drop(self.copy(user, Some((old, new)))),
                Some(Kinds { others: true, .. }) => self.replace(user, old, new),
                None if !self.uses.multiplies(user, old) => self.replace(user, old, new),
                Some(_) | None => {}
            }
        }
        Some(copy)
    }

    fn add(&mut self, after: OpId, kind: TileAaOp, types: Vec<TileAaType>) -> Option<OpId> {
        let block = self.places.block(after)?;
        let origin = self.body.op(after).origin;
        let id = self.body.add_op(block, kind, types, origin, ());
        self.added.entry(after).or_default().push(id);
        Some(id)
    }

    fn replace(&mut self, user: OpId, old: Value, new: Value) {
        self.body.op_mut(user).kind.remap(&mut Instead { old, new });
    }
}

/// One value in place of another one.
struct Instead {
    old: Value,
    new: Value,
}

impl Remap for Instead {
    fn value(&mut self, value: Value) -> Value {
        if value == self.old { self.new } else { value }
    }
}
