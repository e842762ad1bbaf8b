//! Whether `wgmma` can compute a product, and from where it reads the operands.

use rustc_hash::FxHashSet;
use tilewright_irs::core::{Block, Body, Flag, OpId, Operation, Value, ValueType};
use tilewright_irs::dialects::arith::{ArithOp, Signedness};
use tilewright_irs::dialects::product_rules::extents;
use tilewright_irs::dialects::route::{OperandPlace, ProductRoute};
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::dialects::tile::TileOp;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::isa::WgmmaShape;
use tilewright_irs::machine::threads;
use tilewright_irs::tileaa::{TileAa, TileAaDialect, TileAaOp};
use tilewright_irs::tileas::atoms::{Place, ProductUse, Refusal, WgmmaAtom};
use tilewright_irs::tileas::{Buffer, ProductAtom, TileAsType};

use super::{Chooser, Chosen, Loads, MAX_COLUMNS, Products, ROWS, is_of_one_tile};
use crate::program_slice::Places;
use crate::tileaa::own_sums::{MOST_ADDED, has_own_sum, is_of_8_bits};
use crate::tileaa::reason::{Operand, Reason};

/// The fewest rows of A for which threads compute B from several tiles and store it to shared memory: with fewer, that takes longer
/// than the product.
const COMPUTED_ROWS: u32 = 2 * ROWS;

/// Bytes of the widest access of a thread.
const VECTOR_BYTES: u64 = 16;

/// What `wgmma` is to multiply.
struct Multiplicands {
    /// M, N and K.
    extents: [u32; 3],
    /// Columns of one instruction.
    columns: u32,
    /// The buffer of the left multiplicand, if it is in shared memory.
    left: Option<Buffer>,
    /// The elements of the multiplicands and of the sums.
    elements: [ScalarType; 2],
    signedness: [Signedness; 2],
}

/// Whether a tile is computed, element by element, from accumulators of products: threads have it in their layout.
pub(crate) fn is_of_sums(places: &Places<'_, TileAa>, body: &Body<TileAa>, tile: Value) -> bool {
    let (mut seen, mut open) = (FxHashSet::default(), vec![tile]);
    let mut sums = 0;
    while let Some(value) = open.pop() {
        if !seen.insert(value) {
            continue;
        }
        match places.definition(value).map(|id| &body.op(id).kind) {
            Some(TileAaOp::TileAa(TileAaDialect::Dot { .. })) => sums += 1,
            None if is_carried_sum(places, body, value) => sums += 1,
            Some(op) if op.spec().properties.elementwise => {
                let operands = op.operand_list().into_iter();
                open.extend(operands.filter(|&operand| !is_repeated(places, body, operand)));
            }
            Some(_) | None => return false,
        }
    }
    sums > 0
}

/// Whether a tile is a constant, or repeats a row, a column or a number.
fn is_repeated(places: &Places<'_, TileAa>, body: &Body<TileAa>, tile: Value) -> bool {
    let definition = places.definition(tile).map(|id| &body.op(id).kind);
    matches!(
        definition,
        Some(
            TileAaOp::Arith(ArithOp::Constant { .. })
                | TileAaOp::Tile(TileOp::Broadcast { .. } | TileOp::Splat { .. })
        )
    )
}

/// Whether a loop carries a tile as the sum of a product in its body, which may be scaled before the product is added to it.
fn is_carried_sum(places: &Places<'_, TileAa>, body: &Body<TileAa>, tile: Value) -> bool {
    let Some((block, _)) = places.argument(tile) else {
        return false;
    };
    let scaled = |value: &Value| {
        let op = &body.op(places.definition(*value)?).kind;
        let operands = op.operand_list().into_iter();
        let mut tiles = operands.filter(|&operand| !is_repeated(places, body, operand));
        let only = tiles.next().filter(|_| op.spec().properties.elementwise)?;
        tiles.next().is_none().then_some(only)
    };
    let products = body.block(block).ops.iter().map(|&id| &body.op(id).kind);
    let mut sums = products.filter_map(|op| match op {
        TileAaOp::TileAa(TileAaDialect::Dot { acc, .. }) => Some(*acc),
        _ => None,
    });
    sums.any(|acc| std::iter::successors(Some(acc), scaled).any(|value| value == tile))
}

impl Chooser<'_> {
    /// The buffer with an operand that is loaded to shared memory, as the product sees it, and the load.
    fn in_shared(&self, operand: Operand, tile: Value, loads: &Loads) -> Result<(OpId, Buffer), Reason> {
        let id = (self.places.definition(tile)).ok_or(Reason::NotLoaded(operand))?;
        match self.op(id) {
            TileAaOp::Tile(TileOp::Reshape { source }) => {
                let (load, buffer) = self.in_shared(operand, *source, loads)?;
                let shape = self.func.body.ty(tile).shape().unwrap_or_default();
                let view = buffer
                    .reshaped(shape)
                    .map_err(|error| Reason::Instruction(Refusal::layout(error.to_string())))?;
                Ok((load, view))
            }
            TileAaOp::Tile(TileOp::Permute { source, permutation }) => {
                let (load, buffer) = self.in_shared(operand, *source, loads)?;
                let permutation: Vec<usize> = permutation.iter().map(|&axis| axis as usize).collect();
                let view = buffer
                    .permuted(&permutation)
                    .map_err(|error| Reason::Instruction(Refusal::layout(error.to_string())))?;
                Ok((load, view))
            }
            _ => match loads.get(&id) {
                Some(Ok((_, buffer))) => Ok((id, buffer.clone())),
                Some(Err(reason)) => Err(Reason::Operand(operand, Box::new(reason.clone()))),
                None => Err(Reason::NotLoaded(operand)),
            },
        }
    }

    /// The load to shared memory from which an operand in registers is computed, element by element.
    ///
    /// # Errors
    /// Why there is none.
    fn computed_from(&self, operand: Operand, tile: Value, loads: &Loads) -> Result<OpId, Reason> {
        let reason = match self.in_shared(operand, tile, loads) {
            Ok((load, _)) => return Ok(load),
            Err(reason) => reason,
        };
        let source = match self.places.definition(tile).map(|id| self.op(id)) {
            Some(TileAaOp::Arith(op)) if is_of_one_tile(op) => op.operand_list().first().copied(),
            Some(TileAaOp::Tile(TileOp::Reshape { source } | TileOp::Permute { source, .. })) => {
                Some(*source)
            }
            _ => None,
        };
        self.computed_from(operand, source.ok_or(reason)?, loads)
    }

    /// Whether a tile is computed from several others, element by element.
    fn is_of_several(&self, tile: Value) -> bool {
        match self.places.definition(tile).map(|id| self.op(id)) {
            Some(TileAaOp::Arith(op)) if is_of_one_tile(op) => {
                let mut source = op.operand_list().into_iter();
                source.any(|source| self.is_of_several(source))
            }
            Some(op) => op.spec().properties.elementwise,
            None => false,
        }
    }

    /// The tensor copies of tiles that threads read to registers, since operands of these products are computed from them, element by
    /// element; whatever else they are used for.
    pub(super) fn read_for(&self, products: &Products, possible: &Loads) -> Loads {
        let in_registers = |&place: &OperandPlace| place == OperandPlace::Registers;
        let of_product = |(&id, chosen): (&OpId, &Result<Chosen, Reason>)| {
            let ProductRoute::Wgmma { a: of_a, b: of_b, .. } = &chosen.as_ref().ok()?.route;
            let TileAaOp::TileAa(TileAaDialect::Dot { a, b, .. }) = self.op(id) else {
                return None;
            };
            let left = in_registers(of_a).then(|| self.read_in(id, *a, possible));
            let right = in_registers(of_b).then(|| self.read_in(id, *b, possible));
            Some(left.into_iter().chain(right).flatten())
        };
        products.iter().filter_map(of_product).flatten().collect()
    }

    /// The tensor copies of tiles in loops with these products, at least a vector for each thread, that threads can read to registers.
    pub(super) fn read_beside(&self, products: &Products, possible: &Loads) -> Loads {
        let routed = products.iter().filter(|(_, chosen)| chosen.is_ok());
        let blocks = routed.filter_map(|(&id, _)| self.places.block(id));
        let looped = |&block: &Block| {
            let around = self.places.around(block).map(|around| self.op(around));
            matches!(around, Some(TileAaOp::Scf(ScfOp::For { .. })))
        };
        let blocks: FxHashSet<Block> = blocks.filter(looped).collect();
        let is_beside = |id: OpId| self.places.block(id).is_some_and(|block| blocks.contains(&block));
        // What other products multiply is copied by threads.
        let is_not_multiplied = |id: OpId| {
            let users = self.users.get(&self.func.body.op(id).result(0));
            let mut users = users.into_iter().flatten().map(|&user| self.op(user));
            !users.any(|op| matches!(op, TileAaOp::TileAa(TileAaDialect::Dot { .. })))
        };
        let found = possible.iter().filter(|&(&id, copy)| {
            let bytes = copy.as_ref().map_or(0, |(_, buffer)| buffer.bytes());
            is_beside(id) && bytes >= u64::from(threads(self.warps)) * VECTOR_BYTES && is_not_multiplied(id)
        });
        found.map(|(&id, copy)| (id, copy.clone())).collect()
    }

    /// Whether a tensor copy can load one of the tiles, of the size of an operand, from which this is computed.
    fn reads_whole(&self, product: OpId, operand: Value, possible: &Loads) -> bool {
        let body = &self.func.body;
        let elements = |tile: Value| -> u64 {
            let shape = body.ty(tile).shape().unwrap_or_default().iter();
            shape.map(|&extent| u64::from(extent)).product()
        };
        let loads = self.read_in(product, operand, possible);
        let mut loads = loads.keys().map(|&load| body.op(load).result(0));
        loads.any(|tile| elements(tile) == elements(operand))
    }

    /// The tensor copies, in the block of a product, of tiles from which an operand is computed, element by element, and of the rows
    /// and columns by whose elements it is scaled.
    fn read_in(&self, product: OpId, operand: Value, possible: &Loads) -> Loads {
        let block = self.places.block(product);
        let mut found = Loads::default();
        let (mut seen, mut open) = (FxHashSet::default(), vec![operand]);
        while let Some(id) = open.pop().map(|tile| self.places.definition(tile)) {
            let Some(id) = id.filter(|&id| self.places.block(id) == block && seen.insert(id)) else {
                continue;
            };
            match (self.op(id), possible.get(&id)) {
                (TileAaOp::TileAa(TileAaDialect::Load { .. }), Some(Ok(copy))) => {
                    found.insert(id, Ok(copy.clone()));
                }
                (TileAaOp::Tile(TileOp::Broadcast { source, .. } | TileOp::Reshape { source }), _) => {
                    open.push(*source);
                }
                (op, _) if op.spec().properties.elementwise => open.extend(op.operand_list()),
                _ => {}
            }
        }
        found
    }

    /// The route of a product, with these loads to shared memory, and those that are possible at all.
    ///
    /// # Errors
    /// Why `wgmma` cannot compute it.
    pub(super) fn product(&self, id: OpId, loads: &Loads, possible: &Loads) -> Result<Chosen, Reason> {
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
            return Err(Reason::NoProduct);
        };
        let body = &self.func.body;
        let shape = |value: Value| body.ty(value).shape().unwrap_or_default();
        let unlike = |message: String| Reason::Instruction(Refusal::layout(message));
        let extents = extents(shape(*a), shape(*b), shape(*acc)).map_err(|(_, message)| unlike(message))?;
        let [m, n, k] = extents.matrix;
        if !extents.batch.is_empty() {
            return Err(Reason::Batched(extents.batch.len()));
        }
        if m < ROWS {
            return Err(Reason::FewRows { rows: m, least: ROWS });
        }
        let target = self.func.attrs.target;
        let scalar = |value: Value| {
            let element = body.ty(value).element().and_then(ElementType::scalar);
            element.ok_or_else(|| unlike("`wgmma` multiplies no pointers".to_owned()))
        };
        let elements = [scalar(*a)?, scalar(*b)?, scalar(*acc)?];
        let [of_a, _, of_acc] = elements;
        // What no route of an operand changes comes first.
        WgmmaAtom::of(n.min(MAX_COLUMNS))
            .check_elements(elements, [*signedness_a, *signedness_b], target)
            .map_err(Reason::refused)?;
        if is_of_8_bits(of_a) && !fast && (k > MOST_ADDED || of_acc != ScalarType::F32) {
            return Err(Reason::OwnSum {
                depth: k,
                most: MOST_ADDED,
            });
        }
        let load_b = match self.computed_from(Operand::B, *b, loads) {
            Ok(load) => Some(load),
            Err(_) if is_of_sums(self.places, body, *b) => None,
            Err(_) if m >= COMPUTED_ROWS && self.is_of_several(*b) && self.reads_whole(id, *b, possible) => {
                None
            }
            Err(reason) => return Err(reason),
        };
        let own_b = self.in_shared(Operand::B, *b, loads).ok();
        let own_a = self.in_shared(Operand::A, *a, loads).ok();
        let turned = |buffer: &Buffer| buffer.permuted(&[1, 0]).ok();
        let sum = body.op(id).result(0);
        let columns = self.columns(sum, [m, n]);
        let plain = Multiplicands {
            extents: [m, n, k],
            columns,
            left: own_a.as_ref().map(|(_, buffer)| buffer.clone()),
            elements: [of_a, of_acc],
            signedness: [*signedness_a, *signedness_b],
        };
        let other = Multiplicands {
            extents: [n, m, k],
            columns: self.columns(sum, [n, m]),
            left: None,
            elements: [of_a, of_acc],
            signedness: [*signedness_b, *signedness_a],
        };
        let route =
            |of: &Multiplicands, a: OperandPlace, b: OperandPlace, turned: bool| ProductRoute::Wgmma {
                n: of.columns,
                a,
                b,
                turned,
            };
        let in_place = || {
            let (_, buffer) = own_b.as_ref().ok_or(Reason::NotLoaded(Operand::B))?;
            let a = self.left_place(&plain, buffer)?;
            Ok((route(&plain, a, OperandPlace::Shared, false), 0))
        };
        // Threads read B along N, bytes in pairs, in the registers where the transposed product has its left multiplicand.
        let in_turn = || {
            let right = turned(&own_a.as_ref()?.1)?;
            own_b.as_ref().filter(|_| of_a.bits() != 16 && n >= ROWS)?;
            self.left_place(&other, &right).ok()?;
            Some((
                route(&other, OperandPlace::Shared, OperandPlace::Registers, true),
                0,
            ))
        };
        let stored = || {
            let memory = WgmmaAtom::of(columns).right_memory([k, n], of_a).ok()?;
            let buffer = Buffer::shared(of_a, memory);
            let a = self.left_place(&plain, &buffer).ok()?;
            Some((route(&plain, a, OperandPlace::Registers, false), buffer.bytes()))
        };
        let (route, stored) = match in_place() {
            Ok(found) => found,
            Err(reason) => in_turn().or_else(stored).ok_or(reason)?,
        };
        let mut used: Vec<OpId> = load_b.into_iter().collect();
        used.extend(self.computed_from(Operand::A, *a, loads));
        let chains = self
            .places
            .definition(*acc)
            .is_some_and(|acc| matches!(self.op(acc), TileAaOp::TileAa(TileAaDialect::Dot { .. })));
        let TileAaOp::TileAa(dot) = self.op(id) else {
            return Err(Reason::NoProduct);
        };
        let has_own_sum = has_own_sum(body, |value| self.places.definition(value), dot);
        let registers = u64::from(m) * u64::from(n);
        Ok(Chosen {
            route,
            loads: used,
            stored,
            registers: if chains { 0 } else { registers },
            own: if has_own_sum { registers } else { 0 },
        })
    }

    /// Columns of one instruction, for these sums of so many rows and columns. Warp groups without rows of their own share the columns,
    /// unless threads are to have whole rows of the sums: then each group computes all of them.
    fn columns(&self, sum: Value, [rows, columns]: [u32; 2]) -> u32 {
        let groups = WgmmaAtom::groups(rows, self.warps).map_or(1, |[_, along_columns]| along_columns);
        let own = columns / groups;
        let are_shared = own.is_multiple_of(WgmmaShape::LEAST_COLUMNS) && !self.has_whole_rows(sum);
        (if are_shared { own } else { columns }).min(MAX_COLUMNS)
    }

    /// Whether a product's sums are reduced along their rows, or multiplied from the left, from the registers that they are in.
    fn has_whole_rows(&self, sum: Value) -> bool {
        let (mut seen, mut open) = (FxHashSet::default(), vec![sum]);
        while let Some(value) = open.pop() {
            if !seen.insert(value) {
                continue;
            }
            for &user in self.users.get(&value).into_iter().flatten() {
                match self.op(user) {
                    TileAaOp::TileAa(TileAaDialect::Dot { a, .. }) if *a == value => return true,
                    TileAaOp::TileAa(
                        TileAaDialect::Reduce { axis, .. } | TileAaDialect::Scan { axis, .. },
                    ) if *axis > 0 => {
                        return true;
                    }
                    op => {
                        let adds =
                            matches!(op, TileAaOp::TileAa(TileAaDialect::Dot { acc, .. }) if *acc == value);
                        if adds || op.spec().properties.elementwise {
                            open.extend(self.func.body.op(user).results());
                        }
                    }
                }
            }
        }
        false
    }

    /// The place from which `wgmma` can read the left multiplicand, with the right one in this buffer.
    ///
    /// # Errors
    /// Why there is none.
    fn left_place(&self, of: &Multiplicands, right: &Buffer) -> Result<OperandPlace, Reason> {
        let [m, _, k] = of.extents;
        let [element, sums] = of.elements;
        let allowed = |atom: WgmmaAtom, left: Place<'_>| {
            let layouts = ProductAtom::from(atom)
                .layouts(&of.extents.into(), self.warps)
                .map_err(Reason::refused)?;
            let sums = TileAsType::tile(ElementType::Scalar(sums), layouts.acc.ok_or(Reason::NoProduct)?);
            let product = ProductUse {
                target: self.func.attrs.target,
                warps: self.warps,
                a: left,
                b: Place::Buffer(right),
                acc: Place::Registers(&sums),
                signedness: of.signedness,
            };
            ProductAtom::from(atom).check(&product).map_err(Reason::refused)
        };
        let atom = WgmmaAtom::of(of.columns);
        let in_shared = of.left.as_ref().map(Place::Buffer);
        if in_shared.is_some_and(|left| allowed(atom, left).is_ok()) {
            return Ok(OperandPlace::Shared);
        }
        let atom = atom.with_left(element, false);
        let layout = atom
            .left_layout([m, k], element, self.warps)
            .map_err(Reason::refused)?;
        let left = TileAsType::tile(ElementType::Scalar(element), layout);
        allowed(atom, Place::Registers(&left)).map(|()| OperandPlace::Registers)
    }
}
