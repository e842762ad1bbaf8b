//! Chooses how matrix products and the loads of their operands use the machine. `tileaa` to `tileaa`.
//!
//! In: any function, with facts in its types. Out: the same function, where
//!
//! - a product that `wgmma` can compute has the `route` `wgmma`, with the columns of an instruction and the places of A and B:
//!   shared memory for a tile that is loaded for products only, in a layout that descriptors can express; else registers. B in
//!   registers is computed from such loads, element by element, and then stored to shared memory; or the product is `turned`, if
//!   its elements are bytes, which threads load as the left operand of the transposed product;
//! - a load whose tile goes to shared memory for such products, or is read from there for their operands in registers, has the
//!   route `tma`, with its box and swizzle;
//! - a store of a large tile, in a function with such loads, has the route `tma` too (`stores`).
//!
//! All others stay without a route, and go through registers.
//!
//! A load takes this route if a tensor map can describe the array (alignment and strides by its facts), padding is zero, and
//! other warps than those that compute can issue it: it is weak and ordered after no store and no atomic access, its index
//! follows from counters, parameters and scalars, and no iteration of a loop around it ends early. The tile, views of it
//! (`tile.reshape`, `tile.permute`), and what is computed from it element by element, must have no other use than such products.
//!
//! A product of 8-bit floats that is not `fast` takes twice the registers: `legalize_products` gives each tile of it a sum of its
//! own, if that has at most 128 products.
//!
//! A function is left alone where the accumulators or the tiles would not fit, or where a kernel may return early: its agents
//! end together.

mod loads;
mod stores;
mod warps;

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Block, Body, Flag, Func, OpId, Operation, Origin, Value, ValueType};
use tilewright_irs::dialects::arith::{ArithOp, Signedness};
use tilewright_irs::dialects::product_rules::extents;
use tilewright_irs::dialects::route::{CopyRoute, OperandPlace, ProductRoute};
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::dialects::tile::TileOp;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::machine::{GROUP_WARPS, Machine, threads};
use tilewright_irs::tileaa::{TileAa, TileAaDialect, TileAaOp};
use tilewright_irs::tileas::atoms::{Place, ProductUse, WgmmaAtom};
use tilewright_irs::tileas::{Buffer, ProductAtom, TileAsType};

use super::own_sums::{MOST_ADDED, is_of_8_bits};
use crate::program_slice::Places;
pub(crate) use warps::computing_warps;

/// Rows of `wgmma`.
const ROWS: u32 = 64;
/// The most columns of `wgmma`.
const MAX_COLUMNS: u32 = 256;
/// The most warps that compute: with another group that loads, each thread has the registers below.
const MAX_WARPS: u32 = 2 * GROUP_WARPS;
/// 32-bit registers of a thread for accumulators.
const ACCUMULATOR_REGISTERS: u64 = 160;
/// Stages of a buffer that must fit into shared memory.
const LEAST_STAGES: u64 = 2;

/// Chooses the routes of a function.
///
/// # Errors
/// None; the type is that of all passes.
pub fn choose_routes(func: &Func<TileAa>) -> Result<Func<TileAa>, Vec<Diagnostic<Origin>>> {
    let places = Places::of(&func.body);
    let Some(chooser) = Chooser::of(func, &places) else {
        return Ok(func.clone());
    };
    let Some((loads, products)) = chooser.choose() else {
        return Ok(func.clone());
    };
    let stores = stores::stores(func, &places, &chooser.users);
    let mut func = func.clone();
    for (id, (chosen, _)) in loads {
        if let TileAaOp::TileAa(TileAaDialect::Load { route, .. }) = &mut func.body.op_mut(id).kind {
            *route = Some(chosen);
        }
    }
    for (id, chosen) in stores {
        if let TileAaOp::TileAa(TileAaDialect::Store { route, .. }) = &mut func.body.op_mut(id).kind {
            *route = Some(chosen);
        }
    }
    for (id, chosen) in products {
        if let TileAaOp::TileAa(TileAaDialect::Dot { route, .. }) = &mut func.body.op_mut(id).kind {
            *route = Some(chosen.route);
        }
    }
    Ok(func)
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

/// The loads that may go to shared memory, with their routes and the type of the tile there.
type Loads = FxHashMap<OpId, (CopyRoute, Buffer)>;

/// A product with a route.
struct Chosen {
    route: ProductRoute,
    /// The loads to shared memory from which its operands are read.
    loads: Vec<OpId>,
    /// Bytes of shared memory to which threads store B.
    stored: u64,
    /// 32-bit registers of its sums, of all threads, unless they are another product's.
    registers: u64,
}

/// What `wgmma` is to multiply.
struct Multiplicands {
    /// M, N and K.
    extents: [u32; 3],
    /// The buffer of the left multiplicand, if it is in shared memory.
    left: Option<Buffer>,
    /// The elements of the multiplicands and of the sums.
    elements: [ScalarType; 2],
    signedness: [Signedness; 2],
}

struct Chooser<'a> {
    func: &'a Func<TileAa>,
    places: &'a Places<'a, TileAa>,
    warps: u32,
    users: FxHashMap<Value, Vec<OpId>>,
    products: Vec<OpId>,
}

impl<'a> Chooser<'a> {
    /// `None` if there is nothing to choose.
    fn of(func: &'a Func<TileAa>, places: &'a Places<'a, TileAa>) -> Option<Self> {
        let body = &func.body;
        let mut products = Vec::new();
        let mut users: FxHashMap<Value, Vec<OpId>> = FxHashMap::default();
        let mut returns = 0;
        for id in body.walk() {
            let op = &body.op(id).kind;
            match op {
                TileAaOp::TileAa(TileAaDialect::Dot { route: None, .. }) => products.push(id),
                TileAaOp::Scf(ScfOp::Return {}) => returns += 1,
                _ => {}
            }
            op.operands(&mut |value| {
                users.entry(value).or_default().push(id);
            });
        }
        (!products.is_empty() && returns == 1).then(|| Self {
            func,
            places,
            warps: computing_warps(func, places),
            users,
            products,
        })
    }

    fn choose(&self) -> Option<(Loads, Vec<(OpId, Chosen)>)> {
        let mut loads = loads::candidates(self.func, self.places);
        loop {
            let products: Vec<(OpId, Chosen)> = self
                .products
                .iter()
                .filter_map(|&id| Some((id, self.product(id, &loads)?)))
                .collect();
            let routes: FxHashMap<OpId, &Chosen> =
                products.iter().map(|(id, chosen)| (*id, chosen)).collect();
            let used: FxHashSet<OpId> = products
                .iter()
                .flat_map(|(_, chosen)| chosen.loads.clone())
                .collect();
            let before = loads.len();
            loads.retain(|&load, _| {
                let tile = self.func.body.op(load).result(0);
                used.contains(&load) && self.is_only_multiplied(tile, load, &routes)
            });
            if loads.len() == before {
                return (!products.is_empty() && self.fits(&loads, &products)).then_some((loads, products));
            }
        }
    }

    fn op(&self, id: OpId) -> &'a TileAaOp {
        &self.func.body.op(id).kind
    }

    /// Whether all uses of a tile or of views of it are operands of products that read it from shared memory.
    fn is_only_multiplied(&self, tile: Value, load: OpId, routes: &FxHashMap<OpId, &Chosen>) -> bool {
        let users = self.users.get(&tile).map_or(&[][..], Vec::as_slice);
        users.iter().all(|&user| match self.op(user) {
            TileAaOp::Tile(TileOp::Reshape { .. } | TileOp::Permute { .. }) => {
                self.is_only_multiplied(self.func.body.op(user).result(0), load, routes)
            }
            TileAaOp::Arith(op) if is_of_one_tile(op) => {
                self.is_only_multiplied(self.func.body.op(user).result(0), load, routes)
            }
            TileAaOp::TileAa(TileAaDialect::Dot { acc, .. }) => {
                *acc != tile
                    && routes
                        .get(&user)
                        .is_some_and(|chosen| chosen.loads.contains(&load))
            }
            _ => false,
        })
    }

    /// The buffer with a tile that is loaded to shared memory, as its user sees it, and the load.
    fn in_shared(&self, tile: Value, loads: &Loads) -> Option<(OpId, Buffer)> {
        let id = self.places.definition(tile)?;
        match self.op(id) {
            TileAaOp::Tile(TileOp::Reshape { source }) => {
                let (load, buffer) = self.in_shared(*source, loads)?;
                let shape = self.func.body.ty(tile).shape()?;
                Some((load, buffer.reshaped(shape).ok()?))
            }
            TileAaOp::Tile(TileOp::Permute { source, permutation }) => {
                let (load, buffer) = self.in_shared(*source, loads)?;
                let permutation: Vec<usize> = permutation.iter().map(|&axis| axis as usize).collect();
                Some((load, buffer.permuted(&permutation).ok()?))
            }
            _ => loads.get(&id).map(|(_, buffer)| (id, buffer.clone())),
        }
    }

    /// The load to shared memory from which a tile in registers is computed, element by element.
    fn computed_from(&self, tile: Value, loads: &Loads) -> Option<OpId> {
        if let Some((load, _)) = self.in_shared(tile, loads) {
            return Some(load);
        }
        match self.op(self.places.definition(tile)?) {
            TileAaOp::Arith(op) if is_of_one_tile(op) => {
                self.computed_from(*op.operand_list().first()?, loads)
            }
            TileAaOp::Tile(TileOp::Reshape { source } | TileOp::Permute { source, .. }) => {
                self.computed_from(*source, loads)
            }
            _ => None,
        }
    }

    /// The route of a product; `None` if `wgmma` cannot compute it.
    fn product(&self, id: OpId, loads: &Loads) -> Option<Chosen> {
        let TileAaOp::TileAa(TileAaDialect::Dot {
            a,
            b,
            acc,
            signedness_a,
            signedness_b,
            fast: Flag(fast),
            ..
        }) = self.op(id)
        else {
            return None;
        };
        let body = &self.func.body;
        let shape = |value: Value| body.ty(value).shape().unwrap_or_default();
        let extents = extents(shape(*a), shape(*b), shape(*acc)).ok()?;
        let [m, n, k] = extents.matrix;
        if !extents.batch.is_empty() || m < ROWS {
            return None;
        }
        let scalar = |value: Value| body.ty(value).element().and_then(ElementType::scalar);
        let (of_a, of_acc) = (scalar(*a)?, scalar(*acc)?);
        let has_own_sum = is_of_8_bits(of_a) && !fast;
        if has_own_sum && (k > MOST_ADDED || of_acc != ScalarType::F32) {
            return None;
        }
        let own_b = self.in_shared(*b, loads);
        let own_a = self.in_shared(*a, loads);
        let turned = |buffer: &Buffer| buffer.permuted(&[1, 0]).ok();
        let plain = Multiplicands {
            extents: [m, n, k],
            left: own_a.as_ref().map(|(_, buffer)| buffer.clone()),
            elements: [of_a, of_acc],
            signedness: [*signedness_a, *signedness_b],
        };
        let other = Multiplicands {
            extents: [n, m, k],
            left: None,
            elements: [of_a, of_acc],
            signedness: [*signedness_b, *signedness_a],
        };
        let route = |n: u32, a: OperandPlace, b: OperandPlace, turned: bool| ProductRoute::Wgmma {
            n: n.min(MAX_COLUMNS),
            a,
            b,
            turned,
        };
        let in_place = || {
            let (_, buffer) = own_b.as_ref()?;
            let a = self.left_place(&plain, buffer)?;
            Some((route(n, a, OperandPlace::Shared, false), 0))
        };
        // Pairs of bytes along N are turned on their way to registers.
        let in_turn = || {
            let right = turned(&own_a.as_ref()?.1)?;
            own_b.as_ref().filter(|_| of_a.bits() == 8 && n >= ROWS)?;
            self.left_place(&other, &right)?;
            Some((route(m, OperandPlace::Shared, OperandPlace::Registers, true), 0))
        };
        let stored = || {
            let memory = WgmmaAtom::of(n.min(MAX_COLUMNS))
                .right_memory([k, n], of_a)
                .ok()?;
            let buffer = Buffer::shared(of_a, memory);
            let a = self.left_place(&plain, &buffer)?;
            Some((route(n, a, OperandPlace::Registers, false), buffer.bytes()))
        };
        let load_b = self.computed_from(*b, loads)?;
        let (route, stored) = in_place().or_else(in_turn).or_else(stored)?;
        let mut used = vec![load_b];
        used.extend(self.computed_from(*a, loads));
        let chains = self
            .places
            .definition(*acc)
            .is_some_and(|acc| matches!(self.op(acc), TileAaOp::TileAa(TileAaDialect::Dot { .. })));
        let sums = u64::from(!chains) + u64::from(has_own_sum);
        Some(Chosen {
            route,
            loads: used,
            stored,
            registers: sums * u64::from(m) * u64::from(n),
        })
    }

    /// The place from which `wgmma` can read the left multiplicand, with the right one in this buffer.
    fn left_place(&self, of: &Multiplicands, right: &Buffer) -> Option<OperandPlace> {
        let [m, n, k] = of.extents;
        let [element, sums] = of.elements;
        let allowed = |atom: WgmmaAtom, left: Place<'_>| {
            let layouts = ProductAtom::from(atom)
                .layouts(&of.extents.into(), self.warps)
                .ok()?;
            let sums = TileAsType::tile(ElementType::Scalar(sums), layouts.acc?);
            let product = ProductUse {
                target: self.func.attrs.target,
                warps: self.warps,
                a: left,
                b: Place::Buffer(right),
                acc: Place::Registers(&sums),
                signedness: of.signedness,
            };
            ProductAtom::from(atom).check(&product).ok()
        };
        let atom = WgmmaAtom::of(n.min(MAX_COLUMNS));
        let in_shared = of.left.as_ref().map(Place::Buffer);
        if in_shared.is_some_and(|left| allowed(atom, left).is_some()) {
            return Some(OperandPlace::Shared);
        }
        let atom = atom.with_left(element);
        let layout = atom.left_layout([m, k], element, self.warps).ok()?;
        let left = TileAsType::tile(ElementType::Scalar(element), layout);
        allowed(atom, Place::Registers(&left)).map(|()| OperandPlace::Registers)
    }

    /// Whether the accumulators fit into registers and two stages of each buffer into shared memory. Those of loops that follow
    /// each other take the same registers, and the same memory for stages of the same types.
    fn fits(&self, loads: &Loads, products: &[(OpId, Chosen)]) -> bool {
        let threads = u64::from(threads(self.warps));
        let mut registers: FxHashMap<Option<Block>, u64> = FxHashMap::default();
        let mut stages: FxHashMap<Option<Block>, Vec<&Buffer>> = FxHashMap::default();
        for (id, chosen) in products {
            *registers.entry(self.places.block(*id)).or_default() += chosen.registers;
        }
        let mut ids: Vec<OpId> = loads.keys().copied().collect();
        ids.sort_unstable();
        for id in ids {
            let buffers = stages.entry(self.places.block(id)).or_default();
            buffers.extend(loads.get(&id).map(|(_, buffer)| buffer));
        }
        let mut different: Vec<Vec<&Buffer>> = Vec::new();
        for stage in stages.into_values() {
            if !different.contains(&stage) {
                different.push(stage);
            }
        }
        let bytes: u64 = different.iter().flatten().map(|buffer| buffer.bytes()).sum();
        let mut stored: FxHashMap<Option<Block>, u64> = FxHashMap::default();
        for (id, chosen) in products {
            *stored.entry(self.places.block(*id)).or_default() += chosen.stored;
        }
        let stored = stored.into_values().max().unwrap_or(0);
        let limit = Machine::of(self.func.attrs.target).multiprocessor.shared_static;
        let most = registers.values().copied().max().unwrap_or(0);
        most / threads <= ACCUMULATOR_REGISTERS && LEAST_STAGES * bytes + stored <= limit.0
    }
}

/// Whether an op computes a tile from one other, element by element.
fn is_of_one_tile(op: &ArithOp) -> bool {
    op.is_pure() && op.operand_list().len() == 1
}
